"""The programs in ``torch_programs``, with PyTorch itself and with its dialect: from one state, the same losses."""

from __future__ import annotations

import builtins
import io
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE

from latticework.frontends.imports import Redirection

theirs = pytest.importorskip("torch")

FOLDER = Path(__file__).parent / "torch_programs"
PROGRAMS = """
    sequences.lstm_tagger sequences.translation sequences.transformer sequences.word2vec
    generating.autoencoder generating.adversaries generating.diffusion
    deciding.q_learning deciding.policy_gradient
    sciences.equation sciences.graph sciences.gradients_of_samples
    training.mixed_precision training.accumulation training.averages training.hooks training.functions
    training.checkpoints
    images.residual images.contrasts images.upscaling
""".split()
#: How far losses may be apart, where not 1e-4: in bfloat16 each backend rounds sums elsewhere.
APART = {"training.mixed_precision": 3e-2, "sciences.equation": 2e-3}

#: The programs for Dask: convolutions and packed sequences take minutes of graphs there. One of them runs in the sweep.
ON_DASK = ("sequences.word2vec", "training.functions", *(["sequences.lstm_tagger"] if EXHAUSTIVE else []))


@cache
def module(name: str, ours: bool) -> ModuleType:
    """A file of programs, on PyTorch or with the dialect in its place."""
    found = ModuleType(f"torch_programs.{name}{'_ours' * ours}")
    if ours:
        found.__dict__["__builtins__"] = {**vars(builtins), "__import__": Redirection(["torch"]).take}
    sys.modules[found.__name__] = found  # pickles name it
    path = FOLDER / f"{name}.py"
    exec(compile(path.read_text(), str(path), "exec"), found.__dict__)
    return found


def program(name: str, ours: bool) -> Callable[..., list[float]]:
    file, _, function = name.partition(".")
    return getattr(module(file, ours), function)


@cache
def natively(name: str) -> tuple[list[float], list[bytes]]:
    """What a program gives on PyTorch, and the states that its modules start from, as files of PyTorch."""
    states = []

    def start(model: Any) -> Any:
        file = io.BytesIO()
        theirs.save(model.state_dict(), file)
        states.append(file.getvalue())
        return model

    theirs.manual_seed(0)
    return program(name, False)(start), states


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # PyTorch's own, of each sparse tensor
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_pytorchs_losses(backend: str, name: str) -> None:
    import latticework.frontends.torch as ours

    if backend == "dask" and name not in ON_DASK:
        pytest.skip("it takes minutes there")
    expected, states = natively(name)
    left = iter(states)

    def start(model: Any) -> Any:
        model.load_state_dict(ours.load(io.BytesIO(next(left))))
        return model

    found = program(name, True)(start)
    assert len(found) == len(expected) and next(left, None) is None
    np.testing.assert_allclose(found, expected, rtol=APART.get(name, 1e-4), atol=APART.get(name, 1e-5))


def test_all_programs_are_listed() -> None:
    written = {
        f"{file.stem}.{line[4 : line.index('(')]}"
        for file in FOLDER.glob("*.py")
        for line in file.read_text().splitlines()
        if line.startswith("def ") and line.endswith("(start):")
    }
    assert written == {*PROGRAMS}
