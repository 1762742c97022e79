"""Profiles and link codes."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from foundation import clock
from leaderboards.errors import BadLinkCode
from leaderboards.models import Player
from leaderboards.services.players.link import redeem
from tests.leaderboards.api.conftest import Caller, problem
from tests.leaderboards.factories import UserFactory
from tests.locked import locked, only_postgresql

PROFILE = {"name": "Alice 🎉", "avatar_url": "https://example.com/a.png?x=1", "country": "KR"}
WRONG: dict[str, tuple[Any, ...]] = {
    "name": ("x" * 101, "a\0b", "a\nb", "a\x85b", "a\u2028b", "a\u202eb", "\ud800", 7, None, ["a"], True),
    "avatar_url": (
        *("javascript:alert(1)", "//a.png", "a.png", "https://", "data:,x", None),
        *("https://a b/", "https://a/\n", "https://[", "https://e.com/" + "x" * 200),
    ),
    "country": ("kr", "KOR", "K", "대한", 82, None, "K\0"),
    "user": ("admin",),
    "banned_at": (None,),
}


def test_a_profile_is_set_and_what_is_not_sent_stays(game: Caller) -> None:
    response = game.send("PUT", "/players/alice", PROFILE)

    assert response.status_code == 200, response.content
    assert response.json() == {"player": "alice", **PROFILE}
    assert Player.objects.get(external_id="alice").name == "Alice 🎉"
    game.send("PUT", "/players/alice", {"name": "Al"})
    cleared = game.send("PUT", "/players/alice", {"country": ""}).json()
    assert cleared == {"player": "alice", **PROFILE, "name": "Al", "country": ""}
    assert game.send("PUT", "/players/%EB%AF%BC", {}).json()["player"] == "민"


def test_a_bad_field_is_named_and_nothing_is_changed(game: Caller) -> None:
    for field, value in ((field, value) for field, values in WRONG.items() for value in values):
        response = game.send("PUT", "/players/alice", {"name": "Alice"} | {field: value})
        assert field in problem(response, 422, "invalid_request")["errors"][0]["detail"], value
    for body, status in {b"": 400, b"{": 400, b"[]": 422, b"null": 422, b'"a"': 422}.items():
        assert game.send("PUT", "/players/alice", body).status_code == status, body
    for player in ("x" * 65, "%00", "a,b", "%20a"):
        problem(game.send("PUT", f"/players/{player}", {}), 422, "bad_player")
        problem(game.send("POST", f"/players/{player}/link-code"), 422, "bad_player")
    assert not Player.objects.exists()


@only_postgresql
@pytest.mark.usefixtures("transactional_db")
def test_what_somebody_else_has_locked_is_unavailable_for_now(game: Caller) -> None:
    game.send("PUT", "/players/alice", PROFILE)

    with locked(Player.objects.filter(external_id="alice")):
        refused = game.send("PUT", "/players/alice", {"name": "Al"})

    problem(refused, 503, "unavailable")
    assert refused["Retry-After"]
    assert game.send("PUT", "/players/alice", {"name": "Al"}).status_code == 200


def test_a_link_code_links_a_user_once_within_ten_minutes_and_nobody_keeps_it(game: Caller) -> None:
    user = UserFactory.create()

    response = game.send("POST", "/players/alice/link-code")

    answer = response.json()
    left = datetime.fromisoformat(answer["expires_at"]) - clock.now()
    assert timedelta(minutes=9) < left <= timedelta(minutes=10)
    assert response["Cache-Control"] == "no-store"
    assert "ETag" not in response
    assert redeem(answer["code"], user, clock.now()).external_id == "alice"
    with pytest.raises(BadLinkCode):
        redeem(answer["code"], user, clock.now())


@pytest.mark.parametrize(("beyond", "is_good"), [(-1, True), (0, False)])
def test_a_link_code_is_good_until_its_ten_minutes_are_over(game: Caller, beyond: int, is_good: bool) -> None:
    user = UserFactory.create()
    with clock.freeze_at(clock.now()):
        answer = game.send("POST", "/players/alice/link-code").json()
        made = clock.now()

    with clock.freeze_at(made + timedelta(minutes=10, microseconds=beyond)):
        refused = None
        try:
            redeem(answer["code"], user, clock.now())
        except BadLinkCode as error:
            refused = error

    assert (refused is None) is is_good
    assert Player.objects.filter(user=user).exists() is is_good
