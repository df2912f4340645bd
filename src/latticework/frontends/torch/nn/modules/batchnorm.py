"""Layers that normalize by the statistics of a batch, and keep running ones."""

from __future__ import annotations

from typing import Any, ClassVar

from ...creation import ones, tensor, zeros
from ...dtypes import int64
from .. import functional as F
from .. import init
from .layer import Lazy, hold
from .module import Module

# fmt: off
__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
    "SyncBatchNorm",
]
# fmt: on


class _NormBase(Module):
    """What normalizations by channels hold: a weight, a bias, and running statistics as buffers."""

    _version = 2
    __constants__: ClassVar[list[str]] = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    _dims: tuple[int, ...] = ()  # the numbers of dimensions that an input may have

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
        bias=True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape = (num_features,) if affine else None
        hold(self, device, dtype, weight=shape, bias=shape if bias else None)
        tracks = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if tracks else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if tracks else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if tracks else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1, and the number of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the running statistics, and set the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() not in self._dims:
            raise ValueError(f"expected {' or '.join([f'{n}D' for n in self._dims])} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *more: Any) -> None:
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = tensor(0, dtype=int64) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *more)


class _BatchNorm(_NormBase):
    """The base of normalizations by the statistics of a batch."""

    def forward(self, input: Any) -> Any:
        """Normalize each channel, by its mean and variance in the batch or, in evaluation, by the running ones.

        Raises
        ------
        ValueError: the input has another number of dimensions than the layer takes.
        """
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        count = self.num_batches_tracked
        if self.training and self.track_running_stats and count is not None:
            count += 1  # in place
            if self.momentum is None:
                momentum = 1.0 / float(count)
        kept = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if kept else (None, None)
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, of_batch, momentum, self.eps)


class _LazyNormBase(Lazy, _NormBase):
    """The base of normalizations that learn the number of channels from their first input."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ) -> None:
        super().__init__(0, eps, momentum, False, False, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        buffers = ("running_mean", "running_var") if track_running_stats else ()
        names = ["weight", *["bias"] * bool(bias)] if affine else []
        self._wait(device, dtype, *names, buffers=buffers)
        if track_running_stats:
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Reset the parameters and the statistics, where they are there already."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Make the parameters and the statistics for an input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            shape = (self.num_features,)
            self._make(weight=shape, bias=shape, running_mean=shape, running_var=shape)


class BatchNorm1d(_BatchNorm):
    """Normalize each channel by its mean and variance in the batch; in evaluation by the running ones.

    Parameters
    ----------
    num_features: the number of channels: the extent of the second axis.
    eps: what is added to the variance.
    momentum: the weight of a batch in the running statistics; None for the mean of all batches.
    affine: whether each channel of the result is multiplied by a weight, and a bias is added.
    track_running_stats: whether there are running statistics.
    bias: whether there is a bias.

    Attributes
    ----------
    running_mean, running_var, num_batches_tracked: the running statistics and the number of batches; buffers.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> layer = torch.nn.BatchNorm1d(1)
    >>> layer(torch.tensor([[0.0], [2.0]])).shape
    torch.Size([2, 1])
    >>> layer.running_mean
    tensor([0.1000])
    """

    _dims = (2, 3)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm1d` that learns the number of channels from its first input."""

    cls_to_become, _dims = BatchNorm1d, (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalize the channels of images by the statistics of a batch. See `BatchNorm1d`."""

    _dims = (4,)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm2d` that learns the number of channels from its first input."""

    cls_to_become, _dims = BatchNorm2d, (4,)


class BatchNorm3d(_BatchNorm):
    """Normalize the channels of volumes by the statistics of a batch. See `BatchNorm1d`."""

    _dims = (5,)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A `BatchNorm3d` that learns the number of channels from its first input."""

    cls_to_become, _dims = BatchNorm3d, (5,)


class SyncBatchNorm(_BatchNorm):
    """Normalize channels by the statistics of a batch, in inputs of any number of dimensions.

    There is one process, so nothing is synchronized: see `BatchNorm1d`.
    """

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
        device=None, dtype=None, *, bias=True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if not input.shape[1]:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Replace each `BatchNorm` in a module by a `SyncBatchNorm` with the same parameters and statistics."""
        made = module
        if isinstance(module, _BatchNorm):
            options = (module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats)
            made = cls(*options, process_group, bias=module.bias is not None)
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            made.running_mean, made.running_var = module.running_mean, module.running_var
            made.num_batches_tracked, made.training = module.num_batches_tracked, module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made
