"""`Tensor`: PyTorch's tensor on any backend. What is a function as well is a method by `methods.py`."""

from __future__ import annotations

import operator
from functools import update_wrapper
from typing import Any

import numpy as np

from ...backends.taped.core import TapedBackend
from ...core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype
from ...derivatives.tape import Taped
from ...engine.arrays.array import wrapped
from ...engine.arrays.views import link_indexed
from ...promotion.families.torch import can_cast
from ..array import OPERATORS, DialectArray, give_operators
from ..calls import HELD, alias, asked, new
from .autograd.recording import is_enabled, is_leaf_of, replace_value
from .autograd.tensors import Recorded
from .autograd.versions import note_memory
from .core import default_float, dialect, ops
from .dtypes import dtype as dtype_class
from .keys import PLAIN, ours, parts
from .objects import Size, device, place
from .printing import shown
from .views import is_contiguous, shares, write

__all__ = ["Tensor"]

_FLOAT32, _FLOAT64, _FLOAT16, _BFLOAT16, _INT64, _INT32, _INT16, _INT8, _UINT8, _BOOL, _COMPLEX64, _COMPLEX128 = map(
    dtype_class, "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split()
)


def shape_of(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the shape from arguments: from ints, or from one sequence of ints."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        first = shape[0]
        return tuple(first) if isinstance(first, (tuple, list)) else (operator.index(first),)
    return shape


class Tensor(Recorded):
    """A tensor with PyTorch's methods and rules, which holds an array of latticework.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.arange(6).reshape(2, 3)
    >>> x.float().mean(dim=1, keepdim=True)
    tensor([[1.],
            [4.]])
    """

    __slots__ = ()

    is_sparse = False
    is_quantized = False
    is_meta = False
    is_xpu = False
    is_mps = False

    def __new__(cls, *args: Any, device: Any = None) -> Any:
        if len(args) == 1 and isinstance(args[0], (list, tuple, np.ndarray)) and not isinstance(args[0], Size):
            return dialect.wrapped(ops.asarray(args[0], dtype=default_float())._array)
        if len(args) == 1 and type(args[0]) is cls:
            return args[0].to(dialect.dtypes[default_float()])
        return ops.zeros(shape_of(args) if args else (0,), device=place(device))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Give the result of a universal function of NumPy as a tensor; bools are uint8, as in PyTorch."""
        return dialect.wrapped(ops.asarray(array.astype("uint8") if array.dtype == bool else array)._array)

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Any:
        """Its extents, as a `Size`."""
        return Size(self._array.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of its elements."""
        return dialect.dtypes[self._array._sig.dtype]

    @property
    def device(self) -> Any:
        """The device that it lies on."""
        return device(str(self._array.device).replace("gpu", "cuda"))

    @property
    def layout(self) -> Any:
        """The storage layout: strided."""
        from .objects import strided

        return strided

    # fmt: off
    @property
    def T(self) -> Any: return ops.transpose(self)
    @property
    def mT(self) -> Any: return ops.matrix_transpose(self)
    @property
    def H(self) -> Any: return ops.conj(self.T)
    @property
    def mH(self) -> Any: return ops.conj(ops.matrix_transpose(self))
    @property
    def real(self) -> Any: return ops.real(self) if self._array.dtype.kind == "c" else self
    @property
    def data(self) -> Any: return self.detach()
    @data.setter
    def data(self, other: Any) -> None: self._share(other)
    @property
    def itemsize(self) -> Any: return self._array.itemsize
    @property
    def nbytes(self) -> Any: return self._array.nbytes
    @property
    def is_cuda(self) -> Any: return self.device.type in ("cuda", "gpu")
    @property
    def is_cpu(self) -> Any: return self.device.type == "cpu"

    def dim(self): return self._array.ndim
    def ndimension(self): return self._array.ndim
    def numel(self): return self._array.size
    def nelement(self): return self._array.size
    def element_size(self): return self._array.itemsize
    def is_contiguous(self, memory_format=None): return True
    def is_floating_point(self): return self._array.dtype.kind == "f"
    def is_complex(self): return self._array.dtype.kind == "c"
    def is_signed(self): return self._array.dtype.kind in "ifc"
    def is_conj(self): return False
    def is_neg(self): return False
    def is_inference(self): return False
    def is_pinned(self, device=None): return False
    def get_device(self): return -1 if self.is_cpu else self.device.index or 0
    def data_ptr(self): return id(self._array)
    # fmt: on

    def _share(self, other: Any) -> None:
        """Share the data of another tensor, in its dtype and shape: a write to one changes both."""
        if type(other) is not Tensor:
            raise TypeError(f"the data of a tensor is a tensor; got {type(other).__name__}")
        self._take_data(other)

    @property
    def imag(self) -> Any:
        """The imaginary components of complex numbers."""
        if self._array.dtype.kind != "c":
            raise RuntimeError(f"imag is not implemented for tensors with non-complex dtypes; got {self.dtype}")
        return ops.imag(self)

    def size(self, dim=None):
        """Return its shape, or the extent of one axis."""
        shape = self._array.shape
        if dim is None:
            return Size(shape)
        return shape[self._axis(dim)]

    def _axis(self, dim: Any, ndim: int | None = None) -> int:
        """The position of an axis, which may be counted from the end."""
        ndim = self._array.ndim if ndim is None else ndim
        most = max(ndim, 1)
        if not -most <= dim < most:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})"
            )
        return dim % most

    def stride(self, dim=None):
        """The strides that a contiguous tensor of this shape has."""
        strides, step = [], 1
        for extent in reversed(self._array.shape):
            strides.append(step)
            step *= max(extent, 1)
        strides.reverse()
        return tuple(strides) if dim is None else strides[self._axis(dim)]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return shown(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self._array.ndim == 0 else format(str(self), spec)

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __contains__(self, value: Any) -> bool:
        return bool(ops.any(self == value))

    def __reversed__(self) -> Any:
        return ops.flip(self, axis=0) if self._array.ndim else self

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)))

    # --- to Python and to others ------------------------------------------------------------------------------------

    def item(self):
        """Its one element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar. Take one element of it"
            )
        return self._run(lambda x: x.item(), self._array)

    @asked
    def __bool__(self) -> bool:
        return bool(self._element("Boolean value of Tensor"))

    def __int__(self) -> int:
        return int(self._element("int"))

    def __float__(self) -> float:
        return float(self._element("float"))

    def __complex__(self) -> complex:
        return complex(self._element("complex"))

    def __index__(self) -> int:
        if self._array.dtype.kind not in "biu" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def _element(self, to: str) -> Any:
        if self._array.size != 1:
            raise RuntimeError(
                f"{to} with {'no values' if not self._array.size else 'more than one value'} is ambiguous"
            )
        value = self.item()
        if isinstance(value, complex) and to in ("int", "float"):
            if value.imag:
                raise RuntimeError(f"value cannot be converted to type {to} without overflow")
            return value.real
        return value

    def _as_numpy(self):
        if self._array.dtype.name == "bfloat16" or self._array.dtype.storage:
            raise TypeError(f"numpy: NumPy has no {self.dtype}. Cast the tensor first: x.float().numpy()")
        return self._array.__array__()

    # --- to other dtypes and devices --------------------------------------------------------------------------------

    def to(self, *args, **kw):
        """The tensor in another dtype, on another device, or as another tensor is; itself where it is that already."""
        if len(args) == 1 and not kw and type(args[0]) is dtype_class:
            to = args[0].ours
            return self if to is self._array._sig.dtype else cast(self, to)
        dtype, where, copy = kw.pop("dtype", None), kw.pop("device", None), kw.pop("copy", False)
        kw.pop("non_blocking", None)
        kw.pop("memory_format", None)
        other = kw.pop("other", None)
        if kw:
            raise TypeError(f"to() got an unexpected keyword argument {next(iter(kw))!r}")
        flags = []
        for x in args:
            if type(x) is Tensor:
                other = x
            elif type(x) is dtype_class or type(x).__module__ == "torch":
                dtype = x
            elif isinstance(x, (str, device)) or (type(x) is int and where is None):
                where = x
            elif isinstance(x, bool):
                flags.append(x)
            elif x is not None:
                raise TypeError(f"to() received an invalid combination of arguments: {type(x).__name__}")
        copy = flags[1] if len(flags) > 1 else copy
        if other is not None:
            dtype, where = other.dtype, other._array.device
        return self._to(dtype, where, copy)

    def _to(self, dtype: Any, where: Any = None, copy: Any = False) -> Any:
        x = self
        if where is not None and str(where) != str(self._array.device):
            target = place(where) or "cpu"
            if str(target) != str(self._array.device):
                x = dialect.wrapped(self._run(lambda a: a.to_device(target), x._array))
        if dtype is not None:
            dtype = dialect.dtype_of(dtype)
            if dtype is not x._array._sig.dtype:
                return cast(x, dtype)
        return x.clone() if copy and x is self else x

    # fmt: off
    def float(self, memory_format=None): return self._to(_FLOAT32)
    def double(self, memory_format=None): return self._to(_FLOAT64)
    def half(self, memory_format=None): return self._to(_FLOAT16)
    def bfloat16(self, memory_format=None): return self._to(_BFLOAT16)
    def long(self, memory_format=None): return self._to(_INT64)
    def int(self, memory_format=None): return self._to(_INT32)
    def short(self, memory_format=None): return self._to(_INT16)
    def char(self, memory_format=None): return self._to(_INT8)
    def byte(self, memory_format=None): return self._to(_UINT8)
    def bool(self, memory_format=None): return self._to(_BOOL)
    def cfloat(self, memory_format=None): return self._to(_COMPLEX64)
    def cdouble(self, memory_format=None): return self._to(_COMPLEX128)
    def cpu(self, memory_format=None): return self._to(None, "cpu")
    def cuda(self, device=None, non_blocking=False, memory_format=None):
        return self._to(None, "cuda" if device is None else device)
    def type_as(self, other): return self._to(other.dtype, other._array.device)
    def pin_memory(self, device=None): return self
    def resolve_conj(self): return self
    def resolve_neg(self): return self
    def clone(self, *, memory_format=None): return ops.asarray(self, copy=True)
    # fmt: on

    def contiguous(self, memory_format=None):
        """The tensor itself, or a copy where its elements do not follow each other in memory."""
        return self if is_contiguous(self._array) else ops.asarray(self, copy=True)

    contiguous.in_memory = True  # type: ignore[attr-defined]

    def _detached(self):
        """The tensor as a constant, where a transformation of `torch.func` is about; else one with the same array."""
        x = self._array
        backend = x._sig.backend
        recorded = backend.takes_target or backend.may_record(x._data)
        return ops.stop_gradient(self) if recorded else alias(self)

    def type(self, dtype=None, non_blocking=False):
        """The name of the class of its kind, or the tensor in another dtype."""
        return f"torch.{_TYPES[self._array.dtype.name]}" if dtype is None else self._to(_named(dtype))

    # --- keys -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any, /) -> Any:
        kind = type(key)
        element = kind is int
        plain = element or (kind is slice and key.step is None)
        if kind is tuple:
            element = True  # unless there is more than ints in it
            for k in key:
                of = type(k)
                if of is not int:
                    element = False
                    if k.step is not None if of is slice else of not in PLAIN:
                        break
            else:
                plain = True
        if plain:  # it reads the same in PyTorch and here: as `DialectArray.__getitem__`
            try:
                a = self._held if self._sig is HELD else self
                sig = a._sig
                index = sig.index  # a variable: an attribute that is no method is called slowly
                if element:  # which is a view as well, where there are views
                    key = (key, Ellipsis) if kind is int else (*key, Ellipsis)
                t = new(Tensor)
                t._data = index(a._data, key)
                t._held = None
                t._sig = sig
                if sig.immutable:
                    link_indexed(t._array, self._array, key)
                return t
            except Exception:
                pass
        key = ours(key, Tensor)
        steps = parts(key, Tensor)
        if steps is not None:
            return self[steps[0]][steps[1]]
        return DialectArray.__getitem__(self, key)

    # --- writing ----------------------------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any, /) -> None:
        if self._sig is HELD and shares(self._held):
            write(self, key, value)
            return
        if type(value) is Tensor:
            value = self._beside_recorded(value) if type(value._array._data) is Taped else settled(value)
        if type(key) is not int:
            key = ours(key, Tensor)
            if type(self._array._data) is not Taped:
                if type(key) is Tensor:
                    key = settled(key)
                elif type(key) is tuple:
                    key = tuple([settled(k) if type(k) is Tensor else k for k in key])
            steps = parts(key, Tensor)
            if steps is not None:  # where there are no views, the part that was written to is put back
                part = self[steps[0]].clone()
                part[steps[1]] = value
                self[steps[0]] = part
                return
        if type(value) is not Tensor or type(value._array._data) is not Taped:  # else it gets new memory
            note_memory(self._array)
        dialect.call(operator.setitem, (self._array, key, self._goes_in(value)), {})
        self._bind()

    def _goes_in(self, value: Any) -> Any:
        """A value as it is written into the tensor: PyTorch casts whatever comes."""
        kind = self._array.dtype.kind
        if type(value) is Tensor:
            return value if value._array.dtype is self._array.dtype else cast(value, self.dtype)
        if type(value) in SCALAR_KINDS:
            if KIND_ORDER[SCALAR_KINDS[type(value)]] <= KIND_ORDER[kind] and kind not in "iu":
                return value
            if isinstance(value, complex) and kind != "b":
                raise RuntimeError(f"value cannot be converted to {self.dtype} without overflow")
            if kind in "iu" and isinstance(value, float) and not abs(value) < 2.0**64:
                raise RuntimeError(f"value cannot be converted to {self.dtype} without overflow")
            return bool(value) if kind == "b" else int(value)
        if isinstance(value, np.generic):
            number: Any = value.item()
            if isinstance(value, (np.integer, float, complex)):  # the others are no Python numbers
                return self._goes_in(number)
            raise TypeError(f"can't assign a numpy.{type(value).__name__} to a tensor of {self.dtype}")
        if isinstance(value, (list, tuple)):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a tensor of {self.dtype}. Make a tensor of it first"
            )
        return value

    def _write(self, result: Any) -> Any:
        """Put the result of a function into the tensor, as the methods in place do."""
        a, b = self._array, result._array
        if not can_cast(b._sig.dtype, a._sig.dtype):
            raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {self.dtype}")
        if a.shape != b.shape:
            raise RuntimeError(
                f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(b.shape)}. "
                "Use the function that makes a new tensor"
            )
        x, y = a._data, settled(result)._array
        sig = y._sig
        if not sig.in_place or type(x) is sig.scalar or (self._sig is HELD and shares(self._held)):
            self[...] = result
        elif a._sig is sig and type(x) is not Taped:
            note_memory(a)
            try:
                a._data = sig.backend.overwrite(x, y._data)
            except ValueError as error:  # several of its elements are one
                raise dialect.error(error, "setitem") from None
            self._bind()
        elif is_leaf_of(x, sig) and not is_enabled():
            replace_value(a, sig.backend.overwrite(x.value, y._data))
            self._bind()
        else:
            self[...] = result
        return self


def cast(x: Any, dtype: Any) -> Any:
    """A tensor in another dtype, whatever is lost."""
    to = dtype if type(dtype) is Dtype else dialect.dtype_of(dtype)
    if x._array._sig.dtype.kind == "c" and to.kind not in "bc":
        x = ops.real(x)
    return ops.astype(x, to)


_TYPES = {
    "float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor", "bfloat16": "BFloat16Tensor",
    "int64": "LongTensor", "int32": "IntTensor", "int16": "ShortTensor", "int8": "CharTensor", "uint8": "ByteTensor",
    "bool": "BoolTensor", "complex64": "ComplexFloatTensor", "complex128": "ComplexDoubleTensor",
    "uint16": "UInt16Tensor", "uint32": "UInt32Tensor", "uint64": "UInt64Tensor",
}  # fmt: skip


def _named(dtype: Any) -> Any:
    if not isinstance(dtype, str):
        if dtype is Tensor:  # the class of the default dtype
            return default_float()
        return getattr(dtype, "dtype", dtype)  # of a class such as torch.LongTensor
    of_type = {name: dtype for dtype, name in _TYPES.items()}
    return of_type.get(dtype.removeprefix("torch."), dtype)


dialect.with_array(Tensor)
give_operators(dialect, without="pow", note=note_memory)


def settled(x: Any) -> Any:
    """A tensor that was computed from a recorded one in a block without gradients, as one that never was."""
    if x._sig is not HELD or type(x._held._data) is Taped or not isinstance(x._held._sig.backend, TapedBackend):
        return x
    data, target = x._held._data, x._held._sig.backend.target
    return dialect.wrapped(wrapped(data, target.sig_of(data)))


def _writing(fast: Any, compute: Any) -> Any:
    """An operator in place, which writes into a recorded tensor, and into a view, as `Tensor.__setitem__` does."""

    def call(self: Any, other: Any) -> Any:
        slow = self._sig is HELD and (type(self._held._data) is Taped or shares(self._held))
        if not slow and (type(other) is not Tensor or type(other._array._data) is not Taped):
            return fast(self, settled(other) if type(other) is Tensor else other)
        x = self._to_read()
        found = compute(x, x if other is self else other)
        return found if found is NotImplemented else self._write(found)

    return update_wrapper(call, fast)


for _word in OPERATORS:
    if hasattr(Tensor, f"__i{_word}__"):
        setattr(Tensor, f"__i{_word}__", _writing(getattr(Tensor, f"__i{_word}__"), getattr(operator, f"__{_word}__")))
