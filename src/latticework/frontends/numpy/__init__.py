"""NumPy's dialect: ``import latticework.frontends.numpy as np``, and the program runs on any backend."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as _numpy
from numpy import typing as typing

from . import array as _array
from . import brackets as _brackets
from . import creation as _creation
from . import exceptions as exceptions
from . import fft as fft
from . import kinds as _kinds
from . import lib as lib
from . import linalg as linalg
from . import products as _products
from . import quantiles as _quantiles
from . import random as random
from . import reductions as _reductions
from . import selecting as _selecting
from . import shaping as _shaping
from . import statistics as _statistics
from . import text as _text
from . import ufuncs as _ufuncs
from .array import *  # noqa: F403
from .base import dialect
from .brackets import *  # noqa: F403
from .creation import *  # noqa: F403
from .kinds import *  # noqa: F403
from .products import *  # noqa: F403
from .quantiles import *  # noqa: F403
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
SUBMODULES = ("linalg", "fft", "random", "exceptions", "testing", "lib", "lib.stride_tricks")

__version__ = _numpy.__version__


def _to_device(x: Any, device: Any) -> Any:
    return x if device == "cpu" and x.device == "cpu" else dialect.wrapped(x._array.to_device(device))


__all__ = [  # noqa: PLE0604
    *_array.__all__,
    *_brackets.__all__,
    *_creation.__all__,
    *_kinds.__all__,
    *_products.__all__,
    *_quantiles.__all__,
    *_reductions.__all__,
    *_selecting.__all__,
    *_shaping.__all__,
    *_statistics.__all__,
    *_text.__all__,
    *_ufuncs.__all__,
    "exceptions",
    "fft",
    "lib",
    "linalg",
    "random",
    "typing",
]
_array.f = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    if name == "testing":  # which NumPy takes long to load
        return import_module(f"{__name__}.testing")
    from .coverage import ABSENT

    reason = next((why for names, why in ABSENT.items() if name in names.replace(",", " ").split()), "")
    why = f": {reason}" if reason else ""
    raise AttributeError(f"numpy.{name}: latticework's dialect of NumPy has no such name{why}", name=name)


_ = (_by_numpy, _resized, _view)
