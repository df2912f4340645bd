"""Read the bits of elements as another dtype."""

from __future__ import annotations

from ..core.dtypes import DtypeLike, uint8
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, wrapped
from ..engine.declare import composed
from ..engine.exchange.foreign import as_operand
from ..errors import BackendError
from ..policy import as_dtype


@composed
def bitcast(x: Array, dtype: DtypeLike, /) -> Array:
    """Read the bits of each element as another dtype.

    Parameters
    ----------
    x: any shape and dtype.
    dtype: any dtype but bool, most of whose bits would mean nothing: write ``x != 0`` for that.

    Returns
    -------
    An array of the dtype. Of the same width, it has the shape of x. Narrower, it has a new last axis with the parts of
    each element, the least significant first. Wider, the last axis of x has the parts of one element, and is gone.

    Raises
    ------
    ValueError: a wider dtype, and the last axis of x has not as many elements as one of these is made of.
    TypeError: to bool.
    BackendError: the backend does not have the dtype.

    Notes
    -----
    ``jax.lax.bitcast_convert_type`` and ``tf.bitcast``. NumPy's and PyTorch's ``x.view(dtype)`` lengthen or shorten the
    last axis instead. On NumPy and PyTorch the result may share the memory of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.bitcast(lw.asarray([1.0, -0.0]), lw.int32)
    Array([ 1065353216, -2147483648], dtype=int32)
    >>> lw.bitcast(lw.asarray([258], dtype=lw.uint16), lw.uint8)
    Array([[2, 1]], dtype=uint8)
    """
    x, target = as_operand(OPS["bitcast"], x), as_dtype(dtype)
    if target.kind == "b" != x.dtype.kind:
        raise TypeError("bitcast: most bits are no bool. Compare instead: x != 0")
    backend = x._sig.backend
    if target not in backend.native_dtypes:
        raise BackendError(f"bitcast: the {x.backend} backend has no {target}")
    if x.dtype is target:
        return x
    if x.dtype.kind == "b":
        return bitcast(lw.astype(x, uint8), target)
    parts = target.itemsize // x.dtype.itemsize
    if parts > 1 and (not x.ndim or x.shape[-1] not in (parts, None)):
        raise ValueError(
            f"bitcast: one {target} is made of {parts} of {x.dtype}, which the last axis has; got shape {x.shape}"
        )
    return wrapped(backend.reinterpret(x._data, backend.native_dtypes[target]), backend.sig(target))
