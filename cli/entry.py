"""The entry point of the command `shlo`, which imports the rest."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line. An interrupt while the command is being imported ends the process at once."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from stablehlo_py.cli.main import main as run

    signal.signal(signal.SIGINT, handler)
    run()
