"""Pretty forms, written: a walk over a form's elements, and a writer for each `custom<...>` directive.

A form is compiled once to steps: fixed text, with MLIR's spaces around punctuation already in it, and
functions that write one element of an op. A directive's writer has the directive's name; its arguments are the
values that the directive's arguments refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    TypeAttr,
)
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import ComplexType, FunctionType, TensorType, Type
from stablehlo_py.opset.definition import Attr, OpDef, lookup
from stablehlo_py.opset.kinds import ENUMS
from stablehlo_py.syntax.forms import (
    AllOperands,
    AttrDict,
    Directive,
    Element,
    FunctionalType,
    Literal,
    Optional,
    Ref,
    TypeOf,
    parse_form,
)
from stablehlo_py.syntax.pieces import join
from stablehlo_py.syntax.print_attributes import convolution_text, keyword, stripped_parts, symbol
from stablehlo_py.syntax.print_types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer

Writer = Callable[["Printer", Operation], None]
Step = str | Writer
Getter = Callable[[Operation], Any]


@cache
def form_steps(name: str) -> tuple[Step, ...] | None:
    """How to write an op after its name; None for an op that has no pretty form."""
    definition = lookup(name)
    if definition is None or definition.form is None:
        return None
    return tuple(_Compiler(definition).steps(parse_form(definition.form)))


def can_be_pretty(op: Operation) -> bool:
    """Whether an op has what its pretty form shows. An op that does not fit its definition may not."""
    definition = lookup(op.name)
    if definition is None or definition.form is None:
        return False
    return (
        not op.successors
        and _counts_fit(len(op.operands), definition.operands)
        and _counts_fit(len(op.results), definition.outputs)
        and len(op.regions) >= len([body for body in definition.bodies if not body.variadic])
        and all(op.attribute(name) is not None for name in definition.required_properties)
        and all(check(op) for name, check in REQUIREMENTS.items() if f"<{name}>" in definition.form)
    )


def _counts_fit(count: int, entries: Sequence[Any]) -> bool:
    fixed = len([e for e in entries if not e.variadic and not getattr(e, "optional", False)])
    return count == fixed if fixed == len(entries) else count >= fixed


class _Compiler:
    """Turns the elements of one op's form into steps."""

    def __init__(self, definition: OpDef) -> None:
        self._definition = definition
        self._operands = _slices(definition)
        self._attrs = {attr.property: attr for attr in definition.attrs if not attr.field}
        self._bodies = {body.name: index for index, body in enumerate(definition.bodies)}
        self._space = True  # whether a literal may have a space before it
        self._punctuation = False  # whether a literal that is not a word came last

    def steps(self, elements: Iterable[Element]) -> list[Step]:
        """The steps of elements, which follow those compiled before."""
        found: list[Step] = []
        for element in elements:
            found.extend(self._element(element))
        return found

    def _element(self, element: Element) -> list[Step]:
        match element:
            case Literal(text):
                return [self._literal(text)]
            case Optional(elements, anchor):
                present, inner = self._present(anchor), self.steps(elements)
                return [lambda p, op: p.run(inner, op) if present(op) else None]
            case AttrDict(is_keyword):
                return [self._attr_dict(is_keyword)]
            case Directive(name, arguments) if name in OWN_SPACING:
                return [self._directive(name, arguments)]
        space = self._space or not self._punctuation
        self._space, self._punctuation = True, False
        return [" ", self._writer(element)] if space else [self._writer(element)]

    def _literal(self, text: str) -> str:
        """A literal with the space that belongs before it. ` ` and the empty literal are about spaces only."""
        if not text.strip():
            self._space, self._punctuation = False, not text
            return text
        closing = ">)}]," if self._punctuation else "<>(){}[],"
        before = " " if self._space and (len(text) != 1 or text not in closing) else ""
        self._space = text not in ("<", "(", "{", "[")
        self._punctuation = not (text[0].isalpha() or text[0] == "_")
        return before + text

    def _writer(self, element: Element) -> Writer:
        match element:
            case Ref(name) if name in self._operands:
                get = self._operands[name]
                return lambda p, op: p.operands(get(op))
            case Ref(name) if name in self._bodies:
                return lambda p, op: p.regions(self._regions(op, name))
            case Ref(name):
                return lambda p, op: p.write(join(*stripped_parts(_attribute(op, name))))
            case AllOperands():
                return lambda p, op: p.operands(op.operands)
            case TypeOf(name):
                types = self._types(name)
                return lambda p, op: p.types(types(op))
            case FunctionalType():
                return lambda p, op: p.signature(op)
            case Directive(name, arguments):
                return self._directive(name, arguments)
        raise TypeError(f"{element} writes nothing")

    def _directive(self, name: str, arguments: Sequence[Element]) -> Writer:
        write, getters = DIRECTIVES[name], [self._getter(argument) for argument in arguments]
        return lambda p, op: write(p, op, *[get(op) for get in getters])

    def _getter(self, element: Element) -> Getter:
        match element:
            case Ref(name) if name in self._operands:
                return self._operands[name]
            case Ref(name) if name in self._bodies:
                return lambda op: self._regions(op, name)
            case Ref(name):
                return lambda op: op.attribute(name)
            case TypeOf(name):
                return self._types(name)
        raise TypeError(f"{element} is not an argument")

    def _types(self, name: str) -> Callable[[Operation], list[Type]]:
        if name in self._operands:
            get = self._operands[name]
            return lambda op: [value.type for value in get(op)]
        if name == "operands":
            return lambda op: [value.type for value in op.operands]
        outputs = [output.name for output in self._definition.outputs]
        if len(outputs) > 1 and name in outputs:
            index = outputs.index(name)
            return lambda op: [op.results[index].type]
        return lambda op: [result.type for result in op.results]

    def _regions(self, op: Operation, name: str) -> Sequence[Region]:
        index = self._bodies[name]
        return (
            op.regions[index:] if self._definition.bodies[index].variadic else op.regions[index : index + 1]
        )

    def _present(self, anchor: Element) -> Callable[[Operation], bool]:
        if isinstance(anchor, Ref) and anchor.name in self._attrs:
            attr = self._attrs[anchor.name]
            return lambda op: not is_default(attr, op.attribute(attr.property))
        get = self._getter(anchor)
        return lambda op: bool(get(op))

    def _attr_dict(self, is_keyword: bool) -> Writer:
        shown = _shown(parse_form(self._definition.form or ""))
        defaults = [attr for name, attr in self._attrs.items() if name not in shown]

        def write(p: Printer, op: Operation) -> None:
            if not op.attributes and op.properties.keys() <= shown:
                return
            plain = {attr.property for attr in defaults if is_default(attr, op.attribute(attr.property))}
            p.attr_dict(op, shown | plain, is_keyword)

        return write


