"""Functions written for one framework as source of another, and scripts that are run as they are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import latticework as lw
import latticework.frontends.torch as torch
from latticework.cli.app import app
from latticework.errors import TraceError

TARGETS = [b.name for b in lw.backends() if b.installed and b.name != "dask"]

RNG = np.random.default_rng(0)
X, W, SCALE = (RNG.normal(size=shape).astype("float32") for shape in ((4, 3), (3, 2), (3,)))


def normed(x: Any, scale: Any) -> Any:
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-6) * scale


def scores(x: Any, w: Any) -> Any:
    y = torch.softmax(x @ w, dim=-1).clamp(min=0.25)
    return {"scores": y, "best": y.argmax(dim=1)}


def in_latticework(x: Any) -> Any:
    return lw.tanh(x._array @ lw.ones((3, 2))) / 2


def expected_normed() -> np.ndarray:
    return X / np.sqrt((X.astype("float64") ** 2).mean(-1, keepdims=True) + 1e-6) * SCALE


@pytest.mark.parametrize("to", TARGETS)
def test_a_function_of_a_dialect_becomes_source_of_each_framework(to: str) -> None:
    graph = lw.transpile(normed, torch.from_numpy(X), torch.from_numpy(SCALE), to=to)
    native = [lw.asarray(x, backend=to).data for x in (X, SCALE)]
    assert np.allclose(np.asarray(graph.function(*native)), expected_normed(), rtol=1e-5)
    code = [line.partition("#")[0] for line in graph.source.splitlines()]
    assert not any("latticework" in line for line in code)
    modules = {"numpy": "numpy", "torch": "torch", "jax": "jax", "tensorflow": "tensorflow"}
    for name, module in modules.items():
        if name not in (to, "numpy"):
            assert not any(line.startswith(f"import {module}") for line in code)


def test_trees_and_dtypes_are_the_dialect_s() -> None:
    graph = lw.transpile(scores, torch.from_numpy(X), torch.from_numpy(W), to="numpy")
    best, found = graph.function(X, W)
    assert best.dtype == np.int64 and found.dtype == np.float32
    halved = lw.transpile(lambda n: n / 2, torch.tensor([1, 2]), to="numpy")
    assert halved.function(np.array([1, 2])).dtype == np.float32


def of_torch_itself() -> Callable[..., Any]:
    """A function as a program has it that imports PyTorch."""
    namespace: dict[str, Any] = {}
    program = (
        "import torch\nimport torch.nn.functional as F\nfrom torch import sigmoid\n"
        "def gate(x):\n    return sigmoid(x) * helper(x)\n"
        "def helper(x):\n    return torch.relu(x).sum(dim=1, keepdim=True)\n"
    )
    exec(program, namespace)
    return namespace["gate"]  # type: ignore[no-any-return]


def test_a_function_written_with_pytorch_itself() -> None:
    real = pytest.importorskip("torch")
    gate = of_torch_itself()
    expected = gate(real.from_numpy(X)).numpy()
    graph = lw.transpile(gate, real.from_numpy(X), to="numpy")
    assert np.allclose(graph.function(X), expected, rtol=1e-5)
    assert isinstance(gate(real.from_numpy(X)), real.Tensor)  # the function itself is as it was


def test_closures_are_redirected() -> None:
    real = pytest.importorskip("torch")

    def make(scale: float) -> Callable[..., Any]:
        def inner(x: Any) -> Any:
            return real.exp(x) * scale

        return inner

    graph = lw.transpile(make(2.0), real.from_numpy(X), to="numpy")
    assert np.allclose(graph.function(X), np.exp(X) * 2, rtol=1e-5)


@pytest.mark.parametrize("to", TARGETS)
def test_arrays_that_a_function_holds_are_constants_of_the_source(to: str) -> None:
    weights = {"w": torch.full((3, 2), 2.0), "bias": [torch.ones(2)]}

    class Layer:
        def __init__(self) -> None:
            self.scale = torch.tensor(3.0)

        def forward(self, x: Any) -> Any:
            return (x @ weights["w"] + weights["bias"][0]) * self.scale

    layer = Layer()
    graph = lw.transpile(layer.forward, torch.ones(4, 3), to=to)
    assert graph.backend == to
    found = np.asarray(graph.function(lw.asarray(X, backend=to).data))
    assert np.allclose(found, (X.sum(1, keepdims=True) * 2 + 1) * [[3, 3]], rtol=1e-5)


def in_order(x: Any) -> Any:
    """What latticework sorts, selects and counts by NumPy where the elements are in the memory of the CPU."""
    values, places = torch.sort(x, dim=1, descending=True)
    largest = torch.topk(x, 2, dim=0)
    counts = torch.bincount(x.flatten().abs().int(), minlength=3), torch.histc(x, bins=4, min=0, max=3)
    quantiles = torch.quantile(x, 0.3, dim=1), torch.median(x, dim=1).values, torch.kthvalue(x, 2, dim=0).values
    selected = (
        lw.partition(x._array, 1, axis=0),
        lw.sort(x._array, stable=False),
        lw.percentile(x._array, 40),
        (
            lw.histogram(x._array, 3)[0],
            lw.median(x._array),
            lw.nanmax(x._array, axis=0),
            lw.nanmedian(x._array),
        ),
    )
    return [values, places, torch.argsort(x), torch.msort(x), *largest, *counts, *quantiles, *selected]


def by_layers(x: Any) -> Any:
    """What a backend computes as one compiled program elsewhere, or with a derivative of its own."""
    F, mask = torch.nn.functional, torch.tril(torch.ones(2, 2)).bool()
    q, k = torch.stack([x, x * 2])[None], torch.stack([x, -x])[None]
    attended = F.scaled_dot_product_attention(q, k, q, attn_mask=mask)
    return [attended, F.interpolate(q, size=(3, 5), mode="nearest"), torch.linalg.vector_norm(x, dim=1)]


#: Runs sources on an array of numbers, and prints what they give as lists.
ALONE = """
import sys
sys.modules["latticework"] = None
import numpy as np
from importlib import import_module
if "{to}" == "torch":
    from torch import from_numpy as x
