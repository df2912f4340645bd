"""Autograd in PyTorch's dialect: programs with recorded gradients answer as PyTorch itself does, on every backend."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as ours
from latticework.errors import BackendError

theirs = pytest.importorskip("torch")

Program = Callable[[Any], Any]


def numbers(found: Any) -> Any:
    """The results of a program as NumPy's arrays, in the lists that it has them in."""
    if isinstance(found, (list, tuple)):
        return [numbers(x) for x in found]
    return found.detach().numpy() if hasattr(found, "detach") else found


def outcome(program: Program, torch: Any) -> Any:
    """What a program returns; the class and the beginning of its error where it ends with one."""
    try:
        return numbers(program(torch))
    except (RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__


def same(program: Program) -> None:
    """Check that a program gives the same on both."""
    expected, found = outcome(program, theirs), outcome(program, ours)

    def compare(a: Any, b: Any) -> None:
        if isinstance(a, list):
            assert len(a) == len(b)
            for x, y in zip(a, b, strict=True):
                compare(x, y)
        elif isinstance(a, np.ndarray):
            assert isinstance(b, np.ndarray) and a.dtype == b.dtype, (a, b)
            np.testing.assert_allclose(b, a, rtol=2e-5, atol=1e-6)
        else:
            assert a == b, (a, b)

    compare(expected, found)


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor([*values], requires_grad=True)


# --- programs ---------------------------------------------------------------------------------------------------------


def gradients_add_up(torch: Any) -> Any:
    w, b = (torch.arange(6.0) / 8).reshape(2, 3).requires_grad_(), torch.zeros(2, requires_grad=True)
    for _ in range(2):
        torch.nn.functional.linear(torch.ones(4, 3), w, b).tanh().sum().backward()
    return [w.grad, b.grad, w.grad is w.grad, w.is_leaf]


def a_leaf_learns(torch: Any) -> Any:
    w = leaf(torch, 1.0, 2.0)
    for _ in range(3):
        (w**2).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.add_(w.grad, alpha=-0.1)
        w.grad.zero_()
    return [w, w.grad, w.is_leaf, w.requires_grad]


def a_leaf_learns_by_its_data(torch: Any) -> Any:
    w = leaf(torch, 1.0, 2.0)
    (w**3).sum().backward()
    w.data -= 0.1 * w.grad.data
    w.data.mul_(2.0)
    w.detach().add_(1.0)
    (w**3).sum().backward()
    w.data = torch.ones(2) * 5
    return [w, w.grad, w.is_leaf]


def derivatives_of_derivatives(torch: Any) -> Any:
    x = leaf(torch, 1.0, 2.0)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad((g**2).sum(), x, create_graph=True)
    gg.sum().backward()
    return [g, gg, x.grad, g.requires_grad]


def hooks_are_called(torch: Any) -> Any:
    seen: list[Any] = []
    w = leaf(torch, 1.0, 2.0)
    y = w * 3
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.clone()))
    handle = y.register_hook(lambda g: g * 2)
    w.register_hook(lambda g: g + 1)
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    (y**2).sum().backward(retain_graph=True)
    handle.remove()
    (y**2).sum().backward()
    return [seen, y.grad, w.grad]


def inputs_alone_get_gradients(torch: Any) -> Any:
    a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    c = a * b
    (c**2).sum().backward(inputs=[a, c], retain_graph=True)
    (c * a).backward(torch.tensor([1.0, 2.0]))
    return [a.grad, b.grad, c.grad if c.retains_grad else None]


def inputs_that_depend_on_each_other(torch: Any) -> Any:
    a = leaf(torch, 1.0, 2.0)
    b = a.exp()
    return torch.autograd.grad((b * a).sum(), [a, b])


def a_tensor_twice(torch: Any) -> Any:
    x = leaf(torch, 1.0, 2.0)
    y = x + x
    y.sum().backward()
    z = leaf(torch, 1.0, 2.0)
    s = x.grad.clone()
    (x + z).sum().backward()
    x.grad.zero_()
    return [s, x.grad, z.grad]


