"""The report on programs: one HTML document with an index, and a section for each program.

Example:
    sections = [program_section(Subject(name, text, module, diagnostics))]
    report_page(sections, explanations)
"""

from stablehlo_py.reports.report.explanations import explanation_html
from stablehlo_py.reports.report.page import Report, report_page
from stablehlo_py.reports.report.section import Section, program_section
from stablehlo_py.reports.report.subject import Run, Subject

__all__ = ["Report", "Run", "Section", "Subject", "explanation_html", "program_section", "report_page"]
