"""The functions of `tf.nn` that slide a window: convolutions and pooling, and moves between depth and space."""

from __future__ import annotations

from typing import Any

from .arguments import extents, number, only
from .errors import invalid
from .tensor import as_tensor, dialect, ops


def _per_axis(value: Any, count: int, data_format: str, name: str) -> tuple[int, ...]:
    """Strides, dilations or window sizes of the spatial axes: given as one, one for each, or one for each axis."""
    if value is None:
        return (1,) * count
    found = (number(value),) if isinstance(value, int) else extents(value)
    if len(found) == 1:
        return found * count
    if len(found) == count:
        return found
    if len(found) == count + 2:
        first = data_format.startswith("NC")
        if found[0] != 1 or found[1 if first else -1] != 1:
            raise invalid(f"{name} of the batch and of the channels have to be 1, and are {found}")
        return found[2:] if first else found[1:-1]
    raise ValueError(f"{name} should be of length 1, {count} or {count + 2} but was {len(found)}.")


def _padding(padding: Any, count: int, data_format: str) -> Any:
    if isinstance(padding, str):
        if padding not in ("SAME", "VALID"):
            raise invalid(f"Value for attr 'padding' of {padding!r} is not in the list of allowed values: SAME, VALID")
        return padding.lower()
    pairs = [tuple(p) for p in padding]
    return (pairs[2:] if data_format.startswith("NC") else pairs[1:-1])[:count]


_DEFAULT = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _convolved(
    x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, count: int | None = None
) -> Any:
    x = only(x, "f")
    weight = as_tensor(filters, like=x)
    if weight.dtype != x.dtype:
        raise invalid(f"the filters are of {weight.dtype.name}, and the input of {x.dtype.name}")
    count = weight.ndim - 2 if count is None else count
    layout = _DEFAULT[count] if data_format is None else data_format
    if weight.ndim != count + 2 or x.ndim != count + 2:
        raise invalid(f"input must be {count + 2}-dimensional, and filter too: {x.shape} and {weight.shape}")
    channels = x._array.shape[1 if layout.startswith("NC") else -1]
    inner = weight._array.shape[-2]
    if not inner or channels % inner:
        raise invalid(f"input depth must be evenly divisible by filter depth: {channels} vs {inner}")
    weight = ops.permute_dims(weight, (count + 1, count, *range(count)))
    return ops.nn.conv(
        x, weight, stride=_per_axis(strides, count, layout, "strides"), padding=_padding(padding, count, layout),
        dilation=_per_axis(dilations, count, layout, "dilations"), groups=channels // inner, layout=layout,
    )  # fmt: skip


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    return _convolved(input, filters, stride, padding, data_format, dilations, 1)


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = "NHWC", dilations: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    return _convolved(input, filters, strides, padding, data_format, dilations, 2)


def conv3d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", dilations: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    return _convolved(input, filters, strides, padding, data_format, dilations, 3)


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    return _convolved(input, filters, strides, padding, data_format, dilations)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: Any = None) -> Any:
    return _convolved(value, filters, 1, padding, "NHWC", rate, 2)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> Any:
    x = only(input, "f")
    weight = as_tensor(filter, like=x)
    layout = data_format or "NHWC"
    if x.ndim != 4 or weight.ndim != 4:
        raise invalid(f"input and filter must be 4-dimensional: {x.shape} and {weight.shape}")
    rows, columns, channels, times = weight._array.shape
    weight = ops.reshape(ops.permute_dims(weight, (2, 3, 0, 1)), (channels * times, 1, rows, columns))
    return ops.nn.conv(
        x, weight, stride=_per_axis(strides, 2, layout, "strides"), padding=_padding(padding, 2, layout),
        dilation=_per_axis(dilations, 2, layout, "dilations"), groups=channels, layout=layout,
    )  # fmt: skip


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any, data_format: Any = None,
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    each = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(each, pointwise_filter, 1, "VALID", data_format or "NHWC")


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: Any = "NHWC",
    dilations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    x = only(input, "f")
    weight = as_tensor(filters, like=x)
    first = data_format.startswith("NC")
    steps, wide = _per_axis(strides, 2, data_format, "strides"), _per_axis(dilations, 2, data_format, "dilations")
    shape = extents(output_shape)
    given = x._array.shape[2:] if first else x._array.shape[1:-1]
    wanted = shape[2:] if first else shape[1:-1]
    pads, more = [], []
    for n, k, s, d, m in zip(given, weight._array.shape, steps, wide, wanted, strict=False):
        reach = (k - 1) * d + 1
        total = max((n - 1) * s + reach - m, 0) if padding.upper() == "SAME" else 0
        pads.append((total // 2, total - total // 2))
        more.append(max(m - ((n - 1) * s + reach - total), 0))
    weight = ops.permute_dims(weight, (3, 2, 0, 1))
    found = ops.nn.conv_transpose2d(
        x, weight, stride=steps, padding=pads, output_padding=tuple(more), dilation=wide,
        layout="NCHW" if first else "NHWC",
    )  # fmt: skip
    if found._array.shape != shape:
        raise invalid(f"output_shape {shape} does not fit the input {x.shape}; it would be {found.shape}")
    return found


# --- pooling --------------------------------------------------------------------------------------------------------


def _pooled(
    f: Any, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, count: int, kinds: str = "f"
) -> Any:
    x = only(x, kinds, "float64" if f is _greatest(3) else "uint32 uint64" if kinds == "iuf" else "")
    layout = data_format or _DEFAULT[count]
    if x.ndim != count + 2:
        raise invalid(f"input must be {count + 2}-dimensional, and is of the shape {x.shape}")
    options: dict[str, Any] = {"count_include_pad": False} if f is _average(count) else {}
    return f(
        x, _per_axis(ksize, count, layout, "ksize"), stride=_per_axis(strides, count, layout, "strides"),
        padding=_padding(padding, count, layout), layout=layout, **options,
    )  # fmt: skip


def _average(count: int) -> Any:
    return getattr(ops.nn, f"avg_pool{count}d")


def _greatest(count: int) -> Any:
    return getattr(ops.nn, f"max_pool{count}d")


# fmt: off
def avg_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: Any = None) -> Any:
    return _pooled(_average(1), input, ksize, strides, padding, data_format, 1)
def avg_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: Any = None) -> Any:
    return _pooled(_average(2), input, ksize, strides, padding, data_format, 2)
