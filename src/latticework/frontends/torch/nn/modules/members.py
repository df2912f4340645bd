"""Parameters, buffers and submodules of modules: by their paths, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..parameter import Parameter

__all__ = ["Members"]


class Members:
    """The part of `Module` that is about what it holds."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def _get_name(self) -> str:
        return type(self).__name__

    # --- by their paths ---------------------------------------------------------------------------------------------

    def _named(self, name: str) -> Any:
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def get_submodule(self, target):
        """Return the submodule at a path such as "net.0.conv"; the module itself for "".

        Raises
        ------
        AttributeError: there is none.
        """
        found: Any = self
        for name in target.split(".") if target else ():
            found = found._named(name)
            if not isinstance(found, Members):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target, module, strict=False):
        """Put a module at a path such as "net.0.conv".

        Parameters
        ----------
        strict: whether it is an error if there is none yet.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(parent._named(name), Members):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """Return the parameter at a path such as "net.0.weight".

        Raises
        ------
        AttributeError: there is none.
        """
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._named(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        """Return the buffer at a path such as "net.1.running_mean".

        Raises
        ------
        AttributeError: there is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = module._named(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # --- all of them ------------------------------------------------------------------------------------------------

    def _named_members(
        self, get_members_fn: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, x in get_members_fn(module):
                if x is None or x in seen:
                    continue
                if remove_duplicate:
                    seen.add(x)
                yield f"{path}.{name}" if path else name, x

    def parameters(self, recurse=True):
        """Go through all parameters; those of submodules too if `recurse`."""
        for _, x in self.named_parameters(recurse=recurse):
            yield x

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Go through all parameters with their paths.

        Parameters
        ----------
        prefix: what stands before all paths, with a dot between.
        recurse: whether those of submodules are given too.
        remove_duplicate: whether a parameter that has several paths is given once.
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Go through all buffers; those of submodules too if `recurse`."""
        for _, x in self.named_buffers(recurse=recurse):
            yield x

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Go through all buffers with their paths, as `named_parameters` does."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        """Go through the submodules that are attributes of the module."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """Go through the submodules that are attributes of the module, with their names. Each is given once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """Go through the module itself and all submodules in it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Go through the module itself and all submodules in it, with their paths.

        Parameters
        ----------
        memo: a set of modules that are not given.
        prefix: the path of the module itself.
        remove_duplicate: whether a module that has several paths is given once.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)
