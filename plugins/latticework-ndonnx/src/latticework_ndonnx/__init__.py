"""ndonnx as a backend of latticework: functions of its arrays become graphs of ONNX."""

from __future__ import annotations

from .contract import NdonnxBackend
from .functions import *  # noqa: F403 - the names of functions are this module's names

BACKEND = NdonnxBackend
