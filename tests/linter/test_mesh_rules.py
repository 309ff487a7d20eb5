"""Rules of meshes: which shardings and gathers are found, and which are not."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

GATHER = (
    '"stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, '
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> "
    ": (tensor<4x8xf32>) -> tensor<8x8xf32>"
)


def found(text: str, rule: str, **settings: int) -> list[str]:
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    return [d.message for d in shlo.lint(module, select=[rule], settings=settings)]


def product(dims: str, more: str = "") -> str:
    return (
        "func.func @main(%x: tensor<8x8xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {\n"
        f"  %0 = {GATHER}\n  %1 = stablehlo.dot_general %x, %0, contracting_dims = {dims} "
        f": (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n{more}  return %1 : tensor<8x8xf32>\n}}"
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (product("[1] x [0]"), 1),
        (product("[1] x [1]"), 0),  # another dimension is contracted
        (product("[1] x [0]", "  %2 = stablehlo.tanh %0 : tensor<8x8xf32>\n"), 0),  # it is needed whole
        (product("[1] x [0]").replace("%x, %0", "%0, %0").replace("[1] x [0]", "[0] x [0]"), 1),
        (product("[1] x [0]").replace("%x, %0", "%0, %0"), 0),  # of one operand alone
        (product("[1] x [0]").replace("%x, %0", "%x, %x"), 0),  # it is not used
        (
            product("[1] x [0]")
            .replace("(%w)", "(%v)")
            .replace("  %0 =", "  %v = stablehlo.tanh %w : tensor<4x8xf32>\n  %0 ="),
            0,
        ),  # it is computed
    ],
)
def test_gathered_weights(text: str, count: int) -> None:
    assert len(found(text, "gathered-weight")) == count


def test_each_weight_of_a_gather() -> None:
    """Of the operands %x, %w and %v, the last two are weights: %x is returned as it is gathered."""
    one, whole = "tensor<4x8xf32>", "tensor<8x8xf32>"
    gather = GATHER.replace("(%w)", "(%x, %w, %v)")
    gather = gather.replace(f"({one}) -> {whole}", f"({one}, {one}, {one}) -> ({whole}, {whole}, {whole})")
    dot = f"contracting_dims = [0] x [0] : ({whole}, {whole}) -> {whole}"
    text = (
        f"func.func @main(%x: {one}, %w: {one}, %v: {one}) -> ({whole}, {whole}) {{\n  %0:3 = {gather}\n"
        f"  %1 = stablehlo.dot_general %0#1, %0#2, {dot}\n  return %0#0, %1 : {whole}, {whole}\n}}"
    )
    assert found(text, "gathered-weight") == [
        f"{name} is gathered along dimension 0, which is contracted then" for name in ("%w", "%v")
    ]


def test_what_a_loop_carries_is_no_weight() -> None:
    whole, body = "tensor<8x8xf32>", f"%0 = {GATHER.replace('%w', '%a')}"
    text = f"""func.func @main(%x: {whole}, %w: tensor<4x8xf32>, %n: tensor<i32>) -> tensor<4x8xf32> {{
  %r:2 = stablehlo.while(%i = %n, %a = %w) : tensor<i32>, tensor<4x8xf32>
  cond {{
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    {body}
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : ({whole}, {whole}) -> {whole}
    stablehlo.return %i, %a : tensor<i32>, tensor<4x8xf32>
  }}
  return %r#1 : tensor<4x8xf32>
}}"""
    assert found(text, "gathered-weight") == []
    assert len(found(text.replace("(%a) <{all", "(%w) <{all"), "gathered-weight")) == 1


def argument(sharding: str) -> str:
    return (
        'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main(%x: tensor<10x8xf32> '
        f"{{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}) -> tensor<10x8xf32> {{\n"
        "  return %x : tensor<10x8xf32>\n}"
    )


@pytest.mark.parametrize(
    ("sharding", "limit", "count"),
    [
        ("[{}, {}]", 319, 1),
        ("[{}, {}]", 320, 0),  # as large as it may be
        ("[{?}, {}]", 319, 0),  # propagation may divide it
        ('[{}, {"x"}]', 319, 0),
    ],
)
def test_replicated_arguments(sharding: str, limit: int, count: int) -> None:
    assert len(found(argument(sharding), "replicated-argument", **{"max-replicated-bytes": limit})) == count


@pytest.mark.parametrize(
    ("type", "size"),
    [
        ("tensor<3x5xi4>", 7),
        ("tensor<3x5xi1>", 1),
        ("tensor<3xcomplex<f64>>", 48),
        ("tensor<f64>", 8),
        ("tensor<?x3xf32>", 12),
    ],
)
def test_bytes_of_an_argument(type: str, size: int) -> None:
    dims = ", ".join(["{}"] * type.count("x", 0, 11))
    text = argument(f"[{dims}]").replace("tensor<10x8xf32>", type)
    for limit, count in ((size - 1, 1), (size, 0)):
        assert len(found(text, "replicated-argument", **{"max-replicated-bytes": limit})) == count
    (message,) = found(text, "replicated-argument", **{"max-replicated-bytes": 0})
    assert message == f"%x of {size:,} bytes is replicated on every device"


def test_an_argument_without_elements_has_no_bytes() -> None:
    text = argument("[{}, {}]").replace("tensor<10x8xf32>", "tensor<0x8xf32>")
    assert found(text, "replicated-argument", **{"max-replicated-bytes": 0}) == []


def test_without_a_mesh_nothing_is_replicated() -> None:
    text = "func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {\n  return %x : tensor<10xf32>\n}"
    assert found(text, "replicated-argument", **{"max-replicated-bytes": 0}) == []


LOOP = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {{
  OUTSIDE%0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<8x8xf32>
  attributes {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, {before}>]>}}
  cond {{
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    %2 = sdy.sharding_constraint %a <@mesh, {after}> : tensor<8x8xf32>
    stablehlo.return %i, %2 : tensor<i32>, tensor<8x8xf32>
  }}
  return %0#1 : tensor<8x8xf32>
}}"""
OUTSIDE = '%y = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<8x8xf32>\n  '


