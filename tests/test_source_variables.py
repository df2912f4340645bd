"""The variables of a source: a result takes the variable of the array that it is computed of, where that is used no
more. The bits stay the same, and arrays are freed as early as a `del` frees them."""

from __future__ import annotations

import tracemalloc
import weakref
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import latticework as lw


def body(graph: Any) -> list[str]:
    """The lines of a graph's function, without comments."""
    lines = [line.strip() for line in graph.source[graph.source.index(f"def {graph.name}(") :].splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def same(got: Any, want: Any) -> None:
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    for a, b in zip(got, want, strict=True):
        assert a.dtype is b.dtype and a.shape == b.shape
        assert lw.to_numpy(a).tobytes() == lw.to_numpy(b).tobytes()


def attention(q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = q @ lw.matrix_transpose(k) / 2
    scores = lw.where(mask, scores, -1e9)
    weights = lw.exp(scores - lw.max(scores, axis=-1, keepdims=True))
    return (weights / lw.sum(weights, axis=-1, keepdims=True)) @ v


@pytest.fixture(params=["numpy", "torch"])
def framework(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        pytest.importorskip("torch")
    with lw.using(backend=request.param):
        yield request.param


def numbers(*shape: int) -> lw.Array:
    return lw.asarray(np.random.default_rng(len(shape)).normal(size=shape).astype("float32"))


WRITTEN = {
    "torch": [
        "def attention(q, k, v, mask):",
        "t = (q @ k.transpose(-1, -2)) / c_2_0",
        "t = torch.where(mask, t, constant)",
        "t = torch.exp(t - torch.amax(t, -1, keepdim=True))",
        "t = (t / torch.sum(t, -1, keepdim=True)) @ v",
    ],
    "numpy": [
        "def attention(q, k, v, mask):",
        "t = np.matmul(q, k.mT)",
        "t *= c_0_5",
        "t = np.where(mask, t, constant)",
        "t -= np.maximum.reduce(t, -1, keepdims=True)",
        "np.exp(t, t)",
        "t /= np.add.reduce(t, -1, keepdims=True)",
        "t = np.matmul(t, v)",
    ],
}


def test_what_becomes_of_an_array_has_its_variable(framework: str) -> None:
    q, mask = numbers(2, 3, 4), lw.asarray(np.tri(3, dtype=bool))
    graph = lw.trace(attention, q, q, q, mask)
    assert body(graph) == [*WRITTEN[framework], "return t"]
    same(graph(q, q, q, mask), attention(q, q, q, mask))


def test_other_results_have_variables_of_their_own(framework: str) -> None:
    held = numbers(3, 3)

    def used_later(x: Any) -> Any:
        y = lw.tril(x)
        z = lw.roll(y, 1)
        return z, lw.flip(y) @ z

    def returned(x: Any) -> Any:
        y = lw.tril(x)
        return y, lw.roll(y, 1)

    def of_another_dtype(x: Any) -> Any:
        y = lw.tril(x)
        return lw.argmax(y, axis=0)

    def second(x: Any) -> Any:
        y = lw.tril(x)
        return x @ y

    def of_what_is_not_its_own(x: Any) -> Any:
        return lw.tril(x), lw.triu(held)

    x = numbers(3, 3)
    for program in (used_later, returned, of_another_dtype, second, of_what_is_not_its_own):
        graph = lw.trace(program, x)
        lines = [line for line in body(graph) if " = " in line]
        assert [line.partition(" = ")[0] for line in lines[:2]] == ["t", "t_2"], graph.source
        same(graph(x), program(x))
        assert lw.to_numpy(held).tobytes() == lw.to_numpy(numbers(3, 3)).tobytes()


def several(x: Any, w: Any) -> Any:
    y = x @ w
    y = lw.roll(y, 1)
    y = lw.sort(y, axis=0)
    z = lw.flip(y) @ w
    z = lw.tril(z)
    z = lw.roll(z, 1)
    return lw.sort(y), lw.triu(z)


def test_numpy_takes_no_more_memory() -> None:
    with lw.using(backend="numpy"):
        x = numbers(300, 300)
        graph = lw.trace(several, x, x)
    assert sum(line.startswith("t = ") for line in body(graph)) > 3 and "del" not in graph.source
    run = graph.function
    run(x.data, x.data)
    tracemalloc.start()
    try:
        run(x.data, x.data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert graph.counts.peak == 3 * x.nbytes and peak < 3.3 * x.nbytes  # and the mask of a triangle


def test_pytorch_holds_no_more_tensors() -> None:
    torch = pytest.importorskip("torch")
    from torch.utils._python_dispatch import TorchDispatchMode

    made: list[weakref.ref[Any]] = []
    most = 0

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal most
            found = function(*args, **(kwargs or {}))
            made.extend([weakref.ref(x) for x in torch.utils._pytree.tree_leaves(found) if isinstance(x, torch.Tensor)])
            most = max(most, sum([x() is not None for x in made]))
            return found

    with lw.using(backend="torch"):
        x = numbers(8, 8)
        graph = lw.trace(several, x, x)
    assert sum(line.startswith("t = ") for line in body(graph)) > 3 and "del" not in graph.source
    run = graph.function
    with Counting():
        run(x.data, x.data)
    assert len(made) > 10 and most == 4  # the positions that a sort gives besides are one


def test_stretches_are_the_same_in_both_ways(framework: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a result of a stretch has the memory, and the variable, of an array from outside of it."""

    def fresh(x: Any, y: Any) -> Any:
        a = lw.where(x > 0, x * 2, y)
        b = lw.where(y > 0, a, lw.sin(a))
        return b * a, lw.where(b > a, b, x)

    def in_place(x: Any, y: Any) -> Any:
        z = lw.roll(x, 1)
        a = lw.clip(z * 2 - y, 0.25, 1.5)
        a = lw.where(y > 0, a, y) + 1
        return lw.where(x > 0, a, x) * 3

    for name in ("blocked", "torch_blocks"):
        for limit in ("LARGE", "CHOICES"):
            monkeypatch.setattr(f"latticework.tracing.writing.{name}.{limit}", 128, raising=False)
        monkeypatch.setattr(f"latticework.tracing.writing.{name}.BLOCK", 64)

    def of_an_array_from_outside(x: Any, y: Any) -> Any:
        z = lw.roll(x, 1)
        a = z * 2 - y
        a = a * x
        b = y - a
        return a, b * x

    x, y = numbers(500), lw.flip(numbers(500))
    for program in (fresh, in_place, of_an_array_from_outside):
        graph = lw.trace(program, x, y)
        assert "else:" in graph.source
        for n in (20, 500):
            same(graph(x[:n], y[:n]), program(x[:n], y[:n]))


def stepped(x: Any) -> Any:
    for _ in range(5):
        y = lw.abs(x) * 0.25 + 0.5
        y = y * y - x * 0.5
        x = lw.roll(y, 1)
    return x


def test_blocks_hold_no_memory_after_their_loop_on_numpy() -> None:
    with lw.using(backend="numpy"):
        x = numbers(800_000)
        graph = lw.trace(stepped, x)
    assert graph.source.count("else:") == 5
    run = graph.function
    run(x.data)
    tracemalloc.start()
    try:
        run(x.data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert abs(graph.counts.peak - peak) < 0.02 * peak


def test_blocks_hold_no_memory_after_their_loop_on_pytorch() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with lw.using(backend="torch"):
            x = numbers(600_000)
            graph = lw.trace(stepped, x)
        run = graph.function
        run(x.data)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            kept = run(x.data)
    finally:
        torch.set_num_threads(before)
    events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    sizes = [e.nbytes() for e in sorted(events, key=lambda e: e.start_ns())]
    assert sum(sizes) == kept.nbytes
    assert max(accumulate(sizes)) < 2.3 * kept.nbytes  # and the buffer of a block


def test_a_choice_in_the_memory_of_an_array_from_outside_of_the_blocks() -> None:
    def program(x: Any, y: Any) -> Any:
        z = x @ y
        z = z / 8
        chosen = lw.where(z > 0, x, z)
        return lw.roll(chosen, 1), lw.roll(x, 2)

    with lw.using(backend="numpy"):
        x = numbers(300, 300)
        graph = lw.trace(program, x, x)
        assert "select(" in graph.source.partition("else:")[2]
        same(graph(x, x), program(x, x))


def test_functions_inside_see_the_arrays_that_they_were_written_for(backend: str) -> None:
    def checkpointed(x: Any) -> Any:
        y = lw.exp(x)
        z = lw.checkpoint(lambda a: lw.sin(a * y))(x)
        y = lw.cos(y * 2)
        return z + lw.roll(y, 1)

    def chosen(x: Any) -> Any:
        y = lw.roll(x, 1)
        z = lw.cond(lw.sum(y) > 0, lambda: lw.roll(y * 2, 1), lambda: lw.flip(y))
        y = lw.roll(y, 2)
        return lw.roll(lw.flip(z), 1) + y

    def repeated(x: Any) -> Any:
        y = lw.roll(x, 1)
        return lw.fori_loop(0, 3, lambda i, z: lw.roll(lw.flip(lw.roll(z, 1)), 1) * y, lw.flip(y))

    def pulled(x: Any) -> Any:
        y = lw.roll(x, 1)
        out, back = lw.vjp(lambda a: lw.sin(a * y), x)
        z = lw.roll(lw.roll(y, 1), 1)
        return back(lw.flip(out * z))[0]

    def ruled(x: Any) -> Any:
        @lw.custom_gradient
        def f(a: Any) -> tuple[Any, Callable[[Any], Any]]:
            b = lw.roll(a, 1)
            return lw.flip(lw.roll(b, 1)), lambda g: lw.roll(g * b, 1)

        return lw.grad(lambda a: lw.sum(f(a) * a))(x)

    if backend == "dask":
        pytest.skip("it has no control flow")
    x = lw.asarray([0.5, -1.5, 2.0, 3.5])
    for program in (checkpointed, chosen, repeated, pulled, ruled):
        same(lw.trace(program, x)(x), program(x))
    if backend != "numpy":  # which has no functions inside
        lines = body(lw.trace(chosen, x))
        assert sum(line.startswith("t = ") for line in lines) == 1, lines
