"""Dask: arrays in chunks, computed when they are asked for. The NumPy backend's functions compute the blocks."""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import fft as fft
from . import linalg as linalg
from .collection import collection as collection
from .core import *
from .creation import *
from .creation import _count as _count
from .creation import _full as _full
from .elementwise import *
from .elementwise import _clip as _clip
from .indexing import *
from .linear_algebra import *
from .manipulation import *
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *
