"""PyTorch's functions that move elements: shapes, axes, joining, splitting, repeating."""

from __future__ import annotations

from math import prod
from typing import Any

from .core import complete, ops
from .objects import Size
from .tensor import Tensor

# fmt: off
__all__ = [
    "adjoint",
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "cartesian_prod",
    "cat",
    "channel_shuffle",
    "chunk",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "constant_pad_nd",
    "detach",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "dsplit",
    "dstack",
    "expand_copy",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "meshgrid",
    "moveaxis",
    "movedim",
    "narrow",
    "narrow_copy",
    "permute",
    "permute_copy",
    "pixel_shuffle",
    "pixel_unshuffle",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "rot90",
    "row_stack",
    "select",
    "select_copy",
    "split",
    "split_with_sizes",
    "squeeze",
    "stack",
    "swapaxes",
    "swapdims",
    "t",
    "tensor_split",
    "tile",
    "trace",
    "transpose",
    "transpose_copy",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "unbind",
    "unflatten",
    "unsqueeze",
    "vander",
    "view_as_complex",
    "view_as_real",
    "vsplit",
    "vstack",
]

def adjoint(input): return ops.conj(transpose(input, -2, -1))
def broadcast_to(input, size): return ops.broadcast_to(input, tuple(size))
def clone(input, *, memory_format=None): return ops.copy(input)
def column_stack(tensors, *, out=None): return ops.column_stack(list(tensors))
def concat(tensors, dim=0, *, out=None): return cat(tensors, dim)
def concatenate(tensors, dim=0, *, out=None): return cat(tensors, dim)
def detach(input): return input.detach()
def diagonal(input, offset=0, dim1=0, dim2=1): return ops.diagonal(input, offset, dim1, dim2)
def diagonal_copy(input, offset=0, dim1=0, dim2=1, *, out=None):
    return ops.copy(ops.diagonal(input, offset, dim1, dim2))
def dstack(tensors, *, out=None): return ops.dstack(list(tensors))
def expand_copy(input, size, *, implicit=False, out=None): return ops.copy(input.expand(size))
def flipud(input): return flip(input, 0)
def hstack(tensors, *, out=None): return ops.hstack(list(tensors))
def moveaxis(input, source, destination): return ops.moveaxis(input, _plain(source), _plain(destination))
def movedim(input, source, destination): return ops.moveaxis(input, _plain(source), _plain(destination))
def narrow_copy(input, dim, start, length, *, out=None): return ops.copy(narrow(input, dim, start, length))
def permute(input, dims): return ops.permute_dims(input, tuple(dims))
def permute_copy(input, dims, *, out=None): return ops.copy(ops.permute_dims(input, tuple(dims)))
def pixel_shuffle(input, upscale_factor): return ops.nn.pixel_shuffle(input, upscale_factor)
def pixel_unshuffle(input, downscale_factor): return ops.nn.pixel_unshuffle(input, downscale_factor)
def ravel(input): return ops.reshape(input, (-1,))
def row_stack(tensors, *, out=None): return ops.vstack(list(tensors))
def rot90(input, k=1, dims=(0, 1)): return ops.rot90(input, k, tuple(dims))
def select_copy(input, dim, index, *, out=None): return ops.copy(select(input, dim, index))
def stack(tensors, dim=0, *, out=None): return ops.stack(tensors if type(tensors) is list else list(tensors), axis=dim)
def swapaxes(input, axis0, axis1): return transpose(input, axis0, axis1)
def swapdims(input, dim0, dim1): return transpose(input, dim0, dim1)
def trace(input): return ops.linalg.trace(_matrix("trace", input))
def transpose_copy(input, dim0, dim1, *, out=None): return ops.copy(transpose(input, dim0, dim1))
def tril(input, diagonal=0, *, out=None): return ops.tril(_at_least(2, "tril", input), k=diagonal)
def triu(input, diagonal=0, *, out=None): return ops.triu(_at_least(2, "triu", input), k=diagonal)
def unsqueeze(input, dim): return ops.expand_dims(input, axis=dim)
def vander(x, N=None, increasing=False):
    return ops.vander(x._to(ops.promote_types(x.dtype, "int64")) if x._array.dtype.kind in "biu" else x, N, increasing)
