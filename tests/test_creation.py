"""Creation functions: every dtype, shape and way in, against NumPy and against plain Python."""

from __future__ import annotations

import array
import enum
import itertools
import math
import sys
import time
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cases import SHAPES, crossed, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import IMMUTABLE, LAZY, NUMPY, check, dtypes, extremes, layouts, values, wide

import latticework as lw

REALS = dtypes("real numeric")
FLOATING = dtypes("floating")


def other(backend: str) -> str:
    installed = [b.name for b in lw.backends() if b.installed and b.name != backend]
    if not installed:
        pytest.skip("needs two installed backends")
    return "numpy" if "numpy" in installed else installed[0]


# --- asarray ---------------------------------------------------------------------------------------------------------


def test_python_scalars_get_the_default_of_their_kind(backend: str) -> None:
    check(lw.asarray(True), True, lw.bool)
    check(lw.asarray(-3), -3, lw.int32)
    check(lw.asarray(1.5), 1.5, lw.float32)
    check(lw.asarray(1 - 2j), 1 - 2j, lw.complex64)
    check(lw.asarray([True, False]), [True, False], lw.bool)
    check(lw.asarray([True, 2]), [1, 2], lw.int32)
    check(lw.asarray([[1, 2.5], [True, 4]]), [[1, 2.5], [1, 4]], lw.float32)
    check(lw.asarray([1j, 2.5, 1, True]), [1j, 2.5, 1, 1], lw.complex64)
    check(lw.asarray((1, (2, 3)[0])), [1, 2], lw.int32)
    check(lw.asarray(range(4)), [0, 1, 2, 3], lw.int32)
    check(lw.asarray([range(2), (5, 6)]), [[0, 1], [5, 6]], lw.int32)
    with lw.using(default_int=lw.int64, default_float=lw.float64):
        check(lw.asarray([1, 2]), [1, 2], lw.int64)
        check(lw.asarray(0.1), np.float64(0.1), lw.float64, ulps=0)
        check(lw.asarray([1j, 0.1]), np.array([1j, 0.1]), lw.complex128, ulps=0)
    assert lw.asarray(1).backend == backend


def test_empty_sequences(backend: str) -> None:
    for obj, shape in [([], (0,)), ((), (0,)), ([[], []], (2, 0)), ([[[]]], (1, 1, 0))]:
        check(lw.asarray(obj), np.zeros(shape), lw.float32)
        for dtype in lw.all_dtypes:
            check(lw.asarray(obj, dtype=dtype), np.zeros(shape, NUMPY[dtype]), dtype)


def test_every_dtype_from_python(backend: str) -> None:
    for shape, dtype in crossed(SHAPES, lw.all_dtypes, "asarray"):
        plain = values(dtype, shape).tolist()
        if dtype is lw.bfloat16:
            plain = values(dtype, shape).astype(np.float64).tolist()
        check(lw.asarray(plain, dtype=dtype), np.asarray(values(dtype, shape)).reshape(np.shape(plain)), dtype)
    for dtype in dtypes("integral"):
        ends = [int(v) for v in extremes(dtype)]
        assert lw.asarray(ends, dtype=dtype).tolist() == ends
        assert [lw.asarray(v, dtype=dtype).item() for v in ends] == ends
        assert lw.asarray([float(v) for v in (0, 1, 100)], dtype=dtype).tolist() == [0, 1, 100]
    check(lw.asarray([1.7, -1.7], dtype=lw.int8), [1, -1], lw.int8)
    check(lw.asarray(1.7, dtype=lw.int8), 1, lw.int8)
    check(lw.asarray([2, 0], dtype=bool), [True, False], lw.bool)
    check(lw.asarray([0.5, 0], dtype=lw.bool), [True, False], lw.bool)
    check(lw.asarray([1, 2], dtype=float), [1, 2], lw.float32)


