"""Lists and tuples in the place of arrays: what says so, and what to write; and NumPy's methods of its functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check

import latticework as lw

OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_with_a_list_says_what_to_write(backend: str, name: str) -> None:
    x = lw.asarray([1, 2, 3])
    for other in ([1, 2, 3], (1, 2, 3), [], [[1], [2]]):
        with pytest.raises(TypeError) as caught:
            OPERATORS[name](x, other)
        kind = type(other).__name__
        assert str(caught.value) == f"{name}: takes arrays; got {kind}. Make an array of it: lw.asarray({other})"
    check(x, [1, 2, 3], lw.int32)


def test_comparing_with_a_list_is_no_silent_false(backend: str) -> None:
    x = lw.asarray([1, 2])
    for compare in (
        lambda: operator.eq([1, 2], x),
        lambda: x == [1, 2],
        lambda: x != (1, 2),
        lambda: operator.lt([3, 4], x),
    ):
        with pytest.raises(TypeError, match=r": takes arrays; got (list|tuple)\. Make an array of it: lw\.asarray"):
            compare()
    check(x == lw.asarray([1, 3]), [True, False], lw.bool)
    assert x != None  # noqa: E711 - what is no operand at all is not equal, as ever
    assert x != "ab"
    assert x != {1, 2}


def test_in_place_with_a_list(backend: str) -> None:
    x = lw.asarray([1, 2])
    with pytest.raises(TypeError, match=r"add: takes arrays; got list\. Make an array of it: lw\.asarray\(\[1, 2\]\)"):
        x += [1, 2]
    check(x, [1, 2], lw.int32)
    x += lw.asarray([1, 2])
    check(x, [2, 4], lw.int32)


def test_what_lists_do_themselves_is_left_to_them(backend: str) -> None:
    """A list grows by rows, as by those of any sequence."""
    grown = [lw.asarray(0)]
    grown += lw.asarray([1, 2])
    assert [int(x) for x in grown] == [0, 1, 2]
    with pytest.raises(TypeError, match="multiply: takes arrays; got list"):
        lw.asarray([3, 4]) * [1]

    class Mine(list[int]):
        def __radd__(self, other: Any) -> str:
            return "mine"

    assert lw.asarray([1, 2]) + Mine([1]) == "mine"


def test_an_operator_with_a_list_on_the_left_says_the_same(backend: str) -> None:
    x = lw.asarray([1, 2, 3])
    for other in ([1, 2, 3], (1, 2, 3), [], [[1], [2]]):
        calls: dict[str, Callable[[Any], Any]] = {
            "add": lambda y: y + x, "subtract": lambda y: y - x, "multiply": lambda y: y * x,
            "divide": lambda y: y / x, "floor_divide": lambda y: y // x, "remainder": lambda y: y % x,
            "pow": lambda y: y**x, "matmul": lambda y: y @ x, "bitwise_and": lambda y: y & x,
        }  # fmt: skip
        for name, call in calls.items():
            with pytest.raises(TypeError) as caught:
                call(other)
            kind = type(other).__name__
            assert str(caught.value) == f"{name}: takes arrays; got {kind}. Make an array of it: lw.asarray({other})"


def test_an_integer_without_dimensions_does_not_repeat_a_list_silently(backend: str) -> None:
    """NumPy's arrays multiply it, Python's numbers repeat it."""
    n = lw.asarray(2)
    for call in (
        lambda: [1, 2] * n,
        lambda: n * [1, 2],
        lambda: operator.mul([1, 2], n),
        lambda: operator.imul(n, [1, 2]),
    ):
        with pytest.raises(
            TypeError,
            match=r"^multiply: takes arrays; got list\. Make an array of it: lw\.asarray\(\[1, 2\]\)\. "
            r"To repeat the list as often as the array says: x \* int\(n\)$",
        ):
            call()
    with pytest.raises(TypeError, match="^multiply: takes arrays; got tuple"):
        (1, 2) * n
    assert [1] * int(n) == [1, 1]
    check(lw.asarray([1, 2]) * n, [2, 4], lw.int32)
    with pytest.raises(TypeError, match=r"^multiply: takes arrays; got list.*asarray\(\[1, 2\]\)$"):
        [1, 2] * lw.asarray(2.0)


def test_functions_of_lists_name_the_one_call_to_write(backend: str) -> None:
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: lw.sum((1, 1)), r"sum: .* got tuple\. Write lw\.sum\(lw\.asarray\(\(1, 1\)\)\)"),
        (lambda: lw.append([1], lw.ones(2)), r"append: .* got list\. Make an array of it: lw\.asarray\(\[1\]\)$"),
        (lambda: lw.cumsum([1, 2]), r"cumsum: .* got list\. Write lw\.cumsum\(lw\.asarray\(\[1, 2\]\)\)$"),
        (lambda: lw.linalg.norm([1, 2]), r"linalg\.norm: .* Write lw\.linalg\.norm\(lw\.asarray\(\[1, 2\]\)\)"),
    ]
    for call, text in calls:
        with pytest.raises(TypeError, match=text):
            call()
    check(lw.sum(lw.asarray((1, 1))), 2, lw.int32)


#: A call with lists -> the call that its error says to write. Both are evaluated.
WRITTEN = {
    "lw.clip([1, 5], 2, 3)": "lw.clip(lw.asarray([1, 5]), 2, 3)",
    "lw.round([1.234], 2)": "lw.round(lw.asarray([1.234]), 2)",
    "lw.sum([[1, 2], [3, 4]], axis=0)": "lw.sum(lw.asarray([[1, 2], [3, 4]]), axis=0)",
    "lw.sum([[1, 2], [3, 4]], 0)": "lw.sum(lw.asarray([[1, 2], [3, 4]]), 0)",
    "lw.sum([1, 2], dtype=lw.int64, keepdims=True)": "lw.sum(lw.asarray([1, 2]), keepdims=True, dtype=lw.int64)",
    "lw.sum([1, 2], dtype=float)": "lw.sum(lw.asarray([1, 2]), dtype=float)",
    "lw.sum(range(3))": "lw.sum(lw.asarray([*range(0, 3)]))",
    "lw.sum(map(float, [1, 2]))": "lw.sum(lw.asarray([*x]))",
    "lw.sum((i for i in [1, 2]), axis=0)": "lw.sum(lw.asarray([*x]), axis=0)",
    "lw.sum(list(range(100)), 0)": "lw.sum(lw.asarray(x), 0)",
    "lw.std([1, 2], ddof=1)": "lw.std(lw.asarray([1, 2]), ddof=1)",
    "lw.argsort([1, 2], descending=True)": "lw.argsort(lw.asarray([1, 2]), descending=True)",
    "lw.histogram([1, 2, 3], bins=2)": "lw.histogram(lw.asarray([1, 2, 3]), bins=2)",
    "lw.pad([1, 2], (1, 2), mode='edge')": "lw.pad(lw.asarray([1, 2]), (1, 2), mode='edge')",
    "lw.tile([1, 2], 3)": "lw.tile(lw.asarray([1, 2]), 3)",
    "lw.quantile([1.0, 2], 0.5)": "lw.quantile(lw.asarray([1.0, 2]), 0.5)",
    "lw.concat([[1, 2], [3]])": "lw.concat([lw.asarray([1, 2]), lw.asarray([3])])",
    "lw.stack([[1], [3]], axis=1)": "lw.stack([lw.asarray([1]), lw.asarray([3])], axis=1)",
    "lw.where([True], 1, 2)": "lw.where(lw.asarray([True]), 1, 2)",
    "lw.add(1, [1, 2])": "lw.add(1, lw.asarray([1, 2]))",
    "lw.matmul([[1]], [2])": "lw.matmul(lw.asarray([[1]]), lw.asarray([2]))",
    "lw.arccos([1])": "lw.arccos(lw.asarray([1]))",
    "lw.nanmax([1.0, lw.nan])": "lw.nanmax(lw.asarray([1.0, lw.nan]))",
    "lw.searchsorted([1, 2], [2], side='right')": "lw.searchsorted(lw.asarray([1, 2]), lw.asarray([2]), side='right')",
    "lw.average([1, 2], weights=[1, 2])": "lw.average(lw.asarray([1, 2]), weights=lw.asarray([1, 2]))",
    "lw.diff([1, 2], prepend=[1])": "lw.diff(lw.asarray([1, 2]), prepend=lw.asarray([1]))",
    "lw.meshgrid([1], [2], indexing='ij')": "lw.meshgrid(lw.asarray([1]), lw.asarray([2]), indexing='ij')",
    "lw.einsum('i,i', [1], [2])": "lw.einsum('i,i', lw.asarray([1]), lw.asarray([2]))",
    "lw.gradient([1.0, 2.0], 2.0)": "lw.gradient(lw.asarray([1.0, 2.0]), 2.0)",
    "lw.linalg.norm([1, 2], ord=1)": "lw.linalg.norm(lw.asarray([1, 2]), ord=1)",
    "lw.nn.softmax([1.0, 2], axis=0)": "lw.nn.softmax(lw.asarray([1.0, 2]), axis=0)",
    "lw.nn.linear([[1.0]], [[2.0]])": "lw.nn.linear(lw.asarray([[1.0]]), lw.asarray([[2.0]]))",
}  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_the_call_to_write_has_all_arguments_and_runs(written: str) -> None:
    names = {"lw": lw, "x": [1, 2]}
    with pytest.raises(TypeError, match=r": takes arrays; got \w+\. Write ") as caught:
        eval(written, names)
    call = str(caught.value).partition("Write ")[2]
    assert call == WRITTEN[written]
    eval(call, names)


# --- NumPy's methods of its functions ---------------------------------------------------------------------------------

X = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]])
REDUCED = ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logaddexp", "fmax", "fmin"]


@pytest.mark.parametrize("name", REDUCED)
def test_reduce(backend: str, name: str) -> None:
    x, theirs, ours = lw.asarray(X), getattr(np, name), getattr(lw, name)
    dtype = lw.bool if name.startswith("logical") else lw.float64
    check(ours.reduce(x), theirs.reduce(X), dtype)
    check(ours.reduce(x, axis=1), theirs.reduce(X, axis=1), dtype)
    check(ours.reduce(x, 1, keepdims=True), theirs.reduce(X, 1, keepdims=True), dtype)
    check(ours.reduce(x, axis=None), theirs.reduce(X, axis=None), dtype)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logaddexp"])
def test_accumulate(backend: str, name: str) -> None:
    for axis in (0, 1):
        got = getattr(lw, name).accumulate(lw.asarray(X), axis)
        check(got, getattr(np, name).accumulate(X, axis), lw.float64)


def test_outer(backend: str) -> None:
    x, y = lw.asarray([1.0, 2.0]), lw.asarray([[3.0, 4.0, 5.0]])
    for name in ("add", "subtract", "divide", "power", "hypot", "maximum", "arctan2", "less"):
        got = getattr(lw, name).outer(x, y)
        check(got, getattr(np, name).outer([1.0, 2.0], [[3.0, 4.0, 5.0]]), got.dtype)
    check(lw.multiply.outer(lw.asarray(2.0), 3.0), 6.0, lw.float32)
    check(lw.subtract.outer(x, 1), [0.0, 1.0], lw.float32)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_at_writes_at_positions_as_often_as_each_comes(backend: str, name: str) -> None:
    want, x = np.ones(4), lw.ones(4, dtype=lw.float64)
    getattr(np, name).at(want, [0, 0, 2], [2.0, 3.0, 0.5])
    same = x
    assert getattr(lw, name).at(x, [0, 0, 2], lw.asarray([2.0, 3.0, 0.5])) is None
    check(x, want, lw.float64)
    assert same is x
    getattr(np, name).at(want, 1, 2.0)
    getattr(lw, name).at(x, 1, 2.0)
    check(x, want, lw.float64)


def test_functions_have_no_method_without_a_meaning_of_ours() -> None:
    assert not hasattr(lw.hypot, "reduce")
    assert not hasattr(lw.sum, "reduce")
    assert not hasattr(lw.matmul, "outer")
    assert lw.add.reduce.__qualname__ == "add.reduce"
    assert "lw.sum" in lw.add.reduce.__doc__
    with pytest.raises(TypeError, match="float64 does not go into an array of int32"):
        lw.add.at(lw.zeros(3, dtype=int), [0], lw.asarray([0.5], dtype=lw.float64))
