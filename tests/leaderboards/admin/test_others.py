"""Periods, players, standings, submissions and service keys in the admin."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.errors import Unauthenticated
from foundation.models import ServiceKey
from foundation.security import service_keys
from foundation.throttling.limits import Limit
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, Player, Standing, Submission
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.factories import PlayerFactory

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = "/admin/foundation/servicekey/"
PLAYERS = "/admin/leaderboards/player/"


def score(board: Board, *players: str, match: str = "match", **result: object) -> list[str]:
    worth = result or {"points": 5}
    rows = [{"board": board.seq, "player": name, "id": f"{match}:{name}", **worth} for name in players]
    outcomes = submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), clock.now())
    return [outcome.code or str(outcome.status) for outcome in outcomes]


def test_a_period_shows_its_players_its_layout_and_where_its_settling_stands(admin: Client) -> None:
    board = make_board(storage="hybrid")
    score(board, "alice", "bob")
    period = Standing.objects.all()[0].period

    assert 'class="field-player_count">2</td>' in page(admin, "/admin/leaderboards/period/")
    assert ">up to date<" in page(admin, "/admin/leaderboards/period/")
    html = page(admin, f"/admin/leaderboards/period/{period.pk}/change/")
    assert "31 bits of points" in html

    Period.objects.filter(pk=period.pk).update(stale_since=clock.now())
    assert ">waits to be brought up to date<" in page(admin, "/admin/leaderboards/period/")
    Standing.objects.filter(player__external_id="bob").update(pending_publish=True)
    assert "1 standings are missing in Redis" in page(admin, "/admin/leaderboards/period/")
    Period.objects.filter(pk=period.pk).update(needs_full_rebuild=True, rebuild_progress=1)
    korean = admin.get("/admin/leaderboards/period/", headers={"accept-language": "ko"}).content.decode()
    assert "Redis 상태" in korean
    assert "generation" not in korean.lower()
    assert "rebuilding: 1 of 2" in page(admin, "/admin/leaderboards/period/")
    assert "is being rebuilt since" in page(admin, f"/admin/leaderboards/period/{period.pk}/change/")


def test_a_rows_name_is_the_headline_of_its_form_and_no_step_of_the_way_there_says_the_same_twice(
    admin: Client,
) -> None:
    board = make_board(name="Weekly <wins>")
    address = f"/admin/leaderboards/board/{board.pk}/change/"

    html = page(admin, address)
    korean = admin.get(address, headers={"accept-language": "ko"}).content.decode()
    listed, added = (page(admin, f"/admin/leaderboards/board/{each}") for each in ("", "add/"))

    assert "<h1>Weekly &lt;wins&gt;" in html
    assert '<p class="page-kind">Change board</p>' in html
    assert "<h1>Add board</h1>" in added
    for each, steps in ((korean, 2), (listed, 1), (html, 2), (added, 2)):
        way = each.partition('class="breadcrumbs"')[2].partition("</div>")[0]
        assert way.count("›") + way.count("&rsaquo;") == steps
    assert korean.partition('class="breadcrumbs"')[2].partition("</div>")[0].count("순위표") == 1


def test_what_services_write_can_only_be_looked_at(admin: Client) -> None:
    score(make_board(), "alice")
    models: tuple[type[Model], ...] = (Period, Standing, Submission)
    for model in models:
        address = f"/admin/leaderboards/{model._meta.model_name}/"
        pk = model._default_manager.all()[0].pk

        assert admin.get(f"{address}add/").status_code == 403
        assert admin.post(f"{address}{pk}/change/", {}).status_code == 403
        assert admin.post(f"{address}{pk}/delete/", {"post": "yes"}).status_code == 403
        assert 'name="_save"' not in page(admin, f"{address}{pk}/change/")


def test_scores_are_found_by_the_players_whole_id_or_their_own_and_show_fields_by_name(admin: Client) -> None:
    service_keys.make("game", ["scores:write"])
    board = make_board(criteria=[{"name": "stage", "max": 99, "order": "desc"}])
    score(board, *("Harry Kane", "Harry", "Kane"), fields={"stage": 12})

    with CaptureQueriesContext(connection) as asked:
        for model, wanted, shown in (
            ("standing", "Harry+Kane", ">Harry Kane<"),
            ("submission", "Harry+Kane", ">Harry Kane<"),
            ("submission", "match:Harry", "match:Harry"),
        ):
            html = page(admin, f"/admin/leaderboards/{model}/?q={wanted}")
            assert f" 1 {model} <" in " ".join(html.split())
            assert shown in html
            assert "stage 12" in html

    # all columns of the index that keeps ids unique: with one less, the whole table would be read
    [listing] = [each["sql"] for each in asked if "match:Harry" in each["sql"] and '."at"' in each["sql"]]
    for column in ("service", "board_id", "competition"):
        assert f'"leaderboards_submission"."{column}" IN (' in listing
    assert """"leaderboards_submission"."external_id" = 'match:Harry'""" in listing
    assert "stage 12" in page(admin, f"/admin/leaderboards/standing/{Standing.objects.all()[0].pk}/change/")


def test_players_are_found_by_the_beginning_of_an_id_or_a_name(admin: Client) -> None:
    for external_id, name in (("u-1", "Alice"), ("u-2", "Bob"), ("x-3", "Malice")):
        PlayerFactory.create(external_id=external_id, name=name)

    for asked, found in (("ali", ["Alice"]), ("u-", ["Alice", "Bob"])):
        html = page(admin, f"{PLAYERS}?q={asked}")
        assert [name for name in ("Alice", "Bob", "Malice") if name in html] == found


@pytest.mark.parametrize(("name", "why"), [("Al\u202eice", "turns the direction"), ("Al\x07ice", "cannot be shown")])
def test_a_name_that_the_api_refuses_is_refused_here_too_and_others_are_kept(
    admin: Client, name: str, why: str
) -> None:
    alice = PlayerFactory.create(external_id="u-1", name="Alice")
    typed = {"avatar_url": "", "country": "", "user": ""}

    refused = admin.post(f"{PLAYERS}{alice.pk}/change/", typed | {"name": name}).content.decode()
    unchanged = Player.objects.get().name
    admin.post(f"{PLAYERS}{alice.pk}/change/", typed | {"name": "שלום 민준 🎉"})

    assert why in refused
    assert (unchanged, Player.objects.get().name) == ("Alice", "שלום 민준 🎉")


def test_a_banned_player_scores_nothing_until_they_are_let_in_again_and_keeps_their_id(admin: Client) -> None:
    board = make_board()
    score(board, "alice")
    alice = Player.objects.get()

    act(admin, PLAYERS, "ban", alice, confirmed="1", reason="A bot.")
    assert score(board, "alice", match="second") == ["banned"]

    act(admin, PLAYERS, "unban", alice, confirmed="1", reason="No bot.")
    assert score(board, "alice", match="third") == ["unchanged"]
    assert LogEntry.objects.count() == 2

    admin.post(f"{PLAYERS}{alice.pk}/change/", {"external_id": "bob", "name": "Alice", "country": "KR"})

    stored = Player.objects.get()
    assert (stored.external_id, stored.name, stored.country) == ("alice", "Alice", "KR")


def test_lists_of_large_tables_count_no_further_than_they_page(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboards.admin.base.paging.COUNTED_AT_MOST", 3)
    PlayerFactory.create_batch(5)

    assert "3 players" in page(admin, PLAYERS)


def make_key(admin: Client, **typed: object) -> Any:
    return admin.post(f"{KEYS}add/", {"name": "game", "scopes": ["scores:write"]} | typed)


def text_of_key(answer: Any) -> str:
    [found] = re.findall(r"<code[^>]*>(sunwi_\w+)</code>", answer.content.decode())
    return str(found)


def test_a_made_key_is_shown_once_opens_what_was_ticked_and_is_not_edited(admin: Client) -> None:
    typed = {"boards": [str(make_board().seq)], "expires_at_0": "2099-01-02", "expires_at_1": "03:04:05"}
    answer = make_key(admin, **typed, limit="100/10")

    key = service_keys.authenticate(f"Bearer {text_of_key(answer)}")
    assert (key.name, key.scopes, key.boards) == ("game", ["scores:write"], [Board.objects.get().seq])
    assert (key.expires_at, key.limit) == (datetime(2099, 1, 2, 3, 4, 5, tzinfo=UTC), Limit(100, 10))
    assert "100 requests in 10 s" in page(admin, f"{KEYS}{key.pk}/change/")
    assert "no-store" in answer["Cache-Control"]
    secret = text_of_key(answer).rpartition("_")[2]
    for address in (
        KEYS,
        f"{KEYS}{key.pk}/change/",
        f"/admin/foundation/auditentry/?subject=service_key:{key.pk}",
        "/admin/",
    ):
        assert secret not in page(admin, address)

    admin.post(f"{KEYS}{key.pk}/change/", {"name": "other", "scopes": ["boards:read"], "secret_hash": "x"})

    stored = ServiceKey.objects.get()
    assert (stored.name, stored.scopes, stored.secret_hash) == (key.name, key.scopes, key.secret_hash)


def test_a_key_needs_a_scope_a_board_that_exists_a_future_and_a_real_limit(admin: Client) -> None:
    past: dict[str, object] = {"expires_at_0": "2020-01-02", "expires_at_1": "03:04:05"}
    refused: list[dict[str, object]] = [{"scopes": []}, {"boards": ["999"]}, past, {"limit": "a lot"}]
    for typed in refused:
        assert "errorlist" in make_key(admin, **typed).content.decode(), typed
    assert not ServiceKey.objects.exists()


def test_a_key_that_demands_signatures_and_addresses_shows_its_secret_once(admin: Client) -> None:
    answer = make_key(admin, signed="on", addresses="192.0.2.0/24, 198.51.100.7\n2001:db8::/32")

    key = service_keys.authenticate(f"Bearer {text_of_key(answer)}")
    assert secrets_in(answer.content.decode()) == key.signing_secrets(clock.now())
    assert "no-store" in answer["Cache-Control"]
    assert key.addresses == ["192.0.2.0/24", "198.51.100.7/32", "2001:db8::/32"]
    shown = page(admin, f"{KEYS}{key.pk}/change/")
    assert "each request must be signed with its secret" in shown
    assert "192.0.2.0/24, 198.51.100.7/32, 2001:db8::/32" in shown
    assert secrets_in(page(admin, KEYS) + page(admin, f"{KEYS}{key.pk}/change/")) == []


def test_an_address_that_is_none_makes_no_key_and_what_was_typed_stays(admin: Client) -> None:
    html = make_key(admin, signed="on", addresses="192.0.2.0/24 192.0.2.7/24").content.decode()

    assert "192.0.2.7/24 is not where its block begins: write 192.0.2.0/24" in html
    assert "192.0.2.0/24 192.0.2.7/24</textarea>" in html
    assert not ServiceKey.objects.exists()


def test_a_signing_secret_is_rotated_after_a_question_for_one_signing_key_at_a_time(admin: Client) -> None:
    make_key(admin)
    make_key(admin, name="signing", signed="on")
    plain, signing = ServiceKey.objects.get(name="game"), ServiceKey.objects.get(name="signing")

    for chosen in ([plain], [plain, signing]):
        assert "Choose one key" in act(admin, KEYS, "rotate", *chosen, confirmed="1")
    assert "the one before it signs as well" in act(admin, KEYS, "rotate", signing)
    assert ServiceKey.objects.get(name="signing").signing_secret == signing.signing_secret
    shown = act(admin, KEYS, "rotate", signing, confirmed="1")

    rotated = ServiceKey.objects.get(name="signing")
    assert secrets_in(shown) == rotated.signing_secrets(clock.now())[:1] != signing.signing_secrets(clock.now())
    assert rotated.previous_signing_secret == signing.signing_secret
    assert "Authorization: Bearer" not in shown  # the key itself is stored nowhere
    assert [each.change_message for each in LogEntry.objects.filter(object_id=str(signing.pk))][:1] == ["Rotated."]

    act(admin, KEYS, "revoke", signing, confirmed="1")
    assert "Choose one key" in act(admin, KEYS, "rotate", signing, confirmed="1")


def secrets_in(html: str) -> list[str]:
    return re.findall(r"sunwisig_[0-9a-f]+", html)


def test_a_revoked_key_is_refused_at_once_and_that_is_asked_once_more(admin: Client) -> None:
    bearer = f"Bearer {text_of_key(make_key(admin))}"
    service_keys.authenticate(bearer)

    assert "can not be undone" in act(admin, KEYS, "revoke", ServiceKey.objects.get())
    assert service_keys.authenticate(bearer).boards is None

    act(admin, KEYS, "revoke", ServiceKey.objects.get(), confirmed="1")
    with pytest.raises(Unauthenticated):
        service_keys.authenticate(bearer)
