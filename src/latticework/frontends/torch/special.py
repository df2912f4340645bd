"""PyTorch's ``torch.special``."""

from __future__ import annotations

from typing import Any

from . import elementwise
from .core import complete, ops

# fmt: off
__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc",
    "gammaln", "i0", "i0e", "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp",
    "modified_bessel_i0", "modified_bessel_i1", "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round",
    "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]

def digamma(input, *, out=None): return ops.special.digamma(input)
def entr(input, *, out=None): return ops.special.entr(input)
def erf(input, *, out=None): return ops.erf(input)
def erfc(input, *, out=None): return ops.special.erfc(input)
def erfinv(input, *, out=None): return ops.special.erfinv(input)
def exp2(input, *, out=None): return ops.exp2(input)
def expit(input, *, out=None): return ops.special.expit(input)
def expm1(input, *, out=None): return ops.expm1(input)
def gammainc(input, other, *, out=None): return ops.special.gammainc(input, other)
def gammaincc(input, other, *, out=None): return ops.special.gammaincc(input, other)
def gammaln(input, *, out=None): return ops.special.gammaln(input)
def i0(input, *, out=None): return ops.special.i0(input)
def i0e(input, *, out=None): return ops.special.i0e(input)
def i1(input, *, out=None): return ops.special.i1(input)
def i1e(input, *, out=None): return ops.special.i1e(input)
def log1p(input, *, out=None): return ops.log1p(input)
def log_ndtr(input, *, out=None): return ops.special.log_ndtr(input)
def logit(input, eps=None, *, out=None): return elementwise.logit(input, eps)
def modified_bessel_i0(input, *, out=None): return ops.special.i0(input)
def modified_bessel_i1(input, *, out=None): return ops.special.i1(input)
def multigammaln(input, p, *, out=None): return elementwise.mvlgamma(input, p)
def ndtr(input, *, out=None): return ops.special.ndtr(input)
def ndtri(input, *, out=None): return ops.special.ndtri(input)
def polygamma(n, input, *, out=None): return elementwise.polygamma(n, input)
def psi(input, *, out=None): return ops.special.digamma(input)
def sinc(input, *, out=None): return ops.sinc(input)
def xlog1py(input, other, *, out=None): return ops.special.xlog1py(input, other)
def xlogy(input, other, *, out=None): return ops.special.xlogy(input, other)
def zeta(input, other, *, out=None): return ops.special.zeta(input, other)
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


complete(
    globals(),
    quick="expit=special.expit expm1 exp2 log1p",
    scalars="softmax log_softmax logsumexp",
    view="torch.special",
)
