"""What objects show in notebooks: HTML and SVG that are valid, escaped and whole, and say what the text says."""

from __future__ import annotations

import base64
import copy
import importlib.util
import pickle
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import latticework as lw

EVIL = """</pre><script src="x">&'"""
#: Explanations of each kind: with paths, with scalars, refused, of an operation, of a conversion, and of a table.
EXPLAINED = {
    "lattice": lambda: lw.explain(lw.int32, lw.float16, rules="torch"),
    "weak": lambda: lw.explain(lw.int16, lw.uint16, 1.5, rules="jax"),
    "refused": lambda: lw.explain(lw.uint16, lw.int16, rules="torch"),
    "operation": lambda: lw.explain(lw.int16, lw.int16, rules="torch", operation="divide"),
    "conversion": lambda: lw.explain(lw.float64, lw.int8, operation="astype"),
    "table": lambda: lw.explain(lw.int16, lw.float16, rules="max-2024"),
}


def parsed(shown: str | None) -> ET.Element:
    """What a notebook shows, read as XML; everything in it is in it."""
    assert shown is not None
    root = ET.fromstring(shown)
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in ("script", "link", "iframe", "object"), element.tag
        for name in ("src", "href", "{http://www.w3.org/1999/xlink}href"):
            assert element.get(name, "#").startswith(("#", "data:image/svg+xml;base64,"))
        assert "url(http" not in element.get("style", "") and not any(a.startswith("on") for a in element.attrib)
    return root


def text(root: ET.Element) -> str:
    return "".join(root.itertext())


def cells(root: ET.Element) -> list[list[str]]:
    """The rows of the tables below a heading, cell by cell."""
    return [[text(cell) for cell in row] for row in root.iter("tr")][1:]


@pytest.mark.parametrize("what", EXPLAINED)
def test_an_explanation_shows_what_its_text_says(what: str) -> None:
    found = EXPLAINED[what]()
    root = parsed(found._repr_html_())
    first, *paths = str(found).split("\n")
    heading = text(root[0]).replace(" → ", " -> ").replace(f" under {found.rules}", "")
    assert heading == first.replace(f" under {found.rules}", "")
    if found.dtype is None:
        assert text(root[1]) == paths[0].strip()
    else:
        shown = [f"{name} {path}".replace(" → ", " -> ") for name, path in cells(root)]
        assert shown == [re.sub(r"  +", " ", line.strip()) for line in paths]


@pytest.mark.parametrize("what", ["lattice", "refused"])
def test_an_explanation_draws_the_diagram(what: str) -> None:
    found = EXPLAINED[what]()
    (picture,) = parsed(found._repr_html_()).iter("img")
    drawn = text(parsed(base64.b64decode(picture.get("src", "").partition(",")[2]).decode()))
    words = " + ".join(found.operands)
    assert (f"{words}: refused" if found.dtype is None else f"{words}  →  {found.dtype}") in drawn
    assert "int8" in drawn
    assert picture.get("alt") == f"The diagram of the torch rules with the operands {', '.join(found.operands)}"


def test_a_rule_set_draws_itself() -> None:
    rules = lw.Rules("mine", "int32 -> float32\nfloat32 -> float64")
    drawn = {text(e).strip() for e in parsed(rules._repr_svg_()).iter("{http://www.w3.org/2000/svg}text")}
    assert drawn >= {"mine", "int32", "float32", "float64"}
    assert lw.Rules("empty", "")._repr_svg_() is None


@pytest.mark.parametrize("missing", ["networkx", "matplotlib"])
def test_without_what_draws_there_are_words(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert lw.Rules("mine", "int32 -> float32")._repr_svg_() is None
    assert lw.trace(lambda x: x + 1, lw.asarray([1.0]))._repr_svg_() is None
    shown = parsed(EXPLAINED["lattice"]()._repr_html_())
    assert not [*shown.iter("img")] and "float16" in text(shown)


@pytest.mark.parametrize(
    "plan",
    [
        lambda: lw.plan(lw.add, lw.asarray([1, 2]), 1.5),
        lambda: lw.plan(lw.linalg.qr, lw.ones((3, 2))),
        lambda: lw.plan(lw.sum, lw.ones(3, dtype="int8")),
        lambda: lw.plan(lw.zeros, 3),
        lambda: lw.plan(lw.allclose, lw.ones(3), lw.ones(3)),
    ],
)
def test_a_plan_shows_what_its_text_says(plan: Any) -> None:
    found = plan()
    root = parsed(found._repr_html_())
    operands = ", ".join(" as ".join(filter(None, (a, b.removeprefix("cast to ")))) for a, b in cells(root))
    heading, facts = text(root[0]), text(root[-1])
    assert f"{heading.replace(' → ', f'({operands}) -> ')}  [{facts}]" == str(found)


def test_differences_are_a_table() -> None:
    found = lw.diff_rules("unified", "precise")
    root = parsed(found._repr_html_())
    assert [re.sub(r"  +", "|", line) for line in str(found).split("\n")[1:-1]] == ["|".join(r) for r in cells(root)]
    assert text(root[0]) == str(found).split("\n")[-1]
    assert len(cells(root)) == len(found) > 10
    assert not cells(parsed(lw.diff_rules("jax", "jax")._repr_html_()))


def audited(folder: Path, name: str = "program") -> Any:
    file = folder / f"{name}.py"
    file.write_text("def f(x, y):\n    return x + y if x.ndim < 2 and y.ndim > 0 else x\n")
    spec = importlib.util.spec_from_file_location("program", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lw.audit(module.f, lw.spec((3,), "int32"), lw.spec((3,), "float16"))


def test_an_audit_shows_its_text(tmp_path: Path) -> None:
    found = audited(tmp_path)
    assert found.findings and "ndim < 2" in str(found)
    assert "\n".join(line.rstrip() for line in text(parsed(found._repr_html_())).split("\n")) == str(found)


def test_no_word_from_outside_is_markup(tmp_path: Path) -> None:
    rules = lw.Rules(EVIL, "int32 -> float32", reason=lambda a, b: f"{EVIL} {a}", source=EVIL)
    other = lw.Rules("<b>", "int32 -> float64")
    for operands in ((lw.int32, lw.float32), (lw.int32, lw.int8)):
        found = lw.explain(*operands, rules=rules)
        assert EVIL in text(parsed(found._repr_html_()))
    assert EVIL in text(parsed(rules._repr_svg_()))
    assert "<b>" in text(parsed(lw.diff_rules(rules, other, [lw.int32, float])._repr_html_()))
    folder = tmp_path / "<i>&amp;"
    folder.mkdir()
    assert "<i>&amp;" in text(parsed(audited(folder)._repr_html_()))
    plan = lw.plan(lw.add, lw.ones(2), 1)._replace(op=EVIL, mode=EVIL)
    assert text(parsed(plan._repr_html_())).count(EVIL) == 2


def test_an_explanation_is_pickled_without_its_rules() -> None:
    found = lw.explain(lw.int32, lw.float32, rules=lw.Rules("mine", "int32 -> float32", reason=lambda a, b: ""))
    for copied in (pickle.loads(pickle.dumps(found)), copy.copy(found)):
        assert copied == found and "float32" in text(parsed(copied._repr_html_()))


def test_an_array_shows_its_chunks_where_it_is_computed_later() -> None:
    assert lw.ones((4, 2))._repr_html_() is None
    if any(b.name == "dask" and b.installed for b in lw.backends()):
        shown = lw.asarray(lw.ones((4, 2)), backend="dask")._repr_html_()
        assert shown is not None and "<svg" in shown and "float32" in shown
