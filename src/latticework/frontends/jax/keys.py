"""Arrays of random keys. Functions that only move elements take them, and they are compared for being equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import latticework as lw

from ...core.trees import register_node
from .core import ALSO_ARRAYS, dialect, ops
from .scalars import above

__all__ = ["KeyArray", "compared", "moved", "taking_keys"]


class _KeyDtype:
    """The dtype of keys."""

    name, itemsize, kind = "key<fry>", 8, "V"

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyDtype)

    def __hash__(self) -> int:
        return hash(self.name)


_KEY = _KeyDtype()


class KeyArray:
    """An array of typed keys. The words of each, two of uint32, lie along an axis more of its data."""

    __slots__ = ("_data",)

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return tuple(self._data.shape[:-1])

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of keys."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of keys."""
        return _KEY

    weak_type = False
    itemsize = 8

    @property
    def nbytes(self) -> int:
        """Bytes of all keys."""
        return self.size * 8

    @property
    def aval(self) -> Any:
        """Its shape and dtype without its values."""
        from .shaped import ShapeDtypeStruct

        return ShapeDtypeStruct(self.shape, self.dtype)

    @property
    def sharding(self) -> Any:
        """Where it is."""
        return self._data.sharding

    @property
    def device(self) -> Any:
        """The device that it is on."""
        return self._data.device

    def devices(self) -> set[Any]:
        """The devices that it is on: one."""
        found: set[Any] = self._data.devices()
        return found

    def block_until_ready(self) -> KeyArray:
        """The keys themselves, computed."""
        return KeyArray(self._data.block_until_ready())

    is_fully_addressable = is_fully_replicated = True

    def is_deleted(self) -> bool:
        """Always False."""
        return False

    def squeeze(self, axis: Any = None) -> KeyArray:
        """The keys without axes of the extent 1."""
        shape = self.shape
        axes = [i for i, n in enumerate(shape) if n == 1] if axis is None else axis
        axes = (axes,) if isinstance(axes, int) else axes
        gone = {a % len(shape) for a in axes}
        return self.reshape(tuple([n for i, n in enumerate(shape) if i not in gone]))

    def ravel(self) -> KeyArray:
        """The keys in one axis."""
        return self.reshape(self.size)

    flatten = ravel

    def copy(self) -> KeyArray:
        """The keys themselves."""
        return self

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> Any:
        return compared(self, other)

    def __ne__(self, other: object) -> Any:
        found = compared(self, other)
        return found if found is NotImplemented else ~found

    __hash__ = None  # type: ignore[assignment]

    @property
    def T(self) -> KeyArray:
        """The keys with their axes in the other order."""
        return self.transpose()

    def transpose(self, *axes: Any) -> KeyArray:
        """The keys with their axes in another order."""
        return moved(lambda x: x.transpose(*axes), self)

    @property
    def at(self) -> Any:
        """``keys.at[key].set(others)`` gives the keys with some replaced, and ``keys.at[key].get()`` some of them."""
        return _At(self)

    def __getitem__(self, key: Any) -> KeyArray:
        parts = key if isinstance(key, tuple) else (key,)
        rest = (slice(None),) if any(part is Ellipsis for part in parts) else (..., slice(None))
        return KeyArray(self._data[(*parts, *rest)])

    def reshape(self, *shape: Any) -> KeyArray:
        """The keys in another shape."""
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return KeyArray(self._data.reshape(*extents, 2))

    def __repr__(self) -> str:
        return f"Array({self.shape}, dtype=key<fry>) overlaying:\n{self._data}"


class _At:
    """Some of an array of keys."""

    __slots__ = ("_index", "_keys")

    def __init__(self, keys: KeyArray, index: Any = None) -> None:
        self._keys, self._index = keys, index

    def __getitem__(self, index: Any) -> _At:
        return _At(self._keys, index)

    def get(self, **options: Any) -> KeyArray:
        """The keys."""
        return moved(lambda x: x.at[self._index].get(**options), self._keys)

    def set(self, values: Any, **options: Any) -> KeyArray:
        """All keys, with others in the place of these."""
        if type(values) is not KeyArray:
            raise TypeError(f"keys are replaced by keys; got {type(values).__name__}")
        return moved(lambda x, y: x.at[self._index].set(y, **options), self._keys, values)


