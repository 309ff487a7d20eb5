"""The public functions.

Whoever imports the package parses and verifies, so these are imported with it; printing and running are
imported when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.verifier.verifier import verify_module

if TYPE_CHECKING:
    from stablehlo_py.analysis import Analysis
    from stablehlo_py.engines.engine import Engine
    from stablehlo_py.engines.program import Program
    from stablehlo_py.interpreter.observer import Observer
    from stablehlo_py.ir.core import Region, Value
    from stablehlo_py.ir.types import Type
    from stablehlo_py.linter.settings import Settings
    from stablehlo_py.verifier.inferred import Inference

    Operand = Value | Type | str

F = TypeVar("F", bound=Callable[..., Any])


def parse(
    source: str | bytes | memoryview | Any,
    name: str = "<string>",
    allow_unregistered: bool = False,
    *,
    first_line: int = 1,
    vjp: int = 0,
) -> Module:
    """Parses a program: text, the bytes of a file, or an object that holds a program.

    Bytes are text, MLIR bytecode, a portable artifact, a `jax.export` container, or one of them packed by
    gzip: what they hold decides. Objects are those that have a program to give: `jax.export.Exported`, what
    `jax.jit(f).lower(...)` gives, a module of MLIR's Python bindings, a module of this package.

    `name` stands for the program in diagnostics, whose lines count from `first_line`. Ops of unknown dialects
    are errors unless `allow_unregistered`, which takes them in generic form. `vjp` asks for the module of the
    first, second, ... nested gradient of a container.

    Raises ParseError, with every error that could be found. A wrong type at one place is an error
    where the value is used: the constraints that it breaks are then among the errors as well.
    Raises TypeError for an object that holds no program.
    """
    if isinstance(source, str):
        return _parse_text(source, name, allow_unregistered, first_line)
    if isinstance(source, bytes | bytearray | memoryview):
        return _parse_data(source, name, allow_unregistered, first_line, vjp)
    from stablehlo_py.artifacts.objects import program_of

    found = program_of(source, vjp)
    if isinstance(found, Module):
        return found
    return parse(found, name, allow_unregistered, vjp=vjp)


def _parse_text(text: str, name: str, allow_unregistered: bool, first_line: int) -> Module:
    try:
        return parse_module(text, name, allow_unregistered, first_line)
    except ParseError as error:
        if error.module is None:
            raise
        broken = [d for d in verify(error.module) if d.severity == "error"]
        found = sorted([*error.diagnostics, *broken], key=lambda d: (d.line, d.column))
        raise ParseError(name, found, error.module) from None


def _parse_data(
    data: bytes | bytearray | memoryview, name: str, allow_unregistered: bool, first_line: int, vjp: int
) -> Module:
    """Parses bytes: as text where nothing at their beginning says otherwise."""
    from stablehlo_py.artifacts.recognize import recognize

    if not vjp and not recognize(data):
        return _parse_text(str(data, "utf-8", "surrogateescape"), name, allow_unregistered, first_line)
    from stablehlo_py.artifacts.load import module_from

    found = module_from(data, name, allow_unregistered, vjp)
    return found if isinstance(found, Module) else _parse_text(found, name, allow_unregistered, first_line)


def load(path: str | PathLike[str], allow_unregistered: bool = False, *, vjp: int = 0) -> Module:
    """Parses a file, of text or of one of the binary formats that `parse` takes.

    Raises OSError if it cannot be read, ParseError if it is not a program.
    """
    return parse(Path(path).read_bytes(), str(path), allow_unregistered, vjp=vjp)


def verify(module: Module) -> list[Diagnostic]:
    """Checks a module against the specification: all findings, in the order of the text.

    [] means valid. Findings of severity "warning" do not make a program invalid.
    """
    return verify_module(module)


def lint(
    module: Module,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    settings: Settings | Mapping[str, Any] | None = None,
) -> list[Diagnostic]:
    """What could be better in a valid module: what rules find, in the order of the text.

        shlo.lint(module, select=["default", "chlo-op"], settings={"max-constant-bytes": 1 << 16})

    `select` and `ignore` are rules by name (`dead-op`), code (`D101`) or beginning of a code (`D`), `default`
    or `all`. `settings` are those of `[tool.shlo.lint]` in a `pyproject.toml`, as a table or read by
    `stablehlo_py.linter.config`; `select` takes the place of theirs, and `ignore` adds to it. The code of a
    diagnostic is `lint.` and the rule's name.

    Raises SettingsError, a ValueError, for a rule or setting that does not exist.
    """
    from stablehlo_py.linter.engine import lint_module
    from stablehlo_py.linter.settings import Settings

    if settings is not None and not isinstance(settings, Settings):
        settings = Settings.of(settings)
    return lint_module(module, select, ignore, settings)


def infer(
    name: str,
    operands: Sequence[Operand | Sequence[Operand]] = (),
    attributes: Mapping[str, Any] | None = None,
    regions: Sequence[Region] = (),
) -> Inference:
    """The result types of an op, as far as its definition decides them.

        shlo.infer("transpose", ["tensor<2x3xf32>"], {"permutation": [1, 0]}).types

    `name` is an op's name, or its mnemonic. `operands` are values, types, or types as text; a list stands
    for a variadic one. `attributes` are plain Python values by the definition's names of inputs (see
    `shlo explain OP`), or attributes. `regions` are the op's bodies.

    What the definition leaves open is in the results' `holes`; what is wrong with the inputs, in
    `diagnostics`.

    Raises KeyError for an unknown op, ValueError for a value that is not of its input's kind, ParseError
    for a text that is no type.
    """
    from stablehlo_py.opset.op_inputs import make_properties
    from stablehlo_py.opset.search import find_definition
    from stablehlo_py.verifier.inference import infer_types

    definition = find_definition(name)
    if definition is None:
        raise KeyError(f"there is no op {name}")
    groups = [list(given) if isinstance(given, list | tuple) else [given] for given in operands]
    properties = make_properties(definition, attributes or {})
    if len(groups) == len(definition.operands) and any(len(group) != 1 for group in groups):
        sizes = {"operandSegmentSizes": [len(group) for group in groups]}
        properties = make_properties(definition, sizes) | properties
    values = [_operand(given) for group in groups for given in group]
    return infer_types(definition.name, values, properties, regions)


def _operand(given: Any) -> Value | Type:
    """A value or type; a text is the type that it spells."""
    from stablehlo_py.syntax.parser import parse_type

    return parse_type(given) if isinstance(given, str) else given


def format(
    module: Module, generic: bool = False, canonical: bool = True, *, locations: bool | None = None
) -> str:
    """The text of a module.

    `canonical` gives what the C++ printer prints, byte for byte; otherwise the author's value
    names, comments and locations are kept. `generic` prints every op in its generic form. `locations`
    prints each op's location, as MLIR's debug information, or none; by default those that the author
    wrote, and none when canonical.
    """
    from stablehlo_py.syntax.printer import format_module

    return format_module(module, generic=generic, canonical=canonical, locations=locations)


def compile(
    module: Module,
    entry: str | None = None,
    engine: str | Engine = "auto",
    *,
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
) -> Program:
    """Prepares a function for running: `program(*inputs)` gives its results as a list.

    Args:
        module: The module.
        entry: The function's name; by default `main`, or the module's only function, or all functions where
            they check themselves.
        engine: The engine that runs it: "numpy", "auto" for the best that is installed, or an object with the
            methods of `stablehlo_py.engines.engine.PlanEngine` or `ModuleEngine`.
        max_steps: The most steps of a run; no limit by default.
        timeout: The most seconds of a run; no limit by default.
        replicas: The replicas of the process grid; by default those that the module states.
        partitions: The partitions of the process grid; by default those that the module states.
        observer: Is called around every op that runs (see `Observer`).

    Raises:
        RunError: There is no such function.
        Unsupported: The function has an op that the engine does not implement.
        ValueError: There is no such engine, or it is not installed.
    """
    from stablehlo_py.engines.program import compile_program

    return compile_program(
        module,
        entry,
        engine=engine,
        max_steps=max_steps,
        timeout=timeout,
        replicas=replicas,
        partitions=partitions,
        observer=observer,
    )


def run(
    module: Module,
    inputs: Sequence[Any] | Mapping[str, Any] = (),
    entry: str | None = None,
    *,
    engine: str | Engine = "auto",
    infeed: Iterable[Any] = (),
    outfeed: Any = None,
    seed: int = 0,
    **options: Any,
) -> list[Any]:
    """Runs a function of a module and gives its results as NumPy arrays.

    `inputs` are given in order or by argument name: NumPy arrays (with ml_dtypes' types for bf16,
    f8, i4 and so on), Python scalars, or tuples for tuple types. `infeed` are the arrays, or tuples of
    them, that `infeed` ops take (a queue will do); `outfeed` is a list, queue or function for the tuples
    of arrays of `outfeed` ops; `seed` is that of `rng`. `engine` and the options are those of `compile`.

    On a grid of several processes, gives the results of the first: `compile(...).call_grid` gives all.

    Raises RunError, with the op's position, for inputs that do not fit, a failing `check.*` op and
    everything that goes wrong while running.
    """
    program = compile(module, entry, engine, **options)
    return program.call(inputs, infeed=infeed, outfeed=outfeed, seed=seed)


def analyze(module: Module, entry: str | None = None) -> Analysis:
    """What a module costs and holds, from its text alone.

    For each function: operations and bytes of one call (calls followed, loops that count multiplied), the
    peak of live memory, parameters; and for the module its ops, types, constants and calls. `to_dict()` of
    what this gives is plain data. `entry` is `main`, or the only function, by default.

    Raises ValueError if there is no such function.
    """
    from stablehlo_py.analysis import analyze

    return analyze(module, entry)


def custom_call(*names: str) -> Callable[[F], F]:
    """Says what `stablehlo.custom_call` does for the targets `names`: a decorator of Python functions.

        @shlo.custom_call("scaled_softmax")
        def scaled_softmax(x, *, scale):
            e = np.exp(scale * x - np.max(scale * x, axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)

    The function gets the call's inputs as NumPy arrays, which it must not change, and gives one array, or
    a sequence of them where the call has several results. Its keyword-only parameters are entries of the
    call's `backend_config` dictionary or of its attributes, or one of `backend_config` (a dictionary or
    text), `attributes` (a dictionary of all of them), `result_types` and `called_computations` (functions
    on arrays). A later function for a name takes the place of an earlier one, built-in ones included.

    Arrays are as their types say, whatever `operand_layouts` and `result_layouts` ask for: layouts are about
    memory (see `stablehlo_py.layout`), and a function that needs them finds them in `attributes`.
    """
    from stablehlo_py.kernels.targets.registry import custom_call as register

    return register(*names)
