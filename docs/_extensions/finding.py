"""What the search of the site shows: the first sentence of each page, and words that a page is found by.

The search itself is in _static/search.js.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search import languages
from sphinx.search.en import SearchEnglish

#: A page, or a section of one, and what people look for that it answers in other words.
ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))
#: How long a first sentence is at most.
LENGTH = 180


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, or of a long one the words that have room."""
    plain = " ".join(text.replace("`", "").split())
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z\"(])", plain, maxsplit=1)[0]
    return sentence if len(sentence) <= LENGTH else sentence[:LENGTH].rpartition(" ")[0].rstrip(",;:") + " …"


def summary(doctree: nodes.document) -> str:
    """Return the first sentence of a page: of its description, or of its first paragraph of text."""
    for description in doctree.findall(nodes.meta):
        if description.get("name") == "description":
            return first_sentence(str(description["content"]))
    for paragraph in doctree.findall(nodes.paragraph):
        text = "" if any(paragraph.findall(nodes.image)) else str(paragraph.astext())
        if len(text) > 20:
            return first_sentence(text)
    return ""


def other_name(doctree: nodes.document) -> str:
    """Return the function that a page of the reference is another name of, "" for a page of its own."""
    for paragraph in doctree.findall(nodes.paragraph):
        if paragraph.astext().startswith("Another name of lw."):
            return paragraph.astext().removeprefix("Another name of ").rstrip(".")
    return ""


def remember(app: Sphinx, doctree: nodes.document) -> None:
    """Keep of a page that was read what the search shows of it."""
    kept = app.env.metadata[app.env.docname]
    kept["summary"] = summary(doctree)
    if app.env.docname.startswith("reference/lw."):
        kept["other_name"] = other_name(doctree)


def named(entry: str) -> str:
    """Return the name of an entry of the index: of ``lw.pi (built-in variable)`` the name alone."""
    return re.sub(r" \(.*\)$", "", entry).lower()


def answers(page: str) -> dict[str, str]:
    """Return what a page answers, and the section in which it does: ``{"cuda": "#how-do-i-compute-on-a-gpu"}``."""
    found = {}
    for place, texts in ANSWERS.items():
        name, number_sign, section = place.partition("#")
        if name == page:
            found |= dict.fromkeys(texts, number_sign + section)
    return found


def write_found(app: Sphinx, exception: Exception | None) -> None:
    """Write for each page its first sentence, its names in other libraries, what it is another name of, its answers.

    The words are those of the index. Sphinx' own search index has them for those pages alone that were written last.
    """
    if exception is None and app.builder.format == "html":
        entries = app.env.domaindata["index"]["entries"]
        found = {}
        for page in sorted(app.env.found_docs):
            words = [named(word) for kind, word, *_ in entries.get(page, ()) if kind == "single"]
            kept = app.env.metadata[page]
            found[page] = [kept.get("summary", ""), words, kept.get("other_name", ""), answers(page)]
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":")).replace("],", "],\n")
        Path(app.outdir, "_static", "found.js").write_text(f"SiteSearch.pages = {text};\n", encoding="utf-8")


class Search(SearchEnglish):
    """The search's English, which finds the stem of a word once for all pages."""

    stems: ClassVar[dict[str, str]] = {}

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        if word not in self.stems:
            self.stems[word] = super().stem(word)
        return self.stems[word]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    languages["en"] = Search
    app.connect("doctree-read", remember)
    app.connect("build-finished", write_found)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
