"""The gate that compares this package with upstream's definitions lists what is missing, and no more.

The files below have the form of upstream's and state a few of its definitions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.ir.version import Version
from stablehlo_py.opset import definition
from stablehlo_py.opset.definition import Attr, OpDef, Operand, lookup

sys.path.append(str(Path(__file__).parent / "gates"))

import tablegen
import upstream

NAME = "stablehlo.collective_broadcast"
FILES = {
    "Version.h": """
class Version { // one of VHLO
  static Version getCurrentVersion() { return Version(1, 20, 0); }
  static Version getMinimumVersion() { return Version(0, 9, 0); }
};""",
    "Version.cpp": """
  if (*this < Version(0, 9, 0)) return failure();
  if (*this < Version(0, 10, 0)) return 0;
  if (*this < Version(0, 12, 0)) return 1;
  if (*this < Version(0, 14, 0)) return 3;
  if (*this < Version(0, 15, 0)) return 4;  // not 5
  if (*this <= getCurrentVersion()) return 6;
    case CompatibilityRequirement::WEEK_4:
      return Version(1, 18, 0);  // anchor
    case CompatibilityRequirement::WEEK_12:
      return Version(1, 16, 2);
""",
    "VhloDialect.td": """
def VHLO_Dialect : Dialect {
  let description = [{
    Version log:
      1.19.0: Another op.
      1.20.0: A root that is chosen at run time.
  }];
}""",
    "Base.td": """
