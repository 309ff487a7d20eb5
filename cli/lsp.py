"""`shlo lsp`: the language server."""

from __future__ import annotations

import os
from importlib.util import find_spec

import click
from stablehlo_py.cli import common

from stablehlo_py import __version__

_EXAMPLES = common.examples(
    ("Serve an editor that starts the command", "shlo lsp"),
    ("Serve an editor that connects to a port", "shlo lsp --tcp 127.0.0.1:2087"),
)


@click.command("lsp", epilog=_EXAMPLES)
@click.option("--stdio", is_flag=True, help="Use standard input and output (the default).")
@click.option("--tcp", metavar="HOST:PORT", help="Listen on a port instead.")
def command(stdio: bool, tcp: str | None) -> int:
    """Serve editors over the Language Server Protocol.

    Editors start this command for .mlir files. It reports the diagnostics of verify and lint while typing,
    and provides hover, navigation, completion, fixes and formatting. Settings are those of [tool.shlo] in the
    nearest pyproject.toml. Requires the extra lsp: pip install 'stablehlo-py[lsp]'.
    """
    if stdio and tcp:
        raise click.UsageError("--stdio and --tcp cannot be used together")
    if find_spec("pygls") is None:
        raise click.ClickException("the language server requires pygls: pip install 'stablehlo-py[lsp]'")
    from stablehlo_py.lsp.server import make_server

    server = make_server(__version__)
    if tcp is None:
        # The server closes its streams at the end: give it copies.
        with os.fdopen(os.dup(0), "rb") as stdin, os.fdopen(os.dup(1), "wb") as stdout:
            server.start_io(stdin, stdout)
        return 0
    try:
        server.start_tcp(*address(tcp))
    except OSError as error:
        raise click.BadParameter(f"{tcp}: {error.strerror}", param_hint="--tcp") from None
    return 0


def address(text: str) -> tuple[str, int]:
    """Return the host and the port of `HOST:PORT`; brackets around an IPv6 address are left out."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"expected HOST:PORT, found {text}", param_hint="--tcp")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)
