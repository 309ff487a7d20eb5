"""Parts of a library without a compiler: tables, weights, targets, wheels, and what tools are told."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.machine import Machine
from stablehlo_py.library import target, toolchain
from stablehlo_py.library.build import Request, build_library, identifier
from stablehlo_py.library.code import Code, function_code
from stablehlo_py.library.example import example
from stablehlo_py.library.function import native_function
from stablehlo_py.library.source import driver, header, named
from stablehlo_py.library.tables import Compiled, Memory, body, memory_of, quoted
from stablehlo_py.library.target import Target, find_target
from stablehlo_py.library.toolchain import Toolchain, ToolchainError
from stablehlo_py.library.weights import Weights
from stablehlo_py.library.wheel import package, write_wheel

PROGRAM = """func.func @main(%x: tensor<2x3xf32>, %k: tensor<i32>, %e: tensor<0xi8>,
                %z: tensor<2xcomplex<f64>>) -> (
    tensor<i32>, tensor<2x3xf32>, tensor<0xi8>, tensor<2xi16>, tensor<i32>) {
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
  return %k, %x, %e, %c, %k : tensor<i32>, tensor<2x3xf32>, tensor<0xi8>, tensor<2xi16>, tensor<i32>
}
"""


def compiled(code: Code) -> Compiled:
    return Compiled("lib_run", native_function(shlo.parse(PROGRAM), "main", False), code)


TABLES = """\
static const int64_t function3_inputs_shape0[] = {2, 3};
static const int64_t function3_inputs_shape2[] = {0};
static const int64_t function3_inputs_shape3[] = {2};
static const lib_array function3_inputs[] = {
  {"x", "f32", 4, 4, 2, function3_inputs_shape0, 24},
  {"k", "i32", 4, 4, 0, NULL, 4},
  {"e", "i8", 1, 1, 1, function3_inputs_shape2, 0},
  {"z", "complex<f64>", 16, 8, 1, function3_inputs_shape3, 32},
};
static const int64_t function3_outputs_shape1[] = {2, 3};
static const int64_t function3_outputs_shape2[] = {0};
static const int64_t function3_outputs_shape3[] = {2};
static const lib_array function3_outputs[] = {
  {"", "i32", 4, 4, 0, NULL, 4},
  {"", "f32", 4, 4, 2, function3_outputs_shape1, 24},
  {"", "i8", 1, 1, 1, function3_outputs_shape2, 0},
  {"", "i16", 2, 2, 1, function3_outputs_shape3, 4},
  {"", "i32", 4, 4, 0, NULL, 4},
};
"""
COPIES = """\
static const struct copy function3_copies[] = {
  {0, {INPUT, 1}},
  {1, {INPUT, 0}},
  {3, {CONSTANT, 64}},
  {4, {INPUT, 1}},
};
"""
CALLS = """\
int lib_run(const void *const *inputs, void *const *outputs, const lib_options *options) \
{ return run(&function3, inputs, outputs, options); }
const lib_function *lib_run_info(void) { return &function3_info; }
"""


def test_tables_of_a_function_that_copies() -> None:
    """Results without bytes are not copied; a constant is behind those that are in the block already."""
    weights = Weights()
    weights.add(np.arange(3))
    assert body("lib", 3, compiled(Code()), weights) == (
        TABLES + COPIES + 'static const lib_function function3_info = {"main", 4, function3_inputs, 5, '
        "function3_outputs, 0, 0};\n"
        "static const struct body function3 = {&function3_info, NULL, NULL, 0, 0, 0, 0, 0, NULL, 4, "
        "function3_copies};\n" + CALLS
    )
    assert weights.size == 128


def test_tables_of_a_function_with_code() -> None:
    code = Code("main\u00e9", scratch=65, tasks=2, is_short=True, constants=(np.zeros(2), np.ones(20)))
    made = compiled(code)
    function = made.function._replace(inputs=[1, 0], outputs=[4])
    text = body("lib", 3, made._replace(function=function), Weights())
    assert text.startswith(TABLES)
    rows = ["INPUT, 1", "INPUT, 0", "OUTPUT, 4", "CONSTANT, 0", "CONSTANT, 64"]
    places = "".join([f"  {{{row}}},\n" for row in rows])
    assert f"static const struct place function3_places[] = {{\n{places}}};\n" in text
    assert (
        'extern code function3_code __asm__("main\\303\\251") __attribute__((visibility("hidden")));' in text
    )
    memory = memory_of(code, 5)
    assert f'{{"main", 4, function3_inputs, 5, function3_outputs, {memory.arena}, {memory.each}}}' in text
    sizes = f"{memory.scratch}, {memory.bases}, {memory.sync}"
    assert f"{{&function3_info, function3_code, NULL, 1, {sizes}, 5, function3_places, 4, " in text
    assert "{3, {CONSTANT, 256}}" in text  # behind 16 and 160 bytes, which take 64 and 192


def test_memory_of_a_call() -> None:
    """Parts are multiples of 64 bytes, and 64 bytes are for where the memory of a caller begins."""
    assert memory_of(Code(scratch=9, tasks=9), 3) == Memory(0, 0, 0, 0)
    found = memory_of(Code("f", scratch=65, tasks=9), 30)
    # 30 addresses and the few words before them; 32 words and two for each task; one for each task.
    assert (found.scratch, found.sync, found.each) == (128, 448, 128)
    assert found.bases % 64 == 0 and 240 < found.bases <= 320
    assert found.arena == 64 + 128 + found.bases + 448


@pytest.mark.parametrize(
    ("size", "trips", "is_short"), [(4, 1, True), (4, 64, True), (1 << 16, 64, False), (1 << 24, 1, False)]
)
def test_loops_whose_bodies_threads_share(size: int, trips: int, is_short: bool) -> None:
    """Starting threads pays where bodies compute for long in all, though nothing beside the loop does."""
    type = f"tensor<{size}xf32>"
    text = f"""
