"""Binary programs are written byte for byte as jaxlib 0.10.2 writes them.

The files are jaxlib's: what is read from one is written again, for the same version.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode.numbering import Numbered, _ordered
from stablehlo_py.artifacts.encode import plain_bytecode
from stablehlo_py.artifacts.serialize import module_pieces
from stablehlo_py.artifacts.vhlo.defaults import is_default
from stablehlo_py.ir.attributes import DenseArrayAttr, DenseElementsAttr, IntegerAttr
from stablehlo_py.ir.types import I32
from stablehlo_py.syntax.parser import parse_attribute

FILES = Path(__file__).parent / "files"
PLAIN = sorted(path.name for path in FILES.glob("*.plain*.bc"))
PORTABLE = sorted(path.name for path in FILES.glob("*.portable-*.bc"))
TEXT = "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {{\n  {}\n  return %0 : tensor<2xf32>\n}}\n"


@pytest.mark.parametrize("name", PLAIN)
def test_plain_bytecode(name: str) -> None:
    data = (FILES / name).read_bytes()
    module = shlo.parse(data)
    assert plain_bytecode(module, module.container["bytecode_version"]) == data


def test_bytecode_of_text() -> None:
    """The order of uses is that in which C++ parses them: an operation after those in its regions."""
    path = FILES / "hand_captured.plain.bc"
    module = shlo.parse(Path(f"{path}.mlir").read_text(), "-")
    assert plain_bytecode(module) == path.read_bytes()


@pytest.mark.parametrize("name", PORTABLE)
def test_portable_artifact(name: str) -> None:
    data = (FILES / name).read_bytes()
    target = name.removesuffix(".bc").partition(".portable-")[2]
    assert shlo.serialize(shlo.parse(data), "portable", target) == data


@pytest.mark.parametrize(
    ("name", "kind"), [*((name, "bytecode") for name in PORTABLE), *((name, "portable") for name in PORTABLE)]
)
def test_what_is_written_is_read(name: str, kind: Literal["bytecode", "portable"]) -> None:
    module = shlo.load(FILES / name)
    again = shlo.parse(shlo.serialize(module, kind))
    assert shlo.format(again, locations=True) == shlo.format(module, locations=True)


def test_locations_of_text_are_positions() -> None:
    module = shlo.parse(TEXT.format("%0 = stablehlo.abs %arg0 : tensor<2xf32>"), "name.mlir")
    again = shlo.parse(shlo.serialize(module))
    assert shlo.format(again, locations=True) == shlo.format(module, locations=True)
    assert 'loc("name.mlir":2:8)' in shlo.format(again, locations=True)


@pytest.mark.parametrize("end", ["", " to :9", " to 4:5", " to 4:2"])
@pytest.mark.parametrize("kind", ["bytecode", "portable"])
def test_ranges_of_files(kind: Literal["bytecode", "portable"], end: str) -> None:
    text = TEXT.format(f'%0 = stablehlo.abs %arg0 : tensor<2xf32> loc("a.py":3:5{end})')
    again = shlo.parse(shlo.serialize(shlo.parse(text), kind))
    assert f'loc("a.py":3:5{end})' in shlo.format(again, locations=True)


@pytest.mark.parametrize(
    ("line", "target", "message"),
    [
        ("%0 = stablehlo.tan %arg0 : tensor<2xf32>", "1.3.0", "tan needs StableHLO 1.4.0"),
        ("%0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>", None, "is of the dialect chlo"),
        (
            "%0 = stablehlo.abs %arg0 {a = array<i32: 1>} : tensor<2xf32>",
            None,
            "the attribute a of stablehlo.abs cannot be written: array<i32: 1> has no form in VHLO",
        ),
        (
            "%0 = stablehlo.abs %arg0 {a} : tensor<2xf32>",
            None,
            "the attribute a of stablehlo.abs cannot be written: unit has no form in VHLO",
        ),
    ],
)
def test_what_cannot_be_written(line: str, target: str | None, message: str) -> None:
    module = shlo.parse(TEXT.format(line))
    with pytest.raises(shlo.SerializationError, match=message) as raised:
        shlo.serialize(module, "portable", target, lower_chlo=False)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.line, diagnostic.column) == (2, 8)


@pytest.mark.parametrize(
    ("attribute", "version"),
    [
        ("1.0 : f8E4M3", "1.7.0"),
        ("{b = [tensor<2xf8E4M3>]}", "1.7.0"),
        ("dense<1> : tensor<2xi2>", "1.2.0"),
        ("#stablehlo.result_accuracy_mode<DEFAULT>", "1.9.0"),
        ("!quant.uniform<i8:f32:0, {1.0}>", "0.18.0"),
    ],
)
def test_versions_of_attributes(attribute: str, version: str) -> None:
    module = shlo.parse(TEXT.format(f"%0 = stablehlo.abs %arg0 {{a = {attribute}}} : tensor<2xf32>"))
    assert shlo.serialize(module, target=version)
    with pytest.raises(shlo.SerializationError, match=f"needs StableHLO {version}, and the target is 0.9.0"):
        shlo.serialize(module, target="min")
    found = shlo.lint(module, ["newer-than-target"], settings={"target": "MINIMUM"})
    assert [finding.line for finding in found] == [2]


def test_other_dialects() -> None:
    module = shlo.parse(TEXT.format("%0 = chlo.erf %arg0 {a} : tensor<2xf32> -> tensor<2xf32>"))
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(module, lower_chlo=False)
    assert "with other dialects allowed" in raised.value.diagnostics[0].notes[-1]
    data = shlo.serialize(module, allow_other_dialects=True)
    assert shlo.format(shlo.parse(data)) == shlo.format(module)
    with pytest.raises(shlo.SerializationError, match=r"chlo\.erf is of another dialect"):
        shlo.serialize(module, target="1.10.0", allow_other_dialects=True)
    assert shlo.serialize(module, target="1.11.0", allow_other_dialects=True)


@pytest.mark.parametrize(("allowed", "ops"), [(False, [3, 4]), (True, [4])])
def test_allowed_ops_of_other_dialects_are_no_reasons(allowed: bool, ops: list[int]) -> None:
    """A number that VHLO has no name for is one."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a = stablehlo.abs %x : tensor<f32>
  %0 = chlo.erf %a : tensor<f32> -> tensor<f32>
  %1 = "stablehlo.custom_call"(%0) {call_target_name = "f", api_version = 9 : i32}
    : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}"""
    with pytest.raises(shlo.SerializationError) as raised:
        module_pieces(shlo.parse(text), "portable", allow_other_dialects=allowed)
    assert [found.line for found in raised.value.diagnostics] == ops
    assert raised.value.diagnostics[-1].message == (
        "stablehlo.custom_call: 9 is not the number of a stablehlo.custom_call_api_version"
    )


def test_arrays_and_symbols_in_dictionaries() -> None:
    """What jaxlib reads from its own artifact of the program: tensors and strings, at any depth."""
    given = "{b = array<i64: 1, 2>, c = [array<i64: 3>], d = {e = @main, f = array<i1: true>}}"
    expected = (
        "{b = dense<[1, 2]> : tensor<2xi64>, c = [dense<3> : tensor<1xi64>], "
        'd = {e = "main", f = dense<true> : tensor<1xi1>}}'
    )
    line = "%0 = stablehlo.abs %arg0 {{mhlo.a = {}}} : tensor<2xf32>"
    data = shlo.serialize(shlo.parse(TEXT.format(line.format(given))))
    assert shlo.format(shlo.parse(data)) == shlo.format(shlo.parse(TEXT.format(line.format(expected))))


def test_attributes_of_other_dialects() -> None:
    """Beside other dialects, an attribute that VHLO does not have is in its own dialect."""
    line = "%0 = stablehlo.abs %arg0 {a = #sdy.sharding<@mesh, [{}]>} : tensor<2xf32>"
    module = shlo.parse(TEXT.format(line))
    with pytest.raises(shlo.SerializationError, match=r"the attribute a of stablehlo\.abs cannot be written"):
        shlo.serialize(module)
    data = shlo.serialize(module, allow_other_dialects=True)
    assert shlo.format(shlo.parse(data)) == shlo.format(module)


@pytest.mark.parametrize("version", [0, 4, 5, 6])
def test_numbers_of_operands(version: int) -> None:
    """An array of i32 among the attributes, then among the properties, and since the version 6 as numbers."""
    text = """func.func @main(%p: i1, %x: f32) {
  cf.cond_br %p, ^a(%x, %x : f32, f32), ^b(%x : f32)
^a(%y: f32, %z: f32):
  return
^b(%w: f32):
  return
}"""
    data = plain_bytecode(shlo.parse(text), version)
    assert (struct.pack("<3i", 1, 2, 1) in data) == (version < 6)
    again = shlo.parse(data)
    assert shlo.format(again) == shlo.format(shlo.parse(text))
    (op,) = [op for op in again.walk() if op.name == "cf.cond_br"]
    assert op.properties["operandSegmentSizes"] == DenseArrayAttr(I32, (1, 2, 1))


@pytest.mark.parametrize("version", range(7))
def test_arguments_with_and_without_a_location(version: int) -> None:
    """Since its version 4, bytecode leaves out unknown ones."""
    arguments = '%x: tensor<f32> loc(unknown), %y: tensor<i32> loc("y"), %z: tensor<i8> loc(unknown)'
    text = f"func.func @main({arguments}) {{\n  return\n}}"
    module = shlo.parse(text)
    again = shlo.parse(plain_bytecode(module, version))
    assert shlo.format(again, locations=True) == shlo.format(module, locations=True)


@pytest.mark.parametrize(
    ("version", "written"),
    [(4, '{a = 1 : i64, b = "x", c = 2 : i32}'), (5, '<{a = 1 : i64, b = "x"}> {c = 2 : i32}')],
)
def test_properties_of_unregistered_ops(version: int, written: str) -> None:
    """Bytecode has properties since its version 5."""
    text = '"other.op"() <{a = 1 : i64, b = "x"}> {c = 2 : i32} : () -> ()'
    data = plain_bytecode(shlo.parse(text, allow_unregistered=True), version)
    again = shlo.parse(data, allow_unregistered=True)
    assert f'"other.op"() {written} : () -> ()' in shlo.format(again)


@pytest.mark.parametrize("number", [-1, 5])
def test_an_integer_of_no_enumerator(number: int) -> None:
    """VHLO has the enumerator's name, and the integer is stored only in a program that was built."""
    call = "%0 = stablehlo.custom_call @t(%arg0) {{api_version = 4 : i32}} : (tensor<2xf32>) -> tensor<2xf32>"
    module = shlo.parse(TEXT.format(call.format()))
    (op,) = [op for op in module.walk() if op.name == "stablehlo.custom_call"]
    op.properties["api_version"] = IntegerAttr(number, I32)
    wrong = f"{number} is not the number of a stablehlo.custom_call_api_version"
    with pytest.raises(shlo.SerializationError, match=wrong) as raised:
        shlo.serialize(module)
    assert (raised.value.diagnostics[0].line, raised.value.diagnostics[0].column) == (2, 8)


