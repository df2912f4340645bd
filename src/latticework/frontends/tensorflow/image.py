"""`tf.image`: pictures with their channels last, one by one or in batches."""

from __future__ import annotations

from typing import Any

from .arguments import extents, number, only
from .tensor import as_tensor, dialect, ops

__all__ = ["ResizeMethod"]


class ResizeMethod:
    """The names of the ways to resize."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = "bilinear", "nearest", "bicubic", "area"
    LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = "lanczos3", "lanczos5", "gaussian", "mitchellcubic"


def _batch(images: Any) -> tuple[Any, bool]:
    x = as_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    return (x if x.ndim == 4 else ops.expand_dims(x, 0)), x.ndim == 3


def _back(x: Any, single: bool) -> Any:
    return ops.squeeze(x, 0) if single else x


def resize(
    images: Any, size: Any, method: Any = "bilinear", preserve_aspect_ratio: Any = False, antialias: Any = False,
    name: Any = None,
) -> Any:  # fmt: skip
    x, single = _batch(images)
    wanted = extents(size)
    if len(wanted) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
        height, width = x._array.shape[1:3]
        scale = min(wanted[0] / height, wanted[1] / width)
        wanted = (max(round(height * scale), 1), max(round(width * scale), 1))
    mode = _MODES.get(method)
    if mode is None:
        raise ValueError(f"resize has no method {method!r}; there are {', '.join(_MODES)}")
    nearest = method == "nearest"
    only(x, "iuf", "uint32 uint64")
    wide = x if nearest or str(x._array.dtype) == "float32" else ops.astype(x, "float32")
    same = x._array.shape[1:3] == wanted
    if same:
        return _back(wide, single)
    anti = bool(antialias) and not nearest and method != "area"
    options = {"coefficient": -0.5, "border": "renormalize"} if method == "bicubic" else {}
    if nearest and x._array.dtype.kind != "f":
        return _back(_nearest(x, wanted), single)
    return _back(ops.nn.interpolate(wide, wanted, mode=mode, antialias=anti, layout="NHWC", **options), single)


def _nearest(x: Any, wanted: tuple[int, ...]) -> Any:
    """Each pixel of the result is the one that the middle of it lies in; for integers, which keep their dtype."""
    for axis, n in ((1, wanted[0]), (2, wanted[1])):
        have = x._array.shape[axis]
        middle = ops.multiply(ops.add(ops.arange(n, dtype="float32"), 0.5), have / n)
        x = ops.take(x, ops.minimum(ops.astype(ops.floor(middle), "int64"), have - 1), axis=axis)
    return x


#: The modes of latticework's `nn.interpolate` for TensorFlow's methods.
_MODES = {
    "bilinear": "linear", "nearest": "nearest-exact", "bicubic": "cubic", "area": "area-exact", "lanczos3": "lanczos3",
    "lanczos5": "lanczos5", "gaussian": "gaussian", "mitchellcubic": "mitchellcubic",
}  # fmt: skip


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    x, single = _batch(image)
    top, left, height, width = (number(n) for n in (offset_height, offset_width, target_height, target_width))
    bottom, right = height - top - x._array.shape[1], width - left - x._array.shape[2]
    for n, what in (
        (top, "offset_height must be >= 0"),
        (left, "offset_width must be >= 0"),
        (right, "width must be <= target - offset"),
        (bottom, "height must be <= target - offset"),
    ):
        if n < 0:
            raise ValueError(what)
    return _back(ops.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)]), single)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    x, single = _batch(image)
    top, left, height, width = (number(n) for n in (offset_height, offset_width, target_height, target_width))
    if top < 0 or left < 0 or top + height > x._array.shape[1] or left + width > x._array.shape[2]:
        raise ValueError(f"the box of {height} by {width} at {top}, {left} does not lie in an image of {x.shape}")
    return _back(x[:, top : top + height, left : left + width], single)


def _flipped(image: Any, axis: int) -> Any:
    x, single = _batch(image)
    return _back(ops.flip(x, axis=axis), single)


# fmt: off
def flip_left_right(image: Any) -> Any: return _flipped(image, 2)
def flip_up_down(image: Any) -> Any: return _flipped(image, 1)
# fmt: on


def transpose(image: Any, name: Any = None) -> Any:
    x, single = _batch(image)
    return _back(ops.permute_dims(x, (0, 2, 1, 3)), single)


def rot90(image: Any, k: Any = 1, name: Any = None) -> Any:
    x, single = _batch(image)
    return _back(ops.rot90(x, k=number(k) % 4, axes=(1, 2)), single)


dialect.finish(globals(), view="tf.image")
