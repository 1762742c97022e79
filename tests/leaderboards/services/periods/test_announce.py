"""The webhook of a period that is final: once for each, of its public ranking, and never in the way of closing."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from unittest.mock import patch

import orjson
import pytest
from pytest_django.fixtures import Settings

from foundation import clock
from foundation.http.encoding import when
from foundation.webhooks.dispatch import deliver_due
from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.outbox import event_id
from leaderboards.models import FinalStanding, Period, PeriodState
from leaderboards.services.periods import announce
from leaderboards.services.periods import close as closing
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.profiles import set_profile
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.foundation.factories import WebhookEndpointFactory
from tests.foundation.webhooks.receiver import Receiver
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.services.site import DAY, NOON, crowd, final, make_board, score
from tests.playing import score as play

TOMORROW = NOON + DAY
STORAGES = ("hybrid", "redis", "sql")


def told() -> list[dict[str, Any]]:
    rows = WebhookDelivery.objects.filter(kind="period.final").order_by("pk")
    return [orjson.loads(body)["data"] for body in rows.values_list("body", flat=True)]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_period_that_becomes_final_is_told_once_with_its_best_rows(storage: str) -> None:
    WebhookEndpointFactory.create(kinds=["period.final"])
    board = make_board(storage, decimals=1)
    period = crowd(board, {f"p{number:02}": 100 + number for number in range(12)})
    set_profile("p11", {"name": "Eleven"}, NOON)

    close_due(TOMORROW)
    close_due(TOMORROW)

    [message] = told()
    delivery = WebhookDelivery.objects.get()
    assert delivery.message_id == event_id(f"period-{period.pk}-final", TOMORROW)
    assert datetime.fromisoformat(orjson.loads(delivery.body)["timestamp"]) == TOMORROW
    rows = message.pop("rows")
    assert message == {
        "board": board.seq,
        "period": period.label,
        "competition": None,
        "starts_at": when(NOON - DAY / 2),
        "ends_at": when(NOON + DAY / 2),
        "total": 12,
    }
    assert rows[0] == {"rank": 1, "player": "p11", "points": "111"}
    assert [row["rank"] for row in rows] == list(range(1, 11))


def test_after_a_restore_the_message_of_another_period_with_the_number_has_another_id() -> None:
    WebhookEndpointFactory.create()
    period = crowd(make_board("sql"), 3)
    close_due(TOMORROW)
    ids = set(WebhookDelivery.objects.values_list("message_id", flat=True))

    WebhookDelivery.objects.all().delete()  # as the dump has it
    FinalStanding.objects.filter(period=period).delete()
    Period.objects.filter(pk=period.pk).update(state=PeriodState.OPEN, closed_at=None)
    close_due(TOMORROW + DAY / 24)

    ids |= set(WebhookDelivery.objects.values_list("message_id", flat=True))
    assert len(ids) == 2


def test_a_period_without_scores_is_told_too_and_nothing_is_without_an_endpoint() -> None:
    make_board("sql")
    close_due(TOMORROW)
    assert WebhookDelivery.objects.count() == 0

    WebhookEndpointFactory.create()
    make_board("sql", name="Another")
    close_due(TOMORROW)

    [message] = told()
    assert (message["total"], message["rows"]) == (0, [])


def test_equals_share_ranks_and_fields_are_told_by_name() -> None:
    WebhookEndpointFactory.create()
    raid = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "members", "max": 50, "order": "asc"}]
    board = make_board("sql", at=clock.now(), ties="shared", criteria=raid)
    best = {"stage": 7, "members": 3}
    play(board.seq, {"a": best, "b": best, "c": {"stage": 6, "members": 1}})
    close_due(TOMORROW)

    [rows] = [each["rows"] for each in told() if each["rows"]]
    assert [row["rank"] for row in rows] == [1, 1, 3]
    assert rows[2] == {"rank": 3, "player": "c", "fields": {"stage": 6, "members": 1}}


@pytest.mark.parametrize("kind", ["hidden", "shadowed", "banned"])
def test_who_is_not_shown_is_not_told(kind: str) -> None:
    WebhookEndpointFactory.create()
    board = make_board("sql")
    crowd(board, {"a": 9, "b": 8, "c": 7})
    keep_out(kind, board, "a", at=NOON)

    close_due(TOMORROW)

    [message] = told()
    assert (message["total"], [(row["rank"], row["player"]) for row in message["rows"]]) == (2, [(1, "b"), (2, "c")])


def test_whoever_dies_before_it_is_final_has_told_nobody_and_the_next_run_tells_once() -> None:
    WebhookEndpointFactory.create()
    period = crowd(make_board("hybrid"), 3)

    with dying_at(closing, "close.before_final"):
        close_due(TOMORROW)
    assert (told(), Period.objects.get(pk=period.pk).state) == ([], PeriodState.CLOSING)
    at_once([lambda: len(close_due(TOMORROW))] * 3)

    assert [each["total"] for each in told()] == [3]


def test_rows_too_long_for_a_message_are_left_out_and_the_period_closes() -> None:
    WebhookEndpointFactory.create()
    board = make_board("sql")
    period = crowd(board, {"가" * 60 + str(number): number for number in range(9)})

    with patch.object(announce, "MOST_BYTES_OF_ROWS", 1000):
        close_due(TOMORROW)

    [message] = told()
    assert (message["total"], len(final(period))) == (9, 9)
    assert [row["rank"] for row in message["rows"]] == [1, 2, 3, 4]


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    listening = Receiver()
    yield listening
    listening.leave()


def test_a_receiver_gets_it(receiver: Receiver) -> None:
    WebhookEndpointFactory.create(url=receiver.url)
    score(make_board("sql"), {"a": 5})
    close_due(TOMORROW)

    deliver_due(TOMORROW)

    [message] = receiver.received
    assert orjson.loads(message.body)["data"]["rows"] == [{"rank": 1, "player": "a", "points": "5"}]
