"""`torch.amp` in PyTorch's dialect: functions cast in a block of autocast as PyTorch's do, and losses are scaled."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours
from latticework.frontends.torch.amp import casting

theirs = pytest.importorskip("torch")


@pytest.fixture(scope="module", autouse=True)
def functions_as_before() -> Iterator[None]:
    yield
    casting.restore()


def x(torch: Any, *shape: int, dtype: str = "float32") -> Any:
    values = np.linspace(0.1, 0.9, int(np.prod(shape)), dtype="float32").reshape(shape)
    return torch.tensor(values).to(getattr(torch, dtype))


#: Calls, with the dtype of their tensors as the last argument.
CALLS: dict[str, Callable[[Any, str], Any]] = {
    "matmul": lambda t, d: t.matmul(x(t, 2, 2, dtype=d), x(t, 2, 2)),
    "@": lambda t, d: x(t, 2, 2, dtype=d) @ x(t, 2, 2),
    "Tensor.mm": lambda t, d: x(t, 2, 2, dtype=d).mm(x(t, 2, 2)),
    "bmm": lambda t, d: t.bmm(x(t, 1, 2, 2, dtype=d), x(t, 1, 2, 2)),
    "addmm": lambda t, d: t.addmm(x(t, 2), x(t, 2, 2, dtype=d), x(t, 2, 2)),
    "einsum": lambda t, d: t.einsum("ij,jk->ik", x(t, 2, 2, dtype=d), x(t, 2, 2)),
    "tensordot": lambda t, d: t.tensordot(x(t, 2, 2, dtype=d), x(t, 2, 2, dtype=d), 1),
    "multi_dot": lambda t, d: t.linalg.multi_dot([x(t, 2, 2, dtype=d)] * 3),
    "linear": lambda t, d: t.nn.functional.linear(x(t, 2, 3, dtype=d), x(t, 4, 3), x(t, 4)),
    "conv1d": lambda t, d: t.nn.functional.conv1d(x(t, 1, 2, 4, dtype=d), x(t, 2, 2, 2), x(t, 2)),
    "attention": lambda t, d: t.nn.functional.scaled_dot_product_attention(*[x(t, 1, 2, 2, dtype=d)] * 3),
    "mse_loss": lambda t, d: t.nn.functional.mse_loss(x(t, 2, dtype=d), x(t, 2, dtype=d)),
    "l1_loss": lambda t, d: t.nn.functional.l1_loss(x(t, 2, dtype=d), x(t, 2, dtype=d)),
    "cross_entropy": lambda t, d: t.nn.functional.cross_entropy(x(t, 1, 3, dtype=d), t.tensor([1])),
    "nll_loss": lambda t, d: t.nn.functional.nll_loss(x(t, 1, 3, dtype=d), t.tensor([1])),
    "bce": lambda t, d: t.nn.functional.binary_cross_entropy(x(t, 2, dtype=d), x(t, 2, dtype=d)),
    "kl_div": lambda t, d: t.nn.functional.kl_div(x(t, 2, dtype=d), x(t, 2, dtype=d), reduction="sum"),
    "prod": lambda t, d: t.prod(x(t, 2, dtype=d)),
    "Tensor.prod": lambda t, d: x(t, 2, dtype=d).prod(),
    "trace": lambda t, d: t.trace(x(t, 2, 2, dtype=d)),
    "cdist": lambda t, d: t.cdist(x(t, 2, 2, dtype=d), x(t, 2, 2, dtype=d)),
    "avg_pool3d": lambda t, d: t.nn.functional.avg_pool3d(x(t, 1, 2, 2, 2, dtype=d), 2),
    "add": lambda t, d: x(t, 2, dtype=d) + x(t, 2, dtype=d),
    "relu": lambda t, d: t.relu(x(t, 2, dtype=d)),
    "softmax": lambda t, d: t.softmax(x(t, 2, dtype=d), 0),
    "exp": lambda t, d: t.exp(x(t, 2, dtype=d)),
    "sum": lambda t, d: t.sum(x(t, 2, dtype=d)),
    "layer_norm": lambda t, d: t.nn.functional.layer_norm(x(t, 2, 2, dtype=d), (2,)),
    "cat": lambda t, d: t.cat([x(t, 2, dtype=d), x(t, 2)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_cast_as_pytorch_s(name: str) -> None:
    call = CALLS[name]
    for dtype in ("float32", "bfloat16"):
        found = []
        for torch in (theirs, ours):
            with torch.autocast("cpu"):
                y = call(torch, dtype)
            found.append((str(y.dtype), y.float().numpy()))
        assert found[0][0] == found[1][0], dtype
        np.testing.assert_allclose(found[1][1], found[0][1], rtol=2e-2, atol=2e-2)


def test_float64_stays() -> None:
    a = x(ours, 2, 2, dtype="float64")
    with ours.autocast("cpu", ours.float16):
        assert (a @ a).dtype is ours.float64
        assert ours.prod(a).dtype is ours.float64


@pytest.mark.backend
def test_a_model_is_trained_in_a_block_on_every_backend(backend: str) -> None:
    a, w = x(ours, 2, 2), x(ours, 2, 2).requires_grad_()
    with ours.autocast("cpu"):
        y = a @ w
        loss = ours.nn.functional.mse_loss(y, a)
    assert (y.dtype, loss.dtype) == (ours.bfloat16, ours.float32)
    loss.backward()
    assert w.grad.dtype is ours.float32
    assert (a @ w).dtype is ours.float32


def test_blocks_nest_and_decorate_functions() -> None:
    def program(torch: Any) -> list[str]:
        a = x(torch, 2, 2)
        seen = []

        @torch.autocast("cpu", dtype=torch.float16)
        def product() -> Any:
            return a @ a

        with torch.autocast("cpu"):
            seen.append((a @ a).dtype)
            with torch.autocast("cpu", enabled=False):
                seen += [(a @ a).dtype, torch.is_autocast_enabled("cpu")]
            seen += [product().dtype, (a @ a).dtype, torch.get_autocast_dtype("cpu")]
        seen += [(a @ a).dtype, torch.is_autocast_enabled("cpu"), torch.amp.is_autocast_available("cpu")]
        with pytest.warns(UserWarning, match="not supported"), torch.autocast("cpu", dtype=torch.float32):
            seen.append(torch.is_autocast_enabled("cpu"))
        for wrong, error in ((1, ValueError), ("tpu", RuntimeError)):
            with pytest.raises(error):
                torch.autocast(wrong)
        return [str(v) for v in seen]

    assert program(theirs) == program(ours)


def test_a_function_imported_before_casts_too() -> None:
    names: dict[str, Any] = {}
    exec("from latticework.frontends.torch.nn.functional import linear", names)
    with ours.autocast("cpu"):
        assert names["linear"](x(ours, 2, 3), x(ours, 4, 3)).dtype is ours.bfloat16


def test_blocks_for_gpus_change_nothing_without_one() -> None:
    if ours.cuda.is_available():
        pytest.skip("there is a GPU")
    from latticework.frontends.torch.cuda.amp import GradScaler, autocast

    a = x(ours, 2, 2)
    with pytest.warns(UserWarning, match="CUDA is not available"), autocast():
        assert (a @ a).dtype is ours.float32
    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaler = GradScaler()
    assert scaler.scale(a) is a and scaler.get_scale() == 1.0 and scaler.state_dict() == {}


# --- GradScaler -------------------------------------------------------------------------------------------------------


def scaled(torch: Any) -> Any:
    p = torch.ones(2).requires_grad_()
    optimizer = torch.optim.SGD([p], lr=0.125)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=2)
    seen: list[Any] = []
    for factor in (1.0, 2.0, float("inf"), 1.0, float("nan"), 3.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((p * factor).sum()).backward()
        if factor == 2.0:
            scaler.unscale_(optimizer)
            seen.append(p.grad.tolist())
        scaler.step(optimizer)
        scaler.update()
        seen += [p.tolist(), scaler.get_scale(), scaler.state_dict()]
    scaler.update(4.0)
    seen += [scaler.get_scale(), scaler.scale([p.sum(), (p, p)])[0].item()]
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    seen += [other.state_dict(), pickle.loads(pickle.dumps(scaler)).state_dict(), copy.copy(other).is_enabled()]
    return seen


def test_losses_are_scaled_as_pytorch_s() -> None:
    assert scaled(theirs) == scaled(ours)


@pytest.mark.backend
def test_a_step_with_infinite_gradients_is_left_out_on_every_backend(backend: str) -> None:
    p = ours.ones(2).requires_grad_()
    optimizer = ours.optim.SGD([p], lr=0.5)
    scaler = ours.amp.GradScaler("cpu", init_scale=8.0)
    for factor in (1.0, float("inf")):
        optimizer.zero_grad()
        scaler.scale((p * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert p.tolist() == [0.5, 0.5] and scaler.get_scale() == 4.0


def test_calls_in_a_wrong_order_are_refused() -> None:
    def program(torch: Any) -> list[str]:
        p = torch.ones(2).requires_grad_()
        optimizer = torch.optim.SGD([p], lr=0.5)
        scaler = torch.amp.GradScaler("cpu")
        found = []

        def refused(call: Callable[[], Any]) -> None:
            try:
                call()
                found.append("no error")
            except Exception as error:
                found.append(type(error).__name__)

        refused(lambda: scaler.step(optimizer))
        refused(scaler.update)
        refused(lambda: torch.amp.GradScaler("cpu", growth_factor=0.5))
        scaler.scale(p.sum()).backward()
        refused(scaler.update)
        scaler.unscale_(optimizer)
        refused(lambda: scaler.unscale_(optimizer))
        refused(lambda: scaler.step(optimizer, closure=lambda: None))
        scaler.step(optimizer)
        refused(lambda: scaler.step(optimizer))
        refused(lambda: scaler.scale(3.0))
        return found

    assert program(theirs) == program(ours)
