"""A league's seasons: who is put into which group, and where players stand after the turn."""

from datetime import datetime
from typing import Any

import orjson
import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from competitions.models import League, LeagueGroup, LeagueMember, LeagueSeason, LeagueTier
from competitions.selectors.leagues import league_standing_of
from competitions.services.leagues import promotion as league_turn
from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.outbox import event_id
from leaderboards.models import Board, Player
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.periods.close import close_due
from tests.competitions.factories import LeagueFactory
from tests.competitions.services.telling import hooks, listening
from tests.competitions.site import STORAGES
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def league(storage: str = "hybrid", tiers: tuple[str, ...] = (), /, **wanted: Any) -> Board:
    """A board of days with a league in use."""
    ranking = {name: wanted.pop(name) for name in ("ties", "order", "name") if name in wanted}
    board = make_board(storage, **ranking)
    LeagueFactory.create(board=board, tiers=tiers or None, **wanted)
    return board


def play(board: Board, points: dict[str, int], at: datetime = NOON) -> None:
    """They score, and the league looks."""
    period_of(board, at)
    begin_due(at)
    assert {outcome.code for outcome in score(board, points, at)} <= {None}
    follow(period_of(board, at))
    place_due(at)


def turned(board: Board, points: dict[str, int], at: datetime = NOON) -> None:
    """A whole day of these points."""
    play(board, points, at)
    close_due(at + DAY)
    turn_due(at + DAY)


def groups(at: datetime = NOON) -> dict[str, list[str]]:
    """Each group of the day with its members as they came."""
    found: dict[str, list[str]] = {}
    rows = LeagueMember.objects.filter(season__period__starts_at__lte=at, season__period__ends_at__gt=at)
    for row in rows.select_related("group__season", "player").order_by("group__tier", "group__number", "pk"):
        found.setdefault(str(row.group), []).append(row.player.external_id)
    return found


def moved(at: datetime = NOON) -> list[tuple[str, int | None, str]]:
    rows = LeagueMember.objects.filter(season__period__starts_at__lte=at, season__period__ends_at__gt=at)
    return list(
        rows.order_by("group", F("place").asc(nulls_last=True), "player__external_id").values_list(
            "player__external_id", "place", "outcome"
        )
    )


@pytest.mark.parametrize("storage", STORAGES)
def test_players_enter_with_their_first_score_and_move_by_their_place_when_the_period_is_final(storage: str) -> None:
    board = league(storage)
    turned(board, {"a": 9, "b": 7, "c": 5, "d": 3, "e": 1})
    assert groups() == {"Bronze 1": ["a", "b", "c", "d"], "Bronze 2": ["e"]}
    assert moved() == [
        ("a", 1, "promoted"), ("b", 2, "stayed"), ("c", 3, "stayed"), ("d", 4, "stayed"), ("e", 1, "stayed"),
    ]  # fmt: skip  # as a table

    turned(board, {"a": 1, "b": 9, "e": 5, "f": 2}, NOON + DAY)

    assert groups(NOON + DAY) == {"Bronze 1": ["b", "e", "f"], "Silver 1": ["a"]}
    assert moved(NOON + DAY) == [("b", 1, "promoted"), ("e", 2, "stayed"), ("f", 3, "stayed"), ("a", 1, "promoted")]
    play(board, dict.fromkeys("abcdef", 1), NOON + 2 * DAY)
    assert groups(NOON + 2 * DAY) == {"Bronze 1": ["c", "d", "e", "f"], "Silver 1": ["b"], "Gold 1": ["a"]}


def test_less_is_better_on_a_board_that_says_so_and_ties_are_decided_for_the_player() -> None:
    board = league(order="asc", ties="shared", group_size=5, demoted=2)
    turned(board, {"a": 1, "b": 1})

    turned(board, {"a": 9, "b": 9, "c": 3, "d": 4}, NOON + DAY)

    assert moved() == [("a", 1, "promoted"), ("b", 1, "promoted")]
    assert moved(NOON + DAY) == [
        ("c", 1, "promoted"), ("d", 2, "stayed"), ("a", 1, "promoted"), ("b", 1, "promoted"),
    ]  # fmt: skip  # as a table


