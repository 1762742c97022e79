"""More dirty marks than one call looks at: all are found, once each, and taken off."""

import pytest

from foundation import redis
from leaderboards.models import Period, Standing
from leaderboards.services import mirror as mirroring
from leaderboards.stores import zset_settling
from leaderboards.stores.zset_settling import ALL, ZsetSettler
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 1200  # more than Redis keeps in a list, which it shows at once whatever it is asked
A_CALL = 100


@pytest.fixture
def period(monkeypatch: pytest.MonkeyPatch) -> Period:
    board = make_board(storage="redis")
    score(board, {f"p{n}": n for n in range(MANY)})
    monkeypatch.setattr(zset_settling, "MARKS_PER_CALL", A_CALL)
    return Period.objects.select_related("board").filter(board=board).earliest("starts_at")


def test_about_as_many_are_read_as_were_asked_for(period: Period) -> None:
    total, rows = ZsetSettler(redis.boards()).dirty(period, 3 * A_CALL)

    assert total == MANY
    assert 3 * A_CALL <= len(rows) < 5 * A_CALL
    assert len({row.player for row in rows}) == len(rows)


def test_all_are_read_and_taken_off(period: Period) -> None:
    settler = ZsetSettler(redis.boards())
    total, rows = settler.dirty(period, ALL)

    left = settler.clean(period, rows)

    assert {row.player for row in rows} == {f"p{n}" for n in range(MANY)}
    assert (total, left, settler.dirty(period, ALL)) == (MANY, 0, (0, []))


def test_for_nothing_nothing_is_taken_off(period: Period) -> None:
    assert ZsetSettler(redis.boards()).clean(period, []) == MANY


def test_the_mirror_goes_on_until_all_is_copied(period: Period, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirroring, "CHUNK", 250)

    assert mirroring.mirror(period) == MANY
    assert Standing.objects.filter(period=period, score__isnull=False).count() == MANY
