"""How the costs of commands and requests grow with programs: the exponent of CPU time and of memory.

    python tests/benchmarks/growth.py                          # every command, request and shape; hours
    python tests/benchmarks/growth.py --only verify,hover --shapes chain,blocks

Each command runs in a process; `generate` and `fuzz` draw programs of so many operations. The exponent of a
cost c between sizes n and k n is log((c(k n) - c(0)) / (c(n) - c(0))) / log(k), where c(0) is the cost of a
program of a few operations. The exit status is 1 if an exponent exceeds 1.15.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from shapes import SHAPES

LARGEST = 1.15
SIZES = (1_000, 10_000, 100_000)
SMALL = 10
COMMANDS: dict[str, tuple[str, ...]] = {
    "verify": ("verify", "IN"),
    "lint": ("lint", "IN"),
    "fmt": ("fmt", "--check", "IN"),
    "fmt --canonical": ("fmt", "--canonical", "--generic", "--check", "IN"),
    "fmt --diff": ("fmt", "--diff", "IN"),
    "inspect": ("inspect", "IN"),
    "run": ("run", "IN", "--random", "0", "--engine", "numpy"),
    "run native": ("run", "IN", "--random", "0", "--engine", "native"),
    "opt canonicalize": ("opt", "-p", "canonicalize", "IN", "-o", "OUT"),
    "opt cse": ("opt", "-p", "cse", "IN", "-o", "OUT"),
    "opt inline": ("opt", "-p", "inline", "IN", "-o", "OUT"),
    "opt symbol-dce": ("opt", "-p", "symbol-dce", "IN", "-o", "OUT"),
    "opt refine-shapes": ("opt", "-p", "stablehlo-refine-shapes", "IN", "-o", "OUT"),
    "opt simplification": ("opt", "-p", "stablehlo-aggressive-simplification", "IN", "-o", "OUT"),
    "opt vhlo": ("opt", "-p", "stablehlo-legalize-to-vhlo", "IN", "-o", "OUT"),
    "opt partition": ("opt", "-p", "partition", "IN", "-o", "OUT"),
    "convert bytecode": ("convert", "--to", "bytecode", "IN", "-o", "OUT"),
    "convert portable": ("convert", "--to", "portable", "IN", "-o", "OUT"),
    "convert text": ("convert", "--to", "text", "--locations", "IN", "-o", "OUT"),
    "diff": ("diff", "IN", "IN"),
    "compare": ("compare", "IN", "IN", "--random", "0"),
    "reduce": ("reduce", "IN", "--check", "grep -q add {}", "-o", "OUT"),
    "generate": ("generate", "--ops", "SIZE"),
    "fuzz": ("fuzz", "--engine", "numpy", "--engine", "native", "--ops", "SIZE", "--count", "1"),
    "extract": ("extract", "IN", "--function", "main", "-o", "OUT"),
    "graph": ("graph", "IN", "-o", "OUT.html"),
    "report": ("report", "IN", "-o", "OUT.html"),
}
WITH_OTHER_DIALECTS = ("verify", "inspect", "opt", "convert", "graph", "report")
REQUESTS = (
    "open",
    "codeAction",
    "codeLens",
    "completion",
    "formatting",
    "rangeFormatting",
    "hover",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "documentSymbol",
    "foldingRange",
    "prepareCallHierarchy",
    "incomingCalls",
    "outgoingCalls",
    "semanticTokens/full",
    "signatureHelp",
    "inlayHint",
)


def exponent(costs: list[float], sizes: list[int], start: float) -> float | None:
    """The exponent between the two largest sizes; None if the cost is too small to tell."""
    before, after = costs[-2] - start, costs[-1] - start
    return math.log(max(after, 1e-9) / max(before, 1e-9)) / math.log(sizes[-1] / sizes[-2])


# Requests


class Requests:
    """Asks a document for everything, without a client between."""

    def __init__(self, text: str) -> None:
        from stablehlo_py.lsp.document import Document
        from stablehlo_py.lsp.feature import Session
        from stablehlo_py.lsp.server import FEATURES

        self.document, self.session = Document(text, "/nowhere/a.mlir", 1), Session()
        self.features = {feature.method: feature for feature in FEATURES}

    def ask(self, name: str) -> None:
        """Ask one request, at the first name of a line in the middle of the text, or in a long line."""
        from lsprotocol import types

        from stablehlo_py.lsp.diagnostics import find_diagnostics, to_protocol

        document = self.document
        if name == "open":
            for found in find_diagnostics(self.session, document):
                to_protocol(document, found)
            return
        text = document.text
        line = max(text.find("\n", len(text) // 2), 0) or len(text) // 2
        offset = max(text.find("%", line), text.find("%a"))
        place, end = document.position(offset), document.position(len(text))
        uri = "file:///nowhere/a.mlir"
        whole = types.Range(types.Position(0, 0), end)
        main = document.position(text.find("@main") + 1)

        class Params:
            text_document = types.TextDocumentIdentifier(uri)
            position = place if "Hierarchy" not in name else main
            range = whole
            new_name = "another"
            options = types.FormattingOptions(2, True)
            context = SimpleNamespace(include_declaration=True, diagnostics=[], only=None)
            item = types.CallHierarchyItem(
                "@main", types.SymbolKind.Function, uri, whole, types.Range(main, main)
            )

        (feature,) = [f for method, f in self.features.items() if method.partition("/")[2] == name]
        feature.answer(self.session, document, Params())


def measured_requests(path: str) -> None:
    """Print the seconds of each request about a program, and the peak of memory, as JSON."""
    asked, seconds = Requests(Path(path).read_text()), {}
    for name in REQUESTS:
        start = time.process_time()
        try:
            asked.ask(name)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
        seconds[name] = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "memory": memory}))


# Seconds and megabytes


def write_program(file: Path, shape: str, size: int) -> None:
    """Write a program in a process of its own: a process's peak of memory includes that of its parent."""
    made = "import sys, shapes; open(sys.argv[1], 'w').write(shapes.SHAPES[sys.argv[2]](int(sys.argv[3])))"
    subprocess.run(
        [sys.executable, "-c", made, str(file), shape, str(size)], cwd=Path(__file__).parent, check=True
    )


