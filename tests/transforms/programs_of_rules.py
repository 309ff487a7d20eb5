"""Programs near those that rules with code rewrite, and what each rule makes of them."""

from __future__ import annotations

REFUSED = ""


def sort(used: str, compared: str) -> str:
    """A sort of three inputs, of which some results are used; `compared` are two arguments of the body."""
    return f"""
        %all:3 = "stablehlo.sort"(%x, %y, %z) <{{dimension = 0 : i64, is_stable = true}}> ({{
        ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>,
          %f: tensor<i32>):
          %lt = stablehlo.compare LT, {compared} : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %lt : tensor<i1>
        }}) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
        {sums(used, "tensor<4xi32>")}"""


def sums(used: str, type: str) -> str:
    """The sum of some results of %all, each twice."""
    lines, last = [], ""
    for n, each in enumerate(used):
        last, before = f"%t{n}", last or f"%all#{each}"
        lines.append(f"{last} = stablehlo.add {before}, %all#{each} : {type}")
    return "\n".join([*lines, f"%r = stablehlo.negate {last} : {type}"])


def reduction(used: str, *returned: str, ops: str = "") -> str:
    """A reduction of three inputs, of which some results are used."""
    three, types = "tensor<i32>, tensor<i32>, tensor<i32>", "tensor<4xi32>, tensor<4xi32>, tensor<4xi32>"
    return f"""
        %i = stablehlo.constant dense<0> : tensor<i32>
        %k = stablehlo.constant dense<5> : tensor<i32>
        %all:3 = stablehlo.reduce(%x init: %i), (%y init: %k), (%z init: %i) across dimensions = [0] :
          ({types}, {three}) -> ({three})
          reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>)
          (%e: tensor<i32>, %f: tensor<i32>) {{
          %p = stablehlo.add %a, %b : tensor<i32>
          %q = stablehlo.maximum %c, %d : tensor<i32>
          %s = stablehlo.add %e, %f : tensor<i32>
          {ops}
          stablehlo.return {", ".join(returned)} : {three}
        }}
        {sums(used, "tensor<i32>")}"""


MIXED = "%m = stablehlo.add %p, %s : tensor<i32>"
NESTED = """%g = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %m = "stablehlo.if"(%g) ({
            %n = stablehlo.add %e, %f : tensor<i32>
            stablehlo.return %n : tensor<i32>
          }, {
            stablehlo.return %p : tensor<i32>
          }) : (tensor<i1>) -> tensor<i32>"""


def sized_loop(given: str, carried: str, result: str) -> str:
    """A loop that passes a value on as it is."""
    return f"""%r:2 = "stablehlo.while"(%x, %y) ({{
              ^bb0(%i: tensor<i32>, %v: tensor<{carried}>):
                %c = stablehlo.compare GT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %c : tensor<i1>
            }}, {{
              ^bb0(%j: tensor<i32>, %w: tensor<{carried}>):
                %k = stablehlo.get_dimension_size %w, dim = 0 : (tensor<{carried}>) -> tensor<i32>
                stablehlo.return %k, %w : tensor<i32>, tensor<{carried}>
            }}) : (tensor<i32>, tensor<{given}>) -> (tensor<i32>, tensor<{result}>)"""


def loop(returned: str, limit: str = "%limit") -> str:
    """A loop of three values that runs three times."""
    three = "tensor<i32>, tensor<i32>, tensor<i32>"
    return f"""
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %limit = stablehlo.constant dense<3> : tensor<i32>
        %all:3 = stablehlo.while(%i = %zero, %k = %x, %n = %y) : {three}
        cond {{
          %lt = stablehlo.compare LT, %i, {limit} : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %lt : tensor<i1>
        }} do {{
          %next = stablehlo.add %i, %one : tensor<i32>
          %sum = stablehlo.add %k, %n : tensor<i32>
          stablehlo.return {returned} : {three}
        }}
        {sums("012", "tensor<i32>")}"""


