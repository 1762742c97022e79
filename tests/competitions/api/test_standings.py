"""GET /competitions/{id}/standings, /players/{player}, …/around, …/history and the files."""

import csv
import io
import json

import pytest
from django.db import OperationalError
from django.test import override_settings

from competitions.models import Competition
from competitions.selectors.standings import cached_competition as steady
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import reveal
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.revisions import publish_due_revisions
from foundation import clock
from foundation.db import resilience as sql
from foundation.http.encoding import when
from tests.competitions.factories import DAY, HOUR, START, CompetitionFactory
from tests.competitions.site import SOON, STORAGES, joined, make_board, open_competition, player, raced, reloaded, score
from tests.leaderboards.api.conftest import Caller, players, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def cup() -> Competition:
    """Alice leads bob; erin has not started."""
    competition = CompetitionFactory.create()
    raced(competition, {"alice": 30, "bob": 20})
    joined(competition, "erin")
    return competition


def path(competition: Competition, rest: str) -> str:
    return f"/competitions/{competition.pk}/{rest}"


@pytest.mark.parametrize("storage", STORAGES)
def test_standings_and_their_file_are_those_of_the_competition_alone(anybody: Caller, storage: str) -> None:
    board = make_board(storage)
    competition, other = open_competition(board), open_competition(board)
    raced(competition, {"alice": 30, "bob": 20, "carol": 10})
    raced(other, {"dave": 99})
    joined(competition, "erin")

    answer = anybody.get(path(competition, "standings?limit=2")).json()
    file = anybody.get(path(competition, "standings.csv"))

    assert players(answer) == [(1, "alice"), (2, "bob")]
    assert (answer["competition"], answer["board"]) == (competition.pk, board.seq)
    assert (answer["total"], answer["not_started"], answer["live"]) == (3, 1, True)
    assert (answer["period"]["label"], answer["period"]["state"]) == (f"c{competition.pk}", "open")
    header, *lines = csv.reader(io.StringIO(b"".join(file).decode(), newline=""))
    assert header == ["rank", "player", "name", "points", "achieved_at", "tied"]
    assert [(line[1], line[3]) for line in lines] == [("alice", "30"), ("bob", "20"), ("carol", "10")]
    assert file["Live"] == "true"
    assert f'"competition-{competition.pk}.csv"' in file["Content-Disposition"]


def test_a_participant_has_a_row_neighbours_and_a_history_and_who_has_not_scored_has_no_rank(
    anybody: Caller, cup: Competition
) -> None:
    nothing = anybody.get(path(cup, "players/bob/history")).json()
    take_snapshot(cup, SOON, SOON)
    score(cup, {"bob": 40})
    take_snapshot(cup, SOON + HOUR, SOON + HOUR)

    alice, erin = (anybody.get(path(cup, f"players/{name}")).json() for name in ("alice", "erin"))
    history = anybody.get(path(cup, "players/bob/history")).json()

    assert (alice["rank"], alice["points"], alice["status"], alice["total"]) == (2, 30, "ranked", 2)
    assert (alice["competition"], alice["percentile"]) == (cup.pk, 0)
    assert [erin[each] for each in ("status", "rank", "points", "player")] == ["not_started", None, None, "erin"]
    assert players(anybody.get(path(cup, "players/alice/around?radius=1")).json()) == [(1, "bob"), (2, "alice")]
    problem(anybody.get(path(cup, "players/erin/around")), 404, "not_ranked")
    assert (nothing, history["total"]) == ({"total": 0, "rows": []}, 2)
    assert [(row["rank"], row["points"]) for row in history["rows"]] == [(2, 20), (1, 40)]


def test_who_does_not_take_part_is_not_found(anybody: Caller, cup: Competition) -> None:
    player("stranger")

    for name in ("stranger", "nobody"):
        for part in ("", "/history"):
            problem(anybody.get(path(cup, f"players/{name}{part}")), 404, "not_joined")
    for name in ("%20a", "a%2Cb", "%00", "a" * 65):
        problem(anybody.get(path(cup, f"players/{name}")), 422, "bad_player")
    problem(anybody.get(path(cup, "result.json")), 404, "not_final")


