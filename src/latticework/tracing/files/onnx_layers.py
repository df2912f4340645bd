"""Layers in models of ONNX: convolutions, pooling, norms, activations, products, sorting, padding."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtypes import Dtype, bool_, int32, int64
from ...engine.shapes.windows import Axes, Windows, convolved, mean_divisor, pooled, transposed
from ..nodes import Node, Value
from .onnx_calls import axes_of
from .onnx_writer import WRITERS, Writer

__all__: list[str] = []


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


def _einsum(w: Writer, node: Node, operands: Any, *, subscripts: str) -> str:
    dtype = w.dtype(node)
    return w.op("Einsum", *[w.operand(x, dtype) for x in operands], equation=subscripts)


def _outer(w: Writer, node: Node, x: Value, y: Value) -> str:
    dtype = w.dtype(node)
    a, b = (w.op("Reshape", w.operand(v, dtype), w.ints(*e)) for v, e in ((x, (-1, 1)), (y, (1, -1))))
    return w.op("Mul", a, b)


def _diagonal(w: Writer, node: Node, x: Value, *, offset: int = 0) -> str:
    """Write the diagonals of matrices: elements of the rows one after the other."""
    import numpy as np

    rows, columns = x.shape[-2:]
    places = np.diagonal(np.arange(rows * columns, dtype=np.int64).reshape(rows, columns), offset)
    flat = w.op("Reshape", w.of(x), w.ints(*x.shape[:-2], rows * columns), allowzero=1)
    return w.op("Gather", flat, w.constant(places), axis=-1)


def _det(w: Writer, node: Node, x: Value) -> str:
    return w.op("Det", w.operand(x, w.dtype(node)))


# --- sorting and padding ---------------------------------------------------------------------------------------------


def _top_k(w: Writer, node: Node, x: Value, k: int, *, axis: int = -1, largest: bool = True, **_: Any) -> Any:
    places = node.results[1]
    found, at = _first(w, x, k, axis, largest)
    return [_back(w, found, x), at if places.dtype is int64 else w.op("Cast", at, to=w.code(places.dtype))]


def _first(w: Writer, x: Value, k: int, axis: int, largest: bool) -> tuple[str, ...]:
    """Write the k first elements of the sorted ones, and their places. Of equal ones the first counts."""
    name = w.operand(x, int32 if x.dtype is bool_ else x.dtype)
    return w.several("TopK", 2, name, w.ints(k), axis=axis, largest=int(largest), sorted=1)


def _back(w: Writer, name: str, x: Value) -> str:
    return w.op("Cast", name, to=w.code(bool_)) if x.dtype is bool_ else name


def _sort(w: Writer, node: Node, x: Value, *, axis: int = -1, descending: bool = False, stable: bool = True) -> str:
    found, at = _first(w, x, x.shape[axis], axis, descending)
    if node.name == "sort":
        return _back(w, found, x)
    return at if w.dtype(node) is int64 else w.op("Cast", at, to=w.code(w.dtype(node)))


def _pad(w: Writer, node: Node, x: Value, pad_width: Any, value: Any = 0, **kw: Any) -> Any:
    """Write padding with a number, of a width for all axes or of pairs."""
    if kw or isinstance(value, str) or not isinstance(pad_width, int):
        return NotImplemented
    n, dtype = len(x.shape), w.dtype(node)
    return w.op("Pad", w.operand(x, dtype), w.ints(*(pad_width,) * (2 * n)), w.operand(value, dtype))


def _tile(w: Writer, node: Node, x: Value, repetitions: Any) -> Any:
    n = len(x.shape)
    counts = (*repetitions,) if isinstance(repetitions, (tuple, list)) else (repetitions,)
    counts = (1,) * (n - len(counts)) + counts
    name = w.of(x) if len(counts) == n else w.op("Unsqueeze", w.of(x), w.ints(*range(len(counts) - n)))
    return w.op("Tile", name, w.ints(*counts))


def _repeat(w: Writer, node: Node, x: Value, repeats: Any, *, axis: Any = None) -> Any:
    n = len(x.shape)
    if axis is None or (isinstance(repeats, Value) and repeats.shape) or not x.shape[axis]:
        return NotImplemented
    times = node.results[0].shape[axis] // x.shape[axis]
    (place,) = axes_of(axis, n)
    name = w.op("Unsqueeze", w.of(x), w.ints(place + 1))
    counts = w.ints(*[times if a == place + 1 else 1 for a in range(n + 1)])
    return w.op("Reshape", w.op("Tile", name, counts), w.ints(*node.results[0].shape), allowzero=1)


def _triangle(w: Writer, node: Node, x: Value, *, k: int = 0) -> str:
    import numpy as np

    return w.op("Trilu", w.of(x), w.constant(np.asarray(k, dtype=np.int64)), upper=int(node.name == "triu"))


def _unstack(w: Writer, node: Node, x: Value, *, axis: int = 0) -> list[str]:
    import numpy as np

    (place,) = axes_of(axis, len(x.shape))
    every = [w.constant(np.asarray(i, dtype=np.int64)) for i in range(x.shape[place])]
    return [w.op("Gather", w.of(x), i, axis=place) for i in every]


WRITERS.update({
    **dict.fromkeys(("nn.conv", "nn.conv1d", "nn.conv2d", "nn.conv3d"), _conv),
    **dict.fromkeys(("nn.conv_transpose1d", "nn.conv_transpose2d", "nn.conv_transpose3d"), _conv_transpose),
    **{f"nn.{kind}_pool{n}d": _pool for kind in ("max", "avg") for n in (1, 2, 3)},
    "nn.adaptive_avg_pool2d": _adaptive, "nn.adaptive_max_pool2d": _adaptive,
    "nn.layer_norm": _layer_norm, "nn.rms_norm": _rms_norm, "nn.group_norm": _group_norm,
    "nn.instance_norm": _instance_norm, "nn._by_statistics": _batch_norm,
    "nn.gelu": _gelu, "nn.leaky_relu": _leaky_relu, "nn.elu": _elu, "nn.selu": _selu,
    "nn.linear": _linear, "nn.embedding": _embedding, "_einsum": _einsum, "outer": _outer, "linalg.det": _det,
    "linalg.diagonal": _diagonal,
    "top_k": _top_k, "sort": _sort, "argsort": _sort, "pad": _pad, "tile": _tile, "repeat": _repeat, "triu": _triangle,
    "tril": _triangle, "unstack": _unstack,
})  # fmt: skip
