"""The reference of an op, as data and as text, generated from its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from stablehlo_py.opset.definition import Attr, Body, Constraint, OpDef, Operand, Result, families
from stablehlo_py.opset.search import find_definition, nearest
from stablehlo_py.syntax.forms.synopsis import directive_rules, generic_synopsis, synopsis

__all__ = ["Data", "excerpt", "explain", "listing", "names", "nearest", "page", "select"]

SPECIFICATION = "https://github.com/openxla/stablehlo/blob/main/docs/spec.md"
_REASONS = {
    "typo": "typo in the specification",
    "precedence": "the specification's formula has a different operator precedence",
    "prose": "",  # the text of the specification is shown
    "sort": "`+` adds numbers; `++` concatenates lists",
}
_MARGIN = " " * 9
_VERDICTS = {
    "spec-only": "required by the specification, but not by upstream's verifier: a warning",
    "upstream": "required by upstream's verifier, but not by the specification",
    "run": "checked when the op runs: no verifier requires it",
}

Data = dict[str, Any]


def explain(name: str) -> Data | None:
    """Return the definition of an op as plain data.

    Args:
        name: The name of the op, or its mnemonic.

    Returns:
        A dictionary with name, family, doc, specification (a link, or ""), deprecated (the replacement, or
        ""), traits, inputs, outputs, form, form_rules, generic_form, example, where (names shared by the
        formulas), in_source_edition and constraints. Each input has label, name, role (operand, attribute or
        region) and type (as in the specification); each constraint has label, source_label (in the source
        edition of the specification; "" if the constraint is not in it, None if the op is not), formula,
        specification, why and verdict (error, spec-only, upstream or run). None if the op is unknown.
    """
    definition = find_definition(name)
    if definition is None:
        return None
    inputs = [_input(f"I{i + 1}", part, definition) for i, part in enumerate(definition.inputs)]
    return {
        "name": definition.name,
        "family": next(f for f, members in families().items() if definition in members),
        "doc": definition.doc,
        "specification": f"{SPECIFICATION}#{definition.section}" if definition.section else "",
        "deprecated": definition.deprecated,
        "traits": sorted(definition.traits),
        "inputs": inputs,
        "outputs": [_output(f"O{i + 1}", part) for i, part in enumerate(definition.outputs)],
        "form": synopsis(definition),
        "form_rules": directive_rules(definition),
        "generic_form": generic_synopsis(definition),
        "example": definition.example,
        "where": dict(definition.where),
        "in_source_edition": _in_source_edition(definition),
        "constraints": [_constraint(c, definition) for c in definition.constraints],
    }


def names() -> dict[str, list[str]]:
    """Return the names of all ops, by family."""
    return {family: [d.name for d in members] for family, members in families().items()}


def select(data: Data, label: str) -> list[Data]:
    """Return the inputs, outputs or constraints with a label such as C12, ignoring case."""
    rows = [*data["inputs"], *data["outputs"], *data["constraints"]]
    return [row for row in rows if row["label"].lower() == label.lower()]


def _input(label: str, part: Operand | Attr | Body, definition: OpDef) -> Data:
    match part:
        case Operand():
            role, words = "operand", part.type.phrase
        case Attr():
            role, words = "attribute", part.type.replace("\n", " ") or part.kind.phrase
        case _:
            role, words = "region", "function"
    found = {"label": label, "name": part.name, "role": role, "type": words, "optional": part.optional}
    if isinstance(part, Attr):
        held = f"{part.property}.{part.field}" if part.field else part.property
        return {**found, "kind": part.kind_name, "default": part.default, "property": held}
    return {**found, "variadic": part.variadic}


def _output(label: str, part: Result) -> Data:
    return {"label": label, "name": part.name, "type": part.type.phrase, "variadic": part.variadic}


def _in_source_edition(definition: OpDef) -> bool:
    return bool(definition.section) and definition.source_labels is not None


def _constraint(rule: Constraint, definition: OpDef) -> Data:
    why = _REASONS.get(rule.why, rule.why).removesuffix(".")
    return {
        "label": rule.label,
        "source_label": definition.source_label(rule.label) if _in_source_edition(definition) else None,
        "formula": rule.formula,
        "specification": rule.spec,
        "why": why[:1].lower() + why[1:],
        "verdict": rule.verdict,
    }


# Text ------------------------------------------------------------------------------------------------


def page(data: Data, width: int) -> str:
    """Render the complete reference of an op as text.

    Args:
        data: What `explain` returned.
        width: The line width, in cells.

    Returns:
        The text.
    """
    parts = [list(_head(data, width)), *(list(_section(*s, width)) for s in _sections(data))]
    parts.append(_marks(data["constraints"]))
    return "\n\n".join("\n".join(part) for part in parts if part)


def excerpt(data: Data, rows: Sequence[Data], width: int) -> str:
    """Render some rows of an op, and the names that their formulas use."""
    lines = [data["name"], *(line for row in rows for line in _row(row, width))]
    text = " ".join(row.get("formula", "") for row in rows)
    for name, formula in data["where"].items():
        if name in text:
            lines += _binding(name, formula, width)
    return "\n".join([*lines, *_marks(rows)])


def _head(data: Data, width: int) -> Iterator[str]:
    yield f"{data['name']}   ({data['family']})"
    yield from wrap(data["doc"], width, initial_indent="  ", subsequent_indent="  ")
    if data["deprecated"]:
        yield f"  deprecated: use {data['deprecated']}"
    if data["specification"]:
        yield f"  {data['specification']}"
        if not data["in_source_edition"]:
            yield "  not in the source edition of the specification"


def _sections(data: Data) -> Iterator[tuple[str, list[Any]]]:
    yield "Inputs", data["inputs"]
    yield "Outputs", data["outputs"]
    yield (
        "Assembly format",
        [data["form"] or data["generic_form"], *(f"  {rule}" for rule in data["form_rules"])],
    )
    yield "Example", data["example"].split("\n") if data["example"] else []
    yield "Constraints", data["constraints"]
    yield "Names", [f"{name} = {formula}" for name, formula in data["where"].items()]


def _section(title: str, rows: list[Any], width: int) -> Iterator[str]:
    if not rows:
        return
    yield title
    for row in rows:
        match row:
            case str():
                yield from [f"  {row}"] if title == "Example" else _wrapped(row, "  ", width)
            case _:
                yield from _row(row, width)


def _row(row: Data, width: int) -> Iterator[str]:
    """Render an input, output or constraint."""
    label = f"  {row['label']:<4} "
    if "formula" not in row:
        words = f"{row['name']}{'...' if row.get('variadic') else ''}: {_about(row)}"
        yield from _wrapped(words, label, width)
        return
    mark = f"   [{row['verdict']}]" if row["verdict"] != "error" else ""
    yield from _wrapped(row["formula"] + mark, label, width)
    if row["source_label"] not in (None, row["label"]) and (
        row["source_label"] or row["label"].startswith("C")
    ):
        yield from _wrapped(row["source_label"] or "none", f"{_MARGIN}source edition: ", width)
    if row["specification"]:
        first, *rest = row["specification"].replace("`", "").removesuffix(".").split("\n")
        yield from _wrapped(first, f"{_MARGIN}specification: ", width)
        for line in rest:
            yield from _wrapped(line.strip(), f"{_MARGIN}  ", width)
    if row["why"]:
        yield from _wrapped(row["why"], f"{_MARGIN}note: ", width)


def _marks(rows: Sequence[Data]) -> list[str]:
    """Explain the verdicts that mark formulas."""
    used = {row.get("verdict") for row in rows}
    return [f"[{mark}]: {meaning}" for mark, meaning in _VERDICTS.items() if mark in used]


def _about(row: Data) -> str:
    """Describe the type of an input or output."""
    notes = [str(row["type"]).replace("`", "")]
    if row.get("kind"):
        notes.append(f"stored as {row['kind']}")
        if row["property"] != row["name"]:
            notes[-1] += f" in {row['property']}"
    if row.get("default") is not None:
        notes.append(f"default {row['default']}")
    elif row.get("optional"):
        notes.append("optional")
    return "; ".join(notes)


def _binding(name: str, formula: str, width: int) -> list[str]:
    return _wrapped(f"{name} = {formula}", "  ", width)


def _wrapped(text: str, indent: str, width: int, hang: int = 0) -> list[str]:
    """Wrap text, with a hanging indent of `hang` cells or, by default, two more than `indent`."""
    return wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=" " * (hang or max(len(_MARGIN), len(indent) - len(indent.lstrip()) + 2)),
        break_long_words=False,
        break_on_hyphens=False,
    )


def listing(width: int) -> str:
    """List all ops by family, as text."""
    lines = []
    for family, members in names().items():
        short = ", ".join(name.removeprefix("stablehlo.") for name in members)
        lines += [family, *_wrapped(short, "  ", width, hang=2)]
    return "\n".join(lines)
