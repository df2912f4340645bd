"""Keys as JAX reads them: positions out of bounds clamp, are dropped or filled, by the mode. Arrays are `lw.Array`s.

A dropped or filled position becomes a place behind the end of its axis. The array is extended by it for the time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import latticework as lw

from ...engine.arrays.array import Array

__all__ = ["check_key", "fill_for", "read", "updated"]

_MODES = {
    "promise_in_bounds": "clip", "clip": "clip", "fill": "fill", "drop": "fill", "wrap": "wrap",
}  # fmt: skip


def check_key(key: Any) -> None:
    """Refuse what JAX does not take in square brackets, though NumPy does.

    Raises
    ------
    TypeError: for lists, floats and texts.
    """
    for k in key if isinstance(key, tuple) else (key,):
        if isinstance(k, (list, range)):
            raise TypeError(f"a key that is a {type(k).__name__} is not allowed; index with jnp.array({k!r})")
        if isinstance(k, str):
            raise TypeError(f"JAX does not support string indexing; got {k!r}")
        if isinstance(k, (float, complex)) or (isinstance(k, Array) and k.dtype.kind in "fc"):
            raise TypeError("a key must have an integer or boolean type")


def _mode(mode: Any, default: str) -> str:
    if mode is None:
        return default
    name = getattr(mode, "name", mode)
    found = _MODES.get(str(name).lower().replace("fill_or_drop", "fill"))
    if found is None:
        raise ValueError(f"the mode must be one of clip, fill, drop and promise_in_bounds; got {mode!r}")
    return found


def _places(x: Array, key: Any) -> list[tuple[Any, int | None]]:
    """Each part of a key, with the axis that its positions are along; None where it has no positions."""
    parts = list(key) if isinstance(key, tuple) else [key]
    taken = [0 if _no_axis(k) else k.ndim if _mask(k) else 1 for k in parts]
    if sum(taken) > x.ndim:
        raise IndexError(f"too many indices: the array has {x.ndim} dimensions, and {sum(taken)} were indexed")
    found: list[tuple[Any, int | None]] = []
    axis = 0
    for k, n in zip(parts, taken, strict=True):
        positions = n == 1 and not isinstance(k, slice) and not _mask(k)
        found.append((k, axis if positions else None))
        axis += x.ndim - sum(taken) if k is Ellipsis else n
    return found


def _no_axis(k: Any) -> bool:
    return k is None or k is Ellipsis or isinstance(k, bool)


def _mask(k: Any) -> bool:
    return isinstance(k, Array) and k.dtype.kind == "b"


def _settled(
    x: Array, key: Any, change: Callable[[Any, int, int], Any], wrap_negative: bool
) -> tuple[Array, Any, dict[int, int]]:
    """A key with each position changed; `change` gets a position, the extent and the axis."""
    parts = []
    extents: dict[int, int] = {}
    for k, axis in _places(x, key):
        if axis is not None:
            n = x.shape[axis]
            extents[axis] = n
            if isinstance(k, Array):
                k = lw.astype(k, lw.int32) if k.dtype.bits < 32 or k.dtype.kind == "u" else k
                k = lw.where(k < 0, k + n, k) if wrap_negative else k
            else:
                k = k.__index__()
                k = k + n if k < 0 and wrap_negative else k
            k = change(k, n, axis)
        parts.append(k)
    return x, tuple(parts), extents


def _clamped(k: Any, n: int, axis: int) -> Any:
    return lw.clip(k, 0, n - 1) if isinstance(k, Array) else min(max(k, 0), n - 1)


def _wrapped(k: Any, n: int, axis: int) -> Any:
    return k % n


def _behind(k: Any, n: int, axis: int) -> Any:
    """Replace positions out of bounds by the place behind the end."""
    if isinstance(k, Array):
        return lw.where((k < 0) | (k >= n), n, k)
    return k if 0 <= k < n else n


def _extended(x: Array, axes: dict[int, int], value: Any) -> Array:
    widths = [(0, 1 if axis in axes else 0) for axis in range(x.ndim)]
    if x.dtype.kind == "b":
        return lw.astype(lw.pad(lw.astype(x, lw.uint8), widths, constant_values=int(value)), lw.bool)
    if any(axes.values()) or not axes:
        return lw.pad(x, widths, constant_values=value)
    shape = tuple(n + (axis in axes) for axis, n in enumerate(x.shape))
    return lw.full(shape, value, dtype=x.dtype, device=x.device)


def fill_for(dtype: Any) -> Any:
    """Return the value for out-of-bounds elements: nan, the least signed or the greatest unsigned integer, True."""
    if dtype.kind in "fc":
        return nan  # one object, which equals itself in a tuple
    if dtype.kind == "b":
        return True
    return int(lw.iinfo(dtype).min if dtype.kind == "i" else lw.iinfo(dtype).max)


def read(x: Array, key: Any, mode: Any = None, fill_value: Any = None, wrap_negative: bool = True) -> Array:
    """``x[key]``, with positions out of bounds by the mode: clamped, if there is no mode."""
    check_key(key)
    how = _mode(mode, "clip")
    if how == "fill":
        value = fill_for(x.dtype) if fill_value is None else fill_value
        value = value.item() if isinstance(value, Array) else value
        _, settled, axes = _settled(x, key, _behind, wrap_negative)
        return _as(x, _extended(x, axes, value)[settled])
    _, settled, _ = _settled(x, key, _wrapped if how == "wrap" else _clamped, wrap_negative)
    return _as(x, x[settled])


def _as(x: Array, result: Array) -> Array:
    """Return the result with the weak flag of x."""
    from ...engine.arrays.array import wrapped

    if result.weak == x.weak:
        return result
    sig = result._sig
    return wrapped(result._data, sig.weakly if x.weak else sig.strongly)


def updated(x: Array, key: Any, method: str, values: Any, mode: Any = None, wrap_negative: bool = True) -> Array:
    """``x.at[key].<method>(values)``, with positions out of bounds by the mode: dropped, if there is no mode."""
    check_key(key)
    how = _mode(mode, "fill")
    if how == "fill":
        _, settled, axes = _settled(x, key, _behind, wrap_negative)
        static = all(isinstance(k, int) and k < n for k, n in _positions(settled, x))
        if static:
            return _as(x, _change(x, settled, method, values))
        wide = _change(_extended(x, axes, 0), settled, method, values)
        return _as(x, wide[tuple(slice(0, n) for n in x.shape)])
    _, settled, _ = _settled(x, key, _wrapped if how == "wrap" else _clamped, wrap_negative)
    return _as(x, _change(x, settled, method, values))


def _positions(key: tuple[Any, ...], x: Array) -> list[tuple[Any, int]]:
    return [(k, x.shape[axis]) for k, axis in _places_of(key, x) if axis is not None]


def _places_of(key: tuple[Any, ...], x: Array) -> list[tuple[Any, int | None]]:
    return _places(x, key)


_OF_NUMBERS = frozenset("add subtract multiply divide power".split())


def _change(x: Array, key: Any, method: str, values: Any) -> Array:
    at = lw.at(x)[key]
    if method == "apply":
        return at.set(lw.astype(values(at.get()), x.dtype))
    values = lw.asarray(values) if not isinstance(values, Array) else values
    wide = lw.result_type(x, values)  # refused in the strict mode, also where nothing is computed
    if x.dtype.kind == values.dtype.kind == "b" and method in _OF_NUMBERS:
        lw.broadcast_to(values, at.get().shape)  # the error of shapes that do not fit comes first
        raise TypeError(f"{method} does not accept dtype bool: x.at[...] computes with numbers")
    if method == "power" or method == "divide":
        return _by_elements(x, key, method, values)
    if values.dtype is x.dtype:
        return getattr(at, method)(values)
    if method == "set":
        return at.set(_into(values, x.dtype))
    # JAX computes in the dtype that both promote to, and casts what comes out.
    return _into(getattr(lw.at(lw.astype(x, wide))[key], method)(lw.astype(values, wide)), x.dtype)


def _into(x: Array, dtype: Any) -> Array:
    return lw.astype(lw.real(x) if x.dtype.kind == "c" and dtype.kind != "c" else x, dtype)


def _by_elements(x: Array, key: Any, method: str, values: Array) -> Array:
    """Scatter the values as a product first, as JAX does: ``x / (1 * values)``."""
    if method == "power":
        return lw.astype(lw.pow(x, lw.at(lw.ones_like(x))[key].multiply(lw.astype(values, x.dtype))), x.dtype)
    ones = lw.at(lw.ones_like(x))[key].multiply(lw.astype(values, x.dtype))
    return lw.astype(lw.divide(x, ones), x.dtype)
