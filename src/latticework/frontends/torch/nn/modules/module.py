"""`Module`: the base class of layers and of programs made of them."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...autograd.modes import no_grad
from ...creation import empty_like
from ...dtypes import dtype as dtype_class
from ...tensor import Tensor
from ..parameter import Buffer, Parameter
from .hooks import (
    Hooked,
    RemovableHandle,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from .members import Members
from .state import Stateful, _IncompatibleKeys  # noqa: F401

__all__ = [
    "Module",
    "RemovableHandle",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

#: The attributes that each module has from the start, with what makes their first value.
_TABLES: dict[str, Callable[[], Any]] = {
    "_parameters": dict,
    "_buffers": dict,
    "_non_persistent_buffers_set": set,
    **dict.fromkeys(
        """
        _backward_pre_hooks _backward_hooks _forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called
        _forward_pre_hooks _forward_pre_hooks_with_kwargs _state_dict_hooks _state_dict_pre_hooks
        _load_state_dict_pre_hooks _load_state_dict_post_hooks
        """.split(),
        OrderedDict,
    ),
    "_modules": dict,
}


def _missing(self: Any, *_: Any) -> None:
    """Compute the output from the inputs: each class defines it."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


def indented(text: str, spaces: int) -> str:
    """Return a text, with spaces before each line but the first."""
    return text.replace("\n", "\n" + " " * spaces)


def kind_of(x: Any) -> str:
    """Return the name of the type of a value, as error messages show it."""
    if isinstance(x, Tensor):
        return str(x.type())
    module = type(x).__module__
    return type(x).__qualname__ if module in ("builtins", "") else f"{module}.{type(x).__qualname__}"


