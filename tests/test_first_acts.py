"""What a process does first with what it got: pickled arrays and other objects of ours, each act in its own process."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import acting
import first_acts
import numpy as np
import pytest
from cases import EXHAUSTIVE

import latticework as lw
from latticework import frontends, random
from latticework.policy import current

TESTS = Path(__file__).parent
#: Frameworks whose threads do not survive a fork, or which take seconds to import: few acts, each in a new interpreter.
DEAR = ("jax", "tensorflow", "dask")


def prepared(backend: str) -> dict[str, Any]:
    """The objects that are pickled, by the names that acts call them."""
    torch, jnp = frontends.torch, frontends.jax.numpy
    tf, np_ = frontends.tensorflow, frontends.numpy
    number = "float32" if backend == "jax" else "float64"  # a new process has JAX's 64-bit switch off, and refuses it
    with lw.using(backend=backend):
        x = lw.asarray([[1, 2], [3, 4]], dtype=lw.int32)
        f = lw.asarray([[1.0, 2.5], [-3.0, 0.5]])
        made = {
            "x": x, "f": f, "z": x[1, 0], "b": x > 2, "c": lw.astype(f, lw.complex64), "h": lw.astype(f, lw.bfloat16),
            "key": lw.random.key(3), "plan": lw.plan(lw.add, x, 1),
            "nd": np_.asarray([[1.0, 2.0], [3.0, 4.0]], number), "jnd": jnp.asarray([[1.0, 2.0], [3.0, 4.0]]),
            "tnd": torch.asarray([[1.0, 2.0], [3.0, 4.0]]), "fnd": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        }  # fmt: skip
        with lw.using(rules="jax"):
            made["w"] = lw.asarray(1.5)
    made |= {
        "dtype": lw.float32, "device": x.device, "operand": lw.Operand("int8"), "error": lw.errors.PromotionError("a"),
        "rules": lw.promotion.RULES["jax"], "policy": current(), "generator": random.default_rng(0),
        "explanation": lw.explain("int8", "float16"), "finfo": lw.finfo("float32"), "spec": lw.spec((2, 3), "int8"),
        "tsize": torch.ones(2, 3).size(), "tdtype": torch.float32, "fdtype": tf.float32,
        "fshape": tf.ones([2, 3]).shape,
        "compiled": acting.compiled, "wholly": acting.wholly, "decorated": acting.decorated, "derived": acting.derived,
    }  # fmt: skip
    return made


def folder_of(path: Path, backend: str) -> Path:
    """A folder of pickles, and the file of a graph."""
    for name, x in prepared(backend).items():
        (path / f"{name}.{backend}.pickle").write_bytes(pickle.dumps(x))
    lw.trace(lambda x: lw.exp(x) + 1, np.ones((2, 2), np.float32)).save(path / "graph.json")
    return path


def agree(answers: dict[str, Any], folder: Path, backend: str) -> None:
    """Each act gives what it gives in this process, where all of ours is loaded."""
    wrong = []
    for act, answer in answers.items():
        expected = json.loads(json.dumps(first_acts.done(act, folder, backend)))
        assert expected[0] not in ("NameError", "SyntaxError", "ModuleNotFoundError"), (act, expected)
        if answer != expected:
            wrong.append(f"{act}: {answer}, expected {expected}")
    assert not wrong, "\n".join(wrong)


def started(folder: Path, backend: str, modules: str, acts: list[str]) -> dict[str, Any]:
    """What acts give, each in a process that is forked for it from one that has imported some modules."""
    command = [sys.executable, str(TESTS / "first_acts.py"), str(folder), backend, modules]
    done = subprocess.run(command, input="\n".join(acts), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


#: What the process has imported that others are forked from.
BEFORE = {"nothing of ours": "", "the package": "latticework"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("before", BEFORE)
def test_each_act_is_the_first(before: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "numpy")
    acts = list(first_acts.ACTS)
    if not EXHAUSTIVE:  # a new import for each act takes long
        acts = first_acts.FEW[:4] if before == "nothing of ours" else Random(0).sample(acts, 16)
    answers = started(folder, "numpy", f"numpy ml_dtypes {BEFORE[before]}", acts)
    assert list(answers) == acts
    agree(answers, folder, "numpy")


@pytest.mark.backend
def test_each_act_is_the_first_on_a_backend(backend: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, backend)
    fork = backend not in DEAR and hasattr(os, "fork")
    acts = first_acts.FEW if EXHAUSTIVE else first_acts.FEW[: 4 if fork else 1]
    if fork:
        answers = started(folder, backend, f"numpy ml_dtypes {backend}", acts)
    else:
        answers = {}
        for act in acts:
            answers |= started(folder, backend, "", [act])
    agree(answers, folder, backend)


def test_workers_that_are_spawned(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "numpy")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as workers:
        acts = ["x + 1", "x[0] = 1", "tnd + 1"]
        answers = {act: json.loads(workers.submit(first_acts.told, act, str(folder), "numpy").result()) for act in acts}
    agree(answers, folder, "numpy")


def test_arrays_go_to_workers_and_back() -> None:
    x = lw.asarray([[1, 2], [3, 4]])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as workers:
        assert workers.submit(first_acts.twice, x).result().tolist() == [[2, 4], [6, 8]]
        total, first = workers.submit(first_acts.summed, {"x": x}).result()
    assert (int(total), first.tolist(), first.dtype) == (10, [1, 2], lw.int32)
