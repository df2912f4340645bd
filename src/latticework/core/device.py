"""The device of an array. A `Device` is a `str` that remembers its backend."""

from __future__ import annotations

__all__ = ["Device"]


class Device(str):
    """A device by name, such as ``"cpu"`` or ``"cuda:0"``, and the backend that it belongs to.

    Hashable, and equal to its name and to any device of the same name. Because it remembers its
    backend, ``lw.zeros(3, device=x.device)`` makes an array of the same backend as ``x``, whichever
    backend is set: code that is written for the standard passes devices along just so.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1.0, 2.0])
    >>> x.device
    Device('cpu', backend='numpy')
    >>> x.device == "cpu"
    True
    """

    backend: str | None

    __slots__ = ("backend",)

    def __new__(cls, name: object, backend: str | None = None) -> Device:
        self = str.__new__(cls, str(name))
        self.backend = backend if backend is not None else getattr(name, "backend", None)
        return self

    def __repr__(self) -> str:
        return f"Device({str(self)!r}, backend={self.backend!r})"

    def __getnewargs__(self) -> tuple[str, str | None]:  # type: ignore[override]
        return str(self), self.backend
