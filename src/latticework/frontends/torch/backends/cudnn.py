"""`torch.backends.cudnn`: the library of convolutions on GPUs. Its switches change nothing here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["flags", "is_available", "version"]

enabled, benchmark, deterministic, allow_tf32 = True, False, False, True
benchmark_limit = 10


# fmt: off
def is_available(): return False
def version(): return None
# fmt: on


@contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
    allow_tf32: bool = True, fp32_precision: str = "none", depthwise_kernel: str = "auto",
) -> Iterator[None]:  # fmt: skip
    """Set the switches in a block."""
    own = globals()
    given = {
        "enabled": enabled, "benchmark": benchmark, "benchmark_limit": benchmark_limit, "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }  # fmt: skip
    before = {name: own[name] for name in given}
    own.update(given)
    try:
        yield
    finally:
        own.update(before)
