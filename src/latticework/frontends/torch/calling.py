"""What the programs of compiled calls have in common: trees of arguments and results, draws, compilers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import BackendError, TraceError
from ...policy import current
from ...tracing.running import compiler_of
from . import sampling
from .core import ops
from .tensor import Tensor

__all__ = ["Draws", "built", "drawn_before", "has_compiler", "taken_apart", "tensors_of"]


def taken_apart(x: Any, tensors: list[Any]) -> Any:
    """Append the tensors of tuples, lists and dicts to a list. Return what is left: it can be compared and hashed."""
    if type(x) is Tensor:
        tensors.append(x)
        return Tensor
    if type(x) in (tuple, list):
        return type(x), tuple([taken_apart(y, tensors) for y in x])
    if type(x) is dict:
        return dict, tuple(x), tuple([taken_apart(y, tensors) for y in x.values()])
    return None, type(x), x


def built(form: Any, tensors: Iterator[Any]) -> Any:
    """Build what was taken apart, of other tensors."""
    if form is Tensor:
        return next(tensors)
    if form[0] is None:
        return form[2]
    inside = [built(part, tensors) for part in form[-1]]
    return dict(zip(form[1], inside, strict=True)) if form[0] is dict else form[0](inside)


def tensors_of(x: Any) -> list[Any]:
    found: list[Any] = []
    taken_apart(x, found)
    return found


class Draws(sampling.Generator):
    """The default generator in a program: its keys follow from the seed's key and the number of draws before."""

    def __init__(self, key: Any, before: Any) -> None:
        super().__init__()
        self._base, self._before, self.drawn = key, before, 0

    def key(self) -> Any:
        self.drawn += 1
        return ops.random.fold_in(self._base, self._before + self.drawn)

    def _refuse(self, *args: Any) -> Any:
        raise TraceError("a program cannot seed the generator, or ask for its state")

    seed = initial_seed = get_state = clone_state = _refuse
    manual_seed: Any = _refuse
    set_state: Any = _refuse


def has_compiler(backend: Any) -> bool:
    try:
        compiler_of(backend)
    except BackendError:
        return False
    return True


_keys: dict[Any, Any] = {}


def drawn_before(generator: Any) -> tuple[Any, Any]:
    """Return the state of a generator as arrays: the key of its seed, and how many keys it gave."""
    which = generator._seed, current()
    if which not in _keys:
        _keys.clear()
        _keys[which] = ops.random.key(generator._seed % 2**63)
    return _keys[which], ops.asarray(generator._count, dtype="int64")
