"""Time programs over arrays in chunks: latticework on Dask and on Cubed, dask.array by hand, latticework on NumPy.

    python benchmarks/scale.py
    python benchmarks/scale.py --programs histogram "top 10" --rounds 15
    python benchmarks/scale.py --scheduler synchronous

Cubed is left out where it is not installed: ``pip install cubed -e plugins/latticework-cubed``. Each round runs a
program in every way, one after the other; the ratio is of latticework on Dask to dask.array, by round, as the median.
A time is the processor's, of all threads, for building the graph and computing it. The tasks are those of the graph,
and those that are left when the library has optimised it. Memory is what a process of its own needs at most beyond what
it had before it read the first block, so the result is in it. Large arrays are made block by block, in a process that
may have 1 GiB of data, which 4 GiB do not fit into: there, and on Cubed, the time is of one run.
"""

from __future__ import annotations

import timing  # isort: skip  # first: it limits the threads of each framework

import argparse
import contextlib
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scale_programs import PROGRAMS, Held, Made, Program

import latticework as lw

#: The bytes of data that a process may have whose array is large.
LIMIT = 1 << 30
MIB = 1 << 20
WAYS = ("dask.array", "latticework on Dask", "latticework on Cubed", "latticework on NumPy")
DASK, OURS, CUBED, NUMPY = WAYS


def sources(program: Program) -> list[Any]:
    """Return what has the arrays of a program."""
    return [(Made if program.large else Held)(shape, seed) for seed, shape in enumerate(program.shapes)]


def builder(way: str, program: Program, held: list[Any]) -> Callable[[], Any]:
    """Return what builds the result of a program in some way: a lazy array, or NumPy's."""
    if way == NUMPY:
        return lambda: program.ours(*[lw.asarray(x[(slice(None),) * x.ndim], backend="numpy") for x in held])
    if way == CUBED:
        import cubed

        arrays = [cubed.from_array(x, chunks=c) for x, c in zip(held, program.chunks, strict=True)]
        return lambda: program.ours(*[lw.asarray(x) for x in arrays]).data
    import dask.array as da

    arrays = [
        da.from_array(x, chunks=c, name=f"source-{i}")
        for i, (x, c) in enumerate(zip(held, program.chunks, strict=True))
    ]
    if way == DASK:
        return partial(program.by_hand, da, *arrays)
    return lambda: program.ours(*[lw.asarray(x) for x in arrays]).data


def computed(result: Any) -> np.ndarray:
    """Compute a result."""
    return np.asarray(result.compute() if hasattr(result, "compute") else result)


@contextlib.contextmanager
def settings(scheduler: str) -> Iterator[tuple[str, ...]]:
    """Set the libraries' schedulers, and tell which ways there are."""
    import dask

    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(scheduler=scheduler))
        try:
            import cubed
            import latticework_cubed  # noqa: F401 - the backend
        except ImportError as error:
            sys.stderr.write(f"Cubed is left out: {error}\n")
            yield tuple(way for way in WAYS if way != CUBED)
            return
        executor = "threads" if scheduler == "threads" else "single-threaded"
        stack.enter_context(cubed.config.set({"spec.allowed_mem": "1GB", "spec.executor_name": executor}))
        stack.enter_context(_folder(CUBED))
        yield WAYS


@contextlib.contextmanager
def _folder(way: str) -> Iterator[None]:
    """Give Cubed a folder for what it keeps. A process that was forked needs its own: names of arrays come again."""
    if way != CUBED:
        yield
        return
    import cubed

    with tempfile.TemporaryDirectory() as folder, cubed.config.set({"spec.work_dir": folder}):
        yield


# --- what is measured ----------------------------------------------------------------------------------------------


def tasks(way: str, result: Any) -> tuple[int, int]:
    """Count the tasks of a graph: as it was built, and as the library runs it."""
    if way == CUBED:
        return tuple(result.plan(optimize_graph=each).num_tasks for each in (False, True))  # type: ignore[return-value]
    import dask

    return len(dict(result.dask)), len(dict(dask.optimize(result)[0].dask))


