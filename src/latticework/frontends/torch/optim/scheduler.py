"""`LRScheduler`: it sets learning rates by the number of the epoch; and those that multiply them by one factor."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import Counter
from functools import wraps
from typing import Any
from weakref import ref

from ..tensor import Tensor
from .optimizer import Optimizer, scalar

__all__ = [
    "ConstantLR", "ExponentialLR", "LRScheduler", "LinearLR", "MultiStepLR", "PolynomialLR", "StepLR", "for_groups",
    "is_optimizer", "of_groups", "set_option",
]  # fmt: skip

OF_EPOCHS = (
    "The epoch parameter in `scheduler.step()` is deprecated: please use `scheduler.step()`. With an epoch, the closed "
    "form of the learning rate is used where there is one"
)


def _kept(value: Any) -> Any:
    """Return a value that no later write changes."""
    return value.detach().clone() if type(value) is Tensor else value


def of_groups(optimizer: Optimizer, name: str) -> list[Any]:
    return [_kept(group[name]) for group in optimizer.param_groups]


def for_groups(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return an option for each group, from one for all or from a list."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * count
    elif len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return [_kept(x) for x in value]


def set_option(group: dict[str, Any], name: str, value: Any) -> None:
    """Set an option of a group: into its tensor, where it is one."""
    if type(group[name]) is Tensor:
        group[name].fill_(scalar(value))
    else:
        group[name] = value


def is_optimizer(x: Any) -> None:
    if not isinstance(x, Optimizer):
        raise TypeError(f"{type(x).__name__} is not an Optimizer")


class LRScheduler:
    """The base of all schedulers: `step` sets the learning rate of each group to what `get_lr` returns.

    Parameters
    ----------
    optimizer: the optimizer whose learning rates are set.
    last_epoch: the number of the last epoch, to go on from; -1 to begin.

    Attributes
    ----------
    base_lrs: the learning rates of the groups at the start.
    last_epoch: the number of the last epoch.

    Raises
    ------
    KeyError: it has to go on, and a group has no "initial_lr".

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    _get_lr_called_within_step = False
    _is_initial = False
    #: The attributes that are no part of the state.
    _outside: tuple[str, ...] = ("optimizer",)

    def __init__(self, optimizer, last_epoch=-1):
        is_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _kept(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    f"last_epoch >= 0. Load the state of the optimizer first"
                )
        self.base_lrs = of_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Return all that the scheduler knows, but for the optimizer."""
        return {name: x for name, x in self.__dict__.items() if name not in self._outside}

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """Return the learning rates that were set last."""
        return self._last_lr

    def get_lr(self):
        """Compute the learning rates of this epoch."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Begin the next epoch, and set its learning rates.

        Parameters
        ----------
        epoch: the number of the epoch to go to.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    "Call `optimizer.step()` before `lr_scheduler.step()`",
                    UserWarning, stacklevel=2,
                )  # fmt: skip
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite "
                    "order: else the first learning rate is left out",
                    UserWarning, stacklevel=2,
                )  # fmt: skip
        self._step_count += 1
        if epoch is not None:
            warnings.warn(OF_EPOCHS, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_lrs(self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_lrs(self, compute: Any) -> None:
        self._get_lr_called_within_step = True
        try:
            values = compute()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_option(group, "lr", lr)
        self._last_lr = of_groups(self.optimizer, "lr")

    def _lrs(self) -> list[Any]:
        return of_groups(self.optimizer, "lr")

    def _warn(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning, stacklevel=3,
            )  # fmt: skip


def _note_steps(optimizer: Optimizer) -> None:
    """Have an optimizer note that its method `step` was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    f, of = optimizer.step.__func__, ref(optimizer)  # type: ignore[attr-defined]

    @wraps(f)
    def step(*args: Any, **kw: Any) -> Any:
        found: Any = of()
        found._opt_called = True
        return f(found, *args, **kw)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    step.optimizer_of = of  # type: ignore[attr-defined]
    optimizer.step = step  # type: ignore[method-assign]


# --- factors --------------------------------------------------------------------------------------------------------


class _Factor(LRScheduler):
    """A scheduler that multiplies the learning rates by one factor in each epoch."""

    def _factor(self) -> float | None:
        """Return the factor of this epoch; None for the learning rates as they are."""
        raise NotImplementedError

    def _whole(self) -> float:
        """Return the product of all factors up to this epoch."""
        raise NotImplementedError

    def get_lr(self):
        self._warn()
        factor = self._factor()
        return self._lrs() if factor is None else [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Any]:
        whole = self._whole()
        return [lr * whole for lr in self.base_lrs]


class StepLR(_Factor):
    """Multiply the learning rates by `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _whole(self):
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(_Factor):
    """Multiply the learning rates by `gamma` at each epoch in `milestones`."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        times = self.milestones.get(self.last_epoch)
        return None if times is None else self.gamma**times

    def _whole(self):
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ConstantLR(_Factor):
    """Multiply the learning rates by `factor` in the first `total_iters` epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.factor
        return None if self.last_epoch != self.total_iters else 1.0 / self.factor

    def _whole(self):
        return 1.0 if self.last_epoch >= self.total_iters else self.factor


class LinearLR(_Factor):
    """Multiply the learning rates by a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        grows = self.end_factor - self.start_factor
        return 1.0 + grows / (self.total_iters * self.start_factor + (self.last_epoch - 1) * grows)

    def _whole(self):
        grows = self.end_factor - self.start_factor
        return self.start_factor + grows * min(self.total_iters, self.last_epoch) / self.total_iters


class ExponentialLR(_Factor):
    """Multiply the learning rates by `gamma` in each epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self._is_initial else self.gamma

    def _whole(self):
        return self.gamma**self.last_epoch


class PolynomialLR(_Factor):
    """Let the learning rates go to zero in `total_iters` epochs, as a power of the epochs that are left."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        now, before = [1.0 - n / self.total_iters for n in (self.last_epoch, self.last_epoch - 1)]
        return (now / before) ** self.power

    def _whole(self):
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
