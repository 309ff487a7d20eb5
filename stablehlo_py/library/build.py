"""Building a library: functions to code, tables and constants, and files that a C toolchain joins."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.engines.native.machine import made_for
from stablehlo_py.interpreter.entry import MAIN, entries
from stablehlo_py.ir.core import Module
from stablehlo_py.library import source
from stablehlo_py.library.code import function_code, objects, runtime_object
from stablehlo_py.library.example import example
from stablehlo_py.library.function import native_function
from stablehlo_py.library.tables import Compiled, body
from stablehlo_py.library.target import NATIVE, Target, find_target
from stablehlo_py.library.toolchain import Toolchain, ToolchainError
from stablehlo_py.library.weights import Weights
from stablehlo_py.library.wheel import package, write_wheel

EXAMPLE = "example"  # the folder of it
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_OTHER = re.compile(r"\W", re.ASCII)


class Request(NamedTuple):
    """What is built.

    Attributes:
        name: The name of the library, which those of its symbols begin with.
        entries: The names of functions; the default one if there are none.
        target: The name of the target.
        static: Whether it is an archive rather than a shared library.
        weights: Whether constants are in the library or in a file beside it.
        link: Whether the library is made, rather than object code and C source that CMake makes it of.
        wheel: Whether a wheel of Python is made of the library, too.
        lapack: The libraries that have LAPACK, by paths or names; none if the program cannot call it.
    """

    name: str
    entries: tuple[str, ...] = ()
    target: str = NATIVE
    static: bool = False
    weights: Literal["embedded", "file"] = "embedded"
    link: bool = True
    wheel: bool = False
    lapack: tuple[str, ...] = ()

    @property
    def library(self) -> str:
        """The name of the library's file."""
        return f"lib{self.name}.a" if self.static else f"lib{self.name}.so"


def identifier(text: str) -> str:
    """Return a name of C for a text."""
    name = _OTHER.sub("_", text)
    return name if _NAME.fullmatch(name) else f"m{name}"


def _silent(text: str) -> None:
    """Show no progress."""


def build_library(
    module: Module, request: Request, folder: Path, show: Callable[[str], None] = _silent
) -> list[Path]:
    """Build a library.

    Args:
        module: A valid module.
        request: What is built.
        folder: Where its files are written; nothing is if there is an error.
        show: Takes what is being done, in words.

    Returns:
        The files.

    Raises:
        TransformError: Ops have no native form; the diagnostics name all of them.
        RunError: There is no such function.
        ToolchainError: The extra `native` is not installed, there is no C compiler, or it fails.
        ValueError: The name or the target is none.
        OSError: A file cannot be written.
    """
    if not _NAME.fullmatch(request.name):
        raise ValueError(
            f"{request.name} is no name in C: it has letters, digits and _, and begins with a letter"
        )
    if sys.platform != "linux":
        raise ToolchainError("libraries are built on Linux, for Linux")
    if find_spec("llvmlite") is None:
        raise ToolchainError(
            "the compiler of native code is not installed: run pip install 'stablehlo-py[native]'"
        )
    if request.wheel and (request.static or not request.link or iskeyword(request.name)):
        raise ValueError("a wheel has a shared library, and a name that Python can import")
    target = find_target(request.target)
    toolchain = Toolchain(target.tools)
    if request.link:
        toolchain.check()
    with made_for(target.machine):
        functions = _compiled(module, request, show)
        with _beside(folder) as work:
            code = _write_code(functions, request.name, work, show)
            show(f"{request.library} is linked" if request.link else "C source is written")
            made = _make(functions, code, request, target, toolchain, work)
            (folder / EXAMPLE).mkdir(parents=True, exist_ok=True)
            return [each.replace(folder / each.relative_to(work)) for each in made]


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A folder on the same file system, in the nearest parent that exists, from which files are moved."""
    place = next(each for each in (folder.resolve(), *folder.resolve().parents) if each.is_dir())
    with TemporaryDirectory(dir=place, prefix=".shlo-build-") as temporary:
        yield Path(temporary)


def _make(
    functions: Sequence[Compiled],
    code: Sequence[Path],
    request: Request,
    target: Target,
    toolchain: Toolchain,
    work: Path,
) -> list[Path]:
    """Write all files to a folder; return those of the library."""
    prefix, weights = request.name, Weights()
    bodies = [body(prefix, number, each, weights) for number, each in enumerate(functions)]
    has_file = request.weights == "file" and weights.size > 0
    constants = work / f"{prefix}.weights"
    with constants.open("wb") as stream:
        weights.write(stream)
    texts = {f"{prefix}.h": source.header(prefix, functions, has_file)}
    routines = [routine for each in functions for routine in each.code.routines]
    libraries = [*map(_found, request.lapack if routines else ())]
    texts["driver.c"] = source.driver(prefix, bodies, routines, weights, target, has_file)
    is_embedded = weights.size > 0 and not has_file
    if is_embedded:
        texts["constants.S"] = source.embedded_constants(prefix, constants.name)
    public, *sources = _write(work, texts)
    kept = [public, *([constants] if has_file else [])]
    if request.link:
        made = [work / request.library]
        compiled = [*code, *toolchain.compiled(sources)]
        if request.static:
            toolchain.archive(compiled, made[0])
        else:
            toolchain.link(compiled, made[0], libraries)
        if request.wheel:
            module = package(prefix, functions, request.library)
            made.append(write_wheel(work, prefix, module, [*made, *kept[1:]], target))
    else:
        texts = {"CMakeLists.txt": source.cmake(prefix, [*code, *sources], request.static, libraries)}
        made = [*code, *sources, *_write(work, texts), *([constants] if is_embedded else [])]
    beside = libraries if request.static else ()
    calling = example(prefix, functions[0].call, request.library, has_file, beside)
    return [*made, *kept, *_write(work / EXAMPLE, calling)]


def _found(library: str) -> str:
    """A library as the compiler finds it in any folder: the whole path of a file, or its name."""
    return str(Path(library).absolute()) if Path(library).is_file() else library


def _write(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files of text; return them."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _compiled(module: Module, request: Request, show: Callable[[str], None]) -> list[Compiled]:
    """The code of all functions; what is wrong with any is reported together."""
    names = [entries(module, name)[0] for name in request.entries] or entries(module)
    calls = [
        f"{request.name}_run" if len(names) == 1 or name == MAIN else f"{request.name}_{identifier(name)}_run"
        for _, name in names
    ]
    if len({*calls}) < len(calls):
        raise ValueError(f"two functions would have one name in C: {', '.join(calls)}")
    found, wrong = [], []
    for call, (where, name) in zip(calls, names, strict=True):
        show(f"@{name} is lowered to loops")
        try:
            function = native_function(where, name, bool(request.lapack))
        except TransformError as error:
            wrong += error.diagnostics
            continue
        found.append(Compiled(call, function, function_code(function, request.name, identifier(name))))
    if wrong:
        raise TransformError(module.name, wrong)
    return found


def _write_code(
    functions: Sequence[Compiled], library: str, work: Path, show: Callable[[str], None]
) -> list[Path]:
    """Write the object files of functions, and of the run-time part if any computes; return them."""
    made = []
    for each in functions:
        show(f"@{each.function.signature.name} is compiled")
        made += objects(each.code)
    if made:
        made.append(runtime_object(library))
    files = [work / f"code{number}.o" for number in range(len(made))]
    for file, data in zip(files, made, strict=True):
        file.write_bytes(data)
    return files
