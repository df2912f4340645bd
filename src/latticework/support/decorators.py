"""Decorators with which a function declares what it takes: dtypes, devices, or dtypes by device, for each version.

A function that is decorated refuses what it does not take when it is called, and is asked about it by
`function_supported_dtypes` and its kin like any other: what it declares is an error of each run.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..backends import first_version, of
from ..backends.facts import known
from ..core.dtypes import SCALARS, Dtype, all_dtypes, category
from ..engine.array import Array
from ..errors import BackendError, nearest
from ..policy import current
from . import versions

__all__ = [
    "with_supported_device_and_dtypes",
    "with_supported_devices",
    "with_supported_dtypes",
    "with_unsupported_device_and_dtypes",
    "with_unsupported_devices",
    "with_unsupported_dtypes",
]

F = TypeVar("F", bound=Callable[..., Any])

#: Names for several dtypes at once.
CLASSES = {
    "valid": all_dtypes,
    "numeric": category("numeric"),
    "float": category("real floating"),
    "integer": category("integral"),
    "unsigned": category("unsigned integer"),
    "complex": category("complex floating"),
}
#: Kinds of devices; a number may follow, as in ``cuda:0``. A CUDA or ROCm device is a ``gpu``.
DEVICES = ("cpu", "gpu", "cuda", "rocm", "mps", "tpu", "xpu", "hpu", "npu", "xla", "meta")
_GPUS = ("cuda", "rocm")

#: Whose versions can be asked for by name: the frameworks of the backends, and those that there are rules for.
DISTRIBUTIONS: dict[str, tuple[str, ...]] = {
    **{name: facts.distributions for name, facts in known().items() if facts.framework},
    "keras": ("keras",), "mlx": ("mlx",), "max": ("modular", "max"), "paddle": ("paddlepaddle",),
}  # fmt: skip

Version = str | Mapping[str, str]


def with_supported_dtypes(listed: Mapping[str, Sequence[Any]], version: Version, /) -> Callable[[F], F]:
    """Declare the dtypes that a function takes; it takes no other.

    Parameters
    ----------
    listed: for each version or range of versions, the dtypes. A version is written ``"2.0.1"``,
        ``"2.0.1 and below"``, ``"2.0.1 and above"`` or ``"1.11 to 1.13"``. Dtypes are ours or their names, or classes
        of them: ``"valid"`` (all), ``"numeric"``, ``"float"``, ``"integer"``, ``"unsigned"`` and ``"complex"``. Where
        ranges overlap, a single version goes before a range, and the range with two ends before the others. A
        version that is not listed behaves as the last one before it that is, or else as the first.
    version: the version that counts, as a string or ``{"version": ...}``; or a framework's name, ``"torch"``, whose
        installed version is looked up at the first call. The framework is not imported.

    Returns
    -------
    A decorator. What it returns has the attributes `supported_dtypes` and `unsupported_dtypes`, for the version, and
    raises a `BackendError` (a TypeError) for an array, ours or a framework's, of another dtype, which names the
    function, the dtype, the version and a dtype to cast to.

    Raises
    ------
    TypeError: at once, for a name that is no dtype, class or framework, with the nearest that is; for a function that
        has been declared so before, by this decorator or `with_unsupported_dtypes`.
    ValueError: at once, for what is no version.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_supported_dtypes({"2.0.1 and below": ("float32", "float64"), "2.1 and above": ("float",)}, "2.0")
    ... def half(x):
    ...     return x / 2
    >>> half.supported_dtypes
    (lw.float32, lw.float64)
    >>> half(lw.asarray([1.0], dtype=lw.float16))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    latticework.errors.BackendError: half: takes float32 and float64 in version 2.0 (2.0.1 and below); got ...
    """
    return _declaring("dtypes", True, _dtypes_of, listed, version)


def with_unsupported_dtypes(listed: Mapping[str, Sequence[Any]], version: Version, /) -> Callable[[F], F]:
    """Declare the dtypes that a function does not take; it takes all others. See `with_supported_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_unsupported_dtypes({"2.0.1 and below": ("unsigned", "bfloat16"), "2.1 and above": ()}, "torch")
    ... def half(x):
    ...     return x / 2
    >>> half(lw.asarray([1.0]))
    Array([0.5], dtype=float32)
    """
    return _declaring("dtypes", False, _dtypes_of, listed, version)


def with_supported_devices(listed: Mapping[str, Sequence[str]], version: Version, /) -> Callable[[F], F]:
    """Declare the kinds of devices on which a function works: ``"cpu"``, ``"gpu"``, ``"cuda"``, ``"tpu"`` and the like.

    See `with_supported_dtypes`. The attribute is `supported_devices`.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_supported_devices({"2.0.1 and above": ("cpu",)}, "2.13.0")
    ... def half(x):
    ...     return x / 2
    >>> half.supported_devices
    ('cpu',)
    """
    return _declaring("devices", True, _devices_of, listed, version)


def with_unsupported_devices(listed: Mapping[str, Sequence[str]], version: Version, /) -> Callable[[F], F]:
    """Declare the kinds of devices on which a function does not work. See `with_supported_devices`.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_unsupported_devices({"2.0.1 and below": ("cpu",)}, {"version": "1.13"})
    ... def half(x):
    ...     return x / 2
    >>> half(lw.asarray([1.0]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    latticework.errors.BackendError: half: does not take arrays on cpu in version 1.13 (2.0.1 and below). Move ...
    """
    return _declaring("devices", False, _devices_of, listed, version)


def with_supported_device_and_dtypes(
    listed: Mapping[str, Mapping[str, Sequence[Any]]], version: Version, /
) -> Callable[[F], F]:
    """Declare the dtypes that a function takes on each kind of device; it takes no other, and works on no other.

    See `with_supported_dtypes`. The attribute is `supported_device_and_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_supported_device_and_dtypes({"2.0.1 and above": {"cpu": ("float32",), "gpu": ("float",)}}, "2.13.0")
    ... def half(x):
    ...     return x / 2
    >>> half.supported_device_and_dtypes["cpu"]
    (lw.float32,)
    """
    return _declaring("device_and_dtypes", True, _both_of, listed, version)


def with_unsupported_device_and_dtypes(
    listed: Mapping[str, Mapping[str, Sequence[Any]]], version: Version, /
) -> Callable[[F], F]:
    """Declare the dtypes that a function does not take on a kind of device; it takes all else.

    See `with_supported_dtypes`. The attribute is `unsupported_device_and_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> @lw.with_unsupported_device_and_dtypes({"2.0.1 and above": {"cpu": ("float16", "complex")}}, "2.13.0")
    ... def half(x):
    ...     return x / 2
    >>> lw.function_unsupported_dtypes(half, backend="numpy")
    (lw.float16, lw.complex64, lw.complex128)
    """
    return _declaring("device_and_dtypes", False, _both_of, listed, version)


# --- what is declared ---------------------------------------------------------------------------------------------


class Limit:
    """What one decorator declares.

    Attributes
    ----------
    kind: "dtypes", "devices" or "device_and_dtypes".
    only: whether what is listed is all that is taken, or all that is not.
    """

    def __init__(self, kind: str, only: bool, rows: list[tuple[versions.Range, Any]], version: Version) -> None:
        self.kind, self.only, self.rows = kind, only, rows
        self.given, self.name = _given(version)
        self.resolved: tuple[Any, str] | None = None

    def current(self) -> tuple[Any, str]:
        """What is listed for the version, and how an error names it."""
        if self.resolved is None:
            installed = self.given or _installed(self.name)
            row, listed, known = _row(self.rows, installed)
            of_what = f"{self.name} {installed}" if self.name and installed else self.name or f"version {installed}"
            missing = "" if installed else ", which is not installed,"
            as_known = f"{row.text}" if known else f"not listed: as {row.text}"
            self.resolved = listed, f"{'with' if self.name else 'in'} {of_what}{missing} ({as_known})"
        return self.resolved

    def refusal(self, dtype: Dtype, device: object) -> str | None:
        """Why an array is not taken, or None where it is."""
        listed, where = self.current()
        if self.kind == "dtypes":
            return None if (dtype in listed) is self.only else self._of_dtype(dtype, listed, where)
        kinds = kinds_of(device)
        if self.kind == "devices":
            if any(k in listed for k in kinds) is self.only:
                return None
            what = f"works on {_and(listed)} only" if self.only else f"does not take arrays on {kinds[0]}"
            got = f"; got an array on {kinds[0]}" if self.only else ""
            return f"{what} {where}{got}. Move it first: x.to_device(device)"
        found = [d for k in kinds for d in listed.get(k, ())]
        if (dtype in found) is self.only:
            return None
        return self._of_dtype(dtype, found, f"on {kinds[0]} {where}")

    def _of_dtype(self, dtype: Dtype, listed: Sequence[Dtype], where: str) -> str:
        taken = [d for d in all_dtypes if (d in listed) is self.only]
        near = sorted(
            (d for d in taken if d.kind == dtype.kind or (d.kind == "f" and dtype.kind in "biu")),
            key=lambda d: (d.kind != dtype.kind, d.bits <= dtype.bits, abs(d.bits - dtype.bits)),  # the next wider one
        )
        what = (
            f"takes {_and(listed) or 'no dtype'} {where}; got {dtype}"
            if self.only
            else f"does not take {dtype} {where}"
        )
        way_out = near[0] if near else "dtype"
        return f"{what}. Cast first: lw.astype(x, {'lw.' if near else ''}{way_out})"


def _and(names: Sequence[str]) -> str:
    names = [str(n) for n in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _row(rows: list[tuple[versions.Range, Any]], version: str | None) -> tuple[versions.Range, Any, bool]:
    """The line that a version falls under, and whether it does; else that of the last known one."""
    if version is None:
        last = max(rows, key=lambda row: (row[0].high is None, row[0].high or row[0].low or ()))
        return (*last, False)
    at = versions.order(version)
    holding = [row for row in rows if at in row[0]]
    if holding:
        best = min(holding, key=lambda row: (row[0].low != row[0].high, (row[0].low is None) + (row[0].high is None)))
        return (*best, True)
    before = [row for row in rows if row[0].high is not None and row[0].high < at]
    if before:
        return (*max(before, key=lambda row: row[0].high or ()), False)
    return (*min(rows, key=lambda row: row[0].low or ()), False)


@functools.cache
def _installed(framework: str) -> str | None:
    """The installed release of a framework, which is not imported for it; None where there is none."""
    version = first_version(DISTRIBUTIONS[framework])
    return versions.release(version) if version else None


def kinds_of(device: object) -> tuple[str, ...]:
    """The names that a device goes by: its kind, and "gpu" where it is one of those."""
    found = re.search("|".join(DEVICES), str(device).lower())
    kind = found.group() if found else str(device).partition(":")[0]
    return (kind, "gpu") if kind in _GPUS else (kind,)


# --- what is written, checked ---------------------------------------------------------------------------------------


def _given(version: Version) -> tuple[str | None, str]:
    """A version and no name, or no version and a framework's name."""
    if isinstance(version, Mapping) and isinstance(version.get("version"), str):
        version = version["version"]
    if not isinstance(version, str):
        raise TypeError(f"the version must be a string, {{'version': ...}} or a framework's name; got {version!r}")
    if version[:1].isdigit():
        return versions.release(version), ""
    if version not in DISTRIBUTIONS:
        raise TypeError(f"{version!r} is no version and no framework{nearest(version, DISTRIBUTIONS)}")
    return None, version


def _listed(word: str, listed: object, one: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The names in a tuple or list, each made out and none twice."""
    if isinstance(listed, str) or not isinstance(listed, (tuple, list, set, frozenset)):
        raise TypeError(f"{word} are given in a tuple or list; got {listed!r}")
    return tuple(dict.fromkeys(x for name in listed for x in one(name)))


def _dtypes_of(listed: object) -> tuple[Dtype, ...]:
    def one(name: Any) -> tuple[Dtype, ...]:
        if isinstance(name, str) and str(name) in CLASSES:
            return CLASSES[str(name)]
        if not isinstance(name, str) or name not in all_dtypes:
            raise TypeError(f"{name!r} is no dtype and no class of them{nearest(name, [*all_dtypes, *CLASSES])}")
        return (Dtype(name),)

    found = _listed("dtypes", listed, one)
    return tuple(d for d in all_dtypes if d in found)


def _devices_of(listed: object) -> tuple[str, ...]:
    def one(name: Any) -> tuple[str, ...]:
        kind = name.partition(":")[0].lower() if isinstance(name, str) else name
        if kind not in DEVICES:
            raise TypeError(f"{name!r} is no kind of device{nearest(kind, DEVICES)}")
        return (kind,)

    return _listed("devices", listed, one)


def _both_of(listed: object) -> dict[str, tuple[Dtype, ...]]:
    if not isinstance(listed, Mapping):
        raise TypeError(f"dtypes are given for each device, as {{'cpu': ('float32',)}}; got {listed!r}")
    return {_devices_of([device])[0]: _dtypes_of(dtypes) for device, dtypes in listed.items()}


def _declaring(
    kind: str, only: bool, made_out: Callable[[Any], Any], listed: Mapping[str, Any], version: Version
) -> Callable[[F], F]:
    name = f"with_{'' if only else 'un'}supported_{kind}"
    if not isinstance(listed, Mapping) or not listed:
        raise TypeError(f"{name}: takes a dict from versions to {kind.replace('_', ' ')}; got {listed!r}")
    try:
        rows = [(versions.parse(text), made_out(what)) for text, what in listed.items()]
        limit = Limit(kind, only, rows, version)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None

    def declare(function: F) -> F:
        if isinstance(function, (staticmethod, classmethod, type)) or not callable(function):
            hint = "" if isinstance(function, type) else f". Put @{type(function).__name__} above it"
            raise TypeError(f"{name}: decorates functions and methods; got {function!r}{hint}")
        earlier: tuple[Limit, ...] = getattr(function, "__latticework_support__", ())
        same = next((x for x in earlier if x.kind == kind), None)
        if same is not None:
            other = f"with_{'' if same.only else 'un'}supported_{kind}"
            raise TypeError(f"{name}: {_name(function)} is decorated with {other} already; only one of them can hold")
        return _checking(function, limit, earlier)

    return declare


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))


# --- the decorated function ---------------------------------------------------------------------------------------


def _checking(function: F, limit: Limit, earlier: tuple[Limit, ...]) -> F:
    fine: set[Any] = set()  # signatures of arrays that were looked at before

    def admitted(x: Any) -> Any:
        """The argument as it is passed on: itself, or what a casting mode makes of it."""
        if isinstance(x, (list, tuple)):
            inside = [admitted(y) for y in x]
            if all(new is old for new, old in zip(inside, x, strict=True)):
                return x
            return type(x)(*inside) if hasattr(x, "_fields") else type(x)(inside)
        if isinstance(x, SCALARS) or x is None:
            return x
        if isinstance(x, Array):
            dtype, device = x.dtype, x.device if limit.kind != "dtypes" else ""
        elif (owner := of(x)) is not None:
            dtype, device = owner.sig_of(x).dtype, owner.module.device_of(x) if limit.kind != "dtypes" else ""
        else:
            return x
        why = limit.refusal(dtype, device)
        if why is not None:
            return _cast_instead(_name(function), limit, x, dtype, device, why)
        if limit.kind == "dtypes" and isinstance(x, Array):
            fine.add(x._sig)
        return x

    @functools.wraps(function)
    def checked(*args: Any, **kw: Any) -> Any:
        for x in args if not kw else (*args, *kw.values()):
            if type(x) is not Array or x._sig not in fine:
                args, kw = tuple(map(admitted, args)), {name: admitted(value) for name, value in kw.items()}
                break
        return function(*args, **kw)

    checked.__latticework_support__ = (limit, *earlier)  # type: ignore[attr-defined]
    if limit.kind == "dtypes":
        checked.supported_dtypes = Resolved(limit, limit.only)  # type: ignore[attr-defined]
        checked.unsupported_dtypes = Resolved(limit, not limit.only)  # type: ignore[attr-defined]
    else:
        attribute = f"{'' if limit.only else 'un'}supported_{limit.kind}"
        setattr(checked, attribute, Resolved(limit, True) if limit.kind == "devices" else ResolvedByDevice(limit))
    return checked  # type: ignore[return-value]


def _cast_instead(name: str, limit: Limit, x: Any, dtype: Dtype, device: object, why: str) -> Any:
    """The array in another dtype, where a casting mode that is on allows one; else an error with the modes that do."""
    from ..api.conversion import asarray, astype
    from ..engine import casting

    def attempt(target: Dtype) -> None:
        if limit.refusal(target, device) is not None:
            raise BackendError(target)

    def by(modes: tuple[str, ...]) -> Iterator[casting.CastCandidate]:
        return casting.candidates(modes, dtype, current(), attempt, (BackendError,))

    for candidate in by(current().casting):
        ours = asarray(x)
        casting.note(name, ours.backend, dtype, candidate.dtype, candidate.mode)
        cast = astype(ours, candidate.dtype)
        return cast if isinstance(x, Array) else cast.data
    raise BackendError(f"{name}: {why}{casting.advice(by(casting.MODES))}")


class Resolved(Sequence[Any]):
    """What a function declares for the version that counts, found when it is asked for. It equals a tuple."""

    def __init__(self, limit: Limit, as_listed: bool) -> None:
        self._limit, self._as_listed = limit, as_listed

    def _tuple(self) -> tuple[Any, ...]:
        listed: tuple[Any, ...] = self._limit.current()[0]
        return listed if self._as_listed else tuple(d for d in all_dtypes if d not in listed)

    def __getitem__(self, index: Any) -> Any:
        return self._tuple()[index]

    def __len__(self) -> int:
        return len(self._tuple())

    def __eq__(self, other: object) -> bool:
        return self._tuple() == (other._tuple() if isinstance(other, Resolved) else other)

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        return repr(self._tuple())


class ResolvedByDevice(Mapping[str, Any]):
    """As `Resolved`, of dtypes by device. It equals a dict."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit

    def __getitem__(self, device: str) -> Any:
        return self._limit.current()[0][device]

    def __iter__(self) -> Iterator[str]:
        return iter(self._limit.current()[0])

    def __len__(self) -> int:
        return len(self._limit.current()[0])

    def __repr__(self) -> str:
        return repr(dict(self))
