"""Write everything in the repository that is generated, or check it: dispatchers, stubs and parts of docs/.

    python tools/write_pages.py            write what is out of date
    python tools/write_pages.py --check    write nothing; list what is out of date, and fail if anything is

Each tool runs in a process of its own. They need the frameworks, which say what names there are.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pages

#: The tools, in the order in which they need one another's results.
TOOLS = (
    "write_calling", "stubs", "support_page", "function_page", "operator_page", "derivatives_page", "dialect_page",
    "packages_page", "plugins_page", "adopters_page", "rule_pages", "gallery_page",
)  # fmt: skip


def main() -> int:
    """Run the tools; 1 where one fails, or finds something out of date."""
    check = ["--check"] if pages.options(__doc__).check else []
    folder = Path(__file__).parent
    failed = [
        name
        for name in TOOLS
        if subprocess.run([sys.executable, folder / f"{name}.py", *check], check=False).returncode
    ]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