def timed(program: Program, ways: tuple[str, ...], rounds: int) -> dict[str, Any]:
    """Time a program in all ways that there are, in turns, and compare their results."""
    held = sources(program)
    found: dict[str, Any] = {}
    expected = computed(builder(DASK, program, held)())
    for way in ways:
        build = builder(way, program, held)
        begun = time.process_time()
        try:
            same = np.allclose(computed(build()), expected, rtol=1e-3, atol=1e-5)
        except (lw.errors.BackendError, ValueError) as error:  # Cubed's, of a block that needs more than is allowed
            found[way] = {"error": str(error)}
            continue
        first = [time.process_time() - begun] if way == CUBED else []
        counts = None if way == NUMPY else tasks(way, build())
        found[way] = {"build": build, "same": same, "times": first, "tasks": counts}
    order = [way for way in found if "build" in found[way] and way != CUBED]
    for turn in range(rounds):
        for way in order[turn % len(order) :] + order[: turn % len(order)]:
            begun = time.process_time()
            computed(found[way]["build"]())
            found[way]["times"].append(time.process_time() - begun)
    return found


def in_a_process(name: str, way: str) -> dict[str, Any]:
    """Run a program in one way in a process of its own; return its peak memory, and its time."""
    context = multiprocessing.get_context("fork")  # before there are threads: nothing is imported again
    ours, its = context.Pipe(duplex=False)
    process = context.Process(target=_alone, args=(name, way, its))
    process.start()
    its.close()
    found: dict[str, Any] = {"error": "it was killed"}
    with contextlib.suppress(EOFError):
        found = ours.recv()
    process.join()
    return found


def _alone(name: str, way: str, answers: Any) -> None:
    """Run a program once, and send what it took."""
    with _folder(way):
        answers.send(_measured(PROGRAMS[name], way))


def _measured(program: Program, way: str) -> dict[str, Any]:
    build = builder(way, program, sources(program))
    if program.large:
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    before = peak_from_here()
    begun = time.process_time()
    try:
        result = build()
        counts = None if way == NUMPY or not program.large else tasks(way, result)
        computed(result)
    except (MemoryError, lw.errors.BackendError, ValueError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"peak": peak() - before, "seconds": time.process_time() - begun, "tasks": counts}


def peak_from_here() -> int:
    """Forget the peak so far, where the system can, and return it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def peak() -> int:
    """Return the most bytes that this process has had in memory."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) << 10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


# --- what is printed -----------------------------------------------------------------------------------------------


def show(name: str, found: dict[str, Any], memory: dict[str, Any]) -> None:
    """Print the lines of a program: one for each way."""
    for way, of_memory in memory.items():
        time_of = found.get(way, {})
        seconds = statistics.median(time_of["times"]) if time_of.get("times") else of_memory.get("seconds")
        counts = time_of.get("tasks") or of_memory.get("tasks")
        words = [
            timing.duration(seconds) if seconds else time_of.get("error") or of_memory.get("error", ""),
            _ratio(way, found, memory),
            f"{of_memory['peak'] / MIB:.0f} MiB" if "peak" in of_memory else "",
            f"{counts[0]}, {counts[1]}" if counts else "",
        ]
        print(f"| {name} | {way} | {' | '.join(words)} |", flush=True)
        if not time_of.get("same", True):
            print(f"{name}: {way} gives other values", flush=True)


def _ratio(way: str, found: dict[str, Any], memory: dict[str, Any]) -> str:
    if way == DASK:
        return "1"
    own, others = (found.get(w, {}).get("times") or [memory[w].get("seconds")] for w in (way, DASK))
    if None in (own[0], others[0]):
        return ""
    return f"{statistics.median([a / b for a, b in zip(own, others, strict=False)]):.2f}"


def main() -> None:
    """Print a table: each program in each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", nargs="*", choices=[*PROGRAMS], default=[*PROGRAMS], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--scheduler", choices=("threads", "synchronous"), default="threads")
    options = parser.parse_args()
    with settings(options.scheduler) as ways:
        memory = {name: {way: in_a_process(name, way) for way in ways} for name in options.programs}
        print("| program | way | processor time | ratio | peak memory | tasks, optimised |\n|---|---|---|---|---|---|")
        for name, of_ways in memory.items():
            program = PROGRAMS[name]
            show(name, {} if program.large else timed(program, ways, options.rounds), of_ways)


if __name__ == "__main__":
    main()
