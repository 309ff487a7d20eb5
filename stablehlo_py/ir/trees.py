"""Trees of arguments and results: what JAX calls pytrees, made of dicts, lists, tuples and None.

A tree is known from what a `jax.export` container says, or is made from the names of its leaves, such as
`params['dense'][0].mean`. A path is the tuple of keys that leads to a leaf.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from stablehlo_py.ir.records import dataclass

Path = tuple[str, ...]
MOST_LISTED = 8  # names in an error
# Expressions are compiled on first use, since most programs are not called by name.
_STEPS = r"\[(?:'([^']*)'|\"([^\"]*)\"|([^\[\]]*))\]|([^\[\]./]+)|[./]"
_SEGMENTS = r"[^./]+"
_INDEX = r"\[\d{1,9}\]"


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree, or one of its nodes.

    Attributes:
        kind: What the node is. A node of another class is "custom", and is given and returned as a tuple; a
            "dropped" leaf is of no use, and may be absent.
        keys: The keys of the children: those of a dict, else 0, 1, ...
        children: The children.
        name: The class of a custom node.
        is_open: Whether other children are ignored: the tree is known from the names of its leaves alone.
    """

    kind: Literal["leaf", "dropped", "none", "tuple", "list", "dict", "custom"]
    keys: Path = ()
    children: tuple[Tree, ...] = ()
    name: str = ""
    is_open: bool = False

    def paths(self) -> Iterator[Path]:
        """Yield the paths of the leaves, in order."""
        if self.kind in _LEAVES:
            yield ()
        for key, child in zip(self.keys, self.children, strict=True):
            for path in child.paths():
                yield (key, *path)

    @property
    def is_dropped(self) -> bool:
        """Whether all leaves are dropped, of which there are some."""
        return self.kind == "dropped" or (
            bool(self.children) and all(child.is_dropped for child in self.children)
        )

    def without(self, kept: Iterator[bool]) -> Tree:
        """Return the tree with other leaves dropped than those that are kept, which are told in order."""
        if self.kind == "leaf":
            return self if next(kept) else DROPPED
        children = tuple([child.without(kept) for child in self.children])
        return Tree(self.kind, self.keys, children, self.name, self.is_open)

    def unflatten(self, leaves: Iterator[Any]) -> Any:
        """Make a tree of leaves, which are taken in order."""
        if self.kind == "leaf":
            return next(leaves)
        if self.kind == "none":
            return None
        values = [child.unflatten(leaves) for child in self.children]
        if self.kind == "dict":
            return dict(zip(self.keys, values, strict=True))
        return values if self.kind == "list" else tuple(values)

    def flatten(self, value: Any, path: Path = ()) -> Iterator[Any]:
        """Yield the leaves of a value that has this structure, in order; None for those that are absent.

        Args:
            value: The value. Lists and tuples are equivalent, and a custom node is given as either.
            path: The path of the node, for errors.

        Raises:
            ValueError: The value has another structure, as the message says.
        """
        if value is None and self.is_dropped:
            yield from [None for _ in self.paths()]
            return
        if self.kind in _LEAVES:
            if isinstance(value, Mapping) or value is None:
                raise ValueError(f"{_place(path)}: expected an array, found {_described(value)}")
            yield value
            return
        if self.kind == "none":
            if value is not None:
                raise ValueError(f"{_place(path)}: expected None, found {_described(value)}")
            return
        parts = self._entries(value, path) if self.kind == "dict" else self._items(value, path)
        for key, child, part in zip(self.keys, self.children, parts, strict=True):
            yield from child.flatten(part, (*path, key))

    def _entries(self, value: Any, path: Path) -> Sequence[Any]:
        """Return the values of a dict in the order of the keys."""
        if not isinstance(value, Mapping):
            raise ValueError(
                f"{_place(path)}: expected a dict of {listed(self.keys)}, found {_described(value)}"
            )
        given = {str(key): part for key, part in value.items()}
        needed = [key for key, child in zip(self.keys, self.children, strict=True) if not child.is_dropped]
        missing = [key for key in needed if key not in given]
        extra = [] if self.is_open else [key for key in given if key not in self.keys]
        if missing or extra:
            raise ValueError(
                f"{_place(path)}: missing keys: {listed(missing)}; unexpected keys: {listed(extra)}"
            )
        return [given.get(key) for key in self.keys]

    def _items(self, value: Any, path: Path) -> Sequence[Any]:
        """Return the values of a tuple, a list or a custom node."""
        count = 1 + max(map(int, self.keys), default=-1)
        what = f"a tuple of {count}" + (f", the fields of {self.name}" if self.name else "")
        if not isinstance(value, list | tuple) or (
            len(value) < count if self.is_open else len(value) != count
        ):
            raise ValueError(f"{_place(path)}: expected {what}, found {_described(value)}")
        return [value[int(key)] for key in self.keys]


