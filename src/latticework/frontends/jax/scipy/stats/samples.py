"""`jax.scipy.stats`: ranks, modes and standard errors of samples."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import numpy as jnp
from ...core import as_array, dialect

__all__ = ["ModeResult"]


class ModeResult(NamedTuple):
    """The most frequent values, and how often each is there."""

    mode: Any
    count: Any


def _only_propagates(nan_policy: str, what: str) -> None:
    if nan_policy == "omit":
        raise NotImplementedError(f"Logic for `nan_policy` of {nan_policy} is not implemented")
    if nan_policy != "propagate":
        raise ValueError(f"Illegal nan_policy value {nan_policy!r}; expected one of {{'propagate', 'omit', 'raise'}}")


def mode(a: Any, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False) -> Any:
    x = as_array(a, "mode")
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError(f"Illegal nan_policy value {nan_policy!r}; expected one of {{'propagate', 'omit', 'raise'}}")
    if nan_policy == "omit":
        raise NotImplementedError(f"Logic for `nan_policy` of {nan_policy} is not implemented")
    if nan_policy == "raise":
        raise NotImplementedError("In order to best JIT compile `mode`, we cannot know whether `x` contains nans.")
    shape = x.shape
    x = x.reshape(-1) if axis is None else jnp.moveaxis(x, axis, 0)
    rest = x.shape[1:]
    if not x.size:
        return ModeResult(jnp.full(rest, jnp.nan), jnp.zeros(rest, dtype=int))
    rows = jnp.sort(x, axis=0)
    same = rows[:, None] == rows[None]
    counts = jnp.sum(same, axis=1)
    best = jnp.argmax(counts, axis=0)
    found = jnp.take_along_axis(rows, best[None], axis=0)[0]
    count = jnp.max(counts, axis=0)
    if keepdims:
        kept = (
            (1,) * len(shape)
            if axis is None
            else tuple(1 if i == axis % len(shape) else n for i, n in enumerate(shape))
        )
        found, count = found.reshape(kept), count.reshape(kept)
    return ModeResult(found, count)


def rankdata(a: Any, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate") -> Any:
    _only_propagates(nan_policy, "rankdata")
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f"unknown method '{method}'")
    x = as_array(a, "rankdata")
    if axis is None:
        return _ranked(x.reshape(-1), method).astype(float)
    rows = jnp.moveaxis(x, axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    ranks = jnp.stack([_ranked(row, method) for row in flat]) if flat.shape[0] else jnp.zeros(flat.shape)
    return jnp.moveaxis(ranks.reshape(rows.shape), -1, axis).astype(float)


def _ranked(x: Any, method: str) -> Any:
    order = jnp.argsort(x)
    inverse = jnp.argsort(order)
    if method == "ordinal":
        return inverse + 1
    rows = x[order]
    first = jnp.concatenate([jnp.asarray([True]), rows[1:] != rows[:-1]]) if x.size else jnp.zeros(0, dtype=bool)
    dense = jnp.cumsum(first)[inverse]
    if method == "dense":
        return dense
    starts = jnp.append(jnp.nonzero(first)[0], x.size)
    if method == "max":
        return starts[dense]
    if method == "min":
        return starts[dense - 1] + 1
    return 0.5 * (starts[dense] + starts[dense - 1] + 1)


def sem(a: Any, axis: int | None = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False) -> Any:
    x = as_array(a, "sem")
    if nan_policy not in ("propagate", "omit"):
        raise ValueError(f"Illegal nan_policy value {nan_policy!r}; expected one of {{'propagate', 'omit'}}")
    if nan_policy == "omit":
        count = jnp.sum(~jnp.isnan(x), axis=axis, keepdims=keepdims)
        return jnp.nanstd(x, axis, ddof=ddof, keepdims=keepdims) / jnp.sqrt(count)
    count = x.size if axis is None else x.shape[axis]
    spread = jnp.std(
        x.astype(jnp.result_type(x.dtype, float) if x.dtype.kind not in "fcV" else x.dtype),
        axis,
        ddof=ddof,
        keepdims=keepdims,
    )
    return spread / jnp.sqrt(jnp.asarray(count).astype(spread.dtype))


dialect.finish(globals(), view="jax.scipy.stats")
