"""`torch.nn.attention`: which kernels of attention a program wants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """The kernels of `scaled_dot_product_attention` that PyTorch has."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[dict[str, Any]]:
    """A block in which PyTorch takes one of these kernels. Here it changes nothing: the backend in force chooses.

    Raises
    ------
    AssertionError: it is no `SDPBackend`, and no list.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.ones(1, 2, 4)
    >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(f"sdpa_kernel: takes an SDPBackend or a list of them; got {type(backends).__name__}")
    yield {}
