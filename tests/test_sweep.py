"""The sweep in parts: what runs together, what is kept of it, and that it goes on where it was stopped."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import run_tests
import sweep
from sweep import Part, Record


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path / "sweep.json")


def test_a_source_has_a_name() -> None:
    assert re.fullmatch(r"[0-9a-f]{10,}-[0-9a-f]{10,}\+?", sweep.source())


def test_every_file_of_tests_is_a_part_of_each_process(record: Record) -> None:
    """But for those that are about one backend: `pytest` leaves them out elsewhere, unless it is given their names."""
    of_one = {"test_dask.py", "test_jax.py", "test_tensorflow.py", "test_torch.py"}
    files = {p.name for p in Path(__file__).parent.glob("test_*.py")} - of_one
    found = [*record.parts(["jax", "numpy", "core"])]
    tools = {"fuzz.py", "programs.py", "stateful.py"}
    assert {p.what for p in found if p.process == "jax"} == files | tools | {"test_jax.py"}
    assert {p.what for p in found if p.process == "numpy"} == files | {"stateful.py"}
    assert {p.what for p in found if p.process == "core"} == files | {"check_package.py"}
    assert len(found) == len({*map(str, found)})


def test_parts_of_one_process_run_together_up_to_the_planned_time(record: Record) -> None:
    one, two, three = (Part("jax", f"test_{n}.py") for n in "abc")
    other, share, tool = Part("core", "test_a.py"), Part("jax", "test_d.py", 2, 4), Part("jax", "fuzz.py")
    record.keep({one: {"seconds": sweep.PLANNED * 0.6}, two: {"seconds": sweep.PLANNED * 0.3}})
    record.keep({three: {"seconds": sweep.PLANNED * 0.5}})
    found = [*sweep.batches([one, other, share, two, tool, three], record)]
    assert found == [[share], [tool], [one, two], [three], [other]]


def test_a_part_is_due_until_it_has_passed_on_this_source(record: Record) -> None:
    part = Part("torch", "test_a.py")
    assert not record.fresh(part, "now")
    record.keep({part: {"source": "now", "failed": 1}})
    assert not record.fresh(part, "now")
    record.keep({part: {"source": "now", "failed": 0}})
    again = Record(record.path)
    assert again.fresh(part, "now") and not again.fresh(part, "later")


def test_a_file_that_takes_too_long_is_cut(record: Record, tmp_path: Path) -> None:
    a, b, c = (Part("jax", f"test_{n}.py") for n in ("array", "nn", "views"))
    log = tmp_path / "log.jsonl"
    lines = [
        {"file": "test_array.py", "test": "test_array.py::one", "outcome": "passed", "seconds": 1.5},
        {"file": "test_array.py", "test": "test_array.py::two", "outcome": "failed", "seconds": 0.5},
        {"file": "test_nn.py", "test": "test_nn.py::one", "outcome": "passed", "seconds": 9.0},
    ]
    log.write_text("\n".join(map(json.dumps, lines)))
    ended, cut = sweep.outcomes(log, [a, b, c], done=True)
    assert ended[a] == {"seconds": 2.0, "passed": 1, "failed": 1} and cut is None
    assert ended[c] == {"seconds": 0.0, "passed": 0, "failed": 0}  # it had no tests to run
    found, cut = sweep.outcomes(log, [a, b, c], done=False)
    assert [*found] == [a] and cut == b
    record.keep(found, cut)
    files = [p for p in Record(record.path).parts(["jax"]) if p.what == "test_nn.py"]
    assert [*map(str, files)] == ["jax test_nn.py 1/2", "jax test_nn.py 2/2"]
    assert Part("torch", "test_nn.py") in record.parts(["torch"])


@pytest.mark.parametrize(("share", "names"), [("1/1", "abc"), ("1/2", "ac"), ("2/2", "b")])
def test_parts_run_and_are_kept(
    record: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    share: str,
    names: str,
) -> None:
    file = tmp_path / "test_some.py"
    file.write_text("def test_a(): pass\ndef test_b(): pass\ndef test_c(): assert not 'as it should be'\n")
    number, of = map(int, share.split("/"))
    part = Part("core", "test_some.py", number, of)
    arguments = ["-m", "pytest", "-p", "sweep_plugin", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(file)]
    monkeypatch.setattr(sweep, "job", lambda batch: run_tests.Job("core", arguments))
    well = sweep.run([part], record, "now", time.perf_counter(), None)
    kept = record[part]
    assert (kept["passed"], kept["failed"]) == (sum(n in "ab" for n in names), int("c" in names))
    assert kept["source"] == "now" and well is ("c" not in names)
    sweep.show([part], record, "now")
    assert ("1 failed on" in capsys.readouterr().out) is ("c" in names)


def test_nothing_is_kept_of_a_process_that_did_not_start(
    record: Record, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = Part("core", "test_none.py")
    arguments = ["-m", "pytest", "-p", "sweep_plugin", "-p", "no:cacheprovider", "tests/test_none.py"]
    monkeypatch.setattr(sweep, "job", lambda batch: run_tests.Job("core", arguments))
    assert not sweep.run([part], record, "now", time.perf_counter(), None)
    assert not record[part] and "not found" in capsys.readouterr().out


def test_a_process_that_takes_too_long_is_ended(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = """
        import json, os, time
        log = open(os.environ["LATTICEWORK_SWEEP_LOG"], "w")
        print(json.dumps({"file": "test_slow.py", "begins": "test_slow.py::one"}), file=log, flush=True)
        time.sleep(60)
    """
    monkeypatch.setattr(sweep, "job", lambda batch: run_tests.Job("core", ["-c", textwrap.dedent(program)]))
    monkeypatch.setattr(sweep, "LIMIT", 2.0)
    slow, after = Part("core", "test_slow.py"), Part("core", "test_z.py")
    assert sweep.run([slow, after], record, "now", time.perf_counter(), None)
    shares = [p for p in Record(record.path).parts(["core"]) if p.what == "test_slow.py"]
    assert not shares and Record(record.path)[slow] == {"shares": 2} and not record[after]
    assert sweep.run([after], record, "now", time.perf_counter() - 90, minutes=1)  # too late to begin
    assert not record[after]


def test_the_record_is_of_parts_that_there_are() -> None:
    kept = json.loads(sweep.RECORD.read_text(encoding="utf-8")) if sweep.RECORD.exists() else {}
    installed = run_tests.HEAVIEST_FIRST
    whole = {f"{p.process} {p.what}" for p in Record().parts(installed)}
    assert {" ".join(name.split()[:2]) for name in kept} <= whole
