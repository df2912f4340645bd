"""`jax.lax.custom_root` and `custom_linear_solve`: solutions whose derivatives are those of what they solve."""

from __future__ import annotations

from typing import Any

from ..core import describe, ops
from ..custom import custom_jvp, custom_vjp
from ..transformations import jvp, vjp
from ..trees import arrays_in, mapped


def custom_root(f: Any, initial_guess: Any, solve: Any, tangent_solve: Any, has_aux: bool = False) -> Any:
    """Solve ``f(x) = 0`` by a function that is not differentiated: derivatives are by the implicit function.

    Parameters
    ----------
    f: a function of a tree of arrays, that gives a tree built as that is. It may hold arrays to differentiate by.
    initial_guess: a tree of arrays.
    solve: a function of f and the guess, that gives the solution; with `has_aux` and what else there is.
    tangent_solve: a function of a linear function g and of y, that gives x with ``g(x) = y``.
    """
    from ..custom_derivatives import closure_convert

    guess = arrays_in(initial_guess)
    converted, held = closure_convert(f, guess)

    def root(*consts: Any) -> Any:
        return (
            arrays_in(solve(lambda x: converted(x, *consts), guess))
            if not has_aux
            else _pair(solve(lambda x: converted(x, *consts), guess))
        )

    if not held:
        return root()

    def rule(primals: Any, tangents: Any) -> Any:
        out = root(*primals)
        x = out[0] if has_aux else out
        moved = jvp(lambda *consts: converted(x, *consts), primals, tangents)[1]

        def linear(t: Any) -> Any:
            return jvp(lambda y: converted(y, *primals), (x,), (t,))[1]

        tangent = mapped(lambda v: -v, tangent_solve(linear, moved))
        return out, ((tangent, mapped(ops.zeros_like, out[1])) if has_aux else tangent)

    solved = custom_jvp(root)
    solved.defjvp(rule)
    return solved(*held)


def _pair(found: Any) -> Any:
    x, aux = found
    return arrays_in(x), arrays_in(aux)


def custom_linear_solve(
    matvec: Any, b: Any, solve: Any, transpose_solve: Any = None, symmetric: bool = False, has_aux: bool = False
) -> Any:
    """Solve ``matvec(x) = b`` for a linear function, by functions that are not differentiated.

    Parameters
    ----------
    matvec: a linear function of a tree of arrays. It may hold arrays to differentiate by.
    b: a tree of arrays.
    solve: a function of a linear function and of b, that gives the solution; with `has_aux` and what else there is.
    transpose_solve: the same of the transposed function; needed for derivatives in reverse, unless `symmetric`.
    """
    from ..custom_derivatives import closure_convert

    b = arrays_in(b)
    transpose_solve = solve if transpose_solve is None and symmetric else transpose_solve
    converted, held = closure_convert(matvec, b)

    def forward(consts: Any, rhs: Any) -> Any:
        found = solve(lambda x: converted(x, *consts), rhs)
        return _pair(found) if has_aux else arrays_in(found)

    solved = custom_vjp(forward)

    def fwd(consts: Any, rhs: Any) -> Any:
        out = forward(consts, rhs)
        return out, (consts, out[0] if has_aux else out)

    def bwd(kept: Any, cotangent: Any) -> Any:
        consts, x = kept
        ct = cotangent[0] if has_aux else cotangent
        if transpose_solve is None:
            raise TypeError(
                "transpose_solve required for backwards mode automatic differentiation of custom_linear_solve"
            )
        pull = vjp(lambda y: converted(y, *consts), x)[1]
        transposed = (lambda y: converted(y, *consts)) if symmetric else (lambda y: pull(y)[0])
        of_b = transpose_solve(transposed, ct)
        of_b = arrays_in(of_b[0] if has_aux else of_b)
        if not consts:
            return (), of_b
        of_consts = vjp(lambda *cs: converted(x, *cs), *consts)[1](mapped(lambda v: -v, of_b))
        return tuple(of_consts), of_b

    solved.defvjp(fwd, bwd)
    return solved(tuple(held), b)


describe(globals(), "jax.lax")
