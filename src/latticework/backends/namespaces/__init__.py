"""Backends of namespaces of the array API standard: what they share. This folder is no backend itself.

`contract` makes the class of a backend from a namespace. `functions` looks up its functions: the plug-in's own, the
namespace's, and those of `compositions`, `searching`, `statistics`, `scattering` and `random`, which are made of
functions of the standard.
"""

from __future__ import annotations

from .contract import NamespaceBackend as NamespaceBackend
from .contract import of_namespace as of_namespace
