"""Proxies and servers in trouble: nothing is lost that may count, nothing is done twice, and no try takes for ever."""

import logging
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from competitions.selectors.participants.participants import participant_of
from sunwi_client import Bounds, NoAnswer, NotSunwi, RetryPolicy, Score, SunwiError, UncountedScore, __version__, errors
from sunwi_client.outbox import Outbox
from tests.clients.conftest import Kind
from tests.clients.front import HANG_UP, PASS, Canned, Front
from tests.competitions.site import open_competition
from tests.playing import score

pytestmark = pytest.mark.usefixtures("links")

FAULT = Canned(500, b'{"code": "server_error", "detail": "boom"}', {"X-Request-ID": "req-1"})
TROUBLE = [FAULT, Canned(520, b"<html>"), Canned(524, b"<html>"), Canned(408), Canned(503, b"<html>"), Canned(502)]
OTHER = [
    Canned(200),
    Canned(200, b'{"login": "here"}'),
    Canned(200, b"[]"),
    Canned(200, b'{"results": []}'),
    Canned(200, b'{"results": [1]}'),
    Canned(200, b'{"results": {"status": 1}}'),
    Canned(200, b"[" * 200_000),
    Canned(200, b'{"results": 1e99999999999999999999}'),
]
STRANGE = [
    Canned(503, b"[" * 200_000),
    Canned(503, b"x", {"Retry-After": "Sat, 28 Nov 2026 13:44:31 +9999999999999999"}),
]


def named(answer: Canned | str) -> str:
    if isinstance(answer, str):
        return answer
    return f"{answer.status} {answer.content[:14].decode()}"


@pytest.mark.parametrize("answer", TROUBLE, ids=named)
def test_scores_and_reads_are_sent_again_after_any_trouble(
    kind: Kind, site: str, key: str, board: int, answer: Canned
) -> None:
    with Front(site, answer, PASS, answer) as front:
        client = kind.client(front.url, key)
        [result] = client.submit([Score(board=board, player="alice", points=5)])
        page = client.top(board)

    assert result["status"] == "updated"
    assert page["rows"][0]["points"] == 5
    assert len(front.asked) == 4


@pytest.mark.parametrize("answer", TROUBLE, ids=named)
def test_a_write_without_an_id_is_sent_once(kind: Kind, site: str, key: str, answer: Canned) -> None:
    with Front(site, answer) as front, pytest.raises(SunwiError) as told:
        kind.client(front.url, key).ask("POST", "competitions", 7, "teams", body={"name": "Owls"})

    assert len(front.asked) == 1
    assert told.value.status == answer.status
    if answer.status in (502, 503):
        assert isinstance(told.value, errors.OutcomeUnknown)


@pytest.mark.parametrize("answer", [FAULT, HANG_UP], ids=named)
def test_what_sets_a_state_of_a_player_is_sent_again(kind: Kind, site: str, key: str, answer: Canned | str) -> None:
    competition = open_competition()
    with Front(site, answer, PASS, Canned(500), PASS, answer, PASS) as front:
        client = kind.client(front.url, key)
        profile = client.ask("PUT", "players", "alice", body={"name": "Alice"})
        joined = client.ask("PUT", "competitions", competition.pk, "players", "alice")
        left = outcome(lambda: client.ask("DELETE", "competitions", competition.pk, "players", "alice"))

    assert (profile["name"], joined["player"]) == ("Alice", "alice")
    assert left in (None, "not_joined")  # it had been done where the answer was lost
    assert participant_of(competition, "alice") is None
    assert len(front.asked) == 6


def outcome(ask: Callable[[], Any]) -> Any:
    """What is answered, or the code of the refusal."""
    try:
        return ask()
    except errors.Refused as error:
        return error.code


@pytest.mark.parametrize(("is_idempotent", "tries"), [(None, 1), (False, 1), (True, 2)])
def test_a_like_is_sent_again_only_if_the_caller_says_so(
    kind: Kind, site: str, key: str, is_idempotent: bool | None, tries: int
) -> None:
    with Front(site, FAULT) as front, pytest.raises(SunwiError):  # the site knows no such kind
        kind.client(front.url, key).ask("PUT", "likes", "no_such", 5, "alice", is_idempotent=is_idempotent)

    assert len(front.asked) == tries


@pytest.mark.parametrize("answer", TROUBLE, ids=named)
def test_a_sender_drops_nothing_that_may_count(kind: Kind, site: str, key: str, board: int, answer: Canned) -> None:
    told: list[UncountedScore] = []
    with Front(site, answer) as front:
        sender = kind.sender(kind.client(front.url, key), on_uncounted=told.append, bounds=Bounds(size=5, seconds=0.01))
        for nth in range(5):
            sender.add(Score(board=board, player=f"p{nth}", points=1))
        sender.close()

    assert told == []
    assert kind.client(site).top(board)["total"] == 5


@pytest.mark.parametrize("answer", STRANGE, ids=["deep", "endless zone"])
def test_no_answer_costs_a_sender_its_batch(kind: Kind, site: str, key: str, board: int, answer: Canned) -> None:
    told: list[UncountedScore] = []
    with Front(site, answer) as front:
        sender = kind.sender(kind.client(front.url, key), on_uncounted=told.append)
        sender.add(Score(board=board, player="alice", points=1))
        sender.close()

    assert told == []
    assert kind.client(site).top(board)["total"] == 1


