"""What is JAX's own: transformations, trees, the 64-bit switch, sharding, arrays that never change."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import textwrap
import weakref
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support import NUMPY, check, in_one_program, values

import latticework as lw
from latticework.backend import get
from latticework.core.registry import OPS
from latticework.engine.calls.kernels import quickest, step_from
from latticework.engine.calls.specialise import planned

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def on_jax() -> Iterator[None]:
    with lw.using(backend="jax"):
        yield


def run(code: str, **environment: str) -> str:
    """What a program prints, in a process of its own: the switch and the devices are the process's."""
    import os

    made = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def sample() -> lw.Array:
    return lw.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def softmax(x: lw.Array) -> lw.Array:
    e = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return e / lw.sum(e, axis=-1, keepdims=True)


# --- transformations ------------------------------------------------------------------------------------------------


def test_jit() -> None:
    x = sample()
    made = jax.jit(softmax)(x)
    assert isinstance(made, lw.Array)
    assert made.backend == "jax"
    check(made, np.asarray(softmax(x)), lw.float32)
    assert isinstance(jax.jit(lambda data: softmax(lw.asarray(data)).data)(x.data), jax.Array)


def test_jit_of_many_functions() -> None:
    def f(x: lw.Array, n: lw.Array) -> dict[str, Any]:
        y = x @ x.T + 1
        y[0] = 5.0
        y[1:, 0] = lw.asarray([7.0])
        y += lw.sum(x, axis=1)
        return {
            "written": y, "argmax": lw.argmax(x), "sorted": lw.sort(x, axis=0, descending=True),
            "taken": lw.take(x, n, axis=1), "where": lw.where(x > 2, x, 0), "int": n // 2 * 3 % 5,
            "lu": lw.linalg.solve(y + lw.eye(2), x), "arange": lw.arange(3) + n[0], "cast": lw.astype(x, lw.int8),
            "joined": lw.concat([x, x * 2]), "std": lw.std(x, axis=1, correction=1), "power": n**n,
            "spectrum": lw.abs(lw.fft.fft(x)), "reshaped": lw.reshape(x, (3, -1), order="F"),
            "found": lw.searchsorted(lw.sort(lw.reshape(x, (-1,))), x), "masked": lw.clip(x, 2, 4),
        }  # fmt: skip

    x, n = sample(), lw.asarray([0, 2, 1])
    expected, made = f(x, n), jax.jit(f)(x, n)
    for name in expected:
        assert made[name].dtype is expected[name].dtype, name
        assert made[name].data.dtype == expected[name].data.dtype
        assert not made[name].data.weak_type
        np.testing.assert_allclose(np.asarray(made[name]), np.asarray(expected[name]), rtol=1e-5, err_msg=name)


def test_grad() -> None:
    def loss(w: lw.Array, x: lw.Array) -> Any:
        return lw.sum(lw.square(softmax(x @ w)) * lw.log(1 + lw.abs(w[0]))).data  # jax.grad takes no other array

    def native(w: Any, x: Any) -> Any:
        return jnp.sum(jnp.square(jax.nn.softmax(x @ w)) * jnp.log(1 + jnp.abs(w[0])))

    w, x = lw.asarray(values(lw.float32, (3, 4))) / 4, sample()
    for made in (jax.grad(loss)(w, x), jax.grad(jax.jit(loss))(w, x), jax.jit(jax.grad(loss))(w, x)):
        assert isinstance(made, lw.Array)
        check(made, np.asarray(jax.grad(native)(w.data, x.data)), lw.float32, ulps=16, scale=1)
    value, gradient = jax.value_and_grad(loss)(w, x)
    assert value.shape == ()
    assert gradient.shape == (3, 4)
    check(jax.grad(lambda a: lw.remainder(a, 2.0).data)(lw.asarray(4.0)), 1, lw.float32)


@pytest.mark.parametrize("dtype", [lw.float32, lw.complex64], ids=str)
def test_eigh_reads_the_lower_triangle_and_its_derivatives_are_symmetric(dtype: lw.Dtype) -> None:
    data = np.array([[1, np.nan, 7], [2, 5, -4], [-1, 3, 9]], NUMPY[dtype])
    if dtype.kind == "c":
        data = data + np.array([[0, 3, 8], [1, 0, 6], [-2, 4, 0]], NUMPY[dtype]) * 1j
    lower = np.tril(data)
    x = lw.asarray(data)
    values, vectors = np.linalg.eigh(lower)
    for i in range(3):
        expected = np.outer(vectors[:, i].conj(), vectors[:, i]).astype(NUMPY[dtype])
        for f in (lambda v: lw.linalg.eigvalsh(v)[i].data, lambda v: lw.linalg.eigh(v).eigenvalues[i].data):  # noqa: B023
            value, gradient = jax.value_and_grad(f)(x)
            check(lw.asarray(value), values[i], lw.float32, ulps=16, scale=8)
            check(gradient, expected, dtype, ulps=64, scale=8)
            assert jax.jvp(f, (x,), (lw.zeros_like(x),))[0] == f(x)


def test_vmap_and_scan() -> None:
    x = sample()
    rows = jax.vmap(softmax)(x)
    check(rows, np.asarray(softmax(x)), lw.float32)
    dots = jax.vmap(lw.vecdot, in_axes=(0, None))(x, x[0])
    check(dots, np.asarray(x) @ np.asarray(x)[0], lw.float32)

    def step(carry: lw.Array, row: lw.Array) -> tuple[lw.Array, lw.Array]:
        total = carry + lw.sum(row)
        return total, total * 2

    last, all_of_them = jax.lax.scan(step, lw.asarray(0.0), x)
    check(last, 21, lw.float32)
    check(all_of_them, [12, 42], lw.float32)
    check(jax.lax.cond(True, lambda a: a + 1, lambda a: a - 1, x[0]), [2, 3, 4], lw.float32)
    check(jax.lax.while_loop(lambda a: (a < 100).data, lambda a: a * 2, lw.asarray(3)), 192, lw.int32)


