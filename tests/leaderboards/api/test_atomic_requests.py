"""A project with ``ATOMIC_REQUESTS``: what an answer says is committed, as without it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.core.handlers.base import BaseHandler
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.views.sign_in import SignIn
from foundation.db.resilience import _Breaker
from foundation.http.fast_path import api_view
from foundation.http.own_transactions import owns_transactions
from leaderboards.services.submit import grouped
from tests.leaderboards.api.conftest import Caller, Make, problem

# Addresses of the project, and of Django's admin as a whole: no service of Sunwi writes there.
OF_THE_PROJECT = {"api-docs", "openapi", "set_language", "None"}
OF_ADMIN = {
    "index", "login", "logout", "password_change", "password_change_done", "autocomplete", "jsi18n", "view_on_site",
    "app_list", "None",
}  # fmt: skip  # as a list


@pytest.fixture(autouse=True)
def atomic_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings[DEFAULT_DB_ALIAS], "ATOMIC_REQUESTS", True)


def views_of(patterns: Sequence[Any], prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from views_of(each.url_patterns, f"{prefix}{each.namespace}:" if each.namespace else prefix)
        else:
            yield f"{prefix}{each.name}", each


def test_no_transaction_is_put_around_any_view_of_ours() -> None:
    inside = {name for name, each in views_of(get_resolver().url_patterns) if not is_marked(each)}

    assert inside == OF_THE_PROJECT | {f"admin:{name}" for name in OF_ADMIN}


def test_the_sign_in_page_is_marked_wherever_a_project_puts_it() -> None:
    assert DEFAULT_DB_ALIAS in SignIn.as_view()._non_atomic_requests  # type: ignore[attr-defined]  # Django sets it on the function


@pytest.mark.parametrize("mark", [owns_transactions, api_view])
def test_a_view_of_ours_opens_no_other_database_of_the_project(
    mark: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        connections.settings, "archive", {**connections.settings[DEFAULT_DB_ALIAS], "HOST": "away.example"}
    )

    def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse()

    unmarked = BaseHandler().make_view_atomic(answer)
    marked = mark(answer)

    assert unmarked is not answer
    assert BaseHandler().make_view_atomic(marked) is marked


def is_marked(pattern: URLPattern) -> bool:
    return getattr(pattern.callback, "_non_atomic_requests", set()) >= set(connections)


@pytest.mark.django_db(transaction=True)
def test_a_score_is_committed_before_its_group_is_answered(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, committed = make_board(storage="hybrid"), list[int]()
    decide = grouped._group_commit._decide

    def decided(requests: Sequence[Any]) -> Sequence[Any]:
        answers = decide(requests)
        other = connection.copy()
        with other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM leaderboards_submission")
            committed.append(cursor.fetchone()[0])
        other.close()
        return answers

    monkeypatch.setattr(grouped._group_commit, "_decide", decided)
    answers = [game.submit({"board": board, "player": "ann", "points": each}, query="?ranks=true") for each in (5, 6)]

    assert committed == [1, 2]
    assert [each["results"][0].get("rank") for each in answers] == [1, 1]
    assert answers[1]["results"][0]["previous_rank"] == 1


@pytest.mark.django_db(transaction=True)
def test_with_sql_away_the_answer_is_still_of_the_api(
    make_board: Make, game: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(storage="sql")
    game.score(board, ann=5)

    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    connection.close()
    monkeypatch.setattr(_Breaker, "silent_until", 0.0)  # and it is closed again after this test
    monkeypatch.setattr(type(connections[DEFAULT_DB_ALIAS]), "get_new_connection", away)
    problem(game.get(f"/boards/{board}/standings"), 503, "unavailable")
    problem(
        game.send("POST", "/scores", {"entries": [{"board": board, "player": "ann", "points": 6}]}), 503, "unavailable"
    )
