"""What competitions know of an erased player goes; what is under way meanwhile is in ``test_forget_under_way.py``."""

import hashlib

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from competitions.models import Change, Competition, Mail, Notice, Participant, Preference, RewardGrant
from competitions.selectors.standings.standings import standings
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due
from competitions.services.locks import lock_competition
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.participants.join import leave
from competitions.services.results import revisions as revise
from foundation import clock
from leaderboards.models import FinalStanding, Player
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.published import document, places, revisions, told
from tests.competitions.services.winning import settle, tier
from tests.competitions.site import SOON, STORAGES, make_board, open_competition, period_of, player, race, reloaded
from tests.competitions.talking import liked, say
from tests.leaderboards.commands.calls import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def publish(competition: Competition, change: Change | None = None) -> None:
    with transaction.atomic():
        revise.publish_revision(lock_competition(competition), END + DAY, change)


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


@pytest.mark.parametrize("storage", STORAGES)
def test_an_erased_player_has_their_new_id_in_a_frozen_copy_too(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage), freeze_minutes=60)
    freeze_due(END - HOUR)

    erased = erase_player("ann", END - HOUR).player

    copied = FinalStanding.objects.filter(period__label=reloaded(competition).frozen_label)
    assert sorted(row.member[-3:] for row in copied) == sorted((erased[-3:], "bob"))
    assert erased in [row.player for row in standings(reloaded(competition), END - HOUR / 2).rows]


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
