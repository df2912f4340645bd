"""Functions of neural networks, against PyTorch's in double precision, and JAX's where PyTorch has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import LINE, crossed, due
from support import check as check_values
from support import dtypes, imported, values, wide

import latticework as lw
from latticework import nn
from latticework.backend.deviations import Deviation, deviations
from latticework.core.dtypes import CATEGORIES
from latticework.core.registry import OPS
from latticework.words import WORDS

torch, functional = imported("torch"), imported("torch.nn.functional")

Reference = Callable[..., Any]
FLOATS = dtypes("real floating")


def tensor(x: Any) -> torch.Tensor:
    """A tensor in double precision of floats, and of integers and bools as they are."""
    x = np.asarray(x)
    return torch.asarray(x.astype(np.float64) if x.dtype.kind not in "biu" else x)


def check(result: Any, expected: Any, dtype: lw.Dtype, **bounds: Any) -> None:
    """As `support.check`; what is expected may be a tensor."""
    check_values(result, expected.numpy() if isinstance(expected, torch.Tensor) else expected, dtype, **bounds)


def ours(x: Any) -> Any:
    return None if x is None else lw.asarray(x)


# --- activations ----------------------------------------------------------------------------------------------------

#: A reference, and where the arguments lie.
ACTIVATIONS: dict[str, tuple[Reference, float, float]] = {
    "relu": (torch.relu, -9, 9), "relu6": (functional.relu6, -9, 9), "leaky_relu": (functional.leaky_relu, -9, 9),
    "elu": (functional.elu, -6, 6), "selu": (torch.selu, -6, 6), "celu": (torch.celu, -6, 6),
    "gelu": (functional.gelu, -3, 9), "silu": (functional.silu, -6, 9), "mish": (functional.mish, -6, 9),
    "sigmoid": (torch.sigmoid, -9, 9), "log_sigmoid": (functional.logsigmoid, -9, 9),
    "hard_sigmoid": (lambda x: functional.relu6(x + 3) / 6, -5, 5), "hard_silu": (functional.hardswish, -5, 5),
    "hard_tanh": (functional.hardtanh, -3, 3), "hard_shrink": (functional.hardshrink, -2, 2),
    "soft_shrink": (functional.softshrink, -2, 2), "softplus": (functional.softplus, -9, 19),
    "softsign": (functional.softsign, -9, 9), "tanh_shrink": (functional.tanhshrink, -6, 6),
    "squareplus": (lambda x: (x + torch.sqrt(x * x + 4)) / 2, -2, 9),
}  # fmt: skip
#: Other options: name -> options, reference.
WITH_OPTIONS: list[tuple[str, dict[str, Any], Reference]] = [
    ("leaky_relu", {"negative_slope": 0.25}, lambda x: functional.leaky_relu(x, 0.25)),
    ("elu", {"alpha": 0.5}, lambda x: functional.elu(x, 0.5)),
    ("celu", {"alpha": 2.0}, lambda x: functional.celu(x, 2.0)),
    ("gelu", {"approximate": "tanh"}, lambda x: functional.gelu(x, approximate="tanh")),
    ("gelu", {"approximate": True}, lambda x: functional.gelu(x, approximate="tanh")),
    ("gelu", {"approximate": "sigmoid"}, lambda x: x * torch.sigmoid(1.702 * x)),
    ("hard_tanh", {"min": -0.5, "max": 2.0}, lambda x: functional.hardtanh(x, -0.5, 2.0)),
    ("hard_shrink", {"threshold": 1.0}, lambda x: functional.hardshrink(x, 1.0)),
    ("soft_shrink", {"threshold": 1.0}, lambda x: functional.softshrink(x, 1.0)),
    ("softplus", {"beta": 2.0}, lambda x: functional.softplus(x, 2.0)),
    ("softplus", {"threshold": 1.0}, lambda x: functional.softplus(x, threshold=1.0)),
    ("softplus", {"beta": 0.5, "threshold": 1.0}, lambda x: functional.softplus(x, 0.5, 1.0)),
    ("squareplus", {"b": 1.0}, lambda x: (x + torch.sqrt(x * x + 1)) / 2),
]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(backend: str, name: str) -> None:
    reference, low, high = ACTIVATIONS[name]
    f = getattr(nn, name)
    for shape, dtype in crossed([LINE, (3, 4), (0,), ()], FLOATS, f"nn.{name}"):
        x = values(dtype, shape, low=low, high=high)
        check(f(lw.asarray(x)), reference(tensor(x)), dtype, ulps=16, scale=1)
    kept = name in ("relu", "relu6")
    check(f(lw.asarray([-1, 2], dtype=lw.int16)), reference(tensor([-1.0, 2.0])), lw.int16 if kept else lw.float32)


def test_options_of_activations(backend: str) -> None:
    for name, options, reference in WITH_OPTIONS:
        for _, dtype in crossed([options], FLOATS, f"nn.{name}", first=False):
            x = values(dtype, (12,), low=-3, high=3)
            check(getattr(nn, name)(lw.asarray(x), **options), reference(tensor(x)), dtype, ulps=16, scale=1)
    x = values(lw.float32, (2, 4, 3))
    check(nn.threshold(lw.asarray(x), 0.5, -2.0), functional.threshold(tensor(x), 0.5, -2.0), lw.float32)
    check(nn.glu(lw.asarray(x), axis=1), functional.glu(tensor(x), 1), lw.float32)
    for weight in ([0.25], [0.5, 0.25, 2.0, 1.0]):
        result = nn.prelu(lw.asarray(x), lw.asarray(weight))
        check(result, functional.prelu(tensor(x), tensor(weight)), lw.float32)
    last = nn.prelu(lw.asarray(x), lw.asarray([0.5, 0.25, 2.0]), axis=-1)
    check(last, np.where(x < 0, x * [0.5, 0.25, 2.0], x), lw.float32)
    check(nn.prelu(lw.asarray(-4.0), lw.asarray([0.5])), -2.0, lw.float32)
    edges = np.array([0.0, -0.0, np.nan, np.inf], np.float32)
    for slope in (np.inf, -1.0, np.nan):  # at 0 it is the slope times 0, as PyTorch has it
        weight = np.array([slope], np.float32)
        found = nn.prelu(lw.asarray(edges), lw.asarray(weight))
        check(found, functional.prelu(tensor(edges), tensor(weight)), lw.float32)
    slopes = [0.5, 0.25, 2.0]  # as many as along the last axis, and not along axis 1: NumPy's rules
    check(nn.prelu(lw.asarray(x), lw.asarray(slopes)), np.where(x < 0, x * slopes, x), lw.float32)
    check(nn.prelu(lw.asarray([-1.0, -2.0, 3.0]), lw.asarray(slopes)), [-0.5, -0.5, 3.0], lw.float32)
    cube = values(lw.float32, (2, 3, 3))  # as many along both: PyTorch's channels
    check(nn.prelu(lw.asarray(cube), lw.asarray(slopes)), functional.prelu(tensor(cube), tensor(slopes)), lw.float32)
    with pytest.raises(ValueError, match=r"nn\.prelu: weight must have one slope or .* along axis 1, 4; got"):
        nn.prelu(lw.asarray(x), lw.asarray(slopes), axis=1)


def test_activations_of_special_values(backend: str) -> None:
    x = lw.asarray([-lw.inf, -200.0, 200.0, lw.inf])
    for name, expected in {
        "relu": [0, 0, 200, np.inf], "relu6": [0, 0, 6, 6], "elu": [-1, -1, 200, np.inf], "sigmoid": [0, 0, 1, 1],
        "log_sigmoid": [-np.inf, -200, 0, 0], "softplus": [0, 0, 200, np.inf], "hard_sigmoid": [0, 0, 1, 1],
        "hard_tanh": [-1, -1, 1, 1], "soft_shrink": [-np.inf, -199.5, 199.5, np.inf],
        "leaky_relu": [-np.inf, -2, 200, np.inf],
    }.items():  # fmt: skip
        check(getattr(nn, name)(x), expected, lw.float32)
    if backend != "torch":  # whose kernel of many elements gives nan
        check(nn.gelu(lw.asarray([0.0, 200.0, lw.inf])), [0, 200, np.inf], lw.float32)
    nan = lw.asarray([lw.nan])
    for name in ACTIVATIONS:
        check(getattr(nn, name)(nan), [np.nan], lw.float32)


def test_the_error_function_where_a_framework_has_none() -> None:
    """The composition, which NumPy's backend needs without SciPy."""
    x = np.linspace(-7, 7, 1001)
    composed = OPS["nn._erf"].body
    assert composed is not None
    check(composed(lw.asarray(x)), torch.erf(tensor(x)), lw.float64)
    for dtype in (lw.float16, lw.bfloat16):
        narrow = lw.asarray(x, dtype=dtype)
        check(composed(narrow), torch.erf(tensor(np.asarray(narrow, np.float64))), dtype)


