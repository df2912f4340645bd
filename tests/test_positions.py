"""Arguments by position, as NumPy's and PyTorch's users give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw

X = np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
REDUCTIONS = ["sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "argmax", "argmin", "count_nonzero"]
NAMED = {"cumulative_sum": "cumsum", "cumulative_prod": "cumprod"}

#: The same call of ours and of NumPy.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: (lambda xp, x, name=name: getattr(xp, name)(x, 0)) for name in REDUCTIONS},
    **{
        ours: (lambda xp, x, ours=ours, theirs=theirs: getattr(xp, theirs if xp is np else ours)(x, 1))
        for ours, theirs in NAMED.items()
    },
    "sort": lambda xp, x: xp.sort(x, 0),
    "argsort": lambda xp, x: xp.argsort(x, 1),
    "flip": lambda xp, x: xp.flip(x, 0),
    "roll": lambda xp, x: xp.roll(x, 1, 1),
    "repeat": lambda xp, x: xp.repeat(x, 2, 1),
    "concat": lambda xp, x: xp.concat([x, x], 1),
    "stack": lambda xp, x: xp.stack([x, x], -1),
    "unstack": lambda xp, x: x[:, 2] if xp is np else xp.unstack(x, 1)[2],
    "take": lambda xp, x: xp.take(x, xp.asarray([2, 0]), 1),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, xp.asarray([[2], [0]]), 1),
    "tensordot": lambda xp, x: xp.tensordot(x, x, ([0], [0])),
    "triu": lambda xp, x: xp.triu(x, 1),
    "tril": lambda xp, x: xp.tril(x, -1),
    "around": lambda xp, x: xp.around(x, -1),
    "where": lambda xp, x: xp.stack(xp.where(x > 2)),
    "qr": lambda xp, x: xp.abs(xp.linalg.qr(x, "complete")[1]),
    "svd": lambda xp, x: xp.abs(xp.linalg.svd(x, False)[2]),
    "fft": lambda xp, x: xp.fft.fft(x, 2, 0, "ortho"),
    "fftn": lambda xp, x: xp.fft.fftn(x, (2, 2), (0, 1)),
    "fftfreq": lambda xp, x: xp.fft.fftfreq(4, 0.25) + xp.fft.rfftfreq(6, 0.5),
    "fftshift": lambda xp, x: xp.fft.ifftshift(xp.fft.fftshift(x, 0), 1),
    "softmax": lambda xp, x: np.exp(x) / np.exp(x).sum(0) if xp is np else xp.exp(xp.nn.log_softmax(x, 0)),
    "argsort of an array": lambda xp, x: np.argsort(-x, 1) if xp is np else x.argsort(1, descending=True),
}


@pytest.mark.parametrize("call", CALLS)
def test_options_by_position(backend: str, call: str) -> None:
    x = lw.asarray(X)
    expected = CALLS[call](np, X)
    for _ in range(2):  # the second finds the kernel
        np.testing.assert_allclose(np.asarray(CALLS[call](lw, x)), expected, atol=1e-14)


def test_a_wrong_option_by_position_is_named(backend: str) -> None:
    with pytest.raises(lw.errors.AxisError, match=r"sum: axis 2 is out of bounds for array of shape \(2, 3\)"):
        lw.sum(lw.asarray(X), 2)
    with pytest.raises(ValueError, match=r"max: an axis is given twice"):
        lw.max(lw.asarray(X), (0, 0))
    with pytest.raises(ValueError, match="nonzero: x must have at least one axis"):
        lw.where(lw.asarray(True))


def test_transposes_of_few_axes_and_ranges_as_keys(backend: str) -> None:
    x = lw.asarray(X)
    assert x[0].T.tolist() == X[0].tolist()
    assert x[0, 0].T.shape == ()
    assert x[:, range(2)].tolist() == X[:, range(2)].tolist()
    assert x[range(1, -1, -1)].tolist() == X[range(1, -1, -1)].tolist()
    assert x[range(0)].shape == (0, 3)
    x[range(2), range(2)] = 0.0
    assert x[0, 0] == x[1, 1] == 0.0
