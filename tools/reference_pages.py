"""Write the pages of the reference into docs/reference: a page for each public function and class, and the chapters.

    python tools/reference_pages.py                        write all of them
    python tools/reference_pages.py --only add linalg.inv  write those of some public names, and of their chapters
    python tools/reference_pages.py --backends numpy       look at one framework alone for the names of its functions

They are in reStructuredText, which Sphinx reads; the folder is not kept in the repository. A page has the signature,
the docstring, how each backend computes the function, and which dtypes it takes there, as the probe measured it. The
names of frameworks' own functions are found in the code of the backends whose frameworks are installed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pages
from reference_docstrings import Reader, heading
from reference_entries import Chapter, Entry, chapters, summary
from reference_support import Computed, computed, derivative_line, how_table, strip

FOLDER = pages.DOCS / "reference"

INDEX = """
Every public function and class, by chapter. A page has the signature, the docstring with examples that the tests run,
how each backend computes the function, and which dtypes it takes there. Three tables have the same for all functions:
:doc:`how each is computed </functions>`, :doc:`which dtypes each takes </support>`, and :doc:`where the frameworks'
operators differ </operators>`.
"""


class Site(NamedTuple):
    """What all pages are made from: the chapters, the reader of docstrings, and how functions are computed."""

    chapters: list[Chapter]
    reader: Reader
    computed: Mapping[str, Computed]


def function_page(site: Site, entry: Entry) -> str:
    """Return the page of a function or class."""
    reader, parts = site.reader, [_meta(entry, site), heading(f"lw.{entry.name}", "=")]
    if entry.defined_in:
        parts.insert(0, f":defined-in: {entry.defined_in}\n")
    parts.append(reader.described(entry))
    if entry.alias_of:
        parts.insert(-1, f"Another name of :py:obj:`lw.{entry.alias_of}`.\n")
    found = site.computed.get(entry.measured)
    if found is not None:
        parts += [
            heading("On each backend", "-"),
            how_table(found),
            derivative_line(entry.measured),
            strip(entry.measured),
        ]
    return "\n".join(parts)


def _meta(entry: Entry, site: Site) -> str:
    """Return the words that a search finds the page by, besides those on it.

    The name in plain words, and what other libraries call it, are entries of the index: as such a search ranks them
    above words in a text.
    """
    found = site.computed.get(entry.measured)
    names = [entry.short.replace("_", " "), *entry.keywords, *(found.names() if found else ())]
    entries = "\n".join(f"   single: {name}" for name in dict.fromkeys(names))
    description = summary(entry.doc).replace("`", "")
    return f".. meta::\n   :description: {description}\n\n.. index::\n{entries}\n"


def constants_page(site: Site, chapter: Chapter) -> str:
    """Return the page of a chapter whose names are values: a line for each."""
    lines = [heading(chapter.title, "="), chapter.about, ""]
    for entry in chapter.entries:
        # Sphinx would take lw.bool for the bool of signatures, which is Python's.
        lines += [f".. py:data:: lw.{entry.name}", *["   :no-index:"] * (entry.name == "bool"), ""]
        lines += [f"   {site.reader.value(entry)}", ""]
    return "\n".join(lines)


def chapter_page(site: Site, chapter: Chapter) -> str:
    """Return the page of a chapter: its functions, a line for each."""
    lines = [heading(chapter.title, "="), chapter.about, "", ".. list-table::", "   :class: lw-listing", ""]
    for entry in chapter.entries:
        lines += [f"   * - :doc:`lw.{entry.name} <{entry.page}>`", f"     - {site.reader.line(entry)}"]
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {entry.page}" for entry in chapter.entries), ""]
    return "\n".join(lines)


def index_page(site: Site) -> str:
    """Return the first page of the reference: each chapter with its names."""
    lines = [heading("Reference", "="), INDEX]
    for chapter in site.chapters:
        names = " ".join(f":doc:`{e.short} <{e.page or chapter.page}>`" for e in chapter.entries)
        lines += [f".. rubric:: :doc:`{chapter.title} <{chapter.page}>`", "   :class: lw-chapter", ""]
        lines += [".. rst-class:: lw-names", "", names, ""]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {chapter.page}" for chapter in site.chapters)]
    lines += ["   /functions", "   /support", ""]
    return "\n".join(lines)


def navigation(site: Site) -> str:
    """Return the chapters and their pages for the site's navigation, as JSON."""
    found = [
        {"title": c.title, "page": c.page, "entries": [[e.short, e.page] for e in c.entries if e.page]}
        for c in site.chapters
    ]
    return json.dumps(found, indent=0) + "\n"


def made(only: Iterable[str] = (), backends: Iterable[str] | None = None) -> Iterator[tuple[Path, str]]:
    """Make the pages: their paths and texts.

    Parameters
    ----------
    only: the public names whose pages to make, with the pages of their chapters; all by default.
    backends: those whose frameworks' functions are named; all that are installed by default.
    """
    wanted, every = {*only}, chapters()
    for chapter in every if wanted else ():
        chapter.entries[:] = [e for e in chapter.entries if e.name in wanted]
    every = [chapter for chapter in every if chapter.entries]
    names = {entry.name: entry for chapter in every for entry in chapter.entries}
    site = Site(every, Reader(names), computed(backends))
    yield FOLDER / "index.rst", index_page(site)
    yield FOLDER / "navigation.json", navigation(site)
    for chapter in every:
        page = chapter_page if any(e.page for e in chapter.entries) else constants_page
        yield FOLDER / f"{chapter.page}.rst", page(site, chapter)
        for entry in chapter.entries:
            if entry.page:
                yield FOLDER / f"{entry.page}.rst", function_page(site, entry)


def main() -> int:
    """Write what is not as it should be, and remove the pages of names that are no longer there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="public names: add linalg.inv")
    parser.add_argument("--backends", nargs="+", metavar="NAME", help="whose functions are named: all by default")
    options = parser.parse_args()
    found = dict(made(options.only, options.backends))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in found.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in {*FOLDER.glob("*.rst")} - found.keys():
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
