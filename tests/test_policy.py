"""Policies: what `using` changes is seen by no other thread or task, and goes with its block."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import latticework as lw
from latticework import policy, settings
from latticework.engine.calls import dispatch
from latticework.errors import PromotionError
from latticework.policy import Policy, current
from latticework.promotion import RULES, Rules
from latticework.settings import set_process, using


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before, tables = current(), policy._process
    yield
    assert current() is before and policy._process is tables


# --- using -----------------------------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    p = current()
    assert p.rules is RULES["unified"]
    assert (p.default_float, p.default_int, p.default_uint, p.default_complex) == (
        lw.float32, lw.int32, lw.uint32, lw.complex64
    )  # fmt: skip
    assert (p.default_dtype, p.default("b")) == (lw.float32, lw.bool)


def test_using_changes_what_is_named_and_restores_it() -> None:
    x = lw.asarray([1, 2])
    with lw.using(rules="precise") as inner:
        assert inner is current() and inner.rules is RULES["precise"]
        assert inner.default_float is lw.float32
        assert (x + 0.5).dtype is lw.float64
    assert (x + 0.5).dtype is lw.float32


def test_using_takes_rules_and_dtypes_in_every_form() -> None:
    mine = lw.Rules("mine", "bool -> int32")
    for rules in (mine, "precise", RULES["precise"]):
        with lw.using(rules=rules):
            assert current().rules in (mine, RULES["precise"])
    for dtype in ("float64", lw.float64):
        with lw.using(default_float=dtype):
            assert current().default_float is lw.float64


def test_wider_defaults_follow() -> None:
    with lw.using(default_float="float64", default_int="int64"):
        assert (current().default_complex, current().default_uint) == (lw.complex128, lw.uint64)
        with lw.using(default_complex="complex64", default_uint="uint8"):
            assert (current().default_complex, current().default_uint) == (lw.complex64, lw.uint8)
    with lw.using(default_dtype="int16"):
        assert current().default_dtype is lw.int16 and current().default_float is lw.float32


def test_nesting_inherits_and_unwinds_in_order() -> None:
    seen = []
    with lw.using(rules="strict"):
        with lw.using(default_float="float64"):
            seen.append((current().rules.name, current().default_float))
            with lw.using(rules="precise"):
                seen.append((current().rules.name, current().default_float))
            seen.append((current().rules.name, current().default_float))
        seen.append((current().rules.name, current().default_float))
    assert seen == [("strict", "float64"), ("precise", "float64"), ("strict", "float64"), ("strict", "float32")]


def test_an_exception_unwinds() -> None:
    with pytest.raises(ZeroDivisionError), lw.using(rules="strict"), lw.using(default_int="int64"):
        raise ZeroDivisionError


def test_using_decorates_a_function() -> None:
    @using(rules="precise", default_float="float64")
    def promoted() -> tuple[str, lw.Dtype]:
        return current().rules.name, lw.result_type(1.5)

    assert promoted() == promoted() == ("precise", "float64")
    assert lw.result_type(1.5) is lw.float32


def test_equal_policies_are_one_object() -> None:
    """So the kernels made under one are found again, however often it is switched to."""
    found: set[Policy] = set()
    for _ in range(3):
        with lw.using(rules="precise", default_int="int64") as p, lw.using(rules="strict"), lw.using(rules="precise"):
            found |= {p, current()}
    assert len(found) == 1
    with lw.using():
        assert current() is policy._process


def test_what_was_looked_up_under_one_policy_is_not_found_under_another() -> None:
    x, y = lw.asarray([1, 2]), lw.asarray([0.5, 0.25])
    for _ in range(2):
        assert (x + y).dtype is lw.float32 and lw.promote_types(x.dtype, y.dtype) is lw.float32
        with lw.using(rules="precise"):
            assert (x + y).dtype is lw.float64 and lw.promote_types(x.dtype, y.dtype) is lw.float64
        with lw.using(rules="strict"):
            with pytest.raises(PromotionError):
                x + y
            with pytest.raises(PromotionError):
                lw.promote_types(x.dtype, y.dtype)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"rule": "strict"}, TypeError, "using: 'rule' is no part of a policy; did you mean 'rules'?"),
        ({"rules": "strickt"}, ValueError, "there are no rules 'strickt'; did you mean 'strict'?"),
        ({"rules": None}, ValueError, "there are no rules None"),
        ({"backend": "nump"}, ValueError, "there is no backend 'nump'; did you mean 'numpy'?"),
        ({"default_float": "int8"}, TypeError, "default_float must be a real floating dtype; got int8"),
        ({"default_float": "complex64"}, TypeError, "default_float must be a real floating dtype; got complex64"),
        ({"default_float": None}, TypeError, "default_float must be a dtype; got None"),
        ({"default_int": "uint8"}, TypeError, "default_int must be a signed integer dtype; got uint8"),
        ({"default_uint": "int8"}, TypeError, "default_uint must be an unsigned integer dtype; got int8"),
        ({"default_complex": "float32"}, TypeError, "default_complex must be a complex dtype; got float32"),
        ({"gradients": "torch"}, ValueError, "gradients must be one of 'unified', 'native', 'rules'; got 'torch'"),
        ({"default_int": "int65"}, TypeError, "'int65' is no dtype; did you mean 'int64'?"),
    ],
)
def test_a_bad_policy_is_refused_and_changes_nothing(changes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught, lw.using(default_dtype="float64", **changes):
        pass
    assert message in str(caught.value)


# --- threads and tasks -----------------------------------------------------------------------------------------------


def test_a_new_thread_starts_from_the_process_default() -> None:
    seen = []
    with lw.using(rules="strict", default_float="float64"):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [policy._process]


def test_a_copied_context_carries_the_policy() -> None:
    with lw.using(rules="strict"):
        context = contextvars.copy_context()
    assert context.run(lambda: current().rules.name) == "strict"
    assert current().rules.name == "unified"


def test_threads_never_see_each_others_policies() -> None:
    rules = ["unified", "precise", "strict"] * 4
    ready = threading.Barrier(len(rules))
    x, y = lw.asarray([1, 2]), lw.asarray([0.5, 0.25])

    def work(name: str) -> set[str]:
        found = set()
        ready.wait(timeout=60)
        for _ in range(50):
            with lw.using(rules=name):
                try:
                    found.add(f"{current().rules.name} {(x + y).dtype} {lw.promote_types(x.dtype, y.dtype)}")
                except PromotionError:
                    found.add(f"{current().rules.name} refused")
            found.add(f"outside {(x + y).dtype}")
        return found

    expected = {"unified": "float32 float32", "precise": "float64 float64", "strict": "refused"}
    with ThreadPoolExecutor(len(rules)) as pool:
        for name, found in zip(rules, pool.map(work, rules), strict=True):
            assert found == {f"{name} {expected[name]}", "outside float32"}


def test_tasks_never_see_each_others_policies() -> None:
    async def work(name: str) -> list[str]:
        seen = [current().rules.name]
        with lw.using(rules=name):
            for _ in range(5):
                await asyncio.sleep(0)
                seen.append(current().rules.name)
                with lw.using(default_float="float64"):
                    await asyncio.sleep(0)
                    assert current().default_float is lw.float64
                assert current().default_float is lw.float32
        seen.append(current().rules.name)
        return seen

    async def main() -> list[list[str]]:
        return await asyncio.gather(*map(work, ("precise", "strict", "unified", "array_api")))

    for name, seen in zip(("precise", "strict", "unified", "array_api"), asyncio.run(main()), strict=True):
        assert seen == ["unified", *[name] * 5, "unified"]


def test_a_generator_shares_the_policy_of_who_asks_it() -> None:
    """A `using` block round a yield is seen by the caller until the generator goes on: as for any context variable."""

    def numbers() -> Iterator[str]:
        with lw.using(rules="strict"):
            yield current().rules.name

    it = numbers()
    assert next(it) == "strict"
    it.close()
    assert current().rules.name == "unified"


# --- set and unset ---------------------------------------------------------------------------------------------------

SETTERS: dict[str, tuple[str, str]] = {
    "float": ("float64", "float16"),
    "int": ("int64", "int8"),
    "uint": ("uint64", "uint8"),
    "complex": ("complex128", "complex64"),
}


@pytest.mark.parametrize("kind", SETTERS)
def test_set_and_unset_a_default(kind: str) -> None:
    first, second = SETTERS[kind]
    get = getattr(lw, f"default_{kind}_dtype")
    put, back = getattr(lw, f"set_default_{kind}_dtype"), getattr(lw, f"unset_default_{kind}_dtype")
    before = get()
    put(first)
    assert get() is lw.Dtype(first)
    put(lw.Dtype(second))
    assert get() is lw.Dtype(second)
    back()
    assert get() is lw.Dtype(first)
    back()
    assert get() is before
    back()  # nothing to bring back
    assert get() is before


@pytest.mark.parametrize("kind", SETTERS)
def test_setting_a_default_of_another_kind_is_refused(kind: str) -> None:
    wrong = "bool"
    with pytest.raises(TypeError, match=f"default_{kind} must be an? "):
        getattr(lw, f"set_default_{kind}_dtype")(wrong)
    getattr(lw, f"unset_default_{kind}_dtype")()


@pytest.mark.parametrize(
    ("dtype", "kind"), [("float64", "float"), ("int64", "int"), ("uint8", "uint"), ("complex128", "complex")]
)
def test_the_default_dtype_is_the_default_of_its_kind_too(dtype: str, kind: str) -> None:
    before = getattr(lw, f"default_{kind}_dtype")()
    lw.set_default_dtype(dtype)
    assert lw.default_dtype() == getattr(lw, f"default_{kind}_dtype")() == dtype
    lw.unset_default_dtype()
    assert getattr(lw, f"default_{kind}_dtype")() is before
    assert lw.default_dtype() is lw.float32


def test_the_default_dtype_may_be_bool() -> None:
    lw.set_default_dtype("bool")
    assert lw.default_dtype() is lw.bool and lw.default_float_dtype() is lw.float32
    lw.unset_default_dtype()


def test_a_process_default_is_seen_by_new_threads_and_forgets_what_was_looked_up() -> None:
    assert lw.result_type(1.5) is lw.float32
    lw.set_default_float_dtype("float64")
    try:
        assert lw.result_type(1.5) is lw.float64
        assert (lw.asarray([1]) + 0.5).dtype is lw.float64
        seen = []
        thread = threading.Thread(target=lambda: seen.append(lw.result_type(1.5)))
        thread.start()
        thread.join()
        assert seen == [lw.float64]
    finally:
        lw.unset_default_float_dtype()
    assert (lw.asarray([1]) + 0.5).dtype is lw.float32


def test_setting_inside_using_is_seen_there_and_stays_outside() -> None:
    with lw.using(default_float="bfloat16", rules="precise"):
        lw.set_default_float_dtype("float64")
        assert current().default_float is lw.float64 and current().rules.name == "precise"
    assert current().default_float is lw.float64 and current().rules.name == "unified"
    lw.unset_default_float_dtype()


def test_unsetting_inside_using_brings_back_what_the_block_had() -> None:
    with lw.using(default_float="bfloat16"):
        lw.set_default_float_dtype("float64")
        lw.unset_default_float_dtype()
        assert current().default_float is lw.bfloat16
    assert current().default_float is lw.float32


def test_using_inside_a_process_default() -> None:
    lw.set_default_float_dtype("float64")
    with lw.using(default_float="float16"):
        assert lw.default_float_dtype() is lw.float16
    assert lw.default_float_dtype() is lw.float64
    lw.unset_default_float_dtype()


@pytest.fixture
def other() -> str:
    """A backend that is not the default one."""
    names = [b.name for b in lw.backends() if b.installed and b.name != lw.current_backend()]
    if not names:
        pytest.skip("one backend only")
    return names[0]


def test_set_and_unset_backend(other: str) -> None:
    before = lw.current_backend()
    lw.set_backend(other)
    assert lw.current_backend() == other and lw.asarray([1]).backend == other
    lw.set_backend(before)
    assert lw.asarray([1]).backend == before
    lw.unset_backend()
    assert lw.current_backend() == other
    lw.unset_backend()
    assert lw.current_backend() == before
    lw.unset_backend()
    assert lw.current_backend() == before


def test_set_backend_inside_using(other: str) -> None:
    before = lw.current_backend()
    with lw.using(rules="strict", backend=before):
        lw.set_backend(other)
        assert lw.asarray([1]).backend == other and current().rules.name == "strict"
        with lw.using(backend=before):
            assert lw.asarray([1]).backend == before
        lw.unset_backend()
        assert lw.asarray([1]).backend == before
        lw.set_backend(other)
    assert lw.current_backend() == other
    lw.unset_backend()
    assert lw.current_backend() == before


@pytest.mark.parametrize("other_block", [{"rules": "strict"}, {"backend": "numpy"}, {}], ids=str)
def test_unset_backend_in_another_block_leaves_that_block_alone(other: str, other_block: dict[str, str]) -> None:
    before = lw.current_backend()
    with lw.using(backend=other):
        lw.set_backend(before)
        assert lw.current_backend() == before
    with lw.using(**other_block):
        lw.unset_backend()
        assert lw.current_backend() == before
    assert lw.current_backend() == before


def test_unset_backend_deeper_or_outside_changes_the_process_alone(other: str) -> None:
    before = lw.current_backend()
    with lw.using(backend=before):
        lw.set_backend(other)
        with lw.using(backend=before):
            lw.unset_backend()
            assert lw.current_backend() == before and policy._process.backend == before
        assert lw.current_backend() == other
    with lw.using(backend=before):
        lw.set_backend(other)
    lw.unset_backend()
    assert lw.current_backend() == before


def test_policies_without_end_are_forgotten_with_their_kernels() -> None:
    import gc
    import weakref

    x = lw.asarray([1, 2], dtype=lw.int32)
    lw.cos(x)
    subtract = dispatch.binary("subtract", lw.Array)
    with lw.using(rules="precise", default_int="int8") as early:
        subtract(x, x)
    first = None
    for i in range(policy.REMEMBERED + 50):
        with lw.using(rules=Rules(f"mine{i}", "int32 -> float32")) as p:
            x + x
            lw.promote_types(lw.int32, lw.float32)
            first = first or weakref.ref(p)
            last = p
        del p
    gc.collect()
    assert first is not None and first() is None
    assert lw.kernel_count(lw.add, policy=last) == 1
    assert len(policy._remembered) <= policy.REMEMBERED and len(policy._promotions_of) <= policy.REMEMBERED
    assert all(len(kernels) <= policy.REMEMBERED + 1 for kernels in policy.TABLES.values())
    assert lw.kernel_count(lw.cos, policy=policy._process) >= 1  # the process default stays
    with policy.in_force(early):
        assert lw.kernel_count(lw.subtract, policy=early) == 0
        subtract(x, x)  # which holds no kernel of its own that was forgotten
        assert lw.kernel_count(lw.subtract, policy=early) == 1


@pytest.mark.parametrize("kind", ["function", "operator"])
def test_a_dispatcher_holds_its_first_kernel_where_that_policy_is_in_force(kind: str) -> None:
    x, y = lw.asarray([1, 2], dtype=lw.int32), lw.asarray([1, 2], dtype=lw.int16)

    def fresh() -> Callable[..., lw.Array]:
        return dispatch.binary("divide", lw.Array) if kind == "function" else dispatch.operator("divide")

    def in_thread(f: Callable[..., lw.Array]) -> lw.Dtype:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(f, x, x).result().dtype

    outside, inside = fresh(), fresh()
    outside(x, x)
    with lw.using(rules="numpy"):
        copied = contextvars.copy_context()
        inside(x, x)
    for _ in range(3):
        for f in (outside, inside):
            assert f(x, x).dtype is f(x, y).dtype is in_thread(f) is lw.float32
            with lw.using(rules="numpy"):
                assert f(x, x).dtype is lw.float64
                assert in_thread(f) is lw.float32
            assert copied.run(f, x, x).dtype is lw.float64
    before = set_process(rules=RULES["numpy"])
    try:
        assert outside(x, x).dtype is inside(x, x).dtype is in_thread(outside) is lw.float64
    finally:
        policy.restore(before)
    assert outside(x, x).dtype is inside(x, x).dtype is in_thread(outside) is lw.float32


def test_the_first_kernel_needs_no_look_up() -> None:
    multiply, x = dispatch.binary("multiply", lw.Array), lw.asarray([3, 4], dtype=lw.uint16)
    with lw.using(rules="precise", default_int="int16", default_float="float16") as mine:
        multiply(x, x)
        kept = policy.TABLES["multiply"].pop(mine)
        try:
            assert multiply(x, x).tolist() == [9, 16]
            assert mine not in policy.TABLES["multiply"]
        finally:
            policy.TABLES["multiply"][mine] = kept


def test_a_policy_in_use_outlives_its_kernels() -> None:
    x = lw.asarray([1, 2], dtype=lw.int32)
    with lw.using(rules="precise", default_int="int16") as kept:
        x + x
        for i in range(policy.REMEMBERED + 1):
            with lw.using(rules=Rules(f"mine{i}", "int32 -> float32")):
                pass
        assert lw.kernel_count(policy=kept) == 0
        x + x
        assert lw.kernel_count(policy=kept) == 1 and kept in policy._remembered
        with lw.using() as same:
            assert same is kept


def test_kernels_grow_with_dtypes_and_not_with_calls() -> None:
    with lw.using(default_float="float16", default_int="int8") as p:
        for i in range(20):
            x = lw.ones((i, 2), dtype=lw.float32)
            lw.where(x > i, x, i)
            lw.sum(x, axis=0)
        assert lw.kernel_count(lw.where, policy=p) == lw.kernel_count("sum", policy=p) == 1
        lw.sum(x, axis=0, keepdims=True)
        lw.sum(lw.asarray([1], dtype=lw.uint8), axis=0)
        assert lw.kernel_count(lw.sum, policy=p) == 3
        x += 1
        assert lw.kernel_count(lw.add, policy=p) == 1  # in place
        assert lw.kernel_count(policy=p) < lw.kernel_count()
    with pytest.raises(TypeError, match="did you mean 'square'"):
        lw.kernel_count("sqare")


def test_a_backend_that_is_none_changes_nothing() -> None:
    with pytest.raises(ValueError, match="did you mean 'numpy'"):
        lw.set_backend("numpi")
    lw.unset_backend()


def test_another_threads_block_keeps_its_backend(other: str) -> None:
    inside, changed, seen = threading.Event(), threading.Event(), []

    def work() -> None:
        with lw.using(backend=before):
            inside.set()
            changed.wait(timeout=60)
            seen.append(lw.asarray([1]).backend)
        seen.append(lw.asarray([1]).backend)

    before = lw.current_backend()
    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(timeout=60)
    lw.set_backend(other)
    changed.set()
    thread.join()
    lw.unset_backend()
    assert seen == [before, other]


def test_threads_that_set_the_process_default_leave_one_in_force() -> None:
    before = [policy._process.default_float, policy._process.default_int]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for k in range(60):
            setters = [(lw.set_default_float_dtype, f"float{16 + 48 * (k % 2)}"), (lw.set_default_int_dtype, "int16")]
            threads = [threading.Thread(target=f, args=(dtype,)) for f, dtype in setters]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (policy._process.default_float, policy._process.default_int) == (setters[0][1], "int16")
            for kernels in policy.TABLES.values():
                assert None not in kernels or kernels[None] is kernels[policy._process]
    finally:
        sys.setswitchinterval(interval)
        for _ in range(60):
            lw.unset_default_float_dtype()
            lw.unset_default_int_dtype()
        settings.set_process(default_float=before[0], default_int=before[1])


def test_a_block_of_another_backend_has_that_ones_device() -> None:
    with lw.using(backend="numpy", device="cpu") as outer:
        assert outer.device == "cpu"
        with lw.using(backend="numpy") as same:
            assert same.device == "cpu"
    elsewhere = outer._with(backend="another", device="its own")
    token = policy.active.set(elsewhere)
    try:
        with lw.using(backend="numpy") as inner:
            assert inner.device is None and lw.zeros(2).device == "cpu"
    finally:
        policy.active.reset(token)


@pytest.mark.parametrize("call", [lw.add, lw.where], ids=["add", "where"])
def test_a_kernel_made_while_the_default_changes_is_kept_for_the_default_before(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from latticework.engine.calls import memo

    x, y = lw.asarray([1], dtype=lw.int16), lw.asarray([1], dtype=lw.float16)
    operands = (x == x, x, y) if call is lw.where else (x, y)
    plain = memo.resolve
    undo: list[Any] = []

    def slow(*args: Any, **options: Any) -> Any:  # another thread changes the process default meanwhile
        found = plain(*args, **options)
        if not undo:
            undo.append(settings.set_process(rules="precise"))
        return found

    monkeypatch.setattr(memo, "resolve", slow)
    for table in (policy.TABLES["add"], policy.TABLES["where"]):
        for made in table.values():
            made.clear()
    try:
        assert call(*operands).dtype is lw.float16
        assert call(*operands).dtype is lw.float32
    finally:
        policy.restore(undo[0])
    assert call(*operands).dtype is lw.float16


def test_a_dtype_looked_up_while_the_default_changes_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Rules.promote_types
    undo: list[Any] = []

    def slow(*args: Any) -> Any:  # another thread changes the process default meanwhile
        found = plain(*args)
        if not undo:
            undo.append(settings.set_process(rules="precise"))
        return found

    policy._PROCESS_PROMOTIONS.clear()
    monkeypatch.setattr(Rules, "promote_types", slow)
    try:
        assert lw.promote_types(lw.int16, lw.float16) is lw.float16
        assert lw.promote_types(lw.int16, lw.float16) is lw.float32
    finally:
        policy.restore(undo[0])
    assert lw.promote_types(lw.int16, lw.float16) is lw.float16


def test_setting_in_a_loop_keeps_few_and_still_comes_back_to_the_first() -> None:
    from latticework import settings

    before = lw.current_backend()
    for _ in range(1000):
        lw.set_backend("numpy")
    kept = len(settings._replaced["backend"])
    assert kept <= 256
    lw.set_default_int_dtype("int64")
    for _ in range(300):
        lw.set_default_int_dtype("int16")
    for _ in range(300):
        lw.unset_default_int_dtype()
    for _ in range(kept):
        lw.unset_backend()
    assert lw.current_backend() == before and lw.asarray([1]).dtype is lw.int32
