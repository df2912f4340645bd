"""A weight as its norm and its direction, computed anew before each call of the module. The older way of two."""

from __future__ import annotations

from typing import Any

from ... import linalg
from ..parameter import Parameter, is_lazy

__all__ = ["WeightNorm", "composed", "norms", "remove_weight_norm", "weight_norm"]


def norms(v: Any, dim: int) -> Any:
    """Return the norms of a tensor over all axes but one; over all if that is -1."""
    if dim == -1:
        return linalg.vector_norm(v)
    return linalg.vector_norm(v, 2, [i for i in range(v.dim()) if i != dim], keepdim=True)


def composed(v: Any, g: Any, dim: int) -> Any:
    """Return the weight of a direction and a norm."""
    return v * (g / norms(v, dim))


class WeightNorm:
    """The hook that computes the weight before each call.

    Attributes
    ----------
    name: the name of the weight.
    dim: the axis whose elements have a norm each; -1 for one norm.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        """Return the weight."""
        return composed(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module, name, dim):
        """Put the norm and the direction in the place of a weight, and register the hook, which is returned."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. "
                "Make sure to run the dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norms(weight, made.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        made(module, None)
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module):
        """Put the weight back."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"], module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Have a module train the norm and the direction of a weight apart. The module is returned.

    `torch.nn.utils.parametrizations.weight_norm` does the same by a property.

    Parameters
    ----------
    name: the name of the weight.
    dim: the axis whose elements have a norm each; None for one norm of the whole.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> module = nn.Module()
    >>> module.weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    >>> [name for name, _ in nn.utils.weight_norm(module).named_parameters()]
    ['weight_g', 'weight_v']
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Undo `weight_norm`. The module is returned.

    Raises
    ------
    ValueError: the weight has no such norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
