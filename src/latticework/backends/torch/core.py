"""The core of the PyTorch backend: dtypes, devices, casts, conversion."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ...backend.arguments import LOGICAL, no_values_for_numpy
from ...backend.fitting import refuse_unfit
from ...backend.plain import comes_to
from ...backend.saturation import ends
from ...core.dtypes import Dtype, bfloat16, float16, float_limits, uint16, uint32, uint64
from ...errors import BackendError
from .shared import recorded

ARRAY = Tensor
NATIVE_DTYPE = torch.dtype
DTYPES: dict[Any, Dtype] = {
    native: Dtype(str(native).removeprefix("torch."))
    for native in (
        torch.bool, torch.int8, torch.int16, torch.int32, torch.int64,
        torch.uint8, torch.uint16, torch.uint32, torch.uint64,
        torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128,
        torch.float8_e4m3fn, torch.float8_e5m2,
    )
}  # fmt: skip

#: (function, dtype) -> an exact callable, where PyTorch has no kernel for the dtype.
EMULATED: dict[tuple[str, Dtype], Callable[..., Any]] = {}
#: (function, dtype) -> why it is refused, and the way out.
REFUSED: dict[tuple[str, Dtype], str] = {}
#: (function, dtype, operands) -> a quicker callable with the same result.
QUICKER: dict[tuple[str, Dtype, str], Callable[..., Any]] = {}

#: (function, dtype) that are composed, for want of a kernel.
COMPOSED: set[tuple[str, Dtype]] = set()
#: The unsigned dtypes that PyTorch stores but hardly computes with, and the signed ones of the same width.
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
#: The signed dtypes that hold all values of the unsigned ones; uint64 has none.
WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}
UNSIGNED: tuple[Dtype, ...] = (uint16, uint32, uint64)
#: The storage dtypes, and an integer dtype of the same width for which PyTorch has all functions.
STORAGE = {native: torch.uint8 for native, ours in DTYPES.items() if ours.storage}
#: The dtypes whose elements are moved as integers of the same bits, since PyTorch lacks functions for them.
BITS = SIGNED | STORAGE

dtype_of = operator.attrgetter("dtype")


def array_class() -> type:
    """Return the class of arrays: no subclass, and nothing traces them."""
    return Tensor


def native(data: Tensor) -> Tensor:
    return data


@cache
def cast(dtype: torch.dtype) -> Callable[[Any], Any]:
    if dtype in STORAGE:
        return _to_storage(dtype)
    if dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return _to(dtype)

    def to_integer(data: Tensor) -> Tensor:
        return cast_from(data.dtype, dtype)(data) if data.is_floating_point() else data.to(dtype)

    comes_to(to_integer, lambda data: (cast_from(data.dtype, dtype), (data,), {}))
    return to_integer


@cache
def _to(dtype: torch.dtype) -> Callable[[Any], Any]:
    return operator.methodcaller("to", dtype)


@cache
def cast_from(source: torch.dtype, dtype: torch.dtype) -> Callable[[Any], Any]:
    """Return the cast from one dtype to another."""
    if dtype in STORAGE or dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return cast(dtype)
    if source in STORAGE:
        whole = cast_from(torch.float32, dtype)

        def of_storage(data: Tensor) -> Tensor:
            return whole(data.to(torch.float32))

        return of_storage
    return _of_floats(source, dtype) if source.is_floating_point else _to(dtype)


def _of_floats(source: torch.dtype, dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """Make the cast of floats to integers: truncated, clamped to the range, 0 for nan."""
    low, high, signed = torch.iinfo(dtype).min, torch.iinfo(dtype).max, SIGNED.get(dtype, dtype)
    bottom, top = ends(DTYPES[source], DTYPES[dtype])
    last = high if dtype is signed else -1  # the same bits, signed

    def clamped(data: Tensor) -> Tensor:
        """Cast with floats clamped to the range, 0 for nan."""
        result = data.to(dtype).masked_fill(data.isnan(), 0)
        return result.masked_fill(data > top, high).masked_fill(data < bottom, low)

    def clamped_unsigned(data: Tensor) -> Tensor:
        """Cast with floats clamped to the last integer, 0 for nan and negative ones."""
        result = data.nan_to_num(0.0).clamp(bottom, top).to(dtype)
        return result.view(signed).masked_fill(data > top, last).view(dtype)

    beyond = clamped if dtype is signed else clamped_unsigned

    def by_mark(data: Tensor) -> Tensor:
        found = _unmarked(data)
        return beyond(data) if found is None else found

    def by_size(data: Tensor) -> Tensor:
        return data.to(dtype) if _within(data, low, high) else beyond(data)

    # integers are compared in half the time of floats, or less
    return by_mark if dtype == torch.int32 and source.itemsize >= 4 else by_size


@cache
def narrow(dtype: torch.dtype) -> Callable[[Any], Any]:
    limits, name = torch.iinfo(dtype), str(dtype).removeprefix("torch.")
    low, high = limits.min, limits.max

    def narrowed(data: Tensor) -> Tensor:
        if not _watched(data):
            refuse_unfit(data.numpy(force=True), low, high, name)
        return data.to(dtype)

    return narrowed


def _watched(data: Tensor) -> bool:
    """Return whether a tensor stands for values that cannot be read: something compiles, exports or maps it."""
    if torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() or data.is_meta:
        return True
    return torch._C._functorch.is_functorch_wrapped_tensor(data)


def _to_storage(dtype: torch.dtype) -> Callable[[Any], Any]:
    """Cast to a storage dtype, rounded to the nearest.

    In a format without infinities, torch makes the largest number of floats beyond the range; here they become nan, as
    in ml_dtypes.
    """
    ours = DTYPES[dtype]
    limits = float_limits(ours)
    step = math.ldexp(limits.eps, math.frexp(limits.max)[1] - 1)  # from the largest number to the one below
    beyond = None if ours.encoding == "ieee" else limits.max + step / 2

    def to_storage(data: Tensor) -> Tensor:
        data = _to_odd(data) if data.dtype == torch.float64 else data.to(torch.float32)
        if beyond is not None:
            data = data.masked_fill(data.abs() > beyond, math.nan)
        return data.to(dtype)

    return to_storage


def _to_odd(data: Tensor) -> Tensor:
    """Cast float64 to float32, rounding to odd: a number between two goes to the one whose last bit is set.

    A second rounding to fewer bits then gives the nearest number to the float64.
    """
    nearest = data.to(torch.float32)
    inexact, away = nearest.to(torch.float64) != data, nearest.to(torch.float64).abs() > data.abs()
    bits = nearest.view(torch.int32) - away.to(torch.int32)
    return (bits | inexact.to(torch.int32)).view(torch.float32)


def on_bits(function: Callable[[Dtype], Callable[..., Any]], dtype: torch.dtype) -> Callable[..., Any]:
    """Make a function that moves elements by the bits of a storage dtype. Creation functions take the dtype itself."""
    bits = STORAGE[dtype]
    move = function(DTYPES[bits])

    def viewed(x: Any) -> Any:
        if isinstance(x, list):
            return [viewed(y) for y in x]
        return x.view(bits) if isinstance(x, Tensor) and x.dtype == dtype else x

    def call(*args: Any, **kw: Any) -> Any:
        result = move(*map(viewed, args), **kw)
        return tuple(r.view(dtype) for r in result) if isinstance(result, tuple) else result.view(dtype)

    call.__qualname__ = f"{getattr(move, '__name__', 'function')} of the bits"
    return call


def _within(data: Tensor, low: int, high: int) -> bool:
    """Return whether floats are known to be in range: not on a GPU, nor where torch.compile or torch.func traces."""
    if data.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    try:
        if not data.numel():
            return True
        smallest, largest = torch.aminmax(data)
        return bool(low - 1 < smallest.item() and largest.item() < high + 1)
    except Exception:  # torch.func.vmap and fake tensors have each an error of their own
        return False


def _unmarked(data: Tensor) -> Tensor | None:
    """Cast floats to int32 by the processor's own conversion; None where it does not show that all are in range."""
    if data.device.type != "cpu" or torch.compiler.is_compiling() or not _marks_int32(data.dtype):
        return None
    result = data.to(torch.int32)
    try:
        return result if not data.numel() or result.amin().item() != _MARK else None
    except Exception:  # see `_within`
        return None


