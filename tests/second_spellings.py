"""Whether a dialect's fast ways answer as its own functions do, in a process of its own.

A function of a dialect may be written twice: in Python, with the framework's rules and checks, and as a call of ours
that says the same for the arguments that programs give it most (`frontends.calls`: `short`, `formed`, `alone` and their
kin). Here each fast way is made together with a comparison: whatever it is called with by the samples of the dialect,
the function in Python is called with the same, and both have to give the same dtype, shape and bits, or the same class
of error. Each call is also made a second time, when a kernel is kept, and with other values of the same arrays: the
hard ones, none, and more than 4,096 elements.

    python tests/second_spellings.py torch numpy 1/4     # the dialect, the backend, a share of its samples

What differs is printed, one line each, and then how many calls were compared.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

import latticework as lw
from latticework.frontends import calls, dialect_named
from latticework.frontends.array import DialectArray

#: Where each maker of a fast way gets the function in Python: the place among its arguments.
SLOW = {
    "short": 2, "formed": 2, "direct": 2, "made": 2, "quick": 3, "alone": 1, "of_rank": 1, "of_ranks": 1, "casting": 1,
    "operator": 1, "unary": 1, "binary": 1, "shape_function": 1, "shape_method": 1,
}  # fmt: skip
#: Functions whose values are whatever was in memory.
OF_ANY_VALUES = ("empty_like", "empty", "new_empty")
#: More elements than a call may have that a kernel is kept after.
MANY = 4_100

_comparing = False
compared = 0
differences: dict[str, str] = {}


def compare_all() -> None:
    """Let each maker of a fast way make one that is compared, for the dialects that are imported after this."""
    for name, place in SLOW.items():
        setattr(calls, name, _comparing_maker(getattr(calls, name), place))


def _comparing_maker(make: Callable[..., Any], place: int) -> Callable[..., Any]:
    def maker(*args: Any, **kw: Any) -> Any:
        fast = make(*args, **kw)
        slow = args[place] if len(args) > place else kw.get("slow", kw.get("whole"))
        return fast if slow is None else _compared(fast, slow)

    return maker


def _compared(fast: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """The fast way, which compares itself with the function in Python in each call by a sample."""
    name = f"{getattr(slow, '__module__', '')}.{getattr(slow, '__qualname__', slow)}"

    @functools.wraps(fast)
    def call(*args: Any, **kw: Any) -> Any:
        global _comparing
        if not (_comparing or slow.__name__.endswith("_") or kw.get("out") is not None):
            _comparing = True
            try:
                _compare(name, fast, slow, args, kw)
            finally:
                _comparing = False
        return fast(*args, **kw)

    return call


def _compare(name: str, fast: Any, slow: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> None:
    global compared
    for kind, change in {"": None, "second call: ": None, **_CHANGES}.items():
        given = args if change is None else tuple([_changed(x, change) for x in args])
        expected, found = _outcome(slow, given, kw), _outcome(fast, given, kw)
        compared += 1
        told = _difference(found, expected, slow.__name__ in OF_ANY_VALUES)
        if told and _difference(_outcome(slow, given, kw), expected, False):
            return  # it draws random numbers
        if told:
            differences.setdefault(f"{name}: {kind}{told}", f"{_shown(given)} {_shown(kw)}")


# --- other arguments --------------------------------------------------------------------------------------------------


def _changed(x: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """An argument with other values, where it is an array of the dialect's, or a sequence of them."""
    if isinstance(x, DialectArray):
        ours = x._array
        values = change(ours.compute().to_numpy())
        made = lw.asarray(values, backend=ours._sig.backend.name, dtype=ours.dtype)
        return x.dialect.wrapped(made)
    if type(x) in (list, tuple) and any(isinstance(y, DialectArray) for y in x):
        return type(x)(_changed(y, change) for y in x)
    return x


def _hard(x: np.ndarray) -> np.ndarray:
    """The values of a dtype that functions part at."""
    if x.dtype.kind == "b":
        return ~x
    if x.dtype.kind in "iu":
        of = np.iinfo(x.dtype)
        values = [of.max, of.min, 0, 1, of.max - 1, of.min + 1, 2]
    else:
        of = ml_dtypes.finfo(x.dtype)
        values = [0.0, -0.0, np.nan, np.inf, -np.inf, 0.5, -0.5, 1.0, 2.5, float(of.max), float(of.tiny), -3.5]
    return np.resize(np.asarray(values).astype(x.dtype), x.shape)


