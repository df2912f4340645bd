"""NumPy's generator object on any backend: an object with a state, which draws by the backend's own fast generator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from copy import copy, deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ...backend import get, of
from ...core.dtypes import Dtype, DtypeLike, as_dtype, float32, float64, int_limits, uint32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.exchange.output import written
from ...engine.plans.conversion import device_for, native_device_for
from ...errors import AxisError
from ...policy import current
from .continuous import _factor
from .discrete import _log_of_rest, integers_between, randint
from .drawing import (
    SCALAR,
    as_dtype_of,
    check,
    check_range,
    floating,
    holds,
    integral,
    key_of,
    next_after,
    param,
    refuse_chances,
    refuse_state_in_a_trace,
    scaled,
    seen,
    shape_of,
    shown_wrong,
    spread,
    under_ours,
)
from .keyed import KeySource
from .permuting import _population, shuffle_list
from .rejection import hypergeometric, until_accepted, von_mises, zipf

if TYPE_CHECKING:
    from numpy.random import SeedSequence

    from ...core.device import Device

__all__ = ["Generator", "default_rng", "seed"]

Size = int | tuple[int, ...] | None

#: The seed sequence that generators without a seed take theirs from; None for the system's entropy.
_global: Any = None


def seed(value: int | None, /) -> None:
    """Set the seed from which generators without one take theirs, so that a whole program repeats its numbers.

    Parameters
    ----------
    value: an int of at least 0; None to go back to the system's entropy.

    Raises
    ------
    TypeError, ValueError: what NumPy takes for no seed.

    Notes
    -----
    It is a state of the process, which a traced function reads once. Functions of a key have none: see `key`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.random.seed(0)
    >>> x = lw.random.default_rng().random()
    >>> lw.random.seed(0)
    >>> bool(lw.random.default_rng().random() == x)
    True
    >>> lw.random.seed(None)
    """
    global _global
    _global = None if value is None else _sequence("seed", value)


def default_rng(
    seed: int | Sequence[int] | SeedSequence | Array | Generator | None = None,
    *,
    backend: str | None = None,
    device: Any = None,
) -> Generator:
    """Make a generator with the methods of NumPy's, which draws by a key, or by the backend's own generator.

    Parameters
    ----------
    seed: an int of at least 0, or several; a `numpy.random.SeedSequence`; None for one of the system's entropy, or that
        `lw.random.seed` has set. Or a key, as `lw.random.key` makes it. A generator is given back. A bit generator,
        generator or RandomState of NumPy goes on from its state, on the NumPy backend.
    backend: the backend whose arrays it makes; the current one by default.
    device: where the arrays lie; a `Device` of an array brings its backend with it.

    Returns
    -------
    The generator. The same seed gives the same numbers on one backend, and others on another backend, version or
    device. The generator of a key splits it with each draw, and draws the same numbers on every backend, to rounding:
    the first draw is that of ``key, subkey = lw.random.split(key)`` by `subkey`.

    Notes
    -----
    The generator of a key may be made in a function that `jax.jit` traces, of a key that is an argument: it is then
    part of what is traced. Made outside of it, it is refused there. It can be copied and pickled, and goes on by itself
    then. No two threads may draw from one generator: give each its own, ``rng.spawn(n)``.

    Examples
    --------
    >>> import latticework as lw
    >>> rng = lw.random.default_rng(0)
    >>> rng.integers(10, size=3).shape
    (3,)
    >>> rng
    Generator(backend='numpy', device='cpu')
    >>> same = [lw.random.default_rng(lw.random.key(0, backend=b)).integers(100, size=3) for b in ("numpy", "torch")]
    >>> same[0].tolist() == same[1].tolist()
    True
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator):
        return seed._generator
    if _is_key(seed):
        key = key_of("key", seed)
        if device is not None or backend is not None:
            key = lw.asarray(key, device=device, backend=backend)
        return Generator(KeySource(key), key._sig.backend, key.device)
    owner = get(getattr(device, "backend", None) or backend or current().backend)
    if not hasattr(owner.module, "random"):  # arrays without data, which have no values to draw
        owner = get("numpy")
    if seed is None and _global is not None:
        sequence = _global.spawn(1)[0]
    elif _of_numpy(seed):
        return Generator(_around(seed, owner), owner, device)
    else:
        sequence = _sequence("default_rng", seed)
    return Generator(sequence, owner, device)


def _is_key(seed: Any) -> bool:
    """Return whether a seed is a key. NumPy's own arrays of two words are seeds as NumPy takes them."""
    if type(seed) is Array:
        return seed.dtype is uint32 and seed.shape in ((2,), (None,))
    owner = None if type(seed) is int or seed is None else of(seed)
    return owner is not None and owner.name != "numpy" and tuple(seed.shape) in ((2,), ())


def _sequence(name: str, seed: Any) -> Any:
    import numpy as np

    if isinstance(seed, np.random.SeedSequence):
        return seed
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"random.{name}: seed must be an int of at least 0; got {seed!r}") from None


def _of_numpy(seed: Any) -> bool:
    """Return whether a seed is a NumPy generator, which has a state."""
    if type(seed) is int or seed is None:
        return False
    import numpy as np

    return isinstance(seed, (np.random.BitGenerator, np.random.Generator, np.random.RandomState))


def _around(seed: Any, owner: Any) -> Any:
    """NumPy's generator with the state of one of its objects, which both go on from."""
    import numpy as np

    if owner.name != "numpy":
        raise TypeError(
            f"random.default_rng: seed has a state of NumPy's ({type(seed).__name__}), from which the backend "
            f"{owner.name!r} cannot go on. Take an int as seed, or default_rng(seed, backend='numpy')"
        )
    return np.random.default_rng(seed)


