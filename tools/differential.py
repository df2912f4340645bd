"""Compare every rule set with what its framework answers; print how many cells were compared, and how many are wrong.

    python tools/differential.py                 what the frameworks answered when the rules were written (a second)
    python tools/differential.py --live          and the frameworks that are installed, asked now (a few minutes)
    python tools/differential.py --live torch    one of them
    python tools/differential.py --recorded DIR  and what frameworks answered in the JSON files of a folder
    python tools/differential.py --show 20       up to 20 of the wrong cells of each comparison

What they answered lies in ``tests/expected``, one text table per question. Frameworks that a rule set has and that
are not installed are listed as not asked. Two tables are printed: of the common dtypes of operands, and of what
operations do beyond them, by their families.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

import families_live
import live
import recorded as recordings
import tables

from latticework.cli.output import working
from latticework.promotion import RULES
from latticework.promotion.families import family_of


def main() -> int:
    """Print the counts; 1 where a cell is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--live", nargs="*", metavar="framework", help=f"ask the frameworks too: {', '.join(live.ALL)}")
    parser.add_argument("--show", type=int, default=5, help="how many wrong cells to print of each comparison")
    parser.add_argument("--recorded", type=Path, metavar="DIR", help="a folder of JSON files, see tools/recorded.py")
    arguments = parser.parse_args()
    recorded: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    report: list[str] = []

    def compare(rules: str, question: str, found: dict[object, object], expected: dict[object, object]) -> None:
        wrong[rules] += sum(found[key] != expected[key] for key in expected)
        if difference := tables.differ(found, expected, arguments.show):
            report.append(f"{rules} {question}: {difference}")

    frameworks = [] if arguments.live is None else arguments.live or [*live.ALL]
    steps = 2 + len(frameworks) + len(recordings.ALL) * (arguments.recorded is not None)
    steps += sum(framework in families_live.ALL for framework in frameworks)
    with working("Comparing rules with the frameworks", steps) as step:
        step("what is recorded of common dtypes")
        for section in tables.sections():
            cells = {pair: cell for pair, cell in section.cells.items() if cell != tables.NOT_ASKED}
            recorded[section.rules] += len(cells)
            found = section.found()
            compare(section.rules, section.title, {pair: found[pair] for pair in cells}, dict(cells))
        missing = []
        for framework in frameworks:
            step(f"{framework}, asked for common dtypes")
            if find_spec(framework) is None:
                missing.append(framework)
                continue
            for comparison in live.ALL[framework]():
                asked[comparison.rules] += len(comparison.expected)
                compare(comparison.rules, f"{comparison.question}, live", comparison.found, comparison.expected)
        operations: Counter[tuple[str, str, str]] = Counter()
        left_out = 0

        def compare_family(rules: str, family: str, where: str, question: str, found: dict, expected: dict) -> None:
            operations[rules, family, where] += len(expected)
            operations[rules, family, "wrong"] += sum(found[key] != expected[key] for key in expected)
            if difference := tables.differ(found, expected, arguments.show):
                report.append(f"{rules} {question}, {where}: {difference}")

        step("what is recorded of operations")
        for section in tables.family_sections():
            found = section.found()
            for operation, cells in section.by_operation().items():
                family = family_of(RULES[section.rules], operation).name
                compare_family(section.rules, family, "recorded", operation, {k: found[k] for k in cells}, cells)
        for framework in [] if arguments.recorded is None else recordings.ALL:
            step(f"{framework}, in the files of {arguments.recorded}")
            files = {}
            for file, cells in recordings.ALL[framework](arguments.recorded):
                files[id(file)] = file
                compare_family(cells.rules, cells.family, "files", cells.question, cells.found, cells.expected)
            left_out += sum(file.left_out for file in files.values())
        for framework in (name for name in frameworks if name in families_live.ALL):
            step(f"{framework}, asked for operations")
            if framework not in missing:
                for cells in families_live.ALL[framework]():
                    left_out += cells.left_out
                    compare_family(cells.rules, cells.family, "live", cells.operation, cells.found, cells.expected)
    print(f"{'rules':18} {'checked against':30} {'recorded':>9} {'live':>9} {'wrong':>6}")
    for name in [n for n in RULES if n in recorded or n in asked]:
        print(f"{name:18} {RULES[name].version:30} {recorded[name]:9,} {asked[name]:9,} {wrong[name]:6,}")
    total = f"{recorded.total():9,} {asked.total():9,} {wrong.total():6,}"
    print(f"{'all':18} {'':30} {total}")
    print(f"\n{'rules':18} {'family of operations':38} {'recorded':>9} {'files':>9} {'live':>9} {'wrong':>6}")
    columns = ("recorded", "files", "live", "wrong")
    for name in dict.fromkeys(rules for rules, _, _ in operations):
        for family in dict.fromkeys(f for rules, f, _ in operations if rules == name):
            counts = [operations[name, family, column] for column in columns]
            print(f"{name:18} {family:38} " + " ".join(f"{n:{w},}" for n, w in zip(counts, (9, 9, 9, 6), strict=True)))
        sums = [sum(n for (r, _, c), n in operations.items() if r == name and c == column) for column in columns]
        print(f"{name:18} {'in all':38} " + " ".join(f"{n:{w},}" for n, w in zip(sums, (9, 9, 9, 6), strict=True)))
    sums = [sum(n for (_, _, c), n in operations.items() if c == column) for column in columns]
    print(f"{'all':18} {'':38} " + " ".join(f"{n:{w},}" for n, w in zip(sums, (9, 9, 9, 6), strict=True)))
    if left_out:
        print(f"{left_out:,} cells were left out: no kernel, no such call, or a shape that does not fit")
    wrong["operations"] = sum(n for (_, _, c), n in operations.items() if c == "wrong")
    for line in report:
        print(line)
    if missing:
        print(f"not installed, so not asked: {', '.join(missing)}")
    return 1 if wrong.total() else 0


if __name__ == "__main__":
    sys.exit(main())
