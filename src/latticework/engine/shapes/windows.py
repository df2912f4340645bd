"""Windows over spatial axes: what convolutions, pooling and patches read from the extents and the options of a call.

The functions here compute with ints alone, so that shape functions, compositions and backends share them. An extent is
None where it is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .extents import Extent, Shape, as_int, check_word

__all__ = [
    "Axes", "Pair", "Pairs", "Windows", "axes_of", "convolved", "mean_divisor", "number_of_axes",
    "padding_is_half", "per_axis", "pooled",
    "transposed", "wanted_extents", "windows",
]  # fmt: skip

Pair = tuple[int, int]
Pairs = tuple[Pair, ...]

#: The layouts by number of spatial axes: channels first, channels last.
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class Windows(NamedTuple):
    """Windows over the spatial axes, one item for each axis.

    Attributes
    ----------
    kernel, stride, dilation: as in the call.
    padding: how many elements go in front of each axis and behind it.
    extra: how many more have to go behind it, so that the last window of ``ceil_mode`` is complete.
    out: the number of windows, None where it is not known.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: Pairs
    extra: tuple[int, ...]
    out: tuple[Any, ...]

    @property
    def pads(self) -> bool:
        """True if anything goes around the array."""
        return any(map(any, self.padding)) or any(self.extra)

    @property
    def around(self) -> Pairs:
        """The padding, with the elements that complete the last windows."""
        return tuple([(low, high + more) for (low, high), more in zip(self.padding, self.extra, strict=True)])


class Axes(NamedTuple):
    """The axes of an array: whether there is one for the batch, and whether the channels are the last."""

    batched: bool
    last: bool
    batch: tuple[Any, ...]
    channels: Any
    spatial: tuple[Any, ...]

    def shape(self, channels: Extent, spatial: Shape) -> Shape:
        """Return the shape with other channels and spatial extents."""
        return (*self.batch, *spatial, channels) if self.last else (*self.batch, channels, *spatial)


def number_of_axes(value: Any, default: int) -> int:
    """Return the number of spatial axes that an option is for: an int or a word fits any number, as the default."""
    return default if hasattr(value, "__index__") or isinstance(value, str) else len(value)


def axes_of(shape: Shape, n: int, layout: str | None, name: str = "x") -> Axes:
    """Read a shape with n spatial axes, one axis of channels and perhaps one for the batch."""
    first, last = LAYOUTS.get(n, ("channels_first", "channels_last"))
    if layout is not None:
        check_word((first, last, "channels_first", "channels_last"), "layout", layout)
    if len(shape) not in (n + 1, n + 2):
        raise ValueError(
            f"{name} must have {n + 2} axes, or {n + 1} without a batch, for {n} spatial ones; got {shape}"
        )
    batched = len(shape) == n + 2
    rest = shape[batched:]
    channels_last = layout in (last, "channels_last")
    channels, spatial = (rest[-1], rest[:-1]) if channels_last else (rest[0], rest[1:])
    return Axes(batched, channels_last, shape[:batched], channels, spatial)


def per_axis(value: Any, n: int, name: str, least: int = 1) -> tuple[int, ...]:
    """Return one int for each spatial axis, from one int for all of them or a sequence."""
    if hasattr(value, "__index__"):
        found = (as_int(value, f"{name} is an int or a sequence of ints"),) * n
    elif isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"{name} is an int or a sequence of ints; got {value!r}")
    else:
        found = tuple([as_int(v, f"{name} is an int or a sequence of ints") for v in value])
        found = found * n if len(found) == 1 else found
    if len(found) != n:
        raise ValueError(f"{name} must have one int for each of {n} spatial axes; got {value!r}")
    if min(found, default=least) < least:
        raise ValueError(f"{name} must be at least {least}; got {value!r}")
    return found


