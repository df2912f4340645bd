"""Backends of packages outside: of a namespace of the standard, found by entry points, refused with a reason.

`tests/plugins` has three: all of array-api-strict, a part of it that lacks much, and the least that is needed. The kit
for authors of backends compares them with NumPy: so the kit is tested too, by what it finds where something is planted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.backend import BackendInfo, get, of_namespace, problems, refresh
from latticework.backends.namespaces.functions import _taking_along
from latticework.backends.namespaces.indexing import read
from latticework.errors import BackendError
from latticework.testing import check
from latticework.testing.__main__ import main
from latticework.testing.suite import BackendTests

PLUGINS = Path(__file__).parent / "plugins"
pytest.importorskip("array_api_strict")

#: Functions that the adapter changes, makes of others, or leaves to compositions of `api/`.
FUNCTIONS = """
add atan2 divide argmax argmin argsort astype bincount bitwise_count clip concat copysign count_nonzero cumulative_sum
diagonal eye fft.fft fft.hfft fft.ihfft frexp hypot imag index_add isin isnan linalg.diagonal linalg.eigvalsh
linalg.svdvals cumulative_prod
logaddexp matmul max mean moveaxis nonzero pad polar prod repeat reshape round scatter segment_max segment_sum signbit
sort special.gammaln square squeeze stack std sum take take_along_axis tile trunc unique_all unique_inverse unstack var
vecdot
""".split()


@pytest.fixture(autouse=True, scope="module")
def plugins() -> Iterator[None]:
    sys.path.insert(0, str(PLUGINS))
    refresh()
    yield
    sys.path.remove(str(PLUGINS))
    refresh()


@pytest.mark.parametrize(("name", "areas"), [("strict", ["shapes"]), ("few", ["dtypes", "shapes"])])
def test_functions_are_those_of_numpy(name: str, areas: list[str]) -> None:
    report = check(name, areas=areas, functions=FUNCTIONS)
    assert not report.differences, "\n".join(report.lines())
    assert {f.function for f in report.findings} >= {*FUNCTIONS} - {"astype"}


@pytest.mark.parametrize("name", ["strict", "few"])
def test_keys_arrays_random_numbers_and_traces_are_those_of_numpy(name: str) -> None:
    report = check(name, areas=["keys", "arrays", "random", "tracing", "values"], functions=["sign", "hypot", "max"])
    assert not report.differences, "\n".join(report.lines())
    refused = {f.function for f in report.findings if f.kind == "refused"}
    assert not refused or name == "few"
    assert all("mask" in program or program == "creation" for program in refused), refused


def test_a_namespace_of_few_functions_refuses_what_it_lacks() -> None:
    report = check("least", every=50)
    assert not report.differences, "\n".join(report.lines())
    x = lw.asarray([[1, 2], [3, 4]], backend="least")
    for call, name in (
        (lambda: x[lw.asarray([True, False], backend="least")], "nonzero"),
        (lambda: x.mT, "permute_dims"),
        (lambda: lw.stack([x, x]), "concat"),
        (lambda: lw.searchsorted(x[0], x[1]), "searchsorted"),
    ):
        with pytest.raises(BackendError, match=rf"{name}.*lw.asarray\(x, backend='numpy'\)"):
            call()


def test_plans_say_what_is_native_and_what_is_made_of_others() -> None:
    x = lw.asarray([1.0, 2.0], backend="few")
    assert "[native: " in str(lw.plan(lw.sqrt, x))
    for f in (lw.hypot, lw.copysign, lw.logaddexp):
        assert "[composed: " in str(lw.plan(f, x, x)), f
    assert "[native: " in str(lw.plan(lw.hypot, *[lw.asarray(x, backend="strict")] * 2))


def test_scalar_classes_as_dtypes_stand_for_dtypes() -> None:
    assert of_namespace(np, arrays=np.ndarray).dtypes[np.dtype("float32")] is lw.float32


def test_dtypes_with_names_of_a_frameworks_own_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        __module__ = "least_arrays"

    double, strange = Odd(), Odd()
    least = get("least")
    monkeypatch.setattr(type(least), "dtypes", {**least.dtypes, double: lw.float64})
    monkeypatch.setattr(type(least), "dtype_class", Odd)
    assert lw.as_dtype(double) is lw.float64
    assert lw.zeros((2,), dtype=double).dtype is lw.float64
    with pytest.raises(TypeError, match="is no dtype"):
        lw.as_dtype(strange)


def test_limits_have_a_dtype_that_is_equal_to_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unequal:
        """As a dtype of MLX's, which is unequal to all that are not."""

        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = object.__hash__

    monkeypatch.setitem(get("strict").native_dtypes, lw.int16, Unequal())
    with lw.using(backend="strict"):
        assert lw.iinfo(lw.int16).dtype == lw.int16


