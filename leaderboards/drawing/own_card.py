"""The picture of one player's row: their face and name, and beside them their rank as large as it goes."""

from dataclasses import dataclass

from PIL import ImageDraw

from leaderboards.drawing.canvas import EDGE, SIZE, blank, foot, head, png
from leaderboards.drawing.colours import INK, WHITE, hue_named
from leaderboards.drawing.faces import draw_face
from leaderboards.drawing.text import Line, Type, drawable, width_of, write

PLATE = 760  # where the plate begins
INSIDE = SIZE[0] - PLATE - 2 * 40
FACE = 132
RANKS = tuple(Type(size, 800, 125) for size in (300, 240, 190, 150, 120, 96, 76, 60, 48, 40))


@dataclass(frozen=True, slots=True)
class OwnPicture:
    """All that the picture shows, as text in one language; ``player`` is the id, which gives the face.

    ``move`` is how the rank has changed, ``direction`` where to (``up`` or ``down``); empty if that is unknown.
    """

    hue: str
    title: str
    mark: str
    under: str
    player: str
    name: str
    rank_label: str
    rank: str
    total: str
    result: str
    move: str = ""
    direction: str = ""
    footer: str = ""


def draw_own(picture: OwnPicture) -> bytes:
    """Return the PNG. A name that cannot be drawn whole gives way to the id."""
    hue = hue_named(picture.hue)
    image = blank(hue)
    draw = ImageDraw.Draw(image)
    width = PLATE - 2 * EDGE + 24
    draw.rectangle((PLATE, 0, *SIZE), fill=hue.plate)
    head(draw, hue, picture, width)
    draw_face(image, picture.player, (EDGE, 220), FACE)
    name = drawable(picture.name) or drawable(picture.player) or "–"
    write(draw, Line(EDGE, 424, width), name, WHITE, [Type(size, 800) for size in (64, 56, 48, 40)])
    result = drawable(picture.result)
    write(draw, Line(EDGE, 484, width), result, hue.plate, [Type(42, 700, 115), Type(34, 700, 110), Type(26, 700, 106)])
    foot(draw, picture.footer, width)
    _plate(draw, picture)
    return png(image)


def _plate(draw: ImageDraw.ImageDraw, picture: OwnPicture) -> None:
    middle = PLATE + (SIZE[0] - PLATE) // 2
    small = [Type(32, 700, 112), Type(26, 700, 106), Type(22, 700)]
    write(draw, Line(middle, 116, INSIDE, "m"), drawable(picture.rank_label), INK, small)
    size = next((each for each in RANKS if width_of(picture.rank, each) <= INSIDE), RANKS[-1])
    base = 315 + round(size.size * 0.35)  # figures are 0.7 of their size high
    write(draw, Line(middle, base, INSIDE, "m"), picture.rank, INK, [size])
    write(draw, Line(middle, 490, INSIDE, "m"), drawable(picture.total), INK, small)
    if picture.move:
        _move(draw, picture, middle)


def _move(draw: ImageDraw.ImageDraw, picture: OwnPicture, middle: int) -> None:
    words, base, sign = drawable(picture.move), 546, 20
    style = next(
        (each for each in (Type(28, 700, 106), Type(23, 700)) if width_of(words, each) <= INSIDE - 32), Type(20)
    )
    left = middle - (min(width_of(words, style), INSIDE - 32) + 32) / 2
    ends = (base - sign, base) if picture.direction == "up" else (base, base - sign)
    draw.polygon(((left, ends[1]), (left + sign, ends[1]), (left + sign / 2, ends[0])), fill=INK)
    write(draw, Line(round(left) + 32, base, INSIDE - 32), words, INK, [style])
