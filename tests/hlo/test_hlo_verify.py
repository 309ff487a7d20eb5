"""Shapes of HLO instructions: inferred, and compared with what the text states."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.rules.common import RULES
from tests.helpers.each import for_each

TEXTS = Path(__file__).parent.parent.parent / "testdata" / "hlo"
COMPUTATIONS = """add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
both {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  v = f32[] parameter(2)
  w = f32[] parameter(3)
  ROOT t = (f32[], f32[]) tuple(x, v)
}
body {
  b = (s32[]) parameter(0)
  e = s32[] get-tuple-element(b), index=0
  ROOT t = (s32[]) tuple(e)
}
condition {
  b = (s32[]) parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY e {
  f = f32[4,6] parameter(0)
  g = f32[6,5] parameter(1)
  z = f32[] constant(0)
  i = s32[] constant(0)
  w = (s32[]) tuple(i)
  k = f32[1,8,8,3] parameter(2)
  l = f32[3,3,3,16] parameter(3)
  h = c64[4,6] parameter(4)
  p = pred[4,6] parameter(5)
  n = s32[2,1] parameter(6)
  m = s32[2] parameter(7)
  g3 = f32[2,6,5] parameter(8)
  v = f32[3] parameter(9)
  s = u64[2] parameter(10)
  n3 = s32[2,1,3] parameter(11)
  q = f32[<=4,6] set-dimension-size(f, i), dimensions={0}
"""
DUMPS = list(TEXTS.glob("dump_*.hlo"))


def errors(instruction: str) -> list[str]:
    """What the verifier says about an instruction."""
    module = parse_hlo(f"HloModule m\n{COMPUTATIONS}  ROOT r = {instruction}\n}}\n")
    return [d.message for d in module.verify()]


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.stem)
def test_dumps_are_valid(path: Path) -> None:
    assert parse_hlo(path.read_text()).verify() == []


RIGHT_AND_WRONG = [  # an instruction with its shape left out, the right one, a wrong one
    ("{} negate(f)", "f32[4,6]", "f32[6,4]"),
    ("{} abs(h)", "f32[4,6]", "c64[4,6]"),
    ("{} is-finite(f)", "pred[4,6]", "f32[4,6]"),
    ("{} compare(f, f), direction=LT", "pred[4,6]", "s32[4,6]"),
    ("{} select(p, f, f)", "f32[4,6]", "pred[4,6]"),
    ("{} complex(f, f)", "c64[4,6]", "c128[4,6]"),
    ("{} convert(f)", "s8[4,6]", "s8[4,5]"),
    ("{} broadcast(f), dimensions={{0,2}}", "f32[4,3,6]", "f32[4,3,7]"),
    ("{} transpose(f), dimensions={{1,0}}", "f32[6,4]", "f32[4,6]"),
    ("{} reshape(f)", "f32[3,8]", "f32[3,9]"),
    ("{} concatenate(f, f), dimensions={{1}}", "f32[4,12]", "f32[8,6]"),
    ("{} slice(f), slice={{[1:4:2], [0:6]}}", "f32[2,6]", "f32[3,6]"),
    ("{} pad(f, z), padding=1_2_1x0_-1", "f32[10,5]", "f32[7,5]"),
    ("{} dynamic-slice(f, i, i), dynamic_slice_sizes={{2,3}}", "f32[2,3]", "f32[3,2]"),
    ("{} dot(f, g), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", "f32[4,5]", "f32[5,4]"),
    ("{} reduce(f, z), dimensions={{0}}, to_apply=add", "f32[6]", "f32[4]"),
    ("{} reduce-window(f, z), window={{size=2x3 stride=2x1}}, to_apply=add", "f32[2,4]", "f32[3,4]"),
    ("{} convolution(k, l), window={{size=3x3 pad=1_1x1_1}}, dim_labels=b01f_01io->b01f", "f32[1,8,8,16]",
     "f32[1,6,6,16]"),
    ("{} fft(h), fft_type=IRFFT, fft_length={{10}}", "f32[4,10]", "f32[4,6]"),
    ("{} bitcast-convert(f)", "u8[4,6,4]", "u8[4,6]"),
    ("{} topk(f), k=2, largest=true", "(f32[4,2], s32[4,2])", "(f32[4,2], s32[2,4])"),
    ("{} while(w), condition=condition, body=body", "(s32[])", "(f32[])"),
    ("{} get-tuple-element(w), index=0", "s32[]", "f32[]"),
    ("{} set-dimension-size(f, i), dimensions={{0}}", "f32[<=4,6]", "f32[4,5]"),
    ("{} collective-permute(f, z), source_target_pairs={{{{0,1}}}}", "(f32[4,6], f32[])",
     "(f32[], f32[4,6])"),
    ("{} collective-permute(f, g, w, w), source_target_pairs={{{{0,1}}}}, slice_sizes={{{{4,5}}}}",
     "f32[6,5]", "f32[4,6]"),
    ("{} gather(f, n), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
     "index_vector_dim=1, slice_sizes={{1,6}}", "f32[2,6]", "f32[2,4]"),
    ("{} gather(f, n3), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
     "index_vector_dim=1, slice_sizes={{1,6}}", "f32[2,3,6]", "f32[2,6]"),
    ("{} reduce-window(f, z), window={{size=3x2 stride=1x2 pad=1_0x2_1}}, to_apply=add",
     "f32[3,4]", "f32[4,3]"),
    ("{} reduce-window(f, z), window={{size=2x2 lhs_dilate=3x1 rhs_dilate=1x5}}, to_apply=add", "f32[9,1]",
     "f32[9,5]"),
    ("{} reduce-window(f, z), window={{size=5x1}}, to_apply=add", "f32[0,6]", "f32[1,6]"),
    ("{} convolution(k, l), window={{size=3x3 stride=2x3}}, dim_labels=b01f_01io->bf01", "f32[1,16,3,2]",
     "f32[1,16,2,3]"),
    ("{} dot(f, f), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}", "f32[4,6,6]", "f32[6,4,6]"),
    ("{} dot(f, g), lhs_batch_dims={{1}}, rhs_batch_dims={{0}}", "f32[6,4,5]", "f32[4,4,5]"),
    ("{} batch-norm-inference(k, v, v, v, v), epsilon=0.1, feature_index=3", "f32[1,8,8,3]", "f32[3]"),
    ("{} dynamic-update-slice(f, f, i, i)", "f32[4,6]", "f32[6,4]"),
    ("{} dot(f, f), lhs_batch_dims={{1}}, rhs_batch_dims={{1}}, lhs_contracting_dims={{0}}, "
     "rhs_contracting_dims={{0}}", "f32[6]", "f32[4]"),
    ("{} fft(f), fft_type=RFFT, fft_length={{6}}", "c64[4,4]", "c64[4,6]"),
    ("{} fft(f), fft_type=RFFT, fft_length={{4,6}}", "c64[4,4]", "c64[3,4]"),
    ("{} fft(h), fft_type=IFFT, fft_length={{4,6}}", "c64[4,6]", "f32[4,6]"),
    ("{} ragged-dot(f, g3, m), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}, "
     "lhs_ragged_dims={{0}}, "
     "rhs_group_dims={{0}}", "f32[4,5]", "f32[2,4,5]"),
    ("{} ragged-dot(f, g, m), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, lhs_ragged_dims={{1}}",
     "f32[2,4,5]", "f32[4,5]"),
    ("{} all-gather(f), dimensions={{1}}, replica_groups={{{{0,1,2}}}}", "f32[4,18]", "f32[12,6]"),
    ("{} all-gather(f, g), dimensions={{0}}, replica_groups={{{{0,1}},{{2,3}}}}", "(f32[8,6], f32[12,5])",
     "(f32[16,6], f32[24,5])"),
    ("{} reduce-scatter(f), dimensions={{0}}, replica_groups=[2,2]<=[4], to_apply=add",
     "f32[2,6]", "f32[1,6]"),
    ("{} reduce(f, f, z, z), dimensions={{1}}, to_apply=both", "(f32[4], f32[4])", "(f32[6], f32[4])"),
    ("{} batch-norm-training(k, v, v), epsilon=0.1, feature_index=3", "(f32[1,8,8,3], f32[3], f32[3])",
     "(f32[1,8,8,3], f32[8], f32[3])"),
    ("{} rng-bit-generator(s), algorithm=rng_default", "(u64[2], u32[7])", "(u64[3], u32[7])"),
    ("{} bitcast(f)", "s16[48]", "s16[24]"),
    ("{} gather(f, n), offset_dims={{0}}, collapsed_slice_dims={{1}}, start_index_map={{1}}, "
     "index_vector_dim=1, slice_sizes={{3,1}}", "f32[3,2]", "f32[2,3]"),
]  # fmt: skip


# The opcodes whose shape a text of XLA states, of those above. Of a broadcast, XLA infers another shape.
STATED = "convert bitcast broadcast reshape slice dynamic-slice dynamic-update-slice bitcast-convert "
STATED += "collective-permute all-gather reduce-scatter rng-bit-generator"


DYNAMIC = [  # of sizes that a run decides
    ("{} concatenate(f, q), dimensions={{0}}", "f32[<=8,6]", ""),
    ("{} concatenate(q, f), dimensions={{1}}", "f32[<=4,12]", ""),
    ("{} concatenate(f, f, q), dimensions={{1}}", "f32[<=4,18]", ""),
    ("{} transpose(q), dimensions={{1,0}}", "f32[6,<=4]", ""),
    ("{} reduce(q, z), dimensions={{1}}, to_apply=add", "f32[<=4]", ""),
    ("{} reduce(q, z), dimensions={{0}}, to_apply=add", "f32[6]", ""),
    ("{} add(f, q)", "f32[<=4,6]", ""),
]


@for_each([*RIGHT_AND_WRONG, ("{} broadcast(z), dimensions={{}}", "f32[]", ""), *DYNAMIC])
def test_shapes_that_are_left_out(form: str, right: str, wrong: str) -> None:
    text = f"HloModule m\n{COMPUTATIONS}  ROOT r = {form.format('')}\n}}\n"
    opcode = form.split()[1].partition("(")[0]
    if opcode in STATED.split() and wrong:
        with pytest.raises(shlo.ParseError, match=f"expected the shape of the result before {opcode}"):
            parse_hlo(text)
    else:
        assert parse_hlo(text).entry.root.shape.text(layout=False) == right


def test_parts_of_modules_as_python_shows_them() -> None:
    module = parse_hlo(f"HloModule m\n{COMPUTATIONS}  ROOT r = f32[4,6] add(f, f)\n}}\n")
    assert repr(module.entry.root) == "<r = f32[4,6]{1,0} add(f, f)>"
    assert repr(module.computations[0]) == "<computation add: 3 instructions>"
    assert (repr(module), str(module)) == ("<HloModule m: 5 computations>", module.to_string())


def test_errors_name_the_shapes_of_operands() -> None:
    """Of the first eight, in order."""
    module = parse_hlo(f"HloModule m\n{COMPUTATIONS}  ROOT r = f32[4,5] select(p, f, g)\n}}\n")
    (found,) = module.verify()
    assert found.notes == ("p has shape pred[4,6]", "f has shape f32[4,6]", "g has shape f32[6,5]")
    names = ["f", "g", "z", "i", "k", "l", "h", "p", "n"]
    module = parse_hlo(f"HloModule m\n{COMPUTATIONS}  ROOT r = (f32[]) tuple({', '.join(names)})\n}}\n")
    (found,) = module.verify()
    assert [note.partition(" ")[0] for note in found.notes] == names[:8]


@pytest.mark.parametrize("place", ["x", "y", "r"])
def test_layouts_of_the_entry_must_be_orders(place: str) -> None:
    """Those of each parameter and of the result."""
    layouts = {each: "f32[2,3]{0,0}" if each == place else "f32[2,3]{0,1}" for each in ("x", "y", "r")}
    module = parse_hlo(
        f"HloModule m, entry_computation_layout={{({layouts['x']}, {layouts['y']})->{layouts['r']}}}\n"
        "ENTRY e {\n  x = f32[2,3] parameter(0)\n  y = f32[2,3] parameter(1)\n"
        "  ROOT r = f32[2,3] add(x, y)\n}\n"
    )
    (found,) = module.verify()
    assert found.message.endswith(
        "entry_computation_layout: the layout of f32[2,3]{0,0} must have each of the dimensions 0 to 1 once"
    )
    assert found.line == {"x": 3, "y": 4, "r": 5}[place]


@pytest.mark.parametrize(("form", "right", "wrong"), RIGHT_AND_WRONG, ids=lambda text: text.split("(")[0])
def test_shapes(form: str, right: str, wrong: str) -> None:
    assert errors(form.format(right)) == []
    (message,) = errors(form.format(wrong))
    assert wrong in message


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("f32[4] bitcast(w)", "bitcast: operand 0 must be an array, got (s32[])"),
        ("(f32[4,6]) reshape(f)", "reshape: the result must be an array, got (f32[4,6])"),
        ("(f32[4,6]) iota(), iota_dimension=0", "iota: the result must be an array, got (f32[4,6])"),
        ("f32[5] bitcast(f)", "bitcast: f32[4,6] has 768 bits, and f32[5] has 160"),
        (
            "f32[6,5] select(p, g, g)",
            "select: operand 0 must be a scalar or of the size of f32[6,5], got pred[4,6]",
        ),
        ("(f32[4,6]) convert(f)", "convert: the result must be an array, got (f32[4,6])"),
        (
            "(s32[]) while(w), condition=condition, body=condition",
            "while: body condition must return (s32[]), got pred[]",
        ),
        ("f32[4,6] add(f, g)", "add: operands 0 and 1 must have equal shapes, got f32[4,6] and f32[6,5]"),
        (
            "f32[4,5] dot(f, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            "dot: dimensions [0] of f32[4,6] and [0] of f32[6,5] have sizes [4] and [6]",
        ),
        ("f32[] get-tuple-element(f), index=0", "get-tuple-element: there is no element 0 in f32[4,6]"),
        (
            "f32[4,6]{0,5} add(f, f)",
            "add: the layout of f32[4,6]{0,5} must have each of the dimensions 0 to 1 once",
        ),
        (
            "f32[4,6]{1,-1} add(f, f)",
            "add: the layout of f32[4,6]{1,-1} must have each of the dimensions 0 to 1 once",
        ),
        (
            "f32[4] reduce(f, z), dimensions={2}, to_apply=add",
            "reduce: dimensions 2 is out of range for f32[4,6]",
        ),
        (
            "f32[4,6] broadcast(z), dimensions={0}",
            "broadcast: dimensions= must have 0 numbers for f32[], got 1",
        ),
        (
            "f32[2,6] gather(f, n), offset_dims={1,1}, collapsed_slice_dims={}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,6}",
            "gather: offset_dims= must have 2 different numbers below 3, got [1, 1]",
        ),
        (
            "f32[4,6] transpose(f), dimensions={0,0}",
            "transpose: dimensions=[0, 0] is no permutation of the dimensions of f32[4,6]",
        ),
        (
            "f32[6,4] transpose(f), dimensions={0,1,2}",
            "transpose: dimensions=[0, 1, 2] is no permutation of the dimensions of f32[4,6]",
        ),
        ("f64[4,6] bitcast-convert(f)", "bitcast-convert: the last dimension of f32[4,6] must have size 2"),
        ("f64[4,3] bitcast-convert(f)", "bitcast-convert: the last dimension of f32[4,6] must have size 2"),
        ("f64[4] bitcast-convert(f)", "bitcast-convert: the last dimension of f32[4,6] must have size 2"),
        (
            "u8[4,6,3] bitcast-convert(f)",
            "bitcast-convert: the result is u8[4,6,4], and the text states u8[4,6,3]",
        ),
        (
            "f32[8,6] concatenate(f, g), dimensions={0}",
            "concatenate: operands must agree but in dimension 0, got f32[4,6] and f32[6,5]",
        ),
        (
            "f32[4,12] concatenate(f, h), dimensions={1}",
            "concatenate: operands must agree but in dimension 1, got f32[4,6] and c64[4,6]",
        ),
        ("f32[4,6] slice(f), slice={[0:4]}", "slice: slice= must have 2 dimensions for f32[4,6], got 1"),
        ("f32[4,6] slice(f), slice={[0:5], [0:6]}", "slice: [0:5:1] is no slice of dimension 0 of f32[4,6]"),
        ("f32[4,6] slice(f), slice={[3:2], [0:6]}", "slice: [3:2:1] is no slice of dimension 0 of f32[4,6]"),
        (
            "f32[4,6] slice(f), slice={[0:4:0], [0:6]}",
            "slice: [0:4:0] is no slice of dimension 0 of f32[4,6]",
        ),
        (
            "f32[4,6] dynamic-slice(f, i, i), dynamic_slice_sizes={4}",
            "dynamic-slice: dynamic_slice_sizes=[4] does not fit f32[4,6]",
        ),
        (
            "f32[5,6] dynamic-slice(f, i, i), dynamic_slice_sizes={5,6}",
            "dynamic-slice: dynamic_slice_sizes=[5, 6] does not fit f32[4,6]",
        ),
        ("f32[4,6] pad(f, z), padding=0_0", "pad: padding= must have 2 dimensions for f32[4,6], got 1"),
        ("f32[4,6] pad(f, z), padding=-5_0x0_0", "pad: padding -5_0_0 does not fit size 4 of f32[4,6]"),
        (
            "f32[4,6] reduce(f, z), dimensions={0,0}, to_apply=add",
            "reduce: dimensions={0,0} repeats a dimension",
        ),
        ("f32[4,6] select(f, f, f)", "select: operand 0 must be of pred, got f32[4,6]"),
        (
            "f32[4,6] select(p, f, g)",
            "select: operands 0 and 1 must have equal shapes, got f32[4,6] and f32[6,5]",
        ),
        ("f32[4,6] clamp(g, f, z)", "clamp: operand 0 must be a scalar or of shape f32[4,6], got f32[6,5]"),
        ("c64[4,6] complex(i, i)", "complex: the operands must be f32 or f64, got s32[]"),
        (
            "c64[4,6] complex(f16[4,6] convert(f), f16[4,6] convert(f))",
            "complex: the operands must be f32 or f64, got f16[4,6]",
        ),
        (
            "f32[4,6] reduce(f, f, z, z), dimensions={1}, to_apply=add",
            "reduce: the computation must return 2 values, got f32[]",
        ),
        (
            "f32[2,4] reduce-window(f, z), window={size=2}, to_apply=add",
            "reduce-window: window= must have 2 dimensions, got 1",
        ),
        (
            "f32[2,4] reduce-window(f, z), window={size=2x2 stride=0x1}, to_apply=add",
            "reduce-window: strides and dilations of window= must be positive",
        ),
        (
            "f32[1,8,8,16] convolution(k, l), window={size=3x3}, dim_labels=b0f_0io->b0f",
            "convolution: dim_labels=b0f_0io->b0f does not fit f32[1,8,8,3]",
        ),
        (
            "f32[1,8,8,16] convolution(k, l), window={size=3}, dim_labels=b01f_01io->b01f",
            "convolution: window= must have 2 dimensions, got 1",
        ),
        (
            "f32[1,6,6,16] convolution(k, l), window={size=2x3}, dim_labels=b01f_01io->b01f",
            "convolution: size 2 of window= differs from size 3 of the kernel",
        ),
        (
            "f32[1,6,6,16] convolution(k, l), window={size=3x3}, "
            "dim_labels=b01f_01io->b01f, feature_group_count=2",
            "convolution: 3 input features must be 3 of the kernel times 2 groups",
        ),
        (
            "f32[1,6,6,16] convolution(l, k), window={size=8x8}, dim_labels=b01f_01io->b01f",
            "convolution: 16 input features must be 8 of the kernel times 1 groups",
        ),
        (
            "f32[2,6] gather(f, n), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
            "gather: slice_sizes= must have 2 numbers for f32[4,6], got 1",
        ),
        (
            "f32[2,6] gather(f, n), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
            "gather: the result is f32[2,7], and the text states f32[2,6]",
        ),
        (
            "f32[2,6] gather(f, n), offset_dims={1}, collapsed_slice_dims={2}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}",
            "gather: offset_dims= must have 2 different numbers below 3, got [1]",
        ),
        (
            "f32[2,6] gather(f, n), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=3, slice_sizes={1,6}",
            "gather: the result is f32[2,6,1], and the text states f32[2,6]",
        ),
        (
            "(s32[]) while(w), condition=condition, body=add",
            "while: computation add takes 2 arguments, got 1",
        ),
        (
            "(s32[]) while(w), condition=body, body=body",
            "while: condition body must return pred[], got (s32[])",
        ),
        (
            "s32[] while(i), condition=condition, body=body",
            "while: parameter 0 of condition has shape (s32[]), and the argument s32[]",
        ),
        (
            "f32[4,6] broadcast(f), dimensions={0}",
            "broadcast: dimensions= must have 2 numbers for f32[4,6], got 1",
        ),
        (
            "f32[4,6] broadcast(f), dimensions={1,1}",
            "broadcast: dimension 0 of f32[4,6] has size 4, and dimension 1 of f32[4,6] has 6",
        ),
        (
            "f32[4,6] broadcast(f), dimensions={1,0}",
            "broadcast: dimension 0 of f32[4,6] has size 4, and dimension 1 of f32[4,6] has 6",
        ),
        (
            "f32[4,5] dot(f, g), lhs_contracting_dims={1}, rhs_contracting_dims={2}",
            "dot: dimension 2 is out of range for f32[6,5]",
        ),
        (
            "f32[4,5] dot(f, g), lhs_contracting_dims={1,1}, rhs_contracting_dims={0,0}",
            "dot: dimension={1,1} repeats a dimension",
        ),
        (
            "f32[4,5] dot(f, g), lhs_contracting_dims={1}, rhs_contracting_dims={}",
            "dot: dimensions [1] of f32[4,6] and [] of f32[6,5] have sizes [6] and []",
        ),
        ("f32[4,6] is-finite(f)", "is-finite: the result is pred[4,6], and the text states f32[4,6]"),
        (
            "pred[4,6] compare(f, g), direction=LT",
            "compare: operands 0 and 1 must have equal shapes, got f32[4,6] and f32[6,5]",
        ),
        ("f32[3,9] reshape(f)", "reshape: f32[4,6] has 24 elements, and f32[3,9] has 27"),
        ("f32[4,6] copy(g)", "copy: the result is f32[6,5], and the text states f32[4,6]"),
        ("f32[4,6] negate(p)", "negate: the result is pred[4,6], and the text states f32[4,6]"),
        (
            "c64[4,4] fft(f), fft_type=FFT, fft_length={6}",
            "fft: the operand of FFT must be of complex numbers, got f32[4,6]",
        ),
        (
            "c64[4,4] fft(f), fft_type=RFFT, fft_length={4,4,6}",
            "fft: fft_length= must have 1 to 2 numbers for f32[4,6], got 3",
        ),
        (
            "f32[4,6] map(f, g), dimensions={0,1}, to_apply=add",
            "map: operands 0 and 1 must have equal shapes, got f32[4,6] and f32[6,5]",
        ),
        ("f32[4,6] iota(), iota_dimension=2", "iota: iota_dimension 2 is out of range for f32[4,6]"),
        ("f32[4,6] reverse(f), dimensions={2}", "reverse: dimensions 2 is out of range for f32[4,6]"),
        ("f32[4,6] reverse(f), dimensions={1,1}", "reverse: dimensions={1,1} repeats a dimension"),
        (
            "(f32[4,3], s32[4,3]) topk(f), k=7, largest=true",
            "topk: the result is (f32[4,7], s32[4,7]), and the text states (f32[4,3], s32[4,3])",
        ),
        (
            "f32[2,6] all-gather(f), dimensions={2}, replica_groups={{0,1}}",
            "all-gather: dimension 2 is out of range for f32[4,6]",
        ),
        (
            "f32[2,6] reduce-scatter(f), dimensions={0}, replica_groups={{0,1,2}}, to_apply=add",
            "reduce-scatter: the result is f32[1,6], and the text states f32[2,6]",
        ),
        (
            "f32[4,6] conditional(i, f, f), branch_computations={add, add}",
            "conditional: computation add takes 2 arguments, got 1",
        ),
        (
            "f32[] get-dimension-size(f), dimensions={0}",
            "get-dimension-size: the result is s32[], and the text states f32[]",
        ),
        (
            "(u64[3], u32[7]) rng-bit-generator(f), algorithm=rng_default",
            "rng-bit-generator: the result must be a tuple of f32[4,6] and bits, got (u64[3], u32[7])",
        ),
        ("f32[4,6] exponential(i)", "exponential: the result is s32[], and the text states f32[4,6]"),
        (
            "f32[4,6] reduce-precision(i), exponent_bits=5, mantissa_bits=10",
            "reduce-precision: the result is s32[], and the text states f32[4,6]",
        ),
        ("s32[] fusion(f), kind=kLoop, calls=add", "fusion: computation add takes 2 arguments, got 1"),
        ("f32[] call(f), to_apply=add", "call: computation add takes 2 arguments, got 1"),
        (
            "f32[] call(f, z), to_apply=add",
            "call: parameter 0 of add has shape f32[], and the argument f32[4,6]",
        ),
    ],
)
def test_operands_that_contradict_each_other(instruction: str, message: str) -> None:
    assert errors(instruction)[0] == message


@pytest.mark.parametrize(
    "instruction",
    [
        "f32[<=4,6] bitcast(f)",  # of a size that a run decides
        "f32[4,5] bitcast(q)",
        "f32[<=4,5] bitcast(q)",
        "f32[9,6] all-gather(f), dimensions={0}, replica_groups={}",  # of all processes, whose number is not
        "f32[9,6] all-gather(f), dimensions={0}, replica_groups={{}}",  # stated
        "f32[9] scan(f, z), dimensions={0}, num_carries=1, to_apply=add",  # of a computation without a tuple
    ],
)
def test_shapes_that_do_not_follow(instruction: str) -> None:
    assert errors(instruction) == []


def test_errors_are_at_the_line_of_the_instruction() -> None:
    (found,) = parse_hlo(
        "HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[3] negate(a)\n}\n"
    ).verify()
    assert (found.line, found.column, found.code) == (4, 3, "hlo.shape")
    assert found.message == "negate: the result is f32[2], and the text states f32[3]"
    assert found.notes == ("a has shape f32[2]",)


def test_every_inferable_opcode_has_a_rule() -> None:
    assert {row.result for row in opcodes().values() if row.may_omit} <= set(RULES)
