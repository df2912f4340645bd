"""The command, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import latticework as lw
from latticework.cli.app import app
from latticework.promotion import rules_named


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*arguments], env={"COLUMNS": "100", "NO_COLOR": "1"}, prog_name="latticework")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_version() -> None:
    assert run("--version") == (0, f"latticework {lw.__version__}, the Array API {lw.__array_api_version__}\n")


def test_without_arguments_it_lists_its_commands() -> None:
    _, output = run()
    for command in ("backends", "promote", "explain", "table", "diff", "draw", "demo"):
        assert command in output


def test_backends_shows_each_with_its_version() -> None:
    code, output = run("backends")
    assert code == 0
    for b in lw.backends():
        assert b.name in output
        assert (b.version or b.install) in output


def test_backends_for_programs() -> None:
    code, output = run("backends", "--json")
    rows = {row["backend"]: row for row in json.loads(output)}
    assert code == 0
    assert rows["numpy"]["installed"]
    assert rows["numpy"]["devices"] == ["cpu"]
    assert rows["numpy"]["dtypes"] == [*map(str, lw.all_dtypes)]


def test_backends_says_how_to_install_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from latticework.backend import BackendInfo

    missing = BackendInfo("torch", False, None, "pip install 'latticework[torch]'")
    monkeypatch.setattr(lw, "backends", lambda: (missing,))
    assert "pip install 'latticework[torch]'" in run("backends")[1]


def test_promote_under_every_rule_set() -> None:
    code, output = run("promote", "int32", "float16")
    assert code == 0
    shown = dict(line.split(maxsplit=1) for line in output.splitlines()[1:])
    assert shown["unified"].strip() == "float16"
    assert shown["precise"].strip() == "float64"
    assert shown["strict"].startswith("refused")
    assert shown["array_api"].startswith("refused")


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        (["int8", "uint8"], "int16"),
        (["int8", "1.5"], "float32"),
        (["int8", "uint8", "float16"], "float16"),
        (["float16", "2j"], "complex64"),
        (["int8", "True"], "int8"),
        (["int8", "float"], "float32"),
        (["0d:float64", "weak:float32"], "float64"),
    ],
)
def test_promote_for_programs(operands: list[str], expected: str) -> None:
    code, output = run("promote", *operands, "--rules", "unified", "--json")
    assert code == 0
    assert json.loads(output) == {
        "operands": operands,
        "answers": [{"rules": "unified", "dtype": expected, "weak": False, "refused": None}],
    }


def test_promote_gives_the_reason_of_a_refusal() -> None:
    _, output = run("promote", "int32", "float32", "--rules", "strict", "--json")
    (answer,) = json.loads(output)["answers"]
    assert answer["dtype"] is None
    assert "int32 and float32 have no common dtype under the strict rules" in answer["refused"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "int8"], "'add' is a function and no dtype: promote and explain take it as --operation add"),
        (["flaot32", "int8"], "did you mean 'float32'?"),
        (["int8", "int8", "--rules", "unifed"], "did you mean 'unified'?"),
        (["1", "2.5"], "at least one of them must be a dtype"),
        (["int8", "'text'"], "takes dtypes and Python scalars"),
        (["int8", "0:int8"], "before the colon stands 0d or weak"),
        (["float8_e4m3f", "int8"], "did you mean 'float8_e4m3fn'?"),
    ],
)
def test_promote_answers_bad_names_with_the_nearest(arguments: list[str], message: str) -> None:
    code, output = run("promote", *arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output


def test_promote_takes_every_rule_set() -> None:
    code, output = run("promote", "int32", "1.5", "--rules", "all", "--json")
    answers = {a["rules"]: a for a in json.loads(output)["answers"]}
    assert code == 0
    assert tuple(answers) == lw.rule_names()
    assert answers["jax"] == {"rules": "jax", "dtype": "float64", "weak": True, "refused": None}
    assert answers["torch"]["dtype"] == "float32"
    code, output = run("promote", "int32", "float16", "--rules", "torch, jax,numpy")
    assert [line.split() for line in output.splitlines()[1:]] == [
        ["torch", "float16"], ["jax", "float16"], ["numpy", "float64"],
    ]  # fmt: skip


def test_explain() -> None:
    assert run("explain", "int32", "float16", "--rules", "jax")[1].splitlines() == [
        "int32, float16 -> float16 under jax: the least node of the diagram above all of them (lattice)",
        "  int32    int32 -> int64 -> float* -> float16",
        "  float16  float16",
    ]
    assert "way out: cast x1 to int32" in run("explain", "uint16", "int16", "--rules", "torch")[1]
    (found,) = json.loads(run("explain", "int8", "float", "--rules", "torch", "--json")[1])
    assert found == lw.explain(lw.int8, 0.0, rules="torch").as_dict() | {"operands": ["int8", "Python float"]}


@pytest.mark.parametrize("rules", ["torch", "array_api", "max-2024"])
def test_table(rules: str) -> None:
    code, output = run("table", rules, "--json")
    found, expected = json.loads(output), rules_named(rules).table()
    assert code == 0
    for a, row in zip(found["operands"], found["table"], strict=True):
        for b, cell in zip(found["operands"], row, strict=True):
            assert cell == expected[lw.Dtype(a), lw.Dtype(b)]
    assert {*found["operands"]} == {*expected_dtypes(rules)}
    _, *lines = run("table", rules)[1].splitlines()
    assert len({*map(len, lines)}) == 1 and len(lines) == 1 + len(found["operands"])
    assert len(lines[0]) < 80
    more = json.loads(run("table", rules, "--all", "--scalars", "--json")[1])["operands"]
    assert more == [*map(str, rules_named(rules).dtypes), "Python int", "Python float", "Python complex"]


def expected_dtypes(rules: str) -> list[str]:
    return [str(d) for d in rules_named(rules).dtypes if d in lw.all_dtypes]


def test_diff() -> None:
    assert json.loads(run("diff", "unified", "precise", "--json")[1])["rows"][0] == {
        "a": "int16", "b": "bfloat16", "first": "bfloat16", "second": "float32",
    }  # fmt: skip
    listed = run("diff", "unified", "precise", "--list")[1].splitlines()
    assert listed[1].split() == ["int16", "bfloat16", "bfloat16", "float32"]
    assert listed[-1] == "28 pairs differ, of 324 ordered ones compared"
    lines = run("diff", "unified", "precise")[1].splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("i16 "))
    assert lines[at].split() == ["i16", *"· · · · · · · · ·".split(), "bf16", "f16", *"· · · · · · ·".split()]
    assert lines[at + 1].split() == ["f32", "f32"]
    assert "0 pairs differ" in run("diff", "jax", "jax")[1]


@pytest.mark.parametrize("command", [["table", "jaxx"], ["diff", "jax", "jaxx"], ["draw", "jaxx"]])
def test_rule_sets_by_bad_names(command: list[str]) -> None:
    code, output = run(*command)
    assert code == 2
    assert "did you mean 'jax'?" in output


@pytest.mark.parametrize("missing", ["rich", "typer"])
def test_without_rich_or_typer_one_line_says_what_to_install(missing: str) -> None:
    hide = f"import sys; sys.modules[{missing!r}] = None; from latticework.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    command = "pip install 'latticework[cli]' (from a clone: pip install '.[cli]')"
    assert ran.stderr == f"The latticework command needs {missing}: {command}\n"


@pytest.mark.parametrize(("missing", "why"), [("sklearn", "for its data"), ("threadpoolctl", "to time one thread")])
def test_without_what_the_demo_needs_one_line_says_what_to_install(
    missing: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    code, output = run("demo")
    command = "pip install 'latticework[demo]' (from a clone: pip install '.[demo]')"
    assert (code, output) == (2, f"The demo needs {missing} {why}: {command}\n")


def test_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "latticework", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("latticework ")


def test_a_drawing_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    (tmp_path / "there.svg").mkdir()
    for out, why in ((tmp_path / "no" / "a.svg", "there is no folder"), (tmp_path / "there.svg", "it is a folder")):
        code, text = run("draw", "unified", "--out", str(out))
        text = " ".join(text.split())
        assert code == 2 and why in text and "cannot be written" in text and "Errno" not in text


PROGRAM = """
import latticework as lw

