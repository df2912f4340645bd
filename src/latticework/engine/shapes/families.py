"""Compute the shape of a result from the shapes of the operands, before any element is computed.

A shape family is a function of operands and options. An operand is a shape for an array, the scalar itself for a Python
scalar, None where an optional array is absent; the operands of a function of a sequence come as one list. Options are
all other parameters of the function by name. The family gives the shape of the result, or a list of shapes for several
results, and raises what is wrong with axes and extents, in words without the function's name.

An extent is None where it is not known before the array is computed, in operands as in results.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from . import linalg
from .extents import (
    Extent,
    Family,
    Shape,
    all_or_some,
    as_int,
    broadcast_shapes,
    broadcasts,
    check_word,
    drop_axes,
    equal_shapes,
    ints_or_none,
    known_extent,
    may_equal,
    mismatch,
    need_axes,
    one_axis,
    replace_axis,
    requested_shape,
    sequence,
    several_axes,
    shape_of,
    size_of,
    sum_of,
)

if TYPE_CHECKING:
    import inspect

    from ..op import Op

__all__ = ["FAMILIES", "Family", "Shape", "family_of", "result_shapes"]


# --- element by element -------------------------------------------------------------------------------------------


def broadcast(*operands: Any, **_: Any) -> Shape:
    """Broadcast all operands."""
    return broadcast_shapes(*[x for x in operands if isinstance(x, tuple)])


def same(x: Any, *_: Any, **__: Any) -> Shape:
    """Return the shape of the first operand."""
    return shape_of(x)


# --- reductions ---------------------------------------------------------------------------------------------------


def reduce(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """Reduce some axes or all, which may have no elements: their sum is 0."""
    return drop_axes(x, all_or_some(axis, x), keepdims)


def extremum(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """Reduce axes that need elements: there is no maximum of none."""
    axes = all_or_some(axis, x)
    _some_elements(x, axes, axis)
    return drop_axes(x, axes, keepdims)


def arg_extremum(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """Reduce one axis or all to the position of an element."""
    axes = tuple(range(len(x))) if axis is None else (one_axis(axis, x),)
    _some_elements(x, axes, axis)
    return drop_axes(x, axes, keepdims)


def _some_elements(x: Shape, axes: tuple[int, ...], axis: Any) -> None:
    if any(x[a] == 0 for a in axes):
        raise ValueError(f"of no elements there is none; got shape {x}, axis={axis}")


def accumulate(x: Shape, *, axis: Any = None, include_initial: bool = False, **_: Any) -> Shape:
    """Accumulate along one axis, by default the only one. The initial value makes it longer by 1."""
    if axis is None and len(x) != 1:
        raise ValueError(f"axis may be left out only where there is exactly one; got shape {x}")
    a = 0 if axis is None else one_axis(axis, x)
    return replace_axis(x, a, sum_of(x[a], 1)) if include_initial else x


def accumulate_flat(x: Shape, axis: Any = None, **_: Any) -> Shape:
    """Accumulate along one axis, by default over the flattened array."""
    return (size_of(x),) if axis is None else accumulate(x, axis=axis)


def diff(x: Shape, prepend: Any = None, append: Any = None, *, axis: Any = -1, n: Any = 1, **_: Any) -> Shape:
    """Join three parts along an axis and shorten it by n."""
    a = one_axis(axis, x)
    n = as_int(n, "n is an int")
    if n < 0:
        raise ValueError(f"n must not be negative; got {n}")
    parts = [shape_of(part) or replace_axis(x, a, 1) for part in (prepend, x, append) if part is not None]
    length = concat(parts, axis=axis)[a]
    return replace_axis(x, a, None if length is None else max(length - n, 0))


# --- axes and extents ---------------------------------------------------------------------------------------------


def reshape(x: Shape, *, shape: Any, order: Any = "C", **_: Any) -> Shape:
    """Check that the requested shape has as many elements. -1 is the extent that follows from the others."""
    check_word(("C", "F"), "order", order)
    wanted = ints_or_none(shape)
    if min((n for n in wanted if n is not None), default=0) < -1 or wanted.count(-1) > 1:
        wrong = "a shape has one -1 at most and no other negative extents"
        raise ValueError(f"{wrong}; got {wanted} for an array of shape {x}")
    size, others = size_of(x), size_of(n for n in wanted if n != -1)
    if -1 in wanted:
        fits = others != 0 and _divides(others, size)
        n: Extent = None if size is None or others is None else size // (others or 1)
        n = 0 if size == 0 else n
        result = tuple(n if m == -1 else m for m in wanted)
    else:
        fits, result = _made_of(x, others) and _made_of(wanted, size), wanted
    if not fits:
        elements = "unknown" if size is None else size
        raise ValueError(f"an array of {elements} elements, of shape {x}, has not the shape {wanted}")
    return result


def _divides(part: Extent, size: Extent) -> bool:
    return part is None or size is None or size % part == 0


def _made_of(shape: Shape, size: Extent) -> bool:
    """Test whether an array of this shape can have so many elements, as far as they are known."""
    resolved = size_of(n for n in shape if n is not None)
    if size is None or resolved is None:
        return True
    return resolved == size if None not in shape else size == 0 or (resolved != 0 and size % resolved == 0)


def broadcast_to(x: Shape, *, shape: Any, **_: Any) -> Shape:
    """Check that the array broadcasts to the requested shape."""
    target = requested_shape(shape)
    pairs = zip(reversed(x), reversed(target), strict=False)
    if len(x) > len(target) or not all(n == 1 or may_equal(n, m) for n, m in pairs):
        raise ValueError(f"an array of shape {x} does not broadcast to {target}")
    return target


def expand_dims(x: Shape, *, axis: Any, **_: Any) -> Shape:
    """Insert axes of extent 1, counted in the result."""
    ndim = len(x) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    places = several_axes(axis, x, ndim)
    rest = iter(x)
    return tuple(1 if i in places else next(rest) for i in range(ndim))


def squeeze(x: Shape, *, axis: Any, **_: Any) -> Shape:
    """Drop some axes of extent 1."""
    axes = several_axes(axis, x)
    for a in axes:
        if not may_equal(x[a], 1):
            raise ValueError(f"only an axis of extent 1 can be left out; axis {a} of an array of shape {x} has {x[a]}")
    return drop_axes(x, axes)


def permute_dims(x: Shape, *, axes: Any, **_: Any) -> Shape:
    """Put all axes into another order."""
    if not isinstance(axes, (tuple, list)):
        raise TypeError(f"axes are a tuple of ints, one for each axis; got {axes!r} for an array of shape {x}")
    order = [one_axis(a, x) for a in axes]
    if sorted(order) != [*range(len(x))]:
        raise ValueError(f"takes each axis of an array of shape {x} once; got {tuple(axes)}")
    return tuple(x[a] for a in order)


def moveaxis(x: Shape, *, source: Any, destination: Any, **_: Any) -> Shape:
    """Move some axes to other places, counted in the result."""
    sources, places = several_axes(source, x), several_axes(destination, x)
    if len(sources) != len(places):
        raise ValueError(f"takes a destination for each source; got {source} and {destination}")
    order = [a for a in range(len(x)) if a not in sources]
    for place, a in sorted(zip(places, sources, strict=True)):
        order.insert(place, a)
    return tuple(x[a] for a in order)


def matrix_transpose(x: Shape, **_: Any) -> Shape:
    """Exchange the last two axes."""
    need_axes(x)
    return (*x[:-2], x[-1], x[-2])


def matrices(x: Shape, *, k: Any = 0, **_: Any) -> Shape:
    """Keep the shape of matrices, which have two axes or more, and check the number of a diagonal."""
    as_int(k, "k is an int")
    if len(x) < 2:
        raise ValueError(f"takes arrays of at least two axes; got {len(x)}, in shape {x}")
    return x


# --- order of elements --------------------------------------------------------------------------------------------


def sort(x: Shape, *, axis: Any = -1, **_: Any) -> Shape:
    """Keep the shape and check the axis."""
    one_axis(axis, x)
    return x


def flip(x: Shape, *, axis: Any = None, **_: Any) -> Shape:
    """Keep the shape and check some axes."""
    if axis is not None:
        several_axes(axis, x)
    return x


def roll(x: Shape, *, shift: Any, axis: Any = None, **_: Any) -> Shape:
    """Keep the shape and check that there is one shift for all axes, several for one, or one for each."""
    shifts = [as_int(n, "a shift is an int") for n in sequence(shift)]
    if axis is None:
        return x
    axes = [one_axis(a, x) for a in sequence(axis)]
    if isinstance(shift, (tuple, list)) and len(axes) != 1 and len(shifts) != len(axes):
        raise ValueError(f"takes as many shifts as axes; got {len(shifts)} shifts for {len(axes)} axes")
    return x


# --- joining, taking apart and repeating --------------------------------------------------------------------------


def concat(arrays: list[Any], *, axis: Any = 0, **_: Any) -> Shape:
    """Join arrays along an axis, or all their elements for None."""
    shapes = _some_arrays(arrays)
    if axis is None:
        return (sum_of(*map(size_of, shapes)),)
    a = one_axis(axis, shapes[0])
    rule = f"They have to be equal but for axis {a}"
    if len({*map(len, shapes)}) > 1:
        raise mismatch(shapes, rule)
    try:
        others = equal_shapes([drop_axes(s, (a,)) for s in shapes])
    except ValueError:
        raise mismatch(shapes, rule) from None
    return (*others[:a], sum_of(*[s[a] for s in shapes]), *others[a:])


def stack(arrays: list[Any], *, axis: Any = 0, **_: Any) -> Shape:
    """Join arrays along a new axis."""
    shapes = _some_arrays(arrays)
    x = equal_shapes(shapes)
    place = one_axis(axis, shapes[0], len(x) + 1)
    return (*x[:place], len(shapes), *x[place:])


def _some_arrays(arrays: list[Any]) -> list[Shape]:
    if not arrays:
        raise ValueError("takes at least one array; got none")
    return [shape_of(x) for x in arrays]


def stack_at(ndim: int, axis: int) -> Family:
    """Make the family that joins arrays along an axis after each has at least so many axes."""

    def joined(arrays: list[Any], **_: Any) -> Shape:
        shapes = [_raised(s, ndim) for s in _some_arrays(arrays)]
        return concat(shapes, axis=0 if ndim == 1 and len(shapes[0]) == 1 else axis)

    return joined


def _raised(x: Shape, ndim: int) -> Shape:
    """Insert axes up to so many: in front, but the third of three comes last."""
    if ndim == 3 and len(x) < 3:
        return (*_raised(x, 2), 1)
    return (*(1,) * (ndim - len(x)), *x)


def column_stack(arrays: list[Any], **_: Any) -> Shape:
    """Join arrays along the second axis, those of one axis as columns."""
    shapes = _some_arrays(arrays)
    return concat([(size_of(s), 1) if len(s) < 2 else s for s in shapes], axis=1)


def unstack(x: Shape, *, axis: Any = 0, **_: Any) -> list[Shape]:
    """Return one shape for each index along an axis."""
    a = one_axis(axis, x)
    return [drop_axes(x, (a,))] * known_extent(x, a)


def tile(x: Shape, *, repetitions: Any, **_: Any) -> Shape:
    """Multiply the last extents, or all with axes of extent 1 in front."""
    times = [as_int(n, "repetitions are ints") for n in sequence(repetitions)]
    if any(n < 0 for n in times):
        raise ValueError(f"repetitions must not be negative; got {repetitions}")
    ndim = max(len(times), len(x))
    padded, factors = (1,) * (ndim - len(x)) + x, [1] * (ndim - len(times)) + times
    return tuple(size_of(pair) for pair in zip(padded, factors, strict=True))


def repeat(x: Shape, repeats: Any, *, axis: Any = None, **_: Any) -> Shape:
    """Multiply one extent by an int. With an array of repeats it depends on the values."""
    a = 0 if axis is None else one_axis(axis, x)
    x = (size_of(x),) if axis is None else x
    if isinstance(repeats, tuple):
        if len(repeats) > 1 or not (repeats in ((), (1,)) or may_equal(repeats[0], x[a])):
            raise ValueError(f"takes one number of repeats or one for each of {x[a]} elements; got shape {repeats}")
        return replace_axis(x, a, 0 if x[a] == 0 else None)
    times = as_int(repeats, "repeats are ints")
    if times < 0:
        raise ValueError(f"repeats must not be negative; got {times}")
    return replace_axis(x, a, size_of((x[a], times)))


# --- elements by position -----------------------------------------------------------------------------------------


def take(x: Shape, indices: Any, *, axis: Any = None, **_: Any) -> Shape:
    """Replace one axis by the shape of the indices."""
    if axis is None and len(x) != 1:
        raise ValueError(f"axis has to be given for an array of {len(x)} axes")
    a = 0 if axis is None else one_axis(axis, x)
    _no_index_fits(x, a, shape_of(indices))
    return replace_axis(x, a, *shape_of(indices))


def take_along_axis(x: Shape, indices: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """Take the extent of the indices along one axis, and broadcast the two along the others."""
    a, at = one_axis(axis, x), shape_of(indices)
    rule = f"They have to be as many axes, and equal or 1 along each but axis {a}"
    if len(at) != len(x) or not broadcasts(drop_axes(x, (a,)), drop_axes(at, (a,))):
        raise mismatch((x, at), rule)
    others = broadcast_shapes(drop_axes(x, (a,)), drop_axes(at, (a,)))
    result = (*others[:a], at[a], *others[a:])
    _no_index_fits(x, a, result)
    return result


def _no_index_fits(x: Shape, axis: int, indices: Shape) -> None:
    if x[axis] == 0 and size_of(indices):
        raise IndexError(f"no index is in bounds along axis {axis} of an array of shape {x}, which has no elements")


def searchsorted(x1: Shape, x2: Any, sorter: Any = None, *, side: Any = "left", **_: Any) -> Shape:
    """Return the shape of the values that are looked for: in one sorted row, or in a row for each row of values."""
    if not x1:
        raise ValueError("x1 must have at least one axis; got shape ()")
    if len(x1) > 1:
        values = shape_of(x2)
        if len(values) != len(x1) or not all(map(may_equal, values[:-1], x1[:-1])):
            wanted = f"({', '.join(map(str, x1[:-1]))}, m)"
            raise ValueError(f"x1 of shape {x1} takes values of shape {wanted}, a row for each row; got {values}")
    check_word(("left", "right"), "side", side)
    if sorter is not None and not (len(shape_of(sorter)) == len(x1) and all(map(may_equal, sorter, x1))):
        raise ValueError(f"sorter must have the shape of x1, {x1}; got {shape_of(sorter)}")
    return shape_of(x2)


def nonzero(x: Shape, *, size: Any = None, **_: Any) -> list[Shape]:
    """Return one shape for each axis. The number of positions depends on the values, if it is not given."""
    if not x:
        raise ValueError("x must have at least one axis")
    return [(size,)] * len(x)


def unique_values(x: Shape, *, size: Any = None, **_: Any) -> Shape:
    """Return the shape of distinct elements, whose number depends on the values, if it is not given."""
    return (size,)


def unique_all(x: Shape, *, size: Any = None, **_: Any) -> list[Shape]:
    """Return the shapes of values, indices, inverse indices and counts."""
    return [(size,), (size,), x, (size,)]


def unique_counts(x: Shape, *, size: Any = None, **_: Any) -> list[Shape]:
    """Return the shapes of values and counts."""
    return [(size,), (size,)]


def unique_inverse(x: Shape, *, size: Any = None, **_: Any) -> list[Shape]:
    """Return the shapes of values and inverse indices."""
    return [(size,), x]


# --- creation -----------------------------------------------------------------------------------------------------


def creation(*, shape: Any, **_: Any) -> Shape:
    """Check the requested shape."""
    return requested_shape(shape)


def eye(*, n_rows: Any, n_cols: Any = None, k: Any = 0, batch_shape: Any = (), **_: Any) -> Shape:
    """Return the shape of matrices, which are square by default."""
    as_int(k, "k is an int")
    return (*requested_shape(batch_shape), *requested_shape((n_rows, n_rows if n_cols is None else n_cols)))


def arange(*, n: Any, **_: Any) -> Shape:
    """Return one axis of n elements."""
    return requested_shape((n,))


# --- by name --------------------------------------------------------------------------------------------------------

#: Every family by name.
FAMILIES: dict[str, Family] = {
    f.__name__: f
    for f in (
        broadcast, same, reduce, extremum, arg_extremum, accumulate, accumulate_flat, diff, reshape, broadcast_to,
        expand_dims, squeeze, permute_dims, moveaxis, matrix_transpose, matrices, sort, flip, roll, concat, stack,
        column_stack, unstack, tile, repeat, take, take_along_axis, searchsorted, nonzero, unique_values, unique_all,
        unique_counts, unique_inverse, creation, eye, arange, *linalg.FAMILIES,
    )
} | {"hstack": stack_at(1, 1), "vstack": stack_at(2, 0), "dstack": stack_at(3, 2)}  # fmt: skip


def family_of(op: Op) -> Family:
    """Find the shape family that a function declares."""
    return op.shape if callable(op.shape) else FAMILIES[op.shape]


@functools.cache
def _signature(function: Any) -> inspect.Signature:
    import inspect  # here, because it takes longer to import than the rest of the package

    return inspect.signature(function)


@functools.cache
def _defaults(function: Any, operands: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the options of a function with their defaults; None if one has no default."""
    options = [p for p in _signature(function).parameters.values() if p.name not in operands]
    if any(p.default is p.empty for p in options):
        return None
    return {p.name: p.default for p in options}


