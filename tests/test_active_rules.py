"""Rules in force: every rule set on every backend, for every kind of operand, and against the frameworks themselves."""

from __future__ import annotations

import asyncio
import enum
import functools
import itertools
import operator
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE, staged

import latticework as lw
from latticework.engine.calls.memo import _CLOSER, BY_VALUE, has_known_value
from latticework.errors import BackendError, PromotionError
from latticework.policy import TABLES, current
from latticework.promotion import RULES, Operand
from latticework.promotion.families import decide, looks_at

SCALARS: tuple[Any, ...] = (True, 1, 1.5, 1j)
#: A few dtypes of each kind, for what takes too long to try with all.
SOME = tuple(map(lw.Dtype, "bool int8 uint8 int32 uint64 bfloat16 float16 float32 complex64".split()))
WHOLE = ("numpy", "torch")  # backends on which a call is made in microseconds


def has(*frameworks: str) -> pytest.MarkDecorator:
    missing = [f for f in frameworks if find_spec(f) is None]
    return pytest.mark.skipif(bool(missing), reason=f"compares with {', '.join(missing)}")


def arrays(backend: str, weak: bool, dtypes: tuple[lw.Dtype, ...]) -> dict[tuple[lw.Dtype, str], lw.Array]:
    """Arrays of each dtype: with a dimension ("D"), without ("Z"), and weak ("W", "V") where there is such a thing."""
    made: dict[tuple[lw.Dtype, str], lw.Array] = {}
    with lw.using(rules="unified", backend=backend):
        for dtype in dtypes:
            made[dtype, "D"] = lw.ones(2, dtype=dtype)
            made[dtype, "Z"] = lw.ones((), dtype=dtype)
            if weak and dtype.kind != "b":
                for kind, strong in (("W", "D"), ("V", "Z")):
                    x = made[dtype, kind] = lw.asarray(made[dtype, strong], copy=True)
                    x._sig = x._sig.weakly
    return made


def facts(x: Any) -> Any:
    """What rules may look at of an operand."""
    if not isinstance(x, lw.Array):
        return x
    return Operand(x.dtype, x.ndim == 0, x.weak, x.item() if x.ndim == 0 and by_value() else None)


def by_value() -> bool:
    """Whether the active rules look at values."""
    return "value" in current().rules.needs


def on_dtypes(test: Callable[[], None]) -> None:
    """Run a test that calls functions for their dtypes alone, with or without computing them."""
    if by_value():
        test()
    else:
        staged(test)


def looked_at(x: Any, name: str) -> Any:
    """What the active rules, and their family of an operation, look at."""
    if not isinstance(x, lw.Array):
        return x
    rules = current().rules
    more = looks_at(rules, name)
    needs = rules.needs | ({"zero_dim"} if more and ("constant" not in more or has_known_value(x)) else set())
    f = facts(x)
    return Operand(
        x.dtype,
        f.zero_dim and "zero_dim" in needs,
        f.weak and bool(current().weak_arrays),
        f.value,
    )


def expected(name: str, *operands: Any, **options: Any) -> tuple[lw.Dtype, bool] | type[Exception]:
    """The dtype and weak flag of a result, or the class of the error."""
    policy = current()
    try:
        found = decide(policy.rules, name, [looked_at(x, name) for x in operands], policy.default, **options)
    except PromotionError:
        return PromotionError
    backend = next(x for x in operands if isinstance(x, lw.Array))._sig.backend
    needed = {found.result} if name.startswith("logical") else {found.computed, found.result}
    if not needed <= backend.native_dtypes.keys():
        return BackendError
    return found.result, found.weak


def check(name: str, *operands: Any, call: Callable[..., Any] | None = None, **options: Any) -> None:
    """That a call gives what is expected, when it is first made and afterwards."""
    want = expected(name, *operands, **options)
    call = call or getattr(lw, name)
    what = f"{current().rules.name}: {name} of {[facts(x) for x in operands]}"
    for _ in range(2):
        try:
            r = call(*operands, **options)
        except (TypeError, OverflowError) as error:
            if isinstance(error, BackendError) and " compute in " in str(error):
                continue  # a dtype that the framework has the operation for, and this backend has not
            if isinstance(want, tuple):
                raise AssertionError(f"{what}: {want} expected, refused: {error!r}") from error
            # A function that takes no such dtype says so with a TypeError of its own.
            as_wanted = isinstance(error, want) or "dtypes (" in str(error)
            if not as_wanted:
                raise AssertionError(f"{what}: {want} expected, got {error!r}") from error
        else:
            assert (r.dtype, r.weak) == want, f"{what}: {want} expected, got {r.dtype}, weak={r.weak}"
            assert r._sig.backend.dtypes[r._sig.backend.dtype_of(r._data)] is r.dtype, f"{what}: {r.data.dtype}"


def pairs(made: dict[tuple[lw.Dtype, str], lw.Array]) -> Iterator[tuple[Any, Any]]:
    yield from itertools.product(made.values(), repeat=2)
    for x, value in itertools.product(made.values(), SCALARS):
        yield x, value
        yield value, x


def made_for(backend: str, rules: str, dtypes: tuple[lw.Dtype, ...]) -> dict[tuple[lw.Dtype, str], lw.Array]:
    return arrays(backend, bool(current().weak_arrays), tuple(d for d in dtypes if d in RULES[rules].above))


def some(cases: Any, step: int, name: str) -> Iterator[Any]:
    """Every so many of many cases, and others for each name."""
    return itertools.islice(cases, len(name) % step, None, step)


def sampled(backend: str, step: int) -> int:
    """The step on a backend: what a call means is decided before any is asked, so few are tried on the slow ones."""
    return step * (61 if backend not in WHOLE else 1 if EXHAUSTIVE else 5)


# --- every rule set, on every backend --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", lw.rule_names())
def test_add_under_every_rule_set(backend: str, rules: str) -> None:
    def test() -> None:
        for x, y in some(pairs(made_for(backend, rules, lw.all_dtypes)), sampled(backend, 1), rules):
            check("add", x, y)

    with lw.using(rules=rules):
        on_dtypes(test)


