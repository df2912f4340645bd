"""The variables that a function uses besides its arguments, and the function with other values in them."""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType, FunctionType
from typing import Any

from ...backend import of
from ...core.trees import flatten
from ..arrays.array import Array
from .without_data import closure_of

__all__ = ["Closure"]


class Closure:
    """The variables that a function closes over, and the variables that functions among them close over.

    Globals, attributes of objects, and variables of latticework's and built-in functions are not looked for.

    Attributes
    ----------
    values: the contents of the variables that hold arrays: trees.
    """

    def __init__(self, f: Any) -> None:
        self.function = f
        self.functions: dict[int, FunctionType] = {}
        self.cells: dict[int, CellType] = {}
        self._collect(f)
        self.values = [cell.cell_contents for cell in self.cells.values()]

    def _collect(self, f: Any) -> None:
        if (
            not isinstance(f, FunctionType)
            or id(f) in self.functions
            or (f.__module__ or "").startswith("latticework.")
        ):
            return
        self.functions[id(f)] = f
        for cell in closure_of(f).values():
            if isinstance(cell.cell_contents, FunctionType):
                self._collect(cell.cell_contents)
            elif _has_arrays(cell.cell_contents):
                self.cells[id(cell)] = cell

    def filled(self, values: Sequence[Any]) -> Any:
        """Make the function again, with other values in its variables."""
        if not isinstance(self.function, FunctionType) or id(self.function) not in self.functions:
            return self.function
        cells = {i: CellType(value) for i, value in zip(self.cells, values, strict=True)}
        of_functions: list[tuple[CellType, FunctionType]] = []
        made: dict[int, FunctionType] = {}
        for i, f in self.functions.items():
            for cell in closure_of(f).values():
                inner = cell.cell_contents
                if id(inner) in self.functions and id(cell) not in cells:
                    cells[id(cell)] = CellType()
                    of_functions.append((cells[id(cell)], inner))
            around = tuple(cells.get(id(cell), cell) for cell in f.__closure__ or ())
            made[i] = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, around)
            made[i].__kwdefaults__ = f.__kwdefaults__
        for cell, inner in of_functions:
            cell.cell_contents = made[id(inner)]
        return made[id(self.function)]


def _has_arrays(x: Any) -> bool:
    try:
        leaves, _ = flatten(x)
    except TypeError:  # a dict with keys of several kinds is no tree
        return False
    return any(isinstance(leaf, Array) or of(leaf) is not None for leaf in leaves)
