"""What the wheel and the sdist have in them, and latticework where nothing but NumPy and ml_dtypes is installed."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import latticework as lw
from latticework.backend.facts import outside

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import check_package as package
import pythons

yaml = pytest.importorskip("yaml")

METADATA = b"""Metadata-Version: 2.4
Name: latticework
Summary: Array code
License-Expression: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: ml-dtypes>=0.5
Requires-Dist: numpy>=2.1
Requires-Dist: torch>=2.7; extra == 'torch'
"""
INFO = "latticework-1.0.dist-info"
WHEEL = {
    "latticework/__init__.py": b"",
    "latticework/py.typed": b"",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/WHEEL": b"",
    f"{INFO}/RECORD": b"",
    f"{INFO}/entry_points.txt": b"",
    f"{INFO}/licenses/LICENSE": b"",
}
SOURCE = ["latticework/__init__.py", "latticework/py.typed"]
SDIST = ["LICENSE", "README.md", "pyproject.toml", "constraints.txt", "Makefile", "tests/conftest.py", "PKG-INFO"]


def folder_of(module: str) -> Path:
    """Where a package is installed."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parents[1]


def test_the_core_alone_works_and_says_what_to_install_for_the_rest(tmp_path: Path) -> None:
    for name in ("numpy", "ml_dtypes", "latticework"):
        for path in folder_of(name).glob(f"{name}*"):  # the libraries and the metadata of NumPy too
            (tmp_path / path.name).symlink_to(path)
    program = f"import sys, runpy; sys.path.append({str(tmp_path)!r}); runpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", program, str(ROOT / "tests" / "core_only.py")]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_wheel_as_it_should_be() -> None:
    assert package.wheel_problems(WHEEL, SOURCE) == []


@pytest.mark.parametrize(
    ("wheel", "problem"),
    [
        (WHEEL | {"tests/test_x.py": b""}, "the wheel has tests/test_x.py, which is no file of the package"),
        (WHEEL | {"latticework/left.py": b""}, "the wheel has latticework/left.py, which is no file of the package"),
        ({k: v for k, v in WHEEL.items() if "py.typed" not in k}, "the wheel lacks latticework/py.typed"),
        ({k: v for k, v in WHEEL.items() if "LICENSE" not in k}, "the wheel's metadata lacks licenses/LICENSE"),
        (WHEEL | {f"{INFO}/METADATA": METADATA.replace(b"; extra == 'torch'", b"")}, "the core requires torch"),
        (WHEEL | {f"{INFO}/METADATA": METADATA.replace(b"Summary: Array code\n", b"")}, "the metadata lacks Summary"),
    ],
)
def test_a_wheel_with_a_problem(wheel: dict[str, bytes], problem: str) -> None:
    assert package.wheel_problems(wheel, SOURCE) == [problem]


def test_an_sdist_has_what_the_repository_keeps_and_no_more() -> None:
    kept = [name for name in SDIST if name != "PKG-INFO"]
    assert package.sdist_problems(SDIST, kept) == package.sdist_problems(SDIST, []) == []
    assert package.sdist_problems(SDIST, [*kept, "tests/data.json"]) == ["the sdist lacks tests/data.json"]
    assert package.sdist_problems([*SDIST, "src/notes.txt"], kept) == [
        "the sdist has src/notes.txt, which the repository does not keep"
    ]
    assert package.sdist_problems([n for n in SDIST if n != "LICENSE"], []) == ["the sdist lacks LICENSE"]


def test_two_wheels_are_compared_by_content() -> None:
    other = WHEEL | {"latticework/__init__.py": b"x = 1"}
    assert package.differences(WHEEL, WHEEL) == []
    name = "latticework/__init__.py"
    assert package.differences(WHEEL, other) == [f"{name} differs between the wheel and the one from the sdist"]
    del other[name]
    assert package.differences(WHEEL, other) == [f"{name} is in one of the two wheels alone"]


def test_both_kinds_of_files_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("a/b.py", b"1")
    with tarfile.open(tmp_path / "a-1.0.tar.gz", "w:gz") as sdist:
        about = tarfile.TarInfo("a-1.0/a/b.py")
        about.size = 1
        sdist.addfile(about, io.BytesIO(b"1"))
    assert package.contents(tmp_path / "a.whl") == package.contents(tmp_path / "a-1.0.tar.gz") == {"a/b.py": b"1"}


def test_every_data_file_of_the_package_is_one_that_the_wheel_has_to_have() -> None:
    files = package.package_files()
    assert {"latticework/py.typed", "latticework/backends/support/numpy.json"} <= {*files}
    assert not [name for name in files if name.startswith("tests/") or "__pycache__" in name]


# --- what the repository says of itself ------------------------------------------------------------------------------


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["test", "newest", "docs"])
def test_a_workflow_runs_what_there_is(name: str) -> None:
    targets = {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)}
    workflow = read(f".github/workflows/{name}.yml")
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    made = [word for command in commands for word in re.findall(r"^make ([a-z-]+)", command)]
    assert {*made} <= targets
    assert made or any("pytest" in command for command in commands)
    assert all("timeout-minutes" in job for job in workflow["jobs"].values() if len(job["steps"]) > 1)


