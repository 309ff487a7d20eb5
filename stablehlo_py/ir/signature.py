"""Function signatures: inputs and results, with their names in the text, in trees and in JAX.

The name of an argument is its path in the tree of arguments, such as `params/dense/kernel`: from the
container of a program, else from what a framework has recorded in an attribute or the location.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.locations import NameLoc
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.torch_locations import described
from stablehlo_py.ir.trees import Convention, Path, joined, normalized, path_of
from stablehlo_py.ir.types import FunctionType, TensorType, Type

MAIN = "main"
# The attributes of arguments that hold a name, or the keys that lead to a value.
_NAMING = ("jax.arg_info", "jax.global_constant", "tf_saved_model.index_path")


@dataclass(frozen=True, slots=True)
class Argument:
    """An input.

    Attributes:
        index: Its index.
        name: Its name in the text, without `%`.
        names: All names by which it can be passed, but for its path.
        type: Its type.
        path: Its path in the tree of arguments, `params/dense/kernel`; its name in the text if there is none.
        recorded: Its name as a framework has recorded it, `params['dense']['kernel']`; "" if none has.
    """

    index: int
    name: str
    names: frozenset[str]
    type: Type
    path: str
    recorded: str = ""

    def __str__(self) -> str:
        return f"input {self.index} ({self.label})"

    @property
    def label(self) -> str:
        """The path; the name in the text, with `%`, if there is none."""
        return self.path if self.path != self.name else f"%{self.name}"

    @property
    def normalized_names(self) -> frozenset[str]:
        """All names by which it can be passed and its path, as names are compared."""
        return frozenset(map(normalized, (self.path, *self.names)))


@dataclass(frozen=True, slots=True)
class Output:
    """A result: its index, the name that JAX recorded, its type, and which slice of it is meant, or ""."""

    index: int
    name: str
    type: Type
    part: str = ""

    def __str__(self) -> str:
        number = f"result {self.index}{self.part}"
        return f'{number} "{self.name}"' if self.name else number

    def type_of(self, value: Any) -> Type:
        """Return the type of a value of this result, with its actual sizes in place of dynamic dimensions."""
        if isinstance(self.type, TensorType) and not self.type.is_static:
            return TensorType(np.shape(value), self.type.element_type)
        return self.type


class Dropped(NamedTuple):
    """An argument of the exported function that the program does not take: its path and type as text."""

    path: str
    type: str


@dataclass(frozen=True, slots=True)
class Signature:
    """The name, inputs and results of a function.

    Attributes:
        name: The name.
        inputs: The inputs.
        outputs: The results.
        dropped: The arguments of the exported function that the program does not take, by their number among
            all arguments.
        roots: The names of the positional arguments of the exported function.
        convention: The trees of arguments and results of the exported function; None if they are not known.
        stored: The inputs that are stored with the program, by index: they may be left out.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]
    dropped: Mapping[int, Dropped] | None = None
    roots: tuple[str, ...] = ()
    convention: Convention | None = None
    stored: frozenset[int] = frozenset()

    def __str__(self) -> str:
        notes = dict.fromkeys(self.stored, " (stored with the program)")
        rows = [(each.label, f"{each.type}{notes.get(each.index, '')}") for each in self.inputs]
        for number, each in sorted((self.dropped or {}).items()):
            rows.insert(number, (each.path, f"{each.type} (not used: may be left out)"))
        width = max([len(label) for label, _ in rows], default=0)
        inputs = [f"  {label:{width}}  {type}\n" for label, type in rows]
        outputs = [
            f"  {each.name}: {each.type}\n" if each.name else f"  {each.type}\n" for each in self.outputs
        ]
        return f"@{self.name}(\n{''.join(inputs)}) -> (\n{''.join(outputs)})"

    @property
    def is_partial(self) -> bool:
        """Whether the exported function has arguments that the program does not take."""
        return bool(self.dropped)

    @property
    def full_count(self) -> int:
        """The number of arguments with those that the program does not take."""
        return len(self.inputs) + len(self.dropped or ())

    def without_dropped(self, values: Sequence[Any]) -> list[Any]:
        """Return the inputs in a list of all arguments."""
        dropped = self.dropped or {}
        return [value for number, value in enumerate(values) if number not in dropped]

    def flatten(self, *arguments: Any, **keywords: Any) -> list[Any]:
        """Return the inputs in order for arguments that are trees: dicts, lists, tuples and None.

        Args:
            arguments: The positional arguments. Nodes of other classes are given as tuples.
            keywords: The arguments by name.

        Raises:
            ValueError: The trees have another structure; the message says where.
        """
        from stablehlo_py.ir.call_trees import flatten

        return flatten(self, arguments, keywords)

    def unflatten(self, results: Sequence[Any]) -> Any:
        """Return the tree of the results; nodes of other classes than dict and list are tuples.

        Args:
            results: The results in order.
        """
        from stablehlo_py.ir.call_trees import unflatten

        return unflatten(self, results)


def entry_signature(module: Module, name: str) -> Signature:
    """Return the signature of a function, with what the module's container says if it is `@main`."""
    known = module if name == MAIN else None
    return signature(module.functions[name], known)


