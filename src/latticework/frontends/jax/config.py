"""`jax.config`, and the 64-bit switch that is in it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from .core import dialect, enabled, set_x64

__all__ = ["config", "enable_x64"]

#: Options that are kept and change nothing here.
_KEPT: dict[str, Any] = {
    "jax_platform_name": "", "jax_platforms": None, "jax_debug_nans": False, "jax_disable_jit": False,
    "jax_default_matmul_precision": None, "jax_numpy_rank_promotion": "allow", "jax_log_compiles": False,
    "jax_numpy_dtype_promotion": "standard", "jax_default_prng_impl": "threefry2x32", "jax_debug_infs": False,
    "jax_enable_checks": False, "jax_threefry_partitionable": True, "jax_check_tracer_leaks": False,
}  # fmt: skip


class Config:
    """The options of JAX. ``jax_enable_x64`` is the 64-bit switch; the others are kept and change nothing."""

    def update(self, name: str, val: Any) -> None:
        """Set an option.

        Raises
        ------
        AttributeError: there is no option of the name.
        """
        if name == "jax_enable_x64":
            set_x64(bool(val))
        elif name in _KEPT:
            _KEPT[name] = val
        else:
            raise AttributeError(f"Unrecognized config option: {name}")

    def read(self, name: str) -> Any:
        """The value of an option."""
        return getattr(self, name)

    @property
    def values(self) -> dict[str, Any]:
        """All options by name."""
        return {"jax_enable_x64": enabled(), **_KEPT}

    def __getattr__(self, name: str) -> Any:
        if name in ("jax_enable_x64", "x64_enabled"):
            return enabled()
        if name in _KEPT:
            return _KEPT[name]
        raise AttributeError(f"Unrecognized config option: {name}")


config = Config()


class enable_x64:
    """``with jax.enable_x64(True):`` sets the 64-bit switch in a block."""

    def __init__(self, new_val: bool = True) -> None:
        self.before, self.value = enabled(), bool(new_val)

    def __enter__(self) -> None:
        self.before = enabled()
        set_x64(self.value)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_x64(self.before)


def _as_in_process() -> enable_x64:
    jax = sys.modules.get("jax")
    return enable_x64(enabled() if jax is None else jax.config.jax_enable_x64)


dialect.as_in_process = _as_in_process
