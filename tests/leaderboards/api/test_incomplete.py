"""A partition that does not answer: what the others have is shown, and nobody's rank or number is guessed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.redis.client import RedisClient, RedisSilent, ScriptCall
from leaderboards.core.periods import window_at
from leaderboards.models import Board, Part, Period, Player, Restriction, RestrictionKind
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.sync.mirror import mirror_all
from tests.leaderboards.api.conftest import Caller, Make

POINTS = {f"p{n}": n for n in range(1, 31)}
Silenced = Callable[[Part], AbstractContextManager[None]]


@contextmanager
def silenced(part: Part) -> Iterator[None]:
    """Nobody hears from this partition; those who write to it do."""
    exchange = RedisClient.try_many

    def try_many(client: RedisClient, calls: Sequence[ScriptCall]) -> list[Any]:
        return [
            RedisSilent("silent") if call.script.name == "beside" and call.keys[0] == part.family.gen else answer
            for call, answer in zip(calls, exchange(client, calls), strict=True)
        ]

    with patch.object(RedisClient, "try_many", try_many):
        yield


@pytest.fixture(params=["hybrid", "redis"])
def divided(request: pytest.FixtureRequest, make_board: Make, game: Caller) -> int:
    """A board of four partitions with thirty players, in SQL too."""
    seq = make_board("Divided", storage=request.param, partitions=4, ties="shared")
    game.score(seq, **POINTS)
    return seq


def running(seq: int) -> Period:
    board = Board.objects.get(seq=seq)
    return Period.objects.get(board=board, label=window_at(board.calendar, clock.now()).label)


def test_rows_of_the_others_are_told_without_ranks_and_totals(divided: int, anybody: Caller) -> None:
    period = running(divided)
    silent = period.part_of("p7")
    others = [name for name in reversed(POINTS) if period.part_of(name) is not silent]
    base = f"/boards/{divided}"

    with silenced(silent):
        page = anybody.get(f"{base}/standings?limit=30").json()
        around = anybody.get(f"{base}/players/{others[5]}/around?radius=2").json()
        row = anybody.get(f"{base}/players/{others[5]}").json()
        view = anybody.get(f"{base}/view?player={others[5]}").json()
        share = anybody.get(f"{base}/players/{others[5]}/percentile?exact=true").json()

    assert [each["player"] for each in page["rows"]] == others
    assert [each["player"] for each in around["rows"]] == others[3:8]
    assert (row["player"], row["points"], view["me"]["points"]) == (others[5], POINTS[others[5]], POINTS[others[5]])
    for answer in (page, around, row, view, share):
        assert (answer["complete"], answer["live"], answer["total"]) == (False, False, None)
    for each in (*page["rows"], *around["rows"], row, view["me"]):
        assert (each["rank"], each["tied"]) == (None, None)
    assert (row["percentile"], share["top"]) == (None, None)
    after = anybody.get(f"{base}/standings?limit=30").json()
    assert ("complete" in after, after["live"], after["total"]) == (False, True, 30)
    assert [each["rank"] for each in after["rows"]] == [*range(1, 31)]


@pytest.mark.parametrize("kind", [RestrictionKind.HIDDEN, RestrictionKind.BANNED])
def test_a_hidden_player_of_the_silent_partition_takes_nobody_off_the_page(
    divided: int, anybody: Caller, kind: RestrictionKind
) -> None:
    """Fault: each of them who was better than the first row took a row that may be shown off every page."""
    board, period = Board.objects.get(seq=divided), running(divided)
    mirror_all()
    silent = period.part_of("p30")
    hidden = [name for name in reversed(POINTS) if period.part_of(name) is silent][:2]
    others = [name for name in reversed(POINTS) if period.part_of(name) is not silent]
    hidden.append(others.pop(1))  # of a partition that answers
    for player in Player.objects.filter(external_id__in=hidden):
        Restriction.objects.create(player=player, board=board, kind=kind, since=clock.now(), reason="bot")
    clear_hidden_cache()
    base = f"/boards/{divided}"

    with silenced(silent):
        first = anybody.get(f"{base}/standings?limit=5").json()
        later = anybody.get(f"{base}/standings?offset=5&limit=5").json()
        around = anybody.get(f"{base}/players/{others[3]}/around?radius=2").json()
        gone = anybody.get(f"{base}/players/{hidden[0]}")

    assert [each["player"] for each in first["rows"]] == others[:5]
    assert [each["player"] for each in later["rows"]] == others[5:10]
    assert [each["player"] for each in around["rows"]] == others[1:6]
    assert gone.status_code == 404
    assert [row["player"] for row in anybody.get(f"{base}/standings?limit=30").json()["rows"]] == [
        name for name in reversed(POINTS) if name not in hidden
    ]


def test_a_player_of_the_silent_partition_is_found_in_sql(make_board: Make, game: Caller, anybody: Caller) -> None:
    seq = make_board("Divided", partitions=4)
    game.score(seq, **POINTS)

    with silenced(running(seq).part_of("p7")):
        answer = anybody.get(f"/boards/{seq}/players/p7").json()

    assert (answer["points"], answer["rank"], answer["complete"]) == (7, None, False)


def test_the_rank_that_a_submission_made_is_left_out(make_board: Make, game: Caller) -> None:
    seq = make_board("Divided", partitions=4)
    game.score(seq, **POINTS)

    with silenced(running(seq).part_of("p7")):
        told = game.submit({"board": seq, "player": "p8", "points": 99}, query="?ranks=true")

    assert told["results"][0]["status"] == "updated"
    assert told["results"][0]["rank"] is None
