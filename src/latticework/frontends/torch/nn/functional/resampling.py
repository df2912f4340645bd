"""PyTorch's resampling of images: padding, interpolation, grids, patches."""

from __future__ import annotations

from typing import Any

import latticework as lw

from .....engine.arrays.array import Array
from ...core import complete, ops
from .common import alike, floats, ints

_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input, pad, mode="constant", value=None):
    """Pad the last axes, the last one first: ``(left, right, top, bottom)``. What is negative crops."""
    pads = tuple(int(n) for n in pad)
    if len(pads) % 2 or len(pads) > 2 * input._array.ndim:
        raise RuntimeError(
            f"pad: expected two numbers for each of at most {input._array.ndim} axes; got {len(pads)} numbers"
        )
    count = len(pads) // 2
    pairs = [(0, 0)] * (input._array.ndim - count) + [pads[2 * i : 2 * i + 2] for i in reversed(range(count))]
    if mode == "constant":
        return _constant(input, pairs, 0 if value is None else value)
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if count > 3 or input._array.ndim not in (count + 1, count + 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: "
            f"padding of {count} axes needs a tensor of {count + 1} or {count + 2} dimensions"
        )
    _fits(mode, input._array.shape, pairs)
    kept = [(max(a, 0), max(b, 0)) for a, b in pairs]
    if mode == "circular":
        return ops.pad(_cropped(input, pairs), kept, _MODES[mode])
    return _cropped(ops.pad(input, kept, _MODES[mode]), [(min(a, 0), min(b, 0)) for a, b in pairs])


def _constant(input: Any, pairs: list[Any], value: Any) -> Any:
    if any(n + a + b < 0 for n, (a, b) in zip(input._array.shape, pairs, strict=True)):
        raise RuntimeError(f"pad: the result of cropping {list(input._array.shape)} by {pairs} has negative extents")
    kind = input._array.dtype.kind
    value = bool(value) if kind == "b" else int(value) if kind in "iu" else value
    if any(a < 0 or b < 0 for a, b in pairs):
        input = _cropped(input, pairs)
        pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return ops.pad(input, pairs, constant_values=value)


def _cropped(input: Any, pairs: list[Any]) -> Any:
    cuts = zip(input._array.shape, pairs, strict=True)
    key = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in cuts)
    return input[key]


def _fits(mode: str, shape: Any, pairs: list[Any]) -> None:
    for n, pair in zip(shape, pairs, strict=True):
        most = max(pair)
        if (mode == "reflect" and most and most >= n) or (mode == "circular" and most > n):
            raise RuntimeError(
                f"Padding size should be less than the corresponding input dimension; got {pair} for {n}"
            )


# --- interpolation --------------------------------------------------------------------------------------------------

_NAMES = {
    "nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "area": (1, 2, 3), "linear": (1,), "bilinear": (2,),
    "trilinear": (3,), "bicubic": (2,),
}  # fmt: skip


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    count = input._array.ndim - 2
    smooth = mode in ("linear", "bilinear", "trilinear", "bicubic")
    if not smooth and align_corners is not None:
        raise ValueError(
            f"align_corners is an option of linear, bilinear, bicubic and trilinear alone; got mode {mode!r}"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: one of size and scale_factor is needed, and not both")
    for given in (size, scale_factor):
        if isinstance(given, (list, tuple)) and len(given) != count:
            raise ValueError(f"interpolate: {count} spatial dimensions, and {given} for them")
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if antialias and (mode not in ("bilinear", "bicubic") or count != 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )
    if count not in _NAMES.get(mode, ()):
        raise NotImplementedError(f"interpolate: a tensor of {input._array.ndim} dimensions has no mode {mode!r}")
    size = None if size is None else ints(size, count)
    options = {
        "mode": mode, "align_corners": bool(align_corners) if smooth else None, "antialias": antialias,
        "recompute": bool(recompute_scale_factor),
    }  # fmt: skip
    if input._array.dtype.kind == "f":
        return ops.nn.interpolate(input, size, scale=scale_factor, **options)
    if input._array.dtype.name != "uint8" or mode in ("area", "linear", "trilinear"):
        raise NotImplementedError(f"interpolate: mode {mode!r} is not implemented for {input.dtype}")
    return _of_bytes(input, size, scale_factor, smooth, options)


def _of_bytes(input: Any, size: Any, scale: Any, smooth: bool, options: dict[str, Any]) -> Any:
    """Interpolate bytes: in float32, along one axis after the other from the last one, and rounded after each."""
    if not smooth:
        return ops.nn.interpolate(input._to("float32"), size, scale=scale, **options)._to("uint8")
    shape = input._array.shape[2:]
    steps = None if scale is None else tuple(scale) if isinstance(scale, (tuple, list)) else (scale,) * len(shape)
    for axis in reversed(range(len(shape))):
        kept = input._array.shape[2:]
        to = None if size is None else (*kept[:axis], size[axis], *kept[axis + 1 :])
        by = None if steps is None else (*(1.0,) * axis, steps[axis], *(1.0,) * (len(shape) - axis - 1))
        made = ops.nn.interpolate(input._to("float32"), to, scale=by, **options)
        input = ops.clip(ops.floor(ops.add(made, 0.5)), 0, 255)._to("uint8")
    return input


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "bilinear", True)


