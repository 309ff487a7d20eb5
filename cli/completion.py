"""`shlo completion`: what a shell needs to complete the command line."""

from __future__ import annotations

import click
from stablehlo_py.cli import common

_EXAMPLES = common.examples(
    ("bash: for this shell; put it into ~/.bashrc for all of them", 'eval "$(shlo completion bash)"'),
    ("zsh: into ~/.zshrc, after compinit", 'eval "$(shlo completion zsh)"'),
    ("fish: for all shells", "shlo completion fish > ~/.config/fish/completions/shlo.fish"),
)


@click.command("completion", epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the script that makes SHELL complete commands, options, files and the names of ops."""
    from click.shell_completion import get_completion_class
    from stablehlo_py.cli.main import cli

    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(complete(cli, {}, "shlo", "_SHLO_COMPLETE").source())
    return 0
