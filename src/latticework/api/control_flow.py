"""Control flow that depends on the values of arrays, and traces.

Where values are known, this is Python's own: the branch that is taken runs, and loops are loops. Where a framework
records what is computed, to compile it (`lw.jit`, `jax.jit`, `tf.function`), these become the framework's branches and
loops, which `if` and `while` cannot. So it is on arrays of JAX and TensorFlow. `torch.func.vmap` has values that differ
from example to example: there, all branches run, and each example takes its own; a loop whose length depends on such
values is refused.

Branches, bodies and what they carry are trees of arrays (see `lw.tree`); Python's numbers in them become arrays. What
is carried keeps its structure, dtypes and shapes, on every backend alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backend import Backend
from ..core.dtypes import KIND_ORDER, SCALARS, Dtype, int32
from ..core.registry import functions as lw
from ..core.trees import LEAF, Structure, flatten, leaves_at, paths
from ..core.trees import leaves as leaves_of
from ..engine.arrays.array import Array, wrapped
from ..engine.functions.closures import Closure
from ..engine.functions.flat import Result, as_array, chosen_backend, described, native, wrap
from ..policy import current
from ..tracing.watched import watched
from .inference import Spec, infer, spec

__all__ = ["associative_scan", "cond", "fori_loop", "map", "scan", "switch", "while_loop"]

_Function = Callable[..., Any]


def _hooks(backend: Backend) -> Any:
    """The control flow of a backend's framework, None where it has none of its own."""
    return backend.control_flow


def _staged(backend: Backend) -> bool:
    hooks = _hooks(backend)
    return hooks is not None and hooks.staged()


def _value(convert: type, x: Array) -> Any:
    """The value of a 0-d array, None where it is not known."""
    try:
        return convert(x)
    except (TypeError, RuntimeError, ValueError):
        return None


def _predicate(name: str, pred: Any, backend: Backend) -> Array:
    x = as_array(name, pred, backend)
    if x is None or x.shape != () or x.dtype.kind != "b":
        got = described(pred if x is None else x)
        raise TypeError(
            f"{name}: the predicate is one bool, Python's or an array of shape (); got {got}. Compare, as in x > 0, "
            f"and take lw.any or lw.all of more than one"
        )
    return x


def _with_arrays(name: str, tree: Any, backend: Backend) -> Any:
    """A tree with Python's numbers made arrays."""
    return lw.tree.map(lambda x: as_array(name, x, backend) if isinstance(x, SCALARS) else x, tree)


def _difference(first: Result, second: Result) -> str:
    """Return where two trees differ in structure, dtype or shape, or "" if they do not."""
    if first.structure != second.structure and _bare(first.structure) != _bare(second.structure):
        return f"of {first.structure} and {second.structure}"
    for a, b, place in zip(first.arrays, second.arrays, first.places(), strict=True):
        if a.dtype is not b.dtype or a.shape != b.shape:
            return f"of {described(a)} and {described(b)}" + (f" at {place}" if place else "")
    return ""


# --- branches -----------------------------------------------------------------------------------------------------


def cond(pred: Any, true_fn: _Function, false_fn: _Function, /, *operands: Any) -> Any:
    """Run one of two functions.

    Parameters
    ----------
    pred: a bool, Python's or an array of shape ().
    true_fn, false_fn: functions of the operands, which return trees of arrays that are built alike, with the same
        dtypes and shapes.
    operands: what they get. They may also use what is around them.

    Returns
    -------
    What `true_fn` returns where `pred` is true, else what `false_fn` returns. Python's numbers in it are arrays.

    Raises
    ------
    TypeError: `pred` is no bool of shape (); or, where both functions are traced, their results differ in structure,
        dtype or shape.
    TraceError: where both functions are traced, one writes to an array from outside, or puts an array into a list, a
        dict, an attribute or a global.
    BackendError: one does so inside a `vmap` of PyTorch.

    Notes
    -----
    Where the value of `pred` is known, only one function runs. Inside `lw.jit`, `jax.jit` and `tf.function` both are
    traced, and one is computed: this is `jax.lax.cond`, `tf.switch_case`. Inside a `vmap` of PyTorch both are computed,
    and the derivatives are those of the function that is taken.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray(-4.0)
    >>> lw.cond(x > 0, lw.sqrt, lambda x: 0.0 * x, x)
    Array(-0., dtype=float32)
    """
    backend = chosen_backend("cond", [pred], leaves_of(operands))
    x = _predicate("cond", pred, backend)
    value = _value(bool, x)
    if value is not None:
        return _with_arrays("cond", (true_fn if value else false_fn)(*operands), backend)
    return _branch("cond", x, [false_fn, true_fn], ("false_fn", "true_fn"), operands, backend)


