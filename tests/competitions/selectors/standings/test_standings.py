"""What is shown of a competition: nobody before the start, everybody in his place, and one moment for a page."""

import pytest

from competitions.selectors.participants.participants import not_started, participant_of
from competitions.selectors.standings.standings import around, export_rows, own_points, page, player_row, standings
from competitions.services.participants.join import leave
from foundation.db import resilience as sql
from leaderboards.errors import NotRanked
from leaderboards.stores.base import Page
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.site import SOON, joined, open_competition, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_everybody_is_in_their_place_wherever_one_looks() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 7})

    found = standings(competition, SOON)
    shown = page(competition, SOON, Page(0, 2), "bob")
    _, exported = export_rows(competition, SOON)

    places = [(row.player, row.rank) for row in found.rows]
    assert places == [("ann", 1), ("cleo", 2), ("bob", 3)]
    assert (found.total, found.live, found.period.label, found.period.state) == (3, True, f"c{competition.pk}", "open")
    assert [(row.player, row.rank) for row in exported] == places
    assert [(row.player, row.rank) for row in around(competition, "cleo", SOON, radius=1).rows] == places
    assert player_row(competition, "bob", SOON).row.rank == 3
    assert shown.me is not None
    assert (shown.me.rank, [row.player for row in shown.neighbours]) == (3, ["ann", "cleo", "bob"])


def test_nobody_stands_before_the_start() -> None:
    competition = open_competition(starts_at=END, ends_at=END + DAY)
    joined(competition, "ann")

    found = standings(competition, START)

    assert (found.total, found.rows, found.period.starts_at, found.period.state) == (0, [], END, "open")
    assert list(export_rows(competition, START)[1]) == []
    assert page(competition, START, Page(0, 10), "ann").me is None
    assert own_points(competition, "ann", START) is None
    for ask in (player_row, around):
        with pytest.raises(NotRanked):
            ask(competition, "ann", START)


def test_who_has_joined_and_not_scored_has_not_started() -> None:
    competition = race({"ann": 9})
    [bob, cleo, _] = joined(competition, "bob", "cleo", "dan")
    leave(competition, cleo, SOON)

    waiting = not_started(competition, SOON, limit=1)

    assert (waiting.total, [each.player for each in waiting.participants]) == (2, [bob])
    assert participant_of(competition, "bob") is not None
    assert participant_of(competition, "cleo") is None


def test_while_sql_is_silent_nothing_that_may_be_frozen_is_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"ann": 9}, freeze_minutes=60)
    found = reloaded(competition)
    standings(found, SOON)
    monkeypatch.setattr(sql._Breaker, "silent_until", float("inf"))

    before = standings(found, SOON)

    assert [row.player for row in before.rows] == ["ann"]
    with pytest.raises(sql.SqlAway):
        standings(found, END - HOUR / 2)
