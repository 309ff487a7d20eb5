"""Dimension numbers of convolutions: fields in protobuf and StableHLO, labels in HLO (`bf0_0io->bf0`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SIDES = (  # the name of each side, and the names and labels of its two dimensions that are not spatial
    ("input", ("batch", "feature"), "bf"),
    ("kernel", ("input_feature", "output_feature"), "io"),
    ("output", ("batch", "feature"), "bf"),
)


def labels(text: str) -> list[dict[str, int]]:
    """Return the dimensions of operands and result by label."""
    left, _, right = text.partition("_")
    kernel, _, out = right.partition("->")
    return [{label: n for n, label in enumerate(part)} for part in (left, kernel, out)]


def dimension_numbers(text: str) -> dict[str, Any]:
    """Return the fields of labels: `input_batch_dimension` and others."""
    found: dict[str, Any] = {}
    for (side, names, letters), places in zip(SIDES, labels(text), strict=True):
        found |= {f"{side}_{name}_dimension": places[x] for name, x in zip(names, letters, strict=True)}
        found[f"{side}_spatial_dimensions"] = [places[str(n)] for n in range(len(places) - 2)]
    return found


def labels_text(fields: Mapping[str, Any]) -> str:
    """Return the labels of fields."""
    sides = []
    for side, names, letters in SIDES:
        places = {fields[f"{side}_{name}_dimension"]: x for name, x in zip(names, letters, strict=True)}
        places |= {place: str(n) for n, place in enumerate(fields[f"{side}_spatial_dimensions"])}
        sides.append("".join(places[place] for place in sorted(places)))
    return f"{sides[0]}_{sides[1]}->{sides[2]}"
