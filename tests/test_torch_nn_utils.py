"""Initial values and utilities of modules in PyTorch's dialect, beside PyTorch's own on the same parameters."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours
from latticework.frontends.torch import nn

real = pytest.importorskip("torch")
pytest.importorskip("torch.nn.utils.prune")

WEIGHT = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)


def dense(torch: Any, weight: Any = WEIGHT) -> Any:
    """A module with a weight, which is the same in both."""

    class Dense(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor(weight))

        def forward(self, x: Any) -> Any:
            return x @ self.weight.T

    return Dense()


def trained(torch: Any, m: Any) -> list[Any]:
    """The output of a module, and the gradients by its parameters."""
    y = m(torch.tensor(WEIGHT[:2]))
    (y * torch.tensor(WEIGHT[1:, :3])).sum().backward()
    return [y, *[p.grad for p in m.parameters()]]


def plain(x: Any) -> Any:
    """What programs return, with arrays for tensors."""
    if isinstance(x, (ours.Tensor, real.Tensor)):
        return np.array(x.detach().tolist())
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, (list, tuple)) else x


def compare(program: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = plain(program(ours)), plain(program(real))

    def each(a: Any, b: Any) -> None:
        if isinstance(b, (np.ndarray, float)):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
        elif isinstance(b, dict):
            assert list(a) == list(b)
            each(list(a.values()), list(b.values()))
        elif isinstance(b, list):
            assert len(a) == len(b)
            for x, y in zip(a, b, strict=True):
                each(x, y)
        else:
            assert a == b

    each(found, expected)


# --- initial values -------------------------------------------------------------------------------------------------


def fixed_values(torch: Any) -> Any:
    i, z = torch.nn.init, torch.zeros
    return [
        i.constant_(z(2), 3.5), i.ones_(z(2)), i.zeros_(z(2) + 1), i.eye_(z(2, 3)), i.dirac_(z(4, 2, 3), 2),
        i.dirac_(z(2, 3, 2, 3)), [i.calculate_gain(n) for n in ("linear", "conv_transpose2d", "tanh", "relu", "selu")],
        i.calculate_gain("leaky_relu"), i.calculate_gain("leaky_relu", 2),
    ]  # fmt: skip


def test_initial_values_without_chance_are_those_of_pytorch(backend: str) -> None:
    compare(fixed_values)


DRAWN: list[tuple[str, tuple[Any, ...], tuple[int, ...]]] = [
    ("uniform_", (-2.0, 3.0), (40, 50)),
    ("normal_", (1.0, 2.0), (40, 50)),
    ("trunc_normal_", (0.0, 1.0, -1.0, 2.0), (40, 50)),
    ("trunc_normal_", (0.0, 1.0, 3.0, 4.0), (40, 50)),
    ("xavier_uniform_", (2.0,), (40, 10, 5)),
    ("xavier_normal_", (), (40, 50)),
    ("kaiming_uniform_", (5**0.5,), (40, 50)),
    ("kaiming_normal_", (0, "fan_out", "relu"), (40, 10, 5)),
]


@pytest.mark.parametrize(("name", "options", "shape"), DRAWN)
def test_random_initial_values_have_the_distribution_of_pytorch(
    name: str, options: tuple[Any, ...], shape: tuple[int, ...]
) -> None:
    p = nn.Parameter(ours.zeros(shape))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = getattr(nn.init, name)(p, *options)
        expected = getattr(real.nn.init, name)(real.empty(shape), *options).numpy()
    assert made is p and p.is_leaf and p.requires_grad
    x = p.detach().numpy()
    spread = expected.std()
    assert abs(x.mean() - expected.mean()) < 0.2 * spread
    assert abs(x.std() - spread) < 0.1 * spread
    if name != "normal_" and "normal" not in name.replace("trunc_normal", ""):
        np.testing.assert_allclose([x.min(), x.max()], [expected.min(), expected.max()], atol=0.1 * spread)


def test_a_seed_gives_the_same_initial_values(backend: str) -> None:
    g = ours.Generator().manual_seed(5)
    first = nn.init.normal_(ours.zeros(3), generator=g).tolist()
    ours.manual_seed(5)
    assert nn.init.normal_(ours.zeros(3)).tolist() == first
    m = nn.init.orthogonal_(ours.zeros(2, 3, 2), 2.0).reshape(2, 6).numpy()
    np.testing.assert_allclose(m @ m.T, 4 * np.eye(2), atol=1e-5)
    zeros = np.array(nn.init.sparse_(ours.zeros(5, 3), 0.3).tolist()) == 0
    assert zeros.sum(0).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.init.calculate_gain("nothing"),
        lambda t: t.nn.init.calculate_gain("leaky_relu", True),
        lambda t: t.nn.init.eye_(t.zeros(2)),
        lambda t: t.nn.init.dirac_(t.zeros(2, 3)),
        lambda t: t.nn.init.dirac_(t.zeros(3, 3, 3), 2),
        lambda t: t.nn.init.xavier_uniform_(t.zeros(2)),
        lambda t: t.nn.init.kaiming_normal_(t.zeros(2, 2), mode="fan"),
        lambda t: t.nn.init.orthogonal_(t.zeros(2)),
        lambda t: t.nn.utils.clip_grad_norm_(with_gradients(t, float("nan")), 1.0, error_if_nonfinite=True),
        lambda t: t.nn.utils.remove_weight_norm(dense(t)),
        lambda t: t.nn.utils.weight_norm(t.nn.utils.weight_norm(dense(t))),
        lambda t: t.nn.utils.parametrize.remove_parametrizations(dense(t), "bias"),
        lambda t: t.nn.utils.parametrizations.orthogonal(dense(t), orthogonal_map="other"),
        lambda t: t.nn.utils.prune.remove(dense(t), "weight"),
        lambda t: t.nn.utils.prune.l1_unstructured(dense(t), "weight", 1.5),
        lambda t: t.nn.utils.prune.l1_unstructured(dense(t), "weight", 99),
        lambda t: t.nn.utils.prune.random_structured(dense(t), "weight", 1, 5),
        lambda t: t.nn.utils.rnn.pad_sequence([]),
        lambda t: t.nn.utils.rnn.pack_padded_sequence(t.zeros(3, 2), [3]),
        lambda t: t.nn.utils.rnn.pack_padded_sequence(t.zeros(3, 2), [3, 0]),
        lambda t: t.nn.utils.rnn.pad_packed_sequence(packed(t), total_length=1),
    ],
)
def test_errors_are_those_of_pytorch(call: Callable[[Any], Any]) -> None:
    told = []
    for torch in (ours, real):
        with pytest.raises(Exception) as found, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(torch)
        told.append(f"{found.type.__name__}: {str(found.value)[:60]}")
    assert told[0] == told[1]


# --- gradients and parameters ---------------------------------------------------------------------------------------


def with_gradients(torch: Any, *more: float) -> list[Any]:
    made = [torch.nn.Parameter(torch.zeros(2)) for _ in range(3)]
    for p, g in zip(made, ([3.0, 4.0], [-2.0, 0.5], None), strict=True):
        p.grad = None if g is None else torch.tensor(g)
    for g in more:
        made[0].grad = torch.tensor([g, 1.0])
    return made


def clipped_gradients(torch: Any) -> Any:
    u, out = torch.nn.utils, []
    for norm in (2.0, 1.0, float("inf")):
        p = with_gradients(torch)
        out += [u.clip_grad_norm_(iter(p), 2.0, norm), p[0].grad, p[1].grad]
    p = with_gradients(torch)
    u.clip_grad_value_(p, 1.0)
    q = with_gradients(torch)
    u.clip_grads_with_norm_(q, 1.0, torch.tensor(10.0))
    return [*out, p[0].grad, p[1].grad, q[0].grad, u.get_total_norm([torch.ones(3), torch.ones(1)]),
            u.get_total_norm([]), u.clip_grad_norm_(p[2], 1.0)]  # fmt: skip


def parameters_as_a_vector(torch: Any) -> Any:
    p = [torch.nn.Parameter(torch.ones(2, 2)), torch.nn.Parameter(torch.zeros(3))]
    v = torch.nn.utils.parameters_to_vector(p)
    (v * torch.arange(7.0)).sum().backward()
    torch.nn.utils.vector_to_parameters(torch.arange(7.0), p)
    (p[0] * 2).sum().backward()
    return [v, *p, *[x.grad for x in p], p[0].requires_grad]


# --- weights that are computed ----------------------------------------------------------------------------------------


def weight_norms(torch: Any) -> Any:
    u, out = torch.nn.utils, []
    for make in (u.weight_norm, u.parametrizations.weight_norm):
        for dim in (0, 1, None):
            m = make(dense(torch), dim=dim)
            out += [list(m.state_dict()), trained(torch, m)]
    old, new = u.weight_norm(dense(torch)), u.parametrizations.weight_norm(dense(torch))
    state = {name: x.clone() * 2 for name, x in old.state_dict().items()}
    new.load_state_dict(state)
    out += [new.weight, u.remove_weight_norm(old).weight, [n for n, _ in old.named_parameters()]]
    u.parametrize.remove_parametrizations(new, "weight")
    return [*out, new.weight, [n for n, _ in new.named_parameters()], repr(new)]


def spectral_norms(torch: Any) -> Any:
    u, out = torch.nn.utils, []
    start = {"u": torch.tensor(WEIGHT[:, 0]), "v": torch.tensor(WEIGHT[0])}
    old = u.spectral_norm(dense(torch), n_power_iterations=2)
    old.load_state_dict({"weight_orig": torch.tensor(WEIGHT), "weight_u": start["u"], "weight_v": start["v"]})
    out += [list(old.state_dict()), dict(old.state_dict()._metadata), trained(torch, old), old.weight_u]
    out += [u.remove_spectral_norm(old.eval()).weight, [n for n, _ in old.named_parameters()]]
    new = u.parametrizations.spectral_norm(dense(torch), n_power_iterations=2)
    out += [list(new.state_dict())]
    new.parametrizations.weight[0]._u.copy_(start["u"])
    new.parametrizations.weight[0]._v.copy_(start["v"])
    out += [trained(torch, new), new.eval().weight, new.state_dict()["parametrizations.weight.0._v"]]
    new.weight = torch.ones(3, 4)
    u.parametrize.remove_parametrizations(new, "weight", leave_parametrized=False)
    return [*out, new.weight]


def symmetric(torch: Any) -> Any:
    class Symmetric(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    return Symmetric()


def twice(torch: Any) -> Any:
    class Twice(torch.nn.Module):
        calls = 0

        def forward(self, x: Any) -> Any:
            type(self).calls += 1
            return 2 * x

        def right_inverse(self, x: Any) -> Any:
            return x / 2

    return Twice()


def parametrized(torch: Any) -> Any:
    z, double = torch.nn.utils.parametrize, twice(torch)
    m = z.register_parametrization(dense(torch, WEIGHT[:3, :3]), "weight", symmetric(torch))
    kind = type(m).__name__
    z.register_parametrization(m, "weight", double)
    out = [kind, list(m.state_dict()), [n for n, _ in m.named_parameters()], m.weight, z.is_parametrized(m)]
    out += [z.is_parametrized(m, "bias"), z.type_before_parametrizations(m).__name__, repr(m)]
    m.weight = torch.eye(3)
    twin = copy.deepcopy(m)
    y = (twin(torch.tensor(WEIGHT[:3, :3])) * torch.tensor(WEIGHT[:3, 1:])).sum()
    y.backward()
    out += [m.parametrizations.weight.original, y, twin.parametrizations.weight.original.grad]
    type(double).calls = 0
    with z.cached():
        out.append(m.weight is m.weight)
    out += [type(double).calls, m.weight]
    other = z.transfer_parametrizations_and_params(m, dense(torch, WEIGHT[:3, :3]))
    p = m.parametrizations.weight.original
    z.remove_parametrizations(m, "weight")
    return [*out, other.weight, m.weight, m.weight is p, type(m).__name__, hasattr(m, "parametrizations"), repr(m)]


def orthogonal_weights(torch: Any) -> Any:
    out = []
    for how in ("matrix_exp", "cayley", "householder"):
        for weight in (WEIGHT[:3, :3], WEIGHT, WEIGHT.T):
            m = dense(torch, weight.copy())
            z = torch.nn.utils.parametrizations.orthogonal(m, orthogonal_map=how, use_trivialization=False)
            with torch.no_grad():
                p = z.parametrizations.weight.original
                p.copy_(torch.tensor(weight.copy()))
                p.copy_(p + torch.eye(*p.shape) * (3 * p.sign() - p))
            w = z.weight
            (w * torch.tensor(weight.copy())).sum().backward()
            out += [w, z.parametrizations.weight.original.grad]
            if how == "householder":
                m.weight = w.detach()
                out.append(m.weight)
    return out


def pruned(torch: Any) -> Any:
    z, m = torch.nn.utils.prune, dense(torch)
    z.l1_unstructured(m, "weight", 0.25)
    out = [m.weight, list(m.state_dict()), z.is_pruned(m), trained(torch, m)]
    z.ln_structured(m, "weight", 1, 2, dim=0)
    z.l1_unstructured(m, "weight", 2, importance_scores=torch.arange(12.0).reshape(3, 4))
    out += [m.weight_mask, m(torch.ones(1, 4)), len(next(iter(m._forward_pre_hooks.values())))]
    z.remove(m, "weight")
    n = dense(torch, WEIGHT[:2])
    z.global_unstructured([(m, "weight"), (n, "weight")], z.L1Unstructured, amount=0.7)
    out += [m.weight_mask, n.weight_mask, z.L1Unstructured(1).prune(torch.tensor(WEIGHT[0]))]
    return [*out, [name for name, _ in m.named_parameters()], z.is_pruned(torch.nn.Sequential(m)), m.weight]


PROGRAMS = [
    pruned,
    clipped_gradients, parameters_as_a_vector, weight_norms, spectral_norms, parametrized, orthogonal_weights,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_gives_what_it_gives_in_pytorch(backend: str, program: Callable[[Any], Any]) -> None:
    compare(program)


def test_an_orthogonal_weight_starts_from_the_one_that_is_there() -> None:
    for weight in (WEIGHT, WEIGHT.T, WEIGHT[:3, :3]):
        q = np.linalg.qr(weight if weight.shape[0] >= weight.shape[1] else weight.T)[0]
        q = np.ascontiguousarray(q if weight.shape[0] >= weight.shape[1] else q.T)
        m = nn.utils.parametrizations.orthogonal(dense(ours, q))
        np.testing.assert_allclose(m.weight.detach().numpy(), q, atol=1e-6)


# --- sequences ------------------------------------------------------------------------------------------------------


def sequences(torch: Any) -> list[Any]:
    return [torch.arange(1.0, 2 * n + 1).reshape(n, 2) for n in (2, 4, 1)]


def packed(torch: Any) -> Any:
    return torch.nn.utils.rnn.pack_sequence(sequences(torch), enforce_sorted=False)


def packed_sequences(torch: Any) -> Any:
    r, x = torch.nn.utils.rnn, sequences(torch)
    out: list[Any] = [r.pad_sequence(x), r.pad_sequence(x, True, -1.0), r.pad_sequence(x, padding_side="left")]
    out += [list(packed(torch)), list(r.unpack_sequence(packed(torch)))]
    out += [
        list(r.pad_packed_sequence(packed(torch), first, 7.0, total)) for first in (True, False) for total in (None, 5)
    ]
    padded = torch.tensor(WEIGHT[:, :3].reshape(3, 3, 1), requires_grad=True)
    for first in (True, False):
        p = r.pack_padded_sequence(padded, torch.tensor([3, 2, 1]), batch_first=first)
        y, lengths = r.pad_packed_sequence(p, batch_first=first)
        (y * torch.arange(9.0).reshape(3, 3, 1)).sum().backward()
        out += [list(p), y, lengths, padded.grad]
    p = packed(torch).double()
    return [
        *out,
        str(p.data.dtype)[-7:],
        p.is_cuda,
        list(r.unpad_sequence(padded.detach(), torch.tensor([1, 2, 3]), True)),
    ]


def test_sequences_are_packed_and_padded_as_in_pytorch(backend: str) -> None:
    compare(packed_sequences)
