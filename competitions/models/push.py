"""Web push: the browsers that players want to be told in, and the messages that wait to be sent there."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from competitions.models.notices import Notice
from leaderboards.models import Player

LONGEST_ENDPOINT = 1000  # characters


class PushSubscription(models.Model):
    """A browser of a player: the address at its push service, and what messages are encrypted with for it.

    The address is a secret of the browser: who knows it and the site's key could send there. ``rests_until`` keeps
    messages apart. ``site_key`` is the beginning of the site's public key that the browser subscribed with: with
    another one messages are refused. The row goes when the push service does not know the browser any more.
    """

    player = models.ForeignKey(Player, models.CASCADE, related_name="push_subscriptions", verbose_name=_("player"))
    endpoint = models.CharField(max_length=LONGEST_ENDPOINT, unique=True)
    browser_key = models.CharField(max_length=100)
    secret = models.CharField(max_length=30)
    site_key = models.CharField(max_length=20)
    created_at = models.DateTimeField(_("created"))
    rests_until = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("push subscription")
        verbose_name_plural = _("push subscriptions")

    def __str__(self) -> str:
        return f"{self.player_id}/{self.pk}"


class PushMessage(models.Model):
    """A notice that waits to be sent to one browser. The row goes when it is sent, given up, or too old."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="push_messages", verbose_name=_("notice"))
    subscription = models.ForeignKey(PushSubscription, models.CASCADE, related_name="messages")
    created_at = models.DateTimeField(_("created"))
    next_try_at = models.DateTimeField(_("next try"))
    tries = models.PositiveIntegerField(_("tries"), default=0)

    class Meta:
        verbose_name = _("push message")
        verbose_name_plural = _("push messages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notice", "subscription"], name="push_message_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=["next_try_at"], name="push_due")]

    def __str__(self) -> str:
        return f"{self.notice_id}/{self.subscription_id}"
