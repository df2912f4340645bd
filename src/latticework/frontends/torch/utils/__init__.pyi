"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"


__all__ = ["checkpoint", "data"]

from latticework.frontends.torch.utils import checkpoint as checkpoint
from latticework.frontends.torch.utils import data as data
