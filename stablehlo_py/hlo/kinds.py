"""Kinds of attributes: how the value of an attribute is read, as plain data, and printed.

What refers to computations, instructions or the shape of the instruction is read by the parser
(`computation`, `computations`, `instructions`, `literal`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from stablehlo_py.hlo import shardings, texts
from stablehlo_py.hlo.kind_forms import Kind, listing, sequence
from stablehlo_py.hlo.lexer import Cursor, near
from stablehlo_py.hlo.shapes import read_shape
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """The window of a convolution or reduction, with a number for each dimension."""

    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    pad: tuple[tuple[int, int], ...] = ()
    lhs_dilate: tuple[int, ...] = ()
    rhs_dilate: tuple[int, ...] = ()
    rhs_reversal: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplicaGroups:
    """Groups of processes: lists, or the rows of an array, or the axes of a mesh as text.

    Attributes:
        groups: The groups.
        text: The text, if it is no list of lists.
    """

    groups: tuple[tuple[int, ...], ...] = ()
    text: str = ""


INT = Kind(lambda cursor: cursor.integer(), str)
_INTS = listing(INT)
_LISTS = listing(_INTS)


def _axis(cursor: Cursor) -> tuple[int, ...]:
    start, found = cursor.at, cursor.integers()
    if len(found) != 1:
        cursor.fail_with(start, f"expected one dimension, as in {{0}}, got {_INTS.write(found)}")
    return found


def _pairs(cursor: Cursor) -> tuple[tuple[int, ...], ...]:
    start, found = cursor.at, _LISTS.read(cursor)
    if any(len(pair) != 2 for pair in found):
        cursor.fail_with(start, "expected pairs, as in {{0,1},{1,0}}")
    return tuple(found)


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _number(cursor: Cursor) -> float:
    for name in ("DECIMAL", "INTEGER", "NAN", "INFINITY"):
        if (text := cursor.match(name)) is not None:
            return float(text.partition("(")[0])
    return cursor.fail("a number")


def _number_text(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else str(value)


# ------------------------------------------------------------------------------- windows, slices, padding

_WINDOW = ("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal")
_TRIVIAL = {"stride": 1, "pad": (0, 0), "lhs_dilate": 1, "rhs_dilate": 1, "rhs_reversal": 0}


def _by_dimension(cursor: Cursor) -> tuple[int, ...]:
    start, text = cursor.at, cursor.match("DXD")
    if text is None:
        return (cursor.integer("an integer, or some such as 2x3"),)
    return tuple([cursor.value(part, start) for part in text.split("x")])


def _pads(cursor: Cursor) -> tuple[tuple[int, ...], ...]:
    start, text = cursor.at, cursor.want("PAD", "the padding of each dimension, such as 0_0 or 1_1x0_2")
    return tuple([tuple([cursor.value(n, start) for n in part.split("_")]) for part in text.split("x")])


def _window(cursor: Cursor) -> Window:
    places: dict[str, int] = {}

    def field(name: str) -> Any:
        places[name] = cursor.at
        if name != "pad":
            return _by_dimension(cursor)
        pads = _pads(cursor)
        if any(len(pad) != 2 for pad in pads):
            cursor.fail("a low and a high padding for each dimension, such as 1_1", at=places[name])
        return pads

    fields = cursor.fields(_WINDOW, "a field of a window", field, has_commas=False)
    rank = len(fields.get("size", ()))
    for name, values in fields.items():
        if len(values) != rank:
            wanted = f"{rank} numbers in {name}= as in size= instead of {len(values)}"
            cursor.fail(wanted, at=places[name])
    return Window(**fields)


def _window_text(window: Window) -> str:
    parts = [f"size={'x'.join(map(str, window.size))}"]
    for name, trivial in _TRIVIAL.items():
        values = getattr(window, name)
        if any(value != trivial for value in values):
            texts = [f"{v[0]}_{v[1]}" if name == "pad" else str(v) for v in values]
            parts.append(f"{name}={'x'.join(texts)}")
    return f"{{{' '.join(parts)}}}"


def _dim_labels(cursor: Cursor) -> str:
    start, text = cursor.at, cursor.want("DIM_LABELS", "labels of dimensions, such as bf0_0io->0bf")
    left, _, right = text.partition("_")
    kernel, _, out = right.partition("->")
    spatial = "".join(map(str, range(len(left) - 2)))
    for side, others in ((left, "bf"), (kernel, "io"), (out, "bf")):
        if len(left) < 12 and sorted(side) != sorted(spatial + others):
            cursor.fail_with(
                start, f"the labels {side} in {text} must be those of {spatial + others}, each once"
            )
    return text


def _padding(cursor: Cursor) -> tuple[tuple[int, int, int], ...]:
    return tuple([(pad[0], pad[1], pad[2] if len(pad) > 2 else 0) for pad in _pads(cursor)])


def _padding_text(pads: tuple[tuple[int, int, int], ...]) -> str:
    inner = any(pad[2] for pad in pads)
    return "x".join([f"{low}_{high}" + f"_{between}" * inner for low, high, between in pads])


def _slice(cursor: Cursor) -> tuple[tuple[int, int, int], ...]:
    def dimension() -> tuple[int, int, int]:
        cursor.expect("[", "a dimension such as [0:2]")
        start = cursor.integer()
        cursor.expect(":", "':' and the limit, as in [0:2]")
        limit = cursor.integer()
        stride = cursor.integer() if cursor.take(":") else 1
        cursor.expect("]")
        return start, limit, stride

    return cursor.items(dimension)


def _slice_text(dimensions: tuple[tuple[int, int, int], ...]) -> str:
    strided = any(stride != 1 for _, _, stride in dimensions)
    parts = [f"[{start}:{limit}" + f":{stride}" * strided + "]" for start, limit, stride in dimensions]
    return f"{{{', '.join(parts)}}}"


# ------------------------------------------------------------------------------- groups, aliases


def _groups(cursor: Cursor) -> ReplicaGroups:
    if cursor.is_next("{"):
        return ReplicaGroups(_LISTS.read(cursor))
    start = cursor.at
    if cursor.is_next("mesh"):
        mesh = shardings.read_mesh(cursor)
        axes = cursor.items(lambda: shardings.read_axis(cursor))
        known = [name for name, _ in mesh.axes]
        for axis in axes:
            if axis.name not in known:
                cursor.fail(f"an axis of the mesh ({', '.join(known)}) instead of {axis.name}", at=start)
        if len(set(axes)) < len(axes):
            cursor.fail("each axis of the mesh once", at=start)
        return ReplicaGroups(mesh.groups(axes), f"{mesh} {{{','.join(map(str, axes))}}}")
    cursor.expect("[", "groups such as {{0,1},{2,3}} or [2,2]<=[4]")
    rows = cursor.integer()
    cursor.expect(",")
    columns = cursor.integer()
    cursor.expect("]")
    cursor.expect("<=")
    iota = shardings.read_iota(cursor)
    if rows * columns != iota.size:
        cursor.fail(f"an array of {rows * columns} processes instead of {iota.size}", at=start)
    ids = iota.devices()
    groups = tuple([tuple(ids[row * columns : (row + 1) * columns]) for row in range(rows)])
    return ReplicaGroups(groups, f"[{rows},{columns}]<={iota}")


def _groups_text(groups: ReplicaGroups) -> str:
    return groups.text or _LISTS.write(groups.groups)


Index = tuple[int, ...]


def read_index(cursor: Cursor) -> Index:
    """Read the index of an element in nested tuples: `{0,1}`."""
    cursor.expect("{", "'{' before an index such as {0,1}")
    found: list[int] = []
    while not cursor.take("}"):
        found.append(cursor.integer())
        if not cursor.take(","):
            cursor.expect("}")
            break
    return tuple(found)


def index(separator: str) -> Kind:
    """Return the kind of an index with a text between its numbers."""
    return Kind(read_index, lambda numbers: f"{{{separator.join(map(str, numbers))}}}")


_INDEX = index(", ")


# ------------------------------------------------------------------------------- words and structures


def _words(what: str, words: str, omitted: Any = None) -> Kind:
    """Return the kind of one of several words."""
    known = tuple(words.split())
    return Kind(lambda cursor: cursor.choice(known, what), str, omitted)


_PRECISIONS = ("default", "high", "highest", "packed_nibble")


def _precision(cursor: Cursor) -> tuple[str, ...] | None:
    found = cursor.items(lambda: cursor.choice(_PRECISIONS, "a precision"))
    return None if set(found) <= {"default"} else found


def _accuracy(cursor: Cursor) -> str:
    cursor.expect("{")
    kind = cursor.choice(("mode", "tolerance"), "mode= or tolerance=")
    cursor.expect("=")
    if kind == "mode":
        text = cursor.choice(("default", "highest"), "default or highest")
    else:
        names = ("atol", "rtol", "ulps")
        found = cursor.fields(names, "atol=, rtol= or ulps=", lambda _: _number_text(_number(cursor)))
        text = _fields_text(found, ",")
    cursor.expect("}")
    return _fields_text({kind: text})


def _fields_text(fields: Mapping[str, object], separator: str = " ") -> str:
    return f"{{{separator.join([f'{name}={value}' for name, value in fields.items()])}}}"


def _sparsity(cursor: Cursor) -> str:
    """Read the sparsity of a convolution's operands, as text."""

    def field(name: str) -> str:
        return cursor.want("DXD", "a ratio such as 1x4") if name == "sparsity" else str(cursor.integer())

    def side(_: str) -> str:
        names = ("sparsity", "dimension", "stride")
        return _fields_text(cursor.fields(names, "a field of a sparsity", field, has_commas=False))

    return _fields_text(cursor.fields(("lhs", "rhs"), "lhs= or rhs=", side, has_commas=False))


