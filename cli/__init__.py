"""The `shlo` command: the public API and click, nothing else."""
