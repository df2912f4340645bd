"""Weights of which a part is zero: chosen at random, by size, or by the size of whole slices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np

from ... import linalg
from ...core import ops
from ...sampling import rand, rand_like
from ..modules.module import Module
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


def _positions(mask: Any) -> Any:
    """Return the positions of what is not zero in a vector."""
    return ops.asarray(np.flatnonzero(mask.detach().numpy()), dtype="int64")


class BasePruningMethod:
    """A way to choose what becomes zero. A subclass defines `compute_mask` and `PRUNING_TYPE`.

    It is a hook that computes the weight of ``<name>_orig`` and ``<name>_mask`` before each call of the module.
    """

    _tensor_name: Any = None
    PRUNING_TYPE = "unstructured"

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask):
        """Return the mask of a tensor, of ones and zeros: each class defines it.

        Parameters
        ----------
        t: the tensor, or numbers that say how important its elements are.
        default_mask: the mask that it has so far.
        """
        raise NotImplementedError

    def apply_mask(self, module):
        """Return the weight with zeros."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").to(original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune a parameter of a module, and return the hook."""
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        old = [(k, h) for k, h in module._forward_pre_hooks.items() if _prunes(h, name)]
        for key, hook in old:
            del module._forward_pre_hooks[key]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {original.shape}"
            )
        before = getattr(module, f"{name}_mask").detach().clone() if old else ops.ones_like(original.detach())
        mask = method.compute_mask(scores.detach(), default_mask=before)
        if not old:
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", original)
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """Return a tensor with zeros, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, default_mask=ops.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module):
        """Make the weight with zeros a parameter again."""
        name = self._tensor_name
        weight, original = self.apply_mask(module), module._parameters[f"{name}_orig"]
        if hasattr(module, name):
            delattr(module, name)
        original.data = weight.data
        del module._parameters[f"{name}_orig"], module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def _prunes(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """Several ways after each other: each chooses among what those before it have left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a way for the same parameter."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """Return the mask of the last way, of what the mask so far leaves."""
        method, mask = self._pruning_methods[-1], default_mask.to(t.dtype)
        if method.PRUNING_TYPE == "global":
            return method.compute_mask(t, default_mask=mask).to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            flat, kept = mask.reshape(-1).clone(), _positions(mask.reshape(-1) == 1)
            flat[kept] = method.compute_mask(t.reshape(-1)[kept], default_mask=flat[kept]).to(t.dtype)
            return flat.reshape(t.shape)
        if method.PRUNING_TYPE != "structured":
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        dim = method.dim % t.dim()
        kept = _positions(mask.sum([d for d in range(t.dim()) if d != dim]) != 0)
        part = method.compute_mask(t.index_select(dim, kept), default_mask=mask.index_select(dim, kept))
        return mask.index_copy(dim, kept, part.to(t.dtype))


class Identity(BasePruningMethod):
    """Nothing becomes zero."""

    def compute_mask(self, t, default_mask):
        """Return the mask so far."""
        return default_mask


class CustomFromMask(BasePruningMethod):
    """What a mask says becomes zero."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t, default_mask):
        """Return the mask so far times the mask."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


class _OfAmount(BasePruningMethod):
    """What the others share: how much becomes zero, as a share or as a count."""

    def __init__(self, amount: Any) -> None:
        number: Any = amount
        if not isinstance(amount, Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if number < 0 or (not isinstance(amount, Integral) and number > 1):
            raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
        self.amount: Any = amount

    def _count(self, size: int) -> int:
        count = int(self.amount) if isinstance(self.amount, Integral) else round(self.amount * size)
        if count > size:
            raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
        return count

    def _scores(self, t: Any) -> Any:
        """Return numbers for the elements; the least become zero."""
        raise NotImplementedError

    def compute_mask(self, t, default_mask):
        """Return the mask so far with zeros where the numbers are least."""
        scores = self._scores(t).reshape(-1)
        flat, count = default_mask.reshape(-1).clone(), self._count(t.numel())
        if count:
            flat[scores.topk(count, largest=False).indices] = 0
        return flat.reshape(t.shape)


class RandomUnstructured(_OfAmount):
    """Elements that are drawn become zero."""

    def _scores(self, t: Any) -> Any:
        return rand_like(t)


class L1Unstructured(_OfAmount):
    """The elements with the least absolute values become zero."""

    def _scores(self, t: Any) -> Any:
        return t.abs()


class _Structured(_OfAmount):
    """Slices along an axis become zero."""

    PRUNING_TYPE = "structured"
    dim = -1

    def compute_mask(self, t, default_mask):
        """Return the mask so far with zeros in the slices whose numbers are least."""
        if t.dim() <= 1:
            raise ValueError(
                f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} "
                f"with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        count = self._count(size)
        if not count:
            return default_mask
        kept = ops.ones(size, dtype=t.dtype)
        kept[self._scores(t).topk(count, largest=False).indices] = 0
        shape = [1] * t.dim()
        shape[self.dim] = size
        return default_mask.to(t.dtype) * kept.reshape(shape)


class RandomStructured(_Structured):
    """Slices that are drawn become zero."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _scores(self, t: Any) -> Any:
        return rand(t.shape[self.dim], dtype=t.dtype)


class LnStructured(_Structured):
    """The slices with the least norms of an order become zero."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n, self.dim = n, dim

    def _scores(self, t: Any) -> Any:
        return linalg.vector_norm(t, self.n, [d for d in range(t.dim()) if d != self.dim % t.dim()])


def identity(module, name):
    """Give a parameter the form of a pruned one, without a zero. The module is returned."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Set elements of a parameter that are drawn to zero: a share, or a count. The module is returned."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Set the elements of a parameter with the least absolute values to zero. The module is returned.

    Parameters
    ----------
    amount: how many: a share between 0 and 1, or a count.
    importance_scores: numbers to choose by in the place of the elements.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> module = nn.ParameterDict({"weight": torch.tensor([3.0, -1.0, 2.0])})
    >>> nn.utils.prune.l1_unstructured(module, "weight", 1).weight_mask
    tensor([1., 0., 1.])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Set slices of a parameter that are drawn along an axis to zero. The module is returned."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Set the slices of a parameter with the least norms of order `n` to zero. The module is returned."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Set the elements of a parameter to zero where a mask is zero. The module is returned."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Set elements of several parameters to zero, chosen among all of them.

    Parameters
    ----------
    parameters: pairs of a module and a name.
    pruning_method: a class whose `PRUNING_TYPE` is "unstructured".
    importance_scores: numbers to choose by, by the pairs.
    kwargs: what the class takes: `amount`.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if not isinstance(importance_scores, (dict, type(None))):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs, scores = list(parameters), importance_scores or {}
    tensors = [getattr(module, name).detach() for module, name in pairs]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    masks = [getattr(m, f"{name}_mask", ops.ones_like(x)) for (m, name), x in zip(pairs, tensors, strict=True)]
    values = parameters_to_vector([scores.get(p, x) for p, x in zip(pairs, tensors, strict=True)])
    mask, start = PruningContainer(method).compute_mask(values.detach(), parameters_to_vector(masks)), 0
    for (module, name), x in zip(pairs, tensors, strict=True):
        custom_from_mask(module, name, mask[start : start + x.numel()].reshape(x.shape))
        start += x.numel()


def remove(module, name):
    """Make a pruned parameter an ordinary one that has the zeros. The module is returned.

    Raises
    ------
    ValueError: the parameter is not pruned.
    """
    for key, hook in module._forward_pre_hooks.items():
        if _prunes(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Return whether a parameter of the module, or of a submodule, is pruned."""
    modules: Iterable[Module] = module.modules()
    return any(isinstance(hook, BasePruningMethod) for m in modules for hook in m._forward_pre_hooks.values())
