"""Switch the promotion rules of tensors and their NumPy methods, for the process."""

from __future__ import annotations

from .behaviour import RULES, State
from .experimental.calls import numpy_dialect
from .tensor import dialect, operate_by

__all__ = ["disable", "enable"]


def enable(prefer_float32: bool, dtype_conversion_mode: str | None) -> None:
    """Switch: see `tf.experimental.numpy.experimental_enable_numpy_behavior`."""
    mode = "legacy" if dtype_conversion_mode is None else str(dtype_conversion_mode)
    if mode not in RULES:
        raise ValueError(f"dtype_conversion_mode is one of {', '.join(RULES)}; got {dtype_conversion_mode!r}")
    _set(mode, methods=True, float32=prefer_float32 or mode in ("safe", "all"))


def disable() -> None:
    """Go back to a process that has not switched, which TensorFlow itself cannot do."""
    _set("off", methods=False, float32=False)


def _set(mode: str, *, methods: bool, float32: bool) -> None:
    State.mode, State.methods, State.float32 = mode, methods, float32
    dialect.changed()
    numpy_dialect.changed()
    operate_by(numpy_dialect if mode == "legacy" else dialect)
