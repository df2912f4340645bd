"""Measure what runs on a backend: each declared function, derivatives, random numbers, keys and traces.

``tools/plugins.py --measure`` runs it in the environment of a package. It prints a line of JSON for each: its group,
its name, how it runs, and why not. Each result is compared with NumPy's. Names of rows choose some.
"""

from __future__ import annotations

import json
import signal
import sys
import warnings
from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import Any

import numpy as np

import latticework as lw
from latticework.backend import get
from latticework.errors import BackendError
from latticework.support import probe, samples
from latticework.testing import checking

#: A function is measured in the first of these dtypes that it takes.
DTYPES = ("float32", "int32", "bool", "complex64")
#: Declared functions that are called with no array of a backend.
NO_ARRAYS = frozenset(["broadcast_shapes", "einsum_path", "errstate"])


class TooLongError(BaseException):
    """A call did not end within the seconds that it has. No function takes it for an error of its own."""


def _x() -> Any:
    return lw.reshape(lw.arange(1, 13, dtype="float32"), (3, 4)) / 8


def _square() -> Any:
    return lw.asarray([[2.0, 0.5, 0.25], [0.5, 1.5, -0.25], [0.25, -0.25, 1.0]])


def _written(key: Callable[[Any], Any], value: Callable[[Any], Any]) -> Any:
    x = _x()
    x[key(x)] = value(x)
    return x


def _grad(f: Callable[[Any], Any], x: Callable[[], Any] = _x) -> Callable[[], Any]:
    return lambda: lw.grad(lambda x: lw.sum(f(x)))(x())


def _drawn(name: str, *params: Any, **options: Any) -> Callable[[], Any]:
    return lambda: getattr(lw.random, name)(lw.random.key(7), *params, **options)


_DISTRIBUTIONS: dict[str, tuple[Any, ...]] = {
    "bernoulli": (0.25, (16,)), "beta": (2.0, 0.5, (16,)), "binomial": (10, 0.25, (16,)), "bits": ((16,),),
    "cauchy": ((16,),), "chisquare": (3.0, (16,)), "choice": (9, (4,)), "exponential": ((16,),), "fold_in": (9,),
    "gamma": (2.5, (16,)), "geometric": (0.25, (16,)), "gumbel": ((16,),), "laplace": ((16,),),
    "loggamma": (2.5, (16,)), "logistic": ((16,),), "normal": ((16,),), "permutation": (9,), "poisson": (3.0, (16,)),
    "rademacher": ((16,),), "randint": ((16,), 0, 100), "split": (4,), "student_t": (3.0, (16,)),
    "truncated_normal": ((16,),), "uniform": ((16,),),
}  # fmt: skip


def _of_torch() -> Any:
    import latticework.frontends.torch as torch

    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    torch.nn.functional.softmax(x, dim=-1).pow(2).sum().backward()
    return np.asarray(x.grad)


def _of_jax() -> Any:
    import latticework.frontends.jax.numpy as jnp

    return np.asarray(jnp.linspace(0.0, 1.0, 5).at[2].set(7.0))


#: Functions whose sums are differentiated.
_GRADIENTS: dict[str, Callable[[Any], Any]] = {
    "exp": lw.exp,
    "divide": lambda x: 1 / x,
    "where": lambda x: lw.where(x > 0.5, x * x, x),
    "max": lambda x: lw.max(x, axis=0),
    "matmul": lambda x: x @ lw.matrix_transpose(x),
    "sort": lambda x: lw.sort(-x, axis=1) * x,
    "cumulative_sum": lambda x: lw.cumulative_sum(x, axis=1) * x,
    "take": lambda x: lw.take(x, lw.asarray([2, 0, 2]), axis=0) ** 2,
    "x[1:, ::2]": lambda x: x[1:, ::2] ** 2,
    "concat": lambda x: lw.concat([x, x * x]),
    "convolve": lambda x: lw.convolve(x[0, :], x[1, :]),
    "nn.softmax": lambda x: lw.nn.softmax(x, axis=-1) * x,
    "special.gammaln": lw.special.gammaln,
}

