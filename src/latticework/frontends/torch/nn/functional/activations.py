"""PyTorch's activations."""

from __future__ import annotations

from typing import Any

from ...core import complete, dialect, ops
from ...sampling import next_key
from .common import floats, in_place, numbers, put

# fmt: off

def _of_floats(name: str, f: Any, input: Any, *options: Any) -> Any:
    floats(name, input)
    return f(input, *options)

def _leaky(input, slope): return _of_floats("leaky_relu", ops.nn.leaky_relu, input, slope)

def celu(input, alpha=1.0, inplace=False):
    return in_place(celu, input, alpha) if inplace else _of_floats("celu", ops.nn.celu, input, alpha)
def celu_(input, alpha=1.0): return celu(input, alpha, True)
def elu(input, alpha=1.0, inplace=False):
    return in_place(elu, input, alpha) if inplace else _of_floats("elu", ops.nn.elu, input, alpha)
def elu_(input, alpha=1.0): return elu(input, alpha, True)
def hardshrink(input, lambd=0.5): return _of_floats("hardshrink", ops.nn.hard_shrink, input, lambd)
def hardsigmoid(input, inplace=False):
    return in_place(hardsigmoid, input) if inplace else _of_floats("hardsigmoid", _hardsigmoid, input)
def hardswish(input, inplace=False):
    return in_place(hardswish, input) if inplace else _of_floats("hardswish", ops.nn.hard_silu, input)
def hardtanh_(input, min_val=-1.0, max_val=1.0): return hardtanh(input, min_val, max_val, True)
def leaky_relu(input, negative_slope=0.01, inplace=False):
    return in_place(leaky_relu, input, negative_slope) if inplace else _leaky(input, negative_slope)
def leaky_relu_(input, negative_slope=0.01): return leaky_relu(input, negative_slope, True)
def logsigmoid(input): return _of_floats("logsigmoid", ops.nn.log_sigmoid, input)
def mish(input, inplace=False):
    return in_place(mish, input) if inplace else _of_floats("mish", ops.nn.mish, input)
def relu(input, inplace=False): return put(input, ops.nn.relu(input), inplace)
def relu6(input, inplace=False): return hardtanh(input, 0.0, 6.0, inplace)
def relu_(input): return relu(input, True)
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False): return rrelu(input, lower, upper, training, True)
def selu(input, inplace=False):
    return in_place(selu, input) if inplace else _of_floats("selu", ops.nn.selu, input)
def selu_(input): return selu(input, True)
def sigmoid(input): return ops.special.expit(input)
def silu(input, inplace=False):
    return in_place(silu, input) if inplace else _silu(input)
def softplus(input, beta=1, threshold=20): return _of_floats("softplus", ops.nn.softplus, input, beta, threshold)
def softshrink(input, lambd=0.5): return _of_floats("softshrink", ops.nn.soft_shrink, input, _not_negative(lambd))
def tanh(input): return ops.tanh(input)
def tanhshrink(input): return ops.subtract(input, ops.tanh(input))
def threshold_(input, threshold, value): return _threshold(input, threshold, value, True)
# fmt: on


def _silu(input: Any) -> Any:
    if type(input) is dialect.array and input._array.dtype.kind == "c":
        return ops.divide(input, ops.add(ops.exp(ops.negative(input)), 1))
    return _of_floats("silu", ops.nn.silu, input)


def softsign(input):
    numbers("softsign", input)
    return ops.divide(input, ops.add(ops.abs(input), 1))


def threshold(input, threshold, value, inplace=False):
    numbers("threshold", input)
    if inplace:
        return in_place(_threshold, input, threshold, value)
    return ops.where(ops.less_equal(input, threshold), ops.full_like(input, value), input)


_threshold = threshold


def _not_negative(lambd: Any) -> Any:
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return lambd


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if input._array.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val; got {min_val} and {max_val}")
    if input._array.dtype.kind in "iu":
        if input._array.dtype.kind == "u" and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
        min_val, max_val = int(min_val), int(max_val)
    f = _between if input._array.dtype.kind == "f" else ops.clip
    return in_place(f, input, min_val, max_val) if inplace else f(input, min_val, max_val)


def _between(x: Any, low: Any, high: Any) -> Any:
    """What is below a bound becomes that bound. At the bounds the slope is 0, where that of `clamp` is 1."""
    above = ops.nn.threshold(x, low, low)
    return ops.where(ops.greater_equal(above, high), high, above)


def _hardsigmoid(x: Any) -> Any:
    return ops.divide(_between(ops.add(x, 3), 0.0, 6.0), 6)


def gelu(input, approximate="none"):
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    floats("gelu", input)
    return ops.nn.gelu(input, approximate=approximate == "tanh") if approximate == "tanh" else ops.nn.gelu(input)


def glu(input, dim=-1):
    if not input._array.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if input._array.shape[input._axis(dim)] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    floats("glu", input)
    return ops.nn.glu(input, axis=dim)


def prelu(input, weight):
    floats("prelu", input, weight)
    count = input._array.shape[1] if input._array.ndim > 1 else 1
    if weight._array.ndim > 1 or (weight._array.size != 1 and weight._array.size != count):
        raise RuntimeError(f"prelu: expected 1 weight, or one for each of {count} channels; got {weight._array.shape}")
    if weight._array.dtype is not input._array.dtype:
        raise RuntimeError(f"prelu: expected one dtype; got {input.dtype} and {weight.dtype}")
    if weight._array.size == 1:
        return ops.nn.prelu(input, ops.reshape(weight, (1,)))
    return ops.nn.prelu(input, weight)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    floats("rrelu", input)
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    if input._array.dtype.name == "float16":
        raise NotImplementedError("rrelu: PyTorch has no kernel of it for float16 in training. Cast the tensor first")
    slopes = ops.random.uniform(next_key(), input._array.shape, dtype=input.dtype)
    slopes = ops.add(ops.multiply(slopes, upper - lower), lower)
    x = input._to_read() if inplace else input
    return put(input, ops.where(ops.less(x, 0), ops.multiply(x, slopes), x), inplace)


# --- along an axis --------------------------------------------------------------------------------------------------


def _axis(input: Any, dim: Any) -> Any:
    """Return the axis of a softmax. PyTorch's default axis depends on the number of axes."""
    if dim is None:
        return 0 if input._array.ndim in (0, 1, 3) else 1
    return dim


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is not None:
        input = input._to(dtype)
    floats("softmax", input)
    return ops.softmax(input, _axis(input, dim))


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is not None:
        input = input._to(dtype)
    floats("log_softmax", input)
    return ops.nn.log_softmax(input, _axis(input, dim))


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(ops.negative(input), dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    floats("gumbel_softmax", logits)
    noise = ops.random.gumbel(next_key(), logits._array.shape, dtype=logits.dtype)
    soft = ops.softmax(ops.divide(ops.add(logits, noise), tau), dim)
    if not hard:
        return soft
    best = ops.nn.one_hot(ops.argmax(soft, axis=dim), soft._array.shape[dim], dtype=soft.dtype, axis=dim)
    return ops.add(ops.subtract(best, ops.stop_gradient(soft)), soft)


complete(globals(), scalars="softmax log_softmax softmin", view="torch.nn.functional")
