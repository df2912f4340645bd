"""Compositions that a backend compiles as one program: the same numbers, where they are made, and where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.backend import get
from latticework.core.registry import OPS
from latticework.engine.arrays.array import Array

GENERATOR = np.random.default_rng(3)
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, 3e38, -3e38, 20.5, -7.0]


def _numbers(shape: tuple[int, ...], low: float = -3.0, high: float = 3.0) -> np.ndarray:
    return GENERATOR.uniform(low, high, shape).astype(np.float32)


#: Operands of the calls below: x and y have every pair of special values, the others none.
OPERANDS: dict[str, np.ndarray] = {
    "x": np.concatenate([np.repeat(np.float32(SPECIAL), 12), _numbers((36,))]).reshape(4, 45),
    "y": np.concatenate([np.tile(np.float32(SPECIAL), 12), _numbers((36,))]).reshape(4, 45),
    "z": _numbers((4, 45)),
    "w": _numbers((4, 45)),
    "p": _numbers((4, 45), 0.1, 3.0),
    "u": _numbers((4, 45), 0.05, 0.95),
    "n": np.where(GENERATOR.random((4, 45)) < 0.3, np.nan, _numbers((4, 45))).astype(np.float32),
    "sign": np.sign(_numbers((4, 45))),
    "signs": np.sign(_numbers((4,))),
    "labels": np.array([3, 44, 0, 7]),
    "v": _numbers((45,)),
    "image": _numbers((2, 4, 8, 8)),
    "channels": _numbers((4,), 0.5, 2.0),
    "coefficients": _numbers((4,)),
    "filter1": _numbers((6, 4, 3)),
    "filter2": _numbers((6, 4, 3, 3)),
    "grouped": _numbers((6, 2, 3, 3)),
    "depthwise": _numbers((8, 1, 3, 3)),
    "line": _numbers((2, 4, 30)),
    "query": _numbers((2, 3, 5, 4)),
    "exponents": np.tile(np.int32([0, 1, -1, 130, -140]), 36).reshape(4, 45),
}

#: A call of each composition that a backend compiles, by the name of the composition.
CALLS = dict(
    line.split(": ", 1)
    for line in """
