"""A board's page while a partition is silent: the rows of the others, and no number that would be a guess."""

import re

import pytest
from django.test import Client

from leaderboards.models import Period
from tests.leaderboards.api.test_incomplete import silenced
from tests.links import links
from tests.playing import make_board, score

__all__ = ["links"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_page_says_what_is_missing_and_tells_no_rank_and_no_total(client: Client, links: None) -> None:
    number = make_board(period="all_time", partitions=4)
    points = {f"p{n}": n for n in range(1, 31)}
    score(number, points)
    period = Period.objects.select_related("board").get(board=number)
    whole = client.get(f"/boards/{number}/").content.decode()
    silent = period.part_of("p30")

    with silenced(silent):
        page = client.get(f"/boards/{number}/?page=1&find=").content.decode()

    assert "30 players" in whole
    assert "a part of the players is missing" not in whole
    assert page.count("a part of the players is missing") == 2
    assert not re.search(r"\d+ players", page)
    assert ">p30<" not in page
    assert next(f">{name}<" in page for name in reversed(points) if period.part_of(name) is not silent)
