"""`shlo opt`: transform programs with passes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from stablehlo_py.cli import common, rewriting, sources
from stablehlo_py.cli.batch import bug
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.pass_trace import PassTrace, pipeline_of
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.sharding_options import sharding_options
from stablehlo_py.cli.sources import Text
from stablehlo_py.cli.upstream_flags import UpstreamCommand

import stablehlo_py as shlo
from stablehlo_py.storage.files import STDIN, OutputFiles, OverwriteError

if TYPE_CHECKING:
    from stablehlo_py.syntax.write.large_constants import LargeText
    from stablehlo_py.transforms.pass_definition import Option


_EXAMPLES = common.examples(
    ("Inline, simplify and share common subexpressions", "shlo opt model.mlir --pass inline --pass cse"),
    (
        "A pass with an option, written to a file",
        "shlo opt model.mlir --pass stablehlo-aggressive-folder=fold-op-element-limit=100 -o small.mlir",
    ),
    ("Show what a pass changes", "shlo opt model.mlir --pass canonicalize --diff"),
    (
        "What each of 8 devices runs",
        "shlo opt model.mlir --mesh data=4,model=2 --shard 'x=[{data},{}]' -p partition",
    ),
    ("The static program for a batch of 4", "shlo opt model.jax_export --dim b=4"),
    (
        "Take the weights out of a program, and put them back",
        "shlo opt model.mlir -p externalize -o small.mlir --weights model.safetensors\n"
        "  shlo opt small.mlir -p bind=model.safetensors",
    ),
    ("Upgrade the programs of a folder in place", "shlo opt --upgrade -i -j 0 exports/"),
    ("List the passes and their options", "shlo opt --list"),
)
_BYTECODE, _PORTABLE = "bytecode", "portable"
_UPGRADE = "stablehlo-legalize-deprecated-ops{fail-on-unused=false}"


def _print_list(context: click.Context, parameter: click.Parameter, lists: bool) -> None:
    if lists:
        common.echo("\n\n".join(_listed()))
        context.exit()


@dataclass(slots=True)
class Transformed:
    """The result of transforming a file.

    Attributes:
        source: The text before the passes.
        text: The text after them; None if a module cannot be transformed.
        diagnostics: Why a module cannot be transformed.
        remarks: What passes say of the program.
        log: What `--stats` and the options that print programs between passes print.
        misuse: Why the options do not fit the program.
        large: The text after them of one module for `--output`, whose `text` is empty then.
        binary: The bytes after them, where `--output` names a binary format; then, too.
    """

    source: Text
    text: str | None = None
    large: LargeText | None = None
    binary: Sequence[bytes | bytearray | memoryview] | None = None
    diagnostics: list[shlo.Diagnostic] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    misuse: str = ""
    remarks: list[shlo.Diagnostic] = field(default_factory=list)


@click.command("opt", cls=UpstreamCommand, epilog=_EXAMPLES)
@file_options
@click.option(
    "-p",
    "--pass",
    "passes",
    multiple=True,
    metavar="NAME[=OPTIONS]",
    help="Run a pass; repeat it for several, which run in order. OPTIONS are OPTION=VALUE, separated by "
    "blanks.",
)
@click.option(
    "--pipeline", metavar="TEXT", help="Run a pipeline, as builtin.module(func.func(cse),symbol-dce)."
)
@click.option(
    "-o",
    "--output",
    "target",
    metavar="OUT",
    help="The file to write (default: stdout). Its name says the format: .mlirbc is bytecode, .bc portable, "
    "others text.",
)
@click.option(
    "--weights",
    metavar="OUT",
    help="The .safetensors file to write what the pass externalize takes out of the program to.",
)
@click.option("-i", "--in-place", is_flag=True, help="Rewrite files in place.")
@click.option("--diff", is_flag=True, help="Print a diff, and exit with status 1 if a file would change.")
@click.option("--canonical", is_flag=True, help="Print exactly what the C++ printer prints.")
@click.option(
    "--keep-comments",
    is_flag=True,
    help="Write comments, as --in-place and --diff do. Without them, FileCheck finds no CHECK lines in the "
    "output.",
)
@click.option("--generic", is_flag=True, help="Print every op in its generic form.")
@click.option("--locations", is_flag=True, help="Print locations.")
@click.option(
    "--print-before-each", is_flag=True, help="Print the program before each pass on standard error."
)
@click.option("--print-after-each", is_flag=True, help="Print the program after each pass on standard error.")
@click.option(
    "--print-before",
    multiple=True,
    metavar="PASS",
    help="Print the program before PASS; may be repeated.",
)
@click.option(
    "--print-after",
    multiple=True,
    metavar="PASS",
    help="Print the program after PASS; may be repeated.",
)
@click.option(
    "--verify-each/--no-verify-each", default=True, help="Verify the program after each pass (default)."
)
@click.option("--stats", is_flag=True, help="Print the time and the ops of each pass on standard error.")
@click.option(
    "--reproducer",
    metavar="FILE",
    help="If a pass fails, write the program before it and the passes from it on, for --run-reproducer.",
)
@click.option(
    "--run-reproducer", is_flag=True, help="Run the passes that a reproducer names; mlir-opt's are read, too."
)
@click.option("--exact", is_flag=True, help="Leave out rules that are not exact for floating-point numbers.")
@click.option(
    "--upgrade", is_flag=True, help="First replace deprecated ops; old spellings are printed as today's."
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_list,
    help="List the passes and their options, and exit.",
)
@sharding_options
@common.DIMS
@common.allowing
def command(
    paths: tuple[str, ...],
    files: FileOptions,
    passes: tuple[str, ...],
    pipeline: str | None,
    **options: Any,
) -> int:
    """Transform programs with passes.

    PATHS are files, folders, patterns, or - for standard input; a file is text, MLIR bytecode, a portable
    artifact or a jax.export container, as its content says. Passes have the names and options of upstream's
    stablehlo-opt, whose flags are taken as well: --cse is --pass cse. Names and locations of what no pass
    changes stay, but with --canonical. Comments stay with --in-place, --diff and --keep-comments.

    Exit status: 0 on success, 1 if a program is at fault or, with --diff, would change, 2 on a usage error.
    """
    wanted = [*([_UPGRADE] if options["upgrade"] else []), *passes, *([pipeline] if pipeline else [])]
    if not (wanted or options["dims"] or any(options["sharding"]) or options["run_reproducer"]):
        raise click.UsageError(
            "name a pass with --pass or --pipeline, or use --upgrade, --dim, --mesh or --shard; see --list"
        )
    _check_passes([*wanted, *options["print_before"], *options["print_after"]])
    found = files.expand(paths)
    _check_targets(found, options)
    task = partial(transform_file, wanted, options)
    failed = False
    with Progress("shlo opt", len(found)) as progress, closing(files.each(task, found, lost)) as results:
        for result in results:
            progress.advance()
            with progress.aside():
                failed |= _show(result, options)
    return 1 if failed else 0


def _check_passes(wanted: Sequence[str]) -> None:
    from stablehlo_py.transforms.pipeline import schedule

    try:
        schedule(wanted)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _check_targets(files: Sequence[str], options: dict[str, Any]) -> None:
    """Refuse outputs that contradict each other, or that cannot be written."""
    from stablehlo_py.storage.safetensors import SUFFIX

    target, in_place = options["target"], options["in_place"]
    if target is not None and (in_place or options["diff"]):
        raise click.UsageError("-o cannot be used with --in-place or --diff")
    if target is not None and len(files) > 1:
        raise click.UsageError("-o takes one file; use --in-place for several")
    if in_place:
        rewriting.refuse(list(files), "--in-place")
    of_text = [name for name in ("generic", "locations", "keep_comments", "canonical") if options[name]]
    if _binary(options) and of_text:
        raise click.UsageError(f"--{of_text[0].replace('_', '-')} is for text, not for {_binary(options)}")
    weights = options["weights"]
    if weights is not None and (len(files) > 1 or in_place or options["diff"]):
        raise click.UsageError("--weights takes one file, and neither --in-place nor --diff")
    if weights is not None and not weights.endswith(SUFFIX):
        raise click.UsageError(f"--weights {weights}: expected the suffix {SUFFIX}")
    try:
        OutputFiles(files).check(target if target != STDIN else None, weights)
    except OverwriteError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from None


def transform_file(wanted: Sequence[str], options: Mapping[str, Any], file: str) -> Transformed:
    """Transform the modules of a file; write them back with `--in-place`."""
    from stablehlo_py.syntax.write.large_constants import LargeText

    try:
        result = Transformed(sources.read(file))
    except (OSError, sources.Unreadable) as error:
        return lost(file, (error.strerror if isinstance(error, OSError) else None) or str(error))
    texts = []
    tensors: dict[str, Any] = {}
    parts = sources.modules(result.source)
    for part in parts:
        try:
            module = _transformed(part, wanted, options, result)
            _collect(module, options, tensors)
            if _binary(options):
                if len(parts) > 1:
                    raise click.UsageError(f"{options['target']}: one module, where {file} has {len(parts)}")
                result.binary = _pieces(module, _binary(options))
                texts.append("")
            elif len(parts) == 1 and options["target"] not in (None, STDIN):
                result.large = LargeText(module, partial(_printed, source=part, options=options))
                texts.append("")
            else:
                texts.append(_printed(module, part, options))
        except (shlo.ParseError, shlo.TransformError, shlo.SerializationError) as error:
            result.diagnostics += error.diagnostics
        except click.UsageError as error:
            result.misuse = error.message
        except ValueError as error:
            result.misuse = str(error)
        except Exception as error:
            result.diagnostics.append(shlo.Diagnostic("error", "internal", bug(error), part.first_line, 1))
    if not result.diagnostics and not result.misuse:
        result.text = rewriting.joined(texts)
        if options["in_place"]:
            rewriting.replace(Path(file), result.text)
        elif options["weights"] is not None:
            _write_with_weights(result, tensors, options)
    return result


def _collect(module: shlo.Module, options: Mapping[str, Any], tensors: dict[str, Any]) -> None:
    """Add the tensors of a module; raise UsageError if they have no file, or are those of several modules."""
    if not module.tensors:
        return
    if options["weights"] is None:
        count = common.counted(len(module.tensors), "constant")
        raise click.UsageError(f"{count} became arguments: name the file for the values with --weights")
    if tensors:
        raise click.UsageError("--weights takes a file of one module")
    tensors.update(module.tensors)


def _write_with_weights(result: Transformed, tensors: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Write weights, and the program if it has a file: both are complete before one of them is replaced."""
    from stablehlo_py.storage.safetensors import write_safetensors

    outputs, target = OutputFiles([result.source.name]), options["target"]
    try:
        with ExitStack() as files:
            streams = [files.enter_context(outputs.open(options["weights"]))]
            write_safetensors(streams[0], tensors)
            if target not in (None, STDIN) and result.text is not None:
                streams.append(files.enter_context(outputs.open(target)))
                _write_text(result, streams[1])
            for stream in streams:
                stream.flush()
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None


