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
_FLAGS = ("-O2", "-fPIC", "-fvisibility=hidden")


class ToolchainError(StablehloError):
    """There is no C compiler, or it fails."""


class Toolchain:
    """The C compiler and the archiver.

    The environment variables CC and AR name others than the default ones.

    Args:
        tools: What the names of the default ones begin with, if code is for other processors.
    """

    def __init__(self, tools: str = "") -> None:
        compiler = f"{tools}gcc" if tools else "cc"
        self._compiler = shlex.split(os.environ.get("CC") or compiler)
        self._archiver = shlex.split(os.environ.get("AR") or f"{tools}ar")
        self._tools = tools

    def check(self) -> None:
        """Raise ToolchainError if there is no compiler."""
        if not self._compiler or which(self._compiler[0]) is None:
            name = self._compiler[0] if self._compiler else "cc"
            where = " for the target" if self._tools else ""
            raise ToolchainError(
                f"no C compiler{where}: {name} is not found. One is needed to "
                "build a library, not to run it: install gcc or clang, name one in the environment variable "
                "CC, or build the rest where there is one, with --no-link"
            )

    def compiled(self, sources: Sequence[Path]) -> list[Path]:
        """Compile files of C and assembly source; return the object files, which are beside them."""
        made = [path.with_suffix(f"{path.suffix}.o") for path in sources]
        for path, output in zip(sources, made, strict=True):
            self._run([*self._compiler, *_FLAGS, "-c", path.name, "-o", output.name], path.parent)
        return made

    def link(self, objects: Sequence[Path], output: Path, libraries: Sequence[str] = ()) -> None:
        """Link a shared library of object files that are beside it, with other libraries.

        It stays in memory when a program closes it: a thread of a call may begin, and end, later.
        """
        flags = ["-shared", "-Wl,-z,defs,-z,noexecstack,-z,nodelete", f"-Wl,-soname,{output.name}"]
        files = [each.name for each in objects]
        command = [*self._compiler, *flags, *files, "-o", output.name, *_flags(libraries), "-lpthread", "-lm"]
        self._run(command, output.parent)

    def archive(self, objects: Sequence[Path], output: Path) -> None:
        """Make a static library of object files that are beside it."""
        self._run([*self._archiver, "rcs", output.name, *[each.name for each in objects]], output.parent)

    def _run(self, command: Sequence[str], folder: Path) -> None:
        """Run a command in a folder; its program may be named by a path from here."""
        program = which(command[0])
        try:
            done = subprocess.run(
                [Path(program).absolute() if program else command[0], *command[1:]],
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
            )
        except OSError as error:
            raise ToolchainError(f"{command[0]}: {error.strerror or error}") from None
        except subprocess.TimeoutExpired:
            raise ToolchainError(f"{command[0]} takes longer than {_SECONDS} seconds") from None
        if done.returncode:
            said = "\n".join((done.stderr or done.stdout).splitlines()[:_MOST_SHOWN])
            raise ToolchainError(f"{shlex.join(command[:1])} fails with status {done.returncode}:\n{said}")


def _flags(libraries: Sequence[str]) -> list[str]:
    """What the compiler is told of libraries: the path of a file, or a name that it looks for."""
    return [each if Path(each).is_absolute() else f"-l{each}" for each in libraries]
