"""The transforms of ``torch.distributions``: here those of vectors and matrices, the others are of `bijections`."""

from __future__ import annotations

from typing import Any

from ... import torch
from ...names import export as _export
from . import bijections, constraints
from .bijections import Transform, clipped
from .utils import lazy_property, sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "CatTransform", "CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "SoftmaxTransform",
    "StackTransform", "StickBreakingTransform",
]  # fmt: skip
_export(globals(), bijections)


class SoftmaxTransform(Transform):
    """y = softmax(x) along the last axis, which is not bijective: a constant that is added to x changes nothing."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Any) -> Any:
        return torch.softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _at_least(shape, 1)

    inverse_shape = forward_shape


def _at_least(shape: Any, count: int) -> Any:
    if len(shape) < count:
        raise ValueError("Too few dimensions on input")
    return shape


class StickBreakingTransform(Transform):
    """Vectors of n numbers to n + 1 positive ones whose sum is 1: each takes a share of what is left of a stick."""

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    @staticmethod
    def _left(like: Any, count: int) -> Any:
        """How many pieces are left to share with, for each number."""
        return torch.arange(count, 0, -1, dtype=like.dtype, device=like.device)

    def _call(self, x: Any) -> Any:
        share = clipped(torch.sigmoid(x - self._left(x, x.shape[-1]).log()))
        one = torch.ones_like(share[..., :1]) if share.shape[-1] else share.new_ones((*share.shape[:-1], 1))
        return torch.cat([share, one], -1) * torch.cat([one, (1 - share).cumprod(-1)], -1)

    def _inverse(self, y: Any) -> Any:
        first = y[..., :-1]
        rest = (1 - first.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return first.log() - rest.log() + self._left(y, first.shape[-1]).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - self._left(x, x.shape[-1]).log()
        return (-x + torch.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        return torch.Size((*_at_least(shape, 1)[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        return torch.Size((*_at_least(shape, 1)[:-1], shape[-1] - 1))


class CorrCholeskyTransform(Transform):
    """Vectors of n (n - 1) / 2 numbers to Cholesky factors of n x n correlation matrices.

    The tanh of each number is a partial correlation: what an element takes of what is left of the length of its row.
    """

    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True

    def _call(self, x: Any) -> Any:
        eps = torch.finfo(x.dtype).eps
        r = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r * r).sqrt().cumprod(-1)
        r = r + torch.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * torch.cat([torch.ones_like(left[..., :1]), left[..., :-1]], -1)

    def _inverse(self, y: Any) -> Any:
        squares = 1 - torch.cumsum(y * y, -1)
        before = torch.cat([torch.ones_like(squares[..., :1]), squares[..., :-1]], -1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(before, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        squares = 1 - (y * y).cumsum(-1)
        lengths = 0.5 * tril_matrix_to_vec(squares, diag=-2).log().sum(-1)
        tanh = -2 * (x + torch.nn.functional.softplus(-2 * x) - 0.6931471805599453).sum(-1)
        return lengths + tanh

    def forward_shape(self, shape: Any) -> Any:
        count = _at_least(shape, 1)[-1]
        n = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return torch.Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Any:
        if _at_least(shape, 2)[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return torch.Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LowerCholeskyTransform(Transform):
    """Matrices to lower triangular ones with positive diagonals."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Matrices to positive definite ones."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class _Joined(Transform):
    """Several transforms along one axis."""

    transforms: list[Any]

    def __init__(self, tseq: Any, dim: int = 0, *, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _parts(self, x: Any) -> Any:
        raise NotImplementedError

    def _join(self, parts: list[Any]) -> Any:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        return self._join([t(v) for t, v in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y: Any) -> Any:
        return self._join([t.inv(v) for t, v in zip(self.transforms, self._parts(y), strict=True)])


class CatTransform(_Joined):
    """Transforms of pieces of an axis.

    Parameters
    ----------
    tseq: the transforms.
    dim: the axis.
    lengths: the length of each piece; 1 by default.
    """

    _own = ("transforms", "dim", "lengths")

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size=cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> Any:
        """The most axes that an argument of a part has."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The length of the axis."""
        return sum(self.lengths)

    def _parts(self, x: Any) -> Any:
        if x.shape[self.dim] != self.length:
            raise AssertionError(f"x.size({self.dim}) = {x.shape[self.dim]} must equal length {self.length}")
        return x.split(self.lengths, self.dim)

    def _join(self, parts: list[Any]) -> Any:
        return torch.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = [
            sum_rightmost(t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim)
            for t, a, b in zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        ]
        dim = (self.dim if self.dim < 0 else self.dim - x.dim()) + self.event_dim
        return torch.cat(terms, dim) if dim < 0 else sum(terms)

    domain = constraints.dependent_property(
        lambda self: constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)
    )
    codomain = constraints.dependent_property(
        lambda self: constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)
    )


class StackTransform(_Joined):
    """A transform for each element along an axis.

    Parameters
    ----------
    tseq: the transforms.
    dim: the axis.
    """

    _own = ("transforms", "dim")

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size=cache_size)

    def _parts(self, x: Any) -> Any:
        if x.shape[self.dim] != len(self.transforms):
            raise AssertionError(
                f"x.size({self.dim}) = {x.shape[self.dim]} must equal len(transforms) {len(self.transforms)}"
            )
        return x.unbind(self.dim)

    def _join(self, parts: list[Any]) -> Any:
        return torch.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return self._join([t.log_abs_det_jacobian(a, b) for t, a, b in parts])

    domain = constraints.dependent_property(
        lambda self: constraints.stack([t.domain for t in self.transforms], self.dim)
    )
    codomain = constraints.dependent_property(
        lambda self: constraints.stack([t.codomain for t in self.transforms], self.dim)
    )
