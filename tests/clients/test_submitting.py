"""Scores count once: whatever stands between the game and the site, and whichever of the two clients sends them."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from sunwi_client import NoAnswer, NotSunwi, RetryPolicy, Score, counted, errors
from tests.clients.conftest import QUICK, Kind
from tests.clients.front import HANG_UP, PAGE, REFUSE, Front
from tests.playing import make_board
from tests.security.signer import Signer

pytestmark = pytest.mark.usefixtures("links")


def points(client: Any, board: int) -> dict[str, object]:
    return {row["player"]: row["points"] for row in client.top(board)["rows"]}


def test_scores_are_sent_as_they_are_and_told_one_by_one(kind: Kind, site: str, key: str) -> None:
    client = kind.client(site, key)
    exact = make_board(name="Exact", decimals=2)
    raid = make_board(name="Raid", criteria=[{"name": "stage", "max": 100, "order": "desc"}])
    now = datetime.now(UTC)

    results = client.submit(
        [
            Score(board=exact, player="alice", points=Decimal("12.25"), at=now),
            Score(board=exact, player="서연", points="7"),
            Score(board=raid, player="alice", fields={"stage": 7}),
            Score(board=999, player="alice", points=1),
        ],
        ranks=True,
    )

    assert [result["status"] for result in results] == ["updated", "updated", "updated", "rejected"]
    assert [counted(result) for result in results] == [True, True, True, False]
    assert results[0]["points"] == Decimal("12.25")
    assert results[1]["rank"] == 2
    assert results[3]["code"] == "unknown_board"


def test_a_dry_run_applies_nothing(kind: Kind, site: str, key: str, board: int) -> None:
    client = kind.client(site, key)

    judged = client.submit([Score(board=board, player="alice", points=5)], dry_run=True)

    assert counted(judged[0])
    assert points(client, board) == {}


def test_who_hangs_up_after_deciding_is_asked_again_and_the_score_counts_once(
    kind: Kind, site: str, key: str, board: int
) -> None:
    with Front(site, HANG_UP, HANG_UP) as front:
        [result] = kind.client(front.url, key).submit([Score(board=board, player="alice", points=5)])

    assert result["status"] == "duplicate"
    assert len(front.asked) == 3
    assert points(kind.client(site, key), board) == {"alice": 5}


def test_two_of_everything_count_once(kind: Kind, site: str, key: str, board: int) -> None:
    client, other = kind.client(site, key), kind.client(site, key)
    scores = [Score(board=board, player=f"p{nth}", points=nth) for nth in range(1, 6)]

    first, again, elsewhere = client.submit(scores), client.submit(scores), other.submit(scores + scores)

    assert [result["status"] for result in first] == ["updated"] * 5
    assert {result["status"] for result in again + elsewhere} == {"duplicate"}
    assert points(client, board) == {f"p{nth}": nth for nth in range(1, 6)}


def test_retry_after_is_kept(kind: Kind, site: str, key: str, board: int) -> None:
    with Front(site, REFUSE) as front:
        began = time.monotonic()
        [result] = kind.client(front.url, key).submit([Score(board=board, player="alice", points=5)])
        took = time.monotonic() - began

    assert result["status"] == "updated"
    assert took >= front.retry_after
    assert len(front.asked) == 2


def test_who_is_asked_to_wait_longer_than_patience_lasts_hears_so_at_once(kind: Kind, site: str, key: str) -> None:
    with Front(site, REFUSE, retry_after=200) as front, pytest.raises(errors.Unavailable) as refused:
        kind.client(front.url, key).submit([Score(board=1, player="alice", points=5)])

    assert refused.value.retry_after == 200
    assert len(front.asked) == 1


def test_a_signed_request_is_signed_anew_for_each_try(kind: Kind, site: str, board: int) -> None:
    signer = Signer()
    with Front(site, HANG_UP) as front:
        client = kind.client(front.url, signer.text, secret=signer.secret)
        [result] = client.submit([Score(board=board, player="José é", points=5)], ranks=True)
        row = client.player(board, "José é")
    bare = kind.client(site, signer.text)

    assert result["status"] == "duplicate"
    assert row["points"] == 5
    assert len({headers["Sunwi-Nonce"] for _, headers in front.asked}) == 3
    with pytest.raises(errors.SignatureMissing, match="Give the client the key's signing secret"):
        bare.top(board)


def test_nobody_there_is_told_as_no_answer_once_patience_ends(kind: Kind) -> None:
    nobody = kind.client("http://127.0.0.1:9", "a-key", retry_policy=replace(QUICK, seconds=0.1))

    with pytest.raises(NoAnswer, match=r"GET /api/v1/boards/1/standings"):
        nobody.top(1)


def test_what_is_not_the_api_is_told_apart_from_a_refusal(kind: Kind, site: str, key: str, board: int) -> None:
    with Front(site, PAGE) as front, pytest.raises(NotSunwi, match="Sign in"):
        kind.client(front.url, key).top(board)
    with pytest.raises(NotSunwi, match="404"):
        kind.client(f"{site}/elsewhere", key).top(board)


def test_what_may_count_twice_is_not_repeated_once_it_may_have_arrived(kind: Kind, site: str, key: str) -> None:
    with Front(site, HANG_UP) as front, pytest.raises(NoAnswer):
        kind.client(front.url, key).ask("POST", "players", "alice", "link-code")

    assert len(front.asked) == 1


def test_patience_of_one_call_may_be_another(kind: Kind, site: str, key: str, board: int) -> None:
    with Front(site, HANG_UP, HANG_UP) as front:
        client = kind.client(front.url, key, retry_policy=RetryPolicy(seconds=0))
        with pytest.raises(NoAnswer):
            client.submit([Score(board=board, player="alice", points=5)])
        [result] = client.submit([Score(board=board, player="alice", points=5)], retry_policy=QUICK)

    assert result["status"] == "duplicate"  # the second of two, which hung up too
    assert len(front.asked) == 3
    assert points(kind.client(site, key), board) == {"alice": 10}


def test_a_score_may_name_its_operator_and_carry_metadata_that_rows_return_when_asked(
    kind: Kind, site: str, key: str
) -> None:
    client, board = kind.client(site, key), make_board(operators=["increment"])
    metadata = {"map": "canyon", "time": 1.5}

    client.submit([Score(board=board, player="alice", points=5)])
    [added] = client.submit([Score(board=board, player="alice", points=2, operator="increment", metadata=metadata)])
    asked = (
        client.top(board, metadata=True)["rows"][0],
        client.player(board, "alice", metadata=True),
        client.players(board, ["alice"], metadata=True)["rows"][0],
        client.around(board, "alice", metadata=True)["rows"][0],
        client.view(board, player="alice", metadata=True)["me"],
    )

    assert added["points"] == 7
    assert [row["metadata"] for row in asked] == [metadata] * len(asked)
    assert "metadata" not in client.top(board)["rows"][0]
