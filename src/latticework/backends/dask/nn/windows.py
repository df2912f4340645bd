"""Functions with windows on Dask: a task for each block of the batch, and of spatial axes where windows allow it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import dask.array as da

from ....backend import get
from ....core.registry import OPS
from ....core.registry import functions as lw
from ....engine.arrays.array import wrapped
from ....engine.shapes.windows import Axes, Windows, convolved, pooled
from ....policy import unified_rules
from ..blocks import call, require_known


@dataclass(frozen=True, slots=True)
class OnSamples:
    """A latticework function by its name, on NumPy blocks: `arrays` arrays, other arguments, and arrays by name."""

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
    """Make a function by its name, which NumPy computes on some samples at a time.

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


def by_window(name: str, n: int | None, read: Callable[..., tuple[Axes, Windows]]) -> Callable[..., da.Array]:
    """Like `by_sample`, for functions of windows: block by block along spatial axes too, with the elements read beyond.

    `read` gives the axes and windows of a call, from the shapes of the arrays and the other arguments by name.
    """
    whole = by_sample(name, n)

    def function(x: da.Array, *others: Any, **options: Any) -> da.Array:
        axes, w = read(*_arguments(name, x, others, options))
        first = axes.batched + (not axes.last)
        positions = range(first, first + len(axes.spatial))
        if all(x.numblocks[i] == 1 for i in positions) or any(w.extra) or None in w.out:
            return whole(x, *others, **options)
        parts = [_parts(x.chunks[i], w, k) for k, i in enumerate(positions)]
        if not all(p.stop > p.start for along in parts for p in along):  # windows of nothing but padding
            return whole(x, *others, **options)

        def joined(chosen: tuple[_Part, ...]) -> da.Array:
            if len(chosen) < len(parts):
                found = [joined((*chosen, p)) for p in parts[len(chosen)]]
                return da.concatenate(found, axis=first + len(chosen)) if len(found) > 1 else found[0]
            key = (*(slice(None),) * first, *[slice(p.start, p.stop) for p in chosen])
            return whole(x[key], *others, **{**options, "padding": tuple([(p.before, p.after) for p in chosen])})

        return joined(())

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    return function


class _Part(NamedTuple):
    """The elements that windows of some places read along an axis, and the padding before and after them."""

    start: int
    stop: int
    before: int
    after: int


def _parts(chunks: tuple[int, ...], w: Windows, k: int) -> list[_Part]:
    """Group the windows along the spatial axis k by the block in which they begin."""
    extent, stride, (before, _) = sum(chunks), w.stride[k], w.padding[k]
    span = (w.kernel[k] - 1) * w.dilation[k] + 1
    ends = [min(w.out[k], -(-(end + before) // stride)) for end in itertools.accumulate(chunks)]
    ends[-1] = w.out[k]
    found = []
    for low, high in itertools.pairwise([0, *ends]):
        if low < high:
            start, stop = low * stride - before, (high - 1) * stride - before + span
            found.append(_Part(max(0, start), min(extent, stop), max(0, -start), max(0, stop - extent)))
    return found


def _arguments(
    name: str, x: da.Array, others: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call: the shapes of the arrays, and the rest by name, with the defaults."""
    o = OPS[name]

    def shape(y: Any) -> Any:
        return tuple([None if n != n else n for n in y.shape]) if isinstance(y, da.Array) else y

    by_position = o.by_position[len(o.by_position) - o.by_name :]
    options = {
        **dict(zip(by_position, o.function.__defaults__ or (), strict=False)),
        **(o.function.__kwdefaults__ or {}),
        **options,
    }
    after = dict(zip(o.by_position, [y for y in others if not isinstance(y, da.Array)], strict=False))
    arrays = [shape(x), *[shape(y) for y in others if isinstance(y, da.Array)]]
    return arrays, {**after, **{key: shape(y) for key, y in options.items()}}


def _shape_of(name: str, x: da.Array, others: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """Return the shape of the result, as the function declares it."""
    o = OPS[name]
    assert callable(o.shape)
    arrays, named = _arguments(name, x, others, options)
    result: tuple[Any, ...] = o.shape(*arrays, **named)
    return result


# --- convolution --------------------------------------------------------------------------------------------------
# Block by block of the batch, and of spatial axes with what windows read of the next block.


def _conv(n: int | None) -> Callable[..., tuple[Axes, Windows]]:
    def read(arrays: list[Any], options: dict[str, Any]) -> tuple[Axes, Windows]:
        x, weight, *rest = arrays
        bias = rest[0] if rest else options.get("bias")
        return convolved(x, weight, bias, n, **{name: o for name, o in options.items() if name != "bias"})

    return read


conv = by_window("nn.conv", None, _conv(None))
conv1d = by_window("nn.conv1d", 1, _conv(1))
conv2d = by_window("nn.conv2d", 2, _conv(2))
conv3d = by_window("nn.conv3d", 3, _conv(3))
conv_transpose1d = by_sample("nn.conv_transpose1d", 1)
conv_transpose2d = by_sample("nn.conv_transpose2d", 2)
conv_transpose3d = by_sample("nn.conv_transpose3d", 3)

# --- pooling ------------------------------------------------------------------------------------------------------


def _pool(n: int) -> Callable[..., tuple[Axes, Windows]]:
    def read(arrays: list[Any], options: dict[str, Any]) -> tuple[Axes, Windows]:
        kernel, dilation = options["kernel_size"], options.get("dilation", 1)
        rest = [options[name] for name in ("ceil_mode", "layout")]
        return pooled(arrays[0], n, kernel, options["stride"], options["padding"], dilation, *rest)

    return read


max_pool1d = by_window("nn.max_pool1d", 1, _pool(1))
max_pool2d = by_window("nn.max_pool2d", 2, _pool(2))
max_pool3d = by_window("nn.max_pool3d", 3, _pool(3))
avg_pool1d = by_window("nn.avg_pool1d", 1, _pool(1))
avg_pool2d = by_window("nn.avg_pool2d", 2, _pool(2))
avg_pool3d = by_window("nn.avg_pool3d", 3, _pool(3))
lp_pool1d = by_sample("nn.lp_pool1d", 1)
lp_pool2d = by_sample("nn.lp_pool2d", 2)
lp_pool3d = by_sample("nn.lp_pool3d", 3)
adaptive_avg_pool2d = by_sample("nn.adaptive_avg_pool2d", 2)
adaptive_max_pool2d = by_sample("nn.adaptive_max_pool2d", 2)
max_unpool2d = by_sample("nn.max_unpool2d", 2, also=1)

# --- resampling ---------------------------------------------------------------------------------------------------

interpolate = by_sample("nn.interpolate")
