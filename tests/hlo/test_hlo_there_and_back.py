"""Instructions converted to StableHLO and back are the instructions that they were."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.hlo.shardings import Axis, Mesh

HEAD = """HloModule m, replica_count=4
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=GE
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=LT, type=TOTALORDER
}
ENTRY e {
  x = f32[4,6] parameter(0)
  y = f32[6,4] parameter(1)
  z = f32[] constant(0)
  k = f32[2,8,8,4] parameter(2)
  w = f32[3,3,2,4] parameter(3)
  i = s32[4,6] parameter(4)
  h = c64[4,6] parameter(5)
  q = f32[4,4] parameter(6)
  n = s32[3,1] parameter(7)
  u = f32[3,6] parameter(8)
  v = f32[6] parameter(9)
  j = s32[] constant(1)
  t = f32[2,3] parameter(10)
  d = u64[2] parameter(11)
"""
SAME = """
f32[4,6] all-reduce(x), channel_id=3, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
f32[4,6] all-reduce(x), replica_groups={{0,1,2},{3}}, to_apply=add
f32[8,6] all-gather(x), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}, \
use_global_device_ids=true
f32[4,12] all-gather(x), replica_groups={{0,1},{2,3}}, dimensions={1}
f32[2,6] reduce-scatter(x), replica_groups={{0,1},{2,3}}, dimensions={0}, to_apply=add
f32[4,6] all-to-all(x), channel_id=5, replica_groups={{0,1},{2,3}}, dimensions={1}
f32[4,6] collective-permute(x), channel_id=2, source_target_pairs={{0,1},{2,3}}
f32[4,6] collective-broadcast(x), replica_groups={{0,1},{2,3}}
f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,highest}
f32[4] dot(x, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
f32[2,2,7,4] convolution(k, w), window={size=3x3 stride=3x1 pad=0_0x1_0 rhs_dilate=2x1 rhs_reversal=1x0}, \
dim_labels=b01f_01io->b01f, feature_group_count=2
f32[1,14,8,4] convolution(k, w), window={size=3x3 pad=1_0x1_1 lhs_dilate=2x1}, dim_labels=f01b_01io->b01f, \
batch_group_count=4
f32[2,3] slice(x), slice={[1:4:2], [0:6:2]}
f32[2,6] slice(x), slice={[0:2], [0:6]}
f32[7,5] pad(x, z), padding=1_2x0_-1
f32[9,6] pad(x, z), padding=1_1_1x0_0_0
pred[4,6] compare(x, x), direction=LT, type=TOTALORDER
pred[4,6] compare(x, x), direction=NE
pred[4,6] compare(i, i), direction=GE
c64[4,6] fft(h), fft_type=IFFT, fft_length={6}
f32[4,10] fft(h), fft_type=IRFFT, fft_length={10}
f32[4,4] triangular-solve(q, q), left_side=true, lower=true, transpose_a=TRANSPOSE
f32[4,4] triangular-solve(q, q), unit_diagonal=true, transpose_a=NO_TRANSPOSE
f32[4,4] cholesky(q), lower=true
f32[4,6] reduce-precision(x), exponent_bits=5, mantissa_bits=10
f32[4] reduce(x, z), dimensions={1}, to_apply=add
f32[] reduce(x, z), dimensions={0,1}, to_apply=add
f32[2,6] reduce-window(x, z), window={size=3x1 stride=2x1 pad=1_0x0_0}, to_apply=add
f32[7,2] reduce-window(x, z), window={size=1x3 lhs_dilate=2x1 rhs_dilate=1x2}, to_apply=add
f32[4,6] select-and-scatter(x, t, z), window={size=2x2 stride=2x2}, select=ge, scatter=add
f32[3,6] gather(x, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, \
slice_sizes={1,6}, indices_are_sorted=true
f32[4,6] scatter(x, n, u), update_window_dims={1}, inserted_window_dims={0}, \
scatter_dims_to_operand_dims={0}, index_vector_dim=1, \
indices_are_sorted=true, unique_indices=true, to_apply=add
f32[4,6] sort(x), dimensions={1}, is_stable=true, to_apply=less
f32[4,6] sort(x), dimensions={0}, to_apply=less
f32[4,6] rng(z, z), distribution=rng_normal
(u64[2], u32[7]) rng-bit-generator(d), algorithm=rng_three_fry
s32[4,6] iota(), iota_dimension=1
f32[4,12] concatenate(x, x), dimensions={1}
f32[2,3] dynamic-slice(x, j, j), dynamic_slice_sizes={2,3}
f32[4,6] dynamic-update-slice(x, t, j, j)
f32[6,4] transpose(x), dimensions={1,0}
f32[4,6] reverse(x), dimensions={0}
f32[3,4,6] broadcast(x), dimensions={1,2}
s32[] get-dimension-size(x), dimensions={1}
(f32[4,6], f32[6], f32[6]) batch-norm-training(x, v, v), epsilon=0.25, feature_index=1
f32[4,6] batch-norm-inference(x, v, v, v, v), epsilon=0.25, feature_index=1
(f32[4,2], s32[4,2]) topk(x), k=2, largest=true
f32[4,6] custom-call(x), custom_call_target="t", custom_call_has_side_effect=true, backend_config="c"
f32[4,6] custom-call(x), custom_call_target="t", output_to_operand_aliasing={{}: (0, {})}
f32[4,6] custom-call(x), custom_call_target="t", api_version=API_VERSION_STATUS_RETURNING
"""
LINES = SAME.strip().replace("\\\n", "").splitlines()


# What StableHLO says of an algorithm of HLO: types, components of operands, operations, and accumulation.
ALGORITHMS = {
    "dot_bf16_bf16_f32_x3": ("bf16", "bf16", "f32", 1, 1, 3, False),
    "dot_bf16_bf16_f32": ("bf16", "bf16", "f32", 1, 1, 1, False),
    "dot_tf32_tf32_f32": ("tf32", "tf32", "f32", 1, 1, 1, False),
    "dot_any_f8_any_f8_f32_fast_accum": ("f8E5M2", "f8E5M2", "f32", 1, 1, 1, True),
}
GROUPS = {  # groups of processes by an array or a mesh, as lists
    "[2,3]<=[6]": "{{0,1,2},{3,4,5}}",
    "[3,2]<=[2,3]T(1,0)": "{{0,3},{1,4},{2,5}}",
    "mesh['a'=2,'b'=3] {'b'}": "{{0,1,2},{3,4,5}}",
    "mesh['a'=2,'b'=3] {'a'}": "{{0,3},{1,4},{2,5}}",
    "mesh['a'=2,'b'=3] {'b','a'}": "{{0,3,1,4,2,5}}",
    "mesh['a'=2,'b'=3,'c'=2] {'a','c'}": "{{0,1,6,7},{2,3,8,9},{4,5,10,11}}",
}


def test_groups_of_a_mesh_whose_devices_have_an_order_are_not_listed() -> None:
    mesh, axis = Mesh((("a", 2), ("b", 2))), Axis("a")
    assert mesh.groups((axis,)) == ((0, 2), (1, 3))
    assert Mesh(mesh.axes, ", device_ids=(3,2,1,0)").groups((axis,)) == ()
    assert mesh.groups((axis, Axis("b", ":(1)2"))) == ()


def instruction(text: str, opcode: str) -> str:
    """The last instruction of an opcode without names: its shape and attributes."""
    line = next(line for line in text.splitlines()[::-1] if f" {opcode}(" in line)
    return re.sub(r"%[\w.\-]+", "%", line.partition(" = ")[2]).partition(", metadata=")[0]


def module(line: str) -> tuple[str, shlo.Module]:
    """A module with an instruction, and the same in StableHLO; which has no op that changes nothing."""
    text = f"{HEAD}  ROOT r = {line}\n}}\n"
    converted = shlo.parse(text)
    assert [d for d in shlo.verify(converted) if d.severity == "error"] == []
    idle = [op for op in converted.walk() if op.name in ("stablehlo.reshape", "stablehlo.convert")]
    assert not [op for op in idle if op.operands[0].type == op.result.type]
    return text, converted


@pytest.mark.parametrize("line", LINES)
def test_there_and_back(line: str) -> None:
    text, converted = module(line)
    back = from_stablehlo(converted).to_string()
    (opcode,) = re.findall(r" ([a-z\-]+)\(", line)[:1]
    assert instruction(back, opcode) == instruction(parse_hlo(text).to_string(), opcode)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms(name: str) -> None:
    line = f"f32[4,4] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, algorithm={name}"
    (op,) = [op for op in module(line)[1].walk() if op.name == "stablehlo.dot_general"]
    types, numbers = op.properties["algorithm"].fields[:3], op.properties["algorithm"].fields[3:]
    assert (*(str(type) for _, type in types), *(number for _, number in numbers)) == ALGORITHMS[name]


@pytest.mark.parametrize("groups", GROUPS)
def test_groups(groups: str) -> None:
    line = f"f32[4,6] all-reduce(x), replica_groups={groups}, to_apply=add"
    back = from_stablehlo(module(line)[1]).to_string()
    assert f"replica_groups={GROUPS[groups]}," in back
