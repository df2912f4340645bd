"""What the text of an error about dtypes means, which rule decided, and the cast that settles it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

import latticework as lw

from .error_forms import FORMS, Form

__all__ = ["Answer", "read"]

_NAMES = {"unified": "latticework", "numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}

#: The cast of an array ``x`` to a dtype, in each framework's words.
_CASTS = {
    "unified": "lw.astype({x}, lw.{d})", "numpy": "{x}.astype(np.{d})", "torch": "{x}.to(torch.{d})",
    "jax": "{x}.astype(jnp.{d})", "tensorflow": "tf.cast({x}, tf.{d})",
}  # fmt: skip

#: The frameworks' words for dtypes, in small letters.
_WORDS = {
    "float": "float32", "double": "float64", "half": "float16", "long": "int64", "long int": "int64", "int": "int32",
    "short": "int16", "short int": "int16", "char": "int8", "signed char": "int8", "byte": "uint8",
    "unsigned char": "uint8", "complexfloat": "complex64", "complexdouble": "complex128",
}  # fmt: skip

_PAGES = {
    "mixed": "docs/dtypes.md, What comes out", "into": "docs/dtypes.md, What goes into an array",
    "kernel": "docs/dtypes.md, Where a dtype is not taken", "wanted": "docs/dtypes.md, Casts",
    "range": "docs/dtypes.md, Python scalars are weak", "fraction": "docs/dtypes.md, Python scalars are weak",
    "shapes": "docs/sharp_bits.md, Shapes do not match", "traced": "docs/sharp_bits.md, An if is refused",
    "devices": "docs/sharp_bits.md, Arrays of two backends meet", "gradients": "docs/guides/gradients.md",
}  # fmt: skip

_SCALARS = {"int": 0, "float": 0.0, "complex": 0j}

#: What is said of a text of no known form.
UNKNOWN = (
    "This text is of no form that is known here. docs/faq.md answers what is asked most; docs/dtypes.md has the rules"
)


@dataclass(frozen=True)
class Answer:
    """What an error means.

    Attributes
    ----------
    framework: whose error it is.
    means: what went wrong.
    rule: what decided it.
    cast: what to write; empty where no cast settles it.
    page: where it is explained.
    """

    framework: str
    means: str
    rule: str
    cast: str
    page: str

    def as_dict(self) -> dict[str, str]:
        """Return the answer as plain data, for JSON."""
        return asdict(self)


def read(text: str) -> Answer | None:
    """Return what an error means; None for a text of no known form."""
    for form in FORMS:
        found = form.pattern.search(text)
        if found:
            return _answered(form, found.groupdict())
    return None


def _dtype(word: str | None) -> lw.Dtype | None:
    """Return the dtype that a framework's word stands for."""
    name = (word or "").lower().removesuffix("dtype")
    name = _WORDS.get(name, "bool" if name in ("bool", "boolean") else name)
    return lw.Dtype(name) if name in lw.Dtype._all else None


def _answered(form: Form, groups: dict[str, str | None]) -> Answer:
    a, b = _dtype(groups.get("a")), _dtype(groups.get("b"))
    if form.framework in ("unified", "jax"):  # a Python type keeps its name there
        if groups.get("a") in _SCALARS:
            groups, a, b = groups | {"a": groups["b"], "b": groups["a"]}, b, a
        b = None if groups.get("b") in _SCALARS else b
    means, rule, cast = _SAID[form.kind](form, groups, a, b)
    return Answer(_NAMES[form.framework], means, rule, cast, _PAGES[form.kind])


def _cast(form: Form, x: str, dtype: object) -> str:
    name = str(dtype)
    if name == "bool" and form.framework in ("numpy", "jax"):
        name = "bool_"
    return _CASTS[form.framework].format(x=x, d=name)


_Said = tuple[str, str, str]
_Groups = dict[str, str | None]


