"""Choose the way of running a graph that takes the least time, measured on the arguments of a call."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple

from .graph import Graph

__all__ = ["Tuning", "magnitude", "tuned"]

#: The least number of elements for which blocks are tried, and the elements of a block.
_LARGE, _BLOCKS = 30_000, (16_384, 131_072)
#: Seconds that a batch of calls takes, and that the batches of one way may take together.
_BATCH, _LONGEST = 5e-4, 0.1
_ROUNDS = 7
#: The factor by which another way must be faster than the default.
_GAIN = 1.03


class Tuning(NamedTuple):
    """The measurements on the arguments of a call.

    Attributes
    ----------
    arguments: their dtypes and shapes, in words.
    seconds: the name of each way -> the least time of a call.
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
    """Return the magnitude of some arrays: the same for sizes within a factor of four."""
    return max([_size(x).bit_length() // 2 for x in data], default=0)


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
        times: dict[str, list[float]] = {name: [] for name in counts}
        spent = dict.fromkeys(counts, 0.0)
        for _ in range(_ROUNDS):
            for name, count in counts.items():
                if spent[name] < _LONGEST or len(times[name]) < 2:
                    seconds = _call(candidates[name], arguments, count)
                    spent[name] += seconds
                    times[name].append(seconds / count)
    least = {name: min(seconds) for name, seconds in times.items()}
    chosen = min(least, key=lambda name: least[name])
    if least["default"] < _GAIN * least[chosen]:
        chosen = "default"
    words = ", ".join(
        f"{p} {a.sig.dtype}[{', '.join(map(str, x.shape))}]"
        for p, a, x in zip(graph.parameters, graph.arguments, data, strict=True)
    )
    return candidates[chosen], Tuning(words, least, chosen)


def _without_errors(backend: str) -> Any:
    """Return a context where NumPy's floating-point errors are no warnings or exceptions."""
    if backend != "numpy":
        return nullcontext()
    import numpy as np

    return np.errstate(all="ignore")


def _call(way: Way, arguments: list[Any], count: int) -> float:
    """Measure the seconds of some calls, until their results are there."""
    start = time.perf_counter()
    for _ in range(count):
        result = way(*arguments)
    _wait(result)
    return time.perf_counter() - start


def _wait(result: Any) -> None:
    """Wait for results that another thread or device computes."""
    for x in result if isinstance(result, (tuple, list)) else (result,):
        if hasattr(x, "block_until_ready"):
            x.block_until_ready()
        elif getattr(x, "is_cuda", False):
            import torch

            torch.cuda.synchronize()
