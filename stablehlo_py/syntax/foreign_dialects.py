"""What to do about ops that have no definition here."""

from __future__ import annotations

NEWER = "the program may be newer than this release; allow_newer (--allow-newer) accepts the op as opaque"

_EXPORT = "export the model to StableHLO instead, for example with jax.export or torch_xla"
# Dialects that are often mistaken for StableHLO.
_CONVERTED = {
    "mhlo": "convert the program with `mlir-hlo-opt --hlo-legalize-to-stablehlo`",
    "torch": "convert the program with `torch-mlir-opt --torch-backend-to-stablehlo-backend-pipeline`",
    **dict.fromkeys(("tosa", "linalg", "onnx", "tf", "tfl", "hlo", "xla"), _EXPORT),
}


def advice(name: str) -> list[str]:
    """Return what to do with a program that has an op of another compiler; [] for other ops."""
    dialect = name.partition(".")[0]
    if dialect not in _CONVERTED:
        return []
    return [f"{dialect} is another dialect than StableHLO; {_CONVERTED[dialect]}"]
