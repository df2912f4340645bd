"""Decorators with which a function declares what it takes: dtypes, devices, or dtypes by device, for each version.

A decorated function refuses other arrays when it is called. So `function_supported_dtypes` and its kin, which call a
function without data, see what it declares.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..backend import of, versions
from ..core.dtypes import SCALARS, Dtype, all_dtypes, category
from ..engine.arrays.array import Array, wrapped
from ..errors import BackendError, nearest
from ..policy import current

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

Version = str | Mapping[str, str]


def with_supported_dtypes(listed: Mapping[str, Sequence[Any]], version: Version, /) -> Callable[[F], F]:
    """Declare the dtypes that a function takes; it takes no other.

    Parameters
    ----------
    listed: for each version or range of versions, the dtypes. A version is written ``"2.0.1"``,
        ``"2.0.1 and below"``, ``"2.0.1 and above"`` or ``"1.11 to 1.13"``. Dtypes are lw dtypes, names or classes
        of them: ``"valid"`` (all), ``"numeric"``, ``"float"``, ``"integer"``, ``"unsigned"`` and ``"complex"``. Where
        ranges overlap, a single version goes before a range, and the range with two ends before the others. A
        version that is not listed behaves as the last one before it that is, or else as the first.
    version: the version that counts, as a string or ``{"version": ...}``; or a framework's name, ``"torch"``, whose
        installed version is looked up at the first call. The framework is not imported.

    Returns
    -------
    A decorator. The decorated function has the attributes `supported_dtypes` and `unsupported_dtypes`, for the version.
    For an lw.Array or a framework's array of another dtype, it raises a `BackendError` (a TypeError) that names the
    function, the dtype, the version and a dtype to cast to.

    Raises
    ------
    TypeError: at once, for a name that is no dtype, class or framework, with the nearest that is; for a function that
        this decorator or `with_unsupported_dtypes` has decorated before.
    ValueError: at once, for a text that is no version.

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
    return _decorator("dtypes", True, listed, version)


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
    return _decorator("dtypes", False, listed, version)


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
    return _decorator("devices", True, listed, version)


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
    return _decorator("devices", False, listed, version)


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
    return _decorator("device_and_dtypes", True, listed, version)


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
    return _decorator("device_and_dtypes", False, listed, version)


# --- what is declared -------------------------------------------------------------------------------------------------


class Limit:
    """The declaration of one decorator.

    Attributes
    ----------
    kind: "dtypes", "devices" or "device_and_dtypes".
    only: whether the function takes what is listed and no other, or all but what is listed.
    attribute: the name of the decorated function's attribute with what is listed.
    rows: what is listed, by range of versions.
    """

    def __init__(self, kind: str, only: bool, listed: Mapping[str, Any], version: Version) -> None:
        self.kind, self.only = kind, only
        self.attribute = f"{'' if only else 'un'}supported_{kind}"
        if not isinstance(listed, Mapping) or not listed:
            raise TypeError(f"takes a dict from versions to {kind.replace('_', ' ')}; got {listed!r}")
        read = {"dtypes": _dtypes_of, "devices": _devices_of, "device_and_dtypes": _by_device}[kind]
        self.rows: dict[versions.Range, Any] = {versions.parse(text): read(what) for text, what in listed.items()}
        self.version, self.framework = _version_or_framework(version)

    @functools.cached_property
    def resolved(self) -> tuple[Any, str]:
        """The entries listed for the version that counts, and the name of that version in an error."""
        version = self.version or versions.installed(self.framework)
        row = versions.holding_for(version, self.rows)
        of_what = f"with {self.framework}" if self.framework else "in version"
        missing = "" if version else ", which is not installed,"
        holds = version and versions.order(version) in row
        named = " ".join(filter(None, (of_what, version)))
        return self.rows[row], f"{named}{missing} ({'' if holds else 'not listed: as '}{row.text})"

    def listed(self) -> Any:
        """Return what is listed for the version that counts."""
        return self.resolved[0]

    def unlisted(self) -> tuple[Dtype, ...]:
        """Return the dtypes that are not listed for the version that counts."""
        return tuple(d for d in all_dtypes if d not in self.listed())

    def refusal(self, dtype: Dtype, device: object) -> str | None:
        """Return why an array is not taken, or None where it is."""
        listed, where = self.resolved
        kinds = kinds_of(device)
        if self.kind == "devices":
            if any(k in listed for k in kinds) is self.only:
                return None
            way_out = "Move it first: x.to_device(device)"
            if self.only:
                return f"works on {_and(listed)} only {where}; got an array on {kinds[0]}. {way_out}"
            return f"does not take arrays on {kinds[0]} {where}. {way_out}"
        if self.kind == "device_and_dtypes":
            listed, where = [d for k in kinds for d in listed.get(k, ())], f"on {kinds[0]} {where}"
        if (dtype in listed) is self.only:
            return None
        target = _nearest(dtype, [d for d in all_dtypes if (d in listed) is self.only])
        way_out = f"Cast first: lw.astype(x, {f'lw.{target}' if target else 'dtype'})"
        if self.only:
            return f"takes {_and(listed) or 'no dtype'} {where}; got {dtype}. {way_out}"
        return f"does not take {dtype} {where}. {way_out}"


