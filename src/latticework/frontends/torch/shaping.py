"""PyTorch's functions that move elements: shapes, axes, joining, splitting, repeating."""

from __future__ import annotations

from math import prod
from typing import Any

from ..calls import alias
from .core import complete, ops
from .objects import Size
from .tensor import Tensor

# fmt: off

def adjoint(input): return ops.conj(transpose(input, -2, -1))
def broadcast_to(input, size): return input.expand(size)
def clone(input, *, memory_format=None): return ops.copy(input)
def detach(input): return input.detach()
def diagonal(input, offset=0, dim1=0, dim2=1): return ops.diagonal(input, offset, dim1, dim2)
def diagonal_copy(input, offset=0, dim1=0, dim2=1, *, out=None):
    return ops.copy(ops.diagonal(input, offset, dim1, dim2))
def expand_copy(input, size, *, implicit=False, out=None): return ops.copy(input.expand(size))
def flipud(input): return flip(input, 0)
def moveaxis(input, source, destination): return ops.moveaxis(input, _plain(source), _plain(destination))
def movedim(input, source, destination): return ops.moveaxis(input, _plain(source), _plain(destination))
def permute(input, dims): return ops.permute_dims(input, tuple(dims))
def permute_copy(input, dims, *, out=None): return ops.copy(ops.permute_dims(input, tuple(dims)))
def pixel_shuffle(input, upscale_factor): return ops.nn.pixel_shuffle(input, upscale_factor)
def pixel_unshuffle(input, downscale_factor): return ops.nn.pixel_unshuffle(input, downscale_factor)
def ravel(input): return ops.reshape(input, (-1,))
def rot90(input, k=1, dims=(0, 1)): return _of_its_own(ops.rot90(input, k, tuple(dims)))
def swapaxes(input, axis0, axis1): return transpose(input, axis0, axis1)
def swapdims(input, dim0, dim1): return transpose(input, dim0, dim1)
def trace(input): return ops.linalg.trace(_matrix("trace", input))
def transpose_copy(input, dim0, dim1, *, out=None): return ops.copy(transpose(input, dim0, dim1))
def tril(input, diagonal=0, *, out=None): return ops.tril(at_least(2, "tril", input), k=diagonal)
def triu(input, diagonal=0, *, out=None): return ops.triu(at_least(2, "triu", input), k=diagonal)
def unsqueeze(input, dim): return ops.expand_dims(input, axis=dim)
def vander(x, N=None, increasing=False):
    return ops.vander(x._to(ops.promote_types(x.dtype, "int64")) if x._array.dtype.kind in "biu" else x, N, increasing)
# fmt: on


def _plain(dims: Any) -> Any:
    return tuple(dims) if isinstance(dims, (list, tuple)) else dims


def at_least(ndim: int, name: str, input: Any) -> Any:
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
    return ops.squeeze(input, axis=axes) if axes else alias(input)


def transpose(input, dim0, dim1):
    first, second = input._axis(dim0), input._axis(dim1)
    order = list(range(input._array.ndim))
    if not order:
        return alias(input)
    order[first], order[second] = order[second], order[first]
    return ops.permute_dims(input, tuple(order))


def t(input):
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.matrix_transpose(input) if input._array.ndim == 2 else alias(input)


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


# --- repeating and turning ------------------------------------------------------------------------------------------


def _of_its_own(x: Any) -> Any:
    """A copy where the backend has given a view that PyTorch has not."""
    return x if x._array._sig.immutable else ops.copy(x)


def flip(input, dims):
    axes = tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
    return _of_its_own(ops.flip(input, axis=axes)) if axes else ops.copy(input)


def fliplr(input):
    return flip(at_least(2, "fliplr", input), 1)


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
    return ops.repeat(input, repeats) if dim is None else ops.repeat(input, repeats, axis=dim)


def constant_pad_nd(input, pad, value=0):
    if min(pad, default=0) < 0:  # it crops
        from .nn.functional.resampling import pad as padded

        return padded(input, pad, "constant", value)
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


complete(globals(), scalars="flip roll", helpers="at_least")
