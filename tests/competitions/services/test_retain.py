"""What competitions of long ago let go of, and what stays."""

from datetime import timedelta

import pytest
from django.conf import settings

from competitions.models import Competition, Mail, Notice, NoticeKind, Snapshot, SnapshotRow
from competitions.services import retain
from competitions.services.retain import retain_due
from tests.competitions.site import DAY, MINUTE, START, open_competition, player

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

LONG_AFTER = START + (settings.KEEP_RECORDS_DAYS + 2) * DAY


def told(competition: Competition) -> None:
    notice = Notice.objects.create(
        competition=competition, player=player("ann"), kind=NoticeKind.FIRST_TAKEN, created_at=START
    )
    Mail.objects.create(notice=notice, to="ann@example.com", created_at=START)


def seen(competition: Competition, times: int) -> None:
    moments = [START + nth * MINUTE for nth in range(times)]
    taken = [Snapshot(competition=competition, due_at=at, taken_at=at, total=1) for at in moments]
    ann, kept = player("ann"), Snapshot.objects.bulk_create(taken)
    rows = [SnapshotRow(snapshot=each, player=ann, rank=1, points=nth) for nth, each in enumerate(kept)]
    SnapshotRow.objects.bulk_create(rows)


def over(competition: Competition, at: timedelta = DAY) -> None:
    Competition.objects.filter(pk=competition.pk).update(final_at=START + at)


def test_notices_and_most_snapshots_of_long_ago_go() -> None:
    competition = open_competition()
    told(competition)
    seen(competition, 100)
    over(competition)

    gone = retain_due(LONG_AFTER)

    points = list(SnapshotRow.objects.order_by("points").values_list("points", flat=True))
    assert (Notice.objects.count(), Mail.objects.count()) == (0, 0)
    assert points == list(range(0, 100, 3))
    assert gone == 1 + 100 - len(points)
    assert retain_due(LONG_AFTER) == 0


def test_what_is_young_or_still_running_stays_and_a_short_history_keeps_every_step() -> None:
    running, young, short = (open_competition() for _ in range(3))
    for competition in (running, young):
        told(competition)
        seen(competition, retain.STEPS + 1)
    seen(short, retain.STEPS)
    over(young, (settings.KEEP_RECORDS_DAYS + 1) * DAY)
    over(short)

    assert retain_due(LONG_AFTER) == 0

    assert (Notice.objects.count(), Snapshot.objects.count()) == (2, 3 * retain.STEPS + 2)
