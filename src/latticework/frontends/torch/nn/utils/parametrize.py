"""Parameters that are computed from others, each time that they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from ...autograd.modes import no_grad
from ...tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

_cache: dict[tuple[int, str], Any] = {}
_depth = 0


@contextmanager
def cached() -> Iterator[None]:
    """Keep what parametrizations compute, in a block: each is computed once in it."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _cache.clear()


def _register(module: Any, name: str, x: Any) -> None:
    (module.register_parameter if isinstance(x, Parameter) else module.register_buffer)(name, x)


def _check(found: Any, like: Any, what: str, of: str) -> None:
    """Refuse what a parametrization gives, if it is no tensor, or differs in dtype or shape."""
    if not isinstance(found, Tensor):
        raise ValueError(f"{what} must return a tensor. Got {type(found).__name__}.")
    for word in ("dtype", "shape"):
        ours, theirs = getattr(found, word), getattr(like, word)
        if ours != theirs:
            raise ValueError(
                f"Registering a parametrization may not change the {word} of the tensor, unless `unsafe` flag is "
                f"enabled.\n{of} {word}: {theirs}\n{what} gives {word}: {ours}"
            )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, from the first to the last, and what they compute it from.

    Attributes
    ----------
    original: the tensor that it is computed from; or `original0`, `original1` and so on.
    unsafe: whether they may change the dtype and the shape.
    """

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        if not len(modules):
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before, new = original.detach(), original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            for word in ("dtype", "device"):
                if getattr(before, word) != getattr(new, word):
                    raise ValueError(
                        f"When `right_inverse` outputs one tensor, it may not change the {word}.\n"
                        f"original.{word}: {getattr(before, word)}\n"
                        f"right_inverse(original).{word}: {getattr(new, word)}"
                    )
            original.data = new
            _register(self, "original", original)
        else:
            for i, x in enumerate(new):
                if not isinstance(x, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {i} of the sequence with type {type(x).__name__}."
                    )
                if isinstance(original, Parameter):
                    x = Parameter(x, original.requires_grad)
                _register(self, f"original{i}", x.requires_grad_(original.requires_grad))
        if not unsafe:
            _check(self(), before, "A parametrization", "unparametrized")

    def right_inverse(self, value):
        """Set what the tensor is computed from, so that it becomes the value.

        Raises
        ------
        RuntimeError: a parametrization has no `right_inverse`.
        ValueError: what it returns differs from the originals in number or dtype.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor and not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            if not self.is_tensor and (not isinstance(value, Sequence) or len(value) != self.ntensors):
                found = f"of length {len(value)}" if isinstance(value, Sequence) else type(value).__name__
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got {found}."
                )
            for own, new in zip(self._originals(), [value] if self.is_tensor else value, strict=True):
                if own.dtype != new.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has dtype "
                        f"{own.dtype}"
                    )
                own.data = new

    def _originals(self) -> list[Any]:
        names = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def forward(self):
        """Compute the tensor."""
        first, *others = self
        x = first(*self._originals())
        for module in others:
            x = module(x)
        return x


def _class_of_its_own(module: Any) -> None:
    """Give a module a class of its own, which can have properties."""
    kind = type(module)

    def copied(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            made = memo[id(self)] = object.__new__(type(self))
            made.__dict__.update(deepcopy(self.__dict__, memo))
        return memo[id(self)]

    def refused(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). Save that in the place of "
            "the module"
        )

    names: dict[str, Any] = {"__getstate__": refused}
    if not hasattr(kind, "__deepcopy__"):
        names["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), names)


def _property(name: str) -> Any:
    def get(self: Any) -> Any:
        compute = self.parametrizations[name]
        if not _depth:
            return compute()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = compute()
        return _cache[key]

    return property(get, lambda self, value: self.parametrizations[name].right_inverse(value))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Have a parameter or buffer computed by a module from another tensor, each time that it is read.

    Parameters
    ----------
    module: the module that has it. It is returned.
    tensor_name: its name. The tensor that it is computed from is ``module.parametrizations.<name>.original``.
    parametrization: a module whose `forward` computes it. If it has a `right_inverse`, this computes the original from
        what is there now, and from what is assigned; it may return several tensors.
    unsafe: whether it may change the dtype and the shape.

    Raises
    ------
    ValueError: there is no such tensor; or the dtype or the shape changes, and not `unsafe`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> module = nn.Module()
    >>> module.weight = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> nn.utils.parametrize.register_parametrization(module, "weight", Symmetric()).weight.detach()
    tensor([[1., 2.],
            [2., 4.]])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            here = getattr(module, tensor_name)
            found = parametrization(here)
            _check(found, here, "A parametrization", f"module.{tensor_name}")
            if hasattr(parametrization, "right_inverse"):
                try:
                    back = parametrization.right_inverse(found)
                except NotImplementedError:
                    pass
                else:
                    _check(back, here, "parametrization.right_inverse", f"module.{tensor_name}")
        listed = module.parametrizations[tensor_name]
        listed.append(parametrization)
        listed.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    listed = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _class_of_its_own(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = listed
    return module


def is_parametrized(module, tensor_name=None):
    """Return whether a tensor of a module is computed by a parametrization; whether any is, without a name."""
    found = module.__dict__.get("_modules", {}).get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Remove the parametrizations of a tensor of a module, which is returned.

    Parameters
    ----------
    leave_parametrized: whether the tensor keeps the value that they compute; else it is the original again.

    Raises
    ------
    ValueError: the tensor has none; or it is computed from several, and the value is not kept.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed = module.parametrizations[tensor_name]
    if listed.is_tensor:
        original = listed.original
        if leave_parametrized:
            with no_grad():
                original.data = getattr(module, tensor_name)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """Return the class that a module had before it got parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Give a module the parametrizations of another one, and the originals. The module is returned.

    Parameters
    ----------
    tensor_name: the name of the tensor; all by default.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        listed = from_module.parametrizations[name]
        for parametrization in listed:
            register_parametrization(to_module, name, parametrization)
        for original in [n for n in (*listed._parameters, *listed._buffers) if n.startswith("original")]:
            setattr(to_module.parametrizations[name], original, getattr(listed, original))
    return to_module
