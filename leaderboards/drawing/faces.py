"""Draw a generated face (``core/faces.py``) on a picture, from the same shapes as on pages.

The shapes are SVG of our own: lines, curves, arcs of circles, rectangles and circles. Only what they use is read here.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from PIL import Image, ImageDraw

from leaderboards.core.faces import CAPS, EYES, HEADS, face_of
from leaderboards.drawing.colours import INK, WHITE, face_tones, mixed

Point = tuple[float, float]
VIEW = 40  # the side of the square in which shapes are given
FINER = 4  # drawn so much larger, then made small: soft edges
STEPS = 24  # of a curve
_ELEMENT = re.compile(r"<(g|/g|circle|path|rect)\b([^>]*?)/?>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_COMMAND = re.compile(r"([MmHhVvLlCcAaZz])([^MmHhVvLlCcAaZz]*)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
_CAP_DARK = "#08090c"


def draw_face(image: Image.Image, player: str, at: tuple[int, int], size: int) -> None:
    """Draw the face of a player's id on ``image``, ``size`` pixels wide, its corner at ``at``."""
    fields, heads = face_tones()
    face, scale = face_of(player), size * FINER / VIEW
    base = fields[face.field]
    drawn = Image.new("RGB", (size * FINER, size * FINER), base)
    pencil = _Pencil(ImageDraw.Draw(drawn), scale, _moved(face.shift, face.turn))
    colours = {"h": heads[face.tone], "c": mixed(base, _CAP_DARK, 0.48), "w": WHITE}
    pencil.draw(HEADS[face.head] + CAPS[face.cap], colours)
    eyes = _Pencil(pencil.to, scale, lambda point: pencil.place((point[0] + face.gaze, point[1])))
    eyes.draw(EYES[face.eyes], colours)
    mask = Image.new("L", drawn.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, drawn.width - 1, drawn.height - 1), drawn.width * 0.32, fill=255)
    small, edge = drawn.resize((size, size), Image.Resampling.LANCZOS), mask.resize((size, size))
    image.paste(small, at, edge)


def _moved(shift: int, turn: int) -> Callable[[Point], Point]:
    """Return the map of ``translate(shift) rotate(turn 20 20)``."""
    cos, sin, middle = math.cos(math.radians(turn)), math.sin(math.radians(turn)), VIEW / 2

    def place(point: Point) -> Point:
        x, y = point[0] - middle, point[1] - middle
        return middle + x * cos - y * sin + shift, middle + x * sin + y * cos

    return place


@dataclass
class _Pencil:
    """Draws shapes; ``place`` moves each point of them."""

    to: ImageDraw.ImageDraw
    scale: float
    place: Callable[[Point], Point]
    _groups: list[str] = field(default_factory=list)

    def draw(self, shapes: str, colours: dict[str, str]) -> None:
        for name, rest in _ELEMENT.findall(shapes):
            given = dict(_ATTRIBUTE.findall(rest))
            if name == "g":
                self._groups.append(given.get("class", ""))
            elif name == "/g":
                self._groups.pop()
            else:
                kind = given.get("class") or next(iter(self._groups), "")
                for line in _lines_of(name, given):
                    self._put(line, kind, colours.get(kind, INK))

    def _put(self, line: list[Point], kind: str, colour: str) -> None:
        points = [(x * self.scale, y * self.scale) for x, y in map(self.place, line)]
        if kind != "l":
            self.to.polygon(points, fill=colour)
            return
        width = 2 * self.scale
        self.to.line(points, fill=colour, width=round(width), joint="curve")
        for x, y in (points[0], points[-1]):
            self.to.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=colour)


def _lines_of(name: str, given: dict[str, str]) -> Iterator[list[Point]]:
    if name == "path":
        yield from _path(given["d"])
    elif name == "circle":
        x, y, radius = (float(given[each]) for each in ("cx", "cy", "r"))
        yield [_on_circle((x, y), radius, 2 * math.pi * step / (2 * STEPS)) for step in range(2 * STEPS)]
    else:
        x, y, wide, high, round_ = (float(given[each]) for each in ("x", "y", "width", "height", "rx"))
        yield [
            _on_circle((across, down), round_, math.pi / 2 * (quarter + step / STEPS))
            for quarter, (across, down) in enumerate(
                (
                    (x + wide - round_, y + high - round_),
                    (x + round_, y + high - round_),
                    (x + round_, y + round_),
                    (x + wide - round_, y + round_),
                )
            )
            for step in range(STEPS + 1)
        ]


def _on_circle(middle: Point, radius: float, angle: float) -> Point:
    return middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle)


def _path(text: str) -> Iterator[list[Point]]:
    """Yield the lines of a path, curves as short straight pieces."""
    line: list[Point] = []
    here: Point = (0, 0)
    for command, rest in _COMMAND.findall(text):
        numbers = [float(each) for each in _NUMBER.findall(rest)]
        if command in "Mm" and line:
            yield line
            line = []
        for added in _points(command, numbers, here):
            line.append(added)
            here = added
    yield line


def _points(command: str, numbers: list[float], start: Point) -> Iterator[Point]:
    """Yield the points of one command with all its repetitions."""
    taken = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "A": 7, "Z": 1}[command.upper()]
    here = start
    for at in range(0, len(numbers), taken):
        given = numbers[at : at + taken]
        from_x, from_y = here if command.islower() else (0.0, 0.0)
        match command.upper():
            case "H":
                points = [(from_x + given[0], here[1])]
            case "V":
                points = [(here[0], from_y + given[0])]
            case "C":
                ends = [(from_x + given[nth], from_y + given[nth + 1]) for nth in (0, 2, 4)]
                points = _curve(here, ends)
            case "A":
                points = _arc(here, (from_x + given[5], from_y + given[6]), given[0])
            case _:
                points = [(from_x + given[0], from_y + given[1])]
        yield from points
        here = points[-1]


def _curve(start: Point, ends: list[Point]) -> list[Point]:
    corners = [start, *ends]
    found = []
    for step in range(1, STEPS + 1):
        part = step / STEPS
        weights = ((1 - part) ** 3, 3 * part * (1 - part) ** 2, 3 * part**2 * (1 - part), part**3)
        pairs = list(zip(weights, corners, strict=True))
        found.append((sum(weight * x for weight, (x, _) in pairs), sum(weight * y for weight, (_, y) in pairs)))
    return found


def _arc(start: Point, end: Point, radius: float) -> list[Point]:
    """Return the smaller arc of a circle, clockwise on the screen (flags ``0 1``), as all shapes have it."""
    across, down = end[0] - start[0], end[1] - start[1]
    apart = math.hypot(across, down)
    radius = max(radius, apart / 2)
    away = math.sqrt(max(radius**2 - apart**2 / 4, 0)) / apart
    middle = ((start[0] + end[0]) / 2 - down * away, (start[1] + end[1]) / 2 + across * away)
    first = math.atan2(start[1] - middle[1], start[0] - middle[0])
    turn = (math.atan2(end[1] - middle[1], end[0] - middle[0]) - first) % (2 * math.pi)
    return [_on_circle(middle, radius, first + turn * step / STEPS) for step in range(1, STEPS + 1)]
