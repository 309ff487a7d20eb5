"""StableHLO as HLO: examples of the specification give their results after a way to HLO and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo

DATA = Path(__file__).parents[2] / "testdata"
_CHECK = re.compile(r"^\s*check\.expect_\w+_const (%[\w#]+), (dense<.*>) : (tensor<\S+>).*$", re.MULTILINE)
_NO_FORM = {  # dynamic sizes, quantized types, and processes that meet
    "dynamic_broadcast_in_dim", "dynamic_conv", "dynamic_gather", "dynamic_iota", "dynamic_pad",
    "dynamic_reshape", "uniform_dequantize", "uniform_quantize",
}  # fmt: skip


def examples() -> Iterator[tuple[str, str, str]]:
    """The name of a program, its text with results in the place of checks, and what it returns."""
    for path in sorted([*(DATA / "spec").glob("*.mlir"), *(DATA / "semantics").glob("*.mlir")]):
        for number, text in enumerate(path.read_text().split("// -----\n")):
            checks = _CHECK.findall(text)
            if not checks or text.count("check.") > len(checks) or text.count("func.func") > 1:
                continue
            names, values, types = zip(*checks, strict=True)
            ending = f"return {', '.join(names)} : {', '.join(types)}"
            program = re.sub(r"(?m)^  (func\.)?return$", f"  {ending}", _CHECK.sub("", text))
            program = re.sub(r"\) \{", f") -> ({', '.join(types)}) {{", program, count=1)
            pairs = enumerate(zip(values, types, strict=True))
            body = [f"  %{n} = stablehlo.constant {v} : {t}" for n, (v, t) in pairs]
            wanted = [f"%{n}" for n in range(len(names))]
            expected = "\n".join(
                [f"func.func @main() -> ({', '.join(types)}) {{", *body,
                 f"  return {', '.join(wanted)} : {', '.join(types)}", "}"]
            )  # fmt: skip
            yield f"{path.stem}#{number}", program, expected


EXAMPLES = list(examples())


def test_examples_of_the_specification() -> None:
    """The text of each is read again as HLO, and returns what the example states."""
    tried = 0
    for name, text, expected in EXAMPLES:
        module = shlo.parse(text, name)
        if name.partition("#")[0] in _NO_FORM:
            with pytest.raises(shlo.ParseError, match=r"no such op|no form"):
                from_stablehlo(module)
            continue
        entry = next(iter(module.functions))
        back = shlo.parse(from_stablehlo(module, entry).to_string("short_parsable"), name)
        wanted = shlo.run(shlo.parse(expected), [], engine="numpy")
        for mine, theirs in zip(shlo.run(back, [], engine="numpy"), wanted, strict=True):
            np.testing.assert_allclose(
                np.asarray(mine, complex), np.asarray(theirs, complex), rtol=1e-2, atol=1e-2, err_msg=name
            )
        tried += 1
    assert tried > 60


def text_of(program: str) -> str:
    return from_stablehlo(shlo.parse(program)).to_string("short_parsable")


def results(program: str, *inputs: np.ndarray) -> list[list[float]]:
    back = shlo.parse(text_of(program))
    return [np.asarray(value).tolist() for value in shlo.run(back, list(inputs), engine="numpy")]


def test_broadcasts_have_no_dimensions_of_size_1_and_increasing_ones() -> None:
    """(1, 2, 3) to (3, 4, 2): dimension 1 goes to 2 and dimension 2 to 0."""
    program = """func.func @main(%x: tensor<1x2x3xf32>) -> tensor<3x4x2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2, 0] : (tensor<1x2x3xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}"""
    rows = [line.split(" = ")[1] for line in text_of(program).splitlines() if " = " in line]
    opcodes = [row.split("(")[0].split()[-1] for row in rows]
    assert opcodes == ["parameter", "reshape", "transpose", "broadcast"]
    assert rows[-1].endswith("dimensions={0,2}")
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    (found,) = results(program, x)
    assert found == np.broadcast_to(x[0].T[:, None, :], (3, 4, 2)).tolist()


def test_loops_and_branches_carry_what_they_capture() -> None:
    """x <- x * factor + step, 3 times, from 1: factor 2, step 0.5; then x or -x."""
    program = """func.func @main(%x: tensor<f32>, %factor: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %step = stablehlo.constant dense<0.5> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.multiply %a, %factor : tensor<f32>
    %c = stablehlo.add %b, %step : tensor<f32>
    stablehlo.return %next, %c : tensor<i32>, tensor<f32>
  }
  %1 = stablehlo.compare GT, %0#1, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = "stablehlo.if"(%1) ({
    %n = stablehlo.negate %0#1 : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %3 = "stablehlo.case"(%end) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %step : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}"""
    assert results(program, np.float32(1), np.float32(2)) == [-11.5, 0.5]  # 2.5, 5.5, 11.5


def test_constants_of_a_region_that_is_applied_to_elements_are_copied() -> None:
    program = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %m = stablehlo.multiply %b, %two : tensor<f32>
    %s = stablehlo.add %a, %m : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %0 : tensor<f32>
}"""
    text = text_of(program)
    region = text[text.index("region {") : text.index("ENTRY")]
    assert "constant(2)" in region and "parameter(1)" in region


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("%0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>",
         "HLO has no such op"),
        ("%0 = chlo.lgamma %x : tensor<2xf32> -> tensor<2xf32>", "HLO has no such op"),
        ('%0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} '
         ": (tensor<2xf32>) -> tensor<2xf32>", "apply -p stablehlo-legalize-deprecated-ops first"),
    ],
)  # fmt: skip
def test_ops_without_a_form(op: str, message: str) -> None:
    text = f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  {op}\n  return %x : tensor<2xf32>\n}}"
    with pytest.raises(shlo.ParseError, match=message) as caught:
        from_stablehlo(shlo.parse(text))
    assert caught.value.diagnostics[0].line == 2


def test_sizes_that_are_not_known() -> None:
    text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}"
    with pytest.raises(shlo.ParseError, match=r"the size of tensor<\?xf32> is not known"):
        from_stablehlo(shlo.parse(text))


def test_metadata_is_from_locations() -> None:
    module = shlo.parse(
        """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %x : tensor<2xf32> loc("net/sin"("model.py":3:7))
  return %0 : tensor<2xf32>
}"""
    )
    text = from_stablehlo(module).to_string()
    assert 'metadata={op_name="net/sin" source_file="model.py" source_line=3 source_column=7}' in text


def test_instructions_have_the_metadata_of_their_ops() -> None:
    """The tuple of the results is of no op, and has none."""
    program = """func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.negate %x : tensor<f32> loc("first"("a.py":3:5))
  %1 = stablehlo.abs %0 : tensor<f32> loc("b.py":4:7)
  return %0, %1 : tensor<f32>, tensor<f32> loc("c.py":5:1)
}"""
    parameter, first, second, root = from_stablehlo(shlo.parse(program)).entry.instructions
    assert first.metadata == {
        "op_name": "first",
        "source_file": "a.py",
        "source_line": 3,
        "source_column": 5,
    }
    assert second.metadata == {"source_file": "b.py", "source_line": 4, "source_column": 7}
    assert (parameter.opcode, parameter.metadata, root.opcode, root.metadata) == (
        "parameter",
        {},
        "tuple",
        {},
    )
