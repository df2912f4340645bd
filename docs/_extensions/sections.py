"""Arrange the pages in sections, and add to a page what it has on the site alone.

The files of docs/ are read on a forge too, where a directive of Sphinx would show as it is written. So the list of the
pages under a page, and the pictures of the rule sets, are added to the text when Sphinx reads it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from addresses import completed

#: page -> the pages under it, in order. What is generated, or is not there, is left out.
SECTIONS: dict[str, str] = {
    "index": """
        start guides/index gallery/index porting explorer reference/index rules/index sharp_bits faq comparison
        internals
    """,
    "start": "tutorial",
    "guides/index": """
        dtypes guides/promotion guides/views random guides/gradients derivatives guides/dask guides/scale tracing
        guides/state guides/source guides/to_numpy graphs guides/onnx onnx_operators audit authors dialects
        guides/*
    """,
    "gallery/index": "gallery/diffusion gallery/*",
    "porting": "port/index port/* operators",
    "internals": "design backends plugins conformance speed contributing changes",
    "rules/index": "rules/unified rules/precise rules/strict rules/array_api rules/*",
}
#: Files of the repository's root that are pages here too.
OUTSIDE = {"CONTRIBUTING.md": "/contributing.md", "CHANGELOG.md": "/changes.md", "README.md": "/index.md"}
#: What the navigation calls a page whose own title is longer.
TITLES = {
    "start": "Start", "guides/index": "Guides", "porting": "Port guide", "explorer": "Explorer",
    "reference/index": "Reference", "rules/index": "Rule sets", "internals": "Internals",
    "comparison": "Comparison", "faq": "FAQ", "sharp_bits": "Sharp bits",
    "gallery/index": "Gallery",
}  # fmt: skip

_FUNCTION = re.compile(r"(?<![\[`\w])`(lw\.[a-z]\w*(?:\.\w+)?|lw\.[A-Z]\w*)`(?![`\]])")
_FENCE = re.compile(r"\s*(```+)")

#: The tools that write pages before Sphinx looks for them.
BEFORE = ("reference_pages.py", "port_guide.py")
#: What keeps frameworks from looking for GPUs, and from remarks on the machine.
QUIET = {
    "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
}  # fmt: skip
#: The tools that write a file into the finished site.
AFTER = {"explorer_page.py": "explorer.html"}


def under(page: str, found: Iterable[str]) -> list[str]:
    """List the pages under a page that there are, each once."""
    names = sorted(found)
    listed = dict.fromkeys(name for pattern in SECTIONS[page].split() for name in fnmatch.filter(names, pattern))
    return [name for name in listed if name != page]


def toctree(page: str, found: Iterable[str]) -> str:
    """Return the hidden list of the pages under a page, in MyST."""
    entries = [f"{TITLES[name]} </{name}>" if name in TITLES else f"/{name}" for name in under(page, found)]
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n" if entries else ""


def rule_cards(names: list[str]) -> str:
    """Return a card with the diagram of each rule set, in MyST."""
    cards = [
        f":::{{grid-item-card}} {name}\n:link: {name}\n:link-type: doc\n:img-top: {name}.svg\n"
        f":img-alt: The diagram of the {name} rules\n:class-card: lw-picture\n:::\n"
        for name in names
    ]
    return "\n::::{grid} 2 3 4 4\n:gutter: 2\n\n" + "\n".join(cards) + "::::\n"


def with_pictures(text: str, name: str) -> str:
    """Return the page of a rule set with its diagram and its table under the title, which lead to those below."""
    pictures = [
        f":::{{grid-item}}\n[![The {what} of the {name} rules]({name}{suffix}.svg)](#the-{what})\n:::\n"
        for what, suffix in (("diagram", ""), ("table", "-table"))
    ]
    title, line, rest = text.partition("\n")
    return f"{title}\n\n::::{{grid}} 2\n:class-container: lw-pictures\n\n" + "\n".join(pictures) + f"::::\n{line}{rest}"


def with_links(line: str, found: Container[str]) -> str:
    """Return a line in which the name of a function, as `lw.sum`, leads to its page in the reference."""

    def link(name: re.Match[str]) -> str:
        pages = (f"reference/{name[1]}", f"reference/{name[1]}-class")
        page = next((page for page in pages if page in found), None)
        return f"[{name[0]}](/{page}.rst)" if page else name[0]

    return line if line.startswith("#") else _FUNCTION.sub(link, line)


def for_the_site(text: str, found: Container[str]) -> str:
    """Return a page with links to the reference, and without the empty lines that end blocks of examples.

    Doctest asks for those lines.
    """
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found_fence = _FENCE.match(line)
        if found_fence and not fence:
            fence = found_fence[1]
        elif found_fence and line.strip() == fence:
            fence = ""
            while lines and not lines[-1].strip():
                lines.pop()
        lines.append(line if fence or found_fence else with_links(line, found))
    return "\n".join(lines)


def with_notebook(text: str, page: str) -> str:
    """Return a page with a link under its title to download it as a notebook."""
    title, line, rest = text.partition("\n")
    path = f"{'../' * page.count('/')}notebooks/{page.rpartition('/')[2]}.ipynb"
    return f'{title}\n\n<p class="lw-notebook"><a href="{path}" download>This page as a notebook</a></p>\n{line}{rest}'


def with_program(text: str, name: str) -> str:
    """Return the page of a program of the gallery with the program at its end."""
    block = f"```{{literalinclude}} ../../examples/{name}.py\n:language: python\n```"
    return f"{text}\n## The program\n\n{block}\n"


def complete(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what it has on the site alone."""
    if page == "rules/index":
        names = [name.partition("/")[2] for name in under(page, app.env.found_docs)]
        head, line, rest = source[0].partition("\n## ")
        source[0] = head + rule_cards(names) + line + rest
    elif page.startswith("rules/"):
        source[0] = with_pictures(source[0], page.removeprefix("rules/"))
    elif page.startswith("gallery/") and page != "gallery/index":
        source[0] = with_program(source[0], page.removeprefix("gallery/"))
    elif Path(app.srcdir, "_build", "extra", "notebooks", f"{page.rpartition('/')[2]}.ipynb").exists():
        source[0] = with_notebook(source[0], page)
    source[0] = completed(source[0])
    if not page.startswith("reference/"):
        source[0] = for_the_site(source[0], app.env.found_docs)
    if page in SECTIONS:
        source[0] += toctree(page, app.env.found_docs)
    for outside, here in OUTSIDE.items():
        source[0] = re.sub(rf"\]\((?:\.\./)+{outside}", f"]({here}", source[0])


def outdated(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Return the pages to read again: those that list others, where one came or went."""
    return [page for page in SECTIONS if page in env.found_docs] if added or removed else []


def _tools(app: Sphinx) -> Path:
    return Path(app.srcdir).parent / "tools"


def write_pages(app: Sphinx, config: Any) -> None:
    """Run the tools that write pages, in processes of their own, since they import frameworks."""
    options = {"reference_pages.py": config.lw_reference.split()}
    running = {
        tool: subprocess.Popen([sys.executable, _tools(app) / tool, *options.get(tool, ())], env=QUIET | os.environ)
        for tool in BEFORE
        if tool in config.lw_tools
    }
    failed = [tool for tool, process in running.items() if process.wait()]
    if failed:
        raise ExtensionError(f"{', '.join(failed)} failed: see above")


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Run the tools that write into the finished site."""
    if exception is None and app.builder.format == "html":
        for tool, file in AFTER.items():
            if tool in app.config.lw_tools:
                subprocess.run([sys.executable, _tools(app) / tool, Path(app.outdir) / file], check=True)


def add_navigation(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Hand the chapters of the reference to the template of its navigation."""
    if page.startswith("reference/"):
        if not hasattr(app, "lw_chapters"):
            app.lw_chapters = json.loads(Path(app.srcdir, "reference/navigation.json").read_text())  # type: ignore[attr-defined]
        context["lw_chapters"] = app.lw_chapters  # type: ignore[attr-defined]
        context["lw_page"] = page.removeprefix("reference/")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.add_config_value("lw_tools", [*BEFORE, *AFTER], "env", list)  # those that are run
    app.add_config_value("lw_reference", "", "env", str)  # options of reference_pages.py
    app.connect("config-inited", write_pages)
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", complete)
    app.connect("html-page-context", add_navigation)
    app.connect("build-finished", write_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
