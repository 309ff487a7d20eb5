"""Syntax errors: positions, and recovery."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.locations import Source
from stablehlo_py.syntax.foreign_dialects import advice
from stablehlo_py.syntax.parser import parse_recovering


def errors(text: str, allow_unregistered: bool = False) -> list[Diagnostic]:
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(text, allow_unregistered=allow_unregistered)
    return caught.value.diagnostics


def body(*lines: str) -> str:
    return "\n".join(["func.func @f(%a: tensor<f32>) {", *(f"  {line}" for line in lines), "  return", "}"])


def test_every_line_that_is_wrong_is_reported() -> None:
    found = errors(
        body(
            "%0 = stablehlo.add %a, : tensor<f32>",
            "%1 = stablehlo.add %0, %a : tensor<f32>",
            "%2 = stablehlo.add %a %a : tensor<f32>",
            "%3 = stablehlo.ad %a, %a : tensor<f32>",
            "%4 = stablehlo.add %nowhere, %1 : tensor<f32>",
        )
        + "\nfunc.func @g( {\n  return\n}\nfunc.func @h() {\n  return %b : i1\n}"
    )
    assert [d.line for d in found] == [2, 4, 5, 6, 9, 13]
    assert found[0].message == "expected a value such as %0, found ':'"
    assert found[0].column == 26
    assert "nowhere" in found[3].message


def test_error_in_one_region_does_not_hide_the_next() -> None:
    found = errors(
        body(
            "%0 = stablehlo.while(%c = %a) : tensor<f32>",
            "cond {",
            "  stablehlo.bad",
            "  stablehlo.return %missing : tensor<i1>",
            "} do {",
            "  %0 = stablehlo.oops %c",
            "  stablehlo.return %c : tensor<f32>",
            "}",
            "%1 = stablehlo.abs %a tensor<f32>",
        )
    )
    assert [d.line for d in found] == [4, 5, 7, 10]


def test_each_function_shows_its_error() -> None:
    found = errors(
        """func.func @a(%x: tensor<4xf32>) {
  %0 = stablehlo.add %x %x : tensor<4xf32>
  return
}
func.func @b(%x: tensor<4xf32>) {
  %0 = stablehlo.compare EQQ, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
func.func @c() {
  return
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
}
func.func @d(%x: tensor<4xf32>) {
  %0 = stablehlo.transpose %x, dims = [0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @e(%x: tensor<4xf32) {
  return
}
func.func @f(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return
}"""
    )
    assert [(d.line, d.message) for d in found] == [
        (2, "expected ',', found '%x'"),
        (6, "expected one of EQ, NE, GE, GT, LE, LT, found EQQ"),
        (11, "expected ',' or ':' or ']', found '='"),
        (14, "expected ',' or ']', found ':'"),
        (17, "the bracket of tensor< is not closed"),
    ]
    assert found[1].notes == ("did you mean EQ?",)


def test_reading_goes_on_at_results_labels_and_their_arguments() -> None:
    found = errors("""func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.add %a, : tensor<f32>
  %1, %2 = stablehlo.oops %a
  return
^bb1 :
  %3 = = 3
^bb2(%x: ) :
  %4 = = 4
  return
}""")
    assert [(d.line, d.column) for d in found] == [(2, 26), (3, 12), (6, 8), (7, 10), (8, 8)]


@pytest.mark.parametrize(("count", "last"), [(99, "undeclared"), (100, "found '='"), (150, "found '='")])
def test_reading_ends_behind_a_hundred_errors(count: int, last: str) -> None:
    found = errors("func.func @f() {\n" + "  %0 = = 3\n" * count + "  return %x : i1\n}")
    assert len(found) == 100 and last in found[-1].message


def test_what_is_complete_is_kept_where_the_text_ends_early() -> None:
    text = "func.func @f() { return }\nfunc.func @g() {\n  func.call @f() : () -> ()\n"
    found = parse_recovering(Source("a", text), False, False)
    assert (list(found.module.functions), len(found.diagnostics), found.is_complete) == (["f"], 1, False)


def test_unclosed_bracket_costs_one_error() -> None:
    found = errors(body("%0 = stablehlo.abs %a : tensor<f32", "%1 = stablehlo.abs %a : tensor<f32>"))
    assert [(d.line, d.message) for d in found] == [(2, "the bracket of tensor< is not closed")]


def test_unclosed_attributes_do_not_swallow_what_follows() -> None:
    found = errors(
        body("%0 = stablehlo.abs %a {x = 1 : tensor<f32>", "%1 = stablehlo.abs %a tensor<f32>", "%2 = foo")
    )
    assert [d.line for d in found] == [2, 3, 4]


def test_text_that_ends_early() -> None:
    (found,) = errors("func.func @f() {\n  return\n")
    assert (found.line, found.column) == (2, 9)
    assert "found the end of the text" in found.message


def test_error_at_a_new_line_is_told_where_the_old_one_ends() -> None:
    (found,) = errors(body("%0 = stablehlo.abs %a :", ""))
    assert (found.line, found.column) == (2, 26)


def test_hints() -> None:
    assert errors(body("%0 = stablehlo.multipy %a, %a : tensor<f32>"))[0].notes == (
        "did you mean stablehlo.multiply?",
    )
    assert errors(body('%0 = "stablehlo.tanhh"(%a) : (tensor<f32>) -> tensor<f32>'))[0].notes[0] == (
        "did you mean stablehlo.tanh?"
    )
    (hint,) = errors(body("%0 = stablehlo.iota dims = 0 : tensor<4xi32>"))[0].notes
    assert hint == "did you mean dim?"


def test_unknown_ops() -> None:
    (unknown,) = errors('"stablehlo.nothing"() : () -> ()')
    assert unknown.message == "there is no op stablehlo.nothing"
    (other,) = errors('"other.op"() : () -> ()')
    assert other.message == "unregistered operation 'other.op'"
    assert shlo.parse('"other.op"() : () -> ()', allow_unregistered=True).body.ops[0].name == "other.op"
    for text in ("other.op %a : tensor<f32>", "%0 = other.op %a : tensor<f32>"):
        (pretty,) = errors(body(text))
        assert pretty.message == "there is no op other.op in a pretty form"
        assert pretty.notes[0] == 'other dialects have the generic form "other.op"(...)'
        assert "--allow-unregistered" in pretty.notes[1]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        (["%0 = stablehlo.abs %b : tensor<f32>"], 2, "use of undeclared SSA value name %b"),
        (["%a = stablehlo.abs %a : tensor<f32>"], 2, "redefinition of SSA value '%a'"),
        (
            ["%0 = stablehlo.abs %a : tensor<2xf32>"],
            2,
            "use of value '%a' expects different type than prior uses: 'tensor<2xf32>' vs 'tensor<f32>'",
        ),
        (["%0:2 = stablehlo.abs %a : tensor<f32>"], 2, "defines 1 results but was provided 2 to bind"),
        (["%0 = stablehlo.abs %a#1 : tensor<f32>"], 2, "reference to invalid result number 1 of %a"),
        (["%0 = func.return"], 2, "has no results"),
        (['"func.return"()[^nowhere] : () -> ()'], 2, "undefined block ^nowhere"),
        (["%0 = call @f(%a) : (tensor<f32>, i1) -> ()"], 2, "number of operands and types do not match"),
        (['"func.return"(%a) : () -> ()'], 2, "expected 1 operand type but had 0"),
        (['%0 = "stablehlo.abs"(%a) <{x = 1}> : (tensor<f32>) -> tensor<f32>'], 2, "has empty properties"),
        (['%0 = "stablehlo.abs"(%a) <{}> : (tensor<f32>) -> tensor<f32>'], 2, "has empty properties"),
    ],
)
def test_names_and_types(lines: list[str], line: int, words: str) -> None:
    found = errors(body(*lines))
    assert any(words in d.message and d.line == line for d in found)


@pytest.mark.parametrize("count", ["0", "9999999999"])
def test_a_number_of_results_that_no_op_has(count: str) -> None:
    """As upstream's parser says; a number that is too large has the same message here."""
    found = errors(body(f"%0:{count} = stablehlo.abs %a : tensor<f32>"))
    (one,) = [d for d in found if d.message == "expected named operation to have at least 1 result"]
    assert (one.line, one.column) == (2, 6)


def test_code_of_a_finding() -> None:
    assert errors(body("%0 = stablehlo.abs %b : tensor<f32>"))[0].code == "ssa"
    assert errors(body("%0 = stablehlo.abs"))[0].code == "parse"


def test_use_before_definition_with_another_type() -> None:
    (found,) = errors(
        '"a.b"() ({\n  "a.use"(%x) : (i32) -> ()\n  %x = "a.make"() : () -> i1\n}) : () -> ()',
        allow_unregistered=True,
    )
    assert "it was used as 'i32'" in found.message


def test_values_of_a_function_are_its_own() -> None:
    assert "undeclared" in errors(body() + "\nfunc.func @g() {\n  return %a : tensor<f32>\n}")[0].message


def test_result_numbers_are_not_defined() -> None:
    (found,) = errors(body("%b#0 = stablehlo.abs %a : tensor<f32>"))
    assert found.message == "expected '=' after SSA name, not a result number"
    (found,) = errors("func.func @f(%x#0: i1) { return }")
    assert found.message == "result number not allowed in argument list"


def test_aliases() -> None:
    assert "refers to itself" in errors("#a = [#b]\n#b = [#a]")[0].message
    assert "redefinition of alias #a" in errors("#a = 1\n#a = 2")[0].message
    assert "not a location" not in errors("func.func @f() { return loc(#a) }\n#a = 1")[0].message
    assert "never defined" in errors("func.func @f() { return loc(#a) }")[0].message


def test_an_alias_that_is_wrong_is_one_error() -> None:
    text = "!t = tensor<2xf99>\nfunc.func @f(%a: !t) { return }\nfunc.func @g(%a: !t, %b: !t) { return }"
    assert [(d.line, d.column, d.message) for d in errors(text)] == [(1, 15, "unknown type 'f99'")]


def test_an_argument_of_a_wrong_type_may_be_used() -> None:
    text = '"x.y"() ({\n^bb0(%x: tensor<2xf99>):\n  "x.z"(%x) : (i1) -> ()\n}) : () -> ()'
    assert [(d.line, d.message) for d in errors(text, True)] == [(2, "unknown type 'f99'")]


def test_an_op_without_a_dialect_is_unregistered() -> None:
    (found,) = errors('"foo"() : () -> ()', allow_unregistered=True)
    assert found.message == "unregistered operation 'foo'"


@pytest.mark.parametrize(
    "number", ["18446744073709551616", "-9223372036854775809", "9" * 200, "-" + "9" * 200]
)
def test_integers_that_are_too_large(number: str) -> None:
    assert len(errors(f"module attributes {{a.b = {number} : i64, a.c = array<i64: {number}>}} {{}}")) >= 1
    least, most = f"{-(1 << 63)}", f"{(1 << 63) - 1}"
    text = f"module attributes {{a.b = {least} : i64, a.c = array<i64: {least}, {most}>}} {{\n}}\n"
    assert shlo.format(shlo.parse(text)) == text


def test_errors_inside_an_operation_that_cannot_be_built() -> None:
    found = errors(
        '%0 = "a.b"(%x) ({\n  %1 = "a.c"(%y) : (i1) -> i1\n  "a.d"(%1) : (i32) -> ()\n}) : () -> i1',
        allow_unregistered=True,
    )
    assert [d.line for d in found] == [2, 3, 4]


def test_resources_that_are_wrong() -> None:
    assert "hex string" in errors('{-# dialect_resources: { builtin: { k: "1234" } } #-}')[0].message
    assert "expected" in errors("{-# dialect_resources: [ ] #-}")[0].message


def test_a_group_of_too_many_results_is_an_error_where_it_is_written() -> None:
    found = errors(body("%0:99999999999999999999 = stablehlo.add %a, %a : tensor<f32>"))
    assert (found[-1].line, found[-1].column, found[-1].message) == (2, 6, "integer value too large")


def test_the_body_of_a_function_with_a_bad_type_is_read_as_a_function() -> None:
    (only,) = errors("func.func @f(%a: tensor<2xf3>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}")
    assert (only.line, only.column) == (1, 27)


def test_a_brace_that_closes_nothing_behind_an_error_is_passed() -> None:
    found = errors("func.func @f() [ }\nfunc.func @g() { return }\nmodule [")
    assert [(d.line, d.column) for d in found] == [(1, 16), (3, 8)]


def test_the_name_that_was_meant() -> None:
    found = errors(
        "func.func @f(%input: tensor<f32>) {\n  %0 = stablehlo.abs %inptu : tensor<f32>\n  return\n}"
    )
    assert [d.notes for d in found] == [("did you mean %input?",)]
    found = errors(body("%0 = stablehlo.abs %1 : tensor<f32>"))
    assert [d.notes for d in found] == [()]


def test_a_number_that_is_undeclared_is_no_misspelling() -> None:
    (found,) = errors(
        body("%1234 = stablehlo.abs %a : tensor<f32>", "%0 = stablehlo.abs %1235 : tensor<f32>")
    )
    assert (found.message, found.notes) == ("use of undeclared SSA value name %1235", ())


def test_the_first_ten_undeclared_names_get_a_suggestion() -> None:
    lines = [f"%{number} = stablehlo.abs %inpu{number} : tensor<f32>" for number in range(12)]
    found = errors(body("%input = stablehlo.abs %a : tensor<f32>", *lines))
    assert [d.notes for d in found] == [("did you mean %input?",)] * 10 + [()] * 2


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("func.func @f() {\n  return\n\nfunc.func @g() {\n  return\n}\n", "func.func @f() {"),
        (
            "module {\n  func.func @f() {\n    return\n\n  func.func @g() {\n    return\n  }\n}",
            "func.func @f() {",
        ),
        ("module @m {\n  func.func @f() {\n    return\n  }\n", "module @m {"),
        ("module @m {\n  func.func @f() {\n    return\n", "func.func @f() {"),
    ],
)
def test_which_brace_is_not_closed(text: str, note: str) -> None:
    (found,) = errors(text)
    assert found.notes == (f"this is not closed: {note}",)


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f() {\n  %0 = stablehlo.constant dense<-0> : tensor<i64>\n  return\n}",
        "func.func @f() {\n  %0 = stablehlo.constant dense<[1, -00]> : tensor<2xi8>\n  return\n}",
        "func.func private @f(\n  tensor<2xtensor<f32>>)",
        "func.func private @f(\n  tensor<tuple<tensor<f32>>>)",
        "func.func private @f(\n  tensor<*xtensor<f32>>)",
        "func.func private @f(\n  memref<2xtuple<>>)",
        "func.func private @f() attributes {\n  a.b = array<i32: 1, -0>}",
        "func.func private @f() attributes {\n  a.b = -0 : i32}",
    ],
)
def test_what_upstream_refuses_is_refused(text: str) -> None:
    assert [d.line for d in errors(text)] == [2]  # the line of the C++ parser's error (jaxlib 0.10.2)


