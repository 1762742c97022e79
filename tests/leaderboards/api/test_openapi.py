"""The OpenAPI document against the API: whatever it allows to be sent, or forbids, the answers are as it says."""

import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from django.core.signals import request_finished, request_started
from django.db import OperationalError, close_old_connections
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from competitions.api import examples
from competitions.services.leagues.seasons import begin_due, place_due
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.snapshots import take_snapshot
from config.wsgi import application
from foundation import clock
from foundation.security import service_keys
from leaderboards import selectors
from leaderboards.api.openapi.code_samples import Call, code_samples
from leaderboards.models import Board
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeCount
from likes.registry import Likeable
from tests.competitions import site
from tests.competitions.factories import LeagueFactory, SeriesFactory, TeamFactory
from tests.foundation.factories import KeyFactory
from tests.leaderboards.api.conftest import Caller, Make
from tests.links import links

__all__ = ["links"]

pytestmark = pytest.mark.long

WHY = "`make long` installs schemathesis, `make test` does without"
schemathesis = pytest.importorskip("schemathesis", reason=WHY)
checks = pytest.importorskip("schemathesis.specs.openapi.checks", reason=WHY)
CHECKS = [
    pytest.importorskip("schemathesis.checks", reason=WHY).not_a_server_error,
    *(checks.status_code_conformance, checks.content_type_conformance),
    *(checks.response_headers_conformance, checks.response_schema_conformance),
]
OPERATIONS = {
    "submit_scores", "list_boards", "read_board", "read_standings", "export_standings", "read_named_players",
    "read_player_row", "delete_player", "read_around", "read_distribution", "put_player", "make_link_code",
    "list_competitions", "read_competition", "read_competition_standings", "export_competition", "read_result",
    "read_rewards", "read_participant", "read_around_participant", "read_history", "join_competition",
    "leave_competition", "read_likes", "list_likes", "put_like", "delete_like",
    "read_comments", "list_series", "read_series", "read_series_standings", "export_series", "read_revisions",
    "read_league", "read_league_of_player", "read_teams", "export_teams", "read_team", "make_team_of_competition",
    "change_team", "read_view", "read_competition_view", "list_periods", "read_percentile",
}  # fmt: skip  # as a table
RAID = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "members", "max": 50, "order": "asc"}]
LIMITS: dict[str, Any] = {"max_examples": 6, "derandomize": True, "deadline": None, "database": None}
bounded = settings(**LIMITS, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))


class World(NamedTuple):
    """Boards of every storage and one of criteria, one with a league; competitions that run, are final, are joined by
    code, and one to come with a team.
    """

    boards: list[int]
    cups: list[int]
    team: int
    headers: dict[str, str]


@pytest.fixture
def world(links: None, make_board: Make, game: Caller) -> Iterator[World]:
    """With players on every board, alice in three competitions, a kind that can be liked, and a key for everything."""
    points = [make_board(storage, storage=storage) for storage in ("hybrid", "redis", "sql")]
    raid = make_board("raid", criteria=RAID, period="month", ties="shared")
    for seq in points:
        game.score(seq, alice=5, bob=5)
    game.submit({"board": raid, "player": "alice", "fields": {"stage": 7, "members": 3}})
    board = site.make_board()
    running, coded = site.open_competition(board), site.open_competition(board, joining="code", join_code="FRIENDS")
    over = site.open_competition(board, starts_at=site.START - site.DAY, ends_at=site.START + site.HOUR)
    tomorrow = {"starts_at": site.START + site.DAY, "ends_at": site.END + site.DAY}
    coming = site.open_competition(board, team_score="sum", **tomorrow)
    team = TeamFactory.create(competition=coming)
    site.joined(coming, "alice")
    site.raced(running, {"alice": 5, "bob": 3})
    site.raced(over, {"alice": 5}, site.SOON - site.DAY)
    take_snapshot(running, site.SOON, site.SOON)
    finish(over, clock.now())
    SeriesFactory.create(competitions=[over])
    LeagueFactory.create(board=Board.objects.get(pk=points[0]))
    begin_due(clock.now())
    place_due(clock.now())
    registry.register_kind(Likeable("song", dict.fromkeys, storage=Storage.SQL))
    key = KeyFactory.create(scopes=service_keys.SCOPES)
    yield World(
        [*points, raid], [running.pk, over.pk, coded.pk, coming.pk], team.pk, {"Authorization": f"Bearer {key}"}
    )
    registry.unregister_kind("song")


