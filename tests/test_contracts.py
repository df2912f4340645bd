"""Names that clients call for their effect: what they know of a name from NumPy holds, or is refused.

SciPy looks whether a namespace has ``put_along_axis`` and calls it as NumPy's, for what it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import IMMUTABLE, LAZY, NUMPY, check, values

import latticework as lw
from latticework.backend.facts import all_facts
from latticework.errors import BackendError

INDICES = np.array([[1], [3], [-1]])

#: What writes into its first array -> the call, of ours or of NumPy's, by module and converter.
WRITING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "put_along_axis": lambda m, x, a: m.put_along_axis(x, a(INDICES), True if "bool" in str(x.dtype) else 1, 1),
    "put_along_axis of rows": lambda m, x, a: m.put_along_axis(x, a(np.array([[2, 0, -1, 1]])), a(x[:1] + x[:1]), 0),
    "put_along_axis of all": lambda m, x, a: m.put_along_axis(
        x, a(np.array([1, 11, -2])), a(x[0, :3] + x[0, :3]), None
    ),
    "fill_diagonal": lambda m, x, a: m.fill_diagonal(x, True if "bool" in str(x.dtype) else 1),
    "fill_diagonal by several": lambda m, x, a: m.fill_diagonal(x, a(x[1, :2] + x[1, :2])),
}


def calls(dtype: lw.Dtype) -> dict[str, Callable[[Any, Any, Any], Any]]:
    """Return the calls that a dtype takes: NumPy adds no bools."""
    return {n: f for n, f in WRITING.items() if dtype.kind != "b" or n in ("put_along_axis", "fill_diagonal")}


@pytest.mark.parametrize(
    "dtype", [lw.bool, lw.uint8, lw.int32, lw.uint64, lw.bfloat16, lw.float64, lw.complex64], ids=str
)
def test_functions_that_write_in_numpy_write(backend: str, dtype: lw.Dtype) -> None:
    for name, call in calls(dtype).items():
        expected = values(dtype, (3, 4))
        ours, kept = lw.asarray(expected.copy()), lw.asarray(expected.copy())
        assert call(np, expected, np.asarray) is None
        alias = ours
        assert call(lw, ours, lw.asarray) is None, name
        check(alias, expected, dtype)
        found = call(_Copying, kept, lw.asarray)
        check(found, expected, dtype)
        check(kept, values(dtype, (3, 4)), dtype)
        assert NUMPY[dtype] == expected.dtype


class _Copying:
    """Our functions, with what they write in a copy."""

    @staticmethod
    def put_along_axis(*args: Any) -> Any:
        return lw.put_along_axis(*args, inplace=False)

    @staticmethod
    def fill_diagonal(*args: Any) -> Any:
        return lw.fill_diagonal(*args, inplace=False)


def test_writing_to_nothing_and_to_windows(backend: str) -> None:
    empty = lw.zeros((0, 3))
    lw.put_along_axis(empty, lw.zeros((0, 1), dtype=lw.int64), 1.0, 1)
    lw.fill_diagonal(empty, 1.0)
    assert empty.shape == (0, 3)
    lw.put_along_axis(x := lw.ones(3), lw.zeros((0,), dtype=lw.int64), lw.zeros((0,)), 0)
    check(x, np.ones(3), lw.float32)
    whole = lw.asarray(np.zeros((4, 6), np.float32))
    window = whole[::2, 1::2]
    if backend in IMMUTABLE:
        for call in (
            lambda: lw.fill_diagonal(window, 1.0),
            lambda: lw.put_along_axis(window, lw.asarray([[0], [1]]), 1, 1),
        ):
            with pytest.raises(ValueError, match="this array was made of another one"):
                call()
        return
    expected = np.zeros((4, 6), np.float32)
    np.fill_diagonal(expected[::2, 1::2], 3.0)
    np.put_along_axis(expected[::2, 1::2], np.array([[2], [0]]), 5.0, 1)
    lw.fill_diagonal(window, 3.0)
    lw.put_along_axis(window, lw.asarray([[2], [0]]), 5.0, 1)
    check(whole, expected, lw.float32)


def test_nothing_is_written_by_a_call_that_fails(backend: str) -> None:
    x, far = lw.asarray(values(lw.int32, (3, 4))), lw.asarray([[0], [1], [9]])
    wrong: list[tuple[Callable[[], Any], Any, str]] = [
        (lambda: lw.put_along_axis(x, lw.asarray([[0], [1], [2]]), 1.5, 1), TypeError, "does not go into|int32"),
        (lambda: lw.put_along_axis(x, lw.asarray([[0], [1]]), 1, 1), ValueError, "indices have as many axes as x"),
        (lambda: lw.put_along_axis(x, lw.asarray([[0]]), 1, None), ValueError, "with axis=None, indices have one axis"),
        (lambda: lw.put_along_axis(x, lw.asarray([[0], [1], [2]]), 1, 2), lw.errors.AxisError, "axis 2"),
        (lambda: lw.fill_diagonal(x, 0.5), TypeError, "int32"),
        (lambda: lw.put_along_axis(np.asarray(x), far, 1, 1), TypeError, "into x, which must be an Array.*got ndarray"),
        (lambda: lw.fill_diagonal([[1, 2], [3, 4]], 1), TypeError, r"got list\. Take the result .* inplace=False"),
        (lambda: lw.fill_diagonal(x, 1, inplace=1), TypeError, "inplace must be True or False; got 1"),
    ]  # fmt: skip
    if backend not in LAZY:
        wrong.append((lambda: lw.put_along_axis(x, far, 1, 1), IndexError, "9"))
    for call, error, words in wrong:
        with pytest.raises(error, match=words):
            call()
    check(x, values(lw.int32, (3, 4)), lw.int32)


def test_writing_while_it_is_traced(backend: str) -> None:
    """The functions of ours, and NumPy's on arrays of ours, with values that are not known yet."""
    indices = lw.asarray(INDICES)

    def ours(x: Any) -> Any:
        y = x * 1
        lw.put_along_axis(y, indices, 99.0, 1)
        lw.fill_diagonal(y, -1)
        return y * 2

    def numpys(x: Any) -> Any:
        y = x * 1
        np.put_along_axis(y, indices, 99.0, 1)
        np.fill_diagonal(a=y, val=-1)
        np.putmask(y, y > 50, 3.0)
        np.place(y, y < 0, lw.asarray([5.0, 6.0]))
        np.put(y, indices[:2], 8.0)
        np.copyto(dst=y, src=0.5, where=y == 4)
        return y * 2

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for f in (ours, numpys):
        expected = np.asarray(f(lw.asarray(x)))
        if f is numpys:
            y = x.copy()
            np.put_along_axis(y, INDICES, 99.0, 1)
            np.fill_diagonal(y, -1)
            np.putmask(y, y > 50, 3.0)
            np.place(y, y < 0, [5.0, 6.0])
            np.put(y, INDICES[:2], 8.0)
            np.copyto(y, 0.5, where=y == 4)
            np.testing.assert_array_equal(expected, y * 2)
        spec = lw.infer(f, lw.asarray(x))
        assert (spec.dtype, spec.shape) == (lw.float32, (3, 4))
        if backend in LAZY:
            continue
        check(lw.trace(f, lw.asarray(x))(lw.asarray(x)), expected, lw.float32)
        check(lw.compile(f)(lw.asarray(x)), expected, lw.float32)
        check(lw.jit(f)(lw.asarray(x)), expected, lw.float32)
        check(lw.vmap(f)(lw.asarray(x)[None])[0], expected, lw.float32)
        if all_facts()[backend].gradients:
            gradient = lw.grad(lambda v, f=f: lw.sum(f(v) * v))(lw.asarray(x))
            kept = expected == 2 * x
            check(gradient, np.where(kept, 4 * x, expected), lw.float32)

    def writes_its_argument(v: Any) -> Any:
        lw.put_along_axis(v, indices, 7.0, 1)
        return v

    if backend not in LAZY:
        given = lw.asarray(x.copy())
        lw.compile(writes_its_argument)(given)
        expected = x.copy()
        np.put_along_axis(expected, INDICES, 7.0, 1)
        check(given, expected, lw.float32)


