"""Who hears of what they passed: in the last hours, once, and nothing of what is hidden."""

from datetime import datetime

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.management import expected as naive
from competitions.models import Competition, Notice, Participant, Snapshot
from competitions.services.notices import rank_notices as notify
from competitions.services.notices.rank_notices import compare_due_snapshots
from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.outbox import event_id
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.factories import HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import (
    END,
    NIGHT,
    NOON,
    contest,
    hooks,
    listening,
    mails,
    notices,
    snapshot,
    told,
    wants,
    who,
    with_address,
)

pytestmark = pytest.mark.django_db(transaction=True)

CROWD = [f"p{number:02d}" for number in range(12)]


def overtaken(competition: Competition, before: datetime = NOON - HOUR, after: datetime = NOON) -> None:
    """Bob passes Ann."""
    snapshot(competition, before, "ann", "bob")
    snapshot(competition, after, "bob", "ann")


def test_a_first_snapshot_tells_nobody_and_taking_and_losing_first_place_is_told_to_both() -> None:
    competition = contest("ann", "bob")
    snapshot(competition, NOON - HOUR, "ann", "bob")
    assert compare_due_snapshots(NOON - HOUR) == 0
    snapshot(competition, NOON, "bob", "ann")

    assert compare_due_snapshots(NOON) == 2

    told = Notice.objects.values_list("player__external_id", "kind", "rank", "previous_rank", "created_at")
    assert set(told) == {("ann", "first_lost", 2, 1, NOON), ("bob", "first_taken", 1, 2, NOON)}


def test_one_passage_is_one_notice_the_highest_that_is_wanted() -> None:
    competition = contest(*CROWD)
    snapshot(competition, NOON - HOUR, *CROWD)
    snapshot(competition, NOON, *CROWD[:2], CROWD[11], *CROWD[2:11])
    other = contest(*CROWD, alerts=["top10_entered"])
    snapshot(other, NOON - HOUR, *CROWD)
    snapshot(other, NOON, CROWD[11], *CROWD[:11])

    compare_due_snapshots(NOON)

    assert notices() == [(CROWD[11], "top3_entered"), (CROWD[11], "top10_entered")]
    assert list(Notice.objects.order_by("pk").values_list("rank", "previous_rank")) == [(3, 12), (1, 12)]


def test_the_more_hear_of_it_the_more_rows_but_no_more_questions() -> None:
    listening()
    asked = []
    for tied in (CROWD[1:3], CROWD[1:]):
        competition = contest(*CROWD)
        snapshot(competition, NOON - HOUR, CROWD[0], tuple(tied))
        snapshot(competition, NOON, (CROWD[0], *tied))
        with CaptureQueriesContext(connection) as queries:
            assert compare_due_snapshots(NOON) == len(tied)
        asked.append(len(queries))

    assert asked[0] == asked[1]
    assert WebhookDelivery.objects.filter(kind="rank.first_taken").count() == 2 + 11


def test_players_are_told_nothing_that_they_muted_or_once_they_left_and_mailed_if_they_want() -> None:
    with_address("ann", "bob")
    wants("bob", muted=["first_taken"], by_mail=False)
    competition = contest("ann", "bob", "eve")
    snapshot(competition, NOON - HOUR, "ann", "eve", "p1", "bob")
    snapshot(competition, NOON, "bob", ("ann", "eve"), "p1")
    left = contest("ann", "bob", "eve")
    snapshot(left, NOON - HOUR, "ann", "bob", "eve")
    snapshot(left, NOON, "eve", "bob", "ann")
    Participant.objects.filter(competition=left, player=who("ann")).update(left_at=NOON)

    compare_due_snapshots(NOON)

    assert sorted(notices()) == [("ann", "first_lost"), ("bob", "top3_entered"), ("eve", "first_taken")]
    assert mails() == ["ann@example.com"]


def test_who_is_banned_by_the_time_of_comparing_is_told_nothing() -> None:
    overtaken(contest("ann", "bob"))
    Player.objects.filter(external_id="bob").update(banned_at=NOON)

    compare_due_snapshots(NOON)

    assert notices() == [("ann", "first_lost")]


def test_only_the_last_hours_are_told() -> None:
    expected = {
        (24, END - 24 * HOUR): 0,
        (24, END - 23 * HOUR): 2,
        (2, END - 2 * HOUR): 0,
        (2, END): 2,
        (0, END): 0,
    }
    found = {}

    for hours, due in expected:
        overtaken(contest("ann", "bob", alert_hours=hours), due - HOUR, due)
        found[hours, due] = compare_due_snapshots(due)

    assert found == expected


