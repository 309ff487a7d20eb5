"""`shlo`: the command group, its exit status and its top-level error handling.

What reports errors is imported where there is one: `shlo --version` and `shlo --help` need none of it.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from io import StringIO, TextIOWrapper

import click

from stablehlo_py import __version__
from stablehlo_py.ir.version import CURRENT, MINIMUM

_COMMANDS = {
    "verify": "Check programs against the specification.",
    "run": "Run a program on NumPy arrays.",
    "lint": "Check valid programs for dead, lossy and non-portable code.",
    "inspect": "Show a program's signature, constants, memory and cost.",
    "fmt": "Format programs.",
    "opt": "Transform programs with passes.",
    "build": "Compile a program to a C library.",
    "convert": "Convert a program between text, bytecode and portable artifacts.",
    "diff": "Compare two programs.",
    "hash": "Hash programs, whatever their names and layout are.",
    "generate": "Draw random programs, which are valid.",
    "fuzz": "Run random programs on two engines, and group what differs.",
    "compare": "Find the first op whose results differ in another run.",
    "blame": "Find the pass of XLA that broke a result.",
    "extract": "Make a program of a part of a program.",
    "reduce": "Shrink a program while it stays interesting.",
    "precision": "Find the ops that must stay wide in a narrow type.",
    "graph": "Draw a program as a graph.",
    "report": "Write one HTML file about programs, for review.",
    "explain": "Show the definition and constraints of an op.",
    "lsp": "Serve editors over the Language Server Protocol.",
    "grammar": "Print the grammar of the language.",
    "completion": "Print a shell completion script.",
}


_EXAMPLES = """EXAMPLES

\b
  # Check a program
  shlo verify model.mlir

\b
  # Run it on an input
  shlo run model.mlir --input x.npy

\b
  # Show the definition of an op
  shlo explain dot_general
"""


class _Commands(click.Group):
    """A group that imports the module of a command on first use."""

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
            from stablehlo_py.diagnostics.suggestions import did_you_mean

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
@click.version_option(
    __version__, prog_name="shlo", message=f"%(prog)s %(version)s (StableHLO {MINIMUM} to {CURRENT})"
)
def cli() -> None:
    """Check, run, lint and format StableHLO programs.

    A program is MLIR text (.mlir), optionally compressed with gzip; - reads standard input. Exit status: 0 on
    success, 1 if a program has errors or a check fails, 2 on a usage error. See `shlo COMMAND --help` for
    examples.
    """


def main() -> None:
    """Run the command line and exit with its status; no traceback reaches the user."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals whose encoding lacks a character
    try:
        status = run_command(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe: redirect what Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        _say(f"shlo: standard output: {error.strerror}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 2
    sys.exit(status)


def _open_missing_streams() -> None:
    """Open the null device for each standard stream that is closed.

    Otherwise, the next file that is opened takes its number, and is written in its place.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def run_command(arguments: list[str]) -> int:
    """Run one command.

    Args:
        arguments: The command line, without the program name.

    Returns:
        The exit status.

    Raises:
        SystemExit: With status 1 if the reader of the output closed the pipe, from click.
    """
    try:
        status = cli.main(arguments, prog_name="shlo", standalone_mode=False)
        return int(status or 0)
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        _say(shown.getvalue())
        return 2
    except (KeyboardInterrupt, click.Abort):
        return 130
    except OSError as error:
        # What has no name is a stream, or the working folder that a relative path starts from.
        name = error.filename or ("working folder" if error.errno == errno.ENOENT else "standard output")
        _say(f"shlo: {name}: {error.strerror or error}\n")
        return 2
    except Exception as error:
        from stablehlo_py.cli.batch import bug

        from stablehlo_py.diagnostics.diagnostic import StablehloError

        _say(f"shlo: {error if isinstance(error, StablehloError) else bug(error)}\n")
        return 1


def _say(text: str) -> None:
    """Print on standard error."""
    from stablehlo_py.cli import common

    common.echo(text, err=True, nl=False)
