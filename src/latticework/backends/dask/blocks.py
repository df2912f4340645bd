"""Lazy arrays from the kernels of the NumPy backend, which run block by block.

The dtype and the extents of every result are given beforehand. Without them dask tries the function on an array
without elements. Nothing is computed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.blockwise import Blockwise, blockwise
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.layers import ArraySliceDep
from dask.utils import funcname

from ...backend import get
from ...backend.arguments import check_integer
from ...core.dtypes import Dtype
from ...errors import LinAlgError
from ..numpy.core import BFLOAT16

Axes = int | tuple[int, ...] | None

#: Dask's value for an extent that is not known before the array is computed.
UNKNOWN = math.nan

BOOL = np.dtype(bool)
FLOAT32 = np.dtype(np.float32)
#: The dtype of positions and counts.
INDEX = np.dtype(np.int64)


def complex_dtype(dtype: np.dtype) -> np.dtype:
    """Return the complex dtype of the same precision."""
    return np.result_type(dtype, np.complex64)


def real_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype of the absolute value."""
    return dtype.type(0).real.dtype if dtype.kind == "c" else dtype


def accumulator(dtype: np.dtype) -> np.dtype:
    """Return the dtype in which sums and products of a dtype are computed."""
    return FLOAT32 if dtype == BFLOAT16 or dtype == np.float16 else dtype


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the NumPy backend for blocks, by the name of the function and the dtype computed in.

    It is pickled as these two, and is small in a graph.
    """

    name: str
    dtype: Dtype | None = None

    def __call__(self, *blocks: Any, **options: Any) -> Any:
        function: Any = get("numpy").function(self.name, self.dtype)
        try:
            return function(*blocks, **options)
        except np.linalg.LinAlgError as error:
            raise LinAlgError(f"{self.name}: {error}") from error

    @property
    def __name__(self) -> str:
        return self.name.rpartition(".")[2]

    def __dask_tokenize__(self) -> tuple[str, str, str]:
        return "latticework", self.name, str(self.dtype)


def kernel(name: str, *operands: Any) -> Kernel:
    """Return the kernel for the common dtype of the operands."""
    numpy = get("numpy")
    return Kernel(name, numpy.dtypes[common(*operands)])


def dtype_of_blocks(name: str, dtype: Dtype, args: tuple[Any, ...], kw: dict[str, Any]) -> Dtype | None:
    """Return the dtype that the blocks of a result will have, from a call of NumPy's function with one-element blocks.

    None where that does not tell: there is no one function, its result is not an array, or one element is too few.
    """
    numpy = get("numpy")
    if numpy.function(name, dtype) is None:
        return None
    try:
        with np.errstate(all="ignore"):
            block = Kernel(name, dtype)(*map(_one_element, args), **{n: _one_element(x) for n, x in kw.items()})
    except (ValueError, IndexError):
        return None
    return numpy.dtypes.get(block.dtype) if isinstance(block, (np.ndarray, np.generic)) else None


def _one_element(x: Any) -> Any:
    return np.ones((1,) * x.ndim, x.dtype) if isinstance(x, da.Array) else x


def common(*operands: Any) -> np.dtype:
    """Return the common dtype of the arrays among the operands. They differ only where NumPy's promotion is used."""
    dtypes = {x.dtype for x in operands if isinstance(x, da.Array)}
    return dtypes.pop() if len(dtypes) == 1 else np.result_type(*dtypes)


# --- what is known of the shape -----------------------------------------------------------------------------------


def is_known(x: da.Array, axes: Sequence[int] | None = None) -> bool:
    """Return whether the extents along these axes, or all, are known."""
    return not any(math.isnan(x.shape[a]) for a in (range(x.ndim) if axes is None else axes))


def require_known(x: da.Array, axes: Sequence[int] | None = None) -> None:
    if not is_known(x, axes):
        raise ValueError(
            "the extents of the array are not known until it is computed. "
            "Find them out with x.data.compute_chunk_sizes(), or take x.compute()"
        )


