"""Turn docstrings into reStructuredText for the reference.

Ours have numpydoc's sections, with a parameter and its description in one line, ``name: text``. They become what
numpydoc reads, with the types of the signature, and numpydoc renders them. A public name in backticks becomes a link.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, NamedTuple, Never, NoReturn

from numpydoc.docscrape_sphinx import SphinxDocString
from reference_entries import Entry, summary

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w, .*|]*): +(.*)$")
_CODE = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
_NAME = re.compile(r"(?:lw\.)?([A-Za-z_][\w.]*)(?:\(\))?")
#: The sections whose entries are parameters, errors or attributes.
_LISTS = ("Parameters", "Raises", "Attributes")

#: The annotations of parameters that stand for any other name, which an error explains.
_REFUSED = (Never, NoReturn, "Never", "NoReturn")
#: Words that mean Python's own types in signatures and docstrings.
_BUILTINS = ("bool", "e")


def heading(text: str, line: str) -> str:
    """Return a heading with the line under it."""
    return f"{text}\n{line * len(text)}\n"


class Scope(NamedTuple):
    """Where a docstring stands: its namespace ("linalg" or ""), and the names that are its own, which are no links."""

    namespace: str
    own: Container[str]


class Reader:
    """Reads docstrings and signatures.

    Attributes
    ----------
    names: the public names that have a place in the reference.
    """

    def __init__(self, names: Mapping[str, Entry]) -> None:
        self.names = names

    # --- text -------------------------------------------------------------------------------------------------------

    def text(self, text: str, scope: Scope) -> str:
        """Return paragraphs as reStructuredText; examples stay as they are."""
        blocks = re.split(r"(\n(?:[ \t]*\n)+)", text)
        return "".join(b if b.lstrip().startswith(">>>") else self.inline(b, scope) for b in blocks)

    def inline(self, text: str, scope: Scope) -> str:
        """Return a paragraph as reStructuredText: code as code, public names as links, and all else as it is read."""
        parts, end = [], 0
        for found in _CODE.finditer(text):
            parts.append(_escaped(text[end : found.start()], first=not end))
            before = "\\ " if parts[-1][-1:].isalnum() else ""
            end = found.end()
            after = "\\ " if text[end : end + 1].isalnum() else ""
            parts.append(before + self._code(found, scope) + after)
        return "".join([*parts, _escaped(text[end:], first=not end)])

    def _code(self, found: re.Match[str], scope: Scope) -> str:
        shown = " ".join((found[1] or found[2]).split())
        target = "" if found[1] else self._target(shown, scope)
        return f":py:obj:`{shown} <lw.{target}>`" if target else f"``{shown}``"

    def _target(self, shown: str, scope: Scope) -> str:
        """Find the public name that a word in backticks means, "" where it means none."""
        named = _NAME.fullmatch(shown)
        if named is None or shown in scope.own or shown in _BUILTINS:
            return ""
        spaced = f"{scope.namespace}.{named[1]}"
        return next((name for name in (spaced, named[1]) if name in self.names), "")

    def line(self, entry: Entry) -> str:
        """Return what a name does, in one line."""
        return self.inline(summary(entry.doc), Scope(_namespace(entry.name), ()))

    # --- docstrings -------------------------------------------------------------------------------------------------

    def value(self, entry: Entry) -> str:
        """Return what a value is, in a line."""
        value = entry.value
        return f"``{value!r}``" if len(repr(value)) < 100 else f"{len(value)} dtypes"

    def docstring(self, doc: str, scope: Scope, types: Mapping[str, str]) -> str:
        """Return a docstring as numpydoc renders it.

        Parameters
        ----------
        doc: the docstring.
        scope: where it stands.
        types: the types of the parameters, and that of the result as "return".
        """
        head, *sections = _SECTION.split(doc)
        parts = [self.text(head.rstrip(), scope)]
        for title, text in zip(sections[::2], sections[1::2], strict=True):
            text = text.rstrip()
            if title in _LISTS:
                text = "\n".join(self._entries(text, scope, types))
            elif title in ("Returns", "Yields"):
                text = f"{_plain(types.get('return', '')) or 'result'}\n{_indented(self.text(_fields(text), scope))}"
            else:
                text = self.text(text, scope)
            parts.append(f"{title}\n{'-' * len(title)}\n{text}")
        rendered: str = str(SphinxDocString("\n\n".join(parts), config={"use_plots": False}))
        return rendered

    def _entries(self, text: str, scope: Scope, types: Mapping[str, str]) -> Iterator[str]:
        for line in text.splitlines():
            found = _ENTRY.match(line)
            if found is None:
                yield self.inline(line, scope) if line[:1].isspace() or not line else f"    {self.inline(line, scope)}"
                continue
            first = found[1].partition(",")[0].strip("* ")
            type_ = types.get(first, "")
            yield f"{found[1]} : {_plain(type_)}" if type_ else found[1]
            yield f"    {self.inline(found[2], scope)}"

    # --- functions and classes --------------------------------------------------------------------------------------

    def described(self, entry: Entry) -> str:
        """Return the directive that describes a function or class, with its methods."""
        kind = "class" if inspect.isclass(entry.value) else "function"
        own = "\n".join(self._directive(kind, f"lw.{entry.name}", entry.value, _namespace(entry.name)))
        if kind == "function":
            return own
        members = "\n".join(line for name, member in _members(entry.value) for line in self._member(name, member))
        return f"{own}\n{_indented(members)}\n" if members else own

    def _member(self, name: str, member: Any) -> Iterator[str]:
        if callable(member):
            yield from self._directive("method", name, member, "")
            return
        yield from (f".. py:property:: {name}", "   :no-index-entry:", "")
        yield _indented(self.text(inspect.getdoc(member) or "", Scope("", ())).partition("\nExamples\n")[0])
        yield ""

    def _directive(self, kind: str, name: str, value: Any, namespace: str) -> Iterator[str]:
        types = annotations(value)
        yield f".. py:{kind}:: {name}{signature(value, method=kind == 'method')}"
        yield "   :no-index-entry:"
        if kind == "method":
            yield "   :single-line-parameter-list:"
        yield ""
        yield _indented(self.docstring(inspect.getdoc(value) or "", Scope(namespace, types), types))
        yield ""


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """List the methods and properties of a class that are its own, with a docstring."""
    inherited = {*dir(tuple), *dir(Exception), *dir(str)}
    for name in sorted(n for n in dir(cls) if not n.startswith("_") and n not in inherited):
        try:
            member = getattr(cls, name)
        except AttributeError:  # names that an error explains
            continue
        fields = getattr(cls, "_fields", ())
        if name not in fields and inspect.getdoc(member) and (callable(member) or isinstance(member, property)):
            yield name, member


def _namespace(name: str) -> str:
    return name.rpartition(".")[0]


def _found(value: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def annotations(value: Callable[..., Any]) -> dict[str, str]:
    """Return the types of a function's parameters as they are read, and that of the result as "return"."""
    found = _found(value)
    if found is None:
        return {}
    types = {name: type_text(p.annotation) for name, p in found.parameters.items()}
    if not inspect.isclass(value):
        types["return"] = type_text(found.return_annotation)
    return types


