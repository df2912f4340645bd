"""What is computed along a named axis of `jax.vmap`: sums, extrema, exchanges."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from ..axes import along, axis_named, each, index_along
from ..core import describe, ops


def _names(axis_name: Any) -> tuple[Any, ...]:
    return tuple(axis_name) if isinstance(axis_name, (tuple, list)) else (axis_name,)


def _one(axis_name: Any, what: str) -> Any:
    names = _names(axis_name)
    if len(names) != 1:
        raise NotImplementedError(f"{what}: along several axes at once is not there in this dialect")
    return names[0]


def _no_groups(axis_index_groups: Any) -> None:
    if axis_index_groups is not None:
        raise NotImplementedError("axis_index_groups are not there along an axis of vmap, as in JAX")


def _joined(f: Callable[[Any, Any], Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda xs: [reduce(f, xs)] * len(xs)


def _reduced(x: Any, axis_name: Any, f: Any, groups: Any, linear: bool = False) -> Any:
    _no_groups(groups)
    compute = _joined(f)
    for name in _names(axis_name):
        axis_named(name)
        x = each(lambda leaf, name=name: along(name, leaf, compute, linear), x)  # type: ignore[misc]
    return x


def _as_number(x: Any) -> Any:
    return ops.astype(x, "int32") if x.dtype.kind == "b" else x


def psum(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    if type(x) in (int, float, complex, bool):  # a number that all have alike, as `psum(1, name)` for the extent
        _no_groups(axis_index_groups)
        return x * axis_size(axis_name)
    return _reduced(each(_as_number, x), axis_name, ops.add, axis_index_groups, linear=True)


def pmean(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    count = axis_size(axis_name)
    if type(x) in (int, float, complex, bool):
        return x * count / count
    return each(lambda total: total / count, psum(x, axis_name, axis_index_groups=axis_index_groups))


def pmax(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    return _reduced(x, axis_name, ops.maximum, axis_index_groups)


def pmin(x: Any, axis_name: Any, *, axis_index_groups: Any = None) -> Any:
    return _reduced(x, axis_name, ops.minimum, axis_index_groups)


def axis_size(axis_name: Any) -> int:
    return math.prod([axis_named(name).size for name in _names(axis_name)])


def axis_index(axis_name: Any) -> Any:
    found = None
    for name in _names(axis_name):
        index = index_along(name)
        found = index if found is None else found * axis_named(name).size + index
    return found


def all_gather(
    x: Any, axis_name: Any, *, axis_index_groups: Any = None, axis: int = 0, tiled: bool = False, to: str = "varying"
) -> Any:
    name = _one(axis_name, "all_gather")
    join = ops.concat if tiled else ops.stack
    _no_groups(axis_index_groups)
    return each(lambda leaf: along(name, leaf, lambda xs: [join(xs, axis=axis)] * len(xs)), x)


def all_to_all(
    x: Any, axis_name: Any, split_axis: int, concat_axis: int, *, axis_index_groups: Any = None, tiled: bool = False
) -> Any:
    _no_groups(axis_index_groups)
    name = _one(axis_name, "all_to_all")
    size = axis_named(name).size

    def parts(leaf: Any) -> list[Any]:
        extent = leaf.shape[split_axis]
        if not tiled and extent != size:
            raise ValueError(
                "all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they are "
                f"{size} and {extent} respectively."
            )
        if extent % size:
            raise ValueError(f"all_to_all: the extent {extent} is no multiple of {size}")
        step = extent // size
        moved = ops.moveaxis(leaf, split_axis, 0)
        cut = [moved[i * step : (i + 1) * step] if tiled else moved[i] for i in range(size)]
        return [ops.moveaxis(c, 0, split_axis) for c in cut] if tiled else cut

    def compute(xs: list[Any]) -> list[Any]:
        rows = [parts(leaf) for leaf in xs]
        join = ops.concat if tiled else ops.stack
        return [join([row[i] for row in rows], axis=concat_axis) for i in range(len(xs))]

    return each(lambda leaf: along(name, leaf, compute), x)


def ppermute(x: Any, axis_name: Any, perm: Any) -> Any:
    name, pairs = _one(axis_name, "ppermute"), [(int(a), int(b)) for a, b in perm]
    if len(pairs) != axis_named(name).size:
        raise AssertionError("Permutation doesn't match the axis size!")

    def compute(xs: list[Any]) -> list[Any]:
        found = [ops.zeros_like(leaf) for leaf in xs]
        for source, target in pairs:
            found[target] = xs[source]
        return found

    return each(lambda leaf: along(name, leaf, compute), x)


def pshuffle(x: Any, axis_name: Any, perm: Any) -> Any:
    if sorted(perm) != [*range(len(perm))]:
        raise ValueError(f"`perm` does not represent a permutation: {perm}")
    return ppermute(x, axis_name, [*zip(perm, range(len(perm)), strict=True)])


def pbroadcast(x: Any, axis_name: Any, source: Any) -> Any:
    name = _one(axis_name, "pbroadcast")
    return each(lambda leaf: along(name, leaf, lambda xs: [xs[source]] * len(xs)), x)


def pswapaxes(x: Any, axis_name: Any, axis: int, *, axis_index_groups: Any = None) -> Any:
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def psum_scatter(
    x: Any, axis_name: Any, *, scatter_dimension: int = 0, axis_index_groups: Any = None, tiled: bool = False
) -> Any:
    _no_groups(axis_index_groups)
    name = _one(axis_name, "psum_scatter")

    def compute(xs: list[Any]) -> list[Any]:
        total = ops.moveaxis(reduce(ops.add, xs), scatter_dimension, 0)
        count = len(xs)
        if total.shape[0] % count or (not tiled and total.shape[0] != count):
            raise ValueError(f"psum_scatter: the extent {total.shape[0]} of the axis does not fit {count} examples")
        if not tiled:
            return [total[i] for i in range(count)]
        step = total.shape[0] // count
        return [ops.moveaxis(total[i * step : (i + 1) * step], 0, scatter_dimension) for i in range(count)]

    return each(lambda leaf: along(name, leaf, compute), x)


describe(globals(), "jax.lax")
