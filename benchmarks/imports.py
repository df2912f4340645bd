"""What an import costs by redirection, beside the package's own.

    python benchmarks/imports.py --path .packages/zuko-1.6.0/site-packages zuko entmax
    python benchmarks/imports.py --framework jax optax

The framework, or its dialect, is imported before; the package's import is timed in processes of their own, in turns.
Shown are the medians in milliseconds, and their ratio. The goal is 2. Files are compiled before the first round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

ITSELF = "import {framework}, time; t = time.process_time(); import {package}; print(time.process_time() - t)"
REDIRECTED = """
import time, latticework as lw
with lw.redirected("{framework}", backend="numpy"):
    import {framework}
    t = time.process_time()
    import {package}
    print(time.process_time() - t)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--framework", default="torch")
    parser.add_argument("--path", action="append", default=[], help="a folder of installed packages")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    paths = [*options.path, *filter(None, [os.environ.get("PYTHONPATH")])]
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
