"""Family P: dependencies on the tool, process or version that wrote a program."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from fnmatch import fnmatchcase

from stablehlo_py.artifacts.vhlo.versions import Need, needs
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, IntegerAttr, StringAttr, bounds
from stablehlo_py.ir.core import BlockArgument, Operation
from stablehlo_py.ir.locations import UnknownLoc
from stablehlo_py.ir.types import TensorType, Type, UnrankedTensorType
from stablehlo_py.linter.context import LintContext, in_all
from stablehlo_py.linter.rule import Finding
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.calls import is_call
from stablehlo_py.opset.definition import lookup

# Targets that JAX keeps compatible (families of kernels as patterns), and annotations that compilers know.
STABLE_TARGETS = [
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
    "xla.sdy.*",
    "Eigh",
    "Qr",
    "ProductOfElementaryHouseholderReflectors",
    "LuDecomposition",
    "ApproxTopK",
    "AllocateBuffer",
    "stablehlo.dynamic_*",
    "shape_assertion",
    "tf.call_tf_function",
    "tpu_custom_call",
    "mosaic_gpu_v2",
    "lapack_*_ffi",
    "cusolver_*_ffi",
    "cublas_*_ffi",
    "cusparse_*_ffi",
    "cu_*_ffi",
    "hip*_ffi",
    "*_lu_pivots_to_permutation",
]
_OWN_DIALECTS = frozenset(("stablehlo", "func", "builtin", "chlo"))
_OLD_BOUNDS = "#stablehlo.type_extensions<"


def custom_calls(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find custom calls whose target is not known to be stable."""
    allowed = (*STABLE_TARGETS, *settings.allowed_custom_calls)
    for op in context.having("external_call"):
        target = str(op.python_value("call_target_name"))
        is_of_dialect = target.partition(".")[0] in settings.allowed_dialects
        if not is_of_dialect and not any(fnmatchcase(target, pattern) for pattern in allowed):
            yield Finding(op, f"custom_call target @{target} is not portable")


def chlo_ops(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find CHLO ops."""
    for name, ops in context.kinds():
        if name.startswith("chlo."):
            yield Finding(ops[0], f"{name} is not a StableHLO op{in_all(ops)}")


def composites(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find composites."""
    for op in context.having("composite"):
        yield Finding(op, f"composite {op.python_value('name')} is not decomposed")


def foreign_dialects(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find ops of dialects that are not allowed."""
    allowed = {*_OWN_DIALECTS, *settings.allowed_dialects}
    for name, ops in context.kinds():
        dialect = name.partition(".")[0]
        if dialect not in allowed:
            yield Finding(ops[0], f"{name} is an op of dialect {dialect}{in_all(ops)}")


def deprecated_ops(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find deprecated ops."""
    for name, ops in context.kinds():
        definition = lookup(name)
        if definition is not None and definition.deprecated:
            for op in ops:
                yield Finding(op, f"{name} is deprecated", (f"use {definition.deprecated}",))


def old_spellings(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find text in the syntax of earlier releases."""
    # The fix changes nothing in the module: the printer writes the current syntax.
    module = context.module
    for offset, message in module.old_spellings:
        yield Finding(offset, message, fix=tuple)
    text, first = module.source.program, module.source.start
    if _OLD_BOUNDS in text:
        ends = {start: start + len(comment) for start, comment in module.comments}
        starts = sorted(ends)
        for match in re.finditer(re.escape(_OLD_BOUNDS), text):
            offset = first + match.start()
            before = bisect_right(starts, offset)
            if not before or offset >= ends[starts[before - 1]]:
                message = "#stablehlo.type_extensions<bounds = ...> is now spelled #stablehlo.bounds<...>"
                yield Finding(offset, message, fix=tuple)


# Dimensions


def dynamic_dimensions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find the origins of dynamic dimensions."""
    for place, name, type in _origins_of_dynamism(context):
        yield Finding(place, f"{name} : {type} has a dynamic dimension")


def unbounded_dimensions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find the origins of dynamic dimensions without a bound."""
    for place, name, type in _origins_of_dynamism(context):
        if _is_unbounded(type):
            yield Finding(place, f"{name} : {type} has an unbounded dimension")


def _origins_of_dynamism(context: LintContext) -> Iterator[tuple[Operation | BlockArgument, str, Type]]:
    """Yield the dynamic public arguments, and the ops with dynamic results and static operands."""
    for function in context.entries:
        for argument in function.entry_block.arguments:
            if _is_dynamic(argument.type):
                yield argument, str(argument), argument.type
    for op in context.ops:
        dynamic = [result for result in op.results if _is_dynamic(result.type)]
        if dynamic and not any(_is_dynamic(value.type) for value in op.operands) and not is_call(op):
            yield op, str(dynamic[0]), dynamic[0].type


def _is_dynamic(type: Type) -> bool:
    return isinstance(type, UnrankedTensorType) or (isinstance(type, TensorType) and not type.is_static)


def _is_unbounded(type: Type) -> bool:
    if not isinstance(type, TensorType):
        return True
    return any(size is None and bound is None for size, bound in zip(type.shape, bounds(type), strict=False))


# Locations and addresses


def missing_locations(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find ops without a location."""
    ops = [op for op in context.ops if not (op.is_module or op.is_function)]
    without = [op for op in ops if op.location is None or isinstance(op.location, UnknownLoc)]
    if without:
        yield Finding(without[0], f"{len(without)} of {counted(len(ops), 'op')} have no location")


_LIKE_AN_ADDRESS = re.compile(
    r"0x0{0,4}(?:7f|7e|5[56])[0-9a-f]{10}\b|\b\d{14,15}\b", re.IGNORECASE | re.ASCII
)
_USER_SPACE = range(0x5500_0000_0000, 0x8000_0000_0000)  # heaps, libraries and stacks on Linux


def pointers(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find attributes of custom calls that contain memory addresses."""
    for op in context.having("external_call"):
        for name in ("backend_config", "mhlo.backend_config"):
            found = _address_in(op.attribute(name))
            if found:
                target = op.python_value("call_target_name")
                yield Finding(
                    op, f"the {name} of custom_call @{target} contains a probable memory address, {found}"
                )


def _address_in(attribute: Attribute | None) -> str:
    """Return the probable memory address in an attribute; "" if there is none."""
    match attribute:
        case IntegerAttr(value):
            return hex(value) if value in _USER_SPACE else ""
        case StringAttr(value):
            return _address_in_text(value)
        case ArrayAttr(items):
            return next(filter(None, map(_address_in, items)), "")
        case DictAttr(entries):
            return next(filter(None, [_address_in(value) for _, value in entries]), "")
    return ""


def _address_in_text(text: str) -> str:
    for match in _LIKE_AN_ADDRESS.finditer(text):
        if int(match[0], 10 if match[0].isdigit() else 16) in _USER_SPACE:
            return match[0]
    if text.isprintable():
        return ""
    data = text.encode("utf-8", "surrogateescape")
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data) - 7, 8)]
    return next((hex(word) for word in words if word in _USER_SPACE), "")


# Versions


def newer_than_target(context: LintContext, settings: Settings) -> Iterator[Finding]:
    """Find ops, types and attributes that the target version does not support."""
    target = settings.target
    if target is None:
        return
    found: dict[str, list[Need]] = {}
    for need in needs(context.ops):
        if need.version[:2] > target[:2]:
            found.setdefault(need.what, []).append(need)
    for what, uses in found.items():
        message = f"{what} requires version {uses[0].version}, but the target is {target}{in_all(uses)}"
        yield Finding(uses[0].place, message)
