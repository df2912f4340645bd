"""The sources of programs with control flow and searches go into the frameworks' compilers and exporters whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latticework as lw


def branches(x: Any) -> Any:
    return lw.cond(lw.sum(x) > 0, lambda x: x * 2, lambda x: x, x)


def one_of_three(x: Any) -> Any:
    index = lw.astype(lw.sum(x), lw.int32) % 3
    return lw.switch(index, [lambda x: (x + 1, x), lambda x: (x * 3, -x), lambda x: (x - 1, x * x)], x)


def loop(x: Any) -> Any:
    def step(c: Any) -> Any:
        return lw.cond(c[1] % 2 == 0, lambda c: (c[0] * 1.5 + x, c[1] + 1), lambda c: (c[0], c[1] + 1), c)

    return lw.while_loop(lambda c: c[1] < 5, step, (x, lw.asarray(0)))[0]


def along(x: Any) -> Any:
    return lw.scan(lambda a, b: (a + b, a * b), lw.asarray(0.0, dtype=x.dtype), x)


def found(x: Any) -> Any:
    grid = lw.arange(4, dtype=x.dtype)
    return lw.searchsorted(lw.sort(x), x, side="right"), lw.interp(x, grid, grid**2)


PROGRAMS: list[Callable[..., Any]] = [branches, one_of_three, loop, along, found]
INPUTS = [np.asarray(x, "float32") for x in ([1.0, 2.0, -0.5, 3.0], [-4.0, 1.0, 0.5, 0.0], [1.0, 0.0, 2.0, 1.0])]


def source(program: Callable[..., Any], backend: str) -> tuple[Any, Callable[[np.ndarray[Any, Any]], Any]]:
    """The function of a program's source, and what makes its arguments."""
    pytest.importorskip({"torch": "torch", "jax": "jax", "tensorflow": "tensorflow"}[backend])

    def made(x: np.ndarray[Any, Any]) -> Any:
        return lw.asarray(x, backend=backend).data

    graph = lw.trace(program, made(INPUTS[0]))
    namespace: dict[str, Any] = {}
    exec(graph.source, namespace)
    return namespace[graph.name], made


def check(program: Callable[..., Any], function: Callable[..., Any], given: Callable[..., Any]) -> None:
    for x in INPUTS:
        got, expected = function(given(x)), program(lw.asarray(x, backend="numpy"))
        got = got if isinstance(got, (tuple, list)) else (got,)
        expected = expected if isinstance(expected, (tuple, list)) else (expected,)
        for a, b in zip(got, expected, strict=True):
            assert np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("program", PROGRAMS)
def test_pytorch_compiles_and_exports_one_graph(program: Callable[..., Any]) -> None:
    function, given = source(program, "torch")
    import torch

    torch._dynamo.reset()
    check(program, function, given)
    check(program, torch.compile(function, backend="eager", fullgraph=True), given)

    class Module(torch.nn.Module):  # type: ignore[misc]  # PyTorch tells no type
        def forward(self, x: Any) -> Any:
            return function(x)

    check(program, torch.export.export(Module(), (given(INPUTS[0]),)).module(), given)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("program", PROGRAMS)
def test_jax_jits_and_exports(program: Callable[..., Any]) -> None:
    function, given = source(program, "jax")
    import jax
    from jax import export

    compiled = jax.jit(function)
    with jax.enable_x64(True):
        check(program, compiled, given)
        exported = export.deserialize(export.export(compiled)(given(INPUTS[0])).serialize())
        check(program, exported.call, given)


@pytest.mark.needs("tensorflow")
@pytest.mark.parametrize("program", PROGRAMS)
def test_tensorflow_saves_a_model(program: Callable[..., Any], tmp_path: Path) -> None:
    function, given = source(program, "tensorflow")
    import tensorflow as tf

    module = tf.Module()
    module.run = tf.function(function, input_signature=[tf.TensorSpec([4], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    check(program, tf.saved_model.load(str(tmp_path)).run, given)
