"""`torch.random`: the seed and the state of the generator that functions draw from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from .sampling import default_generator, get_rng_state, initial_seed, manual_seed, of_thread, seed, set_rng_state

__all__ = [
    "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state",
    "thread_safe_generator",
]  # fmt: skip


@contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None) -> Any:
    """Put the state of the generator back at the end of a block.

    Parameters
    ----------
    enabled: False to leave the state as the block has made it.
    devices, device_type: taken and not looked at. There is one generator, for all devices.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    ...     a = torch.rand(2)
    >>> bool((torch.rand(2) == a).all())
    True
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)


def thread_safe_generator():
    """Return the generator of a thread of a `DataLoader`; None outside of them."""
    return of_thread.get()
