"""Verification: structure (SSA, regions, symbols), then every constraint of every op."""
