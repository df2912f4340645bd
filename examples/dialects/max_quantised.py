"""A product of quantised weights, as a graph of MAX: int8 weights with a scale for each row, and back to float32."""

import numpy as np

from latticework.frontends.max.dtype import DType
from latticework.frontends.max.engine import InferenceSession
from latticework.frontends.max.graph import DeviceRef, Graph, TensorType, ops

CPU = DeviceRef.CPU()


def build():
    """Return the graph: weights (4, 3) of float32 and a vector (3,) of float32."""
    types = [TensorType(DType.float32, (4, 3), CPU), TensorType(DType.float32, (3, 1), CPU)]
    with Graph("quantised", input_types=types) as graph:
        w, x = (value.tensor for value in graph.inputs)
        scale = ops.max(ops.abs(w), axis=1) / 127.0
        small = ops.round(w / scale).cast(DType.int8)
        wide = small.cast(DType.int32)
        again = small.cast(DType.float32) * scale
        product = again @ x
        error = ops.max(ops.abs(again - w), axis=0)
        graph.output(wide, product, error, small.cast(DType.int32) + wide)
    return graph


def main():
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((4, 3), (3, 1))]
    found = [np.asarray(x.to_numpy()).ravel().tolist() for x in InferenceSession().load(build()).execute(*arrays)]
    return dict(zip(("weights", "product", "error", "doubled"), found, strict=True))


if __name__ == "__main__":
    print(main())
