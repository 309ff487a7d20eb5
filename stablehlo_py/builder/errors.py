"""The builder's error."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Diagnostic, StablehloError


class BuildError(StablehloError):
    """An invalid call of the builder, in the terms of the operation's document.

    Attributes:
        diagnostics: The violated constraints of the op's definition, if any.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(
            "\n".join([message, *(str(note) for d in diagnostics for note in (d.message, *d.notes))])
        )
        self.diagnostics = list(diagnostics)
