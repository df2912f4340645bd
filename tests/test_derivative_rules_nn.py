"""Derivatives that NumPy's backend takes of layers by its own rules: those of PyTorch, at hard points too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework import nn

inf = np.inf


@pytest.fixture(autouse=True)
def on_numpy() -> Iterator[None]:
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        yield


def weights(shape: tuple[int, ...], shift: int = 0) -> np.ndarray:
    return np.asarray(np.cos(np.arange(np.prod(shape, dtype=int)) + shift).reshape(shape))


def check(f: Callable[..., Any], theirs: str, *xs: Any, second: bool = True, rtol: float = 1e-9) -> None:
    """Compare the gradient of a function, its forward derivative and its second one with PyTorch's. `theirs` is an
    expression of x, w and b."""
    torch = pytest.importorskip("torch")
    values = [np.asarray(x, np.float64) for x in xs]
    arrays = [lw.asarray(x) for x in values]
    argnums = tuple(range(len(arrays)))

    def total(*xs: lw.Array) -> Any:
        out = f(*xs)
        return lw.sum(out * lw.asarray(weights(out.shape)))

    gradients = lw.grad(total, argnums)(*arrays)
    tensors = [torch.tensor(x, requires_grad=True) for x in values]
    names = {"torch": torch, "F": torch.nn.functional, **dict(zip("xwb", tensors, strict=False))}
    out = eval(theirs, names)
    expected = torch.autograd.grad((out * torch.tensor(weights(tuple(out.shape)))).sum(), tensors, create_graph=True)
    for g, e in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(np.asarray(g), e.detach().numpy(), rtol=rtol, atol=1e-11)
    along = [weights(x.shape, 3) for x in values]
    slope = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradients, along, strict=True))
    if np.isfinite(slope):
        _, forward = lw.jvp(total, arrays, [lw.asarray(d) for d in along])
        np.testing.assert_allclose(float(forward), slope, rtol=1e-7, atol=1e-9)
    if second:
        reach = lw.grad(
            lambda *xs: sum(
                lw.sum(g * lw.asarray(d)) for g, d in zip(lw.grad(total, argnums)(*xs), along, strict=True)
            ),
            argnums,
        )(*arrays)
        summed = sum((e * torch.tensor(d)).sum() for e, d in zip(expected, along, strict=True))
        beyond = [None] * len(tensors)
        if summed.requires_grad:
            beyond = torch.autograd.grad(summed, tensors, allow_unused=True)
        for g, e, x in zip(reach, beyond, values, strict=True):
            want = np.zeros(x.shape) if e is None else e.numpy()
            np.testing.assert_allclose(np.asarray(g), want, rtol=100 * rtol, atol=1e-9)


# --- activations ------------------------------------------------------------------------------------------------------

POINTS = [-1e4, -50.0, -3.0, -1.0, -0.5, -1e-8, 0.0, 1e-8, 0.3, 1.0, 3.0, 25.0, 50.0, 1e4]
ACTIVATIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "relu": (nn.relu, "F.relu(x)"),
    "leaky_relu": (nn.leaky_relu, "F.leaky_relu(x)"),
    "leaky_relu of a steep slope": (lambda x: nn.leaky_relu(x, 2.0), "F.leaky_relu(x, 2.0)"),
    "elu": (lambda x: nn.elu(x, 2.5), "F.elu(x, 2.5)"),
    "sigmoid": (nn.sigmoid, "torch.sigmoid(x)"),
    "silu": (nn.silu, "F.silu(x)"),
    "mish": (nn.mish, "F.mish(x)"),
    "gelu": (nn.gelu, "F.gelu(x)"),
    "gelu by tanh": (lambda x: nn.gelu(x, approximate="tanh"), "F.gelu(x, approximate='tanh')"),
    "gelu by sigmoid": (lambda x: nn.gelu(x, approximate="sigmoid"), "x * torch.sigmoid(1.702 * x)"),
    "softplus": (nn.softplus, "torch.logaddexp(x, x * 0)"),
    "hard_silu": (nn.hard_silu, "F.hardswish(x)"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    f, theirs = ACTIVATIONS[name]
    points = [x for x in POINTS if abs(x) < 1e3] if name in ("mish", "softplus") else POINTS
    check(f, theirs, points, second=False)
    check(f, theirs, np.random.default_rng(0).normal(size=(40, 3)) * 3)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_of_floats_of_32_bits(name: str) -> None:
    f, x = ACTIVATIONS[name][0], np.random.default_rng(0).normal(size=300) * 3
    found = lw.grad(lambda x: lw.sum(f(x)))(lw.asarray(x.astype("float32")))
    want = lw.grad(lambda x: lw.sum(f(x)))(lw.asarray(x.astype("float32").astype("float64")))
    assert found.dtype is lw.float32
    np.testing.assert_allclose(np.asarray(found), np.asarray(want), rtol=1e-5, atol=1e-6)


def test_the_second_derivative_of_gelu_in_32_bits() -> None:
    x = np.linspace(-3, 3, 101).astype("float32")
    second = lw.grad(lambda x: lw.sum(lw.grad(lambda x: lw.sum(nn.gelu(x)))(x)))(lw.asarray(x))
    wide = x.astype("float64")
    expected = (2 - wide**2) * np.exp(-(wide**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(np.asarray(second), expected, atol=2e-6)


def test_slopes_at_infinities() -> None:
    ends = lw.asarray([-inf, inf], dtype=lw.float64)
    for f in (nn.relu, nn.leaky_relu, nn.hard_silu, nn.mish, nn.softplus):
        found = np.asarray(lw.grad(lambda x, f=f: lw.sum(f(x)))(ends))
        np.testing.assert_allclose(found, [0.01 if f is nn.leaky_relu else 0, 1])


# --- categories and losses --------------------------------------------------------------------------------------------


def logits() -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(5, 7))
    x[0, 2], x[1] = -inf, 1.0
    x[2] *= 300
    return x


@pytest.mark.parametrize("axis", [-1, 0])
def test_softmax(axis: int) -> None:
    check(lambda x: nn.softmax(x, axis=axis), f"F.softmax(x, {axis})", logits())
    check(lambda x: nn.log_softmax(x, axis=axis), f"F.log_softmax(x, {axis})", logits()[1:])


def test_softmax_under_a_mask() -> None:
    x, where = logits()[1:], np.array([True, False, True, True, False, True, True])
    found = lw.grad(lambda x: nn.softmax(x, where=lw.asarray(where))[0, 0])(lw.asarray(x))
    want = lw.grad(lambda x: nn.softmax(x)[0, 0])(lw.asarray(x[:, where]))
    np.testing.assert_allclose(np.asarray(found)[:, where], np.asarray(want), rtol=1e-12)
    assert not np.asarray(found)[:, ~where].any()


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(reduction: Any) -> None:
    numbers, shares = [1, -100, 3, 0, 6], np.random.default_rng(1).dirichlet(np.ones(7), 5)
    check(
        lambda x: nn.cross_entropy(x, lw.asarray(numbers), reduction=reduction),
        f"F.cross_entropy(x, torch.tensor({numbers}), reduction={reduction!r})",
        logits(),
    )
    check(
        lambda x, w: nn.cross_entropy(x, w, reduction=reduction),
        f"F.cross_entropy(x, w, reduction={reduction!r})",
        logits()[1:],
        shares[1:],
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_huber_loss_of_many(reduction: Any) -> None:
    dice = np.random.default_rng(0)
    check(
        lambda x, w: nn.huber_loss(x, w, delta=0.7, reduction=reduction),
        f"F.huber_loss(x, w, delta=0.7, reduction={reduction!r})",
        dice.normal(size=(100, 90)),
        dice.normal(size=(100, 90)),
    )


# --- normalisations ---------------------------------------------------------------------------------------------------


def normalised() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dice = np.random.default_rng(0)
    x = dice.normal(size=(4, 6, 5))
    x[0, 0] = 2.0  # equal ones
    return x, dice.normal(size=6), dice.normal(size=6)


def test_layer_norm() -> None:
    x, w, b = normalised()
    check(lambda x, w, b: nn.layer_norm(x, (5,), w, b), "F.layer_norm(x, (5,), w, b)", x, w[:5], b[:5], rtol=1e-7)
    check(lambda x: nn.layer_norm(x, (6, 5)), "F.layer_norm(x, (6, 5))", x, rtol=1e-7)


def test_batch_norm() -> None:
    x, w, b = normalised()
    in_training = lambda *xs: nn.batch_norm(xs[0], None, None, *xs[1:], training=True)[0]  # noqa: E731
    check(in_training, "F.batch_norm(x, None, None, w, b, training=True)", x, w, b, rtol=1e-7)
    check(in_training, "F.batch_norm(x, None, None, training=True)", x, rtol=1e-7)


def test_the_statistics_of_a_batch_have_derivatives() -> None:
    x, w, _ = normalised()
    check(
        lambda x, w, b: lw.stack([*nn.batch_norm(x, w, b, training=True)[1:]]),
        "torch.stack([0.9 * w + 0.1 * x.mean((0, 2)), 0.9 * b + 0.1 * x.var((0, 2))])",
        x,
        w,
        w**2 + 0.5,
    )


def test_a_batch_of_one_has_derivatives_where_its_variance_is_not_used() -> None:
    """The unbiased variance of one number is nan."""
    x, zeros, ones = lw.asarray([[1.0, 2.0, 3.0]]), lw.zeros(3), lw.ones(3)
    assert lw.grad(lambda x: lw.sum(nn.batch_norm(x, zeros, ones, training=True)[0] * x))(x).tolist() == [[0, 0, 0]]
    assert np.isnan(lw.to_numpy(lw.grad(lambda x: lw.sum(nn.batch_norm(x, zeros, ones, training=True)[2]))(x))).all()


def test_norms_by_running_statistics() -> None:
    x, w, b = normalised()
    mean, var = lw.asarray(b / 2), lw.asarray(w**2 + 0.5)

    def f(x: lw.Array, w: lw.Array, b: lw.Array) -> Any:
        found: Any = nn.batch_norm(x, mean, var, w, b)
        return found[0] if isinstance(found, tuple) else found

    mean_of, var_of = (f"torch.tensor({np.asarray(v).tolist()}, dtype=torch.float64)" for v in (mean, var))
    check(f, f"F.batch_norm(x, {mean_of}, {var_of}, w, b)", x, w, b)


# --- convolutions and pooling -----------------------------------------------------------------------------------------

CONVOLUTIONS: list[dict[str, Any]] = [
    {}, {"stride": 2}, {"padding": 1}, {"stride": (2, 3), "padding": (2, 1), "dilation": (2, 1)}, {"padding": "same"},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
def test_convolutions(options: dict[str, Any]) -> None:
    dice = np.random.default_rng(0)
    x, w, b = dice.normal(size=(3, 4, 9, 8)), dice.normal(size=(6, 4, 3, 2)), dice.normal(size=6)
    check(lambda x, w, b: nn.conv2d(x, w, b, **options), f"F.conv2d(x, w, b, **{options})", x, w, b)
    check(lambda x, w: nn.conv2d(x, w, groups=2, **options), f"F.conv2d(x, w, groups=2, **{options})", x, w[:, :2])
    check(lambda x, w: nn.conv(x, w, **options), f"F.conv2d(x, w, **{options})", x[0], w)
    check(
        lambda x, w, b: nn.conv2d(x, w, b, layout="NHWC", **options),
        f"F.conv2d(x.permute(0, 3, 1, 2), w, b, **{options}).permute(0, 2, 3, 1)",
        np.moveaxis(x, 1, -1),
        w,
        b,
    )


def test_convolutions_along_one_and_three_axes() -> None:
    dice = np.random.default_rng(0)
    check(nn.conv1d, "F.conv1d(x, w)", dice.normal(size=(3, 4, 9)), dice.normal(size=(6, 4, 3)))
    check(
        lambda x, w: nn.conv3d(x, w, stride=2, padding=1),
        "F.conv3d(x, w, stride=2, padding=1)",
        dice.normal(size=(2, 3, 5, 4, 6)),
        dice.normal(size=(2, 3, 2, 3, 2)),
    )
    check(
        lambda x, w: nn.conv_transpose2d(x, w, stride=2, padding=1),
        "F.conv_transpose2d(x, w, stride=2, padding=1)",
        dice.normal(size=(2, 3, 4, 5)),
        dice.normal(size=(3, 2, 3, 2)),
    )


def test_a_convolution_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of many samples are not together in memory."""
    from latticework.derivatives import convolution

    dice = np.random.default_rng(0)
    x, w = (lw.asarray(dice.normal(size=shape)) for shape in ((5, 2, 7), (3, 2, 2)))
    slope = lw.grad(lambda x, w: lw.sum(nn.conv1d(x, w) ** 2), (0, 1))
    whole = slope(x, w)
    monkeypatch.setattr(convolution, "_MOST", 50)
    for found, want in zip(slope(x, w), whole, strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(want), rtol=1e-12)


