"""Elementwise functions on PyTorch, and the exact ways round the dtypes that it has no kernels for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch

from ...backend.plain import NativeCall, comes_to
from ...backend.slopes import own_slopes as _own_slopes
from ...core.dtypes import Dtype, bool_, category, uint8, uint16, uint32, uint64
from .core import EMULATED, QUICKER, SIGNED, UNSIGNED, WIDER, scalar
from .kinks import with_slopes as _with_slopes
from .shared import recorded as _recorded

_forward = torch.autograd.forward_ad

_Function = Callable[..., Any]


def _emulate(name: str, dtypes: Iterable[Dtype], call: _Function) -> None:
    EMULATED.update({(name, dtype): call for dtype in dtypes})


_NATIVE_INTEGERS = [*category("signed integer"), uint8]

# --- arithmetic --------------------------------------------------------------------------------------------------

add = torch.add
subtract = torch.subtract
multiply = torch.multiply
divide = torch.divide
floor_divide = partial(torch.div, rounding_mode="floor")  # the same, and with a derivative
remainder = torch.remainder


def pow(x1: torch.Tensor, x2: Any) -> torch.Tensor:
    """Raise to a power. PyTorch's second derivatives for two tensors are wrong where one is 0."""
    r = torch.pow(x1, x2)
    if isinstance(x2, torch.Tensor) and (r.requires_grad or _forward._current_level >= 0):  # to save time
        x1 = x1 if isinstance(x1, torch.Tensor) else torch.full_like(x2, x1)
        return _differentiable_pow(x1, x2)
    return r


