"""HLO converted to StableHLO: runs with the results of XLA, or those of a calculation by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from stablehlo_py.hlo.locations import source_of
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, NameLoc

RUNS = sorted((Path(__file__).parent.parent.parent / "testdata" / "hlo" / "run").glob("*.hlo"))
Array = np.ndarray[Any, Any]


def run(body: str, *inputs: Array, before: str = "") -> list[Array]:
    """Run the instructions of an entry computation."""
    module = shlo.parse(f"HloModule m\n{before}ENTRY e {{\n{body}\n}}\n")
    assert [d for d in shlo.verify(module) if d.severity == "error"] == []
    return [np.asarray(each) for each in shlo.run(module, list(inputs))]


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_dumps_have_the_results_of_xla(path: Path) -> None:
    with np.load(path.with_suffix(".npz")) as arrays:
        inputs = [arrays[f"in{n}"] for n in range(sum(name.startswith("in") for name in arrays))]
        expected = [arrays[f"out{n}"] for n in range(sum(name.startswith("out") for name in arrays))]
    results = shlo.run(shlo.load(path), inputs)
    assert len(results) == len(expected)
    tolerance = 3e-2 if "bf16" in path.stem or "fp8" in path.stem else 1e-4  # of the largest magnitude
    for result, wanted in zip(results, expected, strict=True):
        if wanted.dtype.kind in "iub":
            assert np.array_equal(result, wanted)
        else:
            scale = max(float(np.abs(wanted).max(initial=0)), 1e-3)
            assert np.allclose(result, wanted, rtol=0, atol=tolerance * scale, equal_nan=True)


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_tuples_vanish() -> None:
    (a, b) = run(
        "  t = ((f32[2,3], s32[]), f32[]) parameter(0)\n  u = (f32[2,3], s32[]) "
        "get-tuple-element(t), index=0\n"
        "  x = f32[2,3] get-tuple-element(u), index=0\n  n = f32[] get-tuple-element(t), index=1\n"
        "  y = f32[2,3] negate(x)\n  ROOT r = (f32[2,3], (f32[])) tuple(y, v)\n".replace(
            "  ROOT", "  v = (f32[]) tuple(n)\n  ROOT"
        ),
        X,
        np.int32(3),
        np.float32(2),
    )
    assert np.array_equal(a, -X) and b == 2


def test_fusions_are_inlined() -> None:
    fused = "fused {\n  p = f32[2,3] parameter(0)\n  ROOT s = f32[2,3] add(p, p)\n}\n"
    module = shlo.parse(
        f"HloModule m\n{fused}ENTRY e {{\n  a = f32[2,3] parameter(0)\n"
        "  ROOT f = f32[2,3] fusion(a), kind=kLoop, calls=fused\n}\n"
    )
    assert [op.name for op in module.functions["main"].regions[0].block.ops] == [
        "stablehlo.add",
        "func.return",
    ]
    assert np.array_equal(shlo.run(module, [X])[0], X + X)


def test_locations_are_those_of_text_and_metadata() -> None:
    module = shlo.parse(
        "HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n"
        '  ROOT n = f32[] negate(a), metadata={op_name="f/neg" source_file="m.py" source_line=4 '
        "source_column=2}\n}\n"
    )
    op = module.functions["main"].regions[0].block.ops[0]
    assert module.source.position(op.offset) == (4, 8)
    assert op.location == NameLoc("f/neg", FileLoc("m.py", 4, 2))


FRAMES = """HloModule m

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "inner"
2 "outer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=7 end_column=9}
2 {file_name_id=2 function_name_id=2 line=11 end_line=11 column=5 end_column=6}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

