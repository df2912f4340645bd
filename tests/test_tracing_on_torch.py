"""What tracing does on PyTorch alone: numbers as tensors, operators, and blocks, with the same bits and derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.backend import get
from latticework.tracing.recording.tracer import trace
from latticework.tracing.writing import torch_blocks

torch = pytest.importorskip("torch")

NUMBERS = [2, 3, -1, 100, 0.5, 0.1, -0.0, 1e-8, 1e-40, 3e38, float("inf"), float("nan"), 10**9, 2**40]
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le, operator.gt, operator.ge,
    operator.eq, operator.ne, lambda x, s: s - x, lambda x, s: s * x, lambda x, s: s + x, lambda x, s: s > x,
    lambda x, s: x**2 + s, lambda x, s: -x * s - -x, lambda x, s: (x - s) / (x + s),
]  # fmt: skip
VALUES = [0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, 7.0, float("inf"), -float("inf"), float("nan"), 0.1]


@pytest.fixture(autouse=True)
def on_torch() -> Iterator[None]:
    with lw.using(backend="torch"):
        yield


def bits(x: Any) -> tuple[Any, tuple[int, ...], bytes]:
    x = x.data if isinstance(x, lw.Array) else x
    x = x.detach().contiguous()
    return x.dtype, tuple(x.shape), x.reshape(-1).view(torch.uint8).numpy().tobytes()


def values(dtype: lw.Dtype, n: int) -> lw.Array:
    dice = np.random.default_rng(n)
    found = dice.choice(VALUES, n) if dtype.kind == "f" else dice.integers(0, 100, n)
    return lw.astype(lw.asarray(found, dtype="float64"), dtype)


@pytest.mark.parametrize("name", "float32 float64 bfloat16 int32 uint8 bool".split())
def test_numbers_become_tensors_without_changing_a_bit_or_a_dtype(name: str) -> None:
    changed = 0
    for operation in OPERATIONS:
        for s in NUMBERS:
            for shape in ((), (67,)):
                x = lw.reshape(values(getattr(lw, name), int(np.prod(shape))), shape)
                try:
                    expected = operation(x, s)
                except Exception as error:
                    with pytest.raises(type(error)):
                        lw.trace(lambda x, f=operation, s=s: f(x, s), x)
                    continue
                graph = lw.trace(lambda x, f=operation, s=s: f(x, s), x)
                changed += dict(graph.passes)["scalars"]
                assert bits(graph(x)) == bits(expected), (operation, s, graph.source)
    assert (changed > 0) == (name != "bfloat16")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # of PyTorch's own, in torch.func.jvp
def test_derivatives_are_the_same_with_numbers_as_tensors() -> None:
    for operation in OPERATIONS[:4] + OPERATIONS[10:13] + OPERATIONS[14:]:
        for s in (0.1, -3, 1e-8):

            def program(x: Any, f: Any = operation, s: Any = s) -> Any:
                return lw.exp(f(x, s)) * s

            x = values(lw.float32, 67)
            plain, simplified = (trace(program, (x,), {}, passes).function for passes in ((), ("squares", "scalars")))
            found = []
            for f in (plain, simplified):
                y = x.data.clone().requires_grad_()
                (first,) = torch.autograd.grad(f(y).sum(), y, create_graph=True)
                second = torch.autograd.grad(first.sum(), y)[0] if first.requires_grad else first
                forward = torch.func.jvp(f, (x.data,), (torch.ones(67),))[1]
                found.append([bits(z) for z in (first, second, forward, torch.vmap(f)(x.data))])
            assert found[0] == found[1], (operation, s)


def test_what_is_traced_inside_of_inference_and_of_a_derivative_can_be_derived_later() -> None:
    def program(x: Any) -> Any:
        return 1 / x + x * 0.3

    x = torch.tensor([1.0, 2.0, 4.0])
    expected = bits(-1 / x**2 + 0.3)
    compiled = lw.compile(program)
    with torch.inference_mode():
        compiled(lw.asarray(x))
    y = x.clone().requires_grad_()
    assert bits(torch.autograd.grad(compiled(lw.asarray(y)).data.sum(), y)[0]) == expected
    compiled = lw.compile(program)
    for _ in range(2):
        assert bits(torch.func.grad(lambda x: compiled(lw.asarray(x)).data.sum())(x)) == expected
    held = [c for c in compiled.compiled.graphs[0].body.spelling.namespace.values() if isinstance(c, torch.Tensor)]
    assert held
    assert not any(torch._C._functorch.is_functorch_wrapped_tensor(c) for c in held)


def test_the_source_has_operators() -> None:
    def program(x: Any, w: Any) -> Any:
        return lw.exp(-(x**2)) @ w > 1 - x

    source = lw.trace(program, lw.ones((2, 2)), lw.ones((2, 2))).source
    assert "    t = torch.exp(-torch.square(x)) @ w\n    t_2 = t > (c_1_0 - x)\n" in source


def test_sums_of_narrow_integers_have_the_dtype_of_the_plan() -> None:
    x = lw.asarray([[1, 2], [3, 4]], dtype="int32")
    for f in (lw.sum, lambda x: lw.sum(x, axis=0), lambda x: lw.prod(x, axis=1), lambda x: lw.sum(x, dtype="int64")):
        assert bits(lw.trace(f, x)(x)) == bits(f(x))


# --- blocks -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Blocks of 64 elements, for tensors of 100 and more, by one thread; what the sources are answered."""
    module = get("torch").module
    found: list[bool] = []
    asked = module._in_blocks

    def in_blocks(*tensors: Any) -> bool:
        found.append(asked(*tensors))
        return found[-1]

    monkeypatch.setattr(torch_blocks, "BLOCK", 64)
    monkeypatch.setattr(torch_blocks, "LARGE", 100)
    monkeypatch.setattr(module, "_in_blocks", in_blocks)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield found
    torch.set_num_threads(threads)


