"""Backends: the contract of one, the registry of all, and what their plug-ins share.

The plug-ins themselves are the folders of `latticework.backends`.
"""

from .contract import Backend as Backend
from .plain import standing_alone as standing_alone
from .registry import BackendInfo as BackendInfo
from .registry import backends as backends
from .registry import first_version as first_version
from .registry import get as get
from .registry import of as of
from .registry import supported as supported
from .registry import unknown_backend as unknown_backend
from .registry import version_of as version_of
