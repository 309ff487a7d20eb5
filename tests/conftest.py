"""Helpers shared by tests of several folders."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import hypothesis
import numpy as np
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.helpers.xla_batch import Xla

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

# The language server has a step of its own in CI, which installs what it needs.
collect_ignore_glob = [] if find_spec("pygls") and find_spec("pytest_lsp") else ["lsp/*"]

# Processes that a test starts import the same package as the tests do.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

# Where no bytecode is to be written beside the sources, it has a folder of its own: without it, each process
# that a test starts would compile the package.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Memory of the native engine holds a pattern before each call, here and in processes that tests start.
os.environ["SHLO_FILL_MEMORY"] = "1"

# LLVM's optimizations take half of the time. CI runs slow tests, and those of old versions, with them.
os.environ.setdefault("SHLO_OPTIMIZE", "0")

MOST_FILLED = 1 << 24  # bytes of an array of NumPy's: larger ones need not be in memory as a whole


def filled(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays, whose elements then have a pattern."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        array = make(*arguments, **keywords)
        if array.nbytes <= MOST_FILLED and not array.dtype.hasobject:
            array.ravel(order="K").view(np.uint8).fill(0xFE)
        return array

    return call


np.empty, np.empty_like = filled(np.empty), filled(np.empty_like)

# A shell ignores interrupts in what it starts in the background, and processes inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def testdata() -> Path:
    """The programs and arrays that come with the repository."""
    return ROOT / "testdata"


@pytest.fixture(scope="session")
def programs() -> Path:
    """Small models exported by JAX, each with its inputs and XLA's results."""
    return ROOT / "testdata" / "programs"


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Binary programs of jaxlib's, each with the text that jaxlib prints for it."""
    return ROOT / "tests" / "artifacts" / "files"


@pytest.fixture
def compiled_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that LLVM compiles from now on, without those that all programs share."""
    from stablehlo_py.engines.native import library  # needs the extra `native`

    texts: list[str] = []
    original = library._object_code

    def object_code(text: str, cold: str) -> list[bytes]:
        texts.extend(filter(None, (text, cold)))
        return original(text, cold)

    monkeypatch.setattr(library, "_object_code", object_code)
    return texts


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of conformance cases and programs beside a checkout, where it is at hand."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared with conformance cases and programs")
    return SHARED


# A run of all tests


def named(config: pytest.Config) -> set[Path]:
    """The files and folders of tests that are named; none if tests are chosen by `-m` or `-k`."""
    if config.option.markexpr or config.option.keyword:
        return set()
    return {(config.invocation_params.dir / name).resolve() for name in config.args}


def is_of_all(config: pytest.Config) -> bool:
    """Whether no file or folder of tests is named, and nothing is chosen by `-m` or `-k`."""
    return bool(named(config)) and named(config) <= {ROOT, ROOT / "tests"}


def pytest_configure(config: pytest.Config) -> None:
    """A run of folders leaves out slow tests, and a run of all tests the oracle; so do processes of xdist."""
    config.stash[PASSED] = 0
    config.stash[SPENT] = Counter()
    # A machine under load takes any time for an example.
    hypothesis.settings.register_profile("any machine", deadline=None, suppress_health_check=SLOW)
    hypothesis.settings.load_profile("any machine")
    config.stash[IS_OF_ALL] = is_of_all(config)
    if config.stash[IS_OF_ALL]:
        config.option.markexpr = "not slow and not oracle"
    elif named(config) and all(path.is_dir() for path in named(config)):
        config.option.markexpr = "not slow"


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A run of all tests uses the processors, if xdist is there."""
    options = config.option
    if hasattr(config, "workerinput") or not is_of_all(config) or options.usepdb:
        return
    if config.pluginmanager.hasplugin("xdist") and options.numprocesses is None:
        options.numprocesses, options.maxprocesses = "auto", options.maxprocesses or 8


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if ROOT / "tests" / "oracle" in item.path.parents:
            item.add_marker("oracle")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Coverage makes a test take three times as long: after a second, it looks at one case of four.

    A record of which tests run a line has all of them.
    """
    config = item.config
    is_sampled = config.getoption("cov_source", None) and not config.pluginmanager.hasplugin(
        "function_contexts"
    )
    is_long = config.stash[SPENT][name_of(item)] > ALL_COVERED
    if is_sampled and is_long and crc32(item.nodeid.encode()) % 4:
        item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    start = time.process_time()
    try:
        return (yield)
    finally:
        item.config.stash[SPENT][name_of(item)] += time.process_time() - start


def name_of(item: pytest.Item) -> str:
    """The name of the test that an item is a case of."""
    return item.nodeid.partition("[")[0]


ALL_COVERED = 1.0  # seconds of the cases of a test
SPENT = pytest.StashKey[Counter[str]]()
PASSED = pytest.StashKey[int]()
IS_OF_ALL = pytest.StashKey[bool]()
SLOW = [hypothesis.HealthCheck.too_slow]
PASSES_PER_DOT = 100


def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
) -> tuple[str, str, str] | None:
    """A dot stands for many tests that passed, so that a run is a few lines."""
    if report.when != "call" or not report.passed or hasattr(report, "wasxfail"):
        return None
    config.stash[PASSED] += 1
    return "passed", "" if config.stash[PASSED] % PASSES_PER_DOT else ".", "PASSED"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What was left out, and why, in a line for each reason."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    rows = [f"{count} of files and tests: {reason}" for reason, count in sorted(reasons.items())]
    if collect_ignore_glob:
        rows.append("tests/lsp: needs pygls and pytest-lsp (the extra test)")
    if config.stash[IS_OF_ALL]:
        rows += ["slow tests: pytest -m slow", "comparisons with XLA: pytest -m oracle (the extra oracle)"]
    for row in rows:
        terminalreporter.write_line(f"left out: {row}")


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    """The reason that a skipped test or file states."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


