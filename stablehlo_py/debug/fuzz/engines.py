"""The fuzzed engines, each in a separate process, which is restarted after its end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from stablehlo_py.debug.fuzz.verdict import ENDED, Verdict, judged
from stablehlo_py.engines.messages import read_message, write_message
from stablehlo_py.engines.native.patterns import FILL_MEMORY
from stablehlo_py.ir.core import Module
from stablehlo_py.syntax.printer import format_module

LONGEST = 120  # seconds that an engine may take for a program

Answer = list[Any] | str  # the results of a program, or its error


class Worker:
    """A process that runs programs on an engine; a new one is started if it ends.

    Args:
        engine: The name of the engine.
    """

    def __init__(self, engine: str) -> None:
        self._command = [sys.executable, "-m", "stablehlo_py.debug.fuzz.worker", engine]
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def ask(self, text: str, inputs: Sequence[Any]) -> None:
        """Let the engine run a program."""
        if self._process is None:
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            filled = {**os.environ, FILL_MEMORY: "1"}  # so that reading unwritten memory shows
            self._process = subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, stderr=nothing, env=filled
            )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the answer says that the process ended
            write_message(self._process.stdin, text, list(inputs))

    def answer(self) -> Answer:
        """Return the results of the program, or its error."""
        assert self._process is not None and self._process.stdout is not None
        stopped = threading.Event()
        alarm = threading.Timer(LONGEST, self._stop, (stopped,))
        alarm.start()
        try:
            error, results = read_message(self._process.stdout)
        except EOFError:
            self._process.communicate()
            code, self._process = self._process.returncode, None
            return f"no result after {LONGEST} seconds" if stopped.is_set() else f"{ENDED} with status {code}"
        finally:
            alarm.cancel()
        return error or list(results)

    def _stop(self, stopped: threading.Event) -> None:
        stopped.set()
        if self._process is not None:
            self._process.kill()


class Engines:
    """Two engines that run the same programs.

    Args:
        names: The names of the engines.

    Attributes:
        names: The names of the engines.
        results: The number of results that were compared.
    """

    def __init__(self, names: tuple[str, str]) -> None:
        self.names = names
        self.results = 0
        self._workers = [Worker(name) for name in names]

    def __enter__(self) -> Engines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.close()

    def judge(self, module: Module, inputs: Sequence[Any]) -> Verdict | None:
        """Run a program on both engines; return what goes wrong, or None."""
        text = format_module(module, canonical=False)
        for worker in self._workers:
            worker.ask(text, inputs)
        answers = [worker.answer() for worker in self._workers]
        if not any(isinstance(answer, str) for answer in answers):
            self.results += len(answers[0])
        return judged(module, self.names, answers)
