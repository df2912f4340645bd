"""The Array: what it is, operators, in place, conversions, and how it lives among NumPy's arrays and scalars."""

from __future__ import annotations

import copy
import enum
import operator
import pickle
import sys
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from cases import crossed, for_case
from support import IMMUTABLE, LAZY, NUMPY, check, check_equal, computed, dtypes, layouts, skip_lazy, values

import latticework as lw

BINARY = {
    operator.add: (lw.add, "numeric"), operator.sub: (lw.subtract, "numeric"), operator.mul: (lw.multiply, "numeric"),
    operator.truediv: (lw.divide, "floating"), operator.floordiv: (lw.floor_divide, "real numeric"),
    operator.mod: (lw.remainder, "real numeric"), operator.pow: (lw.pow, "floating"),
    operator.and_: (lw.bitwise_and, "integral or bool"), operator.or_: (lw.bitwise_or, "integral or bool"),
    operator.xor: (lw.bitwise_xor, "integral or bool"), operator.lshift: (lw.bitwise_left_shift, "integral"),
    operator.rshift: (lw.bitwise_right_shift, "integral"), operator.lt: (lw.less, "real numeric"),
    operator.le: (lw.less_equal, "real numeric"), operator.gt: (lw.greater, "real numeric"),
    operator.ge: (lw.greater_equal, "real numeric"), operator.eq: (lw.equal, "all"),
    operator.ne: (lw.not_equal, "all"),
}  # fmt: skip
IN_PLACE = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.itruediv: operator.truediv, operator.ifloordiv: operator.floordiv, operator.imod: operator.mod,
    operator.ipow: operator.pow, operator.iand: operator.and_, operator.ior: operator.or_,
    operator.ixor: operator.xor, operator.ilshift: operator.lshift, operator.irshift: operator.rshift,
}  # fmt: skip
SCALAR = {"b": True, "i": 3, "u": 3, "f": 1.5, "c": 1.5 + 2j}


def same(a: lw.Array, b: lw.Array, ulps: float = 0) -> None:
    """Equal in dtype, shape and every bit that shows, or within some units in the last place."""
    check_equal(a, b, ulps=ulps)


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_operator_is_the_function(backend: str, op: Any) -> None:
    function, kind = BINARY[op]
    for dtype in for_case(op, BINARY, dtypes(kind)):  # the operator calls the function
        x, y = (lw.asarray(values(dtype, (3, 4), seed=s, low=1, high=3)) for s in (1, 2))
        same(op(x, y), function(x, y))
        scalar = SCALAR[dtype.kind]
        same(op(x, scalar), function(x, scalar))
        if op not in (operator.lt, operator.le, operator.gt, operator.ge):  # Python mirrors these, and they agree
            same(op(scalar, x), function(scalar, x))
        else:
            computed((op(scalar, x), function(scalar, x)), np.testing.assert_array_equal)


@pytest.mark.parametrize("op", IN_PLACE, ids=lambda op: op.__name__)
def test_in_place_is_the_operator_and_keeps_the_array(backend: str, op: Any) -> None:
    plain = IN_PLACE[op]
    cases, kinds, first = [(3, 4), (), (0,)], dtypes(BINARY[plain][1]), op is operator.iadd  # all write back alike
    for shape, dtype in crossed(cases, kinds, BINARY[plain][0].__name__, first=first):
        x, y = (lw.asarray(values(dtype, shape, seed=s, low=1, high=3)) for s in (1, 2))
        for other in (y, SCALAR[dtype.kind]):
            expected, before = plain(x, other), lw.asarray(x, copy=True)
            z = lw.asarray(x, copy=True)
            result = op(z, other)
            assert result is z
            # torch divides complex numbers by another formula where the result goes into an operand
            same(z, expected, ulps=4 if dtype.kind == "c" else 0)
            same(x, before)


def test_in_place_writes_through(backend: str) -> None:
    x = lw.asarray([1.0, 2.0, 3.0])
    if backend in IMMUTABLE:  # see test_views
        return
    view = x[1:]
    view += 10
    check(x, [1, 12, 13], lw.float32)
    data = x.data
    x *= 2
    assert x.data is data