def empty_loop(condition: str, given: str, carried: str) -> str:
    """A loop whose condition is a constant."""
    return f"""
        %w = "stablehlo.while"(%x) ({{
        ^bb0(%a: tensor<{carried}>):
          %c = stablehlo.constant dense<{condition}> : tensor<i1>
          stablehlo.return %c : tensor<i1>
        }}, {{
        ^bb0(%a: tensor<{carried}>):
          stablehlo.return %a : tensor<{carried}>
        }}) : (tensor<{given}>) -> tensor<{carried}>
        %r = stablehlo.add %w, %w : tensor<{carried}>"""


ELEMENTS = """
        %t = stablehlo.tuple %x, %y : tuple<tensor<i32>, tensor<i32>>
        %u = stablehlo.tuple %y, %x, %x : tuple<tensor<i32>, tensor<i32>, tensor<i32>>
        %a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
        %b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
        %c = stablehlo.get_tuple_element %u[0] : (tuple<tensor<i32>, tensor<i32>, tensor<i32>>) -> tensor<i32>
        %d = stablehlo.get_tuple_element %u[1] : (tuple<tensor<i32>, tensor<i32>, tensor<i32>>) -> tensor<i32>
        %s = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
        %r = stablehlo.tuple {} : tuple<tensor<i32>, tensor<i32>>"""
ELEMENTS_OF_TWO = """
        %t = stablehlo.tuple %x, %y : tuple<tensor<i32>, tensor<i32>>
        %u = stablehlo.tuple %y, %x : tuple<tensor<i32>, tensor<i32>>
        %a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
        %b = stablehlo.get_tuple_element %u[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
        %r = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<i32>>"""
KEPT = "tuple/2 tuple/3 get_tuple_element/1 get_tuple_element/1 get_tuple_element/1 get_tuple_element/1 "


def joined(text: str, sizes: tuple[int, ...], size: int, more: str = "") -> str:
    """A slice of the concatenation of %x0, %x1, ... of some sizes along dimension 1."""
    operands = ", ".join([f"%x{n}" for n in range(len(sizes))])
    types = ", ".join([f"tensor<3x{each}xi32>" for each in sizes])
    whole = f"tensor<3x{sum(sizes)}xi32>"
    return f"""
        %c = stablehlo.concatenate {operands}, dim = 1 : ({types}) -> {whole}
        {more}
        %r = stablehlo.slice %c [{text}] : ({whole}) -> tensor<2x{size}xi32>"""


def gathered(index: str, type: str, dims: str, sizes: str, result: str) -> str:
    return f"""
        %i = stablehlo.constant dense<{index}> : tensor<{type}>
        %r = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<{dims}>,
          slice_sizes = array<i64: {sizes}>}}> : (tensor<3x5xi32>, tensor<{type}>) -> tensor<{result}xi32>"""


def case(index: str, type: str = "i32") -> str:
    name = "case" if type == "i32" else "if"
    third = ", { stablehlo.return %z : tensor<2xi32> }" if name == "case" else ""
    return f"""
        %i = {index} : tensor<{type}>
        %r = "stablehlo.{name}"(%i) ({{ stablehlo.return %x : tensor<2xi32> }}, {{
          %m = stablehlo.negate %y : tensor<2xi32>
          stablehlo.return %m : tensor<2xi32> }}{third}) : (tensor<{type}>) -> tensor<2xi32>"""


def logical(op: str, x: str = "stablehlo.constant dense<true> : tensor<3xi1>", more: str = "%a, %b") -> str:
    return f"""
        %t = stablehlo.constant dense<true> : tensor<i1>
        %x = {x}
        %r = stablehlo.reduce(%x init: %t) across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
          reducer(%a: tensor<i1>, %b: tensor<i1>) {{
          %s = stablehlo.{op} {more} : tensor<i1>
          stablehlo.return %s : tensor<i1>
        }}"""


def concatenated(*parts: str) -> str:
    """A concatenation of splats, each with its element and its size."""
    rows = [each.split() for each in parts]
    lines = [
        f"%x{n} = stablehlo.constant dense<{x}> : tensor<{size}xi32>" for n, (x, size) in enumerate(rows)
    ]
    names, types = zip(*[(f"%x{n}", f"tensor<{size}xi32>") for n, (_, size) in enumerate(rows)], strict=True)
    result = sum(int(size) for _, size in rows)
    last = f"stablehlo.concatenate {', '.join(names)}, dim = 0 : ({', '.join(types)}) -> tensor<{result}xi32>"
    return "\n".join([*lines, f"%r = {last}"])


