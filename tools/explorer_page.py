"""Write the explorer of promotion rules: one HTML page that needs no server and downloads nothing.

    python tools/explorer_page.py docs/_build/html/explorer.html

The page has the answers of all rule sets in it. `tools/explorer/data.py` makes them from the rule sets themselves.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.data import made

SOURCES = Path(__file__).parent / "explorer"
ICON = Path(__file__).parents[1] / "docs" / "_static" / "logo-light.svg"

#: The page's scripts, in the order in which they need one another.
SCRIPTS = ("rules.js", "tables.js", "explorer.js")


def page(data: Mapping[str, Any]) -> str:
    """Return the page as a text, with the data that `explorer.data.made` returns."""
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    parts = {
        "{{icon}}": "data:image/svg+xml;base64," + base64.b64encode(ICON.read_bytes()).decode(),
        "/*{{css}}*/": _source("explorer.css"),
        "/*{{js}}*/": "\n".join(map(_source, SCRIPTS)),
        "{{data}}": written.replace("<", "\\u003c"),  # no text of the data may close its element
    }
    text = _source("page.html")
    for mark, part in parts.items():
        before, found, after = text.partition(mark)
        assert found, f"page.html has no {mark}"
        text = before + part + after
    return text


def _source(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write")
    out: Path = parser.parse_args().out
    out.parent.mkdir(parents=True, exist_ok=True)
    text = page(made())
    out.write_text(text, encoding="utf-8")
    print(f"{out}: {len(text.encode()) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