def test_what_is_compiled_is_compiled_for_each_policy() -> None:
    traced = []

    def halve(x: lw.Array) -> lw.Array:
        traced.append(lw.asarray(0).dtype)
        return x / 2

    compiled, x = jax.jit(halve), lw.asarray([1, 2])
    for _ in range(2):
        for rules in ("unified", "numpy", "jax"):
            with lw.using(rules=rules):
                made = compiled(x)
                assert made.dtype is halve(x).dtype and made.weak == halve(x).weak, rules
    assert len(traced) == 3 * 5  # each of the three is traced once, and run four times
    # A function of JAX's own arrays has no array of ours to know the policy by: a context of JAX's tells it.
    native, policy = jax.jit(lambda x: (lw.asarray(x) / 2).data), jax.make_user_context()
    for rules, want in (("unified", "float32"), ("numpy", "float64"), ("unified", "float32")):
        with lw.using(rules=rules), policy(rules):
            assert native(x.data).dtype == want


def test_weak_arrays_hold_weak_arrays_of_jax() -> None:
    with lw.using(rules="jax"):
        weak = lw.asarray(1.5)
        are = (weak, lw.broadcast_to(weak, (2,)), weak + 1, lw.ones(2, dtype="int32") + 1.5, lw.hypot(weak, weak))
        are_not = (lw.asarray(1.5, dtype="float32"), lw.ones(2), lw.asarray([1]) + 1, lw.sum(lw.asarray([1.5])))
        for x in (*are, *are_not):
            assert x.weak == x.data.weak_type, x
            assert lw.asarray(x.data).weak == x.weak
    assert weak.data.dtype == weak.dtype and not (weak + 0).weak


def test_trees() -> None:
    x = sample()
    leaves, tree = jax.tree.flatten({"a": x, "b": [x, 1]})
    assert [type(leaf) for leaf in leaves] == [type(x.data), type(x.data), int]
    assert jax.tree.unflatten(tree, leaves)["b"][0].dtype is lw.float32
    for odd in (None, object(), jax.ShapeDtypeStruct((2,), np.int8), "leaf"):
        made = jax.tree.unflatten(jax.tree.structure(x), [odd])
        assert isinstance(made, lw.Array)
        assert made.data is odd
        repr(made)
    assert jax.tree.map(lambda leaf: leaf.astype(np.int8), x).dtype is lw.int8
    assert jax.eval_shape(softmax, x).shape == (2, 3)
    [(path, _)] = jax.tree_util.tree_flatten_with_path(x)[0]
    assert jax.tree_util.keystr(path) == ".data"
    # An array of NumPy's is one of JAX's inside jax.jit, as an ndarray is.
    made = jax.jit(softmax)(lw.asarray(np.asarray(x), backend="numpy"))
    assert made.backend == "jax"
    shown = []
    jax.jit(lambda a: (shown.append(repr(a)), a)[1])(x)
    assert shown[0].startswith("Array(")
    assert "dtype=float32" in shown[0]


def test_values_that_are_not_known_yet() -> None:
    """JAX's own errors: of classes that its users know, with its own way out."""
    x = sample()
    errors = jax.errors
    for call, kind in (
        (lw.nonzero, errors.ConcretizationTypeError), (lw.unique_values, errors.NonConcreteBooleanIndexError),
        (lambda a: a[a > 2], errors.NonConcreteBooleanIndexError), (lambda a: a if a.any() else -a,
         errors.TracerBoolConversionError), (np.asarray, errors.TracerArrayConversionError),
        (lambda a: lw.repeat(a, lw.astype(a[:, 0], lw.int32), axis=0), errors.ConcretizationTypeError),
    ):  # fmt: skip
        with pytest.raises(kind):
            jax.jit(call)(x)
    check(jax.jit(lambda a: lw.where(a > 2, a, 0.0))(x), [[0, 0, 3], [4, 5, 6]], lw.float32)

    def masked(a: lw.Array) -> lw.Array:
        a[a > 2] = 0.0
        return a

    check(jax.jit(masked)(x), [[1, 2, 0], [0, 0, 0]], lw.float32)
    check(x, [[1, 2, 3], [4, 5, 6]], lw.float32)
    with pytest.raises(ValueError, match="matmul: shapes"):
        jax.jit(lw.matmul)(x, x)
    # Indices that are not known are not checked either, as JAX has it.
    assert jax.jit(lambda a, i: a[i])(x, lw.asarray(7)).shape == (3,)


def test_trees_of_arrays() -> None:
    x, scale = sample(), lw.asarray(2.0)
    parameters = {"w": x, "more": [scale, (lw.asarray([1, 2], dtype=lw.uint64), 3)]}

    def f(p: dict[str, Any], times: int) -> dict[str, Any]:
        w, (scale, (n, k)) = p["w"], p["more"]
        return {"w": w * scale * times, "pair": (n + k, [w.T])}

    made = jax.jit(f, static_argnums=1)(parameters, 3)
    check(made["w"], np.asarray(x) * 6, lw.float32)
    check(made["pair"][0], [4, 5], lw.uint64)
    check(made["pair"][1][0], np.asarray(x).T, lw.float32)
    with pytest.raises(ValueError, match="[Nn]on-hashable static arguments"):
        jax.jit(f, static_argnums=1)(parameters, scale)

    def loss(p: dict[str, Any]) -> Any:
        return lw.sum(p["w"] * p["w"] * p["scale"]).data

    gradient = jax.grad(loss)({"w": x, "scale": scale})
    check(gradient["w"], np.asarray(x) * 4, lw.float32)
    check(gradient["scale"], 91, lw.float32)
    made = jax.vmap(lambda p, by: p["w"][0] * by, in_axes=({"w": 0, "scale": None}, None))(
        {"w": x, "scale": scale}, scale
    )
    check(made, [2, 8], lw.float32)
    assert jax.vmap(lambda a: a * 2, in_axes=1, out_axes=1)(x).shape == (2, 3)


