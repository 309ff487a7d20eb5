"""Op definitions, as data, one file per family, with the family names of `kernels`."""