def _domain(cursor: Cursor) -> tuple[str, str]:
    found = {}
    cursor.expect("{")
    for name in ("kind", "entry", "exit"):
        if not cursor.take_word(name):
            cursor.fail(f"{name}= of the domain")
        cursor.expect("=")
        start = cursor.at
        found[name] = texts.read_string(cursor) if name == "kind" else shardings.read_sharding(cursor)
        if name == "kind" and found[name] != "sharding":
            cursor.fail('the kind "sharding"', at=start)
        cursor.take(",")
    cursor.expect("}")
    return found["entry"], found["exit"]


def _algorithm(cursor: Cursor) -> str:
    start, word = cursor.at, cursor.name("an algorithm such as dot_bf16_bf16_f32")
    if word not in _ALGORITHMS:
        notes = near(word, _ALGORITHMS)
        cursor.fail("an algorithm such as dot_bf16_bf16_f32", *notes, at=start)
    return word


_ALGORITHMS = (
    "unset", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum", "dot_any_f8_any_f8_any",
    "dot_any_f8_any_f8_any_fast_accum", "dot_f16_f16_f16", "dot_f16_f16_f32", "dot_bf16_bf16_bf16",
    "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_bf16_bf16_f32_x9",
    "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64",
)  # fmt: skip


def _flag_or_list(cursor: Cursor) -> tuple[bool, ...]:
    return cursor.items(cursor.boolean) if cursor.is_next("{") else (cursor.boolean(),)