@pytest.mark.parametrize("op", ["stablehlo.addd", "chlo.addd", "func.addd", "builtin.addd"])
def test_unregistered_ops_are_of_unknown_dialects(op: str) -> None:
    (found,) = errors(body(f'"{op}"() : () -> ()'), allow_unregistered=True)
    assert (found.line, found.message) == (2, f"there is no op {op}")


def test_ops_of_unknown_dialects_are_accepted() -> None:
    shlo.parse(body('"other.addd"() : () -> ()', '"func.constant"() : () -> ()'), allow_unregistered=True)


@pytest.mark.parametrize(
    ("literal", "column", "message"),
    [
        ("[1.0, 2.0, ]", 44, "trailing comma in a list of elements; remove it"),
        ("[[1.0, 2.0], ]", 46, "trailing comma in a list of elements; remove it"),
        ("[,1.0, 2.0]", 34, "expected an element, found ','"),
        ("[1.0,, 2.0]", 38, "expected an element, found ','"),
    ],
)
def test_missing_elements_of_lists(literal: str, column: int, message: str) -> None:
    (error,) = errors(body(f"%0 = stablehlo.constant dense<{literal}> : tensor<2xf32>"))
    assert (error.line, error.column) == (2, column)  # as the C++ parser
    assert error.message == message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("stablehlo.ad %x, %x", "did you mean stablehlo.add?"),
        ("mhlo.add %x, %x", "mlir-hlo-opt --hlo-legalize-to-stablehlo"),
        ("tosa.add %x, %x", "tosa is another dialect than StableHLO; export the model"),
        ("linalg.abs ins(%x)", "linalg is another dialect than StableHLO; export the model"),
        ("mhlo.subtract %x, %x", "mlir-hlo-opt --hlo-legalize-to-stablehlo"),
        ("memref.alloc()", "memref is another dialect than StableHLO; a program that is compiled further"),
        ("llvm.fadd %x, %x", "llvm is another dialect than StableHLO; a program that is compiled further"),
        ("stablehlo.brand_new %x", "the program may be newer than this release; allow_newer (--allow-newer)"),
    ],
)
def test_what_to_do_about_an_unknown_op(line: str, words: str) -> None:
    with pytest.raises(shlo.ParseError) as raised:
        shlo.parse(f"func.func @f(%x: tensor<f32>) {{\n  %0 = {line} : tensor<f32>\n  return\n}}\n")
    assert words in str(raised.value)


