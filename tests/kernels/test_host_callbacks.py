"""Host callbacks of exported programs: skipped, or unsupported where results depend on them."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunWarning

FORMS = ("xla_python", "xla_ffi_python", "xla_ffi_partitioned_python")


def program(target: str, result: str) -> str:
    return (
        "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
        f'  %0 = "stablehlo.custom_call"(%a) {{call_target_name = "{target}", has_side_effect = true}} '
        f": (tensor<f32>) -> {result}\n  return %a : tensor<f32>\n}}"
    )


@pytest.mark.parametrize("platform", ["cpu", "gpu"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("result", ["tuple<>", "!stablehlo.token"])
def test_without_results(form: str, platform: str, result: str) -> None:
    module = shlo.parse(program(f"{form}_{platform}_callback", result))
    with pytest.warns(RunWarning, match="skipped a host callback"):
        found = shlo.run(module, [np.float32(2)])
    assert found == [2.0]


def test_with_results() -> None:
    with pytest.raises(shlo.Unsupported, match="host callback with results"):
        shlo.run(shlo.parse(program("xla_python_cpu_callback", "tensor<f32>")), [np.float32(2)])
