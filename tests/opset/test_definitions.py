"""Definitions of ops are complete and well-formed: forms parse, formulas compile, all labels exist."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from stablehlo_py.notation import terms
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.scope import scope_of
from stablehlo_py.opset.classes import TypeClass
from stablehlo_py.opset.definition import (
    Attr,
    Constraint,
    OpDef,
    Operand,
    Result,
    all_definitions,
    define,
    lookup,
    rules,
)
from stablehlo_py.opset.kinds import fields_of
from stablehlo_py.opset.structures import STRUCTS
from stablehlo_py.syntax.forms import assembly_format as forms
from tests.helpers.each import for_each

TABLES = Path(__file__).parents[2] / "testdata" / "spec_tables"


def table(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CURRENT_OPS = {row["op"] for row in table("ops.csv") if row["in_current_spec"] == "y"}
CURRENT_CONSTRAINTS = [
    (row["element"], row["label"], row["formula"].replace("\\n", "\n"))
    for row in table("constraints.csv")
    if row["kind"] == "op" and row["in_current"] == "y"
]


def words_of(op: str, label: str) -> list[str]:
    """What the specification says under a label, as the definition has it, once for each formula."""
    definition = lookup(f"stablehlo.{op}")
    assert definition is not None, f"{op} is not defined"
    found = [c for c in definition.constraints if c.label == label]
    assert found, f"{op} has no constraint {label}"
    return [normalized(c.spec or f"`{c.formula}`") for c in found]


def normalized(text: str) -> str:
    """The text without line breaks, indentation and final period."""
    return " ".join(text.split()).rstrip(".")


@for_each(all_definitions)
def test_form_is_well_made(definition: OpDef) -> None:
    if definition.form is None:
        return
    known = {i.name for i in definition.inputs} | {r.name for r in definition.outputs}
    known |= (
        {s.name for s in definition.successors} | set(definition.property_kinds) | {"operands", "results"}
    )
    assert set(names_in(forms.parse_form(definition.form))) <= known


def names_in(elements: tuple[forms.Element, ...]) -> list[str]:
    found: list[str] = []
    for element in elements:
        if isinstance(element, forms.Ref | forms.TypeOf):
            found.append(element.name)
        elif isinstance(element, forms.Directive):
            found += names_in(element.arguments)
        elif isinstance(element, forms.Optional):
            found += names_in(element.elements)
    return found


@for_each(all_definitions)
def test_formulas_compile(definition: OpDef) -> None:
    scope = scope_of(definition)
    for _, formula in definition.where:
        Compiler(scope.names).compile(terms.parse(formula))
    compiler = Compiler(scope.names)
    for constraint in definition.constraints:
        compiler.condition(terms.parse(constraint.formula))


@for_each(all_definitions)
def test_defaults_compile(definition: OpDef) -> None:
    for attr in definition.attrs:
        if attr.default is not None:
            scope_of(definition).default(attr)


@for_each(all_definitions)
def test_attributes_are_stored_somewhere(definition: OpDef) -> None:
    for attr in definition.attrs:
        assert attr.kind.name == attr.kind_name
        if attr.field:
            structure = definition.property_kinds[attr.property].struct
            assert structure is not None
            kinds = {field.name: kind for field, kind in fields_of(structure)}
            assert kinds[attr.field].sort == attr.kind.sort


@for_each(all_definitions)
def test_names_and_labels_are_unique(definition: OpDef) -> None:
    parts = [*definition.inputs, *definition.outputs]
    assert len({part.name for part in parts}) == len(parts)
    labels = [(c.label, c.verdict) for c in definition.constraints]
    assert len(set(labels)) == len(labels)


@for_each(all_definitions)
def test_constraints_are_in_the_order_of_the_specification(definition: OpDef) -> None:
    numbers = [int(c.label[1:]) for c in definition.constraints if c.label.startswith("C")]
    assert numbers == sorted(numbers)


# Ops some of whose rules of a run, or of upstream alone, stand among others.
MIXED = {
    *("reduce", "reduce_window", "gather", "dynamic_gather", "fft", "rng", "rng_bit_generator"),
    *("dynamic_broadcast_in_dim", "dynamic_reshape", "dynamic_iota", "dynamic_pad", "dynamic_conv"),
    "real_dynamic_slice",
}


@for_each(all_definitions)
def test_constraints_of_the_specification_are_first(definition: OpDef) -> None:
    """Then those of upstream, then those of a run, each in order; those on mesh axes are behind the first."""
    labels = [c.label for c in definition.constraints if c.label not in ("U8", "U9")]
    if definition.name.removeprefix("stablehlo.") not in MIXED:
        assert labels == sorted(labels, key=lambda label: ("CUR".index(label[0]), int(label[1:])))


def test_ops_that_a_start_may_hold() -> None:
    """Those that the specification names, and one more, which upstream takes."""
    (words,) = [t for op, label, t in CURRENT_CONSTRAINTS if (op, label) == ("async_start", "C2")]
    definition = lookup("stablehlo.async_start")
    assert definition is not None
    (rule,) = [c for c in definition.constraints if c.label == "C2"]
    named = set(re.findall(r"`(\w+)`", words)) - {"body"} | {"collective_reduce"}
    assert set(re.findall(r'"stablehlo\.(\w+)"', rule.formula)) == named


@for_each(all_definitions)
def test_labels_are_a_letter_and_a_number(definition: OpDef) -> None:
    """What a label names is a formula, also of ops that no program of the verifier's tests has."""
    for constraint in definition.constraints:
        assert re.fullmatch(r"[CIRU][1-9]\d*", constraint.label)
        assert scope_of(definition).compiler().condition(terms.parse(constraint.formula)).sort.name == "Bool"


