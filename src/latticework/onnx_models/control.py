"""Branches and loops: If, Loop and Scan as `cond`, `while_loop` and `scan`."""

from __future__ import annotations

from typing import Any

import numpy as np

import latticework as lw

from ..engine.arrays.array import Array
from .programs import Place, Program, as_array, known
from .table import Call, reads

__all__: list[str] = []


def _arrays(values: Any, place: Place) -> tuple[Any, ...]:
    return tuple([as_array(x, place) for x in values])


def _truth(x: Any) -> bool | None:
    """Return the value of a bool, None where it is not known."""
    try:
        return bool(np.asarray(x).reshape(()) if known(x) else lw.reshape(x, ()))
    except (TypeError, RuntimeError, ValueError):
        return None


@reads("If", raw=True)
def _if(c: Call, condition: Any, *, place: Place, around: Any) -> Any:
    branches: dict[bool, Program] = {True: c.get("then_branch"), False: c.get("else_branch")}
    chosen = _truth(condition)
    if chosen is not None:
        return tuple(branches[chosen].run(place, around, []))

    def branch(which: bool) -> Any:
        return lambda: _arrays(branches[which].run(place, around, []), place)

    return tuple(lw.cond(lw.reshape(condition, ()), branch(True), branch(False)))


# --- Loop ------------------------------------------------------------------------------------------------------------


def _traced(values: Any) -> bool:
    """Tell whether an array has no values yet."""
    for x in values:
        if isinstance(x, list):
            if _traced(x):
                return True
        elif isinstance(x, Array):
            backend = x._sig.backend
            if backend.name.startswith("traced:") or not backend.has_values(x._data):
                return True
    return False


@reads("Loop", raw=True)
def _loop(c: Call, most: Any, condition: Any, *carried: Any, place: Place, around: Any) -> Any:
    """Run steps one by one where values are known; else as a loop of the program that is traced."""
    body: Program = c.get("body")
    used = [around[name] for name in body.uses if name in around]
    if _traced([most, condition, *carried, *used]):
        return _traced_loop(c, most, condition, carried, place, around)
    count = None if most is None else int(np.asarray(most).reshape(()))
    goes_on = condition is None or bool(_truth(condition))
    values, rows, i = [*carried], list[list[Any]](), 0
    while goes_on and (count is None or i < count):
        number, flag = np.asarray(i, dtype=np.int64), np.asarray(True)
        found = body.run(place, around, [number, flag, *values])
        goes_on = bool(_truth(found[0]))
        values = found[1 : 1 + len(carried)]
        rows.append(found[1 + len(carried) :])
        i += 1
    columns = [lw.stack([as_array(x, place) for x in column]) for column in zip(*rows, strict=True)]
    if not rows and len(body.outputs) > 1 + len(carried):
        raise c.refuse("a loop of no steps with results of its steps is not read: their shape is not known")
    return (*values, *columns)


def _always(c: Call, body: Program, condition: Any) -> bool:
    """Tell whether the loop ends by the number of steps alone."""
    if condition is not None and not (known(condition) and bool(_truth(condition))):
        return False
    name = body.outputs[0]
    while name not in body.constants:
        step = next((s for s in body.steps if name in s.outputs), None)
        if name == body.inputs[1]:
            return True
        if step is None or step.call.kind != "Identity":
            return False
        name = step.inputs[0]
    return bool(np.asarray(body.constants[name]).reshape(()))


