"""The world of `torch.distributed`: one process, and the groups that have it."""

from __future__ import annotations

import os
from enum import Enum
from typing import Any

__all__ = [
    "ProcessGroup", "ReduceOp", "destroy_process_group", "get_backend", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group",
    "is_available", "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "member", "new_group",
]  # fmt: skip


class ReduceOp(Enum):
    """How a collective joins the tensors of all processes. The tensor of one process is the result of each."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = range(8)


class ProcessGroup:
    """A group of processes: here the one that runs.

    Attributes
    ----------
    backend: the name that `init_process_group` or `new_group` was given, such as "nccl". Nothing is called under it.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def rank(self) -> int:
        """Return the number of this process in the group."""
        return 0

    def size(self) -> int:
        """Return how many processes the group has."""
        return 1


class _World(type):
    """Gives `group.WORLD` at the time that it is asked for."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        return _groups[0] if _groups else None


class group(metaclass=_World):
    """The names of groups: ``group.WORLD`` is the one of all processes, None before `init_process_group`."""


#: The world, once it is there, and then the groups that were made of it.
_groups: list[ProcessGroup] = []


def member(of: Any) -> ProcessGroup:
    """Return a group, the world for None.

    Raises
    ------
    ValueError: there is no world, or the group was destroyed.
    """
    if not _groups:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    if of is not None and of not in _groups:
        raise ValueError("The process group is not of this world: it was destroyed")
    return _groups[0] if of is None else of


def init_process_group(
    backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="", pg_options=None,
    device_id=None, _ranks=None,
):  # fmt: skip
    """Make the world.

    Parameters
    ----------
    backend: a name that `get_backend` gives back. Any will do: there is nobody to talk to.
    world_size, rank: the number of processes, and that of this one. Where they are left out, the environment has them
        as `torchrun` sets them, in WORLD_SIZE and RANK.
    init_method, timeout, store, group_name, pg_options, device_id: taken and not looked at.

    Raises
    ------
    ValueError: there is a world already; or the environment has no RANK or WORLD_SIZE.
    RuntimeError: the world has more than one process.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> import latticework.frontends.torch.distributed as dist
    >>> dist.init_process_group("gloo", world_size=1, rank=0)
    >>> x = torch.tensor([1.0, 2.0])
    >>> dist.all_reduce(x)
    >>> x, dist.get_rank(), dist.get_world_size()
    (tensor([1., 2.]), 0, 1)
    >>> dist.destroy_process_group()
    """
    if _groups:
        raise ValueError("trying to initialize the default process group twice!")
    count, number = (
        given if given >= 0 else _of_environment(name) for given, name in ((world_size, "WORLD_SIZE"), (rank, "RANK"))
    )
    if count != 1 or number != 0:
        raise RuntimeError(
            f"init_process_group: a world of {count} processes was asked for, and rank {number} in it. The dialect "
            "runs in one process, on all backends: start the program without torchrun, or with --nproc_per_node=1"
        )
    _groups.append(ProcessGroup(backend or "undefined"))


def _of_environment(name: str) -> int:
    if name not in os.environ:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{name} expected, but not set"
        )
    return int(os.environ[name])


def destroy_process_group(group=None):
    """Remove a group; without one the world, and all groups with it."""
    if not _groups:
        raise AssertionError("Process group cannot be None")
    found = member(group)
    if found is _groups[0]:
        _groups.clear()
    else:
        _groups.remove(found)


def new_group(
    ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
    device_id=None, sort_ranks=True,
):  # fmt: skip
    """Make a group of some processes: of the one that there is.

    Raises
    ------
    ValueError: there is no world, or `ranks` has another process than 0.
    """
    world = member(None)
    if ranks is not None and [*ranks] != [0]:
        raise ValueError(f"new_group: the world has the process 0 alone; got the ranks {[*ranks]}")
    made = ProcessGroup(backend or world.backend)
    _groups.append(made)
    return made


# fmt: off
def is_available(): return True
def is_initialized(): return bool(_groups)
def is_gloo_available(): return True
def is_nccl_available(): return False
def is_mpi_available(): return False
def is_backend_available(backend): return backend == "gloo"
def is_torchelastic_launched(): return "TORCHELASTIC_RUN_ID" in os.environ
def get_rank(group=None): return member(group).rank()
def get_world_size(group=None): return member(group).size()
def get_backend(group=None): return member(group).backend
def get_process_group_ranks(group): return [0] if member(group) else []
def get_global_rank(group, group_rank): return _only(group, group_rank)
def get_group_rank(group, global_rank): return _only(group, global_rank)
# fmt: on


def _only(group: Any, rank: int) -> int:
    if group is None and not _groups:
        return rank
    member(group)
    if rank != 0:
        raise ValueError(f"Global rank {rank} is not part of group {group}")
    return rank


def get_node_local_rank(fallback_rank=None):
    """Return the number of this process on its machine: that of the environment, or what is given.

    Raises
    ------
    RuntimeError: the environment has no LOCAL_RANK, and nothing is given.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow a default")
    return int(fallback_rank)
