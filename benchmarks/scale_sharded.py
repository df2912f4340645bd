"""Time the programs of scale.py over arrays of JAX that are sharded over eight CPU devices: latticework and jax.numpy.

    python benchmarks/scale_sharded.py
    python benchmarks/scale_sharded.py --programs softmax gradient --rounds 31

The rows of each array of two axes, and the elements of what goes with them, lie on eight devices that XLA makes of one
CPU. Each round runs a program in every way, one after the other. A time is the processor's, of all threads; a ratio is
to jax.numpy, by round, as the median. The last column says how the result is laid out.
"""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_cpu_multi_thread_eigen=false"

import timing  # isort: skip  # it limits the threads of each framework

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec
from scale_programs import PROGRAMS, Held, Program

import latticework as lw

THEIRS, OURS, THEIRS_JIT, OURS_JIT, ALONE = (
    "jax.numpy", "latticework", "jax.jit of jax.numpy", "lw.jit of latticework", "latticework on one device",
)  # fmt: skip


def ways(program: Program) -> dict[str, Callable[[], Any]]:
    """Return what computes the program in each way, as an array of JAX."""
    mesh = jax.make_mesh((8,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    held = [Held(shape, seed).data for seed, shape in enumerate(program.shapes)]
    rows = max(shape[0] for shape in program.shapes)
    spec = [PartitionSpec("rows") if shape[0] == rows else PartitionSpec() for shape in program.shapes]
    there = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip(held, spec, strict=True)]
    here = [lw.asarray(x, backend="jax") for x in held]
    ours = [*map(lw.asarray, there)]
    both = jax.jit(lambda *arrays: program.by_hand(jnp, *arrays)), lw.jit(program.ours)
    return {
        THEIRS: lambda: program.by_hand(jnp, *there),
        OURS: lambda: program.ours(*ours).data,
        THEIRS_JIT: lambda: both[0](*there),
        OURS_JIT: lambda: both[1](*ours).data,
        ALONE: lambda: program.ours(*here).data,
    }


def main() -> None:
    """Print a table: each program in each way."""
    small = [name for name, program in PROGRAMS.items() if not program.large]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", nargs="*", choices=small, default=small, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    print("| program | way | processor time | ratio | layout |\n|---|---|---|---|---|")
    for name in options.programs:
        calls = ways(PROGRAMS[name])
        results = {way: call() for way, call in calls.items()}
        times: dict[str, list[float]] = {way: [] for way in calls}
        for turn in range(options.rounds):
            for way in [*calls][turn % len(calls) :] + [*calls][: turn % len(calls)]:
                begun = time.process_time()
                calls[way]().block_until_ready()
                times[way].append(time.process_time() - begun)
        for way, result in results.items():
            ratio = statistics.median([a / b for a, b in zip(times[way], times[THEIRS], strict=True)])
            layout = getattr(result.sharding, "spec", "one device")
            print(f"| {name} | {way} | {timing.duration(statistics.median(times[way]))} | {ratio:.2f} | {layout} |")
            if not np.allclose(np.asarray(result), np.asarray(results[THEIRS]), rtol=1e-3, atol=1e-5):
                print(f"{name}: {way} gives other values")


if __name__ == "__main__":
    main()
