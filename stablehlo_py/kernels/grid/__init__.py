"""The process grid: processes, meshes and shardings."""