_MARK = -(1 << 31)


@cache
def _marks_int32(dtype: torch.dtype) -> bool:
    """Return whether the CPU casts all floats that int32 does not hold, nan too, to the lowest int32: x86 does."""
    beyond = [float("nan"), float("inf"), float("-inf"), 2.0**31, -(2.0**31) - 2**9, 2.0**40, -1e30, 1.5 * 2.0**63]
    for n in (1, 8, 67):  # several at once, and the rest one by one
        floats = torch.tensor((beyond * 9)[-n:], dtype=dtype, device="cpu")
        for x in (floats, floats.repeat_interleave(2)[::2]):
            if (x.to(torch.int32) != _MARK).any():
                return False
    return True


def scalar(dtype: torch.dtype) -> Callable[[Any], Any]:
    if dtype is torch.float8_e4m3fn:
        return _float8

    def make(value: Any) -> Tensor:
        try:
            return torch.scalar_tensor(value, dtype=dtype)  # half the time of torch.tensor
        except (RuntimeError, OverflowError):  # it refuses numbers beyond the dtype; torch.tensor makes infinities
            return torch.tensor(value, dtype=dtype)

    return make


def _float8(value: Any) -> Tensor:
    """Make a float8: nan beyond a dtype without infinities, like ml_dtypes; PyTorch gives the largest number."""
    import ml_dtypes
    import numpy as np

    return from_numpy(np.asarray(float(value), ml_dtypes.float8_e4m3fn), None, True)


