"""The colours of pictures: those of the pages, read from their style sheets, so that both stay the same."""

import re
from dataclasses import dataclass
from functools import cache

from foundation import file_locations

STYLES = file_locations.folder("static") / "css"
INK, WHITE, SOFT = "#14161d", "#ffffff", "#c3c6d0"  # on a plate; on the stage; beside that
METALS = ("#efc04a", "#c5ccd6", "#dd9a68")


@dataclass(frozen=True, slots=True)
class Hue:
    """The two tones of a board: its plate, and the dark stage behind it."""

    plate: str
    stage: str


@cache
def hue_named(name: str) -> Hue:
    """Return the tones of a hue of ``core/hues.py``. Raises ``KeyError`` for any other name."""
    sheet = (STYLES / "hues.css").read_text("utf-8")
    found = re.findall(r"^\.is-(\w+) \{ --plate: (#\w+); --deep: #\w+; --stage: (#\w+);", sheet, re.MULTILINE)
    return {hue: Hue(plate, stage) for hue, plate, stage in found}[name]


@cache
def face_tones() -> tuple[list[str], list[str]]:
    """Return the tones of the fields and of the heads of generated faces, in the order of ``core/faces.py``."""
    sheet = (STYLES / "face.css").read_text("utf-8")
    fields, heads = (re.findall(rf"--{part}: (#\w{{6}})", sheet) for part in ("f", "h"))
    return fields, heads


def mixed(colour: str, other: str, share: float) -> str:
    """Mix two colours like ``color-mix(in srgb, colour share, other)``; ``share`` is between 0 and 1."""
    parts = [(int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one * share + two * (1 - share)):02x}" for one, two in parts)