def _nearest(dtype: Dtype, taken: list[Dtype]) -> Dtype | None:
    """Return the dtype to cast to: of the same kind, else a float for an integer; if there is one, the next wider."""
    fitting = [d for d in taken if d.kind == dtype.kind or (d.kind == "f" and dtype.kind in "biu")]
    return min(
        fitting, key=lambda d: (d.kind != dtype.kind, d.bits <= dtype.bits, abs(d.bits - dtype.bits)), default=None
    )


def _and(listed: Sequence[object]) -> str:
    *first, last = map(str, listed or ("",))
    return f"{', '.join(first)} and {last}" if first else last


def kinds_of(device: object) -> tuple[str, ...]:
    """Return the names that a device goes by: its kind, and "gpu" where it is one of those."""
    found = re.search("|".join(DEVICES), str(device).lower())
    kind = found.group() if found else str(device).partition(":")[0]
    return (kind, "gpu") if kind in _GPUS else (kind,)


# --- reading what is declared -----------------------------------------------------------------------------------------


def _version_or_framework(version: Version) -> tuple[str | None, str]:
    """Return a release and no name, or no release and a framework's name."""
    if isinstance(version, Mapping) and isinstance(version.get("version"), str):
        version = version["version"]
    if not isinstance(version, str):
        raise TypeError(f"the version must be a string, {{'version': ...}} or a framework's name; got {version!r}")
    if version[:1].isdigit():
        return versions.release(version), ""
    if version not in versions.frameworks():
        raise TypeError(f"{version!r} is no version and no framework{nearest(version, versions.frameworks())}")
    return None, version


