"""`shlo completion`: print shell completion scripts."""

from __future__ import annotations

import click
from stablehlo_py.cli import common

_EXAMPLES = common.examples(
    ("bash: this shell only; add the line to ~/.bashrc for all", 'eval "$(shlo completion bash)"'),
    ("zsh: add the line to ~/.zshrc, after compinit", 'eval "$(shlo completion zsh)"'),
    ("fish: all shells", "shlo completion fish > ~/.config/fish/completions/shlo.fish"),
)


@click.command("completion", epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script for SHELL: commands, options, files and op names."""
    from click.shell_completion import get_completion_class
    from stablehlo_py.cli.main import cli

    complete = get_completion_class(shell)
    assert complete is not None  # Click has one for each of these
    click.echo(complete(cli, {}, "shlo", "_SHLO_COMPLETE").source())
    return 0
