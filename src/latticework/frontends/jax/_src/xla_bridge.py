"""The backends of XLA, of which there are none here."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []

_backends: dict[str, Any] = {}
