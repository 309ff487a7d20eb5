"""The rows of all dialects, by dialect and code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stablehlo_py.artifacts.dialects import builtin, quant, sdy, stablehlo, vhlo
from stablehlo_py.artifacts.dialects.rows import Row


def _by_code(rows: Iterable[Row]) -> Mapping[int, Row]:
    return {row.code: row for row in rows}


ATTRIBUTES: Mapping[str, Mapping[int, Row]] = {
    "builtin": _by_code(builtin.ATTRIBUTES),
    "stablehlo": _by_code(stablehlo.ATTRIBUTES),
    "chlo": _by_code(stablehlo.CHLO_ATTRIBUTES),
    "sdy": _by_code(sdy.ATTRIBUTES),
    "vhlo": _by_code(vhlo.ATTRIBUTES),
}
TYPES: Mapping[str, Mapping[int, Row]] = {
    "builtin": _by_code(builtin.TYPES),
    "stablehlo": _by_code(stablehlo.TYPES),
    "mhlo": _by_code(stablehlo.MHLO_TYPES),
    "quant": _by_code(quant.TYPES),
    "vhlo": _by_code(vhlo.TYPES),
}
