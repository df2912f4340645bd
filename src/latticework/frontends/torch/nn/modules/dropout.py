"""Layers that drop elements or channels at random, in training alone."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from .layer import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Layer, options="p=0.5, inplace=False", shows="p={p}, inplace={inplace}"):
    def _set(self, p: Any, inplace: Any) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        super()._set(p=p, inplace=inplace)


class Dropout(_DropoutNd, call=F.dropout):
    """Set elements to zero at random in training, and scale the others so that the mean is kept.

    Parameters
    ----------
    p: the probability that an element is dropped.
    inplace: whether the input is written to.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.Dropout().eval()(torch.ones(2))
    tensor([1., 1.])
    """


class Dropout1d(_DropoutNd, call=F.dropout1d):
    """Set whole channels of sequences to zero at random in training. See `Dropout`."""


class Dropout2d(_DropoutNd, call=F.dropout2d):
    """Set whole channels of images to zero at random in training. See `Dropout`."""


class Dropout3d(_DropoutNd, call=F.dropout3d):
    """Set whole channels of volumes to zero at random in training. See `Dropout`."""


class AlphaDropout(_DropoutNd):
    """Set elements to the limit of `SELU` at random in training; the mean and the variance are kept."""

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.alpha_dropout`."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Set whole channels to the limit of `SELU` at random in training; the mean and the variance are kept."""

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.feature_alpha_dropout`."""
        return F.feature_alpha_dropout(input, self.p, self.training)
