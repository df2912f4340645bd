"""Layers that compare two inputs."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .layer import Layer

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Layer, options="p=2.0, eps=1e-6, keepdim=False", shows=""):
    """Compute the norm of the difference of two inputs along the last axis.

    Parameters
    ----------
    p: which norm.
    eps: what is added to the difference.
    keepdim: whether the last axis is kept with extent 1.
    """

    __constants__: ClassVar[list[str]] = ["norm", "eps", "keepdim"]

    def _set(self, p: Any, **options: Any) -> None:
        super()._set(norm=p, **options)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Call `torch.nn.functional.pairwise_distance`."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Layer, options="dim=1, eps=1e-8", call=F.cosine_similarity, takes="x1, x2", shows=""):
    """Compute the cosine of the angle between two inputs along an axis.

    Parameters
    ----------
    dim: the axis.
    eps: the least product of norms that is divided by.
    """