BINARY = tuple(
    "subtract multiply divide floor_divide remainder pow atan2 hypot logaddexp copysign maximum minimum bitwise_and"
    " bitwise_left_shift equal less logical_and".split()
)
UNARY = tuple(
    "negative positive abs sign square sqrt exp cos floor round conj real isfinite signbit logical_not bitwise_invert"
    " sum prod mean std max min argmax sort cumulative_sum all".split()
)


@pytest.mark.parametrize("rules", lw.rule_names())
def test_operations_of_two_operands(backend: str, rules: str) -> None:
    def test() -> None:
        made = made_for(backend, rules, SOME)
        for name in BINARY:
            for x, y in some(pairs(made), sampled(backend, 29), name + rules):
                check(name, x, y)

    with lw.using(rules=rules):
        on_dtypes(test)


@pytest.mark.parametrize("rules", lw.rule_names())
def test_operations_of_one_operand(backend: str, rules: str) -> None:
    def test() -> None:
        for name, x in some(
            itertools.product(UNARY, made_for(backend, rules, SOME).values()), sampled(backend, 3), rules
        ):
            if x.ndim or name not in ("sort", "cumulative_sum"):
                check(name, x)

    with lw.using(rules=rules):
        on_dtypes(test)


# --- several operands, options, in place ------------------------------------------------------------------------------

SEVERAL: dict[str, Callable[..., Any]] = {
    "where": lambda x, y: lw.where(lw.ones(2, dtype=lw.bool, device=place(x, y)), x, y),
    "concat": lambda x, y: lw.concat([x, y]),
    "stack": lambda x, y: lw.stack([x, y]),
    "matmul": lw.matmul,
    "vecdot": lw.vecdot,
    "tensordot": lambda x, y: lw.tensordot(x, y, axes=1),
    "isin": lw.isin,
}


def place(*operands: Any) -> Any:
    return next(x.device for x in operands if isinstance(x, lw.Array))


@pytest.mark.parametrize("rules", lw.rule_names())
def test_operations_with_options_and_sequences(backend: str, rules: str) -> None:
    def test() -> None:
        made = made_for(backend, rules, SOME)
        vectors = {key: x for key, x in made.items() if x.ndim}
        for name, call in SEVERAL.items():
            given = pairs(made) if name == "where" else itertools.product(vectors.values(), repeat=2)
            for x, y in some(given, sampled(backend, 13), name + rules):
                check(name, x, y, call=call)

    with lw.using(rules=rules):
        on_dtypes(test)


@pytest.mark.parametrize("rules", lw.rule_names())
def test_three_operands(backend: str, rules: str) -> None:
    """The rules see all of them at once: folding pair by pair may give another dtype."""
    few = (lw.int8, lw.uint16, lw.float16, lw.complex64)

    def test() -> None:
        made = [*made_for(backend, rules, few).values()]
        vectors = [x for x in made if x.ndim]
        for given in some(itertools.product(vectors, repeat=3), sampled(backend, 7), rules):
            check("concat", *given, call=lambda *given: lw.concat(list(given)))
            check("_einsum", *given, call=lambda *given: lw.einsum("i,i,i->i", *given))
        for given in some(itertools.product(made, [*made, 1, 1.5], [*made, 2]), sampled(backend, 31), rules):
            check("_clip", *given, call=lw.clip)

    with lw.using(rules=rules):
        on_dtypes(test)


IN_PLACE = {"add": "__iadd__", "divide": "__itruediv__", "pow": "__ipow__", "bitwise_and": "__iand__"}


@pytest.mark.parametrize("rules", lw.rule_names())
def test_in_place(backend: str, rules: str) -> None:
    """The array keeps its dtype, where the rules let it, and its memory; or it is not changed."""
    with lw.using(rules=rules):
        made = made_for(backend, rules, SOME)
        for name, method in IN_PLACE.items():
            for x, y in some(pairs(made), sampled(backend, 23), name + rules):
                if isinstance(x, lw.Array) and (not isinstance(y, lw.Array) or y.ndim <= x.ndim):
                    for _ in range(2):
                        check_in_place(backend, name, method, x, y)


def check_in_place(backend: str, name: str, method: str, x: lw.Array, y: Any) -> None:
    z = lw.asarray(x, copy=True)
    want = expected(name, z, y, in_place=True)
    what = f"{current().rules.name}: {name} in place of {facts(z)} and {facts(y)}"
    before = z.data
    try:
        getattr(z, method)(y)
    except (TypeError, OverflowError) as error:
        if isinstance(want, tuple) and want[0] is x.dtype and " compute in " not in str(error):
            raise AssertionError(f"{what}: {want} expected, refused: {error!r}") from error
        if z.weak != x.weak or not np.array_equal(np.asarray(z), np.asarray(x)):
            raise AssertionError(f"{what}: refused, and changed") from error
    else:
        assert isinstance(want, tuple) and want[0] is x.dtype is z.dtype, f"{what}: {want}"
        assert z.weak == want[1], what
        assert z._sig.backend.dtypes[z._sig.backend.dtype_of(z.data)] is z.dtype, what
        assert backend not in WHOLE or z.data is before or not z.ndim, what


# --- what only some rules have ---------------------------------------------------------------------------------------


