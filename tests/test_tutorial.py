"""docs/tutorial.md, followed literally: its program is changed step by step, and prints what the page shows."""

from __future__ import annotations

import io
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"
#: A fenced block: its language, the file that it makes or changes, if any, and its text.
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: A command of a console block, and what it prints.
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def changed(before: str, diff: str) -> str:
    """Apply a diff, whose lines that are not added have to be in the text once."""
    lines = diff.rstrip("\n").split("\n")
    old = "\n".join(line[1:] for line in lines if line[:1] != "+")
    new = "\n".join(line[1:] for line in lines if line[:1] != "-")
    assert before.count(old) == 1, f"the program has {before.count(old)} times:\n{old}"
    return before.replace(old, new)


def printed(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a command and return what it prints: a program in this process, which has imported the frameworks already."""
    program, *arguments = shlex.split(command)
    if program == "latticework":
        run = [sys.executable, "-m", program, *arguments]
        return subprocess.run(run, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
    monkeypatch.setattr(sys, "argv", arguments)
    with redirect_stdout(io.StringIO()) as out:
        try:
            runpy.run_path(arguments[0], run_name="__main__")
        except Exception as error:
            out.write(f"{type(error).__module__}.{type(error).__qualname__}: {error}\n")
    return out.getvalue()


def trimmed(text: str) -> str:
    """Return a text without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def followed(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the page with the outputs that its commands have."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "160")

    def take(block: re.Match[str]) -> str:
        language, file, text = block.groups()
        if language == "console":
            outputs = [(m[1], printed(m[1], monkeypatch)) for m in COMMAND.finditer(text)]
            return "```console\n" + "".join(f"$ {command}\n{trimmed(out)}\n" for command, out in outputs) + "```"
        path = folder / file
        path.write_text(changed(path.read_text(), text) if language == "diff" else text)
        return block[0]

    return FENCE.sub(take, page)


def test_each_step_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for framework in ("torch", "jax"):
        pytest.importorskip(framework)
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("```diff") >= 8 and page.count("$ python") >= 9
    assert followed(page, tmp_path, monkeypatch) == page
