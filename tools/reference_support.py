"""Say for the reference how each backend computes a function, and which dtypes it takes there."""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from html import escape
from importlib import import_module
from typing import Any, NamedTuple

import pages
from support_page import measured

import latticework as lw
from latticework.backend import get
from latticework.backend import measured as data
from latticework.cli.support import GLYPHS
from latticework.derivatives.known import derivative_of
from latticework.draw import short

SHOWN = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow", "dask": "Dask"}

#: The framework's modules that its functions are named by, the best name first.
MODULES = {
    "numpy": "numpy numpy.linalg numpy.fft scipy.special scipy.linalg scipy.fft",
    "torch": "torch torch.linalg torch.fft torch.special torch.nn.functional",
    "jax": "jax.numpy jax.numpy.linalg jax.numpy.fft jax.lax jax.nn jax.scipy.special jax.scipy.linalg jax",
    "tensorflow": "tensorflow tensorflow.math tensorflow.linalg tensorflow.signal tensorflow.nn tensorflow.bitwise "
                  "tensorflow.raw_ops",
    "dask": "dask.array dask.array.linalg dask.array.fft",
}  # fmt: skip
#: The framework's functions that only prepare arguments and results.
PREPARING = frozenset("asarray array cast astype to zeros ones empty full fill shape reshape where result_type".split())
_WORDS = {letter: word for word, letter in data.LETTERS.items()}


class Computed(NamedTuple):
    """How each backend computes a function: what functions.md says, and the framework's functions that are called."""

    how: Mapping[str, str]
    calls: Mapping[str, tuple[str, ...]]

    def names(self) -> Iterator[str]:
        """The names of the frameworks' functions."""
        for names in self.calls.values():
            yield from names


def computed(chosen: Iterable[str] | None = None) -> dict[str, Computed]:
    """Read how each function is computed from docs/functions.md, whose tables a test compares with the backends.

    Parameters
    ----------
    chosen: the backends whose frameworks' functions are named; those that are installed by default.
    """
    found, backends = {}, [b.name for b in lw.backends()]
    installed = {b.name for b in lw.backends() if b.installed and (chosen is None or b.name in chosen)}
    text = (pages.DOCS / "functions.md").read_text(encoding="utf-8").partition("<!-- generated -->")[2]
    for name, cells in re.findall(r"^\| `([\w.]+)` \| (.*) \|$", text, re.MULTILINE):
        how = dict(zip(backends, cells.split(" | "), strict=True))
        native = [b for b in backends if b in installed and how[b].partition(":")[0] in ("native", "mixed")]
        found[name] = Computed(how, {b: called(name, b) for b in native})
    return found


# --- the framework's own functions ----------------------------------------------------------------------------------


@cache
def _named(backend: str) -> dict[int, str]:
    """The framework's functions by identity, with the name that a user would write."""
    found: dict[int, str] = {}
    for module in reversed(MODULES[backend].split()):
        try:
            loaded = import_module(module)
        except ImportError:
            continue
        for name in dir(loaded):
            value = None if name.startswith("_") else getattr(loaded, name, None)
            if callable(value) and not isinstance(value, type):
                found[id(value)] = f"{module}.{name}"
    return found


