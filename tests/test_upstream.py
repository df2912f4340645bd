"""The frameworks' own tests with our dialects in their place: a few of them, and the tool that runs them all."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from cases import EXHAUSTIVE

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import upstream
import upstream_jax
import upstream_numpy

#: What is run here of each suite, on the backends that `make upstream` runs it on. JAX's tests are in no wheel.
QUICK = {"numpy": ("fft.test_helper", "lib.test_twodim_base"), "torch": ("special",)}


@pytest.mark.parametrize(("suite", "part"), [(suite, part) for suite, parts in QUICK.items() for part in parts])
def test_framework_tests(backend: str, suite: str, part: str) -> None:
    if backend not in upstream.BACKENDS:
        return  # `make upstream` runs them on these alone
    pytest.importorskip(suite)
    if backend == suite and not EXHAUSTIVE:
        pytest.skip("a sweep runs them on the framework's own backend too")
    report = upstream.run(upstream.suite_named(suite), part, backend)
    verdict = upstream.judge(report, upstream.listed(suite), part, backend)
    assert len(report.passed) > 5
    assert (verdict.new, verdict.passing, verdict.stale) == ({}, [], [])


def report(**outcomes: Any) -> upstream.Report:
    return upstream.Report(**({"passed": [], "failed": {}, "out": {}, "skipped": []} | outcomes))


def test_list_is_held_to(tmp_path: Path) -> None:
    """A failure that is not listed, a listed test that passes, and one that is not there are each told."""
    (tmp_path / "some.txt").write_text(
        "# a remark\na reason:\n    m::a\n    torch: m::b\n    m::c[*-1]\n    other::a\n"
    )
    rows = upstream.listed("some", tmp_path)
    assert [tuple(r) for r in rows[:2]] == [("m::a", "", "a reason"), ("m::b", "torch", "a reason")]
    found = report(passed=["m::c[0-1]"], failed={"m::a": "why", "m::b": "what", "m::c[2-1]": "who"})
    verdict = upstream.judge(found, rows, "m", "numpy")
    assert verdict.listed == {"m::a": "a reason", "m::c[2-1]": "a reason"}
    assert (verdict.new, verdict.passing, verdict.stale) == ({"m::b": "what"}, ["m::c[0-1]"], [])
    verdict = upstream.judge(report(passed=["m::a"], out={"m::b": "dates"}), rows, "m", "torch")
    assert (verdict.passing, verdict.stale, verdict.wrong) == (["m::a"], ["m::c[*-1]"], 2)


def test_what_depends_on_the_processor_may_pass(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("On some processors sums are of 16 bits:\n    m::a[*]\n    m::b\n")
    rows = upstream.listed("some", tmp_path)
    verdict = upstream.judge(report(passed=["m::a[0]"], failed={"m::a[1]": "why"}), rows, "m", "numpy")
    assert verdict == ({"m::a[1]": "On some processors sums are of 16 bits"}, {}, [], ["m::b"])


def test_what_passes_on_numpy_needs_nothing_that_is_out() -> None:
    first = report(passed=["m::a"], out={"m::b": "dates"})
    found = upstream.beside(report(out={"m::a": "dates", "m::b": "dates"}), first)
    assert found == report(failed={"m::a": "passes on numpy; dates"}, out={"m::b": "dates"})


SUITE = """
import numpy as np
import pytest
from numpy.testing import assert_equal, assert_raises_regex

EMPTY = np.array([], dtype=np.longdouble)

def sums():
    yield np.arange(3), 3
    yield np.array([1], dtype=np.longdouble)[0], 1
    yield np.arange(4), 6

def words(dtype):
    return np.array([1], dtype=dtype)

class TestSum:
    of = np.array([0, 1], dtype=np.longdouble)

    @pytest.mark.parametrize(("x", "total"), sums())
    def test_sum(self, x, total):
        assert type(x).__module__ == "numpy" and not isinstance(x, REAL)
        assert_equal(np.sum(x), total)

    @pytest.mark.parametrize("x", [np.arange(2), np.array([1], dtype=np.longdouble)])
    def test_double(self, x):
        assert_equal((x + x).sum(), 2)

    def test_words(self):
        words(np.longdouble)

    def test_error(self):
        with pytest.raises(ValueError, match="words of NumPy's"):
            np.arange(3).reshape(2)
        assert_raises_regex(ValueError, "words", np.arange(3).reshape, 2)

    def test_wrong(self):
        assert_equal(np.sum(np.arange(3)), 4)

    def test_skipped(self):
        pytest.skip("why not")
"""


def test_numpy_suite(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of tests is run on the dialect, and what needs 80 bit floats is out, in parameters too."""
    if backend not in upstream.BACKENDS:
        return
    folder = tmp_path / "numpy" / "lib" / "tests"
    folder.mkdir(parents=True)
    path = folder / "test_some.py"
    path.write_text(SUITE.replace("REAL", "__import__('sys').modules['numpy'].ndarray"))
    monkeypatch.setattr(upstream_numpy, "module", lambda part: path)
    found = upstream.run(upstream_numpy.SUITE, "lib.test_some", backend)
    name = "lib.test_some::TestSum::test_"
    assert sorted(found.passed) == [f"{name}double[x0]", f"{name}error", f"{name}sum[x0-3]", f"{name}sum[x1-6]"]
    assert [*found.failed] == [f"{name}wrong"]
    assert "Mismatched elements: 1 / 1" in found.failed[f"{name}wrong"]
    assert sorted(found.out) == [f"{name}double[x1]", f"{name}words"]
    assert found.skipped == [f"{name}skipped"]


