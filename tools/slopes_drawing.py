"""The drawing of docs/derivatives.md: the slopes at each kink, between the slopes on its two sides.

`derivatives_page` writes it. The slopes on the sides are differences of the values that NumPy computes; the first
element of the points moves. A jump has no slopes on its sides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from kinks import KINKS, Kink

import latticework as lw
from latticework.draw import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: By how much the element moves, and the greatest slope that is no jump.
STEP, MOST = 1e-6, 100.0
#: The attribute of a `Kink` -> the name, the colour and the mark of its slopes.
WHOSE: dict[str, tuple[str, str, str]] = {
    "ours": ("latticework", "#1f4e9c", "o"),
    "torch": ("PyTorch", "#d9481c", "^"),
    "jax": ("JAX", "#7a3fa8", "s"),
    "tensorflow": ("TensorFlow", "#b8860b", "D"),
}


def sides(k: Kink) -> tuple[float, float] | None:
    """Return the slopes on the left and on the right of a kink; None at a jump or at an infinity."""
    with lw.using(backend="numpy"), np.errstate(all="ignore"):

        def value(by: float) -> float:
            point = np.array(k.points)
            point[0] += by
            return float(lw.sum(k.f(lw.asarray(point))))

        here = value(0.0)
        found = (here - value(-STEP)) / STEP, (value(STEP) - here) / STEP
    return found if all(abs(x) < MOST for x in found) else None  # nan is none


def drawn() -> list[tuple[Kink, tuple[float, float]]]:
    """The kinks of the drawing: those with two slopes, one on each side, at which each framework has a number."""
    found = [(k, sides(k)) for k in KINKS if all(math.isfinite(getattr(k, of)[0]) for of in WHOSE)]
    return [(k, s) for k, s in found if s is not None and abs(s[0] - s[1]) > 1e-4]


def figure() -> Figure:
    """Draw a line for each kink: from the slope on the left to that on the right, with a mark for each framework."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    kinks = drawn()
    with mpl.rc_context(STYLE):
        height = 0.3 * len(kinks) + 0.9
        made = Figure(figsize=(8.4, height))
        axes: Any = made.add_axes((0.36, 0.5 / height, 0.62, 1 - 0.9 / height))
        for i, (k, (left, right)) in enumerate(kinks):
            axes.plot([left, right], [i, i], color="#c3c7ce", linewidth=5, solid_capstyle="round", zorder=1)
            for of, (name, colour, mark) in WHOSE.items():
                own = of == "ours"
                axes.plot(
                    getattr(k, of)[0], i, mark, color=colour, zorder=4 if own else 3, label="" if i else name,
                    markersize=5 if own else 9, markerfacecolor=colour if own else "none", markeredgewidth=1.6,
                )  # fmt: skip
        axes.set_yticks(range(len(kinks)), [f"{k.name.replace('`', '')}, {k.where}" for k, _ in kinks], fontsize=8.5)
        axes.set_ylim(len(kinks) - 0.5, -0.5)
        axes.tick_params(axis="x", labelsize=8.5)
        axes.set_xlabel("slope", fontsize=8.5)
        axes.grid(axis="x", color="#e6e8ec", zorder=0)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4, frameon=False, fontsize=8.5, handletextpad=0.3)
    return made
