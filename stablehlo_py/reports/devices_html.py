"""What each device of a mesh holds, sends and receives, as HTML: what `shlo inspect --devices` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stablehlo_py.diagnostics.units import byte_text, duration, number
from stablehlo_py.reports.html import Cell, facts, table, text
from stablehlo_py.reports.plots.svg import box, frame, label

Data = Mapping[str, Any]
_VALUES = 50  # of each kind, the largest first
_CELLS = 8  # of a grid, in each direction
_WIDTH, _HEIGHT = 46, 20
_KINDS = (("argument", "Arguments"), ("result", "Results"), ("peak", "Live at the peak"))


def devices_html(found: Data) -> str:
    """Render the analysis of a divided program.

    Args:
        found: Its plain data.
    """
    return "".join(_parts(found))


def _parts(found: Data) -> Iterator[str]:
    mesh = ", ".join(f"{axis}={size}" for axis, size in found["mesh"].items())
    total = found["communication"]
    yield facts(
        [
            ("devices", f"{found['devices']} ({mesh})"),
            ("peak memory of a device", byte_text(found["peak_bytes"])),
            ("on one device", byte_text(found["whole_peak_bytes"])),
            ("arguments", byte_text(found["argument_bytes"])),
            ("replicated", byte_text(found["replicated_bytes"])),
            ("operations of a device", number(found["flops"])),
            ("sent by a device", byte_text(total["sent"])),
        ]
    )
    if found["collectives"]:
        yield f"<h2>Collectives</h2>{_collectives(found['collectives'])}"
    for kind, title in _KINDS:
        values = sorted((v for v in found["values"] if v["kind"] == kind), key=lambda v: -v["bytes"])
        if values:
            yield f"<h2>{title}</h2>{_values(values[:_VALUES])}"
        if len(values) > _VALUES:
            yield f'<p class="faint">{len(values) - _VALUES:,} smaller values</p>'
    notes = [f"line {each['line']}: {each['op']} {each['why']}" for each in found["undivided"]]
    if notes:
        listed = "".join(f"<li>{text(note)}</li>" for note in notes)
        yield f"<h2>On every device as a whole</h2><ul>{listed}</ul>"


def _collectives(rows: Sequence[Data]) -> str:
    heads = ("collective", "line", "scope", "axes", "times", "sent", "received", "time")
    cells = [
        (
            row["op"],
            row["line"],
            row["scope"],
            ", ".join(row["axes"]),
            row["times"],
            Cell(byte_text(row["sent"]), row["sent"]),
            Cell(byte_text(row["received"]), row["received"]),
            Cell("" if row["seconds"] is None else duration(row["seconds"]), row["seconds"] or 0),
        )
        for row in rows
    ]
    listed = table(heads, cells, caption="Collectives", sortable=len(cells) > 1)
    return f'<div class="scroll">{listed}</div>'


def _values(values: Sequence[Data]) -> str:
    heads = ("value", "type", "on a device", "bytes", "copies", "sharding", "devices")
    cells = [
        (
            *(Cell(words, html=f"<code>{text(words)}</code>") for words in _texts(value)),
            Cell(byte_text(value["bytes"]), value["bytes"]),
            Cell(str(value["copies"] or ""), value["copies"] or 0),
            value["sharding"] or "",
            Cell("", html=_grid(value)),
        )
        for value in values
    ]
    return f'<div class="scroll">{table(heads, cells, sortable=len(cells) > 1)}</div>'


def _texts(value: Data) -> tuple[str, str, str]:
    return value["name"], value["type"] or "", value["local_type"]


def _grid(value: Data) -> str:
    """Draw the shards of a value along the last two dimensions that are divided, with their devices."""
    slices = value["slices"]
    if not slices:
        return ""
    divided = [at for at in range(len(slices[0])) if len({each[at] for each in slices}) > 1][-2:]
    rows, columns = ([None, *divided] if len(divided) < 2 else divided)[-2:] if divided else (None, None)
    places: dict[tuple[int, int], list[int]] = {}
    order = [_starts(slices, at) for at in (rows, columns)]
    for device, held in enumerate(slices):
        place = tuple(
            0 if at is None else starts[held[at]] for at, starts in zip((rows, columns), order, strict=True)
        )
        places.setdefault((place[0], place[1]), []).append(device)
    parts = [_shard(place, devices) for place, devices in places.items() if max(place) < _CELLS]
    size = [min(max(place[at] for place in places) + 1, _CELLS) for at in range(2)]
    about = f"Shards of {value['name']}, with the devices that hold them"
    return frame(size[1] * _WIDTH + 2, size[0] * _HEIGHT + 2, about, parts)


def _starts(slices: Sequence[Any], dimension: int | None) -> dict[Any, int]:
    """Return the place of each slice of a dimension."""
    if dimension is None:
        return {}
    return {held: at for at, held in enumerate(sorted({each[dimension] for each in slices}))}


def _shard(place: tuple[int, int], devices: Sequence[int]) -> str:
    row, column = place
    x, y = column * _WIDTH + 1, row * _HEIGHT + 1
    listed = ", ".join(map(str, devices))
    words = listed if len(listed) <= 6 else f"{devices[0]} +{len(devices) - 1}"
    shard = box("shard", (x, y, _WIDTH - 2, _HEIGHT - 2), f"devices {listed}", rx=2)
    return shard + label(words, x + _WIDTH / 2 - 1, y + 13, "strong middle")
