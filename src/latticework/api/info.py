"""Backends, and the standard's inspection of a namespace."""

from __future__ import annotations

from typing import Any

from ..backends import backends, get
from ..device import Device
from ..dtypes import CATEGORIES, Dtype, bfloat16, category, float16
from ..errors import nearest
from ..policy import Before, current, restore, set_process

__all__ = ["__array_namespace_info__", "backends", "current_backend", "set_backend", "unset_backend"]

#: The versions of the standard that the namespace is a superset of.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

_replaced: list[Before] = []


def set_backend(name: str, /, *, x64: bool = True) -> None:
    """Set the process default backend: where creation functions make their arrays. Arrays bring their own.

    `lw.using(backend=...)` is for one thread and block.

    Parameters
    ----------
    name: the backend.
    x64: whether to turn on JAX's 64-bit switch, `jax_enable_x64`, when the backend is "jax". The switch is the
        process's, and stays on. False leaves it as it is: while it is off, the backend has no int64, uint64, float64
        and complex128, and positions are int32. Other backends have no such switch.

    Raises
    ------
    ValueError: for a name that is no backend, with the nearest that is.
    BackendNotInstalledError: (an ImportError) with the command that installs its framework.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.set_backend("numpy")
    >>> lw.zeros(2).backend
    'numpy'
    >>> lw.unset_backend()
    """
    _replaced.append(set_process(backend=name, device=None, x64=x64))


def unset_backend() -> None:
    """Bring back the backend from before the last `set_backend`; nothing where there was none.

    The process default, and what the `using` block sees that `set_backend` was called in, if this is called there too.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unset_backend()
    """
    if _replaced:
        restore(_replaced.pop())


def current_backend() -> str:
    """The name of the backend that creation functions use here.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="numpy"):
    ...     lw.current_backend()
    'numpy'
    """
    return current().backend


def check_api_version(version: str | None) -> None:
    """Refuse a version of the standard that is none or newer than ours."""
    if version is not None and version not in VERSIONS:
        known = ", ".join(VERSIONS)
        raise ValueError(f"there is no version {version!r} of the standard here{nearest(version, VERSIONS)} ({known})")


class _Info:
    """The standard's inspection object, of the current backend."""

    def __repr__(self) -> str:
        return f"<namespace info of latticework on {current().backend}>"

    def capabilities(self) -> dict[str, Any]:
        """What the namespace can do that the standard leaves open."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

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
            "indexing": get(policy.backend).index,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Dtype]:
        """The standard's dtypes that the current backend has, by name, of a kind or of any of several.

        bfloat16 and float16 are not the standard's and so not here; `lw.valid_dtype` tells of them.
        """
        kinds = kind if isinstance(kind, tuple) else ("all" if kind is None else kind,)
        for k in kinds:
            if k not in CATEGORIES:
                raise ValueError(f"dtypes: {k!r} is no kind{nearest(k, CATEGORIES)}")
        native = get(current().backend).native
        wanted = {d for k in kinds for d in category(k)}
        return {str(d): d for d in category("all") if d in wanted and d in native and d not in (bfloat16, float16)}

    def devices(self) -> tuple[Device, ...]:
        """The devices of the current backend."""
        backend = get(current().backend)
        return tuple(backend.device(d) for d in backend.module.devices())


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
