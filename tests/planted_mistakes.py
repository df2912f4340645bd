"""Mistakes that type checkers have to find. It never runs: see test_typing.py.

The text "error:" stands on each line that a checker has to report, with mypy's code for the error.
"""

# ruff: noqa: B018, F841, N812, RUF059
from __future__ import annotations

import latticework as lw
import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
import latticework.frontends.numpy as np
import latticework.frontends.tensorflow as tf
import latticework.frontends.torch as torch
import latticework.frontends.torch.nn.functional as F
from latticework import Array


def scaled(x: Array, factor: float, *, axis: int = 0) -> Array:
    return lw.sum(x * factor, axis=axis)


@lw.compile(fast=True)
def compiled(x: Array, rate: float) -> Array:
    return x - rate * lw.sin(x)


def of_latticework(x: Array) -> None:
    lw.ones(2).unsqueze(0)  # error: attr-defined
    lw.linalg.choleski(x)  # error: attr-defined
    lw.sum(x, axes=0)  # error: call-arg
    lw.zeros(2, dtype="flaot32")  # error: arg-type
    x.astype("int23")  # error: arg-type
    lw.random.normal(lw.random.key(0), (2,), dtype="float62")  # error: arg-type
    lw.isdtype(x.dtype, "intergal")  # error: arg-type
    lw.set_default_float_dtype("flaot64")  # error: arg-type
    lw.using(backedn="torch")  # error: call-arg
    lw.using(casting="upp")  # error: arg-type
    lw.grad(scaled)(x)  # error: call-arg
    lw.value_and_grad(scaled)(x, 2.0, axs=1)  # error: call-arg
    value, gradient, more = lw.value_and_grad(scaled)(x, 2.0)  # error: misc
    lw.vmap(scaled)(x, "2")  # error: arg-type
    lw.jit(scaled)(x, 2.0).lenght()  # error: attr-defined
    compiled(x)  # error: call-arg
    lw.trace(scaled, x, 2.0, axis="0")  # error: arg-type
    lw.matmul(x)  # error: call-arg
    x + "1"  # error: arg-type


def of_torch() -> None:
    x = torch.ones(2)
    x.unsqeeze(0)  # error: attr-defined
    torch.maen(x)  # error: attr-defined
    torch.sum(x, dims=0)  # error: call-arg
    torch.softmax(x)  # error: call-arg
    torch.zeros(2, dtype="float32")  # error: arg-type
    torch.exp([1.0])  # error: arg-type
    x.shape.nmuel()  # error: attr-defined
    torch.sort(x).idices  # error: attr-defined
    torch.linalg.inv(x).cpuu()  # error: attr-defined
    F.relu(x, inplce=True)  # error: call-arg
    length: str = x.numel()  # error: assignment


def of_numpy() -> None:
    x = np.arange(3)
    x.asdtype(float)  # error: attr-defined
    np.concatinate([x, x])  # error: attr-defined
    np.sum(x, dim=0)  # error: call-arg
    np.zeros("2")  # error: arg-type
    np.linalg.solve(x)  # error: call-arg
    np.mean("text")  # error: arg-type
    np.stack([x, x], axis=0.5)  # error: arg-type
    x.shape.append(1)  # error: attr-defined
    np.sin(x) @ None  # error: operator


@jax.jit
def doubled(x: jax.Array, count: int) -> jax.Array:
    return x * 2 * count


def of_jax() -> None:
    x = jnp.ones(2)
    x.at[0].sett(1.0)  # error: attr-defined
    jnp.einsumm("ij->i", x)  # error: attr-defined
    jnp.sum(x, keepdim=True)  # error: call-arg
    doubled(x)  # error: call-arg
    doubled(x, 2).summ()  # error: attr-defined
    jax.random.normal(0, shape=(2,))  # error: arg-type
    jax.nn.softmaxx(x)  # error: attr-defined
    jax.value_and_grad(doubled)(x, 1, 2)  # error: call-arg


def of_tensorflow() -> None:
    x = tf.ones((2, 3))
    x.nmupy()  # error: attr-defined
    tf.reduce_summ(x)  # error: attr-defined
    tf.reduce_sum(x, keepdim=True)  # error: call-arg
    tf.matmul(x)  # error: call-arg
    tf.reshape(x, "2")  # error: arg-type
    tf.math.erff(x)  # error: attr-defined
    with tf.GradientTape() as tape:
        tape.wach(x)  # error: attr-defined
    tf.nn.relu(x).shape.as_lst()  # error: attr-defined