def test_a_dtype_that_a_composition_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x = lw.asarray([1.0, -3.0, 2.0], backend="few")
    monkeypatch.delitem(get("few").sigs, lw.complex64)
    with pytest.raises(BackendError, match="^roots: the few backend has no complex64"):
        lw.roots(x)


def test_an_element_that_a_namespace_gives_as_a_scalar_becomes_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    x = lw.asarray([1.0, 2.5], backend="strict")
    monkeypatch.setattr(type(x.data), "__getitem__", lambda self, key: 2.5)
    assert type(read(get("strict"), x.data, (1,))) is type(x.data)


def test_positions_of_any_integer_dtype_are_taken() -> None:
    x = lw.asarray([[1.0, 2.0, 3.0]], backend="few")
    for dtype in (lw.int8, lw.uint8, lw.int32):
        assert lw.take(x, lw.asarray([2, 0], dtype=dtype, backend="few"), axis=1).tolist() == [[3, 1]]
        assert x[:, lw.asarray([1], dtype=dtype, backend="few")].tolist() == [[2]]


def test_a_write_without_sorts_is_refused_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    x = lw.asarray([1.0, 2.0, 3.0], backend="few")
    monkeypatch.setattr(type(get("few").f), "has", lambda self, name: name not in ("_scatter", "take", "concat"))
    with pytest.raises(BackendError, match=r"setitem: the few backend has no take, concat, by which.*lw.where"):
        x[1:] = 5


@pytest.mark.parametrize("function", ["index_add", "segment_max", "segment_prod", "put_along_axis", "bincount"])
def test_without_sorts_rows_come_to_their_places(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without = ("argsort", "searchsorted")
    has = type(get("few").f).has
    monkeypatch.setattr(type(get("few").f), "has", lambda self, name: name not in without and has(self, name))
    x = lw.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], backend="few")
    x[lw.asarray([2, 0, 2], backend="few")] = lw.asarray([[7.0, 8.0], [1.5, 2.5], [9.0, 9.5]], backend="few")
    assert x.tolist() == [[1.5, 2.5], [3.0, 4.0], [9.0, 9.5]]
    assert not check("few", areas=["shapes", "dtypes"], functions=[function]).differences


def test_arrays_that_are_no_numbers_of_pythons_are_read_by_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise TypeError("no number of Python's")

    x = lw.asarray([3.0, 1.0, 2.0], backend="strict")
    for name in ("__bool__", "__int__", "__float__", "__index__"):
        monkeypatch.setattr(type(x.data), name, refuse)
    assert float(x[0]) == 3
    assert x[x > 1].tolist() == [3, 2]
    assert x[lw.asarray([-1, 1], backend="strict")].tolist() == [2, 1]
    assert lw.segment_sum(x, lw.asarray([1, 1, 0], backend="strict"), 2).tolist() == [2, 4]
    with lw.using(backend="strict"):
        assert lw.random.gamma(lw.random.key(0), 2.0, (3,)).shape == (3,)


def test_arrays_whose_elements_cannot_be_read_say_what_is_missing() -> None:
    backend = get("strict")
    with pytest.raises(BackendError, match=r"the elements of object cannot be read.*overrides to_numpy"):
        backend.to_numpy(object(), None, None)


def test_what_a_namespace_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    few = get("few")
    monkeypatch.delattr(few.xp, "full")
    with pytest.raises(BackendError, match="the namespace of the few backend has no function 'full'"):
        few.f._full((2,), 1.0, dtype=few.native_dtypes[lw.float32])


def test_a_dtype_of_a_kind_that_a_namespace_lacks_is_no_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    from latticework.namespace import attribute

    few = get("few")
    for name in ("native_dtypes", "sigs"):
        monkeypatch.setattr(few, name, {d: x for d, x in getattr(few, name).items() if d.kind != "c"})
    with lw.using(backend="few"), pytest.raises(AttributeError, match=r"lw.complex64: .* has no complex64"):
        attribute("complex64")


