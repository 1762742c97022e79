"""Web push of notices: a row is queued first and sent by ``send_due_push``, at least once, with the notice's own tag.

A browser shows a later message with the same tag in the place of the earlier one, so a repeated message is one. Each
browser gets at most one message in ``REST``. A message is tried again for a day, ever later, or as late as the push
service asks for. A browser that its service does not know any more is deleted. Logs name the host of a service alone:
the rest of an address is a secret of the browser.
"""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import override

from competitions.errors import BadSubscription
from competitions.models import Notice, PushMessage, PushSubscription
from competitions.models.push import LONGEST_ENDPOINT
from competitions.notice_texts import sentences, subject
from competitions.selectors.notices.preferences import language_of, zone_of
from foundation import clock
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.push import send
from foundation.push.encryption import SECRET_BYTES, encrypt, read_public
from foundation.push.keys import authorization, decode, public_key
from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.input.picture_hosts import is_allowed
from leaderboards.models import Player
from leaderboards.services.players.profiles import lock_player

logger = logging.getLogger(__name__)

MOST_DEVICES = 10  # of a player; a further one takes the place of the oldest
SITE_KEY_CHARACTERS = 20
LONGEST_BODY = 600  # characters of a message's sentences
BUDGET_SECONDS = 3.0  # shorter than the schedule's interval, so that a slow service does not block the worker
CLAIMED_FOR = timedelta(minutes=2)
REST = timedelta(seconds=10)
KEPT_FOR = timedelta(days=1)  # by us and by the push service: older news is in the inbox alone
_LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Device:
    """What a browser tells of itself: its address at its push service, its public key and its secret (base64url)."""

    endpoint: str
    browser_key: str
    secret: str


def subscribe(player: Player, device: Device, at: datetime) -> None:
    """Tell ``player`` in this browser from now on, and nobody else. Raises ``BadSubscription``."""
    _check(device)
    with transaction.atomic():
        lock_player(player)
        values = {
            "player": player,
            "browser_key": device.browser_key,
            "secret": device.secret,
            "site_key": _site_key(),
        }
        PushSubscription.objects.update_or_create(
            endpoint=device.endpoint, defaults=values, create_defaults={**values, "created_at": at}
        )
        own = PushSubscription.objects.filter(player=player).order_by("-created_at", "-pk")
        PushSubscription.objects.filter(pk__in=list(own.values_list("pk", flat=True)[MOST_DEVICES:])).delete()


def unsubscribe(player: Player, endpoint: str = "") -> None:
    """Tell the player no longer in the browser at ``endpoint``; without one in none of theirs."""
    own = PushSubscription.objects.filter(player=player)
    (own.filter(endpoint=endpoint) if endpoint else own).delete()


def queue(notices: Iterable[Notice], at: datetime) -> None:
    """Queue a message for each browser of each notice's player, in the caller's transaction."""
    told = list(notices) if sunwi_settings.PUSH_KEY else []
    if not told:
        return
    players = {notice.player_id for notice in told}
    rows = PushSubscription.objects.filter(player__in=players, player__user__is_active=True)
    devices: dict[int, list[int]] = {}
    for number, player in rows.values_list("pk", "player"):
        devices.setdefault(player, []).append(number)
    messages = [
        PushMessage(notice=notice, subscription_id=number, created_at=at, next_try_at=at)
        for notice in told
        for number in devices.get(notice.player_id, ())
    ]
    PushMessage.objects.bulk_create(messages, batch_size=1000)


def send_due_push(at: datetime) -> int:
    """Send the messages that are due, for a few seconds; returns how many were sent."""
    if not sunwi_settings.PUSH_KEY:
        PushSubscription.objects.all().delete()  # with their messages: no other key could send to them
        return 0
    PushMessage.objects.filter(created_at__lte=at - KEPT_FOR).delete()
    until, sent = clock.monotonic() + BUDGET_SECONDS, 0
    while clock.monotonic() < until and (message := _claim(at)):
        sent += _send(message, at)
    return sent