SOURCES = "hlo krnl linalg onnx tcp tf tfl torch_c tosa xla"
COMPILED = """affine amdgpu bufferization emitc flow gpu hal llvm lmhlo memref nvgpu nvvm rocdl spirv
stream tt ttg ttir vector xla_cpu xla_gpu"""


@pytest.mark.parametrize(
    ("dialects", "words"),
    [(SOURCES, "export the model to StableHLO instead"), (COMPILED, "a program that is compiled further")],
)
def test_what_to_do_about_the_dialects_of_other_compilers(dialects: str, words: str) -> None:
    for dialect in dialects.split():
        (found,) = advice(f"{dialect}.op")
        assert found.startswith(f"{dialect} is another dialect than StableHLO; {words}")
    assert advice("mine.op") == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("stablehlo.su", "stablehlo.subtract"),
        ("stablehlo.subtrac", "stablehlo.subtract"),
        ("stablehlo.ad", "stablehlo.add"),
        ("stablehlo.dot_genral", "stablehlo.dot_general"),
        ("chlo.asn", "chlo.asin"),
    ],
)
def test_the_op_that_is_meant(written: str, meant: str) -> None:
    for line in (f"%0 = {written} %a : tensor<f32>", f'%0 = "{written}"(%a) : (tensor<f32>) -> tensor<f32>'):
        assert errors(body(line))[0].notes[0] == f"did you mean {meant}?"


