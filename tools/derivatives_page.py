"""Write the generated part of docs/derivatives.md: the slopes at kinks, latticework's and the frameworks'.

    python tools/derivatives_page.py            write it
    python tools/derivatives_page.py --check    write nothing; fail if it is out of date

The generated parts come from `tools/kinks.py`; `tools/pages.py` says where they stand. The drawing comes from
`slopes_drawing.py`. It is made anew where the page is out of date.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path

import pages
from kinks import GROUPS, Kink

PAGE = pages.DOCS / "derivatives.md"
DRAWING = pages.DOCS / "slopes.svg"

HEAD = ["| function | at | latticework | PyTorch | JAX | TensorFlow |", "|---|---|---|---|---|---|"]


def number(x: float) -> str:
    """Write a slope as a whole number or a fraction where it is one, else with five digits."""
    if not math.isfinite(x):
        return str(x)
    fraction = Fraction(x).limit_denominator(12)
    return str(fraction) if abs(fraction - x) < 1e-9 else f"{x:.5g}"


def cell(slopes: list[float], ours: list[float]) -> str:
    """Write slopes, in bold where they are not latticework's."""
    text = ", ".join(map(number, slopes))
    return text if repr(slopes) == repr(ours) else f"**{text}**"  # nan is as nan


def row(k: Kink) -> str:
    """Write a line of the table."""
    cells = [cell(slopes, k.ours) for slopes in (k.ours, k.torch, k.jax, k.tensorflow)]
    return f"| {k.name} | {k.where} | {' | '.join(cells)} |"


def generated() -> str:
    """The groups, each with its reason and its table."""
    lines = []
    for heading, (why, kinks) in GROUPS.items():
        lines += [f"## {heading}", "", why, "", *HEAD, *map(row, kinks), ""]
    return "\n".join(lines)


def made() -> dict[Path, str]:
    """The page as it should be."""
    return {PAGE: pages.filled(PAGE.read_text(encoding="utf-8"), {"kinks": generated()})}


def main() -> int:
    """Write the page, or only compare; 1 where it is out of date."""
    options = pages.options(__doc__, draw="make the drawing anew")
    should_be = made()
    if not options.check and (options.draw or pages.out_of_date(should_be) or not DRAWING.exists()):
        from slopes_drawing import figure

        from latticework.draw import save

        save(figure(), DRAWING)
    return pages.write(should_be, check=options.check)


if __name__ == "__main__":
    sys.exit(main())
