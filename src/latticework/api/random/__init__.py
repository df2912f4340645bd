"""Random numbers: functions of a key, which give the same numbers on every backend, and NumPy's generator object."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from . import continuous, discrete, generator, keys, permuting
from .continuous import *
from .discrete import *
from .generator import *
from .keys import *
from .permuting import *

__all__ = sorted([*keys.__all__, *continuous.__all__, *discrete.__all__, *permuting.__all__, *generator.__all__])  # noqa: PLE0605
