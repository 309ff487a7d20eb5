"""Helpers that tests of several folders share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xla_batch import Xla

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture
def testdata() -> Path:
    """The programs and arrays that come with the repository."""
    return ROOT / "testdata"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of conformance cases and programs beside a checkout, where it is at hand."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared with conformance cases and programs")
    return SHARED


Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shlo() -> Shlo:
    """Runs the command in a process of its own: `shlo("verify", path, stdin="...", env={...})`."""

    def run(*arguments: object, stdin: str = "", **kwargs: object) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-Pc",  # not the source tree below the working directory: cli/ is elsewhere in it
            "from stablehlo_py.cli.main import main; main()",
            *map(str, arguments),
        ]
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command, input=stdin, capture_output=True, text=True, timeout=120, check=False, **kwargs
        )

    return run


@pytest.fixture(scope="session")
def xla() -> Iterator[Xla]:
    """XLA's CPU backend, in one process for all tests that draw programs."""
    from xla_batch import Xla  # beside those tests

    backend = Xla()
    yield backend
    backend.close()