def test_what_does_not_fit(backend: str) -> None:
    for dtype in dtypes("integral"):
        info = lw.iinfo(dtype)
        for value in (info.min - 1, info.max + 1, 2**70):
            for obj in (value, [value], [0, value]):
                with pytest.raises(OverflowError, match=rf"asarray: Python int {value} does not fit {dtype}"):
                    lw.asarray(obj, dtype=dtype)
        for value in (math.nan, math.inf, -math.inf):
            for obj in (value, [value]):
                with pytest.raises(ValueError, match="asarray: -?(nan|inf) does not go into"):
                    lw.asarray(obj, dtype=dtype)
        with pytest.raises(OverflowError, match="asarray: Python float 1e[+]?30 does not fit"):
            lw.asarray([1e30], dtype=dtype)
        with pytest.raises(TypeError, match="complex numbers do not go into"):
            lw.asarray([1, 1j], dtype=dtype)
    with pytest.raises(OverflowError, match=r"does not fit int32.*dtype=lw.int64"):
        lw.asarray([1, 2**31])
    with pytest.raises(OverflowError, match="asarray: Python int too large to convert to float"):
        lw.asarray([10**400, 1.5])
    with pytest.raises(TypeError, match="complex numbers do not go into float32"):
        lw.asarray(1j, dtype=lw.float32)
    for bad in ("abc", None, {1}, object(), (x for x in [1]), ["a"], [None], [[1], ["a"]], [object()]):
        with pytest.raises(TypeError, match="asarray"):
            lw.asarray(bad)
    for bad in (np.zeros(2, np.longdouble), np.array([None]), np.array(["2020-01-01"], "M8[D]")):
        with pytest.raises(TypeError, match="no such dtype"):
            lw.asarray(bad)
    with pytest.raises(TypeError, match="asarray: the mask"):
        lw.asarray(np.ma.array([1, 2], mask=[True, False]))


def test_ragged_sequences(backend: str) -> None:
    for bad in (
        [[1, 2], [3]], [1, [2]], [[1], 2], [[[1]], [[1, 2]]], [[1, 2], []], [lw.zeros(3), lw.zeros(2)],
        [lw.zeros(2), [1]], [lw.zeros(()), [1]], [np.zeros((2, 3)), np.zeros((2, 4))], [lw.zeros(1), 1],
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"asarray: ragged sequences: obj\[1\]"):
            lw.asarray(bad)


def test_sequences_of_arrays(backend: str) -> None:
    x = lw.asarray([1, 2], dtype=lw.int8)
    check(lw.asarray([x, x]), [[1, 2], [1, 2]], lw.int8)
    check(lw.asarray([x, lw.asarray([0.5, 1])]), [[1, 2], [0.5, 1]], lw.float32)
    check(lw.asarray([x, [3, 4]]), [[1, 2], [3, 4]], lw.int8)
    check(lw.asarray([x[0], 2, 3.5]), [1, 2, 3.5], lw.float32)
    check(lw.asarray([[x[0]], [x[1]]]), [[1], [2]], lw.int8)
    check(lw.asarray((x, x), dtype=lw.bfloat16), [[1, 2], [1, 2]], lw.bfloat16)
    check(lw.asarray([np.float32(1), 2.0]), [1, 2], lw.float32)
    check(lw.asarray([np.float64(1), 2.0]), [1, 2], lw.float64)
    check(lw.asarray([np.int8(1), 2]), [1, 2], lw.int8)
    check(lw.asarray([np.True_, False]), [True, False], lw.bool)
    check(lw.asarray([np.arange(3), np.arange(3)]), [[0, 1, 2]] * 2, lw.int64)
    big = lw.asarray(2**63 + 1, dtype=lw.uint64)
    assert lw.asarray([big, big]).tolist() == [2**63 + 1] * 2
    assert lw.asarray([[big], [1]]).tolist() == [[2**63 + 1], [1]]

    class Number(enum.IntEnum):
        three = 3

    check(lw.asarray(Number.three), 3, lw.int32)
    check(lw.asarray([Number.three, 1]), [3, 1], lw.int32)
    start = time.process_time()
    check(lw.full(2, Number.three), [3, 3], lw.int32)
    check(lw.asarray(Number.three, dtype=lw.int64), 3, lw.int64)
    assert time.process_time() - start < 5  # a `range` compares an int of a subclass with each of its numbers
    with pytest.raises(OverflowError, match="does not fit int8"):
        lw.asarray(enum.IntEnum("Size", {"large": 300}).large, dtype=lw.int8)
    # arrays within decide the backend, as they do everywhere
    with lw.using(backend=other(backend)):
        assert lw.asarray([x, x]).backend == backend
        assert lw.asarray([x[0], 2]).backend == backend
        assert lw.asarray([x, x], backend=lw.current_backend()).backend == lw.current_backend()


