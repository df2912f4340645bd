"""A normalization with kept statistics, joined with the layer before it; and modules that are made quickly."""

from __future__ import annotations

from copy import deepcopy
from inspect import signature
from typing import Any

from ...core import ops
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format", "fuse_conv_bn_eval",
    "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights", "skip_init",
]  # fmt: skip


def _fused(layer: Any, bn: Any, *options: Any, join: Any) -> Any:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = deepcopy(layer)
    made.weight, made.bias = join(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *options
    )
    return made


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """Return a convolution that computes what a convolution and a batch normalization after it compute.

    Parameters
    ----------
    conv, bn: the modules; neither is being trained.
    transpose: whether the convolution is transposed.

    Raises
    ------
    AssertionError: one of them is being trained, or the normalization keeps no statistics.
    """
    return _fused(conv, bn, transpose, join=fuse_conv_bn_weights)


def fuse_linear_bn_eval(linear, bn):
    """Return a linear layer that computes what a linear layer and a batch normalization after it compute.

    Raises
    ------
    AssertionError: one of them is being trained, the normalization keeps no statistics, or has other features.
    """
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    return _fused(linear, bn, join=fuse_linear_bn_weights)


def _joined(w: Any, b: Any, mean: Any, var: Any, eps: float, bn_w: Any, bn_b: Any, shape: Any) -> Any:
    b = ops.zeros_like(mean) if b is None else b
    scale = (var + eps).rsqrt() if bn_w is None else bn_w * (var + eps).rsqrt()
    bias = (b - mean) * scale
    bias = bias if bn_b is None else bias + bn_b
    weight = (w * scale.reshape(shape)).to(w.dtype)
    return Parameter(weight, w.requires_grad), Parameter(bias.to(b.dtype), b.requires_grad)


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Return the weight and the bias of a convolution joined with a batch normalization after it."""
    shape = [1, -1] if transpose else [-1, 1]
    return _joined(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape + [1] * (conv_w.dim() - 2))


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Return the weight and the bias of a linear layer joined with a batch normalization after it."""
    return _joined(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def skip_init(module_cls, *args, **kwargs):
    """Return a module whose parameters may have any values: here they have those that the class gives them.

    Raises
    ------
    RuntimeError: it is no class of modules, or takes no `device`.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    return module_cls(*args, **kwargs)


def convert_conv2d_weight_memory_format(module, memory_format):
    """Return the module as it is: the backend decides how elements lie in memory."""
    return module


def convert_conv3d_weight_memory_format(module, memory_format):
    """Return the module as it is: the backend decides how elements lie in memory."""
    return module
