"""A plugin of pytest for `adopters.py`: modules of the library under test come from other files.

``ADOPTERS_MODULES`` is a JSON object from the full name of a module to the file that it is imported from, or to the
folder where the module is a package. Files of the library's own stay as they are. Python's and NumPy's random numbers
start from the same seed in each run: some tests draw the cases that they have. So do those of the library, before its
tests, where ``ADOPTERS_SEEDED`` names its function for that.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import numpy as np


class Replaced:
    """A finder of the modules that have other files."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module comes from, if that is not where the library has it."""
        file = self.files.get(name)
        if file is None:
            return None
        if file.is_dir():
            return spec_from_file_location(name, file / "__init__.py", submodule_search_locations=[str(file)])
        return spec_from_file_location(name, file)


sys.meta_path.insert(0, Replaced({n: Path(f) for n, f in json.loads(os.environ.get("ADOPTERS_MODULES", "{}")).items()}))
random.seed(0)
np.random.seed(0)


def pytest_collection_finish() -> None:
    """Start the library's random numbers from a seed."""
    module, _, function = os.environ.get("ADOPTERS_SEEDED", "").partition(":")
    if function:
        attrgetter(function)(import_module(module))(0)