def _attribute(op: Operation, name: str) -> Attribute:
    found = op.attribute(name)
    if found is None:
        raise ValueError(f"{op.name} has no {name}")
    return found


def _shown(elements: Iterable[Element]) -> set[str]:
    """The attributes that a form names, which `attr-dict` leaves out with the sizes of operand segments."""
    names = {"operandSegmentSizes", "resultSegmentSizes"}
    for element in elements:
        match element:
            case Ref(name):
                names.add(name)
            case Optional(inner, _) | Directive(_, inner):
                names |= _shown(inner)
    return names


def _slices(definition: OpDef) -> dict[str, Getter]:
    """How to get the values of each operand of the definition from an op."""
    operands = definition.operands
    several = [o for o in operands if o.variadic or o.optional]
    if len(several) > 1:
        return {o.name: _segment(index, len(operands)) for index, o in enumerate(operands)}
    getters: dict[str, Getter] = {}
    for index, operand in enumerate(operands):
        after = len(operands) - 1 - index
        start = index if not any(o in several for o in operands[:index]) else -after - 1
        is_last = after == 0
        if operand in several:
            getters[operand.name] = _slice(index, None if is_last else -after)
        else:
            getters[operand.name] = _slice(start, None if start == -1 else start + 1)
    return getters


def _slice(start: int, end: int | None) -> Getter:
    part = slice(start, end)
    return lambda op: op.operands[part]


def _segment(index: int, count: int) -> Getter:
    """The `index`-th of several variadic operands: by the op's segment sizes, or all of one size."""

    def get(op: Operation) -> tuple[Value, ...]:
        sizes = op.attribute("operandSegmentSizes")
        if not isinstance(sizes, DenseArrayAttr):
            size = len(op.operands) // count
            return op.operands[index * size : (index + 1) * size]
        start = sum(sizes.value[:index])
        return op.operands[start : start + sizes.value[index]]

    return get


