"""PyTorch's small objects: `Size`, `device`, memory formats and layouts."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from .core import dialect

__all__ = [
    "Size", "channels_last", "channels_last_3d", "contiguous_format", "device", "get_default_device", "layout",
    "memory_format", "preserve_format", "set_default_device", "sparse_coo", "strided",
]  # fmt: skip


class Size(tuple[int, ...]):
    """The extents of a tensor: a tuple that shows itself as PyTorch's does."""

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, tuple(other)))

    def __mul__(self, count: Any) -> Any:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__


class device:
    """A device by type and index: ``torch.device("cuda:0")``. The backend in force says which there are."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type = str(type)
        if isinstance(type, int):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(f"device: expected a text such as 'cpu' or 'cuda:0'; got {type!r}")
        name, colon, number = type.partition(":")
        if colon and not number.isdigit():
            raise RuntimeError(f"Invalid device string: {type!r}")
        self.type, self.index = name, int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        _defaults.append(self)
        dialect.elsewhere = True
        return self

    def __exit__(self, *exception: object) -> None:
        _defaults.pop()
        dialect.elsewhere = _defaults[-1] is not None


_defaults: list[device | None] = [None]
dialect.elsewhere = False  # a switch of its own: what is kept of calls asks for it


def place(where: Any) -> Any:
    """Convert a device to latticework's, None for the backend's own. Every backend has ``cpu`` under that name."""
    if where is None and (where := _defaults[-1]) is None:
        return None
    name = str(where) if isinstance(where, (str, device)) else str(device(where))
    if name.startswith("cuda"):
        return _gpu(device(name))
    return None if name == "cpu" else name


def gpus() -> list[Any]:
    """The GPUs of the backend in force, under the names that it has for them."""
    from ...api.info import __array_namespace_info__

    return [d for d in __array_namespace_info__().devices() if d.startswith(("cuda", "gpu"))]


#: The index of the GPU that ``device="cuda"`` is: `torch.cuda.set_device` sets it.
current_gpu = [0]


def _gpu(where: device) -> Any:
    """The backend's name of a GPU; PyTorch's where the backend has none, so that the backend says so."""
    found, index = gpus(), current_gpu[0] if where.index is None else where.index
    return found[index] if index < len(found) else str(where)


dialect.converts(device, place)


def set_default_device(device):
    """Set the device that tensors are made on."""
    _defaults[0] = None if device is None else _device(device)
    dialect.elsewhere = _defaults[-1] is not None


def get_default_device():
    """The device that tensors are made on."""
    return _defaults[-1] or _device("cpu")


_device: Callable[..., device] = device


class _Word:
    """A PyTorch name for an order of elements in memory, which the backend decides here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


class layout(_Word):
    """The storage layout of a tensor. All tensors are strided."""


class memory_format(_Word):
    """The order in which elements lie in memory. The backend decides on it."""


strided, sparse_coo = layout("strided"), layout("sparse_coo")
contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last, channels_last_3d = memory_format("channels_last"), memory_format("channels_last_3d")