LEAF, DROPPED = Tree("leaf"), Tree("dropped")
_LEAVES = ("leaf", "dropped")


def numbered(kind: Literal["tuple", "list", "custom"], children: Sequence[Tree], name: str = "") -> Tree:
    """Return a node whose children have numbers as keys."""
    return Tree(kind, tuple([str(index) for index in range(len(children))]), tuple(children), name)


class Convention(NamedTuple):
    """How the function that a program was exported from is called.

    Attributes:
        arguments: The tree of arguments: a tuple of positional ones, and a dict of those by keyword. Leaves
            that the program does not take are dropped.
        results: The tree of results.
        types: The types of the leaves of arguments, as text.
        kept: The leaves that the program takes, by number; the others are dropped. Other arguments of the
            program come before them: the number of a platform, and tokens.
        platform: The number of the platform that programs run on here.
    """

    arguments: Tree
    results: Tree
    types: tuple[str, ...]
    kept: tuple[int, ...]
    platform: int = 0


# Names


def path_of(name: str) -> Path:
    """Return the path that a name stands for: `params['dense'][0].mean` or `params/dense/0/mean`."""
    found = []
    for match in re.finditer(_STEPS, name):
        if match[0] not in ("/", "."):
            found.append(next(group for group in match.groups() if group is not None))
    return tuple(found) or (name,)


def joined(path: Path) -> str:
    """Return a path as text: `params/dense/0/mean`."""
    return "/".join(path)


def segments(name: str) -> Path:
    """Return what names are compared by: the parts between separators, which may also be in keys."""
    return tuple([part for key in path_of(name) for part in re.findall(_SEGMENTS, key)]) or (name,)


def normalized(name: str) -> str:
    """Return a name in the one spelling that names are compared in: `a/b/0` for `%a['b'][0]`."""
    return joined(segments(name.removeprefix("%")))


def node_above(names: Iterable[str], paths: Iterable[str]) -> str:
    """Return the node of a tree below which names are paths; "" if there is none.

    Args:
        names: The names, such as `dense/kernel`.
        paths: The paths of the tree, such as `params/dense/kernel`.
    """
    wanted, known = {*map(normalized, names)}, {*map(normalized, paths)}
    first = min(wanted, default="")
    nodes = sorted([path.removesuffix(f"/{first}") for path in known if path.endswith(f"/{first}")])
    return next((node for node in nodes if all(f"{node}/{name}" in known for name in wanted)), "")


def tree_of(names: Sequence[str]) -> Tree | None:
    """Return the tree whose leaves have these names; None if they are those of no tree, or in another order.

    Args:
        names: The names as JAX records them, such as `x['a'][0]`: brackets with a number are tuples.
    """
    paths = [path_of(name) for name in names]
    tree = _node(paths, [_is_indexed(name) for name in names], 0)
    return tree if tree is not None and [*tree.paths()] == paths else None


def _is_indexed(name: str) -> tuple[bool, ...]:
    """Return for each key of a name whether it is an index."""
    steps = [match for match in re.finditer(_STEPS, name) if match[0] not in ("/", ".")]
    return tuple([re.fullmatch(_INDEX, match[0]) is not None for match in steps]) or (False,)


def _node(paths: Sequence[Path], indexed: Sequence[tuple[bool, ...]], depth: int) -> Tree | None:
    if len(paths) == 1 and len(paths[0]) == depth:
        return LEAF
    if any(len(path) <= depth for path in paths):
        return None
    kinds = {flags[depth] for flags in indexed}
    rows: dict[str, list[int]] = {}
    for row, path in enumerate(paths):
        rows.setdefault(path[depth], []).append(row)
    children = []
    for chosen in rows.values():
        child = _node([paths[row] for row in chosen], [indexed[row] for row in chosen], depth + 1)
        if child is None or len(kinds) > 1:
            return None
        children.append(child)
    return Tree("tuple" if kinds == {True} else "dict", tuple(rows), tuple(children), is_open=True)


# Words


def listed(names: Iterable[str]) -> str:
    """List names in an error, up to a few."""
    found = list(names)
    more = f" and {len(found) - MOST_LISTED:,} more" if len(found) > MOST_LISTED else ""
    return (", ".join(found[:MOST_LISTED]) or "none") + more


def _place(path: Path) -> str:
    return joined(path) or "the arguments"


def _described(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"a dict of {listed(map(str, value))}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a value of class {type(value).__name__}"