# --- categories -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(backend: str, name: str) -> None:
    f, reference = getattr(nn, name), getattr(torch, name)
    for shape, dtype in crossed([(3, 4), (2, 0), (2, 3, 4)], FLOATS, f"nn.{name}"):
        x = values(dtype, shape)
        check(f(lw.asarray(x)), reference(tensor(x), -1), dtype, ulps=8, scale=8)
    x = values(lw.float32, (2, 3, 4))
    check(f(lw.asarray(x), axis=1), reference(tensor(x), 1), lw.float32, scale=8)
    both = reference(tensor(x).reshape(2, 12), -1).reshape(2, 3, 4)
    check(f(lw.asarray(x), axis=(1, 2)), both, lw.float32, scale=8)
    check(f(lw.asarray([1000.0, 0.0, -lw.inf])), reference(tensor([1000.0, 0.0, -np.inf]), -1), lw.float32)
    where = np.array([[True, False, True, True], [True, True, False, True], [False] * 4])
    masked = torch.where(torch.asarray(where), tensor(x), -torch.inf)
    nothing = 0.0 if name == "softmax" else -np.inf
    expected = reference(masked, -1).nan_to_num(nan=nothing, neginf=-np.inf)
    check(f(lw.asarray(x), where=lw.asarray(where)), expected, lw.float32, scale=8)


def test_sparsemax(backend: str) -> None:
    for dtype in due(FLOATS, "nn.sparsemax"):
        x = values(dtype, (5, 4), low=-1, high=1)
        result = nn.sparsemax(lw.asarray(x), axis=0)
        expected = np.stack([nearest_distribution(column.astype(np.float64)) for column in x.T], axis=1)
        check(result, expected, dtype, ulps=8, scale=1)


