"""Run by `mpiexec -n 4`: programs on MPI ranks, against the grid in one process, and tests of collectives."""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import stablehlo_py as shlo

sys.path.insert(0, str(Path(__file__).parents[2] / "kernels"))
import test_collective
import test_process

WORLD = MPI.COMM_WORLD
SUM = """({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
BOTH = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
X = "(%x: tensor<4xf32>) -> tensor<4xf32>"
PROGRAMS = {
    "sends in a ring": f"""func.func @main{X} {{
      %t = stablehlo.create_token : !stablehlo.token
      %a = "stablehlo.send"(%x, %t) <{{{CHANNEL}, is_host_transfer = false,
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}>
        : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      %0:2 = "stablehlo.recv"(%a) <{{{CHANNEL}, is_host_transfer = false,
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}>
        : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
      return %0#0 : tensor<4xf32>
    }}""",
    "an async permutation around a sum": f"""func.func @main{X} {{
      %a = "stablehlo.async_start"(%x) ({{
      ^bb0(%y: tensor<4xf32>):
        %1 = "stablehlo.collective_permute"(%y) <{{
          source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}>
          : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }}) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
      %0 = "stablehlo.all_reduce"(%x) <{{{BOTH}, {CHANNEL}}}> {SUM}
        : (tensor<4xf32>) -> tensor<4xf32>
      %b = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      %c = stablehlo.multiply %0, %b : tensor<4xf32>
      return %c : tensor<4xf32>
    }}""",
    "sums in a loop": f"""func.func @main{X} {{
      %n = stablehlo.constant dense<20> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %third = stablehlo.constant dense<0.3> : tensor<4xf32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
      cond {{
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %1 = "stablehlo.all_reduce"(%v) <{{{BOTH}, {CHANNEL}}}> {SUM}
          : (tensor<4xf32>) -> tensor<4xf32>
        %2 = stablehlo.multiply %1, %third : tensor<4xf32>
        %3 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, tensor<4xf32>
      }}
      return %r#1 : tensor<4xf32>
    }}""",
    "random numbers of each process": f"""func.func @main{X} {{
      %a = stablehlo.constant dense<0.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %n = stablehlo.constant dense<4> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}""",
}


def test_results_are_those_of_one_process_bit_for_bit() -> None:
    generator = np.random.default_rng(0)
    inputs = {(r, p): [generator.standard_normal(4).astype(np.float32)] for r in range(2) for p in range(2)}
    for name, text in PROGRAMS.items():
        module = shlo.parse(text)
        expected = shlo.compile(module, engine="numpy", replicas=2, partitions=2).call_grid(inputs, seed=7)
        program = shlo.compile(module, engine="mpi", replicas=2, partitions=2)
        found = program.call_grid(inputs, seed=7)
        assert set(found) == set(program.local_process_ids())
        for place, results in found.items():
            for ours, theirs in zip(results, expected[place], strict=True):
                assert ours.tobytes() == theirs.tobytes(), name


def test_infeed_and_outfeed_are_of_the_rank() -> None:
    text = """func.func @main() -> tensor<2xi32> {
      %t = stablehlo.create_token : !stablehlo.token
      %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
      %1 = "stablehlo.outfeed"(%0#0, %0#1) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
      return %0#0 : tensor<2xi32>
    }"""
    program = shlo.compile(shlo.parse(text), engine="mpi", replicas=4)
    mine, outgoing = np.array([WORLD.rank, 7], np.int32), []
    ((found,),) = program.call_grid(infeed=[mine], outfeed=outgoing).values()
    assert np.array_equal(found, mine) and np.array_equal(outgoing[0][0], mine)


def test_arguments_do_not_outlive_their_last_use() -> None:
    """Those that the caller drops, such as the shards of a divided program."""
    type, alive = "tensor<1048576xf32>", []

    @shlo.custom_call("test.alive")
    def look(x: Any) -> Any:
        alive.append(argument() is not None)
        return x.copy()

    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.custom_call @test.alive(%x) : ({type}) -> {type}
      %1 = stablehlo.sine %0 : {type}
      %2 = stablehlo.custom_call @test.alive(%1) : ({type}) -> {type}
      return %2 : {type}
    }}"""
    program = shlo.compile(shlo.parse(text), engine="mpi", replicas=4)

    class Fresh(dict[Any, Any]):
        def __getitem__(self, place: Any) -> list[Any]:
            nonlocal argument
            made = np.ones(1 << 20, np.float32)
            argument = weakref.ref(made)
            return [made]

    argument: Any = None
    program.call_grid(Fresh.fromkeys(program.local_process_ids()))
    assert alive == [True, False]


def test_an_operand_that_is_needed_again_is_not_overwritten_by_its_sum() -> None:
    type = "tensor<2100000xf32>"
    text = f"""func.func @main(%x: {type}) -> ({type}, {type}, {type}) {{
      %0 = stablehlo.negate %x : {type}
      %1 = "stablehlo.all_reduce"(%0) <{{replica_groups = dense<[[3, 1, 0, 2]]> : tensor<1x4xi64>}}> {SUM}
        : ({type}) -> {type}
      %2 = "stablehlo.all_reduce"(%1) <{{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}}> {SUM}
        : ({type}) -> {type}
      return %0, %1, %2 : {type}, {type}, {type}
    }}"""
    program = shlo.compile(shlo.parse(text), engine="mpi", replicas=4)
    (place,) = program.local_process_ids()
    x = np.arange(2100000, dtype=np.float32) % 1000 + place[0]
    negated, total, twice = program.call_grid({place: [x]})[place]
    rest = np.arange(2100000, dtype=np.float32) % 1000
    assert np.array_equal(x, rest + place[0]) and np.array_equal(negated, -x)
    assert np.array_equal(total, -4 * rest - 6) and np.array_equal(twice, 2 * total)


def test_a_divided_training_step_computes_while_gradients_are_summed() -> None:
    """Sums of gradients start behind each layer, and are awaited where weights are updated."""
    w, x = "tensor<160x160xf32>", "tensor<1024x160xf32>"
    text = f"""func.func @main(%x: {x}, %v: {w}, %w: {w}) -> ({w}, {w}) {{
      %h = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : ({x}, {w}) -> {x}
      %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {x}
      %dw = stablehlo.dot_general %h, %y, contracting_dims = [0] x [0] : ({x}, {x}) -> {w}
      %dh = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : ({x}, {w}) -> {x}
      %dv = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] : ({x}, {x}) -> {w}
      %0 = stablehlo.subtract %v, %dv : {w}
      %1 = stablehlo.subtract %w, %dw : {w}
      return %0, %1 : {w}, {w}
    }}"""
    module = shlo.opt(shlo.parse(text), ["shard{mesh=data=4 values=x=[{data},{}]}"])
    generator = np.random.default_rng(0)
    values = [
        generator.integers(-3, 4, shape).astype(np.float32) for shape in ((1024, 160), *[(160, 160)] * 2)
    ]
    program = shlo.compile(module, engine="mpi", partition=True)
    assert [op.name for op in program.divided.walk()].count("stablehlo.async_start") == 1
    x, v, w = [np.float64(value) for value in values]
    y = x @ v @ w
    (found,) = program.call_grid(values).values()
    np.testing.assert_allclose(found[0], v - x.T @ (y @ w.T), rtol=1e-5)
    np.testing.assert_allclose(found[1], w - (x @ v).T @ y, rtol=1e-5)


def test_ranks_share_the_processors_of_their_machine() -> None:
    shlo.compile(shlo.parse(PROGRAMS["sums in a loop"]), engine="mpi", replicas=2, partitions=2)
    found = [
        ctypes.CDLL(str(path)).scipy_openblas_get_num_threads64_()
        for path in Path(np.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*")
    ]
    if found and not {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"} & set(os.environ):
        assert found == [max(1, len(os.sched_getaffinity(0)) // WORLD.size)]


def test_large_sums_at_the_same_time() -> None:
    test_process.check_sums_at_the_same_time("mpi")


def on_ranks(
    op: str, attributes: str, type: str, result: str, values: list[Any], region: str = "", mesh: str = ""
) -> list[Any]:
    """As `on_grid` of the tests of collectives, with each process of the grid on a rank."""
    text = f"""{mesh}
    func.func @main(%x: {type}) -> {result} {{
      %0 = "stablehlo.{op}"(%x) <{{{attributes}}}> {region} : ({type}) -> {result}
      return %0 : {result}
    }}"""
    program = shlo.compile(shlo.parse(text), engine="mpi", replicas=2, partitions=2)
    (place,) = program.local_process_ids()
    failed, mine = "", None
    try:
        mine = program.call_grid({place: [values[WORLD.rank]]})[place][0].tolist()
    except shlo.RunError as error:
        failed = str(error)
    everyone = WORLD.allgather((failed, mine))
    message = next((f for f, _ in everyone if f and "another process" not in f), "")
    if message:
        raise shlo.RunError(message)
    return [each for _, each in everyone]


def main() -> int:
    test_collective.on_grid = on_ranks
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", __file__, test_collective.__file__]))


if __name__ == "__main__":
    sys.exit(main())
