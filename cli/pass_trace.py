"""What `shlo opt` prints and keeps between passes: programs, statistics, and a crash reproducer.

A reproducer is a program with the pipeline that failed on it, in mlir-opt's form: the pipeline is a resource
at the end of the program, which `shlo opt --run-reproducer` and `mlir-opt --run-reproducer` read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.transforms.pass_manager import PassRun
    from stablehlo_py.transforms.pipeline import Scheduled

_DIVIDER = "// -----// {} {} //----- //"
_PIPELINE = re.compile(r'mlir_reproducer\s*:\s*\{[^{}"]*?pipeline\s*:\s*"((?:[^"\\]|\\.)*)"')
_RESOURCES = """
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "builtin.module({pipeline})",
      disable_threading: true,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""


class PassTrace:
    """Sees a program before and after each pass.

    Args:
        module: The program before the passes.
        wanted: The passes.
        options: The options of the command.
        printed: Returns a program as text.

    Attributes:
        log: What is printed between passes.
        runs: The passes that have run.
    """

    def __init__(
        self,
        module: shlo.Module,
        wanted: Sequence[str],
        options: Mapping[str, Any],
        printed: Callable[[shlo.Module], str],
    ) -> None:
        from stablehlo_py.transforms.pipeline import schedule

        self._options, self._printed = options, printed
        self._passes = schedule(wanted)
        self._shown = {
            when: {each.definition.name for each in schedule(options[f"print_{when}"])}
            for when in ("before", "after")
        }
        self._before = module
        self.log: list[str] = []
        self.runs: list[PassRun] = []

    def before_each(self, scheduled: Scheduled, module: shlo.Module) -> None:
        """Print or keep the program before a pass."""
        if self._options["reproducer"]:
            self._before = module.clone()
        self._show("before", scheduled, module)

    def after_each(self, run: PassRun, module: shlo.Module) -> None:
        """Print the program after a pass."""
        self.runs.append(run)
        self._show("after", run.scheduled, module)

    def _show(self, when: str, scheduled: Scheduled, module: shlo.Module) -> None:
        if self._options[f"print_{when}_each"] or scheduled.definition.name in self._shown[when]:
            self.log += [_DIVIDER.format(when.title(), scheduled), self._printed(module)]

    def statistics(self, name: str) -> Iterator[str]:
        """Yield the time and the ops of each pass."""
        yield f"{name}:"
        width = max((len(str(run.scheduled)) for run in self.runs), default=0)
        for run in self.runs:
            ops = f"{run.ops_before} -> {run.ops_after} ops"
            yield f"  {run.scheduled!s:<{width}}  {run.seconds * 1000:8.1f} ms  {ops}"

    def write_reproducer(self, outputs: OutputFiles) -> None:
        """Write the program before the pass that failed, and the passes from it on, if that is asked for.

        Raises:
            OSError: If the file cannot be written.
        """
        if not self._options["reproducer"]:
            return
        passes = ",".join(map(str, self._passes[len(self.runs) :]))
        pipeline = passes.replace("\\", "\\\\").replace('"', '\\"')
        verify_each = str(self._options["verify_each"]).lower()
        text = shlo.format(self._before, generic=True, canonical=True)
        with outputs.open(self._options["reproducer"]) as stream:
            stream.write((text + _RESOURCES.format(pipeline=pipeline, verify_each=verify_each)).encode())


def pipeline_of(module: shlo.Module) -> str | None:
    """Return the pipeline in a reproducer; None if the program has none."""
    found = _PIPELINE.search(module.resource_text or "")
    return None if found is None else re.sub(r"\\(.)", r"\1", found[1])
