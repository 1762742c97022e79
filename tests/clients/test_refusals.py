"""Rules of the client that need no site: what may be repeated, what is waited for, what a code means."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from foundation.security import signatures
from leaderboards.core.input.metadata import MAX_BYTES, MAX_DEPTH, read_metadata
from leaderboards.errors import BadEntry
from sunwi_client import Client, NoAnswer, RetryPolicy, Score, advice, counted, errors
from sunwi_client.advice import ADVICE
from sunwi_client.answers import Result
from sunwi_client.flow import Call, Gate, Pause, Reply, call, request_flow
from sunwi_client.metadata import MOST_BYTES, MOST_LEVELS
from sunwi_client.signing import signature_headers
from sunwi_client.submitting import submit_flow

CONTRACT = Path(__file__).parents[2] / "docs/api.md"
UNKNOWN: Result = {"status": "unknown", "code": "outcome_unknown"}
AWAY: Result = {"status": "rejected", "code": "unavailable"}
UPDATED: Result = {"status": "updated"}
LIMITED = Reply(429, b'{"code": "rate_limited", "detail": "Slower."}', 2.0)
SILENCE = NoAnswer("nothing")


def run(course: Any, told: Sequence[Reply | NoAnswer]) -> tuple[Any, list[Any]]:
    """What the course returns, told these answers one by one, and what it wanted in between."""
    answers, wanted, answer = iter(told), [], None
    try:
        while True:
            step = course.send(answer)
            wanted.append(step)
            answer = next(answers) if isinstance(step, Call) else None
    except StopIteration as done:
        return done.value, wanted


def results(*told: Result) -> Reply:
    return Reply(200, json.dumps({"accepted": 0, "rejected": 0, "results": told}).encode())


def test_only_what_is_open_is_sent_again_and_each_score_has_its_own_result() -> None:
    scores = [Score(board=1, player=name, points=1) for name in "abc"]

    told, wanted = run(
        submit_flow(scores, RetryPolicy(), Gate()),
        [results(UPDATED, UNKNOWN, AWAY), results(AWAY, UPDATED), results(UPDATED)],
    )

    sent = [re.findall(rb'"player": "(.)"', step.body or b"") for step in wanted if isinstance(step, Call)]
    assert sent == [[b"a", b"b", b"c"], [b"b", b"c"], [b"b"]]
    assert all(map(counted, told))


def test_a_later_try_that_fails_leaves_what_is_known() -> None:
    told, _ = run(
        submit_flow([Score(board=1, player=name, points=1) for name in "ab"], RetryPolicy(), Gate()),
        [results(UPDATED, UNKNOWN), Reply(403, b'{"code": "forbidden", "detail": "Revoked."}')],
    )

    assert told == [UPDATED, UNKNOWN]


def test_a_thousand_and_one_scores_are_not_sent() -> None:
    with pytest.raises(ValueError, match="up to 1,000"):
        run(submit_flow([Score(board=1, player="a", points=1)] * 1001, RetryPolicy(), Gate()), [])


@pytest.mark.parametrize(
    ("told", "repeated"),
    [
        (LIMITED, True),
        (Reply(503, b'{"code": "unavailable"}'), True),
        (Reply(503, b'{"code": "outcome_unknown"}'), False),
        (Reply(503, b"<h1>upstream connect error</h1>"), False),
        (Reply(502, b"<h1>Bad gateway</h1>"), False),
        (Reply(500, b'{"code": "server_error"}'), False),
        (Reply(520, b"<h1>unknown error</h1>"), False),
        (Reply(524, b"<h1>a timeout occurred</h1>"), False),
        (Reply(408, b""), False),
        (SILENCE, False),
    ],
)
def test_what_writes_is_repeated_only_where_nothing_was_done(told: Reply | NoAnswer, repeated: bool) -> None:
    write, read_ = call("POST", "players", "bob", "link-code"), call("GET", "boards")
    after = Reply(200, b"{}")

    _, wanted = run(request_flow(read_, RetryPolicy(), Gate()), [told, after])
    assert wanted.count(read_) == 2
    if repeated:
        assert run(request_flow(write, RetryPolicy(), Gate()), [told, after])[1].count(write) == 2
    else:
        with pytest.raises(errors.SunwiError):
            run(request_flow(write, RetryPolicy(), Gate()), [told, after])


@pytest.mark.parametrize(
    ("method", "segments", "repeated"),
    [
        ("PUT", ("players", "bob"), True),
        ("PUT", ("competitions", 7, "players", "bob"), True),
        ("DELETE", ("competitions", 7, "players", "bob"), True),
        ("PUT", ("likes", "comment", 5, "b%ob\n"), True),
        ("DELETE", ("likes", "comment", 5, "bob"), True),
        ("PUT", ("likes", "applause", 5, "bob"), False),
        ("POST", ("players", "bob", "link-code"), False),
        ("POST", ("competitions", 7, "teams"), False),
        ("PUT", ("competitions", 7, "players", "bob", "team"), False),
        ("DELETE", ("boards", 1, "players", "bob"), False),
    ],
)
def test_a_write_that_says_how_it_shall_be_is_repeated(method: str, segments: tuple[Any, ...], repeated: bool) -> None:
    assert call(method, *segments).is_idempotent is repeated


@pytest.mark.parametrize(("lost", "notes"), [(SILENCE, 1), (LIMITED, 0)])
def test_a_repeated_write_that_is_refused_says_that_it_may_have_been_done(lost: Any, notes: int) -> None:
    joining = call("PUT", "competitions", 7, "players", "bob")

    with pytest.raises(errors.AlreadyJoined) as refused:
        run(request_flow(joining, RetryPolicy(), Gate()), [lost, Reply(409, b'{"code": "already_joined"}')])

    assert len(getattr(refused.value, "__notes__", [])) == notes


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_what_would_be_refused_again_is_asked_once(status: int) -> None:
    with pytest.raises(errors.Refused) as refused:
        run(
            request_flow(call("GET", "boards"), RetryPolicy(), Gate()),
            [Reply(status, b'{"code": "new_one", "detail": "No."}')],
        )

    assert refused.value.code == "new_one"
    assert type(refused.value) is errors.KINDS[status]


def test_members_of_a_refusal_have_their_types_whoever_answered() -> None:
    odd = Reply(503, b'{"code": "unavailable", "detail": {"a": NaN}, "errors": 5}')
    with pytest.raises(errors.Unavailable) as refused:
        run(request_flow(call("GET", "boards"), RetryPolicy(seconds=0), Gate()), [odd])

    assert (refused.value.detail, list(refused.value.errors)) == ("", [])


def test_one_call_that_is_limited_makes_the_others_wait() -> None:
    gate = Gate()
    run(request_flow(call("GET", "boards"), RetryPolicy(), gate), [LIMITED, Reply(200, b"{}")])

    _, wanted = run(request_flow(call("GET", "boards", 1), RetryPolicy(), gate), [Reply(200, b"{}")])
    with pytest.raises(errors.RateLimited) as refused:
        run(request_flow(call("GET", "boards", 1), RetryPolicy(seconds=0), gate), [])

    assert isinstance(wanted[0], Pause)
    assert 1 < wanted[0].seconds <= 3.2
    assert 1 < (refused.value.retry_after or 0) <= 2.5


def test_pauses_double_up_to_a_bound_and_never_cut_what_the_server_says() -> None:
    retry_policy = RetryPolicy(first=1, longest=4)

    pauses = [[retry_policy.pause(tries, None) for _ in range(50)] for tries in (1, 2, 3, 9_999)]

    for most, several in zip((1, 2, 4, 4), pauses, strict=True):
        assert most / 2 <= min(several) < max(several) <= most
    told = [retry_policy.pause(1, 7.0) for _ in range(50)]
    assert 7 <= min(told) < max(told) <= 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"player": "a", "points": 1},
        {"player": "a", "points": 1, "board": 1, "competition": 2},
        {"player": "a", "board": 1},
        {"player": "a", "board": 1, "points": 1, "fields": {}},
        {"player": "a", "board": 1, "points": 1.5},
        {"player": "a", "board": 1, "points": 1, "at": datetime(2026, 11, 24)},  # noqa: DTZ001 - that is what is wrong
    ],
)
def test_a_score_that_no_server_would_take_is_refused_as_it_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\."):
        Score(**wrong)


def test_points_are_exact_both_ways() -> None:
    assert Score(board=1, player="a", points=Decimal("1E+2")).entry()["points"] == "100"
    assert run(request_flow(call("GET", "boards"), RetryPolicy(), Gate()), [Reply(200, b'{"points": 0.1}')])[0] == {
        "points": Decimal("0.1")
    }


@pytest.mark.parametrize(
    "site", ["boards.example", "ftp://boards.example", "http://", "https://b.example?x=1", "http://[::1"]
)
def test_what_is_no_site_is_refused_at_once(site: str) -> None:
    with pytest.raises(ValueError, match="is no site"):
        Client(site)


def test_neither_key_nor_secret_is_shown() -> None:
    with Client("https://boards.example", "sunwi_key", secret="sunwisig_secret") as client:
        shown = f"{client!r} {vars(client)}"

    assert "sunwi_key" not in shown
    assert "sunwisig_secret" not in shown
    with pytest.raises(ValueError, match="give `key` too"):
        Client("https://boards.example", secret="sunwisig_secret")


def test_the_signature_is_the_one_that_the_server_computes() -> None:
    headers = signature_headers("POST", "/api/v1/scores?ranks=true", b"{}", "sunwisig_x")

    signed = signatures.Signed("POST", "/api/v1/scores?ranks=true", b"{}")
    moment = datetime.fromtimestamp(int(headers["Sunwi-Timestamp"]), tz=None).astimezone()
    assert headers == signatures.headers_of(signed, headers["Sunwi-Nonce"], moment, "sunwisig_x")


def test_every_code_of_the_contract_has_its_advice() -> None:
    tables = re.findall(r"^\| (?:\d{3} \| )?((?:`[a-z_]+`(?:, )?)+) \|", CONTRACT.read_text("utf-8"), re.MULTILINE)
    codes = {code for row in tables for code in re.findall(r"`([a-z_]+)`", row)}
    statuses = {"updated", "unchanged", "duplicate", "quarantined", "rejected", "unknown", "status", "code"}

    assert len(codes) > 50
    assert sorted(codes - statuses - set(ADVICE) - {"vacated_places"}) == []
    assert sorted(set(errors.Refused.known) - set(ADVICE)) == []
    assert advice("no_such_code") == ""


def nested(levels: int, innermost: object = 1) -> dict[str, Any]:
    value: Any = innermost
    for _ in range(levels):
        value = {"in": value}
    return value  # type: ignore[no-any-return]  # every answer of the API is an object


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"x": float("nan")}, "no JSON"),
        ({"x": float("inf")}, "no JSON"),
        ({"x": {1, 2}}, "no JSON"),
        ({"at": datetime(2026, 1, 1)}, "no JSON"),  # noqa: DTZ001 - a time without zone is what is refused
        ({"x": "\ud800"}, "lone surrogate"),
        ({"\ud800": 1}, "lone surrogate"),
        ({1: "x"}, "names are texts"),
        ([("map", "canyon")], "JSON object"),
        ("canyon", "JSON object"),
        ({"x": "가" * 681}, "2,051 bytes"),
        (nested(17), "16 levels"),
        (nested(16, {}), "16 levels"),
        (nested(16, []), "16 levels"),
    ],
)
def test_metadata_that_no_server_accepts_is_refused_at_once(metadata: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Score(board=1, player="a", points=1, metadata=metadata)


@pytest.mark.parametrize("metadata", [{}, {"x": "가" * 680}, {"x": "a" * 2040}, nested(16), nested(15, {})])
def test_metadata_within_its_bounds_is_sent_as_it_is_and_the_server_reads_it(metadata: dict[str, Any]) -> None:
    assert Score(board=1, player="a", points=1, metadata=metadata).entry()["metadata"] == metadata
    assert read_metadata(metadata)


def test_the_bounds_of_metadata_are_those_of_the_server() -> None:
    assert (MOST_BYTES, MOST_LEVELS) == (MAX_BYTES, MAX_DEPTH)
    for refused in ({"x": "가" * 681}, nested(17), nested(16, {})):
        with pytest.raises(BadEntry):
            read_metadata(refused)


def test_no_value_of_a_score_can_cost_its_batch() -> None:
    good: dict[str, Any] = {"board": 1, "player": "a", "points": 1}
    changes: tuple[dict[str, Any], ...] = (
        {"player": "\ud800"},
        {"player": {1}},
        {"fields": {"x": float("nan")}, "points": None},
    )
    for bad in changes:
        with pytest.raises(ValueError, match="cannot be written as JSON"):
            Score(**good | bad)
