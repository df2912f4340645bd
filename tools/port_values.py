"""Find the functions of frameworks that answer otherwise than ours of the same name: by calling both.

Each is called by position with one array and with two, on NumPy's backend. What either does not take says nothing.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from port_names import Name, our_function

import latticework as lw

#: What makes an array of a dialect of one of NumPy's.
_MAKE = {"numpy": ("numpy", "asarray"), "torch": ("torch", "from_numpy"), "jax": ("jax.numpy", "asarray")}
_MAKE["tensorflow"] = ("tensorflow", "constant")
_ONE = np.asarray([[0.5, 0.25], [0.125, 0.75]], dtype=np.float32)
_TWO = np.asarray([[0.25, 0.5], [0.5, 0.125]], dtype=np.float32)
#: What is not called: what has other values in each call, what sets a default of the process, what takes sorted rows.
_NOT_CALLED = ("random.", "empty", "nn.dropout", "set_", "searchsorted")


def answers_otherwise(framework: str, name: Name) -> bool:
    """Tell whether a function gives other values, or another form of them, than ours for the same arrays."""
    if name.ours.startswith(_NOT_CALLED):
        return False
    module, word = _MAKE[framework]
    make = getattr(importlib.import_module(f"latticework.frontends.{module}"), word)
    with warnings.catch_warnings(), lw.using(backend="numpy"):
        warnings.simplefilter("ignore")
        for arrays in ((_ONE,), (_ONE, _TWO)):
            try:
                ours = [*_values(our_function(name.ours)(*[lw.asarray(x.copy()) for x in arrays]))]
                theirs = [*_values(name.function(*[make(x.copy()) for x in arrays]))]
            except Exception:
                continue
            pairs = zip(ours, theirs, strict=False)
            if len(ours) != len(theirs) or not all(_equal(a, b) for a, b in pairs):
                return True
    return False


def _values(result: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(result, (tuple, list)):
        for x in result:
            yield from _values(x)
    else:
        yield np.asarray(result if isinstance(result, (bool, int, float)) else lw.asarray(result).data)


def _equal(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True))
