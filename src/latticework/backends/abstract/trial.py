"""Find out whether a framework's function takes a dtype that latticework's does not, by a call on a small sample."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from .data import Blank

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["dtypes_of_trial"]

#: The greatest extent of a sample. Vectors of a cross product have three elements.
_MOST = 3


def dtypes_of_trial(
    target: Backend, name: str, computed: Dtype, args: tuple[Any, ...], kw: dict[str, Any]
) -> list[Dtype | None] | None:
    """Compute a function of a framework on small arrays of ones, and return the dtypes of the results.

    Parameters
    ----------
    target: the backend of the framework.
    computed: the dtype that the framework's function computes in.
    args, kw: the arguments of the call. An array without data stands for one of its dtype, of extents 3 at most.

    Returns
    -------
    The dtypes, with None for one that latticework does not have; None in place of the list where the shapes or values
    of the sample do not fit, which tells nothing.

    Raises
    ------
    Whatever the framework raises that is not about shapes and values.
    """
    run = target.function(name, computed)
    assert run is not None
    options = {
        n: target.native_dtypes[x] if n == "dtype" and x is not None else _sample(target, x) for n, x in kw.items()
    }
    samples = [_sample(target, x) for x in args]
    dtype_of_blocks = target.dtype_of_blocks
    try:
        with warnings.catch_warnings(action="ignore"):
            found = run(*samples, **options)
            of_blocks = None if dtype_of_blocks is None else dtype_of_blocks(name, computed, tuple(samples), options)
    except (ValueError, IndexError, MemoryError):
        return None
    results = found if isinstance(found, (tuple, list)) else [found]
    if of_blocks is not None and len(results) == 1:  # what is computed later has the dtype that was expected until then
        return [of_blocks]
    return [target.dtypes.get(target.dtype_of(x)) for x in results]


def _sample(target: Backend, x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)([_sample(target, part) for part in x])
    if not isinstance(x, Blank):
        return x
    shape = tuple(_MOST if n is None else min(n, _MOST) for n in x.shape)
    full = target.function("_full", x.dtype)
    assert full is not None
    place = target.native_device(target.device(None))
    return full(shape, {"b": True, "c": 1j}.get(x.dtype.kind, 1), dtype=target.native_dtypes[x.dtype], device=place)
