"""`Transform`, its compositions, and the transforms of single numbers."""

from __future__ import annotations

from functools import reduce
from math import log
from numbers import Number
from operator import add
from typing import TYPE_CHECKING, Any

from ... import torch
from . import constraints
from .distribution import forwarded, of_axes
from .utils import broadcast_all, lazy_property, sum_rightmost

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "CumulativeDistributionTransform", "ExpTransform",
    "IndependentTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
    "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """A differentiable function with an inverse and the logarithm of its volume change.

    A class has `_call`, `_inverse` and `log_abs_det_jacobian`.

    Parameters
    ----------
    cache_size: 1 to keep the latest argument and value, so that the inverse of that value is the argument itself.

    Attributes
    ----------
    domain, codomain: the constraints of arguments and values.
    bijective: whether ``t.inv(t(x)) == x`` and ``t(t.inv(y)) == y``.
    sign: 1 or -1, whether a function of one number grows or falls.
    """

    bijective: Any = False
    domain: Any
    codomain: Any
    #: The attributes that the constructor takes beside the size of the cache, and those that tell equal transforms.
    _own: tuple[str, ...] = ()
    _compared: tuple[str, ...] = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What a class sets."""

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: Any = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """The number of axes of an argument, if a value has as many."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """The inverse transform."""
        if self._inv is None:
            self._inv = self._inverted()
        return self._inv

    def _inverted(self) -> Any:
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """Whether the function grows, 1, or falls, -1."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """Make the transform with a cache, or return it if it has one."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is not Transform.__init__ and not self._own:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        make: Any = type(self)
        return make(*[getattr(self, name) for name in self._own], cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or self is other:
            return self is other
        if self._compared:
            return all(bool(torch.as_tensor(getattr(self, n) == getattr(other, n)).all()) for n in self._compared)
        return type(self).__init__ is Transform.__init__ and type(self) is not Transform  # it has no parameters

    __hash__ = object.__hash__

    def __call__(self, x: Any) -> Any:
        """Compute the value of the transform."""
        if not self._cache_size:
            return self._call(x)
        if x is not self._cached_x_y[0]:
            self._cached_x_y = (x, self._call(x))
        return self._cached_x_y[1]

    def _inv_call(self, y: Any) -> Any:
        if not self._cache_size:
            return self._inverse(y)
        if y is not self._cached_x_y[1]:
            self._cached_x_y = (self._inverse(y), y)
        return self._cached_x_y[0]

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Compute the logarithm of the absolute determinant of the Jacobian, at an argument and its value."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the value of an argument with a shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the argument of a value with a shape."""
        return shape


class _InverseTransform(Transform):
    """The inverse of a transform, which keeps the cache of both."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    domain, codomain = forwarded("_inv.codomain"), forwarded("_inv.domain")
    bijective, sign = forwarded("_inv.bijective"), forwarded("_inv.sign")

    _compared = ("_inv",)
    __getstate__ = lambda self: self.__dict__
    with_cache = lambda self, cache_size=1: self._inv.with_cache(cache_size).inv
    __call__ = lambda self, x: self._inv._inv_call(x)
    log_abs_det_jacobian = lambda self, x, y: -self._inv.log_abs_det_jacobian(y, x)
    forward_shape = lambda self, shape: self._inv.inverse_shape(shape)
    inverse_shape = lambda self, shape: self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


class ComposeTransform(Transform):
    """Several transforms, `parts`, one after the other. A cache is given to each of them."""

    _own = _compared = ("parts",)

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    domain = property(lambda self: _end([(p.codomain, p.domain) for p in reversed(self.parts)]))
    codomain = property(lambda self: _end([(p.domain, p.codomain) for p in self.parts]))
    bijective = lazy_property(lambda self: all(p.bijective for p in self.parts))
    sign: Any = lazy_property(lambda self: reduce(lambda sign, p: sign * p.sign, self.parts, 1))

    def _inverted(self) -> Any:
        inverse = ComposeTransform([p.inv for p in reversed(self.parts)])
        inverse._inv = self
        return inverse

    __call__ = lambda self, x: reduce(lambda value, part: part(value), self.parts, x)
    forward_shape = lambda self, shape: reduce(lambda s, part: part.forward_shape(s), self.parts, shape)
    inverse_shape = lambda self, shape: reduce(lambda s, part: part.inverse_shape(s), reversed(self.parts), shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, dims = [], self.domain.event_dim
        for part, a, b in zip(self.parts, values, values[1:], strict=False):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(a, b), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return reduce(add, terms)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


def _end(steps: list[tuple[Any, Any]]) -> Any:
    """The last constraint on a way through the parts, for as many axes as all of them need."""
    if not steps:
        return constraints.real
    dims, end = steps[0][0].event_dim, steps[-1][1]
    for before, after in steps:
        dims = max(dims + after.event_dim - before.event_dim, after.event_dim)
    return of_axes(end, dims)


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last batch axes, so many, are part of a value: logarithms of Jacobians are summed there."""

    _own = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Any, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    domain = property(lambda self: self._of_more(self.base_transform.domain))
    codomain = property(lambda self: self._of_more(self.base_transform.codomain))
    _of_more = lambda self, end: constraints.independent(end, self.reinterpreted_batch_ndims)
    bijective, sign = forwarded("base_transform.bijective"), forwarded("base_transform.sign")
    forward_shape = lambda self, shape: self.base_transform.forward_shape(shape)
    inverse_shape = lambda self, shape: self.base_transform.inverse_shape(shape)

    def _call(self, x: Any) -> Any:
        at_least(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        at_least(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


def at_least(shape: Any, count: int) -> Any:
    """Return a shape. It is an error if it has fewer axes than these."""
    if len(shape) < count:
        raise ValueError("Too few dimensions on input")
    return shape


class ReshapeTransform(Transform):
    """A value in another shape: `in_shape` of an argument becomes `out_shape`, with as many elements."""

    bijective = True
    _own = ("in_shape", "out_shape")

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    domain = property(lambda self: constraints.independent(constraints.real, len(self.in_shape)))
    codomain = property(lambda self: constraints.independent(constraints.real, len(self.out_shape)))
    _call = lambda self, x: x.reshape(self.forward_shape(x.shape))
    _inverse = lambda self, y: y.reshape(self.inverse_shape(y.shape))
    log_abs_det_jacobian = lambda self, x, y: x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])
    forward_shape = lambda self, shape: _replaced(shape, self.in_shape, self.out_shape)
    inverse_shape = lambda self, shape: _replaced(shape, self.out_shape, self.in_shape)


def _replaced(shape: Any, old: Any, new: Any) -> Any:
    cut = len(at_least(shape, len(old))) - len(old)
    if tuple(shape[cut:]) != tuple(old):
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return torch.Size((*shape[:cut], *new))


# --- of numbers ------------------------------------------------------------------------------------------------------


def softplus(x: Any) -> Any:
    """Compute log(1 + exp(x)); x itself above 20."""
    return torch.nn.functional.softplus(x)


def clipped(y: Any) -> Any:
    """Move numbers in [0, 1] inside by the least that floats can."""
    info = torch.finfo(y.dtype)
    return y.clamp(min=info.tiny, max=1 - info.eps)


class ExpTransform(Transform):
    """y = exp(x)."""

    domain, codomain, bijective, sign = constraints.real, constraints.positive, True, 1
    _call = lambda self, x: x.exp()
    _inverse = lambda self, y: y.log()
    log_abs_det_jacobian = lambda self, x, y: x


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)), kept away from 0 and 1."""

    domain, codomain, bijective, sign = constraints.real, constraints.unit_interval, True, 1
    _call = lambda self, x: clipped(torch.sigmoid(x))
    _inverse = lambda self, y: clipped(y).log() - (-clipped(y)).log1p()
    log_abs_det_jacobian = lambda self, x, y: -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + exp(x)): x itself where x is above 20."""

    domain, codomain, bijective, sign = constraints.real, constraints.positive, True, 1
    _call = lambda self, x: softplus(x)
    _inverse = lambda self, y: (-y).expm1().neg().log() + y
    log_abs_det_jacobian = lambda self, x, y: -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x)."""

    domain, codomain, bijective, sign = constraints.real, constraints.interval(-1.0, 1.0), True, 1
    _call = lambda self, x: x.tanh()
    _inverse = lambda self, y: y.atanh()
    log_abs_det_jacobian = lambda self, x, y: 2.0 * (log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = abs(x), which is not bijective."""

    domain, codomain = constraints.real, constraints.positive
    _call = lambda self, x: x.abs()
    _inverse = lambda self, y: y