def test_a_convolution_of_complex_numbers() -> None:
    dice = np.random.default_rng(0)
    x, w, dx, dw = (dice.normal(size=s) + 1j * dice.normal(size=s) for s in ((2, 2, 6), (3, 2, 2)) * 2)

    def f(x: lw.Array, w: lw.Array) -> lw.Array:
        return lw.sum(lw.abs(nn.conv1d(x, w, stride=2, padding=1)) ** 2)

    gradients = lw.grad(f, (0, 1))(lw.asarray(x), lw.asarray(w))
    h = 1e-6
    ends = [float(f(lw.asarray(x + s * h * dx), lw.asarray(w + s * h * dw))) for s in (1, -1)]
    found = sum(np.sum((np.conj(np.asarray(g)) * d).real) for g, d in zip(gradients, (dx, dw), strict=True))
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


POOLS: list[dict[str, Any]] = [
    {}, {"stride": 1}, {"stride": 2, "padding": 1}, {"ceil_mode": True, "stride": 2},
]  # fmt: skip


@pytest.mark.parametrize("options", POOLS, ids=str)
def test_pooling(options: dict[str, Any]) -> None:
    dice = np.random.default_rng(0)
    x, ties = dice.normal(size=(2, 3, 9, 8)), dice.integers(0, 3, (2, 3, 9, 8))
    for values in (x, ties):  # the first of equal ones, as PyTorch has it
        check(lambda x: nn.max_pool2d(x, 3, **options), f"F.max_pool2d(x, 3, **{options})", values)
    for counted in (True, False):
        check(
            lambda x, counted=counted: nn.avg_pool2d(x, 3, count_include_pad=counted, **options),
            f"F.avg_pool2d(x, 3, count_include_pad={counted}, **{options})",
            x,
        )


