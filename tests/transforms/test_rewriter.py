"""Changes of a module by the rewriter, one by one."""

from __future__ import annotations

import re

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation
from stablehlo_py.syntax.parser import parse_type
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.regions import drop_arguments
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rewriter import Rewriter, _merge_attributes, attributes_for, constant_elements


def last_op(body: str, inputs: str = "%x: tensor<2xf32>") -> tuple[Rewriter, Operation]:
    """The last op of a function and a rewriter that inserts before it."""
    module = shlo.parse(f"func.func @main({inputs}) {{\n{body}\nreturn\n}}")
    op = module.functions["main"].blocks[0].ops[-2]
    return Rewriter(module).at(op), op


def names(rewriter: Rewriter) -> list[str]:
    rewriter.flush()
    ops = rewriter.module.functions["main"].blocks[0].ops
    return [op.name.rpartition(".")[2] for op in ops[:-1]]


def test_an_op_on_constants_is_evaluated_to_a_constant_for_each_result() -> None:
    rewriter, op = last_op("""
      %a = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
      %b = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
      %s = stablehlo.subtract %a, %b : tensor<3xi32>
    """)
    found = rewriter.fold(op)
    assert found is not None
    assert [np.asarray(constant_elements(value)).tolist() for value in found] == [[-1, -4, -4]]
    assert names(rewriter) == ["constant", "constant", "constant", "subtract"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("%r = stablehlo.add %a, %x : tensor<2xf32>", "an operand is no constant"),
        ("%r = stablehlo.abs %a : (tensor<2xf32>) -> tensor<?xf32>", "the size of the result is not known"),
        (
            "%r = stablehlo.custom_call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>",
            "what the call computes is not known",
        ),
        (
            "%r = stablehlo.rng %b, %b, %n, distribution = UNIFORM"
            " : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>",
            "each run has other numbers",
        ),
        (
            "%r = stablehlo.dynamic_reshape %a, %n : (tensor<2xf32>, tensor<1xi64>) -> tensor<3xf32>",
            "it fails when it runs",
        ),
        (
            """%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0]
              : (tensor<2xf32>, tensor<f32>) -> tensor<f32>""",
            "it has a region",
        ),
    ],
)
def test_ops_that_are_not_evaluated(body: str, why: str) -> None:
    rewriter, op = last_op(f"""
      %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %n = stablehlo.constant dense<3> : tensor<1xi64>
      {body}
    """)
    assert rewriter.fold(op) is None, why
    assert len(names(rewriter)) == 4


@pytest.mark.parametrize(("size", "count"), [("1", 3), ("?", 0)])
def test_an_op_of_several_results_is_evaluated_if_all_sizes_are_known(size: str, count: int) -> None:
    two = "tensor<2xf32>"
    rewriter, op = last_op(f"""
      %x1 = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
      %a = stablehlo.constant dense<[1.0, 2.0]> : {two}
      %r:3 = "stablehlo.batch_norm_training"(%x1, %a, %a) <{{epsilon = 1.0 : f32, feature_index = 1 : i64}}>
        : (tensor<1x2xf32>, {two}, {two}) -> (tensor<{size}x2xf32>, {two}, {two})
    """)
    assert len(rewriter.fold(op) or ()) == count


def test_types_that_a_definition_does_not_determine() -> None:
    rewriter, op = last_op("%r = stablehlo.abs %x : tensor<2xf32>")
    assert rewriter.create("stablehlo.sign", op.operands).result.type is parse_type("tensor<2xf32>")
    with pytest.raises(ValueError) as error:
        rewriter.create("stablehlo.convert", op.operands)
    assert str(error.value) == (
        "the result types of stablehlo.convert cannot be inferred: no constraint determines the element type"
    )
    with pytest.raises(
        ValueError, match=r"^the result types of stablehlo.transpose .*: stablehlo.* \(C2\): "
    ):
        rewriter.create("stablehlo.transpose", op.operands, {"permutation": [1]})
    assert names(rewriter) == ["sign", "abs"]


def test_types_by_operands_and_attributes() -> None:
    rewriter, op = last_op("%r = stablehlo.abs %x : tensor<2x3x4xf32>", "%x: tensor<2x3x4xf32>")
    for permutation in ((1, 2, 0), (2, 0, 1), (1, 2, 0)):
        made = rewriter.value("stablehlo.transpose", op.operands, permutation=permutation)
        assert made.type.shape == tuple([(2, 3, 4)[axis] for axis in permutation])
        again = rewriter.value("stablehlo.transpose", [made], permutation=permutation)
        assert again.type.shape == tuple([made.type.shape[axis] for axis in permutation])


def test_created_ops_in_the_order_of_their_uses() -> None:
    """Ops that the values do not need are erased, with those that only they use."""
    rewriter, op = last_op("%r = stablehlo.abs %x : tensor<2xf32>")
    before = rewriter.value("stablehlo.floor", op.operands)
    rewriter.created.clear()
    unused = rewriter.value("stablehlo.sine", op.operands)
    rewriter.value("stablehlo.cosine", [unused])
    second = rewriter.value("stablehlo.tanh", op.operands)
    first = rewriter.value("stablehlo.sign", [before])
    total = rewriter.value("stablehlo.add", [first, second])
    rewriter.order_by_use([total])
    assert [each.name for each in rewriter.created] == ["stablehlo.sign", "stablehlo.tanh", "stablehlo.add"]
    assert names(rewriter) == ["floor", "sign", "tanh", "add", "abs"]
    assert not unused.uses


