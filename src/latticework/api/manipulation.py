"""Manipulation functions: shapes, the order of axes and elements, joining and taking apart. Dtypes stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.calls.translate import CHECKS
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand, as_operands


@composed
def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """The arrays, each repeated along its missing axes and those of extent 1 until all have one shape.

    Parameters
    ----------
    arrays: any dtypes, and shapes that broadcast together.

    Returns
    -------
    A tuple of as many arrays, each with its own dtype. They share memory with the given ones, and those that had
    to be repeated cannot be written to; take a `copy` for that.

    Raises
    ------
    ValueError: shapes that do not broadcast together.

    Examples
    --------
    >>> import latticework as lw
    >>> x, y = lw.broadcast_arrays(lw.asarray([1, 2]), lw.asarray([[True], [False]]))
    >>> y
    Array([[ True,  True],
           [False, False]], dtype=bool)
    """
    operands = as_operands(OPS["broadcast_arrays"], arrays)
    shape = _common_shape("broadcast_arrays", tuple(x.shape for x in operands))
    if None in shape and (found := operands[0]._sig.backend.joint_shape) is not None:
        shape = found(shape, [x._data for x in operands])  # by a framework that finds out extents as it runs
        return tuple([broadcast_to(x, shape) for x in operands])
    return tuple([x if x.shape == shape else broadcast_to(x, shape) for x in operands])


@composed
def broadcast_shapes(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The shape that arrays of these shapes broadcast to.

    Parameters
    ----------
    shapes: tuples of extents. None is an extent that is not known, and leaves the result's unknown as well.

    Returns
    -------
    A tuple, with as many axes as the longest of the shapes; () for no shapes at all.

    Raises
    ------
    ValueError: shapes that do not broadcast together.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    for shape in shapes:
        if not isinstance(shape, (tuple, list)):
            raise TypeError(f"broadcast_shapes: a shape is a tuple of ints; got {shape!r}")
    return _common_shape("broadcast_shapes", shapes)


def _common_shape(name: str, shapes: tuple[tuple[int | None, ...], ...]) -> tuple[Any, ...]:
    result: list[int | None] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        extents = {s[-axis] for s in shapes if len(s) >= axis} - {1}
        if len(extents - {None}) > 1:
            listed = " and ".join(map(str, shapes))
            raise ValueError(
                f"{name}: shapes {listed} could not be broadcast together: they have to be equal or 1 along each axis"
            )
        resolved = extents - {None}
        result.append(None if None in extents and not resolved else next(iter(resolved), 1))
    return tuple(reversed(result))


@op("all or storage", shape="broadcast_to", view=True)
def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array, repeated along its missing axes and those of extent 1 until it has this shape.

    Parameters
    ----------
    x: any dtype, and a shape that broadcasts to `shape`.
    shape: the result's.

    Returns
    -------
    The dtype of x. It shares memory with x and, where anything is repeated, cannot be written to.

    Raises
    ------
    ValueError: x does not broadcast to this shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.broadcast_to(lw.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]], dtype=int32)
    """
    ...


@op("all or storage", shape="concat")
def concat(arrays: Sequence[Array], /, axis: int | None = 0, *, out: Array | None = None) -> Array:
    """Arrays one after the other along an axis that they have.

    Parameters
    ----------
    arrays: a list or tuple of at least one array. The shapes are equal but for the extent along `axis`.
    axis: the axis to join along; None to flatten the arrays first.

    Returns
    -------
    The common dtype of the arrays.

    Raises
    ------
    AxisError: an axis that the arrays do not have; 0-d arrays have none.
    ValueError: shapes that do not fit; no arrays.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.concat([lw.asarray([1, 2]), lw.asarray([0.5])])
    Array([1. , 2. , 0.5], dtype=float32)
    """
    ...


@op("all or storage", shape="expand_dims", view=True)
def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """The array with new axes of extent 1.

    Parameters
    ----------
    x: any shape and dtype.
    axis: where the new axes are in the result. Negative ones count from the result's last axis.

    Returns
    -------
    The dtype of x. It shares memory with x.

    Raises
    ------
    AxisError: (an IndexError) a place that the result does not have.
    ValueError: the same place twice.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.expand_dims(lw.asarray([1, 2]), axis=(0, -1)).shape
    (1, 2, 1)
    """
    ...


