"""Build the site of several versions beside each other, with a menu to go from one to the other.

    python tools/docs_versions.py main v0.1.0 v0.2.0        each from its commit, into docs/_build/versions
    python tools/docs_versions.py main --out DIR            one of them anew; those that are there stay in the menu
    python tools/docs_versions.py main -- -D "lw_reference=--only add --backends numpy"     with options for Sphinx

A version's folder has the name of its tag without the v; a branch is called by its name. `versions.json`, which every
version reads, and a page that leads to the newest release are written beside the folders. Upload all of it as it is: to
the address `documentation` in docs/addresses.toml, or, while that is empty, to the root of a server.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from addresses import addresses

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "_build" / "versions"

REDIRECT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>latticework</title>
<meta http-equiv="refresh" content="0; url={name}/index.html"></head>
<body><p><a href="{name}/index.html">latticework {name}</a></p></body></html>
"""


def name_of(ref: str) -> str:
    """Return what a version is called: v0.1.0 is 0.1.0, feature/x is feature-x."""
    return (ref[1:] if re.match(r"v\d", ref) else ref).replace("/", "-")


def order(name: str) -> tuple[bool, list[int]]:
    """Return what versions are sorted by: branches first, then releases, the newest first."""
    return bool(re.match(r"\d", name)), [-int(n) for n in re.findall(r"\d+", name)]


def write_menu(folder: Path) -> None:
    """Write `versions.json` of the versions that a folder has, and the page that leads to the newest release."""
    names = sorted((path.parent.name for path in folder.glob("*/index.html")), key=order)
    newest = next((name for name in names if re.match(r"\d", name)), names[0])
    base = addresses().get("documentation", "").rstrip("/")
    menu = [{"version": name, "url": f"{base}/{name}/", "preferred": name == newest} for name in names]
    (folder / "versions.json").write_text(json.dumps(menu, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(REDIRECT.format(name=newest), encoding="utf-8")


def build(ref: str, folder: Path, options: list[str]) -> None:
    """Build the site of a commit, from a copy of its files."""
    with tempfile.TemporaryDirectory() as copy:
        packed = subprocess.run(["git", "archive", ref], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(copy, filter="data")
        path = os.pathsep.join([f"{copy}/src", os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", *options, "docs", str(folder / name_of(ref))]
        named = {"PYTHONPATH": path, "LATTICEWORK_DOCS_VERSION": name_of(ref)}
        subprocess.run(command, cwd=copy, env=os.environ | named, check=True)


def main() -> None:
    """Do what the text above says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("refs", nargs="+", metavar="REF", help="branches and tags")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the versions")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    given, options = parser.parse_args(words[:end]), words[end + 1 :]
    given.out.mkdir(parents=True, exist_ok=True)
    for ref in given.refs:
        build(ref, given.out.resolve(), options)
    write_menu(given.out)
    print(f"{given.out / 'index.html'}")


if __name__ == "__main__":
    main()