def vstack(tensors, *, out=None): return ops.vstack(list(tensors))
# fmt: on


def _plain(dims: Any) -> Any:
    return tuple(dims) if isinstance(dims, (list, tuple)) else dims


def _at_least(ndim: int, name: str, input: Any) -> Any:
    if input._array.ndim < ndim:
        raise RuntimeError(f"{name}: input tensor must have at least {ndim} dimensions; got {input._array.ndim}")
    return input


def _matrix(name: str, input: Any) -> Any:
    if input._array.ndim != 2:
        raise RuntimeError(f"{name}: expected a matrix; got a tensor of {input._array.ndim} dimensions")
    return input


# --- shapes ---------------------------------------------------------------------------------------------------------


def reshape(input, shape):
    return ops.reshape(input, shape if type(shape) is tuple else tuple(shape))


def flatten(input, start_dim=0, end_dim=-1):
    if start_dim == 0 and end_dim == -1:
        return ops.reshape(input, (-1,))
    shape = input._array.shape
    if not shape:
        return ops.reshape(input, (1,))
    first, last = input._axis(start_dim), input._axis(end_dim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    return ops.reshape(input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


def unflatten(input, dim, sizes):
    axis, shape = input._axis(dim), input._array.shape
    sizes = tuple(sizes)
    known = prod(s for s in sizes if s != -1)
    if -1 in sizes and known:
        sizes = tuple(shape[axis] // known if s == -1 else s for s in sizes)
    if prod(sizes) != shape[axis]:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape[axis]})"
        )
    return ops.reshape(input, (*shape[:axis], *sizes, *shape[axis + 1 :]))


