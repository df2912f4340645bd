"""A program for an environment that has latticework, NumPy and ml_dtypes alone: ``python core_only.py``.

It runs what the core does, and checks that each function that needs an extra says which, and how it is installed.
`tools/check_package.py` runs it where the wheel was just installed, `test_packaging.py` where nothing else is found.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import latticework as lw

#: What the extras install.
EXTRAS = (
    "torch", "jax", "tensorflow", "dask", "scipy", "rich", "typer", "networkx", "matplotlib", "numba", "onnx",
    "sklearn",
)  # fmt: skip


def check_environment() -> None:
    """Check that nothing else is there, else the rest shows nothing."""
    found = [name for name in EXTRAS if find_spec(name) is not None]
    assert not found, f"this environment has {', '.join(found)}"


def run_core() -> None:
    """Run a program of the core, compiled and not, and under other frameworks' names."""

    def loss(w: Any, x: Any, y: Any) -> Any:
        return lw.mean((lw.tanh(x @ w) - y) ** 2)

    key = lw.random.key(0)
    x, w = lw.random.normal(key, (100, 3)), lw.asarray([1.0, -2.0, 0.5])
    y = lw.tanh(x @ w)
    assert float(loss(w, x, y)) == 0
    assert lw.compile(loss)(w * 2, x, y) == loss(w * 2, x, y) > 0
    square = x.T @ x
    assert lw.allclose(square @ lw.linalg.inv(square), lw.eye(3), atol=1e-5)
    assert lw.asarray([1], dtype=lw.uint16) + lw.asarray([1], dtype=lw.bfloat16) == 2
    assert lw.promote_types("int8", "uint16") is lw.int32
    assert lw.explain(lw.int32, 0.5, rules="torch").dtype is lw.float32
    assert "np.tanh" in lw.trace(loss, w, x, y).source
    assert str(lw.plan(lw.add, x, 1)).endswith("[native: add on numpy, computed in float32]")
    for dialect in ("numpy", "torch", "jax.numpy", "tensorflow"):
        xp = importlib.import_module(f"latticework.frontends.{dialect}")
        total = xp.reduce_sum(xp.constant([1.0, 2.0])) if dialect == "tensorflow" else xp.sum(xp.ones(3))
        assert float(total) == 3


def raised(call: Callable[[], object]) -> str:
    """The message of the error that a call ends with."""
    try:
        call()
    except (ImportError, lw.errors.BackendError, SystemExit) as error:
        return str(error)
    raise AssertionError("this needs what is not installed, and raised nothing")


def run_command(*arguments: str) -> None:
    """Run the command `latticework`."""
    from latticework.cli import main

    sys.argv = ["latticework", *arguments]
    main()


def check_errors(folder: Path) -> None:
    """Check that what needs an extra says which to install, from an index and from a clone."""
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0]])

    def program(x: Any) -> Any:
        return lw.exp(x) + 1

    graph = lw.trace(program, x)
    draw = importlib.import_module("latticework.draw")
    needing: list[tuple[str, Callable[[], object]]] = [
        ("numpy", lambda: lw.linalg.schur(x)),
        ("cli", lambda: run_command("promote", "int8", "uint8")),
        ("fast", lambda: lw.compile(program, fast=True)(x)),
        ("onnx", lambda: graph.to_onnx(folder / "graph.onnx")),
        ("draw", lambda: graph.draw(folder / "graph.svg")),
        ("draw", lambda: draw.draw_lattice("jax", folder / "jax.svg")),
        ("draw", lambda: draw.draw_table("jax", folder / "table.svg")),
    ]
    for name in ("torch", "jax", "tensorflow", "dask"):
        needing += [
            (name, lambda name=name: lw.using(backend=name).__enter__()),
            (name, lambda name=name: lw.asarray([1], backend=name)),
            (name, lambda name=name: lw.array_namespace(name)),
        ]
    for extra, call in needing:
        message = raised(call)
        wanted = f"pip install 'latticework[{extra}]' (from a clone: pip install '.[{extra}]')"
        assert wanted in message, f"{message!r} does not say {wanted!r}"
    assert not [*folder.iterdir()], "what could not be written has left a file"


if __name__ == "__main__":
    check_environment()
    run_core()
    with tempfile.TemporaryDirectory() as name:
        check_errors(Path(name))
