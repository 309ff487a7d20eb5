"""The process grid: scheduling, infeed and outfeed, and deadlocks."""

from __future__ import annotations

import queue
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.program import Program
from stablehlo_py.kernels.grid.process import Grid, current


def program(text: str, **options: Any) -> Program:
    return shlo.compile(shlo.parse(text, "grid.mlir"), **options)


SUM = """
  %0 = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<{groups}> : tensor<{shape}xi64>}}> ({{
  ^bb0(%p: tensor<i64>, %q: tensor<i64>):
    %s = stablehlo.add %p, %q : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }}) : (tensor<i64>) -> tensor<i64>
"""


def summed(groups: str, shape: str, **options: Any) -> Program:
    body = SUM.format(groups=groups, shape=shape)
    return program(
        f"func.func @main(%x: tensor<i64>) -> tensor<i64> {{{body} return %0 : tensor<i64>\n}}", **options
    )


def test_inputs_of_each_process() -> None:
    both = summed("[[0, 1]]", "1x2", replicas=2)
    found = both.call_grid({(0, 0): [1], (1, 0): [20]})
    assert found == {(0, 0): [21], (1, 0): [21]}
    assert both.call_grid([3]) == {(0, 0): [6], (1, 0): [6]}
    assert both(3) == [6]
    with pytest.raises(shlo.RunError, match=r"processes \(0, 0\), \(1, 0\); missing or unexpected: \(1, 0\)"):
        both.call_grid({(0, 0): [1]})


GROUP = [(0, 0), (0, 1)]


def test_channels_are_told_apart() -> None:
    """Processes that communicate along two channels in another order each wait for each other."""

    def work(*channels: int) -> Any:
        return lambda: [current().meet("all_reduce", channel, GROUP, channel) for channel in channels]

    assert Grid(1, 2).run([work(1, 2), work(1, 2)]) == [[[1, 1], [2, 2]]] * 2
    with pytest.raises(shlo.RunError, match="deadlock: every process waits for another"):
        Grid(1, 2).run([work(1, 2), work(2, 1)])


@pytest.mark.parametrize("by_parts", [True, False])
def test_values_are_those_before_a_process_overwrites_them(by_parts: bool) -> None:
    def work(number: int) -> Any:
        def run() -> list[Any]:
            own = np.array([number])
            if by_parts:
                found = current().exchange("all_to_all", 1, GROUP, [own, own])
            else:
                found = current().meet("all_gather", 1, GROUP, own)
            own[0] = -1
            return found

        return run

    for found in Grid(1, 2).run([work(5), work(7)]):
        assert [each.tolist() for each in found] == [[5], [7]]


def test_each_process_draws_its_own_numbers() -> None:
    drawn = []
    for seed in (0, 0, 1):
        grid = Grid(2, 2, seed=seed)
        drawn.append(grid.run([lambda: current().generator.integers(1 << 60)] * 4))
    assert drawn[0] == drawn[1]
    assert len({*drawn[0], *drawn[2]}) == 8


def test_the_grid_that_a_module_states() -> None:
    text = """
    module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 3 : i32} {
      func.func @main() -> (tensor<ui32>, tensor<ui32>) {
        %0 = stablehlo.replica_id : tensor<ui32>
        %1 = stablehlo.partition_id : tensor<ui32>
        return %0, %1 : tensor<ui32>, tensor<ui32>
      }
    }"""
    found = program(text).call_grid()
    assert found == {(r, p): [r, p] for r in range(2) for p in range(3)}
    assert program(text)() == [0, 0]
    with pytest.raises(shlo.RunError, match="0 replicas by 3 partitions has no processes"):
        program(text, replicas=0)