class Model:
    @staticmethod
    def step(x, y, k=2):
        return x / k + y

def same(x):
    return x + 1

def both(x, k=1):
    return {"sum": lw.sum(x, axis=0), "rest": [x[x > 0], k]}

number = 3
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(PROGRAM)
    return str(path)


def test_audit_shows_the_line_and_exits_with_1(model: str) -> None:
    code, output = run("audit", f"{model}:Model.step", "--args", "int32[3] float16[3] k=3", "--rules", "numpy,torch")
    assert code == 1
    assert f"{model}:7:16: error: divide: result dtypes part ways: float64 under numpy; float32 under torch" in output
    assert " 7 |         return x / k + y\n   |                ^^^^^\n" in output
    code, output = run("audit", f"{model}:same", "--args", "int32[3]", "--rules", "numpy, torch", "--backends", "numpy")
    assert (code, output) == (
        0, "same: 1 operations under numpy, torch, on numpy. all agree. 0 casts inserted, 0 of its own\n"
    )  # fmt: skip


def test_audit_is_in_colour_in_a_terminal(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    arguments = "audit", f"{model}:Model.step", "--args", "int32[3] float16[3]", "--rules", "numpy,torch"
    assert "\x1b[" not in run(*arguments)[1]
    terminal = Console(force_terminal=True, color_system="standard", _environ={})
    monkeypatch.setattr("latticework.cli.audit.console", terminal)
    assert "\x1b[1;31merror: \x1b[0m" in run(*arguments)[1]


def test_audit_for_programs_and_as_a_patch(model: str) -> None:
    arguments = "audit", f"{model}:Model.step", "--args", "int32[3] float16[3]", "--rules", "numpy,torch"
    code, output = run(*arguments, "--json")
    data = json.loads(output)
    assert (code, data["agrees"], data["runs"]) == (1, False, ["numpy", "torch"])
    code, output = run(*arguments, "--fix")
    assert code == 1
    assert output == data["patch"]
    assert "+        return lw.astype(x, lw.float64) / k + y\n" in output


def test_audit_says_that_a_script_runs_as_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    text = "import latticework as lw\n\ndef f(x):\n    return x * 2\n\nlw.set_default_int_dtype('int32')\n"
    for more, said in (("print(f(2))", True), ("if __name__ == '__main__':\n    print(f(2))", False)):
        path.write_text(f"{text}{more}\n")
        code, output = run("audit", f"{path}:f", "--args", "int32[3]")
        assert code == 0
        assert (f"{path}:7 runs as the file is imported, before f." in output) is said


def test_audit_for_widening_takes_a_function_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np\n\ndef half(x):\n    return x * np.full(2, 0.5)\n\n"
        "if __name__ == '__main__':\n    half(np.ones(2, np.float32))\n    x = np.float64(np.float16(1))\n"
    )
    for program in (f"{path}:half", str(path)):
        args = ["--args", "float32[2]"] if ":half" in program else ["--casts"]
        code, output = run("audit", "--widening", "float32", program, *args)
        assert code == 1
        assert f"{path}:4:12: error: multiply: float32 became float64" in output
        assert "help: x * np.full(2, 0.5).astype(x.dtype) is float32" in output
        assert ("note: float64: float16 is cast to float64" in output) is (args == ["--casts"])
    assert run("audit", "--widening", "float16,", f"{path}:half", "--args", "float32[2]")[0] == 0
    code, output = run("audit", "--widening", "float32", str(path), "--args", "float32[2]")
    assert code == 2
    assert "is a whole file, which takes no --args" in " ".join(output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{model}:same", "--widening", "int8"], "widening=int8 is no float dtype"),
        (["nowhere.py:f"], "there is no file nowhere.py"),
        (["step"], "step is no function of a file. Write file.py:function"),
        (["{model}:stop"], "has no attribute 'stop'"),
        (["{model}:number"], "is no function; it is int"),
        (["{model}:same", "--args", "int23[3]"], "did you mean 'int"),
        (["{model}:same", "--rules", "nunpy"], "did you mean 'numpy'?"),
        (["{model}:same", "--backends", "touch"], "did you mean 'torch'?"),
        (["{model}:same"], "same(x) cannot be called with these arguments: missing a required argument: 'x'"),
    ],
)
def test_audit_answers_mistakes(model: str, arguments: list[str], message: str) -> None:
    code, output = run("audit", *[a.format(model=model) for a in arguments])
    assert code == 2
    assert message in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["{model}:Model.step", "float16[2,3]", "float32[3]"], "float32[2, 3]"),
        (["{model}:Model.step", "int32[?]", "float16[1]", "--rules", "numpy"], "float64[?]"),
        (["{model}:Model.step", "int32[2]", "float16[]", "k=2", "--backend", "torch"], "float32[2]"),
        (["{model}:both", "int8[2,3]"], "['sum']  int32[3]\n['rest'][0]  int8[?]\n['rest'][1]  1"),
    ],
)
def test_infer_shows_dtypes_and_shapes(model: str, arguments: list[str], expected: str) -> None:
    if "torch" in arguments:
        pytest.importorskip("torch")
    assert run("infer", *[a.format(model=model) for a in arguments]) == (0, f"{expected}\n")


