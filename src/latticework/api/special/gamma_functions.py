"""The gamma function, its logarithm and derivatives, the beta function, and the zeta function they are made of."""

from __future__ import annotations

import math

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from .numerics import in_float32, polynomial, quotient

__all__ = ["beta", "betaln", "digamma", "gamma", "gammaln", "polygamma", "zeta"]

_HALF_LOG_TAU = math.log(math.tau) / 2

#: Cody and Hillstrom's rational functions: around 1, around 2, and from 4 to 12.
_AROUND_1 = (
    (4.945235359296727046734888, 2.018112620856775083915565e2, 2.290838373831346393026739e3,
     1.131967205903380828685045e4, 2.855724635671635335736389e4, 3.848496228443793359990269e4,
     2.637748787624195437963534e4, 7.225813979700288197698961e3),
    (1.0, 6.748212550303777196073036e1, 1.113332393857199323513008e3, 7.738757056935398733233834e3,
     2.763987074403340708898585e4, 5.499310206226157329794414e4, 6.161122180066002127833352e4,
     3.635127591501940507276287e4, 8.785536302431013170870835e3),
)  # fmt: skip
_AROUND_2 = (
    (4.974607845568932035012064, 5.424138599891070494101986e2, 1.550693864978364947665077e4,
     1.847932904445632425417223e5, 1.088204769468828767498470e6, 3.338152967987029735917223e6,
     5.106661678927352456275255e6, 3.074109054850539556250927e6),
    (1.0, 1.830328399370592604055942e2, 7.765049321445005871323047e3, 1.331903827966074194402448e5,
     1.136705821321969608938755e6, 5.267964117437946917577538e6, 1.346701454311101692290052e7,
     1.782736530353274213975932e7, 9.533095591844353613395747e6),
)  # fmt: skip
_TO_12 = (
    (1.474502166059939948905062e4, 2.426813369486704502836312e6, 1.214755574045093227939592e8,
     2.663432449630976949898078e9, 2.940378956634553899906876e10, 1.702665737765398868392998e11,
     4.926125793377430887588120e11, 5.606251856223951465078242e11),
    (-1.0, 2.690530175870899333379843e3, 6.393885654300092398984238e5, 4.135599930241388052042842e7,
     1.120872109616147941376570e9, 1.488613728678813811542398e10, 1.016803586272438228077304e11,
     3.417476345507377132798597e11, 4.463158187419713286462081e11),
)  # fmt: skip
_AT_1, _AT_2, _AT_4 = -5.772156649015328605195174e-1, 4.227843350984671393993777e-1, 1.791759469228055000094023

#: Lanczos' sum with g of 6.02, as fitted by Boost and used by Python's `math`.
_LANCZOS_G = 6.024680040776729583740234375
_LANCZOS = (
    (2.5066282746310002701649081771338, 210.82427775157934587250973392071, 8071.6720023658162106380029022723,
     186056.26539522349504029498971605, 2876370.6289353724412254090516208, 31426415.585400194380614231628318,
     248874557.86205415651146038641323, 1439720407.3117216736632230727950, 6039542586.3520280050642916443073,
     17921034426.037209699919755754459, 35711959237.355668049440185451547, 42919803642.649098768957899047002,
     23531376880.410759688572007674452),
    (1.0, 66.0, 1925.0, 32670.0, 357423.0, 2637558.0, 13339535.0, 45995730.0, 105258076.0, 150917976.0, 120543840.0,
     39916800.0, 0.0),
)  # fmt: skip

#: Bernoulli's numbers of even index, B(2) first.
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
    854513 / 138, -236364091 / 2730,
)  # fmt: skip
#: Stirling's series in 1 / x**2, after log(x), and that of its derivative; the highest power first.
_STIRLING = [b / (2 * k * (2 * k - 1)) for k, b in reversed([*enumerate(_BERNOULLI[:8], 1)])]
_OF_DIGAMMA = [b / (2 * k) for k, b in reversed([*enumerate(_BERNOULLI[:8], 1)])]


def _sine(x: Array) -> Array:
    """Compute ``sin(pi * x)``, exactly 0 at integers."""
    whole = lw.round(x)
    sine = lw.sin((x - whole) * math.pi)
    return lw.where(_is_odd(whole), -sine, sine)


