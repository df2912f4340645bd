"""The demo's promises: one dtype for each intermediate, NumPy's numbers, a good accuracy, a readable table."""

from __future__ import annotations

import ast
import importlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE
from rich.console import Console

import latticework as lw
from latticework.backend import BackendInfo
from latticework.demo import by_hand_numpy, program, report, training, training_report


def info(backend: str) -> BackendInfo:
    return next(b for b in lw.backends() if b.name == backend)


def computed(backend: str, made: dict[str, Any]) -> dict[str, np.ndarray]:
    """What a program made, ours or native, as NumPy's arrays: lazy ones all at once."""
    native = [x.data if isinstance(x, lw.Array) else x for x in made.values()]
    return dict(zip(made, map(np.asarray, report.finish(backend, native)), strict=True))


def test_the_program_learns_to_read_digits(backend: str) -> None:
    pixels, labels = report.digits()
    steps = 20 if backend == "dask" else 100  # which makes one graph of all of them
    made = program.learn(lw.asarray(pixels), lw.asarray(labels), steps=steps)
    assert float(made["accuracy"]) > (0.88 if steps == 20 else 0.94)
    assert all(x.backend == backend for x in made.values())


def test_every_intermediate_has_the_dtype_and_the_numbers_of_numpys(backend: str) -> None:
    pixels, labels = report.digits()
    made = program.learn(lw.asarray(pixels), lw.asarray(labels), steps=20)
    expected = by_hand_numpy.learn(pixels, labels, steps=20)
    assert [*made] == [*expected]
    for name, x in computed(backend, made).items():
        assert str(made[name].dtype) == str(expected[name].dtype) == str(x.dtype), name
        scale = np.abs(np.asarray(expected[name], dtype=np.float64)).max()
        np.testing.assert_allclose(x / scale, expected[name] / scale, atol=1e-3, err_msg=name)


def test_written_by_hand_it_gives_the_same_numbers(backend: str) -> None:
    pixels, labels = (lw.asarray(x) for x in report.digits())
    by_hand = importlib.import_module(f"latticework.demo.by_hand_{backend}")
    ours, native = program.learn(pixels, labels, steps=20), by_hand.learn(pixels.data, labels.data, steps=20)
    assert [*ours] == [*native]
    by_hand_values = computed(backend, native)
    for name, x in computed(backend, ours).items():
        if (backend, name) != ("torch", "random bits"):  # PyTorch shifts no uint32: by hand they are made in int64
            assert ours[name].dtype is lw.asarray(native[name]).dtype, name
        scale = np.abs(by_hand_values[name].astype(np.float64)).max()
        np.testing.assert_allclose(x / scale, by_hand_values[name] / scale, atol=1e-3, err_msg=name)


def test_hashed_bits_are_exact_and_spread_out(backend: str) -> None:
    bits = program.hashed(1000)
    assert bits.dtype is lw.uint32
    np.testing.assert_array_equal(np.asarray(bits), by_hand_numpy.hashed(1000))
    assert abs(np.asarray(bits).mean() / 2**32 - 0.5) < 0.05


def shown(*, width: int = 80) -> str:
    text = io.StringIO()
    assert report.show(Console(file=text, width=width), steps=2, repeats=1, epochs=1)
    return text.getvalue()


@pytest.mark.parametrize("width", [80, pytest.param(120, marks=pytest.mark.sweep)])
def test_the_table_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    totals, steps = list[int](), list[str]()
    if not EXHAUSTIVE:  # XLA compiles two hundred kernels for it
        quick = [b for b in lw.backends() if b.name != "jax"]
        monkeypatch.setattr(lw, "backends", lambda: quick)

    @contextmanager
    def working(what: str, total: int, *, between: bool) -> Iterator[Callable[[str], None]]:
        assert between, "drawing takes no time from the runs"
        totals.append(total)
        yield steps.append

    monkeypatch.setattr(report, "working", working)
    text = shown(width=width)
    assert totals == [len(steps)] and steps[0] == "numpy: getting ready"
    assert max(map(len, text.splitlines())) <= width
    for row in ("accuracy, held out", "farthest from NumPy's", "random bits", "uint32", "ratio"):
        assert row in text
    installed = [b for b in lw.backends() if b.installed]
    names, versions, again = (line for line in text.splitlines() if line.startswith(" " * 24) and line.strip())
    assert names.split() == [b.name for b in installed]
    assert again.split() == [b.name for b in installed]
    assert versions.split() == [(b.version or "").partition("+")[0] for b in installed]
    assert "16 of 16 dtypes are equal" in text
    losses = next(line for line in text.splitlines() if "loss of epoch 1" in line)
    assert len({round(float(x), 3) for x in losses.split()[4:]}) == 1 and len(losses.split()[4:]) == len(installed)


