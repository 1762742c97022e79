"""What competitions let go of: all that they know of an erased player, and most of what lies long back."""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

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
from competitions.services import disqualify as disqualifying
from competitions.services import retain, revise, rewrite
from competitions.services.comment import edit, write
from competitions.services.disqualify import disqualify, reinstate, remove
from competitions.services.finish import finish_due
from competitions.services.join import join, leave
from competitions.services.judge import LateScore, accept_late, void
from competitions.services.locked import locked
from competitions.services.preferences import Wishes, keep
from competitions.services.retain import retain_due
from foundation import clock
from leaderboards.errors import UnknownPlayer
from leaderboards.models import FinalStanding, Player, Submission
from leaderboards.services import erase
from leaderboards.services.erase import erase_player
from tests.competitions.factories import DAY, END, MINUTE, START
from tests.competitions.published import document, places, revisions, told
from tests.competitions.services.winning import settle, tier
from tests.competitions.site import SOON, joined, open_competition, period_of, player, race
from tests.competitions.talking import liked, say
from tests.leaderboards.commands.calls import run
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def on_its_own(deed: Callable[[], int]) -> int:
    """In a thread, on a connection of its own."""
    try:
        return deed()
    finally:
        connection.close()


def publish(competition: Competition, change: Change | None = None) -> None:
    with transaction.atomic():
        revise.revise(locked(competition), END + DAY, change)


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


def test_an_erased_player_leaves_what_was_published_and_hashes_are_computed_anew_from_there_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(revise, "ROWS_A_PART", 2)
    Player.objects.filter(pk=player("ann").pk).update(name='Ann "the 1st"')
    competition, at = race({"cleo": 9, "bob": 5, "ann": 4, "ann2": 3}), END + DAY
    finish_due(at)
    disqualify(competition, player("cleo"), "Cleo rode a bus.", at, None)
    publish(competition, Change.objects.get(kind="disqualified"))
    disqualify(competition, player("ann"), "Ann rode it too.", at, None)
    publish(competition, Change.objects.filter(kind="disqualified").first())
    before = revisions(competition)

    number = erase_player("ann", at + DAY).player

    one, two, three = revisions(competition)
    assert [places(each) for each in (one, two, three)] == [
        [(1, "cleo"), (2, "bob"), (3, number), (4, "ann2")],
        [(1, "bob"), (2, number), (3, "ann2")],
        [(1, "bob"), (2, "ann2")],
    ]
    assert {row["name"] for row in told(one)["rows"]} == {"cleo", "bob", number, "ann2"}
    assert [told(each)["reason"] for each in (one, two, three)] == ["", "Cleo rode a bus.", ""]
    assert "Ann" not in "".join(document(each).decode() for each in (one, two, three))
    assert [told(each)["previous_hash"] for each in (one, two, three)] == ["", one.content_hash, two.content_hash]
    for was, now in zip(before, (one, two, three), strict=True):
        content = document(now)
        assert hashlib.sha256(content[:17] + content[81:]).hexdigest() == now.content_hash != was.content_hash
        assert now.rewritten_at == at + DAY


def test_what_was_published_before_an_erased_player_was_in_it_stays_as_it_was() -> None:
    competition, other, at = race({"ann": 9, "bob": 5}), race({"bob": 1}), END + DAY
    disqualify(competition, player("ann"), "Two accounts.", SOON, None)
    finish_due(at)
    reinstate(competition, player("ann"), "One account.", at, None)
    publish(competition)
    first, apart = (document(revisions(each)[0]) for each in (competition, other))

    erase_player("ann", at)

    one, two = revisions(competition)
    assert (document(one), document(revisions(other)[0])) == (first, apart)
    assert (one.rewritten_at, two.rewritten_at, revisions(other)[0].rewritten_at) == (None, at, None)
    assert "ann" not in {row["player"] for row in told(two)["rows"]}


def test_an_erasure_that_is_cut_off_leaves_what_was_published() -> None:
    competition, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    first = document(revisions(competition)[0])

    with patch.object(rewrite, "_rewrite_one", side_effect=SystemExit), pytest.raises(SystemExit):
        erase_player("ann", at)

    assert document(revisions(competition)[0]) == first
    assert Player.objects.filter(external_id="ann").exists()


