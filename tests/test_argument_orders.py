"""Functions whose arguments another library orders otherwise: its order is refused, or cannot be told from ours.

Which functions these are is read from the dialects: for each function of a framework that is one of ours, which of our
parameters each of its own is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from port_names import Name, names_of, our_function

import latticework as lw

FRAMEWORKS = ("numpy", "torch", "jax", "tensorflow")
BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)

x = [[1.0, 2.0], [3.0, 5.0]]
row = [0.5, 1.5]
places = [0, 1]


def a(values: Any) -> lw.Array:
    return lw.asarray(values)


#: The name of the framework -> our function called in that order, which is an error.
REFUSED: dict[str, Callable[[], Any]] = {
    "np.choose": lambda: lw.choose(a(places), [a(places), a(places)], None, "clip"),
    "np.random.beta": lambda: lw.random.beta(2.0, 3.0, 4),
    "np.random.binomial": lambda: lw.random.binomial(10, 0.5, 4),
    "np.random.chisquare": lambda: lw.random.chisquare(2.0, 4),
    "np.random.choice": lambda: lw.random.choice(5, 3),
    "np.random.dirichlet": lambda: lw.random.dirichlet(a(row), 4),
    "np.random.gamma": lambda: lw.random.gamma(2.0, 1.0, (3,)),
    "np.random.geometric": lambda: lw.random.geometric(0.5, 4),
    "np.random.gumbel": lambda: lw.random.gumbel(0.0, 1.0, (3,)),
    "np.random.laplace": lambda: lw.random.laplace(0.0, 1.0, (3,)),
    "np.random.logistic": lambda: lw.random.logistic(0.0, 1.0, (3,)),
    "np.random.multivariate_normal": lambda: lw.random.multivariate_normal(a(row), a(x), 3),
    "np.random.normal": lambda: lw.random.normal(0, 1, 3),
    "np.random.permutation": lambda: lw.random.permutation(5),
    "np.random.poisson": lambda: lw.random.poisson(3.0, 4),
    "np.random.randint": lambda: lw.random.randint(0, 5, (3,)),
    "np.random.random": lambda: lw.random.uniform((3,)),
    "np.random.shuffle": lambda: lw.random.shuffle(a(x)),
    "np.random.standard_normal": lambda: lw.random.normal((3,)),
    "np.random.uniform": lambda: lw.random.uniform(0.0, 1.0, (3,)),
    "torch.bernoulli": lambda: lw.random.bernoulli(a(row)),
    "torch.gather": lambda: lw.take_along_axis(a(x), 1, a([[0], [1]])),
    "torch.index_add": lambda: lw.index_add(a(x), 0, a(places), a(x)),
    "torch.index_select": lambda: lw.take(a(x), 0, a(places)),
    "torch.kaiser_window": lambda: lw.signal.kaiser_window(5, True),
    "torch.linalg.lu_solve": lambda: lw.linalg.lu_solve(a(x), a(places), a(row)),
    "torch.logspace": lambda: lw.logspace(0.0, 1.0, 5, 2.0),
    "jax.lax.iota": lambda: lw.arange(lw.float32, 3),
    "jax.nn.initializers.ones": lambda: lw.ones(lw.random.key(0), (3,)),
    "jax.nn.initializers.zeros": lambda: lw.zeros(lw.random.key(0), (3,)),
    "jnp.choose": lambda: lw.choose(a(places), [a(places), a(places)], None, "clip"),
    "jnp.histogram": lambda: lw.histogram(a(row), 3, None, a(row)),
    "jnp.histogram2d": lambda: lw.histogram2d(a(row), a(row), 3, None, a(row)),
    "jnp.histogramdd": lambda: lw.histogramdd(a(x), 3, None, a(row)),
    "jax.random.truncated_normal": lambda: lw.random.truncated_normal(lw.random.key(0), -2.0, 2.0, (3,)),
    "jax.scipy.linalg.qr": lambda: lw.linalg.qr(a(x), False, None, "r"),
    "tf.boolean_mask": lambda: lw.compress(a(x), a([True, False])),
    "tf.random.categorical": lambda: lw.random.categorical(a(x), 5),
    "tf.random.gamma": lambda: lw.random.gamma((3,), 2.0),
    "tf.random.normal": lambda: lw.random.normal((3,), 0.0, 1.0),
    "tf.random.poisson": lambda: lw.random.poisson((3,), 2.0),
    "tf.random.truncated_normal": lambda: lw.random.truncated_normal((3,), 0.0, 1.0),
    "tf.random.uniform": lambda: lw.random.uniform((3,), 0.0, 1.0),
    "tf.unstack": lambda: lw.unstack(a(x), 2, 0),
}

#: The names whose order cannot be told from ours by what is given, and why no program meets it by replacing a module.
ALIKE = {
    "torch.cholesky_solve": "ours is SciPy's cho_solve, and takes the factor first as that does",
    "jax.lax.clamp": "lw.clamp says clip, which has NumPy's order",
    "tf.nn.softmax_cross_entropy_with_logits": "the name is not there, and the error says nn.cross_entropy",
    "tf.nn.sparse_softmax_cross_entropy_with_logits": "the name is not there, and the error says nn.cross_entropy",
    "torch.swapaxes": "two axes in either order are the same",
    "tf.linalg.solve": "the matrix comes first in both",
}


def ordered_otherwise(framework: str) -> Iterator[Name]:
    """The functions that have one of our parameters in another place than ours."""
    for name in names_of(framework):
        ours = our_function(name.ours) if name.ours else None
        if ours is None:
            continue
        renamed = {argument.theirs: argument.ours for argument in name.arguments}
        there, here = (
            [p.name for p in signature(f).parameters.values() if p.kind in BY_POSITION] for f in (name.function, ours)
        )
        there = [renamed.get(p) or p for p in there]
        if any(p != q and (p in here or q in there) for p, q in zip(there, here, strict=False)):
            yield name


def test_each_function_that_is_ordered_otherwise_is_here() -> None:
    found = {name.shown for framework in FRAMEWORKS for name in ordered_otherwise(framework)}
    assert found == REFUSED.keys() | ALIKE.keys()


@pytest.mark.parametrize("name", REFUSED)
def test_the_order_of_another_library_is_refused(name: str, backend: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        REFUSED[name]()


def test_what_is_no_bool_is_refused_in_the_place_of_one() -> None:
    for call in (lambda: lw.geomspace(1.0, 2.0, 3, 2.0), lambda: lw.unique(a(places), lw.int32)):
        with pytest.raises(TypeError, match="must be a bool; got .*The call is "):
            call()
    assert lw.logspace(0, 1, 2, 1).shape == lw.geomspace(1, 2, 2, lw.asarray(False)).shape == (2,)
