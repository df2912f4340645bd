"""One process where PyTorch has several: `torch.distributed`, `torch.nn.parallel` and `torch.backends`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import latticework.frontends.torch as ours
from latticework.frontends.torch import distributed as our_world

theirs = pytest.importorskip("torch")
their_world = import_module("torch.distributed")
pytestmark = pytest.mark.skipif(not their_world.is_available(), reason="this PyTorch is built without its processes")


@pytest.fixture
def worlds() -> Iterator[list[tuple[Any, Any]]]:
    """Both frameworks, each with a world of one process."""
    their_world.init_process_group("gloo", store=their_world.HashStore(), world_size=1, rank=0)
    our_world.init_process_group("gloo", world_size=1, rank=0)
    yield [(theirs, their_world), (ours, our_world)]
    their_world.destroy_process_group()
    our_world.destroy_process_group()


def zeros(torch: Any) -> Any:
    return torch.zeros(2)


#: What the collectives leave in their tensors, or return: of the framework, its world, and a tensor of 2 elements.
COLLECTIVES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "all_reduce": lambda t, d, x: (d.all_reduce(x), x),
    "all_reduce of a maximum": lambda t, d, x: (d.all_reduce(x, op=d.ReduceOp.MAX), x),
    "asynchronous": lambda t, d, x: (d.all_reduce(x, async_op=True).wait(), x),
    "reduce": lambda t, d, x: (d.reduce(x, 0), x),
    "broadcast": lambda t, d, x: (d.broadcast(x, src=0), x),
    "all_gather": lambda t, d, x: (d.all_gather(to := [zeros(t)], x), to[0]),
    "all_gather_into_tensor": lambda t, d, x: (d.all_gather_into_tensor(to := zeros(t), x), to),
    "gather": lambda t, d, x: (d.gather(x, to := [zeros(t)], dst=0), to[0]),
    "scatter": lambda t, d, x: (d.scatter(to := zeros(t), [x], src=0), to),
    "reduce_scatter": lambda t, d, x: (d.reduce_scatter(to := zeros(t), [x]), to),
    "all_to_all_single": lambda t, d, x: (d.all_to_all_single(to := zeros(t), x), to),
    "all_gather_object": lambda t, d, x: (d.all_gather_object(to := [None], {"a": 1}), to),
    "gather_object": lambda t, d, x: (d.gather_object((1, 2), to := [None], dst=0), to),
    "broadcast_object_list": lambda t, d, x: (d.broadcast_object_list(to := ["a"], src=0), to),
    "scatter_object_list": lambda t, d, x: (d.scatter_object_list(to := [None], ["a"], src=0), to),
    "barrier": lambda t, d, x: d.barrier(),
    "a group": lambda t, d, x: (d.all_reduce(x, group=(g := d.new_group([0]))), g.rank(), g.size(), x),
    "what it is": lambda t, d, x: (
        d.is_initialized(), d.get_rank(), d.get_world_size(), d.get_backend(), d.get_process_group_ranks(d.group.WORLD),
    ),
    "to nobody": lambda t, d, x: d.send(x, dst=0),
    "to one that is not there": lambda t, d, x: d.broadcast(x, src=1),
    "a list too short": lambda t, d, x: d.all_gather([], x),
    "a group of others": lambda t, d, x: d.new_group([1]),
    "twice": lambda t, d, x: d.init_process_group("gloo", world_size=1, rank=0),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of PyTorch's newer names
def test_collectives_of_one_process_are_those_of_pytorch(worlds: list[tuple[Any, Any]]) -> None:
    for name, f in COLLECTIVES.items():
        found = []
        for torch, world in worlds:
            try:
                result = f(torch, world, torch.tensor([1.0, 2.0]))
            except Exception as error:
                result = type(error).__name__ if name != "a list too short" else "an error"
            found.append(str(result))
        assert found[0] == found[1], f"{name}: {found}"


def test_a_world_is_of_the_environment_and_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")
    our_world.init_process_group("nccl")
    assert our_world.get_backend() == "nccl"
    our_world.destroy_process_group()
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(RuntimeError, match="a world of 4 processes was asked for, and rank 0 in it"):
        our_world.init_process_group("nccl")
    assert not our_world.is_initialized() and our_world.group.WORLD is None
    with pytest.raises(AttributeError, match=r"torch\.distributed\.fsdp.*Devices and processes of one framework"):
        _ = our_world.fsdp


def test_modules_of_several_processes_train_as_their_own(worlds: list[tuple[Any, Any]]) -> None:
    for wrapped in ("DistributedDataParallel", "DataParallel"):
        found = []
        for torch, _ in worlds:
            inner = torch.nn.Linear(2, 3)
            torch.nn.init.constant_(inner.weight, 0.5)
            torch.nn.init.zeros_(inner.bias)
            model = getattr(torch.nn.parallel, wrapped)(inner)
            model(torch.tensor([[1.0, 2.0]])).square().sum().backward()
            names = [*model.state_dict()], model.module is inner
            found.append((names, str(inner.weight.grad), repr(model), str(model.module(torch.ones(1, 2)).detach())))
        assert found[0] == found[1], wrapped
    assert ours.nn.parallel.data_parallel(ours.nn.Linear(1, 3), ours.ones(2, 1)).shape == (2, 3)
    model = ours.nn.parallel.DistributedDataParallel(ours.nn.Linear(1, 1))
    with model.no_sync():
        assert not model.require_backward_grad_sync
    assert model.require_backward_grad_sync
    for torch, _ in worlds:
        with pytest.raises(RuntimeError, match="not needed when a module doesn't have any parameter"):
            torch.nn.parallel.DistributedDataParallel(torch.nn.ReLU())


def test_a_module_of_several_processes_needs_a_world() -> None:
    assert "RANK" not in os.environ
    for torch in (theirs, ours):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))


def test_switches_of_libraries_keep_what_they_are_set_to() -> None:
    backends = import_module("latticework.frontends.torch.backends")
    for torch in (backends, theirs.backends):
        before = torch.cuda.matmul.allow_tf32
        torch.cuda.matmul.allow_tf32 = True
        assert torch.cuda.matmul.allow_tf32 is True
        torch.cuda.matmul.allow_tf32 = before
        with pytest.raises(AttributeError, match="Unknown attribute tf32"):
            torch.cuda.matmul.tf32 = True
    backends.cudnn.benchmark = True
    with backends.cudnn.flags(enabled=False):
        assert backends.cudnn.enabled is False and backends.cudnn.benchmark is False
    assert backends.cudnn.enabled is True and backends.cudnn.benchmark is True
    backends.cudnn.benchmark = False
    with backends.cuda.sdp_kernel(enable_flash=False):
        assert not backends.cuda.flash_sdp_enabled() and backends.cuda.math_sdp_enabled()
    assert backends.cuda.flash_sdp_enabled()