def _is_odd(whole: Array) -> Array:
    return whole / 2 != lw.floor(whole / 2)


def log_gamma_of_next(x: Array) -> Array:
    """Compute the logarithm of ``gamma(1 + x)`` between -0.5 and 0.5, without rounding ``1 + x``."""
    return x * (_AT_1 + x * quotient(x, *_AROUND_1))


def _log_of_positive(x: Array) -> Array:
    """Compute the logarithm of the gamma function of numbers from 0 on."""
    near_0, below = x <= 0.5, x < 0.6796875
    around_1 = lw.logical_or(near_0, lw.logical_and(lw.logical_not(below), x <= 1.5))
    first = lw.clip(lw.where(near_0, x, x - 1), -0.5, 0.5)
    second = lw.clip(lw.where(below, x - 1, x - 2), -0.5, 2)
    low = lw.where(
        around_1,
        log_gamma_of_next(first),
        second * (_AT_2 + second * quotient(second, *_AROUND_2)),
    )
    low = lw.where(below, low - lw.log(lw.where(below, x, 1.0)), low)
    third = lw.clip(x, 4, 12) - 4
    low = lw.where(x > 4, _AT_4 + third * quotient(third, *_TO_12), low)
    large = lw.maximum(x, 12.0)
    log = lw.log(large)
    high = large * (log - 1) - log / 2 + _HALF_LOG_TAU + stirling_rest(large)
    return lw.where(x > 12, lw.where(x == math.inf, math.inf, high), low)


def stirling_rest(x: Array) -> Array:
    """Compute what Stirling's formula of log(gamma(x)) leaves out, for 10 and more."""
    return polynomial(lw.square(1 / x), _STIRLING) / x


def _gammaln(x: Array) -> Array:
    size = lw.abs(x)
    negative = x < 0
    plain = _log_of_positive(size)
    sine = lw.abs(_sine(lw.where(negative, x, 0.5)))
    pole = lw.logical_and(negative, sine == 0)
    reflected = lw.log(math.pi / (sine * lw.where(negative, size, 1.0))) - plain
    reflected = lw.where(lw.logical_or(pole, size == math.inf), math.inf, reflected)
    return lw.where(negative, reflected, plain)


def _lanczos(x: Array) -> Array:
    """Compute by Lanczos' sum, and by reflection for what is below zero. The rounding of ``x + g`` is put right."""
    tiny, limit = float(lw.finfo(x.dtype).smallest_normal), 60.0 if x.dtype.bits == 32 else 250.0
    size = lw.clip(lw.abs(x), tiny, limit)
    base = size + (_LANCZOS_G - 0.5)
    error = (_LANCZOS_G - 0.5) - (base - size)
    power = size - 0.5
    correction = 1 - error * _LANCZOS_G / base
    total = quotient(size, *_LANCZOS) * correction
    negative = x < 0
    sine = _sine(lw.where(negative, x, 0.5))
    half = lw.pow(base, power / 2)  # the whole power leaves the range before the result
    falling = lw.exp(-base)
    positive = total * half * falling * half
    reflected = math.pi / (sine * size * total) / half / falling / half
    reflected = lw.where(lw.abs(x) > limit, sine * 0.0, reflected)
    reflected = lw.where(sine == 0, math.nan, reflected)
    plain = lw.where(x > limit, math.inf, positive)
    return lw.where(lw.isnan(x), x, lw.where(size > lw.abs(x), 1 / x, lw.where(negative, reflected, plain)))


def _gamma(x: Array) -> Array:
    """Compute the gamma function with the slope ``gamma(x) * digamma(x)``: the factors of `_lanczos` have derivatives
    that leave the range, and cancel."""
    log, out = gammaln(x), lw.stop_gradient(_lanczos(x))
    smooth = lw.isfinite(log)
    plain = lw.where(smooth, x, 1.0)
    log = gammaln(plain)
    carried = out * lw.exp(log - lw.stop_gradient(log))  # which is out * 1
    zero = x == 0
    rest = lw.where(lw.logical_or(smooth, zero), 1.0, x) * lw.where(x > 0, lw.full_like(x, math.inf), math.nan)
    return lw.where(smooth, carried, lw.where(zero, 1 / lw.where(zero, x, 1.0), rest))


