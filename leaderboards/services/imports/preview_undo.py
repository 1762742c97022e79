"""What undoing an import would come to, told before it is asked for. Nothing is written."""

from typing import NamedTuple

from django.db.models import Q

from foundation.chunks import in_chunks
from leaderboards.models import ImportedPlayer, ImportRun
from leaderboards.selectors.moderation.purges import PurgePreview, preview_voiding
from leaderboards.services.imports.players import is_unchanged_since, referenced_players
from leaderboards.services.imports.score_rows import SERVICE

MOST_LOOKED_AT = 20_000  # players: about two seconds
ASKED_AT_ONCE = 500


class PlayersUndoPreview(NamedTuple):
    """How many profiles are set back, how many players go, and how many of either stay as they are."""

    set_back: int
    removed: int
    stay: int


def number_range(run: ImportRun) -> Q:
    """The range of numbers in which the scores of the run lie: by it an index finds them."""
    made = [number for kept in run.chunks.values_list("kept", flat=True) for number in kept]
    return Q(pk__gte=min(made, default=0), pk__lte=max(made, default=0))


def preview_scores(run: ImportRun) -> PurgePreview:
    """The scores that would be void, and what ranks do."""
    return preview_voiding(number_range(run) & Q(service=SERVICE, board=run.board_id, created_at=run.started_at))


def preview_players(run: ImportRun) -> PlayersUndoPreview | None:
    """Of the players of the run; None where they are too many to look at each."""
    rows = ImportedPlayer.objects.filter(run=run)
    if rows.count() > MOST_LOOKED_AT:
        return None
    set_back = removed = stay = 0
    for some in in_chunks(list(rows.select_related("player").order_by("pk")), ASKED_AT_ONCE):
        as_made = [row for row in some if is_unchanged_since(row)]
        new = [row.player_id for row in as_made if row.is_new]
        needed = len(referenced_players(new)) if new else 0
        set_back += len(as_made) - len(new)
        removed += len(new) - needed
        stay += len(some) - len(as_made) + needed
    return PlayersUndoPreview(set_back, removed, stay)
