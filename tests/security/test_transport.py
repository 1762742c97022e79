"""Keys in the clear, strangers with made-up keys, and sites that want to know who is signed in here."""

import secrets
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation.security import service_keys
from tests.foundation.factories import KeyFactory
from tests.leaderboards.api.conftest import Caller, Make, problem
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def https(settings: LazySettings) -> None:
    settings.SECURE_SSL_REDIRECT = True


@pytest.mark.usefixtures("https")
def test_the_api_over_plain_http_is_refused_and_pages_are_redirected(game: Caller, make_board: Make) -> None:
    board = make_board(storage="sql")
    body = {"entries": [{"board": board, "player": "alice", "points": 5}]}
    client = Client()

    sent = game.send("POST", "/scores", body)
    read = client.get(f"/api/v1/boards/{board}/standings")
    over_tls = client.get(f"/api/v1/boards/{board}/standings", secure=True)

    assert "make another" in problem(sent, 403, "https_required")["detail"]
    assert "make another" not in problem(read, 403, "https_required")["detail"]
    assert sent["X-Content-Type-Options"] == "nosniff"
    assert over_tls.json()["total"] == 0
    assert client.get("/")["Location"].startswith("https://")
    assert client.get("/healthz").status_code == 200


def test_made_up_keys_cost_no_question_to_sql() -> None:
    key = KeyFactory.create()
    service_keys.authenticate(f"Bearer {key}")
    prefix = key.split("_")[1]
    wrong = ["sunwi_ab_cd", f"sunwi_{prefix.upper()}x_{'0' * 40}", f"sunwi_{prefix}_short", "sunwi_" + "0" * 90_000]
    random = [f"sunwi_{secrets.token_hex(4)}_{secrets.token_hex(20)}" for _ in range(50)]
    caller = Caller(random[0])
    caller.get("/boards")

    with CaptureQueriesContext(connection) as asked:
        answers = [_status(each) for each in (*wrong, *random)]

    keys = [each for each in asked.captured_queries if "foundation_servicekey" in each["sql"]]
    assert set(answers) == {401}
    assert len(keys) <= len(answers) // 10  # a fresh list of prefixes once in a quarter of a second


def _status(key: str) -> int:
    answer: Any = Caller(key).get("/boards")
    return int(answer.status_code)


def test_a_key_that_was_just_made_works_at_once_after_a_wrong_one() -> None:
    assert _status(f"sunwi_{'0' * 8}_{'0' * 40}") == 401

    assert _status(KeyFactory.create()) == 200


def test_the_login_does_not_tell_other_sites_who_is_signed_in() -> None:
    client = Client()
    client.force_login(UserFactory.create())

    answers = [each.get("/accounts/login/?next=/static/img/any.png") for each in (client, Client())]

    assert [answer.status_code for answer in answers] == [200, 200]
