"""`torch.types`: the types that annotations of programs name."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from .dtypes import dtype as _dtype  # noqa: F401
from .objects import Size
from .objects import device as _device
from .objects import layout as _layout  # noqa: F401
from .tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Number: TypeAlias = int | float | bool
Storage: TypeAlias = Any

_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrTensorsOrGradEdge = Tensor | Sequence[Tensor]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_size = Size | list[int] | tuple[int, ...]
_symsize = _size
_dispatchkey = str
_qscheme = Any
