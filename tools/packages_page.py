"""Write the table of docs/guides/packages.md from the record of the packages' tests, or check it.

python tools/packages_page.py            write the page
python tools/packages_page.py --check    fail if it is out of date
"""

from __future__ import annotations

import sys
from pathlib import Path

import packages
import pages

PAGE = pages.DOCS / "guides" / "packages.md"


def made() -> dict[Path, str]:
    """The page as it should be."""
    parts = {"table": packages.table(), "reasons": packages.reasons() or "Nothing."}
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), parts)}


def main() -> int:
    return pages.write(made(), check=pages.options(__doc__).check)


if __name__ == "__main__":
    sys.exit(main())