@pytest.mark.parametrize("storage", STORAGES)
def test_a_final_has_every_row_and_a_hash_and_leaves_out_who_is_disqualified_afterwards(
    anybody: Caller, storage: str
) -> None:
    competition = open_competition(make_board(storage), starts_at=START - DAY, ends_at=START + HOUR)
    raced(competition, {f"p{nth}": nth for nth in range(1, 4)}, SOON - DAY)
    assert finish(competition, clock.now())

    response = anybody.get(path(competition, "result.json"))
    told = json.loads(b"".join(response))

    assert (told["total"], len(told["content_hash"])) == (3, 64)
    assert players(told) == [(1, "p3"), (2, "p2"), (3, "p1")]
    assert anybody.get(path(competition, "result.json"), If_None_Match=response["ETag"]).status_code == 304
    with override_settings(EXPORTS_AT_ONCE=0):
        problem(anybody.get(path(competition, "result.json")), 503, "exports_busy")

    disqualify(reloaded(competition), player("p3"), "Two accounts.", clock.now(), None)
    rows = anybody.get(path(competition, "standings")).json()["rows"]
    assert [(row["rank"], row["player"]) for row in rows] == [(1, "p2"), (2, "p1")]
    problem(anybody.get(path(competition, "players/p3")), 404, "not_joined")
    publish_due_revisions(clock.now())
    changed = anybody.get(path(competition, "result.json"), If_None_Match=response["ETag"])
    without = json.loads(b"".join(changed))
    assert (changed.status_code, without["total"], players(without)) == (200, 2, [(1, "p2"), (2, "p1")])
    assert without["content_hash"] != told["content_hash"]
    assert "p3" not in b"".join(anybody.get(path(competition, "standings.csv"))).decode()

    reinstate(reloaded(competition), player("p3"), "One account.", clock.now(), None)
    publish_due_revisions(clock.now())
    assert json.loads(b"".join(anybody.get(path(competition, "result.json"))))["rows"] == told["rows"]


@pytest.mark.django_db(transaction=True)
def test_live_standings_are_read_while_sql_cannot_say_who_waits(
    anybody: Caller, cup: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(steady, "not_started", away)
    answer = anybody.get(path(cup, "standings")).json()
    sql._Breaker.silent_until = 0.0

    assert players(answer) == [(1, "alice"), (2, "bob")]
    assert answer["not_started"] is None


@pytest.mark.parametrize("frozen", [False, True])
def test_a_provisional_one_has_standings_that_may_change_and_no_result_and_a_hidden_one_tells_nothing(
    anybody: Caller, frozen: bool
) -> None:
    freeze = 60 if frozen else None
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR, review_hours=48, freeze_minutes=freeze)
    raced(competition, {"p1": 1, "p2": 2}, SOON - DAY)
    finish(competition, at := clock.now())

    shown = anybody.get(f"/competitions/{competition.pk}").json()
    page = anybody.get(path(competition, "standings")).json()
    listed = anybody.get("/competitions?state=provisional").json()["total"]

    told = (shown["state"], shown["closed_at"], shown["review_until"], shown["final_at"], listed)
    provisional = ("provisional", when(at), when(at + 2 * DAY), None, 1)
    assert told == (("frozen", None, None, None, 0) if frozen else provisional)
    assert page["period"]["state"] == "closing"
    problem(anybody.get(path(competition, "result.json")), 404, "not_final")

    confirm(competition, clock.now(), None)
    if frozen:
        reveal(competition, clock.now(), None)
    final = anybody.get(f"/competitions/{competition.pk}").json()
    assert (final["state"], final["closed_at"], final["review_until"]) == ("final", when(at), None)
    assert anybody.get(path(competition, "standings")).json()["period"]["state"] == "final"
    assert json.loads(b"".join(anybody.get(path(competition, "result.json"))))["total"] == 2
