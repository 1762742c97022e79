"""Finding competitions: drafts and private ones for those who run them, pictures for nobody who lists."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.selectors.competitions import (
    competition_by_id,
    competitions_known,
    competitions_listed,
    participants_count,
    shown,
)
from competitions.services.join import leave
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Board
from tests.competitions.site import DAY, END, HOUR, SOON, START, draft, joined, make_board, open_competition

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_drafts_are_found_only_where_drafts_are_asked_for_and_numbers_of_none_never() -> None:
    competition = draft()

    assert competition_by_id(competition.pk, drafts=True) == competition
    with pytest.raises(UnknownCompetition):
        competition_by_id(competition.pk)
    for number in (0, -1, 2**31 - 1, 2**63, 2**70):
        with pytest.raises(UnknownCompetition):
            competition_by_id(number, drafts=True)


def test_the_list_is_of_what_is_published_with_its_phase_and_its_participants() -> None:
    board = make_board()
    draft(board, name="A draft")
    running = open_competition(board, name="Running")
    coming = open_competition(board, name="Coming", starts_at=END, ends_at=END + HOUR)
    [ann, *_] = joined(running, "ann", "bob", "cleo")
    leave(running, ann, SOON)

    listed = [(each.competition.name, each.phase, each.participants) for each in competitions_listed(SOON)]

    assert listed == [("Coming", "open", 0), ("Running", "running", 2)]
    assert [each.competition for each in competitions_listed(SOON, state="open")] == [coming]
    assert competitions_listed(SOON, board=board.pk + 1) == []
    assert participants_count(running) == 2
    Board.objects.update(visibility="private")
    assert competitions_listed(SOON) == []
    assert len(competitions_listed(SOON, include_private=True)) == 2


def test_of_those_that_a_page_does_not_show_nothing_is_read_but_where_they_stand() -> None:
    board = make_board()
    for number in range(3):
        open_competition(board, name=f"Cup {number}", starts_at=START + number * HOUR, description="long")

    with CaptureQueriesContext(connection) as asked:
        known = competitions_known(SOON)
        states = [(each.phase(SOON), each.board.visibility) for each in known]
    [listed] = shown(known[:1], SOON)

    assert states == [("open", "public"), ("running", "public"), ("running", "public")]
    assert len(asked.captured_queries) == 1
    assert "description" not in asked.captured_queries[0]["sql"]
    assert (listed.competition.name, listed.phase) == ("Cup 2", "open")


def test_listing_and_finding_read_no_pictures() -> None:
    competition = open_competition()

    with CaptureQueriesContext(connection) as asked:
        competitions_listed(START + DAY)
        competition_by_id(competition.pk)

    assert len(asked.captured_queries) >= 2
    assert not [query for query in asked.captured_queries if '"picture"' in query["sql"]]
