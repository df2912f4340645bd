"""Random numbers on PyTorch: Threefry-2x32 in int32, which wraps around as uint32 does.

NumPy computes for tensors in memory that it can read: it has uint32, and goes block by block through the cache.
PyTorch's own functions compute where a transformation traces, and on other devices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...backend import rejection
from ...backend.rejection import PARITY, ROTATIONS
from ..numpy import random as on_numpy
from ..numpy.core import BFLOAT16
from .shared import at_hand as _at_hand
from .shared import recorded as _recorded
from .shared import to_numpy as _numpy
from .shared import to_tensor as _tensor

_SIGNED = {torch.uint8: torch.uint8, torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
_NUMPY = {
    torch.uint8: np.dtype("uint8"), torch.uint16: np.dtype("uint16"), torch.uint32: np.dtype("uint32"),
    torch.uint64: np.dtype("uint64"), torch.float16: np.dtype("float16"), torch.float32: np.dtype("float32"),
    torch.float64: np.dtype("float64"), torch.bfloat16: BFLOAT16,
}  # fmt: skip


def threefry(k0: Tensor, k1: Tensor, x0: Tensor, x1: Tensor) -> tuple[Tensor, Tensor]:
    """Compute Threefry-2x32 of counters by keys, which broadcast. All are int32."""
    keys = [k0, k1, k0 ^ k1 ^ PARITY]
    x0, x1 = torch.broadcast_tensors(x0 + k0, x1 + k1)
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x0 = x0 + x1
            x1 = ((x1 << r) | ((x1 >> (32 - r)) & ((1 << r) - 1))) ^ x0  # >> shifts the sign in
        x0 = x0 + keys[(i + 1) % 3]
        x1 = x1 + keys[(i + 2) % 3] + (i + 1)
    return x0, x1


def _words(key: Tensor) -> tuple[Tensor, Tensor]:
    signed = key.view(torch.int32)
    return signed[0], signed[1]


def _counters(n: int, device: Any) -> tuple[Tensor, Tensor]:
    index = torch.arange(n, device=device, dtype=torch.int64)
    return (index >> 32).to(torch.int32), index.to(torch.int32)


Finish = Callable[..., Tensor]


def _drawn(shape: Any, key: Tensor, dtype: torch.dtype, finish: Finish, numpys: Any, device: Any) -> Tensor:
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if _at_hand(key):
        result = _tensor(numpys(shape, _numpy(key), dtype=_NUMPY[dtype]))
    else:
        words = threefry(*_words(key), *_counters(math.prod(shape), key.device))
        result = finish(*words, dtype).reshape(shape)
    return result if device is None else result.to(device)


# --- from words to numbers -----------------------------------------------------------------------------------------


def as_bits(w0: Tensor, w1: Tensor, dtype: torch.dtype) -> Tensor:
    """Return bits of an unsigned dtype."""
    return _signed_bits(w0, w1, dtype).view(dtype)


def _signed_bits(w0: Tensor, w1: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype is torch.uint64:
        return (w0.to(torch.int64) << 32) | (w1.to(torch.int64) & 0xFFFFFFFF)
    return (w0 ^ w1).to(_SIGNED[dtype])


def as_unit(w0: Tensor, w1: Tensor, dtype: torch.dtype) -> Tensor:
    """Return numbers in [0, 1), multiples of the spacing of the dtype's numbers from 1 to 2."""
    if dtype is torch.float64:
        return ((_signed_bits(w0, w1, torch.uint64) >> 12) & (2**52 - 1)).to(dtype) * 2.0**-52
    shift, digits = {torch.float32: (9, 23), torch.float16: (6, 10), torch.bfloat16: (1, 7)}[dtype]
    return (((w0 ^ w1) >> shift) & (2**digits - 1)).to(dtype) * 2.0**-digits


def as_normal(w0: Tensor, w1: Tensor, dtype: torch.dtype) -> Tensor:
    """Return numbers of the standard normal distribution."""
    info = torch.finfo(dtype)
    low = -1 + info.eps / 2
    scale = 2.0 if dtype is not torch.float64 else 1 - low
    u = torch.clamp(as_unit(w0, w1, dtype) * scale + low, min=low)
    return _erfinv(u) * math.sqrt(2)


