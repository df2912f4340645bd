"""The command, as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import latticework as lw
from latticework.cli.app import app


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*arguments], env={"COLUMNS": "100", "NO_COLOR": "1"}, prog_name="latticework")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_version() -> None:
    assert run("--version") == (0, f"latticework {lw.__version__}, the Array API {lw.__array_api_version__}\n")


def test_without_arguments_it_lists_its_commands() -> None:
    _, output = run()
    for command in ("backends", "promote", "demo"):
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
    from latticework.backends import BackendInfo

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
    ],
)
def test_promote_for_programs(operands: list[str], expected: str) -> None:
    code, output = run("promote", *operands, "--rules", "unified", "--json")
    assert code == 0
    assert json.loads(output) == {
        "operands": operands,
        "answers": [{"rules": "unified", "dtype": expected, "refused": None}],
    }


def test_promote_gives_the_reason_of_a_refusal() -> None:
    _, output = run("promote", "int32", "float32", "--rules", "strict", "--json")
    (answer,) = json.loads(output)["answers"]
    assert answer["dtype"] is None
    assert "int32 and float32 have no common dtype under the strict rules" in answer["refused"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["flaot32", "int8"], "did you mean 'float32'?"),
        (["int8", "int8", "--rules", "unifed"], "did you mean 'unified'?"),
        (["1", "2.5"], "at least one of them must be a dtype"),
        (["int8", "'text'"], "takes dtypes and Python scalars"),
    ],
)
def test_promote_answers_bad_names_with_the_nearest(arguments: list[str], message: str) -> None:
    code, output = run("promote", *arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output


@pytest.mark.parametrize("missing", ["rich", "typer"])
def test_without_rich_or_typer_one_line_says_what_to_install(missing: str) -> None:
    hide = f"import sys; sys.modules[{missing!r}] = None; from latticework.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == f"The latticework command needs {missing}: pip install 'latticework[cli]'\n"


def test_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "latticework", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("latticework ")
