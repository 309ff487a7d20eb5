"""Runs tests on a copy of the source tree that has one bug, in a process forked for it.

The parent imports what tests need of other packages, and nothing of this one. So a run costs the start of the
package alone, and sees nothing of other runs. The working tree is never touched.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
IGNORED = shutil.ignore_patterns(
    "__pycache__", ".git", ".*_cache", "*.egg-info", "build", "cache", "node_modules"
)
OPTIONS = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-q"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins are imported before
PRELOADED = "pytest hypothesis numpy ml_dtypes lark click rich jsonschema scipy.special llvmlite.binding"
CAUGHT, PASSED, IMPORT_FAILS, STOPPED = "caught", "survived", "import", "stopped"
_IMPORT_STATUS, _SETUP_STATUS = 40, 41
_MOST_MEMORY = 12 << 30
_DEVICES = tuple(map(Path, ("/dev/full", "/dev/null")))  # tests write there, which a bug may make files of
_WALL = 4  # seconds on the clock for one of the processor: the machine has other work


@dataclass(frozen=True)
class Outcome:
    """What tests say to a bug."""

    verdict: str
    test: str  # that failed, as far as is known
    seconds: float


class Failures:
    """A plugin of pytest that notes the tests that fail, and files that cannot be read, each in a line."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._note(report)

    def pytest_collectreport(self, report: Any) -> None:
        self._note(report)

    def _note(self, report: Any) -> None:
        if report.failed:
            with self.file.open("a", encoding="utf-8") as file:
                print(report.nodeid, file=file)