def switch(index: Any, branches: Sequence[_Function], /, *operands: Any) -> Any:
    """Run one of several functions.

    Parameters
    ----------
    index: an integer, Python's or an array of shape (). One that is below 0 stands for the first function, one that is
        too large for the last.
    branches: functions of the operands, which return trees of arrays that are built alike, with the same dtypes and
        shapes.
    operands: what they get.

    Returns
    -------
    What the function at the index returns. Python's numbers in it are arrays.

    Raises
    ------
    TypeError: the index is no integer of shape (); or, where the functions are traced, their results differ in
        structure, dtype or shape.
    ValueError: there are no branches.

    Notes
    -----
    As for `cond`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.switch(lw.asarray(1), [lw.sin, lw.square, lw.negative], lw.asarray(3.0))
    Array(9., dtype=float32)
    """
    if not len(branches):
        raise ValueError("switch: there are no branches")
    backend = chosen_backend("switch", [index], leaves_of(operands))
    x = _integer("switch", "the index", index, backend)
    last = len(branches) - 1
    value = _value(int, x)
    if value is not None:
        return _with_arrays("switch", branches[max(0, min(last, value))](*operands), backend)
    names = tuple(f"branch {i}" for i in range(len(branches)))
    clipped = lw.clip(lw.astype(x, int32), 0, last)
    return _branch("switch", clipped, branches, names, operands, backend)


def _integer(name: str, what: str, value: Any, backend: Backend) -> Array:
    x = None if isinstance(value, bool) else as_array(name, value, backend)
    if x is None or x.shape != () or x.dtype.kind not in "iu":
        raise TypeError(
            f"{name}: {what} is one integer, Python's or an array of shape (); "
            f"got {described(value if x is None else x)}"
        )
    return x


def _branch(
    name: str, index: Array, branches: Sequence[_Function], names: Sequence[str], operands: Any, backend: Backend
) -> Any:
    """Trace all branches, where which one is taken is not known.

    Parameters
    ----------
    index: which one, an int32; or a bool, for two.
    """
    results = [Result(name, backend, f"the result of {called}") for called in names]
    first: list[int] = []

    def run(k: int, branch: _Function, used: Any) -> list[Any]:
        natives = results[k].take(branch(*used))
        first.append(k)
        one, other = sorted((first[0], k))
        difference = _difference(results[one], results[other])
        if difference:
            raise TypeError(
                f"{name}: {names[one]} and {names[other]} must return the same but for values, and they return trees "
                f"{difference}. Cast or reshape one of them"
            )
        return natives

    def built(natives: list[Any]) -> Any:
        """Build the tree. An array in it is weak if it is weak in all branches."""
        weak = iter([all(x.weak for x in column) for column in zip(*[r.arrays for r in results], strict=True)])

        def make(data: Any) -> Array:
            x = wrap(backend, data)
            return wrapped(data, x._sig.weakly) if next(weak) else x

        return results[first[0]].build(natives, make)

    hooks = _hooks(backend)
    if hooks is not None:

        def watching(k: int) -> Callable[[], list[Any]]:
            roots = [(branches[k], names[k]), ((operands,), "an operand")]
            return _watching((name, names[k]), roots, lambda: run(k, branches[k], operands), backend)

        return built(hooks.switch(native(index), [watching(k) for k in range(len(branches))]))
    closures = [Closure(f) for f in branches]
    chosen: list[Array] = []
    for k, closure in enumerate(closures):
        taken = (index if k else lw.logical_not(index)) if index.dtype.kind == "b" else index == k
        used, around = _where_taken(taken, backend, (operands, closure.values))
        filled = closure.filled(around)
        roots = [(filled, names[k]), ((used,), "an operand")]
        watching = _watching((name, names[k]), roots, lambda k=k, f=filled, used=used: run(k, f, used), backend)
        row = [wrap(backend, x) for x in watching()]
        chosen = [lw.where(taken, y, x) for x, y in zip(chosen, row, strict=True)] if k else row
    return built([native(x) for x in chosen])


