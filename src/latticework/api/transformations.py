"""Transformations of functions: derivatives, mapping along an axis, compilation.

They take a function of lw.Arrays and return another. Frameworks run it on their tracers; the calls of the frameworks
are in ``backends/<name>/transformations.py``, as functions of lists of native arrays. Arguments and
results are trees (see `lw.tree`): arrays in lists, tuples, named tuples and dicts. Transformations nest as they nest in
the framework.

Derivatives are those of JAX, PyTorch and TensorFlow, whichever has the arguments. NumPy and Dask have none: there they
are latticework's own, by the rules in ``derivatives/``. The gradient by a complex number x + iy is df/dx + i df/dy, as
PyTorch and TensorFlow have it, and ``x - rate * gradient`` descends; `jax.grad` gives its conjugate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from itertools import count
from typing import Any, ParamSpec, TypeVar, overload
from weakref import finalize

from ..backend import Backend, get
from ..backend.transposed import transposed
from ..core.registry import declaration_of
from ..core.registry import functions as lw
from ..core.trees import LEAF, Structure, flatten, leaves_at, paths
from ..core.trees import leaves as leaves_of
from ..engine.arrays.array import Array, wrapped
from ..engine.functions.closures import Closure
from ..engine.functions.entry import Entry, Kept, OtherShapes
from ..engine.functions.flat import (
    DIRECTIONS,
    RECORDING,
    Result,
    as_array,
    chosen_backend,
    described,
    in_directions,
    native,
    owner_of,
    wrap,
)
from ..engine.functions.gradients import Call, Plans, written
from ..engine.functions.lacking import note_lacking
from ..errors import AxisError, TraceError
from ..policy import TABLES, call_under, current
from ..tracing.recording.state import State
from ..tracing.running import StaleError
from ..tracing.staged import Staged, of_its_own
from .inference import Spec, infer, spec

__all__ = [
    "checkpoint", "custom_gradient", "derivative_of", "grad", "hessian", "jacfwd", "jacrev", "jit", "jvp",
    "stop_gradient", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")
_Rule = TypeVar("_Rule", bound=Callable[..., Any] | None)

_Function = Callable[..., Any]
_Argnums = int | Sequence[int]


# --- what all of them need ----------------------------------------------------------------------------------------


def _hooks(backend: Backend) -> Any:
    """The transformations of a backend's framework, None where it has none."""
    return backend.transformations


def _derivatives(backend: Backend) -> Any:
    """Return the derivatives of a backend: its framework's, or latticework's own where the framework has none
    or the policy asks for them."""
    found = backend.transformations
    if hasattr(found, "inside") or (hasattr(found, "vjp") and current().gradients != "rules"):
        return found
    return get(f"taped:{backend.name}").transformations


def _wrapped(f: _Function, call: _Function) -> _Function:
    """Give `call` the name and the docstring of the function that it runs."""
    return wraps(f)(call)


def _check_function(name: str, f: Any) -> None:
    if not callable(f):
        raise TypeError(f"{name}: the first argument is the function; got {type(f).__name__}")


