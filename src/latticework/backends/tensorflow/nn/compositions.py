"""Compositions of ours as functions of tensors, to be compiled where that takes less time than the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ....core.registry import OPS
from ....engine.array import wrapped
from ....policy import unified_rules
from ... import get


def composition_of(name: str) -> Callable[..., tf.Tensor]:
    """The body of a function of ours, from tensors and options to the tensor of its result."""

    def run(*operands: Any, **named: Any) -> tf.Tensor:
        o, backend = OPS[name], get("tensorflow")
        count = len(o.operands)
        named.update(zip(o.by_position, operands[count:], strict=False))
        for option in o.optional:
            if isinstance(named.get(option), tf.Tensor):
                named[option] = wrapped(named[option], backend.sig_of(named[option]))
        assert o.body is not None
        with unified_rules():
            return o.body(*[wrapped(x, backend.sig_of(x)) for x in operands[:count]], **named)._data

    run.of_latticework = True  # type: ignore[attr-defined]  # a traced program takes the composition itself
    return run
