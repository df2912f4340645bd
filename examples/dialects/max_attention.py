"""Attention of two heads with a causal mask, as a graph of MAX."""

import numpy as np

from latticework.frontends.max.dtype import DType
from latticework.frontends.max.engine import InferenceSession
from latticework.frontends.max.graph import DeviceRef, Graph, TensorType, ops

CPU = DeviceRef.CPU()
LENGTH, WIDTH, HEADS = 4, 6, 2


def heads(x):
    """Return (heads, length, width of a head) of (length, width)."""
    return ops.permute(ops.reshape(x, [LENGTH, HEADS, WIDTH // HEADS]), [1, 0, 2])


def build():
    """Return the graph: tokens, and the weights of queries, keys and values."""
    shapes = (LENGTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH)
    with Graph("attention", input_types=[TensorType(DType.float32, s, CPU) for s in shapes]) as graph:
        x, w_q, w_k, w_v = (value.tensor for value in graph.inputs)
        q, k, v = (heads(x @ w) for w in (w_q, w_k, w_v))
        scores = (q @ k.transpose(1, 2)) * (WIDTH // HEADS) ** -0.5
        rows = ops.constant(np.arange(LENGTH, dtype=np.float32)[:, None], DType.float32, device=CPU)
        columns = ops.constant(np.arange(LENGTH, dtype=np.float32)[None, :], DType.float32, device=CPU)
        later = columns > rows
        scores = ops.where(later, ops.constant(-1e9, DType.float32, device=CPU), scores)
        mixed = ops.permute(ops.softmax(scores) @ v, [1, 0, 2])
        graph.output(ops.reshape(mixed, [LENGTH, WIDTH]))
    return graph


def main():
    rng = np.random.default_rng(1)
    shapes = (LENGTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    (mixed,) = InferenceSession().load(build()).execute(*arrays)
    return {"mixed": np.asarray(mixed.to_numpy()).ravel().tolist()}


if __name__ == "__main__":
    print(main())
