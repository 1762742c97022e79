"""Generate the picture of all parts of faces in static/css/face.css from the lists in core/faces.py.

    python -m config.local.faces

One cell has 48 by 48 units: a face of 40 with a margin, because parts turn and reach beyond it. Ten rows have the heads
in their tones, ten the caps in theirs, the last one the eyes. The picture lies in the style sheet, so faces stand with
the first paint. CSS places its cells (``background-position``) and turns them.
"""

import re
from urllib.parse import quote

from foundation import file_locations
from leaderboards.core.faces import CAPS, EYES, HEADS, TONES

SHEET = file_locations.folder("static") / "css" / "face.css"
CELL, MARGIN = 48, 4
COLUMNS, ROWS = 7, 2 * TONES + 1
INK, NIGHT, CAP_SHARE = "#14161d", "#08090c", 0.48  # a cap is its field's tone, darkened
_SAFE = " !$&'()*+,-./:;<=>?@_~"  # what may stand in a quoted data address; fewer escapes pack better
_PICTURE = re.compile(r'--faces: url\("[^"]*"\);')


def main() -> None:
    """Write the picture into the style sheet."""
    SHEET.write_text(with_picture(SHEET.read_text("utf-8")), "utf-8")


def with_picture(sheet: str) -> str:
    """Return the style sheet with the picture of its tones and of the present lists."""
    fields, heads = (re.findall(rf"--{name}: (#\w{{6}})", sheet) for name in ("f", "h"))
    address = f'--faces: url("data:image/svg+xml,{quote(picture(fields, heads), safe=_SAFE)}");'
    return _PICTURE.sub(lambda _: address, sheet, count=1)


def picture(fields: list[str], heads: list[str]) -> str:
    """Return the SVG."""
    style = f"svg{{fill:{INK}}}.w{{fill:#fff}}.l{{fill:none;stroke:{INK};stroke-width:2;stroke-linecap:round}}"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {CELL * COLUMNS} {CELL * ROWS}'><style>{style}</style>"
        + _in_tones("h", HEADS, heads, 0)
        + _in_tones("c", CAPS, [_darkened(field) for field in fields], TONES)
        + _row(EYES, 2 * TONES)
        + "</svg>"
    )


def _in_tones(name: str, shapes: tuple[str, ...], tones: list[str], first: int) -> str:
    """Draw the shapes once in a row for the first tone, and repeat that row for the others."""
    bare = tuple(shape.replace(f' class="{name}"', "") for shape in shapes)
    drawn = f"<g fill='{tones[0]}'><g id='{name}'>{_row(bare, first)}</g></g>"
    copies = (
        f"<use href='#{name}' y='{nth * CELL}' fill='{tone}'/>" for nth, tone in enumerate(tones[1:], 1)
    )
    return drawn + "".join(copies)


def _row(shapes: tuple[str, ...], row: int) -> str:
    cells = (
        f"<g transform='translate({nth * CELL + MARGIN} {row * CELL + MARGIN})'>{shape}</g>"
        for nth, shape in enumerate(shapes)
        if shape
    )
    return "".join(cells).replace('"', "'")


def _darkened(field: str) -> str:
    """Return the tone of a cap: 48 % of the field's over night."""
    channels = (
        round(int(field[at : at + 2], 16) * CAP_SHARE + int(NIGHT[at : at + 2], 16) * (1 - CAP_SHARE))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


if __name__ == "__main__":
    main()