def nearest_distribution(x: np.ndarray) -> np.ndarray:
    """By bisection of the threshold that is subtracted."""
    low, high = x.min() - 1, x.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(x - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(x - low, 0)


def test_numbers_of_categories(backend: str) -> None:
    for dtype in due(dtypes("integral"), "nn.one_hot"):
        x = values(dtype, (3, 2), low=0, high=4)
        expected = np.eye(6)[x.astype(np.int64)][..., :5]
        check(lw.one_hot(lw.asarray(x), 5), expected, lw.float32)
    x = np.array([[0, 2], [1, 1]])
    check(nn.one_hot(lw.asarray(x), 3, axis=0, dtype=lw.int8), np.moveaxis(np.eye(3)[x], -1, 0), lw.int8)
    check(nn.one_hot(lw.asarray([-1, 3]), 3), np.zeros((2, 3)), lw.float32)
    for dtype in (lw.bool, lw.uint16, lw.bfloat16, lw.complex64, lw.float8_e4m3fn):
        x = np.array([[0, 2, 5], [1, -1, 2**40]])
        expected = x[:, None] == np.arange(3)[:, None]
        plain = lw.float32 if dtype.storage else dtype
        check(lw.astype(nn.one_hot(lw.asarray(x), 3, axis=1, dtype=dtype), plain), expected, plain)
        check(lw.astype(nn.one_hot(lw.asarray(x % 3), 3, axis=-1, dtype=dtype), plain), np.eye(3)[x % 3], plain)
    assert nn.one_hot(lw.asarray([1, 2]), 0).shape == (2, 0)
    assert nn.one_hot(lw.zeros(0, dtype=lw.int32), 3).shape == (0, 3)
    x = np.array([[0, 2], [1, 1]])
    check(nn.multi_hot(lw.asarray(x), 3), [[1, 0, 1], [0, 1, 0]], lw.float32)
    check(nn.multi_hot(lw.asarray(x), 3, axis=0), np.array([[1, 0], [1, 1], [0, 1]]), lw.float32)
    with pytest.raises(TypeError, match="one_hot: takes integers.*float32"):
        lw.one_hot(lw.asarray([1.0]), 2)
    with pytest.raises(ValueError, match="num_classes must not be negative; got -1"):
        lw.one_hot(lw.asarray([1]), -1)


# --- norms, layers and losses ---------------------------------------------------------------------------------------


def numbers(*shape: int, low: float = -4, high: float = 4, seed: int = 0) -> tuple[Any, ...]:
    """What operands of a case are made of: a shape and a range."""
    return shape, low, high, seed


P, V = {"low": 0.125, "high": 0.875}, {"low": 0.5, "high": 4}
#: A name for the case, the arrays, how it is called with the namespace, and the reference. Arrays of integers and bools
#: are as they are, others are made in each dtype.
CASES: dict[str, tuple[str, tuple[Any, ...], Reference, Reference]] = {
    "layer_norm": (
        "layer_norm",
        (numbers(5, 4), numbers(4, seed=1), numbers(4, seed=2)),
        lambda x, w, b: nn.layer_norm(x, 4, w, b),
        lambda x, w, b: functional.layer_norm(x, (4,), w, b),
    ),
    "layer_norm plain": (
        "layer_norm",
        (numbers(2, 3, 4),),
        lambda x: nn.layer_norm(x, [3, 4], eps=0.5),
        lambda x: functional.layer_norm(x, (3, 4), eps=0.5),
    ),
    "rms_norm": (
        "rms_norm",
        (numbers(5, 4), numbers(4, seed=1)),
        lambda x, w: nn.rms_norm(x, 4, w, 1e-3),
        lambda x, w: functional.rms_norm(x, (4,), w, 1e-3),
    ),
    "group_norm": (
        "group_norm",
        (numbers(3, 4, 5), numbers(4, seed=1), numbers(4, seed=2)),
        lambda x, w, b: nn.group_norm(x, 2, w, b),
        lambda x, w, b: functional.group_norm(x, 2, w, b),
    ),
    "instance_norm": (
        "instance_norm",
        (numbers(3, 4, 5), numbers(4, seed=1)),
        lambda x, w: nn.instance_norm(x, weight=w),
        lambda x, w: functional.instance_norm(x, weight=w),
    ),
    "instance_norm running": (
        "instance_norm",
        (numbers(3, 4, 5), numbers(4, seed=1), numbers(4, **V)),
        nn.instance_norm,
        lambda x, m, v: functional.instance_norm(x, m, v, use_input_stats=False),
    ),
    "batch_norm": (
        "_by_statistics",
        (numbers(3, 4, 5), numbers(4), numbers(4, **V), numbers(4, seed=2), numbers(4, seed=3)),
        nn.batch_norm,
        functional.batch_norm,
    ),
    "local_response_norm": (
        "local_response_norm",
        (numbers(3, 4, 5),),
        lambda x: nn.local_response_norm(x, 3, 0.5, 0.5, 2.0),
        lambda x: functional.local_response_norm(x, 3, 0.5, 0.5, 2.0),
    ),
    "normalize": ("normalize", (numbers(3, 4),), nn.normalize, functional.normalize),
    "normalize 3": (
        "normalize",
        (numbers(3, 4),),
        lambda x: nn.normalize(x, p=3, axis=(0, 1)),
        lambda x: functional.normalize(x.reshape(12), 3, 0).reshape(3, 4),
    ),
    "standardize": (
        "standardize",
        (numbers(3, 4),),
        nn.standardize,
        lambda x: functional.layer_norm(x, (4,)),
    ),
    "linear": ("linear", (numbers(2, 3, 4), numbers(5, 4, seed=1), numbers(5, seed=2)), nn.linear, functional.linear),
    "linear vector": ("linear", (numbers(3, 4), numbers(4, seed=1)), nn.linear, functional.linear),
    "linear scalar": (
        "linear",
        (numbers(3, 4), numbers(4, seed=1), numbers()),
        nn.linear,
        lambda x, w, b: functional.linear(x, w) + b,
    ),
    "bilinear": (
        "bilinear",
        (numbers(3, 4), numbers(3, 2, seed=1), numbers(5, 4, 2, seed=2), numbers(5, seed=3)),
        nn.bilinear,
        functional.bilinear,
    ),
    "embedding": (
        "embedding",
        (np.array([[0, 2], [1, 1]]), numbers(3, 4)),
        lambda i, w: nn.embedding(i, w, padding_idx=1),
        lambda i, w: functional.embedding(i, w, 1),
    ),
    "lstm_cell": (
        "_lstm_cell",
        (numbers(3, 4, **P), numbers(3, 2), numbers(3, 2, seed=1), numbers(8, 4, **P), numbers(8, 2, **P), numbers(8)),
        lambda x, h, c, wi, wh, b: nn.lstm_cell(x, (h, c), wi, wh, b, b)[0],
        lambda x, h, c, wi, wh, b: torch.lstm_cell(x, (h, c), wi, wh, b, b)[0],
    ),
    "gru_cell": (
        "gru_cell",
        (numbers(3, 4, **P), numbers(3, 2), numbers(6, 4, **P), numbers(6, 2, **P), numbers(6)),
        lambda x, h, wi, wh, b: nn.gru_cell(x, h, wi, wh, b, b),
        lambda x, h, wi, wh, b: torch.gru_cell(x, h, wi, wh, b, b),
    ),
    "mse_loss": ("mse_loss", (numbers(3, 4), numbers(3, 4, seed=1)), nn.mse_loss, functional.mse_loss),
    "mse_loss weighted": (
        "mse_loss",
        (numbers(3, 4), numbers(3, 4, seed=1), numbers(3, 4, **V)),
        lambda x, t, w: nn.mse_loss(x, t, weight=w),
        lambda x, t, w: functional.mse_loss(x, t, weight=w),
    ),
    "l1_loss": ("l1_loss", (numbers(3, 4), numbers(3, 4, seed=1)), nn.l1_loss, functional.l1_loss),
    "huber_loss": (
        "huber_loss",
        (numbers(3, 4), numbers(3, 4, seed=1)),
        lambda x, t: nn.huber_loss(x, t, delta=2.0),
        lambda x, t: functional.huber_loss(x, t, delta=2.0),
    ),
    "smooth_l1_loss": (
        "smooth_l1_loss",
        (numbers(3, 4), numbers(3, 4, seed=1)),
        lambda x, t: nn.smooth_l1_loss(x, t, beta=2.0),
        lambda x, t: functional.smooth_l1_loss(x, t, beta=2.0),
    ),
    "binary_cross_entropy": (
        "binary_cross_entropy",
        (numbers(3, 4, **P), numbers(3, 4, low=0, high=1), numbers(4, **V)),
        lambda p, t, w: nn.binary_cross_entropy(p, t, weight=w),
        functional.binary_cross_entropy,
    ),
    "binary_cross_entropy_with_logits": (
        "binary_cross_entropy_with_logits",
        (numbers(3, 4), numbers(3, 4, low=0, high=1), numbers(4, **V)),
        lambda x, t, w: nn.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=w),
        lambda x, t, w: functional.binary_cross_entropy_with_logits(x, t, w, pos_weight=w),
    ),
    "poisson_nll_loss": (
        "poisson_nll_loss",
        (numbers(3, 4, low=-2, high=2), numbers(3, 4, low=0)),
        lambda x, t: nn.poisson_nll_loss(x, t, full=True),
        lambda x, t: functional.poisson_nll_loss(x, t, full=True),
    ),
    "poisson_nll_loss counts": (
        "poisson_nll_loss",
        (numbers(3, 4, **V), numbers(3, 4, low=0)),
        lambda x, t: nn.poisson_nll_loss(x, t, log_input=False),
        lambda x, t: functional.poisson_nll_loss(x, t, log_input=False),
    ),
    "gaussian_nll_loss": (
        "gaussian_nll_loss",
        (numbers(3, 4), numbers(3, 4, seed=1), numbers(3, 4, **V)),
        lambda x, t, v: nn.gaussian_nll_loss(x, t, v, full=True),
        lambda x, t, v: functional.gaussian_nll_loss(x, t, v, full=True),
    ),
    "kl_div": (
        "kl_div",
        (numbers(3, 4, low=-4, high=-0.5), numbers(3, 4, low=0, high=1)),
        lambda p, t: nn.kl_div(p, t, reduction="batchmean"),
        lambda p, t: functional.kl_div(p, t, reduction="batchmean"),
    ),
    "kl_div log_target": (
        "kl_div",
        (numbers(3, 4, low=-4, high=-0.5), numbers(3, 4, low=-2, high=0)),
        lambda p, t: nn.kl_div(p, t, log_target=True, reduction="none"),
        lambda p, t: functional.kl_div(p, t, log_target=True, reduction="none"),
    ),
    "hinge_embedding_loss": (
        "hinge_embedding_loss",
        (numbers(4, **V), np.array([1.0, -1.0, 0.0, 0.5])),
        lambda x, t: nn.hinge_embedding_loss(x, t, margin=2.03),
        lambda x, t: functional.hinge_embedding_loss(x, t, 2.03),
    ),
    "margin_ranking_loss": (
        "margin_ranking_loss",
        (numbers(4), numbers(4, seed=1), np.array([1.0, -1.0, 1.0, -1.0])),
        lambda a, b, t: nn.margin_ranking_loss(a, b, t, margin=0.53),
        lambda a, b, t: functional.margin_ranking_loss(a, b, t, 0.53),
    ),
    "triplet_margin_loss": (
        "triplet_margin_loss",
        (numbers(3, 4), numbers(3, 4, seed=1), numbers(3, 4, seed=2)),
        lambda a, p, n: nn.triplet_margin_loss(a, p, n, swap=True),
        lambda a, p, n: functional.triplet_margin_loss(a, p, n, swap=True),
    ),
    "pairwise_distance": (
        "pairwise_distance",
        (numbers(3, 4), numbers(3, 4, seed=1)),
        lambda a, b: nn.pairwise_distance(a, b, 3.0),
        lambda a, b: functional.pairwise_distance(a, b, 3.0),
    ),
    "cosine_similarity": (
        "cosine_similarity",
        (numbers(3, 4), numbers(3, 4, seed=1)),
        nn.cosine_similarity,
        functional.cosine_similarity,
    ),
    "cosine_embedding_loss": (
        "cosine_embedding_loss",
        (numbers(4, 4), numbers(4, 4, seed=1), np.array([1.0, -1.0, -1.0, 0.5])),
        lambda a, b, t: nn.cosine_embedding_loss(a, b, t, margin=0.25),
        lambda a, b, t: functional.cosine_embedding_loss(a, b, t, 0.25),
    ),
    "nll_loss": (
        "nll_loss",
        (numbers(3, 4), np.array([1, -100, 3]), numbers(4, **V)),
        lambda x, t, w: nn.nll_loss(x, t, weight=w),
        functional.nll_loss,
    ),
    "cross_entropy": (
        "cross_entropy",
        (numbers(3, 4), np.array([1, 2, 3]), numbers(4, **V)),
        lambda x, t, w: nn.cross_entropy(x, t, weight=w, ignore_index=2, label_smoothing=0.25),
        lambda x, t, w: functional.cross_entropy(x, t, w, ignore_index=2, label_smoothing=0.25),
    ),
    "cross_entropy of pixels": (
        "cross_entropy",
        (numbers(2, 4, 3), np.array([[0, 1, 2], [3, 3, -100]])),
        lambda x, t: nn.cross_entropy(x, t, reduction="none"),
        lambda x, t: functional.cross_entropy(x, t, reduction="none"),
    ),
    "cross_entropy along the last axis": (
        "cross_entropy",
        (numbers(2, 3, 4), np.array([[0, 1, 2], [3, 3, 0]])),
        lambda x, t: nn.cross_entropy(x, t, axis=-1),
        lambda x, t: functional.cross_entropy(x.swapaxes(1, 2), t),
    ),
    "cross_entropy of one": ("cross_entropy", (numbers(4), np.array(2)), nn.cross_entropy, functional.cross_entropy),
    "cross_entropy of probabilities": (
        "cross_entropy",
        (numbers(3, 4), numbers(3, 4, low=0, high=1), numbers(4, **V)),
        lambda x, t, w: nn.cross_entropy(x, t, weight=w, label_smoothing=0.25),
        lambda x, t, w: functional.cross_entropy(x, t, w, label_smoothing=0.25),
    ),
}