def test_infer_for_programs_and_of_another_frameworks_file(tmp_path: Path, model: str) -> None:
    found = json.loads(run("infer", f"{model}:both", "int8[2,3]", "--json")[1])["result"]
    assert found["sum"] == {"dtype": "int32", "shape": [3], "weak": False, "device": None}
    assert [found["rest"][0]["shape"], found["rest"][1]] == [[None], 1]
    path = tmp_path / "theirs.py"
    path.write_text("import torch\n\ndef f(x):\n    return torch.cat([x, x], dim=1).unsqueeze(0)\n")
    assert run("infer", f"{path}:f", "int32[2,3]", "--as", "torch") == (0, "int32[1, 2, 6]\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{model}:same", "int23[3]"], 2, "did you mean 'int"),
        (["{model}:stop"], 2, "has no attribute 'stop'"),
        (["{model}:same", "int8[3]", "--rules", "nunpy"], 2, "did you mean 'numpy'?"),
        (["{model}:same", "int8[3]", "--backend", "touch"], 2, "did you mean 'torch'?"),
        (["{model}:same", "int8[3]", "--as", "troch"], 2, "there is no dialect 'troch'; did you mean 'torch'?"),
        (["{model}:Model.step", "int8[3]", "int8[4]"], 1, "{model}:7: ValueError: add: "),
        (["{model}:same"], 1, "TypeError: same() missing 1 required positional argument: 'x'"),
    ],
)
def test_infer_answers_mistakes(model: str, arguments: list[str], code: int, message: str) -> None:
    found, output = run("infer", *[a.format(model=model) for a in arguments])
    assert found == code
    assert message.format(model=model) in output
    assert "Traceback" not in output


