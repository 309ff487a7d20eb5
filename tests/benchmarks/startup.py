"""What starting the command line takes, beside importing what it depends on.

    python tests/benchmarks/startup.py [RUNS]

Prints the best time of `shlo verify` on a ten-line file, that of importing NumPy, click, rich and Lark, and
the ratio. Measure an installed wheel on a quiet machine.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).parent.parent / "testdata" / "mismatch.mlir"
COMMAND = "from stablehlo_py.cli.main import main; main()"


def seconds(code: str, *arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-Pc", code, *arguments], check=False, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    pairs = [
        (seconds(COMMAND, "verify", str(PROGRAM)), seconds("import numpy, click, rich, lark"))
        for _ in range(runs)
    ]
    verify, imports = (min(column) for column in zip(*pairs, strict=True))
    print(f"verify {verify:.3f} s, imports {imports:.3f} s, ratio {verify / imports:.2f}")


if __name__ == "__main__":
    main()
