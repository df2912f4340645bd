"""The operands of NumPy's functions and the arrays that they write: as `Array`s, or as NumPy's own."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from ...backend import get, of
from ...core.dtypes import SCALARS, Dtype
from ...core.registry import functions as lw

__all__ = ["LeftToNumPy", "by_numpy", "dtype_of_ours", "operand", "reduction", "write"]


class LeftToNumPy(Exception):  # noqa: N818 - no error: nobody but the two hooks sees it
    """A call that latticework does not answer: NumPy answers it, on converted arrays."""


def operand(array: Any, x: Any, *, mixed: bool = True) -> Any:
    """Convert an operand of NumPy's functions for latticework's. A list or tuple becomes an array on `array`'s backend.

    Parameters
    ----------
    array: the `Array` that NumPy asked.
    mixed: whether a NumPy array is taken beside an array of another backend; latticework's functions then refuse it.
    """
    if type(x) is type(array) or type(x) in SCALARS:
        return x
    owner = of(x)
    if owner is not None:
        if owner.name != "numpy":
            return x
        if x.dtype not in owner.dtypes or (x.ndim and not mixed and array.backend != "numpy"):
            raise LeftToNumPy  # objects, dates and text; an array of another backend
        return x if x.ndim else x[()]  # of a scalar on the left of a comparison, NumPy made an array
    if isinstance(x, SCALARS):
        return x
    if isinstance(x, (list, tuple)):
        try:
            return lw.asarray(x, backend=array.backend)
        except (TypeError, ValueError, OverflowError):
            raise LeftToNumPy from None
    raise LeftToNumPy


def dtype_of_ours(requested: Any) -> Dtype | None:
    """Convert NumPy's dtype to latticework's. `float` is NumPy's float64."""
    import numpy as np

    if requested is None or isinstance(requested, Dtype):
        return requested
    try:
        return get("numpy").dtypes[np.dtype(requested)]
    except KeyError:
        raise LeftToNumPy from None


def write(out: Any, result: Any, where: Any = True) -> Any:
    """Write a result into the array that is given as `out`, and return that.

    NumPy's rule decides what is cast: to a wider dtype, or within a kind.
    """
    import numpy as np

    native = get("numpy").native_dtypes
    if not np.can_cast(native[result.dtype], native[out.dtype], "same_kind"):
        raise TypeError(
            f"out: an array of {out.dtype} does not take a result of {result.dtype}. "
            f"Give an array of {result.dtype}, or cast the result: lw.astype(result, lw.{out.dtype})"
        )
    cast = lw.astype(result, out.dtype, copy=False)
    out[...] = cast if where is True else masked(where, cast, out)
    return out


def masked(mask: Any, x: Any, other: Any) -> Any:
    """Return `x` where the mask is True, `other` elsewhere."""
    return lw.where(lw.asarray(mask, backend=x.backend), x, other)


#: The neutral elements of reductions: what takes the place of the elements that `where` leaves out.
_NEUTRAL: dict[str, Any] = {"sum": 0, "prod": 1, "all": True, "any": False}
#: The functions that join the value of `initial` to the result.
_JOINED = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


def reduction(name: str, x: Any, options: dict[str, Any]) -> Any:
    """Call latticework's reduction with NumPy's options: `out`, `where` and `initial` besides its own options."""
    out, where, initial = options.pop("out", None), options.pop("where", True), options.pop("initial", None)
    if out is not None and type(out) is not type(x):
        raise LeftToNumPy
    if initial is not None and name not in _JOINED:
        raise LeftToNumPy
    if where is not True:
        neutral = _NEUTRAL.get(name, initial)
        if neutral is None:
            raise LeftToNumPy  # the mean of some, or NumPy's error
        x = masked(where, x, neutral)
    result = getattr(lw, name)(x, **options)
    if initial is not None:
        result = getattr(lw, _JOINED[name])(result, initial)
    return result if out is None else write(out, result)


def by_numpy(
    Array: type,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
    *,
    names: Container[str] = ("out",),
    places: Container[int] = (),
) -> Any:
    """Return NumPy's answer, with `Array`s converted as by `numpy.asarray`.

    Parameters
    ----------
    names, places: the arguments that the function writes into, by name and by position. An `Array` there gets what
        NumPy wrote afterwards: NumPy cannot write to every backend's memory.
    """
    import numpy as np

    written: dict[int, tuple[Any, Any]] = {}

    def convert(x: Any) -> Any:
        if type(x) is Array:
            return np.asarray(x)
        if type(x) in (list, tuple):
            return type(x)([convert(v) for v in x])
        return {n: convert(v) for n, v in x.items()} if type(x) is dict else x

    def target(x: Any) -> Any:
        if type(x) is tuple:
            return tuple([target(v) for v in x])
        if type(x) is not Array:
            return x
        theirs = np.array(x)
        written[id(theirs)] = x, theirs
        return theirs

    given = [target(x) if i in places else convert(x) for i, x in enumerate(args)]
    options = {n: target(v) if n in names else convert(v) for n, v in kw.items()}
    result = function(*given, **options)
    for ours, theirs in written.values():
        ours[...] = lw.asarray(theirs, backend=ours.backend)
    if type(result) is tuple:
        return tuple([written.get(id(r), (r,))[0] for r in result])
    return written.get(id(result), (result,))[0]