def _many(x: np.ndarray) -> np.ndarray:
    if not x.ndim or not x.size:
        return x
    return np.concatenate([x] * (MANY // x.size + 1))


_CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hard values: ": _hard,
    "many elements: ": _many,
    "no elements: ": lambda x: x[:0] if x.ndim else x,
}


# --- what calls come to -----------------------------------------------------------------------------------------------


def _outcome(f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _read(f(*args, **kw))
    except Exception as error:
        return f"{type(error).__name__}"


def _read(x: Any) -> Any:
    """A result by what a user can tell: the type, the dtype, whether it is weak, and the values."""
    if isinstance(x, DialectArray):
        ours = x._array
        return type(x).__name__, str(ours.dtype), ours.weak, ours.compute().to_numpy()
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [_read(y) for y in x]
    return type(x).__name__, x if isinstance(x, (bool, int, float, complex, str)) else None


def _difference(found: Any, expected: Any, any_values: bool) -> str:
    if isinstance(found, str) or isinstance(expected, str):
        if found == expected:
            return ""
        return " for ".join(x if isinstance(x, str) else "an answer" for x in (found, expected))
    if found[0] != expected[0] or len(found) != len(expected):
        return f"{found[0]} for {expected[0]}"
    if len(found) == 4:
        if found[1:3] != expected[1:3] or found[3].shape != expected[3].shape:
            return f"{found[1:3]} {found[3].shape} for {expected[1:3]} {expected[3].shape}"
        return "" if any_values or _same_bits(found[3], expected[3]) else "other values"
    if isinstance(found[1], list):
        if len(found[1]) != len(expected[1]):
            return f"{len(found[1])} results for {len(expected[1])}"
        return next(
            (told for f, e in zip(found[1], expected[1], strict=True) if (told := _difference(f, e, any_values))), ""
        )
    same = found[1] == expected[1] or (found[1] != found[1] and expected[1] != expected[1])
    return "" if same else f"{found[1]} for {expected[1]}"


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays of a dtype have the same values, signs of zeros included; any nan is another's equal."""
    if a.dtype.kind in "biu":
        return np.array_equal(a, b)
    if a.dtype.kind == "c":
        return _same_bits(a.real, b.real) and _same_bits(a.imag, b.imag)
    a, b = a.astype(np.float64), b.astype(np.float64)  # exact
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def _shown(x: Any) -> str:
    return repr(x).replace("\n", " ")[:300]


# --- the samples ------------------------------------------------------------------------------------------------------


def samples(name: str, share: int, of: int) -> Iterator[tuple[Any, str, str]]:
    """The samples of a dialect, and the dtypes of x and y: the usual ones, all of them in a sweep."""
    from dialect_answers import _USUAL, _USUAL_PAIRS, EXHAUSTIVE
    from test_dialects import samples_of

    for sample in samples_of(name).samples[share - 1 :: of]:
        if sample.pairs:
            pairs = [(a, b) for a in sample.dtypes for b in sample.dtypes]
            yield from [(sample, *p) for p in pairs if EXHAUSTIVE or p in _USUAL_PAIRS]
        else:
            yield from [(sample, d, d) for d in sample.dtypes if EXHAUSTIVE or d in _USUAL]


def main(name: str, backend: str, share: str = "1/1") -> int:
    compare_all()
    dialect_named(name)
    from dialect_answers import ours

    part, _, of = share.partition("/")
    with lw.using(backend=backend), np.errstate(all="ignore"):
        for sample, dtype, other in samples(name, int(part), int(of)):
            ours(name, sample, dtype, other)
    lines = [f"{told}   [{example}]" for told, example in sorted(differences.items())]
    sys.stdout.write("\n".join([*lines, f"{compared} calls compared, {len(differences)} differ", ""]))
    return 1 if differences or not compared else 0


if __name__ == "__main__":
    for variable in "OMP_NUM MKL_NUM OPENBLAS_NUM TF_NUM_INTRAOP TF_NUM_INTEROP".split():
        os.environ.setdefault(f"{variable}_THREADS", "1")
    sys.exit(main(*sys.argv[1:]))
