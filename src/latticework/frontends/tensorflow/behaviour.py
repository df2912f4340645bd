"""What a program switches for the process: the promotion rules of tensors, and whether they have NumPy's methods."""

from __future__ import annotations

from typing import Any

__all__ = [
    "METHODS", "enable", "equal_by_value", "method", "numpy_methods", "numpy_operators", "prefer_float32", "rules",
    "weak",
]  # fmt: skip

#: The methods and properties that tensors have after `experimental_enable_numpy_behavior`.
METHODS = frozenset("T astype clip data flatten max mean min ravel reshape size tolist transpose".split())

#: The rules of functions by mode. In the mode "legacy" operators alone have NumPy's.
_RULES = {"off": "tensorflow", "legacy": "tensorflow", "safe": "tensorflow-safe", "all": "tensorflow-all"}


class _State:
    mode = "off"
    methods = False
    float32 = False


def rules() -> str:
    """The name of the rule set of TensorFlow's functions."""
    return _RULES[_State.mode]


def weak() -> bool:
    """Whether tensors of Python's numbers are weak."""
    return _State.mode in ("safe", "all")


def numpy_operators() -> bool:
    """Whether operators promote by NumPy's rules."""
    return _State.mode == "legacy"


def numpy_methods() -> bool:
    """Whether tensors have NumPy's methods."""
    return _State.methods


def prefer_float32() -> bool:
    """Whether `tf.experimental.numpy` makes float32 and int32 of Python's numbers."""
    return _State.float32


def equal_by_value() -> bool:
    """Whether ``==`` compares the values of tensors, as it does in TensorFlow 2."""
    return True


def enable(prefer_float32: bool, dtype_conversion_mode: str | None) -> None:
    """Switch: see `tf.experimental.numpy.experimental_enable_numpy_behavior`."""
    mode = "legacy" if dtype_conversion_mode is None else str(dtype_conversion_mode)
    if mode not in _RULES:
        raise ValueError(f"dtype_conversion_mode is one of {', '.join(_RULES)}; got {dtype_conversion_mode!r}")
    _set(mode, methods=True, float32=prefer_float32 or mode in ("safe", "all"))


def disable() -> None:
    """Go back to a process that has not switched, which TensorFlow itself cannot do."""
    _set("off", methods=False, float32=False)


def _set(mode: str, *, methods: bool, float32: bool) -> None:
    from .experimental.calls import numpy_dialect
    from .tensor import dialect, operate_by

    _State.mode, _State.methods, _State.float32 = mode, methods, float32
    dialect.changed()
    numpy_dialect.changed()
    operate_by(numpy_dialect if mode == "legacy" else dialect)


def method(x: Any, name: str) -> Any:
    """A method or property of NumPy's of a tensor."""
    from .experimental import numpy as tnp

    if name in ("T", "data", "size"):
        return {"T": lambda: tnp.transpose(x), "data": lambda: x, "size": lambda: tnp.size(x)}[name]()
    if name == "astype":
        from .conversion import cast

        return lambda dtype, name=None: cast(x, dtype, name)
    if name == "reshape":
        return lambda *shape, **kw: tnp.reshape(x, shape[0] if len(shape) == 1 else shape, **kw)
    f = getattr(tnp, name)
    return lambda *args, **kw: f(x, *args, **kw)
