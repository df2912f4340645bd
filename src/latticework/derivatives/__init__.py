"""Derivatives: a tape that records calls of a backend's functions, and the rule of each function.

`tape` runs the rules, in reverse and forward. The other modules have the rules, by the chapters of `api/`.
"""
