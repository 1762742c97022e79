"""Profiles and link codes."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from foundation import clock
from leaderboards.errors import BadLinkCode
from leaderboards.models import Player
from leaderboards.services.link import redeem
from tests.leaderboards.api.conftest import Caller, problem

PROFILE = {"name": "Alice 🎉", "avatar_url": "https://example.com/a.png?x=1", "country": "KR"}


def test_a_profile_is_set_and_answered(game: Caller) -> None:
    response = game.send("PUT", "/players/alice", PROFILE)

    assert response.status_code == 200, response.content
    assert response.json() == {"player": "alice", **PROFILE}
    assert Player.objects.get(external_id="alice").name == "Alice 🎉"


def test_what_is_not_sent_stays_and_empty_texts_clear(game: Caller) -> None:
    game.send("PUT", "/players/alice", PROFILE)

    game.send("PUT", "/players/alice", {"name": "Al"})
    answer = game.send("PUT", "/players/alice", {"country": ""}).json()

    assert answer == {"player": "alice", **PROFILE, "name": "Al", "country": ""}


def test_an_empty_profile_makes_the_player(game: Caller) -> None:
    assert game.send("PUT", "/players/%EB%AF%BC", {}).json()["player"] == "민"


@pytest.mark.parametrize(
    ("field", "text"),
    [
        *(("name", text) for text in ("x" * 101, "a\0b", "a\nb", "\ud800", 7, None, ["a"], True)),
        *(("avatar_url", text) for text in ("javascript:alert(1)", "//a.png", "a.png", "https://", "data:,x", None)),
        *(("avatar_url", text) for text in ("https://a b/", "https://a/\n", "https://[", "https://e.com/" + "x" * 200)),
        *(("country", text) for text in ("kr", "KOR", "K", "대한", 82, None, "K\0")),
        ("user", "admin"),
        ("banned_at", None),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_changed(game: Caller, field: str, text: Any) -> None:
    response = game.send("PUT", "/players/alice", {"name": "Alice"} | {field: text})

    told = problem(response, 422, "invalid_request")
    assert field in told["errors"][0]["detail"]
    assert not Player.objects.exists()


@pytest.mark.parametrize(("body", "status"), [(b"", 400), (b"{", 400), (b"[]", 422), (b"null", 422), (b'"a"', 422)])
def test_a_body_that_is_no_object_is_refused(game: Caller, body: bytes, status: int) -> None:
    assert game.send("PUT", "/players/alice", body).status_code == status


@pytest.mark.parametrize("player", ["x" * 65, "%00", "a,b", "%20a"])
def test_an_id_that_none_can_have_is_refused(game: Caller, player: str) -> None:
    problem(game.send("PUT", f"/players/{player}", {}), 422, "bad_player")
    problem(game.send("POST", f"/players/{player}/link-code"), 422, "bad_player")


def test_both_take_the_scope(make_key: Callable[..., str], anybody: Caller) -> None:
    other = Caller(make_key("scores:write", "boards:read"))

    for method, path in (("PUT", "/players/alice"), ("POST", "/players/alice/link-code")):
        problem(anybody.send(method, path, {}), 401, "unauthenticated")
        assert "players:write" in problem(other.send(method, path, {}), 403, "forbidden")["detail"]


def test_a_link_code_links_a_user_once_within_ten_minutes(game: Caller) -> None:
    answer = game.send("POST", "/players/alice/link-code").json()
    user = get_user_model().objects.create_user("u")

    player = redeem(answer["code"], user, clock.now())

    assert player.external_id == "alice"
    left = datetime.fromisoformat(answer["expires_at"]) - clock.now()
    assert timedelta(minutes=9) < left <= timedelta(minutes=10)
    with pytest.raises(BadLinkCode):
        redeem(answer["code"], user, clock.now())


def test_nobody_keeps_a_link_code(game: Caller) -> None:
    response = game.send("POST", "/players/alice/link-code")

    assert response["Cache-Control"] == "no-store"
    assert "ETag" not in response
