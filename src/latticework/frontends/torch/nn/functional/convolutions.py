"""PyTorch's convolutions."""

from __future__ import annotations

from typing import Any

from ...core import complete, ops
from .common import alike


def _checked(name: str, input: Any, weight: Any, bias: Any) -> None:
    alike(name, input, weight, bias)
    if input._array.dtype.kind == "b":
        raise NotImplementedError(f"{name}: not implemented for {input.dtype}")


def _conv(name: str, input: Any, weight: Any, bias: Any, **options: Any) -> Any:
    """Call a convolution; an image without a batch is a batch of one."""
    _checked(name, input, weight, bias)
    function, count = getattr(ops.nn, name), int(name[-2])
    if input._array.dtype.kind in "iu":
        x, w, b = (None if t is None else t._to("float64") for t in (input, weight, bias))  # exact below 2 ** 53
        return _conv(name, x, w, b, **options)._to("int64")._to(input.dtype)
    if input._array.ndim == count + 1:
        return ops.squeeze(function(ops.expand_dims(input, axis=0), weight, bias, **options), axis=0)
    if input._array.ndim != count + 2:
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._array.shape)}"
        )
    if options["padding"] == "same" and options["stride"] not in (1, (1,) * count, [1] * count, (1,), [1]):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    return function(input, weight, bias, **options)


# fmt: off
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv("conv1d", input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)

def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv("conv2d", input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)

def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv("conv3d", input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)

def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    options = {"stride": stride, "padding": padding, "output_padding": output_padding}
    return _conv("conv_transpose1d", input, weight, bias, **options, groups=groups, dilation=dilation)

def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    options = {"stride": stride, "padding": padding, "output_padding": output_padding}
    return _conv("conv_transpose2d", input, weight, bias, **options, groups=groups, dilation=dilation)

def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    options = {"stride": stride, "padding": padding, "output_padding": output_padding}
    return _conv("conv_transpose3d", input, weight, bias, **options, groups=groups, dilation=dilation)

# fmt: on


def conv_tbc(input, weight, bias, pad=0):
    alike("conv_tbc", input, weight, bias)
    images = ops.permute_dims(input, (1, 2, 0))
    made = ops.nn.conv1d(images, ops.permute_dims(weight, (2, 1, 0)), bias, padding=pad)
    return ops.permute_dims(made, (2, 0, 1))


complete(globals(), view="torch.nn.functional")
