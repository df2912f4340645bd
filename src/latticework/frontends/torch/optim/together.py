"""The memory of what a program updates: states that are written over, and small parameters that are updated together.

To a small array a call of the framework takes longer than its elements. So small parameters are joined to one array for
a step, and their states lie in one array all the time, of which each parameter has views.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from ....core.registry import functions as lw
from ....engine.arrays.array import Array, wrapped
from ..core import dialect
from . import programs
from .programs import LARGE, Run

__all__ = ["Held"]

#: The most elements of a parameter that is joined with others, and of all that are joined.
_SMALL, _ALL = 1024, 4096
#: The fewest calls of a program for which joining pays.
_CALLS = 6

#: A parameter, itself as a constant, its gradient, and its state.
Member = tuple[Any, Array, Array, dict[str, Any]]


class Held:
    """The parameters that a program updates in one step, with the tensors of their states.

    The tensors are made here, so that nothing else has them when they are first written over.

    Parameters
    ----------
    before: what held some of the parameters until now. They are joined where they came together before.

    Attributes
    ----------
    run: the program.
    ids: the ids of the parameters.
    waits: whether some are to be joined when they come together again.
    """

    def __init__(self, run: Run, members: list[Member], before: list[Held]) -> None:
        self.run, self.ids = run, [id(member[0]) for member in members]
        self.shapes = [tuple(x._data.shape) for _, x, _, _ in members]
        self.sizes = [prod(shape) for shape in self.shapes]
        joins = any(held.ids == self.ids for held in before)
        own = {id(t) for held in before for tensors in held.tensors for t in tensors}
        self.tensors: list[list[Any]] = [
            [s if id(s) in own else dialect.wrapped(s._array.copy()) for s in [state[name] for name in run.names]]
            for _, _, _, state in members
        ]
        parts = _parts(self.sizes) if run.calls >= _CALLS else []
        self.joined: list[_Joined] = []
        self.waits = bool(parts) and not joins
        for places in parts if joins else []:
            self.joined.append(_Joined([self.shapes[i] for i in places], [self.sizes[i] for i in places], places))
            self._join(self.joined[-1])
        apart = {i for joined in self.joined for i in joined.places}
        self.alone = [i for i in range(len(members)) if i not in apart]
        self.natives = [[t._array._data for t in tensors] for tensors in self.tensors]
        self._between = self._memory()

    def _memory(self) -> list[list[Any]]:
        """Return for each parameter alone, and for each joined array after these, what is computed between in."""
        run, own = self.run, [(self.sizes[i], self.shapes[i] or (1,)) for i in self.alone]
        own = [(min(n, programs.BLOCK), (min(n, programs.BLOCK),)) if n >= LARGE else (n, shape) for n, shape in own]
        own += [(n, (n,)) for joined in self.joined for n in [sum(self.sizes[i] for i in joined.places)]]
        memory = run.memory(max([n for n, _ in own], default=0))
        return [[x[:n].reshape(shape) for x in memory] for n, shape in own]

    def _join(self, joined: _Joined) -> None:
        """Put the states of some parameters into one array each."""
        for k in range(len(self.run.names)):
            whole = lw.concat([self.tensors[i][k]._array for i in joined.places], axis=None)
            joined.states.append(whole._data)
            for i, part in zip(joined.places, joined.parts(whole._data), strict=True):
                self.tensors[i][k] = dialect.wrapped(wrapped(part, whole._sig))

    def fits(self, members: list[Member]) -> bool:
        """Tell whether these are the parameters, with the tensors that were made here."""
        if len(members) != len(self.ids):
            return False
        names = self.run.names
        for member, number, shape, tensors, natives in zip(
            members, self.ids, self.shapes, self.tensors, self.natives, strict=True
        ):
            p, x, _, state = member
            if id(p) != number or x._data.shape != shape:
                return False
            for name, t, native in zip(names, tensors, natives, strict=True):
                if state[name] is not t or t._data is not native:
                    return False
        return True

    def update(self, members: list[Member], numbers: list[Any]) -> None:
        """Write the new parameters and states over the old ones. All memory is taken before anything is written."""
        run = self.run
        calls: list[list[Any]] = []
        for i, between in zip(self.alone, self._between, strict=False):
            _, x, g, _ = members[i]
            arrays = [x._data, g._data, *self.natives[i]]
            if not self.shapes[i]:  # of arrays without axes NumPy computes scalars, which nothing is written into
                arrays = [a.reshape(1) for a in arrays]
            if self.sizes[i] < LARGE:
                calls.append([*arrays, *numbers, *between])
            else:
                calls += self._blocks(arrays, numbers, between, self.sizes[i])
        copies: list[tuple[Any, Any]] = []
        for joined, between in zip(self.joined, self._between[len(self.alone) :], strict=True):
            some = [members[i] for i in joined.places]
            x = lw.concat([member[1] for member in some], axis=None)
            g = lw.concat([member[2] for member in some], axis=None)
            calls.append([x._data, g._data, *joined.states, *numbers, *between])
            copies += zip([member[1]._data for member in some], joined.parts(x._data), strict=True)
        function, overwrite = run.function, members[0][1]._sig.backend.overwrite
        with np.errstate(all="ignore"):  # a warning may be an error
            for arguments in calls:
                function(*arguments)
            for old, new in copies:
                overwrite(old, new)

    def _blocks(self, arrays: list[Any], numbers: list[Any], between: list[Any], size: int) -> list[list[Any]]:
        """Return the calls that update a large array: block by block, where its elements lie one after the other."""
        if not self.run.in_blocks(*arrays):
            return [[*arrays, *numbers, *[x.reshape(arrays[0].shape) for x in self.run.memory(size)]]]
        flat = [a.reshape(-1) for a in arrays]
        starts = range(0, size, programs.BLOCK)
        return [
            [*[a[start : start + programs.BLOCK] for a in flat], *numbers, *[x[: size - start] for x in between]]
            for start in starts
        ]


class _Joined:
    """Parameters that are updated as one array.

    Attributes
    ----------
    places: their places among the members.
    states: the native arrays of their states.
    """

    def __init__(self, shapes: list[tuple[int, ...]], sizes: list[int], places: list[int]) -> None:
        self.places, self.states = places, list[Any]()
        bounds = pairwise(accumulate(sizes, initial=0))
        self._cuts = [(slice(*b), shape) for b, shape in zip(bounds, shapes, strict=True)]

    def parts(self, whole: Any) -> list[Any]:
        """Return the part of each parameter, in its shape, of an array of all."""
        return [whole[cut].reshape(shape) for cut, shape in self._cuts]


def _parts(sizes: list[int]) -> list[list[int]]:
    """Return which arrays are joined, by their sizes: at least two, and not too many elements."""
    found: list[list[int]] = [[]]
    total = 0
    for i, size in enumerate(sizes):
        if size <= _SMALL:
            if total + size > _ALL:
                found.append([])
                total = 0
            found[-1].append(i)
            total += size
    return [places for places in found if len(places) > 1]
