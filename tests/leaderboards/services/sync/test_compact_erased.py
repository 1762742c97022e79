"""Erased players and compact boards: Redis has their numbers, so it forgets them while their ids are still known."""

from collections.abc import Iterator
from contextlib import suppress
from unittest.mock import patch

import pytest

from foundation import clock
from foundation.redis.client import RedisSilent
from leaderboards.core.input.cursors import Cursor, cursor_text, read_cursor
from leaderboards.core.submissions import Status
from leaderboards.errors import StorageUnavailable
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.standings import standings_page
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync.reconcile import reconcile
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.base import Page
from leaderboards.stores.redis.publish import Publisher
from tests.leaderboards.services import divided
from tests.leaderboards.services.divided import POINTS, expected, shown
from tests.leaderboards.services.site import NOON, period_of, score
from tests.leaderboards.services.sync.test_compact import numbers, opened

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.parametrize("partitions", [1, 4]),
]


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with clock.freeze_at(NOON):
        yield


def test_nobody_is_erased_before_redis_has_heard_that_they_left(partitions: int) -> None:
    """Fault: the announcement named an id that no player had any more, and ``erased-7`` stayed in the ranking."""
    board, period = opened(partitions)

    with patch("leaderboards.services.sync.publish._publish"), pytest.raises(StorageUnavailable):
        erase_player("p7", NOON)
    for part in period_of(board).parts:
        reconcile(part)
    erase_player("p7", NOON)

    assert score(board, {"p7": 600})[0].status is Status.UPDATED
    assert numbers(period) == POINTS | {"p7": 600}
    assert shown(board) == (expected(POINTS | {"p7": 600}), True)


@pytest.mark.parametrize("encoding", ["plain", "compact"])
def test_nor_while_redis_has_not_heard_of_their_removal(encoding: str, partitions: int) -> None:
    """Fault: what was marked was published under the new id, and the old one came back with its rank."""
    board, _ = opened(partitions) if encoding == "compact" else divided.opened("hybrid", POINTS, partitions)
    unheard = RedisSilent("Redis does not answer.")
    with patch.object(Publisher, "announce_each", lambda _self, groups, _token: [unheard] * len(groups)):
        remove_player(board, "p7", NOON)

    with suppress(StorageUnavailable):
        erase_player("p7", NOON)
    resync_due(NOON)

    left = {name: number for name, number in POINTS.items() if name != "p7"}
    assert shown(board) == (expected(left), True)
    assert erase_player("p7", NOON).player.startswith("erased-")


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_a_cursor_leads_on_from_a_player_who_was_erased_meanwhile(order: str, partitions: int) -> None:
    """Fault: the place was looked for by number 0, before or behind all with the same score."""
    board, period = opened(partitions, order=order)
    score(board, dict.fromkeys(POINTS, 1000 if order == "desc" else 0))
    first = standings_page(board, period.label, Page(0, 10))
    *seen, last = [row.player for row in first.rows]
    erase_player(last, NOON)

    gap = first.ends.behind
    while gap is not None:
        sent = read_cursor(cursor_text(Cursor("b1", period.label, gap, is_backward=False)))
        page = standings_page(board, period.label, CursorPage(sent.gap, False, 10))
        seen += [row.player for row in page.rows]
        gap = page.ends.behind

    assert sorted([*seen, last]) == sorted(POINTS)
