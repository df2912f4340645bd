"""`tf.data.Options`: how a pipeline runs, which changes nothing here."""

from __future__ import annotations

from typing import Any

__all__ = ["Options", "ThreadingOptions"]


class _Named:
    """Attributes with given names, None before they are set."""

    _names: tuple[str, ...] = ()

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class ThreadingOptions(_Named):
    """How many threads a pipeline takes. Elements are made in the thread that asks for them here."""

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class _Others(_Named):
    """Options of TensorFlow's optimizer of pipelines, which are kept and change nothing."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


class Options(_Named):
    """How a pipeline runs: `deterministic`, `threading`, `autotune` and TensorFlow's experimental ones.

    They are kept and change nothing: elements come in the order of the program, in the thread that asks for them.
    """

    _names = (
        "autotune", "dataset_name", "deterministic", "experimental_deterministic", "experimental_distribute",
        "experimental_external_state_policy", "experimental_optimization", "experimental_slack",
        "experimental_symbolic_checkpoint", "experimental_threading", "experimental_warm_start", "framework_type",
        "threading",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.threading, self.autotune = ThreadingOptions(), _Others()
        self.experimental_optimization, self.experimental_distribute = _Others(), _Others()

    def merge(self, options: Options) -> Options:
        """Options with the values of another wherever it has one."""
        found = Options()
        for name in self._names:
            theirs = getattr(options, name)
            setattr(found, name, getattr(self, name) if theirs is None else theirs)
        return found
