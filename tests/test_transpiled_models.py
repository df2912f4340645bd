"""Models as source: ten small ones on each framework against PyTorch itself, and what the source looks like.

All pairs of models and frameworks: ``LATTICEWORK_TEST_DAY= python -m pytest tests/test_transpiled_models.py``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_samples import NAMES, models

import latticework as lw
import latticework.frontends.torch as torch
from latticework.errors import TraceError
from latticework.frontends.torch import nn

TARGETS = [b.name for b in lw.backends() if b.installed and b.name != "dask"]


def native(x: Any, to: str) -> Any:
    """An array of the framework itself, as a program that has no latticework makes it."""
    data = np.array(x.numpy())
    if to == "jax":
        import jax.numpy as jnp

        return jnp.asarray(data)
    return lw.asarray(data, backend=to).data


def defined(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    exec(compile(source, "<source>", "exec"), namespace)
    assert not any(line.split("#")[0].count("latticework") for line in source.splitlines() if "import" in line)
    return namespace


def close(found: Any, expected: Any, **tolerance: float) -> None:
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(expected.detach()), **{"rtol": 2e-4, "atol": 2e-5} | tolerance
    )


@pytest.mark.in_turn
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_a_model_computes_and_trains_as_in_pytorch(name: str, to: str) -> None:
    theirs = pytest.importorskip("torch")
    theirs.manual_seed(0)
    model, inputs, target, loss = models(theirs, theirs.nn)[name]()
    graph: Any = lw.transpile(model.eval(), *inputs, to=to)
    given = [native(x, to) for x in inputs]
    found, expected = defined(graph.source)["forward"](graph.params, *given), model(*inputs)
    one = isinstance(expected, theirs.Tensor)
    for x, y in zip([found] if one else found, [expected] if one else expected, strict=True):
        close(x, y)
    optimizer = theirs.optim.SGD(model.train().parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
    graph = lw.transpile(model, *inputs, to=to, train=True, loss=loss, optimizer=optimizer, targets=(target,))
    step, params, state = defined(graph.source)["step"], graph.params, graph.state
    for _ in range(2):
        value, params, state = step(params, state, *given, native(target, to))
        optimizer.zero_grad()
        expected = loss(model(*inputs), target)
        expected.backward()
        optimizer.step()
        close(value, expected)
    for key, x in model.state_dict().items():
        if key in params:
            close(params[key], x)


#: Runs a model of a folder on arrays from a file, and compares the results with those in it.
ALONE = """
import sys
sys.modules["latticework"] = None
import numpy as np
import model
arrays = np.load("arrays.npz")
inputs = [*model.load_parameters("arrays.npz").values()]
found = np.asarray(model.forward(model.load_parameters("parameters.npz"), *inputs[1:]))
np.testing.assert_allclose(found, arrays["expected"], rtol=1e-5, atol=1e-6)
"""


@pytest.mark.in_turn
@pytest.mark.parametrize("to", TARGETS)
def test_a_folder_runs_in_a_process_without_latticework(to: str, tmp_path: Path) -> None:
    model, inputs, _, _ = models(torch, nn)["vit"]()
    graph: Any = lw.transpile(model, *inputs, to=to)
    assert graph.write(tmp_path) == tmp_path / "model.py"
    expected = np.asarray(graph.function(graph.params, *[native(x, to) for x in inputs]))
    np.savez(tmp_path / "arrays.npz", expected=expected, **{f"x{i}": np.asarray(x) for i, x in enumerate(inputs)})
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "model.py").read_text().splitlines()) < 70


def test_the_source_has_a_function_for_each_class_and_a_loop_over_layers() -> None:
    model, (idx,), _, _ = models(torch, nn)["gpt"]()
    graph: Any = lw.transpile(model, idx, to="numpy")
    text = graph.body.text
    for line in (
        "def attention(params, at, x):",
        "def mlp(params, at, x):",
        "def block(params, at, x):",
        "def forward(params, idx):",
        '    x = x + attention(params, at + "attn.", t)',
        "    for i in range(2):",
        '        x = block(params, f"h.{i}.", x)',
        '    return x @ params["wte.weight"].mT',
    ):
        assert line in text.splitlines(), text
    assert len(text.splitlines()) < 45
    assert "lm_head.weight" not in graph.params  # it is wte.weight
    model, (x,), _, _ = models(torch, nn)["lstm"]()
    text = lw.transpile(model, x, to="numpy").source
    assert text.count("def lstm_step(params, at, gates, h, c):") == 1 and text.count("lstm_step(params, at, ") == 4


@pytest.mark.parametrize("to", TARGETS)
def test_an_error_of_the_source_is_told_in_the_words_of_the_program(to: str) -> None:
    model = nn.Linear(4, 2)
    graph: Any = lw.transpile(model, torch.ones(1, 4), to=to)
    with pytest.raises(RuntimeError, match=r"weight must have as many columns as x has elements.*\(2, 4\), \(1, 3\)"):
        graph.function(graph.params, native(torch.ones(1, 3), to))
    with pytest.raises(KeyError, match="weight|bias"):
        graph.function({}, native(torch.ones(1, 4), to))


def test_the_source_has_the_bits_of_the_program() -> None:
    for name in ("gpt", "lstm", "diffusion"):
        model, inputs, _, _ = models(torch, nn)[name]()
        graph: Any = lw.transpile(model, *inputs, to="numpy")
        found = defined(graph.source)["forward"](graph.params, *map(np.asarray, inputs))

        def forward(params: Any, *given: Any, model: Any = model) -> Any:
            return torch.func.functional_call(model, params, given)

        flat = lw.transpile(forward, {key: torch.from_numpy(x) for key, x in graph.params.items()}, *inputs, to="numpy")
        arrays = [graph.params[key] for key in sorted(graph.params)]
        assert np.array_equal(flat.function(*arrays, *map(np.asarray, inputs)), found)
        tensors = {key: torch.from_numpy(x) for key, x in graph.params.items()}
        assert np.array_equal(np.asarray(graph(tensors, *inputs)), found)


def test_names_of_parameters_may_have_any_letters() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scales = nn.ParameterDict({'a "b"': torch.ones(2) * 3, "{c}": torch.ones(2)})

        def forward(self, x: Any) -> Any:
            return x * self.scales['a "b"'] + self.scales["{c}"]

    graph: Any = lw.transpile(nn.Sequential(Odd(), Odd()), torch.ones(2), to="numpy")
    found = defined(graph.source)["forward"](graph.params, np.ones(2, "float32"))
    assert found.tolist() == [13.0, 13.0]


def test_parameters_are_saved_by_their_names(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    graph: Any = lw.transpile(model, torch.ones(4, 3), to="numpy")
    path = graph.save_parameters(tmp_path / "parameters")
    with np.load(path) as file:
        assert {*file} == {"0.weight", "0.bias"}
        assert np.array_equal(file["0.weight"], np.asarray(model[0].weight.detach()))
    pytest.importorskip("safetensors")
    from latticework.frontends.torch.safetensors.torch import load_file

    read = load_file(graph.save_parameters(tmp_path / "parameters.safetensors"))
    assert np.array_equal(np.asarray(read["0.bias"]), np.asarray(model[0].bias.detach()))


def test_steps_of_optimizers() -> None:
    """AdamW by groups, a parameter without gradient, a frozen one, and a state from steps before."""
    makers: list[Any] = [
        lambda m: torch.optim.AdamW(
            [{"params": [m[0].weight], "weight_decay": 0.1}, {"params": [m[0].bias, m[2].weight, m[2].bias]}], lr=0.01
        ),
        lambda m: torch.optim.Adagrad(m.parameters(), lr=0.05),
        lambda m: torch.optim.RMSprop(m.parameters(), lr=0.01, momentum=0.5, maximize=True),
    ]
    x, y = torch.randn(5, 3), torch.randn(5, 2)
    for make in makers:
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        model.register_parameter("unused", nn.Parameter(torch.ones(2)))
        model[2].bias.requires_grad_(False)
        optimizer = make(model)
        loss = nn.MSELoss()
        for trained in (False, True):
            graph: Any = lw.transpile(
                model, x, to="numpy", train=True, loss=loss, optimizer=optimizer, targets=(y,)
            )  # fmt: skip
            step, params, state = defined(graph.source)["step"], graph.params, graph.state
            assert trained is False or float(state["step"]) == 2
            for _ in range(2):
                value, params, state = step(params, state, np.asarray(x), np.asarray(y))
                optimizer.zero_grad()
                expected = loss(model(x), y)
                expected.backward()
                optimizer.step()
                close(value, expected)
            for key, p in model.named_parameters():
                close(params[key], p)


@pytest.mark.parametrize("to", TARGETS)
def test_a_model_may_return_what_it_holds(to: str) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight, self.grid = nn.Parameter(torch.ones(3)), torch.arange(4.0)

        def forward(self, x: Any) -> Any:
            return x * self.weight, self.grid, self.weight

    model, x = Model(), torch.ones(2, 3)
    graph: Any = lw.transpile(model, x, to=to)
    found = defined(graph.source)["forward"](graph.params, native(x, to))
    for y, expected in zip(found, model(x), strict=True):
        close(y, expected)


@pytest.mark.parametrize("to", [name for name in TARGETS if name in ("jax", "tensorflow")])
def test_nothing_moves_where_arrays_never_change(to: str) -> None:
    """Three parts are one split, transposes that undo each other are gone, and so are copies."""

    class Parts(nn.Module):
        def forward(self, x: Any) -> tuple[Any, ...]:
            low, high = x.split(2, dim=1)
            turned = high.transpose(0, 1).contiguous()
            return low, high, turned.t().contiguous(), turned, x[:, :1], x[:, 1:4]

    x = torch.arange(12.0).reshape(3, 4)
    graph: Any = lw.transpile(Parts(), x, to=to)
    assert graph.source.count("split(x, 2, axis=1)") == 1, graph.source
    assert graph.source.count("transpose(") == 1 and "copy" not in graph.source, graph.source
    for found, expected in zip(
        defined(graph.source)["forward"](graph.params, native(x, to)), Parts()(x), strict=True
    ):  # fmt: skip
        assert np.array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("to", [name for name in TARGETS if name in ("jax", "tensorflow")])
def test_transposes_in_a_row_are_one(to: str) -> None:
    def forward(x: Any) -> Any:
        turned = x.permute(1, 2, 0)
        return turned.permute(1, 2, 0), turned.permute(2, 0, 1), turned.mT

    class Turned(nn.Module):
        def forward(self, x: Any) -> Any:
            return forward(x)

    x = torch.arange(24.0).reshape(2, 3, 4)
    graph: Any = lw.transpile(Turned(), x, to=to)
    for found, expected in zip(defined(graph.source)["forward"](graph.params, native(x, to)), forward(x), strict=True):
        assert np.array_equal(np.asarray(found), np.asarray(expected)), graph.source


def test_a_step_on_pytorch_compiles_to_one_graph() -> None:
    """Beside batch normalisation, whose running values stand beside the loss, and a frozen parameter."""
    theirs = pytest.importorskip("torch")
    theirs.manual_seed(0)
    model = theirs.nn.Sequential(theirs.nn.Linear(3, 4), theirs.nn.BatchNorm1d(4), theirs.nn.Linear(4, 2))
    model[2].bias.requires_grad_(False)
    for module in (model, theirs.nn.Linear(3, 2)):
        x, y = theirs.randn(5, 3), theirs.randn(5, 2)
        optimizer = theirs.optim.Adam(module.parameters())
        graph: Any = lw.transpile(
            module, x, to="torch", train=True, loss=theirs.nn.functional.mse_loss, optimizer=optimizer, targets=(y,)
        )
        step = defined(graph.source)["step"]
        compiled = theirs.compile(step, backend="eager", fullgraph=True)
        for found, expected in zip(
            compiled(graph.params, graph.state, x, y), step(graph.params, graph.state, x, y), strict=True
        ):
            theirs.testing.assert_close(found, expected)


def test_memory_is_looked_at_outside_of_the_trace_of_a_step() -> None:
    """`contiguous` asks how an array of NumPy's would lie: by steps that no call has made before."""

    class Heads(nn.Module):
        def forward(self, x: Any) -> Any:
            return (x * self.weight).permute(2, 0, 3, 1).contiguous().view(4, -1)

    model, x = Heads(), torch.ones(2, 3, 4, 5)
    model.weight = nn.Parameter(torch.ones(5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    graph = lw.transpile(
        model, x, to="numpy", train=True, loss=nn.MSELoss(), optimizer=optimizer, targets=(torch.ones(4, 30),)
    )
    assert "transpose" in graph.source


def test_what_a_model_s_source_cannot_do_is_an_error() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.last = torch.zeros(2)

        def forward(self, x: Any) -> Any:
            self.last = x * 2
            return self.last + 1

    with pytest.raises(TraceError, match="replaces its attribute last in each call"):
        lw.transpile(Counting(), torch.ones(2), to="numpy")
    model, x = nn.Linear(2, 1), torch.ones(3, 2)
    with pytest.raises(TypeError, match="train=True needs loss="):
        lw.transpile(model, x, to="numpy", train=True)
    other = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    with pytest.raises(TraceError, match="no parameter of the model"):
        lw.transpile(model, x, to="numpy", train=True, loss=nn.MSELoss(), optimizer=other, targets=(x,))