def nothing_is_recorded(torch: Any) -> Any:
    x = leaf(torch, 1.0)
    found = [(x * 2).requires_grad, torch.is_grad_enabled()]
    with torch.no_grad():
        found += [(x * 2).requires_grad, torch.is_grad_enabled()]
        with torch.enable_grad():
            found += [(x * 2).requires_grad]
    with torch.set_grad_enabled(False):
        found += [(x * 2).requires_grad]
    torch.set_grad_enabled(False)
    found += [(x * 2).requires_grad]
    torch.set_grad_enabled(True)
    with torch.inference_mode():
        found += [torch.is_inference_mode_enabled(), torch.is_grad_enabled()]

    @torch.no_grad()
    def f(x: Any) -> Any:
        return x * 2

    @torch.no_grad
    def steps(x: Any) -> Any:
        yield (x * 2).requires_grad
        yield (x * 2).requires_grad

    return [
        *found,
        f(x).requires_grad,
        *[v for s in steps(x) for v in (s, torch.is_grad_enabled())],
        x.detach().requires_grad,
    ]


def writes_are_recorded(torch: Any) -> Any:
    w, buffer = leaf(torch, 1.0, 2.0, 3.0), torch.zeros(2, 3)
    buffer[0] = w * 2
    buffer += w
    buffer[1, 0] = 0.0
    found = torch.autograd.grad((buffer**2).sum(), w)
    total = torch.zeros(3)
    total += w
    total.mul_(w)
    total[w.detach() > 1] *= 2
    return [buffer, *found, *torch.autograd.grad(total.sum(), w)]


def indexes_and_joins(torch: Any) -> Any:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = torch.cat([x[0], x[:, 1], x.t().reshape(-1)[[0, 0, 5]]])
    z = torch.stack([y, y.flip(0)]).gather(1, torch.tensor([[0, 3], [1, 1]]))
    (z * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return [x.grad]


def a_network(torch: Any) -> Any:
    F = torch.nn.functional
    x = torch.linspace(-1, 1, 32).reshape(2, 1, 4, 4)
    k, w = (
        (0.1 * torch.arange(18.0)).reshape(2, 1, 3, 3).requires_grad_(),
        torch.sin(torch.arange(32.0)).reshape(4, 8).requires_grad_(),
    )
    h = F.max_pool2d(F.relu(F.conv2d(x, k, padding=1)), 2).flatten(1)
    loss = F.cross_entropy(F.layer_norm(h @ w.t(), (4,)), torch.tensor([1, 3]))
    loss.backward()
    return [loss, k.grad, w.grad]


def complex_numbers(torch: Any) -> Any:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    return [z.grad]


def parts_of_a_gradient(torch: Any) -> Any:
    x = leaf(torch, 1.0, 2.0)
    y = x * torch.tensor([3.0, 4.0])
    rows = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True, retain_graph=True)
    unused = leaf(torch, 1.0)
    return [
        *rows, *torch.autograd.grad(y.sum(), [x, unused], allow_unused=True, retain_graph=True),
        *torch.autograd.grad(y.sum(), [unused], materialize_grads=True),
    ]  # fmt: skip


class _Of:
    """Functions with derivatives of their own, in each library."""

    def __init__(self, torch: Any) -> None:
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any, k: float) -> Any:
                y = x**3
                ctx.save_for_backward(x, y)
                ctx.k = k
                return y * k

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                x, _ = ctx.saved_tensors
                return 3 * x**2 * g * ctx.k, None

        class Both(torch.autograd.Function):
            @staticmethod
            def forward(x: Any, y: Any) -> Any:
                return x * y, (x + y).argmax()

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs, output[0])
                ctx.mark_non_differentiable(output[1])

            @staticmethod
            def backward(ctx: Any, g: Any, _: Any) -> Any:
                x, y, _ = ctx.saved_tensors
                return g * y if ctx.needs_input_grad[0] else None, g * x

        self.cube, self.both = Cube.apply, Both.apply


