"""Python numbers as inputs of compiled functions: the same results as eager calls, whatever is done with the number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

import latticework as lw
from latticework.errors import GraphFileError

Number = int | float | complex


def outcome(f: Callable[..., Any], *args: Any, **kw: Any) -> Any:
    """What a call gives, to the bit, or the error that it raises."""
    try:
        result = f(*args, **kw)
    except Exception as error:
        return type(error), str(error)
    return shown(result)


def shown(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(shown, x))
    if isinstance(x, lw.Array):
        data = lw.to_numpy(x)
        return (
            x.dtype,
            data.shape,
            "nan" if data.dtype.kind not in "fc" else np.isnan(data).tolist(),
            np.where(np.isnan(data) if data.dtype.kind in "fc" else False, 0, data).tobytes(),
        )
    return type(x), repr(x)


# --- random programs --------------------------------------------------------------------------------------------------

#: Functions of numbers, by how many they take: Python's arithmetic, and what looks at a value.
OF_NUMBERS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, lambda a, b: a + b), "sub": (2, lambda a, b: a - b), "mul": (2, lambda a, b: a * b),
    "div": (2, lambda a, b: a / b), "floordiv": (2, lambda a, b: a // b), "mod": (2, lambda a, b: a % b),
    "pow": (2, lambda a, b: a**b if isinstance(b, float) else a**3), "square": (1, lambda a: a**2),
    "decay": (1, lambda a: 0.9**a),
    "neg": (1, lambda a: -a), "pos": (1, lambda a: +a), "abs": (1, abs), "one minus": (1, lambda a: 1 - a),
    "half": (1, lambda a: a * 0.5), "sin": (1, math.sin), "float": (1, float), "int": (1, int), "round": (1, round),
    "larger": (2, max), "choice": (2, lambda a, b: a if a < b else b + 1), "truth": (2, lambda a, b: a or b),
    "equal": (2, lambda a, b: 2.0 if a == b else a), "type": (1, lambda a: a if type(a) is float else a * 3),
    "isinstance": (1, lambda a: a + 1 if isinstance(a, int) else a), "text": (1, lambda a: float(len(f"{a:.2f}"))),
    "str": (1, lambda a: len(str(a))), "hash": (1, lambda a: hash(a) % 5), "real": (1, lambda a: a.real),
    "numpy": (1, lambda a: float(np.float64(a) * 2)), "ufunc": (1, lambda a: np.multiply(a, 2.0).item()),
    "divmod": (2, lambda a, b: divmod(a, b)[1]), "key": (1, lambda a: {0: 1.0, 2.0: 3}.get(a, a)),
}  # fmt: skip
#: What is done with an array and a number.
OF_BOTH: dict[str, Callable[..., Any]] = {
    "x+a": lambda x, a: x + a, "a-x": lambda x, a: a - x, "x*a": lambda x, a: x * a, "a*x": lambda x, a: a * x,
    "x/a": lambda x, a: x / a, "a/x": lambda x, a: a / x, "x//a": lambda x, a: x // a, "x%a": lambda x, a: x % a,
    "x**a": lambda x, a: x**a, "where": lambda x, a: lw.where(x > a, x, a), "roll": lw.roll,
    "full": lambda x, a: x + lw.full(x.shape, a),
    "maximum": lw.maximum, "clip": lambda x, a: lw.clip(x, a, None), "add": lw.add, "less": lambda x, a: x < a,
    "index": lambda x, a: x[a], "slice": lambda x, a: x[: a or 1], "axis": lambda x, a: lw.sum(x, axis=a),
    "array": lambda x, a: x * lw.asarray(a),
    "softplus": lambda x, a: lw.nn.softplus(x, beta=a), "atan2": lw.atan2, "numpy": lambda x, a: x * np.float32(a),
}  # fmt: skip


def in_place(x: lw.Array, a: Number) -> lw.Array:
    y = lw.astype(x, x.dtype, copy=True)
    y += a
    y[0] = a
    return y


OF_BOTH["in place"] = in_place


def program(steps: list[tuple[str, str, int, int]], gives: bool) -> Callable[..., Any]:
    """A function of an array and two numbers: each step computes a number and uses it on the array."""

    def f(x: lw.Array, a: Number, b: Number) -> Any:
        known: list[Any] = [a, b]
        for of_numbers, of_both, i, j in steps:
            count, function = OF_NUMBERS[of_numbers]
            known.append(function(*[known[k % len(known)] for k in (i, j)[:count]]))
            x = OF_BOTH[of_both](x, known[(i + j) % len(known)])
        return (x, known[-1]) if gives else x

    return f


STEP = st.tuples(st.sampled_from([*OF_NUMBERS]), st.sampled_from([*OF_BOTH]), st.integers(0, 4), st.integers(0, 4))
VALUES: dict[type, list[Number]] = {
    float: [0.5, 2.0, -1.5, 0.0, -0.0, 3.25e10, 0.1],
    int: [1, 2, -3, 0, 300, 7],
    complex: [1 + 2j, -0.5j, 2 + 0j],
}
LISTS = st.sampled_from(
    [(float, float), (int, int), (float, int), (int, float), (complex, float), (float, complex)]
).flatmap(lambda kinds: st.lists(st.tuples(*[st.sampled_from(VALUES[kind]) for kind in kinds]), min_size=3, max_size=6))


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(STEP, min_size=1, max_size=3), LISTS, st.booleans(), st.sampled_from(["float32", "int32", "int8"]))
@example([("one minus", "a*x", 0, 2)], [(0.5, 1.0), (0.25, 1.0), (0.75, 1.0)], True, "float32")
@example([("decay", "x*a", 0, 2)], [(1, 1), (2, 1), (3, 1)], False, "float32")
@example([("abs", "x+a", 0, 0)], [(1, 1), (2, 1), (1000, 1)], False, "int8")
def test_programs_of_numbers(
    steps: list[tuple[str, str, int, int]], values: list[tuple[Number, Number]], gives: bool, dtype: str
) -> None:
    f = program(steps, gives)
    compiled = lw.compile(f)
    x = lw.asarray([1, 2, 3], dtype=lw.Dtype(dtype))
    for a, b in values:
        with np.errstate(all="ignore"):
            assert outcome(compiled, x, a, b) == outcome(f, x, a, b), (a, b)


# --- what is an input, and what is not --------------------------------------------------------------------------------


@lw.compile
def descend(x: lw.Array, rate: float, steps: int = 2) -> lw.Array:
    if rate < 0:
        raise ValueError("rate is negative")
    for _ in range(steps):
        x = x - rate * lw.sin(x) + (1 - rate) ** 2
    return x


def test_a_number_that_changes_is_an_input(backend: str) -> None:
    with lw.using(backend=backend):
        f = descend.__wrapped__  # type: ignore[attr-defined]
        compiled = lw.compile(f)
        x = lw.asarray([0.5, 1.0, 2.0])
        for rate in (0.1, 0.2, 0.30000000000000004, 0.0, -0.0, 1e-40):
            assert outcome(compiled, x, rate) == outcome(f, x, rate)
            assert outcome(compiled, x, rate=rate) == outcome(f, x, rate=rate)
        assert len(compiled.compiled.graphs) == 4  # by position and by name, each with a constant and with an input
        assert outcome(compiled, x, -1.0) == (ValueError, "rate is negative")
        (first, second) = [r for r in lw.explain_retraces(compiled) if r.inputs == ("rate",)]
        assert first.why == "it was traced with 0.1 where this call has 0.2. From now on an input: rate"
        assert "(1 - rate) ** 2" in first.graph.body.text
        assert "(1 - rate) ** 2" in second.graph.body.text


def test_a_number_that_is_looked_at_stays_a_constant() -> None:
    x = lw.asarray([0.5, 1.0, 2.0], backend="numpy")
    compiled = lw.compile(descend.__wrapped__)  # type: ignore[attr-defined]
    for steps in (1, 2, 3):
        for rate in (0.1, 0.2):
            assert shown(compiled(x, rate, steps)) == shown(descend(x, rate, steps))
    found = lw.explain_retraces(compiled)
    assert [len(compiled.compiled.graphs), len(found)] == [4, 4]
    (why,) = [r.constants["steps"] for r in found if r.constants]
    assert why.startswith("the function uses it as an index, an axis or an extent (")
    assert why.endswith("for _ in range(steps):)")
    assert [r.inputs for r in found if r.inputs] == [("rate",)]


def test_ints_are_checked_as_eagerly() -> None:
    x = lw.asarray([1, 2], dtype=lw.int8, backend="numpy")
    compiled = lw.compile(lambda x, n: x + n)
    for n in (1, 2, 3, 127, -128, 128, 4, 1 << 70):
        assert outcome(compiled, x, n) == outcome(lambda x, n: x + n, x, n)
    assert len(compiled.compiled.graphs) == 2


def test_numbers_are_floats_to_who_asks() -> None:
    def f(x: lw.Array, a: Any) -> lw.Array:
        return x * a if isinstance(a, float) and not isinstance(a, int) and not hasattr(a, "__index__") else x

    compiled = lw.compile(f)
    for a in (0.5, 0.25):
        assert shown(compiled(lw.asarray([1.0], backend="numpy"), a)) == shown(lw.asarray([a]))
    assert compiled.compiled.graphs[-1].numbers


def test_graphs_with_numbers_are_not_saved(tmp_path: Any) -> None:
    compiled = lw.compile(lambda x, a: x * a)
    for a in (0.5, 0.25):
        compiled(lw.asarray([1.0], backend="numpy"), a)
    with pytest.raises(GraphFileError, match="Python numbers as inputs"):
        compiled.compiled.graphs[-1].save(tmp_path / "graph.lwg")
    assert "Python float" in str(compiled.compiled.graphs[-1])
