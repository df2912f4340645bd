"""Schedulers that set momenta as well, in cycles, and the one that waits until a metric gets no better."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from .scheduler import OF_EPOCHS, LRScheduler, for_groups, is_optimizer, of_groups, set_option

__all__ = ["CyclicLR", "OneCycleLR", "ReduceLROnPlateau"]


class _WithMomentum(LRScheduler):
    """A scheduler that sets a momentum as well, or the first of the betas."""

    cycle_momentum: bool

    def _begin(self, optimizer: Any, base: Any, most: Any, last_epoch: int) -> tuple[list[Any], list[Any]]:
        """Set the largest momentum, and note both ends in the groups."""
        if not {"momentum", "betas"} & optimizer.defaults.keys():
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        bases, largest = for_groups("base_momentum", optimizer, base), for_groups("max_momentum", optimizer, most)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, bases, largest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return bases, largest

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """Let the learning rates go from `base_lr` to `max_lr` and back, in cycles, and the momenta the other way.

    Parameters
    ----------
    step_size_up, step_size_down: the number of epochs each way.
    mode: how the height of a cycle changes: "triangular", "triangular2" (half each time), "exp_range".
    gamma: of "exp_range", the height is ``gamma ** epoch``.
    scale_fn: a function that returns the height, in place of a mode.
    scale_mode: whether that is given the number of the "cycle" or of the epoch: "iterations".
    cycle_momentum: whether the momenta change.
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
        scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        is_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = for_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom, self.scale_mode = mode, gamma, scale_fn, scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._begin(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is None:
            heights: dict[str, Callable[[float], float]] = {
                "triangular": _as_high, "triangular2": _half_as_high, "exp_range": partial(_power, self.gamma)
            }  # fmt: skip
            self._scale_fn_ref = heights[self.mode]
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x):
        """Return the height of a cycle, by its number or by that of the epoch."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def get_lr(self):
        """Compute the learning rates of this epoch, and set the momenta."""
        self._warn()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in ends:
                self._set_momentum(group, high - (high - low) * part * height)
        return [low + (high - low) * part * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self):
        """Return all that the scheduler knows, but for the optimizer and a function; of an object, its attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        f = state["_scale_fn_custom"]
        state["_scale_fn_custom"] = None if f is None or isinstance(f, FunctionType) else f.__dict__.copy()
        return state

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        attributes = state_dict["_scale_fn_custom"]
        super().load_state_dict({name: x for name, x in state_dict.items() if name != "_scale_fn_custom"})
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


def _as_high(x: float) -> float:
    return 1.0


def _half_as_high(x: float) -> float:
    return 1 / 2.0 ** (x - 1)


def _power(gamma: float, x: float) -> float:
    return gamma**x


class OneCycleLR(_WithMomentum):
    """Let the learning rates go up to `max_lr` and down to nearly zero, once, and the momenta the other way.

    Parameters
    ----------
    total_steps: the number of steps; or `epochs` and `steps_per_epoch`.
    pct_start: the part of the steps in which the learning rates go up.
    anneal_strategy: the curve: "cos" or "linear".
    cycle_momentum: whether the momenta change, between `base_momentum` and `max_momentum`.
    div_factor: `max_lr` over the first learning rate.
    final_div_factor: the first learning rate over the last one.
    three_phase: whether the learning rates go down in two phases, of which the first takes as long as the way up.
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        is_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, n in counts.items() if total_steps is None else [("total_steps", total_steps)]:
            if not isinstance(n, int) or n <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {n}")
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        up = pct_start * self.total_steps
        base, most = "base_momentum", "max_momentum"
        phases = [(up - 1, "initial_lr", "max_lr", most, base)]
        if three_phase:
            phases.append((2 * up - 2, "max_lr", "initial_lr", base, most))
            phases.append((self.total_steps - 1, "initial_lr", "min_lr", most, most))
        else:
            phases.append((self.total_steps - 1, "max_lr", "min_lr", base, most))
        words = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases = [dict(zip(words, phase, strict=True)) for phase in phases]
        self._anneal_func_type = anneal_strategy
        largest = for_groups("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for lr, group in zip(largest, optimizer.param_groups, strict=True):
                group["initial_lr"], group["max_lr"] = lr / div_factor, lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, part: float) -> Any:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self):
        """Compute the learning rates of this step, and set the momenta."""
        self._warn()
        n, start = self.last_epoch, 0.0
        if n > self.total_steps:
            raise ValueError(f"Tried to step {n} times. The specified number of total steps is {self.total_steps}")
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if n <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        part = (n - start) / (end - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal_func(*ends, part))
        return [
            self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part)
            for group in self.optimizer.param_groups
        ]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the learning rates by `factor` when a metric has got no better for a while.

    Parameters
    ----------
    mode: whether the metric has to get smaller, "min", or larger, "max".
    patience: how many epochs without a better metric are let pass.
    threshold: how much better it has to be, in parts of the best one ("rel") or as it is ("abs"): `threshold_mode`.
    cooldown: how many epochs are not counted after a change.
    min_lr: the smallest learning rate, or a list with that of each group.
    eps: the smallest change that is made.
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
        min_lr=0, eps=1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        is_optimizer(optimizer)
        self.factor, self.optimizer, count = factor, optimizer, len(optimizer.param_groups)
        one = not isinstance(min_lr, (list, tuple))
        if not one and len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        self.default_min_lr = min_lr if one else None
        self.min_lrs = [min_lr] * count if one else [*min_lr]
        self.patience, self.cooldown, self.eps, self.last_epoch = patience, cooldown, eps, 0
        self._last_lr = self._lrs()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _reset(self) -> None:
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def _is_better(self, a: float, best: float) -> bool:
        down = self.mode == "min"
        if self.threshold_mode == "rel":
            limit = best * (1.0 - self.threshold if down else self.threshold + 1.0)
        else:
            limit = best - self.threshold if down else best + self.threshold
        return a < limit if down else a > limit

    @property
    def in_cooldown(self):
        """Whether epochs are not counted now."""
        return self.cooldown_counter > 0

    def step(self, metrics, epoch=None):  # type: ignore[override]  # as PyTorch's
        """End an epoch with a metric, and make the learning rates smaller if it is time."""
        current = float(metrics)
        if epoch is not None:
            warnings.warn(OF_EPOCHS, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = of_groups(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}). Set `min_lrs` to as many"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, least)
            if before - after > self.eps:
                set_option(group, "lr", after)

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
