"""Special functions on PyTorch, floats of 16 bits in float32."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ...backend.series import I1, polynomial
from .shared import recorded as _recorded
from .shared import with_derivatives_of as _with_derivatives_of

_NARROW = (torch.float16, torch.bfloat16)


def _wide(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Make a function in float32 for 16 bits: some kernels take no such floats, and others compute in them."""

    def call(*operands: torch.Tensor) -> torch.Tensor:
        dtype = operands[0].dtype
        if dtype not in _NARROW:
            return function(*operands)
        return function(*[x.to(torch.float32) for x in operands]).to(dtype)

    call.__name__ = call.__qualname__ = function.__name__
    return call


erf = torch.special.erf
erfc = torch.special.erfc
erfinv = torch.special.erfinv
ndtri = _wide(torch.special.ndtri)
gammaln = _wide(torch.special.gammaln)
digamma = _wide(torch.special.digamma)
zeta = _wide(torch.special.zeta)
gammainc = _wide(torch.special.gammainc)
gammaincc = _wide(torch.special.gammaincc)
expit = torch.special.expit
logit = torch.special.logit
entr = torch.special.entr
i0 = _wide(torch.special.i0)
i0e = _wide(torch.special.i0e)
i1e = _wide(torch.special.i1e)


#: Laplace's series of the tail of the normal distribution, times size * exp(size**2 / 2), in 1 / size**2, the last
#: term first.
_TAIL = [(-1.0) ** k * math.prod(range(1, 2 * k, 2)) for k in range(10, -1, -1)]


@_wide
def log_ndtr(x: torch.Tensor) -> torch.Tensor:
    """Compute log_ndtr. The derivative of torch.special.log_ndtr loses its digits below -20, in float32 below -8: there
    it is that of a series."""
    found = torch.special.log_ndtr(x)
    if not _recorded(x):
        return found
    edge = 8.0 if x.dtype == torch.float32 else 20.0
    far = x < -edge
    size = torch.where(far, -x, edge)
    tail = torch.log(polynomial(torch.square(1 / size), _TAIL) / size) - torch.square(size) / 2
    rest = (found - tail).detach()
    tail = tail + torch.where(torch.isfinite(rest), rest, 0)  # far below, both are -inf
    return torch.where(far, tail, torch.special.log_ndtr(torch.where(far, -edge, x)))


@_wide
def i1(x: torch.Tensor) -> torch.Tensor:
    """Compute i1. The second derivative of torch.special.i1 cancels near 0: the series' is used there."""
    if not _recorded(x):
        return torch.special.i1(x)
    near = x.abs() < 1
    small = torch.where(near, x, 0)
    series = _with_derivatives_of(small * polynomial(torch.square(small), I1), torch.special.i1(small))
    return torch.where(near, series, torch.special.i1(torch.where(near, 1, x)))


def xlogy(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Compute xlogy. The derivative by y of 0 times an infinite logarithm is 0; that of torch.special.xlogy is nan."""
    if _recorded(x, y):
        y = torch.where((x == 0) & ((y <= 0) | (y == torch.inf)), 1, y)
    return torch.special.xlogy(x, y)


def xlog1py(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Like `xlogy`: the derivative by y of 0 times an infinite logarithm is 0."""
    if _recorded(x, y):
        y = torch.where((x == 0) & ((y <= -1) | (y == torch.inf)), 0, y)
    return torch.special.xlog1py(x, y)
