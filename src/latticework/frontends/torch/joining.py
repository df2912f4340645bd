"""PyTorch's functions that join tensors and split them."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.array import wrapped
from .autograd.recording import is_native
from .core import complete, dialect, ops
from .shaping import at_least, atleast_1d
from .tensor import Tensor

# fmt: off

def column_stack(tensors, *, out=None): return ops.column_stack(list(tensors))
def concat(tensors, dim=0, *, out=None): return cat(tensors, dim)
def concatenate(tensors, dim=0, *, out=None): return cat(tensors, dim)
def dstack(tensors, *, out=None): return ops.dstack(list(tensors))
def hstack(tensors, *, out=None): return ops.hstack(list(tensors))
def row_stack(tensors, *, out=None): return ops.vstack(list(tensors))
def stack(tensors, dim=0, *, out=None): return ops.stack(tensors if type(tensors) is list else list(tensors), axis=dim)
def vstack(tensors, *, out=None): return ops.vstack(list(tensors))
def narrow_copy(input, dim, start, length, *, out=None): return ops.copy(narrow(input, dim, start, length))
def select_copy(input, dim, index, *, out=None): return ops.copy(select(input, dim, index))
# fmt: on


# --- joining --------------------------------------------------------------------------------------------------------


def cat(tensors, dim=0, *, out=None):
    if type(tensors) is not list:
        if type(tensors) is not tuple:
            raise TypeError(f"cat(): argument 'tensors' must be tuple of Tensors, not {type(tensors).__name__}")
        tensors = list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    try:
        return ops.concat(tensors) if type(dim) is int and dim == 0 else ops.concat(tensors, dim)
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
    x = tensor._array
    if is_native(x):  # PyTorch has one derivative of all pieces
        return tuple([dialect.wrapped(wrapped(part, x._sig)) for part in x._data.split([*sizes], axis)])
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
    return _split_along("hsplit", at_least(1, "hsplit", input), indices_or_sections, min(input._array.ndim - 1, 1))
def vsplit(input, indices_or_sections):
    return _split_along("vsplit", at_least(2, "vsplit", input), indices_or_sections, 0)
def dsplit(input, indices_or_sections):
    return _split_along("dsplit", at_least(3, "dsplit", input), indices_or_sections, 2)
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


complete(globals())
