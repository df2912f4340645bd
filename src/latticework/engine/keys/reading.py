"""Read the key of ``x[key]``, once for every backend: the axes it consumes, the shape of the result, what is wrong.

The rules are NumPy's. A key is read from the shape of the array alone, and an index array in it is described by an
`IndexArray`: its shape, and whether it is a mask. So the same code serves arrays of every framework and arrays without
data. An extent that is not known is None, in the shape of the array, of an index array and of the result; what depends
on it is not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

__all__ = [
    "Entry",
    "Extents",
    "IndexArray",
    "IndexPlan",
    "broadcast_extents",
    "canonical_key",
    "check_bounds",
    "check_value",
    "check_values",
    "read_key",
    "read_split",
    "shown_key",
    "shown_shape",
    "split_key",
]

Extents = tuple[int | None, ...]


class IndexArray(NamedTuple):
    """A description of an index array: all that the reader needs to know of it.

    Attributes
    ----------
    shape: its extents, None for one that is not known.
    kind: "b" for a mask, "i" for positions of any integer dtype.
    data: the native array. The reader hands it through to the plan.
    bounds: a function that returns the least and the greatest position, or None where the values are not at hand.
    selects: a function that returns how many elements of a mask are True, or None where the values are not at hand.
    """

    shape: Extents
    kind: Literal["b", "i"]
    data: Any = None
    bounds: Callable[[], tuple[int, int] | None] | None = None
    selects: Callable[[], int | None] | None = None


#: An element of a canonical key: an int, a bool, a slice of ints, None, ... or an `IndexArray`.
Item = Any

#: The kind of an entry: an int, a slice, a new axis (None), an ellipsis that stands for no axis, an array of positions,
#: a mask of one or more axes, a bool or a mask without axes.
Kind = Literal["int", "slice", "newaxis", "ellipsis", "array", "mask", "bool"]


class Entry(NamedTuple):
    """A part of a key, in relation to the axes of the array and of the result.

    Attributes
    ----------
    kind: see `Kind`.
    value: an int, a slice of ints, None, ..., a bool or an `IndexArray`.
    axis: the first axis of the array that it consumes, or in front of which it stands where it consumes none.
    width: how many axes it consumes.
    out: the axis of the result that it becomes. The index arrays, the masks and the ints and bools among them all
        become the axes from `IndexPlan.index_axis` on. An int without index arrays becomes none, and an ellipsis stands
        in front of this axis.
    span: the positions of a slice, where the extent of its axis is known.
    """

    kind: Kind
    value: Item
    axis: int
    width: int
    out: int
    span: range | None = None


class IndexPlan(NamedTuple):
    """The meaning of a key for arrays of one shape. `read_key` returns it.

    Attributes
    ----------
    key: the key as a tuple of ints, bools, slices of ints, None, ... and `IndexArray`s.
    entries: one entry for each of them. An ellipsis is replaced by full slices, one per axis, and stays where it stands
        for none; axes after the last index have full slices, too. So the entries consume every axis of the array.
    shape: the shape of the result. The extent that a mask makes is None, unless its values were asked for.
    index_shape: the shape that the index arrays broadcast to, or None in a key that has no index array and no bool.
    index_axis: the first of the axes of the result that the index arrays make.
    separated: whether another part of the key stands between two of them: the axes of the index arrays then come first.
    """

    key: tuple[Item, ...]
    entries: tuple[Entry, ...]
    shape: Extents
    index_shape: Extents | None
    index_axis: int
    separated: bool


def _no_array(_: Any) -> None:
    return None


def read_key(
    shape: Extents,
    key: Any,
    describe: Callable[[Any], IndexArray | None] = _no_array,
    *,
    values: bool = False,
    count: bool = False,
) -> IndexPlan:
    """Read a key for an array of a shape, and raise what is wrong with it.

    Ints are checked against the extents, the shapes of masks against the axes they stand for, the shapes of index
    arrays against each other. With `values`, positions are checked too, as far as they are at hand.

    Parameters
    ----------
    shape: the extents of the array, None for one that is not known.
    key: an int or what has ``__index__``, a slice, ..., None, a bool, an index array, or a tuple of these.
    describe: a function from a native array in the key to its `IndexArray`, and from anything else to None.
    values: whether to ask index arrays for their bounds, and a mask among several of them how many elements it selects.
        This may have to wait for a device.
    count: whether to ask a mask that stands alone, too, so that the shape of the result is known.

    Raises
    ------
    IndexError: the key does not fit the shape.
    ValueError: the step of a slice is zero.

    Examples
    --------
    >>> from latticework.engine.keys.reading import IndexArray, read_key
    >>> read_key((3, 4, 5), (0, slice(None, None, 2))).shape
    (2, 5)
    >>> positions = IndexArray((6,), "i")
    >>> plan = read_key((3, None, 5), (positions, slice(None), 0))
    >>> plan.shape, plan.separated
    ((6, None), True)
    """
    plan = _plan(shape, canonical_key(key, describe), count)
    if values and plan.index_shape is not None:
        check_values(plan, shape)
    return plan


def _plan(shape: Extents, keys: tuple[Item, ...], count: bool = False) -> IndexPlan:
    rest = len(shape)
    fancy = dots = False
    for k in keys:
        kind = type(k)
        if kind is int or kind is slice:
            rest -= 1
        elif k is Ellipsis:
            dots = True
        elif k is not None:
            fancy = True
            rest -= _axes_consumed(k)
    if rest < 0:
        raise IndexError(f"too many indices: {len(shape) - rest} for {len(shape)} axes")
    entries: list[Entry] = []
    extents: list[int | None] = []  # of the result, without the axes that index arrays make
    axis = 0
    for k in keys if dots else (*keys, Ellipsis):
        kind = type(k)
        if kind is int:
            n = shape[axis]
            if n is not None and not -n <= k < n:
                raise _out_of_bounds(k, axis, n)
            entries.append(Entry("int", k, axis, 1, len(extents)))
            axis += 1
        elif kind is slice:
            n = shape[axis]
            cut: slice = k
            span = None if n is None else range(n)[cut]
            entries.append(Entry("slice", k, axis, 1, len(extents), span))
            extents.append(None if span is None else len(span))
            axis += 1
        elif k is None:
            entries.append(Entry("newaxis", k, axis, 0, len(extents)))
            extents.append(1)
        elif k is Ellipsis:
            if dots and not rest:
                entries.append(Entry("ellipsis", k, axis, 0, len(extents)))
            for n in shape[axis : axis + rest]:
                entries.append(Entry("slice", _ALL, axis, 1, len(extents), None if n is None else range(n)))
                extents.append(n)
                axis += 1
        else:
            width = _axes_consumed(k)
            if width and k.kind == "b":
                _check_mask(k.shape, shape[axis : axis + width])
            entries.append(Entry("bool" if not width else _KINDS[k.kind], k, axis, width, len(extents)))
            axis += width
    if not fancy:
        return IndexPlan(keys, tuple(entries), tuple(extents), None, 0, False)
    return _with_arrays(keys, entries, extents, count)


_ALL = slice(None)
_KINDS: dict[str, Kind] = {"b": "mask", "i": "array"}
#: Kinds of entries that make the axes of the index arrays, where there are any.
_ADVANCED = frozenset(("int", "array", "mask", "bool"))


def _with_arrays(keys: tuple[Item, ...], entries: list[Entry], extents: list[int | None], count: bool) -> IndexPlan:
    """Return the plan of a key with index arrays: their axes come to the place that NumPy's rules say.

    Ints count as index arrays here. Where another part of the key stands between two of them, even an ellipsis for no
    axis, the axes come first, else they come in the place of the first of them.
    """
    arrays = [i for i, entry in enumerate(entries) if entry.kind in _ADVANCED]
    first, last = arrays[0], arrays[-1]
    found = broadcast_extents([_positions_shape(entries[i].value, count) for i in arrays])
    separated = last - first >= len(arrays)
    place = 0 if separated else entries[first].out
    moved = tuple(
        [
            Entry(kind, k, axis, width, place, span)
            if kind in _ADVANCED
            else Entry(kind, k, axis, width, out + len(found) if separated or i > first else out, span)
            for i, (kind, k, axis, width, out, span) in enumerate(entries)
        ]
    )
    return IndexPlan(keys, moved, (*extents[:place], *found, *extents[place:]), found, place, separated)


def check_values(plan: IndexPlan, shape: Extents, arrays: Sequence[IndexArray] | None = None) -> None:
    """Raise an IndexError for positions that are out of bounds, as far as their values are at hand.

    `arrays`: the index arrays that `split_key` returned with the key of the plan.
    """
    parts = [(k, axis) for kind, k, axis, *_ in plan.entries if kind in _ADVANCED]
    if arrays is not None:
        parts = [(arrays[k.data] if type(k) is IndexArray else k, axis) for k, axis in parts]
    found = plan.index_shape or ()
    several = [k for k, _ in parts if _positions_shape(k, False)]
    if len(several) > 1 and any(type(k) is IndexArray and k.kind == "b" for k in several):  # these have to be counted
        found = broadcast_extents([_positions_shape(k, True) for k in several])
    some = None not in found and 0 not in found
    for k, axis in parts:
        # If no element is selected, NumPy checks only 0-d positions, which are like ints.
        if type(k) is IndexArray and k.kind == "i" and k.bounds is not None and (some or not k.shape):
            check_bounds(k.bounds(), shape[axis], axis)


# --- keys whose plan can be kept ----------------------------------------------------------------------------------


def split_key(
    key: Any, describe: Callable[[Any], IndexArray | None] = _no_array
) -> tuple[tuple[Any, ...], list[IndexArray]]:
    """Split a key into what its plan depends on, as a value that can be hashed, and its index arrays.

    A backend can keep what it makes of a key under the shape of the array and the first part. In a plan that
    `read_split` makes of that part, the `data` of an `IndexArray` is its place in the second part.
    """
    split: list[Any] = []
    arrays: list[IndexArray] = []
    for k in key if type(key) is tuple else (key,):
        kind = type(k)
        if kind is slice:
            k = _canonical_slice(k)
            split.append((k.start, k.stop, k.step))
        elif kind is int or k is None or k is Ellipsis:
            split.append(k)
        elif kind is bool:
            split.append((k,))  # for a dictionary, True and 1 are the same
        elif kind is IndexArray or type(k := _canonical_item(k, describe)) is IndexArray:
            split.append(IndexArray(k.shape, k.kind, len(arrays)))
            arrays.append(k)
        else:
            split.append(k)
    return tuple(split), arrays


@lru_cache(4096)
def read_split(shape: Extents, split: tuple[Any, ...]) -> IndexPlan:
    """Read the first part of a key that `split_key` returned. Plans are kept, for arrays of the same shapes."""
    return _plan(shape, canonical_key(tuple([_joined(k) if type(k) is tuple else k for k in split])))


def _joined(k: tuple[Any, ...]) -> slice | bool:
    return slice(*k) if len(k) == 3 else bool(k[0])


# --- the canonical key --------------------------------------------------------------------------------------------


#: Types of items that are canonical as they are.
_CANONICAL = frozenset((int, bool, type(None), type(Ellipsis), IndexArray))


def canonical_key(key: Any, describe: Callable[[Any], IndexArray | None] = _no_array) -> tuple[Item, ...]:
    """Convert a key to a tuple of ints, bools, slices of ints, None, at most one ..., and `IndexArray`s."""
    keys = key if type(key) is tuple else (key,)
    keys = tuple([k if type(k) in _CANONICAL else _canonical_item(k, describe) for k in keys])
    if len(keys) > 1 and keys.count(Ellipsis) > 1:
        raise IndexError("an index can have only one ellipsis (...)")
    return keys


def _canonical_item(k: Any, describe: Callable[[Any], IndexArray | None]) -> Item:
    if type(k) is slice:
        return _canonical_slice(k)
    if (array := describe(k)) is not None:
        return array
    if hasattr(k, "__index__"):
        return int(operator.index(k))
    raise IndexError(f"an index is an int, a slice, ..., None, a bool or integer array or a tuple of them; got {k!r}")


def _canonical_slice(k: slice) -> slice:
    bounds = k.start, k.stop, k.step
    if not (type(k.start) in _BOUND and type(k.stop) in _BOUND and type(k.step) in _BOUND):
        if not all(at is None or hasattr(at, "__index__") for at in bounds):
            raise IndexError(f"the bounds and the step of a slice are ints or None; got {k!r}")
        k = slice(*[at if at is None else int(operator.index(at)) for at in bounds])
    if k.step == 0:
        raise ValueError("slice step cannot be zero")
    return k


_BOUND = frozenset((int, type(None)))


def _axes_consumed(k: bool | IndexArray) -> int:
    """Return how many axes a bool, a mask or an index array consumes."""
    if type(k) is bool:
        return 0
    return len(k.shape) if k.kind == "b" else 1


# --- index arrays -------------------------------------------------------------------------------------------------


def _positions_shape(k: Item, count: bool) -> Extents:
    """Return the shape of the positions along each axis that an index array, a mask, an int or a bool stands for."""
    if type(k) is int:
        return ()
    if type(k) is bool:
        return (int(k),)
    if k.kind == "i":
        return tuple(k.shape)
    if 0 in k.shape:
        return (0,)
    return (k.selects() if count and k.selects is not None else None,)


def broadcast_extents(shapes: Iterable[Extents]) -> Extents:
    """Return the shape that index arrays of these shapes broadcast to; extents that are not known are None."""
    shapes = list(shapes)
    found: list[int | None] = []
    for i in range(1, max(map(len, shapes), default=0) + 1):
        extents = {shape[-i] for shape in shapes if len(shape) >= i} - {1}
        resolved = extents - {None}
        if len(resolved) > 1:
            listed = " and ".join(map(shown_shape, shapes))
            raise IndexError(f"index arrays of shapes {listed} do not broadcast together")
        found.append(resolved.pop() if resolved else None if extents else 1)
    return tuple(found[::-1])


def shown_shape(shape: Extents) -> str:
    """Return a shape as text; extents that are not known are None."""
    return f"({', '.join([str(n) for n in shape])}{',' * (len(shape) == 1)})"


def _check_mask(mask: Extents, extents: Extents) -> None:
    """Raise where a mask does not have the extents of its axes. As in NumPy, an extent of 0 in it fits any."""
    if any(m not in (0, None, n) and n is not None for m, n in zip(mask, extents, strict=True)):
        raise IndexError(f"a mask of shape {shown_shape(mask)} does not fit axes of extent {shown_shape(extents)}")


def check_bounds(bounds: tuple[int, int] | None, extent: int | None, axis: int) -> None:
    """Raise an IndexError where the least or the greatest position is out of bounds. None is an unknown one."""
    if bounds is None or extent is None:
        return
    for i in bounds:
        if not -extent <= i < extent:
            raise _out_of_bounds(i, axis, extent)


def _out_of_bounds(i: int, axis: int, extent: int) -> IndexError:
    return IndexError(f"index {i} is out of bounds for axis {axis} of extent {extent}")


# --- values of assignments ----------------------------------------------------------------------------------------


def check_value(selected: Extents, value: Extents) -> None:
    """Raise a ValueError where a value of one shape does not broadcast to the shape that a key selects.

    Axes of extent 1 in front of the value do not count. Extents that are not known fit.
    """
    spare = max(len(value) - len(selected), 0)
    if all(n in (1, None) for n in value[:spare]):
        pairs = zip(reversed(value), reversed(selected), strict=False)
        if all(n in (1, None, m) or m is None for n, m in pairs):
            return
    raise ValueError(
        f"a value of shape {shown_shape(value)} does not fit the shape {shown_shape(selected)} that the key selects"
    )


def shown_key(key: Any) -> str:
    """Return a key as text, with the shapes of its arrays in the place of their elements."""
    if type(key) is tuple:
        return f"({', '.join(map(shown_key, key))}{',' * (len(key) == 1)})"
    if not hasattr(key, "shape"):
        return repr(key)
    try:
        return f"array of shape {shown_shape(tuple(key.shape))}"
    except ValueError:  # TensorFlow's, of a tensor whose number of axes is not known
        return "array"
