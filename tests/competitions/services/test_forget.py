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
from tests.competitions.site import DAY, END, SOON, open_competition, player, raced

pytestmark = pytest.mark.django_db(transaction=True)


def known(name: str) -> Player:
    user = User.objects.create(username=f"user-of-{name}", email=f"{name}@example.com")
    Player.objects.filter(external_id=name).update(user=user)
    return Player.objects.get(external_id=name)


def test_what_he_was_told_and_wished_goes_and_he_leaves_what_runs(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5})
    ann = known("ann")
    notice = Notice.objects.create(competition=competition, player=ann, kind=NoticeKind.FIRST_TAKEN, created_at=SOON)
    Mail.objects.create(notice=notice, to="ann@example.com", created_at=SOON)
    Preference.objects.create(player=ann)
    Invitation.objects.create(competition=competition, external_id="ann")

    erased = erase_player("ann", clock.now())

    assert erased.player.startswith("erased-")
    assert not any(model.objects.exists() for model in (Notice, Mail, Preference, Invitation))
    assert not Participant.objects.get(player=ann).takes_part


def test_a_final_place_stays_and_a_reason_goes(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5, "cleo": 1})
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


def test_who_had_left_stays_gone(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9})
    ann = Player.objects.get(external_id="ann")
    leave(competition, ann, SOON)
    left_at = Participant.objects.get().left_at

    erase_player("ann", clock.now())

    assert Participant.objects.get().left_at == left_at


def test_who_read_a_player_before_his_erasure_neither_joins_nor_wishes_in_his_name_after_it(links: None) -> None:
    competition, ann = open_competition(), player("ann")
    erase_player("ann", SOON)

    with pytest.raises(UnknownPlayer):
        join(competition, ann, SOON)
    with pytest.raises(UnknownPlayer):
        keep(ann, Wishes())

    assert not Participant.objects.exists()
    assert not Preference.objects.exists()
