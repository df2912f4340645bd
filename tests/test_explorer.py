"""The explorer's page: its tables against the rule sets, cell by cell, and the page itself in a real browser."""

from __future__ import annotations

import io
import itertools
import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import explorer_page
from explorer import data as explorer

import latticework as lw
from latticework.core.registry import OPS
from latticework.draw import short
from latticework.errors import PromotionError
from latticework.policy import current
from latticework.promotion import RULES
from latticework.promotion.families import _one_operand, decide

#: The operations of the page that is tested every day. The sweep has all of them.
OPERATIONS = ("", "divide", "where", "sum")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = """headless no-sandbox disable-gpu disable-quic no-first-run disable-sync disable-background-networking
    disable-component-update""".split()

Data = dict[str, Any]


def named(x: Any) -> str:
    """An operand as the page writes it."""
    if isinstance(x, lw.Operand):
        return ("0d:" if x.zero_dim else "weak:" if x.weak else "") + str(x.dtype)
    return str(x) if isinstance(x, lw.Dtype) else repr(x)


def decoded(data: Data, rules: str, operation: str) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Read a table of the page as its script does, by code of this test's own: (dtype, weak, rule, why, way out)."""
    head, _, cells = data["tables"][data["table_of"][rules][operation]].partition(" ")
    width, own = int(head[0]), [*map(int, head[1:].split(","))]
    base, digit = len(data["digits"]), {c: i for i, c in enumerate(data["digits"])}
    places = [sum(digit[c] * base ** (width - 1 - k) for k, c in enumerate(cells[i : i + width]))
              for i in range(0, len(cells), width)]  # fmt: skip
    described = next(r for r in data["rules"] if r["name"] == rules)
    dtypes = [d[0] for d in data["dtypes"] if d[3] == "compute"] if operation else described["dtypes"]
    forms = ["", *({"z": "0d:", "w": "weak:"}[f] for f in described["forms"][operation])]
    operands = [form + d for form in forms for d in dtypes] + [s[0] for s in data["scalars"]]
    one = operation and _one_operand(OPS[operation])
    keys = [(a,) for a in operands] if one else [*itertools.product(operands, repeat=2)]
    found = {}
    for key, place in zip(keys, places, strict=True):
        dtype, weak, rule, _node, why, out = data["answers"][own[place]]
        texts = data["texts"]
        found[key] = (data["dtypes"][dtype][0] if dtype >= 0 else None, bool(weak), texts[rule], texts[why], texts[out])
    return found


def explained(rules: str, operation: str, operands: Any) -> tuple[Any, ...]:
    found = lw.explain(*operands, rules=rules, operation=operation)
    return found.dtype and found.dtype.name, found.weak, found.rule, found.why, found.way_out


def every_operand(rules: str, operation: str) -> dict[str, Any]:
    """All that the page lets one choose, by name, for which the rule set has a table."""
    return {named(x): x for x in explorer.operands_of(RULES[rules], operation)}


@pytest.fixture(scope="module")
def data() -> Data:
    return json.loads(json.dumps(explorer.made(operations=OPERATIONS)))


# --- the data against the library ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", lw.rule_names())
def test_each_cell_is_the_librarys_answer(data: Data, rules: str) -> None:
    default, rng = current().default, random.Random(rules)
    for operation in OPERATIONS:
        cells, by_name = decoded(data, rules, operation), every_operand(rules, operation)
        for key, (dtype, weak, *_) in cells.items():
            operands = [by_name[name] for name in key]
            try:
                if operation:
                    decision = decide(RULES[rules], operation, operands, default)
                    expected = decision.result.name, decision.weak
                else:
                    result = RULES[rules].result(operands, default)
                    expected = result.dtype.name, result.weak
            except PromotionError:
                expected = None, False
            assert (dtype, weak) == expected, (rules, operation, key)
        for key in rng.sample([*cells], min(150, len(cells))):
            assert cells[key] == explained(rules, operation, [by_name[name] for name in key]), (rules, operation, key)