def functions_with_derivatives_of_their_own(torch: Any) -> Any:
    of = _Of(torch)
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    (g,) = torch.autograd.grad(of.cube(x, 2.0).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    p, q = of.both(x.detach(), y)
    (p * p).sum().backward()
    return [g, gg, p, q, q.requires_grad, y.grad, of.cube(x.detach(), 1.0).requires_grad]


def derivatives_of_functions(torch: Any) -> Any:
    f, x = torch.autograd.functional, torch.tensor([1.0, 2.0])
    y = torch.tensor([3.0, 4.0])
    return [
        f.jacobian(lambda x: x**2 * x.sum(), x),
        f.jacobian(lambda x, y: (x * y, y.sum()), (x, y)),
        f.hessian(lambda x: (x**3).sum() + x.prod(), x),
        f.hessian(lambda x, y: (x**2 * y).sum(), (x, y)),
        f.vjp(lambda x: x**2, x, y), f.jvp(lambda x: x**2, x, y),
        f.vhp(lambda x: (x**3).sum(), x, y), f.hvp(lambda x: (x**3).sum(), x, y),
    ]  # fmt: skip


def derivatives_are_checked(torch: Any) -> Any:
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    of = _Of(torch)
    wrong = lambda x: of.cube(x, 1.0) + 0 * x.detach() ** 2 + x.detach()  # noqa: E731
    check = torch.autograd.gradcheck
    return [
        check(lambda x: x.exp() * x, (x,)), torch.autograd.gradgradcheck(lambda x: x.exp() * x, (x,)),
        check(of.cube, (x, 2.0)), check(wrong, (x,), raise_exception=False),
    ]  # fmt: skip


def a_gradient_is_summed_to_its_argument(torch: Any) -> Any:
    class Times(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: Any) -> Any:
            y = x * k
            ctx.save_for_backward(x, k, y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, k, y = ctx.saved_tensors
            by_x = (g * k).clone()
            by_x[y == 6] = 0  # y is recorded and by_x is not
            return by_x, g * x

    x, k = leaf(torch, 1.0, 2.0), torch.tensor([[3.0]], requires_grad=True)
    Times.apply(x, k).sum().backward()
    return [x.grad, k.grad]


def functions_in_transformations_have_their_rules(torch: Any) -> Any:
    class Own(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any, k: float) -> Any:
            return x * x * k, x + 1

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output[1])
            ctx.save_for_forward(inputs[0])
            ctx.mark_non_differentiable(output[1])
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            (y,) = ctx.saved_tensors
            return 3 * g * (y - 1) * ctx.k, None

        @staticmethod
        def jvp(ctx: Any, t: Any, _: None) -> Any:
            return 5 * t * ctx.saved_for_forward[0], None

    x, f, own = torch.tensor([1.0, 2.0]), torch.func, lambda x: Own.apply(x, 2.0)[0]
    total = lambda x: own(x).sum()  # noqa: E731
    found = [f.grad(total)(x), f.vmap(f.grad(total))(x), f.jvp(own, (x,), (x,))[1], f.vmap(own)(x)]
    return [*found, f.jacfwd(own)(x), f.grad(lambda y: (f.grad(total)(y) * y).sum())(x), found[0].requires_grad]


def keys_are_computed_from_recorded_tensors(torch: Any) -> Any:
    x, y = leaf(torch, 2.0, -1.0, 3.0), torch.zeros(2, 3)
    y[0, x > 0] = 1.0
    y[1][x.argsort()] = torch.tensor([4.0, 5.0, 6.0])
    z = torch.zeros(3).index_put_((x > 0,), torch.tensor(7.0))
    z[x < 0] += 2
    return [y, z, y.requires_grad]


def variables(torch: Any) -> Any:
    V, x = torch.autograd.Variable, torch.tensor([1.0, 2.0])
    y = V(x, requires_grad=True)
    (y * y).sum().backward()
    return [y.grad, V(y).requires_grad, isinstance(x, V), isinstance(1.0, V), x.requires_grad]


PROGRAMS = [
    a_gradient_is_summed_to_its_argument, functions_in_transformations_have_their_rules,
    keys_are_computed_from_recorded_tensors, variables,
    gradients_add_up, a_leaf_learns, a_leaf_learns_by_its_data, derivatives_of_derivatives, hooks_are_called,
    inputs_alone_get_gradients, inputs_that_depend_on_each_other, a_tensor_twice, nothing_is_recorded,
    writes_are_recorded, indexes_and_joins, a_network, complex_numbers, parts_of_a_gradient,
    functions_with_derivatives_of_their_own, derivatives_of_functions, derivatives_are_checked,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # PyTorch imports it for `jvp`
def test_a_program_answers_as_in_pytorch(program: Program, backend: str) -> None:
    if backend == "dask" and program is indexes_and_joins:
        pytest.skip("a list of positions that comes twice has no derivative in blocks of unknown extents")
    same(program)


# --- errors -----------------------------------------------------------------------------------------------------------


def without_a_graph(torch: Any) -> Any:
    (torch.ones(2) * 2).sum().backward()


def without_weights(torch: Any) -> Any:
    (leaf(torch, 1.0, 2.0) * 2).backward()


def weights_of_another_shape(torch: Any) -> Any:
    (leaf(torch, 1.0, 2.0) * 2).backward(torch.ones(3))


def a_second_time(torch: Any) -> Any:
    y = (leaf(torch, 1.0, 2.0) ** 2).sum()
    y.backward()
    y.backward()


def a_leaf_is_written_to(torch: Any) -> Any:
    w = leaf(torch, 1.0)
    w += 1


def a_result_is_written_to(torch: Any) -> Any:
    y = leaf(torch, 1.0, 2.0).exp()
    y.add_(1)
    y.sum().backward()


def an_operand_is_written_to(torch: Any) -> Any:
    w, x = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0) * 1
    y = w * x
    x.add_(1)
    y.sum().backward()


def a_leaf_is_written_to_too_early(torch: Any) -> Any:
    w = leaf(torch, 1.0, 2.0)
    y = w**2
    with torch.no_grad():
        w.add_(1)
    y.sum().backward()


def an_input_is_unused(torch: Any) -> Any:
    torch.autograd.grad(leaf(torch, 1.0).sum(), leaf(torch, 1.0))


def an_input_without_gradient(torch: Any) -> Any:
    torch.autograd.grad(leaf(torch, 1.0).sum(), torch.ones(1))


def integers(torch: Any) -> Any:
    torch.arange(3).requires_grad_()


def a_computed_tensor_changes(torch: Any) -> Any:
    (leaf(torch, 1.0) * 2).requires_grad_(False)


def to_numpy(torch: Any) -> Any:
    leaf(torch, 1.0).numpy()


def a_gradient_of_another_shape(torch: Any) -> Any:
    leaf(torch, 1.0).grad = torch.ones(2)


def a_copy_of_what_was_computed(torch: Any) -> Any:
    copy.deepcopy(leaf(torch, 1.0) * 2)


def a_hook_without_gradient(torch: Any) -> Any:
    torch.ones(1).register_hook(lambda g: g)


def a_gradient_that_is_too_small(torch: Any) -> None:
    class Total(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.sum()

    Total.apply(leaf(torch, 1.0, 2.0)).sum().backward()


ERRORS = {
    a_gradient_that_is_too_small: "returned an invalid gradient at index 0",
    without_a_graph: "does not require grad and does not have a grad_fn",
    without_weights: "grad can be implicitly created only for scalar outputs",
    weights_of_another_shape: "Mismatch in shape",
    a_second_time: "Trying to backward through the graph a second time",
    a_leaf_is_written_to: "a leaf Variable that requires grad is being used in an in-place operation",
    a_result_is_written_to: "has been modified by an inplace operation",
    an_operand_is_written_to: "has been modified by an inplace operation",
    a_leaf_is_written_to_too_early: "has been modified by an inplace operation",
    an_input_is_unused: "appears to not have been used in the graph",
    an_input_without_gradient: "does not require grad",
    integers: "only Tensors of floating point",
    a_computed_tensor_changes: "you can only change requires_grad flags of leaf variables",
    to_numpy: "Can't call numpy\\(\\) on Tensor that requires grad",
    a_gradient_of_another_shape: "assign",
    a_copy_of_what_was_computed: "Only Tensors created explicitly by the user",
    a_hook_without_gradient: "cannot register a hook on a tensor that doesn't require gradient",
}


@pytest.mark.parametrize("program", [*ERRORS])
def test_an_error_is_pytorchs(program: Program, backend: str) -> None:
    for torch in (theirs, ours):
        with pytest.raises(RuntimeError, match=ERRORS[program]):
            program(torch)


def subtracted(x: Any) -> None:
    x -= x.new_ones(2)


#: Writes into a tensor that has the memory of another one.
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "an operator": lambda torch, x: subtracted(x),
    "a method": lambda torch, x: x.sub_(x.new_ones(2)),
    "out": lambda torch, x: torch.sub(x, 1, out=x),
    "an element": lambda torch, x: x.__setitem__(0, 2.0),
    "a copy": lambda torch, x: x.copy_(torch.zeros(2)),
}


@pytest.mark.parametrize("way", WRITES)
def test_a_write_by_a_constant_with_the_memory_of_a_leaf_is_an_error(way: str, backend: str) -> None:
    for torch in (theirs, ours):
        p = leaf(torch, 1.0, 2.0)
        loss = (p * p).sum()
        WRITES[way](torch, p.detach())
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            loss.backward()


#: Functions in place that need for their derivative what they write over.
IN_PLACE: list[Program] = [
    lambda torch: lambda x: x.sin_(),
    lambda torch: lambda x: x.pow_(3),
    lambda torch: lambda x: x.clamp_(0.2, 0.6),
    lambda torch: lambda x: x.nan_to_num_(),
    lambda torch: lambda x: torch.nn.functional.leaky_relu(x, inplace=True),
    lambda torch: torch.nn.SELU(inplace=True),
    lambda torch: torch.nn.SiLU(inplace=True),
    lambda torch: torch.nn.ReLU6(inplace=True),
]


@pytest.mark.parametrize("f", IN_PLACE)
def test_a_function_in_place_keeps_for_its_derivative_what_it_writes_over(f: Program, backend: str) -> None:
    def program(torch: Any) -> Any:
        a = leaf(torch, 0.1, 0.35, 0.5, 0.9)
        x = a * 1
        y = f(torch)(x)
        (y * y.detach()).sum().backward()
        return [x is y, x, a.grad]

    same(program)


FUNC: list[Program] = [
    lambda torch: lambda f, x: torch.func.grad(lambda y: f(y).sum())(x[0]),
    lambda torch: lambda f, x: torch.func.vmap(torch.func.grad(lambda y: f(y).sum()))(x),
    lambda torch: lambda f, x: torch.func.vmap(torch.func.jacrev(f))(x),
    lambda torch: lambda f, x: torch.func.hessian(lambda y: f(y).sum())(x[0]),
    lambda torch: lambda f, x: torch.func.jvp(f, (x,), (x,))[1],
    lambda torch: lambda f, x: torch.func.vjp(f, x)[1](torch.ones(3, 2))[0],
]


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # PyTorch's own, at the first forward derivative
@pytest.mark.parametrize("transformed", FUNC)
def test_torch_func_takes_modules_whose_parameters_learn(transformed: Program, backend: str) -> None:
    def program(torch: Any) -> Any:
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
        with torch.no_grad():
            model[0].weight.copy_(torch.tensor([[0.5, -1.0], [0.3, 0.7]]))
            model[0].bias.zero_()
        found = transformed(torch)(model, torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.2, 0.1]]))
        found.square().sum().backward()
        return [found, model[0].weight.grad]

    same(program)


