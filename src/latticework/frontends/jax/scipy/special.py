"""`jax.scipy.special`: special functions, in floats of the width that the operands promote to."""

from __future__ import annotations

import math
from typing import Any

from ..core import as_array, dialect, ops, our_dtype
from ..nn import logsumexp
from ..numpy.creation import asarray
from ..numpy.data_types import float_of
from ..transformations import weakened

__all__ = ["logsumexp"]


#: Functions that check their operands themselves, so that complex numbers are a `ValueError`.
_OF_REALS = frozenset("entr beta kl_div rel_entr betainc polygamma".split())


def _call(name: str, *xs: Any) -> Any:
    """Call a latticework function on operands cast to the floating dtype they promote to; weak as `_is_weak` says."""
    arrays = [as_array(x, name) for x in xs]
    if any(x.dtype.kind == "c" for x in arrays) and name not in ("expit", "logit"):
        error = ValueError if name in _OF_REALS else TypeError
        raise error(f"{name} does not support complex inputs")
    strong = name == "beta" or (name in ("kl_div", "rel_entr") and any(x.ndim and not x.weak_type for x in arrays))
    function = _AS_JAX.get(name) or getattr(ops.special, name)
    if not strong and all(x.weak_type and x.dtype.kind == "f" for x in arrays):
        return function(*arrays)
    dtype = our_dtype(float_of(*arrays))
    found = function(*[ops.astype(x, dtype) for x in arrays])
    return weakened(found, [True]) if not strong and _is_weak(arrays) else found


def _rel_entr(p: Any, q: Any) -> Any:
    """JAX subtracts two products where both are positive, and takes nan for a number that is not."""
    unknown = ops.logical_or(ops.isnan(p), ops.isnan(q))
    infinite = ops.logical_and(ops.equal(p, math.inf), ops.greater(q, 0))
    return ops.where(unknown, math.inf, ops.where(infinite, math.nan, ops.special.rel_entr(p, q)))


def _kl_div(p: Any, q: Any) -> Any:
    return ops.add(ops.subtract(_rel_entr(p, q), p), q)


#: Functions whose values at the edges are JAX's own.
_AS_JAX = {"rel_entr": _rel_entr, "kl_div": _kl_div}


def _is_weak(arrays: list[Any]) -> bool:
    """Return whether arrays promote to weak floats: none is a strong float, and a weak one is above the strong ones."""
    strong = {x.dtype.kind for x in arrays if not x.weak_type}
    weak = {x.dtype.kind for x in arrays if x.weak_type}
    return not strong & {"f", "V"} and ("f" in weak or (bool(weak) and strong <= {"b"}))


def _normal(name: str, x: Any) -> Any:
    """A function of the normal distribution, which takes float32 and float64 alone."""
    x = as_array(x, name) if name == "ndtri" else asarray(x)
    if x.dtype.name not in ("float32", "float64"):
        raise TypeError(f"{name}: takes float32 and float64; got {x.dtype}")
    return getattr(ops.special, name)(ops.astype(x, x._array.dtype))


# fmt: off
def gammaln(x: Any) -> Any: return _call("gammaln", x)
def digamma(x: Any) -> Any:
    found = _call("digamma", x)
    return ops.where(as_array(x) == 0, ops.astype(as_array(math.nan), found._array.dtype), found)
def erf(x: Any) -> Any: return _call("erf", x)
def erfc(x: Any) -> Any: return _call("erfc", x)
def erfinv(x: Any) -> Any: return _call("erfinv", x)
def expit(x: Any) -> Any: return _call("expit", x)
def logit(x: Any) -> Any:
    x = as_array(x, "logit")
    return ops.log(ops.divide(x, ops.subtract(1, x))) if x.dtype.kind == "c" else _call("logit", x)
def entr(x: Any) -> Any: return _call("entr", x)
def gamma(x: Any) -> Any: return _call("gamma", x)
def i0(x: Any) -> Any: return _call("i0", x)
def i0e(x: Any) -> Any: return _call("i0e", x)
def i1(x: Any) -> Any: return _call("i1", x)
def i1e(x: Any) -> Any: return _call("i1e", x)
def ndtr(x: Any) -> Any: return _normal("ndtr", x)
def ndtri(p: Any) -> Any: return _normal("ndtri", p)
def log_ndtr(x: Any, series_order: int = 3) -> Any: return _normal("log_ndtr", x)
def beta(a: Any, b: Any) -> Any: return _call("beta", a, b)
def betaln(a: Any, b: Any) -> Any: return _call("betaln", a, b)
def betainc(a: Any, b: Any, x: Any) -> Any: return _call("betainc", a, b, x)
def gammainc(a: Any, x: Any) -> Any: return _call("gammainc", a, x)
def gammaincc(a: Any, x: Any) -> Any: return _call("gammaincc", a, x)
def polygamma(n: Any, x: Any) -> Any:
    if as_array(n, "polygamma").dtype.kind not in "iu":
        raise ValueError(f"polygamma: n must be of integers; got {as_array(n).dtype}")
    return _call("polygamma", n, x)
def zeta(x: Any, q: Any = None) -> Any:
    if q is None:
        raise NotImplementedError("zeta of Riemann is not there in JAX: give q")
    return _call("zeta", x, q)
def xlogy(x: Any, y: Any) -> Any: return _x_times("xlogy", ops.log, x, y)
def xlog1py(x: Any, y: Any) -> Any: return _x_times("xlog1py", ops.log1p, x, y)
def kl_div(p: Any, q: Any) -> Any: return _call("kl_div", p, q)
def rel_entr(p: Any, q: Any) -> Any: return _call("rel_entr", p, q)
# fmt: on


def _x_times(name: str, log: Any, x: Any, y: Any) -> Any:
    """A number times a logarithm, 0 where it is 0, also of complex numbers."""
    x, y = as_array(x, name), as_array(y, name)
    if "c" not in (x.dtype.kind, y.dtype.kind):
        return _call(name, x, y)
    return ops.where(ops.equal(x, 0), 0, ops.multiply(x, log(ops.add(y, 0j))))


def factorial(n: Any, exact: bool = False) -> Any:
    if exact:
        raise NotImplementedError("factorial with exact=True")
    n = as_array(n)
    return ops.where(n < 0, 0, ops.exp(gammaln(n + 1)))


def multigammaln(a: Any, d: Any) -> Any:
    a = as_array(a)
    a = ops.astype(a, our_dtype(float_of(a)))
    total = ops.zeros_like(a) + 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(int(d)):
        total = total + ops.special.gammaln(a - j / 2)
    return total


def softmax(x: Any, /, *, axis: Any = None) -> Any:
    from .. import nn

    return nn.softmax(x, _all(x) if axis is None else axis)


def log_softmax(x: Any, /, *, axis: Any = None) -> Any:
    from .. import nn

    return nn.log_softmax(x, _all(x) if axis is None else axis)


def _all(x: Any) -> tuple[int, ...]:
    return tuple(range(as_array(x).ndim))


dialect.finish(globals(), view="jax.scipy.special")

from .exponential import exp1, expi  # noqa: E402 - it needs jax.numpy

__all__ += ["exp1", "expi"]
