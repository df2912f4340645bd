"""Indexing and assignment on PyTorch, for keys that it does not read like NumPy, and with bounds checked first."""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from ...backend.plain import NativeCall, comes_to, is_basic
from ...engine.keys.reading import IndexArray, IndexPlan, check_bounds, check_values, read_key, read_split, split_key
from .core import BITS, SIGNED, batched_like, flipped, is_refused_by_vmap, place
from .shared import recorded


def describe_index(k: Any) -> IndexArray | None:
    """Describe an index array to the reader of keys. Return None for anything else."""
    if not isinstance(k, Tensor):
        return None
    if k.dtype == torch.bool:
        return IndexArray(tuple(k.shape), "b", k, selects=lambda: _value(k.count_nonzero))
    return IndexArray(tuple(k.shape), "i", k, bounds=lambda: _bounds(k))


def _bounds(k: Tensor) -> tuple[int, int] | None:
    """Return the least and the greatest position, None where that would wait for a GPU."""
    if k.device.type != "cpu" or not k.numel():
        return None
    try:
        low, high = k.aminmax()
        return int(low), int(high)
    except Exception:  # torch.func.vmap and fake tensors have each an error of their own
        return None


def _value(count: Any) -> int | None:
    try:
        return int(count())
    except Exception:  # see `_bounds`
        return None


def index_array(data: Tensor) -> Tensor | int:
    """Convert to int64: torch indexes only with int64 and int32, and takes a uint8 index for a mask."""
    if data.ndim == 0 and data.dtype != torch.bool:
        try:
            return int(data)
        except RuntimeError as error:
            if not is_refused_by_vmap(error):
                raise
            return data.to(torch.int64)
    if data.dtype == torch.uint64 and data.numel() and bool((data.view(torch.int64) < 0).any()):
        raise IndexError("an index of 2**63 or more is out of bounds for any axis")
    return data if data.dtype in (torch.bool, torch.int64, torch.int32) else data.to(torch.int64)


# --- keys ---------------------------------------------------------------------------------------------------------


#: A step that leads beyond any axis: torch computes with larger ones, and overflows.
_FAR = 2**31


def _read_otherwise(keys: tuple[Any, ...]) -> bool:
    """Return whether torch may read a key in another way: negative steps, bools, empty masks, index arrays with ints or
    dots, a second ellipsis, which it takes for a colon, and positions that differ between the arrays of a vmap."""
    arrays = others = False
    ellipses = 0
    for k in keys:
        kind = type(k)
        if kind is slice:
            if k.step is not None and not 0 < k.step < _FAR:
                return True
        elif kind is Tensor:
            if (k.dtype == torch.bool and not k.numel()) or _is_mapped(k):
                return True
            arrays = True
        elif kind is bool:
            return True
        elif k is not None:
            others = True
            ellipses += k is Ellipsis
    return (arrays and others) or ellipses > 1


class _Key:
    """A key that torch reads like NumPy reads that of a plan, and the changes that a result, or a value, still needs.

    torch has no negative steps (https://github.com/pytorch/pytorch/issues/59786): these slices go forward, and axes of
    the result are reversed. Beside index arrays, NumPy counts ints as such, and an ellipsis between them separates them
    even if it stands for no axis. That decides the place of their axes: ints become arrays, and such an ellipsis a new
    axis that is taken out again.

    Attributes
    ----------
    keys: the key.
    flips: the axes of the result to reverse.
    extra: the axis of the result to take out, or None.
    ndim: the number of axes of the result, with the extra one.
    """

    def __init__(self, plan: IndexPlan, arrays: list[IndexArray], device: torch.device | None = None) -> None:
        fancy = plan.index_shape is not None
        one = (1,) * len(plan.index_shape or ())
        keys: list[Any] = []
        self.flips: list[int] = []
        self.extra: int | None = None
        for kind, k, _, width, out, span in plan.entries:
            if kind == "slice" and k.step is not None and k.step > _FAR:
                k = slice(k.start, k.stop, _FAR)
            if kind == "slice" and k.step is not None and k.step < 0:
                assert span is not None  # the extents of tensors are known
                k = slice(span[-1], span[0] + 1, min(-k.step, _FAR)) if span else slice(0, 0)
                self.flips.append(out)
            elif kind == "ellipsis" and plan.separated:
                k, self.extra = None, out
            elif kind == "int" and fancy:
                k = torch.full(one, k, device=device)
            elif kind == "bool" and type(k) is bool:
                k = torch.tensor(k, device=device)
            elif kind == "mask" and 0 in k.shape:  # an extent of 0 fits any axis, and nothing is taken
                keys += [torch.empty(0, dtype=torch.int64, device=device)] * (width - 1)
                k = torch.empty(0, dtype=torch.int64, device=device)
            elif type(k) is IndexArray:
                k = arrays[k.data].data
            keys.append(k)
        self.keys = tuple(keys)
        self.ndim = len(plan.shape)
        if self.extra is not None:
            self.flips = [axis + (axis >= self.extra) for axis in self.flips]
            self.ndim += 1

    def result(self, r: Tensor) -> Tensor:
        r = flipped(r, self.flips) if self.flips else r
        return r if self.extra is None else r.squeeze(self.extra)

    def value(self, v: Tensor) -> Tensor:
        """Change a value for the places of the plan's key to one for those of `keys`. Axes count from the last."""
        if self.extra is not None and (after := self.ndim - 1 - self.extra) < v.ndim:
            v = v.unsqueeze(v.ndim - after)
        places = [axis + v.ndim - self.ndim for axis in self.flips]
        places = [axis for axis in places if axis >= 0 and v.shape[axis] > 1]
        return flipped(v, places) if places else v


@lru_cache(4096)
def _kept(shape: tuple[int, ...], split: tuple[Any, ...]) -> _Key:
    return _Key(read_split(shape, split), [])


def _read(data: Tensor, key: Any, values: bool = False) -> _Key:
    shape = tuple([int(n) for n in data.shape])  # torch.compile has extents of another type
    split, arrays = split_key(key, describe_index)
    plan = read_split(shape, split)
    if plan.index_shape is None:
        return _kept(shape, split)
    if values:
        check_values(plan, shape, arrays)
    return _Key(plan, arrays, data.device)


# --- under vmap -----------------------------------------------------------------------------------------------------


def _is_mapped(k: Any) -> bool:
    """Tell whether a key is one position that differs between the arrays of a vmap: other positions are ints by now."""
    return type(k) is Tensor and not k.ndim and k.dtype != torch.bool


def _mapped_places(data: Tensor, keys: tuple[Any, ...]) -> tuple[Tensor, tuple[Tensor, ...]] | None:
    """Return the array with the axes of mapped positions in front, the rest of the key read, and these positions.

    torch asks for the value of a 0-d index, and vmap has none, so each gets an axis of one element. None where other
    index arrays join them to one set of axes.
    """
    if any(type(k) is Tensor and not _is_mapped(k) for k in keys):
        return None
    axis, axes, rest = 0, [], []
    for k in keys:
        rest.append(slice(None) if _is_mapped(k) else k)
        if _is_mapped(k):
            axes.append(axis)
        if k is Ellipsis:
            axis += data.ndim - sum(k is not None and k is not Ellipsis for k in keys)
        elif type(k) is not int:
            axis += 1
    view = index(data, tuple(rest)) if any(k != slice(None) for k in rest) else data
    return view.movedim(axes, [*range(len(axes))]), tuple([k.reshape(1) for k in keys if _is_mapped(k)])