func.func @main(%x: {type}) -> {type} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<{trips}> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, {type}
  cond {{
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.sine %y : {type}
    stablehlo.return %j, %z : tensor<i32>, {type}
  }}
  return %r#1 : {type}
}}"""
    function = native_function(shlo.parse(text), "main", False)
    assert function_code(function, "lib", "main").is_short is is_short


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("a b~", '"a b~"'),
        ('"\\?', '"\\042\\134\\077"'),
        ("\n\x7f\x1f", '"\\012\\177\\037"'),
        ("\u00e9", '"\\303\\251"'),
    ],
)
def test_string_literals(text: str, literal: str) -> None:
    assert quoted(text) == literal


def test_weights() -> None:
    """Each array once, at multiples of 64 bytes, in the order of its elements; and a checksum."""
    weights = Weights()
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert [weights.add(each) for each in (array, array, array.T, array[0], array[1])] == [0, 0, 64, 128, 192]
    assert weights.add(np.zeros(20)) == 256 and weights.size == 448
    stream = io.BytesIO()
    weights.write(stream)
    data = stream.getvalue()
    assert len(data) == weights.size and weights.checksum == crc32(data)
    parts = [
        np.frombuffer(data, np.int32, count, at).tolist()
        for at, count in ((0, 7), (64, 6), (128, 3), (192, 3))
    ]
    assert parts == [[0, 1, 2, 3, 4, 5, 0], [0, 3, 1, 4, 2, 5], [0, 1, 2], [3, 4, 5]]


def test_names_of_templates() -> None:
    text = "prefix_a PREFIX_B prefixes PREFIX_NAME_T PREFIX_NAMED prefix my_prefix_x"
    assert named(text, "lib") == "lib_a LIB_B prefixes lib_T LIB_NAMED prefix my_prefix_x"
    assert [identifier(text) for text in ("a.b", "_a", "1", "", "a-b_c")] == [
        "a_b",
        "m_a",
        "m1",
        "m",
        "a_b_c",
    ]


def test_the_header() -> None:
    text = header("lib", [compiled(Code())], False)
    inputs = ["x 2x3 f32", "k scalar i32", "e 0 i8", "z 2 complex?f64?"]
    listed = "".join([f"     {index}: {each}\n" for index, each in enumerate(inputs)])
    assert f"/* @main\n   inputs:\n{listed}" in text
    assert "   outputs:\n     0: scalar i32\n     1: 2x3 f32\n" in text
    assert (
        "int lib_run(const void *const *inputs, void *const *outputs, const lib_options *options);\n" in text
    )
    assert "const lib_function *lib_run_info(void);\n" in text
    close = "void lib_weights_close(lib_weights *weights);"
    assert close in header("lib", [], True) and close not in header("lib", [], False)


@pytest.mark.parametrize("has_file", [False, True])
@pytest.mark.parametrize(
    ("library", "libraries", "kind", "linked"),
    [
        ("liblib.so", [], "SHARED", "pthread;m"),
        ("liblib.a", ["lapack", "/a/libblas.so"], "STATIC", "pthread;m;lapack;/a/libblas.so"),
    ],
)
def test_an_example(library: str, libraries: list[str], kind: str, linked: str, has_file: bool) -> None:
    """It takes the path of weights before the inputs where they are in a file."""
    texts = example("lib", "lib_run", library, has_file, libraries)
    assert [*texts] == ["example.c", "example.cpp", "CMakeLists.txt"]
    made = texts["CMakeLists.txt"]
    assert f"add_library(lib {kind} IMPORTED)" in made and library in made
    assert f'INTERFACE_LINK_LIBRARIES "{linked}")' in made
    for name, null in (("example.c", "NULL"), ("example.cpp", "nullptr")):
        text = texts[name]
        assert "lib_run(" in text and not re.search(r"@[A-Z]|prefix_|PREFIX_", text)
        assert ("     example WEIGHTS [INPUT...]\n" if has_file else "     example [INPUT...]\n") in text
        for line in (f"lib_weights *weights = {null};", "lib.weights", "lib_weights_close(weights);"):
            assert text.count(line) == has_file


def test_what_the_driver_checks() -> None:
    weights = Weights()
    weights.add(np.zeros(2, np.int8))
    weights.write(io.BytesIO())
    machine = Machine("x86_64-unknown-linux-gnu", "x", "")
    text = driver("lib", ["BODY\n"], [], weights, Target("x", machine, ("avx2", "fma")), True)
    for line in ("WEIGHTS_BYTES 64", f"WEIGHTS_CHECKSUM {weights.checksum}u", "ALIGNMENT 64", "SYNC_SIZE 32"):
        assert f"#define {line}\n" in text
    for lacking in ("avx2", "fma"):
        assert f"this processor has no {lacking}; the library was built for x processors: avx2, fma" in text
    assert '__builtin_cpu_supports("avx2")' in text and '__builtin_cpu_supports("fma")' in text
    assert "BODY\n" in text and "prefix_" not in text


# Targets

# The levels of the psABI of x86-64: the features of each and of those below, by the names of compilers.
_V3 = "popcnt sse3 sse4.1 sse4.2 ssse3 avx avx2 bmi bmi2 f16c fma lzcnt movbe"
_V4 = f"{_V3} avx512f avx512bw avx512cd avx512dq avx512vl"


@pytest.mark.parametrize(
    ("name", "triple", "has", "lacks", "tools"),
    [
        ("x86_64-v3", "x86_64-unknown-linux-gnu", _V3, "avx512f", ""),
        ("x86_64-v4", "x86_64-unknown-linux-gnu", _V4, "avx512vnni", ""),
        ("aarch64", "aarch64-unknown-linux-gnu", "neon fp-armv8", "avx2", "aarch64-linux-gnu-"),
    ],
)
def test_targets(
    name: str, triple: str, has: str, lacks: str, tools: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, "host", lambda: Machine("x86_64-unknown-linux-gnu", "x", ""))
    found = find_target(name)
    features = found.machine.features.split(",")
    assert (found.name, found.machine.triple, found.tools) == (name, triple, tools)
    assert {f"+{each}" for each in has.split()} <= set(features) and f"+{lacks}" not in features
    # What some compilers do not know is not asked about.
    assert set(found.required) == (
        {each[1:] for each in features} - {"f16c", "lzcnt", "movbe"} if not tools else set()
    )
    monkeypatch.setattr(target, "host", lambda: Machine("aarch64-unknown-linux-gnu", "x", ""))
    assert found.tools == ("" if tools else "x86_64-linux-gnu-")


def test_features_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code uses those that a compiler can ask about, and no others of their families."""
    features = "+sse3,+avx,+avx2,+avx512fp16,-avx512f,+amx-tile,+sse4a,+fma4,+xop,+tbm,+cx16,+gfni"
    monkeypatch.setattr(target, "host", lambda: Machine("x86_64-unknown-linux-gnu", "x", features))
    found = find_target("native")
    assert found.machine.features == (
        "+sse3,+avx,+avx2,-avx512fp16,-avx512f,-amx-tile,-sse4a,-fma4,-xop,-tbm,+cx16,+gfni"
    )
    assert found.required == ("sse3", "avx", "avx2", "gfni")
    other = Machine("aarch64-unknown-linux-gnu", "x", "+neon")
    monkeypatch.setattr(target, "host", lambda: other)
    assert find_target("native") == Target("native", other, ())
    with pytest.raises(
        ValueError, match=r"^no target x; the targets are native, x86_64-v3, x86_64-v4, aarch64$"
    ):
        find_target("x")


