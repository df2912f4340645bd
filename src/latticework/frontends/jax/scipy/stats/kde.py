"""`jax.scipy.stats.gaussian_kde`: a density estimated from samples."""

from __future__ import annotations

import math
from typing import Any

from ... import numpy as jnp
from ... import random
from ...core import as_array
from ...tree_util import register_pytree_node_class
from ..special import logsumexp, ndtr

__all__ = ["gaussian_kde"]


@register_pytree_node_class
class gaussian_kde:
    """A density estimated from samples: the mean of normal distributions around them.

    Parameters
    ----------
    dataset: shape (n,), or (d, n) of vectors.
    bw_method: "scott", "silverman", a factor, or a function of this object that gives one.
    weights: shape (n,), the weight of each sample.
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        dataset = jnp.atleast_2d(as_array(dataset))
        if dataset.dtype.kind == "c":
            raise NotImplementedError("gaussian_kde does not support complex data")
        if not dataset.size > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        dataset = dataset if dataset.dtype.kind in "fV" else dataset.astype(float)
        d, n = dataset.shape
        if weights is None:
            weights = jnp.full(n, 1.0 / n, dtype=dataset.dtype)
        else:
            weights = jnp.atleast_1d(as_array(weights)).astype(dataset.dtype)
            weights = weights / jnp.sum(weights)
            if weights.ndim != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if len(weights) != n:
                raise ValueError("`weights` input should be of length n")
        self.dataset, self.weights = dataset, weights
        self.neff = jnp.asarray(1.0 / jnp.sum(weights**2))
        factor = self._factor(bw_method, d)
        self._spread(jnp.cov(dataset, rowvar=True, bias=False, aweights=weights), factor)

    def _spread(self, data_covariance: Any, factor: Any) -> None:
        data_covariance = jnp.atleast_2d(data_covariance)
        inverse = jnp.linalg.inv(data_covariance)
        self.covariance, self.inv_cov = data_covariance * factor**2, inverse / factor**2

    def _factor(self, bw_method: Any, d: int) -> Any:
        if bw_method is None or bw_method == "scott":
            return self.neff ** (-1.0 / (d + 4))
        if bw_method == "silverman":
            return (self.neff * (d + 2) / 4.0) ** (-1.0 / (d + 4))
        if callable(bw_method):
            return bw_method(self)
        if isinstance(bw_method, (int, float)) or hasattr(bw_method, "dtype"):
            return bw_method
        raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar, or a callable.")

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return self.dataset.shape[0]

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.dataset.shape[1]

    def _points(self, points: Any) -> Any:
        points = as_array(points).astype(self.dataset.dtype)
        points = points if points.ndim > 1 else points.reshape(1, -1)
        if points.shape[0] != self.d:
            if points.shape == (1, self.d):
                return points.reshape(self.d, 1)
            raise ValueError(f"points have dimension {points.shape[0]}, dataset has dimension {self.d}")
        return points

    def evaluate(self, points: Any) -> Any:
        """Return the density at points of shape (d, m): shape (m,)."""
        return jnp.exp(self.logpdf(points))

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Any:
        """Return the density at points."""
        return self.evaluate(x)

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at points."""
        return _log_mixture(self.dataset, self.weights, self._points(x), self.covariance)

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        """Return the integral of the product with a normal distribution."""
        mean = jnp.atleast_1d(jnp.squeeze(as_array(mean)))
        cov = jnp.atleast_2d(as_array(cov))
        if mean.shape != (self.d,):
            raise ValueError(f"mean does not have dimension {self.d}")
        if cov.shape != (self.d, self.d):
            raise ValueError(f"covariance does not have dimension {self.d}")
        return jnp.exp(_log_mixture(self.dataset, self.weights, mean[:, None], self.covariance + cov)[0])

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """Return the integral between two bounds."""
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        sigma = jnp.squeeze(jnp.sqrt(self.covariance))
        low, high = jnp.squeeze((low - self.dataset) / sigma), jnp.squeeze((high - self.dataset) / sigma)
        return jnp.sum(self.weights * (ndtr(high) - ndtr(low)))

    def integrate_kde(self, other: Any) -> Any:
        """Return the integral of the product with another estimate."""
        if other.d != self.d:
            raise ValueError("KDEs are not the same dimensionality")
        logs = _log_mixture(self.dataset, self.weights, other.dataset, self.covariance + other.covariance)
        return jnp.exp(logsumexp(logs, b=other.weights))

    def resample(self, key: Any, shape: Any = ()) -> Any:
        """Return samples from the density: shape (d, *shape)."""
        places, noise = random.split(key)
        chosen = random.choice(places, self.n, shape=shape, replace=True, p=self.weights)
        eps = random.multivariate_normal(noise, jnp.zeros(self.d, self.covariance.dtype), self.covariance, shape=shape)
        return self.dataset[:, chosen] + jnp.moveaxis(eps, -1, 0)

    def integrate_box(self, low_bounds: Any, high_bounds: Any, maxpts: Any = None) -> Any:
        """Refused, as in JAX."""
        raise NotImplementedError("only 1D box integrations are supported; use `integrate_box_1d`")

    def set_bandwidth(self, bw_method: Any = None) -> Any:
        """Refused, as in JAX."""
        raise NotImplementedError("dynamically changing the bandwidth method is not supported")

    def tree_flatten(self) -> Any:
        """Return its arrays."""
        return (self.neff, self.dataset, self.weights, self.covariance, self.inv_cov), None

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> Any:
        """Make one of its arrays."""
        made = cls.__new__(cls)
        made.neff, made.dataset, made.weights, made.covariance, made.inv_cov = children
        return made


def _log_mixture(centres: Any, weights: Any, points: Any, covariance: Any) -> Any:
    """The logarithm of a weighted mean of normal densities around centres, at points: shape (m,)."""
    lower = jnp.linalg.cholesky(covariance)
    whitened = [jnp.linalg.solve(lower, x) for x in (centres, points)]
    far = jnp.sum((whitened[0][:, :, None] - whitened[1][:, None, :]) ** 2, axis=0)
    constant = centres.shape[0] / 2 * math.log(2 * math.pi) + jnp.sum(jnp.log(jnp.diagonal(lower)))
    return logsumexp(-far / 2 - constant, axis=0, b=weights[:, None])
