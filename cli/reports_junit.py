"""JUnit's XML, as CI servers read it: one suite, a test case for each module."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from stablehlo_py.cli import common
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals

from stablehlo_py import Diagnostic
from stablehlo_py.diagnostics.render import diagnostic_text

_WIDTH = 100
_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
_BROKEN = ("file", "internal")  # the codes of what says nothing about the program


class JunitReport:
    """Collects test cases; the document is written at the end."""

    def __init__(self, stream: TextIO, tool: Tool) -> None:
        self.stream = stream
        self.suite = Element("testsuite", name=f"shlo {tool.name}")

    def add(self, result: FileResult) -> None:
        for module in result.modules:
            self.suite.append(_case(result, module, several=len(result.modules) > 1))

    def close(self, totals: Totals) -> None:
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
    """The test case of a module: its errors make it fail, what else was found is its output."""
    file = _speakable(result.file)
    name = f"{file}:{module.first_line}" if several else file
    case = Element("testcase", classname=file, name=name, file=file, time=f"{module.seconds:.3f}")
    errors = [d for d in module.diagnostics if d.severity == "error"]
    others = [d for d in module.diagnostics if d.severity != "error"]
    if errors:
        kind = "error" if errors[0].code in _BROKEN else "failure"
        first = {"type": errors[0].code, "message": _speakable(errors[0].message)}
        SubElement(case, kind, first).text = _texts(result, errors)
    if others:
        SubElement(case, "system-out").text = _texts(result, others)
    return case


def _texts(result: FileResult, diagnostics: Iterable[Diagnostic]) -> str:
    rows = [diagnostic_text(result.file, d, result.lines.get(d.line, ""), _WIDTH) for d in diagnostics]
    return _speakable("\n".join(rows))


def _speakable(text: str) -> str:
    """The text with nothing that an XML document may not hold."""
    return _UNSPEAKABLE.sub("\N{REPLACEMENT CHARACTER}", common.speakable(text))
