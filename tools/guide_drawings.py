"""Draw the pictures of the guides, from what their examples leave on NumPy and from the library itself.

`tools/guides.py` runs the examples of a guide and draws its picture. A function has the name of its guide, and takes
the file to write and the names that the examples have bound. `ELSEWHERE` has the pictures that other tools make.
"""

from __future__ import annotations

import ast
import json
import operator
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from gallery_drawings import BLUE, GREY, LIGHT, RED, figure, small
from gallery_page import NAMES

import latticework as lw
from latticework.draw import COLOURS, _face, short

DOCS = Path(__file__).parents[1] / "docs"
#: The colour and the mark of each backend.
MARKS = {
    "numpy": (BLUE, "o"), "torch": ("#d9481c", "^"), "jax": ("#7a3fa8", "s"), "tensorflow": ("#b8860b", "D"),
    "dask": (GREY, "v"),
}  # fmt: skip
INK, PALE = "#20242c", "#f0f0f3"
#: The words for the kinds of dtypes.
KINDS = {"b": "bool", "u": "unsigned", "i": "signed", "f": "floating", "c": "complex"}
Bound = dict[str, Any]


# --- what several share ----------------------------------------------------------------------------------------------


def box(axes: Any, x: float, y: float, text: str, size: tuple[float, float] = (1, 1), **kw: Any) -> None:
    """Draw a box with a text: its left and upper corner, where y grows downwards."""
    from matplotlib.patches import Rectangle

    given: dict[str, Any] = {"facecolor": PALE, "edgecolor": "white", "linewidth": 1.5, "zorder": 3}
    letters = {key: kw.pop(key) for key in ("fontsize", "color", "weight", "family") if key in kw}
    axes.add_patch(Rectangle((x, y), *size, **(given | kw)))
    axes.text(x + size[0] / 2, y + size[1] / 2, text, ha="center", va="center", zorder=5, **({"color": INK} | letters))


def grid(axes: Any, rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Any]], **kw: Any) -> None:
    """Draw dtypes as coloured cells: the colour is the kind, and darker is wider. None is what is refused.

    Parameters
    ----------
    rows: what stands before each row.
    columns: what stands above each column.
    cells: the dtypes of each row.
    kw: options for the words before the rows.
    """
    for i, row in enumerate(cells):
        axes.text(-0.15, i + 0.5, rows[i], ha="right", va="center", **({"color": INK} | kw))
        for j, dtype in enumerate(row):
            box(axes, j, i, short(dtype) if dtype else "×", facecolor=_face(dtype), color=INK if dtype else "#a3222e")
    for j, column in enumerate(columns):
        axes.text(j + 0.5, -0.15, column, ha="center", va="bottom", color=INK, fontsize=8)
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.axis("off")


def kinds_below(axes: Any, cells: Sequence[Sequence[Any]]) -> None:
    """Say below a grid which colour is which kind, and what the cross is."""
    from matplotlib.patches import Patch

    found = [*(x for row in cells for x in row)]
    given = {x.kind for x in found if x}
    handles = [Patch(facecolor=COLOURS[k], alpha=0.6, label=word) for k, word in KINDS.items() if k in given]
    if None in found:
        handles.append(Patch(facecolor=PALE, label="× refused"))
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.4, -0.01), ncols=6, frameon=False, handlelength=1,
        columnspacing=0.9, handletextpad=0.4,
    )  # fmt: skip


def result_of(call: Callable[..., Any], *args: Any) -> Any:
    """Return the dtype of what a call gives, None where it is refused."""
    try:
        found = call(*args)
    except (AttributeError, ImportError, NameError):
        raise
    except Exception:  # each framework has a class of its own for it
        return None
    return found.dtype if isinstance(found.dtype, lw.Dtype) else lw.asarray(found).dtype


def table_of(page: str, head: str) -> list[list[str]]:
    """Return the cells of the table of a page whose first line begins so, without its head."""
    lines = (DOCS / f"{page}.md").read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(head)) + 2
    found = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


# --- one function for each guide --------------------------------------------------------------------------------------


def dtypes(path: Path, bound: Bound) -> None:
    """What comes out of some operations, for each dtype."""
    calls: dict[str, Callable[[Any], Any]] = {
        "x + 1": lambda x: x + 1, "x + 0.5": lambda x: x + 0.5, "x / x": lambda x: x / x, "sqrt": lw.sqrt,
        "mean": lw.mean, "sum": lw.sum, "abs": lw.abs, "x > x": lambda x: x > x, "argmax": lw.argmax,
    }  # fmt: skip
    cells = [[result_of(lw.infer, f, lw.spec((2,), d)) for f in calls.values()] for d in lw.all_dtypes]
    with figure(path, size=(5.4, 4.6)) as axes:
        grid(axes, [str(d) for d in lw.all_dtypes], [*calls], cells)
        kinds_below(axes, cells)