@pytest.mark.parametrize("rules", lw.rule_names())
def test_forms_without_a_row_of_their_own_answer_as_arrays_do(data: Data, rules: str) -> None:
    rng = random.Random(rules)
    for operation in OPERATIONS:
        cells, by_name = decoded(data, rules, operation), every_operand(rules, operation)
        for _ in range(80):
            chosen = rng.choices([*by_name], k=len(next(iter(cells))))
            key = tuple(name if any(name in k for k in cells) else name.partition(":")[2] for name in chosen)
            assert cells[key] == explained(rules, operation, [by_name[name] for name in chosen]), (operation, chosen)


@pytest.mark.sweep
@pytest.mark.parametrize("rules", lw.rule_names())
def test_each_cell_of_each_operation_says_what_explain_says(rules: str) -> None:
    data = explorer.made([rules])
    for operation in explorer.all_operations():
        by_name = every_operand(rules, operation)
        for key, cell in decoded(data, rules, operation).items():
            assert cell == explained(rules, operation, [by_name[name] for name in key]), (operation, key)


def test_drawings_have_the_nodes_of_the_diagram(data: Data) -> None:
    for described in data["rules"]:
        rules = RULES[described["name"]]
        drawing = described["drawing"]
        usual = {str(n) for n in rules.above if not isinstance(n, lw.Dtype) or n.use == "compute"}
        assert {node[0] for node in drawing["nodes"]} == usual
        width, height = drawing["size"]
        assert all(0 < x < width and 0 < y < height for _, x, y, _ in drawing["nodes"])
        assert all(promotes(rules, a, b) for a, b, _ in drawing["edges"])


def promotes(rules: Any, a: str, b: str) -> bool:
    return any(str(n) == b for n in next(above for node, above in rules.above.items() if str(node) == a))


# --- the page in a browser -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(data: Data, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: the page is not driven")
    if not (BROWSER and DRIVER):
        pytest.skip("there is no Chromium with chromedriver on this machine: the page is not driven")
    folder = tmp_path_factory.mktemp("explorer")
    (folder / "explorer.html").write_text(explorer_page.page(data), encoding="utf-8")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={folder / 'profile'}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.address = (folder / "explorer.html").as_uri()
    try:
        resize(driver, 1440, 900)
        yield driver
        assert driver.get_log("browser") == []  # no error in the console, in any of these tests
    finally:
        driver.quit()


def resize(driver: Any, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def scheme(driver: Any, value: str) -> None:
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]}
    )


def visit(driver: Any, state: str = "") -> None:
    """Open a link, as from elsewhere."""
    driver.get("about:blank")
    driver.get(driver.address + state)