def _watching(
    what: tuple[str, str], roots: list[tuple[Any, str]], run: Callable[..., Any], backend: Backend
) -> Callable[..., Any]:
    """Return the function that runs a branch or a step, and refuses what it changes outside of it (see `watched`). A
    trace of latticework's looks itself."""
    if backend.name.startswith("traced:"):
        return run
    return lambda *args: watched(what, roots, lambda: run(*args), backend)


def _where_taken(taken: Array, backend: Backend, tree: Any) -> Any:
    """Return a tree of what a branch uses, whose derivatives are zero where the branch is not taken.

    The derivative of the branch may be infinite or nan there, and is multiplied by zero.
    """

    def part(x: Any) -> Any:
        if isinstance(x, Array) and x.dtype.kind in "fc" and backend.may_record(x._data):
            return lw.where(taken, x, lw.stop_gradient(x))
        return x

    return lw.tree.map(part, tree)


# --- loops --------------------------------------------------------------------------------------------------------


class _WidenError(Exception):
    """A Python number was carried in a dtype that is not the first step's."""

    def __init__(self, dtypes: dict[int, Dtype]) -> None:
        self.dtypes = dtypes


class _Carry:
    """The state that a loop carries: arrays whose structure, dtypes and shapes stay the same.

    At first a Python number has only its kind. It takes the dtype in which the first step returns it.
    """

    def __init__(self, name: str, init: Any, backend: Backend, dtypes: dict[int, Dtype]) -> None:
        self.name, self.backend = name, backend
        leaves, structure = flatten(init)
        self.weak = {i for i, x in enumerate(leaves) if isinstance(x, SCALARS) and i not in dtypes}
        arrays = [
            as_array(name, x, backend, dtypes.get(i)) if isinstance(x, SCALARS) else x for i, x in enumerate(leaves)
        ]
        self.first = Result(name, backend, "what is carried")
        self.natives = self.first.take(structure.build(iter(arrays)))
        graphs = backend.loop_graphs
        self.graphs = None if graphs is None else graphs()

    def tree(self, natives: Sequence[Any]) -> Any:
        return self.first.build(natives)

    def take(self, tree: Any) -> list[Any]:
        """Return the native arrays of the state that a step returned.

        Raises
        ------
        TypeError: its structure, dtypes or shapes are not those that were carried before.
        """
        after = Result(self.name, self.backend, "what is carried")
        natives = after.take(tree)
        if after.structure == self.first.structure or _bare(after.structure) == _bare(self.first.structure):
            wider = {
                i: y.dtype
                for i, (x, y) in enumerate(zip(self.first.arrays, after.arrays, strict=True))
                if i in self.weak and y.dtype is not x.dtype and KIND_ORDER[y.dtype.kind] >= KIND_ORDER[x.dtype.kind]
            }
            if wider:
                raise _WidenError(wider)
        self.weak = set()
        difference = _difference(self.first, after)
        if difference:
            raise TypeError(
                f"{self.name}: what is carried must keep its structure, dtypes and shapes; before and after a step it "
                f"is {difference}. Begin with what a step returns, or cast it in the step"
            )
        return natives

    def held(self, natives: list[Any]) -> list[Any]:
        """Native arrays whose values are in memory, on a backend that computes them later."""
        return natives if self.graphs is None else self.graphs.held(natives)

    def light(self, natives: list[Any], always: bool = False) -> list[Any]:
        """Native arrays whose graphs do not grow with the steps, on a backend that keeps graphs.

        Parameters
        ----------
        always: False to wait until the graphs are long.
        """
        if self.graphs is None or not (always or self.graphs.many(natives)):
            return natives
        joined: list[Any] = self.graphs.joined(natives)
        return joined


