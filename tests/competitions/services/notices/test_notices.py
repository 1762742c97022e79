"""What is held through the night and what becomes of it; being told of a moved end or a cancelling; and wishes."""

from datetime import datetime
from typing import Any

import pytest

from competitions.errors import BadPreference
from competitions.models import Change, Competition, Notice
from competitions.notice_texts import sentences
from competitions.selectors.notices.inbox import inbox, unread
from competitions.selectors.notices.preferences import preference_of
from competitions.services.notices import mail
from competitions.services.notices import notices as telling
from competitions.services.notices.inbox import mark_read
from competitions.services.notices.notices import notify_participants, release_deferred
from competitions.services.notices.preferences import NoticeSettings, save_preference
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.factories import HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import (
    END,
    MORNING,
    NIGHT,
    NOON,
    contest,
    mails,
    noticed,
    told,
    who,
    with_address,
)

pytestmark = pytest.mark.django_db(transaction=True)

LONG = {"ends_at": END + 24 * HOUR}


def changed(competition: Competition, kind: str = "cancelled", at: datetime = NOON) -> Change:
    return Change.objects.create(competition=competition, kind=kind, at=at, reason="Rain")


def test_of_a_moved_end_all_who_take_part_are_told_once_in_chunks_and_of_other_changes_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(telling, "CHUNK", 2)
    names = [f"p{number}" for number in range(5)]
    competition = contest(*names, "bob", "eve")
    competition.participants.filter(player=who("bob")).update(left_at=NOON)
    Player.objects.filter(external_id="eve").update(banned_at=NOON)
    change = changed(competition, "extended")

    assert (notify_participants(change), notify_participants(change)) == (5, 0)

    assert sorted(told()) == [(name, "extended") for name in names]
    assert [each.details for each in Notice.objects.all()] == [{"ends_at": END.isoformat()}] * 5
    for kind in ("published", "removed", "disqualified", "revealed"):
        assert notify_participants(changed(competition, kind)) == 0, kind


def test_who_is_removed_disqualified_or_reinstated_is_told_why_also_in_a_freeze_unless_banned() -> None:
    with_address("ann")
    competition = contest("ann", "bob", "eve", freeze_minutes=25 * 60, frozen_at=NOON - HOUR)
    Player.objects.filter(external_id="eve").update(banned_at=NOON)

    disqualify(competition, who("ann"), "A car.", NOON, None)
    disqualify(competition, who("ann"), "A car again.", NOON, None)
    disqualify(competition, who("eve"), "A bus.", NOON, None)
    reinstate(competition, who("ann"), "It was a bicycle.", NOON + HOUR, None)
    remove(competition, who("bob"), "Asked for it.", NOON + HOUR, None)

    assert told() == [("ann", "disqualified"), ("ann", "reinstated"), ("bob", "removed")]
    assert mails() == ["ann@example.com"] * 2
    said = [" ".join(sentences(each, "UTC")) for each in Notice.objects.order_by("pk")]
    assert [each.split("Reason: ")[1] for each in said] == ["A car.", "It was a bicycle.", "Asked for it."]
    assert not Notice.objects.filter(rank__isnull=False).exists()


