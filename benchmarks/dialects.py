"""What a dialect's call costs beside the same call of latticework.

    python benchmarks/dialects.py                        all dialects, on NumPy
    python benchmarks/dialects.py --dialect torch --backend jax --size 1000
    python benchmarks/dialects.py --markdown

One thread, both in turns in one process. The ratio is the median over the rounds, with its quartiles; the goal is 1.2.
"""

from __future__ import annotations

from timing import measure  # sets the number of threads, and comes before any framework

# isort: split
import argparse
import importlib
import math
import statistics
from typing import Any

import latticework as lw
from latticework.frontends import dialect_named

#: Expressions in the dialect, and the same in latticework: x and y are vectors, m is a matrix.
COMMON = {
    "x + y": "x + y", "x + 1.5": "x + 1.5", "2 * x": "2 * x", "-x": "-x", "x > 0": "x > 0", "x[1:]": "x[1:]",
    "x[0]": "x[0]", "m @ m": "m @ m",
}  # fmt: skip
CALLS: dict[str, dict[str, str]] = {
    "numpy": COMMON | {
        "np.add(x, y)": "lw.add(x, y)", "np.exp(x)": "lw.exp(x)", "np.sum(x)": "lw.sum(x)",
        "np.sum(m, axis=0)": "lw.sum(m, axis=0)", "np.maximum(x, 0)": "lw.maximum(x, 0)", "np.zeros(4)": "lw.zeros(4)",
        "np.concatenate([x, y])": "lw.concat([x, y])", "np.where(b, x, y)": "lw.where(b, x, y)",
        "m.reshape(-1)": "m.reshape(-1)", "x.sum()": "x.sum()", "np.arange(4)": "lw.arange(4)",
    },
    "torch": COMMON | {
        "torch.add(x, y)": "lw.add(x, y)", "torch.exp(x)": "lw.exp(x)", "x.exp()": "lw.exp(x)",
        "torch.sum(x)": "lw.sum(x)", "m.sum(dim=0)": "lw.sum(m, axis=0)", "torch.zeros(4)": "lw.zeros(4)",
        "torch.cat([x, y])": "lw.concat([x, y])", "torch.where(b, x, y)": "lw.where(b, x, y)",
        "m.reshape(-1)": "m.reshape(-1)", "m.view(-1)": "m.reshape(-1)", "x.unsqueeze(0)": "lw.expand_dims(x, axis=0)",
        "m.transpose(0, 1)": "lw.swapaxes(m, 0, 1)", "torch.softmax(m, dim=-1)": "lw.softmax(m, axis=-1)",
    },
    "jax": COMMON | {
        "jnp.add(x, y)": "lw.add(x, y)", "jnp.exp(x)": "lw.exp(x)", "jnp.sum(x)": "lw.sum(x)",
        "jnp.sum(m, axis=0)": "lw.sum(m, axis=0)", "jnp.zeros(4)": "lw.zeros(4)",
        "jnp.concatenate([x, y])": "lw.concat([x, y])", "jnp.where(b, x, y)": "lw.where(b, x, y)",
        "m.reshape(-1)": "m.reshape(-1)", "jax.nn.softmax(m)": "lw.softmax(m)",
    },
    "tensorflow": COMMON | {
        "tf.add(x, y)": "lw.add(x, y)", "tf.exp(x)": "lw.exp(x)", "tf.reduce_sum(x)": "lw.sum(x)",
        "tf.reduce_sum(m, axis=0)": "lw.sum(m, axis=0)", "tf.zeros([4])": "lw.zeros(4)",
        "tf.concat([x, y], 0)": "lw.concat([x, y], axis=0)", "tf.where(b, x, y)": "lw.where(b, x, y)",
        "tf.reshape(m, [-1])": "lw.reshape(m, (-1,))", "tf.nn.softmax(m)": "lw.softmax(m)",
    },
}  # fmt: skip
MODULES = {
    "numpy": {"np": "numpy"}, "torch": {"torch": "torch"}, "jax": {"jax": "jax", "jnp": "jax.numpy"},
    "tensorflow": {"tf": "tensorflow"},
}  # fmt: skip
GOAL = 1.2


def names(dialect: str, size: int) -> dict[str, Any]:
    """What the expressions name, the dialect's arrays with a prefix."""
    side = max(2, math.isqrt(size))
    ours = {"x": lw.ones(size), "y": lw.ones(size), "m": lw.ones((side, side)), "b": lw.ones(size) > 0}
    wrap = dialect_named(dialect).wrapped
    modules = {n: importlib.import_module(f"latticework.frontends.{module}") for n, module in MODULES[dialect].items()}
    return {"lw": lw, **modules, **ours, **{f"d_{n}": wrap(x) for n, x in ours.items()}}


def in_dialect(expression: str) -> str:
    """The expression with the dialect's arrays."""
    import re

    return re.sub(r"(?<![\w.])([xymb])(?!\w)(?!\()", r"d_\1", expression)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", choices=[*CALLS], action="append")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with lw.using(backend=options.backend):
        for dialect in options.dialect or CALLS:
            known, ratios = names(dialect, options.size), []
            if options.markdown:
                print(f"\n| {dialect} | latticework, µs | dialect, µs | ratio | quartiles |\n|---|--:|--:|--:|--:|")
            for theirs, ours in CALLS[dialect].items():
                found = measure(ours, in_dialect(theirs), known, options.rounds)
                ratios.append(found.ratio)
                times = f"{found.native * 1e6:.2f}", f"{found.ours * 1e6:.2f}"
                spread = f"{found.low:.2f}–{found.high:.2f}"
                if options.markdown:
                    print(f"| `{theirs}` | {times[0]} | {times[1]} | {found.ratio:.2f} | {spread} |")
                else:
                    over = "  over" if found.ratio > GOAL else ""
                    print(f"{dialect:11} {theirs:28} {times[0]:>8} {times[1]:>8} {found.ratio:6.2f}  {spread}{over}")
            print(f"{dialect}: median ratio {statistics.median(ratios):.2f}, {sum(r <= GOAL for r in ratios)} of "
                  f"{len(ratios)} within {GOAL}")  # fmt: skip


if __name__ == "__main__":
    main()