@pytest.fixture
def api(world: World) -> Iterator[Any]:
    """The API as the document tells of it. Requests over WSGI leave the test's own connection open."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield schemathesis.openapi.from_wsgi("/api/openapi.json", application)
    for signal in signals:
        signal.connect(close_old_connections)


def operations(api: Any) -> dict[str, dict[str, Any]]:
    return {each["operationId"]: each for path in api.raw_schema["paths"].values() for each in path.values()}


def test_every_example_of_the_document_is_answered_as_it_says(world: World, api: Any) -> None:
    """One call of each operation for each competition; the long form is below."""
    answers: dict[str, list[Any]] = {}
    shown = operations(api)
    body = shown["submit_scores"]["requestBody"]["content"]["application/json"]["example"]

    for name in sorted(shown, key=lambda name: name.startswith(("delete", "leave"))):
        parameters = {each["name"]: each for each in shown[name]["parameters"]}
        path = {each: told["example"] for each, told in parameters.items() if told["in"] == "path"}
        query = {"ids": ["alice"]} if "ids" in parameters else {}
        assert path.get("competition") in (None, *world.cups)
        for competition in world.cups if "competition" in path else world.cups[:1]:
            real = {"competition": competition, "kind": "song", "team": world.team}
            sent: dict[str, Any] = {"path_parameters": path | {each: real[each] for each in real if each in path}}
            if "requestBody" in shown[name]:
                content = shown[name]["requestBody"]["content"]
                sent |= {"body": content["application/json"]["example"], "media_type": "application/json"}
            case = api.find_operation_by_id(name).Case(query=query, **sent)
            answers.setdefault(name, []).append(case.call_and_validate(checks=CHECKS, headers=world.headers))

    assert set(answers) == OPERATIONS
    assert [name for name, told in answers.items() if min(each.status_code for each in told) >= 300] == []
    assert answers["submit_scores"][0].json()["rejected"] == 0
    assert {entry["board"] for entry in body["entries"]} == {world.boards[0], world.boards[-1]}


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_one_that_the_document_knows(
    world: World, api: Any, subtests: pytest.Subtests, mode: Any
) -> None:
    """In one world, which takes longer to make than an operation to try: first what reads, then what changes it."""
    known = {name: api.find_operation_by_id(name) for name in OPERATIONS}
    codes = set(api.raw_schema["components"]["schemas"]["ErrorCode"]["enum"])

    for name in sorted(known, key=lambda name: (known[name].method != "get", name)):
        with subtests.test(operation=name):
            try_operation(world, known[name], mode, codes)


def try_operation(world: World, operation: Any, mode: Any, codes: set[str]) -> None:
    @bounded
    @seed(1)
    @given(
        case=operation.as_strategy(generation_mode=mode),
        board=st.sampled_from([None, *world.boards]),
        competition=st.sampled_from(world.cups),
    )
    def answers_as_documented(case: Any, board: int | None, competition: int) -> None:
        if board is not None:
            point_at(case, board, competition)
        answer = case.call_and_validate(checks=CHECKS, headers=world.headers)
        if answer.status_code >= 400:
            refused = answer.json()
            assert refused["code"] in codes
            if mode is schemathesis.GenerationMode.POSITIVE and refused["status"] == 422:
                assert only_says_what_no_schema_can(refused, case.body), refused

    answers_as_documented()


def only_says_what_no_schema_can(refused: dict[str, Any], sent: Any) -> bool:
    """Whether a request that follows the schema is refused for what depends on its other parts, on Unicode, or on how a
    number is written: to a schema 1.0 is an integer, here it is none.
    """
    named = {each.get("parameter", each.get("pointer")) for each in refused.get("errors", ())}
    is_about_cursor = "cursor" in named or "cursor" in refused["detail"].lower()
    is_about_radius = named == {"radius"} and "name one, or leave `radius` out" in refused["detail"]
    is_about_1_0 = isinstance(sent, dict) and any(isinstance(sent.get(str(name).strip("#/")), float) for name in named)
    return is_about_cursor or is_about_radius or is_about_1_0 or "(NFC)" in refused["detail"]


def point_at(case: Any, board: int, competition: int) -> None:
    """Aim at a board, a competition and players that exist, so that answers beyond 'unknown' are seen as well."""
    real = {"competition": competition, "kind": "song", "seq": board}
    real |= {"player": "alice"} if case.method == "GET" else {}
    path = case.path_parameters or {}
    path.update({name: value for name, value in real.items() if name in path})
    entries = case.body.get("entries") if isinstance(case.body, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and "board" in entry:
            entry["board"] = board


def test_every_operation_tells_its_samples_its_refusals_and_whether_it_needs_a_key_even_without_a_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for owner, name in (
        (selectors, "boards_listed"),
        (examples, "competitions_listed"),
        (examples, "example_board"),
        (examples, "series_known"),
        (LikeCount.objects, "order_by"),
    ):
        monkeypatch.setattr(owner, name, Mock(side_effect=OperationalError))
    quoted = code_samples(Call("PUT", "/api/v1/players/a", {"name": "it's"}))[0]["source"]
    assert '{"name": "it\'s"}' in shlex.split(quoted.replace("\\\n", " "))

    for path in Caller()._client.get("/api/openapi.json").json()["paths"].values():
        for method, operation in path.items():
            name = operation["operationId"]
            samples = {each["lang"]: each["source"] for each in operation["x-codeSamples"]}
            assert set(samples) == {"Shell", "Python", "JavaScript"}, name
            compile(samples["Python"], name, "exec")
            assert samples["Shell"] in operation["description"], name
            refusals = {status: each for status, each in operation["responses"].items() if int(status) >= 400}
            assert {"401", "500", "503"} <= set(refusals), name
            assert all(list(each["content"]) == ["application/problem+json"] for each in refusals.values()), name
            assert operation["security"] == [*([{}] if method == "get" else []), {"ServiceKey": []}], name
