"""The pass `bind`: arguments become constants."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.binding import Below, bind, load_tensors
from stablehlo_py.transforms.pass_definition import Option, Options, Pass


def _run(module: Module, options: Options) -> None:
    if not options["file"]:
        raise ValueError("pass bind needs the option file, as bind=weights.safetensors")
    tensors = load_tensors(options["file"])
    if options["node"]:
        tensors = Below(options["node"], tensors)
    bind(module, tensors, options["inputs"], options["extra"])


PASS = Pass(
    "bind",
    "Makes constants of the arguments that the tensors of a file are named after, bit for bit.",
    _run,
    (
        Option(
            "file", "", "A .safetensors file, which is mapped, its index, a .npz file, or a folder of orbax."
        ),
        Option("node", "", "The node of the tree of arguments that has the tensors, such as `params`."),
        Option("inputs", (), "The names of the arguments that stay; all others need a tensor."),
        Option("extra", False, "Whether tensors that no argument is named after are ignored."),
    ),
    """\
A tensor has the name of an argument in the text, or its path in the tree of arguments: `params/dense/kernel`
for `params['dense']['kernel']`; with `node=params`, `dense/kernel`. Without `inputs`, arguments without a
tensor stay. `bind=weights.safetensors` is short for `bind=file=weights.safetensors`.""",
    positional="file",
)
