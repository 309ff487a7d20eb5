"""The PJRT engine: XLA on one device, on a grid of devices, and in several processes."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunWarning
from stablehlo_py.engines.pjrt.engine import PjrtEngine

pytest.importorskip("jax", reason="needs the extra pjrt")

TWICE = """func.func @twice(%x: tensor<2xf32>, %s: tensor<f64>) -> (tensor<2xf32>, tensor<f64>) {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0, %s : tensor<2xf32>, tensor<f64>
}"""
X = np.array([1, 2], np.float32)
SUMS = """module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {GROUPS} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.replica_id : tensor<ui32>
    %3 = stablehlo.partition_id : tensor<ui32>
    return %0, %2, %3 : tensor<2xf32>, tensor<ui32>, tensor<ui32>
  }
}"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"
FLATTENED = f"replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, {CHANNEL}, use_global_device_ids"
STRATEGIES = {  # the sums of 1, 10, 100 and 1000 in each process of the grid (0,0), (0,1), (1,0), (1,1)
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>": [101, 1010, 101, 1010],
    f"replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, {CHANNEL}": [11, 11, 1100, 1100],
    f"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, {CHANNEL}": [1111] * 4,
    FLATTENED: [1001, 110, 110, 1001],
}


def test_results_are_arrays_of_the_stated_types() -> None:
    program = shlo.compile(shlo.parse(TWICE), engine="pjrt")
    doubled, same = program(X, 0.1)
    assert doubled.tolist() == [2, 4] and doubled.dtype == np.float32
    assert same == np.float64(0.1) and same.dtype == np.float64
    doubled[0] = 5
    assert "f32[2]" in str(program.plan)
    assert program.engine == "pjrt" and set(program.seconds) == {"jax", "xla"}


def test_checks_run_on_the_host_and_fail_at_their_position() -> None:
    text = TWICE.replace(
        "  return", "  check.expect_eq_const %0, dense<[2.0, 4.0]> : tensor<2xf32>\n  return"
    )
    program = shlo.compile(shlo.parse(text), engine="pjrt")
    assert program(X, 0.1)[0].tolist() == [2, 4]
    with pytest.raises(shlo.RunError, match="2 of 2 elements are not equal") as caught:
        program(X + 1, 0.1)
    assert caught.value.diagnostic is not None and caught.value.diagnostic.line == 3


def test_ops_of_other_dialects_are_given_to_xla_as_text() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    assert shlo.run(shlo.parse(text), [X], engine="pjrt")[0].tolist() == [1, 4]


def test_dynamic_shapes_are_those_of_the_inputs() -> None:
    text = TWICE.replace("2xf32", "?xf32")
    program = shlo.compile(shlo.parse(text), engine="pjrt")
    for size in (2, 3):
        assert program(np.ones(size, np.float32), 0.0)[0].tolist() == [2] * size


@pytest.mark.parametrize("groups", STRATEGIES)
def test_a_grid_runs_on_as_many_devices(groups: str) -> None:
    module = shlo.parse(SUMS.replace("GROUPS", groups))
    program = shlo.compile(module, engine="pjrt")
    inputs = {place: [X * 0 + 10**i] for i, place in enumerate(program.process_ids())}
    found = program.call_grid(inputs)
    assert [int(found[place][0][0]) for place in program.process_ids()] == STRATEGIES[groups]
    assert all((int(r), int(p)) == place for place, (_, r, p) in found.items())


def test_shardings_are_for_xla_and_arrays_are_global() -> None:
    text = """module attributes {mhlo.num_partitions = 4 : i32} {
      sdy.mesh @mesh = <["x"=4]>
      func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
          %b: tensor<4x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
        %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
        return %0 : tensor<8x8xf32>
      }
    }"""
    a, b = np.arange(32, dtype=np.float32).reshape(8, 4), np.ones((4, 8), np.float32)
    (found,) = shlo.compile(shlo.parse(text), engine="pjrt")(a, b)
    assert np.array_equal(found, a @ b)


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>", "XLA: "),
        ("stablehlo.custom_call @mystery(%x) : (tensor<2xf32>) -> tensor<2xf32>", "mystery"),
    ],
)
def test_what_xla_says_is_the_error(op: str, words: str) -> None:
    result = op.rpartition("-> ")[2]
    text = f"func.func @main(%x: tensor<2xf32>) -> {result} {{\n  %0 = {op}\n  return %0 : {result}\n}}"
    with pytest.raises(shlo.Unsupported, match=words) as caught:
        shlo.compile(shlo.parse(text), engine="pjrt")
    if caught.value.diagnostic is not None:
        assert (caught.value.diagnostic.line, caught.value.diagnostic.column) == (2, 8)


