"""`tune=True`: the ways of running a graph are timed on the first arguments, and the fastest is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.tracing import tuning


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """What each way takes, in the place of what a clock says."""
    taken: dict[str, float] = {}

    def ways(graph: Any, data: Any, *, native: bool) -> dict[str, Any]:
        return {name: Way(name, graph.function) for name in taken}

    def call(way: Any, arguments: list[Any], count: int) -> float:
        way(*arguments)
        return count * taken[way.name]

    monkeypatch.setattr(tuning, "ways", ways)
    monkeypatch.setattr(tuning, "_call", call)
    return taken


class Way:
    """A way that counts its calls."""

    calls: dict[str, int] = {}  # noqa: RUF012

    def __init__(self, name: str, run: Any) -> None:
        self.name, self.run = name, run

    def __call__(self, *args: Any) -> Any:
        if self.name == "broken":
            raise ValueError("this way fails")
        self.calls[self.name] = self.calls.get(self.name, 0) + 1
        return self.run(*args)


def test_the_fastest_way_is_kept_by_dtypes_and_magnitude(backend: str, seconds: dict[str, float]) -> None:
    if backend == "dask":
        pytest.skip("Dask computes later")
    seconds.update({"default": 2e-4, "other": 1e-4, "broken": 1e-6})
    f = lw.compile(lambda x: x * 2 + 1, tune=True)
    assert f(lw.ones(3)).tolist() == [3, 3, 3]
    (found,) = f.tuning()
    assert (found.chosen, found.seconds) == ("other", {"default": 2e-4, "other": 1e-4})
    assert str(found) == "x float32[3]: other of default 200 µs, other 100 µs"
    before = {**Way.calls}
    assert f(lw.ones(3)).tolist() == [3, 3, 3]
    assert Way.calls == before | {"other": before["other"] + 1}
    seconds["other"] = 1.99e-4  # hardly faster
    if backend == "numpy":
        f(lw.ones(2))
        f(lw.ones(300))
        assert [t.chosen for t in f.tuning()] == ["other", "default"]


def test_to_time_a_function_changes_nothing_that_it_writes_into(seconds: dict[str, float]) -> None:
    seconds.update({"default": 2e-4, "other": 1e-4})

    def add_one(x: lw.Array) -> lw.Array:
        x += 1
        return x * 2 - 3

    f, x = lw.compile(add_one, tune=True), lw.zeros(3)
    assert f(x).tolist() == [-1, -1, -1]
    assert x.tolist() == [1, 1, 1]
    assert [t.chosen for t in f.tuning()] == ["other"]
    total = lw.zeros(3)

    def accumulate(x: lw.Array) -> lw.Array:
        nonlocal total
        total += x
        return total * 2

    g = lw.compile(accumulate, tune=True)
    assert g(lw.ones(3)).tolist() == [2, 2, 2]
    assert g(lw.ones(3)).tolist() == [4, 4, 4]
    assert not g.tuning()


def test_errors_and_warnings_are_those_of_the_call(recwarn: pytest.WarningsRecorder) -> None:
    f = lw.compile(lambda x, y: (x[1:] + y) * 2 - x[1:], tune=True)
    with np.errstate(all="raise"):
        f(lw.ones(5), lw.ones(4))
    with pytest.raises(ValueError, match="do not fit together"):
        f(lw.ones(7), lw.ones(5))
    g = lw.compile(lambda x: x * 3e38 + x * 2, tune=True)
    with np.errstate(all="warn"):
        g(lw.full((3,), 3e38))
    assert len(recwarn) <= 1


def test_on_numpy_the_measured_ways_give_the_results_of_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(tuning, "_BATCH", 1e-5)

    def f(x: lw.Array, y: lw.Array) -> lw.Array:
        return lw.sqrt(x * x + y * y) * 0.5 - x

    x, y = (lw.asarray(np.random.default_rng(i).random(800_000, np.float32)) for i in (0, 1))
    compiled = lw.compile(f, tune=True)
    np.testing.assert_allclose(compiled(x, y).data, f(x, y).data, atol=3e-7)  # a product and a sum rounded once
    np.testing.assert_allclose(compiled(x[:4], y[:4]).data, f(x[:4], y[:4]).data, atol=3e-7)
    large, small = compiled.tuning()
    assert [*large.seconds] == ["default", "fast", "fast functions", "no blocks", "blocks of 16384", "blocks of 131072"]
    assert [*small.seconds] == ["default", "fast", "fast functions"]
    assert all(t.seconds[t.chosen] <= t.seconds["default"] for t in (large, small))
    graph = lw.explain_retraces(compiled)[0].graph
    for name, way in tuning.ways(graph, [x.data, y.data], native=False).items():
        assert way(x.data, y.data).tobytes() == f(x, y).data.tobytes() or name == "fast functions"


def test_a_clock_that_goes_in_ticks_measures_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning.time, "thread_time", lambda: 1.0)  # on Windows it moves every 16 ms
    monkeypatch.setattr(tuning, "ways", lambda graph, data, native: {"default": graph.function, "b": graph.function})
    f = lw.compile(lambda x: x * 2 + 1, tune=True)
    with lw.using(backend="numpy"):
        assert f(lw.ones(3)).tolist() == [3, 3, 3]
    assert f.tuning()[0].seconds["default"] > 0
