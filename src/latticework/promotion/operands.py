"""Operands as rules take them: arrays with the facts that the rules look at, dtypes, scalars, types."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..core.dtypes import SCALAR_KINDS, SCALARS, Dtype, as_dtype, plain_scalar
from .rules import Operand

if TYPE_CHECKING:
    from .rules import Default, Rules

#: Python's scalar types, which read the value of a 0-d array.
_BUILTIN = (bool, int, float, complex)


def operand(x: Any, rules: Rules, default: Default) -> Any:
    """Make an operand: a `Dtype` of a dtype, an `Operand` of an array; a Python scalar stays as it is.

    Parameters
    ----------
    x: an lw.Array, a framework's array, a dtype in any form, an `Operand`, a Python scalar or a type of one.
    rules: the rules. The value of an array is read only where they look at it.
    default: the default dtypes.
    """
    if type(x) is Dtype or isinstance(x, Operand) or type(x) in SCALAR_KINDS:
        return x
    if isinstance(x, type) and x in SCALAR_KINDS:
        return rules.scalar_type(x, default)
    if isinstance(x, SCALARS) and not hasattr(x, "dtype"):
        return plain_scalar(x)
    if rules.numpy_operands and is_numpy_scalar(x):
        return as_number(x, rules)
    if isinstance(x, (str, type)) or not hasattr(x, "dtype"):
        return as_dtype(x)
    zero_dim = getattr(x, "ndim", 1) == 0
    value = None
    if "value" in rules.needs and zero_dim:
        value = next(t(x) for t in _BUILTIN if as_dtype(x.dtype).kind in SCALAR_KINDS[t] + "u" * (t is int))
    return Operand(as_dtype(x.dtype), zero_dim, bool(_weak(x)), value)


def is_numpy_scalar(x: Any) -> bool:
    """Return whether x is a NumPy scalar. Imports nothing: whoever has a scalar has NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.generic)


def as_number(x: Any, rules: Rules) -> Any:
    """Return the Python number that a NumPy scalar counts as under some rules; other scalars stay as they are."""
    value = x.item()
    return rules.number(value) if type(value) in SCALAR_KINDS else x


def _weak(x: Any) -> bool:
    """Return the weak flag of an lw.Array, or of a JAX array, alone or inside an lw.Array."""
    # Not `x.data`, a property that NumPy's arrays have too and that fails for bfloat16.
    return getattr(x, "weak", False) is True or getattr(getattr(x, "_data", x), "weak_type", False) is True
