"""`torch.onnx`, which programs import whether or not they write a model. latticework has another function that does."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(f"onnx.{name}"), name=name)
