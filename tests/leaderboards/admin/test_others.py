"""Periods, players, standings, submissions and service keys in the admin."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock, service_keys
from foundation.errors import Unauthenticated
from foundation.limits import Limit
from foundation.models import ServiceKey
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, Player, Standing, Submission
from leaderboards.services.submit import submit
from tests.leaderboards.admin.typed import make_board, page

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = "/admin/foundation/servicekey/"
PLAYERS = "/admin/leaderboards/player/"


def score(board: Board, *players: str) -> list[str]:
    rows = [{"board": board.seq, "player": name, "points": 5, "id": f"match:{name}"} for name in players]
    outcomes = submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), clock.now())
    return [outcome.code or str(outcome.status) for outcome in outcomes]


def test_a_period_shows_its_players_its_layout_and_where_its_settling_stands(admin: Client) -> None:
    board = make_board(storage="hybrid")
    score(board, "alice", "bob")
    period = Standing.objects.all()[0].period

    assert '<td class="field-player_count">2</td>' in page(admin, "/admin/leaderboards/period/")
    assert ">settled<" in page(admin, "/admin/leaderboards/period/")
    html = page(admin, f"/admin/leaderboards/period/{period.pk}/change/")
    assert "31 bits of points" in html

    Standing.objects.filter(player__external_id="bob").update(unput=True)
    Period.objects.filter(pk=period.pk).update(stale_since=clock.now())
    assert "1 standings are missing in Redis" in page(admin, "/admin/leaderboards/period/")
    Period.objects.filter(pk=period.pk).update(whole=True, rebuilt=1)
    assert "rebuilding: 1 of 2" in page(admin, f"/admin/leaderboards/period/{period.pk}/change/")


@pytest.mark.parametrize("model", [Period, Standing, Submission])
def test_what_services_write_can_only_be_looked_at(
    admin: Client, model: type[Period] | type[Standing] | type[Submission]
) -> None:
    score(make_board(), "alice")
    address = f"/admin/leaderboards/{model._meta.model_name}/"
    pk = model._default_manager.all()[0].pk

    assert admin.get(f"{address}add/").status_code == 403
    assert admin.post(f"{address}{pk}/change/", {}).status_code == 403
    assert admin.post(f"{address}{pk}/delete/", {"post": "yes"}).status_code == 403
    assert 'name="_save"' not in page(admin, f"{address}{pk}/change/")


@pytest.mark.parametrize("model", ["standing", "submission"])
def test_scores_are_found_by_the_players_whole_id(admin: Client, model: str) -> None:
    score(make_board(), "Harry Kane", "Harry", "Kane")

    html = page(admin, f"/admin/leaderboards/{model}/?q=Harry+Kane")

    assert f" 1 {model} <" in " ".join(html.split())
    assert ">Harry Kane<" in html


def test_a_submission_is_found_by_its_own_id(admin: Client) -> None:
    service_keys.make("game", ["scores:write"])
    score(make_board(), "alice", "bob")

    html = page(admin, "/admin/leaderboards/submission/?q=match:bob")

    assert "match:bob" in html
    assert "match:alice" not in html


@pytest.mark.skipif(connection.vendor != "postgresql", reason="how SQLite plans a query is its own affair")
def test_the_search_for_an_id_is_answered_by_the_index_that_keeps_ids_unique(admin: Client) -> None:
    service_keys.make("game", ["scores:write"])
    score(make_board(), *(f"p{number}" for number in range(200)))
    _ten_thousand_more()

    with CaptureQueriesContext(connection) as asked:
        page(admin, "/admin/leaderboards/submission/?q=match:p7")

    [listing] = [each["sql"] for each in asked if "match:p7" in each["sql"] and '."at"' in each["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {listing}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "submission_id_unique" in plan
    assert "external_id)::text = 'match:p7'" in plan.partition("Index Cond:")[2]


def _ten_thousand_more() -> None:
    """As many as nobody reads one by one; the planner is told of every table, so that it guesses nothing."""
    made = list(Submission.objects.values())
    Submission.objects.bulk_create(
        Submission(**{**row, "id": None, "external_id": f"{row['external_id']}:{nth}"})
        for nth in range(50)
        for row in made
    )
    with connection.cursor() as cursor:
        for table in ("board", "period", "player", "submission"):
            cursor.execute(f"ANALYZE leaderboards_{table}")


def test_rows_that_carry_fields_show_them_by_name(admin: Client) -> None:
    board = make_board(criteria=[{"name": "stage", "max": 99, "order": "desc"}])
    entry = read_entry({"board": board.seq, "player": "alice", "fields": {"stage": 12}}, 0)
    submit([entry], Caller("game"), clock.now())

    assert "stage 12" in page(admin, "/admin/leaderboards/standing/")
    assert "stage 12" in page(admin, "/admin/leaderboards/submission/")
    pk = Standing.objects.get().pk
    assert "stage 12" in page(admin, f"/admin/leaderboards/standing/{pk}/change/")


def test_players_are_found_by_the_beginning_of_an_id_or_a_name(admin: Client) -> None:
    for external_id, name in (("u-1", "Alice"), ("u-2", "Bob"), ("x-3", "Malice")):
        Player.objects.create(external_id=external_id, name=name)

    by_name, by_id = page(admin, f"{PLAYERS}?q=ali"), page(admin, f"{PLAYERS}?q=u-")

    assert ("Alice" in by_name, "Bob" in by_name, "Malice" in by_name) == (True, False, False)
    assert ("Alice" in by_id, "Bob" in by_id, "Malice" in by_id) == (True, True, False)


def test_a_banned_player_scores_nothing_until_he_is_let_in_again(admin: Client) -> None:
    board = make_board()
    score(board, "alice")
    alice = Player.objects.get()

    admin.post(PLAYERS, {"action": "ban", "_selected_action": [alice.pk]})
    assert submit_again(board) == "banned"

    admin.post(PLAYERS, {"action": "unban", "_selected_action": [alice.pk]})
    assert submit_again(board) == "unchanged"
    assert LogEntry.objects.count() == 2


def submit_again(board: Board) -> str:
    entry = read_entry({"board": board.seq, "player": "alice", "points": 1}, 0)
    outcome = submit([entry], Caller("game"), clock.now())[0]
    return outcome.code or str(outcome.status)


def test_a_player_keeps_his_id_whatever_a_browser_sends(admin: Client) -> None:
    alice = Player.objects.create(external_id="alice")

    admin.post(f"{PLAYERS}{alice.pk}/change/", {"external_id": "bob", "name": "Alice", "country": "KR"})

    stored = Player.objects.get()
    assert (stored.external_id, stored.name, stored.country) == ("alice", "Alice", "KR")


def test_lists_of_large_tables_count_no_further_than_they_page(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboards.admin.paging.COUNTED_AT_MOST", 3)
    Player.objects.bulk_create(Player(external_id=f"p{number}") for number in range(5))

    html = page(admin, PLAYERS)

    assert "3 players" in html


def make_key(admin: Client, **changed: object) -> str:
    board = make_board()
    typed = {"name": "game", "scopes": ["scores:write"], "boards": [str(board.seq)]} | changed
    return admin.post(f"{KEYS}add/", typed).content.decode()


def test_a_made_key_is_shown_once_and_opens_what_was_ticked(admin: Client) -> None:
    html = make_key(admin)

    found = re.search(r"<code>(sunwi_\w+)</code>", html)
    assert found
    key = service_keys.authenticate(f"Bearer {found[1]}")
    assert (key.name, key.scopes, key.boards) == ("game", ["scores:write"], [Board.objects.get().seq])
    secret = found[1].rpartition("_")[2]
    for address in (KEYS, f"{KEYS}{key.pk}/change/", f"{KEYS}{key.pk}/history/", "/admin/"):
        assert secret not in page(admin, address)
    assert ServiceKey.objects.count() == 1


def test_the_page_that_shows_a_key_is_not_cached(admin: Client) -> None:
    answer = admin.post(f"{KEYS}add/", {"name": "game", "scopes": ["boards:read"]})

    assert "no-store" in answer["Cache-Control"]
    assert ServiceKey.objects.get().boards is None


def test_a_key_needs_a_scope_a_board_that_exists_and_a_future(admin: Client) -> None:
    past = clock.now() - timedelta(days=1)
    refused: list[dict[str, object]] = [
        {"scopes": []},
        {"boards": ["999"]},
        {"expires_at_0": f"{past:%Y-%m-%d}", "expires_at_1": f"{past:%H:%M:%S}"},
    ]

    for changed in refused:
        assert "errorlist" in make_key(admin, **changed)
    assert not ServiceKey.objects.exists()


def test_a_key_may_expire(admin: Client) -> None:
    make_key(admin, expires_at_0="2099-01-02", expires_at_1="03:04:05")

    assert ServiceKey.objects.get().expires_at == datetime(2099, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_key_may_have_a_limit_of_its_own(admin: Client) -> None:
    make_key(admin, limit="100/10")

    assert ServiceKey.objects.get().limit == Limit(100, 10)
    assert '<td class="field-how_much">100/10</td>' in page(admin, KEYS)


def test_a_limit_that_is_none_is_refused(admin: Client) -> None:
    assert "100 requests in 10 seconds" in make_key(admin, limit="a lot")
    assert not ServiceKey.objects.exists()


def test_a_made_key_is_not_edited(admin: Client) -> None:
    make_key(admin)
    key = ServiceKey.objects.get()

    admin.post(f"{KEYS}{key.pk}/change/", {"name": "other", "scopes": ["boards:read"], "secret_hash": "x"})

    stored = ServiceKey.objects.get()
    assert (stored.name, stored.scopes, stored.secret_hash) == (key.name, key.scopes, key.secret_hash)


def test_a_revoked_key_is_refused_at_once_and_that_is_asked_once_more(admin: Client) -> None:
    found = re.search(r"<code>(sunwi_\w+)</code>", make_key(admin))
    assert found
    service_keys.authenticate(f"Bearer {found[1]}")
    wanted = {"action": "revoke", "_selected_action": [ServiceKey.objects.get().pk]}

    assert "can not be undone" in admin.post(KEYS, wanted).content.decode()
    service_keys.authenticate(f"Bearer {found[1]}")

    admin.post(KEYS, wanted | {"confirmed": "1"})
    with pytest.raises(Unauthenticated):
        service_keys.authenticate(f"Bearer {found[1]}")