# Wheels


def test_a_wheel(tmp_path: Path) -> None:
    library = tmp_path / "libm.so"
    library.write_bytes(b"code")
    machine = Machine("aarch64-unknown-linux-gnu", "x", "")
    path = write_wheel(tmp_path, "m", "# module\n", [library], Target("x", machine, ()))
    assert path == tmp_path / "m-1.0-py3-none-linux_aarch64.whl"
    archive = zipfile.ZipFile(path)
    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    record = texts.pop("m-1.0.dist-info/RECORD")
    assert texts == {
        "m/libm.so": "code",
        "m/__init__.py": "# module\n",
        "m-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: m\nVersion: 1.0\n"
        "Summary: A program that shlo build has compiled\nRequires-Python: >=3.10\nRequires-Dist: numpy\n",
        "m-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: shlo build\nRoot-Is-Purelib: false\n"
        "Tag: py3-none-linux_aarch64\n",
    }
    *rows, last = csv.reader(io.StringIO(record))
    assert last == ["m-1.0.dist-info/RECORD", "", ""]
    for (name, digest, size), (known, text) in zip(rows, texts.items(), strict=True):
        made = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        assert (name, digest, size) == (known, f"sha256={made}", str(len(text)))
    for entry in archive.infolist():
        assert (entry.external_attr >> 16, entry.date_time[0]) == (0o644, 1980)
        assert entry.compress_type == zipfile.ZIP_DEFLATED


