"""Passes: simplifications of the nodes of a graph. None changes a bit."""
