"""Set functions on PyTorch. `torch.unique` gives no first positions, and takes no complex numbers: both are made of a
stable sort, as `torch.unique` is."""

from __future__ import annotations

import torch

from ...core.dtypes import bool_, complex64, complex128
from .core import EMULATED, SIGNED, UNSIGNED
from .sorting import argsort, in_signed_order, in_unsigned_order


def isin(x1: torch.Tensor, x2: torch.Tensor, *, invert: bool = False) -> torch.Tensor:
    return torch.isin(x1.contiguous(), x2.contiguous(), invert=invert)  # it fails to view other layouts


def unique_all(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    if x.dtype in SIGNED:
        values, *places = unique_all(in_signed_order(x))
        return in_unsigned_order(values, x.dtype), *places
    flat = x.reshape(-1)
    order = _order(flat) if x.is_complex() else argsort(flat)
    values = flat[order]
    first = torch.ones(values.shape, dtype=torch.bool, device=x.device)
    torch.ne(values[1:], values[:-1], out=first[1:])
    starts = torch.nonzero(first).reshape(-1)
    inverse = torch.empty_like(order)
    inverse[order] = torch.cumsum(first, 0) - 1
    counts = torch.diff(starts, append=starts.new_full((1,), values.numel()))
    return values[starts], order[starts], inverse.reshape(x.shape), counts


def unique_counts(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    values, counts = torch.unique(_signed(x), return_counts=True)
    return _like(values, x), counts


def unique_inverse(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    values, inverse = torch.unique(_signed(x), return_inverse=True)
    return _like(values, x), inverse


def unique_values(x: torch.Tensor) -> torch.Tensor:
    return _like(torch.unique(_signed(x)), x)


def _signed(x: torch.Tensor) -> torch.Tensor:
    """Return unsigned integers as signed ones in order: torch does not sort many unsigned elements."""
    return in_signed_order(x) if x.dtype in SIGNED else x


def _like(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return elements of `_signed` in the dtype of x."""
    return in_unsigned_order(values, x.dtype) if x.dtype in SIGNED else values


def _order(x: torch.Tensor) -> torch.Tensor:
    """Return NumPy's order of complex numbers: by the real part, then by the imaginary one. Numbers with a nan are at
    the end, first those whose real part is not nan."""
    order = torch.argsort(x.imag, stable=True)
    for key in (x.real, torch.isnan(x.real) * 2 + torch.isnan(x.imag)):
        order = order[torch.argsort(key[order], stable=True)]
    return order


def _isin_signed(x1: torch.Tensor, x2: torch.Tensor, *, invert: bool = False) -> torch.Tensor:
    dtype = SIGNED.get(x1.dtype, torch.uint8)
    return isin(x1.view(dtype), x2.view(dtype), invert=invert)


def _isin_complex(x1: torch.Tensor, x2: torch.Tensor, *, invert: bool = False) -> torch.Tensor:
    """Compare by the number of each element among the unique ones of both."""
    numbers = unique_all(torch.cat([x1.reshape(-1), x2.reshape(-1)]))[2]
    return torch.isin(numbers[: x1.numel()].reshape(x1.shape), numbers[x1.numel() :], invert=invert)


for _d in (bool_, *UNSIGNED):
    EMULATED["isin", _d] = _isin_signed
for _d in (complex64, complex128):
    EMULATED["isin", _d] = _isin_complex
    EMULATED["unique_counts", _d] = lambda x: unique_all(x)[::3]
    EMULATED["unique_inverse", _d] = lambda x: unique_all(x)[::2]
    EMULATED["unique_values", _d] = lambda x: unique_all(x)[0]