def test_the_module_of_a_wheel() -> None:
    text = package("lib", [compiled(Code())], "liblib.so")
    assert '"run"' in text and 'run = Function("lib_run")' in text and "liblib.so" in text
    assert (
        '"complex<f64>": "complex128", "f32": "float32", "i16": "int16", "i32": "int32", "i8": "int8"' in text
    )
    assert "@" not in text.replace("@property", "").replace("@staticmethod", "")


# The toolchain


def test_what_the_compiler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[list[str], Any]] = []

    def started(command: list[Any], **options: Any) -> Any:
        told.append(([str(command[0]), *command[1:]], options["cwd"]))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(toolchain.subprocess, "run", started)
    monkeypatch.setenv("CC", "my-cc -m64")
    monkeypatch.setenv("AR", "my-ar")
    tools = Toolchain()
    objects = tools.compiled([tmp_path / "a.c", tmp_path / "b.S"])
    assert objects == [tmp_path / "a.c.o", tmp_path / "b.S.o"]
    tools.link(objects, tmp_path / "libm.so", ["blas", "/lib/liblapack.so"])
    tools.archive(objects, tmp_path / "libm.a")
    flags = ["-O2", "-fPIC", "-fvisibility=hidden"]
    link = ["-shared", "-Wl,-z,defs,-z,noexecstack,-z,nodelete", "-Wl,-soname,libm.so", "a.c.o", "b.S.o"]
    assert [command for command, _ in told] == [
        ["my-cc", "-m64", *flags, "-c", "a.c", "-o", "a.c.o"],
        ["my-cc", "-m64", *flags, "-c", "b.S", "-o", "b.S.o"],
        ["my-cc", "-m64", *link, "-o", "libm.so", "-lblas", "/lib/liblapack.so", "-lpthread", "-lm"],
        ["my-ar", "rcs", "libm.a", "a.c.o", "b.S.o"],
    ]
    assert {folder for _, folder in told} == {tmp_path}