def called(name: str, backend: str) -> tuple[str, ...]:
    """Name the framework's functions that a backend's function is, or calls in its own code.

    Those of the same name alone, where there are such: others only prepare arguments. A function that the code calls
    through a helper is named where its name is the same.
    """
    function, names, plain = get(backend).function(name), _named(backend), _letters(name.rpartition(".")[2])
    while isinstance(function, partial):
        function = function.func
    if id(function) in names:
        return (names[id(function)],)
    near = [*dict.fromkeys(names[id(f)] for f in _read_by(function) if id(f) in names)]
    far = [names[id(g)] for f in _read_by(function) for g in _read_by(f) if id(g) in names]
    same = dict.fromkeys(n for n in (*near, *far) if _letters(n.rpartition(".")[2]) == plain)
    return tuple(same)[:1] or tuple(n for n in near if n.rpartition(".")[2].lower() not in PREPARING)[:2]


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _read_by(function: Any) -> Iterator[Any]:
    """The functions that a function's code reads: from its globals, as an attribute of a module, from its closure."""
    code, known = getattr(function, "__code__", None), getattr(function, "__globals__", {})
    value: Any = None
    for instruction in dis.get_instructions(code) if code is not None else ():
        if instruction.opname == "LOAD_GLOBAL":
            value = known.get(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and type(value) is type(sys):
            value = getattr(value, instruction.argval, None)
        else:
            value = None
        if callable(value):
            yield value
    for cell in getattr(function, "__closure__", None) or ():
        if callable(cell.cell_contents):
            yield cell.cell_contents


# --- what is shown --------------------------------------------------------------------------------------------------


def how_table(found: Computed) -> str:
    """Return how each backend computes a function, a row each. As HTML, which takes a tenth of the time to read."""
    rows = []
    for backend, how in found.how.items():
        kind, _, condition = how.partition(": ")
        names = ", ".join(f"<code>{escape(name)}</code>" for name in found.calls.get(backend, ()))
        says = f"<strong>{kind}</strong>" + (f" where {_literal(condition)}" if condition else "")
        rows.append(
            f'<tr><th scope="row">{SHOWN.get(backend, backend)}</th><td>{says}{": " if names else ""}{names}</td></tr>'
        )
    return _raw(['<table class="lw-how">', *rows, "</table>"])


def derivative_line(name: str) -> str:
    """Return what is known of the derivative of a function: a paragraph of HTML."""
    found = derivative_of(name)
    if found.never:
        return _raw([f'<p class="lw-derivative"><strong>Not differentiable</strong>: {escape(found.never)}.</p>'])
    own = [SHOWN[b] for b in ("numpy", "dask") if b not in found.refused]
    theirs = [SHOWN[b] for b in ("torch", "jax", "tensorflow") if b not in found.refused]
    says = [f"on {' and '.join(own)} {found.here}"] if own else []
    says += [f"on {', '.join(theirs)} by the framework"] if theirs else []
    parts = [f"<strong>Differentiable</strong>, also its derivatives, {'; '.join(says)}."]
    parts += [f"Not on {SHOWN[b]}: {escape(why)}." for b, why in found.refused.items()]
    parts += [f"{SHOWN[b]} has no forward derivative." for b in found.no_forward]
    parts += [f"{SHOWN[b]} has the first derivative alone." for b in found.once]
    return _raw([f'<p class="lw-derivative">{" ".join(parts)}</p>'])


def _literal(text: str) -> str:
    return re.sub(r"`+([^`]+)`+", r"<code>\1</code>", escape(text))


def _raw(lines: Iterable[str]) -> str:
    return ".. raw:: html\n\n" + "\n".join(f"   {line}" for line in lines) + "\n"


def strip(name: str) -> str:
    """Return the strip of a function: a cell for each backend and dtype. HTML, "" where nothing was measured."""
    rows = {b: (version, table[name]) for b, (version, table) in measured().items() if name in table}
    if not rows:
        return ""
    dtypes = lw.all_dtypes
    head = "".join(
        f'<th scope="col" class="k-{d.kind}"><span title="{d}">{escape(short(d))}</span></th>' for d in dtypes
    )
    lines = [
        '<div class="lw-strip"><table>',
        f"<caption>Which dtypes <code>{escape(name)}</code> takes, as measured</caption>",
        f'<thead><tr><th scope="col">backend</th>{head}</tr></thead><tbody>',
    ]
    seen: dict[str, None] = {}
    for backend, (version, row) in rows.items():
        cells = []
        for d, letter in zip(dtypes, data.letters(row), strict=True):
            word = _WORDS[letter]
            seen[word] = None
            said = f"{d}: {word}" + (f". {why}" if (why := data.why_in(row, d)) else "")
            cells.append(
                f'<td class="s-{word}" title="{escape(said)}"><span aria-hidden="true">{GLYPHS[word][0]}</span>'
                f'<span class="lw-said">{word}</span></td>'
            )
        title = f'{SHOWN.get(backend, backend)} <span class="lw-version">{escape(version)}</span>'
        lines.append(f'<tr><th scope="row">{title}</th>{"".join(cells)}</tr>')
    legend = "".join(
        f'<li class="s-{word}"><span aria-hidden="true">{GLYPHS[word][0]}</span> {escape(GLYPHS[word][2])}</li>'
        for word in GLYPHS if word in seen
    )  # fmt: skip
    lines.append(f'</tbody></table><ul class="lw-legend">{legend}</ul></div>')
    return _raw(lines)