def arrays_of(operands: tuple[Any, ...], dtype: lw.Dtype) -> list[np.ndarray]:
    """The arrays of a case in a dtype."""
    made = []
    for x in operands:
        if isinstance(x, np.ndarray):
            made.append(x if x.dtype.kind in "biu" else x.astype(values(dtype, ()).dtype))
        else:
            shape, low, high, seed = x
            made.append(values(dtype, shape, low=low, high=high, seed=seed))
    return made


@pytest.mark.parametrize("case", CASES)
def test_layers_norms_and_losses(backend: str, case: str) -> None:
    name, operands, call, reference = CASES[case]
    for _, dtype in crossed([case], FLOATS, f"nn.{name}", first=case == name):
        arrays = arrays_of(operands, dtype)
        check(call(*map(ours, arrays)), reference(*map(tensor, arrays)), dtype, ulps=32, scale=4)


@pytest.mark.parametrize("name", [n for n in OPS if n.startswith("nn.") and n.endswith("_loss") and n != "nn.ctc_loss"])
def test_reductions(backend: str, name: str) -> None:
    short = name.removeprefix("nn.")
    _, operands, _, _ = CASES[short]
    arrays = [lw.asarray(x) for x in arrays_of(operands, lw.float64)][: len(OPS[name].operands)]
    f = getattr(nn, short)
    each = f(*arrays, reduction="none")
    check(f(*arrays, reduction="sum"), lw.sum(each).compute() if backend == "dask" else lw.sum(each), lw.float64)
    with pytest.raises(ValueError, match=f"{name}: reduction is 'mean' or 'sum' or 'none'.*; got 'average'"):
        f(*arrays, reduction="average")


