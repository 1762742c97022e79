"""Leagues in the admin: set up without code, refused where the numbers do not fit, and looked at."""

from typing import Any

import pytest
from django.test import Client

from competitions.models import League, LeagueTier
from competitions.services.leagues.seasons import begin_due, place_due
from foundation import clock
from leaderboards.models import Board
from tests.competitions.admin.typed import page, refusals
from tests.competitions.factories import LeagueFactory
from tests.leaderboards.factories import BoardFactory
from tests.playing import score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

LIST, MEMBERS = "/admin/competitions/league/", "/admin/competitions/leaguemember/"
ADD = f"{LIST}add/"


def typed(board: Board, *tiers: str, **changed: object) -> dict[str, Any]:
    """The form of a new league as a browser sends it."""
    fields: dict[str, Any] = {"board": board.pk, "enabled": "on", "group_size": 10, "promoted": 3, "demoted": 2}
    fields |= {"tiers-TOTAL_FORMS": len(tiers), "tiers-INITIAL_FORMS": 0}
    for nth, name in enumerate(tiers):
        fields |= {f"tiers-{nth}-position": nth + 1, f"tiers-{nth}-name": name}
    return fields | changed


@pytest.fixture
def board() -> Board:
    return BoardFactory.create(name="Wins", period="week")


def test_a_league_is_set_up_from_its_form_which_comes_with_a_ladder(admin: Client, board: Board) -> None:
    opened = page(admin, ADD)
    assert all(f'value="{name}"' in opened for name in ("Bronze", "Silver", "Gold", "Platinum", "Diamond"))

    answer = admin.post(ADD, typed(board, "Bronze", "Silver"))

    assert answer.status_code == 302, refusals(answer)
    league = League.objects.get()
    assert (league.board, league.enabled, league.group_size, league.promoted, league.demoted) == (board, True, 10, 3, 2)
    assert list(league.tiers.values_list("position", "name")) == [(1, "Bronze"), (2, "Silver")]


@pytest.mark.parametrize(
    ("tiers", "wrong", "why"),
    [
        (("A", "B"), {"promoted": 6, "demoted": 5}, "11 players move, and a group has 10"),
        (("A", "B"), {"group_size": 101}, "100"),
        (("A", "B"), {"promoted": 0}, "1"),
        (("A",), {}, "at least two tiers"),
        (("A", "A"), {}, "Two tiers have the same name: change one of them."),
        (("A", "B"), {"tiers-1-position": 1}, "Two tiers have the same position: give each step"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_kept(
    admin: Client, board: Board, tiers: tuple[str, ...], wrong: dict[str, object], why: str
) -> None:
    answer = admin.post(ADD, typed(board, *tiers, **wrong))

    assert why in refusals(answer)
    assert not League.objects.exists()
    assert not LeagueTier.objects.exists()


def test_a_second_league_on_a_board_is_refused_in_words_that_name_the_board(admin: Client, board: Board) -> None:
    LeagueFactory.create(board=board)

    told = refusals(admin.post(ADD, typed(board, "A", "B")))

    assert f"Board {board.seq}, “Wins”, has a league already: change that one, or take another board." in told
    assert "already exists" not in told
    assert League.objects.count() == 1


@pytest.mark.parametrize("kind", ["all_time", "event"])
def test_a_board_without_a_calendar_takes_no_league(admin: Client, kind: str) -> None:
    assert "Select a valid choice" in refusals(
        admin.post(ADD, typed(BoardFactory.create(name="B", period=kind), "A", "B"))
    )


def test_a_league_stays_with_its_board_and_is_not_deleted_once_somebody_is_in_it(admin: Client, board: Board) -> None:
    league, other = LeagueFactory.create(board=board), BoardFactory.create(name="Other")
    address = f"{LIST}{league.pk}/"
    kept = {
        f"tiers-{nth}-{name}": value
        for nth, tier in enumerate(league.tiers.all())
        for name, value in {"id": tier.pk, "league": league.pk, "position": tier.position, "name": tier.name}.items()
    }
    form = typed(other, group_size=20) | {"tiers-TOTAL_FORMS": 3, "tiers-INITIAL_FORMS": 3, **kept}
    answer = admin.post(f"{address}change/", form)
    assert answer.status_code == 302, refusals(answer)
    league.refresh_from_db()
    assert (league.board, league.group_size) == (board, 20)
    assert admin.get(f"{address}delete/").status_code == 200

    begin_due(clock.now())
    score(board.seq, {"alice": 5})
    place_due(clock.now())

    assert admin.get(f"{address}delete/").status_code == 403
    assert "delete_selected" not in page(admin, LIST)


def test_members_are_found_by_id_with_their_group_and_nobody_types_in_them(admin: Client, board: Board) -> None:
    LeagueFactory.create(board=board)
    begin_due(clock.now())
    score(board.seq, {"alice": 5, "bob": 3})
    place_due(clock.now())

    found = page(admin, f"{MEMBERS}?q=alice")

    assert "alice" in found
    assert "Bronze 1" in found
    assert ">bob<" not in found
    assert admin.get(f"{MEMBERS}add/").status_code == 403
