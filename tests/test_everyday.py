"""NumPy's spellings: each does what NumPy's function of the name does, on every dtype; and the methods of `Array`."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import LINE, crossed, due, examples
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NUMPY, Same, check, dtypes, extremes, filled, values, wide

import latticework as lw

NAMES = [b.name for b in lw.backends() if b.installed]
NUMERIC = dtypes("numeric")


def raises(error: type[Exception], *words: str) -> Any:
    return pytest.raises(error, match="".join(f"(?=[\\s\\S]*{w})" for w in words))


def test_other_names() -> None:
    x = lw.asarray([1, 2])
    for name, of in {
        "absolute": lw.abs, "arccos": lw.acos, "arccosh": lw.acosh, "arcsin": lw.asin, "arcsinh": lw.asinh,
        "arctan": lw.atan, "arctan2": lw.atan2, "arctanh": lw.atanh, "conjugate": lw.conj, "invert": lw.bitwise_invert,
        "left_shift": lw.bitwise_left_shift, "mod": lw.remainder, "power": lw.pow,
        "right_shift": lw.bitwise_right_shift,
    }.items():  # fmt: skip
        other = getattr(lw, name)
        assert other.__name__ == name and other.__doc__ == of.__doc__ and "Examples" in str(of.__doc__)
        operands = [x] * (len(inspect.signature(of).parameters) - 1)  # but for out
        assert lw.plan(other, *operands) == lw.plan(of, *operands)
        assert pickle.loads(pickle.dumps(other)) is other


def test_array(backend: str) -> None:
    check(lw.array([[1, 2]]), [[1, 2]], lw.int32)
    check(lw.array([1, 2], dtype="uint8"), [1, 2], lw.uint8)
    check(lw.array([1, 2], dtype=lw.bfloat16), [1, 2], lw.bfloat16)
    x = lw.asarray([1, 2])
    lw.array(x)[0] = 5
    check(x, [1, 2], lw.int32)
    assert lw.array(x, copy=None) is x
    with raises(ValueError, "copy=False"):
        lw.array(x, dtype="int64", copy=False)
    assert lw.array(1, backend="numpy").backend == "numpy"


def test_shapes(backend: str, same: Same) -> None:
    same("transpose", lw.transpose, np.transpose)
    same("transpose", lambda x: lw.transpose(x, (1, 2, 0)), lambda n: np.transpose(n, (1, 2, 0)), (2, 3, 4))
    same("transpose", lambda x: lw.transpose(x, axes=[-1, 0]), lambda n: np.transpose(n, [-1, 0]), (3, 4))
    same(
        "swapaxes", lambda x: lw.swapaxes(x, 0, -1), lambda n: np.swapaxes(n, 0, -1), (3, 4), (2, 3, 4), (2, 0, 3), (4,)
    )
    same("ravel", lw.ravel, np.ravel)
    same("ravel", lambda x: lw.ravel(x, "F"), lambda n: np.ravel(n, "F"), (3, 4), (2, 3, 4), ())
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        ours, theirs = getattr(lw, name), getattr(np, name)
        same(name, ours, theirs)
        same(name, lambda x, f=ours: f(x, x[None]), lambda n, f=theirs: f(n, n[None]))
    same("flipud", lw.flipud, np.flipud, (3,), (3, 4), (2, 3, 4), (0, 3))
    same("fliplr", lw.fliplr, np.fliplr, (3, 4), (2, 3, 4), (0, 3))
    with raises(lw.errors.AxisError, "swapaxes: axis 2 is out of bounds"):
        lw.swapaxes(lw.zeros((2, 3)), 0, 2)
    with raises(ValueError, "transpose|permute_dims"):
        lw.transpose(lw.zeros((2, 3)), (0, 0))
    with raises(lw.errors.AxisError, "flip: axis 1"):
        lw.fliplr(lw.zeros(3))
    for f in (lw.transpose, lw.atleast_1d, lw.pad, lw.split, lw.nan_to_num):
        with raises(TypeError, f"{f.__name__}: takes arrays; got list"):
            f([1, 2], *[1] * (f in (lw.pad, lw.split)))


def test_joining(backend: str) -> None:
    for name in ("hstack", "vstack", "dstack", "column_stack", "concatenate"):
        ours, theirs = getattr(lw, name), getattr(np, name)
        for shape, dtype in crossed([(3,), (2, 3), (2, 3, 4), (0,), (), (3, 1)], lw.all_dtypes):
            data = [values(dtype, shape, seed=i) for i in range(2)]
            try:
                want = theirs([wide(d) for d in data])
            except ValueError:
                with raises(ValueError, "concat"):
                    ours([*map(lw.asarray, data)])
                continue
            check(ours([*map(lw.asarray, data)]), want, dtype)
    x = lw.asarray([[1], [2]])
    check(lw.concatenate((x, x), 1), [[1, 1], [2, 2]], lw.int32)
    check(lw.concatenate((x, x), axis=None), [1, 2, 1, 2], lw.int32)
    check(lw.hstack([x, lw.asarray([[0.5], [1]])]), [[1, 0.5], [2, 1]], lw.float32)
    check(lw.column_stack([lw.asarray([1, 2]), x]), [[1, 1], [2, 2]], lw.int32)


def test_splitting(backend: str, same: Same) -> None:
    for how in (1, 2, 4, [1, 3], [0, 2, 9], [], (2,)):
        same("split", lambda x, h=how: lw.split(x, h), lambda n, h=how: np.split(n, h), (4,), (4, 3), (0, 2))
        same("split", lambda x, h=how: lw.split(x, h, axis=-1), lambda n, h=how: np.split(n, h, -1), (3, 4), (2, 3, 4))
    for how in (1, 3, 5, [2]):
        same(
            "array_split",
            lambda x, h=how: lw.array_split(x, h),
            lambda n, h=how: np.array_split(n, h),
            (4,),
            (4, 3),
            (0, 2),
        )
        same("array_split", lambda x, h=how: lw.array_split(x, h, 1), lambda n, h=how: np.array_split(n, h, 1), (3, 7))
    check(lw.split(lw.asarray([1, 2, 3]), lw.asarray([1]))[1], [2, 3], lw.int32)
    for bad in (3, 0, -1):
        with raises(ValueError, "split: no"):
            lw.split(lw.zeros(4), bad)
    with raises(ValueError, "array_split: takes at least one part"):
        lw.array_split(lw.zeros(4), 0)
    with raises(lw.errors.AxisError, "split: axis 1"):
        lw.split(lw.zeros(4), 2, axis=1)


PADS: list[Any] = [0, 1, 3, (1, 2), ((2, 0),), (2,)]


@pytest.mark.parametrize(("rules", "dtype"), [("array_api", "bfloat16"), ("jax-x32", "int64"), ("paddle", "uint16")])
def test_pad_keeps_the_dtype_under_any_rules(backend: str, rules: str, dtype: str) -> None:
    with lw.using(rules=rules):
        x = lw.asarray([1, 2, 3], dtype=dtype)
        assert str(lw.pad(x, 1).dtype) == str(lw.pad(x, (100, 1), "wrap").dtype) == dtype
        assert lw.pad(x, (2, 0)).tolist() == [0, 0, 1, 2, 3]


def test_pad(backend: str, same: Same) -> None:
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        for width in PADS:
            same(
                "pad", lambda x, w=width, m=mode: lw.pad(x, w, m), lambda n, w=width, m=mode: np.pad(n, w, m),
                (4,), (3, 4),
            )  # fmt: skip
        wide_pads = ((7, 9), (0, 11))
        same(
            "pad", lambda x, m=mode, w=wide_pads: lw.pad(x, w, mode=m), lambda n, m=mode, w=wide_pads: np.pad(n, w, m),
            (3, 4), (1, 2), (2, 1),
        )  # fmt: skip
        x = lw.asarray([1, 2])
        lw.pad(x, 0, mode)[0] = 9
        check(x, [1, 2], lw.int32)
    for value in (1, (1, 0), ((1, 0), (0, 1))):
        same(
            "pad",
            lambda x, v=value: lw.pad(x, 2, constant_values=v),
            lambda n, v=value: np.pad(n, 2, constant_values=v),
            (3, 4),
        )
    check(lw.pad(lw.asarray(5), 3), 5, lw.int32)
    check(lw.pad(lw.zeros((0, 2)), 1, constant_values=2.5), np.full((2, 4), 2.5), lw.float32)
    check(lw.pad(lw.zeros(0), (0, 2)), [0, 0], lw.float32)
    for bad in (-1, (1, -1), ((1, 1), (1, 1)), ((1, 2, 3),)):
        with raises(ValueError, "pad: "):
            lw.pad(lw.zeros(3), bad)
    with raises(ValueError, "pad: axis 0 has no elements for mode 'edge'"):
        lw.pad(lw.zeros(0), 1, "edge")
    with raises(ValueError, "pad: there is no mode 'linear'"):
        lw.pad(lw.zeros(2), 1, "linear")


def test_reductions(backend: str) -> None:
    x = lw.asarray([[3, 1], [2, 4]])
    check(lw.amax(x), 4, lw.int32)
    check(lw.amin(x, 0), [2, 1], lw.int32)
    check(lw.amax(x, (0, 1), keepdims=True), [[4]], lw.int32)
    check(lw.cumsum(x), [3, 4, 6, 10], lw.int32)
    check(lw.cumsum(x, 1), [[3, 4], [2, 6]], lw.int32)
    check(lw.cumsum(x, 0, dtype=lw.float64), [[3, 1], [5, 5]], lw.float64)
    check(lw.cumprod(x), [3, 3, 6, 24], lw.int32)
    check(lw.cumprod(x, -1), [[3, 3], [2, 8]], lw.int32)
    check(lw.cumsum(lw.asarray(3)), [3], lw.int32)


def test_nan_to_num(backend: str) -> None:
    for dtype in due(lw.all_dtypes, "nan_to_num"):
        data = filled(values(dtype, LINE), extremes(dtype))
        plain = {"nan": 0.5, "posinf": 8.0, "neginf": -8.0}
        for options in ({}, plain):
            reference = data.astype(np.float64) if dtype is lw.bfloat16 else data
            if dtype is lw.bfloat16:
                limits = lw.finfo(dtype)
                want = np.nan_to_num(reference, **({"posinf": limits.max, "neginf": limits.min} | options))
            else:
                want = np.nan_to_num(reference, **options)
            check(lw.nan_to_num(lw.asarray(data), **options), want, dtype, ulps=0)
    x = lw.asarray([1.0, np.nan, -np.inf])
    assert lw.nan_to_num(x, copy=False, neginf=-9) is x
    check(x, [1, 0, -9], lw.float32)
    i = lw.asarray([1, 2])
    lw.nan_to_num(i)[0] = 9
    check(i, [1, 2], lw.int32)
    z = np.asarray([complex(1, np.inf), complex(-0.0, 2), complex(np.nan, -np.inf)], np.complex64)
    z = z[1:] if backend == "torch" else z  # whose complex sums have nan where a component is infinite: a deviation
    check(lw.nan_to_num(lw.asarray(z), posinf=np.inf), np.nan_to_num(z, posinf=np.inf), lw.complex64, ulps=0)
    read_only = lw.broadcast_to(i, (2, 2))  # of integers there is nothing to replace, and so nothing to write
    assert lw.nan_to_num(read_only, copy=False) is read_only


def test_one_answer_of_closeness_and_equality(backend: str) -> None:
    for dtype in due(lw.all_dtypes, "isclose"):
        x = lw.asarray(values(dtype, (3, 4)))
        assert lw.allclose(x, x) is True
        assert lw.array_equal(x, x) is True
    for dtype in due(lw.all_dtypes):
        x = lw.asarray(values(dtype, (3, 4)))
        assert lw.array_equal(x, x[:2]) is False
        assert lw.array_equal(x, lw.zeros_like(x)) is False
    nan = float("nan")
    assert lw.allclose(lw.zeros(0), lw.zeros(0))
    assert not lw.allclose(lw.asarray([nan]), lw.asarray([nan]))
    assert lw.allclose(lw.asarray([nan]), lw.asarray([nan]), equal_nan=True)
    assert not lw.array_equal(lw.asarray([nan]), lw.asarray([nan]))
    assert lw.array_equal(lw.asarray([nan, 1]), lw.asarray([nan, 1]), equal_nan=True)
    assert lw.array_equal(lw.asarray([1, 2]), lw.asarray([1.0, 2.0]))


def test_closeness(backend: str) -> None:
    nan, inf = float("nan"), float("inf")
    a = np.array([1, 1, 1, nan, nan, inf, inf, -inf, 0, 1e-9, 1e5])
    b = np.array([1, 1 + 1e-4, 1 + 5e-6, nan, 1, inf, 1, inf, 1e-9, 0, 100001])
    for dtype in (lw.float32, lw.float64, lw.complex64, lw.complex128):
        x, y = lw.asarray(a, dtype=dtype), lw.asarray(b, dtype=dtype)
        check(lw.isclose(x, y), np.isclose(a, b), lw.bool)
        check(lw.isclose(x, y, equal_nan=True), np.isclose(a, b, equal_nan=True), lw.bool)
        check(lw.isclose(x, y, 1e-3, 0), np.isclose(a, b, 1e-3, 0), lw.bool)
        check(lw.isclose(x, y, atol=5), np.isclose(a, b, atol=5), lw.bool)
    for dtype in due(lw.all_dtypes):
        n = values(dtype, (3, 4))
        x = lw.asarray(n)
        check(lw.isclose(x, x[0]), np.isclose(wide(n), wide(n)[0]), lw.bool)
    for dtype in due(dtypes("integral"), "isclose"):  # no difference wraps around, and none is lost
        top = lw.asarray([lw.iinfo(dtype).max], dtype=dtype)
        check(lw.isclose(top, lw.asarray([lw.iinfo(dtype).min], dtype=dtype)), [False], lw.bool)
    check(
        lw.isclose(lw.asarray([2**25], dtype=lw.int32), lw.asarray([2**25 + 1], dtype=lw.int32), 0, 0), [False], lw.bool
    )
    check(lw.isclose(lw.asarray([1.0, 2.0]), 1.0), [True, False], lw.bool)
    check(lw.isclose(1, lw.asarray([1.0, 2.0])), [True, False], lw.bool)
    with raises(ValueError, r"\(2,\)"):
        lw.isclose(lw.zeros(2), lw.zeros(3))


def test_dot(backend: str) -> None:
    shapes = [
        ((), ()), ((), (3,)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)),
        ((2, 4, 3), (3,)),
        ((2, 4, 3), (3, 5)), ((2, 3), (5, 3, 4)), ((3,), (2, 3, 4)), ((2, 0), (0, 3)), ((0,), (0,)),
    ]  # fmt: skip
    for (a, b), dtype in crossed(shapes, NUMERIC, "dot", "matmul", "tensordot"):
        x, y = values(dtype, a, low=-2, high=2), values(dtype, b, seed=1, low=-2, high=2)
        want = np.dot(wide(x), wide(y)).astype(NUMPY[dtype])
        check(lw.dot(lw.asarray(x), lw.asarray(y)), want, dtype, scale=12)
    check(lw.dot(lw.asarray([1, 2]), lw.asarray([0.5, 1])), 2.5, lw.float32)
    with raises(ValueError, "matmul|dot|tensordot"):
        lw.dot(lw.zeros(2), lw.zeros(3))


# --- einsum ----------------------------------------------------------------------------------------------------------

SUBSCRIPTS: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
    ("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))), ("ij,kj->ik", ((2, 3), (4, 3))),
    ("ij->ji", ((2, 3),)),
    ("ba", ((2, 3),)), ("ij->", ((2, 3),)), ("ij->i", ((2, 3),)), ("ij->j", ((2, 3),)), ("ii", ((3, 3),)),
    ("ii->i", ((3, 3),)),
    ("iij->j", ((3, 3, 2),)), ("iii->i", ((2, 2, 2),)), ("iji->j", ((2, 3, 2),)), ("i,i->", ((3,), (3,))),
    ("i,j->ij", ((2,), (3,))), ("i,j->ji", ((2,), (3,))), ("i,j", ((2,), (3,))), ("i,i->i", ((3,), (3,))),
    ("ij,ij->ij", ((2, 3), (2, 3))), ("ij,ij->", ((2, 3), (2, 3))), ("ij,ji->", ((2, 3), (3, 2))),
    ("ij,ij->i", ((2, 3), (2, 3))), ("ij,i->j", ((2, 3), (2,))), ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))),
    ("bij,bjk->ikb", ((2, 2, 3), (2, 3, 2))), ("bij,jk->bik", ((2, 2, 3), (3, 2))), (",->", ((), ())),
    (",i->i", ((), (3,))),
    ("", ((),)), ("i->i", ((0,),)), ("ij,jk->ik", ((2, 0), (0, 3))), ("ij,jk->ik", ((0, 2), (2, 3))),
    ("ij->", ((0, 3),)),
    ("...ij,...jk->...ik", ((2, 2, 3), (3, 2))), ("...ij,...jk->...ik", ((2, 1, 2, 3), (3, 3, 2))),
    ("...->...", ((2, 3),)),
    ("i...->...", ((2, 3),)), ("...i->i...", ((2, 3, 4),)), ("...,...", ((2, 3), (3,))),
    ("i...,i...->...", ((2, 3), (2, 3))),
    ("...ii->...i", ((2, 3, 3),)), ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 3))), ("ij,jk,kl", ((2, 3), (3, 2), (2, 3))),
    ("i,j,k->kji", ((2,), (3,), (2,))), ("ij,ij,ij->i", ((2, 3), (2, 3), (2, 3))), ("ij,k,j->i", ((2, 3), (2,), (3,))),
    ("a,ab,abc->abc", ((2,), (2, 3), (2, 3, 2))), ("ij,ij->ij", ((2, 1), (2, 3))), ("ij,jk->ik", ((2, 1), (3, 2))),
    ("i,i->i", ((1,), (3,))), ("ij,kl->", ((2, 2), (2, 2))), (" i j , j k -> i k ", ((2, 3), (3, 2))),
    ("aB,Bc", ((2, 3), (3, 2))), ("ij,jk,kl,lm->im", ((2, 2), (2, 3), (3, 2), (2, 2))),
]  # fmt: skip


def test_einsum(backend: str) -> None:
    for (subscripts, shapes), dtype in crossed(SUBSCRIPTS, NUMERIC, "einsum"):
        data = [values(dtype, s, seed=i, low=-2, high=2) for i, s in enumerate(shapes)]
        want = np.einsum(subscripts, *map(wide, data))
        with np.errstate(all="ignore"):
            want = np.asarray(want).astype(NUMPY[dtype])
        try:
            check(lw.einsum(subscripts, *map(lw.asarray, data)), want, dtype, ulps=16, scale=16)
        except Exception as error:
            raise AssertionError(f"{subscripts} of {shapes}, {dtype}") from error


def test_einsum_of_integers_is_exact(backend: str) -> None:
    for dtype in due(dtypes("integral"), "einsum"):
        top = extremes(dtype)
        n = len(top)
        x = lw.asarray(top)
        bits = lw.iinfo(dtype).bits

        def wrapped(value: int, bits: int = bits, kind: str = dtype.kind) -> int:
            value %= 2**bits
            return value - 2**bits if kind == "i" and value >= 2 ** (bits - 1) else value

        ints = [int(v) for v in top]
        assert lw.einsum("i,i->", x, x).item() == wrapped(sum(a * a for a in ints))
        assert lw.einsum("i->", x).item() == wrapped(sum(ints))
        got = lw.einsum("i,j->ij", x, x).tolist()
        assert got == [[wrapped(a * b) for b in ints] for a in ints]
        stacked = lw.stack([x] * n)
        assert lw.einsum("ij,jk->ik", stacked, stacked).tolist() == [[wrapped(sum(ints) * b) for b in ints]] * n


def test_einsum_of_several_dtypes(backend: str) -> None:
    x, y = lw.asarray([1, 2], dtype=lw.int8), lw.asarray([0.5, 2])
    check(lw.einsum("i,i->", x, y), 4.5, lw.float32)
    check(lw.einsum("i,i->i", x, lw.asarray([300, 1], dtype=lw.int64)), [300, 2], lw.int64)
    check(lw.einsum("i,->i", x, 2), [2, 4], lw.int8)
    check(lw.einsum("i,->i", x, 0.5), [0.5, 1], lw.float32)
    check(lw.einsum("ij,jk->ik", y[None], y[:, None], optimize="greedy"), [[4.25]], lw.float32)


def test_einsum_takes_its_operands_in_any_order(backend: str) -> None:
    """The backend's function is chosen by the dtype computed in, not by that of one operand."""
    mask, ones = lw.asarray([[True, False], [True, True]]), lw.asarray([[1, 2], [3, 4]], dtype=lw.int8)
    check(lw.einsum("ij,jk->ik", mask, ones), [[1, 2], [4, 6]], lw.int8)
    check(lw.einsum("ij,jk->ik", ones, mask), [[3, 2], [7, 4]], lw.int8)


