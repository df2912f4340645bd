"""What the search of the site shows: the first sentence of each page, and words that a page is found by.

The search itself is in _static/search.js.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search import languages
from sphinx.search.en import SearchEnglish

#: page -> what people look for that the page answers in other words.
WORDS = {
    "sharp_bits": "gotchas, pitfalls, common errors, surprises",
    "guides/views": "in-place update, in place, index_update, .at[].set, mutation, aliasing",
    "guides/gradients": "autograd, autodiff, backpropagation, backward, tf.gradienttape, gradient tape",
    "guides/pytorch": "nn.module, torch.nn.module, torch.optim, optimizer, dataloader, state_dict, torch.load",
    "guides/promotion": "type promotion, result type, implicit cast, nep 50",
    "random": "seed, random seed, rng, np.random.default_rng, torch.generator, reproducible",
    "graphs": "onnx, to_onnx, save a model, export",
    "tracing": "torch.compile, jax.jit, tf.function, jit, compile",
    "authors": "array_namespace, array-api-compat, array api, native arrays",
    "support": "supported dtypes, unsupported dtype, not implemented for",
    "guides/dask": "chunks, out of memory, larger than memory, lazy",
    "backends": "plugin, new backend, mlx, cupy",
}
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


def write_found(app: Sphinx, exception: Exception | None) -> None:
    """Write for each page its first sentence, the words that it is found by, and what it is another name of.

    The words are those of the index. Sphinx' own search index has them for those pages alone that were written last.
    """
    if exception is None and app.builder.format == "html":
        entries = app.env.domaindata["index"]["entries"]
        found = {}
        for page in sorted(app.env.found_docs):
            words = [word.lower() for kind, word, *_ in entries.get(page, ()) if kind == "single"]
            words += WORDS[page].split(", ") if page in WORDS else []
            kept = app.env.metadata[page]
            found[page] = [kept.get("summary", ""), words, kept.get("other_name", "")]
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
