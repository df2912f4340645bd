"""Operands and options by name, as the programs of NumPy and PyTorch give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import few

import latticework as lw
from latticework import nn

X = np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], np.float32)
W = np.array([[1.0, 0.5, 2.0]], np.float32)
PLACES = np.array([[0, 2], [1, 0]])


def image(x: Any) -> Any:
    return lw.reshape(x, (1, 1, 2, 3))


#: name -> the call by position, and by name: the names are those of the functions of NumPy or PyTorch.
CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "linear": (nn.linear, lambda x, w: nn.linear(x, weight=w)),
    "linear with a bias": (lambda x, w: nn.linear(x, w, w[0, :1]), lambda x, w: nn.linear(x, bias=w[0, :1], weight=w)),
    "bilinear": (
        lambda x, w: nn.bilinear(x, x, x[None, 0, :, None] @ w),
        lambda x, w: nn.bilinear(x, x, weight=x[None, 0, :, None] @ w),
    ),
    "conv2d": (
        lambda x, w: nn.conv2d(image(x), w[:, None, None, :], stride=2, padding=1),
        lambda x, w: nn.conv2d(image(x), weight=w[:, None, None, :], stride=2, padding=1),
    ),
    "conv_transpose1d": (
        lambda x, w: nn.conv_transpose1d(x, lw.concat([w[:, None], w[:, None]]), w[0, :1]),
        lambda x, w: nn.conv_transpose1d(x, weight=lw.concat([w[:, None], w[:, None]]), bias=w[0, :1]),
    ),
    "embedding": (
        lambda x, w: nn.embedding(lw.asarray(PLACES) % 2, x),
        lambda x, w: nn.embedding(lw.asarray(PLACES) % 2, weight=x),
    ),
    "prelu": (lambda x, w: nn.prelu(-x, w[0]), lambda x, w: nn.prelu(-x, weight=w[0])),
    "mse_loss": (nn.mse_loss, lambda x, w: nn.mse_loss(x, target=w)),
    "cross_entropy": (
        lambda x, w: nn.cross_entropy(x, lw.asarray([0, 2]), weight=w[0]),
        lambda x, w: nn.cross_entropy(x, target=lw.asarray([0, 2]), weight=w[0]),
    ),
    "triplet_margin_loss": (
        lambda x, w: nn.triplet_margin_loss(x, x + w, x - w),
        lambda x, w: nn.triplet_margin_loss(x, negative=x - w, positive=x + w),
    ),
    "max_pool2d": (lambda x, w: nn.max_pool2d(image(x), 2), lambda x, w: nn.max_pool2d(image(x), kernel_size=2)),
    "one_hot": (
        lambda x, w: nn.one_hot(lw.asarray(PLACES), 3),
        lambda x, w: nn.one_hot(lw.asarray(PLACES), num_classes=3),
    ),
    "take": (
        lambda x, w: lw.take(x, lw.asarray([2, 0]), 1),
        lambda x, w: lw.take(x, indices=lw.asarray([2, 0]), axis=1),
    ),
    "take_along_axis": (
        lambda x, w: lw.take_along_axis(x, lw.asarray(PLACES), 1),
        lambda x, w: lw.take_along_axis(x, indices=lw.asarray(PLACES), axis=1),
    ),
    "repeat": (lambda x, w: lw.repeat(x, 2, 1), lambda x, w: lw.repeat(x, repeats=2, axis=1)),
    "moveaxis": (lambda x, w: lw.moveaxis(x, 0, 1), lambda x, w: lw.moveaxis(x, source=0, destination=1)),
    "swapaxes": (lambda x, w: lw.swapaxes(x, 0, 1), lambda x, w: lw.swapaxes(x, axis1=0, axis2=1)),
    "quantile": (lambda x, w: lw.quantile(x, 0.25, 1), lambda x, w: lw.quantile(x, q=0.25, axis=1)),
    "pad": (lambda x, w: lw.pad(x, 1), lambda x, w: lw.pad(x, pad_width=1)),
    "append": (lambda x, w: lw.append(x, w, 0), lambda x, w: lw.append(x, values=w, axis=0)),
    "lerp": (lambda x, w: lw.lerp(x, w, 0.25), lambda x, w: lw.lerp(x, end=w, weight=0.25)),
    "interp": (
        lambda x, w: lw.interp(w, lw.arange(3.0), x[0]),
        lambda x, w: lw.interp(w, xp=lw.arange(3.0), fp=x[0]),
    ),
    "digitize": (lambda x, w: lw.digitize(x, w[0, 1:]), lambda x, w: lw.digitize(x, bins=w[0, 1:])),
    "linspace": (lambda x, w: lw.linspace(0.0, w, 3), lambda x, w: lw.linspace(start=0.0, stop=w, num=3)),
    "unfold": (lambda x, w: nn.unfold(image(x), 2), lambda x, w: nn.unfold(image(x), kernel_size=2)),
    "grid_sample": (
        lambda x, w: nn.grid_sample(image(x), w[:, None, None, :2] / 2),
        lambda x, w: nn.grid_sample(image(x), grid=w[:, None, None, :2] / 2),
    ),
    "partition": (lambda x, w: lw.partition(x, 1)[:, 1], lambda x, w: lw.partition(x, kth=1)[:, 1]),
    "matrix_power": (
        lambda x, w: lw.linalg.matrix_power(x[:, :2], 3),
        lambda x, w: lw.linalg.matrix_power(x[:, :2], n=3),
    ),
    "lstsq": (lambda x, w: lw.linalg.lstsq(x.T, w[0])[0], lambda x, w: lw.linalg.lstsq(x.T, b=w[0])[0]),
}


def test_arguments_by_name(backend: str) -> None:
    for name in [*CALLS][:12] if few() else CALLS:
        by_position, by_name = CALLS[name]
        x, w = lw.asarray(X), lw.asarray(W)
        expected, found = by_position(x, w), by_name(x, w)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), err_msg=name)


def test_operands_by_name_have_plans_and_promote() -> None:
    x, w = lw.ones((2, 3), dtype="float16"), lw.ones((4, 3))
    assert lw.nn.linear(x, weight=w).dtype is lw.float32
    assert str(lw.plan(nn.linear, x, weight=w)) == str(lw.plan(nn.linear, x, w))
    assert lw.infer(lambda x: nn.linear(x, weight=w), lw.spec((None, 3), "float64")).shape == (None, 4)
    assert nn.linear(np.ones((2, 3)), weight=w).shape == nn.linear(x, weight=np.ones((4, 3))).shape == (2, 4)
    with lw.using(rules="torch"):
        assert nn.linear(w, weight=w).shape == (4, 4)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (nn.linear, "nn.linear: missing a required argument: 'weight'"),
        (lambda x: nn.linear(x, bias=x), "nn.linear: missing a required argument: 'weight'"),
        (lambda x: nn.linear(x, x, weight=x), "nn.linear: multiple values for argument 'weight'"),
        (lambda x: nn.linear(x, weigth=x), "'weigth'; did you mean 'weight'?"),
        (lambda x: nn.linear(x, weight=x[:, :2]), "nn.linear: weight must have as many columns as x has elements"),
        (lambda x: nn.conv1d(x, weight=x), "nn.conv1d: weight must have"),
        (lambda x: lw.lerp(x, weight=0.5), "lerp: missing a required argument: 'end'"),
    ],
)
def test_what_is_wrong_by_name_is_said(call: Callable[..., Any], says: str) -> None:
    for _ in range(2):
        with pytest.raises((TypeError, ValueError)) as raised:
            call(lw.asarray(X))
        assert says in str(raised.value)
