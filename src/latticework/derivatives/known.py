"""What is known of the derivatives of functions: by whom they are, and where there are none.

The reference says it, and `tests/test_gradients.py` holds it to the backends: each function that is not listed here is
compared with finite differences. What a framework lacks of its own stands in the `backend.json` of its backend.
"""

from __future__ import annotations

from typing import NamedTuple

from ..backend import get
from ..backend.facts import all_facts
from ..core.registry import declared
from .rules import is_constant, rule_of

__all__ = ["NOT_DIFFERENTIATED", "Derivative", "derivative_of"]

#: Why functions are not differentiated -> the functions.
NOT_DIFFERENTIATED: dict[str, str] = {
    "gives or takes integers, bools, or no arrays of floats": """
        allclose arange array_equal bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_or
        bitwise_right_shift bitwise_xor broadcast_shapes errstate gcd iscomplex isreal ix_ lcm logical_and logical_not
        logical_or logical_xor nn.multi_hot nn.one_hot random.bits random.fold_in random.key random.rademacher
        random.randint random.split ravel_multi_index unravel_index
    """,
    "makes an array of numbers that are no arrays": """
        array diag_indices empty empty_like eye fft.fftfreq fft.rfftfreq fromfunction identity indices ones
        signal.bartlett signal.blackman signal.hamming signal.hann signal.kaiser signal.mel_weight_matrix tri
        tril_indices triu_indices zeros
    """,
    "which elements there are depends on the values, as `unique_values` has it": """
        intersect1d setdiff1d setxor1d trim_zeros union1d unique
    """,
    "of numbers that are counts, or are drawn by rejection": """
        random.bernoulli random.beta random.binomial random.categorical random.chisquare random.dirichlet random.gamma
        random.geometric random.loggamma random.poisson random.student_t
    """,
    "brings an array of another library here": "from_dlpack",
    "reads the bits of numbers as another dtype": "bitcast",
    "some backends compute it by SciPy, and there is no rule for it": "linalg.schur",
}


class Derivative(NamedTuple):
    """The derivative of a function.

    Attributes
    ----------
    here: how NumPy and Dask find it; "" where the function has none.
    never: why the function has none on any backend; "" where it has one.
    refused: why the function has none there, by the name of the backend.
    no_forward: the backends without a forward derivative.
    once: the backends without a second derivative. Elsewhere there are derivatives of derivatives.
    """

    here: str
    never: str
    refused: dict[str, str]
    no_forward: list[str]
    once: list[str]


def derivative_of(name: str) -> Derivative:
    """Say what is known of the derivative of a function."""
    never = next((why for why, names in NOT_DIFFERENTIATED.items() if name in names.split()), "")
    if never:
        return Derivative("", never, {}, [], [])
    facts = all_facts()
    refused = {backend: f.no_derivative[name] for backend, f in facts.items() if name in f.no_derivative}
    no_forward = sorted(backend for backend, f in facts.items() if name in f.no_forward_derivative)
    once = sorted(backend for backend, f in facts.items() if name in f.no_second_derivative)
    return Derivative(_here(name), "", refused, no_forward, once)


def _here(name: str) -> str:
    o, found = declared(name), rule_of(name)
    if found is not None and is_constant(found):
        return "with the slope 0, as it is constant in steps"
    if found is None or (o is not None and o.body is not None and get("taped:numpy").function(name) is None):
        return "by the functions that it is composed of"
    return "by a rule"
