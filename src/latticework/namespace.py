"""The names that depend on the backend in force: the valid dtypes, and the framework's own dtypes.

``lw.valid_dtypes``, ``lw.invalid_dtypes`` and the like, ``lw.NativeDtype``, ``lw.native_float32`` and the like are
looked up at each access, for the policy of the context that asks. The dtypes themselves are plain globals of the
package, as fast to read as any, until a backend is selected that lacks some of them, or may lack them. Only these
dtypes are then withdrawn from the globals, for the rest of the process, and looked up here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .contents import MODULE_OF
from .core.dtypes import Dtype, all_dtypes, category, extended_dtypes
from .errors import BackendError, nearest
from .policy import current

if TYPE_CHECKING:
    from .backend import Backend

__all__ = ["NativeDtype", "attribute", "listed", "no_attribute", "withdraw"]


class NativeDtype:
    """The class of a framework's own dtypes: empty as long as no backend is set, and that framework's afterwards.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.native_float32
    lw.float32
    >>> with lw.using(backend="numpy"):
    ...     lw.NativeDtype, lw.native_float32
    (<class 'numpy.dtype'>, dtype('float32'))
    """


_BY_NAME = {str(d): d for d in (*all_dtypes, *extended_dtypes)}
_NATIVE = {f"native_{name}": d for name, d in _BY_NAME.items()}
_CATEGORIES = {
    "dtypes": "all", "numeric_dtypes": "numeric", "int_dtypes": "integral", "uint_dtypes": "unsigned integer",
    "float_dtypes": "real floating", "complex_dtypes": "complex floating",
}  # fmt: skip
_VALIDITY = {
    f"{prefix}_{name}": (prefix, kind) for prefix in ("valid", "invalid") for name, kind in _CATEGORIES.items()
}

#: The package's names for a star import, once dtypes are withdrawn; before, they are a plain list in the package.
_public: list[str] = []
_withdrawn: dict[str, Dtype] = {}


def attribute(name: str) -> Any:
    """Return the value of `latticework.<name>` in this context, for a name that is no global of the package.

    Raises
    ------
    AttributeError: for a dtype that the backend in force lacks, with the nearest that it has; for any other name.
    """
    if name in _BY_NAME:
        return _held(_BY_NAME[name], f"lw.{name}")
    if name in _VALIDITY:
        return _validity(*_VALIDITY[name])
    if name in _NATIVE:
        return _held(_NATIVE[name], f"lw.{name}", native=True)
    if name == "NativeDtype":
        return _backend().dtype_class if current().chosen else NativeDtype
    if name == "__all__" and _public:
        return [n for n in _public if n not in _BY_NAME or not _lacked(_BY_NAME[n])]
    raise no_attribute("", name)


def no_attribute(submodule: str, name: str) -> AttributeError:
    """Make the error for a name that is no attribute of the namespace, or of one of its submodules."""
    module = f"latticework.{submodule}".rstrip(".")
    if name.startswith("__"):  # asked for by Python itself, and by libraries that look for a protocol
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    from .core.registry import OPS

    if submodule and name in MODULE_OF:
        return AttributeError(f"module {module!r} has no attribute {name!r}; write lw.{name}.", name=name)
    hint = nearest(name, sys.modules[module].__all__, lines=True) if submodule else ""
    hint = hint or nearest(name, [*_names(), *_NATIVE, *(f for f in OPS if "." in f)], lines=True)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)


def _backend() -> Backend:
    from .backend import get

    return get(current().backend)


def _lacked(dtype: Dtype) -> bool:
    """Return whether a backend is set that does not have the dtype."""
    return current().chosen and dtype not in _backend().native_dtypes


def _held(dtype: Dtype, asked: str, *, native: bool = False) -> Any:
    if not current().chosen:
        return dtype
    backend = _backend()
    if dtype not in backend.native_dtypes:
        from .api.data_types import closest_valid_dtype

        try:
            backend.sig(dtype)
        except BackendError as error:
            why = str(error)
        with suppress(TypeError):  # it has no dtype of this kind
            why = f"{why}. The nearest that it has is lw.{closest_valid_dtype(dtype)}"
        raise AttributeError(f"{asked}: {why}")
    return backend.native_dtypes[dtype] if native else dtype


def _validity(prefix: str, kind: str) -> tuple[Dtype, ...]:
    if not current().chosen:
        return category(kind) if prefix == "valid" else ()
    native = _backend().native_dtypes
    return tuple(d for d in category(kind) if (d in native) == (prefix == "valid"))


def withdraw(dtypes: Iterable[Dtype]) -> None:
    """Remove these dtypes from the globals and look them up at each access: the backend in force may not have them."""
    package = vars(sys.modules["latticework"])
    _public[:] = _public or package["__all__"]
    if package.pop("__all__", None) is not None:  # once, whichever thread comes first
        package["__getattr__"] = _checking(package["__getattr__"])
    for dtype in dtypes:
        _withdrawn[str(dtype)] = dtype
        package.pop(str(dtype), None)


def _checking(others: Callable[[str], Any]) -> Callable[[str], Any]:
    """Make the package's new `__getattr__`: the old one, after a short way to the withdrawn dtypes."""
    from .backend import get

    def look_up(name: str) -> Any:
        dtype = _withdrawn.get(name)
        if dtype is not None and (not (policy := current()).chosen or dtype in get(policy.backend).native_dtypes):
            return dtype
        return others(name)

    return look_up


def _names() -> list[str]:
    return _public or sys.modules["latticework"].__all__


def listed() -> list[str]:
    """List the names to complete: the public names that exist in this context."""
    names: list[str] = sys.modules["latticework"].__all__
    natives = [n for n, d in _NATIVE.items() if not _lacked(d)]
    return [*names, *_VALIDITY, *natives, "NativeDtype"]
