"""PyTorch's normalizations."""

from __future__ import annotations

from math import prod
from typing import Any

from .....api.nn.normalization import _in_training as in_training
from .....core.dtypes import float32
from .....core.registry import OPS
from ....calls import remembered, twin
from ...core import complete, dialect, ops
from .common import floats

_and_running = twin(OPS["nn._in_training"], in_training, dialect)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(f"normalize: the input must be floating point or complex; got {input.dtype}")
    if not input._array.ndim:
        return ops.reshape(normalize(ops.reshape(input, (1,)), p, dim, eps), ())
    if p == 0:  # the count of nonzero elements
        size = ops.linalg.vector_norm(input, ord=0, axis=dim, keepdims=True)
        return ops.divide(input, ops.clip(size, eps, None))
    return ops.nn.normalize(input, p=p, axis=dim, eps=eps)


def _extents(name: str, normalized_shape: Any) -> Any:
    if not isinstance(normalized_shape, (tuple, list)):
        kind = type(normalized_shape).__name__
        raise TypeError(f"{name}(): argument 'normalized_shape' must be tuple of ints, not {kind}")
    return tuple(normalized_shape)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    floats("layer_norm", input, weight, bias)
    return ops.nn.layer_norm(input, _extents("layer_norm", normalized_shape), weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    floats("rms_norm", input)
    return ops.nn.rms_norm(input, _extents("rms_norm", normalized_shape), weight, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    if input._array.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input._array.ndim}")
    _enough((input._array.shape[0] * input._array.shape[1] // num_groups, num_groups, *input._array.shape[2:]))
    floats("group_norm", input)
    return ops.nn.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    if input._array.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input._array.ndim} dimensions)")
    floats("local_response_norm", input)
    return ops.nn.local_response_norm(input, size, alpha, beta, k)


def _enough(shape: Any) -> None:
    """Check that there is more than one value for each channel to normalize by."""
    if prod((shape[0], *shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalize each channel. In training, the running statistics are written in place."""
    if not training:
        return _by_statistics(input, running_mean, running_var, weight, bias, eps)
    if running_mean is None or not input._array.size:  # of nothing there are no statistics
        return _by_batch(input, weight, bias, eps)
    result, mean, var = _in_training(input, running_mean, running_var, weight, bias, momentum, eps)
    running_mean._write(mean)
    running_var._write(var)
    return result


def _kept(f: Any) -> Any:
    """Have a function remember the kernels that it runs, though it is not PyTorch's."""
    return remembered(dialect, f)


@_kept
def _by_statistics(input, running_mean, running_var, weight, bias, eps):
    floats("batch_norm", input)
    if eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    if running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
    _check_parameters(input, running_mean, running_var, weight, bias)
    return _like(ops.nn.batch_norm(input, running_mean, running_var, weight, bias, eps=eps), input)


@_kept
def _by_batch(input, weight, bias, eps):
    _check_training(input, eps)
    _check_parameters(input, weight, bias)
    result, _, _ = ops.nn.batch_norm(input, None, None, weight, bias, training=True, eps=eps)
    return _like(result, input)


@_kept
def _in_training(input, running_mean, running_var, weight, bias, momentum, eps):
    _check_training(input, eps)
    arrays = (input, running_mean, running_var, weight, bias)
    _check_parameters(*arrays)
    result, mean, var = _and_running(*arrays, momentum=momentum, eps=eps)
    return _like(result, input), mean, var


def _check_training(input: Any, eps: Any) -> None:
    floats("batch_norm", input)
    _enough(input._array.shape)
    if eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")


def _check_parameters(input: Any, *parameters: Any) -> None:
    """Check that parameters and statistics have the dtype of the input, or all of them float32 beside 16 bits."""
    dtypes = {x._array.dtype for x in parameters if x is not None}
    dtype = input._array.dtype
    if dtypes - {dtype} and not (dtype.bits == 16 and dtypes == {float32}):
        raise RuntimeError(
            f"batch_norm: mixed dtype: parameters and statistics have the dtype of the input, {dtype}, or float32 "
            f"beside one of 16 bits; got {', '.join(sorted(map(str, dtypes)))}"
        )


def _like(result: Any, input: Any) -> Any:
    """Return a result in the dtype of the input: of 16 bits, beside parameters and statistics of 32."""
    dtype = input._array.dtype
    return result if result._array.dtype is dtype else ops.astype(result, dtype)


def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5
):
    """Normalize each channel of each sample. Running statistics are written in place, as means over the batch."""
    floats("instance_norm", input)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return _like(ops.nn.instance_norm(input, running_mean, running_var, weight, bias, eps=eps), input)
    shape = input._array.shape
    if prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {list(shape)}")
    if running_mean is not None:
        axes = tuple(range(2, len(shape)))
        _moved(running_mean, ops.mean(ops.mean(input, axis=axes), axis=0), momentum)
        _moved(running_var, ops.mean(ops.var(input, axis=axes, correction=1), axis=0), momentum)
    return _like(ops.nn.instance_norm(input, None, None, weight, bias, eps=eps), input)


def _moved(running: Any, new: Any, momentum: Any) -> None:
    new = new.detach()
    running._write(ops.add(ops.multiply(running, 1 - momentum), ops.multiply(new, momentum)))


complete(globals(), view="torch.nn.functional")
