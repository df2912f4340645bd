"""The normal distributions of vectors, and distributions of matrices."""

from __future__ import annotations

import warnings
from math import log, nan, pi
from numbers import Number
from typing import Any

from ... import torch
from . import constraints
from .distribution import ExponentialFamily, Parametrised, forwarded
from .gammas import Beta, Chi2
from .utils import broadcast_all, lazy_property, like

__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "MultivariateNormal", "Wishart"]

_OF_FORMS = {
    "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}  # fmt: skip


def _times(matrix: Any, vector: Any) -> Any:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _diagonal(x: Any) -> Any:
    return x.diagonal(dim1=-2, dim2=-1)


def _identity(of: Any) -> Any:
    return torch.eye(of.shape[-1], **like(of)).expand(of.shape)


def solved(factor: Any, x: Any) -> Any:
    """Solve triangular systems of equations for matrices, over a batch that may be broadcast."""
    shape = torch.broadcast_shapes(factor.shape[:-2], x.shape[:-2])
    factor, x = factor.expand((*shape, *factor.shape[-2:])), x.expand((*shape, *x.shape[-2:]))
    return torch.linalg.solve_triangular(factor, x, upper=False)


def _squared_length(factor: Any, x: Any) -> Any:
    """The square of the Mahalanobis length of vectors, by the Cholesky factor of the covariance matrix."""
    return solved(factor, x.unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)


class _OfFactor(Parametrised):
    """A distribution that a positive definite matrix tells: in one of three forms, and kept as a Cholesky factor."""

    def _set_form(self, forms: tuple[Any, ...], batch_shape: Any, error: type[Exception]) -> Any:
        """Set the form that is given. Return its name, the matrix, and the shape of the batch."""
        given = [(name, x) for name, x in zip(_OF_FORMS, forms, strict=True) if x is not None]
        if len(given) != 1:
            raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, x = given[0]
        if x.dim() < 2:
            raise ValueError(f"{name} matrix must be at least two-dimensional, with optional leading batch dimensions")
        batch = torch.broadcast_shapes(x.shape[:-2], batch_shape)
        setattr(self, name, x.expand((*batch, *x.shape[-2:])))
        return name, x, batch

    def _set_factor(self, form: str, x: Any) -> None:
        """Set the Cholesky factor of the covariance matrix, for as much of the batch as the given matrix has."""
        if form == "covariance_matrix":
            x = torch.linalg.cholesky(x)
        elif form == "precision_matrix":
            inverse = torch.flip(torch.linalg.cholesky(torch.flip(x, (-2, -1))), (-2, -1)).mT
            x = torch.linalg.solve_triangular(inverse, _identity(inverse), upper=False)
        self._unbroadcasted_scale_tril = x

    def _whole(self, x: Any) -> Any:
        return x.expand((*self.batch_shape, *x.shape[-2:]))

    scale_tril: Any = lazy_property(lambda self: self._whole(self._unbroadcasted_scale_tril))
    covariance_matrix: Any = lazy_property(
        lambda self: self._whole(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)
    )

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        inverse = solved(self._unbroadcasted_scale_tril, _identity(self._unbroadcasted_scale_tril))
        return self._whole(inverse.mT @ inverse)

    _log_det = lambda self: 2 * _diagonal(self._unbroadcasted_scale_tril).log().sum(-1)


class _Vectors(Parametrised):
    """A normal distribution of vectors. A class has `_log_det` of the covariance matrix, and `_squared_distance`."""

    support = constraints.real_vector
    mean, mode = forwarded("loc"), forwarded("loc")

    def _log_prob(self, value: Any) -> Any:
        distance = self._squared_distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * log(2 * pi) + self._log_det() + distance)

    def entropy(self) -> Any:
        return (0.5 * (self._event_shape[0] * (1.0 + log(2 * pi)) + self._log_det())).expand(self._batch_shape)