@pytest.mark.parametrize(
    ("type", "column", "word", "meant"),
    [
        ("tensor<4xf23>", 22, "f23", "f32"),
        ("tensor<?xfp32>", 22, "fp32", "f32"),
        ("tensor<int32>", 20, "int32", "i32"),
        ("tensor<bfloat16>", 20, "bfloat16", "bf16"),
        ("complex<f46>", 21, "f46", "f64"),
        ("tensr<4xf32>", 13, "tensr", "tensor"),
        ("tensor<4xF32>", 22, "F32", "f32"),
        ("tensor<4xBF16>", 22, "BF16", "bf16"),
        ("tensor<4xbool>", 22, "bool", "i1"),
        ("tensor<double>", 20, "double", "f64"),
        ("tensor<4xcomplex64>", 22, "complex64", "complex<f32>"),
        ("tensor<4xcomplex128>", 22, "complex128", "complex<f64>"),
        ("tensor<4xf8>", 22, "f8", "f8E4M3FN or f8E5M2"),
        ("tensor<4xf4>", 22, "f4", "f4E2M1FN"),
        ("tensor<4xpred>", 22, "pred", "i1"),
        ("tensor<4xhalf>", 22, "half", "f16"),
        ("tensor<4xfloat>", 22, "float", "f32"),
        ("tensor<4xint>", 22, "int", "i32"),
        ("tensor<4xlong>", 22, "long", "i64"),
    ],
)
def test_unknown_types(type: str, column: int, word: str, meant: str) -> None:
    (error,) = errors(f"func.func @f(%x: {type}) {{\n  return\n}}\n")
    assert (error.line, error.column) == (1, column + 5)
    assert (error.message, error.notes) == (f"unknown type '{word}'", (f"did you mean {meant}?",))


