"""The C toolchain: a compiler, which also assembles and links, and ar. It is needed to build, not to run."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from stablehlo_py.diagnostics.diagnostic import StablehloError

_SECONDS = 600  # of a run of the compiler
_MOST_SHOWN = 20  # lines of what it prints
_FLAGS = ("-O2", "-fPIC", "-fvisibility=hidden", "-Wall")


class ToolchainError(StablehloError):
    """There is no C compiler, or it fails."""


class Toolchain:
    """The C compiler and the archiver.

    Args:
        compiler: The command; by default what the environment variable CC says, or cc.
    """

    def __init__(self, compiler: str | None = None) -> None:
        self._compiler = shlex.split(compiler or os.environ.get("CC") or "cc")
        self._archiver = shlex.split(os.environ.get("AR") or "ar")

    def check(self) -> None:
        """Raise ToolchainError if there is no compiler."""
        if not self._compiler or which(self._compiler[0]) is None:
            name = self._compiler[0] if self._compiler else "cc"
            raise ToolchainError(
                f"no C compiler: {name} is not found. One is needed to build a library, not to run it: "
                "install gcc or clang, or name one in the environment variable CC"
            )

    def compile(self, source: Path, output: Path) -> None:
        """Compile a file of C or assembly source."""
        self._run([*self._compiler, *_FLAGS, "-c", source.name, "-o", str(output)], source.parent)

    def link(self, objects: Sequence[Path], output: Path) -> None:
        """Link a shared library."""
        flags = ["-shared", "-Wl,-z,defs", "-Wl,-z,noexecstack", f"-Wl,-soname,{output.name}"]
        files = [str(each) for each in objects]
        self._run([*self._compiler, *flags, *files, "-o", str(output), "-lpthread", "-lm"], output.parent)

    def archive(self, objects: Sequence[Path], output: Path) -> None:
        """Make a static library."""
        self._run([*self._archiver, "rcs", str(output), *[str(each) for each in objects]], output.parent)

    def _run(self, command: Sequence[str], folder: Path) -> None:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=_SECONDS
            )
        except OSError as error:
            raise ToolchainError(f"{command[0]}: {error.strerror or error}") from None
        except subprocess.TimeoutExpired:
            raise ToolchainError(f"{command[0]} takes longer than {_SECONDS} seconds") from None
        if done.returncode:
            said = "\n".join((done.stderr or done.stdout).splitlines()[:_MOST_SHOWN])
            raise ToolchainError(f"{shlex.join(command[:1])} fails with status {done.returncode}:\n{said}")
