"""Write the pages of docs/gallery: each program of examples/ with its picture, what it prints and its times.

    python tools/gallery_page.py            write them
    python tools/gallery_page.py --check    write nothing; fail if one is out of date

What the programs print and their times are in docs/gallery/runs.json, which `tools/gallery.py` writes with the
pictures. The index, and the page of the diffusion model, are written by hand; the generated parts there are filled, and
so is the table of the times of the guides, which are in docs/guides/times.json, from `tools/guides.py`.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import guides
import pages

FOLDER = pages.DOCS / "gallery"
EXAMPLES = pages.DOCS.parent / "examples"
NAMES = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow", "dask": "Dask"}
#: The functions of the diffusion model that its page shows.
SHOWN = ("moons", "schedule", "network", "loss", "train_step", "sample")


def first_paragraph(name: str) -> str:
    """Return what a program is about, in one line."""
    doc = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return " ".join(doc.partition("\n\n")[0].split())


def title(name: str) -> str:
    """Return the heading of a program: what its first paragraph says before the colon."""
    return linked(name).partition("](")[0].removeprefix("[").replace("`", "")


def linked(name: str) -> str:
    """Return what a program is about, with a link to its page at the beginning."""
    about = first_paragraph(name)
    head = about.partition(":")[0].partition(",")[0].rstrip(".")
    return f"[{head}]({name}.md){about.removeprefix(head)}"


def times(run: dict[str, Any]) -> str:
    """Return the times of a program as a table: of the first run, and of the second in the same process."""
    found = run["seconds"]
    backends = [b for b in NAMES if b in found]
    rows = ["", *(NAMES[b] for b in backends)], ["---", *("--:" for _ in backends)]
    shown = [
        [words, *(f"{found[b][i]:.2f} s" for b in backends)]
        for i, words in enumerate(("first run, with compilation", "the same again"))
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (*rows, *shown))


def code(name: str, function: str) -> str:
    """Return the text of a function of a program, as a block."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    found = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == function)
    first = min([found.lineno, *(d.lineno for d in found.decorator_list)])
    return "```python\n" + "\n".join(text.splitlines()[first - 1 : found.end_lineno]) + "\n```"


def page(name: str, run: dict[str, Any]) -> str:
    """Return the page of a program."""
    return f"""# {title(name)}

{first_paragraph(name)}

![{title(name)}]({name}.png)

The program is [examples/{name}.py](../../examples/{name}.py). On NumPy it prints:

```text
{run["printed"].rstrip()}
```

Processor time, without imports:

{times(run)}

```console
$ python examples/{name}.py --backend jax  # or numpy, torch, tensorflow, dask
$ python tools/gallery.py {name}  # the times and the picture
```
"""


def cards(runs: dict[str, Any]) -> str:
    """Return the table of all programs: picture, name and what each is about."""
    rows = [f"| [![{title(name)}]({name}.png)]({name}.md) | {linked(name)} |" for name in runs]
    return "\n".join(["| | |", "|---|---|", *rows])


def times_of_guides() -> str:
    """Return the table of the times of the guides."""
    titles = guides.titles()
    measured = json.loads(guides.TIMES.read_text(encoding="utf-8"))
    rows = [["", *NAMES.values()], ["---", *["--:"] * len(NAMES)]]
    for link in (link for link in titles if link in measured):
        seconds = [measured[link].get(b) for b in NAMES]
        rows.append([f"[{titles[link]}]({link}.md)", *["–" if x is None else f"{x:.2f}" for x in seconds]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def dialects() -> str:
    """Return the table of the programs in frameworks' own words."""
    rows = [
        f"| [{path.stem}](../../examples/dialects/{path.name}) | {first_paragraph(f'dialects/{path.stem}')} |"
        for path in sorted((EXAMPLES / "dialects").glob("*.py"))
    ]
    return "\n".join(["| program | |", "|---|---|", *rows])


def made() -> dict[Path, str]:
    """The pages as they should be."""
    runs = json.loads((FOLDER / "runs.json").read_text(encoding="utf-8"))
    found = {FOLDER / f"{name}.md": page(name, run) for name, run in runs.items() if name != "diffusion"}
    index, story = FOLDER / "index.md", FOLDER / "diffusion.md"
    parts = {"programs": cards(runs), "dialects": dialects()}
    found[index] = pages.filled(index.read_text(encoding="utf-8"), parts)
    parts = {function: code("diffusion", function) for function in SHOWN}
    parts |= {"printed": f"```text\n{runs['diffusion']['printed'].rstrip()}\n```", "times": times(runs["diffusion"])}
    found[story] = pages.filled(story.read_text(encoding="utf-8"), parts)
    found[guides.INDEX] = pages.filled(guides.INDEX.read_text(encoding="utf-8"), {"": times_of_guides()})
    return found


def main() -> int:
    """Write the pages, or only compare; 1 where one is out of date."""
    options = pages.options(__doc__)
    return pages.write(made(), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
