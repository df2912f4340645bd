"""Make the data of the explorer's page: every answer that it shows for one or two operands, read from the rule sets.

An answer is what `latticework.explain` says: the dtype, whether it is weak, what decided, the reason and the way out.
`tables` has one table for each rule set and each family of operations. A cell of it is a position in a list of answers,
so that equal answers are kept once. `rule_set` describes a rule set as plain data. With it, the page finds the ways up
the diagram, and joins three or four operands itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import rule_pages

import latticework as lw
from latticework.core.registry import OPS
from latticework.draw import _curve, covering, kind, place, short
from latticework.errors import PromotionError
from latticework.policy import current
from latticework.promotion import RULES, Result, Rules
from latticework.promotion import max as max_rules
from latticework.promotion import numpy as numpy_rules
from latticework.promotion import torch as torch_rules
from latticework.promotion.explain import _way_out, _words_of
from latticework.promotion.families import Decision, Family, _one_operand, decide, family_of, looks_at
from latticework.promotion.jax import Jax
from latticework.promotion.keras import Keras
from latticework.promotion.rules import Default, describe

__all__ = ["OPERATIONS", "SCALARS", "made", "operands_of"]

DTYPES = (*lw.Dtype._all.values(),)
NUMBER = {d.name: i for i, d in enumerate(DTYPES)}

#: The Python scalars that the page offers. Rules that look at values answer differently for small and large ones.
SCALARS: tuple[Any, ...] = (True, 2, -1, 300, 70_000, 2**40, 1.5, 1e10, 1j)

#: The operations that the page offers, by the heading that they stand under. There is one of each common family.
OPERATIONS = {
    "Arithmetic": "add subtract multiply divide floor_divide remainder pow maximum atan2",
    "Comparison, logic and bits": "less equal logical_and bitwise_and bitwise_left_shift",
    "Several arrays": "where concat matmul",
    "Sums and statistics": "sum prod cumulative_sum mean std max argmax any sort",
    "Each element": "negative abs real sign round square reciprocal sqrt exp isnan",
    "Linear algebra and Fourier transforms": "linalg.norm linalg.inv fft.fft",
}

#: The characters that stand for positions in a list of answers. None of them has to be escaped in JSON or in HTML.
DIGITS = "".join(c for c in map(chr, range(33, 127)) if c not in '"\\<&')

#: The height of a node, and the least distance of two in each direction, in the drawing's own units.
_BOX, _STEP = 26, (74, 46)


def operands_of(rules: Rules, operation: str, shapes: str = "zw") -> list[Any]:
    """List the operands of a table: each dtype in each form, and the Python scalars.

    Parameters
    ----------
    rules: whose table it is. Promotion alone has all dtypes that they know.
    operation: an operation by name, which has the executable dtypes alone, or "" for promotion.
    shapes: the forms besides arrays with dimensions: "z" for 0-d arrays, "w" for weak ones.
    """
    dtypes = lw.all_dtypes if operation else rules.dtypes
    arrays: list[Any] = [*dtypes]
    if "z" in shapes:
        arrays += [lw.Operand(d, zero_dim=True) for d in dtypes]
    if "w" in shapes:
        arrays += [lw.Operand(d, weak=True) for d in dtypes]
    return [*arrays, *SCALARS]


def forms(rules: Rules, operation: str) -> str:
    """Return which forms of an array have answers of their own: "z" for 0-d arrays, "w" for weak ones."""
    family = family_of(rules, operation) if operation else None
    if family and _one_operand(OPS[operation]):
        return "zw"
    looked = rules.needs | (looks_at(rules, operation) if operation else set())
    zero_dim = "zero_dim" in looked or (family is not None and bool(family.weak_zero_dim))
    return "z" * zero_dim + "w" * ("weak" in looked)


# --- answers --------------------------------------------------------------------------------------------------------


class Listed:
    """Values by their position, each kept once."""

    def __init__(self) -> None:
        self.positions: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        """Return the position of a value, which is added if it is new."""
        return self.positions.setdefault(value, len(self.positions))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.positions)


class Answers:
    """What `latticework.explain` says, under one rule set and for one operation or for promotion alone.

    A way out is looked for by trying casts, one after another. What was tried is remembered.
    """

    def __init__(self, rules: Rules, operation: str) -> None:
        self.rules, self.operation, self.default = rules, operation, current().default
        self._tried: dict[Any, Result | Decision | str] = {}

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        """Return (dtype, weak, rule, node, why, way out) for some operands.

        The node is the name of the node of the diagram that the operands are joined at; "" where there is none.
        """
        try:
            found = self._found(operands, self.default)
        except PromotionError as error:
            out = _way_out(self.rules, operands, self.default, self._found)
            return None, False, "refused", "", error.why or "the diagram has no node above all of them", out
        if isinstance(found, Decision):
            return found.result.name, found.weak, "operation", "", found.rule, ""
        why = _words_of(self.rules, found, operands)
        return found.dtype.name, found.weak, found.rule, str(found.node or found.dtype), why, ""

    def _found(self, operands: Sequence[Any], default: Default) -> Result | Decision:
        key = (*operands, *map(type, operands))  # 1 and True are equal
        if key not in self._tried:
            try:
                self._tried[key] = (
                    decide(self.rules, self.operation, operands, default)
                    if self.operation
                    else self.rules.result(operands, default)
                )
            except PromotionError as error:
                self._tried[key] = error.why  # the error itself would keep its frames
        found = self._tried[key]
        if isinstance(found, str):
            refused = PromotionError("refused")
            refused.why = found
            raise refused
        return found


def cells(rules: Rules, operation: str) -> list[tuple[Any, ...]]:
    """List the answers of a table, row by row. An operation of one operand has one column."""
    answer, operands = Answers(rules, operation), operands_of(rules, operation, forms(rules, operation))
    if operation and _one_operand(OPS[operation]):
        return [answer(a) for a in operands]
    return [answer(a, b) for a in operands for b in operands]


def encoded(positions: Sequence[int]) -> str:
    """Write a table as a text: one or two digits for each cell, the first of them saying which."""
    own = Listed()
    places = [own(p) for p in positions]
    base = len(DIGITS)
    assert len(own.positions) <= base**2, "a table has more different answers than two digits can tell apart"
    width = 1 if len(own.positions) <= base else 2
    text = "".join(DIGITS[p] if width == 1 else DIGITS[p // base] + DIGITS[p % base] for p in places)
    return f"{width}{','.join(map(str, own))} {text}"


def tables(names: Sequence[str], operations: Sequence[str]) -> dict[str, Any]:
    """Return all tables, the answers that they point to, and the texts that the answers point to."""
    texts, answers, written = Listed(), Listed(), Listed()
    texts("")
    found: dict[str, dict[str, int]] = {}
    for name in names:
        rules, of_family = RULES[name], {}
        for operation in operations:
            key: tuple[Family | None, tuple[str, ...]] = (None, ())
            if operation:
                op = OPS[operation]
                key = family_of(rules, operation), op.roles(1 if _one_operand(op) else 2)
            if key not in of_family:  # operations of one family, with the same roles of operands, have one table
                positions = [
                    answers((-1 if d is None else NUMBER[d], int(w), *map(texts, rest)))
                    for d, w, *rest in cells(rules, operation)
                ]
                of_family[key] = written(encoded(positions))
            found.setdefault(name, {})[operation] = of_family[key]
    return {"texts": [*texts], "answers": [*answers], "tables": [*written], "table_of": found}


# --- rule sets as data ----------------------------------------------------------------------------------------------


def rule_set(name: str) -> dict[str, Any]:
    """Describe a rule set: what the page says of it, and all that decides how it joins operands."""
    rules = RULES[name]
    default = current().default
    about = rule_pages.VARIANTS.get(name) or rule_pages.prose(rules).partition("\n\n")[0].replace("\n", " ")
    return {
        "name": name,
        "about": about,
        "version": rules.version,
        "source": rules.source,
        "how": _how(rules),
        "forms": {operation: forms(rules, operation) for operation in all_operations()},
        "dtypes": [d.name for d in rules.dtypes],
        "edges": [[str(a), str(b)] for a, b in rules.edges],
        "exceptions": [[str(a), str(b), c and str(c)] for (a, b), c in rules.exceptions.items()],
        "becomes": {str(a): str(b) for a, b in rules.becomes.items()},
        "defaults": {k: (rules.defaults.get(k) or default(k)).name for k in "biufc"},
        "weak": rules.weak,
        "fold": rules.fold,
        "upwards": rules.upwards,
        "reason": rules.reason,
        "own": _own(rules),
        "drawing": drawing(rules),
    }


def all_operations() -> list[str]:
    """List the names of all operations that the page offers; "" is promotion alone."""
    return ["", *(name for names in OPERATIONS.values() for name in names.split())]


def _how(rules: Rules) -> str:
    """Name the class that resolves the operands, where it is not the one of all rules."""
    owner = next(c for c in type(rules).__mro__ if "_resolve" in vars(c))
    return "" if owner is Rules else owner.__name__


def _own(rules: Rules) -> dict[str, Any]:
    """Return what the class of a rule set has beyond all others."""
    if isinstance(rules, Jax):
        return {"x64": rules.x64, "strict": rules.strict}
    if isinstance(rules, Keras):
        squashed = {a.name: b.name for a, b in rules.squashed.items()}
        return {"strong": {k: d.name for k, d in rules.strong.items()}, "squashed": squashed}
    if isinstance(rules, numpy_rules.NumPy):
        return {
            "numbers": {d.name: n for d, n in numpy_rules.NUMBERS.items()},
            "extensions": [d.name for d in numpy_rules.EXTENSIONS],
            "stand_ins": {k: [d.name for d in ds] for k, ds in numpy_rules.STAND_INS.items()},
        }
    if isinstance(rules, torch_rules.Torch):
        return {"complex_of": dict(torch_rules._PARTNERS)}
    if isinstance(rules, max_rules.Max):
        return {"ranges": max_rules._RANGES}
    return {}


def drawing(rules: Rules) -> dict[str, Any]:
    """Return the drawing of a diagram, of its executable dtypes and weak nodes: places, and edges as SVG paths."""
    graph = covering(rules)
    where, ways = place(rules, graph)
    wide = 16 + max(int(7.3 * len(str(n))) for n in graph)
    step_x = max(_STEP[0], wide + 10)
    widest = max(map([y for _, y in where.values()].count, {y for _, y in where.values()}))
    step_y = _STEP[1] + 4 * max(widest - 5, 0)  # a wide layer makes for flat arrows
    at = {n: (x * step_x, y * step_y) for n, (x, y) in where.items()}
    xs, ys = zip(*at.values(), strict=True)
    left, top = min(xs) - wide / 2 - 6, max(ys) + _BOX / 2 + 6

    def point(x: float, y: float) -> str:
        return f"{round(x - left)} {round(top - y)}"

    edges = []
    for way in ways:
        curve = _curve([at[n] for n in way], _BOX / 2)
        first, *rest = [point(x, y) for x, y in curve.vertices]
        edges.append([str(way[0]), str(way[-1]), f"M{first}C{' '.join(rest)}"])
    return {
        "step": round(step_y),
        "size": [round(max(xs) + wide / 2 + 6 - left), round(top - min(ys) + _BOX / 2 + 6)],
        "box": [wide, _BOX],
        "nodes": [[str(n), round(at[n][0] - left), round(top - at[n][1]), kind(rules, n)] for n in graph],
        "edges": edges,
    }


def made(names: Sequence[str] = (), operations: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the data of the page.

    Parameters
    ----------
    names: rule sets by name; all of them, if there are none.
    operations: operations by name, where "" is promotion alone; by default all that the page offers.
    """
    chosen = [*names] or [*lw.rule_names()]
    asked = all_operations() if operations is None else [*operations]
    return {
        "version": lw.__version__,
        "dtypes": [[d.name, d.kind, d.bits, d.use, short(d)] for d in DTYPES],
        "scalars": [
            [repr(x), describe(x).removeprefix("a "), _kind(x), abs(x) if type(x) is complex else x] for x in SCALARS
        ],
        "operations": [
            [heading, [[n, 1 if _one_operand(OPS[n]) else 2] for n in names.split() if n in asked]]
            for heading, names in OPERATIONS.items()
        ],
        "digits": DIGITS,
        "usual": {k: current().default(k).name for k in "fc"},
        "rules": [rule_set(name) for name in chosen],
        **tables(chosen, asked),
    }


def _kind(scalar: Any) -> str:
    return {bool: "b", int: "i", float: "f", complex: "c"}[type(scalar)]
