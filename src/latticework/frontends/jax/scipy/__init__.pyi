"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"


__all__ = ["fft", "linalg", "optimize", "special", "stats"]

from latticework.frontends.jax.scipy import fft as fft
from latticework.frontends.jax.scipy import linalg as linalg
from latticework.frontends.jax.scipy import optimize as optimize
from latticework.frontends.jax.scipy import special as special
from latticework.frontends.jax.scipy import stats as stats
