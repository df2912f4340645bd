"""What a call costs, in counts that no machine changes: Python frames and bytes. Times are in benchmarks/."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import DESCRIBES, IMMUTABLE, IN_STEPS, LAZY, STEPS, TWO, frames

import latticework as lw
from latticework.core.dtypes import CATEGORIES
from latticework.core.registry import OPS
from latticework.engine.op import Op
from latticework.policy import current
from latticework.promotion import RULES


def arrays() -> dict[str, lw.Array]:
    return {
        "x": lw.asarray([1.0, 2.0, 3.0, 4.0]),
        "y": lw.asarray([5.0, 6.0, 7.0, 8.0]),
        "i": lw.asarray([1, 2, 3, 4]),
        "p": lw.asarray([3, 1, 0, 2], dtype=lw.int64),
        "a": lw.asarray([[1.0, 2.0], [3.0, 4.0]]),
    }


CALLS: dict[str, Callable[..., Any]] = {
    "add(x, y)": lambda x, **_: lw.add(x, x),
    "add(x, 1.5)": lambda x, **_: lw.add(x, 1.5),
    "add(int32, float32)": lambda x, i, **_: lw.add(i, x),
    "x + y": lambda x, y, **_: x + y,
    "1.5 + x": lambda x, **_: 1.5 + x,
    "-x": lambda x, **_: -x,
    "x += y": lambda x, y, **_: x.__iadd__(y),
    "x == y": lambda x, y, **_: x == y,
    "cos(x)": lambda x, **_: lw.cos(x),
    "cos(int32)": lambda i, **_: lw.cos(i),
    "sum(x)": lambda x, **_: lw.sum(x),
    "sum(x, axis=0)": lambda x, **_: lw.sum(x, axis=0),
    "reshape(x, (2, -1))": lambda x, **_: lw.reshape(x, (2, -1)),
    "zeros(4)": lambda **_: lw.zeros(4),
    "matmul(a, b)": lambda a, **_: lw.matmul(a, a),
    "a @ b": lambda a, **_: a @ a,
    "x[1]": lambda x, **_: x[1],
    "promote_types": lambda **_: lw.promote_types(lw.int32, lw.float16),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warm_call_enters_four_python_functions_at_most(backend: str, call: str) -> None:
    given = arrays()
    entered = frames(lambda call=call: CALLS[call](**given))
    linked = backend in IMMUTABLE  # one function more, for what NumPy makes a view
    assert len(entered) <= 4 + linked + DESCRIBES * (backend in LAZY), entered


#: How many Python functions of ours these enter on NumPy: the dispatcher, one more where an operand is cast, and two
#: that write in place.
EXACTLY = {"add(x, y)": 1, "add(x, 1.5)": 1, "x + y": 1, "1.5 + x": 1, "-x": 1, "x += y": 3, "add(int32, float32)": 2}


#: What programs do with small arrays, and how many Python functions of ours it enters on NumPy and on PyTorch at most.
SMALL: dict[str, tuple[Callable[..., Any], int, int]] = {
    "bool(x[0] > 1)": (lambda x, **_: bool(x[0] > 1), 3, 5),
    "float(x[0])": (lambda x, **_: float(x[0]), 2, 3),
    "int(i[0])": (lambda i, **_: int(i[0]), 2, 3),
    "x[0].item()": (lambda x, **_: x[0].item(), 3, 3),
    "a[0, 1]": (lambda a, **_: a[0, 1], 2, 4),
    "len(x)": (lambda x, **_: len(x), 1, 2),
    "x.reshape(2, -1)": (lambda x, **_: x.reshape(2, -1), 2, 2),
    "x.sum()": (lambda x, **_: x.sum(), 4, 2),
    "sum(x)": (lambda x, **_: lw.sum(x), 3, 1),
    "reshape(x, (2, -1))": (lambda x, **_: lw.reshape(x, (2, -1)), 2, 2),
    "asarray(1.0)": (lambda **_: lw.asarray(1.0), 2, 4),
    "arange(5)": (lambda **_: lw.arange(5), 6, 6),
    "arange(0.0, 1.0, 0.25)": (lambda **_: lw.arange(0.0, 1.0, 0.25), 13, 14),
    "linspace(0.0, 1.0, 5)": (lambda **_: lw.linspace(0.0, 1.0, 5), 6, 7),
    "full(4, 1.5)": (lambda **_: lw.full(4, 1.5), 4, 5),
    "zeros(4, dtype=float64)": (lambda i, **_: lw.zeros(4, dtype=i.dtype), 2, 3),
    "concat([x, y])": (lambda x, y, **_: lw.concat([x, y]), 1, 2),
    "stack([x, y])": (lambda x, y, **_: lw.stack([x, y]), 2, 2),
    "take_along_axis(x, p)": (lambda x, p, **_: lw.take_along_axis(x, p, axis=0), 1, 3),
    "pad(x, 1)": (lambda x, **_: lw.pad(x, 1), 35, 5),
    "x.max()": (lambda x, **_: x.max(), 4, 4),
    "x**2": (lambda x, **_: x**2, 2, 2),
}


@pytest.mark.parametrize("call", SMALL)
def test_small_arrays_enter_few_functions(call: str) -> None:
    run, *budgets = SMALL[call]
    for backend, most in zip(TWO, budgets, strict=False):  # as many as are installed
        with lw.using(backend=backend):
            given = arrays()
            entered = frames(lambda run=run, given=given: run(**given))
            # A name that was given for a dtype before is compared with the dtype: they have one hash.
            entered = [f for f in entered if not f.endswith("dtypes.py:__eq__")]
            assert len(entered) <= most, (backend, entered)


def test_reading_a_key_asks_no_policy() -> None:
    """What reads keys is found at the array's signature; the rules in force decide nothing there."""
    with lw.using(backend="numpy"):
        x = lw.asarray([1.0, 2.0])
        asked: list[object] = []
        sys.setprofile(lambda frame, event, found: asked.append(found) if event == "c_call" else None)
        try:
            x[0]
        finally:
            sys.setprofile(None)
    assert not [f for f in asked if getattr(f, "__qualname__", "") == "ContextVar.get"], asked


