"""A program for each dialect as a user writes it, with the types that an editor has to see.

It runs, and type checkers find nothing in it: see test_typing.py.
"""

from __future__ import annotations

from typing import assert_type

import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
import latticework.frontends.numpy as np
import latticework.frontends.tensorflow as tf
import latticework.frontends.torch as torch
import latticework.frontends.torch.nn.functional as F  # noqa: N812 - as PyTorch's programs do
from latticework.frontends.jax import lax
from latticework.frontends.torch import Tensor


def in_torch() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3, dtype=torch.float64)
    weight, bias = torch.ones(2, 3, dtype=x.dtype), torch.zeros([2], dtype=torch.float64)
    y = F.relu(F.linear(x, weight, bias))
    assert_type(y, Tensor)
    assert_type((1 - y.pow(2) * 0.5).mean(dim=-1, keepdim=True), Tensor)
    assert_type(y.unsqueeze(0).transpose(0, 1).reshape(-1, 2)[:, 0], Tensor)
    assert_type(torch.cat([x, torch.zeros_like(x)], dim=1).sum(), Tensor)
    _, indices = torch.topk(x, 2)
    assert_type(indices, Tensor)
    assert_type(torch.sort(x, dim=0).values, Tensor)
    assert_type(torch.linalg.norm(x), Tensor)
    assert_type(torch.fft.fft(x).real, Tensor)
    assert_type(x.size(), torch.Size)
    assert_type(x.numel(), int)
    assert_type(x.dtype, torch.dtype)
    assert_type(x.is_floating_point(), bool)
    rows, columns = x.shape
    assert rows > columns
    x += 1
    x[0] = 0
    with torch.no_grad():
        assert_type(x.to(torch.float32).clamp_(min=0, max=1).add_(1, alpha=2), Tensor)
    if (x > 0).any() and torch.equal(x, x.clone()):
        assert_type(float(x[0, 0]), float)
    for row in x:
        assert_type(row.softmax(0), Tensor)

    def loss(w: Tensor, scale: float) -> Tensor:
        return F.mse_loss(x @ w.T, torch.ones(4, 2, dtype=x.dtype)) * scale

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3, 2, dtype=torch.float64))
            self.register_buffer("mean", None)
            torch.nn.init.xavier_uniform_(self.weight)

        def forward(self, x: Tensor) -> Tensor:
            return F.relu(x @ self.weight)

    layer = Layer()
    layer.load_state_dict(layer.state_dict())
    torch.nn.Sequential(layer).append(torch.nn.Sequential())(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    torch.func.grad(loss)(weight, 2.0)
    assert_type(torch.vmap(loss, in_dims=(0, None))(weight.unsqueeze(0), 2.0), Tensor)


def in_numpy() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert_type(x, np.ndarray)
    assert_type(np.concatenate([x, x * 2], axis=0), np.ndarray)
    assert_type((x.mean(axis=1, keepdims=True) - 1.5) / x.std() ** 2, np.ndarray)
    assert_type(np.where(x > 2, x, 0.0)[:, 1:], np.ndarray)
    assert_type(np.linalg.svdvals(np.ones((2, 2))), np.ndarray)
    assert_type(np.sqrt([1, 4, 9]), np.ndarray)
    assert_type(x.astype("int64").T.flatten(), np.ndarray)
    np.add.reduce(x).tolist()
    assert_type(x.ndim, int)
    assert_type(x.shape, tuple[int, ...])
    assert_type(np.fft.rfft(x).real, np.ndarray)
    rows, _ = np.nonzero(x)
    assert_type(rows, np.ndarray)
    _, rest = np.divmod(x, 2)
    assert_type(rest, np.ndarray)
    x[0] = -1
    x += np.eye(2, 3, dtype=x.dtype)
    np.add(x, 1, out=x)
    rng = np.random.default_rng(0)
    np.allclose(rng.normal(size=(2, 3)), x)
    if (x == 1).any():
        assert_type(float(x[0, 0]), float)
    for row in x:
        assert_type(np.sort(row)[::-1], np.ndarray)


def in_jax() -> None:
    key = jax.random.key(0)
    first, _ = jax.random.split(key)
    x = jax.random.normal(first, (4, 3), dtype=jnp.float32)
    assert_type(x, jax.Array)
    assert_type(jnp.where(x > 0, x, 0.0).at[0].set(1.0), jax.Array)
    assert_type(jnp.einsum("ij,ij->i", x, x), jax.Array)
    assert_type(lax.rsqrt(jnp.abs(x) + 1e-6).sum(axis=-1, keepdims=True), jax.Array)
    assert_type(jax.nn.softmax(x, axis=-1), jax.Array)
    assert_type(jnp.linalg.norm(x), jax.Array)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.astype(jnp.int32).ndim, int)

    @jax.jit
    def loss(w: jax.Array, scale: float = 1.0) -> jax.Array:
        return jnp.mean((x @ w) ** 2) * scale

    assert_type(loss(jnp.ones(3)), jax.Array)


def in_tensorflow() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    assert_type(x, tf.Tensor)
    assert_type(tf.reduce_sum(tf.matmul(x, x, transpose_b=True), axis=-1), tf.Tensor)
    assert_type(tf.reshape(tf.nn.relu(x - 2.5), [-1, 1]), tf.Tensor)
    assert_type(tf.concat([x, tf.zeros_like(x)], axis=0)[1:], tf.Tensor)
    assert_type(tf.cast(x, tf.int32), tf.Tensor)
    assert_type(tf.linalg.inv(x) @ x, tf.Tensor)
    assert_type(x.shape, tf.TensorShape)
    assert_type(x.dtype, tf.DType)
    weight = tf.Variable(tf.ones((2, 1)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ weight))
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    assert_type(float(loss), float)
