"""`Optimizer`: parameters in groups, the state of each, and what is common to all ways of updating them."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from itertools import chain, count
from typing import Any

from .. import dtypes
from ..autograd.modes import set_grad_enabled
from ..autograd.tensors import Handle
from ..core import ops
from ..tensor import Tensor

__all__ = [
    "Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required",
]  # fmt: skip


class _Required:
    """The default of an option that each group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

Hooks = OrderedDict[int, Callable[..., Any]]
_numbers = count()
_before_all: Hooks = OrderedDict()
_after_all: Hooks = OrderedDict()
#: The tables of hooks that each optimizer has.
_HOOKS = tuple(
    f"_optimizer_{event}_{when}_hooks"
    for event in ("step", "state_dict", "load_state_dict")
    for when in ("pre", "post")
)


def _registered(hooks: Hooks, hook: Callable[..., Any], prepend: bool = False) -> Handle:
    number = next(_numbers)
    hooks[number] = hook
    if prepend:
        hooks.move_to_end(number, last=False)
    return Handle(lambda: hooks.pop(number, None) and None)


def register_optimizer_step_pre_hook(hook):
    """Have a function called before each step of every optimizer, with the optimizer and the arguments of the step."""
    return _registered(_before_all, hook)


def register_optimizer_step_post_hook(hook):
    """Have a function called after each step of every optimizer, with the optimizer and the arguments of the step."""
    return _registered(_after_all, hook)


def own(value: Any, beside: Any = None) -> Any:
    """Return a tensor of PyTorch's as one of the dialect, and all else as it is.

    Parameters
    ----------
    beside: a tensor on whose backend the result has to be.
    """
    if type(value) is not Tensor:
        if type(value).__module__.partition(".")[0] != "torch" or not hasattr(value, "detach"):
            return value
        value = value.detach().cpu()
        name = str(value.dtype).rpartition(".")[2]
        value = ops.asarray(value.float().numpy() if name == "bfloat16" else value.numpy()).to(getattr(dtypes, name))
    if beside is not None and value.detach()._array._sig.backend is not beside.detach()._array._sig.backend:
        made = beside.new_tensor(value.detach().tolist(), dtype=value.dtype)
        return made.reshape(tuple(value.shape))
    return value


def scalar(x: Any) -> Any:
    """Return a tensor of one element without axes, and all else as it is."""
    has_axes = type(x) is Tensor and x.ndim > 0
    return x.squeeze() if has_axes else x


def _mapped(f: Callable[..., Any], value: Any, key: Any = None) -> Any:
    """Call a function on what a tree of dicts, lists and tuples holds, with the key of the dict that it is in."""
    if isinstance(value, dict):
        return {k: _mapped(f, v, k) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_mapped(f, v) for v in value])
    return f(value, key)


