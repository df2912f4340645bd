"""`jax.sharding`: the places of arrays, which are on one device here.

Meshes may have any names of axes. Programs that name shardings run, and their arrays stay where they are.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .core import ops

__all__ = [
    "AbstractMesh", "AxisType", "Mesh", "NamedSharding", "PartitionSpec", "Sharding", "SingleDeviceSharding",
    "get_abstract_mesh", "get_mesh", "make_mesh", "reshard", "set_mesh", "use_abstract_mesh",
    "with_sharding_constraint",
]  # fmt: skip


class AxisType(enum.Enum):
    """Who decides how arrays lie along an axis of a mesh."""

    Auto = 0
    Explicit = 1
    Manual = 2


class PartitionSpec:
    """The names of the axes of a mesh, for each axis of an array; None where it is whole."""

    UNCONSTRAINED = type("UNCONSTRAINED", (), {"__repr__": lambda _: "UNCONSTRAINED"})()

    __slots__ = ("_axes",)

    def __init__(self, *axes: Any, **options: Any) -> None:
        self._axes = tuple([tuple(a) if isinstance(a, list) else a for a in axes])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._axes)

    def __len__(self) -> int:
        return len(self._axes)

    def __getitem__(self, key: Any) -> Any:
        return self._axes[key]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (PartitionSpec, tuple)):
            return self._axes == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._axes)

    def __repr__(self) -> str:
        return f"P({', '.join(map(repr, self._axes))}{',' * (len(self._axes) == 1)})"


class AbstractMesh:
    """The axes of a mesh, with their extents and names, without devices."""

    def __init__(self, axis_sizes: Any = (), axis_names: Any = (), axis_types: Any = None, **options: Any) -> None:
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        self.axis_sizes, self.axis_names = tuple(axis_sizes), names
        types = (axis_types,) * len(names) if isinstance(axis_types, AxisType) else axis_types
        self.axis_types = tuple(types or (AxisType.Auto,) * len(names))

    @property
    def shape(self) -> dict[Any, int]:
        """The extent of each axis, by name."""
        return dict(zip(self.axis_names, self.axis_sizes, strict=True))

    shape_tuple = property(lambda self: tuple(self.shape.items()))
    size = property(lambda self: math.prod(self.axis_sizes))
    empty = property(lambda self: not self.axis_names)
    are_all_axes_manual = property(lambda self: all(t is AxisType.Manual for t in self.axis_types))

    def _key(self) -> Any:
        return self.axis_sizes, self.axis_names, self.axis_types

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n!r}: {s}' for n, s in self.shape.items())})"


class Mesh(AbstractMesh):
    """Devices in an array, whose axes have names. As a context manager it is the mesh in force."""

    def __init__(self, devices: Any, axis_names: Any, axis_types: Any = None) -> None:
        self.devices = np.array(devices, dtype=object)
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if self.devices.ndim != len(names):
            raise ValueError(
                f"Mesh requires the ndim of its first argument (`devices`) to equal the length of its second argument "
                f"(`axis_names`), but got devices.ndim == {self.devices.ndim} and len(axis_names) == {len(names)}."
            )
        super().__init__(self.devices.shape, names, axis_types)
        self._tokens: list[Any] = []

    device_ids = property(lambda self: np.vectorize(lambda d: d.id, otypes=[int])(self.devices))
    abstract_mesh = property(lambda self: AbstractMesh(self.axis_sizes, self.axis_names, self.axis_types))
    local_mesh = property(lambda self: self)
    is_multi_process = False

    def __enter__(self) -> Mesh:
        self._tokens.append(_MESH.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        _MESH.reset(self._tokens.pop())


_NO_MESH = AbstractMesh()
_MESH: ContextVar[Any] = ContextVar("mesh", default=_NO_MESH)


class Sharding:
    """The base class of the places of arrays."""

    memory_kind: Any = None
    is_fully_replicated = is_fully_addressable = True

    @property
    def device_set(self) -> set[Any]:
        """The devices that have a part of the array."""
        raise NotImplementedError(f"{type(self).__name__} does not say on which devices it is")

    def shard_shape(self, global_shape: Any) -> tuple[int, ...]:
        """Return the shape of the part on a device."""
        return tuple(global_shape)


class SingleDeviceSharding(Sharding):
    """All of an array on one device."""

    def __init__(self, device: Any, *, memory_kind: Any = None) -> None:
        self._device, self.memory_kind = device, memory_kind

    @property
    def device_set(self) -> set[Any]:
        """The device."""
        return {self._device}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SingleDeviceSharding) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self._device!r})"


class NamedSharding(Sharding):
    """An array over the devices of a mesh."""

    def __init__(self, mesh: Any, spec: Any, *, memory_kind: Any = None, **options: Any) -> None:
        spec = spec if isinstance(spec, PartitionSpec) else PartitionSpec(*spec)
        for name in spec:
            for part in name if isinstance(name, tuple) else (name,):
                if isinstance(part, str) and part not in mesh.axis_names:
                    raise ValueError(f"Resource axis: {part} of {spec} is not found in mesh: {mesh.axis_names}.")
        self.mesh, self.spec, self.memory_kind = mesh, spec, memory_kind

    @property
    def device_set(self) -> set[Any]:
        """The devices of the mesh."""
        return {*getattr(self.mesh, "devices", np.empty(0)).flat}

    @property
    def is_fully_replicated(self) -> bool:  # type: ignore[override]
        """Whether each device has all of the array."""
        extents, names = self.mesh.shape, [n for s in self.spec for n in (s if isinstance(s, tuple) else (s,))]
        return all(extents.get(n, 1) == 1 for n in names)

    def shard_shape(self, global_shape: Any) -> tuple[int, ...]:
        """Return the shape of the part on a device."""
        extents, shape = self.mesh.shape, list(global_shape)
        for axis, names in enumerate(self.spec):
            for name in names if isinstance(names, tuple) else (names,):
                shape[axis] //= extents.get(name, 1)
        return tuple(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedSharding) and (self.mesh, self.spec) == (other.mesh, other.spec)

    def __hash__(self) -> int:
        return hash((self.mesh, self.spec))

    def __repr__(self) -> str:
        return f"NamedSharding(mesh={self.mesh!r}, spec={self.spec!r})"


def make_mesh(axis_shapes: Any, axis_names: Any, axis_types: Any = None, *, devices: Any = None) -> Mesh:
    """Return a mesh over the devices that there are."""
    found = [ops.zeros((1,)).device] if devices is None else [*devices]
    needed = math.prod(axis_shapes)
    if needed > len(found):
        raise ValueError(f"Number of devices {len(found)} must be >= the product of mesh_shape {tuple(axis_shapes)}")
    array = np.empty(needed, dtype=object)
    array[:] = found[:needed]
    return Mesh(array.reshape(tuple(axis_shapes)), axis_names, axis_types)


class set_mesh:
    """Set the mesh in force; as a context manager, for a block."""

    def __init__(self, mesh: Any) -> None:
        self.mesh, self._token = mesh, _MESH.set(mesh)

    def __enter__(self) -> Any:
        return self.mesh

    def __exit__(self, *error: object) -> None:
        _MESH.reset(self._token)


@contextmanager
def use_abstract_mesh(mesh: Any) -> Iterator[Any]:
    """A block in which a mesh is in force."""
    token = _MESH.set(mesh)
    try:
        yield mesh
    finally:
        _MESH.reset(token)


def get_mesh() -> Any:
    """Return the mesh in force; one without axes where there is none."""
    return _MESH.get()


def get_abstract_mesh() -> Any:
    """Return the mesh in force without its devices."""
    mesh = _MESH.get()
    return mesh.abstract_mesh if isinstance(mesh, Mesh) else mesh


def reshard(xs: Any, out_shardings: Any) -> Any:
    """Return a tree of arrays as it is: all are on one device."""
    return xs


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """Return a tree of arrays as it is: all are on one device."""
    return x