elif "{to}" == "jax":
    from jax.numpy import asarray as x
elif "{to}" == "tensorflow":
    from tensorflow import constant as x
else:
    x = np.asarray
for name in {names}:
    found = getattr(import_module(name), name)(x(np.array({values}, "float32")))
    print([np.asarray(r).tolist() for r in (found if isinstance(found, (list, tuple)) else [found])])
"""
#: Functions of one array of shape (2, 3).
PROGRAMS = [in_latticework, in_order, by_layers]


@pytest.mark.in_turn
@pytest.mark.parametrize("to", TARGETS)
def test_the_source_runs_in_a_process_without_latticework(to: str, tmp_path: Path) -> None:
    values = [[0.5, 2.5, -1.0], [2.5, 0.25, 1.5]]
    for f in PROGRAMS:
        graph = lw.transpile(f, torch.tensor(values), to=to)
        assert "computed by latticework" not in graph.source
        (tmp_path / f"{graph.name}.py").write_text(graph.source)
    program = ALONE.format(to=to, names=[f.__name__ for f in PROGRAMS], values=values)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for f, line in zip(PROGRAMS, done.stdout.splitlines(), strict=True):
        with lw.using(backend="numpy"):
            leaves = lw.tree.leaves(f(torch.tensor(values)))
        for found, expected in zip(eval(line), leaves, strict=True):
            np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-5, err_msg=f.__name__)


def test_what_has_no_source_is_an_error_at_once() -> None:
    pytest.importorskip("torch")
    x = torch.ones(2, 2)

    def held(x: Any) -> Any:
        return lw.linalg.schur(x._array)[0]

    with pytest.raises(TraceError, match=r"linalg\.schur .*return lw\.linalg\.schur\(x\._array\)\[0\].* Leave it out"):
        lw.transpile(held, x, to="torch")
    with lw.using(backend="torch"):
        graph = lw.trace(lambda x: lw.partition(x, 1), lw.asarray([2.0, 1.0, 3.0]))
    with pytest.raises(TraceError, match=r"partition .*test_transpiling\.py.*lw\.transpile\(f, \.\.\., to='torch'\)"):
        _ = graph.source


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="no backend"):
        lw.transpile(normed, X, SCALE, to="nothing")
    with pytest.raises(TraceError, match="cond"):
        lw.transpile(lambda x: x if x.sum() > 0 else -x, torch.ones(2), to="numpy")
    with pytest.raises(TypeError, match="Tensor"):
        lw.transpile(torch.cat, torch.ones(2), to="numpy")


# --- scripts --------------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
import torch
import torch.nn.functional as F
from torch import Tensor, nn
import sibling

def main(n: int) -> None:
    x = torch.arange(n).float()
    print(sys.argv[1:], __name__, isinstance(x, Tensor), torch.__name__)
    print(F.relu(x - 1).sum().item(), sibling.where)

if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["run", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_script_is_run_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "sibling.py").write_text("import torch as where_it_is\nwhere = where_it_is.__name__\n")
    code, shown = run("--as", "torch", "--backend", "numpy", str(tmp_path / "script.py"), "4", "--fast")
    lw.unset_backend()
    assert code == 0
    assert shown.splitlines() == [
        "['4', '--fast'] __main__ True latticework.frontends.torch",
        "3.0 latticework.frontends.torch",
    ]
    assert "sibling" not in sys.modules


def test_a_name_that_the_dialect_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import torch\ntorch.quantize_per_tensor(1)\n")
    code, shown = run("--as", "torch", str(tmp_path / "script.py"))
    assert code == 1
    assert "torch.quantize_per_tensor: latticework's dialect" in shown
    lw.unset_backend()
    (tmp_path / "script.py").write_text("import torch.distributed.fsdp\n")
    code, shown = run("--as", "torch", str(tmp_path / "script.py"))
    assert code == 1
    assert "torch.distributed.fsdp: latticework's dialect has no such module. Devices and processes" in shown
    lw.unset_backend()


def test_a_script_s_error_is_shown_from_its_own_line_on(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\n\ndef f(x):\n    return x @ torch.ones(5, 5)\n\nf(torch.ones(2, 3))\n")
    code, shown = run("--as", "torch", str(script))
    lines = shown.splitlines()
    assert code == 1
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{script}", line 6, in <module>']
    assert lines[-1].startswith("RuntimeError: matmul: shapes (2, 3) and (5, 5)")
    lw.unset_backend()


def test_what_numpy_imports_itself_is_not_redirected(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import numpy as np\nprint(np.array([1.5]).dtype)\n")
    assert run("--as", "numpy", str(tmp_path / "script.py")) == (0, "float64\n")
    lw.unset_backend()


def test_wrong_arguments_of_run(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)\n")
    assert run(str(tmp_path / "script.py"))[0] == 2
    assert run("--as", "nothing", str(tmp_path / "script.py"))[0] == 2
    assert run("--as", "torch", "--backend", "nothing", str(tmp_path / "script.py"))[0] == 2
    assert run("--as", "torch", str(tmp_path / "missing.py"))[0] == 2
    lw.unset_backend()


def test_arguments_that_are_returned_are_results_of_the_source() -> None:
    def f(x: lw.Array, y: lw.Array) -> Any:
        y[0] = 7
        return x + 1, x, {"y": y, "n": 3}

    x, y = lw.asarray([1.0, 2.0]), lw.asarray([3.0, 4.0])
    function = {}
    exec(lw.transpile(f, x, y, to="numpy").source, function)
    found = function["f"](np.asarray([1.0, 2.0], np.float32), np.asarray([3.0, 4.0], np.float32))
    assert [[*map(float, row)] for row in found[:3]] == [[2, 3], [1, 2], [7, 4]]
    compiled = lw.compile(f)
    for _ in range(2):
        one, same, rest = compiled(x, y)
        assert same is x and rest["y"] is y and rest["n"] == 3
        assert (one.tolist(), y.tolist()) == ([2.0, 3.0], [7.0, 4.0])


# --- functions that name no framework, and switches of the process ----------------------------------------------------


def of_real(name: str) -> Any:
    return pytest.importorskip(name)


def test_the_arguments_tell_whose_methods_a_function_calls() -> None:
    theirs = of_real("torch")
    x = theirs.tensor([[1.0, -2.0, 3.0]])
    for f in (
        lambda x: x.clone().add_(1), lambda x: x.relu() * 2, lambda x: x.view(3, 1), lambda x: x.unsqueeze(0).mean(-1),
    ):  # fmt: skip
        assert np.array_equal(lw.transpile(f, x, to="numpy").function(x.numpy()), f(x).numpy())
    found = lw.transpile(lambda n: n / 2, theirs.tensor([1, 2]), to="numpy").function(np.asarray([1, 2]))
    assert found.dtype == np.float32
    found = lw.transpile(lambda n: n / 2, np.asarray([1, 2]), to="torch").function(theirs.tensor([1, 2]))
    assert found.dtype == theirs.float64
    ours = lw.transpile(lambda n: lw.divide(n, 2), theirs.tensor([1, 2], dtype=theirs.int32), to="numpy")
    assert ours.function(np.asarray([1, 2], dtype="int32")).dtype == np.float32
    jax = of_real("jax")
    written = lw.transpile(lambda x: x.at[1].set(5.0), jax.numpy.ones(3), to="torch").function(theirs.ones(3))
    assert written.tolist() == [1.0, 5.0, 1.0]


def test_jax_s_switch_is_left_as_it_is() -> None:
    jax = of_real("jax")
    with jax.enable_x64(False):
        before = jax.config.jax_enable_x64
        graph = lw.transpile(lambda x: torch.softmax(x.double(), dim=0), torch.ones(3), to="jax")
        assert "float64" in graph.source
        assert jax.config.jax_enable_x64 is before is False
        assert jax.numpy.zeros(()).dtype == "float32"
    code = """