def test_weak_arrays(backend: str) -> None:
    """What is made of Python scalars without a dtype is weak under JAX's rules, and gives way."""
    with lw.using(rules="jax"):
        weak = lw.asarray(1.5)
        assert (weak.dtype, weak.weak) == (lw.float64, True)
        for x in (lw.asarray(1), lw.full(2, 1.5), lw.zeros_like(weak), lw.full_like(weak, 2), weak.copy(), weak[None],
                  lw.reshape(weak, (1,)), lw.cos(weak), weak + 1, -weak, lw.asarray(weak)):  # fmt: skip
            assert x.weak, x
        for x in (lw.asarray([1.5]), lw.asarray(1.5, dtype="float64"), lw.asarray(True),
                  lw.full(2, 1.5, dtype="float64"), lw.full(2, True), lw.astype(weak, lw.float64),
                  weak.astype(lw.float64), lw.zeros(2), lw.arange(3),
                  lw.asarray(weak, dtype=lw.float64), lw.astype(weak, lw.float64, copy=False), lw.sum(weak),
                  lw.ones(2, dtype=lw.bfloat16) + weak, lw.asarray(np.float64(1.5)), lw.asarray([weak, weak]),
                  lw.zeros_like(weak, dtype=lw.float64)):  # fmt: skip
            assert not x.weak, x
        assert (lw.ones(2, dtype=lw.bfloat16) + weak).dtype is lw.bfloat16
        assert lw.result_type(lw.bfloat16, weak) is lw.bfloat16
    assert weak.weak  # it stays what it is; the unified rules take it for any float64
    r = lw.ones(2, dtype=lw.float32) + weak
    assert (r.dtype, r.weak) == (lw.float64, False)
    assert not (weak + weak).weak and lw.result_type(lw.float32, weak) is lw.float64
    assert not lw.asarray(1.5).weak and not lw.full(2, 1).weak


def test_some_results_are_weak_only_where_no_operand_has_dimensions(backend: str) -> None:
    with lw.using(rules="jax"):
        x, weak = lw.asarray(2.0, dtype=lw.float32), lw.asarray(3.0)
        vector = lw.broadcast_to(weak, (2,))
        assert weak.weak and vector.weak
        for f in (lw.hypot, lw.logical_and, lw.logical_or, lw.logical_xor):
            for _ in range(2):
                assert f(weak, weak).weak and f(lw.asarray(True), weak).weak, f
                assert not (f(weak, vector).weak or f(x, weak).weak or f(vector, vector).weak), f
        assert lw.logical_not(weak).weak and not lw.logical_not(vector).weak


def test_a_weak_array_in_place_keeps_its_dtype_and_becomes_strong(backend: str) -> None:
    with lw.using(rules="jax"):
        x, y = lw.full(2, 1.5), lw.ones(2, dtype=lw.float64)
        x += 1
        assert x.weak
        x += y
        assert (x.dtype, x.weak) == (lw.float64, False)
        x += y
        np.testing.assert_array_equal(np.asarray(x), [4.5, 4.5])


def test_weak_arrays_are_copied_pickled_and_moved(backend: str) -> None:
    import copy
    import pickle

    with lw.using(rules="jax"):
        x = lw.asarray(1.5)
        for same in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), lw.asarray(x, backend="numpy"),
                     x.to_device(x.device), x.compute()):  # fmt: skip
            assert same.weak
        assert "weak float64" in str(lw.plan(lw.add, x, 1))


@has("tensorflow")
def test_sequences_are_weak_under_tensorflows_rules() -> None:
    for rules in ("tensorflow-all", "tensorflow-safe"):
        with lw.using(rules=rules):
            assert lw.asarray([1, 2]).weak and lw.asarray(1.5).weak and not lw.asarray(np.ones(2)).weak


def test_arrays_without_dimensions_give_way_under_torchs_rules(backend: str) -> None:
    x, zero = lw.ones(2, dtype=lw.int8), lw.asarray(1, dtype=lw.int64)
    with lw.using(rules="torch"):
        for _ in range(2):
            assert (x + zero).dtype is (zero + x).dtype is lw.int8
            assert (x + zero[None]).dtype is (zero + zero).dtype is lw.int64
            assert (x + lw.asarray(0.5)).dtype is lw.float32
    assert (x + zero).dtype is lw.int64


def test_a_plan_shows_what_the_rules_look_at() -> None:
    x, zero = lw.ones(2, dtype=lw.int8), lw.asarray(1, dtype=lw.int64)
    with lw.using(rules="torch"):
        assert lw.plan(lw.add, x, zero).out == (lw.int8,) and lw.plan(lw.add, x, zero[None]).out == (lw.int64,)
    with lw.using(rules="numpy1"):
        assert lw.plan(lw.add, x, 1).out == (lw.int8,) and lw.plan(lw.add, x, 300).out == (lw.int16,)


def test_kernels_are_kept_where_dimensions_do_not_matter() -> None:
    """Then a call under torch's rules is found like any other; else it is found at the second look."""
    x, y, zero = lw.ones(2), lw.ones(2, dtype=lw.int8), lw.asarray(1, dtype=lw.int64)
    with lw.using(rules="torch", default_int="int16") as p:
        kernels = TABLES["add"].setdefault(p, {})
        for a, b in ((x, x), (x, y), (x, 1.5), (y, 1), (lw.asarray(1.5), x)):
            lw.add(a, b)
        assert kernels[x._sig].keys() == {x._sig, y._sig, float} and kernels[y._sig].keys() == {int}
        assert kernels.keys() == {x._sig, y._sig, _CLOSER} and not kernels[_CLOSER]
        lw.add(y, zero)
        assert zero._sig not in kernels.get(y._sig, {})
        before = lw.kernel_count(lw.add, policy=p)
        for _ in range(3):
            assert lw.add(y, zero).dtype is lw.int8 and lw.add(zero, y).dtype is lw.int8
        assert lw.kernel_count(lw.add, policy=p) == before + 1


def test_values_are_looked_at_under_numpy1_and_few_are_kept(backend: str) -> None:
    x = lw.ones(2, dtype=lw.int8)
    with lw.using(rules="numpy1", default_int="int16") as p:
        for _ in range(2):
            for value, dtype in ((1, "int8"), (127, "int8"), (128, "int16"), (-129, "int16"), (70_000, "int32")):
                assert (x + value).dtype == dtype, value
                assert (x + lw.asarray(value, dtype=lw.int64)).dtype == dtype, value
        for value in range(600):
            assert (lw.ones(2, dtype=lw.float32) + value / 8).dtype is lw.float32
        assert lw.kernel_count(lw.add, policy=p) < 20  # by what was decided, however many values there are
        assert len(TABLES["add"][p][BY_VALUE]) < 300


