"""The commands that show what rule sets do: promote, explain, table, diff and draw."""

from __future__ import annotations

import ast
import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import latticework as lw
from latticework.core.registry import declared
from latticework.draw import COLOURS, short
from latticework.errors import nearest
from latticework.policy import current
from latticework.promotion import Rules, rules_named
from latticework.promotion.families import decide, operation_table

from . import completing
from .output import console, fail

RULES = "unified,precise,strict,array_api"

_SCALARS: dict[str, type] = {"int": int, "float": float, "complex": complex}
_LEAST: dict[type, complex] = {int: 0, float: 0.0, complex: 0j}
_OPERANDS = "Dtypes, as int32, 0d:int32 or weak:int32; Python scalars, as 1, 1.5, 2j, True, int or float."

Json = Annotated[bool, typer.Option("--json", help="For programs.")]
Every = Annotated[bool, typer.Option("--all", help="All dtypes that the rules know.")]
Operation = Annotated[
    str,
    typer.Option(
        help="A function, as divide: its result's dtype instead.", metavar="NAME", autocompletion=completing.functions
    ),
]
RuleSet = Annotated[str, typer.Argument(help="A rule set.", show_default=False, autocompletion=completing.rule_set)]

Operands = Annotated[list[str], typer.Argument(help=_OPERANDS, show_default=False, autocompletion=completing.operands)]
RuleSets = Annotated[
    str,
    typer.Option(help="Rule sets, with commas between them, or: all.", autocompletion=completing.rule_sets),
]


def operand(text: str) -> Any:
    """Read an operand: a dtype by name, an array with a known fact, a Python scalar, or a type of one."""
    before, colon, after = text.partition(":")
    if colon:
        if before not in ("0d", "weak"):
            raise TypeError(f"{text!r} is no operand: before the colon stands 0d or weak")
        return lw.Operand(lw.as_dtype(after), zero_dim=before == "0d", weak=before == "weak")
    if text in _SCALARS:
        return _SCALARS[text]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if declared(text) is not None:
            raise TypeError(
                f"{text!r} is a function and no dtype: promote and explain take it as --operation {text}"
            ) from None
        if text not in lw.Dtype._all:
            names = [*lw.Dtype._all, *_SCALARS]
            raise TypeError(f"{text!r} is no dtype{nearest(text, names)}") from None
        return lw.Dtype(text)
    if type(value) not in (bool, int, float, complex):
        raise TypeError(f"promote: takes dtypes and Python scalars; got {text}")
    return value


def _several(names: str) -> list[str]:
    return [*lw.rule_names()] if names.strip() == "all" else [name.strip() for name in names.split(",")]


def colour(dtype: lw.Dtype | str | None, text: str | None = None, style: str = "") -> Text:
    """Return a dtype in the colour of its kind."""
    kind = dtype.kind if isinstance(dtype, lw.Dtype) else ""
    shown = text if text is not None else str(dtype) if dtype else "refused"
    return Text(shown, style=f"{style} {COLOURS[kind]}".strip())


