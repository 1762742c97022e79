"""The mirror asks all families at once whether SQL lacks something, and copies only those of which it does."""

from collections.abc import Iterator
from typing import Any

import pytest

from foundation import clock
from foundation.redis import client as redis
from foundation.redis.client import RedisAway
from leaderboards.models import Part, Standing
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.stores.redis.quiet import quiet_parts
from leaderboards.stores.redis.sync import ZsetSync
from tests.leaderboards.services.divided import POINTS, opened
from tests.leaderboards.services.site import NOON, redis_client, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """The families that were asked for their dirty standings one by one."""
    parts, dirty = list[Part](), ZsetSync.dirty

    def noted(self: ZsetSync, part: Part, limit: int) -> Any:
        parts.append(part)
        return dirty(self, part, limit)

    monkeypatch.setattr(ZsetSync, "dirty", noted)
    return parts


def test_quiet_families_are_asked_together_and_not_again(asked: list[Part]) -> None:
    board, period = opened("redis")
    mirror_all()
    asked.clear()

    assert mirror_all() == 0
    assert asked == []

    score(board, {"late": 5})
    assert mirror_all() == 1
    assert set(asked) == {period.part_of("late")}
    assert Standing.objects.filter(period=period).count() == len(POINTS) + 1


def test_who_cannot_tell_is_not_quiet() -> None:
    _, period = opened("redis")
    mirror_all()
    lost, *others = period.parts
    with redis_client() as client:
        client.delete(*lost.family.all_keys)

    assert quiet_parts(redis.boards(), period.parts) == set(others)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("foundation.redis.client.RedisClient.try_many", _raise_away)
        assert quiet_parts(redis.boards(), period.parts) == set()


def _raise_away(*_: Any) -> None:
    raise RedisAway("gone")
