"""What a program switches for the process: the promotion rules of tensors, and whether they have NumPy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "METHOD",
    "METHODS",
    "State",
    "numpy_methods",
    "numpy_operators",
    "prefer_float32",
    "rules",
    "weak",
]

#: The methods and properties that tensors have after `experimental_enable_numpy_behavior`.
METHODS = frozenset("T astype clip data flatten max mean min ravel reshape size tolist transpose".split())

#: The rules of functions by mode. In the mode "legacy" operators alone have NumPy's.
RULES = {"off": "tensorflow", "legacy": "tensorflow", "safe": "tensorflow-safe", "all": "tensorflow-all"}


#: What gives a NumPy method or property of a tensor, under "of". `experimental.methods`, which stands above, sets it.
METHOD: dict[str, Callable[..., Any]] = {}


#: What makes `assign` of a tensor that was read from a variable by a key, under "of". `variables`, which stands above,
#: sets it.
ASSIGN: dict[str, Callable[..., Any]] = {}


class State:
    """The mode of the process, whether tensors have NumPy's methods, and `prefer_float32`."""

    mode = "off"
    methods = False
    float32 = False


def rules() -> str:
    """The name of the rule set of TensorFlow's functions."""
    return RULES[State.mode]


def weak() -> bool:
    """Whether tensors of Python's numbers are weak."""
    return State.mode in ("safe", "all")


def numpy_operators() -> bool:
    """Whether operators promote by NumPy's rules."""
    return State.mode == "legacy"


def numpy_methods() -> bool:
    """Whether tensors have NumPy's methods."""
    return State.methods


def prefer_float32() -> bool:
    """Whether `tf.experimental.numpy` makes float32 and int32 of Python's numbers."""
    return State.float32
