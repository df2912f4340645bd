"""A rule set is a diagram, and its joins are computed, never listed.

A diagram is a partial order, given by its covering edges: ``int8 -> int16 float16`` says that int8 promotes
to each of the two, and so to whatever they promote to. Two dtypes promote to their join, the least node above
both. Nodes whose name ends in a star are no dtypes: ``int*``, ``float*`` and ``complex*`` are the weak dtypes
of Python scalars, and become the default dtype of their kind where a join ends on them.

The rest of a framework's rules (tiers, weak flags, values that are looked at) is a subclass in that framework's
module, of some twenty lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from sys import intern
from typing import Any, ClassVar, NamedTuple, SupportsIndex

from ..core.dtypes import KIND_ORDER, SCALAR_KINDS, Dtype, all_dtypes, bool_, complex_of, int_limits
from ..core.showing import shown
from ..errors import PromotionError, nearest

__all__ = ["Operand", "Result", "Rules"]

Default = Callable[[str], Dtype]
Node = Dtype | str  # a name that is a `str` has a star, and is no dtype


def canonical(name: Node) -> Node:
    """Return the object that stands for a node everywhere: the dtype of that name, or another node's interned name.

    Nodes can then be compared by identity. ``==`` of a `Dtype` is Python code, and would dominate promotion's time.
    """
    if type(name) is Dtype:
        return name
    return Dtype._all.get(name) or intern(str(name))


#: The weak node of each kind of Python scalar, and back.
WEAK = {kind: intern(node) for kind, node in (("b", "bool*"), ("i", "int*"), ("f", "float*"), ("c", "complex*"))}
KIND_OF = {node: kind for kind, node in WEAK.items()}
NODES = {*WEAK.values()}
_USUAL = frozenset(all_dtypes)

_STANDARD_DEFAULTS = {"b": "bool", "i": "int32", "u": "uint32", "f": "float32", "c": "complex64"}


def _standard_default(kind: str) -> Dtype:
    return Dtype(_STANDARD_DEFAULTS[kind])


_defaults_in_force: Default = _standard_default


def register_defaults(default: Default) -> None:
    """Set the function that gives the default dtypes in force, for callers that pass none. `policy` calls this."""
    global _defaults_in_force
    _defaults_in_force = default


_CHOICES = {"weak": ("lattice", "kind"), "fold": ("join", "left", "kind"), "writes": ("kind", "promote", "same")}


class Operand(NamedTuple):
    """An array, as far as rules look at it. A `Dtype` alone stands for an array of at least one dimension.

    Attributes
    ----------
    dtype: its dtype.
    zero_dim: whether it has no dimensions, which PyTorch, Paddle and NumPy 1 look at.
    weak: whether its dtype is weak, as JAX and TensorFlow have it.
    value: its value, or a sequence of its values, where it is known and the rules look at it.
    """

    dtype: Dtype
    zero_dim: bool = False
    weak: bool = False
    value: Any = None


class Result(NamedTuple):
    """The result of promotion.

    Attributes
    ----------
    dtype: the common dtype.
    weak: whether the result is weak, where the rules have weak arrays.
    rule: what decided: ``"same"`` (all of one dtype), ``"lattice"`` (the join in the diagram), ``"exception"``
        (a pair that the diagram does not give), ``"table"``, ``"weak"`` (a weak operand gave way), ``"default"``
        (nothing but weak operands, or one of a higher kind), ``"zero-dim"`` (0-d arrays and scalars gave way),
        ``"category"`` (a higher category decided), ``"value"`` (a value was looked at).
    node: the result's node in the diagram, where that is not the dtype: ``float*``.
    """

    dtype: Dtype
    weak: bool = False
    rule: str = "lattice"
    node: str = ""


class Rules:
    """A rule set, which gives the common dtype of operands.

    Parameters
    ----------
    name: its name in errors.
    diagram: covering edges, a line each: ``bool -> int*``. The nodes are dtypes, weak dtypes (``int*``)
        and, for a join that is no dtype itself, any other starred name with an entry in `becomes`.
    exceptions: pairs that do not follow the diagram, a line each: ``int8 uint8 -> int16``, in both orders, or
        ``int8 uint8 => int16`` in this one alone. Several dtypes may be listed with commas, and ``refused`` is
        a result too: ``uint16,uint32 complex64,complex128 -> refused``.
    becomes: the dtype of a starred node where a join ends on it, e.g. ``{"wide*": "float64"}``.
    defaults: the default dtypes of kinds, where the rules have their own: ``{"i": "int64"}``. The others are
        those of the active policy.
    weak: how a Python scalar takes part. ``"lattice"``: its node is in the diagram. ``"kind"``: it does not
        count where an array has its kind or a higher one; else it is an array of its kind's default dtype.
    fold: how more than two operands are joined. ``"join"``: all nodes at once. ``"left"``: two by two, in order.
        ``"kind"``: where the highest kind is inexact, each other operand meets that kind first.
    upwards: whether two dtypes have a common dtype only where it is one of the two.
    writes: the dtypes that go into an array of another dtype, in an assignment and in place. ``"promote"``: dtypes
        that promote to the array's. ``"kind"``: also any float into floats, complex numbers into complex ones, and
        integers into integers where their values fit. ``"same"``: none.
        By default ``"kind"``, but ``"promote"`` for rules with a `version`, which are a framework's.
    takes_scalars: whether functions take a Python scalar alone, ``sqrt(2.0)``, as a 0-d array.
    reason: why a pair may have no join, for the error's message.
    source: where the rules are written down.
    version: the framework and its version, where the rules are a framework's.
    dtypes: further dtypes that the rules know, and that promote to themselves alone.

    Raises
    ------
    ValueError: for a diagram with a cycle, an unknown name, or a line that cannot be read.

    Examples
    --------
    >>> import latticework as lw
    >>> mine = lw.Rules("mine", '''
    ...     int32 -> float32
    ...     float32 -> float64
    ... ''')
    >>> mine.promote([lw.int32, lw.float64])
    lw.float64
    >>> with lw.using(rules=mine):
    ...     lw.promote_types(lw.int32, lw.float32)
    lw.float32
    """

    #: The facts of an operand that the rules look at besides its dtype: some of "zero_dim", "weak" and "value".
    needs: ClassVar[frozenset[str]] = frozenset()
    #: The new arrays that are weak, where no dtype is given: those of a Python ``"scalar"``, also those of a
    #: ``"sequence"`` of scalars, or none.
    weak_arrays: ClassVar[str] = ""
    #: The role of NumPy's operands beside an array: ``"numbers"`` where its scalars count as Python numbers, ``"weak"``
    #: where its arrays give way as well; else they are arrays like any other.
    numpy_operands: ClassVar[str] = ""
    #: The module of `promotion.families` with the families of operations.
    families: ClassVar[str] = "unified"
    #: The function and the argument that find named rules again. Kernels are kept by identity: a pickle and a copy are
    #: the same object.
    found_by: tuple[Callable[[str], Rules], tuple[str]] | None = None

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return self.found_by or super().__reduce_ex__(protocol)

    def __init__(
        self,
        name: str,
        diagram: str,
        *,
        exceptions: str = "",
        becomes: Mapping[str, Node] | None = None,
        defaults: Mapping[str, Node] | None = None,
        weak: str = "lattice",
        fold: str = "join",
        upwards: bool = False,
        writes: str = "",
        takes_scalars: bool = True,
        reason: str = "",
        source: str = "",
        version: str = "",
        dtypes: str = "",
    ) -> None:
        writes = writes or ("promote" if version else "kind")
        for option, chosen in (("weak", weak), ("fold", fold), ("writes", writes)):
            if chosen not in _CHOICES[option]:
                choices = ", ".join(map(repr, _CHOICES[option]))
                raise ValueError(f"rules {name!r}: {option} is one of {choices}; got {chosen!r}")
        self.name, self.weak, self.fold, self.upwards, self.writes = name, weak, fold, upwards, writes
        self.takes_scalars = takes_scalars
        self.reason, self.source, self.version = reason, source, version
        self.becomes = {canonical(node): self._dtype(dtype) for node, dtype in (becomes or {}).items()}
        self.defaults = {kind: self._dtype(dtype) for kind, dtype in (defaults or {}).items()}
        self.edges = tuple(self._read(diagram))
        self.above = self._close()
        for extra in dtypes.split():
            self.above.setdefault(self._dtype(extra), frozenset({self._dtype(extra)}))
        #: (a, b) -> the result, or None where it is refused
        self.exceptions = dict(self._read_exceptions(exceptions))
        self._table: dict[tuple[Node, Node], Dtype] | None = None
        self._joins: dict[tuple[Node, Node], tuple[Node, str] | None] = {}

    @classmethod
    def from_table(cls, name: str, table: Mapping[tuple[Any, Any], Node], *, source: str = "") -> Rules:
        """Make a rule set from a table of pairs. A pair is looked up as given, then the other way round.

        Python scalars follow their kind (see `weak` above), more than two operands are folded from the left.

        Examples
        --------
        >>> import latticework as lw
        >>> mine = lw.Rules.from_table("mine", {("int8", "float16"): "float32"})
        >>> mine.promote([lw.float16, lw.int8])
        lw.float32
        """
        self = cls(name, "", weak="kind", fold="left", source=source)
        cells: dict[tuple[Node, Node], Dtype] = {}
        for (a, b), c in table.items():
            cells[self._dtype(a), self._dtype(b)] = self._dtype(c)
        for a, b in [*cells]:
            cells.setdefault((b, a), cells[a, b])
        self._table = cells
        self.above = {d: frozenset({d}) for pair in (*cells, cells.values()) for d in pair}
        return self

    def __repr__(self) -> str:
        return f"<Rules {self.name!r}>"

    def _repr_svg_(self) -> str | None:
        """Return the diagram for notebooks; None where it cannot be drawn."""
        svg: str | None = shown("rules_svg", self)
        return svg

    @property
    def dtypes(self) -> tuple[Dtype, ...]:
        """The dtypes that these rules know, in the usual order."""
        return tuple(d for d in Dtype._all.values() if d in self.above)

    # --- what it answers -----------------------------------------------------------------------------------------

    @cached_property
    def keeps_dtypes(self) -> bool:
        """True if a single operand of any dtype keeps that dtype.

        False for rules that narrow dtypes, as JAX's without 64 bits, and for rules that do not know every dtype."""
        return all(dtype in self.above and self.promote((dtype,)) is dtype for dtype in all_dtypes)

    def promote(self, operands: Iterable[Any], default: Default | None = None) -> Dtype:
        """Return the common dtype of operands, in the order in which they are folded.

        Parameters
        ----------
        operands: dtypes for arrays, `Operand` for arrays with more known facts, Python scalars or their types.
        default: gives the default dtype of a kind; the active policy's where it is left out.

        Raises
        ------
        PromotionError: where the rules have no answer.
        """
        return self.result(operands, default).dtype

    def result(self, operands: Iterable[Any], default: Default | None = None) -> Result:
        """Return the common dtype, whether it is weak, and the rule that decided. See `promote`."""
        operands = tuple(operands)
        if not operands:
            raise ValueError(f"rules {self.name!r}: at least one operand is needed")
        for x in operands:
            dtype = x if type(x) is Dtype else x.dtype if isinstance(x, Operand) else None
            if dtype is not None and dtype not in self.above:
                if dtype.storage and all(gives_way(other, dtype) for other in operands):
                    return Result(dtype, False, "same")
                raise self.refused(operands, f"{dtype} is not among their dtypes")
        if default is None:
            default = _defaults_in_force
        if self.defaults:
            fallback, own = default, self.defaults
            return self._resolve(operands, lambda kind: own.get(kind) or fallback(kind))
        return self._resolve(operands, default)

    def promote_types(self, a: Dtype | type, b: Dtype | type, default: Default | None = None) -> Dtype:
        """Return the common dtype of two dtypes as such, as the framework's `promote_types` does."""
        return self.promote((a, b), default)

    def goes_into(self, value: Dtype, target: Dtype, default: Default | None = None) -> bool:
        """Return whether, by `writes`, a value of one dtype is cast when it is written into an array of another.

        Integers might wrap around, and a cast to another kind loses more than digits: neither is done in silence.
        Storage dtypes are cast by `astype` alone. See `families.goes_into`, which asks a framework's families too.
        """
        if value is target or self.writes == "same":
            return value is target
        rounds = value.kind == target.kind and value.kind in "fc" and not (value.storage or target.storage)
        if rounds and self.writes == "kind":
            return True
        try:
            return self.promote_types(target, value, default) is target
        except PromotionError:
            return False

    def fits_into(self, value: Dtype, target: Dtype) -> bool:
        """Return whether, by `writes`, integers are written into an array of other integers where their values fit.

        A Python int does the same. The caller looks at the values, and refuses those that do not fit.
        """
        known = value in self.above and target in self.above
        return known and self.writes == "kind" and value.kind in "iu" and target.kind in "iu"

    def result_type(self, operands: Iterable[Any], default: Default | None = None) -> Dtype:
        """Return the answer of the framework's `result_type`, where that is not the dtype of an operation."""
        return self.promote(operands, default)

    def scalar_type(self, scalar: type, default: Default) -> Dtype | type:
        """Return the dtype that a Python type stands for as a ``dtype=``: here the default dtype of its kind."""
        kind = SCALAR_KINDS[scalar]
        return self.defaults.get(kind) or default(kind)

    def number(self, scalar: Any) -> Any:
        """Return the Python number that a NumPy scalar counts as, given its `item`, where `numpy_operands` says so."""
        return scalar

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether operations take this Python int beside an array of that dtype. Promotion itself takes any int.

        Here the int has to fit the common dtype, or a Python float where that dtype is floating. Rules that take two
        ints take all ints between them.
        """
        common = self.promote((array_dtype, int))
        return fits(value, common) if common.kind in "iu" else abs(value) < 2**1024

    def node(self, operand: Any) -> Node:
        """Return the node of the diagram that an operand counts as."""
        return node_of(operand)

    def table(
        self, operands: Sequence[Any] | None = None, default: Default | None = None
    ) -> dict[tuple[Any, Any], Dtype | None]:
        """Return the common dtype of every ordered pair of operands, all dtypes by default: None where refused."""
        chosen = self.dtypes if operands is None else tuple(operands)
        cells: dict[tuple[Any, Any], Dtype | None] = {}
        for a in chosen:
            for b in chosen:
                try:
                    cells[a, b] = self.promote((a, b), default)
                except PromotionError:
                    cells[a, b] = None
        return cells

    # --- how it is found; subclasses replace `_resolve` ------------------------------------------------------------

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        if self.weak == "kind":
            return self._by_kind(operands, default)
        # A weak bool needs no node of its own where bool is below everything anyway.
        nodes: list[Node]
        nodes = [bool_ if n is WEAK["b"] and n not in self.above else n for n in map(node_of, operands)]
        if self.fold == "left":
            node, rule = self._fold(nodes, operands)
        else:
            node, rule = self._join_all(nodes, operands)
        if type(node) is not Dtype:
            return Result(self._settle(node, default), False, "default" if node in NODES else rule, str(node))
        strong = [n for n in nodes if type(n) is Dtype]
        if len(strong) < len(nodes) and node is self._join_all(strong or nodes, operands)[0]:
            rule = "weak"
        return Result(node, False, rule)

    def _by_kind(self, operands: tuple[Any, ...], default: Default) -> Result:
        strong = [x if type(x) is Dtype else x.dtype for x in operands if is_strong(x)]
        scalar = max((kind_of(x) for x in operands if not is_strong(x)), key=KIND_ORDER.__getitem__, default="")
        top = max((KIND_ORDER[d.kind] for d in strong), default=-1)
        kept = "weak" if scalar else ""
        if scalar == "c" and top == KIND_ORDER["f"]:
            # A Python complex takes its precision from the float arrays, not from the default.
            strong += [complex_of(d) for d in strong if d.kind == "f"]
            kept = "default"
        elif scalar and KIND_ORDER[scalar] > top:
            strong.append(default(scalar))
            kept = "default"
        if self.fold == "join":
            node, rule = self._join_all([*strong], operands)
            return Result(dtype_of(node), False, kept or rule)
        if self.fold == "kind":
            # NumPy does this with more than two: int8, uint16 and float32 are float32 whatever their order.
            peak = max(strong, key=lambda d: KIND_ORDER[d.kind])
            if KIND_ORDER[peak.kind] >= KIND_ORDER["f"] and any(d.kind != peak.kind for d in strong):
                strong = [d if d.kind == peak.kind else dtype_of(self._join(d, peak, operands)[0]) for d in strong]
                kept = kept or "lattice"
        node, _ = self._join_all(strong[:1], operands)
        node, rule = self._fold([node, *strong[1:]], operands)
        return Result(dtype_of(node), False, kept or rule)

    def _fold(self, nodes: Sequence[Node], operands: tuple[Any, ...]) -> tuple[Node, str]:
        """Join nodes two by two, in order; return the join and the last rule that changed anything."""
        node, rule = nodes[0], "same"
        for other in nodes[1:]:
            node, found = self._join(node, other, operands)
            rule = rule if found == "same" else found
        return node, rule

    def _join(self, a: Node, b: Node, operands: tuple[Any, ...]) -> tuple[Node, str]:
        """Return the join of two nodes and the rule that gave it."""
        found = self._found(a, b)
        if found is None:
            raise self.refused(operands, self._why(a, b))
        return found

    def _found(self, a: Node, b: Node) -> tuple[Node, str] | None:
        """Return `_pair`, from a cache."""
        try:
            return self._joins[a, b]
        except KeyError:
            found = self._joins[a, b] = self._pair(a, b)
            return found

    def _pair(self, a: Node, b: Node) -> tuple[Node, str] | None:
        """Return the join of two nodes and its rule, or None: by exceptions, the table, then the diagram."""
        if a not in self.above or b not in self.above:
            return None
        if (a, b) in self.exceptions:
            exception = self.exceptions[a, b]
            return None if exception is None else (exception, "exception")
        if a is b:
            return a, "same"
        if self._table is not None:
            return (self._table[a, b], "table") if (a, b) in self._table else None
        bounds = self.minimal_bounds(a, b)
        if len(bounds) != 1 or (self.upwards and bounds[0] is not a and bounds[0] is not b):
            return None
        return bounds[0], "lattice"

    def _why(self, *nodes: Node) -> str:
        """Say why these nodes have no join, for the message; empty where there is nothing to add to `reason`."""
        if unknown := [n for n in nodes if n not in self.above]:
            if unknown[0] not in NODES:
                return f"{unknown[0]} is not among their dtypes"
            scalar = f"the diagram has no node {unknown[0]} for a Python scalar. Add one, or make the rules with weak="
            return "" if self.weak == "kind" else f'{scalar}"kind"'
        if self._table is not None:
            return "their table has no such pair"
        if len(nodes) == 2 and (nodes[0], nodes[1]) in self.exceptions:
            return ""
        bounds = self.minimal_bounds(*nodes)
        return f"{', '.join(map(str, bounds))} would all do" if len(bounds) > 1 and not self.upwards else ""

    def _join_all(self, nodes: Sequence[Node], operands: tuple[Any, ...]) -> tuple[Node, str]:
        """Return the least node above all of these, and the rule."""
        distinct = [*dict.fromkeys(nodes)]
        if len(distinct) == 2:
            return self._join(distinct[0], distinct[1], operands)
        if any(n not in self.above for n in distinct):
            raise self.refused(operands, self._why(*distinct))
        if len(distinct) == 1:
            if (distinct[0], distinct[0]) in self.exceptions:
                return self._join(distinct[0], distinct[0], operands)
            return distinct[0], "same"
        bounds = self.minimal_bounds(*distinct)
        if len(bounds) != 1:
            raise self.refused(operands, self._why(*distinct))
        return bounds[0], "lattice"

    def minimal_bounds(self, *nodes: Node) -> tuple[Node, ...]:
        """Return the minimal upper bounds of these nodes: a single one is their join."""
        common = frozenset.intersection(*(self.above[n] for n in nodes))
        return tuple(sorted((n for n in common if not any(n in self.above[m] for m in common if m is not n)), key=str))

    def _settle(self, node: Node, default: Default) -> Dtype:
        if type(node) is Dtype:
            return node
        return self.becomes[node] if node in self.becomes else default(KIND_OF[str(node)])

    def refused(self, operands: Iterable[Any], why: str = "") -> PromotionError:
        """Make the error for operands without a common dtype, with the reason."""
        names = [describe(x) for x in operands]
        listed = " and ".join(names) if len(names) < 3 else ", ".join(names)
        because = f" ({why or self.reason})" if why or self.reason else ""
        what = "have no common dtype" if len(names) > 1 else "has no dtype"
        error = PromotionError(f"{listed} {what} under the {self.name} rules{because}")
        error.why = why or self.reason
        return error

    # --- how it is read ------------------------------------------------------------------------------------------

    def _read(self, diagram: str) -> Iterator[tuple[Node, Node]]:
        for line in filter(None, map(str.strip, diagram.splitlines())):
            below, arrow, above = line.partition("->")
            nodes = [*below.split(), *above.split()]
            if not arrow or len(below.split()) != 1 or not above.split():
                raise ValueError(f"rules {self.name!r}: an edge reads `a -> b c`; got {line!r}")
            yield from ((self._known(nodes[0]), self._known(node)) for node in nodes[1:])

    def _read_exceptions(self, text: str) -> Iterator[tuple[tuple[Node, Node], Node | None]]:
        for line in filter(None, map(str.strip, text.splitlines())):
            arrow = "=>" if "=>" in line else "->"
            pair, found, result = (part.strip() for part in line.partition(arrow))
            if not found or len(pair.split()) != 2:
                raise ValueError(f"rules {self.name!r}: an exception reads `a b -> c`; got {line!r}")
            node = None if result == "refused" else self._known(result)
            first, second = (side.split(",") for side in pair.split())
            for a in map(self._known, first):
                for b in map(self._known, second):
                    if a is b and len(first) + len(second) > 2:
                        continue  # overlapping lists do not mean a dtype with itself
                    yield (a, b), node
                    if arrow == "->":
                        yield (b, a), node

    def _known(self, node: str) -> Node:
        """Return a node by its name, checked."""
        if node not in Dtype._all and node not in NODES and node not in self.becomes:
            names = [*Dtype._all, *NODES, *self.becomes]
            raise ValueError(f"rules {self.name!r}: {node!r} is no dtype{nearest(node, names)}")
        return canonical(node)

    def _dtype(self, name: Node) -> Dtype:
        try:
            return Dtype(name)
        except TypeError as error:
            raise ValueError(f"rules {self.name!r}: {error}") from None

    def _close(self) -> dict[Node, frozenset[Node]]:
        """Return the reflexive and transitive closure of the edges: every node that each node promotes to."""
        direct: dict[Node, list[Node]] = {}
        for a, b in self.edges:
            direct.setdefault(a, []).append(b)
            direct.setdefault(b, [])
        closed: dict[Node, frozenset[Node]] = {}

        def close(node: Node, path: dict[Node, None]) -> frozenset[Node]:
            if node in path:
                way = " -> ".join(map(str, (*path, node)))
                raise ValueError(f"rules {self.name!r}: the diagram has a cycle: {way}")
            if node not in closed:
                closed[node] = frozenset({node}).union(*(close(up, {**path, node: None}) for up in direct[node]))
            return closed[node]

        for node in direct:
            close(node, {})
        return closed

    def path(self, below: Node, above: Node) -> tuple[Node, ...]:
        """Return a shortest path up the diagram, through the usual dtypes if possible; empty if there is none."""
        below, above = canonical(below), canonical(above)
        for usual in (True, False):
            ways: dict[Node, tuple[Node, ...]] = {below: (below,)}
            while ways:
                if above in ways:
                    return ways[above]
                ways = {
                    b: (*way, b)
                    for node, way in ways.items()
                    for a, b in self.edges
                    if a is node and (not usual or b is above or b in _USUAL or type(b) is not Dtype)
                }
        return ()


def fits(value: int, dtype: Dtype) -> bool:
    _, high, low, _ = int_limits(dtype)
    return low <= value <= high


# --- operands ----------------------------------------------------------------------------------------------------


def gives_way(operand: Any, storage: Dtype) -> bool:
    """Tell whether an operand gives way to a storage dtype that the rules do not know.

    An array of the same dtype does, and a Python scalar of no higher kind."""
    if is_strong(operand):
        return (operand if type(operand) is Dtype else operand.dtype) is storage
    return KIND_ORDER[kind_of(operand)] <= KIND_ORDER[storage.kind]


def is_strong(operand: Any) -> bool:
    """Return whether an operand is an array or a dtype, not a Python scalar or its type."""
    return type(operand) is Dtype or isinstance(operand, Operand)


def kind_of(operand: Any) -> str:
    """Return the kind of a dtype, an array, a Python scalar or a type of one."""
    if type(operand) is Dtype:
        return operand.kind
    if isinstance(operand, Operand):
        return operand.dtype.kind
    return SCALAR_KINDS[operand if isinstance(operand, type) else type(operand)]


def dtype_of(node: Node) -> Dtype:
    """Return the dtype of a node that has no star."""
    return node if type(node) is Dtype else Dtype(node)


def node_of(operand: Any) -> Node:
    """Return the node of an operand: its dtype, or the weak node of a Python scalar."""
    if type(operand) is Dtype:
        return operand
    if isinstance(operand, Operand):
        return operand.dtype
    return WEAK[kind_of(operand)]


def describe(operand: Any) -> str:
    """Describe an operand in words."""
    if type(operand) is Dtype:
        return str(operand)
    if isinstance(operand, Operand):
        flags = ["weak"] * operand.weak + ["0-d"] * operand.zero_dim
        value = "" if operand.value is None else f" {operand.value!r}"
        return " ".join([*flags, str(operand.dtype)]) + value
    if isinstance(operand, type):
        return f"a Python {operand.__name__}"
    return f"a Python {type(operand).__name__}" + ("" if isinstance(operand, bool) else f" {operand!r}")
