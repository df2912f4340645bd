"""The functions that are written for a program: the look at what its step holds, and the writing of results."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from ....derivatives.tape import Node, Taped
from ....engine.arrays.array import Array, wrapped
from ...calls import HELD, new
from ..autograd.modes import no_grad
from ..autograd.versions import note_write
from ..calling import built
from ..core import dialect
from ..optim import optimizer as optimizers
from ..tensor import Tensor
from .held import Spec, is_shared, number, value_of

if TYPE_CHECKING:
    from .program import Step

__all__ = ["looking", "putting"]


def looking(step: Step) -> Callable[[list[Any]], list[Any] | None]:
    """Write the function that looks whether a step still holds what it held, and gives the native arrays; or None."""
    held, n, m = step.held, len(step.tensors), len(step.given)
    code = Code()
    code.test(f"{code.name(held.kept.check)}()")
    if held.optimizers:
        code.test(f"not {code.name(optimizers._before_all)}")
        code.test(f"not {code.name(optimizers._after_all)}")
    states: set[int] = set()
    for o in held.optimizers:
        _look_at_optimizer(step, code, o, states)
    own = {id(x) for x in held.tensors} | states
    important = {i for i, x in enumerate(step.tensors) if i in step.place_of or id(x) in own}
    important |= {i for i, _ in (*step.written, *step.moved)}
    index = {id(x): i for i, x in enumerate(step.tensors)}
    free = step.free
    for x in step.tensors:
        if id(x) not in own:
            continue  # a gradient
        state = x._own
        if id(x) in states and not x.requires_grad and state.grad is None:
            continue  # it belongs to an optimizer, which reads no gradient of it
        code.test(f"not {code.name(state)}.after")
        if state.grad is None:
            code.test(f"{code.name(state)}.grad is None")
            continue
        j = index.get(id(state.grad))
        code.test(f"{code.name(state)}.grad is not None")
        if j is not None and j in important:
            if id(state.grad) in own:
                code.test(f"{code.name(state)}.grad is {code.name(state.grad)}")
            else:
                free[j] = f"{code.name(state)}.grad"
    for slot, s in step.bound:
        k = index.get(id(slot.get()))
        if k is not None and k in important:
            if s[0] == "new":
                free[k] = f"{code.name(slot)}.get()"
            else:  # the tensor itself is looked at again
                code.test("False")
    moved = {i for i, _ in step.moved if i in step.place_of and not step.mutable}
    for i in sorted(important - {*free}):
        x = step.tensors[i]
        a = code.name(x._array)
        code.test(f"{code.name(x)}._held is {a}")
        at = f"natives[{step.place_of[i]}]" if i in moved else f"{code.name(step.data)}[{i}]"
        code.test(f"{a}._data is {at}")
        if step.specs[i].recorded:
            code.test(f"not {code.name(x._array._data.node)}.hooks")
    for i, path in free.items():
        code.read(path, step.specs[i], step.place_of.get(i), f"{code.name(step.now)}[{i}]")
    for i, spec in enumerate(step.given):
        code.read(f"given[{i}]", spec, step.place_of.get(n + i), None)
    for i in range(len(step.numbers)):
        if n + m + i in step.place_of:
            code.number(step, i, step.place_of[n + m + i])
    return code.function(step.natives)


def _look_at_optimizer(step: Step, code: Code, o: Any, states: set[int]) -> None:
    own = code.name(o)
    code.test(f"{own}.param_groups is {code.name(o.param_groups)}")
    code.test(f"len({code.name(o.param_groups)}) == {len(o.param_groups)}")
    code.test(f"not {code.name(o._optimizer_step_pre_hooks)} and not {code.name(o._optimizer_step_post_hooks)}")
    attributes = code.name(o.__dict__)
    code.test(f"{attributes}.get('step') is {code.name(o.__dict__.get('step'))}")
    inputs = {(id(group), name) for group, name, _ in step.numbers}
    for k, group in enumerate(o.param_groups):
        g = code.name(group)
        code.test(f"{code.name(o.param_groups)}[{k}] is {g}")
        for name, x in group.items():
            states.update([id(y) for y in (x if type(x) in (list, tuple) else (x,)) if type(y) is Tensor])
            if name == "params":
                code.test(f"{g}['params'] is {code.name(x)}")
                code.test(f"len({code.name(x)}) == {len(x)}")
                for i, p in enumerate(x):
                    code.test(f"{code.name(x)}[{i}] is {code.name(p)}")
            elif (id(group), name) not in inputs and name != "initial_lr":
                code.test(f"{g}[{name!r}] is {code.name(x)}")
    state = code.name(o.state)
    code.test(f"{own}.state is {state}")
    code.test(f"len({state}) == {len(o.state)}")
    for p, d in o.state.items():
        code.test(f"{state}.get({code.name(p)}) is {code.name(d)}")
        code.test(f"len({code.name(d)}) == {len(d)}")
        for name, x in d.items():
            if type(x) is Tensor:
                states.add(id(x))
            key = repr(name) if type(name) is str else code.name(name)
            code.test(f"{code.name(d)}[{key}] is {code.name(x)}")


def putting(step: Step) -> Callable[[Any, list[Any]], Any]:
    """Write the function that puts the results of the program in their places, and gives those of the step."""
    code, now, place_of = Code(), step.now, step.place_of
    lines = code.lines

    for i, out in step.written:
        x = f"now[{i}]"
        if step.mutable:
            lines.append(f"assign({x}, r{out}, {code.name(step.specs[i].sig)})")
            lines.append(f"data[{i}] = {x}._array._data")
            if i in place_of:
                lines.append(f"natives[{place_of[i]}] = value_of({x}._array)")
            continue
        link = "getattr(a, '_link', ())" if i in step.free else "a._link"
        a = f"{x}._held" if i in step.free else code.name(now[i]._array)
        lines += [
            f"a = {a}", f"link = {link}", "if (type(link) is not tuple or link) and is_shared(a):",
            f"    assign({x}, r{out}, {code.name(step.specs[i].sig)})", f"    data[{i}] = None", "else:",
        ]  # fmt: skip
        value = f"r{out}"
        if step.specs[i].recorded:
            lines += [
                "    old = a._data", "    if getrefcount(old) > 4:", "        note_write(old)",  # a call has it
                "    node = old.node", f"    node.out = r{out}", f"    old = Taped(r{out}, tape, node)",
            ]  # fmt: skip
            value = "old"
        lines.append(f"    a._data = data[{i}] = {value}")
        if i in place_of:
            lines.append(f"    natives[{place_of[i]}] = r{out}")
    for i, out in step.moved:
        used = f"natives[{place_of[i]}] = " if i in place_of else ""
        known = "" if used and not step.mutable else f"data[{i}] = "
        lines.append(f"{code.name(now[i]._array)}._data = {known}{used}r{out}")
        if step.mutable:
            lines.append(f"now[{i}]._bind()")
    for i, out in step.written_arguments:
        lines.append(f"assign(given[{i}], r{out}, {code.name(step.given[i].sig)})")
    for j, (out, sig, rule) in step.making:
        if rule is None and not step.mutable:
            lines += [
                "a = Array()", f"a._data = r{out}", f"a._sig = {code.name(sig)}", f"t{j} = new(Tensor)",
                f"t{j}._held = a", f"t{j}._data = None", f"t{j}._sig = HELD",
            ]  # fmt: skip
        elif rule is None:
            lines.append(f"t{j} = made(r{out}, {code.name(sig)})")
        else:
            lines.append(f"t{j} = freed(r{out}, tape, {code.name(rule)})")

    def source(s: Any) -> str:
        kind, i = s
        if kind == "number":
            group, name, _ = step.numbers[i]
            return f"{code.name(group)}[{name!r}]"
        return {"new": f"t{i}", "place": f"now[{i}]", "argument": f"given[{i}]"}[kind]

    for i, s in step.grads:
        lines.append(f"{code.name(now[i]._own)}.grad = {'None' if s is None else source(s)}")
    for o, p, name, s in step.entries:
        key = repr(name) if type(name) is str else code.name(name)
        lines.append(f"{code.name(o.state)}[{code.name(p)}][{key}] = {source(s)}")
    for slot, s in step.bound:
        lines.append(f"rebind({code.name(slot)}, {source(s)})")
    results = [source(s) for s in step.results]
    whole = f"built({code.name(step.result)}, iter([{', '.join(results)}]))"
    lines.append(f"found = {results[0] if step.result is Tensor else whole}")
    lines += [f"{code.name(x)}.step()" for x in step.later]
    lines.append("return found")
    taken = "".join([f"r{i}, " for i in range(step.count)])
    text = "\n    ".join(["def put(found, given):", f"{taken}= found" if taken else "pass", *lines])
    names = {
        **code.names, "now": now, "data": step.data, "natives": step.natives, "assign": assign, "value_of": value_of,
        "getrefcount": getrefcount, "note_write": note_write, "Taped": Taped, "tape": step.tape, "Array": Array,
        "new": new, "Tensor": Tensor, "made": made_of, "freed": freed_tensor, "rebind": step.held.rebind,
        "built": built, "is_shared": is_shared,
    }  # fmt: skip
    exec(compiled(text), names)
    made: Callable[[Any, list[Any]], Any] = names["put"]
    return made


class Code:
    """The text of a function that looks at what a step holds."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"HELD": HELD, "Tensor": Tensor}
        self.known: dict[int, str] = {}
        self.tests: list[str] = []
        self.lines: list[str] = []

    def name(self, x: Any) -> str:
        """Return the name of an object."""
        if x is None or x is True or x is False:
            return repr(x)
        found = self.known.get(id(x))
        if found is None:
            found = self.known[id(x)] = f"x{len(self.known)}"
            self.names[found] = x
        return found

    def test(self, text: str) -> None:
        if text not in self.tests:
            self.tests.append(text)

    def read(self, path: str, spec: Spec, place: int | None, keep: str | None) -> None:
        """Add the look at a tensor that is another one in each call."""
        sig, shape = self.name(spec.sig), self.name(spec.shape)
        self.lines += [
            f"t = {path}", "a = t._held if t._sig is HELD else t", "d = a._data",
            f"if a._sig is not {sig} or d.shape != {shape} or type(t) is not Tensor:", "    return None",
        ]  # fmt: skip
        if place is not None:
            self.lines.append(f"natives[{place}] = d")
        if keep is not None:
            self.lines.append(f"{keep} = t")

    def number(self, step: Step, i: int, place: int) -> None:
        """Add the look at an option that is an input."""
        group, name, part = step.numbers[i]
        known, value = self.name(step.numbers_now), step.values[i]
        self.lines += [
            f"v = {self.name(group)}[{name!r}]{'' if part is None else f'[{part}]'}", f"if v is not {known}[{i}]:",
            f"    if not isinstance(v, float){'' if name == 'lr' else f' or (v == 0) is not {value == 0}'}:",
            "        return None",  # what an update does may depend on whether it is zero
            f"    natives[{place}] = {self.name(number)}(v, {self.name(step.backend)})._data", f"    {known}[{i}] = v",
        ]  # fmt: skip
        if part is not None:
            self.test(f"len({self.name(group)}[{name!r}]) == {len(group[name])}")

    def function(self, natives: list[Any]) -> Callable[[list[Any]], list[Any] | None]:
        """Make the function: it gives the native arrays, or None where something differs."""
        tests = "\n            and ".join(self.tests)
        lines = "\n        ".join(["pass", *self.lines])
        text = f"""
def gather(given):
    try:
        if not (
            {tests}
        ):
            return None
        {lines}
    except (LookupError, ValueError, AttributeError):
        return None
    return natives
"""
        names = {**self.names, "natives": natives}
        exec(compiled(text), names)
        made: Callable[[list[Any]], list[Any] | None] = names["gather"]
        return made


@lru_cache(1024)
def compiled(text: str) -> Any:
    return compile(text, "<latticework step>", "exec")


def made_of(value: Any, sig: Any) -> Any:
    return dialect.wrapped(wrapped(value, sig))


def freed_tensor(value: Any, tape: Any, rule: Any) -> Any:
    """Return a tensor that requires a gradient, and whose graph is freed."""
    data = Taped(value, tape, Node(rule, (), {}, value))
    return dialect.wrapped(wrapped(data, tape.inside.sig_of(data)))


def assign(x: Any, value: Any, sig: Any) -> None:
    """Write an array into a tensor, and so into all that shares its memory."""
    with no_grad():
        x._write(dialect.wrapped(wrapped(value, sig)))
