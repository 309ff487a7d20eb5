"""Machine code for processors of fewer instructions than this one has gives the same results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native import linking

HERE = Path(__file__).parent
PROCESSORS = {  # features that they do not have
    "haswell": "avx512 amx avxvnni avxifma avxneconvert",
    "x86-64-v2": "avx amx f16c fma bmi gfni vaes vpclmulqdq",
}


@pytest.mark.slow
@pytest.mark.skipif(not linking.links_here(), reason="the processors are x86-64")
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize(
    "tests", ["test_every_op", "test_products", "test_convolutions", "test_quantized_elements"]
)
def test_values_on(processor: str, tests: str, tmp_path: Path) -> None:
    """Every op, products, and convolutions in rows."""
    environment = {
        **os.environ,
        "SHLO_TEST_CPU": processor,
        "SHLO_TEST_WITHOUT": PROCESSORS[processor],
        "SHLO_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")])),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "other_processor"]
    command += ["-m", "not slow", str(HERE / f"{tests}.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
