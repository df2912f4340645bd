"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, classmethod as _classmethod, int as _int, property as _property, str as _str, tuple as _tuple
from latticework.frontends.jax import Array as _Array, _KeyArray as _KeyArray
from latticework.frontends.parameter_types import ArrayLike as _ArrayLike, Axes as _Axes, Shape as _Shape
from typing import Any as _Any, NamedTuple as _NamedTuple

class _ModeResult_result(_NamedTuple):
    mode: _Array
    count: _Array
__all__ = ["DISTRIBUTIONS", "gaussian_kde", "mode", "rankdata", "sem", "bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic", "multinomial", "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t", "truncnorm", "uniform", "vonmises", "wrapcauchy"]

class gaussian_kde:
    def __call__(self, points: _Any) -> _Any: ...
    def __init__(self, dataset: _Any, bw_method: _Any = ..., weights: _Any = ...) -> None: ...
    covariance: _Any
    @_property
    def d(self) -> _int: ...
    dataset: _Any
    def evaluate(self, points: _Any) -> _Array: ...
    def integrate_box(self, low_bounds: _Any, high_bounds: _Any, maxpts: _Any = ...) -> _Any: ...
    def integrate_box_1d(self, low: _Any, high: _Any) -> _Array: ...
    def integrate_gaussian(self, mean: _Any, cov: _Any) -> _Any: ...
    def integrate_kde(self, other: _Any) -> _Any: ...
    inv_cov: _Any
    def logpdf(self, x: _ArrayLike) -> _Any: ...
    @_property
    def n(self) -> _int: ...
    neff: _Any
    def pdf(self, x: _ArrayLike) -> _Any: ...
    def resample(self, key: _Array | _KeyArray, shape: _Shape = ...) -> _Any: ...
    def set_bandwidth(self, bw_method: _Any = ...) -> _Any: ...
    def tree_flatten(self) -> _Any: ...
    @_classmethod
    def tree_unflatten(cls, aux_data: _Any, children: _Any) -> _Any: ...
    weights: _Any
DISTRIBUTIONS: _tuple[_Any, ...]
from latticework.frontends.jax.scipy.stats import bernoulli as bernoulli
from latticework.frontends.jax.scipy.stats import beta as beta
from latticework.frontends.jax.scipy.stats import betabinom as betabinom
from latticework.frontends.jax.scipy.stats import binom as binom
from latticework.frontends.jax.scipy.stats import cauchy as cauchy
from latticework.frontends.jax.scipy.stats import chi2 as chi2
from latticework.frontends.jax.scipy.stats import dirichlet as dirichlet
from latticework.frontends.jax.scipy.stats import expon as expon
from latticework.frontends.jax.scipy.stats import gamma as gamma

from latticework.frontends.jax.scipy.stats import gennorm as gennorm
from latticework.frontends.jax.scipy.stats import geom as geom
from latticework.frontends.jax.scipy.stats import gumbel_l as gumbel_l
from latticework.frontends.jax.scipy.stats import gumbel_r as gumbel_r
from latticework.frontends.jax.scipy.stats import laplace as laplace
from latticework.frontends.jax.scipy.stats import logistic as logistic
def mode(a: _ArrayLike, axis: _Axes = ..., nan_policy: _str = ..., keepdims: _bool = ...) -> _ModeResult_result: ...
from latticework.frontends.jax.scipy.stats import multinomial as multinomial
from latticework.frontends.jax.scipy.stats import multivariate_normal as multivariate_normal
from latticework.frontends.jax.scipy.stats import nbinom as nbinom
from latticework.frontends.jax.scipy.stats import norm as norm
from latticework.frontends.jax.scipy.stats import pareto as pareto
from latticework.frontends.jax.scipy.stats import poisson as poisson
def rankdata(a: _ArrayLike, method: _str = ..., *, axis: _Axes | None = ..., nan_policy: _str = ...) -> _Array: ...
def sem(a: _ArrayLike, axis: _Axes = ..., ddof: _int = ..., nan_policy: _str = ..., *, keepdims: _bool = ...) -> _Array: ...
from latticework.frontends.jax.scipy.stats import t as t
from latticework.frontends.jax.scipy.stats import truncnorm as truncnorm
from latticework.frontends.jax.scipy.stats import uniform as uniform
from latticework.frontends.jax.scipy.stats import vonmises as vonmises
from latticework.frontends.jax.scipy.stats import wrapcauchy as wrapcauchy