# The command


Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shlo() -> Shlo:
    """Runs the command in this process: `shlo("verify", path, stdin="...", env={...}, cwd=folder)`.

    Args, streams, environment and exit status are those of a process of its own, which `shlo_process` starts.
    """

    def run(
        *arguments: object, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        from stablehlo_py.cli import watchdog
        from stablehlo_py.cli.main import main

        command = ["shlo", *map(str, arguments)]
        streams = {"stdin": _stream(stdin), "stdout": _stream(), "stderr": _stream(), "__stdout__": _stream()}
        status = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", command)
            patch.setattr(watchdog, "_GRACE", 1e6)  # it would end this process
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            if env is not None:
                patch.setattr(os, "environ", dict(env))
            if cwd is not None:
                patch.chdir(cwd)
            try:
                main()
            except SystemExit as end:
                status = int(end.code or 0)
        return subprocess.CompletedProcess(
            command, status, _text(streams["stdout"]), _text(streams["stderr"])
        )

    return run


def _stream(text: str = "") -> TextIOWrapper:
    """A standard stream that is no terminal, encoded in UTF-8."""
    return TextIOWrapper(BytesIO(text.encode("utf-8", "surrogateescape")), "utf-8", newline="\n")


def _text(stream: TextIOWrapper) -> str:
    """What was written to a stream, as a pipe delivers it."""
    stream.flush()
    return cast("BytesIO", stream.buffer).getvalue().decode()


@pytest.fixture
def shlo_process() -> Shlo:
    """Runs the command in a process of its own, with the arguments of `subprocess.run`."""

    def run(*arguments: object, stdin: str = "", **kwargs: object) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-Pc",  # no path to the working directory
            "from stablehlo_py.cli.entry import main; main()",
            *map(str, arguments),
        ]
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command, input=stdin, capture_output=True, text=True, timeout=300, check=False, **kwargs
        )

    return run


@pytest.fixture(scope="session")
def xla() -> Iterator[Xla]:
    """XLA's CPU backend, in one process for all tests that draw programs."""
    from tests.helpers.xla_batch import Xla

    backend = Xla()
    yield backend
    backend.close()


# A browser for the pages

BROWSER = os.environ.get("BROWSER_PATH") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright to steer a browser")
    if BROWSER is None:
        pytest.skip("needs a browser: Chromium or Chrome")
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()
