"""The pass `canonicalize`: dead code elimination, and rules that every program profits from."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.hoisting import hoist_constants
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.passes.reconcile_unrealized_casts import before_casts
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule


def _before_casts(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Use the operands of a chain of casts that ends in the types it starts with."""
    return before_casts(op) or None


RULES = (
    Rule(
        "cast-and-back",
        "%r... = builtin.unrealized_conversion_cast %xs...",
        _before_casts,
        example="""
            %y = builtin.unrealized_conversion_cast %x : tensor<2xi32> to tensor<2xui32>
            %z = builtin.unrealized_conversion_cast %y : tensor<2xui32> to tensor<2xi32>
            %r = stablehlo.add %z, %z : tensor<2xi32>
        """,
        doc="Use the operands of a chain of casts that ends in the types it starts with.",
    ),
    Rule(
        "buffer-of-tensor-of-buffer",
        """
        %y = bufferization.to_tensor %x
        bufferization.to_buffer %y
        """,
        "%x",
        doc="Use the buffer itself, if it has the type of the new one.",
    ),
)


def _run(module: Module, options: Options) -> None:
    labels = options["enable-patterns"]
    if labels:
        for function in module.functions.values():
            hoist_constants(function)
    apply_rules(module, module.op, () if labels else RULES, options, share=not labels)


PASS = Pass(
    "canonicalize",
    "Erases ops without side effects whose results are unused, and merges equal constants.",
    _run,
    (
        Option(
            "enable-patterns",
            (),
            "Labels of the patterns to apply instead of all. No pattern of this package has a label, so that "
            "ops whose results are unused are erased, and constants move to the start of a function.",
        ),
    ),
    rules=RULES,
)