def _carried(name: str, init: Any, backend: Backend, run: Callable[[_Carry], Any]) -> Any:
    """Run a loop, from its start again where the first step shows the dtype of a Python number."""
    dtypes: dict[int, Dtype] = {}
    while True:
        try:
            return run(_Carry(name, init, backend, dtypes))
        except _WidenError as error:
            dtypes |= error.dtypes


def _step(name: str, f: _Function, called: str, run: Callable[..., Any], backend: Backend) -> Callable[..., Any]:
    """Return the function that runs a step of a loop, and refuses what `f` changes outside of it."""
    return _watching((name, called), [(f, called)], run, backend)


def while_loop(cond: _Function, body: _Function, init: Any, /) -> Any:
    """Repeat a step as long as a condition holds.

    Parameters
    ----------
    cond: a function of what is carried, which returns one bool.
    body: a function of what is carried, which returns it after a step, with the same structure, dtypes and shapes.
    init: what is carried at first, a tree of arrays. A Python number takes the dtype in which the first step returns
        it.

    Returns
    -------
    What is carried when the condition holds no more.

    Raises
    ------
    TypeError: the condition is no bool of shape (); or a step changes the structure, a dtype or a shape.
    TraceError: where the loop is traced, a step writes to an array from outside.
    ValueError: on PyTorch, the condition differs from example to example of a `vmap`.

    Notes
    -----
    Inside `lw.jit`, `jax.jit` and `tf.function` this is `jax.lax.while_loop`, `tf.while_loop`. JAX has no gradients in
    reverse of it then; `fori_loop` with a bound that is known, and `scan`, have. On Dask, what is carried is computed
    at each step and held in memory, because the condition needs its values.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.while_loop(lambda x: lw.sum(x) < 100, lambda x: x * 2, lw.asarray([1.0, 2.0]))
    Array([ 64., 128.], dtype=float32)
    """
    backend = chosen_backend("while_loop", leaves_of(init))

    def holds(tree: Any) -> Array:
        return _predicate("while_loop", cond(tree), backend)

    def run(carry: _Carry) -> Any:
        hooks, natives, begun = _hooks(backend), carry.natives, False
        while not _staged(backend):
            natives = carry.held(natives)  # else each condition would compute all steps so far again
            value = _value(bool, holds(carry.tree(natives)))
            if value is None:
                break
            if not value:
                if not begun:
                    _try_a_step(carry, body)
                return carry.tree(natives)
            begun, natives = True, carry.take(body(carry.tree(natives)))
        if hooks is None:
            raise ValueError(
                "while_loop: the condition differs from example to example of a vmap, which "
                f"{backend.title} cannot follow. "
                "Take lw.fori_loop with a bound, and lw.where for the examples that are done"
            )
        found = hooks.while_loop(
            _step("while_loop", cond, "cond", lambda natives: native(holds(carry.tree(natives))), backend),
            _step("while_loop", body, "body", lambda natives: carry.take(body(carry.tree(natives))), backend),
            natives,
        )
        return carry.tree(found)

    return _carried("while_loop", init, backend, run)


