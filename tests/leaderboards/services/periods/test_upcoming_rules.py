"""Periods that have not begun take over what changes on their board; one that has begun keeps its rules."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import RedisAway
from leaderboards import selectors
from leaderboards.errors import StorageUnavailable
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import save_board
from leaderboards.services.periods import upcoming_rules
from leaderboards.services.sync.mirror import mirror_all
from tests.leaderboards.services.site import NOON, make_board, period_of, score
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
WITH_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])
EVERY = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])


@pytest.fixture(autouse=True)
def _at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


def upcoming_of(board: Board) -> tuple[Period, datetime]:
    """The next period, and when it begins."""
    period = Period.objects.get(board=board, starts_at__gt=NOON)
    assert period.starts_at is not None
    return period, period.starts_at


def shown(board: Board, label: str) -> dict[str, str]:
    return {row.player: str(row.points) for row in selectors.standings(board, label, offset=0, limit=9).rows}


@EVERY
def test_a_change_that_waits_for_a_turn_leaves_the_period_that_has_begun_as_it_is(storage: str) -> None:
    """Fault: 900 points were read as -99,100, since the rules changed under standings."""
    board = make_board(storage)
    following, starts_at = upcoming_of(board)
    refresh, wanted = upcoming_rules._refresh, {"name": board.name, "minimum": -100_000}

    def after_the_turn(period: Period, rules: dict[str, object], partitions: int) -> None:
        """The process was held up; meanwhile the period begins and somebody scores."""
        with clock.freeze_at(starts_at + timedelta(minutes=1)):
            score(board, {"ann": 900}, clock.now())
            refresh(period, rules, partitions)

    with patch.object(upcoming_rules, "_refresh", after_the_turn):
        apply_boards([wanted], NOON)

    clear_board_cache()
    with clock.freeze_at(starts_at + timedelta(minutes=2)):
        assert shown(board, following.label) == {"ann": "900"}
    following.refresh_from_db()
    assert following.rules.minimum == 0


@EVERY
def test_whoever_has_read_the_old_rules_judges_by_the_new_ones(storage: str) -> None:
    board = make_board(storage)
    following, starts_at = upcoming_of(board)
    old = Period.objects.select_related("board").get(pk=following.pk)

    board.maximum = 7
    save_board(board)

    with (
        clock.freeze_at(starts_at + timedelta(minutes=1)),
        patch("leaderboards.services.submit.request_periods.cached_period", return_value=old),
    ):
        score(board, {"ann": 9, "bob": 5}, clock.now())
        mirror_all()
    with clock.freeze_at(starts_at + timedelta(minutes=2)):
        clear_board_cache()
        assert "ann" not in shown(board, following.label)


def test_where_redis_decides_and_is_away_nothing_is_changed() -> None:
    board = make_board("redis")
    before = upcoming_of(board)[0].rules_json
    board.maximum = 7

    with (
        patch.object(redis.exclusive_client(), "_exchange", side_effect=RedisAway("away")),
        pytest.raises(StorageUnavailable),
    ):
        save_board(board)

    assert upcoming_of(board)[0].rules_json == before
    assert Board.objects.get().maximum != 7


@WITH_REDIS
def test_a_period_that_has_not_begun_is_live_under_its_new_rules(storage: str) -> None:
    board = make_board(storage)
    board.maximum = 7
    save_board(board)

    following, _ = upcoming_of(board)

    assert following.rules.maximum == 7
    assert following.stale_since is None
    assert redis.boards().call("GET", following.family.gen) == str(following.generation).encode()
    assert period_of(board, NOON).rules.maximum != 7