def lost(file: str, why: str) -> Transformed:
    """Return the result of a file that could not be processed."""
    return Transformed(Text(file, ""), diagnostics=[shlo.Diagnostic("error", "file", why, 0, 0)])


def _binary(options: Mapping[str, Any]) -> str:
    """Return the binary format that the suffix of `--output` names; "" for text."""
    kind = common.PROGRAM_SUFFIXES.get(Path(options["target"] or "").suffix.lower(), "")
    return kind if kind in (_BYTECODE, _PORTABLE) else ""


def _pieces(module: shlo.Module, kind: str) -> Sequence[bytes | bytearray | memoryview]:
    """Return a module in a binary format; constants of bytecode are not copied."""
    from stablehlo_py.artifacts.serialize import module_pieces

    return module_pieces(module, kind) if kind == _BYTECODE else [shlo.serialize(module)]


def _write_text(result: Transformed, stream: BinaryIO) -> None:
    if result.binary is not None:
        stream.writelines(result.binary)
        return
    for piece in result.large.pieces() if result.large is not None else (result.text or "",):
        stream.write(sources.encode(piece))


def _show(result: Transformed, options: Mapping[str, Any]) -> bool:
    """Print a result, or write it to the output; return whether the file failed, or would change."""
    if result.misuse:
        raise click.UsageError(result.misuse)
    for text in result.log:
        common.echo(text, err=True)
    common.print_diagnostics(result.source, [*result.remarks, *result.diagnostics], err=True)
    if result.text is None:
        return True
    if options["diff"]:
        rewriting.print_difference(result.source, result.text, "transformed")
        return result.text != result.source.text
    target = options["target"]
    if target not in (None, STDIN) and options["weights"] is not None:
        return False  # written with the weights
    if target in (None, STDIN):
        if not options["in_place"]:
            common.write(result.text)
        return False
    with OutputFiles([result.source.name]).open(target) as stream:
        _write_text(result, stream)
    return False


