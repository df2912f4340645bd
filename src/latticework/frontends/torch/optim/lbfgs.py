"""L-BFGS: steps of Newton's method, with the curvature from the last changes of the gradient.

Slopes and distances are numbers of the parameters' dtype, as PyTorch has them in tensors without axes. Near the end the
slope times the distance is less than the loss is rounded by. In this dtype an equal loss is low enough then; in float64
it is not, and each step would search to its last evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..autograd.modes import enable_grad, no_grad
from ..core import ops
from ..shaping import view_as_complex, view_as_real
from ..tensor import Tensor
from .optimizer import Optimizer
from .updating import assign, checked, computed, lr_of

__all__ = ["LBFGS"]


class _Point(NamedTuple):
    """What is known at a distance along the direction: the loss, its gradient, and its slope along the direction."""

    at: Any
    loss: float
    g: Any
    slope: Any


@np.errstate(all="ignore")
def _lowest(a: _Point, b: _Point, low: Any = None, high: Any = None) -> Any:
    """Return where the cubic through two points, with their slopes, is lowest between two bounds."""
    if a.at > b.at:
        a, b = b, a
    low, high = a.at if low is None else low, b.at if high is None else high
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(square)
    found = b.at - (b.at - a.at) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(found, low), high)


def _searched(
    point: Callable[[Any], _Point], t: Any, start: _Point, size: Any, most: int, near: float = 1e-9
) -> tuple[_Point, int]:
    """Search for a distance that meets the strong conditions of Wolfe: less loss, and much less slope.

    Parameters
    ----------
    point: it evaluates the loss at a distance.
    t: the distance to begin with.
    start: the point at the distance 0.
    size: the largest element of the direction.
    most: how many distances are tried, after the first one.
    near: how small the part of the line may become.

    Returns
    -------
    The point, and how many times the loss was evaluated.
    """

    @np.errstate(all="ignore")
    def too_high(x: _Point) -> bool:
        return bool(x.loss > start.loss + 1e-4 * x.at * start.slope)

    def flat(x: _Point) -> bool:
        return bool(abs(x.slope) <= -0.9 * start.slope)

    before, now, tries, done = start, point(t), 0, False
    while tries < most:
        if flat(now) and not (too_high(now) or (tries > 1 and now.loss >= before.loss)):
            return now, tries + 1
        if too_high(now) or (tries > 1 and now.loss >= before.loss) or now.slope >= 0:
            ends = [before, now]
            break
        t = _lowest(before, now, now.at + 0.01 * (now.at - before.at), now.at * 10)
        before, now, tries = now, point(t), tries + 1
    else:
        ends = [start, now]
    stuck = False
    low = 0 if ends[0].loss <= ends[1].loss else 1
    while not done and tries < most and abs(ends[1].at - ends[0].at) * size >= near:
        t = _lowest(ends[0], ends[1])
        first, last = sorted(x.at for x in ends)
        margin = 0.1 * (last - first)
        at_end = min(last - t, t - first) < margin
        if at_end and (stuck or not first < t < last):
            t = last - margin if abs(t - last) < abs(t - first) else first + margin
            at_end = False
        stuck = at_end
        now, tries = point(t), tries + 1
        if too_high(now) or now.loss >= ends[low].loss:
            ends[1 - low] = now
            low = 0 if ends[0].loss <= ends[1].loss else 1
            continue
        done = flat(now)
        if not done and now.slope * (ends[1 - low].at - ends[low].at) >= 0:
            ends[1 - low] = ends[low]
        ends[low] = now
    return ends[low], tries + 1


class LBFGS(Optimizer):
    """Go to where the gradient is zero, by steps of Newton's method with an approximate curvature.

    A step evaluates the closure several times. Where it ends with an error, nothing has changed.

    Parameters
    ----------
    params: tensors, in one group.
    lr: the learning rate: what the first step is multiplied by, and all steps where there is no search.
    max_iter: how many directions one step goes along.
    max_eval: how many times a step evaluates the closure; ``max_iter * 1.25`` by default.
    tolerance_grad: the step ends where no element of the gradient is larger.
    tolerance_change: the step ends where neither the loss nor a parameter changes more.
    history_size: how many changes of the gradient are kept.
    line_search_fn: "strong_wolfe", to search for the distance along each direction; None to take the learning rate.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.tensor([3.0, -2.0]).requires_grad_()
    >>> optimizer = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (x * x).sum()
    ...     loss.backward()
    ...     return loss
    >>> first = optimizer.step(closure)
    >>> bool(closure() < 1e-6)
    True
    """

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
        line_search_fn=None,
    ):  # fmt: skip
        if type(lr) is Tensor and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        checked(learning_rate=(lr, bool(lr >= 0.0)))
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure):  # type: ignore[override]  # as PyTorch's
        """Update the parameters, along several directions.

        Parameters
        ----------
        closure: a function that computes the loss and its gradients again, and returns the loss.

        Returns
        -------
        The loss before the step.

        Raises
        ------
        RuntimeError: `line_search_fn` is another one than "strong_wolfe".
        """
        params = self.param_groups[0]["params"]
        state = dict(self.state.get(params[0], {}))
        with no_grad():
            start = [p.detach().clone() for p in params]
            try:
                loss = self._stepped(closure, params, state)
            except BaseException:
                for p, x in zip(params, start, strict=True):
                    assign(p, x)
                raise
        self.state[params[0]].update(state)
        return loss

    def _stepped(self, closure: Callable[[], Any], params: list[Any], state: dict[str, Any]) -> Any:
        group = self.param_groups[0]
        lr, search, flat_enough = float(lr_of(group)), group["line_search_fn"], group["tolerance_grad"]
        if search not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")

        def evaluated() -> Any:
            with enable_grad():
                return closure()

        first = evaluated()
        loss, g, evaluations = float(first), _flat_gradient(params), 1
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        if _largest(g) <= flat_enough:
            return first
        for name in ("old_dirs", "old_stps", "ro"):
            state[name] = [*state.get(name, ())]
        for i in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = _direction(g, state, group["history_size"])
            state["prev_flat_grad"], state["prev_loss"] = g, loss
            t = min(1.0, 1.0 / _number(ops.sum(ops.abs(g)))) * lr if state["n_iter"] == 1 else lr
            state["d"], state["t"] = d, float(t)
            slope = _dot(g, d)
            if slope > -group["tolerance_change"]:
                break
            start = [p.detach().clone() for p in params]
            tried = 0
            if search is not None:

                def point(t: Any, start: Any = start, d: Any = d) -> _Point:
                    _move(params, start, d, t)
                    value = float(evaluated())
                    g = _flat_gradient(params)
                    return _Point(t, value, g, _dot(g, d))

                found, tried = _searched(
                    point, t, _Point(0.0, loss, g, slope), _largest(d), group["max_eval"] - evaluations
                )
                t, loss, g, _ = found
                state["t"] = float(t)
                _move(params, start, d, t)
            else:
                _move(params, start, d, t)
                if i != group["max_iter"]:
                    loss, g, tried = float(evaluated()), _flat_gradient(params), 1
            evaluations += tried
            state["func_evals"] += tried
            if evaluations >= group["max_eval"] or _largest(g) <= flat_enough:
                break
            change = group["tolerance_change"]
            if _largest(d) * abs(t) <= change or abs(loss - state["prev_loss"]) < change:
                break
        return first


@np.errstate(all="ignore")
def _direction(g: Any, state: dict[str, Any], most: int) -> Any:
    """Return the direction of the next step, and note how the gradient has changed in the last one."""
    if state["n_iter"] == 1:
        state["H_diag"] = 1
        return -g
    changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
    y, s = computed(g - state["prev_flat_grad"]), computed(state["d"] * state["t"])
    ys = _dot(y, s)
    if ys > 1e-10:
        if len(changes) == most:
            for kept in (changes, steps, ro):
                kept.pop(0)
        changes.append(y)
        steps.append(s)
        ro.append(float(1.0 / ys))
        state["H_diag"] = float(ys / _dot(y, y))
    q, weights = -g, [0.0] * len(changes)
    for i in reversed(range(len(changes))):
        weights[i] = float(_dot(steps[i], q) * float(ro[i]))
        q = computed(q - changes[i] * weights[i])
    r = q * state["H_diag"]
    for i, weight in enumerate(weights):
        r = computed(r + steps[i] * float(weight - _dot(changes[i], r) * float(ro[i])))
    state["al"] = weights + [None] * (most - len(weights))
    return r


def _number(x: Any) -> Any:
    """Return the element of a tensor as a number of NumPy's, of the same dtype."""
    return x._array.dtype.__numpy_dtype__.type(float(x))


def _dot(x: Any, y: Any) -> Any:
    return _number(ops.sum(x * y))


def _largest(x: Any) -> Any:
    return _number(ops.max(ops.abs(x)))


def _flat_gradient(params: list[Any]) -> Any:
    """Return all gradients in one vector, zeros for a parameter without one."""
    parts = []
    for p in params:
        g = ops.zeros_like(p.detach()) if p.grad is None else p.grad.detach()
        parts.append(ops.reshape(view_as_real(g) if g.is_complex() else g, (-1,)))
    return computed(ops.concat(parts, axis=0) if len(parts) > 1 else parts[0].clone())


def _move(params: list[Any], start: list[Any], d: Any, t: Any) -> None:
    """Set the parameters to where they come from the start, by a distance along a direction."""
    at = 0
    for p, x in zip(params, start, strict=True):
        pairs = p.is_complex()
        x = view_as_real(x) if pairs else x
        count = x.numel()
        x = x + ops.reshape(d[at : at + count], tuple(x.shape)) * float(t)
        assign(p, view_as_complex(x) if pairs else x)
        at += count