class BitGenerator:
    """The state of a generator, as NumPy's `Generator.bit_generator` has it: to be saved, and put back.

    Examples
    --------
    >>> import latticework as lw
    >>> rng = lw.random.default_rng(0)
    >>> state = rng.bit_generator.state
    >>> x = rng.random(3)
    >>> rng.bit_generator.state = state
    >>> bool(lw.all(rng.random(3) == x))
    True
    """

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def __repr__(self) -> str:
        return f"BitGenerator(backend={self._generator.backend!r})"

    @property
    def state(self) -> dict[str, Any]:
        """A dict of Python's and NumPy's values, with the backend that it is for; it goes through `pickle`."""
        return {"bit_generator": self._generator.backend, **self._generator._source.state()}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError(f"bit_generator.state: takes the dict that it gave; got {type(value).__name__}")
        backend = self._generator.backend
        if value.get("bit_generator") != backend:
            raise ValueError(
                f"bit_generator.state: this generator is of the backend {backend!r}, and the state of "
                f"{value.get('bit_generator')!r}"
            )
        self._generator._source.restore({n: v for n, v in value.items() if n != "bit_generator"})

    @property
    def seed_seq(self) -> SeedSequence:
        """The `numpy.random.SeedSequence` that the generator was made of."""
        found: SeedSequence = self._generator._sequence
        return found

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of NumPy's bit generators, from NumPy's own; only on the NumPy backend."""
        way_out = _OF_BIT_GENERATORS.get(name)
        if way_out is None:
            raise AttributeError(f"'BitGenerator' object has no attribute {name!r}", name=name)
        if self._generator.backend != "numpy":
            raise AttributeError(
                f"bit_generator.{name}: the generator of the backend {self._generator.backend!r} is not NumPy's, and "
                f"has no such attribute. {way_out}",
                name=name,
            )
        return getattr(self._generator.data.bit_generator, name)


#: Other attributes of NumPy's bit generators -> what to write on a backend whose generator is not NumPy's.
_OF_BIT_GENERATORS = {
    **dict.fromkeys(("jumped", "advance", "spawn"), "For generators that have nothing in common, take rng.spawn(n)"),
    "random_raw": "For random bits, take rng.integers(0, 2**64, size, dtype='uint64')",
    "lock": "Give each thread a generator of its own: rng.spawn(n)",
    **dict.fromkeys(("capsule", "cffi", "ctypes"), "For compiled code, take lw.random.default_rng(backend='numpy')"),
}


class Generator:
    """Random numbers from a state, which each call changes: NumPy's Generator on any backend. See `default_rng`.

    The methods have NumPy's names and parameters. `size` is the shape of the result, by default that of the parameters.
    Floats are of the default float, and integers of the default int, unless `dtype` or the parameters say otherwise.

    A function that is traced (by jax.jit, tf.function, torch.compile) may read the state once, while it is traced, and
    repeat the same numbers in each call. There, take functions of a key. `shuffle` writes into its array.

    Examples
    --------
    >>> import latticework as lw
    >>> rng = lw.random.default_rng(0, backend="torch")
    >>> x = rng.normal(10, 2, size=(100, 100))
    >>> x.backend, x.dtype, x.shape
    ('torch', lw.float32, (100, 100))
    """

    def __init__(self, sequence: Any, owner: Any, device: Any = None) -> None:
        self.backend: str = owner.name
        self.device: Device = device_for(owner, device) or owner.device(None)
        self._sequence: Any = None
        self._state: Any = sequence
        if isinstance(sequence, KeySource):
            return
        own = getattr(sequence, "bit_generator", None)  # of a generator of NumPy, which is taken as it is
        self._sequence = sequence if own is None else getattr(own, "seed_seq", None)
        self._state = owner.module.random._Source(sequence, native_device_for(owner, device))

    def __copy__(self) -> Generator:
        """Return a generator that draws the same numbers, and goes on by itself."""
        copied = object.__new__(Generator)
        vars(copied).update(vars(self))
        copied._state = copy(self._state) if isinstance(self._state, KeySource) else deepcopy(self._state)
        return copied

    def __repr__(self) -> str:
        return f"Generator(backend={self.backend!r}, device={str(self.device)!r})"

    @property
    def _source(self) -> Any:
        """The backend's source of numbers. A trace is refused: the graph would give the same numbers in each call."""
        if isinstance(self._state, KeySource):
            self._state.check()
        else:
            way_out = "Give the function a key, and draw by it: lw.random.normal(key, shape)"
            refuse_state_in_a_trace("a Generator", way_out)
        return self._state

    @property
    def data(self) -> Any:
        """The backend's own generator, which is what has the state."""
        return self._source.native

    @property
    def bit_generator(self) -> BitGenerator:
        """The object with the generator's state: ``rng.bit_generator.state`` can be read and set."""
        return BitGenerator(self)

    def spawn(self, n_children: int) -> list[Generator]:
        """Make `n_children` generators that have nothing in common with this one or each other."""
        owner = get(self.backend)
        if isinstance(self._state, KeySource):
            return [Generator(KeySource(key), owner, self.device) for key in self._source.keys(n_children)]
        children: Any = self._sequence
        if self.backend == "numpy":  # NumPy's may have another bit generator
            children = self._state.native
        return [Generator(s, owner, self.device) for s in children.spawn(n_children)]

    def bytes(self, length: int) -> Any:
        """Draw `length` bytes, as Python's `bytes`."""
        import numpy as np

        return np.asarray(self.integers(0, 256, size=length, dtype="uint8")).tobytes()

    # --- what the backend draws ------------------------------------------------------------------------------------

    def _drawn(self, kind: str, dtype: Dtype, *args: Any) -> Array:
        owner = get(self.backend)
        owner.sig(dtype)  # raises, with a way out, if the backend lacks the dtype
        found: Array = lw.asarray(getattr(self._source, kind)(*args, owner.native_dtypes[dtype]))
        return found if found.dtype is dtype else lw.astype(found, dtype)

    def _of(self, kind: str, dtype: Dtype, *params: Array) -> Array:
        """Draw with parameters that are arrays of the result's shape, in float32 at least."""
        wide = float64 if dtype is float64 else float32
        found: Array = lw.asarray(getattr(self._source, kind)(*[as_dtype_of(p, wide)._data for p in params]))
        return found if found.dtype is dtype else lw.astype(found, dtype)

    def _read(self, name: str, size: Any, dtype: Any, **params: Any) -> tuple[list[Any], Dtype, Any]:
        """Read parameters, and find the dtype and the shape of the result."""
        name = f"Generator.{name}"
        values = [param(name, what, value, self) for what, value in params.items()]  # type: ignore[arg-type]
        for (what, given), value in zip(params.items(), values, strict=True):
            found = _RULES.get(f"{name[10:]} {what}") or _RULES.get(what)
            if found is not None:
                self._keep(name, what, value, given, *found)
        return values, floating(name, dtype, *values), shape_of(name, size, *values)

    def _keep(self, name: str, what: str, value: Any, given: Any, rule: Any, words: str) -> Any:
        """Refuse a parameter if it, or a known element of it, breaks a rule. Return the result of `seen`."""
        known = seen(value, given)
        if not holds(rule, known):
            raise ValueError(f"random.{name}: {what} must be {words}; got {shown_wrong(rule, known)}")
        return known

    def _into(self, name: str, size: Any, dtype: Any, out: Any) -> tuple[Any, Any]:
        """The size and the dtype that an array `out` asks for, checked as NumPy does; those given, where it is None."""
        if out is None:
            return size, dtype
        name = f"random.Generator.{name}"
        if type(out) is not Array:
            raise TypeError(f"{name}: out must be an Array of latticework; got {type(out).__name__}")
        if out.dtype.kind != "f" or (dtype is not None and as_dtype(dtype) is not out.dtype):
            wanted = "a real floating dtype" if dtype is None else as_dtype(dtype)
            raise TypeError(f"{name}: out must have {wanted}; got an array of {out.dtype}")
        if size is not None and shape_of(name.partition(".")[2], size) != out.shape:
            raise ValueError(f"{name}: size must be the shape of out, {out.shape}; got {size!r}")
        return out.shape, out.dtype

    def _given(self, name: str, result: Array, out: Any) -> Array:
        return result if out is None else written(f"random.Generator.{name}", result, out)

    # --- uniform numbers -------------------------------------------------------------------------------------------

    def random(self, size: Size = None, dtype: DtypeLike | None = None, out: Array | None = None) -> Array:
        """Draw uniform numbers in [0, 1)."""
        size, dtype = self._into("random", size, dtype, out)
        _, found, shape = self._read("random", size, dtype)
        return self._given("random", self._drawn("unit", found, shape), out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw uniform numbers from low up to, and without, high."""
        given = low, high
        (low, high), found, shape = self._read("uniform", size, dtype, low=low, high=high)
        ends = seen(low, given[0]), seen(high, given[1])
        check_range("random.Generator.uniform", *ends, found)
        if not holds(lambda a, b: a <= b, *ends):
            shown = [repr(v) if type(v) in SCALAR else "an array" for v in ends]
            raise ValueError(
                f"random.Generator.uniform: low must not be above high; got low={shown[0]}, high={shown[1]}"
            )
        with under_ours():
            low, high = as_dtype_of(low, found), as_dtype_of(high, found)
            return scaled(self._drawn("unit", found, shape), low, high - low, found)

    def integers(
        self, low: Any, high: Any = None, size: Size = None, dtype: DtypeLike | None = None, endpoint: bool = False
    ) -> Array:
        """Draw integers from low up to high, and high itself with `endpoint`; from 0 up to low, if high is None."""
        found = current().promote(int) if dtype is None else as_dtype(dtype)
        if found.kind not in "iub" or found.storage:
            raise TypeError(f"random.Generator.integers: dtype must be an integer one, or bool; got {found}")
        get(self.backend).sig(found)  # raises, with a way out, if the backend lacks the dtype
        drawn = as_dtype("uint8") if found.kind == "b" else found
        low, high = (0, low) if high is None else (low, high)
        (low, low_seen), (high, high_seen) = self._bound_of("low", low), self._bound_of("high", high)
        _, most, least, _ = (8, 1, 0, None) if found.kind == "b" else int_limits(found)
        shape: Any = shape_of("Generator.integers", size, low, high)
        problem = _wrong_bounds(low_seen, high_seen, endpoint, found, least, most)
        if problem:
            if 0 not in shape:
                raise ValueError(f"random.Generator.integers: {problem}")
            return lw.zeros(shape, dtype=found, device=self.device)  # as NumPy, which looks at no bounds here
        with under_ours():
            if isinstance(low, Array) or isinstance(high, Array):
                result = integers_between(self._key(), size, low, high, drawn, inclusive=bool(endpoint))
            elif low >= -(2**63) and high + bool(endpoint) < 2**63:
                result = self._drawn("integers", drawn, low, high + bool(endpoint), shape)
            else:
                result = randint(self._key(), shape, low, high + bool(endpoint), drawn)
            return result if drawn is found else lw.astype(result, found)

    def _bound_of(self, what: str, value: Any) -> tuple[Any, Any]:
        """Read a bound of integers: an int or an array, and what is known of it. Floats are cut off, as by NumPy."""
        name = "Generator.integers"
        if hasattr(value, "__index__") and not getattr(value, "shape", ()):
            return (found := int(value)), found
        given, value = value, param(name, what, value, self)  # type: ignore[arg-type]
        if isinstance(value, float):
            if not math.isfinite(value):
                raise (ValueError if math.isnan(value) else OverflowError)(
                    f"random.{name}: {what} must be finite; got {value!r}"
                )
            return (found := int(value)), found
        if not isinstance(value, Array) or value.dtype.kind not in "iufb":
            shown = value.dtype if isinstance(value, Array) else repr(value)
            raise TypeError(f"random.{name}: {what} must be an int or an integer array; got {shown}")
        known = seen(value, given)
        if value.dtype.kind in "iu":
            return value, known
        if value.dtype.kind == "b" and not isinstance(known, Array) and known is not None:
            known = known.astype("uint8")
        widest = as_dtype("int64" if as_dtype("int64") in get(self.backend).native_dtypes else "int32")
        _, most, least, _ = int_limits(widest)
        rule = lambda v: (v >= least) & (v < most + 1)  # noqa: E731
        if not holds(rule, known):
            raise ValueError(
                f"random.{name}: {what} must be finite, and within {widest}; got {shown_wrong(rule, known)}"
            )
        known = known if known is None or isinstance(known, Array) else known.astype(str(widest))
        with under_ours():
            value = lw.astype(value, widest)
            return value, value if isinstance(known, Array) else known

    def _key(self) -> Array:
        """Draw a key."""
        return self._drawn("integers", as_dtype("uint32"), 0, 2**32, (2,))

    # --- continuous distributions ----------------------------------------------------------------------------------

    def standard_normal(self, size: Size = None, dtype: DtypeLike | None = None, out: Array | None = None) -> Array:
        """Draw numbers of the normal distribution of mean 0 and standard deviation 1."""
        size, dtype = self._into("standard_normal", size, dtype, out)
        return self._given("standard_normal", self.normal(size=size, dtype=dtype), out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a normal distribution with mean loc and standard deviation scale."""
        (loc, scale), found, shape = self._read("normal", size, dtype, loc=loc, scale=scale)
        with under_ours():
            return scaled(self._drawn("normal", found, shape), loc, scale, found)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers whose logarithm is of a normal distribution with mean and standard deviation sigma."""
        (mean, sigma), found, shape = self._read("lognormal", size, dtype, mean=mean, sigma=sigma)
        with under_ours():
            return lw.exp(scaled(self._drawn("normal", found, shape), mean, sigma, found))

    def standard_exponential(
        self,
        size: Size = None,
        dtype: DtypeLike | None = None,
        method: Literal["zig", "inv"] = "zig",
        out: Array | None = None,
    ) -> Array:
        """Draw numbers of the exponential distribution of mean 1: by the backend's own method, or by ``-log(1 - u)`` of
        uniform numbers u with ``method="inv"``."""
        if method not in ("zig", "inv"):
            raise ValueError(f"random.Generator.standard_exponential: method must be 'zig' or 'inv'; got {method!r}")
        size, dtype = self._into("standard_exponential", size, dtype, out)
        if method == "zig":
            return self._given("standard_exponential", self.exponential(size=size, dtype=dtype), out)
        with under_ours():
            return self._given("standard_exponential", -lw.log1p(-self.random(size, dtype)), out)

    def exponential(self, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of an exponential distribution with mean scale."""
        (scale,), found, shape = self._read("exponential", size, dtype, scale=scale)
        with under_ours():
            return scaled(self._drawn("exponential", found, shape), 0, scale, found)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Laplace distribution: exponential ones to both sides of loc."""
        (loc, scale), found, shape = self._read("laplace", size, dtype, loc=loc, scale=scale)
        with under_ours():
            x = self._drawn("exponential", found, shape) - self._drawn("exponential", found, shape)
            return scaled(x, loc, scale, found)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Gumbel distribution with mode loc."""
        (loc, scale), found, shape = self._read("gumbel", size, dtype, loc=loc, scale=scale)
        with under_ours():
            return scaled(-lw.log(self._drawn("exponential", found, shape)), loc, scale, found)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a logistic distribution with mean loc."""
        (loc, scale), found, shape = self._read("logistic", size, dtype, loc=loc, scale=scale)
        with under_ours():
            x = lw.log(self._drawn("exponential", found, shape)) - lw.log(self._drawn("exponential", found, shape))
            return scaled(x, loc, scale, found)

    def standard_cauchy(self, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of the Cauchy distribution: quotients of normal numbers."""
        _, found, shape = self._read("standard_cauchy", size, dtype)
        return self._drawn("normal", found, shape) / self._drawn("normal", found, shape)

    def standard_gamma(
        self, shape: Any, size: Size = None, dtype: DtypeLike | None = None, out: Array | None = None
    ) -> Array:
        """Draw numbers of a gamma distribution of scale 1; `shape` is its parameter, as NumPy calls it."""
        size, dtype = self._into("standard_gamma", size, dtype, out)
        return self._given("standard_gamma", self.gamma(shape, size=size, dtype=dtype), out)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a gamma distribution; `shape` is its first parameter, as NumPy calls it."""
        (shape, scale), found, extents = self._read("gamma", size, dtype, shape=shape, scale=scale)
        with under_ours():
            return scaled(self._gammas(shape, extents, found), 0, scale, found)

    def _gammas(self, a: Any, shape: Any, dtype: Dtype) -> Array:
        return self._of("gamma", dtype, spread(a, shape, dtype, self))  # type: ignore[arg-type]

    def chisquare(self, df: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a chi-square distribution with df degrees of freedom."""
        (df,), found, shape = self._read("chisquare", size, dtype, df=df)
        with under_ours():
            return self._gammas(df / 2, shape, found) * 2

    def f(self, dfnum: Any, dfden: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of an F distribution: quotients of chi-square numbers, each over its degrees of freedom."""
        (dfnum, dfden), found, shape = self._read("f", size, dtype, dfnum=dfnum, dfden=dfden)
        with under_ours():
            x, y = (self._gammas(df / 2, shape, found) / as_dtype_of(df, found) for df in (dfnum, dfden))
            result: Array = x / y
            return result

    def standard_t(self, df: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of Student's t distribution with df degrees of freedom."""
        (df,), found, shape = self._read("standard_t", size, dtype, df=df)
        with under_ours():
            half = spread(df, shape, found, self) / 2  # type: ignore[arg-type]
            return self._drawn("normal", found, shape) * lw.sqrt(half / self._gammas(half, shape, found))

    def beta(self, a: Any, b: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a beta distribution."""
        (a, b), found, shape = self._read("beta", size, dtype, a=a, b=b)
        with under_ours():
            x, y = self._gammas(a, shape, found), self._gammas(b, shape, found)
            return x / (x + y)

    def dirichlet(self, alpha: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw vectors of a Dirichlet distribution: shape (*size, n) for alpha of n elements."""
        given, alpha = alpha, param("Generator.dirichlet", "alpha", alpha, self)  # type: ignore[arg-type]
        if not isinstance(alpha, Array) or not alpha.shape:
            raise ValueError(f"random.Generator.dirichlet: alpha must have at least one axis; got {alpha!r}")
        self._keep("Generator.dirichlet", "alpha", alpha, given, *_NOT_NEGATIVE)
        found = floating("Generator.dirichlet", dtype, alpha)
        shape: Any = alpha.shape
        if size is not None:
            shape = (*shape_of("Generator.dirichlet", size), alpha.shape[-1])
        with under_ours():
            x = self._gammas(alpha, shape, found)
            return x / lw.sum(x, axis=-1, keepdims=True)

    def pareto(self, a: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Pareto II (Lomax) distribution."""
        (a,), found, shape = self._read("pareto", size, dtype, a=a)
        with under_ours():
            return lw.expm1(self._drawn("exponential", found, shape) / as_dtype_of(a, found))

    def power(self, a: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers in [0, 1] of the density a * x**(a - 1)."""
        (a,), found, shape = self._read("power", size, dtype, a=a)
        with under_ours():
            return lw.exp(-self._drawn("exponential", found, shape) / as_dtype_of(a, found))

    def rayleigh(self, scale: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Rayleigh distribution."""
        (scale,), found, shape = self._read("rayleigh", size, dtype, scale=scale)
        with under_ours():
            return scaled(lw.sqrt(self._drawn("exponential", found, shape) * 2), 0, scale, found)

    def weibull(self, a: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Weibull distribution of scale 1."""
        given = a
        (a,), found, shape = self._read("weibull", size, dtype, a=a)
        known = seen(a, given)
        with under_ours():
            a, x = as_dtype_of(a, found), self._drawn("exponential", found, shape)
            if known is not None and holds(lambda v: v != 0, known):
                return x ** (1 / a)  # type: ignore[no-any-return]
            if not isinstance(a, Array):
                return x * 0  # what the distribution comes to
            return lw.where(a == 0, 0.0, x ** (1 / lw.where(a == 0, 1.0, a)))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw sums of squares of df normal numbers whose squared means sum to nonc.

        Chi-square numbers of df plus twice a Poisson number of mean nonc / 2 degrees of freedom (Johnson, Kotz and
        Balakrishnan 1995, section 29.2).
        """
        given = nonc
        (df, nonc), found, shape = self._read("noncentral_chisquare", size, dtype, df=df, nonc=nonc)
        with under_ours():
            mean = spread(nonc, shape, found, self) / 2  # type: ignore[arg-type]
            if holds(lambda v: v == v, seen(nonc, given)):
                more = self._of("poisson", found, mean)
            else:
                more = lw.where(lw.isnan(mean), mean, self._of("poisson", found, lw.nan_to_num(mean, nan=0.0)))
            return self._gammas(as_dtype_of(df, found) / 2 + more, shape, found) * 2

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Size = None, dtype: DtypeLike | None = None
    ) -> Array:
        """Draw numbers of a noncentral F distribution: as `f`, with a noncentral chi-square number above."""
        given = self._read("noncentral_f", size, dtype, dfnum=dfnum, dfden=dfden, nonc=nonc)
        (dfnum, dfden, nonc), found, shape = given
        with under_ours():
            x = self.noncentral_chisquare(dfnum, nonc, shape, found) / as_dtype_of(dfnum, found)
            y = self._gammas(as_dtype_of(dfden, found) / 2, shape, found) * 2 / as_dtype_of(dfden, found)
            result: Array = x / y
            return result

    def vonmises(self, mu: Any, kappa: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw angles from -pi to pi of a von Mises distribution with mode mu and concentration kappa."""
        (mu, kappa), found, shape = self._read("vonmises", size, dtype, mu=mu, kappa=kappa)
        with under_ours():
            kappa = spread(kappa, shape, found, self)  # type: ignore[arg-type]
            if hasattr(self._source, "von_mises"):
                x = self._of("von_mises", found, kappa)
            else:
                wide = found if found.bits >= 32 else float32
                unit, exponential = (partial(self._drawn, kind, wide, shape) for kind in ("unit", "exponential"))
                x = as_dtype_of(von_mises(unit, exponential, as_dtype_of(kappa, wide)), found)
            turned: Array = x + as_dtype_of(mu, found) + math.pi
            return lw.remainder(turned, 2 * math.pi) - math.pi

    def triangular(self, left: Any, mode: Any, right: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of the triangular density that rises from left to mode and falls to right."""
        given = left, mode, right
        (left, mode, right), found, shape = self._read("triangular", size, dtype, left=left, mode=mode, right=right)
        ends = [seen(*pair) for pair in zip((left, mode, right), given, strict=True)]
        if not all(holds(lambda a, b: (a <= b) | (a != a) | (b != b), *pair) for pair in (ends[:2], ends[1:])) or (
            not holds(lambda a, b: a != b, ends[0], ends[2])
        ):
            raise ValueError(
                "random.Generator.triangular: left <= mode <= right and left < right must hold; "
                f"got left={left!r}, mode={mode!r}, right={right!r}"
            )
        with under_ours():
            u = self._drawn("unit", found, shape)
            left, mode, right = (as_dtype_of(v, found) for v in (left, mode, right))
            width = right - left
            rising = left + lw.sqrt(u * (width * (mode - left)))
            return lw.where(u < (mode - left) / width, rising, right - lw.sqrt((1 - u) * (width * (right - mode))))

    def wald(self, mean: Any, scale: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers of a Wald (inverse Gaussian) distribution. Michael, Schucany and Haas (1976)."""
        (mean, scale), found, shape = self._read("wald", size, dtype, mean=mean, scale=scale)
        with under_ours():
            mean, scale = (spread(v, shape, found, self) for v in (mean, scale))  # type: ignore[arg-type]
            y = mean * lw.square(self._drawn("normal", found, shape))
            x = mean + mean / (scale * 2) * (y - lw.sqrt(y * scale * 4 + y * y))
            return lw.where(self._drawn("unit", found, shape) <= mean / (mean + x), x, mean * mean / x)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Size = None,
        check_valid: Literal["warn", "raise", "ignore"] = "warn",
        tol: float = 1e-8,
        *,
        method: Literal["svd", "eigh", "cholesky"] = "svd",
        dtype: DtypeLike | None = None,
    ) -> Array:
        """Draw vectors of a normal distribution with a mean (n,) and a covariance (n, n): shape (*size, n).

        Unless `check_valid` is ``"ignore"``, a covariance that is not symmetric and positive semidefinite within `tol`
        is a RuntimeWarning, or a ValueError for ``"raise"``. ``method="cholesky"`` looks at it itself.
        """
        name = "Generator.multivariate_normal"
        mean, cov = (param(name, w, v, self) for w, v in (("mean", mean), ("cov", cov)))  # type: ignore[arg-type]
        if method not in ("cholesky", "eigh", "svd"):
            raise ValueError(f"random.{name}: method must be 'svd', 'eigh' or 'cholesky'; got {method!r}")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"random.{name}: check_valid must be 'warn', 'raise' or 'ignore'; got {check_valid!r}")
        shapes = [v.shape if isinstance(v, Array) else () for v in (mean, cov)]
        if len(shapes[0]) != 1 or shapes[1] != shapes[0] * 2:
            raise ValueError(
                f"random.{name}: mean must have shape (n,) and cov (n, n); got {shapes[0]} and {shapes[1]}"
            )
        found = floating(name, dtype, mean, cov)
        if check_valid != "ignore" and method != "cholesky" and not _is_covariance(cov, tol):
            said = f"random.{name}: the covariance is not symmetric and positive semidefinite within tol={tol!r}"
            if check_valid == "raise":
                raise ValueError(said)
            warnings.warn(said, RuntimeWarning, stacklevel=2)
        with under_ours():
            z = self._drawn("normal", found, (*shape_of(name, size), *shapes[0]))
            result: Array = lw.matmul(_factor(as_dtype_of(cov, found), method), z[..., None])[..., 0] + as_dtype_of(
                mean, found
            )
            return result

    # --- discrete distributions ------------------------------------------------------------------------------------

    def poisson(self, lam: Any = 1.0, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw counts of a Poisson distribution with mean lam."""
        (lam,), wide, shape = self._read("poisson", size, None, lam=lam)
        found = integral("Generator.poisson", dtype)
        with under_ours():
            return lw.astype(self._of("poisson", wide, spread(lam, shape, wide, self)), found)  # type: ignore[arg-type]

    def binomial(self, n: Any, p: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw how many of n trials succeed, each with probability p."""
        (n, p), wide, shape = self._read("binomial", size, None, n=n, p=p)
        return self._successes(n, p, wide, shape, integral("Generator.binomial", dtype))

    def _successes(self, n: Any, p: Any, wide: Dtype, shape: Any, found: Dtype) -> Array:
        with under_ours():
            trials, probability = (spread(v, shape, wide, self) for v in (n, p))  # type: ignore[arg-type]
            return lw.astype(self._of("binomial", wide, trials, probability), found)

    def negative_binomial(self, n: Any, p: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw how many trials fail before n succeed, each with probability p."""
        given = n, p
        (n, p), wide, shape = self._read("negative_binomial", size, None, n=n, p=p)
        if not holds(_has_a_mean, seen(n, given[0]), seen(p, given[1])):
            raise ValueError(
                "random.Generator.negative_binomial: n is too large, or p too small: the counts are beyond int64"
            )
        found = integral("Generator.negative_binomial", dtype)
        with under_ours():
            n, p = (spread(v, shape, wide, self) for v in (n, p))  # type: ignore[arg-type]
            return lw.astype(self._of("poisson", wide, self._gammas(n, shape, wide) * ((1 - p) / p)), found)

    def geometric(self, p: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw how many trials it takes until one succeeds, each with probability p."""
        (p,), wide, shape = self._read("geometric", size, None, p=p)
        found = integral("Generator.geometric", dtype)
        with under_ours():
            failed = lw.log1p(-as_dtype_of(p, wide)) if isinstance(p, Array) else _log_of_rest(p)
            return lw.astype(lw.floor(self._drawn("exponential", wide, shape) / -failed) + 1, found)

    def multinomial(self, n: Any, pvals: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw how often each of k categories comes in n trials: shape (*size, k) for pvals of shape (..., k)."""
        name = "Generator.multinomial"
        given = n, pvals
        n, pvals = param(name, "n", n, self), param(name, "pvals", pvals, self)  # type: ignore[arg-type]
        if not isinstance(pvals, Array) or not pvals.shape:
            raise ValueError(f"random.{name}: pvals must have shape (..., k); got {pvals!r}")
        self._keep(name, "n", n, given[0], *_COUNT)
        _check_shares(name, self._keep(name, "pvals", pvals, given[1], *_CHANCE))
        found = integral(name, dtype)
        shape: Any = shape_of(name, size, n, pvals[..., 0])
        with under_ours():
            left: Any = spread(n, shape, found, self)  # type: ignore[arg-type]
            rest = lw.flip(lw.cumulative_sum(lw.flip(pvals, axis=-1), axis=-1), axis=-1)
            shares = lw.where(rest > 0, pvals / lw.where(rest > 0, rest, 1.0), 0.0)
            counts = []
            for i in range(pvals.shape[-1]):  # of categories, not of elements
                share, last = lw.clip(shares[..., i], 0.0, 1.0), i == pvals.shape[-1] - 1
                wide = floating(name, None, left, share)
                counts.append(left if last else self._successes(left, share, wide, shape, found))
                left = left - counts[-1]
            return lw.stack(counts, axis=-1)

    def hypergeometric(
        self, ngood: Any, nbad: Any, nsample: Any, size: Size = None, dtype: DtypeLike | None = None
    ) -> Array:
        """Draw how many of a sample are good: nsample are taken, and not put back, of ngood and nbad ones.

        On JAX without 64-bit dtypes the chances are computed in float32, which tells some thousand ones apart.
        """
        name = "Generator.hypergeometric"
        params = {"ngood": ngood, "nbad": nbad, "nsample": nsample}
        values, _, shape = self._read("hypergeometric", size, None, **params)
        known = [seen(*pair) for pair in zip(values, params.values(), strict=True)]
        if not holds(lambda good, bad, sample: sample <= good + bad, *known):
            raise ValueError(
                f"random.{name}: nsample must not be above ngood + nbad; "
                f"got nsample={nsample}, ngood={ngood}, nbad={nbad}"
            )
        return self._good_of(values, shape, integral(name, dtype))

    def _good_of(self, values: Sequence[Any], shape: Any, found: Dtype) -> Array:
        """Draw how many of a sample are good: of good ones, bad ones, and how many are taken."""
        wide, values = self._widest(), [int(v) if type(v) is float else v for v in values]
        with under_ours():
            numbers = [spread(v, shape, wide, self) for v in values]  # type: ignore[arg-type]
            if hasattr(self._source, "hypergeometric"):
                return lw.astype(self._of("hypergeometric", wide, *numbers), found)
            return lw.astype(hypergeometric(partial(self._drawn, "unit", wide, shape), *numbers), found)

    def multivariate_hypergeometric(
        self,
        colors: Any,
        nsample: int,
        size: Size = None,
        method: Literal["marginals", "count"] = "marginals",
        *,
        dtype: DtypeLike | None = None,
    ) -> Array:
        """Draw how often each of k colors comes in a sample that is not put back: shape (*size, k).

        One color after the other, by `hypergeometric`; `method` is taken for NumPy's sake.
        """
        name = "Generator.multivariate_hypergeometric"
        if method not in ("marginals", "count"):
            raise ValueError(f"random.{name}: method must be 'marginals' or 'count'; got {method!r}")
        given, colors = colors, param(name, "colors", colors, self)  # type: ignore[arg-type]
        if not isinstance(colors, Array) or len(colors.shape) != 1 or colors.dtype.kind not in "iu":
            raise ValueError(f"random.{name}: colors must be integers of shape (k,); got {colors!r}")
        known = self._keep(name, "colors", colors, given, *_COUNT)
        count = getattr(nsample, "item", lambda: nsample)()
        if not hasattr(count, "__index__"):
            raise ValueError(f"random.{name}: nsample must be an int; got {nsample!r}")
        nsample = int(count)
        check(name, "nsample", nsample, 0, math.inf, rule="at least 0")
        if known is not None:
            total = sum(known.tolist())
            if nsample > total:
                raise ValueError(f"random.{name}: nsample must not be above the sum of colors, {total}; got {nsample}")
            if total >= 10**9 and method == "marginals":
                raise ValueError(f"random.{name}: the sum of colors must be below 10**9; got {total}")
        found = integral(name, dtype)
        shape: Any = shape_of(name, size)
        with under_ours():
            left: Any = lw.full(shape, nsample, dtype=found, device=self.device)
            rest = lw.flip(lw.cumulative_sum(lw.flip(colors)))
            counts = []
            for i in range(colors.shape[0]):  # of colors, not of elements
                last = i == colors.shape[0] - 1
                drawn = left if last else self._good_of((colors[i], rest[i + 1], left), shape, found)
                counts.append(drawn)
                left = left - drawn
            return lw.stack(counts, axis=-1)

    def logseries(self, p: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers from 1 of the chances -p**k / (k * log(1 - p)). Kemp (1981)."""
        (p,), wide, shape = self._read("logseries", size, None, p=p)
        found = integral("Generator.logseries", dtype)
        with under_ours():
            of_rest = lw.log1p(-as_dtype_of(p, wide)) if isinstance(p, Array) else _log_of_rest(p)
            q = lw.log1p(-lw.exp(self._drawn("unit", wide, shape) * of_rest))
            return lw.astype(lw.floor(-self._drawn("exponential", wide, shape) / q) + 1, found)

    def zipf(self, a: Any, size: Size = None, dtype: DtypeLike | None = None) -> Array:
        """Draw numbers k from 1 of chances in proportion to k**-a: int64 by default, as most dtypes are too narrow.

        What the dtype does not hold is not drawn.
        """
        (a,), _, shape = self._read("zipf", size, None, a=a)
        wide = self._widest()
        found = integral("Generator.zipf", dtype or ("int64" if wide is float64 else None))
        most = math.inf if found.kind == "f" else next_after(int_limits(found)[1] + 1, 0, wide)
        with under_ours():
            a = spread(a, shape, wide, self)  # type: ignore[arg-type]
            if hasattr(self._source, "zipf"):
                draw = partial(self._zipf_up_to, most, a)
                return lw.astype(draw()[0] if found.bits == 64 else until_accepted(draw), found)
            return lw.astype(zipf(partial(self._drawn, "unit", wide, shape), a, most), found)

    def _zipf_up_to(self, most: float, a: Array) -> tuple[Array, Array]:
        x = self._of("zipf", a.dtype, a)
        return x, x <= most

    def _widest(self) -> Dtype:
        """The widest floating dtype of the backend, in which chances are computed."""
        return float64 if float64 in get(self.backend).native_dtypes else float32

    # --- permutations ----------------------------------------------------------------------------------------------

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """Permute the slices of an array along an axis, or the integers below an int, as a new array."""
        if type(x) is float or (getattr(x, "shape", None) == () and str(getattr(x, "dtype", "")).startswith("float")):
            raise AxisError(
                f"random.Generator.permutation: x must be an int, or an array with the axis {axis}; got {x!r}"
            )
        x, axis, n = self._from("permutation", x, axis)
        return lw.take(x, self._order(n), axis=axis)

    def permuted(self, x: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """Permute the lines of an array along an axis, each by itself, or all its elements: as a new array, or into
        `out`, which may be x."""
        x = param("Generator.permuted", "x", x, self)  # type: ignore[arg-type]
        if not isinstance(x, Array) or not x.shape:
            if axis is not None:
                raise AxisError(f"random.Generator.permuted: axis {axis} is out of bounds for an array of shape ()")
            raise TypeError(f"random.Generator.permuted: x must be an array with axes; got {x!r}")
        if out is not None and type(out) is Array and isinstance(x, Array) and out.dtype is not x.dtype:
            raise TypeError(f"random.Generator.permuted: out must have the dtype of x, {x.dtype}; got {out.dtype}")
        if axis is None:
            result: Array = lw.reshape(self.permutation(lw.reshape(x, (-1,))), x.shape)
        else:
            x, axis, _ = self._from("permuted", x, axis)
            words = self._drawn("integers", as_dtype("uint32"), 0, 2**32, x.shape)
            result = lw.take_along_axis(x, lw.argsort(words, axis=axis), axis=axis)
        return self._given("permuted", result, out)

    def shuffle(self, x: Array | list[Any], axis: int = 0) -> None:
        """Permute the slices of an array along an axis, or the elements of a list, in place."""
        if isinstance(x, list):
            if axis != 0:
                raise NotImplementedError("random.Generator.shuffle: a list has no axis but 0. Take lw.asarray(x)")
            shuffle_list("Generator.shuffle", x, axis, self._order)
            return
        if not isinstance(x, Array):
            raise TypeError(
                f"random.Generator.shuffle: x must be an Array or a list; got {type(x).__name__}. Take permutation(x)"
            )
        x[...] = self.permutation(x, axis)

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Array:
        """Choose slices of an array along an axis, or integers below an int, with equal probabilities or those of p.

        `shuffle` is taken for NumPy's sake: what is chosen without replacement is in random order in any case.
        """
        if a is None or isinstance(a, (float, complex, str)):
            raise ValueError(f"random.Generator.choice: a must be an int or an array; got {a!r}")
        x, axis, n = self._from("choice", a, axis)
        shape: Any = shape_of("Generator.choice", size)
        count = math.prod(shape)
        if count and not n:
            raise ValueError("random.Generator.choice: there is nothing to choose from")
        if not replace and count > n:
            raise ValueError(f"random.Generator.choice: {count} of {n} cannot be chosen without replacement")
        if p is None:
            at = self.integers(n, size=shape) if replace and count else self._order(n)[:count]
        else:
            given, p = p, param("Generator.choice", "p", p, self)  # type: ignore[arg-type]
            if not isinstance(p, Array) or p.shape != (n,):
                got = p.shape if isinstance(p, Array) else p
                raise ValueError(f"random.Generator.choice: p must have shape ({n},), one for each; got {got}")
            refuse_chances("random.Generator.choice", seen(p, given), p.dtype, None if replace else count)
            found = floating("Generator.choice", None, p)
            if replace:
                total = lw.cumulative_sum(as_dtype_of(p, found))
                at = lw.searchsorted(total, total[-1] * (1 - self._drawn("unit", found, shape)))
            else:  # the first of so many clocks, that ring at rates p
                at = lw.argsort(self._drawn("exponential", found, (n,)) / as_dtype_of(p, found))[:count]
        taken = lw.take(x, lw.reshape(at, (-1,)), axis=axis)
        return lw.reshape(taken, (*x.shape[:axis], *shape, *x.shape[axis + 1 :]))

    def _from(self, name: str, x: Any, axis: int) -> tuple[Array, int, int]:
        x, axis, n = _population(f"Generator.{name}", self, x, axis)
        return x, axis, n

    def _order(self, n: int) -> Array:
        """0 to n - 1 in random order."""
        found: Array = lw.asarray(self._source.permutation(n))
        return found


def _wrong_bounds(low: Any, high: Any, endpoint: bool, dtype: Dtype, least: int, most: int) -> str:
    """Return what is wrong with integer bounds, by NumPy's rules; "" for nothing, and for bounds that are not known.

    `low` and `high` are results of `seen`: ints, NumPy arrays, lw.Arrays on another device, None.
    """
    if low is None or high is None:
        return ""
    ends: tuple[int, ...] = (low, high)
    if type(low) is int and type(high) is int:
        wrong = low > high if endpoint else low >= high
    else:
        sizes = [getattr(v, "size", 1) for v in (low, high)]
        if 0 in sizes:
            return ""
        ends = tuple(int(v if type(v) is int else f(v)) for f, v in ((_least, low), (_most, high)))
        wrong = not holds((lambda a, b: a <= b) if endpoint else (lambda a, b: a < b), low, high)
    shown = [
        f"{e}" if type(v) is int else f"an array {side} {e}"
        for v, side, e in zip((low, high), ("from", "up to"), ends, strict=True)
    ]
    got = f"low={shown[0]}, high={shown[1]}"
    if ends[0] < least or ends[1] - (not endpoint) > most:
        return f"{dtype} holds {least} to {most}; got {got}"
    if wrong:
        return f"{'low must not be above high' if endpoint else 'low must be below high'}; got {got}"
    return ""


def _least(x: Any) -> int:
    return int(lw.min(x)) if isinstance(x, Array) else int(x.min())


def _most(x: Any) -> int:
    return int(lw.max(x)) if isinstance(x, Array) else int(x.max())


def _check_shares(name: str, pvals: Any) -> None:
    """Refuse shares that have more than 1 in sum without the last, as NumPy does: but for the rounding of a dtype."""
    import numpy as np

    if pvals is None:
        return
    given = np.asarray(pvals)
    eps = 1e-24 if given.dtype.kind in "biu" or given.dtype.itemsize >= 8 else float(lw.finfo(given.dtype).eps)
    total = given[..., :-1].astype(np.float64).sum(axis=-1).max(initial=0)
    if total > 1 + math.sqrt(eps):
        raise ValueError(f"random.{name}: pvals must have at most 1 in sum without the last; got {float(total)!r}")


def _has_a_mean(n: Any, p: Any) -> Any:
    """Return whether negative binomial numbers stay below the greatest int64, by NumPy's check."""
    return (1 - p) / p * (n + 10 * n**0.5) <= _GREATEST_MEAN


def _is_covariance(cov: Array, tol: float) -> bool:
    """Return whether a matrix is symmetric and positive semidefinite, within a tolerance."""
    import numpy as np

    found = np.asarray(lw.astype(cov, float64 if float64 in cov._sig.backend.native_dtypes else float32))
    if not np.allclose(found, found.T, rtol=tol, atol=tol):
        return False
    return bool((np.linalg.eigvalsh(found) >= -max(tol, tol * np.abs(found).max(initial=0))).all())


#: The greatest mean of a Poisson number, as NumPy has it: ten standard deviations above it, int64 ends.
_GREATEST_MEAN = 2.0**63 - 10 * 2.0**31.5

_NOT_NEGATIVE = (lambda v: (v >= 0) | (v != v)), "at least 0"
_ABOVE_0 = (lambda v: (v > 0) | (v != v)), "above 0"
_COUNT = (lambda v: v >= 0), "at least 0"
_SOME = (lambda v: v > 0), "above 0"
_CHANCE = (lambda v: (v >= 0) & (v <= 1)), "a probability, in [0, 1]"
_SOME_CHANCE = (lambda v: (v > 0) & (v <= 1)), "a probability, in (0, 1]"
_FEW = (lambda v: (v >= 0) & (v < 10**9)), "at least 0 and below 10**9"

#: Parameters by name, or by method and name: what must hold, which of nan some do, and the rule in words. As NumPy's.
_RULES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("scale", "sigma", "shape", "nonc", "kappa", "weibull a"), _NOT_NEGATIVE),
    **dict.fromkeys(("a", "b", "df", "dfnum", "dfden", "wald mean", "wald scale"), _ABOVE_0),
    **dict.fromkeys(("n", "nsample"), _COUNT),
    **dict.fromkeys(("ngood", "nbad"), _FEW),
    "p": _CHANCE,
    "lam": ((lambda v: (v >= 0) & (v <= _GREATEST_MEAN)), "at least 0, and at most 9.2e18"),
    "negative_binomial n": _SOME,
    "negative_binomial p": _SOME_CHANCE,
    "geometric p": _SOME_CHANCE,
    "logseries p": ((lambda v: (v >= 0) & (v < 1)), "at least 0 and below 1"),
    "zipf a": ((lambda v: v > 1), "above 1"),
}
