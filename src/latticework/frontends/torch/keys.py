"""PyTorch's keys of ``x[key]``, where they mean something else than NumPy's.

An int takes its axis away before arrays are looked at, so that it never moves the axes of their result; a mask may be
of uint8; and no slice goes backwards.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PLAIN", "ours", "parts"]

PLAIN = frozenset((int, type(None), type(Ellipsis)))


def ours(key: Any, tensor: Any) -> Any:
    """The key as NumPy has it.

    Raises
    ------
    ValueError: a slice goes backwards.
    TypeError: a text.
    """
    if type(key) is tuple:
        return tuple([k if type(k) in PLAIN else ours(k, tensor) for k in key])
    if type(key) is slice:
        if isinstance(key.step, int) and key.step <= 0:
            raise ValueError("step must be greater than zero")
    elif type(key) is tensor:
        if key._array._sig.dtype.name == "uint8":
            return key._to("bool")
    elif isinstance(key, str):
        raise TypeError(f"an index is an int, a slice, ..., None, a tensor or a list; got {key!r}")
    return key


def parts(key: Any, tensor: Any) -> tuple[Any, Any] | None:
    """Return the ints of a key, and the rest of the key for their result; None where the key is one step."""
    if type(key) is not tuple:
        return None
    ints = any(type(k) is int for k in key)
    arrays = any(isinstance(k, list) or (type(k) is tensor and k._array.ndim) for k in key)
    if not ints or not arrays:
        return None
    first: list[Any] = []
    for k in key:
        if type(k) is int or k is Ellipsis:
            first.append(k)
        elif k is not None:
            first += [slice(None)] * _axes(k, tensor)
    return tuple(first), tuple([k for k in key if type(k) is not int])


def _axes(k: Any, tensor: Any) -> int:
    """Return the number of axes that a part of a key takes."""
    mask = type(k) is tensor and k._array._sig.dtype.kind == "b"
    return k._array.ndim if mask else 1
