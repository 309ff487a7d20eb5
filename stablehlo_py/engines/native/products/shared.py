"""Shared functions: code that is the same for all programs, compiled once on a machine and kept by itself.

The name of a function says what it is: `@product.TYPE`, `@tile.TYPE.ROWS.LAYOUT` or the same with
`@packing`. Those of `runtime_code.py` are one module.
"""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.products.macro_kernel import PARAMETERS, macro_kernel
from stablehlo_py.engines.native.products.tiles import Registers, Tile, kind_of, micro_kernel
from stablehlo_py.engines.native.runtime_code import runtime_module

_PRODUCT, _TILE, _PACKING = "@product", "@tile", "@packing"
_TILE_TYPES = "ptr, ptr, ptr, i64, i64, i64, ptr"
RUNTIME_MODULE = "@runtime"
_LAYOUTS = {"rows": True, "terms": False}  # which of them are contiguous in a packed block


def product_function(b: Builder, type: str) -> str:
    """Declare the macro-kernel of a type; return its name."""
    types = ", ".join([*["ptr"] * len(PARAMETERS), "i64", "i64"])
    return _declared(b, f"{_PRODUCT}.{type}", types)


def tile_function(b: Builder, type: str, rows: int, rows_inner: bool) -> str:
    """Declare the micro-kernel of a tile; return its name."""
    return _declared(b, _tile_name(_TILE, type, rows, rows_inner), f"{_TILE_TYPES}, i64")


def packing_function(b: Builder, type: str, rows: int, rows_inner: bool) -> str:
    """Declare the micro-kernel of a tile that packs the right factor; return its name."""
    return _declared(b, _tile_name(_PACKING, type, rows, rows_inner), _TILE_TYPES)


def _tile_name(family: str, type: str, rows: int, rows_inner: bool) -> str:
    return f"{family}.{type}.{rows}.{'rows' if rows_inner else 'terms'}"


def _declared(b: Builder, name: str, types: str) -> str:
    b.declarations.setdefault(name, f"declare void {name}({types})")
    return name


def is_shared(name: str) -> bool:
    """Test whether a name is that of a shared function."""
    return name.partition(".")[0] in (_PRODUCT, _TILE, _PACKING)


def is_micro_kernel(name: str) -> bool:
    """Test whether a name is that of a tile's function."""
    return name.partition(".")[0] in (_TILE, _PACKING)


def shared_module(name: str, machine: Registers) -> str:
    """Write the module of a shared function."""
    if name == RUNTIME_MODULE:
        return runtime_module()
    family, type, *rest = name.split(".")
    kind = kind_of(machine, type)
    if family == _PRODUCT:
        return macro_kernel(name, kind)
    rows, layout = rest
    return micro_kernel(name, Tile(kind, int(rows), _LAYOUTS[layout]), family == _PACKING)