@pytest.mark.parametrize(
    ("before", "after", "outside", "count"),
    [
        ('[{"x"}, {}]', '[{}, {"x"}]', "", 1),
        ('[{"x"}, {}]', '[{"x"}, {}]', "", 0),
        ('[{"x"}, {}]', "[{}, {}]", "", 1),
        ("[{}, {}]", "[{}, {}]", OUTSIDE, 0),  # not in a loop
    ],
)
def test_reshards_in_loops(before: str, after: str, outside: str, count: int) -> None:
    messages = found(LOOP.format(before=before, after=after).replace("OUTSIDE", outside), "reshard-in-loop")
    assert messages == ["%a is resharded in each iteration of a loop"] * count


def test_uneven_dimensions() -> None:
    assert found(argument('[{"x"}, {}]'), "uneven-dimension") == [
        "dimension 0 of %x has size 10, which the 4 devices along x do not divide"
    ]
    assert found(argument('[{}, {"x"}]'), "uneven-dimension") == []


def test_the_size_that_would_be_even() -> None:
    (finding,) = shlo.lint(shlo.parse(argument('[{"x"}, {}]')), select=["uneven-dimension"])
    assert list(finding.notes) == ["a size of 12 would be even"]


def test_an_invalid_sharding_is_not_uneven() -> None:
    module = shlo.parse(argument('[{"y"}, {}]'))
    assert shlo.lint(module, select=["M"]) == []


IN_A_BRANCH = """%2 = "stablehlo.if"(%c) ({
      %3 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<8x8xf32>
      stablehlo.return %3 : tensor<8x8xf32>
    }, {
      stablehlo.return %a : tensor<8x8xf32>
    }) : (tensor<i1>) -> tensor<8x8xf32>"""


def test_a_reshard_in_a_branch() -> None:
    """Of the body of a loop, it is in the loop; of a function, it is in none."""
    text = LOOP.format(before='[{"x"}, {}]', after="[]").replace("OUTSIDE", "")
    inner = "%2 = sdy.sharding_constraint %a <@mesh, []> : tensor<8x8xf32>"
    assert inner in text
    text = text.replace(inner, IN_A_BRANCH).replace("%n: tensor<i32>)", "%n: tensor<i32>, %c: tensor<i1>)")
    assert found(text, "reshard-in-loop") == ["%a is resharded in each iteration of a loop"]
    alone = (
        'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main(%a: tensor<8x8xf32> {sdy.sharding = '
        '#sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<i1>) -> tensor<8x8xf32> {\n'
        f"{IN_A_BRANCH}\nreturn %2 : tensor<8x8xf32>\n}}"
    )
    assert found(alone, "reshard-in-loop") == []


def test_arguments_of_private_functions_and_without_a_sharding_are_not_replicated() -> None:
    text = argument("[{}, {}]").replace("@main", "private @f")
    assert found(text, "replicated-argument", **{"max-replicated-bytes": 0}) == []
    plain = 'sdy.mesh @mesh = <["x"=4]>\nfunc.func @main(%x: tensor<8xf32>) {\n  return\n}'
    assert found(plain, "replicated-argument", **{"max-replicated-bytes": 0}) == []
