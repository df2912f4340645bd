"""Whether the functions of a dialect that remember kernels answer as their bodies do, in a process of its own.

Each function of a dialect keeps the kernels that its body ran, and runs them at once the next time
(`frontends.calls.remembered`). Here each function is made together with a comparison: whatever it is called with by
the samples of the dialect, the body is called with the same, and both have to give the same dtype, shape and bits, or
the same class of error. Each call is made three times, so that kernels are kept, and then with other numbers and with
other values of the same arrays: the hard ones, none, and more than 4,096 elements.

    python tests/remembered_calls.py torch numpy 1/4     # the dialect, the backend, a share of its samples

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

#: Functions whose values are whatever was in memory.
OF_ANY_VALUES = ("empty_like", "empty", "new_empty")
#: Functions of as many elements as the greatest value says, which memory does not hold for hard values.
OF_AS_MANY = ("segment_sum", "segment_prod", "segment_max", "segment_min")
#: Many elements.
MANY = 4_100
#: How often a body is called again to see whether it draws: dropping two channels has one of four outcomes.
REPEATED = 20

_comparing = False
compared = 0
differences: dict[str, str] = {}


def compare_all() -> None:
    """Let each function that remembers compare itself, for the dialects that are imported after this."""
    remembered = calls.remembered

    def maker(dialect: Any, body: Callable[..., Any]) -> Callable[..., Any]:
        return _compared(remembered(dialect, body), body)

    calls.remembered = maker


def _compared(fast: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """The function that remembers, which compares itself with the body in each call by a sample."""
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
    loops = any(callable(x) for x in args)  # with other values a loop may have no end
    for kind, change in {"": None, "second call: ": None, "third call: ": None, **({} if loops else _CHANGES)}.items():
        if change is _CHANGES["hard values: "] and slow.__name__ in OF_AS_MANY:
            continue
        given = args if change is None else tuple([_changed(x, change) for x in args])
        expected, found = _outcome(slow, given, kw), _outcome(fast, given, kw)
        compared += 1
        told = _difference(found, expected, slow.__name__ in OF_ANY_VALUES)
        if told and any(_difference(_outcome(slow, given, kw), expected, False) for _ in range(REPEATED)):
            return  # it draws random numbers
        if told:
            differences.setdefault(f"{name}: {kind}{told}", f"{_shown(given)} {_shown(kw)}")


# --- other arguments --------------------------------------------------------------------------------------------------


def _changed(x: Any, change: Callable[[Any], Any]) -> Any:
    """An argument with other values, where it is a number, an array of the dialect's, or a sequence of arrays."""
    if type(x) in (int, float, complex):
        return change(x)
    if isinstance(x, DialectArray):
        ours = x._array
        values = change(ours.compute().to_numpy())
        made = lw.asarray(values, backend=ours._sig.backend.name, dtype=ours.dtype)
        return x.dialect.wrapped(made)
    if type(x) in (list, tuple) and any(isinstance(y, DialectArray) for y in x):
        return type(x)(_changed(y, change) for y in x)
    return x


def _of_arrays(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any], Any]:
    return lambda x: change(x) if isinstance(x, np.ndarray) else x


def _other_numbers(x: Any) -> Any:
    return x if isinstance(x, np.ndarray) else x + 1 if type(x) is int else 1.75 * x - 0.375


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


_CHANGES: dict[str, Callable[[Any], Any]] = {
    "other numbers: ": _other_numbers,
    "hard values: ": _of_arrays(_hard),
    "many elements: ": _of_arrays(_many),
    "no elements: ": _of_arrays(lambda x: x[:0] if x.ndim else x),
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