def _each(word: str, names: object, read: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Read each name in a tuple or list, and return what they stand for, none twice."""
    if not isinstance(names, (tuple, list, set, frozenset)):
        raise TypeError(f"{word} are given in a tuple or list; got {names!r}")
    return tuple(dict.fromkeys(x for name in names for x in read(name)))


def _dtypes_of(names: object) -> tuple[Dtype, ...]:
    def read(name: Any) -> tuple[Dtype, ...]:
        if isinstance(name, str) and name in CLASSES:
            return CLASSES[name]
        if not isinstance(name, (str, Dtype)) or name not in all_dtypes:
            raise TypeError(f"{name!r} is no dtype and no class of them{nearest(name, [*all_dtypes, *CLASSES])}")
        return (Dtype(name),)

    return tuple(sorted(_each("dtypes", names, read), key=all_dtypes.index))


def _devices_of(names: object) -> tuple[str, ...]:
    def read(name: Any) -> tuple[str, ...]:
        kind = name.partition(":")[0].lower() if isinstance(name, str) else name
        if kind not in DEVICES:
            raise TypeError(f"{name!r} is no kind of device{nearest(kind, DEVICES)}")
        return (kind,)

    return _each("devices", names, read)


def _by_device(listed: object) -> dict[str, tuple[Dtype, ...]]:
    if not isinstance(listed, Mapping):
        raise TypeError(f"dtypes are given for each device, as {{'cpu': ('float32',)}}; got {listed!r}")
    return {_devices_of([device])[0]: _dtypes_of(dtypes) for device, dtypes in listed.items()}


# --- the decorated function -------------------------------------------------------------------------------------------


def _decorator(kind: str, only: bool, listed: Mapping[str, Any], version: Version) -> Callable[[F], F]:
    name = f"with_{'' if only else 'un'}supported_{kind}"
    try:
        limit = Limit(kind, only, listed, version)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None

    def decorate(function: F) -> F:
        if isinstance(function, (staticmethod, classmethod, type)) or not callable(function):
            hint = "" if isinstance(function, type) else f". Put @{type(function).__name__} above it"
            raise TypeError(f"{name}: decorates functions and methods; got {function!r}{hint}")
        earlier: tuple[Limit, ...] = getattr(function, "__latticework_support__", ())
        for other in earlier:
            if other.kind == kind:
                raise TypeError(
                    f"{name}: {_name(function)} is decorated with with_{other.attribute} already; "
                    f"only one of them can hold"
                )
        return _checking(function, limit, earlier)

    return decorate


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))


def _checking(function: F, limit: Limit, earlier: tuple[Limit, ...]) -> F:
    """Return the function with a check of its arrays, and with attributes that say what it takes."""
    accepted: set[Any] = set()  # signatures of arrays, where the device does not count

    def admitted(x: Any) -> Any:
        """Return the argument to pass on: itself, or the array that a casting mode casts it to."""
        if isinstance(x, (list, tuple)):
            inside = [admitted(y) for y in x]
            if all(new is old for new, old in zip(inside, x, strict=True)):
                return x
            return type(x)(*inside) if hasattr(x, "_fields") else type(x)(inside)
        owner = None if isinstance(x, (Array, *SCALARS)) or x is None else of(x)
        array = wrapped(x, owner.sig_of(x)) if owner else x
        if not isinstance(array, Array):
            return x
        device = "" if limit.kind == "dtypes" else array.device
        why = limit.refusal(array.dtype, device)
        if why is not None:
            cast = _cast_instead(_name(function), limit, array, device, why)
            return cast.data if owner else cast
        if limit.kind == "dtypes":
            accepted.add(array._sig)
        return x

    @functools.wraps(function)
    def checked(*args: Any, **kw: Any) -> Any:
        for x in args if not kw else (*args, *kw.values()):
            if type(x) is not Array or x._sig not in accepted:
                args, kw = tuple(map(admitted, args)), {name: admitted(value) for name, value in kw.items()}
                break
        return function(*args, **kw)

    checked.__latticework_support__ = (limit, *earlier)  # type: ignore[attr-defined]
    if limit.kind == "dtypes":
        other = f"{'un' if limit.only else ''}supported_dtypes"
        setattr(checked, other, ResolvedTuple(limit.unlisted))
    resolved = ResolvedDict if limit.kind == "device_and_dtypes" else ResolvedTuple
    setattr(checked, limit.attribute, resolved(limit.listed))
    return checked  # type: ignore[return-value]


def _cast_instead(name: str, limit: Limit, x: Array, device: object, why: str) -> Array:
    """Cast an array to a dtype that is taken, where a casting mode in force allows it.

    Raises
    ------
    BackendError: where none does, with the modes that would.
    """
    from ..api.conversion import astype
    from ..engine.plans import casting

    def attempt(target: Dtype) -> None:
        if limit.refusal(target, device) is not None:
            raise BackendError(target)

    def by(modes: tuple[str, ...]) -> Iterator[casting.CastCandidate]:
        return casting.candidates(modes, x.dtype, current(), attempt, (BackendError,))

    for candidate in by(current().casting):
        casting.note(name, x.backend, x.dtype, candidate.dtype, candidate.mode)
        return astype(x, candidate.dtype)
    raise BackendError(f"{name}: {why}{casting.advice(by(casting.MODES))}")


class ResolvedTuple(Sequence[Any]):
    """A tuple of a function's declared entries, found at its first use: its version may have to be looked up."""

    def __init__(self, find: Callable[[], tuple[Any, ...]]) -> None:
        self._find = find

    def __getitem__(self, index: Any) -> Any:
        return self._find()[index]

    def __len__(self) -> int:
        return len(self._find())

    def __eq__(self, other: object) -> bool:
        return self._find() == (other._find() if isinstance(other, ResolvedTuple) else other)

    def __hash__(self) -> int:
        return hash(self._find())

    def __repr__(self) -> str:
        return repr(self._find())


class ResolvedDict(Mapping[str, Any]):
    """A dict of dtypes by device, as `ResolvedTuple` is a tuple."""

    def __init__(self, find: Callable[[], dict[str, Any]]) -> None:
        self._find = find

    def __getitem__(self, device: str) -> Any:
        return self._find()[device]

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())

    def __repr__(self) -> str:
        return repr(self._find())
