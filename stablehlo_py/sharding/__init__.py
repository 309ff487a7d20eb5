"""Sharded programs: meshes, shardings of tensors, rules of ops, propagation and division."""
