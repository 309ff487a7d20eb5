"""StableHLO in Python: parse, verify, format and run programs.

Typical use::

    import stablehlo_py as shlo

    module = shlo.load("model.mlir")
    for diagnostic in shlo.verify(module):
        print(diagnostic)
    results = shlo.run(module, [x, weights])
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps: there from the start, not imported
import sys as _sys


def _is_command() -> bool:
    """Return True if the process is the command `shlo`, or `python -m stablehlo_py`."""
    first = _sys.argv[:1]
    if first == ["-m"]:  # Python is looking for the module, which is the argument before those of `sys.argv`
        return _sys.orig_argv[-len(_sys.argv)].endswith(__name__)
    return "".join(first).replace("\\", "/").rpartition("/")[2] in ("shlo", "shlo.exe")


# An interrupt while the command is imported ends it without a traceback; `stablehlo_py.cli.entry` restores
# the handler. This comes first, since any import takes long enough to be interrupted.
_IS_COMMAND = _is_command()
if _IS_COMMAND and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    try:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    except KeyboardInterrupt:  # it came while this line was running
        _sys.exit(130)

from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

# In a checkout, cli/ and grammar/ stand beside this package; a wheel has them inside it.
if not (_Path(__file__).parent / "cli").is_dir():
    __path__.append(str(_Path(__file__).parent.parent))

from stablehlo_py.ir.printing import install_html as _install_html
from stablehlo_py.ir.printing import install_printer as _install_printer

if _TYPE_CHECKING:
    from stablehlo_py.api.exports import *  # noqa: F403 (they are stated there)
    from stablehlo_py.api.exports import __all__ as __all__

__version__ = "0.1.0"


def _text(node: _Any) -> str:
    from stablehlo_py.syntax import printed_text

    return printed_text(node)


def _html(node: _Any) -> str:
    from stablehlo_py.reports import notebook_html

    return notebook_html(node)


_install_printer(_text)
_install_html(_html)


def __getattr__(name: str) -> _Any:
    """Import the public names on first use."""
    if any((_Path(__file__).parent / each).exists() for each in (name, f"{name}.py")):
        return _import_module(f"{__name__}.{name}")
    if not name.startswith("_") or name == "__all__":
        exports = _import_module("stablehlo_py.api.exports")
        if name == "__all__" or name in exports.__all__:
            value = globals()[name] = getattr(exports, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: _Any) -> None:
    """Register the cell magic `%%stablehlo`: the hook that `%load_ext stablehlo_py` calls.

    Args:
        shell: The shell of IPython.
    """
    from stablehlo_py.api.exports import parse, run, verify
    from stablehlo_py.reports.ipython import CellMagic

    CellMagic(parse, verify, run).register(shell)


def __dir__() -> list[str]:
    """The public names, without the modules that importing them binds."""
    exports = _import_module("stablehlo_py.api.exports")
    return [*exports.__all__, "__version__"]


# The command imports the public names on first use, so that it starts fast. All other programs import them
# with the package, so that the first call is fast.
if not _IS_COMMAND:
    from stablehlo_py.ir.garbage import gc_paused as _gc_paused

    with _gc_paused(stays=True):
        from stablehlo_py.api.exports import *  # noqa: F403 (they are stated there)

        _import_module("stablehlo_py.api.first_calls")