def test_an_array_is_taken_as_it_is(backend: str) -> None:
    for shape, dtype in crossed(SHAPES, lw.all_dtypes):
        for _, x in layouts(values(dtype, shape)):
            assert lw.asarray(x) is x
            assert lw.asarray(x, dtype=dtype, device=x.device, backend=backend, copy=False) is x
            check(lw.asarray(x, copy=True), values(dtype, shape), dtype)
            check(lw.asarray(x.data), values(dtype, shape), dtype)
    x = lw.asarray([1, 2])
    y = lw.asarray(x.data)
    assert y.data is x.data
    copied = lw.asarray(x, copy=True)
    copied[0] = 7
    check(x, [1, 2], lw.int32)
    check(lw.asarray(x, dtype=lw.float16), [1, 2], lw.float16)
    with pytest.raises(ValueError, match="asarray: copy=False, but int32 has to be copied to become int64"):
        lw.asarray(x, dtype=lw.int64, copy=False)
    for obj in (1, [1], (2.5,), range(2)):
        with pytest.raises(ValueError, match="asarray: copy=False"):
            lw.asarray(obj, copy=False)


def test_to_another_backend_and_back(backend: str) -> None:
    away = other(backend)
    for shape, dtype in crossed(SHAPES, lw.all_dtypes):
        for _, x in layouts(values(dtype, shape)):
            there = lw.asarray(x, backend=away)
            assert there.backend == away
            check(there, values(dtype, shape), dtype)
            back = lw.asarray(there, device=x.device)  # a device brings its backend
            assert back.backend == backend
            check(back, values(dtype, shape), dtype)
    x = lw.asarray([1.0, 2.0])
    there = lw.asarray(x, backend=away)
    if not {backend, away} & {*IMMUTABLE}:
        there[0] = 5  # memory is shared between frameworks on the CPU
        check(x, [5, 2], lw.float32)
    before = lw.asarray(x, copy=True)
    there = lw.asarray(x, backend=away, copy=True)
    there[0] = 6
    check(x, np.asarray(before), lw.float32)
    if backend in LAZY:  # which is computed into new memory
        with pytest.raises(ValueError, match="copy=False, but a lazy array"):
            lw.asarray(x, backend=away, copy=False)
    else:
        assert lw.asarray(x, backend=away, copy=False).backend == away
    with pytest.raises(ValueError, match="copy=False"):
        lw.asarray(x, backend=away, dtype=lw.float64, copy=False)


def test_numpy_arrays_go_to_the_backend_that_is_set(backend: str) -> None:
    for dtype in lw.all_dtypes:
        data = values(dtype, (3, 4))
        parts = data, data.T, data[::-1], data[:, ::2], data[1:2, 1:2], data[0, 0], np.broadcast_to(data, (2, 3, 4))
        for part in parts:
            x = lw.asarray(part)
            assert x.backend == backend
            check(x, part, dtype)
            check(lw.asarray(part, copy=True), part, dtype)
    data = np.zeros(3, np.float32)
    if backend not in IMMUTABLE:
        lw.asarray(data)[0] = 1
        assert data[0] == 1
        lw.asarray(data, copy=True)[0] = 2
        assert data[0] == 1
        lw.asarray(data, copy=False)[0] = 3
        assert data[0] == 3
    big_endian = np.array([1, 2], ">i4")
    check(lw.asarray(big_endian), [1, 2], lw.int32)
    with pytest.raises(ValueError, match="asarray: copy=False"):
        lw.asarray(big_endian, copy=False)
    fields = np.zeros(3, [("a", "i1"), ("b", "f4")])
    fields["b"] = 1, 2, 3
    check(lw.asarray(fields["b"]), [1, 2, 3], lw.float32)

    class Own(np.ndarray):
        pass

    check(lw.asarray(np.zeros(2).view(Own)), [0, 0], lw.float64)
    assert type(lw.asarray(np.zeros(2).view(Own), backend="numpy").data) is np.ndarray
    check(lw.asarray(np.float16(1.5)), 1.5, lw.float16)
    check(lw.asarray(ml_dtypes.bfloat16(1.5)), 1.5, lw.bfloat16)


