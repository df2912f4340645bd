"""`jax.experimental.ode`: differential equations, by the steps of Dormand and Prince, with derivatives by the adjoint.

The method is that of Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980), of orders 5 and 4; values
between steps are by the polynomial of Shampine, "Some practical Runge-Kutta formulas" (1986).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from .. import numpy as jnp
from ..core import describe
from ..custom import custom_vjp
from ..flatten_util import ravel_pytree
from ..transformations import vjp

__all__: list[str] = []

_TIMES = np.array([1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0, 0.0])
_STAGES = np.array(
    [
        [1 / 5, 0, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
    ]
)
_STEP = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
_ERROR = _STEP - np.array([1951 / 21600, 0, 22642 / 50085, 451 / 720, -12231 / 42400, 649 / 6300, 1 / 60])
_MIDDLE = np.array([
    6025192743 / 30085553152 / 2, 0, 51252292925 / 65400821598 / 2, -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2, -1776094331 / 19743644256 / 2, 11237099 / 235043384 / 2,
])  # fmt: skip


def odeint(
    func: Any, y0: Any, t: Any, *args: Any, rtol: float = 1.4e-8, atol: float = 1.4e-8, mxstep: Any = jnp.inf,
    hmax: Any = jnp.inf,
) -> Any:  # fmt: skip
    for arg in (*args, t):
        if not hasattr(arg, "dtype") and not _is_tree_of_arrays(arg):
            raise TypeError(f"odeint: the contents of args and t must be arrays or numbers; got {arg!r}")
    flat, unravel = ravel_pytree(y0)
    t = jnp.asarray(t)
    if t.dtype.kind not in "fV":
        raise TypeError(f"t must be an array of floats, but got {t}.")

    def flow(y: Any, at: Any, *more: Any) -> Any:
        return ravel_pytree(func(unravel(y), at, *more))[0]

    ys = _solved(flow, rtol, atol, mxstep, hmax, flat, t, *args)
    from ..transformations import vmap

    return vmap(unravel)(ys)


def _is_tree_of_arrays(tree: Any) -> bool:
    from .. import tree_util

    return all(hasattr(x, "dtype") or isinstance(x, (bool, int, float, complex)) for x in tree_util.tree_leaves(tree))


def _first_step(flow: Any, t: Any, y: Any, slope: Any, rtol: Any, atol: Any, args: Any) -> Any:
    """Hairer, Norsett and Wanner's choice of a first step ("Solving Ordinary Differential Equations I", II.4)."""
    scale = atol + jnp.abs(y) * rtol
    d0, d1 = jnp.linalg.norm(y / scale), jnp.linalg.norm(slope / scale)
    h0 = jnp.where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1)
    d2 = jnp.linalg.norm((flow(y + h0 * slope, t + h0, *args) - slope) / scale) / h0
    h1 = jnp.where((d1 <= 1e-15) & (d2 <= 1e-15), jnp.maximum(1e-6, h0 * 1e-3), (0.01 / jnp.maximum(d1, d2)) ** 0.2)
    return jnp.minimum(100.0 * h0, h1)


def _stages(flow: Any, y: Any, slope: Any, t: Any, h: Any, args: Any) -> Any:
    ks = [slope]
    for i in range(6):
        moved = y
        for weight, k in zip(_STAGES[i], ks, strict=False):
            if weight:
                moved = moved + h * float(weight) * k
        ks.append(flow(moved, t + h * float(_TIMES[i]), *args))
    return ks


def _sum(weights: Any, ks: Any) -> Any:
    parts = [float(w) * k for w, k in zip(weights, ks, strict=True) if w]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _polynomial(y0: Any, y1: Any, middle: Any, slope0: Any, slope1: Any, h: Any) -> Any:
    """The coefficients of the polynomial of degree 4 with these values and slopes."""
    return jnp.stack([
        h * (2 * slope1 - 2 * slope0) - 8 * y1 - 8 * y0 + 16 * middle,
        h * (5 * slope0 - 3 * slope1) + 18 * y0 + 14 * y1 - 32 * middle,
        h * (slope1 - 4 * slope0) - 11 * y0 - 5 * y1 + 16 * middle,
        h * slope0,
        y0,
    ])  # fmt: skip


