"""Dropout: some elements, drawn by chance, are set to zero."""

from __future__ import annotations

from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from ...engine.exchange.foreign import as_operand
from .. import elementwise as _e
from ..conversion import astype
from ..random.discrete import bernoulli
from ..searching import where

__all__ = ["dropout"]


@composed
def dropout(x: Array, /, p: float = 0.5, *, key: Array | None, shape: tuple[int, ...] | None = None) -> Array:
    """Set elements drawn by chance to zero, and scale the others so that the mean stays.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    p: the probability that an element is set to zero, from 0 to 1.
    key: a key of `lw.random.key` or `split`; use each key once. None leaves x as it is, when not training.
    shape: what is drawn for, a shape that broadcasts to that of x, so that all elements along an axis of extent 1 share
        their fate; by default each element has its own.

    Returns
    -------
    The shape of x, and its dtype.

    Raises
    ------
    ValueError: p is not from 0 to 1, or shape does not broadcast to that of x.

    Notes
    -----
    ``where(bernoulli(1 - p), x / (1 - p), 0)`` (Srivastava and others 2014): the same elements for one key on every
    backend. PyTorch and Keras draw from a generator that they keep.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.dropout(lw.ones(6), 0.5, key=lw.random.key(0))
    Array([0., 0., 2., 2., 0., 2.], dtype=float32)
    """
    x = as_operand(OPS["nn.dropout"], x)
    if not 0 <= p <= 1:
        raise ValueError(f"nn.dropout: p is a probability, from 0 to 1; got {p!r}")
    if x.dtype.kind in "biu":
        x = astype(x, lw.default_float_dtype())
    elif x.dtype.kind != "f":
        raise TypeError(f"nn.dropout: takes real floating dtypes; got {x.dtype}")
    if key is None or p == 0:
        return x
    drawn = x.shape if shape is None else shape
    if lw.broadcast_shapes(x.shape, drawn) != x.shape:
        raise ValueError(f"nn.dropout: shape must broadcast to that of x, {x.shape}; got {drawn}")
    if p == 1:
        return lw.zeros_like(x)
    kept = bernoulli(key, 1 - p, drawn)
    return where(kept, _e.divide(x, 1 - p), 0.0)
