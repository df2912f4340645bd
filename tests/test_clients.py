"""Libraries that take any array of the standard take ours: SciPy, scikit-learn, array-api-extra, einops, xarray.

Each call is made with latticework's arrays and again with NumPy's; the numbers have to agree, and the result has to
be an array of ours, on the backend that it came from.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import array_api_compat
import array_api_extra
import einops
import einops.array_api
import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.differentiate
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial.transform
import scipy.special
import scipy.stats
import sklearn.base
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.metrics
import sklearn.mixture
import sklearn.model_selection
import sklearn.naive_bayes
import sklearn.preprocessing
import xarray
from support import IMMUTABLE, LAZY, computed

import latticework as lw

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 4))
Y = RNG.normal(size=(20, 4)) + 0.5
V = RNG.uniform(0.1, 0.9, size=(12,))
POSITIVE = np.abs(X) + 0.1
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
    "scipy.stats.false_discovery_control": (scipy.stats.false_discovery_control, (V,)),
    "scipy.stats.false_discovery_control by": (
        lambda x: scipy.stats.false_discovery_control(x, axis=1, method="by"), (np.abs(np.tanh(X)),)
    ),
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
    # einops, by its backend for our arrays, and by its module for arrays of the standard
    "einops": (lambda x: einops.rearrange(x, "(a b) c -> b (c a)", a=4), (X,)),
    "einops.reduced": (lambda x: einops.reduce(x, "(a b) c -> b c", "mean", a=4), (X,)),
    "einops.largest": (lambda x: einops.reduce(x, "(a b) c -> c a", "max", a=4), (X,)),
    "einops.repeated": (lambda x: einops.repeat(x, "a b -> (a r) b n", r=2, n=3), (X,)),
    "einops.einsum": (lambda x, y: einops.einsum(x, y, "a b, c b -> a c"), (X, Y)),
    "einops.packed": (lambda x: einops.unpack(*einops.pack([x, x[:, 0]], "n *"), "n *")[1], (X,)),
    "einops.stacked": (lambda x: einops.rearrange([x, x + 1], "n a b -> b (n a)"), (X,)),
    "einops.rearrange": (lambda x: einops.array_api.rearrange(x, "(a b) c -> b (c a)", a=4), (X,)),
    "einops.reduce": (lambda x: einops.array_api.reduce(x, "(a b) c -> b c", "mean", a=4), (X,)),
    "einops.repeat": (lambda x: einops.array_api.repeat(x, "a b -> (a r) b", r=2), (X,)),
    "einops.unpack": (
        lambda x: einops.array_api.unpack(einops.array_api.pack([x, x], "* c")[0], [(20,), (20,)], "* c")[1], (X,)
    ),
    # array-api-compat
    "compat.unique": (lambda x: namespace(x).unique_values(x), (LABELS,)),
}  # fmt: skip


#: More of them, for the sweep.
MORE: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "scipy.stats.ttest_rel": (lambda x, y: scipy.stats.ttest_rel(x, y).statistic, (X, Y)),
    "scipy.stats.f_oneway": (lambda x, y: scipy.stats.f_oneway(x, y).pvalue, (X, Y)),
    "scipy.stats.bartlett": (lambda x, y: scipy.stats.bartlett(x, y).statistic, (X, Y)),
    "scipy.stats.levene": (lambda x, y: scipy.stats.levene(x, y).statistic, (X, Y)),
    "scipy.stats.kruskal": (lambda x, y: scipy.stats.kruskal(x, y).statistic, (X, Y)),
    "scipy.stats.mannwhitneyu": (lambda x, y: scipy.stats.mannwhitneyu(x, y).statistic, (X, Y)),
    "scipy.stats.wilcoxon": (lambda x, y: scipy.stats.wilcoxon(x, y).statistic, (X, Y)),
    "scipy.stats.moment": (lambda x: scipy.stats.moment(x, 3), (X,)),
    "scipy.stats.tmean": (lambda x: scipy.stats.tmean(x, (-1, 1)), (X,)),
    "scipy.stats.tvar": (lambda x: scipy.stats.tvar(x, (-1, 1)), (X,)),
    "scipy.stats.circmean": (scipy.stats.circmean, (POSITIVE,)),
    "scipy.stats.circstd": (scipy.stats.circstd, (V,)),
    "scipy.stats.directional_stats": (lambda x: scipy.stats.directional_stats(x).mean_direction, (X,)),
    "scipy.stats.combine_pvalues": (lambda x: scipy.stats.combine_pvalues(x).statistic, (V,)),
    "scipy.stats.hmean": (scipy.stats.hmean, (V,)),
    "scipy.stats.pmean": (lambda x: scipy.stats.pmean(x, 2), (V,)),
    "scipy.stats.jarque_bera": (lambda x: scipy.stats.jarque_bera(x).statistic, (X,)),
    "scipy.stats.skewtest": (lambda x: scipy.stats.skewtest(x).statistic, (X,)),
    "scipy.stats.kurtosistest": (lambda x: scipy.stats.kurtosistest(x).statistic, (X,)),
    "scipy.stats.normaltest": (lambda x: scipy.stats.normaltest(x).statistic, (X,)),
    "scipy.stats.boxcox_llf": (lambda x: scipy.stats.boxcox_llf(0.5, x), (V,)),
    "scipy.stats.entropy": (scipy.stats.entropy, (V,)),
    "scipy.stats.differential_entropy": (scipy.stats.differential_entropy, (X,)),
    "scipy.stats.quantile": (lambda x: scipy.stats.quantile(x, 0.3), (V,)),
    "scipy.stats.rankdata": (scipy.stats.rankdata, (V,)),
    "scipy.stats.spearmanrho": (lambda x, y: scipy.stats.spearmanrho(x, y, axis=0).statistic, (X, Y)),
    "scipy.stats.linregress": (lambda x, y: scipy.stats.linregress(x, y).slope, (V, V**2)),
    "scipy.stats.theilslopes": (lambda x: scipy.stats.theilslopes(x)[0], (V,)),
    "scipy.stats.iqr": (scipy.stats.iqr, (X,)),
    "scipy.stats.gstd": (scipy.stats.gstd, (V,)),
    "scipy.stats.lmoment": (scipy.stats.lmoment, (V,)),
    "scipy.stats.chisquare": (lambda x: scipy.stats.chisquare(x).statistic, (V,)),
    "scipy.stats.power_divergence": (lambda x: scipy.stats.power_divergence(x, lambda_=1 / 3).statistic, (V,)),
    "scipy.stats.zmap": (scipy.stats.zmap, (X, Y)),
    "scipy.stats.gzscore": (scipy.stats.gzscore, (POSITIVE,)),
    "scipy.stats.trim_mean": (lambda x: scipy.stats.trim_mean(x, 0.1), (X,)),
    "scipy.stats.expectile": (scipy.stats.expectile, (V,)),
    "scipy.stats.alexandergovern": (lambda x, y: scipy.stats.alexandergovern(x, y).statistic, (V, V**2)),
    "scipy.stats.kendalltau": (lambda x, y: scipy.stats.kendalltau(x, y).statistic, (V, V**2)),
    "scipy.stats.median_abs_deviation": (scipy.stats.median_abs_deviation, (X,)),
    "scipy.stats.mode": (lambda x: scipy.stats.mode(x).mode, (LABELS,)),
    "scipy.special.ndtr": (scipy.special.ndtr, (X,)),
    "scipy.special.ndtri": (scipy.special.ndtri, (V,)),
    "scipy.special.log_ndtr": (scipy.special.log_ndtr, (X,)),
    "scipy.special.i0": (scipy.special.i0, (X,)),
    "scipy.special.i1e": (scipy.special.i1e, (X,)),
    "scipy.special.betainc": (scipy.special.betainc, (V, V, V)),
    "scipy.special.stdtr": (scipy.special.stdtr, (V, V)),
    "scipy.special.gammainc": (scipy.special.gammainc, (V, V)),
    "scipy.special.digamma": (scipy.special.digamma, (V,)),
    "scipy.special.chdtr": (scipy.special.chdtr, (V, V)),
    "scipy.special.entr": (scipy.special.entr, (V,)),
    "scipy.special.multigammaln": (lambda x: scipy.special.multigammaln(x + 5, 2), (V,)),
    "scipy.special.log_softmax": (lambda x: scipy.special.log_softmax(x, axis=1), (X,)),
    "scipy.special.erfinv": (scipy.special.erfinv, (V,)),
    "scipy.special.zeta": (scipy.special.zeta, (V + 1.5, V)),
    "scipy.special.xlog1py": (scipy.special.xlog1py, (V, V)),
    "scipy.signal.convolve": (lambda x, y: scipy.signal.convolve(x, y, method="direct"), (V, V[:3].copy())),
    "scipy.signal.correlate": (scipy.signal.correlate, (V, V[:3].copy())),
    "scipy.signal.oaconvolve": (scipy.signal.oaconvolve, (V, V[:3].copy())),
    "scipy.signal.resample": (lambda x: scipy.signal.resample(x, 6), (V,)),
    "scipy.signal.savgol_filter": (lambda x: scipy.signal.savgol_filter(x, 5, 2), (V,)),
    "scipy.signal.wiener": (lambda x: scipy.signal.wiener(x, 3), (X,)),
    "scipy.signal.gauss_spline": (lambda x: scipy.signal.gauss_spline(x, 2), (V,)),
    "scipy.signal.zpk2tf": (lambda x: scipy.signal.zpk2tf(x, x[:2], 1.0)[0], (V,)),
    "scipy.signal.freqz": (lambda x: scipy.signal.freqz(x, worN=16)[1], (V,)),
    "scipy.signal.envelope": (scipy.signal.envelope, (V,)),
    "scipy.ndimage.gaussian_filter": (lambda x: scipy.ndimage.gaussian_filter(x, 1.0), (X,)),
    "scipy.ndimage.zoom": (lambda x: scipy.ndimage.zoom(x, 2.0), (X,)),
    "scipy.ndimage.sobel": (scipy.ndimage.sobel, (X,)),
    "scipy.ndimage.maximum_filter": (lambda x: scipy.ndimage.maximum_filter(x, 3), (X,)),
    "scipy.differentiate.derivative": (lambda x: scipy.differentiate.derivative(lambda t: t**3, x).df, (V,)),
    "scipy.differentiate.jacobian": (lambda x: scipy.differentiate.jacobian(lambda t: t**2, x).df, (V,)),
    "scipy.integrate.tanhsinh": (lambda x: scipy.integrate.tanhsinh(lambda t: t**2, x * 0, x).integral, (V,)),
    "scipy.integrate.cumulative_trapezoid": (lambda x: scipy.integrate.cumulative_trapezoid(x, axis=0), (X,)),
    "scipy.optimize.rosen_der": (scipy.optimize.rosen_der, (V,)),
    "scipy.optimize.rosen_hess": (scipy.optimize.rosen_hess, (V,)),
    "sklearn.metrics.f1_score": (scikit(sklearn.metrics.f1_score), (LABELS, GUESSES)),
    "sklearn.metrics.log_loss": (scikit(sklearn.metrics.log_loss), (LABELS, RNG.uniform(0.1, 0.9, 20))),
    "sklearn.metrics.mean_absolute_error": (scikit(sklearn.metrics.mean_absolute_error), (X, Y)),
    "sklearn.metrics.max_error": (scikit(sklearn.metrics.max_error), (X[:, 0].copy(), Y[:, 0].copy())),
    "sklearn.metrics.explained_variance_score": (scikit(sklearn.metrics.explained_variance_score), (X, Y)),
    "sklearn.metrics.confusion_matrix": (scikit(sklearn.metrics.confusion_matrix), (LABELS, GUESSES)),
    "sklearn.metrics.zero_one_loss": (scikit(sklearn.metrics.zero_one_loss), (LABELS, GUESSES)),
    "sklearn.metrics.hamming_loss": (scikit(sklearn.metrics.hamming_loss), (LABELS, GUESSES)),
    "sklearn.metrics.jaccard_score": (scikit(sklearn.metrics.jaccard_score), (LABELS, GUESSES)),
    "sklearn.metrics.pairwise.rbf_kernel": (scikit(sklearn.metrics.pairwise.rbf_kernel), (X, Y)),
    "sklearn.metrics.pairwise.polynomial_kernel": (scikit(sklearn.metrics.pairwise.polynomial_kernel), (X, Y)),
    "sklearn.metrics.pairwise.laplacian_kernel": (scikit(sklearn.metrics.pairwise.laplacian_kernel), (X, Y)),
    "sklearn.metrics.pairwise.manhattan_distances": (scikit(sklearn.metrics.pairwise.manhattan_distances), (X, Y)),
    "sklearn.metrics.pairwise.chi2_kernel": (scikit(sklearn.metrics.pairwise.chi2_kernel), (POSITIVE, POSITIVE)),
    "sklearn.metrics.brier_score_loss": (scikit(sklearn.metrics.brier_score_loss), (LABELS, RNG.uniform(0.1, 0.9, 20))),
    "sklearn.metrics.precision_score": (scikit(sklearn.metrics.precision_score), (LABELS, GUESSES)),
    "sklearn.metrics.mean_squared_log_error": (
        scikit(sklearn.metrics.mean_squared_log_error),
        (POSITIVE, POSITIVE[::-1].copy()),
    ),
    "sklearn.metrics.balanced_accuracy_score": (scikit(sklearn.metrics.balanced_accuracy_score), (LABELS, GUESSES)),
    "sklearn.metrics.cohen_kappa_score": (scikit(sklearn.metrics.cohen_kappa_score), (LABELS, GUESSES)),
    "sklearn.metrics.mean_gamma_deviance": (
        scikit(sklearn.metrics.mean_gamma_deviance),
        (POSITIVE[:, 0].copy(), POSITIVE[:, 1].copy()),
    ),
    "sklearn.metrics.mean_pinball_loss": (scikit(sklearn.metrics.mean_pinball_loss), (X, Y)),
    "sklearn.metrics.d2_tweedie_score": (
        scikit(sklearn.metrics.d2_tweedie_score),
        (POSITIVE[:, 0].copy(), POSITIVE[:, 1].copy()),
    ),
    "sklearn.metrics.cluster.entropy": (scikit(sklearn.metrics.cluster.entropy), (LABELS,)),
    "sklearn.preprocessing.KernelCenterer": (
        scikit(lambda x: sklearn.preprocessing.KernelCenterer().fit_transform(x @ x.T)),
        (X,),
    ),
    "sklearn.preprocessing.LabelEncoder": (
        scikit(lambda x: sklearn.preprocessing.LabelEncoder().fit_transform(x)),
        (LABELS,),
    ),
    "sklearn.preprocessing.PolynomialFeatures": (
        scikit(lambda x: sklearn.preprocessing.PolynomialFeatures(2).fit_transform(x)),
        (X,),
    ),
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": (
        scikit(lambda x, y: sklearn.discriminant_analysis.LinearDiscriminantAnalysis().fit(x, y).predict_proba(x)),
        (X, LABELS),
    ),
    "sklearn.naive_bayes.GaussianNB": (
        scikit(lambda x, y: sklearn.naive_bayes.GaussianNB().fit(x, y).predict_proba(x)),
        (X, LABELS),
    ),
    "sklearn.model_selection.train_test_split": (
        scikit(lambda x: sklearn.model_selection.train_test_split(x, shuffle=False)[0]),
        (X,),
    ),
    "sklearn.linear_model.RidgeClassifier": (
        scikit(lambda x, y: sklearn.linear_model.RidgeClassifier(solver="svd").fit(x, y).decision_function(x)),
        (X, LABELS),
    ),
    "sklearn.model_selection.cross_val_predict": (
        scikit(
            lambda x, y: sklearn.model_selection.cross_val_predict(
                sklearn.discriminant_analysis.LinearDiscriminantAnalysis(), x, y
            )
        ),
        (X, LABELS),
    ),
    "array_api_extra.at": (lambda x: array_api_extra.at(x)[1:3].multiply(2.0), (V,)),
    "array_api_extra.apply_where": (
        lambda x: array_api_extra.apply_where(x > 0.5, x, lambda t: t * 2, fill_value=0.0),
        (V,),
    ),
}

#: Calls that write through a slice of an array, and mean the array: SciPy leaves out JAX and Dask for it too.
WRITE_TO_VIEWS = (
    "scipy.signal.oaconvolve", "scipy.stats.lmoment", "scipy.integrate.tanhsinh", "array_api_extra.at",
)  # fmt: skip

#: Calls that ask for the extent of what a mask selects, or of distinct elements: on a lazy array, how they fail.
ASK_FOR_EXTENTS: dict[str, tuple[type[Exception], str]] = {
    "scipy.stats.ttest_ind": (ValueError, "not known until it is computed"),
    "scipy.stats.ttest_1samp": (ValueError, "not known until it is computed"),
    "sklearn.accuracy_score": (TypeError, "'NoneType' and 'int'"),
    "extra.setdiff1d": (TypeError, "Unsupported lazy shape"),
}


#: Those of them that ask for the extent of what is not computed yet: on a lazy array, an error.
MORE_ASK_FOR_EXTENTS = (
    "scipy.stats.kruskal",
    "scipy.stats.mannwhitneyu",
    "scipy.stats.mode",
    "scipy.stats.rankdata",
    "scipy.stats.spearmanrho",
    "scipy.stats.ttest_rel",
    "scipy.stats.wilcoxon",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.linear_model.RidgeClassifier",
    "sklearn.metrics.brier_score_loss",
    "sklearn.metrics.f1_score",
    "sklearn.metrics.hamming_loss",
    "sklearn.metrics.jaccard_score",
    "sklearn.metrics.log_loss",
    "sklearn.metrics.precision_score",
    "sklearn.metrics.zero_one_loss",
    "sklearn.model_selection.cross_val_predict",
    "sklearn.naive_bayes.GaussianNB",
)


@pytest.mark.parametrize("name", CALLS)
def test_call(backend: str, name: str) -> None:
    check_call(backend, name, *CALLS[name])


@pytest.mark.sweep
@pytest.mark.parametrize("name", MORE)
def test_more_calls(backend: str, name: str) -> None:
    if name in WRITE_TO_VIEWS and backend in IMMUTABLE:
        pytest.skip(f"writes through a view, which arrays of {backend} do not have")
    if name in MORE_ASK_FOR_EXTENTS and backend in LAZY:
        call, arrays = MORE[name]
        with pytest.raises((ValueError, TypeError), match="not known until it is computed|NoneType"):
            call(*[lw.asarray(a) for a in arrays])
        return
    check_call(backend, name, *MORE[name], rtol=1e-7, atol=1e-9)


def check_call(
    backend: str,
    name: str,
    call: Callable[..., Any],
    arrays: tuple[np.ndarray, ...],
    *,
    rtol: float = 1e-9,
    atol: float = 1e-12,
) -> None:
    if backend in LAZY and name in ASK_FOR_EXTENTS:
        error, words = ASK_FOR_EXTENTS[name]
        with lw.using(default_float=lw.float64, default_int=lw.int64), pytest.raises(error, match=words):
            call(*[lw.asarray(a) for a in arrays])
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries' own: this is about their answers
        want = call(*[a.copy() for a in arrays])
        with lw.using(default_float=lw.float64, default_int=lw.int64):
            got = call(*[lw.asarray(a) for a in arrays])
    given = zip(*[x if isinstance(x, tuple) else (x,) for x in (got, want)], strict=True)
    for result, expected in given:
        if isinstance(expected, np.ndarray):
            assert isinstance(result, lw.Array)
            assert result.backend == backend
            assert str(result.dtype) == str(expected.dtype)
        compare = partial(np.testing.assert_allclose, desired=np.asarray(expected), rtol=rtol, atol=atol)
        if isinstance(result, lw.Array):
            computed(result, compare)
        else:
            compare(np.asarray(result))


def drawn(draw: Callable[[Any], Any]) -> Callable[..., np.ndarray]:
    """What matplotlib makes of a picture: its pixels."""

    def call(*arrays: Any) -> np.ndarray:
        pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
        figure, axes = pyplot.subplots(figsize=(2, 2), dpi=50)
        try:
            draw(axes, *arrays)
            figure.canvas.draw()
            return np.array(figure.canvas.buffer_rgba())
        finally:
            pyplot.close(figure)

    return call


def with_pandas(call: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arrays: Any) -> Any:
        return call(pytest.importorskip("pandas", reason="pandas is not installed"), *arrays)

    return run


def like(x: Any) -> Callable[[Any], Any]:
    """What makes an argument that SciPy gives to a function an array of the kind of x."""
    return np.asarray if isinstance(x, np.ndarray) else lw.asarray


def fall(x: Any) -> Callable[..., Any]:
    def slope(t: float, y: Any) -> Any:
        y = like(x)(y)
        return namespace(y).stack([y[1], -y[0]])

    return slope


def bowl(x: Any) -> Callable[..., Any]:
    return lambda p: namespace(x).sum((like(x)(p) - x) ** 2)


def bowl_gradient(x: Any) -> Callable[..., Any]:
    return lambda p: 2 * (like(x)(p) - x)


#: Programs written for NumPy, which get our arrays as data, or from functions that they call. They give NumPy's.
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "plot": (drawn(lambda axes, x: axes.plot(x, x**2)), (V,)),
    "imshow": (drawn(lambda axes, x: axes.imshow(x)), (X,)),
    "scatter": (drawn(lambda axes, x: axes.scatter(x, x, c=x, s=x * 10)), (V,)),
    "hist": (drawn(lambda axes, x: axes.hist(x, bins=5)), (X,)),
    "limits": (drawn(lambda axes, x: (axes.set_xlim(x[0], x[1]), axes.axhline(x[2]))), (V,)),
    "dendrogram": (drawn(lambda axes, z: scipy.cluster.hierarchy.dendrogram(z, ax=axes)), (
        scipy.cluster.hierarchy.linkage(X),)),
    "Series": (with_pandas(lambda pandas, x: np.sqrt(pandas.Series(x)).to_numpy()), (V,)),
    "DataFrame": (with_pandas(lambda pandas, x: pandas.DataFrame(x, columns=list("abcd")).mean().to_numpy()), (X,)),
    "columns": (with_pandas(lambda pandas, x: pandas.DataFrame({"a": x, "b": x > 0.5}).to_numpy(float)), (V,)),
    "solve_ivp": (lambda x: scipy.integrate.solve_ivp(fall(x), (0, 1), x, t_eval=[0.5, 1.0]).y, (V[:2],)),
    "Radau": (lambda x: scipy.integrate.solve_ivp(fall(x), (0, 1), x, method="Radau").y[:, -1], (V[:2],)),
    "minimize": (lambda x: scipy.optimize.minimize(bowl(x), np.zeros(3)).x, (V[:3],)),
    "L-BFGS-B": (lambda x: scipy.optimize.minimize(
        bowl(x), np.zeros(3), jac=bowl_gradient(x), method="L-BFGS-B").x, (V[:3],)),
    "root": (lambda x: scipy.optimize.root(bowl_gradient(x), np.zeros(3)).x, (V[:3],)),
    "least_squares": (lambda x: scipy.optimize.least_squares(bowl_gradient(x), np.zeros(3)).x, (V[:3],)),
    "minimize_scalar": (lambda x: scipy.optimize.minimize_scalar(lambda p: (like(x)(p) - x[0]) ** 2).x, (V[:3],)),
    "sosfilt": (scipy.signal.sosfilt, (scipy.signal.butter(2, 0.2, output="sos"), V)),
    "jv": (lambda x: scipy.special.jv(2, x), (V,)),
    "sparse": (lambda x: scipy.sparse.csr_matrix(np.eye(12)) @ x, (V,)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_for_numpy(backend: str, name: str) -> None:
    call, arrays = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = call(*[a.copy() for a in arrays])
        with lw.using(default_float=lw.float64, default_int=lw.int64):
            got = call(*[lw.asarray(a) for a in arrays])
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gaussian_mixture(backend: str, dtype: str) -> None:
    """Of full covariances scikit-learn adds to the diagonal of `covariances[k]`, and means `covariances`.

    Without views that write is lost, and with it the regularisation: an error, not other numbers.
    """
    if backend in IMMUTABLE and dtype == "float32":
        return  # the same error, after as many kernels again
    data = np.concatenate([X, X + 4])[:, :2].astype(dtype)
    model = sklearn.mixture.GaussianMixture(2, init_params="random_from_data", random_state=0)
    want = model.fit(data).means_
    with sklearn.config_context(array_api_dispatch=True):
        if backend in IMMUTABLE:
            with pytest.raises(ValueError, match=f"made of another one.*{backend} has none.*Write to the other array"):
                sklearn.base.clone(model).fit(lw.asarray(data))
            return
        got = sklearn.base.clone(model).fit(lw.asarray(data)).means_
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-3 if dtype == "float32" else 1e-9)


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


def test_setting_elements_of_another_dtype(backend: str) -> None:
    """`array_api_extra.at` keeps the dtype of the array: a cast as assignment makes it, or its error."""
    x = lw.asarray([1.0, 2.0], dtype=lw.float32)
    for value in (lw.asarray(0.1, dtype=lw.float64), lw.asarray(3, dtype=lw.int64)):
        got = array_api_extra.at(x, 1).set(value)
        assert got.dtype == lw.float32
        want = array_api_extra.at(np.asarray(x), 1).set(np.asarray(value))
        computed(got, partial(np.testing.assert_array_equal, desired=want))
    with pytest.raises(TypeError, match="float64 does not go into an array of int32"):
        array_api_extra.at(lw.asarray([1, 2], dtype=lw.int32), 1).set(lw.asarray(0.5, dtype=lw.float64))


#: Tests as SciPy has them, some with names of `clients_plugin.EXPECTED`.
SUITE = """
import array_api_strict
import pytest

