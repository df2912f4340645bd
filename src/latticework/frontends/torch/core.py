"""The PyTorch dialect itself: its rules, its errors, and what all of its functions share."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import unwrap
from typing import Any

import numpy as np

from ...api.data_types import result_type
from ...core.dtypes import SCALARS, Dtype, float32, int64
from ...engine.arrays.array import Array
from ...errors import AxisError, BackendError, NoDataError, PromotionError
from ...promotion.families.torch import can_cast
from ..dialect import Dialect
from .old_forms import OLD, reordered
from .refusing import Several, Tensors, tensors_of

__all__ = [
    "LinAlgError",
    "complete",
    "default_float",
    "dialect",
    "ops",
    "parameters_of",
    "set_default_float",
    "with_slope_of",
    "written",
]

_default_float = float32


class LinAlgError(RuntimeError):
    """A matrix that a function of linear algebra cannot take, such as a singular one."""


def _error(error: Exception, name: str) -> Exception:
    """Return PyTorch's error for an error of latticework.

    NotImplementedError is a RuntimeError: programs that expect either one catch it. PyTorch itself raises now one and
    now the other for a dtype that a function does not take.
    """
    text = str(error)
    if type(error).__name__ == "LinAlgError":
        return LinAlgError(text)
    before, met, _ = text.partition(", in one call. Convert one: lw.asarray(")
    if met and isinstance(error, BackendError) and "numpy" in before:
        return BackendError(f"{before}, in one call. A function of PyTorch takes tensors: torch.from_numpy(x)")
    if isinstance(error, (BackendError, NoDataError, RuntimeError)):
        return error
    if isinstance(error, PromotionError):
        return NotImplementedError(text)
    if isinstance(error, (AxisError, IndexError)):
        return IndexError(text)
    if isinstance(error, (ValueError, ArithmeticError)):
        return RuntimeError(text)
    return error


def _operand(x: Any, beside: Any) -> Any:
    """Convert a NumPy scalar to a Python number; return `NotImplemented` for all else.

    PyTorch reads NumPy's integers as ints and all its other scalars as floats, bools and complex64 too. With an array,
    NumPy's operator is called: NumPy promotes and computes, and its result becomes a tensor.
    """
    if isinstance(x, np.generic):
        if dialect.is_foreign:  # the rules say what it is
            return x
        return int(x) if isinstance(x, np.integer) else float(x.real)
    return NotImplemented


#: Latticework's functions, and the kinds of the operands' common dtype that PyTorch has no kernel for.
_LACKS = {
    name: kinds
    for names, kinds in (
        ("abs", "b"),
        ("ceil floor trunc round floor_divide remainder fmod", "bc"),
        ("bitwise_invert bitwise_and bitwise_or bitwise_xor", "fc"),
        ("bitwise_left_shift bitwise_right_shift gcd lcm", "bfc"),
        ("hypot logaddexp2 nextafter", "biuc"),
        ("logaddexp", "biu"),
        ("special.gammainc special.gammaincc", "biu"),
        ("less less_equal greater greater_equal atan2 copysign max min argmax argmin", "c"),
        ("pow linalg.trace matmul dot inner tensordot", "b"),
        ("softmax log_softmax nn.softmax nn.log_softmax logcumsumexp", "biu"),
    )
    for name in names.split()
}


def _refuses(name: str, operands: tuple[Any, ...]) -> None:
    """Refuse what PyTorch has no kernel for, as it does.

    Raises
    ------
    NotImplementedError: it has none for the dtype that the operands join to.
    """
    kinds = _LACKS.get(name)
    if kinds is None:
        return
    found = [x for x in operands if type(x) is Array or isinstance(x, SCALARS)][: 2 if len(operands) > 1 else 1]
    if name in _OF_ONE:
        found = found[:1]
    if any(type(x) is Array for x in found):
        dtype = result_type(*found)
        if dtype.kind in kinds:
            raise NotImplementedError(
                f"{name}: PyTorch has no kernel of this function for {dtype}. Cast the tensor first"
            )


#: Functions of one tensor, followed by options.
_OF_ONE = frozenset("max min argmax argmin softmax log_softmax nn.softmax nn.log_softmax logcumsumexp round".split())

dialect = Dialect(
    "torch",
    "torch",
    defaults=lambda: {"default_float": _default_float, "default_int": int64},
    errors=_error,
    operand=_operand,
    refuses=_refuses,
)
dialect.numbers = lambda: {float: _default_float, int: int64}
ops = dialect.ops


def set_default_float(dtype: Any) -> None:
    """Set the dtype that tensors of Python floats have."""
    global _default_float
    _default_float = dtype
    dialect.changed()


def default_float() -> Dtype:
    """The dtype that tensors of Python floats have."""
    return dialect.default("f") if dialect.audited else _default_float


# --- what all functions share ---------------------------------------------------------------------------------------

#: The chapters that are modules of PyTorch.
_MODULES = frozenset("accelerator cuda fft func linalg sparse special".split())
_WORDS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


def complete(names: dict[str, Any], renamed: str = "", *, scalars: str = "", view: str = "", helpers: str = "") -> None:
    """Complete a module of the dialect, see `Dialect.finish`.

    Functions that have an argument ``out`` need not look at it: the result is written into it here. NumPy's names of
    arguments are taken where PyTorch takes them.

    Parameters
    ----------
    scalars: functions that take ``dim=0`` and ``dim=-1`` for a 0-d tensor.
    """
    of_scalars = frozenset(scalars.split())
    view = view or ("" if names["__name__"].rpartition(".")[2] in _MODULES else "torch")

    def around(f: Any) -> Callable[..., Any]:
        tensors = tensors_of(f)
        call = _completed(f, f.__name__ in of_scalars, tensors)
        if isinstance(tensors, Tensors) and tensors.alone:
            call._checks = True  # type: ignore[attr-defined]
        return call

    dialect.finish(names, renamed, view=view, helpers=helpers, around=around)


def parameters_of(f: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a function of the dialect, without ``*args``."""
    code = unwrap(f).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _completed(f: Any, of_scalars: bool, tensors: Tensors | Several | None) -> Callable[..., Any]:
    arguments = parameters_of(f)
    words = {word: name for word, name in _WORDS.items() if name in arguments and word not in arguments}
    if "requires_grad" in arguments:
        f = _recording(f)
    if not of_scalars and "out" not in arguments and not ("dim" in arguments or "keepdim" in arguments):
        return f if tensors is None else _of_tensors(f, tensors)

    old = "out" in arguments and f.__name__ in OLD
    most = unwrap(f).__code__.co_argcount if old else len(arguments)

    def call(*args: Any, **kw: Any) -> Any:
        out = None
        if kw:
            out = kw.pop("out", None)
            for word in [w for w in kw if w in words]:
                kw[words[word]] = kw.pop(word)
        if len(args) > most:
            args, kw = reordered(f.__name__, args, kw)
        if tensors is not None and args:
            tensors.check(args)
        try:
            result = f(*args, **kw)
        except IndexError as error:
            if not of_scalars or not args or type(args[0]) is not dialect.array or args[0]._array.ndim:
                raise error if tensors is None else tensors.refined(error, args, kw) from None
            result = _of_one(f, args, kw)
        except Exception as error:
            raise error if tensors is None else tensors.refined(error, args, kw) from None
        return result if out is None else written(out, result)

    whole: Any = update_wrapper(call, f)
    if old:
        whole._takes_more = True
    return whole