BINARY = """
    add atan2 copysign div divide eq fmax fmin fmod ge gt hypot le logaddexp logaddexp2 lt maximum minimum mul multiply
    ne pow remainder sub subtract
""".split()


def operands_of(name: str, x: Any, y: Any) -> list[tuple[Any, ...]]:
    """Operands of each kind that a function may have in a block."""
    number = torch.tensor(0.3, dtype=x.dtype)
    if name == "where":
        return [(x > 0, x, y), (x > 0, number, y)]
    if name == "clamp":
        return [(x, 0.0, 1.0), (x, number, y)]
    if name.startswith("logical"):
        return [(x > 0,)] if name == "logical_not" else [(x > 0, y > 0)]
    if name in BINARY:
        return [(x, y), (x, number), (number, x), *[(x, 2.4)] * (name == "pow")]
    return [(x,)]


def test_every_function_gives_the_same_bits_in_blocks_and_into_an_operand(answers: list[bool]) -> None:
    dice = np.random.default_rng(0)
    n = 5003
    for dtype in (np.float32, np.float64):
        random = [torch.from_numpy(np.frombuffer(dice.bytes(n * dtype().itemsize), dtype).copy()) for _ in range(2)]
        usual = [torch.from_numpy(dice.normal(size=n).astype(dtype) * 3) for _ in range(2)]
        for name in sorted(torch_blocks.FUNCTIONS):
            function = getattr(torch, name)
            for args in [args for x, y in (random, usual) for args in operands_of(name, x, y)]:
                expected = function(*args)
                large = [isinstance(z, torch.Tensor) and z.dim() > 0 for z in args]
                for size in (64, 4096):
                    found = torch.empty_like(expected)
                    for start in range(0, n, size):
                        stop = start + size
                        parts = [z[start:stop] if cut else z for z, cut in zip(args, large, strict=True)]
                        function(*parts, out=found[start:stop])
                    assert bits(found) == bits(expected), (name, dtype, size)
                for i in range(len(args)):
                    if large[i] and args[i].dtype is expected.dtype:
                        copies = [z.clone() if cut else z for z, cut in zip(args, large, strict=True)]
                        assert bits(function(*copies, out=copies[i])) == bits(expected), (name, dtype, i)


def program(x: Any, y: Any) -> Any:
    z = lw.tanh(x * 0.3) * y + 1 - x
    return lw.exp(-z * z) * x + y * y, lw.where(z > 0, z * 2, lw.maximum(x, y)), lw.abs(lw.atan2(z, y)) ** 2.4


def plain(x: Any, y: Any) -> Any:
    """The same by hand, of which PyTorch takes derivatives."""
    z = torch.tanh(x * 0.3) * y + 1 - x
    return (
        torch.exp(-z * z) * x + y * y,
        torch.where(z > 0, z * 2, torch.maximum(x, y)),
        torch.abs(torch.atan2(z, y)) ** 2.4,
    )


