"""`torch.multiprocessing`, which programs import whether or not they start processes. Here is one."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(f"multiprocessing.{name}"), name=name)
