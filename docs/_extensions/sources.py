"""Lead from each page to its source: for a function the line of its `def`, for a guide its file.

Where docs/addresses.toml has the address of a file of the repository, that is where the link leads, and another one to
edit the file. Where it has none, the site has a copy of each module that a page of the reference is about.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from addresses import page_address
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx

#: The field at the top of a page of the reference that says where its function is defined: path and line.
FIELD = "defined-in"
#: The folder of the site that has the copies of modules.
COPIES = "sources"

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} – latticework {version}</title>
<link rel="icon" href="{root}_static/logo-light.svg">
<link rel="stylesheet" href="{root}_static/pygments.css"><link rel="stylesheet" href="{root}_static/site.css">
<script>document.documentElement.dataset.theme = localStorage.getItem("theme")
 || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");</script>
</head><body class="lw-source"><p><a href="{root}index.html">latticework {version}</a> / <code>{path}</code></p>
{text}
</body></html>
"""


def copy_of(path: str) -> str:
    """Return where the site has its copy of a module."""
    return f"{COPIES}/{path.removeprefix('src/')}.html"


def add_links(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Hand the addresses of a page's source to the template that shows them."""
    if doctree is None or page.startswith("port/"):
        return  # no file of its own: it is generated
    path, _, line = app.env.metadata[page].get(FIELD, "").partition(":")
    if not path and page.startswith("reference/"):
        return
    path = path or f"docs/{page}.md"
    source, edit = (
        page_address(kind, path=path, line=line or "1", version=app.config.release) for kind in ("source", "edit")
    )
    if not source and line:
        source = f"{context['pathto'](copy_of(path), True)}#L-{line}"
    context["lw_source"], context["lw_edit"], context["lw_path"] = source, edit, path


def write_copies(app: Sphinx, exception: Exception | None) -> None:
    """Write the copies of modules into the site, where the repository has no address."""
    if exception or app.builder.format != "html" or page_address("source", path="", line="", version=""):
        return
    root = Path(app.srcdir).parent
    for path in sorted({where.partition(":")[0] for m in app.env.metadata.values() if (where := m.get(FIELD))}):
        target = Path(app.outdir, copy_of(path))
        if target.exists() and target.stat().st_mtime > (root / path).stat().st_mtime:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        form = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, cssclass="highlight")
        text = highlight((root / path).read_text(encoding="utf-8"), PythonLexer(), form)
        up = "../" * copy_of(path).count("/")
        target.write_text(PAGE.format(path=html.escape(path), version=app.config.release, root=up, text=text), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("html-page-context", add_links)
    app.connect("build-finished", write_copies)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