def test_the_names_of_the_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("AR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"^no C compiler: cc is not found"):
        Toolchain().check()
    with pytest.raises(ToolchainError, match=r"^no C compiler for the target: t-gcc is not found"):
        Toolchain("t-").check()
    for name, status in (("t-gcc", 0), ("t-ar", 3)):
        lines = "".join([f"echo line{n} >&2\n" for n in range(25)])
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}exit {status}\n")
        (tmp_path / name).chmod(0o755)
    Toolchain("t-").check()
    Toolchain("t-").link([], tmp_path / "a.so")
    shown = "\n".join([f"line{n}" for n in range(20)])
    with pytest.raises(ToolchainError) as raised:
        Toolchain("t-").archive([], tmp_path / "a.a")
    assert str(raised.value) == f"t-ar fails with status 3:\n{shown}"

    def late(command: Any, **options: Any) -> Any:
        assert options["timeout"] == 600
        raise subprocess.TimeoutExpired(command, 600)

    monkeypatch.setattr(toolchain.subprocess, "run", late)
    with pytest.raises(ToolchainError, match=r"^t-gcc takes longer than 600 seconds$"):
        Toolchain("t-").link([], tmp_path / "a.so")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("echo out\necho error >&2\n", "error"),
        ("echo out\n", "out"),  # some compilers print errors there
        ("", ""),
    ],
)
def test_what_a_tool_prints(lines: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tool").write_text(f"#!/bin/sh\n{lines}exit 2\n")
    (tmp_path / "tool").chmod(0o755)
    for variable in ("CC", "AR"):
        monkeypatch.setenv(variable, str(tmp_path / "tool"))
    for run in (Toolchain().link, Toolchain("t-").archive):
        with pytest.raises(ToolchainError) as raised:
            run([], tmp_path / "a.so")
        assert str(raised.value) == f"{tmp_path}/tool fails with status 2:\n{said}"


@pytest.mark.parametrize("variable", ["CC", "AR"])
@pytest.mark.parametrize(("tools", "names"), [("", ("cc", "ar")), ("t-", ("t-gcc", "t-ar"))])
@pytest.mark.parametrize("value", ["", None, "x -y"])
def test_variables_name_other_tools(
    variable: str,
    tools: str,
    names: tuple[str, str],
    value: str | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """An empty one names none."""
    told: list[list[str]] = []

    def started(command: list[Any], **options: Any) -> Any:
        told.append([Path(command[0]).name, *command[1:2]])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(toolchain.subprocess, "run", started)
    for each in ("CC", "AR"):
        monkeypatch.delenv(each, raising=False)
    if value is not None:
        monkeypatch.setenv(variable, value)
    chain = Toolchain(tools)
    chain.compiled([tmp_path / "a.c"])
    chain.archive([], tmp_path / "a.a")
    expected = [[names[0], "-O2"], [names[1], "rcs"]]
    if value:
        expected[["CC", "AR"].index(variable)] = ["x", "-y"]
    assert told == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "1a"}, "1a is no name in C"),
        ({"name": "_a"}, "_a is no name in C"),
        ({"name": "a", "wheel": True, "static": True}, "a wheel has a shared library"),
        ({"name": "a", "wheel": True, "link": False}, "a wheel has a shared library"),
        ({"name": "class", "wheel": True}, "a name that Python can import"),
    ],
)
def test_requests_that_are_wrong(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        build_library(shlo.parse(PROGRAM), Request(**options), tmp_path)


def test_other_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ToolchainError, match="libraries are built on Linux, for Linux"):
        build_library(shlo.parse(PROGRAM), Request("a"), tmp_path)