@pytest.mark.parametrize("xp", [array_api_strict], ids=["array_api_strict"])
class TestContainsNaN:
    def test_array_api_lazy(self, xp):
        raise AttributeError("expected")

@pytest.mark.parametrize("xp", [array_api_strict], ids=["array_api_strict"])
class TestDerivative:
    def test_step_direction(self, xp):
        "Expected to fail, and passes."
    @pytest.mark.skip_xp_backends("array_api_strict", reason="array-api-strict alone")
    def test_dtype(self, xp):
        assert (xp.__name__, str(xp.asarray([0.5]).dtype)) == ("latticework", "float64")
    @pytest.mark.skip_xp_backends(np_only=True, reason="lists")
    def test_list(self, xp):
        raise AssertionError("not run")
    def test_new(self, xp):
        raise ValueError("new")
"""


def test_clients_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`make clients` tells failures with a reason from new ones, and lists a reason that is not true any more."""
    (tmp_path / "test_suite.py").write_text(SUITE)
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "tools")
    clients = importlib.import_module("clients")
    monkeypatch.setattr(clients, "command", lambda *_: [str(tmp_path / "test_suite.py")])
    arguments = ["--package", "scipy", "--backend", "numpy", "--no-baseline"]
    assert clients.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "| scipy | numpy | 1 | 2 | 2 | 1 | 1 |" in printed
    assert "TestDerivative::test_new[array_api_strict]\n      ValueError: new" in printed
    assert "TestDerivative::test_step_direction[array_api_strict]\n      [XPASS(strict)] expected on" in printed
    assert printed.count("scipy") == 2 and "..." not in printed  # no progress, but in a terminal