def written(backend: str) -> list[tuple[str, list[Any], list[Any] | None, bool]]:
    """Write to a part of an array in three ways, and tell what the array and the part hold after that.

    Returns
    -------
    The program; the elements of both, None for a part whose write is refused; and whether the two share memory.
    """
    found = []
    with lw.using(backend=backend):
        a = lw.zeros(5, dtype=int)
        v = a[1:4]
        try:
            v += 1
            found.append(("v = a[1:4];  v += 1", a.tolist(), v.tolist(), a.tolist()[1:4] == v.tolist()))
        except ValueError:
            found.append(("v = a[1:4];  v += 1", a.tolist(), None, False))
        a = lw.zeros(5, dtype=int)
        v = a[1:4]
        a[1:4] += 1
        found.append(("v = a[1:4];  a[1:4] += 1", a.tolist(), v.tolist(), a.tolist()[1:4] == v.tolist()))
        a = lw.zeros(5, dtype=int)
        v = a[1:4].copy()
        v += 1
        found.append(("v = a[1:4].copy();  v += 1", a.tolist(), v.tolist(), a.tolist()[1:4] == v.tolist()))
    return found


def views(path: Path, bound: Bound) -> None:
    """What an array and its part hold after a write to one of them, for the backends that agree."""
    groups: dict[str, list[str]] = {}
    for backend in NAMES:
        groups.setdefault(json.dumps(written(backend)), []).append(NAMES[backend])
    with figure(path, len(groups), (5.0, 4.0)) as every:
        for axes, (found, names) in zip(every, groups.items(), strict=True):
            for i, (program, a, v, shared) in enumerate(json.loads(found)):
                at = 4.6 * i
                axes.text(0, at - 0.25, program, family="monospace", va="bottom", fontsize=7.8, color=INK)
                axes.text(-0.25, at + 0.5, "a", ha="right", va="center", family="monospace", weight="bold")
                axes.text(-0.25, at + 2.1, "v", ha="right", va="center", family="monospace", weight="bold")
                for j, x in enumerate(a):
                    box(axes, j, at, str(x), facecolor="#f0a58c" if x else PALE)
                if v is None:
                    axes.text(1, at + 2.1, "ValueError", color="#a3222e", va="center", weight="bold")
                for j, x in enumerate(v or ()):
                    box(axes, 1 + j, at + 1.6, str(x), facecolor="#f0a58c" if x else PALE)
                if shared:
                    axes.fill_between([1.04, 3.96], at + 0.9, at + 1.7, color=BLUE, alpha=0.8, linewidth=0, zorder=2)
                    axes.text(
                        2.5, at + 1.3, "one memory", ha="center", va="center", color="white", fontsize=7, zorder=6
                    )
            axes.set(xlim=(-0.6, 5.05), ylim=(12.0, -1.4))
            axes.set_title(", ".join(names), fontsize=9, weight="bold", loc="left")
            axes.axis("off")


def random(path: Path, bound: Bound) -> None:
    """What five backends draw: from one key, and from one seed."""
    drawn: dict[str, list[Any]] = {"one key": [], "one seed": []}
    for backend in NAMES:
        key = lw.asarray(lw.random.key(0), backend=backend)
        drawn["one key"].append(lw.to_numpy(lw.random.normal(key, (10,))))
        drawn["one seed"].append(lw.to_numpy(lw.random.default_rng(0, backend=backend).normal(size=10)))
    with figure(path, 1, (5.2, 3.9)) as axes:
        axes.axis("off")
        for at, (title, rows) in zip((0, 6.3), drawn.items(), strict=True):
            axes.text(-0.1, at - 0.15, f"{title}, on each backend", va="bottom", weight="bold")
            for i, (name, row) in enumerate(zip(NAMES.values(), rows, strict=True)):
                axes.text(-0.2, at + i + 0.5, name, ha="right", va="center")
                for j, x in enumerate(row):
                    dark = abs(x) > 1.5
                    box(axes, j, at + i, f"{x:.1f}".replace("-0.0", "0.0"), facecolor=shade_of(x / 2.5), fontsize=8,
                        color="white" if dark else INK)  # fmt: skip
        axes.set(xlim=(-0.1, 10), ylim=(11.4, -0.9))


def shade_of(x: float) -> Any:
    """Return the colour of a number from -1 to 1: red, white, blue."""
    from matplotlib import colormaps

    return colormaps["RdBu"](0.5 + x / 2)


