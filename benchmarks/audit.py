"""What an audit takes: a program of a thousand operations under fifteen rule sets, beside calls of that program.

    python benchmarks/audit.py

Prints the time of a call of the program on small NumPy arrays, of its first call, which makes each kernel, and of the
audit; and the audit as a multiple of the first call, which is to be at most 100. Medians of several rounds of processor
time, one thread.
"""

from __future__ import annotations

from timing import THREADS  # sets the number of threads, and comes before any framework

# isort: split
import linecache
import statistics
import time
from collections.abc import Callable
from typing import Any

import latticework as lw

GOAL, OPERATIONS, ROUNDS = 100, 1000, 7
RULES = (
    "unified", "precise", "strict", "numpy", "numpy1", "torch", "jax", "jax-x32", "tensorflow", "tensorflow-all",
    "keras", "keras-tensorflow", "mlx", "paddle", "max",
)  # fmt: skip
#: One operation each. The program goes through them until it has as many as it shall have.
LINES = (
    "x = x * y", "z = x + 1.5", "y = z - x", "x = lw.exp(y)", "b = x > 0.5", "y = lw.where(b, x, y)", "x = x / 2",
    "m = lw.mean(x)", "y = y - m", "x = lw.abs(x)",
)  # fmt: skip


def program() -> Callable[..., Any]:
    """The program, with a source that the audit can read."""
    body = [f"    {LINES[i % len(LINES)]}\n" for i in range(OPERATIONS)]
    lines = ["def program(x, y):\n", *body, "    return x, y\n"]
    linecache.cache["<program>"] = (len(lines), None, lines, "<program>")
    names: dict[str, Any] = {"lw": lw}
    exec(compile("".join(lines), "<program>", "exec"), names)
    found: Callable[..., Any] = names["program"]
    return found


def seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    f, x = program(), lw.ones(4)
    f(x, x)
    eager = [seconds(lambda: f(x, x)) for _ in range(ROUNDS)]
    first, audits = [], []
    spec = lw.spec(4, "float32")
    for i in range(ROUNDS):
        fresh = lw.Rules(
            f"fresh {i}", "int* -> float32\nfloat32 -> float64\nint32 -> float*\nfloat* -> float32\nbool -> int*"
        )
        with lw.using(rules=fresh):  # rules that nothing was called under yet
            first.append(seconds(lambda: f(x, x)))
        audits.append(seconds(lambda: lw.audit(f, spec, spec, rules=RULES)))
    call, cold, audit = (statistics.median(times) for times in (eager, first, audits))
    print(f"{OPERATIONS} operations on 4 elements, {len(RULES)} rule sets; {THREADS[0]}=1")
    print(f"call        {1e3 * call:8.2f} ms")
    print(f"first call  {1e3 * cold:8.2f} ms")
    print(f"audit       {1e3 * audit:8.2f} ms  {audit / cold:.0f} first calls (goal: {GOAL}), {audit / call:.0f} calls")


if __name__ == "__main__":
    main()
