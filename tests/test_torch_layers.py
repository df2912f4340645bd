"""The layers of PyTorch's dialect beside PyTorch's own: on the samples of its tests, and where these say too little."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch
from latticework.frontends.torch import nn

real = pytest.importorskip("torch")

import module_samples as samples
from cases import COSTLY, EXHAUSTIVE, in_turn

#: Layers that compute in many steps.
IN_STEPS = "CTCLoss GRU LSTM RNN FractionalMaxPool2d FractionalMaxPool3d AdaptiveLogSoftmaxWithLoss".split()
#: Layers with many samples, or slow ones, of which fewer are taken.
LARGE = {"Transformer", "TransformerEncoder", "TransformerDecoderLayer", "TransformerEncoderLayer", "CTCLoss"}
#: Samples that differ, and why: (layer, number).
DIFFERENT = {
    ("CrossEntropyLoss", 20): "the gradient of a mean over no element, all of which are ignored, is nan and not 0",
}
#: What PyTorch's classes have and ours do not: the shapes of arguments that nobody gives.
SIGNATURES_APART = {"Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "RNNBase", "RNNCellBase"}


def chosen(name: str, backend: str) -> list[samples.Case]:
    """The samples of a layer for an ordinary run: a few, which are others for each layer and backend."""
    cases = [case for case in samples.cases(name) if (name, case.number) not in DIFFERENT]
    if EXHAUSTIVE:
        return cases if backend not in COSTLY else in_turn(cases, 1)
    few = 1 if backend in COSTLY or name in LARGE else 3
    return in_turn(cases, -(-len(cases) // few), name, backend)[:few]


@pytest.mark.parametrize("name", sorted(samples.INFOS))
def test_a_layer_answers_as_pytorchs_does(name: str, backend: str) -> None:
    if backend == "dask" and name in IN_STEPS and not EXHAUSTIVE:
        pytest.skip("it computes in many steps, whose graph takes Dask minutes; a sweep runs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in chosen(name, backend):
            try:
                samples.compare(case)
            except Exception as error:
                raise AssertionError(f"{case}: {error}") from error


def test_all_layers_are_there_with_pytorchs_signatures() -> None:
    def parameters(f: Any) -> list[Any]:
        found = inspect.signature(f).parameters.values()
        return [(p.name, p.kind, getattr(p.default, "__name__", p.default)) for p in found]

    missing = {name for name in real.nn.modules.__all__ if not hasattr(nn, name)}
    assert missing <= {"Container"}
    for name in sorted({*real.nn.modules.__all__} - missing):
        theirs, ours = getattr(real.nn, name), getattr(nn, name)
        if not inspect.isclass(theirs):
            theirs = theirs.__wrapped__
        assert sorted(getattr(ours, "__constants__", [])) == sorted(getattr(theirs, "__constants__", [])), name
        assert ours.__doc__, name
        if name not in SIGNATURES_APART:
            for method in ("__init__", "forward") if hasattr(theirs, "forward") else ("__init__",):
                assert parameters(getattr(ours, method)) == parameters(getattr(theirs, method)), (name, method)


def test_parameters_start_within_pytorchs_limits(backend: str) -> None:
    torch.manual_seed(0)
    real.manual_seed(0)
    makes: list[Any] = [
        lambda n: n.Linear(30, 20), lambda n: n.Conv2d(4, 8, 3), lambda n: n.Bilinear(10, 4, 5),
        lambda n: n.LSTM(6, 9, proj_size=3), lambda n: n.GRUCell(4, 6), lambda n: n.Embedding(200, 3, padding_idx=1),
        lambda n: n.MultiheadAttention(12, 3, add_bias_kv=True), lambda n: n.BatchNorm1d(4), lambda n: n.Linear(64, 64),
    ]  # fmt: skip
    for make in makes[:: 3 if backend in COSTLY else 1]:
        ours, theirs = make(nn), make(real.nn)
        for (name, a), (other, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
            x, y = samples.numbers(a), samples.numbers(b)
            assert name == other
            assert a.requires_grad
            if x.size < 50:
                assert (x.std() > 0) == (y.std() > 0), (make(nn), name)
                continue
            assert abs(x.std() - y.std()) <= 0.3 * y.std(), (make(nn), name)
            assert abs(np.abs(x).max() - np.abs(y).max()) <= 0.35 * np.abs(y).max(), (make(nn), name)


def test_the_seed_decides_what_layers_start_from(backend: str) -> None:
    torch.manual_seed(3)
    first = samples.numbers(nn.Linear(3, 2).weight)
    torch.manual_seed(3)
    assert (samples.numbers(nn.Linear(3, 2).weight) == first).all()


def test_dropout_drops_in_training_alone(backend: str) -> None:
    x = torch.ones(4, 50)
    layer = nn.Dropout(0.5)
    dropped = samples.numbers(layer(x))
    assert set(np.unique(dropped)) == {0.0, 2.0}
    assert layer.eval()(x) is x
    by_channel = samples.numbers(nn.Dropout2d(0.5)(torch.ones(2, 30, 2, 2)))
    assert (by_channel == by_channel[:, :, :1, :1]).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        nn.Dropout(1.5)


def test_batch_norm_keeps_running_statistics_without_a_gradient(backend: str) -> None:
    layer = nn.BatchNorm1d(2, momentum=None)
    x = torch.tensor([[0.0, 1.0], [2.0, 5.0]], requires_grad=True)
    layer(x).sum().backward()
    with torch.no_grad():
        layer(x + 2)
    assert layer.running_mean.tolist() == [2.0, 4.0]
    assert not layer.running_mean.requires_grad
    assert int(layer.num_batches_tracked) == 2


def test_embeddings_have_a_padding_and_can_be_frozen(backend: str) -> None:
    table = nn.Embedding(4, 2, padding_idx=-1)
    assert table.padding_idx == 3
    assert table.weight[3].tolist() == [0.0, 0.0]
    table(torch.tensor([0, 3, 3])).sum().backward()
    assert table.weight.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    frozen = nn.Embedding.from_pretrained(torch.ones(3, 2))
    assert not frozen.weight.requires_grad
    assert nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False).weight.requires_grad
    limited = nn.Embedding(2, 2, max_norm=1.0, _weight=torch.tensor([[3.0, 4.0], [3.0, 4.0]]))
    limited(torch.tensor([0]))
    np.testing.assert_allclose(samples.numbers(limited.weight), [[0.6, 0.8], [3.0, 4.0]], 1e-5)


def test_layers_are_copied_and_pickled() -> None:
    made = nn.Sequential(nn.Conv2d(1, 2, 3, padding="same", padding_mode="circular"), nn.ReLU(), nn.Flatten())
    x = torch.ones(1, 1, 3, 3)
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert repr(other) == repr(made)
        assert other(x).tolist() == made(x).tolist()
        assert other[0].weight is not made[0].weight


def test_a_class_of_ones_own_stands_on_a_layer() -> None:
    class Scaled(nn.ELU):
        def __init__(self, scale: float) -> None:
            super().__init__(alpha=0.5)
            self.scale = scale

        def forward(self, x: Any) -> Any:
            return super().forward(x) * self.scale

    layer = Scaled(2.0)
    assert repr(layer) == "Scaled(alpha=0.5)"
    np.testing.assert_allclose(samples.numbers(layer(torch.tensor([-1.0, 1.0]))), [np.expm1(-1), 2.0], 1e-6)
    with pytest.raises(TypeError, match="inplac"):
        nn.ELU(inplac=True)


def test_attention_refuses_what_pytorch_refuses(backend: str) -> None:
    with pytest.raises(AssertionError, match="divisible"):
        nn.MultiheadAttention(6, 4)
    layer, x = nn.MultiheadAttention(4, 2), torch.ones(3, 1, 4)
    with pytest.raises(AssertionError, match="only bool and floating"):
        layer(x, x, x, attn_mask=torch.ones(3, 3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="is_causal"):
        layer(x, x, x, is_causal=True)


def test_recurrent_layers_refuse_what_pytorch_refuses(backend: str) -> None:
    layer = nn.LSTM(3, 4)
    for error, call in (
        (RuntimeError, lambda: layer(torch.ones(2, 1, 2))),
        (ValueError, lambda: layer(torch.ones(2, 1, 3, dtype=torch.float64))),
        (RuntimeError, lambda: layer(torch.ones(2, 1, 3), (torch.ones(1, 2, 4), torch.ones(1, 1, 4)))),
        (RuntimeError, lambda: layer(torch.ones(2, 3), (torch.ones(1, 1, 4), torch.ones(1, 1, 4)))),
        (ValueError, lambda: layer(torch.ones(3))),
        (ValueError, lambda: nn.GRU(3, 4, proj_size=2)),
        (ValueError, lambda: nn.LSTM(3, 4, proj_size=4)),
        (ValueError, lambda: nn.RNN(3, 4, nonlinearity="sin")),
        (TypeError, lambda: nn.RNN(3.0, 4)),
    ):
        with pytest.raises(error):
            call()


def test_layers_change_their_dtype(backend: str) -> None:
    layer = nn.GRU(2, 3).double()
    output, _ = layer(torch.ones(2, 1, 2, dtype=torch.float64))
    assert output.dtype == torch.float64
    assert layer.all_weights[0][0] is layer.weight_ih_l0
    lazy = nn.LazyLinear(2).to(torch.float64)
    assert lazy(torch.ones(1, 3, dtype=torch.float64)).dtype == torch.float64
    assert type(lazy) is nn.Linear


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtypes", ["float32 float64", "float64 float32", "bfloat16 float32", "bfloat16 float64"])
def test_parameters_of_batch_norm_have_the_dtypes_that_pytorch_takes(dtypes: str, training: bool) -> None:
    def dtype_of(m: Any) -> Any:
        data, others = (getattr(m, name) for name in dtypes.split())
        x = [m.ones(4, 3, dtype=data), *(m.ones(3, dtype=others) for _ in range(4))]
        try:
            return str(m.nn.functional.batch_norm(*x, training=training).dtype)
        except RuntimeError:
            return "refused"

    assert dtype_of(torch) == dtype_of(real)


def test_sync_batch_norm_takes_the_place_of_batch_norm() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
    made = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    assert type(made[1][0]) is nn.SyncBatchNorm
    assert made.state_dict().keys() == model.state_dict().keys()


def test_values_computed_without_recording_go_into_other_tensors(backend: str) -> None:
    p = torch.ones(2, requires_grad=True)
    mean = torch.zeros(2)
    with torch.no_grad():
        mean.mul_(0.5).add_(p * 2)
        mean += p
        mean[0] = (p * 4)[0]
    assert mean.tolist() == [4.0, 3.0]


def test_a_training_loop_learns(backend: str) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [2.0]])
    losses = []
    for _ in range(5 if lw.current_backend() in COSTLY else 40):
        loss = nn.MSELoss()(model(x), y)
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