def test_what_a_namespace_lacks_is_refused_and_named() -> None:
    x = lw.asarray([1.0, 2.0, 3.0], backend="few")
    with pytest.raises(BackendError, match=r"the few backend has no float64"):
        lw.astype(x, lw.float64)
    with pytest.raises(BackendError, match=r"nonzero: an extent would depend on values, and the few backend has no"):
        lw.nonzero(x)
    with pytest.raises(BackendError, match=r"the extent of x\[mask\] depends on values.*lw.where"):
        x[x > 1]
    with pytest.raises(BackendError, match=r"bincount: .*Give length="):
        lw.bincount(lw.asarray([1, 1], backend="few"))
    with pytest.raises(BackendError, match=r"linalg.schur: the strict backend does not have this function"):
        lw.linalg.schur(lw.ones((2, 2), device=get("strict").device(None)))
    assert np.asarray(lw.nonzero(x > 1, size=2)[0]).tolist() == [1, 2]
    x[x > 1] = 0
    assert np.asarray(x).tolist() == [1, 0, 0]
    with lw.using(backend="few"):
        assert not lw.__array_namespace_info__().capabilities()["data-dependent shapes"]


def test_views_are_those_of_the_namespace() -> None:
    with lw.using(backend="strict"):
        x = lw.zeros(4)
        x[1:][0] = 1
        assert np.asarray(x).tolist() == [0, 1, 0, 0]
    with lw.using(backend="few"):
        x = lw.zeros(4)
        part = x[1:]
        with pytest.raises(ValueError, match="views"):
            part[0] = 1


def test_its_arrays_are_known_by_their_class() -> None:
    import array_api_strict

    native = array_api_strict.asarray([1.5])
    assert lw.sum(native).backend == "strict"
    assert lw.array_namespace(native).sum(native).__class__ is type(native)
    (row,) = (b for b in lw.backends() if b.name == "strict")
    assert row == BackendInfo("strict", True, array_api_strict.__version__, "pip install array-api-strict")


def test_a_generator_draws_by_its_seed() -> None:
    drawn = []
    for _ in range(2):
        rng = lw.random.default_rng(3, backend="strict")
        drawn.append([rng.normal(size=(5,)).tolist(), rng.integers(-5, 5, (9,)).tolist(), rng.permutation(6).tolist()])
        again = copy(rng)
        assert again.random(3).tolist() == rng.random(3).tolist()
    assert drawn[0] == drawn[1]
    assert {*drawn[0][1]} <= {*range(-5, 5)}
    assert sorted(drawn[0][2]) == [*range(6)]


def test_the_kit_finds_what_is_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    strict = get("strict")
    monkeypatch.setattr(strict.module, "sinh", strict.module.cosh)  # its kernels are kept: no other test takes it
    report = check("strict", areas=["shapes"], functions=["sinh", "sqrt"])
    assert {f.function for f in report.differences} == {"sinh"}
    assert any(line.startswith("  sinh ") and " for " in line and " at [" in line for line in report.lines())
    with pytest.raises(ValueError, match="there is no area 'shape'; there are dtypes"):
        check("strict", areas=["shape"])


class Panic(BaseException):
    """An error of a framework that is no `Exception`."""


def _panic(*_: object) -> object:
    raise Panic("a kernel stopped")


@pytest.mark.parametrize(
    ("to_numpy", "told"),
    [
        (_panic, "Panic: a kernel stopped"),
        (lambda *_: np.asarray([None]), "to_numpy gives an array of object for float32"),
    ],
)
def test_the_kit_goes_on_where_a_framework_fails(monkeypatch: pytest.MonkeyPatch, to_numpy: Any, told: str) -> None:
    monkeypatch.setattr(get("strict").sig(lw.float32).reads, "to_numpy", to_numpy)
    report = check("strict", areas=["dtypes", "shapes"], functions=["tan", "flip"])
    assert {f.function for f in report.differences} == {"tan", "flip"}
    assert told in {f.text for f in report.differences}


def test_the_kit_runs_a_share() -> None:
    whole = {f[:4] for f in check("strict", areas=["shapes"], functions=["add", "flip", "sum"]).findings}
    report = check("strict", areas=["shapes"], functions=["add", "flip", "sum"], every=4)
    share = {f[:4] for f in report.findings}
    assert share < whole
    assert len(whole) / 8 < len(share) < len(whole) / 2
    assert {f.function for f in report.findings} == {"add", "flip", "sum"}
    assert "a share: one call in 4 was run" in [*report.lines()]
    with pytest.raises(ValueError, match="one call in 0 cannot be run"):
        check("strict", every=0)


