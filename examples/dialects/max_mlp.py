"""A perceptron of two layers, as a graph of MAX: normalised inputs, relu, and the odds of three classes."""

import numpy as np

from latticework.frontends.max.dtype import DType
from latticework.frontends.max.engine import InferenceSession
from latticework.frontends.max.graph import DeviceRef, Graph, TensorType, ops

CPU = DeviceRef.CPU()


def build(hidden):
    """Return the graph: points (n, 2), weights and biases of both layers."""
    types = [TensorType(DType.float32, shape, CPU) for shape in (("n", 2), (2, hidden), (hidden,), (hidden, 3), (3,))]
    with Graph("mlp", input_types=types) as graph:
        x, w1, b1, w2, b2 = (value.tensor for value in graph.inputs)
        x = (x - ops.mean(x, axis=0)) / (x.stdev(axis=0) + 1e-6)
        h = ops.relu(x @ w1 + b1)
        logits = h @ w2 + b2
        odds = ops.softmax(logits)
        graph.output(odds, ops.argmax(odds), ops.sum(odds, axis=0))
    return graph


def main():
    rng = np.random.default_rng(0)
    shapes = (5, 2), (2, 8), (8,), (8, 3), (3,)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    model = InferenceSession().load(build(8))
    odds, best, total = [np.asarray(x.to_numpy()) for x in model.execute(*arrays)]
    return {"odds": odds.ravel().tolist(), "best": best.ravel().tolist(), "total": total.ravel().tolist()}


if __name__ == "__main__":
    print(main())
