"""A competition that is asked for again: not read again while nobody wrote it, and never as it no longer is."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.models import Competition
from competitions.selectors.competitions import competition_by_id
from leaderboards.models import Board
from tests.competitions.site import open_competition

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite tells no stamps")
def test_it_is_read_once_while_nobody_wrote_it() -> None:
    number = open_competition().pk
    competition_by_id(number)

    with CaptureQueriesContext(connection) as asked:
        competition_by_id(number)

    (one,) = asked.captured_queries
    assert "xmin" in one["sql"]


def test_what_another_process_changed_of_it_or_of_its_board_is_seen_at_once() -> None:
    number = open_competition().pk
    board = competition_by_id(number).board_id

    Competition.objects.filter(pk=number).update(name="Cup of others")
    Board.objects.filter(seq=board).update(visibility="private")
    renamed = competition_by_id(number)
    Board.objects.filter(seq=board).update(visibility="public")

    assert (renamed.name, renamed.board.visibility) == ("Cup of others", "private")
    assert competition_by_id(number).board.visibility == "public"


def test_who_changes_what_they_were_given_changes_it_for_nobody_else() -> None:
    number = open_competition().pk
    given = competition_by_id(number)

    given.name, given.board.visibility = "Mine", "private"

    asked = competition_by_id(number)
    assert asked.name != "Mine"
    assert asked.board.visibility == "public"
