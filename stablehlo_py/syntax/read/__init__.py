"""Reading: syntax trees to IR."""
