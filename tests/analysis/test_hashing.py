"""Hashes of programs: what they do not depend on, and what they do depend on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from hashlib import sha256

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    integer,
)
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.locations import FileLoc
from stablehlo_py.ir.types import F64, IntegerType, TensorType

PROGRAM = """\
module @jit_f {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @f_1(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = call @f_2(%0) : (tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @f_1(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<[1.0, 0xFFC00001]> : tensor<2xf32>
    %0 = stablehlo.add %x, %c : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @f_2(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @f_1(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.subtract %0, %x : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
"""
CONTROL = Request(ops=40)


def digest(text: str, structure: bool = False) -> str:
    return shlo.hash(shlo.parse(text), structure=structure)


def test_the_definition() -> None:
    """The hash of a small program from the text that the documentation defines."""
    elements = sha256(np.array([1, -0.0], "<f4").tobytes()).hexdigest()
    constant = f"stablehlo.constant {{value = dense<{elements}> : tensor<2xf32>}} -> (tensor<2xf32>)".encode()
    callee = sha256(
        b"func.func() {function_type = (tensor<2xf32>) -> tensor<2xf32>, "
        b'sym_visibility = "private"} -> () [^(tensor<2xf32>) 2]\n'
        b"stablehlo.add(0, " + constant + b") {} -> (tensor<2xf32>)\n"
        b"func.return(1) {} -> ()\n" + constant + b"\n"
    ).hexdigest()
    main = sha256(
        b"func.func() {function_type = (tensor<2xf32>) -> tensor<2xf32>} -> () [^(tensor<2xf32>) 2]\n"
        b"func.call(0) {callee = @" + callee.encode() + b"} -> (tensor<2xf32>)\n"
        b"func.return(1) {} -> ()\n"
    ).hexdigest()
    whole = sha256(f"stablehlo 1\n{{mhlo.n = 1 : i32}}\n {callee}\n@main {main}\n".encode()).hexdigest()
    text = """\
module @m attributes {mhlo.n = 1 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32>
    %0 = stablehlo.add %x, %c : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""
    assert digest(text) == whole


@pytest.mark.parametrize(
    "old, new",
    [
        ("%c", "%other"),
        ("@jit_f", "@jit_g"),
        ("module @jit_f", "module"),
        ("  return %1", "  // a comment\n  return  %1"),
        ("return %1 : tensor<2xf32>", 'return %1 : tensor<2xf32> loc("here")'),
        ("@f_1", "@f_9"),
        ("@f_2", '@"another name"'),
        (
            "tensor<2xf32>) -> tensor<2xf32> {\n    %c",
            "tensor<2xf32> {}) -> (tensor<2xf32> {}) {\n    %c",
        ),
    ],
)
def test_what_makes_no_difference(old: str, new: str) -> None:
    assert old in PROGRAM
    assert digest(PROGRAM.replace(old, new)) == digest(PROGRAM)


@pytest.mark.parametrize(
    "old, new",
    [
        ("[1.0, 0xFFC00001]", "[1.0, 0x7FC00001]"),
        ("[1.0, 0xFFC00001]", "[1.0, 0xFFC00002]"),
        ("@main", "@entry"),
        ("public @main", "@main"),
        ("private @f_2", "@f_2"),
        ("subtract %0, %x", "subtract %x, %0"),
        ("subtract", "add"),
        ("call @f_2(%0)", "call @f_1(%0)"),
        ("call @f_2(%0)", "call @f_2(%x)"),
        ("module @jit_f", "module @jit_f attributes {mhlo.num_replicas = 2 : i32}"),
        ("  return %1", "  %2 = stablehlo.negate %1 : tensor<2xf32>\n  return %1"),
        ("add %x, %c :", 'add %x, %c {mhlo.frontend = "a"} :'),
        ("2xf32", "2xf64"),
    ],
)
def test_what_makes_a_difference(old: str, new: str) -> None:
    assert old in PROGRAM
    changed = PROGRAM.replace(old, new)
    if new == "2xf64":
        changed = changed.replace("[1.0, 0xFFC00001]", "[1.0, 2.0]")
    assert digest(changed) != digest(PROGRAM)


def test_exchanged_private_functions_are_not_exchanged_names() -> None:
    exchanged = PROGRAM.replace("@f_1", "@t").replace("@f_2", "@f_1").replace("@t", "@f_2")
    assert digest(exchanged) == digest(PROGRAM)
    calls = PROGRAM.replace("call @f_2(%0)", "call @t(%0)").replace(
        "%0 = call @f_1(%x)", "%0 = call @f_2(%x)", 1
    )
    assert digest(calls.replace("@t", "@f_1")) != digest(PROGRAM)


def test_declarations_and_recursive_functions_keep_their_names() -> None:
    declared = "func.func private @f(tensor<f32>) -> tensor<f32>\n"
    assert digest(declared) != digest(declared.replace("@f", "@g"))
    recursive = "func.func private @f() {\n  call @g() : () -> ()\n  return\n}\n" + (
        "func.func private @g() {\n  call @f() : () -> ()\n  return\n}\n"
    )
    assert digest(recursive) != digest(recursive.replace("@f", "@h"))
    assert digest(recursive) == digest("\n".join([recursive.split("}\n")[n] + "}" for n in (1, 0)]))


def test_the_structure_leaves_out_values_of_constants_alone() -> None:
    other = PROGRAM.replace("[1.0, 0xFFC00001]", "2.0")
    assert digest(other) != digest(PROGRAM)
    assert digest(other, structure=True) == digest(PROGRAM, structure=True) != digest(PROGRAM)
    types = "(tensor<4xf32>, tensor<f32>) -> tensor<6xf32>"
    window = f"""func.func @f(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<6xf32> {{
  %0 = stablehlo.pad %x, %c, low = [1], high = [1], interior = [0] : {types}
  return %0 : tensor<6xf32>
}}"""
    moved = window.replace("low = [1], high = [1]", "low = [2], high = [0]")
    assert digest(window, structure=True) != digest(moved, structure=True)
    scalar = "func.func @f() {\n  %0 = arith.constant 1 : i32\n  return\n}"
    assert digest(scalar, structure=True) == digest(scalar.replace(" 1 ", " 2 "), structure=True)
    assert digest(scalar) != digest(scalar.replace(" 1 ", " 2 "))


CONSTANT = "func.func @f() -> TYPE {\n  %0 = stablehlo.constant VALUE : TYPE\n  return %0 : TYPE\n}\n"
RESOURCE = '{-#\n  dialect_resources: {\n    builtin: {\n      KEY: "0x04000000HEX"\n    }\n  }\n#-}\n'


@pytest.mark.parametrize(
    "type, value, data",
    [
        ("tensor<2xf32>", "dense<[1.0, -0.0]>", "0000803F00000080"),
        ("tensor<3xi1>", "dense<[true, false, true]>", "010001"),
        ("tensor<2xi4>", "dense<[-1, 3]>", "0F03"),
        ("tensor<2xi4>", "dense<[-1, 3]>", "FF03"),
        ("tensor<3xbf16>", "dense<1.0>", "803F803F803F"),
        ("tensor<1xi8>", "dense<7>", "07"),
        ("tensor<2xi8>", "dense<7>", "0707"),
        ("tensor<2xi8>", "dense<[7, 8]>", "0708"),
        ("tensor<0xf32>", "dense<>", ""),
        ("tensor<0xf32>", "dense<1.0>", ""),
    ],
)
def test_elements_may_be_anywhere(type: str, value: str, data: str) -> None:
    """Constants and resources with the same bits are equal, whatever a resource is called."""
    text = CONSTANT.replace("TYPE", type)
    stored = text.replace("VALUE", "dense_resource<KEY>") + RESOURCE.replace("HEX", data)
    found = {digest(stored.replace("KEY", key)) for key in ("a", "b")}
    assert found == {digest(text.replace("VALUE", value))}


def test_resources_that_are_no_elements() -> None:
    """Of an unknown type or of another size, their bytes count."""
    text = "module attributes {x.a = dense_resource<KEY> : TYPE} {}\n" + RESOURCE
    for type in ("!x.y", "tensor<2xf32>", "tensor<?xf32>"):
        given = text.replace("TYPE", type)
        found = [digest(given.replace("HEX", data)) for data in ("0000803F", "0000803F", "00008040")]
        assert found[0] == found[1] != found[2]


def test_a_callee_that_is_a_string_is_a_symbol() -> None:
    text = (
        "func.func @main() {\n  func.call @f() : () -> ()\n  return\n}\nfunc.func private @f() {\n  return\n}"
    )
    module = shlo.parse(text)
    (call,) = [op for op in module.walk() if op.name == "func.call"]
    call.properties["callee"] = StringAttr("f")
    assert shlo.hash(module) == digest(text)


def test_splats_are_their_elements() -> None:
    text = CONSTANT.replace("TYPE", "tensor<2x2xi32>")
    written_out = text.replace("VALUE", "dense<[[7, 7], [7, 7]]>")
    assert digest(text.replace("VALUE", "dense<7>")) == digest(written_out)
    large = np.zeros(3_000_000, np.int8)
    attribute = DenseElementsAttr(TensorType((3_000_000,), IntegerType(8)), large)
    module = shlo.parse(CONSTANT.replace("TYPE", "tensor<3000000xi8>").replace("VALUE", "dense<0>"))
    before = shlo.hash(module)
    (constant,) = [op for op in module.walk() if op.name == "stablehlo.constant"]
    constant.properties["value"] = attribute
    assert shlo.hash(module) == before
    large[-1] = 1
    assert shlo.hash(module) != before


# Drawn programs


def drawn(count: int) -> Iterator[shlo.Module]:
    return (generate(11, number, CONTROL).module for number in range(count))


def twin(module: shlo.Module, rng: random.Random) -> shlo.Module:
    """The program under other names, in another order, with other locations."""
    made = module.clone()
    private = [name for name, op in made.functions.items() if op.python_value("sym_visibility") == "private"]
    names = {name: f"f_{n}" for n, name in enumerate(rng.sample(private, len(private)))}
    for op in made.walk():
        for name, value in op.properties.items():
            if isinstance(value, SymbolRefAttr) and value.root in names:
                op.properties[name] = SymbolRefAttr(names[value.root])
            elif name == "sym_name" and isinstance(value, StringAttr) and value.value in names:
                op.properties[name] = StringAttr(names[value.value])
        op.location = FileLoc("model.py", rng.randrange(1, 99), 1)
        for result in op.results:
            result.name = f"v{rng.randrange(10**9)}"
    rng.shuffle(made.body.ops)
    return made


def test_twins_of_drawn_programs() -> None:
    rng = random.Random(5)
    with_functions = False
    for module in drawn(14):
        with_functions |= len(module.functions) > 1
        found = shlo.hash(module)
        other = twin(module, rng)
        assert shlo.hash(other) == found
        texts = [
            shlo.format(other, canonical=False, locations=True),
            shlo.format(other, generic=True),
            shlo.format(other),
        ]
        assert {digest(text) for text in texts} == {found}
        assert shlo.hash(shlo.serialize(other, "bytecode")) == found
    assert with_functions


def test_changes_of_drawn_programs() -> None:
    rng = random.Random(6)
    applied = dict.fromkeys(CHANGES, 0)
    for module in drawn(14):
        found, count = shlo.hash(module), len(list(module.walk()))
        for name, change in CHANGES.items():
            made = module.clone()
            ops = list(made.walk())[1:]
            assert len(ops) == count - 1
            rng.shuffle(ops)
            if any(change(op) for op in ops):
                applied[name] += 1
                assert shlo.hash(made) != found, name
    assert min(applied.values()) >= 2, applied


def _rename(op: Operation) -> bool:
    op.name = "test.other"
    return True


def _add_attribute(op: Operation) -> bool:
    op.attributes["test.mark"] = integer(1)
    return True


def _change_attribute(op: Operation) -> bool:
    for name, value in op.properties.items():
        match value:
            case IntegerAttr(number, type):
                op.properties[name] = IntegerAttr(number + 1, type)
            case DenseArrayAttr(element, (first, *rest)) if not isinstance(first, bool):
                op.properties[name] = DenseArrayAttr(element, (first + 1, *rest))
            case EnumAttr(kind, text):
                op.properties[name] = EnumAttr(kind, text + "X")
            case StructAttr(kind, fields) if any(isinstance(field, tuple) for _, field in fields):
                op.properties[name] = StructAttr(
                    kind, tuple((k, (*v, 9) if isinstance(v, tuple) else v) for k, v in fields)
                )
            case ArrayAttr((first, *rest)):
                op.properties[name] = ArrayAttr((first, first, *rest))
            case _:
                continue
        return True
    return False


def _swap_operands(op: Operation) -> bool:
    if len(op.operands) < 2 or op.operands[0] is op.operands[1]:
        return False
    op.use_operands([op.operands[1], op.operands[0], *op.operands[2:]])
    return True


def _other_operand(op: Operation) -> bool:
    before = op.parent.arguments if op.parent else ()
    if not op.operands or not before or op.operands[-1] in before:
        return False
    op.set_operand(len(op.operands) - 1, before[0])
    return True


def _change_type(op: Operation) -> bool:
    for result in op.results:
        result.type = TensorType((17,), F64)
    return bool(op.results)


def _flip_bit(op: Operation) -> bool:
    value = op.properties.get("value")
    if not isinstance(value, DenseElementsAttr) or value.data.size == 0 or value.data.dtype == np.bool_:
        return False
    data = value.data.copy()
    data.view(np.uint8)[0] ^= 1
    op.properties["value"] = DenseElementsAttr(value.type, data)
    return True


def _drop(op: Operation) -> bool:
    if any(result.uses for result in op.results) or op.parent is None:
        return False
    op.erase()
    return True


def _move(op: Operation) -> bool:
    block = op.parent
    if block is None or block.parent_op is None or block.parent_op.is_module:
        return False
    if op.name == "stablehlo.constant":
        return False
    at = block.ops.index(op)
    if at + 2 >= len(block.ops) or block.ops[at + 1].name in (op.name, "stablehlo.constant"):
        return False
    block.ops[at : at + 2] = block.ops[at + 1], op
    return True


CHANGES: dict[str, Callable[[Operation], bool]] = {
    "op": _rename,
    "attribute added": _add_attribute,
    "attribute changed": _change_attribute,
    "operands swapped": _swap_operands,
    "another operand": _other_operand,
    "type": _change_type,
    "bit of a constant": _flip_bit,
    "op dropped": _drop,
    "op moved": _move,
}


def _chain(count: int) -> str:
    functions = [
        f"func.func private @f{n}(%x: tensor<f32>) -> tensor<f32> {{\n"
        f"  %0 = call @f{n + 1}(%x) : (tensor<f32>) -> tensor<f32>\n"
        f"  %1 = call @f{n + 1}(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n"
        for n in range(count)
    ]
    return "".join(functions) + (
        f"func.func private @f{count}(%x: tensor<f32>) -> tensor<f32> {{\n  return %x : tensor<f32>\n}}\n"
    )


def test_functions_are_hashed_once() -> None:
    """There are 2^200 paths through these functions, each of which calls the next one twice."""
    assert digest(_chain(200)) != digest(_chain(199))


def test_the_place_of_a_constant_is_no_matter() -> None:
    """It may be anywhere before its uses; how many there are, and which one is used, counts."""
    text = """\
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.add %c, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    constant = "    %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
    hoisted = text.replace(constant, "").replace("  %0 =", constant + "  %0 =", 1)
    assert digest(hoisted) == digest(text)
    assert digest(hoisted.replace("  %0 =", constant.replace("%c", "%d") + "  %0 =", 1)) != digest(text)
    assert digest(hoisted.replace("1.0", "2.0")) != digest(text)


def test_blocks_that_follow_are_part_of_the_hash() -> None:
    text = """func.func @main(%p: i1) {
  "cf.cond_br"(%p)[^a, ^b] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^a:
  return
^b:
  "test.op"() : () -> ()
  return
}"""
    one, other = (
        shlo.parse(each, allow_unregistered=True) for each in (text, text.replace("[^a, ^b]", "[^b, ^a]"))
    )
    assert shlo.hash(one) != shlo.hash(other)
    renamed = text.replace("^a", "^c").replace("^b", "^d")
    assert shlo.hash(one) == shlo.hash(shlo.parse(renamed, allow_unregistered=True))


def test_a_resource_may_be_longer_than_its_elements() -> None:
    text = "func.func @f() -> tensor<2xi8> {{\n  %0 = stablehlo.constant {} : tensor<2xi8>\n"
    text += "  return %0 : tensor<2xi8>\n}}"
    resources = (
        '\n{{-#\n  dialect_resources: {{\n    builtin: {{\n      k: "0x04000000{}"\n    }}\n  }}\n#-}}'
    )
    dense = shlo.hash(shlo.parse(text.format("dense<[1, 2]>")))
    for elements, is_same in (("0102", True), ("01020304", True), ("0103", False), ("01", False)):
        module = shlo.parse(text.format("dense_resource<k>") + resources.format(elements))
        assert (shlo.hash(module) == dense) is is_same
