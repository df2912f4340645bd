"""The methods of `Tensor` that are functions of `torch` as well, those in place, and the rest by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from types import FunctionType
from typing import Any

import numpy as np

from ...engine.arrays.views import link
from ..calls import alias
from ..names import public
from . import comparing, elementwise, joining, picking, products, reductions, sampling, shaping, sorting
from .autograd.tensors import Recorded
from .core import dialect, ops, parameters_of
from .objects import place
from .tensor import Tensor, shape_of

__all__: list[str] = []

_bare = object.__new__

_CHAPTERS = (elementwise, comparing, reductions, shaping, joining, picking, sorting, products, sampling)

#: Functions whose first parameter is `input`, and that are no methods.
_NO_METHODS = frozenset(
    """
    bucketize channel_shuffle combinations constant_pad_nd diagonal_copy expand_copy gradient permute_copy pixel_shuffle
    pixel_unshuffle poisson rand_like randint_like randn_like rsub select_copy std_mean transpose_copy var_mean
    view_as_complex view_as_real
    """.split()
)
#: Methods whose first parameter has another name.
_OTHER_METHODS = "cholesky_inverse lu split unique unique_consecutive".split()
#: Functions of elements that have no in-place form, as ``x.add_(y)``, and all others that have one.
_NOT_IN_PLACE = frozenset(
    """
    angle conj fmax fmin frexp imag logaddexp logaddexp2 maximum minimum positive real resolve_conj resolve_neg
    """.split()
)
_IN_PLACE = """
    addbmm addmm addmv addr baddbmm cumprod cumsum eq ge greater greater_equal gt index_add index_copy index_fill
    index_reduce le less less_equal logical_and logical_not logical_or logical_xor lt masked_fill masked_scatter ne
    not_equal put renorm scatter scatter_add scatter_reduce tril triu
""".split()

#: Functions whose in-place form changes the shape.
_RESHAPING = "squeeze swapaxes swapdims t transpose unsqueeze".split()


def _methods() -> dict[str, Any]:
    """Return the functions that are methods as well, by name."""
    return {
        name: f
        for chapter in _CHAPTERS
        for name, f in public(chapter).items()
        if isinstance(f, FunctionType)
        and (name in _OTHER_METHODS or (name not in _NO_METHODS and parameters_of(f)[:1] == ("input",)))
    }


def _named(f: Any, name: str, text: str) -> Any:
    f.__name__, f.__qualname__ = name, f"Tensor.{name}"
    f.__doc__ = text
    return f


def _in_place(f: Any, name: str) -> Any:
    def call(self: Any, *args: Any, **kw: Any) -> Any:
        x = self._to_read()
        return self._write(f(x, *[x if y is self else y for y in args], **kw))

    return _named(call, f"{name}_", f"`{name}`, written into the tensor, which is returned.")


def _reshaping(f: Any, name: str) -> Any:
    def call(self: Any, *args: Any, **kw: Any) -> Any:
        self._become(f(self, *args, **kw))
        return self

    return _named(call, f"{name}_", f"`{name}`, by which the tensor itself changes its shape.")


def _give_methods() -> None:
    methods, own = _methods(), vars(Tensor).keys() | vars(Recorded).keys()
    in_place = frozenset(_IN_PLACE) | (public(elementwise).keys() - _NOT_IN_PLACE)
    for name, f in methods.items():
        if name not in own:
            setattr(Tensor, name, f)
        if name in in_place:
            setattr(Tensor, f"{name}_", _in_place(f, name))
    for name in _RESHAPING:
        setattr(Tensor, f"{name}_", _reshaping(methods[name], name))
    array: Any = Tensor
    array.__pow__, array.__ipow__ = dialect.operator("pow", _beside_numbers(elementwise.pow)), array.pow_
    array.__rpow__ = _beside_numbers(lambda self, other: elementwise.pow(other, self))
    array.__eq__, array.__ne__ = (
        dialect.operator("equal", _compared(comparing.eq)), dialect.operator("not_equal", _compared(comparing.ne)),
    )  # fmt: skip
    array.__rtruediv__ = dialect.reflected("divide", _divided)
    for word, iop in (("add", "__iadd__"), ("mul", "__imul__"), ("sub", "__isub__"), ("div", "__itruediv__")):
        setattr(Tensor, f"{word}_", _operator_in_place(getattr(Tensor, iop), getattr(Tensor, f"{word}_"), word))
    for name, f in list(globals().items()):
        if isinstance(f, FunctionType) and f.__module__ == __name__ and f.__code__.co_varnames[:1] == ("self",):
            setattr(Tensor, name, _named(f, name, f.__doc__ or f"`torch.Tensor.{name}`."))


def _beside_numbers(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator that defers to operands that are neither tensors nor numbers."""

    def call(self: Any, other: Any) -> Any:
        other = dialect.operand(other, self)
        return other if other is NotImplemented else f(self, other)

    return call


