"""Make einops take `lw.Array`: it looks for backends among the subclasses of its own class, so it gets a subclass.

This does not import einops. If einops is imported already, the backend is made at once, else when einops is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any

from ...core.registry import functions as lw
from .array import Array

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["join"]

#: The module of einops that has the class.
_MODULE = "einops._backends"


def join() -> None:
    """Give einops a backend for `lw.Array`, now or when it is imported."""
    module = sys.modules.get(_MODULE)
    if module is not None:
        _give_backend(module)
    else:
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """A finder that finds nothing itself: it adds the backend to the module of einops once that has run."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _MODULE:
            return None
        after = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (finder.find_spec(name, path, target) for finder in after)
        spec = next(filter(None, found), None)
        if spec is None or spec.loader is None:
            return None
        run: Any = spec.loader.exec_module

        def run_and_join(module: ModuleType) -> None:
            run(module)
            _give_backend(module)  # and again, should einops be imported anew

        spec.loader.exec_module = run_and_join  # type: ignore[method-assign]
        return spec


def _give_backend(module: Any) -> None:
    """Make the subclass that einops finds. A version of einops without this class is left alone."""
    base: Any = getattr(module, "AbstractBackend", None)
    if base is None or hasattr(module, "LatticeworkBackend"):
        return

    class LatticeworkBackend(base):  # type: ignore[misc]
        """The methods that einops calls on a backend, by latticework functions."""

        framework_name = "latticework"

        def is_appropriate_type(self, tensor: Any) -> bool:
            return type(tensor) is Array

        def from_numpy(self, x: Any) -> Array:
            return lw.asarray(x)

        def to_numpy(self, x: Array) -> Any:
            return lw.to_numpy(x)

        def arange(self, start: int, stop: int) -> Array:
            return lw.arange(start, stop)

        def shape(self, x: Array) -> tuple[int, ...]:
            if None in x.shape:
                raise ValueError(f"einops: shape {x.shape} is not known before the array is computed. Take x.compute()")
            return x.shape

        def reshape(self, x: Array, shape: Any) -> Array:
            return lw.reshape(x, tuple(shape))

        def transpose(self, x: Array, axes: Any) -> Array:
            return lw.permute_dims(x, tuple(axes))

        def reduce(self, x: Array, operation: str, axes: Any) -> Array:
            return getattr(lw, operation)(x, axis=tuple(axes))  # type: ignore[no-any-return]

        def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Array:
            return lw.stack(tensors)

        def add_axis(self, x: Array, new_position: int) -> Array:
            return lw.expand_dims(x, new_position)

        def tile(self, x: Array, repeats: Any) -> Array:
            return lw.tile(x, tuple(repeats))

        def concat(self, tensors: list[Array], axis: int) -> Array:
            return lw.concat(tensors, axis=axis)

        def is_float_type(self, x: Array) -> bool:
            return x.dtype.kind in "fc"

        def einsum(self, pattern: str, *x: Array) -> Array:
            return lw.einsum(pattern, *x)

    module.LatticeworkBackend = LatticeworkBackend  # a class knows its subclasses by weak references alone