def fori_loop(lower: Any, upper: Any, body: Callable[[Array, Any], Any], init: Any, /) -> Any:
    """Repeat a step for the integers from `lower` to before `upper`.

    Parameters
    ----------
    lower, upper: integers, Python's or arrays of shape ().
    body: a function of the integer, an array of shape (), and of what is carried. It returns what is carried after the
        step, with the same structure, dtypes and shapes.
    init: what is carried at first, a tree of arrays. A Python number takes the dtype in which the first step returns
        it.

    Returns
    -------
    What is carried at last; `init` where `upper` is not above `lower`.

    Raises
    ------
    TypeError: a bound is no integer of shape (); or a step changes the structure, a dtype or a shape.
    TraceError: where the loop is traced, a step writes to an array from outside.
    ValueError: on PyTorch, a bound differs from example to example of a `vmap`.

    Notes
    -----
    The integer has the dtype of the bounds, the default int for Python's. Inside `lw.jit`, `jax.jit` and `tf.function`
    this is one loop of the framework's. It has gradients in reverse where both bounds are Python's; on JAX not else.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fori_loop(1, 5, lambda i, x: x * i, lw.asarray(1))
    Array(24, dtype=int32)
    """
    backend = chosen_backend("fori_loop", [lower, upper], leaves_of(init))
    first, last = (_integer("fori_loop", what, x, backend) for what, x in (("lower", lower), ("upper", upper)))
    dtype = lw.result_type(*[x for x in (lower, upper) if not isinstance(x, SCALARS)] or [current().default_int])
    values = tuple(x if type(x) is int else _value(int, a) for x, a in ((lower, first), (upper, last)))

    def run(carry: _Carry) -> Any:
        natives = carry.natives
        if None not in values and not _staged(backend):
            for i in range(*values):
                at = lw.asarray(i, dtype=dtype, backend=backend.name)
                natives = carry.light(carry.take(body(at, carry.tree(natives))))
            if values[0] >= values[1]:
                _try_a_step(carry, lambda tree: body(lw.asarray(values[0], dtype=dtype), tree))
            return carry.tree(natives)
        hooks = _hooks(backend)
        if hooks is None:
            raise ValueError(
                f"fori_loop: a bound differs from example to example of a vmap, which {backend.title} cannot follow. "
                "Take the largest bound, and lw.where for the examples that are done"
            )
        if None not in values:
            at = lw.arange(*values, dtype=dtype)

            def at_position(natives: list[Any], x: list[Any]) -> tuple[list[Any], list[Any]]:
                return carry.take(body(wrap(backend, x[0]), carry.tree(natives))), []

            stepping = _step("fori_loop", body, "body", at_position, backend)
            positions = [native(lw.asarray(at, backend=backend.name))]
            found, _ = hooks.scan(stepping, natives, positions, max(0, values[1] - values[0]), False)
            return carry.tree(found)
        end = lw.astype(last, dtype)

        def step(natives: list[Any]) -> list[Any]:
            i = wrap(backend, natives[0])
            return [native(i + 1), *carry.take(body(i, carry.tree(natives[1:])))]

        init = [native(lw.astype(first, dtype)), *natives]
        stepping = _step("fori_loop", body, "body", step, backend)
        found = hooks.while_loop(lambda natives: native(wrap(backend, natives[0]) < end), stepping, init)
        return carry.tree(found[1:])

    return _carried("fori_loop", init, backend, run)


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = None, *, length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Go along the first axis of arrays with a step that carries something on, and stack what the steps give.

    Parameters
    ----------
    f: a function ``carry, x -> carry, y`` of what is carried and of the elements at one position of `xs`. It returns
        what is carried after the step, with the same structure, dtypes and shapes, and a tree of arrays or None.
    init: what is carried at first, a tree of arrays. A Python number takes the dtype in which the first step returns
        it.
    xs: a tree of arrays with the same first extent, or None, for steps that get None.
    length: how many steps there are; needed where `xs` has no arrays.
    reverse: whether to go from the last position to the first. What is stacked stays in the order of `xs`.

    Returns
    -------
    What is carried at last, and a tree that is built as what `f` gives for y, with arrays that have one axis more, the
    first.

    Raises
    ------
    TypeError: `f` returns no pair; or a step changes the structure, a dtype or a shape of what is carried.
    TraceError: where the loop is traced, a step writes to an array from outside.
    ValueError: the arrays of `xs` have different first extents, or there is no length.

    Notes
    -----
    Inside `lw.jit`, `jax.jit` and `tf.function` this is one loop, `jax.lax.scan` or a `tf.while_loop`, which has
    gradients.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.scan(lambda total, x: (total + x, total), 0.0, lw.asarray([1.0, 2.0, 3.0]))
    (Array(6., dtype=float32), Array([0., 1., 3.], dtype=float32))
    """
    return _scan("scan", f, init, xs, length, reverse)


def map(f: _Function, xs: Any, /) -> Any:
    """Apply a function to one position of the first axis of arrays after the other, and stack what it gives.

    Parameters
    ----------
    f: a function of a tree that is built as `xs` is, of the elements at one position. It returns a tree of arrays.
    xs: a tree of arrays with the same first extent.

    Returns
    -------
    A tree that is built as what `f` returns, with arrays that have one axis more, the first.

    Raises
    ------
    ValueError: the arrays have different first extents, or there are none.

    Notes
    -----
    `vmap` computes all positions at once, and needs the memory for it; this is a `scan`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.map(lambda row: lw.sum(row), lw.asarray([[1, 2], [3, 4]]))
    Array([3, 7], dtype=int32)
    """
    return _scan("map", lambda _, x: (None, f(x)), None, xs, None, False)[1]


def _scan(name: str, f: _Function, init: Any, xs: Any, length: int | None, reverse: bool) -> tuple[Any, Any]:
    leaves, structure = flatten(xs)
    backend = chosen_backend(name, leaves, leaves_of(init))
    columns = _columns(name, leaves, structure, backend)
    steps = _steps(name, columns, structure, length)
    out = Result(name, backend, "y")

    def step(carry: _Carry, natives: Sequence[Any], x: Sequence[Array]) -> tuple[list[Any], list[Any]]:
        returned = f(carry.tree(natives), structure.build(iter(x)))
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise TypeError(f"{name}: f returns a pair, (carry, y); got {type(returned).__name__}")
        return carry.take(returned[0]), out.take(returned[1])

    def run(carry: _Carry) -> tuple[Any, Any]:
        if _staged(backend):

            def recorded(natives: list[Any], x: list[Any]) -> tuple[list[Any], list[Any]]:
                return step(carry, natives, [wrap(backend, data) for data in x])

            stepping = _step(name, f, "f", recorded, backend)
            found, ys = _hooks(backend).scan(stepping, carry.natives, [native(x) for x in columns], steps, reverse)
            return carry.tree(found), out.build(ys)
        natives, rows = carry.natives, []
        # the derivative of one row by itself is as large as all rows together
        parts = [lw.unstack(x) if x._sig.backend.takes_target else x for x in columns]
        for i in reversed(range(steps)) if reverse else range(steps):
            natives, row = step(carry, natives, [x[i] for x in parts])
            kept = carry.light([*natives, *row])
            natives, row = kept[: len(natives)], kept[len(natives) :]
            rows.append([wrapped(data, x._sig) for data, x in zip(row, out.arrays, strict=True)])
        if not rows:
            return carry.tree(natives), _no_rows(f, carry, structure, columns, backend)
        return carry.tree(natives), out.build(_stacked(carry, rows[::-1] if reverse else rows))

    found: tuple[Any, Any] = _carried(name, init, backend, run)
    return found


def _stacked(carry: _Carry, rows: list[list[Array]]) -> list[Any]:
    """Stack what the steps gave."""
    long = carry.graphs is not None and len(carry.graphs.tasks) > 0
    columns = [list(column) for column in zip(*rows, strict=True)]
    if long:
        columns = [[wrapped(carry.light([native(x)], always=True)[0], x._sig) for x in column] for column in columns]
    stacked = [native(lw.stack(column)) for column in columns]
    return carry.light(stacked, always=True) if long else stacked


def _columns(name: str, leaves: list[Any], structure: Structure, backend: Backend) -> list[Array]:
    columns = []
    for leaf, place in zip(leaves, paths(structure), strict=True):
        x = None if isinstance(leaf, SCALARS) else as_array(name, leaf, backend)
        if x is None or not x.ndim:
            raise TypeError(
                f"{name}: xs{place} has no first axis to go along: it is {described(leaf if x is None else x)}"
            )
        columns.append(x)
    return columns


def _steps(name: str, columns: list[Array], structure: Structure, length: int | None) -> int:
    extents = [x.shape[0] for x in columns] + ([] if length is None else [length])
    if not extents:
        way_out = "Give length=, the number of steps" if name == "scan" else "Give arrays"
        raise ValueError(f"{name}: xs has no arrays to go along. {way_out}")
    if None in extents:
        raise ValueError(f"{name}: the first extent of xs is not known before the array is computed")
    if len({*extents}) != 1:
        named = [f"{n} (xs{place})" for n, place in zip(extents, paths(structure), strict=False)]
        named += [] if length is None else [f"{length} (length)"]
        raise ValueError(f"{name}: the first extents of xs must be the same; got {', '.join(named)}")
    return int(extents[0])


def _bare(structure: Structure) -> Structure:
    """Return a structure with leaves in the places of a dialect's arrays: what is inferred has none of these."""
    if structure.is_one_array:
        return LEAF
    children = tuple([_bare(child) for child in structure.children])
    return Structure(structure.kind, structure.keys, children, structure.extra)


