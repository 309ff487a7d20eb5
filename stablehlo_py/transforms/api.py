"""The public functions of transforms besides `opt`."""

from __future__ import annotations

from collections.abc import Mapping

from stablehlo_py.ir.core import Module


def specialize(module: Module, sizes: Mapping[str, int]) -> Module:
    """Specialize a dynamic program for given sizes of its arguments.

    Args:
        module: A valid module, which is not changed.
        sizes: The sizes by name: symbols that `jax.export` recorded (`b`), and single dimensions of
            arguments, INPUT.AXIS (`x.0`). Other dimensions stay dynamic.

    Returns:
        A new module, with static types if the sizes determine them.

    Raises:
        ValueError: For an unknown dimension, or sizes that an argument cannot have.
        TransformError: If the program does not allow the sizes. `diagnostics` has the messages of failed
            shape assertions, such as JAX's symbolic constraints, or the ops with contradicting types.

    Example:
        static = shlo.specialize(shlo.load("model.jax_export"), {"b": 4})
    """
    from stablehlo_py.transforms.specialization import specialized

    return specialized(module, sizes)
