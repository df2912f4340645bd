"""The site: every public name has a page, links lead somewhere, nothing is loaded from elsewhere, a search finds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import latticework as lw
from latticework.contents import SUBMODULES

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

pytest.importorskip("sphinx", reason="the site is built by Sphinx: pip install '.[docs]'")

import reference_pages
from reference_docstrings import Reader, Scope, signature
from reference_entries import chapters, other_words

#: What people look for, and the page that is among the first three results: ours, a name of another library, words, the
#: text of an error.
LOOKED_FOR = {
    "lw.expand_dims": "unsqueeze | torch.unsqueeze | tf.expand_dims | 'Array' object has no attribute 'unsqueeze'",
    "lw.concat": "torch.cat | np.concatenate | numpy.concatenate | tf.concat",
    "lw.where": "where | jnp.where | jax.numpy.where | masked_fill",
    "lw.take": "tf.gather | torch.index_select",
    "lw.take_along_axis": "torch.gather",
    "lw.nn.gelu": "F.gelu | torch.nn.functional.gelu(x)",
    "lw.clip": "torch.clamp(x, min=0) | clamp",
    "lw.sum": "sum | tf.reduce_sum",
    "lw.astype": "tf.cast",
    "lw.matmul": "torch.bmm",
    "lw.random.key": "jax.random.PRNGKey | torch.manual_seed",
    "lw.jit": "jax.jit",
    "lw.asarray": "torch.from_numpy",
    "lw.cumulative_sum": "cumulative sum",
    "lw.arccos": "arccos",
    "lw.linalg.eig": "eig | tf.linalg.eig",
    "lw.errors.PromotionError": "PromotionError",
    "guides/views": "in-place update",
    "guides/gradients": "gradient tape | autograd",
    "guides/pytorch": "torch.nn.Module",
    "graphs": "onnx | np.save | pickle",
    "random": "random seed",
    "porting": "np.set_printoptions",
    "dialects": "keras.layers.Dense | tf.keras",
    "guides/promotion": "type promotion",
    "lw.Array": "np.ndarray | tf.Tensor | tensor.item",
    "lw.reshape": "tensor.view",
    "lw.tree.map": "jax.tree_util.tree_map",
    "constants": "np.newaxis | torch.float32",
    "guides/onnx": "dynamic batch | torch.onnx.export | export to onnx",
    "guides/packages": "huggingface transformers",
    "guides/scale": "multi gpu",
    "guides/state": "side effects | global variable in jit",
    "guides/source": "read the generated source",
    "guides/to_numpy": "convert pytorch to numpy",
    "speed": "make it faster | slow",
    "dtypes": "float8 | quantization",
    "sharp_bits": "sharp bits | shape mismatch | nan gradient | dtype changed | silent float64"
    " | RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    " | The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"
    " | RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
    " | result type Float can't be cast to the desired output type Long"
    " | numpy._core._exceptions._UFuncOutputCastingError: Cannot cast ufunc 'add' output from dtype('float64') to"
    " dtype('int64') with casting rule 'same_kind'",
    "faq": "\"add_stub\" not implemented for 'UInt16' | mean(): could not infer output dtype. Got: Long"
    " | OverflowError: Python integer 300 out of bounds for uint8 | pandas | polars"
    " | cuda | mps | license | citation | mypy | type hints"
    " | bfloat16 on numpy | Explicitly requested dtype float64 requested in zeros is not available, and will be"
    " truncated to dtype float32.",
}
#: The pages of the reference that are built day by day: those that are looked for, one with fields, a class.
SOME = " ".join(["Array Spec grad e newaxis float32", *(page[3:] for page in LOOKED_FOR if page.startswith("lw."))])


class Page(HTMLParser):
    """A page: the names of its parts, where its links lead, and what the browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.ids |= {named[key] for key in ("id", "name") if key in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        if tag == "link" and named.get("rel") not in ("prev", "next", "search", "index", "author", "canonical"):
            self.loaded.append(named["href"])
        if tag in ("script", "img", "iframe", "source", "video", "object"):
            self.loaded += [named[key] for key in ("src", "data", "srcset") if key in named]


def build(folder: Path, *options: str) -> Path:
    """Build the site from a copy of docs/, so that what a developer has built there stays."""
    ignored = shutil.ignore_patterns("_build", "reference", "port", "__pycache__")
    for name in ("docs", "tools"):  # a tool writes into docs/ beside the folder that it really lies in
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, folder)
    for name in ("src", "examples"):
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "docs", "html"]
    path = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [*command, *(part for option in options for part in ("-D", option))],
        cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "html"


#: The port guide and the explorer have tests of their own.
FEW = (f"lw_reference=--only {SOME} --backends numpy", "lw_tools=reference_pages.py")
EVERY = pytest.param((), marks=pytest.mark.sweep)


