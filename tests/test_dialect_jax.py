"""What is JAX's alone in its dialect: the 64-bit switch, arrays that never change, promotion by name."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from dialect_answers import difference, ours, parsed, theirs
from samples_jax_packages import STRICT

import latticework as lw
import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
from latticework.frontends.calls.remembered import Remembered
from latticework.frontends.calls.study import Study
from latticework.frontends.jax.core import dialect
from latticework.frontends.jax.coverage import ABSENT, DIFFERENCES


def test_the_backend_of_jax_turns_on_the_switch_of_jax_and_not_that_of_the_dialect() -> None:
    real = pytest.importorskip("jax")
    with lw.using(backend="jax"):
        assert real.config.jax_enable_x64
        assert jnp.arange(3.0).dtype == jnp.ones(2, dtype=float).dtype == np.float32
        assert jnp.asarray(np.arange(3)).dtype == np.int32


def test_the_switch_is_read_from_the_environment() -> None:
    code = "import latticework.frontends.jax.numpy as jnp; print(jnp.arange(3).dtype, jnp.ones(2).dtype)"
    found = [
        subprocess.run(
            [sys.executable, "-c", code], check=True, env=os.environ | {"JAX_ENABLE_X64": on}, capture_output=True
        )
        for on in ("1", "0")
    ]
    assert [x.stdout.decode().split() for x in found] == [["int64", "float64"], ["int32", "float32"]]


def test_the_switch_holds_in_a_block_and_is_told_where_it_truncates() -> None:
    x = jnp.asarray([1.5])
    with jax.enable_x64(True):
        assert (x + jnp.asarray([1.0])).dtype == np.float64
        assert jax.config.jax_enable_x64
    assert (x + jnp.asarray([1.0])).dtype == np.float32
    with pytest.warns(UserWarning, match="float64 is not available"):
        assert jnp.zeros(2, dtype="float64").dtype == np.float32
    jax.config.update("jax_enable_x64", True)
    try:
        assert jnp.arange(2).dtype == np.int64
    finally:
        jax.config.update("jax_enable_x64", False)


def test_arrays_never_change() -> None:
    source = np.zeros(3, dtype=np.float32)
    x = jnp.asarray(source)
    source[0] = 5
    y = before = x
    y += 1
    assert before is x
    assert x.tolist() == [0, 0, 0]
    assert y.tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match=r"x\.at\[idx\]\.set"):
        x[0] = 1


def test_the_strict_mode_of_promotion_is_that_of_jax(backend: str) -> None:
    real = pytest.importorskip("jax")
    for sample in parsed(STRICT):
        with real.numpy_dtype_promotion("strict"):
            expected = theirs("jax", sample, "float32", "float32")
        with jax.numpy_dtype_promotion("strict"):
            found = ours("jax", sample, "float32", "float32")
        assert difference(found, expected, sample) == "", sample.text
    assert (jnp.arange(2) + jnp.ones(2)).dtype == np.float32
    with pytest.raises(ValueError, match="foo"):
        jax.config.update("jax_numpy_dtype_promotion", "foo")


def test_a_look_that_ends_after_calls_go_to_the_body_at_once_keeps_nothing() -> None:
    """The function has its defaults no longer, which what is kept would ask for."""
    expected = jnp.rot90(jnp.ones((2, 3))).shape
    kept = next(r for r in dialect.kept if getattr(r, "name", "").endswith("shaping.rot90 of jax's dialect"))
    assert isinstance(kept, Remembered)
    x = jnp.ones((2, 3))
    study = Study(kept, (x, 1, (0, 1)), {}, kept.signature.bound((x, 1, (0, 1)), {}))
    kept.forward()
    study.run()
    dialect.changed()
    assert jnp.rot90(x).shape == expected


def test_promotion_by_name() -> None:
    assert jax.promote_types_jax("int32", "float16") == np.float16
    assert jax.promote_types_jax(jnp.uint8, jnp.int8) == np.int16
    a, b = jax.promote_types_of_jax_inputs(jnp.asarray([1, 2], dtype="int8"), 0.5)
    assert (a.dtype, a.weak_type, b.dtype, b.weak_type) == (np.float32, True, np.float32, True)
    a, b = jax.promote_types_of_jax_inputs(jnp.ones(2, dtype="bfloat16"), 2)
    assert [str(x.dtype) for x in (a, b)] == ["bfloat16", "bfloat16"]
    assert not a.weak_type and not b.weak_type


@pytest.mark.parametrize(("kind", "value"), [("NumPy's array", np.ones(2)), ("NumPy's scalar", np.float64(2))])
def test_numpy_operands_are_truncated_and_on_either_side(backend: str, kind: str, value: Any) -> None:
    del kind
    x = jnp.asarray([1, 2], dtype="int16")
    for found in (x + value, value + x, jnp.add(x, value)):
        assert isinstance(found, jax.Array)
        assert found.dtype == np.float32
        assert found._array._sig.backend.name == x._array._sig.backend.name


def test_objects_of_registered_classes_keep_what_is_no_array() -> None:
    class Layer:
        def __init__(self, w: Any, name: str) -> None:
            self.w, self.name = w, name

    jax.tree_util.register_pytree_node(Layer, lambda x: ((x.w,), x.name), lambda name, parts: Layer(parts[0], name))
    found = jax.tree.map(lambda w: w * 2, Layer(jnp.ones(2), "first"))
    assert (found.name, found.w.tolist()) == ("first", [2, 2])
    assert jax.tree.structure(Layer(1, "a")) != jax.tree.structure(Layer(1, "b"))
    mapped = jax.vmap(lambda x: Layer(x.w + 1, x.name))(Layer(jnp.arange(2), "second"))
    assert (mapped.name, mapped.w.tolist()) == ("second", [1, 2])


def test_what_is_absent_is_absent_and_has_a_reason() -> None:
    assert all(reason for reason in (*ABSENT.values(), *DIFFERENCES.values()))
    for name in ("export", "ffi", "profiler"):
        assert not hasattr(jax, name)


def test_random_functions_take_what_jax_takes_and_ours_refuse() -> None:
    """Probabilities of any sum, and a range that is infinite."""
    real = pytest.importorskip("jax")
    half, key = np.full(5, 0.5, np.float32), jax.random.key(0)
    expected = real.random.choice(real.random.key(0), 5, (9,), p=half)
    np.testing.assert_array_equal(np.asarray(jax.random.choice(key, 5, (9,), p=jnp.asarray(half))), expected)
    with np.errstate(over="ignore"):
        assert np.isinf(np.asarray(jax.random.uniform(key, (3,), minval=-3e38, maxval=3e38))).all()
