"""Write the result of a call into the array that is given for it, ``out=``.

A function takes it if it declares a parameter of that name. A call without it never comes here: for the dispatchers of
functions with options, `out` is one more name in the key of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...backend import of
from ...core.registry import OPS
from ...errors import BackendError
from ..arrays.array import Array
from ..arrays.views import check_writable
from ..functions.without_data import forget_data
from ..keys.native_keys import cast_into
from .foreign import as_operand

if TYPE_CHECKING:
    from ..op import Op

__all__ = ["target", "writing", "written"]


def written(name: str, result: Array, out: Any) -> Array:
    """Write a result into `out` and return `out`.

    On backends whose arrays never change, `out` is bound to the result instead.

    Raises
    ------
    TypeError: `out` is no `Array`, or the dtype of the result does not go into that of `out`.
    OverflowError: the result is of integers that do not fit the dtype of `out`.
    BackendError: `out` is of another backend.
    ValueError: `out` has another shape, or cannot be written to; or it would be a view where there are no views.
    """
    if type(out) is not Array:
        way_out = ". Make one that shares its memory: lw.asarray(out)" if hasattr(out, "shape") else ""
        raise TypeError(f"{name}: out must be an Array of latticework; got {type(out).__name__}{way_out}")
    forget_data(out)
    backend, dtype = result._sig.backend, out._sig.dtype
    if out._sig.backend is not backend:
        raise BackendError(
            f"{name}: the result is of the {result.backend} backend and out is of {out.backend}. "
            f"Convert one of them: lw.asarray(x, backend={result.backend!r})"
        )
    if not _same_shape(result.shape, out.shape):
        raise ValueError(
            f"{name}: out must have the shape of the result, {result.shape}; got an array of shape {out.shape}"
        )
    if out._sig.immutable:
        check_writable(out, name)
    data = result._data
    if result.dtype is not dtype:
        cast = cast_into(name, backend, result.dtype, dtype)
        if cast is None:
            raise TypeError(
                f"{name}: the result is {result.dtype}, which does not go into out, an array of {dtype}. "
                f"Cast the result: lw.astype(y, lw.{dtype}), or give an out of {result.dtype}"
            )
        data = cast(data)
    try:
        out._data = backend.overwrite(out._data, data)
    except (RuntimeError, ValueError) as error:  # a broadcast array, several of whose elements are one place in memory
        raise ValueError(
            f"{name}: out cannot be written to ({backend.error_text(error)}). Give a copy of it: out=x.copy()"
        ) from error
    return out


def _same_shape(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Return whether two shapes may be equal: an extent that is not known may be any."""
    return len(first) == len(second) and all(
        m == n or m is None or n is None for m, n in zip(first, second, strict=True)
    )


def target(name: str, x: Any, inplace: bool) -> Array:
    """Read the argument of a function that writes into it, or into a copy of it if `inplace` is False.

    Raises
    ------
    TypeError: `inplace` is no bool; or it is True, and `x` is no `Array`: the caller might not see what is written into
        a list, or into a framework's array that is converted.
    """
    if type(inplace) is not bool:
        raise TypeError(f"{name}: inplace must be True or False; got {inplace!r}")
    if not inplace:
        return as_operand(OPS[name], x)
    if type(x) is not Array:
        way_out = "Make one that shares its memory, lw.asarray(x), or take" if of(x) else "Take"
        raise TypeError(
            f"{name}: it writes into x, which must be an Array of latticework; got {type(x).__name__}. {way_out} the "
            f"result of the call with inplace=False"
        )
    return x


def writing(o: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Make a kernel of a function with options write into the option `out`."""

    def write(*arguments: Any, out: Any = None, **kw: Any) -> Any:
        result = kernel(*arguments, **kw)
        return result if out is None else written(o.name, result, out)

    return write
