"""Runs the steps of the GitHub Action of this repository, as a composite action is run.

    action_steps.py [INPUT=VALUE ...]

The programs are those on PATH. The exit status is that of the first step that fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent


def run_action(given: Mapping[str, str], only: str = "", env: Mapping[str, str] | None = None) -> int:
    """The exit status of the steps; `only` is the name of the one to run."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    unknown = given.keys() - action["inputs"].keys()
    assert not unknown, unknown
    inputs = {name: given.get(name, row["default"]) for name, row in action["inputs"].items()}
    for step in action["runs"]["steps"]:
        if only in ("", step["name"]):
            values = {name: _expanded(text, inputs) for name, text in step.get("env", {}).items()}
            folder = _expanded(step.get("working-directory", "."), inputs)
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(command, cwd=folder, env={**(env or os.environ), **values})
            if done.returncode:
                return done.returncode
    return 0


def _expanded(text: str, inputs: Mapping[str, Any]) -> str:
    def value(match: re.Match[str]) -> str:
        context, _, name = match[1].partition(".")
        return str(inputs[name]) if context == "inputs" else {"action_path": str(ROOT)}[name]

    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", value, text)


if __name__ == "__main__":
    pairs = [argument.partition("=") for argument in sys.argv[1:]]
    sys.exit(run_action({name: value for name, _, value in pairs}))
