"""Adam and its kin: they divide by averages of what the gradients were."""

from __future__ import annotations

from typing import Any

from ..core import ops
from ..dtypes import float32, float64
from ..tensor import Tensor
from .optimizer import scalar
from .updating import Updating, averaged, checked, decayed, is_zero, lr_of

__all__ = ["Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop"]


def _betas_checked(betas: Any, eps: Any, weight_decay: Any) -> None:
    checked(
        epsilon_value=(eps, eps >= 0.0),
        beta_parameter_at_index_0=(betas[0], bool(0.0 <= betas[0] < 1.0)),
        beta_parameter_at_index_1=(betas[1], bool(0.0 <= betas[1] < 1.0)),
        weight_decay_value=(weight_decay, weight_decay >= 0.0),
    )


class Adam(Updating):
    """Subtract the average of the gradients, divided by the root of the average of their squares.

    Parameters
    ----------
    params: tensors; or pairs of a name and a tensor; or dicts with the key "params" and the options of a group.
    lr: the learning rate, a number or a tensor of one element.
    betas: which part of itself each of the two averages keeps.
    eps: what is added to the divisor.
    weight_decay: how much of the parameter is added to its gradient.
    amsgrad: whether to divide by the largest of the averages of squares.
    maximize: whether to add instead of subtracting.
    differentiable: whether the step itself is recorded. The parameters are no leaves then.
    decoupled_weight_decay: whether the decay is subtracted from the parameter itself, as in `AdamW`.
    foreach, capturable, fused: they are taken, and change nothing.

    Raises
    ------
    ValueError: an option is outside of what it may be.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.tensor([3.0]).requires_grad_()
    >>> optimizer = torch.optim.Adam([x], lr=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (x * x).sum().backward()
    ...     optimizer.step()
    >>> x.detach().round(decimals=2)
    tensor([2.])
    """

    zeros = ("exp_avg", "exp_avg_sq")
    choices = ("weight_decay", "decoupled_weight_decay", "amsgrad")

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
        maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False,
    ):  # fmt: skip
        tensors = [type(b) is Tensor for b in betas]
        if foreach and not capturable and (type(lr) is Tensor or any(tensors)):
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        _betas_checked(betas, eps, weight_decay)
        if tensors[0] is not tensors[1] or not all(type(b) in (float, Tensor) for b in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, b in enumerate(betas):
            if tensors[i] and b.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
        super().__init__(params, lr, {
            "betas": tuple([scalar(b) for b in betas]), "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def begun(self, group, p):
        state = super().begun(group, p)
        return {**state, "max_exp_avg_sq": ops.zeros_like(p)} if group["amsgrad"] else state

    def _numbers(self, group, n):
        (b1, b2), lr, decay = group["betas"], lr_of(group), group["weight_decay"]
        root = (1 - b2**n) ** 0.5  # the averages began with zeros
        decays = lr * decay if group["decoupled_weight_decay"] else decay
        return b1, 1 - b1, b2, 1 - b2, root * group["eps"], lr * root / (1 - b1**n), decays

    def update(self, group, p, g, state, n):
        b1, new1, b2, new2, eps, rate, decay = n
        decays, decoupled = not is_zero(group["weight_decay"]), group["decoupled_weight_decay"]
        g = g + p * decay if decays and not decoupled else g
        m = state["exp_avg"] = state["exp_avg"] * b1 + g * new1
        v = state["exp_avg_sq"] = state["exp_avg_sq"] * b2 + g * g * new2
        if group["amsgrad"]:
            v = state["max_exp_avg_sq"] = ops.maximum(state["max_exp_avg_sq"], v)
        less = m / (ops.sqrt(v) + eps) * rate
        return less + p * decay if decays and decoupled else less


class AdamW(Adam):
    """`Adam` whose weight decay is subtracted from the parameter itself, not added to its gradient."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
        foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


class Adamax(Updating):
    """`Adam` that divides by the largest of the gradients, where older ones count for less."""

    zeros = ("exp_avg", "exp_inf")

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        _betas_checked(betas, eps, weight_decay)
        super().__init__(params, lr, {
            "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def update(self, group, p, g, state, n):
        b1, b2 = group["betas"]
        g = decayed(group, p, g)
        m = state["exp_avg"] = averaged(state["exp_avg"], g, b1)
        most = state["exp_inf"] = ops.maximum(state["exp_inf"] * b2, ops.abs(g) + group["eps"])
        return m / most * (lr_of(group) / (1 - b1**n))


class NAdam(Updating):
    """`Adam` with Nesterov's momentum: the average is that of the step to come."""

    zeros = ("exp_avg", "exp_avg_sq")
    scalars = ("step", "mu_product")
    choices = ("weight_decay", "decoupled_weight_decay")

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        _betas_checked(betas, eps, weight_decay)
        checked(momentum_decay_value=(momentum_decay, momentum_decay >= 0.0))
        super().__init__(params, lr, {
            "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        })  # fmt: skip

    def begun(self, group, p):
        return {**super().begun(group, p), "mu_product": p.new_ones((), dtype=float32)}

    def _carried(self, group, n, state, known):
        b1, product = group["betas"][0], state["mu_product"]
        traced = type(n) is Tensor
        own = id(group), *((id(n), id(product)) if traced else (n, float(product)))
        if own not in known:
            now, after = [b1 * (1.0 - 0.5 * 0.96 ** (k * group["momentum_decay"])) for k in (n, n + 1)]
            made = product * (now.to(float32) if type(now) is Tensor else now)
            known[own] = made, (n, now, after, made.to(float64) if traced else float(made))
        state["mu_product"], found = known[own]
        return own, found

    def _numbers(self, group, n):
        n, now, after, product = n
        (b1, b2), lr, decay = group["betas"], lr_of(group), group["weight_decay"]
        root = (1 - b2**n) ** 0.5
        ahead, along = (1.0 - now) / (1.0 - product), after / (1.0 - product * after)
        decays = lr * decay if group["decoupled_weight_decay"] else decay
        return b1, 1 - b1, b2, 1 - b2, ahead, along, root * group["eps"], lr * root, decays

    def update(self, group, p, g, state, n):
        b1, new1, b2, new2, ahead, along, eps, rate, decay = n
        decays, decoupled = not is_zero(group["weight_decay"]), group["decoupled_weight_decay"]
        g = g + p * decay if decays and not decoupled else g
        m = state["exp_avg"] = state["exp_avg"] * b1 + g * new1
        v = state["exp_avg_sq"] = state["exp_avg_sq"] * b2 + g * g * new2
        less = (g * ahead + m * along) / (ops.sqrt(v) + eps) * rate
        return less + p * decay if decays and decoupled else less


class RAdam(Updating):
    """`Adam` that divides only once the average of the squares is of enough gradients."""

    zeros = ("exp_avg", "exp_avg_sq")
    choices = ("weight_decay", "decoupled_weight_decay")

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        _betas_checked(betas, eps, weight_decay)
        super().__init__(params, lr, {
            "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        })  # fmt: skip

    def _numbers(self, group, n):
        (b1, b2), lr, decay = group["betas"], lr_of(group), group["weight_decay"]
        size, most = lr / (1 - b1**n), 2 / (1 - b2) - 1
        length = most - 2 * n * b2**n / (1 - b2**n)  # of the average of squares, in gradients
        decays = lr * decay if group["decoupled_weight_decay"] else decay
        numbers = b1, 1 - b1, b2, 1 - b2, decays, size
        enough = length > 5.0
        if enough is False:
            return numbers
        if enough is not True:  # of a step that is traced
            length = ops.where(enough, length, 6.0)
        rectified = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        divided = group["eps"], size * (rectified * (1 - b2**n)) ** 0.5
        return (*numbers, *divided) if enough is True else (*numbers, *divided, enough)

    def update(self, group, p, g, state, n):
        b1, new1, b2, new2, decay, size, *divided = n
        decays, decoupled = not is_zero(group["weight_decay"]), group["decoupled_weight_decay"]
        g = g + p * decay if decays and not decoupled else g
        m = state["exp_avg"] = state["exp_avg"] * b1 + g * new1
        v = state["exp_avg_sq"] = state["exp_avg_sq"] * b2 + g * g * new2
        less = m * size if len(divided) != 2 else None
        if divided:
            eps, rate, *enough = divided
            quotient = m / (ops.sqrt(v) + eps) * rate
            less = ops.where(enough[0], quotient, less) if enough else quotient
        return less + p * decay if decays and decoupled else less


class Adagrad(Updating):
    """Subtract the gradient, divided by the root of the sum of all squares of gradients before.

    Parameters
    ----------
    lr_decay: how much smaller the learning rate becomes with each step.
    initial_accumulator_value: what the sum of squares is at first.
    """

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
        maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        checked(
            lr_decay_value=(lr_decay, lr_decay >= 0.0),
            weight_decay_value=(weight_decay, weight_decay >= 0.0),
            initial_accumulator_value_value=(initial_accumulator_value, initial_accumulator_value >= 0.0),
            epsilon_value=(eps, eps >= 0.0),
        )
        super().__init__(params, lr, {
            "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = self.begun(group, p.detach())

    def share_memory(self):
        """Do nothing: a process of its own is given copies."""

    def begun(self, group, p):
        value = self.defaults["initial_accumulator_value"]
        value = complex(value, value) if p.is_complex() else value
        return {**super().begun(group, p), "sum": ops.full_like(p, value)}

    def update(self, group, p, g, state, n):
        g = decayed(group, p, g)
        total = state["sum"] = state["sum"] + g * g
        return g / (ops.sqrt(total) + group["eps"]) * (lr_of(group) / (1 + (n - 1) * group["lr_decay"]))


class Adadelta(Updating):
    """Subtract the gradient, multiplied by the root of the average of squared changes over that of squared gradients.

    Parameters
    ----------
    rho: which part of itself each average keeps.
    """

    zeros = ("square_avg", "acc_delta")

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
        differentiable=False,
    ):  # fmt: skip
        checked(
            rho_value=(rho, 0.0 <= rho <= 1.0), epsilon_value=(eps, eps >= 0.0),
            weight_decay_value=(weight_decay, weight_decay >= 0.0),
        )  # fmt: skip
        super().__init__(params, lr, {
            "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "capturable": capturable,
            "foreach": foreach, "differentiable": differentiable,
        })  # fmt: skip

    def update(self, group, p, g, state, n):
        g, rho, eps = decayed(group, p, g), group["rho"], group["eps"]
        squares = state["square_avg"] = averaged(state["square_avg"], g * g, rho)
        change = ops.sqrt((state["acc_delta"] + eps) / (squares + eps)) * g
        state["acc_delta"] = averaged(state["acc_delta"], change * change, rho)
        return change * lr_of(group)


class RMSprop(Updating):
    """Subtract the gradient, divided by the root of the average of squared gradients.

    Parameters
    ----------
    alpha: which part of itself the average keeps.
    momentum: which part of the step before is added to each step.
    centered: whether to divide by the root of the variance of the gradients.
    """

    zeros = ("square_avg",)

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
        foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        checked(
            epsilon_value=(eps, eps >= 0.0), momentum_value=(momentum, momentum >= 0.0),
            weight_decay_value=(weight_decay, weight_decay >= 0.0), alpha_value=(alpha, alpha >= 0.0),
        )  # fmt: skip
        super().__init__(params, lr, {
            "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered, "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
        })  # fmt: skip

    def begun(self, group, p):
        more = ["momentum_buffer"] * (group["momentum"] > 0) + ["grad_avg"] * group["centered"]
        return super().begun(group, p) | {name: ops.zeros_like(p) for name in more}

    def update(self, group, p, g, state, n):
        g, alpha = decayed(group, p, g), group["alpha"]
        v = state["square_avg"] = averaged(state["square_avg"], g * g, alpha)
        if group["centered"]:
            mean = state["grad_avg"] = averaged(state["grad_avg"], g, alpha)
            v = v - mean * mean
        less = g / (ops.sqrt(v) + group["eps"])
        if group["momentum"] > 0:
            less = state["momentum_buffer"] = state["momentum_buffer"] * group["momentum"] + less
        return less * lr_of(group)
