"""Sample data and comparisons that the tests share. The reference is NumPy, in a dtype wide enough to be exact."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, groupby
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

import latticework as lw
from latticework.core.dtypes import category

EachKind = Literal["each kind"]
NUMPY = {d: np.dtype(ml_dtypes.bfloat16) if d is lw.bfloat16 else np.dtype(str(d)) for d in lw.all_dtypes}
#: A dtype of NumPy's that holds every value of a kind: what expected numbers are computed in.
WIDE = {"b": np.dtype(bool), "i": np.dtype("int64"), "u": np.dtype("uint64"), "f": np.dtype("float64"),
        "c": np.dtype("complex128")}  # fmt: skip

#: Backends whose arrays never change: writing binds the `Array` to a new one, and there are no views.
IMMUTABLE = ("jax", "tensorflow", "dask")
#: Backends whose arrays are computed later.
LAZY = ("dask",)
#: How many functions more a call enters there that describes what to compute, where others compute: so many for each
#: step of it, of which a transform along several axes has several.
DESCRIBES = 32
#: Functions that a framework has no kernel for, but some that they are made of, step by step: a call of one enters so
#: many functions more.
STEPS = 20
IN_STEPS = {
    "tensorflow": frozenset(
        "argmax argmin argsort floor_divide isin remainder sort std take_along_axis unique_values var linalg.cholesky "
        "linalg.eigvals linalg.eigvalsh linalg.svdvals fft.fft fft.fftn fft.hfft fft.ifft fft.ifftn fft.ihfft "
        "fft.irfft fft.irfftn fft.rfft fft.rfftn".split()
    ),
    "jax": frozenset({"unique_values"}),  # of which there is no telling how many there will be
}


def skip_lazy(backend: str, reason: str) -> None:
    """Skip the rest of a test, of what an array that is not computed yet cannot do."""
    if backend in LAZY:
        pytest.skip(reason)


class Spread(list[Any]):
    """Shapes, or arrays of them, to go through: all, or on JAX, which compiles for every shape, the first few."""

    def __init__(self, few: list[Any], more: list[Any]) -> None:
        super().__init__([*few, *more])
        self.few = few

    def __iter__(self) -> Iterator[Any]:
        return iter(self.few) if lw.current_backend() == "jax" else super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        return [*self][key] if isinstance(key, slice) else super().__getitem__(key)


SHAPES = Spread([(), (0,), (3, 4)], [(1,), (4,), (2, 0, 3), (2, 3, 4), (1, 5)])
#: Shapes that broadcast together, in pairs.
PAIRS = Spread(
    [((3, 1), (1, 4)), ((2, 3, 4), ()), ((1, 0), (3, 1))], [((), ()), ((4,), (4,)), ((3, 4), (4,)), ((0,), (1,))]
)


def dtypes(kind: str) -> list[lw.Dtype]:
    """The dtypes of a category (see `latticework.core.dtypes.CATEGORIES`)."""
    return [*category(kind)]


def crossed(
    items: Iterable[Any], kinds: Sequence[Any], few: int | EachKind = 3, turn: Iterator[int] | None = None
) -> Iterator[tuple[Any, Any]]:
    """Every item with every dtype. On JAX, which compiles for each such pair, the first item with all of the dtypes and
    the others with some of them, each time others: see `some`. `turn` counts the items of several calls."""
    for item, i in zip(items, count() if turn is None else turn, strict=False):  # in this order no turn is lost
        for dtype in some(kinds, i, few) if i else kinds:
            yield item, dtype


def some(kinds: Sequence[Any], turn: int, few: int | EachKind = 3) -> Sequence[Any]:
    """All of the dtypes. On JAX, which compiles for each, a few of them, or one of each kind (floats of 16 bits are
    one): each turn others, so that it meets all of them in the end. A case of its own, as no elements are, needs one of
    each kind; of what varies in many ways a few each will do."""
    if lw.current_backend() != "jax":
        return kinds
    if few == "each kind":
        alike = [[*group] for _, group in groupby(kinds, lambda d: (d.kind, d.kind == "f" and d.bits == 16))]
        return [group[turn % len(group)] for group in alike]
    step = -(-len(kinds) // few)
    if step % 2 == 0:  # else every second turn would meet the same half of them, and the first of two options too
        turn += turn // step
    return kinds[-turn % step :: step]


def for_dtype(dtype: Any, items: Iterable[Any], kinds: Sequence[Any], few: int | EachKind = 3) -> list[Any]:
    """The items that `crossed` has for one dtype: for a test that is given its dtype."""
    return [item for item, d in crossed(items, kinds, few) if d is dtype]


def in_turn(options: Sequence[Any], turn: int) -> Sequence[Any]:
    """All the values of an option. On JAX, which compiles for each, one of them: each turn the next."""
    return [options[turn % len(options)]] if options and lw.current_backend() == "jax" else options


def values(dtype: lw.Dtype, shape: tuple[int, ...], *, seed: int = 0, low: float = -4, high: float = 4) -> np.ndarray:
    """Values of a dtype: integers between low and high (not below 0 for unsigned), floats in steps of 1/8."""
    rng = np.random.default_rng([seed, len(str(dtype)), dtype.bits, *shape])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        start = max(int(low), 0) if dtype.kind == "u" else int(low)
        return rng.integers(start, int(high) + 1, shape).astype(NUMPY[dtype])
    steps = rng.integers(int(low * 8), int(high * 8) + 1, shape) / 8
    if dtype.kind == "c":
        steps = steps + 1j * rng.integers(int(low * 8), int(high * 8) + 1, shape) / 8
    return np.asarray(steps).astype(NUMPY[dtype])


def extremes(dtype: lw.Dtype) -> np.ndarray:
    """The values that break things: the ends of the range, zeros of both signs, infinities and nan."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = lw.iinfo(dtype)
        middle = [-1, 0, 1] if dtype.kind == "i" else [0, 1, info.max // 2, info.max // 2 + 1]
        return np.array([info.min, info.min + 1, *middle, info.max - 1, info.max], dtype=NUMPY[dtype])
    info = lw.finfo(dtype)
    reals = np.array([-np.inf, info.min, -1.5, -1.0, -0.5, -0.0, 0.0, info.smallest_normal, 0.5, 1.0, 1.5, info.max,
                      np.inf, np.nan])  # fmt: skip
    if dtype.kind == "f":
        return reals.astype(NUMPY[dtype])
    return (reals[:, None] + 1j * reals[None, :]).ravel().astype(NUMPY[dtype])


def layouts(x: np.ndarray) -> Iterator[tuple[str, lw.Array]]:
    """The same array as latticework arrays of several memory layouts: contiguous, transposed, strided, broadcast."""
    if lw.current_backend() == "dask" and (x.dtype.num + x.size) % 2:  # what it has are chunks: one or several, in
        import dask.array as da  # turns, for each computation takes milliseconds

        yield "chunked", lw.asarray(da.from_array(x, chunks=2))
        return
    yield "contiguous", lw.asarray(x)
    if lw.current_backend() in ("jax", "dask"):
        return  # JAX has no other layouts, and compiles for every shape that leads to one
    if x.ndim >= 2:
        yield "transposed", lw.permute_dims(lw.asarray(np.ascontiguousarray(x.T)), tuple(reversed(range(x.ndim))))
    if x.ndim >= 1:
        padded = np.repeat(x, 2, axis=-1)
        yield "strided", lw.asarray(padded)[..., ::2]


def wide(x: Any) -> np.ndarray:
    """An array, ours or NumPy's, as NumPy's widest dtype of its kind."""
    x = np.asarray(x)
    kind = "f" if x.dtype == NUMPY[lw.bfloat16] else x.dtype.kind
    return x.astype(WIDE[kind])


def check(result: lw.Array, expected: Any, dtype: lw.Dtype, *, ulps: float = 4, scale: float | None = None) -> None:
    """Assert that a result is an honest array of `dtype` and equals `expected`: exactly, or within `ulps` for floats.

    `expected` is in any dtype of the same kind; floats are compared after rounding it to `dtype`. `scale` is the
    size that the error is relative to where it is not the value's own, as in a sum that cancels.
    """
    assert isinstance(result, lw.Array)
    assert result.dtype is dtype, f"dtype {result.dtype}, expected {dtype}"
    native = result._sig.backend.native[dtype]
    assert result.data.dtype == native, f"the array says {dtype} and its data is {result.data.dtype}"
    expected = np.asarray(expected)
    computed = np.asarray(result)
    assert computed.dtype == NUMPY[dtype], f"the array says {dtype}; computed it is {computed.dtype}"
    shape = computed.shape if None in result.shape else result.shape  # of what is computed later
    assert computed.shape == shape == expected.shape, f"shape {shape}, expected {expected.shape}"
    got = wide(computed)
    if dtype.kind in "biu":
        np.testing.assert_array_equal(got, wide(expected))
        return
    with np.errstate(all="ignore"):
        want = wide(expected.astype(NUMPY[dtype]))
    eps = lw.finfo(dtype).eps
    tiny = lw.finfo(dtype).smallest_normal
    np.testing.assert_allclose(got, want, rtol=ulps * eps, atol=max(tiny, ulps * eps * (scale or 0)))


_PACKAGE = str(Path(lw.__file__).parent)


def frames(call: Callable[[], Any]) -> list[str]:
    """Our Python functions that a call enters which has been made before. The framework's own are its own affair."""
    call()
    entered: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_PACKAGE):
            entered.append(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered
