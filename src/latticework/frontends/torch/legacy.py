"""PyTorch's old classes of tensors, one for each dtype: `torch.FloatTensor` and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import dialect, ops
from .creation import _tensor
from .dtypes import set_default_dtype
from .objects import Size
from .tensor import Tensor, shape_of

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class TensorType(type):
    """The metaclass of these classes: a tensor of the dtype is an instance of the class."""

    _ours: str
    _of_cuda = False

    @property
    def dtype(cls) -> Any:
        """The dtype of its tensors."""
        return dialect.dtypes[dialect.dtype_of(cls._ours)]

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and bool(x._array.dtype == cls._ours) and x.is_cuda >= cls._of_cuda

    def __call__(cls, *args: Any, device: Any = None) -> Any:
        """A tensor of a sequence, of an array of NumPy or of a tensor of this class, or of a shape."""
        if cls._of_cuda:
            return globals()[cls.__name__](*args).to(device or "cuda")
        if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray)) and not isinstance(args[0], Size):
            return _tensor(args[0], cls._ours, None, True)
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0]._array.dtype != cls._ours:
                raise TypeError(f"expected {cls} (got {args[0].type()})")
            return args[0]
        return ops.zeros(shape_of(args) if args else (0,), cls._ours)

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


def _of(dtype: str, name: str, module: str = "torch") -> Any:
    """The class of the tensors of a dtype."""
    doc = f"`{module}.{name}`: the tensors of {dtype}, and what makes one of a sequence or a shape."
    names = {"_ours": dtype, "_of_cuda": module != "torch", "__module__": module, "__doc__": doc}
    return TensorType(name, (), names)


BFloat16Tensor = _of("bfloat16", "BFloat16Tensor")
BoolTensor = _of("bool", "BoolTensor")
ByteTensor = _of("uint8", "ByteTensor")
CharTensor = _of("int8", "CharTensor")
DoubleTensor = _of("float64", "DoubleTensor")
FloatTensor = _of("float32", "FloatTensor")
HalfTensor = _of("float16", "HalfTensor")
IntTensor = _of("int32", "IntTensor")
LongTensor = _of("int64", "LongTensor")
ShortTensor = _of("int16", "ShortTensor")

#: The classes of tensors on a GPU, which are names of `torch.cuda`.
of_cuda = {name: _of(kind._ours, name, "torch.cuda") for name, kind in [*globals().items()] if type(kind) is TensorType}


def set_default_tensor_type(t, /):
    """Set the dtype of tensors that are made of Python floats, by a class of tensors or its name."""
    if isinstance(t, str):
        t = globals()[t.removeprefix("torch.")]
    set_default_dtype(t.dtype if isinstance(t, TensorType) else t)


dialect.finish(globals())
