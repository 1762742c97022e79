"""Put two parts of a variable font together, and make accented letters of letters and accents.

    python -m config.local.compose_font LATIN MORE RESULT

Packages ship Archivo cut by scripts, each letter with outlines of its own: Ł in a file of its own, and é drawn twice.
Here é refers to e and to an acute, wherever the outlines are the same at all weights and widths, so that a page's one
file holds all of Latin. What differs (a cedilla that grows out of its letter) keeps its outlines.
"""

import sys
import unicodedata
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from typing import Any

TABLES = "fontTools.ttLib.tables"
ttlib, hvar = import_module("fontTools.ttLib"), import_module("fontTools.varLib.hvar")
glyphs, tuples = import_module(f"{TABLES}._g_l_y_f"), import_module(f"{TABLES}.TupleVariation")
programs = import_module(f"{TABLES}.ttProgram")

Region = tuple[tuple[str, tuple[float, float, float]], ...]
Point = tuple[int, int]
ROUNDING = 1  # units of the em
ARGUMENTS_ARE_XY = 0x2
PHANTOMS = 4  # points that a font keeps behind a glyph's own: where it begins and ends
DOTLESS = {"i": "ı", "j": "ȷ"}


@dataclass(frozen=True, slots=True)
class Contour:
    """A closed line: its flags, and its points in each region; () is the font as it lies."""

    flags: tuple[int, ...]
    points: dict[Region, list[Point]]


def compose(latin: str, more: str, result: str) -> None:
    """Write ``result``: all letters of both, accented ones as parts. Both are on the same axes and units."""
    font, other = ttlib.TTFont(latin), ttlib.TTFont(more)
    _merge(font, other)
    contours = {name: _contours(font, name) for name in font.getGlyphOrder() if font["glyf"][name].numberOfContours > 0}
    accents: list[str] = []
    for code, name in sorted(font.getBestCmap().items()):
        base = _base(font, code)
        if base and base in contours and name in contours:
            _split(font, name, base, contours, accents)
    del font["HVAR"]
    hvar.add_HVAR(font)
    font.save(result)


def _base(font: Any, code: int) -> str | None:
    """The glyph of the letter below an accent."""
    parts = unicodedata.normalize("NFD", chr(code))
    letter = DOTLESS.get(parts[0], parts[0])
    return font.getBestCmap().get(ord(letter)) if len(parts) > 1 else None


def _merge(font: Any, other: Any) -> None:
    """Bring the letters of another part into the font, with the kerning of the letters below their accents."""
    known, order = font.getBestCmap(), list(font.getGlyphOrder())
    for code, name in other.getBestCmap().items():
        if code in known or name in order:
            continue
        order.append(name)
        font["glyf"].glyphs[name] = other["glyf"][name]
        font["hmtx"][name] = other["hmtx"][name]
        font["gvar"].variations[name] = other["gvar"].variations.get(name, [])
        for table in font["cmap"].tables:
            table.cmap[code] = name
    font.setGlyphOrder(order)
    font["glyf"].glyphOrder = order
    for code in other.getBestCmap():
        name, base = font.getBestCmap()[code], _base(font, code)
        if base and code not in known:
            _kern_alike(font, name, base)


def _kern_alike(font: Any, name: str, base: str) -> None:
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for table in (getattr(each, "ExtSubTable", each) for each in lookup.SubTable):
            if table.LookupType != 2 or table.Format != 2 or base not in table.Coverage.glyphs:
                continue
            table.Coverage.glyphs = sorted({*table.Coverage.glyphs, name}, key=font.getGlyphID)
            for classes in (table.ClassDef1.classDefs, table.ClassDef2.classDefs):
                if base in classes:
                    classes[name] = classes[base]


def _region(variation: Any) -> Region:
    return tuple(sorted(variation.axes.items()))


def _contours(font: Any, name: str) -> list[Contour]:
    points, control = font["glyf"]._getCoordinatesAndControls(name, font["hmtx"].metrics)
    layers: dict[Region, list[Point]] = {(): list(points)}
    for variation in font["gvar"].variations[name]:
        variation.calcInferredDeltas(points, control.endPts)
        variation.roundDeltas()
        layers[_region(variation)] = list(variation.coordinates)
    starts = [0, *(end + 1 for end in control.endPts)]
    return [
        Contour(tuple(control.flags[a : b + 1]), {region: layer[a : b + 1] for region, layer in layers.items()})
        for a, b in zip(starts, control.endPts, strict=False)
    ]


