"""A weight divided by its largest singular value before each call of the module. The older way of two."""

from __future__ import annotations

from typing import Any

from ...autograd.modes import no_grad
from ...products import dot, mv
from ...sampling import randn
from .. import functional as F
from ..parameter import Parameter, is_lazy

__all__ = [
    "SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "as_matrix", "axis_of",
    "remove_spectral_norm", "spectral_norm",
]  # fmt: skip


def as_matrix(weight: Any, dim: int) -> Any:
    """Return a weight as a matrix, whose rows are the elements of an axis."""
    if dim:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.shape[0], -1)


def axis_of(module: Any) -> int:
    """Return the axis of the outputs of a weight: the second one in transposed convolutions."""
    return 1 if any(kind.__name__.startswith("ConvTranspose") for kind in type(module).__mro__) else 0


def random_direction(like: Any, n: int, eps: float) -> Any:
    """Return a random vector of norm 1."""
    return F.normalize(randn(n, dtype=like.dtype, device=like.device), dim=0, eps=eps)


class SpectralNorm:
    """The hook that computes the weight before each call, and approximates the singular vectors while training.

    Attributes
    ----------
    name: the name of the weight.
    dim: the axis of the outputs.
    n_power_iterations: how many steps a call approximates in.
    eps: what norms are at least.
    """

    _version: int = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight):
        """Return the weight as a matrix, whose rows are the outputs."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module, do_power_iteration):
        """Return the weight; approximate the singular vectors first, if that is wanted."""
        weight, u, v = [getattr(module, f"{self.name}_{end}") for end in ("orig", "u", "v")]
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()
        return weight / dot(u, mv(matrix, v))

    def remove(self, module):
        """Put the weight back."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Any, u: Any, target: Any) -> Any:
        v = ((matrix.t() @ matrix).pinverse() @ matrix.t() @ u.unsqueeze(1)).squeeze(1)
        return v * (target / dot(u, mv(matrix, v)))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Put the original weight and singular vectors in its place, and register the hook, which is returned."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. "
                "Make sure to run the dummy forward before applying spectral normalization"
            )
        with no_grad():
            u, v = [random_direction(weight, n, eps) for n in made.reshape_weight_to_matrix(weight).shape]
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormLoadStateDictPreHook:
    """The hook that computes what states of old programs lack."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], *_: Any
    ) -> None:
        fn, key = self.fn, prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(f"{fn.name}.version", None)
        if version is not None and version >= 1:
            return
        if version is None and key not in state_dict and all(f"{key}_{e}" in state_dict for e in ("orig", "u", "v")):
            return
        missing = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else [])
            return
        with no_grad():
            original, weight = state_dict[f"{key}_orig"], state_dict.pop(key)
            matrix, sigma = fn.reshape_weight_to_matrix(original), (original / weight).mean()
            state_dict[f"{key}_v"] = fn._solve_v_and_rescale(matrix, state_dict[f"{key}_u"], sigma)


class SpectralNormStateDictHook:
    """The hook that notes the version in the state."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        known = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.fn.name}.version"
        if key in known:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        known[key] = self.fn._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Have a module divide a weight by its largest singular value. The module is returned.

    `torch.nn.utils.parametrizations.spectral_norm` does the same by a property.

    Parameters
    ----------
    name: the name of the weight.
    n_power_iterations: how many steps each call in training approximates the singular vectors in.
    eps: what norms are at least.
    dim: the axis of the outputs; 1 in transposed convolutions, else 0, by default.
    """
    SpectralNorm.apply(module, name, n_power_iterations, axis_of(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Undo `spectral_norm`. The module is returned.

    Raises
    ------
    ValueError: the weight has no such norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for table in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, hook in list(table.items()):
            found = getattr(hook, "hook", hook)
            kinds = (SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook)
            if isinstance(found, kinds) and found.fn.name == name:
                del table[key]
    return module
