"""JAX's dialect: its rules, its 64-bit switch, its dtypes and its errors."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

import ml_dtypes
import numpy as np

import latticework as lw

from ...core.dtypes import SCALARS as PYTHON_SCALARS
from ...core.dtypes import Dtype
from ...engine.arrays.array import Array as OurArray
from ...engine.op import Op
from ...errors import BackendError, PromotionError
from ...policy import call_under, current
from ..dialect import Dialect, listed
from . import scalars

__all__ = [
    "ALSO_ARRAYS",
    "as_array",
    "canonical",
    "describe",
    "dialect",
    "enabled",
    "ops",
    "our_dtype",
    "requested",
    "set_strict",
    "set_x64",
    "strict",
    "wrap",
]

_SWITCH = {"on": os.environ.get("JAX_ENABLE_X64", "").lower() in ("1", "true", "on", "yes", "t", "y")}


def enabled() -> bool:
    """Return whether 64-bit dtypes are enabled."""
    return _SWITCH["on"]


def set_x64(on: bool) -> None:
    """Turn the 64-bit switch of the dialect on or off. That of the framework itself is another one."""
    if _SWITCH["on"] != bool(on):
        _SWITCH["on"] = bool(on)
        _RESOLVED.clear()
        dialect.changed()


_STRICT = {"on": os.environ.get("JAX_NUMPY_DTYPE_PROMOTION", "").lower() == "strict"}


def strict() -> bool:
    """Return whether the strict mode is on, in which only weak operands promote."""
    return _STRICT["on"]


def set_strict(on: bool) -> None:
    """Turn the strict mode of promotion on or off, in which only weak operands promote."""
    if _STRICT["on"] != on:
        _STRICT["on"] = on
        dialect.changed()


# --- errors ---------------------------------------------------------------------------------------------------------


class TypePromotionError(ValueError):
    """Dtypes have no common one."""


#: Functions whose wrong shapes are a `TypeError` in JAX.
_TYPE_ERRORS = frozenset(
    "reshape matmul dot vecdot permute_dims transpose vdot inner tensordot matvec vecmat zeros ones".split()
)


#: Functions that broadcast before they compute, so that shapes of any ranks are a `ValueError`.
_BROADCAST_FIRST = frozenset("where select broadcast_arrays stack copysign gcd lcm heaviside updated".split())
_SHAPES = re.compile(r"shapes (\(.*\)) do not fit together\. They have to be (?:equal|the same)")


#: Matches errors of functions without a kernel in JAX too: its decompositions take 32 and 64 bits.
_NO_ROUTINE = re.compile(r"linalg\.\w+: there is no routine for (?:float16|bfloat16)")
#: The message for an invalid shape, which is a `TypeError` in JAX's primitives.
_NEGATIVE = "a shape has no negative extents"


def _of_one_rank(text: str) -> bool:
    """Return whether an error is about shapes of equal rank that do not match: a `TypeError` in JAX's primitives."""
    found = _SHAPES.search(text)
    return found is not None and len({shape.count(",") for shape in found[1].replace(",)", ")").split(" and ")}) == 1


def _error(error: Exception, name: str) -> Exception:
    """JAX has Python's own classes of errors. What lacks a kernel on a backend stays what it is."""
    if isinstance(error, BackendError):
        half = _NO_ROUTINE.search(str(error))
        return NotImplementedError(str(error)) if half else error
    name = name.removesuffix("=").rpartition(".")[2]
    text = str(error)
    if name == "broadcast_shapes" and isinstance(error, ValueError):
        return ValueError(f"Incompatible shapes for broadcasting: {text}")
    if isinstance(error, PromotionError) and "have no common dtype under" in text:
        return TypePromotionError(text)
    if isinstance(error, PromotionError) or (type(error) is ValueError and _NEGATIVE in text and name != "eye"):
        return TypeError(text)
    if name in _TYPE_ERRORS and type(error) is not TypeError and isinstance(error, ValueError):
        return error if isinstance(error, lw.errors.AxisError) and name != "transpose" else TypeError(text)
    if type(error) is ValueError and name not in _BROADCAST_FIRST and _of_one_rank(text):
        return TypeError(text)
    return error


def _operand(x: Any, beside: Any) -> Any:
    """Return x if JAX's operators take it beside arrays: NumPy's arrays and scalars, objects with `__jax_array__`."""
    return x if isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "__jax_array__") else NotImplemented


#: Classes of objects that count as arrays beside the arrays: keys of `jax.random`.
ALSO_ARRAYS: list[type] = []