@op("all or storage", shape="flip", view=True)
def flip(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements in reverse order along some axes.

    Parameters
    ----------
    x: any shape and dtype.
    axis: the axis or axes to reverse; None for all of them.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    AxisError: an axis that x does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.flip(lw.asarray([[1, 2], [3, 4]]), axis=1)
    Array([[2, 1],
           [4, 3]], dtype=int32)
    """
    ...


@op("all or storage", shape="moveaxis", view=True)
def moveaxis(x: Array, /, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array:
    """The array with some axes in other places. The others keep their order.

    Parameters
    ----------
    x: any shape and dtype.
    source: the axis or axes to move.
    destination: where each of them is in the result.

    Returns
    -------
    The dtype of x. It shares memory with x.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: an axis given twice, or not as many destinations as sources.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.moveaxis(lw.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    ...


@op("all or storage", shape="permute_dims", view=True)
def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The array with its axes in another order.

    Parameters
    ----------
    x: any shape and dtype.
    axes: all axes of x, in the order that they have in the result.

    Returns
    -------
    The dtype of x. It shares memory with x.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: an axis given twice or not at all.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.permute_dims(lw.zeros((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)
    """
    ...


@op("all or storage", shape="repeat", repeats="index")
def repeat(x: Array, /, repeats: int | Array, axis: int | None = None) -> Array:
    """Each element several times, one right after the other.

    Parameters
    ----------
    x: any shape and dtype.
    repeats: how often, an int for all, or integers: one, or one for each element along `axis`. On a device other
        than the CPU, an array has to be waited for, since the result's shape depends on it.
    axis: the axis to repeat along; None for the elements of the flattened array.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: not as many repeats as elements, or negative ones.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.repeat(lw.asarray([1, 2]), 2)
    Array([1, 1, 2, 2], dtype=int32)
    >>> lw.repeat(lw.asarray([1, 2]), lw.asarray([1, 3]))
    Array([1, 2, 2, 2], dtype=int32)
    """
    ...


@op("all or storage", shape="reshape", view=True)
def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None, order: Literal["C", "F"] = "C") -> Array:
    """The same elements in another shape.

    Parameters
    ----------
    x: any shape and dtype.
    shape: of as many elements as x. One extent may be -1: it follows from the others.
    copy: True for memory of its own, False to refuse a copy, None to copy where the memory layout asks for it.
    order: in which order elements are taken and laid down, with the last axis changing fastest ("C") or the
        first ("F"). Not in the standard, which has "C" alone.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: another number of elements; a copy that has to be made although `copy` is False.

    Notes
    -----
    On NumPy and PyTorch the result is a view where the order in memory allows it. They lay some results down in another
    order, as those of ``x[:, positions]``: write to a reshaped array with ``copy=True``, or to x itself.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.reshape(lw.asarray([1, 2, 3, 4, 5, 6]), (2, -1))
    Array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    >>> lw.reshape(lw.asarray([1, 2, 3, 4, 5, 6]), (2, -1), order="F")
    Array([[1, 3, 5],
           [2, 4, 6]], dtype=int32)
    """
    ...


@op("all or storage", shape="roll")
def roll(x: Array, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements moved along some axes. Those that leave at one end come in at the other.

    Parameters
    ----------
    x: any shape and dtype.
    shift: how far, towards larger indices; negative towards smaller ones. One for all axes, or one for each.
    axis: the axis or axes to move along; None to go through the flattened array, whatever the shape.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: not as many shifts as axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.roll(lw.asarray([1, 2, 3, 4]), 1)
    Array([4, 1, 2, 3], dtype=int32)
    """
    ...


@op("all or storage", shape="squeeze", view=True)
def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """The array without some axes of extent 1.

    Parameters
    ----------
    x: any shape and dtype.
    axis: the axis or axes to leave out.

    Returns
    -------
    The dtype of x. It shares memory with x.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: an axis of another extent than 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.squeeze(lw.zeros((1, 3, 1)), axis=0).shape
    (3, 1)
    """
    ...


@op("all or storage", shape="stack")
def stack(arrays: Sequence[Array], /, axis: int = 0, *, out: Array | None = None) -> Array:
    """Arrays one after the other along a new axis.

    Parameters
    ----------
    arrays: a list or tuple of at least one array, all of one shape.
    axis: where the new axis is in the result.

    Returns
    -------
    The common dtype of the arrays, and one axis more than theirs.

    Raises
    ------
    AxisError: a place that the result does not have.
    ValueError: shapes that differ; no arrays.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.stack([lw.asarray([1, 2]), lw.asarray([3, 4])], axis=1)
    Array([[1, 3],
           [2, 4]], dtype=int32)
    """
    ...


@op("all or storage", shape="tile")
def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The whole array several times along each axis.

    Parameters
    ----------
    x: any shape and dtype.
    repetitions: how often along each axis. Where they are fewer than the axes, they are for the last axes;
        where they are more, x gets axes of extent 1 in front.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: a negative number of repetitions.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tile(lw.asarray([1, 2]), (2, 2))
    Array([[1, 2, 1, 2],
           [1, 2, 1, 2]], dtype=int32)
    """
    ...


@op("all or storage", shape="unstack", view=True)
def unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis: what `stack` puts together.

    Parameters
    ----------
    x: at least one axis, any dtype.
    axis: the axis to go along.

    Returns
    -------
    A tuple with an array for each index along `axis`, of one axis less than x.

    Raises
    ------
    AxisError: an axis that x does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> x, y = lw.unstack(lw.asarray([[1, 2], [3, 4]]))
    >>> y
    Array([3, 4], dtype=int32)
    """
    ...


def _check_repeats(x: Array, repeats: Any, /, **_: Any) -> Exception | None:
    """Return the error for negative repeats, if that is why a call failed."""
    with suppress(Exception):  # values that cannot be read tell nothing
        least = int(lw.min(as_operand(OPS["repeat"], repeats)))
        if least < 0:
            return ValueError(f"repeat: repeats must not be negative; got {least}")
    return None


CHECKS["repeat"] = _check_repeats
