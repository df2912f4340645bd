"""Losses on JAX, each as one program."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import numpy as np

from ....engine.indexing import check_bounds
from ..compiled import compiled


def _with_targets_in_bounds(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of numbers of categories, checked where they have values: in a program of JAX, those out of bounds would
    give nan."""

    @wraps(loss)
    def checked(x: Any, target: Any, *, axis: int | None = None, ignore_index: int = -100, **options: Any) -> Any:
        numbers = target.dtype.kind in "iu" and target.ndim == x.ndim - 1
        if numbers and target.size and not isinstance(target, jax.core.Tracer):
            found = np.asarray(target)
            place = min(1, x.ndim - 1) if axis is None else axis
            if -x.ndim <= place < x.ndim:
                counted = found[found != ignore_index]
                check_bounds((int(counted.min()), int(counted.max())) if counted.size else None, x.shape[place], place)
        return loss(x, target, axis=axis, ignore_index=ignore_index, **options)

    return checked


binary_cross_entropy = compiled("nn.binary_cross_entropy")
binary_cross_entropy_with_logits = compiled("nn.binary_cross_entropy_with_logits")
cosine_embedding_loss = compiled("nn.cosine_embedding_loss")
cosine_similarity = compiled("nn.cosine_similarity")
cross_entropy = _with_targets_in_bounds(compiled("nn.cross_entropy"))
gaussian_nll_loss = compiled("nn.gaussian_nll_loss")
hinge_embedding_loss = compiled("nn.hinge_embedding_loss")
huber_loss = compiled("nn.huber_loss")
kl_div = compiled("nn.kl_div")
l1_loss = compiled("nn.l1_loss")
margin_ranking_loss = compiled("nn.margin_ranking_loss")
mse_loss = compiled("nn.mse_loss")
nll_loss = _with_targets_in_bounds(compiled("nn.nll_loss"))
pairwise_distance = compiled("nn.pairwise_distance")
poisson_nll_loss = compiled("nn.poisson_nll_loss")
smooth_l1_loss = compiled("nn.smooth_l1_loss")
triplet_margin_loss = compiled("nn.triplet_margin_loss")
