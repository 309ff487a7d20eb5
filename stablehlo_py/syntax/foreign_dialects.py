"""What to do about ops that have no definition here."""

from __future__ import annotations

NEWER = "the program may be newer than this release; allow_newer (--allow-newer) accepts the op as opaque"
NEWER_FORM = f"{NEWER}, in its generic form"  # of an op in a pretty form
MAY_BE_NEWER = "the program may be newer than this release"  # of what no option accepts
UNREGISTERED = (
    "allow_unregistered (--allow-unregistered) accepts ops of other dialects, in their generic form"
)

_EXPORT = "export the model to StableHLO instead, for example with jax.export or torch_xla"
_OTHER_SOURCES = ("tosa", "linalg", "onnx", "krnl", "tf", "tfl", "hlo", "xla", "torch_c", "tcp")
_COMPILED = (
    "affine", "amdgpu", "bufferization", "emitc", "flow", "gpu", "hal", "llvm", "lmhlo", "memref", "nvgpu",
    "nvvm", "rocdl", "spirv", "stream", "tt", "ttg", "ttir", "vector", "xla_cpu", "xla_gpu",
)  # fmt: skip
# Dialects that are often mistaken for StableHLO, or that it is compiled to.
_CONVERTED = {
    "mhlo": "convert the program with `mlir-hlo-opt --hlo-legalize-to-stablehlo`",
    "torch": "convert the program with `torch-mlir-opt --torch-backend-to-stablehlo-backend-pipeline`",
    **dict.fromkeys(_OTHER_SOURCES, _EXPORT),
    **dict.fromkeys(_COMPILED, "a program that is compiled further cannot be read; give it as it was before"),
}


def advice(name: str) -> list[str]:
    """Return what to do with a program that has an op of another compiler; [] for other ops."""
    dialect = name.partition(".")[0]
    if dialect not in _CONVERTED:
        return []
    return [f"{dialect} is another dialect than StableHLO; {_CONVERTED[dialect]}"]
