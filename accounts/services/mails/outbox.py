"""An outbox of mails about accounts. Each typed address gets a row, whose text is made when it is sent.

So neither a page's text nor its response time reveals whether an address has an account. A mail is claimed in its own
transaction, sent, and its row deleted; if the worker dies in between, it is sent again. Requested mails are dropped
after hours; notices about changes contain no secret and are tried for days.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from smtplib import SMTPException
from urllib.parse import urljoin

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils.translation import get_language, override

from accounts.models import AccountMail, MailKind
from accounts.services import email_change as addresses
from accounts.services.mails import links, notice_texts
from accounts.services.registration import invitations as invite
from accounts.services.registration import sign_up
from foundation import clock
from foundation.failpoints import failpoint
from foundation.mail_templates import TEXTS
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.rate_limit import throttle
from foundation.users import User, email_of, name_of, users

logger = logging.getLogger(__name__)

CLAIMED_FOR = timedelta(minutes=1)
KEPT_FOR = timedelta(hours=6)
NOTICE_KEPT_FOR = timedelta(days=7)
LONGEST_PAUSE = timedelta(hours=1)
BUDGET_SECONDS = 3.0


def request_mail(kind: MailKind, to: str, client: str, at: datetime, user: User | None = None) -> None:
    """Add a mail to an address that was typed at the network address ``client``. Raises ``RateLimited``."""
    throttle("account_mail", f"{kind} {to.lower()}")
    throttle("account_mail_address", client)
    AccountMail.objects.create(
        kind=kind, to=to, user=user, language=get_language() or settings.LANGUAGE_CODE, created_at=at, next_try_at=at
    )


def send_due(at: datetime) -> int:
    """Send due mails for a few seconds; return how many rows are done."""
    _drop_old(at)
    until, sent = clock.monotonic() + BUDGET_SECONDS, 0
    while clock.monotonic() < until and (row := _claim(at)):
        try:
            for message in _messages(row):
                message.send()
        except (OSError, SMTPException, ValueError) as error:  # from the server, the network or a bad address
            logger.warning("A mail about an account was not sent, and is tried again: %s", type(error).__name__)
            _schedule_retry(row, at)
            continue
        failpoint("account_mail.sent")
        row.delete()
        sent += 1
    return sent


def _drop_old(at: datetime) -> None:
    """Delete old mails. Each notice is logged as an error, because an owner was not told of a change."""
    is_notice = Q(kind__in=list(notice_texts.SAID))
    AccountMail.objects.filter(~is_notice, created_at__lte=at - KEPT_FOR).delete()
    for row in AccountMail.objects.filter(is_notice, created_at__lte=at - NOTICE_KEPT_FOR):
        if AccountMail.objects.filter(pk=row.pk).delete()[0]:  # else another worker deleted it
            whose = f"account {row.user_id}" if row.user_id else "a deleted account"
            logger.error("Mail %s (%s) about %s was not sent for days and is given up", row.pk, row.kind, whose)


def _schedule_retry(row: AccountMail, at: datetime) -> None:
    """Wait a quarter of the mail's age, between a minute and an hour."""
    pause = min(max(CLAIMED_FOR, (at - row.created_at) / 4), LONGEST_PAUSE)
    AccountMail.objects.filter(pk=row.pk).update(next_try_at=at + pause)


@transaction.atomic
def _claim(at: datetime) -> AccountMail | None:
    due = AccountMail.objects.filter(next_try_at__lte=at).order_by("next_try_at", "pk")
    row = due.select_for_update(skip_locked=True, of=("self",)).first()
    if row is not None:
        row.next_try_at = at + CLAIMED_FOR
        row.save(update_fields=["next_try_at"])
    return row


def _messages(row: AccountMail) -> Iterator[EmailMessage]:
    with override(row.language):
        for name, to, context in _notice_text(row) if row.kind in notice_texts.SAID else _texts(row):
            context |= {"site": sunwi_settings.SITE_URL}
            subject = TEXTS.render_to_string(f"accounts/mail/{name}_subject.txt", context).strip()
            yield EmailMessage(subject, TEXTS.render_to_string(f"accounts/mail/{name}.txt", context), to=[to])


def _texts(row: AccountMail) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Template, recipient and context of a requested mail; nothing if there is nothing to send.

    A password reset goes to the account's own address, not to the typed one, which may differ in case.
    """
    if row.kind == MailKind.RESET:
        for user in users().filter(email__iexact=row.to, is_active=True):
            if user.has_usable_password():
                yield "reset", user.email, {"name": name_of(user), "link": links.address(*links.new_password(user))}
    elif row.kind == MailKind.SIGN_UP and sign_up.has_account(row.to):
        yield "known", row.to, {"link": links.address("account-reset")}
    elif row.kind == MailKind.SIGN_UP:
        yield "sign_up", row.to, {"link": links.address("account-sign-up-finish", links.make(links.SIGN_UP, row.to))}
    elif row.kind == MailKind.EMAIL and row.user is not None:
        yield "email", row.to, {"link": links.address("account-email-confirm", addresses.make(row.user, row.to))}
    elif row.invitation is not None and row.invitation.is_open(clock.now()):
        yield "invitation", row.to, {"link": invite.link(row.invitation), "until": row.invitation.expires_at}


def _notice_text(row: AccountMail) -> Iterator[tuple[str, str, dict[str, object]]]:
    """As ``_texts``, for a notice: with what this mailbox can do, restore its address or reset the password."""
    name = row.name or (name_of(row.user) if row.user else "")  # rows of an older version have no name
    context = {"name": name, "when": row.created_at, **notice_texts.words(row), "by_owner": row.by_owner}
    contact = sunwi_settings.PRIVACY_URL  # may be only a path
    context["contact"] = urljoin(sunwi_settings.SITE_URL, contact) if contact else settings.DEFAULT_FROM_EMAIL
    former = addresses.find_restorable(row.user, row.to, clock.now()) if row.user else None
    if former is not None:
        context |= {
            "back": links.address("account-email-back", addresses.make_restore_token(former)),
            "until": former.until,
        }
    elif row.user is not None and _can_reset(row.user, row.to):
        context["reset"] = links.address("account-reset")
    yield "changed", row.to, context


def _can_reset(user: User, to: str) -> bool:
    return user.is_active and user.has_usable_password() and email_of(user).lower() == to.lower()
