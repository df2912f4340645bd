"""What NumPy's backend computes block by block: at the edges of blocks, in every layout, and without hidden copies."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check, imported, values

import latticework as lw
from latticework import nn
from latticework.backends.numpy.nn import activations, blocks
from latticework.core.registry import OPS

torch, functional = imported("torch"), imported("torch.nn.functional")

FLOATS = [lw.float32, lw.float64, lw.float16, lw.bfloat16]
ELEMENTWISE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "relu": (nn.relu, torch.relu),
    "leaky_relu": (nn.leaky_relu, functional.leaky_relu),
    "leaky_relu steep": (lambda x: nn.leaky_relu(x, 1.5), lambda x: functional.leaky_relu(x, 1.5)),
    "leaky_relu falling": (lambda x: nn.leaky_relu(x, -0.5), lambda x: functional.leaky_relu(x, -0.5)),
    "elu": (nn.elu, functional.elu),
    "elu steep": (lambda x: nn.elu(x, 1.5), lambda x: functional.elu(x, 1.5)),
    "elu flat": (lambda x: nn.elu(x, 0.5), lambda x: functional.elu(x, 0.5)),
    "sigmoid": (nn.sigmoid, torch.sigmoid),
    "silu": (nn.silu, functional.silu),
    "softplus": (nn.softplus, functional.softplus),
    "mish": (nn.mish, functional.mish),
    "hard_silu": (nn.hard_silu, functional.hardswish),
    "gelu": (nn.gelu, functional.gelu),
    "gelu tanh": (lambda x: nn.gelu(x, approximate="tanh"), lambda x: functional.gelu(x, approximate="tanh")),
    "gelu sigmoid": (lambda x: nn.gelu(x, approximate="sigmoid"), lambda x: x * torch.sigmoid(1.702 * x)),
}


@pytest.fixture(autouse=True)
def numpy_backend() -> Any:
    with lw.using(backend="numpy"):
        yield


def layouts(x: np.ndarray) -> list[np.ndarray]:
    """The same numbers as NumPy arrays of several layouts."""
    wide = np.repeat(x, 2, axis=-1)
    return [x, np.asfortranarray(x), wide[..., ::2], np.ascontiguousarray(x[..., ::-1])[..., ::-1]]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_blocks_of_elements(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Around the edge of a block and of few elements, and of several dtypes and layouts."""
    monkeypatch.setattr(blocks, "BLOCK", 16)
    monkeypatch.setattr(activations, "_FEW", 15)
    ours, reference = ELEMENTWISE[name]
    for dtype in FLOATS:
        for shape in [(), (0,), (15,), (16,), (17,), (5, 13), (3, 4, 5)]:
            x = values(dtype, shape, low=-8, high=9)
            want = reference(torch.asarray(x.astype(np.float64))).numpy()
            for a in layouts(x) if shape and dtype is lw.float32 else [x]:
                check(ours(lw.asarray(a, copy=False)), want, dtype, ulps=32, scale=8)


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_special_values(name: str, times: int) -> None:
    """As the composition gives them, of few elements and of more."""
    with np.errstate(all="ignore"):
        x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, -87.0, 88.0, 1e-40] * times, np.float32)
        ours, _ = ELEMENTWISE[name]
        single, double = (np.asarray(ours(lw.asarray(x, dtype=d))) for d in (lw.float32, lw.float64))
        np.testing.assert_allclose(single, double.astype(np.float32), rtol=2e-5, atol=1e-38)
        body = OPS[f"nn.{name.partition(' ')[0]}"].body
        if " " not in name and body is not None:
            np.testing.assert_allclose(single, np.asarray(body(lw.asarray(x))), rtol=2e-5, atol=1e-38)


def test_gelu_is_precise() -> None:
    """Far below 0 too, where the result is a small difference for those who take the error function."""
    from scipy.special import log_ndtr

    x = np.concatenate([np.linspace(-12, 12, 100_001), -np.geomspace(1e-30, 1, 1000)]).astype(np.float32)
    wide = x.astype(np.float64)
    got = np.asarray(nn.gelu(lw.asarray(x)))
    np.testing.assert_allclose(got, wide * np.exp(log_ndtr(wide)), rtol=5e-6)
    np.testing.assert_allclose(got[x > -3], (wide * np.exp(log_ndtr(wide)))[x > -3], rtol=6e-7)


NORMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "softmax": (nn.softmax, lambda x: torch.softmax(x, -1)),
    "softmax, axis 0": (lambda x: nn.softmax(x, axis=0), lambda x: torch.softmax(x, 0)),
    "log_softmax": (nn.log_softmax, lambda x: torch.log_softmax(x, -1)),
    "log_softmax, axis 1": (lambda x: nn.log_softmax(x, axis=1), lambda x: torch.log_softmax(x, 1)),
    "layer_norm": (lambda x: nn.layer_norm(x, x.shape[-1]), lambda x: functional.layer_norm(x, x.shape[-1:])),
    "layer_norm of two": (lambda x: nn.layer_norm(x, x.shape[1:]), lambda x: functional.layer_norm(x, x.shape[1:])),
    "rms_norm": (
        lambda x: nn.rms_norm(x, x.shape[-1], eps=0.5),
        lambda x: functional.rms_norm(x, x.shape[-1:], eps=0.5),
    ),
    "normalize": (nn.normalize, functional.normalize),
    "normalize, axis -1": (lambda x: nn.normalize(x, axis=-1), lambda x: functional.normalize(x, dim=-1)),
    "group_norm": (lambda x: nn.group_norm(x, 2), lambda x: functional.group_norm(x, 2)),
    "instance_norm": (nn.instance_norm, functional.instance_norm),
    "batch_norm": (
        lambda x: nn.batch_norm(x, None, None, training=True)[0],
        lambda x: functional.batch_norm(x, None, None, training=True),
    ),
}


@pytest.mark.parametrize("name", NORMS)
def test_parts_of_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several parts, and of rows longer than a product sums."""
    monkeypatch.setattr(blocks, "BLOCK", 16)
    ours, reference = NORMS[name]
    for dtype, shape in [(lw.float32, (23, 4, 7)), (lw.float64, (23, 4, 7)), (lw.float16, (5, 4, 7))]:
        x = values(dtype, shape)
        want = reference(torch.asarray(x.astype(np.float64))).numpy()
        for a in layouts(x) if dtype is lw.float32 else [x]:
            check(ours(lw.asarray(a, copy=False)), want, dtype, ulps=32, scale=4)
    x = values(lw.float32, (2, 4, 1 << 15), low=100, high=104)
    want = reference(torch.asarray(x.astype(np.float64))).numpy()
    check(ours(lw.asarray(x)), want, lw.float32, ulps=128, scale=4)


def test_softmax_of_large_and_special_numbers() -> None:
    for scale in (1, 59, 61, 1e4):
        x = np.linspace(-scale, scale, 40, dtype=np.float32).reshape(4, 10)
        check(nn.softmax(lw.asarray(x)), torch.softmax(torch.asarray(x.astype(float)), -1).numpy(), lw.float32, ulps=64)
    check(nn.softmax(lw.asarray([[0.0, -lw.inf, 0.0], [lw.nan, 0.0, 1.0]])), [[0.5, 0, 0.5], [np.nan] * 3], lw.float32)


def test_weights_of_norms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 16)
    x = values(lw.float32, (24, 6, 2))
    w, b, mean, var = (values(lw.float32, (6,), seed=i, low=1) for i in range(4))
    t = [torch.asarray(a.astype(np.float64)) for a in (x, w, b, mean, var)]
    a = [*map(lw.asarray, (x, w, b, mean, var))]
    check(nn.group_norm(a[0], 3, a[1], a[2]), functional.group_norm(t[0], 3, t[1], t[2]).numpy(), lw.float32, scale=16)
    want = functional.instance_norm(t[0], None, None, t[1], t[2]).numpy()
    check(nn.instance_norm(a[0], None, None, a[1], a[2]), want, lw.float32, scale=16)
    want = functional.batch_norm(t[0], t[3], t[4], t[1], t[2]).numpy()
    check(nn.batch_norm(a[0], a[3], a[4], a[1], a[2]), want, lw.float32, scale=16)
    last = nn.batch_norm(lw.moveaxis(a[0], 1, -1), a[3], a[4], a[1], None, axis=-1)
    want = functional.batch_norm(t[0], t[3], t[4], t[1]).numpy()
    check(lw.moveaxis(last, -1, 1), want, lw.float32, scale=16)


def test_cosines_of_rows() -> None:
    """By sums of products: of zeros, of what is less than eps, and of great numbers."""
    for dtype in FLOATS[:2]:
        x, y = values(dtype, (6, 40)), values(dtype, (6, 40), low=-1, high=2)
        x[0], y[1], y[2] = 0, 1e-12, np.nan
        x[3] *= 1e16
        want = functional.cosine_similarity(*(torch.asarray(a.astype(np.float64)) for a in (x, y))).numpy()
        check(nn.cosine_similarity(lw.asarray(x), lw.asarray(y)), want, dtype, ulps=16, scale=1)
        check(nn.cosine_similarity(lw.asarray(x.T), lw.asarray(y.T), axis=0), want, dtype, ulps=16, scale=1)


def test_losses_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several parts; where a logit is -inf and its share 0, too."""
    monkeypatch.setattr(blocks, "BLOCK", 16)
    for dtype in (lw.float32, lw.float64):
        x, y = values(dtype, (130, 70)), values(dtype, (130, 70), seed=1)
        numbers = np.random.default_rng(0).integers(0, 70, 130)
        numbers[5] = -100
        tensors = [torch.asarray(a.astype(np.float64)) for a in (x, abs(y))]
        for reduction in ("mean", "sum", "none"):
            want = functional.huber_loss(*tensors, delta=2.5, reduction=reduction).numpy()
            got = nn.huber_loss(lw.asarray(x), lw.asarray(abs(y)), delta=2.5, reduction=reduction)
            check(got, want, dtype, ulps=64, scale=8)
            for target in (numbers, abs(y)):
                of_torch = torch.asarray(target.astype(np.float64) if target is not numbers else target)
                want = functional.cross_entropy(tensors[0], of_torch, reduction=reduction).numpy()
                got = nn.cross_entropy(lw.asarray(x), lw.asarray(target), reduction=reduction)
                check(got, want, dtype, ulps=64, scale=64)
    logits, shares = lw.asarray([[0.0, -lw.inf, 0.0]]), lw.asarray([[0.5, 0.0, 0.5]])
    check(nn.cross_entropy(logits, shares), np.log(2.0), lw.float32)
    check(nn.cross_entropy(logits, lw.asarray([1])), np.inf, lw.float32)
    assert lw.isnan(nn.cross_entropy(logits, lw.asarray([-100])))
    with pytest.raises(IndexError):
        nn.cross_entropy(logits, lw.asarray([3]))