def _recording(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a tensor, which may require a gradient."""

    def call(*args: Any, requires_grad: bool = False, **kw: Any) -> Any:
        made = f(*args, **kw)
        return dialect.wrapped(made._array).requires_grad_() if requires_grad else made

    return update_wrapper(call, f)


def _of_tensors(f: Callable[..., Any], tensors: Tensors | Several) -> Callable[..., Any]:
    """A function that refuses numbers where it takes tensors alone."""

    def call(*args: Any, **kw: Any) -> Any:
        if args:
            tensors.check(args)
        try:
            return f(*args, **kw)
        except Exception as error:
            raise tensors.refined(error, args, kw) from None

    return update_wrapper(call, f)


def _of_one(f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """Call a function with each 0-d tensor as a tensor of one element, and convert the results back."""
    args = tuple([ops.reshape(x, (1,)) if _no_dimensions(x) else x for x in args])
    kw = {name: ops.reshape(x, (1,)) if _no_dimensions(x) else x for name, x in kw.items()}
    return _each(lambda x: ops.reshape(x, ()) if x._array.shape == (1,) else x, f(*args, **kw))


def _no_dimensions(x: Any) -> bool:
    return type(x) is dialect.array and not x._array.ndim


def _each(f: Callable[[Any], Any], result: Any) -> Any:
    if type(result) is dialect.array:
        return f(result)
    if isinstance(result, tuple):
        values = [_each(f, x) for x in result]
        return type(result)(*values) if hasattr(result, "_fields") else tuple(values)
    return result


def with_slope_of(x: Any, y: Any) -> Any:
    """The numbers of one tensor, which have the derivatives of another of its shape; none where that is not finite."""
    step = ops.subtract(y, ops.stop_gradient(y))
    return ops.add(ops.stop_gradient(x), ops.where(ops.isfinite(y), step, 0))


def written(out: Any, result: Any) -> Any:
    """Write a result into ``out``, a tensor or a tuple of them, and return it.

    Raises
    ------
    TypeError: ``out`` is no tensor.
    RuntimeError: its dtype is of a lower category than the result's.
    """
    if isinstance(result, tuple):
        values = [written(o, x) for o, x in zip(out, result, strict=True)]
        return type(result)(*values) if hasattr(result, "_fields") else tuple(values)
    if type(out) is not dialect.array:
        raise TypeError(f"out must be a Tensor; got {type(out).__name__}")
    if not can_cast(result._array.dtype, out._array.dtype):
        raise RuntimeError(
            f"the result has {result.dtype} and out has torch.{out._array.dtype}, which is of a lower category. "
            f"Give an out of {result.dtype}"
        )
    if out._array.shape != result._array.shape:  # PyTorch resizes it
        array, held = ops.astype(result, out._array.dtype)._array, out._array
        held._data, held._sig = array._data, array._sig
        out._bind()
    elif out._array is not result._array:
        out[...] = result
    return out