def is_default(attr: Attr, value: Attribute | None) -> bool:
    """Whether the printer leaves an attribute out: it is absent, or has the value it has when absent."""
    if value is None:
        return True
    if isinstance(value, StructAttr) and value.name == "stablehlo.result_accuracy":
        return all(v in (0, "DEFAULT") for _, v in value.fields)
    if attr.default is None or not isinstance(value, Attribute):
        return False
    enum = ENUMS.get(attr.kind.removeprefix("enum "))
    if enum is not None and isinstance(value, IntegerAttr):
        return attr.default in enum.values and value.value == enum.values.index(attr.default)
    return join(*stripped_parts(value)) == attr.default


def _same_operands_and_result_type(p: Printer, op: Operation, *types: list[Type]) -> None:
    *operands, result = chain(*types)
    if any(type is not result for type in operands):
        p.signature(op)
    else:
        p.type(result)


def _variadic_same_type(p: Printer, op: Operation, _: Any, operands: list[Type], result: list[Type]) -> None:
    _same_operands_and_result_type(p, op, operands, result)


def _tuple_op_type(p: Printer, op: Operation, operands: list[Type], result: list[Type]) -> None:
    p.types(result)


def _complex_op_type(p: Printer, op: Operation, lhs: list[Type], rhs: list[Type], result: list[Type]) -> None:
    real = result[0]
    if isinstance(real, TensorType) and isinstance(real.element_type, ComplexType):
        real = TensorType(real.shape, real.element_type.element_type, real.encoding)
    if lhs[0] is not real or rhs[0] is not real:
        p.signature(op)
    else:
        p.types(result)


def _select_op_type(p: Printer, op: Operation, pred: list[Type], *others: list[Type]) -> None:
    on_true, on_false, result = chain(*others)
    if on_true is not result or on_false is not result:
        p.signature(op)
    else:
        p.types([*pred, result])


def _pairwise_operands(
    p: Printer, op: Operation, operands: Sequence[Value], types: list[Type], results: list[Type]
) -> None:
    if not operands:
        p.write("()")
        return
    p.write(" ")
    p.operands(operands)
    p.write(" : ")
    p.types(types)


def _variadic_operand_with_attribute(p: Printer, op: Operation, operands: Sequence[Value]) -> None:
    p.operands(operands)
    p.write(",")


def _typed_value(p: Printer, op: Operation, value: Attribute) -> None:
    p.write(join(value))


def _constant(p: Printer, op: Operation, value: Attribute, types: list[Type]) -> None:
    p.write(join(value))


def _has_type_of_value(op: Operation) -> bool:
    return getattr(op.attribute("value"), "type", None) is op.results[0].type


def _custom_call_target(p: Printer, op: Operation, target: StringAttr) -> None:
    p.write(symbol(target.value))


def _exponent_mantissa(p: Printer, op: Operation, exponent: IntegerAttr, mantissa: IntegerAttr) -> None:
    p.write(f"e{exponent.value}m{mantissa.value}")


def _slice_ranges(p: Printer, op: Operation, *bounds: DenseArrayAttr) -> None:
    starts, limits, strides = [b.value for b in bounds]
    if not len(starts) == len(limits) == len(strides):
        texts = [", ".join(map(str, b)) for b in (starts, limits, strides)]
        p.write("[start_indices: {}, limit_indices: {}, strides: {}]".format(*texts))
        return
    ranges = [
        f"{start}:{limit}" if stride == 1 else f"{start}:{limit}:{stride}"
        for start, limit, stride in zip(starts, limits, strides, strict=True)
    ]
    p.write(f"[{', '.join(ranges)}]")


def _dot_dimension_numbers(p: Printer, op: Operation, numbers: StructAttr) -> None:
    batching = numbers["lhs_batching_dimensions"], numbers["rhs_batching_dimensions"]
    if any(batching):
        p.write("batching_dims = {} x {}, ".format(*map(dims_text, batching)))
    contracting = numbers["lhs_contracting_dimensions"], numbers["rhs_contracting_dimensions"]
    p.write("contracting_dims = {} x {}".format(*map(dims_text, contracting)))


def _precision_config(p: Printer, op: Operation, precision: ArrayAttr | None) -> None:
    if precision is not None:
        values = [join(*stripped_parts(value)) for value in precision.value]
        p.write(f", precision = [{', '.join(values)}]")


def _precision_config_and_algorithm(
    p: Printer, op: Operation, precision: ArrayAttr | None, algorithm: Attribute | None
) -> None:
    _precision_config(p, op, precision)
    if algorithm is not None:
        p.write(", algorithm = " + join(*stripped_parts(algorithm)))


def _convolution_dimensions(p: Printer, op: Operation, numbers: StructAttr) -> None:
    p.write(convolution_text(numbers))


