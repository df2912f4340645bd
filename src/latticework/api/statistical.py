"""Statistical functions: sums, products, extremes, means and spreads, over some axes or all.

Sums, products and means of float16 and bfloat16 are made as the framework makes them, or in a float32 accumulator
where it would round at each step; the array itself is never copied to a wider dtype.
"""

from __future__ import annotations

from typing import Any

from ..core.dtypes import DtypeLike
from ..engine.arrays.array import Array
from ..engine.calls.translate import CHECKS
from ..engine.declare import op
from ..engine.plans.advice import no_array


@op("all", shape="accumulate")
def cumulative_prod(
    x: Array,
    /,
    axis: int | None = None,
    *,
    dtype: DtypeLike | None = None,
    include_initial: bool = False,
    out: Array | None = None,
) -> Array:
    """Products of the elements up to each position along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype. True counts as 1.
    axis: the axis to go along. It may be left out only where x has but one.
    dtype: the dtype of the products, in which they are made; by default as for `prod`.
    include_initial: whether the product of no elements, 1, comes first.

    Returns
    -------
    The shape of x, longer by 1 along the axis with `include_initial`.

    Raises
    ------
    ValueError: `axis` is left out and x has not exactly one, or x is 0-d.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cumulative_prod(lw.asarray([2, 3, 4]), include_initial=True)
    Array([ 1,  2,  6, 24], dtype=int32)
    """
    ...


@op("all", shape="accumulate")
def cumulative_sum(
    x: Array,
    /,
    axis: int | None = None,
    *,
    dtype: DtypeLike | None = None,
    include_initial: bool = False,
    out: Array | None = None,
) -> Array:
    """Sums of the elements up to each position along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype. True counts as 1.
    axis: the axis to go along. It may be left out only where x has but one.
    dtype: the dtype of the sums, in which they are made; by default as for `sum`.
    include_initial: whether the sum of no elements, 0, comes first.

    Returns
    -------
    The shape of x, longer by 1 along the axis with `include_initial`.

    Raises
    ------
    ValueError: `axis` is left out and x has not exactly one, or x is 0-d.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cumulative_sum(lw.asarray([2, 3, 4]), include_initial=True)
    Array([0, 2, 5, 9], dtype=int32)
    """
    ...


@op("real numeric or bool", shape="extremum")
def max(
    x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, out: Array | None = None
) -> Array:
    """The greatest element; nan where there is one.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x. Which zero is greater, -0.0 or 0.0, is left to the framework.

    Raises
    ------
    ValueError: there are no elements to choose from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.max(lw.asarray([[1, 3], [5, 2]]), axis=0)
    Array([5, 3], dtype=int32)
    """
    ...


@op("floating", shape="reduce")
def mean(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    dtype: DtypeLike | None = None,
    keepdims: bool = False,
    out: Array | None = None,
) -> Array:
    """The arithmetic mean; nan of no elements.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers. Real and imaginary parts are averaged by themselves.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.mean(lw.asarray([[1.0, 3.0], [5.0, 2.0]]), axis=0)
    Array([3. , 2.5], dtype=float32)
    """
    ...


@op("real numeric or bool", shape="extremum")
def min(
    x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, out: Array | None = None
) -> Array:
    """The least element; nan where there is one.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x. Which zero is less, -0.0 or 0.0, is left to the framework.

    Raises
    ------
    ValueError: there are no elements to choose from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.min(lw.asarray([[1, 3], [5, 2]]), axis=0)
    Array([1, 2], dtype=int32)
    """
    ...


@op("all", shape="reduce")
def prod(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    dtype: DtypeLike | None = None,
    keepdims: bool = False,
    out: Array | None = None,
) -> Array:
    """The product of the elements; 1 of none.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: the dtype of the product, in which it is made. By default that of x, but at least as wide as the default
        int or uint for integers; the default int for bool.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    An array of `dtype`. Integers wrap around at the ends of its range.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.prod(lw.asarray([100, 100], dtype=lw.int8))
    Array(10000, dtype=int32)
    """
    ...


@op("floating", out="real", shape="reduce")
def std(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    dtype: DtypeLike | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
    out: Array | None = None,
) -> Array:
    """The standard deviation: the square root of `var`.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    correction: what is taken from the number of elements before dividing by it: 0 for a whole population, 1 for
        a sample of one.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers, a real one for complex input. nan where the number of elements
    does not exceed `correction`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.std(lw.asarray([1.0, 3.0, 5.0, 7.0, 9.0]), correction=3)
    Array(4.472136, dtype=float32)
    """
    ...


@op("all", shape="reduce")
def sum(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    dtype: DtypeLike | None = None,
    keepdims: bool = False,
    out: Array | None = None,
) -> Array:
    """The sum of the elements; 0 of none.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: the dtype of the sum, in which it is made. By default that of x, but at least as wide as the default
        int or uint for integers; the default int for bool.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    An array of `dtype`. Integers wrap around at the ends of its range.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sum(lw.asarray([[100, 100], [1, 2]], dtype=lw.int8), axis=1)
    Array([200,   3], dtype=int32)
    >>> lw.sum(lw.asarray([0.5, 0.25]), dtype=lw.float64)
    Array(0.75, dtype=float64)
    """
    ...


@op("floating", out="real", shape="reduce")
def var(
    x: Array,
    /,
    axis: int | tuple[int, ...] | None = None,
    *,
    dtype: DtypeLike | None = None,
    correction: float = 0.0,
    keepdims: bool = False,
    out: Array | None = None,
) -> Array:
    """The variance: the mean of the squared distances from the mean.

    Parameters
    ----------
    x: any shape, a floating dtype; integers are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    correction: what is taken from the number of elements before dividing by it: 0 for a whole population, 1 for
        a sample of one.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers, a real one for complex input. nan where the number of elements
    does not exceed `correction`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.var(lw.asarray([1.0, 3.0, 5.0, 7.0]), correction=1)
    Array(6.6666665, dtype=float32)
    """
    ...


def _check_reduction(name: str, identity: bool) -> None:
    """Register what a failed reduction is told: that it has no elements, or that an axis was given twice."""

    def check(x: Array, /, *, axis: Any = None, correction: Any = 0, **options: Any) -> Exception | None:
        if isinstance(correction, Array):
            return TypeError(
                f"{no_array(name, 'correction', correction)}, or lw.nan{name}, which has derivatives by it"
            )
        if not hasattr(correction, "__float__"):
            return TypeError(f"{name}: correction is a real number; got {correction!r}")
        chosen = axis if isinstance(axis, tuple) else range(x.ndim) if axis is None else (axis,)
        if not all(isinstance(a, int) and -x.ndim <= a < x.ndim for a in chosen):
            return None
        axes = [a % x.ndim for a in chosen]
        if len({*axes}) < len(axes):
            return ValueError(f"{name}: an axis is given twice: axis={axis}")
        if not identity and 0 in x.shape and 0 in [x.shape[a] for a in axes]:
            return ValueError(
                f"{name}: of no elements there is none. Got {x.dtype} array of shape {x.shape}, axis={axis}"
            )
        return None

    CHECKS[name] = check


for _name in ("max", "min", "argmax", "argmin"):
    _check_reduction(_name, identity=False)
for _name in ("sum", "prod", "mean", "var", "std", "all", "any", "count_nonzero"):
    _check_reduction(_name, identity=True)
