"""What mixes with what: a rule set is a diagram, and its joins are computed, never listed.

A diagram is a partial order, given by its covering edges: ``int8 -> int16 float16`` says that int8 promotes
to each of the two, and so to whatever they promote to. Two dtypes promote to their join, the least node above
both. Nodes whose name ends in a star are no dtypes: ``int*``, ``float*`` and ``complex*`` are the weak dtypes
of Python scalars, and become the default dtype of their kind where a join ends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple

from ..dtypes import KIND_ORDER, SCALAR_KINDS, Dtype
from ..errors import PromotionError, nearest

__all__ = ["Laws", "Rules", "check_laws"]

Default = Callable[[str], Dtype]

#: The weak node of each kind of Python scalar.
_WEAK = {"b": "bool*", "i": "int*", "f": "float*", "c": "complex*"}


class Rules:
    """A rule set: which dtype two or more operands are brought to.

    Parameters
    ----------
    name: what errors call it.
    diagram: covering edges, a line each: ``bool -> int*``. The nodes are dtypes, weak dtypes (``int*``)
        and, for a join that is no dtype itself, any other starred name with an entry in `becomes`.
    exceptions: pairs that do not follow the diagram, a line each: ``int8 uint8 -> int16``; both orders.
    becomes: which dtype a starred node is where a join ends on it, e.g. ``{"wide*": "float64"}``.
    weak: how a Python scalar takes part. ``"lattice"``: its node is in the diagram. ``"kind"``: it has no
        say where an array has its kind or a higher one, and is an array of its kind's default dtype else.
    reason: why a pair may have no join, for the error's message.
    source: where the rules are written down.

    Raises
    ------
    ValueError: for a diagram with a cycle, an unknown name, or a line that does not read.

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

    def __init__(
        self,
        name: str,
        diagram: str,
        *,
        exceptions: str = "",
        becomes: Mapping[str, str] | None = None,
        weak: str = "lattice",
        reason: str = "",
        source: str = "",
    ) -> None:
        self.name, self.weak, self.reason, self.source = name, weak, reason, source
        self.becomes = {node: Dtype(dtype) for node, dtype in (becomes or {}).items()}
        self.edges = tuple(self._read(diagram))
        self.above = self._close()
        self.exceptions: dict[frozenset[str], Dtype] = {}
        for line in filter(None, map(str.strip, exceptions.splitlines())):
            pair, arrow, result = line.partition("->")
            if not arrow:
                raise ValueError(f"rules {name!r}: an exception reads `a b -> c`; got {line!r}")
            self.exceptions[frozenset(pair.split())] = Dtype(result.strip())
        self.table: dict[tuple[Dtype, Dtype], Dtype] | None = None

    @classmethod
    def from_table(cls, name: str, table: Mapping[tuple[str, str], str], *, source: str = "") -> Rules:
        """A rule set from a table of pairs. A pair is looked up as given, then the other way round.

        Python scalars follow their kind (see `weak` above).

        Examples
        --------
        >>> import latticework as lw
        >>> mine = lw.Rules.from_table("mine", {("int8", "float16"): "float32"})
        >>> mine.promote([lw.float16, lw.int8])
        lw.float32
        """
        self = cls(name, "", weak="kind", source=source)
        self.table = {(Dtype(a), Dtype(b)): Dtype(c) for (a, b), c in table.items()}
        for a, b in [*self.table]:
            self.table.setdefault((b, a), self.table[a, b])
        self.above = {d: frozenset({d}) for pair in self.table for d in pair}
        return self

    def __repr__(self) -> str:
        return f"<Rules {self.name!r}>"

    @property
    def dtypes(self) -> tuple[Dtype, ...]:
        """The dtypes that these rules know, in the usual order."""
        return tuple(d for d in Dtype._all.values() if d in self.above)

    def _read(self, diagram: str) -> Iterable[tuple[str, str]]:
        for line in filter(None, map(str.strip, diagram.splitlines())):
            below, arrow, above = line.partition("->")
            nodes = [*below.split(), *above.split()]
            if not arrow or len(below.split()) != 1 or not above.split():
                raise ValueError(f"rules {self.name!r}: an edge reads `a -> b c`; got {line!r}")
            for node in nodes:
                known = [*Dtype._all, *_WEAK.values(), *self.becomes]
                if node not in known:
                    raise ValueError(f"rules {self.name!r}: {node!r} is no dtype{nearest(node, known)}")
            yield from ((nodes[0], node) for node in nodes[1:])

    def _close(self) -> dict[str, frozenset[str]]:
        """The reflexive and transitive closure of the edges: every node that each node promotes to."""
        direct: dict[str, list[str]] = {}
        for a, b in self.edges:
            direct.setdefault(a, []).append(b)
            direct.setdefault(b, [])
        closed: dict[str, frozenset[str]] = {}

        def close(node: str, path: tuple[str, ...]) -> frozenset[str]:
            if node in path:
                raise ValueError(f"rules {self.name!r}: the diagram has a cycle: {' -> '.join((*path, node))}")
            if node not in closed:
                closed[node] = frozenset({node}).union(*(close(up, (*path, node)) for up in direct[node]))
            return closed[node]

        for node in direct:
            close(node, ())
        return closed

    def minimal_bounds(self, *nodes: str) -> tuple[str, ...]:
        """The nodes above all of these that have none of the others below them: one, for a join."""
        common = frozenset.intersection(*(self.above[n] for n in nodes))
        return tuple(sorted(n for n in common if not any(n in self.above[m] for m in common if m != n)))

    def promote(self, operands: Iterable[Dtype | type], default: Default | None = None) -> Dtype:
        """The common dtype of dtypes and Python scalar types (bool, int, float, complex).

        `default` gives the default dtype of a kind; the active policy's where it is left out.

        Raises
        ------
        PromotionError: where the rules have no answer.
        """
        if default is None:
            from ..policy import current

            default = current().default
        operands = tuple(operands)
        if self.weak == "kind":
            return self._promote_by_kind(operands, default)
        # A weak bool needs no node of its own where bool is below everything anyway.
        nodes = [n if n in self.above or n != "bool*" else "bool" for n in map(_node, operands)]
        return self._settle(self._join(nodes, operands), default)

    def _promote_by_kind(self, operands: tuple[Dtype | type, ...], default: Default) -> Dtype:
        strong = [x for x in operands if isinstance(x, Dtype)]
        kinds = [SCALAR_KINDS[x] for x in operands if not isinstance(x, Dtype)]
        top = max((KIND_ORDER[d.kind] for d in strong), default=-1)
        strong += [default(k) for k in sorted(set(kinds), key=KIND_ORDER.__getitem__)[-1:] if KIND_ORDER[k] > top]
        # As NumPy does with more than two: where the highest kind is inexact, everything else meets that kind
        # first, so that int8, uint16 and float32 are float32 whatever their order.
        peak = max(strong, key=lambda d: KIND_ORDER[d.kind])
        if KIND_ORDER[peak.kind] >= KIND_ORDER["f"]:
            strong = [d if d.kind == peak.kind else Dtype(self._join([d, peak], operands)) for d in strong]
        result = strong[0]
        for dtype in strong[1:]:
            result = Dtype(self._join([result, dtype], operands))
        return result

    def _join(self, nodes: list[str], operands: tuple[Dtype | type, ...]) -> str:
        distinct = [*dict.fromkeys(nodes)]
        if unknown := [n for n in distinct if n not in self.above]:
            raise PromotionError(self.refusal(operands, f"{unknown[0]} is not among their dtypes"))
        if len(distinct) == 1:
            return distinct[0]
        if self.table is not None:
            if (pair := (Dtype(distinct[0]), Dtype(distinct[1]))) in self.table:
                return self.table[pair]
            raise PromotionError(self.refusal(operands, "their table has no such pair"))
        if (exception := self.exceptions.get(frozenset(distinct))) is not None:
            return exception
        bounds = self.minimal_bounds(*distinct)
        if len(bounds) != 1:
            raise PromotionError(self.refusal(operands, f"{', '.join(bounds)} would all do" if bounds else ""))
        return bounds[0]

    def _settle(self, node: str, default: Default) -> Dtype:
        if not node.endswith("*"):
            return Dtype(node)
        return self.becomes[node] if node in self.becomes else default({v: k for k, v in _WEAK.items()}[node])

    def refusal(self, operands: Iterable[Dtype | type], why: str = "") -> str:
        """Why these operands have no common dtype: the tail of an error message."""
        names = [str(x) if isinstance(x, Dtype) else f"a Python {x.__name__}" for x in operands]
        listed = " and ".join(names) if len(names) < 3 else ", ".join(names)
        because = f" ({why or self.reason})" if why or self.reason else ""
        return f"{listed} have no common dtype under the {self.name} rules{because}"


