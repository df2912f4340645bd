"""What a dialect keeps of a call is what the next call may use: the policy, the switches and the options decide."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
import latticework.frontends.numpy as dnp
import latticework.frontends.tensorflow as tf
import latticework.frontends.torch as torch
from latticework import policy
from latticework.frontends import array as frontends_array
from latticework.frontends import dialect_named


def four_times(call: Callable[..., Any], *args: object) -> list[Any]:
    """What four calls give: the second one is looked at, and the third one runs what was kept."""
    return [call(*args) for _ in range(4)]


def test_made_arrays_follow_the_default_dtype_of_the_dialect() -> None:
    for _ in range(2):
        assert [str(torch.zeros(2).dtype), str(torch.zeros(2, dtype=torch.int8).dtype)] == [
            "torch.float32", "torch.int8",
        ]  # fmt: skip
        torch.set_default_dtype(torch.float64)
        try:
            found = [torch.zeros(2).dtype for _ in range(2)]
        finally:
            torch.set_default_dtype(torch.float32)
        assert found == [torch.float64] * 2


def test_made_arrays_follow_the_switch_of_64_bits() -> None:
    for _ in range(2):
        assert [str(jnp.zeros(2).dtype), str(jnp.arange(2).dtype)] == ["float32", "int32"]
        jax.config.update("jax_enable_x64", True)
        try:
            found = [str(f(2).dtype) for f in (jnp.zeros, jnp.arange) for _ in range(2)]
        finally:
            jax.config.update("jax_enable_x64", False)
        assert found == ["float64", "float64", "int64", "int64"]


def test_made_arrays_are_on_the_backend_and_the_device_in_force() -> None:
    for make in (dnp.zeros, dnp.ones, torch.zeros, jnp.zeros):
        for _ in range(2):
            assert make((2, 2))._array.backend == "numpy"
            with lw.using(backend="abstract"):
                assert make((2, 2))._array.backend == "abstract"
    for _ in range(2):
        with torch.device("cuda"), pytest.raises((RuntimeError, ValueError)):
            torch.zeros(3)
        assert torch.zeros(3).shape == (3,)


def test_results_follow_the_dialect_s_rules_under_any_rules_in_force() -> None:
    x = torch.tensor([1, 2])
    for _ in range(2):
        assert (x / 2).dtype is torch.float32
        assert x.sum(0).dtype is torch.int64
        with lw.using(rules="numpy", default_dtype=lw.float64):
            assert (x / 2).dtype is torch.float32
            assert x.sum(0).dtype is torch.int64


def test_an_option_of_one_call_is_none_of_the_next() -> None:
    m = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    n = dnp.asarray([[1.0, 2.0], [3.0, 5.0]])
    for _ in range(2):
        assert torch.sum(m).tolist() == 11.0
        assert torch.sum(m, 0).tolist() == [4.0, 7.0]
        assert torch.sum(m, dim=1, keepdim=True).tolist() == [[3.0], [8.0]]
        assert torch.softmax(m, dim=0).sum(0).tolist() == pytest.approx([1.0, 1.0])
        assert dnp.sum(n, axis=1).tolist() == [3.0, 8.0]
        assert dnp.sum(n, axis=(0, 1)).tolist() == 11.0
        assert n.max(axis=0).tolist() == [3.0, 5.0]
        assert torch.cat([m, m], dim=1).shape == (2, 4)
        assert torch.cat([m, m]).shape == (4, 2)
    with pytest.raises(TypeError):
        torch.sum(m, dim=1.0)
    with pytest.raises(IndexError):
        torch.sum(m, dim=2)


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "tensorflow", "tensorflow-numpy"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "bool", "float32"])
def test_small_ints_beside_arrays_are_what_rules_make_of_any_int(name: str, dtype: str) -> None:
    with lw.using(rules=name):
        x = lw.asarray(np.asarray([1, 0, 3], dtype))
        for n in (-129, -128, -1, 0, 3, 127, 128, 255, 256):
            found = []
            for again in range(2):
                try:
                    made = lw.multiply(x, n), lw.less(n, x)
                except (OverflowError, lw.errors.PromotionError) as error:
                    found.append(type(error))
                else:
                    found.append([(r.dtype, r.weak, r.tolist()) for r in made])
                    if again:
                        wrapped = np.asarray(n).astype(made[0].to_numpy().dtype)
                        assert made[0].tolist() == (np.asarray(x.to_numpy()) * wrapped).astype(wrapped.dtype).tolist()
            assert found[0] == found[1]


def test_tensors_of_tensorflow_have_numpy_s_methods_where_they_are_enabled() -> None:
    x = tf.constant([1.0, 2.0])
    assert not hasattr(x, "tolist")
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        _ = x.T
    with pytest.raises(AttributeError, match="nonsense"):
        _ = x.nonsense


def test_arange_of_ints_in_a_dtype_is_that_of_numpy() -> None:
    for dtype in ("int8", "uint8", "int64", "float32", "float64"):
        for arguments in ((4,), (2, 9, 3), (5, 0, -2), (3, 1), (120, 127, 5)):
            found = lw.arange(*arguments, dtype=lw.as_dtype(dtype))
            assert (found.to_numpy() == np.arange(*arguments, dtype=dtype)).all(), (dtype, arguments)
            assert str(found.dtype) == dtype
    with pytest.raises(OverflowError):
        lw.arange(120, 140, dtype=lw.int8)


def test_a_trace_sees_no_call_that_only_finds_a_kernel() -> None:
    x = torch.ones(2, 3)
    graph = lw.trace(lambda a: torch.sum(torch.mean(a, dim=-1, keepdim=True), 0), x)
    assert [node.name for node in graph.nodes] == ["mean", "sum"]


def test_a_kept_kernel_is_for_what_it_was_kept_for() -> None:
    assert np.isnan(np.asarray(jnp.take(jnp.ones(3), jnp.asarray([0, 7])))[1])  # what is not there is filled
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(tf.ones([3]), [-1])
    assert float(tf.clip_by_value(tf.constant(0.5), 2.0, 1.0)) == 2.0  # the lower bound wins where they cross
    assert np.asarray(dnp.unique(dnp.asarray([np.nan, np.nan]))).shape == (1,)
    assert torch.nn.functional.pad(torch.ones(1, 4), (-1, 1)).tolist() == [[1, 1, 1, 0]]
    assert jnp.full((2,), 1.0).weak_type
    weak = jnp.asarray(1.0)
    assert weak.weak_type and weak.T.weak_type


def test_no_call_keeps_its_arguments() -> None:
    """Whether an array shares memory with a live one decides whether it may be written to where no array changes."""
    gc.disable()
    try:
        for _ in range(4):
            x = dnp.arange(6)
            seen = weakref.ref(x._array)
            dnp.reshape(x, (2, 3))
            del x
            assert seen() is None
    finally:
        gc.enable()


def test_an_array_is_no_sequence_of_its_rows_though_their_kernel_is_kept() -> None:
    x = torch.ones(2, 3)
    with lw.using(backend="numpy"):
        torch.cat([x[0], x[1]])
        for _ in range(2):
            with pytest.raises(TypeError):
                torch.cat(x)


def test_a_list_of_arrays_is_no_tuple_and_no_array_though_their_kernel_is_kept() -> None:
    with lw.using(backend="numpy"):
        x, y = torch.ones(2, 3, dtype=torch.int64), torch.zeros(2, 3, dtype=torch.int64)
        for _ in range(4):
            for many in ((x, y), [x, x], [x, y, x]):
                torch.cat(many)
            with pytest.raises(TypeError):
                torch.cat(x)
        y = dnp.ones(2)
        for _ in range(4):
            assert dnp.block([y, y]).shape == (4,)
            with pytest.raises(TypeError):
                dnp.block((y, y))


def test_a_kernel_of_matrices_is_none_of_other_ranks() -> None:
    for _ in range(2):
        m, r, c = dnp.ones((2, 3)), dnp.ones((2, 3, 4)), torch.ones(2, 3, 3)
        assert dnp.dot(m, m.T).shape == (2, 2)
        assert dnp.dot(r, dnp.ones((5, 4, 2))).shape == (2, 3, 5, 2)
        assert (m.T.shape, r.T.shape, torch.ones(2, 3).T.shape) == ((3, 2), (4, 3, 2), (3, 2))
        assert torch.bmm(c, c).shape == (2, 3, 3)
        with pytest.raises(RuntimeError):
            torch.bmm(c[:1], c)  # which lw.matmul would broadcast
        assert tf.matmul(tf.ones((2, 3)), tf.ones((3, 2))).shape == (2, 2)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(tf.ones((3,)), tf.ones((3, 2)))


def test_a_kernel_of_some_arguments_is_none_of_others() -> None:
    m = tf.reshape(tf.range(6), [2, 3])
    t = torch.ones(2, 3)
    for _ in range(2):
        assert tf.transpose(m).shape == tf.transpose(m, perm=[1, 0]).shape == (3, 2)
        assert tf.transpose(m, [0, 1]).shape == (2, 3)
        assert (t[:1].squeeze(0).shape, t.squeeze(0).shape, t[:, :1].squeeze().shape) == ((3,), (2, 3), (2,))
        assert t[0].expand(4, -1).shape == (4, 3)
        with pytest.raises(RuntimeError):
            t.expand(3)
        assert dnp.round(dnp.asarray([1.25, 2.75]), 1).tolist() == [1.2, 2.8]
        assert dnp.round(dnp.asarray([1.25, 2.75])).tolist() == [1.0, 3.0]
        assert str(dnp.round(dnp.asarray([True])).dtype) == "float16"
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.logical_not(m)


@pytest.mark.parametrize("framework", ["numpy", "torch", "jax", "tensorflow", "dask"])
def test_a_kernel_of_round_is_none_of_decimals(framework: str) -> None:
    """TensorFlow's takes a name in their place, so that its call was no error, and rounded to whole numbers."""
    pytest.importorskip(framework)
    with lw.using(backend=framework):
        x = jnp.asarray([7.24, 1.5], dtype="float32")
        for decimals in (1, 1, 1, 0, 0, 1):
            expected = [7.2, 1.5] if decimals else [7.0, 2.0]
            np.testing.assert_allclose(np.asarray(jnp.round(x, decimals)), expected, rtol=1e-6)