def test_there_are_enough_of_them() -> None:
    assert len(CALLS) >= 20


# --- handing arrays over ----------------------------------------------------------------------------------------------


def test_einops_takes_arrays_of_every_kind(backend: str) -> None:
    x = lw.asarray([[1, 2, 3, 4], [5, 6, 7, 8]])
    got = einops.rearrange(x, "a (b c) -> c a b", b=2)
    assert (got.backend, got.shape, got.dtype) == (backend, (2, 2, 2), lw.int32)
    computed(got, partial(np.testing.assert_array_equal, desired=np.asarray(x).reshape(2, 2, 2).transpose(2, 0, 1)))
    assert einops.parse_shape(x, "a _") == {"a": 2}
    assert isinstance(einops.asnumpy(x), np.ndarray)
    with pytest.raises(NotImplementedError, match="not available for non-floating tensors"):
        einops.reduce(x, "a b -> a", "mean")
    spec = lw.infer(lambda x: einops.rearrange(x, "a (b c) -> c a b", b=2), lw.spec((2, 4), "float16"))
    assert (spec.shape, spec.dtype) == ((2, 2, 2), lw.float16)
    if backend == "dask":
        unknown = x[:, 0][x[:, 0] > 1]
        with pytest.raises(ValueError, match=r"shape \(None,\) is not known before the array is computed"):
            einops.rearrange(unknown, "a -> a 1")
    else:
        graph = lw.trace(lambda x: einops.reduce(x, "a (b c) -> a b", "sum", b=2), x)
        assert graph(x).tolist() == [[3, 7], [11, 15]]


