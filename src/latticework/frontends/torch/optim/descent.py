"""Optimizers that go down the gradient: SGD and its average, by signs, by matrices without lengths, in factors."""

from __future__ import annotations

from typing import Any

from ..core import ops
from ..dtypes import finfo, float32
from .optimizer import Optimizer
from .updating import Updating, averaged, checked, decayed, is_zero, lr_of, with_decay

__all__ = ["ASGD", "SGD", "Adafactor", "Muon", "Rprop", "SparseAdam"]


class SGD(Updating):
    """Subtract the gradient times the learning rate, with momentum or without.

    Parameters
    ----------
    params: tensors; or pairs of a name and a tensor; or dicts with the key "params" and the options of a group.
    lr: the learning rate, a number or a tensor of one element.
    momentum: which part of the step before is added to each step.
    dampening: which part of the gradient is left out of the momentum.
    weight_decay: how much of the parameter is added to its gradient.
    nesterov: whether the momentum is that of the step to come.
    maximize: whether to add instead of subtracting.
    differentiable: whether the step itself is recorded. The parameters are no leaves then.
    foreach, fused: they are taken, and change nothing.

    Raises
    ------
    ValueError: an option is outside of what it may be.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.tensor([3.0]).requires_grad_()
    >>> optimizer = torch.optim.SGD([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.5000], requires_grad=True)
    """

    counts = False
    choices = ("weight_decay", "momentum", "dampening", "nesterov")

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None,
        differentiable=False, fused=None,
    ):  # fmt: skip
        checked(
            momentum_value=(momentum, momentum >= 0.0), weight_decay_value=(weight_decay, bool(weight_decay >= 0.0)),
        )  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, lr, {
            "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        })  # fmt: skip

    def _numbers(self, group, n):
        return lr_of(group), group["weight_decay"], group["momentum"], 1 - group["dampening"]

    def update(self, group, p, g, state, n):
        lr, decay, momentum, part = n
        if not is_zero(group["weight_decay"]):
            g = g + p * decay
        if group["momentum"]:
            moving = state.get("momentum_buffer")
            if moving is None:
                moving = g.detach().clone()
            else:
                moving = moving * momentum + (g * part if group["dampening"] else g)
            state["momentum_buffer"] = moving
            g = g + moving * momentum if group["nesterov"] else moving
        return g * lr


class ASGD(Updating):
    """Subtract the gradient times a rate that becomes smaller, and average the parameters on the way.

    Parameters
    ----------
    lambd: how much of the parameter decays with each step.
    alpha: the power by which the rate becomes smaller.
    t0: the step from which on the parameters are averaged.
    """

    zeros = ("ax",)

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        checked(weight_decay_value=(weight_decay, weight_decay >= 0.0))
        super().__init__(params, lr, {
            "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def begun(self, group, p):
        state = super().begun(group, p)
        return state | {"eta": _number(p, lr_of(group)), "mu": p.new_ones((), dtype=float32)}

    def update(self, group, p, g, state, n):
        g, lr, eta, mu, ax = decayed(group, p, g), lr_of(group), state["eta"], float(state["mu"]), state["ax"]
        less = p * (eta * group["lambd"]) + g * eta
        new = p - less
        state["ax"] = new if mu == 1 else ax + (new - ax) * mu
        state["eta"] = _number(p, lr / (1 + group["lambd"] * lr * n) ** group["alpha"])
        state["mu"] = _number(p, 1 / max(1, n - group["t0"]))
        return less


def _number(p: Any, value: Any) -> Any:
    """Return a number as a tensor of float32, on the backend of a parameter."""
    return p.new_full((), float(value), dtype=float32)


class Rprop(Updating):
    """Go by the signs of the gradients alone, in steps that grow as long as the sign stays.

    Parameters
    ----------
    lr: the size of the first step.
    etas: what a step is multiplied by where the sign has changed, and where it has not.
    step_sizes: the smallest and the largest size of a step.
    """

    zeros = ("prev",)

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, lr, {
            "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def begun(self, group, p):
        lr = float(lr_of(group))
        return {**super().begun(group, p), "step_size": ops.full_like(p, complex(lr, lr) if p.is_complex() else lr)}

    def update(self, group, p, g, state, n):
        less, more = group["etas"]
        product = g * state["prev"]
        turned = product < 0
        size = state["step_size"]
        size = ops.where(turned, size * less, ops.where(product > 0, size * more, size))
        size = state["step_size"] = ops.clip(size, *group["step_sizes"])
        g = state["prev"] = ops.where(turned, 0.0, g)
        return ops.sign(g) * size


class Adafactor(Updating):
    """Divide by the root of the average of squared gradients, which of a matrix is kept as a column and a row.

    Parameters
    ----------
    lr: the most that the learning rate is: in later steps it is the reciprocal of the root of their number.
    beta2_decay: the power of the number of steps by which new squares count for less.
    eps: the least square, by default from the dtype, and the least size of a parameter.
    d: the most that the root of the mean of squares of a change may be.
    weight_decay: how much of the parameter is subtracted with each step.
    """

    def __init__(
        self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
        maximize=False,
    ):  # fmt: skip
        checked(
            beta2_decay_value=(beta2_decay, beta2_decay <= 0.0), epsilon1=(eps[0], eps[0] is None or eps[0] >= 0.0),
            epsilon2=(eps[1], eps[1] >= 0.0), clipping_threshold_d=(d, d >= 1.0),
            weight_decay_value=(weight_decay, weight_decay >= 0.0),
        )  # fmt: skip
        super().__init__(params, lr, {
            "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        })  # fmt: skip

    def begun(self, group, p):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state, shape = super().begun(group, p), tuple(p.shape)
        if p.ndim < 2:
            return {**state, "variance": ops.zeros_like(p)}
        return state | {
            "row_var": p.new_zeros((*shape[:-1], 1)),
            "col_var": p.new_zeros((*shape[:-2], 1, shape[-1])),
        }

    def update(self, group, p, g, state, n):
        lr, keep = lr_of(group), 1 - n ** group["beta2_decay"]
        least, smallest = group["eps"]
        least = finfo(p.dtype).eps if least is None else least
        squares = g * g
        if p.ndim < 2:
            v = state["variance"] = averaged(state["variance"], squares, keep)
        else:
            row, col = [
                averaged(state[name], ops.mean(squares, axis=axis, keepdims=True), keep)
                for name, axis in (("row_var", -1), ("col_var", -2))
            ]
            state["row_var"], state["col_var"] = row, col
            v = ops.matmul(row, col) / ops.clip(ops.mean(row, axis=-2, keepdims=True), least, None)
        change = g / ops.sqrt(ops.clip(v, least * least, None))
        size = ops.clip(ops.sqrt(ops.mean(p * p)), smallest, None) * min(lr, n**-0.5)
        clipped = ops.clip(ops.sqrt(ops.mean(change * change)) / group["d"], 1.0, None)
        return with_decay(group, p, change * (size / clipped))


class Muon(Updating):
    """Subtract the average of the gradients of a matrix with all its singular values set near one.

    Parameters
    ----------
    weight_decay: how much of the parameter is subtracted with each step.
    momentum: which part of itself the average keeps.
    nesterov: whether the average is that of the step to come.
    ns_coefficients: the coefficients of the polynomial that brings the singular values near one.
    eps: the least norm to divide by.
    ns_steps: how many times the polynomial is applied.
    adjust_lr_fn: how the learning rate follows the shape: "original" or "match_rms_adamw".

    Raises
    ------
    ValueError: a parameter is no matrix.
    """

    counts = False
    zeros = ("momentum_buffer",)

    def __init__(
        self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None,
    ):  # fmt: skip
        checked(
            momentum_value=(momentum, momentum >= 0.0), weight_decay_value=(weight_decay, weight_decay >= 0.0),
            adjust_lr_fn=(adjust_lr_fn, adjust_lr_fn in (None, "original", "match_rms_adamw")),
        )  # fmt: skip
        super().__init__(params, lr, {
            "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        })  # fmt: skip
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def begun(self, group, p):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return super().begun(group, p)

    def update(self, group, p, g, state, n):
        momentum, (rows, columns) = group["momentum"], p.shape
        moving = state["momentum_buffer"] = averaged(state["momentum_buffer"], g, momentum)
        change = averaged(moving, g, momentum) if group["nesterov"] else moving
        change = _orthogonal(change, group["ns_coefficients"], group["ns_steps"], group["eps"])
        by_rms = group["adjust_lr_fn"] == "match_rms_adamw"
        ratio = 0.2 * max(rows, columns) ** 0.5 if by_rms else max(1.0, rows / columns) ** 0.5
        return with_decay(group, p, change.to(p.dtype) * (lr_of(group) * ratio))


def _orthogonal(x: Any, coefficients: Any, steps: int, eps: float) -> Any:
    """Bring the singular values of a matrix near one, by Newton and Schulz, in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    high = x.shape[0] > x.shape[1]
    x = x.bfloat16()
    x = x.T if high else x
    x = x / ops.clip(x.norm(), eps, None)
    for _ in range(steps):
        gram = x @ x.T
        x = x * a + (gram * b + (gram @ gram) * c) @ x
    return x.T if high else x


class SparseAdam(Optimizer):
    """`Adam` for sparse gradients. There are none here: `step` refuses the gradients, as PyTorch refuses dense ones."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        checked(
            learning_rate=(lr, bool(lr > 0.0)), epsilon_value=(eps, eps > 0.0),
            beta_parameter_at_index_0=(betas[0], 0.0 <= betas[0] < 1.0),
            beta_parameter_at_index_1=(betas[1], 0.0 <= betas[1] < 1.0),
        )  # fmt: skip
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        if any(p.is_complex() for group in self.param_groups for p in group["params"]):
            raise ValueError("SparseAdam does not support complex parameters")

    def step(self, closure=None):
        """Refuse to update: gradients are dense on every backend.

        Raises
        ------
        RuntimeError: a parameter has a gradient.
        """
        loss = None if closure is None else closure()
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead: no backend has sparse "
                "arrays here"
            )
        return loss