@for_each(all_definitions)
def test_constraints_say_where_they_come_from(definition: OpDef) -> None:
    for constraint in definition.constraints:
        assert constraint.label.startswith("U") == (constraint.verdict == "upstream"), constraint.label
        assert constraint.why or not (constraint.spec or constraint.verdict == "spec-only"), constraint.label


@for_each(all_definitions)
def test_is_documented(definition: OpDef) -> None:
    assert definition.doc.endswith(".")
    assert definition.example


@for_each(sorted(CURRENT_OPS))
def test_every_op_of_the_specification_is_defined(op: str) -> None:
    definition = lookup(f"stablehlo.{op}")
    assert definition is not None
    assert definition.section == op


@for_each(CURRENT_CONSTRAINTS)
def test_every_constraint_is_there_in_the_words_of_the_specification(op: str, label: str, text: str) -> None:
    assert set(words_of(op, label)) == {normalized(text)}


def test_no_constraint_has_a_label_that_the_specification_does_not_have() -> None:
    specified = {(op, label) for op, label, _ in CURRENT_CONSTRAINTS}
    specified |= {(r["element"], r["label"]) for r in table("constraints.csv")}
    ours = {
        (d.name.removeprefix("stablehlo."), c.label)
        for d in all_definitions()
        for c in d.constraints
        if d.section and d.name.startswith("stablehlo.")
    }
    assert {(op, label) for op, label in ours if label.startswith("C")} <= specified


def test_defining_an_op_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"stablehlo\.add is already defined"):
        define(OpDef(name="stablehlo.add"))


def test_rules_makes_constraints_of_pairs() -> None:
    full = Constraint("C2", "true", why="prose")
    assert rules(("C1", "rank(x) = 1"), full) == (Constraint("C1", "rank(x) = 1"), full)


def test_properties_of_an_attribute_inside_a_structure() -> None:
    attr = Attr("lhs_batching_dimensions", "array<i64>", at="dot_dimension_numbers.lhs_batching_dimensions")
    assert (attr.property, attr.field) == ("dot_dimension_numbers", "lhs_batching_dimensions")
    definition = lookup("stablehlo.dot_general")
    assert definition is not None
    assert list(definition.property_kinds) == ["algorithm", "dot_dimension_numbers", "precision_config"]
    assert definition.required_properties == {"dot_dimension_numbers"}


def test_structures_and_enumerations_refer_to_each_other() -> None:
    for structure in STRUCTS.values():
        assert [field.name for field, _ in fields_of(structure)] == [f.name for f in structure.fields]


# Ops whose bodies are functions of elements, and those whose bodies are names for what is written elsewhere.
ON_ELEMENTS = {"all_reduce", "collective_reduce", "map", "reduce", "reduce_scatter", "reduce_window"}
ON_ELEMENTS |= {"scatter", "select_and_scatter", "sort"}
HOLDING = {"builtin.module", "func.func", "stablehlo.composite"}


def test_every_op_with_bodies_says_whether_it_runs_them_as_parts_of_the_program() -> None:
    others = {d.name for d in all_definitions() if d.bodies and "runs_bodies" not in d.traits}
    assert others == HOLDING | {f"stablehlo.{name}" for name in ON_ELEMENTS}


def test_ops_whose_shapes_or_constraints_values_decide() -> None:
    names = ("dynamic_iota", "all_gather", "dynamic_slice", "add")  # of the second, the process grid does
    found = [lookup(f"stablehlo.{name}") for name in names]
    assert [each and each.is_checked_at_run for each in found] == [True, True, False, False]
    rule = Constraint("C1", "true", verdict="run")
    assert OpDef("a.b", constraints=(rule,)).is_checked_at_run
    assert not OpDef("a.b", constraints=(replace(rule, verdict="error"),)).is_checked_at_run


