"""What shardings may not ask for: groups that cannot be, computations without inputs, uneven dimensions."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.sharding.uneven import uneven

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'


@pytest.mark.parametrize(
    ("body", "passes", "line", "message"),
    [
        ("func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) {\n"
         "  sdy.sharding_group %x group_id=3 : tensor<4xf32>\n"
         "  sdy.sharding_group %y group_id=3 : tensor<8xf32>\n  return\n}\n", "sdy-sharding-group-import", 4,
         "values of sharding group 3 have different shapes"),
        ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  sdy.sharding_group %x group_id=3 : tensor<4xf32>\n"
         '  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] '
         'out_shardings=[<@mesh, [{"x"}]>]\n'
         '    manual_axes={"x"} (%a: tensor<2xf32>) {\n    sdy.sharding_group %a group_id=3 : tensor<2xf32>\n'
         "    sdy.return %a : tensor<2xf32>\n  } : (tensor<4xf32>) -> tensor<4xf32>\n"
         "  return %0 : tensor<4xf32>\n}\n",
         "sdy-sharding-group-import", 6,
         "values of sharding group 3 are inside and outside of a manual computation"),
        ("func.func @main() {\n  sdy.manual_computation() in_shardings=[] out_shardings=[] "
         'manual_axes={"x"} () {\n'
         "    %c = stablehlo.constant dense<1> : tensor<i32>\n    sdy.return\n  } : () -> ()\n  return\n}\n",
         "sdy-manual-axes-cleanup", 3, "a computation along manual axes needs inputs or outputs"),
    ],
)  # fmt: skip
def test_errors(body: str, passes: str, line: int, message: str) -> None:
    with pytest.raises(shlo.TransformError, match=message) as caught:
        shlo.opt(shlo.parse(MESH + body), passes)
    assert caught.value.diagnostics[0].line == line


UNEVEN = """func.func private @f(
  %a: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}
) -> tensor<7x4xf32> {
  return %a : tensor<7x4xf32>
}
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %y: tensor<?x3xf32>) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>}
    : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
"""


def test_uneven_dimensions() -> None:
    found = uneven(shlo.parse(MESH + UNEVEN))
    assert [(each.what, each.dimension, each.size, each.shards, each.padding) for each in found] == [
        ("%a", 0, 7, 4, 1),
        ("result 0 of @main", 1, 6, 4, 2),
        ("%0", 1, 6, 8, 2),
    ]
    assert str(found[1]) == (
        "dimension 1 of result 0 of @main has size 6, which the 4 devices along y do not divide"
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"), [('"x"=2, ', "", ["result 0 of @main"]), ("@mesh = ", "@other = ", [])]
)
def test_shardings_over_unknown_meshes_and_axes_are_left_out(old: str, new: str, expected: list[str]) -> None:
    assert [each.what for each in uneven(shlo.parse(MESH.replace(old, new) + UNEVEN))] == expected
