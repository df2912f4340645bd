"""The primitive of `jax.lax.stop_gradient`."""

from __future__ import annotations

from ..extend.core.primitives import Primitive
from ..interpreters.ad import Zero, instantiate_zeros, zeros_like_aval
from ..lax import stop_gradient

__all__ = ["Zero", "instantiate_zeros", "stop_gradient_p", "zeros_like_aval"]

stop_gradient_p = Primitive("stop_gradient")
stop_gradient_p.def_impl(stop_gradient)