def test_no_hidden_copies() -> None:
    """Besides the result there are a few blocks, whatever the layout."""
    x = values(lw.float32, (2000, 1000))
    few = 8 * 4 * blocks.BLOCK
    calls: list[Callable[..., Any]] = [nn.gelu, nn.sigmoid, nn.mish, nn.softmax, nn.log_softmax, nn.normalize]
    calls += [lambda x: nn.layer_norm(x, 1000), lambda x: nn.group_norm(x, 10)]
    for call in calls:
        a = lw.asarray(x)
        call(a)
        tracemalloc.start()
        result = call(a)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < result.nbytes + few, call
    tracemalloc.start()
    result = nn.gelu(lw.asarray(x.T, copy=False))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < result.nbytes + few


# --- resampling -------------------------------------------------------------------------------------------------------

RESIZED: list[dict[str, Any]] = [
    {"size": 45, "mode": "linear"},
    {"size": 9, "mode": "linear"},
    {"size": 45, "mode": "cubic"},
    {"scale": 1.7, "mode": "linear"},
    {"size": 7, "mode": "linear", "antialias": True},
    {"size": 31, "mode": "linear", "align_corners": True},
    {"size": 40, "mode": "nearest"},
    {"size": 10, "mode": "nearest-exact"},
    {"size": 20, "mode": "gaussian"},
    {"size": 20, "mode": "linear"},
    {"size": 5, "mode": "area"},
    {"size": 8, "mode": "area"},
]


@pytest.mark.parametrize("case", range(len(RESIZED)))
def test_pieces_of_axes(case: int) -> None:
    """As the composition, of extents that are no multiple of a piece. Infinities reach the same elements."""
    options, body = RESIZED[case], OPS["nn.interpolate"].body
    assert body is not None
    for dtype in FLOATS:
        for shape, layout in [((2, 3, 20), None), ((2, 20, 20), "channels_last"), ((2, 2, 20, 20), None)]:
            x = values(dtype, shape)
            want = np.asarray(body(lw.asarray(x, dtype=lw.float64), **options, layout=layout))
            for a in layouts(x) if dtype is lw.float32 else [x]:
                check(nn.interpolate(lw.asarray(a, copy=False), **options, layout=layout), want, dtype, scale=16)
    x = values(lw.float32, (1, 2, 20, 20))
    x[0, 0, 3, 4], x[0, 1, 7, 8] = np.inf, np.nan
    with np.errstate(invalid="ignore"):
        found, want = nn.interpolate(lw.asarray(x), **options), body(lw.asarray(x), **options)
    np.testing.assert_allclose(np.asarray(found), np.asarray(want), rtol=1e-4, atol=1e-5)


def test_interpolation_gives_a_new_array() -> None:
    x = lw.ones((1, 1, 4))
    y = nn.interpolate(x, 4)
    y[0, 0, 0] = 5.0
    assert x[0, 0, 0] == 1


def test_a_product_is_not_written_over_its_factor() -> None:
    """NumPy would compute it into new memory, and copy that."""

    def f(x: lw.Array, w: lw.Array) -> lw.Array:
        return (x @ w) @ w + 1

    x, w = lw.ones((5, 4)), 2 * lw.ones((4, 4))
    graph = lw.trace(f, x, w)
    assert all(node.out is None for node in graph.nodes if node.name == "matmul")
    assert any(node.out is not None for node in graph.nodes)  # the sum is written over the product
    assert graph(x, w).tolist() == f(x, w).tolist()
