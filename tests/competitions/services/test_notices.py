"""What is held through the night and what becomes of it; and being told of a moved end or a cancelling."""

from datetime import datetime
from typing import Any

import pytest

from competitions.errors import BadPreference
from competitions.models import Change, Competition, Notice, NoticeKind
from competitions.selectors.inbox import inbox, unread
from competitions.selectors.preferences import preference_of
from competitions.services import notices as telling
from competitions.services.inbox import mark_read
from competitions.services.notices import release_held, tell_participants, write
from competitions.services.preferences import Wishes, keep
from tests.at_once import at_once
from tests.competitions.services.telling import (
    END,
    HOUR,
    MORNING,
    NIGHT,
    NOON,
    contest,
    mails,
    notices,
    told,
    wants,
    who,
    with_address,
)

pytestmark = pytest.mark.django_db(transaction=True)


def changed(competition: Competition, kind: str = "cancelled", at: datetime = NOON) -> Change:
    return Change.objects.create(competition=competition, kind=kind, at=at, reason="Rain")


def written(competition: Competition, name: str, *kinds: str, at: datetime = NIGHT) -> None:
    for kind in kinds:
        write([Notice(competition=competition, player=who(name), kind=kind, rank=1)], at)


def test_everybody_who_takes_part_is_told_of_a_moved_end_once_however_often_that_runs() -> None:
    competition = contest("ann", "bob")
    competition.participants.filter(player=who("bob")).update(left_at=NOON)
    change = changed(competition, "extended")

    assert (tell_participants(change), tell_participants(change)) == (1, 0)

    assert told() == [("ann", "extended")]
    assert Notice.objects.get().details == {"ends_at": END.isoformat()}


def test_people_in_their_thousands_are_told_a_chunk_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "CHUNK", 2)
    names = [f"p{number}" for number in range(5)]

    assert tell_participants(changed(contest(*names))) == 5

    assert sorted(told()) == [(name, "cancelled") for name in names]


@pytest.mark.parametrize("kind", ["published", "removed", "disqualified", "revealed"])
def test_of_other_changes_nobody_is_told(kind: str) -> None:
    assert tell_participants(changed(contest("ann"), kind)) == 0


def test_what_was_held_alone_is_released_as_it_is() -> None:
    with_address("ann")
    written(contest("ann", ends_at=END + 24 * HOUR), "ann", "first_taken")
    assert (told(), mails(), release_held(MORNING - HOUR)) == ([], [], 0)

    assert release_held(MORNING) == 1

    assert told() == [("ann", "first_taken")]
    assert mails() == ["ann@example.com"]
    assert Notice.objects.get().created_at == NIGHT


def test_what_was_held_together_becomes_one_for_each_player_and_competition() -> None:
    with_address("ann")
    cup, race = contest(ends_at=END + 24 * HOUR), contest(ends_at=END + 24 * HOUR)
    written(cup, "ann", "first_taken", "first_lost", "first_taken")
    written(cup, "bob", "first_lost")
    written(race, "ann", "top10_entered", "first_taken")

    assert release_held(MORNING) == 3

    assert sorted(told()) == [("ann", "summary"), ("ann", "summary"), ("bob", "first_lost")]
    summary = Notice.objects.get(kind="summary", competition=cup)
    assert [each.kind for each in summary.merged.order_by("pk")] == ["first_taken", "first_lost", "first_taken"]
    assert mails() == ["ann@example.com"] * 2


@pytest.mark.parametrize("over", [{"ends_at": MORNING}, {"cancelled_at": NIGHT}])
@pytest.mark.parametrize("late", [0, 48])
def test_ranks_of_what_is_over_by_morning_are_dropped_and_what_people_did_is_told(
    over: dict[str, Any], late: int
) -> None:
    with_address("ann")
    competition = contest("ann", **over)
    written(competition, "ann", "first_taken", "first_lost")
    tell_participants(changed(competition, at=NIGHT))

    release_held(MORNING + late * HOUR)

    assert told() == [("ann", "cancelled")]
    assert Notice.objects.filter(dropped_at__isnull=False).count() == 2
    assert mails() == ["ann@example.com"]


def test_a_late_run_drops_nothing_that_one_in_time_would_have_told() -> None:
    written(contest("ann", ends_at=MORNING + HOUR), "ann", "first_taken")

    release_held(MORNING + 5 * HOUR)

    assert told() == [("ann", "first_taken")]


def test_releasing_again_or_at_once_tells_nobody_twice() -> None:
    with_address("ann")
    for _ in range(3):
        written(contest("ann", ends_at=END + 24 * HOUR), "ann", "first_taken", "first_lost")

    at_once([lambda: release_held(MORNING)] * 4)

    assert told() == [("ann", "summary")] * 3
    assert len(mails()) == 3
    assert release_held(MORNING + HOUR) == 0


def test_a_release_that_dies_before_its_end_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written(contest("ann", ends_at=END + 24 * HOUR), "ann", "first_taken", "first_lost")

    def dies(name: str) -> None:
        raise SystemExit(name)

    with monkeypatch.context() as patch:
        patch.setattr(telling, "failpoint", dies)
        with pytest.raises(SystemExit):
            release_held(MORNING)
    assert (told(), len(notices())) == ([], 2)

    assert release_held(MORNING) == 1
    assert told() == [("ann", "summary")]


def test_an_inbox_holds_what_was_told_and_counts_what_is_unread() -> None:
    competition = contest("ann", ends_at=END + 24 * HOUR)
    written(competition, "ann", "first_taken", "first_lost", at=NOON)
    written(competition, "ann", "first_taken")
    written(competition, "bob", "first_lost", at=NOON)

    first = inbox(who("ann"))[0]

    assert [notice.kind for notice in inbox(who("ann"))] == ["first_lost", "first_taken"]
    assert unread(who("ann")) == 2
    assert mark_read(who("bob"), NOON, [first.pk]) == 0
    assert mark_read(who("ann"), NOON, [first.pk]) == 1
    assert (unread(who("ann")), mark_read(who("ann"), NOON), unread(who("ann"))) == (1, 1, 0)


def test_wishes_are_kept_and_hold_from_then_on() -> None:
    ann = who("ann")
    assert preference_of(ann).quiet_from == 23

    keep(ann, Wishes(muted=["extended"], timezone="Asia/Seoul", quiet_from=0, quiet_until=0))
    keep(ann, Wishes(muted=["cancelled"]))

    ann.refresh_from_db()
    assert (preference_of(ann).muted, preference_of(ann).quiet_from) == (["cancelled"], 23)
    assert tell_participants(changed(contest("ann"))) == 0


@pytest.mark.parametrize(
    ("wishes", "field"),
    [
        (Wishes(muted=["summary"]), "muted"),
        (Wishes(muted=["rain"]), "muted"),
        (Wishes(timezone="Mars/Olympus"), "timezone"),
        (Wishes(quiet_from=24), "quiet_from"),
        (Wishes(quiet_until=-1), "quiet_until"),
    ],
)
def test_wishes_that_cannot_work_are_refused(wishes: Wishes, field: str) -> None:
    with pytest.raises(BadPreference) as refused:
        keep(who("ann"), wishes)

    assert refused.value.field == field


def test_a_muted_kind_is_not_held_either() -> None:
    wants("ann", muted=[NoticeKind.CANCELLED])

    tell_participants(changed(contest("ann"), at=NIGHT))

    assert notices() == []
