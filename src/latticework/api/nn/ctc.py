"""Connectionist temporal classification: the likelihood of a sequence of labels without known places in time."""

from __future__ import annotations

from typing import Any

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Shape, check_word, may_equal
from .. import elementwise as _e
from ..conversion import astype
from ..searching import where
from .losses import Reduction, reduced
from .normalization import as_before, wide

__all__ = ["ctc_loss"]

#: In place of the logarithm of 0, for which derivatives are nan: its exponential is 0, and sums of it are finite.
NOTHING = -1e30


def _ctc_shape(
    log_probs: Shape,
    targets: Shape,
    input_lengths: Shape,
    target_lengths: Shape,
    *,
    reduction: Any = "mean",
    **_: Any,
) -> Shape:
    check_word(("mean", "sum", "none"), "reduction", reduction)
    if len(log_probs) != 3 or len(targets) != 2:
        raise ValueError(f"takes log_probs of shape (T, N, C) and targets of (N, S); got {log_probs} and {targets}")
    n = log_probs[1]
    for name, shape in (("targets", targets), ("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(shape) != (2 if name == "targets" else 1) or not may_equal(shape[0], n):
            raise ValueError(f"{name} must have an element along its first axis for each of {n} sequences; got {shape}")
    if log_probs[0] == 0:
        raise ValueError(f"log_probs must have at least one step; got shape {log_probs}")
    return (n,) if reduction == "none" else ()


@op("real floating", targets="index", input_lengths="index", target_lengths="index", shape=_ctc_shape)
def ctc_loss(
    log_probs: Array,
    /,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: Reduction = "mean",
) -> Array:
    """Compute the negative logarithm of the likelihood of labels, summed over all the ways to place them in time.

    Parameters
    ----------
    log_probs: shape (T, N, C), logarithms of the probabilities of C labels at T steps, as of `log_softmax`. A real
        floating dtype; integers are taken as the default float.
    targets: shape (N, S), the labels of N sequences, of an integer dtype. What is beyond their lengths is ignored.
    input_lengths: shape (N,), how many steps each sequence has, at most T.
    target_lengths: shape (N,), how many labels each sequence has, at most S.
    blank: the label that stands for none.
    zero_infinity: whether a loss is 0, and not inf, where the labels do not fit into the steps.
    reduction: ``"mean"``, ``"sum"`` or ``"none"``. For the mean each loss is divided by the number of its labels first.

    Returns
    -------
    No axes, or shape (N,) for ``reduction="none"``; the dtype of log_probs.

    Raises
    ------
    ValueError: the shapes do not fit together, or there is no such reduction.

    Notes
    -----
    The forward recursion of Graves and others 2006, in logarithms. PyTorch's derivative by log_probs is that by the
    scores before `log_softmax`; after the chain rule through `log_softmax` it is the same everywhere.

    Examples
    --------
    >>> import latticework as lw
    >>> log_probs = lw.log(lw.full((2, 1, 2), 0.5))
    >>> lw.nn.ctc_loss(log_probs, lw.asarray([[1]]), lw.asarray([2]), lw.asarray([1]))  # 3 ways of 4
    Array(0.2876821, dtype=float32)
    """
    shapes = [x.shape for x in (log_probs, targets, input_lengths, target_lengths)]
    _ctc_shape(*shapes, reduction=reduction)
    n, count = targets.shape
    y = wide(log_probs)
    blanks = lw.full((n, count), blank, dtype=targets.dtype, device=targets.device)
    labels = lw.concat([lw.reshape(lw.stack([blanks, targets], axis=2), (n, 2 * count)), blanks[:, :1]], axis=1)
    labels = labels if count else lw.full((n, 1), blank, dtype=targets.dtype, device=targets.device)
    inside = _e.less(lw.arange(2 * count + 1, device=targets.device), lw.expand_dims(2 * target_lengths + 1, axis=1))
    labels = where(inside, labels, blank)
    emitted = lw.take_along_axis(y, lw.expand_dims(labels, axis=0), axis=2)
    emitted = _e.maximum(emitted, NOTHING)
    before = _shifted(labels, 2, -1)
    skips = _e.logical_and(_e.not_equal(labels, blank), _e.not_equal(labels, before))
    ways = _forward(emitted, skips, input_lengths)
    ends = lw.expand_dims(2 * target_lengths, axis=1)
    last = lw.take_along_axis(ways, ends, axis=1)[:, 0]
    other = lw.take_along_axis(ways, _e.maximum(_e.subtract(ends, 1), 0), axis=1)[:, 0]
    loss = _e.negative(_e.logaddexp(last, where(_e.greater(target_lengths, 0), other, NOTHING)))
    loss = where(_e.greater(loss, -NOTHING / 10), 0.0 if zero_infinity else lw.inf, loss)
    if reduction == "mean":
        loss = _e.divide(loss, astype(_e.maximum(target_lengths, 1), loss.dtype))
    return as_before(reduced(loss, reduction), log_probs)


def _shifted(x: Array, by: int, value: float) -> Array:
    """The elements of rows moved to the right, with a value before them."""
    width = min(by, x.shape[1])
    before = lw.full((x.shape[0], width), value, dtype=x.dtype, device=x.device)
    return lw.concat([before, x[:, : x.shape[1] - width]], axis=1)


def _forward_shape(emitted: Shape, skips: Shape, lengths: Shape, **_: Any) -> Shape:
    if len(emitted) != 3 or not emitted[0] or len(skips) != 2 or len(lengths) != 1:
        raise ValueError(f"takes shapes (T, N, L), (N, L) and (N,); got {emitted}, {skips} and {lengths}")
    if not all(map(may_equal, emitted[1:], skips)) or not may_equal(emitted[1], lengths[0]):
        raise ValueError(f"the shapes {emitted}, {skips} and {lengths} do not fit together")
    return emitted[1:]


@op("real floating", skips="own", lengths="own", shape=_forward_shape)
def _forward(emitted: Array, skips: Array, lengths: Array, /) -> Array:
    """The logarithms of the likelihoods of all ways to each place in the labels, after the last step of each sequence.

    emitted: (T, N, L), what each place emits at each step. skips: (N, L), whether the place before may be left out.
    """
    _forward_shape(emitted.shape, skips.shape, lengths.shape)
    places = lw.arange(emitted.shape[2], device=emitted.device)
    ways = where(_e.less(places, 2), emitted[0], NOTHING)
    for t in range(1, emitted.shape[0]):
        further = _e.logaddexp(ways, _shifted(ways, 1, NOTHING))
        further = _e.logaddexp(further, where(skips, _shifted(ways, 2, NOTHING), NOTHING))
        further = _e.maximum(_e.add(further, emitted[t]), NOTHING)
        ways = where(lw.expand_dims(_e.less(t, lengths), axis=1), further, ways)
    return ways
