"""Resizing, and samples at places that a grid says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import latticework as lw

from ..core.dtypes import int64
from .table import Call, reads

__all__: list[str] = []

_Numbers: TypeAlias = np.ndarray[Any, Any]


def _places(c: Call, n: int, out: int, scale: float, roi: tuple[float, float] | None) -> _Numbers:
    """Return where along an axis of n elements each of the new elements lies."""
    mode = c.get("coordinate_transformation_mode", "half_pixel" if c.opset >= 11 else "asymmetric")
    i, length = np.arange(out, dtype=np.float64), scale * n
    if mode == "align_corners":
        return i * 0 if length == 1 else i * (n - 1) / (length - 1)
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_crop_and_resize":
        start, stop = roi if roi is not None else (0.0, 1.0)
        if length == 1:
            return i * 0 + (start + stop) * (n - 1) / 2
        return start * (n - 1) + i * (stop - start) * (n - 1) / (length - 1)
    if mode == "pytorch_half_pixel" and out == 1:
        return i * 0 - 0.5 if length != 1 else i * 0
    if mode == "half_pixel_symmetric":
        return n / 2 * (1 - out / length) + (i + 0.5) / scale - 0.5
    return (i + 0.5) / scale - 0.5


def _nearest(c: Call, at: _Numbers) -> tuple[_Numbers, _Numbers]:
    mode = c.get("nearest_mode", "round_prefer_floor" if c.opset >= 11 else "floor")
    rounded: dict[str, Callable[[_Numbers], _Numbers]] = {
        "round_prefer_floor": lambda x: np.ceil(x - 0.5), "round_prefer_ceil": lambda x: np.floor(x + 0.5),
        "floor": np.floor, "ceil": np.ceil,
    }  # fmt: skip
    return rounded[mode](at)[:, None].astype(np.int64), np.ones((at.size, 1))


def _linear(x: _Numbers) -> _Numbers:
    return np.clip(1 - np.abs(x), 0, 1)


def _cubic(a: float) -> Callable[[_Numbers], _Numbers]:
    def kernel(x: _Numbers) -> _Numbers:
        x = np.abs(x)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0))

    return kernel


def _taps(c: Call, n: int, at: _Numbers, scale: float) -> tuple[_Numbers, _Numbers]:
    """Return which elements each of the new ones is a sum of, and their weights: two arrays (out, taps)."""
    mode = c.get("mode", "nearest")
    if mode == "nearest":
        places, weights = _nearest(c, at)
        return np.clip(places, 0, n - 1), weights
    kernel, reach = (_cubic(c.get("cubic_coeff_a", -0.75)), 2) if mode == "cubic" else (_linear, 1)
    narrow = min(scale, 1.0) if c.get("antialias", 0) else 1.0
    reach = math.ceil(reach / narrow)
    places = np.floor(at)[:, None].astype(np.int64) + np.arange(1 - reach, reach + 1)
    weights = kernel((places - at[:, None]) * narrow)
    if c.get("exclude_outside", 0):
        weights = np.where((places < 0) | (places >= n), 0, weights)
    if narrow != 1 or c.get("exclude_outside", 0):
        weights = weights / weights.sum(axis=1, keepdims=True)
    return np.clip(places, 0, n - 1), weights


def _along(c: Call, x: Any, axis: int, places: _Numbers, weights: _Numbers) -> Any:
    """Replace an axis by sums of its elements."""
    if weights.shape[1] == 1:
        return lw.take(x, c.array(places[:, 0]), axis=axis)
    rows = lw.take(x, c.array(places), axis=axis)  # one axis more: (..., out, taps, ...)
    shape = (*weights.shape, *(1,) * (x.ndim - axis - 1))
    return lw.sum(rows * c.array(weights.reshape(shape), x.dtype), axis=axis + 1)


def _sizes(c: Call, extents: list[int], scales: Any, sizes: Any) -> tuple[list[int], list[float]]:
    """Return the new extents of the axes that are resized, and by how much they grow."""
    if sizes is None:
        factors = [float(s) for s in scales]
        return [math.floor(n * s) for n, s in zip(extents, factors, strict=True)], factors
    wanted = [int(n) for n in sizes]
    factors = [w / n for w, n in zip(wanted, extents, strict=True)]
    policy = c.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        factor = min(factors) if policy == "not_larger" else max(factors)
        factors = [factor] * len(factors)
        wanted = [math.floor(n * factor + 0.5) for n in extents]
    return wanted, factors


@reads("Resize", "Upsample", host=(1, 2, 3))
def _resize(c: Call, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    if c.kind == "Upsample" or c.opset < 11:  # these have no region
        roi, scales = None, c.get("scales", roi)
    if sizes is not None and not len(sizes):
        sizes = None
    axes = [a % x.ndim for a in c.get("axes", range(x.ndim))]
    extents = [x.shape[a] for a in axes]
    wanted, factors = _sizes(c, extents, scales, sizes)
    crops = c.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    dtype, n = x.dtype, len(axes)
    if c.get("mode", "nearest") != "nearest" and x.dtype.kind != "f":
        x = lw.astype(x, lw.float32)
    beyond: list[tuple[int, _Numbers]] = []
    for k, (axis, extent, out, factor) in enumerate(zip(axes, extents, wanted, factors, strict=True)):
        part = (float(roi[k]), float(roi[n + k])) if crops and roi is not None and len(roi) else None
        at = _places(c, extent, out, factor, part)
        if out == extent and np.array_equal(at, np.arange(out)):
            continue
        x = _along(c, x, axis, *_taps(c, extent, at, factor))
        if crops:
            beyond.append((axis, (at < 0) | (at > extent - 1)))
    for axis, mask in beyond:
        shape = [1] * x.ndim
        shape[axis] = -1
        x = lw.where(c.array(mask.reshape(shape)), c.get("extrapolation_value", 0.0), x)
    return lw.astype(x, dtype)


@reads("GridSample")
def _grid_sample(c: Call, x: Any, grid: Any) -> Any:
    words = {"linear": "bilinear", "cubic": "bicubic"}
    mode = c.get("mode", "linear" if c.opset >= 20 else "bilinear")
    return lw.nn.grid_sample(
        x, grid, mode=words.get(mode, mode), padding_mode=c.get("padding_mode", "zeros"),
        align_corners=bool(c.get("align_corners", 0)),
    )  # fmt: skip


@reads("AffineGrid", host=(1,))
def _affine_grid(c: Call, theta: Any, size: Any) -> Any:
    return lw.nn.affine_grid(theta, [int(n) for n in size], align_corners=bool(c.get("align_corners", 0)))


# --- regions ---------------------------------------------------------------------------------------------------------


def _samples(start: Any, size: Any, out: int, count: int, extent: int) -> tuple[Any, ...]:
    """Return where the samples of regions lie along one axis: of shape (regions, out * count).

    Returns
    -------
    The places before and after, the weights of both, and whether the sample is inside of the array.
    """
    steps = (np.arange(out * count) + 0.5) / count / out
    at = lw.expand_dims(start, axis=1) + lw.expand_dims(size, axis=1) * lw.astype(
        lw.asarray(steps, device=start.device), start.dtype
    )
    inside = (at >= -1) & (at <= extent)
    at = lw.clip(at, 0, extent - 1)
    before = lw.floor(at)
    part = at - before
    before = lw.astype(before, int64)
    return before, lw.minimum(before + 1, extent - 1), 1 - part, part, inside


def _align(c: Call, x: Any, rois: Any, batch: Any, counts: tuple[int, int]) -> Any:
    """Sample regions of x with a number of samples for each element of the result, along both axes."""
    height, width = c.get("output_height", 1), c.get("output_width", 1)
    half = c.get("coordinate_transformation_mode", "half_pixel" if c.opset >= 16 else "output_half_pixel")
    corners = rois * c.get("spatial_scale", 1.0) - (0.5 if half == "half_pixel" else 0.0)
    sizes = corners[:, 2:] - corners[:, :2]
    if half != "half_pixel":
        sizes = lw.maximum(sizes, 1.0)
    rows = _samples(corners[:, 1], sizes[:, 1], height, counts[0], x.shape[2])
    columns = _samples(corners[:, 0], sizes[:, 0], width, counts[1], x.shape[3])
    regions, channels = rois.shape[0], x.shape[1]
    flat = lw.reshape(lw.take(x, lw.astype(batch, int64), axis=0), (regions, channels, -1))
    inside = lw.expand_dims(rows[4], axis=2) & lw.expand_dims(columns[4], axis=1)
    found = []
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        places = lw.expand_dims(rows[i], axis=2) * x.shape[3] + lw.expand_dims(columns[j], axis=1)
        index = lw.reshape(places, (regions, 1, -1))
        values = lw.take_along_axis(flat, lw.broadcast_to(index, (regions, channels, index.shape[2])), axis=2)
        weights = lw.expand_dims(rows[2 + i], axis=2) * lw.expand_dims(columns[2 + j], axis=1)
        weights = lw.where(inside, weights, 0)
        found.append(values * lw.reshape(weights, (regions, 1, -1)))
    shape = (regions, channels, height, counts[0], width, counts[1])
    if c.get("mode", "avg") == "max":  # of the weighted elements, not of their sums
        return lw.max(lw.reshape(lw.max(lw.stack(found), axis=0), shape), axis=(3, 5))
    return lw.mean(lw.reshape(found[0] + found[1] + found[2] + found[3], shape), axis=(3, 5))


@reads("RoiAlign")
def _roi_align(c: Call, x: Any, rois: Any, batch: Any) -> Any:
    """Sample regions. A number of samples that is not given follows from the size of each region: that is asked for."""
    count = c.get("sampling_ratio", 0)
    if count > 0 or not rois.shape[0]:
        return _align(c, x, rois, batch, (max(count, 1), max(count, 1)))
    corners = np.asarray(rois) * c.get("spatial_scale", 1.0)
    sizes = corners[:, [3, 2]] - corners[:, [1, 0]]
    if c.get("coordinate_transformation_mode", "half_pixel" if c.opset >= 16 else "") != "half_pixel":
        sizes = np.maximum(sizes, 1)
    counts = np.ceil(sizes / [c.get("output_height", 1), c.get("output_width", 1)]).astype(int)
    parts = [
        _align(c, x, rois[i : i + 1], batch[i : i + 1], (max(int(a), 1), max(int(b), 1)))
        for i, (a, b) in enumerate(counts)
    ]
    return lw.concat(parts, axis=0)
