"""The audit for widening: reports of lost dtypes from other projects, replayed, and programs that lose none."""

from __future__ import annotations

import builtins
import importlib.util
import json
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from widening_reports import PYTHON, REPORTS

import latticework as lw
from latticework.auditing.specs import parse


def module_of(folder: Path, text: str) -> Any:
    path = folder / f"written_{abs(hash(text))}.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def audited(program: Any, args: str, **options: Any) -> Any:
    return lw.audit(program, *parse(args)[0], widening="float32", **options)


def told(found: Any) -> str:
    rows = []
    for f in found.first:
        rows.append(f"{f.narrow} to {f.wide}: {f.place.expression}")
        rows += [f"made: {f.made.place.expression}"] if f.made else []
        rows += [f"cast: {f.cast}"] if f.cast else []
    return "\n".join(["", *rows, ""])


@pytest.fixture
def x64() -> Any:
    with pytest.importorskip("jax").enable_x64(True):
        yield


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_found_at_its_line_with_the_cast_that_keeps_it_narrow(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    report = REPORTS[name]
    if report.framework != "latticework":
        pytest.importorskip(report.framework)
    if name == "flax#924":
        request.getfixturevalue("x64")
    program = module_of(tmp_path, report.program).program
    found = audited(program, report.args, rules=report.rules)
    assert told(found) == report.found, str(found)
    assert (found.stop.error.partition(":")[0] if found.stop else "") == report.stop
    assert all(f.rule and " gives " not in f.rule for f in found.first), [f.rule for f in found.first]
    # With the casts, the same program keeps its dtypes and runs to its end.
    lines = report.program.splitlines(keepends=True)
    for f in found.first:
        line = f.place.line - 1
        lines[line] = lines[line].replace(f.place.expression, f.cast, 1)
    assert all(f"+{lines[f.place.line - 1]}" in found.patch for f in found.first)
    again = audited(module_of(tmp_path, "".join(lines)).program, report.args, rules=report.rules)
    assert again.agrees, str(again)


#: Bodies of programs of x, float32[3], and h, float16[3], that make nothing wider unasked.
NARROW = {
    "Python scalars": "return x * 2.0 + 1, np.where(x > 0, x, 0.0), x ** 2",
    "by name": "return x.astype(np.float64), np.float64(x[0]), np.asarray(h, dtype='f8'), np.sum(x, dtype=float)",
    "sums": "return x.sum(), x.mean(), np.linalg.norm(x), np.dot(x, x), h.var()",
    "no floats": "return np.arange(3) / 2, np.zeros(x.shape), np.mean([1, 2]), x > np.zeros(3)",
    "its own": "y = np.zeros(3); y += x; y[:] = x; return np.add(x, y, out=y), np.copyto(y, x)",
    "a function that asks": """
    def wide(v):
        return v.astype(np.float64)
    return wide(x), [wide(v) for v in (x, h)], (lambda v: np.float64(v))(x[0])""",
    "other results": "return {'a': x, 'b': np.ones(2)}, max(x[0], 3), dict(a=x)['a'], np.meshgrid(x, np.zeros(3))",
}


@pytest.mark.parametrize("name", NARROW)
def test_what_is_asked_for_or_narrow_is_not_reported(name: str, tmp_path: Path) -> None:
    text = f"import numpy as np\n\ndef program(x, h):\n    {NARROW[name].lstrip()}\n"
    found = audited(module_of(tmp_path, text).program, "float32[3] float16[3]")
    assert found.agrees and found.calls, str(found)


def test_a_cast_of_tensorflow_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    body = "y = tf.constant([1.0, 2.0])\n    return tf.cast(y, tf.float64)"
    text = f"import tensorflow as tf\n\ndef program(x):\n    {body}\n"
    found = audited(module_of(tmp_path, text).program, "float32[3]", casts=True)
    assert found.agrees and [f.place.expression for f in found.casts] == ["tf.cast(y, tf.float64)"], str(found)


def test_casts_are_told_apart() -> None:
    def program(x: Any) -> Any:
        y = x.astype(np.float64)
        return x * y, np.float32(1) * y[0]

    found = audited(program, "float32[3]", casts=True)
    assert [(f.place.expression, f.made and f.made.asked) for f in found.first] == [
        ("x * y", True),
        ("np.float32(1) * y[0]", True),
    ]
    assert [(f.place.expression, f.wide) for f in found.casts] == [("x.astype(np.float64)", "float64")]
    assert "note: astype: float32 is cast to float64" in str(found)
    assert not audited(program, "float32[3]").casts


def test_what_comes_of_a_widening_follows() -> None:
    def program(x: Any) -> Any:
        for _ in range(3):
            y = np.ones(3) * x
        return y + x, np.sqrt(y) @ x

    found = audited(program, "float32[3]")
    assert [(f.place.expression, f.times, f.follows) for f in found.findings] == [
        ("np.ones(3) * x", 3, False),
        ("y + x", 1, True),
        ("np.sqrt(y) @ x", 1, True),
    ]
    assert "1 made one of float16, bfloat16, float32 wider, 2 follow" in str(found)


@pytest.mark.parametrize(
    ("widening", "expected"),
    [("float16", ["h * x"]), (["float32"], ["x * wide"]), (np.float32, ["h * x", "x * wide"])],
)
def test_the_dtypes_to_watch(widening: Any, expected: list[str]) -> None:
    def program(h: Any, x: Any) -> Any:
        wide = np.zeros(3)
        return h * x, x * wide

    found = lw.audit(program, np.ones(3, "float16"), np.ones(3, "float32"), widening=widening)
    assert [f.place.expression for f in found.first] == expected
    with pytest.raises(ValueError, match="widening=int32 is no float dtype"):
        lw.audit(program, widening="int32")


def test_a_watched_program_does_what_it_does_unwatched(tmp_path: Path) -> None:
    module = module_of(tmp_path, PYTHON)
    codes = {n: f.__code__ for n, f in vars(module).items() if hasattr(f, "__code__")}
    seen: list[Any] = []

    def program(x: Any) -> Any:
        seen.append(module.program(x))

    before = repr(module.program(np.ones(3, "float32")))
    found = lw.audit(program, np.ones(3, "float32"), widening="float32")
    assert found.agrees and found.calls > 50, str(found)
    assert repr(seen[0]) == before
    assert {n: f.__code__ for n, f in vars(module).items() if hasattr(f, "__code__")} == codes
    assert not hasattr(builtins, "__latticework_probe__")


def test_functions_that_libraries_call_are_watched(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    text = """
import functools, jax, jax.numpy as jnp

def step(carry, x):
    return carry, x * jnp.float32(2)

@jax.custom_jvp
def soft(x):
    return jnp.log1p(jnp.exp(x * jnp.ones(3, jnp.float32)))

soft.defjvp(lambda p, t: (soft(*p), t[0] * jnp.float32(1)))

def loss(w, x):
    return (soft(w) * x).sum()

def program(x):
    jax.lax.scan(step, 0, x)
    return jax.vmap(functools.partial(jax.jit(jax.grad(loss)), x))(x[None])
"""
    found = audited(module_of(tmp_path, text).program, "bfloat16[3]")
    assert [f.place.expression for f in found.first] == [
        "x * jnp.float32(2)",
        "x * jnp.ones(3, jnp.float32)",
        "t[0] * jnp.float32(1)",
    ]


def test_autocast_and_modules(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.GELU())
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        x = self.inner(x) + self.attention(x, x, x, need_weights=False)[0]
        return torch.prod(self.norm(x), -1, keepdim=True) + self.inner(x)

def program(x):
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        Block()(x)
    return Block().half()(x.half())
"""
    program = module_of(tmp_path, text).program
    found = audited(program, "float32[1,2,4]", casts=True)
    assert [f.place.expression for f in found.first] == ["torch.prod(self.norm(x), -1, keepdim=True) + self.inner(x)"]
    assert [(f.place.expression, f.rule) for f in found.casts] == [
        ("torch.prod(self.norm(x), -1, keepdim=True)", "autocast runs it in float32")
    ]
    assert not lw.audit(program, lw.spec((1, 2, 4), "float32"), widening=["float32"]).findings


@pytest.mark.parametrize("dialect", ["torch", "numpy", "jax.numpy"])
def test_programs_of_our_dialects(dialect: str, tmp_path: Path) -> None:
    text = f"""
import latticework.frontends.{dialect} as xp

def program():
    h = xp.ones(3, dtype=xp.float16)
    return h * 2.0, xp.sin(h * xp.ones(3, dtype=xp.float32))
"""
    found = lw.audit(module_of(tmp_path, text).program, widening="float16")
    cast = "to" if dialect == "torch" else "astype"
    assert (
        told(found)
        == f"""
float16 to float32: h * xp.ones(3, dtype=xp.float32)
made: xp.ones(3, dtype=xp.float32)
cast: h * xp.ones(3, dtype=xp.float32).{cast}(h.dtype)
"""
    )
    assert found.first[0].framework == dialect.partition(".")[0] and " gives " not in found.first[0].rule


def test_it_shows_itself_for_people_and_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = module_of(tmp_path, "import numpy as np\n\ndef program(x):\n    return x * np.zeros(2)\n").program
    found = audited(program, "float32[2]")
    path = Path(found.first[0].place.file).name
    assert (
        str(found)
        == f"""{path}:4:12: error: multiply: float32 became float64
 4 |     return x * np.zeros(2)
   |            ^^^^^^^^^^^^^^^
   = x: float32[2], np.zeros(2): float64[2] -> float64[2]
   = numpy: arithmetic: computed in float64
   = made here: {path}:4:16: np.zeros(2) is float64
   = help: x * np.zeros(2).astype(x.dtype) is float32

program: 2 calls. 1 made one of float16, bfloat16, float32 wider, 0 follow"""
    )
    data = json.loads(found.to_json())
    assert (data["agrees"], data["findings"][0]["made"]["dtype"], data["patch"]) == (False, "float64", found.patch)
    assert "+    return x * np.zeros(2).astype(x.dtype)\n" in found.patch
    assert "float32 became float64</span>" in found._repr_html_()
    assert repr(found).startswith("<Widenings program: 2 calls")


LIBRARY = """
import numpy as np

def halved(x):
    return x / np.prod((2, 2))
"""
TESTS = """
import lost_dtypes, numpy as np, pytest

@pytest.fixture
def x():
    return np.ones(3, np.float32)

def test_wide(x):
    assert lost_dtypes.halved(x).shape == (3,)

def test_narrow(x):
    assert (x * 2).dtype == np.float32

def test_of_itself(x):
    assert x[0] * 3 == 4

@pytest.mark.widens
def test_marked(x):
    assert lost_dtypes.halved(x).dtype == np.float64
"""


def test_the_plugin_fails_a_test_in_which_a_float_became_wider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lost_dtypes.py").write_text(LIBRARY)
    (tmp_path / "test_lost_dtypes.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    arguments = ["-p", "latticework.auditing.pytest_plugin", "-p", "no:cacheprovider", "-q", str(tmp_path)]
    assert pytest.main(["--no-widening", "int32", *arguments]) == pytest.ExitCode.USAGE_ERROR
    assert "--no-widening int32 is no float dtype" in capsys.readouterr().err
    assert pytest.main(["--no-widening", "float32", *arguments]) == pytest.ExitCode.TESTS_FAILED
    said = capsys.readouterr().out
    assert "2 failed, 2 passed" in said
    assert "lost_dtypes.py:5:12: error: divide: float32 became float64" in said
    assert "= help: x / np.prod((2, 2)).astype(x.dtype) is float32" in said
    assert "assert (np.float32(1.0) * 3) == 4" in said  # pytest's own words
    assert pytest.main(arguments) == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 3 passed" in capsys.readouterr().out