def avg_pool3d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: Any = None) -> Any:
    return _pooled(_average(3), input, ksize, strides, padding, data_format, 3)
def max_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: Any = None) -> Any:
    return _pooled(_greatest(1), input, ksize, strides, padding, data_format, 1, "iuf")
def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: Any = None) -> Any:
    return _pooled(_greatest(2), input, ksize, strides, padding, data_format, 2, "iuf")
def max_pool3d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: Any = None) -> Any:
    return _pooled(_greatest(3), input, ksize, strides, padding, data_format, 3)
# fmt: on


def avg_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    count = as_tensor(input).ndim - 2
    return _pooled(_average(count), input, ksize, strides, padding, data_format, count)


def max_pool(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Any:
    count = as_tensor(input).ndim - 2
    return _pooled(_greatest(count), input, ksize, strides, padding, data_format, count, "f" if count == 3 else "iuf")


# --- depth and space ------------------------------------------------------------------------------------------------


def _of_blocks(x: Any, block_size: Any, data_format: Any) -> tuple[Any, int]:
    """A tensor of images with the channels last, and the size of its blocks."""
    x, b = as_tensor(x), number(block_size)
    if b < 2:
        raise invalid(f"block_size of {b} must be at least 2")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"data_format {data_format!r} is not in the list of allowed values: NHWC, NCHW")
    if x.ndim != 4:
        raise invalid(f"Input rank should be 4 instead of {x.ndim}")
    return (ops.moveaxis(x, 1, -1) if data_format == "NCHW" else x), b


def depth_to_space(input: Any, block_size: Any, data_format: Any = "NHWC", name: Any = None) -> Any:
    x, b = _of_blocks(input, block_size, data_format)
    n, h, w, c = x._array.shape
    if c % (b * b):
        raise invalid(f"Dimension size must be evenly divisible by {b * b} but is {c}")
    cut = ops.permute_dims(ops.reshape(x, (n, h, w, b, b, c // (b * b))), (0, 1, 3, 2, 4, 5))
    found = ops.reshape(cut, (n, h * b, w * b, c // (b * b)))
    return ops.moveaxis(found, -1, 1) if data_format == "NCHW" else found


def space_to_depth(input: Any, block_size: Any, data_format: Any = "NHWC", name: Any = None) -> Any:
    x, b = _of_blocks(input, block_size, data_format)
    n, h, w, c = x._array.shape
    if h % b or w % b:
        raise invalid(f"the extents {h} and {w} have to be multiples of {b}")
    cut = ops.permute_dims(ops.reshape(x, (n, h // b, b, w // b, b, c)), (0, 1, 3, 2, 4, 5))
    found = ops.reshape(cut, (n, h // b, w // b, b * b * c))
    return ops.moveaxis(found, -1, 1) if data_format == "NCHW" else found


dialect.finish(globals(), view="tf.nn")
