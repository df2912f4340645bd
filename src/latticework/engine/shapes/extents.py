"""Check axes and join extents: the arithmetic that all shape families share.

An extent is an int, or None where it is not known before the array is computed. A decision from a None is true for
every extent that it can stand for; a check that needs the extent passes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from ...errors import AxisError

Extent = int | None
Shape = tuple[Extent, ...]
#: From shapes of operands and values of options to the shape of the result, or to those of several results.
Family = Callable[..., "Shape | list[Shape]"]


def shape_of(operand: Any) -> Shape:
    """Return the shape of an operand: a Python scalar has no axes."""
    return operand if isinstance(operand, tuple) else ()


def as_int(value: Any, what: str) -> int:
    """Convert an object with `__index__` to an int. A bool is refused: as an axis or an extent it is a mistake."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what}; got {value!r}")
    return operator.index(value)


def check_word(words: Sequence[str], name: str, value: Any) -> None:
    """Check that an option is one of these words."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name} is {' or '.join(map(repr, words))}; got {value!r}")


# --- axes ---------------------------------------------------------------------------------------------------------


def one_axis(axis: Any, shape: Shape, ndim: int | None = None) -> int:
    """Count an axis from the start. `ndim`: the number of axes of the result, where the axis is one of the result."""
    ndim = len(shape) if ndim is None else ndim
    a = as_int(axis, "an axis is an int")
    if not -ndim <= a < ndim:
        bounds = f"axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes"
        raise AxisError(f"axis {a} is out of bounds for array of shape {shape}; {bounds}")
    return a % ndim


def plain_axis(axis: Any, several: bool = False) -> Any:
    """Convert one axis to an int, and a sequence of `several` axes to a tuple of ints. All else stays as it is."""
    if several and isinstance(axis, (list, tuple)):
        plain = tuple(map(plain_axis, axis))
        return axis if type(axis) is tuple and all(map(operator.is_, plain, axis)) else plain
    try:
        return axis if isinstance(axis, int) else operator.index(axis)
    except TypeError:
        return axis


def several_axes(axis: Any, shape: Shape, ndim: int | None = None) -> tuple[int, ...]:
    """Count one axis or several different ones from the start."""
    found = tuple(one_axis(a, shape, ndim) for a in sequence(axis))
    if len({*found}) < len(found):
        raise ValueError(f"an axis is given twice: axis={axis}, for an array of shape {shape}")
    return found


def all_or_some(axis: Any, shape: Shape) -> tuple[int, ...]:
    """Return the axes of a reduction: those that an int, a tuple or a list names, all of them for None."""
    return tuple(range(len(shape))) if axis is None else several_axes(axis, shape)


def drop_axes(shape: Shape, axes: Iterable[int], keepdims: bool = False) -> Shape:
    """Drop some axes of a shape, or give them extent 1."""
    axes = {*axes}
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def replace_axis(shape: Shape, axis: int, *extents: Extent) -> Shape:
    """Replace one axis of a shape by other extents, of which there may be several or none."""
    return (*shape[:axis], *extents, *shape[axis + 1 :])


def need_axes(shape: Shape, count: int = 2) -> None:
    """Check that an array has as many axes as matrices need."""
    if len(shape) < count:
        raise ValueError(f"needs {count} axes or more; got shape {shape}")


def known_extent(shape: Shape, axis: int) -> int:
    """Return the extent along an axis, for a function whose number of results depends on it."""
    n = shape[axis]
    if n is None:
        raise ValueError(
            f"the extent of axis {axis} is not known before the array is computed; its shape is {shape}. "
            f"Take x.compute(), or inside tf.function give tf.TensorSpec the shape"
        )
    return n


# --- extents ------------------------------------------------------------------------------------------------------


def size_of(extents: Iterable[Extent]) -> Extent:
    """Multiply extents: the product is 0 if one is 0, else None if one is not known."""
    size, unknown = 1, False
    for n in extents:
        if n is None:
            unknown = True
        else:
            size *= n
    return None if unknown and size else size


def sum_of(*extents: Extent) -> Extent:
    """Add extents: the sum is None if one is not known."""
    resolved = [n for n in extents if n is not None]
    return sum(resolved) if len(resolved) == len(extents) else None


def min_of(m: Extent, n: Extent) -> Extent:
    """Return the lesser of two extents: 0 if one is 0, else None if one is not known."""
    if m is None or n is None:
        return 0 if 0 in (m, n) else None
    return min(m, n)


def may_equal(m: Extent, n: Extent) -> bool:
    """Compare two extents: an unknown one may equal any other."""
    return m is None or n is None or m == n


def broadcast_extent(*extents: Extent) -> Extent:
    """Broadcast extents. With n > 1 an unknown one has to be 1 or n, so the result is n."""
    others = {*extents} - {1}
    resolved = others - {None}
    if len(resolved) > 1:
        raise MismatchError
    return resolved.pop() if resolved else (None if others else 1)


def equal_extent(extents: Iterable[Extent]) -> Extent:
    """Return the extent that all of these have to be: the first that is known."""
    result: Extent = None
    for n in extents:
        if not may_equal(result, n):
            raise MismatchError
        result = n if result is None else result
    return result


class MismatchError(ValueError):
    """Extents that do not fit together. The caller knows the shapes and names them."""


RULE_BROADCAST = "They have to be equal or 1 along each axis"


def mismatch(shapes: Iterable[Shape], rule: str = RULE_BROADCAST) -> ValueError:
    """Make the error for shapes that do not fit together."""
    return ValueError(f"shapes {' and '.join(map(str, shapes))} do not fit together. {rule}")


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Broadcast shapes."""
    different = {s for s in shapes if s}
    if len(different) < 2:
        return tuple(different.pop()) if different else ()
    columns = [*zip_longest(*(reversed(s) for s in shapes), fillvalue=1)]
    try:
        return tuple(broadcast_extent(*column) for column in reversed(columns))
    except MismatchError:
        raise mismatch(shapes) from None