@pytest.mark.parametrize(
    ("banned", "expected"), [("h", "promoted promoted stayed"), ("gh", "stayed stayed"), ("fgh", "stayed")]
)
def test_a_ban_takes_nothing_from_others_in_a_full_group_until_all_who_are_left_would_move_up(
    banned: str, expected: str
) -> None:
    board = league(group_size=4, promoted=2, demoted=1)
    play(board, {"a": 9, "b": 8, "c": 7, "d": 6, "e": 4, "f": 3, "g": 2, "h": 1})
    Player.objects.filter(external_id__in=banned).update(banned_at=NOON)

    turned(board, {})

    late = [outcome for player, place, outcome in moved() if player in "efgh" and place]
    assert late == expected.split()


def outcome_of(board: Board, player: str) -> str:
    """What the place of a player comes to as things stand."""
    me = league_standing_of(board, LeagueSeason.objects.get(), player).me
    assert me is not None
    return str(me.outcome)


def test_in_a_higher_tier_too_a_small_group_goes_down_by_the_one_before() -> None:
    board = league(group_size=4, promoted=1, demoted=1)
    play(board, {"a": 9, "b": 7, "c": 3, "d": 2, "e": 1})
    LeagueGroup.objects.update(tier=2)

    turned(board, {})

    assert [outcome for _, _, outcome in moved()] == ["promoted", "stayed", "stayed", "demoted", "demoted"]


def test_who_is_alone_in_a_tier_moves_up_so_that_they_meet_somebody() -> None:
    board = league()

    turned(board, {"a": 9})

    assert moved() == [("a", 1, "promoted")]


def test_who_is_removed_or_banned_holds_no_place_and_stays_and_enters_again_where_they_were() -> None:
    board = league()
    turned(board, {"a": 9, "b": 7, "c": 5, "d": 3}, NOON - DAY)
    turned(board, {"a": 9}, NOON)
    play(board, {"a": 9, "b": 7, "c": 5, "d": 3, "e": 1}, NOON + DAY)
    remove_from_period(period_of(board, NOON + DAY), "b", NOON + DAY)
    Player.objects.filter(external_id="a").update(banned_at=NOON)

    close_due(NOON + 2 * DAY)
    turn_due(NOON + 2 * DAY)

    assert moved(NOON + DAY) == [
        ("c", 1, "promoted"), ("d", 2, "stayed"), ("e", 3, "stayed"), ("b", None, "stayed"), ("a", None, "stayed"),
    ]  # fmt: skip  # as a table
    Player.objects.update(banned_at=None)
    play(board, {"a": 1, "b": 1, "c": 1}, NOON + 2 * DAY)
    assert groups(NOON + 2 * DAY) == {"Bronze 1": ["b"], "Silver 1": ["c"], "Gold 1": ["a"]}


def test_the_banned_enter_once_they_are_let_in_again_also_when_the_period_is_over() -> None:
    board = league()
    period_of(board)
    begin_due(NOON)
    score(board, {"a": 9, "b": 7})
    Player.objects.filter(external_id="a").update(banned_at=NOON)
    place_due(NOON)
    assert groups() == {"Bronze 1": ["b"]}
    close_due(NOON + DAY)
    Player.objects.update(banned_at=None)

    turn_due(NOON + DAY)

    assert moved() == [("a", 1, "promoted"), ("b", 2, "stayed")]


def test_a_player_who_was_away_keeps_the_tier_and_a_shorter_ladder_takes_them_on_its_highest() -> None:
    board = league()
    turned(board, {"a": 9, "b": 7})
    turned(board, {"a": 9, "b": 7}, NOON + DAY)
    turned(board, {"b": 7}, NOON + 2 * DAY)
    LeagueTier.objects.filter(name="Gold").delete()

    play(board, {"a": 1, "b": 1}, NOON + 3 * DAY)

    assert groups(NOON + 3 * DAY) == {"Silver 1": ["a", "b"]}


def test_who_waits_for_the_turn_of_the_last_period_is_placed_after_it_and_keeps_nobody_waiting() -> None:
    board = league()
    play(board, {"a": 9, "b": 7})

    play(board, {"a": 1, "c": 1}, NOON + DAY)
    assert groups(NOON + DAY) == {"Bronze 1": ["c"]}
    assert turn_due(NOON + DAY) == 0
    close_due(NOON + DAY)
    turn_due(NOON + DAY)
    place_due(NOON + DAY)

    assert groups(NOON + DAY) == {"Bronze 1": ["c"], "Silver 1": ["a"]}


