"""Names that packages use and PyTorch's pages do not list, and `torch.testing`, beside PyTorch's own."""

import importlib
import math
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours

theirs = pytest.importorskip("torch")


def module(torch: ModuleType, name: str) -> Any:
    return importlib.import_module(f"{torch.__name__}.{name}")


def plain(x: Any) -> Any:
    """A result as lists and numbers, with the dtypes of tensors; of an error, its class."""
    if isinstance(x, (ours.Tensor, theirs.Tensor)):
        return [str(x.dtype), np.array(x.tolist()).round(5).tolist()]
    return type(x)(map(plain, x)) if isinstance(x, (list, tuple)) else x


def outcome(call: Callable[[Any], Any], torch: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(call(torch))
        except Exception as error:
            return type(error).__name__, str(error).split("\n\n")[0] if "differ" in str(error) else ""


def lists(torch: Any) -> tuple[list[Any], list[Any]]:
    return [torch.tensor([1.0, -2.0]), torch.tensor(3.0)], [torch.tensor([4.0, 5.0]), torch.tensor(-6.0)]


#: Calls of `_foreach_` functions: name, operands after the first list, and options. `b` is another list.
FOREACH = [
    *[(name, (), {}) for name in ("abs", "neg", "exp", "reciprocal", "sign", "sigmoid", "zero_", "max", "norm")],
    *[(name, ("b",), {}) for name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow", "clamp_min", "copy_")],
    *[(name, (2.0,), {}) for name in ("add", "mul", "div", "maximum", "minimum", "pow", "clamp_max")],
    *[(name, ([2.0, 3.0],), {}) for name in ("add", "sub", "mul", "minimum")],
    ("add", ("b",), {"alpha": 2}), ("sub", ("b",), {"alpha": 0.5}), ("lerp", ("b", 0.25), {}), ("lerp", ("b", "b"), {}),
    ("addcmul", ("b", "b"), {"value": 2}), ("addcdiv", ("b", "b", [2.0, 3.0]), {}), ("addcmul", ("b", "b"), {}),
    ("norm", (1,), {}), ("add", ([1.0],), {}),
]  # fmt: skip


def in_lists(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Callable[[Any], Any]:
    """A call with lists of tensors; it returns the list that may have been written to, too."""

    def call(torch: Any) -> Any:
        a, b = lists(torch)
        found = getattr(torch, f"_foreach_{name}")(a, *[b if x == "b" else x for x in operands], **options)
        return [found, a]

    return call


def test_a_function_of_lists_is_pytorchs(backend: str) -> None:
    for name, operands, options in FOREACH:
        for word in (name, f"{name}_") if name[-1] != "_" and name not in ("max", "norm") else (name,):
            call = in_lists(word, operands, options)
            assert outcome(call, ours) == outcome(call, theirs), (word, operands)


def written(t: Any, value: Any, dtype: str) -> Any:
    """A scalar of NumPy's in a tensor, by a key, by a mask and by a method."""
    x = t.zeros(5, dtype=getattr(t, dtype))
    x[0], x[..., 1] = value, value
    x[t.arange(5) == 2] = value
    x[3:].fill_(value)
    return x


def variance_of_a_derived_class(t: Any) -> Any:
    wide = type("Wide", (t.distributions.MultivariateNormal,), {"event_shape": property(lambda _: (1, 2))})
    d = wide(t.zeros(2), t.eye(2), validate_args=False)
    return [d.variance, d.entropy(), d.log_prob(t.ones(2))]


def factors(t: Any, shape: tuple[int, ...]) -> Any:
    """A matrix from its factors, and what is not asked for."""
    x = t.sin(t.arange(24.0, dtype=t.float64) ** 2)[: math.prod(shape)].reshape(shape)
    exchanges, lower, upper = t.lu_unpack(*x.lu())
    return [
        exchanges,
        lower,
        upper,
        exchanges @ lower @ upper,
        t.lu(x, get_infos=True)[2],
        t.lu_unpack(*t.lu(x), unpack_data=False).L,
    ]


#: Calls that answer alike, or raise errors of one class.
CALLS: list[Callable[[Any], Any]] = [
    lambda t: written(t, np.float64(1.5), "float32"),
    lambda t: written(t, np.float64(1.5), "int64"),
    lambda t: written(t, np.int32(2), "float64"),
    lambda t: written(t, np.int64(2), "bool"),
    lambda t: written(t, np.float32(2), "float32"),
    lambda t: factors(t, (3, 3)),
    lambda t: factors(t, (2, 3, 4)),
    lambda t: factors(t, (4, 2)),
    variance_of_a_derived_class,
    lambda t: t.tensor([0.0, 2.0]).to_sparse().coalesce()._values(),
    lambda t: t._foreach_add([], 1),
    lambda t: t._foreach_pow(2.0, lists(t)[0]),
    lambda t: t._assert(True, "x"),
    lambda t: t._assert(False, "x"),
    lambda t: t._assert_async(t.tensor(1)),
    lambda t: t._assert_async(t.tensor(0), "x"),
    lambda t: t._check(False, lambda: "x"),
    lambda t: t._check_value(False),
    lambda t: t._check(1),
    lambda t: t._shape_as_tensor(t.ones(2, 3)),
    lambda t: t._cast_Long(t.tensor([1.5, -1.5])),
    lambda t: module(t, "distributions.utils")._sum_rightmost(t.ones(2, 3, 4), 2),
    lambda t: module(t, "distributions.utils")._standard_normal((2, 3), t.float64, "cpu").shape,
    lambda t: isinstance(t.distributions.ExpTransform().inv, module(t, "distributions.transforms")._InverseTransform),
    lambda t: [(t._standard_gamma(t.ones(5).double()) > 0).all(), t._standard_gamma(t.ones(5).double()).dtype.itemsize],
    lambda t: [module(t, "nn.modules.utils")._pair(x) for x in (2, (3, 4), [5, 6])],
    lambda t: module(t, "nn.modules.module")._IncompatibleKeys(["a"], []).missing_keys,
    lambda t: module(t, "nn.modules.transformer")._get_activation_fn("relu")(t.tensor([-1.0, 2.0])),
    lambda t: module(t, "nn.modules.transformer")._get_activation_fn("elu"),
    lambda t: t.nn.init._no_grad_fill_(t.nn.Parameter(t.ones(2)), 3.0).requires_grad,
    lambda t: t.nn.init._no_grad_uniform_(t.zeros(3), 1.0, 2.0).min() >= 1,
    lambda t: isinstance(t.ones(1), t.cuda.FloatTensor),
    lambda t: [t.cuda.LongTensor.dtype == t.int64, repr(t.cuda.LongTensor)],
    lambda t: module(t, "optim.optimizer")._default_to_fused_or_foreach([t.ones(2)], False),
    lambda t: "cuda" in module(t, "optim.optimizer")._get_capturable_supported_devices(),
]


def reparametrized(t: Any) -> Any:
    m = t.nn.Linear(1, 1)
    before, weight = m.weight, t.tensor([[3.0]])
    with module(t, "nn.utils.stateless")._reparametrize_module(m, {"weight": weight}):
        inside = m.weight is weight
    return [inside, m.weight is before]


def a_step_that_may_be_recorded(t: Any) -> Any:
    class Descent(t.optim.Optimizer):
        def __init__(self, parameters: Any, differentiable: bool) -> None:
            super().__init__(parameters, {"differentiable": differentiable})

        @module(t, "optim.optimizer")._use_grad_for_differentiable
        def step(self) -> Any:
            return t.is_grad_enabled()

    return [Descent([t.nn.Parameter(t.ones(1))], recorded).step() for recorded in (False, True)]


def test_a_helper_is_pytorchs(backend: str) -> None:
    for call in [*CALLS, reparametrized, a_step_that_may_be_recorded]:
        assert outcome(call, ours) == outcome(call, theirs)


def close(*values: Any, **options: Any) -> Callable[[Any], Any]:
    """A comparison of values that contain lists of numbers, which become tensors where a list begins with one."""

    def tensors(torch: Any, x: Any) -> Any:
        if isinstance(x, tuple):
            return torch.tensor(x[0], dtype=getattr(torch, x[1])) if len(x) == 2 and isinstance(x[1], str) else x
        if isinstance(x, dict):
            return {key: tensors(torch, y) for key, y in x.items()}
        return [tensors(torch, y) for y in x] if isinstance(x, list) else x

    return lambda torch: torch.testing.assert_close(*[tensors(torch, x) for x in values], **options)


ONES, TWOS = ([1.0, 1.0], "float32"), ([1.0, 2.0], "float32")
CLOSE = [
    close(ONES, ONES), close(ONES, TWOS), close(ONES, TWOS, rtol=0.5, atol=0.0), close(ONES, ONES, rtol=1.0),
    close(ONES, ([1.0, 1.0], "float64")), close(ONES, ([1.0, 1.0], "float64"), check_dtype=False),
    close(ONES, (1.0, "float32")), close(([1.0], "float32"), ([1.0 + 1e-6], "float32")),
    close(([1], "int64"), ([2], "int64")), close((float("nan"), "float32"), (float("nan"), "float32")),
    close((float("nan"), "float32"), (float("nan"), "float32"), equal_nan=True),
    close((2.0, "float32"), (1.0, "float32")),
    close(1.0, 1.0 + 1e-9), close(1.0, 2.0), close(1, 2), close(1, 1.0), close(1, 1.0, check_dtype=False),
    close(True, True), close(True, False), close(None, None), close(None, ONES), close("a", "a"), close(ONES, 1.0),
    close([ONES, 1], [ONES, 1]), close([ONES], [TWOS]), close([ONES], [ONES, ONES]), close({"a": 1}, {"b": 1}),
    close({"a": [ONES]}, {"a": [TWOS]}, msg="these differ"), close(ONES, TWOS, msg=lambda text: f"differ: {text[:10]}"),
    close(np.ones(2), np.ones(2)), close(np.ones(2), np.zeros(2)), close(([True], "bool"), ([False], "bool")),
    lambda t: t.testing.assert_allclose(t.ones(2), [1.0, 1.00005]),
    lambda t: t.testing.assert_allclose(t.ones(2), [1.0, 2.0]),
]  # fmt: skip


def test_values_are_close_where_they_are_in_pytorch(backend: str) -> None:
    for compare in CLOSE:
        assert outcome(compare, ours) == outcome(compare, theirs)


def test_the_message_says_where_values_differ(backend: str) -> None:
    for torch in (theirs, ours):
        with pytest.raises(AssertionError) as error:
            torch.testing.assert_close({"a": [torch.ones(2, 2)]}, {"a": [torch.tensor([[1.0, 1.0], [4.0, 1.0]])]})
        text = str(error.value)
        assert "Mismatched elements: 1 / 4 (25.0%)" in text
        assert "absolute difference: 3.0 at index (1, 0) (up to 1e-05 allowed)" in text
        assert "relative difference: 0.75 at index (1, 0)" in text
        assert "item ['a'][0]" in text