def _compared(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``==`` and ``!=``, which take NumPy's arrays as tensors. The other operators leave those to NumPy."""
    beside = _beside_numbers(f)
    return lambda self, other: f(self, ops.asarray(other)) if isinstance(other, np.ndarray) else beside(self, other)


def _divided(self: Any, other: Any) -> Any:
    """``other / self``, which is ``self.reciprocal() * other`` in PyTorch where other is an array of NumPy's."""
    if isinstance(other, np.ndarray):
        return ops.reciprocal(self) * other
    return _beside_numbers(lambda x, y: ops.divide(y, x))(self, other)


def _operator_in_place(run: Any, general: Any, name: str) -> Any:
    """``x.add_(y)`` as ``x += y``, which has kernels that write."""

    def call(self: Any, other: Any, *more: Any, **kw: Any) -> Any:
        if kw or type(other) is not Tensor:
            return general(self, other, *more, **kw)
        return run(self, other)

    return _named(call, f"{name}_", f"`{name}`, written into the tensor, which is returned.")


# --- methods whose arguments are their own --------------------------------------------------------------------------


def view(self, *shape, dtype=None):
    if dtype is not None:
        return _viewed_as(self, dtype)
    if len(shape) == 1 and not isinstance(shape[0], (int, tuple, list)) and type(shape[0]) is not Tensor:
        return _viewed_as(self, shape[0])
    return reshape(self, *shape)


def _viewed_as(x: Any, dtype: Any) -> Any:
    """Return the same bits in another dtype."""
    return ops.bitcast(x, dialect.dtype_of(dtype))


def reshape(self, *shape):
    return ops.reshape(self, shape_of(shape))


def permute(self, *dims):
    return ops.permute_dims(self, dims if len(dims) != 1 else shape_of(dims))


def expand(self, *sizes, implicit=False):
    sizes = shape_of(sizes)
    shape = self._array.shape
    if len(sizes) < len(shape):
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(sizes)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({len(shape)})"
        )
    if sizes == shape:
        return alias(self)
    new = len(sizes) - len(shape)
    if -1 in sizes[:new]:
        raise RuntimeError(
            f"expand: the expanded size of the tensor (-1) isn't allowed in a leading dimension: {sizes}"
        )
    return ops.broadcast_to(self, tuple([shape[i - new] if n == -1 else n for i, n in enumerate(sizes)]))