# --- creation ------------------------------------------------------------------------------------------------------


def _bits(shape: Any, key: Tensor, *, dtype: torch.dtype, device: Any) -> Tensor:
    return _drawn(shape, key, dtype, as_bits, on_numpy._bits, device)


def _unit(shape: Any, key: Tensor, *, dtype: torch.dtype, device: Any) -> Tensor:
    return _drawn(shape, key, dtype, as_unit, on_numpy._unit, device)


def _gauss(shape: Any, key: Tensor, *, dtype: torch.dtype, device: Any) -> Tensor:
    return _drawn(shape, key, dtype, as_normal, on_numpy._gauss, device)


def _split(shape: Any, key: Tensor, *, dtype: torch.dtype, device: Any) -> Tensor:
    if _at_hand(key):
        result = _tensor(on_numpy._split(shape, _numpy(key), dtype=None))
    else:
        words = threefry(*_words(key), *_counters(math.prod(shape[:-1]), key.device))
        result = torch.stack(words, -1).view(dtype).reshape(shape)
    return result if device is None else result.to(device)


def _fold(shape: Any, key: Tensor, data: Tensor, *, dtype: torch.dtype, device: Any) -> Tensor:
    x1 = data.view(torch.int32)
    result = torch.stack(threefry(*_words(key), torch.zeros_like(x1), x1)).view(torch.uint32)
    return result if device is None else result.to(device)


# --- by rejection --------------------------------------------------------------------------------------------------


class _Kit(rejection.Kit):
    """PyTorch's functions for the samplers, of elements along one axis. Words are tensors of int32."""

    log, log1p, exp, sqrt = torch.log, torch.log1p, torch.exp, torch.sqrt
    floor, ceil, abs, lgamma = torch.floor, torch.ceil, torch.abs, torch.lgamma
    where = staticmethod(torch.where)
    threefry, unit, normal = staticmethod(threefry), staticmethod(as_unit), staticmethod(as_normal)
    full = staticmethod(torch.full_like)

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def fixed(self, i: int) -> Tensor:
        return torch.tensor(i, dtype=torch.int32, device=self.device)

    @staticmethod
    def take(table: tuple[float, ...], at: Tensor) -> Tensor:
        return torch.tensor(table, dtype=at.dtype, device=at.device)[at.to(torch.int64).clamp(0, len(table) - 1)]

    @staticmethod
    def loop(active: Any, step: Any, carry: Any, state: Any, constants: Any) -> Any:
        """Go on with all elements until none is active; elements that are done stay as they are."""
        while True:
            going = active(state, constants)
            if not _any(going):
                return carry, state
            carry, found = step(carry, state, constants)
            state = tuple([torch.where(going, new, old) for new, old in zip(found, state, strict=True)])


def _any(x: Tensor) -> bool:
    """Return whether any element is true; under a transformation of torch.func, of any array that x stands for."""
    while torch._C._functorch.is_functorch_wrapped_tensor(x):
        x = torch._C._functorch.get_unwrapped(x)
    return bool(x.any())


def _sampled(sample: Any, numpys: Any, key: Tensor, *params: Tensor) -> Tensor:
    params = torch.broadcast_tensors(*params)
    first = params[0]
    if _at_hand(key, *params):
        return _tensor(numpys(*map(_numpy, params), _numpy(key)))
    computed = torch.promote_types(first.dtype, torch.float32)
    index = _counters(first.numel(), first.device)
    flat = [p.detach().to(computed).reshape(-1) for p in params]
    return sample(_Kit(first.device), _words(key), index, *flat, computed).to(first.dtype).reshape(first.shape)


def _gamma(a: Tensor, key: Tensor, *, log: bool = False) -> Tensor:
    found = _sampled(partial(rejection.gamma, log=log), partial(on_numpy._gamma, log=log), key, a.detach())
    return _Samples.apply(a, found, log) if _recorded(a) else found


