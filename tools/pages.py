"""Write the generated parts of the pages in docs/, or check them: what the tools that generate them share.

A generated part stands between ``<!-- generated -->``, or ``<!-- generated: name -->`` where a page has several, and
``<!-- end -->``. All else on a page is written by hand and kept. With ``--check`` a tool writes nothing, and fails if a
page is out of date.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"

_PART = re.compile(r"(<!-- generated(?:: (\w+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Return a page with its generated parts as they should be.

    Parameters
    ----------
    text: the page as it is.
    parts: the text of each part by its name; the name of a page's only part is "".

    Raises
    ------
    ValueError: the page has other parts than these.
    """
    names = {found[2] or "" for found in _PART.finditer(text)}
    if names != parts.keys():
        raise ValueError(f"the page has the generated parts {sorted(names)}, and should have {sorted(parts)}")
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2] or ''].rstrip()}\n{found[3]}", text)


def out_of_date(pages: Mapping[Path, str]) -> list[Path]:
    """Find the pages that are not as they should be, or do not exist.

    Parameters
    ----------
    pages: the text that each page should have.
    """
    return [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def write(pages: Mapping[Path, str], *, check: bool) -> int:
    """Write the pages that are out of date, or only print which they are.

    Parameters
    ----------
    pages: the text that each page should have.
    check: whether to write nothing.

    Returns
    -------
    The status that the tool exits with: 1 where it only checks and finds a page that is out of date.
    """
    stale = out_of_date(pages)
    for path in stale:
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], encoding="utf-8")
        shown = path.relative_to(DOCS.parent) if path.is_relative_to(DOCS.parent) else path
        print(f"{'out of date' if check else 'written'}: {shown}")
    return int(check and bool(stale))


def options(doc: str | None, **flags: str) -> argparse.Namespace:
    """Read the command line of a tool.

    Parameters
    ----------
    doc: the tool's docstring, whose first line describes it.
    flags: the tool's own options besides ``--check``, and what each does.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    for name, what in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=what)
    return parser.parse_args()
