"""Arrays from one framework to another: the dtype is always kept, and no copy is made where none is needed.

`without_copy` says where that is; pointers are compared there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from support import INSTALLED, NUMPY, TWO, extremes, values

import latticework as lw

PAIRS = [*permutations(INSTALLED, 2)]
pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[" to ".join(p) for p in PAIRS])

#: What a kernel of JAX or TensorFlow may ask of memory: they take no other for theirs.
ALIGNMENT = 64


IMMUTABLE = ("jax", "tensorflow", "dask")


def may_share(source: str, target: str) -> bool:
    """Whether neither side could write to memory that never changes on the other. NumPy's array is read-only there."""
    return (source in IMMUTABLE) == (target in IMMUTABLE) or (source in IMMUTABLE and target == "numpy")


def without_copy(source: str, target: str, layout: str) -> bool:
    """Whether the frameworks can have the result in the memory of the operand, whatever its dtype.

    What comes out of Dask is computed into new memory. JAX and TensorFlow take contiguous memory whose address is a
    multiple of 64, and JAX a transpose of it, but not from NumPy; PyTorch has no negative steps. Everything else is
    shared with everything.
    """
    if source == "dask":
        return False
    if source in ("jax", "tensorflow") or (source, layout) == ("torch", "backward"):
        return True  # they make new arrays of all layouts
    if target in ("jax", "tensorflow"):
        return layout in ("contiguous", "0-d") or (source, target, layout) == ("torch", "jax", "transposed")
    return not (target == "torch" and layout == "backward")


