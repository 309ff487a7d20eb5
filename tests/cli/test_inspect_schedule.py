"""`shlo inspect` on scheduled HLO."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

TEXT = """HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[100] parameter(0), metadata={op_name="x"}
  %a = f32[300] concatenate(%p, %p, %p), dimensions={0}, metadata={SPREAD}
  ROOT %b = f32[50] slice(%a), slice={[0:50]}
}
""".replace("SPREAD", 'op_name="f/spread" source_file="f.py" source_line=7')


def test_the_lines_of_the_program_that_hold_the_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the slice the parameter (400 bytes), its copies (1,200) and the result (200) are live."""
    path = tmp_path / "dump.txt"
    path.write_text(TEXT)
    assert run_command(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert out[out.index("schedule") :].splitlines() == [
        "schedule",
        "  peak memory  1.76 KiB at line 6, %b",
        "  parameters   400 B",
        "  results      200 B",
        "  constants    0 B",
        "  live then    1.17 KiB %a f32[300]{0} (temporary), line 5",
        "                 from f.py:7, f/spread",
        "               400 B %p f32[100]{0} (parameter), line 4",
        "                 from x",
        "               200 B %b f32[50]{0} (result), line 6",
    ]
    assert run_command(["inspect", str(path), "--format", "json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert module["schedule"]["peak_bytes"] == 1800
    assert [each["line"] for each in module["schedule"]["live"]] == [5, 4, 6]


def test_other_programs_have_no_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(TEXT.replace(", is_scheduled=true", ""))
    assert run_command(["inspect", str(path), "--format", "json"]) == 0
    assert "schedule" not in json.loads(capsys.readouterr().out)["modules"][0]