def test_who_waits_where() -> None:
    """Replica 0 waits in an all_reduce for replica 1, which waits for what nobody sends; replica 2 ends."""
    text = f"""
    func.func @main(%a: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {{
      %r:3 = "interpreter.run_parallel"(%a, %a, %a) <{{programs = [[@sum], [@receive], [@end]]}}>
        : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>)
      return %r#0, %r#1, %r#2 : tensor<i64>, tensor<i64>, tensor<i64>
    }}
    func.func @sum(%x: tensor<i64>) -> tensor<i64> {{
      {SUM.format(groups="[[0, 1, 2]]", shape="1x3")}
      return %0 : tensor<i64>
    }}
    func.func @receive(%x: tensor<i64>) -> tensor<i64> {{
      %t = stablehlo.create_token : !stablehlo.token
      %0:2 = "stablehlo.recv"(%t) <{{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}}>
        : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
      return %0#0 : tensor<i64>
    }}
    func.func @end(%x: tensor<i64>) -> tensor<i64> {{
      return %x : tensor<i64>
    }}"""
    with pytest.raises(shlo.RunError) as caught:
        program(text)(1)
    lines = [line.strip() for line in str(caught.value).split("\n")]
    assert lines[0].endswith("deadlock: every process waits for another")
    assert lines[1:] == [
        "process (0, 0): grid.mlir:9:8: stablehlo.all_reduce: waiting for processes (1, 0), (2, 0)",
        "process (1, 0): grid.mlir:19:14: stablehlo.recv: "
        "waiting to receive from channel 7, to which no process sends",
        "process (2, 0) has finished",
    ]


def test_the_failure_of_one_process_is_that_of_all() -> None:
    text = f"""func.func @main(%x: tensor<i64>) -> tensor<i64> {{
      %one = stablehlo.constant dense<1> : tensor<i64>
      check.expect_eq %x, %one : tensor<i64>
      {SUM.format(groups="[[0, 1]]", shape="1x2")}
      return %0 : tensor<i64>
    }}"""
    with pytest.raises(shlo.RunError, match=r"grid\.mlir:3:7: check\.expect_eq"):
        program(text, replicas=2).call_grid({(0, 0): [1], (1, 0): [2]})


def test_what_is_started_goes_on_beside_the_process() -> None:
    """Each process starts a permutation, then meets the other, then finishes in another order."""
    text = f"""
    func.func @main(%x: tensor<i64>) -> (tensor<i64>, tensor<i64>) {{
      %a = "stablehlo.async_start"(%x) ({{
      ^bb0(%y: tensor<i64>):
        %1 = "stablehlo.collective_permute"(%y) <{{
          source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
        }}> : (tensor<i64>) -> tensor<i64>
        stablehlo.return %1 : tensor<i64>
      }}) : (tensor<i64>) -> !stablehlo.future<tensor<i64>>
      {SUM.format(groups="[[0, 1]]", shape="1x2")}
      %b = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<i64>>) -> tensor<i64>
      return %0, %b : tensor<i64>, tensor<i64>
    }}"""
    found = program(text, replicas=2).call_grid({(0, 0): [1], (1, 0): [20]})
    assert found == {(0, 0): [21, 20], (1, 0): [21, 1]}


def test_values_are_those_that_a_process_came_with() -> None:
    """What a process does to its array after it has met others is not what they get."""
    text = """func.func @main(%x: tensor<4xf64>) -> tensor<8xf64> {
      %y = stablehlo.add %x, %x : tensor<4xf64>
      %0 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf64>) -> tensor<8xf64>
      %z = stablehlo.negate %y : tensor<4xf64>
      %w = stablehlo.concatenate %z, %z, dim = 0 : (tensor<4xf64>, tensor<4xf64>) -> tensor<8xf64>
      %r = stablehlo.add %0, %w : tensor<8xf64>
      return %r : tensor<8xf64>
    }"""
    found = program(text, replicas=2).call_grid({(0, 0): [np.ones(4)], (1, 0): [np.full(4, 5.0)]})
    assert found[0, 0][0].tolist() == [0] * 4 + [8] * 4
    assert found[1, 0][0].tolist() == [-8] * 4 + [0] * 4


FEEDS = """
func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, tensor<f32>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%0#1, %0#2) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.infeed"(%1) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %3 = stablehlo.add %0#0, %2#0 : tensor<2xi32>
  %4 = "stablehlo.outfeed"(%3, %2#1) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %3 : tensor<2xi32>
}
"""


