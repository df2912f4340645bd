"""Links between the pages: files are there, and so are the headings that they name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Pages that are made when the site is built (`tools/port_guide.py`).
MADE = ROOT / "docs" / "port"
PAGES = [
    p for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")) if MADE not in p.parents and "_build" not in p.parts
]
#: A fence of an example, and a link to no address.
FENCE, LINK = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE), re.compile(r"\]\((?!\w+:|//)([^)\s]+)\)")


@cache
def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as forges make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if MADE in (target, *target.parents):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert not broken(page)


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One, two\n[x](b.md) [y](#one-two) [z](#three) [w](https://example.org/q)\n")
    assert broken(tmp_path / "a.md") == ["b.md", "#three"]
