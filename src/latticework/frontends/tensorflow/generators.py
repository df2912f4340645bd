"""`tf.random.Generator`: a stream of random numbers whose state a program holds."""

from __future__ import annotations

import math
import os
from enum import Enum
from typing import Any

from ...api.random.drawing import refuse_state_in_a_trace
from ...policy import current
from ..calls.cache import take_of_state
from . import dtypes
from .arguments import extents, number
from .drawing import binomial, drawn, dtype_of, full_integers, scaled, uniform
from .errors import invalid
from .shapes import TensorShape
from .tensor import Tensor, as_tensor, ops
from .variables import Variable

__all__ = ["Algorithm", "Generator", "create_rng_state", "get_global_generator", "set_global_generator"]


class Algorithm(Enum):
    """TensorFlow's algorithms, which decide the length of a state here, and no numbers."""

    PHILOX, THREEFRY, AUTO_SELECT = 1, 2, 3


#: The algorithms by name, and the number of integers in their states.
_NAMES = {"philox": Algorithm.PHILOX, "threefry": Algorithm.THREEFRY, "auto_select": Algorithm.PHILOX}
_LENGTHS = {1: 3, 2: 2}
#: How far a number moves the counter, as in TensorFlow, where a number may take several.
_STEP = 256
#: How many times so far a number of a binomial distribution moves it there, and three more for each of its parameters.
_OF_TRIALS = 50


def _algorithm(alg: Any) -> int:
    if isinstance(alg, str) and alg.lower() in _NAMES:
        return int(_NAMES[alg.lower()].value)
    value = alg.value if isinstance(alg, Algorithm) else number(alg)
    if value == Algorithm.AUTO_SELECT.value:
        return 1
    if value in _LENGTHS:
        return int(value)
    raise ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, threefry "
        "for the ThreeFry algorithm, and auto_select for auto-selection."
    )


def _signed(n: int) -> int:
    """The last 64 bits of an int, as an int64 has them."""
    return (n + 2**63) % 2**64 - 2**63


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """Return the state of a `Generator` for a seed: an int, or a vector of ints that is filled up with zeros.

    Parameters
    ----------
    alg: ``"philox"`` or ``"threefry"``, which decides its length of 3 or 2.
    """
    length = _LENGTHS[_algorithm(alg)]
    if isinstance(seed, int):
        words = [_signed(seed >> (64 * i)) for i in range(length)]
    else:
        listed = as_tensor(seed)._array.tolist()
        listed = listed if isinstance(listed, list) else [listed]
        words = ([0] * length + [int(n) for n in listed])[-length:]
    return as_tensor(words, dtypes.int64)