def test_a_kernel_of_a_method_is_none_of_the_function_with_the_same_body() -> None:
    with lw.using(backend="numpy"):
        x = torch.tensor([-2.0, 3.0], requires_grad=True)
        for _ in range(4):
            assert x.clamp(min=0).tolist() == [0.0, 3.0]
            assert x.clamp(max=0).tolist() == [-2.0, 0.0]
            assert torch.clamp(x, max=0).tolist() == [-2.0, 0.0]


def test_a_cast_is_kept_by_what_the_switches_make_of_the_dtype() -> None:
    x, z = jnp.ones(2), dnp.asarray([1j, 1.0])
    for _ in range(2):
        with pytest.warns(UserWarning, match="float64"):
            assert str(x.astype("float64").dtype) == "float32"
        with pytest.warns(UserWarning, match="float64"):
            assert str(x.astype(jnp.float64).dtype) == "float32"
        with pytest.warns(UserWarning, match="int64"):
            assert str(jnp.zeros(2, dtype="i8").dtype) == "int32"
        jax.config.update("jax_enable_x64", True)
        try:
            assert str(x.astype(jnp.float64).dtype) == "float64"
        finally:
            jax.config.update("jax_enable_x64", False)
        assert z.astype(np.bool_).tolist() == [True, True]
        assert z.astype(np.float64).tolist() == [0.0, 1.0]
        t = torch.ones(2)
        assert t.to(torch.float32) is t
        assert t.float() is t
        assert t.long().dtype is torch.int64
        assert t.to(torch.ones(2, dtype=torch.int8)).dtype is torch.int8
        y = dnp.ones(2)
        assert y.astype(np.float64) is not y
        y.astype(np.float64)[0] = 5
        assert y[0] == 1


