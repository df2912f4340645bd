"""The audit for widening: the first lines where a narrow float dtype became wider, on the framework itself.

The program runs as it is. PyTorch hands each call to a mode (`pytorch`). For every other framework the functions of the
program get the code of a copy of their source in which each expression tells its operands and its result
(`rewriting`, `instrumenting`), for the time of the run. `watching` judges both, `reasons` finds the rule and the cast,
`report` and `text` show them, and `run` is the audit.
"""
