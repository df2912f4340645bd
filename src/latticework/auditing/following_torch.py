"""Programs that were written for PyTorch, whose functions dispatch to an argument with ``__torch_function__``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array

__all__ = ["NotFollowedError", "Tensor", "TorchStandIn", "tensors"]


class NotFollowedError(NotImplementedError):
    """A framework's function without a counterpart in latticework, or without one for this call."""


#: PyTorch's functions and methods with latticework's names and meaning, whose positional parameters are arrays alone.
_SAME = """
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_or bitwise_xor ceil cos cosh exp expm1 floor
    hypot isfinite isinf isnan log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul
    maximum minimum multiply reciprocal round rsqrt sign sin sinh sqrt square subtract tan tanh trunc where clip
    angle arccos arccosh arcsin arcsinh arctan arctanh conj copysign deg2rad exp2 float_power fmax fmin fmod
    heaviside imag isneginf isposinf isreal lerp logaddexp2 nan_to_num nextafter positive rad2deg real
    signbit sinc
"""

#: Such functions with other names.
_OTHER = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide", "divide": "divide",
    "floor_divide": "floor_divide", "remainder": "remainder", "pow": "pow", "neg": "negative", "negative": "negative",
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "clamp": "clip", "mm": "matmul", "bmm": "matmul", "arctan2": "atan2", "absolute": "abs", "sigmoid": "nn.sigmoid",
    "relu": "nn.relu", "erf": "special.erf",
}  # fmt: skip
_ELEMENTWISE = {name: name for name in _SAME.split()} | _OTHER

#: Functions whose second parameter is an axis, which PyTorch calls ``dim``.
_ALONG = {
    **{n: n for n in "sum mean prod std var all any argmax argmin flip squeeze".split()},
    "amax": "max", "amin": "min", "cumsum": "cumsum", "cumprod": "cumprod", "softmax": "nn.softmax",
    "log_softmax": "nn.log_softmax", "logsumexp": "logsumexp", "unsqueeze": "expand_dims", "cat": "concat",
    "concat": "concat", "concatenate": "concat", "stack": "stack",
}  # fmt: skip

#: Functions whose other parameters are latticework's, in the same order.
_ALIKE = {
    "transpose": "swapaxes", "t": "matrix_transpose", "zeros_like": "zeros_like", "ones_like": "ones_like",
    "full_like": "full_like",
}  # fmt: skip
_RENAMED = {"dim": "axis", "keepdim": "keepdims", "unbiased": "correction", "other": "x2"}

#: Options and values that change nothing.
_WITHOUT_EFFECT = (("inplace", False), ("_stacklevel", 3), ("_stacklevel", 5), ("keepdim", False))

#: Casts that are methods.
_CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool",
}  # fmt: skip


def elementwise_name(name: str) -> str:
    """Return latticework's name of one of PyTorch's functions of arrays alone; empty for every other function."""
    return _ELEMENTWISE.get(name, "")


def _ours(name: str) -> Callable[..., Any]:
    return operator.attrgetter(name)(lw)  # type: ignore[no-any-return]


