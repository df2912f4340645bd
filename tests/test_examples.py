"""The programs in examples/: short, the same numbers on every backend, and right: each is held to what it must give."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import latticework as lw

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "examples").glob("*.py"))

#: Sizes for which a program takes no time.
SMALL: dict[str, dict[str, Any]] = {
    "attention": {"n": 6, "width": 16, "heads": 2},
    "author": {"n": 40},
    "convolutional_network": {"epochs": 2, "count": 256},
    "diffusion": {"train_steps": 3, "batch": 16, "steps": 4, "width": 8, "n": 12},
    "gaussian_process": {"n": 20},
    "gpt": {"context": 12, "width": 16, "heads": 2, "layers": 1, "count": 4},
    "kalman_filter": {"n": 12},
    "kmeans": {"n": 120, "k": 3, "iterations": 3},
    "mcmc": {"n": 20, "chains": 4, "steps": 8},
    "mel_spectrogram": {"seconds": 0.25},
    "n_body": {"n": 8, "steps": 8},
    "poisson": {"sizes": (32,)},
}

#: How far from NumPy's numbers those of other backends may be, relative to the largest of their array: the rounding of
#: the dtype, and more where steps carry it along, or a logarithm of what nearly vanishes magnifies it.
TOLERANCE = {"float32": 1e-5, "float64": 1e-12}
FARTHER = {"mel_spectrogram": 1e-4}

#: What the programs return beside results: differences that are themselves rounding.
ROUNDING = {"difference", "drift", "errors"}


@cache
def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"examples_{name}", ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(name: str, backend: str) -> dict[str, np.ndarray]:
    with lw.using(backend=backend):
        returned = program(name).main(**SMALL[name])
    assert {x.backend for x in returned.values()} == {backend}
    return {key: np.asarray(x) for key, x in returned.items()}


@cache
def reference(name: str) -> dict[str, np.ndarray]:
    """What NumPy gives."""
    return results(name, "numpy")


@pytest.mark.parametrize("name", SMALL)
def test_an_example_gives_the_same_numbers_on_every_backend(
    backend: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    got = results(name, backend)
    printed = capsys.readouterr().out
    assert f"on {backend}" in printed
    assert "nan" not in printed
    check(name, got)
    for key, want in reference(name).items():
        assert got[key].dtype == want.dtype, key
        if want.dtype.kind in "iu":
            np.testing.assert_array_equal(got[key], want, err_msg=key)
        elif key not in ROUNDING:
            near = FARTHER.get(name, TOLERANCE[str(want.dtype)]) * np.abs(want).max()
            np.testing.assert_allclose(got[key], want, rtol=0, atol=near, err_msg=key)


def check(name: str, got: dict[str, np.ndarray]) -> None:
    """Hold the results to what is known of them, whatever the backend."""
    truth = TRUTHS[name]
    truth(**{key: got[key] for key in inspect.signature(truth).parameters})


def attends(weights: np.ndarray, difference: np.ndarray) -> None:
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-6)
    assert not np.triu(weights, k=1).any()
    assert difference < 1e-5


def learns(losses: np.ndarray) -> None:
    assert losses[-1] < 0.98 * losses[0] < np.log(10) * 1.2


def denoises(losses: np.ndarray, path: np.ndarray, truth: np.ndarray) -> None:
    assert (losses < 5).all()
    assert path.shape == (5, 12, 2) and np.isfinite(path).all()
    assert np.abs(truth).max() < 3


def fits(mean: np.ndarray, deviation: np.ndarray) -> None:
    truth = np.sin(np.linspace(0, 8, 9))
    assert (np.abs(mean - truth) < 4 * deviation).all()
    assert deviation[-1] > deviation[3]  # beyond the data


def speaks(loss: np.ndarray, logits: np.ndarray, written: np.ndarray) -> None:
    letters = logits.shape[1]
    assert abs(loss - np.log(letters)) < 0.3
    assert written.shape == (4,)
    assert 0 <= written.min() <= written.max() < letters


def follows(raw: np.ndarray, filtered: np.ndarray) -> None:
    assert filtered < raw


def clusters(centres: np.ndarray, inertia: np.ndarray) -> None:
    assert (np.diff(inertia) <= 0).all()
    assert np.isfinite(centres).all()


def mixes(accepted: np.ndarray, deviation: np.ndarray) -> None:
    assert 0.1 < accepted < 0.9
    assert (deviation > 0).all()


def rises(spectrogram: np.ndarray, loudest: np.ndarray) -> None:
    assert spectrogram.max() == 0
    assert spectrogram.min() >= -60
    assert (np.diff(loudest) >= 0).all()
    assert loudest[-1] > loudest[0] + 3


def conserves(energies: np.ndarray, v: np.ndarray) -> None:
    assert np.ptp(energies) < 1e-3 * np.abs(energies).min()
    np.testing.assert_allclose(v.mean(axis=0), 0, atol=1e-14)


def solves(errors: np.ndarray) -> None:
    assert errors[0, 0] < 1e-13


def gives_back(scaled: np.ndarray, mean: np.ndarray, roots: np.ndarray, difference: np.ndarray) -> None:
    np.testing.assert_allclose(np.median(np.abs(scaled), axis=0), 1, rtol=1e-6)
    assert np.abs(mean - np.sin(np.linspace(1, 5, 9))).max() < 0.3
    np.testing.assert_allclose(roots, 2**0.5, rtol=1e-6)
    assert difference < 1e-6


TRUTHS: dict[str, Callable[..., None]] = {
    "attention": attends,
    "author": gives_back,
    "convolutional_network": learns,
    "diffusion": denoises,
    "gaussian_process": fits,
    "gpt": speaks,
    "kalman_filter": follows,
    "kmeans": clusters,
    "mcmc": mixes,
    "mel_spectrogram": rises,
    "n_body": conserves,
    "poisson": solves,
}


def test_there_are_twelve_short_programs_each_with_a_line_on_how_to_run_it() -> None:
    assert [file.stem for file in FILES] == sorted(SMALL) == sorted(TRUTHS)
    assert len(FILES) == 12
    for file in FILES:
        text = file.read_text()
        assert text.count("\n") < 120, file.name
        assert f"python examples/{file.name} --backend " in (ast.get_docstring(ast.parse(text)) or ""), file.name


def test_each_has_a_page_of_the_gallery_that_is_as_it_should_be_with_a_small_picture() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import gallery_page
    import pages

    made = gallery_page.made()
    assert {file.stem for file in FILES} | {"index"} == {page.stem for page in made}
    assert not pages.out_of_date(made), "run tools/gallery_page.py"
    sizes = {file.stem: file.stat().st_size for file in gallery_page.FOLDER.glob("*.png")}
    assert {file.stem for file in FILES} <= {*sizes}
    assert max(sizes.values()) <= 60_000


def pictures(guide: Path) -> dict[Path, str]:
    """The pictures of a page that are not the site's own sign, with their alternative texts."""
    found = re.findall(r"^!\[([^]]*)\]\(([^)\s]+)\)$", guide.read_text(encoding="utf-8"), re.MULTILINE)
    return {(guide.parent / link).resolve(): words for words, link in found}