class Generator:
    """Random numbers of a state, which each call moves on.

    It is made by `from_seed`, `from_state`, `from_key_counter`, `from_non_deterministic_state` or `split`.

    Parameters
    ----------
    copy_from: a generator whose state and algorithm are copied.
    state: the state, integers.
    alg: ``"philox"`` or ``"threefry"``.

    Notes
    -----
    States are TensorFlow's, and move on as there. The numbers are others, of the same distributions, shapes and
    dtypes; the same state gives the same numbers on every backend.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> g = tf.random.Generator.from_seed(7)
    >>> g.normal((2, 3)).shape
    TensorShape([2, 3])
    >>> g.state.numpy().tolist()
    [1543, 0, 0]
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is None and (state is None or alg is None):
            raise AssertionError("Generator: takes copy_from, or state and alg")
        self._alg = copy_from.algorithm if copy_from is not None else _algorithm(alg)
        held = as_tensor(copy_from.state if copy_from is not None else state, dtypes.int64)
        wanted = TensorShape([_LENGTHS[self._alg]])
        if held.shape != wanted:
            raise ValueError(f"Shapes {held.shape} and {wanted} are incompatible")
        self._state = Variable(held, trainable=False, name="StateVar")
        self._made_on = current().backend

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with this state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator with the state of a seed, see `create_rng_state`."""
        found = "philox" if alg is None else alg
        return cls(state=create_rng_state(seed, found), alg=found)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator with a state of the system's entropy."""
        found = "philox" if alg is None else alg
        words = [int.from_bytes(os.urandom(8), "little", signed=True) for _ in range(_LENGTHS[_algorithm(found)])]
        return cls(state=words, alg=found)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with this key and counter: the last integer of the state, and those before it."""
        return cls(state=_of_parts(key, counter), alg=alg)

    # fmt: off
    state = property(lambda self: self._state, doc="The state, a variable of int64.")
    algorithm = property(lambda self: self._alg, doc="The number of the algorithm: 1 for Philox, 2 for ThreeFry.")
    key = property(lambda self: self._state._read()[-1], doc="The last integer of the state.")
    # fmt: on

    def reset(self, state: Any) -> None:
        """Take another state."""
        self._state.assign(as_tensor(state, dtypes.int64))

    def reset_from_seed(self, seed: Any) -> None:
        """Take the state of a seed."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Take the state of a key and a counter."""
        self._state.assign(as_tensor(_of_parts(key, counter), dtypes.int64))

    def skip(self, delta: Any) -> Tensor:
        """Move on as if so many numbers were drawn, and return the state before."""
        take_of_state()
        if current().backend != self._made_on:  # where the function that is traced makes it, its numbers are constants
            refuse_state_in_a_trace(
                "a tf.random.Generator",
                "Draw by a seed: tf.random.stateless_normal(shape, seed); or make the generator in the function",
            )
        before = self._state.value()
        words = [n % 2**64 for n in before._array.tolist()]
        counter = sum(n << (64 * i) for i, n in enumerate(words[:-1])) + int(as_tensor(delta, dtypes.int64)) * _STEP
        self._state.assign([*[_signed(counter >> (64 * i)) for i in range(len(words) - 1)], _signed(words[-1])])
        return before

    def _next(self, shape: tuple[int, ...], taken: int | None = None) -> tuple[int, int]:
        """The key of the numbers of a shape, by which the state moves on."""
        words = [n % 2**64 for n in self.skip(math.prod(shape) if taken is None else taken)._array.tolist()]
        halves = [half for n in words for half in (n & 0xFFFFFFFF, n >> 32)]
        first = second = 0
        for i, half in enumerate(halves):  # each half moves all bits of one of the key's words
            if i % 2:
                second = (second * 1000003 + half) & 0x7FFFFFFF
            else:
                first = (first * 1000003 + half) & 0xFFFFFFFF
        return first, second

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None
    ) -> Any:
        """Normal numbers of a mean and a standard deviation."""
        whole = extents(shape)
        return scaled(drawn(self._next(whole), "normal", whole, dtype_of(dtype)), stddev, mean)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None
    ) -> Any:
        """Normal numbers within two standard deviations of the mean."""
        whole = extents(shape)
        return scaled(drawn(self._next(whole), "truncated_normal", whole, dtype_of(dtype)), stddev, mean)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: Any = None
    ) -> Any:
        """Numbers from `minval` on below `maxval`, 1 by default; of an integer dtype all numbers where both are None.

        Raises
        ------
        ValueError: of an integer dtype, one of both is None.
        """
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(f"For integer dtype {kind!r}, minval and maxval must be both `None` or both "
                                 f"non-`None`; got minval={minval} and maxval={maxval}")  # fmt: skip
            if minval is None:
                return self.uniform_full_int(shape, dtype)
        whole = extents(shape)
        return uniform(self._next(whole), whole, minval, maxval, kind)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: Any = None) -> Any:
        """Integers of all values of their dtype: int32, int64, uint32 or uint64."""
        kind, whole = dtypes.as_dtype(dtype), extents(shape)
        if kind.name not in ("int32", "int64", "uint32", "uint64"):
            raise invalid(f"the dtype {kind.name} is not in the list of allowed values: int32, int64, uint32, uint64")
        return full_integers(self._next(whole), whole, kind)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: Any = None) -> Any:
        """How many of so many trials succeed, each with this probability."""
        whole, (counts, probs) = extents(shape), (as_tensor(counts), as_tensor(probs))
        each = ops.add(ops.astype(counts, "float32"), ops.astype(probs, "float32")).shape.num_elements()
        taken = each * _OF_TRIALS * (math.prod(whole) // max(each, 1) + 3)
        return binomial(self._next(whole, taken), whole, counts, probs, dtype)

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Seeds for functions without a state, such as `tf.random.stateless_normal`: int64 of shape (2, count)."""
        n = number(count)
        top = full_integers(self._next((n,)), (1, n), dtypes.int64)
        return ops.concat([top, ops.zeros((1, n), dtype=dtypes.int64)])

    def split(self, count: Any = 1) -> list[Generator]:
        """New generators whose numbers do not depend on each other."""
        n = number(count)
        keys = full_integers(self._next((n,)), (n,), dtypes.int64)._array.tolist()
        zeros = [0] * (_LENGTHS[self._alg] - 1)
        return [Generator(state=[*zeros, k], alg=self._alg) for k in keys]


def _of_parts(key: Any, counter: Any) -> list[int]:
    return [*as_tensor(counter, dtypes.int64)._array.tolist(), int(as_tensor(key, dtypes.int64))]


class _Global:
    """The generator of the process."""

    generator: Any = None


def get_global_generator() -> Any:
    """Return the generator of the process, whose first state is of the system's entropy."""
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Any) -> None:
    """Make a generator that of the process."""
    _Global.generator = generator
