"""What a dispatcher takes as machine code: the text of `add`, interpreted and compiled by Cython and by mypyc.

    pip install cython mypy setuptools
    python benchmarks/compiled_dispatcher.py

The text is the way of two arrays whose signatures are those of the first kernel: what `lw_binary` in
`engine/calls/dispatchers.py` runs, as a function in another function, since compiled functions have no globals of their
own. The four and NumPy's own are called in turn; each figure is the least of 150 batches.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import latticework as lw
from latticework.engine.arrays.array import Array
from latticework.policy import active

TEXT = """
def make(array, kernels, get, translated, first, second, policy, run, result):
    def call(x1, x2, /):
        if type(x1) is array and type(x2) is array:
            if x1._sig is first and x2._sig is second and get() is policy:
                r = array()
                try:
                    r._data = run(x1._data, x2._data)
                except Exception as error:
                    raise translated("add", error, (x1, x2)) from error
                r._sig = result
                return r
            kernel, sig = kernels[get()][x1._sig][x2._sig]
            r = array()
            r._data = kernel(x1._data, x2._data)
            r._sig = sig
            return r
        raise TypeError
    return call
"""
BATCH, BATCHES = 1000, 150


def compiled(folder: Path) -> dict[str, Any]:
    """Compile the text with the compilers that are installed, and return the modules."""
    commands = {
        "interpreted": None,
        "cython": [sys.executable, "-m", "Cython.Build.Cythonize", "-q", "-i", "-3"],
        "mypyc": [sys.executable, "-m", "mypyc"],
    }
    sys.path.insert(0, str(folder))
    found = {}
    for name, command in commands.items():
        path = folder / f"add_{name}.py"
        path.write_text(TEXT, encoding="utf-8")
        if command is not None:
            done = subprocess.run([*command, path.name], cwd=folder, capture_output=True, check=False)
            if done.returncode:
                print(f"{name}: not installed, or it failed")
                continue
        found[name] = importlib.import_module(path.stem)
    return found


def main() -> None:
    x, y = (lw.asarray(np.ones(4, np.float32)) for _ in range(2))
    lw.add(x, y)
    names = lw.add.__globals__
    given = (names["kernels"], active.get, None, x._sig, y._sig, names["policy"], np.add, x._sig)
    with tempfile.TemporaryDirectory() as folder:
        calls: dict[str, Any] = {"numpy": (np.add, x._data, y._data), "latticework": (lw.add, x, y)}
        calls |= {name: (m.make(Array, *given), x, y) for name, m in compiled(Path(folder)).items()}
        least = dict.fromkeys(calls, float("inf"))
        for _ in range(BATCHES):
            for name, (f, a, b) in calls.items():
                start = time.process_time_ns()
                for _ in range(BATCH):
                    f(a, b)
                least[name] = min(least[name], (time.process_time_ns() - start) / BATCH)
    for name, ns in least.items():
        print(f"{name:<12} {ns:6.0f} ns  {ns / least['numpy']:.2f}")


if __name__ == "__main__":
    main()