import jax
import latticework as lw
import latticework.frontends.torch as torch
lw.transpile(lambda x: torch.cumsum(x, 0), torch.ones(3, dtype=torch.int64), to="jax")
assert not jax.config.jax_enable_x64 and jax.numpy.zeros(()).dtype == "float32"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-2000:]


def test_a_program_of_jax_has_the_dtypes_that_its_process_has() -> None:
    jax, theirs = of_real("jax"), of_real("torch")

    def decayed(x: Any) -> Any:
        return jax.lax.scan(lambda c, u: (c * 0.9 + u, c), jax.numpy.zeros(()), x)[0]

    def drawn(key: Any) -> Any:
        return jax.random.normal(key, (3,))

    for on in (False, True):
        with jax.enable_x64(on):
            x, key = jax.numpy.asarray([1.0, 2.0]), jax.random.PRNGKey(0)
            expected = np.asarray(decayed(x)), np.asarray(drawn(key))
            first = lw.transpile(decayed, x, to="torch").function(theirs.from_numpy(np.array(x)))
            second = lw.transpile(drawn, key, to="torch").function(theirs.from_numpy(np.array(key)))
        for found, right in zip((first, second), expected, strict=True):
            assert found.numpy().dtype == right.dtype == ("float64" if on else "float32")
            assert np.allclose(found.numpy(), right, rtol=1e-5)


def test_a_program_of_pytorch_has_the_default_dtype_of_its_process() -> None:
    theirs = of_real("torch")

    def made(x: Any) -> Any:
        return theirs.zeros(3) + x

    before = torch.get_default_dtype()
    theirs.set_default_dtype(theirs.float64)
    try:
        graph = lw.transpile(made, theirs.tensor(1.0), to="numpy")
        assert graph.function(np.asarray(1.0)).dtype == np.float64
    finally:
        theirs.set_default_dtype(theirs.float32)
    assert torch.get_default_dtype() is before
    assert lw.transpile(made, theirs.tensor(1.0), to="numpy").function(np.float32(1.0)).dtype == np.float32
