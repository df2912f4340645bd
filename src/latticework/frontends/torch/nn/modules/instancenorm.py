"""Layers that normalize each channel of each sample."""

from __future__ import annotations

import warnings
from typing import Any

from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase

# fmt: off
__all__ = [
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]
# fmt: on


class _InstanceNorm(_NormBase):
    """The base of normalizations of each channel of each sample."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None,
        *, bias=True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: Any, missing: Any, unexpected: Any, errors: Any
    ) -> None:
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            found = [name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if found:
                errors.append(
                    f"Unexpected running stats buffer(s) {' and '.join(found)} for {type(self).__name__} with "
                    "track_running_stats=False. Remove these keys, or make the layer with track_running_stats=True"
                )
                for name in found:
                    state_dict.pop(prefix + name)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing, unexpected, errors)

    def forward(self, input: Any) -> Any:
        """Normalize each channel of each sample, by its own mean and variance or, in evaluation, by running ones.

        Raises
        ------
        ValueError: the input has another number of dimensions than the layer takes, or of channels.
        """
        self._check_input_dim(input)
        alone = input.dim() == self._dims[0]
        channels = input.shape[not alone]
        if channels != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={int(not alone)} to match num_features ({self.num_features}), but "
                    f"got: {channels}."
                )
            warnings.warn(
                f"input's size at dim={int(not alone)} does not match num_features, which are not used as affine=False",
                stacklevel=2,
            )
        found = F.instance_norm(
            input.unsqueeze(0) if alone else input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return found.squeeze(0) if alone else found


class InstanceNorm1d(_InstanceNorm):
    """Normalize each channel of each sequence by its own mean and variance.

    Parameters
    ----------
    num_features: the number of channels: the first axis of a sample.
    eps: what is added to the variance.
    momentum: the weight of a batch in the running statistics.
    affine: whether each channel of the result is multiplied by a weight, and a bias is added.
    track_running_stats: whether there are running statistics, which evaluation takes.
    bias: whether there is a bias.
    """

    _dims = (2, 3)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm1d` that learns the number of channels from its first input."""

    cls_to_become, _dims = InstanceNorm1d, (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalize each channel of each image by its own mean and variance. See `InstanceNorm1d`."""

    _dims = (3, 4)


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm2d` that learns the number of channels from its first input."""

    cls_to_become, _dims = InstanceNorm2d, (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalize each channel of each volume by its own mean and variance. See `InstanceNorm1d`."""

    _dims = (4, 5)


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An `InstanceNorm3d` that learns the number of channels from its first input."""

    cls_to_become, _dims = InstanceNorm3d, (4, 5)
