"""What a game server is told of an entry that broke a limit, and what a board without limits pays for them: nothing."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.outbox import event_id
from leaderboards.models import QuarantinedEntry
from leaderboards.services.submit import quarantine_redis
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.api.conftest import Caller, Make

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_status_and_the_limit_are_told_and_no_number_that_a_cheat_could_stay_below(
    make_board: Make, game: Caller
) -> None:
    board = make_board(plausible_most=4321)
    entry = {"board": board, "player": "ann", "points": 9876, "id": "m1"}

    told = game.submit({"board": board, "player": "bob", "points": 5}, entry, query="?ranks=true")
    again = game.submit(entry)

    [counted, held] = told["results"]
    assert (told["accepted"], told["rejected"], counted["status"]) == (1, 0, "updated")
    assert set(held) == {"status", "player", "board", "period", "code", "detail"}
    assert (held["status"], held["code"]) == ("quarantined", "plausible_most")
    assert again == {"accepted": 0, "rejected": 0, "results": [held]}
    assert "4321" not in str(again)
    assert game.get(f"/boards/{board}/standings").json()["total"] == 1


def test_a_board_tells_its_limits(make_board: Make, game: Caller) -> None:
    board = make_board(plausible_most=12.5, submissions_per_minute=3, decimals=1)

    one = game.get(f"/boards/{board}").json()

    assert (one["plausible_most"], one["submissions_per_minute"], one["own_jump"]) == (12.5, 3, None)
    assert one["settings"]["own_jump_against"] == "best"


def test_systems_of_the_site_are_told_once_for_a_request(make_board: Make, game: Caller) -> None:
    WebhookEndpointFactory.create()
    board = make_board(plausible_most=10)
    entries = [{"board": board, "player": f"p{n}", "points": 11, "id": f"m{n}"} for n in range(25)]

    game.submit(*entries)
    game.submit(*entries)

    delivery, first = WebhookDelivery.objects.get(kind="score.quarantined"), QuarantinedEntry.objects.earliest("pk")
    assert delivery.message_id == event_id(f"score-quarantined-{first.pk}", first.created_at)
    body = delivery.body
    assert '"count":25' in body
    assert body.count('"rule":"plausible_most"') == 20


@pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
def test_a_board_without_limits_asks_nothing_for_them(
    storage: str, make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(storage=storage)
    entry: dict[str, Any] = {"board": board, "player": "ann", "points": 5}
    game.submit({**entry, "id": "m0"})
    monkeypatch.setattr(quarantine_redis, "RecentLists", None)  # whoever asked Redis would fail

    with CaptureQueriesContext(connection) as asked:
        game.submit({**entry, "id": "m1"})

    assert not [each["sql"] for each in asked.captured_queries if 'FROM "leaderboards_quarantinedentry"' in each["sql"]]
    assert not QuarantinedEntry.objects.exists()


@pytest.mark.parametrize("storage", ["sql", "hybrid"])
def test_a_request_pays_for_its_limits_once_however_many_its_entries(
    storage: str, make_board: Make, game: Caller
) -> None:
    board = make_board(storage=storage, submissions_per_minute=100, field_jump=9, field_jump_players=1, own_jump=9)

    def asked(number: int) -> int:
        entries = [{"board": board, "player": f"p{n}", "points": 5, "id": f"{number}-{n}"} for n in range(number)]
        game.submit(*entries)  # whoever is new is made
        again = [{**entry, "id": f"again-{entry['id']}"} for entry in entries]
        with CaptureQueriesContext(connection) as queries:
            game.submit(*again)
        return len(queries)

    assert asked(2) == asked(40)
