"""The builder's error."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Diagnostic, StablehloError


class BuildError(StablehloError):
    """A call to the builder is wrong: which, and why, in the terms of the operation's document.

    `diagnostics` are the findings of the op's definition, if it is one of its rules that is broken.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(
            "\n".join([message, *(str(note) for d in diagnostics for note in (d.message, *d.notes))])
        )
        self.diagnostics = list(diagnostics)
