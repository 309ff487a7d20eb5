"""Conditions: comparison, the three truth values, `...`, and what sorts reject."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluating import evaluate, holds

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, UnitAttr, integer
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import F32, F64, I1, I64, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.notation import scope as scope_module
from stablehlo_py.notation.compile import _may_be_contextual
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EMPTY_CONTEXT, Scope
from stablehlo_py.notation.sorts import (
    ARRAY,
    INT,
    STR,
    Sort,
    Undefined,
    convert,
    each_of,
    list_of,
    parse_sort,
)
from stablehlo_py.notation.terms import NotationError, parse
from stablehlo_py.opset.definition import Attr, OpDef

I8 = IntegerType(8)


def tensor(
    *shape: int | None, element: Type = F32, bounds: tuple[int | None, ...] | None = None
) -> TensorType:
    encoding = StructAttr("stablehlo.bounds", (("bounds", bounds),)) if bounds else None
    return TensorType(shape, element, encoding)


def quantized(scale: float = 1.0, dimension: int | None = None, least: int = -128) -> QuantizedType:
    return QuantizedType(I8, F32, (scale,), (0,), least, 127, dimension)


class TestComparison:
    @pytest.mark.parametrize(
        ("formula", "truth"),
        [
            ("1 = 1", True),
            ("1 = 1 = 2", False),
            ("0 <= 1 < 2", True),
            ("0 <= 2 < 2", False),
            ("1 != 2", True),
            ("[1, 2] = [1, 2]", True),
            ("[1, 2] = [1]", False),
            ("[1, 2] != [1]", True),
            ("[] = []", True),
            ("[[1, 2], [3, 4]] = [[1, 2], [3, 5]]", False),
            ("0 <= [0, 1] < 2", True),
            ("0 <= [0, 2] < 2", False),
            ("0 < []", True),
            ("[1, 1] = 1", True),
            ("[1, 2] <= [1, 3]", True),
            ("2 in [1, 2]", True),
            ("2 not in [1, 2]", False),
            ("GE = GE", True),
            ('GE in ["LE", GT]', False),
            ("f32 = f32", True),
            ("f32 = f64", False),
            ("true = false", False),
            ("1 / 2 = 2 / 4", True),
            ("1 / 2 = 0", False),
        ],
    )
    def test_constants(self, formula: str, truth: bool) -> None:
        assert holds(formula) is truth

    @pytest.mark.parametrize(
        ("formula", "truth"),
        [
            ("[2, d] = [2, 3]", None),
            ("[2, d] = [3, 3]", False),
            ("[2, d] = [2]", False),
            ("d = 3", None),
            ("0 <= d", None),
            ("not d = 3", None),
            ("d = 3 and 1 = 2", False),
            ("1 = 2 and d = 3", False),
            ("d = 3 or 1 = 1", True),
            ("d = 3 or 1 = 2", None),
            ("if d = 3 then 1 = 1", True),
            ("if d = 3 then 1 = 2", None),
            ("if 1 = 2 then d = 3", True),
            ("(d = 3 ? 1 : 2) = 1", None),
            ("2 = d = 3", False),
            ("d + 1 = 2", None),
            ("max(d, 1) = 1", None),
            ("1 in [1, d]", True),
            ("2 in [1, d]", None),
            ("for x in [d, 1] : x = 2", False),
            ("for x in [d, 2] : x = 2", None),
            ("is_unique([1, d])", None),
            ("is_unique([1, 1, d])", False),
            ("same([1, d, 2])", False),
            ("same([1, d])", None),
        ],
    )
    def test_unknown_sizes(self, formula: str, truth: bool | None) -> None:
        assert holds(formula, d=None) is truth

    def test_ordered_lists_of_unequal_length_have_no_order(self) -> None:
        with pytest.raises(Undefined):
            holds("[1, 2] <= [1]")


class TestTypes:
    @pytest.mark.parametrize(
        ("a", "b", "truth"),
        [
            (tensor(2, 3), tensor(2, 3), True),
            (tensor(2, 3), tensor(2, 4), False),
            (tensor(2, 3), tensor(2), False),
            (tensor(2), tensor(2, element=F64), False),
            (tensor(None), tensor(2), None),
            (tensor(None), tensor(None), None),
            (tensor(None, 3), tensor(2, 4), False),
            (tensor(None), tensor(2, element=F64), False),
            (tensor(None, bounds=(3,)), tensor(4), False),
            (tensor(None, bounds=(3,)), tensor(3), None),
            (tensor(element=quantized(1.0)), tensor(element=quantized(2.0)), True),
            (tensor(element=quantized(least=-127)), tensor(element=quantized()), False),
            (tensor(2, 1, element=quantized(dimension=1)), tensor(2, 1, element=quantized()), False),
            (
                tensor(2, 1, element=quantized(dimension=1)),
                tensor(2, 1, element=quantized(dimension=0)),
                True,
            ),
            (tensor(element=quantized()), tensor(), False),
            (F32, F32, True),
            (F32, I1, False),
        ],
    )
    def test_equality_is_upstreams(self, a: Type, b: Type, truth: bool | None) -> None:
        assert holds("a = b", a=a, b=b) is truth
        assert holds("b = a", a=a, b=b) is truth
        assert holds("a != b", a=a, b=b) is (None if truth is None else not truth)

    def test_every_two_of_a_chain(self) -> None:
        values = {"a": Value(tensor(2)), "b": Value(tensor(None)), "c": Value(tensor(3))}
        assert holds("type(a) = type(b) = type(c)", **values) is False

    def test_identical(self) -> None:
        a, b = tensor(element=quantized(1.0)), tensor(element=quantized(2.0))
        assert holds("identical(a, b)", a=a, b=b) is False
        assert holds("identical(a, a)", a=a) is True


class TestEach:
    VALUES: dict[str, Any] = {
        "inputs": [Value(tensor(2, 3)), Value(tensor(2, 3))],
        "three": [Value(tensor(2, 3))] * 3,
        "mixed": [Value(tensor(2, 3)), Value(tensor(2, 4))],
        "result": Value(tensor(2, 3)),
    }

    @pytest.mark.parametrize(
        ("formula", "truth"),
        [
            ("shape(inputs...) = shape(result)", True),  # a list of shapes against a shape
            ("shape(three...) = shape(result)", True),
            ("shape(mixed...) = shape(result)", False),
            ("type(inputs...) = type(three...)", False),  # unequal lengths
            ("type(inputs...) = type(inputs...)", True),
            ("same(shape(inputs...))", True),
            ("same(shape(mixed...))", False),
            ("same(shape(mixed...)[0])", True),
            ("same([shape(inputs...)..., shape(result)])", True),
            ("0 <= 1 < rank(inputs...)", True),
            ("dim(mixed..., 1) = [3, 4]...", True),
            ("dim(result, [0, 1]...) = [2, 3]...", True),
            ("dim(result, [0, 1]...) = [2]...", False),
            ("[5, 6, 7][[0, 2]...] >= 5", True),
            ("sum(dim(mixed..., 1)) = 7", True),
            ("is_unique(dim(inputs..., 0))", False),
            ("is_float(inputs...)", True),
            ("not is_float(inputs...)", False),
            ("size(inputs) = 2", True),
        ],
    )
    def test_mapping(self, formula: str, truth: bool) -> None:
        names = {name: value for name, value in self.VALUES.items() if name in formula}
        assert holds(formula, **names) is truth


class TestChoice:
    def test_if(self) -> None:
        assert holds("if x = 1 then y = 2", x=1, y=3) is False
        assert holds("if x = 1 then y = 2", x=0, y=3) is True
        assert holds("if x = 1 then y = 2 else y = 3", x=0, y=3) is True

    def test_what_is_not_needed_need_not_be_defined(self) -> None:
        assert holds("if size(x) = 2 then x[1] = 5", x=[1]) is True
        assert holds("size(x) = 1 or x[1] = 5", x=[1]) is True
        assert holds("size(x) = 2 and x[1] = 5", x=[1]) is False
        with pytest.raises(Undefined):
            holds("x[1] = 5", x=[1])

    def test_for(self) -> None:
        assert holds("for i in range(3) : x[i] = i", x=[0, 1, 2]) is True
        assert holds("for i in range(3) : x[i] = i", x=[0, 1, 1]) is False
        assert (
            holds("for i in range(2) : for j in range(2) : x[i][j] = i * 2 + j", x=[[0, 1], [2, 3]]) is True
        )

    def test_let_and_comprehension(self) -> None:
        assert evaluate("let n = size(x) in [n - e for e in x if e != 2]", x=[1, 2, 3]) == [2, 0]


class TestSorts:
    @pytest.mark.parametrize("text", ["Int", "List[Int]", "List[List[T]]", "Each[Value]", "Array"])
    def test_text(self, text: str) -> None:
        """As messages and signatures have it."""
        assert str(parse_sort(text)) == text

    @pytest.mark.parametrize(
        "formula",
        [
            "size(x) = i < size(y) ? y[0] : 1",  # the whole comparison is the condition: gather C3
            "size(x)",
            "v = v",  # values have no equality, their types do
            "t < t",
            "x = t",
            "t = 1",
            "GE = 1",
            "x + t",
            "rank(x...)",
            "nothing = 1",
            "nothing(x)",
            "size(x, y)",
            "for x in y : x = 1",  # hides an input
            "let t = 1 in t = 1",
            "[i, t] = x",
            "i ? true : false",
            "not i",
            "i[0] = 1",
            "x in i",
            "given(size(x))",
            "x[t] = 1",
            "(true ? 1 : t) = 1",
            "DEFAUT = GE",
        ],
    )
    def test_rejected(self, formula: str) -> None:
        names = {"x": [1], "y": [1], "i": 0, "t": tensor(2), "v": Value(tensor(2))}
        with pytest.raises(NotationError):
            holds(formula, **names)

    def test_the_choice_that_gather_means(self) -> None:
        formula = "size(x) = (i < size(y) ? y[i] : 1)"
        assert holds(formula, x=[0, 0], i=1, y=[1, 2]) is True
        assert holds(formula, x=[0, 0], i=2, y=[1, 2]) is False


SIZES = OpDef(
    "test.sizes",
    inputs=(Attr("sizes", "array<i64>", default="[2 * d for d in range(3)]"),),
    where=(
        ("LAST", "let d = 9 in d"),
        ("OUTER", "[d for d in range(4) if sizes[0] = 0 and LAST = 9]"),
        ("ABSENT", "for d in range(9) : d < 2 or sizes[9] = 1"),
    ),
)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("OUTER", [0, 1, 2, 3]),
        ("[d for d in range(3) if LAST = 9]", [0, 1, 2]),
        ("[d + LAST for d in range(3)]", [9, 10, 11]),
        ("[sizes[d] + d for d in range(3)]", [0, 3, 6]),
        ("let d = 5 in sizes[1] + d", 7),
        ("for d in range(1) : LAST = 9 and OUTER = range(4) and d = 0", True),
        ("[d for d in range(2) if given(sizes) or ABSENT]", [0, 1]),
    ],
)
def test_names_that_are_loaded_in_a_loop_keep_its_variable(formula: str, value: object) -> None:
    """Defaults and shared names are evaluated when they are first used, and have variables of their own."""
    scope = Scope(SIZES)
    assert scope.compiler().compile(parse(formula)).run(env_of(scope)) == value


def test_a_name_without_a_value_keeps_the_variables_of_a_loop() -> None:
    env = env_of(Scope(SIZES))
    env["d"] = 5
    with pytest.raises(Undefined):
        env["ABSENT"]
    assert env["d"] == 5


def env_of(scope: Scope) -> Environment:
    return Environment(Operation("test.sizes"), EMPTY_CONTEXT, scope.loaders)


@pytest.mark.parametrize(
    ("replicas", "partitions", "count"), [(4, 2, 8), (1, 1, 1), (None, 2, None), (4, None, None)]
)
def test_the_number_of_processes(replicas: int | None, partitions: int | None, count: int | None) -> None:
    """It is known where both sizes of the grid are."""
    context, scope = scope_module.EmptyContext(), Scope(SIZES)
    context.num_replicas, context.num_partitions = replicas, partitions
    env = Environment(Operation("test.sizes"), context, scope.loaders)
    assert scope.compiler().compile(parse("num_processes")).run(env) == count


PRESENCE = OpDef(
    "test.presence",
    inputs=tuple(Attr(name, "i64", optional=True) for name in ("a", "b", "c")),
)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("given(a)", True),
        ("given(c)", False),
        ("given(a, b)", True),
        ("given(a, c)", False),
        ("given(c, a)", False),
        ("not given(a, c)", True),
        ("is_empty_algorithm(c)", True),
        ("is_empty_algorithm(a, b)", False),
        ("is_empty_algorithm(a, c)", False),
        ("is_empty_algorithm(c, b)", False),
    ],
)
def test_inputs_that_are_given(formula: str, value: bool) -> None:
    """All of them, or none."""
    scope = Scope(PRESENCE)
    op = Operation("test.presence", (), (), {"a": integer(1), "b": integer(2)})
    env = Environment(op, EMPTY_CONTEXT, scope.loaders)
    assert scope.compiler().condition(parse(formula)).run(env) is value


NUMBERS = DenseElementsAttr(TensorType((2,), I64), np.array([3, 4]))


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("[i for i in x]", [3, 4]),
        ("[i + 1 for i in x if i = 3]", [4]),
        ("[x..., 7]", [3, 4, 7]),
        ("[i for i in []]", []),
        ("[ts..., t]", [tensor(2), tensor(3), tensor(4)]),
        ("[vs..., t]", [tensor(5), tensor(4)]),  # values as their types
        ("[t, vs...]", [tensor(4), tensor(5)]),
    ],
)
def test_elements_of_arrays_and_lists(formula: str, value: object) -> None:
    """Those of a list are of their common sort."""
    types = [tensor(2), tensor(3)]
    assert evaluate(formula, x=NUMBERS, t=tensor(4), ts=types, vs=[Value(tensor(5))]) == value


@pytest.mark.parametrize(
    ("formula", "is_contextual"),
    [
        ("has_mesh(x)", True),
        ("rank(v) = 1 and has_mesh(x)", True),
        ("for i in range(2) : (i = 0 or has_mesh(x))", True),
        ("not (if has_mesh(x) then true else false)", True),
        ("rank(v) = 1 and size(x) = 2", False),
        ("has_mesh", False),
        ("[has_mesh, v]", False),
    ],
)
def test_what_depends_on_more_than_types(formula: str, is_contextual: bool) -> None:
    """A call of a function that reads the module, at any depth; a name that is spelled as one is none."""
    assert _may_be_contextual(parse(formula)) is is_contextual


def test_formulas_of_other_packages_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a mistake is an error when the op is defined; those of this package have tests."""
    broken = OpDef("test.broken", where=(("x", "1"),))
    term = parse("x = 2 or y = 3")
    scope = Scope(broken)
    assert scope.compiler().condition(term)
    monkeypatch.setattr(scope_module, "extensions", lambda: [broken])
    with pytest.raises(NotationError, match="undefined name y"):
        scope.compiler().condition(term)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("for i in 3 : i = 1", "for .. in 3: expected a list, got Int"),
        ("[i for i in 3]", "for .. in 3: expected a list, got Int"),
        ("[3...]", "3...: expected a list, got Int"),
        ('x["a"]', 'index "a": expected sort Int, got Str'),
        ("x[1.5:2]", "index 1.5: expected sort Int, got Float"),
    ],
)
def test_what_is_no_list_and_no_index(formula: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        evaluate(formula, x=NUMBERS)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("[i for i in [1, 2] if i = n]", "filter depends on an unknown size"),
        ("range(16777218)", "a list that is too long"),
        ("range(-1, 16777217)", "a list that is too long"),
        ("shape([[1, 2], [3]])", "nested lists of unequal length"),
        ("replace([1, 2, 3], [0], [1, 2])", "lists of unequal length"),
    ],
)
def test_what_is_not_defined(formula: str, message: str) -> None:
    with pytest.raises(Undefined) as raised:
        evaluate(formula, n=None)
    assert str(raised.value) == message