def test_what_the_engine_cannot_do_is_an_error() -> None:
    module = shlo.parse(TWICE)
    with pytest.raises(shlo.Unsupported, match="cannot stop a running program"):
        shlo.compile(module, engine="pjrt", timeout=1)
    with pytest.raises(shlo.RunError, match="platform abacus is not available"):
        shlo.compile(module, engine=PjrtEngine(platform="abacus"))
    token = "func.func @main(%t: !stablehlo.token) { return }"
    with pytest.raises(shlo.Unsupported, match="only arrays"):
        shlo.compile(shlo.parse(token), engine="pjrt")


def test_an_entry_of_another_name_is_the_entry() -> None:
    text = """module {
      func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }
      func.func @other(%x: tensor<i32>) -> tensor<i32> {
        %0 = call @main(%x) : (tensor<i32>) -> tensor<i32>
        %1 = stablehlo.add %0, %0 : tensor<i32>
        return %1 : tensor<i32>
      }
    }"""
    assert shlo.run(shlo.parse(text), [3], entry="other", engine="pjrt")[0] == 6


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def run_in(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=400)


@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_run_a_grid_together(count: int, tmp_path: Path) -> None:
    (tmp_path / "sums.mlir").write_text(SUMS.replace("GROUPS", FLATTENED))
    inputs = []
    for i, place in enumerate(["0,0", "0,1", "1,0", "1,1"]):
        np.save(tmp_path / f"x{i}.npy", X * 0 + 10**i)
        inputs += ["-a", f"@{place}=x{i}.npy"]
    cluster = ["--engine", "pjrt", "--platform", "cpu", "--coordinator", f"127.0.0.1:{free_port()}"]
    command = [sys.executable, "-m", "stablehlo_py", "run", "sums.mlir", *cluster, "--processes", str(count)]
    options = [*inputs, "--format", "json", "-o", "out{rank}.npz"]
    commands = [[*command, "--process", str(i), *options] for i in range(count)]
    with ThreadPoolExecutor() as threads:
        ended = list(threads.map(lambda each: run_in(tmp_path, each), commands))
    found: dict[tuple[int, int], Any] = {}
    for i, process in enumerate(ended):
        assert process.returncode == 0, process.stderr
        assert (tmp_path / f"out{i}.npz").exists()
        for result in json.loads(process.stdout)["results"]:
            found.setdefault(tuple(result["process"]), []).append(result["data"])
    assert [found[place][0][0] for place in [(0, 0), (0, 1), (1, 0), (1, 1)]] == STRATEGIES[FLATTENED]


RUN_FILES = """if True:
    import sys, numpy as np, stablehlo_py as shlo
    for name in sys.argv[1:]:
        given = np.load(name + ".in.npz")
        found = shlo.run(shlo.load(name + ".mlir"), list(given.values()), engine="pjrt")
        np.savez(name + ".out.npz", *found)
"""


def test_programs_of_linear_algebra_run_in_a_process_that_jax_did_not_trace_them_in(tmp_path: Path) -> None:
    """LAPACK's targets without LAPACK's routines end the process."""
    import jax
    import jax.numpy as jnp
    import jax.scipy.linalg as jsl

    a = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    functions = {
        "qr": jnp.linalg.qr,
        "lu": jsl.lu,
        "cholesky": lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(4)),
        "eigh": lambda x: jnp.linalg.eigh(x + x.T),
        "eig": jnp.linalg.eigvals,
        "svd": jnp.linalg.svd,
        "schur": jsl.schur,
        "hessenberg": jsl.hessenberg,
        "solve": lambda x: jnp.linalg.solve(x, x.T),
        "fft": jnp.fft.fft,
    }
    for name, function in functions.items():
        (tmp_path / f"{name}.mlir").write_text(
            jax.jit(function).trace(a).lower(lowering_platforms=("cpu",)).as_text()
        )
        np.savez(tmp_path / f"{name}.in.npz", a)
    done = run_in(tmp_path, [sys.executable, "-c", RUN_FILES, *functions])
    assert done.returncode == 0, done.stderr
    for name in functions:
        ours = shlo.run(shlo.load(tmp_path / f"{name}.mlir"), [a], engine="numpy")
        for found, expected in zip(np.load(tmp_path / f"{name}.out.npz").values(), ours, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4, err_msg=name)