def _pair(name: str, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(
            f"{name}: with has_aux=True the function returns a pair, (result, aux); got {type(value).__name__}"
        )
    return value[0], value[1]


class _Arguments:
    """The arguments that a function is differentiated by.

    Attributes
    ----------
    arrays: their leaves.
    natives: the native arrays of these.
    """

    def __init__(self, name: str, args: tuple[Any, ...], argnums: _Argnums, *, real: bool = False) -> None:
        self.name, self.args = name, args
        numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
        self.single = numbers is not argnums
        self.positions = [_position(name, n, len(args)) for n in numbers]
        _check_positions(name, self.positions, argnums)
        leaves, self.structure = flatten([args[i] for i in self.positions])
        self.leaves = leaves
        self.backend = chosen_backend(name, leaves, leaves_of(args))
        self.hooks = _derivatives(self.backend)
        #: The backend of what the function is run on.
        self.inside: Backend = getattr(self.hooks, "inside", self.backend)
        self.arrays = [self._array(i, leaf, real) for i, leaf in enumerate(leaves)]
        self.natives = [native(x) for x in self.arrays]
        if not self.arrays:
            raise ValueError(f"{name}: there are no arrays in {self.place('')}")

    @property
    def has_plans(self) -> bool:
        """Whether a plan can run calls like this one."""
        backend = self.backend
        known = self.inside is backend and backend.facts.framework != "" and hasattr(self.hooks, "gradient")
        alike = all(type(x) is Array and x is y for x, y in zip(self.leaves, self.arrays, strict=True))
        return known and alike and RECORDING.get() is None

    def vjp(self, run: _Run, **options: Any) -> tuple[list[Any], Callable[[list[Any]], list[Any]], list[Any]]:
        """Run a function, to differentiate it in reverse."""
        with self._noting():
            outs, pull, aux = self.hooks.vjp(run, self.natives, **options)

        def back(cotangents: list[Any]) -> list[Any]:
            with self._noting():
                found: list[Any] = pull(cotangents)
            return found

        return outs, back, aux

    def gradient(self, run: _Run) -> tuple[list[Any], list[Any], list[Any]]:
        """Run a function that returns a number, and differentiate it once."""
        hook = getattr(self.hooks, "gradient", None)
        if hook is None:
            outs, back, aux = self.vjp(run)
            return outs, back([native(lw.ones_like(wrap(self.backend, x))) for x in outs]), aux
        with self._noting():
            found: tuple[list[Any], list[Any], list[Any]] = hook(run, self.natives)
        return found

    def jvp(self, run: _Run, directions: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Run a function with its derivative in a direction."""
        with self._noting():
            found: tuple[list[Any], list[Any], list[Any]] = self.hooks.jvp(run, self.natives, directions)
        return found

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Say in a note on an error of the framework's, for a derivative that it lacks, what has one."""
        try:
            yield
        except Exception as error:
            if self.inside is self.backend:
                note_lacking(self.name, self.backend, error)
            raise

    def place(self, path: str) -> str:
        """Name a place in the arguments: "argument 0['w']"."""
        number, _, rest = path.removeprefix("[").partition("]")
        return f"argument {self.positions[int(number)]}{rest}" if number else "the arguments"

    def _array(self, i: int, leaf: Any, real: bool) -> Array:
        x = None if type(leaf) in (bool, int) else as_array(self.name, leaf, self.backend)
        if x is not None and x.dtype.kind in ("f" if real else "fc"):
            return x
        place = self.place([*paths(self.structure)][i])
        if x is None:
            way_out = f"Write {float(leaf)}, or leave" if type(leaf) is int else "Leave"
            raise TypeError(
                f"{self.name}: {place} is {described(leaf)}, and derivatives are by arrays of floating dtypes. "
                f"{way_out} it out of argnums"
            )
        if x.dtype.kind == "c":
            raise TypeError(
                f"{self.name}: {place} is {x.dtype}, and Jacobians are by real arguments. "
                f"Take the real and the imaginary part as two arguments, or lw.jvp and lw.vjp"
            )
        raise TypeError(
            f"{self.name}: {place} is {x.dtype}, and derivatives are by floating dtypes. "
            f"Cast it: lw.astype(x, lw.float32), or leave it out of argnums"
        )

    def filled(self, natives: Sequence[Any]) -> list[Any]:
        """Return all arguments, with the framework's native data in the place of the arrays."""
        wrappers = [wrap(self.inside, data) for data in natives]
        args = [*self.args]
        for i, value in zip(self.positions, self.structure.build(iter(wrappers)), strict=True):
            args[i] = value
        return args

    def tree(self, leaves: Sequence[Any]) -> Any:
        """Build a tree of one leaf for each array, in the structure of the arguments."""
        built = self.structure.build(iter(leaves))
        return built[0] if self.single else tuple(built)


def _position(name: str, n: Any, count: int) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{name}: argnums is an int or a tuple of ints; got {n!r}")
    position: int = n.__index__()
    if not -count <= position < count:
        raise ValueError(
            f"{name}: argnums {position} is out of range for a call with {count} arguments by position; "
            f"give what is differentiated by position"
        )
    return position % count


def _check_positions(name: str, positions: list[int], argnums: _Argnums) -> None:
    if not positions and name in ("vjp", "jvp"):
        raise ValueError(f"{name}: there is no argument to differentiate by. Give the arguments after the function")
    if not positions:
        raise ValueError(f"{name}: argnums={argnums!r} names no argument to differentiate by. Write argnums=0")
    twice = [n for n in positions if positions.count(n) > 1]
    if twice:
        raise ValueError(
            f"{name}: argnums={argnums!r} names argument {twice[0]} twice, and a derivative is by each argument once. "
            f"Name it once"
        )


class _Run:
    """A function with its arguments, as frameworks run it: of native arrays, to those of the result and of `aux`."""

    def __init__(self, f: _Function, arguments: _Arguments, kw: dict[str, Any], has_aux: bool, check: Any) -> None:
        self.f, self.arguments, self.kw, self.has_aux, self.check = f, arguments, kw, has_aux, check
        name, inside, built = arguments.name, arguments.inside, arguments.backend
        self.out = Result(name, inside, built=built)
        self.aux = Result(name, inside, "aux", numbers=False, others=True, built=built)

    def __call__(self, natives: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        policy, arguments = current(), self.arguments
        if policy.backend == arguments.backend.name != arguments.inside.name:  # what f creates may be written to
            found: tuple[list[Any], list[Any]] = call_under(policy.on(arguments.inside.name), self._run, (natives,), {})
            return found
        return self._run(natives)

    def _run(self, natives: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        inside = self.arguments.inside
        recording = RECORDING.set(inside if hasattr(inside, "target") else RECORDING.get())
        try:
            value, aux = self.f(*self.arguments.filled(natives), **self.kw), None
        finally:
            RECORDING.reset(recording)
        if self.has_aux:
            value, aux = _pair(self.arguments.name, value)
        outs = self.out.take(value)
        self.check(self.arguments.name, self.out)
        return outs, self.aux.take(aux)


def _check_scalar(name: str, out: Result) -> None:
    x = out.arrays[0] if out.structure.is_one_array else None
    if x is not None and x.shape == () and x.dtype.kind == "f":
        return
    if x is None:
        got, way_out = f"a tree {out.structure}", "Return one array; has_aux=True takes others beside it"
    else:
        got = described(x)
        way_out = "Reduce it, as lw.sum and lw.mean do; lw.jacrev has the derivatives of all its elements"
        if x.dtype.kind != "f":
            way_out = "Take lw.real(x) or lw.abs(x)" if x.dtype.kind == "c" else "Cast it to a floating dtype"
    raise TypeError(f"{name}: the function must return a real floating array of shape (); got {got}. {way_out}")


def _check_floating(name: str, out: Result) -> None:
    for x, place in zip(out.arrays, out.places(), strict=True):
        if x.dtype.kind not in "fc":
            raise TypeError(
                f"{name}: the result{place} is {x.dtype}, which has no derivatives. Cast it to a floating dtype, or "
                f"return it beside the result, with has_aux=True"
            )
    if not out.arrays:
        raise TypeError(f"{name}: the function returned no arrays")


def _check_real(name: str, out: Result) -> None:
    _check_floating(name, out)
    for x, place in zip(out.arrays, out.places(), strict=True):
        if x.dtype.kind == "c":
            raise TypeError(
                f"{name}: the result{place} is {x.dtype}, and rows of Jacobians are of real results. "
                f"lw.jacfwd takes complex ones; or return its real and imaginary part"
            )


# --- derivatives --------------------------------------------------------------------------------------------------


def _differentiating(name: str, f: _Function, argnums: _Argnums, has_aux: bool, with_value: bool) -> _Function:
    """Make the function that gives the gradient of a function; with the value, as a pair of both."""
    plans = Plans()

    def slow(args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        arguments = _Arguments(name, args, argnums)
        run = _Run(f, arguments, kw, has_aux, _check_scalar)
        outs, found, beside = arguments.gradient(run)
        value, aux = run.out.build(outs), run.aux.build(beside)
        grads = arguments.tree([wrap(arguments.backend, x) for x in found])
        if arguments.has_plans and run.out.structure is LEAF:
            seen = Call(
                args, kw, arguments.positions, arguments.structure, arguments.arrays, arguments.backend,
                run.out.arrays[0]._sig,
            )  # fmt: skip
            plans.note(name, seen, slow, partial(_plan, name, f, slow, arguments.single, has_aux, with_value))
        if with_value:
            return ((value, aux), grads) if has_aux else (value, grads)
        return (grads, aux) if has_aux else grads

    def call(*args: Any, **kw: Any) -> Any:
        planned = plans.call
        return slow(args, kw) if planned is None else planned(*args, **kw)

    return _wrapped(f, call)


def _plan(name: str, f: _Function, slow: Any, single: bool, has_aux: bool, with_value: bool, call: Call) -> _Function:
    backend = call.backend

    def taken(value: Any) -> tuple[Result, list[Any]]:
        out = Result(name, backend)
        outs = out.take(value)
        _check_scalar(name, out)
        return out, outs

    def pair(returned: Any) -> tuple[Any, Result, list[Any]]:
        value, aux = _pair(name, returned)
        out = Result(name, backend, "aux", numbers=False, others=True)
        return value, out, out.take(aux)

    return written(
        call, name, f, slow, single=single, with_value=with_value, taken=taken, pair=pair if has_aux else None
    )


def grad(f: Callable[P, Any], argnums: _Argnums = 0, *, has_aux: bool = False) -> Callable[P, Any]:
    """Make the function that gives the gradient of a function.

    Parameters
    ----------
    f: a function that returns a real floating array of shape (). Its arguments may be anything.
    argnums: which arguments by position to differentiate by: trees of floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that array and of anything else, which is returned too.

    Returns
    -------
    A function of the same arguments. It returns the gradient, which is built as the argument is, each array of the
    shape and dtype of the argument's; for several `argnums` a tuple of them. With `has_aux`, a pair of that and of the
    second result of `f`.

    Raises
    ------
    BackendError: when it is called: there are arrays of two backends, or a function has no derivative.
    TypeError: when it is called: an argument to differentiate by is of no floating dtype, or the result is none of
        shape ().

    Notes
    -----
    The gradient by a complex number x + iy is df/dx + i df/dy. `f` must not write to its arguments: PyTorch refuses it.

    On NumPy and Dask derivatives are latticework's own, on the others the framework's. At a kink, such as `abs` at 0,
    all backends take one slope: the page "Slopes at kinks" (docs/derivatives.md) lists them, beside the frameworks' own
    slopes, which ``lw.using(gradients="native")`` takes. Of norms and deviations of zeros the derivative is 0. Where no
    slope is finite the result may be nan or infinite, also behind a `where` that does not select it: guard the
    argument, ``where(x > 0, sqrt(where(x > 0, x, 1)), 0)``.

    A derivative that a framework does not have is an error, and not 0. ``lw.using(gradients="rules")`` often has it.

    Examples
    --------
    >>> import latticework as lw
    >>> def loss(params, x):
    ...     return lw.mean((x @ params["w"] + params["b"]) ** 2)
    >>> with lw.using(backend="torch"):
    ...     params = {"w": lw.asarray([1.0, 2.0]), "b": lw.asarray(0.5)}
    ...     lw.grad(loss)(params, lw.asarray([[1.0, 0.0], [0.0, 1.0]]))
    {'w': Array([1.5, 2.5], dtype=float32), 'b': Array(4., dtype=float32)}
    """
    _check_function("grad", f)
    return _differentiating("grad", f, argnums, has_aux, with_value=False)


def value_and_grad(f: Callable[P, R], argnums: _Argnums = 0, *, has_aux: bool = False) -> Callable[P, tuple[R, Any]]:
    """Make the function that gives the value of a function and its gradient.

    Parameters
    ----------
    f: a function that returns a real floating array of shape ().
    argnums: which arguments by position to differentiate by: trees of floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that array and of anything else, which is returned too.

    Returns
    -------
    A function of the same arguments, which returns ``(value, gradient)``, with `has_aux` ``((value, aux), gradient)``.
    The gradient is as `grad` gives it.

    Raises
    ------
    BackendError, TypeError: as those of `grad`.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="torch"):
    ...     lw.value_and_grad(lambda x: lw.sum(x**3))(lw.asarray([1.0, 2.0]))
    (Array(9., dtype=float32), Array([ 3., 12.], dtype=float32))
    """
    _check_function("value_and_grad", f)
    return _differentiating("value_and_grad", f, argnums, has_aux, with_value=True)


def vjp(f: _Function, /, *primals: Any, has_aux: bool = False) -> Any:
    """Compute a function, and make the function that brings cotangents of the result back to the arguments.

    Parameters
    ----------
    f: a function that returns a tree of floating arrays.
    primals: its arguments: trees of floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that tree and of anything else, which is returned too.

    Returns
    -------
    ``(result, back)``, with `has_aux` ``(result, back, aux)``. `back` takes cotangents, a tree that is built as the
    result is, of arrays of the same shapes and dtypes. It returns a tuple with a tree for each argument, built as that
    is. It can be called more than once.

    Raises
    ------
    BackendError: there are arrays of two backends, or a function has no derivative.
    TypeError: an argument or a result is of no floating dtype.
    ValueError: cotangents are not built as the result is, or have other shapes.

    Notes
    -----
    Of a real function these are the rows of its Jacobian, weighted by the cotangents. Of a function of complex numbers
    with derivative f'(z), `back(c)` is ``c * conj(f'(z))``. What is written to arrays before `back` is called changes
    no derivative: on NumPy the arguments and the results are copied for that.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="torch"):
    ...     y, back = lw.vjp(lambda x: x**2, lw.asarray([1.0, 3.0]))
    ...     y, back(lw.asarray([1.0, 10.0]))
    (Array([1., 9.], dtype=float32), (Array([ 2., 60.], dtype=float32),))
    """
    _check_function("vjp", f)
    arguments = _Arguments("vjp", primals, tuple(range(len(primals))))
    run = _Run(f, arguments, {}, has_aux, _check_floating)
    lasting = {"lasting": True} if arguments.inside is not arguments.backend else {}
    outs, pull, aux = arguments.vjp(run, **lasting)
    found = [wrap(arguments.backend, x) for x in outs]

    def back(cotangents: Any) -> tuple[Any, ...]:
        pulled = pull(_directions("vjp", "cotangent", run.out.structure, cotangents, found, arguments.backend))
        result: tuple[Any, ...] = arguments.tree([wrap(arguments.backend, x) for x in pulled])
        return result

    result = run.out.build(outs)
    return (result, back, run.aux.build(aux)) if has_aux else (result, back)


def jvp(f: _Function, primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: bool = False) -> Any:
    """Compute a function and its derivative in a direction.

    Parameters
    ----------
    f: a function that returns a tree of floating arrays.
    primals: a tuple or list of its arguments: trees of floating arrays, and Python floats.
    tangents: a tuple or list that is built as `primals` is, of arrays of the same shapes and dtypes.
    has_aux: whether `f` returns a pair, of that tree and of anything else, which is returned too.

    Returns
    -------
    ``(result, derivative)``, with `has_aux` ``(result, derivative, aux)``. The derivative is built as the result is.

    Raises
    ------
    BackendError: there are arrays of two backends, or a function has no derivative.
    TypeError: an argument or a result is of no floating dtype.
    ValueError: tangents are not built as the arguments are, or have other shapes.

    Notes
    -----
    Of a real function this is its Jacobian times the tangents, found with the result in one forward pass.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="jax"):
    ...     x = lw.asarray([1.0, 3.0], dtype=lw.float32)
    ...     lw.jvp(lambda x: x**2, (x,), (lw.asarray([1.0, 10.0], dtype=lw.float32),))
    (Array([1., 9.], dtype=float32), Array([ 2., 60.], dtype=float32))
    """
    _check_function("jvp", f)
    for what, x in (("primals", primals), ("tangents", tangents)):
        if not isinstance(x, (tuple, list)):
            raise TypeError(f"jvp: {what} are a tuple of all arguments; got {type(x).__name__}. Write (x,) for one")
    arguments = _Arguments("jvp", tuple(primals), tuple(range(len(primals))))
    run = _Run(f, arguments, {}, has_aux, _check_floating)
    directions = _directions("jvp", "tangent", arguments.structure, [*tangents], arguments.arrays, arguments.backend)
    outs, derivatives, aux = arguments.jvp(run, directions)
    result = run.out.build(outs), run.out.build(derivatives)
    return (*result, run.aux.build(aux)) if has_aux else result


def _directions(
    name: str, what: str, structure: Structure, tree: Any, beside: Sequence[Array], backend: Backend
) -> list[Any]:
    """The native arrays of tangents or cotangents, each of the shape and dtype of the array that it belongs to."""
    try:
        leaves = [*leaves_at(structure, tree)]
    except ValueError as error:
        raise ValueError(f"{name}: the {what}s are not built as what they belong to: {error}") from None
    found = []
    for leaf, x, place in zip(leaves, beside, paths(structure), strict=True):
        array = as_array(name, leaf, backend, x.dtype)
        if array is None or array.shape != x.shape or array.dtype is not x.dtype:
            got = described(leaf if array is None else array)
            kind = ValueError if array is not None and array.dtype is x.dtype else TypeError
            raise kind(f"{name}: the {what}{place} must be {described(x)}, as what it belongs to; got {got}")
        found.append(native(array))
    return found


def _basis(x: Array) -> Array:
    """Arrays of the shape of x, stacked: each has one element that is 1, and no two the same."""
    n = _size(x)
    return lw.reshape(lw.eye(n, dtype=x.dtype, device=x.device), (n, *x.shape))


def _size(x: Array) -> int:
    if x.size is None:
        raise ValueError(f"the Jacobian of {described(x)} has an extent that is not known")
    return x.size


def jacrev(f: Callable[P, Any], argnums: _Argnums = 0, *, has_aux: bool = False) -> Callable[P, Any]:
    """Make the function that gives the Jacobian of a function, row by row: all derivatives of one element of the result
    at a time. Takes less time than `jacfwd` where there are fewer results than arguments.

    Parameters
    ----------
    f: a function that returns a tree of real floating arrays.
    argnums: which arguments by position to differentiate by: trees of real floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that tree and of anything else, which is returned too.

    Returns
    -------
    A function of the same arguments. It returns a tree that is built as the result of `f`. In the place of each array y
    it has what `grad` gives, with arrays of the shape ``(*y.shape, *x.shape)`` for an argument x: the derivatives of
    each element of y by each of x. With `has_aux`, a pair of that and of the second result of `f`.

    Raises
    ------
    BackendError, TypeError: as those of `grad`. Complex arguments and results are refused.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="torch"):
    ...     lw.jacrev(lambda x: lw.stack([x[0] * x[1], x[1] ** 2]))(lw.asarray([2.0, 3.0]))
    Array([[3., 2.],
           [0., 6.]], dtype=float32)
    """
    _check_function("jacrev", f)

    def call(*args: Any, **kw: Any) -> Any:
        arguments = _Arguments("jacrev", args, argnums, real=True)
        run = _Run(f, arguments, kw, has_aux, _check_real)
        hooks, backend = arguments.hooks, arguments.backend
        outs, back, aux = arguments.vjp(run)
        results = [wrap(backend, x) for x in outs]
        zeros = [native(lw.zeros_like(y)) for y in results]

        def rows(k: int) -> Any:
            y = results[k]

            def pulled(natives: list[Any]) -> tuple[list[Any], list[Any]]:
                return back([*zeros[:k], *natives, *zeros[k + 1 :]]), []

            shapes = [(*y.shape, *x.shape) for x in arguments.arrays]
            if not _size(y):
                return arguments.tree([_empty(shape, x) for shape, x in zip(shapes, arguments.arrays, strict=True)])
            found, _ = hooks.vmap(pulled, [native(_basis(y))], [0], y.size)
            return arguments.tree([lw.reshape(wrap(backend, x), s) for x, s in zip(found, shapes, strict=True)])

        jacobian = run.out.build(range(len(outs)), rows)
        return (jacobian, run.aux.build(aux)) if has_aux else jacobian

    return _wrapped(f, call)


def _empty(shape: tuple[int, ...], like: Array) -> Array:
    return lw.zeros(shape, dtype=like.dtype, device=like.device)


def jacfwd(f: Callable[P, Any], argnums: _Argnums = 0, *, has_aux: bool = False) -> Callable[P, Any]:
    """Make the function that gives the Jacobian of a function, column by column: the derivatives of all results by one
    element of an argument at a time. Takes less time than `jacrev` where there are fewer arguments than results.

    Parameters
    ----------
    f: a function that returns a tree of floating arrays.
    argnums: which arguments by position to differentiate by: trees of real floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that tree and of anything else, which is returned too.

    Returns
    -------
    A function of the same arguments, which returns what that of `jacrev` returns.

    Raises
    ------
    BackendError, TypeError: as those of `grad`. Complex arguments are refused.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="jax"):
    ...     lw.jacfwd(lambda x, y: x * y, argnums=(0, 1))(lw.asarray([2.0, 3.0]), lw.asarray(5.0))
    (Array([[5., 0.],
           [0., 5.]], dtype=float32), Array([2., 3.], dtype=float32))
    """
    _check_function("jacfwd", f)

    def call(*args: Any, **kw: Any) -> Any:
        arguments = _Arguments("jacfwd", args, argnums, real=True)
        run = _Run(f, arguments, kw, has_aux, _check_floating)
        hooks, backend = arguments.hooks, arguments.backend
        zeros = [native(lw.zeros_like(x)) for x in arguments.arrays]
        aux: list[Any] = []

        def columns(k: int, x: Array) -> list[Array]:
            """The derivatives of all results by one argument."""

            def pushed(natives: list[Any]) -> tuple[list[Any], list[Any]]:
                directions = [*zeros[:k], *natives, *zeros[k + 1 :]]
                _, derivatives, kept = arguments.jvp(run, directions)
                return derivatives, kept

            if not _size(x):
                outs, _ = run(arguments.natives)
                return [_empty((*wrap(backend, y).shape, *x.shape), wrap(backend, y)) for y in outs]
            found, aux[:] = hooks.vmap(pushed, [native(_basis(x))], [0], x.size)
            moved = [lw.moveaxis(wrap(backend, y), 0, -1) for y in found]
            return [lw.reshape(y, (*y.shape[:-1], *x.shape)) for y in moved]

        by_argument = [columns(k, x) for k, x in enumerate(arguments.arrays)]
        jacobian = run.out.build(range(len(by_argument[0])), lambda k: arguments.tree([row[k] for row in by_argument]))
        return (jacobian, run.aux.build(aux)) if has_aux else jacobian

    return _wrapped(f, call)


def hessian(f: Callable[P, Any], argnums: _Argnums = 0, *, has_aux: bool = False) -> Callable[P, Any]:
    """Make the function that gives the second derivatives of a function.

    Parameters
    ----------
    f: a function that returns a real floating array, usually of shape ().
    argnums: which arguments by position to differentiate by: trees of real floating arrays, and Python floats.
    has_aux: whether `f` returns a pair, of that array and of anything else, which is returned too.

    Returns
    -------
    A function of the same arguments. Of one array x it returns an array of the shape ``(*x.shape, *x.shape)``; of a
    tree, or several `argnums`, a tree of such trees: ``h["a"]["b"]`` has the derivatives by ``a`` and by ``b``.

    Raises
    ------
    BackendError, TypeError: as those of `jacrev`.

    Notes
    -----
    On TensorFlow this is `jacrev` of `jacrev`, elsewhere `jacfwd` of `jacrev`.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="jax"):
    ...     lw.hessian(lambda x: x[0] ** 2 * x[1])(lw.asarray([1.0, 3.0]))
    Array([[6., 2.],
           [2., 0.]], dtype=float32)
    """
    _check_function("hessian", f)
    rows = jacrev(f, argnums, has_aux=has_aux)
    forward, reverse = (of(rows, argnums, has_aux=has_aux) for of in (jacfwd, jacrev))

    def call(*args: Any, **kw: Any) -> Any:
        hooks = _Arguments("hessian", args, argnums, real=True).hooks
        return (reverse if hasattr(hooks, "HESSIAN_IN_REVERSE") else forward)(*args, **kw)

    return _wrapped(f, call)


# --- mapping and compiling ----------------------------------------------------------------------------------------


def _spread(name: str, what: str, axes: Any, tree: Any) -> list[int | None]:
    """List the axis of each leaf of a tree. One axis may be given for a whole part of the tree."""
    found, structure = flatten(axes, lambda x: x is None)
    for axis in found:
        if axis is not None and (isinstance(axis, bool) or not hasattr(axis, "__index__")):
            raise TypeError(f"{name}: {what} are ints, None, or trees of them; got {axis!r}")
    try:
        parts = [*leaves_at(structure, tree)]
    except ValueError as error:
        raise ValueError(f"{name}: {what} are not built as what they belong to: {error}") from None
    spread: list[int | None] = []
    for axis, part in zip(found, parts, strict=True):
        spread += [axis] * flatten(part)[1].size
    return spread


def vmap(f: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0) -> Callable[P, R]:
    """Make the function that maps a function along an axis of its arguments.

    `f` is written for one example, and gets arrays without the axis that is mapped along.

    Parameters
    ----------
    f: a function that returns a tree of arrays.
    in_axes: the axis of each argument to map along, None for an argument that is the same for all: an int for all
        arguments, or a tuple with an entry for each argument by position. An entry may be a tree, for an argument that
        is one. Arguments by name are mapped along their first axis.
    out_axes: where the axis goes in the results: an int, or a tree that is built as the result is. None for a result
        that is the same for all.

    Returns
    -------
    A function of the same arguments, whose arrays have one axis more.

    Raises
    ------
    ValueError: when it is called: nothing is mapped, or the axes have different extents.
    TypeError: when it is called: what has no axes is mapped along one. Give None for it in `in_axes`.
    AxisError: when it is called: an array does not have the axis.

    Notes
    -----
    On JAX this is `jax.vmap`, on PyTorch `torch.func.vmap`, on TensorFlow `tf.vectorized_map`: `f` runs once, on arrays
    that stand for all examples. On NumPy and Dask `f` runs for one example after the other, and the results are
    stacked. Do not write to the arguments in `f`. A result with None in `out_axes` that is not the same for all is an
    error on JAX and PyTorch; elsewhere it is that of the first example.

    Examples
    --------
    >>> import latticework as lw
    >>> rows, weights = lw.asarray([[1.0, 2.0], [3.0, 4.0]]), lw.asarray([1.0, 10.0])
    >>> lw.vmap(lambda row, w: row @ w, in_axes=(0, None))(rows, weights)
    Array([21., 43.], dtype=float32)
    """
    _check_function("vmap", f)

    def call(*args: Any, **kw: Any) -> Any:
        axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        spread = [*_spread("vmap", "in_axes", axes, args), *_spread("vmap", "in_axes", 0, kw)]
        leaves, structure = flatten((args, kw))
        mapped = {i: axis for i, axis in enumerate(spread) if axis is not None}
        backend = chosen_backend("vmap", [leaves[i] for i in mapped], leaves)
        names = [_name_of(place) for place in paths(structure)]
        arrays = {i: _with_axis(names[i], leaves[i], axis, backend) for i, axis in mapped.items()}
        extents = {names[i]: x.shape[mapped[i]] for i, x in arrays.items()}
        if len({*extents.values()}) != 1 or None in extents.values():
            raise _no_extent(extents)
        (size,) = {*extents.values()}

        def on(examples: Sequence[Array]) -> Any:
            filled = [*leaves]
            for i, x in zip(arrays, examples, strict=True):
                filled[i] = x
            one_args, one_kw = structure.build(iter(filled))
            return f(*one_args, **one_kw)

        places = [mapped[i] % x.ndim for i, x in arrays.items()]
        if not size:
            return _of_nothing(on, [*arrays.values()], places, out_axes, backend)
        hooks = _hooks(backend)
        if hooks is None:
            return _one_by_one(on, [*arrays.values()], places, size, out_axes, backend)
        out = _Mapped(backend, out_axes)

        def run(natives: list[Any]) -> tuple[list[Any], list[Any]]:
            with of_its_own():
                return out.take(on([wrap(backend, x) for x in natives]))

        return out.build(*hooks.vmap(run, [native(x) for x in arrays.values()], places, size))

    return _wrapped(f, call)


def _name_of(path: str) -> str:
    """Name an argument by its place in ``(args, kw)``."""
    number, _, more = path[3:].removeprefix("[").partition("]")
    return f"argument {number}{more}"


def _with_axis(name: str, leaf: Any, axis: int, backend: Backend) -> Array:
    array = as_array("vmap", leaf, backend) if owner_of("vmap", [leaf]) is not None else None
    if array is None:
        raise TypeError(
            f"vmap: {name} is {described(leaf)}, which has no axes. Give None for it in in_axes, to hand it on as it is"
        )
    if not -array.ndim <= axis < array.ndim:
        raise AxisError(f"vmap: {name} has shape {array.shape}, and in_axes asks for axis {axis}")
    return array


def _no_extent(extents: dict[str, Any]) -> ValueError:
    if not extents:
        return ValueError("vmap: there is nothing to map along: in_axes has None for all arguments")
    if None in extents.values():
        return ValueError("vmap: the extent of the mapped axis is not known before the array is computed")
    shown = ", ".join(f"{n} ({name})" for name, n in extents.items())
    return ValueError(f"vmap: the axes that are mapped along must have one extent; got {shown}")


class _Mapped:
    """The results of a mapped function, and where the mapped axis goes in them."""

    axes: list[int | None]

    def __init__(self, backend: Backend, out_axes: Any) -> None:
        self.backend, self.out_axes = backend, out_axes
        self.out = Result("vmap", backend, others=False)

    def take(self, tree: Any) -> tuple[list[Any], list[Any]]:
        """The native arrays of one result: those to stack, and those that are the same for all."""
        natives = self.out.take(tree)
        self.axes = _spread("vmap", "out_axes", self.out_axes, tree)
        stacked = [x for x, axis in zip(natives, self.axes, strict=True) if axis is not None]
        return stacked, [x for x, axis in zip(natives, self.axes, strict=True) if axis is None]

    def build(self, stacked: Sequence[Any], kept: Sequence[Any]) -> Any:
        """The results, of arrays that are stacked along their first axis and of those that are the same for all."""
        first, same = iter(stacked), iter(kept)
        arrays = [self._placed(next(same if axis is None else first), axis) for axis in self.axes]
        return self.out.structure.build(iter(arrays))

    def _placed(self, x: Any, axis: int | None) -> Array:
        array = x if isinstance(x, Array) else wrap(self.backend, x)
        return lw.moveaxis(array, 0, axis) if axis else array


def _one_by_one(
    on: _Function, arrays: list[Array], places: list[int], size: int, out_axes: Any, backend: Backend
) -> Any:
    out = _Mapped(backend, out_axes)
    columns: list[list[Array]] = []
    kept: list[Array] = []
    for i in range(size):
        _, same = out.take(on([x[(slice(None),) * axis + (i,)] for x, axis in zip(arrays, places, strict=True)]))
        row = [x for x, axis in zip(out.out.arrays, out.axes, strict=True) if axis is not None]
        if not i:
            columns, kept = [[] for _ in row], [wrap(backend, x) for x in same]
        for column, x in zip(columns, row, strict=True):
            column.append(x)
    return out.build([lw.stack(column) for column in columns], kept)


def _of_nothing(on: _Function, arrays: list[Array], places: list[int], out_axes: Any, backend: Backend) -> Any:
    """Return the results for no examples: their dtypes and shapes are found without data."""
    owner = backend.name.removeprefix("abstract").removeprefix(":") or None
    specs = [
        spec(x.shape[:axis] + x.shape[axis + 1 :], x.dtype, weak=x.weak) for x, axis in zip(arrays, places, strict=True)
    ]
    found = infer(lambda *examples: lw.tree.map(lw.asarray, on(examples)), *specs, backend=owner)
    device = arrays[0].device

    def empty(one: Any) -> Array:
        return lw.zeros(one.shape, dtype=one.dtype, device=device)

    out = _Mapped(backend, out_axes)
    stacked, kept = out.take(lw.tree.map(empty, found, is_leaf=lambda x: isinstance(x, Spec)))
    ones = [wrap(backend, x) for x in stacked]
    return out.build([lw.zeros((0, *x.shape), dtype=x.dtype, device=device) for x in ones], kept)


def jit(f: Callable[P, R], *, static_argnums: int | Sequence[int] = ()) -> Callable[P, R]:
    """Make the function that is a function compiled, where the framework compiles.

    Parameters
    ----------
    f: a function of trees, which gives a tree. What it does besides, such as printing, is done once, when it is
        compiled. Arrays that it holds are read, written and bound by each call, as `compile` says.
    static_argnums: arguments by position that are not looked into: objects with arrays that are constants, and what
        is no tree. They must be hashable.

    Returns
    -------
    A function of the same arguments. It is compiled once for each combination of shapes, dtypes, structures of the
    trees, policy (`using`), and of everything that is no array: numbers, strings, functions.

    Raises
    ------
    TypeError: when it is called: an argument that is no array is not hashable.
    TraceError: on JAX and TensorFlow, when it is called: the function asks for the value of an array, or changes
        something that it holds which no compiled program changes, as a list that it appends to. The error names the
        line.

    Notes
    -----
    On JAX this is `jax.jit` and on TensorFlow `tf.function` without AutoGraph; control flow that depends on values is
    written with `cond`, `while_loop` and `scan`. On NumPy, Dask and PyTorch it is `f` itself. On TensorFlow a compiled
    function runs kernel by kernel inside of `grad` and its kin: compile the derivative, ``jit(grad(f))``.
    (`torch.compile` cannot read how calls are dispatched. For PyTorch alone, give it the function marked by
    `torch._dynamo.nonstrict_trace`.)

    Python's numbers are constants of what is compiled, so that dtypes promote as they do without `jit`; a new number
    compiles anew, and so does one that the function holds. Give what changes from call to call, as a learning rate may,
    as an array. Arrays that the function holds are inputs of what is compiled: while it is compiled, no other thread
    may use them.

    Examples
    --------
    >>> import latticework as lw
    >>> step = lw.jit(lambda x, rate: x - rate * lw.sin(x))
    >>> step(lw.asarray([0.0, 1.0]), lw.asarray(0.5))
    Array([0.       , 0.5792645], dtype=float32)
    """
    _check_function("jit", f)
    numbers = tuple(static_argnums) if isinstance(static_argnums, (tuple, list)) else (static_argnums,)
    compiled: dict[Any, tuple[Staged, Result]] = {}

    def call(args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        parts = _Parts(args, kw, {_position("jit", n, len(args)): None for n in numbers})
        compiler = getattr(_hooks(parts.backend), "jit", None)
        if compiler is None:
            return f(*args, **kw)
        natives = [native(x) for x in parts.arrays.values()]
        key, static, known = parts.key(), [*parts.static], parts.backend.facts.framework != ""
        found = compiled.get(key)
        if found is None or found[0].unfit():
            found = compiled[key] = _compiled(f, parts.without_arrays(), compiler)
        run, out = found
        results = run(natives)
        result = out.build(results)
        if known:  # in a trace it is another program each time
            entry.keep(args, kw, Kept(run, None, out.builder(results, result)), whole=static, listed=True)
        return result

    entry = Entry(f"jit {next(_jits)}", call, (OtherShapes, StaleError))
    finalize(entry.call, TABLES.pop, entry.name, None)
    return _wrapped(f, entry.call)


_jits = count(1)


def _compiled(f: _Function, parts: _Parts, compiler: Any) -> tuple[Staged, Result]:
    out = Result("jit", parts.backend, numbers=False, others=True, weak=True)

    def run(natives: list[Any]) -> list[Any]:
        args, kw = parts.filled(natives)
        try:
            return out.take(f(*args, **kw))
        except Exception as error:
            asked = getattr(_hooks(parts.backend), "asks_for_a_value", None)
            if asked is None or not asked(error):
                raise
            raise TraceError(
                "jit: the function asks for the value of an array, as `if`, `while`, float(x), x.item() and x[mask] "
                "do, and it is compiled before there are values. Write lw.where(condition, x, y), lw.cond(condition, "
                "f, g, x) or lw.while_loop; lw.compress(mask, x, size=n) for x[mask], and size= in nonzero and "
                "unique_values; or let the value be an argument by static_argnums"
            ) from error

    return Staged(f, run, compiler, parts.backend), out


class _Parts:
    """A call of a compiled function: its arrays, and all that it is compiled for.

    Attributes
    ----------
    arrays: the arrays among the leaves, by their number. `taken` says of each its signature, or None where it is the
        framework's own, which the function gets as such.
    constants: the other leaves.
    static: the arguments that are not looked into, by their position.
    """

    def __init__(self, args: tuple[Any, ...], kw: dict[str, Any], static: dict[int, Any]) -> None:
        self.static = {i: args[i] for i in static}
        self.count = len(args)
        leaves, self.structure = flatten(([x for i, x in enumerate(args) if i not in static], kw))
        self.backend = chosen_backend("jit", leaves)
        self.arrays: dict[int, Array] = {}
        self.constants: dict[int, Any] = {}
        self.taken: list[tuple[int, Any]] = []
        for i, leaf in enumerate(leaves):
            array = None if owner_of("jit", [leaf]) is None else as_array("jit", leaf, self.backend)
            if array is None:
                self.constants[i] = leaf
            else:
                self.arrays[i] = array
                self.taken.append((i, array._sig if array is leaf else None))

    def key(self) -> Any:
        """Return the key of the compiled function: all that it is compiled for.

        Raises
        ------
        TypeError: for what is no array and not hashable.
        """
        constants = [*self.constants.values(), *self.static.values()]
        shapes = tuple((x._sig, x.shape) for x in self.arrays.values())
        key = (current(), self.structure, self.count, (*self.static,), (*self.taken,), shapes)
        try:
            hash(found := (key, tuple((type(x), x) for x in constants)))
        except TypeError:
            for x in constants:
                if getattr(type(x), "__hash__", None) is None or isinstance(x, (tuple, Array)):
                    raise TypeError(
                        f"jit: an argument that is no array is part of what is compiled for, and must be hashable; got "
                        f"{type(x).__name__}. Arrays in it are found in lists, tuples, named tuples and dicts alone"
                    ) from None
            raise
        return found

    def without_arrays(self) -> _Parts:
        """Let go of the arrays: what is kept for later calls needs none."""
        self.arrays = {}
        return self

    def filled(self, natives: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments, with the framework's native data in the place of the arrays."""
        leaves = dict(self.constants)
        for (i, sig), data in zip(self.taken, natives, strict=True):
            leaves[i] = data if sig is None else wrapped(data, sig)
        args, kw = self.structure.build(iter([leaves[i] for i in range(len(leaves))]))
        remaining = iter(args)
        return [self.static[i] if i in self.static else next(remaining) for i in range(self.count)], kw


# --- what derivatives are taken of ----------------------------------------------------------------------------------


def stop_gradient(x: Any, /) -> Any:
    """Give the arrays as they are, as constants to derivatives.

    Parameters
    ----------
    x: a tree of arrays. What is no array stays as it is.

    Returns
    -------
    The same tree. Inside of a derivative it is a constant; elsewhere on NumPy and Dask it is `x` itself.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.using(backend="torch"):
    ...     lw.grad(lambda x: x * lw.stop_gradient(x))(lw.asarray(3.0))
    Array(3., dtype=float32)
    """

    def stopped(leaf: Any) -> Any:
        owner = owner_of("stop_gradient", [leaf])
        stop = None if owner is None else getattr(_hooks(owner), "stop_gradient", None)
        if owner is None or stop is None:
            return leaf
        array = as_array("stop_gradient", leaf, owner)
        assert array is not None
        return wrapped(stop(native(array)), array._sig)

    return stopped(x) if type(x) is Array else lw.tree.map(stopped, x)


class _Floating:
    """The floating arrays among some arguments, which gradients are by; everything else stays as it is.

    Parameters
    ----------
    args: the arguments, a tree.
    around: a tree of what the function uses besides. Arrays of other backends in it are constants.
    """

    def __init__(self, name: str, args: Any, around: Any = ()) -> None:
        self.name = name
        self.leaves, self.structure = flatten((args, around))
        own = self.structure.children[0].size
        self.backend = chosen_backend(name, self.leaves[:own], self.leaves[own:])
        self.arrays: dict[int, Array] = {}
        for i, leaf in enumerate(self.leaves):
            owner = owner_of(name, [leaf])
            if owner is None or (i >= own and owner is not self.backend):
                continue
            array = as_array(name, leaf, self.backend)
            if array is not None and array.dtype.kind in "fc":
                self.arrays[i] = array
        self.natives = [native(x) for x in self.arrays.values()]

    def filled(self, natives: Sequence[Any], *other: None) -> Any:
        """Return the arguments, with the framework's native data in the place of the floating arrays.

        Parameters
        ----------
        other: what stands in the place of everything else; by default that itself.
        """
        leaves: list[Any] = [None] * len(self.leaves) if other else [*self.leaves]
        for i, data in zip(self.arrays, natives, strict=True):
            leaves[i] = wrap(self.backend, data)
        return self.structure.build(iter(leaves))


@overload
def custom_gradient(
    f: Callable[P, tuple[R, Any]], *, forward: Callable[[Any, Any], Any] | None = None
) -> Callable[P, R]: ...
@overload
def custom_gradient(
    f: None = None, *, forward: Callable[[Any, Any], Any] | None = None
) -> Callable[[Callable[P, tuple[R, Any]]], Callable[P, R]]: ...
def custom_gradient(f: Any = None, *, forward: Callable[[Any, Any], Any] | None = None) -> Any:
    """Make a function whose gradient is the one that it brings along.

    Parameters
    ----------
    f: a function that returns ``(y, back)``: a tree of floating arrays, and the function that brings cotangents of `y`
        back to the arguments. `back` gets cotangents that are built as `y` is. It returns a tuple with an entry for
        each argument of `f`, or for one argument the entry alone: a tree that is built as the argument is, and None in
        the place of what has no gradient. With `forward`, `back` may be None. Without `f`, a decorator is returned.
    forward: the rule of forward derivatives: a function of ``(primals, tangents)``, the arguments of `f` and their
        tangents, each a tuple with an entry for each argument. A tangent is built as the argument is, and None in the
        place of what is no floating array. It returns the tangent of `y`, which is built as `y` is.

    Returns
    -------
    A function of the same arguments, by position, which returns `y`. Derivatives in reverse (`grad`, `vjp`, `jacrev`)
    are those of `back`, forward derivatives (`jvp`, `jacfwd`) those of `forward`. Where one of the two is missing, it
    is the transpose of the other. A `back` that is not linear in the cotangents, as one that clips them, has no
    transpose: give `forward` too, if you need forward derivatives of it.

    Raises
    ------
    TypeError: when it is called or differentiated: `f` returns no pair, or `back` or `forward` does not return what it
        should.
    ValueError: when it is differentiated: `forward` returns a tangent of another shape.

    Notes
    -----
    Give `f` what is differentiated by as arguments: what it takes from outer functions, globals and attributes is a
    constant to derivatives. On PyTorch `f` runs once more when its gradient is asked for. On JAX a function has rules
    in one direction: `jax.jvp` itself refuses it. `Graph.source` has both rules on PyTorch, and the rule in reverse on
    JAX and TensorFlow.

    Examples
    --------
    >>> import latticework as lw
    >>> def slope(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return t * lw.exp(x) / (1 + lw.exp(x))
    >>> @lw.custom_gradient(forward=slope)
    ... def softplus(x):
    ...     return lw.log(1 + lw.exp(x)), None
    >>> lw.jvp(softplus, (lw.asarray(0.0),), (lw.asarray(1.0),))[1], lw.grad(softplus)(lw.asarray(0.0))
    (Array(0.5, dtype=float32), Array(0.5, dtype=float32))
    >>> @lw.custom_gradient
    ... def clipped(x):
    ...     return x, lambda cotangent: lw.clip(cotangent, -1, 1)
    >>> with lw.using(backend="torch"):
    ...     lw.grad(lambda x: lw.sum(100 * clipped(x)))(lw.asarray([1.0, 2.0]))
    Array([1., 1.], dtype=float32)
    """
    if forward is not None and not callable(forward):
        raise TypeError(f"custom_gradient: forward is a function of (primals, tangents); got {described(forward)}")
    if f is None:
        return partial(custom_gradient, forward=forward)
    _check_function("custom_gradient", f)
    function: _Function = f
    rule: Any = forward

    def call(*args: Any) -> Any:
        parts, around = _Floating("custom_gradient", args), _Around()
        recorded = not parts.arrays or parts.backend.records(parts.natives)
        if recorded:
            around = _Around(function, forward)
            parts = _Floating("custom_gradient", args, around.values)
        hooks = _hooks(parts.backend)
        by_both: Any = getattr(hooks, "custom_rules", None)
        hook: Any = getattr(hooks, "custom_gradient", None)
        if forward is None and hook is not None:
            by_both = None
        if (by_both is None and hook is None) or not parts.arrays:
            value: Any = _with_back(function(*args), forward)[0]
            return value
        out = Result("custom_gradient", parts.backend)

        def run(natives: list[Any]) -> tuple[list[Any], Callable[[list[Any]], list[Any]]]:
            own, used = parts.filled(natives)
            with around.constant(used):
                value, back = _with_back(function(*own), forward)
                outs = out.take(value)
            _check_floating("custom_gradient", out)

            def back_of_natives(cotangents: list[Any]) -> list[Any]:
                if back is None:
                    zeros_like: Any = lambda x: native(lw.zeros_like(wrap(parts.backend, x)))  # noqa: E731
                    pushed = partial(in_directions, DIRECTIONS.get(), partial(push, natives))  # the transpose is none
                    return transposed(pushed, natives, cotangents, hooks.vjp, zeros_like)
                with around.constant(used):
                    return _returned(parts, len(args), back(out.build(cotangents)))

            return outs, back_of_natives

        def push(natives: list[Any], tangents: list[Any]) -> list[Any]:
            own, used = parts.filled(natives)
            with around.constant(used):
                moved = rule(tuple(own), tuple(parts.filled(tangents, None)[0]))
                return _directions("custom_gradient", "tangent", out.structure, moved, out.arrays, parts.backend)

        if not recorded:
            unrecorded: Any = getattr(hooks, "unrecorded", lambda run, natives: run(natives)[0])
            return out.build(unrecorded(run, parts.natives))
        return out.build(hook(run, parts.natives) if by_both is None else by_both(run, parts.natives, push))

    return _wrapped(f, call)


class _Around:
    """What functions with a rule of their own use besides their arguments, where derivatives may be recorded of it.

    JAX refuses to differentiate such a function, and so does PyTorch under several transformations.

    Attributes
    ----------
    values: the arrays that derivatives may be recorded of: in variables of outer functions, globals and attributes.
    """

    def __init__(self, *functions: Any) -> None:
        held = State([(f, "") for f in functions if f is not None]).arrays.values()
        self.values = [x for x, _ in held if x.dtype.kind in "fc" and self._may_be_recorded(x)]

    @staticmethod
    def _may_be_recorded(x: Array) -> bool:
        backend = x._sig.backend
        return bool(backend.name.startswith("traced:") or backend.may_record(x._data))

    @contextmanager
    def constant(self, values: Sequence[Array]) -> Iterator[None]:
        """Put constants in the place of the arrays for a block."""
        before = [x._data for x in self.values]
        try:
            for x, value in zip(self.values, values, strict=True):
                x._data = lw.stop_gradient(value)._data
            yield
        finally:
            for x, data in zip(self.values, before, strict=True):
                x._data = data


def _with_back(returned: Any, forward: Any) -> tuple[Any, Any]:
    pair = isinstance(returned, tuple) and len(returned) == 2
    if not pair or not (callable(returned[1]) or (returned[1] is None and forward is not None)):
        raise TypeError(
            "custom_gradient: the function returns (y, back): its result, and a function of cotangents of it. With "
            "forward=, back may be None"
        )
    return returned[0], returned[1]


def _returned(parts: _Floating, count: int, grads: Any) -> list[Any]:
    """Check the gradients that `back` returned; return the native ones, by the floating arrays among the arguments."""
    if count == 1 and not (isinstance(grads, tuple) and len(grads) == 1):
        grads = (grads,)
    if not isinstance(grads, tuple) or len(grads) != count:
        raise TypeError(f"custom_gradient: back returns a tuple of {count} gradients, one for each argument")
    structure = parts.structure.children[0]
    leaves, places = [*_up_to_none(structure, grads)], [*paths(structure)]
    found = []
    for i, x in parts.arrays.items():
        if i >= len(leaves):  # what the function uses besides its arguments is a constant
            found.append(native(lw.zeros_like(x)))
            continue
        array = lw.zeros_like(x) if leaves[i] is None else as_array(parts.name, leaves[i], parts.backend, x.dtype)
        if array is None or array.shape != x.shape or array.dtype is not x.dtype:
            raise TypeError(
                f"custom_gradient: the gradient{places[i]} must be {described(x)}, as the argument; got "
                f"{described(leaves[i] if array is None else array)}"
            )
        found.append(native(array))
    return found


def _up_to_none(structure: Structure, tree: Any) -> list[Any]:
    """List what a tree has at the leaves of a structure. A None in the tree stands for a None at each leaf below it."""
    if tree is None:
        return [None] * structure.size
    if structure.kind is None:
        return [tree]
    shallow = Structure(structure.kind, structure.keys, (LEAF,) * len(structure.keys), structure.extra, structure.order)
    try:
        parts = [*leaves_at(shallow, tree)]
    except ValueError as error:
        raise TypeError(f"custom_gradient: gradients are not built as the arguments are: {error}") from None
    return [x for child, part in zip(structure.children, parts, strict=True) for x in _up_to_none(child, part)]


def derivative_of(
    f: Callable[..., Any], *, forward: Callable[..., Any] | None = None, replace: bool = False
) -> Callable[[_Rule], _Rule]:
    """State the derivative of a function of latticework that has none on NumPy and Dask. It is a decorator of the rule.

    Parameters
    ----------
    f: a function of latticework that the backends compute, as `lw.linalg.schur`.
    forward: the rule of forward derivatives: a function of ``(t, result, *args, **options)``. `t` is the tangent of the
        array argument, for several a tuple of them. It returns the tangent of the result, for several results a tuple.
        By default forward derivatives are the transpose of the rule.
    replace: whether `f` may have a rule already, which this one then takes the place of.

    Returns
    -------
    A decorator, which returns the rule as it is; given None, it takes back the rule that was stated. The rule is a
    function of ``(g, result, *args, **options)``: the cotangent of the result and the result, for several results
    tuples of them, and what `f` was called with. It returns the cotangent of the array argument, for several floating
    arrays among the arguments a tuple: each of the shape and dtype of the argument, or None for zeros. Where an operand
    is a Python number, the tuple may have its entry too.

    Raises
    ------
    TypeError: `f` is no function of latticework; or, when it is differentiated, the rule does not return what it
        should.
    ValueError: `f` has a rule already, and `replace` is False; or it is composed of others, whose rules it has.

    Notes
    -----
    The rule counts for the whole process, on NumPy and Dask. It runs under the unified rules, and is written in
    functions of latticework, so that it is differentiated itself. On PyTorch, JAX and TensorFlow derivatives are the
    framework's: to bring one along everywhere, and for a function of your own, take `lw.custom_gradient`.

    Examples
    --------
    The triangle of a matrix whose eigenvalues are real has them on the diagonal, and nothing else is asked for:

    >>> import latticework as lw
    >>> @lw.derivative_of(lw.linalg.schur)
    ... def eigenvalues_alone(g, result, x):
    ...     v = result[1]
    ...     return v @ (lw.eye(x.shape[-1], dtype=x.dtype) * g[0]) @ v.mT
    >>> def squares(x):
    ...     return lw.sum(lw.linalg.diagonal(lw.linalg.schur(x).T) ** 2)
    >>> lw.round(lw.grad(squares)(lw.asarray([[2.0, 1.0], [1.0, 2.0]])))
    Array([[4., 2.],
           [2., 4.]], dtype=float32)
    >>> lw.derivative_of(lw.linalg.schur)(None)
    """
    o = declaration_of(f)
    if o is None or o.kind == "creation":
        way_out = "Give your own function its rule by lw.custom_gradient" if callable(f) else "Write lw.linalg.schur"
        name = getattr(f, "__name__", repr(f)) if callable(f) else f"{type(f).__name__} {f!r:.40}"
        raise TypeError(f"derivative_of: takes a function of latticework that backends compute; got {name}. {way_out}")
    if forward is not None and not callable(forward):
        raise TypeError(f"derivative_of: forward is a function; got {described(forward)}")
    taped = get("taped:numpy")
    if taped.function(o.name) is None:
        raise ValueError(
            f"derivative_of: {o.name} is composed of other functions, whose rules it has. lw.custom_gradient gives a "
            f"function of your own that calls it another derivative"
        )

    def stated(rule: _Rule) -> _Rule:
        if rule is not None:
            _check_function("derivative_of", rule)
            if not replace and taped.transformations.has_rule(o.name):
                raise ValueError(f"derivative_of: {o.name} has a derivative. To take another, write replace=True")
        taped.transformations.state_rule(o.name, rule, forward)
        return rule

    return stated


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Make a function that keeps nothing for its gradient but its arguments, and runs again when that is asked for.

    It saves memory where `f` makes many arrays, and costs the time of running `f` once more.

    Parameters
    ----------
    f: a function that returns a tree of floating arrays. What is differentiated by are its arguments, and all else
        that it uses: variables of the functions around it, globals, attributes of objects.

    Returns
    -------
    A function of the same arguments with the same results and derivatives.

    Notes
    -----
    On JAX this is `jax.checkpoint` and on PyTorch `torch.utils.checkpoint`; on TensorFlow it is like
    `tf.recompute_grad`, with gradients by all that `f` uses. On PyTorch and TensorFlow forward derivatives run `f` as
    it is, without saving memory. So does PyTorch inside `lw.vmap` and `torch.func` where `f` uses arrays in globals or
    in attributes of objects, and in `torch.compile`, which decides itself what it keeps. `f` runs again under the
    policy (`lw.using`) of the first run.

    Examples
    --------
    >>> import latticework as lw
    >>> layer = lw.checkpoint(lambda x, w: lw.tanh(x @ w))
    >>> with lw.using(backend="torch"):
    ...     w = lw.eye(2)
    ...     lw.grad(lambda w: lw.sum(layer(layer(lw.asarray([1.0, 0.0]), w), w)))(w).shape
    (2, 2)
    """
    _check_function("checkpoint", f)

    def call(*args: Any, **kw: Any) -> Any:
        closure = Closure(f)  # where only arguments have gradients, as inside torch.func
        parts = _Floating("checkpoint", (args, kw), closure.values)
        hook = getattr(_hooks(parts.backend), "checkpoint", None)
        if hook is None or not parts.arrays:
            return f(*args, **kw)
        out, policy = Result("checkpoint", parts.backend), current()

        def compute(natives: list[Any]) -> list[Any]:
            (positional, named), around = parts.filled(natives)
            outs = out.take(closure.filled(around)(*positional, **named))
            _check_floating("checkpoint", out)
            return outs

        def run(natives: list[Any]) -> list[Any]:  # again under the same policy, whichever is in force then
            outs: list[Any] = call_under(policy, compute, (natives,), {})
            return outs

        return out.build(hook(run, parts.natives))

    return _wrapped(f, call)
