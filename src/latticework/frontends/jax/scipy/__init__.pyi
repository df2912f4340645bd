"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"


__all__ = ["linalg", "special"]

from latticework.frontends.jax.scipy import linalg as linalg
from latticework.frontends.jax.scipy import special as special
