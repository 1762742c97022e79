"""What is drawn on a picture of one's row: the face as on pages, the name in any script, or the id instead of boxes."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from leaderboards.core.hues import HUES
from leaderboards.drawing import OwnPicture, draw_own, drawable
from leaderboards.drawing import text as drawn_text
from leaderboards.drawing.canvas import EDGE
from leaderboards.drawing.colours import face_tones, hue_named
from leaderboards.drawing.own_card import FACE
from tests.playing import HARD_NAMES

ROBIN = OwnPicture(
    hue="green", title="Weekly wins", mark="W", under="This week", player="robin", name="Robin", rank_label="Rank",
    rank="4", total="of 12", result="1,240 points",
)  # fmt: skip  # as a table
OF_NOBODY = "\U00012000"  # a sign of cuneiform, which neither our fonts nor those of a plain machine have


def opened(picture: OwnPicture) -> Image.Image:
    return Image.open(BytesIO(draw_own(picture))).convert("RGB")


def near(one: tuple[int, ...], other: str) -> bool:
    """Whether they are one colour, as far as a file of few colours has it."""
    wanted = [int(other[at : at + 2], 16) for at in (1, 3, 5)]
    return all(abs(each - want) <= 12 for each, want in zip(one, wanted, strict=True))


def at(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    colour = image.getpixel((x, y))
    assert isinstance(colour, tuple)
    return colour


def test_it_has_the_boards_hue_and_the_face_of_the_page() -> None:
    image, (fields, heads) = opened(ROBIN), face_tones()  # robin has field 0 and head 4: tests/…/core/test_faces.py

    assert image.size == (1200, 630)
    assert near(at(image, 1190, 10), hue_named("green").plate)
    assert near(at(image, 5, 300), hue_named("green").stage)
    assert near(at(image, EDGE + FACE // 2, 220 + 6), fields[0])
    assert near(at(image, EDGE + FACE // 2, 220 + round(FACE * 0.75)), heads[4])


@pytest.mark.parametrize("hue", HUES)
def test_every_hue_of_boards_has_its_tones(hue: str) -> None:
    assert draw_own(replace(ROBIN, hue=hue))[:4] == b"\x89PNG"


def test_names_in_our_scripts_are_drawn_whole_on_a_machine_without_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tuple(each for each in drawn_text.FONTS if each not in drawn_text.MACHINE_FONTS)
    monkeypatch.setattr(drawn_text, "FONTS", ours)
    drawn_text.forget()
    names = ("Zoë Łukasz", "김민지", "뷁뚫", "Ελένη", "Ольга", "さくら", "Nguyễn Thị Hồng", "\u1112\u1161\u11ab글")

    drawn = [drawable(each) for each in names]

    drawn_text.forget()
    assert drawn == [*names[:-1], "한글"]


def test_a_name_without_one_of_its_letters_gives_way_to_the_id_and_a_symbol_is_left_out() -> None:
    assert (drawable(f"Rob{OF_NOBODY}n"), drawable("Robin \U0001f1f0\U0001f1f7"), drawable("")) == ("", "Robin", "")
    assert draw_own(replace(ROBIN, name=OF_NOBODY * 3)) == draw_own(replace(ROBIN, name="robin"))
    assert draw_own(ROBIN) != draw_own(replace(ROBIN, name="Robyn"))


@pytest.mark.parametrize("name", HARD_NAMES, ids=range(len(HARD_NAMES)))
def test_hard_names_and_great_ranks_stay_inside(name: str) -> None:
    image = opened(replace(ROBIN, name=name, title=name, result=name, rank="=2,147,483,647", total=name, move=name))

    assert {at(image, 1199, y) for y in range(630)} == {at(image, 1199, 0)}  # nothing reaches the edge
    assert {at(image, 2, y) for y in range(630)} == {at(image, 2, 0)}
