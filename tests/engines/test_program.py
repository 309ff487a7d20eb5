# ruff: noqa: E501  (programs have long lines)
"""Programs: entry points, inputs, results, and errors with locations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo


def program(text: str, entry: str | None = None) -> Any:
    return shlo.compile(shlo.parse(text, name="test.mlir"), entry)


ADD = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def identity(type: str) -> Any:
    return program(f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}")


def test_inputs_by_position_and_by_name() -> None:
    add = program(ADD)
    assert add([1.0, 2.0], np.array([3, 4], np.float32))[0].tolist() == [4, 6]
    assert add.call({"x": [1, 2], "%y": [0.5, 0.5]})[0].tolist() == [1.5, 2.5]


def test_inputs_that_do_not_fit() -> None:
    add = program(ADD)
    with pytest.raises(shlo.RunError, match="@main takes 2 inputs, 1 given"):
        add([1.0, 2.0])
    with pytest.raises(
        shlo.RunError, match="no argument named z; known arguments: x, y; missing: %y: tensor<2xf32>"
    ):
        add.call({"x": [1.0, 2.0], "z": [1.0, 2.0]})
    with pytest.raises(shlo.RunError, match=r"input 1 \(%y\) has shape 3, expected tensor<2xf32>"):
        add([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(shlo.RunError, match=r"input 0 \(%x\) is an array of float64, expected tensor<2xf32>"):
        add(np.zeros(2), [1.0, 2.0])


@pytest.mark.parametrize(
    ("value", "type"),
    [(1.5, "i32"), (300, "i8"), (-1, "ui8"), (True, "i32"), (1, "i1"), (1j, "f32"), ("a", "f32")],
)
def test_lossy_conversions_are_refused(value: Any, type: str) -> None:
    with pytest.raises(shlo.RunError, match="input 0"):
        identity(f"tensor<{type}>")(value)


@pytest.mark.parametrize(
    ("value", "type"), [(3, "f32"), (0.1, "f32"), (3, "bf16"), (7, "i4"), (True, "i1"), (2, "complex<f32>")]
)
def test_python_numbers_become_elements(value: Any, type: str) -> None:
    (found,) = identity(f"tensor<{type}>")(value)
    assert isinstance(found, np.ndarray) and found.shape == ()
    assert complex(found) == pytest.approx(complex(value))


def test_arrays_that_forgot_their_type() -> None:
    raw = np.array([1.0, 2.5], ml_dtypes.bfloat16).view("V2")
    assert identity("tensor<2xbf16>")(raw)[0].astype(float).tolist() == [1, 2.5]


def test_dynamic_dimensions_and_bounds() -> None:
    assert identity("tensor<?x2xf32>")(np.zeros((5, 2), np.float32))[0].shape == (5, 2)
    with pytest.raises(shlo.RunError, match="has shape 5x3"):
        identity("tensor<?x2xf32>")(np.zeros((5, 3), np.float32))
    bounded = identity("tensor<?xf32, #stablehlo.bounds<4>>")
    assert bounded(np.zeros(4, np.float32))[0].shape == (4,)
    with pytest.raises(shlo.RunError, match="has shape 5"):
        bounded(np.zeros(5, np.float32))


def test_tuples() -> None:
    swap = program("""
      func.func @main(%x: tuple<tensor<f32>, tensor<i32>>) -> tuple<tensor<i32>, tensor<f32>> {
        %0 = "stablehlo.get_tuple_element"(%x) <{index = 0 : i32}> : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
        %1 = "stablehlo.get_tuple_element"(%x) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
        %2 = stablehlo.tuple %1, %0 : tuple<tensor<i32>, tensor<f32>>
        return %2 : tuple<tensor<i32>, tensor<f32>>
      }""")
    assert swap((1.5, 2)) == [(2, 1.5)]
    with pytest.raises(shlo.RunError, match="expected a tuple of 2"):
        swap((1.5,))


def test_results_are_fresh() -> None:
    """Neither an input, nor a constant, nor another result is given away."""
    run = program("""
      func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
        %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
        %r = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
        return %x, %c, %r, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
      }""")
    x = np.array([7, 8, 9], np.float32)
    for result in run(x):
        result[:] = 0
    assert x.tolist() == [7, 8, 9]
    assert [r.tolist() for r in run(x)] == [[7, 8, 9], [1, 2, 3], [9, 8, 7], [1, 2, 3]]


def test_entry() -> None:
    text = "func.func @a() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  return %0 : tensor<i32>\n}\n"
    assert program(text)()[0] == 1
    both = text + text.replace("@a", "@b").replace("dense<1>", "dense<2>")
    assert program(both, "b")()[0] == 2
    with pytest.raises(shlo.RunError, match="no function @main; the module has @a, @b"):
        program(both)
    with pytest.raises(shlo.RunError, match="no function @c; the module has @a, @b"):
        program(both, "c")


def test_errors_say_where() -> None:
    text = """func.func @main(%x: tensor<i32>) {
  %0 = stablehlo.constant dense<2> : tensor<i32>
  check.expect_eq %x, %0 : tensor<i32>
  return
}"""
    with pytest.raises(shlo.RunError, match=r"test\.mlir:3:3: check\.expect_eq: 1 of 1 elements") as error:
        program(text)(3)
    assert error.value.diagnostic is not None
    assert (error.value.diagnostic.line, error.value.diagnostic.column) == (3, 3)
    assert program(text)(2) == []


def test_unknown_custom_calls_are_unsupported() -> None:
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.custom_call @mystery(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}"""
    with pytest.raises(shlo.Unsupported, match="@mystery"):
        program(text)(1)


