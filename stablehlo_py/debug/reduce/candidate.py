"""Candidates of a reduction: programs with their inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from stablehlo_py.debug.subprograms import subprogram
from stablehlo_py.diagnostics.diagnostic import RunError, StablehloError
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.engines.program import compile_program
from stablehlo_py.interpreter.arrays import random_array
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.signature import signature
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module

MAIN = "main"
LONGEST = 60.0  # seconds of a run that computes intermediate values


@dataclass(frozen=True)
class Candidate:
    """A program with the entry function `main`, and its inputs.

    Attributes:
        module: The program.
        inputs: The inputs; unknown inputs are random.
    """

    module: Module
    inputs: tuple[Any, ...]

    @property
    def body(self) -> Block:
        """The body of the entry function."""
        return self.module.functions[MAIN].entry_block

    @property
    def ops(self) -> list[Operation]:
        """The ops of the entry function's body, without its terminator."""
        return [op for op in self.body.ops if not has_trait(op.name, "terminator")]

    @property
    def results(self) -> tuple[Value, ...]:
        """The values that the entry function returns."""
        last = self.body.terminator
        return last.operands if last is not None else ()

    @cached_property
    def size(self) -> int:
        """The number of ops, with those in regions and functions, without terminators."""
        return sum(
            1
            for op in self.module.walk()
            if not op.is_module and not op.is_function and not has_trait(op.name, "terminator")
        )

    @cached_property
    def text(self) -> str:
        """The text of the program."""
        return format_module(self.module, canonical=False)

    @cached_property
    def key(self) -> str:
        """The digest of the program and its inputs."""
        digest = sha256(self.text.encode("utf-8", "surrogateescape"))
        for value in self.inputs:
            digest.update(np.ascontiguousarray(value).tobytes() if hasattr(value, "dtype") else b"-")
        return digest.hexdigest()

    @cached_property
    def non_finite(self) -> frozenset[str]:
        """The kinds of elements of the inputs that are not finite: `nan`, `inf` and `-inf`."""
        return frozenset().union(*map(_non_finite, self.inputs))

    @property
    def named_inputs(self) -> dict[str, Any]:
        """The inputs by the names of the arguments."""
        names = [argument.name for argument in signature(self.module.functions[MAIN]).inputs]
        return dict(zip(names, self.inputs, strict=True))

    def values(self, wanted: Sequence[Value]) -> tuple[Any, ...]:
        """Return the arrays of values of the body; random ones if the program cannot be run."""
        arguments: dict[Value, Any] = dict(zip(self.body.arguments, self.inputs, strict=True))
        inside = [value for value in wanted if value not in arguments]
        try:
            found = self._run(inside) if inside else ()
        except StablehloError:
            generator = np.random.default_rng(0)
            found = tuple([random_array(value.type, generator, str(value)) for value in inside])
        known = {**arguments, **dict(zip(inside, found, strict=True))}
        return tuple([known[value] for value in wanted])

    def _run(self, wanted: Sequence[Value]) -> tuple[Any, ...]:
        needed = set(wanted)
        ops = []
        for op in reversed(self.ops):
            if not needed.isdisjoint(op.results):
                ops.append(op)
                needed.update(captures([op]))
        part = subprogram(self.module, ops[::-1], wanted)
        arguments: dict[Value, Any] = dict(zip(self.body.arguments, self.inputs, strict=True))
        program = compile_program(part.module, MAIN, engine="numpy", timeout=LONGEST)
        return tuple(program.call([arguments[value] for value in part.captured]))

    def keeping(
        self, ops: Sequence[Operation], results: Sequence[Value] | None = None, constants: bool = True
    ) -> Candidate:
        """Keep some ops of the body; values that they use of other ops become arguments.

        Args:
            ops: The ops, in order.
            results: The values to return. By default the results of the ops that are returned or used by
                other ops; without such results, the results of the last op.
            constants: Keep the constants that the ops use.
        """
        chosen = list(self._live(ops) if results is None else results)
        part = subprogram(self.module, ops, chosen, constants=constants)
        return Candidate(part.module, self.values(part.captured))

    def _live(self, ops: Sequence[Operation]) -> list[Value]:
        inside = {each for op in ops for each in op.walk()}
        results = [result for op in ops for result in op.results]
        live = [each for each in results if any(use.op not in inside for use in each.uses)]
        last = [result for op in ops[-1:] for result in op.results]
        return list(dict.fromkeys([*live, *last]))

    def parsed(self) -> Candidate:
        """Print and parse the program, so that positions refer to its text."""
        return Candidate(
            parse_module(self.text, "reduced", allow_unregistered=True, allow_newer=True), self.inputs
        )


def _non_finite(value: Any) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset().union(*map(_non_finite, value))
    row = element_type_of(value.dtype) if hasattr(value, "dtype") else None
    if row is None or row.literal not in ("float", "complex") or np.isfinite(value).all():
        return frozenset()
    parts = (value.real, value.imag) if row.literal == "complex" else (value,)
    kinds = [{"nan": np.isnan(part), "inf": part == np.inf, "-inf": part == -np.inf} for part in parts]
    return frozenset([kind for part in kinds for kind, found in part.items() if found.any()])


def candidate_of(module: Module, inputs: Sequence[Any] | Mapping[str, Any] | None, entry: str) -> Candidate:
    """Return the candidate that a reduction starts with: the body of a function, and what it calls.

    Args:
        module: The program.
        inputs: The inputs; random ones by default.
        entry: The name of the function.

    Raises:
        RunError: If an input does not fit its argument, or their numbers differ.
    """
    function = module.functions[entry]
    block = function.entry_block
    last = block.terminator
    results = last.operands if last is not None and has_trait(last.name, "terminator") else ()
    ops = [op for op in block.ops if not has_trait(op.name, "terminator")]
    part = subprogram(module, ops, results, block.arguments)
    if inputs is None:
        generator = np.random.default_rng(0)
        inputs = [random_array(value.type, generator, str(value)) for value in block.arguments]
    if isinstance(inputs, Mapping):
        inputs = [inputs[argument.name] for argument in signature(function).inputs]
    if len(inputs) != len(block.arguments):
        raise RunError(f"@{entry} has {counted(len(block.arguments), 'input')}, got {len(inputs)}")
    pairs = zip(inputs, block.arguments, strict=True)
    return Candidate(part.module, tuple([convert_input(each, to.type, f"input {to}") for each, to in pairs]))
