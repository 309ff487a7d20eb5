"""The public function `report`, and what reports show of a valid program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.diagnostics.diagnostic import Diagnostics, ParseError, RunError
from stablehlo_py.ir.core import Module

if TYPE_CHECKING:
    from stablehlo_py.debug.machine import Limits
    from stablehlo_py.linter.settings import Settings
    from stablehlo_py.reports.report import Report, Run, Section, Subject

_REPEATS = 5  # runs after the first


def report(
    *programs: Module | Any, inputs: Sequence[Any] | None = None, title: str = "StableHLO report"
) -> Report:
    """Report on programs in one HTML document, as `shlo report`: findings, text, cost, memory and graph.

    Args:
        programs: Modules, or other sources that `parse` takes. A program with syntax errors is in the report
            with them.
        inputs: The inputs of each program, in order. If they are given, valid programs are run on the NumPy
            engine, and their profiles are shown.
        title: The title of the document.

    Returns:
        The report, which a notebook shows: `html` is the document, and `diagnostics` are all findings.

    Raises:
        OSError: If a file cannot be read.
        TypeError: If an object does not contain a program.

    Example:
        Path("model.html").write_text(shlo.report(module, inputs=[x]).html, "utf-8")
    """
    from stablehlo_py.debug.machine import measure_limits
    from stablehlo_py.reports.report import Report, program_section, report_page

    limits = measure_limits() if inputs is not None else None
    subjects = [_subject(program, at, inputs, limits) for at, program in enumerate(programs, 1)]
    sections = [program_section(subject) for subject in subjects]
    findings = Diagnostics([each for subject in subjects for each in subject.diagnostics])
    return Report(title, report_page(sections, explanations(sections), title), findings)


def analyze_subject(
    subject: Subject, module: Module, settings: Settings | None, run: Callable[[], None]
) -> None:
    """Add to a valid program what reports show of it.

    Args:
        subject: The program, with the diagnostics of the verifier.
        module: Its module.
        settings: The settings of the linter.
        run: Adds runs, and their diagnostics; the errors of a comparison colour the graph.
    """
    from stablehlo_py.analysis.memory import Memory
    from stablehlo_py.api import analyze, lint
    from stablehlo_py.api.devices import analyze_mesh
    from stablehlo_py.reports.comparison_html import errors_by_line
    from stablehlo_py.reports.graph import graph

    subject.add(*lint(module, settings=settings))
    subject.analysis = analyze(module)
    devices = analyze_mesh(module)
    subject.devices = devices.to_dict() if devices is not None else None
    if subject.analysis.entry is not None:
        subject.memory = Memory(module).timeline(subject.analysis.entry)
    run()
    wrong = errors_by_line(subject.comparison) if subject.comparison is not None else {}
    sent = devices.sent_by_line() if devices is not None else {}
    subject.graph = graph(module, costs=True, errors=wrong, sent=sent)


def explanations(sections: Sequence[Section]) -> list[str]:
    """Render the explanations of the rules of all diagnostics, as HTML."""
    from stablehlo_py.analysis.op_reference import explain
    from stablehlo_py.reports.report import explanation_html
    from stablehlo_py.reports.rules import describe

    found = []
    for code in sorted({code for each in sections for code in each.codes}):
        rule, op = describe(code), explain(code.rpartition(".")[0])
        about = op["doc"] if op is not None else ""
        found.append(explanation_html(code, about, rule.help, rule.uri, rule.is_markdown))
    return found


def _subject(program: Any, number: int, inputs: Sequence[Any] | None, limits: Limits | None) -> Subject:
    from stablehlo_py.api import parse, verify
    from stablehlo_py.reports.graph import graph
    from stablehlo_py.reports.report import Subject

    try:
        module = parse(program)
    except ParseError as error:
        text = program if isinstance(program, str) else ""
        return Subject(f"{number}. {error.name}", text, None, error.diagnostics)
    source = module.source
    name = f"{number}. {module.name}"
    subject = Subject(name, source.program, module, verify(module), source.first_line)
    if subject.count("error"):
        subject.graph = graph(module)
        return subject

    def run() -> None:
        if inputs is None or limits is None:
            return
        try:
            subject.run = _profiled(module, inputs, limits)
        except RunError as error:
            subject.add_failure(error)

    analyze_subject(subject, module, None, run)
    return subject


def _profiled(module: Module, inputs: Sequence[Any], limits: Limits) -> Run:
    from stablehlo_py.api import compile
    from stablehlo_py.debug.observers import Profile
    from stablehlo_py.reports.profile_html import ProfileData
    from stablehlo_py.reports.report import Run

    profile = Profile()
    program = compile(module, engine="numpy", observer=profile)
    for _ in range(1 + _REPEATS):
        program(*inputs)
    return Run(ProfileData.of(profile, limits))
