"""`jax.vmap` with a name for its axis, and what is computed along it: `psum`, `axis_index`, the rules of `custom_vmap`.

A function that computes along the axis needs all examples at once, and the functions mapped by most frameworks see one.
So it runs for one example after the other. Where one asks for the others, it stops; when all have stopped at the same
place, what they asked for is computed, and they run again, with that known. `axis_index` needs none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import latticework as lw

from ...core.trees import flatten, leaves_at, paths
from .core import as_array, ops
from .trees import DERIVATIVES, arrays_in, is_array, mapped, run

__all__ = [
    "Axis", "along", "axis_named", "by_rule", "each", "index_along", "mapped_in_turn", "named", "of_one_device",
    "spread",
]  # fmt: skip


class _Stop(BaseException):
    """Ends the run of an example that needs all others."""

    def __init__(self, axis: Axis, operand: Any, compute: Callable[[list[Any]], list[Any]]) -> None:
        super().__init__()
        self.axis, self.operand, self.compute = axis, operand, compute


class Axis:
    """An axis while a function is mapped along it.

    Attributes
    ----------
    name: its name; an object of its own where it has none.
    size: its extent; 0 where it is not asked for.
    index: the number of the example: an array where all are mapped at once, an int where they run in turn.
    known: for each place where the examples have stopped, what each of them gets; None where all are mapped at once.
    asked: whether an example has asked for the others.
    depth: how many derivatives were being taken when the mapping began; None of an axis of devices.
    """

    def __init__(self, name: Any, size: int, index: Any, known: list[list[Any]] | None) -> None:
        self.name, self.size, self.index, self.known = name, size, index, known
        self.at, self.asked = 0, False
        self.depth: int | None = DERIVATIVES.get()

    def together(self, operand: Any, compute: Callable[[list[Any]], list[Any]]) -> Any:
        """Return what this example gets of a computation on all."""
        if self.size == 1 and self.known is not None:
            return compute([operand])[0]
        place, self.at = self.at, self.at + 1
        if self.known is not None and place < len(self.known):
            return self.known[place][self.index]
        self.asked = True
        raise _Stop(self, operand, compute)


_AXES: ContextVar[tuple[Axis, ...]] = ContextVar("named axes", default=())


@contextmanager
def named(axis: Axis) -> Iterator[Axis]:
    """A block in which an axis has its name."""
    token = _AXES.set((*_AXES.get(), axis))
    try:
        yield axis
    finally:
        _AXES.reset(token)


def axis_named(name: Any) -> Axis:
    """Return the innermost axis of a name.

    Raises
    ------
    NameError: there is none.
    """
    for axis in reversed(_AXES.get()):
        if axis.name == name:
            return axis
    raise NameError(
        f"Found an unbound axis name: {name}. To fix this, please call psum under `jax.shard_map` or `vmap`"
    )


def along(name: Any, x: Any, compute: Callable[[list[Any]], list[Any]], linear: bool = False) -> Any:
    """Compute an array of all examples along an axis.

    Parameters
    ----------
    compute: a function from the arrays of all examples to what each of them gets.
    linear: whether derivatives are taken inside of the mapping by computing the same of the cotangents.
    """
    axis = axis_named(name)
    if axis.known is None:
        axis.asked = True
        raise _Stop(axis, x, compute)
    if not linear or axis.depth in (None, DERIVATIVES.get()) or x.dtype.kind not in "fc":
        return axis.together(x, compute)

    def again(y: Any) -> Any:
        return axis.together(y, compute)

    def with_back(y: Any) -> Any:
        return again(y), again

    push = lambda primals, tangents: again(tangents[0])  # noqa: E731
    return run(lw.custom_gradient(with_back, forward=push), (x,), {}, "psum")


def by_rule(f: Callable[..., Any], rule: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function that brings along how it is mapped: by its rule, where it is mapped.

    In the derivative of what is mapped it is the function itself that is differentiated.

    Parameters
    ----------
    rule: a function of the extent, of trees that say which arguments differ from example to example, and of the
        arguments, whose first axis is then that of the examples. It returns a result and a tree like that for it.
    """
    axis = next((a for a in reversed(_AXES.get()) if a.depth is not None), None)
    if axis is None or axis.depth != DERIVATIVES.get():
        return f(*args)
    leaves, structure = flatten(arrays_in(args), is_array)

    def compute(rows: list[list[Any]]) -> list[Any]:
        columns = [*zip(*rows, strict=True)]
        differ = [any(x is not column[0] for x in column) or len(rows) == 1 for column in columns]
        if not any(differ):
            return [arrays_in(f(*structure.build(iter(rows[0]))))] * len(rows)
        given = [ops.stack([*c]) if d else c[0] for c, d in zip(columns, differ, strict=True)]
        out, out_differs = rule(len(rows), [*structure.build(iter(differ))], *structure.build(iter(given)))
        found, built = flatten(arrays_in(out), is_array)
        told, as_told = flatten(out_differs)
        if len(told) != len(found) or [*paths(built)] != [*paths(as_told)]:
            name = getattr(rule, "__name__", "<unnamed rule>")
            raise ValueError(
                "structure of output value and output batching specification returned by custom vmap rule "
                f"({name}) do not match.\nOutput values: {built}\nBatching spec: {as_told}"
            )
        return [
            built.build(iter([x[i] if d else x for x, d in zip(found, told, strict=True)])) for i in range(len(rows))
        ]

    if axis.known is None:
        axis.asked = True
        raise _Stop(axis, leaves, compute)
    return axis.together(leaves, compute)


