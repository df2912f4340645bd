"""No function computes in a wider dtype than it was given, nor allocates a wider copy of an array.

Data Type Promotion, in Ivy's "Data Types": its last three paragraphs, on an inverse in float32 that nobody asked to be
made in float64. What an array takes is measured; how depends on what each framework lets be seen:

- NumPy and Dask: the peak of what Python's allocator gave out. It goes with the width of the dtype, so it is compared
  with the peak of the same call in a dtype of twice the width.
- PyTorch: the dtype of every tensor that any of its operators returns, and the bytes that its allocator gave out.
- JAX: what XLA sets aside for the compiled call, and every dtype in the program that it is given.
- TensorFlow: the dtype and size of every tensor in the graph.

A function that refuses a dtype computes nothing in secret; the error has the cast that is to be made in the open.
"""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import NUMPY, check

import latticework as lw
from latticework.errors import BackendError


def softmax(x: lw.Array) -> lw.Array:
    e = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return e / lw.sum(e, axis=-1, keepdims=True)


SIDE = 512
#: What a function takes of its own width besides, that a dtype of twice the width does not take: a norm of 16 bits
#: divides by the largest number first, so that no power leaves the range.
BESIDES = {"vector_norm": 1, "norm": 1}
#: What XLA sets aside besides: its greatest number passes over nan, so a second reduction asks for nan, and the
#: absolute values that both read lie in memory.
BESIDES_FOR_NAN = {"vector_norm": 2, "norm": 2}
FUNCTIONS: dict[str, Callable[[lw.Array], lw.Array]] = {
    "inv": lw.linalg.inv,
    "sum": lw.sum,
    "sum along an axis": lambda x: lw.sum(x, axis=0),
    "softmax": softmax,
    "matmul": lambda x: lw.matmul(x, x),
    "vector_norm": lw.linalg.vector_norm,
    "norm": lw.linalg.matrix_norm,
    "mean": lw.mean,
    "var": lw.var,
    "std along an axis": lambda x: lw.std(x, axis=1),
}
DTYPES = {lw.float16: lw.float32, lw.bfloat16: lw.float32, lw.float32: lw.float64}


def matrix(dtype: lw.Dtype, side: int = SIDE) -> np.ndarray:
    """A well-conditioned matrix."""
    x = np.random.default_rng(0).uniform(-1, 1, (side, side)) / side + np.eye(side)
    return x.astype(NUMPY[dtype])


def wider(dtype: Any, than: lw.Dtype) -> bool:
    """Whether a framework's dtype is a float wider than one of ours."""
    try:
        found = lw.as_dtype(dtype)
    except TypeError:
        return False
    return found.kind in "fc" and found.bits // (2 if found.kind == "c" else 1) > than.bits


def computed(call: Callable[[lw.Array], lw.Array], x: lw.Array) -> lw.Array | None:
    """The result, computed; None where the dtype is refused, with the cast to make."""
    try:
        result = call(x)
        result.compute()
    except BackendError as error:
        if "Cast first: lw.astype(x, lw.float32)" not in str(error):
            raise
        return None
    return result


@pytest.mark.parametrize("dtype", [str(d) for d in DTYPES])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_result_has_the_operands_dtype(backend: str, name: str, dtype: str) -> None:
    x = lw.asarray(matrix(lw.Dtype(dtype)))
    result = computed(FUNCTIONS[name], x)
    if result is not None:
        assert result.dtype == dtype and result.data.dtype == x.data.dtype
    else:
        assert name == "inv" and lw.Dtype(dtype).bits == 16


@pytest.mark.parametrize("dtype", [str(d) for d in DTYPES])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_wider_copy_is_made(backend: str, name: str, dtype: str) -> None:
    narrow = lw.Dtype(dtype)
    if computed(FUNCTIONS[name], lw.asarray(matrix(narrow))) is None:
        return
    MEASURED[backend](name, narrow)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_means_that_are_made_of_tiles(backend: str, dtype: str) -> None:
    x = np.random.default_rng(1).uniform(50, 150, (3, 700, 600)).astype(NUMPY[lw.Dtype(dtype)])
    exact, given = x.astype(np.float64), lw.asarray(x)
    for axis in (None, 0, 1, -1, (0, 2), (0, 1, 2)):
        for keepdims in (False, True):
            found = lw.mean(given, axis=axis, keepdims=keepdims)
            check(found, exact.mean(axis, keepdims=keepdims), lw.Dtype(dtype), ulps=2)
    for wrong in (3, (0, 0), (0, 3)):
        with pytest.raises(ValueError, match="axis|axes|dim|mean"):
            lw.mean(given, axis=wrong)


# --- NumPy and Dask --------------------------------------------------------------------------------------------------


#: Products and means of 16 bits are made of tiles of at most so many elements in float32, a few at a time.
TILE = 1 << 20
LARGE = {"matmul": 1792, "mean": 2560}


def _peak(name: str, dtype: lw.Dtype) -> int:
    x, call = lw.asarray(matrix(dtype, LARGE.get(name, SIDE))), FUNCTIONS[name]
    computed(call, x)
    tracemalloc.start()  # what lies there from before does not count
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        computed(call, x)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _by_the_allocator(name: str, dtype: lw.Dtype) -> None:
    size = LARGE.get(name, SIDE) ** 2 * dtype.bits // 8
    found, twice = _peak(name, dtype), _peak(name, DTYPES[dtype])
    # Buffers of a fixed size, and what Dask keeps of a graph, are not the array's.
    fixed = 2**17 + (3 * 4 * TILE if name in LARGE and dtype.bits == 16 else 0)
    besides = BESIDES.get(name, 0) * size if dtype.bits == 16 else 0
    assert found <= twice / 2 + size / 2 + fixed + besides, (found / size, twice / size / 2)