def test_a_quotient_may_be_written_to(backend: str) -> None:
    def program(torch: Any) -> Any:
        a, b = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
        x, y = a / 0.5, a / b
        x.mul_(2)
        y.add_(1)
        (x * y).sum().backward()
        return [a.grad, b.grad]

    same(program)


def test_after_an_error_no_gradient_has_changed(backend: str) -> None:
    a, b = leaf(ours, 1.0, 2.0), leaf(ours, 3.0, 4.0)
    y = a.exp()
    total = (y * 1).sum() + (b * 2).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="inplace operation"):
        total.backward()
    assert a.grad is None and (backend == "torch" or b.grad is None)


# --- what people see --------------------------------------------------------------------------------------------------


def test_the_text_says_what_requires_a_gradient(backend: str) -> None:
    x = leaf(ours, 1.0, 2.0)
    assert str(x) == "tensor([1., 2.], requires_grad=True)"
    assert str(x * 2) == "tensor([2., 4.], grad_fn=<MulBackward0>)"
    assert (x * 2).grad_fn.name() == "MulBackward0" and x.grad_fn is None
    assert (x * 2).grad_fn.next_functions[0][0].name().endswith("AccumulateGrad")


def test_copies_keep_what_they_are(backend: str) -> None:
    x = leaf(ours, 1.0, 2.0)
    (x**2).sum().backward()
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.requires_grad and y.is_leaf
        np.testing.assert_array_equal(y.detach().numpy(), [1.0, 2.0])
    y = copy.deepcopy(x)
    np.testing.assert_array_equal(y.grad.numpy(), [2.0, 4.0])
    y.grad.zero_()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


