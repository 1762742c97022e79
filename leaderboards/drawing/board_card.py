"""The picture of a board or a competition: its name over its best three."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ImageDraw

from leaderboards.drawing.canvas import EDGE, SIZE, blank, foot, head, png
from leaderboards.drawing.colours import INK, METALS, WHITE, Hue, hue_named, mixed
from leaderboards.drawing.faces import draw_face
from leaderboards.drawing.text import Line, Type, drawable, write

TOP, ROW, GAP = 190, 104, 14
FACE = 64


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of the picture; ``tied`` where others share the rank."""

    rank: int
    name: str
    player: str
    result: str
    tied: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """All that the picture shows, as text. ``empty`` stands there if there are no ``places``."""

    hue: str
    title: str
    mark: str
    under: str
    places: Sequence[CardRow]
    empty: str = ""
    footer: str = ""


def draw_card(picture: BoardPicture) -> bytes:
    """Return the PNG: the name over the best three."""
    hue = hue_named(picture.hue)
    image = blank(hue)
    draw = ImageDraw.Draw(image)
    head(draw, hue, picture, SIZE[0] - 2 * EDGE)
    for nth, place in enumerate(picture.places[:3]):
        top = TOP + nth * (ROW + GAP)
        _row(draw, hue, place, top)
        draw_face(image, place.player, (EDGE + 128, top + (ROW - FACE) // 2), FACE)
    if not picture.places:
        write(draw, Line(EDGE, TOP + 90, SIZE[0] - 2 * EDGE), drawable(picture.empty), hue.plate, [Type(44, 700)])
    foot(draw, picture.footer, SIZE[0] - 2 * EDGE)
    return png(image)


def _row(draw: ImageDraw.ImageDraw, hue: Hue, place: CardRow, top: int) -> None:
    left, right, base = EDGE, SIZE[0] - EDGE, top + 68
    draw.rounded_rectangle((left, top, right, top + ROW), 18, fill=mixed(hue.plate, hue.stage, 0.14))
    metal = METALS[min(max(place.rank, 1), 3) - 1]
    draw.rounded_rectangle((left + 16, top + 16, left + 104, top + ROW - 16), 12, fill=metal)
    rank = f"={place.rank}" if place.tied else str(place.rank)
    write(draw, Line(left + 60, base - 1, 84, "m"), rank, INK, [Type(size, 800, 125) for size in (44, 34, 26)])
    name = drawable(place.name) or drawable(place.player) or "–"
    write(draw, Line(left + 212, base - 2, 500), name, WHITE, [Type(40, 700), Type(34, 700)])
    result = drawable(place.result)
    write(draw, Line(right - 28, base - 3, 310, "r"), result, hue.plate, [Type(36, 700, 115), Type(30, 700), Type(24)])
