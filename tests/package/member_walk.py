"""What a person and a member of staff do in a project with a user model of its own: ``python member_walk.py``.

It is copied into that project (tests/package/test_members.py) and prints ``walked`` at its end.
"""

# ruff: noqa: E402 - Django is set up before its models are imported
import os
import re
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "host.settings")
django.setup()

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from accounts.models import AuthenticatorApp, ProvenEmail
from accounts.services.mails import outbox
from foundation import clock
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.security import sealing
from leaderboards.models import Follow, Player
from leaderboards.services.players.link import make_code
from leaderboards.services.players.profiles import ensure_player

Member: Any = get_user_model()
NAME, KEY = Member.USERNAME_FIELD, Member._meta.pk.name
LABEL = f"{Member._meta.app_label}/{Member._meta.model_name}"
PASSWORD, OTHER, ADDRESS = "a long enough password", "another long password", "ann@example.org"
SECRET = "3132333435363738393031323334353637383930"
WHY = "They asked for it."


def find(name: str) -> Any:
    return Member._default_manager.get(**{NAME: name})


def required() -> dict[str, str]:
    """What a new account needs beside its name, its address and its password."""
    return {name: "Ann Lee" for name in Member.REQUIRED_FIELDS if name != "email"}


def name_of(address: str) -> str:
    return address if NAME == "email" else address.partition("@")[0]


def page(client: Client, path: str, status: int = 200, **typed: Any) -> str:
    answer = client.post(path, typed) if typed else client.get(path)
    text = answer.content.decode()
    assert answer.status_code == status, f"{path}: {answer.status_code} {answer.headers}\n{text[:900]}"
    return text


def mailed() -> str:
    """The path of the link in the latest mail."""
    outbox.send_due(clock.now())
    found = re.search(r"http://127.0.0.1:8000(/\S+)", str(mail.outbox[-1].body))
    assert found is not None, mail.outbox[-1].body
    return found[1]


def signed_in(name: str, password: str = PASSWORD) -> Client:
    client = Client()
    page(client, "/accounts/login/")
    page(client, "/accounts/login/", 302, username=name, password=password)
    return client


def anybody_reads() -> None:
    for path in ("/", "/boards/1/", "/players/robin/", "/accounts/login/", "/accounts/privacy/"):
        page(Client(), path)


def signs_up() -> Client:
    """By mail, with what the model requires; the address is proven."""
    client = Client()
    page(client, "/accounts/sign-up/", email=ADDRESS)
    link = mailed()
    form = page(client, link)
    name = {} if NAME == "email" else {NAME: name_of(ADDRESS)}
    typed = {**name, **required(), "password1": PASSWORD, "password2": PASSWORD}
    missing = [each for each in typed if f'name="{each}"' not in form]
    assert missing == [], (missing, form)
    assert "This field is required" in page(client, link, password1=PASSWORD) if len(typed) > 2 else True
    page(client, link, 302, **typed)
    made = find(name_of(ADDRESS))
    assert (made.email, ProvenEmail.objects.get().user) == (ADDRESS, made)
    assert f"{name_of(ADDRESS)}" in page(client, "/account/")
    return client


def links_and_follows(client: Client) -> None:
    code, _ = make_code("robin", clock.now())
    page(client, "/account/", 302, code=code)
    assert Player.objects.get(external_id="robin").user == find(name_of(ADDRESS))
    page(client, "/players/marian/follow/", 302, following="1")
    assert Follow.objects.get().user == find(name_of(ADDRESS))
    assert "marian" in page(client, "/account/following/")
    page(client, "/boards/1/?of=following")
    page(client, "/players/robin/")
    page(client, "/account/profile/")
    assert ADDRESS in page(client, "/account/export/")


def changes_password_and_address(client: Client) -> None:
    """A changed address is put back by the link in the mail to the first one, and the password is chosen anew."""
    page(client, "/accounts/password/", 302, old_password=PASSWORD, new_password1=OTHER, new_password2=OTHER)
    later = "later@example.org"
    page(client, "/accounts/email/", email=later)
    page(client, mailed(), 302, sent="1")
    who = Member._default_manager.get(email=later)
    outbox.send_due(clock.now())
    told = next(each for each in reversed(mail.outbox) if each.to == [ADDRESS] and "/email/back/" in str(each.body))
    back = re.search(r"http://127.0.0.1:8000(/\S*email/back/\S+)", str(told.body))
    assert back is not None
    page(Client(), back[1])
    page(Client(), back[1], 302, sent="1")
    who.refresh_from_db()
    assert who.email == ADDRESS
    anybody = Client()
    page(anybody, "/accounts/reset/", email=ADDRESS)
    outbox.send_due(clock.now())
    answer = anybody.get(mailed())
    typed = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    page(anybody, answer["Location"], 302, **typed)
    assert "account" in page(
        signed_in(who.get_username().upper() if NAME == "nickname" else who.get_username()), "/account/"
    )


def shows_a_second_factor() -> None:
    who = find(name_of(ADDRESS))
    sealed = sealing.seal(SECRET, sealing.SECOND_FACTOR)
    AuthenticatorApp.objects.create(user=who, secret=sealed, created_at=clock.now())
    client = signed_in(who.get_username())
    app = TOTP(bytes.fromhex(SECRET), 6, SHA1(), 30)  # noqa: S303 - authenticator apps use SHA-1
    page(client, "/accounts/second-factor/", 302, code=app.generate(int(clock.now().timestamp())).decode())
    page(client, "/account/")
    page(client, "/accounts/security/")
    page(client, "/accounts/security/app/")
    challenge = client.post("/accounts/security/passkeys/challenge/").json()
    assert challenge["publicKey"]["user"]["name"] == who.get_username()
    call_command("account_forget_factors", who.get_username(), verbosity=0)
    assert not AuthenticatorApp.objects.exists()


