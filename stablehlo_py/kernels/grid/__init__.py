"""The process grid: processes, meshes, shardings."""
