"""Linear algebra: a file for the standard's extension, and one for what is beyond it."""

# ruff: noqa: F403 - the chapters' names are this module's names
from .decompositions import *
from .extension import *
