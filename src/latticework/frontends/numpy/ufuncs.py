"""NumPy's universal functions, with their options and methods: ``np.add(x, y, out=z)``, ``np.add.reduce(x)``.

Each is a Python function, which costs less to call than an object; `ufunc` tells them by their attributes.
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy

from .. import calls
from . import ufunc_methods
from .base import NO_VALUE, UFuncTypeError, as_array, cast, dialect, native, ops, scalar, write

_OPTIONS = 'where=True, casting="same_kind", order="K", dtype=None, subok=True, signature=None'
#: The functions, see `renaming`.
_TABLE = f"""
(x, /, out=None, *, {_OPTIONS})
        -> ours(x) | _with_options(NAME, (x,), out, where, casting, dtype, signature)
    absolute=abs abs acos arccos=acos acosh arccosh=acosh asin arcsin=asin asinh arcsinh=asinh atan arctan=atan
    atanh arctanh=atanh bitwise_count bitwise_invert bitwise_not=bitwise_invert invert=bitwise_invert cbrt ceil conj
    conjugate=conj cos cosh deg2rad radians=deg2rad rad2deg degrees=rad2deg exp exp2 expm1 fabs floor isfinite isinf
    isnan log log10 log1p log2 logical_not negative positive reciprocal rint sign signbit sin sinh sqrt square tan
    tanh trunc
(x1, x2, /, out=None, *, {_OPTIONS})
        -> ours(x1, x2) | _with_options(NAME, (x1, x2), out, where, casting, dtype, signature)
    add arctan2=atan2 atan2 bitwise_and bitwise_left_shift left_shift=bitwise_left_shift bitwise_or
    bitwise_right_shift right_shift=bitwise_right_shift bitwise_xor copysign divide true_divide=divide equal
    float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp less less_equal
    logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow power=pow
    remainder mod=remainder subtract
(x, /, out=(None, None), *, {_OPTIONS})
        -> tuple(ours(x)) | _with_options(NAME, (x,), out, where, casting, dtype, signature)
    frexp modf
(x1, x2, /, out=(None, None), *, {_OPTIONS})
        -> _divmod(x1, x2) | _with_options(NAME, (x1, x2), out, where, casting, dtype, signature)
    divmod
(x, /, out=None, *, {_OPTIONS})
        -> _spacing(x) | _with_options(NAME, (x,), out, where, casting, dtype, signature)
    spacing
"""
#: NumPy's letters of the dtypes that there are here.
_CODES = frozenset("?bBhHiIlLqQefdFD")
_IDENTITIES = {
    "add": 0, "multiply": 1, "logical_and": True, "logical_or": False, "logical_xor": False, "bitwise_and": -1,
    "bitwise_or": 0, "bitwise_xor": 0, "hypot": 0, "gcd": 0, "logaddexp": -numpy.inf, "logaddexp2": -numpy.inf,
}  # fmt: skip
#: Ufuncs whose results have a dtype of their own: the option `dtype` is not the dtype to compute in.
_OWN_RESULTS = frozenset(
    """
    equal greater greater_equal isfinite isinf isnan less less_equal logical_and logical_not logical_or logical_xor
    not_equal signbit bitwise_count
