"""The e-mail of a notice: a row first, sent by ``send_due``, at least once and always under the same Message-ID.

A mail is claimed for a while in a transaction of its own, sent, and marked. A worker that dies between leaves it
claimed; it is sent again afterwards. A server that cannot be reached is no mail's fault: all wait a minute.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import override

from competitions.models import Mail, Notice
from competitions.selectors.notices.preferences import language_of, preference_of, zone_of
from competitions.sentences import sentences, subject
from foundation import clock
from foundation.failpoints import failpoint
from foundation.mail_templates import TEXTS
from leaderboards.models import Player

logger = logging.getLogger(__name__)

# Shorter than the schedule's interval: a slow mail server must not keep the worker from everything else.
BUDGET_SECONDS = 3.0
CLAIMED_FOR = timedelta(minutes=2)
TRIED_FOR = timedelta(days=2)
AWAY_FOR = timedelta(minutes=1)
_LONGEST_PAUSE = timedelta(hours=4)


def queue(notices: Iterable[Notice], at: datetime) -> None:
    """A row for each notice whose player has an address and wants mail, in the caller's transaction."""
    told = ((notice, address_of(notice.player)) for notice in notices)
    rows = [Mail(notice=notice, to=to, created_at=at, next_try_at=at) for notice, to in told if to]
    Mail.objects.bulk_create(rows, batch_size=1000)


def address_of(player: Player) -> str:
    """Where the player gets mail; empty where they get none."""
    user = player.user
    return user.email if user is not None and user.is_active and preference_of(player).by_mail else ""


def send_due(at: datetime) -> int:
    """Send what is due, for a few seconds; returns how many were sent."""
    _give_up(at)
    post, until, sent = get_connection(), clock.monotonic() + BUDGET_SECONDS, 0
    try:
        while clock.monotonic() < until and (mail := _claim(at)):
            try:
                post.open()
            except OSError as error:
                _wait(mail, error, at)
                break
            sent += _send(mail, post, at)
    finally:
        post.close()
    return sent


def retry(mails: QuerySet[Mail], at: datetime) -> int:
    """Try those again that were given up, as if they were new; returns how many."""
    dead = mails.filter(dead_at__isnull=False)
    return dead.update(dead_at=None, created_at=at, next_try_at=at, tries=0)


def _give_up(at: datetime) -> None:
    late = Mail.objects.filter(next_try_at__isnull=False, created_at__lte=at - TRIED_FOR)
    if given_up := late.update(dead_at=at, next_try_at=None):
        logger.error("%d e-mails could not be sent for %s and are given up", given_up, TRIED_FOR)


@transaction.atomic
def _claim(at: datetime) -> Mail | None:
    """The mail that has waited longest, ours alone for a while."""
    due = Mail.objects.select_for_update(skip_locked=True, of=("self",)).filter(next_try_at__lte=at)
    mail = due.order_by("next_try_at", "pk").first()
    if mail is not None:
        mail.next_try_at, mail.tries = at + CLAIMED_FOR, mail.tries + 1
        mail.save(update_fields=["next_try_at", "tries"])
    return mail


def _send(mail: Mail, post: BaseEmailBackend, at: datetime) -> bool:
    try:
        message(mail, post).send()
    except (OSError, ValueError) as error:  # of the server or the network; of an address that is none
        logger.warning("e-mail %s was not sent: %s", mail.pk, error)
        pause = min(timedelta(minutes=2**mail.tries), _LONGEST_PAUSE)
        Mail.objects.filter(pk=mail.pk).update(next_try_at=at + pause, error=str(error)[:300])
        post.close()  # whatever state it is in
        return False
    failpoint("mail.before_mark")
    Mail.objects.filter(pk=mail.pk).update(sent_at=at, next_try_at=None, error="")
    return True


def _wait(claimed: Mail, error: OSError, at: datetime) -> None:
    logger.warning("the mail server cannot be reached: %s", error)
    due = Mail.objects.filter(Q(next_try_at__lte=at) | Q(pk=claimed.pk))
    due.update(next_try_at=at + AWAY_FOR, error=str(error)[:300])


def message(mail: Mail, post: BaseEmailBackend | None = None) -> EmailMultiAlternatives:
    """The message as it is sent: text and HTML, in the site's language. Its id is the notice's, at every try."""
    about = ("competition__board", "change", "revision", "grant", "grant_before", "player__preference")
    notice = Notice.objects.select_related(*about).defer("competition__picture").get(pk=mail.notice_id)
    site = settings.SITE_URL.rstrip("/")
    preferences = f"{site}/inbox/settings/"
    language = language_of(notice)
    with override(language):
        told = {
            "competition": notice.competition,
            "sentences": sentences(notice, zone_of(notice)),
            "address": f"{site}/competitions/{notice.competition_id}/",
            "preferences": preferences,
            "language": language,
        }
        sent = EmailMultiAlternatives(
            subject=subject(notice),
            body=TEXTS.render_to_string("competitions/mail/notice.txt", told),
            to=[mail.to],
            connection=post,
            headers={
                "Message-ID": f"<notice-{notice.pk}@{urlsplit(site).hostname}>",
                "Auto-Submitted": "auto-generated",
                "List-Unsubscribe": f"<{preferences}>",
            },
        )
        sent.attach_alternative(TEXTS.render_to_string("competitions/mail/notice.html", told), "text/html")
    return sent