# fmt: off
def expand_as(self, other): return ops.broadcast_to(self, other._array.shape)
def broadcast_to(self, *size): return self.expand(*size)
def view_as(self, other): return ops.reshape(self, other._array.shape)
def reshape_as(self, other): return ops.reshape(self, other._array.shape)
def flip(self, *axes, dims=None): return shaping.flip(self, shape_of(axes) if dims is None else dims)
def tile(self, *dims): return ops.tile(self, shape_of(dims))
def where(self, condition, other): return picking.where(condition, self, other)
def polygamma(self, n): return elementwise.polygamma(n, self)
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    return _creation().tensor(data, dtype=dtype or self.dtype, device=device)
def new(self, *args, device=None): return _legacy_class(self)(*args)
def new_zeros(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    return ops.zeros(shape_of(size), dtype=dtype or self.dtype, device=_here(self, device))
def new_ones(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    return ops.ones(shape_of(size), dtype=dtype or self.dtype, device=_here(self, device))
def new_empty(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    return ops.zeros(shape_of(size), dtype=dtype or self.dtype, device=_here(self, device))
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    return _creation()._full(tuple(size), fill_value, dtype or self.dtype, _here(self, device))
def fill_(self, value): return _assigned(self, value)
def zero_(self): return _assigned(self, 0)
def copy_(self, other, non_blocking=False): return _copied(self, other)
def map_(self, tensor, callable): return self._write(_mapped(callable, self, tensor))
def apply_(self, callable): return self._write(_mapped(callable, self))
def normal_(self, mean=0, std=1, *, generator=None):
    return self._write(ops.add(ops.multiply(_draw(self, ops.random.normal, generator), std), mean))
def uniform_(self, from_=0, to=1, *, generator=None, **kw):
    return self._write(_between(self, kw.get("from", from_), to, generator))
def exponential_(self, lambd=1, *, generator=None):
    return self._write(ops.divide(_draw(self, ops.random.exponential, generator), lambd))
def cauchy_(self, median=0, sigma=1, *, generator=None):
    return self._write(ops.add(ops.multiply(_draw(self, ops.random.cauchy, generator), sigma), median))
def log_normal_(self, mean=1, std=2, *, generator=None):
    return self._write(ops.exp(ops.add(ops.multiply(_draw(_real(self), ops.random.normal, generator), std), mean)))
def geometric_(self, p, *, generator=None):
    return self._write(ops.random.geometric(sampling._key(generator), p, _real(self, "b")._array.shape)._to(self.dtype))
def bernoulli_(self, p=0.5, *, generator=None):
    return self._write(ops.random.bernoulli(sampling._key(generator), p, _real(self)._array.shape)._to(self.dtype))
def resize_(self, *sizes, memory_format=None): return _resized(self, shape_of(sizes))
def resize_as_(self, other, *, memory_format=None): return _resized(self, other._array.shape)
def set_(self, source):
    self._share(source)
    return self
def index_put_(self, indices, values, accumulate=False): return _put(self, indices, values, accumulate)
def fill_diagonal_(self, fill_value, wrap=False):
    return self._write(ops.fill_diagonal(self, self._goes_in(fill_value), wrap, inplace=False))
def is_set_to(self, tensor): return self._array is tensor._array
def storage_offset(self): return 0
def dim_order(self): return tuple(range(self._array.ndim))
def to_dense(self, dtype=None): return self._to(dtype)
def to_sparse(self, *sparse_dims, layout=None, blocksize=None, dense_dim=None): return self
def coalesce(self): return self
def is_coalesced(self): return True
def indices(self): return ops.matrix_transpose(ops.argwhere(self))
def values(self): return self[ops.not_equal(self, 0)]
def _indices(self): return self.indices()
def _values(self): return self.values()
def share_memory_(self): return self
def as_subclass(self, cls): return self
def chalf(self, memory_format=None): return self._to("complex32")
# fmt: on


def _legacy_class(x: Any) -> Any:
    """The old class of a tensor's dtype."""
    from . import legacy

    return getattr(legacy, x.type().removeprefix("torch."))


def _creation() -> Any:
    from . import creation

    return creation


def _here(x: Any, device: Any) -> Any:
    return x._array.device if device is None else place(device)


def abs_(self):
    if self._array.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return self._write(ops.abs(self._to_read()))


def absolute_(self):
    return abs_(self)


def float_power_(self, exponent):
    made = ops.float_power(self._to_read(), exponent)
    if made._array.dtype is not self._array.dtype:
        raise RuntimeError(f"the base given to float_power_ has {self.dtype} but the result requires {made.dtype}")
    return self._write(made)


def repeat(self, *repeats):
    repeats = shape_of(repeats)
    if len(repeats) < self._array.ndim:
        raise RuntimeError(
            f"Number of dimensions of repeat dims ({len(repeats)}) can not be smaller than number of dimensions of "
            f"tensor ({self._array.ndim})"
        )
    return ops.tile(self, repeats)


def _assigned(x: Any, value: Any) -> Any:
    if type(value) is Tensor and value._array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )
    x[...] = value.item() if isinstance(value, np.generic) else value
    return x


def _copied(x: Any, other: Any) -> Any:
    if type(other) is not Tensor:
        raise TypeError(f"copy_(): argument 'other' must be Tensor, not {type(other).__name__}")
    if other._array.device != x._array.device:
        other = other._to(None, x._array.device)
    x[...] = other
    return x


def _mapped(f: Any, *xs: Any) -> Any:
    values = [f(*v) for v in zip(*[ops.reshape(x, (-1,)).tolist() for x in xs], strict=True)]
    return ops.reshape(ops.asarray(values, dtype=xs[0].dtype), xs[0]._array.shape)


def _draw(x: Any, distribution: Any, generator: Any) -> Any:
    if x._array.dtype.kind == "c" and distribution not in (ops.random.normal, ops.random.uniform):
        raise NotImplementedError(f"this distribution has no numbers of {x.dtype}")
    return sampling._made(distribution, (x._array.shape,), generator, x.dtype, None)


def _real(x: Any, kinds: str = "") -> Any:
    if x._array.dtype.kind in "c" + kinds:
        raise NotImplementedError(f"this distribution has no numbers of {x.dtype}")
    return x


def _between(x: Any, low: Any, high: Any, generator: Any) -> Any:
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return ops.add(ops.multiply(_draw(x, ops.random.uniform, generator), high - low), low)


def random_(self, low=0, high=None, *, generator=None, **kw):
    _real(self)
    low, high = kw.get("from", low), kw.get("to", high)
    if high is None:
        low, high = (0, low) if low else (0, _largest(self))
    return self._write(sampling.randint(low, high, tuple(self._array.shape), generator=generator)._to(self.dtype))


def _largest(x: Any) -> int:
    """The number below which PyTorch draws for a dtype."""
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53, "bool": 1, "uint8": 8, "int8": 7, "int16": 15}
    return 2 ** digits.get(x._array.dtype.name, 31) + (x._array.dtype.kind == "f")


def _resized(x: Any, shape: Any) -> Any:
    """The elements in order in another shape; zeros where there are more."""
    flat, count = ops.reshape(x, (-1,)), prod(shape)
    missing = count - flat._array.shape[0]
    if missing > 0:
        flat = ops.concat([flat, ops.zeros((missing,), dtype=x.dtype)], axis=0)
    x._become(ops.reshape(flat[:count], tuple(shape)))
    return x


def _put(x: Any, indices: Any, values: Any, accumulate: bool) -> Any:
    key = tuple(slice(None) if i is None else i for i in indices)
    if not accumulate:
        x[key] = values
        return x
    if values._array.dtype is not x._array.dtype:
        raise RuntimeError(
            f"index_put_(): Expected dtype of self and values to be equal; got {x.dtype} and {values.dtype}"
        )
    places = ops.reshape(ops.arange(x._array.size, dtype="int64"), x._array.shape)[key]
    values = ops.broadcast_to(values, places._array.shape)
    flat = ops.scatter(
        ops.reshape(x, (-1,)), ops.reshape(places, (-1,)), ops.reshape(values, (-1,)), axis=0, reduction="sum"
    )
    x[...] = ops.reshape(flat, x._array.shape)
    return x


def unfold(self, dimension, size, step):
    if not self._array.ndim:
        return ops.reshape(self, (1,))
    axis = self._axis(dimension)
    count = self._array.shape[axis]
    if size > count:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {count} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    windows = ops.sliding_window_view(self, size, axis)[(*(slice(None),) * axis, slice(None, None, step))]
    if self._array._sig.immutable:
        link(windows._array, self._array, unfold, (dimension, size, step))
    return windows


def sum_to_size(self, *size):
    shape, own = shape_of(size), self._array.shape
    new = len(own) - len(shape)
    axes = tuple(i for i, n in enumerate(own) if i < new or (shape[i - new] == 1 and n != 1))
    made = ops.sum(self, axis=axes, keepdims=True) if axes else self
    if new < 0 or any(a not in (1, b) for a, b in zip(shape, own[new:], strict=False)):
        raise RuntimeError(f"size {list(shape)} is not expandable to size {list(own)}.")
    return ops.reshape(made, tuple(shape))


_give_methods()
dialect.finish_methods()
