"""Modules that hold others: `Sequential`, lists and dicts of modules and of parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ...tensor import Tensor
from ..parameter import Parameter
from .module import Module, indented, kind_of

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _visible(names: list[str]) -> list[str]:
    return [n for n in names if not n.isdigit()]


class _Numbered(Module):
    """What `Sequential` and `ModuleList` share: submodules whose names are their positions."""

    def _key(self, idx: Any) -> str:
        """Return the name of the submodule at a position, which may count from the end."""
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[idx]

    def _sliced(self, idx: slice) -> Any:
        raise NotImplementedError

    def __getitem__(self, idx: Any) -> Any:
        return self._sliced(idx) if isinstance(idx, slice) else self._modules[self._key(idx)]

    def __setitem__(self, idx: Any, module: Any) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for key in list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]:
            delattr(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return _visible(super().__dir__())

    def append(self, module):
        """Add a module at the end. The container is returned."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Remove the module at a position, and return it; or those of a slice."""
        found = self[key]
        del self[key]
        return found

    def _put(self, index: int, module: Any) -> None:
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules that are called one after the other, each with the result of the one before.

    Parameters
    ----------
    args: the modules; or one `OrderedDict` of modules by their names.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch import nn
    >>> nn.Sequential(nn.Sequential(), nn.Sequential())(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(name if isinstance(name, str) else str(name), module)

    def _sliced(self, idx: slice) -> Any:
        return type(self)(OrderedDict(list(self._modules.items())[idx]))

    def forward(self, input):
        """Call the modules one after the other."""
        for module in self:
            input = module(input)
        return input

    def insert(self, index, module):
        """Add a module at a position. The container is returned."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        self._put(index + n if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Add modules at the end. The container is returned."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other: Any) -> Any:
        return Sequential().extend(self).extend(self._checked(other))

    def __iadd__(self, other: Any) -> Any:
        return self.extend(list(self._checked(other)))

    @staticmethod
    def _checked(other: Any) -> Any:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return other

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def __mul__(self, other: Any) -> Any:
        return Sequential(*[*self] * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Any:
        return self.extend([*self] * (self._times(other) - 1))


class ModuleList(_Numbered):
    """A list of modules, which are submodules of it.

    Parameters
    ----------
    modules: the modules; none by default.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, idx: slice) -> Any:
        return type(self)(list(self._modules.values())[idx])

    def insert(self, index, module):
        """Add a module before a position."""
        self._put(index, module)

    def extend(self, modules):
        """Add modules at the end. The list is returned."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules: Any) -> Any:
        return self.extend(modules)

    def __add__(self, other: Any) -> Any:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Return the text with modules whose texts are equal, and that follow each other, told once."""
        blocks: list[list[Any]] = []
        for i, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        if not blocks:
            return f"{self._get_name()}()"
        lines = [
            indented(f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}", 2) for a, b, text in blocks
        ]
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)"


class ModuleDict(Module):
    """A dict of modules, which are submodules of it. It keeps the order in which they are added.

    Parameters
    ----------
    modules: a mapping, or pairs of names and modules; none by default.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: Any) -> Any:
        return self._modules[key]

    def __setitem__(self, key: Any, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: Any) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: Any) -> bool:
        return key in self._modules

    def clear(self):
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key):
        """Remove a module, and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """The names with the modules."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Add modules of a mapping, or of pairs; those whose names are there take the place of others."""
        for key, module in _pairs(modules, "ModuleDict"):
            self[key] = module


def _pairs(given: Any, name: str) -> Iterable[Any]:
    """Return the pairs of a mapping, of a container of this file, or of an iterable of pairs."""
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{name}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, Mapping) and not isinstance(given, OrderedDict) and name == "ParameterDict":
        return sorted(given.items())
    if isinstance(given, (Mapping, ModuleDict, ParameterDict)):
        return list(given.items())
    found = list(given)
    for i, pair in enumerate(found):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is {type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
    return found


def _trained(x: Any) -> Any:
    """Return a tensor as a parameter, and anything else as it is."""
    return Parameter(x) if isinstance(x, Tensor) and not isinstance(x, Parameter) else x


def _line(name: Any, x: Any, dtype: Any) -> str:
    """Return what the text of a container says of one of its values, with what it says of the dtype of a tensor."""
    if not isinstance(x, Tensor):
        return f"  ({name}): Object of type: {type(x).__name__}"
    kind = "Parameter" if isinstance(x, Parameter) else "Tensor"
    size = "x".join(map(str, x.shape))
    where = f" ({x.device})" if x.is_cuda else ""
    return f"  ({name}): {kind} containing: [{dtype(x)} of size {size}{where}]"


class ParameterList(Module):
    """A list of parameters, which are parameters of it. Tensors become parameters; other values are kept as they are.

    Parameters
    ----------
    values: the values; none by default.
    """

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, idx: Any) -> str:
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return str(idx % len(self))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(*idx.indices(len(self)))])
        return getattr(self, self._key(idx))

    def __setitem__(self, idx: Any, param: Any) -> None:
        setattr(self, self._key(idx), _trained(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Any) -> Any:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return _visible(super().__dir__())

    def append(self, value):
        """Add a value at the end. The list is returned."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Add values at the end. The list is returned."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join([_line(i, x, lambda x: x.dtype) for i, x in enumerate(self)])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters, which are parameters of it. Tensors become parameters; other values are kept as they are.

    Parameters
    ----------
    parameters: a mapping, or pairs of names and values; none by default.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, self._name(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._keys[key] = None
        setattr(self, self._name(key), _trained(value))

    def __delitem__(self, key: Any) -> None:
        del self._keys[key]
        delattr(self, self._name(key))

    @staticmethod
    def _name(key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        return key

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: Any) -> bool:
        return key in self._keys

    def keys(self):
        """The names."""
        return self._keys.keys()

    def values(self):
        """The values."""
        return [self[key] for key in self._keys]

    def items(self):
        """The names with the values."""
        return [(key, self[key]) for key in self._keys]

    def copy(self):
        """Return another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def get(self, key, default=None):
        """Return the value of a name, or the default."""
        return self[key] if key in self._keys else default

    def setdefault(self, key, default=None):
        """Return the value of a name, which is the default from now on where there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        """Remove a value, and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self):
        """Remove the value that was added last, and return its name with it."""
        key = next(reversed(self))
        return key, self.pop(key)

    def clear(self):
        """Remove all values."""
        for key in list(self._keys):
            del self[key]

    def fromkeys(self, keys, default=None):
        """Return a dict with one value for several names."""
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters):
        """Add values of a mapping, or of pairs; those whose names are there take the place of others."""
        for key, value in _pairs(parameters, "ParameterDict"):
            self[key] = value

    def extra_repr(self):
        return "\n".join([_line(key, x, kind_of) for key, x in self.items()])

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self
