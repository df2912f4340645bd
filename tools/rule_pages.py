"""Write the generated parts of docs/rules: a page and the drawings for each rule set, and the index.

    python tools/rule_pages.py            write what is out of date
    python tools/rule_pages.py --check    write nothing; list what is out of date, and fail if anything is
    python tools/rule_pages.py --draw     write what is out of date, and make every drawing anew

A rule set has two drawings, the diagram and the table as a heat map, each as SVG and as PNG. A PNG says in its
metadata which SVG it was made with.

The generated parts come from the rule sets themselves; `tools/pages.py` says where they stand. All else on a page, its
surprises above all, is written by hand and kept.
"""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from itertools import combinations_with_replacement
from pathlib import Path

import pages

import latticework as lw
from latticework.core.registry import OPS, load
from latticework.promotion import RULES, Rules
from latticework.promotion.families import Families, Family, families_of
from latticework.promotion.registry import WHERE

load()  # the declarations of all chapters

PAGES = pages.DOCS / "rules"

#: The rule sets of the index's comparison.
COMMON = ("unified", "precise", "numpy", "jax", "torch", "tensorflow-all", "keras", "mlx", "max")

#: What the index says of a rule set that shares its module, and its prose, with others.
VARIANTS = {
    "jax-x32": "JAX as it is by default, without 64-bit types.",
    "jax-strict": "JAX's strict mode: only weak operands promote.",
    "jax-x32-strict": "JAX's strict mode, without 64-bit types.",
    "tensorflow": "TensorFlow as it is by default: nothing promotes.",
    "tensorflow-all": "TensorFlow's mode `all`: JAX's lattice, with weak dtypes that have a width.",
    "tensorflow-safe": "TensorFlow's mode `safe`: only what loses nothing, and only to one of the two dtypes.",
    "keras-tensorflow": "Keras on its TensorFlow backend, where int64 and float64 stay.",
}


def prose(rules: Rules) -> str:
    """What the module that defines a rule set says of it, in Markdown and without the source."""
    module = sys.modules[_module(rules)]
    text = (module.__doc__ or "").partition("\nSource:")[0].strip()
    return re.sub(r"``(.*?)``", r"`\1`", text)


def _module(rules: Rules) -> str:
    return f"latticework.promotion.{WHERE[rules.name].partition('.')[0]}"


