"""`jax.scipy.optimize`: minimization by the method of Broyden, Fletcher, Goldfarb and Shanno.

The line search is that of Nocedal and Wright's "Numerical Optimization", algorithms 3.5 and 3.6: it brackets a step
that satisfies the strong Wolfe conditions, and narrows the bracket.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import lax
from .. import numpy as jnp
from ..core import as_array, describe
from ..transformations import value_and_grad

__all__ = ["OptimizeResults"]


class OptimizeResults(NamedTuple):
    """What a minimization ends with.

    Attributes
    ----------
    x: where it ends.
    success: whether it has converged.
    status: 0 where it has converged, 1 at the limit of iterations, 3 where a line search failed.
    fun: the value there.
    jac: the gradient there.
    hess_inv: the estimate of the inverse of the Hessian.
    nfev, njev, nit: the numbers of values, gradients and iterations.
    """

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: Any
    njev: Any
    nit: Any


def minimize(fun: Any, x0: Any, args: tuple[Any, ...] = (), *, method: str, tol: float | None = None,
             options: Any = None) -> OptimizeResults:  # fmt: skip
    options = {} if options is None else dict(options)
    if not isinstance(args, tuple):
        raise TypeError(f"args argument to jax.scipy.optimize.minimize must be a tuple, got {args}")
    if method.lower() != "bfgs":
        raise ValueError(f"Method {method} not recognized")
    if tol is not None:
        options["gtol"] = tol
    x0 = as_array(x0, "minimize")
    if x0.dtype.kind == "c":
        raise TypeError("minimize: complex arguments are not there. Give the real and imaginary parts")
    x0 = x0 if x0.dtype.kind in "fV" else x0.astype(float)
    return _bfgs(lambda x: fun(x, *args), x0, **options)


class _State(NamedTuple):
    converged: Any
    failed: Any
    k: Any
    nfev: Any
    ngev: Any
    x: Any
    f: Any
    g: Any
    inverse: Any
    before: Any
    line: Any


def _bfgs(
    fun: Callable[..., Any], x0: Any, maxiter: int | None = None, norm: Any = None, gtol: float = 1e-5,
    line_search_maxiter: int = 10,
) -> OptimizeResults:  # fmt: skip
    norm = float("inf") if norm is None else norm
    maxiter = x0.size * 200 if maxiter is None else maxiter
    if x0.ndim != 1:
        raise ValueError(f"minimize: x0 has one axis; got shape {x0.shape}")
    with_slope = value_and_grad(fun)
    f0, g0 = with_slope(x0)
    one = jnp.ones((), dtype="int32")
    start = _State(
        jnp.linalg.norm(g0, ord=norm) < gtol, one < 0, one * 0, one, one, x0, f0, g0, jnp.eye(x0.size, dtype=x0.dtype),
        f0 + jnp.linalg.norm(g0) / 2, one * 0,
    )  # fmt: skip

    def step(s: _State) -> _State:
        direction = -(s.inverse @ s.g)
        found = _search(with_slope, s.x, direction, s.f, s.before, s.g, line_search_maxiter)
        move = found.a * direction
        x, change = s.x + move, found.g - s.g
        curvature = jnp.dot(change, move)
        rho = 1.0 / curvature
        left = jnp.eye(x.size, dtype=x.dtype) - rho * jnp.outer(move, change)
        inverse = left @ s.inverse @ left.T + rho * jnp.outer(move, move)
        inverse = jnp.where(jnp.isfinite(rho), inverse, s.inverse)
        return _State(
            jnp.linalg.norm(found.g, ord=norm) < gtol, found.failed, s.k + 1, s.nfev + found.count,
            s.ngev + found.count, x, found.f, found.g, inverse, s.f, found.status,
        )  # fmt: skip

    end = lax.while_loop(lambda s: ~s.converged & ~s.failed & (s.k < maxiter), step, start)
    status = jnp.where(end.converged, 0, jnp.where(end.k == maxiter, 1, jnp.where(end.failed, 2 + end.line, -1)))
    return OptimizeResults(
        x=end.x, success=end.converged & ~end.failed, status=status, fun=end.f, jac=end.g, hess_inv=end.inverse,
        nfev=end.nfev, njev=end.ngev, nit=end.k,
    )  # fmt: skip


class _Line(NamedTuple):
    """A step along a line.

    Attributes
    ----------
    done, failed: whether the search is over, and whether it has found nothing.
    a, f, g: the step, the value and the gradient there.
    """

    done: Any
    failed: Any
    status: Any
    count: Any
    i: Any
    low: Any
    f_low: Any
    slope_low: Any
    high: Any
    f_high: Any
    a: Any
    f: Any
    g: Any
    bracketed: Any


def _search(
    with_slope: Callable[..., Any], x: Any, direction: Any, f0: Any, before: Any, g0: Any, most: int, c1: float = 1e-4,
    c2: float = 0.9,
) -> _Line:  # fmt: skip
    """Find a step that satisfies the strong Wolfe conditions."""
    slope0 = jnp.dot(g0, direction)
    one = jnp.ones((), dtype="int32")
    first = 1.01 * 2 * (f0 - before) / slope0
    first = jnp.where((first > 1) | ~(first > 0), 1.0, first).astype(x.dtype)
    zero = jnp.zeros((), dtype=x.dtype)
    start = _Line(one < 0, one < 0, one * 0, one * 0, one * 0, zero, f0, slope0, zero, f0, first, f0, g0, one < 0)

    def step(s: _Line) -> _Line:
        f, g = with_slope(x + s.a * direction)
        slope = jnp.dot(g, direction)
        too_high = (f > f0 + c1 * s.a * slope0) | ((f >= s.f_low) & (s.i > 0))
        fits = ~too_high & (jnp.abs(slope) <= -c2 * slope0)
        # Where the slope turns, the bracket lies between this step and the best one.
        turns = ~too_high & jnp.where(s.bracketed, slope * (s.high - s.low) >= 0, slope >= 0)
        high = jnp.where(too_high, s.a, jnp.where(turns, s.low, s.high))
        f_high = jnp.where(too_high, f, jnp.where(turns, s.f_low, s.f_high))
        low, f_low = jnp.where(too_high, s.low, s.a), jnp.where(too_high, s.f_low, f)
        slope_low = jnp.where(too_high, s.slope_low, slope)
        bracketed = s.bracketed | too_high | turns
        width = high - low
        inner = low - slope_low * width**2 / (2 * (f_high - f_low - slope_low * width))
        near = jnp.abs(width) * 0.1
        inside = (inner > jnp.minimum(low, high) + near) & (inner < jnp.maximum(low, high) - near)
        following = jnp.where(bracketed, jnp.where(inside, inner, low + width / 2), 2 * s.a)
        return _Line(
            fits, s.failed, s.status, s.count + 1, s.i + 1, low, f_low, slope_low, high, f_high,
            jnp.where(fits, s.a, following), f, g, bracketed,
        )  # fmt: skip

    end = lax.while_loop(lambda s: ~s.done & (s.i < most * 2), step, start)
    # Without such a step, the best one is taken.
    a = jnp.where(end.done, end.a, end.low)
    f, g = with_slope(x + a * direction)
    failed = ~end.done & ~(f < f0)
    tiny = jnp.where((jnp.abs(direction) < 1e30).all(), 1e-8, 0.0).astype(x.dtype)
    a = jnp.where(end.done | (a > 0), a, tiny)
    return end._replace(a=a, f=f, g=g, failed=failed, status=jnp.where(failed, 1, 0), count=end.count + 1)


describe(globals(), "jax.scipy.optimize")
