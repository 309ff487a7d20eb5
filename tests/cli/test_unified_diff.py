"""Unified diffs, as `diff -u` prints them."""

from __future__ import annotations

import pytest
from stablehlo_py.cli.rewriting import _unified

import stablehlo_py  # noqa: F401 - the command line is inside the package

NUMBERS = [f"{number}\n" for number in range(1, 21)]
CASES = (
    # lines before and after, and what `diff -u` prints below the names
    (["a\n"], ["b\n"], "@@ -1 +1 @@\n-a\n+b\n"),
    ([], ["a\n", "b\n"], "@@ -0,0 +1,2 @@\n+a\n+b\n"),
    (["a\n", "b\n"], [], "@@ -1,2 +0,0 @@\n-a\n-b\n"),
    (
        NUMBERS,
        [*NUMBERS[:4], *NUMBERS[5:19], "last\n"],
        "@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n@@ -17,4 +16,4 @@\n 17\n 18\n 19\n-20\n+last\n",
    ),
    (
        NUMBERS,
        [*NUMBERS[:4], "new\n", *NUMBERS[4:10], *NUMBERS[11:]],
        "@@ -2,13 +2,13 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n 8\n 9\n 10\n-11\n 12\n 13\n 14\n",
    ),
)


@pytest.mark.parametrize(("before", "after", "expected"), CASES)
def test_hunks(before: list[str], after: list[str], expected: str) -> None:
    assert "".join(_unified(before, after, "old", "new")) == f"--- old\n+++ new\n{expected}"


def test_equal_texts_have_no_diff() -> None:
    assert list(_unified(NUMBERS, NUMBERS, "old", "new")) == []
