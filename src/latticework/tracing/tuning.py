"""Choose the way of running a graph that takes the least time, measured on the arguments of a call."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from random import Random
from statistics import median
from typing import Any, NamedTuple

from .graph import Graph

__all__ = ["Tuning", "magnitude", "tuned"]

#: The least number of elements for which blocks are tried, and the elements of a block.
_LARGE, _BLOCKS = 30_000, (16_384, 131_072)
#: Seconds that a batch of calls takes, and that the batches of one way may take together.
_BATCH, _LONGEST = 5e-4, 0.1
#: The rounds of all ways, and those of the default and of the ways that are nearly as fast as the fastest.
_ROUNDS, _MORE = 7, 12
#: The factor by which another way must be faster than the default in the middle of the rounds.
_GAIN = 1.05
#: The factor by which a way is faster in every round that needs no more rounds, and within which ways are as fast.
_CLEAR, _NEAR = 1.5, 1.1


class Tuning(NamedTuple):
    """The measurements on the arguments of a call.

    Attributes
    ----------
    arguments: their dtypes and shapes, in words.
    seconds: the name of each way -> the time of a call: the median.
    chosen: the name of the way that is kept.
    """

    arguments: str
    seconds: dict[str, float]
    chosen: str

    def __str__(self) -> str:
        times = ", ".join(f"{name} {1e6 * seconds:.3g} µs" for name, seconds in self.seconds.items())
        return f"{self.arguments}: {self.chosen} of {times}"


Way = Callable[..., Any]


def magnitude(data: Sequence[Any]) -> int:
    """Return the magnitude of some arrays: the same for sizes within a factor of two."""
    return max([_size(x).bit_length() for x in data], default=0)


def _size(x: Any) -> int:
    n = 1
    for extent in x.shape:
        n *= int(extent)
    return n


def ways(graph: Graph, data: Sequence[Any], *, native: bool) -> dict[str, Way]:
    """Return the ways of running a graph: functions of native arrays, by name. The first is the source as it is."""
    found: dict[str, Way] = {"default": graph.function}
    with suppress(ModuleNotFoundError):
        faster = graph.faster()
        if faster.body.text != graph.body.text:
            found["fast"] = faster.function
        own = graph.faster(functions=True)
        if own.body.text != faster.body.text:
            found["fast functions"] = own.function
    if graph.backend == "numpy":
        large = max(map(_size, data)) >= _LARGE
        for blocks in (False, *_BLOCKS) if large else ():
            other = graph.function_by(blocks=blocks)
            if other is not None:
                found[f"blocks of {blocks}" if blocks else "no blocks"] = other
    elif graph.backend in ("jax", "tensorflow") or native:
        found["native"] = graph.natively()
    return found


def tuned(graph: Graph, data: Sequence[Any], *, native: bool = False) -> tuple[Way, Tuning] | None:
    """Measure the ways of running a graph, and say which is the fastest.

    Parameters
    ----------
    data: native arrays, which stay as they are: where the graph writes into its arguments, copies are measured.
    native: whether the framework's compiler is tried where that takes seconds, as PyTorch's does.

    Returns
    -------
    The function of native arrays, and what was measured. None where there is nothing to choose, where the graph writes
    into arrays that the program holds, or where a call raises an error.
    """
    writes = any(node.writes is not None for node in graph.block.all_nodes())
    if not data or graph.backend == "dask" or (writes and (graph._held or graph._changed)) or graph.binds:
        return None
    candidates = ways(graph, data, native=native)
    if len(candidates) < 2:
        return None
    own = graph._backend
    arguments = [own.duplicate(x) for x in data] if writes and not own.facts.immutable else [*data]
    with warnings.catch_warnings(), _without_errors(graph.backend):
        warnings.simplefilter("ignore")
        counts: dict[str, int] = {}
        for name, way in candidates.items():
            try:
                _call(way, arguments, 1)  # compiles
                counts[name] = max(1, int(_BATCH / max(_call(way, arguments, 2) / 2, 1e-8)))
            except Exception:
                if name == "default":
                    return None
        rounds = _Rounds(candidates, counts)
        rounds.run(arguments, [*counts], _ROUNDS)
        near = rounds.near()
        if near and not rounds.is_clear(near):  # in other memory, because times depend on where arrays lie
            arguments = [own.duplicate(own.native(x)) for x in arguments]
            rounds.run(arguments, ["default", *near], _MORE)
        chosen = rounds.fastest(near)
    seconds = {name: median(of) for name, of in rounds.times.items()}
    words = ", ".join(
        f"{p} {a.sig.dtype}[{', '.join(map(str, x.shape))}]"
        for p, a, x in zip(graph.parameters, graph.arguments, data, strict=True)
    )
    return candidates[chosen], Tuning(words, seconds, chosen)


class _Rounds:
    """The times of some ways, measured in turns: whatever else the machine does falls on all of them.

    Attributes
    ----------
    times: the name of a way -> the seconds of one call in each of its rounds.
    """

    def __init__(self, ways: dict[str, Way], counts: dict[str, int]) -> None:
        self._ways, self._counts = ways, counts
        self.times: dict[str, list[float]] = {name: [] for name in counts}

    def run(self, arguments: list[Any], names: list[str], rounds: int) -> None:
        """Measure a batch of calls of each way in each round, in other orders, because what a way leaves in the cache
        changes the time of the next one; fewer rounds of long calls."""
        spent, dice = 0.0, Random(0)
        for i in range(rounds):
            if i > 2 and spent > _LONGEST * len(names):
                break
            for name in dice.sample(names, len(names)):
                seconds = _call(self._ways[name], arguments, self._counts[name])
                spent += seconds
                self.times[name].append(seconds / self._counts[name])

    def gains(self, name: str) -> list[float]:
        """Return how many times faster than the default a way was, by round, the least first."""
        times, default = self.times[name], self.times["default"]
        n = min(len(times), len(default))
        return sorted([b / a for a, b in zip(times[:n], default[:n], strict=True)])

    def near(self) -> list[str]:
        """List the ways that are faster than the default, and nearly as fast as the fastest."""
        middle = {name: median(self.gains(name)) for name in self.times if name != "default"}
        most = max(middle.values(), default=0.0)
        return [name for name, gain in middle.items() if gain >= max(most / _NEAR, 1.0)]

    def is_clear(self, names: list[str]) -> bool:
        """Return whether one way alone is near the fastest, and far faster than the default in every round."""
        return len(names) == 1 and self.gains(names[0])[0] >= _CLEAR

    def fastest(self, names: list[str]) -> str:
        """Return the fastest of some ways; the default where none is faster by enough and in most of the rounds."""
        chosen = max(names, key=lambda name: median(self.gains(name)), default="default")
        if chosen == "default":
            return chosen
        gains = self.gains(chosen)
        return chosen if median(gains) >= _GAIN and gains[len(gains) // 4] >= 1 else "default"


def _without_errors(backend: str) -> Any:
    """Return a context where NumPy's floating-point errors are no warnings or exceptions."""
    if backend != "numpy":
        return nullcontext()
    import numpy as np

    return np.errstate(all="ignore")


def _call(way: Way, arguments: list[Any], count: int) -> float:
    """Measure the seconds of some calls, until their results are there.

    On NumPy one thread computes, and its own time is measured: other programs take no part in it. Where that clock goes
    in ticks, as on Windows, and has not moved, it is the time that has passed.
    """
    start, own = time.perf_counter(), time.thread_time()
    for _ in range(count):
        result = way(*arguments)
    _wait(result)
    passed, spent = time.perf_counter() - start, time.thread_time() - own
    return spent if spent > 0 and _of_numpy(arguments) else passed


def _of_numpy(arguments: list[Any]) -> bool:
    return type(arguments[0]).__module__ == "numpy"


def _wait(result: Any) -> None:
    """Wait for results that another thread or device computes."""
    for x in result if isinstance(result, (tuple, list)) else (result,):
        if hasattr(x, "block_until_ready"):
            x.block_until_ready()
        elif getattr(x, "is_cuda", False):
            import torch

            torch.cuda.synchronize()