def squeeze(input, dim=None):
    shape = input._array.shape
    if dim is None:
        axes = tuple(i for i, n in enumerate(shape) if n == 1)
    else:
        found = [input._axis(d) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
        axes = tuple(d for d in found if shape and shape[d] == 1)
    return ops.squeeze(input, axis=axes) if axes else input


def transpose(input, dim0, dim1):
    first, second = input._axis(dim0), input._axis(dim1)
    axes = list(range(input._array.ndim))
    if not axes:
        return input
    axes[first], axes[second] = second, first
    return ops.permute_dims(input, tuple(axes))


def t(input):
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.matrix_transpose(input) if input._array.ndim == 2 else input


def _atleast(f: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tuple(f(x) for x in tensors[0])
    return f(tensors[0]) if len(tensors) == 1 else tuple(f(x) for x in tensors)


# fmt: off
def atleast_1d(*tensors): return _atleast(lambda x: x if x._array.ndim else ops.reshape(x, (1,)), tensors)
def atleast_2d(*tensors): return _atleast(ops.atleast_2d, tensors)
def atleast_3d(*tensors): return _atleast(ops.atleast_3d, tensors)
# fmt: on


def broadcast_shapes(*shapes):
    from ... import broadcast_shapes as joined

    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    try:
        return Size(joined(*given))  # type: ignore[arg-type]
    except ValueError as error:
        raise RuntimeError(str(error)) from None


def broadcast_tensors(*tensors):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    return tuple(ops.broadcast_arrays(*tensors))


def as_strided(input, size, stride, storage_offset=None):
    """By the elements in the order of a contiguous tensor, as a new tensor."""
    import numpy as np

    index = np.full((), storage_offset or 0)
    for axis, (extent, step) in enumerate(zip(size, stride, strict=True)):
        index = np.expand_dims(index, axis) + np.arange(extent) * step
    return ops.take(ops.reshape(input, (-1,)), ops.asarray(index), axis=0)


# --- joining --------------------------------------------------------------------------------------------------------


def cat(tensors, dim=0, *, out=None):
    if type(tensors) is not list:
        if type(tensors) is not tuple:
            raise TypeError(f"cat(): argument 'tensors' must be tuple of Tensors, not {type(tensors).__name__}")
        tensors = list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    try:
        return ops.concat(tensors, dim)
    except (RuntimeError, IndexError):
        # PyTorch leaves out empty tensors of one dimension beside others.
        kept = [x for x in tensors if x._array.shape != (0,)]
        if not kept or len(kept) == len(tensors):
            raise
        result = ops.concat(kept, dim) if len(kept) > 1 else kept[0]
        return result._to(ops.result_type(*tensors))


def block_diag(*tensors):
    return ops.linalg.block_diag(*[ops.atleast_2d(x) for x in tensors])


def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    grids = ops.meshgrid(*tensors, indexing="ij")
    return ops.stack([ops.reshape(g, (-1,)) for g in grids], axis=1)


def combinations(input, r=2, with_replacement=False):
    from itertools import combinations as chosen
    from itertools import combinations_with_replacement as with_repeats

    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    index = [*(with_repeats if with_replacement else chosen)(range(input._array.shape[0]), r)]
    if not index:
        return ops.zeros((0, r) if r else (0,), dtype=input.dtype)
    return ops.take(input, ops.reshape(ops.asarray(index, dtype="int64"), (len(index), r)), axis=0)


def meshgrid(*tensors, indexing=None):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f"torch.meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing}")
    return tuple(ops.meshgrid(*[atleast_1d(x) for x in tensors], indexing=indexing or "ij"))


# --- splitting ------------------------------------------------------------------------------------------------------


def _pieces(tensor: Any, sizes: Any, dim: int) -> tuple[Any, ...]:
    axis, start, found = tensor._axis(dim), 0, []
    before = (slice(None),) * axis
    for size in sizes:
        found.append(tensor[(*before, slice(start, start + size))])
        start += size
    return tuple(found)


def split(tensor, split_size_or_sections, dim=0):
    if not tensor._array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    count = tensor._array.shape[tensor._axis(dim)]
    if not isinstance(split_size_or_sections, int):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size = split_size_or_sections
    if size < 0 or (size == 0 and count):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    return _pieces(tensor, [min(size, count - at) for at in range(0, count, size)] if count else [0], dim)


def split_with_sizes(input, split_sizes, dim=0):
    count = input._array.shape[input._axis(dim)]
    if sum(split_sizes) != count:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {count} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={list(split_sizes)}"
        )
    return _pieces(input, split_sizes, dim)