def test_what_comes_in_and_goes_out() -> None:
    out: list[Any] = []
    found = program(FEEDS).call(infeed=[([1, 2], 0.5), np.int32([10, 20])], outfeed=out)
    assert found[0].tolist() == [11, 22]
    assert [[x.tolist() for x in values] for values in out] == [[0.5], [[11, 22]]]


def test_queues() -> None:
    given, taken = queue.Queue[Any](), queue.Queue[Any]()
    given.put(([1, 2], 0.5))
    given.put([[3, 4]])
    assert program(FEEDS).call(infeed=given, outfeed=taken)[0].tolist() == [4, 6]
    assert taken.qsize() == 2


def test_an_infeed_that_does_not_fit() -> None:
    with pytest.raises(shlo.RunError, match=r"grid.mlir:6:.*the infeed is exhausted"):
        program(FEEDS).call(infeed=[([1, 2], 0.5)])
    with pytest.raises(shlo.RunError, match=r"grid.mlir:4:.*provides 1 value, expected 2"):
        program(FEEDS).call(infeed=[1])
    with pytest.raises(shlo.RunError, match=r"value 0 of the infeed has shape 3"):
        program(FEEDS).call(infeed=[([1, 2, 3], 0.5)])


def test_random_numbers_have_a_seed() -> None:
    text = """func.func @main(%a: tensor<f64>, %b: tensor<f64>) -> tensor<8xf64> {
      %s = stablehlo.constant dense<8> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM
        : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<8xf64>
      return %0 : tensor<8xf64>
    }"""
    run = program(text, replicas=2)
    first, again, other = (run.call([0.0, 1.0], seed=seed)[0].tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert ((np.array(first) >= 0) & (np.array(first) < 1)).all()
    by_place = run.call_grid([0.0, 1.0], seed=1)
    assert by_place[0, 0][0].tolist() == first != by_place[1, 0][0].tolist()


def check_sums_at_the_same_time(engine: str) -> None:
    """Two large sums of one group, each in several exchanges, take turns in any order."""
    type = "tensor<40000xf32>"

    def start(value: str) -> str:
        return f"""
        "stablehlo.async_start\"({value}) ({{
        ^bb0(%inner: {type}):
          %sum = "stablehlo.all_reduce"(%inner) <{{
            replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}}> ({{
          ^bb0(%p: tensor<f32>, %q: tensor<f32>):
            %s = stablehlo.add %p, %q : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }}) : ({type}) -> {type}
          stablehlo.return %sum : {type}
        }}) : ({type}) -> !stablehlo.future<{type}>"""

    text = f"""func.func @main(%x: {type}) -> ({type}, {type}, {type}) {{
      %y = stablehlo.negate %x : {type}
      %a = {start("%x")}
      %b = {start("%y")}
      %c = "stablehlo.async_done"(%a) : (!stablehlo.future<{type}>) -> {type}
      %d = "stablehlo.async_done"(%b) : (!stablehlo.future<{type}>) -> {type}
      return %c, %d, %y : {type}, {type}, {type}
    }}"""
    program = shlo.compile(shlo.parse(text), engine=engine, replicas=4)
    x = np.arange(40000, dtype=np.float32) % 1000
    found = program.call_grid({place: [x + place[0]] for place in program.local_process_ids()})
    for place, (positive, negative, own) in found.items():
        assert np.array_equal(positive, 4 * x + 6) and np.array_equal(negative, -4 * x - 6)
        assert np.array_equal(own, -x - place[0])


def test_large_sums_at_the_same_time() -> None:
    check_sums_at_the_same_time("numpy")


def test_what_a_single_process_starts() -> None:
    """It has ended when it is awaited."""
    text = """
    func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
      %a = "stablehlo.async_start"(%x) ({
      ^bb0(%y: tensor<1xi64>):
        %1 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64,
          replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<1xi64>) -> tensor<1xi64>
        stablehlo.return %1 : tensor<1xi64>
      }) : (tensor<1xi64>) -> !stablehlo.future<tensor<1xi64>>
      %b = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<1xi64>>) -> tensor<1xi64>
      return %b : tensor<1xi64>
    }"""
    (found,) = shlo.run(shlo.parse(text), [np.array([7])])
    assert found.tolist() == [7]
