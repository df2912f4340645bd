"""The state of modules: parameters and buffers by name, saved and loaded."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from contextvars import ContextVar
from copy import deepcopy
from typing import Any, NamedTuple
from weakref import ref

from ...autograd.modes import no_grad
from ...tensor import Tensor
from ..parameter import Parameter, is_lazy
from .hooks import _add

__all__ = ["Stateful"]

_EXTRA = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """What `load_state_dict` returns: the keys of the module that were missing, and those that it does not have."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class _WrappedHook:
    """A hook that gets the module as its first argument, which it does not keep alive."""

    def __init__(self, hook: Any, module: Any = None) -> None:
        self.hook, self.with_module = hook, module is not None
        self.module: Any = ref(module) if module is not None else None

    def __call__(self, *args: Any, **kw: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kw)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kw)

    def __getstate__(self) -> Any:
        return self.hook, self.module() if self.with_module else None

    def __setstate__(self, state: Any) -> None:
        self.__init__(*state)  # type: ignore[misc]


class _Loading:
    """What `load_state_dict` has to do, once nothing can go wrong any more.

    Attributes
    ----------
    planned: a function for each tensor and each extra state that loads it, and one that says how to go back: it returns
        the function that does.
    back: the functions that undo what was done.
    certain: whether tensors alone are loaded. The extra state of a class may be refused by it.
    """

    def __init__(self) -> None:
        self.certain = True
        self.planned: list[tuple[Any, Any]] = []
        self.back: list[Any] = []

    def run(self, *, surely: bool) -> None:
        """Load what is planned. It can be undone unless `surely`."""
        planned, self.planned = self.planned, []
        for load, before in planned:
            if not surely:
                self.back.append(before())
            load()

    def undo(self) -> None:
        """Undo what was done."""
        for back in reversed(self.back):
            back()


_loading: ContextVar[_Loading | None] = ContextVar("what load_state_dict has to do", default=None)


def _copied(x: Any, new: Any) -> None:
    with no_grad():
        x.copy_(new)


def _back_to(x: Any) -> Any:
    """Return a function that gives a tensor the elements that it has now."""
    if is_lazy(x):
        return lambda: None
    elements = x.detach().clone()
    return lambda: _copied(x, elements)


def _when_all_fits(load: Any, before: Any) -> None:
    """Have something loaded by the `load_state_dict` that runs; at once where none does."""
    loading = _loading.get()
    if loading is None:
        load()
    else:
        loading.planned.append((load, before))


