"""The result of a trace: the graph, with its source and the function of native arrays that this defines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..backend import of
from ..backend.slopes import own_of
from ..core.dtypes import SCALARS
from ..core.trees import Structure, flatten
from ..engine.arrays.array import Array, wrapped
from ..engine.functions.lacking import note_lacking
from ..errors import BackendError, TraceError, is_signal
from ..policy import call_under, in_force
from .nodes import Block, Constant, Node, Value
from .passes.general import Done
from .passes.late import Late
from .recording.recorder import Guard, recorder
from .recording.state import Held, Kept
from .results import Output, finishing
from .running import (
    TELL,
    code_of,
    compiler_of,
    following,
    given,
    looking,
    of_shapes,
    telling,
    with_lines_at_hand,
)
from .writing.fast import check_numba
from .writing.source import Body, write

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..backend import Backend
    from ..core.signature import Sig
    from ..policy import Policy
    from .report import Counts

__all__ = ["Argument", "Graph", "NumberArgument", "first_places", "pattern", "same_constant"]

#: The functions that write graphs to files, under "save" and "to_onnx". `files` puts them here: it imports this module.
written: dict[str, Callable[..., Path]] = {}


class Argument(NamedTuple):
    """An array among the arguments of a traced function.

    Attributes
    ----------
    leaf: its place among the leaves of the arguments.
    sig: its signature.
    shape: its extents when the function was traced.
    looked: whether the program looked at its extents: then the graph is valid for these extents alone.
    """

    leaf: int
    sig: Sig
    shape: tuple[int, ...]
    looked: bool


class NumberArgument(NamedTuple):
    """A Python number among the arguments of a traced function that is an input of the graph.

    Attributes
    ----------
    leaf: its place among the leaves of the arguments.
    kind: its type.
    guards: the comparisons that the program made with it, which have to give the same results.
    """

    leaf: int
    kind: type
    guards: tuple[Guard, ...]


def _with_own_slopes(block: Block) -> Block:
    """Return a block whose calls have latticework's slopes."""
    nodes = []
    for node in block.nodes:
        made = copy(node)
        made.function = own_of(node.function) or node.function
        made.blocks = tuple(map(_with_own_slopes, node.blocks))
        nodes.append(made)
    return Block(block.inputs, nodes, block.outputs)