@pytest.fixture(scope="module", params=[FEW, EVERY], ids=["some", "all"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("myst_parser", reason="the site is built with the extra docs: pip install '.[docs]'")
    return build(tmp_path_factory.mktemp("site"), *request.param)


def wrong_links(path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """What a page loads from elsewhere, or that is not there; and where its links lead nowhere."""
    for url in pages[path].loaded:
        if url.startswith("data:"):
            continue
        if urlsplit(url).netloc or not (path.parent / unquote(urlsplit(url).path)).exists():
            yield f"{path.name} loads {url}"
    for parts in map(urlsplit, pages[path].links):
        if not parts.scheme and not parts.netloc:
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            named = target not in pages or not parts.fragment or unquote(parts.fragment) in pages[target].ids
            if not target.is_file() or not named:
                yield f"{path.name} links to {parts.geturl()}"


def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    assert len(pages) > 50
    wrong = [text for path in pages for text in wrong_links(path, pages)]
    elsewhere = re.compile(r"url\(['\"]?(?:https?:)?//[^)]*\)|@import[^;]*//[^;]*")
    wrong += [f"{p.name} loads {url}" for p in site.rglob("*.css") for url in elsewhere.findall(p.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong[:40])


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    """A headless Chromium, where there is one."""
    webdriver = pytest.importorskip("selenium.webdriver")
    paths = shutil.which("chromium"), shutil.which("chromedriver")
    if not all(paths):
        pytest.skip("no chromium and chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = paths[0]
    switches = """
        headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update
        disable-sync allow-file-access-from-files
    """
    for switch in (*switches.split(), f"user-data-dir={tmp_path}"):
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(paths[1]))
    yield driver
    driver.quit()


def test_a_search_finds_what_people_look_for_and_says_it_once(site: Path, browser: Any) -> None:
    browser.get(f"{(site / 'search.html').as_uri()}?q=torch.clamp")
    until = time.monotonic() + 20
    while not (shown := browser.find_elements("css selector", "#search-results li")) and time.monotonic() < until:
        time.sleep(0.05)
    assert shown[0].text == "lw.clip\nEach element, or the bound that it lies beyond: minimum(maximum(x, min), max)."
    assert "/lw.clip.html" in shown[0].find_element("tag name", "a").get_attribute("href")
    pages = "return arguments[0].map(query => SiteSearch.found(query).map(({page}) => page))"
    asked = [(page, query) for page, queries in LOOKED_FOR.items() for query in queries.split(" | ")]
    assert len(asked) >= 40
    for (page, query), results in zip(asked, browser.execute_script(pages, [q for _, q in asked]), strict=True):
        first = [re.sub(r"^reference/|-class$", "", result) for result in results[:3]]
        assert page in first, f"{query}: {first}"
        assert len({*results}) == len(results), query
    errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors


def test_what_is_looked_for_is_answered_by_pages_and_sections_that_are_there(site: Path) -> None:
    answers = tomllib.loads((ROOT / "docs" / "_extensions" / "answers.toml").read_text(encoding="utf-8"))
    for place, texts in answers.items():
        page, _, section = place.partition("#")
        path = site / f"{page}.html"
        assert path.is_file() and (not section or section in Page(path).ids), place
        assert texts == [text.lower() for text in texts], place


def test_the_page_of_a_function_shows_which_dtypes_each_backend_takes(site: Path) -> None:
    text = (site / "reference" / "lw.linalg.eig.html").read_text(encoding="utf-8")
    row = re.search(r"<tr><th scope=\"row\">NumPy .*?</tr>", text, re.DOTALL)
    assert row is not None
    words = dict(re.findall(r'title="(\w+): (\w+)', row[0]))
    assert [*words] == [str(d) for d in lw.all_dtypes]
    taken = {str(d) for d in lw.function_supported_dtypes(lw.linalg.eig, backend="numpy")}
    assert {d for d, word in words.items() if word not in ("missing", "refused")} == taken


def test_the_name_of_a_function_leads_to_its_page(site: Path) -> None:
    text = (site / "guides" / "gradients.html").read_text(encoding="utf-8")
    assert 'href="../reference/lw.grad.html"' in text


def test_every_public_name_has_a_place_in_the_reference() -> None:
    expected = {name for name in lw.__all__ if name not in SUBMODULES}
    expected |= {f"{space}.{name}" for space in SUBMODULES for name in getattr(lw, space).__all__}
    listed = [entry for chapter in chapters() for entry in chapter.entries]
    assert {entry.name for entry in listed} == expected
    assert len(listed) == len(expected)
    assert all(e.page for e in listed if callable(e.value) and type(e.value) is not lw.Dtype)
    pages = [e.page.lower() for e in listed if e.page]
    assert len({*pages}) == len(pages), "two pages have one name where a file system takes upper case for lower"


def test_docstrings_become_what_numpydoc_reads() -> None:
    names = {entry.name: entry for chapter in chapters() for entry in chapter.entries}
    reader = Reader(names)
    assert reader.inline("*x* of `sum`, ``a * b`` and `x`'s a_", Scope("", {"x"})) == (
        r"\*x\* of :py:obj:`sum <lw.sum>`, ``a * b`` and ``x``'s a\_"
    )
    assert reader.inline("`softmax`", Scope("nn", ())) == ":py:obj:`softmax <lw.nn.softmax>`"
    text = reader.docstring(
        "Do it.\n\nReturns\n-------\na: one.\nb: two,\n    and more.\n", Scope("", ()), {"return": "Array"}
    )
    assert "* ``a``: one." in text and "* ``b``: two," in text
    assert signature(lw.add) == "(x1: Array | complex, x2: Array | complex, /, out: Array | None = None) -> Array"


def test_pages_of_names_that_are_gone_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_pages, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference_pages.py", "--only", "add", "--backends", "numpy"])
    (tmp_path / "lw.gone.rst").write_text("gone")
    assert reference_pages.main() == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "index.rst", "navigation.json", "elementwise.rst", "lw.add.rst"
    }  # fmt: skip
    assert "numpy.add" in (tmp_path / "lw.add.rst").read_text()


def test_other_libraries_words_are_entries_of_the_index() -> None:
    words = other_words()
    assert {"unsqueeze", "torch.unsqueeze"} <= {*words["expand_dims"]}
    assert {"torch.cat", "np.concatenate", "jnp.concatenate", "tf.concat"} <= {*words["concat"]}