# --- PyTorch ---------------------------------------------------------------------------------------------------------


def _by_the_operators(name: str, dtype: lw.Dtype) -> None:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            for t in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(t, torch.Tensor) and t.numel() >= SIDE:
                    assert not wider(t.dtype, dtype), f"{func} gives {t.dtype}"
            return result

    call, tiles = FUNCTIONS[name], name in LARGE and name != "matmul"  # which is PyTorch's own, without tiles
    side = LARGE[name] if tiles else SIDE

    def peak(d: lw.Dtype, call: Any = call) -> int:
        x = lw.asarray(matrix(d, side))
        call(x)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            call(x)
        events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
        given_out = [e.nbytes() for e in sorted(events, key=lambda e: e.start_ns())]
        return max(itertools.accumulate(given_out), default=0)

    x = lw.asarray(matrix(dtype))
    with Watch():
        call(x)
    size = side * side * dtype.bits // 8
    fixed = 3 * 4 * TILE if tiles and dtype.bits == 16 else 0
    bound = peak(DTYPES[dtype]) / 2 + size / 2 + fixed
    if name == "matmul":  # where a processor has no products of 16 bits, PyTorch's own function makes wider copies
        bound = max(bound, peak(dtype, lambda x: torch.matmul(x.data, x.data)))
    assert peak(dtype) <= bound


# --- JAX -------------------------------------------------------------------------------------------------------------


def _by_the_compiler(name: str, dtype: lw.Dtype) -> None:
    """XLA's compiler for CPUs computes nothing in 16 bits: it makes float32 of what it reads, and where it does not
    join the two loops, that lies in memory. So it does for JAX's own functions, and ours take no more than those."""
    import jax
    import jax.numpy as jnp

    call = FUNCTIONS[name]

    def plain(data: Any) -> Any:
        return call(lw.asarray(data)).data

    def set_aside(function: Callable[[Any], Any], d: lw.Dtype) -> int:
        return int(jax.jit(function).lower(matrix(d)).compile().memory_analysis().temp_size_in_bytes)

    def jax_sum(x: Any, axis: int | None = None) -> Any:
        return jnp.sum(x, axis, x.dtype)

    own: dict[str, list[Callable[[Any], Any]]] = {
        "inv": [],
        "sum": [jnp.sum, jax_sum],
        "sum along an axis": [lambda x: jnp.sum(x, 0), lambda x: jax_sum(x, 0)],
        "softmax": [jax.nn.softmax],
        "matmul": [lambda x: jnp.matmul(x, x)],
        "vector_norm": [lambda x: jnp.linalg.norm(x.ravel())],
        "norm": [jnp.linalg.norm],
        "mean": [jnp.mean],
        "var": [jnp.var],
        "std along an axis": [lambda x: jnp.std(x, 1)],
    }
    size = SIDE * SIDE * dtype.bits // 8
    bound = set_aside(plain, DTYPES[dtype]) // 2
    if dtype.bits == 16:
        besides = (BESIDES.get(name, 0) + BESIDES_FOR_NAN.get(name, 0)) * size
        bound = max([bound, *(set_aside(function, dtype) for function in own[name])]) + besides
    assert set_aside(plain, dtype) <= bound + size // 2
    if dtype is lw.float32:
        for given in _program(jax.make_jaxpr(plain)(matrix(dtype)).jaxpr):
            assert not wider(given, dtype)


def _program(jaxpr: Any) -> Iterator[Any]:
    """The dtypes of all that is computed, in the functions that are called as well."""
    for equation in jaxpr.eqns:
        yield from (v.aval.dtype for v in equation.outvars if v.aval.shape)
        for inner in equation.params.values():
            if hasattr(inner, "jaxpr"):
                yield from _program(inner.jaxpr)


# --- TensorFlow ------------------------------------------------------------------------------------------------------


def _by_the_graph(name: str, dtype: lw.Dtype) -> None:
    """On a CPU whose kernels for bfloat16 round each partial sum, a matrix product is that of operands in float32."""
    import tensorflow as tf

    from latticework.backends.tensorflow.linear_algebra import rounds_between

    call = FUNCTIONS[name]
    by_casts = name == "matmul" and dtype is lw.bfloat16 and rounds_between()
    side = SIDE if name in ("inv", "matmul") else 1152  # of which there are more elements than in a tile
    most = TILE if side > SIDE else 0
    traced = tf.function(lambda data: call(lw.asarray(data)).data).get_concrete_function(
        tf.constant(matrix(dtype, side))
    )
    for operation in traced.graph.get_operations():
        for t in operation.outputs:
            if by_casts and operation.type in ("Cast", "MatMul"):
                continue
            if t.shape.rank and (t.shape.num_elements() or 0) > max(most, SIDE):
                assert not wider(t.dtype, dtype), f"{operation.type} gives {t.dtype.name} {t.shape}"


MEASURED: dict[str, Callable[[str, lw.Dtype], None]] = {
    "numpy": _by_the_allocator,
    "dask": _by_the_allocator,
    "torch": _by_the_operators,
    "jax": _by_the_compiler,
    "tensorflow": _by_the_graph,
}
