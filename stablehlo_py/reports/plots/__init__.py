"""Plots as SVG: roofline, bars, histograms, memory over time, heat maps. They take plain numbers."""

from stablehlo_py.reports.plots.bars import bars, histogram
from stablehlo_py.reports.plots.heat_map import heat_map
from stablehlo_py.reports.plots.roofline import Dot, roofline
from stablehlo_py.reports.plots.svg import figure, svg_file
from stablehlo_py.reports.plots.timeline import timeline

__all__ = ["Dot", "bars", "figure", "heat_map", "histogram", "roofline", "svg_file", "timeline"]