def test_large_tensors_are_computed_in_blocks_with_the_same_bits(answers: list[bool]) -> None:
    for shape in ((99,), (100,), (128,), (1003,), (7, 50)):
        x, y = (lw.asarray(np.random.default_rng(k).normal(size=shape).astype(np.float32)) for k in (1, 2))
        graph = lw.trace(program, x, y)
        for _ in range(2):
            assert [*map(bits, graph(x, y))] == [*map(bits, program(x, y))]
            assert "for x_part" in graph.source
    assert answers == [True] * 8
    x, y = (lw.asarray(np.random.default_rng(k).normal(size=(20, 20)).astype(np.float32)) for k in (1, 2))
    graph = lw.trace(program, x, y)
    assert [*map(bits, graph(x.T, y))] == [*map(bits, program(x.T, y))]
    assert [*map(bits, graph(x, y))] == [*map(bits, program(x, y))]
    assert answers[8:] == [False, True]
    torch.set_num_threads(2)
    assert [*map(bits, graph(x, y))] == [*map(bits, program(x, y))]
    assert answers[10:] == [False]


def _derivatives(f: Callable[..., Any], x: Any, y: Any) -> Any:
    return torch.autograd.grad(sum(part.sum() for part in f(x, y)), [v for v in (x, y) if v.requires_grad])


def _dual(f: Callable[..., Any], x: Any, y: Any) -> Any:
    with torch.autograd.forward_ad.dual_level():
        results = f(torch.autograd.forward_ad.make_dual(x, y), y)
        return [part for r in results for part in torch.autograd.forward_ad.unpack_dual(r)]


def _without_derivatives(mode: Any, f: Callable[..., Any], x: Any, y: Any) -> Any:
    with mode:
        return f(x.clone(), y)


def _made_in_inference(f: Callable[..., Any], x: Any, y: Any) -> Any:
    with torch.inference_mode():
        x = x * 1
    return f(x, y)


class _Subclass(torch.Tensor):
    """A tensor of another class."""


