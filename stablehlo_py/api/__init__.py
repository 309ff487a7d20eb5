"""The public functions.

The parser and verifier are imported with the package; the printer, linter and interpreter on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from stablehlo_py.api.compiling import compile as compile
from stablehlo_py.api.reading import parse_data, parse_file, parse_text, read_hlo_file
from stablehlo_py.artifacts.recognize import FUNCTIONS
from stablehlo_py.diagnostics.diagnostic import Diagnostic, Diagnostics
from stablehlo_py.ir.core import Module
from stablehlo_py.verifier.verifier import verify_module

if TYPE_CHECKING:
    from stablehlo_py.analysis.report import Analysis
    from stablehlo_py.engines.engine import Engine, Semantics
    from stablehlo_py.hlo.module import HloModule
    from stablehlo_py.interpreter.observer import Observer
    from stablehlo_py.ir.core import Region, Value
    from stablehlo_py.ir.types import Type
    from stablehlo_py.linter.settings import Settings
    from stablehlo_py.verifier.inferred import Inference

    Operand = Value | Type | str


def parse(
    source: str | bytes | memoryview | PathLike[str] | Any,
    name: str = "<string>",
    allow_unregistered: bool = False,
    *,
    first_line: int = 1,
    vjp: int = 0,
    allow_newer: bool = False,
) -> Module:
    """Parse a program: text, the bytes of a file, or an object that contains a program.

    Args:
        source: Text, also in the VHLO dialect; bytes of text, MLIR bytecode, a portable artifact or a
            `jax.export` container, also compressed with gzip, as detected from the contents; a path, as for
            `load`; or an object: `jax.export.Exported`, the result of `jax.jit(f).lower(...)`, a module of
            MLIR's Python bindings, or a module of this package.
        name: The name of the program in diagnostics.
        allow_unregistered: Accept ops of unknown dialects, in generic form.
        first_line: The number of the first line in diagnostics.
        vjp: Select the module of the first, second, ... nested gradient of a container; 0 for the primal.
        allow_newer: Accept ops of known dialects that this release does not define, in generic form.

    Returns:
        The module, which is not verified.

    Raises:
        ParseError: With every error that was found. If the only errors are uses of values with other types
            than they have, the violated constraints are included.
        OSError: If the file at a path cannot be read.
        TypeError: If an object does not contain a program.

    Example:
        module = shlo.parse("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    """
    if isinstance(source, Module):
        return source
    allow = {"allow_unregistered": allow_unregistered, "allow_newer": allow_newer}
    if isinstance(source, str):
        return parse_text(source, name, first_line, allow)
    if isinstance(source, bytes | bytearray | memoryview):
        return parse_data(source, name, first_line, vjp, allow)
    if isinstance(source, PathLike):
        return load(source, vjp=vjp, **allow)
    from stablehlo_py.artifacts.objects import program_of

    found = program_of(source, vjp)
    if isinstance(found, Module):
        return found
    return parse(found, name, **allow)


def load(
    path: str | PathLike[str], allow_unregistered: bool = False, *, vjp: int = 0, allow_newer: bool = False
) -> Module:
    """Parse a file.

    Args:
        path: The path of a file, in text or in one of the binary formats of `parse`, or of a folder that
            torch_xla or TensorFlow wrote. The weights in a folder of torch_xla are inputs that `run` finds.
        allow_unregistered: As for `parse`.
        vjp: As for `parse`.
        allow_newer: As for `parse`.

    Returns:
        The module, which is not verified.

    Raises:
        OSError, ParseError: If the file cannot be read, or is not a program.
    """
    allow = {"allow_unregistered": allow_unregistered, "allow_newer": allow_newer}
    if Path(path).is_dir() or Path(path).parent.name == FUNCTIONS:
        from stablehlo_py.artifacts.containers.torch_xla import load_described

        return load_described(Path(path), lambda program: parse_file(program, vjp, allow))
    return parse_file(path, vjp, allow)


def load_hlo(path: str | PathLike[str]) -> HloModule:
    """Read HLO as it is: what XLA dumps, before any conversion to StableHLO.

    Args:
        path: The path of a file: as text a module, computations alone, or one instruction, as XLA's parser
            takes them; or an `HloModuleProto`, alone or in an `HloProto` or `HloSnapshot`.

    Returns:
        The module. Its `to_string` prints it as XLA does.

    Raises:
        OSError, ParseError: If the file cannot be read, or is not HLO; with every error that was found.

    Example:
        print(shlo.load_hlo("module_0001.jit_f.cpu_after_optimizations.txt").to_string("short_parsable"))
    """
    return read_hlo_file(path)


def verify(module: Module | Any, strict: bool = False) -> list[Diagnostic]:
    """Check a module against the specification.

    Args:
        module: The module, or another source that `parse` takes.
        strict: Whether violations of rules that only the specification's text has, and upstream's verifier
            does not enforce, are errors instead of warnings.

    Returns:
        All diagnostics, in the order of the text; [] if the module is valid. Those of severity "warning" do
        not make it invalid.

    Example:
        for diagnostic in shlo.verify(shlo.load("model.mlir")):
            print(diagnostic)
    """
    return Diagnostics(verify_module(parse(module), strict))


def lint(
    module: Module | Any,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    settings: Settings | Mapping[str, Any] | None = None,
) -> list[Diagnostic]:
    """Apply lint rules to a valid module.

    Args:
        module: The module, or another source that `parse` takes.
        select: The rules to apply, by name (`dead-op`), code (`D101`) or code prefix (`D`), `default` or
            `all`. Overrides that of `settings`.
        ignore: The rules to disable, in addition to those of `settings`.
        settings: The settings of `[tool.shlo.lint]` in a `pyproject.toml`, as a table or as read by
            `stablehlo_py.linter.config`.

    Returns:
        The diagnostics, in the order of the text. Their codes are `lint.` followed by the name of the rule.

    Raises:
        SettingsError: For an unknown rule or setting. It is a ValueError.

    Example:
        shlo.lint(module, select=["default", "chlo-op"], settings={"max-constant-bytes": 1 << 16})
    """
    from stablehlo_py.linter.engine import lint_module
    from stablehlo_py.linter.settings import Settings

    if settings is not None and not isinstance(settings, Settings):
        settings = Settings.of(settings)
    return Diagnostics(lint_module(parse(module), select, ignore, settings))


def infer(
    name: str,
    operands: Sequence[Operand | Sequence[Operand]] = (),
    attributes: Mapping[str, Any] | None = None,
    regions: Sequence[Region] = (),
) -> Inference:
    """Infer the result types of an op from its definition.

    Args:
        name: The name of the op, or its mnemonic.
        operands: Values, types, or types as text; a list for a variadic operand.
        attributes: Attributes, or plain Python values, by the names of the definition's inputs (see
            `shlo explain OP`).
        regions: The regions of the op.

    Returns:
        The inferred types. What the definition does not determine is in the `holes` of a result, and errors
        in the inputs are in `diagnostics`.

    Raises:
        KeyError: If the op is unknown.
        ValueError: If a value does not match the kind of its input.
        ParseError: If a text is not a type.

    Example:
        shlo.infer("transpose", ["tensor<2x3xf32>"], {"permutation": [1, 0]}).types
    """
    from stablehlo_py.opset.op_inputs import make_properties
    from stablehlo_py.opset.search import find_definition
    from stablehlo_py.verifier.inference import infer_types

    definition = find_definition(name)
    if definition is None:
        raise KeyError(f"unknown op {name}")
    groups = [list(given) if isinstance(given, list | tuple) else [given] for given in operands]
    properties = make_properties(definition, attributes or {})
    if len(groups) == len(definition.operands) and any(len(group) != 1 for group in groups):
        sizes = {"operandSegmentSizes": [len(group) for group in groups]}
        properties = make_properties(definition, sizes) | properties
    values = [_operand(given) for group in groups for given in group]
    return infer_types(definition.name, values, properties, regions)


def _operand(given: Any) -> Value | Type:
    """Parse a type given as text; return values and types unchanged."""
    from stablehlo_py.syntax.parser import parse_type

    return parse_type(given) if isinstance(given, str) else given


def format(
    module: Module | Any, generic: bool = False, canonical: bool = True, *, locations: bool | None = None
) -> str:
    """Print a module.

    Args:
        module: The module, or another source that `parse` takes.
        generic: Print every op in generic form.
        canonical: Print exactly what the C++ printer prints. Otherwise keep value names, comments and
            locations.
        locations: Whether to print the location of each op, as MLIR's debug information. By default those in
            the source text, or none if canonical.

    Returns:
        The text of the module.
    """
    from stablehlo_py.syntax.printer import format_module

    return format_module(parse(module), generic=generic, canonical=canonical, locations=locations)


def opt(
    module: Module | Any, passes: str | Iterable[str], *, verify_each: bool = True, exact: bool = False
) -> Module:
    """Transform a module with passes.

    Args:
        module: A valid module, which is not changed, or another source that `parse` takes.
        passes: The passes in order, each spelled as upstream's `stablehlo-opt` does: `cse`,
            `stablehlo-aggressive-folder=fold-op-element-limit=100`, or with several options in braces,
            `name{option=1 other=2}`; or the text of a pipeline, `builtin.module(func.func(cse),symbol-dce)`.
        verify_each: Whether to verify the program after each pass.
        exact: Whether to leave out rewrite rules that are not exact for floating-point numbers.

    Returns:
        A new module. What no pass changed keeps its names, comments and locations.

    Raises:
        ParseError: If a source is not a program.
        ValueError: For an unknown pass or option.
        TransformError: If a pass cannot be applied to the program; `diagnostics` say why and where.

    Example:
        small = shlo.opt(module, ["inline", "canonicalize", "cse"])
    """
    from stablehlo_py.transforms.pass_manager import run_passes

    return run_passes(parse(module), passes, verify_each=verify_each, exact=exact)


def serialize(
    module: Module,
    kind: Literal["portable", "bytecode", "vhlo"] = "portable",
    target: str | None = None,
    *,
    lower_chlo: bool | None = None,
    allow_other_dialects: bool = False,
    locations: bool = False,
    generic: bool = False,
) -> bytes:
    """The bytes of a module in a binary format, which `parse` and C++ read.

    Args:
        module: A valid module.
        kind: "portable" for a portable artifact, which later and, as far as `target` asks for, earlier
            releases of StableHLO read; "bytecode" for plain MLIR bytecode, which one release reads; "vhlo"
            for the program of a portable artifact as text in the VHLO dialect, in UTF-8.
        target: The version of StableHLO to write a portable artifact or VHLO for: "1.7.0", "current" (the
            default), or the compatibility "week_4", "week_12", "max" (as "min", the oldest version).
        lower_chlo: Lower the ops of CHLO first: by default for kinds without them, unless others are allowed.
        allow_other_dialects: Write ops and attributes of other dialects as they are, for this release only.
        locations: Print locations into the text of VHLO; the other formats always have them.
        generic: Print functions of VHLO in generic form.

    Returns:
        The content of a file.

    Raises:
        SerializationError: With everything that cannot be written, or not for this target, and what helps.
        ValueError: For another kind, or an unknown target.
    """
    from stablehlo_py.api import serialization

    options = {"allow_other_dialects": allow_other_dialects, "locations": locations, "generic": generic}
    return serialization.serialize(module, kind, target, lower_chlo, options)


def run(
    module: Module | Any,
    inputs: Sequence[Any] | Mapping[str, Any] = (),
    entry: str | None = None,
    *,
    engine: str | Engine = "auto",
    infeed: Iterable[Any] = (),
    outfeed: Any = None,
    seed: int = 0,
    max_steps: int | None = None,
    timeout: float | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    observer: Observer | None = None,
    semantics: Semantics = "specification",
) -> list[Any]:
    """Run a function of a module.

    Args:
        module: The module, which should be valid, or another source that `parse` takes.
        inputs: The inputs in order, or by argument name: NumPy arrays (with the types of ml_dtypes for bf16,
            f8, i4 and so on), Python scalars, or tuples for tuple types.
        entry: The name of the function, as for `compile`.
        engine: The engine, as for `compile`.
        infeed: The data of `infeed` ops: an iterable or queue of arrays, or of tuples of arrays.
        outfeed: A list, queue or function that receives a tuple of arrays from each `outfeed` op.
        seed: The seed of `rng` ops.
        max_steps: As for `compile`, like the options below.
        timeout: The maximum duration in seconds.
        replicas: The number of replicas.
        partitions: The number of partitions.
        observer: Called for every op that runs.
        semantics: "specification" or "xla".

    Returns:
        The results, as NumPy arrays. On a grid of several processes, those of the first one; use
        `compile(...).call_grid` for all.

    Raises:
        RunError: With the position of the op, if the inputs do not match, a `check.*` op fails, or another
            error occurs at run time.
    """
    program = compile(
        module,
        entry,
        engine,
        max_steps=max_steps,
        timeout=timeout,
        replicas=replicas,
        partitions=partitions,
        observer=observer,
        semantics=semantics,
    )
    return program.call(inputs, infeed=infeed, outfeed=outfeed, seed=seed)


def analyze(module: Module, entry: str | None = None) -> Analysis:
    """Analyze the cost and memory of a module, without running it.

    Args:
        module: A valid module.
        entry: The name of the entry function. By default `main`, or the only function.

    Returns:
        For each function its signature, operations and bytes of one call (including callees, and with loops
        of known trip count multiplied), and peak memory in bytes; for the module its ops, types, constants
        and calls. For an entry with sizes that are open, `symbolic` has polynomials of them, such as
        `8192*b*s` operations. `to_dict()` converts it to plain data.

    Raises:
        ValueError: If there is no such function.
    """
    from stablehlo_py.api.symbolic_costs import analyze_sizes

    return analyze_sizes(module, entry)


def hash(module: Module | Any, *, structure: bool = False) -> str:
    """Hash a module: equal hashes mean equal programs, also in other processes and later releases.

    The hash does not depend on the names of values, of private functions and of the module, on locations,
    comments, aliases, the order of functions, and how the text is written. It depends on everything else: ops
    and their order, operands, attributes, types, the bits of constants, and the names of public functions.

    Args:
        module: The module, or another source that `parse` takes.
        structure: Whether to leave out the values of constants: programs that differ in weights are equal.

    Returns:
        The SHA-256 of a canonical text, which the documentation defines, in hexadecimal.

    Raises:
        ParseError: If a source is not a program.

    Example:
        assert shlo.hash(shlo.load("model.mlir")) == shlo.hash(shlo.load("model.bc"))
    """
    from stablehlo_py.analysis.hashing import hash_module

    return hash_module(parse(module), structure)
