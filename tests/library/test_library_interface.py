"""The C interface of libraries: status codes, tables, memory, threads, symbols, two in one process."""

from __future__ import annotations

import subprocess
from io import BytesIO
from pathlib import Path
from shutil import which
from zlib import crc32

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.library.build import Request, build_library
from stablehlo_py.library.weights import Weights
from tests.library.building import ALL_ADDRESSES, build, compile_c, needs_compiler

pytestmark = needs_compiler

ADD = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
func.func @"double it"(%x: tensor<f32> {jax.arg_info = "p['a\\22*/']"})
    -> (tensor<f32> {jax.result_info = "result"}) {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}"""

# Sorts need memory of their own; each row is one of a task that threads share.
ROWS = """
func.func @main(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<512x256xf32>) -> tensor<512x256xf32>
  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<512xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %3 = stablehlo.exponential %2 : tensor<512x256xf32>
  %4 = stablehlo.add %3, %0 : tensor<512x256xf32>
  return %4 : tensor<512x256xf32>
}"""

BEGIN = r"""
#include "model.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef NDEBUG
int main(void) {
"""
END = "  return 0;\n}\n"


def run(body: str, folder: Path, *flags: str, before: tuple[str, ...] = (), compiler: str = "cc") -> None:
    """Compile and run the body of a main function beside the library of a folder."""
    source = BEGIN + body + END
    program = compile_c(source, folder, *flags, libraries=[*folder.glob("libmodel.*")], compiler=compiler)
    subprocess.run([*ALL_ADDRESSES, *before, str(program)], check=True, timeout=300, cwd=folder)


SIX = """
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 1, 1, 1, 1, 1}, z[6] = {0};
  const void *inputs[] = {x, y};
  void *outputs[] = {z};
"""


def test_a_wrong_call_is_an_error_that_writes_nothing(tmp_path: Path) -> None:
    build(ADD, tmp_path)
    run(
        SIX
        + r"""
  const void *missing[] = {x, NULL}, *crooked[] = {x, (char *)y + 1};
  void *nothing[] = {NULL};
  model_options other = MODEL_OPTIONS, small = MODEL_OPTIONS, many = MODEL_OPTIONS, loaded = MODEL_OPTIONS;
  other.abi_version = 2;
  small.arena = x;
  small.arena_bytes = model_run_info()->arena_bytes - 1;
  many.threads = 65;
  loaded.weights = (const model_weights *)x;
  assert(model_run(inputs, outputs, &other) == MODEL_ERROR_ABI_VERSION);
  assert(model_run(missing, outputs, NULL) == MODEL_ERROR_INPUT);
  assert(model_run(crooked, outputs, NULL) == MODEL_ERROR_INPUT);
  assert(model_run(NULL, outputs, NULL) == MODEL_ERROR_INPUT);
  assert(model_run(inputs, nothing, NULL) == MODEL_ERROR_OUTPUT);
  assert(model_run(inputs, NULL, NULL) == MODEL_ERROR_OUTPUT);
  assert(model_run(inputs, outputs, &small) == MODEL_ERROR_ARENA);
  assert(model_run(inputs, outputs, &many) == MODEL_ERROR_THREADS);
  assert(model_run(inputs, outputs, &loaded) == MODEL_ERROR_WEIGHTS);
  for (int i = 0; i < 6; i++)
    assert(z[i] == 0);
  assert(strstr(model_status_text(MODEL_ERROR_ABI_VERSION), "ABI"));
  assert(strcmp(model_status_text(MODEL_ERROR_INPUT), model_status_text(MODEL_ERROR_OUTPUT)));
  assert(model_abi_version() == MODEL_ABI_VERSION);
  assert(model_run(inputs, outputs, NULL) == MODEL_OK && z[0] == 4 && z[5] == 49);
""",
        tmp_path,
    )


def test_tables_describe_each_function(tmp_path: Path) -> None:
    build(ADD, tmp_path, entries=("main", "double it"))
    run(
        r"""
  const model_function *run = model_run_info(), *other = model_double_it_run_info();
  float x = 3, y = 0;
  const void *inputs[] = {&x};
  void *outputs[] = {&y};
  assert(!strcmp(run->name, "main") && run->input_count == 2 && run->output_count == 1);
  assert(!strcmp(run->inputs[1].name, "y") && !strcmp(run->inputs[0].element_type, "f32"));
  assert(run->inputs[0].rank == 2 && run->inputs[0].shape[0] == 2 && run->inputs[0].shape[1] == 3);
  assert(run->inputs[0].bytes == 24 && run->inputs[0].element_bytes == 4 && run->inputs[0].alignment == 4);
  assert(!strcmp(other->name, "double it") && other->inputs[0].rank == 0 && other->inputs[0].bytes == 4);
  assert(strstr(other->inputs[0].name, "a\"*/"));
  assert(!strcmp(other->outputs[0].name, "result"));
  assert(model_double_it_run(inputs, outputs, NULL) == MODEL_OK && y == 6);
