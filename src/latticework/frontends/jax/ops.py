"""`jax.ops`: sums and extrema of segments."""

from __future__ import annotations

from typing import Any

from .core import as_array, dialect, ops


def _segmented(name: str, data: Any, segment_ids: Any, num_segments: int | None, mode: Any) -> Any:
    data, ids = as_array(data, name), as_array(segment_ids, name)
    if data.dtype.kind == "b" and name in ("segment_sum", "segment_prod"):
        raise TypeError(f"{name} does not accept dtype bool. Cast it to an integer dtype")
    if data.shape[: ids.ndim] != ids.shape:
        raise ValueError(f"segment_ids of shape {ids.shape} do not fit data of shape {data.shape}")
    if num_segments is None:
        num_segments = int(ops.max(ids)) + 1 if ids.size else 0
    if num_segments < 0:
        raise ValueError("num_segments must be non-negative.")
    method, start = _STARTS[name]
    if start is None:
        start = _far(data._array.dtype, lowest=method == "max")
    out = ops.full((num_segments, *data.shape[ids.ndim :]), start, dtype=data._array.dtype)
    # A position below 0 is out of bounds here: it goes behind the end, where what does is dropped.
    places = ops.where(ids < 0, num_segments, ids)
    return getattr(out.at[places], method)(data, mode="drop" if mode is None else mode)


_STARTS: dict[str, tuple[str, Any]] = {
    "segment_sum": ("add", 0), "segment_prod": ("multiply", 1), "segment_max": ("max", None),
    "segment_min": ("min", None),
}  # fmt: skip


def _far(dtype: Any, *, lowest: bool) -> Any:
    if dtype.kind == "f":
        return float("-inf") if lowest else float("inf")
    if dtype.kind == "b":
        return not lowest
    import latticework as lw

    info = lw.iinfo(dtype)
    return int(info.min if lowest else info.max)


def segment_sum(
    data: Any, segment_ids: Any, num_segments: int | None = None, indices_are_sorted: bool = False,
    unique_indices: bool = False, bucket_size: int | None = None, mode: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    return _segmented("segment_sum", data, segment_ids, num_segments, mode)


def segment_prod(
    data: Any, segment_ids: Any, num_segments: int | None = None, indices_are_sorted: bool = False,
    unique_indices: bool = False, bucket_size: int | None = None, mode: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    return _segmented("segment_prod", data, segment_ids, num_segments, mode)


def segment_max(
    data: Any, segment_ids: Any, num_segments: int | None = None, indices_are_sorted: bool = False,
    unique_indices: bool = False, bucket_size: int | None = None, mode: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    return _segmented("segment_max", data, segment_ids, num_segments, mode)


def segment_min(
    data: Any, segment_ids: Any, num_segments: int | None = None, indices_are_sorted: bool = False,
    unique_indices: bool = False, bucket_size: int | None = None, mode: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    return _segmented("segment_min", data, segment_ids, num_segments, mode)


dialect.finish(globals(), view="jax.ops")