def test_the_newest_releases_of_every_framework_are_tried() -> None:
    job = read(".github/workflows/newest.yml")["jobs"]["newest"]
    assert job["strategy"]["matrix"]["framework"] == [b.name for b in lw.backends() if b.name not in outside()]
    (install,) = (step["run"] for step in job["steps"] if "pip install" in step.get("run", ""))
    assert "--upgrade-strategy eager" in install and "constraints" not in install


@pytest.mark.parametrize("name", ["wrong_result", "promotion_rule", "performance", "question"])
def test_a_report_has_what_the_doctor_says(name: str) -> None:
    template = read(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert {"name", "description", "labels", "body"} == {*template}
    fields = {field["id"]: field for field in template["body"]}
    assert len(fields) == len(template["body"])
    assert "latticework doctor" in fields["doctor"]["attributes"]["label"]
    assert fields["doctor"]["validations"]["required"] is (name != "question")


def test_the_citation_is_of_this_version() -> None:
    citation, project = read("CITATION.cff"), tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == lw.__version__ and citation["license"] == project["license"]
    assert {"cff-version", "message", "title", "authors"} <= {*citation}
    names = [author["name"] for author in citation["authors"]]
    assert names == [author["name"] for author in project["authors"]]


def test_addresses_stand_in_one_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import addresses

    assert all(address.startswith("https://") for address in addresses.addresses().values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "urls" in project["dynamic"] and "urls" not in project
    page = f"git clone {addresses.PLACEHOLDER} latticework"
    assert addresses.PLACEHOLDER in (ROOT / "docs/start.md").read_text()
    decided = tmp_path / "addresses.toml"
    decided.write_text('repository = "https://example.org/r"\nissues = ""\n')
    monkeypatch.setattr(addresses, "FILE", decided)
    assert addresses.addresses() == {"repository": "https://example.org/r"}
    assert addresses.completed(page) == "git clone https://example.org/r latticework"
    assert addresses.page_address("source", path="a.py", line="3", version="1") == ""
    decided.write_text(
        'documentation = "https://example.org"\n[pages]\nsource = "https://e.org/v{version}/{path}#L{line}"\n'
    )
    assert addresses.page_address("source", path="a.py", line="3", version="1") == "https://e.org/v1/a.py#L3"
    assert {*addresses.addresses()} == {"documentation"}


def test_versions_of_the_site_are_a_menu_with_the_newest_release_preferred(tmp_path: Path) -> None:
    import docs_versions

    for name in ("0.9.0", "main", "0.10.0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("")
    docs_versions.write_menu(tmp_path)
    menu = json.loads((tmp_path / "versions.json").read_text())
    assert [(entry["version"], entry["preferred"]) for entry in menu] == [
        ("main", False), ("0.10.0", True), ("0.9.0", False)
    ]  # fmt: skip
    assert all(entry["url"].endswith(f"/{entry['version']}/") for entry in menu)
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text()
    assert [docs_versions.name_of(ref) for ref in ("v0.1.0", "main", "vector")] == ["0.1.0", "main", "vector"]


def test_the_commands_of_each_interpreter(tmp_path: Path) -> None:
    """`make pythons`: what is installed and run, without installing or running it."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    several, alone = pythons.install_commands(python, ["scipy", "rich"]), pythons.install_commands(python, ["numpy"])
    constraints = str(ROOT / "constraints.txt")
    assert several == [[
        sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check",
        "--no-compile", "--only-binary", ":all:", "-c", constraints, "scipy", "rich",
    ]]  # fmt: skip
    assert [constraints in command for command in alone] == [True, False]
    (python.parent / "pip").touch()
    assert pythons.install_commands(python, ["numpy"])[0][:3] == [str(python), "-m", "pip"]
    command = pythons.test_command("python3.14t", "threads", ["-x"])
    assert command[:3] == ["python3.14t", "-m", "pytest"]
    assert command.count("tests/test_threads.py") == 5
    assert command[-1] == "-x"
    assert "PYTHON_GIL" not in pythons.variables("3.14.0")
    assert pythons.variables("3.14.0t") | {"PYTHON_GIL": "0"} == pythons.variables("3.14.0t")
    assert {path.split("/")[0] for part in pythons.PARTS.values() for path in part if "/" in path} == {"tests"}
    assert pythons.CLOSING.match("==== 4,616 passed in 3.00s ====") is None
    assert (
        pythons.CLOSING.match("4616 passed, 417 skipped, 3 warnings in 620.25s (0:10:20)")[1]
        == "4616 passed, 417 skipped, "
    )  # type: ignore[index]


def test_an_interpreter_says_what_it_is() -> None:
    found = pythons.asked(sys.executable)
    assert found is not None
    assert found.numbers == sys.version_info[:3]
    assert found.name.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    named = pythons.Interpreter("/usr/bin/python3.14t", "3.14.2", (3, 14, 2), True)
    assert [pythons._is(named, name) for name in ("3.14t", "3.14", "3.14.2t", "3.1t", "3.13t")] == [
        True,
        False,
        True,
        False,
        False,
    ]