def test_buffers(backend: str) -> None:
    check(lw.asarray(b"abc"), [97, 98, 99], lw.uint8)
    check(lw.asarray(memoryview(b"abc")), [97, 98, 99], lw.uint8)
    check(lw.asarray(array.array("d", [1, 2])), [1, 2], lw.float64)
    check(lw.asarray(array.array("h", [1, -2]), dtype=lw.int64), [1, -2], lw.int64)
    own = bytearray(b"abc")
    if backend not in IMMUTABLE:
        x = lw.asarray(own, copy=False)
        x[0] = 65
        assert own == b"Abc"
        copied = lw.asarray(own, copy=True)
        copied[0] = 66
        assert own == b"Abc"
    with pytest.raises(ValueError, match="copy=False"):
        lw.asarray(own, dtype=lw.int32, copy=False)


def test_objects_with_protocols(backend: str) -> None:
    class Exporter:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __dlpack__(self, **options: Any) -> Any:
            return self.x.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.x.__dlpack_device__()

    class Numpy:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.asarray([1, 2], dtype=np.int16)

    data = np.array([1.0, 2.0], np.float32)
    for make in (lw.asarray, lw.from_dlpack):
        x = make(Exporter(data))
        assert x.backend == backend
        check(x, data, lw.float32)
        if backend not in IMMUTABLE:
            x[0] = data[0] + 1
            assert x[0] == data[0]
    check(lw.asarray(Exporter(data), dtype=lw.int8), data, lw.int8)
    check(lw.asarray(Numpy()), [1, 2], lw.int16)


def test_a_policy_decides_the_device(backend: str) -> None:
    with lw.using(backend=backend, device="cpu"):
        assert lw.asarray([1]).device == "cpu"
        assert lw.zeros(2).device == "cpu"
    if backend == "torch":
        with lw.using(device="meta"):
            made = [lw.asarray(obj) for obj in ([1], 1, np.zeros(2))]
            assert all(x.device == "meta" for x in (*made, lw.zeros(2), lw.full(2, 1), lw.arange(3)))
            assert lw.asarray(lw.zeros(2, device="cpu")).device == "cpu"
    with pytest.raises(ValueError, match="no device 'gpuu'"):
        lw.asarray([1], device="gpuu")


def test_the_frameworks_own_default_device_is_asked_for_at_each_call() -> None:
    torch = pytest.importorskip("torch")
    data = np.ones(2, np.float32)
    makers: list[Any] = [
        lambda: lw.asarray([1.0, 2.0]), lambda: lw.asarray(1.5), lambda: lw.asarray(data), lambda: lw.asarray(data[0]),
        lambda: lw.asarray([1.0], dtype=lw.bfloat16), lambda: lw.zeros(3), lambda: lw.full(3, 2.0),
        lambda: lw.arange(3, dtype=lw.uint32), lambda: lw.eye(3), lambda: lw.linspace(0, 1, 3),
    ]  # fmt: skip

    def devices() -> set[str]:
        return {str(make().device) for make in makers}

    with lw.using(backend="torch"):
        assert devices() == {"cpu"}
        with torch.device("meta"):
            assert devices() == {"meta"}
            assert lw.asarray([1.0], device="cpu").device == lw.zeros(2, device="cpu").device == "cpu"
        torch.set_default_device("meta")
        try:
            assert devices() == {"meta"}
        finally:
            torch.set_default_device(None)
        assert devices() == {"cpu"}


def test_lists_are_read_without_a_loop_in_python(backend: str) -> None:
    """As many calls for a long list as for a short one: whatever goes through the elements is written in C."""

    def calls(obj: Any) -> int:
        lw.asarray(obj)
        count = 0

        def note(frame: Any, event: str, _: Any) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(note)
        try:
            lw.asarray(obj)
        finally:
            sys.setprofile(None)
        return count

    if backend in IMMUTABLE:
        pytest.skip("what JAX and TensorFlow call depends on where the memory begins")
    for part in ([0.5], [[1, 2]], [[True, 2.5, 1j]], [0.5, 1]):
        assert calls(part * 1000) == calls(part * 2)


