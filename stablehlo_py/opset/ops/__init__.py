"""Op definitions, data only, one file per family; the same family names as in `kernels`."""
