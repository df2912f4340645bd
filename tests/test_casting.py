"""Casting modes: which dtype a refused one is cast to, that the plan and the record say so, and that off means off.

Comments name the place in the Ivy document's "Data Types" chapter that says what a test is about.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import BACKENDS
from support import values

import latticework as lw
from latticework import errors
from latticework.core.registry import OPS
from latticework.engine.calls.specialise import planned
from latticework.engine.plans.casting import MODES, targets
from latticework.policy import current


@pytest.fixture(autouse=True)
def _no_casts_before() -> Iterator[None]:
    lw.clear_casts()
    yield
    assert lw.casting_modes() == ()


# Data Type Casting Modes, the paragraphs on `upcast_data_types`, `downcast_data_types` and `crosscast_data_types`.
# What a mode may cast to, the nearest first, with the default dtypes as they are.
#           dtype          cross      up                        down
TARGETS = """
            bool           -          -                         -
            int8           float32    int16,int32,int64         -
            int16          float32    int32,int64               int8
            int32          float32    int64                     int16,int8
            int64          float32    -                         int32,int16,int8
            uint8          float32    uint16,uint32,uint64      -
            uint16         float32    uint32,uint64             uint8
            uint32         float32    uint64                    uint16,uint8
            uint64         float32    -                         uint32,uint16,uint8
            bfloat16       int32      float32,float64           -
            float16        int32      float32,float64           -
            float32        int32      float64                   bfloat16,float16
            float64        int32      -                         float32,bfloat16,float16
            complex64      -          complex128                -
            complex128     -          -                         complex64
