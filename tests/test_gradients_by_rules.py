"""Derivatives by latticework's rules alone on the frameworks: ``lw.using(gradients="rules")``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from test_gradients import chosen, program, slope
from test_kinks import BY_NAME, NATIVE, total

import latticework as lw

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")


@pytest.fixture(autouse=True)
def by_rules() -> Iterator[None]:
    with lw.using(gradients="rules"):
        yield


@pytest.fixture(autouse=True)
def framework(backend: str) -> None:
    if backend not in NATIVE:
        pytest.skip("latticework's rules are all that it has")


def loss(w: lw.Array, x: lw.Array) -> lw.Array:
    return lw.mean((lw.tanh(x @ w) - 0.5) ** 2)


@pytest.fixture
def arrays() -> tuple[lw.Array, lw.Array]:
    return lw.asarray([[0.5, -1.0], [2.0, 0.25]]), lw.asarray([[1.0, 2.0], [-0.5, 0.75], [0.0, 1.0]])


def test_gradients_are_those_of_finite_differences(backend: str) -> None:
    failed = []
    for name in chosen(backend):
        f, values = program(name)
        dice = np.random.default_rng(1)
        along = [dice.normal(size=v.shape) for v in values]
        with lw.using(backend=backend if name.startswith("linalg.eig") else "numpy"), np.errstate(all="ignore"):
            expected = slope(f, values, along)
        gradients = lw.grad(f, argnums=tuple(range(len(values))))(*map(lw.asarray, values))
        found = sum(float(np.sum(lw.to_numpy(g) * d)) for g, d in zip(gradients, along, strict=True))
        if not np.allclose(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True):
            failed.append((name, found, expected))
    assert failed == []


@pytest.mark.parametrize("name", BY_NAME)
def test_at_a_kink_a_slope_is_latticeworks(backend: str, name: str) -> None:
    k = BY_NAME[name]
    found = lw.to_numpy(lw.grad(total(k))(lw.asarray(k.points)))
    assert np.allclose(found, k.ours, equal_nan=True)


def test_a_traced_gradient_is_plain_functions_of_the_framework(backend: str, arrays: tuple[lw.Array, lw.Array]) -> None:
    graph = lw.trace(lw.value_and_grad(loss), *arrays)
    source = graph.source
    code = "\n".join(line.partition("#")[0] for line in source.splitlines())
    assert not any(word in code for word in ("vjp", "grad(", "GradientTape", "latticework"))
    names: dict[str, object] = {}
    exec(source, names)
    eager = lw.value_and_grad(loss)(*arrays)
    alone = names["loss"](*[x.data for x in arrays])  # type: ignore[operator]
    with lw.using(gradients="native"):
        native = lw.value_and_grad(loss)(*arrays)
    for x, y, z in zip(eager, alone, native, strict=True):
        assert np.allclose(lw.to_numpy(x), np.asarray(y), rtol=1e-5)
        assert np.allclose(lw.to_numpy(x), lw.to_numpy(z), rtol=1e-5)


def test_transformations_nest(backend: str, arrays: tuple[lw.Array, lw.Array]) -> None:
    w, x = arrays
    found = {}
    for gradients in ("rules", "native"):
        with lw.using(gradients=gradients):
            found[gradients] = [
                lw.hessian(loss)(w, x), lw.jacfwd(lw.grad(loss))(w, x), lw.jit(lw.grad(loss))(w, x),
                lw.compile(lw.grad(loss))(w, x), lw.vmap(lw.grad(loss), in_axes=(None, 0))(w, x),
                lw.jvp(lambda w: loss(w, x), (w,), (w,))[1], lw.grad(lambda w: lw.sum(lw.grad(loss)(w, x) ** 2))(w),
            ]  # fmt: skip
    for ours, theirs in zip(found["rules"], found["native"], strict=True):
        assert np.allclose(lw.to_numpy(ours), lw.to_numpy(theirs), rtol=1e-4, atol=1e-6)


def test_the_policy_is_part_of_what_is_compiled(backend: str) -> None:
    f = lw.compile(lw.grad(lambda x: lw.sum(lw.fmax(x, lw.zeros(1)))))
    x = lw.asarray([0.0])
    assert f(x).tolist() == [0.5]
    with lw.using(gradients="native"):
        assert f(x).tolist() != [0.5]
    assert f(x).tolist() == [0.5]


def test_options_that_a_rule_does_not_know_run_as_the_composition(backend: str) -> None:
    logits, target = lw.asarray([[0.5, -1.0, 2.0], [1.0, 0.0, 0.25]]), lw.asarray([2, 0])
    weight = lw.asarray([1.0, 2.0, 0.5])

    def smooth(x: lw.Array, w: lw.Array) -> lw.Array:
        return lw.nn.cross_entropy(x, target, weight=w, label_smoothing=0.25)

    found = lw.grad(smooth, argnums=(0, 1))(logits, weight)
    with lw.using(backend="numpy"):
        numbers = [lw.asarray(lw.to_numpy(x)) for x in (logits, weight)]
        target = lw.asarray(lw.to_numpy(target))
        expected = lw.grad(smooth, argnums=(0, 1))(*numbers)
    for x, y in zip(found, expected, strict=True):
        assert np.allclose(lw.to_numpy(x), lw.to_numpy(y), rtol=1e-5)