# --- norms by batch -------------------------------------------------------------------------------------------------


def test_running_statistics_are_returned(backend: str) -> None:
    arrays = arrays_of(
        (numbers(3, 4, 5), numbers(4), numbers(4, **V), numbers(4, seed=2), numbers(4, seed=3)), lw.float64
    )
    x, mean, var, weight, bias = map(tensor, arrays)
    expected = functional.batch_norm(
        x, mean, var, weight, bias, training=True, momentum=0.25
    )  # writes into mean and var
    given = [*map(lw.asarray, arrays)]
    y, new_mean, new_var = nn.batch_norm(*given, training=True, momentum=0.25)
    check(y, expected, lw.float64, ulps=32, scale=4)
    check(new_mean, mean, lw.float64, ulps=8)
    check(new_var, var, lw.float64, ulps=8)
    check(given[1], arrays[1], lw.float64)
    biased = np.var(arrays[0], axis=(0, 2))
    last = lw.moveaxis(given[0], 1, -1)
    y, _, new_var = nn.batch_norm(last, *given[1:], training=True, momentum=0.25, correction=0, axis=-1)
    check(y, np.moveaxis(expected.numpy(), 1, -1), lw.float64, ulps=32, scale=4)
    check(new_var, 0.75 * arrays[2] + 0.25 * biased, lw.float64, ulps=8)
    y, own_mean, own_var = nn.batch_norm(given[0], None, None, training=True)
    check(own_mean, arrays[0].mean(axis=(0, 2)), lw.float64, scale=4)
    check(own_var, np.var(arrays[0], axis=(0, 2), ddof=1), lw.float64, ulps=8)
    with pytest.raises(ValueError, match="batch_norm: takes mean and var where it is not training"):
        nn.batch_norm(given[0], None, None)


# --- attention ------------------------------------------------------------------------------------------------------

HEADS = (numbers(2, 4, 3, 8), numbers(2, 4, 5, 8, seed=1), numbers(2, 4, 5, 6, seed=2))
SEEN = np.array([[True, False, True, True, False], [True] * 5, [False, True, False, False, False]])


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.25}], ids=str)
def test_attention(backend: str, options: dict[str, Any]) -> None:
    for _, dtype in crossed([options], FLOATS, "nn.scaled_dot_product_attention", first=not options):
        arrays = arrays_of(HEADS, dtype)
        expected = functional.scaled_dot_product_attention(*map(tensor, arrays), **options)
        check(nn.scaled_dot_product_attention(*map(lw.asarray, arrays), **options), expected, dtype, ulps=32, scale=4)


def test_masks_of_attention(backend: str) -> None:
    arrays = arrays_of(HEADS, lw.float64)
    q, k, v = map(tensor, arrays)
    given = [*map(lw.asarray, arrays)]
    attend = nn.scaled_dot_product_attention
    added = np.where(SEEN, 0.5, -np.inf)
    by_bools = functional.scaled_dot_product_attention(q, k, v, torch.asarray(SEEN))
    by_floats = functional.scaled_dot_product_attention(q, k, v, tensor(added))
    check(attend(*given, lw.asarray(SEEN)), by_bools, lw.float64, ulps=32, scale=4)
    check(attend(*given, attn_mask=lw.asarray(added)), by_floats, lw.float64, ulps=32, scale=4)
    both = functional.scaled_dot_product_attention(q, k, v, torch.asarray(SEEN & np.tri(3, 5, dtype=bool)))
    check(attend(*given, lw.asarray(SEEN), is_causal=True), both, lw.float64, ulps=32, scale=4)
    none = SEEN & np.array([[True], [False], [True]])
    for mask in (none, np.where(none, 0.0, -np.inf)):
        result = attend(*given, lw.asarray(mask))
        check(result[..., 1, :], np.zeros((2, 4, 6)), lw.float64)
        check(result[..., 0, :], by_bools[..., 0, :], lw.float64, ulps=32, scale=4)
    flat = attend(given[0][0, 0], given[1][0, 0], given[2][0, 0])
    expected = functional.scaled_dot_product_attention(q, k, v)[0, 0]
    check(flat, expected, lw.float64, ulps=32, scale=4)


def test_heads_that_share_keys(backend: str) -> None:
    arrays = arrays_of((numbers(2, 4, 3, 8), numbers(2, 2, 5, 8, seed=1), numbers(2, 2, 5, 6, seed=2)), lw.float64)
    attend, given = nn.scaled_dot_product_attention, [*map(lw.asarray, arrays)]
    tensors = [*map(tensor, arrays)]
    expected = functional.scaled_dot_product_attention(*tensors, enable_gqa=True)
    check(attend(*given, enable_gqa=True), expected, lw.float64, ulps=32, scale=4)
    mask = np.stack([SEEN, ~SEEN, SEEN, np.ones_like(SEEN)])
    expected = functional.scaled_dot_product_attention(*tensors, torch.asarray(mask), enable_gqa=True)
    check(attend(*given, lw.asarray(mask), enable_gqa=True), expected, lw.float64, ulps=32, scale=4)


def test_several_heads(backend: str) -> None:
    shapes = [(2, 3, 8), (2, 5, 8), (2, 5, 8), (8, 8), (8, 8), (8, 8), (8, 8), (8,), (8,), (8,), (8,)]
    operands = tuple(numbers(*s, low=-1, high=1, seed=i) for i, s in enumerate(shapes))
    arrays = arrays_of(operands, lw.float64)
    q, k, v, w_q, w_k, w_v, w_out, b_q, b_k, b_v, b_out = map(tensor, arrays)
    expected, _ = functional.multi_head_attention_forward(
        q.swapaxes(0, 1), k.swapaxes(0, 1), v.swapaxes(0, 1), 8, 2, torch.cat([w_q, w_k, w_v]),
        torch.cat([b_q, b_k, b_v]), None, None, False, 0.0, w_out, b_out, need_weights=False,
    )  # fmt: skip
    given = [*map(lw.asarray, arrays)]
    result = nn.multi_head_attention(*given[:3], 2, *given[3:])
    check(result, expected.swapaxes(0, 1), lw.float64, ulps=64, scale=8)


# --- sequences ------------------------------------------------------------------------------------------------------

LABELS = np.array([[1, 2, 3], [2, 2, 0], [1, 0, 0], [1, 1, 1]])
STEPS, COUNTS = np.array([7, 6, 5, 6]), np.array([3, 2, 0, 3])


