"""What the store tells by plain commands, and more dirty marks than one call looks at."""

from collections.abc import Sequence
from itertools import count

import pytest

from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards import selectors
from leaderboards.models import Period, Standing
from leaderboards.services.sync import mirror as mirroring
from leaderboards.stores.base import ForPlayers
from leaderboards.stores.redis import sync
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.single_rank import has_plain_rank, plain_rank
from leaderboards.stores.redis.sync import ALL, DirtyStanding, ZsetSync
from tests.playing import make_board, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

POINTS = {"omar": 9, "mina": 7, "robin": 7, "aiko": 1}
MANY = 600  # more than Redis keeps in a list, which it shows at once whatever it is asked
A_CALL = 50


def played(points: dict[str, int], **settings: object) -> Period:
    board = make_board(**settings)
    score(board, points)
    return Period.objects.select_related("board").filter(board=board).earliest("starts_at")


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize("ties", ["first_come", "last_come"])
def test_a_rank_by_plain_commands_is_that_of_the_store(order: str, ties: str) -> None:
    period = played(POINTS, order=order, ties=ties, tie_break="score")
    (rows,) = ZsetStore(redis.boards()).read(period, [ForPlayers(tuple(POINTS))]).answers

    found = {player: plain_rank(redis.boards(), period, player) for player in POINTS}

    assert has_plain_rank(period)
    assert found == {row.member: row.rank for row in rows} == selectors.ranks(period, POINTS)
    assert selectors.ranks(period, ["robin"]) == {"robin": found["robin"]}
    assert plain_rank(redis.boards(), period, "nobody") is None
    period.generation += 1
    with pytest.raises(StaleGeneration):
        plain_rank(redis.boards(), period, "omar")


def test_where_a_place_is_no_rank_the_script_is_asked() -> None:
    for settings, rank in (({"ties": "shared"}, 4), ({"ties": "dense"}, 3), ({"tie_break": "member"}, 4)):
        period = played(POINTS, name=str(settings), **settings)

        assert (has_plain_rank(period), selectors.ranks(period, ["aiko"])) == (False, {"aiko": rank})


def test_a_board_that_is_written_faster_than_it_is_mirrored_keeps_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy = played({f"p{n}": n for n in range(MANY)}, name="busy", storage="redis")
    quiet = played({"a": 1, "b": 2}, name="quiet", storage="redis")
    copy, chunks = mirroring._copy, count(1)

    def copy_while_others_score(period: Period, rows: Sequence[DirtyStanding]) -> None:
        chunk = next(chunks)
        assert chunk < 500, "it never ends"
        copy(period, rows)
        if period == busy:
            score(busy.board_id, {row.player: MANY + chunk for row in rows})

    monkeypatch.setattr(sync, "MARKS_PER_CALL", A_CALL)
    monkeypatch.setattr(mirroring, "CHUNK", A_CALL)
    monkeypatch.setattr(mirroring, "_copy", copy_while_others_score)

    mirroring.mirror_all(seconds=0.5)

    assert Standing.objects.filter(period=quiet, score__isnull=False).count() == 2
    assert ZsetSync(redis.boards()).dirty(busy, 1)[0] == MANY


def test_all_dirty_marks_are_found_once_each_and_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    period = played({f"p{n}": n for n in range(MANY)}, storage="redis")
    settler = ZsetSync(redis.boards())
    monkeypatch.setattr(sync, "MARKS_PER_CALL", A_CALL)
    monkeypatch.setattr(mirroring, "CHUNK", 250)

    total, some = settler.dirty(period, 3 * A_CALL)
    every = settler.dirty(period, ALL)[1]

    assert total == MANY
    assert 3 * A_CALL <= len({row.player for row in some}) == len(some) < 5 * A_CALL
    assert {row.player for row in every} == {f"p{n}" for n in range(MANY)}
    assert settler.clear_dirty(period, []) == MANY  # for nothing, nothing is taken off
    assert mirroring.mirror(period) == MANY  # it goes on until all is copied
    assert Standing.objects.filter(period=period, score__isnull=False).count() == MANY
    assert settler.dirty(period, ALL) == (0, [])