def signature(function: Operation, known: Module | None = None) -> Signature:
    """Return the signature of a `func.func` with a body.

    Args:
        function: The function.
        known: The module whose container describes the function, if it does.
    """
    type = function_type(function)
    results = type.results if type else ()
    names = [_result_name(entry) for entry in _entries(function, "res_attrs")] or [""] * len(results)
    arguments = function.entry_block.arguments
    recorded = _recorded(function, arguments, known.weights if known is not None else {})
    convention = known.convention if known is not None else None
    if convention is not None and len(convention.kept) > len(arguments):
        convention = None
    paths = [path_of(name) if name else () for name in recorded]
    dropped, roots = (_placed(convention, paths)) if convention is not None else (None, ())
    texts = [joined(path) or _text_name(value) for path, value in zip(paths, arguments, strict=True)]
    counts = Counter(texts)
    return Signature(
        str(function.python_value("sym_name")),
        tuple(
            _argument(value, name, text if counts[text] == 1 else _text_name(value))
            for value, name, text in zip(arguments, recorded, texts, strict=True)
        ),
        tuple(Output(i, name, t) for i, (name, t) in enumerate(zip(names, results, strict=True))),
        dropped,
        roots,
        convention,
        frozenset(known.weights if known is not None else ()),
    )


def joined_signature(parts: Sequence[Signature]) -> Signature:
    """Return one signature for functions that run in sequence."""
    if len(parts) == 1:
        return parts[0]
    outputs = [output for part in parts for output in part.outputs]
    numbered = tuple([Output(i, output.name, output.type) for i, output in enumerate(outputs)])
    return Signature(", @".join(part.name for part in parts), (), numbered)


def function_type(op: Operation) -> FunctionType | None:
    """Return the type of a function; None if the op has none."""
    type = op.attribute("function_type")
    return type.value if isinstance(type, TypeAttr) and isinstance(type.value, FunctionType) else None


def _placed(convention: Convention, paths: list[Path]) -> tuple[dict[int, Dropped], tuple[str, ...]]:
    """Replace the paths of arguments by those in their tree; return what is dropped, and names of parameters.

    Keys are as the recorded names have them, which know the names of parameters and of fields of classes.
    """
    leaves = [*convention.arguments.paths()]
    first = len(paths) - len(convention.kept)
    known: dict[Path, str] = {}
    for place, number in enumerate(convention.kept, first):
        leaf, recorded = leaves[number][1:], paths[place]
        if len(leaf) == len(recorded):
            known |= {leaves[number][: i + 2]: key for i, key in enumerate(recorded)}

    def path(leaf: Path) -> Path:
        keys = [known.get(leaf[: i + 1], key) for i, key in enumerate(leaf)][1:]
        return tuple(keys) if leaf[0] == "1" or leaf[:2] in known else ("args", *keys)

    for place, number in enumerate(convention.kept, first):
        paths[place] = path(leaves[number])
    kept = set(convention.kept)
    dropped = {
        first + number: Dropped(joined(path(leaf)), convention.types[number])
        for number, leaf in enumerate(leaves)
        if number not in kept
    }
    positional = convention.arguments.children[0].keys
    return dropped, tuple([joined(path(("0", key))) for key in positional])


def _entries(function: Operation, attribute: str) -> Sequence[Attribute]:
    found = function.attribute(attribute)
    return found.value if isinstance(found, ArrayAttr) else ()


def _recorded(
    function: Operation, arguments: Sequence[BlockArgument], stored: Mapping[int, FilePath]
) -> list[str]:
    """Return the names of arguments that are recorded outside of the text's own names; "" for none."""
    entries = _entries(function, "arg_attrs") or [DictAttr(())] * len(arguments)
    return [
        _stored_name(stored.get(value.index)) or _attribute_name(entry) or _location_name(value)
        for value, entry in zip(arguments, entries, strict=True)
    ]


def _stored_name(file: FilePath | None) -> str:
    """Return the name of an argument that is stored in a file: NAME of `data/NAME`, else `constants/0`."""
    return "" if file is None else joined(file.parts[-2:]).removeprefix("data/")


def _attribute_name(entry: Attribute) -> str:
    for key in _NAMING if isinstance(entry, DictAttr) else ():
        match entry.get(key) if isinstance(entry, DictAttr) else None:
            case StringAttr(value):
                return value
            case ArrayAttr(parts) if parts and all(isinstance(part, StringAttr) for part in parts):
                return joined(tuple([part.value for part in parts if isinstance(part, StringAttr)]))
    return ""


def _location_name(value: BlockArgument) -> str:
    location = value.location
    return location.name if isinstance(location, NameLoc) and described(location) is location else ""


def _text_name(value: BlockArgument) -> str:
    return value.name or f"arg{value.index}"


def _argument(value: BlockArgument, recorded: str, path: str) -> Argument:
    name = _text_name(value)
    names = {name, f"arg{value.index}", f"in{value.index}", recorded, _location_name(value)} - {""}
    return Argument(value.index, name, frozenset(names), value.type, path, recorded)


def _result_name(entry: object) -> str:
    info = entry.get("jax.result_info") if isinstance(entry, DictAttr) else None
    return info.value if isinstance(info, StringAttr) else ""