def _no_rows(f: _Function, carry: _Carry, structure: Structure, columns: list[Array], backend: Backend) -> Any:
    """Return the results of a loop of no steps, with the shapes and dtypes that a step would give; check the carry."""

    def one(natives: Any, row: Any) -> Any:
        after, y = f(carry.first.structure.build(iter(natives)), structure.build(iter(row)))
        return lw.tree.map(lw.asarray, (after, y))

    def is_spec(x: Any) -> bool:
        return isinstance(x, Spec)

    arrays = [*columns, *carry.first.arrays]
    device = arrays[0].device if arrays else backend.device(None)

    def empty(shape: tuple[int, ...], y: Spec) -> Array:
        return lw.zeros(shape, dtype=y.dtype, device=device)

    state = [spec(x.shape, x.dtype) for x in carry.first.arrays]
    row = [spec(x.shape[1:], x.dtype) for x in columns]
    after, y = infer(one, state, row, backend=_inferring(backend))
    carry.take(lw.tree.map(lambda y: empty(y.shape, y), after, is_leaf=is_spec))
    return lw.tree.map(lambda y: empty((0, *y.shape), y), y, is_leaf=is_spec)


def _inferring(backend: Backend) -> str | None:
    """The name of the backend that `infer` runs a step for."""
    return backend.name.removeprefix("abstract").removeprefix(":") or None


