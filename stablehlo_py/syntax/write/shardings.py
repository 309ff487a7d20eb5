"""Printing of shardings: Shardy's structures, without names that are implied.

`<["x"=2]>` for a mesh, `<@mesh, [{"x"}, {?}]>` for a sharding, `[{"x"}, {}]` for lists of axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stablehlo_py.ir.attributes import StructAttr, SymbolRefAttr
from stablehlo_py.syntax.write.attributes import quoted, symbol
from stablehlo_py.syntax.write.types import dims_text


def sharding_text(attribute: StructAttr) -> str:
    """Return the text of a structure of Shardy, without its name."""
    return _WRITERS[attribute.name](attribute)


def named_sharding_text(attribute: StructAttr) -> str:
    """Return `#sdy.mesh<...>`, or `#sdy<manual_axes{...}>` for a body without angle brackets."""
    body = sharding_text(attribute)
    dialect, _, mnemonic = attribute.name.partition(".")
    return f"#{attribute.name}{body}" if body[0] == "<" else f"#{dialect}<{mnemonic}{body}>"


def _list(items: Iterable[StructAttr]) -> str:
    return ", ".join([sharding_text(item) for item in items])


def _mesh(mesh: StructAttr) -> str:
    ids = f", device_ids={dims_text(mesh['device_ids'])}" if mesh["device_ids"] else ""
    return f"<[{_list(mesh['axes'])}]{ids}>"


def _part(info: StructAttr) -> str:
    return f"({info['pre_size']}){info['size']}"


def _axis(axis: StructAttr) -> str:
    part = axis["sub_axis_info"]
    return quoted(axis["name"]) + (f":{_part(part)}" if part else "")


def _dimension(dimension: StructAttr) -> str:
    entries = [sharding_text(axis) for axis in dimension["axes"]] + ["?"] * (not dimension["is_closed"])
    priority = "" if dimension["priority"] is None else f"p{dimension['priority']}"
    return f"{{{', '.join(entries)}}}{priority}"


def _sharding(sharding: StructAttr) -> str:
    mesh, reduction = sharding["mesh_or_ref"], sharding["reduction_op"]
    shown = symbol(mesh.root) if isinstance(mesh, SymbolRefAttr) else f"mesh{sharding_text(mesh)}"
    text = f"<{shown}, [{_list(sharding['dim_shardings'])}]"
    if sharding["replicated_axes"]:
        text += f", replicated={{{_list(sharding['replicated_axes'])}}}"
    if sharding["unreduced_axes"]:
        word = "" if reduction == "sum" else reduction
        text += f", unreduced={word}{{{_list(sharding['unreduced_axes'])}}}"
    return text + ">"


def _param(param: StructAttr) -> str:
    return f"{{{_list(param['axes'])}}}: {param['src_dim']}->{param['tgt_dim']}"


_WRITERS: dict[str, Callable[[StructAttr], str]] = {
    "sdy.mesh": _mesh,
    "sdy.mesh_axis": lambda axis: f"{quoted(axis['name'])}={axis['size']}",
    "sdy.sub_axis_info": _part,
    "sdy.axis_ref": _axis,
    "sdy.axis_ref_list": lambda axes: f"{{{_list(axes['value'])}}}",
    "sdy.list_of_axis_ref_lists": lambda lists: f"[{_list(lists['value'])}]",
    "sdy.manual_axes": lambda axes: f"{{{', '.join(map(quoted, axes['value']))}}}",
    "sdy.dimension_sharding": _dimension,
    "sdy.sharding": _sharding,
    "sdy.sharding_per_value": lambda values: f"<[{_list(values['shardings'])}]>",
    "sdy.all_to_all_param": _param,
    "sdy.all_to_all_param_list": lambda params: f"[{_list(params['value'])}]",
}