@pytest.mark.parametrize("kind", ["portable", "vhlo", "bytecode"])
def test_chlo_is_lowered_where_the_format_has_none(kind: Any) -> None:
    """tan and its square, which CHLO has: the file has ops of StableHLO, and computes the same."""
    ops = ["%1 = chlo.tan %arg0", "%0 = chlo.square %1"]
    module = shlo.parse(TEXT.format("\n".join([f"{op} : tensor<2xf32> -> tensor<2xf32>" for op in ops])))
    x = np.array([0.5, -1.0], np.float32)
    for lower in (None, True):
        data = shlo.serialize(module, kind, lower_chlo=lower)
        has_chlo = kind == "bytecode" and lower is None
        assert any(op.name.startswith("chlo.") for op in shlo.parse(data).walk()) == has_chlo
        np.testing.assert_allclose(shlo.run(shlo.parse(data), [x])[0], np.tan(x) ** 2, rtol=1e-6)
    assert [op.name for op in module.walk() if "chlo" in op.name] == ["chlo.tan", "chlo.square"]


def test_wrong_arguments() -> None:
    module = shlo.parse("")
    with pytest.raises(ValueError, match="kind must be"):
        shlo.serialize(module, "mhlo")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="have a target"):
        shlo.serialize(module, "bytecode", "1.0.0")
    with pytest.raises(ValueError, match="other dialects"):
        shlo.serialize(module, "bytecode", allow_other_dialects=True)
    with pytest.raises(ValueError, match="is text"):
        shlo.serialize(module, locations=True)
    with pytest.raises(ValueError, match="is text"):
        shlo.serialize(module, generic=True)
    with pytest.raises(ValueError, match="invalid version"):
        shlo.serialize(module, "portable", "nine")


