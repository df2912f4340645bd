"""Run the examples of each guide with each backend as the default, and keep their times for docs/guides/index.md.

    python tools/guides.py                                  all guides, on every installed backend
    python tools/guides.py promotion views                  two of them
    python tools/guides.py --backends numpy jax promotion   on two backends: the others' times stay
    python tools/guides.py --draw                           only draw, after runs on NumPy

Each guide has a process of its own for each backend. The time is processor time of all examples, from the first to the
last, with imports of other frameworks and compilation. A guide that ends with an error that it does not show is of a
framework that it names, or needs what a backend has not: it has no time there. The times are kept in
docs/guides/times.json, from which `tools/gallery_page.py` writes the table. The pictures are drawn from what the
examples leave on NumPy, by `tools/guide_drawings.py`, into docs/guides.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gallery import LIMIT, QUIET

import latticework as lw

DOCS = Path(__file__).parents[1] / "docs"
INDEX, TIMES = DOCS / "guides" / "index.md", DOCS / "guides" / "times.json"
_LINK = re.compile(r"^\| \[([^]]+)\]\(([\w/.]+)\.md\) \| (?![\d–])", re.MULTILINE)


def titles() -> dict[str, str]:
    """List the titles of the guides of the index, by what their links have."""
    return {link: title for title, link in _LINK.findall(INDEX.read_text(encoding="utf-8"))}


def path_of(link: str) -> Path:
    """Return the file of a guide, of what its link in the index has."""
    return (INDEX.parent / f"{link}.md").resolve()


def guides() -> dict[str, Path]:
    """List the guides of the index that have examples, by what their links have."""
    found = {link: path_of(link) for link in titles()}
    return {link: path for link, path in found.items() if ">>> " in path.read_text(encoding="utf-8")}


def run_here(path: Path, backend: str) -> tuple[float, dict[str, Any]]:
    """Run the examples of a guide in this process, and return the seconds and the names that they bind.

    Raises
    ------
    Exception: what an example raises that the guide does not show.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    examples = doctest.DocTestParser().get_examples(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    lw.set_backend(backend)
    lw.to_numpy(lw.exp(lw.ones(2)))  # the framework is imported
    begun = time.process_time()
    for example in examples:
        if example.options.get(doctest.SKIP):
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(example.source, path.name, "single"), names)
        except Exception:
            if example.exc_msg is None:
                raise
    return round(time.process_time() - begun, 2), names


def apart(link: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run this tool for a guide in a process of its own."""
    command = [sys.executable, __file__, link, "--here", *options]
    return subprocess.run(command, env=QUIET | os.environ, cwd=DOCS.parent, check=False, capture_output=True, text=True)


def seconds_of(link: str, backend: str) -> float | None:
    """Run a guide in a process of its own; None where it does not end."""
    done = apart(link, "--backends", backend)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def draw_here(link: str, folder: Path) -> None:
    """Run the examples of a guide on NumPy, and draw its picture into a folder, unless another tool does."""
    from guide_drawings import DRAWN

    name = Path(link).name
    if name in DRAWN:
        _, names = run_here(path_of(link), "numpy")
        DRAWN[name](folder / f"{name}.png", names)


def draw(link: str, folder: Path = INDEX.parent) -> None:
    """Draw the picture of a guide into a folder, in a process of its own.

    Raises
    ------
    RuntimeError: an error of that process, with its text.
    """
    done = apart(link, "--draw", "--out", str(folder))
    if done.returncode:
        raise RuntimeError(f"{link} was not drawn:\n{done.stderr}")


def main() -> None:
    """Do what the text above says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="guides, as in docs/guides/index.md: all by default")
    parser.add_argument("--backends", nargs="+", metavar="NAME", help="the defaults: all that are installed")
    parser.add_argument("--draw", action="store_true", help="draw, and keep the times as they are")
    parser.add_argument("--out", type=Path, default=INDEX.parent, help="the folder to draw into: docs/guides")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := {*given.names} - titles().keys():
        parser.error(f"no guide {', '.join(sorted(unknown))}; there are {', '.join(titles())}")
    found = guides()
    backends = given.backends or [b.name for b in lw.backends() if b.installed]
    if given.here and given.draw:
        draw_here(given.names[0], given.out)
        return
    if given.here:
        print(run_here(found[given.names[0]], backends[0])[0])
        return
    for link in given.names or titles():
        draw(link, given.out)
    for link in () if given.draw else (link for link in given.names or found if link in found):
        times = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
        times.setdefault(link, {}).update({backend: seconds_of(link, backend) for backend in backends})
        print(link, times[link], flush=True)
        TIMES.write_text(json.dumps(dict(sorted(times.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
