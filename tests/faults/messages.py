"""What children do in tests of who tells and rewards: make something to tell, tell it, and count what was told.

The times are days ago, but for the board's: nobody plays here, and a service is told its time.
"""

from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from competitions.models import Competition, Mail, Notice, RewardGrant, RewardTier
from competitions.services.mail import send_due
from competitions.services.notices import release_held, write
from competitions.services.notify import compare_due
from competitions.services.reward import grant_due
from foundation.webhooks.models import WebhookDelivery
from leaderboards.services.close import close_due
from tests.competitions.services.telling import HOUR, NOON, contest, listening, snapshot, who, with_address
from tests.leaderboards.services import site

NIGHT = NOON - 10 * HOUR
LATER = site.NOON + 2 * site.DAY

# What one preparation comes to, however often its tellers die.
EXPECTED = {
    "notices": {"ann first_lost": 3, "ann first_taken": 1, "ann summary": 1, "bob first_taken": 1},
    "inbox": {"ann first_lost": 1, "ann summary": 1, "bob first_taken": 1},
    "mails": {"ann": 2, "bob": 1},
    "hooks": {"rank.first_lost": 1, "rank.first_taken": 1, "reward.granted": 2},
    "grants": {"ann": 1, "bob": 1},
}


def prepare(number: int) -> None:
    """Somebody passes somebody, a night's notices are due, and a period of rewards is final."""
    if number == 0:
        listening()
    ann, bob = f"ann{number}", f"bob{number}"
    for name in (ann, bob):
        with_address(name)
    cup = contest(ann, bob)
    night = [
        Notice(competition=cup, player=who(ann), kind=kind) for kind in ("first_lost", "first_taken", "first_lost")
    ]
    for notice in night:
        write([notice], NIGHT)
    snapshot(cup, NOON - HOUR, ann, bob)
    compare_due(NOON - HOUR)
    snapshot(cup, NOON, bob, ann)
    board = site.make_board("sql", name=f"Rewarded {number}")
    RewardTier.objects.create(board=board, name="Gold", kind="percent", limit=Decimal(100))
    site.score(board, {ann: 2, bob: 1})
    close_due(site.NOON + site.DAY)


def tell(minutes: int = 0) -> int:
    """All that the schedule would do; returns how much there was to do."""
    at: datetime = NOON + timedelta(minutes=minutes)
    return compare_due(at) + release_held(at) + send_due(at) + grant_due(LATER)


def count(number: int) -> dict[str, Any]:
    """What one preparation has come to."""
    cup = Competition.objects.order_by("pk")[number]
    own = Notice.objects.filter(competition=cup)
    grants = RewardGrant.objects.filter(period__board__name=f"Rewarded {number}")
    ids = [f"notice-{notice.pk}" for notice in own] + [f"grant-{grant.pk}" for grant in grants]
    sent = Mail.objects.filter(notice__in=own, sent_at__isnull=False)
    return {
        "notices": _counted(f"{notice.player.external_id.rstrip('0123456789')} {notice.kind}" for notice in own),
        "inbox": _counted(
            f"{notice.player.external_id.rstrip('0123456789')} {notice.kind}" for notice in own.filter(Notice.TOLD)
        ),
        "mails": _counted(mail.to.partition("@")[0].rstrip("0123456789") for mail in sent),
        "hooks": _counted(WebhookDelivery.objects.filter(message_id__in=ids).values_list("kind", flat=True)),
        "grants": _counted(grant.player.external_id.rstrip("0123456789") for grant in grants),
    }


def _counted(names: Any) -> dict[str, int]:
    return dict(Counter(names))
