"""Explanations: why operands promote to a dtype, how to settle a refusal, and where two rule sets differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.dtypes import KIND_ORDER, Dtype, bool_
from ..core.showing import shown
from ..errors import PromotionError
from .operands import operand
from .rules import WEAK, Default, Node, Operand, Result, Rules, describe, is_strong, kind_of

__all__ = ["Explanation", "RuleDifferences", "diff_rules", "explain"]

_DECIDED = {
    "same": "the operands have this dtype",
    "lattice": "the least node of the diagram above all of them",
    "exception": "a pair that does not follow the diagram",
    "table": "the table of the rules",
    "weak": "Python scalars and other weak operands give way",
    "default": "a Python scalar brings the default dtype of its kind",
    "zero-dim": "arrays without dimensions, and scalars, give way",
    "category": "what would give way is of a higher category",
    "value": "the values of scalars were looked at",
}


#: The words for an operand without a path to the result, by the rule that decided.
_WITHOUT_PATH = {
    "weak": "gives way", "zero-dim": "gives way", "operation": "gives way", "value": "fits by its value",
}  # fmt: skip

#: The weak nodes of a diagram, in words.
_WEAK_NODES = {"int*": "the weak dtype of ints", "float*": "the weak dtype of floats",
               "complex*": "the weak dtype of complex numbers"}  # fmt: skip


@dataclass(frozen=True)
class Explanation:
    """The result of `explain`. ``str`` of it is for people, `as_dict` for programs.

    Attributes
    ----------
    rules, version: the name of the rules, and the version of the framework that they were checked against.
    operands: the operands in words.
    dtype: the common dtype, or None where it is refused.
    weak: whether the result is weak, where the rules have weak arrays.
    rule: what decided (see `Result`), or ``"refused"``.
    why: the same in words.
    paths: for each operand, the way up the diagram from its node to the result's; empty where there is none.
    way_out: for a refusal, the cast that settles it; empty where no single cast does.
    operation: the operation that was asked for; empty for the operands' common dtype.
    """

    rules: str
    version: str
    operands: tuple[str, ...]
    dtype: Dtype | None
    weak: bool
    rule: str
    why: str
    paths: tuple[tuple[Node, ...], ...]
    way_out: str
    operation: str = ""
    #: The rules and the operands, from which a notebook draws the diagram.
    asked: tuple[Rules, tuple[Any, ...]] | None = field(default=None, repr=False, compare=False)

    @property
    def has_paths(self) -> bool:
        """True if there is a diagram with paths from the operands to the result."""
        return self.dtype is not None and self.rule not in ("conversion", "table")

    @property
    def without_path(self) -> str:
        """The words for an operand without a path to the result."""
        return _WITHOUT_PATH.get(self.rule, "(no way up)")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"asked": None}  # a user's rules may hold objects that do not pickle

    def _repr_html_(self) -> str:
        """Return HTML for notebooks, with the diagram where networkx and matplotlib are installed."""
        html: str = shown("explanation_html", self)
        return html

    def __str__(self) -> str:
        listed = ", ".join(self.operands)
        if self.operation:
            listed = f"{self.operation}({listed})"
        if self.dtype is None:
            out = f"\n  way out: {self.way_out}" if self.way_out else ""
            return f"{listed} -> refused under {self.rules}: {self.why}{out}"
        lines = [f"{listed} -> {'weak ' * self.weak}{self.dtype} under {self.rules}: {self.why} ({self.rule})"]
        if not self.has_paths:
            return lines[0]
        width = max(map(len, self.operands))
        for name, path in zip(self.operands, self.paths, strict=True):
            lines.append(f"  {name:{width}}  {' -> '.join(map(str, path)) if path else self.without_path}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, for JSON."""
        return {
            "rules": self.rules,
            "version": self.version,
            "operands": [*self.operands],
            "dtype": None if self.dtype is None else str(self.dtype),
            "weak": self.weak,
            "rule": self.rule,
            "why": self.why,
            "paths": [[str(node) for node in path] for path in self.paths],
            "way_out": self.way_out,
            "operation": self.operation,
        }