def test_a_period_is_not_turned_before_the_ones_before_it_though_it_is_final() -> None:
    board = league()
    for day in range(2):
        play(board, {"a": 9, "b": 7}, NOON + day * DAY)
        close_due(NOON + (day + 1) * DAY)
    latest = LeagueSeason.objects.order_by("pk").last()
    assert latest is not None
    assert not league_turn.turn(latest, NOON + 2 * DAY)

    assert turn_due(NOON + 2 * DAY) == 2

    assert groups(NOON + DAY) == {"Bronze 1": ["b"], "Silver 1": ["a"]}
    assert moved(NOON + DAY) == [("b", 1, "promoted"), ("a", 1, "promoted")]


def test_a_score_that_nobody_had_looked_at_when_the_period_closed_counts_at_the_turn() -> None:
    board = league()
    play(board, {"a": 9})
    score(board, {"b": 99})
    close_due(NOON + DAY)

    turn_due(NOON + DAY)

    assert moved() == [("b", 1, "promoted"), ("a", 2, "stayed")]


def test_changed_settings_count_from_the_next_period_on_and_a_league_out_of_use_begins_none() -> None:
    board = league()
    play(board, {"a": 9, "b": 7, "c": 5})
    League.objects.update(group_size=2, enabled=False)
    LeagueTier.objects.filter(name="Bronze").update(name="Wood")

    play(board, {"d": 9, "e": 8})
    play(board, {"a": 1}, NOON + DAY)
    assert groups() == {"Bronze 1": ["a", "b", "c", "d"], "Bronze 2": ["e"]}
    assert groups(NOON + DAY) == {}
    League.objects.update(enabled=True)
    play(board, {"b": 1, "x": 1, "y": 1}, NOON + DAY)

    assert groups(NOON + DAY) == {"Wood 1": ["x", "y"]}


@pytest.mark.parametrize("kind", ["all_time", "event"])
def test_a_board_without_a_calendar_has_no_season(kind: str) -> None:
    LeagueFactory.create(board=make_board("sql", period=kind))

    assert begin_due(NOON) == 0


def test_a_ladder_of_one_tier_begins_nothing() -> None:
    board = league("sql", ("Only",))
    period_of(board)

    assert begin_due(NOON) == 0


def test_a_league_that_does_not_fit_is_refused_by_the_table() -> None:
    board = make_board("sql")

    for wrong in ({"group_size": 1}, {"group_size": 101}, {"promoted": 0}, {"promoted": 3, "demoted": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            League.objects.create(board=board, **{"group_size": 4, "promoted": 1, "demoted": 1, **wrong})


def test_webhooks_tell_of_those_who_move_once_each() -> None:
    listening()
    board = league(promoted=2)
    turned(board, {"a": 9, "b": 7, "c": 5})
    hooked = hooks()

    turned(board, {"a": 1, "b": 5}, NOON + DAY)

    assert [kind for kind, _ in hooked] == ["league.promoted", "league.promoted"]
    assert [kind for kind, _ in hooks()[2:]] == ["league.promoted", "league.promoted"]
    first = WebhookDelivery.objects.filter(kind="league.promoted").order_by("pk")[0]
    mover = LeagueMember.objects.filter(player__external_id="a").earliest("pk")
    assert first.message_id == event_id(f"league-{mover.pk}", first.created_at)
    told = orjson.loads(first.body)["data"]
    day = period_of(board).label
    assert told == {
        "board": board.seq, "period": day, "player": "a", "place": 1, "tier": "Bronze", "next_tier": "Silver",
    }  # fmt: skip  # as a table


def test_a_league_goes_by_the_windows_of_a_schedule() -> None:
    board = make_board("sql", period="schedule", schedule="0 12 * * *", open_minutes=120, timezone="UTC")
    LeagueFactory.create(board=board, tiers=None)
    closed = NOON + DAY / 4

    play(board, {"ann": 5, "bob": 3})
    between = begin_due(closed)
    close_due(closed)
    turns = turn_due(closed)
    play(board, {"ann": 5}, NOON + DAY)

    assert (between, turns) == (0, 1)
    labels = LeagueSeason.objects.order_by("pk").values_list("period__label", flat=True)
    assert list(labels) == [f"{NOON:%Y-%m-%d}-1200", f"{NOON + DAY:%Y-%m-%d}-1200"]