def test_ints_beyond_int64_are_uint64_under_torchs_rules() -> None:
    """Which joins floats, and no bools: what is kept for ints beside bools is not for these."""
    x = lw.asarray([True, False])
    with lw.using(rules="torch"):
        for _ in range(2):
            assert (x + 1).dtype is lw.int64 and (lw.ones(2) + 2**63).dtype is lw.float32
            with pytest.raises(PromotionError):
                x + 2**63
            with pytest.raises(OverflowError):
                x + 2**64


@pytest.mark.parametrize("rules", [name for name in lw.rule_names() if name not in ("max", "max-2024")])
def test_ints_have_to_fit_as_the_rules_have_it(backend: str, rules: str) -> None:
    x = lw.asarray([1], dtype=lw.int8)
    with lw.using(rules=rules):
        for _ in range(2):
            for value in (127, -128, 300, -129, 2**31, 2**63, 2**64):
                takes = RULES[rules].takes(value, lw.int8)
                try:
                    r = lw.add(x, value)
                except (OverflowError, PromotionError):
                    assert not takes, (value, takes)
                    continue
                assert takes, value
                if r.dtype.kind == "i":
                    assert int(r[0]) == (1 + value if r.dtype is not lw.int8 else (1 + value + 128) % 256 - 128)


@pytest.mark.parametrize("rules", ["jax", "torch"])
def test_a_negative_int_is_no_exponent_of_integers_and_does_not_wrap(backend: str, rules: str) -> None:
    x = lw.asarray([1, 2], dtype=lw.uint8)
    with lw.using(rules=rules):
        assert (x**2).tolist() == [1, 4]
        for call in (lambda: x**-1, lambda: lw.pow(x, -1), lambda: lw.asarray(x, copy=True).__ipow__(-1)):
            with pytest.raises(PromotionError, match="no negative exponent -1 beside integers of uint8"):
                call()
        assert (1.0 * x**0).dtype.kind == "f" and lw.asarray([2.0]) ** -1 == 0.5 and ((-1) ** x).dtype is lw.uint8


def test_a_refusal_says_what_was_given_which_rules_and_the_way_out(backend: str) -> None:
    x, y = lw.ones(2, dtype=lw.int32), lw.ones(2)
    with lw.using(rules="tensorflow"), pytest.raises(PromotionError) as caught:
        x + y
    message = str(caught.value)
    assert message.startswith("add: ") and "int32 and float32" in message and "tensorflow rules" in message
    assert "lw.astype(x1, lw.float32)" in message and f"({__file__}:" in message


def test_a_dtype_that_the_backend_lacks_is_an_error_of_the_backend(backend: str) -> None:
    x = lw.asarray([1.5, 0.1], dtype=lw.float16)
    with lw.using(rules="torch"):
        says = "the torch rules answer complex32, as torch does; latticework has no complex32 on any backend. Cast"
        with pytest.raises(BackendError, match=says):
            x + 1j
        assert lw.operation_result("add", x, 1j) == "complex32"
        # A comparison in complex32 gives bools, and the complex number is rounded as that dtype rounds it.
        assert (x == 0.1 + 0j).tolist() == [False, True] and (x != 0.1 + 0j).tolist() == [True, False]
        assert (x == 1.5 + 1e-12j).tolist() == [True, False] and (x == 1.5 + 1j).tolist() == [False, False]
        assert (x == lw.asarray(1.5 + 0j)).tolist() == [True, False]


@has("torch")
@pytest.mark.filterwarnings("ignore")
def test_numpy_scalars_are_python_numbers_under_torchs_rules(backend: str) -> None:
    """As torch has it, but for complex64, whose imaginary part it drops."""
    import torch

    numbers = [np.float64(1.5), np.float32(1.5), np.float16(1.5), np.int64(3), np.int8(3), np.uint64(3), np.bool_(True)]
    for dtype in ("bool", "uint8", "int32", "float16", "float64"):
        x, t = lw.ones(2, dtype=dtype), torch.ones(2, dtype=getattr(torch, dtype))
        with lw.using(rules="torch"):
            for number in (*numbers, np.complex128(1j))[:: 1 if backend in WHOLE else 4]:
                want = str((t + number).dtype).removeprefix("torch.")
                assert lw.operation_result("add", x, number) == want == lw.result_type(x, number)
                if want != "complex32":
                    assert (x + number).dtype == lw.add(number, x).dtype == want, (dtype, number)
    with lw.using(rules="mlx"):
        x = lw.ones(2, dtype=lw.uint8)
        assert (x + np.int64(1)).dtype is (np.int64(1) + x).dtype is lw.uint8
        if backend == "numpy":
            assert (x + np.ones(2, np.int64)).dtype is lw.uint8
            assert (lw.ones(2, dtype=lw.float16) * np.ones(2)).dtype is lw.float16


def test_mixed_dtypes_are_refused_under_tensorflows_rules(backend: str) -> None:
    with lw.using(rules="tensorflow"):
        made = [lw.ones(2, dtype=d) for d in (lw.int32, lw.float32, lw.bfloat16, lw.uint8)]
        for x, y in itertools.permutations(made, 2):
            for call in (lw.add, lw.less, lw.divide, lambda x, y: lw.concat([x, y]), lambda x, y: x.__iadd__(y)):
                with pytest.raises(PromotionError):
                    call(x, y)
        for x in made:
            assert (x + 1).dtype is x.dtype


def test_compositions_run_under_every_rule_set(backend: str) -> None:
    if backend not in WHOLE:
        pytest.skip("they are the same compositions on every backend")
    x = lw.asarray([[4.0, 1.0], [1.0, 3.0]])
    v = lw.asarray([1.0, 2.0, 4.0])
    for rules in lw.rule_names():
        with lw.using(rules=rules):
            assert lw.linalg.pinv(x).dtype is x.dtype
            assert int(lw.linalg.matrix_rank(x)) == 2 and lw.linspace(0, 1, 4).size == 4
            for r in (lw.linalg.matrix_power(x, 3), lw.linalg.matrix_norm(x), lw.tensordot(x, x), lw.diff(v),
                      lw.linalg.cross(v, v), lw.linalg.outer(v, v), lw.linalg.trace(x)):  # fmt: skip
                assert r.dtype is lw.float32, rules
            assert lw.searchsorted(v, v).shape == (3,) and lw.einsum("i,i", v, v).dtype is lw.float32
            if rules != "max-2024":  # which mixes tensors with no Python scalars
                assert lw.allclose(x, x) and lw.nan_to_num(v).dtype is lw.float32