def test_ctc(backend: str) -> None:
    scores = values(lw.float64, (7, 4, 5))
    for reduction in ("none", "mean", "sum"):
        for _, dtype in crossed([reduction], FLOATS, "nn.ctc_loss", first=reduction == "none"):
            log_probs = torch.log_softmax(torch.asarray(scores), -1).numpy().astype(values(dtype, ()).dtype)
            expected = functional.ctc_loss(
                tensor(log_probs), *map(torch.asarray, (LABELS, STEPS, COUNTS)), reduction=reduction
            )
            result = nn.ctc_loss(*map(lw.asarray, (log_probs, LABELS, STEPS, COUNTS)), reduction=reduction)
            check(result, expected, dtype, ulps=32)
    log_probs = torch.log_softmax(torch.asarray(scores), -1).numpy()
    short = np.array([7, 2, 5, 3])
    for zero_infinity, nothing in ((False, np.inf), (True, 0.0)):
        result = nn.ctc_loss(
            *map(lw.asarray, (log_probs, LABELS, short, COUNTS)), reduction="none", zero_infinity=zero_infinity
        )
        check(result[1::2], [nothing, nothing], lw.float64)
    other = nn.ctc_loss(*map(lw.asarray, (log_probs, LABELS % 4, STEPS, np.array([3, 2, 1, 2]))), blank=4)
    expected = functional.ctc_loss(*map(torch.asarray, (log_probs, LABELS % 4, STEPS, np.array([3, 2, 1, 2]))), blank=4)
    check(other, expected, lw.float64, ulps=32)


# --- derivatives ----------------------------------------------------------------------------------------------------


def no_derivatives(backend: str) -> bool:
    return backend in ("numpy", "dask")


def derivative(call: Reference, arrays: list[np.ndarray], place: int) -> lw.Array:
    """The derivative of the sum of what a function gives by one of its arrays."""
    given = [*map(lw.asarray, arrays)]

    def total(x: lw.Array) -> lw.Array:
        result = call(*given[:place], x, *given[place + 1 :])
        return lw.sum(lw.multiply(result, result) if result.ndim else result)

    return lw.grad(total)(given[place])


def torch_derivative(call: Reference, arrays: list[np.ndarray], place: int) -> np.ndarray:
    given = [*map(tensor, arrays)]
    x = given[place].requires_grad_()
    result = call(*given)
    (result.square().sum() if result.ndim else result).backward()
    return x.grad.numpy()


@pytest.mark.parametrize("half", [0, 1])
def test_derivatives_of_activations(backend: str, half: int) -> None:
    if no_derivatives(backend):
        pytest.skip("it has no derivatives")
    for name in [*ACTIVATIONS][half::2]:
        reference, low, high = ACTIVATIONS[name]
        x = values(lw.float64, (12,), low=low, high=high) + 1 / 32
        expected = torch_derivative(reference, [x], 0)
        check(derivative(getattr(nn, name), [x], 0), expected, lw.float64, ulps=64, scale=8)
    check(lw.grad(lambda x: lw.sum(nn.relu(x)))(lw.asarray([-1.0, 0.0, 1.0])), [0, 0, 1], lw.float32)


@pytest.mark.parametrize("case", CASES)
def test_derivatives(backend: str, case: str) -> None:
    if no_derivatives(backend):
        pytest.skip("it has no derivatives")
    _, operands, call, reference = CASES[case]
    arrays = arrays_of(operands, lw.float64)
    place = next(i for i, x in enumerate(arrays) if x.dtype.kind == "f")
    expected = torch_derivative(reference, arrays, place)
    check(derivative(call, arrays, place), expected, lw.float64, ulps=256, scale=8)


def test_derivatives_at_the_edges(backend: str) -> None:
    if no_derivatives(backend):
        pytest.skip("it has no derivatives")
    scores = np.array([[0.0, -np.inf, 1.0], [2.0, 0.5, 0.25]])
    weights = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    where = lw.asarray(np.array([[True, False, True], [False] * 3]))

    def weighted(f: Reference, *more: Any, **options: Any) -> Reference:
        return lambda x: lw.sum(lw.where(lw.isfinite(y := f(x, *more, **options)), y, 0.0) * lw.asarray(weights))

    expected = torch.autograd.functional.jacobian(
        lambda x: (torch.softmax(x, -1) * tensor(weights)).sum(), tensor(scores)
    )
    check(lw.grad(weighted(nn.softmax))(lw.asarray(scores)), expected, lw.float64, ulps=16, scale=1)
    masked = lw.grad(weighted(nn.softmax, where=where))(lw.asarray(scores))
    check(masked, np.where([[True, False, True], [False] * 3], expected.numpy(), 0), lw.float64, ulps=16, scale=1)
    zeros = lw.zeros((2, 3), dtype=lw.float64)
    check(lw.grad(weighted(nn.normalize, eps=0.5))(zeros), weights / 0.5, lw.float64)
    check(lw.grad(lambda x: lw.sum(nn.pairwise_distance(x, zeros, eps=0.0)))(zeros), np.zeros((2, 3)), lw.float64)
    check(lw.grad(lambda x: lw.sum(nn.cosine_similarity(x, zeros)))(zeros), np.zeros((2, 3)), lw.float64)
    numbers_of = lw.asarray([0, -100])
    certain = lw.asarray(np.array([[0.0, -np.inf, -np.inf], [-np.inf, 0.0, 0.0]]))
    check(lw.grad(lambda x: nn.cross_entropy(x, numbers_of))(certain), np.zeros((2, 3)), lw.float64)
    attend = nn.scaled_dot_product_attention
    none = lw.asarray(np.array([[True, True], [False, False]]))
    rows = lw.asarray(np.array([[1.0, 2.0], [3.0, 4.0]]))
    check(lw.grad(lambda q: lw.sum(attend(q, rows, rows, none)))(rows)[1], [0, 0], lw.float64)


def test_derivatives_of_ctc(backend: str) -> None:
    if no_derivatives(backend):
        pytest.skip("it has no derivatives")
    scores = values(lw.float64, (7, 4, 5))
    others = [LABELS, STEPS, COUNTS]
    expected = torch_derivative(
        lambda x, *more: functional.ctc_loss(torch.log_softmax(x, -1), *more), [scores, *others], 0
    )
    result = derivative(lambda x, *more: nn.ctc_loss(nn.log_softmax(x), *more), [scores, *others], 0)
    check(result, expected, lw.float64, ulps=256, scale=1)


# --- chance ---------------------------------------------------------------------------------------------------------