@pytest.mark.parametrize("make", ["tensor", "zeros", "rand", "full", "arange", "eye", "zeros_like", "normal"])
def test_a_tensor_that_is_made_may_require_a_gradient(make: str, backend: str) -> None:
    given: dict[str, tuple[Any, ...]] = {
        "tensor": ([1.0],), "full": ((2,), 1.0), "arange": (3.0,), "zeros_like": (ours.ones(2),),
        "normal": (0.0, 1.0, (2,)),
    }  # fmt: skip
    f, args = getattr(ours, make), given.get(make, (2,))
    for _ in range(3):
        assert f(*args, requires_grad=True).requires_grad and f(*args, requires_grad=True).is_leaf
        assert not f(*args).requires_grad


def test_memory_of_a_graph_is_freed_by_its_derivative() -> None:
    import gc
    import weakref

    import latticework as lw

    with lw.using(backend="numpy"):
        w = ours.ones(1000, requires_grad=True)
        y = (w * 2).exp()
        kept = weakref.ref(y._array._data.node.args[0].value)
        loss = y.sum()
        loss.backward()
        del y
        gc.collect()
        assert kept() is None and loss.requires_grad


@pytest.mark.backend
def test_what_is_computed_without_gradients_is_written_into_any_tensor(backend: str) -> None:
    p, x = leaf(ours, 1.0, 2.0), ours.ones(2)
    with ours.no_grad():
        x -= p * 2
        x.add_(p, alpha=3.0)
        x[0] = (p * 4)[1]
        x.sub_(ours.ones_like(p))
    assert x.tolist() == [7.0, 2.0] and not x.requires_grad