_finite: nan_to_num(x)
_gradient: gradient(z)[0]
_isclose: isclose(x, y)
addcmul: addcmul(x, z, w)
average: average(z, axis=1, weights=p)
cbrt: cbrt(x)
cumulative_trapezoid: cumulative_trapezoid(z)
diff: diff(x)
ediff1d: ediff1d(x)
exp2: exp2(x)
fft.dct: fft.dct(z)
fmax: fmax(x, y)
fmin: fmin(x, y)
heaviside: heaviside(x, y)
isneginf: isneginf(x)
isposinf: isposinf(x)
ldexp: ldexp(x, exponents)
linalg.vector_norm: linalg.vector_norm(z, ord=3, axis=-1)
logaddexp2: logaddexp2(x, y)
logsumexp: logsumexp(x, axis=-1)
nanargmax: nanargmax(n, axis=1)
nanargmin: nanargmin(n, axis=1)
nancumsum: nancumsum(n, axis=1)
nanmax: nanmax(n, axis=1)
nanmean: nanmean(n, axis=1)
nanmin: nanmin(n, axis=1)
nanprod: nanprod(n, axis=1)
nanstd: nanstd(n, axis=1)
nansum: nansum(n)
nanvar: nanvar(n, axis=0)
nn._by_statistics: nn.batch_norm(image, coefficients, channels, coefficients, channels)
nn.adaptive_avg_pool2d: nn.adaptive_avg_pool2d(image, 3)
nn.binary_cross_entropy: nn.binary_cross_entropy(u, u)
nn.binary_cross_entropy_with_logits: nn.binary_cross_entropy_with_logits(z, u, weight=u)
nn.celu: nn.celu(x, alpha=2.0)
nn.conv1d: nn.conv1d(line, filter1, padding=1, layout="NCW")
nn.conv2d: nn.conv2d(image, filter2, padding=1, stride=2, dilation=2)
nn.cosine_embedding_loss: nn.cosine_embedding_loss(z, w, signs)
nn.cosine_similarity: nn.cosine_similarity(z, w)
nn.cross_entropy: nn.cross_entropy(z, labels, weight=p[0])
nn.elu: nn.elu(x, alpha=2.0)
nn.gaussian_nll_loss: nn.gaussian_nll_loss(z, w, p)
nn.gelu: nn.gelu(x)
nn.glu: nn.glu(z[:, :44])
nn.group_norm: nn.group_norm(image, 2, channels, coefficients)
nn.hard_shrink: nn.hard_shrink(x)
nn.hard_sigmoid: nn.hard_sigmoid(x)
nn.hard_silu: nn.hard_silu(x)
nn.hard_tanh: nn.hard_tanh(x)
nn.hinge_embedding_loss: nn.hinge_embedding_loss(z, sign)
nn.huber_loss: nn.huber_loss(z, w, reduction="sum")
nn.instance_norm: nn.instance_norm(image, None, None, channels, coefficients)
nn.interpolate: nn.interpolate(image, 5, mode="bicubic")
nn.kl_div: nn.kl_div(z, u)
nn.l1_loss: nn.l1_loss(z, w)
nn.layer_norm: nn.layer_norm(z, 45, v, v)
nn.local_response_norm: nn.local_response_norm(image, 3)
nn.log_sigmoid: nn.log_sigmoid(x)
nn.log_softmax: nn.log_softmax(z, axis=0)
nn.lp_pool1d: nn.lp_pool1d(image[0], 2.0, 2)
nn.lp_pool2d: nn.lp_pool2d(image, 2.0, 2)
nn.lp_pool3d: nn.lp_pool3d(image[None], 2.0, (1, 2, 2))
nn.margin_ranking_loss: nn.margin_ranking_loss(z, w, sign)
nn.mish: nn.mish(x)
nn.mse_loss: nn.mse_loss(z, w)
nn.nll_loss: nn.nll_loss(z, labels)
nn.normalize: nn.normalize(z)
nn.pairwise_distance: nn.pairwise_distance(z, w)
nn.pixel_shuffle: nn.pixel_shuffle(image, 2)
nn.pixel_unshuffle: nn.pixel_unshuffle(image, 2)
nn.poisson_nll_loss: nn.poisson_nll_loss(z, p)
nn.prelu: nn.prelu(image, channels)
nn.rms_norm: nn.rms_norm(z, 45, v)
nn.scaled_dot_product_attention: nn.scaled_dot_product_attention(query, query, query, is_causal=True)
nn.silu: nn.silu(x)
nn.smooth_l1_loss: nn.smooth_l1_loss(z, w)
nn.soft_shrink: nn.soft_shrink(x)
nn.softmax: nn.softmax(z, axis=0)
nn.softplus: nn.softplus(x, beta=2.0, threshold=20.0)
nn.squareplus: nn.squareplus(x)
nn.standardize: nn.standardize(z)
nn.threshold: nn.threshold(x, 0.1, 20.0)
nn.triplet_margin_loss: nn.triplet_margin_loss(z, w, p)
nn.unfold: nn.unfold(image, 3)
polyval: polyval(coefficients, x)
signal.stft: signal.stft(v, 8)
special.betaln: special.betaln(p, u)
special.erfinv: special.erfinv(x)
special.gamma: special.gamma(x)
special.kl_div: special.kl_div(x, y)
special.log_ndtr: special.log_ndtr(x)
special.logit: special.logit(x)
special.ndtr: special.ndtr(x)
special.rel_entr: special.rel_entr(x, y)
trapezoid: trapezoid(z)
unwrap: unwrap(z * 5)
""".split("\n")[1:-1]
)
#: Makes programs be made, see `programs`.
Start = Callable[..., list[Any]]
#: Calls of kernels of TensorFlow that are compiled with what is around them, or replaced by the composition.
KERNELS = [
    "nn.conv1d(line, filter1, padding=1)",
    "nn.conv2d(image, filter2, bias=filter2[:, 0, 0, 0], padding=1)",
    "nn.conv2d(image, grouped, groups=2, padding=(1, 0), stride=(2, 1))",
    "nn.conv2d(image, grouped, bias=filter2[:, 0, 0, 0], groups=2)",
    "nn.conv2d(image, depthwise, groups=4, dilation=2)",
    "nn.max_pool2d(image, 3, stride=2, padding=1)",
    "nn.avg_pool2d(image, 3, stride=2, padding=1, count_include_pad=False)",
    "nn.interpolate(image, (11, 5), mode='bilinear')",
    "index_add(z, lw.asarray([0, 2, 2, -1]), w, axis=0)",
    "segment_sum(z, lw.asarray([0, 0, 1, 3]), 5)",
    "nn.interpolate(image, 5, mode='bilinear', antialias=True)",
    "fmod(x, y)",
    "special.entr(x)",
]
#: Calls in other dtypes than float32.
DTYPES = [
    "nn.layer_norm(lw.astype(z, lw.bfloat16), 45)",
    "nn.mse_loss(lw.astype(z, lw.float16), w)",
    "nn.softmax(lw.astype(z, lw.float64), axis=0)",
    "trapezoid(lw.astype(exponents, lw.uint8))",
    "nn.gelu(lw.astype(z, lw.float64))",
]


def evaluated(call: str, backend: str, **other: Any) -> Any:
    """The result of a call of the operands above."""
    with lw.using(backend=backend):
        return eval(f"lw.{call}", {"lw": lw, **{n: lw.asarray(x) for n, x in OPERANDS.items()}, **other})


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Start:
    """Have programs made for arrays of so many elements and more, at the first call; gives those that are made.

    With a second number, they are made when calls have had so many elements together.
    """
    pytest.importorskip("tensorflow")
    from latticework.backends.tensorflow import fusion

    made: list[Any] = []
    compiled = fusion._compiled

    def noted(*arguments: Any) -> Any:
        made.append(compiled(*arguments))
        return made[-1]

    def start(least: int, enough: int = 0) -> list[Any]:
        monkeypatch.setattr(fusion, "LEAST", least)
        monkeypatch.setattr(fusion, "ENOUGH", enough)
        monkeypatch.setattr(fusion, "_compiled", noted)
        return made

    return start


# --- what is listed -------------------------------------------------------------------------------------------------


def test_what_is_listed_runs_as_a_composition(backend: str) -> None:
    """A name that never reaches the hook says of a function that it is compiled, which it is not."""
    b = get(backend)
    dead = []
    for name in b.fused:
        o, own = OPS[name], b.function(name)
        if o.kind != "mixed" or o.sequence or o.wrap is not Array or not (own is None or hasattr(own, "when")):
            dead.append(name)
    assert not dead


def test_there_is_a_call_of_each_composition_that_tensorflow_compiles() -> None:
    pytest.importorskip("tensorflow")
    assert {*CALLS} == get("tensorflow").fused


# --- the same numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [*CALLS.values(), *KERNELS, *DTYPES])
def test_programs_of_tensorflow_give_the_same_numbers(call: str, programs: Start) -> None:
    as_it_is = evaluated(call, "tensorflow")
    made = programs(2, 1 << 40)
    counted = evaluated(call, "tensorflow")
    assert not made
    programs(2)
    first, second = evaluated(call, "tensorflow"), evaluated(call, "tensorflow")
    assert len([m for m in made if m is not None]) == len(made) >= 1
    for found in (counted, first, second):
        assert found.dtype is as_it_is.dtype
        assert found.shape == as_it_is.shape
        near = 1e-2 if found.dtype.bits == 16 else 3e-6
        a, b = (np.asarray(x).astype(np.complex128) for x in (found, as_it_is))
        np.testing.assert_allclose(a, b, rtol=near, atol=near)


def test_erf_in_a_program_leaves_nothing_of_large_negative_numbers(programs: Start) -> None:
    made = programs(2)
    found = evaluated("nn.gelu(big)", "tensorflow", big=lw.asarray([-1e30, -50.0, -7.0], backend="tensorflow"))
    assert made
    np.testing.assert_array_equal(np.asarray(found), [0, 0, 0])


@pytest.mark.parametrize("shape", [(300, 300), (1, 90_001), (2, 3, 40, 5), (2, 3)])
@pytest.mark.parametrize("axes", [None, -1, 0])
def test_sums_in_a_program(shape: tuple[int, ...], axes: Any, programs: Start) -> None:
    """Long rows are added up in parts: one number after the other, the second shape's sum is wrong by 0.01."""
    made = programs(1)
    x = np.full(shape, 0.1, np.float32)
    with lw.using(backend="tensorflow"):
        found = lw.nansum(lw.asarray(x), axis=axes)
        kept = lw.nansum(lw.asarray(x), axis=axes, keepdims=True)
    assert len(made) == 2
    assert kept.shape == np.sum(x, axes, keepdims=True).shape
    for sums in (found, lw.reshape(kept, found.shape)):
        np.testing.assert_allclose(np.asarray(sums), np.sum(x, axes, dtype=np.float64), rtol=2e-5)