def facts(rules: Rules) -> str:
    """Source, version, dtypes, and whether it keeps the laws of a semilattice."""
    laws = lw.check_laws(rules)
    found = [
        f"{len(cases)} {word}"
        for word, cases in (
            ("pairs that depend on the order", laws.commutative),
            ("triples that depend on the grouping", laws.associative),
            ("dtypes that do not keep themselves", laws.idempotent),
            ("ordered pairs refused", laws.refused),
            ("pairs without a least upper bound in the diagram", laws.no_unique_join),
        )
        if cases
    ]
    looks = {"zero_dim": "whether an array has dimensions", "weak": "whether an array is weak", "value": "values"}
    rows = [
        ("Source", f"<{rules.source}>"),
        ("Checked against", rules.version or "the standard's text, where it has a table"),
        ("Dtypes", f"{len(rules.dtypes)}, {sum(d in rules.dtypes for d in lw.all_dtypes)} of them executable"),
        ("Looks at, besides dtypes", ", ".join(looks[n] for n in sorted(rules.needs)) or "nothing"),
        ("Over all its dtypes", "; ".join(found) or "a semilattice: every order and grouping gives the same"),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


def edges(rules: Rules) -> str:
    """The diagram, as text."""
    above: dict[str, list[str]] = {}
    for a, b in rules.edges:
        above.setdefault(str(a), []).append(str(b))
    width = max(map(len, above), default=0)
    lines = [f"{a:{width}} -> {' '.join(bs)}" for a, bs in above.items()]
    alone = [d for d in rules.dtypes if not any(d in edge for edge in rules.edges)]
    if alone:
        lines += ["", f"outside the diagram: {' '.join(map(str, alone))}"]
    becomes = [f"{node} becomes {dtype}" for node, dtype in rules.becomes.items()]
    return "\n".join(["```text", *lines, *([""] * bool(becomes)), *becomes, "```"])


def exceptions(rules: Rules) -> str:
    """The pairs that do not follow the diagram, those with the same answer together."""
    if not rules.exceptions:
        return "None: all pairs follow the diagram."
    position = {name: i for i, name in enumerate(lw.Dtype._all)}
    partners: dict[tuple[str, str, bool], list[str]] = {}
    for (a, b), result in rules.exceptions.items():
        both = (b, a) in rules.exceptions and rules.exceptions[b, a] is result
        if both and position.get(a, -1) > position.get(b, -1):
            continue
        partners.setdefault((str(a), str(result or "refused"), both), []).append(str(b))
    groups: dict[tuple[tuple[str, ...], str, bool], list[str]] = {}
    for (a, result, both), others in partners.items():
        groups.setdefault((tuple(others), result, both), []).append(a)
    lines = [
        f"{' '.join(first)} with {' '.join(others)}: {result}{'' if both else ', in this order'}"
        for (others, result, both), first in groups.items()
    ]
    return "\n".join(["```text", *lines, "```"])


def with_table(rules: Rules) -> str:
    """The rule set whose page has the table of these families: the one that they are named after."""
    return rules.families if rules.families in lw.rule_names() else rules.name


def families(rules: Rules) -> str:
    """What operations do beyond the join: the prose of the families' module, and a row for each family.

    Rule sets that share their families share one table, so that a new function changes one page.
    """
    if (first := with_table(rules)) != rules.name:
        about = _SHARED.get(rules.name) or _SHARED.get(first) or f"The families are those of `{first}`."
        return f"{about}\nThe table is on the page of [{first}]({first}.md#operations)."
    module = f"latticework.promotion.families.{rules.families}"
    made = families_of(rules)
    about, _, source = (sys.modules[module].__doc__ or "").partition("\nSource:")
    text = re.sub(r"``(.*?)``", r"`\1`", about.strip())
    groups: dict[Family, list[str]] = {}
    for name, op in OPS.items():
        if rules.families == "unified" and op.operands and not name.startswith("_"):
            groups.setdefault(made.others(op), []).append(name)
    for name, family in made.operations.items():
        groups.setdefault(family, []).append(name)
    flags = Family._fields[1:6]
    lines = [
        f"| family | operations | {' | '.join(f'`{flag}`' for flag in flags)} | computed in | result |",
        "|---" * (len(flags) + 4) + "|",
    ]
    for family, names in groups.items():
        marks = " | ".join("yes" if getattr(family, flag) else "" for flag in flags)
        shown = " ".join(f"`{n}`" for n in names)
        lines.append(f"| {family.name} | {shown} | {marks} | {_computed(family, made)} | {_results(family)} |")
    cited = f"\n\nSource: {' '.join(source.split())}" if source else ""
    return f"{text}\n\n" + "\n".join(lines) + cited


#: What is said of rule sets whose operations are in another's table, by their name or by that of the other.
_SHARED = {
    "unified": "No operation's results were measured for these rules: the families are those of `unified`.",
    "numpy1": "The families are those of NumPy 2, which NumPy 1 shares but for the values of scalars.",
}

_KINDS = {"b": "bool", "i": "signed", "u": "unsigned", "f": "floats", "c": "complex"}


def _computed(family: Family, families: Families) -> str:
    """Which dtypes a family computes in, and which in others."""
    parts = []
    if family.special:
        first = (families.special[family.special].__doc__ or "").partition("\n")[0]
        parts.append(re.sub(r"``(.*?)``", r"`\1`", first).removesuffix(".").replace("`preferred_element_type`", "it"))
    if family.only:
        parts.append(f"`{family.only}` alone")
    elif family.loops:
        parts.append(f"the first loop of `{family.loops}`")
    elif family.takes != "biufc":
        parts.append(", ".join(_KINDS[k] for k in family.takes))
    if family.operands != "biufcV":
        parts.append(f"operands {', '.join(_KINDS[k] for k in family.operands)}")
    if family.computes:
        parts.append(f"`{family.computes}`" + " each operand by itself" * family.each)
    if family.joined_by:
        parts.append(f"joined as `{family.joined_by}`")
    if not family.zero_dim:
        parts.append("0-d arrays do not give way")
    if family.any_int:
        parts.append("takes a Python int of any size beside integers")
    if family.no_negative:
        parts.append("no negative Python int as an integer's exponent")
    if family.squares:
        parts.append(f"the operator `x ** 2` of {', '.join(_KINDS[k] for k in family.squares)} is `square`")
    return "; ".join(parts) or "any"


def _results(family: Family) -> str:
    parts = [] if family.out == "same" and family.results else [family.out]
    if family.results:
        parts.append(f"`{family.results}`")
    if family.weak != "biufc":
        parts.append(f"weak with {', '.join(_KINDS[k] for k in family.weak)}" if family.weak else "never weak")
    return "; ".join(parts)


PARTS = {
    "prose": prose,
    "facts": facts,
    "edges": edges,
    "exceptions": exceptions,
    "families": families,
}

SKELETON = """# {name}

<!-- generated: prose -->
<!-- end -->

<!-- generated: facts -->
<!-- end -->

## Surprises

## The diagram

![The diagram of the {name} rules: each dtype promotes to those above it]({name}.svg)

Only the executable dtypes are drawn; `latticework draw {name} --all` has all that the rules know. As text:

<!-- generated: edges -->
<!-- end -->

## The table

![The table of the {name} rules: what each pair of dtypes promotes to]({name}-table.svg)

A row is the first operand, a column the second; × is a refusal. `latticework table {name}` prints it, and
`latticework draw {name} --table --all` draws it with all dtypes that the rules know. As PNG:
[the diagram]({name}.png), [the table]({name}-table.png).

## Pairs that do not follow it

<!-- generated: exceptions -->
<!-- end -->

## Operations

<!-- generated: families -->
<!-- end -->
"""


def disagreements() -> str:
    """How often the common rule sets differ: above the diagonal; below it, how often one of the two refuses."""
    cells: dict[tuple[str, str], str] = {}
    for i, one in enumerate(COMMON):
        for two in COMMON[i + 1 :]:
            a, b = RULES[one], RULES[two]
            dtypes = [d for d in lw.all_dtypes if d in a.dtypes and d in b.dtypes]
            left, right = a.table(dtypes), b.table(dtypes)
            pairs = [*combinations_with_replacement(dtypes, 2)]
            differ = [p for p in pairs if left[p] is not right[p]]
            cells[one, two] = f"{len(differ)} of {len(pairs)}"
            cells[two, one] = f"{sum(left[p] is None or right[p] is None for p in differ)} refused"
    lines = [f"| | {' | '.join(COMMON)} |", "|---" * (len(COMMON) + 1) + "|"]
    lines += [f"| **{a}** | {' | '.join(cells.get((a, b), '') for b in COMMON)} |" for a in COMMON]
    return "\n".join(lines)


def listing() -> str:
    """All rule sets, a row each."""
    lines = ["| rules | checked against | dtypes | |", "|---|---|---|---|"]
    for name in lw.rule_names():
        rules = RULES[name]
        first = VARIANTS.get(name) or prose(rules).partition("\n\n")[0].replace("\n", " ")
        lines.append(f"| [{name}]({name}.md) | {rules.version} | {len(rules.dtypes)} | {first} |")
    return "\n".join(lines)


def page(name: str) -> str:
    """A page as it should be."""
    path = PAGES / f"{name}.md"
    text = path.read_text(encoding="utf-8") if path.exists() else SKELETON.format(name=name)
    if name == "index":
        return pages.filled(text, {"listing": listing(), "disagreements": disagreements()})
    return pages.filled(text, {part: make(RULES[name]) for part, make in PARTS.items()})


def made(*names: str) -> dict[Path, str]:
    """The pages of rule sets as they should be; all pages, where no names are given."""
    return {PAGES / f"{name}.md": page(name) for name in names or ("index", *lw.rule_names())}


def drawings(name: str) -> list[Path]:
    """The files of a rule set's drawings."""
    return [PAGES / f"{name}{what}.{suffix}" for what in ("", "-table") for suffix in ("svg", "png")]


def note(svg: Path) -> str:
    """What the metadata of a PNG say of the SVG that it was made with."""
    return f"made with {svg.name}, SHA-256 {sha256(svg.read_bytes()).hexdigest()}"


def draw(name: str) -> None:
    """Draw the diagram and the table of a rule set, each as SVG and as PNG."""
    from latticework.draw import lattice, save, table

    for what, figure in (("", lattice(name)), ("-table", table(name))):
        svg = save(figure, PAGES / f"{name}{what}.svg")
        save(figure, svg.with_suffix(".png"), note(svg))


def main() -> int:
    """Write the pages, or only compare; 1 where one is out of date."""
    options = pages.options(__doc__, draw="make every drawing anew")
    should_be = made()
    stale = pages.out_of_date(should_be)
    status = pages.write(should_be, check=options.check)
    for name in lw.rule_names() if not options.check else ():
        if options.draw or (PAGES / f"{name}.md") in stale or not all(map(Path.exists, drawings(name))):
            draw(name)
    return status


if __name__ == "__main__":
    sys.exit(main())
