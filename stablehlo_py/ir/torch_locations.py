"""Locations of torch_xla: names that hold the metadata of a node of `torch.export`, as JSON.

`stack_trace` has lines of Python, `nn_module_stack` the path of the module, and `torch_fn` the function.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, Location, NameLoc

_MARKED = re.compile(r"<XLA_MLIR_DEBUGINFO_BEGIN>(.*?)<XLA_MLIR_DEBUGINFO_END>", re.DOTALL)
_FRAME = re.compile(r'File "([^"\n]+)", line (\d{1,9})(?:, in (\S+))?')
_OF_TORCH = re.compile(r"[/\\\\](?:site|dist)-packages[/\\\\]torch[/\\\\]")
_MOST_FRAMES = 100  # the innermost ones: locations are read by recursion


def described(location: Location | None) -> Location | None:
    """Return what a location of torch_xla describes, and any other location as it is.

    Args:
        location: The location.

    Returns:
        The positions of the op and its callers in the model, without lines of PyTorch, named by the path of
        the module and the function, such as `layers/0/fc1/linear`.
    """
    if not isinstance(location, NameLoc) or "{" not in location.name or location.child != UNKNOWN:
        return location
    return _described(location.name) or location


@lru_cache(maxsize=1 << 10)
def _described(name: str) -> Location | None:
    """Return the location that a name describes; None for a name without metadata."""
    marked = _MARKED.search(name)
    try:
        data = json.loads(marked[1] if marked else name)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        return None
    place, scope = _stack(data.get("stack_trace", "")), _scope(data)
    return NameLoc(scope, place) if scope else place


def _stack(trace: str) -> Location:
    """Return the positions of a traceback, whose last line is the innermost."""
    frames = _FRAME.findall(trace)
    own = [frame for frame in frames if not _OF_TORCH.search(frame[0])] or frames
    place: Location = UNKNOWN
    for file, line, function in own[-_MOST_FRAMES:]:
        found: Location = FileLoc(file, int(line), 0)
        found = NameLoc(function, found) if function else found
        place = found if place is UNKNOWN else CallSiteLoc(found, place)
    return place


def _scope(data: dict[str, Any]) -> str:
    """Return the path of the innermost module, of `key,path,type;...`, and the function of `name;class.f`."""
    path = data.get("nn_module_stack", "").rpartition(";")[2].split(",")[1:2]
    function = data.get("torch_fn", "").rpartition(".")[2]
    names = [*(path[0].removeprefix("L['self'].").split(".") if path else ()), function]
    return "/".join([name for name in names if name])
