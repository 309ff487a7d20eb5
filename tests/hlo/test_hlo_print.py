"""HLO texts, read and printed: byte for byte what XLA's printer writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.parser import parse_hlo

TEXTS = Path(__file__).parent.parent.parent / "testdata" / "hlo"
PRINTED = sorted(TEXTS.glob("*.txt"))


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: path.stem)
def test_prints_as_xla(path: Path) -> None:
    name, style = path.stem.rsplit(".", 1)
    assert shlo.load_hlo(TEXTS / f"{name}.hlo").to_string(style) == path.read_text()


# In the canonical style names repeat; of `fusion` the order of computations depends on that of instructions.
STABLE = [path for path in PRINTED if ".canonical" not in path.name and path.stem != "fusion.default"]


@pytest.mark.parametrize("path", STABLE, ids=lambda path: path.stem)
def test_what_is_printed_reads_again(path: Path) -> None:
    style = path.stem.rsplit(".", 1)[1]
    assert parse_hlo(path.read_text()).to_string(style) == path.read_text()


def test_unknown_style() -> None:
    module = parse_hlo("f32[] add(f32[] %x, f32[] %y)")
    with pytest.raises(ValueError, match="unknown style pretty; expected one of default, short_parsable"):
        module.to_string("pretty")


@pytest.mark.parametrize(
    ("element", "literal", "printed"),
    [  # numbers of XLA's printer
        ("f32", "1e6", "1e+06"),
        ("bf16", "0.1", "0.1001"),
        ("f32", "0.1", "0.1"),
        ("f32", "0.797884583", "0.797884583"),
        ("f64", "0.1", "0.1"),
        ("f16", "-0.0", "-0"),
        ("f32", "-0", "0"),
        ("f32", "-nan", "-nan"),
        ("f32", "nan(0x1)", "nan(0x1)"),
        ("pred", "7", "true"),
        ("u64", "-1", "18446744073709551615"),
        ("c64", "(1, nan)", "(1, nan)"),
    ],
)
def test_numbers(element: str, literal: str, printed: str) -> None:
    module = parse_hlo(f"HloModule m\nENTRY e {{\n  ROOT c = {element}[] constant({literal})\n}}\n")
    assert f"constant({printed})" in module.to_string()


@pytest.mark.parametrize(
    ("shape", "printed"),
    [  # arrays without elements, by XLA's printer
        ("0", "{}"),
        ("2,0", "{ {}, {} }"),
        ("0,2", "{  }"),
        ("1,0,2", "{ {  } }"),
        ("2,0,4,3", "{ { /*i0=0*/ }, { /*i0=1*/ } }"),
        ("1,2,0,3", "{ { /*i0=0*/ { /*i1=0*/ }, { /*i1=1*/ } } }"),
        ("1,1,2,0", "{ { /*i0=0*/ { /*i1=0*/ {}, {} } } }"),
    ],
)
def test_arrays_without_elements(shape: str, printed: str) -> None:
    def nested(sizes: list[str]) -> str:
        return "{" + ",".join([nested(sizes[1:])] * int(sizes[0])) + "}" if sizes else ""

    module = parse_hlo(
        f"HloModule m\nENTRY e {{\n  ROOT c = f32[{shape}] constant({nested(shape.split(','))})\n}}\n"
    )
    assert f"constant({printed})" in module.to_string()


def test_large_constants_are_elided_unless_asked() -> None:
    numbers = ", ".join(map(str, range(11)))
    module = parse_hlo(f"HloModule m\nENTRY e {{\n  ROOT c = s32[11]{{0}} constant({{{numbers}}})\n}}\n")
    assert "constant({...})" in module.to_string()
    assert f"constant({{{numbers}}})" in module.to_string("short_parsable")


@pytest.mark.parametrize("style", ["default", "short_parsable", "canonical"])
def test_large_literals_of_attributes_are_not_elided(style: str) -> None:
    """A text that is read again has no other place for them."""
    numbers = ", ".join(map(str, range(11)))
    module = parse_hlo(
        'HloModule m\nENTRY e {\n  ROOT c = f32[] custom-call(), custom_call_target="t", '
        f"literal=s32[11]{{0}} {{{numbers}}}\n}}\n"
    )
    assert f"literal=s32[11]{{0}} {{{numbers}}}" in module.to_string(style)