def gradients(path: Path, bound: Bound) -> None:
    """The loss of the guide by its two parameters, with steps along the gradient and one step by the Hessian."""
    loss, x = bound["loss"], lw.asarray([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], backend="numpy")
    w = lw.asarray([0.5, -1.0], backend="numpy")
    steps = [w]
    for _ in range(40):
        steps.append(steps[-1] - 0.015 * lw.grad(loss)(steps[-1], x))
    newton = w - lw.linalg.solve(lw.hessian(loss)(w, x), lw.grad(loss)(w, x))
    across, up = np.meshgrid(np.linspace(-1.6, 2.0, 80), np.linspace(-1.6, 1.6, 80))
    values = lw.vmap(loss, in_axes=(0, None))(lw.asarray(np.stack([across.ravel(), up.ravel()], 1), dtype="float32"), x)
    with figure(path, size=(4.8, 3.8)) as axes:
        levels = [0.5, 2, 6, 14, 28, 50, 90, 150]
        axes.contour(across, up, lw.to_numpy(values).reshape(across.shape), levels, colors=GREY, linewidths=0.7)
        track = np.stack([lw.to_numpy(s) for s in steps])
        axes.plot(*track.T, "o-", color=BLUE, markersize=3, linewidth=1, label="40 steps by lw.grad")
        axes.annotate(
            "", lw.to_numpy(newton), lw.to_numpy(w), arrowprops={"arrowstyle": "-|>", "color": RED, "linewidth": 1.6}
        )
        axes.plot([], [], color=RED, label="one step with lw.hessian")
        axes.plot(*lw.to_numpy(w), "o", color=INK, markersize=6)
        axes.text(0.56, -1.14, "w = [0.5, -1]", va="center")
        axes.set(xlabel="w[0]", ylabel="w[1]")
        axes.legend(frameon=True, edgecolor="white", loc="upper right")


def dask(path: Path, bound: Bound) -> None:
    """The tasks of the guide's first program, as Dask runs them."""
    import dask

    (kept,) = dask.optimize(bound["spread"].data)
    tasks = dict(kept.__dask_graph__())
    layers = ["array", "sums_of_block", "squares_of_block", "several"]
    words = {
        "array": "block\nof x", "sums_of_block": "sums", "squares_of_block": "- mean\n** 2", "several": "std",
    }  # fmt: skip
    colours = {"array": LIGHT, "sums_of_block": "#cfe6d8", "squares_of_block": "#f6d9a8", "several": "#f0a58c"}
    place = {key: ((1.0 if key[0].startswith("several") else key[1]), layer_of(key, layers)) for key in tasks}
    with figure(path, size=(4.6, 3.9)) as axes:
        for key, task in tasks.items():
            x, y = place[key]
            layer = layers[y]
            box(axes, x - 0.27, y - 0.2, words[layer], (0.54, 0.4), facecolor=colours[layer])
            for other in task.dependencies:
                again = y - place[other][1] > 1
                curve = {"connectionstyle": "arc3,rad=-0.42"} if again else {}
                axes.annotate(
                    "", (x + 0.12 * again, y - 0.2), (place[other][0] + 0.2 * again, place[other][1] + 0.2), zorder=2,
                    arrowprops={"arrowstyle": "-|>", "color": RED if again else GREY, "linewidth": 1.1, **curve},
                )  # fmt: skip
        axes.plot([], [], color=GREY, label="needs")
        axes.plot([], [], color=RED, label="reads the block again")
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.02, -0.02))
        axes.set(xlim=(-0.4, 2.5), ylim=(3.3, -0.3))
        axes.axis("off")


def layer_of(key: tuple[Any, ...], layers: list[str]) -> int:
    """Return the number of the layer that a task of Dask's is of."""
    return layers.index(key[0].rpartition("-")[0])


def scale(path: Path, bound: Bound) -> None:
    """The times of the guide's table, as ratios to dask.array."""
    rows = table_of("guides/scale", "| program, of arrays of about 30 MiB")
    kinds = {"latticework on Dask": (BLUE, "o"), "on Cubed": (RED, "s"), "on NumPy": ("#1f9e89", "D")}
    with figure(path, size=(5.4, 3.9)) as axes:
        for i, row in enumerate(rows):
            axes.axhline(i, color="#e6e8ec", zorder=0)
            for (label, (colour, mark)), cell in zip(kinds.items(), row[2:5], strict=True):
                if re.fullmatch(r"[\d.]+", cell):
                    axes.plot(float(cell), i, mark, color=colour, markersize=6, label="" if i else label)
        axes.axvline(1, color=GREY, linewidth=1)
        axes.set_xscale("log")
        axes.set_xticks([0.1, 1, 10], ["a tenth", "dask.array", "10 times"])
        names = [re.sub(r" in a process.*| of each column| \(by hand.*", "", row[0]) for row in rows]
        axes.set(yticks=range(len(rows)), yticklabels=names, ylim=(len(rows) - 0.5, -0.5), xlabel="processor time")
        axes.tick_params(axis="y", length=0)
        axes.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(-0.35, 1.0), handletextpad=0.2)