@pytest.mark.parametrize(
    ("type", "column", "found"),
    [("tensor<4x5>", 22, "5"), ("tensor<4,5xf32>", 20, "4"), ("tensor<-1xf32>", 20, "-1")],
)
def test_what_stands_where_a_type_is_expected(type: str, column: int, found: str) -> None:
    (error,) = errors(f"func.func @f(%x: {type}) {{\n  return\n}}\n")
    assert (error.line, error.column, error.message) == (1, column + 5, f"expected a type, found '{found}'")


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "# Title\n\nText\n", "name: x\n", '"hello"', "Dear reader,\n"]
)
def test_a_text_that_does_not_start_as_a_program_does(text: str) -> None:
    assert errors(text)[0].notes[0].startswith("the file may hold no program")


@pytest.mark.parametrize(
    ("word", "shown"),
    [("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "..."), ("\x07", "\\x07"), ("int", "int")],
)
def test_how_a_word_is_shown(word: str, shown: str) -> None:
    """In part if it is long, and printable; a type is suggested where one is expected alone."""
    (found,) = errors(f"module {word}")
    assert found.message == f"expected 'attributes' or '{{' or a symbol such as @main, found '{shown}'"
    assert [note[:28] for note in found.notes] == ["the file may hold no program"]
    (found,) = errors(f"module attributes {{a.b = {word}}} {{}}")
    assert (found.message, found.notes) == (f"unexpected '{shown}'", ())


@pytest.mark.parametrize(("depth", "is_closed"), [(255, True), (256, False)])
def test_how_deep_brackets_of_other_dialects_may_be(depth: int, is_closed: bool) -> None:
    attribute = f"#foo.bar<{'<' * depth}{'>' * depth}>"
    text = f"module attributes {{a.b = {attribute}}} {{\n}}\n"
    if is_closed:
        assert shlo.format(shlo.parse(text)) == text
    else:
        assert errors(text)[0].message == "the bracket of #foo.bar< is not closed"


def test_a_first_word_that_is_like_an_op_has_its_own_hint() -> None:
    assert errors("stablehlo")[0].notes == ("did you mean stablehlo.or?",)


def test_a_program_with_an_error_later_is_one() -> None:
    for text in ("module {\n  5\n}\n", "func.func @f() {\n  5\n}\n", "#a = 5 5\n", body("%0 = 5")):
        assert not any("no program" in note for error in errors(text) for note in error.notes)


@pytest.mark.parametrize("dialect", ["mhlo", "torch", "tosa", "memref", "tt"])
def test_generic_ops_of_other_dialects_have_the_advice_of_pretty_ones(dialect: str) -> None:
    (pretty,) = errors(body(f"%0 = {dialect}.add %a : tensor<f32>"))
    (generic,) = errors(body(f'%0 = "{dialect}.add"(%a) : (tensor<f32>) -> tensor<f32>'))
    assert generic.notes == pretty.notes
    assert generic.notes[0].startswith(f"{dialect} is another dialect than StableHLO")
