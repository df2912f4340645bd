"""The tensor backends of pyhf over latticework: one class, and a line or two for each framework.

pyhf asks a backend for some forty functions, and finds it by the name of its class in ``pyhf.tensor``. Here a backend
holds latticework's namespace of its framework, with its own precision bound to it. So a model in 32 bits and one in 64
work side by side, and nothing is set for the process.
"""

import logging
import math
from operator import attrgetter

import numpy as np

import latticework as lw

log = logging.getLogger(__name__)


def function(name):
    """Make a method that is latticework's function of this name, as the backend's namespace has it."""
    found = attrgetter(name)
    return property(lambda self: found(self.xp), doc=f"latticework's ``{name}``.")


class Poisson:
    """Independent Poisson distributions with these rates, continued to counts that are not whole."""

    def __init__(self, backend, rate):
        self.backend, self.rate = backend, rate

    def sample(self, sample_shape):
        """Draw samples of shape ``sample_shape + rate.shape``, with NumPy's global generator."""
        rate = self.backend.to_numpy(self.rate)
        return self.backend.astensor(np.random.poisson(rate, (*sample_shape, *rate.shape)))

    def log_prob(self, value):
        """Return the logarithm of the probability of each value."""
        return self.backend.poisson_logpdf(value, self.rate)


class Normal:
    """Independent normal distributions."""

    def __init__(self, backend, loc, scale):
        self.backend, self.loc, self.scale = backend, loc, scale

    def sample(self, sample_shape):
        """Draw samples of shape ``sample_shape + loc.shape``, with NumPy's global generator."""
        loc, scale = self.backend.to_numpy(self.loc), self.backend.to_numpy(self.scale)
        return self.backend.astensor(np.random.normal(loc, scale, (*sample_shape, *loc.shape)))

    def log_prob(self, value):
        """Return the logarithm of the density at each value."""
        return self.backend.normal_logpdf(value, self.loc, self.scale)


class Backend:
    """What all backends share. A subclass has the name of its framework, and whether it has gradients."""

    #: pyhf's name of the backend, and latticework's.
    name = framework = ""
    #: Whether an optimizer asks for gradients if the user does not say.
    default_do_grad = True

    def __init__(self, precision="64b", **_options):
        bits = precision.removesuffix("b")
        self.precision = precision
        self.xp = lw.array_namespace(self.framework, default_float=f"float{bits}", default_int=f"int{bits}")
        self.dtypemap = {
            "float": getattr(self.xp, f"float{bits}"),
            "int": getattr(self.xp, f"int{bits}"),
            "bool": self.xp.bool,
        }

    def _setup(self):
        """Prepare the framework when the backend is selected: nothing has to be."""

    # --- arrays in and out

    def dtype(self, name):
        """Return the framework's dtype that "float", "int" or "bool" is in the backend's precision."""
        try:
            return self.dtypemap[name]
        except KeyError:
            log.exception("Invalid dtype %r: float, int and bool are there", name)
            raise

    def astensor(self, tensor_in, dtype="float"):
        """Make an array of numbers, lists of them, or arrays."""
        return self.xp.asarray(tensor_in, dtype=self.dtype(dtype))

    def ones(self, shape, dtype="float"):
        """Make an array of ones."""
        return self.xp.ones(shape, dtype=self.dtype(dtype))

    def zeros(self, shape, dtype="float"):
        """Make an array of zeros."""
        return self.xp.zeros(shape, dtype=self.dtype(dtype))

    def tolist(self, tensor_in):
        """Return an array as lists of Python numbers, and a list as it is."""
        return tensor_in if isinstance(tensor_in, list) else self.to_numpy(tensor_in).tolist()

    def shape(self, tensor):
        """Return the shape as a tuple."""
        return tuple(tensor.shape)

    def to_numpy(self, tensor_in):
        """Return an array of NumPy."""
        return lw.to_numpy(tensor_in)

    # --- latticework's functions, some under pyhf's names

    abs = function("abs")
    clip = function("clip")
    divide = function("divide")
    einsum = function("einsum")
    erf = function("special.erf")
    erfinv = function("special.erfinv")
    exp = function("exp")
    isfinite = function("isfinite")
    log = function("log")
    outer = function("outer")
    percentile = function("percentile")
    power = function("pow")
    product = function("prod")
    ravel = function("ravel")
    reshape = function("reshape")
    simple_broadcast = function("broadcast_arrays")
    sqrt = function("sqrt")
    stack = function("stack")
    sum = function("sum")
    where = function("where")

    def concatenate(self, sequence, axis=0):
        """Join arrays, or lists of numbers, along an axis."""
        return self.xp.concat([self.xp.asarray(x) for x in sequence], axis=axis)

    def transpose(self, tensor_in):
        """Reverse the axes."""
        return self.xp.permute_dims(tensor_in, tuple(reversed(range(tensor_in.ndim))))

    def tile(self, tensor_in, repeats):
        """Repeat an array along its axes."""
        return self.xp.tile(self.xp.asarray(tensor_in), repeats)

    def gather(self, tensor, indices):
        """Take elements along the first axis."""
        return self.xp.take(tensor, indices, axis=0)

    def boolean_mask(self, tensor, mask):
        """Take the elements at which the mask is true."""
        return tensor[mask]

    def conditional(self, predicate, true_callable, false_callable):
        """Call one of two functions."""
        return true_callable() if predicate else false_callable()

    # --- distributions

    def poisson_logpdf(self, n, lam):
        """Return the logarithm of the probability of n events where lam are expected; n need not be whole."""
        xp = self.xp
        logarithm = xp.subtract(xp.special.xlogy(n, lam), lam)
        return xp.subtract(logarithm, xp.special.gammaln(xp.add(n, 1.0)))

    def poisson(self, n, lam):
        """Return the probability of n events where lam are expected; n need not be whole."""
        return self.xp.exp(self.poisson_logpdf(n, lam))

    def normal_logpdf(self, x, mu, sigma):
        """Return the logarithm of the density of a normal distribution."""
        xp = self.xp
        distance = xp.divide(xp.subtract(x, mu), sigma)
        logarithm = xp.add(xp.log(sigma), math.log(2 * math.pi) / 2)
        return xp.subtract(xp.multiply(xp.square(distance), -0.5), logarithm)

    def normal(self, x, mu, sigma):
        """Return the density of a normal distribution."""
        return self.xp.exp(self.normal_logpdf(x, mu, sigma))

    def normal_cdf(self, x, mu=0, sigma=1):
        """Return the probability that a normal distribution is below x."""
        return self.xp.special.ndtr(self.xp.divide(self.xp.subtract(x, mu), sigma))

    def poisson_dist(self, rate):
        """Return Poisson distributions with samples and probabilities."""
        return Poisson(self, rate)

    def normal_dist(self, mu, sigma):
        """Return normal distributions with samples and densities."""
        return Normal(self, mu, sigma)
