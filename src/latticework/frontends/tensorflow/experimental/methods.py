"""The methods and properties of NumPy's that tensors have once a program asked for its behaviour."""

from __future__ import annotations

from typing import Any

from .. import behaviour
from ..conversion import cast
from . import numpy as tnp

__all__ = ["method"]


def method(x: Any, name: str) -> Any:
    """A method or property of NumPy's of a tensor."""
    if name in ("T", "data", "size"):
        return {"T": lambda: tnp.transpose(x), "data": lambda: x, "size": lambda: tnp.size(x)}[name]()
    if name == "astype":
        return lambda dtype, name=None: cast(x, dtype, name)
    if name == "reshape":
        return lambda *shape, **kw: tnp.reshape(x, shape[0] if len(shape) == 1 else shape, **kw)
    f = getattr(tnp, name)
    return lambda *args, **kw: f(x, *args, **kw)


behaviour.METHOD["of"] = method