def _differentiable_pow(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Compute powers with right derivatives. The kernel's derivative by x1 is a constant 0 where x2 is 0: there powers
    of other numbers than 0 are ``exp(x2 * log(x1))``. Powers of 0 are constant where x2 is not negative. Those of a
    negative number have no slope by x2: 0 is taken, where the kernel has nan."""
    if not x1.is_complex():
        below = (x1 < 0) & (x2 == torch.round(x2))
        odd = below & (torch.remainder(x2, 2) == 1)
        result = _power_of_sizes(torch.where(below, -x1, x1), torch.where(below, x2.detach(), x2))
        return torch.where(odd, -result, result)
    return _power_of_sizes(x1, x2)


def _power_of_sizes(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    zero = x2 == 0
    x1 = torch.where(zero & ~(x1.abs() > 4 * torch.finfo(x1.dtype).tiny), 1, x1)  # nan and what has no reciprocal too
    base = x1 == 0
    flat = base & ((x2.real if x2.is_complex() else x2) >= 0)
    near = zero & (torch.isfinite(x1) if x1.is_complex() else (x1 > 0) & (x1 < math.inf))
    itself = base & (x2 == 1)
    others = near | flat
    result = torch.pow(torch.where(others, 1, x1), torch.where(others, 1, x2))
    result = torch.where(flat, torch.pow(x1, torch.where(itself, 2, x2).detach()), result)
    result = torch.where(near, torch.exp(torch.where(near, x2, 0) * torch.log(torch.where(near, x1, 1))), result)
    return torch.where(itself, x1, result)


pow.takes_scalars = True  # type: ignore[attr-defined]
comes_to(pow, lambda x1, x2: None if isinstance(x2, torch.Tensor) else (torch.pow, (x1, x2), {}))
QUICKER.update({("pow", dtype, "scalar"): torch.pow for dtype in category("floating")})  # by a number they are right
square = torch.square
reciprocal = torch.reciprocal
negative = torch.negative
positive = torch.clone  # torch.positive gives x itself, which then changes with it
abs = torch.abs
copysign = torch.copysign
nextafter = _with_slopes(torch.nextafter, lambda out, x1, x2: torch.ones_like(out))  # PyTorch's are 0 at equal numbers


def hypot(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Compute hypot, with derivatives 0 where both are 0: those of torch.hypot are nan."""
    if not _recorded(x1, x2):
        return torch.hypot(x1, x2)
    zero = (x1 == 0) & (x2 == 0)
    return torch.hypot(torch.where(zero, 1, x1), x2).masked_fill(zero, 0)


def sign(x: torch.Tensor) -> torch.Tensor:
    """Compute the sign: torch.sign gives 0 for nan. min(max(s, x), s) is s for any x but nan, which stays nan."""
    s = torch.sign(x)
    return torch.clamp(s, x.detach(), s)


_emulate("sign", _NATIVE_INTEGERS, torch.sign)
_emulate("sign", category("complex floating"), torch.sgn)


def _by_components(function: _Function) -> _Function:
    """Make a function that is applied to the real and the imaginary components, in one pass."""
    return lambda x: torch.view_as_complex(function(torch.view_as_real(x.resolve_conj())))


# torch subtracts complex numbers from zero, many at a time, which makes 0 of 0 instead of -0.
_emulate("negative", category("complex floating"), _by_components(torch.negative))

# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = torch.exp
expm1 = torch.expm1
log = torch.log
log1p = torch.log1p
log2 = torch.log2
log10 = torch.log10


def logaddexp(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Compute logaddexp, beside infinities as the maximum: equal ones have a half of the derivative each. PyTorch's
    derivative is nan there, and its second one beside one infinity."""
    if not _recorded(x1, x2):
        return torch.logaddexp(x1, x2)
    infinite = torch.isinf(x1) | torch.isinf(x2)
    found = torch.logaddexp(torch.where(infinite, 0, x1), torch.where(infinite, 0, x2))
    return torch.where(infinite, torch.maximum(x1, x2), found)


_own_slopes(logaddexp, torch.logaddexp)
sqrt = torch.sqrt
sin = torch.sin
cos = torch.cos
tan = torch.tan
asin = torch.asin
acos = torch.acos
atan = torch.atan


def atan2(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Compute atan2, with the slope 0 where both are 0 in forward mode too: PyTorch's is nan there."""
    if _forward._current_level < 0:
        return torch.atan2(x1, x2)
    zero = (x1 == 0) & (x2 == 0)
    angle = torch.atan2(torch.where(zero, 0, x1), torch.where(zero, 1, x2))
    return torch.where(zero, torch.atan2(x1.detach(), x2.detach()), angle)


_own_slopes(atan2, torch.atan2)
sinh = torch.sinh
cosh = torch.cosh
tanh = torch.tanh
asinh = torch.asinh
acosh = torch.acosh
atanh = torch.atanh

# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = torch.ceil
floor = torch.floor
trunc = torch.trunc
round = torch.round
maximum = torch.maximum
minimum = torch.minimum


def _plain_clip(x: torch.Tensor, low: Any, high: Any) -> NativeCall | None:
    if not (type(low) is type(high) is float and x.is_floating_point()):
        return None
    most = torch.finfo(x.dtype).max
    return (torch.clamp, (x, low, high), {}) if -most <= low <= most and -most <= high <= most else None


def _clip(x: torch.Tensor, low: Any, high: Any) -> torch.Tensor:
    """Clip by torch.clamp, which takes two tensors or two numbers, these in a quarter of the time."""
    if not isinstance(low, torch.Tensor) and not isinstance(high, torch.Tensor):
        try:
            return torch.clamp(x, low, high)
        except (RuntimeError, OverflowError):  # a number beyond the dtype, which is infinite in it
            pass
    make = scalar(x.dtype)
    low, high = (bound if isinstance(bound, torch.Tensor) else make(bound).to(x.device) for bound in (low, high))
    if low.shape != high.shape:  # PyTorch's derivative is an error where x and low are smaller than high
        low, high = torch.broadcast_tensors(low, high)
    return torch.clamp(x, low, high)


comes_to(_clip, _plain_clip)


def _clip_in_two(x: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    return torch.minimum(torch.maximum(x, low), high)


_emulate("_clip", [bool_], _clip_in_two)  # clamp has no kernel for bool


_emulate("round", category("complex floating"), _by_components(torch.round))

# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

equal = torch.eq
not_equal = torch.ne
less = torch.lt
less_equal = torch.le
greater = torch.gt
greater_equal = torch.ge
isfinite = torch.isfinite
isinf = torch.isinf
isnan = torch.isnan
signbit = torch.signbit
logical_and = torch.logical_and
logical_or = torch.logical_or
logical_xor = torch.logical_xor
logical_not = torch.logical_not
bitwise_and = torch.bitwise_and
bitwise_or = torch.bitwise_or
bitwise_xor = torch.bitwise_xor
bitwise_invert = torch.bitwise_not
bitwise_left_shift = torch.bitwise_left_shift
bitwise_right_shift = torch.bitwise_right_shift

# --- complex numbers ---------------------------------------------------------------------------------------------

real = torch.real
imag = torch.imag
conj = torch.conj_physical  # torch.conj only marks the tensor, which views and DLPack then refuse

_emulate("imag", category("real numeric"), torch.zeros_like)
_emulate("conj", category("real numeric"), torch.clone)  # conj_physical gives x itself

# --- integers: division and powers -------------------------------------------------------------------------------


def _divided(divide: _Function) -> _Function:
    """Make a division with 0 for an integer divided by zero, like NumPy; torch raises on the CPU, but not on a GPU."""

    def run(x1: torch.Tensor, x2: Any) -> torch.Tensor:
        if (x1 if isinstance(x1, torch.Tensor) else x2).is_cpu or (not isinstance(x2, torch.Tensor) and x2):
            try:
                return divide(x1, x2)
            except RuntimeError as error:
                if "ZeroDivision" not in str(error):
                    raise
        if not isinstance(x2, torch.Tensor):
            return torch.zeros_like(x1)
        zero = x2 == 0
        return divide(x1, torch.where(zero, 1, x2)).masked_fill_(zero, 0)

    run.takes_scalars = True  # type: ignore[attr-defined]
    return run


def _integer_power(x1: torch.Tensor, x2: Any) -> torch.Tensor:
    """Raise to a power, and refuse negative ones: torch silently makes 0 of them, unless the exponent is a Python
    scalar. That one it refuses for an array without elements too."""
    negative = not x2.is_meta and bool((x2 < 0).any()) if isinstance(x2, torch.Tensor) else x2 < 0
    if negative:
        if isinstance(x1, torch.Tensor) and not x1.numel():
            return torch.mul(x1, x2)  # the dtype and shape of the power
        raise ValueError("integers have no negative powers. Cast one to a floating dtype: lw.astype(x, lw.float32)")
    return torch.pow(x1, x2)


_integer_power.takes_scalars = True  # type: ignore[attr-defined]
_floor_divide, _remainder = _divided(torch.floor_divide), _divided(torch.remainder)

_emulate("floor_divide", _NATIVE_INTEGERS, _floor_divide)
_emulate("remainder", _NATIVE_INTEGERS, _remainder)
_emulate("pow", category("signed integer"), _integer_power)

# --- uint16, uint32, uint64: no kernels for most of them ----------------------------------------------------------


def _signed(x: torch.Tensor) -> torch.Tensor:
    """View x as the signed dtype of the same width; nothing is computed."""
    return x.view(SIGNED[x.dtype])


def _ordered(x: torch.Tensor) -> torch.Tensor:
    """Return a signed array in the order of the unsigned one: with the highest bit flipped."""
    s = _signed(x)
    return s ^ torch.iinfo(s.dtype).min


def _by_bits(function: _Function) -> _Function:
    """Make an unsigned function of a signed one with the same result bits: sums, products, shifts to the left."""
    return lambda *xs: function(*map(_signed, xs)).view(xs[0].dtype)


def _by_order(function: _Function) -> _Function:
    """Make a comparison of unsigned arrays."""
    return lambda x1, x2: function(_ordered(x1), _ordered(x2))


def _by_order_of(function: _Function) -> _Function:
    """Make a function of unsigned arrays that picks one of its operands."""

    def run(*xs: torch.Tensor) -> torch.Tensor:
        picked = function(*map(_ordered, xs))
        return picked.bitwise_xor_(torch.iinfo(picked.dtype).min).view(xs[0].dtype)

    return run


def _in_wider(function: _Function) -> _Function:
    """Make a function of unsigned arrays that computes in a signed dtype that holds their values."""
    return lambda x1, x2: function(x1.to(WIDER[x1.dtype]), x2.to(WIDER[x2.dtype])).to(x1.dtype)


def _shifted_right(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Shift by one place, clear the sign bit, then shift by the rest. A shift by 2**63 or more is negative here."""
    half = (x1 >> 1) & torch.iinfo(torch.int64).max
    return torch.where(x2 == 0, x1, half >> (x2 - 1))


def _quotient(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Divide int64 that stand for uint64: halve, divide, double, and add the 1 that may be missing."""
    half = (x1 >> 1) & torch.iinfo(torch.int64).max
    large = x2 < 0  # a divisor of 2**63 or more goes once or not at all
    quotient = torch.div(half, torch.where(large, 1, x2), rounding_mode="trunc").masked_fill_(large, 0) << 1
    lowest = torch.iinfo(torch.int64).min
    return quotient + ((x1 - quotient * x2) ^ lowest >= x2 ^ lowest)


def _rest(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    return x1 - _quotient(x1, x2) * x2


def _power(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    """Raise int64 that stand for uint64. Odd numbers to the 2**62 are 1, even ones 0: large exponents are reduced."""
    return torch.pow(x1, torch.where(x2 < 0, x2 & (2**62 - 1) | 2**62, x2))


_emulate("abs", UNSIGNED, torch.clone)
_emulate("sign", UNSIGNED, lambda x: (x != 0).to(x.dtype))
_emulate("negative", UNSIGNED, _by_bits(torch.negative))
_emulate("square", UNSIGNED, _by_bits(torch.square))
_emulate("add", UNSIGNED, _by_bits(torch.add))
_emulate("subtract", UNSIGNED, _by_bits(torch.subtract))
_emulate("multiply", UNSIGNED, _by_bits(torch.multiply))
_emulate("bitwise_invert", UNSIGNED, _by_bits(torch.bitwise_not))
_emulate("bitwise_left_shift", UNSIGNED, _by_bits(torch.bitwise_left_shift))
_emulate("less", UNSIGNED, _by_order(torch.lt))
_emulate("less_equal", UNSIGNED, _by_order(torch.le))
_emulate("greater", UNSIGNED, _by_order(torch.gt))
_emulate("greater_equal", UNSIGNED, _by_order(torch.ge))
_emulate("maximum", UNSIGNED, _by_order_of(torch.maximum))
_emulate("minimum", UNSIGNED, _by_order_of(torch.minimum))
_emulate("_clip", UNSIGNED, _by_order_of(torch.clamp))

_emulate("floor_divide", [uint16, uint32], _in_wider(_floor_divide))
_emulate("remainder", [uint16, uint32], _in_wider(_remainder))
_emulate("bitwise_right_shift", [uint16, uint32], _in_wider(torch.bitwise_right_shift))
# Powers need not fit the wider dtype: their lower bits are those of the powers in the narrower one.
_emulate("pow", [uint16, uint32], _in_wider(torch.pow))

_emulate("floor_divide", [uint64], _by_bits(_divided(_quotient)))
_emulate("remainder", [uint64], _by_bits(_divided(_rest)))
_emulate("bitwise_right_shift", [uint64], _by_bits(_shifted_right))
_emulate("pow", [uint64], _by_bits(_power))
