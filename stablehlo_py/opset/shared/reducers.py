"""Constraints of ops with a reduction function, parameterized by the names of function and inputs."""

from __future__ import annotations

from stablehlo_py.opset.definition import Constraint

LOOSER = "upstream allows floats of different precision, also between the two halves of the arguments"


def accumulators(body: str) -> tuple[str, str]:
    """Return the let `E`: the element types of the outputs of `body`."""
    return ("E", f"[element_type(t) for t in output_types({body})]")


def reducer(
    label: str, spec: str, body: str, inputs: str, count: str = "N", within: str = ""
) -> tuple[Constraint, ...]:
    """Return the constraint that `body` has type `(E0, .., E0, ..) -> (E0, ..)`, for upstream and verbatim.

    Args:
        label: The label of the constraint.
        spec: The text of the specification.
        body: The name of the reduction function.
        inputs: A formula for the list of reduced tensors.
        count: A formula for their number.
        within: A formula for the sizes that upstream allows in the types of the arguments, or "".

    Returns:
        The constraints.
    """
    arguments, outputs = f"input_types({body})", f"output_types({body})"
    return (
        Constraint(
            label,
            f"size({arguments}) = 2 * {count} and {arguments}[0:{count}] = {outputs} "
            f"and (for t in {arguments}[{count}:] : is_tensor(t)) "
            f"and shape({arguments}[{count}:]...) = shape({outputs}...){'' if within else ' = []'} "
            f"and (for i in range({count}) : {_promotable(f'{inputs}[i]', f'{outputs}[i]')} "
            f"and {_alike(f'{arguments}[{count} + i]', f'{outputs}[i]')})",
            spec=spec,
            why=LOOSER,
        ),
        *(_within(within, arguments, count) if within else ()),
        Constraint(
            label,
            f"has_type({body}, [tensor(E...), tensor(E...)], [tensor(E...)]) "
            f"and is_promotable(element_type({inputs}...), E...)",
            spec=spec,
            why="prose",
            verdict="spec-only",
        ),
    )


def _within(sizes: str, arguments: str, count: str) -> tuple[Constraint]:
    rule = f"rank(t) <= size({sizes}) and (for d in shape(t) : d in {sizes})"
    return (Constraint("U2", f"for t in {arguments}[{count}:] : {rule}", verdict="upstream"),)


def shared_reducer(label: str, spec: str, body: str, operands: str) -> tuple[Constraint, ...]:
    """Return the constraint that `body` has type `(E, E) -> E`, reducing each of `operands` separately."""
    arguments, output = f"input_types({body})", f"output_types({body})[0]"
    return (
        Constraint(
            label,
            f"size({arguments}) = 2 and {arguments}[0:1] = output_types({body}) "
            f"and is_tensor({arguments}[1]) and shape({arguments}[1]) = shape({output}) = [] "
            f"and {_alike(f'{arguments}[1]', output)} "
            f"and (for x in {operands} : {_promotable('x', output)})",
            spec=spec,
            why=LOOSER,
        ),
        Constraint(
            label,
            f"has_type({body}, [tensor(E[0]), tensor(E[0])], [tensor(E[0])]) "
            f"and (for x in {operands} : is_promotable(element_type(x), E[0]))",
            spec=spec,
            why="prose",
            verdict="spec-only",
        ),
    )


def initial(label: str, body: str, inits: str) -> Constraint:
    """Return upstream's constraint that initial values promote to the types of the outputs of `body`."""
    outputs = f"output_types({body})"
    return Constraint(
        label,
        f"shape({inits}...) = shape({outputs}...) "
        f"and (for i in range(size({inits})) : {_promotable(f'{inits}[i]', f'{outputs}[i]')})",
        verdict="upstream",
    )


def _promotable(source: str, target: str) -> str:
    return f"(is_float({source}) and is_float({target}) or is_promotable({source}, {target}))"


def _alike(a: str, b: str) -> str:
    return f"(is_float({a}) and is_float({b}) or element_type({a}) = element_type({b}))"