#: Expressions of `torch`, F and x, and points at which they have no one slope.
KINKS = {
    "x.clamp(min=0) + x.clamp_max(1)": [0.0, 1.0],
    "x.clamp(min=x.detach()) + x.clamp(0, 1)": [0.0, 1.0],
    "F.hardtanh(x) + F.relu6(x + 1)": [-1.0, 1.0, 5.0],
    "F.hardsigmoid(x) + F.hardswish(x)": [-3.0, 3.0],
    "torch.fmax(x, x.detach()) + torch.fmin(x, x.detach()) * 2": [1.0],
    "F.hinge_embedding_loss(x, x.detach() * 0 - 1)": [1.0],
    "F.margin_ranking_loss(x, x.detach(), x.detach() * 0 + 1)": [1.0],
    "x.mode().values + x.norm(1) + x.amax() + x.max(0).values": [1.0, 1.0],
    "x.median() + x.nanmedian()": [1.0, 1.0, 0.0, 5.0, 1.0, 2.0],
    "x[:4].median() + x.nanmedian()": [math.nan, 1.0, 2.0, math.nan, 1.0],
    "x.median() + x.median(0).values * 2": [-math.inf, -math.inf, -math.inf],
}


@pytest.mark.parametrize("text", KINKS)
def test_slopes_at_kinks_are_those_of_pytorch(backend: str, text: str) -> None:
    found = []
    for torch in (ours, theirs):
        x = torch.tensor(KINKS[text], requires_grad=True)
        eval(text, {"torch": torch, "F": torch.nn.functional, "x": x}).sum().backward()
        found.append(x.grad.tolist())
    assert found[0] == pytest.approx(found[1], nan_ok=True)


