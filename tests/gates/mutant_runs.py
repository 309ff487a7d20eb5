"""Runs tests on a copy of the source tree that has one bug, in a process forked for it.

The parent imports what tests need of other packages, and nothing of this one. So a run costs the start of the
package alone, and sees nothing of other runs. The working tree is never touched.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
IGNORED = shutil.ignore_patterns(
    "__pycache__", ".git", ".*_cache", "*.egg-info", "build", "cache", "node_modules"
)
OPTIONS = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-x", "-q"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins are imported before
PRELOADED = "pytest hypothesis numpy ml_dtypes lark click rich jsonschema scipy.special llvmlite.binding"
CAUGHT, PASSED, IMPORT_FAILS, STOPPED = "caught", "survived", "import", "stopped"
_IMPORT_STATUS, _SETUP_STATUS = 40, 41
_MOST_MEMORY = 12 << 30
_WALL = 4  # seconds on the clock for one of the processor: the machine has other work


@dataclass(frozen=True)
class Outcome:
    """What tests say to a bug."""

    verdict: str
    test: str  # that failed, as far as is known
    seconds: float


def preload() -> None:
    for name in PRELOADED.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Failures:
    """A plugin of pytest that notes the first test that fails."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.file.exists():
            self.file.write_text(report.nodeid, encoding="utf-8")


class Tree:
    """A copy of the source tree."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "tree"
        shutil.copytree(ROOT, self.root, ignore=IGNORED)
        self.changes = 0
        (folder / "warm").mkdir(mode=0o700)
        if self._wait(self._fork([], "stablehlo_py", folder / "warm"), 300) != PASSED:  # makes the tables
            raise RuntimeError(f"the tree does not run without a bug\n{self._output()}")

    def judge(self, file: str, text: str, tests: Sequence[str], seconds: float) -> Outcome:
        """Runs tests with a bug.

        Args:
            file: The file that has the bug.
            text: Its text.
            tests: The tests, in order.
            seconds: Time on the processor, after which a run counts as a failed one.

        Returns:
            The outcome.
        """
        start = time.monotonic()
        verdict, test = self._with(file, text, tests, seconds)
        return Outcome(CAUGHT if verdict == STOPPED else verdict, test, time.monotonic() - start)

    def unfit(self, tests: Sequence[str]) -> list[str]:
        """The tests that fail in a copy without a bug."""
        left, found = list(tests), []
        while left:
            verdict, test = self._run(left, "stablehlo_py", 600)
            if verdict == PASSED:
                break
            if not test:
                raise RuntimeError(f"tests do not run without a bug: {left}\n{self._output()}")
            found.append(test)
            left = left[left.index(test) + 1 :] if test in left else []
        return found

    def _output(self) -> str:
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")[-3000:]

    def _with(self, file: str, text: str, tests: Sequence[str], seconds: float) -> tuple[str, str]:
        path = self.root / file
        original, status = path.read_bytes(), path.stat()
        try:
            path.write_text(text, encoding="utf-8")
            self.changes += 1  # bytecode counts as current by size and time in seconds
            os.utime(path, (status.st_mtime + 10 * self.changes,) * 2)
            return self._run(tests, _module(file), seconds)
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _run(self, tests: Sequence[str], module: str, seconds: float) -> tuple[str, str]:
        failed, cache = self.folder / "failed", self.folder / "cache"
        failed.unlink(missing_ok=True)
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self.folder / "warm", cache)
        verdict = self._wait(self._fork(tests, module, cache, seconds), _WALL * seconds)
        return verdict, failed.read_text(encoding="utf-8") if failed.exists() else ""

    def _fork(self, tests: Sequence[str], module: str, cache: Path, seconds: float = 300) -> int:
        child = os.fork()
        if child:
            return child
        status = _SETUP_STATUS
        try:
            os.setsid()
            self._enter(cache, seconds)
            status = _IMPORT_STATUS
            importlib.import_module(module)
            status = 1
            if tests:
                import pytest

                status = int(pytest.main([*OPTIONS, *tests], [Failures(self.folder / "failed")]))
            else:
                package = importlib.import_module("stablehlo_py")
                package.verify(package.load("testdata/mlp.mlir"))
                status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)

    def _enter(self, cache: Path, seconds: float) -> None:
        """Sets up a forked process: where it is, what it may use, and that it says nothing."""
        output = os.open(self.folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        soft = max(1, round(seconds))
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        os.chdir(self.root)
        sys.dont_write_bytecode = False  # most modules are those of the run before
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.path[:] = [str(self.root), *(p for p in sys.path if Path(p) != ROOT / "tests" / "gates")]
        os.environ["PYTHONPATH"], os.environ["SHLO_CACHE_DIR"] = str(self.root), str(cache)
        temporary = self.folder / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)

    def _wait(self, child: int, wall: float) -> str:
        """Waits for a process; one that takes too long is ended, with what it has started."""
        end = time.monotonic() + wall
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done or time.monotonic() > end:
                break
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not done:
            os.waitpid(child, 0)
        if not done or os.WIFSIGNALED(status):
            return STOPPED
        found = os.WEXITSTATUS(status)
        if found == _SETUP_STATUS:
            raise RuntimeError(f"a process for tests cannot start\n{self._output()}")
        return {0: PASSED, 5: PASSED, _IMPORT_STATUS: IMPORT_FAILS}.get(found, CAUGHT)


def _module(file: str) -> str:
    """The name of the module in a file."""
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name if name.startswith("stablehlo_py") else f"stablehlo_py.{name}"
