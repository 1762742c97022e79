"""Erase a player from published results: the only case in which a revision is changed.

Their rows get the anonymous id and no name; a reason about them is blanked. The hashes from there on are computed
again, and ``rewritten_at`` records when. It works part by part, in the transaction of the erasure.
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
    """Lock the competitions whose results name the player, or will, so that nothing is published under the name until
    this transaction ends. Call it before the player's row is locked."""
    final_standing = FinalStanding.objects.filter(
        period__board=OuterRef("board"),
        period__label=Concat(Value("c"), Cast(OuterRef("pk"), CharField())),
        player=player,
    )
    participated = Competition.objects.filter(pk__in=player.participations.values("competition"))
    named = participated.filter(Q(pk__in=_published_competitions(player)) | Exists(final_standing))
    locked = Competition.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=named.values("pk"))
    list(locked.order_by("pk").values_list("pk", flat=True))


def rewrite_results_of(player: Player, old: str, at: datetime) -> None:
    """Replace the id ``old`` in published results by the present id and name of ``player``."""
    for number in sorted(_published_competitions(player)):
        previous_hash = ""
        for revision in Revision.objects.filter(competition=number).order_by("number"):
            previous_hash = _rewrite_revision(revision, previous_hash, (player, old), at)


def _published_competitions(player: Player) -> set[int]:
    revisions = Revision.objects.filter(competition__participants__player=player).order_by()
    return set(revisions.values_list("competition_id", flat=True))


def _rewrite_revision(revision: Revision, previous_hash: str, renamed: tuple[Player, str], at: datetime) -> str:
    """Rewrite a revision if its rows, its reason or the previous hash changed; returns its hash."""
    first = RevisionPart.objects.get(revision=revision, nth=0)
    head = json.loads(head_of(unpacked(first.content)))
    unsigned = opening(as_json(head | {"previous_hash": previous_hash, "reason": revision.reason}))
    digest = ContentHash(unsigned)
    for nth in range(1, revision.parts.count()):
        digest.add(_rewrite_part(RevisionPart.objects.get(revision=revision, nth=nth), *renamed))
    if digest.of_document != revision.content_hash:
        first.content = zlib.compress(with_digits(unsigned, digest.of_document))
        first.save(update_fields=["content"])
        revision.previous_hash, revision.content_hash = previous_hash, digest.of_document
        revision.rewritten_at = at
        revision.save(update_fields=["previous_hash", "content_hash", "rewritten_at"])
    return revision.content_hash


def _rewrite_part(part: RevisionPart, player: Player, old: str) -> bytes:
    """Rename the player in a part, save it if it changed, and return its content."""
    content = unpacked(part.content)
    name = display_name(player.name, player.external_id)
    renamed = with_player_renamed(content, as_json(old), as_json(player.external_id), as_json(name))
    if renamed != content:
        part.content = zlib.compress(renamed)
        part.save(update_fields=["content"])
    return renamed