#ifndef BASE
class HLO_Trait<string name> : Trait<name> { string description = [{ def Nothing : StableHLO_Op<"no">; }]; }
def HLO_Tensor : AnyTypeOf<[AnyTensor, HLO_Quantized], "a tensor">;
#endif // BASE""",
    "StablehloTypes.td": 'def StableHLO_Token : TypeDef<StableHLO_Dialect, "Token", []>;',
    "StablehloEnums.td": "",
    "StablehloAttrs.td": """
def StableHLO_ChannelHandle : AttrDef<StableHLO_Dialect, "ChannelHandle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}
def StableHLO_ReplicaGroups : AnyAttrOf<[I64ElementsAttr, StableHLO_MeshAxes]>;""",
    "StablehloOps.td": """
class StableHLO_Op<string mnemonic, list<Trait> traits = []> : Op<StableHLO_Dialect, mnemonic, traits> {
  let summary = "an op: of \\"StableHLO\\"; it has a }";
}
class StableHLO_Unary<string name, list<Trait> more, Type Input, Type Output = Input> :
    StableHLO_Op<name, more # [Elementwise]> {
  let arguments = (ins Input:$operand);
  let results = (outs Output:$result);
}
/* def StableHLO_Old : StableHLO_Op<"old">; */
def StableHLO_AbsOp: StableHLO_Unary<"abs", [DeclareOpInterfaceMethods<InferTypeOpInterface, ["a", "b"]>],
    RankedTensorOf<[HLO_SInt, HLO_Float] /* abs_i1 */>, RankedTensorOf<[HLO_Float]>>;
def StableHLO_TanOp: StableHLO_Unary<"tan", [], HLO_Tensor> {
  let arguments = (ins HLO_Tensor:$operand,
    DefaultValuedOptionalAttr<StableHLO_ResultAccuracyAttr, "::Mode::DEFAULT">:$result_accuracy);
}
def StableHLO_CollectiveBroadcastOp : StableHLO_Op<"collective_broadcast", []> {
  let arguments = (ins
    Variadic<HLO_Tensor>:$operands, /*collective_broadcast_i1*/
    StableHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandle>:$channel_handle,
    UnitAttr:$has_dynamic_root
  );
  let results = (outs Variadic<HLO_Tensor>);
}
def StableHLO_IfOp: StableHLO_Op<"if", []> {
  let arguments = (ins HLO_Tensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
}""",
    "ChloEnums.td": "",
    "ChloOps.td": """
class CHLO_Op<string mnemonic> : Op<CHLO_Dialect, mnemonic, []>;
def CHLO_ErfOp : CHLO_Op<"erf"> { let arguments = (ins HLO_Tensor:$operand); }""",
    "VhloEnums.td": """
def VHLO_DIRECTION_UNIFORM : I32EnumAttrCase<"UNIFORM", 1>;
def VHLO_DIRECTION_NORMAL : I32EnumAttrCase<"NORMAL", 2>;
class VHLO_I32EnumAttr<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, name, cases>;
def VHLO_RngV1 : VHLO_I32EnumAttr<"RngDistributionV1", [VHLO_DIRECTION_UNIFORM, VHLO_DIRECTION_NORMAL]> {}
def VHLO_RngAttrV1 : VHLO_EnumAttr<VHLO_RngV1, "rng_distribution_v1", "0.9.0", "current">;""",
    "VhloAttrs.td": """
def VHLO_MeshV1Attr : VHLO_AttrDef<"MeshV1", "1.16.0", "current"> { let mnemonic = "mesh_v1"; }""",
    "VhloTypes.td": """
def VHLO_BooleanV1 : VHLO_TypeDef<"BooleanV1", "bool_v1", "0.9.0", "current">;
def VHLO_FutureV1 : VHLO_TypeDef<"FutureV1", "future_v1", "1.15.0", "current", [Trait<[{ < }]>]> {}""",
    "VhloOps.td": """
class VHLO_Op<string mnemonic, string minVersion, string maxVersion> : Op<VHLO_Dialect, mnemonic, []> {
  let extraClassDefinition = [{ return Version(}] # !subst(".", ", ", minVersion) # [{); }];
}
def VHLO_AbsOpV1 : VHLO_Op<"abs_v1", "0.9.0", "current"> { let arguments = (ins VHLO_AnyType:$operand); }
def VHLO_TanOpV2 : VHLO_Op<"tan_v2", "1.10.0", "current"> {
  let arguments = (ins VHLO_AnyType:$operand, VHLO_AnyAttr:$result_accuracy);
}
def VHLO_CollectiveBroadcastOpV1 : VHLO_Op<"collective_broadcast_v1", "0.16.0", "1.19.0"> {
  let arguments = (ins VHLO_AnyType:$operand, VHLO_AnyAttr:$replica_groups, VHLO_AnyAttr:$channel_id);
}
def VHLO_CollectiveBroadcastOpV2 : VHLO_Op<"collective_broadcast_v2", "1.20.0", "current"> {
  let arguments = (ins
    Variadic<VHLO_AnyType>:$operands,
    VHLO_AnyAttr:$replica_groups,
    VHLO_AnyAttr:$channel_id,
    VHLO_AnyAttr:$has_dynamic_root
  );
}""",
}


def checkout(folder: Path, name: str = "", before: str = "", after: str = "") -> Path:
    """Write the files, with one change of the file of a name."""
    place = folder / "stablehlo" / "dialect"
    place.mkdir(parents=True)
    for file, text in FILES.items():
        (place / file).write_text(text.replace(before, after) if file == name else text)
    assert not name or before in FILES[name]
    return folder


def lines(folder: Path) -> list[str]:
    return upstream.news(folder) + upstream.lacking(upstream.stated_upstream(folder), upstream.stated_here())


