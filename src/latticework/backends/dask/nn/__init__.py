"""Functions of neural networks on Dask, a chapter per file."""

# ruff: noqa: F403 - the chapters' names are this module's names
from .activations import *
from .windows import *