def _with_axis(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([k.reshape(1) if _is_mapped(k) else k for k in keys])


def _assign_under_vmap(data: Tensor, key: Any, value: Any, error: RuntimeError) -> Tensor:
    """Copy the array with the value in it, where one of the two, or the key, differs between the arrays of a vmap.

    Raises the error where the places are not known without values.
    """
    keys = key if type(key) is tuple else (key,)
    if len(keys) == 1 and type(keys[0]) is Tensor and keys[0].dtype == torch.bool:
        mask, rest = keys[0], data.ndim - keys[0].ndim
        if type(value) is Tensor and value.ndim > rest:
            raise error
        value = value if type(value) is Tensor else torch.scalar_tensor(value, dtype=data.dtype, device=data.device)
        return torch.where(mask.reshape(mask.shape + (1,) * rest), value, data)
    result = batched_like(data, *[x for x in (value, *keys) if type(x) is Tensor])
    if not any(map(_is_mapped, keys)):
        result[keys] = value
        return result
    places = index(torch.arange(data.numel(), device=data.device).reshape(data.shape), keys)
    if type(value) is Tensor:
        value = value.broadcast_to(places.shape).reshape(-1)
    flat = result.reshape(-1)
    if data.dtype in BITS:
        flat, value = flat.view(BITS[data.dtype]), value.view(BITS[data.dtype])
    flat[places.reshape(-1)] = value
    return flat.view(data.dtype).reshape(data.shape) if data.dtype in BITS else flat.reshape(data.shape)


# --- reading and writing ------------------------------------------------------------------------------------------


def _plain_index(data: Tensor, key: Any) -> NativeCall | None:
    if type(key) is Tensor:
        plain = key.dtype in (torch.int64, torch.int32) and key.ndim > 0 and data.dtype not in SIGNED
        checked = key.numel() > 0 and math.prod(data.shape[1:]) > 0
        return (operator.getitem, (data, key), {}) if plain and checked and data.ndim else None
    return (operator.getitem, (data, key), {}) if is_basic(key, data.ndim) else None


def index(data: Tensor, key: Any) -> Tensor:
    """Read a key like NumPy. A single element is a copy, as in NumPy: ``y = x[0]; y += 1`` leaves x alone."""
    if type(key) is int:
        r = data[key]
        return r if r.ndim else r.clone()
    if data.dtype in SIGNED and not data.is_cpu:  # on a GPU there is no kernel of index arrays for them
        return index(data.view(SIGNED[data.dtype]), key).view(data.dtype)
    keys = key if type(key) is tuple else (key,)
    if _read_otherwise(keys):
        if any(map(_is_mapped, keys)):
            if (found := _mapped_places(data, keys)) is not None:
                return found[0][found[1]].squeeze(0)
            keys = _with_axis(keys)
        read = _read(data, keys)
        r = read.result(data[read.keys])
    else:
        r = data[key]
    if not r.numel():  # torch checks no position then
        _check_positions(data, keys)
    return r if r.ndim or Ellipsis in keys else r.clone()


comes_to(index, _plain_index)


def of_the_last(values: Tensor, last: Tensor) -> Tensor:
    """Return values to write, of which those that a later one replaces are constants. PyTorch's derivative goes to all
    that are written to a place."""
    return torch.where(last, values, values.detach())


def _are_last(data: Tensor, key: Any) -> Tensor:
    """Return which of the values that are written to a key are the last at their place."""
    board = torch.zeros(data.shape, dtype=torch.int64, device=data.device)
    board = batched_like(board, *[k for k in (key if type(key) is tuple else (key,)) if type(k) is Tensor])
    shape = board[key].shape
    numbers = torch.arange(shape.numel(), device=data.device).reshape(shape)
    board[key] = numbers
    return board[key] == numbers


def assign(data: Tensor, key: Any, value: Any) -> Tensor:
    """Write to the places of a key. All errors are found before anything is written."""
    if not data.is_contiguous() and any(n > 1 and step == 0 for n, step in zip(data.shape, data.stride(), strict=True)):
        raise ValueError("assignment destination is read-only")
    if type(value) is not Tensor and data.dtype in BITS:  # torch takes no Python int of 2**63 or more
        value = torch.scalar_tensor(value, dtype=data.dtype)
    keys = key if type(key) is tuple else (key,)
    fancy = any(type(k) is Tensor or type(k) is bool for k in keys)
    target = data
    if any(map(_is_mapped, keys)):
        return _assign_under_vmap(data, keys, value, RuntimeError())
    if _read_otherwise(keys):
        read = _read(data, keys, values=True)
        key = keys = read.keys
        value = read.value(value) if type(value) is Tensor else value
    elif fancy:
        _check_positions(data, keys)
    if fancy:
        if any(type(k) is Tensor and _share_memory(data, k) is not False for k in keys):
            key = keys = tuple([k.clone() if type(k) is Tensor else k for k in keys])
        if data.dtype in BITS:  # no index_put kernel for them: the same bits as integers
            target, value = data.view(BITS[data.dtype]), value.view(BITS[data.dtype])
    if type(value) is Tensor and (value.ndim or fancy):
        overlaps = _share_memory(data, value)
        if overlaps and not fancy and place(data[key]) == place(value):
            return data  # x[1:] += y has written it already
        if overlaps is not False:
            value = value.clone()
    if type(value) is Tensor and any(type(k) is Tensor and k.dtype is not torch.bool for k in keys) and recorded(value):
        value = of_the_last(value, _are_last(target, key))
    try:
        target[key] = value
    except RuntimeError as error:
        if not is_refused_by_vmap(error):
            raise
        target = _assign_under_vmap(target, key, value, error)
        return target if target.dtype == data.dtype else target.view(data.dtype)
    return data


def _check_positions(data: Tensor, keys: tuple[Any, ...]) -> None:
    """Check positions: torch finds one out of bounds after it has written to those before it."""
    if all(type(k) is not Tensor or k.dtype == torch.bool for k in keys):
        return
    if len(keys) == 1 and data.ndim:
        check_bounds(_bounds(keys[0]), data.shape[0], 0)
    else:
        read_key(tuple(data.shape), keys, describe_index, values=True)


def _share_memory(a: Tensor, b: Tensor) -> bool | None:
    """Return whether two tensors lie in the same memory; None where that is not known."""
    try:
        return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    except Exception:  # see `_bounds`
        return None
