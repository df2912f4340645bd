"""Activations on Dask: each is one layer of the graph."""

from __future__ import annotations

from .blocks import same

relu = same("nn.relu")
relu6 = same("nn.relu6")
leaky_relu = same("nn.leaky_relu")
elu = same("nn.elu")
selu = same("nn.selu")
celu = same("nn.celu")
gelu = same("nn.gelu")
silu = same("nn.silu")
mish = same("nn.mish")
sigmoid = same("nn.sigmoid")
log_sigmoid = same("nn.log_sigmoid")
hard_sigmoid = same("nn.hard_sigmoid")
hard_silu = same("nn.hard_silu")
hard_tanh = same("nn.hard_tanh")
hard_shrink = same("nn.hard_shrink")
soft_shrink = same("nn.soft_shrink")
softplus = same("nn.softplus")
softsign = same("nn.softsign")
squareplus = same("nn.squareplus")
tanh_shrink = same("nn.tanh_shrink")