def explain(operands: tuple[Any, ...], rules: Rules, default: Default, operation: str = "") -> Explanation:
    """Explain the common dtype of operands under some rules, or an operation's result. See `latticework.explain`."""
    resolved = tuple(operand(x, rules, default) for x in operands)
    words = tuple(describe(x).removeprefix("a ") for x in resolved)
    if operation:
        return _explain_operation(operation, operands, resolved, words, rules, default)
    asked = rules, resolved
    try:
        result = rules.result(resolved, default)
    except PromotionError as error:
        why = error.why or "the diagram has no node above all of them"
        out = _way_out(rules, resolved, default)
        return Explanation(rules.name, rules.version, words, None, False, "refused", why, (), out, asked=asked)
    top: Node = result.node or result.dtype
    paths: tuple[tuple[Node, ...], ...] = tuple(_path(rules, rules.node(x), top) for x in resolved)
    if result.rule == "default":  # a scalar that is no node of the diagram starts as the default dtype
        paths = tuple(p or (() if is_strong(x) else (top,)) for p, x in zip(paths, resolved, strict=True))
    why = _words_of(rules, result, resolved)
    name, version = rules.name, rules.version
    return Explanation(name, version, words, result.dtype, result.weak, result.rule, why, paths, "", asked=asked)


def _words_of(rules: Rules, result: Result, operands: tuple[Any, ...]) -> str:
    """Return the rule that decided, in words."""
    own = {x if type(x) is Dtype else x.dtype for x in operands if is_strong(x)}
    node = result.node
    if result.rule == "same" and own and result.dtype not in own:
        return f"the operands have {own.pop()}, which these rules cut to {result.dtype}"
    if result.rule == "default" and node in _WEAK_NODES:
        return f"the diagram joins them at {node}, {_WEAK_NODES[node]}, which is {result.dtype} by default"
    if str(node).endswith("*"):
        return f"the diagram joins them at {node}, a node that stands for {result.dtype}"
    if node and str(node) != result.dtype.name:
        return f"{_DECIDED[result.rule]} is {node}, which these rules cut to {result.dtype}"
    return _DECIDED[result.rule]


def _explain_operation(
    operation: str,
    operands: tuple[Any, ...],
    original: tuple[Any, ...],
    words: tuple[str, ...],
    rules: Rules,
    default: Default,
) -> Explanation:
    from .families import decide

    try:
        found = decide(rules, operation, original, default)
    except PromotionError as error:

        def attempt(cast: list[Any], default: Any) -> object:
            return decide(rules, operation, cast, default)

        out = _way_out(rules, original, default, attempt)
        return Explanation(rules.name, rules.version, words, None, False, "refused", error.why, (), out, operation)
    joined = explain(operands, rules, default)
    paths = joined.paths or ((),) * len(words)
    return Explanation(
        rules.name, rules.version, words, found.result, found.weak, "operation", found.rule, paths, "", operation
    )


def _path(rules: Rules, below: Node, above: Node) -> tuple[Node, ...]:
    if below is WEAK["b"] and below not in rules.above:
        below = bool_
    return rules.path(below, above)


def _width(dtype: Dtype) -> tuple[int, int]:
    return KIND_ORDER.get(dtype.kind, 4), dtype.bits


def _way_out(
    rules: Rules, operands: tuple[Any, ...], default: Any, attempt: Callable[[list[Any], Any], object] | None = None
) -> str:
    """Return the cast that `settling` finds, in words; empty where it finds none."""
    found = settling(rules, operands, default, attempt or rules.promote)
    if not found:
        return ""
    i, target = found
    own = operands[i] if type(operands[i]) is Dtype else operands[i].dtype
    loses = ", which loses negative numbers" if own.kind == "i" and target.kind == "u" else ""
    return f"cast {f'x{i + 1}' if len(operands) > 1 else 'x'} to {target}{loses}"


def cast(x: Any, target: Dtype) -> Any:
    """Return an array operand with another dtype, as rules take it."""
    if not isinstance(x, Operand):
        return target
    kept = KIND_ORDER.get(target.kind, 4) >= KIND_ORDER.get(x.dtype.kind, 4)
    return x._replace(dtype=target, weak=False, value=x.value if kept else None)


def _changes_sign(own: Dtype, target: Dtype) -> bool:
    """Return whether a cast loses negative integers, or unsigned ones that the signed target does not hold."""
    return (own.kind == "i" and target.kind == "u") or (
        own.kind == "u" and target.kind == "i" and target.bits <= own.bits
    )