def tracing(path: Path, bound: Bound) -> None:
    """How many times as fast as by hand forty functions are, from the guide's two tables."""
    plain = table_of("tracing", "| elements | NumPy, the source |")
    faster = table_of("tracing", "| elements | NumPy, `fast` |")
    sizes = [int(row[0].replace(",", "")) for row in plain]
    lines = {
        "tuned": ([row[2] for row in faster], [row[5] for row in faster], RED, "s"),
        "fast": ([row[1] for row in faster], [row[4] for row in faster], "#e08a1e", "D"),
        "source": ([row[1] for row in plain], [row[3] for row in plain], BLUE, "o"),
    }
    with figure(path, 2, (5.4, 3.0), sharey=True) as (left, right):
        for label, (numpy, torch, colour, mark) in lines.items():
            left.plot(sizes, [*map(float, numpy)], f"{mark}-", color=colour, label=label)
            right.plot(sizes, [*map(float, torch)], f"{mark}-", color=colour)
        for axes, title in ((left, "NumPy"), (right, "PyTorch")):
            axes.axhline(1, color=GREY, linewidth=1)
            axes.set(xscale="log", title=title, xlabel="elements", ylim=(0, 8.4), yticks=range(0, 9, 2))
            axes.set_xticks([1e1, 1e3, 1e5], ["10", "1,000", "100,000"])
            axes.grid(axis="y", color="#e6e8ec")
        left.set_ylabel("times as fast as by hand")
        left.text(4, 0.9, "by hand", va="top", color="#666c77")
        left.legend(frameon=False)


def state(path: Path, bound: Bound) -> None:
    """What the calls of the guide's first program read and write, in their order."""
    f = bound["mean_so_far"]
    bound["total"] = lw.asarray(0.0)
    bound["count"][...] = 0
    steps: list[tuple[str, float, int, float | None]] = [("", 0.0, 0, None)]
    for x in (1.0, 2.0, 6.0, None, 0.0):
        if x is None:
            bound["total"] = lw.asarray(100.0)
            steps.append(("total\n= 100", float(bound["total"]), int(bound["count"]), None))
        else:
            mean = float(f(lw.asarray(x)))
            steps.append((f"call\nx = {x:g}", float(bound["total"]), int(bound["count"]), mean))
    lanes = {"total": 1.9, "count": 3.1}
    with figure(path, size=(5.4, 2.9)) as axes:
        for i, (words, total, count, mean) in enumerate(steps):
            before = steps[i - 1][1:3] if i else (None, None)
            for (name, y), value, old in zip(lanes.items(), (total, count), before, strict=True):
                box(axes, i, y, f"{value:g}", (0.62, 0.7), facecolor="#f0a58c" if value != old and i else PALE)
                if i:
                    axes.annotate(
                        "", (i, y + 0.35), (i - 0.38, y + 0.35), arrowprops={"arrowstyle": "-", "color": GREY}
                    )
                else:
                    axes.text(-0.15, y + 0.35, name, ha="right", va="center", weight="bold")
            if words:
                own = mean is None
                box(axes, i - 0.1, 0, words, (0.82, 1.0), facecolor="#fbe3c0" if own else LIGHT)
                axes.annotate("", (i + 0.31, 1.88), (i + 0.31, 1.0), arrowprops={"arrowstyle": "-|>", "color": RED})
            if mean is not None:
                box(axes, i, 4.3, f"{mean:g}", (0.62, 0.7), facecolor=LIGHT)
        axes.text(-0.15, 0.5, "program", ha="right", va="center", weight="bold")
        axes.text(-0.15, 4.65, "returned", ha="right", va="center", weight="bold")
        for x, colour, word in (
            (0.0, "#f0a58c", "changed"),
            (1.4, PALE, "as it was"),
            (2.9, "#fbe3c0", "between the calls"),
        ):
            box(axes, x, 5.4, "", (0.3, 0.4), facecolor=colour)
            axes.text(x + 0.4, 5.6, word, color=INK, va="center", fontsize=8)
        axes.set(xlim=(-1.05, len(steps) - 0.2), ylim=(6.0, -0.2))
        axes.axis("off")