def test_dropout(backend: str) -> None:
    key = lw.random.key(7)
    x = lw.ones((40, 50))
    y = np.asarray(nn.dropout(x, 0.25, key=key))
    assert {*np.unique(y)} == {0.0, np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.04
    with lw.using(backend="numpy"):
        there = nn.dropout(lw.ones((40, 50)), 0.25, key=lw.random.key(7))
    np.testing.assert_array_equal(y, np.asarray(there))
    rows = np.asarray(nn.dropout(x, 0.5, key=key, shape=(40, 1)))
    assert (rows == rows[:, :1]).all()
    assert {*np.unique(rows)} == {0.0, 2.0}
    check(nn.dropout(x, 0.5, key=None), np.ones((40, 50)), lw.float32)
    check(nn.dropout(x, 1.0, key=key), np.zeros((40, 50)), lw.float32)
    for p in (-0.5, 1.5):
        with pytest.raises(ValueError, match=r"nn.dropout: p is a probability, from 0 to 1; got"):
            nn.dropout(x, p, key=key)


def test_dropout_in_attention(backend: str) -> None:
    arrays = arrays_of(HEADS, lw.float32)
    q, k, v = map(lw.asarray, arrays)
    key = lw.random.key(3)
    shares = nn.softmax(q @ lw.matrix_transpose(k) / np.sqrt(8.0).item())
    expected = nn.dropout(shares, 0.5, key=key) @ v
    result = nn.scaled_dot_product_attention(q, k, v, dropout=0.5, key=key)
    np.testing.assert_allclose(np.asarray(result), np.asarray(expected), rtol=1e-4, atol=1e-5)
    plain = nn.scaled_dot_product_attention(q, k, v)
    check(nn.scaled_dot_product_attention(q, k, v, dropout=0.5), np.asarray(plain), lw.float32)


# --- inside compiled and mapped functions -----------------------------------------------------------------------------


def test_inside_compiled_functions(backend: str) -> None:
    """Each result is that of the call outside."""
    if no_derivatives(backend):
        pytest.skip("it compiles nothing")
    scores = lw.asarray(values(lw.float32, (7, 4, 5)))
    q, k, v = map(lw.asarray, arrays_of(HEADS, lw.float32))
    labels, steps, counts = map(lw.asarray, (LABELS, STEPS, COUNTS))

    def of_sequences(scores: lw.Array) -> lw.Array:
        return nn.ctc_loss(nn.log_softmax(scores), labels, steps, counts)

    def of_heads(q: lw.Array) -> lw.Array:
        y = nn.scaled_dot_product_attention(q, k, v, lw.asarray(SEEN), dropout=0.5, key=lw.random.key(1))
        y, mean, var = nn.batch_norm(y, None, None, training=True)
        return lw.sum(nn.gelu(nn.layer_norm(y, 6))) + lw.sum(mean) + lw.sum(var)

    for f, x in ((of_sequences, scores), (of_heads, q)):
        np.testing.assert_allclose(np.asarray(lw.jit(f)(x)), np.asarray(f(x)), rtol=2e-4, atol=1e-4)


def test_inside_mapped_functions(backend: str) -> None:
    q, k, v = map(lw.asarray, arrays_of(HEADS, lw.float32))
    mapped = lw.vmap(nn.scaled_dot_product_attention)(q, k, v)
    outside = nn.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(np.asarray(mapped), np.asarray(outside), rtol=1e-4, atol=1e-5)
    rows = lw.vmap(lambda x: nn.softmax(nn.layer_norm(x, 8)))(q[0, 0])
    outside = nn.softmax(nn.layer_norm(q[0, 0], 8))
    np.testing.assert_allclose(np.asarray(rows), np.asarray(outside), rtol=1e-4, atol=1e-6)


# --- what it costs, and what is refused -----------------------------------------------------------------------------


def native_calls(call: Callable[[lw.Array], lw.Array], backend: str) -> int:
    """How many functions of the framework a call of ours enters: operations of a graph, or of PyTorch's dispatcher."""
    x = np.ones(3, np.float32)
    call(lw.asarray(x))
    if backend == "torch":
        from torch.utils._python_dispatch import TorchDispatchMode

        class Counting(TorchDispatchMode):
            count = 0

            def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                Counting.count += 1
                return function(*args, **(kwargs or {}))

        given = lw.asarray(x)
        with Counting():
            call(given)
        return Counting.count
    if backend == "jax":
        import jax

        return len(jax.make_jaxpr(lambda data: call(lw.asarray(data)).data)(x).eqns)
    import tensorflow as tf

    graph = tf.function(lambda data: call(lw.asarray(data)).data).get_concrete_function(tf.TensorSpec((3,))).graph
    return sum(o.type not in ("Placeholder", "Const", "Identity", "IdentityN", "NoOp") for o in graph.get_operations())


#: What all three frameworks have as one function.
ONE_CALL = ("relu", "selu", "sigmoid", "softmax", "log_softmax")


def test_softplus_costs_what_its_arguments_need(backend: str) -> None:
    """TensorFlow's counts are those of the formulas: a call each for the product, the comparison, and so on."""
    if backend not in ("torch", "jax", "tensorflow"):
        pytest.skip("it does not count")
    forms: list[dict[str, float]] = [{}, {"beta": 2.0}, {"threshold": 1.0}, {"beta": 2.0, "threshold": 1.0}]
    counts = [native_calls(lambda x, options=options: nn.softplus(x, **options), backend) for options in forms]
    assert counts == ([1, 3, 3, 5] if backend == "tensorflow" else [1, 1, 1, 1])
    assert {f: native_calls(getattr(nn, f), backend) for f in ONE_CALL} == dict.fromkeys(ONE_CALL, 1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x, m: nn.softmax(x, axis=2), "nn.softmax: axis 2 is out of bounds for array of shape (3, 4)"),
        (
            lambda x, m: nn.softmax(x, where=m),
            "nn.softmax: where must broadcast to the shape of x, (3, 4); got shape (2, 4)",
        ),
        (lambda x, m: nn.glu(x, axis=0), "nn.glu: takes an even number of elements along the axis; got 3"),
        (
            lambda x, m: nn.gelu(x, approximate="erf"),
            "nn.gelu: approximate is 'none' or 'tanh' or 'sigmoid'; got 'erf'",
        ),
        (lambda x, m: nn.prelu(x, lw.ones(3)), "nn.prelu: weight must have one slope or as many as x has elements"),
        (lambda x, m: nn.linear(x, lw.ones((2, 3))), "nn.linear: weight must have as many columns as x has elements"),
        (lambda x, m: nn.linear(x, m, lw.ones(1)), "nn.linear: bias must have shape (2,) or none; got (1,)"),
        (lambda x, m: nn.linear(x, m[0], lw.ones(1)), "nn.linear: bias must have shape () or none; got (1,)"),
        (
            lambda x, m: nn.layer_norm(x, 3),
            "nn.layer_norm: normalized_shape must be the last extents of x, of shape (3, 4)",
        ),
        (lambda x, m: nn.layer_norm(x, 4, lw.ones(1)), "nn.layer_norm: weight must have the shape (4,); got (1,)"),
        (lambda x, m: nn.group_norm(x, 3), "nn.group_norm: num_groups must divide the number of channels, 4; got 3"),
        (
            lambda x, m: nn.batch_norm(x, lw.ones(3), lw.ones(3)),
            "takes one element for each of 4 channels, along axis 1",
        ),
        (lambda x, m: nn.embedding(lw.asarray([0]), lw.ones(3)), "nn.embedding: weight must be a matrix"),
        (
            lambda x, m: nn.embedding(lw.asarray([0]), x, padding_idx=3),
            "nn.embedding: padding_idx must be between -3 and 2",
        ),
        (lambda x, m: nn.cross_entropy(x, lw.asarray([1, 2])), "nn.cross_entropy: target must have the shape (3,)"),
        (lambda x, m: nn.cross_entropy(x, lw.ones(3)), "nn.cross_entropy: target of shape (3,) must have a"),
        (nn.mse_loss, "nn.mse_loss: shapes (3, 4) and (2, 4)"),
        (
            lambda x, m: nn.mse_loss(x, x, reduction="max"),
            "nn.mse_loss: reduction is 'mean' or 'sum' or 'none'; got 'max'",
        ),
        (
            lambda x, m: nn.scaled_dot_product_attention(x, lw.ones((5, 3)), x),
            "q and k must be equal along their last axis",
        ),
        (lambda x, m: nn.scaled_dot_product_attention(x, x, x, lw.ones((2, 3))), "attn_mask must broadcast to (3, 3)"),
        (lambda x, m: nn.gru_cell(x, x, lw.ones((3, 4)), m), "nn.gru_cell: w_ih must have shape (12, 4); got (3, 4)"),
        (
            lambda x, m: nn.ctc_loss(x, lw.asarray([[1]]), lw.asarray([1]), lw.asarray([1])),
            "nn.ctc_loss: takes log_probs of shape (T, N, C) and targets of (N, S)",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_our_words(backend: str, call: Callable[..., Any], says: str) -> None:
    with pytest.raises((ValueError, IndexError, TypeError)) as raised:
        call(lw.ones((3, 4)), lw.ones((2, 4)))
    assert says in str(raised.value)


@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_a_target_that_is_no_category_is_refused(backend: str, name: str) -> None:
    loss, x = getattr(nn, name), lw.asarray([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    assert lw.isfinite(loss(x, lw.asarray([2, -100])))  # which is left out
    for wrong in ([2, 3], [-101, 0]):
        with pytest.raises(IndexError):
            float(loss(x, lw.asarray(wrong)))
        with pytest.raises(IndexError):
            float(loss(x[..., None], lw.asarray(wrong)[..., None], weight=lw.ones(3)))


def test_kl_div_of_negative_targets(backend: str) -> None:
    for shape in ((2,), (2, 1)):  # where shapes broadcast the loss is composed
        got = lw.nn.kl_div(lw.zeros(shape), lw.asarray([-1.0, 0.0]), reduction="none")
        assert lw.all(lw.isnan(got[..., 0]))
        assert lw.all(got[..., 1] == 0)


def test_normalize_takes_an_axis(backend: str) -> None:
    with pytest.raises(IndexError, match=r"^nn.normalize: axis 0 is out of bounds"):
        lw.nn.normalize(lw.asarray(2.0), axis=0)


@pytest.mark.parametrize("deviation", [d for d in deviations() if d.function.startswith("nn.")], ids=str)
def test_deviations_are_still_there(deviation: Deviation) -> None:
    pytest.importorskip(deviation.backend)
    f, scope = getattr(nn, deviation.function[3:]), {"inf": np.inf, "nan": np.nan}
    for dtype in (
        dtypes(deviation.dtypes) if deviation.dtypes in CATEGORIES else map(lw.Dtype, deviation.dtypes.split())
    ):
        known = scope | {"max": lw.finfo(dtype).max}
        standard, gives, case = (eval(v, known) for v in (deviation.standard, deviation.gives, f"[{deviation.case}]"))
        for backend, expected in ((deviation.backend, gives), ("numpy", standard)):
            with np.errstate(all="ignore"):
                got = f(lw.asarray(case[0], dtype=dtype, backend=backend), *case[1:])
            np.testing.assert_array_equal(wide(got), np.asarray(expected))


#: Functions of torch.nn.functional, jax.nn and tf.nn, and ours that compute the same: on x, or on x and more.
SAME: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("torch", "hardswish"): lw.nn.hard_silu,
    ("torch", "hardsigmoid"): lw.nn.hard_sigmoid,
    ("torch", "hardtanh"): lw.nn.hard_tanh,
    ("torch", "hardshrink"): lw.nn.hard_shrink,
    ("torch", "softshrink"): lw.nn.soft_shrink,
    ("torch", "tanhshrink"): lw.nn.tanh_shrink,
    ("torch", "logsigmoid"): lw.nn.log_sigmoid,
    ("jax", "hard_swish"): lw.nn.hard_silu,
    ("jax", "swish"): lw.nn.silu,
    ("jax", "soft_sign"): lw.nn.softsign,
    ("tensorflow", "swish"): lw.nn.silu,
    ("tensorflow", "crelu"): lambda x: lw.concat([lw.nn.relu(x), lw.nn.relu(-x)], axis=-1),
    ("tensorflow", "l2_loss"): lambda x: lw.sum(x**2) / 2,
}


@pytest.mark.parametrize(("framework", "name"), SAME)
def test_words_of_neural_networks_compute_the_same(framework: str, name: str) -> None:
    modules = {"torch": "torch.nn.functional", "jax": "jax.nn", "tensorflow": "tensorflow"}
    module = pytest.importorskip(modules[framework])
    theirs = getattr(module.nn if framework == "tensorflow" else module, name)
    values = np.linspace(-4, 4, 17, dtype=np.float32)
    with lw.using(backend=framework):
        x = lw.asarray(values)
        want = np.asarray(theirs(x.data))
        np.testing.assert_allclose(lw.to_numpy(SAME[framework, name](x)), want, rtol=1e-6, atol=1e-6)
    (candidate, *_) = WORDS[name]
    assert candidate.removeprefix("lw.").partition("(")[0] in {"concat", "sum", candidate}