""",
        tmp_path,
    )


THREADS = r"""
  const model_function *info = model_run_info();
  size_t count = 512 * 256, most = info->arena_bytes + 2 * info->arena_bytes_per_thread;
  assert(info->arena_bytes_per_thread > 0);
  float *x = malloc(4 * count), *one = malloc(4 * count), *three = malloc(4 * count);
  char *arena = malloc(most + 1);
  const void *inputs[] = {x};
  void *outputs[] = {one};
  model_options options = MODEL_OPTIONS;
  for (size_t i = 0; i < count; i++)
    x[i] = (float)(i * 7919 % 1009) / 1e6f;
  assert(model_run(inputs, outputs, NULL) == MODEL_OK);
  options.threads = 3;
  options.arena = arena;
  options.arena_bytes = most;
  memset(arena, 0x7f, most + 1);
  outputs[0] = three;
  assert(model_run(inputs, outputs, &options) == MODEL_OK);
  assert(!memcmp(one, three, 4 * count) && arena[most] == 0x7f);
  options.arena_bytes = most - 1;
  assert(model_run(inputs, outputs, &options) == MODEL_ERROR_ARENA);
  free(x), free(one), free(three), free(arena);
"""


COUNTED = r"""
#include "model.h"
#include <stdlib.h>
#undef NDEBUG
#include <assert.h>
static size_t count, bytes;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  count++, bytes += size;
  return __real_malloc(size);
}
static float x[512 * 256], z[512 * 256];
int main(void) {
  const void *inputs[] = {x};
  void *outputs[] = {z};
  assert(model_run(inputs, outputs, NULL) == MODEL_OK);
  assert(count == 1 && bytes == model_run_info()->arena_bytes);
  return 0;
}
"""


def test_a_call_allocates_its_arena_once(tmp_path: Path) -> None:
    archive, *_ = build(ROWS, tmp_path, static=True)
    program = compile_c(COUNTED, tmp_path, "-Wl,--wrap=malloc", libraries=[archive])
    subprocess.run([str(program)], check=True, timeout=60)


def test_threads_and_the_arena_of_the_caller_change_no_result(tmp_path: Path) -> None:
    build(ROWS, tmp_path)
    run(THREADS, tmp_path)


@pytest.mark.parametrize("static", [False, True])
def test_sanitizers_find_nothing(static: bool, tmp_path: Path) -> None:
    build(ROWS, tmp_path, static=static)
    run(THREADS, tmp_path, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


CALLERS = r"""
#include "model.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { COUNT = 512 * 256, CALLERS = 4, CALLS = 5 };
static float x[CALLERS][COUNT], expected[CALLERS][COUNT];
static void *call(void *number) {
  size_t n = (size_t)number, wrong = 0;
  const void *inputs[] = {x[n]};
  float *y = malloc(sizeof(float) * COUNT);
  void *outputs[] = {y};
  model_options options = MODEL_OPTIONS;
  options.threads = 1 + (uint32_t)n % 2;
  for (int k = 0; k < CALLS; k++) {
    memset(y, 0, sizeof(float) * COUNT);
    wrong += model_run(inputs, outputs, &options) != MODEL_OK;
    wrong += memcmp(y, expected[n], sizeof(float) * COUNT) != 0;
  }
  free(y);
  return (void *)wrong;
}
int main(void) {
  pthread_t threads[CALLERS];
  size_t failed = 0;
  for (size_t n = 0; n < CALLERS; n++) {
    const void *inputs[] = {x[n]};
    void *outputs[] = {expected[n]};
    for (size_t i = 0; i < COUNT; i++)
      x[n][i] = (float)((i + n * 31) * 7919 % 1009) / 1e6f;
    failed += model_run(inputs, outputs, NULL) != MODEL_OK;
  }
  for (size_t n = 0; n < CALLERS; n++)
    failed += pthread_create(&threads[n], NULL, call, (void *)n) != 0;
  for (size_t n = 0; n < CALLERS; n++) {
    void *wrong = NULL;
    pthread_join(threads[n], &wrong);
    failed += wrong != NULL;
  }
  return failed != 0;
}
"""


def test_threads_call_one_library_at_once(tmp_path: Path) -> None:
    files = build(ROWS, tmp_path)
    program = compile_c(CALLERS, tmp_path, libraries=files[:1])
    subprocess.run([str(program)], check=True, timeout=300)


# Threads begin when the call has ended.
LATE = r"""
#include "model.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#undef NDEBUG
#include <assert.h>
enum { COUNT = ROWS * 256 };
static float x[COUNT], expected[COUNT], y[COUNT];
static sem_t begin, ended;
typedef void *work(void *);
static work *code;
static int started;
static void *late(void *given) {
  sem_wait(&begin);
  code(given);
  sem_post(&ended);
  return NULL;
}
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, work *function, void *given);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, work *function, void *given);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, work *function, void *given) {
  started++;
  code = function;
  return __real_pthread_create(thread, how, late, given);
}
int main(void) {
  const void *inputs[] = {x};
  void *outputs[] = {expected};
  model_options options = MODEL_OPTIONS;
  for (size_t i = 0; i < COUNT; i++)
    x[i] = (float)(i * 7919 % 1009) / 1e6f;
  sem_init(&begin, 0, 0), sem_init(&ended, 0, 0);
  assert(model_run(inputs, outputs, NULL) == MODEL_OK && !started);
  outputs[0] = y;
  options.threads = 3;
  assert(model_run(inputs, outputs, &options) == MODEL_OK);
  assert(!memcmp(y, expected, sizeof y) && started == STARTED);
  memset(y, 0, sizeof y);
  for (int i = 0; i < started; i++)
    sem_post(&begin);
  for (int i = 0; i < started; i++)
    sem_wait(&ended);
  for (size_t i = 0; i < COUNT; i++)
    assert(y[i] == 0);
  return 0;
}
"""


@pytest.mark.parametrize(("rows", "started"), [("512", "2"), ("8", "0")])
def test_a_call_waits_for_no_thread_that_has_not_begun(rows: str, started: str, tmp_path: Path) -> None:
    """Nor does a short function start any; a thread that begins behind the call writes nothing."""
    archive, *_ = build(ROWS.replace("512", rows), tmp_path, static=True)
    flags = ["-Wl,--wrap=pthread_create", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    source = LATE.replace("ROWS", rows).replace("STARTED", started)
    program = compile_c(source, tmp_path, *flags, libraries=[archive])
    subprocess.run([*ALL_ADDRESSES, str(program)], check=True, timeout=60)


# A thread that begins behind the call may live when the process ends; its block is the C library's.
LIVING_THREAD = """{
  thread
  Memcheck:Leak
  match-leak-kinds: possible
  fun:calloc
  ...
  fun:pthread_create*
}
"""


@pytest.mark.skipif(which("valgrind") is None, reason="needs valgrind")
def test_valgrind_finds_nothing(tmp_path: Path) -> None:
    """Valgrind knows AVX2, and no AVX-512."""
    build(ROWS.replace("512", "160"), tmp_path, target="x86_64-v3")
    known = tmp_path / "known.supp"
    known.write_text(LIVING_THREAD)
    tool = ("valgrind", "-q", "--error-exitcode=9", "--leak-check=full", f"--suppressions={known}")
    run(THREADS.replace("512", "160"), tmp_path, before=tool)


def exported(library: Path) -> set[str]:
    """The names that a library shows to others."""
    dynamic = ["-D"] if library.suffix == ".so" else []
    command = ["nm", *dynamic, "--defined-only", "--extern-only", str(library)]
    text = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60).stdout
    return {line.split()[-1] for line in text.splitlines() if len(line.split()) == 3}


@pytest.mark.skipif(which("nm") is None, reason="needs nm")
def test_names_have_the_prefix(tmp_path: Path) -> None:
    shared, *_ = build(ADD, tmp_path)
    public = {"model_run", "model_run_info", "model_abi_version", "model_status_text"}
    assert exported(shared) == public
    archive, *_ = build(ADD, tmp_path, static=True)
    assert {name for name in exported(archive) if not name.startswith("model.")} == public


@pytest.mark.parametrize("static", [False, True])
def test_two_libraries_are_in_one_program(static: bool, tmp_path: Path) -> None:
    libraries = []
    for name, text in (("first", ADD), ("second", ADD.replace("multiply", "subtract"))):
        libraries += build_library(shlo.parse(text), Request(name, static=static), tmp_path)
    body = SIX.join(
        ['#include "first.h"\n#include "second.h"\n#undef NDEBUG\n#include <assert.h>\nint main(void) {', ""]
    )
    calls = """
  assert(first_run(inputs, outputs, NULL) == FIRST_OK && z[5] == 49);
  assert(second_run(inputs, outputs, NULL) == SECOND_OK && z[5] == 0);
