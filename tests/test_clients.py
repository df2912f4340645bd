"""Libraries that take any array of the standard take ours: SciPy, scikit-learn, array-api-extra, einops, xarray.

Each call is made with latticework's arrays and again with NumPy's; the numbers have to agree, and the result has to
be an array of ours, on the backend that it came from.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import array_api_compat
import array_api_extra
import einops.array_api
import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.optimize
import scipy.signal
import scipy.spatial.transform
import scipy.special
import scipy.stats
import sklearn.decomposition
import sklearn.linear_model
import sklearn.metrics
import sklearn.preprocessing
import xarray

import latticework as lw

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 4))
Y = RNG.normal(size=(20, 4)) + 0.5
V = RNG.uniform(0.1, 0.9, size=(12,))
LABELS = RNG.integers(0, 2, 20)
GUESSES = RNG.integers(0, 2, 20)
Z = RNG.normal(size=(8,)) + 1j * RNG.normal(size=(8,))


def scikit(call: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arrays: Any) -> Any:
        with sklearn.config_context(array_api_dispatch=True):
            return call(*arrays)

    return run


def namespace(x: Any) -> Any:
    return array_api_compat.array_namespace(x)


CALLS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    # SciPy
    "scipy.special.expit": (scipy.special.expit, (X,)),
    "scipy.special.logit": (scipy.special.logit, (V,)),
    "scipy.special.erf": (scipy.special.erf, (X,)),
    "scipy.special.gammaln": (scipy.special.gammaln, (V,)),
    "scipy.special.logsumexp": (lambda x: scipy.special.logsumexp(x, axis=1), (X,)),
    "scipy.special.softmax": (lambda x: scipy.special.softmax(x, axis=1), (X,)),
    "scipy.special.xlogy": (scipy.special.xlogy, (V, V)),
    "scipy.special.rel_entr": (scipy.special.rel_entr, (V, V[::-1].copy())),
    "scipy.stats.zscore": (lambda x: scipy.stats.zscore(x, axis=0), (X,)),
    "scipy.stats.skew": (lambda x: scipy.stats.skew(x, axis=0), (X,)),
    "scipy.stats.kurtosis": (lambda x: scipy.stats.kurtosis(x, axis=0), (X,)),
    "scipy.stats.gmean": (scipy.stats.gmean, (V,)),
    "scipy.stats.pearsonr": (lambda x, y: scipy.stats.pearsonr(x, y, axis=0).statistic, (X, Y)),
    "scipy.stats.ttest_ind": (lambda x, y: scipy.stats.ttest_ind(x, y).statistic, (X, Y)),
    "scipy.stats.ttest_1samp": (lambda x: scipy.stats.ttest_1samp(x, 0.0).pvalue, (X,)),
    "scipy.stats.variation": (lambda x: scipy.stats.variation(x, axis=0), (np.abs(X),)),
    "scipy.stats.sem": (lambda x: scipy.stats.sem(x, axis=0), (X,)),
    "scipy.fft.fft": (scipy.fft.fft, (X,)),
    "scipy.fft.irfft": (scipy.fft.irfft, (Z,)),
    "scipy.fft.fftshift": (scipy.fft.fftshift, (X,)),
    "scipy.integrate.trapezoid": (lambda x: scipy.integrate.trapezoid(x, axis=0), (X,)),
    "scipy.integrate.cumulative_simpson": (lambda x: scipy.integrate.cumulative_simpson(x, axis=0), (X,)),
    "scipy.signal.detrend": (lambda x: scipy.signal.detrend(x, axis=0), (X,)),
    "scipy.signal.hilbert": (scipy.signal.hilbert, (V,)),
    "scipy.signal.fftconvolve": (scipy.signal.fftconvolve, (V, V[:5].copy())),
    "scipy.cluster.vq.whiten": (scipy.cluster.vq.whiten, (X,)),
    "scipy.cluster.vq.vq": (lambda x, y: scipy.cluster.vq.vq(x, y)[0], (X, Y[:3].copy())),
    "scipy.cluster.hierarchy.fcluster": (
        lambda z: scipy.cluster.hierarchy.fcluster(z, 3, criterion="maxclust"), (scipy.cluster.hierarchy.linkage(X),)
    ),
    "scipy.signal.lfilter": (lambda x: scipy.signal.savgol_coeffs(5, 2, xp=namespace(x)), (V,)),
    "scipy.optimize.rosen": (scipy.optimize.rosen, (V,)),
    "scipy.spatial.Rotation.as_matrix": (
        lambda x: scipy.spatial.transform.Rotation.from_rotvec(x).as_matrix(), (X[:, :3].copy(),)
    ),
    # scikit-learn
    "sklearn.StandardScaler": (scikit(lambda x: sklearn.preprocessing.StandardScaler().fit_transform(x)), (X,)),
    "sklearn.MinMaxScaler": (scikit(lambda x: sklearn.preprocessing.MinMaxScaler().fit_transform(x)), (X,)),
    "sklearn.MaxAbsScaler": (scikit(lambda x: sklearn.preprocessing.MaxAbsScaler().fit_transform(x)), (X,)),
    "sklearn.Normalizer": (scikit(lambda x: sklearn.preprocessing.Normalizer().fit_transform(x)), (X,)),
    "sklearn.Binarizer": (scikit(lambda x: sklearn.preprocessing.Binarizer().fit_transform(x)), (X,)),
    "sklearn.PCA": (
        scikit(lambda x: sklearn.decomposition.PCA(2, svd_solver="full").fit(x).explained_variance_), (X,)
    ),
    "sklearn.Ridge": (
        scikit(lambda x, y: sklearn.linear_model.Ridge(solver="svd").fit(x, y).coef_), (X, Y[:, 0].copy())
    ),
    "sklearn.mean_squared_error": (scikit(sklearn.metrics.mean_squared_error), (X, Y)),
    "sklearn.r2_score": (scikit(sklearn.metrics.r2_score), (X, Y)),
    "sklearn.accuracy_score": (scikit(sklearn.metrics.accuracy_score), (LABELS, GUESSES)),
    "sklearn.euclidean_distances": (scikit(sklearn.metrics.pairwise.euclidean_distances), (X, Y)),
    "sklearn.cosine_similarity": (scikit(sklearn.metrics.pairwise.cosine_similarity), (X, Y)),
    # array-api-extra
    "extra.atleast_nd": (lambda x: array_api_extra.atleast_nd(x, ndim=4), (X,)),
    "extra.cov": (array_api_extra.cov, (X,)),
    "extra.expand_dims": (lambda x: array_api_extra.expand_dims(x, axis=(0, 1)), (X,)),
    "extra.kron": (array_api_extra.kron, (X, Y[:2].copy())),
    "extra.nunique": (array_api_extra.nunique, (LABELS,)),
    "extra.pad": (lambda x: array_api_extra.pad(x, 2), (X,)),
    "extra.setdiff1d": (array_api_extra.setdiff1d, (LABELS, GUESSES[:1].copy())),
    "extra.sinc": (array_api_extra.sinc, (X,)),
    "extra.at.set": (lambda x: array_api_extra.at(x)[0, :].set(1.0), (X,)),
    "extra.at.add": (lambda x: array_api_extra.at(x, x > 0).add(1.0), (X,)),
    "extra.isclose": (lambda x: array_api_extra.isclose(x, x + 1e-12), (X,)),
    "extra.create_diagonal": (array_api_extra.create_diagonal, (V,)),
    "extra.one_hot": (lambda x: array_api_extra.one_hot(x, 2), (LABELS,)),
    # einops
    "einops.rearrange": (lambda x: einops.array_api.rearrange(x, "(a b) c -> b (c a)", a=4), (X,)),
    "einops.reduce": (lambda x: einops.array_api.reduce(x, "(a b) c -> b c", "mean", a=4), (X,)),
    "einops.repeat": (lambda x: einops.array_api.repeat(x, "a b -> (a r) b", r=2), (X,)),
    "einops.unpack": (
        lambda x: einops.array_api.unpack(einops.array_api.pack([x, x], "* c")[0], [(20,), (20,)], "* c")[1], (X,)
    ),
    # array-api-compat
    "compat.unique": (lambda x: namespace(x).unique_values(x), (LABELS,)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_call(backend: str, name: str) -> None:
    call, arrays = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own: this is about their answers
        want = call(*[a.copy() for a in arrays])
        with lw.using(default_float=lw.float64, default_int=lw.int64):
            got = call(*[lw.asarray(a) for a in arrays])
    if isinstance(want, np.ndarray):
        assert isinstance(got, lw.Array)
        assert got.backend == backend
        assert str(got.dtype) == str(want.dtype)
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-12)


def test_xarray(backend: str) -> None:
    """skipna=False: xarray leaves out nan by NumPy's own nan functions, which make NumPy's arrays of everything."""
    data = xarray.DataArray(lw.asarray(X), dims=("row", "column"))
    want = xarray.DataArray(X, dims=("row", "column"))
    for call in (
        lambda d: d + 1, lambda d: d.mean("row", skipna=False), lambda d: d.sum(), lambda d: d.isel(column=2),
        lambda d: d.transpose("column", "row"), lambda d: d.where(d > 0, 0.0), lambda d: d.max("column", skipna=False),
        lambda d: d * d.isel(row=0), lambda d: d.stack(flat=("row", "column")), lambda d: d.any("row"),
        lambda d: xarray.concat([d, d], dim="row"), lambda d: d.clip(-1, 1), lambda d: d.roll(row=2),
    ):  # fmt: skip
        got = call(data)
        assert isinstance(got.data, lw.Array)
        assert got.data.backend == backend
        np.testing.assert_allclose(np.asarray(got.data), call(want).data, rtol=1e-12, atol=1e-12)
    assert "Array" in repr(data)


def test_there_are_enough_of_them() -> None:
    assert len(CALLS) >= 20
