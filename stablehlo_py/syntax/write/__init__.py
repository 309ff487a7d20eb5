"""IR to text."""