def test_named_targets() -> None:
    module = shlo.parse("")
    assert shlo.serialize(module).startswith(b"ML\xefR\x0dStableHLO_v1.20.0\0")
    assert shlo.serialize(module, target="min").startswith(b"ML\xefR\x01StableHLO_v0.9.0\0")


@pytest.mark.parametrize("kind", ["bytecode", "portable", "vhlo"])
def test_blocks_of_a_storage_type_without_constants(kind: Literal["bytecode", "portable", "vhlo"]) -> None:
    type = "tensor<4x!quant.uniform<u5:f32:{0:2}, {{0.5}, {0.25}}>>"
    text = f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n"
    with pytest.raises(shlo.SerializationError, match=r"quant\.uniform<u5:f32:\{0:2\}"):
        shlo.serialize(shlo.parse(text), kind)


def test_numbers_of_as_many_bytes_are_grouped_by_dialect() -> None:
    """The most used first; of the first 128 those of dialect 0, of others those of the last dialect."""
    dialects = [*(n % 2 for n in range(128)), 2, 0, 1, 2]
    table = {f"{n}": Numbered(dialect, uses=200 - n) for n, dialect in enumerate(dialects)}
    found = _ordered(table)
    assert [entry.number for entry in found.values()] == [*range(132)]
    assert [*map(int, found)] == [*range(0, 128, 2), *range(1, 128, 2), 130, 129, 128, 131]