@pytest.mark.parametrize("rules", lw.rule_names())
def test_compositions_have_the_dtypes_of_their_families(backend: str, rules: str) -> None:
    """What the body does step by step is not refused where the whole is not."""
    compositions: dict[str, Callable[..., Any]] = {
        "isclose": lw.isclose, "hstack": lambda *xs: lw.hstack(xs), "vstack": lambda *xs: lw.vstack(xs),
        "dstack": lambda *xs: lw.dstack(xs), "column_stack": lambda *xs: lw.column_stack(xs),
    }  # fmt: skip

    def test() -> None:
        made = made_for(backend, rules, SOME)
        vectors = [x for x in made.values() if x.ndim]
        for name, call in compositions.items():
            for x, y in some(itertools.product(vectors, repeat=2), sampled(backend, 7), name + rules):
                check(name, x, y, call=call)
        for x in vectors[:: sampled(backend, 1)]:
            for name in ("nan_to_num", "cumsum", "cumprod"):
                check(name, x)

    with lw.using(rules=rules):
        on_dtypes(test)


@pytest.mark.parametrize("rules", ["numpy", "numpy1"])
def test_real_matrices_have_complex_eigenvalues_under_numpys_rules(backend: str, rules: str) -> None:
    """NumPy's dtype depends on the values; none of them is cut to its real part here."""
    turn = lw.asarray([[0.0, -1.0], [1.0, 0.0]], dtype=lw.float32)
    with lw.using(rules=rules):
        for found in (*lw.linalg.eig(turn), lw.linalg.eigvals(turn)):
            assert found.dtype is lw.complex64
        assert sorted(complex(v).imag for v in lw.linalg.eigvals(turn)) == [-1, 1]


def test_integers_are_compared_with_any_int_under_numpys_rules(backend: str) -> None:
    x = lw.asarray([-128, 0, 127], dtype=lw.int8)
    with lw.using(rules="numpy"):
        for value in (300, 2**70, 128, -129, -(2**70), 127, -128, 5):
            reference = np.asarray([-128, 0, 127], dtype=np.int8)
            for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
                for a, b in ((x, value), (value, x)):
                    r = compare(a, b)
                    wanted = compare(*(reference if y is x else y for y in (a, b)))
                    assert r.dtype is lw.bool
                    assert np.asarray(r).tolist() == wanted.tolist(), (compare, value)
        with pytest.raises(OverflowError, match="add: Python int 300 does not fit int8"):
            x + 300
    with lw.using(rules="strict"), pytest.raises(OverflowError, match="equal: Python int 300 does not fit"):
        x == 300  # noqa: B015


def test_the_operator_squares_bools_under_numpys_rules(backend: str) -> None:
    """ndarray's ``x ** 2`` is `square`, int8; `pow`, and any other Python int, is int64."""
    reference = np.asarray([True, False])
    with lw.using(rules="numpy"):
        for x, wanted in ((lw.asarray([True, False]), reference), (lw.asarray(True), reference[0, ...])):
            for _ in range(2):  # the function's kernel is not the operator's, nor that of 2 the one of 3
                for exponent in (2, 3, 0, np.int8(2), np.int64(2), True, 2.0):
                    pairs = ((x**exponent, wanted**exponent), (lw.pow(x, exponent), np.power(wanted, exponent)))
                    for found, native in pairs:
                        assert found.dtype == native.dtype and found.tolist() == native.tolist(), (exponent, backend)
    with lw.using(rules="numpy1"):
        assert (lw.asarray([True]) ** 2).dtype is lw.int8
    with lw.using(rules="jax"):
        assert (lw.asarray([True]) ** 2).dtype is lw.pow(lw.asarray([True]), 2).dtype


def test_bounds_are_values_under_numpy1() -> None:
    x = lw.asarray([1], dtype=lw.uint8)
    with lw.using(rules="numpy1"):
        assert lw.clip(x, -1).dtype is lw.int16
    for rules in ("numpy", "unified"):
        with lw.using(rules=rules):
            assert lw.clip(x, -1).dtype is lw.operation_result("clip", x, -1) is lw.uint8


def test_an_assignment_casts_as_in_place(backend: str) -> None:
    some_dtypes = (lw.int8, lw.int32, lw.float32, lw.float64)
    made = {d: lw.ones(2, dtype=d) for d in some_dtypes}
    widened = {"int8 int32", "int8 float32", "int32 float32", "int8 float64", "int32 float64", "float32 float64"}
    within_kinds = widened | {"int32 int8", "float64 float32"}
    goes = {
        "unified": within_kinds, "strict": set(), "paddle": {"float32 float64"}, "jax": widened,
        "tensorflow": set(), "numpy": within_kinds, "torch": within_kinds,
    }  # fmt: skip
    for rules, pairs_that_go in goes.items():
        with lw.using(rules=rules):
            for value, x in itertools.permutations(some_dtypes, 2):
                target = lw.asarray(made[x], copy=True)
                if f"{value} {x}" in pairs_that_go:
                    target[0] = made[value][0]
                    assert target.dtype is x
                else:
                    with pytest.raises(TypeError, match=f"setitem: {value} does not go into an array of {x}"):
                        target[0] = made[value][0]
            target = lw.asarray(made[lw.float32], copy=True)
            target[:] = [2, 3]
            assert target.dtype is lw.float32


def test_scalar_types_as_dtypes_are_what_the_framework_has_for_them() -> None:
    """`float` is not the default dtype under torch's rules: ``torch.zeros(2, dtype=float)`` is of float64."""
    for rules, expected in (
        ("unified", (lw.int32, lw.float16, lw.complex64)),
        ("numpy", (lw.int64, lw.float64, lw.complex128)),
        ("torch", (lw.int64, lw.float64, lw.complex128)),
        ("jax", (lw.int64, lw.float64, lw.complex128)),
        ("jax-x32", (lw.int32, lw.float32, lw.complex64)),
    ):
        with lw.using(rules=rules, default_float="float16", default_complex="complex64"):
            assert tuple(lw.zeros(2, dtype=t).dtype for t in (int, float, complex)) == expected, rules
            assert lw.arange(True).dtype is lw.asarray(1).dtype is lw.default_int_dtype()


