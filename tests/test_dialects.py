"""Each dialect beside its framework: every function and method, by the samples of the files ``samples_<name>*.py``.

In an ordinary run a sample meets NumPy, and some meet another backend (`SHARES`); in a sweep each meets all of them, on
each dtype.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dialect_answers import EXHAUSTIVE, FRAMEWORKS, Sample, compare, framework, parsed

from latticework.frontends import dialect_named

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import run_tests

TESTS = Path(__file__).parent
NAMES = [name for name in FRAMEWORKS if (TESTS / f"samples_{name}.py").exists()]
PARTS = 12
#: In an ordinary run a backend gets every so many-th sample: fewer where each one is compiled, or is a graph.
SHARES = {"numpy": 3, "torch": 8, "tensorflow": 10, "jax": 24, "dask": 16}
#: How many times as few samples of a dialect whose framework compiles each of them.
RARER = {"jax": 4}


class Samples(NamedTuple):
    """What a dialect is compared on, of all of its files."""

    samples: list[Sample]
    differs: dict[str, tuple[str, str, str]]
    signatures: dict[str, str]


@cache
def samples_of(name: str) -> Samples:
    found = Samples([], {}, {})
    for file in sorted(TESTS.glob(f"samples_{name}*.py")):
        module = importlib.import_module(file.stem)
        found.samples.extend(parsed(module.SAMPLES))
        found.differs.update(module.DIFFERS)
        found.signatures.update(module.SIGNATURES)
    return found


def chosen(name: str, part: int, backend: str) -> list[Sample]:
    here = samples_of(name).samples[part::PARTS]
    share = 1 if EXHAUSTIVE else SHARES[backend] * RARER.get(name, 1)
    turn = list(SHARES).index(backend)
    return [s for i, s in enumerate(here) if (i + part + turn) % share == 0]


@pytest.mark.shared
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_answers_as_its_framework(backend: str, name: str, part: int, cell_counts: dict[str, int]) -> None:
    pytest.importorskip(name)
    report = compare(name, chosen(name, part, backend), samples_of(name).differs, backend)
    cell_counts[f"the {name} dialect on {backend}"] = (
        cell_counts.get(f"the {name} dialect on {backend}", 0) + report.compared
    )
    assert not report.wrong, "\n".join(report.wrong)


@pytest.mark.parametrize("chosen_backend", SHARES)
def test_a_sweep_has_all_samples(chosen_backend: str) -> None:
    own = {mark.name for mark in test_a_dialect_answers_as_its_framework.pytestmark} | {"backend"}  # type: ignore[attr-defined]
    names = {name: name in own for name in ("backend", "shared", "sweep")}
    assert eval(run_tests.marks(chosen_backend, sweep=True), names)


def public(name: str) -> dict[str, Any]:
    """The functions of a dialect by their full names."""
    found: dict[str, Any] = {}
    dialect_named(name)
    for module in module_names(name):
        loaded = importlib.import_module(f"latticework.frontends.{module}")
        for n in loaded.__all__:
            value = getattr(loaded, n)
            if inspect.isfunction(value):
                found[f"{module}.{n}"] = value
    return found


def module_names(name: str) -> list[str]:
    package = importlib.import_module(f"latticework.frontends.{name}")
    return [name, *(f"{name}.{n}" for n in getattr(package, "SUBMODULES", ()))]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_the_framework_s(name: str) -> None:
    pytest.importorskip(name)
    differs = samples_of(name).signatures
    wrong, listed = [], set()
    for full, f in public(name).items():
        module, _, n = full.rpartition(".")
        real = getattr(importlib.import_module(module), n, None)
        try:
            expected = inspect.signature(real) if real is not None else None
        except (TypeError, ValueError):
            continue  # a function in C that does not tell its signature
        found = inspect.signature(f)
        if expected is None or _plain(found) != _plain(expected):
            listed.add(full)
            if full not in differs:
                wrong.append(f"{full}{found} for {expected}")
    unexpected = [f"{full} is listed as different and is not" for full in differs if full not in listed]
    assert not wrong + unexpected, "\n".join(wrong + unexpected)


def _plain(signature: inspect.Signature) -> list[tuple[str, Any, str]]:
    """Names, kinds and defaults: annotations are each one's own, and what has no name is told by its text."""
    return [(p.name, p.kind, _default(p.default)) for p in signature.parameters.values() if p.name != "name"]


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    plain = isinstance(value, (bool, int, float, str, tuple, type(None)))
    return repr(value) if plain else "an object"


@pytest.mark.parametrize("name", NAMES)
def test_every_function_has_a_sample(name: str) -> None:
    pytest.importorskip(name)
    texts = " ".join(s.text for s in samples_of(name).samples)
    short = {module: n for n, module in framework(name).modules.items()}
    missing, called = [], set()
    functions = public(name)
    for full, f in functions.items():
        module, _, n = full.rpartition(".")
        written = f"{short[module]}.{n}(" if module in short else f"{module.removeprefix(name + '.')}.{n}("
        if written in texts:
            called.add(f)
        else:
            missing.append(full)
    missing = [full for full in missing if functions[full] not in called]  # another name of what is called
    assert not missing, "no sample calls " + ", ".join(missing)