def _transformed(
    source: Text, wanted: Sequence[str], options: Mapping[str, Any], result: Transformed
) -> shlo.Module:
    """Return a module after passes; raise ParseError or TransformError if there is none."""
    from stablehlo_py.transforms.pass_manager import run_passes

    module = source.parse(options["allowed"])
    if not (options["keep_comments"] or options["in_place"] or options["diff"]):
        module.comments = []
    errors = [d for d in shlo.verify(module) if d.severity == "error"]
    specialized: shlo.Module | None = None
    if not errors:
        specialized, errors = common.specialized(module, options["dims"])
    if specialized is None:
        raise shlo.TransformError(source.name, errors)
    specialized = options["sharding"].apply(specialized)
    if options["run_reproducer"]:
        wanted = [*wanted, _reproduced(specialized)]
    trace = PassTrace(specialized, wanted, options, lambda each: _printed(each, source, options))
    try:
        changed = run_passes(
            specialized,
            wanted,
            verify_each=options["verify_each"],
            exact=options["exact"],
            before_each=trace.before_each,
            after_each=trace.after_each,
        )
    except (shlo.TransformError, shlo.InternalError):
        trace.write_reproducer(OutputFiles([source.name]))
        raise
    finally:
        result.log += trace.log
        result.remarks += [remark for run in trace.runs for remark in run.remarks]
    if options["stats"]:
        result.log += trace.statistics(source.name)
    if options["run_reproducer"]:
        changed.resource_text = None
    return changed


