"""The grammar of HLO text as one Lark grammar: the file, and the attributes of all rows of opcodes."""

from __future__ import annotations

from stablehlo_py.grammar import grammar_folder
from stablehlo_py.hlo.opcodes import COMMON, opcodes

_RULES = {  # the rule or terminal of a kind, where it has another name
    **dict.fromkeys(("int", "count", "dimension"), "INTEGER"),
    **dict.fromkeys(("bool", "flag"), "bool"),
    **dict.fromkeys(("axis", "dims"), "ints"),
    **dict.fromkeys(("text", "target", "thread"), "STRING"),
    **dict.fromkeys(("nonempty_lists", "pairs"), "int_lists"),
    **dict.fromkeys(
        (
            "word", "algorithm", "direction", "comparison", "convolution_kind", "fusion_kind", "fft_type",
            "distribution", "rng_algorithm", "transpose", "padding_type", "schedule", "api_version",
            "ignored",
        ),
        "NAME",
    ),
    "float": "number",
    "precision": "words",
    "computation": "called",
    "computations": "called_list",
    "instructions": "names",
    "literal": "literal_with_shape",
    "dim_labels": "DIM_LABELS",
    "padding": "PAD",
    "backend_config": "config",
}  # fmt: skip
_TOGETHER = {frozenset(["ints", "int_lists"]): ["ints_or_lists"]}  # what one token does not tell apart


def hlo_grammar() -> str:
    """Return the grammar, with the start symbols `text` and `single`, for Lark's LALR parser."""
    found: dict[str, set[str]] = {}
    for row in opcodes().values():
        for name, attribute in (row.attributes | COMMON).items():
            found.setdefault(name, set()).add(_RULES.get(attribute.kind, attribute.kind))
    found["async_execution_thread"] = {"STRING"}
    alternatives = [
        f'"{name}=" {rule}'
        for name, rules in sorted(found.items())
        for rule in _TOGETHER.get(frozenset(rules), sorted(rules))
    ]
    rule = "attribute: " + "\n    | ".join(alternatives)
    text = (grammar_folder() / "hlo.lark").read_text(encoding="utf-8")
    return f"{text}\n// Attributes, by the rows of opcodes.\n{rule}\n"