#: A way to call a function of two tensors, and whether it may be computed in blocks. None: it is not asked.
WAYS: dict[str, tuple[Callable[..., Any], bool | None]] = {
    "plain": (lambda f, x, y: f(x, y), True),
    "first": (lambda f, x, y: _derivatives(f, x.requires_grad_(), y), False),
    "second": (lambda f, x, y: _derivatives(f, x, y.requires_grad_()), False),
    "parameter": (lambda f, x, y: _derivatives(f, torch.nn.Parameter(x), y), None),
    "no_grad": (lambda f, x, y: _without_derivatives(torch.no_grad(), f, x.requires_grad_(), y), True),
    "inference": (lambda f, x, y: _without_derivatives(torch.inference_mode(), f, x.requires_grad_(), y), True),
    "of inference": (_made_in_inference, True),
    "grad": (lambda f, x, y: torch.func.grad(lambda x: sum(part.sum() for part in f(x, y)))(x), False),
    "another's grad": (lambda f, x, y: torch.func.grad(lambda v: f(x, y)[0].sum() * v)(torch.tensor(2.0)), False),
    "vmap": (lambda f, x, y: torch.vmap(f, (0, None))(torch.stack([x, y]), y), False),
    "jvp": (lambda f, x, y: torch.func.jvp(f, (x, y), (y, x)), False),
    "vjp": (lambda f, x, y: torch.func.vjp(f, x, y)[1]((y, y, y)), False),
    "jacfwd": (lambda f, x, y: torch.func.jacfwd(lambda s: f(x * s, y))(torch.tensor(1.0)), False),
    "dual": (_dual, False),
    "subclass": (lambda f, x, y: f(x, y.as_subclass(_Subclass)), False),
    "subclass first": (lambda f, x, y: f(x.as_subclass(_Subclass), y), None),
    "strided": (lambda f, x, y: f(torch.stack([x, x], 1)[:, 0], y), False),
    "compiled": (lambda f, x, y: torch.compile(f, fullgraph=True, backend="eager")(x, y), False),
    "compiled, first": (lambda f, x, y: _derivatives(
        torch.compile(f, fullgraph=True, backend="aot_eager", dynamic=True), x.requires_grad_(), y), False),
    "checkpoint": (lambda f, x, y: _derivatives(
        lambda x, y: torch.utils.checkpoint.checkpoint(f, x, y, use_reentrant=False), x.requires_grad_(), y), False),
    "fx": (lambda f, x, y: torch.fx.symbolic_trace(f)(x, y), None),
    "jit": (lambda f, x, y: torch.jit.trace(f, (x, y), check_trace=False)(y, x), False),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*(torch.jit|Converting a tensor to a Python boolean)")
@pytest.mark.parametrize("way", WAYS)
def test_blocks_are_only_for_tensors_of_which_nothing_takes_a_derivative(way: str, answers: list[bool]) -> None:
    x, y = (torch.from_numpy(np.random.default_rng(k).normal(size=1003).astype(np.float32)) for k in (1, 2))
    f = lw.trace(program, lw.asarray(x), lw.asarray(y)).function
    f.__module__ = "traced"
    call, expected = WAYS[way]
    torch._dynamo.reset()
    found, by_hand = (flat(call(g, x.clone(), y.clone())) for g in (f, plain))
    if way == "compiled, first":  # the compiler has rules of its own for derivatives
        torch.testing.assert_close(found, by_hand)
    else:
        assert [bits(z) for z in found] == [bits(z) for z in by_hand]
    assert not answers if expected is None else (answers and {*answers} == {expected})


def flat(tree: Any) -> list[Any]:
    return [z for part in tree for z in flat(part)] if isinstance(tree, (tuple, list)) else [tree]


def test_a_parameter_that_a_program_holds_gets_its_derivative(answers: list[bool]) -> None:
    for shape in ((), (1003,)):
        w = torch.nn.Parameter(torch.ones(shape) * 0.7)
        x = torch.arange(1003.0)
        f = lw.trace(lambda x, w=w: lw.tanh(x * lw.asarray(w)) * 2 + x - 1, lw.asarray(x)).function
        for derived in (True, False, True):
            w.requires_grad_(derived)
            result, expected = f(x), torch.tanh(x * w) * 2 + x - 1
            assert bits(result) == bits(expected)
            assert result.requires_grad == derived
            if derived:
                assert bits(*torch.autograd.grad(result.sum(), w)) == bits(*torch.autograd.grad(expected.sum(), w))


def test_a_compiled_gradient_depends_on_what_requires_a_gradient_around_it() -> None:
    w, held = lw.asarray([0.5, -1.0]), lw.asarray(torch.tensor(2.0, requires_grad=True))

    def loss(w: Any, scale: Any = 1.0) -> Any:
        return lw.sum((w * held * scale) ** 3)

    for call in (lw.value_and_grad(loss), lw.compile(lw.value_and_grad(loss))):
        for scale in (lw.asarray(3.0), lw.asarray(torch.tensor(3.0, requires_grad=True))):
            value, slope = call(w, scale)
            by = [x.data for x in (held, scale) if x.data.requires_grad]
            found = torch.autograd.grad(value.data + slope.data.sum(), by)
            factor = held.data * scale.data
            plain = ((w.data * factor) ** 3).sum() + (3 * w.data**2 * factor**3).sum()
            torch.testing.assert_close(found, torch.autograd.grad(plain, by))
        held.data.requires_grad_(False)
        value, slope = call(w, lw.asarray(3.0))
        assert not value.data.requires_grad and not slope.data.requires_grad
        held.data.requires_grad_(True)


def test_a_gradient_lets_go_of_what_pytorch_saved() -> None:
    saved: list[Any] = []

    def loss(w: Any) -> Any:
        y = lw.exp(w)
        saved.append(y.data)
        return lw.sum(y)

    lw.value_and_grad(loss)(lw.asarray([0.5, -1.0]))
    with pytest.raises(RuntimeError, match="a second time|already been freed"):
        torch.autograd.grad(saved[0].sum(), saved[0].grad_fn.next_functions[0][0].variable)


def test_a_tensor_that_ends_in_a_block_is_freed(answers: list[bool]) -> None:
    def program(x: Any) -> Any:
        y = lw.sum(x, axis=0) * 2
        z = lw.sqrt(lw.abs(y * 3) + 1) - 2
        return lw.sum(z)

    source = lw.trace(program, lw.ones((2, 200))).source
    assert source.count("del") >= 2
    assert bits(lw.trace(program, lw.ones((2, 200)))(lw.ones((2, 200)))) == bits(program(lw.ones((2, 200))))