"""


@pytest.mark.parametrize("row", TARGETS.split("\n")[1:-1], ids=lambda row: row.split()[0])
def test_the_dtypes_that_a_mode_may_cast_to(row: str) -> None:
    dtype, *expected = row.split()
    for mode, names in zip(MODES, expected, strict=True):
        wanted = () if names == "-" else tuple(names.split(","))
        assert targets(mode, lw.Dtype(dtype), current()) == wanted, mode


def test_crosscasts_follow_the_default_dtypes() -> None:
    with lw.using(default_float="float64", default_int="int64"):
        assert targets("cross", lw.int8, current()) == (lw.float64,)
        assert targets("cross", lw.float16, current()) == (lw.int64,)


def refused() -> Iterator[tuple[str, lw.Dtype, tuple[lw.Array, ...], str]]:
    """Every function of arrays and dtype that the current backend refuses: the operands, and what the error says."""
    zeros = {dtype: lw.zeros((2, 2), dtype=dtype) for dtype in lw.valid_dtypes}
    for name, op in OPS.items():
        if not op.operands or op.role_of:
            continue
        for dtype, x in zeros.items():
            operands = (x,) * len(op.operands)
            try:
                planned(OPS[name], (*operands,))
            except errors.PromotionError:
                continue
            except (errors.BackendError, TypeError) as error:
                yield name, dtype, operands, str(error)


# Data Type Casting Modes, the first paragraph: what a backend has and a function does not take.
# Supported and Unsupported Data Types, the paragraph on a loss of precision or range: such a dtype is refused.
def test_each_mode_does_what_its_rule_says_and_no_more(backend: str) -> None:
    seen = 0
    for name, dtype, operands, message in refused():
        seen += 1
        for mode in MODES:
            with lw.using(casting=mode):
                try:
                    plan = planned(OPS[name], (*operands,))
                except (errors.BackendError, TypeError):
                    assert f"casting={mode!r}" not in message
                    continue
            assert plan.mode == mode, (name, dtype)
            assert plan.refused is dtype
            assert plan.computed in targets(mode, dtype, current())
            assert set(plan.casts) == {plan.computed}
            assert f"cast {mode} from {dtype}" in str(plan)
            assert f"lw.using(casting={mode!r}) computes in {plan.computed}" in message, (name, dtype, message)
            for nearer in targets(mode, dtype, current())[: targets(mode, dtype, current()).index(plan.computed)]:
                with pytest.raises((errors.BackendError, TypeError)):
                    planned(OPS[name], tuple(lw.astype(x, nearer) for x in operands))
        if "floating" in OPS[name].accepts and dtype.kind in "iu":
            pytest.fail(f"{name} lifts {dtype} by itself")
    assert seen > 100  # bitwise functions of floats, LAPACK's of 16 bits, order of complex numbers …


# function, operands, mode -> dtype of the result and its values
COMPUTED: list[tuple[str, list[Any], str, str, str, Any]] = [
    ("linalg.inv", [[[2.0, 0.0], [0.0, 4.0]]], "float16", "up", "float32", [[0.5, 0.0], [0.0, 0.25]]),
    ("linalg.inv", [[[2.0, 0.0], [0.0, 4.0]]], "bfloat16", "all", "float32", [[0.5, 0.0], [0.0, 0.25]]),
    ("linalg.det", [[[2.0, 0.0], [0.0, 4.0]]], "float16", "up", "float32", 8.0),
    ("fft.fft", [[1.0, 2.0]], "bfloat16", "up", "complex64", [3.0, -1.0]),
    ("bitwise_and", [[6.0, 5.0], [3.0, 3.0]], "float32", "cross", "int32", [2, 1]),
    ("bitwise_and", [[6.0, 5.0], [3.0, 3.0]], "float64", "all", "int32", [2, 1]),
    ("bitwise_left_shift", [[1.0, 2.0], [3.0, 1.0]], "bfloat16", "cross", "int32", [8, 4]),
    ("bitwise_invert", [[0.0, 1.5]], "float16", "cross", "int32", [-1, -2]),
]


@pytest.mark.parametrize(("name", "given", "dtype", "mode", "result", "expected"), COMPUTED)
def test_what_is_computed_under_a_mode(
    backend: str, name: str, given: list[Any], dtype: str, mode: str, result: str, expected: Any
) -> None:
    function = lw
    for part in name.split("."):
        function = getattr(function, part)
    operands = [lw.asarray(x, dtype=dtype) for x in given]
    with pytest.raises((errors.BackendError, TypeError), match="casting="):
        function(*operands)
    with lw.using(casting=mode), lw.recording_casts() as seen:
        for _ in range(2):
            made = function(*operands)
    assert made.dtype == result
    np.testing.assert_allclose(np.asarray(made), expected)
    (cast,) = seen
    assert (cast.function, cast.backend, cast.source, cast.times) == (name, backend, dtype, 2)
    assert cast.file == __file__
    assert cast.line == test_what_is_computed_under_a_mode.__code__.co_firstlineno + 12
    assert lw.casts() == (cast,)


# Data Type Casting Modes, the last paragraph: what a cast costs is paid by no call that needs none.
def test_supported_calls_are_not_cast_under_any_mode(backend: str) -> None:
    """The modes are for what is refused: everything else has the plan that it has without them."""
    for name, op in OPS.items():
        if not op.operands or op.role_of:
            continue
        for dtype in ("int8", "float32", "bool", "complex64"):
            if lw.invalid_dtype(dtype):
                continue
            operands = [lw.zeros((2, 2), dtype=dtype) for _ in op.operands]
            try:
                plain = planned(OPS[name], (*operands,))
            except TypeError:
                continue
            with lw.using(casting="all"):
                assert planned(OPS[name], (*operands,)) == plain


def test_a_mode_casts_what_the_operands_promote_to(backend: str) -> None:
    x, y = lw.asarray([[4.0]], dtype="float16"), lw.asarray([[2]], dtype="int8")
    with lw.using(casting="up"):
        plan = lw.plan("linalg.solve", x, y)
        assert lw.linalg.solve(x, y).dtype is lw.float32
    assert (plan.casts, plan.refused) == ((lw.float32, lw.float32), lw.float16)


def test_undefined_promotions_stay_undefined() -> None:
    with lw.using(rules="strict", casting="all"), pytest.raises(errors.PromotionError):
        lw.add(lw.asarray([1]), lw.asarray([1.0]))


# Data Type Casting Modes, the paragraph on `cast_data_types`: cross, then up, then down.
def test_all_modes_are_tried_in_order(backend: str) -> None:
    def takes(*names: str) -> Any:
        return lw.with_supported_dtypes({"1.0 and above": names}, "1.0")(lambda x: x)

    x = lw.ones(2, dtype="int16")
    with lw.cast_data_types():
        assert takes("float32", "complex64")(x).dtype is lw.float32
        assert takes("float64", "int64", "int32", "int8")(x).dtype is lw.int32
        assert takes("float64", "uint32", "int8")(x).dtype is lw.int8
        with pytest.raises(errors.BackendError, match="Cast first"):
            takes("float64", "uint32", "complex64")(x)


def test_in_place_no_mode_changes_the_dtype(backend: str) -> None:
    x = lw.asarray([6.0, 5.0])
    with lw.using(casting="all"), pytest.raises(TypeError, match="in place"):
        x &= 3
    np.testing.assert_array_equal(np.asarray(x), [6, 5])
    assert x.dtype is lw.float32


# Data Type Casting Modes, the list of four, and the `val` of each.
@pytest.mark.parametrize(
    ("switch", "mode"),
    [
        (lw.upcast_data_types, ("up",)),
        (lw.downcast_data_types, ("down",)),
        (lw.crosscast_data_types, ("cross",)),
        (lw.cast_data_types, ("cross", "up", "down")),
    ],
)
def test_the_switches(switch: Any, mode: tuple[str, ...]) -> None:
    with switch():
        assert lw.casting_modes() == mode
        with switch(val=False):
            assert lw.casting_modes() == ()
        assert lw.casting_modes() == mode
    assert lw.casting_modes() == ()
    switch()
    assert lw.casting_modes() == mode
    switch(val=False)
    assert lw.casting_modes() == ()
    with pytest.raises(TypeError, match="True or False"):
        switch(val="up")


def test_switches_add_up() -> None:
    with lw.upcast_data_types(), lw.crosscast_data_types():
        assert lw.casting_modes() == ("cross", "up")
        with lw.upcast_data_types(val=False):
            assert lw.casting_modes() == ("cross",)


def test_a_switch_inside_a_block_leaves_the_blocks_modes_in_it() -> None:
    try:
        with lw.using(casting="up"):
            lw.downcast_data_types()
            assert lw.casting_modes() == ("up", "down")
        assert lw.casting_modes() == ("down",)
        with lw.using(casting=None):
            lw.upcast_data_types(False)
        assert lw.casting_modes() == ("down",)
    finally:
        lw.cast_data_types(False)


def test_a_switch_as_a_block_is_of_this_context_alone() -> None:
    seen = []
    with lw.upcast_data_types():
        thread = threading.Thread(target=lambda: seen.append(lw.casting_modes()))
        thread.start()
        thread.join()
    assert seen == [()]

    async def task(mode: str) -> tuple[str, ...]:
        with lw.using(casting=mode):
            await asyncio.sleep(0)
            return lw.casting_modes()

    async def both() -> list[tuple[str, ...]]:
        return await asyncio.gather(task("up"), task("down"))

    assert asyncio.run(both()) == [("up",), ("down",)]


def test_a_block_ends_with_an_error_too() -> None:
    with pytest.raises(ZeroDivisionError), lw.cast_data_types():
        raise ZeroDivisionError
    assert lw.casting_modes() == ()


def test_what_is_no_mode() -> None:
    with pytest.raises(ValueError, match="did you mean 'up'"), lw.using(casting="upp"):
        pass
    with pytest.raises(TypeError, match="casting must be"), lw.using(casting=3):
        pass


# Data Type Casting Modes, the last paragraph: a loss is not to go unseen.
def test_casts_are_counted_by_function_and_line() -> None:
    x = lw.asarray(values(lw.float32, (3,)))
    with lw.using(casting="cross"):
        for _ in range(3):
            lw.bitwise_invert(x)
        lw.bitwise_invert(x)
        lw.bitwise_and(x, x)
    counts = [(c.function, c.source, c.target, c.mode, c.times) for c in lw.casts()]
    assert counts == [
        ("bitwise_invert", "float32", "int32", "cross", 3),
        ("bitwise_invert", "float32", "int32", "cross", 1),
        ("bitwise_and", "float32", "int32", "cross", 1),
    ]
    first, second, third = lw.casts()
    assert (second.line - first.line, third.line - second.line) == (1, 1)
    assert str(first) == f"{__file__}:{first.line}: bitwise_invert on numpy: float32 cross to int32, 3 times"
    lw.clear_casts()
    assert lw.casts() == ()


def test_a_recording_sees_its_own_context_only() -> None:
    x = lw.asarray([1.0])

    def elsewhere() -> None:
        with lw.using(casting="cross"):
            lw.bitwise_invert(x)

    with lw.recording_casts() as outer:
        assert str(outer) == "no casts"
        with lw.recording_casts() as inner:
            elsewhere()
        elsewhere()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert [c.times for c in inner] == [1]
    assert [c.times for c in outer] == [2]
    assert [c.times for c in lw.casts()] == [3]
    assert len(outer) == 1
    assert "2 times" in str(outer)


def test_a_composition_is_cast_where_its_parts_are() -> None:
    """One of many functions: each that refuses is cast by itself, and counted under its own name."""

    def invert_and_add(x: lw.Array) -> lw.Array:
        return lw.linalg.inv(x) + 1

    with lw.using(casting="up"), lw.recording_casts() as seen:
        assert invert_and_add(lw.asarray([[2.0]], dtype="float16")).dtype is lw.float32
    assert [c.function for c in seen] == ["linalg.inv"]


@lw.with_supported_dtypes({"1.0 and above": ("float32", "int16")}, {"version": "1.2"})
def taken(*arrays: Any, option: Any = None) -> list[Any]:
    return [*arrays, option]


def test_decorated_functions_are_cast_too(backend: str) -> None:
    half, short = lw.asarray([1.5], dtype="float16"), lw.asarray([1], dtype="int16")
    with pytest.raises(errors.BackendError, match=r"float16.*Or allow a cast: lw.using\(casting='up'\) .* float32$"):
        taken(half)
    with lw.using(casting="all"), lw.recording_casts() as seen:
        first, second, third = taken(half, short, option=[half.data, 3])
    assert (first.dtype, second is short, third[1]) == (lw.float32, True, 3)
    assert lw.asarray(third[0]).dtype is lw.float32
    assert not isinstance(third[0], lw.Array)
    (cast,) = seen
    assert (cast.function, cast.backend, cast.source, cast.target, cast.mode, cast.times) == (
        ("taken", backend, "float16", "float32", "up", 2)
    )
    with lw.using(casting="down"):
        assert taken(lw.asarray([7], dtype="int32"))[0].dtype is lw.int16
    for mode in ("cross", "all"):  # some integers are taken
        with lw.using(casting=mode), pytest.raises(errors.BackendError, match=r"got uint8\. Cast first: [^ ]* [^ ]*$"):
            taken(lw.asarray([7], dtype="uint8"))


def test_crosscasts_are_for_a_kind_that_is_not_taken_at_all(backend: str) -> None:
    """A function that lacks one float of several is not given integers."""

    def takes(*names: str) -> Any:
        return lw.with_supported_dtypes({"1.0 and above": names}, "1.0")(lambda x: x)

    half, short = lw.asarray([1.5], dtype="float16"), lw.asarray([7], dtype="int16")
    with lw.using(casting="cross"):
        assert takes("int32", "float32")(lw.ones(1)).dtype is lw.float32
        assert takes("integer")(half).dtype is lw.int32
        assert takes("float")(short).dtype is lw.float32
        for refusing, x in ((takes("int32", "float32"), half), (takes("uint8", "float32"), short)):
            with pytest.raises(errors.BackendError):
                refusing(x)
    with lw.using(casting="all"):
        assert takes("int32", "float32")(half).dtype is lw.float32


@pytest.mark.parametrize(
    ("called", "inner", "mode"),
    [
        (lambda x: lw.linalg.matrix_norm(x, ord="nuc"), "linalg.matrix_norm: in linalg.svdvals: ", "up"),
        (lambda x: lw.linalg.matrix_power(x, -1), "linalg.matrix_power: in linalg.inv: ", "up"),
        (lambda x: lw.amax(lw.astype(x, "complex64")), "amax: in max: ", None),
        (lambda x: x & x, "bitwise_and: ", "cross"),
    ],
)
def test_an_error_names_the_function_that_was_called(backend: str, called: Any, inner: str, mode: str | None) -> None:
    """Where it is a part of ours that refuses, that too; and the mode that helps the part helps the whole."""
    x = lw.asarray([[2.0, 0.0], [0.0, 4.0]], dtype="float16")
    with pytest.raises(TypeError) as caught:
        called(x)
    assert str(caught.value).startswith(inner)
    assert ("Or allow a cast" in str(caught.value)) is (mode is not None)
    if mode:
        assert f"lw.using(casting={mode!r})" in str(caught.value)
        with lw.using(casting=mode), lw.recording_casts() as seen:
            called(x)
        assert [(c.mode, c.file) for c in seen] == [(mode, __file__)]


@pytest.mark.needs("torch", "jax", "tensorflow")
def test_where_a_traced_program_casts() -> None:
    """Once, when it is traced, on the line that the user wrote."""
    line = test_where_a_traced_program_casts.__code__.co_firstlineno

    def masked(data: Any) -> Any:
        return (lw.asarray(data) & 3).data  # line + 5

    given = np.asarray([6.0, 5.0], np.float32)
    compiled: list[tuple[Any, Any]] = []
    if "jax" in BACKENDS:
        import jax

        compiled.append((jax.jit(masked), jax.numpy.asarray(given)))
    if "tensorflow" in BACKENDS:
        import tensorflow as tf

        compiled.append((tf.function(masked), tf.constant(given)))
    if "torch" in BACKENDS:
        import torch

        compiled.append((torch.func.vmap(masked), torch.asarray(given)))
    for call, data in compiled:
        with lw.using(casting="cross"), lw.recording_casts() as seen:
            assert [call(data).tolist() if hasattr(call(data), "tolist") else call(data).numpy().tolist()] == [[2, 1]]
        (cast,) = seen
        assert (cast.function, cast.source, cast.file, cast.line) == ("bitwise_and", "float32", __file__, line + 5)


def test_an_index_is_no_operand_and_is_never_cast(backend: str) -> None:
    """What says where, how often or whether is of an integer dtype or bool: floats there are a mistake."""
    x, places = lw.asarray([1.0, 2.0]), lw.asarray([0.0, 1.0])
    with lw.using(casting="all"):
        for call in (lambda: lw.take(x, places, axis=0), lambda: lw.repeat(x, places), lambda: x[places]):
            with pytest.raises((TypeError, IndexError), match="integer dtype") as caught:
                call()
            assert "casting=" not in str(caught.value)
    assert lw.casts() == ()


def test_sequences_are_cast_together(backend: str) -> None:
    """Each array of a sequence, to the one dtype."""
    names = ("float16", "int8")
    with lw.using(casting="all"):
        assert lw.concat([lw.ones(2, dtype=d) for d in names]).dtype is lw.float16  # taken: nothing to cast
        with lw.recording_casts() as seen:
            made = lw.einsum("i,i->i", lw.asarray([True, False]), lw.asarray([1.0, 2.0], dtype="float16"))
        assert made.dtype is lw.float16 and not list(seen)


def test_a_refusal_by_the_rules_names_the_function_that_was_called(backend: str) -> None:
    x, y = lw.asarray([1.0]), lw.asarray([1])
    with lw.using(rules="strict", casting="all"):
        for f, start in ((lw.isclose, "isclose: in result_type: "), (lw.dot, "dot: in matmul: "), (lw.add, "add: ")):
            with pytest.raises(errors.PromotionError, match=f"^{start}float32 and int32 have no common dtype"):
                f(x, y)
