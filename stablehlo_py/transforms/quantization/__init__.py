"""Lowering of quantized programs: quantization as arithmetic, and quantized ops on integers."""