def test_pooling_along_one_and_three_axes() -> None:
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 5, 4, 6))
    check(lambda x: nn.max_pool1d(x, 2), "F.max_pool1d(x, 2)", x[0, 0])
    check(lambda x: nn.avg_pool1d(x, 2), "F.avg_pool1d(x, 2)", x[0, 0])
    check(lambda x: nn.max_pool3d(x, 2), "F.max_pool3d(x, 2)", x)
    check(lambda x: nn.avg_pool3d(x, 2, padding=1), "F.avg_pool3d(x, 2, padding=1)", x)
    check(lambda x: nn.max_pool2d(x, 2, dilation=2), "F.max_pool2d(x, 2, dilation=2)", x[0])


# --- along an axis ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
def test_running_extremes_and_sums(axis: int) -> None:
    x = np.random.default_rng(0).integers(0, 3, (6, 8))
    check(lambda x: lw.cummax(x, axis=axis), f"torch.cummax(x, {axis})[0]", x)  # the last of equal ones
    check(lambda x: lw.cummin(x, axis=axis), f"torch.cummin(x, {axis})[0]", x)
    check(lambda x: lw.logcumsumexp(x, axis=axis), f"torch.logcumsumexp(x, {axis})", x * 200.0, rtol=1e-8)


def test_running_sums_from_minus_infinity() -> None:
    check(lw.logcumsumexp, "torch.logcumsumexp(x, 0)", [-1e4, 3.0, -inf, 800.0, 801.0], second=False)
    first = lw.grad(lambda x: lw.sum(lw.logcumsumexp(x)[:2]))(lw.asarray([-inf, 1.0], dtype=lw.float64))
    assert first.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(9, 4), (4, 9), (5, 5), (8, 3), (1, 4)])
