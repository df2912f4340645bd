"""Run the programs of examples/ on each backend, and keep what they print, their times and a picture for the gallery.

    python tools/gallery.py                                 all of them, on every installed backend
    python tools/gallery.py kmeans diffusion                two of them
    python tools/gallery.py --backends numpy jax diffusion  on two backends: the others' times stay
    python tools/gallery.py --draw                          only draw, from runs on NumPy

Each backend has a process of its own, in which `main()` runs twice. Its two times are processor time, without imports:
the first has compilation in it. They are kept in docs/gallery/runs.json, from which `tools/gallery_page.py` writes the
pages. The pictures are drawn from the results on NumPy, by `tools/gallery_drawings.py`. It needs matplotlib and
scikit-learn.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import latticework as lw

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
FOLDER = ROOT / "docs" / "gallery"
RUNS = FOLDER / "runs.json"
QUIET = {
    "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
    "OMP_NUM_THREADS": "1",
}  # fmt: skip
#: How many seconds of processor time a run may take. One that takes longer is ended, and has no time on its page.
LIMIT = 90


def module_of(name: str) -> Any:
    """Import a program of examples/."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_here(name: str, backend: str, folder: Path) -> None:
    """Run a program twice in this process, and write what it prints, its times and its results."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    module = module_of(name)
    with lw.using(backend=backend):
        lw.to_numpy(lw.exp(lw.ones(2)))  # the framework is imported
        printed, seconds = io.StringIO(), []
        for out in (printed, io.StringIO()):
            begun = time.process_time()
            with contextlib.redirect_stdout(out):
                results = {key: np.asarray(lw.to_numpy(x)) for key, x in module.main().items()}
            seconds.append(round(time.process_time() - begun, 2))
    np.savez(folder / "results.npz", **results)
    (folder / "run.json").write_text(json.dumps({"printed": printed.getvalue(), "seconds": seconds}))


def run(name: str, backend: str) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Run a program in a process of its own; return what it prints with its time, and its results. None: too long."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, name, "--here", folder, "--backends", backend]
        done = subprocess.run(command, env=QUIET | os.environ, check=False)
        if done.returncode == -signal.SIGXCPU:
            return None
        done.check_returncode()
        found = json.loads(Path(folder, "run.json").read_text())
        with np.load(Path(folder, "results.npz")) as results:
            return found, dict(results)


def kept() -> dict[str, Any]:
    """Return the runs that are kept."""
    return json.loads(RUNS.read_text(encoding="utf-8")) if RUNS.exists() else {}


def measure(name: str, backends: list[str], *, only_draw: bool) -> None:
    """Run a program, keep its output and times, and draw its picture."""
    from gallery_drawings import draw

    results, times, printed = {}, {}, ""
    for backend in backends:
        ran = run(name, backend)
        if ran is None:
            print(f"{name} on {backend}: more than {LIMIT} s", flush=True)
            continue
        found, results[backend] = ran
        print(f"{name} on {backend}: {found['seconds']} s", flush=True)
        times[backend] = found["seconds"]
        printed = found["printed"] if backend == "numpy" else printed
    runs = kept()
    entry = runs.setdefault(name, {"printed": "", "seconds": {}})
    entry["printed"] = printed or entry["printed"]
    entry["seconds"] |= {} if only_draw else times
    RUNS.write_text(json.dumps(dict(sorted(runs.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if "numpy" in results:
        draw(name, results, module_of(name), FOLDER)


def main() -> None:
    """Do what the text above says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs of examples/: all by default")
    parser.add_argument("--backends", nargs="+", metavar="NAME", help="where to run them: on all that are installed")
    parser.add_argument("--draw", action="store_true", help="draw, and keep the times as they are")
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    backends = given.backends or ["numpy"] if given.draw else given.backends
    backends = backends or [b.name for b in lw.backends() if b.installed]
    if given.here:
        run_here(given.names[0], backends[0], given.here)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in given.names or sorted(p.stem for p in EXAMPLES.glob("*.py")):
        measure(name, backends, only_draw=given.draw)


if __name__ == "__main__":
    main()
