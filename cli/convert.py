"""`shlo convert`: a program in another format: text, MLIR bytecode or a portable artifact."""

from __future__ import annotations

import sys
from typing import Literal

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

_BYTECODE, _PORTABLE, _TEXT, _VHLO, _HLO = "bytecode", "portable", "text", "vhlo", "hlo"
_KINDS = {  # the formats that each option is for
    "target": (_PORTABLE, _VHLO),
    "locations": (_TEXT, _VHLO),
    "generic": (_TEXT, _VHLO),
    "allow_other_dialects": (_PORTABLE,),
}
_EXAMPLES = common.examples(
    ("The text of an exported program", "shlo convert exported.bin -o model.mlir"),
    (
        "A portable artifact that releases of the last 12 weeks read",
        "shlo convert model.mlir --to portable --target week_12 -o model.bc",
    ),
    ("Plain bytecode", "shlo convert model.mlir --to bytecode -o model.mlirbc"),
    ("The text of HLO, which XLA parses and runs", "shlo convert model.mlir -o model.hlo"),
)


@click.command("convert", epilog=_EXAMPLES)
@click.argument("file")
@click.option(
    "-o", "--output", "target_file", metavar="OUT", help="The file to write; standard output by default."
)
@click.option(
    "--to",
    "kind",
    type=click.Choice([_TEXT, _BYTECODE, _PORTABLE, _VHLO, _HLO]),
    help="The format to write. By default what OUT's name says (.mlir is text, .mlirbc bytecode, .bc "
    "portable, .hlo hlo), or text. vhlo is the text of a portable artifact in the VHLO dialect, hlo the text "
    "that XLA reads.",
)
@click.option(
    "--target",
    metavar="VERSION",
    help="The version of StableHLO to write a portable artifact or VHLO for: 1.7.0, current (the default), "
    "week_4, week_12, max (or min, the oldest).",
)
@click.option("--locations", is_flag=True, help="Write locations into text as well.")
@click.option("--generic", is_flag=True, help="Write every op in its generic form into text.")
@click.option(
    "--allow-other-dialects",
    is_flag=True,
    help="Write ops and attributes of other dialects into a portable artifact as they are. Only the release "
    "that wrote them is sure to read them.",
)
@click.option(
    "--lower-chlo/--no-lower-chlo",
    default=None,
    help="Lower the ops of chlo first, which a portable artifact cannot hold (the pass "
    "chlo-legalize-to-stablehlo). By default for portable and vhlo, unless other dialects are allowed, and "
    "for hlo, if an op has no opcode.",
)
@common.VJP
@common.allowing
def command(
    file: str,
    target_file: str | None,
    kind: str | None,
    target: str | None,
    locations: bool,
    generic: bool,
    allow_other_dialects: bool,
    lower_chlo: bool | None,
    vjp: int,
    allowed: common.Allowed,
) -> int:
    """Convert a program to another format.

    FILE is text, MLIR bytecode, a portable artifact or a jax.export container, as its content says, or - for
    standard input. Text is as the C++ printer writes it. Bytecode and portable artifacts hold locations, and
    are byte for byte what jaxlib writes. What the target's version cannot hold is an error, and nothing is
    written.
    """
    kind = kind or common.format_of(target_file, common.PROGRAM_SUFFIXES, _TEXT, "--to")
    options = {"locations": locations, "generic": generic, "allow_other_dialects": allow_other_dialects}
    given = [name for name, value in [*options.items(), ("target", target)] if value]
    for name in given:
        if kind not in _KINDS[name]:
            kinds = " and ".join([f"--to {each}" for each in _KINDS[name]])
            raise click.UsageError(f"--{name.replace('_', '-')} is for {kinds}, not for --to {kind}")
    outputs = OutputFiles([file])
    if target_file not in (None, sources.STDIN):
        outputs.check(target_file)
    parts = sources.modules(common.read(file, vjp))
    if len(parts) > 1:
        raise click.UsageError(f"{file} has {len(parts)} modules between lines // -----; expected one")
    source = parts[0]
    try:
        module = source.parse(allowed)
        content = _content(module, kind, target, lower_chlo, **options)
    except (shlo.ParseError, shlo.SerializationError, shlo.TransformError) as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        return 1
    _write(content, target_file, outputs)
    return 0


def _content(
    module: shlo.Module, kind: str, target: str | None, lower_chlo: bool | None, **options: bool
) -> bytes:
    """Return what to write. Raises click's error for an unknown version."""
    chosen = {name: value for name, value in options.items() if value}
    if kind == _TEXT:
        lowered = shlo.opt(module, ["chlo-legalize-to-stablehlo"]) if lower_chlo else module
        return common.encode(shlo.format(lowered, **chosen))
    if kind == _HLO:
        return common.encode(_hlo_text(module, lower_chlo))
    if kind == _BYTECODE:
        return shlo.serialize(module, "bytecode", lower_chlo=lower_chlo)
    try:
        name: Literal["vhlo", "portable"] = "vhlo" if kind == _VHLO else "portable"
        return shlo.serialize(module, name, target, lower_chlo=lower_chlo, **chosen)
    except ValueError as error:
        raise click.UsageError(f"--target: {error}") from None


def _hlo_text(module: shlo.Module, lower_chlo: bool | None) -> str:
    """Return a program as the text of HLO, with all elements of constants."""
    from stablehlo_py.hlo.from_stablehlo import from_stablehlo
    from stablehlo_py.hlo.from_stablehlo.forms import opcode_of

    has_other = any(op.name.startswith("chlo.") and op.name not in opcode_of() for op in module.walk())
    if lower_chlo or (lower_chlo is None and has_other):
        module = shlo.opt(module, ["chlo-legalize-to-stablehlo"])
    errors = [found for found in shlo.verify(module) if found.severity == "error"]
    if errors:
        raise shlo.ParseError(module.source.name, errors)
    entry = "main" if "main" in module.functions else next(iter(module.functions), "main")
    return from_stablehlo(module, entry).to_string("short_parsable")


def _write(content: bytes, target_file: str | None, outputs: OutputFiles) -> None:
    """Write a file, all of it or nothing, or to standard output."""
    if target_file is None or target_file == sources.STDIN:
        sys.stdout.buffer.write(content)
        return
    with outputs.open(target_file) as stream:
        stream.write(content)
