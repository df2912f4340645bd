"""A program's switches for the process: the promotion rules of tensors, and whether they have NumPy's methods."""

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


#: The function that returns a NumPy method or property of a tensor, under "of". `experimental.methods` sets it.
METHOD: dict[str, Callable[..., Any]] = {}


#: The function that returns `assign` of a tensor read from a variable by a key, under "of". `variables` sets it.
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
    """Return whether tensors made of Python numbers are weak."""
    return State.mode in ("safe", "all")


def numpy_operators() -> bool:
    """Return whether operators promote by NumPy's rules."""
    return State.mode == "legacy"


def numpy_methods() -> bool:
    """Return whether tensors have NumPy's methods."""
    return State.methods


def prefer_float32() -> bool:
    """Return whether `tf.experimental.numpy` converts Python numbers to float32 and int32."""
    return State.float32