_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")


def _window_attributes(p: Printer, op: Operation, *attributes: Attribute | None) -> None:
    texts = [
        f"{name} = {_window_text(attribute)}"
        for name, attribute in zip(_WINDOW, attributes, strict=True)
        if attribute is not None
    ]
    p.write(", ".join(texts))


def _window_text(attribute: Attribute) -> str:
    if isinstance(attribute, DenseElementsAttr):
        pairs = attribute.value.reshape(-1, 2).tolist()
        return f"[{', '.join([dims_text(pair) for pair in pairs])}]"
    return join(*stripped_parts(attribute))


def _while(p: Printer, op: Operation, operands: Sequence[Value], *bodies: Sequence[Region]) -> None:
    cond, body = (region for regions in bodies for region in regions)
    arguments = body.blocks[0].arguments if body.blocks else ()
    pairs = zip(arguments, operands, strict=False)
    p.write(f"({', '.join([f'{p.name(argument)} = {p.name(value)}' for argument, value in pairs])})")
    if operands:
        p.write(" : ")
        p.types([value.type for value in operands])
    p.attr_dict(op, frozenset(), is_keyword=True)
    p.new_line()
    p.write("cond ")
    p.region(cond)
    p.write(" do ")
    p.region(body)


def _reduce(
    p: Printer,
    op: Operation,
    inputs: Sequence[Value],
    init_values: Sequence[Value],
    dimensions: DenseArrayAttr,
    bodies: Sequence[Region],
) -> None:
    pairs = zip(inputs, init_values, strict=True)
    p.write(", ".join([f"({p.name(value)} init: {p.name(init)})" for value, init in pairs]))
    (body,) = bodies
    inner = _compact_reducer(op, body)
    if inner is not None:
        p.write(f" applies {keyword(inner.name)}")
    p.write(f" across dimensions = {dims_text(dimensions.value)}")
    p.attr_dict(op, {"dimensions"})
    p.write(" : ")
    p.signature(op)
    if inner is None:
        _reducer(p, body)


def _reducer(p: Printer, body: Region) -> None:
    arguments = body.blocks[0].arguments
    half = len(arguments) // 2
    p.new_line()
    p.write(" reducer")
    for value, accumulator in zip(arguments[:half], arguments[half:], strict=True):
        p.write("(")
        p.argument(value)
        p.write(", ")
        p.argument(accumulator)
        p.write(") ")
    p.write(" ")
    p.region(body)


def _is_reducer_well_made(op: Operation) -> bool:
    """Whether a reduce can be written: pairs of operands, and a block with pairs of arguments."""
    blocks = op.regions[0].blocks
    return len(op.operands) % 2 == 0 and len(blocks) == 1 and len(blocks[0].arguments) == len(op.operands)


# Binary ops whose operands may change places: what `reduce .. applies` may name.
_COMMUTATIVE = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or", "xor")
)


def _compact_reducer(op: Operation, body: Region) -> Operation | None:
    """The one op of a reduction's body if it can be written `applies stablehlo.add`, else None.

    The op is commutative, has the body's two arguments as its operands, one type throughout, made of the first
    input's element type, and gives what the body returns.
    """
    block = body.blocks[0]
    if len(block.ops) != 2 or not op.operands:
        return None
    inner, end = block.ops
    element_type = getattr(op.operands[0].type, "element_type", None)
    if inner.name not in _COMMUTATIVE or len(inner.results) != 1 or element_type is None:
        return None
    expected = TensorType((), element_type)
    values = (*inner.operands, *inner.results)
    fits = (
        len(values) == 3
        and all(value.type is expected for value in values)
        and inner.operands == block.arguments
        and end.name.endswith(".return")
        and end.operands == tuple(inner.results)
    )
    return inner if fits else None


def _scan(
    p: Printer,
    op: Operation,
    inputs: Sequence[Value],
    inits: Sequence[Value],
    dimension: IntegerAttr,
    bodies: Sequence[Region],
) -> None:
    p.write("(")
    p.operands(inputs)
    p.write(") inits (")
    p.operands(inits)
    p.write(f") dimension={dimension.value} ")
    p.attr_dict(op, {"dimension", "operandSegmentSizes", "resultSegmentSizes"}, is_keyword=True)
    p.write(" ")
    p.region(bodies[0], entry_arguments=True)
    p.write(" : ")
    p.signature(op)


