"""What the tools share that write generated pages: parts are filled, pages written, and found out of date."""

from __future__ import annotations

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


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_every_tool_has_the_option(tool: str) -> None:
    helped = subprocess.run(
        [sys.executable, TOOLS / f"{tool}.py", "--help"], check=True, capture_output=True, text=True
    )
    assert "--check" in helped.stdout and "write nothing" in helped.stdout
