"""`shlo explain`: what an op is, and what it demands."""

from __future__ import annotations

import click
from stablehlo_py.cli import common

from stablehlo_py.explain import Data, excerpt, explain, listing, names, nearest, page, select


@click.command("explain")
@click.argument("op", required=False, metavar="[OP]")
@click.argument("label", required=False, metavar="[LABEL]")
@common.FORMAT
def command(op: str | None, label: str | None, output: str) -> int:
    """Tell what an op is: its inputs and outputs, how it is written, and its constraints.

    OP is a name or a mnemonic, such as dot_general or chlo.top_k; without it, all ops are listed. LABEL is
    what diagnostics name: C12, I3, O1. A diagnostic's code says both: dot_general.C12.

    With --format json, prints one object: all of the definition, or with LABEL its rows of that label.
    """
    if op is None:
        return _list(output)
    data = explain(op)
    if data is None and label is None and "." in op:
        name, _, label = op.rpartition(".")
        data = explain(name)
    if data is None:
        raise click.UsageError(f"there is no op {op}{_suggestion(nearest(op))}")
    rows = select(data, label) if label else []
    if label and not rows:
        raise click.UsageError(f"{data['name']} has no {label}; it has {_labels(data)}")
    if output == "json":
        common.print_json({"name": data["name"], "rows": rows} if label else data)
    else:
        text = excerpt(data, rows, common.width()) if label else page(data, common.width())
        click.echo(text)
    return 0


def _list(output: str) -> int:
    if output == "json":
        common.print_json(names())
    else:
        click.echo(listing(common.width()))
    return 0


def _suggestion(close: list[str]) -> str:
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _labels(data: Data) -> str:
    rows = [*data["inputs"], *data["outputs"], *data["constraints"]]
    return ", ".join(dict.fromkeys(row["label"] for row in rows)) or "none"