def join(name: str, axis: int, result: str, operands: str) -> str:
    """A concatenation of operands, each as NAME:SHAPE."""
    rows = [each.split(":") for each in operands.split()]
    names, types = zip(*[(f"%{name}", f"tensor<{shape}xi32>") for name, shape in rows], strict=True)
    given = f"{', '.join(names)}, dim = {axis} : ({', '.join(types)})"
    return f"{name} = stablehlo.concatenate {given} -> tensor<{result}xi32>\n"


def sliced(i: str, k: str) -> str:
    return f"""
        %i = stablehlo.constant {i} : tensor<i32>
        %k = stablehlo.constant {k} : tensor<i32>
        %r = stablehlo.dynamic_slice %x, %i, %k, sizes = [2, 3]
          : (tensor<4x5xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>"""


def resliced(sum: str, op: str = "add", strides: str = "[1, 1]", result: str = "2x1") -> str:
    return f"""
        %start = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xi64>
        %size = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
        %limit = stablehlo.{op} {sum} : tensor<2xi64>
        %strides = stablehlo.constant dense<{strides}> : tensor<2xi64>
        %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
          : (tensor<4x5xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<{result}xi32>"""


def reshaped(
    middle: str = "stablehlo.add %y, %y : tensor<?x?xi32>", last: str = "%s", type: str = "tensor<?x?xi32>"
) -> str:
    return f"""
        %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
        %t = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
        %y = stablehlo.dynamic_reshape %v, %s : (tensor<6xi32>, tensor<2xi64>) -> tensor<?x?xi32>
        %x = {middle}
        %r = stablehlo.dynamic_reshape %x, {last} : (tensor<?x?xi32>, tensor<2xi64>) -> {type}"""


def custom_call(attributes: str) -> str:
    return f"%r = stablehlo.custom_call @f(%x) {{{attributes}}} : (tensor<2xi32>) -> tensor<2xi32>"


def constant_body(returned: str, more: str = "", result: str = "3") -> str:
    return f"""
        %k = stablehlo.constant dense<5> : tensor<i32>
        %r = stablehlo.reduce(%x init: %i) across dimensions = [0]
          : (tensor<2x3xi32>, tensor<i32>) -> tensor<{result}xi32>
          reducer(%a: tensor<i32>, %b: tensor<i32>) {{
          {more}
          stablehlo.return {returned} : tensor<i32>
        }}"""


def product(*lines: str) -> str:
    """Ops on a product with constant weights, whose features are the last dimension."""
    types = "(tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>"
    above = """
        %w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf32>
        %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : """
    return "\n".join([above + types, *lines])


def along(name: str, axis: int) -> str:
    """Two numbers that are repeated along all dimensions but one."""
    return f"""
        %{name}s = stablehlo.constant dense<[2.0, 0.5]> : tensor<2xf32>
        %{name} = stablehlo.broadcast_in_dim %{name}s, dims = [{axis}]
          : (tensor<2xf32>) -> tensor<1x2x3x2xf32>"""


def operation(op: str, a: str, b: str) -> str:
    return f"= stablehlo.{op} %{a}, %{b} : tensor<1x2x3x2xf32>"


def terms(axis: int, contracted: int) -> str:
    """A product of a sum: the second operand of the sum differs along one dimension."""
    return f"""
        %fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf32>
        %f = stablehlo.broadcast_in_dim %fs, dims = [{axis}] : (tensor<2xf32>) -> tensor<2x2xf32>
        %s = stablehlo.subtract %x, %f : tensor<2x2xf32>
        %w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32>
        %r = stablehlo.dot_general %s, %w, contracting_dims = [{contracted}] x [0]
          : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"""


