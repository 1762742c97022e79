"""What the pictures share: their size, the board's mark and name at the top, the site's mark at the foot, the file."""

from io import BytesIO
from typing import Protocol

from PIL import Image, ImageDraw

from leaderboards.drawing.colours import INK, METALS, SOFT, WHITE, Hue
from leaderboards.drawing.text import Line, Type, drawable, in_two_lines, write

SIZE = (1200, 630)
EDGE = 64
COLOURS = 160  # of the file: flat areas and the edges of letters need no more
MARK = 56
TITLES = tuple(Type(size, 800, 115) for size in (48, 42, 36))


def blank(hue: Hue) -> Image.Image:
    """Return an empty picture on the board's stage."""
    return Image.new("RGB", SIZE, hue.stage)


def png(image: Image.Image) -> bytes:
    """Return the file of a picture, with few colours so that it is small."""
    out = BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", compress_level=7)
    return out.getvalue()


class Titled(Protocol):
    """A picture with the name of a board or a competition, its mark, and a line under it."""

    @property
    def title(self) -> str:
        """The name."""

    @property
    def mark(self) -> str:
        """Its first letter."""

    @property
    def under(self) -> str:
        """The line under the name."""


def head(draw: ImageDraw.ImageDraw, hue: Hue, shown: Titled, width: int) -> None:
    """Draw mark, name and the line under it, within ``width`` pixels."""
    top, beside = EDGE - 8, EDGE + MARK + 20
    draw.rounded_rectangle((EDGE, top, EDGE + MARK, top + MARK), 10, fill=hue.plate)
    write(draw, Line(EDGE + MARK // 2, top + 42, MARK, "m"), drawable(shown.mark) or "S", INK, [Type(38, 800, 125)])
    room = width - beside + EDGE
    lines = in_two_lines(drawable(shown.title) or "Sunwi", room, TITLES)
    types = TITLES if len(lines) == 1 else TITLES[-1:]
    for nth, line in enumerate(lines):
        write(draw, Line(beside, top + (44 if len(lines) == 1 else 30 + 42 * nth), room), line, WHITE, types)
    under = Line(beside, top + (92 if len(lines) == 1 else 114), room)
    write(draw, under, drawable(shown.under), SOFT, [Type(27, 600, 110), Type(22, 600, 106)])


def foot(draw: ImageDraw.ImageDraw, words: str, width: int) -> None:
    """Draw the site's mark and name at the foot, and ``words`` beside it, within ``width`` pixels."""
    base = SIZE[1] - 48
    for nth, (height, colour) in enumerate(((15, WHITE), (24, METALS[0]), (9, WHITE))):
        left = EDGE + 10 * nth
        draw.rectangle((left, base - height, left + 7, base), fill=colour)
    write(draw, Line(EDGE + 40, base, 120), "Sunwi", WHITE, [Type(28, 800, 115)])
    write(draw, Line(EDGE + 160, base, width - 160), drawable(words), SOFT, [Type(22, 600, 112), Type(18, 600, 106)])