def _try_a_step(carry: _Carry, step: _Function) -> None:
    """Check what a step would return that a loop does not come to, as where the framework records the loop.

    A step that needs values is left alone: it can run eagerly only.
    """
    state = [spec(x.shape, x.dtype) for x in carry.first.arrays]
    try:
        after = infer(
            lambda natives: lw.tree.map(lw.asarray, step(carry.first.structure.build(iter(natives)))), state,
            backend=_inferring(carry.backend),
        )  # fmt: skip
    except Exception:
        return
    device = carry.first.arrays[0].device if carry.first.arrays else carry.backend.device(None)
    carry.take(lw.tree.map(
        lambda y: lw.zeros(y.shape, dtype=y.dtype, device=device), after, is_leaf=lambda x: isinstance(x, Spec),
    ))  # fmt: skip


# --- scans of an associative operation ------------------------------------------------------------------------------


def associative_scan(f: Callable[[Any, Any], Any], xs: Any, /, *, reverse: bool = False, axis: int = 0) -> Any:
    """Combine all elements up to each position of an axis, by an associative operation.

    Parameters
    ----------
    f: the operation, ``a, b -> c``: a function of two trees that are built as `xs` is, for many positions at once,
        element by element along the axis. ``f(f(a, b), c)`` is to equal ``f(a, f(b, c))``.
    xs: a tree of arrays with the same extent along the axis.
    reverse: whether to combine from the last position to the first.
    axis: the axis.

    Returns
    -------
    A tree of arrays of the shapes and dtypes of `xs`. At the first position it has the first element, at the next what
    `f` makes of that and the second, and so on.

    Raises
    ------
    TypeError: `f` changes a dtype or the structure.
    ValueError: the arrays have different extents along the axis, or there are none.
    AxisError: there is no such axis.

    Notes
    -----
    The elements are combined in pairs, the results in pairs again, and so on: for n positions `f` runs 2 log2(n) times
    at most, on arrays, as in `jax.lax.associative_scan`. Rounding differs from that of one step after the other. With
    `reverse`, the arrays are flipped before and after, and `f` gets the later elements first.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.associative_scan(lw.maximum, lw.asarray([3, 1, 4, 1, 5]))
    Array([3, 3, 4, 4, 5], dtype=int32)
    >>> a, b = lw.asarray([0.5, 0.5, 0.5]), lw.asarray([1.0, 1.0, 1.0])  # y[i] = a[i] * y[i - 1] + b[i]
    >>> lw.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b))[1]
    Array([1.  , 1.5 , 1.75], dtype=float32)
    """
    name = "associative_scan"
    leaves, structure = flatten(xs)
    backend = chosen_backend(name, leaves)
    arrays = [x if reverse is False else lw.flip(x, axis=axis) for x in _columns(name, leaves, structure, backend)]
    if not arrays:
        raise ValueError(f"{name}: xs has no arrays")
    extents = {x.shape[_axis(name, axis, x)] for x in arrays}
    if len(extents) != 1 or None in extents:
        raise ValueError(f"{name}: the arrays must have one extent along axis {axis}, which is known; got {extents}")

    def combine(a: list[Array], b: list[Array]) -> list[Array]:
        returned = f(structure.build(iter(a)), structure.build(iter(b)))
        try:
            found = [*leaves_at(structure, returned)]
        except ValueError as error:
            raise TypeError(f"{name}: f must return a tree that is built as xs is: {error}") from None
        for x, y, place in zip(a, found, paths(structure), strict=True):
            if not isinstance(y, Array) or y.dtype is not x.dtype or y.shape != x.shape:
                raise TypeError(
                    f"{name}: f must return the dtypes and shapes that it gets; it gets {described(x)}{place} and "
                    f"returns {described(y)}. Cast xs to what it returns"
                )
        return found

    found = _combined(combine, arrays, axis)
    alike = backend.in_blocks_of
    if alike is not None:
        found = [wrapped(alike(native(x), native(y)), x._sig) for x, y in zip(found, arrays, strict=True)]
    return structure.build(iter([lw.flip(x, axis=axis) for x in found] if reverse else found))