#: group -> name -> a program without arguments, on the backend in force.
PROGRAMS: dict[str, dict[str, Callable[[], Any]]] = {
    "Derivatives": {
        **{f"grad of {name}": _grad(f) for name, f in _GRADIENTS.items()},
        "grad of linalg.inv": _grad(lw.linalg.inv, _square),
        "grad of linalg.solve": _grad(lambda a: lw.linalg.solve(a, a[:, 0]), _square),
        "jvp of tanh": lambda: lw.jvp(lw.tanh, (_x(),), (_x(),)),
        "vjp of multiply": lambda: lw.vjp(lambda x: x * x, _x())[1](_x()),
        "hessian of a sum of cubes": lambda: lw.hessian(lambda x: lw.sum(x**3))(_x()[0, :]),
    },
    "Random numbers": {
        "random.key": lambda: lw.random.key(7),
        **{f"random.{name}": _drawn(name, *params) for name, params in _DISTRIBUTIONS.items()},
        "random.categorical": lambda: lw.random.categorical(lw.random.key(7), _x(), shape=(5, 3)),
        "random.dirichlet": lambda: lw.random.dirichlet(lw.random.key(7), _x()[0, :], (3,)),
        "random.multivariate_normal": lambda: lw.random.multivariate_normal(
            lw.random.key(7), _square()[0, :], _square(), (4,)
        ),
        "random.shuffle": lambda: lw.random.shuffle(lw.random.key(7), _x(), inplace=False),
    },
    "Reading and writing": {
        "x[1, ::-2]": lambda: _x()[1, ::-2],
        "x[[2, 0]]": lambda: _x()[lw.asarray([2, 0])],
        "x[[0, 2], [1, 3]]": lambda: _x()[lw.asarray([0, 2]), lw.asarray([1, 3])],
        "x[mask]": lambda: _x()[_x() > 0.5],
        "x[1:] = 0": lambda: _written(lambda x: slice(1, None), lambda x: 0),
        "x[[2, 0]] = y": lambda: _written(lambda x: lw.asarray([2, 0]), lambda x: x[:2, :] + 1),
        "x[mask] = 0": lambda: _written(lambda x: x > 0.5, lambda x: 0),
        "x[mask] = y": lambda: _written(lambda x: x > 1.25, lambda x: x[0, :2] + 1),
    },
    "Other functions, traces and dialects": {
        "at": lambda: lw.at(_x())[1:].add(1),
        "bitcast": lambda: lw.bitcast(_x(), "int32"),
        "block": lambda: lw.block([[_x(), _x()], [_x(), _x()]]),
        "diag_indices": lambda: lw.diag_indices(3),
        "from_dlpack": lambda: lw.from_dlpack(np.arange(3.0)),
        "to_device": lambda: _x().to_device(_x().device),
        "tril_indices": lambda: lw.tril_indices(3),
        "triu_indices": lambda: lw.triu_indices(3),
        "vectorize": lambda: lw.vectorize(lw.sum, signature="(n)->()")(_x()),
        "vmap": lambda: lw.vmap(lw.sum)(_x()),
        "trace": lambda: lw.trace(lw.tanh, _x())(_x()),
        "compile": lambda: lw.compile(lambda x: lw.nn.softmax(x, axis=-1))(_x()),
        "PyTorch's dialect, backward": _of_torch,
        "JAX's dialect": _of_jax,
    },
}


def function(name: str, backend: str) -> tuple[str, str]:
    """Return how a function runs on a backend in the first dtype that it takes there, and why it does not."""
    owner, call = get(backend), samples.call_of(name)
    first: tuple[str, str] | None = None
    token = samples.CASTABLE.set(owner.native_dtypes)
    try:
        for dtype in sorted((d for d in owner.native_dtypes if str(d) in DTYPES), key=lambda d: DTYPES.index(str(d))):
            found = probe._measure_one(name, call, owner, dtype, str(owner.device(None)))
            if found.how in ("native", "composed", "emulated", "lifted"):
                return ("native" if found.how == "native" else "composed"), ""
            if found.how == "wrong":
                return "differs", found.why
            first = first if first is not None and first[0] == "missing" else (found.how, found.why)
    finally:
        samples.CASTABLE.reset(token)
    return "refused", (first or ("", "there is no such dtype"))[1]


def program(run: Callable[[], Any], backend: str) -> tuple[str, str]:
    """Return whether a program runs on a backend with NumPy's results, and why it does not."""
    expected, got = checking.outcome("numpy", run), checking.outcome(backend, run)
    if isinstance(expected, Exception):
        raise expected
    if isinstance(got, TooLongError):
        raise got
    kind, text = checking._judged("", expected, got)
    return {"alike": "runs"}.get(kind, kind), text


def measured(backend: str, seconds: int = 20, only: Container[str] = ()) -> Iterator[tuple[str, str, str, str]]:
    """Measure all rows on a backend, or some: a group, a name, how it runs, and why it does not.

    A row is stopped after so many seconds of the processor, which other programs do not change.
    """

    def stop(number: int, frame: object) -> None:
        raise TooLongError(f"not measured: it takes more than {seconds} seconds of the processor")

    jobs: list[tuple[str, str, Callable[[], tuple[str, str]]]] = [
        ("Functions", name, partial(function, name, backend)) for name in samples.names()
    ]
    for group, programs in PROGRAMS.items():
        jobs += [(group, name, partial(program, run, backend)) for name, run in programs.items()]
    signal.signal(signal.SIGPROF, stop)
    for group, name, run in (job for job in jobs if not only or job[1] in only):
        signal.setitimer(signal.ITIMER_PROF, seconds, 1)  # again and again: in a finalizer its error is passed over
        try:
            how, why = run()
        except TooLongError as error:
            how, why = "unknown", str(error)
        except Exception as error:
            how, why = "differs", f"{type(error).__name__}: {error}".partition("\n")[0]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        yield group, name, how, why


def main(backend: str, seconds: str = "20", *only: str) -> int:
    """Print what was measured; 3 where the backend cannot be used here."""
    try:
        get(backend)
    except (BackendError, ImportError) as error:
        print(json.dumps(str(error)))
        return 3
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for row in measured(backend, int(seconds), only):
            print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
