"""Small convolutions: loops over positions, taps and features (`kernels/convolution.py`)."""

from __future__ import annotations

import numpy as np

from stablehlo_py.engines.native.arithmetic.elements import element_of_all
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.depthwise import is_depthwise
from stablehlo_py.engines.native.few_features import has_few_features
from stablehlo_py.engines.native.index_space import Index, Indices, computed
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.row_convolutions import Shape, arranged, is_in_rows
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step

MOST_PRODUCTS = 1 << 18  # multiplications: larger ones are matrix products


def is_native_convolution(plan: Plan[Step], step: Step) -> bool:
    """Test whether a convolution is depthwise, of few features, or small and of one type."""
    if is_depthwise(plan, step) or has_few_features(plan, step) or is_in_rows(plan, step):
        return True
    element = element_of_all(plan.types[slot] for slot in (*step.ins, *step.outs))
    if element is None or not element.is_wide or element.compute == "i1":
        return False
    return bool(step.keywords["batch_group_count"] == 1) and Shape(plan, step).products <= MOST_PRODUCTS


def convolution(scope: Scope, step: Step, part: Range) -> None:
    """Write a convolution: for each position and tap, rows of the kernel are scaled and added up."""
    keywords, shape = step.keywords, scope.shape(step.outs[0])
    groups = keywords["feature_group_count"]
    features = shape[keywords["output_feature_dimension"]] // groups
    spatial = [shape[d] for d in keywords["output_spatial_dimensions"]]
    extents = (shape[keywords["output_batch_dimension"]], groups, *spatial)
    nested(scope, extents, lambda at: _Position(scope, step, at[0], at[1], at[2:]).emit(features))


class _Position:
    """One position of the window in one image, for one group of features."""

    def __init__(self, scope: Scope, step: Step, image: Index, group: Index, place: Indices) -> None:
        self.scope = scope
        self.b = scope.b
        self.step = step
        self.image, self.group, self.place = image, group, place
        self.slot = step.outs[0]
        self.kernel = scope.shape(step.ins[1])

    def emit(self, features: int) -> None:
        """Write the sums of all output features of the group."""
        zero = self.b.constant(0, self.scope.element(self.slot).compute)
        nested(self.scope, (features,), lambda t: self._store(self._output(t[0], features), zero))
        spatial = [self.kernel[d] for d in self.step.keywords["kernel_spatial_dimensions"]]
        nested(self.scope, spatial, lambda taps: self._tap(taps, features))

    def _store(self, at: Indices, value: Value) -> None:
        self.scope.store(self.scope.buffers[self.slot], at, value)

    def _output(self, feature: Index, features: int) -> Indices:
        feature = self.group * features + feature
        return arranged(self.step.keywords, "output", self.image, feature, self.place)

    def _tap(self, taps: Indices, features: int) -> None:
        """Add the products of one tap, if it is inside of the image."""
        where, inside = self._where(taps)
        then, after = self.b.fresh("inside"), self.b.fresh("outside")
        self.b.do(f"br i1 {inside.text}, label %{then}, label %{after}")
        self.b.enter(then)
        self.scope.enter()
        depth = self.kernel[self.step.keywords["kernel_input_feature_dimension"]]
        nested(self.scope, (depth,), lambda i: self._add(taps, where, i[0], depth, features))
        self.scope.leave()
        self.b.start_block(after)

    def _where(self, taps: Indices) -> tuple[Indices, Value]:
        """The indices of a tap in the image, and whether it hits an element."""
        keywords, image = self.step.keywords, self.scope.shape(self.step.ins[0])
        lows = np.asarray(keywords["padding"]).reshape(-1, 2)[:, 0].tolist()
        inside = self.b.constant(True, "i1")
        found: list[Index] = []
        for n, (place, tap, low) in enumerate(zip(self.place, taps, lows, strict=True)):
            size = image[keywords["input_spatial_dimensions"][n]]
            stride, dilation = keywords["window_strides"][n], keywords["lhs_dilation"][n]
            index = place * stride + tap * keywords["rhs_dilation"][n] + -low
            value = index.emit(self.b)
            inside = inside & value.compare("ult", (size - 1) * dilation + 1)
            if dilation > 1:
                by = self.b.constant(dilation, "i64")
                rest = self.b.emit("i64", f"urem {value}, {by.text}")
                inside = inside & rest.equals(0)
                value = self.b.emit("i64", f"udiv {value}, {by.text}")
            found.append(computed(value, size))
        return tuple(found), inside

    def _add(self, taps: Indices, where: Indices, i: Index, depth: int, features: int) -> None:
        """Add a row of the kernel, scaled by an element of the image, to the row of the result."""
        scope, keywords = self.scope, self.step.keywords
        image = arranged(keywords, "input", self.image, self.group * depth + i, where)
        factor = scope.at(self.step.ins[0], image)
        sizes = [self.kernel[d] for d in keywords["kernel_spatial_dimensions"]]
        turned = zip(taps, sizes, keywords["window_reversal"], strict=True)
        places = tuple([size - 1 - tap if reverse else tap for tap, size, reverse in turned])

        def accumulate(t: Indices) -> None:
            output = self._output(t[0], features)
            weight = arranged(keywords, "kernel", i, self.group * features + t[0], places)
            total, y = scope.load(self.slot, output), scope.at(self.step.ins[1], weight)
            self._store(output, total + factor * y)

        nested(scope, (features,), accumulate)
