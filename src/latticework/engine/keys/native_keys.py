"""Convert keys and values of ``x[key] = value`` to native ones, and find the error where one does not fit."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ...backend import of
from ...core.dtypes import (
    KIND_ORDER,
    SCALAR_KINDS,
    SCALARS,
    Dtype,
    all_dtypes,
    extended_dtypes,
    int_limits,
    plain_scalar,
    rounded,
)
from ...core.registry import functions as lw
from ...core.sequences import element, elements
from ...errors import BackendError, NoDataError, PromotionError, from_outside, is_signal
from ...policy import Policy, current
from ...promotion.families import goes_into as _rules_cast
from ..calls import dispatch
from ..calls.observing import refuse
from .reading import check_value, read_key, shown_key

if TYPE_CHECKING:
    from ...backend import Backend
    from ..arrays.array import Array

__all__ = ["cast_into", "index_error", "native_key", "native_value"]


#: Types that every framework takes in a key as they are.
_PLAIN = frozenset((int, slice, bool, type(None), type(Ellipsis)))


def native_key(x: Array, key: Any, verb: str = "getitem") -> Any:
    """Replace `Array`s and lists in a key by native arrays, and objects with ``__index__`` by ints."""
    if type(key) is tuple:
        for k in key:
            if type(k) not in _PLAIN:
                return tuple([k if type(k) in _PLAIN else _native_index(x, k, verb) for k in key])
        return key
    return key if type(key) in _PLAIN else _native_index(x, key, verb)


def _native_index(x: Array, key: Any, verb: str) -> Any:
    if type(key) is type(x):
        owner = x._sig.backend
        if key._sig.backend is not owner:
            if owner.adopt is not None:
                key = lw.asarray(key, backend=x.backend)
            elif key._sig.backend.adopt is not None:
                raise NoDataError(
                    f"{verb}: the index array has no data and the array has. Take the array without its data too: "
                    f"lw.asarray(x, backend={key.backend!r})"
                )
        if key._sig.backend is not owner:
            raise BackendError(
                f"{verb}: the index is of the {key.backend} backend and the array of {x.backend}. "
                f"Convert it: lw.asarray(index, backend={x.backend!r})"
            )
        if key.dtype.kind not in "biu":
            raise IndexError(f"{verb}: an index array must be of an integer dtype or bool; got {key.dtype}")
        try:
            read = x._sig.reads.index_array  # a variable: an attribute that is no method is called slowly
            return read(key._data)
        except IndexError as error:
            raise IndexError(f"{verb}: {error}") from None
    if hasattr(key, "__index__") and not hasattr(key, "__len__"):
        return operator.index(key)
    if isinstance(key, range):
        key = [*key]
    if isinstance(key, (list, tuple)) or of(key) is not None:
        device = x.device
        result = lw.asarray(key, backend=device.backend, device=device)
        if result.size == 0 and isinstance(key, (list, tuple)):
            result = lw.astype(result, x._sig.backend.index_dtype)  # an empty list has no dtype to go by
        return _native_index(x, result, verb)
    raise IndexError(
        f"{verb}: an index is an int, a slice, ..., None, a bool or integer array or a tuple of them; got {key!r}"
    )


# --- values -------------------------------------------------------------------------------------------------------


_RANGES = {
    d: range(int_limits(d).min, int_limits(d).max + 1) for d in (*all_dtypes, *extended_dtypes) if d.kind in "iu"
}


def _takes_bools(dtype: Dtype) -> bool:
    """Return whether the active rules take a Python bool beside an array of another kind: the `strict` rules do not."""
    try:
        return dtype.storage or current().promote(dtype, bool) is dtype
    except PromotionError:
        return False


def _casts(value: Any, dtype: Dtype) -> str:
    """Say what to write for a Python scalar that does not go into an array: a cast of the array, or of the value."""
    kept = {"b": "bool", "u": "int", "f": "float", "c": "complex"}.get(dtype.kind, "int")
    shown = f"({value!r}).real" if isinstance(value, complex) and kept != "bool" else repr(value)
    given = shown if shown.endswith(".real") and kept == "float" else f"{kept}({shown})"
    if isinstance(value, bool):
        return f"Give {given}"
    try:
        wider = current().promote(dtype, type(value))
    except PromotionError:
        wider = current().default(SCALAR_KINDS[type(value)])
    finite = isinstance(value, int) or kept == "bool" or abs(value) < float("inf")
    return f"Cast one of them: x = lw.astype(x, lw.{wider}) first{f', or the value: {given}' * finite}"


def native_value(x: Array, value: Any) -> Any:
    """Check the value of an assignment, before anything is written, and return a Python scalar or a native array of
    x's dtype."""
    backend, dtype = x._sig.backend, x._sig.dtype
    if (kind := SCALAR_KINDS.get(type(value))) is not None:
        if KIND_ORDER[kind] > KIND_ORDER[dtype.kind] or (kind == "b" != dtype.kind and not _takes_bools(dtype)):
            error = f"setitem: a Python {type(value).__name__} does not go into an array of {dtype}, "
            refuse(TypeError(f"{error}whose dtype never changes. {_casts(value, dtype)}"))
            return value
        if dtype in _RANGES and value not in _RANGES[dtype]:
            refuse(OverflowError(f"setitem: Python int {value} does not fit {dtype}"))
        if type(value) is int and dtype.kind in "fc":  # torch takes no int of 2**64 or more
            try:
                value = float(value)
            except OverflowError:
                bits = value.bit_length()
                raise OverflowError(f"setitem: a Python int of {bits} bits does not fit {dtype}") from None
        return rounded(float(value), dtype) if dtype.storage and dtype.kind == "f" else value
    if type(value) is not type(x):
        if isinstance(value, (list, tuple)):
            value = _of_list(x, value)
        elif of(value) is not None:
            value = dispatch.misses.adapted("setitem", x, value)
        elif isinstance(value, SCALARS):
            return native_value(x, plain_scalar(value))
        else:
            raise TypeError(f"setitem: a value is an array, a Python scalar or a list of them; got {value!r}")
    if backend.adopt is not None:
        value = lw.asarray(value, backend=backend.name)
    if value._sig.backend is not backend:
        other = value._sig.backend
        if not other.takes_target or other.recorded != backend.name:
            raise BackendError(
                f"setitem: the value is of the {value.backend} backend and the array of {x.backend}. "
                f"Convert it: lw.asarray(value, backend={x.backend!r})"
            )
        if other.may_record(value._data):
            raise from_outside("setitem")  # else it was computed of constants alone
    if value.dtype is dtype:
        return value._data
    cast = cast_into("setitem", backend, value.dtype, dtype)
    if cast is None:
        error = f"setitem: {value.dtype} does not go into an array of {dtype}, whose dtype never changes, under the "
        refuse(TypeError(f"{error}{current().rules.name} rules. Cast the value: lw.astype(value, lw.{dtype})"))
        cast = backend.cast(backend.native_dtypes[dtype])
    return cast(value._data)


