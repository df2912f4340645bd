"""A pytest plugin for `tools/clients.py`: what libraries test on array-api-strict, they test on latticework.

SciPy, scikit-learn and array-api-extra each have a list of the namespaces that they test, which others cannot add to.
So a module of ours stands in for `array_api_strict`, whose tests are those that any namespace of the standard has to
pass. Its functions are latticework's, on the backend that LATTICEWORK_CLIENTS_BACKEND names. Without that variable the
tests run on array-api-strict itself: the figures to compare with.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

BACKEND = os.environ.get("LATTICEWORK_CLIENTS_BACKEND", "")


def stand_in(backend: str) -> ModuleType:
    """The module latticework, on this backend, with what the tests ask of `array_api_strict` alone."""
    import latticework as lw

    lw.set_backend(backend)
    lw.set_default_float_dtype("float64")
    lw.set_default_complex_dtype("complex128")
    lw.set_default_int_dtype("int64")
    added: dict[str, Any] = {
        "__version__": "2.4",  # SciPy takes no older one
        "set_array_api_strict_flags": lambda **flags: None,
        "Device": lambda name: lw.zeros(0).device,
    }
    for name, value in added.items():
        setattr(lw, name, value)
    return lw


def only_strict() -> None:
    """Have scikit-learn test no namespace but array-api-strict."""
    from sklearn.utils import _array_api

    _array_api.yield_namespaces = lambda include_numpy_namespaces=True: iter(["array_api_strict"])


if BACKEND:
    sys.modules["array_api_strict"] = stand_in(BACKEND)
if os.environ.get("LATTICEWORK_CLIENTS_PACKAGE") == "sklearn":
    only_strict()