@pytest.mark.parametrize("first", ["einops", "latticework"])
def test_einops_is_joined_whichever_is_imported_first(first: str) -> None:
    """And it is not imported for that: a program without it has none of it."""
    second = "latticework" if first == "einops" else "einops"
    program = f"""
import sys
import {first}
assert {first == "einops"} or "einops" not in sys.modules
before = len(sys.meta_path)
import {second}
import gc, latticework as lw, einops
gc.collect()
assert len(sys.meta_path) <= before
assert einops.rearrange(lw.ones((2, 6)), "a (b c) -> a b c", b=2).shape == (2, 2, 3)
import numpy as np
assert einops.rearrange(np.ones((2, 6)), "a (b c) -> a b c", b=2).shape == (2, 2, 3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float64", "complex64", "bfloat16"])
def test_bytes_are_those_of_numpy(backend: str, dtype: str) -> None:
    x = lw.astype(lw.asarray([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), dtype)
    want = np.asarray(x)
    assert x.tobytes() == want.tobytes()
    assert lw.matrix_transpose(x).tobytes() == want.T.tobytes()
    assert x.tobytes(order="F") == want.tobytes("F")
    assert x[:0].tobytes() == b""
    assert x[0, 1].tobytes() == want[0, 1].tobytes()


def test_an_image_of_an_array(backend: str) -> None:
    image = pytest.importorskip("PIL.Image")
    x = lw.astype(lw.reshape(lw.arange(2 * 3 * 3), (2, 3, 3)), lw.uint8)
    made = image.fromarray(lw.to_numpy(x))
    assert made.tobytes() == x.tobytes()
    assert lw.asarray(np.asarray(made)).shape == (2, 3, 3)


def test_devices_join_with_lists_and_with_tuples(backend: str) -> None:
    devices = lw.__array_namespace_info__().devices()
    assert isinstance(devices, tuple)
    assert devices + [None] == [*devices, None]  # noqa: RUF005 - what is tested
    assert [None] + devices == [None, *devices]  # noqa: RUF005
    assert (*devices, None) == devices + (None,) == tuple(devices) + (None,)  # noqa: RUF005
    assert (None,) + devices == (None, *devices)  # noqa: RUF005
    collected: list[Any] = []
    collected += devices
    assert collected == [*devices]
    with pytest.raises(TypeError):
        devices + 1
    with pytest.raises(TypeError):
        1 + devices
