"""`jax.Device`: a latticework device with the attributes of JAX's devices."""

from __future__ import annotations

from typing import Any

from ...core.device import Device as OurDevice

__all__ = ["Device", "as_device"]


class Device(OurDevice):
    """A device of the backend in force. It is a name too, as latticework's devices are."""

    __slots__ = ()

    @property
    def platform(self) -> str:
        """``"cpu"`` or ``"gpu"``."""
        return "cpu" if "cpu" in self.lower() else "gpu"

    @property
    def id(self) -> int:
        """Its number among the devices of its platform."""
        number = self.rpartition(":")[2]
        return int(number) if number.isdigit() else 0

    @property
    def device_kind(self) -> str:
        """The kind of device: its platform."""
        return self.platform

    @property
    def process_index(self) -> int:
        """The process that it belongs to: there is one."""
        return 0

    def __repr__(self) -> str:
        return f"{'Cpu' if self.platform == 'cpu' else 'Cuda'}Device(id={self.id})"


def as_device(device: Any) -> Device:
    """Convert a latticework device to a device of the dialect."""
    return Device(device)