class Module(Hooked, Stateful, Members):
    """The base class of layers. A subclass sets its parameters and submodules in `__init__`, and defines `forward`.

    A `Parameter`, `Buffer` or `Module` that becomes an attribute is listed by `parameters`, `buffers` or `modules`.

    Attributes
    ----------
    training: whether the module is being trained: see `train` and `eval`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self, size):
    ...         super().__init__()
    ...         self.weight = nn.Parameter(torch.ones(size))
    ...
    ...     def forward(self, x):
    ...         return x * self.weight
    >>> scale = Scale(2)
    >>> scale(torch.tensor([1.0, 2.0])).sum().backward()
    >>> [(name, p.grad) for name, p in scale.named_parameters()]
    [('weight', tensor([1., 2.]))]
    """

    training: bool
    call_super_init: bool = False
    dump_patches: bool = False
    forward: Callable[..., Any] = _missing

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            what = f"got an unexpected keyword argument {next(iter(kwargs))!r}" if kwargs else (
                f"takes 1 positional argument but {len(args) + 1} were given"
            )  # fmt: skip
            raise TypeError(f"{type(self).__name__}.__init__() {what}")
        own = self.__dict__
        own["training"] = True
        for name, make in _TABLES.items():
            own[name] = make()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- attributes -------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._begun("parameters")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{kind_of(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._begun("module")
            self._forget(name, "_parameters", "_buffers")
            own["_modules"][name] = registered("module", self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{kind_of(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            own["_modules"][name] = registered("module", self, name, value)
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{kind_of(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            self._begun("buffer")
            kept = value._own.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
            self._set_buffer(name, value, kept)
        else:
            object.__setattr__(self, name, value)

    def _set_buffer(self, name: str, value: Any, persistent: bool) -> None:
        """Register a buffer by the method of a subclass, which may not know of `persistent`."""
        if type(self).register_buffer is Module.register_buffer or (
            "persistent" in inspect.signature(self.register_buffer).parameters
        ):
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )

    def _begun(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _forget(self, name: str, *tables: str) -> None:
        own = self.__dict__
        own.pop(name, None)
        for table in tables:
            own[table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted([n for n in names if not n[0].isdigit()])

    def _check_name(self, what: str, name: Any, table: dict[str, Any]) -> None:
        """Refuse a name that no attribute can have, or that another attribute has."""
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {kind_of(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name, tensor, persistent=True):
        """Register a tensor that is state of the module, and that is not trained.

        Parameters
        ----------
        name: the name of the attribute.
        tensor: the tensor; or None, which is not part of the state.
        persistent: whether it is part of `state_dict`.

        Raises
        ------
        KeyError: another attribute has the name, or it has a dot in it.
        TypeError: it is no tensor.
        """
        self._begun("buffer")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{kind_of(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registered("buffer", self, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_parameter(self, name, param):
        """Register a parameter, or None, which is not part of the state.

        Raises
        ------
        KeyError: another attribute has the name, or it has a dot in it.
        TypeError: it is no `Parameter`.
        ValueError: a recorded call computed it.
        """
        self._begun("parameter")
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{kind_of(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            param = registered("parameter", self, name, param)
        self._parameters[name] = param

    def add_module(self, name, module):
        """Register a submodule, or None.

        Raises
        ------
        KeyError: another attribute has the name, or it has a dot in it.
        TypeError: it is no `Module`.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{kind_of(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = registered("module", self, name, module)

    def register_module(self, name, module):
        """Register a submodule: another name of `add_module`."""
        self.add_module(name, module)

    # --- changes of all ---------------------------------------------------------------------------------------------

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        """Exchange the data of all parameters and buffers for what a function makes of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        with no_grad():
            for x in self._parameters.values():
                if x is None:
                    continue
                new, gradient = fn(x), x.grad
                if new is not x:
                    x.grad = None
                    x.data = new
                    x.grad = None if gradient is None else fn(gradient)
        for name, x in self._buffers.items():
            if x is not None:
                self._buffers[name] = fn(x)
        return self

    def apply(self, fn):
        """Call a function with each submodule, and with the module itself at last. The module is returned."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _cast(self, name: str) -> Any:
        return self._apply(lambda x: getattr(x, name)() if x.is_floating_point() else x)

    # fmt: off
    def cpu(self): return self._apply(lambda x: x.cpu())
    def cuda(self, device=None): return self._apply(lambda x: x.cuda(device))
    def type(self, dst_type): return self._apply(lambda x: x.type(dst_type))
    def float(self): return self._cast("float")
    def double(self): return self._cast("double")
    def half(self): return self._cast("half")
    def bfloat16(self): return self._cast("bfloat16")
    def share_memory(self): return self._apply(lambda x: x.share_memory_())
    # fmt: on

    def to_empty(self, *, device, recurse=True):
        """Exchange all parameters and buffers for others of the same shapes on a device, with any values."""
        return self._apply(lambda x: empty_like(x, device=device), recurse=recurse)

    def to(self, *args, **kwargs):
        """Move all parameters and buffers to a device, or to a dtype of floats. The module itself is returned.

        It takes a dtype, a device, both, or a tensor that has both. Buffers of integers keep their dtype.

        Raises
        ------
        TypeError: the dtype is neither of floats nor of complex numbers.
        """
        device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
        like = kwargs.pop("tensor", None)
        kwargs.pop("non_blocking", None)
        kwargs.pop("memory_format", None)
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument {next(iter(kwargs))!r}")
        for x in args:
            if type(x) is Tensor:
                like = x
            elif isinstance(x, dtype_class):
                dtype = x
            elif x is not None and not isinstance(x, bool):
                device = x
        if like is not None:
            device, dtype = like.device, like.dtype
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warnings.warn("few modules take complex numbers", stacklevel=2)
        return self._apply(lambda x: x.to(device, dtype if x.is_floating_point() or x.is_complex() else None))

    def train(self, mode=True):
        """Set whether the module and all submodules are being trained. The module is returned."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set that the module and all submodules are not being trained. The module is returned."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set whether gradients by all parameters are computed. The module is returned."""
        for x in self.parameters():
            x.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Set the gradients of all parameters to None, or to zeros."""
        for x in self.parameters():
            if x.grad is not None:
                x.grad = None if set_to_none else x.grad.detach().zero_()

    def compile(self, *args, **kwargs):
        """Compile the calls of the module, as `torch.compile` does."""
        from ...compiling import Compiled

        if not kwargs.get("disable"):
            self._compiled_call_impl: Any = Compiled(self._call_impl, kwargs.get("fullgraph", False)).call

    # --- as text and in files ---------------------------------------------------------------------------------------

    def extra_repr(self):
        """Return what the text of the module says beside its submodules: a class overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [f"({name}): {indented(repr(x), 2)}" for name, x in self._modules.items()]
        if not lines and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        inside = "\n  ".join([*(extra.split("\n") if extra else ()), *lines])
        return f"{self._get_name()}(\n  {inside}\n)"

    def __getstate__(self) -> Any:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        for name, make in _TABLES.items():
            self.__dict__.setdefault(name, make())