def test_arguments_in_use_are_not_removed() -> None:
    module = shlo.parse("""func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>) {
      %r = stablehlo.abs %z : tensor<4xf32>
      return
    }""")
    block = module.functions["main"].blocks[0]
    x, y, z = block.arguments
    with pytest.raises(ValueError, match=r"^an argument is still used; replace its uses first$"):
        drop_arguments(block, [0, 2])
    assert block.arguments == (x, y, z)
    drop_arguments(block, [1])
    assert block.arguments == (x, z)
    assert [x.index, z.index] == [0, 1]


def test_attributes_of_a_replaced_op() -> None:
    """Those of XLA's front end are joined; of others, the ones of the replaced op are taken."""
    attributes = [
        f'{{mhlo.frontend_attributes = {{{name} = "1", both = "{name}"}}, test.other = {{{name}}}}}'
        for name in "ab"
    ]
    module = shlo.parse(f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = stablehlo.abs %x {attributes[0]} : tensor<2xf32>
      %1 = stablehlo.abs %x {attributes[1]} : tensor<2xf32>
      return %0 : tensor<2xf32>
    }}""")
    first, second, _ = module.functions["main"].blocks[0].ops
    _merge_attributes(first.attributes, second)
    merged = 'mhlo.frontend_attributes = {a = "1", b = "1", both = "a"}, test.other = {a}'
    assert merged in shlo.format(module).splitlines()[3]


@pytest.mark.parametrize(
    ("indices", "axes"),
    [
        ([0, 1], ["x", "y"]),
        ([1, 0], ["y", "x"]),
        ([1], ["y"]),
        ([1, None], None),
        ([None, 0], None),
        ([], None),
    ],
)
def test_shardings_of_a_replacement(indices: list[int | None], axes: list[str] | None) -> None:
    """One for each of its results, or none at all; other attributes are kept."""
    given = ", ".join(f'<@m, [{{"{axis}"}}]>' for axis in "xy")
    attributes = f"{{a.b, sdy.sharding = #sdy.sharding_per_value<[{given}]>}}"
    module = shlo.parse(f"""sdy.mesh @m = <["x"=2, "y"=2]>
    func.func @main(%x: tensor<4xf32>) {{
      %0:2 = stablehlo.custom_call @f(%x) {attributes} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      return
    }}""")
    found = attributes_for(module.functions["main"].blocks[0].ops[0], indices)
    text = str(found.pop("sdy.sharding", None))
    assert (re.findall(r'\{"(.)"\}', text) if text != "None" else None) == axes
    assert [*found] == ["a.b"]


def test_what_the_driver_visits_again() -> None:
    """Users of what changed; ops whose results lose a use, which may be the last; the changed op."""
    rewriter, op = last_op("""
      %a = stablehlo.abs %x : tensor<2xf32>
      %b = stablehlo.sign %x : tensor<2xf32>
      %c = stablehlo.add %a, %b : tensor<2xf32>
      %d = stablehlo.negate %c : tensor<2xf32>
    """)
    a, b, c, d = rewriter.ops(op.parent)[:-1]

    def touched() -> set[Operation]:
        found = set(rewriter.touched)
        rewriter.touched = []
        return found

    rewriter.set_operands(c, [a.result, a.result])
    assert touched() == {a, b, c, d}
    rewriter.modified(c)
    assert touched() == {c, d}
    rewriter.replace(c, [b.result])
    assert touched() == {a, d}
    rewriter.erase(d)
    assert touched() == {b}


def test_a_replacement_takes_the_name_and_position_of_what_it_replaces() -> None:
    """A position, if the op has this result alone."""
    rewriter, op = last_op("""
      %a = stablehlo.abs %x : tensor<2xf32>
      %b = stablehlo.sign %x : tensor<2xf32>
      %c = stablehlo.add %a, %b : tensor<2xf32>
    """)
    a, b = rewriter.ops(op.parent)[:2]
    types = [a.result.type] * 2
    one = rewriter.create("stablehlo.custom_call", types=types[:1], inputs={"call_target_name": "f"})
    two = rewriter.create("stablehlo.custom_call", types=types, inputs={"call_target_name": "f"})
    rewriter.replace(a, [one.result])
    rewriter.replace(b, [two.results[1]])
    assert [one.result.name, two.results[0].name, two.results[1].name] == ["a", None, "b"]
    assert [rewriter.module.position(each)[0] for each in (one, two)] == [3, 5]


def test_a_replacement_that_the_program_has_keeps_its_name_and_position() -> None:
    rewriter, op = last_op("""
      stablehlo.abs %x : tensor<2xf32>
      %b = stablehlo.sign %x : tensor<2xf32>
      %c = stablehlo.negate %b : tensor<2xf32>
    """)
    a, b = rewriter.ops(op.parent)[:2]
    rewriter.replace(b, [a.result])
    assert (a.result.name, rewriter.module.position(a)[0]) == (None, 3)


def test_the_loop_around_a_changed_end_is_visited_again() -> None:
    """Its condition becomes a constant that the program has: nothing new is created."""
    module = shlo.parse("""func.func @main(%n: tensor<i32>, %p: tensor<i1>) -> tensor<i32> {
      %never = stablehlo.constant dense<false> : tensor<i1>
      %r = stablehlo.while(%i = %n) : tensor<i32>
      cond {
        %c = stablehlo.and %p, %never : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %m = stablehlo.negate %i : tensor<i32>
        stablehlo.return %m : tensor<i32>
      }
      return %r : tensor<i32>
    }""")
    rules = [rule for rule in all_rules() if rule.name in ("and-zero", "while-false")]
    assert apply_rules(module, module.op, rules) == {"and-zero": 1, "while-false": 1}
