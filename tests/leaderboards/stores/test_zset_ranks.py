"""A rank by plain commands is the rank that the store tells, or nothing at all."""

import pytest

from foundation import redis
from leaderboards import selectors
from leaderboards.models import Period
from leaderboards.stores.base import Named, Stale
from leaderboards.stores.zset import ZsetStore
from leaderboards.stores.zset_ranks import is_plain, plain_rank
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

POINTS = {"omar": 9, "mina": 7, "robin": 7, "aiko": 1}


def played(**settings: object) -> Period:
    board = make_board(**settings)
    score(board, POINTS)
    return Period.objects.select_related("board").filter(board=board).earliest("starts_at")


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize("ties", ["first_come", "last_come"])
def test_it_is_the_rank_of_the_store(order: str, ties: str) -> None:
    period = played(order=order, ties=ties, tie_break="score")
    (rows,) = ZsetStore(redis.boards()).read(period, [Named(tuple(POINTS))]).answers

    found = {player: plain_rank(redis.boards(), period, player) for player in POINTS}

    assert is_plain(period)
    assert found == {row.member: row.rank for row in rows}
    assert plain_rank(redis.boards(), period, "nobody") is None


@pytest.mark.parametrize("settings", [{"ties": "shared"}, {"ties": "dense"}, {"tie_break": "member"}])
def test_where_a_place_is_no_rank_the_script_is_asked(settings: dict[str, object]) -> None:
    period = played(**settings)

    assert not is_plain(period)
    assert selectors.ranks(period, ["aiko"]) == {"aiko": 3 if settings == {"ties": "dense"} else 4}


def test_another_generation_is_no_answer() -> None:
    period = played(tie_break="score")
    period.generation += 1

    with pytest.raises(Stale):
        plain_rank(redis.boards(), period, "omar")


def test_one_and_many_players_get_the_same_ranks() -> None:
    period = played(tie_break="score")

    assert selectors.ranks(period, ["robin"]) == {"robin": selectors.ranks(period, POINTS)["robin"]}
