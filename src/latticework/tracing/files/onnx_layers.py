"""Layers in models of ONNX: convolutions, pooling, norms, activations, linear maps."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtypes import Dtype, int64
from ...engine.shapes.windows import Axes, Windows, convolved, mean_divisor, pooled, transposed
from ..nodes import Node, Value
from .onnx_writer import WRITERS, Writer

__all__ = ["LAYERS"]


# --- windows ---------------------------------------------------------------------------------------------------------


def _spatial(name: str) -> int | None:
    """Return the number of spatial axes in the name of a function, None for any number."""
    found = [int(c) for c in name if c.isdigit()]
    return found[-1] if found else None


def _channels_first(w: Writer, name: str, axes: Axes) -> str:
    """Write an array with axes for the batch and the channels in front."""
    n = len(axes.spatial)
    if axes.last:
        b = int(axes.batched)
        name = w.op("Transpose", name, perm=[*range(b), b + n, *range(b, b + n)])
    return name if axes.batched else w.op("Unsqueeze", name, w.ints(0))


def _as_before(w: Writer, name: str, axes: Axes) -> str:
    if not axes.batched:
        name = w.op("Squeeze", name, w.ints(0))
    n, b = len(axes.spatial), int(axes.batched)
    return w.op("Transpose", name, perm=[*range(b), *range(b + 1, b + 1 + n), b]) if axes.last else name


def _pads(pairs: Any) -> list[int]:
    return [*[low for low, _ in pairs], *[high for _, high in pairs]]


def _conv(
    w: Writer, node: Node, x: Value, weight: Value, *, bias: Any = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1, layout: str | None = None,
) -> str:  # fmt: skip
    axes, win = convolved(
        x.shape, weight.shape, None if bias is None else bias.shape, _spatial(node.name), stride=stride,
        padding=padding, dilation=dilation, groups=groups, layout=layout,
    )  # fmt: skip
    return _convolved(w, node, "Conv", x, weight, bias, axes, win, groups, pads=_pads(win.padding))


def _conv_transpose(
    w: Writer, node: Node, x: Value, weight: Value, *, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1, layout: str | None = None,
) -> str:  # fmt: skip
    n = _spatial(node.name) or len(weight.shape) - 2
    axes, win = transposed(
        x.shape, weight.shape, None if bias is None else bias.shape, n, stride=stride, padding=padding,
        output_padding=output_padding, groups=groups, dilation=dilation, layout=layout,
    )  # fmt: skip
    more = {"pads": _pads(win.padding), "output_padding": [*win.extra]}
    return _convolved(w, node, "ConvTranspose", x, weight, bias, axes, win, groups, **more)


def _convolved(
    w: Writer, node: Node, kind: str, x: Value, weight: Value, bias: Any, axes: Axes, win: Windows, groups: int,
    **more: Any,
) -> str:  # fmt: skip
    dtype = w.dtype(node)
    inputs = [_channels_first(w, w.operand(x, dtype), axes), w.operand(weight, dtype)]
    inputs += [] if bias is None else [w.operand(bias, dtype)]
    found = w.op(
        kind, *inputs, kernel_shape=[*win.kernel], strides=[*win.stride], dilations=[*win.dilation], group=groups,
        **more,
    )  # fmt: skip
    return _as_before(w, found, axes)


def _pool(
    w: Writer, node: Node, x: Value, kernel_size: Any, *, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, layout: str | None = None, count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """Write the greatest or the mean of windows. Elements that complete the last windows count as padding."""
    n = _spatial(node.name)
    assert n is not None
    axes, win = pooled(x.shape, n, kernel_size, stride, padding, dilation, ceil_mode, layout)
    dtype = w.dtype(node)
    options: dict[str, Any] = {
        "kernel_shape": [*win.kernel], "strides": [*win.stride], "pads": _pads(win.around),
        "dilations": [*win.dilation],
    }  # fmt: skip
    if any(p >= k for p, k in zip(options["pads"], win.kernel * 2, strict=True)):
        w.refuse("has as much padding as a window, with what completes the last one, which is not written to ONNX")
    greatest = node.name.startswith("nn.max")
    if not greatest and set(win.dilation) == {1}:
        del options["dilations"]  # which older versions lack
    name = _channels_first(w, w.operand(x, dtype), axes)
    if greatest:
        return _as_before(w, w.op("MaxPool", name, **options), axes)
    if not any(win.extra):
        return _as_before(w, w.op("AveragePool", name, count_include_pad=int(count_include_pad), **options), axes)
    import numpy as np

    means = w.op("AveragePool", name, count_include_pad=1, **options)
    count = np.asarray(mean_divisor(win, axes.spatial, count_include_pad), dtype=np.float64)
    factor = w.operand(math.prod(win.kernel) / count, dtype)
    return _as_before(w, w.op("Mul", means, factor), axes)


def _adaptive(w: Writer, node: Node, x: Value, output_size: Any, *, layout: str | None = None) -> Any:
    """Write the greatest or the mean over all spatial axes."""
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,)
    if any(n != 1 for n in sizes) or layout not in (None, "NCHW", "channels_first"):
        return NotImplemented
    kind = "ReduceMax" if node.name == "nn.adaptive_max_pool2d" else "ReduceMean"
    return w.op(kind, w.operand(x, w.dtype(node)), w.ints(-2, -1), keepdims=1)


# --- norms -----------------------------------------------------------------------------------------------------------


def _ones(w: Writer, shape: Any, dtype: Dtype, value: int = 1) -> str:
    import numpy as np

    return w.operand(np.full(shape, value), dtype)


def _layer_norm(
    w: Writer, node: Node, x: Value, normalized_shape: Any, *, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> str:
    dtype = w.dtype(node)
    n = len(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else 1
    extents = x.shape[len(x.shape) - n :]
    inputs = [w.operand(x, dtype), _ones(w, extents, dtype) if weight is None else w.operand(weight, dtype)]
    inputs += [] if bias is None else [w.operand(bias, dtype)]
    return w.op("LayerNormalization", *inputs, axis=-n, epsilon=eps)


def _rms_norm(
    w: Writer, node: Node, x: Value, normalized_shape: Any, *, weight: Any = None, eps: float | None = None
) -> str:
    dtype = w.dtype(node)
    n = len(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else 1
    name = w.operand(x, dtype)
    mean = w.op("ReduceMean", w.op("Mul", name, name), w.ints(*range(-n, 0)), keepdims=1)
    if eps is None:
        eps = 2.0**-dtype.fraction
    found = w.op("Div", name, w.op("Sqrt", w.op("Add", mean, w.operand(eps, dtype))))
    return found if weight is None else w.op("Mul", found, w.operand(weight, dtype))


def _group_norm(
    w: Writer, node: Node, x: Value, num_groups: int, *, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> str:
    dtype, channels = w.dtype(node), x.shape[1]
    name = w.operand(x, dtype)
    rows = w.op("Reshape", name, w.ints(0, num_groups, -1))
    scale, zero = _ones(w, (num_groups,), dtype), _ones(w, (num_groups,), dtype, 0)
    found = w.op("Reshape", w.op("InstanceNormalization", rows, scale, zero, epsilon=eps), w.op("Shape", name))
    along = w.ints(channels, *(1,) * (len(x.shape) - 2))
    for kind, part in (("Mul", weight), ("Add", bias)):
        if part is not None:
            found = w.op(kind, found, w.op("Reshape", w.operand(part, dtype), along))
    return found


def _instance_norm(w: Writer, node: Node, x: Value, **kw: Any) -> Any:
    if kw.get("mean") is not None or kw.get("var") is not None:
        return NotImplemented
    kw = {key: y for key, y in kw.items() if key in ("weight", "bias", "eps")}
    return _group_norm(w, node, x, x.shape[1], **kw)


def _batch_norm(
    w: Writer, node: Node, x: Value, mean: Value, var: Value, *, weight: Any = None, bias: Any = None,
    eps: float = 1e-5, axis: int = 1,
) -> Any:  # fmt: skip
    n, dtype = len(x.shape), w.dtype(node)
    if n < 2 or axis % n != 1:
        return NotImplemented
    scale = _ones(w, mean.shape, dtype) if weight is None else w.operand(weight, dtype)
    shift = _ones(w, mean.shape, dtype, 0) if bias is None else w.operand(bias, dtype)
    statistics = [w.operand(mean, dtype), w.operand(var, dtype)]
    return w.op("BatchNormalization", w.operand(x, dtype), scale, shift, *statistics, epsilon=eps)


def _by_batch(
    w: Writer, node: Node, x: Value, *, weight: Any = None, bias: Any = None, eps: float = 1e-5, axis: int = 1,
    correction: float = 1,
) -> Any:  # fmt: skip
    """Write a norm by the statistics of the batch, with the mean and the variance."""
    n, dtype = len(x.shape), w.dtype(node)
    if n < 2 or axis % n != 1:
        return NotImplemented
    name, others = w.operand(x, dtype), w.ints(*[a for a in range(n) if a != 1])
    mean = w.op("ReduceMean", name, others, keepdims=1)
    apart = w.op("Sub", name, mean)
    var = w.op("ReduceMean", w.op("Mul", apart, apart), others, keepdims=0)
    mean = w.op("Squeeze", mean, others)
    scale = _ones(w, x.shape[1:2], dtype) if weight is None else w.operand(weight, dtype)
    shift = _ones(w, x.shape[1:2], dtype, 0) if bias is None else w.operand(bias, dtype)
    found = w.op("BatchNormalization", name, scale, shift, mean, var, epsilon=eps)
    if correction:
        count = w.op("Cast", w.op("Div", w.op("Size", name), w.op("Size", mean)), to=w.code(dtype))
        less = w.op("Sub", count, w.operand(correction, dtype))
        nan = w.operand(math.nan, dtype)
        factor = w.op("Where", w.op("Greater", less, w.operand(0.0, dtype)), w.op("Div", count, less), nan)
        var = w.op("Mul", var, factor)
    return [found, mean, var]


# --- activations and products ----------------------------------------------------------------------------------------


def _gelu(w: Writer, node: Node, x: Value, *, approximate: bool | str = False) -> str:
    dtype = w.dtype(node)
    name, tanh = w.operand(x, dtype), approximate not in (False, "none")
    if w.opset >= 20:
        return w.op("Gelu", name, approximate="tanh" if tanh else "none")
    half, one = w.operand(0.5, dtype), w.operand(1.0, dtype)
    if tanh:
        cube = w.op("Mul", w.op("Mul", name, w.op("Mul", name, name)), w.operand(0.044715, dtype))
        inner = w.op("Tanh", w.op("Mul", w.op("Add", name, cube), w.operand(math.sqrt(2 / math.pi), dtype)))
    else:
        inner = w.op("Erf", w.op("Mul", name, w.operand(math.sqrt(0.5), dtype)))
    return w.op("Mul", w.op("Mul", name, half), w.op("Add", inner, one))


def _leaky_relu(w: Writer, node: Node, x: Value, *, negative_slope: float = 0.01) -> str:
    return w.op("LeakyRelu", w.operand(x, w.dtype(node)), alpha=negative_slope)


def _elu(w: Writer, node: Node, x: Value, *, alpha: float = 1.0) -> str:
    return w.op("Elu", w.operand(x, w.dtype(node)), alpha=alpha)


def _selu(w: Writer, node: Node, x: Value) -> str:
    return w.op("Selu", w.operand(x, w.dtype(node)))


def _linear(w: Writer, node: Node, x: Value, weight: Value, *, bias: Any = None) -> str:
    dtype, n = w.dtype(node), len(weight.shape)
    matrix = w.operand(weight, dtype)
    if n > 1:
        matrix = w.op("Transpose", matrix, perm=[*range(n - 2), n - 1, n - 2])
    found = w.op("MatMul", w.operand(x, dtype), matrix)
    return found if bias is None else w.op("Add", found, w.operand(bias, dtype))


def _embedding(w: Writer, node: Node, indices: Value, weight: Value, *, padding_idx: Any = None) -> str:
    return w.op("Gather", w.operand(weight, w.dtype(node)), w.operand(indices, int64), axis=0)


WRITERS.update({
    **dict.fromkeys(("nn.conv", "nn.conv1d", "nn.conv2d", "nn.conv3d"), _conv),
    **dict.fromkeys(("nn.conv_transpose1d", "nn.conv_transpose2d", "nn.conv_transpose3d"), _conv_transpose),
    **{f"nn.{kind}_pool{n}d": _pool for kind in ("max", "avg") for n in (1, 2, 3)},
    "nn.adaptive_avg_pool2d": _adaptive, "nn.adaptive_max_pool2d": _adaptive,
    "nn.layer_norm": _layer_norm, "nn.rms_norm": _rms_norm, "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm, "nn._by_statistics": _batch_norm, "nn._by_batch": _by_batch,
    "nn.gelu": _gelu, "nn.leaky_relu": _leaky_relu, "nn.elu": _elu, "nn.selu": _selu,
    "nn.linear": _linear, "nn.embedding": _embedding,
})  # fmt: skip
#: The names of the functions with writers here. A program is traced with each call of one as one call.
LAYERS = frozenset(name for name in WRITERS if name.startswith("nn.") and not name.startswith("nn._"))
