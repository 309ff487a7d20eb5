"""The public functions of transforms besides `opt`."""

from __future__ import annotations

from collections.abc import Mapping

from stablehlo_py.ir.core import Module


def specialize(module: Module, sizes: Mapping[str, int]) -> Module:
    """Specialize a dynamic program for given sizes of its arguments.

    Args:
        module: A valid module, which is not changed.
        sizes: The sizes by name: of symbols that `jax.export` recorded (`b`), and of single dimensions of
            arguments, INPUT.AXIS (`x.0`). Dimensions that are left out stay dynamic.

    Returns:
        A new module, with static types where they follow from the sizes.

    Raises:
        ValueError: For an unknown dimension, or sizes that an argument cannot have.
        TransformError: If the program does not allow the sizes: `diagnostics` have the messages of its shape
            assertions, such as those of JAX's symbolic constraints, or the ops whose types do not match.

    Example:
        static = shlo.specialize(shlo.load("model.jax_export"), {"b": 4})
    """
    from stablehlo_py.transforms.specialization import specialized

    return specialized(module, sizes)
