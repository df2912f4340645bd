"""Slopes at kinks: one answer on every backend and in every way to take a derivative; the frameworks' own by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from test_gradients import DIFFERENTIATING

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import derivatives_page
import pages
import slopes_drawing
from kinks import KINKS, Kink

import latticework as lw
from latticework import draw
from latticework.backend import slopes
from latticework.errors import BackendNotInstalledError
from latticework.policy import current

#: Forward mode of PyTorch imports what uses it, and its vmap has no way of its own for some derivatives.
pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),
    pytest.mark.filterwarnings("ignore:There is a performance drop"),
]

BY_NAME = {f"{k.name} at {k.where}": k for k in KINKS}
#: The frameworks that have derivatives themselves.
NATIVE = ("torch", "jax", "tensorflow")
DIFFERING = [name for name, k in BY_NAME.items() if any(repr(getattr(k, b)) != repr(k.ours) for b in NATIVE)]
#: Those that the backends make alike in ways of their own, though no table says so.
ALIKE = [
    name
    for name, k in BY_NAME.items()
    if name not in DIFFERING and k.name.startswith(("`nextafter", "`pow", "`special", "`nn.kl"))
]


@pytest.fixture
def differentiating(backend: str) -> str:
    """A backend with derivatives."""
    if backend not in DIFFERENTIATING:
        pytest.skip("it has no derivatives")
    return backend


def total(k: Kink) -> Callable[[Any], Any]:
    return lambda x: lw.sum(k.f(x))


#: The ways to take a derivative.
WAYS: dict[str, Callable[[Callable[[Any], Any], Any], Any]] = {
    "jit of grad": lambda f, x: lw.jit(lw.grad(f))(x),
    "grad of jit": lambda f, x: lw.grad(lw.jit(f))(x),
    "compile of grad": lambda f, x: lw.compile(lw.grad(f))(x),
    "grad of compile": lambda f, x: lw.grad(lw.compile(f))(x),
    "vmap of grad": lambda f, x: lw.vmap(lw.grad(f))(lw.reshape(x, (1, -1))),
    "grad of trace": lambda f, x: lw.grad(lw.trace(f, x))(x),
    "jacfwd of trace": lambda f, x: lw.jacfwd(lw.trace(f, x))(x),
    "grad of checkpoint": lambda f, x: lw.grad(lw.checkpoint(f))(x),
    "jacfwd": lambda f, x: lw.jacfwd(f)(x),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_slope_at_a_kink_is_the_same_on_every_backend(differentiating: str, name: str) -> None:
    k = BY_NAME[name]
    x = lw.asarray(k.points)
    with np.errstate(all="ignore"):
        assert np.allclose(lw.to_numpy(lw.grad(total(k))(x)), k.ours, equal_nan=True)
        with lw.using(gradients="native"):
            native = lw.to_numpy(lw.grad(total(k))(x))
        assert np.allclose(native, getattr(k, differentiating, k.ours), equal_nan=True), (
            "write it into tools/kinks.py, and run make pages"
        )
        again = lw.to_numpy(lw.grad(total(k))(x))
        assert np.allclose(again, k.ours, equal_nan=True)  # the kernels of two policies stay apart


@pytest.mark.parametrize("name", [*DIFFERING, *ALIKE])
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|overflow) encountered")
def test_a_slope_at_a_kink_is_the_same_in_every_way(differentiating: str, name: str) -> None:
    k = BY_NAME[name]
    x = lw.asarray(k.points, dtype=lw.float64)
    for way in in_turn([*WAYS], 1 if differentiating in ("torch", "numpy") else 3, name):
        if way.startswith("jacfwd") and differentiating == "torch" and "beside nan" in name:
            continue  # PyTorch's own kernels have 0 by the first and 1 by the second there
        assert np.allclose(np.ravel(lw.to_numpy(WAYS[way](total(k), x))), k.ours, equal_nan=True), way


@pytest.mark.parametrize(
    "name", in_turn([n for n in DIFFERING if not set(n.split()) & {"`nn.selu`", "1e-30"}], 3, "second")
)
def test_second_derivatives_at_a_kink_are_those_of_numpy(differentiating: str, name: str) -> None:
    k = BY_NAME[name]
    with lw.using(backend="numpy"):
        want = lw.hessian(total(k))(lw.asarray(k.points, dtype=lw.float64))
    found = lw.hessian(total(k))(lw.asarray(k.points, dtype=lw.float64))
    np.testing.assert_allclose(lw.to_numpy(found), want, atol=1e-12)


_SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 0.5, -0.5, 1e-30, np.inf, -np.inf, np.nan, 2.5, -7.25]
_ONE: dict[str, Callable[[Any], Any]] = {
    "abs": lw.abs, "fabs": lw.fabs, "clip": lambda x: lw.clip(x, -1.0, 1.0), "hard_tanh": lw.nn.hard_tanh,
    "hard_sigmoid": lw.nn.hard_sigmoid, "hard_silu": lw.nn.hard_silu, "leaky_relu": lw.nn.leaky_relu,
    "selu": lw.nn.selu, "cummax": lw.cummax, "cummin": lw.cummin,
    **{f"norm {p}": (lambda x, p=p: lw.linalg.vector_norm(x, ord=p)) for p in (1, np.inf, -np.inf, 3)},
}  # fmt: skip
_TWO = {f.__name__: f for f in (lw.maximum, lw.minimum, lw.fmax, lw.fmin, lw.copysign, lw.hypot)}


def _bits(x: Any) -> bytes:
    """The bits; all nan alike."""
    data = np.asarray(lw.to_numpy(lw.astype(x, lw.float64)))
    return np.where(np.isnan(data), np.nan, data).tobytes()


@pytest.mark.parametrize("dtype", [lw.float32, lw.float64, lw.bfloat16, lw.float16])
def test_what_is_differentiated_has_the_same_bits(differentiating: str, dtype: lw.Dtype) -> None:
    x = lw.asarray(_SPECIAL, dtype=dtype)
    for name, f in _ONE.items():
        assert _bits(lw.vjp(f, x)[0]) == _bits(f(x)), name
    pairs = np.array([(a, b) for a in _SPECIAL for b in _SPECIAL]).T
    x1, x2 = (lw.asarray(p, dtype=dtype) for p in pairs)
    for name, g in _TWO.items():
        assert _bits(lw.vjp(g, x1, x2)[0]) == _bits(g(x1, x2)), name


def test_slopes_beside_infinities_and_nan(differentiating: str) -> None:
    x = lw.asarray([np.inf, -np.inf, np.nan, 5.0])
    assert lw.grad(lambda x: lw.sum(lw.abs(x)[:2]))(x).tolist()[:2] == [1.0, -1.0]
    ones = lw.asarray([1.0, 1.0, 1.0, np.nan])
    assert lw.grad(lambda x: lw.sum(lw.fmax(x, ones)))(x).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert lw.grad(lambda x: lw.sum(lw.maximum(x, ones)[:2]))(x).tolist()[:2] == [1.0, 0.0]
    same = lw.asarray([np.inf, -np.inf])
    assert lw.grad(lambda x: lw.sum(lw.maximum(x, same)))(same).tolist() == [0.5, 0.5]
    assert lw.grad(lambda x: lw.sum(lw.clip(x, -1.0, 1.0)))(x).tolist()[:2] == [0.0, 0.0]


def test_integers_and_complex_numbers_beside_what_is_differentiated(differentiating: str) -> None:
    n = lw.asarray([-3, 0, 4])

    def f(x: lw.Array) -> lw.Array:
        counts = lw.maximum(lw.abs(n), lw.clip(n, 0, 2))
        return lw.sum(x * counts) + lw.sum(lw.abs(lw.astype(x, lw.complex64)))

    assert lw.grad(f)(lw.asarray([0.0, 2.0, -1.0])).tolist() == [3.0, 1.0, 3.0]


def test_the_frameworks_own_transformations_have_our_slopes() -> None:
    seen = 0
    for name in NATIVE:
        try:
            with lw.using(backend=name):
                zero = lw.zeros(1)
        except BackendNotInstalledError:
            continue
        seen += 1
        if name == "torch":
            x = zero.data.requires_grad_()
            lw.sum(lw.fmax(lw.asarray(x), 0.0)).data.backward()
            found = x.grad
        elif name == "jax":
            import jax

            found = jax.grad(lambda x: lw.sum(lw.fmax(lw.asarray(x), 0.0)).data)(zero.data)
        else:
            import tensorflow as tf

            with tf.GradientTape() as tape:
                tape.watch(zero.data)
                y = lw.fmax(zero, 0.0).data
            found = tape.gradient(y, zero.data)
        assert np.asarray(found).tolist() == [0.5]
    assert seen or pytest.skip("no framework is installed")


@pytest.mark.parametrize("name", DIFFERING)
def test_a_graph_that_is_differentiated_has_our_slopes(differentiating: str, name: str, tmp_path: Path) -> None:
    """From a trace, faster and from a file, in a function around it, under each policy."""
    k = BY_NAME[name]
    x = lw.asarray(k.points, dtype=lw.float64)
    graphs = [lw.trace(total(k), x)]
    if differentiating == "torch":
        graphs.append(graphs[0].faster())
    if differentiating in NATIVE:
        graphs[0].save(tmp_path / "graph")
        graphs.append(lw.load(tmp_path / "graph"))
    for graph in graphs:
        assert np.allclose(lw.to_numpy(lw.grad(graph)(x)), k.ours, equal_nan=True)
        twice = lw.to_numpy(lw.grad(lambda x, graph=graph: 2 * graph(x))(x))
        assert np.allclose(twice, 2 * np.asarray(k.ours), equal_nan=True)
    with lw.using(gradients="native"):
        native = lw.to_numpy(lw.grad(total(k))(x))
        assert np.allclose(lw.to_numpy(lw.grad(lw.trace(total(k), x))(x)), native, equal_nan=True)
    if differentiating in NATIVE:
        with lw.using(gradients="rules"):
            assert np.allclose(lw.to_numpy(lw.grad(lw.trace(total(k), x))(x)), k.ours, equal_nan=True)


def test_graphs_are_the_frameworks_calls_where_nothing_is_differentiated() -> None:
    pytest.importorskip("jax")
    with lw.using(backend="jax"):
        x = lw.zeros(3)
    assert "jnp.abs(x)" in lw.trace(lw.abs, x).source
    slope = lw.grad(lambda x: lw.sum(lw.abs(x)))
    assert "jnp.abs" not in _code(lw.trace(slope, x).body.text)
    with lw.using(gradients="native"):
        assert "jnp.abs" in _code(lw.trace(slope, x).body.text)


def _code(source: str) -> str:
    """A source without its comments."""
    return "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("f", [lw.fmax, lw.copysign])
def test_the_source_of_a_gradient_has_our_slopes_without_latticework(differentiating: str, f: Any) -> None:
    if differentiating not in NATIVE:
        pytest.skip("its slopes are in the source of the gradient itself")
    x = lw.asarray([-1.0, 0.0, 2.0])
    graph = lw.trace(lw.grad(lambda x: lw.sum(f(x, lw.zeros_like(x)))), x)
    made: dict[str, Any] = {}
    exec(graph.source, made)
    assert "import latticework" not in graph.source
    assert np.asarray(made["traced"](x.data)).tolist() == lw.grad(lambda x: lw.sum(f(x, lw.zeros_like(x))))(x).tolist()


def test_a_saved_graph_keeps_its_slopes(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with lw.using(backend="torch"):
        x = lw.asarray([-1.0, 0.5, 1.0])
    for gradients, want in (("unified", [1.0, 1.0, 1.0]), ("native", [0.0, 1.0, 0.0])):
        with lw.using(gradients=gradients):  # type: ignore[typeddict-item]
            graph = lw.trace(lw.grad(lambda x: lw.sum(lw.nn.hard_tanh(x))), x)
        graph.save(tmp_path / gradients)
        loaded = lw.load(tmp_path / gradients)
        assert graph(x).tolist() == loaded(x).tolist() == want
        assert loaded.policy.gradients == gradients


def test_a_function_knows_the_frameworks_slopes() -> None:
    own = slopes.own_slopes(lambda x: x, abs)
    assert slopes.slopes_of(own, current()) is own
    assert slopes.own_of(abs) is own
    with lw.using(gradients="native"):
        assert slopes.slopes_of(own, current()) is abs
        assert slopes.slopes_of(len, current()) is len


def test_the_page_is_up_to_date() -> None:
    assert pages.out_of_date(derivatives_page.made()) == [], "run make pages"


def test_the_drawing_has_each_kink_with_two_sides() -> None:
    """Latticework's slope and the frameworks' lie between the slopes on the two sides."""
    matplotlib = pytest.importorskip("matplotlib")
    drawn = slopes_drawing.drawn()
    assert len(drawn) > 25
    for k, (left, right) in drawn:
        for of in slopes_drawing.WHOSE:
            assert min(left, right) - 1e-4 <= getattr(k, of)[0] <= max(left, right) + 1e-4, k.name
    svg = derivatives_page.DRAWING.read_text(encoding="utf-8")
    assert all(f">{k.name.replace('`', '')}, {k.where}</text>" in svg for k, _ in drawn)
    if f"Matplotlib v{matplotlib.__version__}," in svg:  # another version places things a little differently
        assert draw.svg_of(slopes_drawing.figure()) == svg, "run python tools/derivatives_page.py --draw"