def broadcast_shape(*shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the shape that shapes broadcast to; an unknown extent goes with 1 and with another unknown one."""
    result: list[Any] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        extents = [s[-axis] for s in shapes if len(s) >= axis and s[-axis] != 1]
        resolved = {n for n in extents if not math.isnan(n)}
        if len(resolved) > 1:
            raise ValueError(f"shapes {' and '.join(map(str, shapes))} could not be broadcast together")
        if resolved and len(extents) > sum(n in resolved for n in extents):
            raise ValueError("an extent that is not known until it is computed cannot be matched with a known one")
        result.append(resolved.pop() if resolved else extents[0] if extents else 1)
    return tuple(reversed(result))


#: The most elements that `at_hand` returns.
_FEW = 1 << 16


def at_hand(x: da.Array) -> np.ndarray | None:
    """Return the elements of a small array that comes from NumPy unchanged: an index or a mask that was written down,
    and so tells the extents of a result. Nothing is computed for it."""
    if x.npartitions != 1 or not x.size <= _FEW or x.name not in x.dask.layers:
        return None
    layer = x.dask.layers[x.name]
    if isinstance(layer, Blockwise):
        return None
    block = layer.get((x.name, *(0,) * x.ndim))
    block = getattr(block, "value", block)  # of a data node
    return block if isinstance(block, np.ndarray) else None


def axis_of(x: da.Array, axis: int) -> int:
    """Return an axis counted from the start."""
    (found,) = axes_of(x.ndim, (axis,))
    return found


def axes_of(ndim: int, axes: Axes) -> tuple[int, ...]:
    """Return axes counted from the start, for an array of `ndim` axes; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    chosen = axes if isinstance(axes, (tuple, list)) else (axes,)
    for axis in chosen:
        if type(axis) is not int:
            check_integer(axis)
        if not -ndim <= axis < ndim:
            raise IndexError(f"axis {axis} is out of bounds for array of {ndim} axes")
    found = tuple([operator.index(axis) % ndim for axis in chosen])  # 1.0 would pass for 1
    if len({*found}) != len(found):
        raise ValueError(f"axes {tuple(chosen)} name one axis twice")
    return found


# --- what is computed block by block ------------------------------------------------------------------------------


def call(
    function: Callable[..., Any],
    out: Sequence[int],
    *operands: Any,
    dtype: Any,
    adjust_chunks: dict[int, Any] | None = None,
    align_arrays: bool = True,
    **more: Any,
) -> da.Array:
    """Call `da.blockwise` with the result's dtype. Operands and their axes come in turn; numbers name the axes.

    Chunks are unified here, because `da.blockwise` warns of products of many blocks, which are intended here.
    """
    if align_arrays and len(operands) > 2:
        align_arrays = False
        found, arrays = da.core.unify_chunks(*operands, warn=False)
        operands = tuple([part for pair in zip(arrays, operands[1::2], strict=True) for part in pair])
        for x, axes in zip(arrays, operands[1::2], strict=True):  # the blocks of an empty array are joined on the way
            if axes is not None and 0 in x.shape:
                found |= {i: c for i, c in zip(axes, x.chunks, strict=True) if sum(found[i]) == sum(c)}
        changes = adjust_chunks or {}
        chunks = {i: changes.get(i, found[i]) for i in out if i in found}
        adjust_chunks = {i: tuple(map(c, found[i])) if callable(c) else c for i, c in chunks.items()}
    if more.get("concatenate") and (depths := _single(out, operands)):
        more |= {"concatenate": None, "token": funcname(function).strip("_")}
        function = partial(_unwrapped, function=function, depths=depths)
    result = da.blockwise(
        function, out, *operands, dtype=dtype, meta=np.empty((0,) * len(out), dtype), adjust_chunks=adjust_chunks,
        align_arrays=align_arrays, **more,
    )  # fmt: skip
    return _apart(result) if 1 in more.get("new_axes", {}).values() else result


def _single(out: Sequence[int], operands: Sequence[Any]) -> tuple[int, ...]:
    """Return how many axes that are not in the result each operand has, if all of these are one block; () if not."""
    depths = []
    for x, axes in zip(operands[::2], operands[1::2], strict=True):
        gone = [] if axes is None else [n for i, n in zip(axes, x.numblocks, strict=True) if i not in out]
        if any(n != 1 for n in gone):
            return ()
        depths.append(len(gone))
    return tuple(depths)


def _unwrapped(*blocks: Any, function: Callable[..., Any], depths: tuple[int, ...], **options: Any) -> Any:
    """Call a function with blocks that come in lists of one, which Dask would copy to join them."""
    given = []
    for block, depth in zip(blocks, depths, strict=True):
        for _ in range(depth):
            (block,) = block
        given.append(block)
    return function(*given, **options)


def _apart(x: da.Array) -> da.Array:
    """Return an array whose blocks Dask does not fuse with those of the arrays that they broadcast with.

    To Dask, a layer with a new axis of extent 1 has one block along it, and so has any layer that it is fused into,
    which loses the other blocks (seen in 2026.8).
    """
    layers = {**x.dask.layers, x.name: MaterializedLayer(dict(x.dask.layers[x.name]))}
    return da.Array(HighLevelGraph(layers, x.dask.dependencies), x.name, x.chunks, meta=x._meta)


def by_block(function: Callable[..., Any], dtype: Any, *operands: Any, **options: Any) -> da.Array:
    """Call an elementwise function on each block of the arrays among the operands, broadcast together."""
    arrays = [x for x in operands if isinstance(x, da.Array)]
    ndim = max(x.ndim for x in arrays)
    if len(arrays) > 1 and any(x.chunks != arrays[0].chunks for x in arrays):
        broadcast_shape(*[x.shape for x in arrays])
    pairs: list[Any] = []
    for x in operands:
        pairs += (x, tuple(range(ndim - x.ndim, ndim)) if isinstance(x, da.Array) else None)
    if len(arrays) > 1 and math.isnan(sum(map(_SIZE, arrays))):
        unknown = [[i for i, x in enumerate(operands) if _is_unknown(x, axis)] for axis in range(-ndim, 0)]
        function = partial(_of_equal, function=function, unknown=tuple(map(tuple, unknown)))
    return call(function, tuple(range(ndim)), *pairs, dtype=dtype, **options)


_SIZE = operator.attrgetter("size")


def _is_unknown(x: Any, axis: int) -> bool:
    return isinstance(x, da.Array) and x.ndim >= -axis and math.isnan(x.shape[axis])


def _of_equal(*blocks: Any, function: Callable[..., Any], unknown: tuple[tuple[int, ...], ...], **options: Any) -> Any:
    """Call a function with blocks after a check: blocks whose extents along an axis were unknown must be equal there. A
    block of one element would broadcast, though the arrays are not in the same blocks."""
    for axis, which in enumerate(unknown, -len(unknown)):
        found = {blocks[i].shape[axis] for i in which}
        if len(found) > 1:
            raise ValueError(
                f"blocks of {' and '.join(map(str, sorted(found)))} elements do not fit together. Of arrays whose "
                f"extents are not known the blocks have to be equal: find them out with x.data.compute_chunk_sizes()"
            )
    return function(*blocks, **options)


def along(
    function: Callable[..., Any],
    x: da.Array,
    axes: Sequence[int],
    dtype: Any,
    extents: Sequence[Any] | None = None,
    **options: Any,
) -> da.Array:
    """Call a function that needs all elements along some axes: they are one block there, and stay so.

    `extents` are the result's along these axes, where they differ from those of x.
    """
    after = [x.shape[a] for a in axes] if extents is None else extents
    out, new = [*range(x.ndim)], {}
    for axis, extent in zip(axes, after, strict=True):
        if x.numblocks[axis] != 1 or extent != x.shape[axis]:
            out[axis] = x.ndim + axis
            new[x.ndim + axis] = extent
    return call(function, out, x, tuple(range(x.ndim)), dtype=dtype, concatenate=True, new_axes=new, **options)


def whole(x: da.Array, axes: Sequence[int] | None = None) -> da.Array:
    """Return the array in one block along these axes, or along all axes."""
    axes = range(x.ndim) if axes is None else axes
    several = [a for a in axes if x.numblocks[a] != 1]
    if not several:
        return x
    return x.rechunk(dict.fromkeys(several, -1)) if is_known(x, several) else along(_same, x, several, x.dtype)


def _same(block: Any) -> Any:
    return block


def reshaped(x: da.Array, shape: tuple[int, ...]) -> da.Array:
    """Reshape an array of known extents. Empty blocks are dropped: Dask's function goes wrong with them."""
    if not x.size and 0 in shape:
        return da.empty(shape, dtype=x.dtype)
    x = x.rechunk(tuple([tuple([n for n in c if n]) or (0,) for c in x.chunks]))
    try:
        return da.reshape(x, shape)
    except NotImplementedError:  # neither joins axes nor splits them
        return da.reshape(da.reshape(x, (-1,)), shape)


def parts(
    function: Callable[..., Any], results: Sequence[tuple[Any, tuple[Any, ...]]], *operands: tuple[da.Array, int]
) -> tuple[da.Array, ...]:
    """Call a function with several results. Each operand comes with the number of its last axes that have to be whole.
    Along the axes in front of them, which broadcast, the function goes block by block.

    `results` has the dtype and the extents of the last axes of each result.
    """
    stack = max(x.ndim - inner for x, inner in operands)
    pairs: list[Any] = []
    for i, (x, inner) in enumerate(operands):
        pairs += (x, (*range(stack - (x.ndim - inner), stack), *range(100 * (i + 1), 100 * (i + 1) + inner)))
    front = tuple(range(stack))
    result = call(function, front, *pairs, dtype=object, concatenate=True)
    return tuple([pick(result, i, dtype, extents) for i, (dtype, extents) in enumerate(results)])


def pick(result: da.Array, i: int, dtype: Any, extents: Sequence[Any] = ()) -> da.Array:
    """Return result i of a function whose blocks are tuples; `extents` are of its axes after those of the blocks."""
    front = tuple(range(result.ndim))
    after = dict(zip(range(result.ndim, result.ndim + len(extents)), extents, strict=True))
    return call(_part, (*front, *after), result, front, i, None, dtype=dtype, new_axes=after)


def _part(result: Any, i: int) -> Any:
    return result[i]


def with_axes(*blocks: Any, function: Callable[..., Any], n: int) -> np.ndarray:
    """Call a function with blocks and put n axes of extent 1 in front, for the axes that it reduces."""
    result: np.ndarray = np.asarray(function(*blocks))[(None,) * n]
    return result


def leaves(blocks: Any) -> list[Any]:
    """List the leaves of nested lists of blocks, except None."""
    if isinstance(blocks, list):
        return [x for b in blocks for x in leaves(b)]
    return [] if blocks is None else [blocks]


def positions(chunks: tuple[int, ...]) -> da.Array:
    """Return 0, 1, 2, …, in blocks of these extents: they tell a function which elements of an axis its block has. Dask
    makes them in the task that needs them."""
    name = f"positions-{tokenize(chunks)}"
    layer = blockwise(_from_to, name, (0,), ArraySliceDep((chunks,)), (0,), numblocks={})
    return da.Array(HighLevelGraph({name: layer}, {name: set()}), name, (chunks,), meta=np.empty((0,), INDEX))


def _from_to(part: tuple[slice, ...]) -> np.ndarray:
    return np.arange(part[0].start, part[0].stop, dtype=INDEX)


# --- reductions ---------------------------------------------------------------------------------------------------


def reduced(
    x: da.Array,
    axis: Axes,
    keepdims: bool,
    dtype: Any,
    at_once: Callable[..., Any],
    chunk: Callable[..., Any],
    aggregate: Callable[..., Any],
    combine: Callable[..., Any] | None = None,
    *,
    concatenate: bool = True,
) -> da.Array:
    """Reduce some axes: in one call where each is one block, else block by block and in a tree.

    `at_once` is the whole reduction. `chunk` reduces a block, `combine` makes one of several results, and `aggregate`
    makes the last one. All get `axis` and `keepdims`.
    """
    axes = axes_of(x.ndim, axis)
    every = tuple(range(x.ndim))
    kept = [a for a in every if a not in axes]
    ones = dict.fromkeys(axes, lambda n: 1)
    if all(x.numblocks[a] == 1 for a in axes):
        at_once = partial(at_once, axis=axes, keepdims=keepdims)
        if keepdims:
            return call(at_once, every, x, every, dtype=dtype, adjust_chunks=ones)
        return call(at_once, kept, x, every, dtype=dtype, concatenate=True)
    result = call(partial(chunk, axis=axes, keepdims=True), every, x, every, dtype=object, adjust_chunks=ones)
    several = partial(_several, axes=tuple(sorted(axes)), axis=axes, concatenate=concatenate)
    result = in_tree(partial(several, function=combine or aggregate, keepdims=True), result, axes)
    last = partial(several, function=aggregate, keepdims=keepdims)
    return in_one(last, result, axes, dtype) if keepdims else call(last, kept, result, every, dtype=dtype)


def in_tree(combine: Callable[[Any], Any], result: da.Array, axes: Sequence[int]) -> da.Array:
    """Combine results of blocks until they are few along these axes. `combine` gets them in lists."""
    branch = max(round(dask.config.get("split_every", 4) ** (1 / len(axes))), 2) if axes else 1
    while any(result.numblocks[a] > branch for a in axes):
        result = _tree_step(combine, result, tuple(axes), branch, result.dtype)
    return result


def in_one(aggregate: Callable[[Any], Any], result: da.Array, axes: Sequence[int], dtype: Any) -> da.Array:
    """Return the result of a reduction that keeps its axes: one block along them, of one element."""
    return _tree_step(aggregate, result, tuple(axes), max(result.numblocks[a] for a in axes), dtype)


def _several(
    blocks: Any, function: Callable[..., Any], axes: tuple[int, ...], axis: Any, keepdims: bool, concatenate: bool
) -> Any:
    joined = _together(blocks, axes) if concatenate else leaves(blocks)
    return function(joined, axis=axis, keepdims=keepdims)


def _together(blocks: Any, axes: tuple[int, ...]) -> np.ndarray:
    """Join blocks in lists, nested as deep as there are axes, to one array."""
    if not axes:
        return np.asarray(blocks)
    return np.concatenate([_together(b, axes[1:]) for b in blocks], axis=axes[0])


def _tree_step(function: Callable[..., Any], x: da.Array, axes: tuple[int, ...], branch: int, dtype: Any) -> da.Array:
    """Reduce each `branch` neighbouring blocks along each of the axes to one."""
    name = f"tree-{tokenize(function, x, axes, branch)}"
    width = [branch if a in axes else 1 for a in range(x.ndim)]
    counts = [-(-n // w) for n, w in zip(x.numblocks, width, strict=True)]

    def keys(place: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
        axis = len(before)
        if axis == x.ndim:
            return (x.name, *before)
        if axis not in axes:
            return keys(place, (*before, place[axis]))
        start = place[axis] * branch
        return [keys(place, (*before, i)) for i in range(start, min(start + branch, x.numblocks[axis]))]

    tasks = {(name, *place): (function, keys(place)) for place in np.ndindex(*counts)}
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[x])
    chunks = tuple([(1,) * counts[a] if a in axes else x.chunks[a] for a in range(x.ndim)])
    return da.Array(graph, name, chunks, meta=np.empty((0,) * x.ndim, dtype))
