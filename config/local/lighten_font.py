"""Make a variable font lighter in ways that nobody sees: `python -m config.local.lighten_font FILE UNITS`.

Its outlines are put on UNITS to the em, and between its extremes a point may lie one unit beside its place, so that
browsers work out most points by themselves. At 512 units and 54 px one unit is a tenth of a pixel.
"""

import sys
from importlib import import_module
from typing import Any

ttlib, scaling, inferring = map(import_module, ("fontTools.ttLib", "fontTools.ttLib.scaleUpem", "fontTools.varLib.iup"))
TOLERANCE = 1


def lighten(path: str, units: int) -> None:
    """Replace the font at ``path``, a TrueType font with ``gvar``. ``units`` is 16 to 16,384."""
    font = ttlib.TTFont(path)
    if font["head"].unitsPerEm != units:
        scaling.scale_upem(font, units)
    for glyph, variations in font["gvar"].variations.items():
        if not font["glyf"][glyph].isComposite():
            _leave_out(font, glyph, variations)
    font.save(path)


def _leave_out(font: Any, glyph: str, variations: list[Any]) -> None:
    """Leave out what browsers infer from a point's neighbours."""
    points, control = font["glyf"]._getCoordinatesAndControls(glyph, font["hmtx"].metrics)
    for each in variations:
        each.calcInferredDeltas(points, control.endPts)
        each.roundDeltas()
        each.coordinates = inferring.iup_delta_optimize(each.coordinates, points, control.endPts, TOLERANCE)


if __name__ == "__main__":
    lighten(sys.argv[1], int(sys.argv[2]))