def promote(
    operands: Operands,
    rules: RuleSets = RULES,
    operation: Operation = "",
    as_json: Json = False,
) -> None:
    """Show the common dtype of dtypes and Python scalars under each rule set, or the dtype of an operation's result.

    For example: latticework promote int32 float16 --rules torch,jax,numpy, or latticework promote uint8 -- -1, or
    latticework promote int32 int32 --operation divide.
    """
    try:
        parsed = [operand(x) for x in operands]
        if not any(isinstance(x, (lw.Dtype, lw.Operand)) for x in parsed):
            raise TypeError("promote: at least one of them must be a dtype: a Python scalar's depends on the other's")
        answers = {name: _answer(parsed, name, operation) for name in _several(rules)}
    except (TypeError, ValueError) as error:
        raise fail(error) from None
    if as_json:
        shown = [{"rules": name, **answer} for name, answer in answers.items()]
        asked = {"operation": operation} if operation else {}
        print(json.dumps(asked | {"operands": operands, "answers": shown}, indent=2))
        return
    console.print(Text(f"{operation}({', '.join(operands)})" if operation else " + ".join(operands), style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for name, answer in answers.items():
        if answer["dtype"] is None:
            because = answer["refused"].partition(f" under the {name} rules ")[2]
            table.add_row(f"  {name}", Text(f"refused {because}", style="yellow"))
        else:
            said = " (weak)" * answer["weak"] + (f"  {answer['rule']}" if operation else "")
            table.add_row(f"  {name}", colour(lw.Dtype(answer["dtype"])) + Text(said, style="dim"))
    console.print(table)


def _answer(operands: list[Any], name: str, operation: str = "") -> dict[str, Any]:
    """Return the common dtype, or that of an operation's result, under one rule set, or why there is none."""
    rules = rules_named(name)
    try:
        if operation:
            decision = decide(rules, operation, operands, current().default)
            found = {"dtype": str(decision.result), "weak": decision.weak, "refused": None}
            return found | {"computed": str(decision.computed), "family": decision.family.name, "rule": decision.rule}
        result = rules.result(operands, current().default)
    except lw.errors.PromotionError as error:
        return {"dtype": None, "weak": False, "refused": str(error)}
    return {"dtype": str(result.dtype), "weak": result.weak, "refused": None}


def _cells(rules: lw.Rules, operation: str, operands: list[Any]) -> dict[tuple[Any, Any], lw.Dtype | None]:
    """Return the common dtype of every pair of operands, or the dtype of an operation's result."""
    default = current().default
    return operation_table(rules, operation, operands, default) if operation else rules.table(operands, default)


def explain(
    operands: Annotated[
        list[str] | None, typer.Argument(help=_OPERANDS, show_default=False, autocompletion=completing.operands)
    ] = None,
    rules: RuleSets = "unified",
    operation: Operation = "",
    error: Annotated[
        str, typer.Option(help="The text of an error, of latticework or a framework, instead.", metavar="TEXT")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show why operands promote to what they do: what decided, the ways up the diagram, a refusal's way out.

    With --error, show what the text of an error means, which rule decided, and the cast that settles it. The exit
    status is 1 where the text is of no known form.

    For example: latticework explain int32 float16 --rules torch, or
    latticework explain --error "RuntimeError: expected scalar type Float but found Double".
    """
    if error or not operands:
        _explain_error(error, operands, as_json)
        return
    try:
        parsed = [operand(x) for x in operands]
        found = [_explained(parsed, name, operation) for name in _several(rules)]
    except (TypeError, ValueError) as error:
        raise fail(error) from None
    if as_json:
        print(json.dumps([x.as_dict() for x in found], indent=2))
        return
    for x in found:
        text = Text(str(x))
        for word in {*lw.Dtype._all}:
            text.highlight_regex(rf"(?<![\w-]){word}(?![\w*])", COLOURS[lw.Dtype(word).kind])
        text.highlight_regex(r"\brefused\b|way out:", "yellow")
        console.print(text, soft_wrap=True)


def _explain_error(text: str, operands: list[str] | None, as_json: bool) -> None:
    """Show what the text of an error means."""
    from .errors import UNKNOWN, read

    if operands or not text:
        raise fail("explain takes operands, as int32 float16, or --error with the text of an error")
    answer = read(text)
    if as_json:
        print(json.dumps(answer and answer.as_dict(), indent=2))
    elif answer is None:
        console.print(Text(UNKNOWN, style="yellow"), soft_wrap=True)
    else:
        for label, said in answer.as_dict().items():
            if said:
                console.print(Text(f"{label:9}  ", style="bold") + Text(said), soft_wrap=True, highlight=False)
    if answer is None:
        raise typer.Exit(1)


def _explained(operands: list[Any], rules: str, operation: str = "") -> lw.Explanation:
    """Explain; a Python type stands for any scalar of it, so the one that all rules take is used."""
    found = lw.explain(
        *[_LEAST.get(x, x) if isinstance(x, type) else x for x in operands], rules=rules, operation=operation
    )
    said = zip(operands, found.operands, strict=True)
    words = tuple(f"Python {x.__name__}" if isinstance(x, type) else word for x, word in said)
    return dataclasses.replace(found, operands=words)


def _chosen(*sets: Rules, every: bool, scalars: bool) -> list[Any]:
    """Return the operands of a table: the dtypes that all of these rules know."""
    shared = [d for d in sets[0].dtypes if all(d in r.dtypes for r in sets)]
    return [d for d in shared if every or d in lw.all_dtypes] + [*_SCALARS.values()] * scalars


def _brief(x: Any) -> str:
    if x is None:
        return ""
    return str(x.__name__) if isinstance(x, type) else short(x)


def _name(x: Any) -> str:
    if x is None:
        return ""
    return f"Python {x.__name__}" if isinstance(x, type) else str(x)


def _grid(operands: list[Any], rows: list[tuple[str, Any, list[Text]]]) -> None:
    """Print a table whose columns are as wide as their cells; never wrapped, never cut.

    In a terminal that is too narrow, the columns without room stand below, beside the rows' names once more.
    """
    heads = [_brief(x) for x in operands]
    widths = [max([len(h), *(len(row[2][j]) for row in rows)]) for j, h in enumerate(heads)]
    side = max((len(name) for name, _, _ in rows), default=0)
    blocks: list[list[int]] = [[]]
    room = taken = 0
    for j, width in enumerate(widths):
        if console.is_terminal and blocks[-1] and taken + 1 + width > room:
            blocks.append([])
        if not blocks[-1]:
            room, taken = console.width, side
        blocks[-1].append(j)
        taken += 1 + width
    for block in blocks:
        lines = [Text(" " * side)]
        for j in block:
            lines[0].append_text(Text(" ") + colour(operands[j], heads[j].rjust(widths[j]), "bold"))
        for name, x, cells in rows:
            line = colour(x, name.ljust(side), "bold")
            for j in block:
                line.append_text(Text(" " * (1 + widths[j] - len(cells[j]))) + cells[j])
            lines.append(line)
        for line in lines if block is blocks[0] else [Text(), *lines]:
            line.rstrip()
            console.print(line, soft_wrap=True)


def table(
    rules: RuleSet,
    every: Every = False,
    scalars: Annotated[bool, typer.Option("--scalars", help="And the Python scalars.")] = False,
    operation: Operation = "",
    as_json: Json = False,
) -> None:
    """Show every pair of dtypes and what it promotes to, as rows and columns: × where it is refused.

    An operation of one operand has one column.
    """
    try:
        chosen = rules_named(rules)
        operands = _chosen(chosen, every=every, scalars=scalars)
        cells = _cells(chosen, operation, operands)
    except (TypeError, ValueError) as error:
        raise fail(error) from None
    columns = operands if (operands[0], None) not in cells else [None]
    if as_json:
        rows = [[c and str(c) for c in (cells[a, b] for b in columns)] for a in operands]
        shown = {"rules": chosen.name, "version": chosen.version, "source": chosen.source}
        shown |= {"operation": operation} if operation else {}
        print(json.dumps(shown | {"operands": [_name(x) for x in operands], "table": rows}, indent=2))
        return
    about = Text(chosen.name, style="bold") + Text(f"  {chosen.version or chosen.source}", style="dim")
    console.print(about + Text(f"  {operation}", style="bold"), soft_wrap=True)
    _grid(columns, [(_brief(a), a, [_cell(cells[a, b]) for b in columns]) for a in operands])


def _cell(dtype: lw.Dtype | None) -> Text:
    return colour(dtype, short(dtype) if dtype else "×")


def diff(
    first: RuleSet,
    second: RuleSet,
    every: Every = False,
    pairs: Annotated[bool, typer.Option("--list", help="A line for each pair instead.")] = False,
    operation: Operation = "",
    as_json: Json = False,
) -> None:
    """Show where two rule sets differ: in each cell that does, the first's answer above the second's."""
    try:
        one, two = rules_named(first), rules_named(second)
        operands = _chosen(one, two, every=every, scalars=True)
        found = lw.diff_rules(one, two, operands, operation=operation)
    except (TypeError, ValueError) as error:
        raise fail(error) from None
    if as_json:
        print(json.dumps(found.as_dict(), indent=2))
        return
    if not found:
        pass  # a grid of dots says less than the line below
    elif pairs:
        listed = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
        for column in ("", "", one.name, two.name):
            listed.add_column(column)
        for a, b, x, y in found:
            listed.add_row(_name(a), _name(b), colour(x), colour(y))
        console.print(listed)
    else:
        left, right = (_cells(r, operation, operands) for r in (one, two))
        columns = operands if (operands[0], None) not in left else [None]
        rows: list[tuple[str, Any, list[Text]]] = []
        for a in operands:
            differ = {b for b in columns if left[a, b] is not right[a, b]}
            same = Text("·", style="dim")
            rows.append((_brief(a), a, [_cell(left[a, b]) if b in differ else same for b in columns]))
            if differ:
                rows.append(("", a, [_cell(right[a, b]) if b in differ else Text() for b in columns]))
        _grid(columns, rows)
    count = f"{len(found)} pairs differ, of {found.compared} ordered ones compared; {one.name} above, {two.name} below"
    console.print(Text(count.partition(";")[0] if pairs else count, style="bold"), soft_wrap=True)
    for name, only in ((one.name, found.only_first), (two.name, found.only_second)):
        if only and every:
            console.print(Text(f"only {name} knows: {', '.join(map(str, only))}", style="dim"))


def draw(
    rules: RuleSet,
    out: Annotated[
        Path | None, typer.Option(help="The file: .svg, .png or .pdf.", show_default="the rule set's name.svg")
    ] = None,
    join: Annotated[str, typer.Option(help="Operands with commas between them, whose join is marked.")] = "",
    as_table: Annotated[bool, typer.Option("--table", help="The table as a heat map instead.")] = False,
    every: Every = False,
) -> None:
    """Draw a rule set's diagram, with the join of some operands marked, or its table."""
    from .. import draw as drawing

    try:
        chosen = rules_named(rules)
        operands = [operand(x.strip()) for x in join.split(",")] if join else []
        path = out or Path(f"{chosen.name}.svg")
        if as_table:
            drawing.draw_table(chosen, path, _chosen(chosen, every=every, scalars=False))
        else:
            drawing.draw_lattice(chosen, path, operands, every=every)
    except ModuleNotFoundError as error:
        if error.name not in ("networkx", "matplotlib"):
            raise
        raise fail(error) from None
    except OSError as error:
        raise fail(f"{path} cannot be written: {_why_unwritten(path, error)}") from None
    except (TypeError, ValueError) as error:
        raise fail(error) from None
    console.print(f"{path}", soft_wrap=True, highlight=False)


def _why_unwritten(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        return f"there is no folder {path.parent}"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, PermissionError):
        return f"you have no permission to write in {path.parent}"
    return (error.strerror or str(error)).lower()