def test_from_dlpack(backend: str) -> None:
    for shape, dtype in crossed(SHAPES, lw.all_dtypes):
        for _, x in layouts(values(dtype, shape)):
            made = lw.from_dlpack(x)
            assert made.backend == backend
            check(made, values(dtype, shape), dtype)
            check(lw.from_dlpack(x, copy=True), values(dtype, shape), dtype)
    x = lw.asarray([1, 2])
    assert lw.from_dlpack(x) is not x
    lw.from_dlpack(x, copy=False)[0] = 5
    lw.from_dlpack(x, copy=True)[0] = 6
    check(x, [1 if backend in IMMUTABLE else 5, 2], lw.int32)
    away = lw.asarray([1.5], backend=other(backend), dtype=lw.bfloat16)
    check(lw.from_dlpack(away, device=x.device), [1.5], lw.bfloat16)
    with pytest.raises(TypeError, match="from_dlpack: list has no __dlpack__"):
        lw.from_dlpack([1])


# --- one value -------------------------------------------------------------------------------------------------------


def test_zeros_ones_empty(backend: str) -> None:
    for make, value in ((lw.zeros, 0), (lw.ones, 1)):
        for shape, dtype in crossed([*SHAPES, 3, 0], lw.all_dtypes, make.__name__):
            check(make(shape, dtype=dtype), np.full(shape, value), dtype)
        check(make((2, 3)), np.full((2, 3), value), lw.float32)
        with lw.using(default_dtype=lw.float16):
            assert make(2).dtype is lw.float16
        with pytest.raises((ValueError, TypeError), match=make.__name__):
            make((2, -1))
        check(make((np.int64(2), 1)), [[value], [value]], lw.float32)
    for dtype in lw.all_dtypes:
        for shape in SHAPES:
            x = lw.empty(shape, dtype=dtype)
            assert (x.shape, x.dtype, x.backend) == (shape, dtype, backend)
    assert lw.empty(3).shape == (3,)
    device = lw.asarray(1).device
    with lw.using(backend=other(backend)):
        assert lw.ones(2, device=device).backend == backend


def test_full(backend: str) -> None:
    check(lw.full((2, 3), True), np.full((2, 3), True), lw.bool)
    check(lw.full(2, 5), [5, 5], lw.int32)
    check(lw.full((), 2.5), 2.5, lw.float32)
    check(lw.full((0,), 1j), np.zeros(0, complex), lw.complex64)
    for shape, dtype in crossed(SHAPES, lw.all_dtypes, "full"):
        check(lw.full(shape, 1, dtype=dtype), np.ones(shape), dtype)
    for dtype in due(lw.all_dtypes, "full"):
        for value in extremes(dtype):
            plain = float(value) if dtype is lw.bfloat16 else value.item()
            check(lw.full((2,), plain, dtype=dtype), [value, value], dtype, ulps=0)
        check(lw.full((2, 3), lw.asarray([1, 0, 1], dtype=dtype)), [[1, 0, 1]] * 2, dtype)
        check(lw.full(2, lw.asarray(1), dtype=dtype), [1, 1], dtype)
    check(lw.full(2, np.float64(0.5)), [0.5, 0.5], lw.float64)
    x = lw.asarray([1, 2])
    made = lw.full((2,), x)
    made[0] = 9
    check(x, [1, 2], lw.int32)
    for value, dtype in ((2**31, None), (300, lw.int8), (-1, lw.uint64), (2**64, lw.uint64)):
        with pytest.raises(OverflowError, match="full: Python int .* does not fit"):
            lw.full((2,), value, dtype=dtype)
    with pytest.raises(TypeError, match="full: complex numbers"):
        lw.full((2,), 1j, dtype=lw.float32)
    with pytest.raises((ValueError, TypeError), match="full: "):
        lw.full((-1,), 1)


