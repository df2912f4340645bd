"""Control flow of `tf`: Python's, as in TensorFlow outside of `tf.function`; latticework's for traced tensors."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from .arguments import number
from .errors import invalid
from .nest import flatten, map_structure
from .taping import UnconnectedGradients
from .tensor import Tensor, as_tensor, dialect, ops


def _traced(x: Any) -> bool:
    """Return whether a tensor has no value yet for Python to branch on."""
    try:
        bool(x._array)
    except (ValueError, TypeError):
        return False
    except Exception:
        return True
    return False


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    for f, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(f):
            raise TypeError(f"'{what}' must be callable.")
    if not isinstance(pred, Tensor):
        return true_fn() if pred else false_fn()
    if _traced(pred):
        return dialect.function(_our_cond)(pred, true_fn, false_fn)
    return true_fn() if bool(pred) else false_fn()


def _our_cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    import latticework as lw

    return lw.cond(pred, true_fn, false_fn)


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: Any = False, strict: Any = False, name: Any = "case"
) -> Any:
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    hit = [f for pred, f in pairs if bool(pred)]
    if exclusive and len(hit) > 1:
        raise invalid("Input error: exclusive=True: more than 1 conditions evaluated as True")
    if hit:
        return hit[0]()
    if default is None:
        raise invalid("None of the conditions evaluated as True, and there is no default")
    return default()


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: Any = "switch_case") -> Any:
    if isinstance(branch_fns, (list, tuple)) and branch_fns and isinstance(branch_fns[0], (list, tuple)):
        branch_fns = dict(branch_fns)
    branches = branch_fns if isinstance(branch_fns, dict) else dict(enumerate(branch_fns))
    if not branches:
        raise ValueError("Argument `branch_fns` must be a non-empty dictionary or list")
    if isinstance(branch_index, int):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    index = number(branch_index)
    last = default if default is not None else branches[max(branches)]
    return branches.get(index, last)()


def while_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, parallel_iterations: Any = 10,
    back_prop: Any = True, swap_memory: Any = False, maximum_iterations: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    if not callable(cond) or not callable(body):
        raise TypeError("'cond' and 'body' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' cannot be empty.")
    state = map_structure(as_tensor, loop_vars)
    limit = None if maximum_iterations is None else number(maximum_iterations)
    first = cond(*state)
    if isinstance(first, Tensor) and _traced(first):
        return _traced_loop(cond, body, state, limit)
    packed = isinstance(loop_vars, list)
    steps = 0
    while (limit is None or steps < limit) and bool(cond(*state)):
        found = body(*state)
        found = found if isinstance(found, (list, tuple)) else (found,)
        if len(found) != len(state):
            raise ValueError(f"the body of the loop gave {len(found)} values for {len(state)} loop_vars")
        state = [map_structure(as_tensor, v) for v in found] if packed else type(state)(
            *[map_structure(as_tensor, v) for v in found]) if hasattr(state, "_fields") else tuple(
            [map_structure(as_tensor, v) for v in found])  # fmt: skip
        steps += 1
    return state


def _traced_loop(cond: Any, body: Any, state: Any, limit: int | None) -> Any:
    kind = type(state)

    def step(carried: Any) -> Any:
        found = body(*carried[1])
        found = found if isinstance(found, (list, tuple)) else (found,)
        return carried[0] + 1, tuple(found)

    def goes_on(carried: Any) -> Any:
        more = cond(*carried[1])
        return more if limit is None else ops.logical_and(more, ops.less(carried[0], limit))

    found = dialect.function(_our_loop)(goes_on, step, (as_tensor(0), tuple(state)))[1]
    return kind(found) if kind in (list, tuple) else found


def _our_loop(goes_on: Any, step: Any, state: Any) -> Any:
    import latticework as lw

    return lw.while_loop(goes_on, step, state)


# --- over the first axis --------------------------------------------------------------------------------------------


def _rows(elems: Any) -> tuple[Any, int]:
    elems = map_structure(as_tensor, elems)
    leaves = flatten(elems)
    for x in leaves:
        if not x.ndim:
            raise ValueError("Elements in elems must be 1+ dimensional tensors, not scalars.")
    return elems, leaves[0]._array.shape[0]


def _stacked(found: list[Any]) -> Any:
    return map_structure(lambda *rows: ops.stack([as_tensor(r) for r in rows]), *found)


def map_fn(
    fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: Any = True,
    swap_memory: Any = False, infer_shape: Any = True, name: Any = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable.")
    elems, count = _rows(elems)
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    found = [fn(map_structure(lambda x, i=i: x[i], elems)) for i in range(count)]
    if not found:
        raise invalid("a map over no elements has no result in this dialect: its shape is not known")
    if wanted is None:
        for a, b in zip(flatten(found[0]), flatten(elems), strict=False):
            if as_tensor(a).dtype != b.dtype:
                raise invalid(f"the function gave {as_tensor(a).dtype!r}, and its elements are of {b.dtype!r}: say so "
                              "with fn_output_signature")  # fmt: skip
    return _stacked(found)


def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: Any = True, warn: Any = True) -> Any:
    elems, count = _rows(elems)
    lengths = [x._array.shape[0] for x in flatten(elems)]
    count = max(lengths)
    for n in lengths:
        if n not in (1, count):
            raise ValueError(f"the elements have {n} and {count} rows")
    spread = map_structure(lambda x: x if x._array.shape[0] == count else ops.repeat(x, count, axis=0), elems)
    return _stacked([fn(map_structure(lambda x, i=i: x[i], spread)) for i in range(count)])


def scan(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, infer_shape: Any = True, reverse: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    found = _folded(fn, elems, initializer, reverse)
    return _stacked(found[::-1] if reverse else found)


def foldl(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    return _folded(fn, elems, initializer, False)[-1]


def foldr(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: Any = 10, back_prop: Any = True,
    swap_memory: Any = False, name: Any = None,
) -> Any:  # fmt: skip
    return _folded(fn, elems, initializer, True)[-1]


def _folded(fn: Any, elems: Any, initializer: Any, reverse: Any) -> list[Any]:
    if not callable(fn):
        raise TypeError(f"{fn!r} is not callable")
    elems, count = _rows(elems)
    order = list(range(count))[:: -1 if reverse else 1]
    if initializer is None:
        if not order:
            raise invalid("a fold of no elements needs an initializer")
        state = map_structure(lambda x: x[order[0]], elems)
        found, order = [state], order[1:]
    else:
        state, found = map_structure(as_tensor, initializer), []
    for i in order:
        state = map_structure(as_tensor, fn(state, map_structure(lambda x, i=i: x[i], elems)))
        found.append(state)
    return found or [state]


# --- functions and scopes -------------------------------------------------------------------------------------------


def function(
    func: Any = None, input_signature: Any = None, autograph: Any = True, jit_compile: Any = None,
    reduce_retracing: Any = False, experimental_implements: Any = None, experimental_autograph_options: Any = None,
    experimental_attributes: Any = None, experimental_relax_shapes: Any = None, experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:  # fmt: skip
    return func if func is not None else lambda f: f


def custom_gradient(f: Any = None) -> Any:
    if f is None:
        return custom_gradient
    from .taping import with_own_gradient

    return with_own_gradient(f)


def recompute_grad(f: Any) -> Any:
    return f


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:
    return _typed(func(*[as_tensor(x) for x in inp]), Tout)


def numpy_function(
    func: Any = None, inp: Any = None, Tout: Any = None, stateful: Any = True, name: Any = None
) -> Any:  # fmt: skip
    return _typed(func(*[as_tensor(x).numpy() for x in inp]), Tout)


def _typed(found: Any, dtypes: Any) -> Any:
    if isinstance(dtypes, (list, tuple)):
        values = found if isinstance(found, (list, tuple)) else [found]
        return [as_tensor(x, d) for x, d in zip(values, dtypes, strict=True)]
    return as_tensor(found, dtypes)


def executing_eagerly() -> Any:
    return True


def group(*inputs: Any, **kwargs: Any) -> Any:
    return None


def no_op(name: Any = None) -> Any:
    return None


@contextmanager
def _nothing() -> Any:
    yield


def control_dependencies(control_inputs: Any) -> Any:
    return _nothing()


def device(device_name: Any) -> Any:
    return _nothing()


def init_scope() -> Any:
    return _nothing()


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: Any = "gradients", gate_gradients: Any = False,
    aggregation_method: Any = None, stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> Any:  # fmt: skip
    raise RuntimeError(_NO_GRAPH)


def hessians(
    ys: Any, xs: Any, gate_gradients: Any = False, aggregation_method: Any = None, name: Any = "hessians"
) -> Any:
    raise RuntimeError(_NO_GRAPH)


_NO_GRAPH = (
    "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead. (tf.function runs its "
    "function as it is, so that there is no graph in it either.)"
)


dialect.finish(globals(), view="tf")
