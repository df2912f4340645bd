"""Whole steps of training as programs: forward, `backward`, and what an optimizer does, in one.

A step runs once as it is, so that its optimizers have their state. The second call of a kind is traced: all tensors
that the function leads to hold arrays of the trace meanwhile, and the function runs as always, on the tape and through
the optimizers. What it leaves in tensors, gradients, the state of optimizers and attributes are the results of the
program. A call computes them first and puts them in their places afterwards, so that one that ends with an error has
changed nothing. Learning rates are inputs, and schedulers are called after the program.

What cannot be kept in that way, such as a branch by the loss or a number that is counted in Python, is refused by
`TraceError`, and the function runs as it is.
"""

from __future__ import annotations

from .calls import Steps
from .held import trains

__all__ = ["Steps", "trains"]
