"""Run short random programs on NumPy and on each other backend, and compare them statement by statement.

    python tools/programs.py                          500 programs on each installed backend, other ones each time
    python tools/programs.py --seed 1 --calls 5000 --backends torch

A program is 5 to 15 statements: indexing, assignment, in-place operators, views that are made, read and written to,
reshapes, reductions, products, sorting, joining. Each statement is drawn for arrays that the ones before left on NumPy,
so that most of them succeed. Where arrays never change, writing through a view has to be an error. Each difference is
printed as a program, without the statements that it does not need. Exit status 1 where there is one.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import comparing
import numpy as np
from comparing import Program, Statement
from fuzz import Dice

import latticework as lw

NAMES = "abcdefgh"
#: The dtypes of arrays in programs, the usual ones more often.
DTYPES = (*(lw.float32, lw.float64, lw.int64, lw.int32) * 3, lw.bool, lw.int8, lw.uint8, lw.uint16, lw.float16,
          lw.bfloat16, lw.complex64, lw.complex128)  # fmt: skip


class State:
    """A program as it grows: its statements, and its arrays on NumPy, which the next statement is drawn for."""

    def __init__(self, dice: random.Random) -> None:
        self.d = Dice(dice)
        self.d.special = False
        self.statements: list[Statement] = []
        self.names: dict[str, Any] = {"lw": lw, "inf": float("inf"), "nan": float("nan")}

    @property
    def arrays(self) -> dict[str, lw.Array]:
        """The arrays by name."""
        return {n: x for n, x in self.names.items() if len(n) == 1}

    def any(self) -> str:
        """Draw one of the arrays, and have the dice draw for its shape and dtype."""
        name = self.d.dice.choice([*self.arrays])
        self.d.shape, self.d.dtype = self.names[name].shape, self.names[name].dtype
        return name

    def new(self) -> str:
        """Draw a name for a result, which may be taken already."""
        free = [n for n in NAMES if n not in self.names]
        return self.d.dice.choice(free if free and self.d.chance(0.8) else NAMES)

    def shared_with(self, name: str) -> list[str]:
        """Return the other arrays that share memory with one."""
        data = self.names[name].data
        return [n for n, x in self.arrays.items() if n != name and np.shares_memory(x.data, data)]

    def run(self, statement: Statement) -> None:
        """Add a statement, run on NumPy as well."""
        self.statements.append(statement)
        try:
            exec(compile(statement.text, "<program>", "exec"), self.names)
        except Exception:
            return
        for name in [n for n in self.arrays if not isinstance(self.names[n], lw.Array)]:
            del self.names[name]

    def read(self, expression: str, *functions: str) -> None:
        """Add a statement that gives a new array."""
        name = self.new()
        self.run(Statement(f"{name} = {expression}", (name,), "values", functions))

    def write(self, name: str, text: str, *functions: str) -> None:
        """Add a statement that writes to an array.

        Views of it that are read later go first: whether they change is what frameworks differ in, and the README says
        so. Of a view itself, on NumPy, what shares its memory changes as well.
        """
        shared = self.shared_with(name)
        views = [n for n in shared if self.is_view(n, of=name)]
        if views:
            self.run(Statement(f"del {', '.join(views)}", tuple(views)))
            shared = self.shared_with(name)
        empty = self.names[name].size == 0  # which shares no memory, view or not
        self.run(Statement(text, (name, *shared), "values", functions, bool(shared) or empty))

    def is_view(self, name: str, of: str) -> bool:
        """Whether an array was made of another one, and not the other way round."""
        return self.order(of) < self.order(name)

    def order(self, name: str) -> int:
        """Return the number of the statement that made an array."""
        made = [i for i, s in enumerate(self.statements) if s.text.startswith(f"{name} = ")]
        return made[-1]


# --- statements --------------------------------------------------------------------------------------------------


def make(s: State) -> None:
    """Make an array of values."""
    s.d.shape, dtype = s.d.one((3,), (4,), (2, 3), (3, 3), (2, 3), (2, 1, 3), (), (0, 3)), s.d.dice.choice(DTYPES)
    s.d.dtype = dtype
    name = s.new()
    text = s.d.array(dtype, s.d.shape, written=True).replace("[::-1]", "").replace("[..., ::2]", "")
    s.run(Statement(f"{name} = {text}", (name,)))


def key(s: State) -> str:
    """Draw a key without negative steps: PyTorch has no such views."""
    drawn = s.d.key().replace("2:0:-1", "1:2").replace("::-1", "1:")
    return drawn.replace("x > 0", "...")


def value(s: State, name: str) -> str:
    """Draw what is written to an array or joined with it: a scalar, another array, or a part of itself."""
    kind = s.d.dice.random()
    array = s.names[name]
    if kind < 0.4:
        return str(s.d.one(1, 2, 3, -1) if array.dtype.kind in "iu" else s.d.one(1, 0.5, 2.0, True))
    same = [n for n, x in s.arrays.items() if x.shape == array.shape]
    if kind < 0.7:
        return s.d.dice.choice(same)
    if kind < 0.85 and array.ndim:
        return f"{name}[:1]"
    return s.any()


def copied(s: State, name: str) -> str:
    """Return what follows a view of an array without dimensions: on NumPy that may be a scalar, which has no views."""
    return "" if s.names[name].ndim else ".copy()"


def index(s: State) -> None:
    """Read a part."""
    name = s.any()
    s.read(f"{name}[{key(s)}]{copied(s, name)}", "getitem")


def masked(s: State) -> None:
    """Read or write by a condition."""
    name = s.any()
    if s.names[name].dtype.kind == "c":
        return
    if s.d.chance(0.5):
        s.read(f"{name}[{name} > 1]", "getitem", "greater")
    else:
        s.write(name, f"{name}[{name} > 1] {s.d.one('=', '+=')} {s.d.one(1, 0, 2)}", "setitem")


def assign(s: State) -> None:
    """Write to a part."""
    name = s.any()
    written = key(s)
    s.write(name, f"{name}[{written}] {s.d.one('=', '=', '+=', '*=', '-=')} {value(s, name)}", "setitem")


def update(s: State) -> None:
    """Write to the whole, by an operator or by `out`."""
    name = s.any()
    if s.d.chance(0.2):
        s.write(name, f"lw.{s.d.one('add', 'multiply', 'maximum')}({name}, {value(s, name)}, out={name})", "add")
    else:
        s.write(name, f"{name} {s.d.one('+=', '-=', '*=', '/=', '//=', '**=')} {value(s, name)}", "floor_divide", "pow")


def reshape(s: State) -> None:
    """Take another shape, which is a view on NumPy where it can be. Whether `reshape` has to copy is a matter of the
    order in memory, which results do not have in common on all backends."""
    name = s.any()
    ways = ["{}.reshape(-1)", "lw.expand_dims({}, axis=0)", "{}.T", "lw.reshape({}, ({}.size, 1))", "{}[None]",
            "lw.flip({}).copy()", "lw.stack([{}, {}])", "lw.roll({}, 1)"]  # fmt: skip
    if len(s.d.shape) < 2:
        ways.remove("{}.T")
    else:
        ways += ["{}.mT", "lw.moveaxis({}, 0, -1)", "lw.squeeze({}[:1], axis=0)"]
    way = s.d.dice.choice(ways)
    laid_out = "reshape" not in way or s.names[name].data.flags.c_contiguous
    s.read(f"({way}){copied(s, name) if laid_out else '.copy()'}".replace("{}", name))


def reduce(s: State) -> None:
    """Reduce one axis or all."""
    name = s.any()
    function = s.d.one("sum", "mean", "max", "min", "prod", "std", "argmax", "any", "count_nonzero", "all", "var")
    options = "" if not s.d.shape or s.d.chance(0.4) else f", axis={s.d.axis()}, keepdims={s.d.chance(0.5)}"
    s.read(f"lw.{function}({name}{options})", function)


def choose(s: State) -> None:
    """Choose by a condition."""
    name = s.any()
    condition = f"{name} > 0" if s.names[name].dtype.kind != "c" else f"{name} != 0"
    s.read(f"lw.where({condition}, {name}, {value(s, name)})", "where")


def multiply(s: State) -> None:
    """Multiply matrices."""
    name = s.any()
    if len(s.d.shape) >= 2:
        s.read(f"{name} @ {name}.mT", "matmul")
    elif s.d.shape:
        s.read(f"lw.vecdot({name}, {name})", "vecdot")


def order(s: State) -> None:
    """Sort, or accumulate."""
    name = s.any()
    function = s.d.one(
        "lw.sort({}, axis=-1)", "lw.argsort({})", "lw.cumulative_sum({}, axis=-1)", "lw.unique_values({})"
    )
    if s.d.shape:
        s.read(function.replace("{}", name), "sort")


def join(s: State) -> None:
    """Join arrays."""
    name = s.any()
    same = [n for n, x in s.arrays.items() if x.shape == s.names[name].shape]
    function = s.d.one("concat", "stack") if s.d.shape else "stack"
    s.read(f"lw.{function}([{name}, {s.d.dice.choice(same)}])", function)


def compute(s: State) -> None:
    """Compute elementwise."""
    name = s.any()
    other = value(s, name)
    form = s.d.one("{} == @", "{} + @", "{} * @", "{} / 2", "lw.abs({})", "lw.sqrt(lw.abs({}))", "lw.tanh({})",
                   "{} - @", "lw.maximum({}, @)", "lw.astype({}, 'float32')", "{}.copy()", "@ - {}")  # fmt: skip
    s.read(form.replace("{}", name).replace("@", other), "add", "subtract", "tanh")


def forget(s: State) -> None:
    """Drop an array: what was a view of it alone may be written to."""
    if len(s.arrays) > 2:
        name = s.any()
        s.run(Statement(f"del {name}", (name,)))


STATEMENTS: tuple[Callable[[State], None], ...] = (
    *(index, assign, update, compute) * 3, *(reshape, reduce, make, masked) * 2, choose, multiply, order, join, forget,
)  # fmt: skip


def program(dice: random.Random) -> Program:
    """Draw a program."""
    state = State(dice)
    policy = {"rules": dice.choice(lw.rule_names())} if dice.random() < 0.3 else {}
    with comparing.quiet(comparing.REFERENCE), lw.using(backend=comparing.REFERENCE, **policy):
        make(state)
        make(state)
        length = dice.randint(5, 15)
        for _ in range(3 * length):
            if not state.arrays:
                make(state)
            dice.choice(STATEMENTS)(state)
            if len(state.statements) >= length:
                break
    return Program(tuple(state.statements), policy)


def main() -> int:
    """Run the programs and print what was found; 1 where there are differences."""
    return comparing.main(program, comparing.options(__doc__, calls=500).parse_args(), "programs")


if __name__ == "__main__":
    sys.exit(main())
