"""Undoing what is grave, a change of whose a player is, asks for a proof and says who loses and who gets the player,
alone and among others, as the page of the act does."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from foundation import clock
from foundation.audit import record
from foundation.audit.models import AuditEntry
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban
from leaderboards.services.players.link import ACCOUNT_CHANGED, link_by_hand, make_code, redeem
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.admin.test_proof import LATE
from tests.leaderboards.admin.typed import act, page
from tests.leaderboards.factories import PlayerFactory, UserFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LOG = "/admin/foundation/auditentry/"


@pytest.fixture
def given(db: None) -> AuditEntry:
    """ann was the thief's, and was given to her owner."""
    ann = PlayerFactory.create(external_id="ann", user=UserFactory.create(username="thief"))
    link_by_hand(ann, UserFactory.create(username="owner"), "Hers.", clock.now(), None)
    return AuditEntry.objects.get(act=ACCOUNT_CHANGED)


def owner() -> str:
    return str(Player.objects.get(external_id="ann").user)


def selected(*entries: AuditEntry) -> dict[str, object]:
    numbers = [entry.pk for entry in entries]
    return {"action": "undo_selected", "_selected_action": numbers, "confirmed": "1", "reason": "His."}


def test_its_page_opens_and_is_sent_only_with_a_proof(admin: Client, given: AuditEntry) -> None:
    address, at = f"{LOG}{given.pk}/undo/", clock.now()

    with clock.freeze_at(at + timedelta(minutes=6)):
        opened = admin.get(address)
    with clock.freeze_at(at + LATE):
        sent = admin.post(address, {"reason": "His."})
    kept = owner()
    admin.post(address, {"reason": "His."})

    for answer in (opened, sent):
        assert answer["Location"].startswith("/accounts/confirm/")
    assert (kept, owner()) == ("owner", "thief")


def test_it_is_undone_among_others_only_with_a_proof(admin: Client, given: AuditEntry) -> None:
    ban([Player.objects.get().pk], "A thief.", clock.now(), None)
    both = selected(given, AuditEntry.objects.get(act="player.banned"))

    with clock.freeze_at(clock.now() + LATE):
        onward = admin.post(LOG, both)["Location"]
    kept = (owner(), Player.objects.get().banned_at is None)
    admin.post(LOG, both)

    assert onward.startswith("/accounts/confirm/")
    assert kept == ("owner", False)
    assert (owner(), Player.objects.get().banned_at) == ("thief", None)


def test_a_profile_asks_for_a_proof_only_where_the_account_was_changed_with_it(admin: Client) -> None:
    ann = PlayerFactory.create(external_id="ann", user=UserFactory.create(username="owner"))
    set_profile("ann", {"name": "Ann"}, clock.now())
    named = AuditEntry.objects.get(act="player.changed")
    after = {"user": f"{User.objects.get(username='owner').pk}: owner"}
    moved = record("player.changed", at=clock.now(), subjects=[("player", ann.pk)], before={"user": None}, after=after)

    with clock.freeze_at(clock.now() + LATE):
        asked = admin.post(f"{LOG}{moved.pk}/undo/", {"reason": "No."})["Location"]
        admin.post(f"{LOG}{named.pk}/undo/", {"reason": "No."})

    assert asked.startswith("/accounts/confirm/")
    assert (owner(), Player.objects.get().name) == ("owner", "")


def test_it_says_who_loses_and_who_gets_the_player_alone_and_among_others(admin: Client, given: AuditEntry) -> None:
    others = [PlayerFactory.create(external_id=f"p{number}") for number in range(11)]
    for number, each in enumerate(others):
        set_profile(each.external_id, {"name": f"Name {number}"}, clock.now())

    alone = page(admin, f"{LOG}{given.pk}/undo/")
    among = act(admin, LOG, "undo_selected", *AuditEntry.objects.exclude(undoes__isnull=False))

    for shown in (alone, among):
        assert "owner loses the player." in shown
        assert "thief has the player." in shown


def test_a_player_who_is_anothers_by_now_is_said_to_be_and_stays_theirs(admin: Client, given: AuditEntry) -> None:
    ann = Player.objects.get()
    link_by_hand(ann, None, "Nobody's.", clock.now(), None)
    redeem(make_code("ann", clock.now())[0], UserFactory.create(username="cat"), clock.now())

    shown = page(admin, f"{LOG}{given.pk}/undo/")
    admin.post(f"{LOG}{given.pk}/undo/", {"reason": "His."})

    assert "It was changed again since" in shown
    assert "has the player" not in shown
    assert owner() == "cat"