def test_einsum_errors(backend: str) -> None:
    x = lw.zeros((2, 3))
    for subscripts, operands, message in [
        ("ij,jk->ik", (x, x), "'j' in 'ij,jk->ik' is 3 and 2"), ("ij", (x, x), "is for 1 operands; got 2"),
        ("ijk", (x,), "is for an operand of 2 axes"), ("i", (x,), "is for an operand of 2 axes"),
        ("ij->k", (x,), "'k'"),
        ("ij->ii", (x,), "each letter once"), ("i1", (x,), "an axis is a letter"), ("....ij", (x,), "three dots"),
        ("ii", (x,), "'i' in 'ii->' is 2 and 3"), ("ij->i->j", (x,), "no result"), ("", (), "at least one operand"),
    ]:  # fmt: skip
        with raises(ValueError, "einsum", message):
            lw.einsum(subscripts, *operands)
    with raises(TypeError, "^einsum: takes numeric dtypes", "got bool"):
        lw.einsum("i->", lw.asarray([True]))
    with raises(TypeError, "einsum: takes arrays; got list"):
        lw.einsum("i->", [1, 2])


LETTERS = st.text("abcd", max_size=3)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(120), deadline=None)
@given(terms=st.lists(LETTERS, min_size=1, max_size=4), data=st.data())
def test_einsum_of_anything(name: str, terms: list[str], data: st.DataObject) -> None:
    sizes = {c: data.draw(st.integers(0, 3), label=c) for c in "abcd"}
    used = sorted({*"".join(terms)})
    out = data.draw(st.permutations(used).map("".join))[: data.draw(st.integers(0, len(used)))]
    subscripts = f"{','.join(terms)}->{out}"
    arrays = [np.arange(1, 1 + np.prod([sizes[c] for c in t], dtype=int)).reshape([sizes[c] for c in t]) for t in terms]
    with lw.using(backend=name):
        check(lw.einsum(subscripts, *map(lw.asarray, arrays)), np.einsum(subscripts, *arrays), lw.int64)