#: Expressions of `torch`, F, a tensor x and one y, whose numbers and whose gradients are PyTorch's; and the shapes.
SLOPES = {
    "torch.tensordot(x, y, ([0, 1], [2, 0]))": [(1, 1, 2), (2, 1, 2)],
    "torch.tensordot(x, y, 2)": [(3, 1, 2), (1, 2, 2)],
    "torch.linalg.tensorsolve(x, y, (0, 2))": [(2, 3, 6), (2, 3)],
    "torch.linalg.tensorsolve(x, y)": [(2, 3, 6), (3, 2)],
    "torch.linalg.lstsq(x, y, driver='gelsd').solution + torch.linalg.lstsq(x, y, driver='gelsd').singular_values[0]":
        [(2, 3), (2, 3)],
    "torch.linalg.pinv(x - x.detach() + torch.ones_like(x).cumsum(0).diag().diag(), hermitian=True) + y":
        [(3, 3), (3, 3)],
    "torch.diff(x, n=0, dim=0, append=y)": [(3, 2), (2, 2)],
    "F.pad(x, (-4, 5, 2, -1), 'replicate') * y": [(2, 3, 4), (1,)],
    "F.pad(x, (2, -2, -1, 1), 'reflect') * y": [(2, 3, 4), (1,)],
    "F.pad(x, (2, -2), 'circular') * y": [(2, 4), (1,)],
    "F.max_unpool1d(x, torch.tensor([[0, 3, 0]]), 2) * y": [(1, 3), (1,)],
    "F.embedding(torch.tensor([[0, 1], [1, 1]]), x, scale_grad_by_freq=True) * y": [(3, 2), (2,)],
    "F.embedding_bag(torch.tensor([[0, 1], [1, 1]]), x, scale_grad_by_freq=True, mode='sum', per_sample_weights=y)":
        [(3, 2), (2, 2)],
    "F.ctc_loss(x, torch.tensor([[1, 2], [2, 0]]), torch.tensor([4, 3]), torch.tensor([2, 1])) * y": [(4, 2, 3), (1,)],
    "(lambda U, S, V: U * S @ V.mT + S.sum())(*torch.pca_lowrank(x)) * y": [(4, 2), (1,)],
    "(lambda U, S, V: U * S @ V.mH + S.sum())(*torch.svd_lowrank(x, 2, M=y))": [(2, 2, 3), (2, 3)],
    "torch.clamp_max(x, y)": [(3, 1), (2,)],
    "torch.clamp_min(x, y)": [(3, 1), (2,)],
    "torch.trapezoid(x, y)": [(2, 3), (1, 3)],
    "F.multi_margin_loss(x, torch.tensor(0)) * y": [(), ()],
    "F.multilabel_margin_loss(x, torch.tensor(0)) * y": [(), ()],
    "torch.cdist(x, y) + torch.linalg.matrix_power(x[:, :, :2] @ x[:, :, :2].mT, 2)": [(1, 2, 3), (1, 2, 3)],
}  # fmt: skip


@pytest.mark.parametrize("text", SLOPES)
def test_gradients_are_those_of_pytorch(backend: str, text: str) -> None:
    rng = np.random.default_rng(3)
    given = [np.asarray(rng.normal(size=shape)) for shape in SLOPES[text]]
    found = []
    for torch in (theirs, ours):
        x, y = (torch.from_numpy(a.copy()).requires_grad_() for a in given)
        made = eval(text, {"torch": torch, "F": torch.nn.functional, "x": x, "y": y})
        weights = torch.from_numpy(np.asarray(np.cos(np.arange(made.numel())).reshape(tuple(made.shape)) + 1.5))
        slopes = torch.autograd.grad((made * weights).sum(), [x, y], allow_unused=True)
        zeros = [0 * a for a in given]
        found.append(
            [made.detach().numpy(), *[z if s is None else s.numpy() for s, z in zip(slopes, zeros, strict=True)]]
        )
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, 1e-6, 1e-8)


def test_a_number_that_is_a_tensor_has_its_gradient(backend: str) -> None:
    value = ours.tensor(2.0, requires_grad=True)
    ours.zeros(3).index_fill(0, ours.tensor([0, 2]), value).sum().backward()
    assert value.grad.item() == 2


def test_a_trace_that_meets_a_recorded_tensor_says_what_to_do(backend: str) -> None:
    layer = ours.nn.Linear(2, 3)
    x = ours.ones(1, 2)
    if backend != "torch":  # which records by itself
        with pytest.raises(BackendError, match=r"x.detach\(\).*requires_grad_\(False\).*lw.transpile\(module"):
            lw.infer(layer, x)
    layer.requires_grad_(False)
    assert lw.infer(layer, x).shape == (1, 3)


def test_gradients_that_are_alike_are_written_to_apart(backend: str) -> None:
    for _ in range(6):  # the first calls run the rules, and later ones a program of them
        a, b = ours.ones(3).requires_grad_(), ours.ones(3).requires_grad_()
        weight = ours.tensor([1.0, 2.0, 3.0])
        (a + b).backward(weight)
        a.grad.mul_(3.0)
        assert a.grad.tolist() == [3, 6, 9]
        assert b.grad.tolist() == weight.tolist() == [1, 2, 3]


@pytest.mark.parametrize("block", ["no_grad()", "enable_grad()", "set_grad_enabled(True)", "inference_mode()"])
def test_a_block_leaves_pytorch_s_own_mode_as_it_was(block: str) -> None:
    native = pytest.importorskip("torch")
    with native.no_grad():
        with eval(f"ours.{block}", {"ours": ours}):
            pass
        assert not native.is_grad_enabled()
    assert native.is_grad_enabled()
