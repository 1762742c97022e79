"""Drawing the picture of a board: text on paper, with whatever fonts this machine has. Nothing is read but fonts.

The trap: a font draws a box for a letter that it does not know. So each letter takes the first font that knows it,
and a name of which too little can be drawn gives way to the player's id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from unicodedata import bidirectional, category

from PIL import Image, ImageDraw, ImageFont, features

SIZE = (1200, 630)
PAPER, INK, SOFT, ACCENT = "#f6f6f3", "#1b2024", "#58616a", "#0a6b5c"
MEDALS = ("#b8860b", "#7d8790", "#a5673f")
EDGE = 80
# Where Debian, Alpine and macOS keep fonts with Latin and Korean letters; the first that are there are taken.
FONTS = (
    ("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", 0),
    ("/usr/share/fonts/ttf-dejavu/DejaVuSans-Bold.ttf", 0),
    ("/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc", 1),
    ("/usr/share/fonts/noto/NotoSansCJK-Bold.ttc", 1),
    ("/usr/share/fonts/truetype/nanum/NanumGothicBold.ttf", 0),
    ("/System/Library/Fonts/AppleSDGothicNeo.ttc", 6),
)
UNKNOWN = "\U0010ffff"  # a letter that no font has: what it draws is the box

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of the picture; ``tied`` where others share the rank."""

    rank: int
    name: str
    player: str
    result: str
    tied: bool = False


def draw_card(title: str, places: Sequence[CardRow]) -> bytes:
    """A PNG: the board's name over its best."""
    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 16, SIZE[1]), fill=ACCENT)
    _write(draw, (EDGE, 70), drawable(title) or "Sunwi", 60, INK, SIZE[0] - 2 * EDGE)
    for nth, place in enumerate(places):
        top = 200 + nth * 120
        draw.rounded_rectangle((EDGE, top, SIZE[0] - EDGE, top + 100), 20, fill="#ffffff", outline="#e0e2dc", width=2)
        rank = f"={place.rank}" if place.tied else str(place.rank)
        _write(draw, (EDGE + 32, top + 24), rank, 44, MEDALS[min(place.rank, 3) - 1], 120)
        name = drawable(place.name) or drawable(place.player) or "–"
        _write(draw, (EDGE + 150, top + 26), name, 40, INK, 540)
        _write(draw, (SIZE[0] - EDGE - 32, top + 32), drawable(place.result), 32, SOFT, 300, at_end=True)
    _write(draw, (EDGE, SIZE[1] - 60), "Sunwi", 32, ACCENT, 300)
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def drawable(text: str) -> str:
    """The text without letters that no font here can draw; empty if that takes away more than half of it.

    Writing from right to left needs shaping, which not every machine's drawing has: such texts are left out whole.
    """
    letters = [each for each in text if category(each)[0] != "C"]
    if not features.check("raqm") and any(bidirectional(each) in ("R", "AL") for each in letters):
        return ""
    kept = [each for each in letters if each.isspace() or _font_of(each) is not None]
    return "".join(kept).strip() if 2 * len(kept) >= len(letters) else ""


def _write(  # noqa: PLR0913, PLR0917 - one text: where, what, how large, which colour, how wide
    draw: ImageDraw.ImageDraw, at: tuple[int, int], text: str, size: int, colour: str, width: int, at_end: bool = False
) -> None:
    runs = _runs(text, size)
    if sum(font.getlength(run) for font, run in runs) > width:
        while text and sum(font.getlength(run) for font, run in _runs(text + "…", size)) > width:
            text = text[:-1]
        runs = _runs(text.rstrip() + "…", size)
    across = at[0] - (sum(font.getlength(run) for font, run in runs) if at_end else 0)
    for font, run in runs:
        draw.text((across, at[1] + size), run, font=font, fill=colour, anchor="ls")
        across += font.getlength(run)


def _runs(text: str, size: int) -> list[tuple[Font, str]]:
    """The text in pieces of one font each."""
    chosen = [(_font_of(letter) or 0, letter) for letter in text]
    return [
        (_sized(number, size), "".join(letter for _, letter in run))
        for number, run in groupby(chosen, key=lambda each: each[0])
    ]


@cache
def _known() -> list[tuple[str, int]]:
    return [(path, index) for path, index in FONTS if Path(path).is_file()]


@cache
def _sized(number: int, size: int) -> Font:
    known = _known()
    if not known:
        return ImageFont.load_default(size)
    path, index = known[number]
    return ImageFont.truetype(path, size, index=index)


@cache
def _boxes(number: int) -> bytes:
    return _drawn(number, UNKNOWN)


def _font_of(letter: str) -> int | None:
    """The number of the first font that knows the letter."""
    for number in range(max(1, len(_known()))):
        if letter == " " or _drawn(number, letter) != _boxes(number):
            return number
    return None


def _drawn(number: int, letter: str) -> bytes:
    mask = _sized(number, 24).getmask(letter)
    return bytes(mask) + bytes(str(mask.size), "ascii")
