"""Tokens, Infeed, Send and Recv."""

from __future__ import annotations

import numpy as np
import pytest
from building import checked, f32, result, results, s32

import stablehlo_py as shlo
from stablehlo_py.builder import BuildError, ChannelHandle, XlaBuilder, XlaOp
from stablehlo_py.ir.types import TOKEN

PAIR = np.array([1, 2], f32)


def test_after_all_joins_tokens() -> None:
    b = XlaBuilder()
    first, second = b.AfterAll([]), b.AfterAll([])
    joined = b.AfterAll([first, second])
    assert str(joined.type) == "!stablehlo.token"
    assert results(b) == [None]
    with pytest.raises(BuildError, match="AfterAll"):
        b.AfterAll([b.ConstantLiteral(1)])


def test_infeed_reads_one_item_after_the_other() -> None:
    b = XlaBuilder()
    first = b.Infeed("f32[2]")
    second, count = b.Infeed("(f32[2], s32[])")
    b.Tuple(first - second, count)
    fed = [PAIR, (np.array([10, 20], f32), np.array(3, s32))]
    difference, number = shlo.run(checked(b), infeed=fed)
    assert difference.tolist() == [-9, -18] and number == 3


def test_infeed_in_loops_that_depend_on_each_other() -> None:
    """The documents' example of a total order: the second loop takes what the first one gives."""
    b = XlaBuilder()
    once = b.While(lambda t: t < 3, lambda t: t + b.Infeed("s32[]"), 0)
    b.While(lambda t: t < 10, lambda t: t + b.Infeed("s32[]"), once)
    (found,) = shlo.run(checked(b), infeed=[np.array(n, s32) for n in (2, 2, 5, 7, 9)])
    assert found == 2 + 2 + 5 + 7


def test_each_transfer_of_a_body_waits_for_the_one_before() -> None:
    b = XlaBuilder()
    b.Infeed("f32[]")

    def body(t: XlaOp) -> XlaOp:
        first, second = b.Infeed("s32[]"), b.Infeed("s32[]")
        b.SendDone(b.Send(first, 1))
        return t + second + b.RecvDone(b.Recv("s32[]", 2))

    b.While(lambda t: t < 3, body, 0)
    b.Infeed("f32[]")
    module = checked(b)
    (loop,) = [op for op in module.walk() if op.name == "stablehlo.while"]
    for block in (module.functions["main"].blocks[0], loop.regions[1].block):
        tokens = [[v for v in (*op.operands, *op.results) if v.type == TOKEN] for op in block.ops]
        before, *links = [each for each in tokens if each]
        for link in links:
            assert link[0] == before[-1]
            before = link
        assert len(links) == (4 if block.parent_op is loop else 2)


def test_an_empty_tuple_reads_nothing() -> None:
    b = XlaBuilder()
    assert b.Infeed("()").elements == ()
    b.Infeed("f32[2]")
    (found,) = shlo.run(checked(b), infeed=[PAIR])
    assert found.tolist() == [1, 2]


def test_tuples_in_tuples_cannot_be_fed() -> None:
    with pytest.raises(BuildError, match="nested tuples"):
        XlaBuilder().Infeed("((f32[2]), s32[])")


def test_the_layout_of_a_shape_is_the_operations() -> None:
    b = XlaBuilder()
    b.Infeed("(f32[2,3]{0,1}, s32[])")
    assert "layout = [[0, 1], []]" in shlo.format(checked(b))
    b = XlaBuilder()
    b.Infeed("f32[2,3]{1,0}")
    assert "layout" not in shlo.format(checked(b))


@pytest.mark.parametrize("channel", [1, ChannelHandle(1)])
def test_send_and_recv_have_a_channel_in_common(channel: ChannelHandle | int) -> None:
    b = XlaBuilder()
    b.SendDone(b.Send(b.Parameter(0, "f32[2]"), channel))
    b.RecvDone(b.Recv("f32[2]", channel))
    assert result(b, PAIR).tolist() == [1, 2]
    text = shlo.format(checked(b))
    assert text.count("#stablehlo.channel_handle<handle = 1, type = 1>") == 2
    sent = next(line for line in text.splitlines() if "stablehlo.send" in line).split(" = ")[0].strip()
    received = next(line for line in text.splitlines() if "stablehlo.recv" in line)
    assert f"({sent})" in received  # the token says that receiving comes after sending


def test_what_is_no_transfer_cannot_be_waited_for() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2]")
    sent = b.Send(x, 1)
    with pytest.raises(BuildError, match="is not the result of Recv"):
        b.RecvDone(sent)
    with pytest.raises(BuildError, match="is not the result of Send"):
        b.SendDone(x)
