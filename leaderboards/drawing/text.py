"""Write text on a picture with the product's own fonts, then with those that this machine has.

The trap: a font draws a box for a letter that it does not know. So each letter takes the first font that knows it, and
a text of which a letter is missing everywhere is not drawn at all: a name without one of its letters is another name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from unicodedata import bidirectional, category, normalize

from PIL import ImageDraw, ImageFont, features

from foundation import file_locations

OWN = file_locations.folder("static") / "fonts"
# The product's own fonts (config/local/fonts.py): all of Latin, Greek, Cyrillic, kana and Hangul.
OWN_FONTS = ("archivo-latin", "sunwi-names")
# Where Debian, Alpine and macOS keep fonts with other letters; the first that are there are taken.
MACHINE_FONTS = (
    ("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", 0),
    ("/usr/share/fonts/ttf-dejavu/DejaVuSans-Bold.ttf", 0),
    ("/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc", 1),
    ("/usr/share/fonts/noto/NotoSansCJK-Bold.ttc", 1),
    ("/usr/share/fonts/truetype/nanum/NanumGothicBold.ttf", 0),
    ("/System/Library/Fonts/AppleSDGothicNeo.ttc", 6),
)
FONTS = (*((str(path), 0) for name in OWN_FONTS for path in sorted(OWN.glob(f"{name}.*.woff2"))), *MACHINE_FONTS)
UNKNOWN = "\U0010ffff"  # a letter that no font has: what it draws is the box
PROBE_SIZE = 24
ACCENTS = ("\u0300", "\u036f")  # combining accents, which a name may lose and stay readable

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True, slots=True)
class Type:
    """How text looks: its size in pixels, weight (400 to 800) and width (100 to 125, of Archivo alone)."""

    size: int
    weight: int = 700
    stretch: int = 100


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line of text stands: its baseline, and how wide it may become, in pixels.

    ``anchor`` is the side at ``x``: ``l`` for the left end, ``m`` for the middle, ``r`` for the right end.
    """

    x: int
    y: int
    width: int
    anchor: str = "l"


def drawable(text: str) -> str:
    """The text as it can be drawn, without symbols that no font has; empty if a letter or digit is missing.

    Writing from right to left needs shaping, which not every machine's drawing has: such texts are left out whole.
    """
    letters = [each for each in normalize("NFC", text) if category(each)[0] != "C"]
    if not features.check("raqm") and any(bidirectional(each) in ("R", "AL") for each in letters):
        return ""
    known = [(each, each.isspace() or font_of(each) is not None) for each in letters]
    if any(not is_known and _is_needed(each) for each, is_known in known):
        return ""
    return " ".join("".join(each for each, is_known in known if is_known).split())


def write(draw: ImageDraw.ImageDraw, line: Line, text: str, colour: str, types: Sequence[Type]) -> None:
    """Write ``text`` in the first of ``types`` in which it fits its line, else in the last one, with an ellipsis."""
    chosen = next((each for each in types if width_of(text, each) <= line.width), types[-1])
    text = _cut(text, line.width, chosen)
    across = line.x - {"l": 0.0, "m": width_of(text, chosen) / 2, "r": width_of(text, chosen)}[line.anchor]
    for font, run in _runs(text, chosen):
        draw.text((across, line.y), run, font=font, fill=colour, anchor="ls")
        across += font.getlength(run)


def in_two_lines(text: str, width: int, types: Sequence[Type]) -> list[str]:
    """Break the text between words if it is too long for one line in the last, smallest one of ``types``."""
    words = text.split(" ")
    if len(words) == 1 or width_of(text, types[-1]) <= width:
        return [text]
    fitting = (nth for nth in range(len(words) - 1, 0, -1) if width_of(" ".join(words[:nth]), types[-1]) <= width)
    first = next(fitting, 0)
    return [" ".join(words[:first]), " ".join(words[first:])] if first else [text]


def width_of(text: str, style: Type) -> float:
    """How wide the text becomes, in pixels."""
    return sum(font.getlength(run) for font, run in _runs(text, style))


@lru_cache(maxsize=4096)
def font_of(letter: str) -> int | None:
    """The number of the first font that knows the letter; None if none does."""
    for number in range(max(1, len(_known()))):
        if letter == " " or _drawn(number, letter) != _drawn(number, UNKNOWN):
            return number
    return None


def forget() -> None:
    """Forget which fonts there are (for tests)."""
    for each in (font_of, _known, _sized):
        each.cache_clear()


def _is_needed(letter: str) -> bool:
    return category(letter)[0] in "LMN" and not ACCENTS[0] <= letter <= ACCENTS[1]


def _cut(text: str, width: int, style: Type) -> str:
    if width_of(text, style) <= width:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        fits, too_long = (middle, too_long) if width_of(f"{text[:middle]}…", style) <= width else (fits, middle)
    return f"{text[:fits].rstrip()}…"


def _runs(text: str, style: Type) -> list[tuple[Font, str]]:
    """The text in pieces of one font each; a space and an accent go with what stands before them."""
    chosen: list[tuple[int, str]] = []
    for letter in text:
        goes_with_last = chosen and (letter == " " or ACCENTS[0] <= letter <= ACCENTS[1])
        chosen.append((chosen[-1][0] if goes_with_last else font_of(letter) or 0, letter))
    return [
        (_sized(number, style), "".join(letter for _, letter in run))
        for number, run in groupby(chosen, key=lambda each: each[0])
    ]


@cache
def _known() -> list[tuple[str, int]]:
    return [(path, index) for path, index in FONTS if Path(path).is_file()]


@lru_cache(maxsize=256)
def _sized(number: int, style: Type) -> Font:
    known = _known()
    if not known:
        return ImageFont.load_default(style.size)
    path, index = known[number]
    font = ImageFont.truetype(path, style.size, index=index)
    if Path(path).name.startswith("archivo"):
        font.set_variation_by_axes([style.weight, style.stretch])
    return font


def _drawn(number: int, letter: str) -> bytes:
    mask = _sized(number, Type(PROBE_SIZE)).getmask(letter)
    return bytes(mask) + bytes(str(mask.size), "ascii")
