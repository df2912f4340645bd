"""Random streams of datasets. NumPy's generator draws them, so that they are the same on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....api.random.drawing import refuse_state_in_a_trace
from ..arguments import number
from ..drawing import Stream, key_of_seed

__all__ = ["stream"]


def stream(seed: Any, anew: bool) -> Callable[[], Any]:
    """Return a function that begins the random stream of an iteration.

    Parameters
    ----------
    seed: an int; with the seed of `tf.random.set_seed` it decides the numbers. None for the next of the process's.
    anew: whether each iteration has other numbers.
    """
    pair = key_of_seed(None) if seed is None else (Stream.seed or 0, number(seed))
    words = [n & 0xFFFFFFFFFFFFFFFF for n in pair]
    begun = 0

    def begin() -> Any:
        nonlocal begun
        if anew:
            refuse_state_in_a_trace(
                "the random stream of a tf.data.Dataset",
                "Take the elements first, and give them to the function as arguments",
            )
        begun += anew
        return np.random.default_rng([*words, begun])

    return begin
