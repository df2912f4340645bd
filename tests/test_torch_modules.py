"""Modules of PyTorch's dialect beside PyTorch's own: the same programs run on both."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours
from latticework.frontends.torch import nn

real = pytest.importorskip("torch")


def scaling(torch: Any) -> Any:
    """The class of a small module with all that a module can have."""

    class Scale(torch.nn.Module):
        def __init__(self, size: int = 2) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.arange(1.0, size + 1))
            self.register_parameter("bias", None)
            self.register_buffer("count", torch.zeros(1))
            self.register_buffer("hidden", torch.ones(1), persistent=False)
            self.size = size

        def forward(self, x: Any, times: int = 1) -> Any:
            return x * self.weight * times

        def extra_repr(self) -> str:
            return f"size={self.size}"

    return Scale


class Scale(scaling(ours)):  # type: ignore[misc]
    """A class at the top of a file, as pickle needs it."""


Scale.__mro__[1].__init__.__globals__.setdefault("Scale", Scale)


def net(torch: Any) -> Any:
    kind = scaling(torch)
    shared = kind()
    return torch.nn.Sequential(
        OrderedDict(first=kind(), rest=torch.nn.ModuleList([kind(), kind(), kind(3)]), a=shared, b=shared)
    )


# --- programs that give the same text on both ---------------------------------------------------------------------


def names_of_all_members(torch: Any) -> Any:
    m = net(torch)
    return [
        [[n for n, _ in f()] for f in (m.named_parameters, m.named_buffers, m.named_modules, m.named_children)],
        [n for n, _ in m.named_parameters("p", remove_duplicate=False)],
        [n for n, _ in m.named_modules(remove_duplicate=False)],
        [n for n, _ in m.named_parameters(recurse=False)],
        list(m.state_dict(prefix="x.")),
        dict(m.state_dict()._metadata),
        [len(list(f())) for f in (m.parameters, m.buffers, m.modules, m.children)],
        m.get_submodule("rest.1").size,
        m.get_parameter("a.weight").shape,
        m.get_buffer("a.hidden"),
    ]


def texts_of_containers(torch: Any) -> Any:
    n, kind = torch.nn, scaling(torch)
    p = n.ParameterList([torch.ones(2, 3), 5])
    d = n.ParameterDict({"b": torch.ones(2), "a": n.Parameter(torch.ones(1, dtype=torch.float64)), "c": "text"})
    return "\n".join(map(repr, [
        net(torch), n.Sequential(), n.ModuleList(), n.ModuleDict({"x": kind(), "y": n.Sequential(kind())}), p, d,
        n.ParameterList(), n.Module(), p[:1], d | {"z": torch.ones(1)}, n.Parameter(torch.ones(2)),
        n.Buffer(torch.ones(2)), n.UninitializedParameter(), n.UninitializedBuffer(),
    ]))  # fmt: skip


def sequential_operations(torch: Any) -> Any:
    n, kind = torch.nn, scaling(torch)
    s = n.Sequential(*[kind(i) for i in range(1, 5)])

    def sizes() -> list[Any]:
        return [list(s._modules), [m.size for m in s]]

    out = [sizes(), s[1].size, s[-1].size, [m.size for m in s[1:3]], len(s[::2])]
    s[1] = kind(9)
    out.append(sizes())
    del s[0]
    out.append(sizes())
    s.insert(1, kind(7)).append(kind(8)).extend([kind(5)])
    out.append(sizes())
    out.append([s.pop(1).size, sizes(), [m.size for m in s.pop(slice(1, 3))], sizes()])
    out.append([[m.size for m in x] for x in (s + s, s * 2, 2 * s)])
    s += n.Sequential(kind(3))
    s *= 2
    return [*out, sizes(), "0" in dir(s)]


def list_operations(torch: Any) -> Any:
    n, kind = torch.nn, scaling(torch)
    s = n.ModuleList([kind(i) for i in range(1, 5)])
    s.insert(1, kind(7))
    s += [kind(8)]
    del s[0], s[1:3]
    s[-1] = kind(6)
    out = [
        list(s._modules),
        [m.size for m in s],
        [m.size for m in s + n.ModuleList([kind(1)])],
        [m.size for m in s[1:]],
    ]
    d = n.ModuleDict([("b", kind(1)), ["a", kind(2)]])
    d.update({"c": kind(3)})
    out += [list(d), list(d.keys()), "a" in d, len(d), d.pop("b").size, [m.size for m in d.values()], d["c"].size]
    d.clear()
    p = n.ParameterDict({"b": torch.ones(1), "a": torch.ones(2)})
    p.setdefault("z", torch.ones(3))
    out += [list(p), [n for n, _ in p.named_parameters()], list(reversed(p)), p.popitem()[0], p.get("q", 4), len(p)]
    out += [list(p.fromkeys(["k"], 1).items()), list(p.copy()), p.pop("a").shape, "a" in p]
    q = n.ParameterList([torch.ones(1), torch.ones(2)])
    q += [torch.ones(3)]
    q[0] = torch.ones(5)
    return [*out, len(q), [x.shape for x in q], [n for n, _ in q.named_parameters()], q[-1].shape]


def attributes_change_their_kind(torch: Any) -> Any:
    n, m = torch.nn, scaling(torch)()
    m.x = n.Parameter(torch.ones(1))
    out = [[n for n, _ in m.named_parameters()]]
    m.x = None
    out.append([list(m._parameters), m.x])
    del m.x
    m.x = n.Sequential()
    out.append([n for n, _ in m.named_children()])
    m.x = n.Parameter(torch.ones(1))
    out.append([list(m._modules), list(m._parameters)])
    m.y = n.Buffer(torch.ones(1), persistent=False)
    m.y = torch.zeros(2)
    out.append([m.y, sorted(m._non_persistent_buffers_set), list(m._buffers)])
    m.y = n.Parameter(torch.ones(1))
    return [*out, sorted(m._non_persistent_buffers_set), list(m._buffers), "weight" in dir(m), hasattr(m, "nothing")]


def hooks_are_called_in_order(torch: Any) -> Any:
    log: list[Any] = []
    m = scaling(torch)()
    m.register_forward_pre_hook(lambda m, a: log.append(("pre", a[0].tolist())))
    m.register_forward_pre_hook(lambda m, a, k: (a, {**k, "times": 3}), with_kwargs=True)
    m.register_forward_pre_hook(lambda m, a: a[0] + 1, prepend=True)
    h = m.register_forward_hook(lambda m, a, o: o + 1)
    m.register_forward_hook(lambda m, a, k, o: log.append((k, o.tolist())), with_kwargs=True)
    m.register_forward_hook(lambda *a: log.append("last"), always_call=True)
    log.append(m(torch.ones(2)).tolist())
    h.remove()
    h.remove()
    log.append(m(torch.ones(2), times=5).tolist())
    try:
        m("text", wrong=1)
    except TypeError:
        log.append("an error")
    with torch.nn.modules.module.register_module_forward_hook(lambda m, a, o: log.append(type(m).__name__)):
        net(torch).first(torch.ones(2))
    return log


def hooks_change_the_state(torch: Any) -> Any:
    log: list[Any] = []
    m = torch.nn.Sequential(scaling(torch)())
    m.register_state_dict_pre_hook(lambda m, p, k: log.append(("pre", p, k)))
    m[0].register_state_dict_post_hook(lambda m, s, p, d: s.update({f"{p}more": 1}))
    m[0].register_load_state_dict_pre_hook(lambda m, s, p, *_: log.append((p, s.pop(f"{p}more"))))
    m.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    state = m.state_dict()
    log.append(list(state))
    del state["0.count"]
    return [*log, m.load_state_dict(state), log]


class Extra:
    def get_extra_state(self) -> Any:
        return {"seen": 3}

    def set_extra_state(self, state: Any) -> None:
        self.seen = state["seen"]


def extra_state_is_saved(torch: Any) -> Any:
    kind = type("WithExtra", (Extra, torch.nn.Module), {})
    m, n = kind(), kind()
    n.load_state_dict(m.state_dict())
    return [m.state_dict(), n.seen, n.load_state_dict({}, strict=False)]


PROGRAMS = [
    names_of_all_members, texts_of_containers, sequential_operations, list_operations, attributes_change_their_kind,
    hooks_are_called_in_order, hooks_change_the_state, extra_state_is_saved,
]  # fmt: skip


def own(text: str) -> str:
    return text.replace("latticework.frontends.torch", "torch").replace("\n", "")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_gives_what_it_gives_in_pytorch(program: Callable[[Any], Any]) -> None:
    assert own(str(program(ours))) == own(str(program(real)))


ERRORS: list[Callable[[Any, Any], Any]] = [
    lambda t, m: m.load_state_dict({"weight": t.ones(3), "other": t.ones(1), "a.b": t.ones(1)}),
    lambda t, m: m.load_state_dict({"weight": [1, 2], "count": t.ones(1)}),
    lambda t, m: m.load_state_dict({"weight": t.ones(2)}, strict=False),
    lambda t, m: m.load_state_dict([]),
    lambda t, m: m.register_buffer("weight", t.ones(1)),
    lambda t, m: m.register_buffer("a.b", t.ones(1)),
    lambda t, m: m.register_buffer("", t.ones(1)),
    lambda t, m: m.register_buffer("b", 1),
    lambda t, m: m.register_buffer(1, t.ones(1)),
    lambda t, m: m.register_parameter("b", t.ones(1)),
    lambda t, m: m.register_parameter("size", None),
    lambda t, m: m.add_module("a.b", t.nn.Sequential()),
    lambda t, m: m.add_module("a", 3),
    lambda t, m: setattr(m, "weight", t.ones(2)),
    lambda t, m: setattr(m, "count", "text"),
    lambda t, m: m.get_submodule("x.y"),
    lambda t, m: m.get_submodule("size"),
    lambda t, m: m.get_parameter("count"),
    lambda t, m: m.get_buffer("weight"),
    lambda t, m: m.nothing,
    lambda t, m: m.train(3),
    lambda t, m: m.to(t.int64),
    lambda t, m: type(m)(wrong=3),
    lambda t, m: t.nn.Module(3),
    lambda t, m: t.nn.Module(x=3),
    lambda t, m: t.nn.Module()(3),
    lambda t, m: t.nn.Sequential(m)[1],
    lambda t, m: t.nn.Sequential(m) + m,
    lambda t, m: t.nn.Sequential(m) * 0,
    lambda t, m: t.nn.Sequential(3),
    lambda t, m: t.nn.ModuleList(3),
    lambda t, m: t.nn.ModuleDict([("a", m, 3)]),
    lambda t, m: t.nn.ParameterList([1])(3),
    lambda t, m: t.nn.UninitializedParameter().shape,
]


@pytest.mark.parametrize("call", ERRORS)
def test_errors_are_those_of_pytorch(call: Callable[[Any, Any], Any]) -> None:
    told = []
    for torch in (ours, real):
        try:
            told.append(own(str(call(torch, scaling(torch)()))))
        except Exception as error:
            told.append(f"{type(error).__name__}: {own(str(error))}")
    assert told[0] == told[1]


def gradients(torch: Any, run: Callable[[Any], Any]) -> list[Any]:
    return [x.detach().numpy() for x in run(torch)]


def full_backward_hooks(torch: Any) -> Any:
    class Two(torch.nn.Module):
        def forward(self, x: Any, y: Any, z: Any) -> Any:
            return x * y, (x + 2 * y).sum()

    m, seen = Two(), []
    m.register_full_backward_pre_hook(lambda m, g: (g[0] * 2, g[1]))
    m.register_full_backward_hook(lambda m, into, out: seen.extend([*into, *out]))
    m.register_full_backward_hook(lambda m, into, out: (into[0] + 1, into[1], None))
    x, y = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([[3.0, 4.0]], requires_grad=True)]
    a, b = m(x, y, torch.ones(2))
    (a.sum() * 3 + b).backward()
    return [x.grad, y.grad, *seen]


def a_hook_of_one_input(torch: Any) -> Any:
    m, seen = scaling(torch)(), []
    m.register_full_backward_hook(lambda m, into, out: seen.extend([*into, *out]))
    x = torch.ones(2, requires_grad=True)
    m(x).sum().backward()
    return [x.grad, m.weight.grad, *seen]


@pytest.mark.parametrize("program", [full_backward_hooks, a_hook_of_one_input])
def test_backward_hooks_get_and_change_gradients(backend: str, program: Callable[[Any], Any]) -> None:
    for found, expected in zip(gradients(ours, program), gradients(real, program), strict=True):
        np.testing.assert_allclose(found, expected)


def test_a_cast_keeps_the_parameters_and_their_gradients(backend: str) -> None:
    m = scaling(ours)()
    p = m.weight
    m(ours.ones(2)).sum().backward()
    assert m.double() is m
    assert m.weight is p and p.is_leaf and p.requires_grad and isinstance(p, nn.Parameter)
    assert p.dtype == p.grad.dtype == m.count.dtype == ours.float64
    m.to(ours.float32)
    m(ours.ones(2)).sum().backward()
    assert p.grad.tolist() == [2, 2]
    m.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0, 0]
    m.zero_grad()
    assert p.grad is None
    m.requires_grad_(False)
    assert not m(ours.ones(2)).requires_grad


def test_a_state_is_loaded_in_place_or_assigned(backend: str) -> None:
    m, n = scaling(ours)(), scaling(ours)()
    state = {name: x.clone() + 1 for name, x in m.state_dict().items()}
    p = n.weight
    n.load_state_dict(state)
    assert n.weight is p and p.tolist() == [2, 3] and p.requires_grad
    n.load_state_dict({name: x.double() for name, x in state.items()}, assign=True)
    assert n.weight is not p and n.weight.dtype == ours.float64 and isinstance(n.weight, nn.Parameter)
    n(ours.ones(2)).sum().backward()
    assert n.weight.grad.tolist() == [1, 1]


def states_that_do_not_fit(torch: Any) -> list[dict[str, Any]]:
    fine = {"0.weight": torch.zeros(2), "1.count": torch.ones(1)}
    return [
        fine | {"0.count": torch.zeros(1), "1.weight": torch.zeros(3)},
        fine | {"0.count": torch.zeros(1)},
        fine | {"0.count": torch.zeros(1), "1.weight": torch.zeros(2), "2": torch.zeros(2)},
        fine | {"0.count": torch.zeros(1), "1.weight": [0, 0]},
    ]


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("hook", [None, lambda m, keys: None])
def test_nothing_is_loaded_where_a_part_does_not_fit(backend: str, assign: bool, hook: Any) -> None:
    m = nn.Sequential(Scale(), Scale())
    if hook is not None:
        m[0].register_load_state_dict_post_hook(hook)
    before = {name: x.tolist() for name, x in m.state_dict().items()}
    parameters = [*m.parameters()]
    for state in states_that_do_not_fit(ours):
        with pytest.raises(RuntimeError, match="Error.s. in loading state_dict for Sequential"):
            m.load_state_dict(state, assign=assign)
        assert {name: x.tolist() for name, x in m.state_dict().items()} == before
        assert all(a is b for a, b in zip(m.parameters(), parameters, strict=True))


def test_nothing_is_loaded_where_the_extra_state_is_refused() -> None:
    class Refusing(nn.Module):
        def get_extra_state(self) -> Any:
            return 3

        def set_extra_state(self, state: Any) -> None:
            if state != 3:
                raise ValueError("not my state")

    m = nn.Sequential(Scale(), Refusing())
    with pytest.raises(ValueError, match="not my state"):
        m.load_state_dict(m.state_dict() | {"0.weight": ours.zeros(2), "1._extra_state": 4})
    assert m[0].weight.tolist() == [1, 2]


def test_copies_have_parameters_of_their_own(backend: str) -> None:
    m = nn.Sequential(Scale(), nn.ParameterList([ours.ones(1)]))
    m.register_forward_hook(print)
    for n in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert [x for x, _ in n.named_parameters()] == [x for x, _ in m.named_parameters()]
        assert all(isinstance(x, nn.Parameter) and x.requires_grad for x in n.parameters())
        assert not {*n.parameters()} & {*m.parameters()}
        assert n[0]._non_persistent_buffers_set == {"hidden"} and list(n._forward_hooks.values()) == [print]
        with ours.no_grad():
            n[0].weight.fill_(7)
        assert m[0].weight.tolist() == [1, 2]


def lazy(torch: Any) -> Any:
    class Lazy(torch.nn.modules.lazy.LazyModuleMixin, torch.nn.Module):
        cls_to_become = scaling(torch)

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.UninitializedParameter()
            self.count = torch.nn.UninitializedBuffer()
            self.size = 0

        def initialize_parameters(self, x: Any, times: int = 1) -> None:
            if self.has_uninitialized_params():
                with torch.no_grad():
                    self.size = x.shape[-1]
                    self.weight.materialize((self.size,))
                    self.count.materialize((1,))
                    self.weight.fill_(2.0)

        def forward(self, x: Any, times: int = 1) -> Any:
            return x * self.weight * times

    return Lazy


def lazy_modules_take_shapes(torch: Any) -> Any:
    kind = lazy(torch)
    m, n, k = kind(), kind(), kind()
    twin = copy.deepcopy(m.weight)
    out = [repr(m.weight), m.has_uninitialized_params(), list(m.state_dict()), [n for n, _ in m.named_parameters()]]
    out += [m(torch.ones(3), times=2).tolist(), type(m).__name__, repr(m), m.weight, m._forward_pre_hooks]
    n.load_state_dict(m.state_dict() | {"count": torch.ones(1)})
    k.load_state_dict(kind().state_dict())
    return [*out, n.weight, n.count, type(n).__name__, n(torch.ones(3)).tolist(), type(n).__name__, twin]


def test_lazy_modules_take_the_shapes_of_their_first_input(backend: str) -> None:
    assert own(str(lazy_modules_take_shapes(ours))) == own(str(lazy_modules_take_shapes(real)))


def test_a_module_computes_with_other_parameters(backend: str) -> None:
    m = net(ours)
    given = {"first.weight": ours.tensor([5.0, 6.0]), "a.weight": ours.tensor([1.0, 1.0])}

    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = m

        def forward(self, x: Any) -> Any:
            return self.net.b(self.net.first(x)).sum()

    def loss(parameters: Any) -> Any:
        return ours.func.functional_call(Both(), {f"net.{name}": x for name, x in parameters.items()}, ours.ones(2))

    assert loss(given).tolist() == 11
    found = ours.func.grad(loss)(given)
    assert {name: x.tolist() for name, x in found.items()} == {"first.weight": [1, 1], "a.weight": [5, 6]}
    assert m.first.weight.tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="Missing key"):
        ours.func.functional_call(m, given, ours.ones(2), strict=True)


def test_states_of_several_modules_are_stacked() -> None:
    parameters, buffers = ours.func.stack_module_state([Scale(), Scale()])
    assert parameters["weight"].tolist() == [[1, 2], [1, 2]] and parameters["weight"].requires_grad
    assert buffers["count"].shape == (2, 1)


def test_a_module_moves_its_tensors_by_the_functions_of_tensors() -> None:
    m = scaling(ours)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert m.to("cpu", ours.float16).weight.dtype == ours.float16
        assert m.to(ours.ones(1, dtype=ours.complex64)).weight.dtype == ours.complex64
    assert m.type(ours.float32).weight.dtype == ours.float32
    assert m.half().bfloat16().float().cpu().share_memory().weight.dtype == ours.float32
    assert m.to_empty(device="cpu").weight.shape == (2,)
    m.compile()
    assert m(ours.ones(2)).shape == (2,)
    seen: list[Any] = []
    assert m.apply(seen.append) is m and seen == [m]
    assert not m.eval().training and m.train().training
