"""Pretty forms: the assembly format that a definition states, read and written."""