""".split()
)

__all__ = ["matmul", "matvec", "ufunc", "vecdot", "vecmat"]


class _IsUfunc(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return hasattr(x, "nin") and hasattr(x, "reduce") and callable(x)


class ufunc(metaclass=_IsUfunc):
    """The type that universal functions are instances of."""

    __module__ = "numpy"


# --- the options ----------------------------------------------------------------------------------------------------


def _cast_operand(name: str, x: Any, to: Any, casting: str) -> Any:
    """An operand as the option `dtype` wants it."""
    if type(x) in (int, float, complex, bool):
        return as_array(x, to)
    array = as_array(x)
    if not numpy.can_cast(array.dtype, native(to), casting):
        raise UFuncTypeError(
            f"{name}: an operand of {array.dtype} does not become {native(to)} by the casting rule {casting!r}. "
            f"Cast it first: x.astype({str(native(to))!r})"
        )
    return cast(array, to, copy=False)


def _loop(f: Any, dtype: Any, signature: Any) -> tuple[list[Any], Any]:
    """The dtypes that the options `dtype` and `signature` want of the operands and of the result, None of any."""
    if signature is None:
        return [dtype] * f.nin, None
    if dtype is not None:
        raise TypeError(f"{f.__name__}: dtype and signature say the same; give one of them")
    wanted: list[Any] = []
    if isinstance(signature, str):
        letters = signature.replace("->", "").strip()
        if len(letters) == 1 and "->" not in signature:
            letters *= f.nargs
        wanted = [None if c == "." else c for c in letters]
    else:
        wanted = list(signature) if isinstance(signature, (tuple, list)) else [signature] * f.nargs
    if len(wanted) == 1:
        wanted *= f.nargs
    if len(wanted) != f.nargs:
        raise ValueError(f"{f.__name__}: a signature has {f.nargs} dtypes; got {signature!r}")
    if all(x is None for x in wanted[: f.nin]):  # the result alone says it
        return [wanted[f.nin]] * f.nin, wanted[f.nin]
    return wanted[: f.nin], wanted[f.nin]


def _with_options(
    name: str, operands: tuple[Any, ...], out: Any, where: Any, casting: str, dtype: Any, signature: Any = None,
    compute: Any = None,
) -> Any:  # fmt: skip
    """Call a ufunc with options. `compute` is what it computes of the operands; by default its call without options."""
    f = globals()[name]
    operands = tuple([x if scalar(x) else as_array(x) for x in operands])
    wanted, of_result = _loop(f, dtype, signature)
    if signature is not None and any(x is not None for x in wanted) and name not in _OWN_RESULTS:
        operands = tuple(
            [x if to is None else _cast_operand(name, x, dialect.dtype_of(to), casting)
             for x, to in zip(operands, wanted, strict=True)]
        )  # fmt: skip
    if dtype is not None and name not in _OWN_RESULTS:
        to = dialect.dtype_of(dtype)
        operands = tuple([_cast_operand(name, x, to, casting) for x in operands])
    where = True if where is True else as_array(where, bool)
    found = (compute or f)(*operands)
    if of_result is not None and type(found) is not tuple and found.dtype != native(dialect.dtype_of(of_result)):
        raise UFuncTypeError(f"{name}: has no loop of the signature {signature!r}: the result is {found.dtype}")
    results = found if type(found) is tuple else (found,)
    outs = out if type(out) is tuple else (out,)
    if len(outs) != len(results):
        raise ValueError(f"{name}: out takes {len(results)} arrays; got {len(outs)}")
    made = []
    for r, o in zip(results, outs, strict=True):
        if o is not None:
            made.append(write(name, o, r, where, casting))
        else:  # what NumPy gives where `where` is false is undefined
            made.append(r if where is True else ops.where(where, r, ops.zeros_like(r)))
    return tuple(made) if type(found) is tuple else made[0]


# --- how they are made ----------------------------------------------------------------------------------------------


def _as_ufunc(f: Any) -> Any:
    """Give a function the attributes of a ufunc. Its operands are its positional-only parameters."""
    name, nin = f.__name__, f.__code__.co_posonlyargcount
    nout = 2 if name in ("divmod", "frexp", "modf") else 1
    f.__qualname__, f.__module__ = name, "numpy"
    f.__doc__ = f"`numpy.{name}`, a universal function, with its options and methods, on the backend of the arrays."
    f.nin, f.nout, f.nargs, f.identity = nin, nout, nin + nout, _IDENTITIES.get(name)
    real = getattr(numpy, name, None)
    f.signature = getattr(real, "signature", None)
    f.types = [loop for loop in getattr(real, "types", ()) if _CODES.issuperset(loop.replace("->", ""))]
    f.ntypes = len(f.types)
    if real is not None:
        f.resolve_dtypes, f.__signature__ = real.resolve_dtypes, inspect.signature(real)
    return _with_methods(f)


def _with_methods(f: Any) -> Any:
    for method in ("reduce", "accumulate", "outer", "at", "reduceat"):
        setattr(f, method, functools.partial(getattr(ufunc_methods, method), f))
    return f


# --- ufuncs that are not one latticework function -------------------------------------------------------------------


def _divmod(x1: Any, x2: Any) -> Any:
    return ops.floor_divide(x1, x2), ops.remainder(x1, x2)


def _spacing(x: Any) -> Any:
    """The distance to the next number away from zero, with the sign of x."""
    magnitude = ops.fabs(x)
    return ops.copysign(ops.nextafter(magnitude, numpy.inf) - magnitude, x)


def _product(name: str, compute: Callable[..., Any], core: tuple[int, int, int]) -> Any:
    """Make a ufunc of vectors or matrices along the last axes. `core` has their number, for operands and result."""

    def f(
        x1: Any, x2: Any, /, out: Any = None, *, axes: Any = NO_VALUE, axis: Any = NO_VALUE, keepdims: bool = False,
        casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
    ) -> Any:  # fmt: skip
        x1, x2 = as_array(x1), as_array(x2)
        if axis is not NO_VALUE:
            if core != (1, 1, 0):
                raise TypeError(f"{name}: axis is for one axis that both operands share. Take axes")
            x1, x2 = ops.moveaxis(x1, axis, -1), ops.moveaxis(x2, axis, -1)
        if axes is not NO_VALUE:
            x1, x2 = _to_the_end(x1, axes[0]), _to_the_end(x2, axes[1])
        for x, n in zip((x1, x2), core[:2], strict=True):
            if x.ndim < builtins.min(n, 1) or (x.ndim < n and name != "matmul"):
                raise ValueError(f"{name}: takes arrays of {n} axes or more; got shape {x.shape}")
        result = _with_options(name, (x1, x2), None, True, casting, dtype, signature, compute)
        if axes is not NO_VALUE and len(axes) == 3 and core[2]:
            ends = axes[2] if type(axes[2]) is tuple else (axes[2],)
            result = ops.moveaxis(result, tuple(range(-len(ends), 0)), ends)
        if keepdims:
            result = result[..., None]
        return result if out is None else write(name, out[0] if type(out) is tuple else out, result, True, casting)

    f.__name__ = name
    return _as_ufunc(f)


def _to_the_end(x: Any, axes: Any) -> Any:
    axes = axes if type(axes) is tuple else (axes,)
    return ops.moveaxis(x, axes, tuple(range(-len(axes), 0)))


def _matvec(x1: Any, x2: Any) -> Any:
    return ops.matmul(x1, x2[..., None])[..., 0]


def _vecmat(x1: Any, x2: Any) -> Any:
    x1 = ops.conj(x1) if x1._array.dtype.kind == "c" else x1
    return ops.matmul(x1[..., None, :], x2)[..., 0, :]


vecdot = _product("vecdot", ops.vecdot, (1, 1, 0))
matvec = _product("matvec", _matvec, (2, 1, 1))
vecmat = _product("vecmat", _vecmat, (1, 2, 1))
_matmul = _product("matmul", ops.matmul, (2, 2, 2))
matmul = functools.update_wrapper(calls.binary(dialect.calls("matmul"), _matmul), _matmul)

dialect.finish(globals(), _TABLE, view="numpy", around=_as_ufunc)
for _name in __all__:
    if _name != "ufunc":
        _with_methods(globals()[_name])
