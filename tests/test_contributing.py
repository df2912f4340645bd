"""CONTRIBUTING.md, followed literally.

In a copy of the package each section's steps are taken, its commands are run, and its examples have to come true.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

import latticework as lw

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "tools", "docs", "pyproject.toml", "constraints.txt")
SECTIONS = {
    title: text
    for title, _, text in (
        section.partition("\n") for section in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]
    )
}
#: The backends that the page's functions are tried on.
TRIED = [b.name for b in lw.backends() if b.installed and b.name in ("numpy", "torch")]


class Block(NamedTuple):
    """A fenced block: its language, the file that it changes, if any, and its text."""

    language: str
    file: str
    text: str


def blocks(section: str) -> list[Block]:
    fences = re.findall(r"^( *)```(\w+)(?: (\S+))?\n(.*?)^\1```$", SECTIONS[section], re.DOTALL | re.MULTILINE)
    return [Block(language, file, dedent(text)) for _, language, file, text in fences]


def follow(block: Block, root: Path) -> None:
    """Put a block into its file as the page says."""
    path = root / block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if block.language == "diff":
        lines = block.text.rstrip("\n").split("\n")
        old = "\n".join(line[1:] for line in lines if line[:1] != "+")
        new = "\n".join(line[1:] for line in lines if line[:1] != "-")
        assert before.count(old) == 1, f"{block.file} has {before.count(old)} times:\n{old}"
        after = before.replace(old, new)
    else:
        after = f"{before}\n\n{block.text}" if before else block.text
    path.write_text(after, encoding="utf-8")


def run(root: Path, *command: str) -> None:
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root))), "JAX_PLATFORMS": "cpu",
        "LATTICEWORK_TEST_BACKENDS": ",".join((*TRIED, *added_backends(root))),
    }  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment, cwd=root)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


def added_backends(root: Path) -> list[str]:
    ours = {path.parent.name for path in (ROOT / "src").glob("latticework/backends/*/backend.json")}
    return [p.parent.name for p in root.glob("src/latticework/backends/*/backend.json") if p.parent.name not in ours]


DOCSTRINGS = """
import doctest, sys
import latticework as lw

runner = doctest.DocTestRunner()
for backend in sys.argv[1].split(","):
    with lw.using(backend=backend):
        for name in sys.argv[2:]:
            for test in doctest.DocTestFinder().find(getattr(lw, name), name):
                assert test.examples and runner.run(test).failed == 0
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, its tests, tools and pages."""
    for name in COPIED:
        source, target = ROOT / name, tmp_path / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "_build", "reference", "port"))
        else:
            shutil.copy(source, target)
    if sys.pycache_prefix:  # the copy need not be compiled once more for each process
        compiled = Path(sys.pycache_prefix)
        for name in ("src", "tests", "tools"):
            source = compiled / (ROOT / name).relative_to("/")
            if source.is_dir():
                shutil.copytree(source, compiled / (tmp_path / name).relative_to("/"), dirs_exist_ok=True)
    return tmp_path


def take_all_steps(section: str, root: Path) -> None:
    functions = []
    for block in blocks(section):
        if block.file:
            follow(block, root)
            if block.file.startswith("src/latticework/api/"):
                functions += re.findall(r"^def ([a-z]\w*)", block.text, re.MULTILINE)
            continue
        if functions:
            run(root, sys.executable, "-c", DOCSTRINGS, ",".join(TRIED), *functions)
        if block.language == "console":
            for line in block.text.splitlines():
                command = shlex.split(line.removeprefix("$ "))
                module = ["-m", "latticework"] if command[0] == "latticework" else []
                if "torch" in command and "torch" not in TRIED:
                    continue
                run(root, sys.executable, *module, *command[1:])
        else:
            (root / "examples.txt").write_text(block.text, encoding="utf-8")
            run(root, sys.executable, "-m", "doctest", "-o", "ELLIPSIS", "examples.txt")


def changed_lines(root: Path) -> dict[str, list[str]]:
    """The generated files that differ from ours: the lines added and taken away."""
    found = {}
    for path in [*root.glob("docs/**/*.md"), *root.glob("docs/**/*.svg"), *root.glob("src/**/support/*.json")]:
        ours = ROOT / path.relative_to(root)
        if not ours.exists():
            found[str(path.relative_to(root))] = ["+"]
            continue
        old, new = ours.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
        if old != new:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
            found[str(path.relative_to(root))] = [x for x in lines if x[:3] not in ("---", "+++") and x[:2] != "@@"]
    return found


#: Sections whose commands take long. The commands of "A function" are among theirs.
LONG = {"A backend", "A class of a dialect", "A function", "A function of a dialect", "A rule set"}


@pytest.mark.parametrize("section", sorted(LONG))
def test_the_blocks_fit_into_the_files_that_the_page_names(section: str, tmp_path: Path) -> None:
    """The steps of the long sections without their commands, which a sweep runs."""
    changes = [block for block in blocks(section) if block.file]
    for file in {block.file for block in changes}:
        if (ROOT / file).exists():
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tmp_path / file)
    for block in changes:
        follow(block, tmp_path)
        if block.file.endswith(".py"):
            compile((tmp_path / block.file).read_text(encoding="utf-8"), block.file, "exec")
    assert changes


@pytest.mark.parametrize("section", [pytest.param(s, marks=pytest.mark.sweep) if s in LONG else s for s in SECTIONS])
def test_the_steps_do_what_the_page_says(section: str, copy: Path) -> None:
    if "torch" not in TRIED:
        pytest.skip("the page's examples need torch")
    take_all_steps(section, copy)
    changed = changed_lines(copy)
    if section == "A function":
        support = {f"src/latticework/backends/support/{name}.json" for name in TRIED}
        assert {*changed} == support | {"docs/support.md", "docs/functions.md", "docs/rules/unified.md"}
        for file, lines in changed.items():
            assert sum(bool(re.search(r"\bfrac\b", line)) for line in lines if line[0] == "+") == 1, file
            # One row; docs/functions.md has the counts of five backends too, before and after.
            most = {"docs/rules/unified.md": 2, "docs/functions.md": 1 + 2 * 5}
            assert len(lines) <= most.get(file, 1), (file, lines)