class Optimizer:
    """The base of all optimizers: it holds the parameters, in groups with options, and the state of each.

    A class of your own gives the defaults of the options to `__init__`, and has a method `step`.

    Parameters
    ----------
    params: tensors; or pairs of a name and a tensor; or dicts with the key "params" and the options of a group.
    defaults: the options of groups that do not give them.

    Attributes
    ----------
    param_groups: a dict for each group: "params" and the options.
    state: a dict for each parameter that was updated.
    defaults: the options of groups that do not give them.

    Raises
    ------
    TypeError: a parameter is no tensor.
    ValueError: there are no parameters; one is computed by a recorded call; or one is in two groups.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> x = torch.tensor([2.0]).requires_grad_()
    >>> optimizer = Descent([x], {"lr": 0.25})
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.], requires_grad=True)
    """

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in _HOOKS:
            setattr(self, name, OrderedDict())
        if type(params) is Tensor:
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got Tensor"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = Optimizer.profile_hook_step(cls.step)  # type: ignore[method-assign]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method `step` that calls the hooks as well: once, where a class calls the method of its base."""
        if getattr(func, "hooked", False):
            return func

        @wraps(func)
        def step(self: Any, *args: Any, **kw: Any) -> Any:
            if type(self).step is not step:
                return func(self, *args, **kw)
            for hook in [*_before_all.values(), *self._optimizer_step_pre_hooks.values()]:
                found = hook(self, (self, *args), kw)
                if found is not None:
                    if not isinstance(found, tuple) or len(found) != 2:
                        raise RuntimeError(
                            f"{func} must return None or a tuple of (new_args, new_kwargs), but got {found}."
                        )
                    (self, *args), kw = found
            result = func(self, *args, **kw)
            for hook in [*self._optimizer_step_post_hooks.values(), *_after_all.values()]:
                hook(self, (self, *args), kw)
            return result

        step.hooked = True  # type: ignore[attr-defined]
        return step

    # --- pickling and showing ---------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:  # what an older version has not saved
            for name, value in self.defaults.items():
                if value is not required:
                    group.setdefault(name, value)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [""] * (i > 0) + [f"Parameter Group {i}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])

    # --- hooks ------------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook):
        """Have a function called before each step, with the optimizer and the arguments. It may return other ones."""
        return _registered(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Have a function called after each step, with the optimizer and the arguments."""
        return _registered(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Have a function called before `state_dict`, with the optimizer."""
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Have a function called with the optimizer and what `state_dict` is to return. It may return another dict."""
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Have a function called with the optimizer and the dict to load. It may return another dict."""
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Have a function called after `load_state_dict`, with the optimizer."""
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # --- states -----------------------------------------------------------------------------------------------------

    def state_dict(self):
        """Return the state and the options of all groups, with a number in the place of each parameter."""
        for hook in [*self._optimizer_state_dict_pre_hooks.values()]:
            hook(self)
        number_of: dict[int, int] = {}
        start = 0
        groups = []
        for group in self.param_groups:
            packed = {name: x for name, x in group.items() if name != "params"}
            for i, p in enumerate(group["params"], start):
                number_of.setdefault(id(p), i)
            packed["params"] = [number_of[id(p)] for p in group["params"]]
            start += len(group["params"])
            groups.append(packed)
        state = {number_of[id(p)] if type(p) is Tensor else p: x for p, x in self.state.items()}
        made = {"state": state, "param_groups": groups}
        for hook in [*self._optimizer_state_dict_post_hooks.values()]:
            found = hook(self, made)
            made = made if found is None else found
        return made

    def load_state_dict(self, state_dict):
        """Take the state and the options from what `state_dict` has returned: that of PyTorch's own optimizers too.

        Raises
        ------
        ValueError: there are other groups, or groups of other sizes.
        """
        state_dict = state_dict.copy()
        for hook in [*self._optimizer_load_state_dict_pre_hooks.values()]:
            found = hook(self, state_dict)
            state_dict = state_dict if found is None else found
        saved = deepcopy(_mapped(lambda x, _: own(x), state_dict["param_groups"]))
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(self.param_groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        pairs = [
            (number, p, there)
            for here, there in zip(self.param_groups, saved, strict=True)
            for number, p in zip(there["params"], here["params"], strict=True)
        ]
        places = {number: (p, group) for number, p, group in pairs}
        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in places:
                p, group = places[number]
                state[p] = _mapped(lambda x, key, p=p, group=group: _loaded(p, x, key, group), value)
            else:
                state[number] = value
        for here, there in zip(self.param_groups, saved, strict=True):
            there["params"] = here["params"]
            if "param_names" in here:
                there.setdefault("param_names", here["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in [*self._optimizer_load_state_dict_post_hooks.values()]:
            hook(self)

    def zero_grad(self, set_to_none=True):
        """Remove the gradients of all parameters, or set them to zeros.

        Parameters
        ----------
        set_to_none: whether the gradients become None, which takes no time.
        """
        for p in chain.from_iterable([group["params"] for group in self.param_groups]):
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                elif p.grad.requires_grad:
                    p.grad = ops.zeros_like(p.grad.detach())
                else:
                    p.grad.zero_()

    def step(self, closure=None):
        """Update the parameters by their gradients, once.

        Parameters
        ----------
        closure: a function that computes the loss and its gradients again, and returns the loss.
        """
        raise NotImplementedError

    def add_param_group(self, param_group):
        """Add a group of parameters, as a dict with the key "params" and options."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, and a set has no order. "
                "Give a list instead"
            )
        listed = [params] if type(params) is Tensor else list(params)
        names = [x[0] for x in listed if isinstance(x, tuple)]
        if names and len(names) != len(listed):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        params = param_group["params"] = [x[1] if isinstance(x, tuple) else x for x in listed]
        if names:
            param_group["param_names"] = names
        for p in params:
            if type(p) is not Tensor:
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        ids = {id(p) for p in params}
        if len(ids) != len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters", stacklevel=3)
        for group in self.param_groups:
            if ("param_names" in group) != bool("param_names" in param_group):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with' if names else 'without'} names to the optimizer"
                )
            if any(id(p) in ids for p in group["params"]):
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)


def _loaded(p: Any, value: Any, key: Any, group: dict[str, Any]) -> Any:
    """A loaded value as it belongs to a parameter: on its backend and its device, and in its dtype but for counts."""
    value = own(value, p)
    if type(value) is not Tensor:
        return value
    if key == "step":
        return value.to(dtypes.float32) if group.get("capturable") or group.get("fused") else value
    dtype = p.dtype if p.is_floating_point() else value.dtype
    return value.to(device=p.device, dtype=dtype)


# What packages with optimizers of their own import from here.


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A step that is recorded if the optimizer is ``differentiable``, and not otherwise."""

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether a step is one kernel, and whether it takes lists: no, as in PyTorch on CPUs."""
    return False, False


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]