def places(source: str, name: str, arguments: Sequence[np.ndarray]) -> list[tuple[str, dict[str, str], set[str]]]:
    """Run the lines of a function of a source one by one, and look where their results lie.

    Returns
    -------
    Each line; the name of what lies in each memory after it; and the memories that it wrote into.
    """
    tree = ast.parse(source)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    names: dict[str, Any] = {}
    exec(compile(ast.Module([n for n in tree.body if n is not function], []), "source", "exec"), names)
    local = {a.arg: x for a, x in zip(function.args.args, arguments, strict=True)}
    memory = dict(local)
    found = []
    for line in function.body:
        before = {key: x.copy() for key, x in memory.items()}
        if not isinstance(line, ast.Return):
            exec(compile(ast.Module([line], []), "source", "exec"), names, local)
        fresh = {key for key, x in local.items() if not any(np.shares_memory(x, m) for m in memory.values())}
        for key in fresh:
            memory[f"memory {len(memory) - len(arguments) + 1}"] = local[key]
        new = {m for m in memory if m not in before}
        holds = {m: key for m, x in memory.items() for key, y in local.items() if np.shares_memory(x, y)}
        changed = {m for m, x in before.items() if not np.array_equal(x, memory[m])}
        found.append((ast.unparse(line), holds, new | changed))
    return found


def source(path: Path, bound: Bound) -> None:
    """The lines of the guide's first source, and the memory that each writes into."""
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=(2, 4)).astype("float32"), rng.normal(size=4).astype("float32")]
    lines = places(lw.trace(bound["normalized"], *map(lw.asarray, arguments)).source, "normalized", arguments)
    columns = [*lines[-1][1], *(m for line in lines for m in line[1])]
    columns = [*dict.fromkeys(sorted(columns, key=lambda m: (m.startswith("memory"), m != "x", m)))]
    with figure(path, size=(4.9, 3.0)) as axes:
        for i, (line, holds, wrote) in enumerate(lines):
            text = line.replace("mean(np.square(t), axis=-1, keepdims=True)", "mean(np.square(t), …)")
            text = text.replace("mean(x, axis=-1, keepdims=True)", "mean(x, …)")
            axes.text(-0.2, i + 0.5, text, ha="right", va="center", family="monospace", fontsize=8.5)
            for j, m in enumerate(columns):
                if m in holds:
                    given = holds[m] if m.startswith("memory") else ""
                    face = "#f0a58c" if m in wrote else LIGHT if m.startswith("memory") else PALE
                    box(axes, j, i, given, facecolor=face)
        for j, m in enumerate(columns):
            head = m.replace("memory ", "new\nmemory ") if m.startswith("memory") else f"argument\n{m}"
            axes.text(j + 0.5, -0.15, head, ha="center", va="bottom", fontsize=8)
        words = {"written by this line": "#f0a58c", "kept": LIGHT, "an argument, only read": PALE}
        for x, (word, colour) in zip((-3.0, -0.35, 0.85), words.items(), strict=True):
            box(axes, x, len(lines) + 0.5, "", (0.3, 0.5), facecolor=colour)
            axes.text(x + 0.4, len(lines) + 0.75, word, va="center", fontsize=8)
        axes.set(xlim=(-3.25, len(columns)), ylim=(len(lines) + 1.1, -1.1))
        axes.axis("off")


def mebibytes(program: str, folder: str) -> float:
    """Run a program in a folder, and return the most memory that its process had, as Linux counts it."""
    program += "\nprint(open('/proc/self/status').read())"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True)
    return int(re.findall(r"VmHWM:\s+(\d+) kB", done.stdout)[0]) / 1024


