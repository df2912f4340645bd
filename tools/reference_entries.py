"""List what is public, by the chapters of the reference."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from port_names import FRAMEWORKS, names_of

import latticework as lw
from latticework.contents import CHAPTERS, NAMESPACES, SUBMODULES
from latticework.core.registry import OPS, load
from latticework.words import WORDS, is_line

SOURCE = Path(lw.__file__).parents[1]
#: The title of each chapter of the flat namespace, what it is about, and the modules that it has.
FLAT = (
    ("Arrays and dtypes", "The classes of arrays, dtypes and devices.", ""),
    ("Creation", "Functions that make arrays.", "api.creation api.building"),
    ("Conversion", "Arrays of lists, of other libraries' arrays and of other dtypes.", "api.conversion api.bits"),
    ("Elementwise", "Functions of each element.", "api.elementwise api.elementwise_extended api.special_names"),
    ("Statistics", "Reductions and statistics.",
     "api.statistical api.utility api.averages api.order_statistics api.nan_functions api.histograms"),
    ("Running and numerical", "Sums along an axis, differences, integrals.", "api.running api.numerical"),
    ("Linear algebra", "Products of arrays; decompositions are in ``lw.linalg``.", "api.linear_algebra api.einsum"),
    ("Shapes", "Functions that rearrange elements.", "api.manipulation api.rearranging"),
    ("Indexing", "Functions that pick elements and write them.", "api.indexing api.picking api.scattering"),
    ("Searching, sorting and sets", "Positions, orders and distinct elements.",
     "api.searching api.sorting api.sets api.distinct"),
    ("Polynomials", "Polynomials by their coefficients.", "api.polynomials"),
    ("NumPy's names", "Functions under NumPy's names and with its arguments.", "api.numpy_names"),
    ("Derivatives and loops", "Derivatives, functions mapped over an axis, and control flow that traces.",
     "api.transformations api.control_flow api.python_functions"),
    ("Neural networks, flat", "Functions of ``lw.nn`` that are in the flat namespace too.",
     "api.nn.activations api.nn.categories"),
    ("Dtypes", "What a dtype is, and what dtypes promote to.", "api.data_types policy"),
    ("Rule sets", "Promotion rules: asked, explained, compared.", "api.rules promotion"),
    ("Settings", "Rules, backend, device and default dtypes.", "settings api.info"),
    ("Plans, inference and tracing", "What a call will do; programs as graphs.",
     "api.plans api.inference api.tracing"),
    ("Audit and dialects", "Where programs depend on rules; programs written for another framework.",
     "auditing.report auditing.run auditing.widening.report frontends.imports frontends.transpiling"),
    ("Native arrays", "For libraries that take and return a framework's own arrays.", "api.namespaces api.native"),
    ("Casts", "Casts that were made for a function that does not take a dtype.", "engine.plans.casting"),
    ("Support", "Which dtypes and devices functions take on each backend.", "support.query support.decorators"),
)  # fmt: skip

#: Words that lead to a function of ours which the code of a dialect does not show, or which have another meaning there.
LOOKED_FOR = {
    "Array": "torch.Tensor tf.Tensor jax.Array np.ndarray jnp.ndarray da.Array ndarray tensor",
    "logsumexp": "tf.math.reduce_logsumexp tf.reduce_logsumexp reduce_logsumexp",
    "nn.conv": "jax.lax.conv_general_dilated jax.lax.conv conv_general_dilated",
    "nn.interpolate": "tf.image.resize jax.image.resize",
    "tree.map": "jax.tree_util.tree_map jax.tree_map tree_map tf.nest.map_structure",
    "tree.flatten": "jax.tree_util.tree_flatten tree_flatten pytree",
    "tree.leaves": "jax.tree_util.tree_leaves tree_leaves",
    "take": "tf.gather gather torch.take",
    "take_along_axis": "tf.gather_nd",
    "permute_dims": "tf.transpose permute",
    "random.key": "jax.random.PRNGKey PRNGKey np.random.seed tf.random.set_seed",
    "random.default_rng": "torch.Generator RandomState",
    "index_add": "torch.index_add torch.scatter_add scatter_add tf.tensor_scatter_nd_add np.add.at",
    "segment_sum": "tf.math.segment_sum tf.segment_sum unsorted_segment_sum",
    "stop_gradient": "detach torch.no_grad no_grad",
    "split": "torch.chunk tf.split chunk",
    "to_numpy": "torch.Tensor.numpy tf.Tensor.numpy np.asarray",
    "compile": "torch.compile tf.function",
    "jit": "jax.jit",
    "cond": "tf.cond torch.cond",
    "nn.scaled_dot_product_attention": "attention flash_attention",
    "value_and_grad": "backward torch.autograd.grad tf.GradientTape GradientTape",
    "asarray": "from_dlpack torch.as_tensor",
    "nn.cross_entropy": "CrossEntropyLoss sparse_categorical_crossentropy",
    "vmap": "np.vectorize torch.vmap tf.vectorized_map",
}

CLASSES = ("Array", "Dtype", "Device", "FInfo", "IInfo")


class Entry(NamedTuple):
    """A public name.

    Attributes
    ----------
    name: as it stands after ``lw.``: "add", "linalg.inv".
    value: what it is.
    page: the name of its page, "" for a value, which has a line on the page of its chapter.
    measured: the name under which its function is declared, "" where it is none.
    """

    name: str
    value: Any
    page: str
    measured: str

    @property
    def short(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition(".")[2]

    @property
    def doc(self) -> str:
        """The docstring."""
        return inspect.getdoc(self.value) or ""

    @property
    def alias_of(self) -> str:
        """The public name that it is another name of, "" if it is none."""
        return self.measured if self.measured != self.name and self.measured in dtype_names() else ""

    @property
    def defined_in(self) -> str:
        """Where its `def` or `class` is, as path and line in the repository; "" if it has none."""
        value = inspect.unwrap(self.value)
        try:
            path, line = Path(inspect.getfile(value)), inspect.getsourcelines(value)[1]
        except (OSError, TypeError):  # a class made by another module's __getattr__, a value
            return ""
        return f"src/{path.relative_to(SOURCE)}:{line}" if path.is_relative_to(SOURCE) else ""

    @property
    def keywords(self) -> list[str]:
        """What other libraries call it."""
        return other_words().get(self.name, [])


class Chapter(NamedTuple):
    """A chapter of the reference: its title, what it is about, the name of its page, and what it has."""

    title: str
    about: str
    page: str
    entries: list[Entry]


@cache
def other_words() -> dict[str, list[str]]:
    """Return what other libraries call each function of ours: as ``unsqueeze``, and as ``torch.cat``."""
    found: dict[str, list[str]] = {}
    for word, candidates in WORDS.items():
        for candidate in candidates:
            if not is_line(candidate):
                found.setdefault(candidate, []).append(word)
        if ours := _of_a_line(candidates):
            found.setdefault(ours, []).append(word)
    for framework in FRAMEWORKS:
        for name in names_of(framework):
            ours = name.ours or _of_a_line(WORDS.get(name.shown.rpartition(".")[2], ()))
            if ours:
                found.setdefault(ours, []).extend((name.shown, *name.also))
    for ours, words in LOOKED_FOR.items():
        found.setdefault(ours, []).extend(words.split())
    return found


def _of_a_line(candidates: tuple[str, ...]) -> str:
    """Return the function of ours that a line to write instead calls first: of ``lw.expand_dims(x, axis)``; or "".

    A method counts where there is a function of its name: ``x.reshape(shape)``.
    """
    line = next((c for c in candidates[:1] if is_line(c)), "")
    called = re.match(r"(?:lw|x)\.([\w.]+)\(", line)
    return called[1] if called and (line.startswith("lw.") or hasattr(lw, called[1])) else ""


def dtype_names() -> frozenset[str]:
    """Return the names under which functions are public: "add", "linalg.inv"."""
    return frozenset({*lw.__all__, *(f"{space}.{name}" for space in NAMESPACES for name in getattr(lw, space).__all__)})


def summary(doc: str) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return " ".join(doc.partition("\n\n")[0].split())


def entry(name: str, value: Any, declared: dict[int, str]) -> Entry:
    """Make the entry of a public name."""
    if inspect.isclass(value):
        page = f"lw.{name}-class"  # a file system may not tell Spec from spec
    elif callable(value) and not isinstance(value, lw.Dtype):
        page = f"lw.{name}"
    else:
        page = ""
    return Entry(name, value, page, declared.get(id(getattr(value, "__wrapped__", value)), ""))


def chapters() -> list[Chapter]:
    """List the chapters with all public names."""
    load()
    declared = {id(o.function): name for name, o in OPS.items() if not name.startswith("_")}

    def listed(names: list[str]) -> list[Entry]:
        return [entry(name, getattr(lw, name), declared) for name in names]

    found, left = [], {*CHAPTERS} - {"api.constants"}
    for title, about, modules in FLAT:
        names = [name for module in modules.split() for name in CHAPTERS[module].split()] or [*CLASSES]
        left -= {*modules.split()}
        found.append(_chapter(title, about, listed(names)))
    found += [_chapter(_title(module), "", listed(CHAPTERS[module].split())) for module in sorted(left)]
    for space in (*NAMESPACES, "errors", "frontends"):
        module = getattr(lw, space)
        values = [entry(f"{space}.{name}", getattr(module, name), declared) for name in module.__all__]
        found.append(_chapter(f"lw.{space}", summary(module.__doc__ or ""), values))
    has_page = {e.name for chapter in found for e in chapter.entries}
    values = listed([n for n in lw.__all__ if n not in has_page and n not in SUBMODULES])
    with_page = [e for e in values if e.page]
    found[0].entries.extend(with_page)
    found.append(_chapter("Constants", "Numbers, dtypes, and tuples of dtypes.", [e for e in values if not e.page]))
    return found


def _title(module: str) -> str:
    """Return the title of a module that no chapter above has."""
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def _chapter(title: str, about: str, entries: list[Entry]) -> Chapter:
    page = title.lower().replace(",", "").replace("'", "").replace(" ", "-").removeprefix("lw.")
    return Chapter(title, about, page if "." not in page else page.replace(".", "-"), [*entries])
