"""Forms that several dialects share: what gives our arguments of a framework's, see `calls.formed`.

Each gets the array, of which it may read `_data` and `_sig`, and the other arguments as they are. It gives a tuple of
ours, without the array; None, or an error, where the arguments mean something that the framework's function has to look
at.
"""

from __future__ import annotations

from typing import Any

from numpy import asarray

__all__ = [
    "SHAPING", "broadcast", "flat", "of_an_axis", "of_bools", "permuted", "permuted_by", "repeated", "squeezed",
    "swapped", "taken",
]  # fmt: skip


def flat(a: Any) -> Any:
    """One axis."""
    return ((-1,),)


def of_an_axis(a: Any) -> Any:
    """No argument besides an array with an axis or more."""
    return () if len(a._data.shape) else None


def of_bools(a: Any, axis: Any = None) -> Any:
    """No argument besides an array of bools, or an axis."""
    if a._sig.dtype.kind != "b":
        return None
    return () if axis is None else (axis,) if type(axis) is int else None


#: The axes in the reverse order, as the one argument, by how many there are.
_REVERSED = [(tuple(range(n))[::-1],) for n in range(33)]


def permuted(a: Any, axes: Any = None) -> Any:
    """The axes in another order, a tuple or a list; in the reverse one if it is not given."""
    if axes is None:
        return _REVERSED[a._data.ndim]
    kind = type(axes)
    return (axes,) if kind is tuple else (tuple(axes),) if kind is list else None


def permuted_by(a: Any, *axes: Any) -> Any:
    """As `permuted`, of a method that takes the axes one by one, or as one sequence."""
    if not axes:
        return _REVERSED[a._data.ndim]
    return (axes,) if type(axes[0]) is int else permuted(a, *axes)


def swapped(a: Any, axis1: Any, axis2: Any) -> Any:
    """Two axes, given as ints, exchanged."""
    if type(axis1) is not int or type(axis2) is not int:
        return None
    axes = [*range(len(a._data.shape))]
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return (tuple(axes),)


def squeezed(a: Any, axis: Any = None) -> Any:
    """The axes of extent 1, or one that is given as an int."""
    if axis is None:
        return (tuple([i for i, n in enumerate(a._data.shape) if n == 1]),)
    return (axis,) if type(axis) is int else None


def broadcast(a: Any, shape: Any) -> Any:
    """A shape of ints."""
    for n in shape:
        if type(n) is not int or n < 0:
            return None
    return (tuple(shape),)


def repeated(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element, or each part along an axis, so many times."""
    if type(repeats) is not int:
        return None
    return (repeats,) if axis is None else (repeats, axis) if type(axis) is int else None


def taken(a: Any, indices: Any, axis: Any = None) -> Any:
    """The elements, or the parts along an axis, at positions that there are: NumPy refuses others itself, and JAX's on
    the CPU are looked at in its memory."""
    backend, positions, shape = a._sig.backend, indices._array, a._data.shape
    if axis is None and len(shape) == 1:
        axis = 0
    if type(axis) is not int or positions._sig.dtype.kind not in "iu":
        return None
    if backend.name == "jax" and backend.module.device_of(positions._data) == "cpu":
        values = asarray(positions._data)  # or an error, in a trace
        if not values.size or values.min() < 0 or values.max() >= shape[axis]:
            return None
    elif backend.name != "numpy":
        return None
    return indices, axis


#: The forms of the functions that NumPy and JAX call alike, as `Dialect.finish` takes them.
SHAPING = {
    "transpose": ("permute_dims", permuted),
    "permute_dims": ("permute_dims", permuted),
    "squeeze": ("squeeze", squeezed),
    "swapaxes": ("permute_dims", swapped),
    "broadcast_to": ("broadcast_to", broadcast),
}
