"""Functions that dispatchers call if they find no kernel, or if a kernel raises; `dispatch.misses` is this module.

Functions are given by name. A kernel that is made here is kept, so that the next call on operands of these signatures
finds it.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from ...core.registry import MISSING, OPS
from ...core.signature import Sig
from ...errors import NoDataError
from ...policy import current, kernels_of
from ..arrays.array import Array
from ..exchange.foreign import adapt, foreign
from ..exchange.foreign import as_operand as _as_operand
from ..exchange.output import written as write
from ..functions.without_data import forget_data
from ..functions.without_data import without_data as _without_data
from ..plans.advice import by_whom, called_as
from ..plans.conversion import key_plan
from ..shapes.extents import plain_axis
from . import dispatch, specialise
from .dispatch import Kernel, present
from .translate import translate as _translate
from .translate import translate_in_place as _translate_in_place

__all__ = ["by_whom", "foreign", "write"]


# --- kernels ----------------------------------------------------------------------------------------------------------


def kernel(name: str, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make the kernel of a function of one or two operands without options."""
    try:
        return specialise.specialise(OPS[name], operands)
    except Exception as error:
        called_as(name, error)
        raise


def kernel_of_operator(name: str, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
    """Make the kernel of an operator with an `Array` on the left."""
    return specialise.specialise_operator(OPS[name], operands)


def kernel_with_options(
    name: str, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any
) -> Kernel:
    """Make the kernel of a function with options, or of a sequence of arrays."""
    return specialise.specialise_options(OPS[name], operands, args, kw, dtype)


def kernel_with_named(name: str, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any) -> Kernel:
    """Make the kernel of a function that is given operands besides the leading ones."""
    return specialise.specialise_named(OPS[name], operands, kw, dtype)


def kernel_in_place(name: str, x1: Array, x2: Any) -> Callable[[Any, Any], Any]:
    """Make the kernel of ``x1 += x2``."""
    return specialise.specialise_in_place(OPS[name], x1, x2)


def assignment(x: Array) -> Callable[[Any, Any, Any], Any]:
    """Make the kernel of ``x[key] = value``."""
    forget_data(x)
    p = key_plan("setitem", x)
    kernels_of("setitem", current())[x._sig] = p.call
    return p.call


# --- operands and results ---------------------------------------------------------------------------------------------


def as_operand(name: str, x: Any) -> Array:
    """Make an `Array` of one operand, or raise the error that says what the function takes."""
    if x is MISSING:
        specialise.check_arguments(OPS[name], (), (), {})
    try:
        return _as_operand(OPS[name], x)
    except Exception as error:
        called_as(name, error)
        raise


def adapted(name: str, x: Array, value: Any) -> Array:
    """Make an operand beside an `Array` from a framework's own array or scalar."""
    pair = adapt(OPS["equal"], (x, value)) or (x, value)
    result: Array = pair[1]
    return result


def without_data(x: Array, key: Any) -> Array:
    """Take an array without its data, where an index array has none."""
    keys = key if isinstance(key, tuple) else (key,)
    found = _without_data((x, *[k for k in keys if isinstance(k, Array)]))
    if found is None:
        raise NoDataError("getitem: a position is asked of an array that has no data. Give an int")
    taken: Array = found[0]
    return taken


def plain_axes(name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Convert axes in the options to ints and tuples of ints; return None if they are so already, or are no axes."""
    o = OPS[name]
    taken = o.function.__annotations__
    words = ("tuple", "Sequence", "Axes")
    several = {n: any(word in taken.get(n, "") for word in words) for n in ("axis", "axes")}

    def plainly(n: str, option: Any) -> Any:
        if n not in several:
            return option
        alone = isinstance(option, int) and taken[n].startswith("Sequence")  # one axis, where there may be several
        return (option,) if alone else plain_axis(option, several[n])

    plain = tuple([plainly(n, a) for n, a in zip(o.by_position, args, strict=False)])
    named = {n: plainly(n, a) for n, a in kw.items()}
    same = all(map(operator.is_, plain, args)) and all(map(operator.is_, named.values(), kw.values()))
    return None if same else (plain, named)


# --- errors -----------------------------------------------------------------------------------------------------------


def translate(
    name: str, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]
) -> Exception:
    """Make the error to raise from a framework's own."""
    operands, kw = OPS[name].in_order(present(*operands), kw) or (operands, kw)
    try:
        return called_as(name, _translate(OPS[name], error, operands, args, kw))
    except Exception as own:
        called_as(name, own)
        raise


def translate_in_place(name: str, error: Exception, x1: Array, x2: Any) -> Exception:
    """Make the error to raise from a framework's own, of ``x1 += x2``."""
    return _translate_in_place(OPS[name], error, x1, x2)


dispatch.misses = sys.modules[__name__]
