"""Sharding rules: the factors of an op, and their notation `#sdy.op_sharding_rule`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from stablehlo_py.ir.attributes import Attribute, OpaqueAttr
from stablehlo_py.opset.sharding_rule import FactorKind

RULE = "sdy.sharding_rule"
Mapping = tuple[tuple[int, ...], ...]  # of a tensor: the factors of each dimension, major to minor

_NAME = "#sdy.op_sharding_rule"
_LETTERS = "ijklmnopqrstuvwxyz"
_SYMBOL = re.compile(r"z_(\d+)|([i-z])")
_TEXT = re.compile(rf"{_NAME}<\s*\(([^()]*)\)\s*->\s*\(([^()]*)\)([^()]*)>")
_LISTS: dict[str, FactorKind] = {
    "reduction": "reduction",
    "need_replication": "need_replication",
    "permutation": "permutation",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The sharding rule of an op.

    Attributes:
        sizes: The sizes of the factors.
        operands: The factors of the dimensions of each operand.
        results: The factors of the dimensions of each result.
        kinds: The kinds of the factors.
        blocked: The factors along which shardings do not propagate.
        is_custom: Whether the program states the rule.
    """

    sizes: tuple[int, ...]
    operands: tuple[Mapping, ...]
    results: tuple[Mapping, ...]
    kinds: tuple[FactorKind, ...]
    blocked: frozenset[int] = frozenset()
    is_custom: bool = False

    @property
    def tensors(self) -> tuple[Mapping, ...]:
        """The mappings of the operands, then of the results."""
        return self.operands + self.results

    def of_kind(self, kind: FactorKind) -> list[int]:
        """Return the factors of a kind."""
        return [factor for factor, found in enumerate(self.kinds) if found == kind]

    def is_in_all_tensors(self, factor: int) -> bool:
        """Test whether a factor divides every tensor that is no scalar."""
        return all(any(factor in dim for dim in tensor) for tensor in self.tensors if tensor)

    @property
    def batching(self) -> list[int]:
        """The pass-through factors that divide every tensor that is no scalar."""
        return [factor for factor in self.of_kind("pass_through") if self.is_in_all_tensors(factor)]

    def to_attribute(self) -> OpaqueAttr:
        """Return the rule in Shardy's notation."""
        sides = [
            ", ".join([_tensor_text(tensor) for tensor in side]) for side in (self.operands, self.results)
        ]
        sizes = ", ".join([f"{symbol_of(factor)}={size}" for factor, size in enumerate(self.sizes)])
        lists = {name: self.of_kind(kind) for name, kind in _LISTS.items()}
        lists["blocked_propagation"] = sorted(self.blocked)
        texts = [f"{name}={{{', '.join(map(symbol_of, found))}}}" for name, found in lists.items() if found]
        parts = [f"({sides[0]})->({sides[1]})", *([f"{{{sizes}}}"] if sizes else []), *texts]
        return OpaqueAttr(f"{_NAME}<{' '.join(parts)}{', custom' * self.is_custom}>")


def symbol_of(factor: int) -> str:
    """Return the symbol of a factor: i, j, ..., z, z_1, z_2, ..."""
    last = len(_LETTERS) - 1
    return _LETTERS[factor] if factor <= last else f"z_{factor - last}"


def _factors(text: str) -> tuple[int, ...]:
    last = len(_LETTERS) - 1
    return tuple([last + int(far) if far else _LETTERS.index(near) for far, near in _SYMBOL.findall(text)])


def _tensor_text(tensor: Mapping) -> str:
    return f"[{', '.join([''.join(map(symbol_of, dim)) for dim in tensor])}]"


def parse_rule(attribute: Attribute | None) -> Rule | None:
    """Return the rule that an attribute states; None for another attribute."""
    found = _TEXT.fullmatch(attribute.text) if isinstance(attribute, OpaqueAttr) else None
    if found is None:
        return None
    operands, results, rest = found.groups()
    lists = dict(re.findall(r"(?:(\w+)\s*=\s*)?\{([^{}]*)\}", rest))
    sizes = tuple([int(size) for size in re.findall(r"=\s*(\d+)", lists.get("", ""))])
    kinds: list[FactorKind] = ["pass_through"] * len(sizes)
    for name, kind in _LISTS.items():
        for factor in _factors(lists.get(name, "")):
            kinds[factor] = kind
    return Rule(
        sizes,
        _tensors(operands),
        _tensors(results),
        tuple(kinds),
        frozenset(_factors(lists.get("blocked_propagation", ""))),
        rest.rstrip().endswith("custom"),
    )


def _tensors(text: str) -> tuple[Mapping, ...]:
    bodies = re.findall(r"\[([^\[\]]*)\]", text)
    return tuple(
        [tuple([_factors(dim) for dim in body.split(",")]) if body.strip() else () for body in bodies]
    )


class RuleBuilder:
    """Collects the factors of an op.

    Args:
        operands: The ranks of the operands.
        results: The ranks of the results.
    """

    def __init__(self, operands: Sequence[int], results: Sequence[int]) -> None:
        self._tensors: list[list[list[int]]] = [[[] for _ in range(rank)] for rank in (*operands, *results)]
        self._num_operands = len(operands)
        self._sizes: list[int] = []
        self._kinds: list[FactorKind] = []
        self._blocked: set[int] = set()

    def add(
        self, dims: Iterable[int], size: int, kind: FactorKind = "pass_through", blocked: bool = False
    ) -> None:
        """Add a factor.

        Args:
            dims: The dimension that it divides, of each operand and then of each result; -1 for none.
            size: The size of the factor.
            kind: The kind.
            blocked: Whether shardings do not propagate along it.
        """
        factor = self._new(size, kind, blocked)
        for tensor, dim in zip(self._tensors, dims, strict=True):
            if dim >= 0 and not (size == 1 and tensor[dim]):
                tensor[dim].append(factor)

    def add_to_all(
        self, dim: int, size: int, kind: FactorKind = "pass_through", blocked: bool = False
    ) -> None:
        """Add a factor that divides the same dimension of every tensor that is no scalar."""
        factor = self._new(size, kind, blocked)
        for tensor in self._tensors:
            if tensor:
                tensor[dim].append(factor)

    def _new(self, size: int, kind: FactorKind, blocked: bool) -> int:
        self._sizes.append(size)
        self._kinds.append(kind)
        if blocked:
            self._blocked.add(len(self._sizes) - 1)
        return len(self._sizes) - 1

    def build(self) -> Rule:
        """Return the rule; a dimension without factors gets one of size 1."""
        for dim in chain.from_iterable(self._tensors):
            if not dim:
                dim.append(self._new(1, "pass_through", False))
        tensors = [tuple([tuple(dim) for dim in tensor]) for tensor in self._tensors]
        return Rule(
            tuple(self._sizes),
            tuple(tensors[: self._num_operands]),
            tuple(tensors[self._num_operands :]),
            tuple(self._kinds),
            frozenset(self._blocked),
        )


def identity_rule(shape: Sequence[int], num_operands: int = 1) -> Rule:
    """Return the rule of an op whose operands and result have the same shape, and the same elements."""
    builder = RuleBuilder([len(shape)] * num_operands, [len(shape)])
    for dim, size in enumerate(shape):
        builder.add_to_all(dim, size)
    return builder.build()