def windows(
    spatial: Shape, kernel: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Windows:
    """Find the windows over spatial axes of these extents.

    Raises
    ------
    ValueError: an option lacks one item for each axis, is too small, or a window is larger than the padded extent.
    """
    kernel, stride, padding, dilation = _fixed(kernel), _fixed(stride), _fixed(padding), _fixed(dilation)
    parts: list[Any] = []
    for option in (kernel, stride, padding, dilation):
        for x in option if type(option) is tuple else ():
            parts += x if type(x) is tuple else (x,)
    find = _windows if INTS.issuperset(map(type, parts)) else _windows.__wrapped__
    return find(spatial, kernel, stride, padding, dilation, bool(ceil_mode))


def _fixed(value: Any) -> Any:
    """Replace lists in a value by tuples, so that it can be a key."""
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


#: What tuples of options hold where they are the key of a cache: in a tuple, 1.0 and True are 1 to it.
INTS = frozenset((int,))


@lru_cache(1024, typed=True)
def _windows(spatial: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Windows:
    n = len(spatial)
    kernel, stride = per_axis(kernel, n, "kernel_size"), per_axis(stride, n, "stride")
    dilation = per_axis(dilation, n, "dilation")
    spans = tuple([(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)])
    pairs = _pairs(padding, spatial, spans, stride)
    out: list[Extent] = []
    extra: list[int] = []
    for extent, span, s, (low, high) in zip(spatial, spans, stride, pairs, strict=True):
        if extent is None:
            out.append(None)
            extra.append(0)
            continue
        left = extent + low + high - span
        if left < 0:
            raise ValueError(
                f"a window must not be larger than the padded array: it spans {spans} elements, of spatial axes "
                f"{spatial} with padding {pairs}. Give more padding or a smaller kernel"
            )
        count = left // s + 1
        if ceil_mode and left % s and count * s < extent + low:  # the last window begins inside the array
            count += 1
        out.append(count)
        extra.append(max(0, (count - 1) * s - left))
    return Windows(kernel, stride, dilation, pairs, tuple(extra), tuple(out))


def _pairs(padding: Any, spatial: Shape, spans: tuple[int, ...], stride: tuple[int, ...]) -> Pairs:
    """Return the padding in front of each axis and behind it."""
    n = len(spatial)
    if isinstance(padding, str):
        check_word(("valid", "same", "same_lower"), "padding", padding)
        if padding == "valid":
            return ((0, 0),) * n
        return tuple([_same(*axis, padding == "same_lower") for axis in zip(spatial, spans, stride, strict=True)])
    if hasattr(padding, "__index__"):
        return tuple([(p, p) for p in per_axis(padding, n, "padding", 0)])
    words = "padding is an int, a word, or for each spatial axis an int or a pair of ints"
    if not isinstance(padding, Sequence) or any(isinstance(p, float) for p in padding):
        raise TypeError(f"{words}; got {padding!r}")
    if len(padding) not in (1, n):
        raise ValueError(f"{words}, here {n}; got {padding!r}")
    pairs = [(p, p) if hasattr(p, "__index__") else p for p in padding] * (n if len(padding) == 1 else 1)
    if not all(isinstance(p, Sequence) and len(p) == 2 for p in pairs):
        raise ValueError(f"{words}; got {padding!r}")
    found = tuple([(as_int(low, words), as_int(high, words)) for low, high in pairs])
    if any(p < 0 for pair in found for p in pair):
        raise ValueError(f"padding must not be negative; got {padding!r}")
    return found


def _same(extent: Extent, span: int, stride: int, lower: bool) -> Pair:
    """Return the padding for ``ceil(extent / stride)`` windows; the odd element goes behind, with `lower` in front."""
    if extent is None:  # it need not be known without a stride
        total = span - 1
    else:
        total = max(0, (max(0, -(-extent // stride) - 1)) * stride + span - extent)
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


def pooled(
    x: Shape, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, layout: str | None
) -> tuple[Axes, Windows]:
    """Read a call of pooling."""
    axes = axes_of(x, n, layout)
    found = windows(axes.spatial, kernel, kernel if stride is None else stride, padding, dilation, ceil_mode)
    if not isinstance(padding, str):
        spans = [(k - 1) * d + 1 for k, d in zip(found.kernel, found.dilation, strict=True)]
        if any(max(pair) >= span for pair, span in zip(found.padding, spans, strict=True) if max(pair)):
            raise ValueError(
                f"padding must be less than the window, so that each window reaches elements: "
                f"the windows span {tuple(spans)}; got {padding!r}"
            )
    return axes, found


def padding_is_half(kernel: Any, padding: Any, dilation: Any = 1) -> bool:
    """Return whether the padding is half of a window at most: PyTorch's pooling takes no more."""
    n = max(number_of_axes(option, 1) for option in (kernel, padding, dilation))
    sizes, gaps = per_axis(kernel, n, "kernel_size"), per_axis(dilation, n, "dilation")
    pads = per_axis(padding, n, "padding", 0)
    return all(2 * p <= (k - 1) * d + 1 for p, k, d in zip(pads, sizes, gaps, strict=True))


def convolved(
    x: Shape,
    weight: Shape,
    bias: Shape | None,
    n: int | None,
    *,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    layout: str | None,
) -> tuple[Axes, Windows]:
    """Read a call of a convolution with n spatial axes, or with as many as the weight has.

    Raises
    ------
    ValueError: x, weight and bias do not fit together.
    """
    n = len(weight) - 2 if n is None else n
    if len(weight) != n + 2 or n < 1:
        raise ValueError(f"weight must have {max(n, 1) + 2} axes: channels out and in, and the kernel; got {weight}")
    if any(extent is None for extent in weight[2:]):
        raise ValueError(f"the extents of the kernel must be known; got {weight}")
    axes = axes_of(x, n, layout)
    groups = as_int(groups, "groups is an int")
    if groups < 1:
        raise ValueError(f"groups must be at least 1; got {groups}")
    if weight[1] is not None and axes.channels is not None and axes.channels != weight[1] * groups:
        of = f" in each of {groups} groups" if groups > 1 else ""
        raise ValueError(f"weight is for {weight[1]} channels{of}; x has {axes.channels} channels, of shape {x}")
    if weight[0] is not None and weight[0] % groups:
        raise ValueError(f"the channels of the result, {weight[0]}, must be a multiple of the groups, {groups}")
    _check_bias(bias, weight[0])
    return axes, windows(axes.spatial, weight[2:], stride, padding, dilation)


def _check_bias(bias: Shape | None, channels: Extent) -> None:
    if bias is not None and (len(bias) != 1 or (None not in (bias[0], channels) and bias[0] != channels)):
        raise ValueError(f"bias must have shape ({channels},), one for each channel of the result; got {bias}")


def transposed(
    x: Shape,
    weight: Shape,
    bias: Shape | None,
    n: int,
    *,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
    layout: str | None,
) -> tuple[Axes, Windows]:
    """Read a call of a transposed convolution. The padding is of the result, and `out` the result's extents."""
    if len(weight) != n + 2:
        raise ValueError(f"weight must have {n + 2} axes: channels in and out, and the kernel; got {weight}")
    if any(extent is None for extent in weight[2:]):
        raise ValueError(f"the extents of the kernel must be known; got {weight}")
    axes = axes_of(x, n, layout)
    groups = as_int(groups, "groups is an int")
    if groups < 1:
        raise ValueError(f"groups must be at least 1; got {groups}")
    if None not in (weight[0], axes.channels) and axes.channels != weight[0]:
        raise ValueError(f"weight is for {weight[0]} channels; x has {axes.channels} channels, of shape {x}")
    if weight[0] is not None and weight[0] % groups:
        raise ValueError(f"the channels of x, {weight[0]}, must be a multiple of the groups, {groups}")
    _check_bias(bias, None if weight[1] is None else weight[1] * groups)
    kernel, stride = tuple([k for k in weight[2:] if k is not None]), per_axis(stride, n, "stride")
    dilation, extra = per_axis(dilation, n, "dilation"), per_axis(output_padding, n, "output_padding", 0)
    spans = tuple([(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)])
    if isinstance(padding, str):
        check_word(("valid", "same"), "padding", padding)
        whole = [0 if padding == "valid" else max(0, span - s) for span, s in zip(spans, stride, strict=True)]
        pairs: Pairs = tuple([(p // 2, p - p // 2) for p in whole])
        extra = tuple([e + max(0, s - span) for e, s, span in zip(extra, stride, spans, strict=True)])
    else:
        pairs = _pairs(padding, (None,) * n, spans, stride)
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)) and not isinstance(padding, str):
        raise ValueError(f"output_padding must be less than stride or dilation; got {output_padding!r}")
    out: list[Extent] = []
    for extent, s, span, (low, high), e in zip(axes.spatial, stride, spans, pairs, extra, strict=True):
        out.append(None if extent is None else (extent - 1) * s + span - low - high + e)
    if any(extent is not None and extent < 1 for extent in out):
        raise ValueError(f"the result would have spatial axes {tuple(out)}; x has {axes.spatial}, padding is {pairs}")
    return axes, Windows(kernel, stride, dilation, pairs, extra, tuple(out))


def mean_divisor(w: Windows, spatial: Shape, with_padding: bool) -> Any:
    """Return the number of elements in each window: an int, or a NumPy array with the spatial axes of the result.

    Elements that complete the last window of ``ceil_mode`` do not count; the padding does if it is asked for.
    """
    pads = tuple([sum(pair) for pair in w.padding])
    if not any(w.extra) and (with_padding or not any(pads)):
        return math.prod(w.kernel)
    return _divisor(w, spatial, with_padding)


@lru_cache(256)
def _divisor(w: Windows, spatial: Shape, with_padding: bool) -> Any:
    import numpy as np

    result: Any = np.ones(())
    for axis, (extent, (low, high)) in enumerate(zip(spatial, w.padding, strict=True)):
        assert extent is not None
        place = np.arange(w.out[axis])[:, None] * w.stride[axis] + np.arange(w.kernel[axis]) * w.dilation[axis] - low
        first, last = (-low, extent + high) if with_padding else (0, extent)
        counted = np.sum((place >= first) & (place < last), axis=1)
        result = result[..., None] * counted
    return result


def wanted_extents(spatial: Shape, output_size: Any) -> tuple[Any, ...]:
    """Return the requested extents: None in `output_size` keeps the extent of the axis."""
    sizes = (output_size,) * len(spatial) if output_size is None or hasattr(output_size, "__index__") else output_size
    if not isinstance(sizes, Sequence) or len(sizes) != len(spatial):
        raise ValueError(f"output_size must have one int for each of {len(spatial)} spatial axes; got {output_size!r}")
    found = tuple([
        n if m is None else as_int(m, "output_size is an int, or for each axis an int or None")
        for m, n in zip(sizes, spatial, strict=True)
    ])  # fmt: skip
    if any(m is not None and m < 1 for m in found):
        raise ValueError(f"output_size must be at least 1; got {output_size!r}")
    if 0 in spatial:
        raise ValueError(f"the spatial axes of x must have elements; got {spatial}")
    return found
