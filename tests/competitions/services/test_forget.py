"""What competitions let go of: all that they know of an erased player, and most of what lies long back."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from competitions.models import (
    Change,
    Competition,
    Mail,
    Notice,
    Participant,
    Preference,
    RewardGrant,
    Snapshot,
    SnapshotRow,
)
from competitions.services import retain
from competitions.services.comment import edit, write
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.join import join, leave
from competitions.services.preferences import Wishes, keep
from competitions.services.retain import retain_due
from foundation import clock
from leaderboards.errors import UnknownPlayer
from leaderboards.models import FinalStanding
from leaderboards.services.erase import erase_player
from tests.competitions.factories import DAY, END, MINUTE, START
from tests.competitions.site import SOON, open_competition, period_of, player, race
from tests.competitions.talking import liked, say
from tests.leaderboards.commands.calls import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

KEPT = settings.KEEP_RECORDS_DAYS * DAY


def tell(competition: Competition, name: str) -> None:
    ann = player(name)
    notice = Notice.objects.create(competition=competition, player=ann, kind="first_taken", created_at=START)
    Mail.objects.create(notice=notice, to="ann@example.com", created_at=START)


def test_what_an_erased_player_was_told_and_wished_goes_and_they_leave_what_runs() -> None:
    competition = race({"ann": 9, "bob": 5})
    leave(competition, player("bob"), SOON)
    tell(competition, "ann")
    Preference.objects.create(player=player("ann"))
    competition.invitations.create(external_id="ann")

    erased, gone_before = (erase_player(name, clock.now()).player for name in ("ann", "bob"))

    assert not any(model.objects.exists() for model in (Notice, Mail, Preference))
    assert not competition.invitations.exists()
    assert not Participant.objects.get(player__external_id=erased).takes_part
    assert Participant.objects.get(player__external_id=gone_before).left_at == SOON


def test_a_final_place_of_an_erased_player_stays_and_a_reason_goes() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 1})
    cleo = disqualify(competition, player("cleo"), "Cleo rode a bus.", SOON, None)
    logged = LogEntry.objects.create(
        user=User.objects.create(username="staff"),
        content_type=ContentType.objects.get_for_model(Participant),
        object_id=str(cleo.pk),
        action_flag=2,
        change_message="Cleo rode a bus.",
    )
    finish_due(END + DAY)

    for name in ("ann", "cleo"):
        erase_player(name, END + DAY)

    assert set(Participant.objects.values_list("reason", flat=True)) == {""}
    change = Change.objects.get(kind="disqualified")
    assert (change.reason, change.details) == ("", {})
    assert LogEntry.objects.get(pk=logged.pk).change_message == ""
    assert FinalStanding.objects.get(rank=1).player.external_id.startswith("erased-")
    assert Participant.objects.filter(player__external_id__startswith="erased-").count() == 2


def test_why_an_erased_player_lost_a_reward_goes_and_that_they_did_stays() -> None:
    competition = race({"cleo": 9})
    grant = RewardGrant.objects.create(
        period=period_of(competition), competition=competition, player=player("cleo"), name="Gold", rank=1,
        granted_at=SOON, revoked_at=SOON, revoked_reason="Cleo rode a bus.",
    )  # fmt: skip  # as a table

    erase_player("cleo", END + DAY)

    grant.refresh_from_db()
    assert (grant.revoked_at, grant.revoked_reason) == (SOON, "")


def test_who_read_a_player_before_their_erasure_does_nothing_in_their_name_after_it() -> None:
    competition, ann = open_competition(), player("ann")
    comment = write(competition, ann, "Hello", "form", SOON)
    erase_player("ann", SOON)

    for deed in (
        lambda: write(competition, ann, "Again", "form", SOON),
        lambda: edit(comment.pk, ann, "Again", SOON),
        lambda: join(competition, ann, SOON),
        lambda: keep(ann, Wishes()),
    ):
        with pytest.raises(UnknownPlayer):
            deed()

    comment.refresh_from_db()
    assert comment.text == ""
    assert not Participant.objects.exists()
    assert not Preference.objects.exists()


def test_an_export_holds_what_a_player_said_and_likes_and_nothing_of_others() -> None:
    own = say(open_competition(), "ann", "Mine.")
    others = say(own.competition, "bob", "Theirs.")
    liked(own, "bob")
    liked(others, "ann", "carl")

    printed = run("player_export", "ann")

    told = printed.json
    assert [row["text"] for row in told["comments"]] == ["Mine."]
    assert [(row["kind"], row["thing"], row["amount"]) for row in told["likes"]] == [("comment", str(others.pk), 1)]
    assert "Theirs." not in printed.out


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