class Graph:
    """A traced function: its calls of its framework, for arguments of these dtypes.

    Made by `lw.trace`. Calling it with arguments like those it was traced with runs its source, and no function of
    latticework.

    Attributes
    ----------
    name: the name of the function.
    backend: the name of the framework's backend.
    nodes: the native calls in their order.
    passes: the simplifications that were made, and what each of them did.
    fast, functions: whether the source may change last bits to take less time, and where (see `faster`).
    """

    def __init__(
        self,
        name: str,
        backend: Backend,
        block: Block,
        arguments: list[Argument],
        parameters: Callable[[], list[str]],
        structure: Structure,
        static: dict[int, Any],
        outputs: list[Output],
        built: Structure,
        written: list[int],
        policy: Policy,
        passes: list[Done] | Late,
        held: Sequence[tuple[Held, Constant]] = (),
        changed: Sequence[Held] = (),
        once: list[int] | None = None,
        numbers: Sequence[NumberArgument] = (),
        kept: Kept | None = None,
    ) -> None:
        self.name, self._backend, self._block = name, backend, block
        self.arguments, self._name_parameters = arguments, parameters
        self.structure, self.static = structure, static
        self.outputs, self.built, self.written, self.policy = outputs, built, written, policy
        self._passes = passes
        self.numbers = numbers
        self.kinds: list[Any] = []  # the kinds of leaves by which `compiled` finds it
        self._held, self._changed, self._once, self._kept = held, changed, once, kept
        self._first = True
        self.fast = self.functions = False
        #: The magnitude of the arguments -> the fastest function (see `tuning`).
        self.tuned: dict[int, Callable[..., Any]] = {}
        self._compiler: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
        #: True if the function raises `OtherShapes` for arrays of other shapes.
        self.compares_shapes = False
        #: Runs the traced function again without effects, for the error that it raises; None for a graph from a file.
        self.again: Callable[[list[Any]], object] | None = None
        #: The traced function, which runs where the graph is differentiated; None for a graph from a file.
        self.traced: Callable[..., Any] | None = None
        #: The names of unknown extents, by the name of an argument and the axis: of the specs that it was traced with.
        self.dynamic: dict[str, dict[int, str]] = {}
        #: True if the framework had all of its dtypes while the function was traced, whatever its switch says now.
        self.all_dtypes = False

    @property
    def backend(self) -> str:
        return self._backend.name

    @cached_property
    def parameters(self) -> list[str]:
        """The names of the inputs: the arrays among the arguments, then the numbers."""
        return self._name_parameters()

    @property
    def passes(self) -> list[Done]:
        return self._passes if type(self._passes) is list else self._passes.done()  # type: ignore[union-attr]

    @property
    def block(self) -> Block:
        """The native calls, simplified."""
        if type(self._passes) is Late:
            self._passes.done()
        return self._block

    @block.setter
    def block(self, block: Block) -> None:
        """Put another block in the place of the simplified one."""
        self._passes, self._block = self.passes, block

    @property
    def nodes(self) -> list[Node]:
        return self.block.nodes

    @property
    def distinguishes(self) -> bool:
        """True if it matters which arguments are the same array: the function gives one of them new native data."""
        return bool(self.written) or self._once is not None

    @property
    def alone(self) -> bool:
        """True if the result is one array, and `finish` has nothing to write or bind."""
        out = self.outputs
        one = len(out) == 1 and out[0].sig is not None and self.built.kind is None
        return one and not self.written and not self._changed and not self.binds

    @property
    def binds(self) -> bool:
        """True if each call binds variables, attributes or elements that the function holds."""
        return self._kept is not None and bool(self._kept.stores)

    @property
    def changes(self) -> bool:
        """True if each call writes into arrays that the function holds, or binds what it holds."""
        return bool(self._changed) or self.binds

    # --- source -------------------------------------------------------------------------------------------------------

    @cached_property
    def body(self) -> Body:
        """The source of the function, with the objects that it names."""
        return self._body_of(self.block)

    def _body_of(self, block: Block) -> Body:
        options = {"fast": self.fast, "functions": self.functions}
        return write(block, self._backend, self.name, self.parameters, **options)

    @cached_property
    def source(self) -> str:
        """Python source that uses the framework alone, and computes the same on its arrays.

        Arrays that the program holds are constants of the source, with their values at the first use of this property.
        Numbers that the program holds have their values from the trace. The source binds no variable, attribute or
        element of the program. It returns the arrays that the program writes into or binds, after the results: first
        the arguments that are written into, where the framework's arrays are immutable (on NumPy the 0-d arguments);
        then the held arrays that are written into, of the same kind; then the computed arrays that are bound.
        The results are the leaves of what the function returns, with the keys of dicts in sorted order.

        Raises
        ------
        TraceError: the program holds something that cannot be written down.
        """
        from .writing.standalone import standalone

        return standalone(self._whole_body(), self.block)

    def _whole_body(self) -> Body:
        """The source with all results; see `with_held_results`."""
        return self._body_of(self.with_held_results()) if self.held_results else self.body

    def with_held_results(self) -> Block:
        """Return the calls with all results: those too that are arrays which the function holds, as constants."""
        if not self.held_results:
            return self.block
        constants, values = {id(x): c for x, c in self.held_results}, iter(self.block.outputs)
        outputs: list[Value] = []
        for x in self.outputs:
            if type(x.static) is Array:
                outputs.append(constants[id(x.static)])
            elif x.sig is not None or x.argument is not None or x.number:
                outputs.append(next(values))
        return Block(self.block.inputs, self.block.nodes, [*outputs, *values])

    @cached_property
    def held_results(self) -> list[tuple[Array, Constant]]:
        """The arrays that the function holds and returns as they are, with their constants."""
        found = {id(h.array): (h.array, c) for h, c in self._held}
        arrays = [x.static for x in self.outputs if type(x.static) is Array]
        for x in arrays:
            if id(x) not in found:
                theirs = x._sig.backend
                native = theirs.native(x._data)
                if theirs is not self._backend:
                    native = self._backend.from_numpy(theirs.to_numpy(native, None, None), None, True)
                found[id(x)] = x, Constant(native, x.dtype, x.shape)
        return [found[i] for i in dict.fromkeys(map(id, arrays))]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function of native arrays that the source defines. A debugger shows its lines.

        Arrays that the program holds and returns as they are are not among its results: a call of the graph returns
        them themselves.
        """
        return self._function_of(self.body, self._compiler)

    @cached_property
    def differentiable(self) -> Callable[..., Any] | None:
        """The function with latticework's slopes where the framework's of a call differ; None where none does."""
        if self.policy.gradients == "native" or all(own_of(n.function) is None for n in self.block.all_nodes()):
            return None
        return self._function_of(write(_with_own_slopes(self.block), self._backend, self.name, self.parameters))

    def with_own_slopes(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs this one; where it has slopes of the framework's own, and derivatives may be
        taken, the one with latticework's."""
        differentiable = self.differentiable
        if differentiable is None:
            return function
        may_differentiate = self._backend.may_differentiate
        assert may_differentiate is not None

        def run(*data: Any) -> Any:
            return (differentiable if may_differentiate(*data) else function)(*data)

        return run

    def natively(self) -> Callable[..., Any]:
        """Return the function, compiled by the framework's own compiler.

        Raises
        ------
        BackendError: the framework has no compiler.
        """
        return self._function_of(self.body, compiler_of(self._backend))

    def function_by(self, **options: Any) -> Callable[..., Any] | None:
        """Return the function of a source with other options of `write`; None where the text is the same."""
        body = write(self.block, self._backend, self.name, self.parameters, **options)
        return None if body.text == self.body.text else self._function_of(body)

    def _function_of(
        self, body: Body, compiler: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    ) -> Callable[..., Any]:
        """Make the function of a source. The framework compiles it where a compiler is given."""
        names = {id(x): name for name, x in body.spelling.namespace.items()}
        held = [(names[id(c.native)], h) for h, c in self._held if id(c.native) in names]
        apart = compiler is not None and self.backend == "torch"  # torch.compile reads the text, and takes no handler
        text = body.text if apart else telling(body)
        if compiler is not None and held:  # a compiled function gets the arrays that the program holds as arguments
            more = ", ".join(dict.fromkeys(name for name, _ in held))
            begin = re.compile(rf"^def {body.name}\((.*)\):$", re.MULTILINE)
            text = begin.sub(lambda m: f"def {body.name}({m[1]}{', ' * bool(m[1])}{more}):", text, count=1)
        namespace = {**body.spelling.namespace, TELL: self._tell}
        exec(code_of(text, self.name), namespace)
        run: Callable[..., Any] = namespace[body.name]
        if compiler is not None:
            run = compiler(run)
            if held:
                run = given(run, [*dict(held).values()])
        elif held:
            run = following(run, held, namespace)
        if apart:
            run = self._telling_of(run)
        made = run if self._kept is None else looking(run, self._kept, self.name)
        if compiler is None:  # `direct` looks at these
            made.body, made.namespace = body, namespace  # type: ignore[attr-defined]
        return made

    def _telling_of(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function to report its errors as the text does."""

        def call(*natives: Any) -> Any:
            try:
                return run(*natives)
            except Exception as error:
                self._tell(error, *natives)
                raise

        return call

    def _tell(self, error: Exception, *natives: Any) -> None:
        """Raise the traced function's own error, with its words, where the source has raised an error.

        The traced function runs again on arrays that it cannot change. Where that raises no error of the program, as
        for errors of values alone, the source's error keeps its words, in the class of the backend's errors.
        """
        if recorder.get() is not None or isinstance(error, (TraceError, BackendError)):
            return
        kind = self._backend.error_class(error)
        if kind is None and is_signal(error):
            return
        note_lacking(self.name, self._backend, error)
        if self.again is not None:
            leaves: list[Any] = [self.static.get(i) for i in range(self.structure.size)]
            for argument, data in zip(self.arguments, natives, strict=False):
                leaves[argument.leaf] = wrapped(data, argument.sig)
            for number, value in zip(self.numbers, natives[len(self.arguments) :], strict=True):
                leaves[number.leaf] = value
            try:
                with in_force(self.policy):
                    self.again(leaves)
            except (TraceError, BackendError):
                pass
            except Exception as found:
                raise found from error
        if kind is not None and not isinstance(error, kind):
            translated = kind(f"{self.name}: {self._backend.error_text(error)}")
            note_lacking(self.name, self._backend, translated, error)
            raise translated from error

    def compile_natively(self) -> None:
        """Compile the function by the framework's own compiler: `jax.jit`, `torch.compile`, `tf.function`.

        Raises
        ------
        BackendError: the framework has no compiler.
        """
        compiler = compiler_of(self._backend)
        if self.backend == "jax":  # jax.jit looks at the shapes itself, and runs the function for new ones
            self._compiler, self.compares_shapes = lambda f: compiler(of_shapes(f, self.arguments)), True
        else:
            self._compiler = compiler
        self.__dict__.pop("function", None)

    def faster(self, *, functions: bool = False) -> Graph:
        """Make the graph whose source may change last bits to take less time.

        On NumPy, numba compiles the stretches of elementwise calls. Its results have NumPy's bits, except for what a
        comment above the source names: transcendental functions of few elements, integer powers as products, sums
        along the last axis, signs of nan and zero. No floating-point warnings are given. On PyTorch, `addcmul`,
        `addcdiv`, `addmm`, `baddbmm`, `rsqrt`, `logaddexp` and `alpha` stand for two calls or three. On other backends,
        the same graph.

        Parameters
        ----------
        functions: whether, on NumPy, loops compute transcendental functions too, for arrays of any size, in float64:
            within 4 units in the last place. They may round a product and a sum once, and calls that work row by row
            are one loop, which adds up in another order. `tune` measures this way as well.

        Raises
        ------
        ModuleNotFoundError: on NumPy, numba is not installed: ``pip install 'latticework[fast]'``.

        Examples
        --------
        >>> import latticework as lw
        >>> graph = lw.trace(lambda x: (2 * x + 1) * x, lw.asarray([0.0, 1.0]))
        >>> graph.faster()(lw.asarray([1.0, 2.0]))
        Array([ 3., 10.], dtype=float32)
        """
        if self.backend not in ("numpy", "torch") or (self.fast and self.functions == functions):
            return self
        if self.backend == "numpy":
            check_numba()
        made = copy(self)
        for name in ("body", "source", "function"):
            made.__dict__.pop(name, None)
        made.fast, made.functions, made.tuned = True, functions and self.backend == "numpy", {}
        return made

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the graph to a file, which `lw.load` reads.

        The file is a zip of a description in JSON and of the elements of the arrays that the graph holds. It has no
        code in it: functions are named, and found again in the backend. Arrays that the program holds are saved with
        the elements that they have now. Named tuples that are not latticework's become plain tuples.

        Raises
        ------
        GraphFileError: the graph calls or holds something that a file cannot name; the message says what, and the line.

        Examples
        --------
        >>> import latticework as lw
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> graph = lw.trace(lambda x: lw.sqrt(x) + 1, lw.asarray([0.0, 4.0]))
        >>> with TemporaryDirectory() as folder:
        ...     loaded = lw.load(graph.save(Path(folder, "root.lwg")))
        >>> loaded(lw.asarray([0.0, 4.0]))
        Array([1., 3.], dtype=float32)
        """
        return written["save"](self, path)

    def to_onnx(
        self,
        path: str | os.PathLike[str],
        *,
        dynamic: Mapping[str, Any] | None = None,
        opset: int = 20,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Path:
        """Write the graph as a model of ONNX.

        Needs onnx: ``pip install 'latticework[onnx]'``. `lw.from_onnx` reads the file. The inputs of the model have the
        names of the arguments, its outputs are ``result_0``, ``result_1``, and so on. Arrays that the program holds,
        and the parameters of a model that `lw.transpile` was given, are initialisers. Another program runs the model,
        so last bits may differ.

        Parameters
        ----------
        path: the file.
        dynamic: the extents that a run of the model may choose: for the name of an argument, the names of extents by
            axes, as ``{"x": {0: "n"}}``, or axes alone, as ``{"x": [0]}``. One name is one extent. All others are as
            they were traced; None for the unknown extents of the specs that the graph was traced with. The function is
            traced again for a few extents, with zeros for its arguments.
        opset: the version of ONNX's operators, from 18 on.
        inputs, outputs: other names for the inputs and the outputs, in order; those that are left over keep theirs.

        Raises
        ------
        GraphFileError: ONNX has no operator for a function, for a dtype or for an option, or the program depends on a
            dynamic extent otherwise than by sums and products. The message names the function and the line.
            Derivatives that the framework takes, and writes into arguments, are not written.
        ModuleNotFoundError: onnx is not installed.
        TypeError, ValueError: for `dynamic` with a name or an axis that is none, for an opset that there is not, and
            for names that are too many or taken.

        Examples
        --------
        >>> import latticework as lw
        >>> graph = lw.trace(lambda x: lw.exp(x) + 1, lw.asarray([0.0, 1.0]))
        >>> graph.to_onnx("exp.onnx")  # doctest: +SKIP
        """
        return written["to_onnx"](self, path, dynamic=dynamic, opset=opset, inputs=inputs, outputs=outputs)

    @property
    def held_inputs(self) -> list[tuple[str, Any]]:
        """The names and arrays of the first inputs, which a file of the model holds: of a model, its parameters."""
        return []

    def draw(self, path: str | os.PathLike[str]) -> Path:
        """Draw the native calls, from the arguments above to the results below.

        Needs networkx and matplotlib: ``pip install 'latticework[draw]'``.

        Parameters
        ----------
        path: the file; its suffix is the format: ``.svg``, ``.png`` or ``.pdf``.

        Raises
        ------
        ValueError: the suffix is no format of a picture, or the graph has more calls than can be seen.
        ModuleNotFoundError: networkx or matplotlib is not installed.

        Examples
        --------
        >>> import latticework as lw
        >>> graph = lw.trace(lambda x: lw.exp(x) + 1, lw.asarray([0.0, 1.0]))
        >>> graph.draw("exp.svg")  # doctest: +SKIP
        """
        from .drawing import draw_graph

        return draw_graph(self, path)

    def _repr_svg_(self) -> str | None:
        """Return the drawing, for notebooks. None where networkx or matplotlib is missing, or calls are too many."""
        try:
            from .drawing import svg

            return svg(self)
        except (ImportError, ValueError):
            return None

    # --- calls --------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """Run the graph on arguments like those that it was traced with.

        In a derivative on NumPy or Dask, the traced function itself runs, since the source has no derivative.

        Raises
        ------
        BackendError: the graph comes from a file, and is differentiated on NumPy or Dask.
        TraceError: the graph is not valid for these arguments.
        """
        leaves, structure = flatten((args, kw))
        recording = next((x._sig.backend for x in leaves if isinstance(x, Array) and self._is_recorded(x)), None)
        why = self.unfit(leaves, structure, recorded=recording is not None)
        if why:
            way_out = "Trace the function again"
            if any(not isinstance(x, (Array, *SCALARS)) and of(x) is not None for x in leaves):
                takes = f"graph.function, which takes those of {self._backend.title}"
                way_out = f"A framework's own arrays, as they come in the arguments, are for {takes}"
            raise TraceError(f"{self.name}: the graph is not valid for this call: {why}. {way_out}")
        if recording is None:
            return self.run(leaves)
        if self.traced is None:
            raise BackendError(
                f"{self.name}: the graph comes from a file, and {self._backend.title} has no derivatives of its calls. "
                f"Trace the function here, or trace its derivative: lw.trace(lw.grad(f), x), and save that"
            )
        policy = self.policy.on(recording.name) if self.policy.backend == self.backend else self.policy
        return call_under(policy, self.traced, args, kw)

    def _is_recorded(self, x: Array) -> bool:
        """Return whether an array is one of the graph's backend in a function that is differentiated."""
        backend = x._sig.backend
        return backend.takes_target and str(backend.recorded).removeprefix("traced:") == self.backend

    def run(self, leaves: Sequence[Any], function: Callable[..., Any] | None = None) -> Any:
        """Run the source on the arrays among some leaves, and build what the traced function returned.

        Parameters
        ----------
        function: the function that runs in place of the source's.
        """
        run = function or self.with_own_slopes(self.function)
        arrays = [leaves[a.leaf] for a in self.arguments]
        data = [x._data for x in arrays]
        data += [leaves[n.leaf] for n in self.numbers]
        if self._first and self.backend == "tensorflow":
            results = with_lines_at_hand(run, data)
        else:
            results = run(*data)
        self._first = False
        return self.finish(results, arrays)

    @cached_property
    def finish(self) -> Callable[[Any, Sequence[Array]], Any]:
        """The function that builds the traced function's result from the results of the source and the given arrays."""
        return finishing(self.outputs, self.built, self.written, self._changed, self._kept)

    def fits(self, arrays: Sequence[Array], numbers: Sequence[Any]) -> bool:
        """Return whether the graph is valid for these arrays and numbers, whose signatures, shapes and types fit."""
        for number, x in zip(self.numbers, numbers, strict=True):
            for guard in number.guards:
                if not guard.holds(x):
                    return False
        return not self.distinguishes or first_places(arrays) == (self._once or [*range(len(arrays))])

    def unfit(self, leaves: Sequence[Any], structure: Structure, *, recorded: bool = False) -> str:
        """Say why the graph is not valid for a call; "" where it is valid.

        Parameters
        ----------
        recorded: whether arrays may be those of a function that is differentiated.
        """
        if structure != self.structure:
            return f"it was traced with arguments {self.structure}, and these are {structure}"
        if not structure.in_order_of(self.structure):
            return "the keys of a dict are in another order"
        for i, value in self.static.items():
            if not same_constant(leaves[i], value):
                return f"it was traced with {value!r} where this call has {leaves[i]!r}"
        for k, number in enumerate(self.numbers, len(self.arguments)):
            x = leaves[number.leaf]
            if type(x) is not number.kind:
                return f"{self.parameters[k]} was of type {number.kind.__name__}, and is of type {type(x).__name__}"
            for guard in number.guards:
                if not guard.holds(x):
                    return f"{self.parameters[k]} is compared with {guard.other!r}, otherwise than before"
        if self._kept is not None and not self._kept.check() and (why := self._kept.differs()):
            return why
        shapes = []
        for i, argument in enumerate(self.arguments):
            x = leaves[argument.leaf]
            if not isinstance(x, Array):
                return f"{self.parameters[i]} was an array, and is {type(x).__name__}"
            if x.dtype is not argument.sig.dtype or x.weak != argument.sig.weak:
                before = f"{'weak ' * argument.sig.weak}{argument.sig.dtype}"
                return f"{self.parameters[i]} was of {before}, and is of {'weak ' * x.weak}{x.dtype}"
            if x._sig.backend is not argument.sig.backend and not (recorded and self._is_recorded(x)):
                return f"{self.parameters[i]} was of the {argument.sig.backend.name} backend, and is of {x.backend}"
            shape = tuple(x.shape)
            if argument.looked and shape != argument.shape:
                before = f"{self.parameters[i]} was of shape {argument.shape}"
                return f"{before}, which the function looked at, and is of {shape}"
            shapes.append(shape)
        if self.distinguishes:
            found, traced = first_places([leaves[a.leaf] for a in self.arguments]), self._once
            if found != (traced or [*range(len(found))]):
                return "the function writes into an argument, and here others of the arguments are the same array"
        if pattern(shapes) != pattern([a.shape for a in self.arguments]):
            return f"the shapes were {[a.shape for a in self.arguments]}, and {shapes} broadcast otherwise"
        return ""

    def __str__(self) -> str:
        """Return a table of the native calls with dtypes, shapes, bytes and the program's lines, and one of counts."""
        from .report import report

        return report(self)

    @property
    def counts(self) -> Counts:
        """The numbers of native calls, of casts and of the bytes needed: a `latticework.tracing.report.Counts`.

        Examples
        --------
        >>> import latticework as lw
        >>> graph = lw.trace(lambda x, n: lw.exp(x) * n, lw.asarray([0.0, 1.0]), lw.asarray([1, 2]))
        >>> graph.counts.calls, graph.counts.inserted, graph.counts.peak
        (3, 1, 16)
        """
        from .report import counts

        return counts(self)

    def __repr__(self) -> str:
        return f"<graph {self.name} on {self.backend}: {len(self.nodes)} native calls>"


def pattern(shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Return which extents are equal, and which are 0 or 1. This decides how arrays broadcast.

    >>> pattern([(5, 3), (3,), (1, 3)]) == pattern([(7, 4), (4,), (1, 4)])
    True
    """
    seen: dict[int, int] = {}
    return tuple([tuple([n if n < 2 else 2 + seen.setdefault(n, len(seen)) for n in shape]) for shape in shapes])


def same_constant(x: Any, y: Any) -> bool:
    """Return whether two arguments that are no arrays are the same for a graph. Numbers are the same by their bits."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, complex) or (isinstance(x, float) and (x == 0 or x != x)):  # zeros have signs, NaN is not itself
        return repr(x) == repr(y)
    return bool(x == y)


def first_places(arrays: Sequence[Any]) -> list[int]:
    """Return for each array the first place where it stands."""
    places: dict[int, int] = {}
    return [places.setdefault(id(x), i) for i, x in enumerate(arrays)]
