"""Random numbers: a generator with a state, which `seed` starts again."""

from ._policy import as_array, get_default_dtype, namespace


class _State:
    generator = namespace().random.default_rng()


def seed(value):
    """Start the generator again: the same numbers follow on every framework."""
    _State.generator = namespace().random.default_rng(value)


def _real(numbers, dtype):
    """Return numbers in a dtype; for a complex dtype, with imaginary parts that are drawn as well."""
    xp = namespace()
    dtype = get_default_dtype() if dtype is None else dtype
    x = numbers()
    if xp.isdtype(dtype, "complex floating"):
        x = xp.add(x, xp.multiply(numbers(), 1j))
    return xp.astype(x, dtype)


def rand(*size, dtype=None):
    """Draw numbers between 0 and 1 of the shape of the arguments."""
    return uniform(size=size, dtype=dtype)


def uniform(low=0.0, high=1.0, size=(), dtype=None):
    """Draw numbers between two others."""
    return _real(lambda: _State.generator.uniform(low, high, size), dtype)


def normal(loc=0.0, scale=1.0, size=(1,), dtype=None):
    """Draw from a normal distribution."""
    return _real(lambda: _State.generator.normal(loc, scale, size), dtype)


def multivariate_normal(mean, cov, size=None, dtype=None):
    """Draw vectors from a normal distribution."""
    return _real(lambda: _State.generator.multivariate_normal(as_array(mean), as_array(cov), size), dtype)


def randint(low, high=None, size=None):
    """Draw integers from low to high, without high, or from 0 to low."""
    return _State.generator.integers(low, high, size)


def choice(a, size=None, replace=True, p=None, axis=0):
    """Draw from the entries of an array, or from the integers below a number."""
    return _State.generator.choice(a, size, replace, p, axis)