def to_numpy(path: Path, bound: Bound) -> None:
    """The losses of the guide's training by both, and the memory of a process that runs the model."""
    import torch

    torch.manual_seed(0)
    model, x, labels = bound["Classifier"](), torch.randn(32, 4), torch.randint(3, (32,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    step = lw.transpile(
        model, x, to="numpy", train=True, loss=torch.nn.CrossEntropyLoss(), optimizer=optimizer, targets=(labels,)
    )
    params, kept, ours, theirs = step.params, step.state, [], []
    for _ in range(60):
        loss, params, kept = step.function(params, kept, x.numpy(), labels.numpy())
        ours.append(float(loss))
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(model(x), labels)
        value.backward()
        optimizer.step()
        theirs.append(float(value.detach()))
    with TemporaryDirectory() as folder:
        lw.transpile(model.eval(), x, to="numpy").write(folder)
        memory = {
            "PyTorch": mebibytes("import torch\ntorch.nn.Linear(4, 8)(torch.ones(32, 4))", folder),
            "the file": mebibytes(
                "import numpy, model\nparams = model.load_parameters('parameters.npz')\n"
                "model.forward(params, numpy.ones((32, 4), 'float32'))",
                folder,
            ),
        }
    with figure(path, 2, (5.4, 2.8), width_ratios=[5, 3]) as (left, right):
        left.plot(theirs, color="#f0a58c", linewidth=5, label="PyTorch", solid_capstyle="round")
        left.plot(ours, color=BLUE, linewidth=1.3, label="the file, by NumPy")
        left.set(xlabel="step", ylabel="loss")
        left.legend(frameon=False)
        bars = right.bar([*memory], [*memory.values()], color=["#f0a58c", BLUE], width=0.6)
        right.bar_label(bars, fmt="%.0f", padding=2)
        right.set(ylabel="MiB of a process that runs it", ylim=(0, 1.15 * max(memory.values())))


def graphs(path: Path, bound: Bound) -> None:
    """The guide's graph, by the drawing that it describes."""
    bound["graph"].draw(path)
    small(path)


def onnx(path: Path, bound: Bound) -> None:
    """The calls of the guide's program, the operators of its file, and how far their results are from each other."""
    from onnx import load

    nodes = load(bound["path"]).graph.node
    calls = [n for n in bound["graph"].nodes if n.name != "matrix_transpose"]
    of_batch = [n for n in nodes if n.op_type == "Cast" or n.output[0].startswith(("extent", "factor"))]
    chain = [n for n in nodes if n not in of_batch and n.op_type not in ("Transpose", "Identity")]
    images, found = bound["images"], bound["found"]
    far = {
        "the program": np.abs(lw.to_numpy(bound["net"](lw.asarray(images))) - found).max(),
        "read back, on PyTorch": np.abs(lw.to_numpy(bound["f"](lw.asarray(images, backend="torch"))) - found).max(),
    }
    with figure(path, size=(5.4, 4.6)) as axes:
        axes.text(0.8, -0.35, "lw.trace", ha="center", va="bottom", weight="bold")
        axes.text(3.2, -0.35, "net.onnx", ha="center", va="bottom", weight="bold")
        box(axes, 0, -0.2, "x", (1.6, 0.7))
        box(axes, 2.4, -0.2, "image\nn × 1 × 8 × 8", (1.6, 0.7))
        for i, (call, made) in enumerate(zip(calls, chain, strict=True), 1):
            shape = " × ".join(["n", *map(str, call.results[0].shape[1:])])
            box(axes, 0, i - 0.2, call.name, (1.6, 0.7), facecolor=LIGHT)
            box(axes, 2.4, i - 0.2, f"{made.op_type}\n{shape}", (1.6, 0.7), facecolor="#f6d9a8")
            axes.annotate("", (2.38, i + 0.15), (1.62, i + 0.15), arrowprops={"arrowstyle": "-|>", "color": GREY})
            for x in (0.8, 3.2):
                axes.plot([x, x], [i - 0.5, i - 0.2], color=GREY, linewidth=1, zorder=2)
            names = [next((m.input[0] for m in nodes if name in m.output), name) for name in made.input[1:]]
            axes.text(4.1, i + 0.15, "\n".join(n for n in names if n.startswith("w.")), va="center", color=RED)
            if made.op_type == "Reshape":
                axes.text(4.1, i + 0.15, f"{len(of_batch)} operators\nfind n", va="center", color="#666c77")
        at = len(calls) + 1.15
        axes.text(0, at, "Beside onnxruntime's classes of 5 images:", va="center")
        for i, (words, x) in enumerate(far.items(), 1):
            axes.text(0, at + 0.45 * i, f"{words}: at most {x:.0e} off", va="center", color=BLUE)
        axes.set(xlim=(-0.1, 5.4), ylim=(at + 1.2, -0.7))
        axes.axis("off")


def onnx_operators(path: Path, bound: Bound) -> None:
    """The operators of which not every case passes on NumPy, and why."""
    rows = table_of("onnx_operators", "| operator | numpy |")
    short_ones = []
    for name, cell, *_, why in rows:
        passed, every = map(int, cell.split("/"))
        if passed < every:
            short_ones.append((name, passed, every, why))
    short_ones.sort(key=lambda row: (row[2] - row[1], row[2]), reverse=True)
    reasons = {
        "a dtype": ("#e08a1e", "its dtype"), "not read": ("#d64550", "not read"),
        "dropout": ("#a05cc5", "random"), "": (GREY, "too old"),
    }  # fmt: skip
    with figure(path, size=(5.4, 4.4)) as axes:
        used = []
        for i, (_, passed, every, why) in enumerate(short_ones):
            reason = next(r for r in reasons if why.startswith(r))
            axes.barh(i, passed, color=LIGHT)
            axes.barh(i, every - passed, left=passed, color=reasons[reason][0])
            axes.text(every + 1.5, i, f"{passed} of {every}", va="center", fontsize=8, color="#4a4f58")
            used.append(reason)
        axes.barh(0, 0, color=LIGHT, label="cases that pass")
        for reason in dict.fromkeys(used):
            axes.barh(0, 0, color=reasons[reason][0], label=f"refused: {reasons[reason][1]}")
        axes.set(yticks=range(len(short_ones)), yticklabels=[row[0] for row in short_ones], xlabel="cases on NumPy")
        axes.set(ylim=(len(short_ones) - 0.4, -0.6), xlim=(0, 1.12 * max(row[2] for row in short_ones)))
        axes.tick_params(axis="y", length=0, labelsize=8)
        axes.set_title(f"{len(rows) - len(short_ones)} more operators: every case passes", fontsize=9, loc="left")
        axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1.02, 0.5))


