"""The pass `stablehlo-complex-math-expander`: functions of complex numbers by functions of real numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms import complex_math
from stablehlo_py.transforms.chlo.expression import Expression
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.hoisting import hoist_constants
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule

_FUNCTIONS: dict[str, Callable[[Expression, Expression], Expression]] = {
    "exponential": complex_math.exponential,
    "log": complex_math.log,
    "log_plus_one": complex_math.log_plus_one,
    "sqrt": complex_math.sqrt,
}


def _rule(name: str, formula: Callable[[Expression, Expression], Expression]) -> Rule:
    """Return the rule that replaces a function by a formula."""

    def expand(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
        if _states_accuracy(op):
            return None
        z = Expression(rewriter, names["z"])
        x, y = z.real(), z.imag()
        made = formula(x, y).value
        rewriter.order_by_use([x.value, made])
        return [made]

    return Rule(
        f"complex-{name.replace('_', '-')}",
        f"stablehlo.{name} %z",
        expand,
        condition="is_complex(z)",
        example=f"%r = stablehlo.{name} %z : tensor<4xcomplex<f32>>",
        doc=(formula.__doc__ or "").partition("\n")[0],
        inexact="another formula, accurate to a few units in the last place of each part",
    )


def _states_accuracy(op: Operation) -> bool:
    """Test whether an op states another result accuracy than the default."""
    accuracy = op.attribute("result_accuracy")
    return isinstance(accuracy, StructAttr) and accuracy["mode"] != "DEFAULT"


RULES = tuple([_rule(name, formula) for name, formula in _FUNCTIONS.items()])


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        if apply_rules(module, function, RULES, options, share=False):
            hoist_constants(function)


PASS = Pass(
    "stablehlo-complex-math-expander",
    "Expands functions of complex numbers to functions of real numbers.",
    _run,
    description="An op that states a result accuracy stays as it is.",
    rules=RULES,
)
