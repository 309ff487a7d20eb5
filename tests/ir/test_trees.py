"""Trees of arguments: names, structures, and what does not have them."""

from __future__ import annotations

from typing import Any

import pytest

from stablehlo_py.ir.trees import (
    DROPPED,
    LEAF,
    Tree,
    listed,
    node_above,
    normalized,
    numbered,
    path_of,
    segments,
    tree_of,
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("x", ("x",)),
        ("params['dense']['kernel']", ("params", "dense", "kernel")),
        ('params["dense"][0].mean', ("params", "dense", "0", "mean")),
        ("params/dense/kernel", ("params", "dense", "kernel")),
        ("p['a/b.c'].d", ("p", "a/b.c", "d")),
        ("[0]['a']", ("0", "a")),
        ("fc1.weight", ("fc1", "weight")),
        ("serving_default_x:0", ("serving_default_x:0",)),
        ("x[<flat index 3>]", ("x", "<flat index 3>")),
        ("", ("",)),
        ("/", ("/",)),
    ],
)
def test_paths(name: str, path: tuple[str, ...]) -> None:
    assert path_of(name) == path


def test_names_are_compared_by_their_segments() -> None:
    spellings = ["p/mlp/~/w", "p['mlp/~/w']", "p.mlp.~.w", "p['mlp']['~']['w']", '["p"]/mlp/~/w']
    assert {segments(name) for name in spellings} == {("p", "mlp", "~", "w")}
    assert segments("p/w") != segments("pw") != segments("p_w")


TREE = Tree(
    "dict",
    ("a", "b", "c", "d"),
    (
        numbered("tuple", [LEAF, Tree("none")]),
        numbered("list", [LEAF]),
        Tree("none"),
        numbered("custom", [LEAF], "Norm"),
    ),
)


def test_flatten_and_unflatten() -> None:
    value = {"d": [4], "c": None, "b": (3,), "a": (1, None)}
    assert [*TREE.paths()] == [("a", "0"), ("b", "0"), ("d", "0")]
    assert [*TREE.flatten(value)] == [1, 3, 4]
    assert TREE.unflatten(iter([1, 3, 4])) == {"a": (1, None), "b": [3], "c": None, "d": (4,)}
    empty = numbered("tuple", [])
    assert ([*empty.flatten(())], empty.unflatten(iter(()))) == ([], ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": (1,)}, "x/a: expected a tuple of 2, found a tuple of 1"),
        ({"a": (1, 2)}, "x/a/1: expected None, found a value of class int"),
        ({"a": {"0": 1}}, "x/a: expected a tuple of 2, found a dict of 0"),
        ({"a": ({}, None)}, "x/a/0: expected an array, found a dict of none"),
        ({"a": (None, None)}, "x/a/0: expected an array, found None"),
        ({"b": 3}, "x/b: expected a tuple of 1, found a value of class int"),
        ({"d": None}, "x/d: expected a tuple of 1, the fields of Norm, found None"),
        ({"e": 1, "f": 2}, "x: missing keys: none; unexpected keys: e, f"),
    ],
)
def test_other_structures(change: dict[str, Any], message: str) -> None:
    value = {"a": (1, None), "b": [3], "c": None, "d": (4,)} | change
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(") + "$"):
        [*TREE.flatten(value, ("x",))]


def test_both_sides_of_a_wrong_key_are_shown() -> None:
    with pytest.raises(ValueError, match="missing keys: a, c; unexpected keys: e"):
        [*TREE.flatten({"b": [3], "d": (4,), "e": 1})]
    with pytest.raises(ValueError, match="the arguments: expected a dict of a, b, c, d, found a list of 1"):
        [*TREE.flatten([1])]


def test_dropped_leaves_may_be_absent() -> None:
    tree = TREE.without(iter([True, False, False]))
    assert tree.children[1] == numbered("list", [DROPPED])
    assert [*tree.flatten({"a": (1, None), "c": None})] == [1, None, None]
    assert [*tree.flatten({"a": (1, None), "b": None, "c": None, "d": (4,)})] == [1, None, 4]
    with pytest.raises(ValueError, match="missing keys: a, c;"):
        [*tree.flatten({"b": [3]})]
    assert not Tree("none").is_dropped


def test_keys_of_a_dict_may_be_numbers() -> None:
    assert [*Tree("dict", ("0", "1"), (LEAF, LEAF)).flatten({1: "b", 0: "a"})] == ["a", "b"]


def test_a_tree_of_names_stays_open_where_leaves_are_dropped() -> None:
    found = tree_of(["x.a", "x.b"])
    assert found is not None
    assert [*found.without(iter([True, False])).flatten({"x": {"a": 1, "c": 2}, "y": 3})] == [1, None]


def test_the_first_names_are_listed() -> None:
    names = [f"n{number}" for number in range(10)]
    assert listed(names[:8]) == ", ".join(names[:8])
    assert listed(names[:9]) == ", ".join(names[:8]) + " and 1 more"
    assert listed(["n"] * 2008).endswith(" and 2,000 more")


def test_one_spelling_of_names() -> None:
    spellings = ("%a['b'][0]", "a.b.0", "a/b/0", '%a["b"]/0')
    assert {normalized(each) for each in spellings} == {"a/b/0"}


def test_trees_of_names() -> None:
    found = tree_of(["p['a'][0]", "p['a'][2]", "p['b'].c", "x"])
    assert found is not None
    value = {"p": {"a": [1, "dropped", 2], "b": {"c": 3, "other": 0}}, "x": 4}
    assert [*found.flatten(value)] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="p/a: expected a tuple of 3, found a tuple of 2"):
        [*found.flatten({"p": {"a": (1, 2), "b": {"c": 3}}, "x": 4})]
    results = tree_of(["[0]", "[1]['a']"])
    assert results is not None and results.unflatten(iter([1, 2])) == (1, {"a": 2})


@pytest.mark.parametrize(
    "names",
    [["x", "x"], ["x", "x.y"], ["x.y", "x"], ["p.a", "x", "p.b"], ["p[0]", "p['a']"], ["[0]", "x"]],
    ids=str,
)
def test_names_that_are_no_tree(names: list[str]) -> None:
    assert tree_of(names) is None


@pytest.mark.parametrize(
    ("names", "node"),
    [
        (["dense/kernel", "dense/bias"], "params"),
        (["dense.kernel"], "params"),
        (["kernel"], "params/dense"),
        (["params/dense/kernel"], ""),  # a whole path
        (["dense/kernel", "scale"], ""),
        (["ernel"], ""),
        ([], ""),
    ],
)
def test_the_node_above_names(names: list[str], node: str) -> None:
    paths = ["params/dense/kernel", "params/dense/bias", "x", "state/dense/bias"]
    assert node_above(names, paths) == node