class JaxDialect(Dialect):
    """JAX's dialect, in which a bool counts as an axis, and `keepdims=None` means False."""

    def operands(self, o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return a latticework function's arguments, with bool axes as ints: JAX asks for `__index__` alone."""
        if kw and kw.get("keepdims", False) is None:
            kw = {**kw, "keepdims": False}
        if kw and isinstance(kw.get("axis"), bool):
            kw = {**kw, "axis": int(kw["axis"])}
        first = len(o.operands)
        if len(args) > first and any(type(x) is bool for x in args[first:]):
            names = (*o.operands, *o.by_position)
            args = tuple([
                int(x) if type(x) is bool and n < len(names) and names[n].startswith("axis") else x
                for n, x in enumerate(args)
            ])  # fmt: skip
        return args, kw


def _rules() -> str:
    """The name of the rule set that the switches select."""
    return f"jax{'' if enabled() else '-x32'}{'-strict' if strict() else ''}"


dialect = JaxDialect("jax", _rules, errors=_error, operand=_operand)
ops = dialect.ops

dialect.with_dtypes(
    {lw.as_dtype(name): scalars.native_dtype(name) for name in scalars.SCALARS if name not in scalars._Aliases.of}
)


#: Latticework's dtypes by requested dtype, under the 64-bit switch as it is.
_RESOLVED: dict[Any, Dtype] = {}

# --- dtypes ---------------------------------------------------------------------------------------------------------


def requested(dtype: Any) -> np.dtype[Any]:
    """Return NumPy's dtype of an argument that is read as a dtype, as requested."""
    if isinstance(dtype, scalars.ScalarMeta):
        return dtype.dtype
    if type(dtype) is dialect.array:
        raise ValueError("an array does not stand for its dtype: give dtype=x.dtype")
    if isinstance(dtype, Dtype):
        return scalars.native_dtype(str(dtype))
    if dtype is None:
        return np.dtype("float64")
    if isinstance(dtype, str) and hasattr(ml_dtypes, dtype):
        return np.dtype(getattr(ml_dtypes, dtype))
    return np.dtype(dtype)


def _is_python_s(dtype: Any) -> bool:
    """Return whether a dtype is a Python type, which follows the switch. By identity: jnp.float64 equals float."""
    return any(dtype is scalar for scalar in PYTHON_SCALARS)


def canonical(dtype: Any, *, warn: str = "") -> np.dtype[Any]:
    """Return NumPy's dtype of an argument that is read as a dtype, truncated while the 64-bit switch is off.

    Parameters
    ----------
    warn: the name of the function, for a warning where a 64-bit dtype was requested; empty for no warning.
    """
    found = requested(dtype)
    if enabled() or found.name not in scalars.TRUNCATED:
        return found
    narrow = scalars.native_dtype(scalars.TRUNCATED[found.name])
    if warn and not _is_python_s(dtype):
        warnings.warn(
            f"{warn}: the dtype {found} is not available and becomes {narrow}. Set jax_enable_x64 to have it",
            UserWarning, stacklevel=3,
        )  # fmt: skip
    return narrow


def our_dtype(dtype: Any, *, warn: str = "") -> Any:
    """Return latticework's dtype of a requested dtype, truncated while the 64-bit switch is off; None for None."""
    if dtype is None:
        return None
    if dialect.is_foreign and _is_python_s(dtype):
        return dialect.default(np.dtype(dtype).kind)
    try:
        return _RESOLVED[dtype]
    except (KeyError, TypeError):
        pass
    found = canonical(dtype, warn=warn)
    if found.kind in "OSUMm" or found.names:
        raise TypeError(f"JAX only supports number, bool and bfloat16 dtypes; got dtype {found}")
    ours = lw.as_dtype(found.name)
    if (found == requested(dtype) or _is_python_s(dtype)) and dtype.__hash__ is not None:
        _RESOLVED[dtype] = ours  # a truncated dtype warns each time
    return ours


dialect.numbers = lambda: {float: our_dtype(float), int: our_dtype(int)}


# --- arrays ---------------------------------------------------------------------------------------------------------


def of_numpy(x: Any) -> OurArray:
    """Convert NumPy's array or scalar to an `lw.Array`, on the backend in force, truncated by the 64-bit switch."""
    if x.dtype.kind in "OSUMmV" and x.dtype.name not in scalars.SCALARS:
        raise TypeError(f"an array of dtype {x.dtype} is not a valid JAX array. Only numbers and bools are supported")
    return lw.asarray(x, dtype=our_dtype(x.dtype), backend=current().backend, copy=True)


dialect.converts(np.ndarray, of_numpy)
for _kind in (*np.sctypeDict.values(), ml_dtypes.bfloat16):
    if issubclass(_kind, (np.number, np.bool_, ml_dtypes.bfloat16)):
        dialect.converts(_kind, of_numpy)


def wrap(x: OurArray) -> Any:
    """Wrap an `lw.Array` as an array of the dialect."""
    return dialect.wrapped(x)


def as_array(x: Any, name: str = "") -> Any:
    """Convert an argument to an array of the dialect. A list is refused.

    Raises
    ------
    TypeError: the argument is not read as an array.
    """
    if type(x) is dialect.array:
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return wrap(of_numpy(x))
    if isinstance(x, PYTHON_SCALARS):
        return wrap(call_under(dialect.policy(), lw.asarray, (x,), {}))
    if type(x) is OurArray:
        return wrap(x)
    if hasattr(x, "__jax_array__"):
        return as_array(x.__jax_array__(), name)
    raise TypeError(f"{name or 'the function'} requires ndarray or scalar arguments, got {type(x)}")


def describe(names: dict[str, Any], view: str, helpers: str = "") -> None:
    """Complete a module whose functions remember nothing: what they give depends on more than their arguments."""
    for name, f in listed(names, helpers).items():
        f.__doc__ = (
            f.__doc__ or f"`{view}.{name}`, with its arguments, dtypes and errors, on the backend of the arrays."
        )


def __getattr__(name: str) -> Any:
    """Return a public name of `jax.core`, which this module stands for in programs."""
    from importlib import import_module

    for module in ("tracers", "jaxprs"):
        found = import_module(f"{__package__}.{module}")
        if name in found.__all__:
            return getattr(found, name)
    raise AttributeError(f"jax.core.{name}: latticework's dialect of jax has no such name", name=name)