def _axis(name: str, axis: int, x: Array) -> int:
    from ..errors import AxisError

    if not -x.ndim <= axis < x.ndim:
        raise AxisError(f"{name}: axis {axis} is out of bounds for array of shape {x.shape}")
    return axis % x.ndim


def _combined(combine: Callable[[list[Array], list[Array]], list[Array]], xs: list[Array], axis: int) -> list[Array]:
    n = xs[0].shape[axis]
    if n < 2:
        return xs

    def part(arrays: list[Array], start: int | None, stop: int | None, step: int | None = None) -> list[Array]:
        return [x[(slice(None),) * (axis % x.ndim) + (slice(start, stop, step),)] for x in arrays]

    odd = _combined(combine, combine(part(xs, 0, n - 1, 2), part(xs, 1, None, 2)), axis)
    if n == 2:
        return [lw.concat([x, y], axis=axis) for x, y in zip(part(xs, 0, 1), odd, strict=True)]
    rest = combine(odd if n % 2 else part(odd, 0, -1), part(xs, 2, None, 2))
    even = [lw.concat([x, y], axis=axis) for x, y in zip(part(xs, 0, 1), rest, strict=True)]
    return [_interleaved(x, y, axis % x.ndim) for x, y in zip(even, odd, strict=True)]


def _interleaved(even: Array, odd: Array, axis: int) -> Array:
    """Elements of two arrays in turn; the first has as many as the second, or one more."""
    n, m = even.shape[axis], odd.shape[axis]
    before = (slice(None),) * axis
    paired = lw.stack([even[(*before, slice(0, m))] if n > m else even, odd], axis=axis + 1)
    joined = lw.reshape(paired, (*even.shape[:axis], 2 * m, *even.shape[axis + 1 :]))
    return joined if n == m else lw.concat([joined, even[(*before, slice(m, None))]], axis=axis)