def aligned(x: np.ndarray) -> np.ndarray:
    """The same values in memory that every framework takes for its own."""
    raw = np.empty(x.nbytes + ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    made = raw[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


LAYOUTS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "contiguous": ((8, 6), lambda x: x),
    "0-d": ((), lambda x: x),
    "strided": ((8, 6), lambda x: x[1::2, ::3]),
    "transposed": ((8, 6), lambda x: x.T),
    "unaligned": ((8, 6), lambda x: x[1:]),
    "backward": ((8, 6), lambda x: x[::-1]),
}


def given(source: str, dtype: lw.Dtype, layout: str) -> tuple[lw.Array, np.ndarray]:
    """An array of a backend in a memory layout, as far as the framework has it, and its values."""
    shape, view = LAYOUTS[layout]
    base = aligned(values(dtype, shape))
    want = np.array(view(base))
    if source == "numpy":
        return lw.asarray(view(base), backend="numpy"), want
    made = lw.asarray(base, backend=source, copy=False)
    # nothing goes backward in PyTorch: this is another array
    return (view(made) if layout != "backward" or source != "torch" else lw.flip(made, axis=0)), want


def address(x: lw.Array) -> int:
    """Where the memory of an array begins."""
    data = x.data
    match x.backend:
        case "numpy":
            place = data.__array_interface__["data"][0]
        case "torch":
            place = data.data_ptr()
        case "jax":
            place = data.unsafe_buffer_pointer()
        case "tensorflow":  # NumPy is shown the tensor's own, but of bfloat16
            import tensorflow as tf

            bits = tf.bitcast(data, tf.int16) if data.dtype == tf.bfloat16 else data
            place = np.asarray(bits).ctypes.data
        case "dask":  # the first block
            import dask

            place = dask.get(data.dask, (data.name, *[0] * data.ndim)).ctypes.data
        case other:
            raise AssertionError(other)
    return int(place)


def check(got: lw.Array, want: np.ndarray, backend: str, dtype: lw.Dtype) -> None:
    assert got.backend == backend
    assert got.dtype is dtype
    assert got.data.dtype == got._sig.backend.native_dtypes[dtype]
    computed = np.asarray(got)
    assert computed.dtype == NUMPY[dtype]
    assert computed.shape == want.shape
    assert computed.tobytes() == want.tobytes()


@pair
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_dtype_goes_everywhere_and_stays_where_it_can(source: str, target: str, layout: str) -> None:
    for dtype in lw.all_dtypes:
        x, want = given(source, dtype, layout)
        for array in (x, x.data):  # ours, and the framework's own
            got = lw.asarray(array, backend=target)
            check(got, want, target, dtype)
            shares = without_copy(source, target, layout)
            assert (address(got) == address(x)) == (shares and may_share(source, target)) or source == "dask", dtype
            if shares and (may_share(source, target) or source not in IMMUTABLE):
                assert address(lw.asarray(array, backend=target, copy=False)) == address(x), dtype
            else:
                with pytest.raises(ValueError, match="cop(y|ied)"):
                    lw.asarray(array, backend=target, copy=False)
            made = lw.asarray(array, backend=target, copy=True)
            check(made, want, target, dtype)
            if source != "dask":
                assert address(made) != address(x), dtype


@pair
def test_empty_arrays_keep_dtype_and_shape(source: str, target: str) -> None:
    for dtype in lw.all_dtypes:
        for shape in ((0,), (2, 0, 3)):
            x = lw.asarray(np.empty(shape, NUMPY[dtype]), backend=source)
            for copy in (None, True):
                check(lw.asarray(x, backend=target, copy=copy), np.empty(shape, NUMPY[dtype]), target, dtype)


@pytest.mark.parametrize("target", INSTALLED)
def test_a_copy_has_memory_of_its_own(target: str) -> None:
    for source in TWO:
        x, want = given(source, lw.float32, "contiguous")
        made = lw.asarray(x, backend=target, copy=True)
        x[...] = 7.0
        check(made, want, target, lw.float32)


@pair
@pytest.mark.parametrize("form", ["ours", "native", "scalar"])
def test_arrays_that_never_change_do_not(source: str, target: str, form: str) -> None:
    """What shares memory with them cannot write to it, and they share none that others can write to."""
    for dtype in (lw.float32, lw.bfloat16, lw.int32):
        base = aligned(values(dtype, (8, 6)))
        x = lw.asarray(base, backend=source) if form != "scalar" else lw.asarray(3, dtype=dtype, backend=source)
        y = lw.asarray(x.data if form == "native" else x, backend=target)
        changing, other = (x, y) if source not in IMMUTABLE else (y, x)
        before = np.array(other)
        if source in IMMUTABLE and source != "dask" and target == "numpy":
            with pytest.raises(ValueError, match=r"read-only.*x\.copy\(\)"):
                changing += 41
        else:
            changing += 41
        if may_share(source, target) and source not in IMMUTABLE:
            continue  # NumPy and PyTorch write to each other's memory
        assert np.array(other).tobytes() == before.tobytes(), dtype


def test_the_constants_of_tensorflow_stay() -> None:
    pytest.importorskip("tensorflow")
    torch = pytest.importorskip("torch")
    with lw.using(backend="tensorflow"):
        for value in (3, 3.0, True):
            for move in (lambda x: lw.asarray(x, backend="torch").data, torch.from_dlpack):
                tensor = move(lw.asarray(value))
                tensor += 1 if tensor.dtype.is_floating_point or tensor.dtype == torch.int32 else False
                assert lw.asarray(value).item() == value
        assert (lw.asarray([1.0]) * 3.0).data.numpy().tolist() == [3.0]


@pair
def test_special_values_and_the_largest_numbers_arrive(source: str, target: str) -> None:
    for dtype in lw.all_dtypes:
        with np.errstate(all="ignore"):
            want = extremes(dtype)
        check(lw.asarray(lw.asarray(want, backend=source), backend=target), want, target, dtype)


# --- DLPack -------------------------------------------------------------------------------------------------------


class Producer:
    """Nothing but the protocol: what a library that we know nothing of has."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()


def refused(source: str, target: str, dtype: lw.Dtype) -> bool:
    """What DLPack does not carry: NumPy and what is made of it have no bfloat16 there."""
    return dtype is lw.bfloat16 and ("numpy" in (source, target) or "dask" in (source, target))


@pair
def test_from_dlpack_of_a_frameworks_own_array(source: str, target: str) -> None:
    for dtype in lw.all_dtypes:
        x, want = given(source, dtype, "contiguous")
        check(lw.from_dlpack(x), want, source, dtype)  # an Array stays with its backend
        if source == "dask":
            with pytest.raises(TypeError, match="has no __dlpack__"):
                lw.from_dlpack(x.data)
            continue
        with lw.using(backend=target):
            got = lw.from_dlpack(x.data)
            check(got, want, target, dtype)
            if source != "dask":
                shares = without_copy(source, target, "contiguous") and may_share(source, target)
                assert (address(got) == address(x)) == shares
            check(lw.from_dlpack(x.data, copy=True), want, target, dtype)


@pair
def test_from_dlpack_of_anything_that_has_the_protocol(source: str, target: str) -> None:
    for dtype in lw.all_dtypes:
        x, want = given(source, dtype, "contiguous")
        with lw.using(backend=target):
            if refused(source, target, dtype):
                with pytest.raises(BufferError):
                    lw.from_dlpack(Producer(x))
                continue
            got = lw.from_dlpack(Producer(x))
            check(got, want, target, dtype)
            if without_copy(source, target, "contiguous") and target != "dask" and target not in IMMUTABLE:
                assert address(got) == address(x), dtype


def of_numpy(x: lw.Array) -> Any:
    return np.from_dlpack(x)


def of_torch(x: lw.Array) -> Any:
    import torch

    return torch.from_dlpack(x)


def of_jax(x: lw.Array) -> Any:
    import jax

    with jax.enable_x64(True):
        return jax.dlpack.from_dlpack(x)


def of_tensorflow(x: lw.Array) -> Any:
    import tensorflow as tf

    return tf.experimental.dlpack.from_dlpack(x.__dlpack__())


CONSUMERS = {"numpy": of_numpy, "torch": of_torch, "jax": of_jax, "tensorflow": of_tensorflow}


CONSUMED = [(source, target) for source in INSTALLED for target in CONSUMERS if target in INSTALLED]


@pytest.mark.parametrize(("source", "target"), CONSUMED, ids=[" to ".join(p) for p in CONSUMED])
def test_the_frameworks_take_our_arrays_by_dlpack(source: str, target: str) -> None:
    for dtype in lw.all_dtypes:
        x, want = given(source, dtype, "contiguous")
        assert tuple(map(int, x.__dlpack_device__())) == (1, 0)  # the CPU
        if refused(source, target, dtype):
            with pytest.raises((BufferError, RuntimeError)):
                CONSUMERS[target](x)
            continue
        got = lw.asarray(CONSUMERS[target](x), backend=target)
        check(got, want, target, dtype)
        if source != "dask":
            assert address(got) == address(x), dtype


def test_dlpack_says_what_it_cannot_do(backend: str) -> None:
    x = lw.asarray([1.0, 2.0])
    with pytest.raises((BufferError, ValueError, RuntimeError)):
        x.__dlpack__(dl_device=(2, 0))  # CUDA
    with pytest.raises(TypeError, match="has no __dlpack__"):
        lw.from_dlpack([1.0])


def test_numpys_other_uint64_is_uint64(backend: str) -> None:
    """NumPy has two types of that size, and gives this one to Python ints of 2**63 and more."""
    data = np.asarray([2**63])
    x = lw.asarray(data, backend=backend)
    assert x.dtype is lw.uint64 and np.asarray(x).tolist() == [2**63]