class MultivariateNormal(_OfFactor, _Vectors):
    """The normal distribution of vectors.

    Parameters
    ----------
    loc: the mean.
    covariance_matrix, precision_matrix, scale_tril: the covariance matrix, its inverse, or its Cholesky factor: one
        of them.
    """

    arg_constraints = {"loc": constraints.real_vector, **_OF_FORMS}

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = covariance_matrix, precision_matrix, scale_tril
        form, matrix, batch = self._set_form(forms, loc.shape[:-1], ValueError)
        self.loc = loc.expand((*batch, loc.shape[-1]))
        self._begin(batch, loc.shape[-1:], validate_args)
        self._set_factor(form, matrix)

    _squared_distance = lambda self, x: _squared_length(self._unbroadcasted_scale_tril, x)

    @property
    def variance(self) -> Any:
        """The variance of each number. A class derived from this one may say another shape of events."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def _draw(self, shape: Any) -> Any:
        return self.loc + _times(self._unbroadcasted_scale_tril, torch.randn(shape, **like(self.loc)))


class LowRankMultivariateNormal(_Vectors):
    """The normal distribution of vectors whose covariance is ``cov_factor @ cov_factor.T + diag(cov_diag)``."""

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }  # fmt: skip

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = loc.expand((*batch, *event)), cov_diag.expand((*batch, *event))
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        small = (cov_factor.mT / cov_diag.unsqueeze(-2)) @ cov_factor
        self._capacitance_tril = torch.linalg.cholesky(small + _identity(small))
        self._begin(batch, event, validate_args)

    _parts = property(lambda self: (self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag))

    def _whole(self, x: Any) -> Any:
        return x.expand((*self.batch_shape, *self.event_shape, *self.event_shape))

    @lazy_property
    def variance(self) -> Any:
        """The variance of each element."""
        w, d = self._parts
        return (w.pow(2).sum(-1) + d).expand(self._extended_shape())

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        w, d = self._parts
        root = d.sqrt().unsqueeze(-1)
        large = (w / root) @ (w / root).mT
        return self._whole(root * torch.linalg.cholesky(large + _identity(large)))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        w, d = self._parts
        return self._whole(w @ w.mT + torch.diag_embed(d))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        w, d = self._parts
        part = solved(self._capacitance_tril, w.mT / d.unsqueeze(-2))
        return self._whole(torch.diag_embed(d.reciprocal()) - part.mT @ part)

    def _draw(self, shape: Any) -> Any:
        w, d = self._parts
        few, each = torch.randn((*shape[:-1], w.shape[-1]), **like(w)), torch.randn(shape, **like(w))
        return self.loc + _times(w, few) + d.sqrt() * each

    def _log_det(self) -> Any:
        return 2 * _diagonal(self._capacitance_tril).log().sum(-1) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _squared_distance(self, x: Any) -> Any:
        w, d = self._parts
        return (x.pow(2) / d).sum(-1) - _squared_length(self._capacitance_tril, _times(w.mT, x / d))


class Wishart(_OfFactor, ExponentialFamily):
    """The Wishart distribution: of the sum of the outer products of `df` normal vectors with themselves.

    Parameters
    ----------
    df: the degrees of freedom, a number or a tensor, above the extent of the matrices less 1.
    covariance_matrix, precision_matrix, scale_tril: the covariance matrix of the vectors, its inverse, or its
        Cholesky factor: one of them.
    """

    support = constraints.positive_definite

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        number, forms = isinstance(df, Number), (covariance_matrix, precision_matrix, scale_tril)
        form, matrix, batch = self._set_form(forms, () if number else df.shape, AssertionError)
        p = matrix.shape[-1]
        self.df = (torch.as_tensor(df, dtype=matrix.dtype) if number else df).expand(batch)
        if bool((self.df <= p - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        if bool((self.df < p).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        self._begin(batch, matrix.shape[-2:], validate_args)
        self._set_factor(form, matrix)

    arg_constraints = property(lambda self: {**_OF_FORMS, "df": constraints.greater_than(self.event_shape[-1] - 1)})
    _of_matrix = property(lambda self: self.df.reshape((*self.df.shape, 1, 1)))
    mean = property(lambda self: self._of_matrix * self.covariance_matrix)

    @property
    def mode(self) -> Any:
        """The mode, nan up to one degree of freedom more than the extent."""
        factor = self._of_matrix - self.event_shape[-1] - 1
        return torch.where(factor <= 0, nan, factor) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        """The variance of each element."""
        v, d = self.covariance_matrix, _diagonal(self.covariance_matrix)
        return self._of_matrix * (v.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def rsample(self, sample_shape: Any = (), max_try_correction: Any = None) -> Any:
        """Draw samples by Bartlett's decomposition. Singular ones are drawn again, `max_try_correction` times."""
        result = self._bartlett(sample_shape)
        good = self.support.check(result)
        if not bool(good.all()):
            warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if bool(good.all()):
                break
            result = torch.where(good[..., None, None], result, self._bartlett(sample_shape))
            good = self.support.check(result)
        return result

    def _bartlett(self, sample_shape: Any) -> Any:
        df = self.df.unsqueeze(-1) - torch.arange(self.event_shape[-1], dtype=self.df.dtype)
        roots = Chi2(df).rsample(sample_shape).sqrt()
        noise = torch.randn(self._extended_shape(sample_shape), **like(self.df)).tril(-1)
        roots = torch.diag_embed(roots.clamp(min=torch.finfo(roots.dtype).eps))
        factor = self._unbroadcasted_scale_tril @ (noise + roots)
        return factor @ factor.mT

    def _normalizer(self, half: Any) -> Any:
        """The logarithm of the normalizer, but for the part of the determinant, by half the degrees of freedom."""
        return half * self.event_shape[-1] * log(2) + torch.mvlgamma(half, self.event_shape[-1])

    def _log_prob(self, value: Any) -> Any:
        df, p, factor = self.df, self.event_shape[-1], self._unbroadcasted_scale_tril
        trace = _diagonal(solved(factor, solved(factor, value).mT)).sum(-1)
        own = (df - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2
        return own - self._normalizer(df / 2) - df / 2 * self._log_det()

    def entropy(self) -> Any:
        df, p = self.df, self.event_shape[-1]
        digammas = torch.digamma(df.unsqueeze(-1) / 2 - torch.arange(p, dtype=df.dtype) / 2).sum(-1)
        log_det = (p * log(2) + self._log_det()) / 2
        return (p + 1) * log_det + torch.mvlgamma(df / 2, p) - (df - p - 1) / 2 * digammas + df * p / 2

    _natural_params = property(lambda self: (-self.precision_matrix / 2, (self.df - self.event_shape[-1] - 1) / 2))

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        half = y + (self.event_shape[-1] + 1) / 2
        return self._normalizer(half) - half * torch.linalg.slogdet(-2 * x).logabsdet


class LKJCholesky(Parametrised):
    """The distribution of the Cholesky factors of correlation matrices, by Lewandowski, Kurowicka and Joe.

    Parameters
    ----------
    dim: the extent of the matrices, at least 2.
    concentration: the power of the determinant of the correlation matrix in its density, plus 1.
    """

    arg_constraints = {"concentration": constraints.positive}
    support, has_rsample = constraints.corr_cholesky, False

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        self._begin(self.concentration.shape, (dim, dim), validate_args)

    def _draw(self, shape: Any) -> Any:
        """Draw samples by the onion method: each row is a direction, with a length that a beta number tells."""
        a = self.concentration
        offset = torch.as_tensor([0, *range(self.dim - 1)], dtype=a.dtype)
        lengths = (a + 0.5 * (self.dim - 2)).unsqueeze(-1) - 0.5 * offset
        y = Beta(offset + 0.5, lengths)._draw(shape[:-1]).unsqueeze(-1)
        noise = torch.randn(shape, **like(a)).tril(-1)
        norms = noise.square().sum(-1, keepdim=True).sqrt()
        w = torch.sqrt(y) * noise / torch.where(norms == 0, torch.ones_like(norms), norms)
        rest = (1 - (w**2).sum(-1)).clamp(min=torch.finfo(w.dtype).tiny).sqrt()
        return w + torch.diag_embed(rest)

    def _log_prob(self, value: Any) -> Any:
        a, rest = self.concentration, self.dim - 1
        logs = _diagonal(value)[..., 1:].log()
        order = 2 * (a - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        alpha = a + 0.5 * rest
        constant = 0.5 * rest * log(pi) + torch.mvlgamma(alpha - 0.5, rest) - torch.lgamma(alpha) * rest
        return (order * logs).sum(-1) - constant