def index_along(name: Any) -> Any:
    """Return the number of the example along an axis."""
    axis = axis_named(name)
    return ops.asarray(axis.index, dtype=lw.int32) if isinstance(axis.index, int) else axis.index


@contextmanager
def of_one_device(names: Any) -> Iterator[None]:
    """A block in which the axes of a mesh of one device have their names."""
    axes = [Axis(name, 1, 0, []) for name in names]
    for axis in axes:
        axis.depth = None
    token = _AXES.set((*_AXES.get(), *axes))
    try:
        yield
    finally:
        _AXES.reset(token)


def spread(axes: Any, tree: Any) -> list[int | None]:
    """List the axis of each leaf of a tree. One axis may be given for a whole part of it."""
    found, structure = flatten(axes, lambda x: x is None)
    try:
        parts = [*leaves_at(structure, tree)]
    except ValueError as error:
        raise ValueError(f"vmap: axes are not built as what they belong to: {error}") from None
    return [axis for axis, part in zip(found, parts, strict=True) for _ in flatten(part, is_array)[0]]


def mapped_in_turn(f: Callable[..., Any], axis: Axis, axes: list[Any], leaves: list[Any], out_axes: Any) -> Any:
    """Map a function of leaves along an axis, one example after the other.

    Parameters
    ----------
    axes: the axis of each leaf, None for one that is the same for all.
    """
    rows = [[x if a is None else _at(x, a, i) for x, a in zip(leaves, axes, strict=True)] for i in range(axis.size)]
    known: list[list[Any]] = []
    while True:
        found, stopped = list[Any](), list[_Stop]()
        for i, row in enumerate(rows):
            try:
                with named(Axis(axis.name, axis.size, i, known)) as here:
                    found.append(arrays_in(f(*row)))
            except _Stop as stop:
                if stop.axis is not here:
                    raise
                stopped.append(stop)
        if not stopped:
            break
        if found:
            raise ValueError(f"vmap: not all examples along {axis.name!r} compute the same along it")
        known.append(stopped[0].compute([stop.operand for stop in stopped]))
    flat = [flatten(x, is_array)[0] for x in found]
    places = spread(out_axes, found[0])
    return flatten(found[0], is_array)[1].build(iter([
        column[0] if place is None else ops.stack([*column], axis=place)
        for place, column in zip(places, zip(*flat, strict=True), strict=True)
    ]))  # fmt: skip


def _at(x: Any, axis: int, i: int) -> Any:
    return ops.moveaxis(as_array(x), axis, 0)[i]


def each(f: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to the arrays of a tree."""
    return mapped(f, arrays_in(tree))
