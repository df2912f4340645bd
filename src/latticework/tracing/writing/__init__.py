"""Writing: the source of a graph, as Python of its framework, Numba or torch blocks."""
