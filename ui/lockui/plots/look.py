"""Colours, markers and dashes of all plots."""

from __future__ import annotations

COLOURS = ("#2f7ed8", "#d9730d", "#2e9e5b", "#a35fd0", "#e0483e", "#1793a5")
"""They stand out from white and from black, so one drawing serves light and dark pages."""

TEXT = "#0a0b0c"
"""Becomes the colour of the text around the plot."""

#: Marker and dash of each line, so that they differ without colour.
STYLES = (("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", (0, (5, 1))), ("P", (0, (1, 1))))
