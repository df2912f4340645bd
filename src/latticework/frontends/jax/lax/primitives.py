"""`jax.lax.exp_p` and kin: the primitives of functions of `jax.lax`, which programs ask for by name or `bind`."""

from __future__ import annotations

from typing import Any

from ..extend.core.primitives import Primitive
from . import elementwise, shaping

_NAMES = (
    "abs acos acosh add and asin asinh atan atan2 atanh cbrt ceil clamp complex conj cos cosh digamma div "
    "eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log log1p "
    "logistic lt max min mul ne neg not or pow population_count real rem round rsqrt select_n shift_left "
    "shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh xor"
).split()

_OURS = {"and": "bitwise_and", "or": "bitwise_or", "not": "bitwise_not", "xor": "bitwise_xor"}


def _made(name: str) -> Primitive:
    primitive = Primitive(name)
    ours = _OURS.get(name, name)
    f = next((getattr(chapter, ours) for chapter in (elementwise, shaping) if ours in chapter.__all__), None)
    if f is None:
        raise AttributeError(f"jax.lax.{name} is in no chapter")

    def impl(*args: Any, **params: Any) -> Any:
        return f(*args, params["y"]) if name == "integer_pow" else f(*args)

    primitive.def_impl(impl)
    return primitive


globals().update({f"{name}_p": _made(name) for name in _NAMES})
__all__ = [f"{name}_p" for name in _NAMES]
