"""Writing to what NumPy makes a view of another array: it writes to that one too, or is an error that says so."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import IMMUTABLE, check

import latticework as lw

A = np.arange(9, dtype=np.int64).reshape(3, 3)

#: Each takes an array of ours, or of NumPy's, and gives a view of it, by NumPy.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "row": lambda a: a[1],
    "slice": lambda a: a[1:],
    "column": lambda a: a[:, 0],
    "new axis": lambda a: a[None],
    "element with dots": lambda a: a[0, ..., 0],
    "view of a view that is gone": lambda a: a[1:][1:],
    "reshape": lambda a: a.reshape(9),
    "reshape to 0-d": lambda a: a[:1, :1].reshape(()),
    "ravel": lambda a: a.ravel(),
    "T": lambda a: a.T,
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "squeeze": lambda a: a[:1].squeeze(0),
    "iterated": lambda a: next(iter(a)),
}
#: The same of functions that NumPy has under other names.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "permute_dims": lambda a: lw.permute_dims(a, (1, 0)),
    "moveaxis": lambda a: lw.moveaxis(a, 0, 1),
    "expand_dims": lambda a: lw.expand_dims(a, axis=0),
    "unstack": lambda a: lw.unstack(a)[2],
    "split": lambda a: lw.split(a, 3)[0],
    "atleast_3d": lw.atleast_3d,
    "mT": lambda a: a.mT,
    "real": lambda a: a.real,
}
#: Views in NumPy that nobody may write to, and those that PyTorch makes copies of.
UNEVEN: dict[str, Callable[[Any], Any]] = {
    "broadcast_to": lambda a: lw.broadcast_to(a, (2, 3, 3)),
    "broadcast_arrays": lambda a: lw.broadcast_arrays(a, lw.ones((2, 1, 1)))[0],
    "diagonal": lw.linalg.diagonal,
    "flip": lw.flip,
    "fliplr": lw.fliplr,
    "reversed": lambda a: a[::-1],
}


def by_operator(v: Any) -> None:
    v += 1


def by_key(v: Any) -> None:
    v[...] = v + 1


def as_attribute(v: Any) -> None:
    f = by_key  # any object that takes attributes
    f.v = v  # type: ignore[attr-defined]
    del v
    try:
        f.v += 1  # type: ignore[attr-defined]
    finally:
        del f.v  # type: ignore[attr-defined]


def in_a_dict(v: Any) -> None:
    d = {"v": v}
    del v
    d["v"] += 1


def by_function(v: Any) -> None:
    operator.iadd(v, 1)


def as_out(v: Any) -> None:
    (lw if isinstance(v, lw.Array) else np).add(v, v, out=v)


WRITERS = (by_operator, by_key, as_attribute, in_a_dict, by_function, as_out)


@pytest.mark.parametrize("write", WRITERS, ids=lambda f: f.__name__)
def test_writing_to_a_view(backend: str, write: Callable[[Any], None]) -> None:
    for view in VIEWS.values():
        a, want = lw.asarray(A, copy=True), A.copy()
        if backend in IMMUTABLE:
            v = view(a)
            with pytest.raises(ValueError, match=r"^(add|setitem): .*other array.*a\[1:-1\] \+= 1.*v = v\.copy\(\)"):
                write(v)
            check(v, view(want), lw.int64)
        else:
            write(view(a))
            write(view(want))
        check(a, want, lw.int64)


def test_writing_to_what_a_function_gives(backend: str) -> None:
    for view in (FUNCTIONS | UNEVEN if backend in IMMUTABLE else FUNCTIONS).values():
        a = lw.asarray(A, copy=True)
        v = view(a)
        if backend in IMMUTABLE:
            with pytest.raises(ValueError, match=f"^add: .*{backend} has none"):
                v += 1
            check(a, A, lw.int64)
        else:
            before = np.asarray(v).copy()
            v += 1
            check(v, before + 1, lw.int64)
            assert np.asarray(a).sum() == A.sum() + before.size


def test_writing_by_keys_in_place(backend: str) -> None:
    """What has no name between reading and writing is no view."""

    class Holder:
        a = lw.asarray(A, copy=True)

    a, want, named = Holder.a, A.copy(), {"a": Holder.a}
    i = 1
    for x in (a, want):
        x[i] += 1
        x[1:-1] += 1
        x[i, 1:] *= 2
        x[::2, ::2] += x[:2, :2]
        x[x > 5] -= 1
        x[[0, 0]] += 1  # once, as NumPy does it
        x += 1
    Holder.a[1:] += 1
    Holder.a[0, 0] += 1
    named["a"][:, 1] -= 1
    named["a"] += 1
    want[1:] += 1
    want[0, 0] += 1
    want[:, 1] -= 1
    want += 1
    check(a, want, lw.int64)


def put_back(a: Any, k: Any, y: Any, change: Callable[[Any, Any], Any]) -> None:
    """Write as array-api-extra does."""
    a[k] = change(a[k], y)


def put_elsewhere(a: Any, b: Any, k: Any, j: Any, change: Callable[[Any, Any], Any]) -> None:
    b[j] = change(a[k], 1)


def test_what_a_call_changes_and_is_put_back(backend: str) -> None:
    """As often as an interpreter takes to make the call in a quicker way."""
    a, want = lw.asarray(A, copy=True), A.copy()
    for _ in range(12):
        for k, y in ((..., 1), (slice(1, None), 2), ((0, slice(1, None)), -3), (1, 1)):
            for x in (a, want):
                put_back(x, k, y, operator.iadd)
    a[...] = operator.imul(a[...], 2)
    check(a, want * 2, lw.int64)
    if backend in IMMUTABLE:
        for b, k, j in ((lw.asarray(A), slice(1, None), slice(1, None)), (a, slice(1, None), slice(0, -1))):
            with pytest.raises(ValueError, match="this array was made of another one"):
                put_elsewhere(a, b, k, j, operator.iadd)


def test_what_is_no_view(backend: str) -> None:
    a = lw.asarray(A, copy=True)
    copies = (
        lambda: a[0, 0], lambda: a[0][0], lambda: a[a > 3], lambda: a[lw.asarray([0, 1])], lambda: a[[0, 1], 1:],
        a[1:].copy, a.flatten, lambda: lw.reshape(a, (9,), copy=True), lambda: a[1:] + 1,
        lambda: lw.take(a, lw.asarray([0]), axis=0), lambda: lw.roll(a, 1), lambda: lw.concat([a, a]),
        lambda: lw.tile(a, (1,)),
    )  # fmt: skip
    for copied in copies:
        v = copied()
        v += 1
        v[...] = 5
        check(a, A, lw.int64)
    for s in a[0]:
        s += 1
    check(a, A, lw.int64)


def test_what_was_a_view_of_an_array_that_is_gone(backend: str) -> None:
    x = lw.asarray(A, copy=True)
    for _ in range(20):
        x = x.T[::-1]
        x = x.copy() if backend == "numpy" else x
        x += 1
    x = x[1:]
    x[0] = 7
    y = lw.ones(6).reshape(2, 3)
    y += 1
    check(y, np.full((2, 3), 2), lw.float32)
    check(x[0], [7, 7, 7], lw.int64)
    link = getattr(x, "_link", ())
    assert not link or not link[1], "it does not remember all that it came from"


def test_to_the_same_device_is_the_array_itself(backend: str) -> None:
    x = lw.asarray([1, 2])
    assert x.to_device(x.device) is x


def test_a_part_is_written_to_in_place_where_torch_has_changed_how_python_calls() -> None:
    """`torch.compile` gives the interpreter a function for frames. Then a call holds one reference more to what it is
    given, or not, as the code of the caller has run often or not: references are counted where no such call is."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("jax")

    assert torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).tolist() == [2, 2]
    names = "iadd isub imul itruediv ifloordiv ipow imod".split()
    with lw.using(backend="jax"):
        for rounds in (1, 40):
            for name in names:
                write = getattr(operator, name)
                symbol = {"iadd": "+", "isub": "-", "imul": "*", "itruediv": "/", "ifloordiv": "//", "ipow": "**"}
                space = {"a": lw.asarray([1.0, 2.0, 3.0]), "y": lw.asarray([1.0, 1.0])}
                expected = np.array([1.0, 2.0, 3.0], np.float32)
                code = f"for _ in range({rounds}): a[1:] {symbol.get(name, '%')}= y"
                exec(compile(code, "<in place>", "exec"), space)
                for _ in range(rounds):
                    expected[1:] = write(expected[1:], np.ones(2, np.float32))
                np.testing.assert_allclose(lw.to_numpy(space["a"]), expected, rtol=1e-4)
                part = space["a"][1:]
                with pytest.raises(ValueError, match="made of another one"):
                    part += 1