def compared(a: Any, b: Any) -> Any:
    """Return where keys are equal, as an array of bools.

    Raises
    ------
    TypeError: one of them is an array, or a number, that is no key.
    """
    if type(a) is KeyArray and type(b) is KeyArray:
        return ops.all(ops.equal(a._data, b._data), axis=-1)
    other = b if type(a) is KeyArray else a
    if isinstance(other, (dialect.array, np.ndarray, np.generic, int, float, complex)):
        raise TypeError(f"equal does not accept dtypes {_KEY}, {getattr(other, 'dtype', type(other).__name__)}.")
    return NotImplemented


def moved(f: Callable[..., Any], *args: Any, **kw: Any) -> Any:
    """Call a function that moves elements with arrays of keys: it gets the positions of the keys in their places."""
    parts: list[Any] = []
    count = 0

    def positions(x: Any) -> Any:
        nonlocal count
        if type(x) is KeyArray:
            parts.append(x._data.reshape(-1, 2))
            first, count = count, count + x.size
            return ops.arange(first, count, dtype=lw.int32).reshape(x.shape)
        if type(x) in (list, tuple):
            return type(x)([positions(y) for y in x])
        return x

    given, named = [positions(x) for x in args], {n: positions(x) for n, x in kw.items()}
    words = parts[0] if len(parts) == 1 else ops.concat(parts, axis=0)

    def keys_at(x: Any) -> Any:
        if type(x) in (list, tuple):
            return type(x)([keys_at(y) for y in x])
        return KeyArray(words[x])

    return keys_at(f(*given, **named))


#: The functions of `jax.numpy` and `jax.lax` that only move elements.
_MOVE = frozenset(
    "append array_split atleast_1d atleast_2d atleast_3d broadcast broadcast_arrays broadcast_in_dim broadcast_to "
    "broadcast_to_rank collapse column_stack compress concat concatenate delete diagonal dsplit dstack "
    "dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim dynamic_update_slice "
    "dynamic_update_slice_in_dim expand_dims extract flip fliplr flipud hsplit hstack index_in_dim matrix_transpose "
    "moveaxis permute_dims ravel repeat reshape rev roll rollaxis rot90 select slice slice_in_dim split squeeze stack "
    "swapaxes take take_along_axis tile transpose unstack vsplit vstack where".split()
)


def _holds_keys(x: Any) -> bool:
    return type(x) is KeyArray or (type(x) in (list, tuple) and any(_holds_keys(y) for y in x))


def taking_keys(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that only moves elements, or compares, take keys too; any other stays itself."""
    if f.__name__ == "isclose":

        @wraps(f)
        def close(a: Any, b: Any, *args: Any, **kw: Any) -> Any:
            return compared(a, b) if type(a) is KeyArray or type(b) is KeyArray else f(a, b, *args, **kw)

        return close
    if f.__name__ not in _MOVE:
        return f

    @wraps(f)
    def move(*args: Any, **kw: Any) -> Any:
        return moved(f, *args, **kw) if _holds_keys((*args, *kw.values())) else f(*args, **kw)

    return move


def _are_keys(x: Any) -> bool:
    """Return whether x is an array of keys, or a list of such."""
    return type(x) is KeyArray or (type(x) in (list, tuple) and len(x) > 0 and type(x[0]) is KeyArray)


def _made_keys(x: Any) -> KeyArray:
    """Return an array of keys, of one or of a list of such."""
    return x if type(x) is KeyArray else KeyArray(ops.stack([key._data for key in x]))


above.are_keys, above.made_keys = _are_keys, _made_keys
ALSO_ARRAYS.append(KeyArray)
register_node(KeyArray, lambda x: (x._data,), lambda children: KeyArray(children[0]))
