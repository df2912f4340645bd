"""NumPy's dialect: ``import latticework.frontends.numpy as np``, and the program runs on any backend."""

from __future__ import annotations

import sys
from typing import Any

import numpy as _numpy

from . import array as _array
from . import exceptions, fft, linalg, random
from .array import *  # noqa: F403
from .base import dialect
from .creation import *  # noqa: F403
from .kinds import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .selecting import *  # noqa: F403
from .shaping import *  # noqa: F403
from .shaping import by_numpy as _by_numpy
from .shaping import resized as _resized
from .shaping import view_bits as _view
from .statistics import *  # noqa: F403
from .text import *  # noqa: F403
from .ufuncs import *  # noqa: F403

#: The public submodules.
SUBMODULES = ("linalg", "fft", "random", "exceptions")

__version__ = _numpy.__version__


def _to_device(x: Any, device: Any) -> Any:
    return x if device == "cpu" and x.device == "cpu" else dialect.wrapped(x._array.to_device(device))


_CHAPTERS = "array creation kinds products reductions selecting shaping statistics text ufuncs".split()
__all__ = sorted({n for c in _CHAPTERS for n in sys.modules[f"{__name__}.{c}"].__all__} | {*SUBMODULES})
_array.f = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    from .coverage import ABSENT

    reason = next((why for names, why in ABSENT.items() if name in names.replace(",", " ").split()), "")
    why = f": {reason}" if reason else ""
    raise AttributeError(f"numpy.{name}: latticework's dialect of NumPy has no such name{why}", name=name)


_ = (_by_numpy, _resized, _view)
