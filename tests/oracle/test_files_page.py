"""The calls for JAX in docs/exporting.md, and the commands of docs/files.md on what they write."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Shlo

pytest.importorskip("jax")
pytest.importorskip("flatbuffers", reason="jax.export writes no containers without flatbuffers")

CALLS = (ROOT / "docs/exporting.md").read_text()
PAGE = (ROOT / "docs/files.md").read_text()
BEFORE = """
from pathlib import Path
import numpy as np
import jax.numpy as jnp
f = lambda x: jnp.tanh(x) @ jnp.ones((3, 2))
x = np.arange(6, dtype=np.float32).reshape(2, 3)
"""
AFTER = """
np.save("x.npy", x)
np.save("expected.npy", f(x))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the calls write."""
    (calls,) = re.findall(r"^```python\n(# JAX\n.*?)^```", CALLS, re.MULTILINE | re.DOTALL)
    folder = tmp_path_factory.mktemp("page")
    subprocess.run([sys.executable, "-c", BEFORE + calls + AFTER], cwd=folder, check=True)
    return folder


def test_commands(written: Path, shlo: Shlo) -> None:
    (block,) = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    commands = [line[2:].partition("  #")[0].split() for line in block.splitlines()]
    ran = 0
    for _, *arguments in commands:
        if "folder" not in arguments:
            done = shlo(*arguments, cwd=written)
            assert done.returncode == 0, (arguments, done.stderr)
            ran += 1
    assert ran > 4


@pytest.mark.parametrize("name", ["exported.bin", "lowered.mlir"])
def test_results(name: str, written: Path, shlo: Shlo) -> None:
    done = shlo("run", name, "--input", "x.npy", "-o", "result.npy", cwd=written)
    assert done.returncode == 0, done.stderr
    expected = np.load(written / "expected.npy")
    np.testing.assert_allclose(np.load(written / "result.npy"), expected, rtol=1e-6)
