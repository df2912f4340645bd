"""Creation functions on PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...backend.arguments import near_diagonal
from ...backend.plain import comes_to, of_diagonal
from ..numpy.creation import _line as _line_on_numpy
from .core import EMULATED, SIGNED, STORAGE, UNSIGNED
from .manipulation import through_signed


def empty(shape: Any, *, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.ones(shape, dtype=dtype, device=device)


def _full(shape: Any, fill_value: complex, *, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device)


def _count(n: int, first: int, step: int, *, dtype: torch.dtype, device: torch.device | None) -> Tensor:
    last = first + n * step
    if dtype not in SIGNED and abs(last) < 2**63:
        return torch.arange(first, last, step, dtype=dtype, device=device)
    # arange lacks the dtype, or takes no such bound. Signed integers wrap around to the right bits.
    signed = SIGNED.get(dtype, dtype)
    values = torch.arange(n, dtype=signed, device=device)
    return values.mul_(_wrapped(step, signed)).add_(_wrapped(first, signed)).view(dtype)


def _line(
    n: int, first: float, step: float, last: float | None = None, *, dtype: torch.dtype, device: torch.device | None
) -> Tensor:
    if n < _MANY:  # NumPy takes a third of the time of PyTorch's three calls
        line = _line_on_numpy(n, first, step, last, dtype=_NUMPY[dtype], device="cpu")
        return torch.asarray(line) if device is None else torch.asarray(line, device=device)
    x = torch.arange(n, dtype=dtype, device=device).mul_(step).add_(first)
    if last is not None:
        x[-1].fill_(last)
    return x


_NUMPY = {torch.float32: np.dtype("float32"), torch.float64: np.dtype("float64")}
_MANY = 10_000


def _wrapped(value: int, dtype: torch.dtype) -> int:
    half = 2 ** (torch.iinfo(dtype).bits - 1)
    return (value + half) % (2 * half) - half


def eye(
    n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: torch.dtype, device: torch.device | None
) -> Tensor:
    x = torch.zeros((n_rows, n_rows if n_cols is None else n_cols), dtype=dtype, device=device)
    x.diagonal(near_diagonal(x.shape, k)).fill_(1)  # torch.eye has no k
    return x


def tril(x: Tensor, *, k: int = 0) -> Tensor:
    return torch.tril(x, near_diagonal(x.shape, k))


def triu(x: Tensor, *, k: int = 0) -> Tensor:
    return torch.triu(x, near_diagonal(x.shape, k))


comes_to(tril, of_diagonal(torch.tril), torch.tril)
comes_to(triu, of_diagonal(torch.triu), torch.triu)


for _dtype in UNSIGNED:
    EMULATED["tril", _dtype], EMULATED["triu", _dtype] = through_signed(tril), through_signed(triu)

# --- building -----------------------------------------------------------------------------------------------------


def _diag(x: torch.Tensor, *, k: int) -> torch.Tensor:
    """Make a diagonal by torch.diag, which copies elements: as integers where it has no kernel for 8 bits."""
    if x.dtype in STORAGE:
        return torch.diag(x.view(STORAGE[x.dtype]), k).view(x.dtype)
    return torch.diag(x, k)
