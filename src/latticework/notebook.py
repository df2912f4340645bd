"""The display of explanations, differences between rule sets, plans, audits and rule sets in notebooks.

Each function returns HTML or SVG that needs nothing else: each element has its style, and pictures are embedded data.
Text has the colour of the notebook, so that it can be read on dark and on light. Every word from outside is escaped.
The methods that call these, `_repr_html_` and `_repr_svg_`, load this module when a notebook asks them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .core.dtypes import Dtype
from .draw import COLOURS, lattice, svg_of
from .promotion.rules import KIND_OF

if TYPE_CHECKING:
    from .auditing.report import Audit
    from .auditing.widening.report import Widenings
    from .engine.plans.plan import Plan
    from .promotion.explain import Explanation, RuleDifferences
    from .promotion.rules import Rules

__all__ = ["audit_html", "differences_html", "explanation_html", "plan_html", "rules_svg"]

_MONO = "font-family:monospace;white-space:pre"
_CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:baseline"
_FAINT = "opacity:.72"
#: The styles of an audit's text. These colours can be read on white and on black.
_AUDIT = {
    "bold": "font-weight:bold",
    "error": "color:#e0525f;font-weight:bold",
    "warning": "color:#c98a1b;font-weight:bold",
    "note": _FAINT,
    "help": "color:#22a38d;font-weight:bold",
}


# --- parts -----------------------------------------------------------------------------------------------------------


def _styled(style: str, text: object) -> str:
    return f'<span style="{style}">{escape(str(text))}</span>'


def _bold(text: object) -> str:
    return f"<strong>{escape(str(text))}</strong>"


def _node(node: object) -> str:
    """Show a dtype or another node of a diagram, on the colour of its kind."""
    kind = node.kind if isinstance(node, Dtype) else KIND_OF.get(str(node), "")
    red, green, blue = (int(COLOURS[kind][i : i + 2], 16) for i in (1, 3, 5))
    style = f"{_MONO};background:rgba({red},{green},{blue},.24);border-radius:.3em;padding:0 .35em"
    return _styled(style if kind or isinstance(node, Dtype) else f"{_MONO};font-style:italic", node)


def _result(dtype: Dtype | None) -> str:
    return _node(dtype) if dtype is not None else _styled(_AUDIT["error"], "refused")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Make a table; the cells are HTML."""
    body = "".join(_row("td", row) for row in rows)
    return f'<table style="margin:.4em 0"><thead>{_row("th", head)}</thead><tbody>{body}</tbody></table>'


def _row(tag: str, cells: Sequence[str]) -> str:
    inside = "".join(f'<{tag} style="{_CELL}">{cell}</{tag}>' for cell in cells)
    return f"<tr>{inside}</tr>"


def _all(*parts: str) -> str:
    return f'<div class="latticework" style="overflow-x:auto">{"".join(parts)}</div>'


def _picture(svg: str, about: str) -> str:
    """Show a drawing as a picture, in which nothing refers to the page. It has letters on white."""
    data = base64.b64encode(svg.encode()).decode()
    style = "background:#fff;border-radius:6px;max-width:100%;max-height:32em"
    return f'<img alt="{escape(about)}" style="{style}" src="data:image/svg+xml;base64,{data}"/>'


# --- what is shown ---------------------------------------------------------------------------------------------------


def rules_svg(rules: Rules, join: Sequence[Any] = ()) -> str | None:
    """Draw the diagram of a rule set; None where networkx or matplotlib is missing, or there is nothing to draw."""
    try:
        return svg_of(lattice(rules, join))
    except (ImportError, ValueError):
        return None


def explanation_html(found: Explanation) -> str:
    """Show why operands promote to what they do: the sentence, the paths, and the diagram with both marked."""
    listed = ", ".join(found.operands)
    heading = f"{_bold(f'{found.operation}({listed})' if found.operation else listed)} → {'weak ' * found.weak}"
    rule = "" if found.dtype is None else _styled(_FAINT, f" ({found.rule})")
    parts = [f"<div>{heading}{_result(found.dtype)} under {_bold(found.rules)}: {escape(found.why)}{rule}</div>"]
    if found.way_out:
        parts.append(f"<div>{_styled(_AUDIT['help'], 'way out:')} {escape(found.way_out)}</div>")
    if found.has_paths:
        paths = [
            (_bold(name), " → ".join(map(_node, path)) if path else escape(found.without_path))
            for name, path in zip(found.operands, found.paths, strict=True)
        ]
        parts.append(_table(("operand", "its way up"), paths))
    if found.asked is not None and (drawing := rules_svg(*found.asked)) is not None:
        parts.append(_picture(drawing, f"The diagram of the {found.rules} rules with the operands {listed}"))
    return _all(*parts)


def differences_html(found: RuleDifferences) -> str:
    """Show the pairs on which two rule sets differ."""
    rows = [(escape(a), escape(b), _result(x), _result(y)) for a, b, x, y in found.named()]
    table = _table(("", "", escape(found.first), escape(found.second)), rows)
    counted = f"{len(found)} pairs differ; {found.compared} ordered pairs were compared"
    scrolled = f'<div style="max-height:26em;overflow:auto;display:inline-block">{table}</div>'
    return _all(f"<div>{_bold(counted)}</div>", scrolled)


def plan_html(plan: Plan) -> str:
    """Show what one call will do: the cast of each operand, the results, and the function that is called."""
    rows = [(_word(name), f"cast to {_node(cast)}" if cast is not None else "") for name, cast in plan.shown_operands()]
    results = ", ".join(f"{_node(dtype)}{escape(shape)}" for dtype, shape in plan.shown_results()) or escape(
        "a Python value"
    )
    heading = f"<div>{_bold(plan.op)} → {'weak ' * plan.weak}{results}</div>"
    table = _table(("operand", ""), rows) if rows else ""
    return _all(heading, table, f"<div>{escape(plan.shown_facts())}</div>")


def _word(name: str) -> str:
    known = Dtype._all.get(name)
    return _node(known) if known is not None else escape(name)


def audit_html(audit: Audit | Widenings) -> str:
    """Show an audit as its text is printed, with the styles of a terminal."""
    lines = (
        "".join(_styled(_AUDIT[style], text) if style else escape(text) for text, style in line)
        for line in audit.lines()
    )
    text = "\n".join(lines)
    return _all(f'<pre style="margin:0;color:inherit;background:none;line-height:1.35">{text}</pre>')
