"""Compare every rule set with what its framework answers; print how many cells were compared, and how many are wrong.

    python tools/differential.py                 what the frameworks answered when the rules were written (a second)
    python tools/differential.py --live          and the frameworks that are installed, asked now (a few minutes)
    python tools/differential.py --live torch    one of them
    python tools/differential.py --show 20       up to 20 of the wrong cells of each comparison

What they answered lies in ``tests/expected``, one text table per question. Frameworks that a rule set has and that
are not installed are listed as not asked.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import live
import tables

from latticework.promotion import RULES


def main() -> int:
    """Print the counts; 1 where a cell is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--live", nargs="*", metavar="framework", help=f"ask the frameworks too: {', '.join(live.ALL)}")
    parser.add_argument("--show", type=int, default=5, help="how many wrong cells to print of each comparison")
    arguments = parser.parse_args()
    recorded: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    report: list[str] = []

    def compare(rules: str, question: str, found: dict[object, object], expected: dict[object, object]) -> None:
        wrong[rules] += sum(found[key] != expected[key] for key in expected)
        if difference := tables.differ(found, expected, arguments.show):
            report.append(f"{rules} {question}: {difference}")

    for section in tables.sections():
        cells = {pair: cell for pair, cell in section.cells.items() if cell != tables.NOT_ASKED}
        recorded[section.rules] += len(cells)
        found = section.found()
        compare(section.rules, section.title, {pair: found[pair] for pair in cells}, dict(cells))
    missing = []
    for framework in [] if arguments.live is None else arguments.live or [*live.ALL]:
        if find_spec(framework) is None:
            missing.append(framework)
            continue
        for comparison in live.ALL[framework]():
            asked[comparison.rules] += len(comparison.expected)
            compare(comparison.rules, f"{comparison.question}, live", comparison.found, comparison.expected)
    print(f"{'rules':18} {'checked against':30} {'recorded':>9} {'live':>9} {'wrong':>6}")
    for name in [n for n in RULES if n in recorded or n in asked]:
        print(f"{name:18} {RULES[name].version:30} {recorded[name]:9,} {asked[name]:9,} {wrong[name]:6,}")
    total = f"{recorded.total():9,} {asked.total():9,} {wrong.total():6,}"
    print(f"{'all':18} {'':30} {total}")
    for line in report:
        print(line)
    if missing:
        print(f"not installed, so not asked: {', '.join(missing)}")
    return 1 if wrong.total() else 0


if __name__ == "__main__":
    sys.exit(main())