def test_a_disqualification_and_its_notice_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = contest("ann")

    def die(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(mail, "queue", die)
    with pytest.raises(SystemExit):
        disqualify(competition, who("ann"), "A car.", NOON, None)

    assert told() == []
    assert not Change.objects.exists()
    assert competition.participants.get().disqualified_at is None


def test_what_was_held_alone_is_released_as_it_is_and_what_together_as_one_for_each_player_and_competition() -> None:
    with_address("ann")
    cup, race = contest(**LONG), contest(**LONG)
    noticed(cup, "ann", "first_taken", "first_lost", "first_taken", at=NIGHT)
    noticed(cup, "bob", "first_lost", at=NIGHT)
    noticed(race, "ann", "top10_entered", at=NIGHT)
    assert (told(), mails(), release_deferred(MORNING - HOUR)) == ([], [], 0)

    assert release_deferred(MORNING) == 3

    assert sorted(told()) == [("ann", "summary"), ("ann", "top10_entered"), ("bob", "first_lost")]
    summary = Notice.objects.get(kind="summary", competition=cup)
    assert [each.kind for each in summary.merged.order_by("pk")] == ["first_taken", "first_lost", "first_taken"]
    assert mails() == ["ann@example.com"] * 2
    assert Notice.objects.get(player=who("bob")).created_at == NIGHT


@pytest.mark.parametrize("over", [{"ends_at": MORNING}, {"cancelled_at": NIGHT}])
@pytest.mark.parametrize("late", [0, 48])
def test_ranks_of_what_is_over_by_morning_are_dropped_and_what_people_did_is_told(
    over: dict[str, Any], late: int
) -> None:
    with_address("ann")
    competition = contest("ann", **over)
    noticed(competition, "ann", "first_taken", "first_lost", at=NIGHT)
    notify_participants(changed(competition, at=NIGHT))

    release_deferred(MORNING + late * HOUR)

    assert told() == [("ann", "cancelled")]
    assert Notice.objects.filter(dropped_at__isnull=False).count() == 2
    assert mails() == ["ann@example.com"]


def test_a_late_run_drops_nothing_that_one_in_time_would_have_told() -> None:
    noticed(contest("ann", ends_at=MORNING + HOUR), "ann", "first_taken", at=NIGHT)

    release_deferred(MORNING + 5 * HOUR)

    assert told() == [("ann", "first_taken")]


def test_releasing_again_or_at_once_or_after_one_that_died_tells_nobody_twice() -> None:
    with_address("ann")
    for _ in range(3):
        noticed(contest("ann", **LONG), "ann", "first_taken", "first_lost", at=NIGHT)
    with dying_at(telling):
        release_deferred(MORNING)
    assert (told(), Notice.objects.count()) == ([], 6)

    at_once([lambda: release_deferred(MORNING)] * 4)

    assert told() == [("ann", "summary")] * 3
    assert len(mails()) == 3
    assert release_deferred(MORNING + HOUR) == 0


def test_an_inbox_holds_what_was_told_and_counts_what_is_unread() -> None:
    competition, ann = contest("ann", **LONG), who("ann")
    noticed(competition, "ann", "first_taken", "first_lost")
    noticed(competition, "ann", "first_taken", at=NIGHT)
    noticed(competition, "bob", "first_lost")

    first = inbox(ann)[0]

    assert [notice.kind for notice in inbox(ann)] == ["first_lost", "first_taken"]
    assert unread(ann) == 2
    assert mark_read(who("bob"), NOON, [first.pk]) == 0
    assert mark_read(ann, NOON, [first.pk]) == 1
    assert (unread(ann), mark_read(ann, NOON), unread(ann)) == (1, 1, 0)


def test_wishes_hold_from_then_on_and_those_that_cannot_work_are_refused_with_the_field_to_blame() -> None:
    ann = who("ann")
    assert preference_of(ann).quiet_from == 23

    save_preference(ann, NoticeSettings(muted=["extended"], timezone="Asia/Seoul", quiet_from=0, quiet_until=0))
    save_preference(ann, NoticeSettings(muted=["cancelled"]))
    for wishes, field in (
        (NoticeSettings(muted=["summary"]), "muted"),
        (NoticeSettings(muted=["rain"]), "muted"),
        (NoticeSettings(muted=["disqualified"]), "muted"),
        (NoticeSettings(muted=["reward_revoked"]), "muted"),
        (NoticeSettings(timezone="Mars/Olympus"), "timezone"),
        (NoticeSettings(quiet_from=24), "quiet_from"),
        (NoticeSettings(quiet_until=-1), "quiet_until"),
    ):
        with pytest.raises(BadPreference) as refused:
            save_preference(ann, wishes)
        assert refused.value.field == field, wishes

    ann.refresh_from_db()
    assert (preference_of(ann).muted, preference_of(ann).quiet_from) == (["cancelled"], 23)
    assert notify_participants(changed(contest("ann"), at=NIGHT)) == 0
