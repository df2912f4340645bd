"""Modules whose parameters get their shapes from the first input."""

from __future__ import annotations

from typing import Any

from ...autograd.modes import no_grad
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A part of a class of modules whose parameters get their shapes in the first call.

    The class sets an `UninitializedParameter` where it does not know a shape. It defines `initialize_parameters`, which
    gets the arguments of the first call, and calls `materialize` on each parameter. `load_state_dict` gives shapes too.

    Attributes
    ----------
    cls_to_become: the class that the module has after its first call; its own by default.
    """

    cls_to_become: Any = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _register_load_state_dict_pre_hook: Any
    register_forward_pre_hook: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *_: Any) -> None:
        """Give parameters the shapes of the tensors that are loaded into them."""
        for name, x in [*self._parameters.items(), *self._buffers.items()]:
            new = state_dict.get(prefix + name)
            if x is not None and new is not None and is_lazy(x) and not is_lazy(new):
                with no_grad():
                    x.materialize(new.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Give the parameters their shapes by the arguments of the first call: each class defines it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        """Return whether a parameter or buffer has no shape yet."""
        return any(is_lazy(x) for x in [*self._parameters.values(), *self._buffers.values()])

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
