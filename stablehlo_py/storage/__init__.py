"""What is kept on disk: the cache, and output files."""
