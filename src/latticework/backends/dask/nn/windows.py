"""Functions with windows on Dask: a task for each block of the batch, which has all of the other axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import dask.array as da

from ....core.registry import OPS
from ....core.registry import functions as lw
from ....engine.array import wrapped
from ....policy import unified_rules
from ... import get
from ..blocks import call, require_known


@dataclass(frozen=True, slots=True)
class OnSamples:
    """A function of ours by its name, on NumPy's blocks: so many arrays, the other arguments, and arrays by name."""

    name: str
    arrays: int
    others: tuple[Any, ...]
    names: tuple[str, ...]

    def __call__(self, *blocks: Any, **options: Any) -> Any:
        numpy = get("numpy")
        with unified_rules():
            arrays = [wrapped(b, numpy.sig_of(b)) for b in blocks]
            named = dict(zip(self.names, arrays[self.arrays :], strict=True))
            result = attrgetter(self.name)(lw)(*arrays[: self.arrays], *self.others, **named, **options)
        return result._data

    @property
    def __name__(self) -> str:
        return self.name.rpartition(".")[2]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "latticework", self.name, self.arrays, self.others, self.names


def by_sample(name: str, n: int | None = None, also: int = 0) -> Callable[..., da.Array]:
    """A function by its name, computed as NumPy's on some samples at a time.

    There is a batch where x has more than n + 1 axes, of which n are spatial: None for as many as the weight has,
    or x where there is no weight.
    `also` is the number of the other arrays that have the batch in front, too.
    """

    def function(x: da.Array, *others: Any, **options: Any) -> da.Array:
        arrays = [y for y in others if isinstance(y, da.Array)]
        plain = tuple([y for y in others if not isinstance(y, da.Array)])
        named = {key: y for key, y in options.items() if isinstance(y, da.Array)}
        options = {key: y for key, y in options.items() if key not in named}
        axes = ((arrays[0] if arrays else x).ndim - 2 if n is None else n) + 1
        for y in (x, *arrays, *named.values()):
            require_known(y, range(max(0, y.ndim - axes), y.ndim))
        batched = x.ndim > axes
        result = _shape_of(name, x, (*arrays, *plain), {**named, **options})
        operands: list[Any] = []
        for i, y in enumerate([x, *arrays, *named.values()]):
            stack = batched and i <= also
            operands += [y, (*([0] if stack else []), *range(100 * (i + 1), 100 * (i + 1) + y.ndim - stack))]
        out = tuple(range(len(result)))
        new = dict(zip(out[batched:], result[batched:], strict=True))
        on = OnSamples(name, 1 + len(arrays), plain, tuple(named))
        return call(on, out, *operands, dtype=x.dtype, concatenate=True, new_axes=new, **options)

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    return function


def _shape_of(name: str, x: da.Array, others: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The shape of the result, as the function declares it."""
    o = OPS[name]
    assert callable(o.shape)

    def shape(y: Any) -> Any:
        return tuple([None if n != n else n for n in y.shape]) if isinstance(y, da.Array) else y

    by_position = o.by_position[len(o.by_position) - o.by_name :]
    options = {
        **dict(zip(by_position, o.function.__defaults__ or (), strict=False)),
        **(o.function.__kwdefaults__ or {}),
        **options,
    }
    after = dict(zip(o.by_position, [y for y in others if not isinstance(y, da.Array)], strict=False))
    arrays = [shape(y) for y in others if isinstance(y, da.Array)]
    result: tuple[Any, ...] = o.shape(shape(x), *arrays, **after, **{key: shape(y) for key, y in options.items()})
    return result