def test_importing_the_definitions_compiles_no_formula_or_form() -> None:
    program = (
        "import sys, stablehlo_py.opset; "
        "print([name for name in sys.modules if name in ('lark', 'stablehlo_py.notation.build')])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_labels_of_the_source_edition() -> None:
    """Of every constraint of either edition; what today's dropped is stated under another label."""
    for row in table("constraints.csv"):
        definition = lookup(f"stablehlo.{row['element']}")
        source = row["source_label"] if row["in_source"] != "n" else ""
        if row["kind"] == "op" and row["in_current"] == "y":
            assert definition is not None
            assert definition.source_label(row["label"]) == source, row
        elif row["kind"] == "op":
            assert definition is not None
            (ours,) = [c for c in definition.constraints if definition.source_label(c.label) == source]
            assert normalized(ours.spec or f"`{ours.formula}`") == normalized(row["formula"])


def test_each_difference_between_editions_has_a_reason() -> None:
    rows = table("constraints.csv")
    moved = [r for r in rows if r["in_current"] == "y" != r["in_source"] or r["label"] != r["source_label"]]
    assert all(row["note"] for row in moved)
    assert sum(r["in_current"] == "y" and r["in_source"] != "n" for r in moved) > 39
    dropped = {(row["element"], row["source_label"]) for row in rows if row["in_current"] == "n"}
    assert dropped == {("QuantizedTensorElementType", "C1"), *(("recv", f"C{n}") for n in (2, 3, 4))}


@for_each(all_definitions)
def test_fields_are_of_their_kinds(definition: OpDef) -> None:
    for each in (*definition.inputs, *definition.outputs):
        assert re.fullmatch(r"[a-z]\w*", each.name), each
        if isinstance(each, Operand | Result):
            assert isinstance(each.type, TypeClass) and isinstance(each.variadic, bool), each
    names = [each.name for each in (*definition.inputs, *definition.outputs)]
    assert len(set(names)) == len(names)
    for constraint in definition.constraints:
        assert re.fullmatch(r"[CUIR]\d+", constraint.label), constraint
        terms.parse(constraint.formula)
    assert definition.doc[:1].isupper() and definition.doc.endswith("."), definition.doc


# The order in which the specification lists element types, but for random numbers; its words for constants.
ELEMENTS = ("boolean", "signed integer", "integer", "floating-point", "complex", "index")
WORDS = {
    "array<i64>": "1-dimensional tensor constant of type `si64`",
    "array<bool>": "1-dimensional tensor constant of type `i1`",
    "elements i64": "2-dimensional tensor constant of type `si64`",
    "i32": "constant of type `si32`",
    "i64": "constant of type `si64`",
    "f32": "constant of type `f32`",
    "bool": "constant of type `i1`",
    "unit": "constant of type `i1`",
    "string": "constant of type `string`",
    "string or dict": "constant of type `string` or attribute dictionary",
    "elements i64 or struct stablehlo.replica_group_mesh_axes": (
        "2-dimensional tensor constant of type `si64` or `ReplicaGroupMeshAxes`"
    ),
}
NO_VALUES = {"NOTYPE", "TRANSPOSE_INVALID"}  # that stand for an absent one
# Constants of which it says something else, and those that it does not have.
OTHERS = {
    "allow_imprecise_accumulation": "constant of type `bool`",
    "iota_dimension": "`si64`",
    "channel_type": "enum of `DEVICE_TO_DEVICE` and `DEVICE_TO_HOST`",
    "lhs_component_count": WORDS["i32"],
    "rhs_component_count": WORDS["i32"],
    "num_primitive_operations": WORDS["i32"],
    "api_version": WORDS["i32"],
    **dict.fromkeys(("operand_layouts", "result_layouts", "result_tilings", "layout"), ""),
    **dict.fromkeys(("atol", "rtol", "ulps", "mode"), ""),
}


def words_for(attr: Attr) -> str | None:
    """What the specification says of a constant; None if that does not follow from its kind."""
    if attr.name in OTHERS:
        return OTHERS[attr.name]
    if (enum := attr.kind.enum) is not None:
        *values, last = [f"`{value}`" for value in enum.values if value not in NO_VALUES]
        return f"enum of {', '.join(values)}{',' * (len(values) > 1)} and {last}"
    return WORDS.get(attr.kind_name.partition(" >")[0])


@for_each(sorted(CURRENT_OPS))
def test_types_in_the_words_of_the_specification(op: str) -> None:
    definition = lookup(f"stablehlo.{op}")
    assert definition is not None
    for attr in definition.attrs:
        stated = attr.type.replace("constant tensor of integer type", "tensor constant of type `si64`")
        assert stated == words_for(attr) or (stated and words_for(attr) is None), attr.name


@for_each(all_definitions())
def test_element_types_are_in_the_order_of_the_specification(definition: OpDef) -> None:
    for each in (*definition.operands, *definition.outputs):
        found = [word for word in re.split(", | or | of | type|tensor", each.type.phrase) if word in ELEMENTS]
        assert found == sorted(found, key=ELEMENTS.index) or definition.name == "stablehlo.rng", each.name