def test_a_kit_that_is_stopped_reports_what_was_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop = {"tan": lambda: os.kill(os.getpid(), signal.SIGTERM)}
    monkeypatch.setattr("latticework.testing.__main__._begin", lambda what: stop.get(what, lambda: None)())
    assert main(["strict", "--area", "shapes", "--function", "cosh", "--function", "tan", "--function", "sin"]) == 1
    said = capsys.readouterr().out
    assert "stopped at shapes, tan: what comes after it was not run" in said
    assert said.splitlines()[1].split() == ["shapes", "20", "0", "0"]


def test_deviations_that_a_package_lists_are_no_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from latticework.testing import findings

    plugin = findings.plugin_of("strict")
    assert plugin is not None
    monkeypatch.setattr(findings, "plugin_of", lambda _: plugin._replace(folder=tmp_path))
    listed = tmp_path / "deviations.json"
    listed.write_text('[{"function": "asinh", "reason": "planted"}, {"function": "sqrt", "reason": "gone"}]')
    strict = get("strict")
    monkeypatch.setattr(strict.module, "asinh", strict.module.sinh)
    report = check("strict", areas=["shapes"], functions=["asinh", "sqrt"])
    assert (report.differences, report.known > 0, [k.function for k in report.gone]) == ([], True, ["sqrt"])
    listed.write_text('[{"function": "asinh"}]')
    with pytest.raises(ValueError, match="a reason"):
        check("strict", areas=["shapes"], functions=["sqrt"])