def settling(
    rules: Rules, operands: tuple[Any, ...], default: Any, attempt: Callable[[list[Any], Any], object]
) -> tuple[int, Dtype] | None:
    """Find a cast of one operand that settles a refusal; return the operand's number and the dtype.

    The dtypes of the operands are tried, then the others that the rules know; casts upwards come first."""
    dtypes = {i: x if type(x) is Dtype else x.dtype for i, x in enumerate(operands) if is_strong(x)}
    present = sorted(dict.fromkeys(dtypes.values()), key=_width, reverse=True)
    candidates = sorted((d for d in rules.dtypes if d.use == "compute" and d not in {*present}), key=_width)
    scalars = {KIND_ORDER[kind_of(x)]: kind_of(x) for x in operands if not is_strong(x) and kind_of(x) in "fc"}
    if scalars:  # the dtype that a scalar has by itself comes first
        usual = default(scalars[max(scalars)])
        candidates.sort(key=lambda d: d is not usual)
    narrow_first = sorted(dtypes, key=lambda i: _width(dtypes[i]))
    for upwards, lossless in ((True, True), (True, False), (False, False)):
        for target in (*present, *(candidates if upwards else reversed(candidates))):
            for i in narrow_first:
                if lossless and _changes_sign(dtypes[i], target):
                    continue  # it loses numbers, and another cast may not
                if dtypes[i] is target or (_width(target) >= _width(dtypes[i])) is not upwards:
                    continue
                if dtypes[i].kind == "c" != target.kind:
                    continue  # it drops imaginary parts
                try:
                    attempt([*operands[:i], cast(operands[i], target), *operands[i + 1 :]], default)
                except PromotionError:
                    continue
                return i, target
    return None


@dataclass(frozen=True)
class RuleDifferences:
    """The result of `diff_rules`: iterate over it for the rows. ``str`` of it is for people, `as_dict` for programs.

    Attributes
    ----------
    first, second: the names of the two rule sets.
    rows: ``(a, b, result of the first, result of the second)``; a refused result is None. A pair that differs in the
        same way in both orders is listed once.
    compared: the number of ordered pairs that were compared.
    only_first, only_second: the dtypes that only one of the two knows; they take no part.
    """

    first: str
    second: str
    rows: tuple[tuple[Any, Any, Dtype | None, Dtype | None], ...]
    compared: int
    only_first: tuple[Dtype, ...]
    only_second: tuple[Dtype, ...]

    def __iter__(self) -> Iterator[tuple[Any, Any, Dtype | None, Dtype | None]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        cells = [("", "", self.first, self.second)]
        cells += [(_name(a), _name(b), str(x or "refused"), str(y or "refused")) for a, b, x, y in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(4)]
        lines = ["  ".join(c.ljust(width) for c, width in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([*lines, f"{len(self.rows)} pairs differ; {self.compared} ordered pairs were compared"])

    def named(self) -> Iterator[tuple[str, str, Dtype | None, Dtype | None]]:
        """Return the rows with the operands in words."""
        return ((_name(a), _name(b), x, y) for a, b, x, y in self.rows)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        html: str = shown("differences_html", self)
        return html

    def as_dict(self) -> dict[str, Any]:
        """Return the differences as plain data, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "compared": self.compared,
            "only_first": [str(d) for d in self.only_first],
            "only_second": [str(d) for d in self.only_second],
            "rows": [
                {"a": _name(a), "b": _name(b), "first": x and str(x), "second": y and str(y)}
                for a, b, x, y in self.rows
            ],
        }


def _name(x: Any) -> str:
    if x is None:
        return ""  # an operation of one operand has no second
    return str(x) if type(x) is Dtype else describe(x).removeprefix("a ")


def diff_rules(
    one: Rules, two: Rules, operands: Sequence[Any] | None, default: Default, operation: str = ""
) -> RuleDifferences:
    """Compare two rule sets pair by pair. See `latticework.diff_rules`."""
    common = [d for d in one.dtypes if d in two.dtypes]
    chosen = [*common, bool, int, float, complex] if operands is None else [*operands]
    if operation:
        from .families import operation_table

        left, right = operation_table(one, operation, chosen, default), operation_table(two, operation, chosen, default)
    else:
        left, right = one.table(chosen, default), two.table(chosen, default)
    rows, seen = [], set()
    for pair, x in left.items():
        y = right[pair]
        if x is not y:
            a, b = pair
            if (b, a, x, y) not in seen:
                seen.add((a, b, x, y))
                rows.append((a, b, x, y))
    return RuleDifferences(
        one.name,
        two.name,
        tuple(rows),
        len(left),
        tuple(d for d in one.dtypes if d not in two.dtypes),
        tuple(d for d in two.dtypes if d not in one.dtypes),
    )