def _digamma(x: Array) -> Array:
    negative = x <= 0
    size = lw.where(negative, 1 - x, x)
    small = size < 10
    shift = lw.zeros_like(x)
    steps = lw.where(small, size, 10.0)
    for k in range(10):
        shift = shift + 1 / (steps + k)
    large = lw.where(small, size + 10, size)
    inverse = 1 / large
    series = lw.log(large) - inverse / 2 - polynomial(lw.square(inverse), [*_OF_DIGAMMA, 0.0])
    plain = lw.where(small, series - shift, series)
    part = (x - lw.round(x)) * math.pi
    pole = lw.logical_and(negative, part == 0)
    reflected = plain - math.pi / lw.tan(lw.where(lw.logical_or(pole, lw.logical_not(negative)), 1.0, part))
    at_pole = lw.where(x == 0, -lw.copysign(lw.full_like(x, math.inf), x), math.nan)
    return lw.where(negative, lw.where(pole, at_pole, reflected), plain)


def _zeta(x: Array, q: Array) -> Array:
    """Add ten terms and the rest by Euler and Maclaurin's formula."""
    inside = lw.logical_and(x > 1, q > 0)
    x, start = lw.where(inside, x, 2.0), lw.where(inside, q, 1.0)
    total = lw.pow(start, -x)
    for k in range(1, 10):
        total = total + lw.pow(start + k, -x)
    end = start + 10
    term = lw.pow(end, -x)
    total = total + term * (end / (x - 1) + 0.5)
    term = term * x / end
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + term * (b / math.factorial(2 * k))
        term = term / end * (x + (2 * k - 1)) / end * (x + 2 * k)
    return lw.where(inside, lw.where(start == math.inf, 0.0, total), math.nan)


def _zeta_everywhere(x: Array, q: Array) -> Array:
    pole = lw.logical_or(x == 1, lw.logical_and(lw.logical_and(x > 1, q <= 0), q == lw.floor(q)))
    pole = lw.logical_and(pole, lw.logical_not(lw.isnan(q)))
    return lw.where(pole, math.inf, lw.where(lw.logical_and(x == math.inf, q == 1), 1.0, _zeta_of_reals(x, q)))


def _zeta_of_reals(x: Array, q: Array) -> Array:
    """Compute the function of negative q, which there is for integers x. The sum over all integers k of
    ``(q + k)**-x`` has a period of 1; what is below ``k = 0`` in it is ``(-1)**x * zeta(x, 1 - q)``."""
    below = lw.logical_and(lw.logical_and(x > 1, x == lw.floor(x)), lw.logical_and(q < 0, q != lw.floor(q)))
    finite = lw.where(below, q, 0.5)
    offset = finite - lw.round(finite)
    near = lw.abs(offset)
    sums = _zeta(x, lw.stack([
        lw.where(below, near, q), lw.where(below, 1 - near, 1.0), lw.where(below, 1 - finite, 1.0),
    ]))  # fmt: skip
    sign = 1 - 2 * lw.astype(_is_odd(lw.where(below, x, 2.0)), q.dtype)
    first, second = lw.where(offset > 0, sums[0], sums[1]), lw.where(offset > 0, sums[1], sums[0])
    return lw.where(below, first + sign * (second - sums[2]), sums[0])


def _polygamma(n: Array, x: Array) -> Array:
    order = lw.where(n > 0, n, 1.0)
    sign = 2 * lw.astype(_is_odd(order), x.dtype) - 1
    result = sign * gamma(order + 1) * zeta(order + 1, x)
    valid = lw.logical_and(n >= 0, n == lw.floor(n))
    return lw.where(n == 0, digamma(x), lw.where(valid, result, math.nan))