def test_what_is_published_while_somebody_is_erased_waits_and_has_the_new_id(monkeypatch: pytest.MonkeyPatch) -> None:
    competition, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    competition.participants.filter(player=player("bob")).update(disqualified_at=at)  # nobody has published that
    late: list[Future[int]] = []

    def published_meanwhile(*who: Any) -> None:
        late.append(threads.submit(on_its_own, lambda: revise.revise_due(at)))
        assert not wait(late, timeout=1).done
        rewrite.rewrite(*who)

    monkeypatch.setattr(erase, "_renames", [published_meanwhile])
    with ThreadPoolExecutor(1) as threads:
        number = erase_player("ann", at).player

    assert late[0].result() == 1
    assert [places(each) for each in revisions(competition)] == [[(1, number), (2, "bob")], [(1, number)]]


def test_why_an_erased_player_lost_a_reward_goes_and_that_they_did_stays() -> None:
    competition = race({"cleo": 9})
    grant = RewardGrant.objects.create(
        period=period_of(competition), competition=competition, player=player("cleo"), name="Gold", rank=1,
        granted_at=SOON, revoked_at=SOON, revoked_reason="Cleo rode a bus.",
    )  # fmt: skip  # as a table

    erase_player("cleo", END + DAY)

    grant.refresh_from_db()
    assert (grant.revoked_at, grant.revoked_reason) == (SOON, "")


def test_why_others_lost_a_reward_by_an_act_about_an_erased_player_goes_and_other_reasons_stay() -> None:
    competition, at = race({"cleo": 9, "bob": 5, "ann": 4}), END + DAY
    tier(competition, limit=1)
    finish_due(at)
    settle(at)
    for name, reason in (("cleo", "Cleo rode a bus."), ("bob", "Bob had two accounts.")):
        disqualify(competition, player(name), reason, at, None)
        settle(at)
    reinstate(competition, player("cleo"), "Cleo had a permit.", at, None)
    settle(at)

    erase_player("cleo", at + DAY)

    rows = RewardGrant.objects.exclude(revoked_at=None).order_by("pk")
    assert list(rows.values_list("player__external_id", "revoked_reason")) == [
        (Player.objects.get(external_id__startswith="erased-").external_id, ""),
        ("bob", "Bob had two accounts."),
        ("ann", ""),
    ]


def test_a_jury_that_read_a_player_before_their_erasure_is_refused_and_writes_nothing_of_them() -> None:
    final, at = race({"ann": 9, "bob": 5}), END + DAY
    finish_due(at)
    running = open_competition()
    joined(running, "ann")
    ann, late = player("ann"), LateScore(player("ann"), SOON, Decimal(50))
    read = Submission.objects.select_related("player", "period__board").get(player=ann)
    erase_player("ann", at)

    for deed in (
        lambda: disqualify(final, ann, "Ann rode a bus.", at, None),
        lambda: reinstate(final, ann, "Ann had a permit.", at, None),
        lambda: remove(running, ann, "Ann asked for it.", SOON, None),
        lambda: accept_late(final, late, "Ann had no network.", at, None),
        lambda: void(final, read, "Ann rode a bus.", at, None),
    ):
        with pytest.raises(UnknownPlayer):
            deed()

    assert not Change.objects.filter(reason__contains="Ann").exists()
    assert not Player.objects.filter(external_id="ann").exists()
    assert len(revisions(final)) == 1


@only_postgresql
def test_an_act_about_somebody_who_has_left_is_forgotten_by_an_erasure_that_waits_for_it() -> None:
    competition = open_competition()
    joined(competition, "ann")
    leave(competition, player("ann"), SOON)
    late: list[Future[int]] = []

    def erased_meanwhile(_step: str) -> None:
        late.append(threads.submit(on_its_own, lambda: len(erase_player("ann", SOON).player)))
        assert not wait(late, timeout=1).done

    with ThreadPoolExecutor(1) as threads, patch.object(disqualifying, "failpoint", erased_meanwhile):
        disqualify(competition, player("ann"), "Ann rode a bus.", SOON, None)
        assert late[0].result()

    change = Change.objects.get(kind="disqualified")
    assert (change.reason, change.details) == ("", {})


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