@pytest.mark.parametrize("draw", ["bits", "uniform", "normal"])
def test_random_numbers_of_a_program_are_those_of_the_other_backends(draw: str, programs: Start) -> None:
    made = programs(7)
    with lw.using(backend="tensorflow"):
        found = np.asarray(getattr(lw.random, draw)(lw.random.key(3), (5, 3)))
    with lw.using(backend="numpy"):
        want = np.asarray(getattr(lw.random, draw)(lw.random.key(3), (5, 3)))
    assert len(made) == 1
    if draw == "normal":
        np.testing.assert_allclose(found, want, rtol=1e-5)
    else:
        np.testing.assert_array_equal(found, want)


# --- when they are made ---------------------------------------------------------------------------------------------


def _large(backend: str = "tensorflow", rows: int = 300) -> Any:
    return lw.asarray(2 * np.sin(np.arange(rows * 300, dtype=np.float32)).reshape(rows, 300), backend=backend)


def test_programs_are_made_of_what_is_called_again(programs: Start) -> None:
    """Small arrays and the first calls of a shape do not wait for a compiler."""
    made = programs(300 * 300, 3 * 300 * 300)
    x, y = _large(), _large(rows=400)
    lw.nn.squareplus(y)
    lw.nn.squareplus(x)
    lw.nn.squareplus(x)
    for _ in range(9):
        lw.nn.squareplus(x[:299])
    assert made == []
    assert lw.nn.squareplus(x).dtype is lw.float32
    lw.nn.squareplus(x)
    assert len(made) == 1
    for _ in range(3):
        lw.nn.squareplus(x, b=2.0)
    assert len(made) == 2


