"""PyTorch's functions that pick elements, write to places, sort and search."""

from __future__ import annotations

from typing import Any

import latticework as lw

from ...core.dtypes import bool_
from ..calls import told
from .core import complete, ops
from .tensor import Tensor

# fmt: off


def masked_scatter(input, mask, source): return _masked_scatter(input, mask, source)
def take(input, index): return ops.take(ops.reshape(input, (-1,)), index, axis=0)
# fmt: on


def where(condition, input=None, other=None, *, out=None):
    if input is None and other is None:
        return tuple(ops.nonzero(condition))
    if type(condition) is Tensor and condition._array._sig.dtype is bool_ and type(input) is Tensor:
        return ops.where(condition, input, other)
    if type(condition) is not Tensor:
        raise TypeError(f"where(): argument 'condition' must be Tensor, not {type(condition).__name__}")
    name = condition._array.dtype.name
    if name not in ("bool", "uint8"):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}"
        )
    condition = condition if name == "bool" else condition._to("bool")
    if type(input) is not Tensor and type(other) is not Tensor:
        input = ops.asarray(input)
    return ops.where(condition, input, other)


def _index(name: str, index: Any, kinds: str = "int64 int32") -> Any:
    if type(index) is not Tensor:
        raise TypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index._array.dtype.name not in kinds.split():
        if not index._array.size and name == "gather":
            return index._to("int64")
        raise RuntimeError(f"{name}(): Expected dtype int64 for index; got {index.dtype}")
    return index


def without_negative(name: str, index: Any, error: type[Exception] = RuntimeError) -> None:
    """Refuse positions that count from the end, as PyTorch does here, where the values are at hand."""
    a = index._array
    backend = a._sig.backend
    if not a.size or (not told() and (backend.lazy or backend.watched)):
        return
    try:
        wrong = bool(ops.min(index) < 0)
    except Exception:  # it is traced by the framework
        return
    if wrong:
        raise error(f"{name}(): index {int(lw.min(a))} is out of bounds: positions do not count from the end here")


def gather(input, dim, index, *, sparse_grad=False, out=None):
    index = _index("gather", index)
    without_negative("gather", index)
    axis = input._axis(dim)
    if input._array.ndim == 0:
        return (
            ops.broadcast_to(input, index._array.shape)
            if index._array.ndim == 0
            else ops.reshape(ops.take(ops.reshape(input, (1,)), index, axis=0), index._array.shape)
        )
    if index._array.ndim != input._array.ndim and index._array.size:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if not index._array.size:
        return ops.zeros(index._array.shape, dtype=input.dtype)
    cut = _cut_to(input, axis, index._array.shape, "gather")
    return _in_bounds(ops.take_along_axis, cut, index, axis)


def _cut_to(x: Any, axis: int, shape: tuple[int, ...], name: str) -> Any:
    """The part of x that an index of this shape reaches."""
    key = []
    for d, (extent, wanted) in enumerate(zip(x._array.shape, shape, strict=True)):
        if d != axis and wanted > extent:
            raise RuntimeError(
                f"{name}(): Size does not match at dimension {d} expected index {list(shape)} to be no larger than "
                f"self {list(x._array.shape)} apart from dimension {axis}"
            )
        key.append(slice(None) if d == axis or wanted == extent else slice(0, wanted))
    return x[tuple(key)] if any(k != slice(None) for k in key) else x


def _in_bounds(f: Any, *args: Any, **options: Any) -> Any:
    """Call a function of positions. For positions out of bounds, raise RuntimeError as PyTorch does."""
    try:
        return f(*args, **options)
    except IndexError as error:
        raise RuntimeError(str(error)) from None


def index_select(input, dim, index, *, out=None):
    index = _index("index_select", index)
    without_negative("index_select", index, IndexError)
    axis = input._axis(dim)
    if index._array.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input._array.ndim:
        return ops.copy(input)
    return ops.take(input, ops.reshape(index, (-1,)), axis=axis)


def take_along_dim(input, indices, dim=None, *, out=None):
    indices = _index("take_along_dim", indices, "int64")
    if dim is None:
        return ops.take(ops.reshape(input, (-1,)), ops.reshape(indices, (-1,)), axis=0)
    axis = input._axis(dim)
    if indices._array.ndim != input._array.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions")
    shape, wanted = list(input._array.shape), list(indices._array.shape)
    joined = [max(a, b) if 1 in (a, b) else a for a, b in zip(shape, wanted, strict=True)]
    x = ops.broadcast_to(input, tuple(shape[d] if d == axis else n for d, n in enumerate(joined)))
    i = ops.broadcast_to(indices, tuple(wanted[d] if d == axis else n for d, n in enumerate(joined)))
    return ops.take_along_axis(x, i, axis)


