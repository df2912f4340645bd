"""PyTorch's random numbers: its dtypes, shapes and distributions, by the generator of latticework.

The numbers are the same on every backend, and others than PyTorch's own for the same seed.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from typing import Any

from ...api.random.drawing import refuse_state_in_a_trace
from ...tracing.recording.recorder import recorder
from ..calls.cache import take_of_state
from .core import complete, default_float, dialect, ops
from .objects import device as device_class
from .objects import place
from .tensor import Tensor, shape_of

# fmt: off
__all__ = ["Generator", "default_generator"]

def rand(
    *shape, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
    requires_grad=False, pin_memory=False,
):
    return _made(ops.random.uniform, shape if size is None else (size,), generator, dtype, device)
def randn(
    *shape, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
    requires_grad=False, pin_memory=False,
):
    return _made(ops.random.normal, shape if size is None else (size,), generator, dtype, device)
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return _made(ops.random.uniform, (input._array.shape,), generator, dtype or input.dtype, device)
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    return _made(ops.random.normal, (input._array.shape,), generator, dtype or input.dtype, device)
# fmt: on


class Generator:
    """A source of random numbers with a seed. Each call takes the next key of it."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device_class(device)
        self._seed, self._count = 67280421310721, 0
        #: The trace that made it: the program seeds it itself, so that its numbers are the same in each call.
        self._trace = recorder.get()

    def manual_seed(self, seed: int) -> Generator:
        """Set the seed, and start from its first number."""
        self._seed, self._count = int(seed) % 2**64, 0
        return self

    def seed(self) -> int:
        """Set a seed of the system's entropy, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(7), "little"))
        self._trace = None
        return self._seed

    def initial_seed(self) -> int:
        """The seed that it was last set to."""
        return self._seed

    def get_state(self) -> Any:
        """Its state as a tensor."""
        return ops.asarray([self._seed - 2**63, self._count], dtype="int64")

    def set_state(self, new_state: Any) -> None:
        """Set its state to one that `get_state` gave."""
        seed, self._count = new_state.tolist()
        self._seed = seed + 2**63

    def clone_state(self) -> Generator:
        """A generator in the same state."""
        made = Generator(self.device)
        made._seed, made._count, made._trace = self._seed, self._count, self._trace
        return made

    def key(self) -> Any:
        """The next key of latticework.

        Raises
        ------
        TraceError: a function is being traced that did not make this generator.
        """
        if self._trace is None or self._trace is not recorder.get():
            refuse_state_in_a_trace(
                "a generator of PyTorch's dialect",
                "Draw the numbers first, and give them to the function as an argument; switch dropout off by "
                "training=False",
            )
        take_of_state()
        self._count += 1
        return ops.random.fold_in(ops.random.key(self._seed % 2**63), self._count)


default_generator = Generator()
#: The generator of a thread that loads data, or of a compiled program, in the place of the default one.
of_thread: ContextVar[Generator | None] = ContextVar("the generator of a thread", default=None)


def _own() -> Generator:
    return of_thread.get() or default_generator


def _key(generator: Any) -> Any:
    return (_own() if generator is None or generator is default_generator else generator).key()


def manual_seed(seed):
    return _own().manual_seed(seed)


def seed():
    return _own().seed()


def initial_seed():
    return _own().initial_seed()


def get_rng_state():
    return _own().get_state()


def set_rng_state(new_state):
    _own().set_state(new_state)


def _made(draw: Any, size: Any, generator: Any, dtype: Any, device: Any) -> Any:
    shape = tuple(int(n) for n in (size if len(size) != 1 else shape_of(size)))
    to = dialect.dtype_of(default_float() if dtype is None else dtype)
    if to.kind not in "fc":
        raise NotImplementedError(f"random numbers of a normal or uniform distribution are not implemented for {dtype}")
    if to.kind == "c":
        real = "float32" if to.name == "complex64" else "float64"
        parts = [draw(_key(generator), shape, dtype=real) for _ in range(2)]
        scale = 0.5**0.5 if draw is ops.random.normal else 1.0
        return ops.multiply(ops.add(parts[0], ops.multiply(parts[1], 1j)), scale)
    made = draw(_key(generator), shape, dtype=to)
    return made if device is None or place(device) is None else made._to(None, device)


def randint(*args, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, **kw):
    low, high, size = kw.pop("low", 0), kw.pop("high", None), kw.pop("size", None)
    if kw:
        raise TypeError(f"randint() got an unexpected keyword argument {next(iter(kw))!r}")
    given = list(args)
    if size is None and given and isinstance(given[-1], (tuple, list)):
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif given:
        high = given[0] if high is None else high
        low = low if high is given[0] else given[0]
    if size is None or high is None:
        raise TypeError("randint() received an invalid combination of arguments: it needs high and size")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    to = dialect.dtype_of("int64" if dtype is None else dtype)
    made = ops.random.randint(_key(generator), tuple(size), low, high, dtype="int64")
    return made._to(to)


def randint_like(
    input, low, high=None, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None
):
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input._array.shape, dtype=dtype or input.dtype)


def randperm(
    n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
):
    made = ops.random.permutation(_key(generator), n)
    return made._to("int64" if dtype is None else dtype)


def _floats(name: str, x: Any) -> Any:
    if x._array.dtype.kind != "f":
        raise NotImplementedError(f"{name}: not implemented for {x.dtype}")
    return x


def bernoulli(input, p=None, *, generator=None, out=None):
    dtype = input.dtype
    chance = _floats("bernoulli", input) if p is None else p
    return ops.random.bernoulli(_key(generator), chance, input._array.shape)._to(dtype)


def binomial(count, prob, generator=None):
    made = ops.random.binomial(_key(generator), count, prob)
    return made._to(count.dtype)


def poisson(input, generator=None):
    dtype = _floats("poisson", input).dtype
    return ops.random.poisson(_key(generator), input)._to(dtype)


def normal(
    mean, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, out=None
):
    if size is not None:
        return ops.add(ops.multiply(_made(ops.random.normal, (tuple(size),), generator, dtype, device), std), mean)
    shapes = [x._array.shape for x in (mean, std) if type(x) is Tensor]
    like = mean if type(mean) is Tensor else std
    if not shapes:
        raise TypeError("normal() received an invalid combination of arguments: it needs a size beside numbers")
    from .shaping import broadcast_shapes

    noise = _made(ops.random.normal, (broadcast_shapes(*shapes),), generator, _floats("normal", like).dtype, device)
    return ops.add(ops.multiply(noise, std), mean)


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    if _floats("multinomial", input)._array.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input._array.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    rows = ops.atleast_2d(input)
    chosen = ops.greater(rows, 0)
    weights = ops.where(chosen, ops.log(ops.where(chosen, rows, 1.0)), float("-inf"))
    shape = (rows._array.shape[0], num_samples)
    if replacement:
        made = ops.random.categorical(_key(generator), weights, -1, (num_samples, shape[0]))
        made = ops.matrix_transpose(made)
    else:  # the largest of the logarithms and Gumbel noise are a sample without replacement
        noise = ops.random.gumbel(_key(generator), rows._array.shape, dtype=rows.dtype)
        made = ops.top_k(ops.add(weights, noise), num_samples, axis=-1)[1]
    return ops.reshape(made, shape if input._array.ndim == 2 else (num_samples,))._to("int64")


complete(globals())


def next_key() -> Any:  # no function of PyTorch's
    """Return the next key of the default generator, or of the one in its place."""
    return _own().key()