def result_shapes(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Shape, ...]:
    """Find the shape of each result of a call.

    Parameters
    ----------
    op: the declaration of the function.
    operands: arrays, or anything that has a shape, and Python scalars.
    args, kw: the other arguments, by position and by name.

    Raises
    ------
    ValueError, IndexError, AxisError, TypeError: what the family finds wrong, with the function's name in front.
    """
    try:
        positional, options = _arguments(op, operands, args, kw)
        found = family_of(op)(*positional, **options)
    except (TypeError, ValueError, IndexError) as error:
        raise type(error)(f"{op.name.lstrip('_')}: {error}") from None
    return tuple(found) if isinstance(found, list) else (found,)


def _arguments(
    op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Bind the arguments of a call: operands and options as a family takes them."""
    defaults = _defaults(op.function, op.operands)
    plain = defaults is not None and len(operands) == len(op.operands) and not (args or op.sequence)
    if defaults is not None and plain and kw.keys() <= defaults.keys():
        # Most calls, which need no binding: the operands by position and options by name.
        options = {**defaults, **kw}
        for name in (*op.optional, *op.array_options):
            options[name] = _as_shape(options[name])
        return [*map(_as_shape, operands)], options
    leading = ([*operands],) if op.sequence and not op.spread else operands
    bound = _signature(op.function).bind(*leading, *args, **kw)
    bound.apply_defaults()
    arguments = bound.arguments
    if op.sequence:
        positional: list[Any] = [[_as_shape(x) for x in arguments.pop(op.operands[0])]]
    else:
        positional = [_as_shape(arguments.pop(name)) for name in op.operands]
    for name in (*op.optional, *op.array_options):
        arguments[name] = _as_shape(arguments[name])
    return positional, arguments


def _as_shape(x: Any) -> Any:
    """Replace an array by its shape. A scalar, and None for no array, stay."""
    return tuple(x.shape) if hasattr(x, "shape") else x
