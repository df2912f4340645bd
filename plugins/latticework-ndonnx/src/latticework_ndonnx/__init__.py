"""ndonnx as a backend of latticework: functions of its arrays become graphs of ONNX."""

from __future__ import annotations

from .contract import NdonnxBackend

BACKEND = NdonnxBackend
