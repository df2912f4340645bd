"""Recording: run a function with symbolic arrays, and keep each native call as a node."""