def test_a_missing_framework_is_a_line_that_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = BackendInfo("torch", False, None, "pip install 'latticework[torch]'")
    monkeypatch.setattr(lw, "backends", lambda: (info_numpy, missing))
    text = shown()
    assert "the losses are equal on numpy" in text
    assert "torch is not installed: pip install 'latticework[torch]'" in text
    assert "numpy" in text


info_numpy = info("numpy")


def test_what_differs_is_marked() -> None:
    a = report.Result("numpy", "2", dtypes={"mean": "float32"}, seconds=[1.0], by_hand=[1.0])
    b = report.Result("torch", "2", dtypes={"mean": "float64"}, seconds=[1.0], by_hand=[1.0])
    b.difference, b.where = 0.5, "mean"
    text = io.StringIO()
    console = Console(file=text, width=80)
    console.print(report.table([a, b]))
    assert not report.conclude(console, [a, b])
    assert "≠" in text.getvalue()
    assert "these dtypes differ: mean" in text.getvalue()
    assert "far from NumPy's: torch by 5e-01 in mean" in text.getvalue()
    b.dtypes, b.difference = a.dtypes, float("nan")  # which is no agreement either
    assert not report.conclude(console, [a, b])


EXAMPLE = Path(__file__).parents[1] / "examples" / "convolutional_network.py"


def test_a_network_is_trained_on_numpy_and_elsewhere_alike() -> None:
    pixels, labels = (x[:400] for x in report.digits())
    other = next((b for b in lw.backends() if b.installed and b.name != "numpy"), None)
    if other is None:
        pytest.skip("no other framework is installed")
    results = training_report.measure([info_numpy, other], pixels, labels, epochs=2, thread=nullcontext)
    first, second = results
    assert 2.4 > first.losses[0] > first.losses[1]
    np.testing.assert_allclose(second.losses, first.losses, rtol=1e-3)
    assert second.accuracy == first.accuracy > 0.3


def without_annotations(file: Path) -> dict[str, str]:
    """The functions of a file by name, without what says which types there are."""

    class Bare(ast.NodeTransformer):
        def visit_arg(self, node: ast.arg) -> ast.arg:
            return ast.arg(node.arg)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            node.returns = None
            return self.generic_visit(node)

        def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
            return ast.Assign([node.target], node.value, lineno=node.lineno) if node.value else node

        def visit_keyword(self, node: ast.keyword) -> ast.keyword | None:
            return None if node.arg == "strict" else node

    tree = ast.parse(file.read_text())
    return {f.name: ast.unparse(Bare().visit(f)) for f in tree.body if isinstance(f, ast.FunctionDef)}


def test_the_demo_trains_the_network_of_the_example() -> None:
    example, ours = without_annotations(EXAMPLE), without_annotations(Path(training.__file__))
    shared = ["new_params", "network", "loss", "adam", "train_step", "train"]
    assert [example[name] for name in shared] == [ours[name] for name in shared]


def test_losses_that_differ_are_marked() -> None:
    a = training_report.Trained("torch", [2.0, 1.0], 0.9)
    b = training_report.Trained("jax", [2.0, 1.1], 0.9)
    text = io.StringIO()
    console = Console(file=text, width=80)
    assert not training_report.show(console, [a, b])
    assert "the losses differ by 9e-02 on torch and jax" in text.getvalue()
    b.losses = [2.0, float("nan")]
    assert not training_report.show(console, [a, b])
    b.losses = [2.0, 1.0]
    assert training_report.show(console, [a, b])