@pytest.fixture
def without_1_20(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package as it was before StableHLO 1.20, which changed one op."""
    newest = lookup(NAME)
    assert newest is not None
    attributes = [
        each for each in newest.inputs if isinstance(each, Attr) and each.name != "has_dynamic_root"
    ]
    operand = Operand("operand", newest.operands[0].type)
    older: OpDef = replace(
        newest,
        inputs=(operand, *attributes),
        revisions=tuple([each for each in newest.revisions if each.since != "1.20.0"]),
    )
    monkeypatch.setitem(definition._registry, NAME, older)
    monkeypatch.setattr(upstream, "CURRENT", Version(1, 19))
    forms_of.cache_clear()
    yield
    forms_of.cache_clear()


def test_nothing_is_missing(tmp_path: Path) -> None:
    assert lines(checkout(tmp_path)) == []


def test_the_newest_version_is_listed(tmp_path: Path, without_1_20: None) -> None:
    assert lines(checkout(tmp_path)) == [
        "1.20.0: A root that is chosen at run time.",
        "the current version: 1.20.0; here 1.19.0",
        "op stablehlo.collective_broadcast: "
        "operands (*), attributes (channel_handle, has_dynamic_root, replica_groups), 0 regions; "
        "here operands (1), attributes (channel_handle, replica_groups), 0 regions",
        "op vhlo.collective_broadcast_v2: since 1.20.0, channel_id, has_dynamic_root, replica_groups; "
        "here it is missing",
    ]


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("Version.cpp", "1, 18, 0", "1, 19, 0", "the version WEEK_4: 1.19.0; here 1.18.0"),
        ("Version.cpp", "return 6", "return 7", "the bytecode since 0.15.0: 7; here 6"),
        ("VhloDialect.td", "1.20.0:", "1.21.0:", "1.21.0: A root that is chosen at run time."),
        (
            "VhloOps.td",
            '"tan_v2", "1.10.0"',
            '"tan_v3", "1.21.0"',
            "op vhlo.tan_v3: since 1.21.0, result_accuracy; here it is missing",
        ),
        (
            "VhloOps.td",
            "VHLO_AnyAttr:$result_accuracy",
            "VHLO_AnyAttr:$accuracy",
            "op vhlo.tan_v2: since 1.10.0, accuracy; here since 1.10.0, result_accuracy",
        ),
        ("VhloTypes.td", '"future_v1"', '"i3_v1"', "type vhlo.i3_v1: since 1.15.0; here it is missing"),
        ("VhloAttrs.td", '"1.16.0"', '"1.17.0"', "attribute vhlo.mesh_v1: since 1.17.0; here since 1.16.0"),
        (
            "VhloEnums.td",
            "_NORMAL]",
            "_NORMAL, VHLO_DIRECTION_UNIFORM]",
            "attribute vhlo.rng_distribution_v1: since 0.9.0, UNIFORM, NORMAL, UNIFORM; "
            "here since 0.9.0, UNIFORM, NORMAL",
        ),
        (
            "StablehloOps.td",
            '"abs",',
            '"absolute",',
            "op stablehlo.absolute: operands (1), attributes (), 0 regions; here it is missing",
        ),
        (
            "StablehloOps.td",
            ", SizedRegion<1>:$false_branch",
            "",
            "op stablehlo.if: operands (1), attributes (), 1 regions; "
            "here operands (1), attributes (), 2 regions",
        ),
        (
            "ChloOps.td",
            '"erf"',
            '"erfd"',
            "op chlo.erfd: operands (1), attributes (), 0 regions; here it is missing",
        ),
    ],
)
def test_each_kind_of_addition(tmp_path: Path, name: str, before: str, after: str, expected: str) -> None:
    assert lines(checkout(tmp_path, name, before, after)) == [expected]


def test_values_come_from_the_nearest_class() -> None:
    table = tablegen.Table([FILES["StablehloOps.td"]])
    record = table.records["StableHLO_AbsOp"]
    name, traits = table.arguments(record, "StableHLO_Op") or ([], [])
    assert name == ['"abs"']
    assert "".join(traits) == '[DeclareOpInterfaceMethods<InferTypeOpInterface,["a","b"]>]#[Elementwise]'
    assert table.arguments(record, "CHLO_Op") is None
    assert tablegen.entries(table.value(record, "arguments")) == [(["Input", ":"], "operand")]
    assert table.value(record, "regions") == []
