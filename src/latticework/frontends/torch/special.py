"""PyTorch's ``torch.special``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import elementwise
from .core import complete, ops

#: Functions that are latticework's by another name, see `renaming`.
_TABLE = """
(input, *, out=None)
    digamma=special.digamma entr=special.entr erf=special.erf erfc=special.erfc erfinv=special.erfinv exp2 expm1
    gammaln=special.gammaln i0=special.i0 i0e=special.i0e i1=special.i1 i1e=special.i1e log1p
    log_ndtr=special.log_ndtr modified_bessel_i0=special.i0 modified_bessel_i1=special.i1 ndtr=special.ndtr
    ndtri=special.ndtri psi=special.digamma sinc
(input, other, *, out=None)
    xlog1py=special.xlog1py xlogy=special.xlogy zeta=special.zeta
"""

# fmt: off

def expit(input, *, out=None): return ops.special.expit(input)
def gammainc(input, other, *, out=None): return ops.special.gammainc(input, other)
def gammaincc(input, other, *, out=None): return ops.special.gammaincc(input, other)
def logit(input, eps=None, *, out=None): return elementwise.logit(input, eps)
def multigammaln(input, p, *, out=None): return elementwise.mvlgamma(input, p)
def polygamma(n, input, *, out=None): return elementwise.polygamma(n, input)
# fmt: on


def round(input, *, out=None):
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"round is not implemented for {input.dtype}")
    return elementwise.round(input)


def erfcx(input, *, out=None):
    """``exp(x ** 2) * erfc(x)``, by the normal distribution's logarithm, which does not overflow."""
    tail = ops.special.log_ndtr(ops.multiply(input, -(2**0.5)))
    return ops.multiply(ops.exp(ops.add(ops.multiply(input, input), tail)), 2)


def _cast(input: Any, dtype: Any) -> Any:
    input = input if dtype is None else input._to(dtype)
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"softmax is not implemented for {input.dtype}. Give a dtype")
    return input


def softmax(input, dim, *, dtype=None):
    return ops.softmax(_cast(input, dtype), dim)


def log_softmax(input, dim, *, dtype=None):
    return ops.nn.log_softmax(_cast(input, dtype), dim)


def logsumexp(input, dim, keepdim=False, *, out=None):
    from .reductions import logsumexp

    return logsumexp(input, dim, keepdim)


complete(globals(), _TABLE, scalars="softmax log_softmax logsumexp", view="torch.special")

if TYPE_CHECKING:  # the names of the table are given to this module when it is imported

    def __getattr__(name: str) -> Any: ...