class Tree:
    """A copy of the source tree."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "tree"
        shutil.copytree(ROOT, self.root, ignore=IGNORED)
        self.changes = 0
        self.devices = {path: path.stat() for path in _DEVICES if path.is_char_device()}
        (folder / "warm").mkdir(mode=0o700)
        if self._wait(self._fork([], "stablehlo_py", folder / "warm"), 300) != PASSED:  # makes the tables
            raise RuntimeError(f"the tree does not run without a bug\n{self._output()}")

    def judge(
        self, file: str, text: str, tests: Sequence[str], unfit: Iterable[str], seconds: float
    ) -> Outcome:
        """Runs tests with a bug.

        Args:
            file: The file that has the bug.
            text: Its text.
            tests: The tests, in order: functions as a whole, or cases.
            unfit: Cases to leave out, also where the function is among the tests.
            seconds: Time on the processor, after which a run counts as a failed one.

        Returns:
            The outcome.
        """
        start = time.monotonic()
        left_out = [f"--deselect={test}" for test in sorted(unfit)]
        arguments = ["-x", *left_out, *tests] if tests else []
        verdict, failed = self._with(file, text, arguments, seconds)
        test = failed[0] if failed else ""
        return Outcome(CAUGHT if verdict == STOPPED else verdict, test, time.monotonic() - start)

    def unfit(self, tests: Sequence[str]) -> set[str]:
        """The tests that fail in a copy without a bug; where one does, all such tests of its file."""
        found = self._failing(tests)
        if found is None:  # with the bug, cases have other names
            found = self._failing(sorted({test.partition("[")[0] for test in tests}))
        files = sorted({test.partition("::")[0] for test in found or ()})
        more = self._failing(["-m", "not slow and not oracle", *files]) if files else []
        if found is None or more is None:
            raise RuntimeError(f"tests do not run without a bug: {tests}\n{self._output()}")
        return {*found, *more}

    def _failing(self, arguments: Sequence[str]) -> list[str] | None:
        """The tests that fail without a bug, of those that pytest is given; None if it does not run them."""
        verdict, failed = self._run(arguments, "stablehlo_py", 600)
        return failed if failed or verdict == PASSED else None

    def _output(self) -> str:
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")[-3000:]

    def _with(self, file: str, text: str, arguments: Sequence[str], seconds: float) -> tuple[str, list[str]]:
        path = self.root / file
        original, status = path.read_bytes(), path.stat()
        try:
            path.write_text(text, encoding="utf-8")
            self.changes += 1  # bytecode counts as current by size and time in seconds
            os.utime(path, (status.st_mtime + 10 * self.changes,) * 2)
            return self._run(arguments, _module(file), seconds)
        finally:
            path.write_bytes(original)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _run(self, arguments: Sequence[str], module: str, seconds: float) -> tuple[str, list[str]]:
        failed, cache = self.folder / "failed", self.folder / "cache"
        failed.unlink(missing_ok=True)
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self.folder / "warm", cache)
        verdict = self._wait(self._fork(arguments, module, cache), seconds)
        self._restore_devices()
        return verdict, failed.read_text(encoding="utf-8").splitlines() if failed.exists() else []

    def _restore_devices(self) -> None:
        """Makes devices again that a bug has replaced by files, as root can."""
        for path, status in self.devices.items():
            if not path.is_char_device():
                made = path.with_name(f"{path.name}.{os.getpid()}")
                os.mknod(made, status.st_mode, status.st_rdev)
                made.chmod(status.st_mode & 0o7777)
                made.replace(path)

    def _fork(self, arguments: Sequence[str], module: str, cache: Path) -> int:
        child = os.fork()
        if child:
            return child
        status = _SETUP_STATUS
        try:
            os.setsid()
            self._enter(cache)
            status = _IMPORT_STATUS
            importlib.import_module(module)
            status = 1
            if arguments:
                import pytest

                status = int(pytest.main([*OPTIONS, *arguments], [Failures(self.folder / "failed")]))
            else:
                package = importlib.import_module("stablehlo_py")
                package.verify(package.load("testdata/mlp.mlir"))
                status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)

    def _enter(self, cache: Path) -> None:
        """Sets up a forked process: where it is, what it may use, and that it says nothing."""
        output = os.open(self.folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        os.chdir(self.root)
        multiprocessing.current_process().daemon = False  # as a worker of a pool is, and may start none
        sys.modules["__main__"] = ModuleType("__main__")  # worker processes would run this tool's again
        sys.dont_write_bytecode = False  # most modules are those of the run before
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.path[:] = [str(self.root), *(p for p in sys.path if Path(p) != ROOT / "tests" / "gates")]
        os.environ["PYTHONPATH"], os.environ["SHLO_CACHE_DIR"] = str(self.root), str(cache)
        temporary = self.folder / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)

    def _wait(self, child: int, seconds: float) -> str:
        """Waits for a process; one that takes too long is ended, with what it has started.

        The system does not limit it: with a limit, its clock of work is that of ticks, which tests read.
        """
        end = time.monotonic() + _WALL * seconds
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done or time.monotonic() > end or _work_of(child) > seconds:
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


_tree: list[Tree] = []  # of a process of a pool


@contextlib.contextmanager
def pool(jobs: int) -> Iterator[Pool]:
    """Processes that each have a copy of the source tree, which is `tree()` there."""
    for name in PRELOADED.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    forked = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder, forked.Pool(jobs, _start, [folder]) as processes:
        yield processes


def tree() -> Tree:
    """The copy of this process."""
    return _tree[0]


def unfit(tests: Sequence[str]) -> set[str]:
    """See `Tree.unfit`."""
    return tree().unfit(tests)


def _start(folder: str) -> None:
    _tree.append(Tree(Path(tempfile.mkdtemp(dir=folder))))


def _work_of(child: int) -> float:
    """The seconds that a process has worked, by its clock (see clock_getcpuclockid); 0 once it has ended."""
    try:
        return time.clock_gettime(~child << 3 | 2)
    except OSError:
        return 0.0


def _module(file: str) -> str:
    """The name of the module in a file; of the package for a file that is none of its modules."""
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if not file.endswith(".py") or file.startswith("tests/"):
        return "stablehlo_py"
    return name if name.startswith("stablehlo_py") else f"stablehlo_py.{name}"