def cast_into(name: str, backend: Backend, value: Dtype, dtype: Dtype) -> Callable[[Any], Any] | None:
    """Return the cast of native arrays that are written into an array, None if the rules in force refuse it.

    Integers that may not fit are checked: an OverflowError in the name of `name` says which do not.
    """
    way = _way(current(), value, dtype)
    if way is None:
        return None
    if way == "cast":
        cast: Callable[[Any], Any] = backend.cast(backend.native_dtypes[dtype])
        return cast
    return partial(_narrow, name, backend.narrow(backend.native_dtypes[dtype]))


def _narrow(name: str, narrow: Callable[[Any], Any], data: Any) -> Any:
    try:
        return narrow(data)
    except OverflowError as error:
        raise OverflowError(f"{name}: {error}") from None


@lru_cache(maxsize=4096)
def _way(policy: Policy, value: Dtype, dtype: Dtype) -> str | None:
    if _rules_cast(policy.rules, value, dtype, policy.default):
        return "cast"
    return "narrow" if policy.rules.fits_into(value, dtype) else None


def _of_list(x: Array, value: Any) -> Array:
    """Convert a list to an array of x's dtype, if its Python scalars and arrays go into that."""
    dtype, leaves = x.dtype, {element(v) for v in elements(value)}
    goes = all(
        _way(current(), leaf, dtype) == "cast"
        if isinstance(leaf, Dtype)
        else KIND_ORDER[SCALAR_KINDS[leaf]] <= KIND_ORDER[dtype.kind]
        for leaf in leaves
    )
    return lw.asarray(value, dtype=x.dtype if goes else None, device=x.device)


# --- errors -------------------------------------------------------------------------------------------------------


def index_error(x: Array, key: Any, error: Exception, value: Any = None, data: Any = None) -> Exception:
    """Return the error of a native key, or of a value, that does not fit: in the same words on every backend.

    The key is read again, with all values that are at hand, to find out what is wrong with it. If that finds nothing,
    the framework's own text is shown.
    """
    if x._sig.backend.raises_itself(error) or is_signal(error) or isinstance(error, BackendError):
        raise error  # from itself it would be its own cause
    backend = x._sig.backend
    verb = "getitem" if value is None else "setitem"
    text = str(error).strip().split("\n")[0].rstrip(".")
    kind: type[Exception] = ValueError if value is not None or isinstance(error, ValueError) else IndexError
    if isinstance(error, MemoryError):
        kind = MemoryError
    elif "read-only" in text:
        kind, text = ValueError, "the array is read-only, as a broadcast one is. Write to a copy of it: x = x.copy()"
    else:
        if isinstance(error, IndexError):
            kind = IndexError
        try:
            plan = read_key(x.shape, key, backend.describe_index, values=True, count=True)
            if hasattr(data, "shape"):
                check_value(plan.shape, tuple(backend.shape_of(data)))
        except (IndexError, ValueError) as found:
            kind, text = type(found), str(found)
        except Exception:  # values that cannot be read here tell nothing
            pass
    shown = f" and a value of shape {value.shape}" if isinstance(value, type(x)) else ""
    return kind(f"{verb}: {text}. Got a key {shown_key(key)}{shown} for an array of shape {x.shape}")
