"""Shardy's attributes and ops: both spellings of the C++ printer, and invalid shardings."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

T = "tensor<8x8xf32>"
MESHES = """module {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @"two words" = <["a"=2], device_ids=[1, 0]> {note = "turned"}
  sdy.mesh @one = <[], device_ids=[0]>
  sdy.mesh @none = <[]>
"""
# An op in its pretty form, and its properties in the generic form.
PAIRS = [
    ('sdy.sharding_constraint %a <@mesh, [{"a"}, {}]>', 'sharding = #sdy.sharding<@mesh, [{"a"}, {}]>'),
    ('sdy.reshard %a <@mesh, [{"a", "b"}, {?}]>', 'sharding = #sdy.sharding<@mesh, [{"a", "b"}, {?}]>'),
    ('sdy.reshard %a <@mesh, [{"a", ?}p3, {?}p0]>', 'sharding = #sdy.sharding<@mesh, [{"a", ?}p3, {?}p0]>'),
    ('sdy.reshard %a <@mesh, [{"b":(1)2}, {}]>', 'sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>'),
    ('sdy.reshard %a <mesh<["a"=2]>, [{}, {}]>', 'sharding = #sdy.sharding<mesh<["a"=2]>, [{}, {}]>'),
    (
        'sdy.reshard %a <@mesh, [{}, {}], replicated={"a"}, unreduced={"b":(2)2}>',
        'sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"a"}, unreduced={"b":(2)2}>',
    ),
    ("sdy.data_flow_edge %a sharding=<@mesh, [{}, {}]>", "sharding = #sdy.sharding<@mesh, [{}, {}]>"),
    ("sdy.propagation_barrier %a allowed_direction=BACKWARD", "allowed_direction = 2 : i32"),
    (
        'sdy.all_gather [{"a", "b"}, {}] %a out_sharding=<@mesh, [{}, {}]>',
        'gathering_axes = #sdy<list_of_axis_ref_lists[{"a", "b"}, {}]>, '
        "out_sharding = #sdy.sharding<@mesh, [{}, {}]>",
    ),
    (
        'sdy.all_slice [{"a"}, {}] %a out_sharding=<@mesh, [{"a"}, {}]>',
        'out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>, '
        'slicing_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>',
    ),
    (
        'sdy.all_to_all [{"b"}: 0->1] %a out_sharding=<@mesh, [{}, {"b"}]>',
        'out_sharding = #sdy.sharding<@mesh, [{}, {"b"}]>, params = #sdy<all_to_all_param_list[{"b"}: 0->1]>',
    ),
    (
        'sdy.all_reduce {"a", "b"} %a out_sharding=<@mesh, [{}, {}]>',
        'out_sharding = #sdy.sharding<@mesh, [{}, {}]>, reduction_axes = #sdy<axis_ref_list{"a", "b"}>',
    ),
    (
        'sdy.collective_permute %a out_sharding=<@mesh, [{}, {"a"}]>',
        'out_sharding = #sdy.sharding<@mesh, [{}, {"a"}]>',
    ),
]


def program(op: str) -> str:
    return f"{MESHES}  func.func @main(%arg0: {T}) -> {T} {{\n    %0 = {op}\n    return %0 : {T}\n  }}\n}}\n"


@pytest.mark.parametrize(("pretty", "properties"), PAIRS)
def test_both_spellings_of_an_op(pretty: str, properties: str) -> None:
    text = program(pretty.replace("%a", "%arg0") + f" : {T}")
    generic = program(f'"{pretty.split()[0]}"(%arg0) <{{{properties}}}> : ({T}) -> {T}')
    for written in (text, generic):
        module = shlo.parse(written)
        assert shlo.format(module) == text
        assert f"<{{{properties}}}>" in shlo.format(module, generic=True)


BODY = f"""(%arg1: {T}) {{
      sdy.return %arg1 : {T}
    }} : ({T}) -> {T}"""


@pytest.mark.parametrize(
    "op",
    [
        f'sdy.named_computation<"f">(%arg0) {BODY}',
        f'sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{{"a"}}, {{}}]>] {BODY}',
        f'sdy.named_computation<"f">(%arg0) out_shardings=[<@mesh, [{{"a"}}, {{}}]>] {BODY}',
        "sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {}]>] "
        f"out_shardings=[<@mesh, [{{}}, {{}}]>] manual_axes={{}} {BODY}",
        f"sdy.constant dense<1.000000e+00> : {T}",
    ],
)
def test_ops_with_regions_and_constants(op: str) -> None:
    text = program(op)
    module = shlo.parse(text)
    assert shlo.format(module) == text
    assert shlo.format(shlo.parse(shlo.format(module, generic=True))) == text


def test_ops_without_results() -> None:
    text = (
        f"{MESHES}  func.func @main(%arg0: {T}) {{\n    sdy.sharding_group %arg0 group_id=21 : {T}\n"
        "    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n"
        '      sdy.return {note = "nothing"}\n    } : () -> ()\n    return\n  }\n}\n'
    )
    assert shlo.format(shlo.parse(text)) == text


def test_meshes_and_shardings_in_full_and_by_aliases() -> None:
    short = """\
module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
"""
    full = short.replace("= <[", "= #sdy.mesh<[").replace("[<@mesh", "[#sdy.sharding<@mesh")
    by_alias = short.replace('<["a"=2]>', "#m").replace('out_sharding=<@mesh, [{"a"}]>', "out_sharding=#s")
    head = '#m = #sdy.mesh<["a"=2]>\n#s = #sdy.sharding<@mesh, [{"a"}]>\n'
    assert shlo.format(shlo.parse(full)) == short
    assert shlo.format(shlo.parse(head + by_alias)) == short


def test_other_blanks_and_orders_are_made_the_canonical_ones() -> None:
    written = 'sdy.reshard %arg0 < @mesh , [ {"a" ,?}p1,{ } ],unreduced={"b"} , replicated = { "c" } >'
    canonical = 'sdy.reshard %arg0 <@mesh, [{"a", ?}p1, {}], replicated={"c"}, unreduced={"b"}>'
    assert shlo.format(shlo.parse(program(f"{written} : {T}"))) == program(f"{canonical} : {T}")


@pytest.mark.parametrize(
    "attribute",
    [
        '#sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>, <@mesh, []>]>',
        "#sdy.sharding_per_value<[]>",
        '#sdy<manual_axes{"a", "b"}>',
        "#sdy<list_of_axis_ref_lists[]>",
        "#sdy<all_to_all_param_list[]>",
        '#sdy.mesh<["a"=2, "b"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>',
        "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>",  # kept as it is
    ],
)
def test_attributes_anywhere(attribute: str) -> None:
    text = f"module attributes {{a.b = {attribute}}} {{\n}}\n"
    assert shlo.format(shlo.parse(text)) == text


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ("sdy.reshard %arg0 <@mesh, [1, 2]> : T", "expected a list such as [{}], found integers"),
        ("sdy.reshard %arg0 <grid<[]>, [{}, {}]> : T", "expected mesh<...> or @name, found grid"),
        ('sdy.reshard %arg0 <@mesh, [{"a"}q1, {}]> : T', "expected a priority such as p1, found q1"),
        ('sdy.reshard %arg0 <@mesh, [{"a"}p01, {}]> : T', "expected a priority such as p1, found p01"),
        (
            'sdy.reshard %arg0 <@mesh, [{}, {}], replicated={"a"}, replicated={"b"}> : T',
            "duplicate replicated entry",
        ),
        (
            'sdy.reshard %arg0 <@mesh, [{}, {}], unreduced=mean{"a"}> : T',
            "expected one of sum, max, min, found mean",
        ),
        (
            "sdy.propagation_barrier %arg0 allowed_direction=UP : T",
            "expected one of NONE, FORWARD, BACKWARD, BOTH, found UP",
        ),
        (
            "sdy.all_slice [{}, {}] %arg0 out_sharding=#sdy.mesh<[]> : T",
            "expected #sdy.sharding<...>, found #sdy.mesh<[]>",
        ),
        (
            '"sdy.reshard"(%arg0) <{sharding = #sdy.sharding<["a"=2]>}> : (T) -> T',
            "expected the fields of #sdy.sharding",
        ),
        (
            '"sdy.reshard"(%arg0) <{sharding = #sdy.mesh<["a"=2], device_ids=[]>}> : (T) -> T',
            "expected a list of devices such as [1, 0]",
        ),
        (
            "sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[] "
            'manual_axes={"b", "a":(1)2} () {\n} : (T) -> T',
            "expected full axes, found a sub-axis",
        ),
    ],
)
def test_what_is_no_sharding(op: str, message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(program(op.replace("T", T)))
    assert message in [d.message for d in caught.value.diagnostics]
