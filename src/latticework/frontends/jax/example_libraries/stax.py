"""`jax.example_libraries.stax`: layers as pairs of functions, one that draws parameters and one that computes.

The first takes a key and the shape of the input, and returns the shape of the output and the parameters. The second
takes the parameters and the input.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from .. import lax, nn, random
from .. import numpy as jnp

__all__ = [
    "BatchNorm", "Conv", "Dense", "Dropout", "Elu", "Exp", "FanInConcat", "FanInSum", "FanOut", "Flatten", "Gelu",
    "GeneralConv", "Identity", "LeakyRelu", "LogSoftmax", "Relu", "Selu", "Sigmoid", "Softmax", "Softplus", "Tanh",
    "elementwise", "parallel", "serial", "shape_dependent",
]  # fmt: skip

_Layer = tuple[Callable[..., Any], Callable[..., Any]]
_Initializer = nn.initializers
relu, softmax, softplus, sigmoid, elu, gelu, leaky_relu, selu = (
    nn.relu, nn.softmax, nn.softplus, nn.sigmoid, nn.elu, nn.gelu, nn.leaky_relu, nn.selu,
)  # fmt: skip
logsoftmax = nn.log_softmax
glorot_normal, normal, randn, glorot = (
    _Initializer.glorot_normal, _Initializer.normal, _Initializer.normal, _Initializer.glorot_normal,
)  # fmt: skip


def Dense(out_dim: int, W_init: Any = None, b_init: Any = None) -> _Layer:
    """Return a layer that multiplies by a matrix and adds a vector."""
    weights = _Initializer.glorot_normal() if W_init is None else W_init
    biases = _Initializer.normal() if b_init is None else b_init

    def init_fun(rng: Any, input_shape: Any) -> Any:
        one, other = random.split(rng)
        return (*input_shape[:-1], out_dim), (weights(one, (input_shape[-1], out_dim)), biases(other, (out_dim,)))

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return jnp.dot(inputs, params[0]) + params[1]

    return init_fun, apply_fun


def GeneralConv(
    dimension_numbers: Any, out_chan: int, filter_shape: Any, strides: Any = None, padding: Any = "VALID",
    W_init: Any = None, b_init: Any = None,
) -> _Layer:  # fmt: skip
    """Return a layer that convolves."""
    lhs, rhs, out = dimension_numbers
    strides = strides or (1,) * len(filter_shape)
    weights = _Initializer.glorot_normal(rhs.index("I"), rhs.index("O")) if W_init is None else W_init
    biases = _Initializer.normal(1e-6) if b_init is None else b_init

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        found = lax.conv_general_dilated(inputs, params[0], strides, padding, dimension_numbers=dimension_numbers)
        return found + params[1]

    def init_fun(rng: Any, input_shape: Any) -> Any:
        extents = iter(filter_shape)
        shape = [out_chan if c == "O" else input_shape[lhs.index("C")] if c == "I" else next(extents) for c in rhs]
        bias = tuple([out_chan if c == "C" else 1 for c in out])
        one, other = random.split(rng)
        params = weights(one, tuple(shape)), biases(other, bias)
        from .. import ShapeDtypeStruct, eval_shape

        result = eval_shape(apply_fun, params, ShapeDtypeStruct(tuple(max(n, 1) for n in input_shape), "float32"))
        return result.shape, params

    return init_fun, apply_fun


def Conv(out_chan: int, filter_shape: Any, strides: Any = None, padding: Any = "VALID", **options: Any) -> _Layer:
    """Return a layer that convolves images of the axes NHWC."""
    return GeneralConv(("NHWC", "HWIO", "NHWC"), out_chan, filter_shape, strides, padding, **options)


def BatchNorm(
    axis: Any = (0, 1, 2), epsilon: float = 1e-5, center: bool = True, scale: bool = True, beta_init: Any = None,
    gamma_init: Any = None,
) -> _Layer:  # fmt: skip
    """Return a layer that subtracts the mean of a batch and divides by its deviation."""
    axis = (axis,) if isinstance(axis, int) else tuple(axis)
    beta_init = _Initializer.zeros if beta_init is None else beta_init
    gamma_init = _Initializer.ones if gamma_init is None else gamma_init

    def init_fun(rng: Any, input_shape: Any) -> Any:
        shape = tuple([n for i, n in enumerate(input_shape) if i not in axis])
        one, other = random.split(rng)
        return input_shape, (beta_init(one, shape) if center else (), gamma_init(other, shape) if scale else ())

    def apply_fun(params: Any, x: Any, **kwargs: Any) -> Any:
        beta, gamma = params
        kept = tuple([None if i in axis else slice(None) for i in range(x.ndim)])
        z = (x - jnp.mean(x, axis, keepdims=True)) / jnp.sqrt(jnp.var(x, axis, keepdims=True) + epsilon)
        z = z * gamma[kept] if scale else z
        return z + beta[kept] if center else z

    return init_fun, apply_fun


def elementwise(fun: Any, **fun_kwargs: Any) -> _Layer:
    """Return a layer of a function, without parameters."""
    return (lambda rng, input_shape: (input_shape, ())), (lambda params, inputs, **kw: fun(inputs, **fun_kwargs))


Tanh, Relu, Exp = elementwise(jnp.tanh), elementwise(relu), elementwise(jnp.exp)
LogSoftmax, Softmax = elementwise(logsoftmax, axis=-1), elementwise(softmax, axis=-1)
Softplus, Sigmoid, Elu = elementwise(softplus), elementwise(sigmoid), elementwise(elu)
LeakyRelu, Selu, Gelu = elementwise(leaky_relu), elementwise(selu), elementwise(gelu)
Identity: _Layer = (lambda rng, input_shape: (input_shape, ())), (lambda params, inputs, **kw: inputs)
FanInSum: _Layer = (lambda rng, shapes: (shapes[0], ())), (lambda params, inputs, **kw: reduce(operator.add, inputs))


def _flattened(rng: Any, input_shape: Any) -> Any:
    return (input_shape[0], reduce(operator.mul, input_shape[1:], 1)), ()


Flatten: _Layer = _flattened, (lambda params, inputs, **kw: jnp.reshape(inputs, (inputs.shape[0], -1)))


def FanOut(num: int) -> _Layer:
    """Return a layer that gives its input several times."""
    return (lambda rng, input_shape: ([input_shape] * num, ())), (lambda params, inputs, **kw: [inputs] * num)


def FanInConcat(axis: int = -1) -> _Layer:
    """Return a layer that joins its inputs along an axis."""

    def init_fun(rng: Any, shapes: Any) -> Any:
        at = axis % len(shapes[0])
        return (*shapes[0][:at], sum(s[at] for s in shapes), *shapes[0][at + 1 :]), ()

    return init_fun, lambda params, inputs, **kw: jnp.concatenate(inputs, axis)


def Dropout(rate: float, mode: str = "train") -> _Layer:
    """Return a layer that keeps elements with a probability, and scales them; in another mode than "train", all."""

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        rng = kwargs.get("rng")
        if rng is None:
            raise ValueError("Dropout layer requires apply_fun to be called with a PRNG key argument.")
        if mode != "train":
            return inputs
        return jnp.where(random.bernoulli(rng, rate, inputs.shape), inputs / rate, 0)

    return (lambda rng, input_shape: (input_shape, ())), apply_fun


def serial(*layers: _Layer) -> _Layer:
    """Return a layer of layers, one after the other."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        params = []
        for init, _ in layers:
            rng, here = random.split(rng)
            input_shape, one = init(here, input_shape)
            params.append(one)
        return input_shape, params

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        rng = kwargs.pop("rng", None)
        rngs = random.split(rng, len(layers)) if rng is not None else (None,) * len(layers)
        for (_, apply), one, here in zip(layers, params, rngs, strict=True):
            inputs = apply(one, inputs, rng=here, **kwargs)
        return inputs

    return init_fun, apply_fun


def parallel(*layers: _Layer) -> _Layer:
    """Return a layer of layers, each of an input of its own."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        rngs = random.split(rng, len(layers))
        pairs = [init(here, shape) for (init, _), here, shape in zip(layers, rngs, input_shape, strict=True)]
        return [shape for shape, _ in pairs], tuple([one for _, one in pairs])

    def apply_fun(params: Any, inputs: Any, **kwargs: Any) -> Any:
        rng = kwargs.pop("rng", None)
        rngs = random.split(rng, len(layers)) if rng is not None else (None,) * len(layers)
        rows = zip(layers, params, inputs, rngs, strict=True)
        return [apply(one, x, rng=here, **kwargs) for (_, apply), one, x, here in rows]

    return init_fun, apply_fun


def shape_dependent(make_layer: Callable[..., _Layer]) -> _Layer:
    """Return a layer that is made for the shape of its input."""
    return (
        lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape),
        lambda params, inputs, **kw: make_layer(inputs.shape)[1](params, inputs, **kw),
    )
