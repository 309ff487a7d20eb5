"""`shlo grammar`: the grammar of the language."""

from __future__ import annotations

import click
from stablehlo_py.cli import common

_EXAMPLES = common.examples(
    ("The grammar as a file for Lark", "shlo grammar > stablehlo.lark"),
    (
        "Parse a program with it",
        "python -c \"import lark, sys; grammar = open('stablehlo.lark').read(); "
        "print(lark.Lark(grammar, parser='lalr', start='program').parse(sys.stdin.read()))\" < model.mlir",
    ),
)


@click.command("grammar", epilog=_EXAMPLES)
@common.FORMAT
def command(output: str) -> int:
    """Print the grammar of StableHLO programs.

    The grammar is one file for the parser generator Lark, with start symbol `program`. It has the productions
    of the specification's EBNF, under the same names in snake_case, MLIR's surroundings (aliases, locations,
    attributes of dialects, resources), and the pretty form of each op.

    With --format json, prints one object with the grammar and its start symbol.
    """
    from stablehlo_py.analysis.language import grammar

    text = grammar()
    if output == "json":
        common.print_json({"start": "program", "grammar": text})
    else:
        click.echo(text, nl=False)
    return 0