def audit(path: Path, bound: Bound) -> None:
    """The dtypes of the guide's attention for NumPy at each expression, under the rules of four frameworks."""
    q = bound["q"]
    runs = ("torch", "numpy", "jax", "tensorflow")
    found = lw.audit(bound["attention"], q, q, q, rules=runs)
    cells = [[next((lw.Dtype(o.results[0]) if o.results else None for o in f.outcomes if o.run == run), None)
              for run in runs] for f in found.findings]  # fmt: skip
    words = [f"{f.place.line}: {shortened(f.place.expression)}" for f in found.findings]
    with figure(path, size=(5.4, 2.9)) as axes:
        grid(axes, words, [NAMES[run] for run in runs], cells, family="monospace", fontsize=8)
        for i, f in enumerate(found.findings):
            words_of = "follows" if f.follows else "parts ways"
            axes.text(len(runs) + 0.1, i + 0.5, words_of, va="center", color=GREY if f.follows else RED, fontsize=8)
        axes.text(-0.15, -0.15, "line: expression", ha="right", va="bottom", fontsize=8, color="#666c77")
        axes.set_xlim(-4.3, len(runs) + 1.1)
        kinds_below(axes, cells)


def shortened(expression: str) -> str:
    """Write an expression without the arguments of reductions, and its inner calls as three points."""
    text = re.sub(r", axis=-1, keepdims=True", "", expression)
    text = text.replace("np.exp(scores - np.max(scores))", "np.exp(…)")
    return text.replace("np.sum(weights)", "…") if text != "np.sum(weights)" else text


def authors(path: Path, bound: Bound) -> None:
    """The dtype of a product of two arrays: by each framework's own operator, and behind `lw.native`."""
    import jax

    pairs = [
        ("int32", "float32"), ("int64", "float16"), ("uint8", "float32"), ("uint16", "float32"), ("int8", "uint8"),
        ("float16", "bfloat16"), ("float32", "float64"), ("int64", "uint64"),
    ]  # fmt: skip

    @lw.native
    def product(x: Any, y: Any) -> Any:
        return x * y

    cells = []
    for pair in pairs:
        row, ours = [], set()
        for backend in NAMES:
            with jax.enable_x64(True), lw.using(backend=backend):
                x, y = (lw.ones(2, dtype=d).data for d in pair)
                row.append(result_of(operator.mul, x, y))
                ours.add(result_of(product, x, y))
        if len(ours) > 1:
            raise ValueError(f"{pair}: latticework gives {ours}")
        cells.append([*row, *ours])
    with figure(path, size=(5.4, 3.2)) as axes:
        grid(axes, [" * ".join(pair) for pair in pairs], [*NAMES.values(), "lw.native"], cells)
        axes.plot([5, 5], [0, len(pairs)], color=INK, linewidth=2, zorder=6)
        kinds_below(axes, cells)