# --- the methods -----------------------------------------------------------------------------------------------------


def test_methods(backend: str) -> None:
    """Those of `Array` that bear NumPy's names: NumPy's signatures too."""
    calls: list[Callable[[Any], Any]] = [
        lambda x: x.reshape(6), lambda x: x.reshape(3, 2), lambda x: x.reshape((3, -1)),
        lambda x: x.reshape(-1, order="F"),
        lambda x: x.ravel(), lambda x: x.ravel("F"), lambda x: x.flatten(), lambda x: x.flatten("F"), lambda x: x.T,
        lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x.transpose((1, 0)),
        lambda x: x.transpose([0, 1]),
        lambda x: x[None].squeeze(), lambda x: x[None].squeeze(0), lambda x: x[None, ..., None].squeeze((0, -1)),
        lambda x: x.swapaxes(0, 1), lambda x: x.repeat(2), lambda x: x.repeat(2, 1), lambda x: x.sum(axis=None),
        lambda x: x.max(), lambda x: x.max(0), lambda x: x.min(axis=(0, 1)), lambda x: x.prod(1), lambda x: x.cumsum(),
        lambda x: x.cumsum(0), lambda x: x.cumprod(1), lambda x: x.argmax(), lambda x: x.argmax(1),
        lambda x: x.argmin(0),
        lambda x: x.argsort(), lambda x: x.argsort(0), lambda x: x.clip(1, 2), lambda x: x.clip(1), lambda x: x.conj(),
        lambda x: x.dot(x.T), lambda x: x.diagonal(), lambda x: x.diagonal(1), lambda x: x.trace(), lambda x: x.any(),
        lambda x: x.all(axis=1), lambda x: x.any(0), lambda x: x.nonzero(), lambda x: x.round(), lambda x: x.copy(),
        lambda x: x.astype("float64"), lambda x: x.astype("int8"), lambda x: x.real, lambda x: x.item(1, 2),
        lambda x: x.tolist(),
        lambda x: x[0, 0].tolist(), lambda x: x[:0].tolist(), lambda x: x.nbytes, lambda x: x.itemsize,
        len,
    ]  # fmt: skip
    for (i, call), dtype in crossed(enumerate(calls), map(lw.Dtype, ("int64", "float64", "float32", "uint8"))):
        data = np.array([[3, 1, 0], [2, 4, 1]], NUMPY[dtype])
        with lw.using(default_int=lw.int64):
            got, want = call(lw.asarray(data)), call(data)
        parts = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
        for g, w in parts:
            if isinstance(w, (np.ndarray, np.generic)):
                assert isinstance(g, lw.Array), i
                assert str(g.dtype) == str(w.dtype), (i, dtype, g, w)
                np.testing.assert_allclose(np.asarray(g), w, rtol=1e-6, err_msg=str(i))
            else:
                assert g == w, i
    x = lw.asarray([[3.0, 1.0, 0.0], [2.0, 4.0, 1.0]])
    check(x.take(lw.asarray([0, 5])), [3, 1], lw.float32)
    check(x.take(lw.asarray([0]), axis=1), [[3], [2]], lw.float32)
    check(x.mean(0, keepdims=True), [[2.5, 2.5, 0.5]], lw.float32)
    check(x.std(1, ddof=1), np.std(np.asarray(x), 1, ddof=1), lw.float32)
    x.fill(5)
    check(x, np.full((2, 3), 5), lw.float32)
    for bad in (lambda: x.reshape(4), lambda: x.squeeze(0), lambda: x.transpose(0)):
        with pytest.raises(ValueError, match="reshape|squeeze|permute_dims"):
            bad()


def test_code_written_for_numpy_runs(backend: str) -> None:
    """One function, with NumPy's module and with ours."""

    def smooth(np: Any, x: Any, width: int) -> Any:
        padded = np.pad(x, ((0, 0), (width, width)), mode="edge")
        windows = np.stack([padded[:, i : i + x.shape[1]] for i in range(2 * width + 1)], axis=0)
        mean = np.einsum("wij->ij", windows) / windows.shape[0]
        left, right = np.split(mean, 2, axis=1)
        joined = np.concatenate((left, np.flip(right, axis=1)), 1)
        joined[joined < 0] = 0
        return np.vstack([joined.T.reshape(4, -1), np.atleast_2d(np.cumsum(joined[0])[:4]).repeat(2, 1)[:, :3]])

    data = np.random.default_rng(0).normal(size=(3, 4))
    got = smooth(lw, lw.asarray(data), 1)
    assert got.backend == backend
    np.testing.assert_allclose(np.asarray(got), smooth(np, data, 1), rtol=1e-12)
