"""Layers that compute each element by itself, or along one axis: activations. And attention."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from .. import functional as F
from .. import init
from .layer import Layer, hold
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

# fmt: off
__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]
# fmt: on


class Threshold(Layer, options="threshold, value, inplace=False", call=F.threshold):
    """Replace the elements that are not above a threshold by a value."""


class ReLU(Layer, options="inplace=False", call=F.relu):
    """Replace negative elements by zero.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """


class RReLU(Layer, options="lower=1.0 / 8, upper=1.0 / 3, inplace=False", call=F.rrelu):
    """Multiply negative elements by random slopes in training, and by the mean of the limits in evaluation."""


class Hardtanh(
    Layer,
    options="min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None",
    call=F.hardtanh,
    shows="min_val={min_val}, max_val={max_val}",
):
    """Clip each element to limits."""

    __constants__: ClassVar[list[str]] = ["min_val", "max_val", "inplace"]

    def _set(self, min_val: Any, max_val: Any, inplace: Any, min_value: Any, max_value: Any) -> None:
        for old, new in ((min_value, "min_val"), (max_value, "max_val")):
            if old is not None:
                warnings.warn(f"the argument {new}ue is deprecated; give {new}", FutureWarning, stacklevel=4)
        min_val = min_val if min_value is None else min_value
        max_val = max_val if max_value is None else max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        super()._set(min_val=min_val, max_val=max_val, inplace=inplace)


class ReLU6(Hardtanh):
    """Clip each element to 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its input."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Layer, call=F.sigmoid):
    """Compute the logistic function of each element."""


class Hardsigmoid(Layer, options="inplace=False", call=F.hardsigmoid, shows=""):
    """Compute the logistic function as a line between 0 and 1."""


class Tanh(Layer, call=F.tanh):
    """Compute the hyperbolic tangent of each element."""


class SiLU(Layer, options="inplace=False", call=F.silu):
    """Multiply each element by its logistic function."""


class Mish(Layer, options="inplace=False", call=F.mish):
    """Multiply each element by the hyperbolic tangent of its softplus."""


class Hardswish(Layer, options="inplace=False", call=F.hardswish, shows=""):
    """Multiply each element by its logistic function, computed as a line."""


class ELU(Layer, options="alpha=1.0, inplace=False", call=F.elu):
    """Compute ``alpha * (exp(x) - 1)`` of negative elements."""


class CELU(Layer, options="alpha=1.0, inplace=False", call=F.celu):
    """Compute ``alpha * (exp(x / alpha) - 1)`` of negative elements."""


class SELU(Layer, options="inplace=False", call=F.selu):
    """Compute an ELU scaled so that the mean and the variance of random elements stay 0 and 1."""


class GLU(Layer, options="dim=-1", call=F.glu):
    """Multiply the first half of an axis by the logistic function of the second half."""


class GELU(Layer, options="approximate='none'", call=F.gelu, shows="approximate={approximate!r}"):
    """Multiply each element by the normal distribution function of it."""


class Hardshrink(Layer, options="lambd=0.5", call=F.hardshrink, shows="{lambd}"):
    """Replace the elements between -lambd and lambd by zero."""


class LeakyReLU(Layer, options="negative_slope=0.01, inplace=False", call=F.leaky_relu):
    """Multiply negative elements by a small slope."""


class LogSigmoid(Layer, call=F.logsigmoid):
    """Compute the logarithm of the logistic function of each element."""


class Softplus(Layer, options="beta=1.0, threshold=20.0", call=F.softplus):
    """Compute ``log(1 + exp(beta * x)) / beta`` of each element; above the threshold it is the element itself."""


class Softshrink(Layer, options="lambd=0.5", call=F.softshrink, shows="{lambd}"):
    """Move each element towards zero by lambd."""


class PReLU(Module):
    """Multiply negative elements by a parameter: one for all, or one for each channel.

    Parameters
    ----------
    num_parameters: 1, or the number of channels, which are the second axis.
    init: the first value of the parameter.
    """

    __constants__: ClassVar[list[str]] = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        hold(self, device, dtype, weight=(num_parameters,))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the parameter to its first value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.prelu` with the weight."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of parameters."""
        return f"num_parameters={self.num_parameters}"


class Softsign(Layer, call=F.softsign):
    """Divide each element by its magnitude plus one."""


class Tanhshrink(Layer, call=F.tanhshrink):
    """Subtract from each element its hyperbolic tangent."""


class Softmin(Layer, options="dim=None", call=F.softmin):
    """Compute the softmax of the negative elements along an axis."""


class Softmax(Layer, options="dim=None", call=F.softmax):
    """Scale exponentials along an axis to a sum of one."""


class LogSoftmax(Layer, options="dim=None", call=F.log_softmax):
    """Compute the logarithm of a softmax along an axis."""


class Softmax2d(Module):
    """Compute a softmax over the channels of an image, for each of its points."""

    def forward(self, input: Any) -> Any:
        """Compute the softmax of an input of 3 or 4 dimensions, by its third axis from the end.

        Raises
        ------
        ValueError: it has another number of dimensions.
        """
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class MultiheadAttention(Module):
    """Attend with several heads: project queries, keys and values, weight the values of each head, and join them.

    Parameters
    ----------
    embed_dim: the size of queries and of results.
    num_heads: the number of heads, which divides the size.
    dropout: the probability that a weight is dropped in training.
    bias: whether projections have a bias.
    add_bias_kv, add_zero_attn: whether a learnt key and value, or one of zeros, are appended to those given.
    kdim, vdim: the sizes of keys and values, where they are not the size of queries.
    batch_first: whether the first axis is the batch; it is the second one by default.
    """

    __constants__: ClassVar[list[str]] = ["batch_first"]

    def __init__(
        self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
        vdim=None, batch_first=False, device=None, dtype=None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got {embed_dim} and {num_heads}")
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim == self.vdim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        joint = self._qkv_same_embed_dim
        shapes = {f"{x}_proj_weight": None if joint else (embed_dim, n) for x, n in self._sizes().items()}
        hold(self, device, dtype, **shapes, in_proj_weight=(3 * embed_dim, embed_dim) if joint else None)
        hold(self, device, dtype, in_proj_bias=(3 * embed_dim,) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k: Any = None
        self.bias_v: Any = None
        if add_bias_kv:
            del self.bias_k, self.bias_v
            hold(self, device, dtype, bias_k=(1, 1, embed_dim), bias_v=(1, 1, embed_dim))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _sizes(self) -> dict[str, int]:
        return {"q": self.embed_dim, "k": self.kdim, "v": self.vdim}

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for appended in (self.bias_k, self.bias_v):
            if appended is not None:
                init.xavier_normal_(appended)

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
        is_causal=False,
    ) -> Any:  # fmt: skip
        """Attend to the values.

        Parameters
        ----------
        query, key, value: tensors of shape (length, batch, size), or (batch, length, size) with `batch_first`; or
            (length, size) without a batch.
        key_padding_mask: (batch, length): True for the keys that are left out, or what is added to their scores.
        need_weights: whether the weights are returned.
        attn_mask: (L, S) or (batch * heads, L, S): True where a query does not see a key, or what is added to scores.
        average_attn_weights: whether weights are those of each head, or their mean.
        is_causal: whether `attn_mask` is the one of causal attention.

        Returns
        -------
        The result, in the shape of the query, and the weights, or None.
        """
        swaps = self.batch_first and query.dim() == 3
        if swaps:
            query, key, value = (x.transpose(1, 0) for x in (query, key, value))
        found, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return found.transpose(1, 0) if swaps else found, weights