def chunk(input, chunks, dim=0):
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    count = input._array.shape[input._axis(dim)]
    if not count:
        return _pieces(input, [0] * chunks, dim)
    return split(input, -(-count // chunks), dim)


def tensor_split(input, indices_or_sections, dim=0):
    if not input._array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    if type(indices_or_sections) is Tensor:
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {indices_or_sections}")
    else:
        indices_or_sections = list(indices_or_sections)
    return tuple(ops.array_split(input, indices_or_sections, axis=input._axis(dim)))


def _split_along(name: str, input: Any, by: Any, dim: int) -> Any:
    if isinstance(by, int) and (by <= 0 or input._array.shape[dim] % by):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but its size is not divisible by {by}"
        )
    return tensor_split(input, by, dim)


# fmt: off
def hsplit(input, indices_or_sections):
    return _split_along("hsplit", _at_least(1, "hsplit", input), indices_or_sections, min(input._array.ndim - 1, 1))
def vsplit(input, indices_or_sections):
    return _split_along("vsplit", _at_least(2, "vsplit", input), indices_or_sections, 0)
def dsplit(input, indices_or_sections):
    return _split_along("dsplit", _at_least(3, "dsplit", input), indices_or_sections, 2)
# fmt: on


def unbind(input, dim=0):
    if not input._array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    before = (slice(None),) * input._axis(dim)
    return tuple(input[(*before, i)] for i in range(input._array.shape[len(before)]))


def narrow(input, dim, start, length):
    if not input._array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis = input._axis(dim)
    count, start = input._array.shape[axis], int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -count <= start <= count:
        raise IndexError(f"start out of range (expected to be in range of [{-count}, {count}], but got {start})")
    start = start + count if start < 0 else start
    if start + length > count:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({count}).")
    return input[(*(slice(None),) * axis, slice(start, start + length))]


def select(input, dim, index):
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    return input[(*(slice(None),) * input._axis(dim), int(index))]


# --- repeating and turning ------------------------------------------------------------------------------------------


def flip(input, dims):
    axes = tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
    return ops.flip(input, axis=axes) if axes else ops.copy(input)


def fliplr(input):
    return flip(_at_least(2, "fliplr", input), 1)


def roll(input, shifts, dims=None):
    dims = dims if dims != () else None
    return ops.roll(input, _plain(shifts), axis=_plain(dims))


def tile(input, dims):
    return ops.tile(input, tuple(dims))


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    if repeats is None:
        return ops.repeat(ops.arange(input._array.shape[0], dtype="int64"), input, axis=0)
    if isinstance(repeats, (list, tuple)):
        repeats = ops.asarray(repeats, dtype="int64")
    if type(repeats) is Tensor and repeats._array.ndim == 0:
        repeats = repeats.item()
    if isinstance(repeats, int) and repeats < 0:
        raise RuntimeError("repeats can not be negative")
    if dim is None:
        input, dim = ops.reshape(input, (-1,)), 0
    return ops.repeat(input, repeats, axis=dim)


def constant_pad_nd(input, pad, value=0):
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    width = [(0, 0)] * (input._array.ndim - len(pairs)) + pairs
    return ops.pad(input, width, constant_values=value)


def channel_shuffle(input, groups):
    shape = input._array.shape
    split = ops.reshape(input, (shape[0], groups, shape[1] // groups, *shape[2:]))
    return ops.reshape(ops.swapaxes(split, 1, 2), shape)


# --- diagonals and triangles ----------------------------------------------------------------------------------------


def diag(input, diagonal=0, *, out=None):
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    return ops.diag(input, k=diagonal)


def diagflat(input, offset=0):
    return ops.diag(ops.reshape(input, (-1,)), k=offset)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    shape = input._array.shape
    size, ndim = shape[-1] + abs(offset), len(shape) + 1
    first, second = input._axis(dim1, ndim), input._axis(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if offset < 0:
        offset, first, second = -offset, second, first
    before = ops.zeros((*shape[:-1], offset), dtype=input.dtype)
    wide = ops.concat([before, input], axis=-1) if offset else input
    rows = ops.expand_dims(ops.concat([input, before], axis=-1) if offset else input, axis=-2)
    del rows
    hit = ops.eye(size, size, k=offset, dtype="bool")
    made = ops.where(hit, ops.expand_dims(wide, axis=-2), ops.zeros((), dtype=input.dtype))
    return ops.moveaxis(made, (-2, -1), (first, second))


def _indices(row: int, col: int, offset: int, dtype: Any, device: Any, lower: bool) -> Any:
    from .objects import place

    inside = [(i, j) for i in range(row) for j in range(col) if (j - i <= offset if lower else j - i >= offset)]
    pairs = [[p[0] for p in inside], [p[1] for p in inside]]
    made = ops.asarray(pairs, dtype="int64" if dtype is None else dtype, device=place(device))
    return ops.reshape(made, (2, len(inside)))


# fmt: off
def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None):
    return _indices(row, col, offset, dtype, device, True)
def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None):
    return _indices(row, col, offset, dtype, device, False)
# fmt: on


def view_as_real(input):
    if input._array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return ops.stack([ops.real(input), ops.imag(input)], axis=-1)


def view_as_complex(input):
    if input._array.dtype.name == "float16":
        raise TypeError("view_as_complex: there is no complex dtype of this width. Cast the tensor first")
    if input._array.dtype.name not in ("float32", "float64"):
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got {input.dtype}"
        )
    if not input._array.ndim or input._array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    return ops.add(input[..., 0], ops.multiply(input[..., 1], 1j))


complete(globals(), scalars="flip roll")
