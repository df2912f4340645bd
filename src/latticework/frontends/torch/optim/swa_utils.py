"""`torch.optim.swa_utils`: averages of a model's parameters over the steps of its training."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import chain
from typing import Any

from ..autograd.modes import no_grad
from ..core import ops
from ..nn.modules.module import Module
from .scheduler import LRScheduler, for_groups
from .updating import assign

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


def _of_each(average: Any) -> Any:
    """Make a function of lists of tensors of one of two tensors: it writes the averages into the first list."""

    @no_grad()
    def update(averages: Any, current: Any, num_averaged: Any) -> None:
        for mean, new in zip(averages, current, strict=True):
            found = average(mean.detach(), new.detach(), num_averaged)
            assign(mean, found if found.dtype is mean.dtype else found.to(mean.dtype))

    return update


def get_ema_avg_fn(decay=0.999):
    """Return a function that computes a moving average: it keeps the part `decay` of itself.

    Raises
    ------
    ValueError: the part is not between 0 and 1.
    """
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    @no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return ema_param * decay + current_param * (1 - decay)

    return ema_update


def get_swa_avg_fn():
    """Return a function that computes the mean of all tensors so far, with the next one."""

    @no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    """Return a function that writes moving averages into a list of tensors, as `get_ema_avg_fn`."""
    return _of_each(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn():
    """Return a function that writes means into a list of tensors, as `get_swa_avg_fn`."""
    return _of_each(get_swa_avg_fn())


@no_grad()
def update_bn(loader, model, device=None):
    """Compute the statistics of batch normalisation again, from all batches of a loader.

    Parameters
    ----------
    loader: batches: tensors, or sequences whose first element is one.
    model: a module, which is called with each batch.
    device: where the batches are moved to.
    """
    momenta = {m: m.momentum for m in model.modules() if "_BatchNorm" in [c.__name__ for c in type(m).__mro__]}
    if not momenta:
        return
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    was_training = model.training
    model.train()
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Let the learning rates go to `swa_lr` in `anneal_epochs` epochs, and stay there.

    Parameters
    ----------
    anneal_strategy: the curve: "cos" or "linear".
    """

    _outside = ("optimizer", "anneal_func")

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for lr, group in zip(for_groups("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, strategy: str) -> None:
        self._anneal_strategy = strategy
        self.anneal_func = _cosine if strategy == "cos" else _linear

    def get_lr(self):
        """Compute the learning rates of this epoch."""
        self._warn()
        n = self._step_count - 1
        if not self.anneal_epochs:
            n = max(1, n)
        before, now = [self.anneal_func(max(0, min(1, k / max(1, self.anneal_epochs)))) for k in (n - 1, n)]
        found = []
        for group in self.optimizer.param_groups:
            lr, end = group["lr"], group["swa_lr"]
            start = end if before == 1 else (lr - before * end) / (1 - before)
            found.append(end * now + start * (1 - now))
        return found

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)


def _linear(t: float) -> float:
    return t


def _cosine(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


class AveragedModel(Module):
    """A model whose parameters are averages of those of another one, over the steps of its training.

    Parameters
    ----------
    model: the model that is trained. A copy of it is `module`.
    device: where the copy lies.
    avg_fn: a function of an average, a parameter and how many were averaged, which returns the new average.
    multi_avg_fn: such a function of lists, which writes into the first one.
    use_buffers: whether buffers are averaged too. By default they are copied.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", ops.zeros((), dtype="int64"))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Average once more, with the parameters that a model has now."""
        with no_grad():
            ours, theirs = [
                [*(chain(m.parameters(), m.buffers()) if self.use_buffers else m.parameters())]
                for m in (self.module, model)
            ]
            if int(self.n_averaged) == 0:
                for mean, new in zip(ours, theirs, strict=True):
                    assign(mean, new.detach().to(mean.device))
            elif self.multi_avg_fn is not None:
                self.multi_avg_fn(ours, [x.detach() for x in theirs], self.n_averaged)
            else:
                _of_each(self.avg_fn or get_swa_avg_fn())(ours, theirs, self.n_averaged)
            if not self.use_buffers:
                for mean, new in zip(self.module.buffers(), model.buffers(), strict=True):
                    assign(mean, new.detach().to(mean.device))
            self.n_averaged += 1