#: Names of types that are private or long, and how they are shown.
_SHOWN = {
    "_Function": "Callable", "_Argnums": "int | Sequence[int]", "_Leaf": "Callable | None", "_Switch": "bool | None",
    "FunctionOrName": "Callable | str", "Ints": "int | tuple[int, ...]", "Axes": "int | tuple[int, ...] | None",
    "DtypeLike": "Dtype | str | type", "AnyDtype": "Dtype | str | type", "DtypeKind": "Dtype | str",
    "Operand": "Array | complex",
}  # fmt: skip


def type_text(annotation: Any) -> str:
    """Return an annotation as it is shown: with the names of private types replaced."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"ForwardRef\('([^']*)'[^)]*\)", r"\1", text)
    text = text.replace("Unpack[Changes]", "Any")
    text = re.sub(r"\b(?:typing|latticework(?:\.\w+)*|collections\.abc)\.", "", text)
    return re.sub(r"\b_?[A-Z]\w*", lambda found: _SHOWN.get(found[0], found[0].lstrip("_")), text)


def signature(value: Callable[..., Any], *, method: bool = False) -> str:
    """Return a signature as the directives of Sphinx take it."""
    found = _found(value)
    if found is None:
        return "()"
    parameters = [p for p in found.parameters.values() if p.annotation not in _REFUSED]
    if method and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    shown: list[str] = []
    before: Any = None
    for p in parameters:
        if before is p.POSITIONAL_ONLY and p.kind is not p.POSITIONAL_ONLY:
            shown.append("/")
        if p.kind is p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            shown.append("*")
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        annotation = type_text(p.annotation)
        text = f"{stars}{p.name}" + (f": {annotation}" if annotation else "")
        if p.default is not p.empty:
            text += f" = {_default(p.default)}" if annotation else f"={_default(p.default)}"
        shown.append(text)
        before = p.kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        shown.append("/")
    result = "" if inspect.isclass(value) else type_text(found.return_annotation)
    return f"({', '.join(shown)})" + (f" -> {result}" if result else "")


def _default(value: Any) -> str:
    text = value.__name__ if callable(value) and hasattr(value, "__name__") else repr(value)
    return "..." if text.startswith("<") else text.replace("\\", "\\\\")


def _escaped(text: str, *, first: bool) -> str:
    """Return text in which no character means anything to reStructuredText.

    Bullets at the start of lines stay, of the first line where the text is the first of its paragraph.
    """
    start = "^" if first else "(?<=\n)"
    text = re.sub(r"[\\*|`]|_(?=\W|$)", r"\\\g<0>", text)
    return re.sub(start + r"(\s*)\\\* ", r"\1* ", text, flags=re.MULTILINE if first else 0)


def _fields(text: str) -> str:
    """Return what is said of a result with each of its fields, ``name: text``, as an item of a list."""
    blocks = text.split("\n\n")
    for i, block in enumerate(blocks):
        first = [line for line in block.splitlines() if not line[:1].isspace()]
        if len(first) > 1 and all(re.match(r"\w+: ", line) for line in first):
            block = re.sub(r"^ +", "  ", block, flags=re.MULTILINE)
            blocks[i] = re.sub(r"^(\w+): ", r"* ``\1``: ", block, flags=re.MULTILINE)
    return "\n\n".join(blocks)


def _plain(type_: str) -> str:
    return re.sub(r"[\\*|`]|_(?=\W|$)", r"\\\g<0>", type_)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line.strip() else "" for line in text.splitlines())
