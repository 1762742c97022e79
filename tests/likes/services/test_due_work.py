"""The look of each second at kinds: it sees what waits to be counted, mirrored or settled, and nothing else."""

import pytest

from foundation.models import Heartbeat
from leaderboards.stores.sql.writes import ensure_players
from likes.core.kinds import Storage
from likes.models import LikeCount, LikeKind
from likes.registry import Likeable
from likes.selectors.lag import MIRROR
from likes.services import mirror
from likes.services.count import count
from likes.services.due_work import COUNT_TASK, MIRROR_TASK, SETTLE_TASK, find_due_work
from likes.services.resync import resync_due
from likes.stores.base import Store
from tests.contracts.likes.kinds import LATER, NOW
from tests.likes.kept import IN_REDIS
from tests.raw import empty_boards

pytestmark = pytest.mark.django_db(transaction=True)
IN_SQL = pytest.mark.parametrize("storage", [Storage.SQL, Storage.HYBRID], ids=str)


@pytest.fixture(autouse=True)
def _known(kind: Likeable) -> None:
    ensure_players(["a"], NOW)


@IN_SQL
def test_a_like_that_sql_decided_is_due_until_it_is_counted(kind: Likeable, store: Store) -> None:
    assert find_due_work() == []

    store.like("1", "a", NOW)

    assert find_due_work() == [COUNT_TASK]
    count(kind, LATER)
    assert find_due_work() == []


def test_a_count_that_redis_was_not_told_is_due(kind: Likeable, store: Store) -> None:
    store.like("1", "a", NOW)
    count(kind, LATER)
    LikeCount.objects.update(pending_publish=True)

    assert find_due_work() == [COUNT_TASK]
    count(kind, LATER)
    assert find_due_work() == []


@IN_SQL
def test_a_kind_that_was_kept_elsewhere_is_due(kind: Likeable, storage: Storage) -> None:
    was = Storage.HYBRID if storage is Storage.SQL else Storage.SQL
    LikeKind.objects.update_or_create(kind=kind.kind, defaults={"storage": was})

    assert find_due_work() == [COUNT_TASK]
    count(kind, LATER)
    assert COUNT_TASK not in find_due_work()


@IN_REDIS
def test_a_like_that_redis_decided_is_due_until_it_is_mirrored(kind: Likeable, store: Store) -> None:
    assert find_due_work() == []
    assert Heartbeat.objects.filter(name=MIRROR).exists()

    store.like("1", "a", NOW)

    assert find_due_work() == [MIRROR_TASK]
    mirror.mirror_all()
    assert find_due_work() == []


@IN_REDIS
@pytest.mark.parametrize("cause", ["new", "flushed", "stale", "kept elsewhere"])
def test_whatever_settling_is_for_is_seen(kind: Likeable, cause: str) -> None:
    rows = LikeKind.objects.filter(kind=kind.kind)
    match cause:
        case "new":
            rows.delete()
        case "flushed":
            empty_boards()
        case "stale":
            rows.update(stale_since=NOW)
        case _:
            rows.update(storage=Storage.SQL)

    assert find_due_work() == [SETTLE_TASK]
    resync_due(LATER)
    assert find_due_work() == []
