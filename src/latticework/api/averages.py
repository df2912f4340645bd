"""Weighted averages, covariances and correlations, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

from ..core.dtypes import float32
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import op
from ..engine.shapes.extents import Shape, all_or_some, drop_axes, known_extent, may_equal, mismatch, sum_of

Axes = int | tuple[int, ...] | None


def _accumulator(x: Array) -> Any:
    """The dtype that sums are made in: float32 for 16 bits."""
    return float32 if x.dtype.bits == 16 else x.dtype


def _average_shape(
    x: Shape, weights: Shape | None = None, *, axis: Any = None, keepdims: bool = False, **_: Any
) -> Shape:
    """Reduce some axes, and check that the weights are one for each element or one for each position along them."""
    axes = all_or_some(axis, x)
    along = tuple(x[a] for a in axes)
    if weights is not None and not (_fits(weights, x) or _fits(weights, along)):
        raise ValueError(
            f"weights must have the shape of x, {x}, or its extents along the reduced axes, {along}; got {weights}"
        )
    return drop_axes(x, axes, keepdims)


def _fits(shape: Shape, other: Shape) -> bool:
    return len(shape) == len(other) and all(map(may_equal, shape, other))


@op("floating", shape=_average_shape)
def average(x: Array, /, axis: Axes = None, weights: Array | None = None, *, keepdims: bool = False) -> Array:
    """Return the mean of the elements, each counted as much as its weight says.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    axis: the axis or axes to reduce; None for all of them.
    weights: of the shape of x; or of the extents along `axis`, in that order, the same weights for each slice. They
        join x in a common dtype. None for equal weights.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The common dtype. nan or an infinity where the weights add up to 0, which numpy.average makes an error.

    Raises
    ------
    ValueError: weights of another shape.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.average(lw.asarray([1.0, 2.0, 4.0]), weights=lw.asarray([1, 1, 2]))
    Array(2.75, dtype=float32)
    """
    if weights is None:
        return lw.mean(x, axis=axis, keepdims=keepdims)
    _average_shape(tuple(x.shape), tuple(weights.shape), axis=axis, keepdims=keepdims)
    axes = all_or_some(axis, x.shape)
    if weights.ndim != x.ndim or axes != tuple(range(x.ndim)):
        weights = _spread(weights, x, axes)
    dtype = _accumulator(x)
    total = lw.sum(x * weights, axis=axis, dtype=dtype, keepdims=keepdims)
    return lw.astype(total / lw.sum(weights, axis=axis, dtype=dtype, keepdims=keepdims), x.dtype, copy=False)


def _spread(weights: Array, x: Array, axes: tuple[int, ...]) -> Array:
    """Weights along some axes in the shape of x, with extent 1 along the others."""
    if weights.ndim == x.ndim and len(axes) < x.ndim:
        return weights
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    if order != [*range(len(axes))]:
        weights = lw.permute_dims(weights, tuple(order))
    others = tuple(a for a in range(x.ndim) if a not in axes)
    return lw.expand_dims(weights, axis=others) if others else weights


# --- covariances ------------------------------------------------------------------------------------------------------


def _covariance_shape(
    x: Shape, y: Shape | None = None, fweights: Shape | None = None, aweights: Shape | None = None,
    *, rowvar: Any = True, **_: Any,
) -> Shape:  # fmt: skip
    """Return a square matrix of the variables, or () of a single one; check that there are as many observations."""
    counts, observations = [], []
    for shape in (x, y):
        if shape is None:
            continue
        if len(shape) > 2:
            raise ValueError(f"takes arrays of at most two axes; got shape {shape}")
        rows = shape if rowvar or len(shape) < 2 else shape[::-1]
        counts.append(rows[0] if len(rows) == 2 else 1)
        observations.append(rows[-1] if rows else 1)
    if len(observations) == 2 and not may_equal(*observations):
        raise mismatch((x, y or ()), "They have to have as many observations")
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None and not (len(weights) == 1 and may_equal(weights[0], observations[0])):
            raise ValueError(f"{name} must have one axis of {observations[0]} observations; got shape {weights}")
    n = sum_of(*counts)
    return () if n == 1 else (n, n)


@op("floating", shape=_covariance_shape)
def cov(
    x: Array,
    /,
    y: Array | None = None,
    rowvar: bool = True,
    *,
    correction: float = 1,
    fweights: Array | None = None,
    aweights: Array | None = None,
) -> Array:
    """Return the covariances of variables: of each with each.

    Parameters
    ----------
    x: a matrix of a variable in each row and an observation in each column, or one variable; a floating dtype, and
        integers are taken as the default float.
    y: more variables, in the same form.
    rowvar: False where each column is a variable.
    correction: what is taken from the number of observations before dividing by it: 1 for a sample, 0 for a whole
        population. NumPy's ``bias=True`` is ``correction=0``, and its `ddof` is this.
    fweights: how often each observation is there, integers.
    aweights: how much each observation counts.

    Returns
    -------
    The square matrix of the covariances, 0-d of a single variable, of the common dtype. nan where no more observations
    are there than `correction`.

    Raises
    ------
    ValueError: more than two axes, or numbers of observations that differ.

    Notes
    -----
    Weights are taken as numpy.cov and torch.cov take them: with the weights w = fweights * aweights the covariance is
    divided by sum(w) - correction * sum(w * aweights) / sum(w).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cov(lw.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    shape = _covariance_shape(
        tuple(x.shape), *[None if a is None else tuple(a.shape) for a in (y, fweights, aweights)], rowvar=rowvar
    )
    rows = [_variables(a, rowvar) for a in (x, y) if a is not None]
    x = rows[0] if len(rows) == 1 else lw.concat(rows, axis=0)
    kept, dtype = x.dtype, _accumulator(x)
    x = lw.astype(x, dtype, copy=False)
    if fweights is None and aweights is None:
        away = x - lw.mean(x, axis=1, keepdims=True)
        product, left = away, known_extent(x.shape, 1) - correction
        freedom: Any = left if left > 0 else lw.nan
    else:
        parts = [lw.astype(w, dtype, copy=False) for w in (fweights, aweights) if w is not None]
        w = parts[0] if len(parts) == 1 else parts[0] * parts[1]
        total = lw.sum(w)
        away = x - lw.sum(x * w, axis=1, keepdims=True) / total
        product = away * w
        rest = total - (correction if aweights is None else correction * lw.sum(w * parts[-1]) / total)
        freedom = lw.where(lw.real(rest) > 0 if rest.dtype.kind == "c" else rest > 0, rest, lw.nan)
    other = lw.matrix_transpose(lw.conj(away) if away.dtype.kind == "c" else away)
    result = lw.matmul(product, other) / freedom
    return lw.astype(result if shape else lw.reshape(result, ()), kept, copy=False)


def _variables(x: Array, rowvar: bool) -> Array:
    """A matrix with a variable in each row."""
    if x.ndim < 2:
        return lw.reshape(x, (1, -1))
    return x if rowvar else lw.matrix_transpose(x)


@op("floating", shape=_covariance_shape)
def corrcoef(x: Array, /, y: Array | None = None, rowvar: bool = True) -> Array:
    """Return the correlations of variables: their covariances over the product of their standard deviations.

    Parameters
    ----------
    x, y, rowvar: as for `cov`.

    Returns
    -------
    The square matrix of the correlations, 0-d of a single variable, of the common dtype. Real and imaginary parts are
    from -1 to 1. nan where a variable is constant.

    Raises
    ------
    ValueError: more than two axes, or numbers of observations that differ.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.corrcoef(lw.asarray([[0.0, 2.0], [4.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    kept = x.dtype
    c = cov(lw.astype(x, _accumulator(x), copy=False), y, rowvar, correction=0)
    spread = lw.sqrt(_diagonal(c))
    spread = lw.where(spread > 0, spread, lw.nan)  # so that no division by 0 raises a warning
    c = c / (lw.expand_dims(spread, axis=1) if c.ndim else spread) / spread
    if c.dtype.kind == "c":
        bounded = [lw.clip(part, -1, 1) for part in (lw.real(c), lw.imag(c))]
        return lw.astype(bounded[0] + bounded[1] * 1j, kept, copy=False)
    return lw.astype(lw.clip(c, -1, 1), kept, copy=False)


def _diagonal(c: Array) -> Array:
    real = lw.real(c) if c.dtype.kind == "c" else c
    return lw.linalg.diagonal(real) if c.ndim else real


# --- sums of exponentials ---------------------------------------------------------------------------------------------


def _logsumexp_shape(
    x: Shape, weights: Shape | None = None, *, axis: Any = None, keepdims: bool = False, **_: Any
) -> Shape:
    """Reduce some axes, and check that weights broadcast to the shape of x."""
    if weights is not None:
        padded = (1,) * (len(x) - len(weights)) + weights
        if len(padded) != len(x) or not all(n == 1 or may_equal(n, m) for n, m in zip(padded, x, strict=True)):
            raise ValueError(f"weights of shape {weights} do not broadcast to the shape of x, {x}")
    return drop_axes(x, all_or_some(axis, x), keepdims)


@op("real floating", shape=_logsumexp_shape)
def logsumexp(x: Array, /, axis: Axes = None, *, weights: Array | None = None, keepdims: bool = False) -> Array:
    """Return the logarithm of the sum of the exponentials of the elements, which does not overflow on the way.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    weights: factors of the exponentials, of a shape that broadcasts to that of x. Elements whose weight is 0 count for
        nothing, whatever they are, so a bool mask is what `where` is to jax.nn.logsumexp.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The common dtype. -inf of no elements, and nan where the sum with weights is negative.

    Raises
    ------
    ValueError: the weights do not broadcast to the shape of x.

    Notes
    -----
    max(x) + log(sum(weights * exp(x - max(x)))). `weights` is `b` of scipy.special.logsumexp.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logsumexp(lw.asarray([1000.0, 1000.0]))
    Array(1000.6932, dtype=float32)
    >>> lw.logsumexp(lw.asarray([0.0, 1.0]), weights=lw.asarray([True, False]))
    Array(0., dtype=float32)
    """
    if weights is not None:
        _logsumexp_shape(tuple(x.shape), tuple(weights.shape), axis=axis, keepdims=keepdims)
        weights = lw.broadcast_to(weights, x.shape)
        x = lw.where(weights == 0, -lw.inf, x)
    axes = all_or_some(axis, x.shape)
    if any(x.shape[a] == 0 for a in axes):
        return lw.sum(x, axis=axis, keepdims=keepdims) - lw.inf
    top = lw.max(x, axis=axes, keepdims=True)
    top = lw.where(lw.isfinite(top), top, 0)
    terms = lw.exp(x - top)
    total = lw.sum(terms if weights is None else terms * weights, axis=axes, keepdims=keepdims)
    if not keepdims:
        top = lw.squeeze(top, axis=axes)
    # The logarithm of 0 is a warning on NumPy.
    return lw.where(total == 0, -lw.inf, lw.log(lw.where(total == 0, 1, total)) + top)