def _run(flow: Any, rtol: Any, atol: Any, mxstep: Any, hmax: Any, y0: Any, t: Any, *args: Any) -> Any:
    slope = flow(y0, t[0], *args)
    h = jnp.clip(_first_step(flow, t[0], y0, slope, rtol, atol, args), 0.0, hmax).astype(t.dtype)
    start = [y0, slope, t[0], h, t[0], jnp.stack([y0] * 5)]

    def to(carry: Any, target: Any) -> Any:
        def goes_on(state: Any) -> Any:
            i, _, _, at, h, _, _ = state
            return (at < target) & (i < mxstep) & (h > 0)

        def step(state: Any) -> Any:
            i, y, slope, at, h, last, poly = state
            ks = _stages(flow, y, slope, at, h, args)
            end = y + h * _sum(_STEP, ks)
            far = h * _sum(_ERROR, ks) / (atol + rtol * jnp.maximum(jnp.abs(y), jnp.abs(end)))
            ratio = jnp.sqrt(jnp.mean(jnp.abs(far) ** 2))
            new = _polynomial(y, end, y + h * _sum(_MIDDLE, ks), ks[0], ks[-1], h)
            grown = jnp.where(ratio == 0, 10.0, jnp.clip(0.9 * ratio**-0.2, jnp.where(ratio < 1, 1.0, 0.2), 10.0))
            following = jnp.clip(h * grown, 0.0, hmax).astype(h.dtype)
            ok = ratio <= 1
            kept = [jnp.where(ok, a, b) for a, b in ((end, y), (ks[-1], slope), (at + h, at))]
            return [i + 1, *kept, following, jnp.where(ok, at, last), jnp.where(ok, new, poly)]

        y, slope, at, h, last, poly = carry
        state = lax.while_loop(goes_on, step, [jnp.asarray(0), y, slope, at, h, last, poly])
        _, y, slope, at, h, last, poly = state
        where = ((target - last) / jnp.where(at == last, 1.0, at - last)).astype(poly.dtype)
        return [y, slope, at, h, last, poly], jnp.polyval(poly, where)

    _, ys = lax.scan(to, start, t[1:])
    return jnp.concatenate([y0[None], ys])


def _solved(flow: Any, rtol: Any, atol: Any, mxstep: Any, hmax: Any, y0: Any, t: Any, *args: Any) -> Any:
    """The solution, whose derivatives come from the adjoint equation, backwards in time."""

    def run(y0: Any, t: Any, *args: Any) -> Any:
        return _run(flow, rtol, atol, mxstep, hmax, y0, t, *args)

    def forward(y0: Any, t: Any, *args: Any) -> Any:
        ys = run(y0, t, *args)
        return ys, (ys, t, args)

    def backward(kept: Any, g: Any) -> Any:
        ys, t, args = kept
        flat_args, unravel = ravel_pytree(args)
        n = ys.shape[1]

        def adjoint(state: Any, minus_t: Any, *_: Any) -> Any:
            y, y_bar = state[:n], state[n : 2 * n]
            slope, pull = vjp(flow, y, -minus_t, *unravel(flat_args))
            y_of, t_of, *args_of = pull(y_bar)
            rest = ravel_pytree(tuple(args_of))[0] if args_of else jnp.zeros(0, y.dtype)
            return jnp.concatenate([-slope, y_of, jnp.reshape(t_of, 1), rest.astype(y.dtype)])

        def back(carry: Any, i: Any) -> Any:
            y_bar, t_bar, args_bar = carry
            of_t = jnp.dot(flow(ys[i], t[i], *args), g[i])
            t_bar = t_bar - of_t
            state = jnp.concatenate([ys[i], y_bar, jnp.reshape(t_bar, 1), args_bar])
            found = _run(adjoint, rtol, atol, mxstep, hmax, state, jnp.stack([-t[i], -t[i - 1]]))[1]
            y_bar, t_bar, args_bar = found[n : 2 * n], found[2 * n], found[2 * n + 1 :]
            return (y_bar + g[i - 1], t_bar, args_bar), of_t

        start = (g[-1], jnp.zeros((), ys.dtype), jnp.zeros(flat_args.shape, ys.dtype))
        (y_bar, t0_bar, args_bar), rest = lax.scan(back, start, jnp.arange(len(t) - 1, 0, -1))
        t_bar = jnp.concatenate([jnp.reshape(t0_bar, 1), rest[::-1]]).astype(t.dtype)
        return (y_bar, t_bar, *unravel(args_bar.astype(flat_args.dtype)))

    solve = custom_vjp(run)
    solve.defvjp(forward, backward)
    return solve(y0, t, *args)


describe(globals(), "jax.experimental.ode")