def test_donated() -> None:
    x, y = lw.zeros((50, 3)), lw.ones(())
    made = jax.jit(lambda a, b: a + b, donate_argnums=0)(x, y)
    check(made, np.ones((50, 3)), lw.float32)
    check(y, 1, lw.float32)
    with pytest.raises(ValueError, match="add: Array has been deleted"):
        x + 1


def test_writing_inside_transformations() -> None:
    """What is written to is the function's own; the caller's array is as it was."""
    x = lw.asarray([1.0, 2.0, 3.0])

    def writes(a: lw.Array, i: Any) -> lw.Array:
        a[0] = 5.0
        a[i] = 7.0
        a += 1
        a *= 2.0
        a[a > 15] = 0.0
        a[lw.asarray([0, 1])] -= 1.0
        return a

    for f in (writes, jax.jit(writes)):
        check(f(x.copy(), lw.asarray(2)), [11, 5, 0], lw.float32)
        check(f(x.copy(), lw.asarray(1)), [11, -1, 8], lw.float32)
    jax.jit(writes)(x, 1)
    check(x, [1, 2, 3], lw.float32)

    def tenfold(i: Any, a: lw.Array) -> lw.Array:
        a[i] = a[i] * 10
        return a

    check(jax.lax.fori_loop(0, 2, tenfold, x.copy()), [10, 20, 3], lw.float32)
    last, each = jax.lax.scan(lambda c, row: (writes(c, 1), c + row), x, sample()[:, :1])
    check(last, [11, -1, 0], lw.float32)
    assert each.shape == (2, 3)
    check(jax.grad(lambda a: lw.sum(writes(a, 1) ** 2).data)(x), [0, 0, 32], lw.float32)
    made = jax.jit(lambda a: jax.lax.cond((a[0] > 0).data, lambda b: writes(b, 1), lambda b: b, a))(x)
    check(made, [11, -1, 8], lw.float32)


def test_python_scalars_given_to_compiled_functions() -> None:
    """JAX takes them for weaker than the arrays that they meet, and so do we: jax.jit changes no dtype."""
    x, n, u = sample(), lw.asarray([1, 2]), lw.asarray([1, 2], dtype=lw.uint64)

    def step(a: lw.Array, rate: Any) -> lw.Array:
        a -= rate * a
        a[0, 0] = rate
        return a

    check(jax.jit(step)(x, 0.5), [[0.5, 1, 1.5], [2, 2.5, 3]], lw.float32)
    for f in (lambda a, s: a * s, lambda a, s: s * a, lw.maximum, lambda a, s: lw.where(a > 1, a, s)):
        for array, scalar in ((x, 0.5), (x, 2), (n, 3), (u, 3), (n, 0.5), (n, 2j), (lw.astype(x, lw.bfloat16), 0.5)):
            if f is not lw.maximum or scalar != 2j:
                made, eager = jax.jit(f)(array, scalar), f(array, scalar)
                assert made.dtype is eager.dtype
                check(made, np.asarray(eager), eager.dtype)
    check(jax.lax.fori_loop(0, 3, lambda i, a: a + i, n), [4, 5], lw.int32)
    check(x * jnp.asarray(2.0), np.asarray(x) * 2, lw.float32)
    check(x * jnp.asarray(2.0, np.float64), np.asarray(x) * 2, lw.float64)
    with pytest.raises(TypeError, match="setitem: float32 does not go into an array of int32"):
        jax.jit(lambda a, s: a.__setitem__(0, s))(n, 0.5)
    with lw.using(rules="array_api"), pytest.raises(lw.errors.PromotionError, match="add: int32 and float"):
        jax.jit(lw.add)(n, 0.5)