CALLBACKS = [
    "xla_ffi_python_cpu_callback",
    "xla_ffi_partitioned_python_cpu_callback",
    "xla_buffer_python_cpu_callback",
]


@pytest.mark.parametrize("form", ["ffi", "ffi_partitioned", "buffer"])
def test_callbacks_of_another_process_never_reach_xla(form: str) -> None:
    """Their attribute is the number of a function of that process: XLA would call what it finds there."""
    config = "backend_config = {index = 3 : ui64}, has_side_effect = true, api_version = 4 : i32"
    call = f"stablehlo.custom_call @xla_{form}_python_cpu_callback(%0) {{{config}}} : (tensor<2xf32>) ->"
    text = TWICE.replace("  return", f"  {call} ()\n  return")
    with pytest.warns(RunWarning, match="skipped a host callback"):
        assert shlo.run(shlo.parse(text), [X, 0.1], engine="pjrt")[0].tolist() == [2, 4]
    text = TWICE.replace("  return %0,", f"  %1 = {call} tensor<2xf32>\n  return %1,")
    with pytest.raises(shlo.Unsupported, match="a host callback with results"):
        shlo.run(shlo.parse(text), [X, 0.1], engine="pjrt")


def test_jax_is_imported_by_this_engine_alone() -> None:
    code = (
        "import sys, numpy, stablehlo_py as shlo\n"
        "shlo.run(shlo.parse(sys.argv[1]), [numpy.ones(2, numpy.float32), 0.0], engine='numpy')\n"
        "sys.exit('jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, TWICE], check=False, timeout=300)
    assert done.returncode == 0


def test_a_process_without_its_input_ends_the_others(tmp_path: Path) -> None:
    """The other one waits for the sum of both, and is told that there will be none."""
    text = (
        'sdy.mesh @mesh = <["x"=2]>\n'
        'func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {\n'
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
        "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"
    )
    (tmp_path / "sum.mlir").write_text(text)
    np.save(tmp_path / "x0.npy", np.ones(4, np.float32))
    cluster = ["--engine", "pjrt", "--platform", "cpu", "--coordinator", f"127.0.0.1:{free_port()}"]
    command = [sys.executable, "-m", "stablehlo_py", "run", "sum.mlir", *cluster, "-a", "x{rank}.npy"]
    commands = [[*command, "--processes", "2", "--process", str(i)] for i in range(2)]
    with ThreadPoolExecutor() as threads:
        first, second = threads.map(lambda each: run_in(tmp_path, each), commands)
    assert second.returncode == 2 and "x1.npy: No such file" in second.stderr
    assert first.returncode == 1
    assert "another process failed: process 1 ended before the program" in first.stderr


def test_several_processes_divide_a_program(tmp_path: Path) -> None:
    """Each has two of four devices, reads the shards of them, and writes its slices."""
    text = (
        "func.func @main(%x: tensor<8x4xi32>, %w: tensor<4x6xi32>) -> tensor<8x6xi32> {\n"
        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
        "(tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>\n  return %0 : tensor<8x6xi32>\n}"
    )
    (tmp_path / "product.mlir").write_text(text)
    x, w = np.arange(32, dtype=np.int32).reshape(8, 4), np.arange(24, dtype=np.int32).reshape(4, 6)
    np.savez(tmp_path / "inputs.npz", x=x, w=w)
    cluster = ["--engine", "pjrt", "--platform", "cpu", "--coordinator", f"127.0.0.1:{free_port()}"]
    sharded = ["--mesh", "data=2,model=2", "--shard", "x=[{model},{data}]", "--shard", "w=[{data},{}]"]
    files = ["-a", "inputs.npz", "-o", "out.npz"]
    command = [sys.executable, "-m", "stablehlo_py", "run", "product.mlir", *cluster, *sharded, *files]
    commands = [[*command, "--processes", "2", "--process", str(i)] for i in range(2)]
    with ThreadPoolExecutor() as threads:
        ended = list(threads.map(lambda each: run_in(tmp_path, each), commands))
    assert [process.returncode for process in ended] == [0, 0], ended[0].stderr + ended[1].stderr
    for data in range(2):
        arrays = np.load(tmp_path / f"out.data{data}_model0.npz")
        for model in range(2):
            rows = slice(4 * model, 4 * model + 4)
            name = f"out0[{rows.start}:{rows.stop},0:6]_0_{2 * data + model}"
            assert arrays[name].tolist() == (x @ w)[rows].tolist()
