"""Freezing: the copy stays as it was, is made once, and the schedule leaves it alone."""

import pytest

from leaderboards import selectors
from leaderboards.models import Period, PeriodState
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_period
from leaderboards.services.periods.reschedule import move_end
from leaderboards.services.periods.retention import drop_submissions, expire_due
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from tests.at_once import at_once
from tests.leaderboards.services.contest import ENDS, KnownEvents, period_of
from tests.leaderboards.services.copying import copy_period
from tests.leaderboards.services.race import HOUR, LABEL, MILLISECONDS, Race
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    WHO_DECIDES,
    final,
    redis_client,
)


@WHO_DECIDES
@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
def test_one_copy_is_made_and_stays_as_it_was_while_the_race_goes_on(
    declared: KnownEvents, storage: str, ties: str
) -> None:
    race = Race(declared, storage, {"ties": ties, "update": "increment"})
    period = race.begin()
    before, times = race.shown(), race.times()

    made = at_once([lambda: copy_period(period_of(race.event), LABEL, NOON).pk] * 3)
    race.go_on(NOON + HOUR)
    move_end(period, race.announce(6 * DAY), NOON)
    made.append(copy_period(period, LABEL, NOON + 2 * HOUR).pk)

    assert len(set(made)) == 1
    _, exported = selectors.export_rows(race.event.board, LABEL)
    assert {row.player: row.achieved_at for row in exported} == times
    assert race.shown(LABEL) == before
    assert race.shown() == race.expected() != before
    assert selectors.find_period_info(race.event.board, LABEL, NOON).ends_at == ENDS


@WHO_DECIDES
def test_it_is_what_closing_would_have_written_and_the_schedule_leaves_it_alone(
    declared: KnownEvents, storage: str
) -> None:
    race = Race(declared, storage, MILLISECONDS)
    board = race.event.board
    empty = copy_period(open_period(board, race.event.window), "c7-empty", NOON)
    period = race.begin()

    def read(label: str) -> list[object]:
        me, near = selectors.player_row(board, "p3", label), selectors.around(board, "p3", 2, label)
        return [me.row, near.rows, near.total, selectors.distribution(board, label).histogram]

    copy = copy_period(period, LABEL, NOON)
    before = race.shown(LABEL)
    assert read(LABEL) == read("c7")
    mirror_all()
    with redis_client() as client:
        client.flushdb()
        resync_due(NOON)
        verified = verify_all(NOON, seconds=10)
        closed = close_due(ENDS + DAY)
        assert (final(empty), final(copy)) == ([], final(period))
        expire_due(ENDS + 90 * DAY)
        drop_submissions(ENDS + 200 * DAY)
        assert not client.keys(f"*{LABEL}*")

    assert copy.content_hash == period_of(race.event).content_hash
    assert (copy.starts_at, copy.ends_at, copy.rules) == (period.starts_at, period.ends_at, period.rules)
    assert LABEL not in {each.label for each in verified} | {each.label for each in closed}
    assert Period.objects.get(pk=copy.pk).state == PeriodState.EXPIRED
    assert race.shown(LABEL) == before
