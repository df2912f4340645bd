"""The standard's functions with what one framework or another adds to them: arrays of ends, stacks, truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few, sampled
from support import check, values

import latticework as lw


def test_lines_between_arrays(backend: str) -> None:
    a, b = values(lw.float32, (2, 1)), values(lw.float32, (3,), seed=1)
    options = [(5, True, 0), (4, False, -1), (1, True, 1), (0, True, 0)]
    for num, endpoint, axis in sampled(options, 1, "linspace"):
        expected = np.linspace(a, b, num, endpoint=endpoint, axis=axis)
        check(lw.linspace(lw.asarray(a), lw.asarray(b), num, endpoint=endpoint, axis=axis), expected, lw.float32)
    ends = lw.asarray([0, 10], dtype=lw.int64)
    check(lw.linspace(ends, 20, 3), np.linspace([0, 10], 20, 3), lw.float32)
    check(lw.linspace(0, ends, 4, dtype="int32"), np.linspace(0, [0, 10], 4, dtype=np.int32), lw.int32)
    check(lw.linspace(lw.asarray([0.0, 1j]), 1, 3), np.linspace(np.array([0, 1j]), 1, 3), lw.complex64)
    assert lw.linspace(lw.asarray([0.1], dtype=lw.float64), 0.7, 7)[-1].tolist() == [0.7]
    with pytest.raises(lw.errors.AxisError):
        lw.linspace(ends, 20, 3, axis=2)
    with pytest.raises(ValueError, match="num must not be negative"):
        lw.linspace(ends, 20, -1)


def test_powers_between_arrays(backend: str) -> None:
    a, b = np.float64([[0], [1]]), np.float64([2, 3, 4])
    for axis in (0, -1):
        expected = np.logspace(a, b, 4, axis=axis)
        check(lw.logspace(lw.asarray(a), lw.asarray(b), 4, axis=axis), expected, lw.float64, ulps=64)
    base = np.float64([2, 3, 4])
    for axis in (0,) if few() else (0, 1):
        expected = np.logspace(a, 2.0, 3, base=base, axis=axis)
        check(lw.logspace(lw.asarray(a), 2.0, 3, base=lw.asarray(base), axis=axis), expected, lw.float64, ulps=64)
    check(lw.logspace(0, 2, 3, base=lw.asarray(base)), np.logspace(0, 2, 3, base=base), lw.float64, ulps=64)


def test_multiples_between_arrays(backend: str) -> None:
    a, b = np.float64([[1], [-2]]), np.float64([4, 9, 27])
    for axis, endpoint in sampled([(0, True), (-1, True), (1, False)], 1, "geomspace"):
        expected = np.geomspace(np.abs(a), b, 4, endpoint=endpoint, axis=axis)
        result = lw.geomspace(lw.asarray(np.abs(a)), lw.asarray(b), 4, endpoint=endpoint, axis=axis)
        check(result, expected, lw.float64, ulps=16)
    with np.errstate(invalid="ignore"):
        result = lw.geomspace(lw.asarray(a[:, 0], dtype=lw.float32), 9, 3)
    check(result, [[1, np.nan], [3, np.nan], [9, np.nan]], lw.float32, ulps=16)
    check(lw.geomspace(-1, lw.asarray([-4, -16]), 2, dtype="int32"), [[-1, -1], [-4, -16]], lw.int32)
    z = np.complex64([1j, -2])
    check(lw.geomspace(1, lw.asarray(z), 3), np.geomspace(1, z, 3), lw.complex64, scale=1)


def test_stacks_of_identity_matrices(backend: str) -> None:
    check(lw.eye(2, 3, k=1, batch_shape=(2, 1)), np.broadcast_to(np.eye(2, 3, 1), (2, 1, 2, 3)), lw.float32)
    x = lw.eye(2, batch_shape=(3,), dtype=lw.int8)
    x[0, 0, 0] = 5
    check(x[1], np.eye(2), lw.int8)
    assert lw.eye(2, batch_shape=(0,)).shape == (0, 2, 2)
    assert lw.infer(lambda: lw.eye(2, batch_shape=(3,)), backend=backend).shape == (3, 2, 2)


def test_logic_of_numbers(backend: str) -> None:
    x, y = np.array([0, 2, 0, -1], np.int32), np.array([0.0, 0.0, 0.5, float("nan")], np.float32)
    for name in ("logical_and", "logical_or", "logical_xor"):
        f, expected = getattr(lw, name), getattr(np, name)(x, y)
        check(f(lw.asarray(x), lw.asarray(y)), expected, lw.bool)
        out = lw.zeros(4, dtype=lw.bool)
        assert f(lw.asarray(x), lw.asarray(y), out=out) is out
        check(out, expected, lw.bool)
        check(f(lw.asarray(x) != 0, lw.asarray(y) != 0), expected, lw.bool)
        if backend in ("numpy", "torch"):  # whose own take numbers: nothing is cast before
            assert " as bool" not in str(lw.plan(f, lw.asarray(x), lw.asarray(y)))
    out = lw.zeros(4, dtype=lw.bool)
    assert lw.logical_not(lw.asarray(y), out=out) is out
    check(out, np.logical_not(y), lw.bool)
    # NumPy's `where` is left out: it is this composition.
    mask = lw.asarray([True, False, True, True])
    result = lw.where(mask, lw.logical_and(lw.asarray(x), lw.asarray(y)), lw.zeros_like(mask))
    check(result, np.logical_and(x, y, where=np.asarray(mask), out=np.zeros(4, bool)), lw.bool)


def test_arrays_joined_clipped_and_reshaped(backend: str) -> None:
    x, y = values(lw.float32, (2, 3)), values(lw.float32, (2,), seed=1)
    check(lw.concat([lw.asarray(x), lw.asarray(y)], axis=None), np.concatenate([x, y], axis=None), lw.float32)
    for low, high in ((-1, None), (None, 1), (-1, 1), (None, None)):
        expected = x if low is high is None else np.clip(x, low, high)
        check(lw.clip(lw.asarray(x), low, high), expected, lw.float32)
    for order in ("C", "F"):
        given: Any = lw.asarray(x)
        check(lw.reshape(given, (3, 2), order=order), x.reshape((3, 2), order=order), lw.float32)
        check(lw.ravel(given, order=order), x.ravel(order), lw.float32)
        check(lw.flatten(given, order=order), x.flatten(order), lw.float32)


def test_arguments_that_are_no_mathematics_are_left_out() -> None:
    x = lw.zeros((2, 2))
    for call in (
        lambda: lw.concat([x], dim=0), lambda: lw.concat([x], name="a"), lambda: lw.astype(x, lw.int32, subok=True),
        lambda: lw.logical_and(x, x, where=x),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()
