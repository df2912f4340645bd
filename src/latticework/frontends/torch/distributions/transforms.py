"""The transforms of ``torch.distributions``: here those of vectors and matrices, the others are of `bijections`."""

from __future__ import annotations

from math import log
from typing import Any

from ... import torch
from ...names import export as _export
from . import bijections, constraints
from .bijections import Transform, _InverseTransform, at_least, clipped, softplus  # noqa: F401
from .utils import lazy_property, like, sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "CatTransform", "CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "SoftmaxTransform",
    "StackTransform", "StickBreakingTransform",
]  # fmt: skip
_export(globals(), bijections)


class SoftmaxTransform(Transform):
    """y = softmax(x) along the last axis, which is not bijective: a constant that is added to x changes nothing."""

    domain, codomain = constraints.real_vector, constraints.simplex
    _call = lambda self, x: torch.softmax(x, -1)
    _inverse = lambda self, y: y.log()
    forward_shape = inverse_shape = lambda self, shape: at_least(shape, 1)


def _offset(x: Any, count: int) -> Any:
    """The logarithms of how many pieces are left to share a stick with, for each number."""
    return torch.arange(count, 0, -1, **like(x)).log()


class StickBreakingTransform(Transform):
    """Vectors of n numbers to n + 1 positive ones whose sum is 1: each takes a share of what is left of a stick."""

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    def _call(self, x: Any) -> Any:
        share = clipped(torch.sigmoid(x - _offset(x, x.shape[-1])))
        one = share.new_ones((*share.shape[:-1], 1))
        return torch.cat([share, one], -1) * torch.cat([one, (1 - share).cumprod(-1)], -1)

    def _inverse(self, y: Any) -> Any:
        first = y[..., :-1]
        rest = (1 - first.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return first.log() - rest.log() + _offset(y, first.shape[-1])

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _offset(x, x.shape[-1])
        return (-x + torch.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    forward_shape = lambda self, shape: torch.Size((*at_least(shape, 1)[:-1], shape[-1] + 1))
    inverse_shape = lambda self, shape: torch.Size((*at_least(shape, 1)[:-1], shape[-1] - 1))


def _before(x: Any) -> Any:
    """Products or sums along the last axis without the element itself, from those with it: 1 comes first."""
    return torch.cat([torch.ones_like(x[..., :1]), x[..., :-1]], -1)


class CorrCholeskyTransform(Transform):
    """Vectors of n (n - 1) / 2 numbers to Cholesky factors of n x n correlation matrices.

    The tanh of each number is a partial correlation: what an element takes of what is left of the length of its row.
    """

    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True

    def _call(self, x: Any) -> Any:
        eps = torch.finfo(x.dtype).eps
        r = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r * r).sqrt().cumprod(-1)
        return (r + torch.eye(r.shape[-1], **like(r))) * _before(left)

    def _inverse(self, y: Any) -> Any:
        left = _before(1 - torch.cumsum(y * y, -1))
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        squares = 1 - (y * y).cumsum(-1)
        lengths = 0.5 * tril_matrix_to_vec(squares, diag=-2).log().sum(-1)
        return lengths - 2 * (x + softplus(-2 * x) - log(2)).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        count = at_least(shape, 1)[-1]
        n = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return torch.Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Any:
        if at_least(shape, 2)[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return torch.Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LowerCholeskyTransform(Transform):
    """Matrices to lower triangular ones with positive diagonals."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    _call = lambda self, x: x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    _inverse = lambda self, y: y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Matrices to positive definite ones."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    _inverse = lambda self, y: LowerCholeskyTransform().inv(torch.linalg.cholesky(y))

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT


class _Joined(Transform):
    """Several transforms along one axis. A class has `_parts`, which takes a tensor apart, and `_join`."""

    transforms: list[Any]

    def _set(self, tseq: Any, dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        Transform.__init__(self, cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _each(self, f: Any, *tensors: Any) -> list[Any]:
        """What a function gives for each transform and its parts of tensors."""
        return [f(*part) for part in zip(self.transforms, *map(self._parts, tensors), strict=True)]

    _call = lambda self, x: self._join(self._each(lambda t, v: t(v), x))
    _inverse = lambda self, y: self._join(self._each(lambda t, v: t.inv(v), y))


class CatTransform(_Joined):
    """Transforms of pieces of the axis `dim`, with the lengths of the pieces; 1 by default."""

    _own = ("transforms", "dim", "lengths")

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        self._set(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    event_dim: Any = lazy_property(lambda self: max(t.event_dim for t in self.transforms))
    length = lazy_property(lambda self: sum(self.lengths))
    domain = property(lambda self: constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths))
    codomain = property(lambda self: constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths))
    _join = lambda self, parts: torch.cat(parts, self.dim)

    def _parts(self, x: Any) -> Any:
        if x.shape[self.dim] != self.length:
            raise AssertionError(f"x.size({self.dim}) = {x.shape[self.dim]} must equal length {self.length}")
        return x.split(self.lengths, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        def term(t: Any, a: Any, b: Any) -> Any:
            return sum_rightmost(t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim)

        terms = self._each(term, x, y)
        dim = (self.dim if self.dim < 0 else self.dim - x.dim()) + self.event_dim
        return torch.cat(terms, dim) if dim < 0 else sum(terms)


class StackTransform(_Joined):
    """A transform for each element along the axis `dim`."""

    _own = ("transforms", "dim")

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        self._set(tseq, dim, cache_size)

    domain = property(lambda self: constraints.stack([t.domain for t in self.transforms], self.dim))
    codomain = property(lambda self: constraints.stack([t.codomain for t in self.transforms], self.dim))
    _join = lambda self, parts: torch.stack(parts, self.dim)

    def _parts(self, x: Any) -> Any:
        if x.shape[self.dim] != len(self.transforms):
            raise AssertionError(
                f"x.size({self.dim}) = {x.shape[self.dim]} must equal len(transforms) {len(self.transforms)}"
            )
        return x.unbind(self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self._join(self._each(lambda t, a, b: t.log_abs_det_jacobian(a, b), x, y))