def test_each_guide_has_a_small_picture_with_words_and_each_drawing_is_of_a_guide() -> None:
    pytest.importorskip("matplotlib", reason="the pictures are drawn by matplotlib")
    sys.path.insert(0, str(ROOT / "tools"))
    import guide_drawings
    import guides
    from gallery_drawings import MOST

    names = {Path(link).name: guides.path_of(link) for link in guides.titles()}
    assert names.keys() == guide_drawings.DRAWN.keys() | guide_drawings.ELSEWHERE.keys()
    assert not guide_drawings.DRAWN.keys() & guide_drawings.ELSEWHERE.keys()
    for name, guide in names.items():
        found = pictures(guide)
        elsewhere = guide_drawings.ELSEWHERE.get(name, f"guides/{name}.png")
        assert found.get(ROOT / "docs" / elsewhere, "").count(" ") >= 6, f"{name}: a picture with a sentence"
        assert all(picture.stat().st_size <= MOST for picture in found), name
    drawn = {file.stem for file in guides.INDEX.parent.glob("*.png")}
    assert drawn == guide_drawings.DRAWN.keys()
    assert all(function.__doc__ for function in guide_drawings.DRAWN.values())


@pytest.mark.parametrize("name", ["graphs", "packages", "onnx_operators"])
def test_a_picture_of_a_guide_is_drawn_anew_as_it_is(name: str, tmp_path: Path) -> None:
    draw_anew(name, tmp_path)


@pytest.mark.sweep
def test_every_picture_of_the_guides_is_drawn_anew(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import guide_drawings

    for name in guide_drawings.DRAWN:
        draw_anew(name, tmp_path)


def draw_anew(name: str, folder: Path) -> None:
    """Draw the picture of a guide in a process of its own, and compare its size with that of the one that is kept."""
    image = pytest.importorskip("PIL.Image")
    for module in ("matplotlib", "networkx", "onnx"):
        pytest.importorskip(module)
    sys.path.insert(0, str(ROOT / "tools"))
    import guides

    link = next(link for link in guides.titles() if Path(link).name == name)
    guides.draw(link, folder)
    with image.open(folder / f"{name}.png") as made, image.open(guides.INDEX.parent / f"{name}.png") as kept:
        assert made.size == kept.size
        assert len(made.getcolors(256)) > 4


def test_an_example_runs_from_the_command_line() -> None:
    command = [sys.executable, ROOT / "examples" / "poisson.py", "--backend", "numpy"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("u = exp(sin x) cos 2y, on numpy\n")
