"""`jax.image`: images in other sizes: a matrix of weights for each axis, of a kernel around each sample."""

from __future__ import annotations

import enum
import math
from typing import Any

from . import numpy as jnp
from .core import as_array, dialect, ops

__all__ = ["ResizeMethod"]


class ResizeMethod(enum.Enum):
    """The kernels that images are resized by."""

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """Return the method of a name."""
        names = {"nearest": 0, "linear": 1, "bilinear": 1, "trilinear": 1, "triangle": 1, "lanczos3": 2, "lanczos5": 3,
                 "cubic": 4, "bicubic": 4, "tricubic": 4}  # fmt: skip
        if s not in names:
            raise ValueError(f'Unknown resize method "{s}"')
        return ResizeMethod(names[s])


def _triangle(x: Any) -> Any:
    return jnp.maximum(0, 1 - jnp.abs(x))


def _keys_cubic(x: Any) -> Any:
    """Keys' kernel with a = -0.5 ("Cubic convolution interpolation for digital image processing", 1981)."""
    x = jnp.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return jnp.where(x >= 2, 0.0, jnp.where(x >= 1, far, near))


def _lanczos(radius: float) -> Any:
    def kernel(x: Any) -> Any:
        y = radius * jnp.sin(math.pi * x) * jnp.sin(math.pi * x / radius)
        found = jnp.where(x > 1e-3, y / jnp.where(x != 0, math.pi**2 * x**2, 1), 1)
        return jnp.where(x > radius, 0.0, found)

    return lambda x: kernel(jnp.abs(x))


_KERNELS = {1: _triangle, 2: _lanczos(3.0), 3: _lanczos(5.0), 4: _keys_cubic}


def _weights(kernel: Any, before: int, after: int, scale: Any, translation: Any, antialias: bool) -> Any:
    """The matrix that gives the samples after of those before: shape (before, after)."""
    inverse = 1.0 / scale
    width = jnp.maximum(inverse, 1.0) if antialias else 1.0
    dtype = jnp.result_type(inverse)
    samples = (jnp.arange(after, dtype=dtype) + 0.5) * inverse - translation * inverse - 0.5
    far = jnp.abs(samples[None, :] - jnp.arange(before, dtype=dtype)[:, None]) / width
    weights = kernel(far)
    total = jnp.sum(weights, axis=0, keepdims=True)
    eps = 1000.0 * float(jnp.finfo(jnp.float32).eps)
    weights = jnp.where(jnp.abs(total) > eps, weights / jnp.where(total != 0, total, 1), 0)
    return jnp.where(((samples >= -0.5) & (samples <= before - 0.5))[None, :], weights, 0)


def _resampled(x: Any, shape: Any, axes: Any, scale: Any, translation: Any, kernel: Any, antialias: bool) -> Any:
    for i, axis in enumerate(axes):
        weights = _weights(kernel, x.shape[axis], shape[axis], scale[i], translation[i], antialias).astype(x.dtype)
        x = ops.moveaxis(ops.tensordot(x, weights, axes=((axis,), (0,))), -1, axis)
    return x


def scale_and_translate(
    image: Any, shape: Any, spatial_dims: Any, scale: Any, translation: Any, method: Any, antialias: bool = True,
    precision: Any = object(),  # noqa: B008
) -> Any:  # fmt: skip
    shape = tuple(shape)
    image = as_array(image, "scale_and_translate")
    if len(shape) != image.ndim:
        raise ValueError(f"shape must have length equal to the number of dimensions of x;  {shape} vs {image.shape}")
    method = ResizeMethod.from_string(method) if isinstance(method, str) else method
    if method is ResizeMethod.NEAREST:
        raise ValueError("Nearest neighbor resampling is not currently supported for scale_and_translate.")
    scale, translation = as_array(scale), as_array(translation)
    x = image if image.dtype.kind in "fV" else image.astype(float)
    if image.dtype.kind == "c":
        raise TypeError(f"scale_and_translate: takes real images; got {image.dtype}")
    axes = [a % image.ndim for a in spatial_dims]
    return _resampled(x, shape, axes, scale, translation, _KERNELS[method.value], antialias)


def resize(image: Any, shape: Any, method: Any, antialias: bool = True, precision: Any = object()) -> Any:  # noqa: B008
    shape = tuple([int(n) for n in shape])
    image = as_array(image, "resize")
    if len(shape) != image.ndim:
        raise ValueError(f"shape must have length equal to the number of dimensions of x;  {shape} vs {image.shape}")
    method = ResizeMethod.from_string(method) if isinstance(method, str) else method
    axes = [i for i in range(image.ndim) if shape[i] != image.shape[i]]
    if method is ResizeMethod.NEAREST:
        for axis in axes:
            before, after = image.shape[axis], shape[axis]
            places = ((jnp.arange(after, dtype="float32") + 0.5) * before / after).astype("int32")
            image = ops.take(image, places, axis=axis)
        return image
    x = image if image.dtype.kind in "fV" else image.astype(float)
    scale = [jnp.asarray(1.0 if not shape[a] else shape[a] / image.shape[a], dtype="float32") for a in axes]
    return _resampled(x, shape, axes, scale, [0.0] * len(axes), _KERNELS[method.value], antialias)


dialect.finish(globals(), view="jax.image")
