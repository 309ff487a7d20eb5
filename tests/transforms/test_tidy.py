"""Transformations that preserve the meaning of a module."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.locations import Source
from stablehlo_py.transforms import tidy as transform

LOCATED = """\
func.func @main(%arg0: tensor<2xf32> loc("params[\'w\']"), %arg1: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32> loc("jit(f)/dense/add"("f.py":1:2))
  %1 = stablehlo.add %0, %0 : tensor<2xf32> loc(callsite(fused["f.py":3:4, "jit(f)/add"] at "main"))
  %2:2 = stablehlo.optimization_barrier %1, %1 : tensor<2xf32>, tensor<2xf32> loc("jit(f)/2nd")
  %3 = stablehlo.negate %2#1 : tensor<2xf32> loc("f.py":5:6)
  return %3 : tensor<2xf32>
}
"""


def test_values_are_named_by_their_locations() -> None:
    module = shlo.parse(LOCATED)
    transform.name_from_locations(module)
    transform.strip_locations(module)
    assert (
        shlo.format(module, canonical=False)
        == """\
func.func @main(%params_w: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
  %add = stablehlo.add %params_w, %arg1 : tensor<2xf32>
  %add_0 = stablehlo.add %add, %add : tensor<2xf32>
  %_2nd:2 = stablehlo.optimization_barrier %add_0, %add_0 : tensor<2xf32>, tensor<2xf32>
  %3 = stablehlo.negate %_2nd#1 : tensor<2xf32>
  return %3 : tensor<2xf32>
}
"""
    )


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("jit(f)/dense/add", "add"),
        ("jit(f)/dense/", "dense"),
        ("jit(f)/dense//", "dense"),
        ("jit(f)/2nd", "_2nd"),
        ("a/x y(z)", "x_y_z"),
        ("dense.w$0", "dense.w$0"),
        ("/", "x"),
        ("a/()", "x"),
    ],
)
def test_the_innermost_scope_of_a_location_is_a_name(location: str, name: str) -> None:
    """Without one, the name stays."""
    module = shlo.parse(f"""func.func @main(%y: tensor<f32>) {{
  %x = stablehlo.abs %y : tensor<f32> loc("{location}")
  return
}}""")
    transform.name_from_locations(module)
    assert str(module.functions["main"].entry_block.ops[0].result) == f"%{name}"


def test_large_constants_are_elided_as_mlir_does() -> None:
    module = shlo.parse(
        """\
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %2 = stablehlo.constant dense<7> : tensor<9xi32>
  %3 = "test.op"() {table = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<i32>
  return
}
""",
        allow_unregistered=True,
    )
    transform.elide_constants(module, 2)
    assert (
        shlo.format(module, canonical=False)
        == """\
func.func @main() {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %2 = stablehlo.constant dense<7> : tensor<9xi32>
  %3 = "test.op"() {table = dense_resource<__elided__> : tensor<3xi64>} : () -> tensor<i32>
  return
}
"""
    )
    found = shlo.verify(module)
    assert [(d.code, d.line, d.severity) for d in found] == [
        ("elided", 2, "error"),
        ("elided", 5, "error"),
    ]


def test_a_program_without_its_constants_is_not_valid_and_does_not_run() -> None:
    module = shlo.parse("""\
func.func @main() -> tensor<9xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<9xf32>
  return %0 : tensor<9xf32>
}
""")
    assert [(d.severity, d.code) for d in shlo.verify(module)] == [("error", "elided")]
    with pytest.raises(shlo.RunError, match="elided when the program was printed"):
        shlo.run(module)


def test_the_first_name_of_several_locations() -> None:
    module = shlo.parse("""func.func @main(%x: tensor<f32>) {
  %0 = stablehlo.abs %x : tensor<f32> loc(fused["f.py":1:2, "jit(f)/first", "jit(f)/second"])
  %1 = stablehlo.abs %x : tensor<f32> loc(callsite("jit(f)/callee" at "jit(f)/caller"))
  %2 = stablehlo.abs %x : tensor<f32> loc(fused[callsite("g.py":1:2 at "outer"), "next"])
  return
}""")
    transform.name_from_locations(module)
    ops = [op for op in module.walk() if op.name == "stablehlo.abs"]
    assert [str(op.result) for op in ops] == ["%first", "%callee", "%outer"]


def test_comments_of_ops_within_erased_ops() -> None:
    """Of spans within one another, the end of the outer one counts."""
    text = "a {  // 1\n  b  // 2\n  c  // 3\n}  // 4\nd  // 5\n"
    module = shlo.parse("")
    module.defer_source("x", lambda _: Source("x", text))
    comments = [(text.index(f"// {n}"), f"// {n}") for n in range(1, 6)]
    module.comments = comments
    transform.drop_comments(
        module, [(0, text.index("}") + 1), (text.index("b"), text.index("b") + 1), (-1, -1)]
    )
    assert [comment for _, comment in module.comments] == ["// 5"]


def test_aliases_of_locations_are_dropped_with_them() -> None:
    module = shlo.parse("""#place = loc("f.py":1:2)
#list = [1 : i32]
func.func @main(%x: tensor<f32>) {
  return
}""")
    assert [name for name, *_ in module.unused_aliases] == ["#place", "#list"]
    transform.strip_locations(module)
    assert [name for name, *_ in module.unused_aliases] == ["#list"]
