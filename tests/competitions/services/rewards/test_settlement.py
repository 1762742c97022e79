"""Settling rewards in turns: the competition is free in between, and what comes in between is followed."""

import threading
from collections.abc import Callable
from types import ModuleType

import pytest
from django.db import connection, transaction

from competitions.models import Competition, RewardGrant, RewardRun
from competitions.services.locks import lock_competition
from competitions.services.rewards import reward
from competitions.services.rewards import settlement as settling
from competitions.services.rewards.staff_revocation import Reallocation, revoke_by_staff
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import hooks, listening, who
from tests.competitions.services.winning import finished, granted, out, published, settle, tier
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LATER = END + DAY
PLAYERS = [f"p{nth}" for nth in range(7)]


@pytest.fixture(autouse=True)
def _small_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "ROWS_PER_TRANSACTION", 2)
    monkeypatch.setattr(settling, "PAUSE_SECONDS", 0.0)


def final() -> Competition:
    """Seven players, of whom five win; it is published."""
    competition = finished({name: 100 - nth for nth, name in enumerate(PLAYERS)})
    tier(competition, name="Top", limit=5)
    published(competition)
    return competition


def winners() -> list[str]:
    assert RewardRun.objects.get().unsettled_at is None
    return [player for _, player, _ in granted()]


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """After the first turn, once."""
    acts = [act]

    def come_between(name: str) -> None:
        if name == "settle.between_turns" and acts:
            acts.pop()()

    monkeypatch.setattr(settling, "failpoint", come_between)


@only_postgresql
def test_between_two_turns_nobody_holds_the_competition(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = final()
    seen: list[int] = []

    def elsewhere() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            lock_competition(competition)
            seen.append(RewardGrant.objects.count())
        connection.close()

    def look() -> None:
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()

    between(monkeypatch, look)

    assert settle(LATER) == 5

    assert seen == [2]
    assert winners() == PLAYERS[:5]


def test_the_rest_follows_the_revision_of_an_act_between_two_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = final()
    between(monkeypatch, lambda: [out(competition, "p0"), out(competition, "p4")])

    assert settle(LATER) == 6

    assert winners() == ["p1", "p2", "p3", "p5", "p6"]
    assert not RewardGrant.objects.filter(player=who("p4")).exists()  # out before it was their turn
    assert RewardRun.objects.values_list("revision", "grants").get() == (3, 6)
    assert settle(LATER) == 0


def test_the_rest_follows_what_is_taken_back_between_two_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    final()
    between(
        monkeypatch,
        lambda: revoke_by_staff([RewardGrant.objects.get(player=who("p1"))], Reallocation.NEXT, "Twice.", LATER),
    )

    settle(LATER)

    assert winners() == ["p0", *PLAYERS[2:6]]
    assert RewardGrant.objects.count() == 6


def test_whoever_is_killed_between_two_turns_leaves_the_rest_to_the_next_run_by_the_tiers_of_then() -> None:
    competition = final()
    listening()
    with dying_at(settling, "settle.between_turns"):
        settle(LATER)
    assert len(granted()) == 2
    tier(competition, name="Late", limit=5)
    with dying_at(settling, "settle.before_commit"):
        settle(LATER)
    assert len(granted()) == 2

    assert settle(LATER + HOUR) == 3

    assert winners() == PLAYERS[:5]
    assert len(set(hooks())) == len(hooks()) == 5


@pytest.mark.parametrize("is_published", [True, False])
@pytest.mark.parametrize(("module", "step"), [(reward, "settle.begun"), (settling, "settle.before_commit")])
def test_whoever_is_killed_at_the_beginning_leaves_all_to_the_next_run(
    module: ModuleType, step: str, is_published: bool
) -> None:
    competition = finished({"a": 2, "b": 1})
    tier(competition)
    if is_published:
        published(competition)
    with dying_at(module, step):
        settle(LATER)
    assert granted() == []

    assert settle(LATER) == 1

    assert winners() == ["a"]


def test_four_workers_in_turns_grant_nothing_twice() -> None:
    final()
    listening()

    at_once([lambda: settle(LATER)] * 4)
    settle(LATER)

    assert winners() == PLAYERS[:5]
    assert RewardGrant.objects.count() == len(hooks()) == RewardRun.objects.get().grants == 5


def test_a_run_that_takes_too_long_stops_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    final()
    monkeypatch.setattr(settling, "BUDGET_SECONDS", 0.0)

    assert [settle(LATER), settle(LATER)] == [4, 1]

    assert winners() == PLAYERS[:5]


def test_a_cancelled_or_hidden_competition_is_not_begun_again_and_again() -> None:
    competition = finished({"a": 1})
    tier(competition)
    Competition.objects.filter(pk=competition.pk).update(cancelled_at=END, final_at=None)
    settle(LATER)

    run = RewardRun.objects.get()

    assert (run.tiers, run.unsettled_at, run.version, settle(LATER)) == ([], None, 0, 0)
    assert not RewardGrant.objects.exists()
    assert Player.objects.exists()
