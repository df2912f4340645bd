"""Run calls on a backend and on NumPy, and compare what they give."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import latticework as lw

from ..backend import get
from ..backend.measured import MEASURED
from ..core.dtypes import Dtype, all_dtypes
from ..errors import BackendError
from ..support import probe, samples
from . import programs
from .findings import Finding, Kind, Report, Share
from .variants import VARIANTS, applies

__all__ = ["AREAS", "check", "outcome", "run"]

#: Functions whose values are not decided: their shapes and dtypes are compared.
UNDECIDED = frozenset(
    "empty empty_like partition argpartition linalg.eig linalg.eigh linalg.eigvals linalg.qr linalg.svd linalg.orth "
    "linalg.null_space linalg.schur linalg.eigh_tridiagonal roots".split()
)
#: How far a result may be from NumPy's, in units in the last place of the largest number there: both have rounded.
_ULPS = 64
#: One dtype of each kind, for what does not depend on the width.
_FEW = ("bool", "int32", "uint8", "float32", "complex64")


def check(
    backend: str,
    *,
    areas: Iterable[str] | None = None,
    functions: Iterable[str] | None = None,
    every: int = 1,
    begin: Callable[[str], object] = lambda what: None,
) -> Report:
    """Compare a backend with the NumPy backend.

    Parameters
    ----------
    backend: its name; its framework is imported.
    areas: names of `AREAS`; all of them by default.
    functions: names of functions, as in ``lw.linalg.inv``: "linalg.inv"; all of them by default.
    every: one call in so many is run, the same ones each time: for a framework that takes long for each call.
    begin: is called with what is checked next.

    Returns
    -------
    A report: `differences`, and the text of all in `lines()`.

    Raises
    ------
    ValueError: for an area or a function that there is not, and for a share that is not positive.

    Examples
    --------
    >>> from latticework.testing import check
    >>> check("numpy", areas=["shapes"], functions=["add"]).differences
    []
    """
    return Report(backend, run(backend, areas=areas, functions=functions, every=every, begin=begin), every)


def run(
    backend: str,
    *,
    areas: Iterable[str] | None = None,
    functions: Iterable[str] | None = None,
    every: int = 1,
    begin: Callable[[str], object] = lambda what: None,
) -> Iterator[Finding]:
    """Yield the findings of `check` one by one, as they are made."""
    names = samples.names()
    chosen = names if functions is None else [*functions]
    for name in chosen:
        if name not in names:
            raise ValueError(f"there is no function {name!r}")
    wanted = [*AREAS] if areas is None else [*areas]
    for area in wanted:
        if area not in AREAS:
            raise ValueError(f"there is no area {area!r}; there are {', '.join(AREAS)}")
    share = Share(every)
    get(backend)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for area in wanted:
            yield from AREAS[area](backend, chosen, begin, share)


def _of_dtypes(backend: str, names: list[str], begin: Callable[[str], object], share: Share) -> Iterator[Finding]:
    """Every function on every dtype, as the probe measures it."""
    has = get(backend).native_dtypes
    for name in names:
        begin(name)
        for dtype in (d for d in MEASURED if d in has):
            if share.has("dtypes", name, "plain", dtype):
                yield Finding("dtypes", name, "plain", str(dtype), *_measured(name, backend, dtype))


def _measured(name: str, backend: str, dtype: Dtype) -> tuple[Kind, str]:
    """Measure one call, and return its kind and text. NumPy may refuse a dtype as well."""
    try:
        ((_, cell),) = probe.measure(name, backend, str(get(backend).device(None)), [dtype])
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return "differs", _told(error)
    if cell.how in ("missing", "wrong"):
        return ("refused" if cell.how == "missing" else "differs"), cell.why
    if cell.how == "refused" and [c.how for _, c in probe.measure(name, "numpy", "cpu", [dtype])] != ["refused"]:
        return "differs", cell.why
    return "alike", cell.why


def _of_variants(area: str) -> Callable[..., Iterator[Finding]]:
    def run(backend: str, names: list[str], begin: Callable[[str], object], share: Share) -> Iterator[Finding]:
        has = get(backend).native_dtypes
        for name in names:
            begin(name)
            call = samples.call_of(name)
            for dtype in (d for d in all_dtypes if d in has and (str(d) in _FEW or area == "values")):
                for case, make in VARIANTS[area].items():
                    if applies(name, area, dtype) and share.has(area, name, case, dtype):
                        yield _compared(area, name, case, dtype, backend, lambda: call(make, dtype))  # noqa: B023

    return run


def _compared(area: str, name: str, case: str, dtype: Dtype | None, backend: str, call: Callable[[], Any]) -> Finding:
    token = samples.CASTABLE.set(get(backend).native_dtypes)
    try:
        expected, got = outcome("numpy", call), outcome(backend, call)
    finally:
        samples.CASTABLE.reset(token)
    if case == "empty" and isinstance(expected, ValueError) and not isinstance(got, BaseException):
        return Finding(area, name, case, str(dtype or ""), "alike")  # of no elements there may be a result
    try:
        kind, text = _judged(name, expected, got)
    except Exception as error:
        kind, text = "differs", f"cannot be compared: {_told(error)}"
    return Finding(area, name, case, str(dtype or ""), kind, text)


def outcome(backend: str, call: Callable[[], Any]) -> list[Any] | BaseException:
    """Return the results of a call on a backend, arrays as NumPy's with their dtypes, or its error: that of a framework
    too, which may be no `Exception`."""
    try:
        with lw.using(backend=backend):
            return [(str(getattr(x, "dtype", type(x).__name__)), _plain(x)) for x in probe._flat(call())]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error


def _plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, lw.Array) else x


def _told(error: BaseException) -> str:
    """Return an error as a line: that of the framework with its class, a refusal without it."""
    text = str(error).strip().partition("\n")[0]
    return (
        text if isinstance(error, BackendError) else f"{type(error).__name__}: {text}" if text else type(error).__name__
    )


def _judged(name: str, expected: Any, got: Any) -> tuple[Kind, str]:
    if isinstance(got, BaseException):
        if isinstance(expected, BaseException):
            alike = isinstance(got, BackendError) or _class_of(expected) is _class_of(got)
            return ("alike", "") if alike else ("differs", f"{_told(got)} (NumPy's is a {type(expected).__name__})")
        return ("refused" if isinstance(got, BackendError) else "differs"), _told(got)
    if isinstance(expected, BaseException):
        return "differs", f"no error where NumPy has {type(expected).__name__}: {expected}"
    if len(got) != len(expected):
        return "differs", f"{len(got)} results for {len(expected)}"
    for (dtype, x), (wanted, y) in zip(got, expected, strict=True):
        if dtype != wanted:
            return "differs", f"a result of {dtype} for {wanted}"
        if not isinstance(y, np.ndarray):
            if x != y and x == x:
                return "differs", f"{x} for {y}"
        elif x.dtype != y.dtype:
            return "differs", f"to_numpy gives an array of {x.dtype} for {dtype}"
        elif x.shape != y.shape:
            return "differs", f"a result of shape {x.shape} for {y.shape}"
        elif name not in UNDECIDED and not (near := _near(name, x, y, dtype)).all():
            return "differs", _apart(x, y, near)
    return "alike", ""


def _class_of(error: BaseException) -> type:
    kinds = (IndexError, ValueError, TypeError, OverflowError, NotImplementedError, RuntimeError)
    return next((c for c in kinds if isinstance(error, c)), Exception)


def _apart(x: Any, y: Any, near: Any) -> str:
    """Return the first element that differs, with its place, and how many do."""
    place = tuple(map(int, np.argwhere(~near)[0]))
    said = f"{x[place].item()!r} for {y[place].item()!r}"
    return f"{said} at {[*place]}, {np.sum(~near)} of {x.size} elements" if x.ndim else said


def _near(name: str, x: Any, y: Any, dtype: str) -> Any:
    """Return which elements are near."""
    if x.dtype.kind in "biu":
        return np.asarray(x == y)
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = x.astype(wide), y.astype(wide)
    finite = y[np.isfinite(y)]
    scale = max(1.0, float(np.max(np.abs(finite))) if finite.size else 1.0)
    slack = probe._LOSES.get(name, _ULPS) * lw.finfo(Dtype(dtype)).eps
    return np.asarray(np.isclose(x, y, rtol=slack, atol=slack * scale, equal_nan=True))


def _of_programs(area: str) -> Callable[..., Iterator[Finding]]:
    def run(backend: str, names: list[str], begin: Callable[[str], object], share: Share) -> Iterator[Finding]:
        has = get(backend).native_dtypes
        for name, (program, kinds) in programs.AREAS[area].items():
            begin(f"{area}: {name}")
            for dtype in (
                d for d in all_dtypes if d in has and (d.kind in kinds) and (str(d) in _FEW or area == "arrays")
            ):
                if share.has(area, name, "program", dtype):
                    yield _compared(area, name, "program", dtype, backend, lambda: program(dtype))  # noqa: B023

    return run


#: The areas of the kit: name -> a function of the backend, the functions, `begin` and the share.
AREAS: dict[str, Callable[..., Iterable[Finding]]] = {
    "dtypes": _of_dtypes,
    "shapes": _of_variants("shapes"),
    "views": _of_variants("views"),
    "values": _of_variants("values"),
    "keys": _of_programs("keys"),
    "arrays": _of_programs("arrays"),
    "superset": _of_programs("superset"),
    "random": _of_programs("random"),
    "derivatives": _of_programs("derivatives"),
    "tracing": _of_programs("tracing"),
}
