"""Namespaces and functions with parts of a policy of their own: two libraries with two policies in one process."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from cases import COMPILING, EXHAUSTIVE
from support import frames
from test_native import OTHERS, leaves, native, outcome

import latticework as lw
from latticework.backend import get
from latticework.policy import restore
from latticework.settings import set_process
from latticework.support import samples

#: Of functions that look at a state, or whose results are what the argument was.
STATES = ("random.default_rng", "random.seed")


def told(result: Any) -> Any:
    """What is compared of a result: the dtypes and shapes of its arrays, or the class of an error."""
    if isinstance(result, tuple) and result and isinstance(result[0], type):
        return result[0]
    return [
        (str(lw.asarray(x).dtype), tuple(x.shape)) if hasattr(x, "shape") else type(x).__name__ for x in leaves(result)
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chapter", sorted({name.rpartition(".")[0] for name in samples.names()}))
def test_every_function_follows_the_policy_of_its_namespace(backend: str, chapter: str) -> None:
    """What it gives is what it gives under `lw.using`, of native arrays and ours; the second call finds the kernel."""
    parts = {"rules": "numpy", "default_float": "float64", "default_int": "int64"}
    names = [n for n in samples.names() if n.rpartition(".")[0] == chapter and n not in (*OTHERS, *STATES)]
    spaces = [lw.array_namespace(backend, **parts), lw.array_namespace(lw.zeros(1), **parts)]
    for name in names[:: 1 if EXHAUSTIVE else 7 if backend in COMPILING else 3]:
        o = samples.declaration(name)
        if o is None:
            continue
        made = [samples.arguments(o, lambda v, d: lw.asarray(v, dtype=d), lw.int32) for _ in range(5)]
        with lw.using(**parts):
            expected = told(outcome(attrgetter(name)(lw), *made[0]))
        for i, (args, kw) in enumerate(made[1:]):
            kept = spaces[i % 2]
            given = (args, kw) if i % 2 else (native(args), native(kw))
            got = outcome(attrgetter(name)(kept), *given)
            assert told(got) == expected, f"{name} of {kept}: {got!r}"


def test_two_policies_in_one_process(backend: str) -> None:
    single = lw.array_namespace(backend, default_float="float32", default_int="int32")
    double = lw.array_namespace(backend, default_float="float64", default_int="int64")
    x = lw.asarray([1, 2], dtype=lw.int32).data
    for in_force in ("float32", "float64", "float32"):
        with lw.using(default_float=in_force):
            for _ in range(2):
                assert double.mean(x).dtype == double.zeros(2).dtype == double.sin(x).dtype == double.float64
                assert single.mean(x).dtype == single.zeros(2).dtype == single.sin(x).dtype == single.float32
                assert double.asarray([1]).dtype == double.int64
                assert double.fft.fftfreq(4).dtype == double.special.gammaln(x).dtype == double.float64
                assert double.average(x).dtype == double.float64  # a composition
                assert double.default_float_dtype() == lw.float64
                assert double.__array_namespace_info__().default_dtypes()["integral"] == double.int64
                assert lw.array_namespace(backend).mean(x).dtype == getattr(single, in_force)


def test_two_threads_with_two_policies(backend: str) -> None:
    x = lw.asarray([1, 2], dtype=lw.int32).data
    both = Barrier(2)

    def run(word: str) -> set[str]:
        xp = lw.array_namespace(backend, default_float=word)
        seen = set()
        for _ in range(20):
            both.wait()
            seen |= {str(lw.asarray(y).dtype) for y in (xp.divide(x, 2), xp.zeros(2), xp.mean(x), xp.median(x))}
        return seen

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(run, ["float32", "float64"])] == [{"float32"}, {"float64"}]


def test_what_is_not_bound_is_that_of_the_policy_in_force() -> None:
    xp = lw.array_namespace("numpy", default_float="float64")
    x, y = np.ones(2, np.int32), np.ones(2, np.float16)
    for _ in range(2):
        assert xp.add(x, y).dtype == np.float16
        with lw.using(rules="numpy"):
            assert xp.add(x, y).dtype == np.float64
        before = set_process(rules=lw.Rules("none", "float16 -> float32"))
        try:
            with pytest.raises(lw.errors.PromotionError):
                xp.add(x, y)
        finally:
            restore(before)


def test_a_default_dtype_of_the_process_changes_no_library() -> None:
    xp = lw.array_namespace("numpy", default_float="float64")
    lw.set_default_dtype(lw.float32)
    try:
        assert (xp.zeros(2).dtype, lw.zeros(2).dtype) == (np.float64, lw.float32)
    finally:
        lw.unset_default_dtype()


def test_a_function_that_is_given_runs_under_the_policy_of_the_caller(backend: str) -> None:
    """The functions of a namespace follow its policy, whoever calls them."""
    half = lw.array_namespace(backend, default_float="float16")
    double = lw.array_namespace(backend, default_float="float64")
    x, seen = lw.asarray([1, 2], dtype=lw.int32).data, []

    def f(e: Any) -> Any:
        seen.append((lw.default_float_dtype(), half.multiply(e, 1.5).dtype, half.zeros(2).dtype))
        return double.multiply(e, 0.5)

    assert double.map(f, x).dtype == double.float64
    assert half.map(f, x).dtype == half.float64
    with lw.using(default_float="bfloat16"):
        double.map(f, x)
    expected = [(d, half.float16, half.float16) for d in (lw.float32, lw.bfloat16)]
    assert {*seen} == {*expected}

    @lw.native(default_float="float64")
    def apply(f: Any, x: Any) -> Any:
        return f(x) / 3, lw.default_float_dtype()

    result, inside = apply(lambda x: lw.asarray(x, dtype=lw.default_float_dtype()).data, x)
    assert result.dtype == double.float32
    assert inside == double.float64


def test_native_functions_have_a_policy_of_their_own(backend: str) -> None:
    @lw.native(default_float="float64", rules="numpy")
    def wide(x: Any) -> Any:
        return x / 2, lw.zeros(1), lw.mean(x)

    @lw.native(default_float="float32")
    def narrow(x: Any) -> Any:
        return x / 2, wide(x)[0], lw.mean(x)

    x = lw.asarray([1, 2], dtype=lw.int32)
    for given in (x, x.data, x):
        assert told(wide(given)) == [("float64", (2,)), ("float64", (1,)), ("float64", ())]
        assert told(narrow(given)) == [("float32", (2,)), ("float64", (2,)), ("float32", ())]
    with pytest.raises(TypeError, match="native: 'default_flaot' is no part of a policy.*default_float"):
        lw.native(default_flaot="float64")  # type: ignore[call-arg]


def test_a_namespace_is_kept_by_backend_and_policy(backend: str) -> None:
    owner = get(backend)
    x = lw.ones(1)
    xp = lw.array_namespace(x.data, default_float="float64", rules="numpy")
    assert lw.array_namespace(backend, rules="numpy", default_float=owner.native_dtypes[lw.float64]) is xp
    assert lw.array_namespace(backend, default_float=None) is lw.array_namespace(backend)
    assert lw.array_namespace(x, default_float=None) is lw
    ours = lw.array_namespace(x, default_float=lw.float64)
    for space in (xp, xp.linalg, ours, ours.random, lw.array_namespace(backend)):
        assert pickle.loads(pickle.dumps(space)) is space
    assert repr(xp) == f"<module \"latticework.native.{backend}(rules='numpy', default_float='float64')\">"
    assert "default_float='float64'" in repr(ours.linalg)


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ({"default_flot": "float64"}, TypeError, "no part of a policy that can be bound.*default_float"),
        ({"backend": "numpy"}, TypeError, "no part of a policy that can be bound"),
        ({"default_float": "int32"}, TypeError, "must be a real floating dtype"),
        ({"rules": "nmpy"}, ValueError, "no rules 'nmpy'"),
    ],
)
def test_wrong_parts_are_refused(parts: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        lw.array_namespace("numpy", **parts)


@pytest.mark.parametrize("z", [np.ones(4, np.float32), lw.ones(4)], ids=["native", "ours"])
def test_a_warm_call_of_a_bound_function_enters_one_frame(z: Any) -> None:
    xp = lw.array_namespace(z, default_float="float64")
    for call in (lambda: xp.add(z, z), lambda: xp.add(z, 1.5), lambda: xp.sin(z), lambda: xp.zeros(3)):
        call()
        assert len(frames(call)) == 1


def test_a_bound_function_compares_with_a_first_kernel() -> None:
    """As others do: it needs no look-up for the signature that it met first."""
    x = np.ones(3, np.int16)
    for z in (x, lw.asarray(x)):
        xp = lw.array_namespace(z, default_float="float64", casting="up")
        xp.negative(z)
        names = xp.negative.__globals__
        assert names["run"] is not None
        assert names["policy"] is None
