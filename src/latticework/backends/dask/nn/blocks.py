"""latticework's functions on blocks, as the NumPy backend computes them, composed or not: one layer of the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import dask.array as da

from ....backend import get
from ....core.registry import functions as lw
from ....engine.arrays.array import wrapped
from ....policy import unified_rules
from ..blocks import by_block
from ..linear_algebra import check


@dataclass(frozen=True, slots=True)
class OnBlocks:
    """A function by its name, on NumPy blocks. It is pickled as the name, and is small in a graph."""

    name: str

    def __call__(self, *blocks: Any, **options: Any) -> Any:
        numpy = get("numpy")
        with unified_rules():
            result = attrgetter(self.name)(lw)(*[wrapped(b, numpy.sig_of(b)) for b in blocks], **options)
        return result._data

    @property
    def __name__(self) -> str:
        return self.name.rpartition(".")[2]

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "latticework", self.name


def same(name: str) -> Callable[..., da.Array]:
    """Make an elementwise function whose result has the dtype of its operand."""
    on_blocks = OnBlocks(name)

    def function(x: da.Array, **options: Any) -> da.Array:
        check(name, x, **options)
        return by_block(on_blocks, x.dtype, x, **options)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    return function