JAX_SUITE = """
import numpy as np
from absl.testing import parameterized
import jax
import jax.numpy as jnp
from jax import lax
from jax._src import config, core, dtypes
from jax._src import test_util as jtu

class SumTest(jtu.JaxTestCase):
    @jtu.sample_product(shape=[(), (3,), (2, 3)], dtype=[np.float32, np.int8])
    def testSum(self, shape, dtype):
        assert jnp.__name__ == "jax.numpy" and not isinstance(jnp.ones(2), REAL)
        rng = jtu.rand_default(self.rng())
        args = lambda: [rng(shape, dtype)]
        self._CheckAgainstNumpy(lambda x: np.sum(x, dtype=jnp.sum(x).dtype), jnp.sum, args, rtol=1e-5)
        self._CompileAndCheck(jnp.sum, args)

    @parameterized.parameters([jnp.no_such_name] if hasattr(jnp, "no_such_name") else [jnp.add, lax.add])
    def testAdd(self, f):
        self.assertArraysEqual(f(np.float32(1), np.float32(2)), np.float32(3))

    def testSwitch(self):
        assert not config.enable_x64.value
        with jax.enable_x64(True):
            self.assertEqual(jnp.arange(2).dtype, np.int64)
            self.assertTrue(config.enable_x64.value)
        self.assertEqual(jnp.arange(2).dtype, np.int32)

    def testError(self):
        with self.assertRaisesRegex(TypeError, "words of JAX's"):
            jnp.arange(3).reshape(2)

    def testLowered(self):
        jax.jit(jnp.sum).lower(jnp.ones(2)).compiler_ir("hlo")

    def testWrong(self):
        self.assertAllClose(jnp.sum(jnp.arange(3)), np.int32(4))
"""


def test_jax_suite(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of JAX's tests is run on the dialect, parameters too, and what needs JAX's compiler is out."""
    pytest.importorskip("jax")
    if backend not in upstream.BACKENDS:
        return
    for part in upstream_jax.PARTS:
        (tmp_path / f"{part}.py").write_text(JAX_SUITE.replace("REAL", "__import__('sys').modules['jax'].Array"))
    monkeypatch.setenv(upstream_jax.VARIABLE, str(tmp_path))
    found = upstream.run(upstream_jax.SUITE, "nn_test", backend)
    name = "nn_test::SumTest::test"
    sums = [f"{name}Sum{i}" for i in range(6)]
    assert sorted(found.passed) == sorted([f"{name}Add0", f"{name}Add1", f"{name}Error", *sums, f"{name}Switch"])
    assert [*found.failed] == [f"{name}Wrong"]
    assert [*found.out] == [f"{name}Lowered"]


def test_tests_that_are_not_there_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A suite whose files are missing is left out; where it is named, the run ends with the way to get them."""
    pytest.importorskip("jax")
    monkeypatch.setenv(upstream_jax.VARIABLE, str(tmp_path))
    assert upstream.there(None) == [name for name in upstream.SUITES if name != "jax"]
    assert capsys.readouterr().out.startswith("left out: jax: JAX's tests are not there")
    with pytest.raises(SystemExit, match=r"git clone --depth 1 --branch jax-v\S+ https://github.com/jax-ml/jax"):
        upstream.main(["--suite", "jax"])


def test_parts_are_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was run on the same sources is kept, and what is not as listed ends with an error."""
    ran = []
    monkeypatch.setattr(upstream, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(upstream, "EXPECTED", tmp_path)
    outcome = {"passed": ["fft.test_helper::a"], "failed": {"fft.test_helper::b": "why"}}
    monkeypatch.setattr(upstream, "run", lambda suite, part, *_: ran.append(part) or report(**outcome))
    arguments = ["--suite", "numpy", "--backend", "numpy", "--parts", "fft.test_helper"]
    assert upstream.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "fails, not listed: fft.test_helper::b\n      why" in printed
    assert "| numpy | 1 | 0 | 1 | 0 | 0 |" in printed
    assert upstream.main(arguments) == 1
    assert ran == ["fft.test_helper"]
    upstream.main([*arguments, "--again"])
    assert ran == ["fft.test_helper"] * 2
    with pytest.raises(SystemExit, match=r"numpy has no part nothing\. Its parts: .*fft\.test_helper"):
        upstream.main([*arguments[:-1], "nothing"])


def test_suites() -> None:
    for name in upstream.SUITES:
        suite = importlib.import_module(f"upstream_{name}").SUITE
        assert suite.parts() and {*QUICK.get(name, ())} <= {*suite.parts()}
        assert all((ROOT / "tools" / file).exists() for file in suite.files)
        for row in upstream.listed(name):
            assert row.reason and row.backend in ("", *upstream.BACKENDS)
            assert row.test.partition("::")[0] in suite.parts(), row.test