class _Samples(torch.autograd.Function):  # type: ignore[misc]  # PyTorch tells no type
    """Samples of the gamma distribution, or their logarithms, with the derivative by a of numbers at which the
    distribution function stays the same. PyTorch has no second derivative, and says so."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor, samples: Tensor, log: bool) -> Tensor:
        return samples.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        a, samples, ctx.log = inputs
        ctx.save_for_backward(a, samples)
        ctx.save_for_forward(a, samples)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Any, ...]:
        a, samples = ctx.saved_tensors
        return cotangent * _slope(a, samples, ctx.log), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Tensor:
        a, samples = ctx.saved_tensors
        return tangent * _slope(a, samples, ctx.log)


def _slope(a: Tensor, samples: Tensor, log: bool) -> Tensor:
    given, dtype = a.dtype, torch.promote_types(a.dtype, torch.float32)
    a, samples = a.to(dtype), samples.to(dtype)
    if not log:
        return torch._standard_gamma_grad(a, samples).to(given)
    small = samples < rejection.SMALL_LOGARITHM
    numbers = torch.exp(torch.where(small, 0, samples))
    near_0 = (torch.special.digamma(a + 1) - samples) / a
    return torch.where(small, near_0, torch._standard_gamma_grad(a, numbers) / numbers).to(given)


def _poisson(lam: Tensor, key: Tensor) -> Tensor:
    return _sampled(rejection.poisson, on_numpy._poisson, key, lam)


def _binomial(n: Tensor, p: Tensor, key: Tensor) -> Tensor:
    return _sampled(rejection.binomial, on_numpy._binomial, key, n, p)


# --- special functions ---------------------------------------------------------------------------------------------

_erf = torch.erf


def _erfinv(x: Tensor) -> Tensor:
    """Compute erfinv. Branches not taken have finite derivatives: an infinity there times 0 would be nan."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    ends = wide.abs() == 1
    inside = torch.where(ends, 0.0, wide)
    result = rejection.erfinv(inside, torch.log1p, _root, torch.where, double=wide.dtype is torch.float64)
    return torch.where(ends, wide.detach() * math.inf, result).to(x.dtype)


def _root(w: Tensor) -> Tensor:
    return torch.sqrt(torch.clamp(w, min=1e-30))


# --- with a state --------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: PyTorch's generator."""

    def __init__(self, sequence: Any, device: Any = None) -> None:
        self.device = torch.get_default_device() if device is None else torch.device(device)
        self.native = torch.Generator(self.device)
        self.native.manual_seed(int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1)))

    def state(self) -> dict[str, Any]:
        return {"state": self.native.get_state().numpy().copy()}

    def restore(self, state: dict[str, Any]) -> None:
        self.native.set_state(torch.from_numpy(np.array(state["state"])))

    def unit(self, shape: Any, dtype: torch.dtype) -> Tensor:
        return torch.rand(shape, generator=self.native, dtype=dtype, device=self.device)

    def normal(self, shape: Any, dtype: torch.dtype) -> Tensor:
        return torch.randn(shape, generator=self.native, dtype=dtype, device=self.device)

    def exponential(self, shape: Any, dtype: torch.dtype) -> Tensor:
        return torch.empty(shape, dtype=dtype, device=self.device).exponential_(generator=self.native)

    def integers(self, low: int, high: int, shape: Any, dtype: torch.dtype) -> Tensor:
        wide = torch.randint(low, high, shape, generator=self.native, dtype=torch.int64, device=self.device)
        return wide.to(dtype)

    def gamma(self, a: Tensor) -> Tensor:
        found = torch._standard_gamma(a, generator=self.native)
        return torch.where(a == a, found, a)  # for nan, PyTorch draws the least number

    def poisson(self, lam: Tensor) -> Tensor:
        return torch.poisson(lam, generator=self.native)

    def binomial(self, n: Tensor, p: Tensor) -> Tensor:
        return torch.binomial(n.contiguous(), p.contiguous(), generator=self.native)

    def permutation(self, n: int) -> Tensor:
        return torch.randperm(n, generator=self.native, device=self.device)
