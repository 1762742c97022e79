"""Whose a player is, changed by hand in the admin: by whom, after which look, and how it is undone."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from foundation import clock
from foundation.audit import record
from foundation.audit.models import AuditEntry
from foundation.audit.undo import NotUndoable, undo
from leaderboards.errors import AlreadyLinked, BadLinkCode, UnknownPlayer
from leaderboards.models import Player
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.link import ACCOUNT_CHANGED, link_by_hand, make_code, redeem
from tests.leaderboards.admin.moderation.test_ban_pages import PLAYERS, of
from tests.leaderboards.admin.test_moderation import shown
from tests.leaderboards.admin.typed import page
from tests.leaderboards.factories import AdminFactory, PlayerFactory, UserFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
WHY = "They lost their account."


def staff(*rights: str) -> User:
    """Who changes players and undoes that, and what else is named."""
    user: User = UserFactory.create(is_staff=True)
    changing = ("view_player", "change_player", "view_auditentry")
    user.user_permissions.set(Permission.objects.filter(codename__in=(*changing, *rights)))
    return user


def one_of(*rights: str) -> Client:
    client = Client()
    client.force_login(staff(*rights))
    return client


def entry_of(act: str = ACCOUNT_CHANGED) -> AuditEntry:
    return AuditEntry.objects.filter(act=act).latest("pk")


def owner() -> str | None:
    user = Player.objects.get(external_id="ann").user
    return user.get_username() if user else None


def test_who_may_change_players_gives_none_to_an_account() -> None:
    ann, puppet = PlayerFactory.create(external_id="ann"), UserFactory.create(username="puppet")
    mod = one_of()

    mod.post(f"{PLAYERS}{ann.pk}/change/", {"name": "Ann", "avatar_url": "", "country": "", "user": puppet.pk})
    asked = mod.get(of(ann, "account")).status_code
    sent = mod.post(of(ann, "account"), {"account": "puppet", "confirmed": "1", "reason": WHY}).status_code

    assert (Player.objects.get().name, owner()) == ("Ann", None)
    assert (asked, sent) == (403, 403)
    assert of(ann, "account") not in page(mod, f"{PLAYERS}{ann.pk}/change/")


def test_it_is_shown_first_then_done_with_a_reason_and_undone_from_the_log() -> None:
    admin, mod = one_of("erase_player", "view_user"), one_of()
    ann = PlayerFactory.create(external_id="ann", user=UserFactory.create(username="old"))
    UserFactory.create(username="new")
    assert f'href="{of(ann, "account")}"' in page(admin, f"{PLAYERS}{ann.pk}/change/")

    assert "There is no account nobody." in shown(admin, of(ann, "account"), account="nobody")[0]
    assert "Nothing changes: it is so already." in shown(admin, of(ann, "account"), account="old")[0]
    asked, typed = shown(admin, of(ann, "account"), account="new")
    assert owner() == "old"
    done = admin.post(of(ann, "account"), typed, follow=True).content.decode()

    assert "old loses the player." in asked
    assert "new has the player." in asked
    assert "The account of ann was changed." in done
    assert owner() == "new"
    told = entry_of()
    assert (told.reason, told.before["user"].partition(": ")[2]) == ("A cheat.", "old")
    address = f"/admin/foundation/auditentry/{told.pk}/undo/"
    assert mod.post(address, {"reason": WHY}).status_code in (403, 404)
    assert owner() == "new"
    admin.post(address, {"reason": WHY})
    assert owner() == "old"
    undo(entry_of().pk, "It was right.", clock.now(), None)
    assert owner() == "new"


def test_a_player_is_taken_from_their_account_and_it_asks_for_a_proof() -> None:
    admin = one_of("erase_player", "view_user")
    ann = PlayerFactory.create(external_id="ann", user=UserFactory.create(username="old"))
    asked, typed = shown(admin, of(ann, "account"), account="")

    with clock.freeze_at(clock.now() + timedelta(minutes=16)):
        late = admin.post(of(ann, "account"), typed)
        kept = owner()
    admin.post(of(ann, "account"), typed)

    assert "belongs to no account" in asked
    assert late["Location"].startswith("/accounts/confirm/")
    assert (kept, owner()) == ("old", None)


def test_an_account_that_has_a_player_is_refused_and_so_is_who_was_erased() -> None:
    taken = UserFactory.create(username="taken")
    PlayerFactory.create(external_id="bob", user=taken)
    ann = PlayerFactory.create(external_id="ann")

    with pytest.raises(AlreadyLinked, match="taken is linked to another player"):
        link_by_hand(ann, taken, WHY, clock.now(), None)
    erase_player("ann", clock.now())
    ann.refresh_from_db()
    with pytest.raises(UnknownPlayer):
        link_by_hand(ann, UserFactory.create(), WHY, clock.now(), None)

    assert not AuditEntry.objects.filter(act=ACCOUNT_CHANGED).exists()


def test_the_look_refuses_an_account_with_another_player_and_leads_to_them() -> None:
    admin = one_of("erase_player", "view_user")
    bob = PlayerFactory.create(external_id="bob", name="<Bob>", user=UserFactory.create(username="taken"))
    ann = PlayerFactory.create(external_id="ann")

    asked, _ = shown(admin, of(ann, "account"), account="taken")

    link = f'<a href="{of(bob, "account")}">&lt;Bob&gt; (bob)</a>'
    assert f"taken is linked to another player, {link}: take that one from them first." in asked
    assert "What changes" not in asked


def test_an_undo_overrules_no_later_link_and_gives_nobody_to_an_account_that_is_gone() -> None:
    old, new = UserFactory.create(username="old"), UserFactory.create(username="new")
    ann = PlayerFactory.create(external_id="ann", user=old)
    link_by_hand(ann, None, WHY, clock.now(), None)
    taken_away = entry_of()
    code, _ = make_code("ann", clock.now())
    redeem(code, new, clock.now())

    with pytest.raises(NotUndoable, match="does not stand"):
        undo(taken_away.pk, WHY, clock.now(), None)
    ann.refresh_from_db()
    link_by_hand(ann, old, WHY, clock.now(), None)
    new.delete()
    with pytest.raises(NotUndoable, match="no such account"):
        undo(entry_of().pk, WHY, clock.now(), None)

    assert owner() == "old"


@pytest.mark.parametrize("with_name", [True, False])
def test_what_a_form_changed_once_is_undone_with_the_account_and_by_who_may_link(with_name: bool) -> None:
    ann, puppet = PlayerFactory.create(external_id="ann", name="Ann"), UserFactory.create(username="puppet")
    name = ({"name": "Ann"}, {"name": "Cheat"}) if with_name else ({}, {})
    Player.objects.filter(pk=ann.pk).update(user=puppet, **name[1])
    told = record(  # as the form did until it changed accounts no more
        "player.changed",
        at=clock.now(),
        subjects=[("player", ann.pk)],
        before=name[0],
        after={**name[1], "user": f"{puppet.pk}: puppet"},
    )
    mod = staff()

    with pytest.raises(NotUndoable, match="only people who may erase players"):
        undo(told.pk, WHY, clock.now(), mod)
    assert owner() == "puppet"
    undo(told.pk, WHY, clock.now(), AdminFactory.create())

    assert (owner(), Player.objects.get().name) == (None, "Ann")


def test_an_erasure_leaves_nothing_of_whose_the_player_was_and_who_changed_that() -> None:
    ann = PlayerFactory.create(external_id="ann")
    link_by_hand(
        ann, UserFactory.create(username="ann@example.org"), "Ann Lee asked.", clock.now(), AdminFactory.create()
    )

    erase_player("ann", clock.now())

    told = entry_of()
    assert (told.reason, told.before, told.after, told.by_name) == ("", {}, {}, "admin")
    assert not told.subjects.filter(kind="account").exists()


def test_a_code_that_was_drawn_before_ends_where_the_player_is_taken_away_by_hand() -> None:
    thief = UserFactory.create(username="thief")
    ann = PlayerFactory.create(external_id="ann", user=thief)
    code, _ = make_code("ann", clock.now())

    link_by_hand(ann, None, WHY, clock.now(), None)
    with pytest.raises(BadLinkCode):
        redeem(code, thief, clock.now())
    later, _ = make_code("ann", clock.now())
    redeem(later, thief, clock.now())

    assert owner() == "thief"


def test_what_was_shown_of_nobodys_player_is_shown_again_once_somebody_has_them() -> None:
    admin, cat = one_of("erase_player", "view_user"), UserFactory.create(username="cat")
    ann = PlayerFactory.create(external_id="ann")
    UserFactory.create(username="bob")
    asked, typed = shown(admin, of(ann, "account"), account="bob")
    code, _ = make_code("ann", clock.now())
    redeem(code, cat, clock.now())

    again = admin.post(of(ann, "account"), typed).content.decode()

    assert ("loses the player" in asked, "cat loses the player." in again, owner()) == (False, True, "cat")
    with pytest.raises(AlreadyLinked, match="changed a moment ago"):
        link_by_hand(ann, UserFactory.create(), WHY, clock.now(), None)
    assert owner() == "cat"
