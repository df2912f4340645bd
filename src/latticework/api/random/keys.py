"""Keys of random numbers, and the bits that they stand for."""

from __future__ import annotations

import operator
from typing import Any

from ...core.dtypes import DtypeLike, as_dtype, uint32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed
from ...engine.functions.without_data import without_data
from ...policy import current
from .drawing import _bits, _fold, _split, key_of, shape_of, under_ours

__all__ = ["bits", "fold_in", "key", "split"]


@composed
def key(seed: int | Array, /, *, device: Any = None, backend: str | None = None) -> Array:
    """Make a key from a seed. Functions of this namespace take a key first, and draw the same numbers for the same key.

    Parameters
    ----------
    seed: an int of 64 bits, or an integer array without dimensions. Ints beyond 64 bits wrap around.
    device: where the key lies; a `Device` of an array brings its backend with it.
    backend: whose array the key is; the current one by default.

    Returns
    -------
    An ordinary array of dtype uint32 and shape (2,): the high and the low word of the seed. It goes through jit, vmap,
    grad, trees and files as any array.

    Raises
    ------
    TypeError: a seed that is no integer.
    ValueError: a seed with dimensions.

    Notes
    -----
    The generator is Threefry-2x32 of 20 rounds (Salmon et al., 2011), with the counters of jax.random. For one key
    jax.random, and every backend here, give the same bits; numbers made of them agree to rounding. A key is used once:
    two draws of one key and shape are the same numbers, and nobody warns of it. Take new keys from `split` or
    `fold_in`. JAX's typed keys are taken wherever a key is. Seeds of more than 32 bits are those of JAX with its 64-bit
    switch on; without it, JAX drops the high word.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.key(42)
    Array([ 0, 42], dtype=uint32)
    """
    if isinstance(seed, Array) or (hasattr(seed, "dtype") and hasattr(seed, "shape")):
        return _of_array(seed, device)
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"random.key: seed must be an int; got {seed!r}") from None
    words = [value >> 32 & 0xFFFFFFFF, value & 0xFFFFFFFF]
    return lw.asarray(words, dtype=uint32, device=device, backend=backend)


def _of_array(seed: Any, device: Any) -> Array:
    """The key of an integer array, whose value may not be known yet."""
    x = lw.asarray(seed, device=device)
    if x.dtype.kind not in "iu":
        raise TypeError(f"random.key: seed must have an integer dtype; got {x.dtype}")
    if x.shape:
        raise ValueError(f"random.key: seed must have no dimensions; got shape {x.shape}. Split one key instead")
    with under_ours():
        low = lw.astype(x, uint32)
        high = lw.astype(x >> 32, uint32) if x.dtype.bits == 64 else lw.zeros_like(low)
        return lw.stack([high, low])


@composed
def split(key: Array, num: int | tuple[int, ...] = 2) -> Array:
    """Split a key into several, whose numbers have nothing in common with each other and with those of the key.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    num: how many, or the shape of the array of keys.

    Returns
    -------
    uint32 of shape (num, 2), or (*num, 2): a key along the last axis. Unpack them: ``key, subkey = split(key)``.

    Raises
    ------
    TypeError, ValueError: what is given is no key.

    Notes
    -----
    As in JAX, ``split(key, n)[i]`` is ``fold_in(key, i)``: split a key or fold numbers into it, and not both.

    Examples
    --------
    >>> import latticework as lw
    >>> a, b = lw.random.split(lw.random.key(0))
    >>> a
    Array([1797259609, 2579123966], dtype=uint32)
    """
    key = key_of("split", key)
    shape = shape_of("split", num)
    return _split((*shape, 2), key._data, dtype=uint32, device=key.device)


@composed
def fold_in(key: Array, data: int | Array) -> Array:
    """Make a key from a key and a number, such as the number of a step.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    data: an int, or an integer array without dimensions; of it the low 32 bits.

    Returns
    -------
    A key: uint32 of shape (2,).

    Raises
    ------
    TypeError, ValueError: what is given is no key, or no integer.

    Notes
    -----
    As in JAX, ``fold_in(key, i)`` is ``split(key, n)[i]``: split a key or fold numbers into it, and not both.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.fold_in(lw.random.key(0), 1)
    Array([ 928981903, 3453687069], dtype=uint32)
    """
    key = key_of("fold_in", key)
    if isinstance(data, Array):
        if data.dtype.kind not in "iu" or data.shape:
            raise TypeError(
                f"random.fold_in: data must be an integer without dimensions; got {data.dtype} of shape {data.shape}"
            )
        folded = lw.astype(data, uint32)
    else:
        try:
            word = operator.index(data) & 0xFFFFFFFF
        except TypeError:
            raise TypeError(f"random.fold_in: data must be an int; got {data!r}") from None
        folded = lw.asarray(word, dtype=uint32, backend=key.backend, device=key.device)
    key, folded = without_data((key, folded)) or (key, folded)
    return _fold((2,), key._data, folded._data, dtype=uint32, device=key.device)


@composed
def bits(key: Array, shape: int | tuple[int, ...] = (), dtype: DtypeLike | None = None) -> Array:
    """Draw random bits, as unsigned integers.

    Parameters
    ----------
    key: a key, uint32 of shape (2,).
    shape: the shape of the result.
    dtype: an unsigned dtype; the default uint, uint32, if not given.

    Returns
    -------
    Integers from all that the dtype has, with equal probability.

    Raises
    ------
    TypeError: a dtype that is not unsigned.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.bits(lw.random.key(0), (3,), dtype="uint8")
    Array([167, 146,  40], dtype=uint8)
    """
    key = key_of("bits", key)
    found = current().default("u") if dtype is None else as_dtype(dtype)
    if found.kind != "u":
        raise TypeError(f"random.bits: dtype must be an unsigned one; got {found}. For integers take lw.random.randint")
    return _bits(shape_of("bits", shape), key._data, dtype=found, device=key.device)
