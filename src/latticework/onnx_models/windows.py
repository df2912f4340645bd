"""Convolutions, pooling, and what undoes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import int64
from .table import Call, reads

__all__ = ["convolve"]


def _pairs(pads: Any) -> list[tuple[int, int]]:
    half = len(pads) // 2
    return [*zip(pads[:half], pads[half:], strict=True)]


def _padding(c: Call, n: int) -> Any:
    """Return the padding of windows along n axes, in latticework's words."""
    word = c.get("auto_pad", "NOTSET")
    if word != "NOTSET":
        return {"SAME_UPPER": "same", "SAME_LOWER": "same_lower", "VALID": "valid"}[word]
    return _pairs(c.get("pads", [0] * 2 * n))


def convolve(c: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    n = x.ndim - 2
    return lw.nn.conv(
        x, weight, bias, stride=c.get("strides", [1] * n), padding=_padding(c, n),
        dilation=c.get("dilations", [1] * n), groups=c.get("group", 1),
    )  # fmt: skip


reads("Conv")(convolve)


@reads("ConvTranspose")
def _conv_transpose(c: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    n = x.ndim - 2
    function = getattr(lw.nn, f"conv_transpose{n}d", None)
    if function is None:
        raise c.refuse(f"along {n} axes is not read")
    kernel, ones = weight.shape[2:], [1] * n
    stride, dilation = c.get("strides", ones), c.get("dilations", ones)
    more = c.get("output_padding", [0] * n)
    whole = [s * (m - 1) + d * (k - 1) + 1 for m, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    pads, word = _pairs(c.get("pads", [0] * 2 * n)), c.get("auto_pad", "NOTSET")
    wanted = c.get("output_shape")
    if wanted is None and word in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [m * s for m, s in zip(x.shape[2:], stride, strict=True)]
    if wanted is not None:
        over = [a + b - w for a, b, w in zip(whole, more, wanted[-n:], strict=True)]
        pads = [(t // 2, t - t // 2) if word == "SAME_UPPER" else (t - t // 2, t // 2) for t in over]
    plain = all(low >= 0 and high >= 0 for low, high in pads)
    if plain and all(e < max(s, d) for e, s, d in zip(more, stride, dilation, strict=True)):
        return function(
            x, weight, bias, stride=stride, padding=pads, output_padding=more, groups=c.get("group", 1),
            dilation=dilation,
        )  # fmt: skip
    y = function(x, weight, stride=stride, groups=c.get("group", 1), dilation=dilation)
    widths = [(-low, e - high) for (low, high), e in zip(pads, more, strict=True)]
    y = lw.pad(y, [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in widths)])
    y = y[(slice(None), slice(None), *(slice(max(-a, 0), -max(-b, 0) or None) for a, b in widths))]
    return y if bias is None else y + lw.reshape(bias, (-1, *(1,) * n))


@reads("Col2Im", host=(1, 2))
def _col2im(c: Call, x: Any, extents: Any, block: Any) -> Any:
    """Add windows to where they were taken from."""
    extents, block = [int(n) for n in extents], [int(n) for n in block]
    n = len(extents)
    pads = _pairs(c.get("pads", [0] * 2 * n))
    stride, dilation = c.get("strides", [1] * n), c.get("dilations", [1] * n)
    padded = [m + sum(p) for m, p in zip(extents, pads, strict=True)]
    steps = [(m - d * (k - 1) - 1) // s + 1 for m, k, s, d in zip(padded, block, stride, dilation, strict=True)]
    along = [
        (np.arange(k)[:, None] * d + np.arange(m) * s)
        for k, m, s, d in zip(block, steps, stride, dilation, strict=True)
    ]
    flat = np.zeros((1,) * (2 * n), dtype=np.int64)
    for i, places in enumerate(along):
        shape = [1] * (2 * n)
        shape[i], shape[n + i] = places.shape
        flat = flat * padded[i] + places.reshape(shape)
    batch, channels = x.shape[0], x.shape[1] // math.prod(block)
    rows = lw.reshape(x, (batch * channels, math.prod(block) * math.prod(steps)))
    zeros = lw.zeros((math.prod(padded), batch * channels), dtype=x.dtype, device=x.device)
    found = lw.index_add(zeros, c.array(flat.reshape(-1)), lw.matrix_transpose(rows), axis=0)
    found = lw.reshape(lw.matrix_transpose(found), (batch, channels, *padded))
    inside = [slice(low, m + low) for m, (low, _) in zip(extents, pads, strict=True)]
    return found[(slice(None), slice(None), *inside)]


# --- pooling ---------------------------------------------------------------------------------------------------------


def _options(c: Call, n: int) -> dict[str, Any]:
    return {
        "stride": c.get("strides", [1] * n), "padding": _padding(c, n), "dilation": c.get("dilations", [1] * n),
        "ceil_mode": bool(c.get("ceil_mode", 0)),
    }  # fmt: skip


def _pool(c: Call, kind: str, n: int) -> Any:
    function = getattr(lw.nn, f"{kind}_pool{n}d", None)
    if function is None:
        raise c.refuse(f"along {n} axes is not read")
    return function


@reads("MaxPool")
def _max_pool(c: Call, x: Any) -> Any:
    n = x.ndim - 2
    kernel, options = c.get("kernel_shape"), _options(c, n)
    y = lw.astype(_pool(c, "max", n)(x, kernel, **options), x.dtype)
    if len(c.wanted) < 2 or not c.wanted[1]:
        return y
    return y, _places(c, x, kernel, options)


def _places(c: Call, x: Any, kernel: Any, options: dict[str, Any]) -> Any:
    """Return where the largest elements are: numbers of elements of x, by rows or, with `storage_order`, by columns."""
    from ..engine.shapes.windows import pooled

    n = x.ndim - 2
    _, win = pooled(x.shape, n, kernel, options["stride"], options["padding"], options["dilation"],
                    options["ceil_mode"], None)  # fmt: skip
    low = np.asarray(-np.inf if x.dtype.kind == "f" else lw.iinfo(x.dtype).min)
    around = [(0, 0), (0, 0), *win.around]
    padded = lw.pad(x, around, constant_values=low.item())
    extents = x.shape[2:]
    numbers = np.arange(math.prod(extents)).reshape(extents, order="F" if c.get("storage_order", 0) else "C")
    numbers = np.pad(numbers, win.around)
    elements, places = [], []
    for offset in np.ndindex(*win.kernel):
        key = tuple([
            slice(o * d, o * d + (m - 1) * s + 1, s)
            for o, d, m, s in zip(offset, win.dilation, win.out, win.stride, strict=True)
        ])  # fmt: skip
        elements.append(padded[(slice(None), slice(None), *key)])
        places.append(numbers[key])
    chosen = lw.astype(lw.argmax(lw.stack(elements), axis=0, keepdims=True), int64)
    shape = (len(places), *x.shape[:2], *win.out)
    every = lw.broadcast_to(c.array(np.stack(places)[:, None, None]), shape)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape((*x.shape[:2], *(1,) * n)) * math.prod(extents)
    return lw.take_along_axis(every, chosen, axis=0)[0] + c.array(planes)


@reads("AveragePool")
def _average_pool(c: Call, x: Any) -> Any:
    n = x.ndim - 2
    included = bool(c.get("count_include_pad", 0))
    return _pool(c, "avg", n)(x, c.get("kernel_shape"), count_include_pad=included, **_options(c, n))


@reads("LpPool")
def _lp_pool(c: Call, x: Any) -> Any:
    """The norm of each window, of absolute values."""
    n, p, kernel = x.ndim - 2, c.get("p", 2), c.get("kernel_shape")
    options = _options(c, n)
    ceil = options.pop("ceil_mode")
    word = options["padding"]
    if ceil or isinstance(word, str):  # zeros change no sum
        from ..engine.shapes.windows import pooled

        win = pooled(x.shape, n, kernel, options["stride"], word, options["dilation"], ceil, None)[1]
        options["padding"] = win.around
    x = lw.pad(lw.abs(x) ** p, [(0, 0), (0, 0), *options.pop("padding")])
    means = _pool(c, "avg", n)(x, kernel, **options)
    return (means * math.prod(kernel)) ** (1.0 / p)


@reads("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def _global_pool(c: Call, x: Any) -> Any:
    axes = tuple(range(2, x.ndim))
    if c.kind == "GlobalLpPool":
        p = c.get("p", 2)
        return lw.sum(lw.abs(x) ** p, axis=axes, keepdims=True) ** (1.0 / p)
    return (lw.max if c.kind == "GlobalMaxPool" else lw.mean)(x, axis=axes, keepdims=True)


@reads("MaxUnpool", host=(2,))
def _max_unpool(c: Call, x: Any, places: Any, wanted: Any = None) -> Any:
    """Put elements back to where they were taken from, among zeros."""
    n = x.ndim - 2
    pads = _pairs(c.get("pads", [0] * 2 * n))
    sizes = zip(x.shape[2:], c.get("kernel_shape"), c.get("strides", [1] * n), pads, strict=True)
    inferred = (*x.shape[:2], *((m - 1) * s + k - sum(p) for m, k, s, p in sizes))
    zeros = lw.zeros((math.prod(inferred),), dtype=x.dtype, device=x.device)
    found = lw.scatter(zeros, lw.reshape(places, (-1,)), lw.reshape(x, (-1,)), axis=0)
    found = lw.reshape(found, inferred)
    if wanted is None:
        return found
    return lw.pad(found, [(0, int(w) - m) for w, m in zip(wanted, inferred, strict=True)])