# --- grids ----------------------------------------------------------------------------------------------------------


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(f"mode should be 'bilinear', 'nearest' or 'bicubic', but got: {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"padding_mode should be 'zeros', 'border' or 'reflection', but got: {padding_mode!r}")
    alike("grid_sample", input, grid)
    floats("grid_sample", input)
    if input._array.ndim not in (4, 5) or (mode == "bicubic" and input._array.ndim == 5):
        raise RuntimeError(f"grid_sample: mode {mode!r} has no input of {input._array.ndim} dimensions")
    return ops.nn.grid_sample(input, grid, mode=mode, padding_mode=padding_mode, align_corners=bool(align_corners))


def affine_grid(theta, size, align_corners=None):
    if theta._array.dtype.kind != "f":
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(f"affine_grid only supports 4D and 5D sizes; got size {tuple(size)}")
    if theta._array.shape[-2:] != (len(size) - 2, len(size) - 1) or theta._array.ndim != 3:
        raise ValueError(f"affine_grid: theta of shape {list(theta._array.shape)} does not fit size {tuple(size)}")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    return ops.nn.affine_grid(theta, tuple(size), align_corners=bool(align_corners))


# --- patches and channels -------------------------------------------------------------------------------------------


def _batched(name: str, input: Any, ndim: int, f: Any) -> Any:
    if input._array.ndim == ndim - 1:
        return ops.squeeze(f(ops.expand_dims(input, axis=0)), axis=0)
    if input._array.ndim != ndim:
        raise RuntimeError(f"{name}: expected {ndim - 1}D or {ndim}D input; got {list(input._array.shape)}")
    return f(input)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    options = {"dilation": dilation, "padding": padding, "stride": stride}
    return _batched("unfold", input, 4, lambda x: ops.nn.unfold(x, kernel_size, **options))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    options = {"dilation": dilation, "padding": padding, "stride": stride}
    return _batched("fold", input, 3, lambda x: ops.nn.fold(x, output_size, kernel_size, **options))


def pixel_shuffle(input, upscale_factor):
    return _shuffled("pixel_shuffle", ops.nn.pixel_shuffle, input, upscale_factor)


def pixel_unshuffle(input, downscale_factor):
    return _shuffled("pixel_unshuffle", ops.nn.pixel_unshuffle, input, downscale_factor)


def _shuffled(name: str, f: Any, input: Any, factor: int) -> Any:
    if input._array.ndim < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got {input._array.ndim}")
    if factor < 1:
        raise RuntimeError(f"{name}: expected a positive factor; got {factor}")
    lead = input._array.shape[:-3]
    made = f(ops.reshape(input, (-1, *input._array.shape[-3:])), factor)
    return ops.reshape(made, (*lead, *made._array.shape[1:]))


def channel_shuffle(input, groups):
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got {list(shape)}")
    if groups < 1 or shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    parts = ops.reshape(input, (shape[0], groups, shape[1] // groups, *shape[2:]))
    return ops.reshape(ops.moveaxis(parts, 1, 2), shape)


def native_channel_shuffle(input, groups):
    return channel_shuffle(input, groups)


def _padded(input: Array, pad: Any) -> Any:
    """A short way of `pad`, see `calls.short`."""
    count, rest = divmod(len(pad), 2)
    if rest or input.dtype.kind != "f" or not all(type(n) is int and n >= 0 for n in pad) or count > input.ndim:
        return None
    pairs = [pad[2 * i : 2 * i + 2] for i in reversed(range(count))]
    return lw.pad(input, [(0, 0)] * (input.ndim - count) + pairs)


complete(globals(), view="torch.nn.functional")
