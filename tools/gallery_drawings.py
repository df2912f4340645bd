"""Draw the pictures of the gallery, from what the programs of examples/ return on NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import latticework as lw
from latticework.draw import STYLE

BLUE, RED, GREY, LIGHT = "#1f4e9c", "#d1603d", "#8a8f98", "#c9d4e8"
#: How large a picture may be, in bytes.
MOST = 60_000
Results = dict[str, np.ndarray]


@contextmanager
def figure(path: Path, columns: int = 1, size: tuple[float, float] = (6.4, 3.6), **kw: Any) -> Iterator[Any]:
    """Give axes to draw on, and write the picture."""
    with mpl.rc_context(STYLE | {"font.size": 9}):
        made = Figure(figsize=size)
        axes = made.subplots(1, columns, **kw)
        for one in np.atleast_1d(axes):
            for side in ("top", "right"):
                one.spines[side].set_visible(False)
        yield axes
        made.tight_layout()
        made.savefig(path, dpi=110, metadata={"Software": None})
    small(path)


def small(path: Path) -> None:
    """Write a picture anew in few colours.

    Raises
    ------
    ValueError: it is larger than a picture may be.
    """
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(96)
    few.save(path, optimize=True)
    if path.stat().st_size > MOST:
        raise ValueError(f"{path} has {path.stat().st_size} bytes, of at most {MOST}")


def attention(results: Results, path: Path, module: Any) -> None:
    """The weights of each head."""
    weights = results["weights"]
    with figure(path, len(weights), (8, 2.4)) as axes:
        for head, (one, matrix) in enumerate(zip(axes, weights, strict=True), 1):
            one.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
            one.set(title=f"head {head}", xticks=[], yticks=[])
        axes[0].set(xlabel="from position", ylabel="to position")


def author(results: Results, path: Path, module: Any) -> None:
    """The smoothed sine."""
    at = np.linspace(1, 5, 9)
    with figure(path) as axes:
        axes.plot(np.linspace(0, 6, 200), np.sin(np.linspace(0, 6, 200)), color=LIGHT, linewidth=4, label="sin x")
        axes.plot(at, results["mean"], "o-", color=BLUE, label="smoothed, by both forms")
        axes.legend(frameon=False)


def convolutional_network(results: Results, path: Path, module: Any) -> None:
    """The loss of each epoch, and the digits that are read wrongly."""
    from sklearn.datasets import load_digits

    data = load_digits()
    rows = [i for i in range(len(data.target)) if i % 4 == 3]
    read = results["scores"].argmax(axis=1)
    wrong = [(i, answer) for i, answer in zip(rows, read, strict=True) if data.target[i] != answer][:8]
    with figure(path, 9, (9, 2.2), width_ratios=[3, *[1] * 8]) as axes:
        axes[0].plot(range(1, len(results["losses"]) + 1), results["losses"], "o-", color=BLUE)
        axes[0].set(xlabel="epoch", ylabel="loss")
        for one in axes[1:]:
            one.axis("off")
        for one, (i, answer) in zip(axes[1:], wrong, strict=False):
            one.imshow(data.images[i], cmap="Greys")
            one.set_title(f"{data.target[i]}, read {answer}", fontsize=7)


def gaussian_process(results: Results, path: Path, module: Any) -> None:
    """The curve and its uncertainty."""
    x, fine = np.linspace(0, 8, 9), np.linspace(0, 8, 200)
    with figure(path) as axes:
        axes.plot(fine, np.sin(fine), color=LIGHT, linewidth=4, label="sin x")
        axes.errorbar(x, results["mean"], 2 * results["deviation"], fmt="o", color=BLUE, capsize=3, label="± 2 sd")
        axes.axvspan(7, 8, color="#f3f3f3")
        axes.text(7.5, -0.9, "no data", ha="center", color=GREY)
        axes.legend(frameon=False)


def gpt(results: Results, path: Path, module: Any) -> None:
    """The probabilities of each letter as the next one, at each position."""
    logits = results["logits"]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    letters, width = sorted(set(module.TEXT)), len(logits)
    with figure(path, size=(6.4, 3)) as axes:
        axes.imshow((shares / shares.sum(axis=1, keepdims=True)).T, cmap="Blues", aspect="auto")
        axes.set(yticks=range(len(letters)), yticklabels=[repr(c)[1:-1] or " " for c in letters])
        axes.set(xticks=range(width), xticklabels=list(module.TEXT[:width]), xlabel="after this letter", ylabel="next")


def kalman_filter(results: Results, path: Path, module: Any) -> None:
    """The path, the measurements and what the filter makes of them."""
    truth, measured = (lw.to_numpy(x) for x in module.simulate(lw.random.key(1), len(results["means"])))
    with figure(path, size=(6.4, 3.2)) as axes:
        axes.plot(*measured.T, ".", color=GREY, markersize=3, label="measured")
        axes.plot(*truth.T, color=LIGHT, linewidth=4, label="true")
        axes.plot(*results["means"][:, :2].T, color=BLUE, linewidth=1.2, label="filtered")
        axes.legend(frameon=False)


def kmeans(results: Results, path: Path, module: Any) -> None:
    """The clusters, and the inertia of each iteration."""
    data, _ = lw.random.split(lw.random.key(3))
    points = lw.to_numpy(module.blobs(data, len(results["labels"]), len(results["centres"])))
    with figure(path, 2, (7.6, 3.4), width_ratios=[3, 2]) as (left, right):
        left.scatter(*points.T, c=results["labels"], s=4, cmap="tab10")
        left.plot(*results["centres"].T, "k+", markersize=12, markeredgewidth=2)
        left.set_aspect("equal")
        right.plot(results["inertia"], "o-", color=BLUE)
        right.set(xlabel="iteration", ylabel="inertia")


def mcmc(results: Results, path: Path, module: Any) -> None:
    """The posterior's means and deviations beside the truth."""
    names, truth = ("intercept", "slope", "log noise"), (1.0, 2.0, -0.7)
    with figure(path, size=(6.4, 2.4)) as axes:
        axes.errorbar(results["mean"], range(3), xerr=2 * results["deviation"], fmt="o", color=BLUE, capsize=3)
        axes.plot(truth, range(3), "x", color=RED, markersize=8, label="true")
        axes.set(yticks=range(3), yticklabels=names, ylim=(2.5, -0.5), xlabel="mean ± 2 deviations")
        axes.legend(frameon=False)


