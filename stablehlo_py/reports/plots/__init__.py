"""Plots as SVG: roofline, bars, histograms, memory over time, heat maps. They take plain numbers."""
