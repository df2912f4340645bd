"""Batches of samples: `default_collate` and `default_convert`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...core import ops
from ...creation import as_tensor, tensor
from ...tensor import Tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_EXPECTED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _rebuilt(like: Any, parts: dict[Any, Any] | list[Any]) -> Any:
    """Make a container of the class of another one; a dict or a list where that cannot be made."""
    try:
        if isinstance(like, MutableMapping):
            made: Any = copy.copy(like)
            made.update(parts)
            return made
        if isinstance(like, MutableSequence):
            made = copy.copy(like)
            for i, x in enumerate(parts):
                made[i] = x
            return made
        return type(like)(parts)
    except TypeError:
        return parts


def default_convert(data):
    """Convert the arrays of NumPy in a sample to tensors. Tuples become lists, all else stays.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework.frontends.torch as torch
    >>> torch.utils.data.default_convert({"a": np.array([1, 2]), "b": "text"})
    {'a': tensor([1, 2]), 'b': 'text'}
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray) and data.dtype.kind in "SUO":
        return data
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, (np.str_, np.bytes_)):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuilt(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[default_convert(x) for x in data])
    if isinstance(data, tuple):
        return [default_convert(x) for x in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, [default_convert(x) for x in data])
    return data


def collate(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Join the samples of a batch, by a table of functions for the classes of their leaves.

    Parameters
    ----------
    batch: the samples.
    collate_fn_map: class, or a tuple of classes -> a function of the samples and of this table.
    """
    first = batch[0]
    found = None if collate_fn_map is None else _function_of(first, collate_fn_map)
    if found is not None:
        return found(batch, collate_fn_map=collate_fn_map)

    def join(parts: Any) -> Any:
        return collate(parts, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _rebuilt(first, {key: join([x[key] for x in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(join, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(x) != len(first) for x in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [join(part) for part in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _rebuilt(first, parts)
    raise TypeError(_EXPECTED.format(type(first)))


def _function_of(x: Any, table: Any) -> Callable[..., Any] | None:
    if type(x) in table:
        return table[type(x)]
    return next((f for kind, f in table.items() if isinstance(x, kind)), None)


def _of_arrays(batch: Any, *, collate_fn_map: Any = None) -> Any:
    if batch[0].dtype.kind in "SUO":
        raise TypeError(_EXPECTED.format(batch[0].dtype))
    return collate([as_tensor(x) for x in batch], collate_fn_map=collate_fn_map)


#: Class, or classes -> what joins samples of it.
default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: lambda batch, *, collate_fn_map=None: ops.stack([*batch]),
    np.ndarray: _of_arrays,
    (np.bool_, np.number, np.object_): lambda batch, *, collate_fn_map=None: as_tensor(np.asarray(batch)),
    float: lambda batch, *, collate_fn_map=None: tensor(batch, dtype="float64"),
    int: lambda batch, **_: tensor([*batch]),
    str: lambda batch, *, collate_fn_map=None: batch,
    bytes: lambda batch, *, collate_fn_map=None: batch,
}


def default_collate(batch):
    """Join the samples of a batch: tensors and numbers become a tensor with one axis more, in all dicts and lists.

    Raises
    ------
    TypeError: a sample has something else in it.
    RuntimeError: lists or tensors differ in their lengths or shapes.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.utils.data.default_collate([{"x": 1, "name": "a"}, {"x": 2, "name": "b"}])
    {'x': tensor([1, 2]), 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