def test_endless_recursion_is_an_error() -> None:
    text = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = call @main(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}"""
    with pytest.raises(shlo.RunError, match="nested more than 100 deep"):
        program(text)(1)


def test_floating_point_exceptions_are_silent() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
  %1 = stablehlo.divide %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}"""
    found = program(text)([1.0, 0.0])[0]
    assert found[0] == np.inf and np.isnan(found[1])


def test_a_result_larger_than_memory() -> None:
    """It is refused before anything is allocated, with its size; a view of that size costs nothing."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000x1000000xf32>
      %1 = stablehlo.VIEW %0 : tensor<1000000x1000000xf32>
      %2 = stablehlo.slice %1 [0:1, 0:1] : (tensor<1000000x1000000xf32>) -> tensor<1x1xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x1xf32>) -> tensor<f32>
      return %3 : tensor<f32>
    }"""
    with pytest.raises(shlo.RunError, match=r"tensor<1000000x1000000xf32> takes 3,725.3 GiB") as raised:
        program(text.replace("VIEW", "negate"))(1.0)
    assert raised.value.diagnostic is not None and raised.value.diagnostic.line == 3
    assert program(text.replace("VIEW", "optimization_barrier"))(1.0)[0] == 1


SUBTRACT = """
func.func @main(%w: tensor<2xf32>, %x: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.subtract %w, %x : tensor<2xf32>
  %1 = stablehlo.multiply %0, %v : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


def with_weights(folder: Path) -> Any:
    module = shlo.parse(SUBTRACT, name="test.mlir")
    module.weights = {index: folder / f"{index}.npy" for index in (0, 2)}
    return shlo.compile(module)


def test_weights_that_are_stored_may_be_missing(tmp_path: Path) -> None:
    """From a sequence all of them, by name each; a file is read once."""
    np.save(tmp_path / "0.npy", np.float32([10, 20]))
    np.save(tmp_path / "2.npy", np.float32([2, 3]))
    run = with_weights(tmp_path)
    x = np.float32([1, 2])
    assert run(x)[0].tolist() == [18, 54]
    for file in tmp_path.iterdir():
        file.unlink()
    assert run(x)[0].tolist() == [18, 54]
    assert run.call({"x": x, "w": np.float32([1, 1])})[0].tolist() == [0, -3]
    assert run(x + 1, x, x)[0].tolist() == [1, 2]
    with pytest.raises(shlo.RunError, match=r"^@main takes 3 inputs \(1 without its weights\), 2 given$"):
        run(x, x)


def test_weights_are_those_of_the_inputs_of_main(tmp_path: Path) -> None:
    """Of another function all inputs are given; a specialized function may have fewer inputs than weights."""
    np.save(tmp_path / "0.npy", np.float32([10, 20]))
    module = shlo.parse(SUBTRACT + SUBTRACT.replace("@main", "@other"), name="test.mlir")
    module.weights = {index: tmp_path / f"{index}.npy" for index in (0, 7)}
    main, other = shlo.compile(module), shlo.compile(module, "other")
    x = np.float32([1, 2])
    assert main.weights == {0: tmp_path / "0.npy"}
    assert main(x, x)[0].tolist() == [9, 36]
    assert other.weights == {}
    for run, message in (
        (main, "@main takes 3 inputs (2 without its weights)"),
        (other, "@other takes 3 inputs"),
    ):
        with pytest.raises(shlo.RunError) as caught:
            run(x)
        assert str(caught.value) == f"{message}, 1 given"


class Timed:
    """An engine that compiles in the background and measures it: two seconds for each function."""

    name = "timed"
    takes = "plan"

    def __init__(self, are_ready: tuple[bool, ...] = ()) -> None:
        self.are_ready = iter(are_ready)
        self.waited: list[float | None] = []

    def is_available(self) -> bool:
        return True

    def prepare(self, plan: Any, options: Any) -> Any:
        return TimedFunction(self, plan)


class TimedFunction:
    note = ""

    def __init__(self, made_by: Timed, plan: Any) -> None:
        self.plan, self.engine, self._made_by = plan, made_by.name, made_by
        self.seconds = {"all": 2.0, plan.name: 1.0}

    def wait(self, timeout: float | None = None) -> bool:
        self._made_by.waited.append(timeout)
        return next(self._made_by.are_ready)

    def __call__(self, *inputs: Any) -> Any:
        return ()


CHECKS = "func.func @a() { return }\nfunc.func @b() { return }"


def test_the_time_of_compiling_is_that_of_all_functions() -> None:
    run = shlo.compile(shlo.parse(CHECKS), engine=Timed())  # type: ignore[arg-type]
    assert run.seconds == {"all": 4.0, "@a": 1.0, "@b": 1.0}
    assert program(CHECKS).seconds == {}


@pytest.mark.parametrize(
    ("timeout", "are_ready", "least"),
    [
        (None, (True, True), [None, None]),
        (0, (True, True), [0, 0]),
        (0, (True, False), [0, 0]),
        (0, (False,), [0]),
        (-1, (True, True), [0, 0]),
        (60, (True, True), [59, 59]),
    ],
)
def test_waiting_for_all_functions(
    timeout: float | None, are_ready: tuple[bool, ...], least: list[float | None]
) -> None:
    """Until one is not compiled in time, which is the time for all."""
    engine = Timed(are_ready)
    assert shlo.compile(shlo.parse(CHECKS), engine=engine).wait(timeout) is all(are_ready)  # type: ignore[arg-type]
    assert len(engine.waited) == len(least)
    for given, wanted in zip(engine.waited, least, strict=True):
        assert given is wanted if wanted is None else given is not None and wanted <= given <= wanted + 1


def test_weights_that_cannot_be_read(tmp_path: Path) -> None:
    np.save(tmp_path / "0.npy", np.float32([10, 20]))
    with pytest.raises(shlo.RunError, match=r"2\.npy: No such file or directory$"):
        with_weights(tmp_path)(np.float32([1, 2]))
    (tmp_path / "2.npy").write_text("no array")
    with pytest.raises(shlo.RunError, match=r"2\.npy: not a \.npy or \.npz file, or a damaged one$"):
        with_weights(tmp_path)(np.float32([1, 2]))


@pytest.mark.parametrize(("semantics", "expected"), [("specification", "inf"), ("xla", "nan")])
@pytest.mark.parametrize("is_constant", [True, False])
def test_constants_are_folded_as_the_run_computes(is_constant: bool, semantics: Any, expected: str) -> None:
    """NaN in a format without mantissa bits."""
    given = "" if is_constant else "%x: tensor<1xf32>"
    constant = "%x = stablehlo.constant dense<0x7FC00000> : tensor<1xf32>" if is_constant else ""
    text = f"""func.func @main({given}) -> tensor<1xf32> {{
      {constant}
      %0 = stablehlo.reduce_precision %x, format = e5m0 : tensor<1xf32>
      return %0 : tensor<1xf32>
    }}"""
    inputs = [] if is_constant else [np.float32([np.nan])]
    (found,) = shlo.run(shlo.parse(text), inputs, semantics=semantics, engine="numpy")
    assert str(found[0]) == expected


RANDOM = """func.func @main() -> tensor<4xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def test_the_seed_is_zero_if_none_is_given() -> None:
    run = program(RANDOM)
    expected = {seed: run.call((), seed=seed)[0].tolist() for seed in (0, 1)}
    assert expected[0] != expected[1]
    assert run()[0].tolist() == run.call(())[0].tolist() == expected[0]
    assert run.call_grid()[0, 0][0].tolist() == expected[0]
    assert run.call_grid(seed=1)[0, 0][0].tolist() == expected[1]