def broadcasts(*shapes: Shape) -> bool:
    """Test whether shapes broadcast together, as far as their extents are known."""
    try:
        broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Test whether a shape broadcasts to another one, as far as their extents are known."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(m in (n, 1, None) or n is None for m, n in pairs)


def equal_shapes(shapes: Sequence[Shape], rule: str = "They have to be equal") -> Shape:
    """Return the shape that all of these have to be."""
    if len({*map(len, shapes)}) > 1:
        raise mismatch(shapes, rule)
    try:
        return tuple(equal_extent(column) for column in zip(*shapes, strict=True))
    except MismatchError:
        raise mismatch(shapes, rule) from None


def sequence(x: Any) -> tuple[Any, ...]:
    """Make a tuple of a list, and of anything else a tuple with one element."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


class UnknownExtentError(ValueError):
    """A request for an extent that a framework knows only when the program runs. A backend raises it."""


def ints_or_none(shape: Any) -> Shape:
    """Convert a requested shape, an int or a sequence of them, to a tuple. None is the extent of another array."""
    if shape is None:
        raise TypeError("a shape is an int or a tuple of ints; got None")
    extents = sequence(shape)
    if wrong := [n for n in extents if n is not None and (isinstance(n, bool) or not hasattr(n, "__index__"))]:
        got = wrong[0] if len(extents) == 1 else extents
        raise TypeError(f"a shape is of ints; got {got!r}")
    return tuple(None if n is None else operator.index(n) for n in extents)


def requested_shape(shape: Any) -> Shape:
    """Check the shape that is requested for a result."""
    found = ints_or_none(shape)
    if any(n is not None and n < 0 for n in found):
        raise ValueError(f"a shape has no negative extents; got {found}")
    return found
