"""The text report of `shlo inspect`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from stablehlo_py.cli import common
from stablehlo_py.cli.tables import add_row, print_table, table

from stablehlo_py.diagnostics.units import byte_text, number

if TYPE_CHECKING:
    from stablehlo_py.analysis.callgraph import CallGraph
    from stablehlo_py.analysis.polynomial import Polynomial
    from stablehlo_py.analysis.report import Analysis, FunctionAnalysis
    from stablehlo_py.ir.signature import Argument, Signature


SHOWN = 10  # inputs, results, functions and op names, without --all
_NARROWEST = 20  # cells of text beside a label
_SYMBOLIC = (  # labels, quantities and their units
    ("parameters", "parameter_bytes", "bytes"),
    ("results", "result_bytes", "bytes"),
    ("peak memory", "peak_bytes", "bytes"),
    ("operations", "flops", "FLOPs"),
    ("", "transcendentals", "transcendental"),
    ("bytes", "bytes_read", "read"),
    ("", "bytes_written", "written"),
)
_LABEL = 13  # width of a label, in cells
_WIDE_LABEL = 28  # width of the label of a container's field


def print_analysis(source: common.Text, analysis: Analysis, everything: bool) -> None:
    """Print the analysis of a module, with complete lists if `everything`."""
    limit = None if everything else SHOWN
    statistics = analysis.statistics
    ops = common.counted(sum(function.ops for function in analysis.functions.values()), "op")
    where = f"{source.name}:{source.first_line}" if source.first_line > 1 else source.name
    _title(f"{where}: {common.counted(statistics.functions, 'function')}, {ops}")
    if analysis.container:
        _print_container(analysis.container, limit)
    entry = analysis.functions[analysis.entry] if analysis.entry else None
    if entry is not None:
        _print_entry(entry, limit)
    _print_statistics(analysis, limit)
    if len(analysis.functions) > 1:
        _print_functions(list(analysis.functions.values()), limit)
        _print_calls(analysis.calls, analysis.entry, limit)
    if analysis.notes:
        heading("estimates")
        for note in analysis.notes[:limit]:
            _wrapped(f"line {note.line}: {note.message}", "  ")
        _rest(len(analysis.notes), limit)


def _print_container(fields: Mapping[str, Any], limit: int | None) -> None:
    """What a binary file says of itself; what it leaves empty is not shown."""
    heading(str(fields["kind"]))
    for name, value in fields.items():
        if name == "kind" or value in ("", [], False, None):
            continue
        values = list(value) if isinstance(value, list) else [value]
        shown = ["-" if each is None else str(each) for each in values]
        if all(each == "-" for each in shown):
            continue
        for index, line in enumerate([*shown[:limit], *_more(len(shown), limit)]):
            row("" if index else name.replace("_", " "), line, _WIDE_LABEL)


def _print_entry(entry: FunctionAnalysis, limit: int | None) -> None:
    heading(f"@{entry.name}")
    if entry.signature is not None:
        _print_signature(entry.signature, limit)
    if entry.symbolic:
        _print_symbolic(entry.symbolic)
        return
    cost = entry.cost
    total = cost.flops + cost.transcendentals
    intensity = f", {total / cost.bytes:.2g} operations per byte" if cost.bytes else ""
    row("parameters", byte_text(entry.parameter_bytes))
    row("results", byte_text(entry.result_bytes))
    row("peak memory", byte_text(entry.peak_bytes))
    transcendental = f" and {number(cost.transcendentals)} transcendental" if cost.transcendentals else ""
    row("operations", f"{number(cost.flops)}{transcendental}")
    row("bytes", f"{byte_text(cost.bytes_read)} read, {byte_text(cost.bytes_written)} written{intensity}")


def _print_symbolic(costs: Mapping[str, Polynomial | None]) -> None:
    """Print costs for sizes that the program leaves open."""
    for label, name, unit in _SYMBOLIC:
        polynomial = costs[name]
        row(label, f"{polynomial} {unit}" if polynomial else "no polynomial of the sizes; --dim gives them")


def _print_signature(signature: Signature, limit: int | None) -> None:
    inputs = [f"{each.label}: {each.type}{_text_name(each)}" for each in signature.inputs]
    for place, dropped in sorted((signature.dropped or {}).items()):
        inputs.insert(place, f"{dropped.path}: {dropped.type} (not used)")
    outputs = [f"{each.name}: {each.type}" if each.name else str(each.type) for each in signature.outputs]
    for label, lines in (("inputs", inputs), ("outputs", outputs)):
        shown = [*lines[:limit], *_more(len(lines), limit)] or ["none"]
        for index, line in enumerate(shown):
            row("" if index else label, line)


def _text_name(argument: Argument) -> str:
    return f" (%{argument.name})" if argument.label != f"%{argument.name}" else ""


def _print_statistics(analysis: Analysis, limit: int | None) -> None:
    found = analysis.statistics
    heading("module")
    size = byte_text(found.constant_bytes)
    row(
        "constants", f"{size} in {common.counted(found.constants, 'constant')}" if found.constants else "none"
    )
    if found.resource_bytes:
        row("resources", byte_text(found.resource_bytes))
    _counts("types", found.element_types, None)
    if found.dynamic_dimensions:
        bounded = f", {found.bounded_dimensions} bounded" if found.bounded_dimensions else ""
        row("dynamic", f"{common.counted(found.dynamic_dimensions, 'dimension')}{bounded}")
    _counts("custom calls", {f"@{name}": count for name, count in found.custom_calls.items()}, None)
    _counts("composites", found.composites, None)
    _counts("unknown ops", found.unknown_ops, None)
    _counts("ops", {name.removeprefix("stablehlo."): count for name, count in found.ops.items()}, limit)


def _counts(label: str, counts: Mapping[str, int], limit: int | None) -> None:
    """Print names with their counts, wrapped to the line width."""
    if not counts:
        return
    words = [f"{count} {name}" for name, count in list(counts.items())[: limit and 2 * limit]]
    text = ", ".join(word.replace(" ", "\0") for word in words)
    rest = _more(len(counts), limit and 2 * limit)
    text += f", {rest[0]}" if rest else ""
    lines = wrap(text, max(common.width() - _LABEL - 2, _NARROWEST), break_long_words=False)
    for index, line in enumerate(lines):
        row("" if index else label, line.replace("\0", " "))


def _print_functions(functions: Sequence[FunctionAnalysis], limit: int | None) -> None:
    heading("functions (cost per call)")
    numbers = ("line", "ops", "FLOP", "transc.", "bytes", "peak")
    rows = table(("  name", *numbers), numbers)
    for each in functions[:limit]:
        cost = each.cost
        amounts = (
            number(cost.flops),
            number(cost.transcendentals),
            byte_text(cost.bytes),
            byte_text(each.peak_bytes),
        )
        add_row(rows, f"  @{each.name}", str(each.line), str(each.ops), *amounts)
    print_table(rows)
    _rest(len(functions), limit)


def _print_calls(calls: CallGraph, entry: str | None, limit: int | None) -> None:
    heading("calls")
    called = {name for each in calls.calls.values() for name in each}
    roots = [entry] if entry else []
    roots += [name for name in calls.calls if name not in called and name != entry]
    seen: set[str] = set()
    for root in dict.fromkeys((*roots, *calls.calls)):
        if root in roots or root not in seen:
            _print_tree(calls, root, limit, seen)


def _print_tree(calls: CallGraph, root: str, limit: int | None, seen: set[str]) -> None:
    """Print a function and its callees, indented down to a depth; expand each function once."""
    waiting = [(root, 1, 0)]
    while waiting:
        name, count, depth = waiting.pop()
        indent = "  " * (depth + 1)
        if limit is not None and depth > limit:
            hidden = calls.reachable(name, seen)
            seen.update(hidden)
            rest = f"{common.counted(len(hidden), 'more function')} (--all)" if hidden else f"@{name}"
            common.echo(f"{indent}... {rest}")
            continue
        called = calls.calls.get(name, {})
        again = " ..." if name in seen and called else ""
        times = f" x{count}" if count > 1 else ""
        recursive = " (recursive)" if name in calls.recursive else ""
        common.echo(f"{indent}@{name}{times}{recursive}{again}")
        if name not in seen:
            seen.add(name)
            waiting += [(other, places, depth + 1) for other, places in reversed(called.items())]


# Lines


def heading(text: str) -> None:
    """Print the title of a section, after an empty line."""
    common.echo()
    _title(text)


def _title(text: str) -> None:
    paint = common.paint(sys.stdout)
    common.echo(paint(text, bold=True))


def row(label: str, text: str, width: int = _LABEL) -> None:
    """Print a text beside a label, in as many lines as it needs."""
    for index, line in enumerate(_folded(text, common.width() - width - 2)):
        common.echo(f"  {'' if index else label:{width}}{line}".rstrip())


def _folded(text: str, width: int) -> list[str]:
    return wrap(text, max(width, _NARROWEST), break_on_hyphens=False, subsequent_indent="  ") or [""]


def _wrapped(text: str, indent: str) -> None:
    width = max(common.width(), _NARROWEST)
    for line in wrap(text, width, initial_indent=indent, subsequent_indent=indent + "  "):
        common.echo(line)


def _more(count: int, limit: int | None) -> list[str]:
    return [f"and {count - limit} more (--all)"] if limit is not None and count > limit else []


def _rest(count: int, limit: int | None) -> None:
    for line in _more(count, limit):
        common.echo(f"  {line}")
