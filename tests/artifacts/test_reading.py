"""Binary programs are read as C++ reads them.

The files are jaxlib 0.10.2's, of each version of the bytecode and of several of StableHLO; beside each is the
text that jaxlib prints after reading it, with locations where that text has them.
"""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.vhlo.forms import form, forms_of
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.syntax.printer import format_module

FILES = sorted(path for path in (Path(__file__).parent / "files").iterdir() if path.suffix != ".mlir")
PLAIN = Path(__file__).parent / "files" / "hand_misc_attrs.plain.bc"
EXPORTED = Path(__file__).parent / "files" / "jexp_mlp_vjp2.jax_export"


def expected_of(path: Path) -> str:
    return Path(f"{path}.mlir").read_text().rstrip("\n")


def text_of(module: shlo.Module, locations: bool) -> str:
    return format_module(module, canonical=True, locations=locations).rstrip("\n")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_is_read_as_by_jaxlib(path: Path) -> None:
    expected = expected_of(path)
    assert text_of(shlo.load(path), "loc(" in expected) == expected


@pytest.mark.parametrize("path", [PLAIN, EXPORTED], ids=lambda path: path.name)
def test_gzip_is_unpacked(path: Path, tmp_path: Path) -> None:
    packed = tmp_path / "program"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert shlo.format(shlo.load(packed)) == shlo.format(shlo.load(path))


def test_packed_text_is_read(tmp_path: Path) -> None:
    text = "func.func @main() {\n  return\n}\n"
    assert shlo.format(shlo.parse(gzip.compress(text.encode()))) == shlo.format(shlo.parse(text))


def test_bytes_of_text_are_text() -> None:
    assert list(shlo.parse(b"func.func @main() { return }").functions) == ["main"]


def test_gradient_of_a_container() -> None:
    module = shlo.load(EXPORTED, vjp=1)
    assert len(module.functions["main"].regions[0].block.arguments) == 6  # five arguments and a cotangent
    assert shlo.verify(module) == []
    with pytest.raises(shlo.ParseError, match="3 nested gradients, found 2"):
        shlo.load(EXPORTED, vjp=3)
    with pytest.raises(shlo.ParseError, match=r"expected a jax\.export container"):
        shlo.load(PLAIN, vjp=1)


def test_fields_of_a_container() -> None:
    fields = shlo.load(EXPORTED).container
    assert fields["kind"] == "jax.export container"
    assert fields["producer"] == "StableHLO_v1.15.0"
    assert fields["platforms"] == ["cpu"]
    assert fields["in_avals"] == ["float32[4,8]", "float32[8]", "float32[8,2]", "float32[2]", "float32[3,4]"]
    assert fields["in_tree"] == "PyTreeDef((([(*, *), (*, *)], *), {}))"
    assert fields["module_kept_var_idx"] == [0, 1, 2, 3, 4]
    assert fields["has_vjp"]
    assert shlo.parse("").container == {}


def test_positions_are_those_of_the_printed_text() -> None:
    module = shlo.load(PLAIN)
    lines = module.source.text.split("\n")
    for op in module.walk():
        line, column = module.position(op)
        mnemonic = op.name.removeprefix("func.").removeprefix("builtin.")
        assert lines[line - 1][column - 1 :].lstrip('"').startswith(mnemonic), op
    assert module.source.text == shlo.format(module)


def test_constant_is_a_view_of_the_file() -> None:
    data = PLAIN.read_bytes()
    file = np.frombuffer(data, np.uint8)
    constants = [
        attribute.data
        for op in shlo.parse(data).walk()
        for attribute in op.properties.values()
        if isinstance(attribute, DenseElementsAttr) and attribute.data.dtype.kind != "b"
    ]
    assert constants
    assert all(np.shares_memory(file, elements) and not elements.flags.writeable for elements in constants)


# Facts of upstream's VHLO: a form's name, the version that introduced it, and what it stores.
@pytest.mark.parametrize(
    ("name", "since", "attributes"),
    [
        ("vhlo.add_v1", "0.9.0", ""),
        ("vhlo.tan_v1", "1.4.0", ""),
        ("vhlo.tan_v2", "1.10.0", "result_accuracy"),
        ("vhlo.call_v1", "0.9.0", "callee"),
        ("vhlo.func_v1", "0.9.0", "arg_attrs function_type res_attrs sym_name sym_visibility"),
        ("vhlo.all_reduce_v1", "0.9.0", "channel_id replica_groups use_global_device_ids"),
        ("vhlo.all_reduce_v2", "1.5.0", "channel_id replica_groups use_global_device_ids"),
        ("vhlo.collective_broadcast_v1", "0.16.0", "channel_id replica_groups"),
        ("vhlo.collective_broadcast_v2", "1.20.0", "channel_id has_dynamic_root replica_groups"),
        ("vhlo.send_v1", "0.9.0", "channel_id channel_type is_host_transfer"),
        ("vhlo.send_v2", "1.12.0", "channel_id channel_type is_host_transfer source_target_pairs"),
        (
            "vhlo.gather_v1",
            "0.9.0",
            "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
            "start_index_map",
        ),
        (
            "vhlo.dot_general_v1",
            "0.9.0",
            "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
            "rhs_contracting_dimensions",
        ),
    ],
)
def test_form_of_an_op(name: str, since: str, attributes: str) -> None:
    found = form(name)
    assert found is not None
    assert (str(found.since), " ".join(found.attributes)) == (since, attributes)


def test_forms_are_in_order() -> None:
    assert [found.name for found in forms_of("stablehlo.dynamic_conv")] == [
        "vhlo.dynamic_conv_v1",
        "vhlo.dynamic_conv_v2",
    ]
    assert "padding" in forms_of("stablehlo.dynamic_conv")[0].attributes
    assert forms_of("chlo.erf") == ()


def test_a_large_constant_is_a_view_of_the_file() -> None:
    size = 1 << 20
    text = f'func.func @main() {{\n%0 = stablehlo.constant dense<"0x{"0123456789ABCDEF" * (size // 2)}"> : '
    data = shlo.serialize(shlo.parse(f"{text}tensor<{size}xf32>\nreturn\n}}"), "bytecode")
    tracemalloc.start()
    module = shlo.parse(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (constant,) = [op for op in module.walk() if op.name == "stablehlo.constant"]
    value = constant.properties["value"]
    assert isinstance(value, DenseElementsAttr)
    assert np.shares_memory(value.data, np.frombuffer(data, np.uint8))
    assert peak < size, "a quarter of the bytes of the elements"