ENTRY e {
  a = f32[] parameter(0)
  b = f32[] negate(a), metadata={op_name="x" stack_frame_id=2}
  ROOT n = f32[] negate(b), metadata={stack_frame_id=1}
}
"""


def test_locations_of_stack_frames() -> None:
    """Frame 2 is `inner`, which frame 1, `outer`, calls: the number of the caller is stated plus 1."""
    inner, outer = NameLoc("inner", FileLoc("a.py", 3, 7)), NameLoc("outer", FileLoc("b.py", 11, 5))
    first, second, _ = shlo.parse(FRAMES).functions["main"].regions[0].block.ops
    assert first.location == NameLoc("x", CallSiteLoc(inner, outer))
    assert second.location == outer


@pytest.mark.parametrize(
    ("metadata", "source"),
    [
        ('source_file="m.py" source_line=4 source_column=2', "m.py:4"),
        ('source_file="m.py" source_line=1', "m.py:1"),
        ('source_file="m.py"', ""),  # no line is known
        ('op_name="x"', ""),
        ("stack_frame_id=2", "a.py:3"),  # that of the callee
        ("stack_frame_id=1", "b.py:11"),
    ],
)
def test_lines_of_the_program(metadata: str, source: str) -> None:
    module = parse_hlo(FRAMES.replace('op_name="x" stack_frame_id=2', metadata))
    assert source_of(module, module.entry.instructions[1]) == source


def test_locations_of_three_stack_frames() -> None:
    """Frame 3 is `last`, which frame 2, `inner`, calls: each caller is around its callee."""
    tables = FRAMES.replace('2 "outer"', '2 "outer"\n3 "last"').replace(
        "stack_frame_id=2", "stack_frame_id=3"
    )
    tables = tables.replace(
        "\n\nStackFrames", "\n3 {file_name_id=1 function_name_id=3 line=8 column=1}\n\nStackFrames"
    ).replace("parent_frame_id=2}", "parent_frame_id=2}\n3 {file_location_id=3 parent_frame_id=3}")
    op = shlo.parse(tables).functions["main"].regions[0].block.ops[0]
    last, inner = NameLoc("last", FileLoc("a.py", 8, 1)), NameLoc("inner", FileLoc("a.py", 3, 7))
    outer = NameLoc("outer", FileLoc("b.py", 11, 5))
    assert op.location == NameLoc("x", CallSiteLoc(last, CallSiteLoc(inner, outer)))


def test_bitcast_reads_memory() -> None:
    # f32[2,3]{0,1} holds columns: 0 3 1 4 2 5
    (found,) = run("  a = f32[2,3]{0,1} parameter(0)\n  ROOT b = f32[6]{0} bitcast(a)", X)
    assert found.tolist() == [0, 3, 1, 4, 2, 5]
    (found,) = run("  a = f32[2,3]{1,0} parameter(0)\n  ROOT b = f32[3,2]{0,1} bitcast(a)", X)
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]]
    (found,) = run(
        "  a = f32[2]{0} parameter(0)\n  ROOT b = s32[2]{0} bitcast(a)", np.array([1, -0.0], np.float32)
    )
    assert found.tolist() == [0x3F800000, -(1 << 31)]


def test_conditional_takes_the_last_branch_out_of_range() -> None:
    branches = "".join(
        f"b{n} {{\n  p = s32[] parameter(0)\n  ROOT c = s32[] constant({n})\n}}\n" for n in range(3)
    )
    body = (
        "  i = s32[] parameter(0)\n  ROOT r = s32[] conditional(i, i, i, i), branch_computations={b0, b1, b2}"
    )
    assert [int(run(body, np.int32(i), before=branches)[0]) for i in (-1, 0, 1, 7)] == [2, 0, 1, 2]


def test_while_has_one_tuple() -> None:
    computations = (
        "body {\n  t = (s32[], s32[]) parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
        "  s = s32[] get-tuple-element(t), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
        "  u = s32[] add(s, i)\n  ROOT r = (s32[], s32[]) tuple(j, u)\n}\n"
        "condition {\n  t = (s32[], s32[]) parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
        "  n = s32[] constant(5)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
    )
    body = (
        "  z = s32[] constant(0)\n  t = (s32[], s32[]) tuple(z, z)\n"
        "  ROOT w = (s32[], s32[]) while(t), condition=condition, body=body"
    )
    assert [int(each) for each in run(body, before=computations)] == [5, 10]


@pytest.mark.parametrize(
    ("element", "left", "right", "high"),
    [
        ("s32", -(1 << 31), 3, -2),
        ("u32", (1 << 32) - 1, (1 << 32) - 1, (1 << 32) - 2),
        ("s8", -128, -128, 64),
        ("u64", (1 << 64) - 1, 2, 1),
    ],
)
def test_mulhi(element: str, left: int, right: int, high: int) -> None:
    constants = f"  a = {element}[] constant({left})\n  b = {element}[] constant({right})\n"
    assert int(run(f"{constants}  ROOT h = {element}[] mulhi(a, b)")[0]) == high


def test_convolution_with_reversal() -> None:
    body = (
        "  a = f32[1,4,1] parameter(0)\n  k = f32[2,1,1] parameter(1)\n  ROOT c = f32[1,3,1] "
        "convolution(a, k), "
        "window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f"
    )
    (found,) = run(
        body,
        np.array([1, 2, 3, 4], np.float32).reshape(1, 4, 1),
        np.array([10, 1], np.float32).reshape(2, 1, 1),
    )
    assert found.ravel().tolist() == [21, 32, 43]  # 1*1 + 2*10, ...


def test_asynchronous_calls() -> None:
    body = (
        "  a = f32[2,3] parameter(0)\n  s = ((f32[2,3]), f32[2,3], s32[]) negate-start(a)\n"
        "  u = ((f32[2,3]), f32[2,3], s32[]) negate-update(s)\n  ROOT d = f32[2,3] negate-done(u)"
    )
    assert np.array_equal(run(body, X)[0], -X)


def test_all_to_all_of_tuples() -> None:
    text = (
        "HloModule m, replica_count=2\nENTRY e {\n  a = s32[2] parameter(0)\n  b = s32[2] parameter(1)\n"
        "  ROOT r = (s32[2], s32[2]) all-to-all(a, b), replica_groups={{0,1}}\n}\n"
    )
    program = shlo.compile(shlo.parse(text), replicas=2, partitions=1)
    first, second = program.process_ids()
    arrays = {first: [np.int32([1, 2]), np.int32([3, 4])], second: [np.int32([5, 6]), np.int32([7, 8])]}
    results = program.call_grid(arrays)
    assert [np.asarray(each).tolist() for each in results[first]] == [[1, 2], [5, 6]]
    assert [np.asarray(each).tolist() for each in results[second]] == [[3, 4], [7, 8]]


def test_elided_constants_are_not_run() -> None:
    module = shlo.parse("HloModule m\nENTRY e {\n  ROOT c = f32[20] constant({...})\n}\n")
    (found,) = shlo.verify(module)
    assert (found.line, found.column) == (3, 8)
    with pytest.raises(shlo.RunError, match="--xla_dump_large_constants=true"):
        shlo.run(module)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        (
            "  a = f32[2] parameter(0)\n  ROOT b = f32[3] negate(a)",
            4,
            "the result is f32[2], and the text states f32[3]",
        ),
        (
            "  t = token[] after-all()\n  u = (f32[2], token[]) infeed(t)\n"
            "  ROOT r = (f32[2], token[]) recv-done(u)",
            5,
            "the operand must be the result of a recv",
        ),
        ("  a = u1[2] parameter(0)\n  ROOT b = f32[2] convert(a)", 3, "u1 has no equal in StableHLO"),
        (
            "  a = f32[<=4] parameter(0)\n  ROOT r = f32[<=4] imag(a)",
            4,
            "imag: it needs a constant of type tensor<?xf32, #stablehlo.bounds<4>>, which is not static",
        ),
        (
            "  a = f32[] parameter(0)\n  ROOT r = f32[?] rng(a, a), distribution=rng_uniform",
            4,
            "rng: the result f32[?]{0} has an unbounded dimension",
        ),
        (
            "  a = f32[4] parameter(0)\n  ROOT s = f32[8] all-gather-start(a), dimensions={0}, "
            "replica_groups={{0,1}}",
            4,
            "all-gather-start: the result must be a tuple of operands and results, got f32[8]",
        ),
        (
            "  a = pred[2] parameter(0)\n  b = s1[2] convert(a)\n  ROOT c = (s1[2], pred[2]) tuple(b, a)",
            4,
            "s1 has no equal in StableHLO",
        ),
        (
            "  a = (pred[2], (token[], u1[3])) parameter(0)\n"
            "  ROOT b = pred[2] get-tuple-element(a), index=0",
            3,
            "u1 has no equal in StableHLO",
        ),
    ],
)
def test_what_is_not_converted(body: str, line: int, message: str) -> None:
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(f"HloModule m\nENTRY e {{\n{body}\n}}\n")
    (found,) = caught.value.diagnostics
    assert found.line == line and message in found.message


def test_scan() -> None:
    # By XLA on the CPU.
    body = (
        "b {\n  x = f32[] parameter(0)\n  c = f32[] parameter(1)\n  s = f32[] add(x, c)\n"
        "  m = f32[] multiply(s, x)\n  ROOT t = (f32[], f32[]) tuple(m, s)\n}\n"
    )
    entry = (
        "  a = f32[5] parameter(0)\n  z = f32[] parameter(1)\n"
        "  ROOT r = (f32[5], f32[]) scan(a, z), dimensions={0}, num_carries=1, is_reverse=true, to_apply=b"
    )
    outputs, carry = run(entry, np.arange(5, dtype=np.float32), np.float32(1), before=body)
    assert (outputs.tolist(), float(carry)) == ([0, 11, 20, 24, 20], 11)


def test_ops_of_the_loop_of_a_scan_have_its_place() -> None:
    text = (
        "HloModule m\nb {\n  x = f32[] parameter(0)\n  c = f32[] parameter(1)\n  s = f32[] add(x, c)\n"
        "  ROOT t = (f32[], f32[]) tuple(s, c)\n}\nENTRY e {\n  a = f32[5] parameter(0)\n"
        "  z = f32[] parameter(1)\n  ROOT r = (f32[5], f32[]) scan(a, z), dimensions={0}, num_carries=1, "
        'is_reverse=true, to_apply=b, metadata={source_file="m.py" source_line=4 source_column=2}\n}\n'
    )
    module = shlo.parse(text)
    (loop,) = [op for op in module.walk() if op.name == "stablehlo.while"]
    names = ("stablehlo.compare", "stablehlo.subtract", "stablehlo.dynamic_slice")
    inside = [op for op in loop.walk() if op.name in (*names, "stablehlo.dynamic_update_slice")]
    assert {op.name for op in inside} >= set(names) and len(inside) >= 4
    for op in inside:
        assert (op.location, module.line(op)) == (FileLoc("m.py", 4, 2), 11), op.name


def test_stochastic_convert() -> None:
    # By XLA on the CPU.
    entry = "  a = f32[6] parameter(0)\n  b = u32[6] parameter(1)\n  ROOT r = s8[6] stochastic-convert(a, b)"
    numbers = np.array([1.5, -1.5, 2.25, np.nan, 1000, -2.75], np.float32)
    random = np.array([1 << 31, (1 << 31) - 1, (1 << 30) - 1, 0, 0, 1 << 31], np.uint32)
    assert run(entry, numbers, random)[0].tolist() == [1, -2, 3, 0, 127, -3]


def test_stochastic_convert_of_64_bits() -> None:
    """The fraction is 2**-30, as a number of 64 bits 2**34, which f32 does not have."""
    entry = "  a = f64[2] parameter(0)\n  b = u64[2] parameter(1)\n  ROOT r = s8[2] stochastic-convert(a, b)"
    random = np.array([(1 << 34) - 1, 1 << 34], np.uint64)
    assert run(entry, np.full(2, 1 + 2**-30), random)[0].tolist() == [2, 1]


def test_scaled_dot() -> None:
    entry = (
        "  a = f32[2,4] parameter(0)\n  b = f32[4,2] parameter(1)\n  s = f32[2,2] parameter(2)\n"
        "  t = f32[1,2] parameter(3)\n"
        "  ROOT r = f32[2,2] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    )
    a, b = np.arange(8, dtype=np.float32).reshape(2, 4), np.arange(8, dtype=np.float32).reshape(4, 2)
    s, t = np.array([[1, 2], [3, 4]], np.float32), np.array([[5, 6]], np.float32)
    expected = (a * s.repeat(2, 1)) @ (b * t.repeat(4, 0))
    assert np.array_equal(run(entry, a, b, s, t)[0], expected)


def test_smallest_elements() -> None:
    entry = "  a = f32[4] parameter(0)\n  ROOT r = (f32[2], s32[2]) topk(a), k=2, largest=false"
    values, indices = run(entry, np.array([3, 1, 4, 1.5], np.float32))
    assert (values.tolist(), indices.tolist()) == ([1, 1.5], [1, 3])


def test_random_state_is_that_of_a_fresh_process() -> None:
    (found,) = run("  ROOT s = u64[2] rng-get-and-update-state(), delta=4096")  # by XLA on the CPU
    assert found.tolist() == [117515157, 0]


@pytest.mark.parametrize(
    ("stated", "version"),
    [
        ('="2"', 2),
        ("", 0),
        ('="two"', None),
        ('="-1"', None),
        ('="999999999"', 999_999_999),
        ('="9999999999"', None),
    ],
)
def test_composites(stated: str, version: int | None) -> None:
    """A version that is no number of 32 bits is none."""
    given = f",composite.version{stated}" if stated else ""
    text = (
        "HloModule m\nf {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\nENTRY e {\n"
        "  a = f32[] parameter(0)\n  ROOT c = f32[] call(a), to_apply=f, is_composite=true, "
        f'frontend_attributes={{composite.attributes={{n = 1 : i32}},composite.name="my.op"{given}}}\n}}\n'
    )
    module = shlo.parse(text)
    (op,) = [op for op in module.walk() if op.name == "stablehlo.composite"]
    assert (op.python_value("name"), op.python_value("version")) == ("my.op", version)
    assert "composite_attributes = {n = 1 : i32}, decomposition = @f" in str(op)
    assert float(shlo.run(module, [np.float32(2)])[0]) == -2


@pytest.mark.parametrize(
    ("attributes", "message"),
    [("", None), (',composite.attributes="{n = 1"', "composite.attributes={n = 1 is no dictionary: ")],
)
def test_attributes_of_composites(attributes: str, message: str | None) -> None:
    text = (
        "HloModule m\nf {\n  ROOT p = f32[] parameter(0)\n}\nENTRY e {\n  a = f32[] parameter(0)\n"
        "  ROOT c = f32[] call(a), to_apply=f, is_composite=true, "
        f'frontend_attributes={{composite.name="a.b"{attributes}}}\n}}\n'
    )
    if message is None:
        assert 'composite "a.b" %arg0 {decomposition = @f}' in shlo.format(shlo.parse(text))
        return
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(text)
    (found,) = caught.value.diagnostics
    assert found.message.startswith(f"call: {message}") and found.line == 7


def test_several_operands_of_a_permutation() -> None:
    text = (
        "HloModule m, replica_count=2\nENTRY e {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
        "  ROOT r = (s32[], s32[]) collective-permute(a, b), source_target_pairs={{0,1},{1,0}}\n}\n"
    )
    program = shlo.compile(shlo.parse(text), replicas=2, partitions=1)
    first, second = program.process_ids()
    results = program.call_grid({first: [np.int32(1), np.int32(2)], second: [np.int32(3), np.int32(4)]})
    assert [int(each) for each in results[first]] == [3, 4]


def test_what_has_no_op_is_an_error_when_it_is_run() -> None:
    text = (
        "HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n  n = s32[1] constant({1})\n  ROOT r = f32[4] "
        "ragged-all-to-all(a, a, n, n, n, n), replica_groups={{0}}\n}\n"
    )
    module = shlo.parse(text)
    with pytest.raises(shlo.RunError, match=r"@hlo\.ragged-all-to-all;"):
        shlo.run(module, [np.zeros(4, np.float32)])


def chain(count: int, calls: int) -> str:
    """Computations that call the one before them, some times each; the last is the entry."""
    text = "HloModule m\nk1 {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\n"
    for n in range(1, count):
        text += f"k{n + 1} {{\n  p = f32[] parameter(0)\n  a = f32[] fusion(p), kind=kLoop, calls=k{n}\n"
        text += f"  ROOT b = f32[] fusion(a), kind=kLoop, calls=k{n}\n}}\n" if calls == 2 else "}\n"
    return text


@pytest.mark.parametrize(
    ("count", "calls", "most"),
    # 60 computations of 3 instructions and one of 2 may become 20000 and 20 times as many
    [(2000, 1, "100 calls in each other"), (61, 2, f"{20_000 + 20 * 182} instructions")],
)
def test_calls_that_grow_without_bound_are_an_error(count: int, calls: int, most: str) -> None:
    text = chain(count, calls)
    with pytest.raises(shlo.ParseError, match=f"is called too often: the program has more than {most}$"):
        shlo.parse(text)
    with pytest.raises(ValueError, match="too often for the canonical style"):
        parse_hlo(text).to_string("canonical")


def test_the_most_calls_in_each_other() -> None:
    """A hundred, either way; the innermost computation is the one of the error."""
    names = [op.name for op in shlo.parse(chain(100, 1)).walk()]
    assert names == ["builtin.module", "func.func", "stablehlo.negate", "func.return"]
    with pytest.raises(shlo.ParseError, match="computation k1 is called too often") as caught:
        shlo.parse(chain(101, 1))
    assert (caught.value.diagnostics[0].line, caught.value.diagnostics[0].column) == (2, 1)
    for count in (100, 101):
        calls = "\n".join(
            f"func.func @f{n}(%x: tensor<f32>) -> tensor<f32> {{\n%0 = call @f{n + 1}(%x) : "
            "(tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>\n}"
            for n in range(1, count)
        )
        last = (
            f"func.func @f{count}(%x: tensor<f32>) -> tensor<f32> {{\n%0 = stablehlo.sine %x : tensor<f32>\n"
        )
        module = shlo.parse(f"{calls}\n{last}return %0 : tensor<f32>\n}}")
        if count == 100:
            assert len(from_stablehlo(module, "f1").computations) == 100
            continue
        with pytest.raises(
            shlo.ParseError, match="more than 100 regions and calls are in each other"
        ) as caught:
            from_stablehlo(module, "f1")
        assert caught.value.diagnostics[0].line == 4 * 100 + 2


SIDE_BY_SIDE = """func.func private @g(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}}
{}
func.func @main(%x: tensor<f32>) -> tensor<f32> {{
{}
  return %r : tensor<f32>
}}"""


def test_calls_side_by_side_are_not_in_each_other() -> None:
    names = [f"f{n}" for n in range(101)]
    functions = "\n".join(
        f"func.func private @{name}(%x: tensor<f32>) -> tensor<f32> {{\n%0 = call @g(%x) : (tensor<f32>) -> "
        "tensor<f32>\nreturn %0 : tensor<f32>\n}"
        for name in names
    )
    calls = "\n".join(
        f"%r{n} = call @{name}(%x) : (tensor<f32>) -> tensor<f32>" for n, name in enumerate(names)
    )
    module = shlo.parse(SIDE_BY_SIDE.format(functions, calls.replace("%r100", "%r")))
    made = from_stablehlo(module)
    assert sum(each.opcode == "call" for each in made.entry.instructions) == 101
    assert len(made.computations) == 103
    back = shlo.parse(made.to_string())
    assert float(shlo.run(back, [np.float32(2)])[0]) == -2
    fusions = "\n".join(f"  v{n} = f32[] fusion(p), kind=kLoop, calls=k1" for n in range(101))
    text = f"{chain(1, 1)}ENTRY e {{\n  p = f32[] parameter(0)\n{fusions}\n}}\n"
    assert sum(op.name == "stablehlo.negate" for op in shlo.parse(text).walk()) == 101