def _mixed(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    name = _NAMES[form.framework]
    rules = "jax-strict" if groups.get("mode") else groups.get("rules") or form.framework
    op = f"{groups['op']} of " if groups.get("op") else ""
    if a is None or b is None:
        scalar = groups.get("b") or ""
        if a is not None and scalar in _SCALARS:
            wide = lw.explain(a, _SCALARS[scalar]).dtype or a
            means = f"{a} and a Python {scalar}: these rules give no common dtype."
            rule = str(lw.explain(a, _SCALARS[scalar], rules=rules)).splitlines()[0]
            rule = rule.replace(f"Python {scalar} {_SCALARS[scalar]}", f"Python {scalar}")
            return means, rule, _cast(form, "x", wide)
        means = f"{name} takes operands of one dtype here, and got two."
        return means, "No rule: the function does not promote", _cast(form, "y", a or "float32")
    means = f"{op}{a} and {b}: {name} takes operands of one dtype here, and does not promote them."
    theirs, ours = lw.explain(a, b, rules=rules), lw.explain(a, b)
    said = str(theirs).splitlines()[0]
    if theirs.dtype is not None and form.framework != "unified":
        said += ". That is for + and its kin: this function stands outside of these rules"
    if form.framework != "unified":
        said += f"; {str(ours).splitlines()[0]}"
    target = ours.dtype if ours.dtype is not None else b
    which = [(x, d) for x, d in (("x", a), ("y", b)) if d is not target]
    cast = " and ".join(_cast(form, x, target) for x, _ in which)
    back = next((d for _, d in which), None)
    if len(which) == 1 and back is not None and back.kind == target.kind:
        cast += f"; or {_cast(form, 'y' if which[0][0] == 'x' else 'x', back)}, which may round or overflow"
    return means, said, cast


def _into(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    array, value = a or groups.get("a"), b or groups.get("b")
    if form.framework == "tensorflow":
        means = f"A tensor of {value} is not made one of {array} by itself."
        return means, "TensorFlow converts no tensor without a cast", _cast(form, "x", array)
    means = f"The result is {value}, and does not go into an array of {array}: its dtype never changes."
    rule = f"In place, an array keeps its dtype under {form.framework}, as under all rules"
    return means, rule, f"x = x + y instead of x += y, or {_cast(form, 'y', array)}, which may lose digits"


def _kernel(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    op = groups.get("op") or "the function"
    which = f" for {a}" if a is not None else " for these dtypes"
    means = f"{_NAMES[form.framework]} has no routine of {op}{which}."
    cast = "" if a is not None and a.kind == "complex" else _cast(form, "x", _wider(op, a))
    return means, "No rule of promotion: the routine is missing", cast


def _wider(op: str, a: lw.Dtype | None) -> str:
    """Return a dtype that functions take more often: a float for whole numbers, ints for the bits of a float."""
    if re.search(r"bitwise|shift|invert|gcd|lcm|_and|_or", op) or op in ("and", "or", "xor", "not"):
        return "int64"
    if a is None:
        return "float64"
    if a.name.startswith("uint"):
        return {"uint16": "int32", "uint32": "int64", "uint64": "float64"}.get(a.name, "float32")
    return "float64" if a.name in ("int64", "float32", "float64") else "float32"


def _wanted(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    wants = _dtype(groups.get("wants")) or form.wants or "float32"
    got = f", and got {a}" if a is not None else ""
    is_near = a is not None and a.name.strip("u0123456789") == str(wants).strip("u0123456789")
    kind = str(wants) if is_near else _KINDS.get(str(wants), str(wants))
    means = f"The argument has to be {kind}{got}."
    return means, "No promotion: an argument of this kind is taken as it is", _cast(form, "x", wants)


_KINDS = {
    "int8": "of numbers, and not of bools",
    "int64": "of integers",
    "int32": "of integers",
    "bool": "of bools",
    "float32": "of floats",
}


def _range(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    n = groups["n"]
    means = f"The Python int {n} does not fit {a}."
    rule = f"A Python int is weak: it takes the array's dtype, {a}, and has to fit"
    if form.framework == "numpy":
        rule += " (NEP 50, since NumPy 2)"
    fits = [d for d in lw.all_int_dtypes if lw.iinfo(d).min <= int(n or 0) <= lw.iinfo(d).max]
    holds = [
        d for d in fits if a is None or (lw.iinfo(d).min <= lw.iinfo(a).min and lw.iinfo(d).max >= lw.iinfo(a).max)
    ]
    return means, rule, _cast(form, "x", min(holds, key=lambda d: lw.iinfo(d).bits)) if holds else ""


def _fraction(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    means = f"The Python number {groups['n']} becomes the tensor's dtype, {a}, which does not hold it."
    return means, f"A Python number takes the dtype of the tensor under {form.framework}", _cast(form, "x", "float32")


def _shapes(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    return (
        "The shapes do not fit together. Dtypes have no part in it.",
        "Extents are equal or 1 along each axis; a product sums over equal ones",
        "",
    )


def _devices(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    return (
        "The arrays are on two devices. Dtypes have no part in it.",
        "Nothing moves by itself: write x.to(y.device), or in latticework x.to_device(y.device)",
        "",
    )


def _traced(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    means = "Python asked for the value of an array while the function was traced, as by `if x > 0`."
    return (
        means,
        "No rule of promotion: a traced array has no value. Write lw.where or lw.cond (jnp.where, lax.cond)",
        "",
    )


def _gradients(form: Form, groups: _Groups, a: lw.Dtype | None, b: lw.Dtype | None) -> _Said:
    got = f", and got {a}" if a is not None else ""
    means = f"Derivatives are of floats{got}."
    return means, "No promotion: what is differentiated keeps its dtype", _cast(form, "x", "float32")


_SAID = {
    "mixed": _mixed, "into": _into, "kernel": _kernel, "wanted": _wanted, "range": _range, "fraction": _fraction,
    "shapes": _shapes, "devices": _devices, "traced": _traced, "gradients": _gradients,
}  # fmt: skip
