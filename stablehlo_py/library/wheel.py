"""A library as a wheel of Python: a package that calls it by ctypes, on arrays of NumPy."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.signature import Argument, Output
from stablehlo_py.library.source import from_template
from stablehlo_py.library.tables import Compiled, tensor
from stablehlo_py.library.target import Target

VERSION = "1.0"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the date of all files, so that equal libraries make equal wheels
_METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: A program that shlo build has compiled
Requires-Python: >=3.10
Requires-Dist: numpy
"""
_MODE = 0o644 << 16


def package(prefix: str, functions: Sequence[Compiled], library: str) -> str:
    """Write the module of a package.

    Args:
        prefix: The name of the library, and of the package.
        functions: The functions.
        library: The name of the library's file.
    """
    signatures = [each.function.signature for each in functions]
    arrays: list[Argument | Output] = []
    for signature in signatures:
        arrays += [*signature.inputs, *signature.outputs]
    types = {tensor(each).element_type for each in arrays}
    names = {each.call: each.call.removeprefix(f"{prefix}_") for each in functions}
    words = {
        "@CALLS@": ", ".join([f'"{name}"' for name in names.values()]),
        "@DTYPES@": ", ".join(sorted([f'"{type}": "{numpy_dtype(type).name}"' for type in types])),
        "@LIBRARY@": library,
        "@FUNCTIONS@\n": "".join([f'{name} = Function("{call}")\n' for call, name in names.items()]),
    }
    return from_template("package.txt", prefix, words)


def write_wheel(folder: Path, prefix: str, module: str, files: Sequence[Path], target: Target) -> Path:
    """Write a wheel.

    Args:
        folder: The folder to write to.
        prefix: The name of the package.
        module: The module of the package.
        files: The library, and what is beside it.
        target: The processor of the library.

    Returns:
        The wheel.
    """
    family = target.machine.triple.partition("-")[0]
    tag = f"py3-none-linux_{family}"
    path, info = folder / f"{prefix}-{VERSION}-{tag}.whl", f"{prefix}-{VERSION}.dist-info"
    texts = {
        f"{prefix}/__init__.py": module,
        f"{info}/METADATA": _METADATA.format(name=prefix, version=VERSION),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: shlo build\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _MODE
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")

        for each in files:
            add(f"{prefix}/{each.name}", each.read_bytes())
        for name, text in texts.items():
            add(name, text.encode())
        add(f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]).encode())
    return path
