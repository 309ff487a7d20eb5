"""Aliases of types: how much one may stand for."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo


def doubled(times: int) -> str:
    """A tuple of 2^times elements, by as many aliases."""
    rows = ["!a0 = i1", *(f"!a{i + 1} = tuple<!a{i}, !a{i}>" for i in range(times))]
    return "\n".join([*rows, f'"t.use"() {{a = !a{times}}} : () -> ()'])


def nested(times: int) -> str:
    """Tuples in each other."""
    rows = ["!a0 = i1", *(f"!a{i + 1} = tuple<!a{i}>" for i in range(times))]
    return "\n".join([*rows, f'"t.use"() {{a = !a{times}}} : () -> ()'])


LIMITS = "expands to more than 100000 types or attributes, or nests them deeper than 64"


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        (doubled(10), None),
        (doubled(15), None),  # 2^16 - 1 tuples and elements
        (doubled(16), "!a16"),  # 2^17 - 1
        (doubled(60), "!a16"),
        (nested(60), None),
        (nested(70), "!a6"),
    ],
)
def test_what_an_alias_may_stand_for(text: str, alias: str | None) -> None:
    if alias is None:
        module = shlo.parse(text, allow_unregistered=True)
        assert module.body.ops[0].name == "t.use"
        return
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse(text, allow_unregistered=True)
    message = caught.value.diagnostics[0].message
    assert message.startswith(f"alias {alias}") and message.endswith(LIMITS)