@pytest.mark.parametrize("rules", lw.rule_names())
def test_no_rules_in_force_add_a_function_to_a_warm_call(rules: str) -> None:
    """What rules decide they decide once, unless they look at dimensions that matter, or at values."""
    with lw.using(backend="numpy"):
        given = arrays()
    with lw.using(rules=rules):
        for call, count in EXACTLY.items():
            if "value" in RULES[rules].needs or (call == "add(int32, float32)" and not promotes(rules)):
                continue
            if "1.5" in call and rules == "max-2024":  # which mixes arrays with no scalars
                continue
            entered = frames(lambda call=call: CALLS[call](**given))
            assert len(entered) <= count, (call, entered)
        if current().weak_arrays:
            weak = lw.full(4, 1.5) + 1
            assert weak.weak and len(frames(lambda: weak + given["x"])) <= 2


def promotes(rules: str) -> bool:
    """Whether the rules bring int32 and float32 together, whatever the dimensions."""
    if "zero_dim" in RULES[rules].needs:
        return rules == "torch"
    try:
        return bool(RULES[rules].promote((lw.int32, lw.float32)))
    except lw.errors.PromotionError:
        return False


def simple(o: Op) -> bool:
    """Whether a function is called with its operands alone, gives one array and is left to the backend."""
    required = [p for p in o.signature.parameters.values() if p.default is p.empty]
    return o.kind == "primitive" and o.wrap is lw.Array and not o.sequence and len(required) == len(o.operands) > 0