def test_nothing_is_told_from_the_freeze_on_or_once_cancelled() -> None:
    listening()
    hour = {"freeze_minutes": 60, "frozen_at": NOON}
    revealed = {"revealed_at": END + HOUR, "final_at": END + HOUR}

    for settings in ({"cancelled_at": NOON}, {"freeze_minutes": 25 * 60}, hour, hour | revealed):
        overtaken(contest("ann", "bob", ends_at=END + HOUR, **settings), NOON, NOON + HOUR)
    compare_due_snapshots(NOON + HOUR)

    assert (notices(), hooks()) == ([], [])
    assert not Snapshot.objects.filter(compared_at=None).exists()


def test_what_was_due_before_the_freeze_or_as_it_froze_is_told_also_after_it() -> None:
    for due_at in (NOON - HOUR, NOON):
        overtaken(contest("ann", "bob", freeze_minutes=60, frozen_at=NOON), due_at - HOUR, due_at)

    assert compare_due_snapshots(NOON + HOUR) == 4


def test_what_was_read_after_the_freeze_is_not_told_though_it_was_due_before() -> None:
    overtaken(contest("ann", "bob", freeze_minutes=60, frozen_at=NOON), NOON - 2 * HOUR, NOON - HOUR)
    Snapshot.objects.filter(due_at=NOON - HOUR).update(taken_at=NOON)

    assert compare_due_snapshots(NOON + HOUR) == 0


def test_in_a_small_field_nobody_hears_of_its_top() -> None:
    competition = contest(*CROWD[:4], alerts=["top3_entered", "top10_entered"])
    snapshot(competition, NOON - HOUR, CROWD[0], CROWD[1])
    snapshot(competition, NOON, CROWD[2], CROWD[1], CROWD[0])

    assert compare_due_snapshots(NOON) == 0


NEW = [f"new{number}" for number in range(10)]


@pytest.mark.parametrize(
    ("after", "heard"),
    [
        # p00 is gone, and there is room for one more: p11 passed p10, and not p12.
        ([*CROWD[1:10], "p11", "p12", "p10"], {"p11": "top10_entered"}),
        ([*CROWD[1:], "p12"], {}),
        # The leader fell behind p11, who never was in the top 10, and not behind p10.
        ([*NEW, "p11", "p00", "p10"], {"p00": "first_lost"}),
        ([*NEW, "p00", "p11"], {}),
    ],
    ids=["passed one below", "moved up", "fell behind one below", "fell behind newcomers"],
)
def test_passing_somebody_who_never_held_a_place_in_the_top_is_passing(after: list[str], heard: dict[str, str]) -> None:
    looks = [[*CROWD, "p12"], after]
    competition = contest(*looks[0])
    first, second = (snapshot(competition, NOON - HOUR * (1 - nth), *look) for nth, look in enumerate(looks))

    compare_due_snapshots(NOON)

    plain = [
        naive.ExpectedSnapshot(each.pk, each.due_at, {name: rank for rank, name in enumerate(look, 1)})
        for each, look in zip((first, second), looks, strict=True)
    ]
    assert dict(notices()) == heard
    assert naive.notices(plain, {second.pk}, competition.alerts) == {(second.pk, name): heard[name] for name in heard}


def test_at_night_a_notice_waits_for_morning_without_mail_while_webhooks_are_told_at_once() -> None:
    listening()
    with_address("ann", "bob")
    wants("bob", timezone="America/New_York")  # where it is evening
    overtaken(contest("ann", "bob", ends_at=NIGHT + 20 * HOUR), NIGHT - HOUR, NIGHT)

    compare_due_snapshots(NIGHT)

    assert told() == [("bob", "first_taken")]
    assert mails() == ["bob@example.com"]
    assert Notice.objects.get(player=who("ann")).held_until == NOON + 20 * HOUR
    assert set(hooks()) == {(f"rank.{each.kind}", f"notice-{each.pk}") for each in Notice.objects.all()}
    lost = WebhookDelivery.objects.get(kind="rank.first_lost")
    assert lost.message_id == event_id(f"notice-{Notice.objects.get(player=who('ann')).pk}", NIGHT)
    sent = orjson.loads(lost.body)["data"]
    assert (sent["player"], sent["rank"], sent["previous_rank"]) == ("ann", 2, 1)
    assert sent["quiet_until"] == "2026-11-21T08:00:00Z"


def test_comparing_again_or_at_once_or_after_one_that_died_tells_nobody_twice() -> None:
    listening()
    with_address("bob")
    for _ in range(3):
        overtaken(contest("ann", "bob"))
    with dying_at(notify):
        compare_due_snapshots(NOON)
    assert (notices(), mails(), hooks()) == ([], [], [])

    at_once([lambda: compare_due_snapshots(NOON)] * 4)

    assert compare_due_snapshots(NOON + HOUR) == 0
    assert (len(notices()), len(mails()), len(hooks())) == (6, 3, 6)
