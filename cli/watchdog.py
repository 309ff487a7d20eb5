"""`shlo run --timeout`: the end of the process where a step does not end in time.

The limit itself is checked between steps, and gives an error with the place of the step. A single step may
take any time, since nothing interrupts a call of NumPy or of BLAS.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from stablehlo_py.cli import common

_GRACE = 5.0  # seconds, or half of the limit: a step that ends soon after the limit gives the better error

_DELIVERY = 1.0  # seconds for the rank that prints to receive the message


@contextmanager
def ends_in(seconds: float | None, name: str, what: str) -> Iterator[None]:
    """End the process with status 1 if a block takes much longer than a limit.

    Args:
        seconds: The limit; None if there is none.
        name: The name of the program, for the message.
        what: What takes too long, such as "the program runs".
    """
    if seconds is None:
        yield
        return
    wait = min(seconds + max(_GRACE, seconds / 2), threading.TIMEOUT_MAX)
    timer = threading.Timer(wait, _end, (f"{name}: error: {what} for more than {seconds:g} seconds",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(message: str) -> None:
    common.echo(message, err=True)
    sys.stdout.flush()
    if common.is_said_by_all():
        time.sleep(_DELIVERY)
    os._exit(1)
