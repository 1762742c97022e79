"""A hidden change leaves every answer for the public equal: standings, rows, neighbours, export, history, who waits."""

from typing import Any

import pytest

from competitions.models import Competition
from competitions.selectors.participants.participants import not_started
from competitions.selectors.standings.history import history
from competitions.selectors.standings.standings import around, export_rows, page, player_row, standings
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.participants.disqualify import disqualify, reinstate
from foundation.errors import SunwiError
from leaderboards.models import Player
from leaderboards.selectors import PlayerRow
from leaderboards.stores.base import Page
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.site import joined, make_board, player, race, ranks, reloaded, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

AT = END - HOUR / 2
PLAYERS = ("ann", "bob", "cleo", "dan")


def answers(competition: Competition, full: bool = False) -> dict[str, object]:
    """Everything that can be asked of a competition half an hour before its end, but when it was so."""
    shown = reloaded(competition)
    found = standings(shown, AT, limit=100, full=full)
    told: dict[str, object] = {
        "standings": (found.rows, found.total, found.period, found.live),
        "export": list(export_rows(shown, AT, full)[1]),
        "waiting": [each.player_id for each in not_started(shown, AT, full=full).participants],
    }
    for name in PLAYERS:
        told[f"page {name}"] = page(shown, AT, Page(0, 10), name, full).neighbours
        told[f"history {name}"] = history(shown, name, AT, full)
        for ask in (player_row, around):
            try:
                there: Any = ask(shown, name, AT, full=full)
            except SunwiError as error:
                told[f"{ask.__name__} {name}"] = error.code
            else:
                is_row = isinstance(there, PlayerRow)
                told[f"{ask.__name__} {name}"] = (there.row, there.percentile) if is_row else there.rows
    return told


def test_the_places_over_time_of_the_banned_and_disqualified_are_for_those_who_run_it_alone() -> None:
    competition, at = race({"ann": 9, "bob": 5, "dan": 4}), END - 2 * HOUR
    take_due_snapshots(at)
    disqualify(competition, player("ann"), "cheated", at, None)
    Player.objects.filter(external_id="bob").update(banned_at=at)

    seen = {name: (history(competition, name, at), history(competition, name, at, full=True)) for name in PLAYERS}

    assert [(len(public), len(full)) for public, full in seen.values()] == [(0, 1), (0, 1), (0, 0), (1, 1)]


def test_who_is_disqualified_before_the_freeze_or_behind_it_has_no_history() -> None:
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60)
    take_due_snapshots(END - 3 * HOUR)
    disqualify(competition, player("ann"), "cheated", END - 2 * HOUR, None)
    disqualify(competition, player("bob"), "cheated", AT, None)

    assert [len(history(reloaded(competition), name, AT)) for name in ("ann", "bob")] == [0, 0]


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_a_hidden_change_changes_no_public_answer(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5, "dan": 5}, make_board(storage, ties="shared"), freeze_minutes=60)
    joined(competition, "cleo")
    take_due_snapshots(END - 2 * HOUR)
    before = answers(competition)

    score(competition, {"bob": 100, "cleo": 50}, AT)
    take_due_snapshots(AT)
    during = answers(competition)
    finish_due(END + MINUTE)
    after = answers(competition)

    assert during == before
    assert after == before
    assert answers(competition, full=True) != before


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_who_is_disqualified_behind_the_freeze_is_in_no_public_answer_and_tells_no_hidden_score(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5, "dan": 4}, make_board(storage), freeze_minutes=60)
    score(competition, {"dan": 100}, AT)
    before = answers(competition)

    disqualify(competition, player("ann"), "cheated", AT, None)
    public, out = ranks(competition, AT), answers(competition)
    reinstate(competition, player("ann"), "it was a mistake", AT, None)

    assert public == [("bob", 1, 5), ("dan", 2, 4)]  # in the order of then
    assert (out["player_row ann"], out["around ann"]) == ("not_ranked", "not_ranked")
    assert "ann" not in str((out["standings"], out["export"], out["page bob"], out["around bob"]))
    assert answers(competition) == before
