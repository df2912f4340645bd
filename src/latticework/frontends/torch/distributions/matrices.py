"""The normal distributions of vectors, and distributions of matrices."""

from __future__ import annotations

import warnings
from math import log, nan, pi
from numbers import Number
from typing import Any

from ... import torch
from . import constraints
from .distribution import Distribution, ExponentialFamily, Parametrised
from .gammas import Beta, Chi2
from .transformed import forwarded
from .utils import broadcast_all, lazy_property, standard_normal

__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "MultivariateNormal", "Wishart"]

_FORMS = ("covariance_matrix", "precision_matrix", "scale_tril")
_OF_FORMS = {
    "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}  # fmt: skip


def _times(matrix: Any, vector: Any) -> Any:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def diagonal(x: Any) -> Any:
    """Return the diagonals of matrices."""
    return x.diagonal(dim1=-2, dim2=-1)


def solved(factor: Any, x: Any) -> Any:
    """Solve triangular systems of equations for matrices, over a batch that may be broadcast."""
    shape = torch.broadcast_shapes(factor.shape[:-2], x.shape[:-2])
    factor, x = factor.expand((*shape, *factor.shape[-2:])), x.expand((*shape, *x.shape[-2:]))
    return torch.linalg.solve_triangular(factor, x, upper=False)


def squared_distance(factor: Any, x: Any) -> Any:
    """Return the square of the Mahalanobis length of vectors, by the Cholesky factor of the covariance matrix."""
    return solved(factor, x.unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)


class _OfFactor(Parametrised):
    """A distribution that a positive definite matrix tells: in one of three forms, and kept as a Cholesky factor."""

    _event_dims = {"loc": 1, **dict.fromkeys(_FORMS, 2)}

    def _set_factor(self, forms: dict[str, Any], batch_shape: Any, error: type[Exception]) -> Any:
        """Set the given form, and return the shape of the batch."""
        given = {name: x for name, x in forms.items() if x is not None}
        if len(given) != 1:
            raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, x),) = given.items()
        if x.dim() < 2:
            raise ValueError(f"{name} matrix must be at least two-dimensional, with optional leading batch dimensions")
        batch = torch.broadcast_shapes(x.shape[:-2], batch_shape)
        setattr(self, name, x.expand((*batch, *x.shape[-2:])))
        return batch

    def _factor_of(self, forms: dict[str, Any]) -> Any:
        """The Cholesky factor of the covariance matrix."""
        if forms["scale_tril"] is not None:
            return forms["scale_tril"]
        if forms["covariance_matrix"] is not None:
            return torch.linalg.cholesky(forms["covariance_matrix"])
        flipped = torch.linalg.cholesky(torch.flip(forms["precision_matrix"], (-2, -1)))
        inverse = torch.flip(flipped, (-2, -1)).mT
        return torch.linalg.solve_triangular(inverse, _identity(inverse), upper=False)

    def _whole(self, x: Any) -> Any:
        return x.expand((*self.batch_shape, *x.shape[-2:]))

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        return self._whole(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        return self._whole(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        inverse = solved(self._unbroadcasted_scale_tril, _identity(self._unbroadcasted_scale_tril))
        return self._whole(inverse.mT @ inverse)

    def _half_log_det(self) -> Any:
        return diagonal(self._unbroadcasted_scale_tril).log().sum(-1)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        factor = self._unbroadcasted_scale_tril
        new._unbroadcasted_scale_tril = factor.expand((*batch_shape, *factor.shape[-2:]))
        return new


def _identity(like: Any) -> Any:
    return torch.eye(like.shape[-1], dtype=like.dtype, device=like.device).expand(like.shape)


class MultivariateNormal(_OfFactor):
    """The normal distribution of vectors.

    Parameters
    ----------
    loc: the mean.
    covariance_matrix, precision_matrix, scale_tril: the covariance matrix, its inverse, or its Cholesky factor: one
        of them.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> d.log_prob(torch.tensor([1.0, 0.0]))
    tensor(-2.3379)
    """

    arg_constraints = {"loc": constraints.real_vector, **_OF_FORMS}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = dict(zip(_FORMS, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        batch = self._set_factor(forms, loc.shape[:-1], ValueError)
        self.loc = loc.expand((*batch, loc.shape[-1]))
        super(Parametrised, self).__init__(batch, loc.shape[-1:], validate_args)
        self._unbroadcasted_scale_tril = self._factor_of(forms)

    mean, mode = forwarded("loc"), forwarded("loc")

    @property
    def variance(self) -> Any:
        """The variance of each element."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._extended_shape())

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + _times(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Any) -> Any:
        distance = squared_distance(self._unbroadcasted_scale_tril, self._checked(value) - self.loc)
        return -0.5 * (self.event_shape[0] * log(2 * pi) + distance) - self._half_log_det()

    def entropy(self) -> Any:
        found = 0.5 * self.event_shape[0] * (1.0 + log(2 * pi)) + self._half_log_det()
        return found.expand(self.batch_shape)


class LowRankMultivariateNormal(Parametrised):
    """The normal distribution of vectors with the covariance matrix ``W @ W.T + diag(d)``.

    Parameters
    ----------
    loc: the mean.
    cov_factor: W, with few columns.
    cov_diag: d.
    """

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    _event_dims = {"loc": 1, "cov_factor": 2, "cov_diag": 1}
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

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
        super(Parametrised, self).__init__(batch, event, validate_args)

    mean, mode = forwarded("loc"), forwarded("loc")

    def _whole(self, x: Any) -> Any:
        return x.expand((*self.batch_shape, *self.event_shape, *self.event_shape))

    @lazy_property
    def variance(self) -> Any:
        """The variance of each element."""
        own = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return own.expand(self._extended_shape())

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        large = scaled @ scaled.mT
        return self._whole(root * torch.linalg.cholesky(large + _identity(large)))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return self._whole(w @ w.mT + torch.diag_embed(d))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        part = solved(self._capacitance_tril, w.mT / d.unsqueeze(-2))
        return self._whole(torch.diag_embed(d.reciprocal()) - part.mT @ part)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        few = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc)
        own = self._unbroadcasted_cov_diag.sqrt() * standard_normal(shape, self.loc)
        return self.loc + _times(self._unbroadcasted_cov_factor, few) + own

    def _log_det(self) -> Any:
        return 2 * diagonal(self._capacitance_tril).log().sum(-1) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _squared_distance(self, x: Any) -> Any:
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return (x.pow(2) / d).sum(-1) - squared_distance(self._capacitance_tril, _times(w.mT, x / d))

    def log_prob(self, value: Any) -> Any:
        distance = self._squared_distance(self._checked(value) - self.loc)
        return -0.5 * (self.event_shape[0] * log(2 * pi) + self._log_det() + distance)

    def entropy(self) -> Any:
        return (0.5 * (self.event_shape[0] * (1.0 + log(2 * pi)) + self._log_det())).expand(self.batch_shape)


class Wishart(_OfFactor, ExponentialFamily):
    """The Wishart distribution: of the sum of the outer products of `df` normal vectors with themselves.

    Parameters
    ----------
    df: the degrees of freedom, a number or a tensor, above the extent of the matrices less 1.
    covariance_matrix, precision_matrix, scale_tril: the covariance matrix of the vectors, its inverse, or its
        Cholesky factor: one of them.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        forms = dict(zip(_FORMS, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        like = next((x for x in forms.values() if x is not None), None)
        number = isinstance(df, Number)
        batch = self._set_factor(forms, () if number else df.shape, AssertionError)
        event = like.shape[-2:]  # type: ignore[union-attr]
        self.df = torch.as_tensor(df, dtype=like.dtype).expand(batch) if number else df.expand(batch)  # type: ignore[union-attr]
        if bool((self.df <= event[-1] - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        if bool((self.df < event[-1]).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super(Parametrised, self).__init__(batch, event, validate_args)
        self._unbroadcasted_scale_tril = self._factor_of(forms)

    @property
    def arg_constraints(self) -> Any:
        """The constraints of the parameters."""
        return {**_OF_FORMS, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    _of_matrix = property(lambda self: self.df.reshape((*self.df.shape, 1, 1)))

    @property
    def mean(self) -> Any:
        """The mean."""
        return self._of_matrix * self.covariance_matrix

    @property
    def mode(self) -> Any:
        """The mode, nan up to one degree of freedom more than the extent."""
        factor = self._of_matrix - self.event_shape[-1] - 1
        return torch.where(factor <= 0, nan, factor) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        """The variance of each element."""
        v = self.covariance_matrix
        d = diagonal(v)
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
        p = self.event_shape[-1]
        df = self.df.unsqueeze(-1) - torch.arange(p, dtype=self.df.dtype)
        roots = Chi2(df).rsample(sample_shape).sqrt()
        noise = standard_normal(self._extended_shape(sample_shape), self.df).tril(-1)
        factor = self._unbroadcasted_scale_tril @ (
            noise + torch.diag_embed(roots.clamp(min=torch.finfo(roots.dtype).eps))
        )
        return factor @ factor.mT

    def log_prob(self, value: Any) -> Any:
        df, p, factor = self.df, self.event_shape[-1], self._unbroadcasted_scale_tril
        value = self._checked(value)
        inner = solved(factor, solved(factor, value).mT)
        trace = diagonal(inner).sum(-1)
        constant = df * (p * log(2) / 2 + self._half_log_det()) + torch.mvlgamma(df / 2, p)
        return (df - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2 - constant

    def entropy(self) -> Any:
        df, p = self.df, self.event_shape[-1]
        steps = torch.arange(p, dtype=df.dtype) / 2
        digammas = torch.digamma(df.unsqueeze(-1) / 2 - steps).sum(-1)
        log_det = p * log(2) / 2 + self._half_log_det()
        return (p + 1) * log_det + torch.mvlgamma(df / 2, p) - (df - p - 1) / 2 * digammas + df * p / 2

    @property
    def _natural_params(self) -> Any:
        return -self.precision_matrix / 2, (self.df - self.event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self.event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-torch.linalg.slogdet(-2 * x).logabsdet + log(2) * p) + torch.mvlgamma(half, p)


class LKJCholesky(Parametrised):
    """The distribution of the Cholesky factors of correlation matrices, by Lewandowski, Kurowicka and Joe.

    Parameters
    ----------
    dim: the extent of the matrices, at least 2.
    concentration: the power of the determinant of the correlation matrix in its density, plus 1.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _kept = ("dim",)

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        Distribution.__init__(self, self.concentration.shape, (dim, dim), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw samples by the onion method: each row is a direction, with a length that a beta number tells."""
        with torch.no_grad():
            like = self.concentration
            offset = torch.as_tensor([0, *range(self.dim - 1)], dtype=like.dtype)
            lengths = (like + 0.5 * (self.dim - 2)).unsqueeze(-1) - 0.5 * offset
            y = Beta(offset + 0.5, lengths).sample(sample_shape).unsqueeze(-1)
            noise = standard_normal(self._extended_shape(sample_shape), like).tril(-1)
            norms = noise.square().sum(-1, keepdim=True).sqrt()
            w = torch.sqrt(y) * noise / torch.where(norms == 0, torch.ones_like(norms), norms)
            rest = (1 - (w**2).sum(-1)).clamp(min=torch.finfo(w.dtype).tiny).sqrt()
            return w + torch.diag_embed(rest)

    def log_prob(self, value: Any) -> Any:
        a, rest = self.concentration, self.dim - 1
        logs = diagonal(self._checked(value))[..., 1:].log()
        order = 2 * (a - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        alpha = a + 0.5 * rest
        constant = 0.5 * rest * log(pi) + torch.mvlgamma(alpha - 0.5, rest) - torch.lgamma(alpha) * rest
        return (order * logs).sum(-1) - constant
