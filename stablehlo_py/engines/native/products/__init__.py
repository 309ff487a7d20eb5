"""Matrix products and convolutions in cache blocks."""
