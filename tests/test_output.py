"""`out=`: what is written, what is refused, and that the array given is the one returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import IMMUTABLE, frames

import latticework as lw
from latticework.core.registry import OPS, load
from latticework.engine.op import Op

load()
#: Functions that take `out`, by the number of their operands.
TAKE_OUT = [o for o in OPS.values() if o.has_out and o.kind != "composition"]


def operands_of(o: Op) -> tuple[Any, ...]:
    """Operands that the function takes, all of one shape."""
    kind = lw.bool if o.accepts == "integral or bool" else lw.int32 if o.accepts == "integral" else lw.float32
    x = lw.asarray([[1, 0], [0, 1]], dtype=kind)
    if o.sequence:
        return ([x, x],)
    return tuple(lw.asarray([[0, 1]]) if o.role_of.get(n) == "index" else x for n in o.operands)


@pytest.mark.parametrize("name", [o.name for o in TAKE_OUT])
def test_every_function_that_declares_it_writes_into_it(name: str) -> None:
    operands, f = operands_of(OPS[name]), getattr(lw, name)
    kw = {"axis": 1} if "axis" in OPS[name].signature.parameters else {}
    with np.errstate(all="ignore"):
        compare_with_out(f, operands, kw)


def compare_with_out(f: Callable[..., Any], operands: tuple[Any, ...], kw: dict[str, Any]) -> None:
    expected = f(*operands, **kw)
    out = lw.full(expected.shape, 7, dtype=lw.float32) if expected.dtype.kind == "f" else lw.zeros_like(expected)
    data = out.data
    assert f(*operands, **kw, out=out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(data, expected)  # the memory is the caller's
    assert f(*operands, **kw, out=None) is not out


#: Calls with `out` as compositions, methods and functions of arrays take it.
CALLS: dict[str, Callable[..., Any]] = {
    "add": lambda x, **kw: lw.add(x, 1, **kw),
    "sqrt": lw.sqrt,
    "sum": lambda x, **kw: lw.sum(x, 0, **kw),
    "concat": lambda x, **kw: lw.concat([x, x], 1, **kw),
    "matmul": lambda x, **kw: lw.matmul(x, x, **kw),
    "clip": lambda x, **kw: lw.clip(x, 2, 3, **kw),
    "around": lambda x, **kw: lw.around(x, 1, **kw),
    "concatenate": lambda x, **kw: lw.concatenate([x, x], **kw),
    "cumsum": lambda x, **kw: lw.cumsum(x, 0, **kw),
    "amax": lambda x, **kw: lw.amax(x, 0, **kw),
    "dot": lambda x, **kw: lw.dot(x, x, **kw),
    "einsum": lambda x, **kw: lw.einsum("ij->j", x, **kw),
    "x.mean": lambda x, **kw: x.mean(0, **kw),
    "logical_and": lambda x, **kw: lw.logical_and(x, x, **kw),
}


@pytest.mark.parametrize("call", CALLS)
def test_out_on_every_backend(backend: str, call: str) -> None:
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])
    expected = CALLS[call](x)
    out = lw.zeros_like(expected)
    alias, data = out, out.data
    assert CALLS[call](x, out=out) is out is alias
    np.testing.assert_array_equal(np.asarray(out), np.asarray(expected))
    if backend not in IMMUTABLE:
        np.testing.assert_array_equal(np.asarray(data), np.asarray(expected))


def test_out_may_be_an_operand(backend: str) -> None:
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert lw.matmul(x, x, out=x) is x
    assert x.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_out_by_position_as_in_numpy() -> None:
    x, out = lw.asarray([1.0, 4.0]), lw.zeros(2)
    assert lw.sqrt(x, out) is out
    assert out.tolist() == [1.0, 2.0]
    assert lw.add(x, x, out) is out
    assert out.tolist() == [2.0, 8.0]


def test_out_of_another_dtype_follows_the_rules_of_assignment(backend: str) -> None:
    x = lw.asarray([1, 2])
    out = lw.zeros(2, dtype=lw.float64)
    lw.add(x, x, out=out)
    assert out.tolist() == [2.0, 4.0]
    assert out.dtype is lw.float64
    with pytest.raises(TypeError, match="divide: the result is float32, which does not go into out, an array of int32"):
        lw.divide(x, x, out=x)
    with lw.using(rules="numpy"):
        x = lw.ones(2, dtype=lw.float32)
        lw.add(x, lw.ones(2, dtype=lw.float64), out=x)
        assert x.tolist() == [2.0, 2.0]


def test_out_that_does_not_fit_is_refused(backend: str) -> None:
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])
    wrong = lw.zeros(3)
    for call in (CALLS["add"], CALLS["clip"], CALLS["sum"]):
        with pytest.raises(ValueError, match=r"\w+: out must have the shape of the result, \(.*; got .* shape \(3,\)"):
            call(x, out=wrong)
    assert wrong.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(TypeError, match=r"add: out must be an Array of latticework; got ndarray.*lw.asarray\(out\)"):
        CALLS["add"](x, out=np.zeros((2, 2)))


def test_out_that_is_a_view(backend: str) -> None:
    a = lw.zeros((2, 3))
    x = lw.ones(3)
    if backend in IMMUTABLE:
        with pytest.raises(ValueError, match="add: this array was made of another one"):
            lw.add(x, x, out=a[0])
        return
    lw.add(x, x, out=a[0])
    assert a.tolist() == [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]


def test_out_of_another_backend_is_refused() -> None:
    pytest.importorskip("torch")
    x = lw.asarray([1.0], backend="numpy")
    with pytest.raises(TypeError, match="add: the result is of the numpy backend and out is of torch"):
        lw.add(x, x, out=lw.asarray([1.0], backend="torch"))


def test_out_that_cannot_be_written_to_is_refused() -> None:
    for backend in ("numpy", "torch"):
        pytest.importorskip(backend)
        with lw.using(backend=backend):
            out = lw.broadcast_to(lw.zeros(1), (2,))
            with pytest.raises(ValueError, match=r"sqrt: out cannot be written to .*out=x.copy\(\)"):
                lw.sqrt(lw.ones(2), out=out)


def test_a_call_without_out_enters_no_function_more() -> None:
    x = lw.ones(2)
    assert len(frames(lambda: lw.add(x, x))) == len(frames(lambda: lw.sqrt(x))) == 1


def test_a_plan_and_inference_take_out() -> None:
    x, out = lw.ones((2, 3)), lw.zeros(3)
    assert lw.plan(lw.sum, x, 0, out=out).shapes == ((3,),)
    assert lw.plan(lw.add, x, x, out=x).shapes == ((2, 3),)

    def f(x: lw.Array) -> lw.Array:
        return lw.sum(x, 0, out=lw.zeros(3))

    assert lw.infer(f, lw.spec((2, 3), "float32")).shape == (3,)