@pytest.mark.parametrize("framework", ["numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))])
def test_an_array_without_dimensions_is_the_same_under_all_of_its_names(framework: str) -> None:
    with lw.using(backend=framework):
        total = torch.ones(3).sum()
        detached, ours = total.detach(), lw.asarray(total)
        for write in (lambda: total.add_(1), lambda: detached.fill_(7), lambda: ours.__setitem__(..., 2)):
            write()
            value = float(ours)
            assert [float(x + 0) for x in (total, detached, ours)] == [value] * 3
        other = torch.ones(3).sum()
        total.set_(other)
        total += 5
        assert (float(other + 0), float(detached + 0)) == (8, 2)
        peak = dnp.asarray([1.0, 4.0]).max()
        view = peak.view()
        peak[...] = 1
        assert float(view + 1) == 2


@pytest.mark.needs("torch")
def test_a_write_that_makes_another_native_array_is_in_every_alias() -> None:
    def written(row: torch.Tensor) -> tuple[torch.Tensor, ...]:
        out, beside = torch.zeros(2), torch.zeros(2)
        detached, ours = out.detach(), lw.asarray(beside)
        out += row
        ours[0] = lw.asarray(row)[0]
        return out + 0, detached + 0, beside + 0

    with lw.using(backend="torch"):
        found = torch.vmap(written)(torch.tensor([[1.0, 2.0]]))
        assert [x.tolist() for x in found] == [[[1, 2]], [[1, 2]], [[1, 0]]]
    small, tensor = torch.zeros(0), torch.tensor([1.0, 2.0])
    beside = small.detach()
    torch.add(tensor, 1, out=small)
    assert (small + 0).tolist() == (beside + 0).tolist() == [2, 3]


@pytest.mark.parametrize("data", [[1.0, 2.0], 1.0])
def test_threads_that_read_one_array_find_the_same_one_in_it(data: object, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, x = four_times(lambda: torch.tensor(data) + 1)
    assert x._held is None  # so a kept call makes it
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(x._array))

    def make() -> lw.Array:
        monkeypatch.undo()
        other.start()
        other.join(0.1)  # it waits, or makes another one
        return lw.Array()

    monkeypatch.setattr(frontends_array, "Array", make)
    mine = x._array
    other.join()
    assert found[0] is mine
    assert x._array is mine


def test_a_function_that_returns_its_argument_returns_the_same_object() -> None:
    x, t, j, f = dnp.ones((2, 2)), torch.ones(2), jnp.ones(2), tf.ones([2])
    for call, own in (
        (dnp.asarray, x), (dnp.atleast_1d, x), (lambda a: a.real, x), (lambda a: a.float(), t), (torch.atleast_1d, t),
        (jnp.asarray, j), (jax.lax.stop_gradient, j), (tf.convert_to_tensor, f), (lambda a: tf.cast(a, tf.float32), f),
    ):  # fmt: skip
        assert all(made is own for made in four_times(call, own))
    assert [dnp.atleast_1d(dnp.asarray(1.0)).shape for _ in range(4)] == [(1,)] * 4
    assert all(made is not x and made.tolist() == x.tolist() for made in four_times(dnp.array, x))
    assert all(made is not x for made in four_times(lambda a: a.copy(), x))
    other = [tf.identity(f) for _ in range(4)]
    assert all(made is not f for made in other)


def test_a_function_that_writes_into_its_argument_writes_each_time() -> None:
    x, t = dnp.zeros(2), torch.zeros(2)
    for i in range(4):
        assert dnp.add(dnp.ones(2), i, out=x) is x and x.tolist() == [1 + i] * 2
        assert torch.add(torch.ones(2), i, out=t) is t and t.tolist() == [1 + i] * 2
        assert t.fill_(i + 7.0) is t and t.tolist() == [i + 7] * 2
        small = torch.zeros(0)
        assert torch.add(torch.ones(2), i, out=small) is small and small.tolist() == [1 + i] * 2


def test_arrays_of_python_data_are_of_these_numbers_and_of_their_types() -> None:
    values = ([1.0, 2.0], [1, 2], [True, 2], (1.0, 2.0), (1, 2), [0.0, 1.0], [-0.0, 1.0], 1, 1.0, True, -0.0, 0.0, 0)
    for make in (dnp.array, dnp.asarray, torch.tensor, jnp.array, jnp.asarray, tf.constant, tf.convert_to_tensor):
        with lw.using(backend="numpy"):
            taken = [v for v in values if v != [True, 2] or "tensorflow" not in make.__module__]
            first = [make(v) for v in taken]
            for _ in range(4):
                for v, expected in zip(taken, first, strict=True):
                    made = make(v)
                    assert made.dtype == expected.dtype, (make, v)
                    found, wanted = np.asarray(made), np.asarray(expected)
                    assert found.shape == wanted.shape and found.tobytes() == wanted.tobytes(), (make, v)


def test_each_call_of_a_creation_function_makes_another_array() -> None:
    for make in (
        lambda: dnp.array([1.0, 2.0]), lambda: dnp.full((2,), 1.0), lambda: dnp.eye(2), lambda: dnp.arange(2),
        lambda: dnp.linspace(0.0, 1.0, 2), lambda: dnp.identity(2), lambda: torch.tensor([1.0, 2.0]),
        lambda: torch.zeros(2), lambda: torch.full((2,), 1.0), lambda: torch.eye(2), lambda: torch.arange(2),
    ):  # fmt: skip
        made = [make() for _ in range(4)]
        before = made[-1].tolist()
        for x in made[:-1]:
            x[0] = 5
        assert made[-1].tolist() == before == make().tolist()
    data = [1.0, 2.0]
    made = [dnp.array(data) for _ in range(3)]
    data[0] = 7.0
    assert (dnp.array(data).tolist(), made[2].tolist()) == ([7.0, 2.0], [1.0, 2.0])


def test_creation_functions_follow_the_switches_of_the_dialect() -> None:
    for make in (lambda: torch.full((2,), 1.0), lambda: torch.eye(2), lambda: torch.tensor([1.0]),
                 lambda: torch.linspace(0.0, 1.0, 3)):  # fmt: skip
        for _ in range(3):
            assert make().dtype is torch.float32
        torch.set_default_dtype(torch.float64)
        try:
            assert [make().dtype for _ in range(3)] == [torch.float64] * 3
        finally:
            torch.set_default_dtype(torch.float32)
        with torch.device("cuda"), pytest.raises((RuntimeError, ValueError)):
            make()
        with lw.using(backend="abstract"):
            assert make()._array.backend == "abstract"


def test_numbers_that_are_the_state_of_a_module_are_not_remembered() -> None:
    found = []
    for _ in range(4):
        state = torch.get_rng_state()
        drawn = torch.rand(3)
        torch.set_rng_state(state)
        found.append(torch.equal(drawn, torch.rand(3)))
    assert found == [True] * 4


def test_a_check_of_values_is_made_in_each_call() -> None:
    m, good, bad = torch.ones(2, 2), torch.zeros(2, 2, dtype=torch.int64), torch.full((2, 2), -1)
    x = tf.constant([1.0, 2.0, 3.0])
    for _ in range(4):
        assert torch.gather(m, 1, good).shape == (2, 2)
        with pytest.raises(RuntimeError, match="index -1"):
            torch.gather(m, 1, bad)
        assert tf.gather(x, [0, 2]).numpy().tolist() == [1.0, 3.0]
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(x, [0, 3])
        one, two = dnp.ones(2), dnp.zeros(2)
        assert (dnp.allclose(one, one), dnp.allclose(one, two)) == (True, False)
        hot = torch.nn.functional.one_hot(torch.arange(2), 2)
        assert hot.tolist() == [[1, 0], [0, 1]]
        with pytest.raises(RuntimeError, match="smaller than num_classes"):
            torch.nn.functional.one_hot(torch.arange(2) + 1, 2)


def test_a_body_that_looks_at_extents_alone_looks_at_them_in_each_call() -> None:
    whole = dnp.asarray([[1, 2], [3, 4]])
    for _ in range(4):
        assert dnp.linalg.matrix_power(whole, 1).tolist() == whole.tolist()
    with pytest.raises(np.linalg.LinAlgError):
        dnp.linalg.matrix_power(dnp.asarray([[1, 2], [3, 4], [5, 6]]), 1)


def test_positions_beyond_an_axis_are_filled() -> None:
    for dtype, filled in (("float32", np.nan), ("int32", -(2**31))):
        x = jnp.asarray([[1, 2, 3], [4, 5, 6]], dtype=dtype)
        for _ in range(4):
            for axis in (0, 1, None):
                found = np.asarray(jnp.take(x, jnp.asarray([[0, -1], [1, 9]]), axis=axis))
                expected = np.take(np.asarray(x), [[0, -1], [1, 0]], axis=axis)
                key = (slice(None),) * (axis or 0) + (1, 1)
                expected[key] = filled
                assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("parts", [(2.0, 2), (True, 4)])
def test_a_tuple_of_other_types_is_no_shape_though_an_equal_one_is_kept(parts: tuple[float, int]) -> None:
    plain = (int(parts[0]), parts[1])
    x, y, z = torch.ones(4), dnp.ones(4), jnp.ones(4)
    calls = (
        torch.zeros, dnp.zeros, jnp.zeros, tf.zeros, x.reshape, lambda s: dnp.reshape(y, s),
        lambda s: jnp.reshape(z, s), lambda s: torch.zeros(*s), lambda s: x.view(*s), lambda s: dnp.pad(y, (s,)),
        lambda s: torch.zeros([*s]),
    )  # fmt: skip

    def outcome(call: Any, s: Any) -> str:
        try:
            return str(call(s))
        except Exception as error:
            return type(error).__name__

    with lw.using(backend="numpy"):
        first = [outcome(call, parts) for call in calls]  # of the body: nothing is kept yet
        for call in calls:
            for _ in range(4):
                call(plain)
        assert [outcome(call, parts) for call in calls] == first


def entered(call: Any, *args: Any) -> list[str]:
    """The functions in Python that a warm call enters."""
    found: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            found.append(frame.f_code.co_name)

    for _ in range(4):
        call(*args)
    sys.setprofile(note)
    try:
        call(*args)
    finally:
        sys.setprofile(None)
    return found[1:]  # without `call` itself


def test_calls_of_several_forms_enter_one_function() -> None:
    for name in ("torch", "numpy", "jax"):
        dialect_named(name).changed()  # the forms of other tests are compared no more
    with lw.using(backend="numpy"):
        x, y, w, z = torch.ones(2, 2), jnp.ones(4), jnp.zeros(4), dnp.ones((2, 2))
        calls: list[Any] = [
            lambda: torch.zeros(4), lambda: torch.zeros(2, 2), lambda: torch.zeros(2, 2, dtype=torch.int64),
            lambda: dnp.zeros((2, 3)), lambda: jnp.concatenate([y, w]), lambda: x.to(torch.float64),
            lambda: torch.zeros_like(x), lambda: torch.zeros_like(x, dtype=torch.int64), lambda: dnp.zeros_like(z),
        ]  # fmt: skip
        assert [entered(call) for call in calls] == [["call"]] * len(calls)


def test_a_call_beyond_the_forms_that_are_compared_answers_as_the_first() -> None:
    for _ in range(3):
        for kind in ("float32", "float64", "int8", "int16", "int32", "int64", "uint8"):
            made = torch.zeros(2, 3, dtype=getattr(torch, kind))
            assert (str(made.dtype), tuple(made.shape)) == (f"torch.{kind}", (2, 3))
            like = torch.ones_like(made)
            assert (str(like.dtype), like.tolist()) == (f"torch.{kind}", [[1] * 3] * 2)


def test_a_kernel_within_a_function_is_of_the_extents_and_the_numbers_of_each_call() -> None:
    for _ in range(4):
        for shape in ((4,), (2,), (2, 2), (), (0, 3)):
            x = torch.full(shape, 2.0)
            assert torch.zeros_like(x).shape == torch.full_like(x, 3.0).shape == shape
            assert torch.flatten(torch.full_like(x, 3.0)).tolist() == [3.0] * x.numel()
        x = torch.tensor([-2.0, 0.5, 2.0])
        for low, high in ((0.0, 1.0), (-1.0, 0.25), (0, 1), (-0.0, 1), (1.5, float("inf"))):
            expected = np.clip(np.asarray([-2.0, 0.5, 2.0], "float32"), low, high)
            found = np.asarray(torch.clamp(x, low, high))
            assert found.dtype == "float32" and np.array_equal(found, expected), (low, high)
        assert torch.clamp(torch.tensor([1, 5]), 2, 3).dtype is torch.int64
        assert torch.clamp(torch.tensor([1, 5]), 2.5, 3.5).dtype is torch.float32
        assert [dnp.eye(n).shape for n in (2, 3)] == [(2, 2), (3, 3)]


def test_numbers_in_a_list_count_by_their_types_where_an_array_is_made_of_them() -> None:
    values = iter(range(100))

    def of_new_numbers() -> Any:
        return torch.tensor([next(values) + 0.5, 1.0])

    with lw.using(backend="numpy"):
        assert entered(of_new_numbers)[0] == "call" and "missed" not in entered(of_new_numbers)
    for _ in range(3):
        for listed in ([0.0, -0.0], [1.0, 2.0], [1, 2], [True, False], [True, 2], [1, 2.5], [1j, 2], [3.0], []):
            for make in (torch.tensor, dnp.array, jnp.asarray, tf.constant):
                try:
                    fresh = np.asarray(make([*listed]))
                except (TypeError, ValueError):
                    assert make is tf.constant  # which takes no bools among numbers, and no floats beside complex ones
                    continue
                expected = np.asarray(listed)
                assert fresh.dtype.kind == expected.dtype.kind and np.array_equal(fresh, expected)
                assert np.array_equal(np.signbit(fresh.real), np.signbit(expected.real))
        with pytest.raises(ValueError, match="does not fit int64"):
            torch.tensor([1, 2**70])
        with pytest.raises(OverflowError):
            jnp.asarray([1, 2**40])


def test_a_study_drives_out_no_kernels_of_others() -> None:
    with lw.using(backend="numpy"):
        before = set(policy._remembered)
        for n in range(3, 8):
            for _ in range(3):
                torch.full((n,), 1.5)
        assert len(set(policy._remembered) - before) <= 2  # of the block, and of the dialect in it