def test_a_scalar_is_taken_beside_the_operands_that_join(backend: str) -> None:
    """Which of `where` are the second and third: its condition's dtype has no say in what an int fits."""
    c, x = lw.asarray([True, False]), lw.asarray([1, 2], dtype=lw.int8)
    with lw.using(rules="mlx"), pytest.raises(OverflowError, match="300 does not fit int8"):
        lw.where(c, x, 300)
    with lw.using(rules="tensorflow"):
        assert lw.where(c, lw.ones(2, dtype=lw.uint64), 2**63).dtype is lw.uint64
    with lw.using(rules="numpy1"):
        made = lw.where(c, x, 300)
        assert made.dtype is lw.int16 and int(made[1]) == 300 and lw.where(c, x, 3).dtype is lw.int8


@pytest.mark.parametrize(("rules", "a", "b"), [("strict", 1, True), ("tensorflow", 1, 1.5), ("jax-strict", 1, True)])
def test_scalars_alone_are_refused_in_words_too(rules: str, a: Any, b: Any) -> None:
    with lw.using(rules=rules), pytest.raises(PromotionError, match=r"where: .* Give an array in place of a Python"):
        lw.where(lw.asarray([True, False]), a, b)


def test_arguments_that_do_not_fit_are_no_fault_of_the_backend(backend: str) -> None:
    """Where a framework's function is tried in a dtype that ours does not take."""
    with lw.using(rules="numpy"):
        b, c = lw.asarray([[True, False, True]] * 2), lw.asarray([[1j, 2]])
        with pytest.raises(ValueError, match=r"matmul: shapes \(2, 3\) and \(2, 3\)"):
            lw.matmul(b, b)
        with pytest.raises((IndexError, BackendError), match="max: "):
            lw.max(c, axis=5)
        with pytest.raises((ValueError, BackendError), match="less: "):
            lw.less(c, lw.zeros((3, 3)))


def test_members_of_an_enum_promote_as_the_ints_that_they_are() -> None:
    class Code(enum.IntEnum):
        A = 3

    x = lw.asarray([1, 3], dtype=lw.int8)
    assert lw.result_type(x, Code.A) is (x + Code.A).dtype is lw.operation_result("add", x, Code.A) is lw.int8
    assert lw.isclose(x, Code.A).tolist() == [False, True]
    with lw.using(rules="numpy1"):
        assert lw.result_type(x, Code.A) is lw.int8


def test_default_dtypes_that_rules_fix_hold_for_all_that_is_made(backend: str) -> None:
    for rules, dtype in (("numpy", lw.float64), ("jax", lw.float64), ("jax-x32", lw.float32), ("torch", lw.float16)):
        with lw.using(rules=rules, default_float="float16"):
            if backend == "tensorflow" or dtype in lw.valid_dtypes:
                assert lw.zeros(2).dtype is lw.asarray(1.5).dtype is lw.default_dtype() is dtype
                assert lw.fft.fftfreq(4).dtype is lw.fft.rfftfreq(4).dtype is dtype
                assert lw.__array_namespace_info__().default_dtypes()["real floating"] is dtype
                assert lw.default_float_dtype() is dtype
    with lw.using(rules="max-2024"):  # which take no Python scalar
        assert lw.fft.fftfreq(4).dtype is lw.float32


def test_the_way_out_of_a_refusal_was_tried(backend: str) -> None:
    """The casts that an error names, made, settle it."""
    tried = 0
    for rules in lw.rule_names():
        with lw.using(rules="unified"):
            made = [lw.ones((2, 2), dtype=d) for d in SOME]
            condition = lw.ones((2, 2), dtype=lw.bool)
        names = ("add", "subtract", "divide", "matmul", "bitwise_and", "where")
        cases = itertools.product(names, made, [*made, 1.5, 1])
        for name, x1, x2 in some(cases, sampled(backend, 7), rules):
            if name == "matmul" and not isinstance(x2, lw.Array):
                continue
            call = functools.partial(lw.where, condition) if name == "where" else getattr(lw, name)
            with lw.using(rules=rules):
                try:
                    call(x1, x2)
                    continue
                except PromotionError as error:
                    message = str(error)
                except (TypeError, OverflowError):  # the function's own categories, or a kernel that there is not
                    continue
                casts = dict(re.findall(r"lw\.astype\((x\d), lw\.(\w+)\)", message))
                assert casts or any(other in message for other in ("Give an array", "alone", "No cast")), message
                if casts:
                    tried += 1
                    given = {"x1": x1, "x2": x2}
                    for operand, dtype in casts.items():
                        given[operand] = lw.astype(given[operand], lw.Dtype(dtype))
                    try:
                        call(*given.values())
                    except PromotionError as error:
                        raise AssertionError(f"{message}\nand then: {error}") from error
                    except TypeError:
                        pass  # of the backend, which rules know nothing of
    assert tried > (100 if backend in WHOLE else 0)


# --- beside the frameworks themselves --------------------------------------------------------------------------------


@pytest.mark.needs("torch")
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@has("torch")
def test_numpy_arrays_under_torchs_rules_are_as_torch_has_them() -> None:
    import torch

    scalars = (*SCALARS, 300, 2**40)
    tensors: dict[Any, Any] = {}
    for dtype in lw.all_dtypes:
        native = getattr(torch, str(dtype))
        tensors[dtype, "D"], tensors[dtype, "Z"] = torch.ones(2).to(native), torch.ones(()).to(native)
    with lw.using(rules="torch", backend="numpy"), np.errstate(all="ignore"):
        ours = {(d, k): lw.ones(2 if k == "D" else (), dtype=d) for d, k in tensors}
        compared = 0
        keys = [*tensors, *scalars]
        for a, b in itertools.product(keys, keys):
            if a in tensors or b in tensors:
                compared += same_as_torch(
                    torch, *(tensors.get(k, k) for k in (a, b)), *(ours.get(k, k) for k in (a, b))
                )
        assert compared > 800


