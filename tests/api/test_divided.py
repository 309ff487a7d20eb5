"""Divided programs: what each device gets and returns, calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.api.divided import Shards, slice_text
from stablehlo_py.engines.numpy.engine import NumpyEngine
from stablehlo_py.transforms import pass_manager

PROGRAM = """sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %c: tensor<f32>)
    -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
        tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<f32>) {
  %0 = stablehlo.negate %a : tensor<4x6xf32>
  %1 = stablehlo.negate %b : tensor<6xf32>
  %2 = stablehlo.negate %c : tensor<f32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<6xf32>, tensor<f32>
}
"""
A = np.arange(24, dtype=np.float32).reshape(4, 6)
B = np.arange(6, dtype=np.float32)
C = np.float32(7)


@pytest.fixture(scope="module")
def program() -> Any:
    return shlo.compile(PROGRAM, partition=True, engine="numpy")


def test_whole_results(program: Any) -> None:
    for found in (program(A, B, C), program.call([A, B, C]), program.call({"a": A, "b": B, "c": C})):
        assert [part.tolist() for part in found] == [(-A).tolist(), (-B).tolist(), -7]


def test_the_program_and_its_division(program: Any) -> None:
    assert program.name == "main" and list(program.remarks) == []
    assert [str(each.type) for each in program.signature.inputs] == [
        "tensor<4x6xf32>",
        "tensor<6xf32>",
        "tensor<f32>",
    ]
    local = program.program.signature
    assert [str(each.type) for each in local.inputs] == ["tensor<2x2xf32>", "tensor<2xf32>", "tensor<f32>"]
    assert "tensor<2x2xf32>" in shlo.format(program.divided)
    assert repr(program).startswith("<DividedProgram over x=2, y=3: ")


@pytest.mark.parametrize("device", range(6))
def test_what_a_device_has(program: Any, device: int) -> None:
    """Devices count along the last axis first: device 4 is at x=1, y=1."""
    x, y = divmod(device, 3)
    rows, columns = slice(2 * x, 2 * x + 2), slice(2 * y, 2 * y + 2)
    shards = program.call_grid([A, B, C])
    assert list(shards) == [(0, each) for each in range(6)]
    assert [part.tolist() for part in shards[0, device]] == [
        (-A[rows, columns]).tolist(),
        (-B[columns]).tolist(),
        -7,
    ]
    assert program.device_name((0, device)) == f"x{x}_y{y}"
    outputs = [output for output, _ in program.slices((0, device), shards[0, device])]
    part = f"{2 * y}:{2 * y + 2}"
    assert [each.part for each in outputs] == [f"[{2 * x}:{2 * x + 2},{part}]", f"[{part}]", ""]
    assert [(each.index, str(each.type)) for each in outputs] == [
        (0, "tensor<2x2xf32>"),
        (1, "tensor<2xf32>"),
        (2, "tensor<f32>"),
    ]


def test_shards_are_assembled(program: Any) -> None:
    """Those of any values, such as the number of the device; nothing where the first device is missing."""
    found = {
        (0, device): [np.full((2, 2), device), np.full(2, device), np.float32(device)] for device in range(6)
    }
    whole, row, number = program.gather(found)
    assert whole.tolist() == np.repeat(np.repeat([[0, 1, 2], [3, 4, 5]], 2, 0), 2, 1).tolist()
    assert row.tolist() == [3, 3, 4, 4, 5, 5]  # the last device of each column is the last to write
    assert number == 0 and whole.dtype == np.int64
    del found[0, 0]
    with pytest.raises(shlo.RunError):
        program.gather(found)


def test_the_last_shard_of_a_dimension_is_padded() -> None:
    """Shardings of XLA divide 5 columns in 3 and 2, and zeros; the padding is in no result."""
    matrix, row = ('{mhlo.sharding = "{devices=[' + tiles + ']<=[2]}"}' for tiles in ("1,2", "2"))
    text = f"""module attributes {{mhlo.num_partitions = 2 : i32}} {{
  func.func @main(%a: tensor<4x5xf32> {matrix}, %b: tensor<5xf32> {row})
      -> (tensor<4x5xf32> {matrix}, tensor<5xf32> {row}) {{
    %0 = stablehlo.cosine %a : tensor<4x5xf32>
    %1 = stablehlo.negate %b : tensor<5xf32>
    return %0, %1 : tensor<4x5xf32>, tensor<5xf32>
  }}
}}"""
    program = shlo.compile(text, partition=True, engine="numpy")
    cosine = np.cos(A[:, :5])
    assert [part.tolist() for part in program(A[:, :5], B[:5])] == [cosine.tolist(), (-B[:5]).tolist()]
    shards = program.call_grid([A[:, :5], B[:5]])
    assert [part.tolist() for part in shards[0, 0]] == [cosine[:, :3].tolist(), [0, -1, -2]]
    assert shards[0, 1][0].tolist() == [[*line, 1] for line in cosine[:, 3:].tolist()]
    assert shards[0, 1][1].tolist() == [-3, -4, 0]
    parts = program.slices((0, 1), shards[0, 1])
    assert [(str(output.type), output.part, array.tolist()) for output, array in parts] == [
        ("tensor<4x2xf32>", "[0:4,3:5]", cosine[:, 3:].tolist()),
        ("tensor<2xf32>", "[3:5]", [-3, -4]),
    ]


def test_another_rank_has_no_results(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "gather", lambda found: None)
    with pytest.raises(shlo.RunError, match="rank 0 alone has the whole results"):
        program(A, B, C)


def test_inputs_that_do_not_fit(program: Any) -> None:
    for inputs in ([A, B], [A, B, C, C], [A, A, C], [A[:2], B, C]):
        with pytest.raises(shlo.RunError):
            program.call(inputs)


def test_another_function(program: Any) -> None:
    text = PROGRAM.replace("@main", "@other")
    assert shlo.compile(text, "other", partition=True).name == "other"
    with pytest.raises(shlo.RunError):
        shlo.compile(text, "main", partition=True)


def test_shards_as_a_mapping(program: Any) -> None:
    devices = program._devices
    shards = Shards(devices, [B, C], program._arguments[1:], [(0, 1), (0, 4)])
    assert (list(shards), len(shards)) == ([(0, 1), (0, 4)], 2)
    assert [part.tolist() for part in shards[0, 4]] == [[2, 3], 7]
    assert slice_text([slice(0, 4), slice(2, 6)]) == "[0:4,2:6]"


def test_options_reach_the_program() -> None:
    loop = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j : tensor<i32>
      }
      return %0 : tensor<i32>
    }"""
    whole = shlo.compile(loop, partition=True, max_steps=1000)
    assert repr(whole).startswith("<DividedProgram over one device: ")
    assert whole(np.int32(5)) == [5]
    for options in ({"max_steps": 3}, {"timeout": 0.01}):
        with pytest.raises(shlo.RunError):
            shlo.compile(loop, partition=True, **options)(np.int32(2**31 - 1))
    with pytest.raises(ValueError, match="engine"):
        shlo.compile(loop, partition=True, engine="nothing")