def test_like(backend: str) -> None:
    for shape, dtype in crossed(SHAPES, lw.all_dtypes):
        for _, x in layouts(values(dtype, shape)):
            with lw.using(backend=other(backend)):  # the result is of x's backend, whichever is set
                made = lw.zeros_like(x), lw.ones_like(x), lw.full_like(x, 1), lw.empty_like(x)
            for y, value in zip(made, (0, 1, 1, None), strict=True):
                assert y.backend == backend
                assert (y.shape, y.dtype, y.device) == (shape, dtype, x.device)
                if value is not None:
                    check(y, np.full(shape, value), dtype)
    x = lw.asarray([1, 2])
    check(lw.zeros_like(x, dtype=lw.uint16), [0, 0], lw.uint16)
    check(lw.full_like(x, 2.5, dtype=lw.bfloat16), [2.5, 2.5], lw.bfloat16)
    check(lw.ones_like(x.data, device="cpu"), [1, 1], lw.int32)
    with pytest.raises(OverflowError, match="full: Python int 4000000000"):
        lw.full_like(x, 4_000_000_000)
    with pytest.raises(TypeError, match="zeros_like: takes arrays; got list"):
        lw.zeros_like([1, 2])


# --- numbers in a row ------------------------------------------------------------------------------------------------


def test_arange_of_integers(backend: str) -> None:
    check(lw.arange(4), [0, 1, 2, 3], lw.int32)
    check(lw.arange(2, stop=9, step=3), [2, 5, 8], lw.int32)
    check(lw.arange(5, 0, -2), [5, 3, 1], lw.int32)
    check(lw.arange(3, 3), np.zeros(0), lw.int32)
    check(lw.arange(3, 1), np.zeros(0), lw.int32)
    check(lw.arange(np.int64(3)), [0, 1, 2], lw.int64)
    check(lw.arange(lw.asarray(3)), [0, 1, 2], lw.int32)
    check(lw.arange(2, 3, 1000), [2], lw.int32)
    for dtype in REALS:
        check(lw.arange(5, dtype=dtype), np.arange(5), dtype)
        check(lw.arange(7, 0, -3, dtype=dtype), [7, 4, 1], dtype)
        check(lw.arange(5, -1, -1, dtype=dtype), [5, 4, 3, 2, 1, 0], dtype)
    for dtype in dtypes("integral"):
        info = lw.iinfo(dtype)
        assert lw.arange(info.max - 2, info.max + 1, dtype=dtype).tolist() == [info.max - 2, info.max - 1, info.max]
        assert lw.arange(info.min + 1, info.min - 1, -1, dtype=dtype).tolist() == [info.min + 1, info.min]
        half = info.max // 2
        assert lw.arange(0, info.max, half, dtype=dtype).tolist() == [*range(0, info.max, half)]
        if info.bits == 8:
            assert lw.arange(info.min, info.max + 1, dtype=dtype).tolist() == [*range(info.min, info.max + 1)]
        for ends in ((info.max, info.max + 2), (info.min - 1, 5)):
            with pytest.raises(OverflowError, match="arange: Python int .* does not fit"):
                lw.arange(*ends, dtype=dtype)
        check(lw.arange(0.0, 3.0, dtype=dtype), [0, 1, 2], dtype)
        with pytest.raises(TypeError, match="arange: 0.5 is no integer"):
            lw.arange(0, 3, 0.5, dtype=dtype)
    with pytest.raises(OverflowError, match="arange"):
        lw.arange(2**31, 2**31 + 2)


def test_arange_of_floats(backend: str) -> None:
    check(lw.arange(1.0, 2.0, 0.25), [1, 1.25, 1.5, 1.75], lw.float32)
    check(lw.arange(1, 0, -0.25), [1, 0.75, 0.5, 0.25], lw.float32)
    check(lw.arange(2.5), [0, 1, 2], lw.float32)
    check(lw.arange(0.0, -3.0), np.zeros(0), lw.float32)
    for dtype in dtypes("real floating"):
        check(lw.arange(0, 10, 0.1, dtype=dtype), np.arange(100) * 0.1, dtype, ulps=2)
        check(lw.arange(5000, 5003, 0.5, dtype=dtype), 5000 + np.arange(6) * 0.5, dtype, ulps=1)
        assert lw.arange(0, 100, 0.001, dtype=dtype).size == 100_000  # more than float16 counts to
        check(lw.arange(0, 100, 0.001, dtype=dtype)[-1], 99.999, dtype, ulps=2)
    check(lw.arange(1e4, 1.01e4, 0.1), 1e4 + np.arange(1000) * 0.1, lw.float32, ulps=1)
    # neither end nor step overflows, and no value does
    check(lw.arange(-3e38, 3e38, 1e38), (np.arange(6) - 3) * 1e38, lw.float32, ulps=2, scale=3e38)