def test_gradients_of_selections() -> None:
    x = lw.asarray([3.0, 1.0, 2.0])
    weights = lw.asarray([1.0, 10.0, 100.0])
    for f, expected in (
        (lambda a: a[a > 1.5] * 2, [2, 0, 2]), (lambda a: a[lw.asarray([0, 0, 2])], [2, 0, 1]),
        (lambda a: lw.sort(a) * weights, [100, 1, 10]), (lambda a: lw.where(a > 1.5, a, 0.0), [1, 0, 1]),
        (lambda a: lw.take(a, lw.asarray([1, 1])), [0, 2, 0]), (lambda a: a[::-1] * weights, [100, 10, 1]),
        (lambda a: lw.repeat(a, lw.asarray([2, 0, 1])), [2, 0, 1]), (lambda a: lw.clip(a, 1.5, 2.5), [0, 0, 1]),
        (lw.max, [1, 0, 0]), (lw.cumulative_sum, [3, 2, 1]), (lambda a: a // 2 + a % 5, 1),
        (lambda a: lw.unique_values(a) * 2, [2, 2, 2]), (lambda a: lw.flip(lw.concat([a, a])), [2, 2, 2]),
        (lambda a: lw.linalg.inv(lw.linalg.diagonal(a[:, None] * lw.eye(3))[:, None] * lw.eye(3)),
         [-1 / 9, -1, -1 / 4]), (lambda a: lw.astype(a, lw.float64) ** 2, [6, 2, 4]),
        (lambda a: lw.real(lw.fft.ifft(lw.fft.fft(lw.astype(a, lw.complex64)))), 1),
    ):  # fmt: skip
        made = jax.grad(lambda a, f=f: lw.sum(f(a)).data)(x)
        check(made, np.broadcast_to(expected, 3), lw.float32, scale=1, ulps=16)


# --- arrays ---------------------------------------------------------------------------------------------------------


def test_arrays_do_not_change() -> None:
    x = sample()
    data, row = x.data, x[0]
    x[0, 0] = 9.0
    x[..., 1:] += 1
    x *= 2
    x[lw.asarray([0, 1]), lw.asarray([0, 0])] = lw.asarray([0.5, 0.25])
    check(x, [[0.5, 6, 8], [0.25, 12, 14]], lw.float32)
    check(lw.asarray(data), [[1, 2, 3], [4, 5, 6]], lw.float32)
    check(row, [1, 2, 3], lw.float32)
    assert not np.asarray(x, copy=False).flags.writeable


@pytest.mark.parametrize("key", [2, -3, (0, 3), (..., -4), (slice(None), 5), (0, 0, 0), "array", "arrays"])
def test_out_of_range(key: Any) -> None:
    x, before = sample(), np.asarray(sample())
    if isinstance(key, str):
        key = lw.asarray([0, 2]) if key == "array" else (lw.asarray([0, 1]), lw.asarray([-4, 0]))
    with pytest.raises(IndexError, match="getitem: (index|too many)"):
        x[key]
    for value in (1.0, lw.asarray(1.0)):
        with pytest.raises(IndexError, match="setitem: (index|too many)"):
            x[key] = value
    np.testing.assert_array_equal(np.asarray(x), before)
    with pytest.raises(IndexError, match="take"):
        lw.take(x, lw.asarray([3]), axis=1)
    with pytest.raises(IndexError, match="take_along_axis"):
        lw.take_along_axis(x, lw.asarray([[-4]]), axis=1)


def test_failed_assignments_change_nothing() -> None:
    x = sample()
    data = x.data
    one = lw.asarray([0])
    for key, value in ((0, lw.zeros(4)), (slice(1), lw.zeros((2, 2))), (x > 2, lw.zeros(3)), (one, [1.0, 2])):
        with pytest.raises(ValueError, match="setitem"):
            x[key] = value
    assert x.data is data


def test_slices_are_compiled_once() -> None:
    """Not for every position, as by JAX itself: what is compiled depends on the extents and steps alone."""
    from latticework.backends.jax import indexing

    x = lw.zeros((50, 3))
    x[0:2], x[3], x[0, 0]
    x[0:2], x[3], x[5:, 1] = 1.0, 2.0, lw.zeros(45)
    sizes = indexing._slice._cache_size(), indexing._update._cache_size()
    for i in range(40):
        x[i : i + 2], x[i], x[i, 1]
        x[i : i + 2], x[i] = 1.0, 2.0
    assert (indexing._slice._cache_size(), indexing._update._cache_size()) == sizes


def test_masks_and_index_arrays_are_compiled_once() -> None:
    """Not for every number of elements that are found."""
    out = run("""
        import latticework as lw
        lw.set_backend("jax")
        import jax, numpy as np
        compiled = []
        jax.monitoring.register_event_duration_secs_listener(
            lambda event, seconds, **_: compiled.append(event) if event.endswith("backend_compile_duration") else None
        )
        x, n = lw.asarray(np.arange(12.0).reshape(3, 4)), lw.asarray([0, 2, 1])
        masks = [lw.asarray(np.arange(12.0).reshape(3, 4) < i) for i in range(12)]
        repeats = [lw.asarray([1, 2, 3]), lw.asarray([2, 2, 2]), lw.asarray([0, 0, 6])]
        def act(i):
            y = x.copy()
            assert x[masks[i]].shape == (i,)
            assert lw.nonzero(masks[i])[0].shape == (i,)
            y[masks[i]] = 1.0
            y[masks[i]] = x[masks[i]]
            y[n[:2], i % 4] = 2.0
            y[n, i % 4 :: 5] = x[n, i % 4 :: 5]
            lw.take(x, n, axis=0)
            lw.repeat(x, repeats[i % 3], axis=0)
            lw.unique_counts(lw.minimum(x, i))
            lw.tril(x, k=i - 4)
            lw.eye(3, 4, k=i - 4)
        for i in range(5):
            act(i)
        before = len(compiled)
        for i in range(12):
            act(i)
        print(len(compiled) - before)
    """)
    assert out == "0\n"


def test_results_are_strong() -> None:
    """An array that JAX would take for weaker than its dtype is as good as any here, and comes out as any."""
    weak = jnp.asarray(2.0)
    assert weak.weak_type
    half = lw.asarray([1.5], dtype=lw.float16)
    check(lw.asarray(weak) + half, [3.5], lw.promote_types(weak.dtype.name, "float16"))
    for made in (lw.asarray(weak), lw.add(weak, 1.0), lw.cos(weak), lw.add(weak, weak), lw.asarray(weak)[...],
                 lw.asarray(1.5), lw.where(lw.asarray(True), 1.0, 2.0), lw.full(3, 2), -lw.asarray(weak),
                 lw.asarray(3) * 2, 2 - lw.asarray(3), lw.mean(lw.asarray(weak))):  # fmt: skip
        assert not made.data.weak_type
        assert made.data.dtype == NUMPY[made.dtype]


def test_arrays_of_no_dtype_of_ours() -> None:
    for native in (jax.random.key(0), jnp.zeros(2, jnp.float8_e4m3fnuz)):
        with pytest.raises(TypeError, match="latticework has no such dtype"):
            lw.asarray(native)
        with pytest.raises(TypeError, match="latticework has no such dtype"):
            lw.add(native, 1)


def test_operands_from_outside() -> None:
    x = jnp.asarray([1.0, 2.0], dtype=np.float32)
    made = lw.add(x, 1)
    assert isinstance(made, lw.Array)
    check(made, [2, 3], lw.float32)
    with lw.using(backend="numpy"):
        check(lw.multiply(x, x), [1, 4], lw.float32)
        assert lw.asarray(x).backend == "jax"


# --- exchange -------------------------------------------------------------------------------------------------------


def address(x: lw.Array) -> int:
    data = x.data
    if isinstance(data, np.ndarray):
        return int(data.ctypes.data)
    return int(data.data_ptr() if hasattr(data, "data_ptr") else data.unsafe_buffer_pointer())


def aligned(dtype: lw.Dtype, n: int = 64) -> np.ndarray:
    """JAX takes memory that begins at a multiple of 64 bytes; other memory it copies."""
    whole = np.zeros(n * NUMPY[dtype].itemsize + 64, np.uint8)
    start = -whole.ctypes.data % 64
    return whole[start : start + n * NUMPY[dtype].itemsize].view(NUMPY[dtype])


def test_exchange_without_a_copy() -> None:
    """NumPy shows JAX's memory, read-only. What others could write to is copied, unless a copy is forbidden."""
    for dtype in lw.all_dtypes:
        x = lw.zeros(64, dtype=dtype)
        there = lw.asarray(x, backend="numpy")
        assert (there.backend, there.dtype) == ("numpy", dtype)
        assert address(there) == address(x) == address(lw.asarray(x, backend="numpy", copy=False))
        back = lw.asarray(there, backend="jax")
        assert (back.backend, back.dtype) == ("jax", dtype)
        assert address(back) != address(x) == address(lw.asarray(there, backend="jax", copy=False))
        assert address(lw.asarray(x, backend="numpy", copy=True)) != address(x)
        mine = aligned(dtype)
        assert address(lw.asarray(mine, copy=False)) == mine.ctypes.data
        assert address(lw.asarray(mine)) != mine.ctypes.data  # it may be written to before JAX looks at it
        assert address(lw.asarray(mine, backend="jax")) != mine.ctypes.data
        check(lw.asarray(mine[1::2], backend="jax"), mine[1::2], dtype)
    if "torch" in [b.name for b in lw.backends() if b.installed]:
        assert address(lw.asarray(x, backend="torch")) != address(x)
        with pytest.raises(ValueError, match=r"torch would write to their memory.* Leave copy=False out"):
            lw.asarray(x, backend="torch", copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        lw.asarray(aligned(lw.float32)[1::2], copy=False)
    assert lw.asarray(np.arange(3, dtype=">f4")).dtype is lw.float32
    assert lw.asarray(np.array([1.5], ml_dtypes.bfloat16)).dtype is lw.bfloat16


# --- the 64-bit switch ------------------------------------------------------------------------------------------------


def test_the_switch_is_left_alone() -> None:
    """By the import, by the other backends, by JAX arrays that come in: a program's own JAX code stays as it is."""
    run("""
        import sys
        import numpy as np
        import latticework as lw
        lw.cos(lw.asarray([1.0, 2.0]))
        with lw.using(backend="numpy"):
            lw.linspace(0, 1, 5, dtype=lw.float64)
        assert "jax" not in sys.modules
        import jax, jax.numpy as jnp
        x = jnp.ones(3)
        y = lw.argmax(lw.cos(x) * lw.asarray(x) + 1)
        assert y.backend == "jax" and y.dtype is lw.int32, y
        for call in (lambda x: x * np.float64(2), lambda x: np.float64(2) * x, lambda x: lw.add(x, np.int64(1))):
            try:
                call(lw.asarray(x))
            except lw.errors.BackendError as error:
                assert "while its 64-bit switch is off. Turn it on" in str(error), error
            else:
                raise AssertionError("JAX has no such dtype")
        assert (lw.asarray(x) * np.float32(2)).tolist() == [2, 2, 2]
        assert str(jnp.arange(3.0).dtype) == "float32" and str(jnp.arange(3).dtype) == "int32"
        assert not jax.config.jax_enable_x64
        assert str(jax.jit(lambda a: a + 1)(np.arange(3.0)).dtype) == "float32"
    """)


def test_the_switch_is_turned_on_by_name() -> None:
    for act in ("lw.set_backend('jax')", "lw.using(backend='jax').__enter__()"):
        run(f"""
            import latticework as lw
            {act}
            import jax
            assert jax.config.jax_enable_x64
            assert lw.zeros(2, dtype=lw.float64).data.dtype == "float64"
            assert all(map(lw.valid_dtype, lw.all_dtypes))
            assert "float64" in lw.__array_namespace_info__().dtypes()
            assert lw.argmax(lw.zeros(3)).dtype is lw.int64
        """)


def test_switched_off() -> None:
    wide = ["int64", "uint64", "float64", "complex128"]
    out = run(f"""
        import numpy as np
        import latticework as lw
        lw.set_backend("jax", x64=False)
        import jax
        assert not jax.config.jax_enable_x64
        with lw.using(backend="jax", x64=False):
            pass
        assert not jax.config.jax_enable_x64
        info = lw.__array_namespace_info__()
        have = info.dtypes()
        assert not set({wide!r}) & set(have), have
        assert len([d for d in lw.all_dtypes if lw.valid_dtype(d)]) == 11
        assert info.default_dtypes()["indexing"] is lw.int32
        assert not lw.valid_dtype("float64") and lw.valid_dtype(lw.float32)
        assert lw.closest_valid_dtype("float64") is lw.float32
        assert "float64" not in lw.function_supported_dtypes(lw.cos)
        try:
            lw.float64
        except AttributeError as error:
            assert "switch is off" in str(error) and "lw.float32" in str(error), error
        else:
            raise AssertionError
        x = lw.asarray([3.0, 1.0, 2.0])
        for made in (lw.argmax(x), lw.argsort(x), lw.nonzero(x)[0], lw.count_nonzero(x), lw.searchsorted(x, 2.0),
                     lw.unique_all(x).counts, lw.unique_all(x).indices, lw.unique_inverse(x).inverse_indices):
            assert made.dtype is lw.int32 and made.data.dtype == "int32", made
        assert lw.take(x, lw.asarray([2, 0])).tolist() == [2.0, 3.0]
        assert x[lw.asarray([2, 0])].tolist() == [2.0, 3.0]
        assert lw.take_along_axis(x, lw.argsort(x)).tolist() == [1.0, 2.0, 3.0]
        assert (x + 3_000_000_000).tolist() == [3e9, 3e9, 3e9]
        assert lw.sum(lw.asarray([1, 2])).dtype is lw.int32
        assert lw.linspace(0, 1, 3).dtype is lw.float32
        u = lw.asarray([1], dtype=lw.uint32)
        assert (u + 4_000_000_000).tolist() == [4_000_000_001]
        for call in (lambda: lw.zeros(2, dtype="float64"), lambda: lw.astype(x, "int64"), lambda: lw.asarray(2**40,
                     dtype="int64"), lambda: lw.asarray(np.arange(3.0)), lambda: lw.sum(x, dtype="float64"),
                     lambda: lw.asarray(lw.asarray(np.arange(3.0), backend="numpy"), backend="jax"),
                     lambda: lw.from_dlpack(np.arange(3.0)), lambda: lw.arange(3, dtype="uint64")):
            try:
                print("no error", call())
            except lw.errors.BackendError as error:
                assert "64-bit switch is off. Turn it on: lw.set_backend('jax')" in str(error), error
        lw.set_backend("jax")
        assert lw.argmax(x).dtype is lw.int64
        assert lw.zeros(2, dtype=lw.float64).dtype is lw.float64
    """)
    assert out == ""


def test_kernels_of_one_state_do_not_answer_for_the_other() -> None:
    run("""
        import latticework as lw
        lw.set_backend("jax")
        import jax
        x, wide = lw.asarray([3.0, 1.0]), lw.asarray([1.0, 2.0], dtype=lw.float64)
        def positions():
            return [f(x).dtype for f in (lw.argmax, lw.argsort, lw.count_nonzero)] + [lw.nonzero(x)[0].dtype]
        def refused():
            count = 0
            for call in (lambda: wide + wide, lambda: lw.cos(wide), lambda: lw.sum(wide), lambda: -wide,
                         lambda: lw.zeros(2, dtype="int64"), lambda: lw.astype(x, "float64"), lambda: wide + 1,
                         lambda: wide.__iadd__(1.0), lambda: lw.concat([wide, wide])):
                try:
                    call()
                except lw.errors.BackendError as error:
                    assert "switch is off" in str(error)
                    count += 1
            return count
        for _ in range(2):
            assert positions() == ["int64"] * 4
            assert refused() == 0
            with jax.enable_x64(False):
                assert positions() == [lw.int32] * 4
                assert refused() == 9, refused()
                assert not lw.valid_dtype("int64")
    """)


# --- devices and sharding -------------------------------------------------------------------------------------------

FOUR, EIGHT = ({"XLA_FLAGS": f"--xla_force_host_platform_device_count={n}"} for n in (4, 8))


def test_kernels_hold_no_operands() -> None:
    """Nor what makes a kernel anew when the switch is turned."""
    x = lw.ones(5, dtype=lw.float64)
    held = weakref.ref(x)
    lw.cos(x), lw.sum(x), lw.argmax(x)
    x += x
    del x
    gc.collect()
    assert held() is None


def test_devices() -> None:
    run(
        """
        import latticework as lw, jax, jax.numpy as jnp
        lw.set_backend("jax")
        info = lw.__array_namespace_info__()
        assert info.devices() == ("cpu", "cpu:1", "cpu:2", "cpu:3"), info.devices()
        assert info.default_device() == "cpu"
        makers = [lambda: lw.asarray([1.0]), lambda: lw.asarray(1.0), lambda: lw.zeros(2), lambda: lw.arange(2)]
        assert {make().device for make in makers} == {"cpu"}
        with jax.default_device(jax.devices()[2]):  # kernels that are there already ask for it at each call
            assert {make().device for make in makers} == {"cpu:2"}
        assert {make().device for make in makers} == {"cpu"}
        x = lw.zeros(3, device="cpu:1")
        assert x.device == "cpu:1" and x.data.devices() == {jax.devices()[1]}
        assert (x + 1).device == (x + lw.ones(3)).device == "cpu:1"
        assert lw.ones_like(x).device == lw.asarray([1.0], device=x.device).device == "cpu:1"
        assert x.to_device("cpu:2").device == "cpu:2" and x.to_device("cpu:1").data is x.data
        assert x.to_device("cpu:0").device == "cpu" and lw.zeros(1, device=jax.devices()[3]).device == "cpu:3"
        assert "cpu:1" in repr(x) and lw.asarray(x, backend="numpy").device == "cpu"
        with lw.using(device="cpu:3"):
            assert lw.zeros(2).device == lw.asarray([1, 2]).device == lw.arange(3).device == "cpu:3"
        for name in ("cpu:9", "gpuu", "cpu:x"):
            try:
                lw.zeros(2, device=name)
            except ValueError as error:
                assert "no device" in str(error) and "cpu:3" in str(error)
            else:
                raise AssertionError
        """,
        **FOUR,
    )


def test_sharding_is_kept() -> None:
    run(
        """
        import numpy as np, latticework as lw, jax
        from jax.sharding import Mesh, NamedSharding, PartitionSpec
        lw.set_backend("jax")
        sharding = NamedSharding(Mesh(np.array(jax.devices()), ("rows",)), PartitionSpec("rows"))
        a = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
        x, plain = lw.asarray(jax.device_put(a, sharding)), lw.asarray(a)
        assert x.data.sharding == sharding
        assert x.device == "cpu:0,1,2,3,4,5,6,7"
        rows = {
            "cos": lw.cos, "scalar": lambda x: 2 * x + 1, "pair": lambda x: x * x - x, "new": lambda x: x + lw.ones(4),
            "like": lambda x: lw.zeros_like(x) + x, "where": lambda x: lw.where(x > 0, x, 0.0),
            "matmul": lambda x: x @ lw.asarray(a.T), "sum": lambda x: lw.sum(x, axis=1), "sort": lw.sort,
            "reshape": lambda x: lw.reshape(x, (8, 2, 2)), "softmax": lambda x: lw.exp(x) / lw.sum(lw.exp(x), axis=1,
            keepdims=True), "there": lambda x: x + lw.full(x.shape, 2.0, device=x.device), "slice": lambda x: x[:, 1:3],
            "argmax": lambda x: lw.argmax(x, axis=1), "cast": lambda x: lw.astype(x, lw.float64),
            "z-scores": lambda x: (x - lw.mean(x, axis=0)) / lw.std(x, axis=0), "nn": lw.nn.softmax,
            "grad": lw.grad(lambda x: lw.sum(lw.sin(x) * x)), "jit": lw.jit(lambda x: lw.sin(x) * x),
            "both": lw.jit(lw.grad(lambda x: lw.mean(lw.nn.log_softmax(x @ x.T)))), "like only": lw.ones_like,
            "filled": lambda x: lw.full_like(x, lw.asarray(2.0)), "vmap": lw.vmap(lambda row: lw.sum(row * row)),
            "program": lw.compile(lambda x: lw.nn.layer_norm(x, 4) * x), "top_k": lambda x: lw.top_k(x, 2).values,
            "einsum": lambda x: lw.einsum("ij,kj->ik", x, x), "running": lambda x: lw.cumulative_sum(x, axis=1),
        }
        for name, f in rows.items():
            made = f(x)
            assert made.data.sharding.is_equivalent_to(NamedSharding(sharding.mesh, PartitionSpec("rows")),
                                                       made.ndim), (name, made.data.sharding)
            np.testing.assert_allclose(np.asarray(made), np.asarray(f(plain)), rtol=1e-5, err_msg=name)
        for f in (lw.sum, lw.max, lw.mean, lambda x: lw.sum(x, axis=0), lambda x: x.T @ x, lambda x: x[3],
                  lambda x: x[lw.asarray([1, 7])], lambda x: lw.linalg.vector_norm(x), lambda x: x[x > 0],
                  lambda x: lw.unique_values(lw.round(x))):
            np.testing.assert_allclose(np.asarray(f(x)), np.asarray(f(plain)), rtol=1e-5)
        y = x.copy()
        y[2:4] = 7.0
        y += 1
        assert np.asarray(y)[2, 0] == 8 and np.asarray(x)[2, 0] == a[2, 0]
        assert len(y.data.devices()) == 8
        assert jax.jit(lw.cos)(x).data.sharding == sharding
        assert x.to_device(x.device).data is x.data
        assert lw.asarray(x, device=x.device) is x
        assert np.asarray(x).shape == (8, 4) and "device='cpu:0,1,2,3,4,5,6,7'" in repr(x)

        # A sharding is a device, for what is made and for what is moved.
        columns = NamedSharding(sharding.mesh, PartitionSpec(None, "rows"))
        for make in (lambda: lw.zeros((8, 8), device=columns), lambda: lw.full((8, 8), 2, device=columns),
                     lambda: lw.eye(8, device=columns), lambda: lw.asarray(np.ones((8, 8)), device=columns),
                     lambda: lw.ones((8, 8)).to_device(columns), lambda: lw.full((8, 8), lw.asarray(2), device=columns),
                     lambda: lw.zeros((8, 8), device=sharding).to_device(columns)):
            assert make().data.sharding.is_equivalent_to(columns, 2) and make().device == x.device
        assert lw.arange(16, device=sharding).data.sharding == sharding
        assert x.to_device(sharding).data is x.data
        other = NamedSharding(Mesh(np.array(jax.devices()).reshape(2, 4), ("rows", "columns")), PartitionSpec("rows"))
        assert lw.zeros((8, 4), device=other).data.sharding == other
        try:
            lw.zeros((7, 4), device=sharding)
        except ValueError as error:
            assert "partitioned 8 times" in str(error)
        else:
            raise AssertionError
        """,
        **EIGHT,
    )


def test_shown_in_plans() -> None:
    x = lw.asarray([1, 2])
    assert str(lw.plan(lw.add, x, 1.5)) == (
        "add(int32 as float32, Python float as float32) -> float32 of shape (2,)  "
        "[native: add on jax, computed in float32]"
    )


# --- tests of values as one program -------------------------------------------------------------------------------


def test_one_program_computes_what_a_test_compares() -> None:
    runs: list[bool] = []

    def test(expected: list[int]) -> None:
        result = lw.asarray([1, 2]) + lw.asarray([10, 20])
        runs.append(isinstance(result.data, jax.core.Tracer))
        check(result, expected, lw.int32)

    with lw.using(backend="jax"):
        in_one_program(test)(expected=[11, 22])
        assert runs == [True]
        with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
            in_one_program(test)(expected=[11, 23])
        assert runs == [True, True, False]


def test_a_test_that_asks_for_values_runs_call_by_call() -> None:
    runs: list[bool] = []

    def test() -> None:
        x = lw.asarray([1, 2])
        runs.append(isinstance(x.data, jax.core.Tracer))
        try:
            values = x.tolist()
        except Exception:  # which the test takes for an error of ours
            return
        assert values == [1, 2]
        raise LookupError

    with lw.using(backend="jax"), pytest.raises(LookupError):
        in_one_program(test)()
    assert runs == [True, False]


def test_a_users_numpy_arrays_inside_transformations() -> None:
    """JAX hands its user's NumPy arrays to a function of native arrays, and gives them where it unwraps a tracer."""
    xp = lw.array_namespace("jax")
    x, y = np.arange(3.0, dtype=np.float32), np.asarray([2.0, 0.5, -1.0], dtype=np.float32)

    @lw.native
    def product(x: Any, y: Any) -> Any:
        return lw.sum(x * y["y"] * lw.stop_gradient(x))

    for f in (
        lambda x: xp.sum(xp.multiply(x, xp.stop_gradient(x))),
        lambda x: xp.sum(xp.stop_gradient(x) * x),
        lw.native(lambda x: lw.sum(x * lw.stop_gradient(x))),
    ):
        for given in (x, jnp.asarray(x)):
            np.testing.assert_array_equal(jax.grad(f)(given), x)
            np.testing.assert_array_equal(jax.jit(jax.grad(f))(given), x)
            np.testing.assert_array_equal(jax.value_and_grad(f)(given)[1], x)
    by_first = {
        "namespace": jax.grad(lambda x, y: xp.sum(xp.multiply(x, y))),
        "composition": jax.grad(xp.inner),
        "sequence": jax.grad(lambda x, y: xp.sum(xp.concat([x, y]) * xp.concat([y, x]) / 2)),
        "native": jax.grad(lw.native(lambda x, y: lw.sum(x * y))),
    }
    for name, f in by_first.items():
        np.testing.assert_allclose(f(x, y), y, err_msg=name)
        np.testing.assert_allclose(f(jnp.asarray(x), jnp.asarray(y)), y, err_msg=name)
    np.testing.assert_array_equal(jax.grad(product)(x, {"y": y}), x * y)
    with pytest.raises(lw.errors.BackendError, match="arrays of two backends"):  # nothing is traced: as anywhere
        xp.add(jnp.asarray(x), y)
    with pytest.raises(lw.errors.BackendError, match="arrays of two backends"):
        product(jnp.asarray(x), {"y": y})


#: Functions of one array or two whose operands are cast, which are compiled together with the casts.
ONE_PROGRAM = ("add", "subtract", "multiply", "divide", "maximum", "less", "equal", "atan2", "remainder", "sqrt", "exp")


def every_function_of_arrays() -> list[str]:
    return sorted(name for name, o in OPS.items() if o.dispatched in ("unary", "binary", "rounding") and not o.sequence)


def edges(dtype: lw.Dtype) -> lw.Array:
    """Sixteen numbers at the edges of a dtype."""
    if dtype.kind == "b":
        return lw.asarray([True, False] * 8)
    if dtype.kind in "iu":
        most = 2 ** (dtype.bits - (dtype.kind == "i")) - 1
        wanted = [0, 1, 2, 3, 7, 100, most, most - 1, -most - 1, -1, -2, -7, 2**24 + 1, 2**53 + 1]
        found = [n for n in wanted if (-most - 1) * (dtype.kind == "i") <= n <= most]
        return lw.asarray(np.array((found * 3)[:16], str(dtype)))
    found = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25, np.inf, -np.inf, np.nan, 1e-3, 1e4, 7.0, 1 / 3, -0.7, 1e-40]
    if dtype.kind == "c":
        found = [complex(a, b) for a, b in zip(found, found[::-1], strict=True)]
    return lw.asarray(found, dtype=dtype)


def compared(name: str, dtypes: list[lw.Dtype]) -> int:
    """Compare a function behind casts with the same as one program, and count the pairs of which it is one."""
    o, backend, count = OPS[name], get("jax"), 0
    for pair in itertools.product(dtypes, repeat=len(o.operands)):
        arrays = [edges(dtype) for dtype in pair]
        try:
            p = planned(o, tuple(arrays))
        except (TypeError, ValueError, lw.errors.BackendError):
            continue
        steps = [step_from(o, p, i) for i in range(len(pair))]
        if not any(steps) or p.how != "native":
            continue
        together = backend.together(quickest(p), tuple(steps), p.operands, p.computed)
        if together is None:
            continue
        data = [x._data for x in arrays]
        if len(data) == 2:  # each with each
            data = [jnp.repeat(data[0], 16), jnp.tile(data[1], 16)]
        elif name.startswith("linalg."):
            data = [data[0].reshape(4, 4)]
        found, apart = together(*data), quickest(p)(*[s(d) if s else d for s, d in zip(steps, data, strict=True)])
        assert found.dtype == apart.dtype
        # A nan has no sign and no payload that counts.
        bits = [np.where(np.isnan(x), np.nan, x).tobytes() for x in map(np.asarray, (found, apart))]
        assert bits[0] == bits[1], (name, pair)
        count += 1
    return count


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_a_cast_and_a_function_as_one_program_give_the_same_bits(name: str) -> None:
    assert compared(name, [lw.bool, lw.int32, lw.uint8, lw.float16, lw.float32])


@pytest.mark.sweep
@pytest.mark.parametrize("name", every_function_of_arrays())
def test_every_cast_and_function_as_one_program(name: str) -> None:
    kinds = ["bool", *[f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]]
    compared(name, [getattr(lw, n) for n in (*kinds, "float16", "bfloat16", "float32", "float64", "complex64")])


def test_a_mixed_call_does_not_depend_on_how_jax_promotes() -> None:
    x, y = lw.asarray([1, 2], dtype=lw.int32), lw.asarray([1.5, 2.5], dtype=lw.float32)
    with jax.numpy_dtype_promotion("strict"):
        for _ in range(2):
            check(lw.add(x, y), [2.5, 4.5], lw.float32)
            check(y / x, [1.5, 1.25], lw.float32)
            check(lw.sqrt(x * x), [1, 2], lw.float32)
        assert lw.trace(lw.add, x, y)(x, y).dtype is lw.float32
    check(lw.multiply(lw.asarray([False]), lw.asarray([np.inf], dtype=lw.float32)), [np.nan], lw.float32)
    check(lw.grad(lambda y: lw.sum(x * y))(y), [1, 2], lw.float32)
    check(lw.vmap(lw.multiply)(x, y), [1.5, 5], lw.float32)
    check(lw.jit(lw.multiply)(x, y), [1.5, 5], lw.float32)


def test_what_is_inferred_without_the_switch() -> None:
    """Positions and counts are int32 there, of arrays of JAX, and of specs where JAX is chosen."""
    with jax.enable_x64(False):
        x = lw.asarray([1.0, 0.0, 2.0])
        for f in (
            lw.count_nonzero,
            lw.argmax,
            lw.argsort,
            lambda x: lw.nonzero(x)[0],
            lambda x: lw.unique_counts(x)[1],
        ):
            assert f(x).dtype is lw.int32
            for given in (x, lw.spec((3,), "float32")):
                assert lw.infer(f, given).dtype is lw.int32
                assert lw.infer(f, given, backend="jax").dtype is lw.int32
    assert lw.count_nonzero(x).dtype is lw.infer(lw.count_nonzero, x).dtype is lw.int64
    assert lw.infer(lw.count_nonzero, lw.asarray([1.0], backend="numpy")).dtype is lw.int64
