"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, str as _str

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__: _str
cuda: None
debug: _bool
git_version: _str
hip: None
rocm: None
xpu: None
