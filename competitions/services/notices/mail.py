"""E-mails of notices: a row is queued first and sent by ``send_due``, at least once, always with the same Message-ID.

A mail is claimed for some minutes in its own transaction, sent, and marked. If the worker dies in between, it is sent
again when the claim expires. If the mail server cannot be reached, all mails wait a minute.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import override

from competitions.models import Mail, Notice
from competitions.notice_texts import sentences, subject
from competitions.selectors.notices.preferences import language_of, preference_of, zone_of
from foundation import clock, mailer
from foundation.failpoints import failpoint
from foundation.mail_templates import TEXTS
from foundation.sunwi_settings import sunwi_settings
from foundation.users import email_of
from foundation.webhooks.outbox import event_id
from leaderboards.models import Player

logger = logging.getLogger(__name__)

# Shorter than the schedule's interval, so that a slow mail server does not block the worker.
BUDGET_SECONDS = 3.0
CLAIMED_FOR = timedelta(minutes=2)
TRIED_FOR = timedelta(days=2)
AWAY_FOR = timedelta(minutes=1)
_LONGEST_PAUSE = timedelta(hours=4)


def queue(notices: Iterable[Notice], at: datetime) -> None:
    """Queue a mail for each notice whose player has an address and wants mail, in the caller's transaction."""
    addressed = ((notice, address_of(notice.player)) for notice in notices)
    rows = [Mail(notice=notice, to=to, created_at=at, next_try_at=at) for notice, to in addressed if to]
    Mail.objects.bulk_create(rows, batch_size=1000)


def address_of(player: Player) -> str:
    """Return the player's e-mail address; empty if they have none or want no mail."""
    user = player.user
    return email_of(user) if user is not None and user.is_active and preference_of(player).by_mail else ""


def send_due(at: datetime) -> int:
    """Send the mails that are due, for a few seconds; returns how many were sent."""
    _give_up(at)
    connection, until, sent = mailer.connection(), clock.monotonic() + BUDGET_SECONDS, 0
    try:
        while clock.monotonic() < until and (mail := _claim(at)):
            try:
                connection.open()
            except OSError as error:
                _postpone_all(mail, error, at)
                break
            sent += _send(mail, connection, at)
    finally:
        connection.close()
    return sent


def retry(mails: QuerySet[Mail], at: datetime) -> int:
    """Queue the mails again that were given up, as if they were new; returns how many."""
    dead = mails.filter(dead_at__isnull=False)
    return dead.update(dead_at=None, created_at=at, next_try_at=at, tries=0)


def _give_up(at: datetime) -> None:
    late = Mail.objects.filter(next_try_at__isnull=False, created_at__lte=at - TRIED_FOR)
    if given_up := late.update(dead_at=at, next_try_at=None):
        logger.error("%d e-mails could not be sent for %s and are given up", given_up, TRIED_FOR)


@transaction.atomic
def _claim(at: datetime) -> Mail | None:
    """Claim the mail that has waited longest: other workers leave it alone for some minutes."""
    due = Mail.objects.select_for_update(skip_locked=True, of=("self",)).filter(next_try_at__lte=at)
    mail = due.order_by("next_try_at", "pk").first()
    if mail is not None:
        mail.next_try_at, mail.tries = at + CLAIMED_FOR, mail.tries + 1
        mail.save(update_fields=["next_try_at", "tries"])
    return mail


def _send(mail: Mail, connection: BaseEmailBackend, at: datetime) -> bool:
    try:
        connection.send_messages([message(mail)])
    except (OSError, ValueError) as error:  # server or network errors; an invalid address
        logger.warning("e-mail %s was not sent: %s", mail.pk, error)
        pause = min(timedelta(minutes=2**mail.tries), _LONGEST_PAUSE)
        Mail.objects.filter(pk=mail.pk).update(next_try_at=at + pause, error=str(error)[:300])
        connection.close()  # whatever state it is in
        return False
    failpoint("mail.before_mark")
    Mail.objects.filter(pk=mail.pk).update(sent_at=at, next_try_at=None, error="")
    return True


def _postpone_all(claimed: Mail, error: OSError, at: datetime) -> None:
    logger.warning("the mail server cannot be reached: %s", error)
    due = Mail.objects.filter(Q(next_try_at__lte=at) | Q(pk=claimed.pk))
    due.update(next_try_at=at + AWAY_FOR, error=str(error)[:300])


def message(mail: Mail) -> EmailMultiAlternatives:
    """Build the message: text and HTML, in the player's language. Its id is the notice's, at every try."""
    related = ("competition__board", "change", "revision", "grant", "grant_before", "player__preference")
    notice = Notice.objects.select_related(*related).defer("competition__picture").get(pk=mail.notice_id)
    site, message_id = sunwi_settings.SITE_URL.rstrip("/"), event_id(f"notice-{notice.pk}", notice.created_at)
    preferences = f"{site}/inbox/settings/"
    language = language_of(notice)
    with override(language):
        context = {
            "competition": notice.competition,
            "sentences": sentences(notice, zone_of(notice)),
            "address": f"{site}/competitions/{notice.competition_id}/",
            "preferences": preferences,
            "language": language,
        }
        email = EmailMultiAlternatives(
            subject=subject(notice),
            body=TEXTS.render_to_string("competitions/mail/notice.txt", context),
            to=[mail.to],
            headers={
                "Message-ID": f"<{message_id}@{urlsplit(site).hostname}>",
                "Auto-Submitted": "auto-generated",
                "List-Unsubscribe": f"<{preferences}>",
            },
        )
        email.attach_alternative(TEXTS.render_to_string("competitions/mail/notice.html", context), "text/html")
    return email
