"""Explanations of rules as HTML: text as `shlo explain` prints it, or Markdown as the linter has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stablehlo_py.reports.html import text
from stablehlo_py.reports.program_html import highlighted

_INLINE = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*")


def explanation_html(code: str, about: str, help: str, uri: str, is_markdown: bool) -> str:
    """Render the explanation of a rule.

    Args:
        code: The code of the rule's diagnostics, from which the element has its id.
        about: A sentence about what the rule is for, such as an op.
        help: The explanation.
        uri: Where the rule is documented, or "".
        is_markdown: Whether `help` is Markdown, otherwise text whose lines are kept.
    """
    if is_markdown:
        body = "".join(_blocks(help))
    else:
        body = (f"<p>{text(about)}</p>" if about else "") + f"<pre>{text(help)}</pre>"
    link = f'<p><a href="{text(uri)}" rel="noopener">Specification</a></p>' if uri else ""
    return f'<article class="rule" id="rule-{text(code)}"><h3>{text(code)}</h3>{body}{link}</article>'


def _blocks(markdown: str) -> Iterator[str]:
    """Yield the paragraphs and code blocks of Markdown as HTML; its headings are left out."""
    for index, part in enumerate(markdown.split("```")):
        if index % 2:
            language, _, code = part.partition("\n")
            code = code.rstrip("\n")
            shown = highlighted(code) if language == "mlir" else text(code)
            yield f'<pre class="shlo-program">{shown}</pre>'
            continue
        for paragraph in part.strip().split("\n\n"):
            if paragraph.strip() and not paragraph.startswith("#"):
                yield f"<p>{_inline(paragraph)}</p>"


def _inline(words: str) -> str:
    """Render code and emphasis in a paragraph."""
    parts, end = [], 0
    for found in _INLINE.finditer(words):
        parts.append(text(words[end : found.start()]))
        parts.append(f"<code>{text(found[1])}</code>" if found[1] else f"<b>{_inline(found[2])}</b>")
        end = found.end()
    return "".join([*parts, text(words[end:])])
