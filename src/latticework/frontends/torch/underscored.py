"""Functions of ``torch`` whose names begin with an underscore, and which packages call all the same.

Checks (`torch._assert`), the functions of lists of tensors that optimizers call (`torch._foreach_add_`), and what draws
or casts behind a class. They are no public names: `NAMES` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .core import dialect, ops
from .dtypes import finfo
from .linalg import vector_norm
from .tensor import Tensor

__all__ = ["NAMES"]


# --- checks -----------------------------------------------------------------------------------------------------------


def _assert(condition: Any, message: Any) -> None:
    assert condition, message  # PyTorch's function is the statement


def _assert_async(condition: Any, assert_msg: str | None = None) -> None:
    """Refuse a tensor of one element that is zero."""
    if not condition:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _checking(error: type[Exception]) -> Callable[..., None]:
    def check(cond: Any, message: Callable[[], Any] | None = None) -> None:
        if not isinstance(cond, bool):
            raise TypeError(f"cond must be a bool, but got {type(cond)}")
        if not cond:
            raise error("Expected cond to be True, but got False" if message is None else str(message()))

    return check


# --- lists of tensors -------------------------------------------------------------------------------------------------

_OF_ONE = """
    abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
    round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
"""
_OF_TWO = "add clamp_max clamp_min div lerp maximum minimum mul pow sub"


def _counted(*lists: Sequence[Any]) -> None:
    if not lists[0]:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for others in lists[1:]:
        if len(others) != len(lists[0]):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(lists[0])} and {len(others)}"
            )


def _spread(x: Any, count: int) -> Sequence[Any]:
    """What goes with each tensor of a list: an element of another list or tuple, or one number or tensor for all."""
    return x if isinstance(x, (list, tuple)) else [x] * count


def _each(method: str, tensors: Sequence[Any], *operands: Any, **options: Any) -> tuple[Any, ...]:
    lists = [_spread(x, len(tensors)) for x in operands]
    _counted(tensors, *lists)
    return tuple([getattr(x, method)(*xs, **options) for x, *xs in zip(tensors, *lists, strict=True)])


def _of_lists(name: str) -> Callable[..., Any]:
    """A function of lists that returns new tensors, or, with an underscore at its end, writes into the first list."""

    def call(self: Sequence[Any], *operands: Any, **options: Any) -> Any:
        if name == "pow" and not isinstance(self, (list, tuple)):  # a number to the power of tensors
            return tuple([self**x for x in operands[0]])
        operands = (*operands, *[options.pop(n) for n in _NAMED if n in options])
        if name.rstrip("_") in ("maximum", "minimum", "clamp_min", "clamp_max"):
            return _bounded(name, self, *operands)
        found = _each(name, self, *operands, **options)
        return self if name.endswith("_") else found

    return call


#: Operands that are given by name too.
_NAMED = ("other", "others", "scalar", "scalars", "exponent", "exponents", "tensors1", "weight", "weights")


def _bounded(name: str, self: Sequence[Any], others: Any) -> Any:
    """Greater or lesser elements, of a list and a list or a number."""
    least = name.rstrip("_") in ("maximum", "clamp_min")
    lists = _spread(others, len(self))
    _counted(self, lists)
    found = [x.clamp(min=y) if least else x.clamp(max=y) for x, y in zip(self, lists, strict=True)]
    if not name.endswith("_"):
        return tuple(found)
    for x, y in zip(self, found, strict=True):
        x.copy_(y)
    return self


def _products(name: str) -> Callable[..., Any]:
    """`_foreach_addcmul` and `_foreach_addcdiv`."""

    def call(self: Sequence[Any], tensor1: Sequence[Any], tensor2: Sequence[Any], value: Any = 1, **kw: Any) -> Any:
        factors = kw.pop("scalars", kw.pop("tensor", value))
        factors = factors.tolist() if isinstance(factors, Tensor) else factors
        factors = _spread(factors, len(self))
        _counted(self, tensor1, tensor2, factors)
        rows = zip(self, tensor1, tensor2, factors, strict=True)
        found = tuple([getattr(x, name)(y, z, value=f) for x, y, z, f in rows])
        return self if name.endswith("_") else found

    return call


def _foreach_norm(self: Sequence[Any], ord: Any = 2, dtype: Any = None) -> tuple[Any, ...]:
    _counted(self)
    return tuple([vector_norm(x, ord, dtype=dtype) for x in self])


def _foreach_copy_(self: Sequence[Any], src: Sequence[Any], non_blocking: bool = False) -> Any:
    _counted(self, src)
    for x, y in zip(self, src, strict=True):
        x.copy_(y)
    return self


def _foreach_zero_(self: Sequence[Any]) -> Any:
    _counted(self)
    for x in self:
        x.zero_()
    return self


def _foreach_max(self: Sequence[Any]) -> tuple[Any, ...]:
    return _each("max", self)


# --- what draws and casts ---------------------------------------------------------------------------------------------


def _standard_gamma(self: Any, generator: Any = None) -> Any:
    """Draw from the gamma distribution with rate 1, one number for each concentration. It has a derivative."""
    from .distributions.utils import gamma_logarithm

    tiny = finfo(self.dtype).tiny
    return gamma_logarithm(self).exp().clamp(min=tiny)


def _shape_as_tensor(self: Any) -> Any:
    return ops.asarray([*self.shape], dtype="int64")


def _casting(dtype: str) -> Callable[..., Any]:
    return lambda input, non_blocking=False: input.to(dialect.dtypes[dialect.dtype_of(dtype)])


#: Each name with its function.
NAMES: dict[str, Any] = {
    "_assert": _assert,
    "_assert_async": _assert_async,
    "_check": _checking(RuntimeError),
    "_check_index": _checking(IndexError),
    "_check_value": _checking(ValueError),
    "_check_type": _checking(TypeError),
    "_check_not_implemented": _checking(NotImplementedError),
    "_foreach_addcdiv": _products("addcdiv"),
    "_foreach_addcdiv_": _products("addcdiv_"),
    "_foreach_addcmul": _products("addcmul"),
    "_foreach_addcmul_": _products("addcmul_"),
    "_foreach_copy_": _foreach_copy_,
    "_foreach_max": _foreach_max,
    "_foreach_norm": _foreach_norm,
    "_foreach_zero_": _foreach_zero_,
    "_shape_as_tensor": _shape_as_tensor,
    "_standard_gamma": _standard_gamma,
    **{f"_foreach_{name}": _of_lists(name) for name in f"{_OF_ONE} {_OF_TWO}".split()},
    **{f"_foreach_{name}_": _of_lists(f"{name}_") for name in f"{_OF_ONE} {_OF_TWO}".split() if name != "clone"},
    **{
        f"_cast_{name}": _casting(dtype)
        for name, dtype in (
            ("Byte", "uint8"),
            ("Char", "int8"),
            ("Double", "float64"),
            ("Float", "float32"),
            ("Half", "float16"),
            ("Int", "int32"),
            ("Long", "int64"),
            ("Short", "int16"),
        )
    },
}
for _name, _f in NAMES.items():
    _f.__name__ = _f.__qualname__ = _name
