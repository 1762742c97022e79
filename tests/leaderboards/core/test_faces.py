"""Faces are the same for good, and seen by everybody: tones differ enough. Hues and marks belong to a board."""

import re
from pathlib import Path

from config.local.faces import picture_of
from leaderboards.choices import HUES as HUE_CHOICES
from leaderboards.core.faces import (
    CAP_LETTERS,
    CAPS,
    EYE_LETTERS,
    EYES,
    HEAD_LETTERS,
    HEADS,
    TONES,
    drawn,
    face_of,
    parts_of,
)
from leaderboards.core.hues import HUES, hue_of
from leaderboards.core.marks import mark_of

STYLES = Path(__file__).parents[3] / "static" / "css"
INK = "#14161d"


def light(colour: str) -> float:
    """Relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Of two colours, from 1 to 21."""
    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_a_face_is_of_the_id_alone_and_never_changes() -> None:
    assert str(face_of("robin")) == str(face_of("robin"))
    assert len({drawn(face_of(f"player-{number}")) for number in range(500)}) > 490
    robin = face_of("robin")
    assert (robin.field, robin.tone, robin.head, robin.cap, robin.eyes) == (0, 4, 4, 5, 0)
    assert drawn(face_of("\ud800")).startswith('<i class="face" data-f=')  # half a sign is an id too


def test_every_head_is_seen_on_its_field_and_eyes_on_every_head() -> None:
    sheet = (STYLES / "face.css").read_text("utf-8")
    fields, heads = (re.findall(rf"--{name}: (#\w{{6}})", sheet) for name in ("f", "h"))
    worn = {(face.field, face.tone) for face in (face_of(str(number)) for number in range(2000))}

    assert (len(fields), len(heads), len(worn)) == (TONES, TONES, 50)
    assert min(contrast(fields[field], heads[head]) for field, head in worn) >= 5.1
    assert min(contrast(head, INK) for head in heads) >= 10.5


def test_every_hue_carries_what_stands_on_it_in_both_themes() -> None:
    rows = re.findall(
        r"^\.is-(\w+) \{ --plate: (#\w+); --deep: (#\w+); --stage: (#\w+);", (STYLES / "hues.css").read_text(), re.M
    )

    assert {name for name, *_ in rows} == set(HUES)
    for name, plate, deep, stage in rows:
        assert contrast(plate, INK) >= 8.2, name
        assert contrast(deep, "#f1f2f5") >= 5.25, name
        assert contrast(stage, "#ffffff") >= 17.8, name


def test_boards_take_hues_by_turns_and_the_first_letter_as_their_mark() -> None:
    assert [hue_of(seq) for seq in (1, 2, 10, 11)] == ["rose", "sky", "magenta", "rose"]
    assert [hue_of(1, chosen) for chosen in ("", "teal", "gold")] == ["rose", "teal", "rose"]
    assert {value for value, _label in HUE_CHOICES} == {"", *HUES}
    assert [mark_of(name) for name in ("weekly wins", "  (대회)", "…", "")] == ["W", "대", "…", ""]


def test_the_picture_of_faces_has_the_parts_and_tones_that_faces_are_made_of() -> None:
    sheet = (STYLES / "face.css").read_text("utf-8")
    [name] = set(re.findall(r"faces\.[0-9a-f]{12}\.svg", sheet))

    assert (STYLES.parent / "img" / name).read_text("utf-8") == picture_of(sheet)
    for part, letters, shapes in (("a", HEAD_LETTERS, HEADS), ("b", CAP_LETTERS, CAPS), ("e", EYE_LETTERS, EYES)):
        assert re.findall(rf"\[data-f\*=(\w)\] {{ --{part}:", sheet) == list(letters)
        assert len(letters) == len(shapes)
    known = re.findall(r"\[data-f\*=(\w)\]", sheet)
    assert len(known) == len(set(known)) == 45
    assert {letter for number in range(500) for letter in parts_of(face_of(str(number)))} == set(known)
