"""Functions that PyTorch computes otherwise on a GPU, or has no kernels for there.

On a GPU it has no products of integers, few functions of uint16, uint32 and uint64, and other values for integers
divided by zero and for sorted nan. `_replaced` returns functions that mend this; on the CPU they compute as before.
A build of PyTorch for CPUs alone has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from ...backend.plain import NativeCall, comes_to
from ...core.dtypes import Dtype, bfloat16, category, float16, float64, uint8
from .core import EMULATED, SIGNED, UNSIGNED

__all__ = ["integer_matmul", "placed"]

#: True if this build of PyTorch has devices besides the CPU.
BUILT = torch.version.cuda is not None or torch.version.hip is not None or torch.backends.mps.is_built()

_Function = Callable[..., Any]


# --- operands on one device ---------------------------------------------------------------------------------------


def _tensor(x: Any) -> Tensor | None:
    """Return the tensor of an operand: the operand itself, or the one that it stands for in a trace."""
    tensor = x if isinstance(x, Tensor) else getattr(x, "native", None)
    return tensor if isinstance(tensor, Tensor) else None


def _device(operands: Iterable[Any]) -> torch.device | None:
    """Return the first device of operands that is not the CPU; None where all are on the CPU."""
    for x in operands:
        if type(x) is list:
            if (found := _device(x)) is not None:
                return found
        elif (tensor := _tensor(x)) is not None and not tensor.is_cpu:
            return tensor.device
    return None


def _placed(operands: Iterable[Any], move: Callable[[Any, torch.device], Any] = Tensor.to) -> list[Any]:
    """Move 0-d operands from the CPU to the device of the others."""
    device = _device(operands)
    if device is None:
        return [*operands]

    def placed(x: Any) -> Any:
        if type(x) is list:
            return [placed(y) for y in x]
        tensor = _tensor(x)
        return x if tensor is None or tensor.ndim or not tensor.is_cpu else move(x, device)

    return [placed(x) for x in operands]


#: Moves operands made from Python scalars to the device of the others; None where there is one device alone. They are
#: made on the CPU, and some functions of PyTorch take them beside tensors on a GPU, others do not.
placed = _placed if BUILT else None


# --- functions that differ ----------------------------------------------------------------------------------------


def _of_each(here: _Function, there: _Function) -> _Function:
    """Make a function that is `here` on the CPU and `there` on other devices."""

    @wraps(here)
    def call(*operands: Any, **options: Any) -> Any:
        return (here if _device(operands) is None else there)(*operands, **options)

    def plain(*operands: Any, **options: Any) -> NativeCall | None:
        chosen = here if _device(operands) is None else there
        further = getattr(chosen, "comes_to", None)
        return further(*operands, **options) if further else (chosen, operands, options)

    comes_to(call, plain)
    return call


def _by_bits(function: _Function) -> _Function:
    """Make a function that moves elements, or computes with their bits, work on signed integers of the same width."""

    def call(*operands: Any, **options: Any) -> Any:
        dtype = next(x.dtype for x in operands if isinstance(x, Tensor) and x.dtype in SIGNED)
        views = [x.view(SIGNED[x.dtype]) if isinstance(x, Tensor) and x.dtype in SIGNED else x for x in operands]
        return function(*views, **options).view(dtype)

    return call


def _of_bits(function: _Function) -> _Function:
    """Make a function that tests whether elements are 0 work on signed integers of the same width."""
    return lambda x, **options: function(x.view(SIGNED[x.dtype]), **options)


#: The most products of two digits of 16 bits whose sum is less than 2**53, and so exact in float64.
_MOST = 1 << 21


def integer_matmul(x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply matrices of integers, which wrap around. cuBLAS has no such products: digits of 16 bits are multiplied
    in float64, exactly, and added in int64."""
    dtype = x1.dtype
    count = max(dtype.itemsize // 2, 1)
    shared = x1.shape[-1]
    if shared > _MOST and x1.ndim and x2.ndim:
        half = shared // 2
        axis = -2 if x2.ndim > 1 else -1
        first = integer_matmul(x1.narrow(-1, 0, half), x2.narrow(axis, 0, half))
        return first + integer_matmul(x1.narrow(-1, half, shared - half), x2.narrow(axis, half, shared - half))
    rows, columns = _digits(x1, count), _digits(x2, count)
    total: Any = 0
    for i in range(count):
        for j in range(count - i):
            total = total + (torch.matmul(rows[i], columns[j]).to(torch.int64) << 16 * (i + j))
    return total.to(dtype)


def _digits(x: Tensor, count: int) -> list[Tensor]:
    """Split into digits of 16 bits as float64, the lowest first; the highest has the sign."""
    x = x.to(torch.int64)
    return [(x >> 16 * i if i == count - 1 else (x >> 16 * i) & 0xFFFF).to(torch.float64) for i in range(count)]


def _sorted(function: _Function) -> _Function:
    """Sort with nan made positive: on a GPU, a nan with a sign is the least, in floats of 16 bits and fewer."""

    def call(x: Tensor, *args: Any, **options: Any) -> Any:
        if x.is_floating_point():
            x = torch.where(torch.isnan(x), torch.nan, x)
        return function(x, *args, **options)

    return call


def _hard_silu(x: Tensor) -> Tensor:
    """Compute hard_silu: on a GPU, PyTorch multiplies float64 by a sixth in float32."""
    return x * torch.clamp(x + 3, 0, 6) / 6


def _in_float32(function: _Function) -> _Function:
    """Sum in float32: on a GPU, PyTorch adds up floats of 16 bits in their own dtype."""

    def call(x: Tensor, *, dtype: torch.dtype, **options: Any) -> Tensor:
        return function(x, dtype=torch.float32, **options).to(dtype)

    return call


def _of_known(known: Callable[[Tensor], Tensor]) -> Callable[[_Function], _Function]:
    """Make results nan for matrices that have other elements than `known` ones. A GPU gives any number for them; LAPACK
    gives nan, or an error."""

    def change(function: _Function) -> _Function:
        def call(x: Tensor, **options: Any) -> Any:
            whole = known(x).all(-1).all(-1)

            def kept(r: Tensor) -> Tensor:
                return torch.where(whole.reshape(whole.shape + (1,) * (r.ndim - whole.ndim)), r, torch.nan)

            found = function(x, **options)
            return kept(found) if isinstance(found, Tensor) else type(found)(map(kept, found))

        return call

    return change


def _is_number(x: Tensor) -> Tensor:
    return ~torch.isnan(x)


def _in_rows(function: _Function) -> _Function:
    """Call with a contiguous matrix: in PyTorch 2.11, a GPU gives wrong eigenvectors for a transposed one."""
    return lambda x: function(x.contiguous())


def _replaced(module: dict[str, Any]) -> dict[str, Any]:
    """Return the functions of a module that differ on a GPU, by name. Those of single dtypes go into its table."""
    if not BUILT:
        return {}

    def replace(name: str, dtypes: Iterable[Dtype], change: Callable[[_Function], _Function]) -> None:
        chapter, _, last = name.rpartition(".")
        for dtype in dtypes:
            here = EMULATED.get((name, dtype)) or (getattr(module[chapter], last) if chapter else module[last])
            EMULATED[name, dtype] = _of_each(here, change(here))

    for name in "where bitwise_and bitwise_or bitwise_xor roll take".split():
        replace(name, UNSIGNED, _by_bits)
    for name in "any all".split():
        replace(name, UNSIGNED, _of_bits)
    replace("signbit", UNSIGNED, lambda _: lambda x: torch.zeros_like(x, dtype=torch.bool))
    replace("matmul", [*category("signed integer"), uint8], lambda _: integer_matmul)
    replace("matmul", UNSIGNED, lambda _: _by_bits(integer_matmul))
    for name in "cumulative_sum cumulative_prod".split():
        replace(name, [bfloat16, float16], _in_float32)
    replace("nn.hard_silu", [float64], lambda _: _hard_silu)
    for name in "linalg.inv linalg.det linalg.slogdet".split():
        replace(name, category("floating"), _of_known(_is_number))
    for name in "linalg.svd linalg.svdvals".split():
        replace(name, category("floating"), _of_known(torch.isfinite))
    replace("linalg.eig", category("floating"), _in_rows)
    return {name: _of_each(module[name], _sorted(module[name])) for name in ("sort", "argsort")}
