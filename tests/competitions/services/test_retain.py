"""What is of long ago goes: notices and most snapshots; what is young, or of a competition that runs, stays."""

from datetime import timedelta

import pytest
from django.conf import settings

from competitions.models import Competition, Mail, Notice, Snapshot, SnapshotRow
from competitions.services import retain
from competitions.services.retain import retain_due
from tests.competitions.factories import DAY, MINUTE, START
from tests.competitions.services.erasure.test_anonymize import tell
from tests.competitions.site import open_competition, player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


KEPT = settings.KEEP_RECORDS_DAYS * DAY


def seen(competition: Competition, times: int) -> None:
    moments = [START + nth * MINUTE for nth in range(times)]
    taken = [Snapshot(competition=competition, due_at=at, taken_at=at, total=1) for at in moments]
    ann, kept = player("ann"), Snapshot.objects.bulk_create(taken)
    rows = [SnapshotRow(snapshot=each, player=ann, rank=1, points=nth) for nth, each in enumerate(kept)]
    SnapshotRow.objects.bulk_create(rows)


def over(competition: Competition, after: timedelta) -> None:
    Competition.objects.filter(pk=competition.pk).update(final_at=START + after)


def test_notices_and_most_snapshots_of_long_ago_go_and_what_is_young_or_short_or_still_running_stays() -> None:
    old, running, young, short = (open_competition() for _ in range(4))
    for competition, times in ((old, 100), (running, retain.STEPS + 1), (young, retain.STEPS + 1)):
        tell(competition, "ann")
        seen(competition, times)
    seen(short, retain.STEPS)
    over(old, DAY)
    over(short, DAY)
    over(young, KEPT + DAY)

    gone = retain_due(START + KEPT + 2 * DAY)

    points = SnapshotRow.objects.filter(snapshot__competition=old).order_by("points").values_list("points", flat=True)
    assert list(points) == list(range(0, 100, 3))
    assert gone == 1 + 100 - len(points)
    assert (Notice.objects.count(), Mail.objects.count()) == (2, 2)
    assert Snapshot.objects.exclude(competition=old).count() == 3 * retain.STEPS + 2
    assert retain_due(START + KEPT + 2 * DAY) == 0
