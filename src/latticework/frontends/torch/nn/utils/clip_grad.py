"""Gradients of parameters: their norm, and limits for it and for their elements."""

from __future__ import annotations

import warnings
from types import GeneratorType
from typing import Any

from ... import linalg
from ...autograd.modes import no_grad
from ...core import ops
from ...tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _listed(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Any) -> list[Any]:
    return [p.grad for p in _listed(parameters) if p.grad is not None]


@no_grad()
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Return the norm of all elements of several tensors, as if they were one vector.

    Parameters
    ----------
    norm_type: the order of the norm; ``inf`` for the largest absolute value.
    error_if_nonfinite: whether a norm that is infinite or nan is an error.
    foreach: it changes nothing.

    Raises
    ------
    RuntimeError: the norm is infinite or nan, and `error_if_nonfinite`.
    """
    found, norm_type = _listed(tensors), float(norm_type)
    if not found:
        return ops.asarray(0.0, dtype="float32")
    norms = [linalg.vector_norm(x, norm_type) for x in found]
    total = linalg.vector_norm(ops.stack([n.to(norms[0].device) for n in norms]), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale the gradients of parameters in place, so that their norm, which is given, becomes `max_norm` at most."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for g in _gradients(parameters):
        g.mul_(factor.to(g.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients of parameters in place, so that the norm of all becomes `max_norm` at most.

    Parameters
    ----------
    parameters: a tensor, or several.
    norm_type: the order of the norm; ``inf`` for the largest absolute value.
    error_if_nonfinite: whether a norm that is infinite or nan is an error.
    foreach: it changes nothing.

    Returns
    -------
    The norm before.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> p = nn.Parameter(torch.tensor([3.0, 4.0]))
    >>> (p * p).sum().backward()
    >>> nn.utils.clip_grad_norm_(p, 1.0)
    tensor(10.)
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    listed = _listed(parameters)
    if not listed and isinstance(parameters, GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total = get_total_norm(_gradients(listed), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(listed, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """`clip_grad_norm_` under its old name, with a warning."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit each element of the gradients of parameters in place: to `clip_value`, and its negative."""
    for g in _gradients(parameters):
        g.clamp_(min=-float(clip_value), max=float(clip_value))
