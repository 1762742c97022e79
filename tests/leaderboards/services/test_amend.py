"""Amending a standing that is set aside: in every form that a redis board keeps, in Redis and SQL alike."""

from typing import Any

import pytest

from foundation.models import DeadLetter
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import OutOfRange, StandingMoved
from leaderboards.models import Period, Player, Standing
from leaderboards.services.amend import amend, look, read_state
from leaderboards.services.close import close_due
from leaderboards.services.mirror import mirror
from leaderboards.services.submit import submit
from leaderboards.services.verify import verify_all
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    final,
    in_redis,
    in_sql,
    make_board,
    period_of,
    refused_by_sql,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

FORMS: list[dict[str, Any]] = [
    {"tie_break": "score"},
    {"tie_break": "member"},
    {"ties": "shared"},
    {"ties": "dense"},
    {"update": "increment"},
    {"order": "asc", "ties": "last_come"},
]


def set_aside(period: Period, points: int) -> DeadLetter:
    """What SQL refused of player a; the cause is gone by now."""
    with refused_by_sql(Player.objects.get(external_id="a")):
        score(period.board, {"a": points})
        mirror(period)
    return DeadLetter.objects.get(resolved_at=None)


def with_two_players(**form: Any) -> Period:
    board = make_board("redis", **form)
    score(board, {"a": 5, "b": 5})
    period = period_of(board)
    mirror(period)
    return period


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_an_amended_standing_is_the_same_in_redis_and_sql(links: None, form: dict[str, Any]) -> None:
    period = with_two_players(**form)
    letter = set_aside(period, 4 if form.get("order") == "asc" else 9)

    assert amend(letter, read_state(period, "a", "3", NOON), look(letter, period).score) == ""

    assert Standing.objects.get(period=period, player__external_id="a").points == 3
    assert in_redis(period) == in_sql(period)
    assert sum(each.differences for each in verify_all(NOON, 60.0)) == 0


def test_fields_are_amended_by_name(links: None) -> None:
    board = make_board("redis", criteria=[{"name": "stage", "max": 99, "order": "desc"}])
    entry = read_entry({"board": board.seq, "player": "a", "fields": {"stage": 12}}, 0)
    submit([entry], Caller("tests"), NOON)
    period = period_of(board)
    mirror(period)
    letter = DeadLetter(kind="mirror", payload={"period": period.pk, "player": "a"})

    with pytest.raises(OutOfRange):
        read_state(period, "a", '{"stage": 100}', NOON)
    DeadLetter.note("mirror", f"{period.pk}:a", letter.payload, "why", NOON)
    letter = DeadLetter.objects.get()
    amend(letter, read_state(period, "a", '{"stage": 3}', NOON), look(letter, period).score)

    assert Standing.objects.get().fields == [3]
    assert in_redis(period) == in_sql(period)


def test_a_total_may_be_greater_than_a_single_entry_and_no_greater_than_the_total_may_be(links: None) -> None:
    period = with_two_players(update="increment", maximum=10, total_maximum=100)

    assert read_state(period, "a", "99", NOON).value == (99,)
    with pytest.raises(OutOfRange):
        read_state(period, "a", "101", NOON)


def test_a_standing_that_moved_is_left_alone(links: None) -> None:
    period = with_two_players()
    letter = set_aside(period, 9)
    seen = look(letter, period).score
    score(period.board, {"a": 12})

    with pytest.raises(StandingMoved):
        amend(letter, read_state(period, "a", "3", NOON), seen)
    with pytest.raises(StandingMoved):
        amend(letter, read_state(period, "a", "3", NOON), None)

    mirror(period)
    assert Standing.objects.get(player__external_id="a").points == 12


def test_a_period_that_waits_for_a_letter_closes_with_what_was_written(links: None) -> None:
    period = with_two_players()
    letter = set_aside(period, 9)
    [waits] = [each for each in close_due(NOON + DAY) if each.label == period.label]

    amend(letter, read_state(period, "a", "7", NOON), look(letter, period).score)
    [closed] = [each for each in close_due(NOON + DAY) if each.label == period.label]

    assert (waits.final, closed.final) == (False, True)
    assert [row[2].endswith("a") for row in final(period)] == [True, False]
    assert Standing.objects.get(player__external_id="a").points == 7
