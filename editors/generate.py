"""Writes the TextMate grammar of the editors from the grammar of the language and the definitions of the ops.

python editors/generate.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.opset.structures import ENUMS
from stablehlo_py.syntax.lalr.full_grammar import SHORT_DIALECTS
from stablehlo_py.syntax.lalr.lexer import TYPE_WORDS
from stablehlo_py.syntax.lalr.tables import load_tables

TARGET = Path(__file__).parent / "vscode" / "syntaxes" / "mlir.tmLanguage.json"
_SUFFIX = r"[\w$.\-]+"
# The start of a word: otherwise a search in a long hexadecimal string takes quadratic time.
_START = r"(?<![\w$.])"
_AGGREGATES = ("tensor", "complex", "tuple", "memref", "vector")
_CONSTANTS = ("true", "false", "unit", "dense", "dense_resource", "sparse", "array")


def grammar() -> dict[str, Any]:
    """The grammar, as the value of its JSON file."""
    tables = load_tables()
    patterns = {name: _portable(pattern) for name, pattern in tables.patterns.items()}
    ops = sorted(definition.name for definition in all_definitions())
    short = [op.partition(".")[2] for op in ops if op.startswith(SHORT_DIALECTS)]
    keywords = [word for word in tables.literals if word.isidentifier() and word not in ("x", *_CONSTANTS)]
    values = {value for enum in ENUMS.values() for value in enum.values}
    words = [word for word in (*keywords, "loc", "module") if word not in _AGGREGATES]
    return {
        "name": "StableHLO (MLIR)",
        "scopeName": "source.mlir",
        "fileTypes": ["mlir"],
        "patterns": [{"include": "#all"}],
        "repository": {
            "all": {
                "patterns": [
                    _match("comment.line.double-slash.mlir", patterns["COMMENT"]),
                    _match("support.function.op.mlir", rf'"(?:{_any(ops)})"(?=\s*\()'),
                    _string(),
                    _match("variable.other.mlir", patterns["VALUE_ID"]),
                    _match("entity.name.function.mlir", r'@(?:[A-Za-z_][\w$.]*|"[^"\n]*")'),
                    _match("entity.name.label.mlir", patterns["BLOCK_ID"]),
                    _match("meta.preprocessor.attribute.mlir", rf"#{_SUFFIX}"),
                    _match("storage.type.dialect.mlir", rf"!{_SUFFIX}"),
                    _aggregate(),
                    _elements(),
                    _match("support.function.op.mlir", _word(_any(ops))),
                    _match("storage.type.mlir", _word(rf"(?:[su]?i[1-9]\d*|{_any(TYPE_WORDS)})")),
                    _match("constant.language.mlir", _word(_any((*_CONSTANTS, *values)))),
                    _match("keyword.other.mlir", _word(_any((*words, *short)))),
                    _match("variable.parameter.attribute.mlir", rf"{_START}[A-Za-z_][\w$.]*+(?=\s*=(?!=))"),
                    _match("support.function.mlir", rf"{_START}[A-Za-z_][\w$]*+(?:\.[\w$]++)++"),
                    _match(
                        "constant.numeric.mlir", rf"{patterns['FLOAT_LITERAL']}|{patterns['INTEGER_LITERAL']}"
                    ),
                    _match("keyword.operator.mlir", r"->|::|="),
                    _match("source.word.mlir", rf"{_START}[A-Za-z_][\w$.]*+"),
                ]
            },
            "type": {
                "patterns": [
                    {"include": "#aggregate"},
                    _match("comment.line.double-slash.mlir", patterns["COMMENT"]),
                    _string(),
                    _match("constant.numeric.dimension.mlir", r"(?:\d+|\?|\*)(?=\s*x)"),
                    _match("keyword.operator.dimension.mlir", r"x(?=[\d?*a-z!])"),
                    _match("storage.type.mlir", rf"(?:[su]?i[1-9]\d*|{_any(TYPE_WORDS)})(?![\w$])"),
                    _match("meta.preprocessor.attribute.mlir", rf"#{_SUFFIX}"),
                    _match("storage.type.dialect.mlir", rf"!{_SUFFIX}"),
                    {"begin": "<", "end": ">", "patterns": [{"include": "#type"}]},
                    _match("keyword.operator.mlir", r"->|:"),
                    _match("constant.numeric.mlir", r"-?\d[\w.+\-]*"),
                ]
            },
            "aggregate": _aggregate(),
        },
    }


def _match(scope: str, pattern: str) -> dict[str, str]:
    return {"name": scope, "match": pattern}


def _string() -> dict[str, Any]:
    """Strings, with their escape sequences."""
    escape = _match("constant.character.escape.mlir", r"\\[^\n]")
    return {"name": "string.quoted.double.mlir", "begin": '"', "end": r'"|$', "patterns": [escape]}


def _elements() -> dict[str, Any]:
    """Constants: a run of numbers is one token, since VS Code scans the rest of a long line for each."""
    return {
        "begin": r"\b(dense|sparse)\s*(<)",
        "beginCaptures": {"1": {"name": "constant.language.mlir"}},
        "end": ">",
        "patterns": [
            _match("string.quoted.double.mlir", r'"[^"\n]*"'),
            _match("comment.line.double-slash.mlir", r"//[^\n]*"),
            _match("constant.numeric.mlir", r'(?:[^"/>]|/(?!/))+'),
        ],
    }


def _aggregate() -> dict[str, Any]:
    """Types with brackets, which may span lines."""
    return {
        "begin": rf"\b({'|'.join(_AGGREGATES)})\s*(<)",
        "beginCaptures": {"1": {"name": "storage.type.mlir"}},
        "end": ">",
        "patterns": [{"include": "#type"}],
    }


def _any(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first."""
    return "|".join(map(re.escape, sorted(set(words), key=lambda word: (-len(word), word))))


def _word(pattern: str) -> str:
    """A pattern that is not part of a longer word."""
    return rf"{_START}(?:{pattern})(?![\w$.\-])"


def _portable(pattern: str) -> str:
    """A pattern without flags in groups, which Oniguruma spells differently."""
    return re.sub(r"\(\?([a-z]+):", "(?:", pattern)


def main() -> int:
    """Writes the file; with --check, returns 1 if it differs."""
    text = json.dumps(grammar(), indent=2) + "\n"
    if "--check" in sys.argv:
        is_current = TARGET.exists() and TARGET.read_text() == text
        print(f"{TARGET}: {'up to date' if is_current else 'run python editors/generate.py'}")
        return 0 if is_current else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
