"""Calls: the dispatchers, the cache of kernels, what a miss does, and the errors of calls."""
