"""Fuzzed engines' processes: an end and a limit are told apart, and the next program gets a new process."""

from __future__ import annotations

import sys

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.fuzz import engines
from stablehlo_py.debug.fuzz.engines import Engines, Worker
from stablehlo_py.debug.fuzz.verdict import ENDED


@pytest.mark.parametrize(
    ("code", "limit", "answer"),
    [
        ("raise SystemExit(3)", 120, f"{ENDED} with status 3"),
        ("import time; time.sleep(120)", 0.2, "no result after 0.2 seconds"),
    ],
)
def test_a_process_without_an_answer(
    monkeypatch: pytest.MonkeyPatch, code: str, limit: float, answer: str
) -> None:
    monkeypatch.setattr(engines, "LONGEST", limit)
    worker = Worker("numpy")
    worker._command = [sys.executable, "-S", "-c", code]
    for _ in range(2):
        worker.ask("", [])
        assert worker.answer() == answer
    worker.close()


class Told(Worker):
    """A worker that only records what it is asked, and has two results."""

    def ask(self, text: str, inputs: object) -> None:
        self.text = text

    def answer(self) -> list[float]:
        return [1.0, 1.0]


def test_programs_keep_their_spelling_and_results_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of values are not replaced by numbers, so that errors name what the report shows."""
    monkeypatch.setattr(engines, "Worker", Told)
    text = """func.func @main(%first: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  return %first, %first : tensor<f64>, tensor<f64>
}"""
    both = Engines(("a", "b"))
    assert both.judge(shlo.parse(text), [1.0]) is None and both.results == 2
    assert [worker.text.strip() for worker in both._workers] == [  # type: ignore[attr-defined]
        shlo.format(shlo.parse(text), canonical=False).strip()
    ] * 2
    assert "%first" in both._workers[0].text  # type: ignore[attr-defined]