def packages(path: Path, bound: Bound) -> None:
    """The share of each package's tests that pass on other backends, of those that pass with the framework itself."""
    found = json.loads((Path(__file__).parent / "packages.json").read_text(encoding="utf-8"))
    names = sorted(found, key=lambda name: (found[name]["framework"], name))
    seen: set[str] = set()
    with figure(path, size=(5.4, 5.4)) as axes:
        for i, name in enumerate(names):
            axes.axhspan(i - 0.5, i + 0.5, color="#f5f6f8" if i % 2 else "white", zorder=0)
            ran = {b: found[name][b] for b in MARKS if isinstance(found[name].get(b), dict)}
            for k, (backend, run) in enumerate(ran.items()):
                colour, mark = MARKS[backend]
                share = 100 * run["passed"] / run.get("tests", found[name]["itself"]["passed"])
                axes.plot(
                    share, i + 0.26 * (k - (len(ran) - 1) / 2), mark, color=colour, markersize=5.5,
                    markerfacecolor="white" if run.get("each") else colour, zorder=3,
                )  # fmt: skip
                seen.add(backend)
        for backend, (colour, mark) in MARKS.items():
            if backend in seen:
                axes.plot([], [], mark, color=colour, label=NAMES[backend])
        axes.plot([], [], "s", color=GREY, markerfacecolor="white", label="of some tests")
        labels = [f"{name} ({NAMES[found[name]['framework']]})" for name in names]
        axes.set(yticks=range(len(names)), yticklabels=labels, ylim=(len(names) - 0.5, -0.5), xlim=(50, 102))
        axes.set_xlabel("% of the tests that pass with the framework itself", loc="right")
        axes.tick_params(axis="y", length=0)
        axes.legend(frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1.0, 1.0), handletextpad=0.1)


def dialects(path: Path, bound: Bound) -> None:
    """The dtypes of three expressions in the words of four frameworks, on each backend."""
    import latticework.frontends.jax.numpy as jnp
    import latticework.frontends.numpy as np_
    import latticework.frontends.tensorflow as tf
    import latticework.frontends.torch as torch

    programs: dict[str, dict[str, Callable[[], Any]]] = {
        "int32 * float32": {
            "NumPy": lambda: np_.ones(2, dtype="int32") * np_.ones(2, dtype="float32"),
            "JAX": lambda: jnp.ones(2, dtype="int32") * jnp.ones(2, dtype="float32"),
            "PyTorch": lambda: torch.ones(2, dtype=torch.int32) * torch.ones(2, dtype=torch.float32),
            "TensorFlow": lambda: tf.ones(2, tf.int32) * tf.ones(2, tf.float32),
        },
        "int32 / int32": {
            "NumPy": lambda: np_.ones(2, dtype="int32") / np_.ones(2, dtype="int32"),
            "JAX": lambda: jnp.ones(2, dtype="int32") / jnp.ones(2, dtype="int32"),
            "PyTorch": lambda: torch.ones(2, dtype=torch.int32) / torch.ones(2, dtype=torch.int32),
            "TensorFlow": lambda: tf.ones(2, tf.int32) / tf.ones(2, tf.int32),
        },
        "sum of int8": {
            "NumPy": lambda: np_.sum(np_.ones(2, dtype="int8")),
            "JAX": lambda: jnp.sum(jnp.ones(2, dtype="int8")),
            "PyTorch": lambda: torch.sum(torch.ones(2, dtype=torch.int8)),
            "TensorFlow": lambda: tf.reduce_sum(tf.ones(2, tf.int8)),
        },
    }
    with figure(path, size=(5.4, 4.4)) as axes:
        every, at = [], 0.0
        for title, programs_of in programs.items():
            axes.text(0, at - 0.12, title, va="bottom", weight="bold", family="monospace")
            for i, (dialect, program) in enumerate(programs_of.items()):
                axes.text(-0.15, at + i + 0.5, dialect, ha="right", va="center")
                row = []
                for j, backend in enumerate(NAMES):
                    with lw.using(backend=backend):
                        row.append(result_of(program))
                    dtype = row[-1]
                    box(axes, j, at + i, short(dtype) if dtype else "×", facecolor=_face(dtype),
                        color=INK if dtype else "#a3222e")  # fmt: skip
                every.append(row)
            at += len(programs_of) + 0.9
        for j, name in enumerate(NAMES.values()):
            axes.text(j + 0.5, -1.25, f"on {name}", ha="center", va="bottom", fontsize=8)
        axes.text(-0.15, -1.25, "words of", ha="right", va="bottom", fontsize=8)
        axes.set(xlim=(-1.2, 5), ylim=(at - 0.8, -1.7))
        axes.axis("off")
        kinds_below(axes, every)


DRAWN: dict[str, Callable[[Path, Bound], None]] = {
    f.__name__: f
    for f in (
        dtypes, views, random, gradients, dask, scale, tracing, state, source, to_numpy, graphs, onnx, onnx_operators,
        audit, authors, packages, dialects
    )
}  # fmt: skip
#: The pictures of guides that other tools make.
ELSEWHERE = {"promotion": "rules/unified.png", "derivatives": "slopes.svg", "pytorch": "training.svg"}
