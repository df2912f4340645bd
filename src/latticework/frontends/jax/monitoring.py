"""`jax.monitoring`: events, which their listeners are told of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .core import describe

_listeners: list[Callable[..., None]] = []
_duration_listeners: list[Callable[..., None]] = []
_scalar_listeners: list[Callable[..., None]] = []


def record_event(event: str, **kwargs: Any) -> None:
    for listener in _listeners:
        listener(event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs: Any) -> None:
    for listener in _duration_listeners:
        listener(event, duration, **kwargs)


def record_scalar(event: str, value: Any, **kwargs: Any) -> None:
    for listener in _scalar_listeners:
        listener(event, value, **kwargs)


def register_event_listener(callback: Any) -> None:
    _listeners.append(callback)


def register_event_duration_secs_listener(callback: Any) -> None:
    _duration_listeners.append(callback)


def register_scalar_listener(callback: Any) -> None:
    _scalar_listeners.append(callback)


def clear_event_listeners() -> None:
    for listeners in (_listeners, _duration_listeners, _scalar_listeners):
        listeners.clear()


describe(globals(), "jax.monitoring")
