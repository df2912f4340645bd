"""A program as a user writes it, with the type that an editor has to see of each expression.

It runs, and type checkers go over it: see test_typing.py. ``1 == x`` is not here: by the types of Python's own numbers
it is a bool, whatever stands on the right.
"""

from __future__ import annotations

from typing import assert_type

import latticework as lw
from latticework import Array, Dtype

x = lw.asarray([[1, 2], [3, 4]])
assert_type(x, Array)

# comparisons
assert_type(x == 1, Array)
assert_type(x != x.T, Array)
assert_type(x < 3, Array)
assert_type((x == 1) & (x != 2) | ~(x < 1), Array)
assert_type(lw.where(x == 1, x, lw.zeros_like(x)), Array)
assert_type(x[x == 1], Array)
if (x == 1).any() and lw.all(x > 0):
    assert_type(float(x[0, 0]), float)

# arithmetic
assert_type(x + 1, Array)
assert_type(1.5 - x, Array)
assert_type(x @ x, Array)
assert_type(-x, Array)
assert_type(abs(x), Array)
assert_type(divmod(x, 2), tuple[Array, Array])
y = lw.ones((2, 2))
y += 1
assert_type(y, Array)
y[0] = 3
for row in y:
    assert_type(row, Array)

# dtypes
assert_type(x.dtype, Dtype)
assert_type(x.dtype == lw.float32, bool)
assert_type(x.dtype == "float32", bool)
assert_type(lw.bool, Dtype)
assert_type(lw.float8_e5m2, Dtype)
assert_type(lw.Dtype("float32").bits, int)
assert_type("to " + lw.int8, str)
assert_type(lw.int8 < "int16", bool)
assert_type(sorted([lw.int8, lw.bool]), list[Dtype])
assert_type(lw.promote_types("int8", lw.int16), Dtype)
assert_type(lw.isdtype(x.dtype, "integral"), bool)
assert_type(lw.valid_dtypes, tuple[Dtype, ...])

# functions, methods and chapters
assert_type(lw.sum(x, axis=0), Array)
assert_type(x.mean(axis=1), Array)
assert_type(lw.stack([x, x]), Array)
assert_type(lw.zeros(2, dtype=lw.float32), Array)
assert_type(lw.fft.fft(lw.astype(x, lw.complex64)), Array)
assert_type(lw.random.normal(lw.random.key(0), (2,)), Array)
values, vectors = lw.linalg.eigh(y @ y.T)
assert_type(vectors, Array)
with lw.using(rules="numpy"):
    assert_type(x / 2, Array)


# native in, native out: the function's own signature
@lw.native
def scaled(x: Array, factor: float, *, axis: int = 0) -> dict[str, Array]:
    return {"x": x * factor, "sum": lw.sum(x, axis=axis)}


@lw.native(backend="numpy", static="factor")
def pinned(x: Array, factor: float) -> Array:
    return x * factor


assert_type(scaled(x, 2.0, axis=0), dict[str, Array])
assert_type(pinned(x, factor=2.0), Array)
