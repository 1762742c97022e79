"""A board's hue is chosen in its form, with a swatch of each, and every page has it."""

import re

import pytest
from django.test import Client

from leaderboards.core.hues import HUES
from leaderboards.models import Board
from tests.leaderboards.admin.typed import ADD, make_board, page, save, settings

pytestmark = pytest.mark.django_db(transaction=True)


def test_all_hues_are_offered_with_a_swatch_each(admin: Client) -> None:
    form = page(admin, ADD)

    assert set(re.findall(r'class="hue-swatch is-(\w+)"', form)) == set(HUES)
    assert "css/hues.css" in form


def test_a_chosen_hue_is_on_the_boards_page_at_once_and_by_its_number_again_when_taken_away(admin: Client) -> None:
    board = make_board()
    usual = re.findall(r'<body class="hue is-(\w+)"', page(admin, f"/boards/{board.seq}/"))
    other = next(each for each in HUES if each not in usual)

    said = save(admin, board, hue=other)

    assert "at once" in said
    assert f'<body class="hue is-{other}"' in page(Client(), f"/boards/{board.seq}/")
    save(admin, Board.objects.get(), hue="")
    assert Board.objects.get().hue == ""


def test_a_hue_that_is_none_of_them_is_refused(admin: Client) -> None:
    answer = admin.post(ADD, settings(hue="gold"))

    assert "not one of the available choices" in " ".join(answer.context["adminform"].form.errors["hue"])