class Stateful:
    """The part of `Module` that is about its state."""

    _version: int = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Any
    _state_dict_pre_hooks: Any
    _load_state_dict_pre_hooks: Any
    _load_state_dict_post_hooks: Any

    # --- hooks ------------------------------------------------------------------------------------------------------

    def _register_state_dict_hook(self, hook: Any) -> Any:
        """Have ``hook(module, state_dict, prefix, local_metadata)`` called after the state is saved."""
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Have ``hook(module, state_dict, prefix, local_metadata)`` called after the state is saved. It gives None."""
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook):
        """Have ``hook(module, prefix, keep_vars)`` called before the state is saved."""
        return _add(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook: Any, with_module: bool = False) -> Any:
        """Have a function called with the arguments of `_load_from_state_dict` before anything is loaded."""
        return _add(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook):
        """Have a function called before the state is loaded, with the module and what `_load_from_state_dict` gets."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """Have ``hook(module, incompatible_keys)`` called after the state is loaded. It may change the lists."""
        return _add(self._load_state_dict_post_hooks, hook)

    # --- extra state ------------------------------------------------------------------------------------------------

    def get_extra_state(self):
        """Return what a class adds to its state: a class that has such a state overrides it, and `set_extra_state`."""
        raise RuntimeError("get_extra_state is called only where a class overrides it")

    def set_extra_state(self, state):
        """Take what `get_extra_state` returned: a class that has such a state overrides both."""
        raise RuntimeError("set_extra_state is called only where a class overrides it")

    # --- saving -----------------------------------------------------------------------------------------------------

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add the module's own parameters and buffers to a dict, without those of its submodules."""
        for name, x in self._parameters.items():
            if x is not None:
                destination[prefix + name] = x if keep_vars else x.detach()
        for name, x in self._buffers.items():
            if x is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = x if keep_vars else x.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[f"{prefix}{_EXTRA}"] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Return all parameters and persistent buffers, by name.

        Parameters
        ----------
        destination: the dict to add them to; a new one by default.
        prefix: what stands before all names.
        keep_vars: whether the values are the parameters themselves; detached tensors with the same memory, where the
            backend has views, by default.

        Examples
        --------
        >>> import latticework.frontends.torch as torch
        >>> from latticework.frontends.torch import nn
        >>> module = nn.Module()
        >>> module.weight = nn.Parameter(torch.ones(2))
        >>> list(module.state_dict().items())
        [('weight', tensor([1., 1.]))]
        """
        if args:
            warnings.warn("state_dict takes its arguments by name", FutureWarning, stacklevel=2)
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given.get("destination") if destination is None else destination
            prefix, keep_vars = prefix or given.get("prefix", ""), keep_vars or given.get("keep_vars", False)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            found = hook(self, destination, prefix, metadata)
            if found is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = found
        return destination

    # --- loading ----------------------------------------------------------------------------------------------------

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Load the module's own parameters and buffers, without those of its submodules.

        What goes wrong is added to the lists, and raised by `load_state_dict`.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        buffers = {name: x for name, x in self._buffers.items() if name not in self._non_persistent_buffers_set}
        own = {name: x for name, x in [*self._parameters.items(), *buffers.items()] if x is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, x in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, x, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = f"{prefix}{_EXTRA}"
        if type(self).set_extra_state is not Stateful.set_extra_state:
            if extra in state_dict:
                state, loading = state_dict[extra], _loading.get()
                if loading is not None:
                    loading.certain = False
                _when_all_fits(lambda: self.set_extra_state(state), self._back_to_extra_state)
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, inner, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if inner else own):
                        unexpected_keys.append(key)

    def _back_to_extra_state(self) -> Any:
        """Return a function that sets the extra state to what it is now."""
        known = type(self).get_extra_state is not Stateful.get_extra_state
        state = deepcopy(self.get_extra_state()) if known else None
        return (lambda: self.set_extra_state(state)) if known else lambda: None

    def _load_one(self, name: str, key: str, x: Any, new: Any, assign: bool, error_msgs: list[str]) -> None:
        """Copy a tensor into a parameter or buffer, or put it in its place."""
        if not isinstance(new, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(new)}"
            )
            return
        if not is_lazy(x):
            if not len(x.shape) and new.shape == (1,):
                new = new[0]
            if new.shape != x.shape:
                error_msgs.append(
                    f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, "
                    f"the shape in current model is {x.shape}."
                )
                return
        try:
            with no_grad():
                if assign:
                    if isinstance(x, Parameter):
                        if isinstance(new, Parameter):
                            new.requires_grad_(x.requires_grad)
                        else:
                            new = Parameter(new, requires_grad=x.requires_grad)
                    _when_all_fits(lambda: setattr(self, name, new), lambda: lambda: setattr(self, name, x))
                else:
                    fitting = new if is_lazy(x) else new.to(device=x.device, dtype=x.dtype)
                    _when_all_fits(lambda: _copied(x, fitting), lambda: _back_to(x))
        except Exception as error:
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {x.size()} and '
                f"whose dimensions in the checkpoint are {new.size()}, an exception occurred : {error.args}."
            )

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Load parameters and buffers that `state_dict` returned, here and in all submodules.

        Parameters
        ----------
        state_dict: the tensors, by name.
        strict: whether it is an error if a name is missing, or is not the module's.
        assign: whether the tensors take the place of the module's own, with their dtypes; else they are copied.

        Returns
        -------
        A named tuple of `missing_keys` and `unexpected_keys`.

        Raises
        ------
        TypeError: `state_dict` is no mapping.
        RuntimeError: names are missing or not the module's, or shapes differ. Nothing is loaded then, where PyTorch
            loads what fits.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        whole: Any = OrderedDict(state_dict)
        if metadata is not None:
            whole._metadata = metadata

        def load(module: Any, state: Any, prefix: str) -> None:
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local["assign_to_params_buffers"] = assign
            module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    inner = f"{prefix}{name}."
                    load(child, {key: x for key, x in state.items() if key.startswith(inner)}, inner)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                loading.run(surely=False)  # a hook may read what was loaded
                if hook(module, keys) is not None:
                    raise AssertionError("a hook after load_state_dict returns None: it changes the lists of keys")

        loading = _Loading()
        token = _loading.set(loading)
        try:
            load(self, whole, "")
            if strict:
                for word, names in (("Unexpected", unexpected), ("Missing", missing)):
                    if names:
                        quoted = ", ".join([f'"{name}"' for name in names])
                        errors.insert(0, f"{word} key(s) in state_dict: {quoted}. ")
            if errors:
                text = "\n\t".join(errors)
                raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}")
            loading.run(surely=loading.certain)
        except BaseException:
            loading.undo()
            raise
        finally:
            _loading.reset(token)
        return _IncompatibleKeys(missing, unexpected)