def test_the_sort_of_a_default() -> None:
    wrong = OpDef(name="test.default", doc="", inputs=(Attr("n", "i64", default='"a"'),))
    with pytest.raises(NotationError, match=r"^default of n: expected sort Int, got Str$"):
        Scope(wrong).default(wrong.attrs[0])


def test_an_op_outside_of_a_module() -> None:
    """Nothing is known about it: a function has no body, and a symbol may be defined."""
    op = Operation("test.op")
    assert EMPTY_CONTEXT.resolve(op, "f") is None
    assert EMPTY_CONTEXT.is_symbol(op, "f")
    assert (EMPTY_CONTEXT.num_replicas, EMPTY_CONTEXT.num_partitions) == (None, None)


def test_conversions_between_sorts() -> None:
    assert convert(each_of(INT), Sort("T"), {}) is None
    assert convert(INT, Sort("T"), {"T": STR}) is None
    same, of_array = convert(INT, INT, {}), convert(ARRAY, list_of(INT), {})
    assert same is not None and of_array is not None
    assert (same(5), list(of_array(NUMBERS))) == (5, [3, 4])


def test_regions_that_are_no_functions() -> None:
    blocks = [Block(), Block()]
    for formula in ("input_types(f)", "output_types(f)"):
        with pytest.raises(Undefined, match=r"^not a function$"):
            evaluate(formula, f=Region(blocks))


def test_a_constant_without_a_type() -> None:
    assert evaluate("type(x)", x=integer(1)) == I64
    with pytest.raises(Undefined, match=r"^constant without a type$"):
        evaluate("type(x)", x=UnitAttr())


def test_names_of_formulas_are_bound_once() -> None:
    with pytest.raises(NotationError, match=r"^test\.twice: x is already bound$"):
        Scope(OpDef("test.twice", where=(("x", "1"), ("x", "2"))))