def _reproduced(module: shlo.Module) -> str:
    """Return the pipeline of a reproducer."""
    found = pipeline_of(module)
    if found is None:
        raise click.UsageError(f"{module.source.name} is no reproducer: it has no resource mlir_reproducer")
    return found


def _printed(module: shlo.Module, source: Text, options: Mapping[str, Any]) -> str:
    is_canonical = options["canonical"] or source.is_binary  # a binary file has no words of its author
    locations = options["locations"] or None
    return shlo.format(module, generic=options["generic"], canonical=is_canonical, locations=locations)


def _listed() -> Iterator[str]:
    """Describe each pass and pipeline with its options."""
    from stablehlo_py.transforms import registry
    from stablehlo_py.transforms.pass_definition import Pass, Pipeline

    paint = common.paint(sys.stdout)
    for definition in registry.all_passes():
        kind = "pipeline: " if isinstance(definition, Pipeline) else ""
        lines = [paint(definition.name, bold=True), f"  {kind}{definition.summary}"]
        lines += [f"  {option.name}={_default(option)}  {option.summary}" for option in definition.options]
        if isinstance(definition, Pass) and definition.rules:
            inexact = sum(bool(rule.inexact) for rule in definition.rules)
            lines.append(f"  {len(definition.rules)} rules, {inexact} of which --exact leaves out")
        yield "\n".join(lines)


def _default(option: Option) -> str:
    value = option.default
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, tuple) else str(value)
