"""A Pygments lexer for `.mlir` text, also installed as the Pygments plugin `mlir`."""

from __future__ import annotations

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MlirLexer(RegexLexer):
    """Tokens of MLIR's textual form, for highlighting."""

    name = "MLIR"
    aliases = ["mlir", "stablehlo"]
    filenames = ["*.mlir"]
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//[^\n]*", Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"[%^][\w$.-]+(?:#\d+|:\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"[#!][\w$.-]+", Name.Attribute),
            (r"[A-Za-z_][\w$]*(?:\.[\w$]+)+", Name.Builtin),
            (r"(?:tensor|complex|tuple|memref|vector)(?=<)", Keyword.Type),
            (r"(?:[su]?i\d+|f\d+\w*|bf16|index|token)\b", Keyword.Type),
            (r"(?:module|func|return|cond|do|applies|across|init|dense|array|loc|true|false)\b", Keyword),
            (r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", Number),
            (r"->|::|=", Operator),
            (r"[\w$.]+", Name),
            (r"[^\w\s]", Punctuation),
        ]
    }
