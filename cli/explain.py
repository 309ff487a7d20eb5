"""`shlo explain`: show the definition and constraints of an op."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common

if TYPE_CHECKING:
    from stablehlo_py.analysis.op_reference import Data


_EXAMPLES = common.examples(
    ("Show the definition of an op", "shlo explain dot_general"),
    ("Show the constraint that a diagnostic refers to", "shlo explain dot_general.C12"),
    ("List all ops", "shlo explain"),
)


def _complete_op(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete op names, with StableHLO's also by mnemonic."""
    from stablehlo_py.analysis.op_reference import names

    found = [name for members in names().values() for name in members]
    found += [name.removeprefix("stablehlo.") for name in found if name.startswith("stablehlo.")]
    return sorted(name for name in found if name.startswith(incomplete))


def _complete_label(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the labels of the op on the command line."""
    from stablehlo_py.analysis.op_reference import explain

    data = explain(context.params.get("op") or "")
    labels = _all_labels(data) if data else []
    return [label for label in labels if label.startswith(incomplete.upper())]


@click.command("explain", epilog=_EXAMPLES)
@click.argument("op", required=False, metavar="[OP]", shell_complete=_complete_op)
@click.argument("label", required=False, metavar="[LABEL]", shell_complete=_complete_label)
@common.FORMAT
def command(op: str | None, label: str | None, output: str) -> int:
    """Show an op's inputs, outputs, assembly format and constraints.

    OP is a name or a mnemonic, such as dot_general or chlo.top_k; without it, all ops are listed. LABEL is an
    input, output or constraint: I3, O1, C12. The code of a diagnostic names both: dot_general.C12.

    With --format json, print one object: the whole definition, or name and rows (those with LABEL).
    """
    from stablehlo_py.analysis.op_reference import excerpt, explain, nearest, page, select

    if op is None:
        return _list(output)
    data = explain(op)
    if data is None and label is None and "." in op:
        name, _, label = op.rpartition(".")
        data = explain(name)
    if data is None:
        raise click.UsageError(f"unknown op {op}{_suggestion(nearest(op))}")
    rows = select(data, label) if label else []
    if label and not rows:
        raise click.UsageError(f"{data['name']} has no label {label}; known labels: {_labels(data)}")
    if output == "json":
        common.print_json({"name": data["name"], "rows": rows} if label else data)
    else:
        text = excerpt(data, rows, common.width()) if label else page(data, common.width())
        common.echo(text)
    return 0


def _list(output: str) -> int:
    from stablehlo_py.analysis.op_reference import listing, names

    if output == "json":
        common.print_json(names())
    else:
        common.echo(listing(common.width()))
    return 0


def _suggestion(close: list[str]) -> str:
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _labels(data: Data) -> str:
    return ", ".join(_all_labels(data)) or "none"


def _all_labels(data: Data) -> list[str]:
    rows = [*data["inputs"], *data["outputs"], *data["constraints"]]
    return list(dict.fromkeys(row["label"] for row in rows))
