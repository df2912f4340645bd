"""The command ``python -m latticework.testing``: see `latticework.testing`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import AREAS, check


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kit, print its table and return the exit code: 1 where anything differs."""
    parser = argparse.ArgumentParser(
        prog="python -m latticework.testing", description="Compare a backend with NumPy's."
    )
    parser.add_argument("backend", help="its name, as in lw.using(backend=...)")
    parser.add_argument("--area", action="append", choices=[*AREAS], help="only this; can be given several times")
    parser.add_argument("--function", action="append", help="only this; can be given several times")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run one call in N, the same ones each time")
    parser.add_argument("--conformance", metavar="PATH", help="run the array API's own suite, array-api-tests, as well")
    given = parser.parse_args(arguments)
    try:
        report = check(given.backend, areas=given.area, functions=given.function, every=given.every, begin=_begin)
    except (ImportError, TypeError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _begin("")
    sys.stdout.write("\n".join([*report.lines(), ""]))
    failed = bool(report.differences or report.gone)
    if given.conformance:
        from .conformance import run

        failed |= run(given.conformance, given.backend) != 0
    return int(failed)


def _begin(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{what:60}\r")


if __name__ == "__main__":
    sys.exit(main())