def test_frameworks_own_arrays_are_written_or_refused(backend: str) -> None:
    xp = lw.array_namespace(backend)
    theirs, at = xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([[1], [0]])
    calls: list[Callable[..., Any]] = [
        lambda **kw: xp.put_along_axis(theirs, at, 9.0, 1, **kw), lambda **kw: xp.fill_diagonal(theirs, 7.0, **kw)
    ]  # fmt: skip
    for call, expected in zip(calls, ([[1, 9], [9, 4]], [[7, 2], [3, 7]]), strict=True):
        before = np.asarray(theirs).copy()
        np.testing.assert_array_equal(np.asarray(call(inplace=False)), expected)
        np.testing.assert_array_equal(np.asarray(theirs), before)
    for call in calls:
        if backend in IMMUTABLE:
            with pytest.raises(BackendError, match=r"arrays of \w+ never change\. Take the result: .*inplace=False\)"):
                call()
        else:
            assert call() is None
    if backend not in IMMUTABLE:
        np.testing.assert_array_equal(np.asarray(theirs), [[7, 9], [9, 7]])


#: NumPy's functions that write into an argument -> calls of them with the array, of the reference and of ours.
NUMPYS: dict[str, Callable[[Any, Any], Any]] = {
    "put_along_axis": lambda x, a: np.put_along_axis(x, a(INDICES), a(np.float32([[9], [8], [7]])), 1),
    "put_along_axis by name": lambda x, a: np.put_along_axis(arr=x, indices=a(INDICES), values=3, axis=1),
    "put_along_axis of all": lambda x, a: np.put_along_axis(x, a(np.array([1, 11, -2])), a(np.float32([4])), None),
    "fill_diagonal": lambda x, a: np.fill_diagonal(x, [1, 2]),
    "fill_diagonal by name": lambda x, a: np.fill_diagonal(a=x, val=a(np.float32([5, 6]))),
    "copyto": lambda x, a: np.copyto(x, a(np.float32([1, 2, 3, 4]))),
    "copyto by name": lambda x, a: np.copyto(dst=x, src=-1, where=a(np.arange(12).reshape(3, 4) % 3 == 0)),
    "copyto of any": lambda x, a: np.copyto(x, a(np.array([1, 2, 3, 300])), casting="unsafe"),
    "putmask": lambda x, a: np.putmask(x, a(np.arange(12).reshape(3, 4) % 3 == 0), [1, 2, 3]),
    "place": lambda x, a: np.place(x, a(np.arange(12).reshape(3, 4) % 3 == 0), a(np.float32([1, 2, 3]))),
    "place by name": lambda x, a: np.place(arr=x, mask=a(np.ones((3, 4), bool)), vals=a(np.float32([-1]))),
    "put": lambda x, a: np.put(x, a(np.array([0, 5, -1])), [1, 2]),
    "put by name": lambda x, a: np.put(a=x, ind=[0, 5, -1], v=[1, 2]),
    "put wrapped": lambda x, a: np.put(x, a(np.array([0, 50, -1])), [1, 2], mode="wrap"),
    "put of none": lambda x, a: np.put(x, [], [1, 2]),
    "nan_to_num": lambda x, a: np.nan_to_num(x, copy=False, posinf=3.0) is x,
    "add.at": lambda x, a: np.add.at(x, a(np.array([0, 0, 2])), 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMPYS)
def test_numpys_functions_write_into_ours(backend: str, name: str) -> None:
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected[0, 1] = np.inf
    ours = lw.asarray(expected.copy())
    assert NUMPYS[name](ours, lw.asarray) == NUMPYS[name](expected, np.asarray)
    check(ours, expected, lw.float32)


def test_numpys_out_by_position(backend: str) -> None:
    x, out = lw.asarray(np.arange(12, dtype=np.float32).reshape(3, 4)), lw.zeros(4)
    assert np.median(x, 0, out) is out
    check(out, np.asarray([4, 5, 6, 7]), lw.float32)
    assert np.take(x, np.asarray(2), 0, out) is out
    check(out, np.asarray([8, 9, 10, 11]), lw.float32)


def test_shuffle_is_in_place(backend: str) -> None:
    key = lw.random.key(3)
    x = lw.asarray(np.arange(12, dtype=np.int32).reshape(4, 3))
    for axis in (0, 1):
        expected = lw.random.permutation(key, x, axis)
        kept = lw.random.shuffle(key, x, axis, inplace=False)
        assert kept is not x
        check(kept, np.asarray(expected), lw.int32)
        assert lw.random.shuffle(key, x, axis) is None
        check(x, np.asarray(expected), lw.int32)
    cards: list[Any] = ["ace", "king", None, [1]]
    lw.random.shuffle(key, cards)
    order = np.asarray(lw.random.permutation(key, 4)).tolist()
    assert cards == [["ace", "king", None, [1]][i] for i in order]
    nothing: list[int] = []
    lw.random.shuffle(key, nothing)
    with pytest.raises(TypeError, match=r"random\.shuffle: it writes into x, which must be an Array.*got tuple"):
        lw.random.shuffle(key, (1, 2))
    with pytest.raises(lw.errors.AxisError, match="axis 1 is out of bounds for a list"):
        lw.random.shuffle(key, cards, 1)


def test_dialects_keep_their_contract(backend: str) -> None:
    import latticework.frontends.jax.numpy as jnp
    import latticework.frontends.numpy as xnp

    x = xnp.zeros((2, 2))
    assert xnp.put_along_axis(x, xnp.array([[1], [0]]), 5, 1) is None
    assert xnp.fill_diagonal(x, 3) is None
    assert x.tolist() == [[3, 5], [5, 3]]
    y = jnp.zeros((2, 2))
    for call in (
        lambda **kw: jnp.put_along_axis(y, jnp.array([[1], [0]]), 5, 1, **kw),
        lambda **kw: jnp.fill_diagonal(y, 3, **kw),
        lambda **kw: jnp.put(y, jnp.array([0]), 3, **kw),
        lambda **kw: jnp.place(y, y == 0, jnp.array([3]), **kw),
    ):
        with pytest.raises((ValueError, NotImplementedError), match="inplace=False"):
            call()
        assert call(inplace=False).sum() > 0
    assert y.sum() == 0