def test_a_program_is_of_one_dtype(programs: Start) -> None:
    """Arrays of the same shape and another dtype have a program of their own."""
    made = programs(2)
    for dtype in (lw.float32, lw.float64):
        x = lw.astype(_large(), dtype)
        assert lw.fmod(x, x + 3).dtype is dtype
        assert lw.nn.max_pool2d(lw.reshape(x, (1, 1, 300, 300)), 2).dtype is dtype
    assert len(made) == 4


def test_programs_are_not_more_than_a_bound(programs: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from latticework.backends.tensorflow import fusion

    made = programs(1)
    monkeypatch.setattr(fusion, "MOST", 2)
    with lw.using(backend="tensorflow"):
        x = lw.asarray(np.arange(6, dtype=np.float64))
        for b in (1.0, 2.0, 3.0, 4.0):
            np.testing.assert_allclose(
                np.asarray(lw.nn.squareplus(x, b=b)), (np.arange(6) + np.sqrt(np.arange(6) ** 2 + b)) / 2
            )
    assert len(made) == 2


def test_what_is_traced_or_recorded_runs_as_it_is(programs: Start) -> None:
    """Derivatives are those of the kernels, and a program of the user's has no program of ours inside."""
    tf = pytest.importorskip("tensorflow")
    made = programs(2)
    x = _large()

    def loss(x: Any) -> Any:
        return lw.sum(lw.square(lw.nn.layer_norm(lw.nn.gelu(x), 300) + x))

    with tf.GradientTape() as tape:
        tape.watch(x.data)
        y = loss(x).data
    by_tape = tf.convert_to_tensor(tape.gradient(y, x.data)).numpy()
    by_grad = np.asarray(lw.grad(loss)(x))
    traced = tf.function(lambda t: lw.nn.gelu(lw.asarray(t)).data)(x.data).numpy()
    mapped = np.asarray(lw.vmap(lw.nn.gelu)(x))
    with tf.autodiff.ForwardAccumulator(x.data, tf.ones_like(x.data)) as forward:
        z = lw.nn.gelu(x).data
    along = forward.jvp(z).numpy()
    assert made == []
    after = np.asarray(lw.nn.gelu(x))
    assert len(made) == 1
    for found in (traced, mapped, z.numpy()):
        np.testing.assert_allclose(found, after, atol=1e-6)
    t, d = np.asarray(x).astype(np.float64), 1e-6
    density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(along, after / np.where(t == 0, 1, t) + t * density + (t == 0) / 2, atol=1e-5)
    np.testing.assert_allclose(by_grad, by_tape, atol=1e-5)
    step = np.zeros_like(t)
    step[7, 9] = d
    with lw.using(backend="numpy"):
        ahead, behind = (float(loss(lw.asarray(t + s))) for s in (step, -step))
    np.testing.assert_allclose(by_tape[7, 9], (ahead - behind) / (2 * d), rtol=1e-3)


def test_errors_are_those_of_a_call_as_it_is(programs: Start) -> None:
    pytest.importorskip("tensorflow")
    x = _large()
    with pytest.raises(ValueError, match="normalized_shape") as as_it_is:
        lw.nn.layer_norm(x, 7)
    programs(2)
    with pytest.raises(ValueError, match="normalized_shape") as compiled:
        lw.nn.layer_norm(x, 7)
    assert str(compiled.value) == str(as_it_is.value)
    assert lw.nn.layer_norm(x, [300]).shape == (300, 300)


def test_rules_of_a_framework_hold_for_programs(programs: Start) -> None:
    pytest.importorskip("tensorflow")
    made = programs(2)
    with lw.using(rules="numpy", backend="tensorflow"):
        found = lw.trapezoid(lw.asarray([[1, 2, 4]], dtype=lw.int32))
    assert made
    assert found.dtype is lw.float64
    np.testing.assert_array_equal(np.asarray(found), [4.5])


def test_many_floats_are_found_as_few_are() -> None:
    """They are compared as integers of the same order, nan and both zeros among them."""
    pytest.importorskip("tensorflow")
    values = np.resize(np.concatenate([OPERANDS["x"].ravel(), OPERANDS["z"].ravel()]), 40_000)
    edges = np.array([-np.inf, -2.5, -1e-40, -0.0, 0.0, 1.0, np.inf, np.inf], np.float32)
    with lw.using(backend="tensorflow"):
        found = np.asarray(lw.searchsorted(lw.asarray(edges), lw.asarray(values), side="right"))
    np.testing.assert_array_equal(found, np.searchsorted(edges, values, "right"))