def _traced_loop(c: Call, most: Any, condition: Any, carried: Any, place: Place, around: Any) -> Any:
    body: Program = c.get("body")
    first, n = _arrays(carried, place), len(carried)
    if _always(c, body, condition) and known(most) and most is not None:
        count = int(np.asarray(most).reshape(()))

        def step(state: Any, i: Any) -> Any:
            _, *found = _arrays(body.run(place, around, [i, np.asarray(True), *state]), place)
            return tuple(found[:n]), tuple(found[n:])

        numbers = c.array(np.arange(count, dtype=np.int64))
        values, columns = lw.scan(step, first, numbers)
        return (*values, *columns)
    if len(body.outputs) > 1 + n:
        raise c.refuse("the results of steps, whose number depends on values, are read only where nothing is traced")
    limit = None if most is None else lw.reshape(as_array(most, place), ())
    start = c.array(True) if condition is None else lw.reshape(as_array(condition, place), ())

    def holds(state: Any) -> Any:
        i, go, *_ = state
        return go if limit is None else go & (i < limit)

    def step_on(state: Any) -> Any:
        i, go, *values = state
        found = _arrays(body.run(place, around, [i, go, *values]), place)
        return (i + 1, lw.reshape(found[0], ()), *found[1:])

    zero = c.array(np.asarray(0, dtype=np.int64))
    return tuple(lw.while_loop(holds, step_on, (zero, start, *first))[2:])


# --- Scan ------------------------------------------------------------------------------------------------------------


@reads("Scan", raw=True)
def _scan(c: Call, *inputs: Any, place: Place, around: Any) -> Any:
    body: Program = c.get("body")
    if c.opset < 9:
        return _batched_scan(c, body, inputs, place, around)
    over = c.get("num_scan_inputs")
    n = len(inputs) - over
    arrays = _arrays(inputs, place)
    columns = [
        _turned(x, axis, back)
        for x, axis, back in zip(
            arrays[n:], c.get("scan_input_axes", [0] * over), c.get("scan_input_directions", [0] * over), strict=True
        )
    ]
    back = _one_direction(c)
    if back:
        columns = [*arrays[n:]]
        columns = [lw.moveaxis(x, a, 0) for x, a in zip(columns, c.get("scan_input_axes", [0] * over), strict=True)]
    values, found = _scanned(body, arrays[:n], columns, place, around, back)
    count = len(found)
    axes = c.get("scan_output_axes", [0] * count)
    directions = [0] * count if back else c.get("scan_output_directions", [0] * count)
    return (*values, *[_turned_back(y, a, d) for y, a, d in zip(found, axes, directions, strict=True)])


def _one_direction(c: Call) -> bool:
    """Tell whether all arrays are gone through from the end."""
    directions = [*c.get("scan_input_directions", [0]), *c.get("scan_output_directions", [])]
    outputs = len(c.get("body").outputs) - (len(c.get("body").inputs) - c.get("num_scan_inputs"))
    return all(directions) and (not outputs or "scan_output_directions" in c.attributes)


def _turned(x: Any, axis: int, backwards: int) -> Any:
    x = lw.moveaxis(x, axis, 0) if axis else x
    return lw.flip(x, axis=0) if backwards else x


def _turned_back(y: Any, axis: int, backwards: int) -> Any:
    y = lw.flip(y, axis=0) if backwards else y
    return lw.moveaxis(y, 0, axis) if axis else y


def _scanned(body: Program, first: Any, columns: Any, place: Place, around: Any, reverse: bool) -> Any:
    n = len(first)

    def step(state: Any, row: Any) -> Any:
        found = _arrays(body.run(place, around, [*state, *row]), place)
        return tuple(found[:n]), tuple(found[n:])

    return lw.scan(step, tuple(first), tuple(columns), reverse=reverse)


def _batched_scan(c: Call, body: Program, inputs: Any, place: Place, around: Any) -> Any:
    """Read the operator of opset 8, which has an axis for the batch in front and goes along the second."""
    lengths, *rest = inputs
    if lengths is not None or any(c.get("directions", ())):
        raise c.refuse("of sequences of several lengths, or backwards, is read from opset 9 on")
    n = len(rest) - c.get("num_scan_inputs")
    arrays = _arrays(rest, place)
    rows = []
    for i in range(arrays[0].shape[0]):
        values, found = _scanned(body, [x[i] for x in arrays[:n]], [x[i] for x in arrays[n:]], place, around, False)
        rows.append([*values, *found])
    return tuple([lw.stack([*column]) for column in zip(*rows, strict=True)])
