"""`shlo.blame`: faults in what XLA dumped, each as a wrong pass would make it, and dumps without one."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.blame.dumps import dumps_in

TESTDATA = Path(__file__).parents[2] / "testdata" / "dumps"
with zipfile.ZipFile(TESTDATA / "model.zip") as archive:
    FILES = {name: archive.read(name) for name in archive.namelist()}
with np.load(io.BytesIO(FILES["inputs.npz"])) as arrays:
    INPUTS = [arrays["in0"], arrays["in1"], np.array([1, 0, 2, 3], np.int32)]
FUSION, WRAPPER, COPIES, METADATA, LAST = (
    ".0029.",
    ".0030.",
    ".0035.",
    ".0040.",
    ".cpu_after_optimizations.txt",
)
EARLY = (".0003.", ".0004.", ".0010.", ".0013.", ".0022.")
STAGES = (FUSION, WRAPPER, COPIES, METADATA, LAST)


class Fault(NamedTuple):
    """An edit of the dumps from a stage on, and the instruction that is then wrong."""

    stage: str
    before: str
    after: str
    wrong: str


FAULTS = (
    Fault(FUSION, "tanh(%add.12)", "sine(%add.12)", "%tanh.0"),
    Fault(
        FUSION, "%constant.49 = f32[] constant(0.5)", "%constant.49 = f32[] constant(0.25)", "%constant.49"
    ),
    Fault(FUSION, "%constant.48 = f32[] constant(1)", "%constant.48 = f32[] constant(2)", "%constant.48"),
    Fault(WRAPPER, "subtract(%param_0.20, %sub.1)", "subtract(%sub.1, %param_0.20)", "%sub.0"),
    Fault(WRAPPER, "(%gt.1, %param_1.23, %neg.0)", "(%gt.1, %neg.0, %param_1.23)", "%select_n.10"),
    Fault(
        COPIES,
        "(%param_1.23, %broadcast.24), direction=GT",
        "(%param_1.23, %broadcast.24), direction=LT",
        "%gt.1",
    ),
    Fault(COPIES, "multiply(%param_0.2, %broadcast.11)", "divide(%param_0.2, %broadcast.11)", "%mul.4"),
    Fault(
        COPIES, "add(%reduce_sum.3, %reduce_sum.4)", "maximum(%reduce_sum.3, %reduce_sum.4)", "%reduce_sum.0"
    ),
    Fault(METADATA, "%constant.17 = s32[] constant(3)", "%constant.17 = s32[] constant(2)", "%constant.17"),
    Fault(METADATA, "sine(%param_0.1)", "cosine(%param_0.1)", "%sin.2"),
    Fault(LAST, "slice={[0:1]}", "slice={[2:3]}", "%slice.0"),
    Fault(LAST, "%constant.30 = s32[] constant(3)", "%constant.30 = s32[] constant(2)", "%constant.30"),
    Fault(FUSION, "add(%mul.2, %sin.2)", "add(%param_0.1, %sin.2)", "%add.5"),
    Fault(FUSION, "reverse(%param_0.11), dimensions={1}", "reverse(%param_0.11), dimensions={0}", "%rev.0"),
    Fault(FUSION, "(%select, %select.1), direction=LT", "(%select, %select.1), direction=GT", "%sort.0"),
    Fault(
        WRAPPER, "add(%scatter-add.2, %scatter-add.3)", "subtract(%scatter-add.2, %scatter-add.3)", "scatter"
    ),
    Fault(
        WRAPPER,
        "%iota.6 = s32[4,3]{1,0} iota(), iota_dimension=1",
        "%iota.6 = s32[4,3]{1,0} iota(), iota_dimension=0",
        "%iota.6",
    ),
    Fault(FUSION, "{%region_4.9, %region_5.10}", "{%region_5.10, %region_4.9}", "%cond.1.clone"),
    Fault(
        METADATA, "divide(%broadcast.26, %reduce_sum.0)", "divide(%reduce_sum.0, %broadcast.26)", "%divide.1"
    ),
    Fault(METADATA, "%constant.24 = s32[] constant(7)", "%constant.24 = s32[] constant(8)", "%constant.24"),
    Fault(LAST, "exponential(%sub.0)", "exponential-minus-one(%sub.0)", "%exp.0"),
)
HARMLESS = (
    Fault(FUSION, "subtract(%param_0.20, %sub.1)", "add(%param_0.20, %sub.1)", ""),  # in a softmax
    Fault(
        FUSION, "concatenate(%param_0.11, %rev.0)", "concatenate(%param_0.11, %param_0.11)", ""
    ),  # is sorted
    Fault(WRAPPER, "%constant.49 = f32[] constant(0.5)", "%constant.49 = f32[] constant(0.50001)", ""),
)


def unpacked(folder: Path, fault: Fault | None = None) -> Path:
    """Write the dumps to a folder, with a fault from its stage on."""
    late = STAGES[STAGES.index(fault.stage) :] if fault is not None else ()
    for name, data in FILES.items():
        if fault is not None and any(stage in name for stage in EARLY):
            continue  # fewer dumps are run faster
        if fault is not None and any(stage in name for stage in late):
            assert fault.before.encode() in data
            data = data.replace(fault.before.encode(), fault.after.encode())
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=[pytest.mark.slow] * (i % 2)) for i, fault in enumerate(FAULTS)],
    ids=lambda fault: fault.after,
)
def test_a_planted_fault_is_named(tmp_path: Path, fault: Fault) -> None:
    is_bisected = FAULTS.index(fault) % 4 < 2
    found = shlo.blame(unpacked(tmp_path, fault), INPUTS, every=not is_bisected)
    assert found.file is not None and fault.stage in found.file
    assert found.first is not None and fault.wrong in found.first.text
    assert any(fault.after in text for sign, _, text in found.changes.rows if sign == "+")


@pytest.mark.parametrize("edit", HARMLESS, ids=lambda fault: fault.after)
def test_dumps_that_differ_in_rounding_or_in_text_alone_are_not_accused(tmp_path: Path, edit: Fault) -> None:
    found = shlo.blame(unpacked(tmp_path, edit), INPUTS)
    assert found.file is None and found.first is None and found.runs == found.dumps - 1


def test_the_program_that_was_compiled_is_the_reference(tmp_path: Path) -> None:
    folder = unpacked(tmp_path)
    program = shlo.load(folder / "model.mlir")
    assert shlo.blame(folder, INPUTS, program).file is None
    for path in folder.glob("*.txt"):
        path.write_text(path.read_text().replace(" tanh(", " sine("))
    assert shlo.blame(folder, INPUTS).file is None  # wrong from the first dump on
    found = shlo.blame(folder, INPUTS, program)
    assert found.file == "module_0000.jit_model.before_optimizations.txt"
    assert found.before.endswith("model.mlir") and not found.pass_name
    assert found.first is not None and "sine(" in found.first.text
    assert found.origin[0] == "from model.py:7:8, in model (jit(model)/tanh)"


def test_dumps_that_cannot_be_run_are_skipped(tmp_path: Path) -> None:
    folder = unpacked(tmp_path, FAULTS[0])
    (wrapper,) = folder.glob(f"*{WRAPPER}*")
    (fusion,) = folder.glob(f"*{FUSION}*")
    (last,) = folder.glob(f"*{LAST}")
    fusion.write_text(fusion.read_text().replace("s32[1]{0} constant({1})", "s32[1]{0} constant({...})"))
    last.write_text("HloModule broken\n\nENTRY main {\n")
    for every in (True, False):
        found = shlo.blame(folder, INPUTS, every=every)
        assert found.file == wrapper.name
        assert "--xla_dump_large_constants=true" in found.skipped[fusion.name]
        assert (last.name in found.skipped) is not every


def test_only_the_first_dump_must_be_valid(tmp_path: Path) -> None:
    folder = unpacked(tmp_path)
    (folder / "module_0000.jit_model.before_optimizations.txt").write_text(
        "HloModule broken\n\nENTRY main {\n"
    )
    with pytest.raises(shlo.ParseError, match="before_optimizations"):
        shlo.blame(folder, INPUTS)


def program(body: str, type: str = "f32[2]{0}") -> str:
    shape = type.partition("{")[0]
    return f"HloModule m\n\nENTRY %main (x: {shape}) -> {shape} {{\n  %x = {type} parameter(0)\n{body}\n}}\n"


def dumped(folder: Path, *texts: str, module: str = "module_0001.m") -> Path:
    """Write the dumps of a module."""
    for i, text in enumerate(texts):
        step = f"{i:04}.simplify.after_pass{i}.before_other" if i else "before_optimizations"
        (folder / f"{module}.{step}.txt").write_text(text)
    return folder


TWICE = program("  ROOT %add.1 = f32[2]{0} add(%x, %x)")


def test_the_module_that_takes_the_inputs_is_found_among_others(tmp_path: Path) -> None:
    larger = TWICE.replace("f32[2]", "f32[3]").replace("%add", "%" + "a" * 200)
    dumped(tmp_path, larger, larger.replace(" add(", " subtract("), module="module_0000.jit_helper")
    dumped(tmp_path, TWICE, TWICE.replace(" add(", " multiply("))
    two, three = np.array([3.0, 1.0], np.float32), np.array([3.0, 1.0, 2.0], np.float32)
    found = shlo.blame(tmp_path, [two])
    assert (found.module, found.pass_name, found.pipeline) == ("module_0001.m", "pass1", "simplify")
    assert shlo.blame(tmp_path, [three]).module == "module_0000.jit_helper"
    assert shlo.blame(tmp_path, [two], module="0001").module == "module_0001.m"
    with pytest.raises(shlo.RunError, match=r"takes tensor<3xf32>"):
        shlo.blame(tmp_path, [two], module="helper")
    with pytest.raises(shlo.RunError, match=r"there are module_0000\.jit_helper, module_0001\.m"):
        shlo.blame(tmp_path, [two], module="jit_g")


def test_names_of_dumps(tmp_path: Path) -> None:
    names = (
        "module_0007.jit_f.before_optimizations.txt",
        "module_0007.jit_f.0000.spmd.after_pipeline-start.before_call-inliner.txt",
        "module_0007.jit_f.0002.a.b.after_dce.before_pipeline-end.txt",
        "module_0007.jit_f.0010.copy-insertion.after_adding_copies.txt",
        "module_0007.jit_f.2000.late.after_dce.before_cse.txt",
        "module_0007.jit_f.10000.late.after_cse.before_dce.txt",
        "module_0007.jit_f.sm_8.0_gpu_after_optimizations.txt",
    )
    others = (
        "module_0007.jit_f.cpu_after_optimizations-buffer-assignment.txt",
        "module_0007.jit_f.debug_options",
        "module_0007.jit_f.ir-with-opt.ll",
        "module_0007.jit_f.0003.after_dce.before_x.hlo.pb",
        "notes.txt",
    )
    for name in (*names[::-1], *others):
        (tmp_path / name).write_text(name)
    (tmp_path / "1700000000.module_0007.jit_f.before_optimizations.txt").write_text("")
    # The size of a module is that of its first dump.
    (tmp_path / "1700000000.module_0007.jit_f.0001.late.after_cse.txt").write_text("large" * 100)
    first, second = dumps_in(tmp_path)
    assert [dump.path.name for dump in first] == [*names]
    assert second[0].module == "1700000000.module_0007.jit_f"
    steps = [
        ("", ""),
        ("", "spmd"),
        ("dce", "a.b"),
        ("adding_copies", "copy-insertion"),
        ("dce", "late"),
        ("cse", "late"),
        ("", ""),
    ]
    assert [(dump.pass_name, dump.pipeline) for dump in first] == steps


def test_a_folder_without_dumps(tmp_path: Path) -> None:
    with pytest.raises(shlo.RunError, match=r"xla_dump_hlo_pass_re=\.\*"):
        shlo.blame(tmp_path, [])


def test_texts_that_repeat_are_not_run(tmp_path: Path) -> None:
    other = TWICE.replace("%add.1", "%add.2")
    found = shlo.blame(dumped(tmp_path, TWICE, TWICE, other, other, TWICE), [np.ones(2, np.float32)])
    assert (found.dumps, found.runs) == (3, 2)


def test_bisection_runs_few_dumps(tmp_path: Path) -> None:
    right = [TWICE.replace("%add.1", f"%add.{i}") for i in range(1, 40)]
    wrong = [TWICE.replace(" add(%x", " multiply(%x").replace("%add.1", f"%add.{i}") for i in range(40, 65)]
    found = shlo.blame(dumped(tmp_path, *right, *wrong), [np.array([3.0, 1.0], np.float32)], every=False)
    assert found.pass_name == "pass39" and found.before.startswith("module_0001.m.0038.")
    assert found.runs <= 7


@pytest.mark.parametrize(
    ("type", "factor", "tolerance", "is_wrong"),
    [
        ("f32[2]{0}", 1.0005, None, False),
        ("f32[2]{0}", 1.01, None, True),
        ("f32[2]{0}", 1.01, 0.05, False),
        ("f32[2]{0}", 1.0005, 1e-4, True),
        ("f64[2]{0}", 1.0000001, None, False),
        ("f64[2]{0}", 1.0005, None, True),
        ("bf16[2]{0}", 1.015625, None, False),
        ("bf16[2]{0}", 1.0625, None, True),
    ],
)
def test_tolerances(
    tmp_path: Path, type: str, factor: float, tolerance: float | None, is_wrong: bool
) -> None:
    scalar = type.partition("[")[0]
    body = """  %c = {0}[] constant({1})
  %b = {2} broadcast(%c), dimensions={{}}
  ROOT %m = {2} multiply(%x, %b)"""
    texts = [program(body.format(scalar, each, type), type) for each in (1, factor)]
    x = np.array([2, 3], {"f64": np.float64, "f32": np.float32, "bf16": ml_dtypes.bfloat16}[scalar])
    found = shlo.blame(dumped(tmp_path, *texts), [x], tolerance=tolerance)
    assert (found.file is not None) is is_wrong


def test_errors_that_rounding_of_the_inputs_explains(tmp_path: Path) -> None:
    """The square of x minus 9 has few correct digits near 3, unlike the product of x - 3 and x + 3."""
    body = """  %c = f32[] constant({1})
  %o = f32[2]{{0}} broadcast(%c), dimensions={{}}
  %l = f32[2]{{0}} {0}(%x, {2})
  %m = f32[2]{{0}} add(%x, %o)
  ROOT %r = f32[2]{{0}} {3}"""
    square = program(body.format("multiply", 9, "%x", "subtract(%l, %o)"))
    product = program(body.format("subtract", 3, "%o", "multiply(%l, %m)"))
    x = np.array([3.00001, 3.000013], np.float32)
    assert not np.allclose(x * x - 9, (x - 3) * (x + 3), rtol=1e-3)
    assert shlo.blame(dumped(tmp_path, square, product), [x]).file is None
    wrong = product.replace("multiply(%l, %m)", "multiply(%l, %x)")
    assert shlo.blame(dumped(tmp_path, square, product, wrong), [x]).pass_name == "pass2"


def test_integers_are_equal(tmp_path: Path) -> None:
    type = "s32[2]{0}"
    texts = [
        program(f"  %c = s32[2]{{0}} constant({{{a}, 7}})\n  ROOT %r = s32[2]{{0}} add(%x, %c)", type)
        for a in (1000000, 1000001)
    ]
    found = shlo.blame(dumped(tmp_path, *texts), [np.array([1, 2], np.int32)])
    assert found.file is not None and found.first is not None and "1000001" in found.first.text


def test_the_root_of_the_module_has_its_line(tmp_path: Path) -> None:
    """Results in another order are named at the tuple, which is no op of StableHLO."""
    text = """HloModule m

ENTRY %main (x: f32[2]) -> (f32[2], f32[2]) {
  %x = f32[2]{0} parameter(0)
  %sine = f32[2]{0} sine(%x)
  %cosine = f32[2]{0} cosine(%x)
  ROOT %both = (f32[2]{0}, f32[2]{0}) tuple(%sine, %cosine)
}
"""
    found = shlo.blame(
        dumped(tmp_path, text, text.replace("(%sine, %cosine)", "(%cosine, %sine)")), [np.ones(2, np.float32)]
    )
    assert found.instruction.startswith("ROOT %both = ")


def test_conversions_to_a_narrow_type_are_named(tmp_path: Path) -> None:
    """A pass that adds them does not make a twin of another precision, whose errors rounding explains."""
    body = "  %s = f32[2]{{0}} sine({0})\n  ROOT %m = f32[2]{{0}} multiply(%s, %x)"
    narrowed = "  %n = f8e4m3fn[2]{0} convert(%x)\n  %w = f32[2]{0} convert(%n)\n"
    right, wrong = program(body.format("%x")), program(narrowed + body.format("%w"))
    found = shlo.blame(dumped(tmp_path, right, wrong), [np.array([0.53, 0.28], np.float32)])
    assert found.instruction.startswith("%s = ")
