"""Losses of labels."""

from __future__ import annotations

from typing import Any

import latticework as lw

from ..core.dtypes import int64
from .table import Call, reads

__all__: list[str] = []


@reads("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def _loss(c: Call, x: Any, target: Any, weight: Any = None) -> Any:
    """The loss of logits, or of logarithms of probabilities; the second output has these."""
    logs = lw.nn.log_softmax(x, axis=1) if c.kind == "SoftmaxCrossEntropyLoss" else x
    ignored, reduction = c.get("ignore_index"), c.get("reduction", "mean")
    kept = None if ignored is None else target != ignored
    places = lw.astype(target if kept is None else lw.where(kept, target, 0), int64)
    picked = -lw.squeeze(lw.take_along_axis(logs, lw.expand_dims(places, axis=1), axis=1), axis=1)
    weights = lw.ones_like(picked) if weight is None else lw.take(weight, places, axis=0)
    if kept is not None:
        weights = lw.where(kept, weights, 0)
    found = picked * weights
    if reduction == "sum":
        found = lw.sum(found)
    elif reduction == "mean":
        found = lw.sum(found) / lw.sum(weights)
    return (found, logs) if len(c.wanted) > 1 else found
