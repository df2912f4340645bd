"""What the tools share that write generated pages: parts are filled, pages written, and found out of date."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
sys.path.insert(0, str(TOOLS))

import pages

PAGE = "By hand.\n<!-- generated: a -->\nold\n<!-- end -->\nBy hand too.\n<!-- generated: b -->\n<!-- end -->\n"


def test_parts_are_filled_and_the_rest_is_kept() -> None:
    made = pages.filled(PAGE, {"a": "new\n", "b": "| two |\n| lines |"})
    assert made == PAGE.replace("old", "new").replace("b -->\n", "b -->\n| two |\n| lines |\n")
    assert pages.filled(made, {"a": "new", "b": "| two |\n| lines |"}) == made
    assert pages.filled("<!-- generated -->\n<!-- end -->", {"": "x"}) == "<!-- generated -->\nx\n<!-- end -->"


@pytest.mark.parametrize("parts", [{"a": ""}, {"a": "", "b": "", "c": ""}, {"": ""}])
def test_a_page_with_other_parts_is_refused(parts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"has the generated parts \['a', 'b'\], and should have"):
        pages.filled(PAGE, parts)


def test_a_check_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stale, fresh, new = tmp_path / "stale.md", tmp_path / "fresh.md", tmp_path / "folder" / "new.md"
    stale.write_text("old"), fresh.write_text("as it is")
    should_be = {stale: "as it should be", fresh: "as it is", new: "new"}
    assert pages.write(should_be, check=True) == 1
    assert (stale.read_text(), new.exists()) == ("old", False)
    assert capsys.readouterr().out == f"out of date: {stale}\nout of date: {new}\n"
    assert pages.write(should_be, check=False) == 0
    assert pages.out_of_date(should_be) == [] and new.read_text() == "new"
    assert capsys.readouterr().out == f"written: {stale}\nwritten: {new}\n"
    assert pages.write(should_be, check=True) == 0


#: The tools that write pages which are kept in the repository: the reference is written when the site is built.
TOOL_NAMES = sorted(
    {path.stem for path in TOOLS.glob("*_page*.py") if "\nimport pages\n" in path.read_text("utf-8")}
    - {"reference_pages"}
)


#: Asks each tool for its help, and tells what it says.
HELPED = """
import contextlib, io, json, runpy, sys

told = {}
for tool in sys.argv[1:]:
    sys.argv, said = [tool, "--help"], io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        runpy.run_path(tool, run_name="__main__")
    told[tool] = said.getvalue()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    """What each tool says of its options: one process has the frameworks imported for all of them."""
    tools = [str(TOOLS / f"{tool}.py") for tool in TOOL_NAMES]
    command = [sys.executable, "-c", HELPED, *tools]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TOOLS), os.environ.get("PYTHONPATH", "")])}
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_every_tool_has_the_option(helps: dict[str, str], tool: str) -> None:
    said = helps[str(TOOLS / f"{tool}.py")]
    assert "--check" in said and "write nothing" in said
