"""Erasing a player reaches what competitions know of him."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType

from competitions.models import Change, Invitation, Mail, Notice, NoticeKind, Participant, Preference
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.join import join, leave
from competitions.services.preferences import Wishes, keep
from foundation import clock
from leaderboards.errors import UnknownPlayer
from leaderboards.models import FinalStanding, Player
from leaderboards.services.erase import erase_player
from tests.competitions.services.races import race
from tests.competitions.site import DAY, END, SOON, open_competition, player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def known(name: str) -> Player:
    user = User.objects.create(username=f"user-of-{name}", email=f"{name}@example.com")
    Player.objects.filter(external_id=name).update(user=user)
    return Player.objects.get(external_id=name)


def test_what_he_was_told_and_wished_goes_and_he_leaves_what_runs() -> None:
    competition = race({"ann": 9, "bob": 5})
    leave(competition, player("bob"), SOON)
    ann = known("ann")
    notice = Notice.objects.create(competition=competition, player=ann, kind=NoticeKind.FIRST_TAKEN, created_at=SOON)
    Mail.objects.create(notice=notice, to="ann@example.com", created_at=SOON)
    Preference.objects.create(player=ann)
    Invitation.objects.create(competition=competition, external_id="ann")

    erased, gone_before = (erase_player(name, clock.now()).player for name in ("ann", "bob"))

    assert erased.startswith("erased-")
    assert not any(model.objects.exists() for model in (Notice, Mail, Preference, Invitation))
    assert not Participant.objects.get(player=ann).takes_part
    assert Participant.objects.get(player__external_id=gone_before).left_at == SOON


def test_a_final_place_stays_and_a_reason_goes() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 1})
    cleo = disqualify(competition, player("cleo"), "Cleo rode a bus.", SOON, None)
    kind = ContentType.objects.get_for_model(Participant)
    staff = User.objects.create(username="staff")
    logged = LogEntry.objects.create(
        user=staff, content_type=kind, object_id=str(cleo.pk), action_flag=2, change_message="Cleo rode a bus."
    )
    finish_due(END + DAY)

    for name in ("ann", "cleo"):
        erase_player(name, END + DAY)

    assert set(Participant.objects.values_list("reason", flat=True)) == {""}
    change = Change.objects.get(kind="disqualified")
    assert (change.reason, change.details) == ("", {})
    assert LogEntry.objects.get(pk=logged.pk).change_message == ""
    assert list(FinalStanding.objects.filter(rank=1).values_list("player__external_id", flat=True)) != ["ann"]
    assert Participant.objects.filter(player__external_id__startswith="erased-").count() == 2


def test_who_read_a_player_before_his_erasure_neither_joins_nor_wishes_in_his_name_after_it() -> None:
    competition, ann = open_competition(), player("ann")
    erase_player("ann", SOON)

    with pytest.raises(UnknownPlayer):
        join(competition, ann, SOON)
    with pytest.raises(UnknownPlayer):
        keep(ann, Wishes())

    assert not Participant.objects.exists()
    assert not Preference.objects.exists()
