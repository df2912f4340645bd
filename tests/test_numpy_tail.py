"""NumPy's long tail: matrices and grids, elements chosen, arrays cut and joined, each as NumPy computes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import due
from support import check, values

import latticework as lw

#: A call, written for either namespace. `m` makes an array of a shape: another one for another second argument.
Call = Callable[[Any, Callable[..., Any]], Any]

#: function -> calls of one dtype, on any dtype.
MOVING: dict[str, list[Call]] = {
    "diag": [lambda xp, m, k=k, s=s: xp.diag(m(s), k) for k in (0, 2, -1) for s in ((3,), (3, 4), (0,))],
    "diagonal": [
        lambda xp, m: xp.diagonal(m((2, 3, 4))), lambda xp, m: xp.diagonal(m((2, 3, 4)), 1, 2, 0),
        lambda xp, m: xp.diagonal(m((2, 0, 3)), axis1=1, axis2=-1),
    ],
    "append": [lambda xp, m: xp.append(m((2, 3)), m((4,), 1)), lambda xp, m: xp.append(m((2, 3)), m((2, 1), 1), 1)],
    "insert": [
        lambda xp, m: xp.insert(m((4,)), 1, m((), 1)), lambda xp, m: xp.insert(m((4,)), [4, 1, 1], m((3,), 1)),
        lambda xp, m: xp.insert(m((2, 3)), 1, m((3,), 1), 0), lambda xp, m: xp.insert(m((2, 3)), -1, m((2,), 1), 1),
        lambda xp, m: xp.insert(m((2, 3)), [0, 2], m((2, 1), 1), axis=1), lambda xp, m: xp.insert(m((3,)), [], m((0,))),
        lambda xp, m: xp.insert(m((5,)), slice(0, 4, 2), m((2,), 1)),
    ],
    "delete": [
        lambda xp, m: xp.delete(m((5,)), [0, -1]), lambda xp, m: xp.delete(m((2, 3)), 1, axis=1),
        lambda xp, m: xp.delete(m((2, 3)), slice(None, None, 2)), lambda xp, m: xp.delete(m((4,)), []),
        lambda xp, m: xp.delete(m((3,)), np.array([True, False, True])),
    ],
    "resize": [lambda xp, m, s=s: xp.resize(m((2, 3)), s) for s in ((4, 4), (2,), 5, (0, 2))],
    "rot90": [lambda xp, m, k=k: xp.rot90(m((2, 3, 4)), k, (2, 0)) for k in range(-1, 4)],
    "hsplit": [lambda xp, m: xp.hsplit(m((2, 4)), 2)[1], lambda xp, m: xp.hsplit(m((5,)), [1, 3])[2]],
    "vsplit": [lambda xp, m: xp.vsplit(m((4, 2)), 2)[1]], "dsplit": [lambda xp, m: xp.dsplit(m((1, 2, 4)), [3])[0]],
    "block": [
        lambda xp, m: xp.block([[m((2, 2)), m((2, 1), 1)], [m((1, 3))]]), lambda xp, m: xp.block([m((2,)), m((), 1)]),
        lambda xp, m: xp.block(m((2,))), lambda xp, m: xp.block([m((2, 2)), m((2, 1))]),
    ],
    "ix_": [lambda xp, m: m((3, 4))[xp.ix_(*(xp.asarray(i) for i in ([2, 0], [1, 1, 3])))]],
    "select": [
        lambda xp, m: xp.select([m((3, 4)) != m((4,), 1), m((3, 4)) == m((4,), 1)], [m((3, 4)), m((4,), 1)], m((), 2))
    ],
    "argwhere": [lambda xp, m, s=s: xp.argwhere(m(s)) for s in ((3, 4), (0, 2), ())],
    "flatnonzero": [lambda xp, m: xp.flatnonzero(m((3, 4)))],
    "extract": [lambda xp, m: xp.extract(m((3, 4)) != m((3, 4), 1), m((3, 4)))],
    "compress": [
        lambda xp, m: xp.compress(xp.asarray([True, False, True]), m((3, 4)), axis=0),
        lambda xp, m: xp.compress([False, True], m((3, 4))),
    ],
    "choose": [
        lambda xp, m, how=how: xp.choose(xp.asarray([[0], [5], [-2]]), [m((4,)), m((3, 4), 1)], mode=how)
        for how in ("wrap", "clip")
    ],
    "trim_zeros": [lambda xp, m, t=t: xp.trim_zeros(xp.asarray(m((9,)) * np.array(0)), t) for t in ("f", "b", "fb")],
}  # fmt: skip
#: function -> calls on numbers.
COMPUTING: dict[str, list[Call]] = {
    "trace": [lambda xp, m: xp.trace(m((3, 4)), 1), lambda xp, m: xp.trace(m((2, 3, 2)), axis1=0, axis2=2)],
    "outer": [lambda xp, m: xp.outer(m((2, 2)), m((3,), 1)), lambda xp, m: xp.outer(m(()), m((0,)))],
    "inner": [lambda xp, m: xp.inner(m((2, 3)), m((4, 3), 1)), lambda xp, m: xp.inner(m(()), m((3,), 1))],
    "vdot": [lambda xp, m: xp.vdot(m((2, 3)), m((6,), 1))],
    "kron": [lambda xp, m: xp.kron(m((2, 3)), m((2, 1, 2), 1)), lambda xp, m: xp.kron(m(()), m((2,), 1)),
             lambda xp, m: xp.kron(m((9, 2)), m((8, 3), 1))],
    "cross": [lambda xp, m: xp.cross(m((2, 3)), m((3,), 1))],
    "vander": [lambda xp, m, n=n, up=up: xp.vander(m((3,)), n, up) for n in (None, 2, 0) for up in (False, True)],
}  # fmt: skip


def compare(call: Call, dtype: lw.Dtype, ulps: float = 16) -> None:
    def numpys(shape: tuple[int, ...], seed: int = 0) -> Any:
        return values(dtype, shape, seed=seed, low=-3, high=3)

    expected = call(np, numpys)
    expected = expected if dtype.kind != "f" else np.asarray(expected)
    result = call(lw, lambda shape, seed=0: lw.asarray(numpys(shape, seed)))
    said = result.dtype if result.dtype in (lw.bool, lw.int64) else dtype
    check(result, expected, said, ulps=ulps, scale=32)


@pytest.mark.parametrize("name", MOVING)
def test_what_moves_elements(backend: str, name: str) -> None:
    for i, call in enumerate(MOVING[name]):
        if name == "trim_zeros":
            continue
        for dtype in due(lw.all_dtypes, name) if i == 0 else (lw.float32,):
            compare(call, dtype)


@pytest.mark.parametrize("name", COMPUTING)
def test_what_computes(backend: str, name: str) -> None:
    numeric = [d for d in lw.all_dtypes if d.kind != "b" and d.bits > 16]
    for i, call in enumerate(COMPUTING[name]):
        for dtype in due(numeric, name) if i == 0 else (lw.float32,):
            compare(call, dtype)


def test_zeros_are_trimmed(backend: str) -> None:
    for x in ([0, 0, 1, 0, 2, 0], [0, 0], [], [[0, 0, 0], [0, 1, 0]]):
        a = np.asarray(x, np.int32)
        for trim in ("f", "b", "fb"):
            check(lw.trim_zeros(lw.asarray(a), trim), np.trim_zeros(a, trim), lw.int32)
    with pytest.raises(ValueError, match="trim_zeros: trim is 'f', 'b' or 'fb'; got 'x'"):
        lw.trim_zeros(lw.asarray([1]), "x")


def test_diagonals_are_filled(backend: str) -> None:
    for shape, wrap in (
        ((3, 3), False),
        ((5, 2), True),
        ((5, 2), False),
        ((2, 4), False),
        ((2, 2, 2), False),
        ((0, 2), True),
    ):
        for value in (7, np.asarray([1, 2, 3], np.float32)):
            if not isinstance(value, int) and wrap:
                continue
            x = values(lw.float32, shape)
            expected = x.copy()
            if x.size:
                np.fill_diagonal(expected, value, wrap)
            ours = lw.asarray(x)
            given = value if isinstance(value, int) else lw.asarray(value)
            check(lw.fill_diagonal(ours, given, wrap, inplace=False), expected, lw.float32)
            check(ours, x, lw.float32)
    with pytest.raises(TypeError):
        lw.fill_diagonal(lw.zeros((2, 2), dtype=lw.int32), 1.5)
    with pytest.raises(ValueError, match=r"fill_diagonal: takes a matrix.*got shape \(2, 3, 3\)"):
        lw.fill_diagonal(lw.zeros((2, 3, 3)), 1)


def test_sequences_and_matrices(backend: str) -> None:
    for dtype in (lw.float32, lw.float64, lw.int32):
        check(lw.logspace(0, 3, 4, dtype=dtype), np.logspace(0, 3, 4), dtype, ulps=16)
        check(lw.geomspace(1, 1000, 4, dtype=dtype), np.geomspace(1, 1000, 4), dtype, ulps=64)
        check(lw.tri(3, 4, 1, dtype=dtype), np.tri(3, 4, 1), dtype)
        check(lw.identity(3, dtype=dtype), np.identity(3), dtype)
        check(lw.indices((2, 3), dtype=dtype), np.indices((2, 3)), dtype)
    check(
        lw.logspace(0, 4, 5, base=2, endpoint=False), np.logspace(0, 4, 5, base=2, endpoint=False), lw.float32, ulps=16
    )
    check(lw.geomspace(-1, -8, 3, endpoint=False), np.geomspace(-1, -8, 3, endpoint=False), lw.float32, ulps=16)
    check(lw.geomspace(1, 1j, 3), np.geomspace(1, 1j, 3), lw.complex64, scale=1)
    check(lw.geomspace(2, 4, 0), [], lw.float32)
    for f, g in ((lw.tril_indices, np.tril_indices), (lw.triu_indices, np.triu_indices)):
        for n, k, m in itertools.product((0, 3), (-4, -1, 0, 1, 9), (None, 0, 2, 4)):
            for found, expected in zip(f(n, k=k, m=m), g(n, k, m), strict=True):
                check(found, expected, lw.int64)
    for found in lw.diag_indices(3, 2):
        check(found, np.arange(3), lw.int64)
    check(lw.fromfunction(lambda i, j: i - j, (2, 3)), np.fromfunction(lambda i, j: i - j, (2, 3)), lw.float32)
    with pytest.raises(ValueError, match="geomspace: there is no factor from 0 to 1"):
        lw.geomspace(0, 1)


def test_sets(backend: str) -> None:
    x1, x2 = np.asarray([[3, 1], [2, 3]], np.int16), np.asarray([5, 2, 2, 3], np.int16)
    for name in ("union1d", "setdiff1d", "intersect1d", "setxor1d"):
        check(getattr(lw, name)(lw.asarray(x1), lw.asarray(x2)), getattr(np, name)(x1, x2), lw.int16)
    check(lw.setdiff1d(lw.asarray([3, 1, 2]), lw.asarray([1]), assume_unique=True), [3, 2], lw.int32)


def test_positions(backend: str) -> None:
    flat = np.asarray([[0, 7], [23, 11]], np.int32)
    for order in ("C", "F"):
        found = lw.unravel_index(lw.asarray(flat), (2, 3, 4), order)
        for x, expected in zip(found, np.unravel_index(flat, (2, 3, 4), order), strict=True):
            check(x, expected, lw.int32)
        check(lw.ravel_multi_index(found, (2, 3, 4), order=order), flat, lw.int64)
    outside = (np.asarray([0, 5]), np.asarray([-1, 2]))
    for mode in ("wrap", "clip"):
        arrays = tuple(map(lw.asarray, outside))
        check(
            lw.ravel_multi_index(arrays, (2, 3), mode=mode), np.ravel_multi_index(outside, (2, 3), mode=mode), lw.int64
        )
    if backend != "dask":  # where nothing is computed to be looked at
        with pytest.raises(ValueError, match="ravel_multi_index: a number is out of bounds: there are 2, from 0 to 1"):
            lw.ravel_multi_index(tuple(map(lw.asarray, outside)), (2, 3))
        with pytest.raises(ValueError, match="unravel_index: a number is out of bounds"):
            lw.unravel_index(lw.asarray([6]), (2, 3))


def test_pieces(backend: str) -> None:
    x = values(lw.float32, (3, 4))
    functions = [np.abs, 10, lambda v: 2 * v]
    expected = np.piecewise(x, [x < 0, x > 1], functions)
    ours = lw.asarray(x)
    check(lw.piecewise(ours, [ours < 0, ours > 1], [lw.abs, 10, lambda v: 2 * v]), expected, lw.float32)
    with pytest.raises(ValueError, match="piecewise: takes a function for each condition; got 3 for 1"):
        lw.piecewise(ours, [ours < 0], [1, 2, 3])


def test_what_an_array_is(backend: str) -> None:
    x = lw.zeros((2, 3))
    assert (lw.shape(x), lw.ndim(x), lw.size(x), lw.size(x, -1)) == ((2, 3), 2, 6, 3)
    assert (lw.shape(1.5), lw.ndim(2), lw.size(True)) == ((), 0, 1)
    y = lw.copy(x)
    y += 1
    check(x, np.zeros((2, 3)), lw.float32)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda x: lw.diag(lw.zeros((2, 2, 2))),
            ValueError,
            r"diag: takes one axis or a matrix; got shape \(2, 2, 2\)",
        ),
        (lambda x: lw.diagonal(x[0]), ValueError, r"diagonal: needs two axes or more; got shape \(3,\)"),
        (lambda x: lw.trace(x, axis1=1, axis2=-1), ValueError, "trace: axis1 and axis2 are both axis 1"),
        (lambda x: lw.insert(x, 9, 0, axis=0), IndexError, "insert: position 9 is out of bounds for 2 elements"),
        (lambda x: lw.delete(x, 2, axis=0), IndexError, "delete: position 2 is out of bounds for 2 elements"),
        (lambda x: lw.delete(x, 0.5), TypeError, "delete: takes an int, a slice"),
        (lambda x: lw.rot90(x, axes=(0, -2)), ValueError, "rot90: axes are two different ones"),
        (lambda x: lw.vsplit(x[0], 1), ValueError, r"vsplit: needs 2 axes or more; got shape \(3,\)"),
        (lambda x: lw.block([x, [x]]), ValueError, r"block: lists of depths \[0, 1\] stand side by side"),
        (lambda x: lw.select([], []), ValueError, "select: takes a choice for each condition; got 0 and 0"),
        (lambda x: lw.compress(x, x), ValueError, r"compress: the condition has one axis; got shape \(2, 3\)"),
        (lambda x: lw.kron(x, [1]), TypeError, "kron: takes arrays; got list"),
    ],
)
def test_errors(backend: str, call: Callable[[lw.Array], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(lw.zeros((2, 3)))