def mel_spectrogram(results: Results, path: Path, module: Any) -> None:
    """The spectrogram."""
    with figure(path) as axes:
        image = axes.imshow(results["spectrogram"].T, origin="lower", aspect="auto", cmap="magma")
        axes.plot(results["loudest"], color="white", linewidth=1)
        axes.set(xlabel="frame", ylabel="band")
        axes.figure.colorbar(image, label="decibels")


def n_body(results: Results, path: Path, module: Any) -> None:
    """Where the bodies end, and the energy at each step."""
    with figure(path, 2, (7.6, 3.4)) as (left, right):
        left.quiver(*results["x"][:, :2].T, *results["v"][:, :2].T, color=BLUE, width=0.004)
        left.plot(*results["x"][:, :2].T, "o", color=RED, markersize=3)
        left.set_aspect("equal", adjustable="datalim")
        left.set_title("places and speeds at the end")
        right.plot(results["energies"] / results["energies"][0] - 1, color=BLUE)
        right.set(xlabel="step", ylabel="relative change of the energy")


def poisson(results: Results, path: Path, module: Any) -> None:
    """The solution, and its error by the size of the grid."""
    with figure(path, 2, (7.6, 3.2)) as (left, right):
        left.imshow(results["u"].T, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r")
        left.set_title("u = exp(sin x) cos 2y")
        right.loglog([16, 32, 64], results["errors"][:, 0], "o-", color=BLUE, label="by Fourier")
        right.loglog([16, 32, 64], results["errors"][:, 1], "s-", color=GREY, label="residual by differences")
        right.set(xlabel="size of the grid", ylabel="largest error")
        right.legend(frameon=False)


def diffusion(results: Results, path: Path, module: Any) -> None:
    """From noise to points, in six pictures."""
    steps = results["path"]
    with figure(path, 6, (9, 1.9)) as axes:
        for one, i in zip(axes, np.linspace(0, len(steps) - 1, 6).astype(int), strict=True):
            cloud(one, steps[i], BLUE, f"step {i}")


def cloud(axes: Any, points: np.ndarray, colour: str, title: str) -> None:
    """Draw points of the plane."""
    axes.plot(*points.T, ".", color=colour, markersize=1.6, alpha=0.7)
    axes.set(xlim=(-3, 3), ylim=(-3, 3), xticks=[], yticks=[], title=title, aspect="equal")


def diffusion_noise(path: Path, module: Any) -> None:
    """Points of the moons, and what is left of them after some steps of noise."""
    import latticework.frontends.numpy as np_

    rng = np_.random.default_rng(0)
    points = np.asarray(module.moons(rng, 600))
    noise, left = np.asarray(rng.standard_normal((600, 2))), np.asarray(module.schedule(40))
    with figure(path, 6, (9, 1.9)) as axes:
        for one, i in zip(axes, (0, 8, 16, 24, 32, 39), strict=True):
            noised = left[i] ** 0.5 * points + (1 - left[i]) ** 0.5 * noise
            cloud(one, noised, GREY, f"step {i + 1}: {left[i]:.0%} left")


def diffusion_compared(results: dict[str, Results], path: Path) -> None:
    """The losses and the new points of two backends."""
    first, second = results["numpy"], results["jax"]
    with figure(path, 3, (9, 2.8), width_ratios=[2, 1.4, 1.4]) as (losses, left, right):
        for found, colour, width, name in ((first, "#f0a58c", 4, "NumPy"), (second, BLUE, 1, "JAX")):
            smooth = np.convolve(found["losses"], np.ones(25) / 25, mode="valid")
            losses.plot(smooth, color=colour, linewidth=width, label=name)
        losses.set(xlabel="step", ylabel="loss, mean of 25 steps", ylim=(0.35, 0.7))
        losses.legend(frameon=False)
        cloud(left, first["path"][-1], RED, "new points, NumPy")
        cloud(right, second["path"][-1], BLUE, "new points, JAX")


DRAWN: dict[str, Callable[[Results, Path, Any], None]] = {
    f.__name__: f
    for f in (
        attention, author, convolutional_network, diffusion, gaussian_process, gpt, kalman_filter, kmeans, mcmc,
        mel_spectrogram, n_body, poisson,
    )
}  # fmt: skip


def draw(name: str, results: dict[str, Results], module: Any, folder: Path) -> None:
    """Draw the picture of a program, and those of its story."""
    DRAWN[name](results["numpy"], folder / f"{name}.png", module)
    if name == "diffusion":
        diffusion_noise(folder / "diffusion-noise.png", module)
        if "jax" in results:
            diffusion_compared(results, folder / "diffusion-compared.png")