def samples(o: Op) -> Iterator[list[lw.Array]]:
    """Operands of dtypes that the function takes: matrices, or vectors where it wants those."""
    kinds = CATEGORIES[o.accepts]
    dtype = next(d for d in (lw.float32, lw.int32, lw.complex64, lw.bool) if d.kind in kinds)
    for values in ([[1, 0], [0, 1]], [1, 0]):
        roles = {"index": lw.int64, "bool": lw.bool}
        yield [lw.asarray(values, dtype=roles.get(o.role_of.get(n, ""), dtype)) for n in o.operands]


@pytest.mark.parametrize("name", [n for n, o in OPS.items() if simple(o) and not n.rpartition(".")[2].startswith("_")])
def test_every_primitive_enters_few_functions_of_ours(backend: str, name: str) -> None:
    """The dispatcher, the kernel, the backend's own lines; several operands are gone through one by one."""
    o = OPS[name]
    chapter, _, last = name.rpartition(".")
    f = getattr(getattr(lw, chapter) if chapter else lw, last)
    matrices, vectors = samples(o)
    try:
        entered = frames(lambda: f(*matrices))
    except (RuntimeError, TypeError, ValueError):
        entered = frames(lambda: f(*vectors))
    plain = len(o.signature.parameters) == len(matrices)
    most = 4 if plain and len(matrices) <= 2 else 6 if len(matrices) == 1 else 12
    steps = len(matrices[0].shape) + 1 if backend in LAZY else 0
    most += STEPS if name in IN_STEPS.get(backend, ()) else 0
    linked = backend in IMMUTABLE
    assert len(entered) <= most + linked + DESCRIBES * steps, entered


def test_reading_an_attribute_of_an_array_stays_fast() -> None:
    """With one of these on the class, reading any attribute takes several times as long, and a call a quarter more."""
    assert not {"__getattr__", "__getattribute__", "__setattr__"} & vars(lw.Array).keys()


def test_an_array_adds_three_slots(backend: str) -> None:
    """They take 64 bytes, and 72 from Python 3.14 on, which counts the place for weak references too."""

    class Slots:
        __slots__ = ("__weakref__", "data", "link", "sig")

    x = lw.zeros(4)
    assert not hasattr(x, "__dict__")
    assert sys.getsizeof(x) <= sys.getsizeof(Slots())


@pytest.mark.parametrize("call", ["add", "multiply", "equal", "matmul"])
def test_peak_memory_of_a_same_dtype_operation_is_numpys(call: str) -> None:
    import numpy as np

    with lw.using(backend="numpy"):
        x = lw.asarray(np.ones((256, 256), dtype=np.float32))
    native, ours = getattr(np, call), getattr(lw, call)
    data = x.data
    assert peak(lambda: ours(x, x)) <= peak(lambda: native(data, data)) + 512


def peak(f: Callable[[], Any]) -> int:
    """How many bytes a call takes at most."""
    f()
    tracemalloc.start()
    try:
        f()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [lw.float16, lw.float32, lw.complex64])
def test_norms_and_rounding_take_the_memory_of_one_operand(dtype: lw.Dtype) -> None:
    with lw.using(backend="numpy"):
        x = lw.astype(lw.reshape(lw.arange(60_000, dtype=lw.float32), (60, 1000)) / 1e5, dtype)
    for axis in (None, 0):
        for p in (2, 1, float("inf"), -float("inf"), 3):
            taken = peak(lambda axis=axis, p=p: lw.linalg.vector_norm(x, axis=axis, ord=p))
            assert taken <= 1.1 * x.nbytes + 40_000, (axis, p, taken / x.nbytes)
        taken = peak(lambda axis=axis: lw.linalg.vector_norm(x, axis=axis, ord=0))
        assert taken <= 1.5 * x.nbytes + 40_000, (axis, 0, taken / x.nbytes)
    if dtype.kind == "f":
        for decimals in (1, -1):
            assert peak(lambda d=decimals: lw.around(x, decimals=d)) <= 1.01 * x.nbytes + 4_000


def test_native_memory_is_shared_not_copied(backend: str) -> None:
    x = lw.zeros(4)
    assert x.data is x._data
    assert lw.asarray(x).data is x.data
