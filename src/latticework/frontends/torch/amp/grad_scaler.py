"""`GradScaler`: it scales losses, so that small gradients do not become zeros in float16."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from ..autograd.modes import no_grad
from ..core import ops
from ..dtypes import float16, float32, int32
from ..objects import gpus
from ..tensor import Tensor

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """What was done with an optimizer since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Multiply losses by a scale, and divide the gradients by it before a step.

    Where a gradient is infinite or nan, the step is left out and the scale becomes smaller. After `growth_interval`
    steps without that it becomes larger.

    Parameters
    ----------
    device: the type of the device: "cuda" or "cpu".
    init_scale: the first scale.
    growth_factor, backoff_factor: what the scale is multiplied by to become larger, and smaller.
    growth_interval: after how many steps it becomes larger.
    enabled: whether anything is scaled. With "cuda" nothing is where there is no GPU.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.ones(2).requires_grad_()
    >>> optimizer = torch.optim.SGD([x], lr=0.5)
    >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale(x.sum()).backward()
    >>> x.grad
    tensor([8., 8.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> x
    tensor([0.5000, 0.5000], requires_grad=True)
    """

    def __init__(
        self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
        enabled=True,
    ):  # fmt: skip
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not gpus():
            warnings.warn("GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._growth_factor, self._backoff_factor = init_scale, growth_factor, backoff_factor
        self._growth_interval, self._init_growth_tracker = growth_interval, 0
        self._scale: Any = None
        self._growth_tracker: Any = None
        self._per_optimizer_states: defaultdict[int, dict[str, Any]] = defaultdict(_fresh)

    def _checked(self, name: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    # --- scaling ----------------------------------------------------------------------------------------------------

    def scale(self, outputs):
        """Multiply a tensor, or each of several ones, by the scale."""
        if not self._enabled:
            return outputs
        if type(outputs) is Tensor:
            if self._scale is None:
                x = outputs.detach()
                self._scale = x.new_full((), self._init_scale, dtype=float32)
                self._growth_tracker = x.new_full((), self._init_growth_tracker, dtype=int32)
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(x) for x in outputs])
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer's parameters by the scale: to clip them before `step`, for example.

        Raises
        ------
        RuntimeError: it was done before, or `step` was, since the last `update`.
        ValueError: a gradient is of float16.
        """
        if not self._enabled:
            return
        self._checked("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(g.dtype is float16 for g in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        with no_grad():
            if grads:
                inverse = 1.0 / float(self._scale)
                fine = [ops.all(ops.isfinite(g)) for g in grads]
                found = 0.0 if all(bool(x) for x in fine) else 1.0
                for g in grads:
                    g.detach_()
                    g *= inverse
                state["found_inf_per_device"] = {grads[0].device: self._scale.new_full((), found)}
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """Call the optimizer's `step`, with gradients that are divided by the scale, unless one is infinite or nan.

        Returns
        -------
        What the optimizer's `step` has returned; None where it was left out.

        Raises
        ------
        RuntimeError: it was called before, since the last `update`; or there is a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._checked("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        bad = any(float(x) for x in state["found_inf_per_device"].values())
        result = None if bad else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Make the scale smaller or larger, as the gradients were, or set it.

        Parameters
        ----------
        new_scale: the new scale, a float or a tensor of one element.
        """
        if not self._enabled:
            return
        self._checked("update")
        if new_scale is not None:
            if type(new_scale) is Tensor and (new_scale.numel() != 1 or new_scale.requires_grad):
                raise AssertionError("new_scale should be a float or a tensor of 1 element with requires_grad=False.")
            self._scale = self._scale.new_full((), float(new_scale))
        else:
            found = [x for s in self._per_optimizer_states.values() for x in s["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            steps, scale = int(self._growth_tracker) + 1, float(self._scale)
            if any(float(x) for x in found):
                steps, scale = 0, scale * self._backoff_factor
            elif steps == self._growth_interval:
                larger = scale * self._growth_factor
                steps, scale = 0, larger if larger < 3.4e38 else scale
            self._scale = self._scale.new_full((), scale)
            self._growth_tracker = self._growth_tracker.new_full((), steps)
        self._per_optimizer_states = defaultdict(_fresh)

    # --- what it knows ----------------------------------------------------------------------------------------------

    def get_scale(self):
        """Return the scale; 1.0 where nothing is scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale)

    # fmt: off
    def get_growth_factor(self): return self._growth_factor
    def set_growth_factor(self, new_factor): self._growth_factor = new_factor
    def get_backoff_factor(self): return self._backoff_factor
    def set_backoff_factor(self, new_factor): self._backoff_factor = new_factor
    def get_growth_interval(self): return self._growth_interval
    def set_growth_interval(self, new_interval): self._growth_interval = new_interval
    def is_enabled(self): return self._enabled
    # fmt: on

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker)

    def state_dict(self):
        """Return the scale and how it changes; nothing where nothing is scaled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker(),
        }  # fmt: skip

    def load_state_dict(self, state_dict):
        """Take what `state_dict` has returned.

        Raises
        ------
        RuntimeError: there is nothing: it comes from a scaler that was not enabled.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        for name in ("growth_factor", "backoff_factor", "growth_interval"):
            setattr(self, f"_{name}", state_dict[name])
        if self._scale is not None:
            self._scale = self._scale.new_full((), self._init_scale)
            self._growth_tracker = self._growth_tracker.new_full((), self._init_growth_tracker)

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"], state["_init_growth_tracker"] = self.get_scale(), self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state