def test_a_dimension_that_a_part_of_its_axes_divides() -> None:
    """Of 4 elements along 2 and 3 devices, each device has 2; a remark says so."""
    text = """sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    program = shlo.compile(text, partition=True, engine="numpy")
    assert program(np.arange(4, dtype=np.float32))[0].tolist() == [0, -1, -2, -3]
    assert [str(each.type) for each in program.program.signature.inputs] == ["tensor<2xf32>"]
    (remark,) = program.remarks
    assert (str(remark[0]), remark[1]) == (
        "%a",
        "dimension 0 of %a has size 4, which the 6 devices along x, y do not divide: "
        "it is divided along x alone",
    )


def test_ranks_gather_the_shards_of_the_others(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first rank has device 0 and takes the shards of five others; another rank has no whole results."""
    shards = program.call_grid([A, B, C])

    def gather(found: Any, take: Any) -> None:
        assert [*found] == [(0, 0)]
        for place, parts in shards.items():
            take(place, parts)

    monkeypatch.setattr(program.program, "gather", gather, raising=False)
    whole = program.gather({(0, 0): shards[0, 0]})
    assert [part.tolist() for part in whole] == [(-A).tolist(), (-B).tolist(), -7]
    monkeypatch.setattr(program.program, "gather", lambda found, take: None, raising=False)
    assert program.gather({(0, 1): shards[0, 1]}) is None


@pytest.mark.parametrize("dimension", [0, 1])
@pytest.mark.parametrize(
    ("size", "bounds"),
    [(12, [(0, 3), (3, 6), (6, 9), (9, 12)]), (10, [(0, 5), (0, 5), (5, 10), (5, 10)]), (9, [(0, 9)] * 4)],
)
def test_one_of_two_dimensions(dimension: int, size: int, bounds: list[tuple[int, int]]) -> None:
    """Along 4 devices: all divide it, or two pairs do, or none; the other dimension is whole."""
    rows, columns = (size, 2) if dimension == 0 else (2, size)
    type = f"tensor<{rows}x{columns}xf32>"
    axes = '[{"x"}, {}]' if dimension == 0 else '[{}, {"x"}]'
    sharding = f"{{sdy.sharding = #sdy.sharding<@mesh, {axes}>}}"
    text = f"""sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: {type} {sharding}) -> ({type} {sharding}) {{
  %0 = stablehlo.negate %a : {type}
  return %0 : {type}
}}
"""
    program = shlo.compile(text, partition=True, engine="numpy")
    array = np.arange(1, 2 * size + 1, dtype=np.float32).reshape(rows, columns)
    assert program(array)[0].tolist() == (-array).tolist()
    assert len(program.remarks) == (0 if size == 12 else 2)  # of the argument and of the result
    shards = program.call_grid([array])
    for device, (start, stop) in enumerate(bounds):
        part = -array[start:stop] if dimension == 0 else -array[:, start:stop]
        assert [each.tolist() for each in shards[0, device]] == [part.tolist()]
        ((output, found),) = program.slices((0, device), shards[0, device])
        assert found.tolist() == part.tolist()
        assert str(output.type) == f"tensor<{part.shape[0]}x{part.shape[1]}xf32>"
        place = f"[{start}:{stop},0:2]" if dimension == 0 else f"[0:2,{start}:{stop}]"
        assert output.part == ("" if size == 9 else place)


@pytest.mark.parametrize("spans", [False, True, None])
def test_collectives_are_asynchronous_between_processes(
    spans: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the engine runs the program in several processes of the system."""

    class Engine(NumpyEngine):
        if spans is not None:
            spans_processes = spans

    ran: list[Any] = []
    passed = pass_manager.run_passes

    def run_passes(module: Any, passes: Any, **options: Any) -> Any:
        ran.append(passes)
        return passed(module, passes, **options)

    monkeypatch.setattr(pass_manager, "run_passes", run_passes)
    program = shlo.compile(PROGRAM, partition=True, engine=Engine())
    assert (["async-collectives"] in ran) is bool(spans)
    assert program(A, B, C)[2] == -7
