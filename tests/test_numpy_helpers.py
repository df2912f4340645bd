"""What NumPy's users call beside arrays' mathematics: unique, bits, Python functions over arrays, paths, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import due, few
from support import check, values

import latticework as lw

NAN = float("nan")


@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_elements(backend: str, equal_nan: bool) -> None:
    for x in (np.float32([[3, NAN, 1], [NAN, 3, -0.0]]), np.float32([2, NAN]), np.float32([]), np.int32([5, 2, 5])):
        expected = np.unique(x, True, True, True, equal_nan=equal_nan)
        result = lw.unique(lw.asarray(x), True, True, True, equal_nan=equal_nan)
        assert isinstance(result, tuple)
        for got, wanted in zip(result, expected, strict=True):
            if not (x.ndim == 2 and not equal_nan and got is not result[0]):  # which of several nan is first is free
                check(got, wanted, lw.float32 if wanted.dtype.kind == "f" else got.dtype)
        check(lw.unique(lw.asarray(x), equal_nan=equal_nan), expected[0], result[0].dtype)
    for dtype in due(lw.all_dtypes, "unique_values"):
        if dtype.kind != "c":
            x = values(dtype, (3, 4), low=0, high=3)
            check(lw.unique(lw.asarray(x)), np.unique(x.astype(np.float64)).astype(x.dtype), dtype)


def test_unique_slices(backend: str) -> None:
    rng = np.random.default_rng(0)
    shapes = [((6, 3), 0), ((2, 5, 2), 1), ((3, 0), 0), ((0, 2), 0), ((7, 1), -2), ((2, 8), -1)]
    for shape, axis in shapes[:2] if few() else shapes:
        x = rng.integers(-1, 1, shape, np.int32)
        expected = np.unique(x, True, True, True, axis=axis)
        for got, wanted in zip(lw.unique(lw.asarray(x), True, True, True, axis), expected, strict=True):
            check(got, wanted, got.dtype)
        check(lw.unique(lw.asarray(x), axis=axis), expected[0], lw.int32)
    x = lw.asarray([[NAN, 1.0], [0.0, 2.0], [NAN, 1.0]])
    assert lw.unique(x, return_counts=True, axis=0)[1].tolist() == [1, 2]
    assert lw.unique(x, axis=0, equal_nan=False).shape == (3, 2)


BITS = [
    ("float32", "int32"), ("int16", "uint8"), ("uint8", "uint32"), ("float64", "float32"), ("complex64", "uint8"),
    ("float32", "complex64"), ("complex64", "int64"), ("bfloat16", "uint16"), ("bool", "int8"), ("uint64", "complex64"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target"), BITS)
def test_bits_read_as_another_dtype(backend: str, source: str, target: str) -> None:
    before, after = getattr(lw, source), getattr(lw, target)
    parts = max(after.itemsize // before.itemsize, 1)
    x = values(before, (3, parts) if parts > 1 else (3,))
    to = values(after, ()).dtype
    expected = x.view(to)[:, 0] if parts > 1 else x[:, None].view(to)
    expected = expected[:, 0] if before.itemsize == after.itemsize else expected
    result = lw.bitcast(lw.asarray(x), target)
    assert result.dtype is after
    assert result.shape == expected.shape
    assert np.asarray(result).tobytes() == expected.tobytes()
    assert np.asarray(lw.bitcast(result, source)).tobytes() == x.tobytes() if source != "bool" else True
    inferred = lw.infer(lw.bitcast, lw.spec(x.shape, source), target)
    assert (inferred.shape, inferred.dtype) == (result.shape, after)


def test_bits_that_do_not_fit(backend: str) -> None:
    with pytest.raises(ValueError, match="bitcast: one int64 is made of 2 of int32.*shape \\(3,\\)"):
        lw.bitcast(lw.asarray([1, 2, 3]), lw.int64)
    with pytest.raises(TypeError, match="bitcast: most bits are no bool"):
        lw.bitcast(lw.asarray([1], dtype=lw.uint8), lw.bool)
    assert lw.bitcast(lw.asarray(1.0), "uint8").tolist() == [0, 0, 128, 63]


def test_functions_along_an_axis(backend: str) -> None:
    x = values(lw.float32, (2, 3, 4))
    for f, g in ((lw.sum, np.sum), (lw.sort, np.sort), (lambda a: lw.outer(a, a), lambda a: np.outer(a, a))):
        for axis in (1,) if few() else (0, 1, -1):
            check(lw.apply_along_axis(f, axis, lw.asarray(x)), np.apply_along_axis(g, axis, x), lw.float32, ulps=8)
    assert lw.apply_along_axis(lambda a, k, b=0: a[k] + b, 0, lw.asarray([[1, 2], [3, 4]]), 1, b=5).tolist() == [8, 9]
    with pytest.raises(ValueError, match="apply_along_axis: there is no part"):
        lw.apply_along_axis(lw.sum, 0, lw.zeros((2, 0)))


def test_functions_of_elements(backend: str) -> None:
    x, y = values(lw.float32, (2, 1, 3)), values(lw.float32, (4, 3), seed=1)
    add = lw.vectorize(lambda a, b: lw.where(a > b, a - b, a + b))
    check(add(lw.asarray(x), lw.asarray(y)), np.where(x > y, x - y, x + y), lw.float32)
    assert add(lw.asarray([1.0, 3.0]), 2).tolist() == [3, 1]
    dot = lw.vectorize(lambda a, b: (lw.sum(a * b), a + b), signature="(n),(n)->(),(n)")
    total, both = dot(lw.asarray(x), lw.asarray(y))
    check(total, (x * y).sum(-1), lw.float32, ulps=16)
    check(both, x + y, lw.float32)
    with pytest.raises(ValueError, match="vectorize: the axes 'n' have different extents: 3 and 2"):
        dot(lw.asarray(x), lw.zeros(2))
    with pytest.raises(ValueError, match=r"vectorize: needs axes \(n\); got shape \(\)"):
        dot(lw.asarray(x), lw.asarray(1.0))
    with pytest.raises(ValueError, match="vectorize: a signature is written as"):
        lw.vectorize(lw.sum, signature="n->()")


def test_flattened_copies(backend: str) -> None:
    x = values(lw.float32, (2, 3, 2))
    for order in ("C", "F"):
        check(lw.flatten(lw.asarray(x), order=order), x.flatten(order), lw.float32)
    if backend in ("numpy", "torch"):
        a = lw.zeros(3)
        lw.flatten(a)[0] = 1
        assert a.tolist() == [0, 0, 0]


def test_paths_are_numpys() -> None:
    shapes = [(2, 9), (9, 8), (8, 3)]
    ours: list[Any] = [lw.zeros(s) for s in shapes]
    for how in ("greedy", "optimal", False, ("greedy", 10)):
        expected = np.einsum_path("ij,jk,kl->il", *map(np.zeros, shapes), optimize=how)
        assert lw.einsum_path("ij,jk,kl->il", *ours, optimize=how) == (expected[0], expected[1])


def test_floating_point_errors_are_numpys() -> None:
    x = lw.asarray([1.0], backend="numpy")

    @lw.errstate(divide="ignore")
    def quotient() -> lw.Array:
        return x / 0.0

    assert quotient().tolist() == [float("inf")]
    found: list[str] = []
    with lw.errstate(divide="call", call=lambda kind, flag: found.append(kind)):
        assert np.geterr()["divide"] == "call"
        np.divide(x.data, 0)
    assert found == ["divide by zero"]
    with pytest.raises(TypeError):
        lw.errstate(other="ignore")
