"""Transformers: layers of attention and of linear maps, and stacks of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

from ...creation import full
from ...shaping import triu
from .. import functional as F
from .. import init
from .activation import GELU, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


def _causal_mask(size: int, device: Any = None, dtype: Any = None) -> Any:
    """What is added to scores so that no query sees a later key."""
    return triu(full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _is_causal(mask: Any, is_causal: Any, x: Any, batch_first: bool) -> bool:
    """Whether a mask is the one of causal attention, where that is not told."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = x.shape[0] if x.dim() == 2 or not batch_first else x.shape[1]
    if tuple(mask.shape) != (size, size):
        return False
    causal = _causal_mask(size, mask.device, None if str(mask.dtype) == "torch.bool" else mask.dtype)
    return bool((mask == (causal != 0 if str(mask.dtype) == "torch.bool" else causal)).all())


def _activation(activation: Any) -> Callable[[Any], Any]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


_get_activation_fn = _activation  # PyTorch's name of it, which packages import


class _TransformerLayer(Module):
    """What layers of encoders and decoders share."""

    __constants__: ClassVar[list[str]] = ["norm_first"]
    _attentions: tuple[str, ...] = ()

    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
        batch_first=False, norm_first=False, bias=True, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        kw = {"bias": bias, "device": device, "dtype": dtype}
        parts = range(1, len(self._attentions) + 2)
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **kw))
        self.linear1 = Linear(d_model, dim_feedforward, **kw)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **kw)
        self.norm_first = norm_first
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, **kw))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _through(self, x: Any, *parts: Callable[[Any], Any]) -> Any:
        """Add the result of each part to its input, and normalize before or after."""
        for i, part in enumerate(parts, start=1):
            norm, drop = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))
        return x

    def _feed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_TransformerLayer):
    """Attend to the sequence itself, and put each element through two linear maps.

    Parameters
    ----------
    d_model, nhead: the size of the elements of a sequence, and the number of heads.
    dim_feedforward: the size between the two linear maps.
    dropout: the probability that a result is dropped in training.
    activation: ``"relu"``, ``"gelu"`` or a function, between the linear maps.
    layer_norm_eps: what is added to the variance.
    batch_first: whether the first axis is the batch; it is the second one by default.
    norm_first: whether the input of each part is normalized, rather than its result.
    bias: whether there are biases.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(torch.ones(5, 1, 8)).shape
    torch.Size([5, 1, 8])
    """

    _attentions = ("self_attn",)

    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
        batch_first=False, norm_first=False, bias=True, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype,
        )  # fmt: skip
        self.activation_relu_or_gelu = (
            1 if self.activation is F.relu or isinstance(self.activation, ReLU)
            else 2 if self.activation is F.gelu or isinstance(self.activation, GELU) else 0
        )  # fmt: skip

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """Run the layer over sequences; the masks are those of `MultiheadAttention`."""

        def attend(x: Any) -> Any:
            return self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False,
                is_causal=is_causal,
            )[0]  # fmt: skip

        return self._through(src, attend, self._feed)


class TransformerDecoderLayer(_TransformerLayer):
    """Attend to the sequence itself, then to another one, and put each element through two linear maps.

    The parameters are those of `TransformerEncoderLayer`.
    """

    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
        tgt_is_causal=False, memory_is_causal=False,
    ) -> Any:  # fmt: skip
        """Run the layer over sequences and the results of an encoder, `memory`, with masks for each of them."""

        def attend(x: Any) -> Any:
            return self.self_attn(
                x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, is_causal=tgt_is_causal,
                need_weights=False,
            )[0]  # fmt: skip

        def remember(x: Any) -> Any:
            return self.multihead_attn(
                x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask,
                is_causal=memory_is_causal, need_weights=False,
            )[0]  # fmt: skip

        return self._through(tgt, attend, remember, self._feed)


class TransformerEncoder(Module):
    """Run copies of a layer, one after the other.

    Parameters
    ----------
    encoder_layer: the layer, which is copied with its parameters.
    num_layers: how many copies.
    norm: a normalization of the result, or None.
    enable_nested_tensor, mask_check: how PyTorch saves time; nothing is changed by them here.
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True) -> None:
        super().__init__()
        self.layers = ModuleList([deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.use_nested_tensor, self.mask_check = enable_nested_tensor, False, mask_check

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Any:
        """Run the layers over sequences; the masks are those of `MultiheadAttention`."""
        causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Run copies of a layer, one after the other.

    Parameters
    ----------
    decoder_layer: the layer, which is copied with its parameters.
    num_layers: how many copies.
    norm: a normalization of the result, or None.
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(self, decoder_layer, num_layers, norm=None) -> None:
        super().__init__()
        self.layers = ModuleList([deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
        tgt_is_causal=None, memory_is_causal=False,
    ) -> Any:  # fmt: skip
        """Run the layers over sequences and the results of an encoder, `memory`, with masks for each of them."""
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to its results.

    Parameters
    ----------
    d_model, nhead: the size of the elements of a sequence, and the number of heads.
    num_encoder_layers, num_decoder_layers: how many layers each has.
    custom_encoder, custom_decoder: modules to take in their place.

    For all others see `TransformerEncoderLayer`.
    """

    def __init__(
        self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
        activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
        norm_first=False, bias=True, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            layer: Any = TransformerEncoderLayer(*options, device, dtype)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*options, device, dtype)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
        tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
        memory_is_causal=False,
    ) -> Any:  # fmt: skip
        """Run the encoder over `src`, and the decoder over `tgt` and its results.

        Raises
        ------
        RuntimeError: the two have other batches, or their elements another size than the model.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return what is added to scores so that no query sees a later key: zeros, and -inf above the diagonal."""
        return _causal_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
