"""`tf.data`: datasets, whose elements a program makes, changes, mixes and groups one after the other.

Elements are tensors on the backend in force where they are made. The functions of a program are called for each
element. What reads and writes files is left out.
"""

from __future__ import annotations

from typing import Any

from . import experimental as experimental
from .dataset import Dataset
from .iterating import Iterator, IteratorSpec, NumpyIterator
from .options import Options, ThreadingOptions
from .structure import INFINITE, UNKNOWN, DatasetSpec

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "ThreadingOptions",
]  # fmt: skip

#: The number that stands for one chosen by the framework.
AUTOTUNE = -1
#: The numbers of elements of datasets without an end, and of those for which it is not known before they are read.
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = INFINITE, UNKNOWN


def __getattr__(name: str) -> Any:
    from ..coverage import absence

    raise AttributeError(absence(f"data.{name}"), name=name)
