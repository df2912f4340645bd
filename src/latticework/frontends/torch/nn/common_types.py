"""`torch.nn.common_types`: the types of the sizes that layers take, for annotations."""

from __future__ import annotations

from typing import TypeVar

from ..tensor import Tensor

__all__: list[str] = []

_T = TypeVar("_T")

_scalar_or_tuple_any_t = _T | tuple[_T, ...]  # type: ignore[misc]
_scalar_or_tuple_1_t = _T | tuple[_T]  # type: ignore[misc]
_scalar_or_tuple_2_t = _T | tuple[_T, _T]  # type: ignore[misc]
_scalar_or_tuple_3_t = _T | tuple[_T, _T, _T]  # type: ignore[misc]
_scalar_or_tuple_4_t = _T | tuple[_T, _T, _T, _T]  # type: ignore[misc]
_scalar_or_tuple_5_t = _T | tuple[_T, _T, _T, _T, _T]  # type: ignore[misc]
_scalar_or_tuple_6_t = _T | tuple[_T, _T, _T, _T, _T, _T]  # type: ignore[misc]

_size_any_t = int | tuple[int, ...]
_size_1_t = int | tuple[int]
_size_2_t = int | tuple[int, int]
_size_3_t = int | tuple[int, int, int]
_size_4_t = int | tuple[int, int, int, int]
_size_5_t = int | tuple[int, int, int, int, int]
_size_6_t = int | tuple[int, int, int, int, int, int]
_size_any_opt_t = int | tuple[int | None, ...] | None
_size_2_opt_t = int | tuple[int | None, int | None] | None
_size_3_opt_t = int | tuple[int | None, int | None, int | None] | None

_ratio_any_t = float | tuple[float, ...]
_ratio_2_t = float | tuple[float, float]
_ratio_3_t = float | tuple[float, float, float]

_tensor_list_t = Tensor | tuple[Tensor, ...]
_maybe_indices_t = Tensor | tuple[Tensor, Tensor]
