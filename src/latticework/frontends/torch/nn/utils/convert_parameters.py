"""Parameters as one vector."""

from __future__ import annotations

from ...joining import cat
from ...tensor import Tensor
from ..modules.module import kind_of

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _check_devices(parameters: list[Tensor]) -> None:
    if len({p.device for p in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")


def parameters_to_vector(parameters):
    """Return the elements of parameters as one vector, through which gradients go."""
    listed = list(parameters)
    _check_devices(listed)
    return cat([p.reshape(-1) for p in listed])


def vector_to_parameters(vec, parameters):
    """Give parameters the elements of one vector, one parameter after the other.

    Raises
    ------
    TypeError: `vec` is no tensor, or the parameters lie on several devices.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {kind_of(vec)}")
    listed, start = list(parameters), 0
    _check_devices(listed)
    for p in listed:
        p.data = vec[start : start + p.numel()].reshape(p.shape).data
        start += p.numel()
