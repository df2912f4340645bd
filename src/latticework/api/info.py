"""Backends, and the standard's inspection of a namespace."""

from __future__ import annotations

from typing import Any

from ..backend import get
from ..backend.facts import facts_of
from ..core.device import Device
from ..core.dtypes import CATEGORIES, Dtype, bfloat16, category, float16
from ..errors import nearest
from ..policy import current


def current_backend() -> str:
    """The name of the backend that creation functions use here.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="numpy"):
    ...     lw.current_backend()
    'numpy'
    """
    return current().backend.removeprefix("traced:")


class _Devices(tuple[Device, ...]):
    """A tuple that can be joined with a list, which gives a list."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else tuple(self) + other

    def __radd__(self, other: Any) -> Any:
        return [*other, *self] if isinstance(other, list) else NotImplemented


class _Info:
    """The standard's inspection object, of the current backend."""

    def __repr__(self) -> str:
        return f"<namespace info of latticework on {current().backend}>"

    def capabilities(self) -> dict[str, Any]:
        """Return what the namespace can do where the standard leaves it open.

        Shapes do not depend on values inside of `jax.jit` and `jax.vmap`, nor inside of `torch.func.vmap`: there take
        the functions with `size`.
        """
        name = current().backend.partition("@")[0]
        facts = facts_of(name.rpartition(":")[2]) or facts_of(name)
        depends = facts is None or facts.data_dependent_shapes
        shapes = depends and get(current().backend).has_data_dependent_shapes()
        return {"boolean indexing": depends, "data-dependent shapes": shapes, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device that creation functions use."""
        policy = current()
        return get(policy.backend).device(policy.device)

    def default_dtypes(self, *, device: Any = None) -> dict[str, Dtype]:
        """The default dtypes of the kinds."""
        policy = current()
        return {
            "real floating": policy.own("f"),
            "complex floating": policy.own("c"),
            "integral": policy.own("i"),
            "indexing": get(policy.backend).index_dtype,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Dtype]:
        """The standard's dtypes that the current backend has, by name, of a kind or of any of several.

        bfloat16 and float16 are not the standard's and so not here; `lw.valid_dtype` tells of them.
        """
        kinds = kind if isinstance(kind, tuple) else ("all" if kind is None else kind,)
        for k in kinds:
            if k not in CATEGORIES:
                raise ValueError(f"dtypes: {k!r} is no kind{nearest(k, CATEGORIES)}")
        native = get(current().backend).native_dtypes
        wanted = {d for k in kinds for d in category(k)}
        return {str(d): d for d in category("all") if d in wanted and d in native and d not in (bfloat16, float16)}

    def devices(self) -> tuple[Device, ...]:
        """The devices of the current backend.

        The standard has a tuple since 2025.12 and had a list before. Programs for both add a list to it: with one, it
        gives a list.
        """
        backend = get(current().backend)
        return _Devices([backend.device(d) for d in backend.devices()])


_INFO = _Info()


def __array_namespace_info__() -> _Info:
    """The standard's inspection object: `dtypes`, `default_dtypes`, `devices`, `default_device`, `capabilities`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.__array_namespace_info__().default_dtypes()["indexing"]
    lw.int64
    """
    return _INFO
