"""The collectives of `torch.distributed`, of one process: what it sends is what it gets."""

from __future__ import annotations

import pickle
from typing import Any

from ..autograd.modes import no_grad
from .groups import ReduceOp, member

__all__ = [
    "Work", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all",
    "all_to_all_single", "barrier", "broadcast", "broadcast_object_list", "gather", "gather_object", "irecv", "isend",
    "monitored_barrier", "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list",
    "send",
]  # fmt: skip


class Work:
    """What an asynchronous call returns. The call is done by then."""

    # fmt: off
    def wait(self, timeout: Any = None) -> bool: return True
    def is_completed(self) -> bool: return True
    def is_success(self) -> bool: return True
    # fmt: on


def _done(group: Any, async_op: bool, *ranks: int | None) -> Work | None:
    """Check the group and the ranks of a collective. Return what it returns."""
    member(group)
    if any(rank not in (None, 0) for rank in ranks):
        raise RuntimeError(f"the group has the rank 0 alone; got {ranks}")
    return Work() if async_op else None


def _fill(to: Any, of: Any) -> None:
    """Write the elements of a tensor into another one, which may have another shape."""
    with no_grad():
        to.copy_(of.reshape(to.shape))


def _one(tensors: Any, name: str) -> Any:
    """Return the only element of a list, which has one for each process."""
    if tensors is None or len(tensors) != 1:
        raise ValueError(f"{name} needs one element for each process, and there is one process; got {tensors!r}")
    return tensors[0]


def _again(x: Any) -> Any:
    """Return what the receiver of an object gets: another one."""
    return pickle.loads(pickle.dumps(x))


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Join the tensors of all processes: leave the one that there is as it is."""
    return _done(group, async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Join the tensors of all processes at one of them."""
    return _done(group, async_op, dst, group_dst)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Give all processes the tensor of one of them."""
    return _done(group, async_op, src, group_src)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Write the tensors of all processes into a list."""
    work = _done(group, async_op)
    _fill(_one(tensor_list, "all_gather: tensor_list"), tensor)
    return work


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Write the tensors of all processes into one, joined or stacked."""
    work = _done(group, async_op)
    _fill(output_tensor, input_tensor)
    return work


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Write the tensors of all processes into a list of one of them."""
    work = _done(group, async_op, dst, group_dst)
    _fill(_one(gather_list, "gather: gather_list"), tensor)
    return work


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Write one tensor of a list into that of each process."""
    work = _done(group, async_op, src, group_src)
    _fill(tensor, _one(scatter_list, "scatter: scatter_list"))
    return work


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Join the lists of all processes by elements, and write one result into the tensor of each."""
    work = _done(group, async_op)
    _fill(output, _one(input_list, "reduce_scatter: input_list"))
    return work


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Join the tensors of all processes, and write a part into that of each."""
    work = _done(group, async_op)
    _fill(output, input)
    return work


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Send a tensor of a list to each process."""
    work = _done(group, async_op)
    _fill(_one(output_tensor_list, "all_to_all: output list"), _one(input_tensor_list, "all_to_all: input list"))
    return work


def all_to_all_single(
    output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False
):  # fmt: skip
    """Send a part of a tensor to each process."""
    work = _done(group, async_op)
    _fill(output, input)
    return work


def all_gather_object(object_list, obj, group=None):
    """Put the objects of all processes into a list."""
    _done(group, False)
    _one(object_list, "all_gather_object: object_list")
    object_list[0] = _again(obj)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Put the objects of all processes into a list of one of them."""
    _done(group, False, dst, group_dst)
    _one(object_gather_list, "gather_object: object_gather_list")
    object_gather_list[0] = _again(obj)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Give all processes the objects of one of them."""
    _done(group, False, src, group_src)


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):  # fmt: skip
    """Give each process one object of a list."""
    _done(group, False, src, group_src)
    scatter_object_output_list[0] = _again(_one(scatter_object_input_list, "scatter_object_list: input list"))


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Wait for all processes."""
    return _done(group, async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """Wait for all processes."""
    _done(group, False)


def _to_another(rank: int | None, group: Any) -> None:
    member(group)
    raise ValueError(f"Invalid rank {rank}: it should not be that of this process, and there is no other one")


# fmt: off
def send(tensor, dst=None, group=None, tag=0, group_dst=None): _to_another(dst, group)
def recv(tensor, src=None, group=None, tag=0, group_src=None): _to_another(src, group)
def isend(tensor, dst=None, group=None, tag=0, group_dst=None): _to_another(dst, group)
def irecv(tensor, src=None, group=None, tag=0, group_src=None): _to_another(src, group)
# fmt: on
