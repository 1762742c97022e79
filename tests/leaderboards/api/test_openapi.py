"""The OpenAPI document against the API: whatever it allows to be sent, or forbids, the answers are as it says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from competitions.services.finish import finish
from competitions.services.snapshot import take
from config.wsgi import application
from foundation import clock, service_keys
from leaderboards.api.samples import Call, code_samples
from likes import registry
from likes.core.kinds import Storage
from likes.registry import Likeable
from tests.competitions import site
from tests.leaderboards.api.conftest import Caller, Make
from tests.links import links

__all__ = ["links"]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OPERATIONS = {
    "submit_scores", "list_boards", "read_board", "read_standings", "export_standings", "read_named_players",
    "read_player_row", "delete_player", "read_around", "read_distribution", "put_player", "make_link_code",
    "list_competitions", "read_competition", "read_competition_standings", "export_competition", "read_result",
    "read_rewards", "read_participant", "read_around_participant", "read_history", "join_competition",
    "leave_competition", "read_likes", "list_likes", "put_like", "delete_like",
    "read_comments",
}  # fmt: skip  # as a table
RAID = [{"name": "stage", "max": 100, "order": "desc"}, {"name": "members", "max": 50, "order": "asc"}]

bounded = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def boards(make_board: Make, game: Caller) -> list[int]:
    """Boards of every storage, with players on them."""
    points = [make_board(storage, storage=storage) for storage in ("hybrid", "redis", "sql")]
    raid = make_board("raid", criteria=RAID, period="month", ties="shared")
    game.submit(*({"board": seq, "player": name, "points": 5} for seq in points for name in ("alice", "bob")))
    game.submit({"board": raid, "player": "alice", "fields": {"stage": 7, "members": 3}})
    return [*points, raid]


@pytest.fixture
def cups(links: None, boards: list[int]) -> list[int]:
    """A running competition and a final one, with alice on them; one that she may join by code."""
    board = site.make_board()
    running, coded = site.open_competition(board), site.open_competition(board, joining="code", join_code="FRIENDS")
    over = site.open_competition(board, starts_at=site.START - site.DAY, ends_at=site.START + site.HOUR)
    site.raced(running, {"alice": 5, "bob": 3})
    site.raced(over, {"alice": 5}, site.SOON - site.DAY)
    take(running, site.SOON, site.SOON)
    finish(over, clock.now())
    return [running.pk, over.pk, coded.pk]


@pytest.fixture
def songs() -> Iterator[str]:
    """A kind that can be liked, whatever the id."""
    registry.provide(Likeable("song", dict.fromkeys, storage=Storage.SQL))
    yield "song"
    registry.withdraw("song")


@contextmanager
def one_connection() -> Iterator[None]:
    """Requests over WSGI leave the test's own connection, and its transaction, open."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def document(boards: list[int], cups: list[int]) -> dict[str, Any]:
    read: dict[str, Any] = Caller()._client.get("/api/openapi.json").json()
    return read


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["operationId"]: each for path in document["paths"].values() for each in path.values()}


def test_every_operation_is_tried_here(document: dict[str, Any]) -> None:
    assert set(operations(document)) == OPERATIONS


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_answer_is_one_that_the_document_knows(
    document: dict[str, Any],
    boards: list[int],
    cups: list[int],
    songs: str,
    make_key: Callable[..., str],
    name: str,
    mode: GenerationMode,
) -> None:
    headers = {"Authorization": f"Bearer {make_key(*service_keys.SCOPES)}"}

    with one_connection():
        operation = schemathesis.openapi.from_wsgi("/api/openapi.json", application).find_operation_by_id(name)

        @bounded
        @seed(1)
        @given(
            case=operation.as_strategy(generation_mode=mode),
            board=st.sampled_from([None, *boards]),
            competition=st.sampled_from(cups),
        )
        def answers_as_documented(case: Any, board: int | None, competition: int) -> None:
            if board is not None:
                point_at(case, board, competition)
            case.call_and_validate(checks=CHECKS, headers=headers)

        answers_as_documented()


def point_at(case: Any, board: int, competition: int) -> None:
    """Aim at a board, a competition and players that exist, so that answers beyond 'unknown' are seen as well."""
    if "competition" in (case.path_parameters or {}):
        case.path_parameters["competition"] = competition
    if "kind" in (case.path_parameters or {}):
        case.path_parameters["kind"] = "song"
    if "seq" in (case.path_parameters or {}):
        case.path_parameters["seq"] = board
    if "player" in (case.path_parameters or {}) and case.method == "GET":
        case.path_parameters["player"] = "alice"
    entries = case.body.get("entries") if isinstance(case.body, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and "board" in entry:
            entry["board"] = board


def test_examples_name_boards_that_exist(document: dict[str, Any], boards: list[int], game: Caller) -> None:
    body = operations(document)["submit_scores"]["requestBody"]["content"]["application/json"]["example"]

    answer = game.submit(*body["entries"])

    assert {entry["board"] for entry in body["entries"]} == {boards[0], boards[-1]}
    assert answer["rejected"] == 0


def test_examples_name_a_competition_that_exists(document: dict[str, Any], cups: list[int], game: Caller) -> None:
    operation = operations(document)["read_competition_standings"]

    example = operation["responses"]["200"]["content"]["application/json"]["example"]

    assert example["competition"] in cups
    assert f"/competitions/{example['competition']}/standings" in operation["x-codeSamples"][0]["source"]


def test_every_operation_is_shown_in_three_languages(document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        samples = {each["lang"]: each["source"] for each in operation["x-codeSamples"]}
        assert set(samples) == {"Shell", "Python", "JavaScript"}, name
        compile(samples["Python"], name, "exec")
        assert samples["Shell"] in operation["description"]


def test_refusals_are_problem_documents_everywhere(document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        refusals = {status: each for status, each in operation["responses"].items() if int(status) >= 400}
        assert {"401", "500", "503"} <= set(refusals), name
        assert all(list(each["content"]) == ["application/problem+json"] for each in refusals.values()), name


def test_writing_needs_a_key_and_reading_may_do_without(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            wanted: list[dict[str, list[str]]] = [{}, {"ServiceKey": []}] if method == "get" else [{"ServiceKey": []}]
            assert operation["security"] == wanted, path


def test_the_document_answers_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    from competitions.api import examples
    from leaderboards import selectors
    from likes.models import LikeCount

    def away(*_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(selectors, "boards_listed", away)
    monkeypatch.setattr(examples, "competitions_listed", away)
    monkeypatch.setattr(LikeCount.objects, "order_by", away)

    read = Caller()._client.get("/api/openapi.json").json()

    assert read["paths"]["/api/v1/scores"]["post"]["x-codeSamples"]


def test_quotes_in_an_example_survive_a_shell(tmp_path: Any) -> None:
    import shlex

    sample = code_samples(Call("PUT", "/api/v1/players/a", {"name": "it's"}))[0]["source"]

    assert '{"name": "it\'s"}' in shlex.split(sample.replace("\\\n", " "))
