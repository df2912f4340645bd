"""Files: graphs as zips and as ONNX."""
