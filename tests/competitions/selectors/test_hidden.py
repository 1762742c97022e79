"""A hidden change leaves every answer for the public equal: standings, rows, neighbours, export, history, who waits."""

import pytest

from competitions.models import Competition
from competitions.selectors.history import history
from competitions.selectors.participants import disqualified_among, not_started
from competitions.selectors.standings import around, export_rows, page, player_row, standings
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.snapshot import take_due
from foundation.errors import SunwiError
from leaderboards.stores.base import Page
from tests.competitions.site import (
    END,
    HOUR,
    MINUTE,
    STORAGES,
    joined,
    make_board,
    open_competition,
    player,
    raced,
    reloaded,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

AT = END - HOUR / 2
PLAYERS = ("ann", "bob", "cleo", "dan")


def answers(competition: Competition, full: bool = False) -> dict[str, object]:
    """Everything that can be asked of a competition half an hour before its end, but when it was so."""
    shown = reloaded(competition)
    found = {"standings": standings(shown, AT, limit=100, full=full)}
    told: dict[str, object] = {name: (each.rows, each.total, each.period, each.live) for name, each in found.items()}
    told["export"] = list(export_rows(shown, AT, full)[1])
    told["waiting"] = [each.player_id for each in not_started(shown, AT, full=full).participants]
    told["marked"] = disqualified_among(shown, PLAYERS, AT)
    for name in PLAYERS:
        told[f"page {name}"] = page(shown, AT, Page(0, 10), name, full).neighbours
        told[f"history {name}"] = history(shown, name, AT, full)
        for ask in (player_row, around):
            told[f"{ask.__name__} {name}"] = _rows(ask, shown, name, full)
    return told


def _rows(ask: object, competition: Competition, name: str, full: bool) -> object:
    try:
        found = ask(competition, name, AT, full=full)  # type: ignore[operator]  # one of two selectors
    except SunwiError as error:
        return error.code
    return (found.row, found.percentile) if hasattr(found, "row") else found.rows


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ties", ["first_come", "shared"])
def test_a_hidden_change_changes_no_public_answer(links: None, storage: str, ties: str) -> None:
    competition = open_competition(make_board(storage, ties=ties), freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5, "dan": 5})
    joined(competition, "cleo")
    take_due(END - 2 * HOUR)
    before = answers(competition)

    score(competition, {"bob": 100, "cleo": 50}, AT)
    take_due(AT)
    disqualify(competition, player("ann"), "cheated", AT, None)
    during = answers(competition)
    finish_due(END + MINUTE)
    after = answers(competition)

    assert during == before
    assert after == before
    assert answers(competition, full=True) != before
