"""Generate static/img/faces.….svg, the picture of all parts of faces, from the lists in core/faces.py.

    python -m config.local.faces

One cell has 48 by 48 units: a face of 40 with a margin, because parts turn and reach beyond it. Ten rows have the heads
in their tones, ten the caps in theirs, the last one the eyes. CSS places its cells (``background-position``) and turns
them. Its name has a digest of its content, so browsers keep it for good; face.css is rewritten to the new name. It is a
file and not part of the style sheet, because the first paint would wait for it.
"""

import re
from hashlib import blake2b

from foundation import file_locations
from leaderboards.core.faces import CAPS, EYES, HEADS, TONES

STATIC = file_locations.folder("static")
SHEET, PICTURES = STATIC / "css" / "face.css", STATIC / "img"
CELL, MARGIN = 48, 4
COLUMNS, ROWS = 7, 2 * TONES + 1
INK, NIGHT, CAP_SHARE = "#14161d", "#08090c", 0.48  # a cap is its field's tone, darkened
_NAME = re.compile(r"faces\.[0-9a-f]{12}\.svg")


def main() -> None:
    """Write the picture, and its name into the style sheet."""
    sheet = SHEET.read_text("utf-8")
    content = picture_of(sheet).encode()
    for old in PICTURES.glob("faces.*.svg"):
        old.unlink()
    path = PICTURES / f"faces.{blake2b(content, digest_size=6).hexdigest()}.svg"
    path.write_bytes(content)
    SHEET.write_text(_NAME.sub(path.name, sheet), "utf-8")


def picture_of(sheet: str) -> str:
    """Return the picture in the tones of a style sheet."""
    fields, heads = (re.findall(rf"--{name}: (#\w{{6}})", sheet) for name in ("f", "h"))
    return picture(fields, heads)


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
    copies = (f"<use href='#{name}' y='{nth * CELL}' fill='{tone}'/>" for nth, tone in enumerate(tones[1:], 1))
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
