"""`shlo inspect` on scheduled HLO."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.inspect_schedule import print_schedule
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


@pytest.mark.parametrize("everything", [False, True])
def test_long_lists_and_what_xla_assigned(everything: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """The first ten buffers, and the bytes of the others, unless all are asked for."""
    buffer = {"instruction": "a", "index": [0, 1], "shape": "f32[2]", "kind": "temporary"}
    where = {"line": 5, "source": "", "op_name": "f"}
    live = [{**buffer, **where, "bytes": 2048 - 16 * number} for number in range(13)]
    sizes = {"parameter_bytes": 1024, "result_bytes": 0, "constant_bytes": 8, "assigned_bytes": 3072}
    found = {"peak_line": 3, "peak_instruction": "b", "peak_bytes": 4096, **sizes, "live": live}
    print_schedule(found, everything)
    rows = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first = ["live then    2 KiB %a{0}{1} f32[2] (temporary), line 5", "from f"]
    assert rows[2:9] == [
        "peak memory  4 KiB at line 3, %b",
        "parameters   1 KiB",
        "results      0 B",
        "constants    8 B",
        "assigned     3 KiB by XLA",
        *first,
    ]
    assert rows[9] == "1.98 KiB %a{0}{1} f32[2] (temporary), line 5"
    rest = [row for size in ("1.84", "1.83", "1.81") for row in (rows[9].replace("1.98", size), "from f")]
    assert rows[27:] == (rest if everything else ["5.48 KiB in 3 more buffers; --all lists them"])


def test_other_programs_have_no_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(TEXT.replace(", is_scheduled=true", ""))
    assert run_command(["inspect", str(path), "--format", "json"]) == 0
    assert "schedule" not in json.loads(capsys.readouterr().out)["modules"][0]
