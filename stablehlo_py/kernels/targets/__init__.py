"""Custom-call targets."""