def _node(operand: Dtype | type) -> str:
    return operand if isinstance(operand, Dtype) else _WEAK[SCALAR_KINDS[operand]]


class Laws(NamedTuple):
    """What `check_laws` found: every counterexample, each a tuple of the dtypes in the order given."""

    commutative: tuple[tuple[Dtype, Dtype], ...]
    associative: tuple[tuple[Dtype, Dtype, Dtype], ...]
    idempotent: tuple[Dtype, ...]
    refused: tuple[tuple[Dtype, Dtype], ...]
    no_unique_join: tuple[tuple[Dtype, Dtype], ...]

    @property
    def semilattice(self) -> bool:
        """Whether promotion is a join: total, idempotent, commutative and associative."""
        return not any(self[:4])


def check_laws(rules: Rules | str) -> Laws:
    """List each counterexample to the laws of a semilattice, over all strong dtypes that the rules know.

    `refused` has the ordered pairs without an answer; they and the triples that meet them are no
    counterexamples to the other laws, unless only one of the two ways of a triple is refused.
    `no_unique_join` has the unordered pairs whose least upper bound in the diagram is not unique, the
    pairs that an exception has to decide.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.check_laws("array_api").associative
    ()
    >>> lw.check_laws("unified").associative[0]
    (lw.int8, lw.uint64, lw.bfloat16)
    """
    rules = rules_named(rules)
    dtypes = rules.dtypes

    @cache
    def join(a: Dtype | None, b: Dtype | None) -> Dtype | None:
        if a is None or b is None:
            return None
        try:
            return rules.promote((a, b))
        except PromotionError:
            return None

    pairs = [*product(dtypes, repeat=2)]
    return Laws(
        commutative=tuple((a, b) for a, b in pairs if join(a, b) is not join(b, a)),
        associative=tuple(
            (a, b, c) for a, b, c in product(dtypes, repeat=3) if join(join(a, b), c) is not join(a, join(b, c))
        ),
        idempotent=tuple(a for a in dtypes if join(a, a) is not a),
        refused=tuple((a, b) for a, b in pairs if join(a, b) is None),
        no_unique_join=tuple(
            (a, b)
            for a, b in pairs
            if rules.table is None and Dtype._all and [*dtypes].index(a) < [*dtypes].index(b)
            and len(rules.minimal_bounds(a, b)) > 1
        ),
    )


class _Lazy(dict[str, Any]):
    """The rule sets by name, each module imported when it is first asked for."""

    def __missing__(self, name: str) -> Rules:
        if name not in _MODULES:
            raise ValueError(f"there are no rules {name!r}{nearest(name, _MODULES)}; there are {', '.join(_MODULES)}")
        self[name] = import_module(f"{__name__}.{name}").rules
        rules: Rules = self[name]
        return rules


_MODULES = ("unified", "precise", "strict", "array_api")
RULES: dict[str, Rules] = _Lazy()


def rules_named(rules: Rules | str) -> Rules:
    """A rule set from its name, or itself."""
    return rules if isinstance(rules, Rules) else RULES[rules]
