"""PyTorch's pooling: of windows, and to a requested size."""

from __future__ import annotations

from math import prod
from typing import Any

from ...core import complete, ops, with_slope_of
from ...sampling import next_key
from .common import floats, ints


def _batched(name: str, input: Any, count: int, f: Any) -> Any:
    """Call a function of a batch; an image without a batch is a batch of one."""
    if input._array.ndim == count + 1:
        made = f(ops.expand_dims(input, axis=0))
        return tuple(ops.squeeze(x, axis=0) for x in made) if isinstance(made, tuple) else ops.squeeze(made, axis=0)
    if input._array.ndim != count + 2:
        raise RuntimeError(f"{name}: expected {count + 1}D or {count + 2}D input; got {list(input._array.shape)}")
    return f(input)


def _stride(stride: Any) -> Any:
    """The step of windows; an empty sequence means that of the kernel."""
    return None if stride is None or stride in ((), []) else stride


def _check_padding(count: int, padding: Any, kernel_size: Any) -> None:
    if any(2 * p > k for p, k in zip(ints(padding, count), ints(kernel_size, count), strict=True)):
        raise RuntimeError(f"pad should be at most half of effective kernel size, but got {padding} and {kernel_size}")


# --- averages -------------------------------------------------------------------------------------------------------

_AVERAGES = {1: ops.nn.avg_pool1d, 2: ops.nn.avg_pool2d, 3: ops.nn.avg_pool3d}


def _average(
    count: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    include: Any,
    divisor: Any = None,
) -> Any:
    name = f"avg_pool{count}d"
    if input._array.dtype.name == "int64":  # sums are divided towards zero
        options = (kernel_size, stride, padding, ceil_mode, include, divisor)
        return _average(count, input._to("float64"), *options)._to("int64")
    if divisor is not None:
        return _divided(name, count, input, kernel_size, stride, padding, ceil_mode, divisor)
    floats(name, input)
    _check_padding(count, padding, kernel_size)
    kw = {
        "stride": _stride(stride),
        "padding": padding,
        "ceil_mode": bool(ceil_mode),
        "count_include_pad": bool(include),
    }
    return _batched(name, input, count, lambda x: _AVERAGES[count](x, kernel_size, **kw))