def same_as_torch(torch: Any, a: Any, b: Any, x: Any, y: Any) -> bool:
    """Whether torch has an answer to compare with."""
    what = f"{facts(x)} + {facts(y)}"
    try:
        native = a + b
    except NotImplementedError:
        return False  # a dtype that it promotes, and has no kernel for
    except (RuntimeError, TypeError, OverflowError, ValueError):
        with pytest.raises((TypeError, OverflowError)):
            lw.add(x, y)
        return True
    for _ in range(2):
        try:
            r = lw.add(x, y)
        except BackendError:
            assert native.dtype is torch.complex32, what
            continue
        assert r.dtype == native.dtype, f"{what} is {native.dtype}, got {r.dtype}"
        assert r.tolist() == native.tolist(), what
    return True


@pytest.mark.needs("torch", "jax")
@has("jax", "torch")
def test_torch_arrays_under_jaxs_rules_are_as_jax_has_them() -> None:
    """Chains of operations: dtypes and weak flags after every step."""
    import jax.numpy as jnp
    import torch

    start: list[tuple[Any, Any]] = [(jnp.ones(2, d), torch.ones(2).to(getattr(torch, d))) for d in map(str, SOME)]
    start += [(jnp.asarray(v), v) for v in (1, 1.5, 1j)] + [(v, v) for v in SCALARS]
    with lw.using(rules="jax", backend="torch"):
        pool = [(n, x if isinstance(x, (bool, int, float, complex)) and not hasattr(n, "dtype") else lw.asarray(x))
                for n, x in start]  # fmt: skip
        steps = [(jnp.add, lw.add), (jnp.multiply, lw.multiply), (jnp.divide, lw.divide), (jnp.maximum, lw.maximum)]
        rng = np.random.default_rng(0)
        compared = 0
        while compared < 120:
            (a, x), (b, y) = (pool[i] for i in rng.integers(len(pool), size=2))
            native, ours = steps[rng.integers(len(steps))]
            if not (isinstance(x, lw.Array) or isinstance(y, lw.Array)):
                continue
            compared += 1
            what = f"{native.__name__}({a!r}, {b!r})"
            r, z = native(a, b), None
            try:
                z = ours(x, y)
            except BackendError as error:
                if " compute in " not in str(error):
                    raise
                continue
            assert (z.dtype, z.weak) == (r.dtype.name, r.weak_type), what
            assert z.data.dtype is getattr(torch, r.dtype.name)
            if len(pool) < 60:
                pool.append((r, z))


@has("jax")
def test_integers_of_known_value_as_exponents_are_as_jax_has_them(backend: str) -> None:
    import jax
    import jax.numpy as jnp

    exponents = {"int16": np.int16(3), "int32": np.int32(2), "uint8": np.uint8(2)}
    for base, one in itertools.product(("bool", "uint8", "int16", "float32"), exponents):
        x, number = lw.ones(2, dtype=base), exponents[one]
        want = jax.eval_shape(lambda x, y=number: x**y, jnp.ones(2, base))
        loose = jax.eval_shape(operator.pow, jnp.ones(2, base), jnp.ones((), one))
        with lw.using(rules="jax"):
            for y in (number, lw.asarray(number)):
                assert (x**y).dtype == lw.pow(x, y).dtype == want.dtype == lw.operation_result("pow", x, y), (base, one)
            # A dtype stands for an array of several exponents, as what is traced does.
            assert lw.operation_result("pow", base, one) == (x ** lw.asarray([number])).dtype == loose.dtype
    x = lw.asarray([1, 2, 3], dtype=lw.int32)
    with lw.using(rules="jax"):
        for y in (lw.asarray(-1), lw.asarray(-1, dtype=lw.int64), np.int16(-1)) if backend != "dask" else ():
            for base in (x, lw.astype(x, lw.uint8)):
                with pytest.raises(PromotionError, match="no negative exponent -1"):
                    base**y
        # In an array they answer: the lowest six bits of -1 are 63.
        assert (x ** lw.asarray([-1, 2, -1], dtype=lw.int32)).tolist() == [1, 4, 3**63 % 2**32]


@pytest.mark.needs("torch")
@has("jax", "torch")
def test_the_chains_that_people_ask_about() -> None:
    import torch

    x = lw.asarray(torch.ones(2, dtype=torch.int32))
    with lw.using(rules="jax"):
        r = lw.add(x, 1.5)
        assert (r.backend, r.dtype, r.weak) == ("torch", lw.float64, True)
        r = (x + 1.5) + lw.ones(2, dtype=lw.bfloat16, device=x.device)
        assert (r.dtype, r.weak) == (lw.bfloat16, False)
        r = lw.asarray(np.int16(1)) + 1 + lw.asarray(1, dtype=lw.int16)
        assert (r.dtype, r.weak) == (lw.int16, False)
        r = lw.asarray(1) + 1 + lw.asarray(1, dtype=lw.int16)
        assert (r.dtype, r.weak) == (lw.int16, False)
    assert (lw.add(x, 1.5).dtype, lw.add(x, 1.5).weak) == (lw.float32, False)