ABOVE = "constant/0 convolution/2 "
REPEATED = "constant/0 broadcast_in_dim/1 "
TERMS = f"{REPEATED}subtract/2 constant/0 dot_general/2 {REPEATED}subtract/2"
SUM = f"%z {operation('add', 'y', 'b')}"
SCALED = f"%r {operation('multiply', 'z', 'f')}"
SUM_OF_SUM = f"%r {operation('add', 'z', 'c')}"
PROGRAMS = {
    "broadcast-to-transpose": [
        (
            "%r = stablehlo.broadcast_in_dim %x, dims = [1, 2, 0] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>",
            "transpose/1",
        ),
        (
            "%r = stablehlo.broadcast_in_dim %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>",
            "transpose/1",
        ),
        (
            "%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x2xf32>",
            REFUSED,
        ),
    ],
    "product-plus-constant-times-constant": [
        (
            product(along("b", 3), SUM, along("f", 3), SCALED),
            f"{ABOVE}{REPEATED}add/2 {REPEATED}{ABOVE}{REPEATED}add/2",
        ),
        (product(along("b", 3), SUM, along("f", 1), SCALED), REFUSED),  # not one factor for each feature
        (product(along("b", 1), SUM, along("f", 1), SCALED), REFUSED),
        (product(along("b", 3), SUM, SCALED), REFUSED),
        (product(SUM, along("f", 3), SCALED), REFUSED),
    ],
    "product-plus-constants": [
        (
            product(along("b", 3), SUM, along("c", 3), SUM_OF_SUM),
            f"{ABOVE}{REPEATED}add/2 {REPEATED}{REPEATED}add/2",
        ),
        (product(along("b", 3), SUM, SUM_OF_SUM), REFUSED),
        (product(SUM, along("c", 3), SUM_OF_SUM), REFUSED),
    ],
    "broadcast-constant-left": [
        (along("f", 3) + f"\n%r {operation('add', 'f', 'x')}", "constant/0 broadcast_in_dim/1 add/2"),
        (along("f", 3) + along("x", 1) + f"\n%r {operation('add', 'f', 'x')}", REFUSED),
        (along("f", 3) + f"\n%r {operation('add', 'x', 'f')}", REFUSED),
    ],
    "term-of-lhs": [
        (terms(1, 1), TERMS),
        (terms(0, 0), TERMS),
        (terms(0, 1), REFUSED),  # the term differs along a dimension that is not contracted
        (terms(1, 0), REFUSED),
    ],
    "sort-unused": [
        (sort("0", "%a, %b"), "sort/1 add/2 negate/1"),
        (sort("2", "%e, %f"), "sort/1 add/2 negate/1"),
        (sort("1", "%a, %b"), "sort/2 add/2 negate/1"),
        (sort("02", "%c, %d"), REFUSED),
        (sort("1", "%a, %f"), REFUSED),  # each is one of the two arguments for an input
        (sort("1", "%d, %d"), "sort/1 add/2 negate/1"),
        (sort("012", "%a, %b"), REFUSED),
    ],
    "reduce-unused-results": [
        (reduction("0", "%p", "%q", "%s"), "constant/0 constant/0 reduce/2 add/2 negate/1"),
        (reduction("12", "%p", "%q", "%s"), "constant/0 constant/0 reduce/4 add/2 add/2 negate/1"),
        (reduction("02", "%m", "%q", "%s", ops=MIXED), "constant/0 constant/0 reduce/4 add/2 add/2 negate/1"),
        (
            reduction("02", "%m", "%q", "%s", ops=NESTED),
            "constant/0 constant/0 reduce/4 add/2 add/2 negate/1",
        ),
        (reduction("01", "%m", "%q", "%s", ops=MIXED), REFUSED),
        (reduction("01", "%m", "%q", "%s", ops=NESTED), REFUSED),  # read inside of a region
        (reduction("012", "%p", "%q", "%s"), REFUSED),
    ],
    "reduce-unused-other-inputs": [
        (reduction("0", "%q", "%p", "%s"), "constant/0 constant/0 reduce/2 add/2 negate/1"),
        (reduction("1", "%q", "%s", "%s"), "constant/0 constant/0 reduce/2 add/2 negate/1"),
        (reduction("0", "%m", "%q", "%s", ops=MIXED), REFUSED),  # two inputs for one result
        (reduction("01", "%p", "%p", "%s"), REFUSED),  # one for two
        (reduction("012", "%q", "%p", "%s"), REFUSED),
    ],
    "reduce-to-outer-value": [
        (reduction("012", "%k", "%i", "%k"), "constant/0 constant/0 add/2 add/2 add/2 negate/1"),
        (reduction("012", "%k", "%i", "%s"), REFUSED),
        (reduction("012", "%a", "%i", "%k"), REFUSED),
    ],
    "while-false": [
        (empty_loop("false", "2xi32", "2xi32"), "while/1 add/2"),
        (empty_loop("true", "2xi32", "2xi32"), REFUSED),
        (empty_loop("false", "2x!quant.uniform<i8:f32, 2.0>", "?x!quant.uniform<i8:f32, 2.0>"), REFUSED),
    ],
    "while-invariants": [
        (loop("%next, %k, %n"), "constant/0 constant/0 constant/0 while/1 add/2 add/2 add/2 negate/1"),
        (loop("%next, %sum, %n"), "constant/0 constant/0 constant/0 while/2 add/2 add/2 add/2 negate/1"),
        (loop("%next, %x, %sum"), "constant/0 constant/0 constant/0 while/2 add/2 add/2 add/2 negate/1"),
        (
            loop("%next, %sum, %n", "%n"),
            "constant/0 constant/0 constant/0 while/2 add/2 add/2 add/2 negate/1",
        ),
        (loop("%next, %n, %k"), REFUSED),
        (loop("%next, %y, %sum"), REFUSED),  # another value than the loop begins with
        (sized_loop("2xi32", "2xi32", "2xi32"), "while/1"),
        (sized_loop("2xi32", "?xi32", "?xi32"), REFUSED),  # of which users know less
        (sized_loop("?xi32", "2xi32", "?xi32"), REFUSED),
        (sized_loop("?xi32", "?xi32", "2xi32"), REFUSED),
    ],
    "tuple-of-elements": [
        (ELEMENTS.format("%a, %b"), KEPT + "get_tuple_element/1"),
        (ELEMENTS.format("%s, %b"), KEPT + "get_tuple_element/1"),
        (ELEMENTS.format("%b, %a"), REFUSED),
        (ELEMENTS.format("%a, %s"), REFUSED),
        (ELEMENTS.format("%a, %d"), REFUSED),  # of another tuple
        (ELEMENTS.format("%c, %d"), REFUSED),  # without the last element
        (ELEMENTS.format("%a, %y"), REFUSED),
        (ELEMENTS_OF_TWO, REFUSED),
        ("%r = stablehlo.tuple %x, %x : tuple<tensor<i32>, tensor<i32>>", REFUSED),
    ],
    "slice-of-concatenate": [
        (joined("0:2, 0:2", (2, 3, 4), 2).replace("2x2xi32", "2x?xi32"), REFUSED),
        (joined("0:2, 0:2", (2, 3, 4), 2).replace("3x3xi32", "3x?xi32"), REFUSED),
        (joined("0:2, 0:2", (2, 3, 4), 2).replace("3x4xi32", "3x?xi32"), REFUSED),
        (joined("0:2, 0:2", (2, 3, 4), 2), "concatenate/3 concatenate/1 slice/1"),
        (joined("1:3, 1:2", (2, 3, 4), 1), "concatenate/3 concatenate/1 slice/1"),
        (joined("0:2, 2:5", (2, 3, 4), 3), "concatenate/3 concatenate/1 slice/1"),
        (joined("0:2, 5:9:2", (2, 3, 4), 2), "concatenate/3 concatenate/1 slice/1"),
        (joined("0:2, 1:5", (2, 3, 4), 4), "concatenate/3 concatenate/2 slice/1"),
        (joined("0:2, 4:8", (2, 3, 4), 4), "concatenate/3 concatenate/2 slice/1"),
        (joined("0:2, 1:6", (2, 3, 4), 5), REFUSED),
        (joined("0:2, 3:3", (2, 3, 4), 0), REFUSED),  # reads nothing
        (joined("0:2, 1:5", (2, 3, 4), 4, "%n = stablehlo.negate %c : tensor<3x9xi32>"), REFUSED),
        (
            joined("0:2, 3:4", (2, 3, 4), 1, "%n = stablehlo.negate %c : tensor<3x9xi32>"),
            "concatenate/3 negate/1 concatenate/1 slice/1",
        ),
    ],
    "gather-to-slice": [
        (
            gathered(
                "[1, 2]",
                "2xi32",
                "offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]",
                "1, 2",
                "2",
            ),
            "constant/0 slice/1 reshape/1",
        ),
        (
            gathered("[2, 1]", "2xi32", "offset_dims = [0, 1], start_index_map = [1, 0]", "2, 2", "2x2"),
            "constant/0 slice/1",
        ),
        (
            gathered("[9, -4]", "2xi32", "offset_dims = [0, 1], start_index_map = [0, 1]", "2, 2", "2x2"),
            "constant/0 slice/1",
        ),
        (
            gathered("[4]", "1xi32", "offset_dims = [0, 1], start_index_map = [1]", "3, 2", "3x2"),
            "constant/0 slice/1",
        ),
        (
            gathered(
                "3",
                "i32",
                "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]",
                "3, 1",
                "3",
            ),
            "constant/0 slice/1 reshape/1",
        ),
        (
            gathered(
                "[[1, 2]]",
                "1x2xi32",
                "offset_dims = [0, 1], start_index_map = [0], index_vector_dim = 0",
                "3, 2",
                "3x2x2",
            ),
            REFUSED,
        ),
        (
            gathered(
                "[1, 3]",
                "2xi32",
                "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1",
                "3, 1",
                "3x2",
            ),
            REFUSED,  # two indices of one number
        ),
    ],
    "concatenate-concatenate": [
        (
            join("%c", 0, "3x1", "x:2x1 y:1x1") + join("%r", 0, "6x1", "z:1x1 c:3x1 x:2x1"),
            "concatenate/2 concatenate/4",
        ),
        (
            join("%c", 0, "3x1", "x:2x1 y:1x1") + join("%r", 0, "6x1", "c:3x1 c:3x1"),
            REFUSED,
        ),
        (
            join("%c", 1, "2x2", "x:2x1 y:2x1") + join("%r", 0, "3x2", "c:2x2 z:1x2"),
            REFUSED,
        ),
    ],
    "concatenate-empty": [
        (
            join("%r", 1, "2x2", "x:2x1 y:2x0 x:2x1"),
            "concatenate/2",
        ),
        (
            join("%r", 1, "2x0", "x:2x0 x:2x0"),
            REFUSED,
        ),
        (
            join("%r", 1, "0x3", "x:0x1 y:0x2"),
            REFUSED,
        ),
    ],
    "case-constant": [
        (case("stablehlo.constant dense<0>"), "constant/0"),
        (case("stablehlo.constant dense<1>"), "constant/0 negate/1"),
        (case("stablehlo.constant dense<2>"), "constant/0"),
        (case("stablehlo.constant dense<3>"), "constant/0"),
        (case("stablehlo.constant dense<-1>"), "constant/0"),
        (case("stablehlo.constant dense<true>", "i1"), REFUSED),  # `if` has a rule of its own
        (case("stablehlo.negate %j"), REFUSED),
        (  # nothing converts quantized numbers to a type of unknown size
            case("stablehlo.constant dense<0>")
            .replace("2xi32", "2x!quant.uniform<i8:f32, 2.0>")
            .replace("-> tensor<2x", "-> tensor<?x"),
            REFUSED,
        ),
    ],
    "reduce-splats-logically": [
        (logical("and"), "constant/0 constant/0 reduce/2"),
        (logical("or"), "constant/0 constant/0 reduce/2"),
        (logical("xor"), REFUSED),
        (logical("and", "stablehlo.constant dense<[true, false, true]> : tensor<3xi1>"), REFUSED),
        (logical("and", "stablehlo.not %y : tensor<3xi1>"), REFUSED),
        (logical("and", more="%t, %t"), REFUSED),  # no argument to replace
    ],
    "concatenate-splats": [
        (concatenated("1 2", "1 2", "2 3"), "constant/0 constant/0 constant/0 constant/0 concatenate/2"),
        (concatenated("1 2", "2 2", "2 2", "1 2", "1 2"), "constant/0 " * 7 + "concatenate/3"),
        (concatenated("1 2", "2 2", "1 2"), REFUSED),
        (concatenated("1 2", "2 2", "2 3"), REFUSED),  # of other sizes
    ],
    "empty-tensor": [
        ("%r = stablehlo.add %x, %x : tensor<2x0xi32>", "constant/0 constant/0 constant/0 add/2"),
        (
            join("%r", 0, "2", "x:2 y:0"),
            "constant/0 concatenate/2",
        ),
        (
            "%c = stablehlo.constant dense<> : tensor<0xi32>\n" + join("%r", 0, "2", "x:2 c:0"),
            REFUSED,
        ),
        ("%r = stablehlo.constant dense<> : tensor<0xi32>", REFUSED),
        ("%r = stablehlo.add %x, %x : tensor<0x?xi32>", REFUSED),
        ("%r = chlo.tan %x : tensor<0xf32> -> tensor<0xf32>", REFUSED),
        (
            '%r = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({'
            "^bb0(%a: tensor<i32>, %b: tensor<i32>):\n stablehlo.return %a : tensor<i32>"
            "}) : (tensor<0xi32>) -> tensor<0xi32>",
            REFUSED,
        ),  # it may wait for others
    ],
    "dynamic-slice-constant": [
        (sliced("dense<1>", "dense<2>"), "constant/0 constant/0 slice/1"),
        (sliced("dense<-3>", "dense<9>"), "constant/0 constant/0 slice/1"),
        (sliced("dense<2>", "dense<0>").replace("%x, %i, %k", "%x, %i, %n"), REFUSED),
    ],
    "real-dynamic-slice-constant-size": [
        (
            resliced("%start, %size"),
            "convert/1 constant/0 add/2 constant/0 slice/1 reshape/1 slice/1 reshape/1 dynamic_slice/3",
        ),
        (
            resliced("%size, %start"),
            "convert/1 constant/0 add/2 constant/0 slice/1 reshape/1 slice/1 reshape/1 dynamic_slice/3",
        ),
        (resliced("%start, %size", strides="[1, 2]", result="2x1"), REFUSED),
        (resliced("%start, %size", op="multiply", result="?x?"), REFUSED),
        (resliced("%start, %start", result="?x?"), REFUSED),
        (resliced("%size, %size"), REFUSED),
    ],
    "dynamic-reshape-again": [
        (reshaped(), "constant/0 constant/0 dynamic_reshape/2 add/2"),
        (reshaped(last="%t"), REFUSED),
        (
            reshaped(middle="stablehlo.transpose %y, dims = [0, 1] : (tensor<?x?xi32>) -> tensor<?x?xi32>"),
            REFUSED,
        ),
        (reshaped(type="tensor<?x2xi32>"), REFUSED),
        (reshaped(middle="stablehlo.add %w, %y : tensor<?x?xi32>"), REFUSED),
    ],
    "custom-call-backend-config": [
        (custom_call("mhlo.backend_config = {a = 1 : i32}"), "custom_call/1"),
        (custom_call('mhlo.backend_config = {a = 1 : i32}, backend_config = ""'), "custom_call/1"),
        (custom_call('mhlo.backend_config = {a = 1 : i32}, backend_config = "b"'), REFUSED),
        (
            custom_call("mhlo.backend_config = {a = 1 : i32}, backend_config = {}, api_version = 4 : i32"),
            REFUSED,
        ),
        (custom_call('backend_config = ""'), REFUSED),
    ],
    "reduce-to-constant": [
        (constant_body("%k"), "constant/0 constant/0"),
        (constant_body("%a"), REFUSED),
        (
            constant_body(
                "%k", "stablehlo.custom_call @f(%a) {has_side_effect = true} : (tensor<i32>) -> ()"
            ),
            REFUSED,
        ),
        (constant_body("%k", result="?"), REFUSED),
    ],
}
