"""The command ``python -m latticework.testing``: see `latticework.testing`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence

from .checking import AREAS, run
from .findings import Finding, Report


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
        report = _report(given)
    except (ImportError, TypeError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _begin("")
    sys.stdout.write("\n".join([*report.lines(), ""]))
    failed = bool(report.differences or report.gone or report.stopped)
    if given.conformance:
        from . import conformance

        failed |= conformance.run(given.conformance, given.backend) != 0
    return int(failed)


def _report(given: argparse.Namespace) -> Report:
    """Run the kit. Ctrl-C and a termination, as by ``timeout``, end it with a report of what was run."""
    found: list[Finding] = []
    now = [""]

    def begin(what: str) -> None:
        now[0] = what
        _begin(what)

    alone = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if alone else None
    try:
        found.extend(run(given.backend, areas=given.area, functions=given.function, every=given.every, begin=begin))
    except KeyboardInterrupt:
        where = f"{found[-1].area}, " if found else ""
        return Report(given.backend, found, given.every, f"{where}{now[0]}")
    finally:
        if alone:
            signal.signal(signal.SIGTERM, before)
    return Report(given.backend, found, given.every)


def _begin(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{what:60}\r")


if __name__ == "__main__":
    sys.exit(main())
