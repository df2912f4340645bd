"""Functions of ours at the level of a module, where pickles find them."""

from __future__ import annotations

import latticework as lw


@lw.compile
def compiled(x, n=2):
    return x * n + 1


@lw.jit
def wholly(x):
    return lw.exp(x) + 1


@lw.native
def decorated(x):
    return x + lw.ones_like(x)


@lw.vmap
def derived(x):
    return lw.sum(x * x)
