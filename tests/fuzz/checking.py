"""Properties of any text: it is parsed or rejected, and whatever is done with it satisfies the invariants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.interpreter.arrays import random_array
from stablehlo_py.interpreter.inputs import array_dtype, has_shape
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.types import TensorType, TupleType, Type
from stablehlo_py.reports.graph import dot, graph, page

MAX_INPUT = 8 << 20  # bytes of inputs; larger programs are not run
MAX_STEPS, TIMEOUT = 3000, 3.0
FOREIGN = re.compile(
    r"internal error|Traceback|dtype\(|ndarray|NoneType|object has no|index out of range|not subscriptable"
    r"|is out of bounds for axis|could not be broadcast|cannot reshape array|not iterable|unhashable"
    r"|positional argument|invalid literal for|ufunc '|<class"
    r"|not defined for (?:operands of types|these operands)"  # a kernel failed where no rule forbids it
)


class Find(AssertionError):
    """An invariant that does not hold."""


def check(text: str, run: bool = False) -> str:
    """Put a text through the whole package.

    Args:
        text: The text.
        run: Whether to lint, draw, analyze and run what is valid, too.

    Returns:
        What became of it: "syntax", "invalid", "valid", "refused" (valid, and not run to its end) or "ran".

    Raises:
        Find: An invariant does not hold; whatever else is raised is a bug, too.
    """
    try:
        module = shlo.parse(text)
    except shlo.ParseError as error:
        _expect(bool(error.diagnostics), "an error without diagnostics")
        _expect(
            all(d.severity == "error" for d in error.diagnostics if d.code == "parse"), "a mild parse error"
        )
        _check_messages(error.diagnostics)
        return "syntax"
    findings = [*shlo.verify(module), *(shlo.verify(module, strict=True) if run else ())]
    _check_messages(findings)
    pretty, generic = (shlo.format(module, generic=form) for form in (False, True))
    authored = shlo.format(module, canonical=False)
    if run:
        drawn = graph(module)
        dot(drawn), page(drawn)
    if any(d.severity == "error" for d in shlo.verify(module)):
        return "invalid"
    _check_forms(pretty, generic, authored)
    if not run:
        return "valid"
    _check_messages(shlo.lint(module))
    _analyze(module)
    return _run(module, shlo.parse(pretty))


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise Find(what)


def _check_messages(diagnostics: Sequence[shlo.Diagnostic]) -> None:
    """Expect diagnostics in the words of the language, not of its implementation."""
    for diagnostic in diagnostics:
        _expect(diagnostic.code != "internal", diagnostic.message)
        for words in (diagnostic.message, *diagnostic.notes):
            _check_words(words)


def _check_words(message: str) -> None:
    said = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "", message)  # not what the program itself says
    _expect(FOREIGN.search(said) is None, message)


def _check_forms(pretty: str, generic: str, authored: str) -> None:
    """Expect that printed text is a fixed point, and that all forms are the same program."""
    again = shlo.parse(generic)
    _expect(shlo.format(again, generic=True) == generic, "the generic form is no fixed point")
    _expect(shlo.format(again) == pretty, "the generic form is another program")
    again = shlo.parse(pretty)  # without the attributes that have their default
    _expect(shlo.format(again) == pretty, "the pretty form is no fixed point")
    again = shlo.parse(authored)
    _expect(shlo.format(again, canonical=False) == authored, "the author's form is no fixed point")
    _expect(shlo.format(again) == pretty, "the author's form is another program")


def _analyze(module: shlo.Module) -> None:
    try:
        shlo.analyze(module)
    except ValueError as error:  # there is no function to analyze
        _check_words(str(error))


def _run(*modules: shlo.Module) -> str:
    """Run forms of a program on random inputs; compare the results with their types, and with each other."""
    try:
        found = [_results(module) for module in modules]
    except shlo.RunError as error:
        _check_words(str(error))
        return "refused"
    for results in zip(*found, strict=True):
        for result in results[1:]:
            _expect(_bits(result) == _bits(results[0]), "two forms of a program give two results")
    return "ran"


def _bits(value: Any) -> Any:
    return tuple(map(_bits, value)) if isinstance(value, tuple) else value is not None and value.tobytes()


def _results(module: shlo.Module) -> list[Any]:
    program = shlo.compile(module, engine="numpy", max_steps=MAX_STEPS, timeout=TIMEOUT)
    results = program.call([_input(argument.type, str(argument)) for argument in program.signature.inputs])
    for output, value in zip(program.signature.outputs, results, strict=True):
        _check_result(output.type, value)
    return results


def _input(type: Type, name: str) -> Any:
    """Random values for an argument; unknown sizes are 2."""
    if isinstance(type, TensorType):
        type = TensorType(tuple(2 if size is None else size for size in type.shape), type.element_type)
    size = byte_size(type)
    if size is None or size > MAX_INPUT:
        raise shlo.RunError(f"{name} is too large")
    return random_array(type, np.random.default_rng(0), name)


def _check_result(type: Type, value: Any) -> None:
    """Expect a result of the shape and the element type that the program declares."""
    if isinstance(type, TupleType):
        for part, each in zip(type.types, value, strict=True):
            _check_result(part, each)
    elif isinstance(type, TensorType):
        _expect(has_shape(type, value.shape), f"a result of type {type} has the shape {value.shape}")
        _expect(value.dtype == array_dtype(type, ""), f"a result of type {type} has elements {value.dtype}")
