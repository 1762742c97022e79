"""What holds at every address of competitions: methods, other sites, and SQL that is away."""

import pytest
from django.db import OperationalError

from competitions.api import standings
from foundation import sql
from tests.competitions.site import open_competition, raced
from tests.leaderboards.api.conftest import Caller, players, problem

READS = (
    *("/competitions", "/competitions/1", "/competitions/1/standings", "/competitions/1/standings.csv"),
    *("/competitions/1/result.json", "/competitions/1/rewards", "/competitions/1/players/a/around"),
    *("/competitions/1/players/a/history", "/competitions/1/players/a", "/competitions/1/comments"),
)


@pytest.mark.parametrize("path", READS)
def test_other_sites_may_read_and_other_methods_are_not_allowed(db: None, game: Caller, path: str) -> None:
    known = {"GET", "PUT", "DELETE"} if path.endswith("/players/a") else {"GET"}
    asked = {"Origin": "https://game.example", "Access_Control_Request_Method": "PUT"}

    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - known:
        response = game.send(method, path, {})
        problem(response, 405, "method_not_allowed")
        assert known <= set(response["Allow"].split(", "))
    of_others = game.send("OPTIONS", path, **asked)

    assert (of_others.status_code, of_others["Access-Control-Allow-Methods"]) == (204, "GET, HEAD")


def test_an_unknown_path_is_a_problem_document(db: None, anybody: Caller) -> None:
    for path in ("/competitions/", "/competitions/1/", "/competitions/1/players", "/competitions/1/x"):
        problem(anybody.get(path), 404, "no_such_path")


@pytest.mark.django_db(transaction=True)
def test_live_standings_are_read_while_sql_cannot_say_who_waits(
    links: None, anybody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = open_competition()
    raced(competition, {"alice": 30})

    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(standings, "not_started", away)
    answer = anybody.get(f"/competitions/{competition.pk}/standings").json()
    sql._Breaker.silent_until = 0.0

    assert players(answer) == [(1, "alice")]
    assert answer["not_started"] is None
