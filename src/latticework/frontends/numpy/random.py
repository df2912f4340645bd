"""`numpy.random`: NumPy draws the numbers, so that a seed gives its values, and they move to the backend in force."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any

import numpy
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence

from ...api.random.drawing import refuse_state_in_a_trace
from ...tracing.recording.recorder import recorder
from .base import dialect, of_numpy, to_numpy

_DRAWN = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel hypergeometric laplace
    logistic lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f
    normal pareto permutation poisson power rand randint randn random random_integers random_sample ranf rayleigh sample
    seed set_state standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform
    vonmises wald weibull zipf
""".split()
#: Functions that read or set a state, and draw nothing.
_STATE = frozenset(("get_state", "seed", "set_state"))

__all__ = [  # noqa: PLE0604
    "MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Generator", "Philox", "RandomState", "SeedSequence",
    "default_rng", "shuffle", *_DRAWN,
]  # fmt: skip


def _check_state() -> None:
    """Refuse to draw from a generator with a state in a function that is being traced.

    Raises
    ------
    TraceError: a function is being traced.
    """
    refuse_state_in_a_trace(
        "a generator of NumPy's",
        "Draw the numbers first, and give them to the function as an argument; or make the generator in the "
        "function: np.random.default_rng(seed)",
    )


def _drawn(real: Callable[..., Any], check: Callable[[], None] = _check_state) -> Callable[..., Any]:
    """Wrap a function of NumPy that draws, so that it returns arrays of the dialect."""

    def call(*args, **kw):
        check()
        return of_numpy(real(*to_numpy(args), **to_numpy(kw)))

    found = update_wrapper(call, real)
    name = getattr(real, "__name__", "")
    found.__doc__ = f"`{name}` as NumPy draws it: the values are NumPy's, on the backend in force."
    return found


def _method(real: Callable[..., Any], check: Callable[[], None]) -> Callable[..., Any]:
    """Like `_drawn`, for a method: bound, it stays bound to its generator as an attribute of a class."""

    def call(self, /, *args, **kw):
        check()
        out: Any = kw.get("out")
        if type(out) is not dialect.array:
            return of_numpy(real(*to_numpy(args), **to_numpy(kw)))
        values = to_numpy(out).copy()
        real(*to_numpy(args), **{**to_numpy(kw), "out": values})
        out[...] = of_numpy(values)
        return out

    return update_wrapper(call, real)


def _shuffled(real: Callable[..., Any], x: Any, *args: Any, **kw: Any) -> None:
    """Shuffle an array of the dialect, or a list, in place."""
    if type(x) is not dialect.array:
        real(x, *args, **kw)
        return
    values = to_numpy(x).copy()
    real(values, *args, **kw)
    x[...] = of_numpy(values)


def _unchecked() -> None:
    """Do nothing: the call draws no numbers."""


def _trace_of(seed: Any) -> Any:
    """The trace in which a generator of this seed has the same numbers in each call, None without one."""
    states = (BitGenerator, numpy.random.Generator, numpy.random.RandomState)
    return None if seed is None or isinstance(seed, states) else recorder.get()


class _Drawing:
    """A source of numbers of NumPy's, whose methods give arrays of the dialect.

    In a function that is traced, only a generator draws that the function makes of a seed itself: its numbers are the
    same in each call.
    """

    def __init__(self, real, trace=None):
        self._real, self._trace = real, trace

    def __getattr__(self, name):
        found = getattr(self._real, name)
        if not callable(found) or name == "bit_generator":
            return found
        return MethodType(_method(found, _unchecked if name in _STATE else self._check), self)

    def _check(self):
        if self._trace is None or self._trace is not recorder.get():
            _check_state()

    def shuffle(self, x, *args, **kw):
        """Bring the parts along an axis into another order, in place."""
        self._check()
        _shuffled(self._real.shuffle, x, *args, **kw)

    def __repr__(self):
        return repr(self._real)

    def __reduce__(self):
        return type(self)._around, (self._real,)

    @classmethod
    def _around(cls, real: Any, trace: Any = None) -> Any:
        made = object.__new__(cls)
        made._real, made._trace = real, trace
        return made


class Generator(_Drawing):
    """NumPy's `Generator`, with all its distributions; made by `default_rng`, or of a `BitGenerator`."""

    def __init__(self, bit_generator):
        super().__init__(numpy.random.Generator(bit_generator))

    def spawn(self, n_children):
        """Make independent generators."""
        return [Generator._around(real, self._trace) for real in self._real.spawn(n_children)]


class RandomState(_Drawing):
    """NumPy's `RandomState`, with all its distributions."""

    def __init__(self, seed=None):
        super().__init__(numpy.random.RandomState(to_numpy(seed)), _trace_of(seed))


def default_rng(seed=None):
    """Make a generator of a seed; a generator is given back."""
    if isinstance(seed, Generator):
        return seed
    return Generator._around(numpy.random.default_rng(to_numpy(seed)), _trace_of(seed))


def shuffle(x):
    """Bring the parts along the first axis into another order, in place."""
    _check_state()
    _shuffled(numpy.random.shuffle, x)


for _name in _DRAWN:
    globals()[_name] = _drawn(getattr(numpy.random, _name), _unchecked if _name in _STATE else _check_state)

#: NumPy's module of the functions with one state for the process, by which programs reach `RandomState` too.
mtrand = sys.modules[f"{__name__}.mtrand"] = sys.modules[__name__]