"""
    program = compile_c(body + calls + END, tmp_path, libraries=libraries)
    subprocess.run([str(program)], check=True, timeout=60)


def test_the_header_is_one_of_cpp_too(tmp_path: Path) -> None:
    build(ADD, tmp_path)
    calls = "  assert(model_run(inputs, outputs, nullptr) == MODEL_OK && z[5] == 49);\n"
    run(SIX + calls, tmp_path, compiler="c++")
    example = tmp_path / "example"
    text = (example / "example.cpp").read_text()
    program = compile_c(
        text, example, libraries=[tmp_path / "libmodel.so", tmp_path / "model.h"], compiler="c++"
    )
    done = subprocess.run([str(program)], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout == "result 0: f32, 24 bytes, checksum 00000000\n"


WEIGHTS = """
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<4xi8>) {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %0 = stablehlo.add %x, %w : tensor<3xf32>
  return %0, %c : tensor<3xf32>, tensor<4xi8>
}"""

OPEN = r"""
  model_weights *weights = NULL;
  model_options options = MODEL_OPTIONS;
  float x[3] = {1, 1, 1}, y[3] = {0};
  signed char c[4] = {0};
  const void *inputs[] = {x};
  void *outputs[] = {y, c};
  assert(model_run(inputs, outputs, &options) == MODEL_ERROR_WEIGHTS);
  int status = model_weights_open("model.weights", &weights);