@pytest.mark.needs("torch")
@has("torch")
def test_torch_arrays_under_numpys_rules_are_as_numpy_has_them() -> None:
    import ml_dtypes
    import torch

    def numpys(dtype: lw.Dtype) -> np.dtype[Any]:
        return np.dtype(ml_dtypes.bfloat16 if dtype is lw.bfloat16 else str(dtype))

    arrays = {d: (np.ones(2, numpys(d)), lw.asarray(torch.ones(2).to(getattr(torch, str(d))))) for d in lw.all_dtypes}
    calls: dict[str, Callable[..., Any]] = {
        "add": np.add, "divide": np.divide, "pow": np.power, "less": np.less, "maximum": np.maximum,
        "floor_divide": np.floor_divide, "bitwise_and": np.bitwise_and,
    }  # fmt: skip
    with lw.using(rules="numpy"):
        cases = [*itertools.product(arrays, repeat=2), *((d, v) for d in arrays for v in SCALARS)]
        for (a, b), (name, native) in some(itertools.product(cases, calls.items()), 3, ""):
            (n, x), (m, y) = arrays[a], arrays.get(b, (b, b))
            try:
                want: Any = native(n, m).dtype
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(lw, name)(x, y)
                continue
            try:
                r = getattr(lw, name)(x, y)
            except BackendError as error:
                if " compute in " not in str(error):
                    raise
                continue
            assert r.dtype == want and r.data.dtype is getattr(torch, str(r.dtype)), (name, a, b, want, r.dtype)
        for name in ("sum", "prod", "mean", "std", "sqrt", "abs"):
            for dtype, (n, x) in arrays.items():
                if dtype is not lw.bfloat16:
                    assert getattr(lw, name)(x).dtype == getattr(np, name)(n).dtype, (name, dtype)


# --- the rules are the context's -------------------------------------------------------------------------------------

ANSWERS = {
    "unified": ("float32", False), "precise": ("float64", False), "numpy": ("float64", False),
    "jax": ("float64", True), "torch": ("float32", False), "tensorflow": "refused",
}  # fmt: skip


def answer(x: lw.Array) -> Any:
    try:
        r = x + 1.5
    except PromotionError:
        return "refused"
    return str(r.dtype), r.weak


def test_threads_compute_by_their_own_rules(backend: str) -> None:
    x = lw.ones(2, dtype=lw.int32)
    names = [*ANSWERS] * 2
    ready = threading.Barrier(len(names))

    def work(name: str) -> list[Any]:
        ready.wait(timeout=60)
        seen = []
        for _ in range(20):
            with lw.using(rules=name):
                seen.append(answer(x))
            seen.append(answer(x))
        return seen

    with ThreadPoolExecutor(len(names)) as pool:
        for name, seen in zip(names, pool.map(work, names), strict=True):
            assert seen == [ANSWERS[name], ANSWERS["unified"]] * 20


def test_tasks_compute_by_their_own_rules(backend: str) -> None:
    x = lw.ones(2, dtype=lw.int32)

    async def work(name: str) -> list[Any]:
        seen = []
        with lw.using(rules=name):
            for _ in range(5):
                await asyncio.sleep(0)
                seen.append(answer(x))
        seen.append(answer(x))
        return seen

    async def main() -> list[list[Any]]:
        return await asyncio.gather(*map(work, ANSWERS))

    for name, seen in zip(ANSWERS, asyncio.run(main()), strict=True):
        assert seen == [*[ANSWERS[name]] * 5, ANSWERS["unified"]]


def test_a_composition_leaves_the_rules_as_they_were() -> None:
    x = lw.ones((2, 2))
    with lw.using(rules="torch"):
        lw.linalg.pinv(x)
        assert current().rules is RULES["torch"]
        with pytest.raises(ValueError, match="tensordot"):
            lw.tensordot(x, lw.ones(3), axes=1)
        assert current().rules is RULES["torch"]


def test_hypot_of_complex_numbers_is_refused_by_every_backend(backend: str) -> None:
    """PyTorch's rules have complex numbers for it, and no framework can compute it."""
    x = lw.asarray([3j])
    with lw.using(rules="torch"), pytest.raises(lw.errors.BackendError, match=r"^hypot: .*lw\.abs\(x\) first"):
        lw.hypot(x, x)


@pytest.mark.parametrize("rules", lw.rule_names())
def test_methods_give_the_dtypes_of_the_functions(backend: str, rules: str) -> None:
    """Rules without 64 bits narrow what is only moved, too; `x.reshape` went past them on NumPy and PyTorch."""
    for dtype in ("int64", "float64", "complex128", "uint64", "float32"):
        if (dtype, backend) in {(d, "jax") for d in ("int64", "float64", "complex128", "uint64")} and not _x64():
            continue
        with lw.using(rules="unified"):
            x = lw.ones((2, 3), dtype=dtype)
        with lw.using(rules=rules):
            if x.dtype not in RULES[rules].dtypes:
                for refused in (lambda x: x.reshape(6), lambda x: lw.reshape(x, (6,)), lambda x: x.T):
                    with pytest.raises(PromotionError, match="has no dtype under"):
                        refused(x)
                continue
            pairs = [
                (x.reshape(6), lw.reshape(x, (6,))), (x.reshape((3, 2)), lw.reshape(x, (3, 2))),
                (x.T, lw.matrix_transpose(x)), (x.ravel(), lw.reshape(x, (-1,))), (x.squeeze(), lw.squeeze(x, axis=())),
                (x.transpose((1, 0)), lw.permute_dims(x, (1, 0))),
            ]  # fmt: skip
            assert [str(a.dtype) for a, _ in pairs] == [str(b.dtype) for _, b in pairs]
            narrowed = pairs[0][0]
            if narrowed.dtype is not x.dtype:  # by which it is no view
                narrowed += 1
                assert float(lw.real(x[0, 0])) == 1


def _x64() -> bool:
    import jax

    return bool(jax.config.jax_enable_x64)


@pytest.mark.parametrize(
    ("name", "dtype"), [("gcd", "bool"), ("lcm", "float32"), ("gcd", "complex64"), ("ldexp", "complex64")]
)
def test_a_dtype_that_a_framework_lacks_is_told_alike(backend: str, name: str, dtype: str) -> None:
    """PyTorch's rules compute in it. JAX refuses it by a ValueError, which is that of arguments that do not fit."""
    f = getattr(lw, name)
    x, n = lw.ones(3, dtype=dtype), lw.ones(3, dtype="int32" if name == "ldexp" else dtype)
    with lw.using(rules="torch"):
        for call in (lambda: f(x, n), lambda: lw.infer(f, x, n, backend=backend)):
            with pytest.raises(BackendError, match=f"{name}: the torch rules compute in {dtype}, which"):
                call()