_WORD = Kind(lambda cursor: cursor.name(), str)
_SHAPE = Kind(read_shape, str)
_STRING = Kind(texts.read_string, texts.quoted)
_FLAG = Kind(lambda cursor: cursor.boolean(), _boolean, False)
_GROUP_MODES = (
    "cross_replica", "cross_partition", "cross_replica_and_partition", "flattened_id",
)  # fmt: skip
API_VERSIONS = (  # by the number that StableHLO has for them
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI",
)  # fmt: skip
_KINDS = {
    "int": INT,
    "dimension": INT._replace(omitted=-1),
    "count": INT._replace(omitted=1),
    "float": Kind(_number, _number_text),
    "bool": _FLAG._replace(omitted=None),
    "flag": _FLAG,
    "ignored": Kind(lambda cursor: cursor.choice(_GROUP_MODES, "a mode of groups"), str),
    "ints": _INTS,
    "axis": _INTS._replace(read=_axis),
    "dims": _INTS._replace(omitted=()),
    "pairs": _LISTS._replace(read=_pairs),
    "nonempty_lists": _LISTS._replace(omitted=()),
    "bools": listing(_FLAG)._replace(read=_flag_or_list),
    "groups": Kind(_groups, _groups_text),
    "window": Kind(_window, _window_text, Window()),
    "dim_labels": Kind(_dim_labels, str),
    "padding": Kind(_padding, _padding_text),
    "slice": Kind(_slice, _slice_text),
    "precision": listing(_WORD)._replace(read=_precision),
    "algorithm": Kind(_algorithm, str, "unset"),
    "word": _WORD,
    "text": _STRING._replace(omitted=""),
    "target": _STRING,
    "thread": _STRING._replace(omitted="main"),
    "shape": _SHAPE,
    "shapes": listing(_SHAPE, ", "),
    "aliasing": listing(sequence(_INDEX, ": (", INT, ", ", _INDEX, ")"), ", ")._replace(omitted=()),
    "accuracy": Kind(_accuracy, str, "{mode=default}"),
    "sparsity": Kind(_sparsity, str, "{}"),
    "domain": Kind(_domain, lambda pair: f'{{kind="sharding", entry={pair[0]}, exit={pair[1]}}}'),
    "direction": _words("a direction of a comparison", "EQ NE GE GT LE LT"),
    "comparison": _words("a type of comparison", "FLOAT TOTALORDER SIGNED UNSIGNED"),
    "convolution_kind": _words("a kind of convolution", "unset fprop wgrad dgrad", omitted="unset"),
    "fusion_kind": _words("a kind of fusion", "kLoop kInput kOutput kCustom"),
    "fft_type": _words("a type of FFT", "FFT IFFT RFFT IRFFT"),
    "distribution": _words("a distribution", "rng_uniform rng_normal"),
    "rng_algorithm": _words("a random algorithm", "rng_default rng_three_fry rng_philox"),
    "transpose": _words("a transposition", "NO_TRANSPOSE TRANSPOSE ADJOINT"),
    "padding_type": _words("a type of padding", "PADDING_INVALID PADDING_VALID PADDING_SAME"),
    "schedule": _words(
        "a schedule", "SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST", omitted="SCHEDULE_NONE"
    ),
    "api_version": _words("a version of the API", " ".join(API_VERSIONS), omitted=API_VERSIONS[1]),
    "sharding": Kind(shardings.read_sharding, str),
    "frontend": Kind(texts.read_frontend, texts.frontend_text, ()),
    "metadata": Kind(texts.read_metadata, texts.metadata_text),
    "origin": Kind(texts.read_origin, str),
    "statistics": Kind(texts.read_statistics, str, ""),
    "backend_config": Kind(texts.read_config, texts.config_text, ""),
}
PARSED = ("computation", "computations", "instructions", "literal")  # kinds that the parser reads


@cache
def kind_of(name: str) -> Kind:
    """Return a kind by its name in the rows of opcodes."""
    return _KINDS[name]


def default_of(name: str) -> Any:
    """Return the value of an attribute that is always printed, where the text does not state it."""
    return {"groups": ReplicaGroups(), "flag": False}.get(name, ())