def choose(driver: Any, selector: str, value: str) -> None:
    """Choose in a list as a reader does, and wait for the page to follow the address."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element(By.CSS_SELECTOR, selector)).select_by_value(value)
    settle(driver)


def settle(driver: Any) -> None:
    driver.execute_async_script("const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => done()), 0)")


def click(driver: Any, selector: str) -> None:
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)
    settle(driver)


def text(driver: Any, selector: str) -> str:
    found: str = driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)
    return found


DUMP = """
const texts = new Map();
const number = (text) => texts.get(text) ?? (texts.set(text, texts.size), texts.size - 1);
const found = {};
for (const [name, asked] of Object.entries(arguments[0])) {
  const [rules, operation] = name.split("|");
  found[name] = asked.map((key) => {
    const { dtype, weak, rule, why, out } =
      answers.ask(answers.rules.get(rules), operation, key.split(" ").map((text) => answers.operand(text)));
    return number(JSON.stringify([dtype, weak, rule, why, out]));
  });
}
return [[...texts.keys()], found];
"""


def test_the_page_reads_every_cell_as_it_was_written(browser: Any, data: Data) -> None:
    visit(browser)
    expected = {f"{r}|{op}": decoded(data, r, op) for r in lw.rule_names() for op in OPERATIONS}
    asked = {name: [" ".join(key) for key in cells] for name, cells in expected.items()}
    texts, found = browser.execute_script(DUMP, asked)
    texts = [tuple(json.loads(t)) for t in texts]
    for name, cells in expected.items():
        assert [texts[i] for i in found[name]] == [*cells.values()], name


#: What the page computes itself: the answer for any number of operands, and the ways up the diagram.
JOINED = """
return arguments[0].map(([name, operands]) => {
  const rules = answers.rules.get(name);
  const xs = operands.map((text) => answers.operand(text));
  const found = explain(rules, xs);
  const ways = found.dtype === null ? [] : paths(rules, xs, found);
  return [found.dtype, found.weak, found.rule, found.why, found.out, ways];
});
"""


def compare_joins(driver: Any, questions: list[tuple[str, list[Any]]]) -> None:
    found = driver.execute_script(JOINED, [[rules, [*map(named, xs)]] for rules, xs in questions])
    for (rules, xs), (*answer, ways) in zip(questions, found, strict=True):
        expected = lw.explain(*xs, rules=rules)
        assert tuple(answer) == explained(rules, "", xs), (rules, xs)
        assert ways == [[*map(str, way)] for way in expected.paths], (rules, xs)


def test_three_and_four_operands_and_unknown_dtypes_are_joined_as_by_the_library(browser: Any) -> None:
    visit(browser)
    rng = random.Random(0)
    dtypes = [lw.Dtype(name) for name in lw.Dtype._all]
    forms: list[Any] = [f(d) for d in dtypes for f in (lw.Dtype, zero_dim, weak)]
    usual = [x for x in forms if getattr(x, "dtype", x).use == "compute"]
    questions: list[tuple[str, list[Any]]] = []
    for rules in lw.rule_names():
        known = [x for x in forms if getattr(x, "dtype", x) in RULES[rules].dtypes]
        for pool, count in ((usual, 60), (known, 40), (forms, 25)):
            questions += [
                (rules, rng.choices([*pool, *explorer.SCALARS], k=rng.choice((1, 2, 3, 3, 4)))) for _ in range(count)
            ]
    compare_joins(browser, questions)


@pytest.mark.sweep
@pytest.mark.parametrize("rules", lw.rule_names())
def test_all_triples_are_joined_as_by_the_library(browser: Any, rules: str) -> None:
    visit(browser)
    plain: list[Any] = [*lw.all_dtypes, *explorer.SCALARS]
    forms = [zero_dim(d) for d in lw.all_dtypes] + [weak(d) for d in lw.all_dtypes]
    triples = [[*t] for t in itertools.product(plain, repeat=3)]
    triples += [[x, y, z] for x in forms for y in plain[::2] for z in plain[1::3]]
    for start in range(0, len(triples), 3000):
        compare_joins(browser, [(rules, t) for t in triples[start : start + 3000]])


def zero_dim(dtype: lw.Dtype) -> lw.Operand:
    return lw.Operand(dtype, zero_dim=True)


def weak(dtype: lw.Dtype) -> lw.Operand:
    return lw.Operand(dtype, weak=True)


STATES: list[tuple[str, str, list[Any]]] = [
    ("jax", "", [lw.int8, lw.uint16]),
    ("torch", "", [lw.int8, lw.uint16]),
    ("torch", "divide", [lw.int32, zero_dim(lw.uint8)]),
    ("unified", "", [weak(lw.int32), zero_dim(lw.uint8)]),
    ("jax", "", [weak(lw.float32), lw.float16, 1.5]),
    ("numpy", "", [lw.int8, lw.uint16, lw.float32, True]),
    ("numpy", "", [lw.Dtype("int4"), lw.int16]),
    ("tensorflow", "sum", [lw.bool]),
]


@pytest.mark.parametrize(("rules", "operation", "operands"), STATES)
def test_a_state_chosen_by_hand_shows_what_explain_says(
    browser: Any, rules: str, operation: str, operands: list[Any]
) -> None:
    visit(browser)
    for i in range(2, len(operands)):
        click(browser, "#more")
        assert browser.execute_script("return document.activeElement.id") == f"dtype-{i}"
    for i, x in enumerate(operands):
        choose(browser, f"#dtype-{i}", str(getattr(x, "dtype", x)) if not isinstance(x, bool | float) else repr(x))
        if isinstance(x, lw.Operand):
            choose(browser, f"#form-{i}", "0d:" if x.zero_dim else "weak:")
    choose(browser, "#operation", operation)
    click(browser, f"[data-rules={rules}] button")

    said, found = text(browser, "#said"), lw.explain(*operands, rules=rules, operation=operation)
    answer = f"{'weak ' * found.weak}{found.dtype}" if found.dtype else "refused"
    assert answer in said and found.why.casefold() in said.casefold() and found.way_out in said
    for words, way in zip(found.operands, found.paths, strict=False):
        assert words in said and " → ".join(map(str, way)) in said
    needs = RULES[rules].needs
    unseen = any(getattr(x, "zero_dim", False) and "zero_dim" not in needs for x in operands)
    unseen |= any(getattr(x, "weak", False) and "weak" not in needs for x in operands)
    assert ("do not look at" in said) is unseen
    for name in lw.rule_names():
        other = lw.explain(*operands, rules=name, operation=operation)
        assert text(browser, f"[data-rules={name}] .result").removeprefix("weak ") == str(other.dtype or "refused")
    assert (
        answer in text(browser, "#summary") and browser.find_element("id", "summary").get_attribute("role") == "status"
    )

    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(text(browser, "#code"), {})
    assert printed.getvalue() == f"{found}\n"

    joined = lw.explain(*operands, rules=rules)
    ends = {(str(way[0]), str(way[-1])) for way in joined.paths if len(way) > 1} if found.dtype else set()
    lit = [
        e.split()
        for e in browser.execute_script("return [...document.querySelectorAll('.edge.lit')].map(e => e.dataset.edge)")
    ]
    for start, end in ends:
        reached = {start}
        for _ in lit:
            reached |= {b for a, b in lit if a in reached}
        assert end in reached
    assert bool(lit) == bool(ends)
    before = browser.execute_script("return document.querySelector('main').innerText")
    visit(browser, "#" + browser.current_url.partition("#")[2])  # a link to the state shows the same
    assert browser.execute_script("return document.querySelector('main').innerText") == before


def test_the_back_button_and_odd_links(browser: Any) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    visit(browser)
    assert "int8 + uint16" in text(browser, "#summary")
    choose(browser, "#dtype-0", "float64")
    choose(browser, "#operation", "divide")
    assert text(browser, "#summary").startswith("divide(float64, uint16)")
    for expected in ("float64 + uint16", "int8 + uint16"):
        browser.back()
        WebDriverWait(browser, 10).until(lambda b: text(b, "#summary").startswith(expected))  # noqa: B023
    visit(browser, "#x=nonsense,int8&op=rm&rules=none&view=%3Cb%3E&show=torch,none")
    assert text(browser, "#summary").startswith("int8 + uint16 is refused under torch")
    assert text(browser, "#note") == "The link names what is not here: nonsense, rm, none, <b>."
    choose(browser, "#dtype-0", "float64")
    assert browser.execute_script("return document.querySelector('#note').hidden")
    visit(browser, "#x=int8,int8,int8,int8,int16&dtype=int64")
    note = "The link names what is not here: dtype. The link has more than four operands. The first four are shown."
    assert text(browser, "#note") == note
    visit(browser, "#x=int8,int8,int8&op=divide")  # what takes no part is not reached by the keyboard
    disabled = "return [...document.querySelectorAll('.remove:not([hidden])')].map((b) => b.disabled)"
    assert browser.execute_script(disabled)[:3] == [False, False, True]
    visit(browser, "#x=float64&op=sum")  # a link of one operand, for an operation that takes one
    assert text(browser, "#summary").startswith("sum(float64) is float64")
    visit(browser, "#x=int4,int8&op=divide")  # operations have answers for the executable dtypes alone
    assert "15 dtypes" in text(browser, "#note") and text(browser, "[data-rules=numpy] .result") == ""
    visit(browser, "#x=int4,int8&show=torch&rules=torch")
    click(browser, "#shown input[value=torch]")  # one rule set is always shown
    assert browser.execute_script("return document.querySelector('#shown input[value=torch]').checked")


LISTED = """
return [...document.querySelectorAll("#list tbody tr")].map(
  (row) => [...row.children].map((cell) => cell.textContent.replace("weak ", "")));
