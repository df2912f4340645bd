"""Check axes and join extents: the arithmetic that all shape families share.

An extent is an int, or None where it is not known before the array is computed. What is decided from a None is true
for every extent that it can stand for; a check that needs the extent passes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from ..errors import AxisError

Extent = int | None
Shape = tuple[Extent, ...]
#: From shapes of operands and values of options to the shape of the result, or to those of several results.
Family = Callable[..., "Shape | list[Shape]"]


def shape_of(operand: Any) -> Shape:
    """The shape of an operand: a Python scalar has no axes."""
    return operand if isinstance(operand, tuple) else ()


def whole(value: Any, what: str) -> int:
    """An int from anything that counts as one. A bool is refused: as an axis or an extent it is a mistake."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what}; got {value!r}")
    return operator.index(value)


def one_of(words: Sequence[str], name: str, value: Any) -> None:
    """Refuse an option that is none of these words."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name} is {' or '.join(map(repr, words))}; got {value!r}")


# --- axes ---------------------------------------------------------------------------------------------------------


def one_axis(axis: Any, shape: Shape, ndim: int | None = None) -> int:
    """One axis, counted from the start. `ndim`: how many axes the result has, where the axis is one of the result."""
    ndim = len(shape) if ndim is None else ndim
    a = whole(axis, "an axis is an int")
    if not -ndim <= a < ndim:
        bounds = f"axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes"
        raise AxisError(f"axis {a} is out of bounds for an array of shape {shape}; {bounds}")
    return a % ndim


def several_axes(axis: Any, shape: Shape, ndim: int | None = None, *, lists: bool = True) -> tuple[int, ...]:
    """One axis or several different ones, counted from the start."""
    axes = sequence(axis) if lists or not isinstance(axis, list) else (axis,)
    found = tuple(one_axis(a, shape, ndim) for a in axes)
    if len({*found}) < len(found):
        raise ValueError(f"an axis is given twice: axis={axis}, for an array of shape {shape}")
    return found


def all_or_some(axis: Any, shape: Shape) -> tuple[int, ...]:
    """The axes of a reduction: those named by an int or a tuple, all of them for None."""
    return tuple(range(len(shape))) if axis is None else several_axes(axis, shape, lists=False)


def without(shape: Shape, axes: Iterable[int], keepdims: bool = False) -> Shape:
    """The shape without some axes, or with extent 1 there."""
    axes = {*axes}
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def replaced(shape: Shape, axis: int, *extents: Extent) -> Shape:
    """The shape with other extents in place of the one along an axis."""
    return (*shape[:axis], *extents, *shape[axis + 1 :])


def need_axes(shape: Shape, count: int = 2) -> None:
    """Refuse an array of too few axes to hold matrices."""
    if len(shape) < count:
        raise ValueError(f"needs {count} axes or more; got shape {shape}")


def resolved(shape: Shape, axis: int) -> int:
    """The extent along an axis, of a function whose number of results depends on it."""
    n = shape[axis]
    if n is None:
        raise ValueError(
            f"the extent of axis {axis} is not known before the array is computed; its shape is {shape}. "
            f"Take x.compute(), or inside tf.function give tf.TensorSpec the shape"
        )
    return n


# --- extents ------------------------------------------------------------------------------------------------------


def size_of(extents: Iterable[Extent]) -> Extent:
    """The product of extents: 0 if one is 0, else None if one is not known."""
    size, unknown = 1, False
    for n in extents:
        if n is None:
            unknown = True
        else:
            size *= n
    return None if unknown and size else size


def total(*extents: Extent) -> Extent:
    """The sum of extents, None if one is not known."""
    known = [n for n in extents if n is not None]
    return sum(known) if len(known) == len(extents) else None


def least(m: Extent, n: Extent) -> Extent:
    """The lesser of two extents: 0 if one is 0, else None if one is not known."""
    if m is None or n is None:
        return 0 if 0 in (m, n) else None
    return min(m, n)


def agree(m: Extent, n: Extent) -> bool:
    """Whether two extents are equal, as far as they are known."""
    return m is None or n is None or m == n


def stretched(*extents: Extent) -> Extent:
    """The extent that these broadcast to. An unknown one beside n > 1 has to be 1 or n: the result is n."""
    others = {*extents} - {1}
    known = others - {None}
    if len(known) > 1:
        raise MisfitError
    return known.pop() if known else (None if others else 1)


def matched(extents: Iterable[Extent]) -> Extent:
    """The extent that these have to be equal to: the first that is known."""
    result: Extent = None
    for n in extents:
        if not agree(result, n):
            raise MisfitError
        result = n if result is None else result
    return result


class MisfitError(ValueError):
    """Extents that do not go together. Whoever has the shapes says which."""


RULE_BROADCAST = "They have to be equal or 1 along each axis"


def misfit(shapes: Iterable[Shape], rule: str = RULE_BROADCAST) -> ValueError:
    """The error for shapes that do not go together."""
    return ValueError(f"shapes {' and '.join(map(str, shapes))} do not fit together. {rule}")


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that these shapes broadcast to."""
    columns = [*zip_longest(*(reversed(s) for s in shapes), fillvalue=1)]
    try:
        return tuple(stretched(*column) for column in reversed(columns))
    except MisfitError:
        raise misfit(shapes) from None


def broadcasts(*shapes: Shape) -> bool:
    """Whether these shapes broadcast together, as far as their extents are known."""
    try:
        broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def equal_shapes(shapes: Sequence[Shape], rule: str = "They have to be equal") -> Shape:
    """The shape that all of these have."""
    if len({*map(len, shapes)}) > 1:
        raise misfit(shapes, rule)
    try:
        return tuple(matched(column) for column in zip(*shapes, strict=True))
    except MisfitError:
        raise misfit(shapes, rule) from None


def sequence(x: Any) -> tuple[Any, ...]:
    """A tuple or list as a tuple, and anything else as the only element of one."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def ints_or_none(shape: Any) -> Shape:
    """The extents that a caller requests: an int or a sequence of them. None is an extent of another array."""
    extents = sequence(shape)
    if wrong := [n for n in extents if n is not None and (isinstance(n, bool) or not hasattr(n, "__index__"))]:
        raise TypeError(f"a shape is of ints; got {wrong[0] if len(extents) == 1 else extents}")
    return tuple(None if n is None else operator.index(n) for n in extents)


def requested(shape: Any) -> Shape:
    """The shape that a caller requests for a new array."""
    found = ints_or_none(shape)
    if any(n is not None and n < 0 for n in found):
        raise ValueError(f"a shape has no negative extents; got {found}")
    return found