def _split(font: Any, name: str, base: str, contours: dict[str, list[Contour]], accents: list[str]) -> None:
    """Replace a letter's outlines by references to its base and to an accent, if they are the same."""
    own, below = contours[name], contours[base]
    for nth in range(len(own) - len(below) + 1):
        taken, rest = own[nth : nth + len(below)], [*own[:nth], *own[nth + len(below) :]]
        if rest and _is_alike(taken, below):
            break
    else:
        return
    accent = next((each for each in accents if _is_alike(rest, contours[each])), None)
    if accent is None:
        accent = f"accent{len(accents)}"
        accents.append(accent)
        contours[accent] = rest
        _add(font, accent, rest)
    _refer(font, name, [(base, taken, below), (accent, rest, contours[accent])])


def _is_alike(some: list[Contour], others: list[Contour]) -> bool:
    """Whether they are the same lines at all weights and widths, moved as one. Rounding may move a point by a unit."""
    if [each.flags for each in some] != [each.flags for each in others]:
        return False
    for region in _regions([*some, *others]):
        here, there = _layer(some, region), _layer(others, region)
        x, y = here[0][0] - there[0][0], here[0][1] - there[0][1]
        if any(
            abs(a - c - x) > ROUNDING or abs(b - d - y) > ROUNDING for (a, b), (c, d) in zip(here, there, strict=True)
        ):
            return False
    return True


def _regions(contours: list[Contour]) -> list[Region]:
    return sorted({region for each in contours for region in each.points})


def _layer(contours: list[Contour], region: Region) -> list[Point]:
    """All their points in a region, one after the other; where nothing moves, (0, 0)."""
    return [point for each in contours for point in each.points.get(region, [(0, 0)] * len(each.flags))]


def _add(font: Any, name: str, contours: list[Contour]) -> None:
    """Add a glyph of these lines, which no text asks for by itself."""
    glyph = glyphs.Glyph()
    glyph.numberOfContours = len(contours)
    glyph.coordinates = glyphs.GlyphCoordinates(_layer(contours, ()))
    glyph.flags = bytearray(flag for each in contours for flag in each.flags)
    glyph.endPtsOfContours = [end - 1 for end in accumulate(len(each.flags) for each in contours)]
    glyph.program = programs.Program()
    glyph.program.fromBytecode(b"")
    font["glyf"][name] = glyph
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (0, glyph.xMin)
    font["gvar"].variations[name] = [
        tuples.TupleVariation(dict(region), _layer(contours, region) + [(0, 0)] * PHANTOMS)
        for region in _regions(contours)
        if region
    ]


def _refer(font: Any, name: str, parts: list[tuple[str, list[Contour], list[Contour]]]) -> None:
    """Make a letter of parts: each a glyph, its lines in the letter, and its lines in that glyph."""
    phantoms = {_region(each): list(each.coordinates[-PHANTOMS:]) for each in font["gvar"].variations[name]}
    glyph = glyphs.Glyph()
    glyph.numberOfContours, glyph.components = -1, []
    regions = _regions([each for _, here, there in parts for each in (*here, *there)])
    moves = {region: [_move(here, there, region) for _, here, there in parts] for region in regions}
    for (part, _, _), (x, y) in zip(parts, moves[()], strict=True):
        component = glyphs.GlyphComponent()
        component.glyphName, component.flags, component.x, component.y = part, ARGUMENTS_ARE_XY, x, y
        glyph.components.append(component)
    font["glyf"].glyphs[name] = glyph
    glyph.recalcBounds(font["glyf"])
    font["gvar"].variations[name] = [
        tuples.TupleVariation(dict(region), [*moves[region], *phantoms.get(region, [(0, 0)] * PHANTOMS)])
        for region in regions
        if region
    ]


def _move(here: list[Contour], there: list[Contour], region: Region) -> Point:
    """How far the lines lie from where the glyph has them."""
    (x, y), (left, bottom) = _layer(here, region)[0], _layer(there, region)[0]
    return x - left, y - bottom


if __name__ == "__main__":
    compose(*sys.argv[1:])