def test_arange_errors(backend: str) -> None:
    with pytest.raises(ValueError, match="arange: the step must not be 0"):
        lw.arange(0, 3, 0)
    check(lw.arange(1, 4, dtype=lw.complex64), [1, 2, 3], lw.complex64)
    with pytest.raises(TypeError, match="arange: takes a numeric dtype"):
        lw.arange(3, dtype=lw.bool)
    with pytest.raises(TypeError, match="arange"):
        lw.arange(3j)
    with pytest.raises(TypeError, match="arange"):
        lw.arange("3")
    with pytest.raises(ValueError, match="arange: there is no end"):
        lw.arange(0, math.inf)
    with lw.using(rules="strict"):
        check(lw.arange(4), [0, 1, 2, 3], lw.int32)
        check(lw.linspace(0.0, 1.0, 3), [0, 0.5, 1], lw.float32)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-9, 9).filter(bool))
def test_arange_is_range(start: int, stop: int, step: int) -> None:
    for name in [b.name for b in lw.backends() if b.installed]:
        with lw.using(backend=name):
            check(lw.arange(start, stop, step), [*range(start, stop, step)], lw.int32)
            floats = lw.arange(start / 4, stop / 4, step / 4)
            check(floats, np.array([*range(start, stop, step)]) / 4, lw.float32, ulps=0)


def test_linspace(backend: str) -> None:
    check(lw.linspace(0, 1, 5), [0, 0.25, 0.5, 0.75, 1], lw.float32)
    check(lw.linspace(0, 1, 4, endpoint=False), [0, 0.25, 0.5, 0.75], lw.float32)
    check(lw.linspace(2, 3, num=0), np.zeros(0), lw.float32)
    check(lw.linspace(2, 3, 1), [2], lw.float32)
    check(lw.linspace(2, 3, 1, endpoint=False), [2], lw.float32)
    check(lw.linspace(3, -3, 3), [3, 0, -3], lw.float32)
    check(lw.linspace(0, 1j, 3), [0, 0.5j, 1j], lw.complex64)
    check(lw.linspace(np.float64(0), 1, 3), [0, 0.5, 1], lw.float64)
    for (n, endpoint), dtype in crossed(itertools.product((7, 0, 1, 2, 50), (True, False)), FLOATING, "linspace"):
        want = np.linspace(-2, 5, n, endpoint=endpoint, dtype=np.complex128 if dtype.kind == "c" else float)
        check(lw.linspace(-2, 5, n, endpoint=endpoint, dtype=dtype), want, dtype, ulps=2, scale=5)
    for dtype in FLOATING:
        check(lw.linspace(0, 0.1, 9, dtype=dtype)[-1], 0.1, dtype, ulps=0)  # the end itself
        x = lw.linspace(0, 1, 100_000, dtype=dtype)
        check(x[-1], 1, dtype, ulps=0)
        check(x[12_345], 12_345 / 99_999, dtype, ulps=2)
    for dtype in dtypes("integral"):
        check(lw.linspace(0, 10, 4, dtype=dtype), [0, 3, 6, 10], dtype)
        check(lw.linspace(0, 10, 5, endpoint=False, dtype=dtype), [0, 2, 4, 6, 8], dtype)
    check(lw.linspace(-1, 1, 4, dtype=lw.int8), np.linspace(-1, 1, 4, dtype=np.int8), lw.int8)
    for dtype in (lw.float32, lw.float64):
        top = lw.finfo(dtype).max
        with np.errstate(all="raise"):
            x = lw.linspace(-top, top, 5, dtype=dtype)
        check(x, np.array([-1, -0.5, 0, 0.5, 1]) * top, dtype, ulps=1, scale=top)
    with pytest.raises(ValueError, match="linspace: num must not be negative"):
        lw.linspace(0, 1, -1)
    for bad in (lambda: lw.linspace(0, 1j, 3, dtype=lw.float32), lambda: lw.linspace(0, 1, 3, dtype=lw.bool)):
        with pytest.raises(TypeError, match="linspace: values from"):
            bad()
    with pytest.raises(TypeError):
        lw.linspace(0, 1, 2.5)


