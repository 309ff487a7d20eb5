"""What `shlo run` and `shlo precision` print of shadow runs, ranges, probes and searches: texts by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from stablehlo_py.cli import common, precision, run_ranges, run_reports, run_shadow
from stablehlo_py.cli.comparing import print_comparison

import stablehlo_py as shlo
from stablehlo_py.debug import machine
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.debug.compare.findings import Comparison, OpDifference
from stablehlo_py.debug.compare_arrays import ArrayComparison
from stablehlo_py.debug.observers.probe import Probed
from stablehlo_py.debug.observers.profile import LoopRow, ProfileRow
from stablehlo_py.debug.observers.ranges import Fit, ValueRange
from stablehlo_py.diagnostics.render import unstyled
from stablehlo_py.mixed_precision.findings import Expense, KeptOp, MixedPrecision, Scaling
from stablehlo_py.rounding.rows import Shadow, ShadowRow

MODULE = shlo.parse("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n")
OP = next(MODULE.walk())


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "width", lambda *_: 120)


def shadow_row(**changes: Any) -> ShadowRow:
    return ShadowRow(OP, "stablehlo.add", "%0", "f16", 7, "m.py:3", "layer", **changes)


@pytest.mark.parametrize(
    ("changes", "wide", "expected"),
    [
        ({}, "f64", []),
        ({"overflow": 1}, "f64", ["1 element out of the range of f16"]),
        ({"underflow": 2}, "f64", ["2 elements below the normal numbers of f16"]),
        (
            {"underflow": 2, "flushed": 1},
            "f64",
            ["2 elements below the normal numbers of f16, 1 of them zero"],
        ),
        ({"flushed": 1}, "f64", []),
        ({"diverged": 3}, "f64", ["3 elements would be another in f64"]),
        ({"diverged": 1}, "random", ["1 element would be another in some runs"]),
        (
            {"overflow": 1000, "diverged": 1},
            "f32",
            ["1,000 elements out of the range of f16", "1 element would be another in f32"],
        ),
    ],
)
def test_remarks_on_a_shadowed_op(changes: dict[str, int], wide: str, expected: list[str]) -> None:
    assert run_shadow._remarks(shadow_row(**changes), wide) == expected


def test_a_shadow_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten ops with errors are shown and none without; of any op what is said of it; what has no shadow."""
    rows = [shadow_row(error=0.5, introduced=0.25, contribution=0.125, amplification=2.0, cancelled=3.0)]
    rows += [shadow_row(error=0.5) for _ in range(10)]
    rows[1].iterations, rows[1].executions = (1, 2), 6
    rows.insert(1, shadow_row(overflow=1))
    run_shadow.print_shadow(Shadow("f64", rows, errors=[0.125, None, 1e-9]))
    head, names, first, second, *more, last = capsys.readouterr().out.splitlines()
    assert head == "relative error of the results beside f64: 0.125, 1e-09"
    assert names.split() == ["contribution", "introduced", "error", "amplified", "cancelled", "op", "where"]
    assert first.split() == [
        *("1.25e-01", "2.50e-01", "5.00e-01", "2", "3.0", "bits", "add", "f16"),
        *("line", "7", "%0,", "m.py:3,", "layer"),
    ]
    assert second.endswith("line 7 %0, m.py:3, layer, iteration 1, 2 of 6")
    assert len(more) == 8 and last == "line 7: stablehlo.add %0: 1 element out of the range of f16"


def test_a_run_with_random_rounding(capsys: pytest.CaptureFixture[str]) -> None:
    run_shadow.print_shadow(Shadow("random", [], errors=[None]))
    text = "relative deviation of the results in runs with random rounding: no floats\n"
    assert capsys.readouterr().out == text