"""
FINE = """
  options.weights = weights;
  assert(status == MODEL_OK && model_run(inputs, outputs, &options) == MODEL_OK);
  assert(y[2] == 4 && c[3] == 4);
  model_weights_close(weights);
  model_weights_close(NULL);
"""


def test_weights_are_in_a_file_that_is_checked(tmp_path: Path) -> None:
    build(WEIGHTS, tmp_path, weights="file")
    run(OPEN + FINE, tmp_path, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    file = tmp_path / "model.weights"
    data = file.read_bytes()
    changed = OPEN + "  assert(status == MODEL_ERROR_WEIGHTS_CHANGED && !weights);\n"
    for other in (data[:-1], b"", data + b"\0", bytes([data[0] ^ 1]) + data[1:], data[:-1] + b"\1"):
        file.write_bytes(other)
        run(changed, tmp_path)
    file.unlink()
    run(OPEN + "  assert(status == MODEL_ERROR_WEIGHTS_FILE && !weights);\n", tmp_path)
    file.mkdir()
    run(OPEN + "  assert(status == MODEL_ERROR_WEIGHTS_FILE && !weights);\n", tmp_path)


def test_each_constant_is_once_and_in_its_own_order() -> None:
    array = np.arange(6, dtype=np.int8).reshape(2, 3)
    weights = Weights()
    offsets = [weights.add(each) for each in (array.T, array, array.reshape(-1), array[:, :2], array.T)]
    assert offsets == [0, 64, 64, 128, 192]
    stream = BytesIO()
    weights.write(stream)
    data = stream.getvalue()
    assert len(data) == weights.size == 256 and weights.checksum == crc32(data)
    found = [
        list(data[offset : offset + size]) for offset, size in zip(offsets, (6, 6, 6, 4, 6), strict=True)
    ]
    transposed, plain = [0, 3, 1, 4, 2, 5], [0, 1, 2, 3, 4, 5]
    assert found == [transposed, plain, plain, [0, 1, 3, 4], transposed]


def test_names_of_a_program_are_no_code(tmp_path: Path) -> None:
    text = r"""
func.func @"a */ int x = 1; /* \\ \22"(%x: tensor<f32> {jax.arg_info = "*/ #error\0A"}) -> tensor<f32> {
  return %x : tensor<f32>
}"""
    build(text, tmp_path)
    run('  assert(strstr(model_run_info()->name, "*/ int x = 1; /* \\\\ \\""));\n', tmp_path)
    assert "a ?/ int x ? 1? /? ? ?" in (tmp_path / "model.h").read_text()


def test_a_program_without_constants_has_no_file(tmp_path: Path) -> None:
    files = build(ADD, tmp_path, weights="file")
    assert not list(tmp_path.glob("*.weights")) and files[0].name == "libmodel.so"
    run(SIX + "  assert(model_run(inputs, outputs, NULL) == MODEL_OK);\n", tmp_path)