def test_polygamma_and_zeta_of_negative_numbers_are_those_of_scipy() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-6.97, -0.01, 97), [-1e-6, -0.25, -1.5, -100.25, -1.0, 0.0, np.nan, 2.5]])
    for dtype in (np.float32, np.float64):
        operand = lw.asarray(x.astype(dtype), backend="strict")
        for n in range(1, 6):
            found, expected = lw.to_numpy(lw.special.polygamma(n, operand)), special.polygamma(n, x.astype(dtype))
            largest = special.gamma(n + 1) * np.maximum(np.abs(x - np.round(x)), 0.3) ** -(n + 1.0)
            with np.errstate(invalid="ignore"):
                error = np.abs(found - expected) / np.maximum(np.abs(expected), largest)
            same = (found == expected) | (np.isnan(found) & np.isnan(expected)) | (error < 100 * np.finfo(dtype).eps)
            assert same.all(), (n, dtype, x[~same], found[~same], expected[~same])
        assert np.isnan(lw.to_numpy(lw.special.zeta(2.5, operand))[:97]).all()


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_are_searched(native: bool, side: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "strict" if native else "few"
    nan = float("nan")
    rows, values = [[1, 2, 2, nan], [3, 4, nan, nan]], [[2, nan, 0, 9, 2], [4, 4, nan, 3, 1]]
    none = np.empty((0, 4))
    for pair in ((rows, values), (rows[0], values), (rows[0], 2.0), ([], values), (none, none)):
        found, expected = (
            lw.to_numpy(lw.searchsorted(*[lw.asarray(np.asarray(x, np.float32), backend=b) for x in pair], side=side))
            for b in (name, "numpy")
        )
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()


def test_rows_and_positions_along_an_axis_are_broadcast() -> None:
    """ONNX gathers elements of as many rows as there are rows of positions."""

    def gather(x: Any, places: Any, *, axis: int) -> Any:
        assert x.shape[:axis] == places.shape[:axis]
        return strict.module.take_along_axis(x, places, axis=axis)

    strict = get("strict")
    taken = _taking_along(gather, strict.f)  # type: ignore[attr-defined]
    x, places = np.arange(24.0).reshape(2, 3, 4), np.asarray([[[3, 0], [1, 1], [2, 0]]])
    for rows, of in ((x, places), (x[:1], np.concatenate([places, places[:, ::-1]]))):
        found = taken(*[lw.asarray(a, backend="strict").data for a in (rows, of)], axis=2)
        assert np.array_equal(np.asarray(found), np.take_along_axis(rows, of, axis=2))


class TestStrict(BackendTests):
    """The tests that a package gets."""

    backend = "strict"
    left_out = ("dtypes", "shapes", "views", "values", "keys", "arrays", "random", "derivatives", "tracing")


def test_the_tests_of_a_package_know_what_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = TestStrict()
    monkeypatch.setattr(TestStrict, "refused", {"tracing": ["network"]})
    with pytest.raises(AssertionError, match="listed in `refused`, and runs: {'network'}"):
        tests.test_it_computes_what_numpy_computes("tracing")

    def lacking(*_: object) -> object:
        raise BackendError("there is none here")

    monkeypatch.setattr(get("strict").sig(lw.float32).reads, "to_numpy", lacking)
    with pytest.raises(AssertionError, match="there is none here"):
        tests.test_it_computes_what_numpy_computes("tracing")


# --- packages that cannot be used -------------------------------------------------------------------------------------

UNMADE = """
import array_api_strict
from latticework.backend import of_namespace
class BACKEND(of_namespace(array_api_strict)):
    def __init__(self, name, module):
        raise AttributeError("no zeros")
"""
GOOD = '{"framework": "json", "contract": 1}'
#: name -> the packages that register it: the text of backend.json, and that of the package.
PACKAGES = {
    "twice": [(GOOD, ""), (GOOD, "")],
    "numpy": [(GOOD, "")],
    "unread": [("{", "")],
    "field": [('{"framework": "json", "contract": 1, "imutable": true}', "")],
    "kind": [('{"framework": "json", "contract": 1, "lazy": 1}', "")],
    "newer": [('{"framework": "json", "contract": 99}', "")],
    "unversioned": [('{"framework": "json"}', "")],
    "nameless": [('{"contract": 1}', "")],
    "without": [(None, "")],
    "raising": [(GOOD, "raise RuntimeError('no driver')")],
    "classless": [(GOOD, "")],
    "unmade": [(GOOD, UNMADE)],
}
SAID = {
    "twice": "d0-twice 1.0 and d1-twice 1.0 register a backend 'twice' each. Uninstall all but one of them",
    "unread": "its backend.json cannot be read",
    "field": "a field 'imutable' that there is not; did you mean 'immutable'?",
    "kind": "its field 'lazy' is of type bool; got 1",
    "newer": "for version 99 of the contract of a backend, and this latticework has version 1. Upgrade latticework",
    "unversioned": 'without a version of the contract of a backend.* writes "contract": 1',
    "nameless": "names no framework",
    "without": "has no file backend.json",
    "raising": "which is the backend 'raising', cannot be imported: RuntimeError: no driver",
    "classless": "names no class of its own as BACKEND",
    "unmade": "BACKEND, the class of the backend 'unmade', cannot be made: AttributeError: no zeros",
    "absent": "there is no package 'no_such_package'",
}


def test_packages_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    for name, packages in PACKAGES.items():
        for i, (facts, code) in enumerate(packages):
            module = f"p{i}_{name}"
            folder, info = tmp_path / module, tmp_path / f"d{i}_{name}-1.0.dist-info"
            for made in (folder, info):
                made.mkdir()
            (folder / "__init__.py").write_text(code)
            if facts is not None:
                (folder / "backend.json").write_text(facts)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: d{i}-{name}\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text(f"[latticework.backends]\n{name} = {module}\n")
    (tmp_path / "absent-1.0.dist-info").mkdir()
    (tmp_path / "absent-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: absent\nVersion: 1.0\n")
    (tmp_path / "absent-1.0.dist-info" / "entry_points.txt").write_text(
        "[latticework.backends]\nabsent = no_such_package\n"
    )
    sys.path.insert(0, str(tmp_path))
    refresh()
    try:
        for name, said in SAID.items():
            with pytest.raises(BackendError, match=said):
                lw.asarray([1], backend=name)
        assert "which is a name of latticework's own" in problems()["numpy of d0-numpy 1.0"]
        assert lw.asarray([1], backend="numpy").backend == "numpy"
        with pytest.raises(ValueError, match="there is no backend 'nowhere'"):
            lw.asarray([1], backend="nowhere")
        assert {"raising", "classless"} <= {b.name for b in lw.backends()}
        assert not {"twice", "newer", "absent"} & {b.name for b in lw.backends()}
    finally:
        sys.path.remove(str(tmp_path))
        refresh()


def test_commands_know_packages(tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[latticework.backends]\nbroken = no_such_package\n")
    path = os.pathsep.join(map(str, (Path(lw.__file__).parents[1], PLUGINS, tmp_path)))
    program = """
import sys, latticework as lw
assert "strict" in [b.name for b in lw.backends()]
assert "array_api_strict" not in sys.modules and "strict_backend" not in sys.modules
from latticework.cli import doctor, app
from typer.testing import CliRunner
own = doctor.lw.backends
doctor.lw.backends = lambda: [b for b in own() if b.name in ("strict", "few")]
for command in ("probe strict --function add", "test-backend few --function floor --area shapes", "doctor", "backends"):
    print(CliRunner().invoke(app.app, command.split()).output)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "200"},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert not done.returncode, said
    assert "alike  refused  differs" in said, said
    assert "there is no backend" not in said, said
    assert said.count("there is no package 'no_such_package'") == 2, said
    assert said.count("strict") > 2, said
