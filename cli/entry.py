"""The entry point of the command `shlo`, which imports the rest."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line.

    Importing this package has restored SIGINT's default action, which ends the process without a traceback,
    for as long as the command is being imported; it is restored again for Python's shutdown.
    """
    from stablehlo_py.cli.main import main as run

    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
