"""Models of ONNX as functions: the file is read, and each operator is calls of latticework's functions."""
