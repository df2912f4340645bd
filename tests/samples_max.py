"""Programs of MAX's graph, which are run in MAX itself by `tools/record_max.py` and in the dialect by the tests.

x and y are inputs of shape (2, 3), of the dtypes of a pair; u of (3,) and m of (3, 3) have x's.
"""

from __future__ import annotations

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()

#: On each pair of dtypes.
PAIRS = """
ops.add(x, y)
x - y
ops.mul(x, y)
x / y
x // y
x % y
ops.equal(x, y)
x > y
ops.max(x, y)
ops.logical_and(x, y)
ops.where(ops.equal(x, x), x, y)
ops.concat([x, y])
""".strip().splitlines()

#: On each dtype.
SINGLE = """
x + 1
x * 2.5
1 - x
x + 300
x + True
x + np.float64(2)
x + np.array([1, 2, 3])
x + np.array([1.5, 2, 3], dtype=np.float32)
x ** 2
-x
~x
x[0]
x[:, 1]
x.cast(DType.float32)
ops.cast(x, DType.int8)
ops.abs(x)
ops.exp(x)
ops.sqrt(x)
ops.log(x)
ops.tanh(x)
ops.relu(x)
ops.sigmoid(x)
ops.floor(x)
ops.round(x)
ops.is_nan(x)
ops.negate(x)
ops.logical_not(x)
ops.sum(x)
ops.sum(x, 0)
ops.mean(x)
ops.max(x)
ops.min(x, axis=0)
ops.argmax(x)
ops.cumsum(x, axis=1)
ops.softmax(x)
ops.reshape(x, [3, 2])
ops.permute(x, [1, 0])
ops.transpose(x, 0, 1)
ops.unsqueeze(x, 0)
ops.squeeze(ops.unsqueeze(x, 0), 0)
ops.broadcast_to(u, [2, 3])
ops.flatten(x)
ops.tile(x, [2, 1])
ops.stack([x, x])
ops.split(x, [1, 2], axis=1)
ops.chunk(x, 3, axis=1)
ops.pad(x, [0, 1, 1, 0])
ops.matmul(x, m)
x @ m
ops.outer(u, u)
ops.gather(x, ops.constant([1, 0], DType.int64, device=CPU), axis=0)
ops.band_part(m, 0, 0)
ops.repeat_interleave(x, 2, axis=0)
x + u
x + ops.constant([1, 2], DType.int16, device=CPU)
ops.add(1, 2)
ops.exp(1)
x + 'a'
x.reshape([6])
x.max()
x.argmax()
x.T
ops.where(x, x, x)
ops.constant(3, DType.int8, device=CPU)
ops.constant(2.5, DType.float32, device=CPU)
ops.constant(2.5, DType.int32, device=CPU)
""".strip().splitlines()
