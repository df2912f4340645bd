"""`torch.optim.lr_scheduler`: learning rates that change with the number of epochs."""

from __future__ import annotations

import math
from bisect import bisect_right
from types import FunctionType
from typing import Any

from .cycles import CyclicLR, OneCycleLR, ReduceLROnPlateau
from .scheduler import (
    ConstantLR,
    ExponentialLR,
    LinearLR,
    LRScheduler,
    MultiStepLR,
    PolynomialLR,
    StepLR,
    set_option,
)

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

_LRScheduler = LRScheduler  # its name before PyTorch 2


class LambdaLR(LRScheduler):
    """Multiply the first learning rates by what a function returns for the epoch: one for all groups, or a list."""

    _outside = ("optimizer", "lr_lambdas")

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = [*lr_lambda]
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """Return all that the scheduler knows, but for the optimizer and functions; of objects, their attributes."""
        own = [None if isinstance(f, FunctionType) else f.__dict__.copy() for f in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": own}

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        self.__dict__.update({name: x for name, x in state_dict.items() if name != "lr_lambdas"})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                f.__dict__.update(attributes)

    def get_lr(self):
        self._warn()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LambdaLR):
    """Multiply the learning rates by what a function returns for the epoch: one for all groups, or a list."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        for f in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self):
        self._warn()
        if self._is_initial:
            return self._lrs()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]


# --- cosines --------------------------------------------------------------------------------------------------------


class CosineAnnealingLR(LRScheduler):
    """Let the learning rates go to `eta_min` and back along a cosine, `T_max` epochs each way."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _wave(self, epoch: float) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self):
        self._warn()
        if self._is_initial:
            return self._lrs()
        least, groups = self.eta_min, self.optimizer.param_groups
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            up = (1 - math.cos(math.pi / self.T_max)) / 2
            return [group["lr"] + (lr - least) * up for lr, group in zip(self.base_lrs, groups, strict=True)]
        factor = self._wave(self.last_epoch) / self._wave(self.last_epoch - 1)
        return [factor * (group["lr"] - least) + least for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [self.eta_min + (lr - self.eta_min) * self._wave(self.last_epoch) / 2 for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Let the learning rates go to `eta_min` along a cosine, and begin again.

    Parameters
    ----------
    T_0: the number of epochs until the first restart.
    T_mult: what that number is multiplied by at each restart.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._warn()
        wave = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * wave for lr in self.base_lrs]

    def step(self, epoch=None):
        """Begin the next epoch, or go to one, which may be a fraction: ``step(epoch + i / batches)``."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self._set_lrs(self.get_lr)


# --- several schedulers ---------------------------------------------------------------------------------------------


class _Several(LRScheduler):
    """A scheduler that is made of others."""

    _outside = ("optimizer", "_schedulers")
    _schedulers: list[Any]

    def _check(self, optimizer: Any, schedulers: Any) -> None:
        name = type(self).__name__
        for i, s in enumerate(schedulers):
            if not hasattr(s, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(s, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau`, whose step needs a metric, but got one at index {i}"
                )
            if s.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(s).__name__} at index {i}, which has another one"
                )

    def state_dict(self):
        """Return all that the scheduler knows, but for the optimizer, with the states of its schedulers."""
        return {**super().state_dict(), "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        self.__dict__.update({name: x for name, x in state_dict.items() if name != "_schedulers"})
        for s, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            s.load_state_dict(state)


class SequentialLR(_Several):
    """Follow one scheduler after the other: the next one from each epoch in `milestones` on."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"Sequential Schedulers expects one scheduler more than milestones, but got {len(schedulers)} "
                f"schedulers and {len(milestones)} milestones"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None):
        """Take back the epoch that each scheduler has begun when it was made."""
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for s in sched._schedulers:
                self.recursive_undo(s)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self):  # type: ignore[override]  # it takes no epoch
        """Begin the next epoch of the scheduler whose turn it is."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        s = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            s._update_lr(0)
        else:
            s.step()
        self._last_lr = s.get_last_lr()


class ChainedScheduler(_Several):
    """Follow several schedulers at once, each with what the one before has set."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer, schedulers)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._lrs()

    def step(self):  # type: ignore[override]  # it takes no epoch
        """Begin the next epoch of all schedulers."""
        for s in self._schedulers:
            s.step()
        self._last_lr = self._lrs()