item = operator.methodcaller("item")


# --- devices -----------------------------------------------------------------------------------------------------


def devices() -> list[str]:
    found = ["cpu"]
    if torch.cuda.is_available():
        found += [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps:0")
    return found


def device_name(name: object) -> str:
    if name is None:
        return str(torch.get_default_device())
    try:
        found = torch.device(str(name))
    except RuntimeError:
        raise _no_device(name) from None
    if found.type == "cuda" and not (torch.cuda.is_available() and (found.index or 0) < torch.cuda.device_count()):
        raise _no_device(name)
    if found.type == "cuda" and found.index is None:
        found = torch.device("cuda", torch.cuda.current_device())
    return str(found)


def _no_device(name: object) -> ValueError:
    return ValueError(f"the torch backend has no device {str(name)!r}; it has {', '.join(devices())}")


def native_device(name: str) -> torch.device:
    return torch.device(name)


def device_of(data: Tensor) -> str:
    return str(data.device)


def to_device(data: Tensor, device: torch.device, stream: Any) -> Tensor:
    if stream is not None:
        with torch.cuda.stream(stream):
            return data.to(device)
    return data.to(device)


# --- writing -----------------------------------------------------------------------------------------------------


def flipped(data: Tensor, axes: Any) -> Tensor:
    if data.dtype in BITS:  # flip lacks them, in some memory layouts
        return torch.flip(data.view(BITS[data.dtype]), axes).view(data.dtype)
    return torch.flip(data, axes)


def overwrite(data: Tensor, value: Tensor) -> Tensor:
    """Write all of `value` into `data`, which keeps its shape and dtype."""
    if value.shape != data.shape:
        raise ValueError(f"operands could not be broadcast together: {tuple(value.shape)} into {tuple(data.shape)}")
    try:
        return data.copy_(value)
    except RuntimeError as error:
        if is_refused_by_vmap(error):
            return value.clone()
        _refuse_shared_elements(error)
        raise


def _beside(call: Callable[..., Any], target: Tensor, other: Any) -> Tensor | None:
    """Compute a result that cannot go into the target because it differs between the arrays of a vmap, else None."""
    if torch._C._functorch.maybe_current_level() is None:
        return None
    result = call(target, other)
    return result.to(target.dtype) if result.shape == target.shape else None


def is_refused_by_vmap(error: RuntimeError) -> bool:
    """Tell whether vmap refused to write values that differ between its arrays into one that is the same for all."""
    return str(error).startswith("vmap: ")


def batched_like(data: Tensor, *others: Tensor) -> Tensor:
    """Copy an array so that it differs between the arrays of a vmap if one of the others does: these can go into it."""
    result = data.clone()
    for other in others:
        result = torch.where(other.new_zeros((), dtype=torch.bool), result, result)
    return result


def _refuse_shared_elements(error: RuntimeError) -> None:
    """Raise a clear error where the elements of the tensor share memory, as those of a broadcast one do."""
    if "more than one element" in str(error):
        raise ValueError(
            "output array is read-only: its elements share memory, or it shows memory that must not change. "
            "Take a copy first: x = x.copy()"
        ) from error


def in_place(call: Callable[..., Any]) -> Callable[[Any, Any], Any] | None:
    """Return `call` as one that writes into its first operand: the method with an underscore; None if there is none."""
    name = getattr(call, "__name__", "")
    if getattr(torch, name, None) is not call:
        return None
    method = getattr(Tensor, f"{name}_", None)
    if method is None:
        return None

    def write(target: Tensor, other: Any) -> Tensor:
        if type(other) is Tensor:
            try:
                overlaps = storage(target) is storage(other) and place(target) != place(other)
            except Exception:  # torch.func.vmap and fake tensors have no memory, and each an error of their own
                overlaps = True
            if overlaps:  # torch itself notices that only where both tensors are without gaps
                other = other.clone()
        try:
            return method(target, other)
        except RuntimeError as error:
            if (result := _beside(call, target, other)) is not None:
                return result
            _refuse_shared_elements(error)
            raise

    return write


#: The memory of a tensor: one object for all tensors that are views of one another.
storage = Tensor.untyped_storage


def place(x: Tensor) -> tuple[Any, ...]:
    """Return which elements of its memory a tensor has, in which order: its offset, shape and strides."""
    return x.storage_offset(), x.shape, x.stride()


# --- conversion --------------------------------------------------------------------------------------------------


#: Dtypes that NumPy has from ml_dtypes: the integer dtypes that carry the bits, and their names in ml_dtypes.
_VIEWED = {torch.bfloat16: (torch.int16, "bfloat16")}
_VIEWED |= {native: (torch.int8, str(DTYPES[native])) for native in STORAGE}
_EXTENSIONS = {named: native for native, (_, named) in _VIEWED.items()}


def describe(data: Tensor) -> str | None:
    """Describe a tensor that a transformation of torch.func traces: NumPy cannot read its values."""
    if torch._C._functorch.is_functorch_wrapped_tensor(data):
        return f"traced, shape={tuple(data.shape)}"
    return None


def has_values(data: Tensor) -> bool:
    """Tell whether the elements of a tensor can be asked for now, on whichever device: nothing traces it."""
    if torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack():
        return False
    return type(data) is Tensor and not torch._C._functorch.is_functorch_wrapped_tensor(data)


def opaque(data: Tensor) -> bool:
    """Tell whether a tensor has no elements in strides, as one of torch.sparse."""
    return data.layout is not torch.strided


def may_record(data: Tensor) -> bool:
    """Tell whether autograd, or a transformation of `torch.func`, may record derivatives of a tensor."""
    return data.requires_grad or not has_values(data)


def records(arrays: Sequence[Tensor]) -> bool:
    """Tell whether autograd records tensors, or anything else may follow a computation. Other tensors that require a
    gradient do not count: see `unrecorded` in transformations.py."""
    return recorded(*arrays) or not all(map(has_values, arrays))


def version_of(data: Tensor) -> int:
    """Tell how often a tensor was written to. The tensors that `torch.func` wraps count, and its wrappers do not."""
    while torch._C._functorch.is_functorch_wrapped_tensor(data):
        data = torch._C._functorch.get_unwrapped(data)
    return data._version


#: True while a function of `lw.grad` or one of its kin runs, and autograd records it.
DIFFERENTIATING: ContextVar[bool] = ContextVar("latticework differentiates on torch", default=False)


def to_numpy(data: Tensor, dtype: Any, copy: bool | None) -> Any:
    if torch._C._functorch.maybe_current_level() is None:
        if data.requires_grad and DIFFERENTIATING.get():
            raise no_values_for_numpy()
        return _on_numpy(data, dtype, copy)
    data = _unwrapped(data)
    if torch._C._functorch.is_functorch_wrapped_tensor(data):
        raise no_values_for_numpy()
    with torch._C._DisableFuncTorch():  # a transformation wraps what `detach` and views return
        return _on_numpy(data, dtype, copy)


def values(data: Tensor) -> Any:
    """Return the elements of a tensor, also of one that autograd records."""
    return to_numpy(data.detach() if data.requires_grad else data, None, None)


def _unwrapped(data: Tensor) -> Tensor:
    """Return the tensor inside the wrappers of transformations for derivatives, where it has no derivative."""
    functorch, unpack = torch._C._functorch, torch.autograd.forward_ad.unpack_dual
    while functorch.is_gradtrackingtensor(data) and not data.requires_grad and unpack(data).tangent is None:
        data = functorch.get_unwrapped(data)
    return data


def _on_numpy(data: Tensor, dtype: Any, copy: bool | None) -> Any:
    import ml_dtypes
    import numpy as np

    if data.device.type != "cpu" and copy is False:
        raise ValueError(f"an array on {data.device} cannot become a numpy.ndarray without a copy")
    if data._is_zerotensor():  # a derivative that PyTorch knows to be zero has no memory
        data = torch.zeros(data.shape, dtype=data.dtype, device=data.device)
    here = data.detach().cpu().resolve_conj().resolve_neg()
    if here.dtype in _VIEWED:
        integers, named = _VIEWED[here.dtype]
        array = here.view(integers).numpy().view(getattr(ml_dtypes, named))
    else:
        array = here.numpy()
    return np.array(array, dtype=dtype, copy=copy)


def from_numpy(data: Any, device: torch.device | None, copy: bool | None) -> Tensor:
    import numpy as np

    shared = data.flags.writeable and data.dtype.isnative
    for stride in data.strides:
        shared = shared and stride >= 0 and stride % data.itemsize == 0
    if copy is False and not (shared and (device or torch.get_default_device()).type == "cpu"):
        how = f"go to {device or torch.get_default_device()}" if shared else "be read-only, backward or unaligned"
        raise ValueError(f"asarray: copy=False, but a numpy array cannot {how} in torch without a copy")
    if data.dtype.char == "Q":  # NumPy has two of the size of uint64, and torch knows one
        data = data.view(np.uint64)
    if copy or not shared:
        data = np.array(data, dtype=data.dtype.newbyteorder("="), order="C")
    extension = _EXTENSIONS.get(data.dtype.name)
    if extension is not None:
        data = data.view(f"i{data.itemsize}")
    if device is None and data.ndim:
        tensor = torch.asarray(data)  # on the default device, in a third of the time that asking for it takes
    else:  # a 0-d array, which torch.asarray would copy
        tensor = torch.from_numpy(data).to(torch.get_default_device() if device is None else device)
    return tensor if extension is None else tensor.view(extension)


def to_pickle(data: torch.Tensor) -> torch.Tensor:
    """View as another dtype: torch pickles unsigned dtypes and float8, but cannot read them again (seen in 2.13)."""
    return data.view(BITS[data.dtype]) if data.dtype in BITS else data


def from_pickle(pickled: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return pickled.view(dtype) if dtype in BITS else pickled


def duplicate(data: Tensor) -> Tensor:
    return data.clone()


def dlpack(data: Tensor, **options: Any) -> Any:
    return data.detach().resolve_conj().resolve_neg().__dlpack__(**options)


def from_dlpack(x: Any, device: str | None, copy: bool | None) -> Tensor:
    options = {} if device is None else {"device": torch.device(device)}
    return torch.from_dlpack(x, copy=copy, **options)


def plain(x: Tensor, copy: bool | None) -> Tensor:
    return x


#: Functions whose second operand torch takes as a Python scalar, of the kind of the tensor, without making a tensor.
_SCALAR_SECOND = frozenset(
    "add subtract multiply divide pow remainder floor_divide bitwise_and bitwise_or bitwise_xor "
    "equal not_equal less less_equal greater greater_equal _clip".split()
)


def takes_scalar(function: str, position: int, dtype: Dtype) -> bool:
    if dtype is float16 or (dtype is bfloat16 and function != "pow"):
        return False  # torch would compute with the number as it is, not as one of the dtype
    return function in _SCALAR_SECOND if position == 1 else function == "_clip"


#: function -> the same with swapped operands, for a Python scalar that comes first.
REFLECTED: dict[str, Callable[[Any, Any], Any]] = {
    "add": torch.add, "multiply": torch.multiply, "subtract": torch.rsub, "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor, "equal": torch.eq, "not_equal": torch.ne,
    "less": torch.gt, "less_equal": torch.ge, "greater": torch.lt, "greater_equal": torch.le,
}  # fmt: skip

_MIXED = frozenset("add subtract multiply divide atan2 pow floor_divide remainder maximum minimum".split())


def promotes(function: str, operands: tuple[Dtype, ...], computed: Dtype) -> bool:
    """Return whether torch's promotion gives `computed` whatever the shapes, so that no cast is needed before.

    It does for an integer or bool with a float, 0-d or not. It does not for two dtypes of one category, where one
    operand is 0-d. Logical functions ask each element whether it is zero.
    """
    if function in LOGICAL:
        return not any(d in UNSIGNED for d in operands)
    kinds = {"biuf".find(d.kind) // 3 for d in operands}
    plain = all(d.kind != "c" and d not in UNSIGNED for d in operands)
    if function == "subtract" and any(d.kind == "b" for d in operands):
        return False  # which torch refuses, whatever the other is
    return function in _MIXED and plain and kinds == {0, 1} and computed in operands


#: Words in torch's RuntimeErrors that tell a mistake in the shapes or values from a failure of its own.
_ABOUT_VALUES = ("size", "shape", "dimension", "must match", "invalid for input", "negative", "expected", "singular")


LINALG_ERROR = torch.linalg.LinAlgError


def raises_itself(error: Exception) -> bool:
    """Tell whether an error is a signal of PyTorch's checkpoints, which end a function early that they run again."""
    return type(error).__name__ == "_StopRecomputationError"


def error_class(error: Exception) -> type[Exception] | None:
    """Return the class for an error: torch has RuntimeErrors for nearly everything."""
    text = str(error).lower()
    if "not implemented for" in text:
        return BackendError
    if "without overflow" in text:  # a Python number that a narrow float does not hold
        return OverflowError
    about_values = isinstance(error, RuntimeError) and any(word in text for word in _ABOUT_VALUES)
    return ValueError if about_values else None
