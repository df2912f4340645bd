"""TensorFlow's kernels as functions of positional arguments.

`tf.raw_ops` wraps them, so that each takes arguments by name only: the wrapper takes a twentieth of the time of a call
of few elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorflow import raw_ops


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_"):
        raise AttributeError(name)
    kernel: Callable[..., Any] = getattr(raw_ops, name).__wrapped__
    globals()[name] = kernel  # so that it is found at once from then on
    return kernel