# --- writing to places ----------------------------------------------------------------------------------------------


def _values(input: Any, src: Any, index: Any, name: str) -> Any:
    """Return the values to write, with the dtype of the tensor and the shape of the index."""
    if type(src) is not Tensor:
        return input._goes_in(src)
    if src._array.dtype is not input._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype; got {input.dtype} and {src.dtype}")
    shape = index._array.shape
    if src._array.ndim != len(shape) or any(n > m for n, m in zip(shape, src._array.shape, strict=True)):
        raise RuntimeError(f"{name}(): Expected index {list(shape)} to be no larger than src {list(src._array.shape)}")
    return src[tuple(slice(0, n) for n in shape)] if src._array.shape != shape else src


def _scatter(name: str, input: Any, dim: int, index: Any, src: Any, reduction: str, include_self: bool = True) -> Any:
    index = _index(name, index)
    axis = input._axis(dim)
    if not index._array.size:
        return ops.copy(input)
    values = _values(input, src, index, name)
    if not input._array.ndim:
        return ops.reshape(
            _scatter(
                name,
                ops.reshape(input, (1,)),
                0,
                ops.reshape(index, (1,)),
                ops.reshape(values, (1,)) if type(values) is Tensor else values,
                reduction,
                include_self,
            ),
            (),
        )
    if index._array.ndim != input._array.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    _cut_to(input, axis, index._array.shape, name)
    without_negative(name, index)
    return _in_bounds(ops.scatter, input, index, values, axis=axis, reduction=reduction, include_self=include_self)


_REDUCTIONS = {"sum": "sum", "prod": "multiply", "mean": "mean", "amax": "max", "amin": "min"}


def scatter(input, dim, index, src=None, *, value=None, reduce=None, out=None):
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply; got {reduce!r}")
    word = {None: "replace", "add": "sum", "multiply": "multiply"}[reduce]
    return _scatter("scatter", input, dim, index, value if src is None else src, word)


def scatter_add(input, dim, index, src, *, out=None):
    return _scatter("scatter_add", input, dim, index, src, "sum")


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce!r}")
    if reduce == "mean" and input._array.dtype.kind in "iu":
        return _mean_of_integers(_scatter, input, dim, index, src, include_self)
    return _scatter("scatter_reduce", input, dim, index, src, _REDUCTIONS[reduce], include_self)


def _mean_of_integers(write: Any, input: Any, dim: int, index: Any, src: Any, include_self: bool) -> Any:
    """The mean that PyTorch gives of integers: rounded down. `write` is `_scatter` or `_along`."""
    total = write("scatter_reduce", input, dim, index, src, "sum", include_self)
    ones, start = ops.ones_like(src), ops.ones_like(input)
    count = write("scatter_reduce", start, dim, index, ones, "sum", include_self)
    return ops.floor_divide(total, count)


def _along(name: str, input: Any, dim: int, index: Any, source: Any, reduction: str, include_self: bool = True) -> Any:
    """Write slices of a source to positions along an axis."""
    index = _index(name, index)
    axis = input._axis(dim)
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, but got dim: {index._array.ndim}")
    if not input._array.ndim:
        return ops.reshape(
            _along(
                name,
                ops.reshape(input, (1,)),
                0,
                ops.reshape(index, (-1,)),
                ops.reshape(source, (-1,)),
                reduction,
                include_self,
            ),
            (),
        )
    index = ops.reshape(index, (-1,))
    if source._array.dtype is not input._array.dtype:
        raise RuntimeError(
            f"{name}(): self and source expected to have the same dtype, but got {input.dtype} and {source.dtype}"
        )
    shape = [*input._array.shape]
    shape[axis] = index._array.shape[0]
    if list(source._array.shape) != shape:
        raise IndexError(
            f"{name}(): source and destination must have the same slice shapes; "
            f"got {source._array.shape}, not {tuple(shape)}"
        )
    without_negative(name, index, IndexError if name == "index_copy" else RuntimeError)
    wide = [1] * len(shape)
    wide[axis] = shape[axis]
    where = ops.broadcast_to(ops.reshape(index, tuple(wide)), tuple(shape))
    return _in_bounds(ops.scatter, input, where, source, axis=axis, reduction=reduction, include_self=include_self)