def test_convolutions_of_sequences(n: int, m: int, mode: Any) -> None:
    dice = np.random.default_rng(0)
    x, y, g = dice.normal(size=n), dice.normal(size=m), weights(np.convolve(np.ones(n), np.ones(m), mode).shape)
    found = lw.grad(lambda x, y: lw.sum(lw.convolve(x, y, mode=mode) * lw.asarray(g)), (0, 1))(
        lw.asarray(x), lw.asarray(y)
    )
    by_x = [np.convolve(e, y, mode) @ g for e in np.eye(n)]
    by_y = [np.convolve(x, e, mode) @ g for e in np.eye(m)]
    np.testing.assert_allclose(np.asarray(found[0]), by_x, atol=1e-12)
    np.testing.assert_allclose(np.asarray(found[1]), by_y, atol=1e-12)


# --- dtypes -----------------------------------------------------------------------------------------------------------

OF_16_BITS: dict[str, Callable[[lw.Array], Any]] = {
    "relu": nn.relu,
    "gelu": nn.gelu,
    "silu": nn.silu,
    "softmax": nn.softmax,
    "layer_norm": lambda x: nn.layer_norm(x, (8,)),
    "avg_pool1d": lambda x: nn.avg_pool1d(x, 2),
    "max_pool1d": lambda x: nn.max_pool1d(x, 2),
    "conv1d": lambda x: nn.conv1d(x, x[:, :, :2] * 1),
    "cummax": lambda x: lw.cummax(x, axis=-1),
    "logcumsumexp": lambda x: lw.logcumsumexp(x, axis=-1),
}


@pytest.mark.parametrize("dtype", [lw.float16, lw.bfloat16])
@pytest.mark.parametrize("name", OF_16_BITS)
def test_floats_of_16_bits_keep_their_dtype(name: str, dtype: lw.Dtype) -> None:
    f, x = OF_16_BITS[name], lw.asarray(np.random.default_rng(0).normal(size=(2, 3, 8)), dtype=dtype)
    slope = lw.grad(lambda x: lw.sum(f(x) * f(x)))
    found, want = slope(x), np.asarray(slope(lw.astype(x, lw.float64)))
    assert found.dtype is dtype
    np.testing.assert_allclose(
        np.asarray(lw.astype(found, lw.float64)),
        want,
        atol=32 * float(lw.finfo(dtype).eps) * max(1, np.abs(want).max()),
    )
