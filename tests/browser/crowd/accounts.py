"""Accounts with all that an account can have, links of mails and invitations, and a player whom moderators keep out."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import Invitation, Passkey
from accounts.services import email_change as email
from accounts.services.mails import links
from accounts.services.second_factors import recovery
from accounts.session_marks import FACTOR
from accounts.views.sign_in import HALF
from foundation import clock
from leaderboards.models import Board, Player, RestrictionKind
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from tests.accounts.people import with_app
from tests.browser.crowd.page import SitePage, cookie_of, session, signed_in
from tests.playing import account, make_board, score

WIDE, SECURED, ADDRESS = "W" * 60, "secured", "robin@example.org"
LOST = "/accounts/reset/MQ/used-long-ago/"


def pages() -> list[SitePage]:
    """They stand only where ``SIGN_UP`` is open and mails are sent."""
    _secured()
    forgetful = account("forgetful")
    board, hidden = _kept_out()
    entry = f"/admin/leaderboards/player/{hidden.pk}/"
    signed_up = links.make(links.SIGN_UP, "new@example.org")
    return [
        SitePage("reset", "/accounts/reset/"),
        SitePage("reset-confirm", _reset_link(forgetful)),
        SitePage("reset-link-used", LOST),
        SitePage("reset-done", "/accounts/reset/done/"),
        SitePage("privacy", "/accounts/privacy/"),
        SitePage("sign-up", "/accounts/sign-up/"),
        SitePage("sign-up-finish", f"/accounts/sign-up/{signed_up}/"),
        SitePage("sign-up-too-late", "/accounts/sign-up/of-no-use/", status=404),
        SitePage("invitation", f"/accounts/invitations/{links.make(links.INVITATION, _invitation().pk)}/"),
        SitePage("second-factor", "/accounts/second-factor/", SECURED, cookie=_half),
        SitePage("security", "/accounts/security/", SECURED, cookie=_passed),
        SitePage("security-nothing-yet", "/accounts/security/", "robin"),
        SitePage("security-app", "/accounts/security/app/", "robin", cookie=session),
        SitePage("confirm", "/accounts/confirm/?next=/account/&sent=1", SECURED, cookie=_passed),
        SitePage("password", "/accounts/password/", "robin"),
        SitePage("email", "/accounts/email/", "robin", cookie=session),
        SitePage("email-confirm", f"/accounts/email/{_email_link()}/", "robin", cookie=session),
        SitePage("export-not-yet", "/account/export/", "robin", status=409, cookie=session),
        SitePage("account-delete", "/account/delete/", "robin", cookie=session),
        SitePage("account-delete-no-player", "/account/delete/", SECURED, cookie=_passed),
        SitePage("player-kept-out", "/players/hana/", "hana"),
        SitePage("board-kept-out", f"/boards/{board}/", "hana"),
        SitePage("admin-quarantine", "/admin/leaderboards/quarantinedentry/", "chief", foreign="보류된 기록"),
        SitePage("admin-audit-log", "/admin/foundation/auditentry/", "chief", foreign="사유"),
        SitePage("admin-restrict", f"{entry}restrict/", "chief", foreign="숨김"),
        SitePage("admin-lift", f"{entry}lift/", "chief", foreign="제한"),
        SitePage("admin-ban", f"{entry}ban/", "chief", foreign="사유"),
        SitePage("admin-purge", "/admin/leaderboards/purge/add/", "chief", foreign="일괄 무효"),
        SitePage("admin-imports", "/admin/leaderboards/importrun/", "chief", foreign="가져오기"),
        SitePage("admin-invite", "/admin/accounts/invitation/add/", "chief", foreign="초대", cookie=session),
    ]


def _secured() -> None:
    """An app, two passkeys with wide names, and codes."""
    user = with_app(account(SECURED))
    for nth, name in enumerate((WIDE, "가" * 60)):
        used = clock.now() if nth else None
        Passkey.objects.create(
            user=user, name=name, credential_id=str(nth), credential="", created_at=clock.now(), last_used_at=used
        )
    recovery.draw(user, clock.now())


def _kept_out() -> tuple[int, Player]:
    """Hana: hidden on one board, banned from another of a long name; the number of the first."""
    boards = [Board.objects.get(seq=make_board(name=name)) for name in ("Hide and seek", WIDE)]
    account("hana", "hana")
    for board in boards:
        score(board.seq, {"hana": 5, "mina": 4})
    hana = Player.objects.get(external_id="hana")
    for kind, board in zip((RestrictionKind.HIDDEN, RestrictionKind.BANNED), boards, strict=True):
        restrict([hana.pk], RestrictionScope(kind, board), "W" * 300, clock.now(), None)
    return boards[0].seq, hana


def _invitation() -> Invitation:
    now = clock.now()
    return Invitation.objects.create(email="guest@example.org", created_at=now, expires_at=now + timedelta(days=7))


def _reset_link(user: User) -> str:
    return f"/accounts/reset/{urlsafe_base64_encode(force_bytes(user.pk))}/{default_token_generator.make_token(user)}/"


def _email_link() -> str:
    return email.make(User.objects.get(username="robin"), ADDRESS)


def _passed(username: str) -> str:
    """Of somebody who has shown a second factor."""
    _, client = signed_in(username)
    kept = client.session
    kept[FACTOR] = clock.now().timestamp()
    kept.save()
    return cookie_of(client)


def _half(username: str) -> str:
    """Of somebody who has shown their password, and not yet the rest."""
    user, client = signed_in(username)
    client.logout()
    kept = client.session
    kept[HALF] = {"user": user.pk, "hash": user.get_session_auth_hash(), "at": clock.now().timestamp()}
    kept.save()
    return cookie_of(client)
