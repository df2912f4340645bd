"""Functions of neural networks: activations, norms, losses, layers and attention. Functions only, no classes."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.nn import __all__ as __all__  # noqa: PLC0414
from .api.nn.activations import *
from .api.nn.attention import *
from .api.nn.categories import *
from .api.nn.convolution import *
from .api.nn.ctc import *
from .api.nn.dropout import *
from .api.nn.layers import *
from .api.nn.losses import *
from .api.nn.normalization import *
from .api.nn.pooling import *
from .api.nn.resampling import *
from .namespace import no_attribute

if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        raise no_attribute("nn", name)


def __dir__() -> list[str]:
    return sorted(__all__)