def test_the_hook_for_pre_commit_calls_the_command() -> None:
    text = (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text()
    fields = dict(line.lstrip("- ").split(": ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert fields["entry"] == "latticework audit"
    assert fields["pass_filenames"] == "false"
    extra = (Path(__file__).parent.parent / "pyproject.toml").read_text().partition("\ncli = ")[2].partition("\n")[0]
    assert json.loads(fields["additional_dependencies"]) == json.loads(extra)


def test_doctor_says_what_a_report_needs() -> None:
    found = json.loads(run("doctor", "--json")[1])
    assert found["latticework"] == lw.__version__
    assert {b["name"] for b in found["backends"]} == {b.name for b in lw.backends()}
    assert all(not b["problem"] for b in found["backends"])
    _, shown = run("doctor")
    assert "numpy" in shown and "works" in shown and "ml_dtypes" in shown


def test_doctor_fails_where_a_framework_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a library is missing")

    monkeypatch.setattr(lw, "sum", broken)
    code, shown = run("doctor")
    assert code == 1
    assert "does not work: RuntimeError: a library is missing" in " ".join(shown.split())


def test_bench_compares_calls_in_turns() -> None:
    rows = json.loads(run("bench", "--backend", "numpy", "--rounds", "3", "--json")[1])
    assert [row["call"] for row in rows] == ["x + x", "x * 2.0", "-x", "x > 0.5", "x[1:]"]
    assert all(row["low"] <= row["ratio"] <= row["high"] and row["native"] > 0 for row in rows)
    assert run("bench", "--backend", "nothing")[0] == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("table jax-", ["jax-x32", "jax-strict", "jax-x32-strict"]),
        ("promote int8 --rules torch,array", ["torch,array_api"]),
        ("explain int1", ["int16"]),
        ("promote weak:bf", ["weak:bfloat16"]),
        ("table jax --operation linalg.invh", []),
        ("support linalg.inv", ["linalg.inv"]),
        ("run --as numpy,tor", ["numpy,torch"]),
        ("bench --backend numpy,da", ["numpy,dask"]),
        ("pro", ["promote", "probe"]),
    ],
)
def test_the_shell_is_offered_names(words: str, expected: list[str]) -> None:
    words = f"latticework {words}"
    asked = {"_LATTICEWORK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    result = CliRunner().invoke(app, [], env=asked, prog_name="latticework")
    assert result.output.split() == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_a_script(shell: str) -> None:
    result = CliRunner().invoke(app, [], env={"_LATTICEWORK_COMPLETE": f"source_{shell}"}, prog_name="latticework")
    assert result.exit_code == 0
    assert "_LATTICEWORK_COMPLETE=complete_" in result.output


def test_completion_imports_no_framework() -> None:
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(sorted({'torch', 'jax', 'tensorflow', 'dask'} & {*sys.modules})))\n"
        "from latticework.core.registry import OPS\n"
        "atexit.register(lambda: print(len(OPS) < 100))\n"
        "from latticework.cli import main; main()\n"
    )
    asked = {"_LATTICEWORK_COMPLETE": "complete_bash", "COMP_WORDS": "latticework bench --backend n", "COMP_CWORD": "3"}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | asked
    )
    assert ran.stdout.split() == ["numpy", "True", "[]"]