class PowerTransform(Transform):
    """y = x ** exponent, of positive numbers."""

    domain, codomain, bijective = constraints.positive, constraints.positive, True
    _own = _compared = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    sign: Any = lazy_property(lambda self: self.exponent.sign())

    _call = lambda self, x: x.pow(self.exponent)
    _inverse = lambda self, y: y.pow(1 / self.exponent)
    log_abs_det_jacobian = lambda self, x, y: (self.exponent * y / x).abs().log()
    forward_shape = inverse_shape = lambda self, shape: torch.broadcast_shapes(shape, self.exponent.shape)


class AffineTransform(Transform):
    """y = loc + scale * x, by numbers or tensors. A value has `event_dim` axes."""

    bijective = True
    _own, _compared = ("loc", "scale", "event_dim"), ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)
    domain = codomain = property(lambda self: of_axes(constraints.real, self.event_dim))

    @property
    def sign(self) -> Any:
        """The sign of the scale."""
        return self.scale.sign() if isinstance(self.scale, torch.Tensor) else (self.scale > 0) - (self.scale < 0)

    _call = lambda self, x: self.loc + self.scale * x
    _inverse = lambda self, y: (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape, cut = x.shape, x.dim() - self.event_dim
        number = isinstance(self.scale, Number)
        result = torch.full_like(x, log(abs(self.scale))) if number else self.scale.abs().log()
        if self.event_dim:
            result = result.expand((*result.shape[: result.dim() - self.event_dim], *shape[cut:]))
            result = sum_rightmost(result, self.event_dim)
        return result.expand(shape[:cut])

    def forward_shape(self, shape: Any) -> Any:
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """y = distribution.cdf(x), which makes uniform numbers of samples of a distribution."""

    bijective, codomain, sign = True, constraints.unit_interval, 1
    _own = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = forwarded("distribution.support")
    _call = lambda self, x: self.distribution.cdf(x)
    _inverse = lambda self, y: self.distribution.icdf(y)
    log_abs_det_jacobian = lambda self, x, y: self.distribution.log_prob(x)
