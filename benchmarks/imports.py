"""What an import costs by redirection, beside the package's own, and a step of training in a package beside a script's.

    python benchmarks/imports.py --path .packages/zuko-1.6.0/site-packages zuko entmax
    python benchmarks/imports.py --framework jax optax
    python benchmarks/imports.py --step numpy jax

The framework, or its dialect, is imported before; the package's import is timed in processes of their own, in turns.
Shown are the medians in milliseconds, and their ratio. The goal is 2. Files are compiled before the first round.

`--step` times a step of training that a package makes, by redirection, in turns with the same lines of a script over
the dialect, on each of some backends.
"""

from __future__ import annotations

from timing import in_turns  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ITSELF = "import {framework}, time; t = time.process_time(); import {package}; print(time.process_time() - t)"
REDIRECTED = """
import time, latticework as lw
with lw.redirected("{framework}", backend="numpy"):
    import {framework}
    t = time.process_time()
    import {package}
    print(time.process_time() - t)
"""

STEP = """
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(16, 8), torch.randn(16, 1)

def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
"""


def step(backend: str, rounds: int) -> None:
    """Print the time of a step of a package over that of the same lines in a script."""
    import latticework as lw

    with TemporaryDirectory() as folder:
        (Path(folder) / "package_of_a_step.py").write_text(STEP)
        sys.path.insert(0, folder)
        with lw.redirected("torch", backend=backend):
            import package_of_a_step as package  # type: ignore[import-not-found]
    script: dict[str, Any] = {}
    with lw.using(backend=backend):
        exec(STEP.replace("import torch", "import latticework.frontends.torch as torch"), script)
        names = {"package": package.step, "script": script["step"]}
        for _ in range(100):  # until nothing is traced any more
            names["package"](), names["script"]()
        turns = in_turns({name: f"{name}()" for name in names}, names, rounds, 20.0, time.process_time)
    low, middle, high = turns.speed("script", "package")
    print(f"{backend:24} {turns.median('script') * 1e6:8.0f} us  ratio {middle:.2f} ({low:.2f} to {high:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--step", nargs="*", default=[], metavar="BACKEND")
    parser.add_argument("--framework", default="torch")
    parser.add_argument("--path", action="append", default=[], help="a folder of installed packages")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    paths = [*options.path, *filter(None, [os.environ.get("PYTHONPATH")])]
    for backend in options.step:
        step(backend, options.rounds)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": ""}
    for package in options.packages:
        times: dict[str, list[float]] = {ITSELF: [], REDIRECTED: []}
        for turn in range(options.rounds + 1):
            for code, found in times.items():
                text = code.format(framework=options.framework, package=package)
                ran = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True)
                if turn:
                    found.append(float(ran.stdout.split()[-1]))
        itself, redirected = (statistics.median(found) * 1e3 for found in times.values())
        print(f"{package:24} {itself:8.1f} ms itself {redirected:8.1f} ms redirected  ratio {redirected / itself:.2f}")


if __name__ == "__main__":
    main()
