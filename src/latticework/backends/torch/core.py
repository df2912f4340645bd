"""What `Array` and dispatch need of PyTorch: dtypes, devices, casts, indexing, conversion."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from ...dtypes import Dtype, all_dtypes, uint16, uint32, uint64

ARRAY = torch.Tensor
DTYPES: dict[Any, Dtype] = {getattr(torch, str(d)): d for d in all_dtypes}

#: (function, dtype) -> what computes it exactly, where PyTorch has no kernel for the dtype.
DETOURS: dict[tuple[str, Dtype], Callable[..., Any]] = {}

#: The unsigned dtypes that PyTorch stores but hardly computes with, and the signed ones of the same width.
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
#: … and the signed ones that hold all their values; uint64 has none.
WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}
UNSIGNED: tuple[Dtype, ...] = (uint16, uint32, uint64)

dtype_of = operator.attrgetter("dtype")


def native(data: torch.Tensor) -> torch.Tensor:
    return data


def cast(dtype: torch.dtype) -> Callable[[Any], Any]:
    return operator.methodcaller("to", dtype)


def scalar(dtype: torch.dtype) -> Callable[[Any], Any]:
    def make(value: Any) -> torch.Tensor:
        return torch.scalar_tensor(value, dtype=dtype)  # half the time of torch.tensor

    return make


def item(data: torch.Tensor) -> Any:
    return data.item()


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> list[str]:
    found = ["cpu"]
    if torch.cuda.is_available():
        found += [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps:0")
    return [*found, "meta"]


def device(name: object) -> str:
    if name is None:
        return str(torch.get_default_device())
    try:
        found = torch.device(str(name))
    except RuntimeError:
        raise ValueError(f"the torch backend has no device {str(name)!r}; it has {', '.join(devices())}") from None
    if found.type == "cuda" and found.index is None:
        found = torch.device("cuda", torch.cuda.current_device() if torch.cuda.is_available() else 0)
    return str(found)


def native_device(name: str) -> torch.device:
    return torch.device(name)


def device_of(data: torch.Tensor) -> str:
    return str(data.device)


def to_device(data: torch.Tensor, device: torch.device, stream: Any) -> torch.Tensor:
    if stream is not None:
        with torch.cuda.stream(stream):
            return data.to(device)
    return data.to(device)


# --- indexing ----------------------------------------------------------------------------------------------------


def index(data: torch.Tensor, key: Any) -> torch.Tensor:
    """torch has no negative steps (https://github.com/pytorch/pytorch/issues/59786): flip, then step forward."""
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, slice) and k.step is not None and k.step < 0 for k in keys):
        return _index_backwards(data, keys)
    return data[key]


def _index_backwards(data: torch.Tensor, keys: tuple[Any, ...]) -> torch.Tensor:
    forward, flips, axis = [], [], 0
    used = sum(_axes_taken(k) for k in keys)
    out_axis = 0
    for k in keys:
        if k is Ellipsis:
            skipped = data.ndim - used
            axis += skipped
            out_axis += skipped
            forward.append(k)
            continue
        if isinstance(k, slice) and k.step is not None and k.step < 0:
            span = range(data.shape[axis])[k]
            forward.append(slice(span[-1], span[0] + 1, -k.step) if len(span) else slice(0, 0))
            flips.append(out_axis)
        else:
            forward.append(k)
        axis += _axes_taken(k)
        out_axis += 1 if isinstance(k, slice) or k is None else 0
    if any(isinstance(k, torch.Tensor) for k in keys):
        # Which axis an index array's result comes to lie on depends on all the keys: step first, then index.
        stepped = tuple(slice(None) if isinstance(k, (int, torch.Tensor)) else k for k in keys if k is not None)
        rest = tuple(slice(None) if isinstance(k, slice) else k for k in keys)
        return _index_backwards(data, stepped)[rest]
    return torch.flip(data[tuple(forward)], flips)


def _axes_taken(key: Any) -> int:
    if key is None or key is Ellipsis or isinstance(key, bool):
        return 0
    return key.ndim if isinstance(key, torch.Tensor) and key.dtype == torch.bool else 1


def index_array(data: torch.Tensor) -> torch.Tensor:
    """torch indexes with int64 and int32 alone, and takes a uint8 index for a mask."""
    return data if data.dtype in (torch.bool, torch.int64) else data.to(torch.int64)


