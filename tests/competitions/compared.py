"""What came of a competition, held against its record (``record.py``): revisions, webhooks, rewards and notices."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence

from django.test import Client

from competitions.management.expected import Prize
from competitions.models import Competition, Notice, NoticeKind, RewardGrant
from foundation.webhooks.models import WebhookDelivery
from tests.competitions.record import Record

WON = (NoticeKind.REWARDED, NoticeKind.REWARD_CHANGED)


def compare_revisions(cup: Competition, record: Record) -> None:
    """Each revision checks out and follows the one before; the latest shows the record."""
    address, previous = f"/api/v1/competitions/{cup.pk}/result.json", ""
    for revision in cup.revisions.order_by("number"):
        body = Client().get(f"{address}?revision={revision.number}").getvalue()
        digits = re.search(rb'"content_hash":"([0-9a-f]{64})"', body)
        assert digits is not None
        unsigned = body[: digits.start(1)] + body[digits.end(1) :]
        assert hashlib.sha256(unsigned).hexdigest() == digits[1].decode() == revision.content_hash
        assert f'"previous_hash":"{previous}"'.encode() in body
        previous = revision.content_hash
    rows = json.loads(Client().get(address).getvalue())["rows"]
    assert {row["player"]: (row["rank"], row["points"]) for row in rows} == {
        name: (rank, record.points()[name]) for name, rank in record.ranks().items()
    }


def compare_revised(cup: Competition) -> None:
    """Webhooks told of the result once, and once of each later revision, in their order and with its hashes."""
    said = WebhookDelivery.objects.order_by("pk").values_list("kind", "body")
    about = [(kind, json.loads(body)["data"]) for kind, body in said if kind.startswith("competition.")]
    kinds = [kind for kind, _ in about if kind in ("competition.final", "competition.revised")]
    revised = [data for kind, data in about if kind == "competition.revised"]
    later = list(cup.revisions.filter(number__gt=1).order_by("number"))
    assert kinds == ["competition.final"] + ["competition.revised"] * len(later)
    assert [(each["revision"], each["content_hash"], each["previous_hash"]) for each in revised] == [
        (each.number, each.content_hash, each.previous_hash) for each in later
    ]


def compare_rewards(cup: Competition, record: Record, prizes: Sequence[Prize]) -> None:
    """What stands is what is earned, each with its rank in the result."""
    grants = RewardGrant.objects.filter(competition=cup).select_related("player")
    standing = Counter((each.name, each.player.external_id) for each in grants if each.revoked_at is None)
    assert standing == Counter(record.earned(prizes))
    ranked = record.ranks()
    assert all(each.rank == ranked[each.player.external_id] for each in grants if each.revoked_at is None)


def compare_notices(cup: Competition, record: Record) -> None:
    """Who is shown was told the present place last; each reward that stands was told once, each lost one twice."""
    told = Notice.objects.filter(competition=cup).select_related("player", "grant").order_by("pk")
    places: dict[str, int | None] = {}
    for each in told.filter(kind__in=(NoticeKind.RESULT, NoticeKind.RESULT_CHANGED)):
        places[each.player.external_id] = each.rank
    ranked = record.ranks()
    assert {name: places.get(name) for name in ranked} == ranked
    rewarded = Counter(told.filter(kind__in=WON).values_list("grant", flat=True))
    standing = RewardGrant.objects.filter(competition=cup, revoked_at=None).values_list("pk", flat=True)
    assert all(rewarded[pk] == 1 for pk in standing)
    assert set(rewarded.values()) <= {1}
