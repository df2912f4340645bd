"""Functions of any number of array operands, by position or by name, some of which may be left out."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import another, check, frames

import latticework as lw
from latticework import Array
from latticework.backend import get
from latticework.core.registry import OPS
from latticework.engine.declare import op
from latticework.policy import TABLES


@pytest.fixture
def declared() -> Iterator[Callable[..., Any]]:
    """What declares functions for one test."""
    before = {*OPS}

    def declare(f: Callable[..., Any], *args: Any, **facts: Any) -> Any:
        return op(*args, **facts)(f)

    yield declare
    for name in {*OPS} - before:
        del OPS[name]
        TABLES.pop(name, None)


def layer(
    x: Array,
    w: Array,
    a: Array,
    b: Array,
    /,
    bias: Array | None = None,
    *,
    gate: Array | None = None,
    scale: float = 1.0,
) -> Array:
    """A toy layer: six operands, two of them optional."""
    y = (x * w + a) * b * scale
    y = y if bias is None else y + bias
    return y if gate is None else y * gate


def by_numpy(x: Any, w: Any, a: Any, b: Any, bias: Any = None, gate: Any = None, scale: float = 1.0) -> Any:
    y = (x * w + a) * b * scale
    y = y if bias is None else y + bias
    return y if gate is None else y * gate


def test_a_layer_of_six_operands(backend: str, declared: Any) -> None:
    f = declared(layer, "floating")
    x = np.asarray([[1.0, 2.0, 3.0]], dtype=np.float32)
    i = np.asarray([[2], [1]], dtype=np.int32)
    wide = np.asarray([0.5, 0.25, -1.0], dtype=np.float64)
    ours = [lw.asarray(v, backend=backend) for v in (x, i, wide)]
    y, j, v = ours
    # It runs and promotes: each operand has its say, an optional one only where it is given.
    check(f(y, y, y, y), by_numpy(x, x, x, x), lw.float32)
    check(f(y, j, y, y), by_numpy(x, i, x, x), lw.float32)
    check(f(j, j, j, j), by_numpy(i, i, i, i), lw.float32)
    check(f(y, y, y, y, v), by_numpy(x, x, x, x, wide), lw.float64)
    check(f(y, y, y, y, bias=j), by_numpy(x, x, x, x, i), lw.float32)
    check(f(y, y, j, y, gate=v, scale=2.0), by_numpy(x, x, i, x, None, wide, 2.0), lw.float64)
    check(f(y, y, 2, 0.5, j, gate=3), by_numpy(x, x, 2, 0.5, i, 3), lw.float32)
    check(f(y, y, y, y, None, gate=None), by_numpy(x, x, x, x), lw.float32)
    check(f(y, y, y, y, bias=y.data), by_numpy(x, x, x, x, x), lw.float32)  # a framework's own array
    # It has a plan, with None for what is not given, and infers.
    p = lw.plan(f, y, j, y, y, gate=v)
    assert p.operands == (lw.float32, lw.int32, lw.float32, lw.float32, type(None), lw.float64)
    assert p.out == (lw.float64,) and p.shapes == ((2, 3),) and p.how == "composed" and p.backend.name == backend
    assert lw.plan(f, y, y, y, y).operands == (lw.float32,) * 4
    specs = [lw.spec(a.shape, a.dtype) for a in (y, j, y, y)]
    assert lw.infer(f, *specs, gate=lw.spec((3,), "float64"), backend=backend) == lw.spec((2, 3), "float64")
    assert lw.infer(f, *specs, backend=backend) == lw.spec((2, 3), "float32")
    # It refuses in our words, and nothing is kept of what failed.
    with pytest.raises(TypeError, match=r"layer: missing a required argument: 'b'. The call is layer\(x, w, a, b, /"):
        f(y, y, y)
    with pytest.raises(TypeError, match="did you mean 'bias'"):
        f(y, y, y, y, bia=y)
    with pytest.raises(TypeError, match="multiple values for argument 'bias'"):
        f(y, y, y, y, y, bias=y)
    with pytest.raises(TypeError, match="too many positional"):
        f(y, y, y, y, y, y)
    with pytest.raises(TypeError, match=r"layer: takes arrays; got list. Make an array of it"):
        f(y, y, y, y, [1.0])
    with pytest.raises(ValueError, match=r"shapes .* do not fit together"):
        f(y, y, y, y, lw.asarray(np.ones(5, np.float32), backend=backend))
    with lw.using(rules="strict"), pytest.raises(lw.errors.PromotionError, match=r"lw.astype\(bias, lw.float32\)"):
        f(y, y, y, y, j)
    other = lw.asarray(x, backend=another(backend, "torch"))
    with pytest.raises(lw.errors.BackendError, match="layer: arrays of two backends"):
        f(y, y, y, y, other)
    # Under a framework's rules: PyTorch's arrays without dimensions give way, also as an optional operand.
    with lw.using(rules="torch"):
        assert f(y, y, y, y, gate=v[0]).dtype is lw.float32
        assert f(y, y, y, y, gate=v).dtype is lw.float64


def test_a_warm_call_of_a_layer_enters_few_functions(declared: Any) -> None:
    f = declared(layer, "floating")
    x = lw.asarray([1.0, 2.0])
    composed = len(frames(lambda: layer(x, x, x, x, x)))
    assert len(frames(lambda: f(x, x, x, x, x))) <= composed + 14


def test_a_function_of_a_backend_gets_the_optional_operands_that_it_has_parameters_for(
    declared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def linear(x: Array, w: Array, /, bias: Array | None = None, *, mask: Array | None = None) -> Array:
        y = lw.matmul(x, w)
        y = y if bias is None else y + bias
        return y if mask is None else lw.where(mask, y, 0.0)

    calls: list[tuple[Any, ...]] = []

    def native(x: Any, w: Any, *, bias: Any = None) -> Any:
        calls.append((x.dtype, w.dtype, None if bias is None else bias.dtype))
        return x @ w if bias is None else x @ w + bias

    owner = get("numpy")
    monkeypatch.setattr(owner.module, "linear", native, raising=False)
    f = declared(linear, "floating", shape="matmul", mask="bool")
    x, w = lw.asarray([[1.0, 2.0]], backend="numpy"), lw.asarray([[1.0], [1.0]], backend="numpy")
    check(f(x, w), np.asarray([[3.0]]), lw.float32)
    check(f(x, w, lw.asarray([1], backend="numpy")), np.asarray([[4.0]]), lw.float32)
    single = np.dtype("float32")
    assert calls == [(single, single, None), (single, single, single)]
    assert lw.plan(f, x, w).how == "native" and lw.plan(f, x, w, bias=w[0]).how == "native"
    # It has no parameter for a mask: the composition computes that.
    mask = lw.asarray([[False]], backend="numpy")
    check(f(x, w, mask=mask), np.asarray([[0.0]]), lw.float32)
    assert len(calls) == 2 and lw.plan(f, x, w, mask=mask).how == "composed"
    # The mask has a role of its own: it takes no part in promotion.
    assert lw.plan(f, x, w, mask=mask).out == (lw.float32,)


def test_a_predicate_chooses_between_the_native_function_and_the_composition(
    declared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scaled(x: Array, /, *, power: float = 1.0) -> Array:
        return x * 2.0**power

    def native(x: Any, *, power: float = 1.0) -> Any:
        return x * np.asarray(2.0**power, x.dtype)

    def small_and_plain(x: Any, *, power: float = 1.0) -> bool:
        return x.size < 3 and power == 1.0

    native.when = small_and_plain  # type: ignore[attr-defined]
    monkeypatch.setattr(get("numpy").module, "scaled", native, raising=False)
    f = declared(scaled, "floating", shape="same")
    x, y = lw.asarray([1.0, 2.0], backend="numpy"), lw.asarray([1.0, 2.0, 3.0], backend="numpy")
    assert [lw.plan(f, x).how, lw.plan(f, y).how, lw.plan(f, x, power=2.0).how] == ["native", "composed", "composed"]
    for given in (x, y):
        check(f(given), np.asarray(given) * 2, lw.float32)
        check(f(given, power=2.0), np.asarray(given) * 4, lw.float32)


def test_the_functions_of_the_standard_that_have_optional_operands(backend: str) -> None:
    x, w = lw.asarray([1, 4, 9]), lw.asarray([0.5])
    check(lw.diff(x, prepend=w), np.asarray([0.5, 3, 5]), lw.float32)
    check(lw.diff(x, append=lw.asarray([1], dtype=lw.int64)), np.asarray([3, 5, -8]), lw.int64)
    assert lw.plan(lw.diff, x, prepend=w).operands == (lw.int32, lw.float32, type(None))
    s = lw.asarray([9, 1, 4])
    check(lw.searchsorted(s, x, sorter=lw.argsort(s)), np.asarray([0, 1, 2]), x._sig.backend.index_dtype)
    with pytest.raises(TypeError, match="searchsorted: sorter must have an integer dtype; got float32"):
        lw.searchsorted(s, x, sorter=lw.astype(s, lw.float32))


def test_setting_a_default_visits_the_tables_of_the_functions_that_were_called_alone() -> None:
    def setting() -> None:
        lw.set_default_float_dtype("float64")
        lw.unset_default_float_dtype()

    setting()
    few = len(frames(setting))
    for name in ("cos", "sin", "tan", "exp", "log", "sqrt", "abs"):
        getattr(lw, name)(lw.ones(2))
    assert len(frames(setting)) <= few  # the tables are emptied in a loop without a function for each


@pytest.mark.parametrize("obj", [[[1, 2], [3, 4]], 1.5, 3, (1.0, 2.5), np.ones(3, np.float32)], ids=repr)
def test_a_warm_conversion_enters_eight_functions_at_most(backend: str, obj: Any) -> None:
    if backend == "dask":
        pytest.skip("Dask describes the chunks of what is converted in functions of ours")
    entered = frames(lambda: lw.asarray(obj))
    assert len(entered) <= 8, entered


def test_a_plan_pickles(backend: str) -> None:
    x = lw.asarray([1, 2])
    with lw.using(backend="numpy"):
        other = lw.asarray([1.0])
    plans = [
        lw.plan(lw.add, x, 1.5), lw.plan(lw.sum, x), lw.plan(lw.astype, x, lw.float32), lw.plan("getitem", x, 0),
        lw.plan(lw.linalg.vector_norm, x), lw.plan(lw.hstack, [x, x]), lw.plan(lw.zeros, 3), lw.plan(lw.asarray, 1.5),
        lw.plan(lw.asarray, [1, 2]), lw.plan(lw.asarray, other, backend=backend),
    ]  # fmt: skip
    for plan in plans:
        back = pickle.loads(pickle.dumps(plan))
        assert str(back) == str(plan)
        assert back._replace(call=None) == plan._replace(call=None) and back.backend is plan.backend
        assert back.call.__qualname__ == plan.call.__qualname__ if hasattr(plan.call, "__qualname__") else back.call


def test_the_strict_rules_take_no_scalars_alone() -> None:
    with lw.using(rules="strict"):
        for call, name in (
            (lambda: lw.isclose(0.5, 0.5), "isclose"),
            (lambda: lw.allclose(1, 1), "allclose: in isclose"),
        ):
            with pytest.raises(TypeError, match=f"^{name}: takes arrays; got the Python "):
                call()
        assert lw.isclose(lw.asarray(0.5), 0.5).tolist() is True
    assert lw.allclose(0.5, 0.5)