@pytest.mark.parametrize("answer", OTHER, ids=named)
def test_an_answer_that_is_not_the_apis_is_an_error_of_the_client(
    kind: Kind, site: str, key: str, answer: Canned
) -> None:
    scores = [Score(board=1, player="alice", points=5)]
    with Front(site, answer, answer) as front:
        client = kind.client(front.url, key)
        with pytest.raises(NotSunwi, match="200 with"):
            client.submit(scores)
        with pytest.raises(NotSunwi, match="200 with"):
            client.top(1)

    assert len(front.asked) == 2


def test_an_empty_answer_to_a_write_is_none_only_where_the_api_says_so(kind: Kind, site: str, key: str) -> None:
    with Front(site, Canned(204), Canned(200)) as front:
        client = kind.client(front.url, key)
        assert client.ask("DELETE", "competitions", 7, "players", "alice") is None
        with pytest.raises(NotSunwi):
            client.ask("DELETE", "competitions", 7, "players", "alice")


def test_scores_that_an_answer_of_something_else_got_may_be_sent_again(kind: Kind, site: str, key: str) -> None:
    told: list[UncountedScore] = []
    with Front(site, Canned(200)) as front:
        sender = kind.sender(kind.client(front.url, key), on_uncounted=told.append)
        sender.add(Score(board=1, player="alice", points=5))
        sender.close()

    assert [(each.code, each.again) for each in told] == [("not_sunwi", True)]
    assert "same id" in told[0].todo


@pytest.mark.parametrize("status", [500, 501, 599])
def test_a_fault_of_the_server_is_queued_again(status: int) -> None:
    box, scores = Outbox(Bounds(size=1), RetryPolicy()), [Score(board=1, player="alice", points=5)]
    box.add(scores[0], 0.0)

    assert box.fail(box.take(), errors.refusal(status, {"code": "other"}), 0.0) == []
    assert box.take() == scores


def test_an_answer_that_drips_is_cut_off_at_the_limit_of_a_try(kind: Kind, site: str) -> None:
    slow = Canned(200, b" " * 400, is_slow=True)  # 20 s
    with Front(site, slow, slow) as front:
        client = kind.client(front.url, timeout=0.3, retry_policy=RetryPolicy(seconds=0))
        began = time.monotonic()
        with pytest.raises(NoAnswer, match="Timeout"):
            client.top(1)
        with pytest.raises(NoAnswer):
            kind.with_options(kind.client(front.url, retry_policy=RetryPolicy(seconds=0)), timeout=0.3).top(1)
        took = time.monotonic() - began

    assert took < 15


def test_options_of_one_call_are_of_that_call(kind: Kind, site: str, board: int) -> None:
    with Front(site, FAULT, FAULT, PASS) as front:
        client = kind.client(front.url)
        with pytest.raises(errors.ServerFault):
            kind.with_options(client, retry_policy=RetryPolicy(seconds=0)).top(board)
        assert client.top(board)["board"] == board

    assert len(front.asked) == 3


def test_an_error_names_the_request_and_a_request_the_client(kind: Kind, site: str) -> None:
    missing = Canned(404, b'{"code": "not_ranked", "detail": "no"}', {"X-Request-ID": "req-123"})
    with Front(site, missing, Canned(404, b"<html>", {"X-Request-ID": "req-456"})) as front:
        told = []
        for _ in range(2):
            with pytest.raises(SunwiError) as caught:
                kind.client(front.url).player(1, "alice")
            told.append(caught.value)

    assert [(each.request_id, each.status) for each in told] == [("req-123", 404), ("req-456", 404)]
    assert "req-123" in " ".join(told[0].__notes__)
    assert front.asked[0][1]["User-Agent"] == f"sunwi-client/{__version__}"


def test_each_retry_is_a_line_of_the_log(kind: Kind, site: str, board: int, caplog: pytest.LogCaptureFixture) -> None:
    with Front(site, FAULT) as front, caplog.at_level(logging.INFO, logger="sunwi_client"):
        kind.client(front.url).top(board)

    [line] = [each.getMessage() for each in caplog.records if each.name.startswith("sunwi_client")]
    wanted = rf"GET /api/v1/boards/{board}/standings: ServerFault 500; sent again in \d\.\d s \(request req-1\)"
    assert re.fullmatch(wanted, line)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("99999999999", 300),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 300),
        ("", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00", None),
        ("Sat, 28 Nov 2026 13:44:31 +9999999999999999", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(kind: Kind, site: str, header: str, seconds: float | None) -> None:
    answer = Canned(404, b'{"code": "x"}', {"Retry-After": header})
    with Front(site, answer) as front, pytest.raises(errors.NotFound) as caught:
        kind.client(front.url).top(1)

    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("options", [{}, {"offset": 1}, {"period": "current"}])
def test_all_pages_are_walked(kind: Kind, site: str, board: int, options: dict[str, Any]) -> None:
    score(board, {f"p{nth}": 9 - nth for nth in range(7)})

    pages = kind.pages(kind.client(site), "top", board, limit=3, **options)

    names = [row["player"] for page in pages for row in page["rows"]]
    assert names == [f"p{nth}" for nth in range(options.get("offset", 0), 7)]
    assert len(pages) == (2 if "offset" in options else 3)
    assert [page["board"] for page in kind.pages(kind.client(site), "periods", board)] == [board]


def test_the_package_is_built_of_the_version_that_requests_name() -> None:
    project = (Path(__file__).parents[2] / "clients/python/pyproject.toml").read_text()

    assert 'dynamic = ["version"]' in project
    assert 'path = "sunwi_client/version.py"' in project
