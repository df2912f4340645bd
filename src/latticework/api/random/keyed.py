"""The state of a generator that is a key: each draw splits it, and draws the same numbers on every backend."""

from __future__ import annotations

from typing import Any

from ...core.dtypes import as_dtype, uint32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...errors import TraceError
from .discrete import integers_between
from .drawing import refuse_state_in_a_trace, under_ours

__all__ = ["KeySource"]

_OUTSIDE = (
    "the function is being traced, and draws from a Generator that was made outside of it. Make it inside, of a key "
    "that is an argument: rng = lw.random.default_rng(key)"
)


class KeySource:
    """The source of a `latticework.random.Generator` of a key.

    Parameters
    ----------
    key: the key, as `lw.random.key` makes it. It is replaced with each draw, and never written to.
    """

    def __init__(self, key: Array) -> None:
        self.key = key

    def __copy__(self) -> KeySource:
        return KeySource(self.key)

    @property
    def native(self) -> Any:
        """The framework's array of the key."""
        return self.key.data

    def state(self) -> dict[str, Any]:
        """Return the two words of the key."""
        return {"key": [int(word) for word in lw.to_numpy(self.key)]}

    def restore(self, state: dict[str, Any]) -> None:
        """Put the words of a key back."""
        self.key = lw.asarray(state["key"], dtype=uint32, device=self.key.device)

    def check(self) -> None:
        """Refuse to draw in a trace from a key that is no value of the trace: each call would repeat the numbers."""
        if not self.key._sig.backend.name.startswith("traced:"):
            refuse_state_in_a_trace("a Generator", "Make it inside, of a key that is an argument")

    def keys(self, count: int) -> Array:
        """Split the key, keep the first of the new ones, and return so many others, one in each row.

        Raises
        ------
        TraceError: a framework traces, and the key is a value from outside.
        """
        before = self.key
        with under_ours():
            found = lw.random.split(before, count + 1)
        owner = before._sig.backend
        if owner.facts.framework and type(before._data) is owner.array_class() is not type(found._data):
            raise TraceError(_OUTSIDE)
        self.key = found[0]
        return found[1:]

    def _next(self) -> Array:
        return self.keys(1)[0]

    def unit(self, shape: Any, dtype: Any) -> Array:
        """Draw from 0 to 1."""
        return lw.random.uniform(self._next(), shape, as_dtype(dtype))

    def normal(self, shape: Any, dtype: Any) -> Array:
        """Draw of the standard normal distribution."""
        return lw.random.normal(self._next(), shape, as_dtype(dtype))

    def exponential(self, shape: Any, dtype: Any) -> Array:
        """Draw of the standard exponential distribution."""
        return lw.random.exponential(self._next(), shape, as_dtype(dtype))

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> Array:
        """Draw integers from `low` to below `high`."""
        return integers_between(self._next(), shape, low, high - 1, as_dtype(dtype), inclusive=True)

    def gamma(self, a: Any) -> Array:
        """Draw of the gamma distribution, an element for each of `a`."""
        a = lw.asarray(a)
        return lw.random.gamma(self._next(), a, a.shape, a.dtype)

    def poisson(self, lam: Any) -> Array:
        """Draw of the Poisson distribution, as floats."""
        lam = lw.asarray(lam)
        return lw.astype(lw.random.poisson(self._next(), lam, lam.shape), lam.dtype)

    def binomial(self, n: Any, p: Any) -> Array:
        """Draw of the binomial distribution, as floats."""
        n, p = lw.asarray(n), lw.asarray(p)
        return lw.astype(lw.random.binomial(self._next(), n, p, p.shape), p.dtype)

    def permutation(self, n: int) -> Array:
        """Draw an order of the integers below `n`."""
        return lw.random.permutation(self._next(), n)
