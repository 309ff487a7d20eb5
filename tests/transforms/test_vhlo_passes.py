"""The passes between StableHLO and VHLO: there, to other versions, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablehlo_py as shlo

MIXED = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  %1 = stablehlo.tan %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


def test_there_and_back(testdata: Path) -> None:
    """What is read back is what reading a portable artifact gives; text of VHLO is read as StableHLO."""
    module = shlo.load(testdata / "mlp.mlir")
    there = shlo.opt(module, ["stablehlo-legalize-to-vhlo"])
    assert {op.name.partition(".")[0] for op in there.walk() if not op.is_module} == {"vhlo"}
    read = shlo.format(shlo.parse(shlo.serialize(module)))
    assert shlo.format(shlo.opt(there, ["stablehlo-deserialize"])) == read
    assert shlo.format(shlo.parse(shlo.format(there))) == read


def test_versions(testdata: Path) -> None:
    there = shlo.opt(
        shlo.load(testdata / "mlp.mlir"), ["stablehlo-legalize-to-vhlo", "vhlo-to-version=target=1.0.0"]
    )
    names = {op.name for op in there.walk()}
    assert "vhlo.dot_general_v1" in names
    assert "vhlo.dot_general_v2" not in names


def test_what_an_old_version_lacks_is_an_error() -> None:
    module = shlo.parse(MIXED.replace("chlo.erf %x : tensor<2xf32> ->", "stablehlo.tan %x :"))
    there = shlo.opt(module, ["stablehlo-legalize-to-vhlo"])
    with pytest.raises(shlo.TransformError, match=r"tan.* needs StableHLO 1\.4\.0"):
        shlo.opt(there, ["vhlo-to-version=target=1.0.0"])
    with pytest.raises(ValueError, match="invalid version"):
        shlo.opt(there, ["vhlo-to-version=target=one"])


def test_other_dialects() -> None:
    """They are refused, or stay, with casts around them."""
    module = shlo.parse(MIXED)
    with pytest.raises(shlo.TransformError, match=r"chlo\.erf is of the dialect chlo"):
        shlo.opt(module, ["stablehlo-legalize-to-vhlo"])
    there = shlo.opt(module, ["stablehlo-legalize-to-vhlo=allow-other-dialects"])
    names = [op.name for op in there.walk()]
    assert names.count("builtin.unrealized_conversion_cast") == 2
    assert "chlo.erf" in names
    assert shlo.format(shlo.opt(there, ["vhlo-legalize-to-stablehlo"])) == shlo.format(module)


def test_other_dialects_stay_in_a_version_that_has_them() -> None:
    module = shlo.parse(MIXED)
    there = shlo.opt(module, ["stablehlo-legalize-to-vhlo=allow-other-dialects"])
    again = shlo.opt(there, ["vhlo-to-version=target=1.11.0"])
    assert "chlo.erf" in {op.name for op in again.walk()}
    with pytest.raises(shlo.TransformError, match=r"another dialect, which needs StableHLO 1\.11\.0"):
        shlo.opt(there, ["vhlo-to-version=target=1.10.0"])