@transaction.atomic
def _claim(at: datetime) -> PushMessage | None:
    """Claim the message that has waited longest, of a browser that does not rest: other workers leave both alone."""
    is_awake = Q(subscription__rests_until=None) | Q(subscription__rests_until__lte=at)
    due = PushMessage.objects.select_for_update(skip_locked=True, of=("self", "subscription"))
    waiting = due.filter(is_awake, next_try_at__lte=at).select_related("subscription")
    message = waiting.order_by("next_try_at", "pk").first()
    if message is not None:
        message.next_try_at, message.tries = at + CLAIMED_FOR, message.tries + 1
        message.save(update_fields=["next_try_at", "tries"])
        PushSubscription.objects.filter(pk=message.subscription_id).update(rests_until=at + REST)
    return message


def _send(message: PushMessage, at: datetime) -> bool:
    device = message.subscription
    host = urlsplit(device.endpoint).hostname or ""
    if not is_allowed(host, sunwi_settings.PUSH_HOSTS):
        logger.warning("messages to %s are not sent any more: it is not in PUSH_HOSTS", host)
        device.delete()
        return False
    if device.site_key != _site_key():
        logger.info("a browser at %s subscribed with a key that PUSH_KEY was before", host)
        device.delete()
        return False
    body = encrypt(content(message.notice_id), decode(device.browser_key), decode(device.secret))
    header = authorization(sunwi_settings.PUSH_KEY, device.endpoint, sunwi_settings.SITE_URL.rstrip("/"), at)
    answer = send.post(device.endpoint, body, header, int(KEPT_FOR.total_seconds()))
    if answer.is_good:
        failpoint("push.before_delete")
        message.delete()
    elif answer.is_gone:
        logger.info("a browser at %s is gone: %s", host, answer.why)
        device.delete()
    elif answer.is_refused:
        logger.error("%s refuses push message %s: %s", host, message.pk, answer.why)
        message.delete()
    else:
        logger.warning("push message %s to %s was not sent: %s", message.pk, host, answer.why)
        pause = max(min(timedelta(minutes=2**message.tries), _LONGEST_PAUSE), timedelta(seconds=answer.wait))
        PushMessage.objects.filter(pk=message.pk).update(next_try_at=at + pause)
    return answer.is_good


def content(number: int) -> bytes:
    """Return what the browser shows of the notice of this number, as JSON, in the player's language."""
    related = ("competition__board", "change", "revision", "grant", "grant_before", "player__preference")
    notice = Notice.objects.select_related(*related).defer("competition__picture").get(pk=number)
    with override(language_of(notice)):
        shown = {
            "title": subject(notice),
            "body": " ".join(sentences(notice, zone_of(notice)))[:LONGEST_BODY],
            "url": reverse("competition", args=[notice.competition_id]),
            "tag": f"notice-{notice.pk}",
        }
    return json.dumps(shown, ensure_ascii=False).encode()


def _site_key() -> str:
    return public_key(sunwi_settings.PUSH_KEY)[:SITE_KEY_CHARACTERS]


def _check(device: Device) -> None:
    """Raise ``BadSubscription`` unless the address is one of a known push service and the keys can be used."""
    if not sunwi_settings.PUSH_KEY:
        raise BadSubscription(Message("This site sends no notifications to browsers."))
    try:
        parts = urlsplit(device.endpoint)
        is_plain = parts.scheme == "https" and parts.port in (None, send.PORT) and "@" not in parts.netloc
        host = parts.hostname or ""
        read_public(decode(device.browser_key))
        has_secret = len(decode(device.secret)) == SECRET_BYTES
    except ValueError as error:
        raise BadSubscription(Message("The browser sent keys or an address that cannot be used.")) from error
    if not (is_plain and has_secret and device.endpoint.isascii() and len(device.endpoint) <= LONGEST_ENDPOINT):
        raise BadSubscription(Message("The browser sent keys or an address that cannot be used."))
    if not is_allowed(host, sunwi_settings.PUSH_HOSTS):
        raise BadSubscription(
            Message("The browser's push service, %(host)s, is not one that this site sends to.", host=host[:100])
        )