KEPT = KeptOp("stablehlo.exponential", "%4", 9, "m.py:2", "loss")
SEARCH = MixedPrecision(
    *(MODULE, "bf16", 0.01, [KEPT], [], 1200, 0.5, [0.004, 0.0025], [0.0075], [], 3, False),
    *(Expense(8000, 8000, 96), Expense(8000, 1000, 64)),
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        (
            {"unchecked": [0, 2]},
            {4: "not checked, since they are rounding errors alone in the wide program: results 0, 2"},
        ),
        (
            {"scaling": Scaling((1,), 1500, 1024.0)},
            {
                4: "result 1: below the normal numbers of bf16, 1,500 elements become zero; "
                "if these are gradients, scale the loss by 1024"
            },
        ),
        ({"exhausted": True}, {8: "stopped after 3 programs; more may be narrow (--limit)"}),
        (
            {"held_back": []},
            {1: "error 0.004, with all of them narrow 0.5; no set of inputs is held back"},
        ),
        (
            {"kept": []},
            {0: "0 of 1,200 ops must stay wide for an error of at most 0.01, the others are bf16"},
        ),
    ],
)
def test_a_search_of_mixed_precision(
    changes: dict[str, Any], expected: dict[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = MixedPrecision(
        **{
            name: changes.get(name, getattr(SEARCH, name))
            for name in MixedPrecision.__dataclass_fields__
            if name != "program"
        }
    )
    precision._print(found, Path("out.mlir"))
    rows = [
        "1 of 1,200 ops must stay wide for an error of at most 0.01, the others are bf16",
        "error 0.004, with all of them narrow 0.5; on held-back sets at most 0.0075",
        "op where",
        "exponential line 9 %4, m.py:2, loss",
        "wide mixed",
        "bytes 96 64",
        "FLOPs 8,000 8,000",
        "FLOPs in wide types 8,000 1,000",
        f"shlo opt -p '{found.passes}'",
        "out.mlir",
    ]
    for place, row in expected.items():
        rows[place : place + (place < 2)] = [row]
    if not found.kept:
        del rows[2:4]
    assert [" ".join(row.split()) for row in capsys.readouterr().out.splitlines()] == rows


def value_range(number: int) -> ValueRange:
    return ValueRange(f"%{number}", "stablehlo.abs", "f32", 0, count=4, min=-1.5, max=2.0, smallest=0.25)


def test_ranges_begin_with_what_narrow_types_do_not_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """41 values, of which 40 are shown: the one that leaves the range of f16 comes first."""
    rows = [value_range(n) for n in range(40)]
    fits = rows[0].fits | {"f16": Fit(over=2, under=4)}
    rows.append(ValueRange("%x", "", "f32", 5, "m.py:1", "s", 8, fits=fits))
    run_ranges._print(rows, 1)
    head, first, second, *more, rest, legend = capsys.readouterr().out.splitlines()
    assert head.split() == ["min", "max", "smallest", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i8", "value"]
    assert first.split()[:6] == [">25%", "<50%", "ok", "ok", "ok", "ok"]
    assert first.endswith("%x, line 5, m.py:1, s")
    assert second.split() == ["-1.5", "2", "0.25", "ok", "ok", "ok", "ok", "ok", "%0", "abs"]
    assert len(more) == 38 and rest == "1 more values; --format json has all of them"
    assert legend.startswith(
        "1 set of inputs; > is the share of elements beyond the range of a type, < below"
    )


def probed(count: int, verbose: bool = False, patterns: tuple[str, ...] = ()) -> Any:
    found = [Probed(f"{n}.npy", f"%{n}", "stablehlo.abs", n, arrays=n + 1) for n in range(count)]
    watching = SimpleNamespace(verbose=verbose, probe_dir="probes", probe=patterns)
    return SimpleNamespace(watching=watching, probe=SimpleNamespace(found=found))


@pytest.mark.parametrize(
    ("watch", "lines", "last"),
    [
        (probed(2), 2, "wrote 1.npy: 2 arrays of %1, line 1 (stablehlo.abs)"),
        (probed(1), 1, "wrote 0.npy: 1 array of %0, line 0 (stablehlo.abs)"),
        (probed(10), 10, "wrote 9.npy: 10 arrays of %9, line 9 (stablehlo.abs)"),
        (probed(11), 1, "wrote 66 arrays of 11 values to probes (--verbose lists them)"),
        (probed(11, True), 12, "wrote 66 arrays of 11 values to probes (--verbose lists them)"),
        (probed(0), 1, "no values probed: no interpreter.probe op was executed"),
        (probed(0, patterns=("a", "b*")), 1, "no values probed: no executed op matches a b*"),
        (SimpleNamespace(probe=None), 0, ""),
    ],
)
def test_probed_values(watch: Any, lines: int, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_reports.print_probes(watch)
    printed = capsys.readouterr()
    rows = printed.err.splitlines()
    assert (printed.out, len(rows), rows[-1] if rows else "") == ("", lines, last)


@pytest.mark.parametrize(
    ("rate", "expected"), [(0.0, ""), (0.004, "0.00"), (99.994, "99.99"), (100.0, "100"), (2500.4, "2500")]
)
def test_rates(rate: float, expected: str) -> None:
    assert run_reports._rate(rate) == expected


@pytest.mark.parametrize(("origin", "expected"), [("", "line 7 %1"), ("m.py:40:7", "m.py:40 %1")])
def test_the_place_of_a_profiled_op(origin: str, expected: str) -> None:
    assert run_reports._place(ProfileRow("add", "%1", 7, origin, 3, 0.25, 10**9, 2 * 10**8)) == expected


def difference(ok: bool, line: int, iterations: tuple[int, ...]) -> OpDifference:
    error = ArrayComparison(ok, 4, 0 if ok else 1, 0.5, 0.25, 8)
    return OpDifference(
        op="stablehlo.add",
        line=line,
        column=3,
        text="",
        other_line=9,
        other_text="",
        origin=(),
        iterations=iterations,
        process=(0, 0),
        details=(),
        ok=ok,
        results=(ValueDifference("%3", "", error),),
    )


def test_errors_of_other_ops(capsys: pytest.CaptureFixture[str]) -> None:
    others = [difference(False, 7, (0, 4)), difference(True, 8, ())]
    print_comparison(Comparison(ops=3, first=difference(False, 6, ()), others=others), ("a", "b"), unstyled)
    assert capsys.readouterr().out.splitlines()[-4:-1] == [
        "errors of other ops on equal operands, the largest first:",
        " ! line 7: stablehlo.add in iteration 0, 4: %3: 1 of 4 elements out of tolerance; "
        "max error 0.5 absolute, 0.25 relative, 8 ULP",
        "   line 8: stablehlo.add: %3: within tolerance; max error 0.5 absolute, 0.25 relative, 8 ULP",
    ]


def test_loops_of_native_code(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty are shown, beside the machine's rates, and the time of the others in all."""
    monkeypatch.setattr(machine, "measure_limits", lambda: machine.Limits(flops=8e9, bytes=2e9))
    first = LoopRow("add, sine", (7, 9), 3, 0.5, 0.5, 0.25, 10**9, 2 * 10**8)
    run_reports._print_loops([first, *[LoopRow("negate", (), 1, 0.002, 0.002, 0.0, 0, 0)] * 21])
    head, names, shown, *more, last = capsys.readouterr().out.splitlines()[1:]
    assert head == "by loop of native code (this machine: 8 GFLOP/s in a product, 2 GB/s in a copy):"
    assert names.split() == [
        "ms",
        "wait",
        "ms",
        "calls",
        "GFLOP/s",
        "GB/s",
        "%",
        "of",
        "NumPy",
        "line",
        "ops",
    ]
    # 10**9 operations take 1/8 s at the machine's rate, 2 * 10**8 bytes 1/10 s: 25 % of 0.5 s.
    assert shown.split() == ["500.000", "250.000", "3", "2.00", "0.40", "25", "7", "add,", "sine"]
    assert len(more) == 19 and last == "    4.000 ms in 2 other loops"
    run_reports._print_loops([first])
    assert "other loop" not in capsys.readouterr().out


def test_messages_that_another_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """Of several processes of the system, one prints what all say."""
    said: list[tuple[str, str]] = []
    common.say_by(lambda text, stream: said.append((text, stream)))
    try:
        assert common.is_said_by_all()
        common.echo("a\x1bb", err=True)
        common.echo("c", err=True, nl=False)
        common.say("d\x1b")
        common.echo("e")
    finally:
        common.say_by(None)
    assert not common.is_said_by_all()
    common.say("f")
    assert said == [("a\\x1bb\n", "stderr"), ("c", "stderr"), ("d\\x1b\n", "stdout")]
    assert capsys.readouterr() == ("e\nf\n", "")