def test_in_place_refuses_a_change_of_dtype_or_shape(backend: str) -> None:
    x = lw.asarray([1, 2, 3])
    with pytest.raises(TypeError, match=r"add: in place .* from int32 to float32.*x = x \+ y"):
        x += 1.5
    with pytest.raises(TypeError, match="change the array's dtype from int32 to float64"):
        x += lw.asarray([1, 2, 3], dtype=lw.float64)
    with pytest.raises(TypeError, match="divide: in place"):
        x /= 2
    with pytest.raises(ValueError, match=r"add: .*\(3,\)"):
        x += lw.asarray([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(OverflowError, match="300"):
        y = lw.asarray([1], dtype=lw.int8)
        y += 300
    check(x, [1, 2, 3], lw.int32)


def test_in_place_of_a_narrower_dtype(backend: str) -> None:
    x = lw.asarray([1.0, 2.0])
    x += lw.asarray([1, 2], dtype=lw.int8)
    check(x, [2, 4], lw.float32)
    z = lw.asarray([1, 2], dtype=lw.uint64)
    z *= lw.asarray([3, 2**40], dtype=lw.uint64)
    check(z, np.array([3, 2**41], dtype=np.uint64), lw.uint64)


def test_unary_operators(backend: str) -> None:
    for dtype in dtypes("numeric"):
        x = lw.asarray(values(dtype, (3, 4)))
        same(-x, lw.negative(x))
        same(+x, lw.positive(x))
        same(abs(x), lw.abs(x))
    for dtype in dtypes("integral or bool"):
        x = lw.asarray(values(dtype, (3, 4)))
        same(~x, lw.bitwise_invert(x))


def test_matmul_operator(backend: str) -> None:
    x, y = lw.asarray([[1.0, 2], [3, 4]]), lw.asarray([[0.0, 1], [1, 0]])
    same(x @ y, lw.matmul(x, y))
    x @= y
    check(x, [[2, 1], [4, 3]], lw.float32)


def test_facts(backend: str) -> None:
    for dtype in lw.all_dtypes:
        for shape in [(), (0,), (2, 3), (2, 0, 3)]:
            x = lw.zeros(shape, dtype=dtype)
            assert (x.shape, x.ndim, x.dtype) == (shape, len(shape), dtype)
            assert x.size == int(np.prod(shape))
            assert x.itemsize == dtype.bits // 8
            assert x.nbytes == x.size * x.itemsize
            assert all(type(n) is int for n in x.shape)
            assert x.device == "cpu"
            assert x.device.backend == x.backend == backend
            assert hash(x.device) == hash("cpu")
    assert lw.zeros((2, 3)).T.shape == (3, 2)
    assert lw.zeros((4, 2, 3)).mT.shape == (4, 3, 2)
    with pytest.raises(ValueError, match="T: needs 2 axes or fewer, got 3"):
        _ = lw.zeros((4, 2, 3)).T
    with pytest.raises(TypeError, match="unhashable"):
        hash(lw.zeros(2))
    assert not isinstance(lw.zeros(2), Hashable)


def test_namespace(backend: str) -> None:
    x = lw.zeros(2)
    assert x.__array_namespace__() is lw is sys.modules["latticework"]
    assert x.__array_namespace__(api_version="2023.12") is x.__array_namespace__(api_version=None)
    assert {lw: 1}[x.__array_namespace__()] == 1
    assert lw.__name__ == "latticework"
    assert type(x).__module__.startswith("latticework")
    assert all(base is object or base.__module__.startswith("latticework") for base in type(x).__mro__)
    with pytest.raises(ValueError, match="2019"):
        x.__array_namespace__(api_version="2019.01")
    with pytest.raises(TypeError, match="subclass"):
        type("Mine", (lw.Array,), {})


def test_to_python(backend: str) -> None:
    for dtype in lw.all_dtypes:
        x = lw.asarray(values(dtype, (), seed=4, low=1))
        expected = values(dtype, (), seed=4, low=1)
        python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]
        assert type(x.item()) is python
        assert x.item() == python(expected)
        assert x.tolist() == x.item()
        assert complex(x) == complex(expected)
        assert bool(x) is bool(expected)
        if dtype.kind != "c":
            assert float(x) == float(expected)
            assert int(x) == int(expected)
        if dtype.kind in "iu":
            assert operator.index(x) == int(expected)
            assert [10, 11, 12, 13, 14][lw.asarray(3, dtype=dtype)] == 13
    assert lw.asarray([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert lw.asarray([[1, 2], [3, 4]]).item(1, 0) == 3
    with pytest.raises(TypeError, match=r"float: needs a 0-d array; got one of shape \(2,\)"):
        float(lw.zeros(2))
    with pytest.raises(TypeError, match="int: cannot be made from complex64"):
        int(lw.asarray(1j))
    with pytest.raises(TypeError, match="int: cannot be made from float32"):
        operator.index(lw.asarray(1.0))
    with pytest.raises(ValueError, match=r"bool: an array of shape \(2,\)"):
        bool(lw.zeros(2))
    with pytest.raises(ValueError, match="item"):
        lw.zeros(2).item()


def test_sequence(backend: str) -> None:
    x = lw.asarray([[1, 2], [3, 4]])
    assert len(x) == 2
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert 3 in x
    assert 7 not in x
    with pytest.raises(TypeError, match="0-d"):
        len(lw.asarray(1))
    with pytest.raises(TypeError, match="0-d"):
        iter(lw.asarray(1))


def test_copies_and_pickles(backend: str) -> None:
    for dtype in lw.all_dtypes:
        for shape in [(), (0,), (2, 3)]:
            x = lw.asarray(values(dtype, shape))
            for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
                same(made, x)
                assert made.backend == backend
                assert made._sig is x._sig
    x = lw.asarray([1.0, 2.0])
    y = x.copy()
    y[0] = 5
    check(x, [1, 2], lw.float32)


def test_as_numpy(backend: str) -> None:
    for dtype in lw.all_dtypes:
        for name, x in layouts(values(dtype, (2, 3))):
            made = np.asarray(x)
            assert made.dtype == NUMPY[dtype], name
            np.testing.assert_array_equal(made, values(dtype, (2, 3)))
    x = lw.asarray([1.0, 2.0])
    shared = np.asarray(x)
    if backend in LAZY:
        assert x.data.__dask_graph__()  # which was computed into memory of its own
    elif backend in IMMUTABLE:
        assert not np.asarray(x, copy=False).flags.writeable
        shared[0] = 7  # which is a copy
        assert x[0] == 1
    else:
        shared[0] = 7
        assert x[0] == 7
    separate, first = np.array(x, copy=True), x[0].item()
    separate[0] = 9
    assert x[0] == first
    assert np.asarray(x, dtype=np.float64).dtype == np.float64


def test_dlpack(backend: str) -> None:
    for dtype in lw.all_dtypes:
        if dtype is lw.bfloat16:
            continue  # NumPy exports none, and the message says so
        x = lw.asarray(values(dtype, (2, 3)))
        same(lw.from_dlpack(x), x)
        np.testing.assert_array_equal(np.from_dlpack(x), np.asarray(x))
        assert x.__dlpack_device__()[0] == 1
    if backend == "numpy":
        with pytest.raises(BufferError, match="bfloat16"):
            lw.zeros(2, dtype=lw.bfloat16).__dlpack__()


def test_numpy_scalars_and_arrays_stay_ours(backend: str) -> None:
    x = lw.asarray([1.0, 2.0])
    # np.float64 is a Python float too; its own dtype decides, as an array's would
    check(np.float64(2) * x, [2, 4], lw.float64)
    check(x * np.float64(2), [2, 4], lw.float64)
    for value in (2, 5, 2):  # an array of NumPy's without dimensions is read by each call
        check(np.array(value) * x, [value, 2 * value], lw.float32)
        check(x * np.array(value), [value, 2 * value], lw.float32)
        check(lw.maximum(x, np.array(value, dtype=np.float64)), [value, value], lw.float64)
    check(np.float32(2) * x, [2, 4], lw.float32)
    check(x + np.int8(1), [2, 3], lw.float32)
    check(lw.asarray([1, 2], dtype=lw.int16) + np.int64(1), [2, 3], lw.int64)
    check(np.True_ & lw.asarray([True, False]), [True, False], lw.bool)
    if backend == "numpy":
        check(np.array([1.0, 2.0], dtype=np.float32) * x, [1, 4], lw.float32)
        check(x - np.array([1, 1], dtype=np.int8), [0, 1], lw.float32)
    else:
        with pytest.raises(TypeError, match=r"two backends.*lw\.asarray"):
            x * np.array([1.0, 2.0])


def test_bytes_are_asked_for_by_name(backend: str) -> None:
    for x in (lw.asarray([1, 2], dtype=lw.int16), lw.asarray(2)):
        with pytest.raises(TypeError, match=r"^bytes: .* x\.tobytes\(\)$"):
            bytes(x)
    assert lw.asarray([1, 2], dtype=lw.int16).tobytes() == np.asarray([1, 2], np.int16).tobytes()


def test_foreign_operands_get_their_turn(backend: str) -> None:
    class Other:
        def __radd__(self, other: Any) -> str:
            return "mine"

        def __eq__(self, other: object) -> Any:
            return "equal"

        __hash__ = None  # type: ignore[assignment]

    x = lw.zeros(2)
    assert x + Other() == "mine"
    assert (x == Other()) == "equal"
    assert (x == "text") is False
    assert (x != None) is True  # noqa: E711
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "text"
    with pytest.raises(TypeError, match="unsupported operand"):
        "text" - x
    with pytest.raises(
        TypeError, match=r"subtract: takes arrays; got list\. Make an array of it: lw\.asarray\(\[1\]\)"
    ):
        [1] - x


def test_repr(backend: str) -> None:
    skip_lazy(backend, "nothing is computed to be shown: tests/test_dask.py")
    assert repr(lw.asarray([1.5, 2.0])) == "Array([1.5, 2. ], dtype=float32)"
    assert repr(lw.asarray(3)) == "Array(3, dtype=int32)"
    assert repr(lw.zeros((2, 0))) == "Array([], shape=(2, 0), dtype=float32)"
    assert repr(lw.zeros(0)) == "Array([], dtype=float32)"
    long = repr(lw.zeros((2000, 3000), dtype=lw.int8))
    assert "..." in long
    assert "shape=(2000, 3000), dtype=int8" in long
    assert long.count("\n") < 10
    assert repr(lw.asarray([1, 2], dtype=lw.bfloat16)) == "Array([1, 2], dtype=bfloat16)"
    for dtype in lw.all_dtypes:
        assert str(dtype) in repr(lw.zeros(3, dtype=dtype))


def test_repr_names_another_device() -> None:
    if "torch" not in [b.name for b in lw.backends() if b.installed]:
        pytest.skip("needs a backend with a second device: torch is not installed")
    x = lw.zeros(2, device=lw.Device("meta", "torch"))
    assert x.device == "meta"
    assert "meta" in repr(x)


def test_to_device(backend: str) -> None:
    x = lw.asarray([1.0])
    same(x.to_device("cpu"), x)
    same(x.to_device(x.device), x)
    same(lw.asarray(x, device=x.device), x)
    with pytest.raises(ValueError, match="no device 'gpuu'"):
        x.to_device("gpuu")
    other = lw.Device("cpu", "torch" if backend == "numpy" else "numpy")
    with pytest.raises(TypeError, match="of another backend"):
        x.to_device(other)


def test_methods_are_the_functions(backend: str) -> None:
    x = lw.asarray([[3.0, 1.0], [2.0, 4.0]])
    same(x.sum(), lw.sum(x))
    same(x.sum(0), lw.sum(x, axis=0))
    same(x.sum(axis=1, dtype=lw.float64), lw.sum(x, axis=1, dtype=lw.float64))
    same(x.mean(1, keepdims=True), lw.mean(x, axis=1, keepdims=True))
    same(x.std(ddof=1), lw.std(x, correction=1))
    same(x.max(), lw.max(x))
    same(x.argmin(1), lw.argmin(x, axis=1))
    same(x.reshape(4), lw.reshape(x, (4,)))
    same(x.reshape(4, 1), x.reshape((4, 1)))
    same(x.reshape(-1, order="F"), lw.asarray([3.0, 2.0, 1.0, 4.0]))
    same(x.ravel(), x.flatten())
    same(x.transpose(), x.T)
    same(x.transpose(1, 0), x.transpose((1, 0)))
    same(x.cumsum(0), lw.cumulative_sum(x, axis=0))
    same(x.cumsum(), lw.asarray([3.0, 4.0, 6.0, 10.0]))
    same(x.clip(1.5, 3), lw.clip(x, 1.5, 3))
    same(x.astype(lw.int8), lw.astype(x, lw.int8))
    same(x.conj(), x)
    same(round(lw.asarray([1.26]), 1), lw.asarray([1.3]))
    same(x.squeeze(), x)
    same(x[None].squeeze(0), x)
    same(x.take(lw.asarray([0]), axis=1), x[:, :1])
    same(x.repeat(2, 0), lw.repeat(x, 2, axis=0))
    same(x.swapaxes(0, 1), x.T)
    same(x.trace(), lw.asarray(7.0))
    same(x.diagonal(), lw.asarray([3.0, 4.0]))
    same(x.dot(x), x @ x)
    assert x.any()
    assert x.all()
    for name in ("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "argmax", "argmin", "cumsum"):
        np.testing.assert_allclose(np.asarray(getattr(np, name)(x)), getattr(np, name)(np.asarray(x)), rtol=1e-6)
        expected = getattr(x, name)()
        out = lw.zeros_like(expected)
        assert getattr(x, name)(out=out) is out
        same(out, expected)
    assert x.mean(dtype=lw.float64).dtype is lw.float64
    y = x.copy()
    y.fill(2)
    same(y, lw.full((2, 2), 2.0))


def test_a_0d_array_takes_the_formats_of_its_scalar(backend: str) -> None:
    assert f"{lw.asarray(2.5):.2f} {lw.asarray(7):>3d} {lw.asarray(True)!s:.5}" == "2.50   7 Array"
    assert f"{lw.asarray(1.5, dtype=lw.bfloat16):.3f}" == "1.500"
    assert f"{lw.asarray([1, 2])}" == repr(lw.asarray([1, 2]))
    with pytest.raises(TypeError, match=r"format: '.2f' is for a 0-d array; got one of shape \(2,\)"):
        f"{lw.asarray([1.0, 2.0]):.2f}"


def test_divmod_is_quotient_and_remainder(backend: str) -> None:
    x = lw.asarray([7, -7])
    assert [y.tolist() for y in divmod(x, 3)] == [[2, -3], [1, 2]]
    assert [y.tolist() for y in divmod(15, x)] == [[2, -3], [1, -6]]
    with pytest.raises(TypeError, match="unsupported operand"):
        divmod(x, "3")


def test_what_cannot_be_compared_is_not_in_an_array(backend: str) -> None:
    x = lw.asarray([1.0, 2.0])
    assert 2 in x and 3 not in x
    assert "a" not in x and None not in x


def test_an_enums_member_is_a_python_scalar(backend: str) -> None:
    class Level(enum.IntEnum):
        HIGH = 2

    class Metre(float):
        pass

    x = lw.asarray([1, 3], dtype=lw.int8)
    assert (x + Level.HIGH).dtype is lw.int8 and (x + Level.HIGH).tolist() == [3, 5]
    assert (Level.HIGH - x).tolist() == [1, -1]
    assert lw.where(x > Level.HIGH, x, Level.HIGH).tolist() == [2, 3]
    assert (x * Metre(0.5)).dtype is lw.float32
    x[0] = Level.HIGH
    assert x.tolist() == [2, 3]
    x += Level.HIGH
    assert x.tolist() == [4, 5]


def test_a_float_array_takes_any_python_int_that_a_float_holds(backend: str) -> None:
    x, n = lw.asarray([1.0, 3.0]), 2**70
    for y in (x + n, n - x, lw.maximum(x, n), lw.where(x > 0, n, x)):
        assert y.dtype is lw.float32 and y.tolist() == [2.0**70, 2.0**70]
    assert lw.all(x < n) and not lw.any(x == n)
    x[0] = n
    assert x.tolist() == [2.0**70, 3.0]
    for write in (lambda: x + 10**400, lambda: x.__setitem__(0, 10**400)):
        with pytest.raises(OverflowError):
            write()
    assert x.tolist() == [2.0**70, 3.0]


def test_elements_are_computed_as_arrays_are_without_a_warning() -> None:
    """NumPy's scalars have operators of their own, which warn where integers wrap around; elements do not show it."""
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        for dtype in lw.all_dtypes:
            x = lw.asarray([0, 1, 3] if dtype.kind != "f" else [0, 0.1, 3, lw.inf, lw.nan], dtype=dtype)
            for f in (lw.less, lw.equal, lw.add, lw.multiply, lw.divide):
                if dtype.kind in "bc" and f in (lw.less, lw.add, lw.multiply, lw.divide):
                    continue
                for i in range(len(x)):
                    for other in (x[1], 2):
                        found = f(x[i], other)
                        expected = f(x[i : i + 1], other)
                        assert found.dtype is expected.dtype and found.data.dtype == expected.data.dtype
                        assert found.data.tobytes() == expected.data.tobytes(), (f, dtype, i)
        x = lw.asarray([1.0, 2.0])
        compared = x[0] > 1
        assert x[0]._sig is not x._sig and compared._sig.element is compared._sig
    top = lw.asarray([127], dtype=lw.int8)
    assert int(top[0] + top[0]) == -2
    element = top[0]
    element += 1
    assert int(element) == -128 and int(top[0]) == 127
