"""Locations are decoded on first access; what is wrong with one is still found when the file is read."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode import locations
from stablehlo_py.artifacts.bytecode.sections import Entry, read_layout
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.locations import DeferredLocation

FILES = sorted(path for path in (Path(__file__).parent / "files").iterdir() if path.suffix == ".bc")
TEXT = "func.func @main(%x: tensor<f32> loc(unknown)) -> tensor<f32> {\n"
KINDS = ('"a.py":3:{n}', '"f{n}"("a.py":3:4)', 'callsite("g{n}" at callsite("a.py":{n}:1 at "h"))')
STRING, CALL_SITE, FILE_LINE_COLUMN, NAME = 2, 10, 11, 14  # codes of strings and locations


@pytest.fixture
def always_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defer locations of small files too."""
    monkeypatch.setattr(locations, "LEAST_COUNT", 0)


def chain(count: int) -> str:
    """Return a program of `count` ops with a location each, of all kinds that are deferred."""
    ops = [
        f"%{n + 1} = stablehlo.add %{n}, %{n} : tensor<f32> loc({KINDS[n % 3].format(n=n)})\n"
        for n in range(count)
    ]
    body = "".join(ops).replace("%0,", "%x,").replace("%0 :", "%x :")
    return f"{TEXT}{body}return %{count} : tensor<f32>\n}}"


def adds(module: shlo.Module) -> list[Operation]:
    return [op for op in module.walk() if op.name == "stablehlo.add"]


def test_locations_are_those_of_the_text() -> None:
    text = shlo.parse(chain(300))
    read = shlo.parse(shlo.serialize(text))
    assert all(isinstance(op._location, DeferredLocation) for op in adds(read))
    assert shlo.verify(read) == []
    assert all(isinstance(op._location, DeferredLocation) for op in adds(read))
    assert [op.location for op in adds(read)] == [op.location for op in adds(text)]
    assert not any(isinstance(op._location, DeferredLocation) for op in adds(read))


@pytest.mark.usefixtures("always_deferred")
def test_copies_have_the_locations() -> None:
    read = shlo.parse(shlo.serialize(shlo.parse(chain(10))))
    assert all(isinstance(op._location, DeferredLocation) for op in adds(read))
    expected = shlo.format(shlo.parse(chain(10)), locations=True)
    assert shlo.format(read.clone(), locations=True) == expected
    assert shlo.format(copy.deepcopy(read), locations=True) == expected
    assert shlo.format(read, locations=True) == expected


def test_threads_decode_the_same_locations() -> None:
    data = shlo.serialize(shlo.parse(chain(300)))
    expected = [op.location for op in adds(shlo.parse(data))]
    for _ in range(5):
        ops = adds(shlo.parse(data))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, ops=ops: [op.location for op in ops], range(4)))
        assert found == [expected] * 4


def test_input_that_changes_later() -> None:
    data = shlo.serialize(shlo.parse(chain(300)))
    given = bytearray(data)
    read = shlo.parse(given)
    given[:] = b"\0" * len(given)
    given.append(0)
    assert shlo.format(read, locations=True) == shlo.format(shlo.parse(data), locations=True)


@pytest.mark.usefixtures("always_deferred")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_deferred_locations_are_equal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deferred = shlo.format(shlo.load(path), locations=True)
    monkeypatch.setattr(locations, "LEAST_COUNT", 1 << 30)
    assert deferred == shlo.format(shlo.load(path), locations=True)


def entries_of(data: bytes, code: int) -> dict[int, Entry]:
    """Return the attributes of a code of the builtin dialect, by index."""
    found = enumerate(read_layout(data).attributes)
    return {n: e for n, e in found if e.dialect == "builtin" and data[e.at] == code << 1 | 1}


@pytest.mark.parametrize(
    ("place", "byte", "message"),
    [
        (0, 0x7F, "attribute with code 63 of the dialect builtin is unknown"),
        (0, CALL_SITE << 1 | 1, "1 unexpected bytes after an entry"),
        (1, 0xFE, "expected the index of one of"),
        (2, 0x00, "variable-length integer of 9 bytes"),
        (-1, 0xFE, "variable-length integer"),
    ],
)
def test_damaged_location_is_found_when_reading(place: int, byte: int, message: str) -> None:
    data = bytearray(shlo.serialize(shlo.parse(chain(300))))
    entries = [*entries_of(data, FILE_LINE_COLUMN).values()]
    entry = entries[len(entries) // 2]
    data[entry.at + place if place >= 0 else entry.end + place] = byte
    with pytest.raises(shlo.ParseError, match=message) as caught:
        shlo.parse(bytes(data))
    (diagnostic,) = caught.value.diagnostics
    offset = int(diagnostic.message.partition(":")[0].removeprefix("byte "))
    assert entry.at <= offset <= entry.end


@pytest.mark.usefixtures("always_deferred")
@pytest.mark.parametrize("behind", [0, 1])
def test_a_name_behind_the_last_string_is_found_when_reading(behind: int) -> None:
    """The names are attributes of their own, which name locations and those of files refer to."""
    data = shlo.serialize(shlo.parse(chain(9)))
    layout, names = read_layout(data), entries_of(data, STRING)
    used = {data[e.at + 1] >> 1 for e in entries_of(data, NAME).values()}
    entry = next(e for n, e in names.items() if n in used)
    damaged = bytearray(data)
    assert entry.end - entry.at == 2 and damaged[entry.at + 1] >> 1 < len(layout.strings) < 64
    damaged[entry.at + 1] = len(layout.strings) + behind << 1 | 1
    with pytest.raises(shlo.ParseError, match=f"expected the index of one of {len(layout.strings)} strings"):
        shlo.parse(bytes(damaged))


def test_reference_of_another_kind_and_cycle_are_found_when_reading() -> None:
    data = shlo.serialize(shlo.parse(chain(300)))
    index, entry = next((n, e) for n, e in entries_of(data, NAME).items() if n < 1 << 6 and e.end - e.at == 3)
    other = next(n for n in entries_of(data, FILE_LINE_COLUMN) if n < 1 << 6)
    for place, found, message in ((1, other, "to a string"), (2, index, "defined in terms of itself")):
        damaged = bytearray(data)
        damaged[entry.at + place] = found << 1 | 1
        with pytest.raises(shlo.ParseError, match=message):
            shlo.parse(bytes(damaged))
