"""JUnit XML reports: one test suite, with a test case per module."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from stablehlo_py.cli import common
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import diagnostic_text

_WIDTH = 100
_INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_BROKEN = ("file", "internal")  # codes of errors that are not about the program


class JunitReport:
    """JUnit XML, written when the report is closed."""

    def __init__(self, stream: TextIO, tool: Tool) -> None:
        self.stream = stream
        self.suite = Element("testsuite", name=f"shlo {tool.name}")

    def add(self, result: FileResult) -> None:
        """Report the result of one file."""
        for module in result.modules:
            self.suite.append(_case(result, module, several=len(result.modules) > 1))

    def close(self, totals: Totals) -> None:
        """Finish the report."""
        counts = {
            "tests": len(self.suite),
            "failures": sum(case.find("failure") is not None for case in self.suite),
            "errors": sum(case.find("error") is not None for case in self.suite),
            "time": f"{totals.seconds:.3f}",
        }
        document = Element("testsuites")
        document.append(self.suite)
        for element in (document, self.suite):
            element.attrib |= {key: str(value) for key, value in counts.items()}
        ElementTree.indent(document)
        self.stream.write('<?xml version="1.0" encoding="utf-8"?>\n')
        self.stream.write(ElementTree.tostring(document).decode() + "\n")  # ASCII, with references


def _case(result: FileResult, module: ModuleResult, several: bool) -> Element:
    """Make the test case of a module: errors are its failure, other diagnostics its output."""
    file = _xml_text(result.file)
    name = f"{file}:{module.first_line}" if several else file
    case = Element("testcase", classname=file, name=name, file=file, time=f"{module.seconds:.3f}")
    errors = [d for d in module.diagnostics if d.severity == "error"]
    others = [d for d in module.diagnostics if d.severity != "error"]
    if errors:
        kind = "error" if errors[0].code in _BROKEN else "failure"
        first = {"type": errors[0].code, "message": _xml_text(errors[0].message)}
        SubElement(case, kind, first).text = _texts(result, errors)
    if others:
        SubElement(case, "system-out").text = _texts(result, others)
    return case


def _texts(result: FileResult, diagnostics: Iterable[Diagnostic]) -> str:
    rows = [diagnostic_text(result.file, d, result.lines.get(d.line, ""), _WIDTH) for d in diagnostics]
    return _xml_text("\n".join(rows))


def _xml_text(text: str) -> str:
    """Replace characters that XML does not allow."""
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", common.speakable(text))
