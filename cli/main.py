"""`shlo`: the command, and what becomes of everything that goes wrong in it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from stablehlo_py import StablehloError, __version__
from stablehlo_py.diagnostics.suggestions import did_you_mean

_COMMANDS = {
    "verify": "Check programs against the specification.",
    "run": "Run a program on NumPy arrays.",
    "lint": "Find what could be better in valid programs.",
    "inspect": "Tell what a program takes, holds and costs.",
    "fmt": "Format programs.",
    "diff": "Tell how two programs differ.",
    "graph": "Draw a program as a graph.",
    "explain": "Tell what an op is, and what it demands.",
    "grammar": "Print the grammar of the language.",
    "completion": "Print the script that completes commands in a shell.",
}


_EXAMPLES = """EXAMPLES

\b
  # Is this program valid?
  shlo verify model.mlir

\b
  # What does it compute?
  shlo run model.mlir --input x.npy

\b
  # What does this op demand?
  shlo explain dot_general
"""


class _Commands(click.Group):
    """Commands whose modules are imported when they are asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"stablehlo_py.cli.{name}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            suggestion = did_you_mean(args[0], _COMMANDS) or "."
            raise click.UsageError(error.message.rstrip(".") + suggestion, error.ctx) from None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(
    cls=_Commands,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="shlo")
def cli() -> None:
    """StableHLO programs: check, run and format them.

    A program is text (.mlir), packed by gzip or not; - is standard input. The exit status is 0 when all is
    well, 1 when a program is at fault, and 2 when the command is. `shlo COMMAND --help` has examples.
    """


def main() -> None:
    """Runs the command line and leaves with its exit status; no traceback reaches the user."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no such character shows another
    try:
        status = run_command(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has gone; what Python flushes on its way out must go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def run_command(arguments: list[str]) -> int:
    """The exit status of one command. Raises BrokenPipeError when the output has gone."""
    try:
        status = cli.main(arguments, prog_name="shlo", standalone_mode=False)
        return int(status or 0)
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        return 130
    except StablehloError as error:
        click.echo(f"shlo: {error}", err=True)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        click.echo(f"shlo: {error.filename or ''}: {error.strerror or error}", err=True)
        return 2
    except Exception as error:
        from stablehlo_py.cli.batch import bug

        click.echo(f"shlo: {bug(error)}", err=True)
        return 1