def test_numbers_of_three_bytes_are_grouped_apart() -> None:
    """They are those from 16384 on: the last dialect of two bytes is the first of three."""
    count = (1 << 14) + 6
    table = {f"{n}": Numbered(n % 2, uses=count - n) for n in range(count)}
    numbers = [*map(int, _ordered(table))]
    one, two = [n % 2 for n in numbers[:128]], [n % 2 for n in numbers[128 : 1 << 14]]
    assert one == [0] * 64 + [1] * 64
    assert two == [1] * 8128 + [0] * 8128
    assert numbers[1 << 14 :] == [16384, 16386, 16388, 16385, 16387, 16389]


_LAYOUTS = "operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []"


@pytest.mark.parametrize("kind", ["bytecode", "portable", "vhlo"])
def test_layouts_of_a_call_without_results(kind: Literal["bytecode", "portable", "vhlo"]) -> None:
    """Both lists are given, or none."""
    call = f"stablehlo.custom_call @f(%x) {{{_LAYOUTS}}} : (tensor<2xf32>) -> ()"
    module = shlo.parse(f"func.func @main(%x: tensor<2xf32>) {{\n  {call}\n  return\n}}")
    again = shlo.parse(shlo.serialize(module, kind))
    assert shlo.verify(again) == [] and shlo.format(again) == shlo.format(module)


@pytest.mark.parametrize(
    ("op", "name", "value", "is_absent"),
    [
        ("reduce_window", "window_strides", "dense<1> : tensor<2xi64>", True),
        ("reduce_window", "window_strides", "dense<1> : tensor<2xi32>", False),
        ("reduce_window", "window_strides", "dense<[1, 2]> : tensor<2xi64>", False),
        ("reduce_window", "window_strides", "dense<> : tensor<0xi64>", False),
        ("reduce_window", "padding", "dense<0> : tensor<2x2xi64>", True),
        ("reduce_window", "padding", "dense<0> : tensor<2x2xui64>", False),
        ("convolution", "window_reversal", "dense<false> : tensor<2xi1>", True),
        ("convolution", "window_reversal", "dense<0> : tensor<2xi64>", False),
        ("convolution", "window_reversal", "dense<true> : tensor<2xi1>", False),
        ("custom_call", "backend_config", '""', True),
        ("custom_call", "backend_config", "{}", True),
        ("custom_call", "backend_config", "{a = 1 : i32}", False),
        ("custom_call", "operand_layouts", "[]", True),
        ("sort", "dimension", "-1 : i64", True),
        ("sort", "dimension", "0 : i64", False),
        ("add", "dimension", "-1 : i64", False),
    ],
)
def test_values_that_are_left_out(op: str, name: str, value: str, is_absent: bool) -> None:
    assert is_default(f"stablehlo.{op}", name, parse_attribute(value)) is is_absent