def staff_look_after_accounts(boss: Client) -> None:
    who = find(name_of(ADDRESS))
    own, users = f"/admin/{LABEL}/{quote(who.pk)}", f"/admin/{LABEL}/"
    page(boss, "/admin/")
    assert who.get_username() in page(boss, users)
    assert who.get_username() in page(boss, f"{users}?q=ann&is_staff__exact=0")
    form = page(boss, f"{own}/change/")
    assert f'name="{NAME}"' in form
    added = {NAME: name_of("eve@example.org"), **required(), "usable_password": "true"}
    assert all(f'name="{name}"' in page(boss, f"{users}add/") for name in added)
    page(boss, f"{users}add/", 302, **added, password1=OTHER, password2=OTHER)
    eve = find(name_of("eve@example.org"))
    typed = {NAME: eve.get_username(), "email": "eve@example.org", **required(), "is_active": "on", "is_staff": "on"}
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}
    page(boss, f"/admin/{LABEL}/{quote(eve.pk)}/change/", 302, **typed, **dates)
    assert find(eve.get_username()).is_staff
    password = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    page(boss, f"/admin/{LABEL}/{quote(eve.pk)}/password/", 302, **password)
    log = page(boss, f"/admin/foundation/auditentry/?subject=account:{eve.pk}")
    assert reverse(f"admin:{LABEL.replace('/', '_')}_change", args=[quote(eve.pk)]) in log
    assert eve.get_username() in log
    page(boss, f"/admin/{LABEL}/{quote(eve.pk)}/history/", 302)
    Permission.objects.get(content_type__app_label=Member._meta.app_label, codename="change_member")
    admins = Group.objects.get(name="admin").permissions
    assert admins.filter(content_type__app_label=Member._meta.app_label).count() == 4


def staff_link_by_hand(boss: Client) -> None:
    """And it is undone from the audit log."""
    ann, eve = find(name_of(ADDRESS)), find(name_of("eve@example.org"))
    robin = Player.objects.get(external_id="robin")
    form = f"/admin/leaderboards/player/{robin.pk}/account/"
    shown = boss.post(form, {"account": eve.get_username(), "reason": WHY})
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown.content.decode())
    typed = {**{name: value for name, value in hidden if name != "csrfmiddlewaretoken"}, "confirmed": "1"}
    page(boss, form, 302, **{**typed, "account": eve.get_username(), "reason": WHY})
    robin.refresh_from_db()
    assert robin.user == eve
    entry = AuditEntry.objects.filter(act="player.account_changed").latest("pk")
    page(boss, f"/admin/foundation/auditentry/{entry.pk}/undo/")
    page(boss, f"/admin/foundation/auditentry/{entry.pk}/undo/", 302, reason=WHY)
    robin.refresh_from_db()
    assert robin.user == ann


def accounts_are_deleted(boss: Client) -> None:
    """By their owner; a former member of staff leaves an empty row, and staff delete an account in the admin."""
    ann = find(name_of(ADDRESS))
    client = signed_in(ann.get_username())
    page(client, "/account/delete/")
    page(client, "/account/delete/", player="keep")
    assert not Member._default_manager.filter(pk=ann.pk).exists()
    assert not AuditEntry.objects.filter(by_name=ann.get_username(), subjects__key=str(ann.pk)).exists()
    eve = find(name_of("eve@example.org"))
    Member._default_manager.filter(pk=eve.pk).update(is_staff=False)
    LogEntry.objects.create(user=eve, object_repr="something", action_flag=1)
    client = signed_in(eve.get_username())
    page(client, "/account/delete/", sent="1")
    eve.refresh_from_db()
    held = " ".join(str(getattr(eve, field.attname)) for field in Member._meta.concrete_fields)
    assert (eve.is_active, eve.get_username() != "", "eve" in held, "Ann" in held) == (False, True, False, False), held
    gone = Member._default_manager.create_user(
        **{NAME: name_of("max@example.org"), "email": "max@example.org", **required()}, password=PASSWORD
    )
    page(boss, f"/admin/{LABEL}/{quote(gone.pk)}/delete/", 302, post="yes")
    assert not Member._default_manager.filter(pk=gone.pk).exists()
    entry = AuditEntry.objects.filter(subjects__key=str(gone.pk)).latest("pk")
    assert "max@example.org" not in f"{entry.before} {entry.note} {entry.by_name}"
    assert AuditSubject.objects.filter(kind="account", key=str(gone.pk)).exists()


def main() -> None:
    setup_test_environment()
    for player in ("robin", "marian"):
        ensure_player(player, clock.now())
    anybody_reads()
    client = signs_up()
    links_and_follows(client)
    changes_password_and_address(client)
    shows_a_second_factor()
    boss = signed_in(name_of("boss@example.org"))
    staff_look_after_accounts(boss)
    staff_link_by_hand(boss)
    accounts_are_deleted(boss)
    print("walked")


if __name__ == "__main__":
    main()
