"""Train nanoGPT by PyTorch and by latticework's dialect on JAX, and draw the losses: docs/training.svg.

    git clone https://github.com/karpathy/nanoGPT
    python tools/training_curves.py nanoGPT               compare the losses of 200 steps, and draw them
    python tools/training_curves.py nanoGPT --steps 50 --backend numpy --no-drawing

The two runs are those of nanoGPT's `train.py` as it is published, on the characters of latticework's guides. PyTorch
draws other random numbers than latticework, so that PyTorch's run gets latticework's: those of the first weights, and
those that choose the batches. All else is PyTorch.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "docs" / "training.svg"
DATA = "latticework_guides"
#: What `train.py` is told: a small model, on the CPU.
OPTIONS = f"""
    --device=cpu --dtype=float32 --dataset={DATA} --eval_interval=1000 --eval_iters=2 --log_interval=1
    --gradient_accumulation_steps=1 --block_size=32 --batch_size=8 --n_layer=2 --n_head=2 --n_embd=32 --dropout=0.0
    --learning_rate=4e-3 --min_lr=4e-4 --warmup_iters=20 --beta2=0.99 --out_dir=out-latticework
""".split()


def prepare(nanogpt: Path) -> None:
    """Write the guides as a data set, by nanoGPT's own program."""
    folder = nanogpt / "data" / DATA
    folder.mkdir(exist_ok=True)
    text = "".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs" / "guides").glob("*.md")))
    (folder / "input.txt").write_text(text, encoding="utf-8")
    shutil.copy(nanogpt / "data" / "shakespeare_char" / "prepare.py", folder)
    subprocess.run([sys.executable, folder / "prepare.py"], check=True, stdout=subprocess.DEVNULL)


def with_our_numbers(script: str, arguments: list[str]) -> None:
    """Run a script by PyTorch, whose functions that draw give latticework's numbers."""
    import torch

    import latticework.frontends.torch as ours

    def seed(n: int) -> Any:
        ours.manual_seed(n)
        return real_seed(n)

    def integers(*args: Any, **kw: Any) -> Any:
        return torch.from_numpy(ours.randint(*args, **kw).numpy())

    def filled(name: str) -> Any:
        draw = getattr(ours.nn.init, name)

        def fill(tensor: Any, *args: Any, **kw: Any) -> Any:
            kw.pop("generator", None)
            drawn = draw(ours.empty(*tensor.shape), *args, **kw)
            with torch.no_grad():
                return tensor.copy_(torch.from_numpy(drawn.numpy()))

        return fill

    real_seed = torch.manual_seed
    torch.manual_seed, torch.randint = seed, integers
    for name in ("normal_", "uniform_", "kaiming_uniform_"):
        setattr(torch.nn.init, name, filled(name))
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


def losses(nanogpt: Path, command: list[str], options: list[str]) -> list[float]:
    """Run `train.py`, and read the loss of each step."""
    ran = subprocess.run(
        [sys.executable, *command, "train.py", *options], cwd=nanogpt, stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(nanogpt)])},
    )  # fmt: skip
    return [float(x) for x in re.findall(r"^iter \d+: loss ([\d.]+)", ran.stdout, re.MULTILINE)]


def draw(native: list[float], found: list[float], name: str) -> None:
    """Draw both lists over each other, and their differences below."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from latticework.draw import STYLE

    with mpl.rc_context(STYLE):
        made = Figure(figsize=(7.2, 4.0))
        above, below = made.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        above.plot(native, color="#f0a58c", linewidth=5, label="train.py by PyTorch", solid_capstyle="round")
        above.plot(found, color="#1f4e9c", linewidth=1.2, label=f"train.py by latticework on {name}")
        above.set_ylabel("loss")
        above.legend(frameon=False)
        below.plot([a - b for a, b in zip(found, native, strict=True)], color="#1f4e9c", linewidth=1)
        below.set_ylabel("difference")
        below.set_xlabel("step")
        for axes in (above, below):
            axes.grid(color="#e6e8ec")
            axes.set_axisbelow(True)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        made.tight_layout()
        made.savefig(DRAWING, metadata={"Date": None})


def main() -> None:
    """Do what the text above says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("nanogpt", type=Path, help="a clone of nanoGPT")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--backend", default="jax")
    parser.add_argument("--no-drawing", action="store_true")
    given = parser.parse_args()
    prepare(given.nanogpt)
    options = [*OPTIONS, f"--max_iters={given.steps - 1}", f"--lr_decay_iters={given.steps}"]
    native = losses(given.nanogpt, [__file__, "--by-pytorch"], [*options, "--compile=False"])
    found = losses(given.nanogpt, ["-m", "latticework", "run", "--as", "torch", "--backend", given.backend], options)
    farthest = max(abs(a - b) for a, b in zip(native, found, strict=True))
    print(f"{len(found)} steps: from {native[0]:.4f} to {native[-1]:.4f}; the losses differ by {farthest:.4f} at most")
    if not given.no_drawing:
        draw(native, found, {"jax": "JAX", "numpy": "NumPy", "tensorflow": "TensorFlow"}.get(given.backend, "PyTorch"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--by-pytorch"]:
        with_our_numbers(sys.argv[2], sys.argv[3:])
    else:
        main()
