"""Transfers of data between processes."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

PLACES = [(0, 0), (0, 1), (1, 0), (1, 1)]
ROWS = [[1, 2], [10, 20], [100, 200], [1000, 2000]]
TWO = "tensor<2xi64>"


def channel(number: int) -> str:
    return f"channel_handle = #stablehlo.channel_handle<handle = {number}, type = 1>"


@pytest.mark.parametrize("number", [0, 1])
def test_send_and_receive(number: int) -> None:
    """Along replicas on channel 0, along partitions on others: 0 sends to 1."""
    text = f"""
    func.func @main(%x: {TWO}) -> {TWO} {{
      %t = stablehlo.create_token : !stablehlo.token
      %c0 = stablehlo.constant dense<0> : tensor<ui32>
      %id = stablehlo.{"partition_id" if number else "replica_id"} : tensor<ui32>
      %first = stablehlo.compare EQ, %id, %c0 : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %0 = "stablehlo.if"(%first) ({{
        %1 = "stablehlo.send"(%x, %t) <{{{channel(number)},
          source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}>
          : ({TWO}, !stablehlo.token) -> !stablehlo.token
        stablehlo.return %x : {TWO}
      }}, {{
        %1:2 = "stablehlo.recv"(%t) <{{{channel(number)},
          source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}>
          : (!stablehlo.token) -> ({TWO}, !stablehlo.token)
        stablehlo.return %1#0 : {TWO}
      }}) : (tensor<i1>) -> {TWO}
      return %0 : {TWO}
    }}"""
    program = shlo.compile(shlo.parse(text), replicas=2, partitions=2)
    found = program.call_grid({place: [value] for place, value in zip(PLACES, ROWS, strict=True)})
    expected = [ROWS[0], ROWS[0], ROWS[2], ROWS[2]] if number else [ROWS[0], ROWS[1], ROWS[0], ROWS[1]]
    assert [found[place][0].tolist() for place in PLACES] == expected
