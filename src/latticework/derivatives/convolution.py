"""Rules of convolutions and pooling.

A convolution is a matrix product of the weight and the windows. The cotangent of the weight is the product of that of
the result and the windows; the cotangent of x is a product too, whose elements are added to the places that the windows
came from. All samples are in one product, unless the windows take much memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from ..api.nn.convolution import as_before, channels_first, padded
from ..core.dtypes import float32
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.shapes.windows import Axes, Windows, convolved, mean_divisor, pooled
from .rules import conj, linear, rule
from .tape import Call

#: The most elements of windows that are together in memory, unless one sample has more.
_MOST = 1 << 22


def _wide(x: Array) -> Array:
    """Return floats of 16 bits in float32, in which their products are added."""
    return lw.astype(x, float32) if x.dtype.bits == 16 else x


def _keys(w: Windows) -> Iterator[tuple[Any, ...]]:
    """Yield for each place in a window the key of the elements at that place, of all windows."""
    for at in product(*map(range, w.kernel)):
        yield (..., *[_along(*of_axis) for of_axis in zip(at, w.stride, w.dilation, w.out, strict=True)])


def _along(i: int, stride: int, dilation: int, out: int) -> slice:
    return slice(i * dilation, i * dilation + (out - 1) * stride + 1, stride)


def _zeros(shape: tuple[int, ...], like: Array) -> Array:
    """Return zeros to add parts of an array to: they are recorded where the array is, by a tape or a trace."""
    nothing = lw.sum(lw.reshape(like, (-1,))[:0])
    return lw.zeros(shape, dtype=like.dtype, device=like.device) + nothing


def _extents(axes: Axes, w: Windows) -> tuple[int, ...]:
    """Return the spatial extents with the padding."""
    return tuple([n + low + high for n, (low, high) in zip(axes.spatial, w.around, strict=True)])


def _without_padding(x: Array, axes: Axes, w: Windows) -> Array:
    return x[(..., *[slice(low, low + n) for n, (low, _) in zip(axes.spatial, w.padding, strict=True)])]


# --- convolutions -----------------------------------------------------------------------------------------------------


class _Parts:
    """A call of a convolution, and the parts that it goes in.

    Attributes
    ----------
    axes, w, groups: how the call is read.
    x, weight: the operands, x with the channels before the samples; a padded x.
    samples: slices of the samples.
    """

    def __init__(self, call: Call, n: int | None) -> None:
        x, weight = call.args[:2]
        options = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, "layout": None, **call.kw}
        options.pop("bias", None)
        self.axes, self.w = convolved(x.shape, weight.shape, None, n, **options)
        self.groups: int = options["groups"]
        self.x, self.weight = x, weight
        self.last = self.axes.last
        of_one = max(1, (weight.shape[1] * self.groups) * math.prod(weight.shape[2:]) * math.prod(self.w.out))
        count = self.axes.batch[0] if self.axes.batched else 1
        step = max(1, _MOST // of_one)
        self.samples = [slice(i, min(i + step, count)) for i in range(0, count, step)]

    def rows(self, g: Array, part: slice) -> Array:
        """Return a part of the result's cotangent: (groups, channels of a group, samples * windows)."""
        g = lw.moveaxis(channels_first(_wide(g), self.axes)[part], 0, 1)
        return lw.reshape(g, (self.groups, g.shape[0] // self.groups, -1))

    def kernels(self) -> Array:
        """Return the weight: (groups, channels of a group, elements of a window)."""
        return lw.reshape(_wide(self.weight), (self.groups, self.weight.shape[0] // self.groups, -1))

    def windows(self, part: slice) -> Array:
        """Return a part of the windows: (groups, elements of a window, samples * windows)."""
        x = padded(lw.moveaxis(channels_first(_wide(self.x), self.axes)[part], 0, 1), self.w.around)
        found = lw.stack([x[key] for key in _keys(self.w)], axis=1)
        return lw.reshape(found, (self.groups, found.shape[0] // self.groups * found.shape[1], -1))


def _by_input(parts: _Parts, g: Array) -> Array:
    transposed = lw.matrix_transpose(conj(parts.kernels()))
    found = []
    for part in parts.samples:
        count = part.stop - part.start
        columns = lw.matmul(transposed, parts.rows(g, part))
        columns = lw.reshape(columns, (parts.axes.channels, math.prod(parts.w.kernel), count, *parts.w.out))
        extents = _extents(parts.axes, parts.w)
        x = _zeros((parts.axes.channels, count, *extents), columns)
        for k, key in enumerate(_keys(parts.w)):
            x[key] += columns[:, k]
        found.append(lw.moveaxis(_without_padding(x, parts.axes, parts.w), 0, 1))
    return as_before(lw.concat(found, axis=0) if len(found) > 1 else found[0], parts.axes)


def _by_weight(parts: _Parts, g: Array) -> Array:
    total: Any = 0
    for part in parts.samples:
        windows = lw.matrix_transpose(conj(parts.windows(part)))
        total = total + lw.matmul(parts.rows(g, part), windows)
    return lw.reshape(total, parts.weight.shape)


def _state_convolution(name: str, n: int | None) -> None:
    function: Callable[..., Array] = getattr(lw.nn, name)

    def reverse(call: Call, g: Array) -> Any:
        found: dict[Any, Array] = {}
        if "bias" in call.differentiated:
            axes = _Parts(call, n).axes
            channels = g.ndim - 1 if axes.last else int(axes.batched)
            found["bias"] = lw.sum(g, axis=tuple([a for a in range(g.ndim) if a != channels]))
        if g.size == 0:
            return {**found, **{i: lw.zeros_like(call.args[i]) for i in (0, 1)}}
        parts = _Parts(call, n)
        if 0 in call.differentiated:
            found[0] = _by_input(parts, g)
        if 1 in call.differentiated:
            found[1] = _by_weight(parts, g)
        return found

    def forward(call: Call, tangents: Mapping[Any, Array]) -> Array:
        x, weight = call.args[:2]
        options = {name: value for name, value in call.kw.items() if name != "bias"}
        total: Any = lw.zeros_like(call.out)
        if 0 in tangents:
            total = total + function(tangents[0], weight, **options)
        if 1 in tangents:
            total = total + function(x, tangents[1], **options)
        if "bias" in tangents:
            axes = _Parts(call, n).axes
            bias = tangents["bias"]
            total = total + (bias if axes.last else lw.reshape(bias, (-1, *[1] * len(axes.spatial))))
        return total  # type: ignore[no-any-return]

    rule(f"nn.{name}", forward)(reverse)


for _name, _n in (("conv", None), ("conv1d", 1), ("conv2d", 2), ("conv3d", 3)):
    _state_convolution(_name, _n)


# --- pooling ----------------------------------------------------------------------------------------------------------


def _read_pool(x: Array, n: int, kernel_size: Any, options: Mapping[str, Any]) -> tuple[Axes, Windows]:
    given = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False, "layout": None, **options}
    names = ("stride", "padding", "dilation", "ceil_mode", "layout")
    return pooled(x.shape, n, kernel_size, *[given[name] for name in names])


def _state_max_pool(n: int) -> None:
    """The first of equal elements of a window has the derivative, as in PyTorch."""

    def hits(call: Call, axes: Axes, w: Windows) -> Iterator[tuple[tuple[Any, ...], Array]]:
        """Yield for each place in a window its key, and in which windows the greatest element is there: 1, else 0."""
        x = padded(channels_first(call.args[0], axes), w.around, -math.inf)
        out = channels_first(call.out, axes)
        open_ = lw.ones(out.shape, dtype="bool", device=out.device)
        for key in _keys(w):
            hit = lw.logical_and(open_, x[key] == out)
            open_ = lw.logical_xor(open_, hit)
            yield key, lw.astype(hit, out.dtype)

    def reverse(call: Call, g: Array) -> Any:
        axes, w = _read_pool(call.args[0], n, call.args[1], call.kw)
        g = channels_first(g, axes)
        x: Any = None
        for key, hit in hits(call, axes, w):
            part = g * hit
            x = _zeros((*g.shape[:2], *_extents(axes, w)), part) if x is None else x
            x[key] += part
        return {0: as_before(_without_padding(x, axes, w), axes)}

    def forward(call: Call, tangents: Mapping[Any, Array]) -> Array:
        axes, w = _read_pool(call.args[0], n, call.args[1], call.kw)
        t = padded(channels_first(tangents[0], axes), w.around)
        total: Any = 0
        for key, hit in hits(call, axes, w):
            total = total + t[key] * hit
        return as_before(total, axes)

    rule(f"nn.max_pool{n}d", forward)(reverse)


def _first(call: Call) -> Array:
    return lw.expand_dims(lw.argmax(call.args[0], axis=call.kw["axis"]), axis=call.kw["axis"])


def _along_first(call: Call, tangents: Mapping[Any, Array]) -> Array:
    axis = call.kw["axis"]
    return lw.squeeze(lw.take_along_axis(tangents[0], _first(call), axis=axis), axis=axis)


@rule("nn._first_greatest", _along_first)
def _first_greatest(call: Call, g: Array) -> Any:
    (x,), axis = call.args, call.kw["axis"]
    places = lw.arange(x.shape[axis], device=x.device)
    here = lw.reshape(places, (-1, *[1] * (x.ndim - axis - 1))) == _first(call)
    return {0: lw.where(here, lw.expand_dims(g, axis=axis), 0)}


def _state_avg_pool(n: int) -> None:
    """Each element of a window has its share, the padding too where it counts."""

    def transpose(g: Array, x: Array, kernel_size: Any, count_include_pad: bool = True, **options: Any) -> Array:
        axes, w = _read_pool(x, n, kernel_size, options)
        divisor = mean_divisor(w, axes.spatial, count_include_pad)
        g = _wide(channels_first(g, axes))
        g = g / (divisor if isinstance(divisor, int) else lw.asarray(divisor, dtype=g.dtype, device=g.device))
        for i, extent in enumerate(_extents(axes, w)):
            shape = (*g.shape[: 2 + i], extent, *g.shape[3 + i :])
            spread = _zeros(shape, g)
            for at in range(w.kernel[i]):
                key = (*[slice(None)] * (2 + i), _along(at, w.stride[i], w.dilation[i], w.out[i]))
                spread[key] += g
            g = spread
        return as_before(_without_padding(g, axes, w), axes)

    linear(f"nn.avg_pool{n}d")(transpose)


for _n in (1, 2, 3):
    _state_max_pool(_n)
    _state_avg_pool(_n)
