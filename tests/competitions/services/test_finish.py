"""The end of a competition: once, with or without scores, after its grace, whatever the storage."""

from collections.abc import Callable
from datetime import datetime

import pytest

from competitions.models import Competition
from competitions.selectors.standings import player_row, standings
from competitions.services import finish as finishing
from competitions.services.finish import finish_due
from foundation import redis
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from leaderboards.services.close import close_due
from tests.at_once import at_once
from tests.competitions.site import (
    END,
    MINUTE,
    STORAGES,
    make_board,
    open_competition,
    period_of,
    raced,
    reloaded,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_competition_is_final_once_after_its_grace(links: None, storage: str) -> None:
    WebhookEndpoint.objects.create(name="game", url="https://game.example/hooks")
    competition = open_competition(make_board(storage, grace_seconds=60))
    raced(competition, {"ann": 9, "bob": 5})

    early = finish_due(END + MINUTE / 2)
    first, again = finish_due(END + MINUTE), finish_due(END + 2 * MINUTE)

    final = reloaded(competition)
    assert (early, first, again) == (0, 1, 0)
    assert (final.final_at, final.phase(END + MINUTE)) == (END + MINUTE, "final")
    assert [row.player for row in standings(final, END + MINUTE).rows] == ["ann", "bob"]
    assert player_row(final, "bob", END + MINUTE).row.rank == 2
    assert period_of(final).content_hash
    assert list(WebhookDelivery.objects.values_list("kind", flat=True)).count("competition.final") == 1


@pytest.mark.parametrize("storage", STORAGES)
def test_one_without_any_score_becomes_final_too(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage))

    assert finish_due(END + MINUTE) == 1

    assert standings(reloaded(competition), END + MINUTE).rows == []
    assert period_of(competition).state == "final"


def test_it_does_not_matter_who_closes_the_period(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9})
    close_due(END + MINUTE)

    assert finish_due(END + MINUTE) == 1


def test_finished_at_once_it_is_finished_once(links: None) -> None:
    WebhookEndpoint.objects.create(name="game", url="https://game.example/hooks")
    raced(open_competition(), {f"p{number}": number for number in range(20)})

    finished = at_once([lambda: finish_due(END + MINUTE)] * 3)

    assert sorted(finished) == [0, 0, 1]
    assert WebhookDelivery.objects.filter(kind="competition.final").count() == 1


def test_a_redis_board_waits_for_redis_and_its_neighbours_do_not(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for storage in STORAGES:
        raced(open_competition(make_board(storage)), {"ann": 1})
    with monkeypatch.context() as patch:
        patch.setattr(redis.Link, "_exchange", _away)
        assert finish_due(END + MINUTE) == 2
    redis.boards().reset()

    assert finish_due(END + 2 * MINUTE) == 1


def test_one_that_cannot_be_finished_keeps_nobody_else_waiting(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, *others = [open_competition(make_board(storage)) for storage in STORAGES]
    monkeypatch.setattr(finishing, "finish", _unless(broken, finishing.finish))

    with pytest.raises(ExceptionGroup) as failure:
        finish_due(END + MINUTE)

    assert [str(each) for each in failure.value.exceptions] == ["broken"]
    assert [reloaded(each).phase(END + MINUTE) for each in others] == ["final", "final"]


def _unless(broken: Competition, finish: Callable[[Competition, datetime], bool]) -> Callable[..., bool]:
    def finish_others(competition: Competition, at: datetime) -> bool:
        if competition == broken:
            raise ValueError("broken")
        return finish(competition, at)

    return finish_others


def test_what_was_cancelled_never_becomes_final(links: None) -> None:
    competition = open_competition()
    Competition.objects.update(cancelled_at=END)

    assert finish_due(END + MINUTE) == 0
    assert reloaded(competition).final_at is None


def _away(*_: object, **__: object) -> None:
    raise redis.RedisAway("Redis is away.")
