"""`numpy.random`: NumPy draws the numbers, so that a seed gives its values, and they move to the backend in force."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence

from .base import dialect, of_numpy, to_numpy

_DRAWN = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel hypergeometric laplace
    logistic lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f
    normal pareto permutation poisson power rand randint randn random random_integers random_sample ranf rayleigh sample
    seed set_state standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform
    vonmises wald weibull zipf
""".split()

__all__ = [  # noqa: PLE0604
    "MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Generator", "Philox", "RandomState", "SeedSequence",
    "default_rng", "shuffle", *_DRAWN,
]  # fmt: skip


def _drawn(real: Callable[..., Any]) -> Callable[..., Any]:
    """What NumPy draws, as arrays of the dialect."""

    def call(*args, **kw):
        return of_numpy(real(*to_numpy(args), **to_numpy(kw)))

    found = update_wrapper(call, real)
    name = getattr(real, "__name__", "")
    found.__doc__ = f"`{name}` as NumPy draws it: the values are NumPy's, on the backend in force."
    return found


def _shuffled(real: Callable[..., Any], x: Any, *args: Any, **kw: Any) -> None:
    """Shuffle an array of the dialect, or a list, in place."""
    if type(x) is not dialect.array:
        real(x, *args, **kw)
        return
    values = to_numpy(x).copy()
    real(values, *args, **kw)
    x[...] = of_numpy(values)


class _Drawing:
    """A source of numbers of NumPy's, whose methods give arrays of the dialect."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        found = getattr(self._real, name)
        return _drawn(found) if callable(found) and name != "bit_generator" else found

    def shuffle(self, x, *args, **kw):
        """Bring the parts along an axis into another order, in place."""
        _shuffled(self._real.shuffle, x, *args, **kw)

    def __repr__(self):
        return repr(self._real)

    def __reduce__(self):
        return type(self)._around, (self._real,)

    @classmethod
    def _around(cls, real: Any) -> Any:
        made = object.__new__(cls)
        made._real = real
        return made


class Generator(_Drawing):
    """NumPy's `Generator`, with all its distributions; made by `default_rng`, or of a `BitGenerator`."""

    def __init__(self, bit_generator):
        super().__init__(numpy.random.Generator(bit_generator))

    def spawn(self, n_children):
        """Make independent generators."""
        return [Generator._around(real) for real in self._real.spawn(n_children)]


class RandomState(_Drawing):
    """NumPy's `RandomState`, with all its distributions."""

    def __init__(self, seed=None):
        super().__init__(numpy.random.RandomState(to_numpy(seed)))


def default_rng(seed=None):
    """Make a generator of a seed; a generator is given back."""
    if isinstance(seed, Generator):
        return seed
    return Generator._around(numpy.random.default_rng(to_numpy(seed)))


def shuffle(x):
    """Bring the parts along the first axis into another order, in place."""
    _shuffled(numpy.random.shuffle, x)


for _name in _DRAWN:
    globals()[_name] = _drawn(getattr(numpy.random, _name))