"""
CELLS = """
return [...document.querySelectorAll("[role=gridcell]")].map(
  (cell) => [cell.dataset.row, cell.dataset.column, cell.textContent]);
"""


@pytest.mark.parametrize(
    ("one", "two", "operation", "every"), [("torch", "jax", "", True), ("numpy", "torch", "divide", False)]
)
def test_heat_maps_and_differences(browser: Any, one: str, two: str, operation: str, every: bool) -> None:
    visit(browser, f"#x=int8,uint8&rules={one}&view=diff&with={two}&op={operation}" + "&all=1" * every)
    dtypes = [d for d in RULES[one].dtypes if d in RULES[two].dtypes and (every or d in lw.all_dtypes)]
    operands = [*dtypes, True, 2, 1.5, 1j]
    expected = lw.diff_rules(one, two, operands, operation=operation)
    assert text(browser, "#legend strong") == f"{len(expected)} pairs differ"
    assert f"of {expected.compared} ordered ones" in text(browser, "#legend")
    listed = browser.execute_script(LISTED)
    words = [[r["a"], r["b"], r["first"] or "refused", r["second"] or "refused"] for r in expected.as_dict()["rows"]]
    assert listed == words
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(text(browser, "#code"), {})
    assert printed.getvalue() == f"{expected}\n"

    visit(browser, f"#x=int8,uint8&rules={one}&view=table&op={operation}" + "&all=1" * every)
    cells = browser.execute_script(CELLS)
    known = [d for d in RULES[one].dtypes if every or d in lw.all_dtypes]
    by_name = {named(x): x for x in (*known, True, 2, 1.5, 1j)}
    assert len(cells) == len(by_name) ** 2
    for a, b, shown in cells:
        found = lw.explain(by_name[a], by_name[b], rules=one, operation=operation).dtype
        assert shown == (short(found) if found else "×"), (a, b)
    scopes = browser.execute_script(
        "return [...document.querySelectorAll('table th')].every(th => ['row', 'col'].includes(th.scope))"
    )
    assert scopes


#: The first control that the keyboard reaches, and each after it until it leaves the page.
FOCUSED = """
const e = document.activeElement;
const style = getComputedStyle(e);
return [e.id || e.dataset.rules || e.textContent.trim().slice(0, 20), e.tagName,
        style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
"""


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*keys).perform()
    settle(driver)


def test_the_keyboard_alone_reaches_and_does_everything(browser: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    visit(browser, "#x=int8,uint16,float16&rules=torch&view=diff&with=jax")
    reachable = browser.execute_script(
        "return [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex]')]"
        ".filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ contentVisibilityAuto: true })).length"
    )
    focused = []
    for _ in range(reachable):
        press(browser, Keys.TAB)
        name, tag, outlined = browser.execute_script(FOCUSED)
        assert outlined, f"{tag} {name} shows no focus"
        focused.append(name)
    assert len(focused) >= 30
    assert {"theme", "dtype-0", "form-2", "operation", "more", "second", "tab-diff", "copy", "code"} <= {*focused}

    browser.execute_script("document.querySelector('[role=gridcell][tabindex=\"0\"]').focus()")
    where = "const c = document.activeElement.dataset; return [c.row, c.column]"
    assert browser.execute_script(where) == ["int8", "uint16"]
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert browser.execute_script(where) == ["int16", "uint32"]
    assert text(browser, "#cell").startswith(
        "int16 + uint32 is refused under torch: PyTorch does not support it; int64 under jax"
    )
    press(browser, Keys.ENTER)
    assert text(browser, "#summary").startswith("int16 + uint32 + float16")
    assert browser.execute_script(where) == ["int16", "uint32"]  # the focus stays
    press(browser, Keys.HOME)
    assert browser.execute_script(where) == ["int16", "bool"]
    browser.execute_script("document.querySelector('#tab-diff').focus()")
    press(browser, Keys.ARROW_RIGHT)
    assert browser.execute_script("return document.activeElement.id") == "tab-path"
    assert not browser.find_element("id", "panel-path").get_attribute("hidden")
    browser.execute_script("document.querySelector('[data-rules=jax] button').focus()")
    press(browser, Keys.ENTER)
    assert text(browser, "#detail-title").startswith("jax")


#: The contrast of each text that is shown with what lies behind it, as WCAG 2 counts it: [contrast, the text].
CONTRASTS = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
const over = (top, below) => top.slice(0, 3).map((c, i) => (c * top[3] + below[i] * (255 - top[3])) / 255);
function behind(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.unshift(rgba(getComputedStyle(e).backgroundColor));
  return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
}
const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
function contrast(a, b) {
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}
const found = new Map();
for (const e of document.querySelectorAll("body *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !e.checkVisibility() || e.closest("option, script, .hidden, .skip, :disabled")) continue;
  const style = getComputedStyle(e);
  const rect = e.closest("svg") && e.previousElementSibling;
  const below = rect ? over(rgba(getComputedStyle(rect).fill), behind(e.closest("section"))) : behind(e);
  const above = over(rgba(rect ? style.fill : style.color), below);
  const value = contrast(above, below);
  const key = `${e.tagName} ${e.className.baseVal ?? e.className}`;
  if (!(found.get(key)?.[0] < value)) found.set(key, [value, `${key} ${e.textContent.trim().slice(0, 30)}`]);
}
return [...found.values()];
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark(browser: Any, theme: str) -> None:
    scheme(browser, theme)
    for state in (
        "#x=int8,uint16",
        "#x=int8,1j&rules=torch&view=table",
        "#x=int8,uint8&rules=torch&view=diff&with=jax",
    ):
        visit(browser, state)
        found = browser.execute_script(CONTRASTS)
        assert len(found) > 15
        assert min(found) >= [4.5], f"{state}: {min(found)}"
    background = "return getComputedStyle(document.documentElement).backgroundColor"
    before = browser.execute_script(background)
    assert (sum(map(int, re.findall(r"\d+", before)[:3])) < 200) is (theme == "dark")
    kept = "localStorage.setItem('mode', arguments[0]); return localStorage.getItem('mode')"
    other = {"light": "dark", "dark": "light"}[theme]
    assert browser.execute_script(kept, other) == other  # as another page of the site keeps it
    visit(browser)
    assert browser.execute_script("return document.documentElement.dataset.theme") == other
    browser.execute_script("localStorage.clear()")
    visit(browser)
    click(browser, "#theme")
    assert browser.execute_script(background) != before
    browser.execute_script("localStorage.clear()")
    scheme(browser, "light")


#: The controls without a name, by the rules of accessible names as far as the page uses them.
NAMELESS = """
const named = (e) => e.getAttribute("aria-label") || e.labels?.[0]?.textContent.trim() || e.textContent.trim() ||
  document.getElementById(e.getAttribute("aria-labelledby"))?.textContent.trim();
const controls = "button, select, input, a[href], summary, [role=tabpanel], [role=grid], svg[role=img], section";
return [...document.querySelectorAll(controls)]
  .filter((e) => !(e.tagName === "SELECT" ? e.getAttribute("aria-label") || e.labels[0]?.textContent.trim() : named(e)))
  .map((e) => e.outerHTML.slice(0, 80));
"""


def test_controls_have_names_and_nothing_scrolls_sideways_on_a_phone(browser: Any) -> None:
    resize(browser, 390, 844)
    wide = "#x=int8,weak:bfloat16,1099511627776,0d:float8_e4m3b11fnuz"
    for state in ("", wide, "#x=int4,uint8&rules=jax", "#x=int8,2&rules=torch&view=table&all=1",
                  "#x=int8,uint16&rules=torch&view=diff&with=jax", "#x=int8,uint16&op=sum"):  # fmt: skip
        visit(browser, state)
        browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
        assert browser.execute_script(NAMELESS) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390, state
        ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len({*ids})
    resize(browser, 1440, 900)


def test_the_first_screen_of_a_desk_has_all_answers(browser: Any) -> None:
    visit(browser)
    last = "return [...document.querySelectorAll('#answers tbody tr')].at(-1).getBoundingClientRect().bottom"
    assert browser.execute_script(last) <= 900


def test_the_page_loads_nothing_from_elsewhere(browser: Any) -> None:
    visit(browser)
    for view in ("path", "table", "diff"):
        click(browser, f"#tab-{view}")
    assert browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)") == []
    source = browser.page_source
    assert not re.search(r"""<(script|img|iframe|link|source|use)[^>]*\s(src|href)=["'](?!data:)""", source)
    assert "@import" not in source and "fetch(" not in source and "XMLHttpRequest" not in source


def test_the_page_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Data) -> None:
    monkeypatch.setattr(explorer_page, "made", lambda: data)
    monkeypatch.setattr(sys, "argv", ["explorer_page.py", str(tmp_path / "new" / "explorer.html")])
    assert explorer_page.main() == 0
    assert 300_000 < (tmp_path / "new" / "explorer.html").stat().st_size < 800_000
