"""Samplers by rejection, written once for the frameworks that do not have jax.random's numbers.

They go element by element: the number of an element depends on the key, its position and its parameters, and not on
its neighbours. A `Kit` has a framework's functions. The algorithms, and the order in which they use up the generator's
words, are jax.random's, so that the same key gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "MASK", "PARITY", "ROTATIONS", "SMALL_LOGARITHM", "Kit", "binomial", "erfinv", "erfinv_polynomial", "gamma",
    "lgamma", "poisson",
]  # fmt: skip

#: Threefry-2x32: by how much the second word is rotated in each round, and the constant of the third key.
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA
MASK = 0xFFFFFFFF

Words = tuple[Any, Any]


class Kit:
    """A framework's elementwise functions that the samplers need.

    Attributes
    ----------
    threefry: two words of a key and two counters to two words; keys and counters broadcast.
    unit, normal: two words and a dtype to numbers in [0, 1), and of the standard normal distribution.
    fixed: a counter as the framework's word.
    loop: ``loop(active, step, carry, state, constants)`` repeats ``carry, state = step(carry, state, constants)`` for
        the elements where ``active(state, constants)`` holds, until there are none.
    """

    threefry: Callable[..., Words]
    unit: Callable[..., Any]
    normal: Callable[..., Any]
    fixed: Callable[[int], Any]
    loop: Callable[..., Any]
    log: Callable[[Any], Any]
    log1p: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    floor: Callable[[Any], Any]
    ceil: Callable[[Any], Any]
    abs: Callable[[Any], Any]
    lgamma: Callable[[Any], Any]
    where: Callable[..., Any]
    full: Callable[[Any, float], Any]
    take: Callable[..., Any]

    def split(self, key: Words, n: int) -> list[Words]:
        """Return the first n keys that a key splits into."""
        return [self.threefry(*key, self.fixed(0), self.fixed(i)) for i in range(n)]


def gamma(kit: Kit, key: Words, index: Words, a: Any, dtype: Any, *, log: bool) -> Any:
    """Draw gamma numbers, or their logarithms. Marsaglia and Tsang, "A simple method for generating gamma variables"
    (2000).

    Each element has a key of its own. Below 1, a sample of a + 1 is multiplied by U**(1 / a).
    """
    zero, one = kit.full(a, 0), kit.full(a, 1)
    boosted = a < 1
    larger = kit.where(boosted, a + 1, a)
    third = kit.full(a, 1 / 3)
    d = larger - third
    c = third / kit.sqrt(d)
    first, subkey = kit.split(kit.threefry(*key, *index), 2)

    def rejected(state: Any, constants: Any) -> Any:
        _, _, x, v, u = state
        d, _ = constants
        return (u >= 1 - 0.0331 * (x * x)) & (kit.log(u) >= x * 0.5 + d * ((1 - v) + kit.log(v)))

    def attempt(carry: Any, state: Any, constants: Any) -> Any:
        d, c = constants
        key, x_key, u_key = kit.split(state[:2], 3)
        start = kit.full(d, 0)
        _, (_, _, x, v) = kit.loop(_not_positive, positive, (), (*x_key, start, start - 1), (c,))
        return carry, (*key, x * x, v * v * v, kit.unit(*kit.threefry(*u_key, kit.fixed(0), kit.fixed(0)), dtype))

    def positive(carry: Any, state: Any, constants: Any) -> Any:
        key, subkey = kit.split(state[:2], 2)
        x = kit.normal(*kit.threefry(*subkey, kit.fixed(0), kit.fixed(0)), dtype)
        return carry, (*key, x, 1 + x * constants[0])

    _, (_, _, _, v, _) = kit.loop(rejected, attempt, (), (*first, zero, one, one + 1), (d, c))
    u = kit.unit(*kit.threefry(*subkey, kit.fixed(0), kit.fixed(0)), dtype)
    if log:
        samples = kit.log1p(-u)
        boost = kit.where(boosted & (samples != 0), samples * (1 / a), zero)
        return kit.log(d) + kit.log(v) + boost
    return d * v * kit.where(boosted, (1 - u) ** (1 / a), one)


#: The logarithm of a sample x below which the distribution function is ``x**a / gamma(a + 1)`` to all digits, so that
#: the derivative of the logarithm by a is ``(digamma(a + 1) - log(x)) / a``.
SMALL_LOGARITHM = -36.0


def _not_positive(state: Any, constants: Any) -> Any:
    return state[3] <= 0


def poisson(kit: Kit, key: Words, index: Words, lam: Any, dtype: Any) -> Any:
    """Draw Poisson numbers, as floats: Knuth's products of uniform numbers below 10; Hörmann's transformed rejection
    (PTRS, "The transformed rejection method for generating Poisson random variables", 1993) from there on."""
    small = (lam < 10) | (lam != lam)
    zero = kit.full(lam, 0)
    few = _poisson_by_products(kit, key, index, kit.where(small, lam, zero), dtype)
    many = _poisson_by_rejection(kit, key, index, kit.where(small, kit.full(lam, 100_000), lam), ~small, dtype)
    return kit.where(lam == 0, zero, kit.where(small, few, many))


def _poisson_by_products(kit: Kit, key: Words, index: Words, lam: Any, dtype: Any) -> Any:
    def active(state: Any, constants: Any) -> Any:
        return state[1] > -constants[0]

    def step(carry: Any, state: Any, constants: Any) -> Any:
        key, subkey = kit.split(carry, 2)
        _, i0, i1 = constants
        u = kit.unit(*kit.threefry(*subkey, i0, i1), dtype)
        return key, (state[0] + 1, state[1] + kit.log(u))

    zero = kit.full(lam, 0)
    _, (k, _) = kit.loop(active, step, key, (zero, zero), (lam, *index))
    return k - 1


def _poisson_by_rejection(kit: Kit, key: Words, index: Words, lam: Any, wanted: Any, dtype: Any) -> Any:
    def active(state: Any, constants: Any) -> Any:
        return ~state[1]

    def step(carry: Any, state: Any, constants: Any) -> Any:
        lam, i0, i1 = constants
        log_lam = kit.log(lam)
        b = 0.931 + 2.53 * kit.sqrt(lam)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        v_r = 0.9277 - 3.6224 / (b - 2)
        key, first, second = kit.split(carry, 3)
        u = kit.unit(*kit.threefry(*first, i0, i1), dtype) - 0.5
        v = kit.unit(*kit.threefry(*second, i0, i1), dtype)
        u_shifted = 0.5 - kit.abs(u)
        k = kit.floor((2 * a / u_shifted + b) * u + lam + 0.43)
        s = kit.log(v * inverse_alpha / (a / (u_shifted * u_shifted) + b))
        t = -lam + k * log_lam - kit.lgamma(k + 1)
        at_once = (u_shifted >= 0.07) & (v <= v_r)
        reject = (k < 0) | ((u_shifted < 0.013) & (v > u_shifted))
        accepted = at_once | (~reject & (s <= t))
        return key, (kit.where(accepted, k, state[0]), state[1] | accepted)

    _, (k, _) = kit.loop(active, step, key, (kit.full(lam, -1), ~wanted), (lam, *index))
    return k


def binomial(kit: Kit, key: Words, index: Words, n: Any, p: Any, dtype: Any) -> Any:
    """Draw binomial numbers, as floats: sums of geometric numbers where n p is at most 10; Hörmann's BTRS ("The
    generation of binomial random variates", 1993) otherwise. nan where n is negative or a parameter is nan or p is
    outside of [0, 1]."""
    half = p < 0.5
    q = kit.where(half, p, 1 - p)
    n_bad = (n != n) | (n < 0)
    q_nan, q_low = q != q, q < 0
    q = kit.where(q_nan | q_low, kit.full(q, 0.01), q)
    infinite = n == math.inf
    by_inversion = n_bad | (n * q <= 10)
    n = kit.floor(n)
    zero = kit.full(n, 0)
    few = _binomial_by_sums(kit, key, index, kit.where(by_inversion, n, zero), q, by_inversion, dtype)
    n_many = kit.where(by_inversion | infinite, kit.full(n, 10_000), n)
    q_many = kit.where(by_inversion, kit.full(q, 0.5), q)
    many = _binomial_by_rejection(kit, key, index, n_many, q_many, ~(by_inversion | infinite), dtype)
    k = kit.where(by_inversion, few, many)
    invalid = q_low | q_nan | n_bad
    k = kit.where(invalid, kit.full(k, math.nan), kit.where(infinite, kit.full(k, math.inf), k))
    return kit.where(half | invalid | infinite, k, n - k)


def _binomial_by_sums(kit: Kit, key: Words, index: Words, n: Any, q: Any, wanted: Any, dtype: Any) -> Any:
    def active(state: Any, constants: Any) -> Any:
        return (state[1] <= constants[0]) & constants[4]

    def step(carry: Any, state: Any, constants: Any) -> Any:
        n, log1minus, i0, i1, _ = constants
        subkey, key = kit.split(carry, 2)
        k = kit.where(state[1] <= n, state[0] + 1, state[0])
        u = kit.unit(*kit.threefry(*subkey, i0, i1), dtype)
        return key, (k, state[1] + kit.ceil(kit.log(u) / log1minus))

    zero = kit.full(n, 0)
    _, (k, _) = kit.loop(active, step, key, (zero, zero), (n, kit.log1p(-q), *index, wanted))
    return k - 1


#: The differences of log(k!) from Stirling's formula, for k up to 9.
_TAIL = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.010411265261972, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _tail(kit: Kit, k: Any) -> Any:
    square = (k + 1) * (k + 1)
    far = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    near = kit.where(k < 0, kit.full(k, 0), kit.where(k > 9, kit.full(k, 9), k))
    return kit.where(k <= 9, kit.take(_TAIL, kit.floor(near)), far)


def _binomial_by_rejection(kit: Kit, key: Words, index: Words, n: Any, p: Any, wanted: Any, dtype: Any) -> Any:
    def active(state: Any, constants: Any) -> Any:
        return ~state[1]

    def step(carry: Any, state: Any, constants: Any) -> Any:
        n, p, i0, i1 = constants
        deviation = kit.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        c = n * p + 0.5
        v_r = 0.92 - 4.2 / b
        r = p / (1 - p)
        alpha = (2.83 + 5.1 / b) * deviation
        m = kit.floor((n + 1) * p)
        key, first, second = kit.split(carry, 3)
        u = kit.unit(*kit.threefry(*first, i0, i1), dtype) - 0.5
        v = kit.unit(*kit.threefry(*second, i0, i1), dtype)
        us = 0.5 - kit.abs(u)
        at_once = (us >= 0.07) & (v <= v_r)
        k = kit.floor((2 * a / us + b) * u + c)
        reject = (k < 0) | (k > n)
        v = kit.log(v * alpha / (a / (us * us) + b))
        bound = (
            (m + 0.5) * kit.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * kit.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * kit.log(r * (n - k + 1) / (k + 1))
            + _tail(kit, m) + _tail(kit, n - m) - _tail(kit, k) - _tail(kit, n - k)
        )  # fmt: skip
        accepted = at_once | (~reject & (v <= bound))
        return key, (kit.where(accepted, k, state[0]), state[1] | accepted)

    _, (k, _) = kit.loop(active, step, key, (kit.full(n, -1), ~wanted), (n, p, *index))
    return k


# --- special functions ---------------------------------------------------------------------------------------------

#: Lanczos' approximation for g = 7: Godfrey's coefficients.
_LANCZOS = (
    0.99999999999980993227684700473478, 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894, -176.61502916214059906584551354, 12.507343278686904814458936853,
    -0.13857109526572011689554707, 9.984369578019570859563e-6, 1.50563273514931155834e-7,
)  # fmt: skip


def lgamma(x: Any, log: Any) -> Any:
    """Compute the logarithm of the gamma function from 1 on, in float64."""
    z = x - 1
    total = sum((c / (z + i) for i, c in enumerate(_LANCZOS[1:], 1)), start=_LANCZOS[0])
    t = z + 7.5
    return 0.5 * math.log(2 * math.pi) + (z + 0.5) * log(t) - t + log(total)


# --- the inverse of the error function -----------------------------------------------------------------------------

#: Giles, "Approximating the erfinv function" (2010): coefficients of polynomials in w = -log(1 - x**2), shifted.
_SINGLE = (
    (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
     0.246640727, 1.50140941),
    (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
     1.00167406, 2.83297682),
)  # fmt: skip
_DOUBLE = (
    (-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
     -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
     -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
     1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
     -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
     -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356),
    (2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
     1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
     -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
     0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
     0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635),
    (-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
     7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
     2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
     7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
     4.8499064014085844221),
)  # fmt: skip


def erfinv_polynomial(w: Any, sqrt: Any, *, double: bool) -> Iterator[tuple[Any, tuple[float, ...], Any]]:
    """Yield, for each range of w, the mask of its elements, the coefficients of the polynomial, and its argument."""
    if not double:
        yield w < 5, _SINGLE[0], lambda w: w - 2.5
        yield ~(w < 5), _SINGLE[1], lambda w: sqrt(w) - 3
        return
    yield w < 6.25, _DOUBLE[0], lambda w: w - 3.125
    yield ~(w < 6.25) & (w < 16), _DOUBLE[1], lambda w: sqrt(w) - 3.25
    yield ~(w < 16), _DOUBLE[2], lambda w: sqrt(w) - 5


def erfinv(x: Any, log1p: Any, sqrt: Any, where: Any, *, double: bool) -> Any:
    """Compute the inverse of the error function inside of (-1, 1), in float32 or float64."""
    w = -log1p(-x * x)
    result: Any = None
    for inside, coefficients, shift in erfinv_polynomial(w, sqrt, double=double):
        t = shift(w)
        p = t * coefficients[0] + coefficients[1]
        for c in coefficients[2:]:
            p = p * t + c
        result = p if result is None else where(inside, p, result)
    return result * x