def test_types_of_arguments_that_cannot_be_written() -> None:
    """Also of the arguments of a body, which no result has."""
    text = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xi3>) {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i3>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xi3>) -> tensor<2xf32>
  return
}"""
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(text))
    assert [(d.line, d.message.partition(":")[0]) for d in raised.value.diagnostics] == [
        (1, "the attribute function_type of func.func cannot be written"),
        (1, "a type of func.func cannot be written"),
        (2, "a type of stablehlo.map cannot be written"),
    ]


@pytest.mark.parametrize(
    ("elements", "type"),
    [
        ("[0.000000e+00, -0.000000e+00]", "2xf32"),
        ("[-0.000000e+00, 0.000000e+00, -0.000000e+00]", "3xf64"),
        ("[0x7FC00000, 0x7FC00001]", "2xf32"),
        ("[(0.000000e+00,0.000000e+00), (0.000000e+00,-0.000000e+00)]", "2xcomplex<f32>"),
        ("[0x7E, 0x7F]", "2xf8E5M2"),
    ],
)
@pytest.mark.parametrize("kind", ["bytecode", "portable"])
def test_elements_that_are_equal_but_not_bit_for_bit(
    elements: str, type: str, kind: Literal["bytecode", "portable"]
) -> None:
    constant = f"dense<{elements}> : tensor<{type}>"
    module = shlo.parse(f"func.func @main() -> tensor<{type}> {{\n  %0 = stablehlo.constant {constant}\n"
                        f"  return %0 : tensor<{type}>\n}}")  # fmt: skip
    assert constant in shlo.format(shlo.parse(shlo.serialize(module, kind)))


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("kind", ["bytecode", "portable"])
def test_booleans_are_bits(count: int, kind: Literal["bytecode", "portable"]) -> None:
    """A byte of equal bits may be all of them: those of one true element among eight are not equal."""
    places = {(), (0,), (count - 1,), tuple(range(count)), tuple(range(count - 1)), tuple(range(1, count))}
    rows = [", ".join([str(at in place).lower() for at in range(count)]) for place in sorted(places)]
    type = f"tensor<{count}xi1>"
    lines = [f"%{n} = stablehlo.constant dense<[{row}]> : {type}" for n, row in enumerate(rows)]
    module = shlo.parse("\n".join(["func.func @main() {", *lines, "return", "}"]))
    assert shlo.format(shlo.parse(shlo.serialize(module, kind))) == shlo.format(module)


def test_no_booleans() -> None:
    """Files may have one for all of none; portable artifacts have none."""
    line = "%0 = stablehlo.constant dense<> : tensor<0xi1>"
    module = shlo.parse(f"func.func @main() -> tensor<0xi1> {{\n  {line}\n  return %0 : tensor<0xi1>\n}}")
    data = shlo.serialize(module, "portable")
    (constant,) = [op for op in module.walk() if op.name == "stablehlo.constant"]
    value = constant.properties["value"]
    assert isinstance(value, DenseElementsAttr)
    constant.properties["value"] = DenseElementsAttr(value.type, np.array([True]))
    assert shlo.serialize(module, "portable") == data


def test_casts_of_the_program_stay() -> None:
    """Those that files have between dialects are of one type in the IR, and are gone after reading."""
    text = """func.func @main(%arg0: tensor<2xf32>) -> tensor<?xf32> {
  %0 = builtin.unrealized_conversion_cast %arg0 : tensor<2xf32> to tensor<?xf32>
  %1 = stablehlo.abs %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}"""
    module = shlo.parse(text, allow_unregistered=True)
    data = shlo.serialize(module, "portable", allow_other_dialects=True)
    assert shlo.format(shlo.parse(data, allow_unregistered=True)) == shlo.format(module)
