"""What texts may leave out or write in another order, by the declarations of the dialects in MLIR."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.parser import parse_attribute

SIGNATURE = "%n: index, %c: i1, %w: !shape.witness, %t: !stablehlo.token, %x: tensor<2xi64>"
# Ops of one result-less region whose terminator is implicit, and this terminator.
REGIONS = {
    "scf.for %i = %n to %n step %n {\n}": "scf.yield",
    "scf.if %c {\n}": "scf.yield",
    "shape.assuming %w {\n}": "shape.assuming_yield",
    "sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n} : () -> ()": (
        "sdy.return"
    ),
    'sdy.named_computation<"f">() () {\n} : () -> ()': "sdy.return",
}


def first(text: str) -> shlo.Operation:
    module = shlo.parse(f"func.func @main({SIGNATURE}) {{\n{text}\nreturn\n}}")
    assert [d.message for d in shlo.verify(module) if d.severity == "error"] == []
    return module.functions["main"].entry_block.ops[0]


@pytest.mark.parametrize("text", REGIONS)
def test_terminators_that_texts_omit(text: str) -> None:
    op = first(text)
    assert [each.name for each in op.regions[0].block.ops] == [REGIONS[text]]
    assert (
        first(text.replace("{\n}", f"{{\n{REGIONS[text]}\n}}")).regions[0].block.ops[0].name == REGIONS[text]
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"stablehlo.infeed"(%t) : (!stablehlo.token) -> !stablehlo.token', "infeed_config"),
        (
            '"stablehlo.outfeed"(%x, %t) : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token',
            "outfeed_config",
        ),
    ],
)
def test_configurations_that_texts_omit_are_empty_and_printed(text: str, name: str) -> None:
    """A property with a default is there once an op is made, and printers of properties print it."""
    module = shlo.parse(f"func.func @main({SIGNATURE}) {{\n%0 = {text}\nreturn\n}}")
    for printed in (shlo.format(module), shlo.format(module, generic=True)):
        assert f'<{{{name} = ""}}>' in printed


def test_casts_of_any_number() -> None:
    for types in ("i32", "i32, index", "i32, index, f32"):
        text = f"builtin.unrealized_conversion_cast %c : i1 to {types}"
        count = len(types.split(","))
        op = first(f"%0{f':{count}' * (count > 1)} = {text}")
        assert [str(each.type) for each in op.results] == types.split(", ")
    assert len(first("%0 = builtin.unrealized_conversion_cast %c, %n : i1, index to i32").operands) == 2
    assert len(first("%0 = builtin.unrealized_conversion_cast to i32").operands) == 0


FIELDS = {
    "stablehlo.dot": "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3]",
    "stablehlo.gather": "offset_dims = [0], collapsed_slice_dims = [1], operand_batching_dims = [2], "
    "start_indices_batching_dims = [3], start_index_map = [4], index_vector_dim = 5",
    "stablehlo.scatter": "update_window_dims = [0], inserted_window_dims = [1], input_batching_dims = [2], "
    "scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [4], index_vector_dim = 5",
    "stablehlo.channel_handle": "handle = 1, type = 2",
    "chlo.ragged_dot": "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3], lhs_ragged_dimensions = [4], "
    "rhs_group_dimensions = [5]",
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_in_any_order(name: str) -> None:
    fields = FIELDS[name].split(", ")
    whole = f"#{name}<{FIELDS[name]}>"
    assert str(parse_attribute(whole)) == whole
    assert str(parse_attribute(f"#{name}<{', '.join(fields[::-1])}>")) == whole


@pytest.mark.parametrize("name", sorted(FIELDS.keys() - {"stablehlo.channel_handle"}))
def test_fields_that_texts_omit(name: str) -> None:
    """Empty lists and the number 0 are not printed."""
    for field in FIELDS[name].split(", "):
        assert str(parse_attribute(f"#{name}<{field}>")) == f"#{name}<{field}>"
        empty = "0" if field.startswith("index") else "[]"
        assert str(parse_attribute(f"#{name}<{field.partition(' = ')[0]} = {empty}>")) == f"#{name}<>"
