"""`torch.func.functional_call` under its old name."""

from __future__ import annotations

import warnings

from ..calling import call
from ..calling import swapped as _reparametrize_module  # noqa: F401  # packages call it

__all__ = ["functional_call"]


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module with other parameters than its own, as `torch.func.functional_call` does, with a warning."""
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated. Please use `torch.func.functional_call` instead",
        FutureWarning,
        stacklevel=2,
    )
    return call(module, parameters_and_buffers, args, kwargs, tie_weights, strict)