def _divided(name: str, count: int, input: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: Any, by: Any) -> Any:
    """Divide the sums of windows by a given number."""
    if by == 0:
        raise RuntimeError("divisor must be not zero")
    kernel, pads = ints(kernel, count), ints(padding, count)
    steps = kernel if _stride(stride) is None else ints(stride, count)
    widths = [(0, 0)] * (input._array.ndim - count)
    for n, k, s, p in zip(input._array.shape[-count:], kernel, steps, pads, strict=True):
        outs = -(-(n + 2 * p - k) // s) if ceil_mode else (n + 2 * p - k) // s
        if ceil_mode and outs * s >= n + p:
            outs -= 1
        widths.append((p, max(p, outs * s + k - n - p)))
    padded = ops.pad(input, widths)
    made = _batched(name, padded, count, lambda x: _AVERAGES[count](x, kernel, stride=steps))
    return ops.multiply(made, prod(kernel) / by)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    return _average(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    return _average(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    return _average(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _power_average(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _power_average(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _power_average(3, input, norm_type, kernel_size, stride, ceil_mode)


def _power_average(count: int, input: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: Any) -> Any:
    floats(f"lp_pool{count}d", input)
    if norm_type in (float("inf"), -float("inf")):
        sign = 1 if norm_type > 0 else -1
        made = _maximum(count, ops.multiply(ops.abs(input), sign), kernel_size, stride, 0, 1, ceil_mode, False)
        return ops.multiply(made, sign)
    means = _average(count, ops.pow(input, norm_type), kernel_size, stride, 0, ceil_mode, True)
    return ops.pow(ops.multiply(means, prod(ints(kernel_size, count))), 1.0 / norm_type)


# --- maxima ---------------------------------------------------------------------------------------------------------

_MAXIMA = {1: ops.nn.max_pool1d, 2: ops.nn.max_pool2d, 3: ops.nn.max_pool3d}


def _maximum(
    count: int, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any, indices: Any
) -> Any:
    name = f"max_pool{count}d"
    if input._array.dtype.kind not in "fiu":
        raise NotImplementedError(f"{name}: not implemented for {input.dtype}")
    _check_padding(count, padding, kernel_size)
    kw = {"stride": _stride(stride), "padding": padding, "dilation": dilation, "ceil_mode": bool(ceil_mode)}
    if not indices:
        return _batched(name, input, count, lambda x: _MAXIMA[count](x, kernel_size, **kw))
    return _batched(name, input, count, lambda x: _with_indices(count, x, kernel_size, kw))


def _with_indices(count: int, x: Any, kernel: Any, kw: dict[str, Any]) -> Any:
    return tuple(getattr(ops.nn, f"max_pool{count}d_with_indices")(x, kernel, **kw))


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _maximum(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _maximum(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _maximum(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool1d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    return _maximum(1, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    return _maximum(2, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    return _maximum(3, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _unpooled(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _unpooled(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _unpooled(3, input, indices, kernel_size, stride, padding, output_size)


def _unpooled(count: int, input: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    """Put each element at its place in zeros of the extents before the pooling."""
    kernel, pads = ints(kernel, count), ints(padding, count)
    steps = kernel if _stride(stride) is None else ints(stride, count)
    shape = input._array.shape
    lead = shape[: len(shape) - count]
    if indices._array.shape != shape:
        raise RuntimeError(f"Expected shape of indices to be same as that of the input; got {indices.shape}")
    if output_size is None:
        extents = zip(shape[-count:], steps, pads, kernel, strict=True)
        size = tuple((n - 1) * s - 2 * p + k for n, s, p, k in extents)
    else:
        size = tuple(output_size)[-count:]
    flat = (*lead, -1)
    zeros = ops.zeros((*lead, prod(size)), dtype=input.dtype)
    places, elements = ops.reshape(indices, flat), ops.reshape(input, flat)
    made = ops.scatter(zeros, places, elements, axis=-1)
    if made._array.dtype.kind == "f":  # an element that another one is written over has the slope of its place
        made = with_slope_of(made, ops.scatter(zeros, places, elements, axis=-1, reduction="sum"))
    return ops.reshape(made, (*lead, *size))


# --- of windows at random places ------------------------------------------------------------------------------------


def _starts(sample: Any, extent: int, size: int, kernel: int) -> Any:
    """Where the windows of each channel start along one axis, by a random number for each channel."""
    last = ops.full((*sample._array.shape, 1), extent - kernel, dtype="int64")
    if size == 1:
        return last
    step = (extent - kernel) / (size - 1)
    sample = ops.expand_dims(sample, axis=-1)
    places = ops.add(ops.arange(size - 1, dtype=sample.dtype), sample)
    starts = ops.subtract(ops.floor(ops.multiply(places, step)), ops.floor(ops.multiply(sample, step)))
    return ops.concat([starts._to("int64"), last], axis=-1)


def _fractional(count: int, input: Any, kernel: Any, size: Any, ratio: Any, indices: Any, samples: Any) -> Any:
    name = f"fractional_max_pool{count}d"
    floats(name, input)
    if size is None and ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    shape, kernel = input._array.shape, ints(kernel, count)
    extents = shape[len(shape) - count :]
    if size is None:
        ratios = ratio if isinstance(ratio, (tuple, list)) else (ratio,) * count
        size = [int(n * r) for n, r in zip(extents, ratios, strict=True)]
    size = ints(size, count)
    for n, k, out in zip(extents, kernel, size, strict=True):
        if out + k - 1 > n - (count == 3):  # of volumes, windows may not lie as densely as they could
            raise RuntimeError(f"{name}: {out} windows of extent {k} do not fit in {n} elements")
    lead = (1, *shape)[-count - 2 : -count]
    if samples is None:
        samples = ops.random.uniform(next_key(), (*lead, count), dtype=input.dtype)
    samples = samples[: lead[0]]
    flat: Any = ops.zeros((*lead, *(1,) * (2 * count)), dtype="int64")
    for i, (n, k, out) in enumerate(zip(extents, kernel, size, strict=True)):
        sample = samples[..., 1 - i if count == 2 else i]  # of images the first number is that of the last axis
        starts = _starts(sample, n, out, k)
        spread = [1] * (2 * count)
        spread[i] = out
        inside = [1] * (2 * count)
        inside[count + i] = k
        places = ops.add(ops.reshape(starts, (*lead, *spread)), ops.reshape(ops.arange(k), inside))
        flat = ops.add(ops.multiply(flat, n), places)
    windows = ops.reshape(flat, (*lead, prod(size), prod(kernel)))
    elements = ops.take_along_axis(ops.reshape(input, (*lead, -1)), ops.reshape(windows, (*lead, -1)), axis=-1)
    elements = ops.reshape(elements, windows._array.shape)
    best = ops.argmax(elements, axis=-1, keepdims=True)
    result = (*shape[: len(shape) - count], *size)
    values = ops.reshape(ops.take_along_axis(elements, best, axis=-1), result)
    return (values, ops.reshape(ops.take_along_axis(windows, best, axis=-1), result)) if indices else values


def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    return _fractional(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    return _fractional(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def fractional_max_pool2d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    return _fractional(2, input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
):
    return _fractional(3, input, kernel_size, output_size, output_ratio, True, _random_samples)


# --- to a requested size --------------------------------------------------------------------------------------------


def _sizes(output_size: Any, count: int, shape: Any) -> tuple[int, ...]:
    values = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * count
    return tuple(n if m is None else int(m) for n, m in zip(shape[-count:], values, strict=True))


def _adaptive(name: str, f: Any, count: int, input: Any, output_size: Any) -> Any:
    """Pool the last two axes, and one before them where there are three; one axis is the last of two."""
    floats(name, input)
    if input._array.ndim not in (count + 1, count + 2):
        raise RuntimeError(f"{name}: expected {count + 1}D or {count + 2}D input; got {list(input._array.shape)}")
    shape = input._array.shape
    lead, size = shape[: len(shape) - count], _sizes(output_size, count, shape)
    if count == 1:
        return ops.reshape(f(ops.reshape(input, (-1, 1, 1, shape[-1])), (1, *size)), (*lead, *size))
    made = f(ops.reshape(input, (1, -1, *shape[-2:])), size[-2:])
    if count == 3:
        made = f(ops.reshape(made, (1, -1, shape[-3], size[-2] * size[-1])), (size[0], size[-2] * size[-1]))
    return ops.reshape(made, (*lead, *size))


def _parts(n: int, count: int) -> list[tuple[int, int]]:
    return [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]


def _adaptive_indices(count: int, input: Any, output_size: Any) -> Any:
    """The maxima of the parts and their places, one part after the other."""
    floats("adaptive_max_pool", input)
    shape = input._array.shape
    lead, size = shape[: len(shape) - count], _sizes(output_size, count, shape)
    places = ops.reshape(ops.arange(prod(shape[-count:])), shape[-count:])
    values, found = [], []
    boxes: list[tuple[tuple[int, int], ...]] = [()]
    for n, m in zip(shape[-count:], size, strict=True):
        boxes = [(*box, part) for box in boxes for part in _parts(n, m)]
    for box in boxes:
        key = tuple(slice(*part) for part in box)
        part = ops.reshape(input[(..., *key)], (*lead, -1))
        best = ops.argmax(part, axis=-1, keepdims=True)
        values.append(ops.take_along_axis(part, best, axis=-1))
        found.append(ops.take(ops.reshape(places[key], (-1,)), ops.squeeze(best, axis=-1)))
    result = (*lead, *size)
    return ops.reshape(ops.concat(values, axis=-1), result), ops.reshape(ops.stack(found, axis=-1), result)


def _adaptive_maximum(count: int, input: Any, output_size: Any, indices: Any) -> Any:
    if indices:
        return _adaptive_indices(count, input, output_size)
    return _adaptive(f"adaptive_max_pool{count}d", ops.nn.adaptive_max_pool2d, count, input, output_size)


def adaptive_avg_pool1d(input, output_size):
    return _adaptive("adaptive_avg_pool1d", ops.nn.adaptive_avg_pool2d, 1, input, ints(output_size, 1))


def adaptive_avg_pool2d(input, output_size):
    return _adaptive("adaptive_avg_pool2d", ops.nn.adaptive_avg_pool2d, 2, input, output_size)


def adaptive_avg_pool3d(input, output_size):
    return _adaptive("adaptive_avg_pool3d", ops.nn.adaptive_avg_pool2d, 3, input, output_size)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    return _adaptive_maximum(1, input, output_size, return_indices)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    return _adaptive_maximum(2, input, output_size, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    return _adaptive_maximum(3, input, output_size, return_indices)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    return _adaptive_maximum(1, input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    return _adaptive_maximum(2, input, output_size, True)


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    return _adaptive_maximum(3, input, output_size, True)


complete(globals(), view="torch.nn.functional")
