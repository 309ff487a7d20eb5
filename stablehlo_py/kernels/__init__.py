"""One vectorised NumPy function per op; the same family names as in `opset`."""
