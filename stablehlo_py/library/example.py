"""Programs in C and C++ that run a function of a library, and how CMake builds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from stablehlo_py.library.source import from_template, named

_FILES = ("example.c", "example.cpp", "CMakeLists.txt")
_OPEN = """\
  prefix_weights *weights = @NULL@;
  int opened = prefix_weights_open(count > first ? arguments[first++] : "PREFIX_NAME.weights", &weights);
  if (opened)
    @FAIL@;
  options.weights = weights;
"""
_FAIL = {
    "example.c": 'return fail("weights", prefix_status_text(opened))',
    "example.cpp": "throw std::runtime_error(prefix_status_text(opened))",
}
_NULL = {"example.c": "NULL", "example.cpp": "nullptr"}


def example(
    prefix: str, call: str, library: str, has_file: bool, libraries: Sequence[str]
) -> Mapping[str, str]:
    """Write an example: the texts of its files by name.

    Args:
        prefix: What the names of the library begin with.
        call: The function that is called.
        library: The file name of the library.
        has_file: Whether its constants are in a file of their own.
        libraries: The others that it needs.
    """
    found = {}
    for name in _FILES:
        opened = _OPEN.replace("@FAIL@", _FAIL.get(name, "")).replace("@NULL@", _NULL.get(name, ""))
        words = {
            "@OPEN_WEIGHTS@": named(opened, prefix) if has_file else "",
            "@CLOSE_WEIGHTS@": f"  {prefix}_weights_close(weights);\n" if has_file else "",
            "@WEIGHTS_USAGE@": " WEIGHTS" if has_file else "",
            "@CALL@": call,
            "@LIBRARY@": library,
            "@LAPACK@": "".join([f";{each}" for each in libraries]),
            "@KIND@": "STATIC" if PurePath(library).suffix == ".a" else "SHARED",
        }
        found[name] = from_template(name, prefix, words)
    return found
