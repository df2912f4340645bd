"""Write the tables of examples/adopters/README.md and docs/authors.md from the record of the adopters, or check them.

python tools/adopters_page.py            write the pages
python tools/adopters_page.py --check    fail if they are out of date
"""

from __future__ import annotations

import sys
from pathlib import Path

import adopters
import pages

README = adopters.LAYERS / "README.md"
GUIDE = pages.DOCS / "authors.md"


def made() -> dict[Path, str]:
    """The pages as they should be."""
    table = adopters.table()
    return {
        README: pages.filled(README.read_text(encoding="utf-8"), {"table": table, "details": adopters.details()}),
        GUIDE: pages.filled(GUIDE.read_text(encoding="utf-8"), {"adopters": table}),
    }


def main() -> int:
    return pages.write(made(), check=pages.options(__doc__).check)


if __name__ == "__main__":
    sys.exit(main())