def run_command(name: str, file: Path, size: int) -> tuple[float, float, str]:
    """Run a command on a file in a process of its own; return seconds, megabytes and what is wrong."""
    out = str(file.with_suffix(""))
    given = {"IN": str(file), "SIZE": str(size)}
    arguments = [given.get(argument, argument.replace("OUT", out)) for argument in COMMANDS[name]]
    if file.stem == "blocks" and COMMANDS[name][0] in WITH_OTHER_DIALECTS:
        arguments.append("--allow-unregistered")
    command = [sys.executable, "-c", "from stablehlo_py.cli.entry import main; main()", *arguments]
    with Path(os.devnull).open("w") as nowhere, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=nowhere, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        wrong = "" if process.returncode in (0, 1) else f"exit status {process.returncode}"
        if "Traceback" in errors.read():
            wrong = "traceback"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, wrong


def time_command(name: str, shape: str, sizes: list[int], folder: Path) -> list[str]:
    """Measure a command; return the rows whose exponents are too large."""
    seconds, memory, wrong = [], [], ""
    for size in (SMALL, SMALL, *sizes):  # the first run fills the cache
        file = folder / f"{shape}.mlir"
        write_program(file, shape, size)
        found = run_command(name, file, size)
        seconds.append(found[0])
        memory.append(found[1])
        wrong = wrong or found[2]
    return row(name, shape, sizes, seconds[1:], memory[1:], wrong)


def time_requests(only: list[str], shape: str, sizes: list[int], folder: Path) -> list[str]:
    """Measure the requests about programs of a shape."""
    found = []
    for size in (SMALL, *sizes):
        file = folder / f"{shape}.mlir"
        write_program(file, shape, size)
        done = subprocess.run(
            [sys.executable, __file__, "--requests", str(file)], stdout=subprocess.PIPE, check=True
        )
        found.append(json.loads(done.stdout))
    slow = []
    for name in only:
        seconds = [each["seconds"][name] for each in found]
        slow += row(f"lsp {name}", shape, sizes, seconds, [each["memory"] for each in found], "")
    return slow


def row(
    name: str, shape: str, sizes: list[int], seconds: list[float], memory: list[float], wrong: str
) -> list[str]:
    """Print a row of the table; return it if an exponent is too large."""
    times, megabytes = exponent(seconds[1:], sizes, seconds[0]), exponent(memory[1:], sizes, memory[0])
    is_slow = times is not None and times > LARGEST and seconds[-1] - seconds[0] > 0.5
    is_large = megabytes is not None and megabytes > LARGEST and memory[-1] - memory[0] > 50
    shown = " ".join(f"{value:8.2f}" for value in seconds) + f"{times or 0:7.2f} | "
    shown += " ".join(f"{value:6.0f}" for value in memory) + f"{megabytes or 0:7.2f}"
    line = f"{name:26} {shape:15} {shown} {wrong}{' SLOW' if is_slow else ''}{' LARGE' if is_large else ''}"
    print(line, flush=True)
    return [line] if is_slow or is_large or wrong else []


def main() -> int:
    """Print the table; return 1 if an exponent is too large."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--only", default="", help="commands and requests, separated by commas")
    parser.add_argument("--requests", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.requests:
        measured_requests(given.requests)
        return 0
    only = given.only.split(",") if given.only else [*COMMANDS, *REQUESTS]
    commands, requests = [c for c in only if c in COMMANDS], [r for r in only if r in REQUESTS]
    shapes = given.shapes.split(",")
    sizes = [int(size) for size in given.sizes.split(",")]
    print(f"{'':26} {'':15} CPU seconds of {SMALL}, {given.sizes}; exponent | peak MB; exponent")
    slow: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes:
            for name in commands:
                slow += time_command(name, shape, sizes, Path(folder))
            if requests:
                slow += time_requests(requests, shape, sizes, Path(folder))
    return report(slow)


def report(slow: list[str]) -> int:
    """Repeat the rows that are too large."""
    if slow:
        print(f"\nexponents above {LARGEST}, or errors:", *slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