def _module(
    p: Printer, op: Operation, name: StringAttr | None, visibility: StringAttr | None, body: Sequence[Region]
) -> None:
    if visibility is not None:
        p.write(f" {visibility.value}")
    if name is not None:
        p.write(f" {symbol(name.value)}")
    p.attr_dict(op, {"sym_name", "sym_visibility"}, is_keyword=True)
    p.write(" ")
    p.region(body[0])


_FUNCTION_PARTS = frozenset({"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"})


def _function(
    p: Printer,
    op: Operation,
    name: StringAttr,
    type: TypeAttr,
    visibility: StringAttr | None,
    arg_attrs: ArrayAttr | None,
    res_attrs: ArrayAttr | None,
    body: Sequence[Region],
) -> None:
    p.write(f" {visibility.value} {symbol(name.value)}" if visibility else f" {symbol(name.value)}")
    signature = type.value
    assert isinstance(signature, FunctionType)
    has_body = bool(body) and bool(body[0].blocks)
    p.write("(")
    _function_inputs(p, signature, body[0] if has_body else None, _dictionaries(arg_attrs, signature.inputs))
    p.write(")")
    _function_outputs(p, signature.results, _dictionaries(res_attrs, signature.results))
    p.attr_dict(op, _FUNCTION_PARTS, is_keyword=True)
    if has_body:
        p.write(" ")
        p.region(body[0])


def _dictionaries(attrs: ArrayAttr | None, types: Sequence[Type]) -> Sequence[DictAttr]:
    """One dictionary for each of the types."""
    found = [item for item in attrs.value if isinstance(item, DictAttr)] if attrs else []
    return found if len(found) == len(types) else [DictAttr(())] * len(types)


def _function_inputs(
    p: Printer, signature: FunctionType, body: Region | None, dictionaries: Sequence[DictAttr]
) -> None:
    for index, (type, dictionary) in enumerate(zip(signature.inputs, dictionaries, strict=True)):
        if index:
            p.write(", ")
        if body is not None:
            p.argument(body.blocks[0].arguments[index], dictionary)
        else:
            p.type(type)
            p.dictionary(dictionary.items)


def _function_outputs(p: Printer, types: Sequence[Type], dictionaries: Sequence[DictAttr]) -> None:
    if not types:
        return
    bare = len(types) == 1 and not dictionaries[0].items and not isinstance(types[0], FunctionType)
    p.write(" -> " if bare else " -> (")
    for index, (type, dictionary) in enumerate(zip(types, dictionaries, strict=True)):
        if index:
            p.write(", ")
        p.type(type)
        p.dictionary(dictionary.items)
    if not bare:
        p.write(")")


def _is_function_well_made(op: Operation) -> bool:
    """Whether a function's signature can be written: its type is one, and the body's arguments match it."""
    type = op.attribute("function_type")
    if not isinstance(type, TypeAttr) or not isinstance(type.value, FunctionType):
        return False
    blocks = op.regions[0].blocks if op.regions else ()
    return not blocks or len(blocks[0].arguments) == len(type.value.inputs)


DIRECTIVES: dict[str, Callable[..., None]] = {
    "same_operands_and_result_type": _same_operands_and_result_type,
    "variadic_same_operands_and_result_type": _variadic_same_type,
    "tuple_op_type": _tuple_op_type,
    "complex_op_type": _complex_op_type,
    "select_op_type": _select_op_type,
    "pairwise_operands": _pairwise_operands,
    "variadic_operand_with_attribute": _variadic_operand_with_attribute,
    "typed_value": _typed_value,
    "constant": _constant,
    "custom_call_target": _custom_call_target,
    "exponent_mantissa": _exponent_mantissa,
    "slice_ranges": _slice_ranges,
    "dot_dimension_numbers": _dot_dimension_numbers,
    "precision_config": _precision_config,
    "precision_config_and_algorithm": _precision_config_and_algorithm,
    "convolution_dimensions": _convolution_dimensions,
    "window_attributes": _window_attributes,
    "while": _while,
    "reduce": _reduce,
    "scan": _scan,
    "module": _module,
    "function": _function,
}

# Directives that write their own space, or none, after what comes before them.
OWN_SPACING = frozenset({"pairwise_operands", "while", "reduce", "scan", "module", "function"})

# What a directive needs of an op beyond the op's definition; where it is not met, the op is written generically.
REQUIREMENTS: dict[str, Callable[[Operation], bool]] = {
    "constant": _has_type_of_value,
    "reduce": _is_reducer_well_made,
    "function": _is_function_well_made,
}