def index_add(input, dim, index, source, *, alpha=1, out=None):
    return _along(
        "index_add", input, dim, index, source if alpha == 1 else ops.multiply(source, alpha)._to(source.dtype), "sum"
    )


def index_copy(input, dim, index, source, *, out=None):
    return _along("index_copy", input, dim, _index("index_copy", index, "int64"), source, "replace")


def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either prod, mean, amax or amin, got {reduce!r}")
    if reduce == "mean" and input._array.dtype.kind in "iu":
        return _mean_of_integers(_along, input, dim, index, source, include_self)
    return _along("index_reduce", input, dim, index, source, _REDUCTIONS[reduce], include_self)


def index_fill(input, dim, index, value):
    index = _index("index_fill", index, "int64")
    axis = input._axis(dim)
    if type(value) is Tensor and value._array.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor")
    made = ops.copy(input)
    if not input._array.ndim:
        if index._array.size:
            made[...] = value
        return made
    made[(*(slice(None),) * axis, ops.reshape(index, (-1,)))] = value
    return made


def index_put(input, indices, values, accumulate=False):
    made = ops.copy(input)
    return made.index_put_(indices, values, accumulate)


def put(input, index, source, accumulate=False):
    flat = ops.reshape(input, (-1,))
    where, values = ops.reshape(_index("put", index, "int64"), (-1,)), ops.reshape(source, (-1,))
    if values._array.dtype is not input._array.dtype:
        raise RuntimeError(
            f"put(): self and source expected to have the same dtype, but got {input.dtype} and {source.dtype}"
        )
    made = ops.scatter(flat, where, values, axis=0, reduction="sum" if accumulate else "replace")
    return ops.reshape(made, input._array.shape)


def _mask(name: str, mask: Any) -> Any:
    if type(mask) is not Tensor:
        raise TypeError(f"{name}(): argument 'mask' must be Tensor, not {type(mask).__name__}")
    if mask._array.dtype.name != "bool":
        raise RuntimeError(f"{name} only supports boolean masks, but got dtype {mask.dtype}")
    return mask


def masked_fill(input, mask, value):
    mask = _mask("masked_fill", mask)
    if type(value) is Tensor:
        if value._array.ndim:
            raise RuntimeError(
                f"masked_fill only supports a value tensor without dimensions, but got one with {value._array.ndim}."
            )
        value = value._to(input.dtype)
    else:
        value = ops.full((), input._goes_in(value), dtype=input.dtype, device=input._array.device)
    return ops.where(mask, value, input)


def _masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    mask = _mask("masked_scatter", mask)
    if source._array.dtype is not input._array.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {input.dtype} and {source.dtype}"
        )
    input, mask = ops.broadcast_arrays(input, mask)
    flat = ops.reshape(mask, (-1,))
    place = ops.subtract(ops.cumulative_sum(ops.astype(flat, "int64"), axis=0), 1)
    values = ops.reshape(source, (-1,))
    taken = ops.take(values, ops.clip(place, 0, values._array.shape[0] - 1), axis=0)
    return ops.reshape(ops.where(flat, taken, ops.reshape(input, (-1,))), input._array.shape)


def masked_select(input, mask, *, out=None):
    input, mask = ops.broadcast_arrays(input, _mask("masked_select", mask))
    return input[mask]


def _embedded(input: Any, src: Any, key: Any, name: str) -> Any:
    made = ops.copy(input)
    if tuple(made[key]._array.shape) != tuple(src._array.shape):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self; got {tuple(src._array.shape)} in {name}"
        )
    made[key] = src
    return made


def select_scatter(input, src, dim, index):
    return _embedded(input, src, (*(slice(None),) * input._axis(dim), index), "select_scatter")


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    return _embedded(input, src, (*(slice(None),) * input._axis(dim), slice(start, end, step)), "slice_scatter")


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    moved = ops.moveaxis(input, (dim1, dim2), (-2, -1))
    return ops.moveaxis(ops.linalg.diagonal_set(moved, src._to(input.dtype), offset=offset), (-2, -1), (dim1, dim2))


complete(globals(), helpers="without_negative")