def assign(data: torch.Tensor, key: Any, value: torch.Tensor) -> torch.Tensor:
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, slice) and k.step is not None and k.step < 0 for k in keys):
        # Write through the positions themselves, for there is no view with a negative step.
        positions = torch.arange(data.numel()).reshape(data.shape)
        where = index(positions, key)
        flat = data.reshape(-1).clone()
        flat[where] = value.to(flat.device).broadcast_to(where.shape)
        data.copy_(flat.reshape(data.shape))
        return data
    if data.dtype in SIGNED:  # no index_put kernel for them: the same bits, signed
        data.view(SIGNED[data.dtype])[key] = value.view(SIGNED[data.dtype])
    else:
        data[key] = value
    return data


def overwrite(data: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Write all of `value` into `data`, which keeps its shape and dtype."""
    if value.shape != data.shape:
        raise ValueError(f"operands could not be broadcast together: {tuple(value.shape)} into {tuple(data.shape)}")
    return data.copy_(value)


def in_place(call: Callable[..., Any]) -> Callable[[Any, Any], Any] | None:
    """`call`, writing into its first operand: the method of the same name with an underscore; None without one."""
    name = getattr(call, "__name__", "")
    if getattr(torch, name, None) is not call:
        return None
    return getattr(torch.Tensor, f"{name}_", None)


# --- conversion --------------------------------------------------------------------------------------------------


def to_numpy(data: torch.Tensor, dtype: Any, copy: bool | None) -> Any:
    import ml_dtypes
    import numpy as np

    if data.device.type != "cpu" and copy is False:
        raise ValueError(f"an array on {data.device} cannot become a numpy.ndarray without a copy")
    here = data.detach().cpu().resolve_conj().resolve_neg()
    if here.dtype == torch.bfloat16:
        array = here.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    else:
        array = here.numpy()
    return np.array(array, dtype=dtype, copy=copy)


def from_numpy(data: Any, device: torch.device, copy: bool | None) -> torch.Tensor:
    import ml_dtypes
    import numpy as np

    if copy is False and (not data.flags.writeable or any(s < 0 for s in data.strides)):
        raise ValueError("asarray: torch takes no read-only or backward numpy array without a copy")
    if not data.flags.writeable or any(s < 0 for s in data.strides) or not data.dtype.isnative:
        data, copy = np.array(data, dtype=data.dtype.newbyteorder("=")), None
    if data.dtype == ml_dtypes.bfloat16:
        made = torch.from_numpy(data.view(np.int16)).view(torch.bfloat16)
    else:
        made = torch.from_numpy(data)
    if copy is False and device.type != "cpu":
        raise ValueError(f"asarray: a numpy array cannot go to {device} without a copy")
    return made.clone().to(device) if copy else made.to(device)


def duplicate(data: torch.Tensor) -> torch.Tensor:
    return data.clone()


def dlpack(data: torch.Tensor, **options: Any) -> Any:
    return data.detach().__dlpack__(**options)


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> torch.Tensor:
    options = {} if device is None else {"device": torch.device(device)}
    return torch.from_dlpack(x, copy=copy, **options)


#: Functions whose second operand torch takes as a Python scalar, of the kind of the tensor, without making a tensor.
_SCALAR_SECOND = frozenset(
    "add subtract multiply divide pow remainder floor_divide bitwise_and bitwise_or bitwise_xor "
    "equal not_equal less less_equal greater greater_equal".split()
)


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    return position == 1 and function in _SCALAR_SECOND


#: function -> the same with its operands exchanged, for a Python scalar that comes first.
REFLECTED: dict[str, Callable[[Any, Any], Any]] = {
    "add": torch.add, "multiply": torch.multiply, "subtract": torch.rsub, "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor, "equal": torch.eq, "not_equal": torch.ne,
    "less": torch.gt, "less_equal": torch.ge, "greater": torch.lt, "greater_equal": torch.le,
}  # fmt: skip

_MIXED = frozenset("add subtract multiply divide atan2 pow floor_divide remainder maximum minimum".split())


def promotes(function: str, operands: tuple[Dtype, ...], computed: Dtype) -> bool:
    """Whether torch's own promotion gives `computed` whatever the shapes, so that no cast is needed before.

    An integer or bool that meets a float does, 0-d or not; dtypes of one category do not, where one is 0-d.
    """
    kinds = {"biuf".find(d.kind) // 3 for d in operands}
    plain = all(d.kind != "c" and d not in UNSIGNED for d in operands)
    return function in _MIXED and plain and kinds == {0, 1} and computed in operands