def _in_order(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the smaller and the larger number of each pair. Of two equal numbers, each is returned once, so that each
    has its own derivative. A minimum and a maximum may both give their derivatives to the same number."""
    exchanged = a > b
    return lw.where(exchanged, b, a), lw.where(exchanged, a, b)


def _betaln(a: Array, b: Array) -> Array:
    small, large = _in_order(a, b)
    plain = gammaln(small) + (gammaln(large) - gammaln(small + large))
    both = lw.logical_and(small > 0, large >= 10)
    part, far = lw.where(both, small, 1.0), lw.where(both, large, 10.0)
    rest = stirling_rest(far) - stirling_rest(part + far)
    falling = part * (1 - lw.log(part + far)) - (far - 0.5) * lw.log1p(part / far)
    return lw.where(both, gammaln(part) + (falling + rest), plain)


def _beta(a: Array, b: Array) -> Array:
    """Compute the beta function, with its limits. An integer that is not positive has no gamma function; if the other
    number is a positive integer, there may be a limit, which SciPy takes: ``(-1)**b * beta(1 - a - b, b)``."""
    pole = _is_pole(a)
    least, other = lw.where(pole, a, b), lw.where(pole, b, a)
    pole = lw.logical_or(pole, _is_pole(b))
    whole, rest = other == lw.floor(other), 1 - least - other
    limit = lw.logical_and(lw.logical_and(pole, whole), lw.logical_and(other > 0, rest > 0))
    beyond = lw.logical_and(pole, lw.logical_not(limit))
    odd = lw.logical_and(whole, _is_odd(lw.where(whole, other, 0.0)))
    p, q = (lw.where(limit, x, lw.where(beyond, 1.0, y)) for x, y in ((rest, a), (other, b)))
    value = _beta_without_poles(p, q) * (1 - 2 * lw.astype(lw.logical_and(limit, odd), a.dtype))
    infinite = (1 - 2 * lw.astype(lw.logical_and(other <= 0, odd), a.dtype)) * math.inf
    value = lw.where(lw.logical_and(lw.maximum(a, b) == math.inf, lw.minimum(a, b) > 0), 0.0, value)
    return lw.where(beyond, lw.where(lw.isnan(other), math.nan, infinite), value)


def _is_pole(x: Array) -> Array:
    """Return whether numbers are integers that are not positive."""
    return lw.logical_and(lw.logical_and(x <= 0, x > -math.inf), x == lw.floor(x))


def _beta_without_poles(a: Array, b: Array) -> Array:
    limit = 34.0 if a.dtype.bits == 32 else 170.0
    total = a + b
    moderate = lw.logical_and(lw.maximum(lw.abs(a), lw.abs(b)) < limit, lw.abs(total) < limit)
    p, q, s = (lw.where(moderate, x, 1.0) for x in (*_in_order(a, b), total))
    pole = lw.logical_and(s <= 0, s == lw.floor(s))
    # The quotient that stays in the range comes first. At a pole of gamma(s) its reciprocal is 0, and has a derivative.
    least = lw.where(pole, s, 0.0)
    sine = lw.sin(math.pi * (least - lw.floor(least))) / math.pi * (1 - 2 * lw.astype(_is_odd(least), s.dtype))
    large, total_or_next = gamma(q), gamma(lw.where(pole, 1 - s, s))
    plain = lw.where(pole, large * (total_or_next * sine), large / total_or_next) * gamma(p) + 0.0  # no negative zero
    sign = _sign_of_gamma(a) * _sign_of_gamma(b) * _sign_of_gamma(total)
    far = (lw.where(moderate, limit, x) for x in (a, b))
    return lw.where(moderate, plain, sign * lw.exp(betaln(*far)))


def _sign_of_gamma(x: Array) -> Array:
    return 1 - 2 * lw.astype(lw.logical_and(x < 0, _is_odd(lw.floor(x))), x.dtype)


@op("real floating")
def gamma(x: Array, /) -> Array:
    """Compute the gamma function of each element: ``(x - 1)!`` for integers.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinities with the sign of the zero at zeros, nan at negative integers and -infinity.

    Notes
    -----
    JAX and SciPy have it. Elsewhere it is computed by C. Lanczos' sum (SIAM Journal on Numerical Analysis 1, 1964) with
    the coefficients of Boost, to 16 units in the last place.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.gamma(lw.asarray([0.5, 5.0]))
    Array([ 1.7724539, 24.       ], dtype=float32)
    """
    return in_float32(_gamma, x)


@op("real floating")
def gammaln(x: Array, /) -> Array:
    """Compute the logarithm of the absolute value of the gamma function of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinity at 0, negative integers and both infinities.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes the rational functions of W. J. Cody and
    K. E. Hillstrom, Chebyshev approximations for the natural logarithm of the gamma function, Mathematics of
    Computation 21 (1967), to 8 units in the last place, and near the zeros to 8 units in the last place of 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.gammaln(lw.asarray([1.0, 0.5, 100.0]))
    Array([  0.       ,   0.5723649, 359.13422  ], dtype=float32)
    """
    return in_float32(_gammaln, x)


@op("real floating")
def digamma(x: Array, /) -> Array:
    """Compute the derivative of the logarithm of the gamma function of each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x. Infinities with the other sign at zeros, nan at negative integers.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes ten steps of the recurrence
    ``digamma(x + 1) - 1 / x`` and the asymptotic series (Abramowitz and Stegun, 6.3.18), to 8 units in the last place
    of positive x. Near the zeros, as that at 1.46, the error of all but SciPy is relative to 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.digamma(lw.asarray([1.0, 10.0]))
    Array([-0.5772157,  2.2517526], dtype=float32)
    """
    return in_float32(_digamma, x)


@op("real floating")
def zeta(x: Array | float, q: Array | float, /) -> Array:
    """Compute Hurwitz' zeta function: the sum of ``(q + k)**-x`` over k from 0 on.

    Parameters
    ----------
    x, q: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays. Riemann's function
        is that of q = 1.

    Returns
    -------
    The common dtype of the two, the default float for integers. Infinity for x = 1 and where q is 0 or a negative
    integer; nan for x below 1.

    Notes
    -----
    PyTorch, JAX, TensorFlow and SciPy have it. NumPy without SciPy computes Euler and Maclaurin's formula after ten
    terms, to 32 units in the last place; it gives nan for other negative q.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.zeta(lw.asarray([2.0, 4.0]), 1)
    Array([1.644934 , 1.0823232], dtype=float32)
    """
    return in_float32(_zeta_everywhere, x, q)


@op("real floating")
def polygamma(n: Array | int, x: Array | float, /) -> Array:
    """Compute a derivative of `digamma`, the n-th one.

    Parameters
    ----------
    n: integers from 0 on, of any real numeric dtype; 0 is `digamma` itself.
    x: a shape that broadcasts with that of n, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The common dtype of the two, the default float for integers. nan where n is negative or no integer.

    Notes
    -----
    ``(-1)**(n + 1) * gamma(n + 1) * zeta(n + 1, x)`` where a framework does not have it for arrays of n, as PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.polygamma(1, lw.asarray([1.0, 2.0]))
    Array([1.644934  , 0.64493406], dtype=float32)
    """
    return in_float32(_polygamma, n, x)


@op("real floating")
def betaln(a: Array | float, b: Array | float, /) -> Array:
    """Compute the logarithm of the absolute value of the beta function.

    Parameters
    ----------
    a, b: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers.

    Notes
    -----
    ``gammaln(a) + gammaln(b) - gammaln(a + b)``, where frameworks do not have it; where one of the two is 10 or more
    the difference of the last two is computed without cancellation from Stirling's series.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.betaln(lw.asarray([1.0, 1000.0]), 2)
    Array([ -0.6931472, -13.81651  ], dtype=float32)
    """
    return in_float32(_betaln, a, b)


@op("real floating")
def beta(a: Array | float, b: Array | float, /) -> Array:
    """Compute the beta function: ``gamma(a) * gamma(b) / gamma(a + b)``.

    Parameters
    ----------
    a, b: real numeric dtypes and shapes that broadcast together; Python scalars are 0-d arrays.

    Returns
    -------
    The common dtype of the two, the default float for integers.

    Notes
    -----
    JAX and SciPy have it. Elsewhere it is the quotient of gamma functions where these are in the range, and the
    exponential of `betaln` otherwise.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.special.beta(lw.asarray([1.0, 2.0]), 3)
    Array([0.33333334, 0.08333334], dtype=float32)
    """
    return in_float32(_beta, a, b)