def _call(name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Call the latticework function for PyTorch's `name`, with lw.Arrays."""
    args = _arrays(args)
    kw = {_RENAMED.get(n, n): _arrays(v) for n, v in kw.items() if v is not None and (n, v) not in _WITHOUT_EFFECT}
    if "input" in kw:
        args = (kw.pop("input"), *args)
    if name in _ALONG:
        if len(args) > 1:
            kw["axis"] = args[1] if len(args) == 2 else args[1:]
            args = args[:1]
        if name in ("cat", "concat", "concatenate", "stack", "unsqueeze"):
            kw.setdefault("axis", 0)
        if "correction" in kw or name in ("std", "var"):
            kw["correction"] = int(kw.get("correction", 1))
        return _tensors(_ours(_ALONG[name])(*args, **kw))
    if name in _ELEMENTWISE and not kw.keys() - {"x2", "min", "max"}:
        if "x2" in kw:
            args = (*args, kw.pop("x2"))
        return _tensors(_ours(_ELEMENTWISE[name])(*args, **kw))
    method = _ours(_ALIKE[name]) if name in _ALIKE else _METHODS.get(name)
    if method is None:
        raise NotFollowedError(f"torch.{name} has no latticework function that takes its call: it is not followed")
    return _tensors(method(*args, **kw))


def _to(x: Array, *args: Any, **kw: Any) -> Array:
    """Do ``x.to(dtype)``; ``x.to(device)`` changes nothing here."""
    dtype = kw.get("dtype", next((a for a in args if type(a).__name__ == "dtype"), None))
    return x if dtype is None else lw.astype(x, dtype)


def _reshape(x: Array, *shape: Any) -> Array:
    return lw.reshape(x, tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape)


def _permute(x: Array, *axes: Any) -> Array:
    return lw.permute_dims(x, tuple(axes[0]) if len(axes) == 1 and not isinstance(axes[0], int) else axes)


def _extreme(name: str) -> Callable[..., Any]:
    """Make ``torch.max`` or ``torch.min``: of all elements, of two arrays, or along an axis with the positions."""

    def call(x: Array, other: Any = None, axis: int | None = None, keepdims: bool = False) -> Any:
        if isinstance(other, Array):
            return _ours(f"{name}imum")(x, other)
        axis = axis if other is None else other
        if axis is None:
            return _ours(name)(x)
        return _ours(name)(x, axis=axis, keepdims=keepdims), _ours(f"arg{name}")(x, axis=axis, keepdims=keepdims)

    return call


_METHODS: dict[str, Callable[..., Any]] = {
    "max": _extreme("max"),
    "min": _extreme("min"),
    "to": _to,
    "type": _to,
    "type_as": lambda x, other: lw.astype(x, other.dtype),
    "reshape": _reshape,
    "view": _reshape,
    "permute": _permute,
    "flatten": lambda x: _reshape(x, -1),
    "clone": lambda x: _ours("asarray")(x, copy=True),
    "detach": lambda x: x,
    "contiguous": lambda x: x,
    "size": lambda x, dim=None: x.shape if dim is None else x.shape[dim],
    "dim": lambda x: x.ndim,
    "numel": lambda x: x.size,
    "item": lambda x: x.item(),
    **{name: (lambda x, d=dtype: lw.astype(x, d)) for name, dtype in _CASTS.items()},
}


class Tensor:
    """An lw.Array for PyTorch's functions: its `__torch_function__` answers with latticework's functions."""

    def __init__(self, array: Array) -> None:
        self.array = array

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _call(function.__name__, tuple(args), dict(kwargs or {}))

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "device"):
            return getattr(self.array, name)
        if name == "dtype":
            import torch

            return getattr(torch, str(self.array.dtype))
        if name in ("T", "mT"):
            return _tensors(getattr(self.array, name))
        if name in ("real", "imag"):
            return _call(name, (self,), {})
        if name.startswith("__") or not _is_method(name):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        return lambda *args, **kw: _call(name, (self, *args), kw)

    def __getitem__(self, key: Any) -> Any:
        return _tensors(self.array[_arrays(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[_arrays(key)] = _arrays(value)

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        return bool(self.array)

    def __float__(self) -> float:
        return float(self.array)

    __hash__ = None  # type: ignore[assignment]


def _is_method(name: str) -> bool:
    """Return whether PyTorch's tensors have a name: programs for several frameworks ask."""
    import torch

    return hasattr(torch.Tensor, name)


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)

    def call(self: Tensor, *others: Any) -> Any:
        result = function(self.array, *map(_arrays, others))
        if name.startswith("i") and result is self.array:
            return self
        return _tensors(result)

    return call


def _reflected(name: str) -> Callable[[Tensor, Any], Any]:
    function = getattr(operator, name)
    return lambda self, other: _tensors(function(_arrays(other), self.array))


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in (*_BINARY, *"lt le gt ge eq ne".split()):
    setattr(Tensor, f"__{_name}__", _operator(f"{_name}_" if _name in ("and", "or") else _name))
for _name in _BINARY:
    setattr(Tensor, f"__r{_name}__", _reflected(f"{_name}_" if _name in ("and", "or") else _name))
    setattr(Tensor, f"__i{_name}__", _operator(f"i{_name}"))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Tensor, f"__{_name}__", _operator(_name))


def _changed(x: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(x, kind):
        return change(x)
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)([_changed(y, kind, change) for y in x])
    return x


def _arrays(x: Any) -> Any:
    """Replace tensors by lw.Arrays."""
    return _changed(x, Tensor, lambda t: t.array)


def _tensors(x: Any) -> Any:
    return _changed(x, Array, Tensor)


def tensors(x: Any) -> Any:
    """Replace lw.Arrays by tensors, in lists and tuples too."""
    return _tensors(x)


def arrays(x: Any) -> Any:
    """Replace tensors by lw.Arrays, in lists and tuples too."""
    return _arrays(x)


class TorchStandIn(ModuleType):
    """A stand-in for ``torch``: its names, with latticework functions for those that make tensors of Python values."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__)
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "ones", "empty"):
            return lambda *shape, **kw: _made(name, (_shape(shape),), kw)
        if name in ("tensor", "as_tensor", "asarray"):
            return lambda data, **kw: _made("asarray", (_arrays(data),), kw)
        if name in ("arange", "linspace", "full", "eye"):
            return lambda *args, **kw: _made(name, args, kw)
        return getattr(self._real, name)


def _shape(sizes: tuple[Any, ...]) -> Any:
    return sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes


def _made(name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    options = {n: v for n, v in kw.items() if n not in ("device", "requires_grad", "layout", "pin_memory")}
    return Tensor(_ours(name)(*args, **options))
