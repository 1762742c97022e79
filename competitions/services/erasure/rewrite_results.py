"""Erasing a player from published results: the only change that a revision ever sees.

Their rows get the id that erasure gives, and no name; a reason that was about them goes. Hashes, and the chain from
there on, are computed anew, and ``rewritten_at`` says since when. A part at a time, in the erasing transaction.
"""

import json
import zlib
from datetime import datetime

from django.db.models import CharField, Exists, OuterRef, Q, Value
from django.db.models.functions import Cast, Concat

from competitions.core.results import ContentHash, head_of, opening, with_digits, with_player_renamed
from competitions.models import Competition, Revision, RevisionPart
from competitions.selectors.results.revisions import unpacked
from foundation.http.encoding import as_json
from leaderboards.core.input.names import display_name
from leaderboards.models import FinalStanding, Player


def lock_results_of(player: Player) -> None:
    """Hold the competitions whose published results name the player, or will: until this transaction ends nothing is
    published under the name. Call it before the player's own row is held."""
    standing = FinalStanding.objects.filter(
        period__board=OuterRef("board"),
        period__label=Concat(Value("c"), Cast(OuterRef("pk"), CharField())),
        player=player,
    )
    taken_part = Competition.objects.filter(pk__in=player.participations.values("competition"))
    named = taken_part.filter(Q(pk__in=_published(player)) | Exists(standing))
    locked = Competition.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=named.values("pk"))
    list(locked.order_by("pk").values_list("pk", flat=True))


def rewrite_results_of(player: Player, old: str, at: datetime) -> None:
    """Write anew what is published of the player under the id ``old``: who they are is said by ``player``."""
    for number in sorted(_published(player)):
        previous = ""
        for revision in Revision.objects.filter(competition=number).order_by("number"):
            previous = _rewrite_one(revision, previous, (player, old), at)


def _published(player: Player) -> set[int]:
    found = Revision.objects.filter(competition__participants__player=player).order_by()
    return set(found.values_list("competition_id", flat=True))


def _rewrite_one(revision: Revision, previous: str, who: tuple[Player, str], at: datetime) -> str:
    """Write a revision anew if the player, their reason or the hash before it changes anything; returns its hash."""
    first = RevisionPart.objects.get(revision=revision, nth=0)
    head = json.loads(head_of(unpacked(first.content)))
    unsigned = opening(as_json(head | {"previous_hash": previous, "reason": revision.reason}))
    digest = ContentHash(unsigned)
    for nth in range(1, revision.parts.count()):
        digest.add(_rewrite_part(RevisionPart.objects.get(revision=revision, nth=nth), *who))
    if digest.of_document != revision.content_hash:
        first.content = zlib.compress(with_digits(unsigned, digest.of_document))
        first.save(update_fields=["content"])
        revision.previous_hash, revision.content_hash, revision.rewritten_at = previous, digest.of_document, at
        revision.save(update_fields=["previous_hash", "content_hash", "rewritten_at"])
    return revision.content_hash


def _rewrite_part(part: RevisionPart, player: Player, old: str) -> bytes:
    """The part as it is now, written only if the player is in it."""
    was = unpacked(part.content)
    name = display_name(player.name, player.external_id)
    now = with_player_renamed(was, as_json(old), as_json(player.external_id), as_json(name))
    if now != was:
        part.content = zlib.compress(now)
        part.save(update_fields=["content"])
    return now