def test_the_same_floats_on_every_backend(backend: str) -> None:
    """To the last bit: what is in a row is computed in the same steps everywhere."""
    away = other(backend)
    for dtype in FLOATING:
        for call in (
            lambda d: lw.linspace(-0.3, 7.1, 1001, dtype=d), lambda d: lw.linspace(0, 1, 77, endpoint=False, dtype=d),
        ):  # fmt: skip
            here = wide(call(dtype))
            with lw.using(backend=away):
                np.testing.assert_array_equal(here, wide(call(dtype)))
    for dtype in dtypes("real floating"):
        here = wide(lw.arange(-3, 50, 0.1, dtype=dtype))
        with lw.using(backend=away):
            np.testing.assert_array_equal(here, wide(lw.arange(-3, 50, 0.1, dtype=dtype)))


# --- matrices --------------------------------------------------------------------------------------------------------


def test_eye(backend: str) -> None:
    sizes = ((3,), (2, 4), (4, 2), (0,), (0, 3), (3, 0), (1,), (3, None))
    for args, dtype in crossed(sizes, lw.all_dtypes, "eye"):
        for k in (0, 1, -1, 3, -3, 9, -9, 10**30, -(10**30)):
            check(lw.eye(*args, k=k, dtype=dtype), np.eye(*args, k=max(min(k, 99), -99)), dtype)
    assert lw.eye(2).dtype is lw.float32


def test_tril_triu(backend: str) -> None:
    for ours, theirs in ((lw.tril, np.tril), (lw.triu, np.triu)):
        shapes = [(3, 3), (2, 4), (4, 2), (2, 3, 3), (0, 2), (2, 0, 3), (1, 1)]
        for shape, dtype in crossed(shapes, lw.all_dtypes, ours.__name__):
            for _, x in layouts(values(dtype, shape)):
                for k in (0, 1, -1, 9, -9, 10**30, -(10**30)):
                    check(ours(x, k=k), theirs(wide(values(dtype, shape)), max(min(k, 99), -99)), dtype)
        for bad in (lw.zeros(3), lw.asarray(1)):
            with pytest.raises(ValueError, match=f"{ours.__name__}: takes arrays of at least two axes"):
                ours(bad)


def test_meshgrid(backend: str) -> None:
    for (count, indexing), dtype in crossed(itertools.product((3, 0, 1, 2), ("xy", "ij")), lw.all_dtypes):
        arrays = [values(dtype, (n,), seed=n) for n in (3, 4, 2)][:count]
        got = lw.meshgrid(*map(lw.asarray, arrays), indexing=indexing)
        want = np.meshgrid(*arrays, indexing=indexing)
        assert isinstance(got, tuple)
        assert len(got) == count
        for g, w in zip(got, want, strict=True):
            check(g, w, dtype)
    x, y = lw.meshgrid(lw.asarray([1, 2], dtype=lw.int8), lw.asarray(0.5))
    check(x, [[1, 2]], lw.int8)
    check(y, [[0.5, 0.5]], lw.float32)
    x[0, 0] = 9  # of its own memory
    check(x, [[9, 2]], lw.int8)
    assert [a.shape for a in lw.meshgrid(lw.zeros(2), lw.zeros(0), indexing="ij")] == [(2, 0)] * 2
    with pytest.raises(ValueError, match="meshgrid: takes arrays of one axis"):
        lw.meshgrid(lw.zeros((2, 2)))
    with pytest.raises(ValueError, match="meshgrid: indexing must be"):
        lw.meshgrid(lw.zeros(2), indexing="ji")


def test_numbers_at_equal_steps_are_rounded_alike_everywhere(backend: str) -> None:
    """Each is ``start + i * step`` in the dtype, whichever way the backend takes, for few numbers and for many."""
    for dtype, n in ((lw.float32, 7), (lw.float32, 10_001), (lw.float64, 7)):
        number = NUMPY[dtype].type
        expected = np.arange(n, dtype=NUMPY[dtype]) * number(0.7 / (n - 1)) + number(-0.1)
        found = np.asarray(lw.linspace(-0.1, -0.1 + 0.7, n, dtype=dtype))
        expected[-1] = -0.1 + 0.7
        assert found.tobytes() == expected.tobytes(), (dtype, n)
